/* Start values of the model's own coordinates that satisfy the constraints.
 *
 * Positions: omitted values move first, then those that were given, by the least change in metres; fixed ones stay. Gauss-Newton
 *   A x = -phi,   x = e + S (A S)^+ (-phi - A e),   S = 1 / (weight x scale),  S = 0: kept
 * with e the way back to the given values and the scale of a coordinate: the displacement of a unit of it, in metres.
 * Velocities: A v = beta, linear, in the same order. Omitted ones that no constraint determines: least kinetic energy.
 * Rows that are not linear in the rates: the same at their tangents, until nothing changes any more.
 */
#include "kinematics/placement.h"
#include "kinematics/subsystems.h"
#include "math/rank.h"
#include "math/vec.h"
#include "start/assembly.h"
#include "start/turns.h"
#include "state/scale.h"

#include <math.h>
#include <string.h>

static const double gap_allowed = 1e-10;     /* allowed residual of a row, in its unit */
static const double omitted_weight = 1e-3;   /* omitted values move a thousand times as easily */
static const double velocity_allowed = 1e-9; /* allowed residual of a velocity, relative to the fastest */

/* The angles of planar bodies with their whole turns, at q and t = 0. */
static void find_angles(dal_build *build, const double *q)
{
    const int n = build->spec->n_coordinates;
    double *variables = DAL_NEW(build->arena, double, dal_placement_variables(n));
    double *registers = DAL_NEW(build->arena, double, dal_program_registers(build->place_angle));
    double *angle = DAL_NEW(build->arena, double, build->spec->n_bodies);
    memcpy(variables, q, sizeof *q * (size_t)n);
    dal_program_run(build->place_angle, variables, NULL, registers, angle);
    for (int b = 0; b < build->spec->n_bodies; b++)
        build->start[b].angle = angle[b];
}

void dal_start_frames(dal_build *build)
{
    const dal_program *frames = build->parts.placement->frames;
    const int n = build->spec->n_coordinates, bodies = build->spec->n_bodies;
    double *variables = DAL_NEW(build->arena, double, dal_placement_variables(n));
    double *registers = DAL_NEW(build->arena, double, dal_program_registers(frames)), *out = DAL_NEW(build->arena, double, 12 * bodies);
    memcpy(variables, build->start_q, sizeof *variables * (size_t)n);
    int left = dal_program_run(frames, variables, NULL, registers, out);
    if (left)
        dal_error(build->messages, build->spec->tables[left - 1].name.mark, "at the start table '%s' is left, and its `outside:` is error",
                  build->spec->tables[left - 1].name.text);
    for (int b = 0; b < bodies; b++) {
        bool finite = true;
        for (int i = 0; i < 12; i++)
            finite &= isfinite(out[12 * b + i]) != 0;
        if (!finite)
            dal_error(build->messages, build->spec->bodies[b].name.mark,
                      "at the start values of the coordinates the place of '%s' is not a finite number", build->spec->bodies[b].name.text);
        memcpy(build->start[b].r, out + 12 * b, sizeof build->start[b].r);
        memcpy(build->start[b].R, out + 12 * b + 3, sizeof build->start[b].R);
    }
    find_angles(build, build->start_q);
}

/* ---- in progress --------------------------------------------------------------- */

typedef struct starting {
    dal_build *build;
    dal_layout *layout;
    dal_work work;
    int n, r;
    dal_newton newton;
    double *x, *e, *S, *scale, *q0;
    double *rhs;     /* right sides of the rows: -phi, or what is missing of velocities */
    bool velocities; /* the rows are those of velocities: nonholonomic ones count */
    double length;
    double *unit; /* of each row */
    bool *known;  /* the same: it is found */
    bool scaled;  /* scale is known */
} starting;

static bool is_given(const starting *s, int i, bool velocities)
{
    const dal_coordinate_spec *spec = &s->build->spec->coordinates[i];
    return velocities ? spec->rate.text : spec->start.text;
}

static bool is_fixed(const starting *s, int i, bool velocities)
{
    const dal_coordinate_spec *spec = &s->build->spec->coordinates[i];
    return velocities ? spec->rate.text && spec->rate.fix : spec->start.text && spec->start.fix;
}

