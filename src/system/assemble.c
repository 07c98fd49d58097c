/* Assembly: start values that satisfy the constraints.
 *
 * Positions. Among all placements with phi = 0 the one nearest to the given one,
 * in the metric of the masses: minimise sum w^2 d^2 with d the displacement of a
 * body (w^2 its mass) and its turn (w^2 its inertia). Gauss-Newton on the twists
 * x of the bodies, e the way back to where they were given:
 *   A x = -phi,   x = e + S (A S)^+ (-phi - A e),   S = 1/w
 * Fixed values have S = 0; omitted ones a weight 1000 times smaller, so that they
 * move first. Pseudo-inverses are rank-revealing: redundant joints are no trouble,
 * contradictory ones leave a gap, which is reported.
 *
 * Velocities, in this order of importance:
 *   1. A v = beta, and what is fixed                              exactly
 *   2. given values                                               as near as possible, same metric
 *   3. what is left                                               least kinetic energy
 * each on the null space of the one before.
 */
#include "math/dense.h"
#include "math/rank.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "system/build.h"

#include <math.h>
#include <string.h>

static const double omitted_weight = 1e-3;    /* omitted values move a thousand times as easily */
static const double closed = 1e-14;           /* a start that is this good is not touched, relative to the model's length */
static const double gap_allowed = 1e-10;      /* what remains after assembly, relative to the model's length */
static const double worth_a_note = 1e-9;      /* a displacement that is reported, relative */
static const double axis_turn_allowed = 1e-6; /* rad: beyond this a carried axis is doubtful */

typedef struct assembly {
    dal_build *build;
    dal_mechanism mechanism; /* with the targets as further rows */
    dal_layout *layout;
    dal_work work;
    const dal_compiled *drives;
    int m, r, n_own;         /* unknowns, rows with targets, rows of the model */
    double *A, *b, *x, *e, *S, *q0, *svd;
    int *source;             /* of an equation for velocities: its row, or -1 - body */
    double length;
} assembly;

/* The model's characteristic length: the largest distance of a joint's point from the centre of mass of its body, or radius of
 * gyration. It does not depend on where body frames lie, nor on what is recorded. */
double dal_build_length(const dal_build *build)
{
    double length = 0;
    const dal_mechanism *m = &build->mechanism;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 2 && m->joints[j].type; k++) {
            const dal_marker *marker = &m->joints[j].marker[k];
            if (marker->body == DAL_GROUND)
                continue;
            double arm[3];
            dal_sub3(marker->s, m->bodies[marker->body].center, arm);
            length = fmax(length, sqrt(dal_dot(arm, arm)));
        }
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body *body = &m->bodies[b];
        double inertia = fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8]));
        if (body->mass > 0)
            length = fmax(length, sqrt(inertia / body->mass)); /* radius of gyration */
    }
    return length > 0 ? length : 1;
}

static void add_target_rows(assembly *a)
{
    dal_mechanism *m = &a->mechanism;
    for (int pass = 0; pass < 2; pass++) /* kept exactly first */
        for (int i = 0; i < a->build->n_targets; i++) {
            const dal_target *target = &a->build->targets[i];
            if (target->fix == (pass == 1))
                continue;
            *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) = (dal_term){target->measure, 1};
            *DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows) =
                (dal_row){.term = m->n_terms - 1, .n_terms = 1, .constant = target->value, .time = -1, .joint = -1};
        }
}

static void begin(assembly *a, dal_build *build, const dal_compiled *drives)
{
    dal_arena *arena = build->arena;
    a->build = build;
    a->drives = drives;
    a->mechanism = build->mechanism;
    /* rows and terms may grow without touching the originals */
    a->mechanism.cap_terms = (size_t)a->mechanism.n_terms;
    a->mechanism.cap_rows = (size_t)a->mechanism.n_rows;
    a->n_own = build->mechanism.n_rows;
    add_target_rows(a);
    a->layout = dal_layout_build(arena, &a->mechanism, &dal_family_twist, build->n_times);
    dal_work_lay(a->layout, DAL_TAKE(arena, dal_real, dal_work_size(a->layout)), DAL_TAKE(arena, int, 3 * a->mechanism.n_bodies), &a->work);
    a->m = a->layout->nv;
    a->r = a->layout->n_rows;
    a->length = dal_build_length(build);
    size_t rows = (size_t)(a->r + a->m), m = (size_t)a->m;
    a->A = DAL_TAKE(arena, double, rows * m);
    a->b = DAL_TAKE(arena, double, rows);
    a->source = DAL_TAKE(arena, int, rows);
    a->x = DAL_TAKE(arena, double, m);
    a->e = DAL_TAKE(arena, double, m);
    a->S = DAL_TAKE(arena, double, m);
    a->q0 = DAL_TAKE(arena, double, a->layout->nq);
}

