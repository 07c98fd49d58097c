/* Constraints that are derived from the balance of forces along directions without inertia: references, twins, every formulation, verdicts; and
 * the general solution with eta. */
#include "gallery.h"
#include "dalembert/verdict.h"
#include "text_runs.h"

static const char tight[] = "integrator=dopri5 rtol=1e-12 atol=1e-14";
static const char *const families[] = {"angle", "euler", "natural", "joint", NULL};

static bool applies(const char *message)
{
    return !strstr(message, "needs ignorable coordinates") && !strstr(message, "works over the joint tree") && !strstr(message, "component needs") &&
           !strstr(message, "regular mass matrix") && !strstr(message, "moves nothing that has inertia");
}

/* ---- references ------------------------------------------------------------------------------------------------- */

#define SPRINGS(m1, m2, q2, record, settings)                                                                                                        \
    "dalembert: 1\nspace: planar\nparameters: {m1: " m1 ", m2: " m2 ", k1: 50, k2: 30, d: 0.2, l10: 1, l20: 0.8}\n"                                  \
    "coordinates: {x1: {start: 0.1, rate: 0.3}, q1: {start: 0.1 + l10 + d, rate: 0.3}, q2: {start: " q2 "*0.1, rate: " q2 "*0.3}}\n"                 \
    "bodies:\n  first: {mass: m1, position: [l10 + x1, 0]}\n  base: {mass: 0, position: [q1, 0]}\n"                                                  \
    "  second: {mass: m2, position: [q1 + l20 + q2, 0]}\n"                                                                                           \
    "constraints: {joined: {position: x1 - q1 + l10 + d}}\n"                                                                                         \
    "forces:\n  spring1: {type: spring-damper, connect: [ground, first], stiffness: k1, length: l10}\n"                                              \
    "  spring2: {type: spring-damper, connect: [base, second], stiffness: k2, length: l20}\n"                                                        \
    "record: [x1, q1, q2, x1', q1', q2', joined.multiplier" record "]\nsimulate: {" settings "}\n"

static void follow(const char *what, const char *text, const json *root)
{
    static const char *const keys[] = {"q_v", "multipliers_of_joined_and_derived", NULL};
    const char *formulation, *title;
    reference r = {0};
    int runs = 0;
    double worst = 0;
    read_times(&r, root, keys);
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
        char all[300];
        const char *channel = "";
        double when = 0;
        snprintf(all, sizeof all, "formulation=%s %s until=5 every=0.25", formulation, tight);
        trajectory result = run_text(text, all);
        if (!applies(result.message))
            continue;
        if (result.status != DAL_OK)
            fail_msg("%s, %s: %s", what, all, result.message);
        const double gap = miss(&r, &result, &channel, &when);
        worst = fmax(worst, gap);
        if (!(gap < 1e-9))
            fail_msg("%s, %s: misses the reference by %.3g at t = %g", what, all, gap, when);
        for (int row = 0; row < result.rows; row++)
            assert_true(at(&result, row, 8) == 0);
        free(result.value);
        runs++;
    }
    assert_true(runs >= 7);
    print_message("  %s: %d runs, misses by %.1e\n", what, runs, worst);
}

static void the_springs_of_the_paper_follow_the_closed_form(void **unused)
{
    (void)unused;
    json_file file;
    const json *results = json_get(open_reference(&file, "massless_springs"), "results");
    follow("middle", SPRINGS("0", "3", "k1/k2", ", balance.multiplier", "undetermined: derive"), json_get(results, "middle"));
    follow("end", SPRINGS("2", "0", "0", ", balance.multiplier", "undetermined: derive"), json_get(results, "end"));
    json_close(&file);
}

/* ---- twins -------------------------------------------------------------------------------------------------------- */

/* The same columns of two runs. */
static void same(const char *what, const trajectory *a, const trajectory *b, int columns, double tolerance)
{
    assert_int_equal(a->rows, b->rows);
    assert_true(a->rows > 4);
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < columns; k++)
            if (!(fabs(at(a, i, k) - at(b, i, k)) <= tolerance * (1 + fabs(at(a, i, k)))))
                fail_msg("%s: column %s differs at t = %g: %.17g and %.17g", what, a->name[k], at(a, i, 0), at(a, i, k), at(b, i, k));
}

