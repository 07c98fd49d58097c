/* Mass, centre and inertia of a body from its shapes.
 *
 * A shape of volume V, with its centroid c and second moments S = integral of x x^T dV in its own axes, is put into the body by x_body = a + R x:
 *   V -> V,   V c -> V a + R V c,   S -> R S R^T + a (R V c)^T + (R V c) a^T + V a a^T.
 * Shapes of density rho add up:  m = sum of rho V,  m c = sum of rho V c,  S = sum of rho S. About the centre of mass
 *   S_c = S - m c c^T,   I = tr(S_c) 1 - S_c.
 * With `density:` that is all; with `mass:` alone every density is scaled so that m is the mass.
 */
#include "math/rotation.h"
#include "compile/build.h"
#include "compile/scene.h"

#include <math.h>
#include <string.h>

/* Of a volume, or of a body: V or m, and its first and second moments. */
typedef struct moments {
    double zeroth, first[3], second[9];
} moments;

static const double pi = 3.14159265358979323846;

/* ---- shapes in their own axes ------------------------------------------------------- */

static void diagonal(moments *out, double volume, double xx, double yy, double zz)
{
    *out = (moments){.zeroth = volume, .second = {xx, 0, 0, 0, yy, 0, 0, 0, zz}};
}

static void of_box(const double size[3], moments *out)
{
    const double V = size[0] * size[1] * size[2];
    diagonal(out, V, V * size[0] * size[0] / 12, V * size[1] * size[1] / 12, V * size[2] * size[2] / 12);
}

static void of_sphere(double r, moments *out)
{
    const double V = 4 * pi * r * r * r / 3, s = V * r * r / 5;
    diagonal(out, V, s, s, s);
}

static void of_cylinder(double r, double length, moments *out)
{
    const double V = pi * r * r * length, s = V * r * r / 4;
    diagonal(out, V, s, s, V * length * length / 12);
}

/* A cylinder and two half spheres, whose centroids lie 3 r/8 beyond its ends. */
static void of_capsule(double r, double length, moments *out)
{
    moments rod, ball;
    of_cylinder(r, length, &rod);
    of_sphere(r, &ball);
    const double side = rod.second[0] + ball.second[0];
    const double along = rod.second[8] + ball.second[8] + ball.zeroth * (length * length / 4 + 3 * length * r / 8);
    diagonal(out, rod.zeroth + ball.zeroth, side, side, along);
}

/* m with x = a + R x_own. */
static void place_moments(moments *m, const double a[3], const double R[9])
{
    double first[3] = {0}, turned[9] = {0}, second[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            first[i] += R[3 * i + j] * m->first[j];
            for (int k = 0; k < 3; k++)
                turned[3 * i + j] += R[3 * i + k] * m->second[3 * k + j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            second[3 * i + j] = a[i] * first[j] + first[i] * a[j] + m->zeroth * a[i] * a[j];
            for (int k = 0; k < 3; k++)
                second[3 * i + j] += turned[3 * i + k] * R[3 * j + k];
        }
    for (int i = 0; i < 3; i++)
        m->first[i] = first[i] + m->zeroth * a[i];
    memcpy(m->second, second, sizeof second);
}

/* A polygon with the corners p, by the triangles between its first corner and its edges, whose sides are u and v:
 *   A = sum of (u x v)/2,   integral of x = sum of (u + v) (u x v)/6,
 *   integral of x x^T = sum of ((u + v)(u + v)^T + u u^T + v v^T) (u x v)/24. */
static void of_plate(const dal_figure *f, moments *out)
{
    const double *p = f->points, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    moments m = {0};
    for (int i = 1; i + 1 < f->n_points; i++) {
        const double u[2] = {p[3 * i] - p[0], p[3 * i + 1] - p[1]}, v[2] = {p[3 * i + 3] - p[0], p[3 * i + 4] - p[1]};
        const double cross = u[0] * v[1] - u[1] * v[0];
        m.zeroth += cross / 2;
        for (int k = 0; k < 2; k++) {
            m.first[k] += (u[k] + v[k]) * cross / 6;
            for (int l = 0; l < 2; l++)
                m.second[3 * k + l] += ((u[k] + v[k]) * (u[l] + v[l]) + u[k] * u[l] + v[k] * v[l]) * cross / 24;
        }
    }
    const double depth = m.zeroth < 0 ? -f->thickness : f->thickness; /* corners in either sense */
    m.zeroth *= depth;
    for (int k = 0; k < 3; k++)
        m.first[k] *= depth;
    for (int k = 0; k < 9; k++)
        m.second[k] *= depth;
    m.second[8] = m.zeroth * depth * depth / 12;
    place_moments(&m, (const double[3]){p[0], p[1], 0}, identity);
    *out = m;
}

/* The sum over the tetrahedra between one vertex and the triangles, whose sides are u, v and w:
 *   V = u . (v x w)/6,   integral of x = (u + v + w) V/4,   integral of x x^T = (s s^T + u u^T + v v^T + w w^T) V/20,  s = u + v + w.
 * `gap`: the sum of the area vectors over that of the areas, which is zero where the surface is closed. */
static void of_mesh(const dal_mesh *mesh, moments *out, double *gap)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    moments m = {0};
    double origin[3], sum[3] = {0}, areas = 0;
    for (int k = 0; k < 3; k++)
        origin[k] = mesh->vertices[k];
    for (int t = 0; t < mesh->n_triangles; t++) {
        double x[3][3], s[3], area[3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                x[c][k] = mesh->vertices[3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)c] + (size_t)k] - origin[k];
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            area[k] = ((x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) - (x[1][j] - x[0][j]) * (x[2][i] - x[0][i])) / 2;
            s[k] = x[0][k] + x[1][k] + x[2][k];
            sum[k] += area[k];
        }
        areas += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        const double V = (x[0][0] * area[0] + x[0][1] * area[1] + x[0][2] * area[2]) / 3; /* height times base */
        m.zeroth += V;
        for (int k = 0; k < 3; k++) {
            m.first[k] += s[k] * V / 4;
            for (int l = 0; l < 3; l++)
                m.second[3 * k + l] += (s[k] * s[l] + x[0][k] * x[0][l] + x[1][k] * x[1][l] + x[2][k] * x[2][l]) * V / 20;
        }
    }
    *gap = areas > 0 ? sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / areas : 1;
    if (m.zeroth < 0) { /* triangles seen from inside */
        m.zeroth = -m.zeroth;
        for (int k = 0; k < 3; k++)
            m.first[k] = -m.first[k];
        for (int k = 0; k < 9; k++)
            m.second[k] = -m.second[k];
    }
    place_moments(&m, origin, identity);
    *out = m;
}

