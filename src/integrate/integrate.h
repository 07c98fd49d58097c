/* Integrators: a flat y and a few hooks.
 *
 * An integrator knows nothing of mechanisms. It sees y' = f(t, y) and
 *   project   puts y back on the constraints after a step,
 *   guards    numbers that are positive while the present pieces of the right-hand side hold (events); the pieces must
 *             be computable up to a step beyond,
 *   restart   called where the right-hand side or the meaning of y changes: chooses new pieces, may rewrite y,
 *   accepted  is called after every accepted, projected step; may ask for a restart (a change of chart) or stop the run.
 *   between   is called when a step is complete and can be saved; may stop the run.
 *
 * One integrator per file, each a const table at its end; drive.c owns the loop:
 * steps, step-size control, event location, output on a grid, projection.
 * stages.c has the functions that methods share. Most integrators make the step that the driver chooses (`step`); paced ones choose order and step
 * themselves and keep a private history (`advance`).
 */
#ifndef DAL_INTEGRATE_INTEGRATE_H
#define DAL_INTEGRATE_INTEGRATE_H

#include "dalembert/base.h"

/* 0 fine, > 0 the step may be tried again smaller, < 0 stop: a dal_status negated. */
typedef int dal_flow;
enum {
    DAL_FLOW_LONGER = 1000, /* from project: retry with a longer step, because evaluations at its end are inaccurate */
    DAL_FLOW_ELSEWHERE      /* from derivative: evaluations at this stage are inaccurate; a step of about the same length avoids it */
};

/*
 * The same equations in implicit form, F(t, y, y', z) = 0, with n_algebraic unknowns z (multipliers) beside y: n + n_algebraic
 * equations of index 1. For integrators that solve it as it stands. The pattern of dF/dy + c dF/dy' and dF/dz, by columns (y first, then
 * z), is fixed when a run begins.
 */
typedef struct dal_implicit {
    int n_algebraic;
    int n_entries;          /* of the pattern */
    const int *start, *row; /* n + n_algebraic + 1 starts of columns; rows, ascending within a column */
    double unit;            /* of z: atol is a multiple of it; 0: 1 */
    /* y' and z that belong to (t, y). */
    dal_flow (*begin)(void *user, double t, const double *y, double *yd, double *z);
    dal_flow (*residual)(void *user, double t, const double *y, const double *yd, const double *z, double *F);
    /* The entries of the pattern at the same place. */
    dal_flow (*jacobian)(void *user, double t, double c, const double *y, const double *yd, const double *z, double *entries);
} dal_implicit;

typedef struct dal_ode {
    int n;         /* length of y */
    int n_control; /* the first n_control components control the step size; later components get weight 1/1000 in self-pacing methods, 0 in others */
    int n_guards;
    void *user;
    dal_flow (*derivative)(void *user, double t, const double *y, double *dy);
    dal_flow (*project)(void *user, double t, double *y);                 /* may be NULL */
    dal_flow (*guards)(void *user, double t, const double *y, double *g); /* NULL if n_guards is 0 */
    dal_flow (*project_output)(void *user, double t, double *y);          /* the same for a copy that is only recorded; NULL: project */
    /* At a start, after an event (which[i] true for the guards that ended; NULL otherwise), after accepted asked for it.
     * May be NULL. */
    dal_flow (*restart)(void *user, double t, double *y, const bool *which);
    /* After each accepted step. *ask_restart may be set; return < 0 to stop with that status. May be NULL. */
    dal_flow (*accepted)(void *user, double t, const double *y, bool *ask_restart);
    /* Behind each step, after its event and its restart; return < 0 to stop with that status. May be NULL. */
    dal_flow (*between)(void *user, double t);
    /* A step this small is accepted with any error estimate, because the estimate is only rounding; 0: none. May be NULL. */
    double (*least_step)(void *user, double t, const double *y);
    /* Each output time of the grid, in order, with the projected state there; at an event the state before the restart. */
    dal_flow (*output)(void *user, double t, const double *y); /* may be NULL */
    /* Exact derivatives of f: linearise at (t, y), then any number of products out = (df/dy) x there. For methods that are `newton`; else NULL. */
    dal_flow (*linearise)(void *user, double t, const double *y);
    dal_flow (*product)(void *user, const double *x, double *out);
    const dal_implicit *implicit; /* NULL: F = y' - f(t, y) */
    const double *unit;           /* of each component of y: atol is a multiple of it. May change in restart. NULL: 1 */
} dal_ode;

