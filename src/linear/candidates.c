/* Which coordinates describe the small motions. Candidates are channels, in an order that does not depend on the family of coordinates: the
 * requested ones, coordinates of the model's own, of its joints, of its bodies. A candidate is chosen if it moves independently of those before it.
 * Independence is measured by the kinetic energy: with T^T M T = 1, the gradients of the channels along T are compared by angle, and the angle is
 * the same in every family.
 *
 * The attitude of a body in space is described by the components of its axes; the axis that turns the least comes first, so that a rotor's own axis
 * is chosen. The turn about that axis is then an angle, psi = atan2(e.j, e.i) of the next axis e, because the components of a turning axis oscillate
 * even in a steady motion:
 *     n psi' = e.i e.j' - e.j e.i',   n psi'' = e.i e.j'' - e.j e.i'' - 2 (e.i e.i' + e.j e.j') psi',   n = e.i^2 + e.j^2 */
#include "linear/linear.h"

#include "base/message.h"
#include "compile/build.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double apart = 0.1;  /* sine of the angle to the chosen ones */
static const double least = 1e-6; /* the same, if no other candidate is left */
static const double asked = 1e-9; /* the same, of a requested state */
static const double turns = 1e-9; /* rad, in the model's time */
static const double still = 1e-6; /* of the largest gradient of its unit: a channel that does not move here */

static void add_if_new(dal_linear *x, dal_candidate candidate)
{
    for (int i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].name, candidate.name)) {
            for (int order = 0; order < 3 && x->candidates[i].asked && candidate.text[0]; order++)
                x->candidates[i].text[order] = candidate.text[order]; /* a name that linearisations print themselves */
            return;
        }
    for (int order = 0; order < 3 && !candidate.text[order]; order++)
        candidate.text[order] = dal_arena_print(&x->arena, "%s%.*s", candidate.name, order, "''");
    x->candidates[x->n_candidates++] = candidate;
}

/* Component k of a point or an axis in a frame that turns at W about an axis: with i, j the components across it and p a point of the axis,
 *     s_i' = i' + W (j - p_j),   s_i'' = i'' + 2 W j' - W^2 (i - p_i),   s_j' = j' - W (i - p_i),   s_j'' = j'' - 2 W i' - W^2 (j - p_j) */
static void turn_with_frame(dal_linear *x, dal_candidate *c, const dal_frame *frame, const char *of, int k, bool point)
{
    if (!frame || !frame->turns || k == frame->axis)
        return;
    const bool first = k == (frame->axis + 1) % 3;
    const int other = first ? (frame->axis + 2) % 3 : (frame->axis + 1) % 3;
    const double W = first ? frame->rate : -frame->rate, own = point ? frame->center[k] : 0, across = point ? frame->center[other] : 0;
    const char *a = dal_arena_print(&x->arena, "%s.%c", of, 'x' + k), *b = dal_arena_print(&x->arena, "%s.%c", of, 'x' + other);
    c->text[0] = c->name;
    c->text[1] = dal_arena_print(&x->arena, "%s' + (%.17g)*(%s - (%.17g))", a, W, b, across);
    c->text[2] = dal_arena_print(&x->arena, "%s'' + 2*(%.17g)*%s' - (%.17g)^2*(%s - (%.17g))", a, W, b, W, a, own);
}

static const dal_frame *frame_of(const dal_linear *x, int b)
{
    return x->steady.frames ? &x->steady.frames[b] : NULL;
}

/* A coordinate of the point of a body. */
static void add_place(dal_linear *x, int b, const char *of, int k)
{
    dal_candidate c = {.name = dal_arena_print(&x->arena, "%s.%c", of, 'x' + k), .body = -1, .about = -1};
    turn_with_frame(x, &c, frame_of(x, b), of, k, true);
    add_if_new(x, c);
}

static void add_named(dal_linear *x, const char *of, const char *channel)
{
    add_if_new(x, (dal_candidate){.name = dal_arena_print(&x->arena, "%s.%s", of, channel), .body = -1, .about = -1});
}

/* In a turning frame, a turn about an axis that is inclined to the axis of the frame changes the angle between the two axes: components along the
 * axis of the frame describe it. */
