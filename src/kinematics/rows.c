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
 *
 * A row is the sum of coef * measure' (less f'(t), or plus b of a form). Along directions a and b, with m_a, m_b the rates of a
 * measure and m_ab its bend, D_a of the row's rate along b is
 *   sum coef m_ab                                                     constant coefficients
 *   + sum over k of m_k,b (sum over l of da_k/dm_l m_l,a + da_k/dt tau_a) + tau_b (sum over l of db/dm_l m_l,a + db/dt tau_a)   forms
 * where tau_a, tau_b are the time components of the directions (`da`, `db` in the code) and d is the partial derivative. gamma is minus that with
 * a = b = (v, 1).
 *
 * A curved row, phi(m, m', t) = 0 not linear in the rates, is a form at the present rates: a_k = dphi/dm_k', b = phi - sum a_k m_k', and its
 * derivatives by m and t are those with m' held. So sum a_k m_k' + b is phi itself, A = sum a_k dm_k/dq = dphi/dv (Chetaev), and
 *   phi' = A v' + sum a_k bias_k + sum over l of (da_k/dm_l m_k' + db/dm_l) m_l' + ... = A v' - gamma
 * as before: with v held, D_a phi = D_a [A v - beta] for every direction a. D_v [A b] of another direction b lacks the change of a_k with
 * the rates, sum over k, l of d2phi/dm_k'dm_l' m_k,b m_l'', which contains v': dal_rows_curve.
 */
#include "kinematics/flat_tree.h"
#include "kinematics/gaps.h"
#include "kinematics/reduction.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "math/vec.h"

static const double two_pi = 6.283185307179586476925287;

/* x = R s + r or R s, z stays zero. */
static inline void turn_flat(const dal_real R[9], const dal_real r[3], const dal_vector *vector, dal_real x[3])
{
    x[0] = R[0] * vector->s[0] + R[1] * vector->s[1];
    x[1] = R[3] * vector->s[0] + R[4] * vector->s[1];
    if (vector->point) {
        x[0] += r[0];
        x[1] += r[1];
    }
}

/* x = R s + r or R s. */
static inline void turn_vector(bool flat, const dal_real R[9], const dal_real r[3], const dal_vector *vector, dal_real x[3])
{
    if (flat) {
        turn_flat(R, r, vector, x);
        return;
    }
    dal_turn(R, vector->s, x);
    if (vector->point)
        dal_axpy3(1, r, x);
}

static inline void move_vector(const dal_layout *layout, dal_work *w, int i, bool flat)
{
    const dal_vector *vector = &layout->mechanism->vectors[i];
    const dal_kin *kin = &w->kin[vector->body];
    turn_vector(flat, kin->R, kin->r, vector, w->x + 3 * i);
}

static inline void move_vector_velocity(const dal_layout *layout, dal_work *w, int i, bool flat)
{
    const dal_vector *vector = &layout->mechanism->vectors[i];
    const dal_kin *kin = &w->kin[vector->body];
    turn_vector(flat, kin->Rd, kin->rd, vector, w->xd + 3 * i);
    if (!layout->family->separated) /* else nothing is left of the velocity terms */
        turn_vector(flat, kin->Rb, kin->rb, vector, w->xb + 3 * i);
}

/* Numbers from ... to of layout->vector. */
static void move_vectors_position(const dal_layout *layout, dal_work *w, int from, int to)
{
    for (int k = from; k < to && !layout->flat; k++)
        move_vector(layout, w, layout->vector[k], false);
    for (int k = from; k < to && layout->flat; k++)
        move_vector(layout, w, layout->vector[k], true);
}

static void move_vectors_velocity(const dal_layout *layout, dal_work *w, int from, int to)
{
    for (int k = from; k < to && !layout->flat; k++)
        move_vector_velocity(layout, w, layout->vector[k], false);
    for (int k = from; k < to && layout->flat; k++)
        move_vector_velocity(layout, w, layout->vector[k], true);
}

/* out = x[plus] - x[minus], minus may be absent */
static void subtract(const dal_real *x, int plus, int minus, dal_real out[3])
{
    dal_copy3(x + 3 * plus, out);
    if (minus >= 0)
        dal_sub3(out, x + 3 * minus, out);
}

static void measure_position(const dal_layout *layout, const dal_measure *measure, dal_work *w, dal_real *value, dal_real *g)
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
    case DAL_MEASURE_COORDINATE: *value = w->q[layout->own_q + k[0]]; break;
    case DAL_MEASURE_KINDS: break;
    }
}

