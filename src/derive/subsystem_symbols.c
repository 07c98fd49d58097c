/* Sub-systems whose equations are known (`systems:`, `lagrangian:`), in symbols.
 *
 *   a Lagrangian   V = -L at v = 0,  T = L + V,  Q = -dV/dq - dD/dv
 *   M v' = F       T = 1/2 v . M v, or `kinetic`,  Q = F + h,  h = d/dt (dT/dv) - dT/dq for v' = 0
 * T is added to that of the bodies, V to that of the forces, and every formulation continues from there. For M v' = F the term h of T and the h in F
 * + h cancel, also for coordinates of other parts, which T and V may contain and on which they do not act. Without `kinetic`, T is 1/2 v . M v: the
 * equations do not depend on it.
 *
 * In formulations that are sums over bodies, with partial velocities W_j and p = dT/dv,
 *   inertia   W_j . M W_l          inertia forces   W_j . (d/dt p - dT/dq)
 */
#include "derive/nodes.h"

typedef struct reader {
    dal_derivation *d;
    const dal_subsystem_spec *spec;
    int number;
} reader;

static const char *title_of(const reader *r)
{
    return r->spec->mass.n ? dal_arena_print(r->d->arena, "system '%s'", r->spec->name.text) : "the Lagrangian";
}

