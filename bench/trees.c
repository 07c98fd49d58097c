/* Recursive dynamics of the trees: forward dynamics, inverse dynamics, mass matrix, and what is measured against these (--ratios).
 *
 *   bench_trees FOLDER MODEL...           agreement with the other engines' values in FOLDER, then microseconds of each call
 *   bench_trees --ratios MODEL...         derivatives, M and M^-1 as ratios to forward or inverse dynamics, in turns
 *   bench_trees --count CALLS MODEL      the calls alone, for callgrind: each kind ends with a dump under the name "MODEL QUANTITY"
 */
#include "dalembert/dalembert.h"
#include "dalembert/tree.h"
#include "measure.h"
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

typedef struct subject {
    bench_tree *tree;
    dal_system *system;
    dal_state *state;
    int *q_at, *v_at; /* coordinate and velocity k of the system: their places in the tree's vectors */
    double *q, *v, *tau, *wanted, *vd, *torque, *M, *dq, *dv;
} subject;

/* ---- the subject ---------------------------------------------------------------------- */

static dal_system *compile(const char *name, char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (text && dal_spec_parse(NULL, name, text, strlen(text), 0, NULL, messages, &spec) == DAL_OK)
        dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            fprintf(stderr, "%s: %s\n", name, m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    free(text);
    return system;
}

/* Where each coordinate (or velocity) of the system stands in the tree's vector: "j12.angle" and "b0.x" name the body; the numbers of
 * one body come in the same order. */
static bool map(const subject *s, bool velocity, int n, int *at)
{
    int *next = malloc((size_t)s->tree->n_bodies * sizeof *next);
    bool good = next != NULL;
    for (int i = 0, first = 0; good && i < s->tree->n_bodies; i++) {
        next[i] = first;
        first += s->tree->body[i].joint != 'f' ? 1 : velocity ? 6 : 7;
    }
    for (int k = 0; good && k < n; k++) {
        char name[64];
        good = velocity ? dal_tree_velocity(s->system, k, name, sizeof name) : dal_tree_coordinate(s->system, k, name, sizeof name);
        int body = good ? atoi(name + 1) : 0;
        at[k] = next[body]++;
    }
    free(next);
    return good;
}

static double *numbers(int n)
{
    double *x = calloc((size_t)n, sizeof *x);
    if (!x)
        exit(1);
    return x;
}

static void release(subject *s)
{
    dal_state_free(s->state);
    dal_system_free(s->system);
    bench_tree_free(s->tree);
    free(s->q_at), free(s->v_at);
    free(s->q), free(s->v), free(s->tau), free(s->wanted), free(s->vd), free(s->torque), free(s->M), free(s->dq), free(s->dv);
}

static bool prepare(subject *s, const char *name)
{
    *s = (subject){.tree = bench_tree_create(name)};
    if (!s->tree || !(s->system = compile(name, bench_tree_yaml(s->tree))) || !(s->state = dal_state_create(NULL, s->system)))
        return false;
    const int nq = s->tree->nq, nv = s->tree->nv;
    s->q_at = calloc((size_t)nq, sizeof(int)), s->v_at = calloc((size_t)nv, sizeof(int));
    s->q = numbers(nq), s->v = numbers(nv), s->tau = numbers(nv), s->wanted = numbers(nv);
    s->vd = numbers(nv), s->torque = numbers(nv), s->M = numbers(nv * nv);
    s->dq = numbers(nv * nv), s->dv = numbers(nv * nv);
    if (!s->q_at || !s->v_at || !map(s, false, nq, s->q_at) || !map(s, true, nv, s->v_at))
        return false;
    for (int k = 0; k < nq; k++)
        s->q[k] = s->tree->q[s->q_at[k]];
    for (int k = 0; k < nv; k++) {
        s->v[k] = s->tree->v[s->v_at[k]];
        s->tau[k] = s->tree->tau[s->v_at[k]];
        s->wanted[k] = bench_probe(s->v_at[k]);
    }
    return true;
}

/* ---- what is measured -------------------------------------------------------------------- */

static void forward(void *data)
{
    subject *s = data;
    dal_forward_dynamics(s->state, s->q, s->v, s->tau, NULL, s->vd);
}

static void inverse(void *data)
{
    subject *s = data;
    dal_inverse_dynamics(s->state, s->q, s->v, s->wanted, NULL, s->torque);
}

static void mass(void *data)
{
    subject *s = data;
    dal_mass_matrix(s->state, s->q, s->M);
}

static void forward_derivatives(void *data)
{
    subject *s = data;
    dal_tree_forward_derivatives(s->state, s->q, s->v, s->tau, NULL, s->vd, s->dq, s->dv);
}

static void inverse_derivatives(void *data)
{
    subject *s = data;
    dal_tree_inverse_derivatives(s->state, s->q, s->v, s->wanted, NULL, s->dq, s->dv);
}

static void mass_inverse(void *data)
{
    subject *s = data;
    dal_mass_inverse(s->state, s->q, s->dq);
}

static const struct {
    const char *name;
    void (*call)(void *data), (*unit)(void *data);
} ratios[] = {{"derivatives of forward dynamics / forward dynamics", forward_derivatives, forward},
              {"derivatives of inverse dynamics / inverse dynamics", inverse_derivatives, inverse},
              {"mass matrix / forward dynamics", mass, forward},
              {"inverse of the mass matrix / forward dynamics", mass_inverse, forward}};

static const struct {
    const char *name;
    void (*call)(void *data);
} quantities[] = {{"forward", forward}, {"inverse", inverse}, {"mass", mass}};

enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

/* ---- agreement --------------------------------------------------------------------------- */

/* M x with the probe x, from the lower triangle. */
static void product(const subject *s, double *out)
{
    const int n = s->tree->nv;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i] += s->M[i > j ? i * n + j : j * n + i] * s->wanted[j];
}