static void measure_velocity(const dal_layout *layout, const dal_measure *measure, dal_work *w, const dal_real *g, dal_real value, dal_real *rate,
                             dal_real *bias)
{
    const int *k = measure->vector;
    *rate = *bias = 0;
    if (measure->kind == DAL_MEASURE_COORDINATE) {
        *rate = w->v[layout->own_v + k[0]];
        return;
    }
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
    case DAL_MEASURE_COORDINATE:
    case DAL_MEASURE_KINDS: break;
    }
}

/* The row of the mechanism behind a row of the layout that is not intrinsic. */
static const dal_row *row_of(const dal_layout *layout, int i)
{
    const dal_mechanism *m = layout->mechanism;
    return i < layout->n_extrinsic ? &m->rows[layout->row[i].source] : &m->speeds[layout->row[i].source];
}

/* All rows but the intrinsic ones: the constraints, then the speeds. */
#define EACH_ROW(i)                                                                                                                                  \
    for (int i = layout->n_extrinsic ? 0 : layout->n_rows; i < layout->n_rows + layout->n_speeds;                                                    \
         i = i + 1 == layout->n_extrinsic ? layout->n_rows : i + 1)

static void run_forms(const dal_layout *layout, dal_work *w)
{
    for (int i = 0; i < layout->forms.n_needs; i++) {
        int measure = layout->forms.need[2 * i + 1];
        w->form_variables[layout->forms.need[2 * i]] = measure < 0 ? w->t : w->value[measure];
    }
    int left = dal_program_run(layout->forms.program, w->form_variables, NULL, w->form_registers, w->form);
    w->table_exceeded = left || !(layout->placement || layout->systems) ? left : w->table_exceeded;
    EACH_ROW(i)
    {
        const dal_row *row = row_of(layout, i);
        for (int k = 0; row->form >= 0 && k < row->n_terms; k++)
            w->coef[row->term + k] = w->form[row->form + 1 + k];
    }
}

/* Numbers from ... to of layout->measure. */
static void measure_rates(const dal_layout *layout, dal_work *w, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = layout->measure[k];
        measure_velocity(layout, &layout->mechanism->measures[i], w, w->gradient + 12 * i, w->value[i], &w->rate[i], &w->bias[i]);
    }
}

static void measure_places(const dal_layout *layout, dal_work *w, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = layout->measure[k];
        measure_position(layout, &layout->mechanism->measures[i], w, &w->value[i], w->gradient + 12 * i);
    }
}

static void find_rates(const dal_layout *layout, dal_work *w)
{
    move_vectors_velocity(layout, w, 0, layout->n_busy_vectors);
    measure_rates(layout, w, 0, layout->n_busy_measures);
    dal_gaps_velocity(layout, w);
}

void dal_rows_idle(const dal_layout *layout, dal_work *w)
{
    move_vectors_position(layout, w, layout->n_busy_vectors, layout->n_vectors);
    measure_places(layout, w, layout->n_busy_measures, layout->n_measures);
    move_vectors_velocity(layout, w, layout->n_busy_vectors, layout->n_vectors);
    measure_rates(layout, w, layout->n_busy_measures, layout->n_measures);
}

/* Curved rows: their coefficients at the present rates. The forms were evaluated before, at other rates, for the other rows. */
static void linearise_rows(const dal_layout *layout, dal_work *w)
{
    for (int i = 0; i < layout->forms.n_rates; i++)
        w->form_variables[layout->forms.rate[2 * i]] = w->rate[layout->forms.rate[2 * i + 1]];
    run_forms(layout, w);
}

void dal_rows_position(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    if (!layout->placement) /* else its frames may have left a table */
        w->table_exceeded = 0;
    move_vectors_position(layout, w, 0, layout->n_busy_vectors);
    measure_places(layout, w, 0, layout->n_busy_measures);
    dal_gaps_position(layout, w);
    dal_subsystems_position(layout, w);
    if (layout->forms.program)
        run_forms(layout, w);
    for (int n = 0; n < layout->n_others - layout->n_speeds; n++) {
        const int i = layout->other[n];
        const dal_row *row = row_of(layout, i);
        if (row->form >= 0) {
            w->phi[i] = w->form[row->form];
            continue;
        }
        dal_real phi = -row->constant;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            phi += m->terms[k].coef * w->value[m->terms[k].measure];
        w->phi[i] = row->time < 0 ? phi : phi - w->time[3 * row->time];
    }
}

