/* Forward dynamics in a plain loop of C, for bench/python.py: batch MODEL N writes the model of the benchmarks that is called MODEL (chain7) as YAML to
 * MODEL.yaml in the present folder, and prints nanoseconds a call over N states, the least of five rounds. */
#include "models.h"

#include "dalembert/dalembert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* N states near that of the benchmark; the same small numbers for everybody. */
static void spread(double *rows, const double *row, int width, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            rows[(size_t)i * (size_t)width + (size_t)k] = row[k] + 1e-3 * (double)((i * 7 + k * 3) % 101);
}

int main(int argc, char **argv)
{
    bench_tree *tree = argc > 2 ? bench_tree_create(argv[1]) : NULL;
    const int n = argc > 2 ? atoi(argv[2]) : 0;
    if (!tree || n < 1)
        return fprintf(stderr, "usage: batch chain7 1000000\n"), 2;
    char *text = bench_tree_yaml(tree), path[80];
    snprintf(path, sizeof path, "%s.yaml", tree->name);
    FILE *file = fopen(path, "w");
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (!file || fputs(text, file) < 0 || fclose(file) || dal_spec_parse(NULL, path, text, strlen(text), 0, NULL, NULL, &spec) != DAL_OK ||
        dal_compile(NULL, spec, NULL, &system) != DAL_OK)
        return 1;
    dal_state *state = dal_state_create(NULL, system);
    const size_t rows = (size_t)n;
    double *q = malloc(sizeof *q * rows * (size_t)tree->nq), *v = malloc(sizeof *v * rows * (size_t)tree->nv),
           *tau = malloc(sizeof *tau * rows * (size_t)tree->nv), *vd = malloc(sizeof *vd * rows * (size_t)tree->nv), best = 1e9;
    if (!state || !q || !v || !tau || !vd)
        return 1;
    spread(q, tree->q, tree->nq, n);
    spread(v, tree->v, tree->nv, n);
    spread(tau, tree->tau, tree->nv, n);
    for (int round = 0; round < 5; round++) {
        const double begin = now();
        for (size_t i = 0; i < rows; i++)
            if (dal_forward_dynamics(state, q + i * (size_t)tree->nq, v + i * (size_t)tree->nv, tau + i * (size_t)tree->nv, NULL,
                                     vd + i * (size_t)tree->nv) != DAL_OK)
                return 1;
        const double taken = (now() - begin) / n;
        best = taken < best ? taken : best;
    }
    printf("%.1f %.17g\n", 1e9 * best, vd[rows * (size_t)tree->nv - 1]);
    free(q);
    free(v);
    free(tau);
    free(vd);
    free(text);
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    bench_tree_free(tree);
    return 0;
}
