/* Frames of joints, and lengths of rods, in symbols: as the description and its start values determine them.
 *
 * One axis of a frame is along a direction a, a second one is as near as possible to b:
 *     u = a / |a|,   v = (b - (b . u) u) / |b - (b . u) u|,   the third is their product
 * An axis is written in the first body; the second frame lies on the first at the start,
 *     B_j = R_j^T R_i B_i,
 * unless it has axes of its own. Compile does the same with numbers (compile/frames.c). Entries that depend on a parameter and have the compiled
 * values are symbols; all others stay numbers.
 */
#include "derive/placed_bodies.h"
#include "derive/start_frames.h"

#include "joint/joint.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 30 };            /* models inside one another */
static const double same = 1e-12; /* entries of a rotation */

typedef struct frame {
    dal_node s[3], B[9];
    dal_node M[9]; /* the axes that directions are written in: those of the body, or of the ground of an included model */
    bool has_axes;
} frame;

/* ---- which entries become symbols --------------------------------------------------------------------- */

bool dal_follows_parameters(dal_derivation *d, dal_node node)
{
    return dal_contains_role(d, node, 1U << DAL_ROLE_PARAMETER);
}

/* Keeps the entries that depend on parameters, if all n equal the compiled values to `within`. */
static void keep_symbols(dal_derivation *d, int n, const dal_node *from, const double *compiled, double within, dal_node *to)
{
    bool follows = false;
    for (int i = 0; i < n; i++)
        follows |= dal_follows_parameters(d, from[i]);
    for (int i = 0; i < n && follows; i++)
        if (!(fabs(dal_derive_value(d, from[i]) - compiled[i]) <= within))
            return;
    for (int i = 0; i < n && follows; i++)
        if (dal_follows_parameters(d, from[i]))
            to[i] = from[i];
}

/* ---- directions ----------------------------------------------------------------------------------- */

bool dal_written_vector(dal_derivation *d, const dal_binding *binding, const dal_list *list, dal_node out[3])
{
    for (int i = 0; i < 3; i++) {
        dal_value value = {1, {dal_n_const(d, 0)}, 0};
        if (i < list->n && (!dal_derive_text(d, binding, list->item[i], &value) || value.n != 1))
            return false;
        out[i] = value.node[0];
    }
    return true;
}

static void make_unit(dal_derivation *d, dal_node x[3])
{
    const dal_node length = dal_unary(d->graph, DAL_OP_SQRT, dal_n_dot(d, x, x));
    for (int i = 0; i < 3; i++)
        x[i] = dal_n_div(d, x[i], length);
}

/* `second` -1: the axis after the first is as near as possible to the world direction that is most perpendicular to it. */
static void frame_from_axes(dal_derivation *d, int first, const dal_node a[3], int second, const dal_node b[3], dal_node R[9])
{
    dal_node u[3] = {a[0], a[1], a[2]}, v[3], w[3];
    make_unit(d, u);
    if (second < 0) {
        int k = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(dal_derive_value(d, u[i])) < fabs(dal_derive_value(d, u[k])) - 1e-9)
                k = i;
        second = (first + 1) % 3;
        for (int i = 0; i < 3; i++)
            v[i] = dal_n_const(d, i == k);
    } else
        memcpy(v, b, sizeof v);
    const dal_node along = dal_n_dot(d, u, v);
    for (int i = 0; i < 3; i++)
        v[i] = dal_n_sub(d, v[i], dal_n_mul(d, along, u[i]));
    make_unit(d, v);
    dal_n_cross(d, u, v, w);
    const int third = 3 - first - second;
    const bool right = (second - first + 3) % 3 == 1;
    for (int i = 0; i < 3; i++) {
        R[3 * i + first] = u[i];
        R[3 * i + second] = v[i];
        R[3 * i + third] = right ? w[i] : dal_n_neg(d, w[i]);
    }
}

static void across_plane(dal_derivation *d, dal_node z[3])
{
    for (int i = 0; i < 3; i++)
        z[i] = dal_n_const(d, i == 2);
}

void dal_written_axes(dal_derivation *d, const dal_node x[3], dal_node R[9])
{
    dal_node z[3];
    across_plane(d, z);
    frame_from_axes(d, 0, x, dal_n_planar(d) ? 2 : -1, z, R);
}

/* The frame with one direction given. */
static bool frame_along(dal_derivation *d, const dal_binding *binding, const dal_list *list, int letter, const dal_node M[9], dal_node B[9])
{
    dal_node a[3], z[3], own[9];
    if (!dal_written_vector(d, binding, list, a))
        return false;
    across_plane(d, z);
    frame_from_axes(d, letter, a, dal_n_planar(d) ? 2 : -1, z, own);
    dal_n_multiply(d, M, own, false, B);
    return true;
}

