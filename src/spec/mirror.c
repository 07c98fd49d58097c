/* Bodies, joints and forces in the mirror: mirror.h has the rules. */
#include "spec/mirror.h"

#include <string.h>

static bool planar(const dal_mirror *m)
{
    return m->reader->spec->space == DAL_PLANAR;
}

/* ---- signs ---------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789.")] == '\0';
}

void dal_mirror_negate(dal_reader *reader, dal_text *text)
{
    if (!text->text || (is_number(text->text) && !text->text[strspn(text->text, "0.")]))
        return; /* zero */
    if (*text->text == '-' && is_number(text->text + 1)) {
        text->text++;
        return;
    }
    const bool plain = is_number(text->text);
    text->text = dal_arena_print(reader->keep, plain ? "-%s" : "-(%s)", text->text);
    if (!plain && text->mark.column > 2)
        text->mark.column -= 2; /* messages point at what was written */
}

/* A list of its own, so that the one it was copied from stays as it is. */
static void own_list(const dal_mirror *m, dal_list *list)
{
    if (!list->n)
        return;
    dal_text *items = DAL_NEW(m->reader->keep, dal_text, list->n);
    memcpy(items, list->item, sizeof *items * (size_t)list->n);
    list->item = items;
}

/* M v */
static void mirror_polar(const dal_mirror *m, int axis, dal_list *v)
{
    own_list(m, v);
    if (v->n > axis)
        dal_mirror_negate(m->reader, &v->item[axis]);
}

/* -v */
static void negate_all(const dal_mirror *m, dal_list *v)
{
    own_list(m, v);
    for (int i = 0; i < v->n; i++)
        dal_mirror_negate(m->reader, &v->item[i]);
}

/* -M v */
static void mirror_axial(const dal_mirror *m, int axis, dal_list *v)
{
    own_list(m, v);
    for (int i = 0; i < v->n; i++)
        if (i != axis)
            dal_mirror_negate(m->reader, &v->item[i]);
}

static void swap_texts(dal_text *a, dal_text *b)
{
    const dal_text kept = *a;
    *a = *b;
    *b = kept;
}

/* [lowest, highest] of what changes its sign. */
static void mirror_range(const dal_mirror *m, dal_list *range)
{
    negate_all(m, range);
    if (range->n == 2)
        swap_texts(&range->item[0], &range->item[1]);
}

/* ---- attitudes -------------------------------------------------------------------------------- */

/* M R D: D turns round the axis `own`. */
static void mirror_axes(const dal_mirror *m, int axis, int own, dal_orientation *o)
{
    dal_list *const direction[2] = {&o->first, &o->second};
    for (int k = 0; k < 2; k++) {
        mirror_polar(m, axis, direction[k]);
        if (o->letters[k] == 'x' + own)
            negate_all(m, direction[k]);
    }
}

/* M R M: a turn about the axis a by an angle becomes one about -M a by the same angle. */
static void mirror_attitude(const dal_mirror *m, int axis, dal_orientation *o)
{
    const char *letters = o->kind == DAL_ATTITUDE_RPY ? "xyz" : o->letters;
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return;
    case DAL_ATTITUDE_QUATERNION:
        own_list(m, &o->first);
        for (int i = 1; i < o->first.n; i++)
            if (i - 1 != axis)
                dal_mirror_negate(m->reader, &o->first.item[i]);
        return;
    case DAL_ATTITUDE_AXIS: mirror_axial(m, axis, &o->first); return;
    case DAL_ATTITUDE_EULER:
    case DAL_ATTITUDE_RPY:
        own_list(m, &o->first);
        for (int i = 0; i < o->first.n; i++)
            if (letters[i] != 'x' + axis)
                dal_mirror_negate(m->reader, &o->first.item[i]);
        return;
    case DAL_ATTITUDE_AXES: mirror_axes(m, axis, axis, o); return;
    }
}

/* The axis of D. */
static int frame_axis(const dal_mirror *m)
{
    return planar(m) ? 1 : 2;
}

static void mirror_points(const dal_mirror *m, int axis, dal_points *points)
{
    dal_point_spec *own = DAL_NEW(m->reader->keep, dal_point_spec, points->n);
    if (points->n)
        memcpy(own, points->item, sizeof *own * (size_t)points->n);
    points->item = own;
    for (int i = 0; i < points->n; i++) {
        mirror_polar(m, axis, &own[i].at);
        if (own[i].axes.kind == DAL_ATTITUDE_AXES)
            mirror_axes(m, axis, frame_axis(m), &own[i].axes);
    }
}

