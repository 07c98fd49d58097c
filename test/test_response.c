/* Frequency responses, drives and motors as inputs, reactions and energies as outputs: against references of 30 digits and closed forms, and the same in
 * every family. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"

#include <complex.h>
#include <stdlib.h>

#define LINEAR DAL_REFERENCE "/linear/"

static const char *const families[] = {"angle", "euler", "natural", "joint"};

static void say_all(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        print_message("    %s\n", m->text);
}

static dal_spec *parse_spec(const char *text, const char *family)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        say_all(messages);
    assert_non_null(spec);
    if (family)
        assert_true(dal_spec_set(spec, "coordinates", family, messages));
    dal_messages_free(messages);
    return spec;
}

static dal_response *response_of(const dal_spec *spec, const dal_linear_options *options, int n, const double *omega)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_response *response = NULL;
    if (dal_response_find(NULL, spec, options, n, omega, messages, &response) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    assert_non_null(response);
    return response;
}

static double complex value_of(const dal_response *r, int f, int output, int input)
{
    const int at = (f * r->n_outputs + output) * r->n_inputs + input;
    return r->re[at] + I * r->im[at];
}

static void check_number(double complex got, double complex wanted, double tolerance, const char *what)
{
    if (!(cabs(got - wanted) <= tolerance * cabs(wanted)))
        fail_msg("%s: %.17g %+.17g i, not %.17g %+.17g i", what, creal(got), cimag(got), creal(wanted), cimag(wanted));
}

static void base_moves_two_masses_as_the_reference_says(void **unused)
{
    (void)unused;
    static const char *const drive = "drive", *const outputs[] = {"m1.x", "m2.x", "m2.x-m1.x"}, *const keys[] = {"z1", "z2", "z2-z1"};
    json_file file;
    const json *root = json_open(&file, LINEAR "3_two_mass_base.json");
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_read(NULL, LINEAR "3_two_mass_base.yaml", 0, NULL, NULL, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
        int n = 0;
        for (const json *at = json_get(root, "results")->first; at; at = at->next, n++) {
            const double omega = json_get(at, "omega")->number;
            dal_response *r =
                response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &drive, .n_outputs = 3, .outputs = outputs}, 1, &omega);
            for (int k = 0; k < 3; k++) {
                const json *wanted = json_get(json_get(at, "outputs"), keys[k]);
                check_number(value_of(r, 0, k, 0), json_get(wanted, "re")->number + I * json_get(wanted, "im")->number, 1e-12, keys[k]);
            }
            dal_response_free(r);
        }
        assert_true(n >= 4);
        dal_spec_free(spec);
    }
    json_close(&file);
}

/* A cart m_c on a spring, with a pendulum of a point mass m at the length l under it, pushed by a motor and by an input: with
 * P = (m_c + m - m (m l w^2)/(m l w^2 - m g)) ... written out below. The vertical force of the track carries the weight alone to first order; the horizontal
 * reaction of the pendulum is what moves it. */
static void motor_moves_a_cart_with_a_pendulum(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {F: 0}\n"
                               "bodies:\n  cart: {mass: 2, inertia: 1, position: [0, 0]}\n"
                               "  bob: {mass: 0.7, inertia: 0.02, position: [0, -0.9], points: {P: [0, 0.9]}}\n"
                               "joints:\n  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n"
                               "  pin: {type: revolute, connect: [cart, bob.P]}\n"
                               "forces:\n  push: {type: motor, joint: track, value: F - 30*track.distance - 0.8*track.distance'}\n"
                               "  drag: {type: motor, joint: pin, value: -0.1*pin.angle'}\n";
    static const char *const inputs[] = {"F", "push", "drag"};
    static const char *const outputs[] = {"cart.x", "pin.angle", "pin.force.x", "track.torque", "push.force", "bob.x''"};
    static const double omega[] = {0.3, 2.5, 4.1, 9, 50};
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 3, .inputs = inputs, .n_outputs = 6, .outputs = outputs}, 5, omega);
        assert_int_equal(r->n_outputs, 6);
        for (int k = 0; k < 5; k++) {
            const double w = omega[k];
            const double complex s = I * w;
            /* (M s^2 + C s + K) (x, a) = (F, T) with m l = 0.63, I + m l^2 = 0.587 */
            const double complex a = 2.7 * s * s + 0.8 * s + 30, b = 0.63 * s * s, c = 0.587 * s * s + 0.1 * s + 0.63 * 9.81, d = a * c - b * b;
            const double complex x = c / d, angle = -b / d;
            for (int input = 0; input < 2; input++) {
                check_number(value_of(r, k, 0, input), x, 1e-12, "cart.x");
                check_number(value_of(r, k, 1, input), angle, 1e-12, "pin.angle");
                check_number(value_of(r, k, 2, input), 0.7 * s * s * (x + 0.9 * angle), 1e-11, "pin.force.x");
                check_number(value_of(r, k, 5, input), s * s * (x + 0.9 * angle), 1e-11, "bob.x''");
                check_number(value_of(r, k, 4, input), 1 - (30 + 0.8 * s) * x, 1e-11, "push.force");
            }
            check_number(value_of(r, k, 0, 2), -b / d, 1e-12, "cart.x by drag");
            check_number(value_of(r, k, 1, 2), a / d, 1e-12, "pin.angle by drag");
        }
        dal_response_free(r);
        dal_spec_free(spec);
    }
}

