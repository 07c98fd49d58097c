/* Starts that leave something open, and runs that lead nowhere: each ends with the reason, by name; what only looks like one goes on.
 * doc/silent-failures.md has the list. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "trajectory.h"

static const char *const families[] = {"angle", "euler", "natural", "joint"};
enum { FAMILIES = sizeof families / sizeof *families, HEARD = 4000 };

typedef struct outcome {
    dal_status status;
    dal_evidence evidence;
    char heard[HEARD]; /* every message, a line each: "[code] text.yaml:3:4: error: ..." */
    double number;     /* of the last warning that has one */
    double last[8];    /* the last row */
} outcome;

static dal_status keep_last(void *user, int n, const double *values)
{
    outcome *o = user;
    memcpy(o->last, values, sizeof *values * (size_t)(n < 8 ? n : 8));
    return DAL_OK;
}

static dal_status begin_last(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static void hear(outcome *o, const dal_message *m)
{
    for (; m; m = m->next) {
        size_t used = strlen(o->heard);
        char text[1200];
        dal_message_format(m, text, sizeof text);
        snprintf(o->heard + used, HEARD - used, "[%s] %s\n", m->code ? m->code : "", text);
        if (m->code && isfinite(m->number))
            o->number = m->number;
    }
}

/* Reads, compiles and runs; settings as in set_all. */
static outcome go(const char *text, const char *settings)
{
    outcome o = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    const dal_sink sink = {&o, begin_last, keep_last};
    const dal_run_options options = {.sink = &sink};
    o.status = dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (o.status == DAL_OK) {
        set_all(spec, settings, messages);
        o.status = dal_compile(NULL, spec, messages, &system);
    }
    dal_spec_free(spec); /* a run does without it */
    if (o.status == DAL_OK)
        o.status = dal_run(system, &options, messages, &o.evidence);
    hear(&o, dal_messages_first(messages));
    dal_system_free(system);
    dal_messages_free(messages);
    return o;
}

/* Is there this integrator here? */
static bool has(const char *integrator)
{
    char settings[100];
    snprintf(settings, sizeof settings, "integrator=%s", integrator);
    outcome o = go("dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0]}}\nsimulate: {until: 1}\n", settings);
    return o.status == DAL_OK;
}

#define EXPECT(o, wanted, words)                                                                                                                     \
    do {                                                                                                                                             \
        if ((o).status != (wanted) || !strstr((o).heard, words))                                                                                     \
            fail_msg("status %d, '%s' wanted in:\n%s", (int)(o).status, words, (o).heard);                                                           \
    } while (0)
#define EXPECT_NOT(o, words)                                                                                                                         \
    do {                                                                                                                                             \
        if (strstr((o).heard, words))                                                                                                                \
            fail_msg("'%s' in:\n%s", words, (o).heard);                                                                                              \
    } while (0)

/* ---- directions ---------------------------------------------------------------------------------- */

#define ONE                                                                                                                                          \
    "dalembert: 1\nspace: planar\nsimulate: {until: 3}\nbodies: {a: {mass: 1, inertia: 0.1, position: [0.3, -2]}}\nground: {points: {P: [0.3, "      \
    "-2]}}\n"
#define TWO                                                                                                                                          \
    "dalembert: 1\nspace: spatial\nsimulate: {until: 3}\nbodies:\n  a: {mass: 1, inertia: [1, 2, 2], position: [1, 0, 0], points: {P: [0.1, 0, "     \
    "0.2]}}\n"                                                                                                                                       \
    "  b: {mass: 2, inertia: [1, 2, 2], position: [1.1, 0, 0.2]}\n"

static void a_force_without_a_direction_is_refused_by_name(void **unused)
{
    static const char *const texts[] = {
        ONE "forces: {s: {type: spring-damper, connect: [ground.P, a], stiffness: 10, length: 0.5}}\n",
        TWO "forces: {s: {type: spring-damper, connect: [a.P, b], stiffness: 10, damping: 1, length: 0.5}}\n",
        ONE "forces: {s: {type: spring-damper, connect: [ground.P, a], value: 3 + t}}\n",
        TWO "forces: {s: {type: force, connect: [b, a.P], value: 7}}\n",
        ONE "forces: {s: {type: end-stop, connect: [a, ground.P], lower: 0.2, stiffness: 100}}\n",
        /* gravity beside it leaves two ways: down, and up where the spring is the stronger */
        ONE "gravity: [0, -9.81]\nforces: {s: {type: spring-damper, connect: [ground.P, a], stiffness: 100, length: 0.5}}\n",
    };
    static const char *const methods[] = {"integrator=dopri5", "integrator=rk4 step=0.01"};
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char settings[100];
            if (!strcmp(families[f], "angle") && strstr(texts[i], "spatial"))
                continue;
            snprintf(settings, sizeof settings, "coordinates=%s %s", families[f], methods[(i + (size_t)f) % 2]);
            outcome o = go(texts[i], settings);
            EXPECT(o, DAL_NUMERICAL, "at t = 0: the force of 's'");
            EXPECT(o, DAL_NUMERICAL, "[no-direction] text.yaml:"); /* a warning with its place, which check and eval have, too */
        }
}

