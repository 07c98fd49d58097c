/* Links: the joint tree laid out for recursion. Constants of a system; built once (links.c).
 *
 * A link moves against its parent by one elementary motion about or along its own z axis, or by a ball, or freely against the ground.
 * A joint with several coordinates is a chain of links, of which only the last one has mass. Bodies that are joined rigidly are
 * parts of one link, and every constant transform is folded into it, so that a link is:
 *
 *     frame before the motion   R_p E,  r_p + R_p p       E, p constant: "fixed"
 *     turn     R = R_p E Rz(q)      d = R_p p                       d: from the parent's origin to the link's
 *     shift    R = R_p E            d = R_p p + q a                 a = R e_z, the axis in the world
 *     screw    R = R_p E Rz(q)      d = R_p p + (offset + pitch q) a
 *     ball     R = R_p E R(quaternion)
 *     free     R = R(quaternion), r = (x, y, z)
 *
 * and ten numbers of inertia in its own axes about its own origin: mass m, first moment m c, six of I. A joint that is walked backwards
 * has its axis turned round, so that signs are folded, too.
 *
 * All vectors of the recursion are in world axes and each refers to the origin of its own link: vectors need no rotation from link to link, and there
 * are no large lever arms.
 */
#ifndef DAL_TREE_LINKS_H
#define DAL_TREE_LINKS_H

#include "base/arena.h"
#include "base/block.h"
#include "joint/mechanism.h"
#include "kinematics/tree.h"

typedef enum dal_link_kind { DAL_LINK_TURN, DAL_LINK_SHIFT, DAL_LINK_SCREW, DAL_LINK_BALL, DAL_LINK_FREE, DAL_LINK_KINDS } dal_link_kind;

/* Four cache lines. Vectors have four numbers; the fourth is zero. */
typedef struct dal_link {
    _Alignas(16) double fixed[3][4]; /* columns of E */
    double p[4];
    double moment[4];  /* m c */
    double inertia[6]; /* xx yy zz xy yz xz about the origin */
    double mass, pitch;
    double offset;
    int parent; /* a link before it, or -1: the ground */
    int q, v;   /* its first coordinate and velocity */
    dal_link_kind kind;
    double trace; /* of the inertia of the link and its subtree, each link's about its own origin */
} dal_link;

_Static_assert(sizeof(dal_link) == 256, "a link is four cache lines");

/* Links first ... first + n of one kind, with consecutive coordinates: the loops run over these. */
typedef struct dal_link_run {
    dal_link_kind kind;
    int first, n;
} dal_link_run;

/* A body in its link: r = r_link + R_link s, R = R_link B; particles keep the world's axes. */
typedef struct dal_seat {
    int link; /* -1: the ground */
    bool particle;
    double s[3], B[9];
} dal_seat;

/* Columns first ... first + n of v. */
typedef struct dal_span {
    int first, n;
    int before; /* the span before it on the way to the ground, or -1 */
} dal_span;

/* A row of the mass matrix in blocks of four columns (4 k ... 4 k + 3), from its end to its beginning: `zeros` blocks of other branches; a block of which
 * the columns in `columns` (bit k) are on the way to the ground; `full` blocks of which all are. What is left at the end is zero. */
enum { DAL_ALL_COLUMNS = 15 };
typedef struct dal_row_part {
    int zeros, columns, full;
    int before; /* the part before it, or -1 */
} dal_row_part;

typedef struct dal_links {
    int n, n_runs, n_bodies, n_spans, nq, nv;
    double gravity[3];
    double still_mass, still_moment[3]; /* of bodies that are part of the ground: mass, mass times place */
    dal_link *link;
    dal_link_run *run;
    dal_seat *seat;     /* of each body */
    int *parent_column; /* of each column of v: the one before it on the way to the ground, or -1 */
    int *link_of;       /* of each column: its link */
    int *span_of;       /* the last span of columns before link i on the way to the ground, or -1 */
    dal_span *span;
    dal_row_part *row_part; /* [j]: the last part of row j, with the block of its diagonal; others follow */
    int n_row_parts;
    bool branched;   /* not every column is behind or before every other: M has zeros */
    bool shallow;    /* M has few entries: it is solved by its factor over the tree */
    int *below_of;   /* of a shallow tree: the last span of columns behind link i, or -1 */
    dal_span *below; /* each one branch: every column is behind the one before it */
    int n_below;
} dal_links;

/* NULL: the tree has bodies on particles, which these recursions do not support. */
dal_links *dal_links_build(dal_arena *arena, const dal_mechanism *mechanism, const dal_tree *tree, const double gravity[3]);
extern const dal_block_array dal_links_arrays[];

/* How many velocities a link has. */
static inline int dal_link_velocities(dal_link_kind kind)
{
    return kind == DAL_LINK_BALL ? 3 : kind == DAL_LINK_FREE ? 6 : 1;
}

#endif
