/* Accelerations and all that is computed beside them, as nodes of the code.
 *
 *   with multipliers     [M -A^T; A 0] (v', lambda) = (Q - h, gamma), for independent rows of A; written symmetric with -lambda
 *   maggi                [W^T M; A] v' = (W^T (Q - h), gamma)
 *   routh                the same saddle system of v_1 with the Routhian, v_2' = c - X v_1'
 *   with speeds          K u' = f,   v' = W u' + bias
 *   recursive            solved along the tree already
 */
#include "generate/listing.h"

#include <string.h>

dal_node *dal_listing_zeros(dal_listing *c, int n)
{
    dal_node *list = DAL_NEW(c->arena, dal_node, n);
    for (int i = 0; i < n; i++)
        list[i] = dal_const(c->graph, 0);
    return list;
}

static dal_node *nodes(dal_listing *c, int n)
{
    return dal_listing_zeros(c, n);
}

static const dal_derived_block *block(const dal_derivation *d, const char *name)
{
    for (int i = 0; i < d->n_blocks; i++)
        if (!strcmp(d->blocks[i].name, name))
            return &d->blocks[i];
    return NULL;
}

/* ---- solutions --------------------------------------------------------------------------- */

/* [M A^T; A 0] (x, -lambda) = (f, gamma): n unknowns and k rows. */
static void solve_saddle(dal_listing *c, int n, int k, const dal_node *M, const dal_node *A, const dal_node *f, const dal_node *gamma, dal_node *x,
                         dal_node *lambda)
{
    const int m = n + k;
    dal_node *matrix = nodes(c, m * m), *right = nodes(c, m), *all = nodes(c, m);
    int *later = DAL_NEW(c->arena, int, m);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * m + j] = i <= j ? M[i * n + j] : M[j * n + i];
        for (int r = 0; r < k; r++)
            matrix[i * m + n + r] = matrix[(n + r) * m + i] = A[r * n + i];
        right[i] = f[i];
    }
    for (int r = 0; r < k; r++) {
        right[n + r] = gamma[r];
        later[n + r] = 1;
    }
    dal_eliminate(c, m, matrix, right, later, all);
    memcpy(x, all, sizeof *x * (size_t)n);
    for (int r = 0; r < k; r++)
        lambda[r] = dal_unary(c->graph, DAL_OP_NEG, all[n + r]);
}

static const int *independent_rows(const dal_derivation *d)
{
    return d->options.rows ? d->options.rows : dal_system_start_rows(d->system);
}

/* Euler parameters: M is singular along p, which their own row a = p^T holds. M + s a^T a, f + s a^T gamma have the same solution, for any s; s is of the
 * size of the inertia of the body. */
static void hold_parameters(dal_listing *c, int n, const dal_node *a, dal_node gamma, dal_node *M, dal_node *f)
{
    double *size = DAL_NEW(c->arena, double, 2 * n), trace = 0, square = 0;
    dal_node *list = nodes(c, 2 * n);
    for (int i = 0; i < n; i++) {
        list[i] = a[i];
        list[n + i] = dal_c_is_zero(c, a[i]) ? a[i] : M[i * n + i];
    }
    dal_listing_values(c, 2 * n, list, size);
    for (int i = 0; i < n; i++) {
        square += size[i] * size[i];
        trace += size[n + i];
    }
    const dal_node s = dal_const(c->graph, square > 0 && trace > 0 ? trace / (3 * square) : 1);
    for (int i = 0; i < n; i++) {
        if (dal_c_is_zero(c, a[i]))
            continue;
        const dal_node scaled = dal_c_mul(c, s, a[i]);
        f[i] = dal_c_add(c, f[i], dal_c_mul(c, scaled, gamma));
        for (int j = i; j < n; j++)
            M[i * n + j] = dal_c_add(c, M[i * n + j], dal_c_mul(c, scaled, a[j]));
    }
}

static void with_multipliers(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const int n = d->nv, k = dal_system_rank(d->system), *rows = independent_rows(d);
    dal_node *M = nodes(c, n * n), *f = nodes(c, n), *A = nodes(c, k * n), *gamma = nodes(c, k), *lambda = nodes(c, k);
    dal_translate(t, n * n, d->M, M);
    dal_node *rest = DAL_NEW(c->arena, dal_node, n);
    for (int i = 0; i < n; i++)
        rest[i] = dal_n_sub(d, d->Q[i], d->h[i]);
    dal_translate(t, n, rest, f);
    for (int r = 0; r < k; r++) {
        dal_translate(t, n, d->A + rows[r] * n, A + r * n);
        gamma[r] = dal_stabilised_gamma(c, t, rows[r]);
    }
    for (int r = 0; r < k; r++)
        if (d->norm && rows[r] >= d->layout->n_extrinsic)
            hold_parameters(c, n, A + r * n, gamma[r], M, f);
    solve_saddle(c, n, k, M, A, f, gamma, c->vd, lambda);
    for (int r = 0; r < k; r++)
        c->lambda[rows[r]] = lambda[r];
}