/* The singular value decompositions need room only where something has to be moved. */
static void need_svd(assembly *a)
{
    if (!a->svd)
        a->svd = DAL_TAKE(a->build->arena, double, dal_rank_work(a->r + a->m, a->m));
}

static void place_bodies(assembly *a)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        dal_family_twist.place(a->layout, &a->work, b, start->r, start->R);
        if (a->layout->body[b].n_rot == 1)
            a->work.q[a->layout->body[b].q + 2] = start->angle;
    }
    dal_family_twist.position(a->layout, &a->work);
}

/* Whole turns of every angle from the unwrapped angles of the bodies; spatial ones start near zero, or near their start value. */
static void count_turns(assembly *a)
{
    const dal_mechanism *m = &a->mechanism;
    for (int i = 0; i < m->n_measures; i++) {
        const dal_measure *measure = &m->measures[i];
        if (measure->winding < 0)
            continue;
        double angle = 0;
        if (m->space == DAL_PLANAR)
            for (int k = 0; k < 3; k += 2) {
                const dal_vector *v = &m->vectors[measure->vector[k]];
                double turn = atan2(v->s[1], v->s[0]) + (v->body == DAL_GROUND ? 0 : a->build->start[v->body].angle);
                angle += k ? turn : -turn;
            }
        a->work.winding[measure->winding] = angle;
    }
    for (int i = 0; i < a->build->n_targets; i++) {
        const dal_target *target = &a->build->targets[i];
        if (target->has_value && m->measures[target->measure].winding >= 0)
            a->work.winding[m->measures[target->measure].winding] = target->value;
    }
}

static void evaluate_drives(assembly *a)
{
    if (!a->drives->program)
        return;
    dal_arena *arena = a->build->arena;
    double *variables = DAL_TAKE(arena, double, dal_program_variables(a->drives->program));
    double *registers = DAL_TAKE(arena, double, dal_program_registers(a->drives->program));
    dal_program_run(a->drives->program, variables, NULL, registers, a->work.time); /* t = 0 */
}

/* phi and A at the present placement; rows of the targets are left out of phi where they have no value. */
static double evaluate(assembly *a, bool jacobian)
{
    double worst = 0;
    dal_family_twist.position(a->layout, &a->work);
    dal_rows_position(a->layout, &a->work);
    if (jacobian)
        dal_rows_jacobian(a->layout, &a->work);
    for (int i = 0; i < a->n_own; i++)
        worst = fmax(worst, fabs(a->work.phi[i]));
    return worst;
}

static void set_start_constants(assembly *a)
{
    evaluate(a, false);
    for (int i = 0; i < a->n_own; i++) {
        dal_row *row = &a->build->mechanism.rows[i];
        if (!isnan(row->constant))
            continue;
        row->constant = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            row->constant += a->mechanism.terms[k].coef * a->work.value[a->mechanism.terms[k].measure];
        a->mechanism.rows[i].constant = row->constant;
    }
}

/* Which targets are rows that have to hold exactly? They come first behind the model's rows. */
static int exact_rows(const assembly *a, bool positions)
{
    int n = a->n_own;
    (void)positions;
    for (int i = 0; i < a->build->n_targets; i++)
        n += a->build->targets[i].fix;
    return n;
}

static const dal_target *target_of(const assembly *a, int row)
{
    int wanted = row - a->n_own, seen = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < a->build->n_targets; i++)
            if (a->build->targets[i].fix == (pass == 0) && seen++ == wanted)
                return &a->build->targets[i];
    return NULL;
}

static void dense_row(const assembly *a, int row, double *out)
{
    const dal_row_layout *at = &a->layout->row[row];
    memset(out, 0, sizeof *out * (size_t)a->m);
    for (int k = at->value; k < at->value + at->n_values; k++)
        out[a->layout->column[k]] = a->work.A[k];
}

/* 1 / weight of every unknown. */
static void weigh(assembly *a, bool velocities)
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

