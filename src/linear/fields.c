/* Motions that keep the shape (fields.h). Under gravity an island turns about the vertical; a planar one in a vertical plane does not turn. */
#include "linear/fields.h"

#include "kinematics/newton_euler.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double alike = 1e-9;   /* moments of inertia of a body that are equal, of the largest */
static const double no_loss = 1e-9; /* of its energy: a field that the constraints allow */

/* ---- the fields of a mechanism -------------------------------------------------------------------------- */

static void add_axis(dal_fields *x, dal_field field, int axis)
{
    field.u[0] = field.u[1] = field.u[2] = 0;
    field.u[axis] = 1;
    x->list[x->n++] = field;
}

/* Axes of symmetry of its inertia, through its centre of mass. */
static void add_spins(dal_fields *x, const dal_mechanism *m, int b)
{
    const dal_body *body = &m->bodies[b];
    dal_field field = {.island = -1, .body = b, .turn = true};
    double value[3], vector[9], work[512];
    if (body->particle)
        return;
    dal_copy3(body->center, field.p);
    if (m->space == DAL_PLANAR) {
        add_axis(x, field, 2);
        return;
    }
    if (dal_symmetric_eigen(body->inertia, 3, 3, value, vector, work))
        return;
    for (int k = 0; k < 3; k++)
        if (fabs(value[(k + 1) % 3] - value[(k + 2) % 3]) <= alike * value[2]) {
            dal_copy3(vector + 3 * k, field.u);
            x->list[x->n++] = field;
        }
}

/* The middle of the masses: a turn about a far point would look like a shift. */
static void find_middle(const dal_state *state, const dal_mechanism *m, double out[3])
{
    double mass = 0, sum[3] = {0, 0, 0};
    for (int b = 0; b < m->n_bodies; b++) {
        double c[3];
        dal_turn(dal_seen_work(state)->kin[b].R, m->bodies[b].center, c);
        dal_axpy3(1, dal_seen_work(state)->kin[b].r, c);
        dal_axpy3(m->bodies[b].mass, c, sum);
        mass += m->bodies[b].mass;
    }
    for (int i = 0; i < 3; i++)
        out[i] = mass > 0 ? sum[i] / mass : 0;
}

void dal_fields_list(dal_arena *arena, const dal_state *state, dal_fields *x)
{
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    const double *gravity = dal_system_acting(dal_system_of(state))->gravity, size = sqrt(dal_dot(gravity, gravity));
    double middle[3];
    const int islands = dal_system_acting(dal_system_of(state))->islands.n;
    *x = (dal_fields){.n_bodies = m->n_bodies, .list = DAL_NEW(arena, dal_field, 6 * islands + 3 * m->n_bodies + 1)};
    find_middle(state, m, middle);
    for (int i = 0; i < islands; i++)
        for (int k = 0; k < 3; k++) {
            if (m->space == DAL_SPATIAL || k < 2)
                add_axis(x, (dal_field){.island = i}, k);
            if (m->space == DAL_SPATIAL ? size == 0 || (k == 2) : k == 2 && size == 0)
                add_axis(x, (dal_field){.island = i, .turn = true, .p = {middle[0], middle[1], middle[2]}}, k);
            if (m->space == DAL_SPATIAL && size > 0 && k == 2) /* about the vertical only */
                for (int a = 0; a < 3; a++)
                    x->list[x->n - 1].u[a] = -gravity[a] / size;
        }
    for (int b = 0; b < m->n_bodies; b++)
        add_spins(x, m, b);
}

/* ---- motions of the bodies ------------------------------------------------------------------------------- */

/* An axis in the world now, its point, and how both move. */
typedef struct axis_now {
    double u[3], p[3], ud[3], pd[3];
} axis_now;

static bool moves(const dal_state *state, const dal_field *f, int b)
{
    return f->island < 0 ? f->body == b : dal_island(dal_system_acting(dal_system_of(state))->islands.of_body, b) == f->island;
}

static void axis_at(const dal_state *state, const dal_field *f, const dal_body_motion *motion, axis_now *at)
{
    memset(at, 0, sizeof *at);
    if (f->island >= 0) {
        dal_copy3(f->u, at->u);
        dal_copy3(f->p, at->p);
        return;
    }
    const dal_kin *kin = &dal_seen_work(state)->kin[f->body];
    double arm[3];
    dal_turn(kin->R, f->u, at->u);
    dal_turn(kin->R, f->p, arm);
    dal_copy3(arm, at->p);
    dal_axpy3(1, kin->r, at->p);
    dal_cross(motion->w, at->u, at->ud);
    dal_copy3(motion->rd, at->pd);
    dal_add_cross(motion->w, arm, at->pd);
}