/* The pivot of a pendulum follows a drive x = u: l a'' + g a = -u''; and a drive of the rate alone is the same over s. */
static void drives_of_value_and_rate_move_a_pendulum(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies:\n  pivot: {mass: 1, inertia: 1, position: [0, 0]}\n  bob: {mass: 0.5, position: [0, -0.8]}\n"
                               "joints:\n  rail: {type: prismatic, connect: [ground, pivot], axis: [1, 0], %s: 0}\n"
                               "  rod: {type: distance, connect: [pivot, bob], length: 0.8}\n";
    static const char *const rail = "rail", *const outputs[] = {"bob.x", "rail.drive", "pivot.x"};
    const double w = 2.7;
    for (int f = 0; f < 8; f++) {
        char model[600];
        snprintf(model, sizeof model, text, f < 4 ? "drive" : "drive-rate");
        dal_spec *spec = parse_spec(model, families[f % 4]);
        dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &rail, .n_outputs = 3, .outputs = outputs}, 1, &w);
        assert_int_equal(r->linearization->n_inputs, f < 4 ? 3 : 2);
        assert_int_equal(r->n_inputs, 1);
        const double complex s = I * w, x = (9.81 / 0.8) / (s * s + 9.81 / 0.8), over = f < 4 ? 1 : s;
        check_number(value_of(r, 0, 0, 0), x / over, 1e-12, "bob.x");
        check_number(value_of(r, 0, 1, 0), (s * s + 0.5 * s * s * x) / over, 1e-11, "rail.drive");
        check_number(value_of(r, 0, 2, 0), 1 / over, 1e-12, "pivot.x");
        dal_response_free(r);
        dal_spec_free(spec);
    }
}

static void expect_refusal(const char *text, const dal_linear_options *options, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = parse_spec(text, NULL);
    dal_response *r = NULL;
    const double w = sqrt(2);
    bool said = false;
    dal_response_find(NULL, spec, options, 1, &w, messages, &r);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        said = said || strstr(m->text, words);
    if (!said) {
        say_all(messages);
        fail_msg("nothing says '%s'", words);
    }
    dal_response_free(r);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void what_has_no_response_is_named(void **unused)
{
    (void)unused;
    static const char door[] =
        "dalembert: 1\nspace: spatial\nbodies: {leaf: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], points: {P: [0, 0, 1], Q: [0, 0, -1]}}}\n"
        "ground: {points: {P: [0, 0, 1], Q: [0, 0, -1]}}\ninputs: {F: 0}\n"
        "joints:\n  top: {type: revolute, connect: [ground.P, leaf.P], axis: [0, 0, 1]}\n"
        "  foot: {type: revolute, connect: [ground.Q, leaf.Q], axis: [0, 0, 1]}\n"
        "forces: {m: {type: motor, joint: top, value: F - 2*top.angle}}\n";
    static const char *const F = "F", *const wrong = "G", *const angle = "top.angle", *const loose = "top.force.z",
                             *const fixed = "top.force.x + foot.force.x";
    expect_refusal(door, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &loose},
                   "output 'top.force.z' is one of many");
    expect_refusal(door, &(dal_linear_options){.n_inputs = 1, .inputs = &wrong, .n_outputs = 1, .outputs = &angle}, "an input is one of F, m");
    expect_refusal(door, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &angle}, "the response is infinite");
    dal_spec *spec = parse_spec(door, NULL);
    const double w = 1;
    dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &fixed}, 1, &w);
    check_close(cabs(value_of(r, 0, 0, 0)), 0, 1e-12);
    dal_response_free(r);
    dal_spec_free(spec);
}

static void curves_are_drawn_and_written(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ninputs: {F: 0}\nbodies: {b: {mass: 2, position: [0, 0]}}\n"
        "joints: {guide: {type: lock, body: b, coordinate: y}}\nforces: {f: {type: force, body: b, value: [F - 8*b.x - b.x', 0]}}\n";
    static const char *const F = "F", *const x = "b.x";
    const double omega[] = {0.5, 1, 2, 4};
    dal_spec *spec = parse_spec(text, NULL);
    dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &x}, 4, omega);
    for (int nyquist = 0; nyquist < 2; nyquist++) {
        char *svg = NULL;
        assert_int_equal(dal_response_svg(NULL, r, &(dal_response_drawing){.nyquist = nyquist}, NULL, &svg), DAL_OK);
        assert_non_null(strstr(svg, nyquist ? "imaginary part" : "phase, deg"));
        assert_non_null(strstr(svg + 1, "<svg x="));
        assert_null(strstr(svg, " id=")); /* a page has both charts: a name in one would be a name in the other */
        free(svg);
    }
    char line[2000];
    assert_true(dal_response_csv(r, line, sizeof line) < (int)sizeof line);
    double hertz, w, re, im;
    assert_int_equal(sscanf(strchr(line, '\n') + 1, "%lf,%lf,%lf,%lf", &hertz, &w, &re, &im), 4);
    check_close(hertz, 0.5 / (2 * M_PI), 1e-16);
    check_number(re + I * im, 1 / (8 - 2 * 0.25 + 0.5 * I), 1e-14, "b.x");
    dal_response_free(r);
    dal_spec_free(spec);
}

/* Eight masses in a row, a force on the last: x_1 / F = k^7 / D_8, where D_j = (2 k - m w^2) D_{j-1} - k^2 D_{j-2} are the determinants, the last with one
 * k. Along x the numbers of A are exact in coordinates of the bodies; else those that couple masses far apart are rounding, and beside it the response is
 * lost. */
static double answer_of_first(double omega)
{
    const double k = 200, own = 2 * k - 0.5 * omega * omega;
    double before = 1, D = own;
    for (int j = 2; j <= 8; j++) {
        const double next = (j < 8 ? own : own - k) * D - k * k * before;
        before = D;
        D = next;
    }
    return pow(k, 7) / D;
}

