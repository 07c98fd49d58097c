/* The model's own units: start values, tolerances and verdicts do not depend on the size of the mechanism; a balance that is lost is reported;
 * warnings are data. */
#include "check.h"
#include "json.h"
#include "text_runs.h"

static const double sizes[] = {1e-12, 1e-9, 1e-6, 1e-3, 5e3, 1e6, 1e9, 1e11, 1e12};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"};
enum { FAMILIES = sizeof families / sizeof *families };

/* ---- start values --------------------------------------------------------------------- */

/* A rod whose rate alone is given: its centre has to move with s / 2. */
static void a_given_rate_is_kept_in_a_rod_of_any_length(void **unused)
{
    (void)unused;
    for (int i = 0; i < SIZES; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char text[600], settings[60];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nparameters: {s: %g}\n"
                     "bodies: {rod: {mass: 1, inertia: s^2/12, angle: 60*deg, rate: 1, points: {O: [-s/2, 0]}}}\n"
                     "joints: {pivot: {type: revolute, connect: [ground, rod.O]}}\n"
                     "simulate: {until: 1, every: 0.5}\nrecord: [rod.angle, rod.omega]\n",
                     sizes[i]);
            snprintf(settings, sizeof settings, "coordinates=%s", families[f]);
            trajectory run = run_text_well(text, settings);
            check_close(last(&run, 1), M_PI / 3 + 1, 1e-7);
            check_close(last(&run, 2), 1, 1e-7);
            free(run.value);
        }
}

/* Two satellites on a boom: the spin of the boom is given, the others follow. */
static void a_boom_of_any_length_keeps_its_spin(void **unused)
{
    (void)unused;
    for (int i = 0; i < SIZES; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\nparameters: {L: %g, w: 0.001}\nbodies:\n"
                 "  boom: {mass: 100, inertia: [100*L^2/12, 100*L^2/12, L^2/1e8], position: [0, 0, 0], angular-velocity: [w, 0, 0], points: {P: [0, "
                 "0, L/2], Q: [0, 0, -L/2]}}\n"
                 "  sat1: {mass: 500, inertia: [L^2/1e7, L^2/1e7, L^2/1e7], position: [0, 0, L/2]}\n"
                 "  sat2: {mass: 500, inertia: [L^2/1e7, L^2/1e7, L^2/1e7], position: [0, 0, -L/2]}\n"
                 "joints:\n  j1: {type: spherical, connect: [boom.P, sat1]}\n  j2: {type: spherical, connect: [boom.Q, sat2]}\n"
                 "simulate: {until: 10, every: 10}\nrecord: [boom.omega.x, sat1.y'/L]\n",
                 sizes[i]);
        trajectory run = run_text_well(text, "");
        check_close(last(&run, 1), 0.001, 1e-9);
        check_close(at(&run, 0, 2), -0.0005, 1e-12);
        free(run.value);
    }
}

/* Closed to rounding: axes of two frames as a file of 17 digits has them. */
static void a_hinge_of_any_size_is_closed(void **unused)
{
    (void)unused;
    for (int i = 0; i < SIZES; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\nparameters: {L: %g, m: 1}\nbodies:\n"
                 "  a: {mass: m, inertia: [m*L^2, m*L^2, m*L^2], position: [0, 0, 0], orientation: {euler-zyx: [0.7, 0.3, -0.4]}, points: {B: {at: "
                 "[L, L/3, L/7], z: [0.1, 0.2, 0.9], x: [0.9, 0, -0.1]}}}\n"
                 "  b: {mass: m, inertia: [m*L^2, m*L^2, m*L^2], points: {B: {at: [0, L/5, 0], z: [0.1, 0.2, 0.9], x: [0.9, 0, -0.1]}}}\n"
                 "joints:\n  A: {type: spherical, connect: [ground, a]}\n  B: {type: revolute, connect: [a.B, b.B], start: {angle: 0.3, rate: 0.2}}\n"
                 "simulate: {until: 1, every: 1}\nrecord: [B.angle]\n",
                 sizes[i]);
        trajectory run = run_text_well(text, "");
        check_close(at(&run, 0, 1), 0.3, 1e-12);
        assert_int_equal(run.evidence.n_warnings, 0);
        free(run.value);
    }
}

