/* Coordinate partitioning: R. A. Wehage and E. J. Haug, Generalized coordinate partitioning for dimension reduction in analysis of
 * constrained dynamic systems, Journal of Mechanical Design 104 (1982), 247-255.
 *
 * k of the nv velocities are dependent (d), the others independent (i). After each step the integrator's q_i and v_i
 * stay as they are, to the last bit, and the others follow from the constraints:
 *     A_d dq_d = -phi             Newton, until phi is within the tolerance
 *     A_d dv_d = beta - A v       at the corrected q
 * The projections change all coordinates a little; this one changes some of them, and by more.
 *
 * The choice. B is A on the independent rows, scaled as for ranks: rows at unit norm, columns over what a unit of the velocity moves.
 * Elimination with complete pivoting, B -> [1 D], takes the pivots' columns for the dependent ones, and
 *     D = B_d^-1 B_i,   dq_d = -D dq_i along the constraints:
 * how far a dependent coordinate moves with an independent one. The choice is kept until the largest |D| exceeds `steepest_kept`, and is then made
 * again between two steps. Nothing jumps: y holds all coordinates and meets the constraints under either choice. D does not show singular positions,
 * where B_d^-1 itself grows: dal_state_alarm detects them, as for the other projections.
 *
 * Nonholonomic rows have no phi. In the correction of positions their right side is zero: coordinates that depend through them move along.
 * Where a velocity is no rate of a coordinate (ball joints of the family `joint`), a correction turns the attitude about the dependent axes.
 * Where a formulation integrates speeds, these are the independent velocities: they stay, and v follows from them at the corrected q.
 */
#include "integrate/stabilization.h"
#include "math/dense.h"
#include "dynamics/row_rank.h"
#include "integrate/partition.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double steepest_kept = 10; /* |D| beyond which others are chosen */
static const double clearly = 1.5;      /* by how much others have to be better */
static const double tie = 1e-9;         /* pivots that differ by less are equal: the first one is taken on every machine */

typedef struct parts {
    int k, n;
    double *B;         /* all rows, scaled, n numbers each */
    double *row_scale; /* what they were multiplied by */
    double *lu, *x;    /* the factors of B_d, k x k; scratch, n_rows */
    int *pivot, *trial;
} parts;

static size_t work_partitioning(const dal_system *system)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, r = (size_t)dal_system_layout(system)->n_rows;
    return m + r + r * m + r + r * r + r + (r + m); /* the last: integers */
}

static parts parts_of_partitioning(const dal_state *state)
{
    const size_t m = (size_t)state->layout->nv, r = (size_t)state->layout->n_rows;
    parts p = {.k = state->rank->n, .n = (int)m};
    p.B = state->scratch->projector + m + r;
    p.row_scale = p.B + r * m;
    p.lu = p.row_scale + r;
    p.x = p.lu + r * r;
    p.pivot = (int *)(p.x + r);
    p.trial = p.pivot + r;
    return p;
}

static const double *row_of_partitioning(const dal_state *state, const parts *p, int i)
{
    return p->B + (size_t)state->rank->order[i] * (size_t)p->n;
}

/* B_d = L U. The ratio of its pivots, 0 where it is singular. */
static double factor_dependent(const dal_state *state, const parts *p)
{
    for (int i = 0; i < p->k; i++)
        for (int j = 0; j < p->k; j++)
            p->lu[i * p->k + j] = row_of_partitioning(state, p, i)[state->partition->column[j]];
    return p->k ? dal_lu(p->lu, p->k, p->k, p->pivot) : 1;
}

/* The largest |D|, a column of B_i at a time. */
static double steepest(const dal_state *state, const parts *p)
{
    double largest = 0;
    for (int j = 0, d = 0; j < p->n; j++) {
        if (d < p->k && state->partition->column[d] == j) {
            d++;
            continue;
        }
        for (int i = 0; i < p->k; i++)
            p->x[i] = row_of_partitioning(state, p, i)[j];
        dal_lu_solve(p->lu, p->k, p->k, p->pivot, p->x);
        for (int i = 0; i < p->k; i++)
            largest = fmax(largest, fabs(p->x[i]));
    }
    return largest;
}

/* The largest entry of rows `from` and after, in columns that are not taken. */
static void find_pivot(const double *E, const parts *p, const int *taken, int from, int *row, int *column)
{
    double largest = 0;
    for (int i = from; i < p->k; i++)
        for (int j = 0; j < p->n; j++)
            if (!taken[j] && fabs(E[(size_t)i * (size_t)p->n + (size_t)j]) > (1 + tie) * largest) {
                largest = fabs(E[(size_t)i * (size_t)p->n + (size_t)j]);
                *row = i;
                *column = j;
            }
}

/* Elimination with complete pivoting on a copy; the columns of its pivots, marked in `taken`. How many there are. */
static int eliminate_partitioning(const dal_state *state, const parts *p, int *taken)
{
    const size_t n = (size_t)p->n;
    double *E = state->rank->matrix;
    memset(taken, 0, sizeof *taken * n);
    for (int i = 0; i < p->k; i++)
        memcpy(E + (size_t)i * n, row_of_partitioning(state, p, i), sizeof *E * n);
    for (int step = 0; step < p->k; step++) {
        int row = -1, column = -1;
        find_pivot(E, p, taken, step, &row, &column);
        if (row < 0)
            return step;
        taken[column] = 1;
        for (size_t j = 0; j < n && row != step; j++) {
            double keep = E[(size_t)row * n + j];
            E[(size_t)row * n + j] = E[(size_t)step * n + j];
            E[(size_t)step * n + j] = keep;
        }
        const double *pivot = E + (size_t)step * n;
        for (int i = step + 1; i < p->k; i++) {
            double *other = E + (size_t)i * n, times = other[column] / pivot[column];
            for (size_t j = 0; j < n; j++)
                other[j] -= times * pivot[j];
            other[column] = 0;
        }
    }
    return p->k;
}