void dal_rows_measure(const dal_layout *layout, dal_work *w, int number)
{
    const dal_measure *measure = &layout->mechanism->measures[number];
    for (int k = 0; k < 4 && measure->kind != DAL_MEASURE_COORDINATE; k++)
        if (measure->vector[k] >= 0 && layout->mechanism->vectors[measure->vector[k]].body != DAL_GROUND)
            move_vector(layout, w, measure->vector[k], false);
    measure_position(layout, measure, w, &w->value[number], w->gradient + 12 * number);
}

void dal_rows_rate(const dal_layout *layout, dal_work *w, int number)
{
    const dal_measure *measure = &layout->mechanism->measures[number];
    dal_rows_measure(layout, w, number);
    for (int k = 0; k < 4 && measure->kind != DAL_MEASURE_COORDINATE; k++)
        if (measure->vector[k] >= 0 && layout->mechanism->vectors[measure->vector[k]].body != DAL_GROUND)
            move_vector_velocity(layout, w, measure->vector[k], false);
    measure_velocity(layout, measure, w, w->gradient + 12 * number, w->value[number], &w->rate[number], &w->bias[number]);
}

/* x = R s + r, x' alike. */
static void locate_vector(const dal_layout *layout, const dal_work *w, int number, dal_real x[3], dal_real xd[3])
{
    const dal_vector *vector = &layout->mechanism->vectors[number];
    const dal_kin *kin = &w->kin[vector->body];
    if (layout->flat) {
        x[2] = xd[2] = 0;
        turn_flat(kin->R, kin->r, vector, x);
        turn_flat(kin->Rd, kin->rd, vector, xd);
        return;
    }
    dal_turn(kin->R, vector->s, x);
    dal_turn(kin->Rd, vector->s, xd);
    for (int i = 0; i < 3 && vector->point; i++)
        x[i] += kin->r[i], xd[i] += kin->rd[i];
}

dal_real dal_rows_turn(const dal_layout *layout, const dal_work *w, int number, dal_real *rate)
{
    const dal_measure *measure = &layout->mechanism->measures[number];
    const int *k = measure->vector;
    dal_real x_i[3], y_i[3], x_j[3], xd_i[3], yd_i[3], xd_j[3];
    locate_vector(layout, w, k[0], x_i, xd_i);
    locate_vector(layout, w, k[1], y_i, yd_i);
    locate_vector(layout, w, k[2], x_j, xd_j);
    const dal_real c = dal_dot(x_i, x_j), s = dal_dot(y_i, x_j);
    const dal_real cd = dal_dot(xd_i, x_j) + dal_dot(x_i, xd_j), sd = dal_dot(yd_i, x_j) + dal_dot(y_i, xd_j);
    const dal_real angle = dal_atan2(s, c);
    *rate = (c * sd - s * cd) / (c * c + s * s);
    return angle + two_pi * floor((double)dal_re(w->winding[measure->winding] - angle) / two_pi + 0.5);
}

/* Orthonormal families: add coef times the gradient g of one vector to the covector f of its body: force g (points only), moment (R s) x g. */
static void gather_rows(const dal_vector *vector, const dal_kin *kin, const dal_real x[3], dal_real coef, const dal_real g[3], dal_real f[6])
{
    dal_real arm[3] = {x[0], x[1], x[2]}, cg[3] = {coef * g[0], coef * g[1], coef * g[2]};
    if (vector->point) {
        dal_sub3(x, kin->r, arm);
        dal_axpy3(1, cg, f);
    }
    dal_add_cross(arm, cg, f + 3);
}

void dal_row_covectors(const dal_layout *layout, const dal_work *w, int i, dal_real f[][6])
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = row_of(layout, i);
    const dal_row_layout *at = &layout->row[i];
    for (int k = 0; k < at->n_sides; k++)
        dal_zero3(f[k]), dal_zero3(f[k] + 3);
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        const dal_real *g = w->gradient + 12 * m->terms[k].measure;
        for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++) {
            const int side = layout->term_side[4 * k + j], n = measure->vector[j];
            if (side >= 0)
                gather_rows(&m->vectors[n], &w->kin[layout->side[at->side + side].body], w->x + 3 * n, w->coef[k], g + 3 * j, f[side]);
        }
    }
}

