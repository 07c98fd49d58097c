/* A mechanism at one point of its motion, and how it moves near it.
 *
 *     T_h    displacements that the holonomic rows allow,   A_h T_h = 0
 *     T      velocities that all rows allow,                 A T = 0
 * both with T^T M T = 1, so that numbers along them do not depend on the family of coordinates but for a rotation. Along a change (dq, dv, dz, du) of
 * the state the accelerations change by
 *
 *     A dv' = -D phi'',   T^T (M dv' + D r) = 0,        r = M v' + h - Q - A^T lambda
 *     dv' = w - T T^T (D r + M w),   A w = -D phi''
 *
 * where D is the derivative at given v' and lambda (variation/variation.h); dry friction follows from both (dynamics/friction_slopes.h). A
 * displacement dq changes the velocities that the rows require: A dv = -D phi'.
 *
 *   point.c       the point, and changes of the state there
 *   tangents.c    rows that are kept, and T, T_h
 *   stiffness.c   T^T D r T_h, by few complex steps
 *   shares.c      which bodies move along a direction
 */
#ifndef DAL_START_POINT_H
#define DAL_START_POINT_H

#include "base/arena.h"
#include "dalembert/linear.h"
#include "dalembert/run.h"
#include "kinematics/family.h"
#include "variation/variation.h"

/* Some rows of the constraints, factored. */
typedef struct dal_kept_rows {
    int n;            /* that are independent */
    int *row;         /* their numbers in the layout */
    double *scale;    /* that each was multiplied by */
    double *qr, *tau; /* Householder factors of their transpose; columns over column_scale */
    int p;            /* what they leave free */
    double *T;        /* p columns of nv */
    double *rows;     /* of large models: n of nv, at unit norm, columns over column_scale; else NULL */
} dal_kept_rows;

typedef struct dal_point {
    dal_arena *arena;
    dal_state *state;
    const dal_layout *layout;
    dal_variation *variation;
    dal_variation_point at;
    int nv, n_rows, n_z, n_inputs, n_columns;
    bool standing;                       /* of dal_point_open_standing */
    dal_kept_rows positions, velocities; /* holonomic rows; all rows */
    double *q, *v, *vd, *lambda;
    bool reacts;                                 /* recorded columns depend on multipliers */
    double *motion, *phid, *phidd, *w, *dlambda; /* scratch */
    double *rows, *scales;                       /* of dal_point_refactor */
    struct dal_friction_slopes *friction;        /* of dal_point_rub; NULL: friction, if there is any, is not seen */
    double *f, *b, *slope;                       /* its scratch: nv, n_rows, the larger of both */
} dal_point;

/* A change of the state, and the changes that follow. NULL, 0: zero. */
typedef struct dal_change {
    const double *q, *v, *z, *inputs;
    int force;           /* of the model */
    double effort;       /* that it has more */
    int row;             /* a drive */
    double acceleration; /* that it asks for more */
} dal_change;

/* True, with a sentence, where joints have dry friction. */
bool dal_refuse_friction(const dal_system *system, dal_messages *messages);
/* The state is evaluated. DAL_OK, or a status with a sentence. The point is closed in any case. */
dal_status dal_point_open(dal_arena *arena, dal_state *state, dal_messages *messages, dal_point *point);
/* The same where the model is at rest: a row of one rate keeps its coordinate, and counts as a row of positions. If these rows leave no freedom, `standing`
 * is false, and they do not count. */
dal_status dal_point_open_standing(dal_arena *arena, dal_state *state, dal_messages *messages, dal_point *point);
/* Displacements that are possible by detours only. */
int dal_point_detours(dal_point *point);
void dal_point_close(dal_point *point);
/* After an evaluation, and dal_point_open: changes see dry friction in the present mode of its surfaces. A surface at rest is refused by name. */
dal_status dal_point_rub(dal_point *point, dal_messages *messages);
/* The same rows of positions are factored at the present A of the state. The other parts of the point, and its velocities, become invalid. */
void dal_point_refactor(dal_point *point);

/* The velocities that all rows allow but those that are skipped. False: some have no mass. */
bool dal_point_span(dal_point *point, const bool *skipped, dal_kept_rows *out);
/* A^T lambda = f on the independent rows; the others get zero. f is overwritten. */
void dal_point_balance(const dal_point *point, double *f, double *lambda);

/* Treats the point as held: v' = 0, and the multipliers balance the forces in the least-squares sense. */
void dal_point_hold(dal_point *point);
/* out (p of the velocities): T^T (h - Q), the forces that are not balanced; after dal_point_hold. */
void dal_point_unbalance(dal_point *point, double *out);
/* motion (p of the velocities): T^T D r; states: D z'. */
void dal_point_stiffness(dal_point *point, const dal_change *change, double *motion, double *states);
/* stiffness.c: K, p of the velocities by p of `along`: the same for every column of its T. */
void dal_point_stiffnesses(dal_point *point, const dal_kept_rows *along, double *K);
/* Has every body columns of its own? */
bool dal_owns_columns(const dal_layout *layout);
/* dv: the velocities with which dq stays on the rows, of least size. */
void dal_point_follow(dal_point *point, const double *dq, double *dv);
/* vd (nv; may not be NULL), rates of the model's states, recorded columns: the last two may be NULL. */
void dal_point_change(dal_point *point, const dal_change *change, double *vd, double *states, double *columns);
/* A drive is given by f, f', f'': f grows by one (level 0), f' (1) or f'' (2). dq, dv: the change that follows, of least size, with dv following dq. False:
 * other rows forbid it. */
bool dal_point_drive(dal_point *point, int row, int level, double *dq, double *dv);
/* Of the recorded columns: which depend on multipliers that are not unique, because rows are redundant? */
void dal_point_loose(dal_point *point, bool *loose);
/* A row that depends on others in this position only, so that displacements are allowed to first order that begin no motion; -1: none is found. */
int dal_point_singular(dal_point *point);
/* The recorded columns and the rates of the model's states here. */
void dal_point_values(dal_point *point, double *columns, double *states);
/* Do forces, constraints or states of the model depend on time itself? */
bool dal_point_ages(dal_point *point);
/* ---- tangents.c ------------------------------------------------------------------------------------ */

/* Is it a row of velocities only? */
bool dal_row_of_velocities(const dal_layout *layout, int row);
/* Is it a row of one rate, a(m, t) m' = f(t), as of `drive-rate:`? Where f = 0, it keeps the measure m. */
bool dal_row_of_one_rate(const dal_layout *layout, int row);
/* Independent ones of these rows, factored: all, or only those of positions, but those that are skipped (NULL: none). A, scale: dal_scaled_rows. */
void dal_kept_choose(dal_point *point, const double *A, const double *scale, bool all, const bool *skipped, dal_kept_rows *out);
/* T. False: a direction has no mass. */
bool dal_kept_span(dal_point *point, dal_kept_rows *out);
/* x: A x = b on the independent ones of these rows, of least size; b has a number for every row of the layout. */
void dal_kept_reach(const dal_point *point, const dal_kept_rows *rows, const double *b, double *x);
/* out (p) = T^T f */
void dal_kept_project(const dal_point *point, const dal_kept_rows *rows, const double *f, double *out);
/* out (nv) += factor T x */
void dal_kept_expand(const dal_point *point, const dal_kept_rows *rows, double factor, const double *x, double *out);

#endif
