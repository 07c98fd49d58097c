/* Assembly: start values that satisfy the constraints.
 *
 * Positions. Among all placements with phi = 0 the one nearest to the given one,
 * in the metric of the masses: minimise sum w^2 d^2 with d the displacement of a
 * body (w^2 its mass) and its turn (w^2 its inertia). Gauss-Newton on the twists
 * x of the bodies, e the way back to where they were given:
 *   A x = -phi,   x = e + S (A S)^+ (-phi - A e),   S = 1/w
 * Fixed values have S = 0; omitted ones a weight 1000 times smaller, so that they
 * move first. Pseudo-inverses are rank-revealing: redundant joints are harmless; contradictory ones leave a gap, which is reported.
 *
 * Velocities: start_velocities.c. Large models: the same steps on sparse matrices, assemble_sparse.c.
 */
#include "math/rank.h"
#include "math/rotation.h"
#include "math/sparse_rank.h"
#include "math/vec.h"
#include "start/assembly.h"
#include "start/turns.h"
#include "state/scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double omitted_weight = 1e-3;     /* omitted values move a thousand times as easily */
static const double gap_allowed = 1e-10;       /* allowed residual of a row after assembly, in its unit */
static const double rounding_of_terms = 1e-10; /* rounding of terms that cancel, with a margin */
static const double axis_turn_allowed = 1e-6;  /* rad: beyond this a carried axis is doubtful */

static void add_target_rows(dal_assembly *a)
{
    dal_mechanism *m = &a->mechanism;
    int n = 0;
    a->target = DAL_NEW(m->arena, const dal_target *, a->build->n_targets);
    for (int pass = 0; pass < 2; pass++) /* kept exactly first */
        for (int i = 0; i < a->build->n_targets; i++) {
            const dal_target *target = &a->build->targets[i];
            if (target->fix == (pass == 1))
                continue;
            a->target[n++] = target;
            *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) = (dal_term){target->measure, 1};
            *DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows) =
                (dal_row){.term = m->n_terms - 1, .n_terms = 1, .constant = target->value, .time = -1, .joint = -1, .form = -1};
        }
}

/* The uncertainty of the positions of points: some roundings of the largest coordinate. */
static double rounding_of_places(const dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    double most = 0;
    for (int b = 0; b < m->n_bodies; b++)
        most = fmax(most, sqrt(dal_dot(build->start[b].r, build->start[b].r)));
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 2 && m->joints[j].type; k++)
            if (m->joints[j].marker[k].body == DAL_GROUND)
                most = fmax(most, sqrt(dal_dot(m->joints[j].marker[k].s, m->joints[j].marker[k].s)));
    return 4 * DBL_EPSILON * most;
}

static const dal_newton_rows rows_of_bodies;

static void begin_assembly(dal_assembly *a, dal_build *build)
{
    dal_arena *arena = &build->start_arena;
    a->build = build;
    a->mechanism = build->mechanism;
    /* rows and terms may grow without touching the originals */
    a->mechanism.cap_terms = (size_t)a->mechanism.n_terms;
    a->mechanism.cap_rows = (size_t)a->mechanism.n_rows;
    a->n_own = build->mechanism.n_rows;
    add_target_rows(a);
    a->mechanism.n_speeds = 0;
    dal_layout_parts parts = build->parts;
    parts.tree = NULL;
    parts.placement = NULL;
    parts.n_times = build->n_times;
    parts.like = build->start_layout;
    a->layout = dal_layout_build(arena, &a->mechanism, &dal_family_twist, &parts);
    if (build->kept)
        build->start_layout = dal_layout_keep(build->kept, a->layout);
    dal_real *work = dal_arena_room(arena, sizeof *work * dal_work_size(a->layout));
    dal_work_layout(a->layout, work, DAL_NEW(arena, int, 3 * a->mechanism.n_bodies), &a->work);
    a->m = a->layout->nv;
    a->r = a->layout->n_rows;
    a->length = build->length;
    a->rounding = rounding_of_places(build) / a->length;
    a->unit = DAL_NEW(arena, double, a->r);
    size_t rows = (size_t)(a->r + a->m), m = (size_t)a->m;
    a->b = DAL_NEW(arena, double, rows);
    a->source = DAL_NEW(arena, int, rows);
    a->row_unit = DAL_NEW(arena, double, rows);
    a->x = DAL_NEW(arena, double, m);
    a->e = DAL_NEW(arena, double, m);
    a->S = DAL_NEW(arena, double, m);
    a->q0 = DAL_NEW(arena, double, a->layout->nq);
    a->newton = (dal_newton){.user = a,
                             .rows = &rows_of_bodies,
                             .solve = dal_assembly_large(a) ? dal_assembly_least : dal_newton_dense,
                             .n = a->m,
                             .x = a->x,
                             .e = a->e,
                             .S = a->S,
                             .b = a->b};
}