/* ---- what has no volume -------------------------------------------------------------- */

static double side_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Do two edges of an outline that are no neighbours cross? Then its area is not defined. */
static bool crosses_itself(const dal_figure *f)
{
    const int n = f->n_points;
    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++) {
            const double *a = f->points + 3 * i, *b = f->points + 3 * ((i + 1) % n), *c = f->points + 3 * j, *d = f->points + 3 * ((j + 1) % n);
            if ((j + 1) % n != i && side_of(a, b, c) * side_of(a, b, d) < 0 && side_of(c, d, a) * side_of(c, d, b) < 0)
                return true;
        }
    return false;
}

/* Vertices are single-precision numbers: smaller gaps cannot be distinguished from rounding. */
static const double largest_gap = 1e-6;

/* A planar box of two numbers has a depth for the picture only. */
static bool lacks_depth(const dal_build *build, const dal_body_spec *spec, const dal_figure_spec *figure)
{
    return build->spec->space == DAL_PLANAR && figure->size.n == 2 && (spec->density.text || spec->shape.n > 1);
}

static bool refuse_shape(dal_build *build, const dal_body_spec *spec, const dal_figure_spec *figure, const char *why)
{
    dal_error(build->messages, figure->mark, "a %s of '%s' gives no mass: %s", figure->type.text, spec->name.text, why);
    return false;
}

/* The moments of its volume in body axes; *volume false: it has none, as a polyline. */
static bool shape_moments(dal_build *build, const dal_body_spec *spec, const dal_figure_spec *figure, moments *out, bool *volume)
{
    dal_figure f;
    double R[9], gap = 0;
    *out = (moments){0};
    *volume = !figure->picture;
    if (figure->picture)
        return true;
    if (!dal_build_figure(build, spec->binding, figure, true, &f))
        return false;
    switch (f.kind) {
    case DAL_FIGURE_BOX:
        if (lacks_depth(build, spec, figure))
            return refuse_shape(build, spec, figure, "in a planar model give its depth too, as the third number of `size`");
        of_box(f.size, out);
        break;
    case DAL_FIGURE_SPHERE: of_sphere(f.radius, out); break;
    case DAL_FIGURE_CYLINDER: of_cylinder(f.radius, f.length, out); break;
    case DAL_FIGURE_CAPSULE: of_capsule(f.radius, f.length, out); break;
    case DAL_FIGURE_PLATE:
        if (crosses_itself(&f))
            return refuse_shape(build, spec, figure, "its outline crosses itself");
        of_plate(&f, out);
        break;
    case DAL_FIGURE_MESH:
        of_mesh(&f.mesh, out, &gap);
        if (gap > largest_gap)
            return refuse_shape(build, spec, figure, "its surface is not closed; give `mass`, `center` and `inertia`");
        break;
    case DAL_FIGURE_POLYLINE: *volume = false; return true;
    }
    if (!(out->zeroth > 0))
        return refuse_shape(build, spec, figure, "its volume is zero");
    dal_rotation_quaternion(f.quaternion, R);
    place_moments(out, f.at, R);
    return true;
}