static void small_responses_have_their_digits_or_none(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\ninputs: {u: 0}\nparameters: {c: %s, d: %s}\n"
                               "bodies: {m: {repeat: {i: 1..8}, mass: 0.5, inertia: [1, 1.1, 1.2], position: [i*c, i*d, i*d]}}\njoints:\n"
                               "  a: {type: prismatic, connect: [ground, m.1], axis: [c, d, d]}\n"
                               "  j: {repeat: {i: 2..8}, type: prismatic, connect: [\"m.{i-1}\", \"m.{i}\"], axis: [c, d, d]}\nforces:\n"
                               "  s: {type: spring-damper, connect: [ground, m.1], stiffness: 200, length: 1}\n"
                               "  r: {repeat: {i: 2..8}, type: spring-damper, connect: [\"m.{i-1}\", \"m.{i}\"], stiffness: 200, length: 1}\n"
                               "  p: {type: force, body: m.8, value: [u*c, u*d, u*d]}\n";
    static const char *const u = "u", *const first = "m.1.x";
    static const double omega[] = {5, 60, 100, 200, 300, 600};
    for (int f = 0; f < 4; f++)
        for (int inclined = 0; inclined < 2; inclined++) {
            const bool rounded = inclined || f == 3;
            char model[1200], csv[4000];
            snprintf(model, sizeof model, text, inclined ? "1/sqrt(3)" : "1", inclined ? "1/sqrt(3)" : "0");
            dal_spec *spec = parse_spec(model, families[f]);
            dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &u, .n_outputs = 1, .outputs = &first}, 6, omega);
            for (size_t i = 0; i < 6; i++) {
                const double exact = answer_of_first(omega[i]) / (inclined ? sqrt(3) : 1);
                if (rounded && isnan(r->re[i]))
                    continue;
                assert_true(fabs(r->re[i] - exact) <= (rounded ? 1e-3 : 1e-12) * fabs(exact));
                assert_true(fabs(r->im[i]) <= (rounded ? 1e-3 : 1e-12) * fabs(exact));
            }
            assert_true(isfinite(r->re[1]));
            assert_true(isfinite(r->re[5]) != rounded);
            assert_true(dal_response_csv(r, csv, sizeof csv) < (int)sizeof csv);
            assert_null(strstr(csv, "nan"));
            assert_true((strstr(csv, ",,,,\n") != NULL) == rounded);
            dal_response_free(r);
            dal_spec_free(spec);
        }
}

static void a_response_of_zero_has_no_phase(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ninputs: {F: 0}\nbodies: {b: {mass: 2, position: [0, 0]}, far: {mass: 3, position: [5, 0]}}\n"
        "joints: {guide: {type: lock, body: b, coordinate: y}, other: {type: lock, body: far, coordinate: y}}\n"
        "forces: {f: {type: force, body: b, value: [F - 8*b.x - b.x', 0]}, g: {type: force, body: far, value: [40 - 8*far.x, 0]}}\n";
    static const char *const F = "F", *const x = "far.x";
    const double omega[] = {0.5, 1};
    char line[2000];
    dal_spec *spec = parse_spec(text, NULL);
    dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &x}, 2, omega);
    assert_true(dal_response_text(r, 6, line, sizeof line) < (int)sizeof line);
    assert_non_null(strstr(line, "far.x by F: zero at every frequency, because the input does not reach the output\n"));
    assert_null(strstr(line, "nan"));
    assert_true(dal_response_csv(r, line, sizeof line) < (int)sizeof line);
    assert_null(strstr(line, "nan"));
    assert_non_null(strstr(line, ",0,0,0,\n"));
    dal_response_free(r);
    static const char *const rate = "b.x'";
    r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &rate}, 1, (double[]){0});
    assert_true(dal_response_text(r, 6, line, sizeof line) < (int)sizeof line);
    assert_non_null(strstr(line, "b.x' by F: zero at this frequency\n"));
    dal_response_free(r);
    dal_spec_free(spec);
    /* at an eigenvalue that nothing damps the response is infinite, and has no phase either */
    spec = parse_spec("dalembert: 1\nspace: planar\ninputs: {F: 0}\nbodies: {b: {mass: 2}}\njoints: {guide: {type: lock, body: b, coordinate: y}}\n"
                      "forces: {f: {type: force, body: b, value: [F - 8*b.x, 0]}}\n",
                      NULL);
    r = response_of(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &rate}, 2, (double[]){1, 2});
    assert_true(dal_response_text(r, 6, line, sizeof line) < (int)sizeof line);
    assert_null(strstr(line, "nan"));
    assert_non_null(strstr(line, "inf             -\n"));
    dal_response_free(r);
    dal_spec_free(spec);
}

/* ---- poles, zeros, what is hidden; modes over a parameter ------------------------------------------ */

static dal_linearization *linearize(const dal_spec *spec, const dal_linear_options *options)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_linearization *l = NULL;
    if (dal_linearize(NULL, spec, options, messages, &l) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    assert_non_null(l);
    return l;
}