/* Dense rows and their singular values need room only where something has to be moved. */
void dal_assembly_dense(dal_assembly *a)
{
    if (a->svd || dal_assembly_large(a))
        return;
    a->A = DAL_NEW(&a->build->start_arena, double, (size_t)(a->r + a->m) * (size_t)a->m);
    a->svd = DAL_NEW(&a->build->start_arena, double, dal_rank_work(a->r + a->m, a->m));
    a->newton.A = a->A;
    a->newton.work = a->svd;
}

static void place_bodies(dal_assembly *a)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        dal_family_twist.place(a->layout, &a->work, b, start->r, start->R);
        if (a->layout->body[b].n_rot == 1)
            a->work.q[a->layout->body[b].q + 2] = start->angle;
    }
    if (a->layout->curved)
        dal_assembly_given(a, a->work.v); /* A depends on them */
    dal_family_twist.position(a->layout, &a->work);
}

void dal_start_drives(dal_arena *arena, const dal_compiled *drives, double *time)
{
    if (!drives->program)
        return;
    double *variables = DAL_NEW(arena, double, dal_program_variables(drives->program));
    double *registers = DAL_NEW(arena, double, dal_program_registers(drives->program));
    dal_program_run(drives->program, variables, NULL, registers, time);
}

double dal_assembly_unit(const dal_assembly *a, int k)
{
    return a->layout->angular[k] > 0 ? 1 : a->length;
}

/* The largest change of row i by a unit of displacement. If it is only the rounding of terms that cancel, as in dot(M, cross(M, xi)), a larger value
 * is used: such a row does not count as a gap (joint_rank.c refuses it). Terms within a form are those of equations of at most fourth order in
 * lengths; a row that was derived is in newtons, of any size. */
static double change_of_row(const dal_assembly *a, int i)
{
    const dal_row_layout *at = &a->layout->row[i];
    const dal_row *row = &a->mechanism.rows[i];
    const double L = a->length;
    double most = 0, terms = row->form < 0 || row->derived ? 0 : fmin(1, L * L * L);
    for (int k = at->value; k < at->value + at->n_values; k++)
        most = fmax(most, fabs(a->work.A[k]) * dal_assembly_unit(a, a->layout->column[k]));
    for (int k = row->term; k < row->term + row->n_terms && row->form < 0; k++)
        for (int j = 0; j < 12; j++)
            terms = fmax(terms, fabs(a->mechanism.terms[k].coef * a->work.gradient[12 * a->mechanism.terms[k].measure + j]));
    most = fmax(most, rounding_of_terms * terms * L);
    return isfinite(most) ? most : 0;
}

/* Of an equation of the model's own, and of a start value: the first change that is not zero. */
void dal_assembly_find_unit(dal_assembly *a, int i)
{
    const double known = i < a->n_own ? dal_row_unit(&a->mechanism.rows[i], a->length) : NAN;
    if (!(a->unit[i] > 0))
        a->unit[i] = isnan(known) ? change_of_row(a, i) : known;
}

double dal_assembly_row_unit(const dal_assembly *a, int i)
{
    return a->unit[i] > 0 ? a->unit[i] : 1;
}

/* A where the rows are known, and the largest gap of one. */
static double find_gap(dal_assembly *a)
{
    double worst = 0;
    dal_rows_jacobian(a->layout, &a->work);
    if (a->following)
        dal_turns_follow(a->build, &a->work);
    for (int i = 0; i < a->r; i++)
        dal_assembly_find_unit(a, i);
    for (int i = 0; i < a->n_own; i++)
        worst = fmax(worst, fabs(a->work.phi[i]) / dal_assembly_row_unit(a, i) - (a->mechanism.rows[i].angular ? 0 : a->rounding));
    return worst;
}

