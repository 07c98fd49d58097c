/* f at another value of a parameter: parameter_equations.h. */
#include "analysis/parameter_equations.h"

#include "dalembert/derivatives.h"
#include "dynamics/slopes.h"
#include "dynamics/tree_state.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

static void note_size(dal_parameter_equations *x, dal_parameter_part which, int k, double term)
{
    x->size[which] = fmax(x->size[which], fabs(term) / x->unit[x->first[which] + k]);
}

void dal_parameter_measure(dal_parameter_equations *x, dal_state *state, double *f)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *w = dal_seen_work(state);
    double *r = f + x->first[DAL_PART_R], *phidd = f + x->first[DAL_PART_PHIDD], *pull = x->pull;
    dal_mass_times(layout, w->M, x->vd, r);
    dal_rows_transposed(layout, w->A, x->lambda, pull);
    for (int k = 0; k < layout->nv; k++) {
        note_size(x, DAL_PART_R, k, fabs(r[k]) + fabs(w->h[k]) + fabs(w->Q[k]) + fabs(pull[k]));
        r[k] += w->h[k] - w->Q[k] - pull[k];
    }
    dal_rows_times(layout, w->A, x->vd, phidd);
    for (int i = 0; i < layout->n_rows; i++) {
        f[x->first[DAL_PART_PHI] + i] = w->phi[i];
        f[x->first[DAL_PART_PHID] + i] = w->phid[i];
        note_size(x, DAL_PART_PHIDD, i, fabs(phidd[i]) + fabs(w->gamma[i]));
        phidd[i] -= w->gamma[i];
    }
    dal_slopes_rates_of_states(state, f + x->first[DAL_PART_ZD]);
}

/* The varied model at the held point. */
static dal_flow evaluate_held(const dal_parameter_equations *x, dal_state *varied)
{
    const dal_layout *layout = dal_layout_of(varied);
    const dal_work *held = dal_seen_work(x->state);
    const dal_values *values = dal_values_of(x->state);
    const dal_derivative_sizes size = dal_derivatives_describe(dal_system_of(x->state));
    dal_work *w = dal_work_of(varied);
    memcpy(w->q, held->q, sizeof *w->q * (size_t)layout->nq);
    memcpy(w->v, held->v, sizeof *w->v * (size_t)layout->nv);
    if (size.states)
        memcpy(dal_values_of(varied)->z, values->z, sizeof *values->z * (size_t)size.states);
    if (size.inputs)
        memcpy(dal_values_of(varied)->inputs, values->inputs, sizeof *values->inputs * (size_t)size.inputs);
    if (layout->mechanism->n_windings)
        memcpy(w->winding, held->winding, sizeof *w->winding * (size_t)layout->mechanism->n_windings);
    memcpy(w->chart, held->chart, sizeof *w->chart * 3 * (size_t)layout->mechanism->n_bodies);
    w->t = held->t;
    dal_state_moved(varied);
    if (!dal_state_widen(varied))
        return -DAL_NO_MEMORY;
    const dal_flow flow = dal_state_accelerate(varied);
    if (!flow)
        dal_need(varied, DAL_STAGE_LOADS);
    return flow;
}

static bool has_same_rows(const dal_layout *x, const dal_layout *y)
{
    for (int i = 0; i < x->n_extrinsic; i++) {
        const dal_row *a = &x->mechanism->rows[x->row[i].source], *b = &y->mechanism->rows[y->row[i].source];
        if (a->joint != b->joint || a->nonholonomic != b->nonholonomic || a->angular != b->angular || a->equation != b->equation)
            return false;
    }
    return true;
}

static bool has_same_coordinates(const dal_system *a, const dal_system *b, int n)
{
    for (int k = 0; k < n; k++) {
        char one[DAL_LABEL], other[DAL_LABEL];
        dal_velocity_name(a, k, one, sizeof one);
        dal_velocity_name(b, k, other, sizeof other);
        if (strcmp(one, other))
            return false;
    }
    return true;
}