static void add_turn(dal_linear *x, int b, const char *name, int axis, int about)
{
    const dal_frame *frame = frame_of(x, b);
    const bool inclined = frame && frame->turns && x->inclined[3 * b + axis];
    dal_candidate c = {.body = b, .axis = axis, .about = about};
    const char *e = dal_arena_print(&x->arena, "%s.e%c", name, 'x' + (axis + 1) % 3);
    const char *i = dal_arena_print(&x->arena, "%s.%c", e, 'x' + (about + 1) % 3), *j = dal_arena_print(&x->arena, "%s.%c", e, 'x' + (about + 2) % 3);
    if (inclined) {
        c.inclined = true;
        i = dal_arena_print(&x->arena, "%s.e%c.%c", name, 'x' + (axis + 2) % 3, 'x' + frame->axis);
        j = dal_arena_print(&x->arena, "%s.%c", e, 'x' + frame->axis);
    }
    c.name = c.text[0] = dal_arena_print(&x->arena, "atan2(%s, %s)", j, i);
    c.text[1] = dal_arena_print(&x->arena, "(%s*%s' - %s*%s')/(%s^2 + %s^2)", i, j, j, i, i, j);
    c.text[2] = dal_arena_print(&x->arena, "(%s*%s'' - %s*%s'' - 2*(%s*%s' + %s*%s')*%s)/(%s^2 + %s^2)", i, j, j, i, i, i, j, j, c.text[1], i, j);
    add_if_new(x, c);
}

static void add_attitude(dal_linear *x, int b, const char *name)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 3; k++) {
            const char *of = dal_arena_print(&x->arena, "%s.e%c", name, 'x' + axis);
            dal_candidate c = {.name = dal_arena_print(&x->arena, "%s.%c", of, 'x' + k), .body = b, .axis = axis, .about = -1};
            turn_with_frame(x, &c, frame_of(x, b), of, k, false);
            add_if_new(x, c);
        }
        for (int k = 0; k < 3; k++)
            add_turn(x, b, name, axis, k);
    }
}

void dal_list_candidates(dal_linear *x)
{
    const dal_mechanism *m = dal_system_mechanism(x->bare);
    const int most = x->options->n_states + x->spec->n_coordinates + DAL_MAX_COORDINATES * m->n_joints + 21 * m->n_bodies;
    x->n_candidates = 0;
    x->candidates = DAL_NEW(&x->arena, dal_candidate, most + 1);
    for (int i = 0; i < x->options->n_states; i++)
        add_if_new(x, (dal_candidate){.name = x->options->states[i], .body = -1, .about = -1, .asked = true});
    for (int i = 0; i < x->spec->n_coordinates; i++)
        add_if_new(x, (dal_candidate){.name = x->spec->coordinates[i].name.text, .body = -1, .about = -1});
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < m->joints[j].n_coordinates; k++) {
            const char *channel = dal_joint_coordinate_name(&m->joints[j], m->space, k);
            if (channel)
                add_named(x, m->joints[j].name, channel);
        }
    for (int b = 0; b < m->n_bodies; b++) {
        for (int k = 0; k < (m->space == DAL_SPATIAL ? 3 : 2); k++)
            add_place(x, b, m->bodies[b].name, k);
        if (!m->bodies[b].particle && m->space == DAL_PLANAR)
            add_named(x, m->bodies[b].name, "angle");
        else if (!m->bodies[b].particle)
            add_attitude(x, b, m->bodies[b].name);
    }
}

/* `option`: that the channel was given by, the place of an error; NULL: none. */
static void record_channel(dal_spec *spec, const char *text, const char *option)
{
    for (int i = 0; i < spec->n_record; i++)
        if (!strcmp(spec->record[i].value.text, text))
            return;
    spec->record[spec->n_record++].value = (dal_text){.text = text, .mark = option ? (dal_mark){option, 0, 0} : dal_nowhere};
}

static void take_lagrange(dal_spec *spec)
{
    spec->simulate.formulation = (dal_choice){.name = {.text = "lagrange", .mark = dal_nowhere}};
}

/* The model in coordinates and a formulation that have matrices, without recorded columns yet. */
static dal_spec begin_records(dal_linear *x, int most)
{
    dal_spec spec = x->here && !x->held ? dal_spec_without_friction(&x->arena, x->spec) : *x->spec; /* most equilibria need no friction */
    if (x->options->at && strcmp(x->options->at, "start"))
        spec.simulate.start = (dal_text){0};
    if (x->options->at && !strcmp(x->options->at, "equilibrium") && !x->seed && (!x->absolute || x->held))
        spec.simulate.start.text = "equilibrium"; /* every family finds the same equilibrium from the same start; it is made exact there */
    if (dal_system_layout(x->bare)->columnless || x->absolute) /* `recursive` keeps no matrices; the equations are the same */
        take_lagrange(&spec);
    if (x->absolute)
        spec.simulate.coordinates = (dal_choice){.name = {.text = "angle", .mark = dal_nowhere}};
    spec.record_given = true;
    spec.motion = spec.shown = false;
    spec.n_record = 0;
    spec.record = DAL_NEW(&x->arena, dal_record_spec, most + 1);
    return spec;
}