/* The crank is given as it has to be; what the rocker is given contradicts it by a hundredth. */
static void a_changed_rate_is_a_warning_with_both_numbers(void **unused)
{
    (void)unused;
    for (int i = 0; i < SIZES; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nparameters: {s: %g}\nground: {points: {D: [2*s, 0]}}\nbodies:\n"
                 "  a: {mass: 1, inertia: s^2/12, position: [0, s/2], angle: 90*deg, rate: 1, fix: true, points: {A: [-s/2, 0], B: [s/2, 0]}}\n"
                 "  b: {mass: 1, inertia: s^2/3, points: {B: [-s, 0], C: [s, 0]}}\n"
                 "  c: {mass: 1, inertia: s^2/12, position: [2*s, s/2], angle: 90*deg, rate: 1.01, points: {D: [-s/2, 0], C: [s/2, 0]}}\n"
                 "joints:\n  A: {type: revolute, connect: [ground, a.A]}\n  B: {type: revolute, connect: [a.B, b.B]}\n"
                 "  C: {type: revolute, connect: [b.C, c.C]}\n  D: {type: revolute, connect: [ground.D, c.D]}\n"
                 "simulate: {until: 0.1}\n",
                 sizes[i]);
        trajectory run = run_text_well(text, "");
        assert_int_equal(run.evidence.n_warnings, 1);
        assert_string_equal(run.warned[0], "start-rate-changed");
        free(run.value);
    }
}

static void a_rate_that_is_thrown_away_is_an_error(void **unused)
{
    (void)unused;
    refused_with("dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, rate: 2}}\njoints: {J: {type: prismatic, connect: [ground, b], "
                 "axis: [1, 0]}}\n",
                 3, 10, "the start angular velocity of 'b' cannot be kept: 2 rad/s are given");
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.5, rate: 3}}\nbodies: {b: {mass: 1, position: [x, 0]}}\nconstraints: {c: "
                 "{position: x - 0.5}}\n",
                 3, 15, "the start rate of coordinate 'x' cannot be kept: 3 is given");
    refused_with("dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {J: {type: rigid, connect: [ground, b]}, K: "
                 "{type: revolute, connect: [ground, b], "
                 "axis: [0, 0, 1], start: {angle: 0, rate: 7}}}\n",
                 0, 0, "the start rate of joint 'K' cannot be kept: 7 is given");
}

/* ---- tolerances and balance ------------------------------------------------------------- */

/* x = 1 + 0.5 cos 10 t in lengths, whatever the length is: the same digits. */
static void an_oscillator_of_any_size_keeps_its_energy(void **unused)
{
    (void)unused;
    static const char *const springs[] = {"{type: spring-damper, connect: [ground, a], stiffness: 100, length: s}",
                                          "{type: spring-damper, joint: g, stiffness: 100, free: s}"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SIZES; i++) {
            char text[600];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nparameters: {s: %g}\nbodies: {a: {mass: 1, inertia: 1, position: [1.5*s, 0]}}\n"
                     "joints: {g: {type: prismatic, connect: [ground, a], axis: [1, 0]}}\nforces: {k: %s}\n"
                     "simulate: {until: 10, every: 5}\nrecord: [a.x/s]\n",
                     sizes[i], springs[k]);
            trajectory run = run_text_well(text, "");
            check_close(last(&run, 1), 1 + 0.5 * cos(100), 1e-6);
            check_small(run.evidence.energy_drift, 1e-6);
            free(run.value);
        }
}

static const char fall[] = "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0], velocity: [0, 0]}}\n"
                           "forces: {s: {type: central-gravity, mu: 1, center: [0, 0]}}\nsimulate: {until: 3, every: 1}\nrecord: [a.x, a.y]\n";
