/* The first evaluation: are the rows numbers, is their rank known, are the accelerations determined and finite at the start? */
#include "compile/build.h"
#include "compile/memory.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/singular.h"
#include "kinematics/tree.h"
#include "math/finite.h"
#include "math/rank.h"
#include "model/system.h"
#include "state/directions.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double lost = 1e-6; /* gap of a row, in its unit, that no assembly leaves */
static const double coarse = 1e-6,
                    useless = 1e-2; /* rounding of a place or an angle, in lengths or rad: above the first a warning, above the second an error */

/* "k1*x1 = k2*q2, k2*q2 = 0" */
static const char *list_derived(const dal_build *build)
{
    const char *text = "";
    for (int i = 0; i < build->spec->n_constraints; i++)
        if (build->spec->constraints[i].derived)
            text = dal_arena_print(build->arena, "%s%s%.200s", text, *text ? ", " : "", build->spec->constraints[i].derived);
    return text;
}

/* True if rank [M; A] = m after all, or if the model takes the least accelerations where it is not. */
static bool is_determined(dal_build *build, dal_system *system, const dal_state *state, double tolerance)
{
    const dal_layout *layout = dal_layout_of(state);
    dal_determined found;
    if (dal_state_determined(build->arena, state, tolerance, &found))
        return true;
    if (found.rank < 0 && layout->nv <= DAL_LARGEST_DETERMINED) {
        dal_error(build->messages, dal_nowhere,
                  "at the start the inertia or the constraints are not finite numbers: a mass is too large, or a place has an infinite derivative "
                  "by a coordinate");
        return false;
    }
    const dal_mark mark = found.rank < 0      ? dal_nowhere
                          : layout->placement ? build->spec->coordinates[found.first].name.mark
                                              : build->mechanism.bodies[found.body].mark;
    const double lacking = found.rank < 0 ? (double)NAN : layout->nv - found.rank;
    if (found.rank >= 0 && system->method.minimum_norm)
        dal_warn(build->messages, mark, DAL_CODE_UNDETERMINED, lacking,
                 "the accelerations of %s are not determined: rank [M; A] is %d of %d; of those that satisfy the equations %s are taken", found.names,
                 found.rank, layout->nv, system->method.n_eta ? "the ones nearest to eta" : "the least ones");
    else if (build->undetermined)
        dal_warn(build->messages, mark, DAL_CODE_UNDETERMINED, lacking, "%s", found.text);
    else {
        const char *derived = list_derived(build);
        dal_say_for(build->messages, DAL_ERROR, found.reason, mark, "%s%s%s%s", found.text,
                    *derived ? "; the balance of the forces that was derived, " : "", derived, *derived ? ", does not determine the motion" : "");
    }
    system->undetermined = build->undetermined && !system->method.minimum_norm;
    return system->undetermined || (found.rank >= 0 && system->method.minimum_norm);
}

/* Are the accelerations of all velocities that move a body numbers? In a tree: its own and those of all that carry it. */
static bool accelerates_finitely(const dal_layout *layout, const double *vd, int body)
{
    const dal_tree *tree = layout->tree;
    if (!tree) {
        for (int k = 0; k < layout->body[body].n_columns; k++)
            if (!isfinite(vd[layout->body_column[layout->body[body].column + k]]))
                return false;
        return true;
    }
    for (; body != DAL_GROUND; body = tree->carrier[tree->carrier_of[body]].parent) {
        const dal_carrier *c = &tree->carrier[tree->carrier_of[body]];
        for (const dal_motion_step *step = tree->step + c->step; step < tree->step + c->step + c->n_steps; step++)
            if (!dal_all_finite(vd + step->v, dal_step_velocities(step)))
                return false;
    }
    return true;
}

