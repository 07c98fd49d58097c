/* `shape:`: from the description to numbers. A table says which keys each type of shape takes. */
#include "math/rotation.h"
#include "compile/keys.h"
#include "compile/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const dal_figure_names[] = {"box", "sphere", "cylinder", "capsule", "plate", "polyline", "mesh", NULL};
static const char *const keys_of[] = {"size! at angle orientation",
                                      "radius! at angle orientation",
                                      "radius! length! axis at angle orientation",
                                      "radius! length! axis at angle orientation",
                                      "outline! thickness! at angle orientation",
                                      "points! radius at angle orientation",
                                      "file! scale at angle orientation"};

static bool check_keys(dal_build *build, const dal_figure_spec *f, dal_figure_kind kind)
{
    const dal_given given[] = {{"size", f->size.n, f->size.mark},
                               {"radius", f->radius.text, f->radius.mark},
                               {"length", f->length.text, f->length.mark},
                               {"axis", f->axis.n, f->axis.mark},
                               {"thickness", f->thickness.text, f->thickness.mark},
                               {"outline", f->points_mark.line && f->outline, f->points_mark},
                               {"points", f->points_mark.line && !f->outline, f->points_mark},
                               {"file", f->file.text, f->file.mark},
                               {"scale", f->scale.text, f->scale.mark}};
    return dal_check_keys(build, "a", (dal_text){.text = "shape", .mark = f->mark}, dal_figure_names[kind], keys_of[kind],
                          (int)(sizeof given / sizeof *given), given);
}

/* ---- numbers ------------------------------------------------------------------- */

static bool positive(dal_build *build, const dal_binding *binding, dal_text text, const char *key, double *value)
{
    if (!text.text)
        return true;
    if (!dal_build_number(build, binding, text, value))
        return false;
    if (*value > 0)
        return true;
    dal_error(build->messages, text.mark, "'%s' of a shape has to be positive; it is %.9g", key, *value);
    return false;
}

/* Two numbers or three; a planar model may omit the third. */
static bool vector(dal_build *build, const dal_binding *binding, const dal_list *list, const char *key, bool flat, double out[3])
{
    if (!list->n)
        return true;
    if (list->n != 3 && !(flat && list->n == 2)) {
        dal_error(build->messages, list->mark, "'%s' of a shape: %s numbers are needed, %d given", key, flat ? "2 or 3" : "3", list->n);
        return false;
    }
    return dal_build_vector(build, binding, list, out);
}

static bool edges(dal_build *build, const dal_binding *binding, const dal_list *list, double out[3])
{
    const bool flat = build->spec->space == DAL_PLANAR;
    if (!vector(build, binding, list, "size", flat, out))
        return false;
    if (list->n == 2) /* as deep as it is thin */
        out[2] = fmin(out[0], out[1]);
    for (int k = 0; k < list->n; k++)
        if (!(out[k] > 0)) {
            dal_error(build->messages, list->item[k].mark, "the edges of a box have to be positive; one is %.9g", out[k]);
            return false;
        }
    return true;
}

static bool read_points(dal_build *build, const dal_binding *binding, const dal_figure_spec *spec, dal_figure *figure)
{
    const bool outline = spec->outline;
    const int least = outline ? 3 : 2;
    figure->n_points = spec->n_points;
    figure->points = DAL_NEW(build->arena, double, 3 * spec->n_points);
    if (spec->points_mark.line && spec->n_points < least) {
        dal_error(build->messages, spec->points_mark, "%s needs %d points or more; %d given", outline ? "the outline of a plate" : "a polyline",
                  least, spec->n_points);
        return false;
    }
    for (int i = 0; i < spec->n_points; i++) {
        if (outline && spec->points[i].n != 2) {
            dal_error(build->messages, spec->points[i].mark, "a point of an outline has two numbers, [x, y]; %d given", spec->points[i].n);
            return false;
        }
        if (!vector(build, binding, &spec->points[i], "points", outline || build->spec->space == DAL_PLANAR, figure->points + 3 * i))
            return false;
    }
    return true;
}

/* ---- colours --------------------------------------------------------------------- */

bool dal_build_color(dal_build *build, dal_text text, char color[8])
{
    static const char *const named[][2] = {{"black", "#202020"}, {"white", "#ffffff"},  {"gray", "#808080"},   {"red", "#d62728"},
                                           {"green", "#2ca02c"}, {"blue", "#1f77b4"},   {"yellow", "#e7ba2e"}, {"orange", "#ff7f0e"},
                                           {"brown", "#8c564b"}, {"purple", "#9467bd"}, {"cyan", "#17becf"},   {"magenta", "#e377c2"}};
    const char *t = text.text;
    if (!t)
        return true;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strcmp(named[i][0], t))
            return memcpy(color, named[i][1], 8);
    const size_t n = strlen(t), digits = strspn(t + (*t == '#'), "0123456789abcdefABCDEF");
    if (*t == '#' && n == 7 && digits == 6)
        return memcpy(color, t, 8);
    if (*t == '#' && n == 4 && digits == 3)
        return snprintf(color, 8, "#%c%c%c%c%c%c", t[1], t[1], t[2], t[2], t[3], t[3]) == 7;
    dal_error(build->messages, text.mark,
              "'%.40s' is not a color: write \"#rrggbb\" in quotes, or black, white, gray, red, green, blue, yellow, "
              "orange, brown, purple, cyan or magenta",
              t);
    return false;
}

