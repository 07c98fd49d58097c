/* The recursions over the links, compiled once for every instruction set (vector.h: DAL_KERNEL; *_avx2.c and *_avx512.c include the source again); the
 * table of those that suit the machine is chosen when a system is made (kernels.c).
 *
 *   links.c             the joint tree as links: links.h
 *   link_motion.h       frames, motions and wrenches of the links: the forward pass of the three below
 *   rnea.c              q, v, v' -> tau                     rnea_derivatives.c   d tau / dq, d tau / dv
 *   aba.c               q, v, tau -> v'                     aba_columns.c, factor_columns.c   M^-1 on many columns
 *   crba.c              M
 *   loops.c             rows on top of ABA: loops.h         loops_build.c   the order of their elimination
 *   sweep.c             the same block by block: sweep.h, sweep_order.h    sweep_build.c   the blocks
 *   planar_sweep.c      in the plane: planar_sweep.h        planar_sweep_build.c   its constants
 *   vector.h, lanes.h, column_lanes.h, sincos.h   their arithmetic
 *
 * Work space: the arrays of one link after those of the other, the ground before the first one. Memory comes from the state.
 */
#ifndef DAL_TREE_KERNELS_H
#define DAL_TREE_KERNELS_H

#include "tree/links.h"

/* Vectors have four numbers, the fourth is zero. Matrices are three columns. World axes; about the link's own origin. */
typedef struct dal_link_motion {
    double R[3][4];        /* columns: the axes */
    double r[4], d[4];     /* origin; from the parent's origin */
    double w[4], rd[4];    /* angular velocity; velocity of the origin */
    double alpha[4], a[4]; /* accelerations of the link and of its origin, less gravity */
} dal_link_motion;

