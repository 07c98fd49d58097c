/* Common data of the files of steady motions: the search.
 *
 *   steady.c              the search: from the start, towards the given rates, to the result
 *   steady_equations.c    the equations at one position
 *   steady_symmetries.c   which fields are symmetries; the coefficients of the start
 *   steady_step.c         one step of Newton's method
 *   steady_further.c      later positions of the motion; the frames of the bodies
 */
#ifndef DAL_LINEAR_STEADY_PARTS_H
#define DAL_LINEAR_STEADY_PARTS_H

#include "linear/fields.h"
#include "linear/steady.h"

static const double dal_steady_difference = 1e-5; /* for derivatives, in the model's own units */

typedef struct dal_steady_search {
    dal_arena *keep, arena; /* of the whole; of one step */
    dal_state *state;
    dal_messages *messages;
    const dal_layout *layout;
    dal_point point;
    dal_kept_rows loose; /* without the drives that move and the rows of velocities */
    dal_fields fields;
    double hasty;                                                             /* the largest phi'' of a drive, in the model's own units */
    int hasty_row;                                                            /* its row */
    bool *driven;                                                             /* rows */
    int nv, n_z, n_given, n_driven, n_velocity_rows, n_equations, n_unknowns; /* n_driven: rows, with those of velocities */
    const int *columns;
    double *given;            /* their rates at the present point of the search */
    double *begin;            /* at the start */
    const bool *is_rate;      /* the column is a rate itself */
    bool balanced;            /* the last search ended where all equations are met */
    bool restless;            /* forces have no values at rest, as slip over a speed has none */
    dal_body_motion *carried; /* then: w and the velocity of the centre of mass of each body, in axes of the leader of its island */
    double *q, *v, *z, *c;
    double *z_unit;     /* of each state: a smaller one is zero */
    double *T, *lambda; /* where derivatives are computed: velocities; multipliers */
    bool descends;      /* it finds states that are stable at given rates */
    bool held;          /* positions stay, and rates that are not given change */
    int p;              /* columns of T */
    double force;       /* size of the terms of F */
    double unit;        /* sqrt(m) L */
} dal_steady_search;

/* ---- steady_equations.c ------------------------------------------------------------------------- */

/* The state at q, moving with v: its bodies, without forces. `recharted`: with new charts for this position; q is converted. */
dal_status dal_steady_enter(dal_steady_search *search, double *q, const double *v, const double *z, bool recharted);
/* The same, evaluated. */
dal_status dal_steady_evaluate(dal_steady_search *search, double *q, const double *v, const double *z, bool recharted);
/* The same, with the point opened there. */
dal_status dal_steady_open(dal_steady_search *search, double *q, const double *v, const double *z, bool recharted);
/* The point opened there without forces, and the velocities that all rows allow but the driven ones. DAL_BAD_MODEL: some have no mass. */
dal_status dal_steady_span(dal_steady_search *search, double *q, const double *v, const double *z, bool recharted, dal_kept_rows *rows);
/* q back on the rows, at rest and without forces; the point is open there. */
dal_status dal_steady_correct(dal_steady_search *search);
/* Velocities nearest to a motion of the bodies, in energy beside the constraints. */
void dal_steady_follow(dal_steady_search *search, const dal_kept_rows *rows, const dal_body_motion *motion, double *v);
/* The same, of the fields with coefficients c at the present position. */
void dal_steady_velocities(dal_steady_search *search, const dal_kept_rows *rows, const double *c, double *v);
/* search->carried: the motion of the start, or of c if start is NULL. */
void dal_steady_note(dal_steady_search *search, const dal_body_motion *start);
/* v: zero, which stays, or the velocities of that motion at q where forces have no values at rest. */
dal_status dal_steady_carry(dal_steady_search *search, double *q, double *v);
/* search->z_unit, at the point that is open. */
void dal_steady_find_units(dal_steady_search *search);
/* J^T (inertia) - Q; its parts are measured for search->force. */
void dal_steady_forces(dal_steady_search *search, const double *c, double *out);
/* The rates of the given channels. After a point is open at a state that moves. */
void dal_steady_rates(dal_steady_search *search, double *out);
/* All equations, in the model's own units, at (q, c, z): T and lambda are those of the search. */
dal_status dal_steady_equations(dal_steady_search *search, double *q, const double *c, const double *z, double *out);

/* ---- steady_symmetries.c ------------------------------------------------------------------------ */

/* T, the fields, and multipliers that balance F with c as well as possible, at search->q. c follows from the motion of the start, or is kept. */
dal_status dal_steady_prepare(dal_steady_search *search, const dal_body_motion *start);

/* ---- steady_step.c ------------------------------------------------------------------------------ */

/* *step becomes 0 if the equations are satisfied; *freedom: number of rates that the equations do not determine. */
dal_status dal_steady_step(dal_steady_search *search, const dal_body_motion *start, double *size, double *step, int *freedom);

/* ---- steady_further.c --------------------------------------------------------------------------- */

/* The size of F at later positions of the motion, with T and multipliers of each; and how far drives and rows of velocities are missed there, over
 * the speed of the motion. */
dal_status dal_steady_further(dal_steady_search *search, double *size, double *slip);
/* The motions of the frames of the bodies: the turns and shifts of their islands. */
void dal_steady_frames(dal_steady_search *search, dal_steady_motion *out);

#endif