/* phi and A at the present placement, and the largest gap of a row. */
static double evaluate_placement(void *assembly)
{
    dal_assembly *a = assembly;
    dal_family_twist.position(a->layout, &a->work);
    dal_rows_position(a->layout, &a->work);
    return find_gap(a);
}

/* Bodies are placed. True: there were some, and phi has changed with them. */
static bool set_start_constants(dal_assembly *a)
{
    bool some = false;
    dal_rows_position(a->layout, &a->work);
    for (int i = 0; i < a->n_own; i++) {
        dal_row *row = &a->build->mechanism.rows[i];
        if (!isnan(row->constant))
            continue;
        some = true;
        row->constant = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            row->constant += a->mechanism.terms[k].coef * a->work.value[a->mechanism.terms[k].measure];
        row->constant -= row->time < 0 ? 0 : a->work.time[3 * row->time];
        a->mechanism.rows[i].constant = row->constant;
    }
    return some;
}

/* Which targets are rows that have to hold exactly? They come first behind the model's rows. */
int dal_assembly_exact(const dal_assembly *a)
{
    int n = a->n_own;
    for (int i = 0; i < a->build->n_targets; i++)
        n += a->build->targets[i].fix;
    return n;
}

const dal_target *dal_assembly_target(const dal_assembly *a, int row)
{
    return a->target[row - a->n_own];
}

bool dal_assembly_open(const dal_assembly *a, int row)
{
    return row < a->n_own ? a->mechanism.rows[row].nonholonomic : !a->target[row - a->n_own]->has_value;
}

void dal_assembly_row(const dal_assembly *a, int row, double *out)
{
    const dal_row_layout *at = &a->layout->row[row];
    memset(out, 0, sizeof *out * (size_t)a->m);
    for (int k = at->value; k < at->value + at->n_values; k++)
        out[a->layout->column[k]] = a->work.A[k];
}

/* 1 / weight of every unknown. */
void dal_assembly_weigh(dal_assembly *a, bool velocities)
{
    const dal_mechanism *m = &a->mechanism;
    double heaviest = 0;
    for (int b = 0; b < m->n_bodies; b++)
        heaviest = fmax(heaviest, m->bodies[b].mass);
    if (heaviest == 0)
        heaviest = 1;
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body *body = &m->bodies[b];
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        double mass = fmax(body->mass, 1e-3 * heaviest);
        double inertia = m->space == DAL_PLANAR ? body->inertia[8] : (body->inertia[0] + body->inertia[4] + body->inertia[8]) / 3;
        inertia = fmax(inertia, 1e-3 * heaviest * a->length * a->length);
        bool given = velocities ? start->velocity_given : start->position_given;
        bool turned = velocities ? start->spin_given : start->attitude_given;
        bool fixed = velocities ? start->velocity_fixed : start->position_fixed;
        bool turn_fixed = velocities ? start->spin_fixed : start->attitude_fixed;
        for (int k = 0; k < at->nv; k++) {
            bool rot = k >= (int)m->space;
            double w = sqrt(rot ? inertia : mass) * ((rot ? turned : given) ? 1 : omitted_weight);
            a->S[at->v + k] = (rot ? turn_fixed : fixed) ? 0 : 1 / w;
        }
    }
}

/* Displacements are measured at the centre of mass, so that it does not matter where in a body its frame lies. If only the position or only the
 * attitude is given, it is that of the frame itself. */
static bool at_center(const dal_assembly *a, int b)
{
    const double *c = a->mechanism.bodies[b].center;
    const dal_body_start *start = &a->build->start[b];
    return a->layout->body[b].n_rot && start->position_given && start->attitude_given && (c[0] != 0 || c[1] != 0 || c[2] != 0);
}

/* A row on (r, theta) becomes one on (c, theta): f.dr + tau.dtheta = f.dc + (tau + f x rho).dtheta. */
void dal_assembly_center(const dal_assembly *a, int b, double *f)
{
    const bool flat = a->mechanism.space == DAL_PLANAR;
    if (!at_center(a, b))
        return;
    double rho[3], turn[3];
    const double f3[3] = {f[0], f[1], flat ? 0 : f[2]};
    dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, rho);
    dal_cross(f3, rho, turn);
    for (int k = 0; k < a->layout->body[b].n_rot; k++)
        f[flat ? 2 : 3 + k] += turn[flat ? 2 : k];
}

