/* Bodies: constants and where they start, from the description. */
#include "math/rotation.h"
#include "math/vec.h"
#include "compile/build.h"

#include <math.h>
#include <string.h>

/* ---- inertia --------------------------------------------------------------- */

static void read_inertia(dal_build *build, const dal_body_spec *spec, dal_body *body)
{
    double v[6] = {0};
    bool ok = true;
    for (int i = 0; i < spec->inertia.n && i < 6; i++)
        ok &= dal_build_number(build, spec->binding, spec->inertia.item[i], &v[i]);
    if (!ok || !dal_build_bounded(build, spec->inertia.mark, "inertia", body->name, 6, v))
        return;
    if (build->spec->space == DAL_PLANAR) {
        body->inertia[8] = v[0];
        return;
    }
    const double full[9] = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
    memcpy(body->inertia, full, sizeof full);
}

/* A body with mass and without inertia has no axes: nothing of it can be turned or lie elsewhere than in its origin. */
static void check_particle(dal_build *build, const dal_body_spec *spec)
{
    const struct {
        const char *key;
        bool given;
        dal_mark mark;
    } turning[] = {{"angle", spec->angle.text, spec->angle.mark},
                   {"rate", spec->rate.text, spec->rate.mark},
                   {"orientation", spec->orientation.kind != DAL_ATTITUDE_NONE, spec->orientation.mark},
                   {"angular-velocity", spec->angular_velocity.n > 0, spec->angular_velocity.mark}};
    for (size_t i = 0; i < sizeof turning / sizeof *turning; i++)
        if (turning[i].given)
            dal_error(build->messages, turning[i].mark,
                      "'%s' is a particle (a mass without inertia) and does not turn: drop `%s`, or give it an inertia", spec->name.text,
                      turning[i].key);
    double s[3];
    if (dal_build_vector(build, spec->binding, &spec->center, s) && (s[0] != 0 || s[1] != 0 || s[2] != 0))
        dal_error(build->messages, spec->center.mark,
                  "'%s' is a particle (a mass without inertia): it has no axes in which its centre could be; give it an inertia", spec->name.text);
    for (int i = 0; i < spec->points.n; i++) {
        const dal_point_spec *point = &spec->points.item[i];
        bool apart = dal_build_vector(build, point->binding ? point->binding : spec->binding, &point->at, s) && (s[0] != 0 || s[1] != 0 || s[2] != 0);
        if (apart || point->axes.kind != DAL_ATTITUDE_NONE)
            dal_error(build->messages, apart ? point->at.mark : point->axes.mark,
                      "'%s' is a particle (a mass without inertia): its point '%s' cannot %s; give it an inertia", spec->name.text, point->name.text,
                      apart ? "lie beside its origin" : "have axes");
    }
}

/* Does a path name this body, or a point of it? */
static bool is_of(const char *path, const char *body)
{
    const size_t n = strlen(body);
    return path && !strncmp(path, body, n) && (!path[n] || path[n] == '.');
}

static bool names_body(const dal_list *list, const char *body)
{
    for (int i = 0; i < list->n; i++)
        if (is_of(list->item[i].text, body))
            return true;
    return false;
}

/* A body without mass and inertia is a point, as a particle is, if no element uses its attitude: a node between springs. Joints need an attitude, and
 * so do torques; coordinates of the model's own place it with one. */
static bool is_node(dal_build *build, const dal_body_spec *spec)
{
    const dal_spec *all = build->spec;
    const char *name = spec->name.text;
    if (all->n_coordinates || spec->angle.text || spec->rate.text || spec->orientation.kind != DAL_ATTITUDE_NONE || spec->angular_velocity.n ||
        spec->center.n || spec->between.n)
        return false;
    for (int i = 0; i < spec->points.n; i++) {
        const dal_point_spec *point = &spec->points.item[i];
        double s[3];
        if (point->axes.kind != DAL_ATTITUDE_NONE || !dal_build_vector(build, point->binding ? point->binding : spec->binding, &point->at, s) ||
            s[0] != 0 || s[1] != 0 || s[2] != 0)
            return false;
    }
    for (int j = 0; j < all->n_joints; j++)
        if (names_body(&all->joints[j].connect, name) || is_of(all->joints[j].body.text, name))
            return false;
    for (int i = 0; i < all->n_forces; i++) {
        const dal_force_spec *f = &all->forces[i];
        const dal_force_type *type = f->type.text ? dal_force_type_find(f->type.text) : NULL;
        const bool turns = !type || type->turns || f->axes.text;
        if (turns && (names_body(&f->connect, name) || is_of(f->body.text, name)))
            return false;
    }
    for (int i = 0; i < all->n_models; i++)
        if (is_of(all->models[i]->ground.text, name))
            return false;
    return true;
}

