/* Bodies: constants and where they start, from the description. */
#include "math/rotation.h"
#include "math/vec.h"
#include "compile/build.h"
#include "compile/memory.h"

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

/* A body without mass and inertia whose attitude nothing speaks of is a point, as a particle is: a node between springs. Joints need an attitude, and
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
        const bool turns = !type || type->acts == DAL_ACTS_BY_TORQUE || type == &dal_force_bushing || type == &dal_force_coordinate || f->axes.text;
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

static bool read_point(dal_build *build, const dal_binding *binding, const dal_point_spec *point, dal_marker *marker, bool *has_axes)
{
    if (point->binding)
        binding = point->binding;
    if (!dal_build_vector(build, binding, &point->at, marker->s))
        return false;
    *has_axes = point->axes.kind != DAL_ATTITUDE_NONE;
    return !*has_axes || dal_build_orientation(build, binding, point->name.text, &point->axes, marker->B);
}

/* Also unused ones. */
static void check_points(dal_build *build, const char *owner, const dal_binding *binding, const dal_points *points)
{
    for (int i = 0; i < points->n; i++) {
        const dal_point_spec *point = &points->item[i];
        dal_marker marker;
        bool has_axes;
        if (read_point(build, binding, point, &marker, &has_axes) && !dal_bounded(3, marker.s))
            dal_build_bounded(build, point->at.mark, dal_arena_print(build->arena, "point '%s'", point->name.text), owner, 3, marker.s);
    }
}

static void index_ground(dal_build *build);

void dal_build_bodies(dal_build *build)
{
    const dal_spec *spec = build->spec;
    index_ground(build);
    build->mechanism.n_bodies = spec->n_bodies;
    build->mechanism.bodies = DAL_NEW(build->arena, dal_body, spec->n_bodies);
    build->start = DAL_NEW(build->arena, dal_body_start, spec->n_bodies);
    build->body_angle = DAL_NEW(build->arena, int, spec->n_bodies);
    for (int i = 0; i < spec->n_bodies; i++) {
        build->body_angle[i] = -1;
        read_constants(build, &spec->bodies[i], &build->mechanism.bodies[i]);
        read_start(build, &spec->bodies[i], &build->start[i]);
        check_points(build, spec->bodies[i].name.text, spec->bodies[i].binding, &spec->bodies[i].points);
    }
    check_points(build, "ground", NULL, &spec->ground);
    for (int i = 0; i < spec->n_models; i++) {
        dal_marker unused;
        check_points(build, spec->models[i]->name.text, &spec->models[i]->binding, &spec->models[i]->points);
        dal_build_mount(build, spec->models[i], &unused);
    }
}

/* ---- points and coordinates -------------------------------------------------- */

static void refuse_point(dal_build *build, dal_text name, const char *rest, const dal_points *points)
{
    char hint[96];
    const char **names = DAL_NEW(build->arena, const char *, points->n + 1), *all = "";
    for (int i = 0; i < points->n; i++) {
        names[i] = points->item[i].name.text;
        if (i < 10)
            all = dal_arena_print(build->arena, "%s%s%s", all, i ? ", " : "", names[i]);
    }
    int length = (int)(rest - name.text);
    if (points->n)
        dal_error(build->messages, name.mark, "'%.*s' has no point '%s'%s: it has %s%s", length, name.text, rest + 1,
                  dal_did_you_mean(rest + 1, names, hint), all, points->n > 10 ? ", ..." : "");
    else
        dal_error(build->messages, name.mark, "'%.*s' has no point '%s': describe it in its `points:`, or write '%.*s' for its origin", length,
                  name.text, rest + 1, length, name.text);
}

/* A point P of the ground of an included model, which stands in the frame m of a body: s = s_m + B_m s_P, B = B_m B_P. */
static void compose(dal_marker *marker, const dal_marker *point)
{
    for (int i = 0; i < 3; i++)
        marker->s[i] += marker->B[3 * i] * point->s[0] + marker->B[3 * i + 1] * point->s[1] + marker->B[3 * i + 2] * point->s[2];
    dal_rotation_multiply(marker->B, point->B, marker->B);
}

/* The same where m is the frame of the body itself: zeros get the sign that products with those of the unit matrix give them. */
static void clear_signs(dal_marker *point, bool has_axes)
{
    for (int i = 0; i < 3; i++)
        point->s[i] += 0.0;
    for (int i = 0; i < 9 && has_axes; i++)
        point->B[i] += 0.0;
}