#define MAXWELL                                                                                                                                      \
    "dalembert: 1\nspace: planar\nparameters: {m: 2, k1: 50, k2: 70, k: 20, c: 8, L: 0.5}\n"                                                         \
    "coordinates: {x1: {start: 0.6}, x2: {start: 1.2}, y: {start: {value: 1.2 + L + k1/k2*0.1, fix: true}, rate: {value: 0.4, fix: true}}}\n"        \
    "bodies: {node1: {mass: 0, position: [x1, 0]}, node2: {mass: 0, position: [x2, 0]}, bob: {mass: m, position: [y, 0]}}\n"                         \
    "forces:\n  spring1: {type: spring-damper, connect: [ground, node1], stiffness: k1, length: L}\n"                                                \
    "  damper: {type: spring-damper, connect: [node1, node2], damping: c}\n"                                                                         \
    "  spring2: {type: spring-damper, connect: [node2, bob], stiffness: k2, length: L}\n"                                                            \
    "  outer: {type: spring-damper, connect: [ground, bob], stiffness: k, length: 3*L}\n"                                                            \
    "record: [y, y', spring2.force]\nsimulate: {until: 2, every: 0.1, undetermined: derive}\n"

/* The force f of springs and a damper in a row: f' = (y' - f/c) k1 k2 / (k1 + k2), without any node. */
static void nodes_between_springs_and_a_damper_are_maxwells_element(void **unused)
{
    (void)unused;
    trajectory nodes = run_text_well(MAXWELL, tight);
    trajectory law = run_text_well(
        "dalembert: 1\nspace: planar\nparameters: {m: 2, k1: 50, k2: 70, k: 20, c: 8, L: 0.5}\n"
        "coordinates: {y: {start: 1.2 + L + k1/k2*0.1, rate: 0.4}}\nstates: {f: {start: k1*0.1, rate: \"(y' - f/c)*k1*k2/(k1 + k2)\"}}\n"
        "bodies: {bob: {mass: m, position: [y, 0]}}\n"
        "forces: {row: {type: force, coordinate: y, value: -f}, outer: {type: force, coordinate: y, value: -k*(y - 3*L)}}\n"
        "record: [y, y', -f]\nsimulate: {until: 2, every: 0.1}\n",
        tight);
    same("Maxwell", &nodes, &law, 4, 1e-9);
    free(nodes.value);
    free(law.value);
}

#define NODE(rest)                                                                                                                                   \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {m: 2, k1: 100, k2: 80, k3: 60, L: 0.7}\n"                                        \
    "ground: {points: {A: [-1, 1], B: [1, 1]}}\n"                                                                                                    \
    "bodies: {node: {mass: 0}, bob: {mass: m, position: {value: [0.1, -1], fix: true}, velocity: {value: [0.5, 0], fix: true}}}\n"                   \
    "forces:\n  s1: {type: spring-damper, connect: [ground.A, node], stiffness: k1, length: L}\n"                                                    \
    "  s2: {type: spring-damper, connect: [ground.B, node], stiffness: k2, length: L}\n"                                                             \
    "  s3: {type: spring-damper, connect: [node, bob], stiffness: k3, length: L}\n"                                                                  \
    "record: [node.x, node.y, bob.x, bob.y, s1.force, s2.force, s3.force, bob.x'', bob.y''" rest

/* What the springs do, from where their ends are: on the node they balance, and the mass has the acceleration that its spring gives it. */
static void three_springs_balance_in_a_node(void **unused)
{
    (void)unused;
    trajectory run =
        run_text_well(NODE(", balance1.multiplier, balance2.multiplier]\nsimulate: {until: 2, every: 0.1, undetermined: derive}\n"), tight);
    static const double end[2][2] = {{-1, 1}, {1, 1}}, k[3] = {100, 80, 60};
    assert_true(run.evidence.energy_drift < 1e-10);
    for (int i = 0; i < run.rows; i++) {
        double sum[2] = {0, 0}, pull[2] = {0, 0};
        for (int s = 0; s < 3; s++) {
            const double ex = s < 2 ? end[s][0] : at(&run, i, 3), ey = s < 2 ? end[s][1] : at(&run, i, 4);
            const double dx = at(&run, i, 1) - ex, dy = at(&run, i, 2) - ey, l = hypot(dx, dy), f = -k[s] * (l - 0.7);
            assert_true(fabs(f - at(&run, i, 5 + s)) < 1e-10 * 100);
            sum[0] += f * dx / l, sum[1] += f * dy / l;
            if (s == 2)
                pull[0] = -f * dx / l, pull[1] = -f * dy / l;
        }
        assert_true(fabs(sum[0]) < 1e-9 * 100 && fabs(sum[1]) < 1e-9 * 100);
        assert_true(fabs(at(&run, i, 8) - pull[0] / 2) < 1e-8 && fabs(at(&run, i, 9) - (pull[1] / 2 - 9.81)) < 1e-8);
        assert_true(at(&run, i, 10) == 0 && at(&run, i, 11) == 0);
    }
    free(run.value);
}

