/* A sweep of 1,000 runs on two threads. The model is read and compiled once; each run has a system of its own that was varied from it: another
 * length of a pendulum, and another angle to begin at. The quarter of a period does not depend on the length if time is measured in small periods,
 * T / T_0 = 1 / agm(1, cos(a / 2)). */
#include "example.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "parameters: {L: 1}\n"
                            "bodies: {rod: {mass: 1, inertia: L^2/12, points: {O: [0, L/2]}}}\n"
                            "joints: {A: {type: revolute, connect: [ground, rod.O], start: {angle: 0.5}}}\n"
                            "record: [A.angle]\n"
                            "simulate: {until: 1, every: 5e-3}\n";

enum { RUNS = 1000, THREADS = 2 };

static double length_of(int run)
{
    return 0.5 + 0.001 * run;
}

static double angle_of(int run)
{
    return 0.1 + 0.002 * run;
}

/* ---- one run: when does the pendulum hang down for the first time? ----------------------------------- */

typedef struct watch {
    double time, angle; /* of the row before */
    double down;        /* 0: not yet */
} watch;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)n, (void)columns;
    *(watch *)user = (watch){0};
    return DAL_OK;
}

static dal_status row(void *user, int n, const double *values)
{
    watch *w = user;
    (void)n;
    if (w->angle > 0 && values[1] <= 0 && w->down == 0) /* a straight line between two rows: the angle has no curvature there */
        w->down = w->time + (values[0] - w->time) * w->angle / (w->angle - values[1]);
    w->time = values[0];
    w->angle = values[1];
    return DAL_OK;
}

static double quarter_period(const dal_system *base, int run)
{
    static const char *const names[] = {"L", "A.angle"};
    const double values[] = {length_of(run), angle_of(run)};
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    dal_evidence evidence;
    watch w;
    const dal_sink sink = {&w, begin, row};
    need(dal_system_vary(NULL, base, 2, names, values, messages, &system), messages);
    need(dal_run(system, &(dal_run_options){.sink = &sink}, messages, &evidence), messages);
    dal_system_free(system);
    dal_messages_free(messages);
    return w.down;
}

/* ---- all of them -------------------------------------------------------------------------------------- */

typedef struct part {
    const dal_system *base; /* threads share it */
    int first, step;
    double *quarter;
} part;

static void *work(void *user)
{
    const part *p = user;
    for (int run = p->first; run < RUNS; run += p->step)
        p->quarter[run] = quarter_period(p->base, run);
    return NULL;
}

static double agm(double a, double b)
{
    while (fabs(a - b) > 1e-15 * a) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

int main(void)
{
    static double alone[RUNS], together[RUNS];
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *base;
    need(dal_spec_parse(NULL, "pendulum", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &base), messages);
    dal_spec_free(spec);
    work(&(part){base, 0, 1, alone});
    pthread_t thread[THREADS];
    part parts[THREADS];
    for (int t = 0; t < THREADS; t++) {
        parts[t] = (part){base, t, THREADS, together};
        if (pthread_create(&thread[t], NULL, work, &parts[t]))
            exit(1);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    printf("length  angle  T / T_0   1 / agm\n");
    for (int run = 0; run < RUNS; run += 333) {
        const double small = 2 * 3.14159265358979323846 * sqrt(2 * length_of(run) / (3 * 9.81));
        printf("%.3f   %.3f  %.6f  %.6f\n", length_of(run), angle_of(run), 4 * together[run] / small, 1 / agm(1, cos(angle_of(run) / 2)));
    }
    printf("one thread and two give %s digits in %d runs\n", memcmp(alone, together, sizeof alone) ? "different" : "the same", RUNS);
    dal_system_free(base);
    dal_messages_free(messages);
    return 0;
}
