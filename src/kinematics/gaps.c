/* Gaps: rows that hold two points P and Q together along a world axis e, coef (P - Q) . e = constant. Pins, balls and welds are made of them, so
 * that most rows of most mechanisms are gaps. They are computed in one batch, without the other terms that a row may have:
 *     phi   = coef (P - Q)_e - constant
 *     phi'  = coef (P' - Q')_e,    gamma = -coef (P_b - Q_b)_e
 *     A     = coef e on P, -coef e on Q: a force f = +-coef e at the point, with the arm a = P - r the moment a x f about r
 * which are the same operations as for any row (rows.c), without products by the zeros of e.
 * In the family `natural` P = r + R s is linear in the coordinates, and A does not change: (f, s_1 f, s_2 f, ...). Where linear rows are eliminated
 * (reduction.h) there are no gaps: the rows that stay are computed by rows.c. `flat` in a name: for planar models.
 */
#include "kinematics/gaps.h"
#include "math/vec.h"

#include "kinematics/natural.h"
#include "kinematics/tree.h"

/* ---- build -------------------------------------------------------------------------------------- */

#ifndef DAL_SCALAR_VARIANT

/* World axis of a vector; -1: it is not a world axis. Vectors 0, 1, 2 are the world axes. */
static int axis_of(int vector)
{
    return vector >= 0 && vector < 3 ? vector : -1;
}

static bool is_gap(const dal_layout *layout, int i, dal_gap *gap)
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = &m->rows[layout->row[i].source];
    const dal_measure *measure = &m->measures[m->terms[row->term].measure];
    if (row->n_terms != 1 || m->terms[row->term].coef == 0 || row->form >= 0 || row->time >= 0 || row->curved || measure->kind != DAL_MEASURE_DOT ||
        layout->reduction)
        return false;
    const int plus = measure->vector[0], minus = measure->vector[1];
    if (plus < 0 || minus < 0 || measure->vector[3] >= 0 || axis_of(measure->vector[2]) < 0 || !m->vectors[plus].point || !m->vectors[minus].point ||
        m->vectors[plus].body == m->vectors[minus].body)
        return false;
    *gap = (dal_gap){.row = i,
                     .source = layout->row[i].source,
                     .term = row->term,
                     .measure = m->terms[row->term].measure,
                     .axis = axis_of(measure->vector[2]),
                     .point = {plus, minus},
                     .body = {m->vectors[plus].body, m->vectors[minus].body}};
    for (int k = 0; k < 2; k++) {
        const int side = layout->row[i].side + layout->term_side[4 * row->term + k];
        if (gap->body[k] != DAL_GROUND) {
            gap->side[k] = side;
            gap->entry[k] = layout->row[i].value + layout->side[side].offset;
        }
    }
    return true;
}

void dal_gaps_find(dal_arena *arena, dal_layout *layout)
{
    layout->gap = DAL_NEW(arena, dal_gap, layout->n_extrinsic);
    layout->other = DAL_NEW(arena, int, layout->n_extrinsic + layout->n_speeds);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        if (is_gap(layout, i, &layout->gap[layout->n_gaps]))
            layout->n_gaps++;
        else
            layout->other[layout->n_others++] = i;
    }
    for (int n = 0; n + 1 < layout->n_gaps; n++) {
        const dal_gap *next = &layout->gap[n + 1];
        layout->gap[n].paired =
            layout->gap[n].axis == 0 && next->axis == 1 && layout->gap[n].point[0] == next->point[0] && layout->gap[n].point[1] == next->point[1];
    }
    for (int i = 0; i < layout->n_speeds; i++)
        layout->other[layout->n_others++] = layout->n_rows + i;
}

#endif

void dal_gaps_begin(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    for (int n = 0; n < layout->n_gaps; n++) {
        const dal_gap *gap = &layout->gap[n];
        dal_real *g = w->gradient + 12 * gap->measure;
        g[gap->axis] = 1;
        g[3 + gap->axis] = -1;
        for (int k = 0; k < 2 && layout->family->separated; k++)
            if (gap->body[k] != DAL_GROUND)
                dal_natural_scatter(&m->vectors[gap->point[k]], (int)m->space, layout->body[gap->body[k]].n_rot, w->coef[gap->term], g + 3 * k,
                                    w->A + gap->entry[k]);
    }
}

/* ---- evaluation --------------------------------------------------------------------------------- */

void dal_gaps_position(const dal_layout *layout, dal_work *w)
{
    const dal_row *rows = layout->mechanism->rows;
    for (int n = 0; n < layout->n_gaps; n++) {
        const dal_gap *gap = &layout->gap[n];
        const dal_real value = w->x[3 * gap->point[0] + gap->axis] - w->x[3 * gap->point[1] + gap->axis];
        w->value[gap->measure] = value;
        w->phi[gap->row] = w->coef[gap->term] * value - rows[gap->source].constant;
    }
}

void dal_gaps_velocity(const dal_layout *layout, dal_work *w)
{
    for (int n = 0; n < layout->n_gaps; n++) {
        const dal_gap *gap = &layout->gap[n];
        const int p = 3 * gap->point[0] + gap->axis, q = 3 * gap->point[1] + gap->axis;
        const dal_real rate = w->xd[p] - w->xd[q], bias = w->xb[p] - w->xb[q], coef = w->coef[gap->term];
        w->rate[gap->measure] = rate;
        w->bias[gap->measure] = bias;
        w->phid[gap->row] = coef * rate;
        w->gamma[gap->row] = -coef * bias;
    }
}