static const dal_row *row_at(const starting *s, int i)
{
    return &s->layout->mechanism->rows[s->layout->row[i].source];
}

static const dal_newton_rows rows_of_coordinates;

static void begin_coordinate_start(starting *s, dal_build *build, const dal_compiled *drives)
{
    dal_arena *arena = build->arena;
    s->build = build;
    build->parts.n_times = build->n_times;
    s->layout = dal_layout_build(arena, &build->mechanism, &dal_family_user, &build->parts);
    dal_work_layout(s->layout, DAL_NEW(arena, dal_real, dal_work_size(s->layout)), DAL_NEW(arena, int, 3 * build->mechanism.n_bodies), &s->work);
    s->n = s->layout->nv;
    s->r = s->layout->n_rows;
    s->length = build->length;
    const size_t n = (size_t)s->n, r = (size_t)s->r;
    s->rhs = DAL_NEW(arena, double, r);
    s->x = DAL_NEW(arena, double, n);
    s->e = DAL_NEW(arena, double, n);
    s->S = DAL_NEW(arena, double, n);
    s->unit = DAL_NEW(arena, double, r);
    s->known = DAL_NEW(arena, bool, r);
    s->scale = DAL_NEW(arena, double, n);
    s->q0 = DAL_NEW(arena, double, n);
    s->newton = (dal_newton){.user = s,
                             .rows = &rows_of_coordinates,
                             .solve = dal_newton_dense,
                             .n = s->n,
                             .x = s->x,
                             .e = s->e,
                             .S = s->S,
                             .A = DAL_NEW(arena, double, r *n),
                             .b = DAL_NEW(arena, double, r),
                             .work = DAL_NEW(arena, double, dal_rank_work(s->r, s->n))};
    memcpy(s->work.q, build->start_q, sizeof *s->work.q * n);
    if (s->layout->curved)
        memcpy(s->work.v, build->start_v, sizeof *s->work.v * n); /* A depends on them */
    dal_start_drives(arena, drives, s->work.time);
}

/* The displacement of a unit of each coordinate, in metres: the largest over the bodies of |lin| and length |ang|. */
static void find_scale(starting *s)
{
    for (int i = 0; i < s->n; i++)
        s->scale[i] = 0;
    for (int b = 0; b < s->layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &s->layout->body[b];
        const double *J = s->work.jacobian + 6 * (size_t)at->jacobian;
        for (int k = 0; k < at->n_columns; k++, J += 6) {
            double *scale = &s->scale[s->layout->body_column[at->column + k]];
            *scale = fmax(*scale, fmax(sqrt(dal_dot(J, J)), s->length * sqrt(dal_dot(J + 3, J + 3))));
        }
    }
    for (int i = 0; i < s->n; i++)
        if (!(s->scale[i] > 0) || !isfinite(s->scale[i]))
            s->scale[i] = s->build->own_size && s->build->own_size[i] > 0 ? s->length / s->build->own_size[i] : 1;
    s->scaled = true;
}

/* The unit of the residual of row i: of an equation of the model's own, its change under a displacement of the bodies by a length, where it is first
 * nonzero. */
static void find_unit(starting *s, int i)
{
    const dal_row_layout *at = &s->layout->row[i];
    double unit = 0;
    if (s->known[i])
        return;
    for (int k = at->value; k < at->value + at->n_values; k++)
        unit = fmax(unit, fabs(s->work.A[k]) * s->length / s->scale[s->layout->column[k]]);
    const double own = dal_row_unit(row_at(s, i), s->length);
    s->known[i] = !isnan(own) || (unit > 0 && isfinite(unit));
    s->unit[i] = !isnan(own) ? own : s->known[i] ? unit : 1;
}

/* phi and A; the largest gap, in the units of the rows. */
static double evaluate_rows(void *start)
{
    starting *s = start;
    double worst = 0;
    dal_family_user.position(s->layout, &s->work);
    dal_rows_position(s->layout, &s->work);
    dal_rows_jacobian(s->layout, &s->work);
    if (!s->scaled)
        find_scale(s);
    for (int i = 0; i < s->r; i++) {
        find_unit(s, i);
        if (!(fabs(s->work.phi[i]) / s->unit[i] <= worst))
            worst = fabs(s->work.phi[i]) / s->unit[i];
    }
    return worst;
}