static const char gears[] =
    "dalembert: 1\nspace: planar\nground: {points: {B: [1, 0]}}\nbodies:\n"
    "  a: {mass: 1, inertia: 0.5, position: [0, 0], angle: 0, rate: 300}\n  b: {mass: 1, inertia: 0.5, position: [1, 0], angle: 0}\n"
    "joints:\n  j1: {type: revolute, connect: [ground, a]}\n  j2: {type: revolute, connect: [ground.B, b]}\n"
    "  g: {type: gear, joints: [j1, j2], ratio: -3}\nsimulate: {until: 10, every: 10, rtol: 1e-4, atol: 1e-4}\n";
static const char swing[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {p: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
                            "joints: {O: {type: revolute, connect: [ground, p.O], start: {angle: 0}}}\nsimulate: {until: 20}\n";

static bool has_code(const trajectory *run, const char *code)
{
    for (int k = 0; k < run->evidence.n_warnings; k++)
        if (!strcmp(run->warned[k], code))
            return true;
    return false;
}

static void a_lost_balance_is_an_error_and_a_drift_a_warning(void **unused)
{
    (void)unused;
    trajectory lost = run_text(fall, "integrator=rk4 step=1e-2"), worn = run_text(gears, "coordinates=natural"),
               coarse = run_text(swing, "integrator=rk4 step=0.25"), fine = run_text(swing, "");
    assert_int_equal(lost.status, DAL_NUMERICAL);
    assert_non_null(strstr(lost.message, "what was computed is not the motion of this mechanism"));
    assert_true(lost.rows == 4 && lost.evidence.energy_drift > 0.5); /* its rows are kept */
    assert_int_equal(worn.status, DAL_OK);
    assert_true(has_code(&worn, "balance-drift") && worn.evidence.energy_drift > 1e-2);
    assert_true(coarse.evidence.energy_drift > 1e-2 && (coarse.status == DAL_NUMERICAL || has_code(&coarse, "balance-drift")));
    assert_int_equal(fine.status, DAL_OK);
    assert_int_equal(fine.evidence.n_warnings, 0);
    free(lost.value), free(worn.value), free(coarse.value), free(fine.value);
}

/* A passage close by a centre of attraction is short: what it moves for a moment does not hide that the orbit became another one. */
static void a_balance_lost_in_a_close_passage_is_an_error(void **unused)
{
    (void)unused;
    static const double speeds[] = {0.1, 0.05, 0.1, 0.05}, steps[] = {3e-4, 3e-4, 1e-3, 1e-4};
    for (int i = 0; i < 4; i++) {
        char text[400], settings[80];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0], velocity: [0, %g]}}\n"
                 "forces: {s: {type: central-gravity, mu: 1}}\nsimulate: {until: 3, every: 1}\nrecord: [a.x]\n",
                 speeds[i]);
        snprintf(settings, sizeof settings, "integrator=rk4 step=%g", steps[i]);
        trajectory lost = run_text(text, settings), good = run_text_well(text, "");
        assert_int_equal(lost.status, DAL_NUMERICAL);
        assert_non_null(strstr(lost.message, "what was computed is not the motion of this mechanism"));
        assert_int_equal(good.evidence.n_warnings, 0);
        free(lost.value), free(good.value);
    }
}

