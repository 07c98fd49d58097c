/* Family `user`: bodies placed by expressions r(q, t), R(q, t) in the model's own coordinates.
 *
 * The programs of the placement give the frames f, their first derivatives, D_a of these along one direction, and the bias, D_v D_v f.
 * Second derivatives commute, D_a D_b f = sum over i of (D_a df/dq_i) b_i + (D_a df/dt) db = D_b D_a f: once the first derivatives were
 * differentiated along the motion, its bends with all other directions are products. R is a
 * rotation for every q and t, so that with R_k its columns and d any derivative (by a coordinate, by time, along a direction)
 *   dR_k = w x R_k,   sum over k of R_k x (w x R_k) = 3 w - w = 2 w,   w = 1/2 sum R_k x dR_k
 * and, differentiated once more along a,
 *   D_a w_b = 1/2 sum (R_k,a x R_k,b + R_k x R_k,ab)
 * which for a = b is the bias, and there the first products vanish.
 *
 *   (r', w) = J v + V_t,   J the derivatives by the coordinates and V_t the one by time
 */
#include "kinematics/placement.h"
#include "math/vec.h"

/* work->scratch, part by part. */
typedef struct parts {
    dal_real *variables, *time, *out, *registers; /* time: 6 per body, V_t */
    dal_real *along, *rate;                       /* the direction of `rates`, n + 1 numbers and whether there is one; outputs */
} parts;

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t outputs_user(const dal_placement *p)
{
    size_t n = larger_size((size_t)dal_program_outputs(p->frames), (size_t)dal_program_outputs(p->jacobian));
    return larger_size(n, (size_t)dal_program_outputs(p->bends));
}

static size_t registers_user(const dal_placement *p)
{
    size_t n = larger_size((size_t)dal_program_registers(p->frames), (size_t)dal_program_registers(p->jacobian));
    return larger_size(n, larger_size((size_t)dal_program_registers(p->bends), (size_t)dal_program_registers(p->rates)));
}

static size_t scratch_user(const dal_layout *layout)
{
    const dal_placement *p = layout->placement;
    return (size_t)dal_placement_variables(p->n_coordinates) + 6 * (size_t)p->n_bodies + outputs_user(p) + registers_user(p) +
           (size_t)p->n_coordinates + 2 + (size_t)dal_program_outputs(p->rates);
}

static parts parts_of_user(const dal_layout *layout, const dal_work *work)
{
    const dal_placement *p = layout->placement;
    parts s;
    s.variables = work->scratch;
    s.time = s.variables + dal_placement_variables(p->n_coordinates);
    s.out = s.time + 6 * (size_t)p->n_bodies;
    s.registers = s.out + outputs_user(p);
    s.along = s.registers + registers_user(p);
    s.rate = s.along + p->n_coordinates + 2;
    return s;
}

/* Adds 1/2 sum of R_k x dR_k over the columns of two matrices by rows. */
static void add_spin(const dal_real R[9], const dal_real dR[9], dal_real w[3])
{
    for (int k = 0; k < 3; k++) {
        w[0] += (R[3 + k] * dR[6 + k] - R[6 + k] * dR[3 + k]) / 2;
        w[1] += (R[6 + k] * dR[k] - R[k] * dR[6 + k]) / 2;
        w[2] += (R[k] * dR[3 + k] - R[3 + k] * dR[k]) / 2;
    }
}

/* One column: (dr, dR) -> (velocity of r, angular velocity). */
static void column_user(const dal_kin *kin, const dal_placed *placed, const dal_real *d, dal_real out[6])
{
    dal_copy3(d, out);
    dal_zero3(out + 3);
    if (placed->turns)
        add_spin(kin->R, d + 3, out + 3);
}

static void position_user(const dal_layout *layout, dal_work *work)
{
    const dal_placement *p = layout->placement;
    const parts s = parts_of_user(layout, work);
    for (int i = 0; i < p->n_coordinates; i++)
        s.variables[i] = work->q[i];
    s.variables[p->n_coordinates] = work->t;
    s.along[p->n_coordinates + 1] = 0; /* values of another position are invalid */
    work->table_exceeded = dal_program_run(p->frames, s.variables, NULL, s.registers, s.out);
    for (int b = 0; b < p->n_bodies; b++) {
        dal_copy3(s.out + 12 * b, work->kin[b].r);
        for (int i = 0; i < 9; i++)
            work->kin[b].R[i] = s.out[12 * b + 3 + i];
    }
    dal_program_run(p->jacobian, s.variables, NULL, s.registers, s.out);
    for (int b = 0; b < p->n_bodies; b++) {
        const dal_placed *placed = &p->body[b];
        const int size = dal_placed_size(placed);
        const dal_real *d = s.out + placed->jacobian;
        dal_real *J = work->jacobian + 6 * (size_t)layout->body[b].jacobian;
        for (int k = 0; k < placed->n_columns; k++, d += size, J += 6)
            column_user(&work->kin[b], placed, d, J);
        if (placed->timed)
            column_user(&work->kin[b], placed, d, s.time + 6 * b);
    }
}

const dal_real *dal_user_drift(const dal_layout *layout, const dal_work *work, int body)
{
    return layout->placement->body[body].timed ? parts_of_user(layout, work).time + 6 * body : NULL;
}