/* Constants of rows that are set from the start. */
static void set_start_constants(starting *s)
{
    dal_mechanism *m = &s->build->mechanism;
    evaluate_rows(s);
    for (int i = 0; i < m->n_rows; i++) {
        dal_row *row = &m->rows[i];
        if (!isnan(row->constant))
            continue;
        row->constant = 0;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            row->constant += m->terms[k].coef * s->work.value[m->terms[k].measure];
        row->constant -= row->time < 0 ? 0 : s->work.time[3 * row->time];
    }
}

/* S, where only omitted values are free, or all but the fixed ones. */
static void weigh(starting *s, bool velocities, bool omitted_only)
{
    for (int i = 0; i < s->n; i++) {
        bool given = is_given(s, i, velocities), kept = omitted_only ? given : is_fixed(s, i, velocities);
        s->S[i] = kept ? 0 : 1 / (s->scale[i] * (given ? 1 : omitted_weight));
    }
}

/* Row i and its right side, over its unit. */
static bool dense_row(void *start, int i, double *row, double *b)
{
    const starting *s = start;
    const dal_row_layout *at = &s->layout->row[i];
    if (!s->velocities && row_at(s, i)->nonholonomic)
        return false;
    memset(row, 0, sizeof *row * (size_t)s->n);
    *b = (s->velocities ? s->rhs[i] : -s->work.phi[i]) / s->unit[i];
    for (int k = at->value; k < at->value + at->n_values; k++)
        row[s->layout->column[k]] = s->work.A[k] / s->unit[i];
    return true;
}

static double size_of_change(const void *start, int k, double x)
{
    const starting *s = start;
    return fabs(x) * s->scale[k] / s->length;
}

static void move_coordinates(void *start, double *x)
{
    starting *s = start;
    for (int j = 0; j < s->n; j++)
        s->work.q[j] += x[j];
}

static const dal_newton_rows rows_of_coordinates = {evaluate_rows, dense_row, size_of_change, move_coordinates};

static double close_gaps(starting *s, int most)
{
    return dal_newton_close(&s->newton, s->r, most);
}

/* Along the constraints towards what was given, while the steps shrink; back to where it began if the gaps open. */
static void come_nearer(starting *s)
{
    double *from = DAL_NEW(s->build->arena, double, s->n), before = HUGE_VAL;
    memcpy(from, s->work.q, sizeof *from * (size_t)s->n);
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < s->n; j++)
            s->e[j] = is_given(s, j, false) ? s->q0[j] - s->work.q[j] : 0;
        double step = dal_newton_step(&s->newton, s->r);
        dal_newton_move(&s->newton, step, 1);
        evaluate_rows(s);
        if (step < 1e-14 || step > 0.9 * before)
            break;
        before = step;
    }
    if (!(close_gaps(s, 5) <= gap_allowed)) {
        memcpy(s->work.q, from, sizeof *from * (size_t)s->n);
        evaluate_rows(s);
    }
}

/* "the start of 'x', 'th'": the fixed values, or "". */
static const char *fixed_names(const starting *s, bool velocities)
{
    const char *text = "";
    int n = 0;
    for (int i = 0; i < s->n && n < 5; i++)
        if (is_fixed(s, i, velocities))
            text = dal_arena_print(s->build->arena, "%s%s'%s'", text,
                                   n++          ? ", "
                                   : velocities ? "the rate of "
                                                : "the start of ",
                                   s->build->spec->coordinates[i].name.text);
    return text;
}