/* ---- the line to paste ---------------------------------------------------------------------------------------------- */

/* Lines that `check` offers for a model without `derive`. */
static int offered(const char *text, char lines[4][600])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_verdict *verdict = NULL;
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_check(spec, NULL, messages, &verdict), DAL_BAD_MODEL);
    assert_non_null(verdict);
    const int n = verdict->n_derived;
    assert_true(n <= 4);
    for (int i = 0; i < n; i++)
        snprintf(lines[i], sizeof lines[i], "%s", verdict->derived[i].line);
    dal_verdict_free(verdict);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return n;
}

static void what_check_offers_gives_the_same_motion(void **unused)
{
    (void)unused;
    char lines[4][600], text[4000];
    assert_int_equal(offered(NODE("]\nsimulate: {until: 2}\n"), lines), 2);
    snprintf(text, sizeof text, "%sconstraints:\n  %s\n  %s\n",
             NODE(", balance1.multiplier, balance2.multiplier]\nsimulate: {until: 2, every: 0.1}\n"), lines[0], lines[1]);
    trajectory pasted = run_text_well(text, tight),
               derived = run_text_well(NODE(", balance1.multiplier, balance2.multiplier]\nsimulate: {until: 2, every: 0.1, undetermined: derive}\n"),
                                       tight);
    same("node", &derived, &pasted, 10, 0);
    for (int i = 0; i < pasted.rows; i++) /* what is computed for them, where nobody knows that they are no forces */
        assert_true(fabs(at(&pasted, i, 10)) < 1e-10 && fabs(at(&pasted, i, 11)) < 1e-10);
    free(pasted.value);
    free(derived.value);
    assert_int_equal(offered(SPRINGS("0", "3", "k1/k2", "", "until: 1"), lines), 1);
    assert_string_equal(lines[0], "balance: {position: k1*x1 - k2*q2}");
    assert_int_equal(offered(SPRINGS("2", "0", "0", "", "until: 1"), lines), 1);
    assert_string_equal(lines[0], "balance: {position: k2*q2}");
}

/* ---- families and formulations ------------------------------------------------------------------------------------------ */

typedef struct spread {
    const char *name, *text;
    bool own;
} spread;