/* A place or a velocity that has no energy, an infinite force, or an infinite acceleration that is not that of a singular matrix. */
static bool is_finite(dal_build *build, const dal_state *state, bool singular)
{
    const dal_layout *layout = dal_layout_of(state);
    int bad = dal_state_not_finite(state);
    if (bad >= 0) {
        dal_error(build->messages, build->mechanism.bodies[bad].mark,
                  "at the start the place or the velocity of '%s' is not a finite number, or is too large for an energy",
                  layout->mechanism->bodies[bad].name);
        return false;
    }
    for (int i = 0; i < dal_system_of(state)->actions.n_outputs; i++)
        if (!isfinite(dal_values_of(state)->expression[i])) {
            dal_error(build->messages, build->action_texts[i].mark, "at the start the value of '%.100s' is not a finite number",
                      build->action_texts[i].text);
            return false;
        }
    for (int b = 0; b < layout->mechanism->n_bodies && !singular && !dal_all_finite(dal_rates_of(state), layout->nv); b++)
        if (!accelerates_finitely(layout, dal_rates_of(state), b)) {
            dal_error(build->messages, build->mechanism.bodies[b].mark,
                      "at the start the acceleration of '%s' is not a finite number: a force or a value is too large, or a body lies in a "
                      "centre of attraction",
                      layout->mechanism->bodies[b].name);
            return false;
        }
    return true;
}

/* A sequence of Euler angles that the user fixed may be singular at the start. */
static bool sequence_fits(const dal_build *build, const dal_state *state)
{
    const dal_layout *layout = dal_layout_of(state);
    for (int b = 0; layout->sequence_fixed && layout->family->condition && b < layout->mechanism->n_bodies; b++)
        if (layout->family->condition(layout, dal_seen_work(state), b) < 1e-3) {
            dal_error(
                build->messages, build->spec->simulate.coordinates.name.mark,
                "'%s' starts in a singular attitude of the Euler sequence that is fixed here: take another one, or leave the choice to the program",
                layout->mechanism->bodies[b].name);
            return false;
        }
    return true;
}

/* Trouble with speeds is at the speeds of the model. */
static dal_mark mark_of_trouble(const dal_build *build, const dal_state *state)
{
    return build->spec->n_speeds && dal_failed_for(state, DAL_REASON_SPEEDS) ? build->spec->speeds[0].name.mark : dal_nowhere;
}

