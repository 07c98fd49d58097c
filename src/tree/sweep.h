/* Sweeps: the backward pass block by block, for large models of many small trees that loops tie to each other.
 *
 * There are two ways through a model with loops. The passes of loops.h go over all links at once and serve every model; sweeps call the same
 * kernels (aba_velocity, backward_links, reduce_rows, restore_multipliers) on views of one block after the other, so that the elimination is
 * written once. Two things are written twice: the rows (here on links, there on bodies) and the forward step of a joint (here from a record of two
 * cache lines, there from the whole link). With the shared forms a sweep would read all the memory that it avoids.
 *
 * `aba_velocity`, the rows, their covectors and the elimination (loops.h), one after the other over all links, read and write the same memory
 * again and again; once it is larger than the caches, that is what takes the time. Nothing forces this order. Here the tree is cut into
 * blocks of links, each a number of whole trees that start at the ground, and the blocks are taken from the last to the first:
 *
 *     move a block        its frames, motions, inertias and wrenches
 *     close it            gamma and the covectors of all rows whose links have all been moved now
 *     eliminate a block   once every row that acts on it is closed
 *
 * so that what belongs to the blocks at hand stays in a ring of scratch that fits into the first cache, and only what the forward pass needs
 * is kept of a link: its joint,
 *
 *     x' = (u + kappa.lambda - Un.alpha_p - Uf.acc) / D,   acc = acc_p + alpha_p x d,   alpha = alpha_p + turn x' a,   acc += shift x' a
 *
 * (turn: 1, 0; shift: 0, 1; screw: 1, pitch). Weight is the acceleration -g of the ground.
 *
 * Models in the plane have a sweep of their own, with three numbers where this one has six: planar_sweep.h. Both take the same blocks and rows.
 *
 * A sweep needs links with one coordinate, rows of scalar products of points and directions that time does not move, and no load but weight.
 * Other models use loops.h, and so do models in which far ends are tied: their ring would be large.
 */
#ifndef DAL_TREE_SWEEP_H
#define DAL_TREE_SWEEP_H

#include "kinematics/family.h"
#include "tree/loops.h"
#include "tree/planar_sweep.h"

/* A point or a direction of a link. 32 bytes. */
typedef struct dal_sweep_vector {
    int at; /* its link in the ring; -1: the ground */
    int point;
    double s[3]; /* in the link's axes, from its origin */
} dal_sweep_vector;

/* coef (x_0 - x_1).(x_2 - x_3): vectors, -1 where one is absent, and the sides of the row that they lie on. Vectors 0, 1, 2 are the axes of
 * the world, those of the closure follow. */
typedef struct dal_sweep_term {
    double coef;
    signed char vector[4], side[4];
} dal_sweep_term;

typedef struct dal_sweep_row {
    int number; /* of the row */
    int side;   /* its first one of loops->side and sweep->side_slot */
    short n_terms, n_sides;
} dal_sweep_row;

enum { DAL_SWEEP_AXES = 3, DAL_SWEEP_VECTORS = 24, DAL_SWEEP_TERMS = 8 }; /* of a closure, with the axes; of a row */

/* Rows that share their vectors. The vectors, rows and terms of all closures follow each other. */
typedef struct dal_sweep_closure {
    int n_vectors, n_rows;
} dal_sweep_closure;

typedef struct dal_sweep_block {
    int link, n_links;
    int run, n_runs;
    int slot, n_slots;
    int need;       /* the first block that must have been moved before this one is eliminated */
    int n_closures; /* that are complete once this block has been moved */
    int n_watched;
} dal_sweep_block;

/* A body whose motion is computed for callers. */
typedef struct dal_sweep_watched {
    int body, at; /* its link in the ring */
} dal_sweep_watched;

/* What the forward pass knows of a link beside its numbers. */
typedef struct dal_sweep_joint {
    int parent, v;
    int slot, n_open; /* its open rows */
} dal_sweep_joint;

