/* Bodies placed by the coordinates of a family, in symbols.
 *
 *   angle   r and an angle; in space R = R_a(t1) R_b(t2) R_c(t3)
 *   joint   along the tree: E := R_parent B_from, p := r_parent + R_parent s_from, one elementary motion after the other, then
 *           R = E B_to^T, r = p - R s_to. Intermediate nodes are shared and never expanded: a chain of n links has O(n) nodes
 *   user    as the model writes it
 * (euler and natural: attitude_parameters.c)
 * In the plane R = R_z(angle) C with a constant C, so that angles are added before the cosine.
 *
 * Velocities: r' by differentiation along q' = N v, w by propagation where the family turns step by step, otherwise from R' R^T.
 */
#include "derive/placed_bodies.h"

#include "kinematics/tree.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

/* ---- columns of N ------------------------------------------------------------- */

static void plain_rates(dal_derivation *d)
{
    for (int k = 0; k < d->nq; k++)
        d->qd[k] = dal_n_var(d, d->v + k);
}

/* p' = 1/2 p (0, w): w in the axes behind the step. */
static void ball_rates(dal_derivation *d, const dal_motion_step *step)
{
    dal_node p[4], w[3], half = dal_n_div(d, dal_n_const(d, 1), dal_n_const(d, 2)), turn[3];
    for (int i = 0; i < 4; i++)
        p[i] = dal_n_var(d, d->q + step->q + i);
    for (int i = 0; i < 3; i++)
        w[i] = dal_n_var(d, d->v + step->v + i);
    d->qd[step->q] = dal_n_neg(d, dal_n_mul(d, half, dal_n_dot(d, p + 1, w)));
    dal_n_cross(d, p + 1, w, turn);
    for (int i = 0; i < 3; i++)
        d->qd[step->q + 1 + i] = dal_n_mul(d, half, dal_n_add(d, dal_n_mul(d, p[0], w[i]), turn[i]));
}

static void tree_rates(dal_derivation *d)
{
    const dal_tree *tree = d->layout->tree;
    for (int i = 0; i < tree->n_steps; i++) {
        const dal_motion_step *step = &tree->step[i];
        if (dal_step_coordinates(step) == 1)
            d->qd[step->q] = dal_n_var(d, d->v + step->v);
        else if (dal_step_coordinates(step) == 4)
            ball_rates(d, step);
    }
}

static void list_columns(dal_derivation *d)
{
    int n = 0;
    size_t room_q = 0, room_N = 0;
    int m = 0;
    d->column_first = DAL_NEW(d->arena, int, d->nv + 1);
    for (int k = 0; k < d->nv; k++) {
        d->column_first[k] = n;
        const bool plain = d->nq == d->nv;
        for (int i = plain ? k : 0; i < (plain ? k + 1 : d->nq); i++) {
            const dal_node N = dal_by_rate(d, d->qd[i], k);
            if (dal_n_is(d, N, 0))
                continue;
            *DAL_PUSH(d->arena, d->column_q, n, room_q) = i;
            *DAL_PUSH(d->arena, d->column_N, m, room_N) = N;
        }
    }
    d->column_first[d->nv] = n;
}

/* ---- parts of a frame ---------------------------------------------------- */

void dal_zero_vector(dal_derivation *d, dal_node x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = dal_n_const(d, 0);
}

void dal_differentiate_vector(dal_derivation *d, const dal_node x[3], dal_node rate[3])
{
    for (int i = 0; i < 3; i++)
        rate[i] = dal_along_motion(d, x[i]);
}

/* w = (R' R^T) as a vector. */
static void spin_of(dal_derivation *d, dal_derived_body *body)
{
    dal_node Rd[9];
    for (int i = 0; i < 9; i++)
        Rd[i] = dal_along_motion(d, body->R[i]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        body->w[i] = dal_n_dot(d, Rd + 3 * k, body->R + 3 * j);
    }
}