/* x on (c, theta) becomes one on (r, theta): dr = dc - dtheta x rho. */
static void step_from_center(const dal_assembly *a, double *x)
{
    const bool flat = a->mechanism.space == DAL_PLANAR;
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        if (!at_center(a, b))
            continue;
        double *d = x + a->layout->body[b].v, rho[3], turn[3];
        const double theta[3] = {flat ? 0 : d[3], flat ? 0 : d[4], flat ? d[2] : d[5]};
        dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, rho);
        dal_cross(theta, rho, turn);
        for (int k = 0; k < (int)a->mechanism.space; k++)
            d[k] -= turn[k];
    }
}

/* e of body b: from its present place to r and R (in the plane `angle`), as a twist. */
static void way_of_body(dal_assembly *a, int b, const double r[3], const double R[9], double angle)
{
    const dal_body_layout *at = &a->layout->body[b];
    const double *q = a->work.q + at->q;
    double *e = a->e + at->v;
    int space = (int)a->mechanism.space;
    for (int k = 0; k < space; k++)
        e[k] = r[k] - q[k];
    if (at_center(a, b)) {
        double then[3], now[3];
        dal_turn(R, a->mechanism.bodies[b].center, then);
        dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, now);
        for (int k = 0; k < space; k++)
            e[k] += then[k] - now[k];
    }
    if (at->n_rot == 1)
        e[2] = angle - q[2];
    if (at->n_rot == 3) {
        double D[9], p[4], back[9];
        for (int i = 0; i < 9; i++)
            back[i] = a->work.kin[b].R[3 * (i % 3) + i / 3];
        dal_rotation_multiply(R, back, D);
        dal_quaternion_of(D, p);
        double s = sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), k = s > 1e-12 ? 2 * atan2(s, p[0]) / s : 2;
        for (int i = 0; i < 3; i++)
            e[3 + i] = k * p[1 + i];
    }
}

/* e: from the present placement back to the given one; zero where nothing was given. */
static void way_back(dal_assembly *a)
{
    const int space = (int)a->mechanism.space;
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        way_of_body(a, b, start->r, start->R, start->angle);
        if (!start->position_given)
            memset(a->e + at->v, 0, sizeof *a->e * (size_t)space);
        if (!start->attitude_given)
            memset(a->e + at->v + space, 0, sizeof *a->e * (size_t)at->n_rot);
    }
}

double dal_assembly_way(dal_assembly *a, const double *q, const dal_kin *kin)
{
    double most = 0;
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        way_of_body(a, b, kin[b].r, kin[b].R, a->layout->body[b].n_rot == 1 ? q[a->layout->body[b].q + 2] : 0);
    for (int k = 0; k < a->m; k++)
        most = fmax(most, fabs(a->e[k]) / dal_assembly_unit(a, k));
    return most;
}

/* Row i of A on the centres of mass, and -phi, over its unit. A row on velocities alone is zero. */
static bool dense_row(void *assembly, int i, double *row, double *b)
{
    const dal_assembly *a = assembly;
    const bool open = dal_assembly_open(a, i);
    dal_assembly_row(a, i, row);
    for (int k = 0; k < a->mechanism.n_bodies; k++)
        dal_assembly_center(a, k, row + a->layout->body[k].v);
    if (open)
        memset(row, 0, sizeof *row * (size_t)a->m);
    *b = open ? 0 : -a->work.phi[i] / dal_assembly_row_unit(a, i);
    for (int k = 0; k < a->m; k++)
        row[k] /= dal_assembly_row_unit(a, i);
    return true;
}

static double size_of_change(const void *assembly, int k, double x)
{
    return fabs(x) / dal_assembly_unit(assembly, k);
}

static void move_bodies(void *assembly, double *x)
{
    dal_assembly *a = assembly;
    step_from_center(a, x);
    dal_family_twist.add(a->layout, a->work.q, x);
}

static const dal_newton_rows rows_of_bodies = {evaluate_placement, dense_row, size_of_change, move_bodies};

/* The step towards the given values. */
static double find_step_back(dal_assembly *a, int rows)
{
    memset(a->e, 0, sizeof *a->e * (size_t)a->m);
    way_back(a);
    return dal_newton_step(&a->newton, rows);
}

/* The weighted square of the distance from the given values, which the walk minimises. */
static double distance_back(dal_assembly *a)
{
    double sum = 0;
    memset(a->e, 0, sizeof *a->e * (size_t)a->m);
    way_back(a);
    for (int k = 0; k < a->m; k++)
        if (a->S[k] != 0)
            sum += a->e[k] / a->S[k] * (a->e[k] / a->S[k]);
    return sum;
}