/* Bodies that nothing connects are judged by their own energy: a heavy one beside them, or a large one, does not hide that their balance is lost. */
static void a_lost_balance_is_seen_beside_a_heavy_body(void **unused)
{
    (void)unused;
    static const char *const heavy[] = {
        "{mass: 1e6, inertia: 1, position: [0, 5], velocity: [100, 0], rate: 0}",           /* free */
        "{mass: 1e9, inertia: 1e9, position: [0, 5], velocity: [0, 0], rate: 1}",           /* held by a hinge */
        "{mass: 1e7, inertia: 1e7, position: [0, 5], velocity: [3, 4], rate: 10}",          /* pushed and braked: its work is its own */
        "{mass: 1e3, inertia: 1e8, position: [0, 5], angle: 0, velocity: [0, 0], rate: 0}", /* driven */
    };
    static const char *const held[] = {"", "  H: {type: revolute, connect: [ground.H, h]}\n", "",
                                       "  H: {type: revolute, connect: [ground.H, h], drive: 3*t^2}\n"};
    static const char *const pushed[] = {"", "", "  d: {type: torque, body: h, value: -1e5*h.angle' + 3e6*sin(t)}\n", ""};
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < 4; f++) {
            char text[1200], settings[120];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nground: {points: {H: [0, 5]}}\n"
                     "bodies:\n  h: %s\n  a: {mass: 1, inertia: 1, position: [1, 0], angle: 0, velocity: [0, 0], rate: 0}\n"
                     "joints:\n%s  g: {type: prismatic, connect: [ground, a], axis: [1, 0]}\n"
                     "forces:\n%s  c: {type: central-gravity, body: a, mu: 1, center: [0, 0]}\n"
                     "  b: {type: spring-damper, joint: g, damping: 1e-3}\nsimulate: {until: 1, every: 1}\nrecord: [a.x]\n",
                     heavy[i], held[i], pushed[i]);
            snprintf(settings, sizeof settings, "coordinates=%s integrator=rk4 step=1e-2", families[f]);
            if (!strcmp(families[f], "euler"))
                continue;                                    /* of spatial models */
            trajectory good = run_text_well(text, settings); /* before the body falls into the centre */
            assert_int_equal(good.evidence.n_warnings, 0);
            free(good.value);
            memcpy(strstr(text, "until: 1"), "until: 3", 8);
            trajectory lost = run_text(text, settings);
            assert_int_equal(lost.status, DAL_NUMERICAL);
            assert_non_null(strstr(lost.message, "the energy balance of 'a', which nothing connects with the rest, drifted"));
            free(lost.value);
        }
}

/* A spring of micrometres beside a machine of metres: the absolute tolerance is that of the machine. */
static void a_small_part_that_the_tolerance_does_not_see_is_reported(void **unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) { /* the last two rest, but for rounding */
        char text[800];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nparameters: {s: %g}\nbodies:\n"
                 "  m: {mass: 1, inertia: 1, position: [0.5, 0], angle: 0, rate: 3, points: {O: [-0.5, 0]}}\n"
                 "  a: {mass: 1, inertia: 1, position: [s, 0], angle: 0, velocity: [0, 0], rate: 0}\n"
                 "joints:\n  O: {type: revolute, connect: [ground, m.O]}\n  g: {type: prismatic, connect: [ground, a], axis: [1, 0]}\n"
                 "forces: {k: {type: spring-damper, joint: g, stiffness: 1e4, free: 0}}\nsimulate: {until: 20, every: 20}\nrecord: [a.x/s]\n",
                 (double[]){1e-3, 1e-9, 1e-11, 0, 5e-17}[i]);
        if (i == 3)
            memcpy(strstr(text, "/s]"), "]  ", 3);
        trajectory run = run_text(text, "");
        if (i == 1 || i == 2)
            assert_true(has_code(&run, "balance-drift") ||
                        (run.status == DAL_NUMERICAL && strstr(run.message, "balance of 'a', which nothing connects with the rest, drifted")));
        else
            assert_true(run.status == DAL_OK && run.evidence.n_warnings == 0);
        if (i == 0)
            check_close(last(&run, 1), cos(2000), 1e-4);
        free(run.value);
    }
}

