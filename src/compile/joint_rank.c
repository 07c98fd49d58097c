/* The effect of the equations of a joint type on bodies that are free otherwise: freedoms that they take, equations that depend on one another,
 * positions that are singular, equations that contradict one another.
 *
 * The bodies of one joint are examined alone (joint_alone.c). The rank of A at the start is the number of freedoms that the joint takes. Where
 * it is smaller than the number of rows, the bodies are moved at random and led back to phi = 0:
 *   the rank is greater there                     the start is a singular position of the joint
 *   it is the same                                equations depend on one another; z with A^T z = 0 shows which
 *   no position with phi = 0 is found             they contradict one another; z . phi is the contradiction
 * Rows that push on all bodies together hold them against the world; rows whose terms cancel everywhere constrain nothing.
 */
#include "math/rank.h"
#include "math/vec.h"
#include "compile/joint_alone.h"

#include <math.h>
#include <string.h>

enum { NEIGHBOURS = 8 };
static const double tolerance = 1e-9;  /* of ranks: the start is only as exact as assembly leaves it */
static const double rounding = 1e-13;  /* of a row, relative to its terms */
static const double nearby = 1e-4;     /* lengths of the model */
static const double takes_part = 1e-6; /* of an entry of a null vector of unit length */

/* Each row over its norm, so that its unit does not matter. */
static int rank(dal_alone *a)
{
    const int found = dal_rank_rows(a->A, a->r, a->m, a->m, tolerance, a->r, a->order, NULL, a->svd);
    return found;
}

/* Somewhere near the start where the equations hold. */
static bool visit_neighbour(dal_alone *a, uint64_t *seed)
{
    dal_alone_perturb(a, seed);
    return dal_alone_close(a, NULL);
}

/* The rows that take part in a dependence of the present A, each over its norm. */
static const char *dependent_equations(dal_alone *a, int *number)
{
    bool *mask = DAL_NEW(a->build->arena, bool, a->r);
    for (int i = 0; i < a->r; i++) {
        double *row = a->A + (size_t)i * (size_t)a->m, norm = 0;
        for (int c = 0; c < a->m; c++)
            norm += row[c] * row[c];
        for (int c = 0; c < a->m && norm > 0; c++)
            row[c] /= sqrt(norm);
    }
    const int n = a->r - dal_rank_svd(a->A, a->r, a->m, a->m, tolerance, a->sigma, NULL, a->null, a->svd);
    for (int k = 0; k < n && n <= a->r; k++)
        for (int i = 0; i < a->r; i++)
            mask[i] |= fabs(a->null[(size_t)k * (size_t)a->r + (size_t)i]) > takes_part;
    return dal_alone_equations(a, mask, number);
}

static const char *freedoms(const dal_alone *a, int n)
{
    return dal_arena_print(a->build->arena, "%d freedom%s", n, n == 1 ? "" : "s");
}

/* ---- the questions --------------------------------------------------------------------------- */

/* Does phi change as its slope says? Rounding does not. */
static bool follows_slope(dal_alone *a, int i)
{
    const double *A = a->A + (size_t)i * (size_t)a->m;
    uint64_t seed = 3;
    double expected = 0;
    for (int c = 0; c < a->m; c++) {
        a->direction[c] = dal_alone_chance(&seed);
        expected += 2 * nearby * a->length * A[c] * a->direction[c];
    }
    const double forth = dal_alone_beside(a, i, a->direction, nearby), back = dal_alone_beside(a, i, a->direction, -nearby);
    return fabs(forth - back - expected) < 0.1 * fabs(expected);
}

/* Is the row what rounding leaves of terms that cancel? In a form they may cancel within a coefficient, whose value then says nothing about their
 * size: a small row of a form counts as cancelled only if phi does not follow its slope. */
static bool cancels(dal_alone *a, int i)
{
    const dal_row *row = &a->mechanism.rows[a->layout->row[i].source];
    double size = row->form < 0 ? 0 : fmin(1, a->length * a->length * a->length), left = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        for (int j = 0; j < 12; j++)
            size += fabs(a->work.coef[k] * a->work.gradient[12 * a->mechanism.terms[k].measure + j]);
    for (int c = 0; c < a->m; c++)
        left = fmax(left, fabs(a->A[(size_t)i * (size_t)a->m + (size_t)c]));
    return left <= rounding * size && (row->form < 0 || !follows_slope(a, i));
}

/* Rows whose terms cancel wherever the bodies are, as dot(M, cross(M, xi)): their rank would be that of rounding. */
static bool refuse_identities(dal_alone *a)
{
    uint64_t seed = 11;
    bool *mask = DAL_NEW(a->build->arena, bool, a->r), any = false;
    int number;
    dal_alone_evaluate(a);
    for (int i = 0; i < a->r; i++)
        any |= mask[i] = cancels(a, i);
    for (int n = 0; n < NEIGHBOURS && any; n++) {
        a->work.t = 0.5 * (1 + dal_alone_chance(&seed)); /* a factor that is zero at the start is not zero later */
        dal_alone_perturb(a, &seed);                     /* not where the equations hold: there a component of xi - xj has no slope either */
        dal_alone_evaluate(a);
        any = false;
        for (int i = 0; i < a->r; i++)
            any |= mask[i] = mask[i] && cancels(a, i);
    }
    a->work.t = 0;
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    if (any)
        dal_error(a->build->messages, a->joint->mark, "joint '%s' of type %s: %s cannot be broken by any motion, because the terms cancel",
                  a->joint->name, a->joint->type->name, dal_alone_equations(a, mask, &number));
    return any;
}