enum { WALK = 150 }; /* maximum number of linear solutions of the walk: closed gaps are required, nearness is optional */

/* From a closed placement to the nearest one: each step is taken as far as it brings us nearer and the gaps close again. */
static void walk_nearer(dal_assembly *a, int rows)
{
    const size_t nq = (size_t)a->layout->nq;
    double *from = a->q0, *x = DAL_NEW(a->build->arena, double, a->m), distance = distance_back(a);
    for (const int enough = a->newton.solves + WALK; a->newton.solves < enough;) {
        double step = find_step_back(a, rows), part = 1;
        if (!(step >= 1e-13))
            return;
        memcpy(from, a->work.q, sizeof *from * nq);
        memcpy(x, a->x, sizeof *x * (size_t)a->m);
        for (;; part /= 4) {
            dal_newton_move(&a->newton, step, part);
            double worst = dal_newton_close(&a->newton, rows, 20), now = distance_back(a);
            if (worst <= gap_allowed && now < distance) {
                bool stalled = now > (1 - 1e-12) * distance;
                distance = now;
                if (stalled)
                    return;
                break;
            }
            memcpy(a->work.q, from, sizeof *from * nq);
            memcpy(a->x, x, sizeof *x * (size_t)a->m);
            if (part < 1e-3) {
                evaluate_placement(a);
                return;
            }
        }
    }
}

/* The distance is flat at its least value, so that comparing distances finds the place to half the digits only: the last ones
 * come from the steps themselves, as long as they shrink. */
static void settle_nearest(dal_assembly *a, int rows)
{
    double before = 1e-3;
    for (int i = 0; i < 60; i++) {
        double step = find_step_back(a, rows);
        if (!(step >= 1e-14) || step > 0.9 * before)
            return;
        before = step;
        dal_newton_move(&a->newton, step, 1);
        evaluate_placement(a);
    }
}

/* "the position of 'crank', the start of joint 'A'": the fixed values, or "". */
const char *dal_assembly_fixed(const dal_assembly *a, bool velocities)
{
    dal_arena *arena = a->build->arena;
    const char *text = "";
    int n = 0;
    for (int b = 0; b < a->mechanism.n_bodies && n < 5; b++) {
        const dal_body_start *start = &a->build->start[b];
        const bool fixed[2] = {velocities ? start->velocity_fixed : start->position_fixed, velocities ? start->spin_fixed : start->attitude_fixed};
        static const char *const words[2][2] = {{"position", "attitude"}, {"velocity", "angular velocity"}};
        for (int k = 0; k < 2; k++)
            if (fixed[k])
                text = dal_arena_print(arena, "%s%sthe %s of '%s'", text, n++ ? ", " : "", words[velocities][k], a->mechanism.bodies[b].name);
    }
    for (int i = 0; i < a->build->n_targets && n < 5; i++) {
        const dal_target *target = &a->build->targets[i];
        if (target->fix && (velocities ? target->has_rate : target->has_value))
            text = dal_arena_print(arena, "%s%sthe start%s of joint '%s'", text, n++ ? ", " : "", velocities ? " rate" : "",
                                   a->mechanism.joints[target->joint].name);
    }
    return text;
}

static void report_gap(dal_assembly *a)
{
    const dal_mechanism *m = &a->mechanism;
    if (!dal_build_forms_finite(a->build, m, &a->work))
        return;
    if (a->undecided) {
        dal_error(a->build->messages, dal_nowhere, DAL_RANK_UNDECIDED, a->n_own);
        return;
    }
    double worst = 0, missed = 0;
    int joint = 0;
    for (int i = 0; i < a->n_own; i++)
        if (fabs(a->work.phi[i]) > worst * dal_assembly_row_unit(a, i)) {
            worst = fabs(a->work.phi[i]) / dal_assembly_row_unit(a, i);
            joint = m->rows[i].joint;
            missed = fabs(a->work.phi[i]);
        }
    const dal_joint *j = &m->joints[joint];
    double shift = 0, turn = 0;
    for (int i = j->row; i < j->row + j->n_rows; i++) {
        double *which = m->rows[i].angular ? &turn : &shift;
        *which = fmax(*which, fabs(a->work.phi[i]) > 1e-12 * worst * dal_assembly_row_unit(a, i) ? fabs(a->work.phi[i]) : 0);
    }
    const char *fixed = dal_assembly_fixed(a, false);
    const char *reason = *fixed ? "fixed, and perhaps against it: " : "the start values are too far off, or the joints contradict each other";
    if (dal_joint_is_expression(j))
        dal_say_for(a->build->messages, DAL_ERROR, DAL_REASON_OPEN, j->mark,
                    "the mechanism cannot be assembled: constraint '%s' is missed by %.4g; %s%s", j->name, missed, reason, fixed);
    else
        dal_say_for(a->build->messages, DAL_ERROR, DAL_REASON_OPEN, j->mark,
                    "the mechanism cannot be assembled: joint '%s' stays open by %.4g m and %.4g rad; %s%s", j->name, shift, turn, reason, fixed);
}

