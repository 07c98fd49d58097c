/* The accuracy that was asked for is kept, whatever the coordinates, the formulation and the integrator: where inertias differ by many orders of
 * magnitude, where the speeds of a formulation have to be changed along the motion, where the tolerance is tight. What cannot be kept is
 * said with its number, or refused by name. */
#include "text_runs.h"

enum { TEXT = 3000 };

static const char *const families[] = {"angle", "euler", "natural", "joint"};
enum { FAMILIES = sizeof families / sizeof *families };

static void free_run(trajectory *run)
{
    free(run->value);
}

/* The largest difference of the last rows; the columns of both are the same. */
static double differ(const trajectory *a, const trajectory *b)
{
    double most = 0;
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++)
        most = fmax(most, fabs(last(a, k) - last(b, k)));
    return most;
}

/* Reasons for which a formulation may refuse a model that is all right. */
static bool does_not_apply(const char *why)
{
    return strstr(why, "ignorable") || strstr(why, "works over the joint tree") || strstr(why, "component needs `coordinates: angle`");
}

/* ---- inertias ----------------------------------------------------------------------------------------- */

/* %g is the ratio R of the light bodies (or heavy, beyond 1) to the others. */
typedef struct machine {
    const char *name, *text;
} machine;

static const machine machines[] = {
    {"a light pendulum on a heavy one", "dalembert: 1\nspace: planar\nparameters: {R: %g}\ngravity: [0, -9.81]\n"
                                        "bodies:\n"
                                        "  a: {mass: 1, inertia: 0.1, angle: 0, points: {O: [-0.5, 0], P: [0.5, 0]}}\n"
                                        "  b: {mass: R, inertia: 0.1*R, angle: -90*deg, points: {O: [-0.5, 0]}}\n"
                                        "joints:\n"
                                        "  A: {type: revolute, connect: [ground, a.O]}\n"
                                        "  B: {type: revolute, connect: [a.P, b.O]}\n"
                                        "simulate: {until: 1, every: 1}\n"
                                        "record: [a.angle, b.angle]\n"},
    {"light links before and behind a heavy one, without weight: an ignorable angle",
     "dalembert: 1\nspace: planar\nparameters: {R: %g}\n"
     "bodies:\n"
     "  a: {mass: R, inertia: 0.1*R, angle: 0, rate: 2, points: {O: [-0.5, 0], P: [0.5, 0]}}\n"
     "  b: {mass: 1, inertia: 0.1, angle: -90*deg, rate: 1, points: {O: [-0.5, 0], P: [0.5, 0]}}\n"
     "  c: {mass: R, inertia: 0.1*R, angle: 20*deg, points: {O: [-0.5, 0]}}\n"
     "joints:\n"
     "  A: {type: revolute, connect: [ground, a.O]}\n"
     "  B: {type: revolute, connect: [a.P, b.O]}\n"
     "  C: {type: revolute, connect: [b.P, c.O]}\n"
     "simulate: {until: 0.5, every: 0.5}\n"
     "record: [a.angle, b.angle, c.angle]\n"},
    {"a light coupler with a light pendulum in a four-bar",
     "dalembert: 1\nspace: planar\nparameters: {R: %g}\ngravity: [0, -9.81]\n"
     "ground: {points: {D: [2, 0]}}\n"
     "bodies:\n"
     "  a: {mass: 1, inertia: 0.1, position: [0, 0.5], angle: 90*deg, points: {O: [-0.5, 0], P: [0.5, 0]}}\n"
     "  b: {mass: R, inertia: 0.1*R, position: [1, 1], angle: 0, points: {O: [-1, 0], P: [1, 0], Q: [0, 0.3]}}\n"
     "  c: {mass: 2, inertia: 0.3, position: [2, 0.5], angle: 90*deg, points: {O: [-0.5, 0], P: [0.5, 0]}}\n"
     "  d: {mass: 3*R, inertia: 0.02*R, position: [1.2, 0.9535898384862245], angle: -60*deg, points: {O: [-0.4, 0]}}\n"
     "joints:\n"
     "  A: {type: revolute, connect: [ground, a.O]}\n"
     "  B: {type: revolute, connect: [a.P, b.O]}\n"
     "  C: {type: revolute, connect: [b.P, c.P]}\n"
     "  D: {type: revolute, connect: [ground.D, c.O]}\n"
     "  E: {type: revolute, connect: [b.Q, d.O]}\n"
     "forces:\n"
     "  f: {type: torque, body: a, value: 3}\n"
     "simulate: {until: 0.3, every: 0.3}\n"
     "record: [a.angle, b.x, b.y, c.angle, d.angle]\n"},
    {"two rods on ball joints",
     "dalembert: 1\nspace: spatial\nparameters: {R: %g}\ngravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {mass: 1, inertia: [0.1, 0.12, 0.05], position: [0.5, 0, 0], angular-velocity: {body: [1, 0, 2]}, points: {O: [-0.5, 0, 0], P: [0.5, 0, "
     "0]}}\n"
     "  b: {mass: R, inertia: [0.1*R, 0.12*R, 0.05*R], position: [1.5, 0, 0], angular-velocity: {body: [1, 2, 2]}, points: {O: [-0.5, 0, 0]}}\n"
     "joints:\n"
     "  A: {type: spherical, connect: [ground, a.O]}\n"
     "  B: {type: spherical, connect: [a.P, b.O]}\n"
     "simulate: {until: 0.3, every: 0.3}\n"
     "record: [a.x, a.y, a.z, b.x, b.y, b.z, b.omega.body.x, b.omega.body.y, b.omega.body.z]\n"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static const double asked = 1e-10, /* rtol */ kept = 3e-9; /* of angles and metres, after hundreds of steps */

static trajectory reference_of(const char *text)
{
    return run_text_well(text, "coordinates=joint formulation=recursive rtol=1e-12 atol=1e-13");
}

/* How many choices moved as the reference; all others do not apply. */
static int compare_choices(const machine *m, const char *text)
{
    const char *name, *title;
    trajectory exact = reference_of(text);
    int compared = 0, runs = 0;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; dal_list_entry("formulation", k, &name, &title); k++) {
            char settings[200];
            if (!check_chosen(runs++, 5))
                continue;
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s rtol=%g atol=1e-12", families[f], name, asked);
            trajectory run = run_text(text, settings);
            if (run.status != DAL_OK && !does_not_apply(run.message))
                fail_msg("%s, %s: %s", m->name, settings, run.message);
            if (run.status == DAL_OK && !(differ(&run, &exact) < kept))
                fail_msg("%s, %s: differs by %.2e", m->name, settings, differ(&run, &exact));
            compared += run.status == DAL_OK;
            free_run(&run);
        }
    free_run(&exact);
    return compared;
}

static void inertias_that_differ_by_twelve_orders_keep_their_digits_in_every_choice(void **unused)
{
    static const double ratios[] = {1e-12, 1e12, 1e-11, 1e-6};
    (void)unused;
    for (int i = 0; i < MACHINES; i++)
        for (size_t k = 0; k < (i ? 2 : sizeof ratios / sizeof *ratios); k++) {
            char text[TEXT];
            const bool tight = i == MACHINES - 1 && ratios[k] > 1; /* the spin of a rod under a load of 1e13 N is lost in the rounding of its lever */
            snprintf(text, sizeof text, machines[i].text, tight ? 1e9 : ratios[k]);
            assert_true(compare_choices(&machines[i], text) >= (check_chosen(1, 2) ? 30 : 6));
        }
}

/* Beyond what double numbers hold: right, or refused with the name of the part; never anything else. */
static void an_inertia_of_rounding_is_right_or_refused_by_name(void **unused)
{
    static const double ratios[] = {1e-14, 1e-15, 1e-17};
    const char *name, *title;
    int right = 0, refused = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        char text[TEXT];
        snprintf(text, sizeof text, machines[0].text, ratios[i]);
        trajectory exact = reference_of(text);
        for (int k = 0; dal_list_entry("formulation", k, &name, &title); k++) {
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=angle formulation=%s rtol=1e-8", name);
            trajectory run = run_text(text, settings);
            if (run.status == DAL_OK && !(differ(&run, &exact) < 1e-6))
                fail_msg("R = %g, %s: differs by %.2e", ratios[i], name, differ(&run, &exact));
            if (run.status != DAL_OK && !does_not_apply(run.message) && !strstr(run.message, "'b'") && !strstr(run.message, "b.angle'") &&
                !strstr(run.message, "b.x'"))
                fail_msg("R = %g, %s: %s", ratios[i], name, run.message);
            right += run.status == DAL_OK;
            refused += run.status != DAL_OK;
            free_run(&run);
        }
        free_run(&exact);
    }
    assert_true(right > 0 && refused > 0);
}

