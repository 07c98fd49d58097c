/* Bodies in the mirror, with their points and shapes. */
#include "spec/mirror_parts.h"

#include <string.h>

void dal_mirror_points(const dal_mirror *m, int axis, dal_points *points)
{
    dal_point_spec *own = DAL_NEW(m->reader->keep, dal_point_spec, points->n);
    if (points->n)
        memcpy(own, points->item, sizeof *own * (size_t)points->n);
    points->item = own;
    for (int i = 0; i < points->n; i++) {
        dal_mirror_polar(m, axis, &own[i].at);
        if (own[i].axes.kind == DAL_ATTITUDE_AXES)
            dal_mirror_axes(m, axis, dal_mirror_frame_axis(m), &own[i].axes);
    }
}

/* ---- shapes ------------------------------------------------------------------------------------ */

/* The scale of the mesh along the three axes, one of them with a minus. */
static void mirror_mesh(const dal_mirror *m, int axis, dal_figure_spec *f)
{
    if (!f->stretch.n) {
        f->stretch = (dal_list){.n = 3, .item = DAL_NEW(m->reader->keep, dal_text, 3), .mark = f->mark};
        for (int i = 0; i < 3; i++)
            f->stretch.item[i] = f->scale.text ? f->scale : (dal_text){.text = "1", .mark = f->mark};
    }
    dal_mirror_polar(m, axis, &f->stretch);
}

/* Boxes, cylinders, spheres and capsules are their own mirror images in their own axes. */
static bool mirror_figure(const dal_mirror *m, int axis, dal_figure_spec *f)
{
    if (f->axis.n && (f->n_points || f->file.text)) {
        dal_complain(m->reader->messages, f->mark, "a shape with 'axis' cannot be mirrored where it is a %s: give its 'orientation' instead",
                     f->type.text ? f->type.text : "mesh");
        return false;
    }
    dal_mirror_polar(m, axis, &f->at);
    dal_mirror_polar(m, axis, &f->axis);
    dal_mirror_attitude(m, axis, &f->orientation);
    dal_mirror_negate(m->reader, &f->angle);
    dal_list *points = DAL_NEW(m->reader->keep, dal_list, f->n_points);
    for (int i = 0; i < f->n_points; i++) {
        points[i] = f->points[i];
        dal_mirror_polar(m, axis, &points[i]);
    }
    f->points = points;
    if (f->file.text || f->path)
        mirror_mesh(m, axis, f);
    return true;
}

bool dal_mirror_figures(const dal_mirror *m, int axis, dal_figures *figures)
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

/* ---- bodies ------------------------------------------------------------------------------------ */

/* If a body is placed between two points, its other axes must be those of its mirror image: `fix` of the first name, of the second and of the list
 * are for x, y and z (place_between). */
static void turn_between(const dal_mirror *m, int axis, dal_list *between)
{
    dal_mirror_own(m, between);
    bool *const mirrored = axis == 2 ? &between->fix : &between->item[axis].fix;
    *mirrored = !*mirrored;
}

bool dal_mirror_image_of_body(const dal_mirror *m, int axis, dal_body_spec *body)
{
    static const int product[3][2] = {{0, 1}, {0, 2}, {1, 2}}; /* xy, xz, yz */
    dal_mirror_polar(m, axis, &body->center);
    dal_mirror_polar(m, axis, &body->position);
    dal_mirror_polar(m, axis, &body->velocity);
    dal_mirror_axial(m, axis, &body->angular_velocity);
    dal_mirror_own(m, &body->inertia);
    for (int i = 0; i < 3 && body->inertia.n == 6; i++)
        if (product[i][0] == axis || product[i][1] == axis)
            dal_mirror_negate(m->reader, &body->inertia.item[3 + i]);
    dal_mirror_negate(m->reader, &body->angle);
    dal_mirror_negate(m->reader, &body->rate);
    dal_mirror_attitude(m, axis, &body->orientation);
    dal_mirror_points(m, axis, &body->points);
    if (body->between.n == 2)
        turn_between(m, axis, &body->between);
    return dal_mirror_figures(m, axis, &body->shape);
}

/* The first value that is given; of two, the one in the file. */
#define TAKE(field, given)                                                                                                                           \
    do {                                                                                                                                             \
        if (!(body->field given))                                                                                                                    \
            body->field = image.field;                                                                                                               \
    } while (0)

/* The body that `of` names; NULL after an error. */
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

/* A position of its own leaves the attitude of the image, and the other way round; two points give both. Beside `from:`, both are relative to it. */
static bool place_image(dal_reader *reader, const dal_body_spec *image, dal_body_spec *body)
{
    const bool put = body->position.n, turned = body->angle.text || body->orientation.kind;
    if (body->between.n || (body->from.text && (put || turned)))
        return true;
    if (image->between.n && put != turned) {
        dal_complain(reader->messages, body->name.mark,
                     "%s is the mirror image of '%.100s', which two points place: beside `mirror:`, give `%s:` as well, or neither", reader->what,
                     image->name.text, put ? "angle:` or `orientation" : "position");
        return false;
    }
    if (!put)
        body->position = image->position;
    if (!put && !turned)
        body->between = image->between;
    if (!turned) {
        body->angle = image->angle;
        body->orientation = image->orientation;
    }
    return true;
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
    if (!dal_read_scalar(reader, mirror, &axis) || !dal_mirror_read_axis(reader, &axis, reader->what, &m.axis))
        return false;
    const dal_body_spec *original = find_original(reader, of);
    if (!original || dal_messages_count(reader->messages, DAL_ERROR)) /* after an error values may be missing */
        return false;
    dal_body_spec image = *original;
    if (image.from.text) {
        dal_complain(reader->messages, of->mark, "%s cannot be the mirror image of '%.100s', which is placed from another body", reader->what,
                     image.name.text);
        return false;
    }
    if (!dal_mirror_image_of_body(&m, m.axis, &image))
        return false;
    const bool own_shape = body->shape.n, own_mass = body->mass.text || body->density.text;
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
    body->fix |= image.fix;
    return place_image(reader, &image, body);
}
