/* Singular mass matrices: the examples of `udwadia-phohomsiri`, parts without mass in every family and formulation, and what is said
 * where the accelerations are not unique. */
#include "dynamics/speeds.h"
#include "dynamics/tree_state.h"
#include "gallery.h"
#include "math/rank.h"
#include "trajectory.h"
#include "dynamics/row_rank.h"
#include "state/report.h"

#include <float.h>

/* ---- compiling ------------------------------------------------------------------ */

typedef struct built {
    dal_system *system;
    char error[512], warning[512]; /* the first of each */
} built;

static built compile(dal_status status, dal_spec *spec, dal_messages *messages, const char *settings)
{
    built b = {0};
    if (status == DAL_OK) {
        set_all(spec, settings, messages);
        dal_compile(NULL, spec, messages, &b.system);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next) {
        char *text = m->severity == DAL_ERROR ? b.error : b.warning;
        if (m->severity >= DAL_WARNING && !*text)
            dal_message_format(m, text, sizeof b.error);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
    return b;
}

static built compile_text(const char *text, const char *settings)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_status status = dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec);
    return compile(status, spec, messages, settings);
}

static built compile_model(const char *model, int n, const dal_override *overrides, const char *settings)
{
    char path[300];
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    snprintf(path, sizeof path, DAL_MODELS "/%s.yaml", model);
    dal_status status = dal_spec_read(NULL, path, n, overrides, messages, &spec);
    return compile(status, spec, messages, settings);
}

static void expect(const char *label, const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s: '%s' is not in '%s'", label, part, text);
}

/* Result 3 does not ask who solves: lagrange needs no more than that, and so do those that only need W^T M W. */
static const char *const singular_allowed[] = {"lagrange", "udwadia-phohomsiri", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};
enum { ALLOWED = sizeof singular_allowed / sizeof *singular_allowed };

/* ---- the examples of the paper ------------------------------------------------------ */

typedef struct example {
    const char *model;
    int n; /* coordinates */
    /* A random state on the constraints, and the accelerations that the paper gives for it. */
    void (*truth)(const double *p, uint64_t *seed, double *q, double *v, double *a);
} example;

enum { M1, M2, K1, K2, D, L10, L20 };

/* Coordinates of the second and third example, joined by (5.32). */
static void join(const double *p, double *q, double *v, double *a)
{
    q[1] = q[0] + p[L10] + p[D];
    v[1] = v[0];
    a[1] = a[0];
}

/* (5.17); p: m, R, I, alpha, g */
static void example_1(const double *p, uint64_t *seed, double *q, double *v, double *a)
{
    const double down = p[1] * sin(p[3]);
    q[0] = 3 * check_random(seed), v[0] = 2 * check_random(seed);
    a[0] = p[0] * p[4] * down / (p[0] * p[1] * p[1] + p[2]);
    q[1] = down * q[0], v[1] = down * v[0], a[1] = down * a[0];
}

/* (5.39) */
static void case_1(const double *p, uint64_t *seed, double *q, double *v, double *a)
{
    q[0] = 0.3 * check_random(seed), v[0] = check_random(seed);
    q[2] = 0.3 * check_random(seed), v[2] = check_random(seed);
    a[0] = (-p[K1] * q[0] + p[K2] * q[2]) / p[M1];
    a[2] = -a[0] - p[K2] * q[2] / p[M2];
    join(p, q, v, a);
}

/* (5.47): the springs balance, k1 x1 = k2 q2 */
static void case_2(const double *p, uint64_t *seed, double *q, double *v, double *a)
{
    q[0] = 0.3 * check_random(seed), v[0] = check_random(seed);
    q[2] = p[K1] / p[K2] * q[0], v[2] = p[K1] / p[K2] * v[0];
    const double sum = p[K1] + p[K2], unit = -p[K1] * p[K2] * (q[0] + q[2]) / (p[M2] * sum * sum);
    a[0] = unit * p[K2];
    a[2] = unit * p[K1];
    join(p, q, v, a);
}

/* (5.56) */
static void case_3(const double *p, uint64_t *seed, double *q, double *v, double *a)
{
    q[0] = 0.3 * check_random(seed), v[0] = check_random(seed);
    q[2] = v[2] = a[2] = 0;
    a[0] = -p[K1] * q[0] / p[M1];
    join(p, q, v, a);
}

static const char *const disc_parameters[] = {"m", "R", "I", "alpha", "g"};
static const char *const spring_parameters[] = {"m1", "m2", "k1", "k2", "d", "l10", "l20"};

static void check_example(const example *e, const char *formulation)
{
    const bool disc = e->n == 2;
    const char *const *names = disc ? disc_parameters : spring_parameters;
    const int n = disc ? 5 : 7;
    uint64_t seed = 20260;
    double p[7], q[3], v[3], a[3];
    char number[7][40], settings[60];
    dal_override overrides[7];
    for (int i = 0; i < n; i++) {
        p[i] = disc ? 0.9 + 0.4 * check_random(&seed) : (i == K1 || i == K2 ? 40 : 1.3) * (1 + 0.4 * check_random(&seed));
        if ((e->truth == case_2 && i == M1) || (e->truth == case_3 && i == M2))
            p[i] = 0;
        snprintf(number[i], sizeof number[i], "%.17g", p[i]);
        overrides[i] = (dal_override){names[i], number[i]};
    }
    snprintf(settings, sizeof settings, "formulation=%s", formulation);
    built b = compile_model(e->model, n, overrides, settings);
    if (!b.system)
        fail_msg("%s, %s: %s", e->model, formulation, b.error);
    dal_state *state = dal_state_create(NULL, b.system);
    for (int i = 0; i < 5; i++) {
        e->truth(p, &seed, q, v, a);
        assert_int_equal(dal_state_adopt(state, 0, q, v), 0);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        const double size = fmax(fmax(fabs(a[0]), fabs(a[1])), e->n == 3 ? fabs(a[2]) : 0);
        for (int k = 0; k < e->n; k++)
            check_close(state->vd[k], a[k], 1e-13 * size);
    }
    dal_state_free(state);
    dal_system_free(b.system);
}

