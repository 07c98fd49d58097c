/* Material vectors, measures and rows on the frames of the bodies: written once
 * for every joint and every family.
 *
 * For a measure m of the vectors x_k with gradients g_k = dm/dx_k:
 *   m'  = sum g_k . x_k'
 *   m'' = sum g_k . x_k''(v') + bias,   bias = sum g_k . x_k,b + (second derivatives of m) x' x'
 *
 *   dot     m = a . b:     g_a = b, g_b = a, bias gains 2 a' . b'   (`natural-absolute-coordinates` (46), (52))
 *   angle   c = x_i . x_j, s = y_i . x_j, n = c^2 + s^2:
 *           m' = (c s' - s c') / n,   bias = (c s_b - s c_b) / n - m' n' / n
 *   length  m' = d . d' / m,   bias = (d . d_b + d' . d' - m'^2) / m
 */
#include "kinematics/family.h"
#include "math/vec.h"

static const double two_pi = 6.283185307179586476925287;

static void move_vectors_position(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    for (int i = 0; i < m->n_vectors; i++) {
        const dal_vector *vector = &m->vectors[i];
        const dal_kin *kin = &w->kin[vector->body];
        dal_real *x = w->x + 3 * i;
        dal_turn(kin->R, vector->s, x);
        if (vector->point)
            dal_axpy3(1, kin->r, x);
    }
}

static void move_vectors_velocity(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    for (int i = 0; i < m->n_vectors; i++) {
        const dal_vector *vector = &m->vectors[i];
        const dal_kin *kin = &w->kin[vector->body];
        dal_real *xd = w->xd + 3 * i, *xb = w->xb + 3 * i;
        dal_turn(kin->Rd, vector->s, xd);
        dal_turn(kin->Rb, vector->s, xb);
        if (vector->point) {
            dal_axpy3(1, kin->rd, xd);
            dal_axpy3(1, kin->rb, xb);
        }
    }
}

/* out = x[plus] - x[minus], minus may be absent */
static void subtract(const dal_real *x, int plus, int minus, dal_real out[3])
{
    dal_copy3(x + 3 * plus, out);
    if (minus >= 0)
        dal_sub3(out, x + 3 * minus, out);
}

static void measure_position(const dal_measure *measure, dal_work *w, dal_real *value, dal_real *g)
{
    const int *k = measure->vector;
    dal_real a[3], b[3];
    switch (measure->kind) {
    case DAL_MEASURE_DOT:
        subtract(w->x, k[0], k[1], a);
        subtract(w->x, k[2], k[3], b);
        *value = dal_dot(a, b);
        for (int i = 0; i < 3; i++)
            g[i] = b[i], g[3 + i] = -b[i], g[6 + i] = a[i], g[9 + i] = -a[i];
        break;
    case DAL_MEASURE_ANGLE: {
        const dal_real *x_i = w->x + 3 * k[0], *y_i = w->x + 3 * k[1], *x_j = w->x + 3 * k[2];
        dal_real c = dal_dot(x_i, x_j), s = dal_dot(y_i, x_j), n = c * c + s * s;
        dal_real angle = dal_atan2(s, c);
        double turns = floor((double)dal_re(w->winding[measure->winding] - angle) / two_pi + 0.5);
        *value = angle + two_pi * turns;
        for (int i = 0; i < 3; i++) {
            g[i] = -s / n * x_j[i];
            g[3 + i] = c / n * x_j[i];
            g[6 + i] = (c * y_i[i] - s * x_i[i]) / n;
        }
        break;
    }
    case DAL_MEASURE_LENGTH:
        subtract(w->x, k[0], k[1], a);
        *value = dal_sqrt(dal_dot(a, a) + 1e-300); /* coinciding points: length 1e-150, gradient zero */
        for (int i = 0; i < 3; i++)
            g[i] = a[i] / *value, g[3 + i] = -a[i] / *value;
        break;
    case DAL_MEASURE_KINDS: break;
    }
}

