/* The mechanism at several instants in one picture, from light to dark. The results are read twice: first the times, then the poses.
 *
 * Planar models are drawn as they are. Spatial ones are projected along a direction d = (cos e cos a, cos e sin a, sin e) with azimuth
 * a = -60 and elevation e = 25 degrees about the axis that points up (against gravity where it acts along one, else z): lines that are
 * parallel stay so, and lengths along an axis are the same everywhere.
 */
#include "base/argument.h"
#include "output/svg.h"

#include "dalembert/picture.h"
#include "math/rotation.h"
#include "output/poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, MARGIN = 36, FOOT = 54, TITLE = 26, MOST = 50, COUNT = 5, HULL = 400 };

static const double azimuth = -60 * 0.017453292519943295, elevation = 25 * 0.017453292519943295;

/* A point of the paper. */
typedef struct spot {
    double x, y;
} spot;

/* The drawing of a body, in its own axes: lines, or hulls of points. */
typedef struct piece {
    int body, n;    /* -1: the ground */
    double *points; /* 3 each */
    bool hull, closed;
    double radius; /* radius of a disc about one point; 0: none */
} piece;

typedef struct picture {
    dal_arena arena;
    const dal_snapshot_options *options;
    const char *path;
    dal_messages *messages;
    dal_results *results;
    dal_scene *scene;
    const dal_spec *spec;
    const dal_system *system;
    int n_times, n_pieces, width, height;
    size_t room_pieces;
    double *wanted, *time, *poses; /* poses: n_times x 7 n_bodies */
    piece *pieces;
    double right[3], up[3];       /* of the paper, in world axes */
    const char *view;             /* in words; NULL: planar */
    double scale, shift[2], size; /* paper = shift + scale * projection; of the mechanism, m */
    dal_svg svg;
} picture;

/* ---- what is drawn --------------------------------------------------------------------- */

static piece *add_piece(picture *p, int body, int n)
{
    piece *out = DAL_PUSH(&p->arena, p->pieces, p->n_pieces, p->room_pieces);
    *out = (piece){.body = body, .n = n, .points = DAL_NEW(&p->arena, double, 3 * n)};
    return out;
}

static bool has_point(const piece *q, int n, const double s[3])
{
    for (int i = 0; i < n; i++)
        if (hypot(hypot(q->points[3 * i] - s[0], q->points[3 * i + 1] - s[1]), q->points[3 * i + 2] - s[2]) < 1e-12)
            return true;
    return false;
}

/* The points where joints and springs are attached to a body, each once. */
static int joint_points(const picture *p, int body, piece *out)
{
    const dal_scene *scene = p->scene;
    int n = 0;
    for (int j = 0; j < scene->n_joints; j++)
        for (int k = 0; k < 2 && scene->joints[j].pair; k++) {
            const dal_marker *m = &scene->joints[j].marker[k];
            if (m->body == body && !has_point(out, n, m->s))
                memcpy(out->points + 3 * n++, m->s, sizeof m->s);
        }
    for (int i = 0; i < scene->n_forces; i++)
        for (int k = 0; k < scene->forces[i].n_ends; k++)
            if (scene->forces[i].n_ends == 2 && scene->forces[i].end[k].body == body && !has_point(out, n, scene->forces[i].end[k].at))
                memcpy(out->points + 3 * n++, scene->forces[i].end[k].at, 3 * sizeof(double));
    return n;
}

/* A link: lines between its joint points; with one point, a line to the centre of mass; with none, a dot there. */
static void add_link(picture *p, int body)
{
    const dal_scene_body *b = &p->scene->bodies[body];
    piece *link = add_piece(p, body, 2 * p->scene->n_joints + 2 * p->scene->n_forces + 1);
    link->n = joint_points(p, body, link);
    if (link->n < 2 && !has_point(link, link->n, b->center))
        memcpy(link->points + 3 * link->n++, b->center, sizeof b->center);
    link->hull = link->n > 2;
    if (link->n < 2)
        link->radius = 1; /* of a dot: set when the size is known */
}

static void corner(double *out, const double *half, int i)
{
    for (int k = 0; k < 3; k++)
        out[k] = i >> k & 1 ? half[k] : -half[k];
}