static const example examples[] = {{"rolling-disc-incline", 2, example_1},
                                   {"springs-in-series-masses", 3, case_1},
                                   {"springs-in-series-massless-middle", 3, case_2},
                                   {"springs-in-series-massless-end", 3, case_3}};

static void the_examples_of_the_paper_accelerate_as_its_closed_forms_say(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (int f = 0; f < ALLOWED; f++)
            check_example(&examples[i], singular_allowed[f]);
}

static void udwadia_and_kalaba_name_what_makes_the_mass_matrix_of_the_examples_singular(void **unused)
{
    static const char *const at[] = {"y'", "q2'", "x1'", "q1'"};
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char sentence[200];
        built b = compile_model(examples[i].model, 0, NULL, "formulation=udwadia-kalaba");
        assert_null(b.system);
        snprintf(sentence, sizeof sentence, "udwadia-kalaba needs a regular mass matrix, and here it is singular at %s", at[i]);
        expect(examples[i].model, b.error, sentence);
    }
}

/* Reference solutions; the files are not part of the project. */
static void check_reference(const char *file, const char *model, const char *const *channels)
{
    static const char *const keys[] = {"q", "qdot", NULL};
    json_file source;
    json *root = open_reference(&source, file);
    reference r = {.model = model};
    double when = 0;
    const char *what = "";
    for (int i = 0; channels[i]; i++)
        r.channel[i] = channels[i];
    read_times(&r, root, keys);
    for (int f = 0; f < 2; f++) {
        char settings[160];
        snprintf(settings, sizeof settings, "formulation=%s rtol=1e-12 atol=1e-14 every=0.25 until=5", singular_allowed[f]);
        trajectory t = run_well(model, NULL, channels, settings);
        double gap = miss(&r, &t, &what, &when);
        print_message("  %-34s %-20s largest miss %.1e\n", model, singular_allowed[f], gap);
        if (!(gap < 1e-9))
            fail_msg("%s: %s misses by %.3g at t = %g", model, what, gap, when);
        free(t.value);
    }
    json_close(&source);
}

static void the_examples_of_the_paper_move_as_the_reference_solutions(void **unused)
{
    static const char *const disc[] = {"th", "y", "th'", "y'", NULL}, *const springs[] = {"x1", "q1", "q2", "x1'", "q1'", "q2'", NULL};
    (void)unused;
    check_reference("001_example1", "rolling-disc-incline", disc);
    check_reference("001_case5_1", "springs-in-series-masses", springs);
    check_reference("001_case5_2", "springs-in-series-massless-middle", springs);
    check_reference("001_case5_3", "springs-in-series-massless-end", springs);
}

/* ---- accelerations that are not unique ----------------------------------------------- */

#define SPRINGS(m1, m2)                                                                                                                              \
    "dalembert: 1\nspace: planar\nparameters: {k1: 50, k2: 30}\n"                                                                                    \
    "coordinates: {x1: {start: 0.3}, q1: {start: 1.5}, q2: {start: 0.5}}\n"                                                                          \
    "bodies:\n"                                                                                                                                      \
    "  first: {mass: " #m1 ", position: [1 + x1, 0]}\n  base: {mass: 0, position: [q1, 0]}\n"                                                        \
    "  second: {mass: " #m2 ", position: [q1 + 0.8 + q2, 0]}\n"                                                                                      \
    "forces:\n  s1: {type: force, coordinate: x1, value: -k1*x1}\n  s2: {type: force, coordinate: q2, value: -k2*q2}\n"                              \
    "constraints: {joined: {position: q1 - x1 - 1.2}}\n"

static void without_its_additional_constraint_a_case_of_the_paper_is_refused_with_what_is_missing(void **unused)
{
    (void)unused;
    static const char *const able[] = {"formulation=lagrange", "formulation=udwadia-phohomsiri"};
    for (int f = 0; f < 2; f++) {
        built middle = compile_text(SPRINGS(0, 3.1), able[f]), end = compile_text(SPRINGS(2.3, 0), able[f]);
        assert_null(middle.system);
        assert_null(end.system);
        expect(able[f], middle.error,
               "the accelerations of x1', q1', q2' are not determined: rank [M; A] is 2, and 3 is needed; give mass or inertia there, or "
               "another constraint");
        expect(able[f], end.error,
               "the accelerations of q2' are not determined: rank [M; A] is 2, and 3 is needed; give mass or inertia there, or another "
               "constraint");
    }
}

/* Example 2: example 1 and a particle without mass. */
#define GHOST                                                                                                                                        \
    "dalembert: 1\nspace: planar\nparameters: {m: 2, R: 0.3, I: 0.09, alpha: 30*deg, g: 9.81}\n"                                                     \
    "coordinates: {th: {start: 0.2, rate: 0.5}, y: {start: 0.2*R*sin(alpha)}, x: {start: 0.3, rate: 0.7}}\n"                                         \
    "bodies:\n"                                                                                                                                      \
    "  disc: {mass: m, inertia: I, position: [R*th*cos(alpha), -R*th*sin(alpha)], angle: -th}\n"                                                     \
    "  ghost: {mass: 0, position: [x, 1]}\n"                                                                                                         \
    "constraints: {slope: {position: y - R*sin(alpha)*th}}\n"                                                                                        \
    "forces: {weight: {type: force, coordinate: y, value: m*g}}\n"

