#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of a call, of one batch. */
static double batch(void (*call)(void *data), void *data, int calls)
{
    double start = bench_clock();
    for (int i = 0; i < calls; i++)
        call(data);
    return (bench_clock() - start) / calls;
}

double bench_fastest(void (*call)(void *data), void *data)
{
    const double length = 1e-3, whole = 0.1; /* seconds of a batch and of all of them */
    double best = batch(call, data, 1);
    int calls = 1;
    for (int i = 0; i < 3; i++) { /* the first ones fill the caches and find the size of a batch */
        calls = (int)(length / (best + 1e-9)) + 1;
        best = fmin(best, batch(call, data, calls));
    }
    int batches = (int)fmin(100, fmax(3, whole / (calls * best)));
    for (int i = 0; i < batches; i++)
        best = fmin(best, batch(call, data, calls));
    return 1e6 * best;
}

void bench_report(const char *engine, const char *model, const char *quantity, double value)
{
    printf("%s %s %s %.9g\n", engine, model, quantity, value);
    fflush(stdout);
}

const char *bench_file(const char *folder, const char *name, const char *text)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = text ? fopen(path, "w") : NULL;
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        exit(1);
    }
    return path;
}

double bench_probe(int k)
{
    return sin(0.7 * k + 0.3);
}

/* ---- agreement ------------------------------------------------------------------------- */

static FILE *values_file(const char *folder, const char *engine, const char *model, const char *quantity, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s.%s", folder, model, quantity, engine);
    return fopen(path, mode);
}

/* Largest difference, relative to the largest value; infinite where the file is not of this length. */
static double difference(FILE *file, int n, const double *values)
{
    double worst = 0, largest = 0, other;
    for (int i = 0; i < n; i++) {
        if (fscanf(file, "%lf", &other) != 1)
            return INFINITY;
        double error = fabs(other - values[i]);
        worst = error <= worst ? worst : error; /* NaN stays */
        largest = fmax(largest, fabs(other));
    }
    return worst / largest;
}

bool bench_agrees(const char *folder, const char *engine, const char *model, const char *quantity, int n, const double *values)
{
    static const char *const engines[] = {"dalembert", "mujoco", "simbody"};
    bool good = true;
    FILE *file = values_file(folder, engine, model, quantity, "w");
    if (!file) {
        perror(folder);
        return false;
    }
    for (int i = 0; i < n; i++)
        fprintf(file, "%.17g\n", values[i]);
    fclose(file);
    for (int e = 0; e < 3; e++) {
        if (!(file = values_file(folder, engines[e], model, quantity, "r")))
            continue;
        bool factors = !strcmp(quantity, "forward") && (!strcmp(engine, "mujoco") || !strcmp(engines[e], "mujoco"));
        double error = difference(file, n, values), tolerance = 1e-9 * (factors ? fmax(1, pow(n / 100.0, 4)) : 1);
        fclose(file);
        if (!(error <= tolerance)) {
            fprintf(stderr, "error: %s, %s: %s and %s differ by %.2g (relative)\n", model, quantity, engine, engines[e], error);
            good = false;
        }
    }
    return good;
}
