/* What the loop (drive.c) and the location of events (events.c) share. */
#ifndef DAL_INTEGRATE_DRIVE_H
#define DAL_INTEGRATE_DRIVE_H

#include "integrate/integrate.h"

typedef enum verdict { GOOD, AGAIN, STOP } verdict; /* AGAIN: the same step, smaller */

/* One step on its way: from s.t over h to t_new. */
typedef struct stride {
    double h, t_new;
    double error;
    bool shortened; /* by t_end or an event */
    bool event;     /* with h = 0: before anything moved */
    bool moved;     /* by the projection */
} stride;

/* What progress.c remembers. */
typedef struct progress {
    long tries, next;         /* so far; where it looks again */
    long tries_mark, events_mark, rejected_mark;
    double t_mark, advance;   /* at the last mark; from the one before to it */
    int marks, slower;        /* how many marks; in a row that were slower than the one before */
} progress;

typedef struct driver {
    const dal_ode *ode;
    const dal_integrator *method;
    const dal_drive_options *options;
    dal_stepper s;
    dal_drive_result result;
    double *y_out;                  /* states inside a step */
    double *g, *g_new;              /* guards at y and y_new */
    double *g_low, *g_high, *g_try; /* at the bracket's ends, at a trial */
    double *g_change;               /* |change| over the last step */
    double *armed;                  /* since when in the step a guard counts */
    bool *which;                    /* the guards that ended */
    bool g_valid;
    double slack; /* times closer than this are the same */
    double event_tolerance;
    double t_base; /* last restart */
    long steps_since;
    double h_next; /* adaptive; 0: to be chosen */
    double error_before;
    bool after_rejection;
    bool stale;       /* one that paces itself has to be told where it is */
    long next_output;
    double last_event;
    long close_events; /* in a row */
    int last_guard;    /* that ended */
    progress progress;
} driver;

verdict dal_drive_stop(driver *r, dal_drive_end end, dal_flow flow, int component);

/* The step failed: an adaptive integrator tries h, the others stop. */
verdict dal_drive_retry(driver *r, double h, dal_drive_end end, dal_flow flow, int component);

/* The same after the right-hand side failed in a step of size h. */
verdict dal_drive_retry_slope(driver *r, double h, dal_flow flow);

/* g at (t, y) of a step of size h. */
verdict dal_evaluate_guards(driver *r, double t, const double *y, double *g, double h);

/* If the pieces of the right-hand side did not hold through the step, cut it at the first crossing. */
verdict dal_find_event(driver *r, stride *p);

/* The component of y that changes fastest, in the measure of the step control; -1: not known. */
int dal_fastest_component(const driver *r);

/* One try more; stops where they lead nowhere. */
verdict dal_watch_progress(driver *r);

/* Count the event at s.t; stops on chatter. */
verdict dal_count_event(driver *r);

#endif