/* Displacements are measured at the centre of mass, so that it does not matter where in a body its frame lies. Where only the
 * position or only the attitude is given, what was given is the frame's own. */
static bool at_center(const assembly *a, int b)
{
    const double *c = a->mechanism.bodies[b].center;
    const dal_body_start *start = &a->build->start[b];
    return a->layout->body[b].n_rot && start->position_given && start->attitude_given && (c[0] != 0 || c[1] != 0 || c[2] != 0);
}

/* A row on (r, theta) becomes one on (c, theta): f.dr + tau.dtheta = f.dc + (tau + f x rho).dtheta. */
static void row_to_center(const assembly *a, double *row)
{
    const bool flat = a->mechanism.space == DAL_PLANAR;
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        if (!at_center(a, b))
            continue;
        double *f = row + a->layout->body[b].v, rho[3], turn[3];
        const double f3[3] = {f[0], f[1], flat ? 0 : f[2]};
        dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, rho);
        dal_cross(f3, rho, turn);
        for (int k = 0; k < a->layout->body[b].n_rot; k++)
            f[flat ? 2 : 3 + k] += turn[flat ? 2 : k];
    }
}

/* x on (c, theta) becomes one on (r, theta): dr = dc - dtheta x rho. */
static void step_from_center(const assembly *a, double *x)
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

/* e: from the present placement back to the given one, as twists; zero where nothing was given. */
static void way_back(assembly *a)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        const double *q = a->work.q + at->q;
        double *e = a->e + at->v;
        int space = (int)a->mechanism.space;
        for (int k = 0; k < space; k++)
            e[k] = start->position_given ? start->r[k] - q[k] : 0;
        if (at_center(a, b)) {
            double then[3], now[3];
            dal_turn(start->R, a->mechanism.bodies[b].center, then);
            dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, now);
            for (int k = 0; k < space; k++)
                e[k] += then[k] - now[k];
        }
        if (at->n_rot == 1)
            e[2] = start->attitude_given ? start->angle - q[2] : 0;
        if (at->n_rot == 3) {
            double D[9], p[4], back[9];
            for (int i = 0; i < 9; i++)
                back[i] = a->work.kin[b].R[3 * (i % 3) + i / 3];
            dal_rotation_multiply(start->R, back, D);
            dal_quaternion_of(D, p);
            double s = sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), k = s > 1e-12 ? 2 * atan2(s, p[0]) / s : 2;
            for (int i = 0; i < 3; i++)
                e[3 + i] = start->attitude_given ? k * p[1 + i] : 0;
        }
    }
}

/* x := the step of the iteration above; returns its length. */
static double find_step(assembly *a, int rows, bool nearest)
{
    memset(a->e, 0, sizeof *a->e * (size_t)a->m);
    if (nearest)
        way_back(a);
    for (int i = 0; i < rows; i++) {
        double *row = a->A + (size_t)i * (size_t)a->m;
        const dal_target *target = i < a->n_own ? NULL : target_of(a, i);
        dense_row(a, i, row);
        row_to_center(a, row);
        if (target && !target->has_value)
            memset(row, 0, sizeof *row * (size_t)a->m);
        a->b[i] = target && !target->has_value ? 0 : -a->work.phi[i];
        for (int k = 0; k < a->m; k++) {
            a->b[i] -= row[k] * a->e[k];
            row[k] *= a->S[k];
        }
    }
    dal_rank_solve(a->A, rows, a->m, a->m, DAL_RANK_TOLERANCE, a->b, a->x, a->svd);
    double step = 0;
    for (int k = 0; k < a->m; k++) {
        a->x[k] = a->e[k] + a->S[k] * a->x[k];
        if (a->S[k] != 0)
            step = fmax(step, fabs(a->x[k]));
    }
    return step;
}

/* q := q + part x, a bounded way. */
static void move(assembly *a, double step, double part)
{
    double most = 0.5 * fmax(1, a->length), scale = step > most ? part * most / step : part;
    for (int k = 0; k < a->m; k++)
        a->x[k] *= scale;
    step_from_center(a, a->x);
    dal_family_twist.add(a->layout, a->work.q, a->x);
}