static dal_node read_text(const reader *r, dal_text text)
{
    dal_value value;
    if (dal_derive_text(r->d, r->spec->binding, text, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(r->d, "%s: '%.80s' cannot be written in symbols", title_of(r), text.text);
    return dal_n_const(r->d, 0);
}

static dal_node without_rates(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    return d->letters[variable].role == DAL_ROLE_RATE ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* Marker `which` of the system (origins.c): 0 inertia, 1 potential, 2 the rest; 1 where nothing is marked. */
static dal_node mark(const reader *r, int which, dal_node node)
{
    dal_derivation *d = r->d;
    const int first = d->first_source + 2 * (d->mechanism->n_bodies + d->spec->n_forces) + DAL_SUBSYSTEM_MARKERS * r->number;
    return d->first_source ? dal_n_mul(d, dal_n_var(d, first + which), node) : node;
}

/* The velocity of the coordinate of this name. */
static int column_of(const reader *r, dal_text name)
{
    const char *rest;
    int i = 0;
    const dal_element kind = dal_find_element(r->d, r->spec->binding ? r->spec->binding->model : NULL, name.text, &i, &rest);
    if (kind != DAL_ELEMENT_COORDINATE)
        dal_derive_refuse(r->d, "%s: '%s' is not one of the coordinates", title_of(r), name.text);
    return r->d->layout->own_v + i;
}

/* ---- energies ----------------------------------------------------------------------- */

/* L without and with V: L = T - V, and V is the part of L without rates. */
static dal_node lagrangian(const reader *r, dal_node *V)
{
    dal_derivation *d = r->d;
    dal_node L = read_text(r, r->spec->L.text ? r->spec->L : r->spec->T);
    if (r->spec->V.text)
        L = dal_n_sub(d, L, read_text(r, r->spec->V));
    *V = dal_n_neg(d, dal_substitute(d->graph, L, without_rates, d));
    return L;
}

/* 1/2 v . M v */
static dal_node quadratic_form(const reader *r)
{
    dal_derivation *d = r->d;
    const int n = r->spec->coordinates.n;
    dal_node twice = dal_n_const(d, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const dal_node v_i = dal_n_var(d, d->v + column_of(r, r->spec->coordinates.item[i]));
            const dal_node v_j = dal_n_var(d, d->v + column_of(r, r->spec->coordinates.item[j]));
            twice = dal_n_add(d, twice, dal_n_mul(d, read_text(r, r->spec->mass.row[i].item[j]), dal_n_mul(d, v_i, v_j)));
        }
    return dal_n_div(d, twice, dal_n_const(d, 2));
}

/* T, marked. */
static dal_node kinetic_energy(const reader *r)
{
    dal_node V;
    if (!r->spec->mass.n) {
        const dal_node L = lagrangian(r, &V);
        return mark(r, 0, dal_n_add(r->d, L, V));
    }
    if (r->spec->kinetic.text)
        return mark(r, 0, read_text(r, r->spec->kinetic));
    dal_derive_note(r->d, "the kinetic energy of system '%s' is not given: T contains 1/2 v . M v, on which the equations do not depend",
                    r->spec->name.text);
    return mark(r, 0, quadratic_form(r));
}

void dal_derive_subsystem_energy(dal_derivation *d)
{
    d->T_systems = dal_n_const(d, 0);
    for (int s = 0; s < d->spec->n_systems && !d->failed; s++) {
        const reader r = {d, &d->spec->systems[s], s};
        d->T_systems = dal_n_add(d, d->T_systems, kinetic_energy(&r));
    }
    d->T = dal_n_add(d, d->T, d->T_systems);
}

/* ---- forces ------------------------------------------------------------------------------ */

static void push(dal_derivation *d, int k, dal_node force)
{
    d->Q_other[k] = dal_n_add(d, d->Q_other[k], force);
}

/* d/dt (dT/dv_k) - dT/dq_k for v' = 0 */
static dal_node inertia_force(dal_derivation *d, dal_node T, int k)
{
    return dal_n_sub(d, dal_along_motion(d, dal_by_rate(d, T, k)), dal_along_column(d, T, k));
}

static void push_lagrangian(const reader *r)
{
    dal_derivation *d = r->d;
    dal_node V;
    lagrangian(r, &V);
    d->V = dal_n_add(d, d->V, mark(r, 1, V));
    if (!r->spec->dissipation.text)
        return;
    const dal_node D = read_text(r, r->spec->dissipation);
    for (int k = 0; k < d->spec->n_coordinates; k++) {
        const int own = d->layout->own_v + k;
        push(d, own, mark(r, 2, dal_n_neg(d, dal_by_rate(d, D, own))));
    }
}

static void push_force(const reader *r)
{
    dal_derivation *d = r->d;
    const dal_node T = kinetic_energy(r);
    const dal_node V = r->spec->potential.text ? mark(r, 1, read_text(r, r->spec->potential)) : dal_n_const(d, 0);
    d->V = dal_n_add(d, d->V, V);
    for (int k = 0; k < d->nv; k++)
        push(d, k, dal_n_add(d, inertia_force(d, T, k), dal_along_column(d, V, k)));
    for (int i = 0; i < r->spec->coordinates.n; i++)
        push(d, column_of(r, r->spec->coordinates.item[i]), mark(r, 2, read_text(r, r->spec->force.item[i])));
}

void dal_derive_subsystem_forces(dal_derivation *d)
{
    for (int s = 0; s < d->spec->n_systems && !d->failed; s++) {
        const reader r = {d, &d->spec->systems[s], s};
        (r.spec->mass.n ? push_force : push_lagrangian)(&r);
    }
}

/* ---- beside the bodies ------------------------------------------------------------------------ */

dal_node dal_subsystem_mass(dal_derivation *d, int k, int l)
{
    return d->spec->n_systems ? dal_by_rate(d, dal_by_rate(d, d->T_systems, k), l) : dal_n_const(d, 0);
}

dal_node dal_subsystem_inertia(dal_derivation *d, int j, int l)
{
    dal_node sum = dal_n_const(d, 0);
    for (int k = 0; k < d->nv && d->spec->n_systems; k++)
        for (int m = 0; m < d->nv; m++)
            sum = dal_n_add(d, sum, dal_n_mul(d, dal_n_mul(d, d->W[k * d->p + j], d->W[m * d->p + l]), dal_subsystem_mass(d, k, m)));
    return sum;
}

dal_node dal_subsystem_inertia_force(dal_derivation *d, int j)
{
    dal_node sum = dal_n_const(d, 0);
    for (int k = 0; k < d->nv && d->spec->n_systems; k++) {
        const dal_node rate = dal_along_bias(d, dal_by_rate(d, d->T_systems, k));
        sum = dal_n_add(d, sum, dal_n_mul(d, d->W[k * d->p + j], dal_n_sub(d, rate, dal_along_column(d, d->T_systems, k))));
    }
    return sum;
}

/* 1/2 a . M a + a . h, a = W u' + bias */
dal_node dal_subsystem_energy_of_acceleration(dal_derivation *d)
{
    dal_node sum = dal_n_const(d, 0), half = dal_n_const(d, 0.5), *a = DAL_NEW(d->arena, dal_node, d->nv);
    if (!d->spec->n_systems)
        return sum;
    for (int k = 0; k < d->nv; k++) {
        a[k] = d->bias[k];
        for (int j = 0; j < d->p; j++)
            a[k] = dal_n_add(d, a[k], dal_n_mul(d, d->W[k * d->p + j], dal_n_var(d, d->ud + j)));
    }
    for (int k = 0; k < d->nv; k++) {
        sum = dal_n_add(d, sum, dal_n_mul(d, a[k], inertia_force(d, d->T_systems, k)));
        for (int l = 0; l < d->nv; l++)
            sum = dal_n_add(d, sum, dal_n_mul(d, half, dal_n_mul(d, dal_n_mul(d, a[k], a[l]), dal_subsystem_mass(d, k, l))));
    }
    return sum;
}

/* p . W_j, and the part of its rate that is not a force: p . d/dt W_j + dT/dq . W_j. */
void dal_subsystem_momentum(dal_derivation *d, int j, dal_node *slope, dal_node *rest)
{
    for (int k = 0; k < d->nv && d->spec->n_systems; k++) {
        const dal_node p = dal_by_rate(d, d->T_systems, k), W = d->W[k * d->p + j];
        *slope = dal_n_add(d, *slope, dal_n_mul(d, p, W));
        *rest = dal_n_add(d, *rest, dal_n_mul(d, p, dal_along_bias(d, W)));
        *rest = dal_n_add(d, *rest, dal_n_mul(d, dal_along_column(d, d->T_systems, k), W));
    }
}
