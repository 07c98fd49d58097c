/* What generated code costs beside the engine and beside C written by hand, in one run, at sixteen states in turn.
 *
 *   trees        forward dynamics: engine, generated (as `run --compiled` builds it), four lanes; rollouts by semi-implicit Euler, 2 ms
 *   four-bar     y' of the engine, generated, and by hand, in families and formulations
 *   the paper    generated volterra-reduced over generated lagrange, in its three cases
 */
#include "hand_four_bar.h"
#include "measure.h"
#include "models.h"

#include "base/message.h"
#include "dalembert/dalembert.h"
#include "run/code_cache.h"
#include "run/sample_states.h"
#include "state/evaluate.h"
#include "state/state_parts.h"
#include "dynamics/speeds.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STATES = 16, LANES = 4, STEPS = 200 };

typedef int rates_function(double t, const double *q, const double *w, const double *inputs, const void *parameters, const int *modes, double *wd,
                           double *qd, double *zd, double *power);
typedef int lanes_function(double t, const double *q, const double *v, const double *inputs, const double *parameters, double *vd, double *lambda);
typedef int roll_function(double t, double h, long steps, double *q, double *v, const double *inputs, const double *parameters);

typedef struct subject {
    char name[100];
    dal_arena arena;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    int nq, nv, n_w, n_y, n, operations;
    dal_reference_state at[STATES];
    double *y[STATES], *dy, *tau, *vd, *wide_q, *wide_v, *wide_vd, *wide_lambda, *extra;
    dal_loaded_code scalar, lanes;
    rates_function *rates;
    lanes_function *accelerate;
    roll_function *roll;
    hand_function *hand;
    double *hand_y[STATES], hand_dy[64];
    int next;
} subject;

static void stop(const subject *s, const char *why)
{
    fprintf(stderr, "bench_generated: %s: %s\n", s->name, why);
    exit(1);
}

static double *numbers(subject *s, int n)
{
    return DAL_NEW(&s->arena, double, n + 1);
}

/* ---- the code ----------------------------------------------------------------------------- */

/* One text: the header in the place of its line. */
static char *joined(subject *s, const dal_generated *code)
{
    const char *line = strstr(code->source, "#include \"");
    const char *end = line ? strchr(line, '\n') + 1 : code->source;
    return dal_arena_print(&s->arena, "%.*s%s%s", (int)(line ? line - code->source : 0), code->source, code->header ? code->header : "", end);
}

static void *load(subject *s, dal_loaded_code *to, const char *source, const char *function)
{
    char why[300];
    const dal_code_request request = {.source = source, .version = "bench", .patience = 300};
    if (!dal_code_load(&request, to, why, sizeof why))
        stop(s, why);
    void *found = dal_code_function(to, function);
    if (!found)
        stop(s, function);
    return found;
}

static void generate(subject *s, const char *formulation, bool lanes)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_derive_options how = dal_derive_options_of(s->state);
    how.formulation = formulation;
    for (int i = 0; i < 1 + lanes; i++) {
        dal_generate_options *o = DAL_NEW(&s->arena, dal_generate_options, 1);
        *o = (dal_generate_options){.prefix = "dal_code", .rates = !i, .lanes = i ? LANES : 0};
        dal_derivation *d = dal_derive_equations(&s->arena, s->spec, s->system, &how, messages);
        if (!d || !dal_generates(d, o, messages))
            stop(s, dal_messages_first(messages)->text);
        const dal_generated *code = dal_generate(d, o, 1, s->at);
        if (code->missing)
            stop(s, code->missing);
        if (!i) {
            s->operations = code->operations;
            void *found = load(s, &s->scalar, code->source, "dal_code_rates");
            memcpy(&s->rates, &found, sizeof found);
        } else {
            void *found = load(s, &s->lanes, joined(s, code), "dal_code_accelerations_lanes");
            memcpy(&s->accelerate, &found, sizeof found);
            found = dal_code_function(&s->lanes, "dal_code_euler_lanes");
            memcpy(&s->roll, &found, sizeof found);
        }
    }
    dal_messages_free(messages);
}