/* Close the gaps by at most `most` steps; returns what is left. */
static double close_gaps(assembly *a, int rows, int most)
{
    double worst = evaluate(a, true);
    for (int i = 0; i < most && worst < HUGE_VAL; i++) {
        double step = find_step(a, rows, false);
        move(a, step, 1);
        worst = evaluate(a, true);
        if ((worst <= closed * a->length && step < 1e-9) || step < 1e-15 * a->length)
            break;
    }
    return worst;
}

/* The weighted square of the way back, which the walk makes shorter. */
static double distance_back(assembly *a)
{
    double sum = 0;
    memset(a->e, 0, sizeof *a->e * (size_t)a->m);
    way_back(a);
    for (int k = 0; k < a->m; k++)
        if (a->S[k] != 0)
            sum += a->e[k] / a->S[k] * (a->e[k] / a->S[k]);
    return sum;
}

/* From a closed placement to the nearest one: each step is taken as far as it brings us nearer and the gaps close again. */
static void walk_nearer(assembly *a, int rows)
{
    const size_t nq = (size_t)a->layout->nq;
    double *from = a->q0, *x = DAL_TAKE(a->build->arena, double, a->m), distance = distance_back(a);
    for (int i = 0; i < 60; i++) {
        double step = find_step(a, rows, true), part = 1;
        if (step < 1e-13 * a->length)
            return;
        memcpy(from, a->work.q, sizeof *from * nq);
        memcpy(x, a->x, sizeof *x * (size_t)a->m);
        for (;; part /= 4) {
            move(a, step, part);
            double worst = close_gaps(a, rows, 20), now = distance_back(a);
            if (worst <= gap_allowed * a->length && now < distance) {
                bool stalled = now > (1 - 1e-12) * distance;
                distance = now;
                if (stalled)
                    return;
                break;
            }
            memcpy(a->work.q, from, sizeof *from * nq);
            memcpy(a->x, x, sizeof *x * (size_t)a->m);
            if (part < 1e-3) {
                evaluate(a, true);
                return;
            }
        }
    }
}

/* The distance is flat at its least value, so that comparing distances finds the place to half the digits only: the last ones
 * come from the steps themselves, as long as they shrink. */
static void settle_nearest(assembly *a, int rows)
{
    double before = 1e-3 * a->length;
    for (int i = 0; i < 60; i++) {
        double step = find_step(a, rows, true);
        if (step < 1e-14 * a->length || step > 0.9 * before)
            return;
        before = step;
        move(a, step, 1);
        evaluate(a, true);
    }
}

/* "the position of 'crank', the start of joint 'A'": what may not give way, or "". */
static const char *list_fixed(const assembly *a, bool velocities)
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

static void report_gap(assembly *a)
{
    const dal_mechanism *m = &a->mechanism;
    double worst = 0;
    int joint = 0;
    for (int i = 0; i < a->n_own; i++)
        if (fabs(a->work.phi[i]) > worst) {
            worst = fabs(a->work.phi[i]);
            joint = m->rows[i].joint;
        }
    const dal_joint *j = &m->joints[joint];
    double shift = 0, turn = 0;
    for (int i = j->row; i < j->row + j->n_rows; i++) {
        double *which = m->rows[i].angular ? &turn : &shift;
        *which = fmax(*which, fabs(a->work.phi[i]));
    }
    const char *fixed = list_fixed(a, false);
    dal_error(a->build->messages, j->mark, "the mechanism cannot be assembled: joint '%s' stays open by %.4g m and %.4g rad; %s%s", j->name, shift,
              turn, *fixed ? "fixed, and perhaps against it: " : "the start values are too far off, or the joints contradict each other", fixed);
}

/* A carried axis is doubtful where a body of the joint turned afterwards. */
static void report_axes(const assembly *a, const double *turned)
{
    for (int j = 0; j < a->mechanism.n_joints; j++) {
        const dal_joint *joint = &a->mechanism.joints[j];
        if (!a->build->axis_carried[j] || a->mechanism.space != DAL_SPATIAL)
            continue;
        int body = joint->marker[0].body, second = joint->marker[1].body;
        if (body == DAL_GROUND || (second != DAL_GROUND && turned[second] > turned[body]))
            body = second;
        if (turned[body] > axis_turn_allowed)
            dal_warn(a->build->messages, joint->mark,
                     "the axis of joint '%s' was taken from the start values, and assembly then turned '%s' by %.3g rad: give the "
                     "axis in both bodies (`axis: [[..], [..]]`), or better start values",
                     joint->name, a->mechanism.bodies[body].name, turned[body]);
    }
}