/* Two equal masses on equal springs, coupled, pushed alike: the difference is not moved, and their mean does not see it. */
static void hidden_modes_are_named(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ninputs: {F: 0, G: 0}\n"
                               "bodies: {a: {mass: 2, position: [0, 0]}, b: {mass: 2, position: [0, 1]}}\n"
                               "joints: {ra: {type: lock, body: a, coordinate: y}, rb: {type: lock, body: b, coordinate: y}}\nforces:\n"
                               "  fa: {type: force, body: a, value: [F + G - 8*a.x - 5*(a.x - b.x), 0]}\n"
                               "  fb: {type: force, body: b, value: [F - 8*b.x - 5*(b.x - a.x), 0]}\n";
    static const char *const F = "F", *const G = "G", *const mean = "a.x + b.x", *const one = "a.x";
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_linearization *l = linearize(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 1, .outputs = &mean});
        assert_int_equal(l->n_poles, 2);
        check_close(l->poles[0].im, 2, 1e-13);
        check_close(l->poles[1].im, 3, 1e-13);
        assert_int_equal(l->n_uncontrollable, 1);
        assert_int_equal(l->n_unobservable, 1);
        assert_non_null(strstr(l->uncontrollable[0], "0.477465 Hz"));
        assert_non_null(strstr(l->unobservable[0], "0.477465 Hz"));
        dal_linearization_free(l);
        /* a.x by G: (2 s^2 + 13) / ((2 s^2 + 8)(2 s^2 + 18)) */
        l = linearize(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &G, .n_outputs = 1, .outputs = &one});
        assert_int_equal(l->n_uncontrollable, 0);
        assert_int_equal(l->n_unobservable, 0);
        assert_int_equal(l->n_pairs, 1);
        assert_int_equal(l->zeros[0].relative_degree, 2);
        assert_int_equal(l->zeros[0].n, 1);
        check_close(l->zeros[0].roots[0].im, sqrt(6.5), 1e-12);
        check_close(l->zeros[0].roots[0].re, 0, 1e-12);
        dal_linearization_free(l);
        dal_spec_free(spec);
    }
}

/* Two masses of one frequency, or two that nothing holds: the force acts on the second alone, and its place alone is seen. */
static void of_equal_modes_the_hidden_one_is_named(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ninputs: {F: 0}\nparameters: {k: %d}\n"
                               "bodies: {a: {mass: 2, position: [0, 0]}, b: {mass: 2, position: [0, 1]}}\n"
                               "joints: {ra: {type: lock, body: a, coordinate: y}, rb: {type: lock, body: b, coordinate: y}}\nforces:\n"
                               "  fa: {type: force, body: a, value: [\"-k*a.x - 0.05*k*a.x'%s\", 0]}\n"
                               "  fb: {type: force, body: b, value: [\"-k*b.x - 0.05*k*b.x' + F\", 0]}\n";
    static const char *const outputs[] = {"b.x", "a.x + 2*b.x"};
    for (int f = 0; f < 4; f++)
        for (int held = 0; held < 2; held++)
            for (int both = 0; both < 2;
                 both++) { /* F on both: the difference is not moved. a + 2 b = 0: of the unseen motion, a has 4/5. sqrt(3.99) rad/s */
                char model[600];
                snprintf(model, sizeof model, text, held ? 8 : 0, both ? " + F" : "");
                dal_spec *spec = parse_spec(model, families[f]);
                dal_linearization *l = linearize(spec, &(dal_linear_options){.n_outputs = 1, .outputs = &outputs[both]});
                assert_int_equal(l->n_uncontrollable, 1);
                assert_int_equal(l->n_unobservable, 1);
                if (both && held) {
                    assert_non_null(strstr(l->uncontrollable[0], "(50 % "));
                    assert_string_equal(l->unobservable[0], "0.317912 Hz (80 % a along x)");
                } else if (both)
                    assert_string_equal(l->unobservable[0], "0 (a.x)");
                else {
                    assert_string_equal(l->uncontrollable[0], held ? "0.317912 Hz (100 % a along x)" : "0 (a.x)");
                    assert_string_equal(l->unobservable[0], held ? "0.317912 Hz (100 % a along x)" : "0 (a.x)");
                }
                dal_linearization_free(l);
                dal_spec_free(spec);
            }
}

/* A cart with a pendulum: the zeros of the cart are the poles of the pendulum alone; the angle has a double zero at 0. */
static void zeros_are_those_of_what_is_held(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {F: 0}\n"
                               "bodies:\n  cart: {mass: 2, inertia: 1, position: [0, 0]}\n  bob: {mass: 0.7, position: [0, -0.9]}\n"
                               "joints:\n  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n"
                               "  rod: {type: distance, connect: [cart, bob], length: 0.9}\n"
                               "forces: {push: {type: motor, joint: track, value: F}}\n";
    static const char *const F = "F", *const outputs[] = {"cart.x", "bob.x - cart.x", "bob.x''"};
    dal_spec *spec = parse_spec(text, NULL);
    dal_linearization *l = linearize(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 3, .outputs = outputs});
    assert_int_equal(l->n_zero_poles, 2);
    check_close(l->poles[0].im, sqrt(9.81 / 0.9 * (1 + 0.35)), 1e-12);
    assert_int_equal(l->zeros[0].n, 1);
    check_close(l->zeros[0].roots[0].im, sqrt(9.81 / 0.9), 1e-12);
    assert_int_equal(l->zeros[1].n, 2);
    check_close(l->zeros[1].roots[0].re, 0, 0);
    check_close(l->zeros[1].roots[1].re, 0, 0);
    dal_linearization_free(l);
    dal_spec_free(spec);
    /* with a damper the double zero at 0 of an acceleration is that of a pencil in s, not in s^2 */
    static const char damped[] = "dalembert: 1\nspace: planar\ninputs: {F: 0}\n"
                                 "bodies: {a: {mass: 2}, b: {mass: 1, position: [1, 0]}, d: {mass: 0.5, position: [2, 0]}}\n"
                                 "joints: {ra: {type: lock, body: a, coordinate: y}, rb: {type: lock, body: b, coordinate: y}, "
                                 "rd: {type: lock, body: d, coordinate: y}}\nforces:\n"
                                 "  fa: {type: force, body: a, value: [F - 8*a.x - 40*(a.x - b.x + 1) - 0.5*(a.x' - b.x'), 0]}\n"
                                 "  fb: {type: force, body: b, value: [-40*(b.x - a.x - 1) - 0.5*(b.x' - a.x') - 30*(b.x - d.x + 1), 0]}\n"
                                 "  fd: {type: force, body: d, value: [-30*(d.x - b.x - 1) - 5*(d.x - 2), 0]}\n";
    static const char *const accelerations[] = {"a.x''", "b.x''"};
    spec = parse_spec(damped, NULL);
    l = linearize(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &F, .n_outputs = 2, .outputs = accelerations});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(l->zeros[i].relative_degree, i);
        assert_int_equal(l->zeros[i].n_undetermined, 0);
        assert_int_equal(l->zeros[i].n, 4);
        for (int k = 0; k < 2; k++)
            check_close(hypot(l->zeros[i].roots[k].re, l->zeros[i].roots[k].im), 0, 0);
    }
    check_close(l->zeros[1].roots[2].im, sqrt(70), 1e-11);
    check_close(l->zeros[1].roots[3].re, -80, 1e-8);
    dal_linearization_free(l);
    dal_spec_free(spec);
}

