/* Values of derived expressions at a state, with the size of the terms that they are sums of: for tests. */
#ifndef DAL_TEST_DERIVED_VALUES_H
#define DAL_TEST_DERIVED_VALUES_H

#include "derived.h"

#define dal_term dal_graph_term /* the nodes themselves; a row has a dal_term, too */
#include "expr/graph.h"
#undef dal_term

/* ---- values ------------------------------------------------------------------------------ */

/* Every node of the graph at one state: its value, and the size of the terms that it is a sum of, which is what rounding is measured by. */
typedef struct sweep {
    dal_derivation *d;
    double *letters, *letter_size; /* sizes of named unknowns */
    double *value, *size;
    bool *solved; /* named systems */
    bool *known;  /* nodes */
    size_t room;  /* nodes */
} sweep;

static inline void sweep_node(sweep *s, dal_node node);

static inline double letter_value(pair *p, const dal_letter *l)
{
    const dal_state *state = p->state;
    switch (l->role) {
    case DAL_ROLE_TIME: return state->work.t;
    case DAL_ROLE_COORDINATE: return state->work.q[l->index];
    case DAL_ROLE_RATE: return state->work.v[l->index];
    case DAL_ROLE_ACCELERATION: return state->vd[l->index];
    case DAL_ROLE_MULTIPLIER: return state->lambda[l->index];
    case DAL_ROLE_SPEED: return state->y[p->d->nq + l->index];
    case DAL_ROLE_STATE: return state->y[p->d->nq + p->system->n_w + l->index];
    case DAL_ROLE_MOMENTUM: return state->speeds->momenta[l->index];
    case DAL_ROLE_INPUT: return 0.7 + 0.1 * l->index;
    default: return l->value;
    }
}

/* [matrix | right 1] by Gauss and Jordan: x and the inverse. */
static inline void invert(int n, double *m, double *inverse)
{
    for (int i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            best = fabs(m[i * n + c]) > fabs(m[best * n + c]) ? i : best;
        for (int j = 0; j < n; j++) {
            double swap = m[c * n + j];
            m[c * n + j] = m[best * n + j];
            m[best * n + j] = swap;
            swap = inverse[c * n + j];
            inverse[c * n + j] = inverse[best * n + j];
            inverse[best * n + j] = swap;
        }
        const double pivot = m[c * n + c];
        for (int j = 0; j < n; j++) {
            m[c * n + j] /= pivot;
            inverse[c * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == c ? 0 : m[i * n + c];
            for (int j = 0; j < n; j++) {
                m[i * n + j] -= factor * m[c * n + j];
                inverse[i * n + j] -= factor * inverse[c * n + j];
            }
        }
    }
}

/* x of a named system, and its size: |matrix^-1| (size of matrix |x| + size of right). */
static inline void solve_named(sweep *s, int number)
{
    const dal_named_system *system = &s->d->systems[number];
    const int n = system->n;
    double *m = calloc((size_t)(n * n), sizeof *m), *inverse = calloc((size_t)(n * n), sizeof *m), *x = s->letters + system->first;
    for (int i = 0; i < n * n; i++) {
        sweep_node(s, system->matrix[i]);
        m[i] = s->value[system->matrix[i]];
    }
    for (int i = 0; i < n; i++)
        sweep_node(s, system->right[i]);
    invert(n, m, inverse);
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++)
            x[i] += inverse[i * n + j] * s->value[system->right[j]];
    }
    for (int j = 0; j < n; j++) {
        double residual = s->size[system->right[j]];
        for (int k = 0; k < n; k++)
            residual += s->size[system->matrix[j * n + k]] * fabs(x[k]);
        for (int i = 0; i < n; i++)
            s->letter_size[system->first + i] += fabs(inverse[i * n + j]) * residual;
    }
    s->solved[number] = true;
    free(m);
    free(inverse);
}

static inline void sweep_variable(sweep *s, const dal_graph_term *t, double *value, double *size)
{
    const dal_letter *l = &s->d->letters[t->index];
    if (l->role == DAL_ROLE_NAMED && !s->solved[l->index])
        solve_named(s, l->index);
    if (l->means != DAL_NO_NODE) {
        sweep_node(s, l->means);
        *value = s->value[l->means];
        *size = s->size[l->means];
        return;
    }
    *value = s->letters[t->index];
    *size = l->role == DAL_ROLE_NAMED ? s->letter_size[t->index] : fabs(*value);
}