typedef struct dal_sweep {
    int n_blocks, n_ring, n_links, n_runs, n_closures, n_vectors, n_rows, n_terms, n_sides, n_watched, n_measures;
    int most_links, most_slots; /* of a block */
    bool complete;              /* links have complete rows: their K is kept */
    dal_sweep_block *block;
    dal_link *link;    /* as in links, but parents are counted in the block */
    dal_link_run *run; /* counted in the block */
    dal_sweep_joint *joint;
    /* In the order in which they are met: by blocks, from the last to the first. */
    dal_sweep_closure *closure;
    dal_sweep_vector *vector;
    dal_sweep_row *row;
    dal_sweep_term *term;
    int *side_slot; /* of the sides of loops: where K of that slot is; in the ring, where K is not kept */
    dal_sweep_watched *watched;
    int *measure;       /* measures that have to be known: made of vectors of the watched bodies */
    dal_planar *planar; /* the same in the plane; NULL: a model in space */
} dal_sweep;

enum { DAL_SWEEP_SPATIAL, DAL_SWEEP_PLANAR };

/* Two cache lines. */
typedef struct dal_sweep_record {
    double axis[3], inverse;
    double d[3], u;
    double Un[3], turn;
    double Uf[3], shift;
} dal_sweep_record;

typedef struct dal_sweep_work {
    dal_sweep_record *record; /* of links */
    dal_link_motion *motion;  /* of the ring: most_links + 1 a block, the ground first */
    dal_link_wrench *wrench;
    dal_link_inertia *inertia;
    double *sine, *cosine;
    double (*K)[8];         /* most_slots a block of the ring; none where K is kept */
    dal_planar_work planar; /* in the place of all these, in the plane */
    double spin;            /* square of the largest angular velocity of a link */
    double size;            /* sum of places and squares of velocities: finite where they all are */
} dal_sweep_work;

/* What a sweep is about. */
typedef struct dal_sweep_task {
    const dal_sweep *sweep;
    const dal_loops *loops;
    const dal_recursion *run;
    dal_sweep_work *own;
    dal_loops_work *work;
    dal_link_wrench *motion; /* of all links, [-1] the ground: in the forward pass, their accelerations (n: alpha, f: acc) */
    const bool *used;        /* rows that count */
    const double *q, *v;
    double lift[4];      /* acceleration of the ground: minus gravity */
    double length, mass; /* of the model, for weights */
    void *user;
    void (*watch)(void *user, int body, const dal_link_motion *motion); /* motion of the body's link */
} dal_sweep_task;

struct dal_sweeping {
    /* Everything up to the ground: gamma, covectors, weights, the factor; gamma is what the rows are loaded with. Returns what `backward_inertia` of
     * dal_elimination does. */
    double (*backward)(const dal_sweep_task *task, double *gamma);
    /* Rows b and nothing else, with the factor of the last sweep. */
    void (*backward_bias)(const dal_sweep_task *task, const double *b);
    void (*forward)(const dal_sweep_task *task, double *x, double *lambda);
    /* As `residual` of dal_elimination. */
    double (*residual)(const dal_sweep_task *task, const double *b, double *residual);
};

/* The sweep of a model, for the machine: which of the two is a fact of the model, found when it is compiled. */
static inline const dal_sweeping *dal_sweeping_of(const dal_sweep *sweep, const dal_recursion *run)
{
    return run->sweep[sweep->planar ? DAL_SWEEP_PLANAR : DAL_SWEEP_SPATIAL];
}

enum { DAL_SWEEP_ENOUGH = 24 }; /* links of a block, a kB each: measured, fewer cost more calls, more leave the first cache */
/* NULL: not a model for sweeps. One in the plane is swept there. `watched`: measures that have to be known. `enough`: links that make a block. */
dal_sweep *dal_sweep_build(dal_arena *arena, const dal_links *links, const dal_loops *loops, const dal_layout *layout, int n_watched,
                           const int *watched, int enough);
/* The same model in the plane; NULL: not all of its links move there. */
dal_planar *dal_planar_build(dal_arena *arena, const dal_links *links, const dal_loops *loops, const dal_layout *layout, const dal_sweep *sweep);
extern const dal_block_array dal_planar_arrays[];
extern const dal_block_array dal_sweep_arrays[];
size_t dal_sweep_work_size(const dal_sweep *sweep); /* doubles */
void dal_sweep_work_layout(const dal_sweep *sweep, double *memory, dal_sweep_work *work);
size_t dal_planar_work_size(const dal_sweep *sweep);
void dal_planar_work_layout(const dal_sweep *sweep, double *memory, dal_planar_work *work);

#endif
