/* A sink of your own: every recorded row passes through a function. Here it measures the period of a pendulum that swings
 * 60 degrees to each side, from the instants at which its angle comes up through -90 degrees. Beside it the closed
 * solution: T = 4 K(sin 30 deg) sqrt(J / (m g l)). */
#include "example.h"

#include <math.h>
#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  rod: {mass: 1.5, inertia: 0.18, angle: -30*deg, points: {O: [-0.6, 0]}}\n"
                            "joints:\n"
                            "  pivot: {type: revolute, connect: [ground, rod.O]}\n"
                            "record: [pivot.angle, pivot.angle']\n"
                            "simulate: {until: 20, every: 0.01, rtol: 1e-11, atol: 1e-13}\n";

typedef struct watch {
    double before[3]; /* time, angle, rate of the row before */
    double first, last;
    int passes;
} watch;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info;
    printf("columns:");
    for (int i = 0; i < n; i++)
        printf(" %s [%s]", columns[i].name, columns[i].unit);
    printf("\n");
    return DAL_OK;
}

static dal_status row(void *user, int n, const double *values)
{
    const double half_pi = 1.5707963267948966;
    watch *w = user;
    double x0 = w->before[1] + half_pi, x1 = values[1] + half_pi;
    if (values[0] > 0 && x0 < 0 && x1 >= 0) {
        /* the zero of the cubic through both values and rates, by Newton's method */
        double h = values[0] - w->before[0], d0 = h * w->before[2], d1 = h * values[2], s = -x0 / (x1 - x0);
        for (int i = 0; i < 4; i++) {
            double a = d0 + d1 - 2 * (x1 - x0), b = 3 * (x1 - x0) - 2 * d0 - d1;
            s -= (((a * s + b) * s + d0) * s + x0) / ((3 * a * s + 2 * b) * s + d0);
        }
        w->last = w->before[0] + s * h;
        if (w->passes++ == 0)
            w->first = w->last;
    }
    memcpy(w->before, values, sizeof(double) * (size_t)n);
    return DAL_OK;
}

/* K(k) by the arithmetic-geometric mean. */
static double complete_elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 3.141592653589793 / (2 * a);
}

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "pendulum", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);

    watch w = {.first = 0};
    dal_sink sink = {.user = &w, .begin = begin, .row = row};
    dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    need(dal_run(system, &options, messages, &evidence), messages);
    printf("period from the run:       %.7f s\n", (w.last - w.first) / (w.passes - 1));
    printf("period in closed form:     %.7f s\n", 4 * complete_elliptic(0.5) * sqrt((0.18 + 1.5 * 0.36) / (1.5 * 9.81 * 0.6)));

    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