static bool refuse_start(const starting *s, const double *miss, bool velocities)
{
    int worst = 0;
    for (int i = 1; i < s->r; i++)
        if (!(fabs(miss[i]) / s->unit[i] <= fabs(miss[worst]) / s->unit[worst]))
            worst = i;
    const dal_row *row = row_at(s, worst);
    const dal_joint *joint = &s->layout->mechanism->joints[row->joint];
    const char *fixed = fixed_names(s, velocities), *what = row->form >= 0 ? "constraint" : "joint";
    const char *reason = *fixed       ? "fixed, and perhaps against it: "
                         : velocities ? "drives, joints and constraints ask for different motions"
                                      : "the start values are too far off, or the constraints contradict each other";
    dal_say_for(s->build->messages, DAL_ERROR, velocities ? DAL_REASON_OTHER : DAL_REASON_OPEN, joint->mark,
                velocities ? "the start velocities contradict the constraints: %s '%s' is missed by %.4g; %s%s"
                           : "the mechanism cannot be assembled: %s '%s' stays open by %.4g; %s%s",
                what, joint->name, fabs(miss[worst]), reason, fixed);
    return false;
}

/* Does a change of coordinate i turn a body far, or, if it turns none, shift one far? */
static bool is_far(const starting *s, int i, double change)
{
    double turn = 0;
    for (int b = 0; b < s->layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &s->layout->body[b];
        const double *J = s->work.jacobian + 6 * (size_t)at->jacobian;
        for (int k = 0; k < at->n_columns; k++, J += 6)
            if (s->layout->body_column[at->column + k] == i)
                turn = fmax(turn, sqrt(dal_dot(J + 3, J + 3)));
    }
    return turn > 0 ? fabs(change) * turn > dal_far_turn : fabs(change) * s->scale[i] > dal_far_shift * s->length;
}

static const double thrown_away = 1e-6;   /* of a given rate: no more of it is left */
static const double worth_warning = 1e-5; /* of the fastest motion: more than the six digits that people write */

/* Reports changes of given values; false if a given rate was dropped. */
static bool report(const starting *s, const double *now, const double *then, bool velocities)
{
    dal_messages *messages = s->build->messages;
    double largest = velocities ? 0 : s->length;
    bool kept = true;
    for (int i = 0; i < s->n && velocities; i++)
        largest = fmax(largest, fmax(fabs(now[i]), fabs(then[i])) * s->scale[i]);
    for (int i = 0; i < s->n; i++) {
        const dal_text *name = &s->build->spec->coordinates[i].name;
        const double change = now[i] - then[i], size = fabs(change) * s->scale[i];
        if (!is_given(s, i, velocities))
            continue;
        s->build->start_change[velocities * s->n + i] = change;
        if (!velocities && is_far(s, i, change))
            continue; /* a warning follows */
        if (velocities && size > worth_warning * largest && fabs(now[i]) <= thrown_away * fabs(then[i])) {
            dal_error(messages, name->mark, "the start rate of coordinate '%s' cannot be kept: %.6g is given, and the constraints leave %.3g",
                      name->text, then[i], now[i]);
            kept = false;
        } else if (velocities && size > worth_warning * largest) {
            dal_warn(messages, name->mark, DAL_CODE_START_RATE_CHANGED, change,
                     "assembly changed the start rate of coordinate '%s' from %.6g to %.6g: the constraints do not allow it", name->text, then[i],
                     now[i]);
        } else if (size > dal_worth_a_note * largest) {
            dal_say_for(messages, DAL_NOTE, DAL_REASON_ASSEMBLY, name->mark, "assembly moved the %s of coordinate '%s' by %.3g",
                        velocities ? "rate" : "start", name->text, change);
        }
    }
    return kept;
}

/* Square of the distance from the given values, in metres. */
static double distance_moved(const starting *s, const double *q)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        if (is_given(s, i, false))
            sum += (q[i] - s->q0[i]) * (q[i] - s->q0[i]) * s->scale[i] * s->scale[i];
    return sum;
}

static bool differs(const starting *s, const double *q)
{
    bool any = false;
    for (int i = 0; i < s->n; i++)
        any |= fabs(s->work.q[i] - q[i]) * s->scale[i] > 1e-2 * s->length;
    return any;
}