static void measure_velocity(const dal_measure *measure, dal_work *w, const dal_real *g, dal_real value, dal_real *rate,
                             dal_real *bias)
{
    const int *k = measure->vector;
    *rate = *bias = 0;
    for (int i = 0; i < 4; i++)
        if (k[i] >= 0) {
            *rate += dal_dot(g + 3 * i, w->xd + 3 * k[i]);
            *bias += dal_dot(g + 3 * i, w->xb + 3 * k[i]);
        }
    dal_real ad[3], bd[3];
    switch (measure->kind) {
    case DAL_MEASURE_DOT:
        subtract(w->xd, k[0], k[1], ad);
        subtract(w->xd, k[2], k[3], bd);
        *bias += 2 * dal_dot(ad, bd);
        break;
    case DAL_MEASURE_ANGLE: {
        const dal_real *x_i = w->x + 3 * k[0], *y_i = w->x + 3 * k[1], *x_j = w->x + 3 * k[2];
        const dal_real *xd_i = w->xd + 3 * k[0], *yd_i = w->xd + 3 * k[1], *xd_j = w->xd + 3 * k[2];
        dal_real c = dal_dot(x_i, x_j), s = dal_dot(y_i, x_j), n = c * c + s * s;
        dal_real cd = dal_dot(xd_i, x_j) + dal_dot(x_i, xd_j), sd = dal_dot(yd_i, x_j) + dal_dot(y_i, xd_j);
        *bias += 2 * (c * dal_dot(yd_i, xd_j) - s * dal_dot(xd_i, xd_j)) / n - *rate * 2 * (c * cd + s * sd) / n;
        break;
    }
    case DAL_MEASURE_LENGTH:
        subtract(w->xd, k[0], k[1], ad);
        *bias += (dal_dot(ad, ad) - *rate * *rate) / value;
        break;
    case DAL_MEASURE_KINDS: break;
    }
}

void dal_rows_position(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    move_vectors_position(layout, w);
    for (int i = 0; i < m->n_measures; i++)
        measure_position(&m->measures[i], w, &w->value[i], w->gradient + 12 * i);
    for (int i = 0; i < m->n_rows; i++) {
        const dal_row *row = &m->rows[i];
        dal_real phi = -row->constant;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            phi += m->terms[k].coef * w->value[m->terms[k].measure];
        w->phi[i] = row->time < 0 ? phi : phi - w->time[3 * row->time];
    }
}

/* Adds coef g of one vector to the block of its body, orthonormal: force g (points), moment (R s) x g. */
static void gather(const dal_vector *vector, const dal_kin *kin, const dal_real x[3], dal_real coef, const dal_real g[3],
                   dal_real f[6])
{
    dal_real arm[3] = {x[0], x[1], x[2]}, cg[3] = {coef * g[0], coef * g[1], coef * g[2]};
    if (vector->point) {
        dal_sub3(x, kin->r, arm);
        dal_axpy3(1, cg, f);
    }
    dal_add_cross(arm, cg, f + 3);
}

/* Separated: d x / d q is constant; the columns are (g, g s_1, g s_2, g s_3), without z in the plane. */
static void scatter(const dal_vector *vector, int space, int n_rot, dal_real coef, const dal_real g[3], dal_real *out)
{
    if (vector->point)
        for (int i = 0; i < space; i++)
            out[i] += coef * g[i];
    if (n_rot)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                out[space + space * k + i] += coef * vector->s[k] * g[i];
}