/* ---- place ------------------------------------------------------------------------ */

static bool place_shape(dal_build *build, const dal_binding *binding, const dal_figure_spec *spec, dal_figure *figure)
{
    const bool flat = build->spec->space == DAL_PLANAR;
    double R[9], A[9], axis[3] = {0, 0, 1}, angle = 0;
    dal_rotation_identity(R);
    bool ok = vector(build, binding, &spec->at, "at", flat, figure->at) && vector(build, binding, &spec->axis, "axis", flat, axis);
    if (spec->orientation.kind)
        ok = dal_build_orientation(build, binding, "shape", &spec->orientation, R) && ok;
    if (spec->angle.text) {
        ok = dal_build_number(build, binding, spec->angle, &angle) && ok;
        dal_rotation_elementary(2, angle, R);
    }
    if (ok && spec->axis.n && !dal_rotation_from_axes(2, axis, -1, axis, A)) {
        dal_error(build->messages, spec->axis.mark, "the axis of a shape has length zero");
        return false;
    }
    if (ok && spec->axis.n)
        dal_rotation_multiply(R, A, R);
    dal_quaternion_of(R, figure->quaternion);
    return ok;
}

/* A mirrored mesh is turned inside out, and its triangles are turned back. False: a coordinate is too large for single precision, which pages have. */
static bool scale_mesh(dal_mesh *mesh, const double scale[3])
{
    bool finite = true;
    for (size_t i = 0; i < 3 * (size_t)mesh->n_vertices; i++) {
        const double x = mesh->vertices[i] * scale[i % 3];
        finite = finite && fabs(x) <= (double)FLT_MAX;
        mesh->vertices[i] = fabs(x) <= (double)FLT_MAX ? x : 0;
    }
    for (int t = 0; scale[0] * scale[1] * scale[2] < 0 && t < mesh->n_triangles; t++) {
        uint32_t *corner = mesh->triangles + 3 * (size_t)t, first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
    }
    return finite;
}

/* The file of a mesh, in the size that the model wants. */
static bool read_mesh(dal_build *build, const dal_binding *binding, const dal_figure_spec *spec, double scale, dal_mesh *mesh)
{
    double stretch[3] = {scale, scale, scale};
    if (!vector(build, binding, &spec->stretch, "scale", false, stretch) ||
        !dal_mesh_read(build->arena, build->messages, spec->root ? spec->root : "", spec->path, spec->file.mark, mesh))
        return false;
    if (!scale_mesh(mesh, stretch)) {
        dal_error(build->messages, spec->file.mark, "the mesh '%.200s' is too large for a picture", spec->path);
        return false;
    }
    return true;
}

int dal_figure_find(const char *name)
{
    for (int kind = 0; dal_figure_names[kind]; kind++)
        if (!strcmp(dal_figure_names[kind], name))
            return kind;
    return -1;
}

bool dal_build_figure(dal_build *build, const dal_binding *binding, const dal_figure_spec *spec, bool whole, dal_figure *figure)
{
    const int kind = dal_figure_find(spec->type.text ? spec->type.text : "");
    double scale = 1;
    *figure = (dal_figure){.quaternion = {1, 0, 0, 0}};
    if (kind < 0) {
        dal_refuse_type(build, "a", (dal_text){.text = "shape", .mark = spec->mark}, spec->type, dal_figure_names);
        return false;
    }
    figure->kind = (dal_figure_kind)kind;
    bool ok =
        check_keys(build, spec, figure->kind) && edges(build, binding, &spec->size, figure->size) &&
        positive(build, binding, spec->radius, "radius", &figure->radius) && positive(build, binding, spec->length, "length", &figure->length) &&
        positive(build, binding, spec->thickness, "thickness", &figure->thickness) && positive(build, binding, spec->scale, "scale", &scale) &&
        read_points(build, binding, spec, figure) && dal_build_color(build, spec->color, figure->color) && place_shape(build, binding, spec, figure);
    return ok && whole && spec->path ? read_mesh(build, binding, spec, scale, &figure->mesh) : ok;
}

static void check_all(dal_build *build, const dal_binding *binding, const dal_figures *figures)
{
    dal_figure unused;
    for (int i = 0; i < figures->n; i++)
        dal_build_figure(build, binding, &figures->item[i], false, &unused);
}

/* Then its shapes were checked before. */
static bool gave_mass(const dal_body_spec *spec, const dal_body *body)
{
    return spec->density.text || (!spec->inertia.n && body->mass > 0 && !body->particle);
}

void dal_check_figures(dal_build *build)
{
    const dal_spec *spec = build->spec;
    for (int b = 0; b < spec->n_bodies; b++)
        if (!gave_mass(&spec->bodies[b], &build->mechanism.bodies[b]))
            check_all(build, spec->bodies[b].binding, &spec->bodies[b].shape);
    check_all(build, NULL, &spec->ground_shape);
    for (int i = 0; i < spec->n_models; i++)
        check_all(build, &spec->models[i]->binding, &spec->models[i]->shape);
}
