/* End stops, clearances and bushings in symbols.
 *
 * An end at depth d (d = lower - x, x - upper, or |PQ| - gap of a clearance) pushes back only for d > 0:
 *   no loss       V = 1/2 k d^2                 F = k d
 *   damping       V = 1/2 k d^2                 F = max(0, k d + c d')
 *   restitution   V = (1 + e^2)/4 k d^2         F = k d ((1 + e^2)/2 + (1 - e^2)/2 tanh(d'/w))
 * The part of F without potential is F - dV/dd. Both are written with `if`.
 *
 * A bushing has V = 1/2 sum k m^2 and the forces -c m' along its measures m: shifts in the axes of the first frame, and turns
 *   1/2 (z_i . y_j - y_i . z_j) and so on; in the plane the angle.
 */
#include "derive/force_elements.h"

/* ---- ends ------------------------------------------------------------------------------ */

typedef struct end_law {
    dal_node stiffness, damping, restitution, velocity; /* DAL_NO_NODE: none */
} end_law;

static dal_node half_of(dal_derivation *d, dal_node x)
{
    return dal_n_div(d, x, dal_n_const(d, 2));
}

/* (1 + sign e^2)/2 */
static dal_node half_with_square(dal_derivation *d, dal_node e, int sign)
{
    const dal_node square = dal_n_mul(d, e, e), one = dal_n_const(d, 1);
    return half_of(d, sign > 0 ? dal_n_add(d, one, square) : dal_n_sub(d, one, square));
}

static bool is_positive(dal_derivation *d, dal_node constant)
{
    return constant != DAL_NO_NODE && dal_derive_value(d, constant) > 0;
}

static end_law read_law(const dal_derived_force *e)
{
    const dal_force_spec *spec = e->spec;
    end_law law = {dal_force_read_item(e, &spec->stiffness, 0), DAL_NO_NODE, DAL_NO_NODE, DAL_NO_NODE};
    if (spec->damping.n)
        law.damping = dal_force_read_item(e, &spec->damping, 0);
    if (spec->restitution.text)
        law.restitution = dal_force_read(e, spec->restitution);
    if (law.restitution != DAL_NO_NODE && dal_derive_value(e->d, law.restitution) == 1)
        law.restitution = DAL_NO_NODE;  /* no energy is lost */
    if (law.restitution != DAL_NO_NODE) /* a decimal number stays a decimal number */
        law.velocity = spec->velocity.text ? dal_force_read(e, spec->velocity) : dal_derive_number(e->d, 1e-3);
    return law;
}

/* F - dV/dd while the end is in contact. */
static dal_node loss(dal_derivation *d, const end_law *law, dal_node depth, dal_node rate)
{
    if (law->restitution != DAL_NO_NODE) {
        const dal_node turn = dal_unary(d->graph, DAL_OP_TANH, dal_n_div(d, rate, law->velocity));
        return dal_n_mul(d, dal_n_mul(d, law->stiffness, depth), dal_n_mul(d, half_with_square(d, law->restitution, -1), turn));
    }
    if (!is_positive(d, law->damping))
        return dal_n_const(d, 0);
    /* max(0, k d + c d') - k d = max(-k d, c d') */
    return dal_binary(d->graph, DAL_OP_MAX, dal_n_neg(d, dal_n_mul(d, law->stiffness, depth)), dal_n_mul(d, law->damping, rate));
}

/* An end whose depth is this function of the coordinates. */
static void add_end(dal_derivation *d, const end_law *law, dal_node depth)
{
    const dal_node zero = dal_n_const(d, 0), touched = dal_binary(d->graph, DAL_OP_LESS, zero, depth);
    dal_node energy = half_of(d, dal_n_mul(d, law->stiffness, dal_n_mul(d, depth, depth)));
    if (law->restitution != DAL_NO_NODE)
        energy = dal_n_mul(d, half_with_square(d, law->restitution, 1), energy);
    d->V = dal_n_add(d, d->V, dal_select(d->graph, touched, energy, zero));
    const dal_node rest = loss(d, law, depth, dal_along_motion(d, depth));
    if (!dal_n_is(d, rest, 0))
        dal_force_push(d, depth, dal_select(d->graph, touched, dal_n_neg(d, rest), zero));
}

void dal_derive_end_stop(const dal_derived_force *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    const dal_node x = dal_force_length(e, type);
    const end_law law = read_law(e);
    if (x == DAL_NO_NODE)
        return;
    if (e->spec->lower.text)
        add_end(d, &law, dal_n_sub(d, dal_force_read(e, e->spec->lower), x));
    if (e->spec->upper.text)
        add_end(d, &law, dal_n_sub(d, x, dal_force_read(e, e->spec->upper)));
}

void dal_derive_clearance(const dal_derived_force *e, const dal_force_type *type)
{
    const end_law law = read_law(e);
    add_end(e->d, &law, dal_n_sub(e->d, dal_force_length(e, type), dal_force_read(e, e->spec->gap)));
}

/* ---- bushings ------------------------------------------------------------------------------ */

/* The compiled bushing of this element: which vectors its measures are made of. */
static dal_bushing_info find_bushing(const dal_derived_force *e)
{
    const dal_acting *acting = dal_system_acting(e->d->system);
    for (int g = 0; g < acting->n_groups; g++)
        for (int i = 0; i < acting->groups[g].n && dal_force_types[acting->groups[g].type]->bushing; i++) {
            const dal_bushing_info info = dal_bushing_of(&acting->groups[g], i);
            if (info.force == e->number)
                return info;
        }
    return (dal_bushing_info){0};
}

/* The frames of both ends: their points in symbols. Shift k is (P_j - P_i) . e_k,i. */
static void read_frames(const dal_derived_force *e, const dal_bushing_info *info, dal_symbolic_marker near[2])
{
    dal_derivation *d = e->d;
    const dal_measure *shift = &d->mechanism->measures[info->measure[0][0]];
    for (int i = 0; i < 2; i++) {
        const dal_vector *v = &d->mechanism->vectors[shift->vector[1 - i]];
        const dal_marker compiled = {.body = v->body, .s = {v->s[0], v->s[1], v->s[2]}, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        dal_derive_marker(d, e->spec->connect.item[i], &compiled, &near[i]);
    }
}

void dal_derive_bushing(const dal_derived_force *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    const dal_bushing_info info = find_bushing(e);
    dal_symbolic_marker near[2];
    (void)type;
    if (!info.n) {
        dal_derive_refuse(d, "bushing '%s' cannot be written in symbols: its measures are not known", e->spec->name.text);
        return;
    }
    read_frames(e, &info, near);
    for (int k = 0; k < info.n; k++) {
        dal_node m = dal_derive_measure(d, info.measure[k][0], 2, near);
        if (info.measure[k][1] >= 0)
            m = half_of(d, dal_n_sub(d, m, dal_derive_measure(d, info.measure[k][1], 2, near)));
        const dal_node stiffness = dal_force_read_item(e, &e->spec->stiffness, k);
        d->V = dal_n_add(d, d->V, half_of(d, dal_n_mul(d, stiffness, dal_n_mul(d, m, m))));
        const dal_node damping = dal_force_read_item(e, &e->spec->damping, k);
        if (!dal_n_is(d, damping, 0))
            dal_force_push(d, m, dal_n_neg(d, dal_n_mul(d, damping, dal_along_motion(d, m))));
    }
}