/* A formulation with speeds of its own keeps the velocities on the rows: then no row says what a drive asks for. */
dal_spec dal_record_steady(dal_linear *x)
{
    dal_spec spec = begin_records(x, x->options->n_steady);
    if (dal_system_method(x->bare)->formulation->speeds)
        take_lagrange(&spec);
    for (int i = 0; i < x->options->n_steady; i++)
        record_channel(&spec, x->options->steady[i].coordinate, "--steady");
    return spec;
}

dal_spec dal_record_candidates(dal_linear *x)
{
    dal_spec spec = begin_records(x, 4 * x->n_candidates + x->options->n_outputs);
    for (int i = 0; i < x->n_candidates; i++)
        for (int order = 0; order < 3; order++)
            record_channel(&spec, x->candidates[i].text[order], x->candidates[i].asked ? "--states" : NULL);
    for (int i = 0; i < x->n_candidates && x->steady.frames; i++) /* in the world, too */
        if (x->candidates[i].about < 0)
            record_channel(&spec, dal_arena_print(&x->arena, "%s'", x->candidates[i].name), NULL);
    for (int i = 0; i < x->options->n_outputs; i++)
        record_channel(&spec, x->options->outputs[i], "--outputs");
    return spec;
}

/* ---- choosing ------------------------------------------------------------------------------------- */

/* The gradients of the chosen candidates, as an orthonormal basis. */
typedef struct basis {
    int n, size;
    double *vector;
} basis;

/* Adds g to the basis if the sine of its angle to the basis is at least this. */
static bool add_candidate(basis *to, const double *g, double sine)
{
    double *rest = to->vector + (size_t)to->n * (size_t)to->size;
    const double size = dal_norm(g, to->size);
    if (to->n == to->size || !(size > 0))
        return false;
    for (int k = 0; k < to->size; k++)
        rest[k] = g[k] / size;
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < to->n; i++) {
            const double *one = to->vector + (size_t)i * (size_t)to->size;
            double dot = 0;
            for (int k = 0; k < to->size; k++)
                dot += one[k] * rest[k];
            for (int k = 0; k < to->size; k++)
                rest[k] -= dot * one[k];
        }
    const double left = dal_norm(rest, to->size);
    if (!(left >= sine))
        return false;
    for (int k = 0; k < to->size; k++)
        rest[k] /= left;
    to->n++;
    return true;
}

static const double *gradient(const dal_linear *x, int column, int first)
{
    return x->columns + (size_t)column * (size_t)x->n_x + first;
}

/* Does it move at all, compared with the other channels of its unit? */
static bool moves(const dal_linear *x, const dal_column *columns, int i)
{
    const int n = x->point.positions.p;
    double most = 0;
    for (int j = 0; j < x->n_candidates; j++)
        if (!x->candidates[j].useless && !strcmp(columns[x->candidates[j].column].unit, columns[x->candidates[i].column].unit))
            most = fmax(most, dal_norm(gradient(x, x->candidates[j].column, 0), n));
    return dal_norm(gradient(x, x->candidates[i].column, 0), n) > still * most;
}

/* Angular velocity of a body relative to its frame. */
static void spin_in_frame(const dal_linear *x, const dal_candidate *c, double w[3])
{
    dal_copy3(dal_seen_work(x->state)->kin[c->body].w, w);
    if (frame_of(x, c->body))
        dal_axpy3(-1, frame_of(x, c->body)->w, w);
}

/* How fast an axis of a body turns. */
static double turning(const dal_linear *x, const dal_candidate *c)
{
    const dal_kin *kin = &dal_seen_work(x->state)->kin[c->body];
    const double axis[3] = {kin->R[c->axis], kin->R[3 + c->axis], kin->R[6 + c->axis]};
    double speed[3] = {0, 0, 0}, w[3];
    spin_in_frame(x, c, w);
    dal_add_cross(w, axis, speed);
    return sqrt(dal_dot(speed, speed));
}

static double spin(const dal_linear *x, const dal_candidate *c)
{
    double w[3];
    spin_in_frame(x, c, w);
    return sqrt(dal_dot(w, w));
}

