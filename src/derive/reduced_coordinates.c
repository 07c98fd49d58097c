/* Natural coordinates where linear rows were eliminated: q = B z + b (kinematics/reduction.h).
 *
 * B and b are numbers of the compiled model. If an eliminated row depends on a parameter, they are found again, in symbols: the row C q + c = 0 is
 * linear in q, so that C are its derivatives and c its value at q = 0. Gauss-Jordan elimination solves the rows for the same coordinates as compile
 * does. Entries that vanish for two sets of parameters are zero.
 */
#include "derive/nodes.h"
#include "derive/start_frames.h"

#include "kinematics/reduction.h"

#include <math.h>
#include <string.h>

void dal_name_natural(dal_derivation *d)
{
    const dal_reduction *e = d->layout->reduction;
    d->natural = d->n_letters;
    for (int i = 0; e && i < e->n_natural; i++)
        dal_letter_add(d, DAL_ROLE_NATURAL, "natural", i, 0);
}

/* ---- B and b in symbols ------------------------------------------------------------------------- */

enum { SETS = 2 };                /* of parameters: those of the model, and others */
static const double zero = 1e-14; /* of entries of C that are about one */
static const double same = 1e-11;

typedef struct elimination {
    dal_derivation *d;
    const dal_reduction *e;
    int n, width; /* rows; natural coordinates and the constant */
    dal_node *node;
    double *value; /* SETS of each */
    bool *done;    /* of rows */
} elimination;

static dal_node at_origin(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    return d->letters[variable].role == DAL_ROLE_NATURAL ? dal_const(graph, 0) : DAL_NO_NODE;
}

static double *values_of(const elimination *x, int i, int j)
{
    return x->value + SETS * ((size_t)i * (size_t)x->width + (size_t)j);
}

static dal_node *node_of(const elimination *x, int i, int j)
{
    return x->node + (size_t)i * (size_t)x->width + (size_t)j;
}

/* C and c; false: they contain no parameter. */
static bool read_rows(elimination *x)
{
    dal_derivation *d = x->d;
    bool follows = false;
    for (int i = 0; i < x->n; i++) {
        const dal_node phi = dal_derive_row_place(d, x->e->held[i]);
        follows |= dal_follows_parameters(d, phi);
        for (int j = 0; j < x->width - 1; j++)
            *node_of(x, i, j) = dal_diff(d->graph, phi, d->natural + j);
        *node_of(x, i, x->width - 1) = dal_substitute(d->graph, phi, at_origin, d);
    }
    return follows;
}

static void evaluate_rows(elimination *x)
{
    dal_derivation *d = x->d;
    const int n = x->n * x->width;
    dal_program *program = dal_program_build(d->arena, d->graph, d->n_letters, n, x->node);
    double *letters = DAL_NEW(d->arena, double, d->n_letters), *registers = DAL_NEW(d->arena, double, dal_program_registers(program)),
           *out = DAL_NEW(d->arena, double, n);
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < d->n_letters; i++) {
            const bool other = set && d->letters[i].role == DAL_ROLE_PARAMETER;
            letters[i] = other ? d->letters[i].value * (1.0625 + 0.0078125 * (i % 7)) : d->letters[i].value;
        }
        dal_program_run(program, letters, NULL, registers, out);
        for (int k = 0; k < n; k++)
            x->value[SETS * k + set] = out[k];
    }
}

/* The row with the fewest entries, among those that can be solved for their own coordinate. */
static int choose_row(const elimination *x)
{
    int best = -1, least = 0;
    for (int i = 0; i < x->n; i++) {
        int entries = 0;
        double most = 0;
        for (int j = 0; j < x->width - 1; j++) {
            entries += !dal_n_is(x->d, *node_of(x, i, j), 0);
            most = fmax(most, fabs(values_of(x, i, j)[0]));
        }
        if (!x->done[i] && fabs(values_of(x, i, x->e->solved[i])[0]) > 0.01 * most && (best < 0 || entries < least)) {
            best = i;
            least = entries;
        }
    }
    return best;
}

static void clear_if_zero(const elimination *x, int i, int j)
{
    double *value = values_of(x, i, j);
    for (int set = 0; set < SETS; set++)
        if (!(fabs(value[set]) <= zero))
            return;
    value[0] = value[1] = 0;
    *node_of(x, i, j) = dal_n_const(x->d, 0);
}

/* Divides row i by its entry in the column, then eliminates the column from all other rows. */
static void solve_row(elimination *x, int i)
{
    dal_derivation *d = x->d;
    const int column = x->e->solved[i];
    const dal_node pivot = *node_of(x, i, column);
    const double by[SETS] = {values_of(x, i, column)[0], values_of(x, i, column)[1]};
    x->done[i] = true;
    for (int j = 0; j < x->width; j++) {
        *node_of(x, i, j) = j == column ? dal_n_const(d, 1) : dal_n_div(d, *node_of(x, i, j), pivot);
        for (int set = 0; set < SETS; set++)
            values_of(x, i, j)[set] /= by[set];
    }
    for (int k = 0; k < x->n; k++) {
        const dal_node factor = *node_of(x, k, column);
        const double f[SETS] = {values_of(x, k, column)[0], values_of(x, k, column)[1]};
        if (k == i || dal_n_is(d, factor, 0))
            continue;
        for (int j = 0; j < x->width; j++) {
            if (dal_n_is(d, *node_of(x, i, j), 0))
                continue;
            *node_of(x, k, j) = j == column ? dal_n_const(d, 0) : dal_n_sub(d, *node_of(x, k, j), dal_n_mul(d, factor, *node_of(x, i, j)));
            for (int set = 0; set < SETS; set++)
                values_of(x, k, j)[set] = j == column ? 0 : values_of(x, k, j)[set] - f[set] * values_of(x, i, j)[set];
            clear_if_zero(x, k, j);
        }
    }
}