static inline void find_wrench(int axis, dal_real f, const dal_real x[3], const dal_real r[3], dal_real force[3], dal_real moment[3])
{
    dal_real arm[3];
    dal_zero3(force);
    force[axis] = f;
    dal_sub3(x, r, arm);
    dal_cross(arm, force, moment);
}

/* In the plane, the moment about z. */
static inline dal_real flat_moment(int axis, dal_real f, const dal_real x[3], const dal_real r[3])
{
    return axis == 0 ? -(x[1] - r[1]) * f : (x[0] - r[0]) * f;
}

/* The columns of a planar body with one angle: f, and the moment about z. A particle has no moment. */
static inline void flat_gap(const dal_layout *layout, dal_work *w, const dal_gap *gap)
{
    for (int k = 0; k < 2; k++) {
        const int b = gap->body[k];
        if (b == DAL_GROUND)
            continue;
        const dal_real f = k ? -w->coef[gap->term] : w->coef[gap->term];
        dal_real *out = w->A + gap->entry[k];
        out[gap->axis] = f;
        out[1 - gap->axis] = 0;
        if (layout->body[b].n_rot)
            out[2] = flat_moment(gap->axis, f, w->x + 3 * gap->point[k], w->kin[b].r);
    }
}

static void own_gap(const dal_layout *layout, dal_work *w, const dal_gap *gap)
{
    for (int k = 0; k < 2; k++) {
        const int b = gap->body[k];
        if (b == DAL_GROUND)
            continue;
        const dal_real f = k ? -w->coef[gap->term] : w->coef[gap->term];
        dal_real *out = w->A + gap->entry[k], force[3], moment[3];
        find_wrench(gap->axis, f, w->x + 3 * gap->point[k], w->kin[b].r, force, moment);
        for (int c = 0; c < layout->body[b].n_columns; c++)
            out[c] = 0;
        layout->family->pull(layout, w, b, force, moment, out);
    }
}

/* flat: columns are (u_x, u_y, 0, 0, 0, w). */
static inline void add_shared_gap(const dal_layout *layout, dal_work *w, const dal_gap *gap, bool flat)
{
    const dal_row_layout *at = &layout->row[gap->row];
    dal_real *out = w->A + at->value;
    for (int k = 0; k < at->n_values; k++)
        out[k] = 0;
    for (int k = 0; k < 2; k++) {
        const int b = gap->body[k];
        if (b == DAL_GROUND)
            continue;
        const dal_real f = k ? -w->coef[gap->term] : w->coef[gap->term], *J = w->jacobian + 6 * (size_t)layout->body[b].jacobian;
        const dal_real *x = w->x + 3 * gap->point[k], *r = w->kin[b].r;
        const int *map = layout->map + layout->side[gap->side[k]].map, n = layout->body[b].n_columns;
        dal_real force[3], moment[3];
        if (flat)
            moment[2] = flat_moment(gap->axis, f, x, r);
        else
            find_wrench(gap->axis, f, x, r, force, moment);
        for (int c = 0; c < n; c++, J += 6)
            out[map[c]] += J[gap->axis] * f + (flat ? J[5] * moment[2] : dal_dot(J + 3, moment));
    }
}

static void shared_gap(const dal_layout *layout, dal_work *w, const dal_gap *gap)
{
    add_shared_gap(layout, w, gap, false);
}

static void flat_shared_gap(const dal_layout *layout, dal_work *w, const dal_gap *gap)
{
    add_shared_gap(layout, w, gap, true);
}

/* Both rows of two points. */
static void flat_shared_pair(const dal_layout *layout, dal_work *w, const dal_gap *gap)
{
    const dal_row_layout *at = &layout->row[gap[0].row], *next = &layout->row[gap[1].row];
    dal_real *along = w->A + at->value, *across = w->A + next->value;
    for (int k = 0; k < at->n_values; k++)
        along[k] = across[k] = 0;
    for (int k = 0; k < 2; k++) {
        const int b = gap->body[k];
        if (b == DAL_GROUND)
            continue;
        const dal_real *J = w->jacobian + 6 * (size_t)layout->body[b].jacobian, *x = w->x + 3 * gap->point[k], *r = w->kin[b].r;
        const dal_real f = k ? -w->coef[gap[0].term] : w->coef[gap[0].term], g = k ? -w->coef[gap[1].term] : w->coef[gap[1].term];
        const dal_real turn = -(x[1] - r[1]) * f, turn_across = (x[0] - r[0]) * g;
        const int *map = layout->map + layout->side[gap[0].side[k]].map, *map_across = layout->map + layout->side[gap[1].side[k]].map;
        for (int c = 0, n = layout->body[b].n_columns; c < n; c++, J += 6) {
            along[map[c]] += J[0] * f + J[5] * turn;
            across[map_across[c]] += J[1] * g + J[5] * turn_across;
        }
    }
}

void dal_gaps_jacobian(const dal_layout *layout, dal_work *w)
{
    if (layout->family->separated)
        return;
    const bool flat_tree = layout->tree && layout->tree->flat;
    const bool one_angle = layout->mechanism->space == DAL_PLANAR && layout->family->attitude == DAL_OWN_ANGLES;
    for (int n = 0; n < layout->n_gaps; n++) {
        const dal_gap *gap = &layout->gap[n];
        if (one_angle)
            flat_gap(layout, w, gap);
        else if (flat_tree && gap->paired)
            flat_shared_pair(layout, w, gap), n++;
        else if (flat_tree)
            flat_shared_gap(layout, w, gap);
        else
            (layout->family->shares ? shared_gap : own_gap)(layout, w, gap);
    }
}
