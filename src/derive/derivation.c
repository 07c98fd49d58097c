/* The formulations that are written in symbols, and the part that all of them begin with. */
#include "derive/nodes.h"

#include <string.h>

extern const dal_derived_formulation dal_derived_lagrange, dal_derived_kane, dal_derived_udwadia_kalaba, dal_derived_udwadia_phohomsiri,
    dal_derived_maggi, dal_derived_gibbs_appell, dal_derived_volterra, dal_derived_boltzmann_hamel, dal_derived_routh, dal_derived_volterra_reduced,
    dal_derived_component, dal_derived_recursive;

const dal_derived_formulation *const dal_derived_formulations[] = {&dal_derived_lagrange,
                                                                   &dal_derived_maggi,
                                                                   &dal_derived_kane,
                                                                   &dal_derived_gibbs_appell,
                                                                   &dal_derived_volterra,
                                                                   &dal_derived_boltzmann_hamel,
                                                                   &dal_derived_udwadia_kalaba,
                                                                   &dal_derived_udwadia_phohomsiri,
                                                                   &dal_derived_routh,
                                                                   &dal_derived_volterra_reduced,
                                                                   &dal_derived_component,
                                                                   &dal_derived_recursive,
                                                                   NULL};

/* ---- what is collected ---------------------------------------------------------- */

void dal_add_derived_block(dal_derivation *d, const char *name, const char *title, int rows, int columns, const dal_node *values,
                           const char *const *row_names, const char *const *column_names)
{
    *DAL_PUSH(d->arena, d->blocks, d->n_blocks, d->cap_blocks) = (dal_derived_block){name, title, rows, columns, values, row_names, column_names};
}

void dal_add_derived_equation(dal_derivation *d, const char *name, dal_node zero)
{
    *DAL_PUSH(d->arena, d->equations, d->n_equations, d->cap_equations) = (dal_derived_equation){name, zero};
}

void dal_add_derived_step(dal_derivation *d, const char *text, const char *name, dal_node value, dal_node check)
{
    *DAL_PUSH(d->arena, d->step, d->n_steps, d->cap_steps) = (dal_derived_step){text, name, value, check};
}

/* ---- blocks that several formulations have ----------------------------------------- */

static void add_rows(dal_derivation *d)
{
    static const char *const gamma_name[] = {"gamma"};
    dal_node *gamma = DAL_NEW(d->arena, dal_node, d->n_rows);
    for (int r = 0; r < d->n_rows; r++)
        gamma[r] = d->row[r].gamma;
    if (!d->n_rows)
        return;
    dal_add_derived_block(d, "A", "the constraints at the level of velocities, A v = beta", d->n_rows, d->nv, d->A, d->row_names, d->velocity_names);
    dal_add_derived_block(d, "gamma", "their right side at the level of accelerations, A v' = gamma", d->n_rows, 1, gamma, d->row_names, gamma_name);
}

static void add_inertia(dal_derivation *d)
{
    static const char *const force_name[] = {"Q - h"};
    dal_node *rest = DAL_NEW(d->arena, dal_node, d->nv);
    for (int k = 0; k < d->nv; k++)
        rest[k] = dal_n_sub(d, d->Q[k], d->h[k]);
    dal_add_derived_block(d, "M", "the mass matrix, second derivatives of T by the velocities", d->nv, d->nv, d->M, d->velocity_names,
                          d->velocity_names);
    dal_add_derived_block(d, "Q - h", "the applied forces less the inertia forces that hold no accelerations", d->nv, 1, rest, d->velocity_names,
                          force_name);
}

void dal_add_saddle_blocks(dal_derivation *d)
{
    add_inertia(d);
    add_rows(d);
}

static const char **unit_names(dal_derivation *d)
{
    const char **names = DAL_NEW(d->arena, const char *, d->p);
    for (int j = 0; j < d->p; j++)
        names[j] = d->letters[d->u + j].name;
    return names;
}

/* Replaces v by W u + X: equations are printed in q, u and u'. */
static dal_node in_speeds(void *user, dal_graph *graph, int variable)
{
    dal_derivation *d = user;
    (void)graph;
    if (d->letters[variable].role == DAL_ROLE_NORM_RATE)
        return dal_n_const(d, 0);
    if (d->letters[variable].role != DAL_ROLE_RATE)
        return DAL_NO_NODE;
    const int k = d->letters[variable].index;
    dal_node v = d->X[k];
    for (int j = 0; j < d->p; j++)
        v = dal_n_add(d, v, dal_n_mul(d, d->W[k * d->p + j], dal_n_var(d, d->u + j)));
    return v;
}

dal_node dal_in_speeds(dal_derivation *d, dal_node node)
{
    return dal_substitute(d->graph, node, in_speeds, d);
}