static void check_knows_of_a_force_without_a_direction(void **unused)
{
    (void)unused;
    const char *text = ONE "forces: {s: {type: spring-damper, connect: [ground.P, a], stiffness: 10, length: 0.5}}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_verdict *verdict = NULL;
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_check(spec, NULL, messages, &verdict), DAL_OK);
    assert_int_equal(verdict->n_warnings, 1);
    assert_string_equal(verdict->warnings[0]->code, "no-direction");
    check_close(verdict->warnings[0]->number, 5, 1e-12);
    dal_verdict_free(verdict);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* Forces that vanish there, moments, and springs that begin to move: x'' = -k (x - l) / m from x = 0 with v. */
static void what_has_a_direction_there_goes_on(void **unused)
{
    static const char *const silent[] = {
        ONE "forces: {s: {type: spring-damper, connect: [ground.P, a], stiffness: 10, damping: 1, length: 0}}\n",
        ONE "forces: {s: {type: torque, connect: [ground.P, a], value: 3}}\n",
        ONE "forces: {s: {type: clearance, connect: [ground.P, a], gap: 0.1, stiffness: 100}}\n",
        ONE "forces: {s: {type: end-stop, connect: [ground.P, a], upper: 0.1, stiffness: 100}}\n",
        TWO "forces: {s: {type: bushing, connect: [a.P, b], stiffness: [1, 1, 1, 1, 1, 1]}}\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        outcome o = go(silent[i], "");
        EXPECT(o, DAL_OK, "");
        EXPECT_NOT(o, "no-direction");
    }
    outcome o = go("dalembert: 1\nspace: planar\nsimulate: {until: 0.5, rtol: 1e-9, atol: 1e-11}\nbodies: {a: {mass: 1, velocity: [0.6, 0.8]}}\n"
                   "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 10, length: 0.5}}\nrecord: [a.x, a.y]\n",
                   "");
    EXPECT(o, DAL_OK, "[no-direction]");
    const double w = sqrt(10), x = 0.5 * (1 - cos(0.5 * w)) + sin(0.5 * w) / w;
    check_close(o.last[1], 0.6 * x, 1e-7);
    check_close(o.last[2], 0.8 * x, 1e-7);
}

/* x = l + (x0 - l) cos w t is at 0 when cos w t = -l / (x0 - l). */
static void points_that_meet_under_a_force_are_reported_with_the_time(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\nsimulate: {until: 1, rtol: 1e-9, atol: 1e-11}\nbodies: {a: {mass: 1, position: [2, 0], velocity: [0, %s]}}\n"
        "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 10, length: %s}}\n";
    static const char *const methods[] = {"integrator=dopri5", "integrator=rk4 step=0.001"};
    const double when = acos(-0.5 / 1.5) / sqrt(10);
    char model[600];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(model, sizeof model, text, "0", "0.5");
        outcome o = go(model, methods[i]);
        EXPECT(o, DAL_OK, "[points-met]");
        EXPECT(o, DAL_OK, "'s'");
        check_close(o.number, when, 0.02);
        snprintf(model, sizeof model, text, "0", "0"); /* no force there */
        o = go(model, methods[i]);
        EXPECT(o, DAL_OK, "");
        EXPECT_NOT(o, "points-met");
        snprintf(model, sizeof model, text, "1", "0.5"); /* they come by */
        o = go(model, methods[i]);
        EXPECT(o, DAL_OK, "");
        EXPECT_NOT(o, "points-met");
    }
}

/* ---- singular starts ------------------------------------------------------------------------------ */