static const spread models[] = {
    {"node", NODE("]\nsimulate: {until: 0.5, every: 0.05, undetermined: derive}\n"), false},
    {"Maxwell", MAXWELL, true},
    /* along an axis that turns; velocities */
    {"slider",
     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {W: [0.9, -0.5]}}\nbodies:\n"
     "  rod: {mass: 2, inertia: 0.3, position: [0, 0], angle: 20*deg, rate: 1, points: {O: [0, 0], T: [1, 0], A: {at: [0, 0], x: [1, 0]}}}\n"
     "  slider: {mass: 0, points: {C: {at: [0, 0], x: [1, 0]}}}\n"
     "joints: {pin: {type: revolute, connect: [ground, rod.O]}, guide: {type: prismatic, connect: [rod.A, slider.C], start: {distance: 0.3}}}\n"
     "forces:\n  s1: {type: spring-damper, connect: [rod.T, slider], stiffness: 40, length: 0.3}\n"
     "  s2: {type: spring-damper, connect: [slider, ground.W], stiffness: 70, length: 0.3}\n"
     "  s3: {type: spring-damper, joint: guide, stiffness: 5, damping: 3, free: 0.3}\n"
     "record: [pin.angle, guide.distance]\nsimulate: {until: 0.1, every: 0.01, undetermined: derive}\n",
     false},
    /* a turn in space, with a motor, a torque in body axes and time */
    {"arm",
     "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nground: {points: {W: [1, 0.5, 1.5]}}\nbodies:\n"
     "  top: {mass: 3, inertia: [0.2, 0.3, 0.25], position: [0, 0, 0], angular-velocity: [0.5, 1, 2],\n"
     "        points: {O: [0, 0, 0], H: {at: [0.5, 0, 0.1], z: [0, 1, 0]}, S: [0.2, 0.1, 0.9]}}\n"
     "  arm: {mass: 0, inertia: [0, 0, 0], position: [0.5, 0, 0.1], points: {H: {at: [0, 0, 0], z: [0, 1, 0]}, P: [0.4, 0.1, 0.1]}}\n"
     "joints: {ball: {type: spherical, connect: [ground, top.O]}, hinge: {type: revolute, connect: [top.H, arm.H]}}\n"
     "forces:\n  s1: {type: spring-damper, connect: [top.S, arm.P], stiffness: 80, length: 0.4, damping: 2}\n"
     "  s2: {type: spring-damper, connect: [ground.W, arm.P], stiffness: 30, length: 0.4}\n"
     "  m: {type: motor, joint: hinge, value: 2*sin(3*t) - 1.5*hinge.angle}\n  q: {type: torque, body: arm, value: [0.1, 0.4, -0.2], axes: body}\n"
     "record: [hinge.angle, top.omega]\nsimulate: {until: 0.05, every: 0.005, undetermined: derive}\n",
     false},
    /* a node in space, loaded by time */
    {"node in space",
     "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nground: {points: {A: [-1, 1, 1], B: [1, 1, 1], C: [0, -1, 1.2]}}\n"
     "bodies: {node: {mass: 0}, bob: {mass: 2, position: {value: [0.1, 0, -1], fix: true}, velocity: {value: [0.5, 0.3, 0], fix: true}}}\n"
     "forces:\n  s1: {type: spring-damper, connect: [ground.A, node], stiffness: 100, length: 0.7}\n"
     "  s2: {type: spring-damper, connect: [ground.B, node], stiffness: 110, length: 0.7}\n"
     "  s3: {type: spring-damper, connect: [ground.C, node], stiffness: 120, length: 0.7}\n"
     "  s4: {type: spring-damper, connect: [node, bob], stiffness: 60, length: 0.7}\n"
     "  f: {type: force, body: node, value: [3*sin(2*t), t^2, -1]}\n"
     "record: [node.position, bob.position]\nsimulate: {until: 0.2, every: 0.02, undetermined: derive}\n",
     false},
};

static void every_family_and_formulation_gives_the_same_motion(void **unused)
{
    (void)unused;
    const char *formulation, *title;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        trajectory first = {0};
        int runs = 0;
        for (int f = 0; families[f] && (f == 0 || !models[m].own); f++)
            for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
                char all[300];
                snprintf(all, sizeof all, "coordinates=%s formulation=%s %s", models[m].own ? "user" : families[f], formulation, tight);
                trajectory result = run_text(models[m].text, all);
                if (!applies(result.message))
                    continue;
                if (result.status != DAL_OK)
                    fail_msg("%s, %s: %s", models[m].name, all, result.message);
                if (runs++)
                    same(all, &first, &result, first.n, 1e-9);
                else
                    first = result;
                if (runs > 1)
                    free(result.value);
            }
        free(first.value);
        if (runs < (models[m].own ? 7 : 28))
            fail_msg("%s: %d runs only", models[m].name, runs);
    }
}

/* ---- not silently wrong ---------------------------------------------------------------------------------------------------- */

/* Where the points of a spring meet its force turns round, and the condition, written for one side, does not. */
static void a_run_ends_where_the_forces_are_no_longer_what_was_derived(void **unused)
{
    (void)unused;
    trajectory run = run_text("dalembert: 1\nspace: planar\nparameters: {k1: 50, k2: 70, L: 0.2}\n"
                              "coordinates: {x: {start: 0.3}, y: {start: 0.6, rate: -3}}\n"
                              "bodies: {node: {mass: 0, position: [x, 0]}, bob: {mass: 2, position: [y, 0]}}\n"
                              "forces:\n  s1: {type: spring-damper, connect: [ground, node], stiffness: k1, length: L}\n"
                              "  s2: {type: spring-damper, connect: [node, bob], stiffness: k2, length: L}\n"
                              "record: [x, y]\nsimulate: {until: 2, every: 0.01, undetermined: derive}\n",
                              "");
    assert_int_equal(run.status, DAL_NUMERICAL);
    if (!strstr(run.message, "no longer what 'balance' was derived from"))
        fail_msg("%s", run.message);
    for (int i = 0; i < run.rows; i++)
        assert_true(at(&run, i, 1) > 0);
    free(run.value);
}