/* The same numbers have the same meaning. Vectors and measures may have other numbers, because equal ones are merged. */
static bool is_same_shape(const dal_state *a, const dal_state *b)
{
    const dal_layout *x = dal_layout_of(a), *y = dal_layout_of(b);
    const dal_derivative_sizes s = dal_derivatives_describe(dal_system_of(a)), t = dal_derivatives_describe(dal_system_of(b));
    return x->nq == y->nq && x->nv == y->nv && x->n_rows == y->n_rows && x->n_extrinsic == y->n_extrinsic &&
           x->mechanism->n_bodies == y->mechanism->n_bodies && x->mechanism->n_windings == y->mechanism->n_windings && s.states == t.states &&
           s.inputs == t.inputs && has_same_rows(x, y) && has_same_coordinates(dal_system_of(a), dal_system_of(b), x->nv);
}

dal_flow dal_parameter_measure_start(const dal_parameter_equations *x, dal_state *varied, double *f)
{
    const dal_layout *layout = dal_layout_of(varied);
    const dal_flow flow = dal_state_unpack(varied, dal_state_time(varied), dal_state_y(varied));
    if (flow)
        return flow;
    memcpy(f + x->first[DAL_PART_START_Q], dal_seen_work(varied)->q, sizeof *f * (size_t)layout->nq);
    memcpy(f + x->first[DAL_PART_START_V], dal_seen_work(varied)->v, sizeof *f * (size_t)layout->nv);
    const int states = x->first[DAL_PARTS] - x->first[DAL_PART_START_Z];
    if (states)
        memcpy(f + x->first[DAL_PART_START_Z], dal_values_of(varied)->z, sizeof *f * (size_t)states);
    return 0;
}

/* sqrt(5) - 2 and sqrt(2/3): numbers whose multiples are not whole, so that a period of p does not look like a constant. */
static double beside(double p, double size, int i)
{
    static const double above = 0.23606797749978969, below = 0.81649658092772603;
    return p + (i % 2 ? -below : above) * size;
}

double dal_parameter_trial(const dal_parameter_equations *x, int i)
{
    return x->p != 0 ? beside(x->p, fabs(x->p) * ldexp(0.5, -2 * i), i) : dal_parameter_far_trial(x, i);
}

double dal_parameter_far_trial(const dal_parameter_equations *x, int i)
{
    return beside(x->p, ldexp(1, 10 - 4 * i), i);
}

bool dal_parameter_is_small(const dal_parameter_equations *x)
{
    return x->p != 0 && fabs(x->p) < 0x1p-4;
}

bool dal_parameter_part_differs(const dal_parameter_equations *x, dal_parameter_part which, const double *f, const double *g)
{
    static const double seen = 1e-5; /* of the size: rounding and the tolerance of a proof are far below */
    double most = 0, size = x->size[which];
    for (int k = x->first[which]; k < x->first[which + 1]; k++) {
        most = fmax(most, fabs(f[k] - g[k]) / x->unit[k]);
        size = fmax(size, fmax(fabs(f[k]), fabs(g[k])) / x->unit[k]);
    }
    return most > seen * size;
}

dal_parameter_verdict dal_parameter_keep(const dal_parameter_equations *x)
{
    return (dal_parameter_verdict){x->structure, x->refused};
}