/* In the order of the tree's vectors. */
static bool compare(const subject *s, const char *folder, const char *quantity, const double *values)
{
    const int n = s->tree->nv;
    double *sorted = numbers(n);
    for (int k = 0; k < n; k++)
        sorted[s->v_at[k]] = values[k];
    bool good = bench_agrees(folder, "dalembert", s->tree->name, quantity, n, sorted);
    free(sorted);
    return good;
}

static bool agree(subject *s, const char *folder)
{
    double *Mx = numbers(s->tree->nv);
    forward(s), inverse(s), mass(s);
    product(s, Mx);
    bool good = compare(s, folder, "forward", s->vd);
    good = compare(s, folder, "inverse", s->torque) && good;
    good = compare(s, folder, "mass", Mx) && good;
    free(Mx);
    return good;
}

/* ---- the program --------------------------------------------------------------------------- */

/* Compiling the model is not instrumented; with several models that of the later ones is. */
static void count(subject *s, int calls)
{
    CALLGRIND_START_INSTRUMENTATION;
    for (int k = 0; k < N_QUANTITIES; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", s->tree->name, quantities[k].name);
        quantities[k].call(s);
        CALLGRIND_ZERO_STATS;
        for (int i = 0; i < calls; i++)
            quantities[k].call(s);
        CALLGRIND_DUMP_STATS_AT(name);
    }
}

/* The median of ratios, each of two measurements one after the other: what else the machine does falls on both. */
static void show_ratios(subject *s)
{
    enum { TURNS = 9 };
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        double sorted[TURNS];
        for (int i = 0; i < TURNS; i++) {
            const double unit = bench_fastest(ratios[k].unit, s), ratio = bench_fastest(ratios[k].call, s) / unit;
            int at = i;
            for (; at > 0 && sorted[at - 1] > ratio; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = ratio;
        }
        printf("%-12s %-52s %6.2f (%.2f to %.2f)\n", s->tree->name, ratios[k].name, sorted[TURNS / 2], sorted[0], sorted[TURNS - 1]);
    }
}

int main(int argc, char **argv)
{
    const bool relative = argc > 2 && !strcmp(argv[1], "--ratios");
    const int counting = argc > 3 && !strcmp(argv[1], "--count") ? atoi(argv[2]) : 0;
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER MODEL... | --ratios MODEL... | --count CALLS MODEL...\n", argv[0]);
        return 2;
    }
    for (int a = counting ? 3 : 2; a < argc; a++) {
        subject s;
        if (!prepare(&s, argv[a])) {
            fprintf(stderr, "%s: cannot be built\n", argv[a]);
            return 1;
        }
        if (relative)
            show_ratios(&s);
        else if (!counting && !agree(&s, argv[1]))
            return 1;
        if (counting)
            count(&s, counting);
        for (int k = 0; !counting && !relative && k < N_QUANTITIES; k++)
            bench_report("dalembert", argv[a], quantities[k].name, bench_fastest(quantities[k].call, &s));
        release(&s);
    }
    return 0;
}