/* A hanging chain, pushed by a motor at its top: the zeros of its last link were bisected on determinants of rational numbers. The gain of a long chain
 * is near its rounding. Every zero that is claimed is right within its error, and the others are counted. */
static void zeros_of_a_chain_hold_or_are_not_claimed(void **unused)
{
    (void)unused;
    static const double exact[] = {24.261079943, 29.713633235, 38.360135558, 45.388324490, 51.465522440, 56.897275857, 61.853860025};
    static const int lengths[] = {3, 5, 12, 20, 30, 38};
    static const char *const motor = "m";
    for (size_t k = 0; k < 4 * sizeof lengths / sizeof *lengths; k++) {
        static char shown[400000];
        char text[1200], output[20];
        const char *const last = output;
        const int n = lengths[k / 4];
        snprintf(output, sizeof output, "link.%d.x", n);
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nparameters: {n: %d, L: 0.1}\ngravity: [0, -9.81]\n"
                 "bodies: {link: {repeat: {i: 1..n}, mass: 0.3, inertia: 0.3*L^2/12, position: [0, -(i - 0.5)*L], angle: -90*deg, "
                 "points: {A: [-L/2, 0], B: [L/2, 0]}}}\n"
                 "joints:\n  top: {type: revolute, connect: [ground, link.1.A]}\n"
                 "  pin: {repeat: {i: 2..n}, type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"]}\n"
                 "forces: {m: {type: motor, joint: top, value: 0}}\n",
                 n);
        dal_spec *spec = parse_spec(text, families[k % 4]);
        dal_linearization *l = linearize(spec, &(dal_linear_options){.n_inputs = 1, .inputs = &motor, .n_outputs = 1, .outputs = &last});
        const dal_zeros *z = l->zeros;
        int known = 0;
        for (int i = 0; i < z->n; i++) {
            const double size = fabs(z->roots[i].re) + z->roots[i].im;
            double off = INFINITY;
            for (size_t e = 0; e < sizeof exact / sizeof *exact; e++)
                off = fmin(off, fabs(size - exact[e]));
            assert_true(z->roots[i].re == 0 || z->roots[i].im == 0);
            assert_true(off <= z->roots[i].error + 1e-9 && z->roots[i].error <= 1e-3 * size);
            known += z->roots[i].im > 0 ? 2 : 1;
        }
        assert_in_range(dal_linearization_text(l, 6, 100, shown, sizeof shown), 1, sizeof shown - 1);
        assert_int_equal(z->n_undetermined == 0, n <= 5);
        assert_int_equal(strstr(shown, n == 38 ? "by more than rounding" : "are not determined") == NULL, n <= 5);
        if (z->relative_degree >= 0)
            assert_int_equal(known + z->n_undetermined + z->relative_degree, 2 * n);
        if (n <= 20)
            assert_int_equal(z->relative_degree, 2);
        dal_linearization_free(l);
        dal_spec_free(spec);
    }
}

/* The messages of a linearisation with one output, or with none. */
static dal_status told(const char *text, const char *output, const char *input, char *heard, size_t size)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_linearization *l = NULL;
    dal_spec *spec = parse_spec(text, NULL);
    const dal_linear_options options = {.n_outputs = output ? 1 : 0, .outputs = &output, .n_inputs = input ? 1 : 0, .inputs = input ? &input : NULL};
    const dal_status status = dal_linearize(NULL, spec, &options, messages, &l);
    *heard = '\0';
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        snprintf(heard + strlen(heard), size - strlen(heard), "%s\n", m->text);
    dal_linearization_free(l);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return status;
}

static const char slider[] = "dalembert: 1\nspace: planar\ninputs: {F: 0}\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
                             "joints:\n  A: {type: prismatic, connect: [ground, a], axis: [1, 0]}\n"
                             "  B: {type: prismatic, connect: [ground, b], axis: [1, 0]}\n"
                             "forces:\n  fa: {type: spring-damper, joint: A, stiffness: 9, damping: 1}\n  fb: {type: motor, joint: B, value: F}\n";

/* An output at a corner is named; one with an infinite slope is refused. What does not move there, or is smooth, is neither. */
static void outputs_without_a_derivative_are_named(void **unused)
{
    (void)unused;
    static const char *const refused[] = {"sqrt(a.x)",     "sqrt(abs(a.x))",      "a.x^0.5",   "acos(cos(a.x))",
                                          "asin(1 - a.x)", "sqrt(a.x^2 + b.x^2)", "sqrt(b.x')"};
    static const char *const cornered[] = {"abs(a.x)", "if(a.x > 0, 1, 2)", "max(a.x, 0)", "sign(a.x')", "abs(F)"};
    static const char *const smooth[] = {"a.x",          "sqrt(1 + a.x)", "a.x^2",     "a.x^3",
                                         "abs(a.x - 1)", "sqrt(0)",       "acos(a.x)", "if(t < 1, a.x, abs(b.x))"};
    char heard[2000];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(told(slider, refused[i], "F", heard, sizeof heard), DAL_BAD_MODEL);
        assert_non_null(strstr(heard, refused[i]));
        assert_non_null(strstr(heard, "has no derivative here"));
    }
    for (size_t i = 0; i < sizeof cornered / sizeof *cornered; i++) {
        assert_int_equal(told(slider, cornered[i], "F", heard, sizeof heard), DAL_OK);
        assert_non_null(strstr(heard, cornered[i]));
        assert_non_null(strstr(heard, "is at a corner here"));
    }
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        assert_int_equal(told(slider, smooth[i], "F", heard, sizeof heard), DAL_OK);
        assert_string_equal(heard, "");
    }
}