/* Does a motion of the mechanism lead from the present position to q? In small steps on the constraints, of which none jumps (cf. branches.c). */
static bool leads_to(starting *s, const double *q)
{
    enum { STRIDES = 400 };
    const double stride = 0.05;
    double *begin = DAL_NEW(s->build->arena, double, 2 * (size_t)s->n), *before = begin + s->n;
    bool there = false, moves = true;
    memcpy(begin, s->work.q, sizeof *q * (size_t)s->n);
    for (int k = 0; k < STRIDES && moves && !there; k++) {
        memcpy(before, s->work.q, sizeof *q * (size_t)s->n);
        for (int i = 0; i < s->n; i++)
            s->e[i] = is_fixed(s, i, false) ? 0 : q[i] - s->work.q[i];
        const double step = dal_newton_step(&s->newton, s->r);
        moves = step > stride / 50;
        if (!moves)
            break;
        dal_newton_move(&s->newton, step, fmin(1, stride / step));
        moves = close_gaps(s, 20) <= gap_allowed;
        for (int i = 0; i < s->n; i++)
            moves &= fabs(s->work.q[i] - before[i]) * s->scale[i] < 4 * stride * s->length;
        there = moves && !differs(s, q);
    }
    memcpy(s->work.q, begin, sizeof *q * (size_t)s->n);
    evaluate_rows(s);
    return there;
}

/* From q with coordinate i moved by so many lengths: does the mechanism close elsewhere, on another branch? */
static bool try_shift(starting *s, const double *q, int i, double lengths)
{
    memcpy(s->work.q, q, sizeof *q * (size_t)s->n);
    s->work.q[i] += lengths * s->length / s->scale[i];
    if (is_fixed(s, i, false) || !(close_gaps(s, 100) <= gap_allowed))
        return false;
    come_nearer(s);
    return differs(s, q) && !leads_to(s, q);
}

/* Another position in which the mechanism closes, the nearest of those that are found from the present one with each coordinate moved by
 * itself (cf. branches.c); false: none. */
static bool find_other(starting *s, double *other)
{
    enum { MOST = 16, STEPS = 3 };
    double *q = DAL_NEW(s->build->arena, double, s->n), best = INFINITY;
    memcpy(q, s->work.q, sizeof *q * (size_t)s->n);
    weigh(s, false, false);
    for (int k = 0; k < STEPS * 2 * (s->n < MOST ? s->n : MOST); k++) {
        if (!try_shift(s, q, k / (2 * STEPS), (k % 2 ? -1 : 1) * (k / 2 % STEPS + 1)) || !(distance_moved(s, s->work.q) < best))
            continue;
        best = distance_moved(s, s->work.q);
        memcpy(other, s->work.q, sizeof *other * (size_t)s->n);
    }
    memcpy(s->work.q, q, sizeof *q * (size_t)s->n);
    evaluate_rows(s);
    return best < INFINITY;
}

/* Warnings of given values that moved far, with the other branches. */
static void warn_of_moves(starting *s)
{
    double *other = DAL_NEW(s->build->arena, double, s->n);
    int far = 0;
    for (int i = 0; i < s->n; i++)
        far += is_given(s, i, false) && is_far(s, i, s->work.q[i] - s->q0[i]);
    const bool found = far && find_other(s, other);
    const bool nearer = found && distance_moved(s, other) < distance_moved(s, s->work.q);
    for (int i = 0; i < s->n && far; i++) {
        const dal_coordinate_spec *spec = &s->build->spec->coordinates[i];
        if (!is_given(s, i, false) || !is_far(s, i, s->work.q[i] - s->q0[i]))
            continue;
        const char *there =
            !found ? "no other branch was found in which the mechanism closes"
                   : dal_arena_print(s->build->arena, "the mechanism also closes with it at %.4g, which is %s the given values as a whole", other[i],
                                     nearer ? "nearer to" : "further from");
        dal_warn(s->build->messages, spec->name.mark, DAL_CODE_START_MOVED, fabs(s->work.q[i] - s->q0[i]) * s->scale[i] / s->length,
                 "assembly moved coordinate '%s' from its start value of %.4g to %.4g; %s", spec->name.text, s->q0[i], s->work.q[i], there);
    }
}

static bool assemble_positions(starting *s)
{
    memcpy(s->q0, s->work.q, sizeof *s->q0 * (size_t)s->n);
    double worst = evaluate_rows(s);
    if (worst <= dal_closed)
        return true;
    weigh(s, false, true);
    worst = close_gaps(s, 100);
    if (!(worst <= gap_allowed)) {
        memcpy(s->work.q, s->q0, sizeof *s->q0 * (size_t)s->n);
        weigh(s, false, false);
        worst = close_gaps(s, 100);
        if (worst <= gap_allowed)
            come_nearer(s);
    }
    if (!(worst <= gap_allowed))
        return refuse_start(s, s->work.phi, false);
    if (!report(s, s->work.q, s->q0, false))
        return false;
    warn_of_moves(s);
    return true;
}