/* ---- a subject -------------------------------------------------------------------------------- */

static void sample(subject *s)
{
    static dal_reference_state all[STATES];
    s->n = dal_sample_states(s->state, STATES, &s->arena, all);
    for (int i = 0; i < STATES; i++) {
        s->at[i] = all[i % s->n];
        s->y[i] = numbers(s, s->n_y);
        memcpy(s->y[i], s->at[i].q, sizeof(double) * (size_t)s->nq);
        if (s->n_w == s->nv)
            memcpy(s->y[i] + s->nq, s->at[i].v, sizeof(double) * (size_t)s->nv);
        else
            for (int k = 0; k < s->n_w; k++)
                s->y[i][s->nq + k] = s->at[i].v[dal_speeds_of(s->state)->column[k]];
    }
}

static subject *prepare(const char *name, const char *path, char *text, const char *coordinates, const char *formulation, bool lanes)
{
    static jmp_buf jump;
    subject *s = calloc(1, sizeof *s);
    dal_messages *messages = dal_messages_create(NULL);
    snprintf(s->name, sizeof s->name, "%s %s %s", name, coordinates ? coordinates : "", formulation);
    dal_arena_begin(&s->arena, NULL);
    if (setjmp(jump))
        stop(s, "no memory");
    s->arena.guard = &jump;
    dal_status status =
        text ? dal_spec_parse(NULL, name, text, strlen(text), 0, NULL, messages, &s->spec) : dal_spec_read(NULL, path, 0, NULL, messages, &s->spec);
    if (status == DAL_OK)
        dal_spec_set(s->spec, "formulation", formulation, messages);
    if (status == DAL_OK && coordinates)
        dal_spec_set(s->spec, "coordinates", coordinates, messages);
    if (status == DAL_OK)
        status = dal_compile(NULL, s->spec, messages, &s->system);
    if (status != DAL_OK || !(s->state = dal_state_create(NULL, s->system)) || dal_state_evaluate(s->state, messages) != DAL_OK)
        stop(s, dal_messages_first(messages) ? dal_messages_first(messages)->text : "it cannot be evaluated");
    const dal_system_info info = dal_system_describe(s->system);
    const dal_formulation *f = dal_system_method(s->system)->formulation;
    s->nq = info.coordinates_count;
    s->nv = info.velocities;
    s->n_y = info.states;
    s->n_w = f->speeds ? f->speeds(s->system) : s->nv;
    s->dy = numbers(s, s->n_y), s->tau = numbers(s, s->nv), s->vd = numbers(s, s->nv), s->extra = numbers(s, 64);
    sample(s);
    generate(s, formulation, lanes);
    if (lanes) {
        s->wide_q = numbers(s, LANES * s->nq), s->wide_v = numbers(s, LANES * s->nv), s->wide_vd = numbers(s, LANES * s->nv);
        s->wide_lambda = numbers(s, LANES * (info.constraints + 1));
    }
    if (dal_speeds_of(s->state) && dal_speeds_of(s->state)->momenta && f->ignores)
        memcpy(s->extra, dal_speeds_of(s->state)->momenta, sizeof(double) * (size_t)dal_system_layout(s->system)->n_ignorable);
    dal_messages_free(messages);
    free(text);
    return s;
}

static void release(subject *s)
{
    dal_code_unload(&s->scalar);
    dal_code_unload(&s->lanes);
    dal_state_free(s->state);
    dal_system_free(s->system);
    dal_spec_free(s->spec);
    dal_arena_release(&s->arena);
    free(s);
}

/* ---- what is measured ---------------------------------------------------------------------------- */

static double *turn(subject *s)
{
    return s->y[s->next++ % STATES];
}

static void engine(void *data)
{
    subject *s = data;
    dal_state_derivative(s->state, 0, turn(s), s->dy);
}

