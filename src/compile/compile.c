/* From a spec to a system. `dal_build_system`, at the end, takes the steps in this order; a step that fails has given its reason as a message.
 *
 *     describe            the spec → bodies, joints, forces, constraints, states, records, choices     bodies.c, joints.c, forces.c, ...
 *     assemble            start values that satisfy the constraints                                    start/assemble.c, coordinate_start.c
 *     build_programs      lists of expressions → programs                                              programs.c
 *     dal_layout_system   coordinates, tree, units, states, solvers                                    system_layout.c
 *     let_graph_go        the graph is freed
 *     dal_build_settled   `start: equilibrium`: the draft starts there                                 settled_start.c
 *     dal_draft_check     do the choices go with the layout? Rank and speeds where the size needs them  draft.c
 *     pack                the draft → one block: the system                                            pack.c
 *     evaluate_start      on the system: its rank, and the first evaluation                            first_evaluation.c
 *
 * Until it is packed, the system is a draft in the arena of the build. The calls of users are in compile_calls.c.
 */
#include "compile/build.h"
#include "compile/memory.h"
#include "compile/missing.h"
#include "compile/scene.h"
#include "math/sparse.h"
#include "model/system.h"
#include "state/scale.h"

#include <string.h>

/* ---- the description ------------------------------------------------------------------------- */

static void describe(dal_build *build, dal_system *draft)
{
    dal_symbols_fill(build);
    dal_build_tables(build);
    dal_build_coordinates(build);
    dal_build_names(build);
    dal_build_bodies(build);
    if (!build->spec->n_bodies && !build->spec->n_systems)
        dal_error(build->messages, build->spec->space_mark, "the model has no bodies: describe at least one in `bodies:`");
    dal_check_figures(build);
    dal_build_placement(build);
    if (!build->spec->n_coordinates)
        dal_build_place(build);
    dal_build_joints(build);
    dal_build_inertias(build);
    dal_build_forces(build);
    dal_build_constraints(build, draft);
    for (int i = 0; i < build->spec->n_joints; i++)
        if (build->mechanism.joints[i].type)
            dal_build_laws(build, i, &build->spec->joints[i].law);
    dal_build_friction_limits(build);
    for (int i = 0; i < build->spec->n_constraints; i++)
        dal_build_laws(build, build->spec->n_joints + i, &build->spec->constraints[i].law);
    dal_build_systems(build);
    dal_build_states(build, draft);
    dal_mechanism_settle(&build->mechanism);
    dal_build_records(build);
    dal_choose_family(build, draft);
    dal_choose_method(build, draft);
    dal_choose_times(build, draft);
}

/* False: faults; or another structure than that of the memory, and the model is compiled again without it. */
static bool description_fits(dal_build *build)
{
    if (dal_messages_count(build->messages, DAL_ERROR))
        return false;
    dal_remember_description(build);
    return !build->memory || dal_cache_fits(build);
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* Equations of joint types that say nothing, or nothing where they hold, explain a mechanism that does not close. */
static void explain_open_start(dal_build *build)
{
    if (dal_build_written_identities(build, NULL) && dal_build_slopes(build, NULL))
        dal_build_written_ranks(build, NULL);
}

static bool assemble(dal_build *build, dal_system *draft)
{
    dal_build_program(build, &build->drives, &draft->drives);
    draft->start_winding = DAL_NEW(build->arena, double, build->mechanism.n_windings);
    dal_build_length(build);
    const bool closed = (build->parts.placement ? dal_start_coordinates : dal_build_assemble)(build, &draft->drives, draft->start_winding);
    dal_sparse_free(build->sparse);
    build->sparse = NULL;
    dal_arena_release(&build->start_arena);
    if (!closed) {
        explain_open_start(build);
        return false;
    }
    if (!dal_build_written_identities(build, draft->start_winding) || (!build->anyway && !dal_build_slopes(build, draft->start_winding)))
        return false;
    dal_build_written_ranks(build, draft->start_winding);
    return true;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void build_programs(dal_build *build, dal_system *draft)
{
    dal_build_program(build, &build->actions, &draft->actions);
    dal_build_program(build, &build->records, &draft->records);
    dal_build_program(build, &build->samples, &draft->samples);
}

/* All programs are built, with those of joints, which the layout makes. */
static void let_graph_go(dal_build *build)
{
    if (build->record) {
        build->record->graph = build->graph;
        build->record->graph_arena = build->graph_arena;
        build->graph_arena.chunks = NULL;
    }
    dal_arena_release(&build->graph_arena);
    build->graph = NULL;
}

/* ---- the system ------------------------------------------------------------------------------ */

/* Systems of one memory that share the layout have the same size, except for programs of their own. */
static void pack(dal_build *build, const dal_system *draft)
{
    const bool alike = build->memory && draft->layout.shared;
    size_t bytes;
    build->packed = dal_pack_system(build->arena, &build->allocator, draft, alike ? dal_cached_size(build) : 0, &bytes);
    if (alike)
        dal_keep_size(build, bytes);
}

static bool starts_in_equilibrium(const dal_build *build)
{
    const char *start = build->spec->simulate.start.text;
    return start && !strcmp(start, "equilibrium") && !build->anyway;
}

static bool evaluate_start(dal_build *build)
{
    dal_system *system = build->packed;
    build->first = dal_state_create(&build->arena->allocator, system);
    if (!build->first)
        longjmp(*build->arena->guard, 1);
    if (!dal_build_first(build, system, build->first))
        return false;
    dal_remember_rows(build, build->first);
    if (!system->info.start_settled) {
        system->start_rate = dal_start_rate(build->first);
        system->layout.units.time = system->info.time = dal_system_time(system);
    }
    dal_state_scales(build->first, system->state_scale);
    system->info.rank = system->rank;
    system->info.freedoms = system->info.velocities - system->rank;
    if (build->derivation)
        dal_build_derive(build, build->first);
    return true;
}

/* ---- the steps ------------------------------------------------------------------------------- */

dal_status dal_build_system(dal_build *build, dal_system *draft)
{
    describe(build, draft);
    if (!description_fits(build) || !assemble(build, draft))
        return DAL_BAD_MODEL;
    build_programs(build, draft);
    dal_layout_system(build, draft);
    if (!build->derivation)
        let_graph_go(build);
    if (starts_in_equilibrium(build) && !dal_build_settled(build, draft))
        return DAL_BAD_MODEL;
    if (!dal_draft_check(build, draft))
        return DAL_BAD_MODEL;
    pack(build, draft);
    return evaluate_start(build) ? DAL_OK : DAL_BAD_MODEL;
}