bool dal_build_rank(dal_build *build, dal_system *system, dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    dal_flow flow = dal_state_unpack(state, 0, dal_state_y(state));
    if (!sequence_fits(build, state))
        return false;
    if (flow) {
        dal_error(build->messages, mark_of_trouble(build, state), "at the start: %s", dal_trouble_of(state));
        return false;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    if (!dal_build_forms_finite(build, &build->mechanism, dal_work_of(state)))
        return false;
    dal_report_of(state)->trouble[0] = '\0';
    dal_row_units(state, system->layout.units.row_unit);
    dal_state_rank_near(state, system->layout.n_rows, system->layout.shared ? dal_cached_rows(build) : NULL);
    if (dal_trouble_of(state)[0]) {
        dal_error(build->messages, dal_nowhere, "%s", dal_trouble_of(state));
        return false;
    }
    system->rank = rank->n;
    memcpy(system->start_order, rank->order, sizeof *rank->order * (size_t)system->layout.n_rows);
    return true;
}

/* The bodies were assembled. The frames of a tree coincide but for the motion of their joints: axes that were closed the other way
 * round are lost there, and the rows of the loops show it. */
static bool tree_closes(dal_build *build, const dal_state *state)
{
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = dal_layout_of(state);
    double largest = lost;
    int worst = -1;
    for (int i = 0; layout->tree && i < layout->n_extrinsic; i++) {
        const double gap = fabs(work->phi[i]) / layout->units.row_unit[i];
        if (gap > largest) {
            largest = gap;
            worst = i;
        }
    }
    if (worst < 0)
        return true;
    const dal_joint *joint = &layout->mechanism->joints[layout->mechanism->rows[layout->row[worst].source].joint];
    dal_error(build->messages, joint->mark,
              "in the coordinates of the joints '%s' stays open by %.3g at the start, though the bodies were assembled: a joint before it "
              "was closed with opposite axes; give better start values",
              joint->name, fabs(work->phi[worst]));
    return false;
}

/* A force along the line of two points that coincide: undetermined if they are at rest, and with a corner if they part. */
static void warn_of_directions(dal_build *build, dal_state *state)
{
    const dal_values *values = dal_values_of(state);
    dal_need(state, DAL_STAGE_FORCES);
    for (int i = 0; i < dal_system_of(state)->acting.n_forces; i++) {
        double speed;
        if (!dal_force_undirected(state, i, &speed))
            continue;
        dal_warn(build->messages, build->spec->forces[i].name.mark, DAL_CODE_NO_DIRECTION, fabs(values->effort[i]),
                 "the points of '%s' coincide at the start, and its force of %.3g N has no direction there: %s",
                 dal_system_of(state)->acting.forces[i].name, fabs(values->effort[i]),
                 speed > 0 ? "it begins with a jump, in the direction in which the points part"
                           : "they are at rest, and every motion that begins there is as good as another; place them apart, or give them a velocity");
    }
}

/* Numbers near x are eps |x| apart: a warning where the motion can be no better than that, an error where nothing of it is left. */
static bool has_digits(const dal_build *build, int body, const char *what, double x, double unit, const char *of_unit, const char *remedy)
{
    const double apart = DBL_EPSILON * fabs(x), rounding = apart / unit;
    const dal_body *b = &build->mechanism.bodies[body];
    if (rounding > useless)
        dal_error(build->messages, b->mark, "the %s of '%s' is %.3g %s, where numbers are %.2g %s apart: nothing is left of its motion; %s", what,
                  b->name, x, of_unit, apart, of_unit, remedy);
    else if (rounding > coarse)
        dal_warn(build->messages, b->mark, DAL_CODE_FAR_FROM_ORIGIN, rounding,
                 "the %s of '%s' is %.3g %s, where numbers are %.2g %s apart: its motion is known no better; %s", what, b->name, x, of_unit, apart,
                 of_unit, remedy);
    return !(rounding > useless);
}

/* A mechanism far from the origin, and an angle of many turns. */
static bool places_have_digits(const dal_build *build)
{
    bool fine = true;
    for (int b = 0; b < build->mechanism.n_bodies; b++) {
        const dal_body_start *start = &build->start[b];
        double farthest = 0;
        for (int k = 0; k < 3; k++)
            if (fabs(start->r[k]) > fabs(farthest))
                farthest = start->r[k];
        fine = has_digits(build, b, "place", farthest, build->length, "m", "put the origin near the mechanism") && fine;
        if (build->mechanism.space == DAL_PLANAR && !build->mechanism.bodies[b].particle)
            fine = has_digits(build, b, "angle", start->angle, 1, "rad", "drop whole turns") && fine;
    }
    return fine;
}

bool dal_build_first(dal_build *build, dal_system *system, dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    const dal_values *values = dal_values_of(state);
    if (!dal_build_rank(build, system, state))
        return false;
    if (build->anyway)
        return true;
    if (!places_have_digits(build) || !tree_closes(build, state))
        return false;
    dal_singular_of(state)->once = true;
    bool solved = !dal_state_accelerate_on(state); /* the rank has position and rows */
    if (values->table_exceeded) {
        dal_error(build->messages, build->spec->tables[values->table_exceeded - 1].name.mark, "at the start: %s", dal_trouble_of(state));
        return false;
    }
    const bool singular = !solved && dal_state_singular(state);
    if (!is_finite(build, state, singular))
        return false;
    double doubt = solved ? dal_state_doubt(state) : singular ? DAL_RANK_TOLERANCE : 0;
    if (solved && system->method.minimum_norm) {
        system->determined = rank->determined;
        doubt = rank->determined < system->layout.nv ? DAL_RANK_TOLERANCE : 0;
    }
    if (doubt > 0 && !is_determined(build, system, state, doubt))
        return false;
    if (solved && dal_derived_check(state)) {
        dal_error(build->messages, build->spec->simulate.undetermined.word.mark, "at the start: %s", dal_trouble_of(state));
        return false;
    }
    if (solved)
        warn_of_directions(build, state);
    if (system->undetermined)
        return true;
    if (!solved)
        dal_say_for(build->messages, DAL_ERROR, dal_reason_of(state), mark_of_trouble(build, state), "at the start: %s", dal_trouble_of(state));
    return solved;
}
