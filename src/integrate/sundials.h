/* Shared by the integrators of SUNDIALS (sundials.c): a session, the constraints, states inside a step, failures.
 *
 * Projection. A multistep method carries a polynomial pi through its past: y_j in BDF, slopes in Adams, divided differences in IDA. To continue from
 * the projected state P(y_n) without losing the past, CVODE's own projection (BDF only) adds the correction to the value of pi at t_n and leaves its
 * derivatives: pi is translated by a constant. The same is possible outside the library: let it integrate
 *     Y = y + c,    Y' = f(t, Y - c),
 * with an offset c that is constant through a step, and after the step
 *     y_n = P(Y_n - c),    c <- Y_n - y_n.
 * The formulas sum alpha_j Y_{n-j} = h sum beta_j Y'_{n-j} have sum alpha_j = 0, so a constant drops out: the library makes the step
 * that it would make from a translated pi. Of an Adams method this is exactly the method with y_n replaced by P(y_n), since its past is
 * slopes. The correction is of the size of the local error, O(h^(q+1)), so the order q is kept; nothing accumulates, as every step starts
 * from the projected state; and no restart is needed. cvode-adams and ida use it; error weights are those of y, not of Y.
 *
 * Inside a step: pi at t_{n-1} differs from y_{n-1} by the correction of this step. A line between the two is added, so that states
 * inside a step join those at its ends.
 *
 * SUNDIALS allocates (with malloc) when a session is opened; steps do not. Its vectors come from a pool (sundials_memory.h). It prints nothing: its messages go to a handler that
 * drops them, and its return codes become a dal_drive_end.
 */
#ifndef DAL_INTEGRATE_SUNDIALS_H
#define DAL_INTEGRATE_SUNDIALS_H

#include "integrate/integrate.h"

#ifdef DAL_HAVE_SUNDIALS

#include "integrate/sundials_memory.h"
#include "math/sparse.h"

enum {
    DAL_SUNDIALS_VECTORS = 5, /* offset, gap, at, slope, base */
    DAL_SUNDIALS_DENSE = 400, /* unknowns up to which Newton's matrix is dense; beyond: GMRES, without a matrix */
    DAL_SUNDIALS_KRYLOV = 30, /* its largest dimension */
    /* Vectors of a session: 4 of its own; of CVODE 13 of the past (Adams) and 7 of work, of IDA 6 and 10; of solvers up to 6; and a
     * reserve. GMRES has those of its dimension beside them. */
    DAL_SUNDIALS_POOL = 48
};

typedef struct dal_sundials dal_sundials;

/* What differs between CVODE's methods and IDA. */
typedef struct dal_sundials_package {
    bool (*load)(dal_sundials_library *library, char *why, size_t size);
    bool (*set_up)(dal_sundials *c);             /* its memory and solvers; false without memory */
    bool (*begin)(dal_sundials *c);              /* the present Y is a new start; false: c->flow says why, or the package refuses */
    int (*step)(dal_sundials *c, double *t_new); /* one step: the package's return code */
    int memory_failed;                           /* the code that says so */
} dal_sundials_package;

enum { DAL_SUNDIALS_MAX_FAILURES = 200 }; /* of one step: the smallest step that t resolves ends it earlier */

/* One run. */
struct dal_sundials {
    const dal_sundials_package *package;
    dal_sundials_library call;
    dal_stepper *s;
    SUNContext context;
    void *empty[16]; /* a context of no content: see sundials.c */
    dal_vector_pool *pool;
    void *memory; /* of CVODE or IDA */
    int size;     /* unknowns: n, or n + n_algebraic; at least 1 */
    bool krylov;
    N_Vector Y, Yd;        /* y + offset, and z; Yd: ida only */
    N_Vector interpolated; /* pi at a time inside a step */
    N_Vector id;           /* ida: 1 for y, 0 for z */
    SUNMatrix matrix;
    dal_dense_matrix *dense; /* where the matrix is one */
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double *offset, *gap;      /* c; y_{n-1} - (pi - c) there */
    double *at, *slope, *base; /* y where the hooks are asked; slopes */
    bool gap_known;
    bool by_euler;           /* the step is so short that y + h f does for it */
    double t_new;            /* end of the step */
    dal_flow flow, put_back; /* of the last evaluation and the last projection */
    int not_finite;          /* the first component that was not finite since the last good evaluation; -1: none */
    dal_flow fatal;          /* a hook stopped the run: no further calls of hooks */
    long rejected;           /* before the last reset */
    double first_change;     /* ida with multipliers: norm of Newton's first change */
    double contraction;      /* r / (1 - r), r the rate at which they shrink */
    /* Newton's matrix in units: columns times those of the unknowns, rows at a largest entry of 1, so that pivots do not depend on units */
    void *scaling;            /* memory of what follows */
    double *row_scale, *unit; /* rows are multiplied by the one, columns by the other */
    double *lu;               /* its factors, by rows; NULL: a sparse matrix */
    int *pivot;
    void (*solve_scaled)(dal_sundials *c, double *x); /* with the factors */
    /* ida with a sparse matrix */
    dal_sparse *sparse;
    double *entries;
};