static void report_moves(assembly *a)
{
    dal_build *build = a->build;
    double *turned = DAL_TAKE(build->arena, double, a->mechanism.n_bodies);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &build->start[b];
        const dal_kin *kin = &a->work.kin[b];
        double shift = 0, turn = 0;
        for (int i = 0; i < 3; i++)
            shift += (kin->r[i] - start->r[i]) * (kin->r[i] - start->r[i]);
        for (int i = 0; i < 9; i++)
            turn += (kin->R[i] - start->R[i]) * (kin->R[i] - start->R[i]);
        shift = sqrt(shift);
        turned[b] = turn = sqrt(turn / 2);
        if ((start->position_given && shift > worth_a_note * a->length) || (start->attitude_given && turn > worth_a_note))
            dal_say(build->messages, DAL_NOTE, a->mechanism.bodies[b].mark, "assembly moved '%s' by %.3g m and turned it by %.3g rad",
                    a->mechanism.bodies[b].name, shift, turn);
    }
    report_axes(a, turned);
}

static bool assemble_positions(assembly *a)
{
    int rows = exact_rows(a, true);
    bool open_target = false;
    double worst = evaluate(a, true);
    for (int i = a->n_own; i < rows; i++)
        open_target |= target_of(a, i)->has_value && fabs(a->work.phi[i]) > closed * a->length;
    if (worst <= closed * a->length && !open_target)
        return true;
    weigh(a, false);
    need_svd(a);
    worst = close_gaps(a, rows, 100);
    if (!(worst <= gap_allowed * a->length)) {
        report_gap(a);
        return false;
    }
    walk_nearer(a, rows);
    settle_nearest(a, rows);
    close_gaps(a, rows, 5);
    report_moves(a);
    return true;
}

/* ---- velocities ------------------------------------------------------------- */

static void given_velocity(const assembly *a, double *v)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        int space = (int)a->mechanism.space;
        for (int k = 0; k < at->nv; k++)
            v[at->v + k] = k < space ? start->rd[k] : at->n_rot == 1 ? start->w[2] : start->w[k - space];
    }
}

static bool is_given(const assembly *a, int b, int k, bool fixed)
{
    const dal_body_start *start = &a->build->start[b];
    bool rot = k >= (int)a->mechanism.space;
    return fixed ? (rot ? start->spin_fixed : start->velocity_fixed) : (rot ? start->spin_given : start->velocity_given);
}

/* C v = d: rows of the model, fixed rates, fixed components; a->source says which. Returns the number of rows. */
static int exact_equations(assembly *a, const double *v0)
{
    int n = 0;
    for (int i = 0; i < exact_rows(a, false); i++) {
        const dal_target *target = i < a->n_own ? NULL : target_of(a, i);
        if (target && !target->has_rate)
            continue;
        dense_row(a, i, a->A + (size_t)n * (size_t)a->m);
        const dal_row *row = &a->mechanism.rows[i];
        a->source[n] = i;
        a->b[n++] = target ? target->rate : row->time < 0 ? 0 : a->work.time[3 * row->time + 1];
    }
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++)
            if (is_given(a, b, k, true)) {
                double *row = a->A + (size_t)n * (size_t)a->m;
                memset(row, 0, sizeof *row * (size_t)a->m);
                row[a->layout->body[b].v + k] = 1;
                a->source[n] = -1 - b;
                a->b[n++] = v0[a->layout->body[b].v + k];
            }
    return n;
}

/* Rows G v ~ g of given values that may give way, weighted. */
static int soft_equations(assembly *a, const double *v0, double *G, double *g)
{
    int n = 0;
    for (int i = exact_rows(a, false); i < a->r; i++) {
        const dal_target *target = target_of(a, i);
        if (!target->has_rate)
            continue;
        dense_row(a, i, G + (size_t)n * (size_t)a->m);
        double norm = 0, *row = G + (size_t)n * (size_t)a->m;
        for (int k = 0; k < a->m; k++)
            norm = fmax(norm, fabs(row[k]) * a->S[k]);
        for (int k = 0; k < a->m && norm > 0; k++)
            row[k] /= norm;
        g[n++] = target->rate / (norm > 0 ? norm : 1);
    }
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++)
            if (is_given(a, b, k, false) && !is_given(a, b, k, true)) {
                int column = a->layout->body[b].v + k;
                double *row = G + (size_t)n * (size_t)a->m, w = 1 / a->S[column];
                memset(row, 0, sizeof *row * (size_t)a->m);
                row[column] = w;
                g[n++] = w * v0[column];
            }
    return n;
}