/* Does any element need the attitude of a body that has a mass and shapes, but no inertia? Then its inertia follows from the shapes; otherwise it is
 * a particle with a picture. */
static bool takes_shapes(dal_build *build, const dal_body_spec *spec)
{
    if (spec->inertia.n || !dal_has_volume(spec))
        return false;
    return build->spec->n_coordinates ? spec->angle.text || spec->orientation.kind != DAL_ATTITUDE_NONE : !is_node(build, spec);
}

static void read_constants(dal_build *build, const dal_body_spec *spec, dal_body *body)
{
    body->name = spec->name.text;
    body->mark = spec->name.mark;
    const bool known = spec->mass.text && dal_build_number(build, spec->binding, spec->mass, &body->mass);
    if (spec->density.text || (known && body->mass > 0 && takes_shapes(build, spec))) {
        dal_mass_of_shapes(build, spec, body);
        return;
    }
    if (!spec->mass.text)
        dal_error(build->messages, spec->name.mark, "body '%s' has no mass (write `mass: 0` for a massless part)", body->name);
    else if (known && body->mass < 0)
        dal_error(build->messages, spec->mass.mark, "the mass of '%s' is %.6g, and cannot be negative", body->name, body->mass);
    dal_build_bounded(build, spec->mass.mark, "mass", body->name, 1, &body->mass);
    if (dal_build_vector(build, spec->binding, &spec->center, body->center))
        dal_build_bounded(build, spec->center.mark, "centre of mass", body->name, 3, body->center);
    body->particle = !spec->inertia.n && known && (body->mass > 0 || is_node(build, spec));
    if (spec->inertia.n)
        read_inertia(build, spec, body);
    if (body->particle)
        check_particle(build, spec);
}

void dal_note_constants(dal_build *build, int number)
{
    dal_messages *messages = build->messages;
    dal_body again = {0};
    if (!build->record)
        return;
    build->messages = NULL; /* what is wrong was reported */
    read_constants(build, &build->spec->bodies[number], &again);
    build->messages = messages;
}

/* ---- attitude --------------------------------------------------------------- */