static void the_least_acceleration_of_example_2_leaves_the_massless_particle_alone(void **unused)
{
    (void)unused;
    built refused = compile_text(GHOST, "formulation=udwadia-phohomsiri");
    assert_null(refused.system);
    expect("refuse", refused.error, "the accelerations of x' are not determined: rank [M; A] is 2, and 3 is needed");
    built least = compile_text(GHOST, "formulation=udwadia-phohomsiri undetermined=minimum-norm");
    if (!least.system)
        fail_msg("%s", least.error);
    expect("warning", least.warning,
           "the accelerations of x' are not determined: rank [M; A] is 2 of 3; of those that satisfy the equations the least ones "
           "are taken");
    assert_string_equal(least.system->method.stabilization->name, "direct-correction");
    dal_state *state = dal_state_create(NULL, least.system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    check_close(state->vd[0], 10.9, 1e-14 * 10.9);
    check_close(state->vd[1], 1.635, 1e-14 * 10.9);
    check_small(state->vd[2], 1e-15);
    dal_state_free(state);
    dal_system_free(least.system);
}

static void a_run_with_the_least_accelerations_ends_where_it_has_to(void **unused)
{
    (void)unused;
    built least = compile_text(GHOST, "formulation=udwadia-phohomsiri undetermined=minimum-norm until=2 rtol=1e-10");
    assert_non_null(least.system);
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence;
    trajectory rows = {0};
    dal_sink sink = {&rows, begin, keep_row};
    dal_run_options options = {.sink = &sink};
    assert_int_equal(dal_run(least.system, &options, messages, &evidence), DAL_OK);
    check_small(evidence.position_residual, 1e-10);
    free(rows.value);
    dal_messages_free(messages);
    dal_system_free(least.system);
}

/* a + 3 b = s, where a moves one particle without mass by a and b another by 3 b: in metres, both move by half of s. (The plain norm of
 * (a'', b'') would make it a'' = s''/10, b'' = 3 s''/10.) */
static void the_least_accelerations_are_least_in_metres(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ncoordinates: {s: {start: 0.4}, a: {start: 0.1}, b: {start: 0.1}}\n"
                               "bodies:\n  block: {mass: 1.7, position: [s, 0]}\n  p: {mass: 0, position: [a, 1]}\n"
                               "  q: {mass: 0, position: [3*b, 2]}\n"
                               "forces: {push: {type: force, coordinate: s, value: 3.4}}\n"
                               "constraints: {sum: {position: a + 3*b - s}}\n";
    built least = compile_text(text, "formulation=udwadia-phohomsiri undetermined=minimum-norm");
    if (!least.system)
        fail_msg("%s", least.error);
    dal_state *state = dal_state_create(NULL, least.system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    check_close(state->vd[0], 2, 1e-14);
    check_close(state->vd[1], 1, 1e-14);
    check_close(state->vd[2], 1. / 3, 1e-14);
    dal_state_free(state);
    dal_system_free(least.system);
}

static void a_choice_that_cannot_give_the_least_acceleration_says_so(void **unused)
{
    (void)unused;
    for (int f = 0; dal_formulations[f]; f++) {
        char settings[120];
        if (!strcmp(dal_formulations[f]->name, "udwadia-phohomsiri"))
            continue;
        snprintf(settings, sizeof settings, "undetermined=minimum-norm formulation=%s", dal_formulations[f]->name);
        built b = compile_text(GHOST, settings);
        assert_null(b.system);
        expect(settings, b.error, "`undetermined: minimum-norm` needs the formulation udwadia-phohomsiri: ");
        expect(settings, b.error, dal_formulations[f]->name);
    }
    built mass = compile_text(GHOST, "undetermined=minimum-norm formulation=udwadia-phohomsiri stabilization=mass-projection");
    assert_null(mass.system);
    expect("mass-projection", mass.error, "use direct-correction");
    built word = compile_text(GHOST, "undetermined=least formulation=udwadia-phohomsiri");
    assert_null(word.system);
    expect("word", word.error, "`undetermined` is refuse, derive or minimum-norm, not 'least'");
}

static void a_force_that_nothing_resists_is_told(void **unused)
{
    (void)unused;
    built b = compile_text(GHOST, "formulation=udwadia-phohomsiri undetermined=minimum-norm");
    assert_non_null(b.system);
    dal_system_free(b.system);
    b = compile_text(SPRINGS(0, 3.1), "formulation=udwadia-phohomsiri undetermined=minimum-norm");
    if (!b.system) /* 50 * 0.3 = 30 * 0.5 */
        fail_msg("%s", b.error);
    dal_state *state = dal_state_create(NULL, b.system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    state->y[2] += 0.1;
    assert_int_not_equal(dal_state_evaluate(state, NULL), DAL_OK);
    expect("unbalanced", state->report->trouble, "no acceleration satisfies the equations: along ");
    dal_state_free(state);
    dal_system_free(b.system);
}

/* M = m s^2 vanishes at s = 0. */
static void a_rank_that_changes_stops_the_run_with_a_sentence(void **unused)
{
    (void)unused;
    built b = compile_text("dalembert: 1\nspace: planar\ncoordinates: {s: {start: 1.3, rate: -1}, x: {start: 0.2}}\n"
                           "bodies:\n  p: {mass: 1.7, position: [s^2/2, 0]}\n  ghost: {mass: 0, position: [x, 1]}\n",
                           "formulation=udwadia-phohomsiri undetermined=minimum-norm");
    assert_non_null(b.system);
    dal_state *state = dal_state_create(NULL, b.system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    check_close(state->vd[0], -1 / 1.3, 1e-14); /* s^2 / 2 moves on evenly */
    state->y[0] = 0;
    state->y[2] = 0;
    assert_int_not_equal(dal_state_evaluate(state, NULL), DAL_OK);
    expect("rank", state->report->trouble, "rank [M; A] was 1 at the start and is 0 here");
    dal_state_free(state);
    dal_system_free(b.system);
}

/* ---- parts without mass, in every family --------------------------------------------- */

/* The parameter w is the mass of the part that loses it. Each is determined by what it is joined to. */
#define FLAT "mass: w, inertia: 0.1*w"
#define SOLID "mass: w, inertia: [0.1*w, 0.07*w, 0.09*w]"
static const struct {
    const char *what, *text;
} models[] = {
    {"a rod without mass carries the bob",
     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
     "bodies:\n  rod: {" FLAT ", position: [0.37, 0.21], angle: 0.4, rate: 1.3, points: {A: [-0.4, 0.1], B: [0.6, 0]}}\n"
     "  bob: {mass: 1.37, between: [rod.B, rod.A]}\n"
     "joints:\n  A: {type: revolute, connect: [ground, rod.A]}\n  B: {type: revolute, connect: [rod.B, bob]}\n"},
    {"a link without mass between two bodies with it",
     "dalembert: 1\nspace: planar\ngravity: [0.3, -9.81]\n"
     "bodies:\n  upper: {mass: 1.37, inertia: 0.21, angle: -0.9, rate: 0.7, points: {A: [-0.5, 0], B: [0.5, 0.1]}}\n"
     "  link: {" FLAT ", angle: -1.2, rate: -0.8, points: {B: [-0.2, 0], C: [0.3, 0.05]}}\n"
     "  lower: {mass: 0.61, inertia: 0.11, angle: -0.3, rate: 1.9, points: {C: [-0.4, 0]}}\n"
     "joints:\n  A: {type: revolute, connect: [ground, upper.A]}\n  B: {type: revolute, connect: [upper.B, link.B]}\n"
     "  C: {type: revolute, connect: [link.C, lower.C]}\n"},
    {"the coupler of a four-bar", "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {D: [1.2, 0]}}\n"
                                  "bodies:\n  crank: {mass: 0.5, inertia: 0.004, points: {A: [-0.15, 0], B: [0.15, 0]}}\n"
                                  "  coupler: {" FLAT ", position: [0.8, 0.5], points: {B: [-0.5, 0], C: [0.5, 0]}}\n"
                                  "  rocker: {mass: 0.8, inertia: 0.03, position: [1.2, 0.3], angle: 80*deg, points: {D: [-0.35, 0], C: [0.35, 0]}}\n"
                                  "joints:\n  A: {type: revolute, connect: [ground, crank.A], start: {angle: 50*deg, rate: 12, fix: true}}\n"
                                  "  B: {type: revolute, connect: [crank.B, coupler.B]}\n  C: {type: revolute, connect: [coupler.C, rocker.C]}\n"
                                  "  D: {type: revolute, connect: [ground.D, rocker.D]}\n"},
    {"an outermost part that is driven",
     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
     "bodies:\n  arm: {mass: 1.37, inertia: 0.21, angle: 0.5, rate: 2.1, points: {A: [-0.4, 0], B: [0.5, 0.1]}}\n"
     "  pointer: {" FLAT ", angle: 0.3, points: {B: [-0.2, 0]}}\n"
     "joints:\n  A: {type: revolute, connect: [ground, arm.A]}\n  B: {type: revolute, connect: [arm.B, pointer.B], drive: 0.3*sin(2*t)}\n"},
    {"a cross of a universal joint in space",
     "dalembert: 1\nspace: spatial\ngravity: [0, 0.4, -9.81]\n"
     "bodies:\n  spider: {" SOLID ", angular-velocity: [1.1, 0, 0]}\n"
     "  rod: {mass: 0.83, inertia: [0.11, 0.13, 0.04], position: [0.1, -0.2, -0.5], points: {C: [-0.1, 0.2, 0.5]}, "
     "angular-velocity: [1.1, 0.6, 0]}\n"
     "joints:\n  A: {type: revolute, connect: [ground, spider], axis: [1, 0, 0]}\n"
     "  B: {type: revolute, connect: [spider, rod.C], axis: [0, 1, 0]}\n"},
    {"a coupler between universal and spherical joint",
     "dalembert: 1\nspace: spatial\ngravity: [0.2, 0.1, -9.81]\nground: {points: {D: [1.1, 0.2, 0.1]}}\n"
     "bodies:\n  crank: {mass: 0.9, inertia: [0.02, 0.03, 0.04], position: [0, 0.2, 0], points: {A: [0, -0.2, 0], B: [0, 0.3, 0.05]}}\n"
     "  coupler: {" SOLID ", position: [0.5, 0.45, 0.1], points: {B: [-0.5, 0.05, -0.05], C: [0.5, 0, 0]}}\n"
     "  rocker: {mass: 0.7, inertia: [0.03, 0.02, 0.03], position: [1.05, 0.35, 0.1], points: {D: [0.05, -0.15, 0], C: [-0.05, 0.1, 0]}}\n"
     "joints:\n  A: {type: revolute, connect: [ground, crank.A], axis: [0.1, 0, 1], start: {rate: 2.3}}\n"
     "  B: {type: universal, connect: [crank.B, coupler.B], axis: [[0, 0, 1], [0, 1, 0]]}\n"
     "  C: {type: spherical, connect: [coupler.C, rocker.C]}\n  D: {type: revolute, connect: [ground.D, rocker.D], axis: [0, 0.2, 1]}\n"},
};

/* Model i with the mass of the part; its inertia goes with the mass. */
static built compile_light(size_t i, double mass, const char *family, const char *formulation)
{
    char text[3000], settings[120];
    snprintf(text, sizeof text, "%sparameters: {w: %.17g}\n", models[i].text, mass);
    snprintf(settings, sizeof settings, "coordinates=%s formulation=%s stabilization=direct-correction=1e-12", family, formulation);
    return compile_text(text, settings);
}

/* Accelerations of the bodies, relative to the largest; reactions too. */
static double difference(dal_state *a, dal_state *b, bool reactions)
{
    const dal_mechanism *m = &a->system->mechanism;
    double worst = 0, size = 0, force_worst = 0, force_size = 1e-3, L = a->system->layout.units.length;
    for (int i = 0; i < m->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(x.acceleration[k] + x.alpha[k] + y.acceleration[k] + y.alpha[k]))
                return INFINITY;
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(x.acceleration[k]), L * fabs(x.alpha[k])));
        }
    }
    for (int k = 0; k < 3; k++)
        size = fmax(size, fabs(a->system->acting.gravity[k])); /* weights may cancel, their rounding does not */
    for (int j = 0; reactions && j < m->n_joints; j++) {
        double f[2][3], t[2][3];
        dal_state_reaction(a, j, f[0], t[0]);
        dal_state_reaction(b, j, f[1], t[1]);
        for (int k = 0; k < 3; k++) {
            force_worst = fmax(force_worst, fmax(fabs(f[0][k] - f[1][k]), fabs(t[0][k] - t[1][k]) / L));
            force_size = fmax(force_size, fmax(fabs(f[0][k]), fabs(t[0][k]) / L));
        }
    }
    return fmax(worst / size, force_worst / force_size);
}

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"};

