/* Routh's equations. s coordinates are ignorable: their momenta G = dT/dv_2 are constant. With v_2 eliminated by them, the Routhian
 *
 *   R(t, q_1, v_1) = T - V - G . v_2,      d/dt (dR/dv_1) - dR/dq_1 = Q_1 + A_1^T lambda,   A_1 v_1' = gamma
 * has no ignorable coordinate left. B are its second derivatives by v_1; v_2' = c - X v_1' follows from v_2(q_1, v_1, G).
 * Where v_1 are not rates of coordinates (a ball joint) w x dR/dw is added, as in Lagrange's equations.
 *
 * If v_2 are unknowns of a named system, R is not differentiated through them. Its derivatives are those of T and V with v_2
 * held, because G = dT/dv_2 (Goldstein, Classical Mechanics, 8.3):
 *   dR/dv_1 = dT/dv_1,   dR/dq_1 = d(T - V)/dq_1,   X = M_22^-1 M_21,   B = M_11 - M_12 X
 */
#include "derive/nodes.h"

#include <string.h>

typedef struct parts {
    int n, s, *one, *two; /* velocities that stay, and the ignorable ones */
    dal_node *M22, *v_2;  /* in q_1; in q_1, v_1 and G */
    bool named;           /* some of v_2 are unknowns of a named system */
} parts;

