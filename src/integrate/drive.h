/* Shared by the loop (drive.c), the choice of steps (step_size.c), the location of events (events.c) and the check of progress (stagnation.c). */
#ifndef DAL_INTEGRATE_DRIVE_H
#define DAL_INTEGRATE_DRIVE_H

#include "base/keep.h"
#include "integrate/integrate.h"

typedef enum verdict { GOOD, AGAIN, STOP } verdict; /* AGAIN: the step is tried again: shorter, longer, or after an event at its start */

/* One step on its way: from s.t over h to t_new. */
typedef struct stride {
    double h, t_new;
    double error;
    bool shortened; /* by t_stop or an event */
    bool event;     /* with h = 0: before anything moved */
    bool moved;     /* by the projection */
    bool cut;       /* at a state inside the step of a method that chooses its own: not on the constraints yet */
} stride;

/* Written by stagnation.c. */
typedef struct progress {
    long tries, next; /* so far; where it looks again */
    long tries_mark, events_mark, rejected_mark;
    double t_mark, advance;     /* at the last mark; from the one before to it */
    int marks, slower, stalled; /* how many marks; in a row that were slower than the one before; that led nowhere */
} progress;

typedef struct driver {
    const dal_ode *ode;
    const dal_integrator *method;
    dal_drive_options options;
    dal_stepper s;
    dal_drive_result result;
    verdict verdict; /* of the last step, or of the beginning */
    stride pending;  /* the step that was made and is not accepted yet: dal_drive_look */
    bool has_pending;
    double t_far;                   /* the largest of t_end and of all times that were asked for: dal_drive_aim, dal_drive_look */
    double *y_out;                  /* scratch: states inside a step */
    double *g, *g_new;              /* guards at y (prepare, accept) and y_new (dal_find_event) */
    double *g_low, *g_high, *g_try; /* at the bracket's ends, at a trial */
    double *g_change;               /* |change| over the last step: accept */
    double *armed;                  /* since when in the step a guard counts: events.c */
    bool *which;                    /* the guards that ended: dal_find_event */
    bool g_valid;                   /* g belongs to y */
    double slack;                   /* times closer than this are the same: dal_drive_aim */
    double event_tolerance;         /* s; constant */
    double t_base;                  /* time of the last restart */
    long steps_since;               /* accepted since then */
    double h_next;                  /* adaptive methods, 0: to be chosen; step_size.c, dal_drive_retry */
    double error_before;            /* of the last accepted step: step_size.c */
    bool after_rejection;           /* the last step was rejected: the next step does not grow */
    bool stale;                     /* a paced method has to be reset: restart, dal_drive_retry */
    long next_output;               /* number of the next time of the grid: record_inside, record_end */
    double last_event;              /* its time: dal_count_event, as the next two */
    long close_events;              /* in a row */
    int last_guard;                 /* that ended */
    progress progress;
    long guard_evaluations; /* so far */
    long work_limit;        /* of evaluations and of those: beyond it events are not located; 0: none. dal_step_fixed */
} driver;

#define DAL_SMALLEST_ERROR 1e-4 /* that the step control remembers */

/* ---- drive.c: the loop, a step at a time ---- */

/* Lay out a driver over dal_drive_work doubles, open the method, start at (t_start, y); the first output. Aimed at t_end. STOP: r->result says why. */
void dal_drive_begin(driver *r, const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y, double *work);
/* From now on a step ends exactly at t_stop >= s.t. */
void dal_drive_aim(driver *r, double t_stop);
/* One step, or one attempt that was rejected; events and restarts are handled at its end. Not at t_stop. */
verdict dal_drive_step(driver *r);
/* Steps until t_stop, or until one of them stops the run. */
verdict dal_drive_to(driver *r, double t_stop);
/* The right-hand side has changed: a restart, as after an event. A step that is not accepted yet is dropped. */
verdict dal_drive_jump(driver *r);
/* y at t, inside the last step or later: steps are made until one reaches t; that step is not accepted yet. Looking does not change the steps: they
 * aim at t_end while it is ahead, or at `stop` (not before t, except for rounding; infinite: none) if that comes first. *inside: y comes from inside
 * a step, and is not projected. STOP: y is not known. If r->verdict is not STOP, only the look failed, for the reason *failed, and the motion is
 * where it was. */
verdict dal_drive_look(driver *r, double t, double stop, double *y, bool *inside, dal_drive_result *failed);
/* Close the method; r->result is complete. */
void dal_drive_close(driver *r);
/* Writes the data on which later steps depend to a blob, or reads them, for a driver that was begun in the same way. The history of a paced method is
 * not kept: it restarts. */
void dal_drive_keep(driver *r, dal_keep *keep);
/* What r->result would be if the run ended here. */
dal_drive_result dal_drive_so_far(const driver *r);

/* The run ends here. */
verdict dal_drive_stop(driver *r, dal_drive_end end, dal_flow flow, int component);

/* The step failed: an adaptive integrator tries h, the others stop. */
verdict dal_drive_retry(driver *r, double h, dal_drive_end end, dal_flow flow, int component);

/* The same after the right-hand side failed in a step of size h. */
verdict dal_drive_retry_slope(driver *r, double h, dal_flow flow);

/* ---- step_size.c ---- */

/* What t can resolve. */
double dal_smallest_step(const driver *r);
/* h_next of an adaptive method after a restart. */
verdict dal_choose_first_step(driver *r);
/* The step to try: its length and its end. */
stride dal_propose_step(const driver *r);
/* AGAIN where the error of a step is too large. */
verdict dal_control_error(driver *r, const stride *p);
/* h_next after a step of an adaptive method that is good. */
void dal_choose_next_step(driver *r, const stride *p);

/* ---- events.c ---- */

/* g at (t, y) of a step of size h. */
verdict dal_evaluate_guards(driver *r, double t, const double *y, double *g, double h);

/* If the pieces of the right-hand side did not hold through the step, cut it at the first crossing. */
verdict dal_find_event(driver *r, stride *p);

/* Count the event at s.t; stop on chatter. */
verdict dal_count_event(driver *r);

/* ---- stagnation.c ---- */

/* The component of y that changes fastest, in the measure of the step control; -1: not known. */
int dal_fastest_component(const driver *r);

/* Count an attempt; stop if the attempts make no progress. */
verdict dal_watch_progress(driver *r);

#endif