/* The reason for which a formulation may refuse a part without mass. */
static const char *why_refused(const char *formulation, const char *family)
{
    if (!strcmp(formulation, "udwadia-kalaba"))
        return "udwadia-kalaba needs a regular mass matrix";
    if (!strcmp(formulation, "component"))
        return strcmp(family, "angle") && strcmp(family, "euler") ? "component needs `coordinates: angle`"
                                                                  : "component needs bodies that can be accelerated by themselves";
    if (!strcmp(formulation, "recursive"))
        return strcmp(family, "joint") ? "works over the joint tree" : "moves nothing that has inertia";
    return "ignorable coordinates";
}

static void a_part_without_mass_moves_alike_in_every_family_and_formulation(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        built truth = compile_light(i, 0, "angle", "lagrange");
        if (!truth.system)
            fail_msg("%s: %s", models[i].what, truth.error);
        dal_state *state = dal_state_create(NULL, truth.system);
        int n = 0;
        double worst = 0;
        for (int f = 0; f < 5; f++)
            for (int k = 0; dal_formulations[k]; k++) {
                built other = compile_light(i, 0, families[f], dal_formulations[k]->name);
                char label[300];
                snprintf(label, sizeof label, "%s, %s, %s", models[i].what, families[f], dal_formulations[k]->name);
                if (!other.system) {
                    expect(label, other.error, why_refused(dal_formulations[k]->name, families[f]));
                    continue;
                }
                uint64_t seed = 17;
                int compared = 0;
                dal_state *twin = dal_state_create(NULL, other.system);
                for (int s = 0; s < 3; s++) {
                    if (!gallery_random_state(state, &seed, 0.2 * s, s ? 0.05 : 0, 4))
                        continue;
                    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                    gallery_copy_motion(state, twin);
                    if (dal_state_evaluate(twin, NULL))
                        fail_msg("%s: %s", label, twin->report->trouble);
                    double gap = difference(state, twin, true);
                    worst = fmax(worst, gap);
                    if (!(gap < 1e-11))
                        fail_msg("%s: accelerations or reactions differ by %.3g (relative)", label, gap);
                    compared++;
                }
                assert_true(compared >= 2);
                n++;
                dal_state_free(twin);
                dal_system_free(other.system);
            }
        print_message("  %-50s %2d choices agree to %.1e\n", models[i].what, n, worst);
        assert_true(n >= 4 * (ALLOWED - 1));
        dal_state_free(state);
        dal_system_free(truth.system);
    }
}