enum { RING = 24, RINGS = 13 };

/* Rings of points for a hull: the ends of a cylinder, the circles of latitude of a ball. */
static void add_ring(piece *out, int *n, double radius, double z)
{
    for (int i = 0; i < RING; i++, (*n)++) {
        out->points[3 * *n] = radius * cos(i * 0.2617993877991494);
        out->points[3 * *n + 1] = radius * sin(i * 0.2617993877991494);
        out->points[3 * *n + 2] = z;
    }
}

static void add_round(piece *out, int *n, double radius, double z)
{
    for (int i = -6; i <= 6; i++)
        add_ring(out, n, radius * cos(i * 0.2617993877991494), z + radius * sin(i * 0.2617993877991494));
}

static void turn_into_body(const dal_figure *f, piece *out)
{
    double R[9];
    dal_rotation_quaternion(f->quaternion, R);
    for (int i = 0; i < out->n; i++) {
        double *s = out->points + 3 * i, r[3];
        for (int k = 0; k < 3; k++)
            r[k] = f->at[k] + R[3 * k] * s[0] + R[3 * k + 1] * s[1] + R[3 * k + 2] * s[2];
        memcpy(s, r, sizeof r);
    }
}

static void add_mesh(picture *p, int body, const dal_mesh *mesh, piece **out)
{
    const int stride = mesh->n_vertices / HULL + 1;
    int n = 0;
    *out = add_piece(p, body, mesh->n_vertices / stride + 1);
    for (int i = 0; i < mesh->n_vertices; i += stride, n++)
        for (int k = 0; k < 3; k++)
            (*out)->points[3 * n + k] = mesh->vertices[3 * i + k];
    (*out)->n = n;
    (*out)->hull = true;
}

static void add_figure(picture *p, int body, const dal_figure *f)
{
    piece *out = NULL;
    int n = 0;
    const double half[3] = {f->size[0] / 2, f->size[1] / 2, f->size[2] / 2};
    switch (f->kind) {
    case DAL_FIGURE_BOX:
        out = add_piece(p, body, 8);
        for (int i = 0; i < 8; i++)
            corner(out->points + 3 * i, half, i);
        out->hull = true;
        break;
    case DAL_FIGURE_SPHERE:
        out = add_piece(p, body, RING * RINGS);
        add_round(out, &n, f->radius, 0);
        out->hull = true;
        break;
    case DAL_FIGURE_CYLINDER:
        out = add_piece(p, body, 2 * RING);
        add_ring(out, &n, f->radius, -f->length / 2);
        add_ring(out, &n, f->radius, f->length / 2);
        out->hull = true;
        break;
    case DAL_FIGURE_CAPSULE:
        out = add_piece(p, body, 2 * RING * RINGS);
        add_round(out, &n, f->radius, -f->length / 2);
        add_round(out, &n, f->radius, f->length / 2);
        out->hull = true;
        break;
    case DAL_FIGURE_PLATE:
    case DAL_FIGURE_POLYLINE:
        out = add_piece(p, body, f->n_points);
        memcpy(out->points, f->points, 3 * sizeof(double) * (size_t)f->n_points);
        out->closed = f->kind == DAL_FIGURE_PLATE;
        break;
    case DAL_FIGURE_MESH: add_mesh(p, body, &f->mesh, &out); break;
    }
    turn_into_body(f, out);
}

static void choose_pieces(picture *p)
{
    const dal_scene *scene = p->scene;
    for (int b = 0; b < scene->n_bodies; b++) {
        for (int i = 0; i < scene->bodies[b].n_figures; i++)
            add_figure(p, b, &scene->bodies[b].figures[i]);
        if (!scene->bodies[b].n_figures)
            add_link(p, b);
    }
    for (int i = 0; i < scene->ground.n_figures; i++)
        add_figure(p, DAL_GROUND, &scene->ground.figures[i]);
}

/* ---- times --------------------------------------------------------------------------------- */

