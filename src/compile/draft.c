/* A draft: the system in the arena of the build, laid out and not yet packed. This file finds what must be known before it is packed.
 *
 *     choices     do the formulation, the stabilization, dry friction and `eta` go with the layout?
 *     n_w         formulations with speeds have nv - rank of them or more: their state cannot be sized before the rank is known
 *     info        what a user is shown
 *
 * The rank is found on a temporary system: the same draft, packed with the formulation lagrange, or with its own one if the
 * layout has no columns.
 */
#include "compile/build.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/speeds.h"
#include "model/coordinate_names.h"
#include "model/system.h"
#include "state/state_parts.h"

#include <string.h>

static const char *list_ignorable(const dal_build *build, const dal_system *system)
{
    const char *text = "";
    char name[100];
    for (int i = 0; i < system->layout.n_ignorable; i++) {
        dal_velocity_name(system, system->layout.ignorable[i], name, sizeof name);
        size_t n = strlen(name);
        name[n && name[n - 1] == '\'' ? n - 1 : n] = '\0'; /* the coordinate, not its rate */
        text = dal_arena_print(build->arena, "%s%s%s", text, i ? ", " : "", name);
    }
    return text;
}

static void fill_info(const dal_build *build, dal_system *system)
{
    dal_system_info *info = &system->info;
    info->model = build->spec->name.text ? build->spec->name.text : build->spec->file ? build->spec->file : "";
    info->model_hash = build->spec->hash;
    info->version = dal_version();
    info->space = build->spec->space;
    info->coordinates = system->layout.family->name;
    info->formulation = system->method.formulation->name;
    info->stabilization = system->method.stabilization->name;
    info->integrator = system->method.integrator->name;
    info->bodies = system->mechanism.n_bodies;
    info->joints = build->spec->n_joints;
    info->coordinates_count = system->layout.nq;
    info->velocities = system->layout.nv;
    info->constraints = system->layout.n_rows;
    info->equations = system->n_w;
    info->multipliers = system->method.formulation->multiplies ? system->layout.n_rows : 0;
    info->states = system->n_y;
    info->length = system->layout.units.length;
    info->mass = system->layout.units.mass;
    info->ignorable = system->layout.n_ignorable;
    info->ignorable_names = list_ignorable(build, system);
}

/* Rank, ignorable coordinates and speeds at the start, on a temporary system. */
static bool find_rank_and_speeds(dal_build *build, dal_system *draft)
{
    const dal_formulation *wanted = draft->method.formulation;
    const int nv = draft->layout.nv;
    if (!draft->layout.columnless) /* solved by recursion: no speeds, and less memory than any other */
        draft->method.formulation = &dal_lagrange;
    fill_info(build, draft);
    size_t bytes;
    build->packed = dal_pack_system(build->arena, &build->allocator, draft, 0, &bytes);
    build->first = dal_state_create(&build->arena->allocator, build->packed);
    if (!build->first)
        longjmp(*build->arena->guard, 1);
    dal_state *state = build->first;
    const dal_speed_choice *speeds = dal_speeds_of(state);
    const dal_rank *rank = dal_rank_of(state);
    bool fits = dal_build_rank(build, build->packed, state);
    if (fits) {
        draft->rank = rank->n;
        memcpy(draft->start_order, rank->order, sizeof *rank->order * (size_t)draft->layout.n_rows);
        draft->layout.ignorable = DAL_NEW(build->arena, int, nv);
        draft->layout.n_ignorable = dal_find_ignorable(state, draft->layout.ignorable);
        draft->start_speeds = DAL_NEW(build->arena, int, nv);
        if (wanted->chooses) {
            dal_state_unpack(state, 0, dal_state_y(state));
            dal_state_position(state);
            dal_state_jacobian(state);
            dal_speeds_choose(state);
            memcpy(draft->start_speeds, speeds->column, sizeof *speeds->column * (size_t)(nv - draft->rank));
        }
    }
    dal_state_free(build->first);
    dal_system_free(build->packed);
    build->first = NULL;
    build->packed = NULL;
    draft->method.formulation = wanted;
    draft->n_w = wanted->speeds ? wanted->speeds(draft) : nv;
    dal_count_states(draft);
    return fits;
}

/* Dry friction follows reactions by the derivatives of rows, which are not linear in the rates here. */
static bool refuse_curved_friction(dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    for (int i = 0; i < m->n_rows && build->n_frictions; i++)
        if (m->rows[i].curved) {
            dal_error(build->messages, m->joints[m->rows[i].joint].mark,
                      "constraint '%s' is not linear in the rates, and the model has dry friction: they do not go together",
                      m->joints[m->rows[i].joint].name);
            return true;
        }
    return false;
}

/* "x', y'" */
static const char *list_velocities(const dal_build *build, const dal_system *system)
{
    enum { MOST = 12 };
    const char *text = "";
    char name[100];
    for (int k = 0; k < system->layout.nv && k < MOST; k++) {
        dal_velocity_name(system, k, name, sizeof name);
        text = dal_arena_print(build->arena, "%s%s%s", text, k ? ", " : "", name);
    }
    return system->layout.nv > MOST ? dal_arena_print(build->arena, "%s, ...", text) : text;
}

static bool eta_fits(const dal_build *build, const dal_system *system)
{
    if (!system->method.n_eta || system->method.n_eta == system->layout.nv)
        return true;
    dal_error(build->messages, build->spec->simulate.undetermined.eta.mark,
              "`eta` needs one expression for each velocity, %d in the family %s, for %s; %d given", system->layout.nv, system->layout.family->name,
              list_velocities(build, system), system->method.n_eta);
    return false;
}

/* Formulations and stabilizations that do not go with every layout say so. */
static bool method_applies(const dal_build *build, const dal_system *draft)
{
    dal_refusal why;
    if (draft->method.formulation->applies && !draft->method.formulation->applies(draft, &why)) {
        const bool speeds = build->spec->n_speeds && why.reason == DAL_REASON_SPEEDS;
        dal_error(build->messages, speeds ? build->spec->speeds[0].name.mark : build->spec->simulate.formulation.name.mark, "%s", why.text);
        return false;
    }
    if (draft->method.stabilization->applies && !draft->method.stabilization->applies(draft, &why)) {
        dal_error(build->messages, build->spec->simulate.stabilization.name.mark, "%s", why.text);
        return false;
    }
    return true;
}

/* Has the draft to know its rank, its ignorable coordinates or its speeds before it is packed? */
static bool needs_rank(const dal_system *draft)
{
    const dal_formulation *formulation = draft->method.formulation;
    return formulation->chooses || formulation->unpack || formulation->ignores || (draft->layout.family->shares && !draft->layout.reduction);
}

bool dal_draft_check(dal_build *build, dal_system *draft)
{
    if (refuse_curved_friction(build) || !eta_fits(build, draft))
        return false;
    if (needs_rank(draft) && !find_rank_and_speeds(build, draft))
        return false;
    fill_info(build, draft);
    return method_applies(build, draft);
}