/* a(e) = a(0) + O(e): at a thousandth of the mass the miss is a thousandth. */
static void no_mass_is_the_limit_of_small_masses(void **unused)
{
    (void)unused;
    static const char *const able[] = {"lagrange", "udwadia-phohomsiri"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int f = 0; f < 5; f++)
            for (int k = 0; k < 2; k++) {
                double miss[2];
                built none = compile_light(i, 0, families[f], able[k]);
                assert_non_null(none.system);
                dal_state *state = dal_state_create(NULL, none.system);
                uint64_t seed = 3;
                assert_true(gallery_random_state(state, &seed, 0.1, 0.05, 3));
                assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                for (int e = 0; e < 2; e++) {
                    built light = compile_light(i, e ? 1e-7 : 1e-4, families[f], able[k]);
                    if (!light.system)
                        fail_msg("%s", light.error);
                    dal_state *twin = dal_state_create(NULL, light.system);
                    gallery_copy_motion(state, twin);
                    assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
                    miss[e] = difference(state, twin, true);
                    dal_state_free(twin);
                    dal_system_free(light.system);
                }
                if (!(miss[0] < 0.1 && miss[1] < 2e-3 * miss[0] + 1e-11))
                    fail_msg("%s, %s, %s: misses by %.3g with 1e-4 kg and by %.3g with 1e-7 kg", models[i].what, families[f], able[k], miss[0],
                             miss[1]);
                dal_state_free(state);
                dal_system_free(none.system);
            }
}

/* Importers write 1e-15 for a missing mass. It changes nothing, and nothing breaks. */
static void a_mass_of_rounding_moves_like_no_mass(void **unused)
{
    (void)unused;
    static const char *const able[] = {"lagrange", "udwadia-phohomsiri"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int f = 0; f < 5; f++)
            for (int k = 0; k < 2; k++) {
                built none = compile_light(i, 0, families[f], able[k]), light = compile_light(i, 1e-15, families[f], able[k]);
                if (!none.system || !light.system)
                    fail_msg("%s, %s: %s%s", models[i].what, families[f], none.error, light.error);
                dal_state *state = dal_state_create(NULL, none.system), *twin = dal_state_create(NULL, light.system);
                assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                gallery_copy_motion(state, twin);
                assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
                check_small(difference(state, twin, true), 1e-11);
                dal_state_free(state), dal_state_free(twin);
                dal_system_free(none.system), dal_system_free(light.system);
            }
}

/* A floating chain that is large enough to be solved without M: each formulation against the articulated bodies of `recursive`, in the plane and on
 * balls in space. */