bool dal_written_orientation(dal_derivation *d, const dal_binding *binding, const dal_orientation *o, dal_node R[9])
{
    dal_node a[4] = {dal_n_const(d, 0), dal_n_const(d, 0), dal_n_const(d, 0), dal_n_const(d, 0)}, b[3], turn[9], z[3];
    int axes[3] = {2, 1, 0};
    for (int i = 0; i < o->first.n && i < 4; i++) {
        dal_value value;
        if (!dal_derive_text(d, binding, o->first.item[i], &value) || value.n != 1)
            return false;
        a[i] = value.node[0];
    }
    if (!dal_written_vector(d, binding, &o->second, b))
        return false;
    dal_n_identity(d, R);
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return true;
    case DAL_ATTITUDE_QUATERNION: {
        const dal_node square = dal_n_add(d, dal_n_mul(d, a[0], a[0]), dal_n_dot(d, a + 1, a + 1));
        dal_n_quaternion_rotation(d, a, dal_n_div(d, dal_n_const(d, 2), square), R);
        return true;
    }
    case DAL_ATTITUDE_AXIS:
        make_unit(d, a);
        dal_n_about_axis(d, a, b[0], R);
        return true;
    case DAL_ATTITUDE_EULER:
    case DAL_ATTITUDE_RPY:
        if (o->kind == DAL_ATTITUDE_EULER)
            dal_euler_axes(o->letters, axes);
        for (int k = 0; k < 3; k++) {
            dal_n_rotation(d, axes[k], a[o->kind == DAL_ATTITUDE_RPY ? 2 - k : k], turn);
            dal_n_multiply(d, R, turn, false, R);
        }
        return true;
    case DAL_ATTITUDE_AXES: {
        const bool flat = dal_n_planar(d);
        across_plane(d, z);
        frame_from_axes(d, o->letters[0] - 'x', a, flat ? 2 : o->letters[1] ? o->letters[1] - 'x' : -1, flat ? z : b, R);
        return true;
    }
    }
    return false;
}

/* ---- points ----------------------------------------------------------------------------------------- */

static const dal_point_spec *find_point(const dal_points *points, const char *rest)
{
    for (int i = 0; i < points->n && rest[0] == '.'; i++)
        if (!strcmp(points->item[i].name.text, rest + 1))
            return &points->item[i];
    return NULL;
}

/* The included model whose ground a name begins with. */
static const dal_model_spec *model_of_ground(const dal_derivation *d, const char *name, const char **rest)
{
    for (int i = 0; i < d->spec->n_models; i++) {
        const char *model = d->spec->models[i]->name.text;
        const size_t n = strlen(model);
        if (strncmp(name, model, n) || strncmp(name + n, ".ground", 7) || (name[n + 7] && name[n + 7] != '.'))
            continue;
        *rest = name + n + 7;
        return d->spec->models[i];
    }
    return NULL;
}

static void begin_frame(dal_derivation *d, frame *f)
{
    dal_zero_vector(d, f->s);
    dal_n_identity(d, f->B);
    dal_n_identity(d, f->M);
    f->has_axes = false;
}

/* A point P of a ground that stands in a frame m: s = s_m + B_m s_P, B = B_m B_P. */
static bool add_point(dal_derivation *d, const dal_binding *binding, const dal_point_spec *point, frame *f)
{
    dal_node s[3], B[9];
    const dal_binding *own = point->binding ? point->binding : binding;
    if (!dal_written_vector(d, own, &point->at, s) || !dal_written_orientation(d, own, &point->axes, B))
        return false;
    f->has_axes = point->axes.kind != DAL_ATTITUDE_NONE;
    dal_n_turn(d, f->B, s, s);
    dal_n_sum(d, f->s, s, f->s);
    dal_n_multiply(d, f->B, B, false, f->B);
    return true;
}

/* The frame of a name of `connect:`, in the axes of its body. */
static bool find_frame(dal_derivation *d, const char *name, int depth, frame *f)
{
    const char *rest = "";
    const dal_binding *binding = NULL;
    const dal_points *points = NULL;
    int b;
    begin_frame(d, f);
    const dal_model_spec *model = model_of_ground(d, name, &rest);
    if (model) {
        if (depth > DEEPEST || !model->ground.text || !find_frame(d, model->ground.text, depth + 1, f))
            return false;
        f->has_axes = false;
        memcpy(f->M, f->B, sizeof f->M);
        points = &model->points;
        binding = &model->binding;
    } else if (!strncmp(name, "ground", 6) && (!name[6] || name[6] == '.')) {
        rest = name + 6;
        points = &d->spec->ground;
    } else if (dal_find_element(d, NULL, name, &b, &rest) == DAL_ELEMENT_BODY) {
        points = &d->spec->bodies[b].points;
        binding = d->spec->bodies[b].binding;
    } else
        return false;
    if (!*rest)
        return true;
    const dal_point_spec *point = find_point(points, rest);
    return point && add_point(d, binding, point, f);
}