/* J a + V_t da of one body. */
static void follow_user(const dal_layout *layout, const dal_work *work, int b, const dal_real *a, dal_real da, dal_real rd[3], dal_real w[3])
{
    const dal_placed *placed = &layout->placement->body[b];
    const int *of = layout->body_column + layout->body[b].column;
    const dal_real *J = work->jacobian + 6 * (size_t)layout->body[b].jacobian;
    dal_zero3(rd);
    dal_zero3(w);
    for (int k = 0; k < placed->n_columns; k++, J += 6) {
        dal_axpy3(a[of[k]], J, rd);
        dal_axpy3(a[of[k]], J + 3, w);
    }
    const dal_real *time = dal_user_drift(layout, work, b);
    if (time) {
        dal_axpy3(da, time, rd);
        dal_axpy3(da, time + 3, w);
    }
}

static void tangent_user(const dal_layout *layout, dal_work *work, const dal_direction *direction)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_tangent *out = &direction->tangent[b];
        follow_user(layout, work, b, direction->a, direction->da, out->rd, out->w);
        dal_orthonormal_tangent(&work->kin[b], out);
    }
}

static void move_along(const dal_layout *layout, const dal_work *work, int first, const dal_real *a, dal_real da)
{
    const int n = layout->placement->n_coordinates;
    dal_real *variables = parts_of_user(layout, work).variables + first;
    for (int i = 0; i < n; i++)
        variables[i] = a[i];
    variables[n] = da;
}

/* Are the first derivatives differentiated along this direction? */
static bool is_known_user(const dal_layout *layout, const dal_work *work, const dal_direction *a)
{
    const int n = layout->placement->n_coordinates;
    const dal_real *along = parts_of_user(layout, work).along;
    bool same = along[n + 1] == 1 && along[n] == a->da;
    for (int i = 0; i < n && same; i++)
        same = along[i] == a->a[i];
    return same;
}

static void differentiate_user(const dal_layout *layout, const dal_work *work, const dal_direction *a)
{
    const dal_placement *p = layout->placement;
    const parts s = parts_of_user(layout, work);
    move_along(layout, work, p->n_coordinates + 1, a->a, a->da);
    dal_program_run(p->rates, s.variables, NULL, s.registers, s.rate);
    for (int i = 0; i < p->n_coordinates; i++)
        s.along[i] = a->a[i];
    s.along[p->n_coordinates] = a->da;
    s.along[p->n_coordinates + 1] = 1;
}

/* D_a D_b of r and R of a body, from the rates along one of them: `with` is the other. */
static void second_derivatives_user(const dal_layout *layout, const dal_work *work, int body, const dal_direction *with, dal_real out[12])
{
    const dal_placed *placed = &layout->placement->body[body];
    const int size = dal_placed_size(placed), *of = layout->body_column + layout->body[body].column;
    const dal_real *rate = parts_of_user(layout, work).rate + placed->jacobian;
    for (int i = 0; i < size; i++)
        out[i] = 0;
    for (int k = 0; k < placed->n_columns + placed->timed; k++, rate += size) {
        const dal_real x = k < placed->n_columns ? with->a[of[k]] : with->da;
        for (int i = 0; i < size; i++)
            out[i] += x * rate[i];
    }
}

static void bend_user(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    const dal_direction *with = is_known_user(layout, work, a) ? b : is_known_user(layout, work, b) ? a : NULL;
    if (!with) { /* the direction with a time component is the motion, and is used again */
        with = a->da == 0 && b->da != 0 ? a : b;
        differentiate_user(layout, work, with == a ? b : a);
    }
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        dal_real d[12];
        second_derivatives_user(layout, work, i, with, d);
        dal_copy3(d, out[i].rb);
        dal_zero3(out[i].wb);
        if (layout->placement->body[i].turns) {
            add_spin(a->tangent[i].Rd, b->tangent[i].Rd, out[i].wb);
            add_spin(work->kin[i].R, d + 3, out[i].wb);
        }
        dal_orthonormal_bend(&work->kin[i], &a->tangent[i], &b->tangent[i], &out[i]);
    }
}

static void velocity_user(const dal_layout *layout, dal_work *work)
{
    const int n = layout->placement->n_coordinates;
    const parts s = parts_of_user(layout, work);
    const dal_real *d = s.out;
    move_along(layout, work, n + 1, work->v, 1);
    move_along(layout, work, 2 * n + 2, work->v, 1);
    dal_program_run(layout->placement->bends, s.variables, NULL, s.registers, s.out);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_placed *placed = &layout->placement->body[b];
        dal_kin *kin = &work->kin[b];
        follow_user(layout, work, b, work->v, 1, kin->rd, kin->w);
        dal_copy3(d, kin->rb);
        dal_zero3(kin->wb);
        if (placed->turns)
            add_spin(kin->R, d + 3, kin->wb);
        dal_orthonormal_bias(kin);
        d += dal_placed_size(placed);
    }
}

const dal_family dal_family_user = {.name = "user",
                                    .title = "the model's own coordinates: bodies are placed by expressions in them",
                                    .of_model = true,
                                    .shares = true,
                                    DAL_FAMILY_MOTION(position_user, velocity_user, tangent_user, bend_user),
                                    .scratch = scratch_user,
                                    DAL_FAMILY_INERTIA(dal_shared_inertia, dal_shared_pull, dal_plain_rates),
                                    DAL_FAMILY_START(NULL, NULL, dal_plain_add)};