static void with_maggi(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const int n = d->nv, p = d->p, *rows = independent_rows(d);
    dal_node *matrix = nodes(c, n * n), *right = nodes(c, n);
    dal_translate(t, p * n, block(d, "W^T M")->values, matrix);
    dal_translate(t, p, block(d, "W^T (Q - h)")->values, right);
    for (int r = p; r < n; r++) {
        dal_translate(t, n, d->A + rows[r - p] * n, matrix + r * n);
        right[r] = dal_stabilised_gamma(c, t, rows[r - p]);
    }
    dal_eliminate(c, n, matrix, right, NULL, c->vd);
}

static bool is_ignorable(const dal_derivation *d, int k)
{
    for (int i = 0; i < d->layout->n_ignorable; i++)
        if (d->layout->ignorable[i] == k)
            return true;
    return false;
}

/* Momenta are what they are at (q, v). */
static void bind_momenta(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    for (int i = 0; i < d->layout->n_ignorable && d->G >= 0; i++) {
        const dal_node momentum = dal_by_rate(d, d->T, d->layout->ignorable[i]);
        dal_translate(t, 1, &momentum, &t->letter[d->G + i]);
    }
}

static void with_routh(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const dal_derived_block *B = block(d, "B"), *X = block(d, "X"), *A = block(d, "A_1");
    const int n = B->rows, s = X->rows, k = A ? A->rows : 0, *rows = independent_rows(d);
    dal_node *b = nodes(c, n * n), *f = nodes(c, n), *x = nodes(c, s * n), *rest = nodes(c, s), *a = nodes(c, k * n), *gamma = nodes(c, k);
    dal_node *one = nodes(c, n), *lambda = nodes(c, k);
    bind_momenta(c, t);
    dal_translate(t, n * n, B->values, b);
    dal_translate(t, n, block(d, "f")->values, f);
    dal_translate(t, s * n, X->values, x);
    dal_translate(t, s, block(d, "c")->values, rest);
    if (A) {
        dal_translate(t, k * n, A->values, a);
        dal_translate(t, k, block(d, "gamma")->values, gamma);
    }
    solve_saddle(c, n, k, b, a, f, gamma, one, lambda);
    for (int r = 0; r < k; r++)
        c->lambda[rows[r]] = lambda[r];
    for (int i = 0, j = 0; i < d->nv; i++)
        if (!is_ignorable(d, i))
            c->vd[i] = one[j++];
    for (int i = 0; i < s; i++) {
        dal_node sum = rest[i];
        for (int j = 0; j < n; j++)
            sum = dal_c_sub(c, sum, dal_c_mul(c, x[i * n + j], one[j]));
        c->vd[d->layout->ignorable[i]] = sum;
    }
}

/* K u' = f */
static void solve_speeds(dal_listing *c, dal_translation *t, dal_node *ud)
{
    dal_derivation *d = c->d;
    const int p = d->p;
    dal_node *K = nodes(c, p * p), *f = nodes(c, p);
    dal_translate(t, p * p, d->K, K);
    dal_translate(t, p, d->f, f);
    for (int i = 0; i < p; i++)
        for (int j = 0; j < i; j++)
            K[i * p + j] = K[j * p + i]; /* as it is, whatever the order of its sums */
    dal_eliminate(c, p, K, f, NULL, ud);
}

/* Speeds are what they are at (q, v). */
static void bind_speeds(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    for (int j = 0; j < d->p; j++)
        dal_translate(t, 1, &d->speeds[j], &t->letter[d->u + j]);
}

static void with_speeds(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const int n = d->nv, p = d->p;
    dal_node *ud = nodes(c, p), *W = nodes(c, n * p);
    bind_momenta(c, t);
    bind_speeds(c, t);
    dal_translate(t, n * p, d->W, W);
    solve_speeds(c, t, ud);
    dal_translate(t, n, d->bias, c->vd);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < p; j++)
            c->vd[k] = dal_c_add(c, c->vd[k], dal_c_mul(c, W[k * p + j], ud[j]));
}

