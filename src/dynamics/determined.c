/* The first evaluation: are the accelerations determined at the start, and finite?
 *
 * They are unique exactly if rank [M; A] = m (Result 3 of `udwadia-phohomsiri`). Where it is less, the null
 * space names the parts: massless ones that no constraint moves along with the others.
 */
#include "kinematics/tree.h"
#include "math/rank.h"
#include "compile/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double suspicious = 1e-14; /* pivot ratio below which the rank is looked at */
static const double visible = 1e-6;     /* share of a coordinate in a null vector that names it */
static const double lost = 1e-6;        /* gap of a row, in its unit, that no assembly leaves */
enum { LARGEST = 1500 };                /* velocities up to which the singular values are affordable */

/* [M / mass; A], (m + r) x m, in coordinates where lengths are in units of the model's, rows of A at unit norm: the verdict does
 * not depend on units. */
static double *stack_up(dal_arena *arena, const dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const size_t m = (size_t)layout->nv, n = m + (size_t)layout->n_rows;
    double *K = DAL_TAKE(arena, double, n * m);
    const double *scale = state->system->column_scale;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                K[(size_t)(at->column + i) * m + (size_t)(at->column + j)] =
                    state->work.M[at->value + at->n * i + j] / (state->system->mass * scale[at->column + i] * scale[at->column + j]);
    }
    dal_scaled_rows(state, K + m * m, NULL);
    return K;
}

/* Families that share columns: "A.angle', x'"; the first of them in *first. */
static void name_velocities(const dal_system *system, const double *null, size_t n_null, char *text, size_t size, int *first)
{
    const size_t m = (size_t)system->layout.nv;
    for (size_t k = 0; k < m; k++) {
        double share = 0;
        char name[100];
        for (size_t i = 0; i < n_null; i++)
            share = fmax(share, fabs(null[i * m + k]));
        if (share < visible)
            continue;
        dal_velocity_name(system, (int)k, name, sizeof name);
        if (!*text)
            *first = (int)k;
        snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", name);
    }
}

/* The body that velocity k of a tree moves against its carrier; 0 where there is no tree. */
static int body_of_velocity(const dal_layout *layout, int k)
{
    const dal_tree *tree = layout->tree;
    int body = 0;
    for (int i = 0; tree && i < tree->n_bodies; i++)
        for (int s = tree->carrier[i].step; s < tree->carrier[i].step + tree->carrier[i].n_steps; s++)
            if (tree->step[s].v >= 0 && tree->step[s].v <= k) /* velocities are numbered in the order of the tree */
                body = tree->carrier[i].body;
    return body;
}

/* "'rod' (y, attitude), 'tip' (y)"; the first of them in *body. */
static void name_parts(const dal_layout *layout, const double *null, size_t n_null, char *text, size_t size, int *body)
{
    static const char *const words[] = {"x", "y", "z"};
    const size_t m = (size_t)layout->nv;
    *text = '\0';
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        char parts[60] = "";
        bool turns = false;
        for (int k = 0; k < at->nv; k++) {
            double share = 0;
            for (size_t i = 0; i < n_null; i++)
                share = fmax(share, fabs(null[i * m + (size_t)(at->v + k)]));
            if (share < visible || (k >= at->nv - at->n_rot && turns))
                continue;
            turns = k >= at->nv - at->n_rot;
            snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%s%s", *parts ? ", " : "", turns ? "attitude" : words[k]);
        }
        if (!*parts)
            continue;
        if (!*text)
            *body = b;
        snprintf(text + strlen(text), size - strlen(text), "%s'%s' (%s)", *text ? ", " : "", layout->mechanism->bodies[b].name, parts);
    }
}

/* Do the bodies that move have all that they need, only too little of it? */
static bool is_tiny(const dal_layout *layout, const double *null, size_t n_null)
{
    const size_t m = (size_t)layout->nv;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_body *body = &layout->mechanism->bodies[b];
        double values[3] = {body->inertia[8], 0, body->inertia[8]}, work[600];
        if (at->n_rot > 1 && dal_symmetric_eigen(body->inertia, 3, 3, values, NULL, work))
            return false;
        for (int k = 0; k < at->nv; k++) {
            const bool has = k < at->nv - at->n_rot ? body->mass > 0 : values[0] > 1e-12 * values[2];
            for (size_t i = 0; i < n_null && !has; i++)
                if (fabs(null[i * m + (size_t)(at->v + k)]) > visible)
                    return false;
        }
    }
    return true;
}