static dal_status choose_times(picture *p)
{
    const dal_snapshot_options *o = p->options;
    const double *row;
    double first = NAN, last = NAN;
    dal_status status;
    while ((status = dal_results_next(p->results, &row)) == DAL_OK && row) {
        if ((status = dal_results_time(p->results, row)) != DAL_OK)
            break;
        if (isnan(first))
            first = row[0];
        last = row[0];
    }
    if (status != DAL_OK)
        return status;
    if (isnan(first)) {
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no rows: there is nothing to show");
        return DAL_BAD_FILE;
    }
    p->n_times = o->n_times ? o->n_times : o->count ? o->count : COUNT;
    p->wanted = DAL_NEW(&p->arena, double, p->n_times);
    for (int i = 0; i < p->n_times; i++) {
        p->wanted[i] = o->n_times ? o->times[i] : p->n_times > 1 ? first + (last - first) * i / (p->n_times - 1) : first;
        if (p->wanted[i] < first - 1e-9 || p->wanted[i] > last + 1e-9 * (1 + fabs(last))) {
            dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no instant %.9g s: it goes from %.9g to %.9g s", p->wanted[i], first, last);
            return DAL_BAD_COMMAND;
        }
    }
    return DAL_OK;
}

/* For every wanted instant the nearest row. */
static dal_status collect_poses(picture *p)
{
    const size_t n = 7 * (size_t)p->scene->n_bodies;
    dal_poses poses;
    const double *row, *places, *unused[2];
    dal_status status = dal_results_open(&p->arena.allocator, p->path, p->messages, &p->results);
    p->time = DAL_NEW(&p->arena, double, p->n_times);
    p->poses = DAL_NEW(&p->arena, double, n *(size_t)p->n_times);
    for (int i = 0; i < p->n_times; i++)
        p->time[i] = INFINITY;
    if (status == DAL_OK) {
        jmp_buf *guard = p->arena.guard; /* the allocator of the results is set while they are read */
        p->results->arena.guard = guard;
        status = dal_poses_find(p->results, p->scene, &poses);
        p->results->arena.guard = NULL;
    }
    while (status == DAL_OK && (status = dal_results_next(p->results, &row)) == DAL_OK && row) {
        bool read = false;
        for (int i = 0; i < p->n_times; i++) {
            if (!(fabs(row[0] - p->wanted[i]) < fabs(p->time[i] - p->wanted[i])))
                continue;
            if (!read)
                dal_poses_read(&poses, row, &places, &unused[0], &unused[1]);
            read = true;
            p->time[i] = row[0];
            memcpy(p->poses + n * (size_t)i, places, sizeof *places * n);
        }
    }
    return status;
}

/* ---- the paper ------------------------------------------------------------------------------- */

static void choose_view(picture *p)
{
    const dal_scene *scene = p->scene;
    int vertical = 2;
    double sign = 1;
    if (scene->space == DAL_PLANAR) {
        p->right[0] = p->up[1] = 1;
        return;
    }
    for (int k = 0; k < 3; k++)
        if (scene->gravity[k] != 0 && scene->gravity[(k + 1) % 3] == 0 && scene->gravity[(k + 2) % 3] == 0) {
            vertical = k;
            sign = scene->gravity[k] < 0 ? 1 : -1;
        }
    const int a = (vertical + 1) % 3, b = (vertical + 2) % 3; /* a, b, vertical: right-handed; turned about a where up is downwards */
    p->right[a] = -sin(azimuth);
    p->right[b] = sign * cos(azimuth);
    p->up[a] = -sin(elevation) * cos(azimuth);
    p->up[b] = -sign * sin(elevation) * sin(azimuth);
    p->up[vertical] = sign * cos(elevation);
    p->view = dal_arena_print(&p->arena,
                              "axonometric projection: azimuth \xe2\x88\x92"
                              "60\xc2\xb0, elevation 25\xc2\xb0, %s%c up",
                              sign < 0 ? "\xe2\x88\x92" : "", 'x' + vertical);
}

/* World to paper, not yet scaled; y downwards. */
static spot project(const picture *p, const double r[3])
{
    return (spot){r[0] * p->right[0] + r[1] * p->right[1] + r[2] * p->right[2], -(r[0] * p->up[0] + r[1] * p->up[1] + r[2] * p->up[2])};
}