/* Planar: R = R_z(angle) C. */
static void planar_attitude(dal_derivation *d, dal_derived_body *body, const double C[9])
{
    dal_node turn[9], rest[9];
    body->offset = fabs(C[3]) < 1e-15 && C[0] > 0 ? 0 : atan2(C[3], C[0]);
    dal_n_rotation(d, 2, body->angle, body->R);
    memcpy(turn, body->R, sizeof turn);
    for (int i = 0; i < 9; i++)
        rest[i] = dal_derive_number(d, fabs(C[i] - floor(C[i] + 0.5)) < 1e-15 ? floor(C[i] + 0.5) : C[i]);
    dal_n_multiply(d, turn, rest, false, body->R);
    dal_zero_vector(d, body->w);
    body->w[2] = dal_along_motion(d, body->angle);
}

static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Computes the quantities that follow from r, R, r' and w. */
void dal_complete_body(dal_derivation *d, dal_derived_body *body, bool differentiated)
{
    dal_node lever[3], turn[3];
    dal_n_turn(d, body->R, body->center, lever);
    dal_n_sum(d, body->r, lever, body->c);
    if (differentiated)
        dal_differentiate_vector(d, body->c, body->cd);
    else {
        dal_n_cross(d, body->w, lever, turn);
        dal_n_sum(d, body->rd, turn, body->cd);
    }
    if (dal_places_by_parameters(d))
        return;
    if (dal_n_planar(d))
        memcpy(body->w_body, body->w, sizeof body->w);
    else if (d->layout->placement) /* known already if the family turns step by step */
        dal_n_turn_back(d, body->R, body->w, body->w_body);
}

/* ---- angle --------------------------------------------------------------------------- */

static void place_by_angles(dal_derivation *d, int b)
{
    static const int zyx[3] = {2, 1, 0};
    const dal_body_layout *at = &d->layout->body[b];
    const int *chart = d->options.chart ? d->options.chart + 3 * b : d->layout->sequence_fixed ? d->layout->sequence : zyx;
    const int space = (int)d->mechanism->space;
    dal_derived_body *body = &d->bodies[b];
    dal_node turn[9];
    dal_zero_vector(d, body->r);
    dal_zero_vector(d, body->w);
    dal_zero_vector(d, body->w_body);
    body->angle = dal_n_const(d, 0);
    dal_n_identity(d, body->R);
    for (int i = 0; i < space; i++)
        body->r[i] = dal_n_var(d, d->q + at->q + i);
    if (at->n_rot && space == 2) {
        body->angle = dal_n_var(d, d->q + at->q + 2);
        planar_attitude(d, body, one);
    }
    for (int k = 0; k < 3 && at->n_rot && space == 3; k++) { /* w = sum of the axes of the turns, times their rates */
        const dal_node rate = dal_n_var(d, d->v + at->v + 3 + k);
        for (int i = 0; i < 3; i++)
            body->w[i] = dal_n_add(d, body->w[i], dal_n_mul(d, rate, body->R[3 * i + chart[k]]));
        dal_n_rotation(d, chart[k], dal_n_var(d, d->q + at->q + 3 + k), turn);
        dal_n_multiply(d, body->R, turn, false, body->R);
        dal_n_turn_back(d, turn, body->w_body, body->w_body); /* in the axes that turned */
        body->w_body[chart[k]] = dal_n_add(d, body->w_body[chart[k]], rate);
    }
    dal_differentiate_vector(d, body->r, body->rd);
    dal_complete_body(d, body, false);
}

/* ---- joint ----------------------------------------------------------------------------- */

typedef struct walker {
    dal_node p[3], E[9], pd[3], w[3]; /* a frame on its way, and how it moves */
    dal_node w_E[3];                  /* space: w in its own axes */
    dal_node angle;                   /* planar: E = R_z(angle) C */
    double C[9];
} walker;