/* ---- the warning --------------------------------------------------------------------------------------- */

/* The number of the warning of this kind that a run gave; NAN: none. */
static double warned(const char *text, const char *settings, const char *code, dal_evidence *evidence)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    double number = NAN;
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    set_all(spec, settings, messages);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    (void)dal_run(system, &(dal_run_options){0}, messages, evidence);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_WARNING && m->code && !strcmp(m->code, code))
            number = m->number;
    dal_spec_free(spec);
    dal_system_free(system);
    dal_messages_free(messages);
    return number;
}

static void accelerations_less_exact_than_rtol_are_a_warning_with_their_error(void **unused)
{
    char text[TEXT];
    dal_evidence e;
    (void)unused;
    snprintf(text, sizeof text, machines[0].text, 1e15);
    double number = warned(text, "coordinates=angle formulation=component until=0.3 every=0.3", "accelerations-inexact", &e);
    assert_true(number > 1e-8 && number == e.acceleration_error);
    snprintf(text, sizeof text, machines[0].text, 1e-12);
    assert_true(isnan(warned(text, "coordinates=angle formulation=kane", "accelerations-inexact", &e)));
    assert_true(e.acceleration_error < 1e-8);
    snprintf(text, sizeof text, machines[0].text, 1.0); /* alike: nothing to refine, nothing to say */
    assert_true(isnan(warned(text, "coordinates=angle formulation=kane", "accelerations-inexact", &e)));
    assert_true(isnan(e.acceleration_error));
}