#define BARS(rate, until)                                                                                                                            \
    "dalembert: 1\nspace: planar\nground: {points: {D: [1, 0]}}\ngravity: [0, -9.81]\nsimulate: {until: " until "}\nbodies:\n"                       \
    "  a: {mass: 1, inertia: .1, position: [0.5, 0], rate: " rate ", points: {A: [-.5, 0], B: [.5, 0]}}\n"                                           \
    "  b: {mass: 1, inertia: .1, position: [1.5, 0], rate: 0, points: {A: [-.5, 0], B: [.5, 0]}}\n"                                                  \
    "  c: {mass: 1, inertia: .1, position: [1.5, 0], rate: " rate ", points: {A: [-.5, 0], B: [.5, 0]}}\n"                                           \
    "joints:\n  A: {type: revolute, connect: [ground, a.A]}\n  B: {type: revolute, connect: [a.B, b.A]}\n"                                           \
    "  C: {type: revolute, connect: [b.B, c.B]}\n  D: {type: revolute, connect: [ground.D, c.A]}\n"

static const char bars_in_space[] =
    "dalembert: 1\nspace: spatial\nground: {points: {D: [1, 0, 0]}}\ngravity: [0, -9.81, 0]\nsimulate: {until: 0.1}\nbodies:\n"
    "  a: {mass: 1, inertia: [.1, .1, .1], position: [0.5, 0, 0], points: {A: [-.5, 0, 0], B: [.5, 0, 0]}}\n"
    "  b: {mass: 1, inertia: [.1, .1, .1], position: [1.5, 0, 0], points: {A: [-.5, 0, 0], B: [.5, 0, 0]}}\n"
    "  c: {mass: 1, inertia: [.1, .1, .1], position: [1.5, 0, 0], points: {A: [-.5, 0, 0], B: [.5, 0, 0]}}\n"
    "joints:\n  A: {type: revolute, axis: [0, 0, 1], connect: [ground, a.A]}\n  B: {type: revolute, axis: [0, 0, 1], connect: [a.B, b.A]}\n"
    "  C: {type: spherical, connect: [b.B, c.B]}\n  D: {type: revolute, axis: [0, 0, 1], connect: [ground.D, c.A]}\n";

/* A crank and a rod of equal length, folded over each other: the slider stands on the pivot. */
static const char folded[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nsimulate: {until: 0.1}\nbodies:\n"
                             "  crank: {mass: 1, inertia: .1, position: [0.5, 0], points: {A: [-.5, 0], B: [.5, 0]}}\n"
                             "  rod: {mass: 1, inertia: .1, position: [0.5, 0], points: {B: [.5, 0], C: [-.5, 0]}}\n  block: {mass: 1, inertia: .1}\n"
                             "joints:\n  A: {type: revolute, connect: [ground, crank.A]}\n  B: {type: revolute, connect: [crank.B, rod.B]}\n"
                             "  C: {type: revolute, connect: [rod.C, block]}\n  guide: {type: prismatic, connect: [ground, block], axis: [0, 1]}\n";

static void a_run_says_that_its_start_is_singular_and_does_not_crawl(void **unused)
{
    const char *const texts[] = {BARS("0", "0.1"), BARS("4", "5"), bars_in_space};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char settings[100];
            if (!strcmp(families[f], "angle") && i == 2)
                continue;
            snprintf(settings, sizeof settings, "coordinates=%s", families[f]);
            outcome o = go(texts[i], settings);
            EXPECT(o, o.status, "[singular-start]");
            check_close(o.number, 1, 0); /* freedom more */
            assert_true(o.evidence.evaluations < 50000);
            if (o.status == DAL_OK && i == 2) { /* one of the motions that may begin there */
                check_small(o.evidence.energy_drift, 1e-7);
                continue;
            }
            EXPECT(o, DAL_NUMERICAL, "error: at t = ");
            EXPECT(o, DAL_NUMERICAL, "singular position, of rank");
        }
    outcome o = go(BARS("0", "0.1"), "integrator=rk4 step=1e-4");
    EXPECT(o, DAL_NUMERICAL, "[singular-start]");
    o = go(folded, "");
    EXPECT(o, o.status, "[singular-start]");
    if (has("cvode-bdf")) {
        o = go(BARS("0", "0.1"), "integrator=cvode-bdf");
        EXPECT(o, DAL_NUMERICAL, "[singular-start]");
        o = go(BARS("0", "0.1"), "integrator=cvode-adams");
        EXPECT(o, DAL_NUMERICAL, "[singular-start]");
    }
}

