/* A simulation as a blob, and back: all data on which later results depend, listed by their owners (base/keep.h).
 *
 *     "dalembert simulation" 0, sizes of int, long and double, a number that shows their byte order; version; hashes of the model; names of the choices and
 *     numbers of the options; sizes; then the lists; at the end a checksum of all of it (FNV-1a, 64 bits)
 *
 * A blob is read where version, model, choices and sizes are the same. It is checked as a whole before anything changes.
 */
#include "model/system.h"
#include "run/run.h"
#include "base/argument.h"
#include "run/known_code.h"
#include "run/standing.h"
#include "spec/copy.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "dalembert simulation";
enum { FORMAT = 2, BYTE_ORDER_SHOWN = 0x01020304 };

static const uint64_t nothing = 14695981039346656037u; /* FNV-1a */

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static uint64_t checksum(const void *bytes, size_t n)
{
    return add_bytes(nothing, bytes, n);
}

/* ---- what the blob is of ------------------------------------------------------------------------------ */

static void keep_form(dal_keep *keep)
{
    dal_keep_same_text(keep, magic);
    dal_keep_same(keep, FORMAT);
    dal_keep_same(keep, BYTE_ORDER_SHOWN);
    dal_keep_same(keep, (long long)(100 * sizeof(double) + 10 * sizeof(long) + sizeof(int)));
}

static uint64_t add_numbers(uint64_t hash, const double *x, size_t n)
{
    return add_bytes(hash, x, sizeof *x * n);
}

/* The hash of a model: the texts of its description, and the numbers that follow from them. The hash of a file does not know what was changed by
 * hand afterwards, and a model that was made by hand has none. */
uint64_t dal_system_contents(const dal_system *s)
{
    const dal_mechanism *m = &s->mechanism;
    uint64_t hash = s->spec ? dal_spec_elements(s->spec) : nothing;
    for (int i = 0; s->spec && i < s->spec->n_parameters; i++)
        hash = add_numbers(hash, &s->spec->parameters[i].number, 1);
    hash = add_numbers(hash, s->acting.gravity, 3);
    for (int b = 0; b < m->n_bodies; b++) {
        hash = add_numbers(hash, &m->bodies[b].mass, 1);
        hash = add_numbers(hash, m->bodies[b].inertia, 9);
        hash = add_numbers(hash, m->bodies[b].center, 3);
        hash = add_numbers(hash, s->start[b].r, 3);
        hash = add_numbers(hash, s->start[b].R, 9);
        hash = add_numbers(hash, s->start[b].rd, 3);
        hash = add_numbers(hash, s->start[b].w, 3);
    }
    for (int i = 0; i < m->n_vectors; i++)
        hash = add_numbers(hash, m->vectors[i].s, 3);
    for (int i = 0; i < m->n_terms; i++)
        hash = add_numbers(hash, &m->terms[i].coef, 1);
    for (int i = 0; i < m->n_rows; i++)
        hash = add_numbers(hash, &m->rows[i].constant, 1);
    hash = add_numbers(hash, s->inputs, (size_t)s->n_inputs);
    return add_numbers(hash, s->states, (size_t)s->n_states) | 1;
}

uint64_t dal_run_contents(run *r)
{
    if (!r->contents)
        r->contents = dal_system_contents(r->system);
    return r->contents;
}

static void keep_model(run *r, dal_keep *keep)
{
    const dal_system_info *info = &r->system->info;
    dal_keep_same(keep, (long long)dal_run_contents(r));
    dal_keep_same_text(keep, info->model_hash);
    dal_keep_same_text(keep, info->model);
}

static void keep_choices(run *r, dal_keep *keep)
{
    const dal_system_info *info = &r->system->info;
    const dal_system *s = r->system;
    const dal_method *m = &s->method;
    const double options[] = {
        info->until, info->step, info->every, info->rtol,   info->atol,        m->max_step,       r->options.control ? r->options.period : 0,
        m->alpha,    m->beta,    m->penalty,  m->tolerance, m->rank_tolerance, m->event_tolerance};
    const int sizes[] = {s->n_y,       s->layout.nq,      s->layout.nv,      s->layout.n_rows, r->ode.n_guards,
                         s->n_columns, r->reader != NULL, m->penalty_passes, m->minimum_norm};
    dal_keep_same_text(keep, info->coordinates);
    dal_keep_same_text(keep, info->formulation);
    dal_keep_same_text(keep, info->stabilization);
    dal_keep_same_text(keep, info->integrator);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        long long bits = 0;
        memcpy(&bits, &options[i], sizeof options[i]);
        dal_keep_same(keep, bits);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        dal_keep_same(keep, sizes[i]);
}

/* ---- what is measured along the way --------------------------------------------------------------------- */