/* Rounding of a result follows from that of its operands: first-order error analysis with one unit for every operation. */
static inline void sweep_node(sweep *s, dal_node node)
{
    const dal_graph *g = s->d->graph;
    const dal_graph_term t = g->terms[node];
    if (s->known[node])
        return;
    for (int i = 0; i < 3; i++)
        if ((i == 0 ? t.a : i == 1 ? t.b : t.c) >= 0)
            sweep_node(s, i == 0 ? t.a : i == 1 ? t.b : t.c);
    s->known[node] = true;
    const double a = t.a >= 0 ? s->value[t.a] : 0, b = t.b >= 0 ? s->value[t.b] : 0, c = t.c >= 0 ? s->value[t.c] : 0;
    const double A = t.a >= 0 ? s->size[t.a] : 0, B = t.b >= 0 ? s->size[t.b] : 0, C = t.c >= 0 ? s->size[t.c] : 0;
    double value = 0, size = 0;
    switch (t.op) {
    case DAL_OP_CONST: value = t.value, size = fabs(t.value); break;
    case DAL_OP_VAR: sweep_variable(s, &t, &value, &size); break;
    case DAL_OP_ADD:
    case DAL_OP_SUB: value = dal_fold_two((dal_op)t.op, a, b), size = A + B; break;
    case DAL_OP_MUL: value = a * b, size = fmax(A * fabs(b), fabs(a) * B); break;
    case DAL_OP_DIV: value = a / b, size = A / fabs(b) + fabs(value / b) * B; break;
    case DAL_OP_NEG: value = -a, size = A; break;
    case DAL_OP_SIN: value = sin(a), size = fabs(value) + fabs(cos(a)) * A; break;
    case DAL_OP_COS: value = cos(a), size = fabs(value) + fabs(sin(a)) * A; break;
    case DAL_OP_SQRT: value = sqrt(a), size = a > 0 ? value + 0.5 * A / value : 0; break;
    case DAL_OP_ATAN2: value = atan2(a, b), size = fabs(value) + (fabs(b) * A + fabs(a) * B) / (a * a + b * b); break;
    case DAL_OP_POW: value = pow(a, b), size = fabs(value) + fabs(b * value / a) * A; break;
    case DAL_OP_SELECT: value = a != 0 ? b : c, size = a != 0 ? B : C; break;
    case DAL_OP_INTERP: dal_table_value(&g->tables[t.index], t.order, a, &value), size = fabs(value) + A; break;
    default: value = t.b >= 0 ? dal_fold_two((dal_op)t.op, a, b) : dal_fold_one((dal_op)t.op, a); size = fabs(value) + A + B;
    }
    s->value[node] = value;
    s->size[node] = fmax(size, fabs(value));
}

/* Letters have their values, and no node is known. */
static inline sweep sweep_begin(pair *p)
{
    dal_derivation *d = p->d;
    const size_t n = (size_t)d->graph->n, m = (size_t)d->n_letters;
    sweep s = {d,
               calloc(m, sizeof(double)),
               calloc(m, sizeof(double)),
               calloc(n, sizeof(double)),
               calloc(n, sizeof(double)),
               calloc((size_t)d->n_systems + 1, sizeof(bool)),
               calloc(n, sizeof(bool)),
               n};
    for (int i = 0; i < d->n_letters; i++)
        s.letters[i] = letter_value(p, &d->letters[i]);
    for (int i = 0; i < d->n_systems; i++)
        for (int k = 0; k < d->systems[i].n; k++)
            s.letters[d->systems[i].first + k] = 0;
    return s;
}

/* For a graph that has grown. */
static inline void sweep_grow(sweep *s)
{
    const size_t n = (size_t)s->d->graph->n;
    if (n <= s->room)
        return;
    s->value = realloc(s->value, 2 * n * sizeof(double));
    s->size = realloc(s->size, 2 * n * sizeof(double));
    s->known = realloc(s->known, 2 * n * sizeof(bool));
    memset(s->known + s->room, 0, (2 * n - s->room) * sizeof(bool));
    s->room = 2 * n;
}

static inline sweep sweep_state(pair *p)
{
    sweep s = sweep_begin(p);
    for (dal_node node = 0; node < p->d->graph->n; node++)
        sweep_node(&s, node);
    return s;
}

static inline void sweep_free(sweep *s)
{
    free(s->letters);
    free(s->letter_size);
    free(s->value);
    free(s->size);
    free(s->solved);
    free(s->known);
}

/* Euler parameters p of length one, to rounding, and p' normal to them: the projection leaves 1e-12, and what is derived holds on the sphere. */
static inline void put_on_sphere(pair *p)
{
    const dal_layout *layout = dal_system_layout(p->system);
    dal_state *state = p->state;
    double *q = state->y, *v = p->system->n_w == layout->nv ? state->y + layout->nq : NULL;
    if (strcmp(layout->family->name, "euler"))
        return;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const int n = layout->body[b].n_rot, first = layout->body[b].q + (int)layout->mechanism->space;
        double square = 0, along = 0;
        for (int k = first; k < first + n; k++)
            square += q[k] * q[k];
        for (int k = first; k < first + n; k++)
            q[k] /= sqrt(square);
        for (int k = first; k < first + n && v; k++)
            along += q[k] * v[k];
        for (int k = first; k < first + n && v; k++)
            v[k] -= along * q[k];
    }
    dal_state_unpack(state, state->work.t, state->y);
    dal_state_position(state);
    dal_state_unwind(state);
}

#endif