typedef struct dal_drive_options {
    double t_start, t_end;  /* t_end >= t_start: as far as the motion is wanted; dal_drive_to may go beyond */
    double step;            /* fixed step, or the first step of an adaptive integrator (0: chosen) */
    double rtol, atol;      /* adaptive only; atol in units of each component */
    double unit_time;       /* the unit of time of the motion; 0: 1 */
    double max_step;        /* adaptive only; 0: none */
    double every;           /* output grid from t_start; 0: output after every step; t_end is always an output */
    bool ends_alone;        /* outputs inside a step are skipped */
    double event_tolerance; /* events are located to this many seconds times max(1, |t| / unit_time); 0: 1e-13 unit_time */
    long max_steps;         /* 0: none */
} dal_drive_options;

typedef enum dal_drive_end {
    DAL_END_REACHED,       /* t_end */
    DAL_END_DERIVATIVE,    /* the right-hand side failed and smaller steps did not help */
    DAL_END_STEP_COLLAPSE, /* the step size fell below what t can resolve; `component` changes fastest */
    DAL_END_NOT_FINITE,    /* y or y' became infinite or NaN; `component` says where (n + i: guard i) */
    DAL_END_PROJECT,       /* the constraints could not be met */
    DAL_END_CHATTER,       /* too many events without progress; `component` is the guard */
    DAL_END_STOPPED,       /* a hook asked to stop */
    DAL_END_MAX_STEPS,
    DAL_END_NO_PROGRESS, /* t would not reach its end in reasonable time: `stall` says why; `component`: what changes fastest, or the guard */
    DAL_END_UNOPENED     /* the library of the integrator is not there, or there was no memory (flow: -DAL_NO_MEMORY) */
} dal_drive_end;

/* Why steps lead nowhere (stagnation.c). */
typedef enum dal_stall {
    DAL_STALL_NONE,
    DAL_STALL_SLOWING,  /* they become smaller and smaller */
    DAL_STALL_EVENTS,   /* events cut them */
    DAL_STALL_REJECTED, /* the error estimate rejects most of them */
    DAL_STALL_SMALL,    /* they are too small for the time */
    DAL_STALL_REFUSED   /* a hook refuses all but the smallest */
} dal_stall;

typedef struct dal_drive_result {
    dal_drive_end end;
    dal_flow flow; /* the hook's answer when it ended the run */
    int component; /* see dal_drive_end; -1 none */
    double t;      /* last good time */
    double h;      /* last step size tried */
    long steps, rejected, evaluations;
    long matrices, products; /* of Newton's method: matrices that were formed, products without one */
    long events, restarts;   /* restarts: those that `accepted` asked for */
    long late_events;        /* that were not located, because work was bounded: they act at the end of their bracket */
    dal_stall stall;
    long tries; /* steps tried until then, and how many it would take altogether */
    double tries_needed;
    double pace;                        /* advance of t per attempt */
    double smallest_step, largest_step; /* of the steps that neither an event nor t_end cut short; 0 if there were none */
} dal_drive_result;

typedef struct dal_integrator dal_integrator;

/* The data of a step; vectors are in the work block. */
typedef struct dal_stepper {
    const dal_ode *ode;
    const dal_integrator *method;
    double t;         /* time of y */
    double t_stop;    /* the steps end exactly there; dal_drive_aim */
    double *y;        /* present state */
    double *f;        /* derivative there (valid when f_valid) */
    double *y_new;    /* result of a step */
    double *vectors;  /* method->vectors further vectors of length n */
    int history;      /* multistep: how many old slopes are valid */
    double h_history; /* their spacing; with dense output the size of the last step */
    bool f_valid;
    int component; /* of y' that was not finite, else -1 */
    double rtol, atol, unit_time;
    long evaluations, matrices, products;
    double t_stuck;          /* where the hooks began to refuse steps */
    long refusals;           /* of hooks since then */
    bool stuck;              /* too many of them */
    long steps, steps_stuck; /* accepted so far, and there */
    double least_progress;
    /* for paced methods */
    void *self; /* method->room doubles */
    const dal_drive_options *options;
    double smallest;       /* step that t can resolve here */
    long rejected;         /* steps that were tried and repeated */
    double h_tried;        /* where a step failed: its size */
    dal_drive_end failure; /* and how, with what the hook answered; `component` as in dal_drive_result */
    dal_flow flow;
} dal_stepper;

/* The coefficients of an explicit Runge-Kutta method: `a` holds the rows below the diagonal, one after the other. */
typedef struct dal_tableau {
    int stages;
    const double *a, *b, *c;
} dal_tableau;

