/* A verdict on a model: compile it (if that is refused, as much of it as possible), then check one question in each file:
 *   check_start.c       what assembly changed, and what it could not close
 *   check_singular.c    rank at the start and nearby
 *   check_redundancy.c  which rows depend on which, and whether they agree
 *   check_inertia.c     rank [M; A]: are the accelerations unique (Result 3 of `udwadia-phohomsiri`)?
 *   check_scale.c, check_frequency.c   what makes it hard to integrate
 *   check_along.c       the same along the motion
 */
#include "model/system_parts.h"
#include "spec/sound.h"
#include "check/checker.h"
#include "base/argument.h"
#include "compile/missing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void discard_system(dal_checker *c)
{
    dal_state_free(c->state);
    dal_system_free(c->system);
    dal_system_free(c->other);
    c->state = NULL;
    c->system = c->other = NULL;
}

/* The first error is the reason why the model cannot be simulated. */
static void hear_error(dal_checker *c)
{
    dal_verdict *v = c->verdict;
    for (const dal_message *m = dal_messages_first(c->heard); m && !v->reason; m = m->next)
        if (m->severity == DAL_ERROR) {
            v->reason = dal_arena_copy(&c->arena, m->text, strlen(m->text));
            v->lost_in_rounding = m->reason == DAL_REASON_ROUNDING;
            c->open = m->reason == DAL_REASON_OPEN;
        }
}

/* Messages of compile other than errors: its warnings become warnings of the verdict, and the notes of the assembly describe the start. */
static void hear_messages(dal_checker *c)
{
    dal_verdict *v = c->verdict;
    const char **moved = DAL_NEW(&c->arena, const char *, dal_messages_count(c->heard, DAL_NOTE));
    for (const dal_message *m = dal_messages_first(c->heard); m; m = m->next) {
        if (m->severity == DAL_WARNING)
            dal_check_hear(c, m);
        else if (m->severity == DAL_NOTE && m->reason == DAL_REASON_ASSEMBLY)
            moved[v->n_moved++] = dal_arena_copy(&c->arena, m->text, strlen(m->text));
        else if (m->reason == DAL_REASON_UNDECIDED)
            v->undecided = dal_arena_copy(&c->arena, m->text, strlen(m->text));
    }
    v->moved = moved;
}

static void keep_info(dal_checker *c)
{
    dal_system_info *info = &c->verdict->info;
    *info = dal_system_describe(c->system);
    info->rank = dal_system_rank(c->system);
    info->freedoms = info->velocities - info->rank;
    info->model = dal_arena_copy(&c->arena, info->model, strlen(info->model));
    info->model_hash = dal_arena_copy(&c->arena, info->model_hash, strlen(info->model_hash));
    info->ignorable_names = dal_arena_copy(&c->arena, info->ignorable_names, strlen(info->ignorable_names));
}

/* Joint types of the model's own: the findings of joint_rank.c about each. */
static void keep_written(dal_checker *c)
{
    const dal_mechanism *m = dal_system_layout(c->system)->mechanism;
    dal_check_written *list = DAL_NEW(&c->arena, dal_check_written, m->n_joints);
    for (int j = 0; j < m->n_joints; j++) {
        const dal_joint *joint = &m->joints[j];
        if (joint->type && joint->type->written)
            list[c->verdict->n_written++] = (dal_check_written){.joint = dal_arena_copy(&c->arena, joint->name, strlen(joint->name)),
                                                                .type = dal_arena_copy(&c->arena, joint->type->name, strlen(joint->type->name)),
                                                                .equations = joint->equations,
                                                                .rows = joint->n_rows - (joint->drive >= 0),
                                                                .removed = joint->removed,
                                                                .removed_near = joint->removed_near};
    }
    c->verdict->written = list;
}

/* ---- compile ---------------------------------------------------------------------- */

/* Compiles a refused model again, without checking whether it closes, whether its accelerations are determined and whether its formulation
 * applies. Coordinates of joints cannot show that these questions are open. */
static dal_status compile_anyway(dal_checker *c)
{
    dal_spec spec = c->base;
    const bool open = c->open && !spec.n_coordinates;
    dal_messages_clear(c->heard);
    if (!dal_spec_set(&spec, "formulation", dal_formulations[0]->name, c->heard) ||
        (open && !dal_spec_set(&spec, "coordinates", dal_families[0]->name, c->heard)))
        return DAL_BAD_MODEL;
    return dal_compile_anyway(&c->arena.allocator, &spec, c->heard, &c->system);
}