bool dal_state_determined(dal_arena *arena, const dal_state *state, dal_determined *out)
{
    const dal_layout *layout = &state->system->layout;
    const size_t m = (size_t)layout->nv, n = m + (size_t)layout->n_rows;
    *out = (dal_determined){.rank = -1};
    if (m > LARGEST) {
        snprintf(out->text, sizeof out->text,
                 "the accelerations are not determined: the inertia and the constraints together are singular; look for parts without mass "
                 "that no joint moves along");
        return false;
    }
    double *K = stack_up(arena, state), *sigma = DAL_TAKE(arena, double, n + m), *null = DAL_TAKE(arena, double, m * m);
    double *work = DAL_TAKE(arena, double, dal_rank_work((int)n, (int)m));
    out->rank = dal_rank_svd(K, (int)n, (int)m, (int)m, DAL_RANK_TOLERANCE, sigma, null, NULL, work);
    if (out->rank == (int)m)
        return true;
    if (out->rank < 0)
        return false;
    if (layout->family->shares) {
        name_velocities(state->system, null, m - (size_t)out->rank, out->names, sizeof out->names, &out->first);
        out->body = body_of_velocity(layout, out->first);
    } else
        name_parts(layout, null, m - (size_t)out->rank, out->names, sizeof out->names, &out->body);
    if (!*out->names)
        snprintf(out->names, sizeof out->names, "the bodies");
    if (!layout->family->shares && is_tiny(layout, null, m - (size_t)out->rank))
        snprintf(out->text, sizeof out->text,
                 "the inertia of %s is lost in rounding beside that of the others: rank [M; A] is %d, and %d is needed; give more of it, or "
                 "none and another joint", out->names, out->rank, (int)m);
    else
        snprintf(out->text, sizeof out->text, "the accelerations of %s are not determined: rank [M; A] is %d, and %d is needed; give mass or inertia%s",
                 out->names, out->rank, (int)m, layout->placement ? " there, or another constraint" : ", or another joint");
    return false;
}

/* True if rank [M; A] = m after all, or if the model takes the least accelerations where it is not. */
static bool is_determined(dal_build *build, dal_system *system, const dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_determined found;
    if (dal_state_determined(build->arena, state, &found))
        return true;
    if (found.rank < 0 && layout->nv <= LARGEST) {
        dal_error(build->messages, dal_nowhere,
                  "at the start the inertia or the constraints are not finite numbers: a mass is too large, or a place has an infinite derivative "
                  "by a coordinate");
        return false;
    }
    const dal_mark mark = found.rank < 0        ? dal_nowhere
                          : layout->placement ? build->spec->coordinates[found.first].name.mark
                                              : build->mechanism.bodies[found.body].mark;
    const double lacking = found.rank < 0 ? (double)NAN : layout->nv - found.rank;
    if (found.rank >= 0 && system->minimum_norm)
        dal_warn(build->messages, mark, DAL_CODE_UNDETERMINED, lacking,
                 "the accelerations of %s are not determined: rank [M; A] is %d of %d; of those that satisfy the equations the least ones are "
                 "taken",
                 found.names, found.rank, layout->nv);
    else if (build->undetermined)
        dal_warn(build->messages, mark, DAL_CODE_UNDETERMINED, lacking, "%s", found.text);
    else
        dal_error(build->messages, mark, "%s", found.text);
    system->undetermined = build->undetermined && !system->minimum_norm;
    return system->undetermined || (found.rank >= 0 && system->minimum_norm);
}