/* |d| has no derivative at d = 0, in outputs and in forces. The force k |d| along d is k d, which has one. */
static void lengths_of_zero_have_no_derivative(void **unused)
{
    (void)unused;
    static const char *const format = "dalembert: 1\nspace: planar\ninputs: {F: 0}\nbodies: {a: {mass: 1, inertia: 1, position: [0.3, 0], points: "
                                      "{P: [-0.3, 0]}}}\nforces:\n  s: {type: spring-damper, connect: [ground, a.P], stiffness: 9, length: 0%s}\n"
                                      "  f: {type: force, body: a, value: [F, 0]}\n  u: {type: torque, body: a, value: F}\n%s";
    static const struct {
        const char *spring, *more, *output, *says; /* NULL: it has a derivative */
    } cases[] = {
        {"", "", "a.x", NULL},
        {"", "", "s.length^2", NULL},
        {"", "", "u.torque", NULL},
        {"", "", "s.length", "output 's.length' has no derivative here"},
        {"", "", "s.length'", "output 's.length'' has no derivative here"},
        {"", "", "s.force", "output 's.force' has no derivative here"},
        {"", "", "f.force", "output 'f.force' has no derivative here"},
        {", damping: 1", "", "a.x", "the points of 's' coincide"},
        {"", "  g: {type: torque, body: a, value: s.length}\n", "a.x", "reads the length of a vector, which is zero"},
        {"", "  g: {type: torque, body: a, value: s.length^2}\n", "a.x", NULL},
        {"", "  g: {type: torque, body: a, value: norm(a.P.position)}\n", "a.x",
         "'norm(a.P.position)' has no derivative here: it has a root of zero"},
        {"", "  r: {type: bushing, connect: [ground, a.P], stiffness: [1, 1, 1]}\n  g: {type: torque, body: a, value: r.length}\n", "a.x",
         "reads the length of a vector, which is zero"},
        {"", "states: {z: {start: 0, rate: s.length - z}}\n", "a.x", "'s.length - z' has no derivative here"},
    };
    char text[1000], heard[2000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, format, cases[i].spring, cases[i].more);
        assert_int_equal(told(text, cases[i].output, "F", heard, sizeof heard), cases[i].says ? DAL_BAD_MODEL : DAL_OK);
        if (cases[i].says)
            assert_non_null(strstr(heard, cases[i].says));
    }
}

/* At 3 rad/s, where b oscillates undamped: b is infinite by w, and what b does not move is not. At zero a force on a free mass gives an acceleration. */
static void an_eigenvalue_is_infinite_only_for_what_it_moves(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ninputs: {u: 0, w: 0}\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 2, inertia: 1}}\njoints:\n"
        "  ja: {type: prismatic, connect: [ground, a], axis: [1, 0]}\n"
        "  jb: {type: prismatic, connect: [ground, b], axis: [1, 0]}\n"
        "forces:\n  fa: {type: motor, joint: ja, value: u}\n  fb: {type: motor, joint: jb, value: w - 18*jb.distance}\n";
    static const char *const inputs[] = {"u", "w"}, *const outputs[] = {"a.x", "b.x", "a.x''", "b.x + a.x''"};
    static const double omega[] = {0, 3}, inf = INFINITY;
    const double expected[2][4][2] = {{{inf, 0}, {0, 1 / 18.}, {1, 0}, {1, 1 / 18.}}, {{-1 / 9., 0}, {0, inf}, {1, 0}, {1, inf}}};
    dal_spec *spec = parse_spec(text, NULL);
    dal_response *r = response_of(spec, &(dal_linear_options){.n_inputs = 2, .inputs = inputs, .n_outputs = 4, .outputs = outputs}, 2, omega);
    assert_int_equal(r->n_infinite, 2);
    for (int f = 0; f < 2; f++)
        for (int o = 0; o < 4; o++)
            for (int i = 0; i < 2; i++) {
                if (isinf(expected[f][o][i]))
                    assert_true(isinf(creal(value_of(r, f, o, i))));
                else
                    check_number(value_of(r, f, o, i), expected[f][o][i], 1e-13, outputs[o]);
            }
    dal_response_free(r);
    dal_spec_free(spec);
}

/* What has no derivative is refused for its own reason, and unknown names are faults of the call. */
static void reasons_are_true(void **unused)
{
    (void)unused;
    static const char *const reasons[][2] = {{"1/a.x", "its value is not a finite number"},
                                             {"log(a.x)", "its value is not a finite number"},
                                             {"energy.work", "work since the start is no function of the state"},
                                             {"a.x + energy.balance", "work since the start is no function of the state"}};
    static const char *const states[][2] = {{"a.x'", "state 'a.x'' is a rate"}, {"a.foo", "body 'a' has no channel 'foo'"}};
    char heard[2000];
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        assert_int_equal(told(slider, reasons[i][0], NULL, heard, sizeof heard), DAL_BAD_MODEL);
        assert_non_null(strstr(heard, reasons[i][1]));
    }
    assert_int_equal(told(slider, "a.foo", NULL, heard, sizeof heard), DAL_BAD_COMMAND);
    dal_spec *spec = parse_spec(slider, NULL);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_linearization *l = NULL;
        assert_int_equal(dal_linearize(NULL, spec, &(dal_linear_options){.n_states = 1, .states = &states[i][0]}, messages, &l), DAL_BAD_COMMAND);
        assert_null(l);
        assert_int_equal(dal_messages_count(messages, DAL_ERROR), 1);
        assert_non_null(strstr(dal_messages_first(messages)->text, states[i][1]));
        dal_messages_free(messages);
    }
    dal_spec_free(spec);
}