static dal_status compile_model(dal_checker *c)
{
    dal_verdict *v = c->verdict;
    dal_status status = dal_compile_thoroughly(&c->arena.allocator, &c->base, c->heard, &c->system);
    dal_pass_all(c->messages, c->heard);
    hear_messages(c);
    v->status = status;
    hear_error(c);
    if (status == DAL_BAD_MODEL)
        status = compile_anyway(c) == DAL_NO_MEMORY ? DAL_NO_MEMORY : status;
    if (status == DAL_NO_MEMORY)
        return status;
    if (c->system) {
        c->state = dal_state_create(&c->arena.allocator, c->system);
        if (!c->state)
            return DAL_NO_MEMORY;
        keep_info(c);
        keep_written(c);
    }
    return DAL_OK;
}

/* ---- the questions -------------------------------------------------------------------- */

/* The formulation that needs neither M nor columns. */
static const char *recursive_name(void)
{
    int i = 0;
    while (dal_formulations[i + 1] && !dal_formulations[i]->recursive)
        i++;
    return dal_formulations[i]->name;
}

/* The model in coordinates of the joints. */
static dal_status compile_other(dal_checker *c, const char *formulation)
{
    dal_spec spec = c->base;
    dal_messages_clear(c->heard);
    if (!dal_spec_set(&spec, "coordinates", dal_family_joint.name, c->heard) || !dal_spec_set(&spec, "formulation", formulation, c->heard))
        return DAL_BAD_MODEL;
    return dal_compile(&c->arena.allocator, &spec, c->heard, &c->other);
}

/* In the model's family, or in the family in which each joint has its own coordinate: by recursion, which is cheap for a large tree, or with M if
 * recursion does not apply. */
static dal_status find_ignorable(dal_checker *c)
{
    dal_verdict *v = c->verdict;
    v->ignorable = v->info.ignorable_names;
    v->ignorable_family = v->info.coordinates;
    if (*v->ignorable || dal_system_layout(c->system)->tree || dal_system_layout(c->system)->placement)
        return DAL_OK;
    dal_status status = compile_other(c, recursive_name());
    if (status == DAL_BAD_MODEL)
        status = compile_other(c, dal_formulations[0]->name);
    const char *names = status == DAL_OK ? dal_system_describe(c->other).ignorable_names : "";
    if (*names) {
        v->ignorable = dal_arena_copy(&c->arena, names, strlen(names));
        v->ignorable_family = dal_family_joint.name;
    }
    return status == DAL_NO_MEMORY ? status : DAL_OK;
}

static void report_undetermined(dal_checker *c)
{
    const dal_verdict *v = c->verdict;
    for (int i = 0; i < v->n_loose && v->status == DAL_OK; i++)
        dal_check_warn(c, DAL_CODE_UNDETERMINED, v->loose[i].freedoms, "the accelerations are not unique: rank [M; A] is %d of %d, because %s; %s",
                       v->rank_stacked, v->velocities, v->loose[i].motion, v->loose[i].remedy);
}

static const char *keep_text(dal_checker *c, const char *text)
{
    return text ? dal_arena_copy(&c->arena, text, strlen(text)) : NULL;
}

/* Conclusions from missing inertia about the forces: a missing constraint, or one that the model derives already. */
static dal_status offer_derived(dal_checker *c)
{
    dal_verdict *v = c->verdict;
    dal_derivation d;
    if (v->determined && !dal_spec_derives(&c->base))
        return DAL_OK;
    const dal_status status = dal_derive(&c->arena.allocator, &c->base, &d);
    if (status == DAL_OK) {
        dal_check_derived *list = DAL_NEW(&c->arena, dal_check_derived, d.n);
        for (int i = 0; i < d.n; i++)
            list[v->n_derived++] = (dal_check_derived){.name = keep_text(c, d.condition[i].name),
                                                       .equation = keep_text(c, d.condition[i].equation),
                                                       .line = dal_condition_line(&c->arena, &d.condition[i])};
        v->derived = list;
        v->not_derived = keep_text(c, d.verdict);
    }
    dal_derivation_release(&d);
    return status;
}