static void forward(void *data)
{
    subject *s = data;
    const double *y = turn(s);
    dal_forward_dynamics(s->state, y, y + s->nq, s->tau, NULL, s->vd);
}

static void generated(void *data)
{
    subject *s = data;
    const double *y = turn(s);
    double *z = s->dy + s->nq + s->n_w;
    s->rates(0, y, y + s->nq, s->extra, NULL, NULL, s->dy + s->nq, s->dy, z, z);
}

static void spread(subject *s, int from)
{
    for (int k = 0; k < LANES; k++) {
        const double *y = s->y[(from + k) % STATES];
        for (int i = 0; i < s->nq; i++)
            s->wide_q[LANES * i + k] = y[i];
        for (int i = 0; i < s->nv; i++)
            s->wide_v[LANES * i + k] = y[s->nq + i];
    }
}

static void lanes(void *data)
{
    subject *s = data;
    s->wide_q[s->next++ % (LANES * s->nq)] += 1e-9;
    s->accelerate(0, s->wide_q, s->wide_v, NULL, NULL, s->wide_vd, s->wide_lambda);
}

static void roll_engine(void *data)
{
    subject *s = data;
    double *q = s->dy, *v = s->dy + s->nq;
    memcpy(q, turn(s), sizeof *q * (size_t)(s->nq + s->nv));
    for (int k = 0; k < STEPS; k++) {
        dal_forward_dynamics(s->state, q, v, s->tau, NULL, s->vd);
        for (int i = 0; i < s->nv; i++)
            v[i] += 2e-3 * s->vd[i];
        for (int i = 0; i < s->nq; i++)
            q[i] += 2e-3 * v[i];
    }
}

static void roll_lanes(void *data)
{
    subject *s = data;
    spread(s, s->next++);
    s->roll(0, 2e-3, STEPS, s->wide_q, s->wide_v, NULL, NULL);
}

static void by_hand(void *data)
{
    subject *s = data;
    s->hand(s->hand_y[s->next++ % STATES], s->hand_dy);
}

/* The fastest of several turns, each of which measures all of them: what others do on the machine meets all alike. */
static void measure(subject *s, int n, void (*const *call)(void *), double *best)
{
    for (int i = 0; i < n; i++)
        best[i] = HUGE_VAL;
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < n; i++)
            best[i] = fmin(best[i], bench_fastest(call[i], s));
}

