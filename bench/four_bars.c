/* N four-bar linkages: loops that are held exactly on top of the joint tree.
 *
 *   bench_four_bars acceleration|run N
 */
#include "dalembert/dalembert.h"
#include "measure.h"
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(const char *name, const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            fprintf(stderr, "%s: %s\n", name, m->text);
}

static dal_system *compile(const char *name, char *text, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (text && dal_spec_parse(NULL, name, text, strlen(text), 0, NULL, messages, &spec) == DAL_OK &&
        dal_spec_set(spec, "formulation", "recursive", messages))
        dal_compile(NULL, spec, messages, &system);
    dal_spec_free(spec);
    free(text);
    return system;
}

/* ---- one acceleration ------------------------------------------------------------------- */

static void accelerate(void *data)
{
    dal_state_evaluate(data, NULL);
}

/* Cranks turn with a'', couplers do not turn. */
static double error_of(const dal_system *system, const dal_state *state, int n)
{
    const double exact = bench_four_bars_acceleration(n, -0.5);
    double error = 0;
    for (int i = 0; i <= 2 * n; i++) {
        char body[32];
        snprintf(body, sizeof body, "%c%d", i % 2 ? 'k' : 'c', i / 2);
        double alpha = dal_state_body(state, dal_system_body(system, body)).alpha[2];
        error = fmax(error, fabs(alpha - (i % 2 ? 0 : exact)));
    }
    return error;
}

static bool acceleration(const char *name, int n, dal_messages *messages)
{
    dal_system *system = compile(name, bench_four_bars_yaml(n, -0.5), messages);
    dal_state *state = system ? dal_state_create(NULL, system) : NULL;
    bool good = state && dal_state_evaluate(state, messages) == DAL_OK;
    double error = good ? error_of(system, state, n) : 0;
    if (!(error <= 1e-9)) {
        fprintf(stderr, "error: %s: the acceleration differs from the closed form by %.2g\n", name, error);
        good = false;
    }
    if (good) {
        bench_report("dalembert", name, "error", error);
        bench_report("dalembert", name, "acceleration", bench_fastest(accelerate, state));
    }
    dal_state_free(state);
    dal_system_free(system);
    return good;
}

/* ---- ten seconds ----------------------------------------------------------------------------- */

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n == 2 ? DAL_OK : DAL_BAD_MODEL; /* time, p0.angle */
}

static dal_status row(void *user, int n, const double *values)
{
    memcpy(user, values, (size_t)n * sizeof *values);
    return DAL_OK;
}

static bool run(const char *name, int n, dal_messages *messages)
{
    dal_system *system = compile(name, bench_four_bars_yaml(n, 0), messages);
    double last[2] = {0, 0}, start = bench_clock();
    dal_sink sink = {.user = last, .begin = begin, .row = row};
    dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    if (!system)
        return false;
    dal_status status = dal_run(system, &options, messages, &evidence);
    double seconds = bench_clock() - start;
    bench_report("dalembert", name, "second", 1e3 * seconds / evidence.time_end);
    bench_report("dalembert", name, "residual", evidence.position_residual);
    if (status == DAL_OK)
        bench_report("dalembert", name, "angle", fabs(last[1] - bench_four_bars_angle(n, last[0])));
    else
        bench_report("dalembert", name, "stopped", evidence.time_end);
    complain(name, messages);
    dal_system_free(system);
    return true;
}

int main(int argc, char **argv)
{
    const int n = argc == 3 ? atoi(argv[2]) : 0;
    char name[32];
    if (n < 1)
        return 2;
    snprintf(name, sizeof name, "fourbar%d", n);
    dal_messages *messages = dal_messages_create(NULL);
    bool good = !strcmp(argv[1], "run") ? run(name, n, messages) : acceleration(name, n, messages);
    if (!good)
        complain(name, messages);
    dal_messages_free(messages);
    return !good;
}