/* ---- shapes --------------------------------------------------------------------------------------- */

/* Its scale along the three axes, with a minus. */
static void mirror_mesh(const dal_mirror *m, int axis, dal_figure_spec *f)
{
    if (!f->stretch.n) {
        f->stretch = (dal_list){.n = 3, .item = DAL_NEW(m->reader->keep, dal_text, 3), .mark = f->mark};
        for (int i = 0; i < 3; i++)
            f->stretch.item[i] = f->scale.text ? f->scale : (dal_text){.text = "1", .mark = f->mark};
    }
    mirror_polar(m, axis, &f->stretch);
}

/* Boxes, cylinders, spheres and capsules are their own mirror images in their own axes. */
static bool mirror_figure(const dal_mirror *m, int axis, dal_figure_spec *f)
{
    if (f->axis.n && (f->n_points || f->file.text)) {
        dal_complain(m->reader->messages, f->mark, "a shape with 'axis' cannot be mirrored where it is a %s: give its 'orientation' instead",
                     f->type.text ? f->type.text : "mesh");
        return false;
    }
    mirror_polar(m, axis, &f->at);
    mirror_polar(m, axis, &f->axis);
    mirror_attitude(m, axis, &f->orientation);
    dal_mirror_negate(m->reader, &f->angle);
    dal_list *points = DAL_NEW(m->reader->keep, dal_list, f->n_points);
    for (int i = 0; i < f->n_points; i++) {
        points[i] = f->points[i];
        mirror_polar(m, axis, &points[i]);
    }
    f->points = points;
    if (f->file.text || f->path)
        mirror_mesh(m, axis, f);
    return true;
}

static bool mirror_figures(const dal_mirror *m, int axis, dal_figures *figures)
{
    dal_figure_spec *own = DAL_NEW(m->reader->keep, dal_figure_spec, figures->n);
    bool fine = true;
    if (figures->n)
        memcpy(own, figures->item, sizeof *own * (size_t)figures->n);
    figures->item = own;
    for (int i = 0; i < figures->n; i++)
        fine &= mirror_figure(m, axis, &own[i]);
    return fine;
}

/* ---- bodies ---------------------------------------------------------------------------------------- */

/* Where a body lies between two points, its other axes are those of its mirror image: `fix` of the first name, of the second and of the list stand
 * for x, y and z (place_between). */
static void turn_between(const dal_mirror *m, int axis, dal_list *between)
{
    own_list(m, between);
    bool *const mirrored = axis == 2 ? &between->fix : &between->item[axis].fix;
    *mirrored = !*mirrored;
}

static bool mirror_body(const dal_mirror *m, int axis, dal_body_spec *body)
{
    static const int product[3][2] = {{0, 1}, {0, 2}, {1, 2}}; /* xy, xz, yz */
    mirror_polar(m, axis, &body->center);
    mirror_polar(m, axis, &body->position);
    mirror_polar(m, axis, &body->velocity);
    mirror_axial(m, axis, &body->angular_velocity);
    own_list(m, &body->inertia);
    for (int i = 0; i < 3 && body->inertia.n == 6; i++)
        if (product[i][0] == axis || product[i][1] == axis)
            dal_mirror_negate(m->reader, &body->inertia.item[3 + i]);
    dal_mirror_negate(m->reader, &body->angle);
    dal_mirror_negate(m->reader, &body->rate);
    mirror_attitude(m, axis, &body->orientation);
    mirror_points(m, axis, &body->points);
    if (body->between.n == 2)
        turn_between(m, axis, &body->between);
    return mirror_figures(m, axis, &body->shape);
}

static bool read_axis(dal_reader *reader, const dal_text *axis, const char *what, int *out)
{
    const char *text = axis->text;
    *out = text[0] - 'x';
    if (text[0] < 'x' || text[0] > 'z' || text[1])
        dal_complain(reader->messages, axis->mark, "%s is mirrored along x, y or z, not '%.80s'", what, text);
    else if (*out >= (int)reader->spec->space)
        dal_complain(reader->messages, axis->mark, "%s cannot be mirrored along z: the model is planar, and has x and y", what);
    else
        return true;
    return false;
}