static void large_open_trees_move_alike_under_every_formulation(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "dalembert: 1\nspace: planar\nbodies:\n  link: {mass: \"1 + 0.1*mod(i, 3)\", inertia: 0.07, angle: \"0.3*sin(i) - 1\", rate: cos(2*i), "
        "points: {A: [-0.2, 0.05], B: [0.3, 0]}, repeat: {i: 1..20}}\njoints:\n"
        "  A: {type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], repeat: {i: 2..20}}\n",
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  link: {mass: \"1 + 0.1*mod(i, 3)\", inertia: [0.07, 0.05, 0.09], "
        "angular-velocity: [cos(2*i), sin(i), 0.3], points: {A: [-0.2, 0.05, 0], B: [0.3, 0, 0.1]}, repeat: {i: 1..20}}\njoints:\n"
        "  A: {type: spherical, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], repeat: {i: 2..20}}\n"};
    static const char *const choices[] = {
        "coordinates=joint stabilization=none formulation=lagrange", "coordinates=joint stabilization=none formulation=kane",
        "coordinates=joint stabilization=none formulation=gibbs-appell", "coordinates=joint stabilization=none formulation=volterra",
        "coordinates=joint stabilization=none formulation=volterra-reduced"};
    for (int t = 0; t < 2; t++) {
        built tree = compile_text(texts[t], "coordinates=joint formulation=recursive");
        if (!tree.system)
            fail_msg("%s", tree.error);
        dal_state *state = dal_state_create(NULL, tree.system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        for (int i = 0; i < 5; i++) {
            built other = compile_text(texts[t], choices[i]);
            if (!other.system)
                fail_msg("%s: %s", choices[i], other.error);
            assert_true(other.system->layout.columnless);
            dal_state *twin = dal_state_create(NULL, other.system);
            assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
            check_small(difference(state, twin, false), 1e-10);
            dal_state_free(twin);
            dal_system_free(other.system);
        }
        dal_state_free(state);
        dal_system_free(tree.system);
    }
}

/* Of the inertia of the freedoms, at unit diagonal: what rounding is multiplied by where coordinates move several bodies. */
static double condition_of_freedoms(dal_state *kane)
{
    assert_true(dal_state_widen(kane)); /* large open trees are solved without K */
    dal_need(kane, DAL_STAGE_LOADS);
    assert_int_equal(kane->system->method.formulation->solve(kane), 0);
    const int p = kane->speeds->basis->p;
    const size_t n = (size_t)p;
    const double *own = kane->speeds->basis->K;
    double *K = calloc(n * n, sizeof *K), *values = calloc(n, sizeof *values), *work = calloc(dal_rank_work(p, p), sizeof *work);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            K[i * n + k] = K[k * n + i] = own[i * n + k] / sqrt(own[i * n + i] * own[k * n + k]);
    assert_int_equal(dal_symmetric_eigen(K, p, p, values, NULL, work), 0);
    double condition = values[p - 1] / values[0];
    free(K), free(values), free(work);
    return condition;
}

/* Every second link has no mass, 45 links: the saddle matrix is sparse, with zeros on its diagonal. The tree of joints is the truth. */
static void a_long_chain_with_massless_links_moves_like_its_tree(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0.4, -9.81]\nbodies:\n"
                               "  link: {mass: \"1.3*mod(i, 2)\", inertia: \"0.07*mod(i, 2)\", angle: \"0.3*sin(i) - 1\", "
                               "rate: cos(2*i), points: {A: [-0.2, 0.05], B: [0.3, 0]}, "
                               "repeat: {i: 1..45}}\njoints:\n  pivot: {type: revolute, connect: [ground, link.1.A]}\n"
                               "  A: {type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], repeat: {i: 2..45}}\n";
    built tree = compile_text(text, "coordinates=joint stabilization=none formulation=kane");
    if (!tree.system)
        fail_msg("%s", tree.error);
    dal_state *state = dal_state_create(NULL, tree.system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    const double condition = condition_of_freedoms(state);
    static const char *const choices[] = {"coordinates=angle formulation=lagrange", "coordinates=natural formulation=lagrange",
                                          "coordinates=joint stabilization=none formulation=lagrange",
                                          "coordinates=angle formulation=udwadia-phohomsiri", "coordinates=joint formulation=udwadia-phohomsiri"};
    for (int i = 0; i < 5; i++) {
        built other = compile_text(text, choices[i]);
        if (!other.system)
            fail_msg("%s: %s", choices[i], other.error);
        dal_state *twin = dal_state_create(NULL, other.system);
        gallery_copy_motion(state, twin);
        assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
        double gap = difference(state, twin, false);
        print_message("  %-50s differs by %.1e, condition %.1e\n", choices[i], gap, condition);
        if (!(gap < 10 * DBL_EPSILON * condition))
            fail_msg("%s: accelerations differ by %.3g", choices[i], gap);
        dal_state_free(twin);
        dal_system_free(other.system);
    }
    dal_state_free(state);
    dal_system_free(tree.system);
}

/* The same part free at its outer end: nothing tells its turn, whatever the attitude. A mass of rounding does not either. */
static void a_free_end_without_mass_is_refused_by_name_with_the_rank(void **unused)
{
    (void)unused;
    static const char *const able[] = {"lagrange", "udwadia-phohomsiri"};
    uint64_t seed = 6;
    for (int n = 0; n < 12; n++) {
        const double turn = n ? 3 * check_random(&seed) : 1.3821205534026042; /* Euler parameters leave a pivot of 1e-11 there */
        for (int f = 0; f < 5; f++)
            for (int k = 0; k < 2; k++) {
                char text[1500], settings[100];
                const double mass = n % 3 == 2 ? 1e-18 : 0;
                const bool space = n % 2;
                const char *head = space ? "spatial" : "planar";
                if (space)
                    snprintf(text, sizeof text,
                             "dalembert: 1\nspace: %s\nbodies:\n"
                             "  arm: {mass: 1.37, inertia: [0.2, 0.3, 0.25], orientation: {euler-zyx: [%.17g, 0.4, -0.7]}, "
                             "points: {A: [-0.4, 0.1, 0], B: [0.5, 0.1, 0.2]}}\n"
                             "  tip: {mass: %.17g, inertia: [0, 0, 0], orientation: {euler-zyx: [0.3, %.17g, 0.2]}, "
                             "points: {B: [-0.2, 0.1, 0]}}\n"
                             "joints:\n  A: {type: spherical, connect: [ground, arm.A]}\n  B: {type: spherical, connect: [arm.B, tip.B]}\n",
                             head, turn, mass, 0.4 * turn);
                else
                    snprintf(text, sizeof text,
                             "dalembert: 1\nspace: %s\nbodies:\n"
                             "  arm: {mass: 1.37, inertia: 0.21, angle: %.17g, points: {A: [-0.4, 0], B: [0.5, 0.1]}}\n"
                             "  tip: {mass: %.17g, inertia: 0, angle: %.17g, points: {B: [-0.2, 0.1]}}\n"
                             "joints:\n  A: {type: revolute, connect: [ground, arm.A]}\n  B: {type: revolute, connect: [arm.B, tip.B]}\n",
                             head, turn, mass, -0.8 * turn);
                snprintf(settings, sizeof settings, "coordinates=%s formulation=%s", families[f], able[k]);
                built b = compile_text(text, settings);
                if (b.system)
                    fail_msg("%s, %s, mass %g: is not refused", head, settings, mass);
                expect(settings, b.error, "are not determined: rank [M; A] is ");
                expect(settings, b.error, f == 4 ? "B" : "'tip'");
            }
    }
}

/* A formulation that needs W^T M W regular says that in its own name. */
static void formulations_with_speeds_say_what_is_singular(void **unused)
{
    (void)unused;
    static const char *const names[] = {"maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char settings[60];
        snprintf(settings, sizeof settings, "formulation=%s", names[i]);
        built b = compile_text(SPRINGS(0, 3.1), settings);
        assert_null(b.system);
        expect(names[i], b.error, "are not determined: rank [M; A] is 2, and 3 is needed");
    }
}

/* ---- where the mass matrix is regular -------------------------------------------------- */

/* Condition of a block of the equations with as many columns as there are velocities, and of the rows of A below it if asked: in metres,
 * masses over that of the model. */
static double condition_of(dal_state *state, const char *block, bool rows)
{
    const dal_layout *layout = &state->system->layout;
    const size_t m = (size_t)layout->nv, r = rows ? (size_t)layout->n_rows : 0, n = m + r;
    const double *S = state->system->layout.units.column_scale;
    dal_equations *e = NULL;
    assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
    double *K = calloc(n * m, sizeof *K), *sigma = calloc(m + n, sizeof *sigma);
    double *work = calloc(dal_rank_work((int)n, (int)m), sizeof *work);
    for (int b = 0; b < e->n_blocks; b++)
        for (size_t i = 0; !strcmp(e->blocks[b].name, block) && i < m; i++)
            for (size_t j = 0; j < m; j++)
                K[i * m + j] = e->blocks[b].values[i * m + j] / (state->system->layout.units.mass * S[i] * S[j]);
    if (rows)
        dal_scaled_rows(state, K + m * m, NULL);
    int rank = dal_rank_svd(K, (int)n, (int)m, (int)m, 0, sigma, NULL, NULL, work);
    double condition = rank == (int)m ? sigma[0] / sigma[m - 1] : INFINITY;
    free(K), free(sigma), free(work);
    dal_equations_free(e);
    return condition;
}

/* The one multiplies rounding by the condition of M, the other by that of the stacked matrix. */
static void both_equations_of_udwadia_agree_where_the_mass_matrix_is_regular(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    double worst = 0, relative = 0;
    int n = 0;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char why[512];
            uint64_t seed = 99;
            dal_system *kalaba = gallery_compile(g.found.gl_pathv[i], gallery_families[f]->name, "udwadia-kalaba", why);
            if (!kalaba)
                continue;
            dal_system *phohomsiri = gallery_compile(g.found.gl_pathv[i], gallery_families[f]->name, "udwadia-phohomsiri", why);
            if (!phohomsiri)
                fail_msg("%s", why);
            dal_state *a = dal_state_create(NULL, kalaba), *b = dal_state_create(NULL, phohomsiri);
            for (int s = 0; s < 3; s++) {
                if (!gallery_random_state(a, &seed, 0.1 * s, s ? 0.05 : 0, 5))
                    continue;
                assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
                gallery_copy_motion(a, b);
                assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
                double gap = difference(a, b, false), condition = condition_of(a, "M", false) + condition_of(b, "P M", true);
                worst = fmax(worst, gap);
                relative = fmax(relative, gap / (DBL_EPSILON * condition));
                if (!(gap <= 1e-11 && gap <= 100 * DBL_EPSILON * condition))
                    fail_msg("%s, %s: differ by %.3g, the condition is %.3g", g.found.gl_pathv[i], gallery_families[f]->name, gap, condition);
                n++;
            }
            dal_state_free(a), dal_state_free(b);
            dal_system_free(kalaba), dal_system_free(phohomsiri);
        }
    print_message("  %d states: differ by %.1e or less, %.1f eps cond or less\n", n, worst, relative);
    assert_true(n > 3 * (int)g.n);
    gallery_close(&g);
}