/* v += Z^T y with Z G-independent rows: y from (G Z^T) y = g - G v in the least-squares sense; Z := what stays free. */
static int settle(assembly *a, int n_soft, const double *G, double *g, double *v, double *Z, int n_free)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *B = DAL_TAKE(arena, double, (size_t)n_soft * (size_t)n_free), *y = DAL_TAKE(arena, double, n_free);
    double *sigma = DAL_TAKE(arena, double, n_soft + n_free), *null = DAL_TAKE(arena, double, n_free * n_free);
    double *work = DAL_TAKE(arena, double, dal_rank_work(n_soft, n_free)), *fresh = DAL_TAKE(arena, double, (size_t)n_free * m);
    for (int i = 0; i < n_soft; i++) {
        for (size_t k = 0; k < m; k++)
            g[i] -= G[(size_t)i * m + k] * v[k];
        for (int j = 0; j < n_free; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += G[(size_t)i * m + k] * Z[(size_t)j * m + k];
            B[i * n_free + j] = sum;
        }
    }
    dal_rank_solve(B, n_soft, n_free, n_free, DAL_RANK_TOLERANCE, g, y, work);
    for (int j = 0; j < n_free; j++)
        for (size_t k = 0; k < m; k++)
            v[k] += y[j] * Z[(size_t)j * m + k];
    int left = n_free - dal_rank_svd(B, n_soft, n_free, n_free, DAL_RANK_TOLERANCE, sigma, null, NULL, work);
    for (int i = 0; i < left; i++)
        for (int j = 0; j < n_free; j++)
            for (size_t k = 0; k < m; k++)
                fresh[(size_t)i * m + k] += null[i * n_free + j] * Z[(size_t)j * m + k];
    memcpy(Z, fresh, sizeof *Z * (size_t)left * m);
    return left;
}

/* v += Z^T y of least kinetic energy: (Z M Z^T) y = -Z M v. */
static void come_to_rest(assembly *a, double *v, const double *Z, int n_free)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *Mz = DAL_TAKE(arena, double, m), *K = DAL_TAKE(arena, double, n_free * n_free), *rhs = DAL_TAKE(arena, double, n_free);
    double *y = DAL_TAKE(arena, double, n_free), *work = DAL_TAKE(arena, double, dal_rank_work(n_free, n_free));
    for (int i = 0; i < n_free; i++) {
        dal_mass_times(a->layout, a->work.M, Z + (size_t)i * m, Mz);
        for (size_t k = 0; k < m; k++)
            rhs[i] -= Mz[k] * v[k];
        for (int j = 0; j < n_free; j++)
            for (size_t k = 0; k < m; k++)
                K[i * n_free + j] += Mz[k] * Z[(size_t)j * m + k];
    }
    dal_rank_solve(K, n_free, n_free, n_free, DAL_RANK_TOLERANCE, rhs, y, work);
    for (int i = 0; i < n_free; i++)
        for (size_t k = 0; k < m; k++)
            v[k] += y[i] * Z[(size_t)i * m + k];
}

static double velocity_gap(const assembly *a, const double *v, int *where)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++) {
        const dal_row_layout *at = &a->layout->row[i];
        const dal_target *target = i < a->n_own ? NULL : target_of(a, i);
        if (target && !target->has_rate)
            continue;
        double sum = target ? -target->rate : a->mechanism.rows[i].time < 0 ? 0 : -a->work.time[3 * a->mechanism.rows[i].time + 1];
        for (int k = at->value; k < at->value + at->n_values; k++)
            sum += a->work.A[k] * v[a->layout->column[k]];
        if (fabs(sum) > worst) {
            worst = fabs(sum);
            *where = i;
        }
    }
    return worst;
}