static parts divide(dal_derivation *d)
{
    parts p = {0, d->layout->n_ignorable, DAL_NEW(d->arena, int, d->nv), DAL_NEW(d->arena, int, d->nv), NULL, NULL, false};
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
static void eliminate_velocities(dal_derivation *d, parts *p)
{
    dal_node *right = DAL_NEW(d->arena, dal_node, p->s);
    const int systems = d->n_systems;
    p->M22 = DAL_NEW(d->arena, dal_node, p->s * p->s);
    p->v_2 = DAL_NEW(d->arena, dal_node, p->s);
    for (int i = 0; i < p->s; i++) {
        const dal_node momentum = dal_by_rate(d, d->T, p->two[i]);
        for (int j = 0; j < p->s; j++)
            p->M22[i * p->s + j] = dal_by_rate(d, momentum, p->two[j]);
        right[i] = dal_n_sub(d, dal_n_var(d, d->G + i), dal_substitute(d->graph, momentum, at_rest, d));
    }
    dal_derive_solve(d, "v", p->s, p->M22, 1, right, p->v_2);
    p->named = d->n_systems > systems;
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

static dal_node with_momenta(dal_derivation *d, const parts *p, dal_node node)
{
    exchange e = {d, p};
    return dal_substitute(d->graph, node, without_ignorable, &e);
}

static dal_node routhian(dal_derivation *d, const parts *p)
{
    dal_node R = dal_n_sub(d, with_momenta(d, p, d->T), d->V);
    for (int i = 0; i < p->s; i++)
        R = dal_n_sub(d, R, dal_n_mul(d, dal_n_var(d, d->G + i), p->v_2[i]));
    return R;
}

/* The parts of the equations: dR/dv_1, dR/dq_1, B and X. */
typedef struct slopes {
    dal_node *by_rate, *by_place, *B, *X;
} slopes;

static void differentiate_routhian(dal_derivation *d, const parts *p, dal_node R, slopes *s)
{
    for (int i = 0; i < p->n; i++) {
        s->by_rate[i] = dal_by_rate(d, R, p->one[i]);
        s->by_place[i] = dal_along_column(d, R, p->one[i]);
        for (int j = 0; j < p->n; j++)
            s->B[i * p->n + j] = dal_by_rate(d, s->by_rate[i], p->one[j]);
    }
    for (int i = 0; i < p->s; i++)
        for (int j = 0; j < p->n; j++)
            s->X[i * p->n + j] = dal_n_neg(d, dal_by_rate(d, p->v_2[i], p->one[j]));
}

static void differentiate_with_names(dal_derivation *d, const parts *p, slopes *s)
{
    const dal_node L = dal_n_sub(d, d->T, d->V);
    dal_node *M21 = DAL_NEW(d->arena, dal_node, p->s * p->n);
    for (int i = 0; i < p->s; i++)
        for (int j = 0; j < p->n; j++)
            M21[i * p->n + j] = dal_by_rate(d, dal_by_rate(d, d->T, p->two[i]), p->one[j]);
    dal_derive_solve(d, "X", p->s, p->M22, p->n, M21, s->X);
    for (int i = 0; i < p->n; i++) {
        const dal_node momentum = dal_by_rate(d, d->T, p->one[i]);
        s->by_rate[i] = with_momenta(d, p, momentum);
        s->by_place[i] = with_momenta(d, p, dal_along_column(d, L, p->one[i]));
        for (int j = 0; j < p->n; j++) {
            dal_node B = dal_by_rate(d, momentum, p->one[j]);
            for (int k = 0; k < p->s; k++)
                B = dal_n_sub(d, B, dal_n_mul(d, M21[k * p->n + i], s->X[k * p->n + j]));
            s->B[i * p->n + j] = B;
        }
    }
}

static slopes differentiate_by_all(dal_derivation *d, const parts *p, dal_node R)
{
    slopes s = {DAL_NEW(d->arena, dal_node, p->n), DAL_NEW(d->arena, dal_node, p->n), DAL_NEW(d->arena, dal_node, p->n * p->n),
                DAL_NEW(d->arena, dal_node, p->s * p->n)};
    if (p->named)
        differentiate_with_names(d, p, &s);
    else
        differentiate_routhian(d, p, R, &s);
    return s;
}

/* Minus w x dR/dw of the balls. */
static void add_commutators(dal_derivation *d, const parts *p, const dal_node *by_rate, dal_node *f)
{
    dal_node *slope = DAL_NEW(d->arena, dal_node, d->nv), *turn = DAL_NEW(d->arena, dal_node, d->nv);
    for (int k = 0; k < d->nv; k++)
        slope[k] = turn[k] = dal_n_const(d, 0); /* R has no ignorable velocity */
    for (int i = 0; i < p->n; i++)
        slope[p->one[i]] = by_rate[i];
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

static void add_rates(dal_derivation *d, const parts *p, const dal_node *X, const char **one, const char **two)
{
    static const char *const c_name[] = {"c"};
    dal_node *c = DAL_NEW(d->arena, dal_node, p->s);
    for (int i = 0; i < p->s; i++) {
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
    dal_node *f = DAL_NEW(d->arena, dal_node, p.n);
    eliminate_velocities(d, &p);
    const dal_node R = routhian(d, &p);
    const slopes s = differentiate_by_all(d, &p, R);
    const dal_node *B = s.B;
    const char **one = names_of(d, p.n, p.one), **two = names_of(d, p.s, p.two);
    for (int i = 0; i < p.n; i++) {
        f[i] = dal_n_sub(d, dal_n_add(d, d->Q_other[p.one[i]], s.by_place[i]), dal_along_motion(d, s.by_rate[i]));
        if (d->layout->family->separated) /* V on the motions of rigid bodies: dal_push_natural */
            f[i] = dal_n_add(d, f[i], dal_n_sub(d, dal_n_add(d, d->Q[p.one[i]], dal_along_column(d, d->V, p.one[i])), d->Q_other[p.one[i]]));
    }
    add_commutators(d, &p, s.by_rate, f);
    dal_add_derived_block(d, "B", "second derivatives of the Routhian by v_1", p.n, p.n, B, one, one);
    dal_add_derived_block(d, "f", "Q_1 with dR/dq_1 less d/dt (dR/dv_1) for v_1' = 0", p.n, 1, f, one, f_name);
    add_constraints(d, &p, one);
    add_rates(d, &p, s.X, one, two);
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
                .ignores = true, .solution = DAL_SOLVED_WITH_ROUTHIAN,
                .latex = "\\frac{d}{dt}\\frac{\\partial R}{\\partial v_1} - \\frac{\\partial R}{\\partial q_1} = "
                         "Q_1 + A_1^{T}\\lambda, \\qquad R = T - V - G\\cdot v_2");