/* `compare` shows the same digits. */
static void a_comparison_shows_all_formulations_at_the_reference(void **unused)
{
    char text[TEXT];
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_comparison *comparison = NULL;
    int shown = 0;
    (void)unused;
    snprintf(text, sizeof text, machines[0].text, 1e-11);
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    set_all(spec, "rtol=1e-9 atol=1e-11", messages);
    assert_int_equal(dal_compare(spec, &(dal_compare_options){0}, messages, &comparison), DAL_OK);
    for (int i = 0; i < comparison->n_rows; i++)
        if (comparison->rows[i].applies) {
            if (!(comparison->rows[i].difference < 3e-8))
                fail_msg("%s: %.2e", comparison->rows[i].formulation, comparison->rows[i].difference);
            shown++;
        }
    assert_true(shown >= 8);
    dal_comparison_free(comparison);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- speeds --------------------------------------------------------------------------------------------- */

/* A frame on rods that nearly meet in a point: its rows are ill-conditioned by themselves, so that the condition of rows and speeds together does
 * not show how the speeds are. On it a short link turns. */
static const char *const spinners[] = {
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "ground: {points: {a: [3, 2.001], b: [2, 1], c: [4, 1]}}\n"
    "bodies:\n"
    "  frame: {mass: 2, inertia: 0.2, position: [3, 1], points: {a: [0, 0.1], b: [-0.1, 0], c: [0.1, 0.001], P: [0.1, 0.1]}}\n"
    "  link: {mass: 0.4, inertia: 0.002, position: [3.16, 1.1], angle: 0, rate: 9, points: {O: [-0.06, 0]}}\n"
    "joints:\n"
    "  A: {type: distance, connect: [ground.a, frame.a]}\n"
    "  C: {type: distance, connect: [ground.b, frame.b]}\n"
    "  D: {type: distance, connect: [ground.c, frame.c]}\n"
    "  B: {type: revolute, connect: [frame.P, link.O]}\n"
    "simulate: {until: 0.5, step: 1e-3}\n",
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "ground: {points: {a: [3, 2.001, 0], b: [2, 1, 0], c: [4, 1, 0], d: [3, 1, 1], e: [3.05, 1.2, 1], f: [2.9, 1.05, 1]}}\n"
    "bodies:\n"
    "  frame: {mass: 2, inertia: [0.2, 0.2, 0.2], position: [3, 1, 0],\n"
    "    points: {a: [0, 0.1, 0], b: [-0.1, 0, 0], c: [0.1, 0.001, 0], d: [0, 0, 0.1], e: [0.05, 0.2, 0], f: [-0.1, 0.05, 0.01], P: [0.1, 0.1, 0]}}\n"
    "  link: {mass: 0.4, inertia: [0.001, 0.002, 0.0025], position: [3.16, 1.1, 0], angular-velocity: {body: [3, 9, 2]}, points: {O: [-0.06, 0, "
    "0]}}\n"
    "joints:\n"
    "  A: {type: distance, connect: [ground.a, frame.a]}\n"
    "  C: {type: distance, connect: [ground.b, frame.b]}\n"
    "  D: {type: distance, connect: [ground.c, frame.c]}\n"
    "  E: {type: distance, connect: [ground.d, frame.d]}\n"
    "  F: {type: distance, connect: [ground.e, frame.e]}\n"
    "  G: {type: distance, connect: [ground.f, frame.f]}\n"
    "  B: {type: spherical, connect: [frame.P, link.O]}\n"
    "simulate: {until: 0.5, step: 1e-3}\n",
};

/* With one step for all, the energy shows what each choice makes of it. Speeds bring other derivatives than velocities, and constants of another
 * size; not other orders of magnitude. */
static void speeds_keep_the_accuracy_of_a_fixed_step(void **unused)
{
    static const char *const turning[] = {"natural", "euler"}, *const methods[] = {"rk4", "rk6", "ab6"};
    static const char *const formulations[] = {"kane", "volterra", "maggi", "gibbs-appell", "boltzmann-hamel"};
    static const double another_constant = 100, rounding = 1e-12;
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 2; c++)
            for (int m = 0; m < 3; m++) {
                char settings[200];
                snprintf(settings, sizeof settings, "coordinates=%s formulation=lagrange integrator=%s", turning[c], methods[m]);
                trajectory multipliers = run_text_well(spinners[i], settings);
                for (int f = 0; f < (m ? 2 : 5); f++) {
                    snprintf(settings, sizeof settings, "coordinates=%s formulation=%s integrator=%s", turning[c], formulations[f], methods[m]);
                    trajectory speeds = run_text_well(spinners[i], settings);
                    if (!(speeds.evidence.energy_drift < another_constant * multipliers.evidence.energy_drift + rounding))
                        fail_msg("%s: the energy drifts by %.2e, with multipliers by %.2e", settings, speeds.evidence.energy_drift,
                                 multipliers.evidence.energy_drift);
                    assert_true(speeds.evidence.speeds_changed > 0);
                    free_run(&speeds);
                }
                free_run(&multipliers);
            }
}