int dal_written_frame(dal_derivation *d, const char *name, dal_node s[3], dal_node B[9])
{
    frame f;
    const char *rest = "";
    int body = DAL_GROUND;
    const dal_model_spec *model = NULL;
    if (!name || !find_frame(d, name, 0, &f))
        return DAL_GROUND - 1;
    while ((model = model_of_ground(d, name, &rest)))
        name = model->ground.text;
    if (dal_find_element(d, NULL, name, &body, &rest) != DAL_ELEMENT_BODY)
        body = DAL_GROUND;
    memcpy(s, f.s, sizeof f.s);
    memcpy(B, f.B, sizeof f.B);
    return body;
}

void dal_follow_point(dal_derivation *d, const char *name, dal_symbolic_marker *marker)
{
    frame f;
    const int space = (int)d->mechanism->space;
    if (!d->options.follow || !name || !find_frame(d, name, 0, &f))
        return;
    double size = 0;
    for (int i = 0; i < space; i++)
        size = fmax(size, fabs(marker->s_value[i]));
    keep_symbols(d, 3, f.s, marker->s_value, same * size, marker->s);
}

/* ---- the start ----------------------------------------------------------------------------------------- */

static bool is_mounted(const dal_derivation *d, int body)
{
    const dal_binding *binding = d->spec->bodies[body].binding;
    return binding && binding->model;
}

/* The attitude as text. A body that joints place has another attitude, and results made of it are not used. */
static bool start_attitude(dal_derivation *d, int body, dal_node R[9])
{
    dal_n_identity(d, R);
    if (body == DAL_GROUND)
        return true;
    const dal_body_spec *spec = &d->spec->bodies[body];
    dal_value angle;
    if (d->spec->n_coordinates || is_mounted(d, body) || spec->between.n)
        return false;
    if (!spec->angle.text)
        return dal_written_orientation(d, spec->binding, &spec->orientation, R);
    if (!dal_derive_text(d, spec->binding, spec->angle, &angle) || angle.n != 1)
        return false;
    dal_n_rotation(d, 2, angle.node[0], R);
    return true;
}

/* r + R s at the start. */
static bool start_place(dal_derivation *d, const dal_symbolic_marker *marker, dal_node P[3])
{
    dal_node R[9], r[3];
    memcpy(P, marker->s, sizeof marker->s);
    if (marker->body == DAL_GROUND)
        return true;
    const dal_body_spec *spec = &d->spec->bodies[marker->body];
    if (!spec->position.n || !dal_written_vector(d, spec->binding, &spec->position, r) || !start_attitude(d, marker->body, R))
        return false;
    dal_n_turn(d, R, P, P);
    dal_n_sum(d, r, P, P);
    return true;
}

dal_node dal_derive_rod_length(dal_derivation *d, int joint, double compiled)
{
    const bool pair = joint >= 0 && joint < d->spec->n_joints && d->spec->joints[joint].connect.n == 2;
    const dal_joint_spec *spec = pair ? &d->spec->joints[joint] : NULL;
    dal_node P[2][3], apart[3], length = dal_derive_constant(d, spec ? spec->binding : NULL, spec ? spec->length : (dal_text){0}, compiled);
    if (!d->options.follow || !spec || spec->length.text || !d->mechanism->joints[joint].type->rod)
        return length;
    for (int i = 0; i < 2; i++)
        if (!start_place(d, &d->markers[2 * joint + i], P[i]))
            return length;
    for (int i = 0; i < 3; i++)
        apart[i] = dal_n_sub(d, P[1][i], P[0][i]);
    const dal_node distance = dal_unary(d->graph, DAL_OP_SQRT, dal_n_dot(d, apart, apart));
    keep_symbols(d, 1, &distance, &compiled, same * compiled, &length);
    return length;
}

/* ---- the frames of a joint ----------------------------------------------------------------------------- */

typedef struct joint_frames {
    dal_derivation *d;
    const dal_joint_spec *spec;
    const dal_joint *joint;
    frame side[2];
    bool same_axes; /* the frames coincide when the axes of the bodies coincide */
} joint_frames;

