/* Are the accelerations determined?
 *
 * They are unique exactly if rank [M; A] = m (Result 3 of `udwadia-phohomsiri`). If it is less, the null space shows the parts: massless ones that no
 * constraint connects to the motion of the others.
 */
#include "kinematics/reduction.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/tree_state.h"
#include "state/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double visible = 1e-6; /* share of a coordinate in a null vector that names it */

/* [M / mass; A], (m + r) x m, in coordinates where lengths are in units of the model's, rows of A at unit norm: the verdict does
 * not depend on units. */
static double *stack_up(dal_arena *arena, const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv, n = m + (size_t)layout->n_rows;
    double *K = DAL_NEW(arena, double, n *m);
    const double *scale = layout->units.column_scale;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                K[(size_t)(at->column + i) * m + (size_t)(at->column + j)] =
                    state->work.M[at->value + at->n * i + j] / (layout->units.mass * scale[at->column + i] * scale[at->column + j]);
    }
    dal_scaled_rows(state, K + m * m, NULL);
    return K;
}

/* Families that share columns: "A.angle', x'"; the first of them in *first. */
static void name_velocities(const dal_system *system, const double *null, size_t n_null, char *text, size_t size, int *first)
{
    const size_t m = (size_t)dal_system_layout(system)->nv;
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
        const int n = layout->reduction ? layout->reduction->natural[b + 1] - layout->reduction->natural[b] : at->nv;
        for (int k = 0; k < n; k++) {
            const int column = layout->reduction ? dal_reduced_column(layout->reduction, b, k) : at->v + k;
            double share = 0;
            for (size_t i = 0; i < n_null && column >= 0; i++)
                share = fmax(share, fabs(null[i * m + (size_t)column]));
            if (share < visible || (k >= n - at->n_rot && turns))
                continue;
            turns = k >= n - at->n_rot;
            snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%s%s", *parts ? ", " : "", turns ? "attitude" : words[k]);
        }
        if (!*parts)
            continue;
        if (!*text)
            *body = b;
        snprintf(text + strlen(text), size - strlen(text), "%s'%s' (%s)", *text ? ", " : "", layout->mechanism->bodies[b].name, parts);
    }
}

/* Do the bodies that move have mass and inertia, but too little of it? */
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

double dal_state_doubt(const dal_state *state)
{
    static const double suspicious = 1e-14, open = 1e-10, rounding = 1e-14;
    const double ratio = state->saddle->ratio; /* 0: it was not factored */
    if (!(ratio > 0 && ratio < (state->layout->small ? open : suspicious)))
        return 0;
    return ratio < suspicious ? DAL_RANK_TOLERANCE : rounding;
}

int dal_state_null(dal_arena *arena, const dal_state *state, double **null, double **stack, int *rows)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_LOADS));
    const size_t m = (size_t)state->layout->nv, n = m + (size_t)state->layout->n_rows;
    if (m > DAL_LARGEST_DETERMINED || !state->work.M)
        return -1;
    *rows = (int)n;
    *stack = stack_up(arena, state);
    *null = DAL_NEW(arena, double, m *m);
    double *sigma = DAL_NEW(arena, double, n + m), *work = DAL_NEW(arena, double, dal_rank_work((int)n, (int)m));
    double *K = DAL_NEW(arena, double, n *m);
    memcpy(K, *stack, sizeof *K * n * m);
    const int rank = dal_rank_svd(K, (int)n, (int)m, (int)m, DAL_RANK_TOLERANCE, sigma, *null, NULL, work);
    return rank < 0 ? -1 : (int)m - rank;
}