/* The angle by which assembly turned the axis of a joint in a body. A turn about the axis itself does not count. */
static double axis_turned(const dal_assembly *a, const dal_joint *joint, int side, const double *turned)
{
    const dal_marker *marker = &joint->marker[side];
    double then[3], now[3], axis[3], across[3];
    if (marker->body == DAL_GROUND || joint->type->spatial.axis != DAL_AXIS_ONE)
        return marker->body == DAL_GROUND ? 0 : turned[marker->body];
    for (int i = 0; i < 3; i++)
        axis[i] = marker->B[3 * i + 2];
    dal_turn(a->build->start[marker->body].R, axis, then);
    dal_turn(a->work.kin[marker->body].R, axis, now);
    dal_cross(then, now, across);
    return atan2(sqrt(dal_dot(across, across)), dal_dot(then, now));
}

/* How far the second body of a joint was turned in the axes of the first: R1^T R2 before and after. */
static double turned_relative(const dal_assembly *a, const dal_joint *joint)
{
    double before[9], after[9], first[9];
    const int one = joint->marker[0].body, two = joint->marker[1].body;
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *then[2] = {one == DAL_GROUND ? still : a->build->start[one].R, two == DAL_GROUND ? still : a->build->start[two].R};
    const double *now[2] = {one == DAL_GROUND ? still : a->work.kin[one].R, two == DAL_GROUND ? still : a->work.kin[two].R};
    for (int k = 0; k < 2; k++) {
        const double *const *R = k ? now : then;
        for (int i = 0; i < 9; i++)
            first[i] = R[0][3 * (i % 3) + i / 3];
        dal_rotation_multiply(first, R[1], k ? after : before);
    }
    return dal_rotation_between(after, before);
}

/* A carried axis is doubtful where a body of the joint turned it afterwards, unless both bodies turned alike: then it is where it was in both. */
static void report_axes(const dal_assembly *a, const double *turned)
{
    for (int j = 0; j < a->build->spec->n_joints; j++) {
        const dal_joint *joint = &a->mechanism.joints[j];
        if (!a->build->axis_carried[j] || a->mechanism.space != DAL_SPATIAL)
            continue;
        const double turn[2] = {axis_turned(a, joint, 0, turned), axis_turned(a, joint, 1, turned)};
        const int side = turn[1] > turn[0];
        if (turn[side] > axis_turn_allowed && turned_relative(a, joint) > axis_turn_allowed)
            dal_warn(a->build->messages, joint->mark, DAL_CODE_AXIS_TURNED, turn[side],
                     "the axis of joint '%s' was taken from the start values, and assembly then turned '%s' by %.3g rad: give the "
                     "axis in both bodies (`axis: [[..], [..]]`), or better start values",
                     joint->name, a->mechanism.bodies[joint->marker[side].body].name, turned[joint->marker[side].body]);
    }
}

/* A shift and a turn in one sentence, or the one of them that is more than rounding. */
static void note_move(dal_assembly *a, int b, double shift, double turn)
{
    const char *name = a->mechanism.bodies[b].name;
    char shifted[40] = "", turned[40] = "";
    const bool shifts = shift > dal_worth_a_note * a->length, turns = turn > dal_worth_a_note;
    if (shifts)
        snprintf(shifted, sizeof shifted, " by %.3g m", shift);
    if (turns)
        snprintf(turned, sizeof turned, " by %.3g rad", turn);
    dal_say_for(a->build->messages, DAL_NOTE, DAL_REASON_ASSEMBLY, a->mechanism.bodies[b].mark, "assembly %s '%s'%s%s%s", shifts ? "moved" : "turned",
                name, shifts ? shifted : turned, shifts && turns ? " and turned it" : "", shifts ? turned : "");
}