/* The first value that is given; of both, the one that is written. */
#define TAKE(field, given)                                                                                                                           \
    do {                                                                                                                                             \
        if (!(body->field given))                                                                                                                    \
            body->field = image.field;                                                                                                               \
    } while (0)

/* The body that `of` names; NULL after a complaint. */
static const dal_body_spec *find_original(dal_reader *reader, const dal_tree *of)
{
    dal_text name = {0};
    reader->key = "of";
    const char *text = dal_read_scalar(reader, of, &name) ? dal_expand_name(reader, &name) : NULL;
    if (!text)
        return NULL;
    for (int i = 0; i < reader->spec->n_bodies - 1; i++) /* the last one is the body itself */
        if (!strcmp(reader->spec->bodies[i].name.text, text))
            return &reader->spec->bodies[i];
    dal_complain(reader->messages, name.mark, "%s is to be the mirror image of '%.100s': there is no such body above it", reader->what, text);
    return NULL;
}

bool dal_mirror_body(dal_reader *reader, const dal_tree *mirror, const dal_tree *of, dal_body_spec *body)
{
    dal_mirror m = {.reader = reader, .spec = reader->spec};
    dal_text axis = {0};
    if (!mirror || !of) {
        dal_complain(reader->messages, (mirror ? mirror : of)->key_mark,
                     mirror ? "%s has 'mirror' and no 'of': name the body that it is the mirror image of"
                            : "%s has 'of' and no 'mirror': say along which axis it is mirrored, x, y or z",
                     reader->what);
        return false;
    }
    reader->key = "mirror";
    if (!dal_read_scalar(reader, mirror, &axis) || !read_axis(reader, &axis, reader->what, &m.axis))
        return false;
    const dal_body_spec *original = find_original(reader, of);
    if (!original)
        return false;
    dal_body_spec image = *original;
    if (image.from.text) {
        dal_complain(reader->messages, of->mark, "%s cannot be the mirror image of '%.100s', which is placed from another body", reader->what,
                     image.name.text);
        return false;
    }
    if (!mirror_body(&m, m.axis, &image))
        return false;
    const bool placed = body->position.n || body->between.n || body->angle.text || body->orientation.kind, own_shape = body->shape.n,
               own_mass = body->mass.text || body->density.text;
    TAKE(binding, );
    if (!own_mass) {
        body->mass = image.mass;
        body->density = image.density;
    }
    TAKE(center, .n);
    TAKE(inertia, .n);
    TAKE(inertia_check, .text);
    TAKE(velocity, .n);
    TAKE(angular_velocity, .n);
    TAKE(rate, .text);
    TAKE(points, .n);
    if (!own_shape)
        body->shape = image.shape;
    if (!placed) {
        body->position = image.position;
        body->between = image.between;
        body->angle = image.angle;
        body->orientation = image.orientation;
    }
    body->fix |= image.fix;
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------- */

const dal_joint_spec *dal_mirror_joint(const dal_mirror *m, const char *name)
{
    for (int i = 0; i < m->spec->n_joints; i++)
        if (name && !strcmp(m->spec->joints[i].name.text, name))
            return &m->spec->joints[i];
    return NULL;
}

/* The body at the head of "thigh.B"; *point is what stands behind it, or "". */
static const dal_body_spec *body_of(const dal_mirror *m, const char *path, const char **point)
{
    const dal_body_spec *best = NULL;
    size_t most = 0;
    for (int i = 0; path && i < m->spec->n_bodies; i++) {
        const size_t n = strlen(m->spec->bodies[i].name.text);
        if (n > most && !strncmp(path, m->spec->bodies[i].name.text, n) && (!path[n] || path[n] == '.')) {
            best = &m->spec->bodies[i];
            most = n;
            *point = path[n] ? path + n + 1 : path + n;
        }
    }
    return best;
}

const dal_body_spec *dal_mirror_find_body(const dal_mirror *m, const char *name)
{
    const char *rest = "";
    const dal_body_spec *body = body_of(m, name, &rest);
    return body && !*rest ? body : NULL;
}

int dal_mirror_along(const dal_mirror *m, const dal_binding *binding)
{
    for (int i = 0; binding && binding->model && i < m->spec->n_models; i++)
        if (m->along && m->spec->models[i] == binding->model)
            return m->along[i];
    return m->axis;
}

/* The ground of a model inside the part, "foot.ground.P": its number; *point is what stands behind. -1: it is none. */
static int inner_ground(const dal_mirror *m, const char *path, const char **point)
{
    for (int i = 1; i < m->spec->n_models; i++) {
        const size_t n = strlen(m->spec->models[i]->name.text);
        if (!strncmp(path, m->spec->models[i]->name.text, n) && !strncmp(path + n, ".ground", 7) && (!path[n + 7] || path[n + 7] == '.')) {
            *point = path[n + 7] ? path + n + 8 : path + n + 7;
            return i;
        }
    }
    return -1;
}

/* What a frame "thigh.B" is: the axis that its carrier is mirrored along, and whether the point has axes. */
static int frame_of(const dal_mirror *m, const char *path, bool *axes)
{
    const char *point = "";
    const dal_body_spec *body = body_of(m, path, &point);
    const int inner = body ? -1 : inner_ground(m, path, &point);
    const dal_points *points = body ? &body->points : inner >= 0 ? &m->spec->models[inner]->points : &m->spec->ground;
    if (!body && inner < 0)
        point = !strncmp(path, "ground.", 7) ? path + 7 : "";
    *axes = false;
    for (int i = 0; i < points->n; i++)
        if (!strcmp(points->item[i].name.text, point))
            *axes = points->item[i].axes.kind == DAL_ATTITUDE_AXES;
    return body ? dal_mirror_along(m, body->binding) : inner >= 0 ? m->along[inner] : m->axis;
}

/* Models inside the part: one that stands on a frame with axes is mirrored along the axis that turns round there. They come in the order of the
 * file, and one may stand on another: as often as there are models. */
static void find_axes(dal_mirror *m)
{
    m->along = DAL_NEW(m->reader->scratch, int, m->spec->n_models);
    for (int i = 0; i < m->spec->n_models; i++)
        m->along[i] = m->axis;
    for (int round = 1; round < m->spec->n_models; round++)
        for (int i = 1; i < m->spec->n_models; i++) {
            bool axes;
            const int carrier = frame_of(m, m->spec->models[i]->ground.text, &axes);
            m->along[i] = axes ? frame_axis(m) : carrier;
        }
}

/* ---- joints ------------------------------------------------------------------------------------------- */

/* Does the axis of the joint have no sense of rotation? */
static bool slides(const dal_mirror *m, const char *type)
{
    static const char *const types[] = {"prismatic", "point-on-line", "point-on-plane", "pin-in-slot", "skate", "planar"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i], type))
            return true;
    return planar(m);
}