/* A place or a velocity that has no energy, an infinite force, or an infinite acceleration that is not that of a singular matrix. */
static bool is_finite(dal_build *build, const dal_state *state, bool singular)
{
    const dal_layout *layout = &state->system->layout;
    int bad = dal_state_not_finite(state);
    if (bad >= 0) {
        dal_error(build->messages, build->mechanism.bodies[bad].mark,
                  "at the start the place or the velocity of '%s' is not a finite number, or is too large for an energy",
                  layout->mechanism->bodies[bad].name);
        return false;
    }
    for (int i = 0; i < state->system->actions.n_outputs; i++)
        if (!isfinite(state->expression[i])) {
            dal_error(build->messages, build->action_texts[i].mark, "at the start the value of '%.100s' is not a finite number",
                      build->action_texts[i].text);
            return false;
        }
    for (int b = 0; b < layout->mechanism->n_bodies && !singular; b++)
        for (int k = 0; k < layout->body[b].n_columns; k++)
            if (!isfinite(state->vd[layout->body_column[layout->body[b].column + k]])) {
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
    const dal_layout *layout = &state->system->layout;
    for (int b = 0; layout->sequence_fixed && layout->family->condition && b < layout->mechanism->n_bodies; b++)
        if (layout->family->condition(layout, &state->work, b) < 1e-3) {
            dal_error(build->messages, build->spec->simulate.coordinates.name.mark,
                      "'%s' starts in a singular attitude of the Euler sequence that is fixed here: take another one, or leave the choice to the program",
                      layout->mechanism->bodies[b].name);
            return false;
        }
    return true;
}

/* Trouble with speeds is at the speeds of the model. */
static dal_mark mark_of_trouble(const dal_build *build, const dal_state *state)
{
    return build->spec->n_speeds && strstr(state->trouble, "speeds") ? build->spec->speeds[0].name.mark : dal_nowhere;
}

bool dal_build_rank(dal_build *build, dal_system *system, dal_state *state)
{
    dal_flow flow = dal_state_take(state, 0, state->y);
    if (!sequence_fits(build, state))
        return false;
    if (flow) {
        dal_error(build->messages, mark_of_trouble(build, state), "at the start: %s", state->trouble);
        return false;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    if (!dal_build_forms_finite(build, &build->mechanism, &state->work))
        return false;
    state->trouble[0] = '\0';
    dal_row_units(state, system->row_unit);
    dal_state_rank(state, system->layout.n_rows);
    if (state->trouble[0]) {
        dal_error(build->messages, dal_nowhere, "%s", state->trouble);
        return false;
    }
    system->rank = state->rank;
    memcpy(system->start_order, state->order, sizeof *state->order * (size_t)system->layout.n_rows);
    return true;
}

/* The bodies were assembled. The frames of a tree coincide but for the motion of their joints: axes that were closed the other way
 * round are lost there, and the rows of the loops show it. */
static bool tree_closes(dal_build *build, const dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    double largest = lost;
    int worst = -1;
    for (int i = 0; layout->tree && i < layout->n_extrinsic; i++) {
        const double gap = fabs(state->work.phi[i]) / state->system->row_unit[i];
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
              "was closed with opposite axes; give better start values", joint->name, fabs(state->work.phi[worst]));
    return false;
}

bool dal_state_singular(dal_state *state)
{
    const bool recursive = !strncmp(state->trouble, "a joint of the tree moves nothing", 33);
    if (recursive)
        dal_state_complete(state);
    return recursive || !strncmp(state->trouble, "the equations of motion are singular", 36) ||
           strstr(state->trouble, "is lost in rounding beside that of the others"); /* or nearly so */
}

/* A force along the line of two points that coincide: undetermined if they are at rest, and with a corner if they part. */
static void warn_of_directions(dal_build *build, dal_state *state)
{
    dal_state_recall(state);
    for (int i = 0; i < state->system->n_forces; i++) {
        double speed;
        if (!dal_force_undirected(state, i, &speed))
            continue;
        dal_warn(build->messages, build->spec->forces[i].name.mark, DAL_CODE_NO_DIRECTION, fabs(state->effort[i]),
                 "the points of '%s' coincide at the start, and its force of %.3g N has no direction there: %s", state->system->forces[i].name,
                 fabs(state->effort[i]),
                 speed > 0 ? "it begins with a jump, in the direction in which the points part"
                           : "they are at rest, and every motion that begins there is as good as another; place them apart, or give them a velocity");
    }
}

bool dal_build_first(dal_build *build, dal_system *system, dal_state *state)
{
    if (!dal_build_rank(build, system, state))
        return false;
    if (build->anyway)
        return true;
    if (!tree_closes(build, state))
        return false;
    bool solved = !dal_state_accelerate(state);
    if (state->table_left) {
        dal_error(build->messages, build->spec->tables[state->table_left - 1].name.mark, "at the start: %s", state->trouble);
        return false;
    }
    const bool singular = !solved && dal_state_singular(state);
    if (!is_finite(build, state, singular))
        return false;
    bool doubtful = solved ? state->saddle_ratio > 0 && state->saddle_ratio < suspicious /* 0: it was not factored */
                           : singular;
    if (solved && system->minimum_norm) {
        system->determined = state->determined;
        doubtful = state->determined < system->layout.nv;
    }
    if (doubtful && !is_determined(build, system, state))
        return false;
    if (solved)
        warn_of_directions(build, state);
    if (system->undetermined)
        return true;
    if (!solved)
        dal_error(build->messages, mark_of_trouble(build, state), "at the start: %s", state->trouble);
    return solved;
}
