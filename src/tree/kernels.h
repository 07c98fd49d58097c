/* The recursions themselves, compiled once for every instruction set; the one that the machine has is chosen when a system is made.
 *
 * Work space: one `dal_link_work` a link, the ground before the first one. Memory comes from the state.
 */
#ifndef DAL_TREE_KERNELS_H
#define DAL_TREE_KERNELS_H

#include "tree/links.h"

/* Vectors have four numbers, the fourth is zero. Matrices are three columns. World axes; about the link's own origin. */
typedef struct dal_link_motion {
    double R[3][4];       /* columns: the axes */
    double r[4], d[4];    /* origin; from the parent's origin */
    double w[4], rd[4];   /* angular velocity; velocity of the origin */
    double alpha[4], a[4]; /* accelerations of the link and of its origin, less gravity */
} dal_link_motion;

/* R s, s in the link's axes. */
static inline void dal_link_turn(const dal_link_motion *m, const double s[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m->R[0][i] * s[0] + m->R[1][i] * s[1] + m->R[2][i] * s[2];
}

/* What the link needs to move so, and everything behind it: force, moment about the origin. */
typedef struct dal_link_wrench {
    double f[4], n[4];
} dal_link_wrench;

/* Articulated inertia: n = I alpha + H a, f = Ht alpha + M a, H = Ht^T; and its joint: U, 1/D, u. Composite inertia uses I, and
 * Ht[0], M[0][0] for first moment and mass. Once eliminated, a ball has the factor of I in its place, and a free link
 * that of all of it. */
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
    double *column[9];         /* of columns of v: axis (3), direction (3), origin (3) */
} dal_links_work;

typedef struct dal_elimination dal_elimination; /* of loops: loops.h */
typedef struct dal_sweeping dal_sweeping;       /* branch by branch: sweep.h */

typedef struct dal_recursion {
    const char *name;
    const dal_elimination *loops;
    const dal_sweeping *sweep;
    /* q -> R, r, d. */
    void (*position)(const dal_links *links, dal_links_work *work, const double *q);
    /* q, v, v' (NULL: zero) -> all of motion, and the wrench that each link needs by itself. */
    void (*newton)(const dal_links *links, dal_links_work *work, const double *q, const double *v, const double *vd);
    /* Wrenches of links -> those of all behind them, and tau. */
    void (*gather)(const dal_links *links, dal_links_work *work, double *tau);
    /* The same as newton with v' = 0, and the inertia of each link by itself; v NULL: no wrenches, no motion but the position. */
    void (*prepare)(const dal_links *links, dal_links_work *work, const double *q, const double *v);
    /* x = M^-1 (tau - what the wrenches ask), by articulated inertias; tau NULL: zero. Inertias and wrenches are used up. False: some joint
     * moves nothing that has inertia. */
    bool (*advance)(const dal_links *links, dal_links_work *work, const double *tau, double *x);
    /* The ways in and out, one link at a time: inertias (`inertial`), wrenches (`loaded`) or both; then accelerations. */
    bool (*inwards_link)(const dal_links *links, dal_links_work *work, int i, const double *tau, bool inertial, bool loaded);
    void (*outwards_link)(const dal_links *links, dal_links_work *work, int i, const double *tau, double *x);
    /* (moment, force), four numbers each, := inertia^-1 of it, for a free link that has been eliminated. */
    void (*solve_free)(const dal_link_inertia *inertia, double wrench[8]);
    /* The lower triangle of M; NULL: only the composite inertias, in I, Ht[0], M[0][0], and the columns. */
    void (*mass)(const dal_links *links, dal_links_work *work, const double *q, double *M);
} dal_recursion;

extern const dal_recursion dal_recursion_baseline;
extern const dal_elimination dal_elimination_baseline;
extern const dal_sweeping dal_sweeping_baseline;
#if defined(__x86_64__) && !defined(DAL_NO_AVX2)
extern const dal_recursion dal_recursion_avx2;
extern const dal_elimination dal_elimination_avx2;
extern const dal_sweeping dal_sweeping_avx2;
#define DAL_HAVE_AVX2 1
#endif
/* The best that this machine has; DAL_ISA=baseline in the environment takes the plain one. */
const dal_recursion *dal_recursion_choose(void);

/* Numbers of work space are counted in doubles, arrays in whole cache lines. */
#define DAL_DOUBLES(type) (sizeof(type) / sizeof(double))
static inline size_t dal_whole_lines(size_t doubles)
{
    return (doubles + 7) / 8 * 8;
}

size_t dal_links_work_size(const dal_links *links); /* doubles */
/* memory: aligned to a cache line, zeroed. */
void dal_links_work_lay(const dal_links *links, double *memory, dal_links_work *work);

#endif
