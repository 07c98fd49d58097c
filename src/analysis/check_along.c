/* The same verdict along the motion: the model is run, and at the recorded instants the probe is put where the bodies are.
 *
 * Reported are the least rank and when, how near a singular position the motion came (smallest singular value that counts over the
 * largest, against the best of the run), whether the set of dependent rows changes, and whether these rows agree: A v = beta can
 * hold only if z . beta = 0 for every z with A^T z = 0, which drives may violate.
 */
#include "check/checker.h"
#include "model/system_parts.h"

#include <math.h>
#include <string.h>

enum { INSTANTS = 400, LARGE = 100 };  /* of a run; velocities beyond which there are fewer */
static const double near_ratio = 0.01; /* of the best singular value of the run */
static const double noise = 1e-6;      /* of entries of null vectors, and of z . beta */

typedef struct walk {
    dal_checker *checker;
    dal_probe probe;
    dal_record_spec *record;
    int n_record;
    double *sigma, *time; /* of each instant: singular values */
    int few, capacity;
    bool *mask, *before;
    double *beta;
    int rank_before;
} walk;

static void name_columns(walk *w)
{
    static const char *const channels[] = {"position", "ex", "ey", "ez"};
    dal_arena *arena = &w->checker->arena;
    const dal_spec *spec = &w->checker->base;
    const dal_mechanism *m = dal_system_layout(w->checker->system)->mechanism;
    const bool curved = dal_system_layout(w->checker->system)->curved; /* A depends on the velocities */
    w->record = DAL_NEW(arena, dal_record_spec, 6 * spec->n_bodies + 2 * spec->n_coordinates);
    for (int k = 0; k < spec->n_coordinates; k++)
        w->record[w->n_record++].value = spec->coordinates[k].name;
    for (int k = 0; k < spec->n_coordinates && curved; k++)
        w->record[w->n_record++].value = (dal_text){.text = dal_arena_print(arena, "%s'", spec->coordinates[k].name.text)};
    for (int b = 0; b < spec->n_bodies && !spec->n_coordinates; b++)
        for (int k = 0; k < (m->bodies[b].particle ? 1 : 1 + (int)spec->space); k++)
            w->record[w->n_record++].value = (dal_text){.text = dal_arena_print(arena, "%s.%s", spec->bodies[b].name.text, channels[k])};
    for (int b = 0; b < spec->n_bodies && !spec->n_coordinates && curved; b++) {
        w->record[w->n_record++].value = (dal_text){.text = dal_arena_print(arena, "%s.velocity", spec->bodies[b].name.text)};
        if (!m->bodies[b].particle)
            w->record[w->n_record++].value = (dal_text){.text = dal_arena_print(arena, "%s.omega", spec->bodies[b].name.text)};
    }
}

/* A recorded row, to the probe. */
static void place_state(walk *w, const double *values)
{
    dal_probe *p = &w->probe;
    const dal_layout *layout = p->layout;
    const int d = (int)layout->mechanism->space;
    dal_probe_time(p, values[0]);
    values++;
    if (layout->placement) {
        memcpy(p->work.q, values, sizeof *values * (size_t)layout->nq);
        if (layout->curved)
            memcpy(p->work.v, values + layout->nq, sizeof *values * (size_t)layout->nv);
        return;
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        double r[3] = {0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(r, values, sizeof *values * (size_t)d);
        values += d;
        for (int k = 0; k < d && !layout->mechanism->bodies[b].particle; k++, values += d)
            for (int i = 0; i < d; i++)
                R[3 * i + k] = values[i];
        layout->family->place(layout, &p->work, b, r, R);
    }
    for (int b = 0; b < layout->mechanism->n_bodies && layout->curved; b++) {
        double rd[3] = {0}, turn[3] = {0};
        const int n = layout->mechanism->bodies[b].particle ? 0 : d == 2 ? 1 : 3;
        memcpy(rd, values, sizeof *values * (size_t)d);
        memcpy(turn + 3 - (n ? n : 3), values + d, sizeof *values * (size_t)n);
        values += d + n;
        layout->family->move(layout, &p->work, b, rd, turn);
    }
}

static dal_status begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user;
    (void)info;
    (void)n;
    (void)columns;
    return DAL_OK;
}

static void compare_rows(walk *w, double t, int rank)
{
    dal_check_along *along = &w->checker->verdict->along;
    const size_t r = (size_t)w->probe.r;
    memset(w->mask, 0, r);
    dal_check_mask(&w->probe, w->probe.r - rank, noise, w->mask);
    if (along->instants > 0 && rank == w->rank_before && memcmp(w->mask, w->before, r)) {
        if (along->changes++ == 0)
            along->time_change = t;
    }
    memcpy(w->before, w->mask, r);
    w->rank_before = rank;
}

