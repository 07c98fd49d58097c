/* From a spec to a system: names, bodies, joints, forces, programs, assembly, layout. Everything is then packed into one block, on which
 * the rank is found and the first evaluation made (first_evaluation.c). The function `dal_build_system` has the order.
 */
#include "base/argument.h"
#include "kinematics/placement.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "compile/missing.h"
#include "compile/memory.h"
#include "compile/owners.h"
#include "model/coordinate_names.h"
#include "model/system.h"
#include "spec/sound.h"
#include "compile/scene.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle_order.h"
#include "dynamics/speeds.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the orchestrator ----------------------------------------------------------------------- */

static void compile_description(dal_build *build, dal_system *system)
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
    dal_build_constraints(build, system);
    for (int i = 0; i < build->spec->n_joints; i++)
        if (build->mechanism.joints[i].type)
            dal_build_laws(build, i, &build->spec->joints[i].law);
    dal_build_friction_limits(build);
    for (int i = 0; i < build->spec->n_constraints; i++)
        dal_build_laws(build, build->spec->n_joints + i, &build->spec->constraints[i].law);
    dal_build_systems(build);
    dal_build_states(build, system);
    dal_mechanism_settle(&build->mechanism);
    dal_build_records(build);
    dal_choose_family(build, system);
    dal_choose_method(build, system);
    dal_choose_times(build, system);
}

/* All programs are built. */
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

/* Systems of one memory that share the layout are of one size, but for what programs of their own take. */
static void pack(dal_build *build, const dal_system *draft)
{
    const bool alike = build->memory && draft->layout.shared;
    size_t bytes;
    build->packed = dal_pack_system(build->arena, &build->allocator, draft, alike ? dal_cached_size(build) : 0, &bytes);
    if (alike)
        dal_keep_size(build, bytes);
}

dal_status dal_build_system(dal_build *build, dal_system *draft)
{
    compile_description(build, draft);
    if (dal_messages_count(build->messages, DAL_ERROR))
        return DAL_BAD_MODEL;
    dal_remember_description(build);
    if (build->memory && !dal_cache_fits(build))
        return DAL_BAD_MODEL; /* it is compiled without memory */
    dal_build_program(build, &build->drives, &draft->drives);
    draft->start_winding = DAL_NEW(build->arena, double, build->mechanism.n_windings);
    dal_build_length(build);
    const bool closed = (build->parts.placement ? dal_start_coordinates : dal_build_assemble)(build, &draft->drives, draft->start_winding);
    dal_sparse_free(build->sparse);
    build->sparse = NULL;
    dal_arena_release(&build->start_arena);
    if (!closed) {
        if (dal_build_written_identities(build, NULL) && dal_build_slopes(build, NULL))
            dal_build_written_ranks(build, NULL);
        return DAL_BAD_MODEL;
    }
    if (!dal_build_written_identities(build, draft->start_winding) || (!build->anyway && !dal_build_slopes(build, draft->start_winding)))
        return DAL_BAD_MODEL;
    dal_build_written_ranks(build, draft->start_winding);
    dal_build_program(build, &build->actions, &draft->actions);
    dal_build_program(build, &build->records, &draft->records);
    dal_build_program(build, &build->samples, &draft->samples);
    dal_layout_system(build, draft);
    if (!build->derivation)
        let_graph_go(build);
    if (dal_draft_refuse_curved_friction(build) || !dal_draft_eta_fits(build, draft))
        return DAL_BAD_MODEL;
    if ((draft->method.formulation->chooses || draft->method.formulation->unpack || draft->method.formulation->ignores ||
         (draft->layout.family->shares && !draft->layout.reduction)) &&
        !dal_draft_prepare(build, draft))
        return DAL_BAD_MODEL;
    dal_draft_info(build, draft);
    dal_refusal why;
    if (draft->method.formulation->applies && !draft->method.formulation->applies(draft, &why)) {
        const bool speeds = build->spec->n_speeds && why.reason == DAL_REASON_SPEEDS;
        dal_error(build->messages, speeds ? build->spec->speeds[0].name.mark : build->spec->simulate.formulation.name.mark, "%s", why.text);
        return DAL_BAD_MODEL;
    }
    if (draft->method.stabilization->applies && !draft->method.stabilization->applies(draft, &why)) {
        dal_error(build->messages, build->spec->simulate.stabilization.name.mark, "%s", why.text);
        return DAL_BAD_MODEL;
    }
    pack(build, draft);
    build->first = dal_state_create(&build->arena->allocator, build->packed);
    if (!build->first)
        longjmp(*build->arena->guard, 1);
    const bool settles = build->spec->simulate.start.text && !strcmp(build->spec->simulate.start.text, "equilibrium") && !build->anyway;
    if (!(settles ? dal_build_settled : dal_build_first)(build, build->packed, build->first))
        return DAL_BAD_MODEL;
    dal_remember_rows(build, build->first);
    if (!settles)
        build->packed->layout.units.time = build->packed->info.time = dal_system_time(build->first);
    dal_state_scales(build->first, build->packed->state_scale);
    dal_system_info *info = &build->packed->info;
    info->rank = build->packed->rank;
    info->freedoms = info->velocities - info->rank;
    if (build->derivation)
        dal_build_derive(build, build->first);
    return DAL_OK;
}