static spot on_paper(const picture *p, const double r[3])
{
    const spot s = project(p, r);
    return (spot){p->shift[0] + p->scale * s.x, p->shift[1] + p->scale * s.y};
}

/* A point of a body at an instant. */
static void to_world(const picture *p, int instant, int body, const double s[3], double r[3])
{
    double R[9];
    if (body < 0) {
        memcpy(r, s, 3 * sizeof *r);
        return;
    }
    const double *pose = p->poses + 7 * ((size_t)instant * (size_t)p->scene->n_bodies + (size_t)body);
    dal_rotation_quaternion(pose + 3, R);
    for (int k = 0; k < 3; k++)
        r[k] = pose[k] + R[3 * k] * s[0] + R[3 * k + 1] * s[1] + R[3 * k + 2] * s[2];
}

static void fit(picture *p)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, r[3];
    for (int t = 0; t < p->n_times; t++)
        for (int i = 0; i < p->n_pieces; i++)
            for (int k = 0; k < p->pieces[i].n; k++) {
                to_world(p, t, p->pieces[i].body, p->pieces[i].points + 3 * k, r);
                const spot s = project(p, r);
                least[0] = fmin(least[0], s.x), most[0] = fmax(most[0], s.x);
                least[1] = fmin(least[1], s.y), most[1] = fmax(most[1], s.y);
            }
    for (int j = 0; j < p->scene->n_joints; j++)
        for (int k = 0; k < 2 && p->scene->joints[j].pair; k++)
            if (p->scene->joints[j].marker[k].body < 0) {
                const spot s = project(p, p->scene->joints[j].marker[k].s);
                least[0] = fmin(least[0], s.x), most[0] = fmax(most[0], s.x);
                least[1] = fmin(least[1], s.y), most[1] = fmax(most[1], s.y);
            }
    const double w = most[0] - least[0], h = most[1] - least[1], head = p->options->title ? TITLE : 0;
    if (p->options->height <= 0) /* as high as necessary */
        p->height = (int)(head + 2 * MARGIN + FOOT + fmax(0.25, fmin(0.9, h / fmax(w, 1e-12))) * (p->width - 2 * MARGIN));
    p->size = fmax(fmax(w, h), 1e-12 + 1e-9 * fmax(fabs(least[0]), fabs(least[1])));
    p->scale = fmin((p->width - 2 * MARGIN) / fmax(w, 0.05 * p->size), (p->height - 2 * MARGIN - FOOT - head) / fmax(h, 0.05 * p->size));
    p->shift[0] = p->width / 2.0 - p->scale * (least[0] + most[0]) / 2;
    p->shift[1] = head + MARGIN + (p->height - 2 * MARGIN - FOOT - head) / 2.0 - p->scale * (least[1] + most[1]) / 2;
}

/* ---- drawing ------------------------------------------------------------------------------------ */

/* Light for the first instant, dark for the last. */
static const char *shade(char color[8], int instant, int n)
{
    const double part = n > 1 ? (double)instant / (n - 1) : 1;
    static const int light[3] = {0xb9, 0xcb, 0xdf}, dark[3] = {0x10, 0x32, 0x55};
    int c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (int)lround(light[k] + part * (dark[k] - light[k]));
    snprintf(color, 8, "#%02x%02x%02x", (unsigned)c[0] & 0xffu, (unsigned)c[1] & 0xffu, (unsigned)c[2] & 0xffu);
    return color;
}

