/* Common data of the files of the search for a static equilibrium.
 *
 *   settle.c           the search: its steps, and where it ends
 *   settle_place.c     one position: on the constraints, at rest; along_tree.c moves bodies with the joints that carry them
 *   settle_step.c      one step: the equations at a position, and the step that solves them
 *   settle_singular.c  how the search leaves a singular position
 *   settle_limits.c    limits of controllers, at which their derivatives are zero
 *   settle_lost.c      a search that finds nothing: does the model run away, turn for ever, or not settle?
 */
#ifndef DAL_START_SETTLE_PARTS_H
#define DAL_START_SETTLE_PARTS_H

#include "start/settle.h"

#include "start/along_tree.h"

static const double dal_settle_longest = 0.5; /* maximum size of a step: rad, or shift over the extent of the model */
static const double dal_settle_push = 1e-9;   /* in the model's own units: smaller forces count as balanced */
static const double dal_settle_kept = 1e-13;  /* of the model's length: rows with smaller errors hold */

/* Positions of the bodies: r and R of each, 3 and 9 numbers; and q. */
typedef struct dal_settle_places {
    double *r, *R, *q;
} dal_settle_places;

typedef struct dal_settler {
    dal_arena arena; /* of one step */
    dal_state *state;
    dal_messages *messages;
    dal_point point;
    double *q, *z, *rest;   /* nq; the model's states; nv zeros */
    double *kept;           /* n_rows: of rows of one rate, the coordinate at the start */
    const dal_tree *tree;   /* that the bodies follow, or NULL */
    double *rho, *K, *step; /* settle_step.c */
    dal_settle_places first_places;
    double *turned;                         /* settle_lost.c: 3 a body */
    double wandered, rotated, first_extent; /* the same; lengths, rad, lengths */
    double radius;                          /* maximum size of the next step */
    double stride;                          /* a shift of so many extents of the model counts as one */
    double last;                            /* |rho| before the last step */
    bool downhill;                          /* all forces have a potential */
    bool rolls;                             /* steps go along T, where rows of velocities hold too; else along T_h */
    bool straight;                          /* Newton's steps alone: without a potential no step leads down */
    double size;                            /* of the step before it is cut */
    double stiffest;                        /* largest number of K */
    double *first;                          /* |z'| at the start */
    int calm;                               /* steps in a row that moved nothing */
    int pushes;                             /* steps that only pushed on: settle_step.c */
    int n_freedoms;                         /* directions of a step: columns of dal_settle_ways */
    bool last_newton;                       /* the last step was Newton's */
    bool done;                              /* the last step was rounding */
    bool cut;                               /* the step was longer than it may be */
    bool moved;                             /* the model moves at the start */
    uint64_t chance;                        /* state of the random numbers */
    const char *runs;                       /* name of the part that moves the most */
} dal_settler;

/* ---- settle_place.c ----------------------------------------------------------------------------------- */

/* The state at s->q and s->z, at rest. */
dal_status dal_settle_rest(dal_settler *s);
/* Notes the coordinates that rows of one rate keep. */
void dal_settle_keep(dal_settler *s);
/* The state back on the rows by the least change of q, and at rest there. DAL_NUMERICAL: no change closes the rows. */
dal_status dal_settle_correct(dal_settler *s);
/* Puts the present state on the rows and opens s->point there. */
dal_status dal_settle_stand(dal_settler *s);
/* DAL_BAD_MODEL with a sentence: a drive has a velocity or an acceleration, or a body is placed by time. */
dal_status dal_settle_refuse_drives(dal_settler *s);

/* ---- settle_step.c ------------------------------------------------------------------------------------ */

/* The directions of a step: T or T_h. */
const dal_kept_rows *dal_settle_ways(const dal_settler *s);
/* How far the model extends from its middle, at least its own length. */
double dal_settle_extent(const dal_settler *s);
/* The size of dq: the largest turn of a body in rad, shift of a body over `stride` extents of the model, or change of a coordinate without bodies over
 * the model's length. Infinite if a number is not finite. */
double dal_settle_size(dal_settler *s, const double *dq, double stride);
/* Computes s->rho and s->K. */
void dal_settle_system(dal_settler *s);
/* The units of the rows and columns of K: forces, positions and time in the model's own units; for states, units that balance K. */
void dal_settle_units(dal_settler *s, double *row, double *column);
/* Computes s->step. True: it is Newton's step. */
bool dal_settle_step(dal_settler *s);
/* Sets s->runs: the part of the model that the direction T xi moves the most. */
void dal_settle_name_direction(dal_settler *s, const dal_kept_rows *rows, const double *xi);
/* One unit of rho, in the model's own units. */
double dal_settle_force_unit(const dal_settler *s);

/* ---- settle_singular.c -------------------------------------------------------------------------------- */

/* Moves the state from q, where a step failed, to a branch. DAL_NUMERICAL: the position is not singular. */
dal_status dal_settle_leave_singular(dal_settler *s, const double *q);

/* ---- settle_limits.c ---------------------------------------------------------------------------------- */

enum { DAL_SETTLE_LIMITS = 4 };

/* The switches of the model that compare a number with a constant. */
typedef struct dal_settle_limits {
    int switches, n, limit[DAL_SETTLE_LIMITS];
    double *a, *b;     /* what each switch compares where the search ended */
    int *modes, *some; /* the pieces that hold there; other pieces: dal_settle_pieces */
} dal_settle_limits;

/* Evaluations use these pieces everywhere from now on; NULL: the pieces that hold. The state has to be evaluated again. */
void dal_settle_hold_pieces(dal_settler *s, const int *modes);
/* First call: where the search ended. Second call, `again`: at its start, which finds the limits. False: there is none. */
bool dal_settle_compare(dal_arena *arena, dal_settler *s, dal_settle_limits *limits, bool again);
/* The pieces of choice 1 to 2^n - 1: its bits are the limits that take their other piece. */
const int *dal_settle_pieces(dal_settle_limits *limits, int choice);

/* ---- settle_lost.c ------------------------------------------------------------------------------------ */

/* Memory for the places of all bodies. */
dal_settle_places dal_settle_make_places(dal_arena *arena, const dal_layout *layout);
/* Notes where the search begins. */
void dal_settle_set_out(dal_settler *s);
/* The present places, in the memory of the step. */
dal_settle_places dal_settle_places_now(dal_settler *s);
/* Adds the step that began at `before` to s->turned, wandered and rotated. */
void dal_settle_track(dal_settler *s, const dal_settle_places *before);
/* By how many lengths the model has run away; 0: it does not run away. */
double dal_settle_gone(const dal_settler *s);
/* A body that keeps turning (NULL: none), its joint (NULL: it has none with an angle), and the number of whole turns. */
typedef struct dal_settle_turn {
    const char *body, *joint;
    double turns;
} dal_settle_turn;

dal_settle_turn dal_settle_turning(const dal_settler *s);
/* DAL_BAD_MODEL with a sentence on a search that has not ended after so many steps. */
dal_status dal_settle_refuse_lost(const dal_settler *s, int steps);

#endif