/* The direction that coincides with one of the first frame. */
static bool carry(const joint_frames *f, dal_node B[9])
{
    dal_derivation *d = f->d;
    dal_node R[2][9], E[9], back[9];
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        if (f->same_axes)
            memcpy(R[i], f->side[i].M, sizeof R[i]);
        else
            fine = fine && start_attitude(d, f->joint->marker[i].body, R[i]);
    }
    if (!fine)
        return false;
    for (int i = 0; i < 9; i++)
        back[i] = R[f->same_axes ? 0 : 1][3 * (i % 3) + i / 3];
    if (f->same_axes) { /* M_j M_i^T B_i */
        dal_n_multiply(d, back, f->side[0].B, false, E);
        dal_n_multiply(d, R[1], E, false, B);
    } else { /* R_j^T R_i B_i */
        dal_n_multiply(d, R[0], f->side[0].B, false, E);
        dal_n_multiply(d, back, E, false, B);
    }
    return true;
}

/* z_j is given, x_j is as near as possible to x_i. */
static bool frame_beside(joint_frames *f)
{
    dal_derivation *d = f->d;
    dal_node *B = f->side[1].B, like[9], own[9];
    if (!frame_along(d, f->spec->binding, &f->spec->axis_second, dal_n_planar(d) ? 0 : 2, f->side[1].M, B))
        return false;
    if (dal_n_planar(d))
        return true;
    if (!carry(f, like))
        return false;
    const dal_node z[3] = {B[2], B[5], B[8]}, x[3] = {like[0], like[3], like[6]};
    frame_from_axes(d, 2, z, 0, x, own);
    memcpy(B, own, sizeof own);
    return true;
}

/* z_i and x_j are given; each determines the direction in the other body at the start. */
static bool cross_frames(joint_frames *f)
{
    dal_derivation *d = f->d;
    dal_node a[3], b[3], R[2][9], E[2][9], z[3], x[3], own[9];
    if (!dal_written_vector(d, f->spec->binding, &f->spec->axis, a) || !dal_written_vector(d, f->spec->binding, &f->spec->axis_second, b))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!start_attitude(d, f->joint->marker[i].body, R[i]))
            return false;
        dal_n_multiply(d, R[i], f->side[i].M, false, E[i]);
    }
    dal_n_turn(d, E[1], b, x);
    dal_n_turn_back(d, E[0], x, x);
    dal_n_turn(d, E[0], a, z);
    dal_n_turn_back(d, E[1], z, z);
    frame_from_axes(d, 2, a, 0, x, own);
    dal_n_multiply(d, f->side[0].M, own, false, f->side[0].B);
    frame_from_axes(d, 0, b, 2, z, own);
    dal_n_multiply(d, f->side[1].M, own, false, f->side[1].B);
    return true;
}

static bool find_frames(joint_frames *f)
{
    dal_derivation *d = f->d;
    const bool planar = dal_n_planar(d);
    const dal_joint_spec *spec = f->spec;
    const dal_joint_variant *variant = dal_joint_in(f->joint->type, d->mechanism->space);
    if (f->joint->type->surface)
        return (!spec->normal.n || frame_along(d, spec->binding, &spec->normal, planar ? 1 : 2, f->side[0].M, f->side[0].B)) &&
               (!spec->axis.n || frame_along(d, spec->binding, &spec->axis, planar ? 0 : 2, f->side[1].M, f->side[1].B));
    if (variant->axis == DAL_AXIS_TWO)
        return spec->axis.n && spec->axis_second.n ? cross_frames(f) : f->side[0].has_axes && f->side[1].has_axes;
    if (spec->axis.n && !frame_along(d, spec->binding, &spec->axis, planar ? 0 : 2, f->side[0].M, f->side[0].B))
        return false;
    if (spec->axis.n && spec->axis_second.n)
        return frame_beside(f);
    const bool pin = planar && variant->axis == DAL_AXIS_NONE && !variant->turns;
    return f->side[1].has_axes || pin || carry(f, f->side[1].B);
}

void dal_follow_frames(dal_derivation *d, int joint)
{
    joint_frames f = {.d = d, .spec = &d->spec->joints[joint], .joint = &d->mechanism->joints[joint]};
    f.same_axes = f.spec->start.angle.text || f.spec->start.distance.text;
    if (!d->options.follow || !f.joint->type || f.spec->connect.n != 2)
        return;
    for (int i = 0; i < 2; i++)
        if (!f.spec->connect.item[i].text || !find_frame(d, f.spec->connect.item[i].text, 0, &f.side[i]))
            return;
    if (!find_frames(&f))
        return;
    for (int i = 0; i < 2; i++)
        keep_symbols(d, 9, f.side[i].B, d->markers[2 * joint + i].B_value, same, d->markers[2 * joint + i].B);
}