/* Rows too many are no singular position, and a dead centre of unequal bars is none. */
static void a_regular_start_is_not_called_singular(void **unused)
{
    trajectory four = run_well("n-four-bar", "N=2", NULL, "until=0.01"), spatial = run_well("bricard", NULL, NULL, "until=0.01");
    (void)unused;
    assert_int_equal(four.evidence.n_warnings + spatial.evidence.n_warnings, 0);
    free(four.value);
    free(spatial.value);
}

/* ---- no progress ---------------------------------------------------------------------------------- */

#define BODY "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}\n"

static void a_run_that_leads_nowhere_ends_with_the_reason(void **unused)
{
    static const struct {
        const char *text, *words;
    } runs[] = {
        /* faster and faster towards t = 1: steps shrink with the square of what is left */
        {BODY "states: {x: {start: 0, rate: 1/(1 - t)^2*cos(1/(1 - t))}}\nsimulate: {until: 3}\n", "state 'x' changes fastest"},
        /* x = 1/(1 - t) */
        {BODY "states: {grows: {start: 1, rate: grows^2}}\nsimulate: {until: 3}\n", "state 'grows' changes fastest"},
        /* into the centre */
        {BODY "forces: {sun: {type: central-gravity, mu: 1}}\nsimulate: {until: 3}\n", "changes fastest"},
        /* to and fro over 5e-13 m every 2e-8 s */
        {"dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [5e-13, 0]}}\nforces: {F: {type: force, body: a, value: [-1e4*sign(a.x), "
         "0]}}\n"
         "simulate: {until: 10}\n",
         "no progress: 'sign(a.x)' switches"},
        /* |lambda| = 1e14 /s */
        {BODY "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 1e16, damping: 1e14, length: 0.9}}\nsimulate: {until: 10}\n",
         "cvode-bdf"},
        /* rough at every scale that a step can see */
        {BODY "states: {x: {start: 0, rate: sin(1e13*t) + sin(1.7e12*t)}}\nsimulate: {until: 100, rtol: 1e-13, atol: 1e-15}\n", "no progress"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (!check_chosen((int)i, 2))
            continue;
        outcome o = go(runs[i].text, "");
        EXPECT(o, DAL_NUMERICAL, runs[i].words);
        assert_true(o.evidence.evaluations < 2000000);
    }
}

/* Ten thousand swings of 1e-7 s about t = 1, and nothing before and after; a long motion in small steps; many events. */
static void hard_stretches_and_long_runs_go_on(void **unused)
{
    static const char *const texts[] = {
        BODY "states: {x: {start: 0, rate: exp(-((t - 1)/2e-4)^2)*1e7*cos(6e7*t)}}\nsimulate: {until: 30, max-step: 1e-4}\n",
        BODY
        "gravity: [0, -9.81]\njoints: {p: {type: revolute, connect: [ground, a]}}\nforces: {s: {type: torque, joint: p, value: -100*p.angle - 1}}\n"
        "simulate: {until: 300, rtol: 1e-9}\n",
        BODY "forces: {F: {type: force, body: a, value: [-100*sign(a.x), 0]}}\nsimulate: {until: 300, rtol: 1e-5, atol: 1e-5}\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!check_chosen((int)i + 1, 3))
            continue;
        outcome o = go(texts[i], "");
        EXPECT(o, DAL_OK, "");
        EXPECT_NOT(o, "no progress");
        EXPECT_NOT(o, "[stiff]");
        assert_true(o.evidence.steps > 8192 || i == 2);
    }
}

static void a_stiff_run_gets_a_hint_at_a_method_for_it(void **unused)
{
    static const char *const stiff[] = {
        BODY "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 1e6, damping: 1e4, length: 0.9}}\nsimulate: {until: 3}\n",
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {ball: {mass: 0.2, inertia: 0.1}}\nsimulate: {until: 5}\n"
        "joints: {g: {type: prismatic, connect: [ground, ball], axis: [0, 1], start: {distance: 1}}}\n"
        "forces: {bump: {type: end-stop, joint: g, lower: 0, stiffness: 1e8, restitution: 0.5}}\n",
    };
    (void)unused;
    for (int i = 0; i < 2; i++) {
        outcome o = go(stiff[i], "");
        EXPECT(o, DAL_OK, "[stiff]");
        EXPECT(o, DAL_OK, "cvode-bdf");
        check_close(o.number, (double)o.evidence.steps, 0);
        if (has("cvode-bdf")) {
            outcome other = go(stiff[i], "integrator=cvode-bdf");
            EXPECT(other, DAL_OK, "");
            EXPECT_NOT(other, "[stiff]");
            assert_true(2 * other.evidence.evaluations < o.evidence.evaluations); /* the hint is good advice */
        }
    }
}

/* ---- what is no number -------------------------------------------------------------------------------- */

static void what_became_no_number_is_named_with_its_line(void **unused)
{
    static const struct {
        const char *text, *place, *words;
    } runs[] = {
        {BODY "forces:\n  F: {type: force, body: a, value: [0, sqrt(1 - t)]}\nsimulate: {until: 3}\n",
         "text.yaml:5:", "'sqrt(1 - t)' became not a number"},
        {BODY "states:\n  x: {start: 1, rate: -1}\n  y: {start: 0, rate: x*log(x)}\nsimulate: {until: 3}\n",
         "text.yaml:6:", "the rate of state y, 'x*log(x)' became not a number"},
        {BODY "joints:\n  p: {type: revolute, connect: [ground, a], drive: (1 - t)^3.5}\nsimulate: {until: 3}\n",
         "text.yaml:5:", "the drive of joint 'p'"},
        {BODY "define:\n  root: (2 - a.x)^2.5\nforces:\n  F: {type: force, body: a, value: [1, 0]}\n  G: {type: force, body: a, value: [0, root]}\n"
              "simulate: {until: 3}\n",
         "text.yaml:8:", "'root' became not a number"},
    };
    static const char *const methods[] = {"", "integrator=rk4 step=0.01", "coordinates=natural", "coordinates=joint formulation=kane"};
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            if (i == 2 && k == 3)
                continue; /* no freedom, no speeds */
            outcome o = go(runs[i].text, methods[k]);
            EXPECT(o, DAL_NUMERICAL, runs[i].words);
            EXPECT(o, DAL_NUMERICAL, runs[i].place);
        }
}

