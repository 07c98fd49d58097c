/* Small motions in every family of coordinates and under every formulation: A and B for states chosen by name, poles, G(i omega) at five frequencies.
 *
 * Each is compared with the first family and formulation that has an answer. A: relative to its largest number. B: of each input to its largest. Poles:
 * relative to the fastest one and to the condition of the eigenvalue; those that occur several times are counted. G: relative to the largest of
 * its input, and to how near poles are, c |A| / |i omega - s| with c the condition. Refusals are reviewed in the table below: one that is not there fails.
 *
 *     test_small_motions          a sample of the combinations
 *     test_small_motions long     all of them; DAL_AGREEMENT=FILE writes the table of doc/small-motions.md
 */
#include "check.h"
#include "dalembert/dalembert.h"

#include <complex.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint", "user"};
static const char *const formulations[] = {"lagrange",         "maggi",    "kane",           "gibbs-appell",
                                           "boltzmann-hamel",  "volterra", "udwadia-kalaba", "udwadia-phohomsiri",
                                           "volterra-reduced", "routh",    "recursive",      "component"};
enum { FAMILIES = sizeof families / sizeof *families, FORMULATIONS = sizeof formulations / sizeof *formulations, MOST_PORTS = 3, FREQUENCIES = 5 };

static const double limit = 1e-9;
static bool is_long;
static FILE *page;

/* What may be refused, and why: words of the message. NULL: anywhere. */
static const struct {
    const char *family, *formulation, *words;
} refusals[] = {{NULL, NULL, "placed by its own coordinates: only the family user applies"},
                {"user", NULL, "family user needs `coordinates:`"},
                {NULL, "recursive", "works over the joint tree"},
                {NULL, "recursive", "needs bodies that carry bodies"},
                {NULL, "recursive", "moves nothing that has inertia"},
                {NULL, "volterra-reduced", "needs ignorable coordinates"},
                {NULL, "routh", "needs ignorable coordinates"},
                {NULL, "component", "each body integrates its own place and attitude"},
                {NULL, "component", "needs bodies that can be accelerated by themselves"},
                {NULL, "udwadia-kalaba", "needs a regular mass matrix"},
                {NULL, "volterra-reduced", "needs the kinetic energy"},
                {NULL, "volterra", "needs the kinetic energy"},
                {NULL, "routh", "needs the kinetic energy"},
                {NULL, "boltzmann-hamel", "needs the kinetic energy"},
                {NULL, NULL, "is moved by time at t = 0, and nothing can be at rest"},
                {NULL, NULL, "there is no equilibrium near the start: 'p along z' runs away"},      /* appell-hamel */
                {NULL, NULL, "there is no equilibrium near the start: 'pinion' turns and turns"},   /* gear-pair: a motor */
                {NULL, NULL, "there is no equilibrium near the start: 'pinion turning' runs away"}, /* rack-and-pinion: a motor */
                {NULL, NULL, "there is no equilibrium near the start: 'disc' runs away"},           /* rolling-disc-incline */
                {NULL, NULL, "there is no equilibrium near the start: 'satellite"}, /* satellite-boom: falls; in own coordinates the body */
                {NULL, NULL, "there is no equilibrium near the start: 'bus along x' runs away"},    /* satellites: fall */
                {NULL, NULL, "there is no equilibrium near the start: state 'motor' of the model"}, /* held-cart: an integrator */
                {NULL, NULL, "the constraints leave no freedom"},                                   /* driven-crank */
                {NULL, NULL, "a part without mass can move"}, /* massless-slider, maxwell-element; spring-pendulum-lagrangian where r = 0 */
                {NULL, NULL, "no mass moves along"}};         /* the same, where one velocity has none */

typedef struct tally {
    int compared, refused;
    double A, B, poles, G;
} tally;

/* ---- one answer ------------------------------------------------------------------------------------ */

static bool is_reviewed(const char *family, const char *formulation, const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        for (size_t i = 0; m->severity == DAL_ERROR && i < sizeof refusals / sizeof *refusals; i++)
            if ((!refusals[i].family || !strcmp(refusals[i].family, family)) &&
                (!refusals[i].formulation || !strcmp(refusals[i].formulation, formulation)) && strstr(m->text, refusals[i].words))
                return true;
    return false;
}

/* Of one combination; NULL where it is refused. */
typedef struct answer {
    dal_response *response;
    dal_linearization *linear; /* with its poles */
} answer;

static void forget(answer *a)
{
    dal_response_free(a->response);
    dal_linearization_free(a->linear);
    *a = (answer){0};
}

