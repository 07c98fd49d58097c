/* Common data of the files of the search for a static equilibrium.
 *
 *   settle.c           the search: its steps, and where it ends
 *   settle_place.c     one position: on the constraints, at rest; along_tree.c: bodies follow the joints that carry them
 *   settle_step.c      one step: the equations at a position, and the step that follows from them
 *   settle_singular.c  the way out of a singular position
 *   settle_limits.c    limits of controllers, beyond which nothing is seen of them
 *   settle_lost.c      where a search goes that finds nothing
 */
#ifndef DAL_START_SETTLE_PARTS_H
#define DAL_START_SETTLE_PARTS_H

#include "start/settle.h"

#include "start/along_tree.h"

static const double dal_settle_longest = 0.5; /* rad, or of the extent of the model: a step */
static const double dal_settle_push = 1e-9;   /* in the model's own units: a force that is not balanced */
static const double dal_settle_kept = 1e-13;  /* of the model's length: rows are met */

/* Where the bodies are: 3 and 9 numbers each; and q. */
typedef struct dal_settle_places {
    double *r, *R, *q;
} dal_settle_places;

typedef struct dal_settler {
    dal_arena arena; /* of one step */
    dal_state *state;
    dal_messages *messages;
    dal_point point;
    double *q, *z, *rest;   /* nq; states; zeros */
    const dal_tree *tree;   /* that the bodies follow, or NULL */
    double *rho, *K, *step; /* settle_step.c */
    dal_settle_places first_places;
    double *turned;                         /* settle_lost.c: 3 a body */
    double wandered, rotated, first_extent; /* the same; lengths, rad */
    double radius;                          /* the longest step now */
    double stride;                          /* extents: a shift that counts as one */
    double last;                            /* |rho| before the last step */
    bool downhill;                          /* all forces have a potential */
    bool rolls;                             /* steps are motions that rows of velocities allow; else displacements */
    bool straight;                          /* Newton's steps only: nothing leads down where forces have no potential */
    double size;                            /* of the whole step */
    double stiffest;                        /* largest number of K */
    double *first;                          /* rates of z at the start, their sizes */
    int calm;                               /* steps in a row that moved nothing */
    int pushes;                             /* steps that only pushed on: settle_step.c */
    int n_freedoms;                         /* of positions */
    bool last_newton;                       /* the last step was Newton's */
    bool done;                              /* the last step was rounding */
    bool cut;                               /* the step was longer than it may be */
    bool moved;                             /* the model moves at the start */
    uint64_t chance;                        /* of random steps */
    const char *runs;                       /* what moves the most */
} dal_settler;

/* ---- settle_place.c ----------------------------------------------------------------------------------- */

/* The state at s->q and s->z, at rest. */
dal_status dal_settle_rest(dal_settler *s);
/* Back on the rows by the least change, and at rest there. DAL_NUMERICAL: they cannot be kept. */
dal_status dal_settle_correct(dal_settler *s);
/* The point at the present state, on the rows. */
dal_status dal_settle_stand(dal_settler *s);
/* DAL_BAD_MODEL with a sentence: a drive moves, or will; or time itself moves a body. */
dal_status dal_settle_refuse_drives(dal_settler *s);

/* ---- settle_step.c ------------------------------------------------------------------------------------ */

/* Along which a step goes: T or T_h. */
const dal_kept_rows *dal_settle_ways(const dal_settler *s);
/* How far the model extends from its middle, at least its own length. */
double dal_settle_extent(const dal_settler *s);
/* How far dq goes: turns of the bodies in rad, shifts of the bodies over `stride` extents of the model, coordinates without bodies over its length. Infinite:
 * it has no size. */
double dal_settle_size(dal_settler *s, const double *dq, double stride);
/* s->rho and s->K. */
void dal_settle_system(dal_settler *s);
/* The units of the rows and columns of K: forces, positions and time in the model's own units, states in units of what they are coupled to. */
void dal_settle_units(dal_settler *s, double *row, double *column);
/* s->step. True: it is Newton's. */
bool dal_settle_step(dal_settler *s);
/* s->runs: the part of the model that a direction along T moves the most. */
void dal_settle_name_direction(dal_settler *s, const dal_kept_rows *rows, const double *xi);
/* Of rho, in the model's own units. */
double dal_settle_force_unit(const dal_settler *s);

/* ---- settle_singular.c -------------------------------------------------------------------------------- */

/* From q, where a step failed. DAL_NUMERICAL: the position is not singular. */
dal_status dal_settle_leave_singular(dal_settler *s, const double *q);

/* ---- settle_limits.c ---------------------------------------------------------------------------------- */

enum { DAL_SETTLE_LIMITS = 4 };

/* Switches that compare a number with a constant, among all of the model. */
typedef struct dal_settle_limits {
    int switches, n, limit[DAL_SETTLE_LIMITS];
    double *a, *b;     /* what each switch compares where the search ended */
    int *modes, *some; /* the pieces that hold there; a choice */
} dal_settle_limits;

/* The pieces that are used everywhere from now on; NULL: those that hold. The state has to be evaluated again. */
void dal_settle_hold_pieces(dal_settler *s, const int *modes);
/* Where the search ended; `again`: at its start. False: there is no limit. */
bool dal_settle_compare(dal_arena *arena, dal_settler *s, dal_settle_limits *limits, bool again);
/* Choice 1 to 2^n - 1: which of them have their other piece. */
const int *dal_settle_pieces(dal_settle_limits *limits, int choice);

/* ---- settle_lost.c ------------------------------------------------------------------------------------ */

/* Room for the places of all bodies. */
dal_settle_places dal_settle_make_places(dal_arena *arena, const dal_layout *layout);
/* The search begins here. */
void dal_settle_set_out(dal_settler *s);
/* In the memory of the step. */
dal_settle_places dal_settle_places_now(dal_settler *s);
/* After a step from there. */
void dal_settle_track(dal_settler *s, const dal_settle_places *before);
/* How many lengths it has run away; 0: it does not run away. */
double dal_settle_gone(const dal_settler *s);
/* A body that turns and turns (NULL: none), the joint at which it does (NULL: it has none with an angle), and by how many whole turns. */
typedef struct dal_settle_turn {
    const char *body, *joint;
    double turns;
} dal_settle_turn;

dal_settle_turn dal_settle_turning(const dal_settler *s);
/* DAL_BAD_MODEL with a sentence: what the search does after so many steps. */
dal_status dal_settle_refuse_lost(const dal_settler *s, int steps);

#endif