/* Other columns, where there are better ones. False: none at all, the rows depend on each other. */
static bool choose_partitioning(dal_state *state, const parts *p, double before)
{
    const bool first = state->partition->n != p->k;
    bool same = true;
    if (eliminate_partitioning(state, p, p->trial) < p->k)
        return false;
    for (int j = 0, d = 0; j < p->n; j++)
        if (p->trial[j]) {
            int was = state->partition->column[d];
            same = same && !first && was == j;
            state->partition->column[d] = j;
            p->trial[d++] = first ? j : was; /* the old choice: d <= j, this mark was read */
        }
    state->partition->n = p->k;
    if (same)
        return factor_dependent(state, p) > 0;
    double after = factor_dependent(state, p) > 0 ? steepest(state, p) : HUGE_VAL;
    if (!first && !(before > clearly * after)) {
        memcpy(state->partition->column, p->trial, sizeof *p->trial * (size_t)p->k);
        return true;
    }
    state->partition->changed += !first;
    state->rank->good_ratio[DAL_FACTOR_PARTITION] = 0; /* of other columns */
    return true;
}

/* Between two steps, before anything is corrected: are the columns still good? */
static dal_flow begin_partitioning(dal_state *state)
{
    const parts p = parts_of_partitioning(state);
    dal_scaled_rows(state, p.B, p.row_scale);
    bool chosen = state->partition->n == p.k;
    double slope = chosen && factor_dependent(state, &p) > 0 ? steepest(state, &p) : HUGE_VAL;
    if (slope > steepest_kept) {
        if (!choose_partitioning(state, &p, slope))
            return dal_state_fail(state, "the constraints became dependent and no dependent coordinates were found that they determine");
        slope = factor_dependent(state, &p) > 0 ? steepest(state, &p) : HUGE_VAL;
    }
    state->partition->steepest = fmax(state->partition->steepest, slope);
    return 0;
}

/* B_d at the present A. Other rows may be chosen where some are redundant; the columns stay until the next step. */
static dal_flow factor_partitioning(dal_state *state)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        const parts p = parts_of_partitioning(state);
        dal_scaled_rows(state, p.B, p.row_scale);
        if (state->partition->n != p.k)
            return dal_state_fail(state, "the rank of the constraints changed within a step");
        double ratio = factor_dependent(state, &p);
        if (!dal_state_alarm(state, DAL_FACTOR_PARTITION, ratio) || (attempt && ratio > 0))
            return 0;
    }
    return dal_state_fail(state, "the dependent coordinates are not determined by the constraints here: the position "
                                 "is singular, or the step too large");
}

/* B_d (S x)_d = N b, x_i = 0; S and N are the scales of columns and rows. */
static void solve_partitioning(dal_state *state, double *b, double *x)
{
    const parts p = parts_of_partitioning(state);
    memset(x, 0, sizeof *x * (size_t)p.n);
    for (int i = 0; i < p.k; i++)
        p.x[i] = p.row_scale[state->rank->order[i]] * b[state->rank->order[i]];
    dal_lu_solve(p.lu, p.k, p.k, p.pivot, p.x);
    for (int d = 0; d < p.k; d++)
        x[state->partition->column[d]] = p.x[d] / state->layout->units.column_scale[state->partition->column[d]];
}

static dal_flow project_partitioning(dal_state *state, double t, double *y)
{
    static const dal_projector projector = {
        .begin = begin_partitioning, .factor = factor_partitioning, .solve = solve_partitioning, .keeps_speeds = true};
    return dal_project(state, t, y, &projector);
}

static bool applies_partitioning(const dal_system *system, dal_refusal *why)
{
    if (dal_system_layout(system)->small)
        return true;
    dal_decline(why, DAL_REASON_OTHER,
                "coordinate-partitioning works on dense matrices, and the model has %d velocities and %d rows in the "
                "family %s: use "
                "mass-projection",
                dal_system_layout(system)->nv, dal_system_layout(system)->n_rows, dal_system_layout(system)->family->name);
    return false;
}

const dal_stabilization dal_coordinate_partitioning = {
    .name = "coordinate-partitioning",
    .title = "after each step the dependent coordinates and velocities are solved for; the independent ones stay as they are",
    DAL_PROJECTION(project_partitioning, work_partitioning),
    .applies = applies_partitioning,
};

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_partition(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_partition local, *partition = DAL_LAYOUT_PART(block, state->partition, local);
    DAL_LAYOUT(block, partition->column, dal_system_layout(system)->nv);
}

static void reset_partition(dal_state *state)
{
    state->partition->n = 0;
    state->partition->changed = 0;
    state->partition->steepest = 0;
}

static void copy_partition(const dal_state *from, dal_state *to)
{
    to->partition->n = from->partition->n;
    memcpy(to->partition->column, from->partition->column, sizeof *to->partition->column * (size_t)from->layout->nv);
}

static void keep_partition(dal_state *state, dal_keep *keep)
{
    const int nv = state->layout->nv;
    dal_partition *part = state->partition;
    dal_keep_integers(keep, &part->n, 1, 0, nv);
    dal_keep_integers(keep, part->column, (size_t)nv, 0, nv - 1);
    dal_keep_numbers(keep, &part->steepest, 1);
    dal_keep_counts(keep, &part->changed, 1);
}

const dal_owner dal_partition_owner = {.layout = layout_partition, .reset = reset_partition, .copy = copy_partition, .keep = keep_partition};