static void add_velocity(const dal_kin *kin, const dal_field *f, const axis_now *at, double c, dal_body_motion *out)
{
    double arm[3], speed[3] = {0, 0, 0};
    if (!f->turn) {
        dal_axpy3(c, at->u, out->rd);
        return;
    }
    dal_sub3(kin->r, at->p, arm);
    dal_add_cross(at->u, arm, speed);
    dal_axpy3(c, speed, out->rd);
    dal_axpy3(c, at->u, out->w);
}

static void add_acceleration(const dal_kin *kin, const dal_field *f, const axis_now *at, double c, dal_body_motion *out)
{
    double arm[3], slip[3], sum[3] = {0, 0, 0};
    if (!f->turn)
        return; /* shifts are those of the world */
    dal_sub3(kin->r, at->p, arm);
    dal_sub3(out->rd, at->pd, slip);
    dal_add_cross(at->ud, arm, sum);
    dal_add_cross(at->u, slip, sum);
    dal_axpy3(c, sum, out->rdd);
    dal_axpy3(c, at->ud, out->alpha);
}

void dal_fields_move(const dal_state *state, const dal_fields *x, const double *c, dal_body_motion *motion)
{
    const dal_kin *kin = dal_seen_work(state)->kin;
    axis_now at;
    memset(motion, 0, sizeof *motion * (size_t)x->n_bodies);
    for (int accelerations = 0; accelerations < 2; accelerations++)
        for (int i = 0; i < x->n; i++)
            for (int b = 0; b < x->n_bodies && c[i] != 0; b++)
                if (moves(state, &x->list[i], b)) {
                    axis_at(state, &x->list[i], &motion[b], &at);
                    (accelerations ? add_acceleration : add_velocity)(&kin[b], &x->list[i], &at, c[i], &motion[b]);
                }
}

/* A force at the centre of mass and a moment, on the coordinates. */
static void pull(const dal_state *state, int b, const double force[3], double moment[3], double *out)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *work = dal_seen_work(state);
    double rho[3];
    dal_turn(work->kin[b].R, layout->mechanism->bodies[b].center, rho);
    dal_add_cross(rho, force, moment);
    dal_pull_body(layout, work, b, force, moment, out);
}

/* Of one body: a force at its centre of mass, over its mass, and a moment. rho: from its point to the centre, I: its inertia, in world axes. */
typedef void wrench(const dal_body_motion *motion, const double rho[3], const double I[9], double force[3], double moment[3]);

static void pull_all(const dal_state *state, const dal_body_motion *motion, wrench *of, double *out)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_mechanism *m = layout->mechanism;
    memset(out, 0, sizeof *out * (size_t)layout->nv);
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_kin *kin = &dal_seen_work(state)->kin[b];
        double force[3], moment[3] = {0, 0, 0}, I[9], rho[3];
        dal_turn(kin->R, m->bodies[b].center, rho);
        dal_turn_inertia(kin->R, m->bodies[b].inertia, I);
        of(&motion[b], rho, I, force, moment);
        for (int i = 0; i < 3; i++)
            force[i] *= m->bodies[b].mass;
        if (m->bodies[b].particle)
            memset(moment, 0, sizeof moment);
        pull(state, b, force, moment, out);
    }
}

/* P = m (r' + w x rho), H = I w. */
static void momenta_of(const dal_body_motion *motion, const double rho[3], const double I[9], double force[3], double moment[3])
{
    dal_copy3(motion->rd, force);
    dal_add_cross(motion->w, rho, force);
    dal_mul3(I, motion->w, moment);
}

void dal_fields_momenta(const dal_state *state, const dal_body_motion *motion, double *out)
{
    pull_all(state, motion, momenta_of, out);
}

/* m (r'' + alpha x rho + w x (w x rho)), I alpha + w x I w. */
static void inertia_of(const dal_body_motion *motion, const double rho[3], const double I[9], double force[3], double moment[3])
{
    double H[3], speed[3] = {0, 0, 0};
    dal_add_cross(motion->w, rho, speed);
    dal_copy3(motion->rdd, force);
    dal_add_cross(motion->alpha, rho, force);
    dal_add_cross(motion->w, speed, force);
    dal_mul3(I, motion->w, H);
    dal_euler_moment(I, motion->w, motion->alpha, H, moment);
}