static dal_status receive_row(void *user, int n, const double *values)
{
    walk *w = user;
    dal_probe *p = &w->probe;
    dal_check_along *along = &w->checker->verdict->along;
    (void)n;
    if (along->instants >= w->capacity)
        return DAL_OK;
    place_state(w, values);
    if (!dal_probe_close(p, false)) { /* the run meets them to its own tolerance */
        place_state(w, values);
        dal_probe_rows(p);
    }
    for (int i = 0; i < p->layout->mechanism->n_measures; i++) /* the next turn is counted from here */
        if (p->layout->mechanism->measures[i].winding >= 0)
            p->work.winding[p->layout->mechanism->measures[i].winding] = p->work.value[i];
    int rank = dal_probe_rank(p, dal_system_method(p->system)->rank_tolerance, true);
    if (rank < 0)
        return DAL_OK;
    compare_rows(w, values[0], rank);
    dal_rows_free(p->layout, &p->work, w->beta);
    double conflict = dal_probe_conflict(p, p->r - rank, w->beta, 0);
    if (conflict > along->conflict) {
        along->conflict = conflict;
        along->time_conflict = values[0];
    }
    if (along->instants == 0 || rank < along->rank_least) {
        along->rank_least = rank;
        along->time_least = values[0];
    }
    along->rank_most = along->instants == 0 || rank > along->rank_most ? rank : along->rank_most;
    w->time[along->instants] = values[0];
    memcpy(w->sigma + (size_t)along->instants * (size_t)w->few, p->sigma, sizeof *p->sigma * (size_t)w->few);
    along->instants++;
    return DAL_OK;
}

/* sigma_k / sigma_1 with k the rank of almost every instant. */
static void find_nearest(walk *w)
{
    dal_check_along *along = &w->checker->verdict->along;
    const int k = along->rank_most;
    along->ratio_least = along->ratio_most = 1;
    for (int i = 0; i < along->instants && k > 0; i++) {
        const double *sigma = w->sigma + (size_t)i * (size_t)w->few;
        double ratio = sigma[k - 1] / sigma[0];
        if (i == 0 || ratio < along->ratio_least) {
            along->ratio_least = ratio;
            along->time_nearest = w->time[i];
        }
        along->ratio_most = i == 0 ? ratio : fmax(along->ratio_most, ratio);
    }
    along->near_singular = along->ratio_least < near_ratio * along->ratio_most;
}

static void warn_along(dal_checker *c)
{
    const dal_check_along *along = &c->verdict->along;
    if (along->rank_least < along->rank_most)
        dal_check_warn(c, DAL_CODE_SINGULAR_ALONG, along->time_least,
                       "along the motion the rank of the constraints falls from %d to %d, at t = %.6g s: a singular position is met",
                       along->rank_most, along->rank_least, along->time_least);
    else if (along->near_singular)
        dal_check_warn(c, DAL_CODE_SINGULAR_ALONG, along->time_nearest,
                       "the motion comes near a singular position at t = %.6g s: the smallest singular value of the constraints falls to "
                       "%.1e of the largest",
                       along->time_nearest, along->ratio_least);
    if (along->conflict > noise)
        dal_check_warn(c, DAL_CODE_CONTRADICTION, along->conflict,
                       "dependent rows ask for different velocities at t = %.6g s, by %.1e of the largest: drives contradict each other there",
                       along->time_conflict, along->conflict);
    if (along->changes)
        dal_check_warn(c, DAL_CODE_REDUNDANT_ALONG, along->time_change, "other rows become redundant along the motion, first at t = %.6g s",
                       along->time_change);
}

/* The spec of the run: it records the channels that the probe needs, at a limited number of instants. */
static dal_spec recorded(walk *w)
{
    dal_checker *c = w->checker;
    dal_spec spec = c->base;
    const dal_system_info info = dal_system_describe(c->system);
    const int most = dal_system_layout(c->system)->nv > LARGE ? INSTANTS / 8 : INSTANTS;
    spec.record = w->record;
    spec.n_record = w->n_record;
    spec.record_given = true;
    dal_spec_set(&spec, "every", dal_arena_print(&c->arena, "%.17g", fmax(info.every, info.until / most)), c->heard);
    return spec;
}

dal_status dal_check_run(dal_checker *c)
{
    dal_check_along *along = &c->verdict->along;
    walk w = {.checker = c, .capacity = INSTANTS + 4};
    name_columns(&w);
    dal_spec spec = recorded(&w);
    dal_messages_clear(c->heard);
    dal_state_free(c->state);
    dal_system_free(c->system);
    c->state = NULL;
    c->system = NULL;
    dal_status status = dal_compile(&c->arena.allocator, &spec, c->heard, &c->system);
    if (status != DAL_OK)
        return status;
    dal_probe_begin(&w.probe, &c->arena, c->system);
    w.few = w.probe.r < w.probe.m ? w.probe.r : w.probe.m;
    w.sigma = DAL_NEW(&c->arena, double, (size_t)w.capacity *(size_t)w.few);
    w.time = DAL_NEW(&c->arena, double, w.capacity);
    w.mask = DAL_NEW(&c->arena, bool, w.probe.r);
    w.before = DAL_NEW(&c->arena, bool, w.probe.r);
    w.beta = DAL_NEW(&c->arena, double, w.probe.r + dal_system_layout(c->system)->mechanism->n_speeds);
    const dal_sink sink = {&w, begin_rows, receive_row};
    const dal_run_options options = {
        .sink = &sink, .progress = c->options->progress, .progress_user = c->options->progress_user, .allocator = &c->arena.allocator};
    dal_evidence evidence = {0};
    along->done = true;
    along->time_change = NAN;
    dal_messages_clear(c->heard);
    along->status = dal_run(c->system, &options, c->heard, &evidence);
    along->time_end = evidence.time_end;
    for (const dal_message *m = dal_messages_first(c->heard); m; m = m->next)
        if (m->severity == DAL_ERROR && !along->reason) {
            along->reason = dal_arena_copy(&c->arena, m->text, strlen(m->text));
            c->along_lost = m->reason == DAL_REASON_ROUNDING;
        } else if (m->severity == DAL_WARNING)
            dal_check_hear(c, m);
    find_nearest(&w);
    warn_along(c);
    return along->status;
}