static double cross(spot a, spot b, spot c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The convex hull, by gift wrapping: from the leftmost point on, always the one to the right of all others. */
static int wrap(const spot *s, int n, spot *hull)
{
    int first = 0, at, count = 0;
    for (int i = 1; i < n; i++)
        if (s[i].x < s[first].x || (s[i].x == s[first].x && s[i].y < s[first].y))
            first = i;
    at = first;
    do {
        hull[count++] = s[at];
        int next = at ? 0 : 1 % n;
        for (int i = 0; i < n; i++) {
            const double side = cross(s[at], s[next], s[i]);
            const double far = hypot(s[i].x - s[at].x, s[i].y - s[at].y) - hypot(s[next].x - s[at].x, s[next].y - s[at].y);
            if (i != at && (side > 0 || (side == 0 && far > 0)))
                next = i;
        }
        at = next;
    } while (at != first && count < n);
    return count;
}

static void draw_piece(picture *p, int instant, const piece *q, const char *color)
{
    spot *s = DAL_NEW(&p->arena, spot, q->n), *hull = s;
    double r[3];
    int n = q->n;
    for (int i = 0; i < n; i++) {
        to_world(p, instant, q->body, q->points + 3 * i, r);
        s[i] = on_paper(p, r);
    }
    if (q->radius > 0 && n == 1) {
        dal_svg_print(&p->svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\" fill=\"%s\"/>\n", s[0].x, s[0].y, color);
        return;
    }
    if (q->hull && n > 2) {
        hull = DAL_NEW(&p->arena, spot, n);
        n = wrap(s, n, hull);
    }
    dal_svg_print(&p->svg, "<path d=\"");
    for (int i = 0; i < n; i++)
        dal_svg_print(&p->svg, "%s%.2f %.2f", i ? "L" : "M", hull[i].x, hull[i].y);
    const bool closed = q->hull || q->closed;
    dal_svg_print(&p->svg,
                  "%s\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" "
                  "stroke-linejoin=\"round\"/>\n",
                  closed ? "Z" : "", closed ? color : "none", closed ? "0.25" : "0", color, closed ? "1.5" : "3.5");
}

/* A zigzag between the ends of a spring. */
static void draw_spring(picture *p, int instant, const dal_scene_force *f, const char *color)
{
    double r[3];
    spot a, b;
    to_world(p, instant, f->end[0].body, f->end[0].at, r);
    a = on_paper(p, r);
    to_world(p, instant, f->end[1].body, f->end[1].at, r);
    b = on_paper(p, r);
    const double length = hypot(b.x - a.x, b.y - a.y), ux = length > 0 ? (b.x - a.x) / length : 1, uy = length > 0 ? (b.y - a.y) / length : 0;
    dal_svg_print(&p->svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" stroke-linejoin=\"round\" d=\"M%.2f %.2f", color, a.x, a.y);
    for (int i = 1; i < 16; i++) {
        const double along = length * (i < 3 ? 0.15 : i > 12 ? 0.85 : 0.15 + 0.7 * (i - 2.5) / 10), side = i < 3 || i > 12 ? 0 : i % 2 ? 5 : -5;
        dal_svg_print(&p->svg, "L%.2f %.2f", a.x + ux * along - uy * side, a.y + uy * along + ux * side);
    }
    dal_svg_print(&p->svg, "L%.2f %.2f\"/>\n", b.x, b.y);
}

/* A block along the axis of a prismatic joint, at its second side. */
static void draw_slider(picture *p, int instant, const dal_scene_joint *joint, const char *color)
{
    const dal_marker *m = &joint->marker[1];
    const int c = strchr(joint->motion, 'T')[1] - 'x';
    double r[3], ahead[3];
    if (c < 0 || c > 2)
        return;
    for (int i = 0; i < 3; i++)
        ahead[i] = m->s[i] + p->size * m->B[3 * i + c];
    to_world(p, instant, m->body, m->s, r);
    const spot s = on_paper(p, r);
    to_world(p, instant, m->body, ahead, r);
    const spot e = on_paper(p, r);
    dal_svg_print(&p->svg,
                  "<rect x=\"-11\" y=\"-7\" width=\"22\" height=\"14\" transform=\"translate(%.2f %.2f) rotate(%.2f)\" "
                  "fill=\"#ffffff\" stroke=\"%s\" "
                  "stroke-width=\"1.8\"/>\n",
                  s.x, s.y, atan2(e.y - s.y, e.x - s.x) * 57.29577951308232, color);
}

static void draw_joints(picture *p, int instant, const char *color)
{
    double r[3];
    for (int j = 0; j < p->scene->n_joints; j++) {
        const dal_scene_joint *joint = &p->scene->joints[j];
        if (!joint->pair)
            continue;
        if (strchr(joint->motion, 'T') && !strchr(joint->motion, 'R'))
            draw_slider(p, instant, joint, color);
        if (!strchr(joint->motion, 'R'))
            continue;
        to_world(p, instant, joint->marker[1].body, joint->marker[1].s, r);
        const spot s = on_paper(p, r);
        dal_svg_print(&p->svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\" fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.4\"/>\n", s.x, s.y, color);
    }
}

/* Hatched feet where joints are fixed to the ground, and rails for bodies that slide there. */
static void draw_ground(picture *p)
{
    for (int j = 0; j < p->scene->n_joints; j++) {
        const dal_scene_joint *joint = &p->scene->joints[j];
        for (int k = 0; k < 2 && joint->pair; k++) {
            const dal_marker *m = &joint->marker[k];
            if (m->body >= 0)
                continue;
            const spot s = on_paper(p, m->s);
            const char *shift = strchr(joint->motion, 'T');
            if (shift && shift[1] >= 'x' && shift[1] <= 'z') {
                const int c = shift[1] - 'x';
                double r[3];
                for (int i = 0; i < 3; i++)
                    r[i] = m->s[i] + p->size * m->B[3 * i + c];
                const spot e = on_paper(p, r);
                dal_svg_print(&p->svg,
                              "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"#999999\" stroke-width=\"1.5\" "
                              "stroke-dasharray=\"8 3\"/>\n",
                              2 * s.x - e.x, 2 * s.y - e.y, e.x, e.y);
                continue;
            }
            dal_svg_print(&p->svg,
                          "<path d=\"M%.2f %.2fl-8 14h16zM%.2f %.2fh28\" fill=\"#eeeeee\" stroke=\"#777777\" "
                          "stroke-width=\"1.2\"/>\n",
                          s.x, s.y, s.x - 14, s.y + 14);
            for (int i = 0; i < 5; i++)
                dal_svg_print(&p->svg, "<path d=\"M%.2f %.2fl-5 6\" stroke=\"#777777\"/>\n", s.x - 10 + 6 * i, s.y + 14);
        }
    }
}

/* The body whose centre travels furthest: the numbers of the instants are drawn at it. */
static int choose_traveller(const picture *p)
{
    int best = 0;
    double furthest = -1, a[3], b[3];
    for (int body = 0; body < p->scene->n_bodies; body++) {
        double way = 0;
        for (int t = 1; t < p->n_times; t++) {
            to_world(p, t - 1, body, p->scene->bodies[body].center, a);
            to_world(p, t, body, p->scene->bodies[body].center, b);
            way += hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        }
        if (way > furthest) {
            furthest = way;
            best = body;
        }
    }
    return best;
}

static void draw_numbers(picture *p)
{
    const int body = choose_traveller(p);
    char number[12];
    double r[3];
    for (int t = 0; t < p->n_times && p->n_times > 1 && p->scene->n_bodies; t++) {
        to_world(p, t, body, p->scene->bodies[body].center, r);
        const spot s = on_paper(p, r);
        snprintf(number, sizeof number, "%d", t + 1);
        dal_svg_text(&p->svg, s.x, s.y - 8, "middle",
                     "font-size=\"12\" font-weight=\"bold\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"", number);
    }
}

/* ---- what stands below ------------------------------------------------------------------------------ */

static void draw_scale(picture *p, double y)
{
    char label[40];
    const double raw = 90 / p->scale, power = pow(10, floor(log10(raw))), length = power * (raw / power >= 5 ? 5 : raw / power >= 2 ? 2 : 1);
    const double pixels = length * p->scale, x = p->width - MARGIN - pixels;
    dal_svg_print(&p->svg, "<path d=\"M%.2f %.2fv-4M%.2f %.2fh%.2fm0 0v-4\" fill=\"none\" stroke=\"#444444\"/>\n", x, y, x, y, pixels);
    snprintf(label, sizeof label, "%g m", length);
    dal_svg_text(&p->svg, x + pixels / 2, y + 13, "middle", "font-size=\"11\"", label);
}

static void draw_foot(picture *p)
{
    const double y = p->height - FOOT + 20, room = p->width - 2 * MARGIN - 130;
    const double each = fmin(110, room / p->n_times);
    char text[60], color[8];
    for (int t = 0; t < p->n_times; t++) {
        const double x = MARGIN + t * each;
        dal_svg_print(&p->svg, "<path d=\"M%.2f %.2fh14\" stroke=\"%s\" stroke-width=\"4\"/>\n", x, y - 4, shade(color, t, p->n_times));
        snprintf(text, sizeof text, "%d: %.4g s", t + 1, p->time[t]);
        if (each >= 70 || t == 0 || t == p->n_times - 1)
            dal_svg_text(&p->svg, x + 18, y, "start", "font-size=\"11\"", text);
    }
    if (p->view)
        dal_svg_text(&p->svg, MARGIN, y + 20, "start", "font-size=\"11\" fill=\"#444444\"", p->view);
    draw_scale(p, y - 2);
}

static void draw_instant(picture *p, int t)
{
    char color[8];
    shade(color, t, p->n_times);
    for (int i = 0; i < p->scene->n_forces; i++)
        if (p->scene->forces[i].n_ends == 2)
            draw_spring(p, t, &p->scene->forces[i], color);
    for (int i = 0; i < p->n_pieces; i++)
        if (p->pieces[i].body >= 0)
            draw_piece(p, t, &p->pieces[i], color);
    draw_joints(p, t, color);
}

static dal_status draw_picture(void *user)
{
    picture *p = user;
    const dal_snapshot_options *o = p->options;
    dal_status status = choose_times(p);
    dal_results_close(p->results); /* from the beginning again */
    p->results = NULL;
    if (status == DAL_OK)
        status = collect_poses(p);
    if (status != DAL_OK)
        return status;
    p->width = o->width > 0 ? o->width : WIDTH;
    p->height = o->height;
    choose_pieces(p);
    choose_view(p);
    fit(p);
    dal_svg_begin(&p->svg, &p->arena, p->width, p->height, o->title ? o->title : p->path);
    if (o->title)
        dal_svg_text(&p->svg, p->width / 2.0, 22, "middle", "font-size=\"15\" font-weight=\"bold\"", o->title);
    for (int i = 0; i < p->n_pieces; i++)
        if (p->pieces[i].body < 0)
            draw_piece(p, 0, &p->pieces[i], "#999999");
    draw_ground(p);
    for (int t = 0; t < p->n_times; t++)
        draw_instant(p, t);
    draw_numbers(p);
    draw_foot(p);
    dal_svg_end(&p->svg);
    return DAL_OK;
}

dal_status dal_snapshots_svg(const dal_allocator *allocator, const char *results, const dal_spec *spec, const dal_system *system,
                             const dal_snapshot_options *options, dal_messages *messages, char **text)
{
    picture p = {.options = options, .path = results, .messages = messages, .spec = spec, .system = system};
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, results) || !DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, system) || !DAL_NEEDS(messages, options) ||
        !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_picture_sized(options->width, options->height, results, messages) || !DAL_NEEDS_ARRAY(messages, options->n_times, options->times))
        return DAL_BAD_COMMAND;
    if (options->n_times < 0 || options->n_times > MOST || options->count < 0 || options->count > MOST) {
        dal_error(messages, (dal_mark){results, 0, 0}, "a picture has at most %d instants", MOST);
        return DAL_BAD_COMMAND;
    }
    for (int i = 0; i < options->n_times; i++)
        if (!isfinite(options->times[i])) {
            dal_error(messages, (dal_mark){results, 0, 0}, "instant %d of the picture is %g: a finite number is needed", i + 1, options->times[i]);
            return DAL_BAD_COMMAND;
        }
    dal_arena_begin(&p.arena, allocator);
    dal_status status = dal_results_open(allocator, results, messages, &p.results);
    if (status == DAL_OK)
        status = dal_scene_create(allocator, spec, system, messages, &p.scene);
    if (status == DAL_OK)
        status = dal_svg_draw(&p.svg, &p.arena, draw_picture, &p, text);
    dal_results_close(p.results);
    dal_scene_free(p.scene);
    dal_arena_release(&p.arena);
    return status;
}