/* The columns of coordinates that are measures themselves; in the separated family those of vectors, too. */
static void own_entries(const dal_layout *layout, const dal_work *w, int i, dal_real *out)
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = row_of(layout, i);
    const dal_row_layout *at = &layout->row[i];
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        const dal_real *g = w->gradient + 12 * m->terms[k].measure;
        if (measure->kind == DAL_MEASURE_COORDINATE)
            out[layout->term_entry[k]] += w->coef[k];
        for (int j = 0; j < 4 && layout->family->separated && !layout->reduction; j++) {
            const int side = layout->term_side[4 * k + j];
            const dal_side *s = &layout->side[at->side + side];
            if (side >= 0)
                dal_natural_scatter(&m->vectors[measure->vector[j]], (int)m->space, layout->body[s->body].n_rot, w->coef[k], g + 3 * j,
                                    out + s->offset);
        }
    }
}

/* Linear rows eliminated: the gradient by the natural coordinates of each body, taken to those that are left. */
static void reduced_entries(const dal_layout *layout, const dal_work *w, int i, dal_real *out)
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = row_of(layout, i);
    const dal_row_layout *at = &layout->row[i];
    for (int s = 0; s < at->n_sides; s++) {
        const dal_side *side = &layout->side[at->side + s];
        dal_real gradient[DAL_MOST_NATURAL] = {0};
        for (int k = row->term; k < row->term + row->n_terms; k++)
            for (int j = 0; j < 4; j++)
                if (layout->term_side[4 * k + j] == s)
                    dal_natural_scatter(&m->vectors[m->measures[m->terms[k].measure].vector[j]], (int)m->space, layout->body[side->body].n_rot,
                                        w->coef[k], w->gradient + 12 * m->terms[k].measure + 3 * j, gradient);
        dal_reduced_pull(layout->reduction, side->body, gradient, layout->map + side->map, out);
    }
}

static void row_jacobian(const dal_layout *layout, dal_work *w, int i)
{
    const dal_row_layout *at = &layout->row[i];
    dal_real *out = w->A + at->value, f[DAL_MAX_SIDES][6];
    for (int k = 0; k < at->n_values; k++)
        out[k] = 0;
    own_entries(layout, w, i, out);
    if (layout->reduction)
        reduced_entries(layout, w, i, out);
    if (layout->family->separated)
        return;
    dal_row_covectors(layout, w, i, f);
    for (int k = 0; k < at->n_sides; k++) {
        const dal_side *s = &layout->side[at->side + k];
        if (!layout->family->shares) {
            layout->family->pull(layout, w, s->body, f[k], f[k] + 3, out + s->offset);
            continue;
        }
        const dal_real *J = w->jacobian + 6 * (size_t)layout->body[s->body].jacobian;
        for (int c = 0; c < layout->body[s->body].n_columns; c++, J += 6)
            out[layout->map[s->map + c]] += dal_dot(J, f[k]) + dal_dot(J + 3, f[k] + 3);
    }
}

void dal_rows_jacobian(const dal_layout *layout, dal_work *w)
{
    if (layout->curved) {
        layout->family->velocity(layout, w);
        find_rates(layout, w);
        linearise_rows(layout, w);
    }
    dal_gaps_jacobian(layout, w);
    for (int n = 0; n < layout->n_others; n++)
        row_jacobian(layout, w, layout->other[n]);
    if (layout->family->intrinsic)
        layout->family->intrinsic(layout, w);
}

/* The derivative along a of the coefficients of a form, times the rates along b. da, db: time components of the directions. */
static dal_real form_bend(const dal_mechanism *m, const dal_work *w, const dal_row *row, const dal_real *along, dal_real da, const dal_real *across,
                          dal_real db)
{
    const int n = row->n_terms;
    const dal_real *slope = w->form + row->form + n + 2;
    dal_real sum = 0;
    for (int k = 0; k <= n; k++, slope += n + 1) {
        dal_real change = slope[n] * da;
        for (int l = 0; l < n; l++)
            change += slope[l] * along[m->terms[row->term + l].measure];
        sum += change * (k < n ? across[m->terms[row->term + k].measure] : db);
    }
    return sum;
}

/* b of a form, or -f'(t). */
static dal_real explicit_part(const dal_work *w, const dal_row *row)
{
    if (row->form >= 0)
        return w->form[row->form + 1 + row->n_terms];
    return row->time < 0 ? 0 : -w->time[3 * row->time + 1];
}