static bool is_zero(const double a[3])
{
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

bool dal_build_orientation(dal_build *build, const dal_binding *binding, const char *name, const dal_orientation *o, double R[9])
{
    double a[4] = {0}, b[3] = {0};
    int axes[3];
    bool ok = true;
    for (int i = 0; i < o->first.n && i < 4; i++)
        ok &= dal_build_number(build, binding, o->first.item[i], &a[i]);
    for (int i = 0; i < o->second.n && i < 3; i++)
        ok &= dal_build_number(build, binding, o->second.item[i], &b[i]);
    if (!ok)
        return false;
    int power = 0;
    if (o->kind == DAL_ATTITUDE_QUATERNION || o->kind == DAL_ATTITUDE_AXIS) { /* the square of 1e200 is infinite */
        frexp(fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(a[2]), fabs(a[3]))), &power);
        for (int i = 0; i < 4; i++)
            a[i] = ldexp(a[i], -power);
    }
    double norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: break;
    case DAL_ATTITUDE_QUATERNION:
        if (!(norm > 0)) {
            dal_error(build->messages, o->first.mark, "the quaternion of '%s' has length zero: no attitude", name);
            return false;
        }
        if (fabs(ldexp(norm, power) - 1) > 1e-6)
            dal_warn(build->messages, o->first.mark, DAL_CODE_NORMALISED, ldexp(norm, power),
                     "the quaternion of '%s' has the length %.9g and was normalised", name, ldexp(norm, power));
        dal_rotation_quaternion(a, R);
        return true;
    case DAL_ATTITUDE_AXIS:
        if (!(norm > 0)) {
            dal_error(build->messages, o->first.mark, "the axis of the orientation of '%s' has length zero", name);
            return false;
        }
        for (int i = 0; i < 3; i++)
            a[i] /= norm;
        dal_rotation_axis(a, b[0], R);
        return true;
    case DAL_ATTITUDE_EULER:
        dal_euler_axes(o->letters, axes);
        dal_rotation_euler(axes, a, R);
        return true;
    case DAL_ATTITUDE_RPY: { /* fixed axes x, y, z: the intrinsic sequence z, y, x */
        const double ypr[3] = {a[2], a[1], a[0]};
        dal_euler_axes("zyx", axes);
        dal_rotation_euler(axes, ypr, R);
        return true;
    }
    case DAL_ATTITUDE_AXES: {
        const bool flat = build->spec->space == DAL_PLANAR; /* one direction, and z is across the plane */
        const double out_of_plane[3] = {0, 0, 1};
        int second = flat ? 2 : o->letters[1] ? o->letters[1] - 'x' : -1;
        if (dal_rotation_from_axes(o->letters[0] - 'x', a, second, flat ? out_of_plane : b, R))
            return true;
        if (is_zero(a) || (o->letters[1] && is_zero(b)))
            dal_error(build->messages, is_zero(a) ? o->first.mark : o->second.mark, "the direction %c of '%s' has length zero",
                      o->letters[!is_zero(a)], name);
        else
            dal_error(build->messages, o->second.mark, "the directions %c and %c of '%s' are parallel: they have to cross", o->letters[0],
                      o->letters[1], name);
        return false;
    }
    }
    dal_rotation_identity(R);
    return true;
}

static void read_start(dal_build *build, const dal_body_spec *spec, dal_body_start *start)
{
    const dal_binding *binding = spec->binding;
    start->points = spec->points;
    dal_rotation_identity(start->R);
    if (build->spec->n_coordinates)
        return; /* placed by expressions: coordinates.c */
    start->position_given = spec->position.n > 0;
    if (dal_build_vector(build, binding, &spec->position, start->r))
        dal_build_bounded(build, spec->position.mark, "position", spec->name.text, 3, start->r);
    if (spec->angle.text && dal_build_number(build, binding, spec->angle, &start->angle)) {
        start->attitude_given = true;
        dal_rotation_elementary(2, start->angle, start->R);
    } else if (spec->orientation.kind != DAL_ATTITUDE_NONE) {
        start->attitude_given = dal_build_orientation(build, binding, spec->name.text, &spec->orientation, start->R);
    }
    start->mounted = binding && !dal_on_ground(build, binding->model) && (start->position_given || start->attitude_given);
    start->placed = start->position_given && !spec->between.n && !start->mounted;

    start->position_fixed = spec->position.n && (spec->fix || spec->position.fix);
    start->attitude_fixed = start->attitude_given && (spec->fix || spec->angle.fix || spec->orientation.fix);
}

static void turn_to_world(const double R[9], double v[3])
{
    const double u[3] = {v[0], v[1], v[2]};
    for (int i = 0; i < 3; i++)
        v[i] = R[3 * i] * u[0] + R[3 * i + 1] * u[1] + R[3 * i + 2] * u[2];
}

static void read_motion(dal_build *build, int b, bool *done);

/* Velocities written relative to the ground of an included model, whose carrier c moves:
 *   v = v_c + w_c x (r - r_c) + E v_given,   w = w_c + E w_given,   E: the axes of that ground (body axes stay as they are). */