static bool axes_of_points(const dal_mirror *m, const dal_joint_spec *joint)
{
    bool axes = false;
    if (!joint->axis.n && joint->connect.n)
        frame_of(m, joint->connect.item[0].text, &axes);
    return axes;
}

/* The first coordinate of a type. */
static const char *first_coordinate(const char *type)
{
    return !strcmp(type, "prismatic") || !strcmp(type, "point-on-line") || !strcmp(type, "pin-in-slot") ? "distance" : "angle";
}

bool dal_mirror_odd(const dal_mirror *m, const dal_joint_spec *joint, const char *coordinate)
{
    if (!joint || !joint->type.text)
        return false;
    const char *name = coordinate ? coordinate : first_coordinate(joint->type.text);
    if (joint->joint.text || joint->body.text) /* driven and locked ones have the coordinate that they hold */
        return joint->joint.text ? dal_mirror_odd(m, dal_mirror_joint(m, joint->joint.text), joint->coordinate.text) : false;
    if (planar(m))
        return !strcmp(name, "angle");
    if (axes_of_points(m, joint))
        return strcmp(name, "angle") != 0;
    return !strcmp(name, "distance") && !slides(m, joint->type.text);
}

/* x, y, z or angle of a body, along the world's axes. */
static bool odd_of_body(const dal_mirror *m, const char *coordinate)
{
    return coordinate && (!strcmp(coordinate, "angle") || (coordinate[0] == 'x' + m->axis && !coordinate[1]));
}

static bool is_known_type(const char *type)
{
    static const char *const types[] = {"revolute",      "prismatic",       "cylindrical",  "spherical",     "universal",      "planar",
                                        "rigid",         "distance",        "pin-in-slot",  "point-on-line", "point-on-plane", "parallel",
                                        "perpendicular", "screw",           "rolling-disc", "rolling-wheel", "rolling-ball",   "skate",
                                        "gear",          "rack-and-pinion", "driven",       "lock"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i], type))
            return true;
    return false;
}