static void shift(dal_derivation *d, walker *x, int axis, dal_node distance, dal_node rate)
{
    const dal_node e[3] = {x->E[axis], x->E[3 + axis], x->E[6 + axis]};
    dal_node step[3], turn[3];
    for (int i = 0; i < 3; i++)
        step[i] = dal_n_mul(d, distance, e[i]);
    dal_n_sum(d, x->p, step, x->p);
    dal_n_cross(d, x->w, step, turn); /* the shift turns with the frame that it is made in */
    for (int i = 0; i < 3; i++)
        x->pd[i] = dal_n_add(d, dal_n_add(d, x->pd[i], turn[i]), dal_n_mul(d, rate, e[i]));
}

static void planar_frame(dal_derivation *d, walker *x)
{
    dal_derived_body frame = {.angle = x->angle};
    planar_attitude(d, &frame, x->C);
    memcpy(x->E, frame.R, sizeof x->E);
}

static void turn_frame(dal_derivation *d, walker *x, int axis, dal_node angle, dal_node rate)
{
    dal_node turn[9];
    for (int i = 0; i < 3; i++)
        x->w[i] = dal_n_add(d, x->w[i], dal_n_mul(d, rate, x->E[3 * i + axis]));
    if (dal_n_planar(d)) {
        x->angle = dal_n_add(d, x->angle, angle);
        planar_frame(d, x);
        return;
    }
    dal_n_rotation(d, axis, angle, turn);
    dal_n_multiply(d, x->E, turn, false, x->E);
    dal_n_turn_back(d, turn, x->w_E, x->w_E);
    x->w_E[axis] = dal_n_add(d, x->w_E[axis], rate);
}

void dal_n_quaternion_rotation(dal_derivation *d, const dal_node p[4], dal_node k, dal_node R[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            dal_node entry = dal_n_mul(d, p[1 + i], p[1 + j]);
            if (i == j) {
                const int a = 1 + (i + 1) % 3, b = 1 + (i + 2) % 3;
                entry = dal_n_neg(d, dal_n_add(d, dal_n_mul(d, p[a], p[a]), dal_n_mul(d, p[b], p[b])));
            } else
                entry = dal_binary(d->graph, (j - i + 3) % 3 == 1 ? DAL_OP_SUB : DAL_OP_ADD, entry, dal_n_mul(d, p[0], p[4 - i - j]));
            R[3 * i + j] = dal_n_mul(d, k, entry);
            if (i == j)
                R[3 * i + j] = dal_n_add(d, dal_n_const(d, 1), R[3 * i + j]);
        }
}

/* E := E R(p) */
static void turn_ball(dal_derivation *d, walker *x, const dal_motion_step *step)
{
    dal_node p[4], R[9], w[3], turned[3];
    for (int i = 0; i < 4; i++)
        p[i] = dal_n_var(d, d->q + step->q + i);
    for (int i = 0; i < 3; i++)
        w[i] = dal_n_var(d, d->v + step->v + i);
    dal_n_quaternion_rotation(d, p, dal_n_const(d, 2), R);
    dal_n_multiply(d, x->E, R, false, x->E);
    dal_n_turn(d, x->E, w, turned);
    dal_n_sum(d, x->w, turned, x->w);
    dal_n_turn_back(d, R, x->w_E, x->w_E);
    dal_n_sum(d, x->w_E, w, x->w_E);
}

static void walk_step(dal_derivation *d, walker *x, const dal_carrier *carrier, const dal_motion_step *step)
{
    const dal_node sign = dal_n_const(d, step->sign), zero = dal_n_const(d, 0);
    dal_node q = zero, v = zero;
    if (dal_step_coordinates(step) == 1) {
        q = dal_n_mul(d, sign, dal_n_var(d, d->q + step->q));
        v = dal_n_mul(d, sign, dal_n_var(d, d->v + step->v));
    }
    switch (step->kind) {
    case DAL_STEP_SHIFT: shift(d, x, step->axis, q, v); break;
    case DAL_STEP_TURN: turn_frame(d, x, step->axis, q, v); break;
    case DAL_STEP_CONSTANT: shift(d, x, step->axis, dal_n_mul(d, sign, dal_derive_rod_length(d, carrier->joint, step->length)), zero); break;
    case DAL_STEP_SCREW: {
        const dal_node pitch = dal_derive_pitch(d, carrier->joint, step->length);
        const dal_node offset = dal_n_mul(d, sign, dal_derive_number(d, step->offset));
        shift(d, x, step->axis, dal_n_add(d, dal_n_mul(d, pitch, q), offset), dal_n_mul(d, pitch, v));
        turn_frame(d, x, step->axis, q, v);
        break;
    }
    case DAL_STEP_BALL: turn_ball(d, x, step); break;
    }
}