/* A force, a stiffness or a drive that reads the time is said to do so, where its rate of change is zero as well. */
/* A pendulum that is let go level is in no equilibrium. */
/* What many outputs and inputs cost: each is solved for once a frequency, and pairs of them cost no product with A. 8 inputs in place of one make 28 such
 * solutions of 21, and 160 pairs of 20. */
static void pairs_of_inputs_and_outputs_share_the_work(void **unused)
{
    (void)unused;
#if !defined(__SANITIZE_ADDRESS__)
    enum { OUTPUTS = 20, INPUTS = 8, FREQUENCIES = 40 };
    dal_spec *spec = parse_spec("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies: {rod: {repeat: {i: 1..40}, mass: 1, inertia: 0.1, position: [0, 1/2 - i], angle: -pi/2, "
                                "points: {a: [-0.5, 0], b: [0.5, 0]}}}\n"
                                "joints:\n  root: {type: revolute, connect: [ground, rod.1.a]}\n"
                                "  link: {repeat: {i: 2..40}, type: revolute, connect: [\"rod.{i-1}.b\", \"rod.{i}.a\"]}\n"
                                "forces:\n  m: {repeat: {i: 2..40}, type: motor, joint: \"link.{i}\", value: \"-0.1*link.{i}.angle'\"}\n",
                                NULL);
    static char names[OUTPUTS][20], motors[INPUTS][20];
    const char *outputs[OUTPUTS], *inputs[INPUTS];
    double omega[FREQUENCIES], least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < OUTPUTS; i++) {
        snprintf(names[i], sizeof names[i], "rod.%d.x", i + 1);
        outputs[i] = names[i];
    }
    for (int i = 0; i < INPUTS; i++) {
        snprintf(motors[i], sizeof motors[i], "m.%d", i + 2);
        inputs[i] = motors[i];
    }
    for (int f = 0; f < FREQUENCIES; f++)
        omega[f] = 0.1 * (f + 1);
    for (int i = 0; i < 6; i++) {
        dal_response *response = NULL;
        const dal_linear_options options = {.n_inputs = i % 2 ? INPUTS : 1, .inputs = inputs, .n_outputs = OUTPUTS, .outputs = outputs};
        const double begun = check_cpu_seconds();
        assert_int_equal(dal_response_find(NULL, spec, &options, FREQUENCIES, omega, NULL, &response), DAL_OK);
        least[i % 2] = fmin(least[i % 2], check_cpu_seconds() - begun);
        dal_response_free(response);
    }
    print_message("  1 input: %.3f s, 8 inputs: %.3f s\n", least[0], least[1]);
    assert_true(least[1] < 2 * least[0]);
    dal_spec_free(spec);
#endif
}

static void a_point_of_a_motion_is_said(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {u: 0}\nparameters: {a: 0}\n"
                               "bodies: {p: {mass: 1, inertia: 0.1, position: [cos(a), sin(a)], angle: a, points: {O: [-1, 0]}}}\n"
                               "joints: {O: {type: revolute, connect: [ground, p.O]}}\nforces: {m: {type: motor, joint: O, value: u}}\n";
    static const char *const u = "u", *const x = "p.x";
    const double values[] = {-90 * M_PI / 180, 0, 0.5}, omega = 1;
    dal_modes *modes[3];
    dal_campbell *campbell = NULL;
    dal_response *response = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *level = parse_spec(text, NULL);
    const dal_linear_options options = {.n_inputs = 1, .inputs = &u, .n_outputs = 1, .outputs = &x};
    assert_int_equal(dal_response_find(NULL, level, &options, 1, &omega, messages, &response), DAL_OK);
    assert_int_equal(dal_messages_count(messages, DAL_WARNING), 1);
    assert_non_null(strstr(dal_messages_first(messages)->text, "one instant of a motion, which is not an equilibrium"));
    dal_response_free(response);
    dal_spec_free(level);
    dal_messages_free(messages);
    messages = dal_messages_create(NULL);
    for (int v = 0; v < 3; v++) {
        char value[40];
        dal_spec *spec = NULL;
        snprintf(value, sizeof value, "%.17g", values[v]);
        assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 1, &(dal_override){"a", value}, messages, &spec), DAL_OK);
        assert_int_equal(dal_modes_find(NULL, spec, NULL, messages, &modes[v]), DAL_OK);
        dal_spec_free(spec);
    }
    assert_int_equal(dal_messages_count(messages, DAL_WARNING), 0);
    assert_int_equal(dal_campbell_track(NULL, "a", 3, values, (const dal_modes *const *)modes, messages, &campbell), DAL_OK);
    assert_int_equal(dal_messages_count(messages, DAL_WARNING), 1);
    assert_non_null(strstr(dal_messages_first(messages)->text, "at 2 of 3 values of 'a' (0 the first)"));
    dal_campbell_free(campbell);
    for (int v = 0; v < 3; v++)
        dal_modes_free(modes[v]);
    dal_messages_free(messages);
}