/* Entries of the integrators' tables. `open` and `available` are each package's own and call these. */
size_t dal_sundials_room(const dal_ode *ode);
bool dal_sundials_available(const dal_sundials_package *package, char *why, size_t size);
bool dal_sundials_open(dal_stepper *s, const dal_sundials_package *package, int size); /* size: unknowns */
bool dal_sundials_reset(dal_stepper *s, double h);
bool dal_sundials_stop_at(dal_stepper *s);
bool dal_sundials_advance(dal_stepper *s, double *t_new);
dal_flow dal_sundials_trial(dal_stepper *s, double h, double *y_out);
void dal_sundials_accept(dal_stepper *s, double h);
void dal_sundials_close(dal_stepper *s);

/* Of the table of an integrator, in every build. */
#define DAL_SUNDIALS_ENTRIES(available_, open_)                                                                                                      \
    .adaptive = true, .vectors = DAL_SUNDIALS_VECTORS, .room = dal_sundials_room, .available = available_, .open = open_,                            \
    .reset = dal_sundials_reset, .stop_at = dal_sundials_stop_at, .advance = dal_sundials_advance, .trial = dal_sundials_trial,                      \
    .accept = dal_sundials_accept, .close = dal_sundials_close

/* Before the package is initialised: its messages are dropped. After: tolerances and limits. False without memory. */
bool dal_sundials_silence(dal_sundials *c);
bool dal_sundials_configure(dal_sundials *c);

/* A dense matrix with its solver, or GMRES. False without memory. */
bool dal_sundials_newton(dal_sundials *c);

/* Room for the scaling of Newton's matrix, and for its factors where it is dense. False without memory. */
bool dal_sundials_scaling(dal_sundials *c, bool dense);

/* The scales of Newton's matrix, c->unit and c->row_scale: begin, then each entry, then end. False: a row is empty or not finite. */
void dal_sundials_scale_begin(dal_sundials *c);
void dal_sundials_scale_entry(dal_sundials *c, int row, int column, double entry);
bool dal_sundials_scale_end(dal_sundials *c);

/* A direct solver of the scaled matrix: `factor` scales and factors it, `solve` solves R J U x = b in place. */
bool dal_sundials_direct_solver(dal_sundials *c, int (*factor)(SUNLinearSolver, SUNMatrix), void (*solve)(dal_sundials *c, double *x));

/* y = Y - c into c->at; > 0 with s->component where it is not finite; < 0 if the run is to stop anyway. */
dal_flow dal_sundials_state(dal_sundials *c, N_Vector Y);

/* The result of the hook at t, for SUNDIALS: > 0 try again smaller, < 0 stop. */
int dal_sundials_answer(dal_sundials *c, double t, dal_flow flow);

/* f(t, Y - c), counted. */
int dal_sundials_slope(dal_sundials *c, double t, N_Vector Y, double *dy);

/* Exact derivatives: at (t, Y - c); then out (size) = (df/dy) x there. */
int dal_sundials_linearise(dal_sundials *c, double t, N_Vector Y);
int dal_sundials_product(dal_sundials *c, double t, const double *x, double *out);

#else

/* In a build without SUNDIALS the integrators exist, and their messages say what is missing. */
bool dal_sundials_absent(char *why, size_t size);
bool dal_sundials_unopened(dal_stepper *s);

#define DAL_SUNDIALS_ENTRIES(available_, open_) .adaptive = true, .available = dal_sundials_absent, .open = dal_sundials_unopened

#endif

#endif