dal_symbolic_marker dal_derive_carrier_frame(dal_derivation *d, const dal_carrier *carrier, bool on_parent)
{
    const dal_marker *compiled = on_parent ? &carrier->from : &carrier->to;
    dal_symbolic_marker marker;
    if (carrier->joint >= 0) {
        const dal_symbolic_marker *of_joint = &d->markers[2 * carrier->joint + (on_parent ? carrier->marker_parent : 1 - carrier->marker_parent)];
        if (!memcmp(of_joint->s_value, compiled->s, sizeof compiled->s) && !memcmp(of_joint->B_value, compiled->B, sizeof compiled->B))
            return *of_joint;
    }
    dal_derive_marker(d, (dal_text){0}, compiled, &marker);
    return marker;
}

static void start_walk(dal_derivation *d, const dal_carrier *carrier, const dal_symbolic_marker *from, const double *parent_C, walker *x)
{
    dal_node lever[3], turn[3], R[9];
    memset(x, 0, sizeof *x);
    x->angle = dal_n_const(d, 0);
    dal_zero_vector(d, x->p);
    dal_zero_vector(d, x->pd);
    dal_zero_vector(d, x->w);
    dal_zero_vector(d, x->w_E);
    dal_n_identity(d, R);
    memcpy(x->C, one, sizeof one);
    if (carrier->parent != DAL_GROUND) {
        const dal_derived_body *parent = &d->bodies[carrier->parent];
        memcpy(x->p, parent->r, sizeof x->p);
        memcpy(x->pd, parent->rd, sizeof x->pd);
        memcpy(x->w, parent->w, sizeof x->w);
        memcpy(R, parent->R, sizeof R);
        dal_n_turn_back(d, from->B, parent->w_body, x->w_E);
        x->angle = parent->angle;
        memcpy(x->C, parent_C, sizeof x->C);
    }
    dal_n_turn(d, R, from->s, lever);
    dal_n_sum(d, x->p, lever, x->p);
    dal_n_cross(d, x->w, lever, turn);
    dal_n_sum(d, x->pd, turn, x->pd);
    dal_rotation_multiply(x->C, from->B_value, x->C);
    if (dal_n_planar(d))
        planar_frame(d, x);
    else
        dal_n_multiply(d, R, from->B, false, x->E);
}

static void end_walk(dal_derivation *d, const dal_carrier *carrier, const dal_symbolic_marker *to, walker *x, double *C)
{
    dal_derived_body *body = &d->bodies[carrier->body];
    dal_node lever[3], turn[3];
    const double *B = to->B_value, back[9] = {B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]};
    dal_rotation_multiply(x->C, back, C);
    body->angle = x->angle;
    memcpy(body->w, x->w, sizeof x->w);
    dal_n_turn(d, to->B, x->w_E, body->w_body);
    if (carrier->particle) {
        dal_zero_vector(d, body->w_body);
        dal_n_identity(d, body->R);
        body->angle = dal_n_const(d, 0);
        dal_zero_vector(d, body->w);
        memcpy(C, one, sizeof one);
    } else if (dal_n_planar(d))
        planar_attitude(d, body, C);
    else
        dal_n_multiply(d, x->E, to->B, true, body->R);
    dal_n_turn(d, body->R, to->s, lever);
    dal_n_cross(d, body->w, lever, turn);
    for (int i = 0; i < 3; i++) {
        body->r[i] = dal_n_sub(d, x->p[i], lever[i]);
        body->rd[i] = dal_n_sub(d, x->pd[i], turn[i]);
    }
    dal_complete_body(d, body, false);
}