static bool refuse_joint(const dal_mirror *m, const dal_joint_spec *joint, const char *why)
{
    dal_complain(m->reader->messages, joint->name.mark, "joint '%s' cannot be mirrored: %s", joint->name.text, why);
    return false;
}

/* A mirrored frame has its z axis turned round: as a normal it would point to the other side. */
static bool has_lost_normal(const dal_mirror *m, const dal_joint_spec *joint)
{
    bool axes = false;
    if (strncmp(joint->type.text, "rolling", 7) || joint->normal.n || !joint->connect.n)
        return false;
    frame_of(m, joint->connect.item[0].text, &axes);
    return axes;
}

static void mirror_axis(const dal_mirror *m, const dal_joint_spec *joint, int side, dal_list *axis)
{
    bool unused;
    const int along = side < joint->connect.n ? frame_of(m, joint->connect.item[side].text, &unused) : m->axis;
    if (slides(m, joint->type.text))
        mirror_polar(m, along, axis);
    else
        mirror_axial(m, along, axis);
}

static void negate_if(const dal_mirror *m, bool odd, dal_text *text)
{
    if (odd)
        dal_mirror_negate(m->reader, text);
}

/* Two coordinates in a ratio. */
static void mirror_coupling(const dal_mirror *m, dal_joint_spec *joint)
{
    const bool rack = !strcmp(joint->type.text, "rack-and-pinion");
    if (joint->joints.n != 2)
        return;
    const bool first = dal_mirror_odd(m, dal_mirror_joint(m, joint->joints.item[0].text), "angle");
    const bool second = dal_mirror_odd(m, dal_mirror_joint(m, joint->joints.item[1].text), rack ? "distance" : "angle");
    negate_if(m, first != second, rack ? &joint->radius : &joint->ratio);
}

static void mirror_law(const dal_mirror *m, const dal_binding *binding, dal_law_spec *law)
{
    for (int i = 0; i < law->n; i++) {
        dal_mirror_text(m, binding, &law->item[i].value);
        negate_if(m, dal_mirror_odd_channel(m, binding, law->item[i].name.text), &law->item[i].value);
    }
}

