/* Derived equations, solved for accelerations and multipliers, against the numeric kernels: for tests.
 *
 * Solved are the printed equations, as they are derived, and where they leave accelerations open the rows A v' = gamma with them. With x the solution
 * of J x = -r, and every entry of J and r right to some units in its last place, the error of x is bounded by
 *     1e3 eps |J^-1| (|J| |x| + sizes of the terms of r),
 * which is 1e3 eps cond; the largest of accelerations, and of multipliers, holds for all of them.
 */
#ifndef DAL_TEST_DERIVED_MOTION_H
#define DAL_TEST_DERIVED_MOTION_H

#include "derived_values.h"

typedef struct system_of {
    dal_derivation *d;
    int n, m;       /* unknowns, equations */
    int *letter;    /* of each unknown */
    dal_node *zero; /* of each equation */
} equations;

static inline dal_node expand(void *user, dal_graph *graph, int variable)
{
    dal_derivation *d = user;
    const dal_node means = d->letters[variable].means;
    return means == DAL_NO_NODE ? DAL_NO_NODE : dal_substitute(graph, means, expand, d);
}

static inline bool appears(const equations *e, int letter)
{
    for (int i = 0; i < e->m; i++)
        if (dal_depends(e->d->graph, e->zero[i], letter))
            return true;
    return false;
}

static inline void add_unknown(equations *e, int letter)
{
    e->letter[e->n++] = letter;
}

/* Is this the equation (23) of a row that depends on others? */
static inline bool is_idle(pair *p, const dal_derived_equation *equation)
{
    for (int r = 0; r < p->d->n_rows && !strcmp(p->d->formulation->name, "component"); r++)
        if (equation->name == p->d->row[r].name)
            return !p->state->rank->independent[r];
    return false;
}

static inline equations collect(pair *p)
{
    dal_derivation *d = p->d;
    const int most = d->n_equations + d->n_rows + 3 * d->nv + 1;
    equations e = {d, 0, 0, calloc((size_t)most, sizeof(int)), calloc((size_t)most, sizeof(dal_node))};
    for (int i = 0; i < d->n_equations; i++)
        if (!is_idle(p, &d->equations[i]))
            e.zero[e.m++] = dal_substitute(d->graph, d->equations[i].zero, expand, d);
    for (int k = 0; k < d->nv && !d->n_equations && d->M; k++) { /* the matrices alone are given: M v' = Q - h + A^T lambda */
        dal_node zero = dal_binary(d->graph, DAL_OP_SUB, d->h[k], d->Q[k]);
        for (int l = 0; l < d->nv; l++)
            zero = dal_binary(d->graph, DAL_OP_ADD, zero, dal_binary(d->graph, DAL_OP_MUL, d->M[k * d->nv + l], dal_var(d->graph, d->a + l)));
        for (int r = 0; r < d->n_rows; r++)
            zero = dal_binary(d->graph, DAL_OP_SUB, zero, dal_binary(d->graph, DAL_OP_MUL, d->A[r * d->nv + k], dal_var(d->graph, d->lambda + r)));
        e.zero[e.m++] = zero;
    }
    bool accelerations = false, multipliers = false;
    for (int k = 0; k < d->nv; k++)
        accelerations |= appears(&e, d->a + k);
    for (int r = 0; r < d->n_rows && d->lambda >= 0; r++)
        multipliers |= appears(&e, d->lambda + r);
    const bool all = accelerations && !multipliers && p->state->rank->n; /* maggi: the rows hold the others */
    for (int k = 0; k < d->nv; k++)
        if (all || appears(&e, d->a + k))
            add_unknown(&e, d->a + k);
    for (int j = 0; j < d->p && d->ud >= 0; j++)
        if (appears(&e, d->ud + j))
            add_unknown(&e, d->ud + j);
    for (int i = 0; i < p->state->rank->n && d->lambda >= 0; i++)
        if (appears(&e, d->lambda + p->state->rank->order[i]))
            add_unknown(&e, d->lambda + p->state->rank->order[i]);
    for (int i = 0; accelerations && i < p->state->rank->n && e.m < e.n; i++) {
        const int r = p->state->rank->order[i];
        dal_node zero = dal_unary(d->graph, DAL_OP_NEG, d->row[r].gamma);
        for (int k = 0; k < d->nv; k++)
            zero = dal_binary(d->graph, DAL_OP_ADD, zero, dal_binary(d->graph, DAL_OP_MUL, d->A[r * d->nv + k], dal_var(d->graph, d->a + k)));
        e.zero[e.m++] = zero;
    }
    return e;
}