/* g . x_t of the vectors of a measure, where bodies are moved by time itself. */
static dal_real measure_drift(const dal_layout *layout, const dal_work *w, int number)
{
    const dal_measure *measure = &layout->mechanism->measures[number];
    dal_real sum = 0;
    for (int k = 0; k < 4 && measure->kind != DAL_MEASURE_COORDINATE; k++) {
        const dal_vector *vector = measure->vector[k] < 0 ? NULL : &layout->mechanism->vectors[measure->vector[k]];
        const dal_real *drift = !vector || vector->body == DAL_GROUND ? NULL : dal_user_drift(layout, w, vector->body);
        if (!drift)
            continue;
        dal_real x_t[3] = {0}, arm[3];
        dal_turn(w->kin[vector->body].R, vector->s, arm);
        dal_add_cross(drift + 3, arm, x_t);
        if (vector->point)
            dal_axpy3(1, drift, x_t);
        sum += dal_dot(w->gradient + 12 * number + 3 * k, x_t);
    }
    return sum;
}

dal_real dal_row_free(const dal_layout *layout, const dal_work *w, const dal_row *row)
{
    dal_real sum = explicit_part(w, row);
    for (int k = row->term; k < row->term + row->n_terms && layout->placement; k++)
        sum += w->coef[k] * measure_drift(layout, w, layout->mechanism->terms[k].measure);
    return sum;
}

void dal_rows_velocity(const dal_layout *layout, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    find_rates(layout, w);
    dal_subsystems_velocity(layout, w);
    if (layout->curved)
        linearise_rows(layout, w);
    for (int n = 0; n < layout->n_others; n++) {
        const int i = layout->other[n];
        const dal_row *row = row_of(layout, i);
        dal_real phid = explicit_part(w, row), gamma = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++) {
            phid += w->coef[k] * w->rate[m->terms[k].measure];
            gamma -= w->coef[k] * w->bias[m->terms[k].measure];
        }
        if (row->form >= 0)
            gamma -= form_bend(m, w, row, w->rate, 1, w->rate, 1);
        else if (row->time >= 0)
            gamma += w->time[3 * row->time + 2];
        w->phid[i] = phid;
        w->gamma[i] = gamma;
    }
    if (layout->family->intrinsic_bias)
        layout->family->intrinsic_bias(layout, w);
}

void dal_rows_free(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    for (int i = 0; i < layout->n_rows; i++)
        out[i] = 0;
    EACH_ROW(i)
    out[i] = dal_row_free(layout, w, row_of(layout, i));
}

/* ---- along two directions ---------------------------------------------------- */

static void vector_along(const dal_vector *vector, const dal_tangent *tangent, dal_real out[3])
{
    dal_turn(tangent->Rd, vector->s, out);
    if (vector->point)
        dal_axpy3(1, tangent->rd, out);
}

static void vector_bend(const dal_vector *vector, const dal_bend *bend, dal_real out[3])
{
    dal_turn(bend->Rb, vector->s, out);
    if (vector->point)
        dal_axpy3(1, bend->rb, out);
}

