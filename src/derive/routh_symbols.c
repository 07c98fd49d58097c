/* Routh's equations. s coordinates are ignorable: their momenta G = dT/dv_2 are constant. With v_2 eliminated by them, the Routhian
 *
 *   R(t, q_1, v_1) = T - V - G . v_2,      d/dt (dR/dv_1) - dR/dq_1 = Q_1 + A_1^T lambda,   A_1 v_1' = gamma
 * has no ignorable coordinate left. B are its second derivatives by v_1; v_2' = c - X v_1' follows from v_2(q_1, v_1, G).
 * Where v_1 are not rates of coordinates (a ball joint) w x dR/dw is added, as in Lagrange's equations.
 */
#include "derive/nodes.h"

#include <string.h>

typedef struct parts {
    int n, s, *one, *two; /* velocities that stay, and the ignorable ones */
    dal_node *v_2;        /* in q_1, v_1 and G */
} parts;

static parts divide(dal_derivation *d)
{
    parts p = {0, d->layout->n_ignorable, DAL_NEW(d->arena, int, d->nv), DAL_NEW(d->arena, int, d->nv), NULL};
    memcpy(p.two, d->layout->ignorable, sizeof *p.two * (size_t)p.s);
    for (int k = 0; k < d->nv; k++) {
        bool ignorable = false;
        for (int i = 0; i < p.s; i++)
            ignorable |= p.two[i] == k;
        if (!ignorable)
            p.one[p.n++] = k;
    }
    return p;
}

static dal_node at_rest(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    for (int i = 0; i < d->layout->n_ignorable; i++)
        if (variable == d->v + d->layout->ignorable[i])
            return dal_const(graph, 0);
    return DAL_NO_NODE;
}

/* M_22 v_2 = G - (dT/dv_2 for v_2 = 0) */
static void eliminate(dal_derivation *d, parts *p)
{
    dal_node *M22 = DAL_NEW(d->arena, dal_node, p->s * p->s), *right = DAL_NEW(d->arena, dal_node, p->s);
    p->v_2 = DAL_NEW(d->arena, dal_node, p->s);
    for (int i = 0; i < p->s; i++) {
        const dal_node momentum = dal_by_rate(d, d->T, p->two[i]);
        for (int j = 0; j < p->s; j++)
            M22[i * p->s + j] = dal_by_rate(d, momentum, p->two[j]);
        right[i] = dal_n_sub(d, dal_n_var(d, d->G + i), dal_substitute(d->graph, momentum, at_rest, d));
    }
    dal_derive_solve(d, "v", p->s, M22, 1, right, p->v_2);
    if (d->n_systems)
        dal_derive_refuse(d,
                          "the rates of %d ignorable coordinates follow from a system of more than three equations: the Routhian is not written in "
                          "symbols for it",
                          p->s);
}

typedef struct exchange {
    const dal_derivation *d;
    const parts *p;
} exchange;

static dal_node without_ignorable(void *user, dal_graph *graph, int variable)
{
    const exchange *e = user;
    (void)graph;
    for (int i = 0; i < e->p->s; i++)
        if (variable == e->d->v + e->p->two[i])
            return e->p->v_2[i];
    return DAL_NO_NODE;
}

static dal_node routhian(dal_derivation *d, const parts *p)
{
    exchange e = {d, p};
    dal_node R = dal_n_sub(d, dal_substitute(d->graph, d->T, without_ignorable, &e), d->V);
    for (int i = 0; i < p->s; i++)
        R = dal_n_sub(d, R, dal_n_mul(d, dal_n_var(d, d->G + i), p->v_2[i]));
    return R;
}

/* Less w x dR/dw of the balls. */
static void add_commutators(dal_derivation *d, const parts *p, dal_node R, dal_node *f)
{
    dal_node *slope = DAL_NEW(d->arena, dal_node, d->nv), *turn = DAL_NEW(d->arena, dal_node, d->nv);
    for (int k = 0; k < d->nv; k++) {
        slope[k] = dal_by_rate(d, R, k);
        turn[k] = dal_n_const(d, 0);
    }
    dal_add_ball_turns(d, slope, turn);
    for (int j = 0; j < p->n; j++)
        f[j] = dal_n_sub(d, f[j], turn[p->one[j]]);
}

static const char **names_of(dal_derivation *d, int n, const int *velocity)
{
    const char **names = DAL_NEW(d->arena, const char *, n);
    for (int i = 0; i < n; i++)
        names[i] = d->velocity_names[velocity[i]];
    return names;
}