/* All moves in one sentence, by the largest of them. */
static void sum_moves(const dal_assembly *a, int n, int farthest, int most_turned)
{
    const dal_body_start *start = a->build->start;
    const bool shifts = farthest >= 0 && start[farthest].change.shift > dal_worth_a_note * a->length;
    const int b = shifts ? farthest : most_turned;
    if (n > 1 && b >= 0)
        dal_say_for(a->build->messages, DAL_NOTE, DAL_REASON_ASSEMBLY_SUM, a->mechanism.bodies[b].mark,
                    "assembly %s %d bodies, at most %.3g %s: '%s'", shifts ? "moved" : "turned", n,
                    shifts ? start[b].change.shift : start[b].change.turn, shifts ? "m" : "rad", a->mechanism.bodies[b].name);
}

/* What was not given was free to move: only given values count. */
static void report_moves(dal_assembly *a)
{
    dal_build *build = a->build;
    int n = 0, farthest = -1, most_turned = -1;
    double *turned = DAL_NEW(build->arena, double, a->mechanism.n_bodies);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        dal_body_start *start = &build->start[b];
        const dal_kin *kin = &a->work.kin[b];
        double shift = 0, turn;
        for (int i = 0; i < 3; i++)
            shift += (kin->r[i] - start->r[i]) * (kin->r[i] - start->r[i]);
        shift = sqrt(shift);
        turned[b] = turn = dal_rotation_between(kin->R, start->R);
        start->change.shift = start->position_given ? shift : 0;
        start->change.turn = start->attitude_given ? turn : 0;
        if ((start->change.shift > dal_worth_a_note * a->length || start->change.turn > dal_worth_a_note) && !dal_assembly_moved_far(a, b)) {
            note_move(a, b, shift, turn);
            n++;
            farthest = farthest < 0 || start->change.shift > build->start[farthest].change.shift ? b : farthest;
            most_turned = most_turned < 0 || start->change.turn > build->start[most_turned].change.turn ? b : most_turned;
        }
    }
    sum_moves(a, n, farthest, most_turned);
    report_axes(a, turned);
}

static void place_anew(dal_assembly *a)
{
    place_bodies(a);
    dal_turns_again(a->build, &a->work);
    dal_rows_position(a->layout, &a->work);
    dal_turns_follow(a->build, &a->work);
}

/* Omitted values move first. If they cannot close the gaps alone, they oscillate about their best place, and the given ones hardly move: a second
 * try, from the start, treats all values as given. If it fails as well, the result of the first is reported. */
static double close_evenly(dal_assembly *a, int rows)
{
    place_anew(a);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        for (int k = 0; k < at->nv; k++)
            a->S[at->v + k] *= (k >= (int)a->mechanism.space ? start->attitude_given : start->position_given) ? 1 : omitted_weight;
    }
    double worst = dal_newton_close(&a->newton, rows, 100);
    dal_assembly_weigh(a, false);
    if (worst <= gap_allowed)
        return worst;
    place_anew(a);
    return dal_newton_close(&a->newton, rows, 100);
}

static const dal_joint *turned_over(const dal_assembly *a);

bool dal_assembly_reach(dal_assembly *a, int rows)
{
    if (!(dal_newton_close(&a->newton, rows, 100) <= gap_allowed))
        return false;
    walk_nearer(a, rows);
    settle_nearest(a, rows);
    return dal_newton_close(&a->newton, rows, 5) <= gap_allowed && !turned_over(a);
}

double dal_assembly_distance(dal_assembly *a)
{
    return distance_back(a);
}