void dal_rows_jacobian(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    bool separated = layout->family->separated;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &m->rows[i];
        const dal_row_layout *at = &layout->row[i];
        dal_real *out = w->A + at->value, f[DAL_MAX_SIDES][6] = {{0}};
        for (int k = 0; k < at->n_values; k++)
            out[k] = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++) {
            const dal_measure *measure = &m->measures[m->terms[k].measure];
            const dal_real *g = w->gradient + 12 * m->terms[k].measure;
            for (int j = 0; j < 4; j++) {
                int side = layout->term_side[4 * k + j];
                if (side < 0)
                    continue;
                int n = measure->vector[j];
                const dal_side *s = &layout->side[at->side + side];
                if (separated)
                    scatter(&m->vectors[n], (int)m->space, layout->body[s->body].n_rot, m->terms[k].coef, g + 3 * j, out + s->offset);
                else
                    gather(&m->vectors[n], &w->kin[s->body], w->x + 3 * n, m->terms[k].coef, g + 3 * j, f[side]);
            }
        }
        if (!separated)
            for (int k = 0; k < at->n_sides; k++) {
                const dal_side *s = &layout->side[at->side + k];
                layout->family->pull(layout, w, s->body, f[k], f[k] + 3, out + s->offset);
            }
    }
    if (layout->family->intrinsic)
        layout->family->intrinsic(layout, w);
}

void dal_rows_velocity(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    move_vectors_velocity(layout, w);
    for (int i = 0; i < m->n_measures; i++)
        measure_velocity(&m->measures[i], w, w->gradient + 12 * i, w->value[i], &w->rate[i], &w->bias[i]);
    for (int i = 0; i < m->n_rows; i++) {
        const dal_row *row = &m->rows[i];
        dal_real phid = 0, gamma = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++) {
            phid += m->terms[k].coef * w->rate[m->terms[k].measure];
            gamma -= m->terms[k].coef * w->bias[m->terms[k].measure];
        }
        w->phid[i] = row->time < 0 ? phid : phid - w->time[3 * row->time + 1];
        w->gamma[i] = row->time < 0 ? gamma : gamma + w->time[3 * row->time + 2];
    }
    if (layout->family->intrinsic_bias)
        layout->family->intrinsic_bias(layout, w);
}

void dal_rows_transposed(const dal_layout *layout, const dal_real *A, const dal_real *lambda, dal_real *out)
{
    for (int j = 0; j < layout->nv; j++)
        out[j] = 0;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->value; k < at->value + at->n_values; k++)
            out[layout->column[k]] += A[k] * lambda[i];
    }
}

void dal_rows_times(const dal_layout *layout, const dal_real *A, const dal_real *v, dal_real *out)
{
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        out[i] = 0;
        for (int k = at->value; k < at->value + at->n_values; k++)
            out[i] += A[k] * v[layout->column[k]];
    }
}

void dal_mass_times(const dal_layout *layout, const dal_real *M, const dal_real *v, dal_real *out)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        for (int i = 0; i < at->nv; i++) {
            out[at->v + i] = 0;
            for (int j = 0; j < at->nv; j++)
                out[at->v + i] += M[at->mass + at->nv * i + j] * v[at->v + j];
        }
    }
}

/* T = sum 1/2 m c'.c' + 1/2 w.I w; P = sum m c'; L = sum c x m c' + I w. The twist of a separated body follows from
 * R' = [w x] R: w = 1/2 sum of R_k x R'_k over its columns (exact where R is a rotation). */
dal_real dal_kinetic(const dal_layout *layout, const dal_work *w, dal_real linear[3], dal_real angular[3])
{
    dal_real energy = 0;
    dal_zero3(linear);
    dal_zero3(angular);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &w->kin[b];
        dal_real c[3], cd[3], inertia[9], spin[3];
        dal_turn(kin->R, body->center, c);
        dal_axpy3(1, kin->r, c);
        dal_turn(kin->Rd, body->center, cd);
        dal_axpy3(1, kin->rd, cd);
        dal_turn_inertia(kin->R, body->inertia, inertia);
        dal_mul3(inertia, kin->w, spin);
        energy += 0.5 * body->mass * dal_dot(cd, cd) + 0.5 * dal_dot(kin->w, spin);
        dal_axpy3(body->mass, cd, linear);
        dal_real momentum[3] = {body->mass * cd[0], body->mass * cd[1], body->mass * cd[2]};
        dal_add_cross(c, momentum, angular);
        dal_axpy3(1, spin, angular);
    }
    return energy;
}
