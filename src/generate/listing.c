/* The listing of a model: the nodes of all functions of its code, simplified (listing.h).
 *
 *     variables    t, q, v, inputs (with states and momenta), parameters, speeds; a reference value for each, where orders of elimination are chosen
 *     nodes        those of the equations: code_of_equations.c
 *     simplify     twice: equal values become one node (value_numbers.c), like terms are taken together (collect_sums.c)
 */
#include "generate/listing.h"

#include <math.h>
#include <string.h>

static void choose_parameters(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const int n = d->spec->n_parameters;
    c->parameter = DAL_NEW(c->arena, int, n);
    c->parameter_names = DAL_NEW(c->arena, const char *, n);
    for (int i = 0; i < n && c->options->struct_of_parameters; i++) {
        if (d->parameter[i] < 0 || d->spec->parameters[i].shapes || (c->options->fixed && c->options->fixed[i]))
            continue;
        c->parameter_names[c->n_parameters] = dal_c_identifier(c->arena, d->spec->parameters[i].name.text, c->n_parameters, c->parameter_names);
        c->parameter[c->n_parameters++] = d->parameter[i];
    }
}

static void name_extras(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const int momenta = d->G >= 0 ? d->layout->n_ignorable : 0;
    c->extra = DAL_NEW(c->arena, const char *, d->spec->n_inputs + d->spec->n_states + momenta);
    for (int i = 0; i < d->spec->n_inputs; i++)
        c->extra[c->n_extra++] = d->spec->inputs[i].name.text;
    for (int i = 0; i < d->spec->n_states; i++)
        c->extra[c->n_extra++] = d->spec->states[i].name.text;
    for (int i = 0; i < momenta; i++)
        c->extra[c->n_extra++] = d->letters[d->G + i].name;
}

void dal_listing_set_reference(dal_listing *c, const dal_reference_state *at, double *x, const double *parameters)
{
    const dal_derivation *d = c->d;
    x[0] = at->t;
    memcpy(x + c->first[DAL_ARRAY_Q], at->q, sizeof *x * (size_t)d->nq);
    memcpy(x + c->first[DAL_ARRAY_V], at->v, sizeof *x * (size_t)d->nv);
    for (int i = 0; i < d->spec->n_inputs + d->spec->n_states; i++)
        x[c->first[DAL_ARRAY_INPUTS] + i] = at->inputs[i];
    for (int i = 0; i < c->n_parameters; i++)
        x[c->first[DAL_ARRAY_PARAMETERS] + i] = parameters ? parameters[i] : d->letters[c->parameter[i]].value;
    for (int i = d->spec->n_inputs + d->spec->n_states; i < c->n_extra && at->momenta; i++)
        x[c->first[DAL_ARRAY_INPUTS] + i] = at->momenta[i - d->spec->n_inputs - d->spec->n_states];
    for (int j = 0; j < d->p; j++)
        x[c->first[DAL_ARRAY_SPEEDS] + j] = at->u                                          ? at->u[j]
                                            : d->mechanism->n_speeds || !d->options.speeds ? 0.1 * (j + 1)
                                                                                           : at->v[d->options.speeds[j]];
}

static void drop_double_guards(dal_listing *c)
{
    int n = 0;
    for (int g = 0; g < c->n_guards; g++) {
        const dal_guard_pair *x = &c->guards[g];
        bool known = x->pivot == x->size;
        for (int k = 0; k < n && !known; k++)
            known = c->guards[k].pivot == x->pivot && c->guards[k].size == x->size && c->guards[k].share >= x->share;
        if (!known)
            c->guards[n++] = *x;
    }
    c->n_guards = n;
}

/* Of everything that is computed; guards compare nodes of it. */
static void simplify(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const bool run = c->options->rates;
    dal_node *const lists[] = {c->vd, c->lambda, c->ud, c->uv, c->qd, c->energy, c->phi, c->phid, c->outputs, c->jacobian, c->zd, c->power};
    const int sizes[] = {
        d->nv,     d->n_rows, d->p, d->nv, d->nq, run ? 0 : 2, d->n_rows, d->n_rows, c->n_outputs, d->nv * (d->nq + d->nv), d->spec->n_states,
        c->n_works};
    dal_node **roots = DAL_NEW(c->arena, dal_node *, 12 + 2 * c->n_guards);
    int *lengths = DAL_NEW(c->arena, int, 12 + 2 * c->n_guards), n = 0;
    for (int i = 0; i < 12; i++)
        if (lists[i] && sizes[i] > 0) {
            roots[n] = lists[i];
            lengths[n++] = sizes[i];
        }
    for (int g = 0; g < c->n_guards; g++)
        for (int k = 0; k < 2; k++) {
            roots[n] = k ? &c->guards[g].size : &c->guards[g].pivot;
            lengths[n++] = 1;
        }
    for (int pass = 0; pass < 2; pass++) {
        dal_listing_number(c, n, roots, lengths);
        dal_listing_collect(c, n, roots, lengths);
    }
    drop_double_guards(c);
}

dal_listing *dal_listing_build(dal_derivation *d, const dal_generate_options *options, const dal_reference_state *reference)
{
    dal_listing *c = DAL_NEW(d->arena, dal_listing, 1);
    *c = (dal_listing){.d = d, .arena = d->arena, .graph = dal_graph_create(d->arena), .options = options};
    dal_graph_share_tables(c->graph, d->graph);
    choose_parameters(c);
    name_extras(c);
    const int size[DAL_ARRAY_COUNT] = {1, d->nq, d->nv, c->n_extra, c->n_parameters, d->p};
    for (int a = 0; a < DAL_ARRAY_COUNT; a++)
        c->first[a + 1] = c->first[a] + size[a];
    c->reference = DAL_NEW(c->arena, double, c->first[DAL_ARRAY_COUNT] + 1);
    dal_listing_set_reference(c, reference, c->reference, NULL);
    dal_listing_equations(c);
    simplify(c);
    return c;
}

bool dal_listing_accelerations(dal_listing *c, const dal_reference_state *at, const double *parameters, double *vd)
{
    double *kept = c->reference, *x = DAL_NEW(c->arena, double, c->first[DAL_ARRAY_COUNT] + 1);
    bool finite = true;
    dal_listing_set_reference(c, at, x, parameters);
    c->reference = x;
    dal_listing_values(c, c->d->nv, c->vd, vd);
    c->reference = kept;
    for (int k = 0; k < c->d->nv; k++)
        finite = finite && isfinite(vd[k]);
    return finite;
}

int dal_listing_parameters(const dal_listing *code, const int **parameter)
{
    int *which = DAL_NEW(code->arena, int, code->n_parameters);
    for (int i = 0; i < code->n_parameters; i++)
        which[i] = code->d->letters[code->parameter[i]].index;
    *parameter = which;
    return code->n_parameters;
}
