/* Loops on a tree: rows A x = b on top of M x = f + A^T lambda, by elimination from the tips to the ground.
 *
 * A row acts on some bodies with a covector each (a wrench a unit of its multiplier). In the backward pass every link carries, for the
 * rows that act on something behind it and are not yet eliminated (its "open" rows), the wrench K and the part of the row that is known:
 *
 *     wrench that the link needs      F = I a + p - K lambda                       I articulated inertia, a its acceleration (alpha, acc)
 *     the rows so far                 y = K^T a + L lambda + l
 *
 * At the start K is the covector, L = l = 0. A joint with the directions S, U = I S, D = S.U, u = tau - S.p, kappa = S.K adds
 *
 *     x = (u + kappa.lambda - U.a) / D
 *     K -= U kappa / D,   L += kappa kappa^T / D,   l += kappa u / D
 *
 * A row that depends only on relative motions is complete at the last link that carries all of its bodies; any other row is complete at the ground.
 * There, with the complete rows E, the open ones O and g = b - l:
 *
 *     lambda_E = L_EE^-1 (g_E - K_E^T a - L_EO lambda_O)
 *     I += K_E L_EE^-1 K_E^T,   p -= K_E L_EE^-1 g_E,   K_O -= K_E L_EE^-1 L_EO,   L_OO -= L_OE L_EE^-1 L_EO,   g_O -= L_OE L_EE^-1 g_E
 *
 * L_EE = A_E M^-1 A_E^T of the subtree of the link. It is positive definite if the rows are independent: a relative row has no entries
 * nearer to the ground. So elimination needs no pivoting, its order is found once, and loops that couple locally cost work in proportion
 * to the bodies. (A. Popov, A. Vereshchagin, 1978, for one chain; with early elimination it is a sparse factorisation of the whole.)
 *
 * A slot is a row at a link. L is kept as the entries that elimination fills, in the fronts where rows are complete: those of links and
 * the ground's. Joints between two such fronts add their part of L directly to the next front.
 *
 * Large models of many small trees are eliminated block by block by the same kernels: sweep.h.
 */
#ifndef DAL_TREE_LOOPS_H
#define DAL_TREE_LOOPS_H

#include "tree/kernels.h"

/* What a row acts on: filled in by the caller of dal_loops_build. */
typedef struct dal_loop_side {
    int row, link;
} dal_loop_side;

/* One link, or the ground. */
typedef struct dal_loop_front {
    int slot, n_eliminated, n_slots; /* slots slot ... : the complete rows in the order of their elimination, then the open ones */
    int pivot;                       /* of dal_loop_pivot: n_eliminated of them */
    int pair;                        /* pairs of open slots a >= b, row by row: dal_loop_pair */
    int heavy;                       /* balls and free links: their first place in work->heavy */
} dal_loop_front;

/* Elimination of a complete row: entries pattern ... pattern + n of `entry` are those below its diagonal. */
typedef struct dal_loop_pivot {
    int diagonal, below, n; /* `below`: first of n pairs (slot, entry) in loops->below */
    int target;             /* n (n + 1) / 2 entries that its outer product goes to, in loops->target */
} dal_loop_pivot;

/* Two open slots of a link: their entry here (-1: the front has none), and that of the next front with complete rows. */
typedef struct dal_loop_pair {
    int entry, up;
} dal_loop_pair;

typedef struct dal_loop_below {
    int slot, entry;
} dal_loop_below;

typedef struct dal_loops {
    int n_rows, n_sides, n_slots, n_pivots, n_below, n_targets, n_pairs, n_entries, n_heavy, n_links;
    dal_loop_front *front; /* n_links + 1: the ground is the last one */
    dal_loop_pivot *pivot;
    dal_loop_below *below;
    int *target;
    dal_loop_pair *pair;
    int *slot_row, *slot_up; /* row of a slot; the slot of that row at the parent (open slots) */
    dal_loop_side *side;
    int *side_slot; /* the slot of a side's row at its link */
    bool *hit;      /* of each link: has it slots? */
} dal_loops;

typedef struct dal_loops_work {
    double (*K)[8];        /* of slots: moment, force; four numbers each */
    int first_K;           /* the slot that K begins with */
    double (*covector)[6]; /* of sides, about the origins of their links: moment, force; filled in by the caller before factoring */
    double *kappa;         /* of open slots of links with one coordinate */
    double (*heavy)[8];    /* of open slots of balls and free links: D^-1 S.K */
    double *entry;         /* L */
    double *inverse;       /* of pivots: 1 / d */
    double *g;             /* of slots */
    double *weight;        /* of rows: reference value of a pivot; filled in by the caller before factoring */
    double *lambda;        /* of rows, three times: scratch */
} dal_loops_work;

/* `relative`: of each row, whether it depends only on relative motions. Sides on the ground are omitted. */
dal_loops *dal_loops_build(dal_arena *arena, const dal_links *links, int n_rows, const bool *relative, int n_sides, const dal_loop_side *sides);
extern const dal_block_array dal_loops_arrays[];
size_t dal_loops_work_size(const dal_loops *loops); /* doubles */
void dal_loops_work_layout(const dal_loops *loops, double *memory, dal_loops_work *work);

struct dal_elimination {
    /* After `aba_velocity` (inertias of the links by themselves), with the covectors of all sides: all articulated inertias and L. `used`: rows
     * that count; the others get lambda = 0. Returns the smallest ratio of a pivot to the weight of its row, 0 where a pivot or a joint's
     * inertia is not positive. */
    double (*backward_inertia)(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                               const bool *used);
    /* M x = tau - (projection of the wrenches) + A^T lambda, A x = b: the backward pass. Wrenches are overwritten. */
    void (*backward_bias)(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                          const double *tau, const double *b);
    /* Both at once. */
    double (*backward)(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                       const bool *used, const double *tau, const double *b);
    /* The forward pass: x, lambda; the wrenches become accelerations (n: alpha, f: acc). */
    void (*forward)(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                    const double *tau, double *x, double *lambda);
    /* Pieces of these, for sweeps (sweep.h). The links of `backward`, without the ground: K, entries and g are laid out. */
    double (*backward_links)(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                             const bool *used, const double *tau, const double *b);
    /* The complete rows of a front: their factor (the ground's), g of a load, and their multipliers. NULL for the ground's motions. */
    double (*eliminate_rows)(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const bool *used, dal_link_inertia *at);
    void (*reduce_rows)(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const double *b, dal_link_wrench *wrench);
    void (*restore_multipliers)(const dal_loops *loops, const dal_loop_front *front, const dal_loops_work *work, const dal_link_wrench *motion,
                                double *lambda);
    /* b - A x after that, from the accelerations of the links; 0 for rows that are not used. Returns the largest, relative to the sums
     * that it is made of. */
    double (*residual)(const dal_loops *loops, const dal_links_work *tree, const dal_loops_work *work, const bool *used, const double *b,
                       double *residual);
};

#endif