void dal_add_speed_equations(dal_derivation *d, const char *K_name, const char *K_title, const dal_node *K, const char *f_name, const char *f_title,
                             const dal_node *f)
{
    const char **names = unit_names(d), **one = DAL_NEW(d->arena, const char *, 1);
    const int p = d->p;
    one[0] = f_name;
    d->K = K;
    d->f = f;
    dal_add_derived_block(d, "W", "the velocities of a unit of each speed: v = W u + X", d->nv, p, d->W, d->velocity_names, names);
    dal_add_derived_block(d, K_name, K_title, p, p, K, names, names);
    dal_add_derived_block(d, f_name, f_title, p, 1, f, names, one);
    for (int i = 0; i < p; i++) {
        dal_node zero = dal_n_neg(d, f[i]);
        for (int j = 0; j < p; j++)
            zero = dal_n_add(d, zero, dal_n_mul(d, K[i * p + j], dal_n_var(d, d->ud + j)));
        dal_add_derived_equation(d, names[i], dal_in_speeds(d, zero));
    }
}

/* ---- everything ---------------------------------------------------------------------- */

const dal_derived_formulation *dal_find_derived_formulation(const char *name)
{
    for (int i = 0; dal_derived_formulations[i]; i++)
        if (!strcmp(dal_derived_formulations[i]->name, name))
            return dal_derived_formulations[i];
    return NULL;
}

bool dal_derives(const char *formulation, dal_messages *messages)
{
    const char *names[32] = {NULL};
    char hint[96];
    if (dal_find_derived_formulation(formulation))
        return true;
    for (int i = 0; dal_derived_formulations[i] && i < 31; i++)
        names[i] = dal_derived_formulations[i]->name;
    dal_error(messages, (dal_mark){0},
              "the equations of '%s' are not written in symbols%s: those of lagrange, maggi, kane, gibbs-appell, volterra, volterra-reduced, "
              "boltzmann-hamel, routh, udwadia-kalaba, udwadia-phohomsiri, component and recursive are",
              formulation, dal_did_you_mean(formulation, names, hint));
    return false;
}

static void add_tables(dal_derivation *d)
{
    for (int i = 0; i < d->spec->n_tables; i++) {
        const dal_table_spec *t = &d->spec->tables[i];
        const char *why = "", *outside = t->outside.text ? t->outside.text : "";
        const int smooth = t->smooth.text ? t->smooth.text[0] - '0' : 2;
        dal_graph_add_table(d->graph, t->name.text, t->n, t->x_value, t->y_value, smooth,
                            !strcmp(outside, "hold")       ? DAL_OUTSIDE_HOLD
                            : !strcmp(outside, "periodic") ? DAL_OUTSIDE_PERIODIC
                                                           : DAL_OUTSIDE_ERROR,
                            &why);
    }
}

/* An entry of M is a sum over the bodies that move with both velocities. Beyond some ten million operations the result is unreadable. The
 * recursion has no M: its code is proportional to the number of bodies. What is left is a table of all bodies by all velocities. */
static bool is_too_large(const dal_derivation *d, const dal_derived_formulation *formulation)
{
    const double most = 4e6, nv = d->nv;
    if (d->options.whole_systems && formulation->solution == DAL_SOLVED_ALREADY)
        return nv * d->mechanism->n_bodies > most;
    return nv * nv * d->mechanism->n_bodies > (d->layout->tree ? most : 10 * most);
}

static void name_momenta(dal_derivation *d)
{
    d->G = d->n_letters;
    for (int i = 0; i < d->layout->n_ignorable; i++) {
        char *name = dal_arena_print(d->arena, "G.%s", d->velocity_names[d->layout->ignorable[i]]);
        name[strcspn(name, "'")] = '\0';
        dal_letter_add(d, DAL_ROLE_MOMENTUM, name, i, 0);
    }
}

dal_derivation *dal_derive_equations(dal_arena *arena, const dal_spec *spec, const dal_system *system, const dal_derive_options *options,
                                     dal_messages *messages)
{
    dal_derivation *d = DAL_NEW(arena, dal_derivation, 1);
    const char *name = options->formulation ? options->formulation : dal_derived_lagrange.name;
    const dal_derived_formulation *formulation = dal_find_derived_formulation(name);
    *d = (dal_derivation){.arena = arena,
                          .graph = dal_graph_create(arena),
                          .spec = spec,
                          .system = system,
                          .mechanism = dal_system_mechanism(system),
                          .layout = dal_system_layout(system),
                          .options = *options,
                          .messages = messages,
                          .direction = DAL_ALONG_MOTION,
                          .G = -1};
    d->nq = d->layout->nq;
    d->nv = d->layout->nv;
    if (!dal_derives(name, messages))
        return NULL;
    if (is_too_large(d, dal_find_derived_formulation(name)))
        dal_derive_refuse(
            d, "%d bodies with %d velocities are too many for equations in symbols: derive a smaller model of the kind, as with `--set N=10`",
            d->mechanism->n_bodies, d->nv);
    if (d->failed)
        return NULL;
    d->formulation = formulation;
    add_tables(d);
    dal_derive_letters(d);
    dal_derive_markers(d);
    dal_derive_places(d);
    if (!d->failed)
        dal_derive_energy(d);
    if (!d->failed)
        dal_derive_rows(d);
    if (!d->failed)
        dal_derive_forces(d);
    if (!d->failed && formulation->ignores)
        name_momenta(d);
    if (!d->failed && formulation->speeds)
        dal_derive_speeds(d);
    if (!d->failed)
        formulation->derive(d);
    if (!d->failed && options->steps)
        dal_derive_steps(d);
    if (!d->failed)
        dal_put_parameters(d);
    return d->failed ? NULL : d;
}