/* A node between compressed springs has no balance left at 0.29320924 s: it would snap. No formulation passes that. */
static void a_run_ends_where_a_part_snaps(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {A: [-1, 1], B: [1.2, 0.9]}}\n"
                               "bodies:\n  node: {mass: 0, position: [0, 0]}\n"
                               "  bob: {mass: 0.9, position: {value: [0.2, -1], fix: true}, velocity: [0.3, 0.4]}\n"
                               "forces:\n  s1: {type: spring-damper, connect: [ground.A, node], stiffness: 120, length: 0.8}\n"
                               "  s2: {type: spring-damper, connect: [ground.B, node], stiffness: 80, length: 0.9}\n"
                               "  s3: {type: spring-damper, connect: [node, bob], stiffness: 150, length: 0.5}\n"
                               "simulate: {until: 0.4, every: 0.01, undetermined: derive}\nrecord: [node.x, node.y]\n";
    const char *formulation, *title;
    int runs = 0;
    (void)unused;
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
        char settings[200];
        snprintf(settings, sizeof settings, "formulation=%s integrator=dopri5 rtol=1e-11 atol=1e-13", formulation);
        trajectory run = run_text(text, settings);
        if (!applies(run.message))
            continue;
        if (run.status != DAL_NUMERICAL || (!strstr(run.message, "the part snaps, or a fixed step is too long") && !strstr(run.message, "collapsed")))
            fail_msg("%s: status %d, %s", formulation, (int)run.status, run.message);
        if (!strstr(run.message, "t = 0.29320"))
            fail_msg("%s: %s", formulation, run.message);
        free(run.value);
        runs++;
    }
    assert_true(runs >= 6);
}

/* Three springs that nothing stretches at (x, y) of the bob: the forces there are rounding. */
#define SLACK(x, y, until)                                                                                                                           \
    "dalembert: 1\nspace: planar\nground: {points: {A: [-0.7, 1.1], B: [1.3, 0.9]}}\n"                                                               \
    "bodies:\n  node: {mass: 0, position: [0.1, 0.3]}\n  bob: {mass: 2, position: {value: [" x ", " y "], fix: true}}\n"                             \
    "forces:\n  damper: {type: force, body: bob, value: [\"-30*bob.x'\", \"-30*bob.y'\"]}\n"                                                         \
    "  s1: {type: spring-damper, connect: [ground.A, node], stiffness: 100, length: sqrt(0.8^2 + 0.8^2)}\n"                                          \
    "  s2: {type: spring-damper, connect: [ground.B, node], stiffness: 80, length: sqrt(1.2^2 + 0.6^2)}\n"                                           \
    "  s3: {type: spring-damper, connect: [node, bob], stiffness: 60, length: sqrt(0.07^2 + 0.71^2)}\n"                                              \
    "record: [node.x, node.y, s3.length]\nsimulate: {until: " until ", every: 1, undetermined: derive}\n"

static void a_model_that_is_at_rest_or_comes_to_rest_is_not_refused(void **unused)
{
    (void)unused;
    static const char still[] = SLACK("0.17", "-0.41", "2"), damped[] = SLACK("0.3", "-0.5", "40");
    for (int i = 0; i < 2; i++) {
        trajectory run = run_text_well(i ? damped : still, "");
        const int last = run.rows - 1;
        check_close(at(&run, last, 1), 0.1, 1e-6);
        check_close(at(&run, last, 2), 0.3, 1e-6);
        check_close(at(&run, last, 3), sqrt(0.07 * 0.07 + 0.71 * 0.71), 1e-6);
        free(run.value);
    }
}

static void what_does_not_determine_the_motion_is_told(void **unused)
{
    (void)unused;
    /* how far apart they are, and not where */
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: {start: 1}, y: {start: 2}, z: {start: 0}}\n"
                 "bodies: {a: {mass: 0, position: [x, 0]}, b: {mass: 0, position: [y, 0]}, c: {mass: 1, position: [z, 0]}}\n"
                 "forces: {s: {type: spring-damper, connect: [a, b], stiffness: 40, length: 0.3}}\nsimulate: {undetermined: derive}\n",
                 3, 15, "does not determine the motion");
    /* a condition on another coordinate */
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: {start: 1}, y: {start: 0}}\n"
                 "bodies: {a: {mass: 0, position: [x, 0]}, b: {mass: 1, position: [y, 0]}}\n"
                 "forces: {f: {type: force, coordinate: x, value: 5*y}, g: {type: force, coordinate: y, value: 5*x}}\n"
                 "simulate: {undetermined: derive}\n",
                 3, 15, "does not determine the motion");
    /* a state of the model's own */
    refused_with("dalembert: 1\nspace: planar\nstates: {s: {start: 0, rate: x - s}}\ncoordinates: {x: {start: 1}, y: {start: 0}}\n"
                 "bodies: {a: {mass: 0, position: [x, 0]}, b: {mass: 1, position: [y, 0]}}\n"
                 "forces: {f: {type: force, coordinate: x, value: 5*y - s - x}}\nsimulate: {undetermined: derive}\n",
                 4, 15, "it contains 's', whose derivatives are not known");
}