static answer answer_of(const char *file, const char *at, const char *family, const char *formulation, const dal_linear_options *asked, double unit)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    answer out = {0};
    const double omega[FREQUENCIES] = {0.13 * unit, 0.37 * unit, 1.1 * unit, 2.3 * unit, 7.9 * unit};
    dal_linear_options options = *asked;
    options.at = at;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "coordinates", family, messages));
    assert_true(dal_spec_set(spec, "formulation", formulation, messages));
    dal_status status = dal_linearize(NULL, spec, &options, messages, &out.linear);
    if (status == DAL_OK && options.n_outputs && options.n_inputs)
        status = dal_response_find(NULL, spec, &options, FREQUENCIES, omega, messages, &out.response);
    if (status != DAL_OK && !is_reviewed(family, formulation, messages)) {
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            print_message("    %s\n", m->text);
        fail_msg("%s at %s, %s, %s is refused, and nobody has reviewed that", strrchr(file, '/') + 1, at, family, formulation);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
    return out;
}

/* Inputs of the model, efforts of its forces and its drives: those that there are, three at most. */
static int find_inputs(const char *file, const char *names[MOST_PORTS], dal_spec **keep)
{
    dal_messages *messages = dal_messages_create(NULL);
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, keep), DAL_OK);
    const dal_spec *spec = *keep;
    int n = 0;
    for (int i = 0; i < spec->n_inputs && n < MOST_PORTS; i++)
        names[n++] = spec->inputs[i].name.text;
    for (int i = 0; i < spec->n_forces && n < MOST_PORTS; i++) {
        dal_linearization *l = NULL;
        if (dal_linearize(NULL, spec, &(dal_linear_options){.n_inputs = 1, .inputs = &spec->forces[i].name.text}, messages, &l) == DAL_OK)
            names[n++] = spec->forces[i].name.text;
        dal_linearization_free(l);
    }
    dal_messages_free(messages);
    return n;
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

static void see(const char *what, const char *name, double difference, double *worst)
{
    if (!(difference <= limit))
        fail_msg("%s: %s differs by %.3g", what, name, difference);
    *worst = fmax(*worst, difference);
}

static void compare_matrices(const char *what, const dal_linearization *a, const dal_linearization *b, tally *t)
{
    const int n = a->n_states, m = a->n_inputs;
    assert_int_equal(n, b->n_states);
    assert_int_equal(m, b->n_inputs);
    for (int i = 0; i < n; i++)
        if (strcmp(a->states[i], b->states[i]))
            fail_msg("%s: state %d is %s, or %s", what, i, a->states[i], b->states[i]);
    const double rates = fmax(1 / a->info.time, largest(a->A, n * n));
    for (int k = 0; k < n * n; k++)
        see(what, "A", fabs(a->A[k] - b->A[k]) / rates, &t->A);
    for (int j = 0; j < m; j++) {
        double most = 0;
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(a->B[m * i + j]));
        for (int i = 0; i < n && most > 0; i++)
            see(what, "B", fabs(a->B[m * i + j] - b->B[m * i + j]) / most, &t->B);
    }
}

static double complex pole(const dal_mode *mode)
{
    return mode->re + I * mode->im;
}

static double fastest(const dal_linearization *l)
{
    double most = 1 / l->info.time;
    for (int i = 0; i < l->n_poles; i++)
        most = fmax(most, cabs(pole(&l->poles[i])));
    return most;
}

/* Simple poles one by one; the others are counted where they are. */
static void compare_poles(const char *what, const dal_linearization *a, const dal_linearization *b, tally *t)
{
    const double fast = fastest(a);
    if (a->n_zero_poles != b->n_zero_poles)
        fail_msg("%s: %d poles are zero, or %d", what, a->n_zero_poles, b->n_zero_poles);
    if (a->n_poles != b->n_poles)
        fail_msg("%s: %d poles, or %d", what, a->n_poles, b->n_poles);
    for (int i = 0; i < a->n_poles; i++) {
        const dal_mode *one = &a->poles[i];
        double nearest = INFINITY;
        int count = 0, other = 0;
        for (int k = 0; k < b->n_poles; k++) {
            nearest = fmin(nearest, cabs(pole(one) - pole(&b->poles[k])));
            count += cabs(pole(one) - pole(&b->poles[k])) <= 1e-6 * fast;
            other += cabs(pole(one) - pole(&a->poles[k])) <= 1e-6 * fast;
        }
        if (count != other)
            fail_msg("%s: pole %g + %g i occurs %d times, or %d", what, one->re, one->im, other, count);
        if (one->times == 1)
            see(what, "a pole", nearest / (fast * fmax(1, one->condition)), &t->poles);
    }
}

/* Without digits it is zero beside the others. */
static double complex answer_at(const dal_response *r, int at)
{
    return isnan(r->re[at]) ? 0 : r->re[at] + I * r->im[at];
}

