/* A start that is an equilibrium: `simulate: {start: equilibrium}`. The model is compiled a second time, at rest and without friction, the equilibrium
 * of that system is found from the given start, and the draft starts there. Friction may hold the given start as it is. */
#include "compile/build.h"
#include "model/system.h"
#include "start/settle.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

/* Places of the bodies, coordinates and states of the model: at rest. An angle keeps as many turns as are nearest to the given one. */
static void keep_settled(dal_system *system, const dal_state *state)
{
    const dal_work *work = dal_seen_work(state);
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        dal_start *start = &system->start[b];
        const double *R = work->kin[b].R;
        memcpy(start->r, work->kin[b].r, sizeof start->r);
        memcpy(start->R, R, sizeof start->R);
        memset(start->rd, 0, sizeof start->rd);
        memset(start->w, 0, sizeof start->w);
        start->angle += remainder(atan2(R[3], R[0]) - start->angle, 2 * M_PI);
    }
    if (system->start_q) {
        memcpy(system->start_q, work->q, sizeof *work->q * (size_t)system->layout.nq);
        memset(system->start_v, 0, sizeof *work->v * (size_t)system->layout.nv);
    }
    memcpy(system->start_winding, work->winding, sizeof *work->winding * (size_t)system->mechanism.n_windings);
    memcpy(system->states, dal_own_states_of((dal_state *)state), sizeof *system->states * (size_t)system->n_states);
}

dal_spec dal_spec_without_friction(dal_arena *arena, const dal_spec *spec)
{
    dal_spec smooth = *spec;
    smooth.joints = DAL_NEW(arena, dal_joint_spec, spec->n_joints + 1);
    for (int i = 0; i < spec->n_joints; i++) {
        smooth.joints[i] = spec->joints[i];
        smooth.joints[i].friction = (dal_friction_spec){0};
    }
    return smooth;
}

/* The model whose equilibrium is the start: recording nothing, in coordinates of its bodies, so that from one start every family comes to one
 * equilibrium where there are several. What was derived is among its constraints. */
static dal_spec standing_spec(dal_build *build, const dal_system *system, bool rubs)
{
    dal_spec spec = rubs ? *build->spec : dal_spec_without_friction(build->arena, build->spec);
    spec.simulate.start = (dal_text){0};
    spec.simulate.undetermined = (dal_undetermined_spec){0};
    spec.simulate.stabilization = spec.simulate.integrator = (dal_choice){0};
    spec.simulate.formulation = (dal_choice){.name = {.text = "lagrange", .mark = dal_nowhere}};
    if (!system->layout.placement && !system->layout.systems)
        spec.simulate.coordinates = (dal_choice){.name = {.text = "angle", .mark = dal_nowhere}};
    spec.simulate.compile = false;
    spec.record_given = true;
    spec.motion = spec.shown = false;
    spec.n_record = 0;
    return spec;
}

/* Near the given start without friction, or at the given start if friction holds it there. Warnings about the given start do not belong to the run. */
static dal_status settle_elsewhere(dal_build *build, dal_system *system, bool rubs, dal_messages *heard)
{
    const dal_spec spec = standing_spec(build, system, rubs);
    const dal_allocator *allocator = &build->arena->allocator;
    dal_system *standing = NULL;
    dal_state *state = NULL;
    dal_status status = dal_compile(allocator, &spec, heard, &standing);
    if (status == DAL_OK && !(state = dal_state_create(allocator, standing)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK && !rubs)
        status = dal_state_settle(build->arena, state, NULL, heard);
    else if (status == DAL_OK)
        status = dal_state_stays(build->arena, state) ? DAL_OK : DAL_BAD_MODEL;
    if (status == DAL_OK) {
        keep_settled(system, state);
        system->layout.units.time = system->info.time = standing->info.time;
    }
    dal_state_free(state);
    dal_system_free(standing);
    return status;
}

bool dal_build_settled(dal_build *build, dal_system *draft)
{
    dal_messages *heard = dal_messages_create(&build->arena->allocator);
    dal_status status = heard ? settle_elsewhere(build, draft, false, heard) : DAL_NO_MEMORY;
    if (status != DAL_OK && status != DAL_NO_MEMORY && draft->acting.n_frictions) {
        dal_messages *unheard = dal_messages_create(&build->arena->allocator);
        status = unheard ? settle_elsewhere(build, draft, true, unheard) : DAL_NO_MEMORY;
        dal_messages_free(unheard);
        if (status != DAL_OK && status != DAL_NO_MEMORY)
            dal_say_friction_omitted(draft, heard);
    }
    for (const dal_message *m = heard ? dal_messages_first(heard) : NULL; m && status != DAL_OK; m = m->next)
        if (m->severity != DAL_WARNING)
            dal_say(build->messages, m->severity, m->mark.line ? m->mark : build->spec->simulate.start.mark, "%s", m->text);
    dal_messages_free(heard);
    if (status == DAL_NO_MEMORY)
        longjmp(*build->arena->guard, 1);
    draft->info.start_settled = status == DAL_OK;
    if (status == DAL_OK)
        dal_say_sampled(draft, build->messages);
    if (status == DAL_OK && dal_system_ages(draft, true))
        dal_say(build->messages, DAL_NOTE, build->spec->simulate.start.mark,
                "the start is the equilibrium of t = 0: forces or constraints of the model change with time");
    return status == DAL_OK;
}
