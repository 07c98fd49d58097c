/* An assembly in progress, shared by the files that find a start:
 *
 *   assemble.c          positions of bodies: on the rows, and as near as possible to what is given
 *   gauss_newton.c      the step that closes rows; assemble_sparse.c: the same, and the velocities, of large models
 *   turns.c             whole turns of angles
 *   branches.c          other positions in which the mechanism closes; start_moved.c, start_undecided.c: what is said about them
 *   start_velocities.c  velocities
 *   finite_forms.c      are the rows finite there?
 *   coordinate_start.c  positions and velocities in coordinates of the model's own, in the place of the bodies'
 *
 * Later, on a compiled system: given_state.c (a state with given values), close_rows.c (rows closed from any position).
 */
#ifndef DAL_START_ASSEMBLY_H
#define DAL_START_ASSEMBLY_H

#include "compile/build.h"
#include "start/gauss_newton.h"

/* Displacements are measured in lengths of the model and radians, residuals of rows by what such a displacement changes them. */
static const double dal_closed = 1e-14;      /* a start with smaller residuals is not changed */
static const double dal_worth_a_note = 1e-9; /* a displacement that is reported */
static const double dal_far_turn = 0.5;      /* rad: a given value that moved further causes a warning that lists other branches */
static const double dal_far_shift = 0.25;    /* the same, in lengths of the model */

typedef struct dal_assembly {
    dal_build *build;
    dal_mechanism mechanism; /* with the targets as further rows */
    dal_layout *layout;
    dal_work work;
    int m, r, n_own;                      /* unknowns, rows with targets, rows of the model */
    double *A, *b, *x, *e, *S, *q0, *svd; /* A and svd: of small models */
    const dal_target **target;            /* of the rows behind the model's */
    struct dal_assembly_saddle *saddle;   /* of large models; assemble_sparse.c */
    bool following;                       /* steps are small, and angles follow them over whole turns: turns.h */
    bool undecided;                       /* the independent rows were not found */
    int *source;                          /* of an equation for velocities: its row, or -1 - body */
    double *row_unit;                     /* of the same: what it was divided by */
    double length;
    double rounding;   /* of the places of the bodies, in lengths: no gap is smaller */
    double *unit;      /* of each row: see dal_assembly_row_unit; 0: not yet known */
    dal_newton newton; /* the iteration, on these */
} dal_assembly;

void dal_start_drives(dal_arena *arena, const dal_compiled *drives, double *time); /* the functions of time, at t = 0 */
void dal_assembly_dense(dal_assembly *assembly);                                   /* room for dense rows and their singular values */
void dal_assembly_weigh(dal_assembly *assembly, bool velocities);                  /* S = 1 / weight of every unknown */
/* Rows that have to hold exactly: the model's, then the fixed start values of joints. */
int dal_assembly_exact(const dal_assembly *assembly);
const dal_target *dal_assembly_target(const dal_assembly *assembly, int row);
void dal_assembly_row(const dal_assembly *assembly, int row, double *out); /* of A, dense */
/* The unit of unknown k: the model's length for a shift, 1 for a turn. */
double dal_assembly_unit(const dal_assembly *assembly, int k);
/* The unit of the residual of row i. */
double dal_assembly_row_unit(const dal_assembly *assembly, int i);
void dal_assembly_find_unit(dal_assembly *assembly, int i); /* it, at the present A, where it is not known */
/* Is row i a constraint on velocities alone? */
bool dal_assembly_open(const dal_assembly *assembly, int row);
/* The part f of a row on (r, theta) of a body becomes one on (c, theta) where the body is measured at its centre of mass. */
void dal_assembly_center(const dal_assembly *assembly, int body, double *f);
/* "the position of 'crank', the start of joint 'A'": the fixed values, or "". */
const char *dal_assembly_fixed(const dal_assembly *assembly, bool velocities);

/* From the present placement: closes the gaps, as near to the given values as this branch allows. False: it does not close, or only with a
 * body turned over. */
bool dal_assembly_reach(dal_assembly *assembly, int rows);
/* e: the way from the present placement to q, with its frames; returns its largest component, in lengths of the model or radians. */
double dal_assembly_way(dal_assembly *assembly, const double *q, const dal_kin *kin);
/* The weighted square of the distance from the given values. */
double dal_assembly_distance(dal_assembly *assembly);

/* branches.c: another position in which the mechanism closes, where the model asks for it by `branch:` or `within:`; false with a message. */
bool dal_assembly_choose(dal_assembly *assembly, int rows);
/* start_moved.c: did something move far that the model gives of a body, and leaves to no choice? */
bool dal_assembly_moved_far(const dal_assembly *assembly, int body);
/* Warnings of given values that moved far, with the other branches. */
void dal_assembly_warn(dal_assembly *assembly, int rows);

/* start_undecided.c: a note where the start of a body follows from the joints alone, and another position is as near to what is given. */
void dal_assembly_undecided(dal_assembly *assembly, int rows);

/* start_velocities.c: the given velocities; zero where there are none. */
void dal_assembly_given(const dal_assembly *assembly, double *v);
/* False with messages. */
bool dal_assemble_velocities(dal_assembly *assembly);
/* Rows of a body's given velocities that may yield, in its own columns, weighted and multiplied by `scale`; their number. */
int dal_assembly_components(const dal_assembly *assembly, int body, double scale, double *rows);

/* assemble_sparse.c: is the model large? Then, the solver of the position steps, and v := the start velocities, v0 the given ones; false
 * where it is not decided which rows are independent. */
bool dal_assembly_large(const dal_assembly *assembly);
bool dal_assembly_least(dal_newton *newton, int n);
bool dal_assembly_velocity(dal_assembly *assembly, double *v, const double *v0);

#endif