/* Neither a constant potential nor the weight hides a lost motion. */
static void a_lost_balance_is_seen_beside_any_constant_energy(void **unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        char text[700];
        const double preload = (double[]){0, 10, 1e3, 1e4, 1e5}[i];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nparameters: {F: %g}\nground: {points: {A: [-2, 0], B: [2, 0]}}\nbodies: {a: {mass: 1, inertia: 1, "
                 "position: [0.1, 0]}}\n"
                 "joints: {g: {type: prismatic, connect: [ground, a], axis: [1, 0]}}\nforces:\n"
                 "  l: {type: spring-damper, connect: [ground.A, a], stiffness: 50, length: \"max(0, 2 - F/50)\"}\n"
                 "  r: {type: spring-damper, connect: [ground.B, a], stiffness: 50, length: \"max(0, 2 - F/50)\"}\nsimulate: {until: 20}\n",
                 preload);
        trajectory lost = run_text(text, "integrator=rk4 step=0.25"), good = run_text_well(text, "");
        assert_int_equal(lost.status, DAL_NUMERICAL);
        assert_int_equal(good.evidence.n_warnings, 0);
        free(lost.value), free(good.value);
    }
}

/* A pivot far away: its coordinates are known to their rounding, which is more than 1e-10 of the pendulum. */
static void a_small_mechanism_far_from_the_origin_is_closed(void **unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        char text[600];
        const double at[5] = {1, 1, 2, 1e3, 0.3}, length[5] = {1e-6, 1e-9, 1e-7, 1e-6, 1e-8};
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {X: %g, L: %g}\nground: {points: {A: [X, X]}}\n"
                 "bodies: {p: {mass: 1, inertia: L^2/12, position: [X + L/2*cos(0.7), X + L/2*sin(0.7)], angle: 0.7, points: {A: [-L/2, 0]}}}\n"
                 "joints: {A: {type: revolute, connect: [ground.A, p.A]}}\nsimulate: {until: 1e-3}\n",
                 at[i], length[i]);
        trajectory run = run_text_well(text, "");
        free(run.value);
    }
}

/* At 1e12 m numbers are 0.0002 m apart, at 1e16 m there is no room for the lever of a pendulum; angles likewise. */
static void what_lies_too_far_away_for_its_digits_is_reported_or_refused(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "space: planar\nground: {points: {G: [0.1, %g]}}\nbodies: {p: {mass: 1, inertia: 1, points: {O: [-0.5, 0]}}}\n"
        "joints: {J: {type: revolute, connect: [ground.G, p.O], start: {angle: 0}}}\ngravity: [0, -9.81]\n",
        "space: planar\nparameters: {a: %g}\nbodies: {p: {mass: 1, inertia: 1, angle: a, rate: 0, points: {O: [-0.5, 0]}}}\n"
        "joints: {J: {type: revolute, connect: [ground, p.O]}}\ngravity: [0, -9.81]\n",
        "space: spatial\nground: {points: {G: [0.1, 0, %g]}}\nbodies: {p: {mass: 1, inertia: [1, 1, 1], points: {O: [-0.5, 0, 0]}}}\n"
        "joints: {J: {type: spherical, connect: [ground.G, p.O]}}\ngravity: [0, 0, -9.81]\n",
    };
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < FAMILIES; f++)
            for (int k = 0; k < 3; k++) {
                char text[500], line[400], settings[80];
                snprintf(line, sizeof line, texts[i], (double[]){1e8, 1e12, 1e16}[k]);
                snprintf(text, sizeof text, "dalembert: 1\n%s", line);
                snprintf(settings, sizeof settings, "until=1e-3 coordinates=%s", families[f]);
                if (k == 2) {
                    refused_with(text, 0, 0, "nothing is left of its motion");
                    continue;
                }
                trajectory run = run_text_well(text, settings);
                assert_int_equal(run.evidence.n_warnings, k);
                if (k)
                    assert_string_equal(run.warned[0], "far-from-origin");
                free(run.value);
            }
}

/* Points that are together at rest when their force begins to act. */
static void a_force_without_direction_is_refused_when_it_begins(void **unused)
{
    (void)unused;
    static const char *const values[] = {"5*t", "\"if(t < 0.5, 0, 5)\""};
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [0, 0]}}\n"
                 "forces: {f: {type: force, connect: [ground, a], value: %s}}\nsimulate: {until: 1}\n",
                 values[i]);
        trajectory run = run_text(text, "");
        assert_int_equal(run.status, DAL_NUMERICAL);
        assert_non_null(strstr(run.message, "has no direction, because its points coincide and are at rest"));
        free(run.value);
    }
}