static bool mirror_joint(const dal_mirror *m, dal_joint_spec *joint)
{
    const char *type = joint->type.text;
    if (!type || !is_known_type(type))
        return refuse_joint(m, joint, "its type is the model's own, and the program does not know the mirror image of its equations");
    if (has_lost_normal(m, joint))
        return refuse_joint(m, joint, "its normal comes from the axes of a point; write `normal:`");
    const bool of_body = joint->body.text, odd = of_body ? odd_of_body(m, joint->coordinate.text) : dal_mirror_odd(m, joint, joint->coordinate.text);
    bool unused;
    const bool surface = joint->normal.n || !strncmp(type, "rolling", 7) || !strcmp(type, "skate");
    mirror_axis(m, joint, surface ? 1 : 0, &joint->axis); /* on a surface it is written in the second body */
    mirror_axis(m, joint, 1, &joint->axis_second);
    if (joint->normal.n)
        mirror_polar(m, frame_of(m, joint->connect.item[0].text, &unused), &joint->normal);
    mirror_coupling(m, joint);
    if (!planar(m))
        dal_mirror_negate(m->reader, &joint->pitch);
    negate_if(m, odd, &joint->value);
    negate_if(m, odd, &joint->drive);
    negate_if(m, odd, &joint->drive_rate);
    negate_if(m, odd, &joint->zero);
    negate_if(m, dal_mirror_odd(m, joint, "angle"), &joint->start.angle);
    negate_if(m, dal_mirror_odd(m, joint, "distance"), &joint->start.distance);
    negate_if(m, dal_mirror_odd(m, joint, NULL), &joint->start.rate);
    if (odd) {
        const double lowest = joint->limit[0];
        joint->limit[0] = -joint->limit[1];
        joint->limit[1] = -lowest;
    }
    mirror_law(m, joint->binding, &joint->law);
    return true;
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

/* A torque between two bodies of a planar model has no joint, and yet a sense. */
bool dal_mirror_odd_force(const dal_mirror *m, const dal_force_spec *force)
{
    if (force->joint.text)
        return dal_mirror_odd(m, dal_mirror_joint(m, force->joint.text), force->coordinate.text);
    if (force->body.text && force->coordinate.text)
        return odd_of_body(m, force->coordinate.text);
    return planar(m) && force->type.text && (!strcmp(force->type.text, "torque") || !strcmp(force->type.text, "torsional-spring-damper"));
}

static void mirror_force(const dal_mirror *m, dal_force_spec *force)
{
    const bool torque = force->type.text && !strcmp(force->type.text, "torque"), odd = dal_mirror_odd_force(m, force);
    const bool in_body = force->axes.text && !strcmp(force->axes.text, "body");
    bool unused;
    const int along = in_body && force->body.text ? frame_of(m, force->body.text, &unused) : m->axis;
    own_list(m, &force->value);
    for (int i = 0; i < force->value.n; i++)
        dal_mirror_text(m, force->binding, &force->value.item[i]);
    if (force->value.n > 1 && torque)
        mirror_axial(m, along, &force->value);
    else if (force->value.n > 1)
        mirror_polar(m, along, &force->value);
    else if (odd && !force->direction.n)
        negate_all(m, &force->value);
    if (torque)
        mirror_axial(m, along, &force->direction);
    else
        mirror_polar(m, along, &force->direction);
    mirror_polar(m, m->axis, &force->center);
    if (!odd)
        return;
    dal_mirror_negate(m->reader, &force->free);
    dal_mirror_negate(m->reader, &force->lower);
    dal_mirror_negate(m->reader, &force->upper);
    swap_texts(&force->lower, &force->upper);
    mirror_range(m, &force->limit);
}

/* ---- a whole part --------------------------------------------------------------------------------------------- */

static void mirror_subsystem(const dal_mirror *m, dal_subsystem_spec *s)
{
    dal_text *const texts[] = {&s->kinetic, &s->potential, &s->L, &s->T, &s->V, &s->dissipation};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        dal_mirror_text(m, s->binding, texts[i]);
    for (int i = 0; i < s->force.n; i++)
        dal_mirror_text(m, s->binding, &s->force.item[i]);
}

/* Names of the part are those of its own file still. Expressions first: they ask how the elements were. */
static void mirror_expressions(const dal_mirror *m)
{
    dal_spec *spec = m->spec;
    for (int i = 0; i < spec->n_define; i++)
        dal_mirror_text(m, spec->define[i].binding, &spec->define[i].value);
    for (int i = 0; i < spec->n_inputs; i++)
        if (spec->inputs[i].period.text)
            dal_mirror_text(m, spec->inputs[i].binding, &spec->inputs[i].value);
    for (int i = 0; i < spec->n_states; i++)
        dal_mirror_text(m, spec->states[i].binding, &spec->states[i].rate);
    for (int i = 0; i < spec->n_speeds; i++)
        dal_mirror_text(m, spec->speeds[i].binding, &spec->speeds[i].value);
    for (int i = 0; i < spec->n_constraints; i++) {
        dal_mirror_text(m, spec->constraints[i].binding, &spec->constraints[i].position);
        dal_mirror_text(m, spec->constraints[i].binding, &spec->constraints[i].velocity);
        mirror_law(m, spec->constraints[i].binding, &spec->constraints[i].law);
    }
    for (int i = 0; i < spec->n_systems; i++)
        mirror_subsystem(m, &spec->systems[i]);
}

bool dal_mirror_part(dal_reader *reader, dal_spec *part, const dal_text *axis, const char *what)
{
    dal_mirror m = {.reader = reader, .spec = part};
    bool fine = true;
    if (!read_axis(reader, axis, what, &m.axis))
        return false;
    find_axes(&m);
    mirror_expressions(&m);
    for (int i = 0; i < part->n_forces; i++)
        mirror_force(&m, &part->forces[i]);
    for (int i = part->n_joints; i-- > 0;) /* from the last: couplings ask those above them */
        fine &= mirror_joint(&m, &part->joints[i]);
    for (int i = 0; i < part->n_bodies; i++)
        fine &= mirror_body(&m, dal_mirror_along(&m, part->bodies[i].binding), &part->bodies[i]);
    for (int i = 0; i < part->n_models; i++) {
        mirror_points(&m, m.along[i], &part->models[i]->points);
        fine &= mirror_figures(&m, m.along[i], &part->models[i]->shape);
    }
    return fine;
}