static void what_changes_with_time_is_said(void **unused)
{
    (void)unused;
    static const char *const parts[] = {"forces: {f: {type: force, body: b, value: [0, 5*cos(t)]}}",
                                        "forces: {f: {type: force, body: b, value: [0, 5*sin(t)]}}",
                                        "forces: {f: {type: motor, joint: s, value: -40*cos(t)*b.y}}",
                                        "forces: {f: {type: spring-damper, joint: s, stiffness: 40}}\nstates: {z: {rate: t^2 - z, start: 0}}",
                                        "forces: {f: {type: spring-damper, joint: s, stiffness: 40}}",
                                        "forces: {f: {type: spring-damper, joint: s, stiffness: 40 + 0*cos(0)}}"};
    for (int i = 0; i < 6; i++) {
        char text[1000], heard[2000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {b: {mass: 2, inertia: 0.1}}\n"
                 "joints: {s: {type: prismatic, connect: [ground, b], axis: [0, 1]}}\n%s\n",
                 parts[i]);
        assert_int_equal(told(text, NULL, NULL, heard, sizeof heard), DAL_OK);
        assert_int_equal(strstr(heard, "change with time: what is found belongs to t = 0") != NULL, i < 4);
    }
    /* a motion is not steady where a force changes with time */
    for (int i = 0; i < 2; i++) {
        char text[1000];
        dal_messages *messages = dal_messages_create(NULL);
        dal_modes *modes = NULL;
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\n"
                 "bodies: {b: {mass: 2, inertia: 0.1}, c: {mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
                 "joints: {s: {type: revolute, connect: [ground, b]}, p: {type: prismatic, connect: [b, c], axis: [1, 0]}}\n"
                 "forces: {k: {type: spring-damper, joint: p, stiffness: 500, free: 0.4}, m: {type: motor, joint: p, value: %s}}\n",
                 i ? "5*cos(t)" : "5");
        dal_spec *spec = parse_spec(text, NULL);
        const dal_steady rate = {"s.angle", 3};
        assert_int_equal(dal_modes_find(NULL, spec, &(dal_linear_options){.at = "steady", .n_steady = 1, .steady = &rate}, messages, &modes), DAL_OK);
        assert_int_equal(dal_messages_count(messages, DAL_WARNING), i);
        dal_modes_free(modes);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* The diagram has the eigenvalues of the reference, and each line goes on without a jump. */
static void rotor_is_followed_over_its_spin(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "2e_rotor_campbell.json");
    enum { N = 101 };
    dal_modes *modes[N];
    double values[N];
    for (int i = 0; i < N; i++) {
        char text[40];
        dal_spec *spec = NULL;
        values[i] = 10 * i;
        snprintf(text, sizeof text, "%.17g", values[i]);
        const dal_override value = {"W", text};
        assert_int_equal(dal_spec_read(NULL, LINEAR "2e_rotor.yaml", 1, &value, NULL, &spec), DAL_OK);
        assert_int_equal(dal_modes_find(NULL, spec, NULL, NULL, &modes[i]), DAL_OK);
        dal_spec_free(spec);
    }
    dal_campbell *c = NULL;
    assert_int_equal(dal_campbell_track(NULL, "W", N, values, (const dal_modes *const *)modes, NULL, &c), DAL_OK);
    assert_int_equal(c->n_lines, 4);
    for (int l = 0; l < 4; l++)
        for (int i = 12; i < N; i++) /* from 100 rad/s on lines are 10 rad/s apart at least: second differences of a jump would be as large */
            check_close(c->lines[l].im[i] - 2 * c->lines[l].im[i - 1] + c->lines[l].im[i - 2], 0, 1);
    for (const json *at = json_get(root, "results")->first; at; at = at->next) {
        const int i = (int)round(json_get(at, "Omega")->number / 10);
        for (const json *e = json_get(at, "eigenvalues")->first; e; e = e->next) {
            double nearest = INFINITY;
            for (int l = 0; l < 4; l++)
                nearest = fmin(nearest, hypot(c->lines[l].re[i] - json_get(e, "re")->number, c->lines[l].im[i] - json_get(e, "im")->number));
            check_close(nearest, 0, 1e-12 * 1000);
        }
    }
    char *svg = NULL;
    assert_int_equal(dal_campbell_svg(NULL, c, 1, &(double){1}, 0, 0, "rotor", NULL, &svg), DAL_OK);
    assert_non_null(strstr(svg, "stroke-dasharray=\"4 4\""));
    free(svg);
    dal_campbell_free(c);
    for (int i = 0; i < N; i++)
        dal_modes_free(modes[i]);
    json_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_moves_two_masses_as_the_reference_says),
        cmocka_unit_test(motor_moves_a_cart_with_a_pendulum),
        cmocka_unit_test(drives_of_value_and_rate_move_a_pendulum),
        cmocka_unit_test(what_has_no_response_is_named),
        cmocka_unit_test(curves_are_drawn_and_written),
        cmocka_unit_test(small_responses_have_their_digits_or_none),
        cmocka_unit_test(a_response_of_zero_has_no_phase),
        cmocka_unit_test(hidden_modes_are_named),
        cmocka_unit_test(of_equal_modes_the_hidden_one_is_named),
        cmocka_unit_test(zeros_are_those_of_what_is_held),
        cmocka_unit_test(zeros_of_a_chain_hold_or_are_not_claimed),
        cmocka_unit_test(outputs_without_a_derivative_are_named),
        cmocka_unit_test(lengths_of_zero_have_no_derivative),
        cmocka_unit_test(an_eigenvalue_is_infinite_only_for_what_it_moves),
        cmocka_unit_test(reasons_are_true),
        cmocka_unit_test(pairs_of_inputs_and_outputs_share_the_work),
        cmocka_unit_test(a_point_of_a_motion_is_said),
        cmocka_unit_test(what_changes_with_time_is_said),
        cmocka_unit_test(rotor_is_followed_over_its_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