static double norm(const double x[3])
{
    return sqrt(dal_dot(x, x));
}

/* Does a row push on all bodies together, with a force or with a torque? A is at the present position. */
static bool pushes_on_all(const dal_alone *a)
{
    for (int i = 0; i < a->r; i++) {
        const dal_row_layout *at = &a->layout->row[i];
        double f[DAL_MAX_SIDES][6], force[3] = {0}, torque[3] = {0}, size = 0;
        dal_row_covectors(a->layout, &a->work, i, f);
        for (int k = 0; k < at->n_sides; k++) {
            const double *r = a->work.kin[a->layout->side[at->side + k].body].r;
            dal_axpy3(1, f[k], force);
            dal_axpy3(1, f[k] + 3, torque);
            dal_add_cross(r, f[k], torque);
            size += norm(f[k]) * (a->length + norm(r)) + norm(f[k] + 3);
        }
        if (norm(force) * a->length > tolerance * size || norm(torque) > tolerance * size)
            return true;
    }
    return false;
}

/* Equations that name the world, as dot(N - M, [0, 1]), hold bodies against it, and momenta are not conserved. */
static bool names_world(dal_alone *a)
{
    uint64_t seed = 7;
    dal_alone_evaluate(a);
    bool found = pushes_on_all(a);
    for (int i = 0; i < 2 && !found; i++)
        found = visit_neighbour(a, &seed) && pushes_on_all(a);
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    return found;
}

/* The start is closed. */
static void compare_neighbours(dal_alone *a, dal_joint *joint)
{
    uint64_t seed = 42;
    dal_alone_evaluate(a);
    joint->removed = joint->removed_near = rank(a);
    if (joint->removed < 0 || joint->removed == a->r)
        return;
    int number;
    const char *which = dependent_equations(a, &number);
    const bool one = number == 1;
    for (int i = 0; i < NEIGHBOURS; i++)
        if (visit_neighbour(a, &seed)) {
            const int near = rank(a);
            joint->removed_near = near > joint->removed_near ? near : joint->removed_near;
        }
    if (joint->removed_near > joint->removed)
        dal_warn(a->build->messages, joint->mark, DAL_CODE_SINGULAR_JOINT, joint->removed_near - joint->removed,
                 "joint '%s' of type %s starts in a singular position: it takes %s there and %d nearby, because %s %s "
                 "where it stands",
                 joint->name, joint->type->name, freedoms(a, joint->removed), joint->removed_near, which,
                 one ? "loses rank" : "depend on one another");
    else
        dal_warn(a->build->messages, joint->mark, DAL_CODE_DEPENDENT_EQUATIONS, a->r - joint->removed,
                 "joint '%s' of type %s: %s %s; its %d rows take %s", joint->name, joint->type->name, which,
                 one ? "has components that depend on one another" : "depend on one another", a->r, freedoms(a, joint->removed));
}

/* The mechanism cannot be assembled: is it this joint alone? */
static void find_contradiction(dal_alone *a, const dal_joint *joint)
{
    uint64_t seed = 42;
    bool holds = dal_alone_close(a, NULL);
    for (int i = 0; i < NEIGHBOURS && !holds; i++)
        holds = visit_neighbour(a, &seed);
    if (holds || rank(a) < 0 || rank(a) == a->r)
        return;
    const double left = dal_alone_gap(a);
    int number;
    dal_alone_evaluate(a);
    dal_error(a->build->messages, joint->mark,
              "joint '%s' of type %s contradicts itself: no position of its bodies was found in which %s hold "
              "together; they are missed by %.3g",
              joint->name, joint->type->name, dependent_equations(a, &number), left);
}

static bool is_written(const dal_joint *joint)
{
    return joint->type && joint->type->written && joint->n_rows;
}

bool dal_build_written_identities(dal_build *build, const double *winding)
{
    bool fine = true;
    for (int j = 0; j < build->spec->n_joints; j++) {
        dal_alone a;
        if (!is_written(&build->mechanism.joints[j]))
            continue;
        dal_alone_begin(&a, build, &build->mechanism.joints[j]);
        dal_alone_place(&a, winding);
        fine &= !refuse_identities(&a);
    }
    return fine;
}

void dal_build_written_ranks(dal_build *build, const double *winding)
{
    for (int j = 0; j < build->spec->n_joints; j++) {
        dal_joint *joint = &build->mechanism.joints[j];
        dal_alone a;
        if (!is_written(joint))
            continue;
        dal_alone_begin(&a, build, joint);
        dal_alone_place(&a, winding);
        if (!winding) {
            find_contradiction(&a, joint);
        } else {
            build->world_named = build->world_named || names_world(&a);
            compare_neighbours(&a, joint);
        }
    }
}