/* As a function of u: v = W u + X takes the place of v. */
static void rates_of_speeds(dal_listing *c)
{
    dal_derivation *d = c->d;
    const int n = d->nv, p = d->p;
    dal_translation first = dal_translation_begin(c);
    dal_node *W = nodes(c, n * p), *X = nodes(c, n);
    c->uv = nodes(c, n);
    c->ud = nodes(c, p);
    dal_translate(&first, n * p, d->W, W);
    dal_translate(&first, n, d->X, X);
    for (int k = 0; k < n; k++) {
        c->uv[k] = X[k];
        for (int j = 0; j < p; j++)
            c->uv[k] = dal_c_add(c, c->uv[k], dal_c_mul(c, W[k * p + j], dal_var(c->graph, c->first[DAL_ARRAY_SPEEDS] + j)));
    }
    dal_translation second = dal_translation_begin(c);
    for (int k = 0; k < n; k++)
        second.letter[d->v + k] = c->uv[k];
    solve_speeds(c, &second, c->ud);
    if (c->options->rates)
        dal_listing_run(c, &second);
}

/* ---- beside them ------------------------------------------------------------------------------ */

static void outputs(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const int n = d->spec->n_record;
    c->outputs = nodes(c, n);
    c->output_names = DAL_NEW(c->arena, const char *, n);
    for (int i = 0; i < n; i++) {
        dal_value value;
        if (!dal_derive_text(d, d->spec->record[i].binding, d->spec->record[i].value, &value) || value.n != 1)
            continue;
        const dal_node node = dal_in_coordinates(d, value.node[0]);
        dal_translate(t, 1, &node, &c->outputs[c->n_outputs]);
        const dal_record_spec *column = &d->spec->record[i];
        c->output_names[c->n_outputs++] = column->name.text ? column->name.text : column->value.text;
    }
}

static void rows_of(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    c->phi = nodes(c, d->n_rows);
    c->phid = nodes(c, d->n_rows);
    for (int r = 0; r < d->n_rows; r++) {
        if (d->row[r].phi != DAL_NO_NODE)
            dal_translate(t, 1, &d->row[r].phi, &c->phi[r]);
        dal_translate(t, 1, &d->row[r].rate, &c->phid[r]);
    }
}

static void jacobian(dal_listing *c)
{
    const int nq = c->d->nq, nv = c->d->nv, width = nq + nv;
    c->jacobian = nodes(c, nv * width);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < width; j++)
            c->jacobian[i * width + j] = dal_diff(c->graph, c->vd[i], j < nq ? c->first[DAL_ARRAY_Q] + j : c->first[DAL_ARRAY_V] + j - nq);
}

bool dal_listing_multiplies(const dal_listing *c)
{
    const dal_solution s = c->d->formulation->solution;
    return s == DAL_SOLVED_WITH_MULTIPLIERS || s == DAL_SOLVED_WITH_ROUTHIAN || s == DAL_SOLVED_ALREADY;
}

void dal_listing_equations(dal_listing *c)
{
    dal_derivation *d = c->d;
    dal_translation t = dal_translation_begin(c);
    const dal_node energy[2] = {d->T, d->V};
    c->vd = nodes(c, d->nv);
    c->lambda = nodes(c, d->n_rows);
    c->qd = nodes(c, d->nq);
    switch (d->formulation->solution) {
    case DAL_SOLVED_ALREADY:
        dal_translate(&t, d->nv, d->accelerations, c->vd);
        dal_translate(&t, d->n_rows, d->multipliers, c->lambda);
        break;
    case DAL_SOLVED_ON_FREE_MOTIONS: with_maggi(c, &t); break;
    case DAL_SOLVED_WITH_ROUTHIAN: with_routh(c, &t); break;
    case DAL_SOLVED_WITH_SPEEDS:
        if (!c->options->rates)
            with_speeds(c, &t);
        rates_of_speeds(c);
        break;
    default: with_multipliers(c, &t);
    }
    if (c->options->rates) {
        if (!c->ud)
            dal_listing_run(c, &t);
        return;
    }
    dal_translation plain = dal_translation_begin(c);
    dal_translate(&plain, d->nq, d->qd, c->qd);
    dal_translate(&plain, 2, energy, c->energy);
    rows_of(c, &plain);
    outputs(c, &plain);
    if (c->options->jacobians)
        jacobian(c);
}

/* ---- what cannot be ------------------------------------------------------------------------------ */

static bool has_switches(const dal_derivation *d)
{
    for (dal_node node = 0; node < dal_graph_size(d->graph); node++) {
        const dal_op op = dal_node_op(d->graph, node);
        if (op >= DAL_OP_ABS && op != DAL_OP_FLOOR)
            return true;
    }
    return false;
}

bool dal_generates(const dal_derivation *d, const dal_generate_options *options, dal_messages *messages)
{
    if (d->formulation->solution == DAL_SOLVED_BY_PORTS)
        dal_error(messages, (dal_mark){0}, "no code is made of the equations of '%s': those of lagrange give the same accelerations",
                  d->formulation->name);
    else if (options->lanes && has_switches(d))
        dal_error(messages, (dal_mark){0}, "the model has expressions with conditions, steps or tables: they are not written for lanes");
    else
        return true;
    return false;
}