static void place_by_tree(dal_derivation *d)
{
    const dal_tree *tree = d->layout->tree;
    double *C = DAL_NEW(d->arena, double, 9 * d->mechanism->n_bodies);
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *carrier = &tree->carrier[i];
        const dal_symbolic_marker from = dal_derive_carrier_frame(d, carrier, true);
        const dal_symbolic_marker to = dal_derive_carrier_frame(d, carrier, false);
        walker x;
        start_walk(d, carrier, &from, carrier->parent == DAL_GROUND ? one : C + 9 * carrier->parent, &x);
        for (int k = carrier->step; k < carrier->step + carrier->n_steps; k++)
            walk_step(d, &x, carrier, &tree->step[k]);
        end_walk(d, carrier, &to, &x, C + 9 * carrier->body);
    }
}

/* ---- user ------------------------------------------------------------------------------- */

static dal_node place_text(dal_derivation *d, const dal_body_spec *spec, const dal_list *list, int i)
{
    dal_value value;
    if (i >= list->n)
        return dal_n_const(d, 0);
    if (dal_derive_text(d, spec->binding, list->item[i], &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(d, "the place of '%s', '%.80s', cannot be written in symbols", spec->name.text, list->item[i].text);
    return dal_n_const(d, 0);
}

/* a a^T (1 - c) + c 1 + s [a x], with a of length one */
void dal_n_about_axis(dal_derivation *d, const dal_node axis[3], dal_node angle, dal_node R[9])
{
    const dal_node c = dal_unary(d->graph, DAL_OP_COS, angle), s = dal_unary(d->graph, DAL_OP_SIN, angle);
    const dal_node square = dal_n_dot(d, axis, axis);
    dal_node a[3];
    for (int i = 0; i < 3; i++)
        a[i] = dal_n_is(d, square, 1) ? axis[i] : dal_n_div(d, axis[i], dal_unary(d->graph, DAL_OP_SQRT, square));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            dal_node entry = dal_n_mul(d, dal_n_mul(d, a[i], a[k]), dal_n_sub(d, dal_n_const(d, 1), c));
            if (i == k)
                entry = dal_n_add(d, entry, c);
            else
                entry = dal_binary(d->graph, (k - i + 3) % 3 == 1 ? DAL_OP_SUB : DAL_OP_ADD, entry, dal_n_mul(d, a[3 - i - k], s));
            R[3 * i + k] = entry;
        }
}

static void user_attitude(dal_derivation *d, const dal_body_spec *spec, dal_derived_body *body)
{
    const dal_orientation *o = &spec->orientation;
    dal_node a[3], turn[9];
    int axes[3] = {2, 1, 0};
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return;
    case DAL_ATTITUDE_AXIS:
        for (int i = 0; i < 3; i++)
            a[i] = place_text(d, spec, &o->first, i);
        dal_n_about_axis(d, a, place_text(d, spec, &o->second, 0), body->R);
        return;
    case DAL_ATTITUDE_EULER:
    case DAL_ATTITUDE_RPY:
        if (o->kind == DAL_ATTITUDE_EULER)
            dal_euler_axes(o->letters, axes);
        for (int k = 0; k < 3; k++) {
            dal_n_rotation(d, axes[k], place_text(d, spec, &o->first, o->kind == DAL_ATTITUDE_RPY ? 2 - k : k), turn);
            dal_n_multiply(d, body->R, turn, false, body->R);
        }
        return;
    default: dal_derive_refuse(d, "the orientation of '%s' is not written in symbols here: only axis and angle, euler and rpy are", spec->name.text);
    }
}