static dal_status check_everything(dal_checker *c)
{
    const dal_layout *layout = dal_system_layout(c->system);
    dal_verdict *v = c->verdict;
    dal_probe probe;
    dal_state_unpack(c->state, 0, dal_state_y(c->state));
    dal_state_position(c->state);
    dal_state_jacobian(c->state);
    dal_state_velocity(c->state);
    if (layout->nv > DAL_CHECK_LARGEST) {
        dal_check_warn(c, DAL_CODE_TOO_LARGE, layout->nv, "the model has %d velocities: ranks are computed up to %d only", layout->nv,
                       DAL_CHECK_LARGEST);
    } else {
        dal_probe_begin(&probe, &c->arena, c->system);
        dal_check_count(c, &probe);
        v->known = v->rank >= 0;
    }
    if (v->known) {
        dal_check_start(c, &probe);
        dal_check_inertia(c, &probe);
        report_undetermined(c);
        if (offer_derived(c) == DAL_NO_MEMORY)
            return DAL_NO_MEMORY;
        if (!v->contradictory)
            dal_check_singular(c, &probe);
        dal_check_redundancy(c, &probe);
    }
    dal_check_scale(c);
    if (v->status != DAL_OK)
        return v->status;
    dal_status status = find_ignorable(c);
    if (status != DAL_OK)
        return status;
    dal_check_frequency(c);
    return c->options->along ? dal_check_run(c) : DAL_OK;
}

static dal_status check_model(dal_checker *c)
{
    dal_status status = compile_model(c);
    if (status != DAL_OK)
        return status;
    if (!c->system)
        return c->verdict->status;
    status = check_everything(c);
    if (status == DAL_NUMERICAL) {
        c->verdict->status = status;
        c->verdict->reason = c->verdict->along.reason;
        c->verdict->lost_in_rounding = c->along_lost;
        dal_pass_all(c->messages, c->heard);
    }
    return status;
}

/* Values that are known before the model is compiled. */
static void begin_verdict(dal_checker *c)
{
    const dal_spec *spec = c->spec;
    dal_verdict *v = c->verdict;
    const char *name = spec->name.text ? spec->name.text : spec->file ? spec->file : "";
    v->info = (dal_system_info){.model = dal_arena_copy(&c->arena, name, strlen(name)),
                                .model_hash = dal_arena_copy(&c->arena, spec->hash, strlen(spec->hash)),
                                .version = dal_version(),
                                .space = spec->space,
                                .bodies = spec->n_bodies,
                                .joints = spec->n_joints,
                                .ignorable_names = ""};
    v->singular_joints = v->ignorable = v->ignorable_family = v->lightest = v->heaviest = "";
    v->mass_ratio = v->inertia_ratio = v->length_ratio = v->fastest = v->fastest_real = v->fastest_imaginary = v->step_limit = NAN;
    v->consistent = v->determined = true;
    c->base = *spec;
    c->base.memory = &c->arena; /* values are set in a copy: the caller's spec does not change */
}

static dal_status begin_and_check(void *user)
{
    dal_checker *c = user;
    c->verdict = DAL_NEW(&c->arena, dal_verdict, 1);
    begin_verdict(c);
    return check_model(c);
}

dal_status dal_check(const dal_spec *spec, const dal_check_options *options, dal_messages *messages, dal_verdict **verdict)
{
    static const dal_check_options defaults = {0};
    dal_checker c = {.spec = spec, .options = options ? options : &defaults, .messages = messages};
    if (verdict)
        *verdict = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, verdict) || !DAL_NEEDS_ALLOCATOR(messages, c.options->allocator) ||
        !dal_spec_sound(spec, messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&c.arena, c.options->allocator);
    c.heard = dal_messages_create(&c.arena.allocator);
    dal_status status = c.heard ? dal_arena_try(&c.arena, begin_and_check, &c) : DAL_NO_MEMORY;
    discard_system(&c);
    dal_messages_free(c.heard);
    bool whole = c.verdict && (status == DAL_OK || status == DAL_BAD_MODEL || status == DAL_NUMERICAL);
    return dal_arena_deliver(&c.arena, whole, status, c.verdict, offsetof(dal_verdict, memory), verdict);
}

void dal_verdict_free(dal_verdict *verdict)
{
    if (verdict)
        dal_arena_dispose(verdict->memory);
}
