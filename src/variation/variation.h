/* Exact derivatives of the equations of motion of a model, in any family: every kernel between (t, q, v) and
 *
 *     r   = M v' + h - Q - A^T lambda          equations of motion, at given v' and lambda
 *     phi,   phi' = A v - beta,   phi'' = A v' - gamma       rows
 *     z'                                       rates of the model's own states
 *     recorded columns                         made of the motion up to accelerations, of multipliers, efforts, energies and momenta
 *     q', u, u', dT/dv, forces on bodies, powers
 *
 * is written on dal_real and compiled for complex numbers as well. f(x + i h dx) = f(x) + i h df - O(h^2): with h = 1e-30 the imaginary part is df to
 * rounding. A direction moves q along velocities (q' = N dq, as in dalembert/tree.h), and v, v', lambda, t, z and the inputs by themselves. A change of
 * lambda is seen by the columns, and by `press` and `wrenches`: r has lambda as it is.
 *
 *   variation.c        a whole model
 *   program_slopes.c   one program, without a model: its derivative, and its corners
 *   network_slopes.c   the bodies and joints of a network of components
 *
 * Switches keep the pieces that hold at the point: at a corner the derivative is one-sided. The forces of dry friction are held as v' and lambda are: what
 * they follow from is among the results (dynamics/friction_slopes.h).
 */
#ifndef DAL_VARIATION_VARIATION_H
#define DAL_VARIATION_VARIATION_H

#include "dalembert/system.h"

typedef struct dal_variation dal_variation;

/* Where: all of a state. NULL: zero. */
typedef struct dal_variation_point {
    double t;
    const double *q, *v, *z, *inputs; /* of the state */
    const double *vd, *lambda;        /* accelerations, multipliers */
    const double *winding;
    const int *chart;
    const int *modes;       /* of the actions */
    const double *friction; /* forces of sliding surfaces, by components: force/sliding.h */
} dal_variation_point;

/* Whereto; NULL: zero. */
typedef struct dal_variation_direction {
    double t;
    const double *q, *v, *vd; /* nv each */
    const double *z, *inputs;
    const double *coordinates; /* nq: q itself, instead of along velocities */
    const double *lambda;      /* n_rows; seen by columns, press and wrenches only */
    int force;                 /* a force of the model along a measure: its effort increases by this */
    double effort;
    const double *friction;
} dal_variation_direction;

/* The derivatives; NULL: not computed. */
typedef struct dal_variation_result {
    double *motion;               /* nv: r */
    double *phi, *phid, *phidd;   /* n_rows */
    double *states;               /* z' */
    double *columns;              /* of the system; NAN: quaternions, residuals, works; reactions where joints have no rows */
    double *values, *rates;       /* and what they are: the columns, z' */
    double *qd;                   /* nq: q' = N v */
    double *speeds, *speed_rates; /* the speeds that the model names: u, u' */
    double *momenta;              /* nv: dT/dv */
    double *force;                /* 6 a body: applied force, and its moment about r */
    double *power;                /* of the applied forces that have no potential, one of each island */
    double *eta;                  /* nv: the accelerations to which undetermined ones are nearest; zero where the model has none */
    double *slip, *slip_rates;    /* of sliding surfaces, by components: s, s' at v' */
    double *limits;               /* 2 an element: of its friction, sliding and at rest, by their expressions */
    double *press;                /* 3 an element: what presses the surfaces together, at v' and lambda */
    double *wrenches;             /* 6 a joint: of rows and trees alone, at v' and lambda */
    double *slip_values, *slip_rate_values, *press_values, *wrench_values;
} dal_variation_result;

/* `family`: dal_family_number of the layout's. NULL: no memory, or a layout without columns. The system has to outlive it. */
dal_variation *dal_variation_create(const dal_allocator *allocator, const dal_system *system, int family);
void dal_variation_free(dal_variation *variation);
/* 0, or the number from 1 of a table whose range was exceeded. */
int dal_variation_along(dal_variation *variation, const dal_variation_point *at, const dal_variation_direction *along,
                        const dal_variation_result *out);

/* Do recorded columns depend on multipliers? `rowless`: on reactions of joints that have no rows in this family. */
bool dal_variation_reacts(const dal_variation *variation, bool *rowless);

/* What the recorded columns read, after dal_variation_along with columns: a number a signal, and its derivative. */
void dal_variation_read(const dal_variation *variation, double *values, double *slopes);
/* After dal_variation_along: is the signal the length of a vector that is zero at the point and changes along the direction? It has no derivative there. */
bool dal_variation_pointed(const dal_variation *variation, int signal);
/* The same of a measure: its direction has none. */
bool dal_variation_no_line(const dal_variation *variation, int measure);
/* How many switches of the forces and states are exactly at a corner: the derivatives above are one-sided there. */
int dal_variation_corners(dal_variation *variation, const dal_variation_point *at);
/* The number of the first of them behind switch `after` (-1: of all), or -1. */
int dal_variation_corner(dal_variation *variation, const dal_variation_point *at, int after);

#endif