/* Both give the same rates, or nothing is worth measuring. */
static void check(subject *s)
{
    double worst = 0, most = 0;
    for (int i = 0; i < STATES; i++) {
        double *engines = numbers(s, s->n_y);
        if (dal_state_derivative(s->state, 0, s->y[i], engines))
            continue;
        s->next = i;
        generated(s);
        for (int k = 0; k < s->nq + s->n_w; k++) {
            most = fmax(most, fabs(engines[k]));
            worst = fmax(worst, fabs(engines[k] - s->dy[k]));
        }
    }
    if (!(worst <= 1e-9 * most))
        stop(s, "generated code and engine differ");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static double children_time(void)
{
    struct rusage all;
    getrusage(RUSAGE_CHILDREN, &all);
    return (double)all.ru_utime.tv_sec + (double)all.ru_stime.tv_sec + 1e-6 * (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec);
}

/* Without lanes for long chains, of which the time of the compiler is of interest: 0 where the object was in the cache. */
static void trees(void)
{
    static const char *const names[] = {"chain7", "arm7", "chain20", "humanoid30", "chain12", "chain40", "chain100"};
    printf("| tree | operations | cc, s | engine, us | generated, us | times as fast | a lane of four, us | times as fast |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool in_lanes = i < 4;
        const double before = children_time();
        bench_tree *tree = bench_tree_create(names[i]);
        subject *s = prepare(names[i], NULL, bench_tree_yaml(tree), "joint", "recursive", in_lanes);
        void (*const calls[])(void *) = {forward, generated, lanes};
        double best[3];
        const double compiler = children_time() - before;
        check(s);
        if (in_lanes)
            spread(s, 0);
        measure(s, in_lanes ? 3 : 2, calls, best);
        printf("| %s | %d | %.2f | %.3f | %.3f | %.2f |", names[i], s->operations, compiler, best[0], best[1], best[0] / best[1]);
        if (in_lanes)
            printf(" %.3f | %.2f |\n", best[2] / LANES, best[0] / (best[2] / LANES));
        else
            printf("  |  |\n");
        if (i < 2) { /* hinges alone: q' is v */
            void (*const rolls[])(void *) = {roll_engine, roll_lanes};
            measure(s, 2, rolls, best);
            printf("| %s, rollout, million steps a second |  |  | %.2f |  |  | %.2f | %.2f |\n", names[i], STEPS / best[0], LANES * STEPS / best[1],
                   LANES * best[0] / best[1]);
        }
        fflush(stdout);
        release(s);
        bench_tree_free(tree);
    }
    printf("\n");
}

static void four_bars(const char *models)
{
    static const char *const families[] = {"angle", "joint", "natural"};
    static const char *const formulations[] = {"lagrange", "kane",  "udwadia-kalaba",  "gibbs-appell",
                                               "volterra", "maggi", "boltzmann-hamel", "recursive"};
    char path[600];
    snprintf(path, sizeof path, "%s/four-bar.yaml", models);
    printf("| four-bar | engine, ns | generated, ns | by hand, ns | generated over hand | over generated lagrange |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        double lagrange = NAN;
        for (size_t k = 0; k < sizeof formulations / sizeof *formulations; k++) {
            if (!strcmp(formulations[k], "recursive") && strcmp(families[i], "joint"))
                continue;
            subject *s = prepare("four-bar", path, NULL, families[i], formulations[k], false);
            void (*const calls[])(void *) = {engine, generated, by_hand};
            double best[3] = {0, 0, NAN};
            s->hand = hand_four_bar(families[i], formulations[k]);
            for (int j = 0; j < STATES && s->hand; j++)
                hand_state(families[i], formulations[k], j, s->hand_y[j] = numbers(s, 40));
            check(s);
            measure(s, s->hand ? 3 : 2, calls, best);
            lagrange = k ? lagrange : best[1];
            printf("| %s, %s | %.0f | %.0f |", families[i], formulations[k], 1e3 * best[0], 1e3 * best[1]);
            if (s->hand)
                printf(" %.0f | %.2f | %.2f |\n", 1e3 * best[2], best[1] / best[2], best[1] / lagrange);
            else
                printf("  |  | %.2f |\n", best[1] / lagrange);
            fflush(stdout);
            release(s);
        }
    }
    printf("\n");
}

static void paper(const char *models)
{
    static const struct {
        const char *model, *coordinates;
        double ratio;
    } cases[] = {BENCH_PAPER_CASES};
    printf("| case of the paper | lagrange, operations | ns | volterra-reduced, operations | ns | ratio | ratio of the paper |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600];
        double best[2];
        int operations[2];
        snprintf(path, sizeof path, "%s/%s.yaml", models, cases[i].model);
        for (int k = 0; k < 2; k++) {
            subject *s = prepare(cases[i].model, path, NULL, cases[i].coordinates, k ? "volterra-reduced" : "lagrange", false);
            void (*const calls[])(void *) = {generated};
            measure(s, 1, calls, &best[k]);
            operations[k] = s->operations;
            release(s);
        }
        printf("| %s | %d | %.0f | %d | %.0f | %.2f | %.2f |\n", cases[i].model, operations[0], 1e3 * best[0], operations[1], 1e3 * best[1],
               best[1] / best[0], cases[i].ratio);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *models = argc > 1 ? argv[1] : "models", *only = argc > 2 ? argv[2] : "";
    if (!*only || !strcmp(only, "trees"))
        trees();
    if (!*only || !strcmp(only, "four-bar"))
        four_bars(models);
    if (!*only || !strcmp(only, "paper"))
        paper(models);
    return 0;
}
