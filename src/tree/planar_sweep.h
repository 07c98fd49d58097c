/* Sweeps in the plane: the sweep of sweep.h for models whose links all move in the x, y plane.
 *
 * A link has three motions there: it turns by theta about z, and its origin moves by (x, y). So its acceleration has three numbers
 * (alpha, acc), a wrench has three (n, f), and an articulated inertia is a symmetric matrix of three,
 *
 *     n = J alpha + h.acc + n_0,   f = h alpha + M acc + f_0                          J a number, h a vector, M a matrix of two
 *
 * With e = z x d, d from the parent's origin to the link's, b the direction of a shift, x the joint's rate, s = sign of a turn (its axis is
 * s z), and the parent's quantities under p, link_motion.h becomes
 *
 *     turn      theta = theta_p + s q     w = w_p + s x     r' = r_p' + w_p e             acc = acc_p - w_p^2 d
 *     shift     d = d_0 + q b             w = w_p           r' = r_p' + w_p e + x b       acc = acc_p - w_p^2 d + 2 x w_p z x b
 *
 * while v' = 0; alpha is zero then, because every axis is parallel to w. A link with the mass m, the first moment c = R (m c') and the
 * moment of inertia J about its origin has h = z x c, M = m, and needs
 *
 *     f_0 = m acc - w^2 c,   n_0 = h.acc
 *
 * Elimination. A turn takes all of alpha. With u = -n_0, D = J (its coordinate counted about +z) nothing of J, h and n_0 is left for the parent:
 *
 *     M -= h h^T / J,   f_0 += h u / J,   J = h = n_0 = 0                             row K = (k, k_f): kappa = k,  k_f -= h kappa / J,  k = 0
 *
 * A shift has Un = h.b, Uf = M b, D = b.Uf, u = -b.f_0, kappa = b.k_f, and subtracts U U^T / D as ABA does (aba.c). Moved to the parent:
 *
 *     M_p += M,   h_p += h + M e,   J_p += J + (2 h + M e).e,   f_p += f_0,   n_p += n_0 + e.f_0,   k_p += k + e.k_f
 *
 * Forward, with acc := acc_p + alpha_p e and u including kappa.lambda:
 *
 *     turn      alpha = (u - h.acc) / J,   x' = s (alpha - alpha_p)
 *     shift     x' = (u - Un alpha_p - Uf.acc) / D,   alpha = alpha_p,   acc += x' b
 *
 * Blocks, ring and rows are those of sweep.h, the entries of L and their elimination those of loops.h. Only what is a vector of six there has
 * three numbers here.
 */
#ifndef DAL_TREE_PLANAR_SWEEP_H
#define DAL_TREE_PLANAR_SWEEP_H

#include "tree/kernels.h"

/* Its axes are turned so that at q = 0 they are those of the parent: what a joint's frames turn is folded into its constants. */
typedef struct dal_planar_link {
    double p[2];      /* origin, at q = 0, in the parent's axes */
    double axis[2];   /* of a shift, in the parent's axes */
    double moment[2]; /* m c' */
    double mass, inertia;
    double sign; /* of a turn: 1 about z, -1 about -z; of a shift: 0 */
    int parent;  /* counted in the block; -1: the ground */
    int q, v;
    dal_link_kind kind;
} dal_planar_link;

typedef struct dal_planar_vector {
    int at; /* its link in the ring; -1: the ground */
    int point;
    double s[2];
} dal_planar_vector;

/* coef (x_0 - x_1).(x_2 - x_3). Absent vectors are the axis z, whose part in the plane is zero. */
typedef struct dal_planar_term {
    double coef;
    signed char vector[4];
} dal_planar_term;

/* What one vector of a term does to a side: the product, 2 term + (0: b, 1: a), that is its gradient, and its sign; `push` is 0 for a direction. */
typedef struct dal_planar_part {
    short product, vector;
    double turn, push;
} dal_planar_part;

/* A body that is watched: axes of its link in the axes that are used here, by columns; its height above the plane. */
typedef struct dal_planar_watched {
    double axes[3][3], height;
} dal_planar_watched;

typedef struct dal_planar {
    int n_links, n_vectors, n_terms, n_parts, n_sides, n_watched;
    int n_slots; /* of the model */
    dal_planar_link *link;
    /* In the order in which they are met, as in dal_sweep. */
    dal_planar_vector *vector;
    dal_planar_term *term;
    dal_planar_part *part;
    int *side_parts; /* of sides in the same order: how many parts */
    dal_planar_watched *watched;
} dal_planar;

typedef struct dal_planar_motion {
    double x[2];      /* the first axis of the link; the second is z x it */
    double e[2];      /* z x d */
    double r[2];      /* origin */
    double rd[2];     /* its velocity */
    double acc[2];    /* its acceleration while v' = 0, less gravity */
    double b[2];      /* direction of a shift */
    double w, unused; /* angular velocity */
} dal_planar_motion;

typedef struct dal_planar_inertia {
    double h[2], f[2];
    double M[2][2];
    double J, n;
} dal_planar_inertia;

/* A row at a link, or an acceleration (f: acc, n: alpha). */
typedef struct dal_planar_wrench {
    double f[2], n, unused;
} dal_planar_wrench;

/* What the forward pass needs of a joint. */
typedef struct dal_planar_record {
    double e[2], Uf[2], b[2];
    double Un, u, inverse;
    double sign; /* as of the link */
} dal_planar_record;

typedef struct dal_planar_work {
    dal_planar_record *record;   /* of links */
    dal_planar_wrench *motion;   /* of links, [-1] the ground: their accelerations in the forward pass */
    dal_planar_wrench *covector; /* of sides */
    dal_planar_motion *place;    /* of the ring: most_links + 1 a block, the ground first */
    dal_planar_inertia *inertia; /* of the ring */
    dal_planar_wrench *K;        /* of slots: most_slots a block of the ring, or all where K is kept */
    double *sine, *cosine;       /* of the ring */
} dal_planar_work;

#endif