/* The block of that name. */
static const dal_equation_block *block_of(const dal_equations *e, const char *name)
{
    for (int b = 0; b < e->n_blocks; b++)
        if (!strcmp(e->blocks[b].name, name))
            return &e->blocks[b];
    fail_msg("there is no block '%s'", name);
    return NULL;
}

/* Does v' satisfy A v' = gamma, and N^T (M v' + h - Q - C) = 0 on a basis N of the virtual displacements? (2.4), (2.6), (2.8), (2.11). */
static void expect_balance(const dal_equations *e, const double *C, const double *vd, const char *label)
{
    const dal_equation_block *M = block_of(e, "M"), *Q = block_of(e, "Q - h"), *A = block_of(e, "A"), *gamma = block_of(e, "gamma");
    enum { MOST = 20 };
    const int m = M->rows, k = A->rows;
    double rows[MOST * MOST], sigma[2 * MOST], N[MOST * MOST], *work = calloc(dal_rank_work(k, m), sizeof *work);
    assert_true(m <= MOST && k <= MOST);
    for (int i = 0; i < k; i++) {
        double miss = -gamma->values[i];
        for (int j = 0; j < m; j++)
            miss += A->values[i * m + j] * vd[j];
        check_small(miss, 1e-10);
    }
    memcpy(rows, A->values, sizeof *rows * (size_t)(k * m));
    assert_int_equal(dal_rank_svd(rows, k, m, m, 1e-10, sigma, N, NULL, work), k);
    for (int n = 0; n < m - k; n++) {
        double sum = 0;
        for (int i = 0; i < m; i++) {
            double force = -Q->values[i] - C[i];
            for (int j = 0; j < m; j++)
                force += M->values[i * m + j] * vd[j];
            sum += N[n * m + i] * force;
        }
        if (!(fabs(sum) <= 1e-9))
            fail_msg("%s: a virtual displacement does the work %.3g", label, sum);
    }
    free(work);
}

/* What non-ideal joints and constraints say is the work of their forces under virtual displacements: w . C is the sum of each law times what w
 * makes of its channel. C is written here by hand, in x', y', angle' of each body; with a body that has no mass, too. */