/* An entry of B or b: minus the entry of the row, if that has the compiled value. */
static bool keep_symbol(elimination *x, int i, int j, double compiled, dal_node *to)
{
    dal_derivation *d = x->d;
    const dal_node node = *node_of(x, i, j);
    if (!(fabs(values_of(x, i, j)[0] + compiled) <= same * fmax(1, fabs(compiled))))
        return false;
    *to = dal_follows_parameters(d, node) ? dal_n_neg(d, node) : dal_derive_number(d, compiled);
    return true;
}

void dal_reduce_in_symbols(dal_derivation *d)
{
    const dal_reduction *e = d->layout->reduction;
    elimination x = {.d = d, .e = e, .n = e->n_held, .width = e->n_natural + 1};
    const size_t entries = (size_t)x.n * (size_t)x.width;
    x.node = DAL_NEW(d->arena, dal_node, entries + 1);
    x.value = DAL_NEW(d->arena, double, SETS *entries + 1);
    x.done = DAL_NEW(d->arena, bool, x.n + 1);
    if (!d->options.follow || !x.n || !read_rows(&x))
        return;
    evaluate_rows(&x);
    for (int solved = 0; solved < x.n; solved++) {
        const int i = choose_row(&x);
        if (i < 0)
            return;
        solve_row(&x, i);
    }
    dal_node *B = DAL_NEW(d->arena, dal_node, e->n_natural * e->n_left + 1), *b = DAL_NEW(d->arena, dal_node, e->n_natural + 1);
    double *compiled = DAL_NEW(d->arena, double, e->n_left + 1);
    for (int k = 0; k < e->n_natural * e->n_left; k++)
        B[k] = dal_n_const(d, 0);
    for (int i = 0; i < e->n_natural; i++)
        b[i] = dal_n_const(d, 0);
    for (int k = 0; k < e->n_left; k++)
        B[e->left[k] * e->n_left + k] = dal_n_const(d, 1);
    for (int i = 0; i < x.n; i++) {
        const int at = e->solved[i];
        memset(compiled, 0, sizeof *compiled * (size_t)e->n_left);
        for (int k = e->first[at]; k < e->first[at + 1]; k++)
            compiled[e->column[k]] = e->coef[k];
        for (int k = 0; k < e->n_left; k++)
            if (!keep_symbol(&x, i, e->left[k], compiled[k], &B[at * e->n_left + k]))
                return;
        if (!keep_symbol(&x, i, x.width - 1, e->constant[at], &b[at]))
            return;
    }
    d->reduced_B = B;
    d->reduced_b = b;
}

/* ---- uses ----------------------------------------------------------------------------------------- */

/* The sum of B_ik term(k) of natural coordinate i. */
static dal_node sum_of_row(dal_derivation *d, int i, dal_node start, dal_node (*term)(dal_derivation *d, int k, int first), int first)
{
    const dal_reduction *e = d->layout->reduction;
    dal_node sum = start;
    for (int k = 0; d->reduced_B && k < e->n_left; k++)
        if (!dal_n_is(d, d->reduced_B[i * e->n_left + k], 0))
            sum = dal_n_add(d, sum, dal_n_mul(d, d->reduced_B[i * e->n_left + k], term(d, k, first)));
    for (int k = e->first[i]; k < e->first[i + 1] && !d->reduced_B; k++)
        sum = dal_n_add(d, sum, dal_n_mul(d, dal_derive_number(d, e->coef[k]), term(d, e->column[k], first)));
    return sum;
}

static dal_node letter_of_column(dal_derivation *d, int k, int first)
{
    return dal_n_var(d, first + k);
}

static dal_node speed_of_column(dal_derivation *d, int k, int direction)
{
    return d->W[k * d->p + direction];
}

dal_node dal_natural_in_coordinates(dal_derivation *d, int i)
{
    const dal_node b = d->reduced_b ? d->reduced_b[i] : dal_derive_number(d, d->layout->reduction->constant[i]);
    return sum_of_row(d, i, b, letter_of_column, d->q);
}

/* Its rate along the motion, or along W_j. */
dal_node dal_rate_of_natural(dal_derivation *d, int i)
{
    const bool motion = d->direction == DAL_ALONG_MOTION;
    return sum_of_row(d, i, dal_n_const(d, 0), motion ? letter_of_column : speed_of_column, motion ? d->v : d->direction);
}

/* The derivative of a node by z_k through natural coordinates. */
dal_node dal_natural_along_column(dal_derivation *d, dal_node node, int k)
{
    const dal_reduction *e = d->layout->reduction;
    dal_node sum = dal_n_const(d, 0);
    for (int i = 0; i < e->n_natural; i++) {
        dal_node factor = d->reduced_B ? d->reduced_B[i * e->n_left + k] : dal_n_const(d, 0);
        for (int j = e->first[i]; j < e->first[i + 1] && !d->reduced_B; j++)
            if (e->column[j] == k)
                factor = dal_derive_number(d, e->coef[j]);
        if (!dal_n_is(d, factor, 0))
            sum = dal_n_add(d, sum, dal_n_mul(d, factor, dal_diff(d->graph, node, d->natural + i)));
    }
    return sum;
}