static void measure_bend(const dal_layout *layout, const dal_measure *measure, const dal_work *w, const dal_real *g, dal_real value,
                         const dal_direction *a, const dal_direction *b, const dal_bend *bend, dal_real *m_a, dal_real *m_b, dal_real *m_ab)
{
    const int *k = measure->vector;
    *m_a = *m_b = *m_ab = 0;
    if (measure->kind == DAL_MEASURE_COORDINATE) {
        *m_a = a->a[layout->own_v + k[0]];
        *m_b = b->a[layout->own_v + k[0]];
        return;
    }
    dal_real xa[4][3] = {{0}}, xb[4][3] = {{0}}, x_ab[3];
    for (int i = 0; i < 4; i++) {
        if (k[i] < 0)
            continue;
        const dal_vector *vector = &layout->mechanism->vectors[k[i]];
        if (vector->body == DAL_GROUND)
            continue;
        vector_along(vector, &a->tangent[vector->body], xa[i]);
        vector_along(vector, &b->tangent[vector->body], xb[i]);
        vector_bend(vector, &bend[vector->body], x_ab);
        *m_a += dal_dot(g + 3 * i, xa[i]);
        *m_b += dal_dot(g + 3 * i, xb[i]);
        *m_ab += dal_dot(g + 3 * i, x_ab);
    }
    switch (measure->kind) {
    case DAL_MEASURE_DOT: {
        dal_real ua[3], ub[3], va[3], vb[3];
        dal_sub3(xa[0], xa[1], ua), dal_sub3(xb[0], xb[1], ub);
        dal_sub3(xa[2], xa[3], va), dal_sub3(xb[2], xb[3], vb);
        *m_ab += dal_dot(ua, vb) + dal_dot(ub, va);
        break;
    }
    case DAL_MEASURE_ANGLE: {
        const dal_real *x_i = w->x + 3 * k[0], *y_i = w->x + 3 * k[1], *x_j = w->x + 3 * k[2];
        dal_real c = dal_dot(x_i, x_j), s = dal_dot(y_i, x_j), n = c * c + s * s;
        dal_real c_a = dal_dot(xa[0], x_j) + dal_dot(x_i, xa[2]), c_b = dal_dot(xb[0], x_j) + dal_dot(x_i, xb[2]);
        dal_real s_a = dal_dot(xa[1], x_j) + dal_dot(y_i, xa[2]), s_b = dal_dot(xb[1], x_j) + dal_dot(y_i, xb[2]);
        dal_real c_ab = dal_dot(xa[0], xb[2]) + dal_dot(xb[0], xa[2]), s_ab = dal_dot(xa[1], xb[2]) + dal_dot(xb[1], xa[2]);
        *m_ab += (c * s_ab - s * c_ab + c_a * s_b - s_a * c_b - *m_b * 2 * (c * c_a + s * s_a)) / n;
        break;
    }
    case DAL_MEASURE_LENGTH: {
        dal_real da[3], db[3];
        dal_sub3(xa[0], xa[1], da), dal_sub3(xb[0], xb[1], db);
        *m_ab += (dal_dot(da, db) - *m_a * *m_b) / value;
        break;
    }
    case DAL_MEASURE_COORDINATE:
    case DAL_MEASURE_KINDS: break;
    }
}

void dal_layout_motion(const dal_layout *layout, dal_work *work)
{
    const bool flat = layout->family->shares && layout->tree && layout->tree->flat && work->jacobian;
    (flat ? dal_flat_motion : layout->family->position)(layout, work);
    dal_rows_position(layout, work);
    if (layout->n_rows + layout->n_speeds)
        dal_rows_jacobian(layout, work);
    if (!flat)
        layout->family->velocity(layout, work);
    dal_rows_velocity(layout, work);
}

void dal_rows_bend(const dal_layout *layout, dal_work *w, const dal_direction *a, const dal_direction *b, const dal_bend *bend, dal_real *out)
{
    const dal_mechanism *m = layout->mechanism;
    EACH_ROW(i)
    {
        const dal_row *row = row_of(layout, i);
        out[i] = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++) { /* rows seldom have a measure in common */
            const int n = m->terms[k].measure;
            measure_bend(layout, &m->measures[n], w, w->gradient + 12 * n, w->value[n], a, b, bend, &w->along[n], &w->across[n], &w->second[n]);
            out[i] += w->coef[k] * w->second[n];
        }
        if (row->form >= 0)
            out[i] += form_bend(m, w, row, w->along, a->da, w->across, b->da);
        else if (row->time >= 0)
            out[i] -= w->time[3 * row->time + 2] * a->da * b->da;
    }
    if (layout->family->intrinsic_bend)
        layout->family->intrinsic_bend(layout, a->a, b->a, out);
}

/* g . x_a of the vectors of a measure. */
static dal_real measure_along(const dal_layout *layout, const dal_work *w, int number, const dal_direction *a)
{
    const dal_measure *measure = &layout->mechanism->measures[number];
    dal_real sum = 0, xa[3];
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return a->a[layout->own_v + measure->vector[0]];
    for (int k = 0; k < 4; k++) {
        const dal_vector *vector = measure->vector[k] < 0 ? NULL : &layout->mechanism->vectors[measure->vector[k]];
        if (!vector || vector->body == DAL_GROUND)
            continue;
        vector_along(vector, &a->tangent[vector->body], xa);
        sum += dal_dot(w->gradient + 12 * number + 3 * k, xa);
    }
    return sum;
}