bool dal_state_determined(dal_arena *arena, const dal_state *state, double tolerance, dal_determined *out)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_LOADS));
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv, n = m + (size_t)layout->n_rows;
    *out = (dal_determined){.rank = -1};
    if (m > DAL_LARGEST_DETERMINED || !state->work.M) {
        snprintf(out->text, sizeof out->text,
                 "the accelerations are not determined: the inertia and the constraints together are singular; check for parts without mass that no "
                 "joint moves along");
        return false;
    }
    double *K = stack_up(arena, state), *sigma = DAL_NEW(arena, double, n + m), *null = DAL_NEW(arena, double, m *m);
    double *work = DAL_NEW(arena, double, dal_rank_work((int)n, (int)m));
    out->rank = dal_rank_svd(K, (int)n, (int)m, (int)m, tolerance, sigma, null, NULL, work);
    if (out->rank == (int)m)
        return true;
    if (out->rank < 0)
        return false;
    if (layout->family->shares && !layout->reduction) {
        name_velocities(state->system, null, m - (size_t)out->rank, out->names, sizeof out->names, &out->first);
        out->body = body_of_velocity(layout, out->first);
    } else
        name_parts(layout, null, m - (size_t)out->rank, out->names, sizeof out->names, &out->body);
    if (!*out->names)
        snprintf(out->names, sizeof out->names, "the bodies");
    const bool tiny = !layout->family->shares && is_tiny(layout, null, m - (size_t)out->rank);
    out->reason = tiny ? DAL_REASON_ROUNDING : DAL_REASON_OTHER;
    if (tiny)
        snprintf(out->text, sizeof out->text,
                 "the inertia of %s is lost in rounding beside that of the others: rank [M; A] is %d, and %d is needed; give more of it, or "
                 "none and another joint",
                 out->names, out->rank, (int)m);
    else
        snprintf(out->text, sizeof out->text,
                 "the accelerations of %s are not determined: rank [M; A] is %d, and %d is needed; give mass or inertia%s", out->names, out->rank,
                 (int)m, layout->placement ? " there, or another constraint" : ", or another joint");
    return false;
}

/* May M be asked for, in a layout without columns? */
static bool may_ask(dal_state *state)
{
    const dal_layout *layout = state->layout;
    return (!layout->columnless || state->tree->wide || layout->nv <= DAL_LARGEST_DETERMINED) && dal_state_widen(state);
}

bool dal_state_singular(dal_state *state)
{
    const bool recursive = dal_failed_for(state, DAL_REASON_SINGULAR_LINK);
    if (recursive && may_ask(state))
        dal_need(state, DAL_STAGE_LOADS);
    return recursive || dal_failed_for(state, DAL_REASON_SINGULAR_EQUATIONS) || dal_failed_for(state, DAL_REASON_ROUNDING); /* or nearly so */
}

static const double no_force = 1e-3; /* of the largest force: allowed multiplier of a derived row inside a step, off its constraint */
static const double at_rest = 1e-6;  /* of what moves the model at its pace: where all forces have decayed, rounding is left */

dal_flow dal_derived_check(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const double *scale = layout->units.column_scale;
    const double pace = layout->units.mass * layout->units.length / (layout->units.time * layout->units.time);
    double most = 0;
    if (!layout->derived)
        return 0;
    dal_need(state, DAL_STAGE_LOADS);
    dal_need(state, DAL_STAGE_REACTIONS);
    for (int k = 0; k < layout->nv; k++)
        most = fmax(most, (fabs(state->work.Q[k]) + fabs(state->work.h[k])) / scale[k]);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &state->mechanism->rows[layout->row[i].source];
        const dal_row_layout *at = &layout->row[i];
        double force = 0;
        for (int k = at->value; k < at->value + at->n_values; k++)
            force = fmax(force, fabs(state->work.A[k] * state->lambda[i]) / scale[layout->column[k]]);
        if (row->derived && force > fmax(no_force * most, at_rest * pace))
            return dal_state_fail(state,
                                  "the forces along a direction without inertia are no longer what '%s' was derived from: %.3g N of %.3g N are not "
                                  "balanced; points of a "
                                  "spring have passed through each other, a direction has turned, the balance ends here and the part snaps, or a "
                                  "fixed step is too long",
                                  state->mechanism->joints[row->joint].name, force, most);
    }
    return 0;
}

dal_flow dal_fail_undetermined(dal_state *state)
{
    return dal_state_fail_for(state, DAL_REASON_SINGULAR_EQUATIONS,
                              "the equations of motion are singular: the inertia and the constraints together do not determine the "
                              "accelerations (rank [M; A] < %d)",
                              state->layout->nv);
}

const char *dal_body_lacks(const dal_mechanism *mechanism, const dal_body *body)
{
    const double *I = body->inertia, trace = I[0] + I[4] + I[8];
    const double det = I[0] * (I[4] * I[8] - I[5] * I[7]) - I[1] * (I[3] * I[8] - I[5] * I[6]) + I[2] * (I[3] * I[7] - I[4] * I[6]);
    const bool turns = mechanism->space == DAL_PLANAR ? I[8] > 0 : det > 1e-12 * trace * trace * trace;
    return !(body->mass > 0) ? "no mass" : body->particle || turns ? NULL : "a zero moment of inertia";
}