static void add_rates(dal_derivation *d, const parts *p, const char **one, const char **two)
{
    static const char *const c_name[] = {"c"};
    dal_node *X = DAL_NEW(d->arena, dal_node, p->s * p->n), *c = DAL_NEW(d->arena, dal_node, p->s);
    for (int i = 0; i < p->s; i++) {
        for (int j = 0; j < p->n; j++)
            X[i * p->n + j] = dal_n_neg(d, dal_by_rate(d, p->v_2[i], p->one[j]));
        c[i] = dal_along_motion(d, p->v_2[i]);
        dal_add_derived_step(d, i ? "" : "Rates of the ignorable coordinates, from their momenta:", d->velocity_names[p->two[i]], p->v_2[i],
                             DAL_NO_NODE);
    }
    dal_add_derived_block(d, "X", "v_2' = c - X v_1', v_2 those of the ignorable coordinates", p->s, p->n, X, two, one);
    dal_add_derived_block(d, "c", "v_2' for v_1' = 0", p->s, 1, c, two, c_name);
}

static void add_constraints(dal_derivation *d, const parts *p, const char **one)
{
    static const char *const gamma_name[] = {"gamma"};
    const int k = dal_system_rank(d->system), *rows = d->options.rows ? d->options.rows : dal_system_start_rows(d->system);
    dal_node *A = DAL_NEW(d->arena, dal_node, k * p->n), *gamma = DAL_NEW(d->arena, dal_node, k);
    const char **names = DAL_NEW(d->arena, const char *, k);
    for (int r = 0; r < k; r++) {
        names[r] = d->row[rows[r]].name;
        gamma[r] = d->row[rows[r]].gamma;
        for (int j = 0; j < p->n; j++)
            A[r * p->n + j] = d->A[rows[r] * d->nv + p->one[j]];
    }
    if (!k)
        return;
    dal_add_derived_block(d, "A_1", "independent rows of the constraints", k, p->n, A, names, one);
    dal_add_derived_block(d, "gamma", "their right side at the level of accelerations", k, 1, gamma, names, gamma_name);
}

static void derive_routh(dal_derivation *d)
{
    static const char *const f_name[] = {"f"};
    parts p = divide(d);
    dal_node *B = DAL_NEW(d->arena, dal_node, p.n * p.n), *f = DAL_NEW(d->arena, dal_node, p.n);
    eliminate(d, &p);
    const dal_node R = routhian(d, &p);
    const char **one = names_of(d, p.n, p.one), **two = names_of(d, p.s, p.two);
    for (int i = 0; i < p.n; i++) {
        const dal_node slope = dal_by_rate(d, R, p.one[i]);
        for (int j = 0; j < p.n; j++)
            B[i * p.n + j] = dal_by_rate(d, slope, p.one[j]);
        f[i] = dal_n_sub(d, dal_n_add(d, d->Q_other[p.one[i]], dal_along_column(d, R, p.one[i])), dal_along_motion(d, slope));
        if (d->layout->family->separated) /* V on the motions of rigid bodies: dal_push_natural */
            f[i] = dal_n_add(d, f[i], dal_n_sub(d, dal_n_add(d, d->Q[p.one[i]], dal_along_column(d, d->V, p.one[i])), d->Q_other[p.one[i]]));
    }
    add_commutators(d, &p, R, f);
    dal_add_derived_block(d, "B", "second derivatives of the Routhian by v_1", p.n, p.n, B, one, one);
    dal_add_derived_block(d, "f", "Q_1 with dR/dq_1 less d/dt (dR/dv_1) for v_1' = 0", p.n, 1, f, one, f_name);
    add_constraints(d, &p, one);
    add_rates(d, &p, one, two);
    dal_add_derived_step(d, "The Routhian, T - V - G . v_2:", "R", R, DAL_NO_NODE);
    for (int i = 0; i < p.n; i++) {
        dal_node zero = dal_n_neg(d, f[i]);
        for (int j = 0; j < p.n; j++)
            zero = dal_n_add(d, zero, dal_n_mul(d, B[i * p.n + j], dal_n_var(d, d->a + p.one[j])));
        for (int r = 0; r < d->n_rows; r++)
            zero = dal_n_sub(d, zero, dal_n_mul(d, d->A[r * d->nv + p.one[i]], dal_n_var(d, d->lambda + r)));
        dal_add_derived_equation(d, one[i], zero);
    }
}

const dal_derived_formulation dal_derived_routh =
    DAL_DERIVED("routh", "Routh's equations", "d/dt (dR/dv_1) - dR/dq_1 = Q_1 + A_1^T lambda,  R = T - V - G . v_2", "", derive_routh,
                .ignores = true, .solution = DAL_SOLVED_WITH_ROUTHIAN);