/* ---- a body ----------------------------------------------------------------------------- */

static bool read_density(dal_build *build, const dal_body_spec *spec, dal_text text, double *density)
{
    if (!text.text)
        return true;
    if (!dal_build_number(build, spec->binding, text, density))
        return false;
    if (*density >= 0 && isfinite(*density))
        return true;
    dal_error(build->messages, text.mark, "the density of '%s' is %.6g, and cannot be negative", spec->name.text, *density);
    return false;
}

/* The sum over the shapes. Without any density each volume counts alike. */
static bool add_up(dal_build *build, const dal_body_spec *spec, moments *sum)
{
    double common = 1;
    const dal_text *first = NULL; /* density of the first shape with a mass */
    *sum = (moments){0};
    if (!read_density(build, spec, spec->density, &common))
        return false;
    for (int i = 0; i < spec->shape.n; i++) {
        moments one;
        bool volume;
        double density = common;
        if (!shape_moments(build, spec, &spec->shape.item[i], &one, &volume) || !read_density(build, spec, spec->shape.item[i].density, &density))
            return false;
        if (!volume)
            continue;
        if (!spec->density.text && density > 0 && first && !first->text != !spec->shape.item[i].density.text) {
            dal_error(build->messages, spec->shape.item[i].mark,
                      "beside a mass only the ratios of densities count: give all of them a density, or none");
            return false;
        }
        first = !first && density > 0 ? &spec->shape.item[i].density : first;
        sum->zeroth += density * one.zeroth;
        for (int k = 0; k < 3; k++)
            sum->first[k] += density * one.first[k];
        for (int k = 0; k < 9; k++)
            sum->second[k] += density * one.second[k];
    }
    return true;
}

/* `density` gives all three; what is written beside it would be a second value. */
static bool contradicts(dal_build *build, const dal_body_spec *spec)
{
    const struct {
        const char *key;
        bool given;
        dal_mark mark;
    } twice[] = {{"mass", spec->density.text && spec->mass.text, spec->mass.mark},
                 {"inertia", spec->inertia.n > 0, spec->inertia.mark},
                 {"center", spec->center.n > 0, spec->center.mark}};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (twice[i].given) {
            dal_error(build->messages, twice[i].mark, "'%s' has its %s from %s: drop `%s`%s", spec->name.text,
                      i == 0   ? "mass"
                      : i == 1 ? "inertia"
                               : "centre of mass",
                      spec->density.text ? "`density` and `shape`" : "its shape", twice[i].key, spec->density.text ? "" : ", or give `inertia`");
            return true;
        }
    return false;
}

bool dal_has_volume(const dal_body_spec *spec)
{
    for (int i = 0; i < spec->shape.n; i++)
        if (spec->shape.item[i].type.text && dal_figure_find(spec->shape.item[i].type.text) != DAL_FIGURE_POLYLINE)
            return true;
    return false;
}

void dal_mass_of_shapes(dal_build *build, const dal_body_spec *spec, dal_body *body)
{
    moments m;
    if (contradicts(build, spec))
        return;
    if (!dal_has_volume(spec)) {
        dal_error(build->messages, spec->density.mark, "'%s' has a density and no %s: the mass is density times volume", spec->name.text,
                  spec->shape.n ? "shape with a volume" : "`shape`");
        return;
    }
    if (!add_up(build, spec, &m))
        return;
    if (!(m.zeroth > 0)) {
        if (spec->mass.text || spec->density.text == NULL)
            dal_error(build->messages, spec->mass.mark, "the densities of the shapes of '%s' are all zero: they cannot share its mass",
                      spec->name.text);
        return; /* density: 0 is a massless part */
    }
    const double scale = spec->density.text ? 1 : body->mass / m.zeroth, c[3] = {m.first[0] / m.zeroth, m.first[1] / m.zeroth, m.first[2] / m.zeroth};
    double trace = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.second[3 * i + j] = scale * (m.second[3 * i + j] - m.first[i] * c[j]);
    for (int i = 0; i < 3; i++)
        trace += m.second[4 * i];
    for (int i = 0; i < 9; i++)
        body->inertia[i] = (i % 4 ? 0 : trace) - m.second[i];
    memcpy(body->center, c, sizeof c);
    if (spec->density.text)
        body->mass = m.zeroth;
    if (build->spec->space == DAL_PLANAR) {
        const double about_z[9] = {[8] = body->inertia[8]};
        memcpy(body->inertia, about_z, sizeof about_z);
        body->center[2] = 0;
    }
    const dal_mark mark = spec->density.text ? spec->density.mark : spec->mass.mark;
    if (dal_build_bounded(build, mark, "mass", body->name, 1, &body->mass) && dal_build_bounded(build, mark, "inertia", body->name, 9, body->inertia))
        dal_build_bounded(build, mark, "centre of mass", body->name, 3, body->center);
}