/* -(A v - beta) at v; the largest of it, in the units of the rows. */
static double missing(starting *s)
{
    double worst = 0;
    dal_family_user.velocity(s->layout, &s->work);
    dal_rows_velocity(s->layout, &s->work);
    for (int i = 0; i < s->r; i++) {
        s->rhs[i] = -s->work.phid[i];
        if (!(fabs(s->rhs[i]) / s->unit[i] <= worst))
            worst = fabs(s->rhs[i]) / s->unit[i];
    }
    return worst;
}

static double fastest(const starting *s)
{
    double most = 0;
    for (int i = 0; i < s->n; i++)
        most = fmax(most, fabs(s->work.v[i]) * s->scale[i] / s->length);
    return most;
}

static double total_mass(const starting *s)
{
    double sum = 0;
    for (int b = 0; b < s->build->mechanism.n_bodies; b++)
        sum += s->build->mechanism.bodies[b].mass;
    return sum > 0 ? sum : s->build->own_mass > 0 ? s->build->own_mass : 1;
}

enum { TANGENTS = 60 }; /* of rows that are not linear in the rates, for each of the two passes */

/* A row whose derivatives by the rates all vanish; -1: none. */
static int singular_row(const starting *s)
{
    for (int i = 0; i < s->r; i++) {
        const dal_row *row = row_at(s, i);
        bool vanishes = row->curved;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            vanishes = vanishes && !(fabs(s->work.coef[k]) > 0);
        if (vanishes)
            return i;
    }
    return -1;
}

static bool refuse_singular(const starting *s, int i)
{
    const dal_joint *joint = &s->build->mechanism.joints[row_at(s, i)->joint];
    dal_error(s->build->messages, joint->mark,
              "constraint '%s' is singular at the start: its derivatives by all rates vanish there, so that it says nothing about how they "
              "change; give start velocities that meet it where they do not, if there are any",
              joint->name);
    return false;
}

/* Omitted values change first, then all; each pass is repeated for rounding, and at every tangent of a curved row. */
static double close_velocities(starting *s, const double *v0)
{
    const int each = s->layout->curved ? TANGENTS : 2;
    double worst = missing(s);
    for (int pass = 0; pass < 2 * each && worst > dal_closed * fastest(s); pass++) {
        weigh(s, true, pass < each);
        if (s->layout->curved)
            dal_rows_jacobian(s->layout, &s->work);
        dal_newton_step(&s->newton, s->r);
        for (int j = 0; j < s->n; j++)
            s->work.v[j] += s->x[j];
        worst = missing(s);
        if (pass == each - 1 && worst <= velocity_allowed * fastest(s))
            break;
        if (pass == each - 1) {
            memcpy(s->work.v, v0, sizeof *v0 * (size_t)s->n);
            worst = missing(s);
        }
    }
    return worst;
}

static bool assemble_velocities(starting *s)
{
    const double *v0 = s->build->start_v;
    memset(s->e, 0, sizeof *s->e * (size_t)s->n);
    s->velocities = true;
    memcpy(s->work.v, v0, sizeof *v0 * (size_t)s->n);
    if (s->layout->curved && singular_row(s) >= 0)
        return refuse_singular(s, singular_row(s));
    double worst = close_velocities(s, v0);
    if (!(worst <= velocity_allowed * fastest(s) + 1e-13 * s->build->pace))
        return refuse_start(s, s->rhs, true);
    return report(s, s->work.v, v0, true);
}

/* Rates that were omitted and that no constraint determines: least kinetic energy, as everywhere in the language. With p = dT/dv, over
 * the omitted ones: M d + A^T mu = -p, A d = 0. */