void dal_parameter_forgive(dal_parameter_equations *x, dal_parameter_verdict kept)
{
    x->structure = kept.structure;
    x->refused = kept.refused;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

bool dal_parameter_twin_open(dal_parameter_equations *x, double p, dal_parameter_twin *twin)
{
    const dal_allocator *allocator = dal_allocator_of(x->state);
    dal_messages *heard = dal_messages_create(allocator);
    *twin = (dal_parameter_twin){0};
    const dal_status status = heard ? dal_system_vary(allocator, dal_system_of(x->state), 1, &x->name, &p, heard, &twin->system) : DAL_NO_MEMORY;
    bool fine = status == DAL_OK;
    if (fine)
        twin->state = dal_state_create(allocator, twin->system);
    x->no_memory = x->no_memory || status == DAL_NO_MEMORY || (fine && !twin->state);
    x->structure = x->structure || (twin->state && !is_same_shape(x->state, twin->state));
    fine = fine && twin->state && !x->structure;
    x->structure = x->structure || (x->shapes && !fine); /* half an element */
    x->refused = x->refused || !fine;
    if (!fine)
        dal_parameter_twin_close(twin);
    dal_messages_free(heard);
    return fine;
}

void dal_parameter_twin_close(dal_parameter_twin *twin)
{
    dal_state_free(twin->state);
    dal_system_free(twin->system);
    *twin = (dal_parameter_twin){0};
}

bool dal_parameter_twin_measure(dal_parameter_equations *x, const dal_parameter_twin *twin, double *f)
{
    const dal_flow flow = evaluate_held(x, twin->state);
    bool fine = !flow;
    x->no_memory = x->no_memory || flow == -DAL_NO_MEMORY;
    if (fine)
        dal_parameter_measure(x, twin->state, f);
    for (int k = 0; fine && k < x->first[DAL_PART_START_Q]; k++)
        fine = isfinite(f[k]);
    x->refused = x->refused || !fine;
    return fine;
}

bool dal_parameter_sample(dal_parameter_equations *x, double p, double *f)
{
    dal_parameter_twin twin;
    if (!dal_parameter_twin_open(x, p, &twin))
        return false;
    bool fine = !dal_parameter_measure_start(x, twin.state, f) && dal_parameter_twin_measure(x, &twin, f);
    for (int k = x->first[DAL_PART_START_Q]; fine && k < x->first[DAL_PARTS]; k++)
        fine = isfinite(f[k]);
    x->refused = x->refused || !fine;
    dal_parameter_twin_close(&twin);
    return fine;
}

static void set_units(dal_parameter_equations *x)
{
    const dal_layout *layout = dal_layout_of(x->state);
    const dal_units *units = &layout->units;
    const dal_work *w = dal_seen_work(x->state);
    for (int k = 0; k < x->first[DAL_PARTS]; k++)
        x->unit[k] = 1;
    for (int k = 0; k < layout->nv; k++) {
        x->unit[x->first[DAL_PART_R] + k] = units->column_scale[k];
        x->unit[x->first[DAL_PART_START_V] + k] = 1 / units->column_scale[k];
    }
    for (int i = 0; i < layout->n_rows; i++)
        x->unit[x->first[DAL_PART_PHI] + i] = x->unit[x->first[DAL_PART_PHID] + i] = x->unit[x->first[DAL_PART_PHIDD] + i] = units->row_unit[i];
    for (int k = 0; k < layout->nq; k++)
        x->size[DAL_PART_START_Q] = fmax(x->size[DAL_PART_START_Q], fabs(w->q[k]));
    for (int i = 0; i < layout->n_rows; i++) {
        note_size(x, DAL_PART_PHI, i, units->row_unit[i]);
        note_size(x, DAL_PART_PHID, i, units->row_unit[i] / units->time);
        note_size(x, DAL_PART_PHIDD, i, units->row_unit[i] / (units->time * units->time));
    }
}

void dal_parameter_equations_begin(dal_parameter_equations *x, dal_arena *arena, dal_state *state, const dal_spec *spec, int number)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_pair *parameter = &spec->parameters[number];
    const int states = dal_derivatives_describe(dal_system_of(state)).states;
    const int sizes[DAL_PARTS] = {layout->nv, layout->n_rows, layout->n_rows, layout->n_rows, states, layout->nq, layout->nv, states};
    *x = (dal_parameter_equations){.arena = arena,
                                   .state = state,
                                   .name = parameter->name.text,
                                   .number = number,
                                   .p = parameter->number,
                                   .vd = dal_rates_of(state),
                                   .lambda = dal_multipliers_of(state),
                                   .shapes = parameter->shapes};
    for (dal_parameter_part which = 0; which < DAL_PARTS; which++)
        x->first[which + 1] = x->first[which] + sizes[which];
    x->unit = DAL_NEW(arena, double, x->first[DAL_PARTS] + 1);
    x->pull = DAL_NEW(arena, double, layout->nv + 1);
    set_units(x);
}