struct dal_integrator {
    const char *name;
    const char *title; /* one line for `list` */
    int order;
    bool newton;   /* solves implicit equations: needs derivatives of f */
    bool implicit; /* integrates F(t, y, y') = 0: takes the form of a formulation that has one */
    bool adaptive;
    int vectors;                /* work vectors of length n beyond y, f, y_new */
    double real_stability;      /* |lambda| h on the negative real axis up to which the method is stable */
    double imaginary_stability; /* omega h up to which an undamped oscillation grows by less than 1e-3 per radian */
    const dal_tableau *tableau; /* of a Runge-Kutta method that dal_tableau_step advances; else NULL */
    /* From (t, y, f) over h to y_new; adaptive ones also give the scaled error norm (<= 1 accepts). */
    dal_flow (*step)(dal_stepper *s, double h, double *error);
    /* y at t + h for 0 <= h <= (size of the last step, not yet accepted), of the method's order, into `y_out`.
     * Must not disturb y_new, f or the history. */
    dal_flow (*trial)(dal_stepper *s, double h, double *y_out);
    /* The step of size h is accepted: shift the history. The driver copies y_new to y itself. */
    void (*accept)(dal_stepper *s, double h);

    /* A paced integrator has these instead of step; `adaptive` is true. If one of them returns false, s->failure and s->flow say why. It allocates
     * when it is opened, and may do so with malloc. */
    bool (*available)(char *why, size_t size); /* NULL: always; false with a sentence that names the package */
    size_t (*room)(const dal_ode *ode);        /* doubles of s->self */
    bool (*open)(dal_stepper *s);
    bool (*reset)(dal_stepper *s, double h);        /* a new start at (t, y), without a past; h: the first step, 0: its own choice */
    bool (*advance)(dal_stepper *s, double *t_new); /* one step, not beyond t_stop: y_new there */
    bool (*stop_at)(dal_stepper *s);                /* t_stop is another than at the last reset or advance */
    void (*close)(dal_stepper *s);                  /* also after open has failed */
    bool projects;                                  /* y_new is on the constraints already */
};

/* Does the method choose its own steps? */
static inline bool dal_paced(const dal_integrator *method)
{
    return method->open != NULL;
}

extern const dal_integrator dal_rk4, dal_rk6, dal_ab6, dal_dopri5, dal_cvode_adams, dal_cvode_bdf, dal_ida;
extern const dal_integrator *const dal_integrators[]; /* ends with NULL */

/* What the methods share. k_1 = s->f, k_2, k_3, ... = s->vectors.
 * dy = f(t, y), counted; > 0 with s->component set if it is not finite. */
dal_flow dal_slope(dal_stepper *s, double t, const double *y, double *dy);

/* out = base + h sum_j weights_j k_j; base NULL is zero; a k_j of weight zero is not read. */
void dal_combine(const dal_stepper *s, const double *base, int stages, const double *weights, double h, double *out);

/* k_i = f(t + c_i h, y + h sum_{j < i} a_ij k_j) for i = 2 ... stages. `y_stage` is left with the argument of the last stage. */
dal_flow dal_stages(dal_stepper *s, const dal_tableau *tableau, double h, double *y_stage);

/* y_out = y + h sum_i b_i k_i, with the stages computed before. */
dal_flow dal_tableau_sum(dal_stepper *s, const dal_tableau *tableau, double h, double *y_out);

/* Entries of an integrator that is its tableau: `trial` is a step of its own, of size less than h; nothing is kept from step to step. */
dal_flow dal_tableau_step(dal_stepper *s, double h, double *error);
dal_flow dal_tableau_trial(dal_stepper *s, double h, double *y_out);
void dal_no_history(dal_stepper *s, double h);
/* Of every integrator, the bounds of its steps. */
#define DAL_STABLE_TO(real_, imaginary_) .real_stability = real_, .imaginary_stability = imaginary_
#define DAL_RUNGE_KUTTA(order_, stages_, tableau_, real_, imaginary_)                                                                                \
    .order = order_, .vectors = (stages_)-1, DAL_STABLE_TO(real_, imaginary_), .tableau = &(tableau_), .step = dal_tableau_step,                     \
    .trial = dal_tableau_trial, .accept = dal_no_history

/* True when callbacks rejected (flow > 0) 1000 steps while t advanced less than a thousandth of the run. Not if three times as many steps, and a
 * thousand more, were accepted meanwhile. */
bool dal_is_stuck(dal_stepper *s, dal_flow flow);

/* The unit of component i. */
static inline double dal_unit(const dal_ode *ode, int i)
{
    return i < ode->n ? (ode->unit ? ode->unit[i] : 1) : ode->implicit && ode->implicit->unit > 0 ? ode->implicit->unit : 1;
}

/* The absolute scale of the error of component i, beside rtol |y_i|. */
static inline double dal_absolute(const dal_stepper *s, int i)
{
    return s->atol * dal_unit(s->ode, i);
}

/* sqrt(mean (x_i / (atol unit_i + rtol max(|y_i|, |y_other_i|)))^2) over the components in control. */
double dal_scaled_norm(const dal_stepper *s, const double *x, const double *y_other);

/* Doubles of work that a run needs. */
size_t dal_drive_work(const dal_integrator *method, const dal_ode *ode);

/* Integrate from t_start to t_end; y is the state on entry and the last good one on return. */
dal_drive_result dal_drive(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y, double *work);

#endif