static int slot_of(const dal_build *build, const char *name)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    int slot = (int)(hash % (unsigned)build->n_ground_slots);
    while (build->ground_slot[slot] >= 0 && strcmp(build->spec->ground.item[build->ground_slot[slot]].name.text, name))
        slot = (slot + 1) % build->n_ground_slots;
    return slot;
}

/* Readers refuse it: a spec that was made by hand. */
static void refuse_twins(dal_build *build, const dal_point_spec *point)
{
    dal_error(build->messages, point->name.mark, "two points of one body have the name '%.100s': names have to differ", point->name.text);
}

/* The ground may have many points. */
static void index_ground(dal_build *build)
{
    const dal_points *points = &build->spec->ground;
    build->n_ground_slots = 2 * points->n + 1;
    build->ground_slot = DAL_NEW(build->arena, int, build->n_ground_slots);
    for (int i = 0; i < build->n_ground_slots; i++)
        build->ground_slot[i] = -1;
    for (int i = 0; i < points->n; i++) {
        int *slot = &build->ground_slot[slot_of(build, points->item[i].name.text)];
        if (*slot >= 0)
            refuse_twins(build, &points->item[i]);
        *slot = i;
    }
}

static const dal_point_spec *find_point(dal_build *build, const dal_points *points, const char *name)
{
    if (points == &build->spec->ground) {
        if (!build->ground_slot)
            index_ground(build);
        const int i = build->ground_slot[slot_of(build, name)];
        return i < 0 ? NULL : &points->item[i];
    }
    const dal_point_spec *found = NULL;
    for (int i = 0; i < points->n; i++) {
        if (strcmp(points->item[i].name.text, name))
            continue;
        if (found)
            refuse_twins(build, &points->item[i]);
        found = &points->item[i];
    }
    return found;
}

/* The target of a name, as another compile found it. */
static bool find_known_place(const dal_build *build, const char *name, dal_marker *marker, const dal_binding **binding, const dal_point_spec **point)
{
    int number;
    if (!dal_cached_place(build, name, &marker->body, &number))
        return false;
    const dal_body_spec *body = marker->body == DAL_GROUND ? NULL : &build->spec->bodies[marker->body];
    *binding = body ? body->binding : NULL;
    *point = number < 0 ? NULL : body ? &body->points.item[number] : &build->spec->ground.item[number];
    return true;
}

static bool find_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes, int depth);

/* The same by the symbols, with messages: the body, and *point NULL for its origin. A ground of an included model puts a frame into *marker.
 * depth: how many of these have been gone through. */
static bool find_place(dal_build *build, dal_text name, dal_marker *marker, const dal_binding **binding, const dal_point_spec **point, bool *has_axes,
                       int depth)
{
    const char *rest = "";
    const dal_points *points = &build->spec->ground;
    bool plain = true;
    if (!strncmp(name.text, "ground", 6) && (!name.text[6] || name.text[6] == '.')) {
        rest = name.text + 6;
    } else {
        const dal_symbol *symbol = dal_symbol_prefix(build, name.text, &rest);
        if (symbol && symbol->kind == DAL_SYMBOL_GROUND) {
            const dal_model_spec *model = build->spec->models[symbol->index];
            if (depth > build->spec->n_models || !find_marker(build, model->ground, marker, has_axes, depth + 1))
                return false;
            *has_axes = false; /* no more than the ground of a model that stands alone */
            points = &model->points;
            *binding = &model->binding;
            plain = false;
        } else if (!symbol || symbol->kind != DAL_SYMBOL_BODY) {
            if (symbol)
                dal_error(build->messages, name.mark, "'%s' is not a body: a body, a point of one (crank.B) or the ground is needed here",
                          symbol->name);
            else
                dal_error(build->messages, name.mark, "there is no body '%s'%s", name.text, dal_symbol_hint(build, 1u << DAL_SYMBOL_BODY, name.text));
            return false;
        } else {
            marker->body = symbol->index;
            points = &build->spec->bodies[symbol->index].points;
            *binding = build->spec->bodies[symbol->index].binding;
        }
    }
    *point = *rest ? find_point(build, points, rest + 1) : NULL;
    if (*rest && !*point) {
        refuse_point(build, name, rest, points);
        return false;
    }
    if (plain)
        dal_remember_place(build, name.text, marker->body, *point ? (int)(*point - points->item) : -1);
    return true;
}