static void carry_motion(dal_build *build, const dal_body_spec *spec, dal_body_start *start, bool *done)
{
    const dal_model_spec *model = spec->binding ? spec->binding->model : NULL;
    dal_marker marker;
    if (dal_on_ground(build, model) || !dal_build_mount(build, model, &marker))
        return;
    static const dal_body_start still = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (marker.body != DAL_GROUND)
        read_motion(build, marker.body, done);
    const dal_body_start *carrier = marker.body == DAL_GROUND ? &still : &build->start[marker.body];
    double E[9], arm[3], swept[3];
    dal_rotation_multiply(carrier->R, marker.B, E);
    if (!spec->velocity.body_axes)
        turn_to_world(E, start->rd);
    if (!spec->angular_velocity.body_axes)
        turn_to_world(E, start->w);
    for (int i = 0; i < 3; i++)
        arm[i] = start->r[i] - carrier->r[i];
    dal_cross(carrier->w, arm, swept);
    for (int i = 0; i < 3; i++) {
        start->rd[i] += start->velocity_given ? carrier->rd[i] + swept[i] : 0;
        start->w[i] += start->spin_given ? carrier->w[i] : 0;
    }
}

/* The body on which the included model of a body stands, or the ground: what is written there is written relative to it. */
static int host_of(dal_build *build, int b)
{
    const dal_binding *binding = build->spec->bodies[b].binding;
    dal_marker mount;
    return binding && !dal_on_ground(build, binding->model) && dal_build_mount(build, binding->model, &mount) ? mount.body : DAL_GROUND;
}

static void read_motion(dal_build *build, int b, bool *done)
{
    const dal_body_spec *spec = &build->spec->bodies[b];
    dal_body_start *start = &build->start[b];
    if (done[b])
        return;
    done[b] = true;
    start->velocity_given = spec->velocity.n > 0;
    start->spin_given = spec->rate.text || spec->angular_velocity.n;
    dal_build_vector(build, spec->binding, &spec->velocity, start->rd);
    dal_build_vector(build, spec->binding, &spec->angular_velocity, start->w);
    if (spec->rate.text)
        dal_build_number(build, spec->binding, spec->rate, &start->w[2]);
    dal_build_bounded(build, spec->velocity.mark, "velocity", spec->name.text, 3, start->rd);
    dal_build_bounded(build, spec->rate.text ? spec->rate.mark : spec->angular_velocity.mark, "angular velocity", spec->name.text, 3, start->w);
    if (spec->velocity.body_axes)
        turn_to_world(start->R, start->rd);
    if (spec->angular_velocity.body_axes)
        turn_to_world(start->R, start->w);
    carry_motion(build, spec, start, done);
    start->velocity_fixed = start->velocity_given && (spec->fix || spec->velocity.fix);
    start->spin_fixed = start->spin_given && (spec->fix || spec->rate.fix || spec->angular_velocity.fix);
}

void dal_build_motion(dal_build *build)
{
    bool *done = DAL_NEW(build->arena, bool, build->spec->n_bodies);
    for (int b = 0; b < build->spec->n_bodies; b++)
        read_motion(build, b, done);
    for (int b = 0; b < build->spec->n_bodies; b++)
        build->start[b].host = dal_messages_count(build->messages, DAL_ERROR) ? DAL_GROUND : host_of(build, b);
}

void dal_build_bodies(dal_build *build)
{
    const dal_spec *spec = build->spec;
    dal_index_ground(build);
    build->mechanism.n_bodies = spec->n_bodies;
    build->mechanism.bodies = DAL_NEW(build->arena, dal_body, spec->n_bodies);
    build->start = DAL_NEW(build->arena, dal_body_start, spec->n_bodies);
    build->body_angle = DAL_NEW(build->arena, int, spec->n_bodies);
    for (int i = 0; i < spec->n_bodies; i++) {
        build->body_angle[i] = -1;
        read_constants(build, &spec->bodies[i], &build->mechanism.bodies[i]);
        read_start(build, &spec->bodies[i], &build->start[i]);
        dal_check_points(build, spec->bodies[i].name.text, spec->bodies[i].binding, &spec->bodies[i].points);
    }
    dal_check_points(build, "ground", NULL, &spec->ground);
    for (int i = 0; i < spec->n_models; i++) {
        dal_marker unused;
        dal_check_points(build, spec->models[i]->name.text, &spec->models[i]->binding, &spec->models[i]->points);
        dal_build_mount(build, spec->models[i], &unused);
    }
}