static void settle(starting *s)
{
    dal_arena *arena = s->build->arena;
    const dal_layout *layout = s->layout;
    const size_t n = (size_t)s->n, r = (size_t)s->r;
    int *omitted = DAL_NEW(arena, int, n);
    size_t o = 0;
    for (int i = 0; i < s->n; i++)
        if (!is_given(s, i, true))
            omitted[o++] = i;
    if (!o)
        return;
    double *p = DAL_NEW(arena, double, n), *whole = DAL_NEW(arena, double, n), *K = DAL_NEW(arena, double, (o + r) * (o + r)),
           *b = DAL_NEW(arena, double, o + r);
    double *x = DAL_NEW(arena, double, o + r), *work = DAL_NEW(arena, double, dal_rank_work((int)(o + r), (int)(o + r)));
    const double unit = 1 / total_mass(s);
    dal_family_user.velocity(layout, &s->work);
    dal_rows_velocity(layout, &s->work);
    dal_inertia(layout, &s->work);
    dal_subsystems_free(layout, &s->work, p); /* which is no motion: M v counts */
    for (size_t i = 0; i < n; i++)
        p[i] = -p[i];
    dal_momentum(layout, &s->work, whole);
    for (size_t i = 0; i < n; i++)
        p[i] += whole[i];
    for (size_t i = 0; i < o; i++) {
        for (size_t j = 0; j < o; j++)
            K[i * (o + r) + j] = unit * s->work.M[(size_t)omitted[i] * n + (size_t)omitted[j]] / (s->scale[omitted[i]] * s->scale[omitted[j]]);
        b[i] = -unit * p[omitted[i]] / s->scale[omitted[i]];
    }
    for (size_t k = 0; k < r; k++) {
        const dal_row_layout *at = &layout->row[k];
        for (int e = at->value; e < at->value + at->n_values; e++)
            for (size_t i = 0; i < o; i++)
                if (layout->column[e] == omitted[i])
                    K[(o + k) * (o + r) + i] = K[i * (o + r) + o + k] = s->work.A[e] / s->scale[omitted[i]];
    }
    dal_rank_solve(K, (int)(o + r), (int)(o + r), (int)(o + r), DAL_RANK_TOLERANCE, b, x, work);
    for (size_t i = 0; i < o; i++)
        s->work.v[omitted[i]] += x[i] / s->scale[omitted[i]];
}

bool dal_start_coordinates(dal_build *build, const dal_compiled *drives, double *winding)
{
    starting s = {0};
    begin_coordinate_start(&s, build, drives);
    dal_turns_begin(build, &s.work);
    set_start_constants(&s);
    dal_turns_follow(build, &s.work);
    bool closed = assemble_positions(&s);
    if (!closed && !build->anyway)
        return false;
    if (closed && !assemble_velocities(&s) && !build->anyway)
        return false;
    settle(&s);
    for (int i = 0; closed && s.layout->curved && i < TANGENTS; i++) { /* along the tangents only: back to the rows */
        double *v = DAL_NEW(build->arena, double, s.n), change = 0;
        memcpy(v, s.work.v, sizeof *v * (size_t)s.n);
        close_velocities(&s, v);
        dal_rows_jacobian(s.layout, &s.work);
        settle(&s);
        for (int j = 0; j < s.n; j++)
            change = fmax(change, fabs(s.work.v[j] - v[j]) * s.scale[j] / s.length);
        if (change <= dal_closed * fastest(&s))
            break;
    }
    if (closed && s.layout->curved)
        close_velocities(&s, build->start_v);
    missing(&s);
    memcpy(build->start_q, s.work.q, sizeof *build->start_q * (size_t)s.n);
    memcpy(build->start_v, s.work.v, sizeof *build->start_v * (size_t)s.n);
    build->column_scale = s.scale;
    find_scale(&s);
    dal_turns_end(build, &s.work, winding);
    find_angles(build, build->start_q);
    for (int b = 0; b < build->mechanism.n_bodies; b++) {
        dal_body_start *start = &build->start[b];
        const dal_kin *kin = &s.work.kin[b];
        memcpy(start->r, kin->r, sizeof start->r);
        memcpy(start->R, kin->R, sizeof start->R);
        memcpy(start->rd, kin->rd, sizeof start->rd);
        memcpy(start->w, kin->w, sizeof start->w);
    }
    return true;
}