/* ---- projections ------------------------------------------------------------------------------------------- */

static const char top[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                          "bodies:\n"
                          "  top: {mass: 1, inertia: [0.05, 0.05, 0.02], orientation: {euler-zxz: [0, 0.5, 0]},\n"
                          "    angular-velocity: {body: [0, 0.2397127693021015, 40]}, points: {p: [0, 0, -0.3]}}\n"
                          "joints:\n"
                          "  p: {type: spherical, connect: [ground, top.p]}\n"
                          "record: [top.x, top.y, top.z, top.omega.body.x, top.omega.body.y, top.omega.body.z]\n"
                          "simulate: {until: 0.5, every: 0.5, integrator: dopri5, rtol: 1e-12, atol: 1e-13}\n";

static const char slider_crank[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "bodies:\n"
                                   "  crank: {mass: 1, inertia: 0.02, position: [0, 0.1], angle: 90*deg, points: {O: [-0.1, 0], P: [0.1, 0]}}\n"
                                   "  rod: {mass: 1, inertia: 0.1, position: [0.3, 0.1], angle: -18.43494882292201*deg, points: {O: "
                                   "[-0.31622776601683794, 0], P: [0.31622776601683794, 0]}}\n"
                                   "joints:\n"
                                   "  A: {type: revolute, connect: [ground, crank.O]}\n"
                                   "  B: {type: revolute, connect: [crank.P, rod.O]}\n"
                                   "  C: {type: pin-in-slot, connect: [ground, rod.P], axis: [1, 0]}\n"
                                   "record: [crank.angle, rod.angle]\n"
                                   "simulate: {until: 0.5, every: 0.5, integrator: dopri5, rtol: 1e-12, atol: 1e-13}\n";

/* The tolerance follows rtol, and what the model gives is kept. The last column of the choice is what the evidence has to say. */
static void projections_are_as_fine_as_rtol_asks_for(void **unused)
{
    static const char *const methods[] = {"mass-projection", "direct-correction", "coordinate-partitioning"};
    static const char *const texts[] = {top, slider_crank};
    static const struct {
        const char *rtol, *given;
        double tolerance;
    } choices[] = {{"1e-6", "", 1e-10}, {"1e-10", "", 1e-11}, {"1e-12", "", 1e-13}, {"1e-12", "=1e-9", 1e-9}, {"1e-6", "=1e-13", 1e-13}};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 3; m++)
            for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
                char settings[200];
                snprintf(settings, sizeof settings, "coordinates=natural formulation=kane rtol=%s stabilization=%s%s", choices[k].rtol, methods[m],
                         choices[k].given);
                trajectory run = run_text_well(texts[i], settings);
                dal_system_info info = run.evidence.info;
                assert_true(fabs(run.evidence.projection_tolerance / choices[k].tolerance - 1) < 1e-12);
                if (!(run.evidence.position_residual <= 2.01 * choices[k].tolerance * fmax(1, info.length))) /* squares change by twice their root */
                    fail_msg("%s: residual %.2e", settings, run.evidence.position_residual);
                free_run(&run);
            }
}