/* Do the n exact equations hold? Names the one that is missed most. */
static bool velocities_fit(assembly *a, int n, const double *v, double fastest)
{
    const size_t m = (size_t)a->m;
    double worst = 0;
    int where = -1;
    for (int i = 0; i < n; i++) {
        double miss = -a->b[i];
        for (size_t k = 0; k < m; k++)
            miss += a->A[(size_t)i * m + k] * v[k];
        if (fabs(miss) > 1e-9 * fmax(fabs(a->b[i]), fastest) + 1e-12 && fabs(miss) > worst) {
            worst = fabs(miss);
            where = i;
        }
    }
    if (where < 0)
        return true;
    const int row = a->source[where];
    const char *fixed = list_fixed(a, true);
    const dal_joint *joint = row < 0 ? NULL : &a->mechanism.joints[row < a->n_own ? a->mechanism.rows[row].joint : target_of(a, row)->joint];
    const dal_body *body = row < 0 ? &a->mechanism.bodies[-1 - row] : NULL;
    const bool angular = joint && (row < a->n_own ? a->mechanism.rows[row].angular
                                                  : a->mechanism.measures[target_of(a, row)->measure].kind == DAL_MEASURE_ANGLE);
    dal_error(a->build->messages, joint ? joint->mark : body->mark, "the start velocities contradict the constraints: %.4g %s remain at %s'%s'; %s%s",
              worst, angular ? "rad/s" : joint ? "m/s" : "m/s or rad/s", joint ? "joint " : "",
              joint ? joint->name : body->name, *fixed ? "fixed, and perhaps against it: " : "drives and joints ask for different motions", fixed);
    return false;
}

static bool assemble_velocities(assembly *a)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *v0 = DAL_TAKE(arena, double, m), *v = a->work.v;
    int where = 0;
    double fastest = 0;
    given_velocity(a, v0);
    memcpy(v, v0, sizeof *v * m);
    for (size_t k = 0; k < m; k++)
        fastest = fmax(fastest, fabs(v0[k]));
    if (velocity_gap(a, v0, &where) <= closed * fastest * fmax(1, a->length))
        return true;
    weigh(a, true);
    need_svd(a);
    int n = exact_equations(a, v0);
    double *sigma = DAL_TAKE(arena, double, (size_t)n + m), *Z = DAL_TAKE(arena, double, m * m);
    dal_rank_solve(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, a->b, v, a->svd);
    if (!velocities_fit(a, n, v, fastest))
        return false;
    int n_free = a->m - dal_rank_svd(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, sigma, Z, NULL, a->svd);
    double *G = DAL_TAKE(arena, double, (size_t)(a->r + a->m) * m), *g = DAL_TAKE(arena, double, a->r + a->m);
    int n_soft = soft_equations(a, v0, G, g);
    if (n_soft && n_free)
        n_free = settle(a, n_soft, G, g, v, Z, n_free);
    dal_family_twist.velocity(a->layout, &a->work);
    dal_family_twist.inertia(a->layout, &a->work);
    if (n_free)
        come_to_rest(a, v, Z, n_free);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_layout *at = &a->layout->body[b];
        double change = 0;
        for (int k = 0; k < at->nv; k++)
            if (is_given(a, b, k, false))
                change = fmax(change, fabs(v[at->v + k] - v0[at->v + k]));
        if (change > worth_a_note * fmax(fastest, 1e-300))
            dal_say(a->build->messages, DAL_NOTE, a->mechanism.bodies[b].mark, "assembly changed the start velocity of '%s' by %.3g m/s (rad/s)",
                    a->mechanism.bodies[b].name, change);
    }
    return true;
}

bool dal_build_assemble(dal_build *build, const dal_compiled *drives, double *winding)
{
    assembly a = {0};
    begin(&a, build, drives);
    place_bodies(&a);
    count_turns(&a);
    evaluate_drives(&a);
    set_start_constants(&a);
    if (!assemble_positions(&a) || !assemble_velocities(&a))
        return false;
    dal_family_twist.velocity(a.layout, &a.work);
    for (int b = 0; b < a.mechanism.n_bodies; b++) {
        dal_body_start *start = &build->start[b];
        const dal_kin *kin = &a.work.kin[b];
        memcpy(start->r, kin->r, sizeof start->r);
        if (a.layout->body[b].n_rot)
            memcpy(start->R, kin->R, sizeof start->R);
        memcpy(start->rd, kin->rd, sizeof start->rd);
        memcpy(start->w, kin->w, sizeof start->w);
        if (a.layout->body[b].n_rot == 1)
            start->angle = a.work.q[a.layout->body[b].q + 2];
    }
    for (int i = 0; i < a.mechanism.n_measures; i++)
        if (a.mechanism.measures[i].winding >= 0)
            winding[a.mechanism.measures[i].winding] = a.work.value[i];
    return true;
}