void dal_fields_inertia(const dal_state *state, const dal_body_motion *motion, double *out)
{
    pull_all(state, motion, inertia_of, out);
}

/* ---- fields that the constraints allow ---------------------------------------------------------------------- */

/* w . H + v_c . P of two motions: twice their common kinetic energy. */
static double product(const dal_state *state, const dal_body_motion *a, const dal_body_motion *b)
{
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    double sum = 0;
    for (int k = 0; k < m->n_bodies; k++) {
        const dal_kin *kin = &dal_seen_work(state)->kin[k];
        double va[3], vb[3], rho[3], I[9], H[3];
        dal_turn(kin->R, m->bodies[k].center, rho);
        dal_copy3(a[k].rd, va);
        dal_add_cross(a[k].w, rho, va);
        dal_copy3(b[k].rd, vb);
        dal_add_cross(b[k].w, rho, vb);
        sum += m->bodies[k].mass * dal_dot(va, vb);
        dal_turn_inertia(kin->R, m->bodies[k].inertia, I);
        dal_mul3(I, b[k].w, H);
        sum += m->bodies[k].particle ? 0 : dal_dot(a[k].w, H);
    }
    return sum;
}

/* The energies E, and P, their part along T: n square. */
static void find_energies(dal_arena *arena, const dal_point *point, const dal_kept_rows *rows, const dal_fields *x, double *E, double *P,
                          double *along)
{
    const int n = x->n;
    dal_body_motion **motion = DAL_NEW(arena, dal_body_motion *, n + 1);
    double *c = DAL_NEW(arena, double, n + 1), *momenta = DAL_NEW(arena, double, point->nv + 1);
    for (int i = 0; i < n; i++) {
        motion[i] = DAL_NEW(arena, dal_body_motion, x->n_bodies + 1);
        c[i] = 1;
        dal_fields_move(point->state, x, c, motion[i]);
        c[i] = 0;
        dal_fields_momenta(point->state, motion[i], momenta);
        dal_kept_project(point, rows, momenta, along + (size_t)rows->p * (size_t)i);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            E[n * i + j] = product(point->state, motion[i], motion[j]);
            P[n * i + j] = 0;
            for (int k = 0; k < rows->p; k++)
                P[n * i + j] += along[rows->p * i + k] * along[rows->p * j + k];
        }
}

void dal_fields_admit(dal_arena *arena, dal_point *point, const dal_kept_rows *rows, dal_fields *x)
{
    const int n = x->n;
    const dal_units *units = &dal_layout_of(point->state)->units;
    const size_t area = (size_t)n * (size_t)n;
    double *E = DAL_NEW(arena, double, area + 1), *P = DAL_NEW(arena, double, area + 1), *L = DAL_NEW(arena, double, area + 1);
    double *value = DAL_NEW(arena, double, n + 1), *vector = DAL_NEW(arena, double, area + 1), *unit = DAL_NEW(arena, double, n + 1);
    double *work = DAL_NEW(arena, double, dal_rank_work(n, n) + 1);
    x->along = DAL_NEW(arena, double, (size_t)n *(size_t)rows->p + 1);
    x->k = 0;
    find_energies(arena, point, rows, x, E, P, x->along);
    for (int i = 0; i < n; i++) { /* a turn about a particle has no energy, but with a shift it is a turn about another axis */
        const double least = x->list[i].turn && x->list[i].island >= 0 ? 1e-2 * units->mass * units->length * units->length : 0;
        const double energy = fmax(E[n * i + i], least);
        unit[i] = energy > 0 ? 1 / sqrt(energy) : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) /* the part that is not along T; a spin without energy does not count */
            L[n * i + j] = unit[i] * unit[j] * (E[n * i + j] - P[n * i + j]) + (i == j && unit[i] == 0 ? 1 : 0);
    if (n && dal_symmetric_eigen(L, n, n, value, vector, work))
        return;
    while (x->k < n && value[x->k] < no_loss)
        x->k++;
    x->basis = DAL_NEW(arena, double, (size_t)x->k *(size_t)n + 1);
    x->V = DAL_NEW(arena, double, (size_t)x->k *(size_t)point->nv + 1);
    for (int i = 0; i < x->k; i++)
        for (int j = 0; j < n; j++) {
            x->basis[n * i + j] = vector[n * i + j] * unit[j];
            dal_kept_expand(point, rows, x->basis[n * i + j], x->along + (size_t)rows->p * (size_t)j, x->V + (size_t)point->nv * (size_t)i);
        }
}