static void compare_responses(const char *what, const dal_linearization *l, const dal_response *a, const dal_response *b, tally *t)
{
    const int pairs = a->n_outputs * a->n_inputs;
    const double fast = fastest(l);
    for (int k = 0; k < pairs; k++) {
        double most = 0; /* of all outputs by this input */
        for (int f = 0; f < FREQUENCIES; f++)
            for (int other = k % a->n_inputs; other < pairs; other += a->n_inputs)
                if (isfinite(a->re[pairs * f + other]))
                    most = fmax(most, hypot(a->re[pairs * f + other], a->im[pairs * f + other]));
        for (int f = 0; f < FREQUENCIES && most > 0; f++) {
            const int at = pairs * f + k;
            double near = l->n_zero_poles ? fmax(1, pow(fast / a->omega[f], 2)) : 1; /* zeros come in pairs */
            for (int i = 0; i < l->n_poles; i++) {
                const double c = isfinite(l->poles[i].condition) ? l->poles[i].condition : 1e6;
                near = fmax(near, c * fast / cabs(I * a->omega[f] - pole(&l->poles[i])));
            }
            see(what, "G", cabs(answer_at(a, at) - answer_at(b, at)) / (most * near), &t->G);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void compare_model(const char *file, int number, const char *at, tally *t)
{
    const char *inputs[MOST_PORTS], *states[100];
    dal_spec *spec = NULL;
    dal_linear_options asked = {.n_inputs = find_inputs(file, inputs, &spec), .inputs = inputs};
    answer first = {0};
    double unit = 1;
    for (int f = 0; f < FAMILIES; f++)
        for (int g = 0; g < FORMULATIONS; g++) {
            char what[300];
            if (!is_long && first.linear && (f + 5 * g + number) % 13)
                continue;
            snprintf(what, sizeof what, "%s at %s, %s, %s", strrchr(file, '/') + 1, at, families[f], formulations[g]);
            answer other = answer_of(file, at, families[f], formulations[g], &asked, unit);
            t->refused += !other.linear;
            if (first.linear && other.linear) {
                compare_matrices(what, first.linear, other.linear, t);
                compare_poles(what, first.linear, other.linear, t);
                if (first.response && other.response)
                    compare_responses(what, first.linear, first.response, other.response, t);
                t->compared++;
            } else if (other.linear) { /* its states, by name; and what they are seen by */
                const dal_linearization *l = other.linear;
                asked.n_states = l->n_positions < 100 ? l->n_positions : 0;
                for (int i = 0; i < asked.n_states; i++)
                    states[i] = l->states[i];
                asked.states = states;
                asked.n_outputs = asked.n_states < MOST_PORTS ? asked.n_states : MOST_PORTS;
                asked.outputs = states;
                unit = 1 / l->info.time;
                first = answer_of(file, at, families[f], formulations[g], &asked, unit);
                assert_non_null(first.linear);
                for (int i = 0; i < asked.n_states; i++)
                    states[i] = first.linear->states[i];
            }
            forget(&other);
        }
    if (page && first.linear)
        fprintf(page, "| %.*s | %s | %d | %d | %d | %d | %.0e | %.0e | %.0e | %.0e |\n", (int)(strlen(strrchr(file, '/') + 1) - 5),
                strrchr(file, '/') + 1, at, first.linear->n_states, asked.n_inputs, t->compared, t->refused, t->A, t->B, t->poles, t->G);
    forget(&first);
    dal_spec_free(spec);
}

static void small_motions_are_the_same_everywhere(void **unused)
{
    (void)unused;
    static const char *const points[] = {"start", "equilibrium"};
    glob_t found = {0};
    int compared = 0, refused = 0, models = 0;
    tally worst = {0};
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &found), 0);
    if (page)
        fprintf(page, "| model | at | states | inputs | compared | refused | A | B | poles | G |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (int at = 0; at < 2; at++) {
            tally t = {0};
            if (at && !is_long && i % 4)
                continue;
            compare_model(found.gl_pathv[i], (int)i + at, points[at], &t);
            models += t.compared > 0;
            compared += t.compared;
            refused += t.refused;
            worst.A = fmax(worst.A, t.A);
            worst.B = fmax(worst.B, t.B);
            worst.poles = fmax(worst.poles, t.poles);
            worst.G = fmax(worst.G, t.G);
        }
    print_message("  %d models and points, %d comparisons, %d refused: A %.1e, B %.1e, poles %.1e, G %.1e\n", models, compared, refused, worst.A,
                  worst.B, worst.poles, worst.G);
    assert_true(models > 40 && compared > (is_long ? 2000 : 150));
    globfree(&found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_motions_are_the_same_everywhere)};
    is_long = argc > 1 && !strcmp(argv[1], "long");
    page = getenv("DAL_AGREEMENT") ? fopen(getenv("DAL_AGREEMENT"), "w") : NULL;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (page)
        fclose(page);
    return failed;
}