/* ---- warnings are data -------------------------------------------------------------------- */

/* Instants that the time cannot tell apart, or more than a run can reach, would keep it where it is for ever. */
static void a_period_that_leads_nowhere_is_refused(void **unused)
{
    (void)unused;
    static const char *const periods[] = {"1e-12", "1e-17", "1e-300", "5e-324"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ninputs: {u: {value: sin(t), period: %s}}\nbodies: {p: {mass: 1, position: [0, 0], velocity: [0, 0]}}\n"
                 "forces: {f: {type: force, body: p, value: [u, 0]}}\nsimulate: {until: 1}\n",
                 periods[i]);
        trajectory run = run_text(text, "");
        assert_int_equal(run.status, DAL_BAD_MODEL);
        assert_non_null(strstr(run.message, "the period of input 'u' is "));
        assert_non_null(strstr(run.message, ", too short for a run from 0 to 1 s"));
        free(run.value);
    }
}

static void warnings_have_code_number_and_place_in_the_evidence(void **unused)
{
    (void)unused;
    const char *text =
        "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: {quaternion: {w: 2, x: 0, y: 0, z: 0}}}}\n"
        "simulate: {until: 1, integrator: rk4, step: 0.1}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_evidence evidence;
    int n = 0;
    char written[20000];
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, NULL, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, NULL, &system), DAL_OK); /* nobody listened, and the system knows */
    const dal_message *const *kept = dal_system_warnings(system, &n);
    assert_int_equal(n, 1);
    assert_string_equal(kept[0]->code, "normalised");
    check_close(kept[0]->number, 2, 0);
    assert_int_equal(kept[0]->mark.line, 3);
    assert_int_equal(dal_run(system, NULL, messages, &evidence), DAL_OK);
    assert_int_equal(evidence.n_warnings, 1);
    assert_true(dal_evidence_json(&evidence, DAL_OK, written, sizeof written) < (int)sizeof written);
    assert_non_null(strstr(written, "\"warnings\": [{\"code\": \"normalised\", \"number\": 2, \"file\": \"text.yaml\", \"line\": 3, \"column\": "));
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void every_code_is_listed_once(void **unused)
{
    (void)unused;
    const char *name, *title, *other;
    int n = 0;
    for (; dal_list_entry("warning", n, &name, &title); n++) {
        assert_true(strlen(name) > 2 && strlen(title) > 10);
        for (int i = 0; i < n; i++)
            assert_true(dal_list_entry("warning", i, &other, &title) && strcmp(other, name));
    }
    assert_true(n > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_rate_is_kept_in_a_rod_of_any_length),
        cmocka_unit_test(a_boom_of_any_length_keeps_its_spin),
        cmocka_unit_test(a_hinge_of_any_size_is_closed),
        cmocka_unit_test(a_changed_rate_is_a_warning_with_both_numbers),
        cmocka_unit_test(a_rate_that_is_thrown_away_is_an_error),
        cmocka_unit_test(an_oscillator_of_any_size_keeps_its_energy),
        cmocka_unit_test(a_lost_balance_is_an_error_and_a_drift_a_warning),
        cmocka_unit_test(a_lost_balance_is_seen_beside_any_constant_energy),
        cmocka_unit_test(a_balance_lost_in_a_close_passage_is_an_error),
        cmocka_unit_test(a_lost_balance_is_seen_beside_a_heavy_body),
        cmocka_unit_test(a_small_part_that_the_tolerance_does_not_see_is_reported),
        cmocka_unit_test(what_lies_too_far_away_for_its_digits_is_reported_or_refused),
        cmocka_unit_test(a_small_mechanism_far_from_the_origin_is_closed),
        cmocka_unit_test(a_force_without_direction_is_refused_when_it_begins),
        cmocka_unit_test(a_period_that_leads_nowhere_is_refused),
        cmocka_unit_test(warnings_have_code_number_and_place_in_the_evidence),
        cmocka_unit_test(every_code_is_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