static bool find_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes, int depth)
{
    const dal_binding *binding = NULL;
    const dal_point_spec *at = NULL;
    *has_axes = false;
    memset(marker, 0, sizeof *marker);
    marker->body = DAL_GROUND;
    dal_rotation_identity(marker->B);
    const bool known = find_known_place(build, name.text, marker, &binding, &at);
    if (!known && !find_place(build, name, marker, &binding, &at, has_axes, depth))
        return false;
    if (!at)
        return true;
    if (known) { /* a point of a body */
        const bool read = read_point(build, binding, at, marker, has_axes);
        clear_signs(marker, *has_axes);
        return read;
    }
    dal_marker point = {.B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const bool ok = read_point(build, binding, at, &point, has_axes);
    compose(marker, &point);
    return ok;
}

/* The same few names are looked up again and again, by their addresses: texts stay while a model is compiled. */
enum { MARKERS_KEPT = 32 };

typedef struct kept_marker {
    const char *name;
    dal_marker marker;
    bool has_axes;
} kept_marker;

static kept_marker *kept_at(dal_build *build, const char *name)
{
    if (!build->markers) {
        kept_marker *kept = dal_arena_room(build->arena, sizeof *kept * MARKERS_KEPT);
        for (int i = 0; i < MARKERS_KEPT; i++)
            kept[i].name = NULL;
        build->markers = kept;
    }
    const size_t hash = (size_t)name * (size_t)0x9e3779b97f4a7c15u;
    return (kept_marker *)build->markers + (hash >> (8 * sizeof hash - 5));
}

bool dal_build_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes)
{
    bool unused, *axes = has_axes ? has_axes : &unused;
    kept_marker *kept = build->record ? NULL : kept_at(build, name.text); /* a recording compile needs the list of what it uses */
    if (kept && kept->name == name.text) {
        *marker = kept->marker;
        *axes = kept->has_axes;
        return true;
    }
    const bool found = find_marker(build, name, marker, axes, 0);
    if (kept && found)
        *kept = (kept_marker){name.text, *marker, *axes};
    return found;
}

bool dal_build_mount(dal_build *build, const dal_model_spec *model, dal_marker *marker)
{
    return dal_build_marker(build, model->ground, marker, NULL);
}

void dal_build_base(dal_build *build, dal_text name, double B[9])
{
    const char *rest;
    const dal_symbol *symbol = build->spec->n_models ? dal_symbol_prefix(build, name.text, &rest) : NULL;
    dal_marker marker;
    dal_rotation_identity(B);
    if (symbol && symbol->kind == DAL_SYMBOL_GROUND && dal_build_mount(build, build->spec->models[symbol->index], &marker))
        memcpy(B, marker.B, sizeof marker.B);
}

int dal_build_body_angle(dal_build *build, int body)
{
    if (build->body_angle[body] < 0) {
        dal_marker ground = {.body = DAL_GROUND}, own = {.body = body};
        dal_rotation_identity(ground.B);
        dal_rotation_identity(own.B);
        build->body_angle[body] = dal_add_angle(&build->mechanism, &ground, &own);
        build->mechanism.measures[build->body_angle[body]].turns = DAL_TURNS_OF_BODY;
    }
    return build->body_angle[body];
}

int dal_build_body_coordinate(dal_build *build, dal_text body, dal_text coordinate)
{
    dal_marker marker;
    if (!dal_build_marker(build, body, &marker, NULL))
        return -1;
    if (marker.body == DAL_GROUND) {
        dal_error(build->messages, body.mark, "the ground does not move and has no coordinates: name a body");
        return -1;
    }
    bool turns = build->spec->space == DAL_PLANAR && !build->mechanism.bodies[marker.body].particle;
    const char *known = turns ? "x, y or angle" : build->spec->space == DAL_PLANAR ? "x or y" : "x, y or z";
    if (!coordinate.text) {
        dal_error(build->messages, body.mark, "say which coordinate of '%s' is meant: `coordinate:` %s", body.text, known);
        return -1;
    }
    if (turns && !strcmp(coordinate.text, "angle"))
        return dal_build_body_angle(build, marker.body);
    for (int k = 0; k < (int)build->spec->space; k++)
        if (coordinate.text[0] == 'x' + k && !coordinate.text[1])
            return dal_add_dot(&build->mechanism, dal_add_point(&build->mechanism, &marker), -1, k, -1);
    dal_error(build->messages, coordinate.mark, "'%s' has no coordinate '%s': expected %s", body.text, coordinate.text, known);
    return -1;
}