/* R s, s in the link's axes. */
static inline void dal_link_turn(const dal_link_motion *m, const double s[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m->R[0][i] * s[0] + m->R[1][i] * s[1] + m->R[2][i] * s[2];
}

/* The force and the moment about the origin that the motion of the link and its subtree needs. */
typedef struct dal_link_wrench {
    double f[4], n[4];
} dal_link_wrench;

/* Articulated inertia: n = I alpha + H a, f = Ht alpha + M a, H = Ht^T; and its joint: U, 1/D, u. Composite inertia uses I, of
 * which the fourth numbers have no meaning, Ht[0] for first moment and, in its fourth place, mass, Ht[1] for the arm from the origin of the first link. Once eliminated, a
 * ball has the factor of I in its place, and a free link that of all of it. */
typedef struct dal_link_inertia {
    union {
        struct {
            double I[3][4], Ht[3][4], M[3][4];
        };
        double factor[36];
    };
    double Un[4], Uf[4];
    double inverse, u, reserved[2];
} dal_link_inertia;

typedef struct dal_links_work {
    dal_link_motion *motion;   /* [-1] is the ground */
    dal_link_wrench *wrench;   /* [-1]: what the ground gets */
    dal_link_inertia *inertia; /* [-1]: likewise */
    double lift[4];            /* acceleration of the ground: minus gravity, where weight is not among the wrenches */
    double *cosine, *sine;     /* of turns, a link each */
    double *columns;           /* of v, for CRBA: axis (3), velocity at the origin of the first link of the tree (3); in blocks of four columns */
} dal_links_work;

/* The composite body of a link, for derivatives (rnea_derivatives.c): inertia about the link's origin, E and p of the velocity-dependent terms, G and
 * g of external wrenches; and the link's own velocity against the first link of its tree. */
typedef struct dal_link_composite {
    double I[3][4], E[3][4], G[3][4];
    double s[4], p[4], g[4], v[4];
    double mass, reserved[3];
} dal_link_composite;

/* The factor M = L^T D L (factor_columns.c), of shallow trees. */
typedef struct dal_factor_work {
    double *L; /* by rows; only entries of columns before a link count: vectors end behind them */
    size_t stride;
    double *lanes; /* of columns solved together */
    bool *related; /* a row for each block of columns: rows that are before or behind one of them, or one of them; filled by the owner */
} dal_factor_work;

/* Of the columns of v, three numbers each: axis, shift, origin, psi', psi'' (6), chi (6). Number k of column j is at first[stride k + j]. */
enum { DAL_COLUMN_AXIS = 0, DAL_COLUMN_SHIFT = 3, DAL_COLUMN_ORIGIN = 6, DAL_COLUMN_QUANTITIES = 24 };
typedef struct dal_column_table {
    double *first;
    size_t stride;
} dal_column_table;

typedef struct dal_derivatives_work {
    dal_link_composite *body;
    dal_column_table column;
    dal_factor_work factor;
    struct dal_column_work {
        double *lanes; /* of columns solved together, DAL_COLUMN_NUMBERS a link */
        bool *touched; /* links: something was added to the lanes; false between calls */
    } columns;
} dal_derivatives_work;
typedef struct dal_column_work dal_column_work;

/* The columns first ... first + n of two matrices by rows. */
enum { DAL_MOST_LANES = 8, DAL_FACTOR_VECTORS = 3 };
typedef struct dal_factor_block {
    double *X, *Y; /* row 0 of each */
    size_t stride; /* from row to row */
    int first, n;  /* at most DAL_FACTOR_VECTORS vectors */
    const bool *related;
} dal_factor_block;

/* Columns of a matrix by rows: one a lane (the last vector may have fewer), several vectors a block. */
enum { DAL_COLUMN_WIDTH = 16, DAL_COLUMN_VECTORS = DAL_COLUMN_WIDTH / 4, DAL_COLUMN_NUMBERS = 6 * DAL_COLUMN_WIDTH };
typedef struct dal_column_block {
    int vectors;
    bool identity; /* it is columns `column` and following of the identity */
    int column;
    int last;                       /* the last link that is computed */
    int n[DAL_COLUMN_VECTORS];      /* columns in each vector */
    double *at[DAL_COLUMN_VECTORS]; /* their place in row 0 */
    size_t stride;                  /* from row to row */
    double factor;                  /* of the result */
} dal_column_block;

typedef struct dal_elimination dal_elimination; /* of loops: loops.h */
typedef struct dal_sweeping dal_sweeping;       /* branch by branch: sweep.h */

/* Function types of the table, and the functions of one instruction set. */
typedef void dal_kinematics_kernel(const dal_links *links, dal_links_work *work, const double *q);
typedef void dal_rnea_forward_kernel(const dal_links *links, dal_links_work *work, const double *q, const double *v, const double *vd);
typedef void dal_rnea_backward_kernel(const dal_links *links, dal_links_work *work, double *tau);
typedef void dal_aba_velocity_kernel(const dal_links *links, dal_links_work *work, const double *q, const double *v);
typedef bool dal_aba_solve_kernel(const dal_links *links, dal_links_work *work, const double *tau, double *x);
typedef bool dal_aba_factor_kernel(const dal_links *links, dal_links_work *work);
typedef bool dal_aba_backward_link_kernel(const dal_links *links, dal_links_work *work, int i, const double *tau, bool inertias, bool biases);
typedef void dal_aba_forward_link_kernel(const dal_links *links, dal_links_work *work, int i, const double *tau, double *x);
typedef void dal_aba_solve_free_kernel(const dal_link_inertia *inertia, double wrench[8]);
typedef void dal_crba_kernel(const dal_links *links, dal_links_work *work, const double *q, double *M);
typedef void dal_rnea_derivative_columns_kernel(const dal_links *links, dal_links_work *work, dal_derivatives_work *derivatives, const double *v,
                                                bool after_aba);
typedef void dal_rnea_derivative_rows_kernel(const dal_links *links, dal_links_work *work, dal_derivatives_work *derivatives, bool loaded, double *dq,
                                             double *dv);
typedef void dal_factor_rows_kernel(const dal_links *links, const dal_links_work *work, dal_derivatives_work *derivatives);
typedef void dal_factor_columns_kernel(const dal_links *links, const dal_links_work *work, const dal_factor_work *factor,
                                       const dal_factor_block *block);
typedef void dal_aba_columns_kernel(const dal_links *links, const dal_links_work *work, dal_column_work *columns, const dal_column_block *block);

typedef struct dal_recursion {
    const char *name;
    const dal_elimination *loops;
    const dal_sweeping *sweep[2]; /* in space, in the plane: dal_sweeping_of */
    /* q -> R, r, d. */
    dal_kinematics_kernel *kinematics;
    /* RNEA (rnea.c). Forward: q, v, v' (NULL: zero) -> the whole motion, and the wrench of each link alone. */
    dal_rnea_forward_kernel *rnea_forward;
    /* Backward: wrenches of links -> those of all behind them, and tau. */
    dal_rnea_backward_kernel *rnea_backward;
    /* ABA (aba.c). First pass: the same as rnea_forward with v' = 0, and the inertia of each link by itself; v NULL: no wrenches, no
     * motion but the position. */
    dal_aba_velocity_kernel *aba_velocity;
    /* Second and third pass: x = M^-1 (tau - projection of the wrenches); tau NULL: zero. Inertias and wrenches are overwritten. False: some joint
     * moves nothing that has inertia. */
    dal_aba_solve_kernel *aba_solve;
    /* Of the second pass, what concerns inertias. */
    dal_aba_factor_kernel *aba_factor;
    /* The same passes, one link at a time: inertias, wrenches (`biases`) or both; then accelerations. */
    dal_aba_backward_link_kernel *aba_backward_link;
    dal_aba_forward_link_kernel *aba_forward_link;
    /* (moment, force), four numbers each, := inertia^-1 of it, for a free link that has been eliminated. */
    dal_aba_solve_free_kernel *aba_solve_free;
    /* CRBA (crba.c): the lower triangle of M; NULL: only the composite inertias, in I and Ht[0], and the columns. */
    dal_crba_kernel *crba;
    /* Derivatives of inverse dynamics (rnea_derivatives.c). Columns and single bodies, after rnea_forward, or after ABA (`after_aba`: the motion is
     * completed by the accelerations that aba_solve left); then external loads may be added to body->G, g; then all entries of d tau/dq and
     * d tau/dv that are not zero by structure. Composites and wrenches are overwritten. */
    dal_rnea_derivative_columns_kernel *derivative_columns;
    dal_rnea_derivative_rows_kernel *derivative_rows;
    /* X := factor M^-1 X on a block of columns, after aba_solve or its backward pass (aba_columns.c). */
    dal_aba_columns_kernel *aba_columns;
    /* L, after aba_solve and derivative_columns; then the columns of a block of two matrices := -M^-1 of them (factor_columns.c). For shallow trees. */
    dal_factor_rows_kernel *factor_rows;
    dal_factor_columns_kernel *factor_columns;
    int lanes; /* of these and of aba_columns: columns a vector */
} dal_recursion;

/* Those that work on lanes; these are compiled for AVX-512, too. */
#define DAL_DECLARE_LANES(target)                                                                                                                    \
    dal_rnea_derivative_columns_kernel dal_rnea_derivative_columns_##target;                                                                         \
    dal_rnea_derivative_rows_kernel dal_rnea_derivative_rows_##target;                                                                               \
    dal_aba_columns_kernel dal_aba_columns_##target;                                                                                                 \
    dal_factor_rows_kernel dal_factor_rows_##target;                                                                                                 \
    dal_factor_columns_kernel dal_factor_columns_##target;
#define DAL_DECLARE_KERNELS(target)                                                                                                                  \
    extern const dal_recursion dal_recursion_##target;                                                                                               \
    extern const dal_elimination dal_elimination_##target;                                                                                           \
    extern const dal_sweeping dal_sweeping_##target;                                                                                                 \
    extern const dal_sweeping dal_planar_sweeping_##target;                                                                                          \
    dal_kinematics_kernel dal_forward_kinematics_##target;                                                                                           \
    dal_rnea_forward_kernel dal_rnea_forward_##target;                                                                                               \
    dal_rnea_backward_kernel dal_rnea_backward_##target;                                                                                             \
    dal_aba_velocity_kernel dal_aba_velocity_##target;                                                                                               \
    dal_aba_solve_kernel dal_aba_solve_##target;                                                                                                     \
    dal_aba_factor_kernel dal_aba_factor_##target;                                                                                                   \
    dal_aba_backward_link_kernel dal_aba_backward_link_##target;                                                                                     \
    dal_aba_forward_link_kernel dal_aba_forward_link_##target;                                                                                       \
    dal_aba_solve_free_kernel dal_aba_solve_free_##target;                                                                                           \
    dal_crba_kernel dal_crba_##target;                                                                                                               \
    DAL_DECLARE_LANES(target)

DAL_DECLARE_KERNELS(baseline)
#if defined(__x86_64__) && !defined(DAL_NO_AVX2)
DAL_DECLARE_KERNELS(avx2)
DAL_DECLARE_LANES(avx512)
extern const dal_recursion dal_recursion_avx512;
#define DAL_HAVE_AVX2 1
#endif
/* The best that this machine has; DAL_ISA=baseline or DAL_ISA=avx2 in the environment takes a plainer one. */
const dal_recursion *dal_recursion_choose(void);

/* Numbers of work space are counted in doubles, arrays in whole cache lines. */
#define DAL_DOUBLES(type) (sizeof(type) / sizeof(double))
static inline size_t dal_whole_lines(size_t doubles)
{
    return (doubles + 7) / 8 * 8;
}

size_t dal_links_work_size(const dal_links *links); /* doubles */
/* memory: aligned to a cache line, zeroed. */
void dal_links_work_layout(const dal_links *links, double *memory, dal_links_work *work);
/* The same for derivatives. */
size_t dal_derivatives_work_size(const dal_links *links);
void dal_derivatives_work_layout(const dal_links *links, double *memory, dal_derivatives_work *work);

#endif