/* ---- values are varied, a run is resumed --------------------------------------------------------------------------------------- */

static void a_varied_system_derives_anew(void **unused)
{
    (void)unused;
    const char *text = SPRINGS("0", "3", "k1/k2", "", "until: 1, every: 0.1, undetermined: derive");
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *base = NULL, *varied = NULL;
    const char *names[] = {"k1"};
    const double values[] = {80};
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &base), DAL_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dal_system_vary(NULL, base, 1, names, values, messages, &varied), DAL_OK);
        trajectory run = {0};
        dal_sink sink = {&run, begin, keep_row};
        dal_run_options options = {.sink = &sink};
        assert_int_equal(dal_run(varied, &options, messages, &run.evidence), DAL_OK);
        for (int row = 0; row < run.rows; row++)
            assert_true(fabs(80 * at(&run, row, 1) - 30 * at(&run, row, 3)) < 1e-11);
        free(run.value);
        dal_system_free(varied);
    }
    dal_system_free(base);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- the general solution ---------------------------------------------------------------------------------------------------------- */

#define GHOST(settings)                                                                                                                              \
    "dalembert: 1\nspace: planar\ncoordinates: {th: {start: 0.2, rate: 0.5}, x: {start: 0.1}, z: {start: 0.3}}\n"                                    \
    "bodies: {disc: {mass: 2, inertia: 0.09, position: [0, 0], angle: th}, ghost: {mass: 0, position: [x, z]}}\n"                                    \
    "constraints: {slope: {position: \"x + 2*z - 0.7\"}}\nforces: {f: {type: torque, coordinate: th, value: 0.9}}\n"                                 \
    "record: [th'', x'', z'', x, z]\nsimulate: {until: 1, every: 0.1, formulation: udwadia-phohomsiri, undetermined: " settings "}\n"

/* (2.14): what the equations determine stays, and of the rest eta has the part along the constraint: x'' = (4 a - 2 b)/5, z'' = (-2 a + b)/5. */
static void eta_chooses_among_the_solutions(void **unused)
{
    (void)unused;
    trajectory run = run_text_well(GHOST("{minimum-norm: {eta: [7, 3*cos(t), 1 - x]}}"), tight);
    for (int i = 0; i < run.rows; i++) {
        const double a = 3 * cos(at(&run, i, 0)), b = 1 - at(&run, i, 4);
        assert_true(fabs(at(&run, i, 1) - 10) < 1e-11);
        assert_true(fabs(at(&run, i, 2) - (4 * a - 2 * b) / 5) < 1e-11 && fabs(at(&run, i, 3) - (b - 2 * a) / 5) < 1e-11);
    }
    trajectory zero = run_text_well(GHOST("{minimum-norm: {eta: [0, 0, 0]}}"), tight), least = run_text_well(GHOST("minimum-norm"), tight);
    same("eta zero", &zero, &least, zero.n, 0);
    refused_with(GHOST("{minimum-norm: {eta: [0, 0]}}"), 0, 0,
                 "`eta` needs one expression for each velocity, 3 in the family user, for th', x', z'; 2 given");
    free(run.value);
    free(zero.value);
    free(least.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_springs_of_the_paper_follow_the_closed_form),
        cmocka_unit_test(nodes_between_springs_and_a_damper_are_maxwells_element),
        cmocka_unit_test(three_springs_balance_in_a_node),
        cmocka_unit_test(what_check_offers_gives_the_same_motion),
        cmocka_unit_test(every_family_and_formulation_gives_the_same_motion),
        cmocka_unit_test(a_run_ends_where_the_forces_are_no_longer_what_was_derived),
        cmocka_unit_test(a_run_ends_where_a_part_snaps),
        cmocka_unit_test(a_model_that_is_at_rest_or_comes_to_rest_is_not_refused),
        cmocka_unit_test(what_does_not_determine_the_motion_is_told),
        cmocka_unit_test(a_varied_system_derives_anew),
        cmocka_unit_test(eta_chooses_among_the_solutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