static void keep_balance(dal_balance *b, dal_keep *keep)
{
    double *const numbers[] = {&b->mass,         &b->weight,         &b->pace,  &b->start,     &b->potential_start, &b->energy_last, &b->work_last,
                               &b->kinetic_most, &b->potential_most, &b->worst, &b->work_path, &b->moving,          &b->moving_last, &b->moving_sum};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
}

static void keep_measured(run *r, dal_keep *keep)
{
    measured *m = &r->measured;
    const size_t switches = (size_t)dal_switches(r->system);
    double *const numbers[] = {&m->moving_time, &m->open, &m->speeds_worst, &m->speeds_time, &m->missed_time, &m->rates_open, &m->rates_miss};
    keep_balance(&m->whole, keep);
    for (int i = 0; m->island && i < r->system->acting.islands.n; i++)
        keep_balance(&m->island[i], keep);
    dal_keep_flags(keep, &m->started, 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
    dal_keep_numbers(keep, m->momentum_start, 6);
    dal_keep_numbers(keep, m->momentum_scale, 2);
    dal_keep_numbers(keep, m->momentum_worst, 2);
    dal_keep_numbers(keep, m->ignorable, 5 * (size_t)r->system->layout.n_ignorable);
    dal_keep_integers(keep, &m->shared_friction, 1, 0, r->system->mechanism.n_joints);
    dal_keep_integers(keep, &m->rates_joint, 1, 0, r->system->mechanism.n_joints);
    if (m->guard) {
        dal_keep_numbers(keep, m->guard, switches);
        dal_keep_numbers(keep, m->guard_most, switches);
    }
    dal_keep_flags(keep, &m->missed, 1);
    dal_keep_integers(keep, &m->missed_switch, 1, 0, switches ? (int)switches - 1 : 0);
}

static void keep_passage(run *r, dal_keep *keep)
{
    passage *p = &r->passage;
    double *const numbers[] = {&p->t, &p->balance, &p->balance_change, &p->acceleration_most, &p->fastest};
    bool *const flags[] = {&p->begun, &p->near, &p->singular_start};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        dal_keep_flags(keep, flags[i], 1);
    dal_keep_numbers(keep, p->v, (size_t)r->system->layout.nv);
    dal_keep_counts(keep, &p->charts, 1);
    dal_keep_integers(keep, &p->ends_avoided, 1, 0, 1000000);
    dal_keep_integers(keep, &p->stages_avoided, 1, 0, 1000000);
}

static void keep_stiffness(run *r, dal_keep *keep)
{
    stiffness *s = &r->stiffness;
    double *const numbers[] = {&s->fastest, &s->fastest_early, &s->stiff_product};
    long *const counts[] = {&s->steps, &s->probes, &s->stiff_probes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        dal_keep_counts(keep, counts[i], 1);
    if (s->direction)
        dal_keep_numbers(keep, s->direction, (size_t)r->system->n_y);
}

static void keep_evidence(run *r, dal_keep *keep)
{
    dal_evidence *e = &r->evidence;
    double *const numbers[] = {&e->time_end, &e->position_residual, &e->velocity_residual, &e->energy_start};
    long *const counts[] = {&e->steps, &e->rows_recorded, &e->restored};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        dal_keep_counts(keep, counts[i], 1);
    dal_keep_text(keep, e->loose, sizeof e->loose);
    dal_keep_flags(keep, &e->compliant, 1);
}

static void keep_watches(run *r, dal_keep *keep)
{
    dal_keep_numbers(keep, r->meetings.direction, dal_meetings_size(r->system));
    dal_keep_integers(keep, &r->meetings.force, 1, -1, r->system->acting.n_forces - 1);
    dal_keep_numbers(keep, &r->meetings.time, 1);
    dal_keep_numbers(keep, &r->meetings.effort, 1);
    if (r->travel.n) {
        dal_keep_numbers(keep, r->travel.joint, 3 * (size_t)r->travel.n);
        dal_keep_flags(keep, &r->travel.started, 1);
    }
    if (r->along)
        dal_keep_numbers(keep, r->along, dal_standing_size(r->system));
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static void keep_motion(run *r, dal_keep *keep)
{
    dal_state *const states[] = {r->state, r->viewer, r->reader};
    for (int i = 0; i < 3; i++)
        if (states[i])
            dal_state_keep(states[i], keep);
    dal_drive_keep(&r->driver, keep);
    dal_keep_numbers(keep, r->unit, (size_t)r->system->n_y);
    dal_keep_numbers(keep, r->seen, (size_t)r->system->n_y);
    dal_keep_within(keep, &r->t_seen, 1, -DBL_MAX, DBL_MAX);
    dal_keep_flags(keep, &r->looking, 1);
    dal_keep_flags(keep, &r->jump, 1);
    dal_keep_counts(keep, &r->controls, 1);
    dal_keep_counts(keep, r->samples, (size_t)r->system->samples.n_outputs);
    keep_measured(r, keep);
    keep_passage(r, keep);
    keep_stiffness(r, keep);
    keep_evidence(r, keep);
    keep_watches(r, keep);
}

static void keep_all(run *r, dal_keep *keep)
{
    keep_form(keep);
    dal_keep_same_text(keep, r->system->info.version);
    keep_model(r, keep);
    keep_choices(r, keep);
    keep_motion(r, keep);
}

size_t dal_simulation_save(const dal_simulation *simulation, void *buffer, size_t size)
{
    run *r = (run *)simulation; /* the lists are those of reading, too; here they only look */
    if (!r || r->status != DAL_OK)
        return 0;
    dal_keep measure = {.mode = DAL_KEEP_MEASURE}, write = {.mode = DAL_KEEP_WRITE, .bytes = buffer};
    keep_all(r, &measure);
    const size_t needed = measure.used + sizeof(uint64_t);
    if (!buffer || size < needed)
        return needed;
    keep_all(r, &write);
    const uint64_t sum = checksum(buffer, write.used);
    memcpy((unsigned char *)buffer + write.used, &sum, sizeof sum);
    return needed;
}

/* What is wrong with a blob, as a part of a sentence; NULL: it fits. */
static const char *fault_of(run *r, const void *blob, size_t size)
{
    dal_keep check = {.mode = DAL_KEEP_CHECK, .from = blob, .size = size < sizeof(uint64_t) ? 0 : size - sizeof(uint64_t)};
    uint64_t sum = 0;
    keep_form(&check);
    if (check.bad)
        return "is not a saved simulation of this kind of machine";
    memcpy(&sum, (const unsigned char *)blob + check.size, sizeof sum);
    if (sum != checksum(blob, check.size))
        return "is damaged: its checksum is wrong";
    dal_keep_same_text(&check, r->system->info.version);
    if (check.bad)
        return "was saved by another version";
    keep_model(r, &check);
    if (check.bad)
        return "belongs to another model, or to other values of its parameters";
    keep_choices(r, &check);
    if (check.bad)
        return "was saved with other coordinates, another formulation, stabilization or integrator, or other options (until, step, every, "
               "tolerances, period)";
    keep_motion(r, &check);
    return check.bad || check.used != check.size ? "is damaged: a number in it is impossible" : NULL;
}

/* Everything as it was saved; the blob fits. */
static void adopt_blob(run *r, const void *blob, size_t size)
{
    dal_keep read = {.mode = DAL_KEEP_READ, .from = blob, .size = size - sizeof(uint64_t)};
    keep_all(r, &read);
    r->status = r->callbacks.sink_status = DAL_OK;
    r->callbacks.stopped = false;
    r->read = false;
    if (r->looking && !r->driver.has_pending && r->t_seen > r->driver.s.t) { /* the pending step cannot be kept: it is computed again from there */
        driver *d = &r->driver;
        d->s.t = d->t_base = r->t_seen;
        d->s.f_valid = d->g_valid = false;
        while (d->options.every > 0 && d->options.t_start + (double)d->next_output * d->options.every <= r->t_seen + d->slack)
            d->next_output++; /* rows inside the step that is lost */
        memcpy(r->y, r->seen, sizeof *r->y * (size_t)r->system->n_y);
        r->looking = false;
    }
    r->evidence.restored++;
}

dal_status dal_simulation_restore(dal_simulation *r, const void *blob, size_t size)
{
    if (!r || !DAL_NEEDS(r->messages, blob))
        return DAL_BAD_COMMAND;
    if (r->in_callback) {
        dal_error(r->messages, dal_nowhere, "%s: a simulation cannot be restored from its own callbacks", __func__);
        return DAL_BAD_COMMAND;
    }
    const char *fault = fault_of(r, blob, size);
    if (fault)
        dal_error(r->messages, dal_nowhere, "%s: what was given %s", __func__, fault);
    else
        adopt_blob(r, blob, size);
    return fault ? DAL_BAD_FILE : DAL_OK;
}

dal_status dal_simulation_resume(run *r)
{
    const dal_run_options *o = &r->options;
    const char *fault = fault_of(r, o->resume, o->resume_size);
    if (fault)
        dal_error(r->messages, (dal_mark){o->resume_name, 0, 0}, "%s%s", o->resume_name ? "" : "what is to be resumed ", fault);
    else
        adopt_blob(r, o->resume, o->resume_size);
    return fault ? DAL_BAD_FILE : DAL_OK;
}