/* What the kernels find: v' and lambda, or u'. */
static inline double reference(pair *p, const double *dy, int letter)
{
    const dal_letter *l = &p->d->letters[letter];
    return l->role == DAL_ROLE_ACCELERATION ? p->state->vd[l->index]
           : l->role == DAL_ROLE_MULTIPLIER ? p->state->lambda[l->index]
                                            : dy[p->d->nq + l->index];
}

static inline bool is_unknown(const equations *e, int letter)
{
    for (int i = 0; i < e->n; i++)
        if (e->letter[i] == letter)
            return true;
    return false;
}

/* The largest error of an unknown as a share of its bound. */
static inline double compare_solution(pair *p, const char *label)
{
    dal_derivation *d = p->d;
    equations e = collect(p);
    double worst = 0, largest = 0, *dy = calloc((size_t)p->system->n_y + 1, sizeof *dy);
    assert_int_equal(dal_state_derivative(p->state, p->state->work.t, p->state->y, dy), 0);
    if (e.n != e.m)
        fail_msg("%s: %d equations with %d unknowns", label, e.m, e.n);
    const int n = e.n;
    dal_node *slope = calloc((size_t)(n * n + 1), sizeof *slope);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            slope[i * n + j] = dal_depends(d->graph, e.zero[i], e.letter[j]) ? dal_diff(d->graph, e.zero[i], e.letter[j]) : dal_const(d->graph, 0);
    sweep s = sweep_begin(p);
    for (int i = 0; i < d->n_letters; i++) /* multipliers of rows that depend on others stay those of the kernels */
        if (is_unknown(&e, i))
            s.letters[i] = 0;
    for (int i = 0; i < n; i++)
        sweep_node(&s, e.zero[i]);
    for (int i = 0; i < n * n; i++)
        sweep_node(&s, slope[i]);
    double *J = calloc((size_t)(n * n + 1), sizeof *J), *inverse = calloc((size_t)(n * n + 1), sizeof *J), *x = calloc((size_t)n + 1, sizeof *x);
    double *bound = calloc((size_t)n + 1, sizeof *bound);
    for (int i = 0; i < n * n; i++)
        J[i] = s.value[slope[i]];
    invert(n, J, inverse);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] -= inverse[i * n + j] * s.value[e.zero[j]];
    for (int i = 0; i < n; i++) {
        double part = s.size[e.zero[i]];
        for (int k = 0; k < n; k++)
            part += s.size[slope[i * n + k]] * fabs(x[k]);
        largest = fmax(largest, part);
        for (int k = 0; k < n; k++)
            bound[k] += 1e3 * 2.3e-16 * fabs(inverse[k * n + i]) * part;
    }
    for (int i = 0; i < n; i++) {
        const dal_role role = d->letters[e.letter[i]].role;
        double most =
            role == DAL_ROLE_MULTIPLIER ? 1e3 * 2.3e-16 * largest : 0; /* a multiplier that is zero by structure is a difference of forces */
        for (int k = 0; k < n; k++)                                    /* in the norm, of accelerations and of multipliers by themselves */
            most = d->letters[e.letter[k]].role == role ? fmax(most, bound[k]) : most;
        const double wanted = reference(p, dy, e.letter[i]), error = fabs(x[i] - wanted);
        if (!(error <= most))
            print_message("%s: %s is %.17g from the derived equations, %.17g from the kernels, bound %.3g\n", label, d->letters[e.letter[i]].name,
                          x[i], wanted, most);
        worst = error > 0 ? fmax(worst, error / most) : worst;
    }
    free(bound);
    sweep_free(&s);
    free(slope);
    free(J);
    free(inverse);
    free(x);
    free(dy);
    free(e.letter);
    free(e.zero);
    return worst;
}

#endif