/* A turn is an angle if its axis is nearest to that axis of the world; a body that does not turn needs no angle. */
static bool is_useless(const dal_linear *x, const dal_candidate *c)
{
    if (c->body < 0 || c->about < 0)
        return false;
    if (c->inclined)
        return !(spin(x, c) * x->point.layout->units.time > turns);
    const double *R = dal_seen_work(x->state)->kin[c->body].R;
    int nearest = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(R[3 * k + c->axis]) > fabs(R[3 * nearest + c->axis]) + 1e-9)
            nearest = k;
    return c->about != nearest || !(spin(x, c) * x->point.layout->units.time > turns);
}

/* The axes of a body that turn the least come first; equal ones in the order x, y, z. */
static void order_axes(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++)
        x->candidates[i].useless = is_useless(x, &x->candidates[i]);
    for (int i = 1; i < x->n_candidates; i++)
        for (int j = i; j > 0 && x->candidates[j].body >= 0 && x->candidates[j].body == x->candidates[j - 1].body; j--) {
            if (turning(x, &x->candidates[j]) >= turning(x, &x->candidates[j - 1]) - 1e-9 * spin(x, &x->candidates[j]))
                break;
            const dal_candidate swapped = x->candidates[j];
            x->candidates[j] = x->candidates[j - 1];
            x->candidates[j - 1] = swapped;
        }
}

static dal_status choose_positions(dal_linear *x)
{
    const dal_column *columns = dal_system_columns(x->system, NULL, NULL);
    basis taken = {.size = x->point.positions.p};
    taken.vector = DAL_NEW(&x->arena, double, (size_t)(taken.size + 1) * (size_t)taken.size + 1);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < x->n_candidates; i++) {
            dal_candidate *c = &x->candidates[i];
            bool had = c->useless || c->asked != (pass == 0);
            for (int k = 0; k < taken.n && pass == 2; k++)
                had = had || x->chosen[k] == i;
            if (had)
                continue;
            const bool fits = moves(x, columns, i) && add_candidate(&taken, gradient(x, c->column, 0), pass == 0 ? asked : pass == 1 ? apart : least);
            if (fits)
                x->chosen[taken.n - 1] = i;
            if (pass == 0 && !fits) {
                dal_error(x->messages, (dal_mark){"command line", 0, 0},
                          taken.n == taken.size ? "state '%s' is one too many: the constraints leave %d freedom%s"
                          : moves(x, columns, i)
                              ? "state '%s' depends on those before it; the constraints leave %d freedom%s"
                              : "state '%s' does not move here to first order, and cannot be a state; the constraints leave %d freedom%s",
                          c->name, taken.size, taken.size == 1 ? "" : "s");
                return DAL_BAD_COMMAND;
            }
        }
    if (taken.n == taken.size)
        return DAL_OK;
    dal_error(x->messages, dal_nowhere, "of the %d freedoms %d have no channel that describes them: the position is singular", taken.size,
              taken.size - taken.n);
    return DAL_BAD_MODEL;
}

/* Do the nonholonomic rows leave its rate free, to some part? */
static bool is_left_free(const dal_linear *x, const dal_candidate *c)
{
    const int n = x->point.positions.p;
    return dal_norm(gradient(x, c->rate, n), x->point.velocities.p) > still * dal_norm(gradient(x, c->column, 0), n);
}

/* Rates: as many as the velocities have freedoms. */
static dal_status choose_rates(dal_linear *x)
{
    const int n = x->point.positions.p;
    basis taken = {.size = x->point.velocities.p};
    taken.vector = DAL_NEW(&x->arena, double, (size_t)(taken.size + 1) * (size_t)taken.size + 1);
    for (int i = 0; i < n; i++)
        x->moving[i] = -1;
    bool *has = DAL_NEW(&x->arena, bool, n + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            if (!has[i] && is_left_free(x, &x->candidates[x->chosen[i]]) &&
                add_candidate(&taken, gradient(x, x->candidates[x->chosen[i]].rate, n),
                              n == taken.size ? 0
                              : pass          ? least
                                              : apart))
                has[i] = true;
    for (int i = 0, k = 0; i < n; i++)
        x->moving[i] = has[i] ? k++ : -1;
    if (taken.n == taken.size)
        return DAL_OK;
    dal_error(x->messages, dal_nowhere, "the rates of the states do not describe the velocities: choose others with --states");
    return DAL_BAD_MODEL;
}

dal_status dal_choose_states(dal_linear *x)
{
    x->chosen = DAL_NEW(&x->arena, int, x->point.positions.p + 1);
    x->moving = DAL_NEW(&x->arena, int, x->point.positions.p + 1);
    order_axes(x);
    const dal_status status = choose_positions(x);
    return status == DAL_OK ? choose_rates(x) : status;
}