static void place_by_user(dal_derivation *d, int b, bool *placed, int depth)
{
    const dal_body_spec *spec = &d->spec->bodies[b];
    dal_derived_body *body = &d->bodies[b];
    const char *rest;
    int o = -1;
    if (placed[b])
        return;
    placed[b] = true;
    body->angle = dal_n_const(d, 0);
    dal_n_identity(d, body->R);
    dal_zero_vector(d, body->w);
    for (int i = 0; i < 3; i++)
        body->r[i] = place_text(d, spec, &spec->position, i);
    if (spec->angle.text) {
        const dal_list angle = {.n = 1, .item = (dal_text *)&spec->angle};
        body->angle = place_text(d, spec, &angle, 0);
    } else if (!d->mechanism->bodies[b].particle)
        user_attitude(d, spec, body);
    if (spec->binding && spec->binding->model)
        dal_derive_refuse(d, "'%s' stands in an included model: coordinates of the model's own are not written in symbols there", spec->name.text);
    if (spec->from.text && dal_find_element(d, NULL, spec->from.text, &o, &rest) == DAL_ELEMENT_BODY && depth < 1000)
        place_by_user(d, o, placed, depth + 1);
    else
        o = -1;
    if (o >= 0) {
        dal_n_turn(d, d->bodies[o].R, body->r, body->r);
        dal_n_sum(d, d->bodies[o].r, body->r, body->r);
        body->angle = d->mechanism->bodies[b].particle ? body->angle : dal_n_add(d, d->bodies[o].angle, body->angle);
        if (!dal_n_planar(d) && !d->mechanism->bodies[b].particle)
            dal_n_multiply(d, d->bodies[o].R, body->R, false, body->R);
    }
    if (dal_n_planar(d) && !d->mechanism->bodies[b].particle)
        planar_attitude(d, body, one);
    else if (!d->mechanism->bodies[b].particle)
        spin_of(d, body);
    dal_differentiate_vector(d, body->r, body->rd);
    dal_complete_body(d, body, true);
}

/* ---- constants ------------------------------------------------------------------------------ */

static void read_constants(dal_derivation *d, int b)
{
    static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; /* entries of xx yy zz xy xz yz in a matrix */
    const dal_body_spec *spec = &d->spec->bodies[b];
    const dal_body *compiled = &d->mechanism->bodies[b];
    dal_derived_body *body = &d->bodies[b];
    const dal_text none = {0};
    body->mass = dal_derive_constant(d, spec->binding, spec->mass, compiled->mass);
    for (int i = 0; i < 3; i++)
        body->center[i] = dal_derive_constant(d, spec->binding, i < spec->center.n ? spec->center.item[i] : none, compiled->center[i]);
    for (int i = 0; i < 9; i++) {
        const int k = dal_n_planar(d) ? (i == 8 ? 0 : 9) : full[i];
        body->inertia[i] = dal_derive_constant(d, spec->binding, k < spec->inertia.n ? spec->inertia.item[k] : none, compiled->inertia[i]);
    }
}

void dal_derive_places(dal_derivation *d)
{
    const int n = d->mechanism->n_bodies;
    bool *placed = DAL_NEW(d->arena, bool, n);
    dal_derived_body *bodies = DAL_NEW(d->arena, dal_derived_body, n);
    d->qd = DAL_NEW(d->arena, dal_node, d->nq);
    if (d->layout->tree)
        tree_rates(d);
    else
        plain_rates(d);
    list_columns(d);
    d->bodies = bodies;
    for (int b = 0; b < n; b++)
        read_constants(d, b);
    dal_name_natural(d);
    if (dal_places_by_parameters(d) && !d->layout->family->separated) {
        d->norm = dal_no_letters(d, n);
        d->norm_rate = dal_no_letters(d, n);
    }
    for (int b = 0; b < n && d->layout->reduction; b++)
        dal_place_natural(d, b);
    if (d->layout->reduction)
        dal_reduce_in_symbols(d);
    if (d->layout->tree)
        place_by_tree(d);
    for (int b = 0; b < n && !d->layout->tree; b++) {
        if (d->layout->placement)
            place_by_user(d, b, placed, 0);
        else if (dal_places_by_parameters(d))
            dal_place_by_parameters(d, b);
        else
            place_by_angles(d, b);
    }
}