static void a_law_does_its_work_under_virtual_displacements(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0.3, -9.81]\nparameters: {on: 1, light: 1}\n"
        "bodies:\n"
        "  a: {mass: 1.37*light, inertia: 0.21*light, angle: 0.7, rate: 1.1, center: [0.4, 0.1], points: {P: [0.83, 0]}}\n"
        "  b: {mass: 0.91, inertia: 0.13, position: [0.83*cos(0.7), 0.83*sin(0.7)], angle: -0.3, rate: -0.6, center: [0.3, -0.2],\n"
        "      points: {P: [0.61, 0]}}\n"
        "  c: {mass: 0.77, inertia: 0.05, position: [0.83*cos(0.7) + 0.61*cos(0.3), 0.83*sin(0.7) - 0.61*sin(0.3)], rate: 0.9}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, a], non-ideal: {angle: \"-0.4*on*A.angle' + 0.2*on*sin(b.x)\", b.y: 1.7*on}}\n"
        "  B: {type: revolute, connect: [a.P, b], non-ideal: {angle: \"-0.3*on*B.angle'^3\"}}\n"
        "  C: {type: revolute, connect: [b.P, c]}\n"
        "constraints: {tie: {velocity: \"c.x' - 0.4*c.angle' - 0.1*a.angle'\", non-ideal: {c.x: \"on*(0.6*t - c.y')\"}}}\n"
        "simulate: {until: 1}\n";
    static const char *const formulations[] = {"lagrange", "udwadia-phohomsiri", "udwadia-kalaba", "kane", "maggi"};
    (void)unused;
    for (int light = 0; light < 2; light++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
            char number[8], settings[100];
            snprintf(number, sizeof number, "%d", light);
            if (!light && !strcmp(formulations[f], "udwadia-kalaba")) /* needs a regular M */
                continue;
            const dal_override with[] = {{"light", number}}, without[] = {{"light", number}, {"on", "0"}};
            dal_system *systems[2];
            for (int k = 0; k < 2; k++) { /* ideal ones tell M, Q, A, gamma; the others are asked */
                dal_messages *messages = dal_messages_create(NULL);
                dal_spec *spec = NULL;
                dal_status status = dal_spec_parse(NULL, "text", text, strlen(text), k ? 1 : 2, k ? with : without, messages, &spec);
                snprintf(settings, sizeof settings, "coordinates=angle formulation=%s", k ? formulations[f] : "udwadia-phohomsiri");
                built b = compile(status, spec, messages, settings);
                if (!b.system)
                    fail_msg("%s: %s", settings, b.error);
                systems[k] = b.system;
            }
            dal_state *ideal = dal_state_create(NULL, systems[0]), *real = dal_state_create(NULL, systems[1]);
            uint64_t seed = 41;
            assert_true(gallery_random_state(ideal, &seed, 0.37, 0.2, 2));
            assert_int_equal(dal_state_evaluate(ideal, NULL), DAL_OK);
            gallery_copy_motion(ideal, real);
            assert_int_equal(dal_state_evaluate(real, NULL), DAL_OK);
            const dal_motion a = dal_state_body(real, 0), b = dal_state_body(real, 1), c = dal_state_body(real, 2);
            const double A = -0.4 * a.omega[2] + 0.2 * sin(b.position[0]), rate = b.omega[2] - a.omega[2], B = -0.3 * rate * rate * rate;
            const double C[9] = {0, 0, A - B, 0, 1.7, B, 0.6 * 0.37 - c.velocity[1], 0, 0};
            dal_equations *e = NULL;
            assert_int_equal(dal_equations_create(NULL, ideal, NULL, &e), DAL_OK);
            expect_balance(e, C, real->vd, settings);
            dal_equations_free(e);
            dal_state_free(ideal), dal_state_free(real);
            dal_system_free(systems[0]), dal_system_free(systems[1]);
        }
}

static void a_model_that_is_too_large_is_refused_with_its_size(void **unused)
{
    (void)unused;
    built b = compile_text("dalembert: 1\nspace: planar\nbodies: {p: {mass: 1, position: [0.1*i, 0], repeat: {i: 1..301}}}\n",
                           "formulation=udwadia-phohomsiri");
    assert_null(b.system);
    expect("size", b.error, "takes up to 600 velocities; this model has 602 in the family angle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_paper_accelerate_as_its_closed_forms_say),
        cmocka_unit_test(udwadia_and_kalaba_name_what_makes_the_mass_matrix_of_the_examples_singular),
        cmocka_unit_test(the_examples_of_the_paper_move_as_the_reference_solutions),
        cmocka_unit_test(without_its_additional_constraint_a_case_of_the_paper_is_refused_with_what_is_missing),
        cmocka_unit_test(the_least_acceleration_of_example_2_leaves_the_massless_particle_alone),
        cmocka_unit_test(a_run_with_the_least_accelerations_ends_where_it_has_to),
        cmocka_unit_test(the_least_accelerations_are_least_in_metres),
        cmocka_unit_test(a_choice_that_cannot_give_the_least_acceleration_says_so),
        cmocka_unit_test(a_force_that_nothing_resists_is_told),
        cmocka_unit_test(a_rank_that_changes_stops_the_run_with_a_sentence),
        cmocka_unit_test(a_part_without_mass_moves_alike_in_every_family_and_formulation),
        cmocka_unit_test(no_mass_is_the_limit_of_small_masses),
        cmocka_unit_test(a_mass_of_rounding_moves_like_no_mass),
        cmocka_unit_test(large_open_trees_move_alike_under_every_formulation),
        cmocka_unit_test(a_long_chain_with_massless_links_moves_like_its_tree),
        cmocka_unit_test(a_free_end_without_mass_is_refused_by_name_with_the_rank),
        cmocka_unit_test(formulations_with_speeds_say_what_is_singular),
        cmocka_unit_test(both_equations_of_udwadia_agree_where_the_mass_matrix_is_regular),
        cmocka_unit_test(a_law_does_its_work_under_virtual_displacements),
        cmocka_unit_test(a_model_that_is_too_large_is_refused_with_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