/* ---- discs and blades ------------------------------------------------------------------------------------ */

static void a_disc_that_falls_flat_and_a_blade_that_stands_up_are_named(void **unused)
{
    static const char model[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nsimulate: {until: 3}\nbodies: {a: {mass: 1, inertia: [1, 1, 1], %s}}\n"
        "joints: {table: {type: %s, connect: [ground, a], normal: [0, 0, 1], %s}}\n";
    static const struct {
        const char *body, *type, *keys, *words;
    } bodies[] = {
        {"orientation: {axis: [0, 1, 0], angle: 80*deg}, velocity: [0.3, 0, 0], angular-velocity: [0, 1, 0]", "skate", "axis: [1, 0, 0]",
         "blade of joint 'table'"},
        {"orientation: {axis: [0, 1, 0], angle: 20*deg}, position: [0, 0, 0.37*sin(20*deg)]", "rolling-disc", "axis: [0, 0, 1], radius: 0.37",
         "disc of joint 'table'"},
    };
    static const char *const ways[] = {"", "formulation=kane", "coordinates=natural formulation=udwadia-kalaba",
                                       "coordinates=joint formulation=gibbs-appell", "integrator=rk4 step=0.003"};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            char text[1000];
            snprintf(text, sizeof text, model, bodies[i].body, bodies[i].type, bodies[i].keys);
            outcome o = go(text, ways[k]);
            EXPECT(o, DAL_NUMERICAL, bodies[i].words);
            assert_true(o.evidence.time_end < 1 && o.evidence.time_end > (i ? 0.47 : 0.17)); /* it does so at 0.478 s and 0.175 s */
        }
    char text[1000];
    snprintf(text, sizeof text, model, "orientation: {axis: [0, 1, 0], angle: 90*deg}", "skate", "axis: [1, 0, 0]");
    outcome o = go(text, "");
    EXPECT(o, DAL_BAD_MODEL, "'table'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_without_a_direction_is_refused_by_name),
        cmocka_unit_test(check_knows_of_a_force_without_a_direction),
        cmocka_unit_test(what_has_a_direction_there_goes_on),
        cmocka_unit_test(points_that_meet_under_a_force_are_reported_with_the_time),
        cmocka_unit_test(a_run_says_that_its_start_is_singular_and_does_not_crawl),
        cmocka_unit_test(a_regular_start_is_not_called_singular),
        cmocka_unit_test(a_run_that_leads_nowhere_ends_with_the_reason),
        cmocka_unit_test(hard_stretches_and_long_runs_go_on),
        cmocka_unit_test(a_stiff_run_gets_a_hint_at_a_method_for_it),
        cmocka_unit_test(what_became_no_number_is_named_with_its_line),
        cmocka_unit_test(a_disc_that_falls_flat_and_a_blade_that_stands_up_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