/* Momenta of direction cosines feel what is left of phi. */
static void volterra_in_direction_cosines_is_as_exact_as_kane(void **unused)
{
    static const char *const texts[] = {top, slider_crank};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        trajectory exact = run_text_well(texts[i], "coordinates=joint formulation=recursive rtol=1e-13 atol=1e-15");
        trajectory kane = run_text_well(texts[i], "coordinates=natural formulation=kane");
        trajectory volterra = run_text_well(texts[i], "coordinates=natural formulation=volterra");
        const double ours = differ(&volterra, &exact), theirs = differ(&kane, &exact);
        if (!(ours < 5 * theirs + 1e-11))
            fail_msg("volterra is off by %.2e, kane by %.2e", ours, theirs);
        free_run(&exact), free_run(&kane), free_run(&volterra);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertias_that_differ_by_twelve_orders_keep_their_digits_in_every_choice),
        cmocka_unit_test(an_inertia_of_rounding_is_right_or_refused_by_name),
        cmocka_unit_test(accelerations_less_exact_than_rtol_are_a_warning_with_their_error),
        cmocka_unit_test(a_comparison_shows_all_formulations_at_the_reference),
        cmocka_unit_test(speeds_keep_the_accuracy_of_a_fixed_step),
        cmocka_unit_test(projections_are_as_fine_as_rtol_asks_for),
        cmocka_unit_test(volterra_in_direction_cosines_is_as_exact_as_kane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