void dal_rows_curve(const dal_layout *layout, dal_work *w, const dal_direction *a, const dal_direction *b, bool biased, dal_real *out)
{
    const dal_mechanism *m = layout->mechanism;
    for (int i = 0; i < layout->n_rows; i++)
        out[i] = 0;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = row_of(layout, i);
        const int n = row->n_terms;
        const dal_term *terms = m->terms + row->term;
        if (!row->curved)
            continue;
        for (int k = 0; k < n; k++) {
            const int measure = terms[k].measure;
            w->along[measure] = measure_along(layout, w, measure, a);
            w->across[measure] = measure_along(layout, w, measure, b) + (biased ? w->bias[measure] : 0);
        }
        const dal_real *slope = w->form + row->form + dal_form_outputs(n);
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++)
                out[i] += slope[k * n + l] * w->along[terms[k].measure] * w->across[terms[l].measure];
    }
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
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++) {
            dal_real sum = 0;
            for (int j = 0; j < at->n; j++)
                sum += M[at->value + at->n * i + j] * v[at->column + j];
            out[at->column + i] = sum;
        }
    }
}

/* dT/dv_k = sum over bodies of P . lin_k + H . ang_k: the momentum of each body, P = m c' and H = I w + rho x P as a wrench at r, pulled
 * back. */
void dal_momentum(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    for (int i = 0; i < layout->nv; i++)
        out[i] = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_real P[3], H[3];
        dal_momentum_wrench(&layout->mechanism->bodies[b], &w->kin[b], P, H);
        dal_pull_body(layout, w, b, P, H, out);
    }
    dal_subsystems_momentum(layout, w, out);
}

/* The same in the plane: z of the momentum and x, y of its moment are zero. */
static dal_real flat_kinetic(const dal_body *body, const dal_kin *kin, dal_real linear[3], dal_real angular[3])
{
    const double *s = body->center, m = body->mass;
    const dal_real c[2] = {kin->R[0] * s[0] + kin->R[1] * s[1] + kin->r[0], kin->R[3] * s[0] + kin->R[4] * s[1] + kin->r[1]};
    const dal_real cd[2] = {kin->Rd[0] * s[0] + kin->Rd[1] * s[1] + kin->rd[0], kin->Rd[3] * s[0] + kin->Rd[4] * s[1] + kin->rd[1]};
    const dal_real spin = body->inertia[8] * kin->w[2], momentum[2] = {m * cd[0], m * cd[1]};
    linear[0] += momentum[0];
    linear[1] += momentum[1];
    angular[2] += c[0] * momentum[1] - c[1] * momentum[0];
    angular[2] += spin;
    return 0.5 * m * (cd[0] * cd[0] + cd[1] * cd[1]) + 0.5 * (kin->w[2] * spin);
}

/* T = sum 1/2 m c'.c' + 1/2 w.I w; P = sum m c'; L = sum c x m c' + I w. The twist of a separated body follows from
 * R' = [w x] R: w = 1/2 sum of R_k x R'_k over its columns (exact where R is a rotation). */
dal_real dal_body_kinetic(const dal_layout *layout, const dal_work *w, int b, dal_real linear[3], dal_real angular[3])
{
    const dal_body *body = &layout->mechanism->bodies[b];
    const dal_kin *kin = &w->kin[b];
    if (layout->mechanism->space == DAL_PLANAR)
        return flat_kinetic(body, kin, linear, angular);
    dal_real c[3], cd[3], inertia[9], spin[3];
    dal_turn(kin->R, body->center, c);
    dal_axpy3(1, kin->r, c);
    dal_turn(kin->Rd, body->center, cd);
    dal_axpy3(1, kin->rd, cd);
    dal_turn_inertia(kin->R, body->inertia, inertia);
    dal_mul3(inertia, kin->w, spin);
    dal_axpy3(body->mass, cd, linear);
    dal_real momentum[3] = {body->mass * cd[0], body->mass * cd[1], body->mass * cd[2]};
    dal_add_cross(c, momentum, angular);
    dal_axpy3(1, spin, angular);
    return 0.5 * body->mass * dal_dot(cd, cd) + 0.5 * dal_dot(kin->w, spin);
}

dal_real dal_kinetic(const dal_layout *layout, const dal_work *w, dal_real linear[3], dal_real angular[3])
{
    dal_real energy = 0;
    dal_zero3(linear);
    dal_zero3(angular);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        energy += dal_body_kinetic(layout, w, b, linear, angular);
    return energy + dal_subsystems_kinetic(layout, w);
}