/* known: the rows are. */
static bool assemble_positions(dal_assembly *a, bool known)
{
    int rows = dal_assembly_exact(a);
    bool open_target = false;
    double worst = known ? find_gap(a) : evaluate_placement(a);
    for (int i = a->n_own; i < rows; i++)
        open_target |= dal_assembly_target(a, i)->has_value && fabs(a->work.phi[i]) > dal_closed * dal_assembly_row_unit(a, i);
    const bool fits = worst <= dal_closed && !open_target && !a->build->n_wishes;
    if (fits && !(a->build->thorough && a->mechanism.space == DAL_PLANAR)) /* in space a guess that fits is what was meant */
        return true;
    dal_assembly_weigh(a, false);
    if (fits) {
        dal_assembly_undecided(a, rows);
        return true;
    }
    dal_assembly_dense(a);
    a->following = true;
    worst = dal_newton_close(&a->newton, rows, 100);
    if (!(worst <= gap_allowed))
        worst = close_evenly(a, rows);
    if (!(worst <= gap_allowed)) {
        report_gap(a);
        return false;
    }
    walk_nearer(a, rows);
    settle_nearest(a, rows);
    dal_newton_close(&a->newton, rows, 5);
    a->following = false;
    if (!dal_assembly_choose(a, rows))
        return false;
    report_moves(a);
    dal_assembly_warn(a, rows);
    if (a->build->thorough)
        dal_assembly_undecided(a, rows);
    return true;
}

/* E, the axes of a joint's frame in the world. */
static void frame_of(const dal_assembly *a, const dal_marker *marker, double E[9])
{
    if (marker->body == DAL_GROUND)
        memcpy(E, marker->B, sizeof marker->B);
    else
        dal_rotation_multiply(a->work.kin[marker->body].R, marker->B, E);
}

/* The rows that forbid a turn are products of axes at right angles. They vanish where the frames coincide, E_i^T E_j = 1 with the
 * trace 3, and after half a turn about any of their axes, with the trace -1; where a turn about z is free, z_i . z_j is 1 or -1. A joint that was
 * turned over is a different joint, which the tree of the family `joint` cannot represent. */
static bool is_turned_over(const dal_assembly *a, const dal_joint *joint)
{
    const bool about_z = a->mechanism.space == DAL_SPATIAL && joint->type->keeps == DAL_KEEPS_Z;
    double E[2][9], product = 0;
    if (!about_z && joint->type->keeps != DAL_KEEPS_ALL_AXES)
        return false;
    for (int k = 0; k < 2; k++)
        frame_of(a, &joint->marker[k], E[k]);
    for (int i = about_z ? 2 : 0; i < 9; i += about_z ? 3 : 1)
        product += E[0][i] * E[1][i];
    return product < 0;
}

static const dal_joint *turned_over(const dal_assembly *a)
{
    for (int j = 0; j < a->build->spec->n_joints; j++)
        if (is_turned_over(a, &a->mechanism.joints[j]))
            return &a->mechanism.joints[j];
    return NULL;
}

static bool refuse_turned_over(const dal_assembly *a)
{
    const dal_joint *joint = turned_over(a);
    if (joint)
        dal_say_for(a->build->messages, DAL_ERROR, DAL_REASON_OPEN, joint->mark,
                    "the mechanism cannot be assembled: joint '%s' closes from these start values only with one of its bodies turned over, axes "
                    "against each other; give them better ones",
                    joint->name);
    return joint;
}

bool dal_build_assemble(dal_build *build, const dal_compiled *drives, double *winding)
{
    dal_assembly a = {0};
    begin_assembly(&a, build);
    dal_start_drives(build->arena, drives, a.work.time);
    place_bodies(&a);
    dal_turns_begin(build, &a.work);
    const bool known = !set_start_constants(&a); /* an angle that is its own reference does not change */
    dal_turns_follow(build, &a.work);
    bool closed = assemble_positions(&a, known) && !refuse_turned_over(&a);
    if ((!closed && !build->anyway) || !dal_build_forms_finite(build, &a.mechanism, &a.work))
        return false;
    if (closed && !dal_assemble_velocities(&a) && !build->anyway)
        return false;
    dal_family_twist.velocity(a.layout, &a.work);
    dal_turns_end(build, &a.work, winding);
    for (int b = 0; b < a.mechanism.n_bodies; b++) {
        dal_body_start *start = &build->start[b];
        const dal_kin *kin = &a.work.kin[b];
        memcpy(start->r, kin->r, sizeof start->r);
        if (a.layout->body[b].n_rot)
            memcpy(start->R, kin->R, sizeof start->R);
        memcpy(start->rd, kin->rd, sizeof start->rd);
        memcpy(start->w, kin->w, sizeof start->w);
        if (a.layout->body[b].n_rot == 1)
            start->angle = dal_turns_of_body(build, b, a.work.q[a.layout->body[b].q + 2], winding);
    }
    return true;
}
