/* From the joint tree to links: steps become links, rigid parts are merged. */
#include "tree/links.h"

#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

/* A frame in the axes of a link. */
typedef struct seat_frame {
    int link;
    double s[3], B[9];
} seat_frame;

typedef struct builder {
    dal_arena *arena;
    const dal_mechanism *mechanism;
    const dal_tree *tree;
    dal_links *links;
    size_t cap_links, cap_runs, cap_spans, cap_row_parts, cap_below;
} builder;

static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Z with Z e_z = sign * e_axis: the frame in which a step's axis is z. */
static void axis_to_z(int axis, double sign, double Z[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(Z, 0, 9 * sizeof *Z);
    Z[3 * i] = 1;           /* x */
    Z[3 * j + 1] = sign;    /* y */
    Z[3 * axis + 2] = sign; /* z = x cross y */
}

static void multiply(const double A[9], const double B[9], double out[9])
{
    double product[9];
    dal_mul33(A, B, product);
    memcpy(out, product, sizeof product);
}

static void transpose(const double A[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * j + i];
}

/* at := at moved by (s, B) of its own axes. */
static void compose(seat_frame *at, const double s[3], const double B[9])
{
    double shift[3];
    dal_mul3(at->B, s, shift);
    dal_axpy3(1, shift, at->s);
    multiply(at->B, B, at->B);
}

static dal_link *add_link(builder *b, dal_link_kind kind, const dal_motion_step *step, const seat_frame *before, const double Z[9])
{
    dal_links *links = b->links;
    double E[9];
    dal_link *link = DAL_PUSH(b->arena, links->link, links->n, b->cap_links);
    memset(link, 0, sizeof *link);
    multiply(before->B, Z, E);
    for (int i = 0; i < 3; i++) {
        link->p[i] = before->s[i];
        for (int j = 0; j < 3; j++)
            link->fixed[j][i] = E[3 * i + j];
    }
    link->kind = kind;
    link->parent = before->link;
    link->q = step->q;
    link->v = step->v;
    link->pitch = kind == DAL_LINK_SCREW ? step->length : 0;
    link->offset = kind == DAL_LINK_SCREW ? step->offset : 0;
    if (!links->n_runs || links->run[links->n_runs - 1].kind != kind)
        *DAL_PUSH(b->arena, links->run, links->n_runs, b->cap_runs) = (dal_link_run){kind, links->n - 1, 0};
    links->run[links->n_runs - 1].n++;
    return link;
}

static dal_link_kind kind_of(dal_step_kind kind)
{
    return kind == DAL_STEP_SHIFT ? DAL_LINK_SHIFT : kind == DAL_STEP_TURN ? DAL_LINK_TURN : kind == DAL_STEP_SCREW ? DAL_LINK_SCREW : DAL_LINK_BALL;
}

/* A step moves the frame `at`: behind it, `at` is the same frame in the axes of the new link. */
static void walk(builder *b, const dal_motion_step *step, seat_frame *at)
{
    double Z[9];
    if (step->kind == DAL_STEP_CONSTANT) {
        double shift[3] = {0, 0, 0};
        shift[step->axis] = step->sign * step->length;
        compose(at, shift, unit);
        return;
    }
    if (step->kind == DAL_STEP_BALL)
        memcpy(Z, unit, sizeof Z);
    else
        axis_to_z(step->axis, step->sign, Z);
    add_link(b, kind_of(step->kind), step, at, Z);
    at->link = b->links->n - 1;
    dal_zero3(at->s);
    transpose(Z, at->B);
}

static bool is_free(const builder *b, const dal_carrier *c)
{
    return c->joint < 0 && c->n_steps == 4 && b->tree->step[c->step + 3].kind == DAL_STEP_BALL;
}

/* Mass, first moment and inertia of a body about the origin of its link, in the link's axes: I = B Ic B^T + m (c.c - c c^T). */
static void add_inertia(builder *b, const dal_body *body, const dal_seat *seat)
{
    double c[3], BI[9], Bt[9], I[9];
    dal_mul3(seat->B, body->center, c);
    dal_axpy3(1, seat->s, c);
    if (seat->link < 0) {
        b->links->still_mass += body->mass;
        dal_axpy3(body->mass, c, b->links->still_moment);
        return;
    }
    dal_link *link = &b->links->link[seat->link];
    if (seat->particle)
        memset(I, 0, sizeof I);
    else {
        transpose(seat->B, Bt);
        dal_mul33(seat->B, body->inertia, BI);
        dal_mul33(BI, Bt, I);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] += body->mass * ((i == j ? dal_dot(c, c) : 0) - c[i] * c[j]);
    link->mass += body->mass;
    dal_axpy3(body->mass, c, link->moment);
    const int at[6] = {0, 4, 8, 1, 5, 2};
    for (int k = 0; k < 6; k++)
        link->inertia[k] += I[at[k]];
}

static void add_traces(dal_links *links)
{
    for (int i = links->n - 1; i >= 0; i--) {
        dal_link *link = &links->link[i];
        link->trace += link->inertia[0] + link->inertia[1] + link->inertia[2];
        if (link->parent >= 0)
            links->link[link->parent].trace += link->trace;
    }
}

static void add_body(builder *b, const dal_carrier *c)
{
    const dal_tree *tree = b->tree;
    dal_seat *seat = &b->links->seat[c->body];
    seat_frame at = {-1, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (c->parent != DAL_GROUND) {
        const dal_seat *parent = &b->links->seat[c->parent];
        at.link = parent->link;
        dal_copy3(parent->s, at.s);
        memcpy(at.B, parent->B, sizeof at.B);
    }
    if (is_free(b, c)) {
        add_link(b, DAL_LINK_FREE, &tree->step[c->step], &at, unit);
        at.link = b->links->n - 1;
    } else {
        compose(&at, c->from.s, c->from.B);
        for (int s = c->step; s < c->step + c->n_steps; s++)
            walk(b, &tree->step[s], &at);
    }
    double back[9], arm[3];
    transpose(c->to.B, back);
    dal_mul3(back, c->to.s, arm);
    for (int i = 0; i < 3; i++)
        arm[i] = -arm[i];
    compose(&at, arm, back);
    seat->link = at.link;
    seat->particle = c->particle;
    dal_copy3(at.s, seat->s);
    memcpy(seat->B, at.B, sizeof at.B);
    add_inertia(b, &b->mechanism->bodies[c->body], seat);
}

/* The columns of a link and of those before it: its own, joined with the last span before it where they stand side by side. */
static int add_span(builder *b, int link)
{
    dal_links *links = b->links;
    const int before = links->span_of[link], v = links->link[link].v;
    dal_span own = {v, dal_link_velocities(links->link[link].kind), before};
    if (before >= 0 && links->span[before].first + links->span[before].n == v) {
        own = links->span[before];
        own.n += dal_link_velocities(links->link[link].kind);
    }
    *DAL_PUSH(b->arena, links->span, links->n_spans, b->cap_spans) = own;
    return links->n_spans - 1;
}

/* The columns before each link, as spans; and the tree of the columns. */
static void list_columns(builder *b)
{
    dal_links *links = b->links;
    links->parent_column = DAL_NEW(b->arena, int, links->nv + 1);
    links->link_of = DAL_NEW(b->arena, int, links->nv + 1);
    links->span_of = DAL_NEW(b->arena, int, links->n + 1);
    for (int i = 0; i < links->n; i++) {
        const dal_link *link = &links->link[i];
        const int n = dal_link_velocities(link->kind);
        const dal_link *parent = link->parent < 0 ? NULL : &links->link[link->parent];
        for (int k = 0; k < n; k++) {
            links->link_of[link->v + k] = i;
            links->parent_column[link->v + k] = k ? link->v + k - 1 : parent ? parent->v + dal_link_velocities(parent->kind) - 1 : -1;
        }
        links->span_of[i] = parent ? add_span(b, link->parent) : -1;
    }
}

/* A row has the columns of row p, p before it on the way to the ground, and its own. */
static void list_row_parts(builder *b)
{
    dal_links *links = b->links;
    DAL_RESERVE(b->arena, links->row_part, links->n_row_parts, b->cap_row_parts, 2 * links->nv);
    links->n_row_parts = links->nv;
    for (int j = 0; j < links->nv; j++) {
        const int p = links->parent_column[j], gap = p < 0 ? 0 : j / 4 - p / 4;
        dal_row_part part = p < 0 ? (dal_row_part){.before = -1} : links->row_part[p];
        if (gap == 1 && part.columns == DAL_ALL_COLUMNS) {
            part.full++;
            part.columns = 0;
        } else if (gap) {
            part.zeros = gap - 1;
            *DAL_PUSH(b->arena, links->row_part, links->n_row_parts, b->cap_row_parts) = part;
            part = (dal_row_part){.before = links->n_row_parts - 1};
        }
        part.columns |= 1 << j % 4;
        links->row_part[j] = part;
    }
}

static void add_below(builder *b, int link, int first, int n)
{
    dal_links *links = b->links;
    *DAL_PUSH(b->arena, links->below, links->n_below, b->cap_below) = (dal_span){first, n, links->below_of[link]};
    links->below_of[link] = links->n_below - 1;
}

/* The columns behind each link. A branch begins where a column does not stand beside the one before it on the way to the ground; it is behind all links
 * on that way. */
static void list_below(builder *b)
{
    dal_links *links = b->links;
    for (int first = 0, end; first < links->nv; first = end) {
        for (end = first + 1; end < links->nv && links->parent_column[end] == end - 1; end++)
            ;
        for (int k = first, i; k < end; k = links->link[i].v + dal_link_velocities(links->link[i].kind)) {
            i = links->link_of[k];
            const int behind = k + dal_link_velocities(links->link[i].kind);
            if (behind < end)
                add_below(b, i, behind, end - behind);
        }
        const int before = links->parent_column[first];
        for (int i = before < 0 ? -1 : links->link_of[before]; i >= 0; i = links->link[i].parent)
            add_below(b, i, first, end - first);
    }
}

/* What a vector of columns takes, in instructions (callgrind): for an entry of M's factor in both passes, and for a link in both passes of ABA. A larger
 * L than MOST_SHALLOW does not stay in the caches. */
enum { FACTOR_ENTRY = 3, ABA_LINK = 65, MOST_SHALLOW = 400 };

/* Column k of v has as many entries in its row of L as there are columns before it on the way to the ground. */
static void measure_depth(builder *b)
{
    dal_links *links = b->links;
    int *depth = DAL_NEW(b->arena, int, links->n + 1);
    double entries = 0;
    links->below_of = DAL_NEW(b->arena, int, links->n + 1);
    for (int i = 0; i < links->n; i++) {
        const dal_link *link = &links->link[i];
        links->below_of[i] = -1;
        depth[i] = link->parent < 0 ? 0 : depth[link->parent] + dal_link_velocities(links->link[link->parent].kind);
        entries += (double)depth[i] * dal_link_velocities(link->kind);
        links->branched = links->branched || depth[i] < link->v;
    }
    links->shallow = links->nv <= MOST_SHALLOW && FACTOR_ENTRY * entries < (double)ABA_LINK * links->n;
    if (links->shallow)
        list_below(b);
}

dal_links *dal_links_build(dal_arena *arena, const dal_mechanism *mechanism, const dal_tree *tree, const double gravity[3])
{
    dal_links *links = DAL_NEW(arena, dal_links, 1);
    builder b = {arena, mechanism, tree, links, 0, 0, 0, 0, 0};
    links->seat = DAL_NEW(arena, dal_seat, mechanism->n_bodies);
    DAL_RESERVE(arena, links->link, links->n, b.cap_links, tree->n_steps);
    links->n_bodies = mechanism->n_bodies;
    links->nq = tree->nq;
    links->nv = tree->nv;
    dal_copy3(gravity, links->gravity);
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        if (c->parent != DAL_GROUND && mechanism->bodies[c->parent].particle)
            return NULL;
        add_body(&b, c);
    }
    add_traces(links);
    list_columns(&b);
    list_row_parts(&b);
    measure_depth(&b);
    return links;
}

const dal_block_array dal_links_arrays[] = {DAL_ARRAY(dal_links, link, n),
                                            DAL_ARRAY(dal_links, run, n_runs),
                                            DAL_ARRAY(dal_links, seat, n_bodies),
                                            DAL_ARRAY(dal_links, parent_column, nv),
                                            DAL_ARRAY(dal_links, link_of, nv),
                                            DAL_ENDS(dal_links, span_of, n),
                                            DAL_ARRAY(dal_links, span, n_spans),
                                            DAL_ARRAY(dal_links, row_part, n_row_parts),
                                            DAL_ENDS(dal_links, below_of, n),
                                            DAL_ARRAY(dal_links, below, n_below),
                                            {0}};
