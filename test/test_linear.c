/* Small motions: A, B, eigenvalues and equilibria against references of 30 digits, and the same in every family and formulation. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#define LINEAR DAL_REFERENCE "/linear/"

static const char *const families[] = {"angle", "euler", "natural", "joint", "user"};
enum { FAMILIES = sizeof families / sizeof *families };

static void say_all(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        print_message("    %s\n", m->text);
}

/* A model with values for its parameters; NULL: the family or formulation does not apply to it. */
static dal_spec *read_spec(const char *path, int n, const dal_override *overrides, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_read(NULL, path, n, overrides, messages, &spec) != DAL_OK) {
        say_all(messages);
        fail_msg("%s cannot be read", path);
    }
    if (family)
        assert_true(dal_spec_set(spec, "coordinates", family, messages));
    if (formulation)
        assert_true(dal_spec_set(spec, "formulation", formulation, messages));
    dal_messages_free(messages);
    return spec;
}

static dal_status linearize(const dal_spec *spec, const dal_linear_options *options, dal_linearization **out)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_status status = dal_linearize(NULL, spec, options, messages, out);
    if (status != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    return status;
}

static void cart_has_the_exact_matrices(void **unused)
{
    (void)unused;
    static const char *const states[] = {"cart.x", "arm.angle", "pole.angle"};
    json_file file;
    const json *root = json_open(&file, LINEAR "2d_double_pendulum_cart_AB.json");
    int n = 0;
    for (const json *at = json_get(root, "results")->first; at; at = at->next)
        for (int f = 0; f < 4; f++) {
            const dal_override values[] = {{"a", json_get(at, "arm_angle")->text}, {"b", json_get(at, "pole_angle")->text}};
            dal_spec *spec = read_spec(LINEAR "2d_double_pendulum_cart.yaml", 2, values, families[f], NULL);
            dal_linearization *linear = NULL;
            assert_int_equal(linearize(spec, &(dal_linear_options){.n_states = 3, .states = states}, &linear), DAL_OK);
            assert_int_equal(linear->n_states, 6);
            assert_int_equal(linear->n_inputs, 1);
            assert_int_equal(linear->kind, DAL_LINEAR_REST);
            int i = 0;
            for (const json *row = json_get(at, "A")->first; row; row = row->next)
                for (const json *entry = row->first; entry; entry = entry->next, i++)
                    check_close(linear->A[i], entry->number, 2e-13);
            i = 0;
            for (const json *row = json_get(at, "B")->first; row; row = row->next, i++)
                check_close(linear->B[i], row->first->number, 1e-14);
            n++;
            dal_linearization_free(linear);
            dal_spec_free(spec);
        }
    assert_int_equal(n, 16);
    json_close(&file);
}

/* ---- eigenvalues --------------------------------------------------------------------------------- */

static dal_modes *modes_of(const dal_spec *spec, const dal_linear_options *options)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_modes *modes = NULL;
    if (dal_modes_find(NULL, spec, options, messages, &modes) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    return modes;
}

/* Is (re, im) among the eigenvalues? */
static void find_eigenvalue(const dal_modes *modes, double re, double im, double tolerance, const char *what)
{
    double nearest = INFINITY;
    for (int i = 0; i < modes->n_modes; i++)
        nearest = fmin(nearest, hypot(modes->modes[i].re - re, modes->modes[i].im - fabs(im)));
    if (!(nearest <= tolerance * hypot(re, im))) {
        for (int i = 0; i < modes->n_modes; i++)
            print_message("    %.15g %.15g\n", modes->modes[i].re, modes->modes[i].im);
        fail_msg("%s: no eigenvalue is nearer to %.15g %+.15g i than %.3g", what, re, im, nearest);
    }
}

/* At its lowest point a pendulum does not accelerate; a disc on its axle turns steadily. */
static void one_instant_is_no_steady_motion(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, %g]\nbodies: {p: {mass: 1, inertia: 0.1, position: [0, -1], velocity: [3, 0], rate: 3,"
        " points: {O: [0, 1]}}}\njoints: {O: {type: revolute, connect: [ground, p.O]}}\n";
    for (int f = 0; f < 4; f++)
        for (int falls = 0; falls < 2; falls++) {
            char model[400];
            dal_spec *spec = NULL;
            snprintf(model, sizeof model, text, falls ? -9.81 : 0);
            assert_int_equal(dal_spec_parse(NULL, "text", model, strlen(model), 0, NULL, NULL, &spec), DAL_OK);
            assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->linearization->kind, falls ? DAL_LINEAR_MOTION : DAL_LINEAR_STEADY);
            dal_modes_free(modes);
            dal_spec_free(spec);
        }
}

/* Euler's equations: 1 w1' = -1.5 w3 and 2.5 w3' = -3 w1 about the middle axis, so that disturbances grow with 1.34/s in the body, and A turns with it. A
 * symmetric body keeps A. */
static void a_body_that_spins_about_its_middle_axis_has_no_constant_matrix(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 2, inertia: [%s], position: [0, 0, 1], angular-velocity: [0, %s, 0]}}\n";
    for (int f = 0; f < 4; f++)
        for (int n = 0; n < 4; n++) {
            const int symmetric = n % 2;
            char model[300];
            dal_spec *spec = NULL;
            snprintf(model, sizeof model, text, symmetric ? "2.5, 2, 2.5" : "1, 2, 2.5", n < 2 ? "3" : "3e-6");
            assert_int_equal(dal_spec_parse(NULL, "text", model, strlen(model), 0, NULL, NULL, &spec), DAL_OK);
            assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->linearization->kind, symmetric ? DAL_LINEAR_STEADY : DAL_LINEAR_MOTION);
            dal_modes_free(modes);
            dal_spec_free(spec);
        }
}

static double part(const json *value, const char *which)
{
    return value->text ? (*which == 'r' ? value->number : 0) : json_get(value, which)->number;
}

static void bicycle_has_the_eigenvalues_of_the_benchmark(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "2c_whipple_bicycle.json");
    double shares[8] = {0}; /* in the first family */
    for (const json *at = json_get(root, "results")->first; at; at = at->next)
        for (int f = 0; f < 4; f++) {
            const dal_override values[] = {{"v", json_get(at, "v")->text}, {"dphi", "0"}};
            dal_spec *spec = read_spec(DAL_MODELS "/whipple-bicycle.yaml", 2, values, families[f], NULL);
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->linearization->n_positions, 7);
            assert_int_equal(modes->linearization->n_rates, 3);
            assert_int_equal(modes->linearization->kind, json_get(at, "v")->number == 0 ? DAL_LINEAR_REST : DAL_LINEAR_STEADY);
            if (modes->n_zeros != 6)
                fail_msg("%s, v = %s: %d zeros", families[f], json_get(at, "v")->text, modes->n_zeros);
            for (const json *e = json_get(at, "eigenvalues")->first; e; e = e->next)
                find_eigenvalue(modes, part(e, "re"), part(e, "im"), 1e-10, families[f]);
            for (int i = 0; i < modes->n_modes; i++) {
                shares[i] = f ? shares[i] : modes->modes[i].shares[0].share;
                assert_true(fabs(modes->modes[i].shares[0].share - shares[i]) <= 1e-8 * modes->modes[i].condition);
            }
            dal_modes_free(modes);
            dal_spec_free(spec);
        }
    json_close(&file);
}

/* A trailer behind a hitch that moves straight on with v swings as e^(-v t/l): no velocity is free in this motion, and the hitch does not move. */
static void a_trailer_swings_and_not_its_car(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\nbodies:\n"
        "  car: {mass: 3, inertia: 0.4, position: [0, 0], angle: 0, velocity: [2, 0], rate: 0}\n"
        "  trailer: {mass: 1, inertia: 0.2, position: [-1.5, 0], angle: 0, velocity: [2, 0], rate: 0, points: {H: [1.5, 0]}}\njoints:\n"
        "  hitch: {type: revolute, connect: [car, trailer.H]}\n  wheels: {type: skate, connect: [ground, trailer], axis: [1, 0]}\n"
        "  turn: {type: lock, body: car, coordinate: angle}\n  straight: {type: lock, body: car, coordinate: y}\n";
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, NULL, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
        dal_modes *modes = modes_of(spec, NULL);
        assert_non_null(modes);
        assert_int_equal(modes->n_modes, 1);
        assert_true(fabs(modes->modes[0].re + 2 / 1.5) <= 1e-13);
        assert_int_equal(modes->modes[0].n_shares, 1);
        assert_string_equal(modes->modes[0].shares[0].part, "trailer along y");
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

static void four_bar_has_the_eigenvalues_of_one_coordinate(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "1a_fourbar_spring.json");
    int n = 0;
    for (const json *at = json_get(root, "equilibria")->first; at; at = at->next)
        for (int f = 0; f < 4 && !strcmp(json_get(at, "branch")->text, "parallelogram"); f++) {
            const dal_override values[] = {{"a", json_get(at, "bar1_angle")->text}};
            dal_spec *spec = read_spec(LINEAR "1a_fourbar_spring.yaml", 1, values, families[f], NULL);
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->linearization->kind, DAL_LINEAR_REST);
            assert_int_equal(modes->n_zeros, 0);
            for (const json *e = json_get(at, "eigenvalues_with_damper_c15")->first; e; e = e->next)
                find_eigenvalue(modes, part(e, "re"), part(e, "im"), 1e-12, families[f]);
            dal_modes_free(modes);
            dal_spec_free(spec);
            n++;
        }
    assert_true(n >= 12);
    json_close(&file);
}

static void chains_have_the_frequencies_of_their_polynomials(void **unused)
{
    (void)unused;
    static const struct {
        const char *answers, *model, *key;
        int first, last;
    } chains[] = {{LINEAR "2b_chain10_pointmasses.json", LINEAR "2b_chain10_pointmasses.yaml", "omega", 4, 5},
                  {LINEAR "1c_chain8.json", LINEAR "1c_chain8.yaml", "small_oscillation_omega", 0, 4}};
    for (size_t c = 0; c < 2; c++)
        for (int f = chains[c].first; f < chains[c].last; f++) {
            json_file file;
            const json *root = json_open(&file, chains[c].answers);
            dal_spec *spec = read_spec(chains[c].model, 0, NULL, families[f], NULL);
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->n_modes, json_get(root, chains[c].key)->n);
            assert_int_equal(modes->n_zeros, 0);
            for (const json *e = json_get(root, chains[c].key)->first; e; e = e->next)
                find_eigenvalue(modes, 0, e->number, 1e-12, families[f]);
            dal_modes_free(modes);
            dal_spec_free(spec);
            json_close(&file);
        }
}

/* M = 2, K = [5 -5; -5 8] of a body at x and a sub-system with q: of an eigenvalue k, q = (1 - 2 k/5) x, and the energies are as x^2 and q^2. */
static void sub_systems_have_their_share_of_the_energy(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0}, q: {start: 0}}\n"
                               "bodies: {b: {mass: 2, position: [x, 0]}}\nforces: {f: {type: torque, coordinate: x, value: 5*(q - x)}}\n"
                               "systems:\n  s: {coordinates: [q], mass: [[2]], force: [-3*q - 5*(q - x)], kinetic: \"q'^2\",\n"
                               "      potential: 3*q^2/2 + 5*(q - x)^2/2}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    assert_int_equal(dal_spec_parse(NULL, NULL, text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    dal_modes *modes = modes_of(spec, NULL);
    assert_non_null(modes);
    assert_int_equal(modes->n_modes, 2);
    for (int i = 0; i < 2; i++) {
        const dal_mode *mode = &modes->modes[i];
        const double ratio = 1 - 2 * mode->im * mode->im / 5, of_q = ratio * ratio / (1 + ratio * ratio);
        assert_int_equal(mode->n_shares, 2);
        const int k = !strcmp(mode->shares[1].part, "q");
        assert_string_equal(mode->shares[k].part, "q");
        check_close(mode->shares[k].share, of_q, 1e-12);
        assert_string_equal(mode->shares[!k].part, "b along x");
        check_close(mode->shares[!k].share, 1 - of_q, 1e-12);
    }
    dal_modes_free(modes);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void rotor_whirls_as_its_matrices_say(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "2e_rotor_campbell.json");
    for (const json *at = json_get(root, "results")->first; at; at = at->next)
        for (int f = 0; f < 4; f++) {
            const dal_override values[] = {{"W", json_get(at, "Omega")->text}};
            dal_spec *spec = read_spec(LINEAR "2e_rotor.yaml", 1, values, families[f], NULL);
            dal_modes *modes = modes_of(spec, NULL);
            assert_non_null(modes);
            assert_int_equal(modes->n_modes, 4);
            assert_int_equal(modes->n_zeros, 2);
            for (const json *e = json_get(at, "eigenvalues")->first; e; e = e->next)
                find_eigenvalue(modes, part(e, "re"), part(e, "im"), 1e-12, families[f]);
            dal_modes_free(modes);
            dal_spec_free(spec);
        }
    json_close(&file);
}

/* ---- families and formulations ----------------------------------------------------------------------- */

static const char *const formulations[] = {"lagrange", "maggi", "kane", "gibbs-appell", "volterra", "udwadia-kalaba", "recursive", "component"};

/* The same states in the same order, the same A and B: 1e-9 of the largest number of A in its unit. */
static void compare_matrices(const dal_linearization *a, const dal_linearization *b, const char *what)
{
    const int n = a->n_states;
    double rates = 1 / a->info.time;
    assert_int_equal(n, b->n_states);
    for (int i = 0; i < n; i++)
        if (strcmp(a->states[i], b->states[i]))
            fail_msg("%s: state %d is %s, or %s", what, i, a->states[i], b->states[i]);
    for (int k = 0; k < n * n; k++)
        rates = fmax(rates, fabs(a->A[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!(fabs(a->A[n * i + j] - b->A[n * i + j]) <= 1e-9 * rates))
                fail_msg("%s: A of %s by %s is %.15g, or %.15g", what, a->states[i], a->states[j], a->A[n * i + j], b->A[n * i + j]);
    for (int k = 0; k < n * a->n_inputs; k++)
        check_close(a->B[k], b->B[k], 1e-9 * (1 + fabs(a->B[k])));
}

static dal_linearization *quietly(const char *file, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = read_spec(file, 0, NULL, family, formulation);
    dal_linearization *out = NULL;
    const dal_status status = dal_linearize(NULL, spec, NULL, messages, &out);
    if (status != DAL_OK && getenv("DAL_SHOW_REFUSALS"))
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            if (m->severity == DAL_ERROR)
                print_message("  %s, %s, %s: %s\n", file, family, formulation, m->text);
    dal_messages_free(messages);
    dal_spec_free(spec);
    return out;
}

static void gallery_is_the_same_in_every_family_and_formulation(void **unused)
{
    (void)unused;
    glob_t found = {0};
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &found), 0);
    int models = 0, compared = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        dal_linearization *first = NULL;
        for (int f = 0; f < FAMILIES; f++)
            for (size_t g = 0; g < sizeof formulations / sizeof *formulations; g++) {
                char what[300];
                if (g && (i + (size_t)f) % 7 + 1 != g) /* each family with lagrange and one more: in time all of them */
                    continue;
                dal_linearization *other = quietly(found.gl_pathv[i], families[f], formulations[g]);
                snprintf(what, sizeof what, "%s, %s, %s", strrchr(found.gl_pathv[i], '/') + 1, families[f], formulations[g]);
                if (first && other)
                    compare_matrices(first, other, what);
                compared += first && other;
                if (first)
                    dal_linearization_free(other);
                else
                    first = other;
            }
        models += first != NULL;
        dal_linearization_free(first);
    }
    print_message("  %d of %d models, %d comparisons\n", models, (int)found.gl_pathc, compared);
    assert_true(models > 40 && compared > 200);
    globfree(&found);
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

/* ---- outputs, and what is refused ------------------------------------------------------------------------ */

/* Along the motion itself a channel changes by its rate, and a rate by its acceleration: C x' with x' of the motion is y'. */
static void outputs_change_along_the_motion_by_their_rates(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        int n;
        const char *outputs[10]; /* a number, its rate, ... */
    } cases[] = {{"four-bar-spring", 8, {"bar2.x", "bar2.x'", "bar2.y'", "bar2.y''", "C.angle", "C.angle'", "spring.length", "spring.length'"}},
                 {"spatial-slider-crank", 6, {"rod.ex.y", "rod.ex.y'", "rod.z'", "rod.z''", "rod.omega.x", "rod.alpha.x"}},
                 {"heavy-top", 6, {"top.ez.x", "top.ez.x'", "top.ez.y'", "top.ez.y''", "top.omega.body.y", "top.alpha.body.y"}},
                 {"universal-double-pendulum", 4, {"lower.x", "lower.x'", "lower.ey.z'", "lower.ey.z''"}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int f = 0; f < 4; f++) {
            char path[300];
            snprintf(path, sizeof path, DAL_MODELS "/%s.yaml", cases[c].model);
            dal_spec *spec = read_spec(path, 0, NULL, families[f], NULL);
            dal_linearization *l = NULL;
            assert_int_equal(linearize(spec, &(dal_linear_options){.n_outputs = cases[c].n, .outputs = cases[c].outputs}, &l), DAL_OK);
            assert_int_equal(l->n_outputs, cases[c].n);
            for (int k = 0; k < l->n_outputs; k += 2) {
                double slope = 0, size = 1;
                for (int j = 0; j < l->n_states; j++) {
                    slope += l->C[l->n_states * k + j] * l->rates[j];
                    size += fabs(l->C[l->n_states * k + j] * l->rates[j]);
                }
                check_close(slope, l->y[k + 1], 1e-11 * size);
            }
            dal_linearization_free(l);
            dal_spec_free(spec);
        }
}

static const char cart[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {F: 0, G: 0}\n"
                           "bodies:\n  cart: {mass: 2, inertia: 1, position: [0, 0]}\n  bob: {mass: 1, position: [0, -1]}\n"
                           "joints:\n  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]%s}\n"
                           "  rod: {type: distance, connect: [cart, bob], length: 1}\n"
                           "forces:\n  push: {type: motor, joint: track, value: %s}\n";

/* The sentence with which it is refused, or that warns. */
static void expect_sentence(const char *key, const char *push, const dal_linear_options *options, dal_status expected, const char *words)
{
    char text[1000];
    dal_messages *messages = dal_messages_create(NULL);
    dal_linearization *l = NULL;
    snprintf(text, sizeof text, cart, key, push);
    dal_spec *spec = parse_spec(text, NULL);
    bool said = false;
    assert_int_equal(dal_linearize(NULL, spec, options, messages, &l), expected);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        said = said || strstr(m->text, words);
    if (!said) {
        say_all(messages);
        fail_msg("nothing says '%s'", words);
    }
    dal_linearization_free(l);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void what_holds_everything_is_named(void **unused)
{
    (void)unused;
    for (int f = 0; f < 4; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_modes *modes = NULL;
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/driven-crank.yaml", 0, NULL, messages, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", families[f], messages));
        assert_int_equal(dal_modes_find(NULL, spec, NULL, messages, &modes), DAL_BAD_MODEL);
        assert_string_equal(dal_messages_first(messages)->text,
                            "the constraints leave no freedom: there is no motion near this position; drives hold it: 'A drive'");
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

static void what_cannot_be_is_named(void **unused)
{
    (void)unused;
    static const char *const x = "cart.x", *const twice[] = {"cart.x", "track.distance"}, *const vector = "cart.position", *const still = "cart.y",
                             *const three[] = {"cart.x", "bob.x", "bob.y"}, *const nowhere = "cart.q", *const attitude = "constraint.position",
                             *const none = "H", *const expression = "cart.x*2";
    expect_sentence("", "F", &(dal_linear_options){.n_states = 2, .states = twice}, DAL_BAD_COMMAND,
                    "state 'track.distance' depends on those before it");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 1, .states = &still}, DAL_BAD_COMMAND, "state 'cart.y' does not move here");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 3, .states = three}, DAL_BAD_COMMAND, "state 'bob.y' is one too many");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 1, .states = &vector}, DAL_BAD_COMMAND, "state 'cart.position' is not a scalar");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 1, .states = &nowhere}, DAL_BAD_COMMAND, "body 'cart' has no channel 'q'");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 1, .states = &expression}, DAL_BAD_COMMAND, "state 'cart.x*2' is an expression");
    expect_sentence("", "F", &(dal_linear_options){.n_outputs = 1, .outputs = &attitude}, DAL_BAD_MODEL,
                    "output 'constraint.position' has no derivative");
    expect_sentence("", "F", &(dal_linear_options){.n_inputs = 1, .inputs = &none}, DAL_BAD_COMMAND, "no input 'H'");
    expect_sentence("", "F", &(dal_linear_options){.n_states = 1, .states = &x}, DAL_OK, "input 'G' acts on nothing");
    expect_sentence("", "F + sin(t)", NULL, DAL_OK, "change with time");
    expect_sentence("", "F - abs(track.distance)", NULL, DAL_OK, "(track.distance)' is at a corner");
    expect_sentence(", friction: {coefficient: 0.2}", "F", NULL, DAL_BAD_MODEL, "joint 'track' has dry friction");
    expect_sentence("", "F + 3", &(dal_linear_options){.at = "equilibrium"}, DAL_BAD_MODEL, "runs away");
    expect_sentence(", drive: 0.1*t", "F", &(dal_linear_options){.at = "equilibrium"}, DAL_BAD_MODEL, "is moved by time");
    expect_sentence("", "F", &(dal_linear_options){.at = "/nowhere.json"}, DAL_BAD_FILE, "nowhere.json");
}

/* ---- an equilibrium in a state file ---------------------------------------------------------------- */

/* In other units of length, mass and time: a pendulum that passes its lowest point; and a shaft with a controller that has a state w of its own unit U.
 * With turns x and time t in units of the model, x'' = 3 w - x'/2 and w' = 1 - x'/2: the poles are 0 and those of s^2 + s/2 + 3/2. */
static void units_change_no_pole(void **unused)
{
    (void)unused;
    static const double scales[][4] = {{1, 1, 1, 1},    {1e-9, 1, 1, 1}, {1e6, 1, 1, 1},  {1e9, 1, 1, 1},   {1, 1e9, 1, 1},      {1, 1e-9, 1, 1},
                                       {1, 1, 1e-9, 1}, {1, 1, 1e9, 1},  {1, 1, 1, 1e12}, {1, 1, 1, 1e-12}, {1e9, 1e-9, 1e-9, 1}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const double L = scales[i][0], M = scales[i][1], T = scales[i][2], U = scales[i][3];
        char text[900];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [0, %.17g]\nbodies: {b: {mass: %.17g, inertia: %.17g, position: [0, %.17g], points: {O: [0, "
                 "%.17g]}}}\n"
                 "joints: {s: {type: revolute, connect: [ground, b.O], start: {rate: %.17g}}}\nsimulate: {until: %.17g}\n",
                 -9.81 * L / (T * T), 2 * M, 0.1 * M * L * L, -L, L, 1 / T, T);
        dal_spec *spec = parse_spec(text, NULL);
        dal_linearization *l = NULL;
        assert_int_equal(linearize(spec, &(dal_linear_options){.at = "start"}, &l), DAL_OK);
        assert_int_equal(l->kind, DAL_LINEAR_MOTION);
        dal_linearization_free(l);
        dal_spec_free(spec);
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nstates: {w: {start: %.17g, rate: \"%.17g - %.17g*s.angle'\"}}\n"
                 "bodies: {b: {mass: %.17g, inertia: %.17g, rate: %.17g}}\njoints: {s: {type: revolute, connect: [ground, b]}}\n"
                 "forces: {m: {type: motor, joint: s, value: \"%.17g*w - %.17g*s.angle'\"}}\nsimulate: {until: %.17g}\n",
                 U / 3, U / T, U / 2, M, M * L * L, 2 / T, 3 * M * L * L / (T * T * U), M * L * L / (2 * T), T);
        spec = parse_spec(text, NULL);
        dal_modes *modes = modes_of(spec, &(dal_linear_options){.at = "start"});
        assert_int_equal(modes->linearization->kind, DAL_LINEAR_STEADY);
        assert_int_equal(modes->n_zeros, 1);
        assert_int_equal(modes->n_modes, 1);
        check_close(modes->modes[0].re * T, -0.25, 1e-9);
        check_close(modes->modes[0].im * T, sqrt(1.5 - 1.0 / 16), 1e-9);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return most / fmax(size, 1); /* metres, radians, and 1/s */
}

static void write_equilibrium(dal_spec *spec, const char *path)
{
    static char text[20000];
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = NULL;
    dal_instant *instant = NULL;
    assert_true(dal_spec_set(spec, "start", "equilibrium", messages));
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(dal_instant_of(NULL, state, messages, &instant), DAL_OK);
    assert_true(dal_instant_json(system, instant, text, sizeof text) < (int)sizeof text);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_true(dal_spec_set(spec, "start", "given", messages));
    dal_instant_free(instant);
    dal_state_free(state);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* At a file that has the equilibrium, A is that of the equilibrium: with states of a controller, and where Euler angles change their axes on the way, as
 * those of a plate that falls from the horizontal to pitch 90 degrees. */
static void an_equilibrium_is_written_and_read_back(void **unused)
{
    (void)unused;
    static const char *const models[] = {
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 0.1}}\n"
        "joints: {s: {type: prismatic, connect: [ground, b], axis: [0, 1], start: {distance: 0.95}}}\n"
        "blocks: {c: {type: pid, input: 1 - b.y, kp: 100, ki: 50, kd: 20, filter: 0.01, limit: [-1000, 1000]}}\n"
        "forces: {f: {type: motor, joint: s, value: c}}\n",
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {plate: {mass: 1.3, inertia: [0.01, 0.02, 0.03], position: [0.5, 0, 0], points: {A: [-0.5, 0, 0]}}}\n"
        "joints: {j: {type: spherical, connect: [ground, plate.A]}}\n"};
    static const char *const family[] = {"angle", "natural", "joint"};
    for (size_t i = 0; i < 6; i++) {
        char path[] = "/tmp/test_linear.XXXXXX";
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_linearization *there = NULL, *here = NULL;
        const char *text = models[i / 3];
        close(mkstemp(path));
        assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", family[i % 3], messages));
        write_equilibrium(spec, path);
        assert_int_equal(linearize(spec, &(dal_linear_options){.at = "equilibrium"}, &there), DAL_OK);
        assert_int_equal(linearize(spec, &(dal_linear_options){.at = path}, &here), DAL_OK);
        assert_int_equal(here->n_states, there->n_states);
        assert_true(here->kind == DAL_LINEAR_REST);
        for (int k = 0; k < here->n_states; k++)
            assert_string_equal(here->states[k], there->states[k]);
        check_close(largest_difference(here->n_states * here->n_states, there->A, here->A), 0, 1e-10);
        check_close(largest_difference(here->n_states, there->at, here->at), 0, 1e-10);
        unlink(path);
        dal_linearization_free(here);
        dal_linearization_free(there);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A pendulum whose pin is open by half a metre, or whose rate leaves it. */
static void states_off_the_constraints_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *state, *words;
    } cases[] = {{"{\"q\": {\"b.x\": 0.5, \"b.y\": -0.5, \"b.angle\": -1.5707963267948966}}", "the positions do not satisfy row 'A 1'"},
                 {"{\"q\": {\"b.x\": 0, \"b.y\": -0.5, \"b.angle\": -1.5707963267948966}, \"rates\": {\"b.x\": 1, \"b.y\": 0, \"b.angle\": 0}}",
                  "the rates do not satisfy row 'A 1'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "/tmp/test_linear.XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        dal_messages *messages = dal_messages_create(NULL);
        dal_linearization *l = NULL;
        bool said = false;
        dal_spec *spec = parse_spec("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                    "bodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {P: [-0.5, 0]}}}\n"
                                    "joints: {A: {type: revolute, connect: [ground, b.P]}}\nsimulate: {formulation: lagrange}\n",
                                    "angle");
        fputs(cases[i].state, file);
        fclose(file);
        assert_int_equal(dal_linearize(NULL, spec, &(dal_linear_options){.at = path}, messages, &l), DAL_BAD_COMMAND);
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            said = said || (m->severity == DAL_ERROR && strstr(m->text, cases[i].words));
        assert_true(said);
        unlink(path);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- dry friction ---------------------------------------------------------------------------------- */

/* m x'' = F - (mu(x') m g + c x'), mu(v) = mu_d + (mu_s - mu_d) exp(-(v/v_s)^2), and the force of the joint along its axis is the friction. */
static void a_block_that_slides_has_the_slope_of_its_friction(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {F: 0}\nbodies: {block: {mass: 2.3, inertia: 0.1, "
                               "position: [0.2, 0], velocity: [0.7, "
                               "0]}}\n"
                               "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], friction: {coefficient: 0.3, static: 0.5, "
                               "stribeck: 0.9, viscous: 0.6}}}\n"
                               "forces: {push: {type: force, body: block, value: [F, 0]}}\n";
    static const char *const state = "block.x", *const outputs[] = {"block.x''", "way.force.x"};
    const double m = 2.3, g = 9.81, v = 0.7, over = v / 0.9, slope = (-2 * over / 0.9 * 0.2 * exp(-over * over) * m * g + 0.6) / m;
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_linearization *l = NULL;
        assert_int_equal(linearize(spec, &(dal_linear_options){.n_states = 1, .states = &state, .n_outputs = 2, .outputs = outputs}, &l), DAL_OK);
        const double A[4] = {0, 1, 0, -slope}, C[4] = {0, -slope, 0, -slope * m};
        for (int k = 0; k < 4; k++) {
            check_close(l->A[k], A[k], 1e-13);
            check_close(l->C[k], C[k], 1e-12);
        }
        check_close(l->B[0], 0, 1e-15);
        check_close(l->B[1], 1 / m, 1e-14);
        check_close(l->D[0], 1 / m, 1e-14);
        check_close(l->D[1], 0, 1e-12);
        dal_linearization_free(l);
        dal_spec_free(spec);
    }
}

/* Two pins that are pressed by what swings on them: the same in every family. */
static void dry_pins_have_the_same_matrices_in_every_family(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ninputs: {M: 0.3}\nbodies:\n"
        "  rod: {mass: 1.3, inertia: 0.05, center: [0.3, 0.02], points: {Q: [0.7, 0]}}\n  bob: {mass: 0.8, inertia: 0.03, center: [0.2, -0.1]}\n"
        "joints:\n  P: {type: revolute, connect: [ground, rod], start: {angle: 0.4, rate: 1.7}, friction: {coefficient: 0.2, static: 0.3, stribeck: "
        "0.2, "
        "radius: 0.05}}\n"
        "  Q: {type: revolute, connect: [rod.Q, bob], start: {angle: -0.9, rate: -2.3}, friction: {coefficient: 0.3, radius: 0.04, viscous: 0.2}}\n"
        "forces: {m: {type: torque, body: bob, value: M}}\n";
    static const char *const states[] = {"P.angle", "Q.angle"}, *const outputs[] = {"P.force.x", "P.torque", "Q.force.y"};
    dal_linearization *all[4] = {0};
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        assert_int_equal(linearize(spec, &(dal_linear_options){.n_states = 2, .states = states, .n_outputs = 3, .outputs = outputs}, &all[f]),
                         DAL_OK);
        dal_spec_free(spec);
        for (int k = 0; k < 16; k++)
            check_close(all[f]->A[k], all[0]->A[k], 1e-11 * 100);
        for (int k = 0; k < 12; k++)
            check_close(all[f]->C[k], all[0]->C[k], 1e-11 * 100);
        for (int k = 0; k < 4; k++)
            check_close(all[f]->B[k], all[0]->B[k], 1e-11 * 100);
        assert_true(fabs(all[f]->A[10]) > 1e-3); /* of P.angle'' by P.angle': friction alone, and what turns */
    }
    for (int f = 0; f < 4; f++)
        dal_linearization_free(all[f]);
}

/* Hanging at rest, a smooth law is a damper: torque -mu m g r tanh(r w / v_r). */
static void smooth_friction_damps_an_equilibrium(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {bob: {mass: 1.7, inertia: 0.04, points: {P: [-0.6, 0]}}}\n"
                               "joints: {A: {type: revolute, connect: [ground, bob.P], start: {angle: -1.4, rate: 0}, friction: {coefficient: 0.2, "
                               "radius: 0.03, velocity: 0.01}}}\n";
    static const char *const state = "A.angle";
    const double m = 1.7, g = 9.81, L = 0.6, J = 0.04 + m * L * L;
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_linearization *l = NULL;
        assert_int_equal(linearize(spec, &(dal_linear_options){.at = "equilibrium", .n_states = 1, .states = &state}, &l), DAL_OK);
        check_close(l->A[2], -m * g * L / J, 1e-9);
        check_close(l->A[3], -0.2 * m * g * 0.03 * 0.03 / 0.01 / J, 1e-9);
        dal_linearization_free(l);
        dal_spec_free(spec);
    }
}

/* ---- equilibria ------------------------------------------------------------------------------------ */

static dal_equilibrium *equilibrium_of(const dal_spec *spec)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *found = NULL;
    if (dal_equilibrium_find(NULL, spec, messages, &found) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    return found;
}

static double value_of(const dal_equilibrium *e, const char *channel)
{
    for (int i = 0; i < e->n_coordinates; i++)
        if (!strcmp(e->coordinates[i], channel))
            return e->values[i];
    fail_msg("no coordinate %s", channel);
    return NAN;
}

static void check_reaction(const dal_equilibrium *e, const char *joint, const json *force, double sign, double tolerance)
{
    for (int i = 0; i < e->n_reactions; i++)
        if (!strcmp(e->reactions[i].joint, joint)) {
            assert_true(e->reactions[i].unique);
            check_close(e->reactions[i].force[0], sign * json_at(force, 0)->number, tolerance);
            check_close(e->reactions[i].force[1], sign * json_at(force, 1)->number, tolerance);
            return;
        }
    fail_msg("no reaction of %s", joint);
}

/* a value moved by so much, as text */
static const char *moved(char text[40], const json *value, double by)
{
    snprintf(text, 40, by == 0 ? "%s" : "%s%+.3f", value->text, by);
    return text;
}

/* From its start, or (stable ones) from 0.2 rad beside it: 1e-12 of what the model is made of. */
static void four_bar_rests_where_the_closed_form_says(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "1a_fourbar_spring.json");
    static const char *const joints[] = {"A", "B", "C", "D"};
    int n = 0;
    for (const json *at = json_get(root, "equilibria")->first; at; at = at->next)
        for (int f = 0; f < 8 && !strcmp(json_get(at, "branch")->text, "parallelogram"); f++) {
            const bool stable = json_get(at, "omega_squared_undamped")->number > 0;
            char text[40];
            const dal_override values[] = {{"a", moved(text, json_get(at, "bar1_angle"), f < 4 || !stable ? 0 : 0.2)}};
            dal_spec *spec = read_spec(LINEAR "1a_fourbar_spring.yaml", 1, values, families[f % 4], NULL);
            dal_equilibrium *e = equilibrium_of(spec);
            assert_non_null(e);
            check_close(value_of(e, "bar1.angle"), json_get(at, "bar1_angle")->number, 1e-12);
            assert_int_equal(e->stability, stable ? DAL_STABLE : DAL_UNSTABLE);
            assert_int_equal(e->n_stiffnesses, 1);
            check_close(e->stiffnesses[0], json_get(at, "omega_squared_undamped")->number, 1e-11 * 31);
            for (int j = 0; j < 4; j++)
                check_reaction(e, joints[j], json_at(json_get(at, "reactions_on_bar1A_bar2B_bar3C_bar3D"), j), 1, 1e-12 * 800);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
            n++;
        }
    assert_true(n >= 24);
    json_close(&file);
}

static void slider_crank_rests_where_its_potential_is_level(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "1b_slidercrank_spring.json");
    static const char *const joints[] = {"A", "B", "C"};
    static const char *const lengths[] = {"0", "2.5"};
    static const char *const keys[] = {"free_length_0", "free_length_2.5"};
    for (int l = 0; l < 2; l++)
        for (const json *at = json_get(json_get(root, "equilibria"), keys[l])->first; at; at = at->next)
            for (int f = 0; f < 8; f++) {
                const bool stable = json_get(at, "omega_squared")->number > 0;
                char text[40];
                const dal_override values[] = {{"a", moved(text, json_get(at, "crank_angle"), f < 4 || !stable ? 0 : 0.05)}, {"l0", lengths[l]}};
                dal_spec *spec = read_spec(LINEAR "1b_slidercrank_spring.yaml", 2, values, families[f % 4], NULL);
                dal_equilibrium *e = equilibrium_of(spec);
                assert_non_null(e);
                check_close(value_of(e, "crank.angle"), json_get(at, "crank_angle")->number, 1e-12);
                check_close(value_of(e, "slider.x"), json_get(at, "slider_x")->number, 1e-12 * 15);
                assert_int_equal(e->stability, stable ? DAL_STABLE : DAL_UNSTABLE);
                check_close(e->stiffnesses[0], json_get(at, "omega_squared")->number, 1e-11 * 270);
                for (int j = 0; j < 3; j++)
                    check_reaction(e, joints[j], json_at(json_get(at, "reactions_on_crankA_rodB_sliderC"), j), 1, 1e-12 * 3000);
                dal_equilibrium_free(e);
                dal_spec_free(spec);
            }
    json_close(&file);
}

/* A chain of n bars that hangs in the shape of a V, its ends 60 % of its length apart. */
static char *chain_text(int bars, double length)
{
    const size_t room = 400 * ((size_t)bars + 2);
    char *text = malloc(room), *at = text;
    const double c = 0.6, s = 0.8;
    at += snprintf(at, 400, "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {P: [0, 0], Q: [%.17g, 0]}}\nbodies:\n",
                   c * bars * length);
    for (int i = 0; i < bars; i++) {
        const bool down = i < bars / 2;
        const double x = c * length * (i + 0.5), y = -s * length * (down ? i + 0.5 : bars - i - 0.5);
        at += snprintf(at, 300,
                       "  b%d: {mass: 0.4, inertia: 0.4*%.17g/12, position: [%.17g, %.17g], angle: %.17g, points: {A: [%.17g, 0], B: [%.17g, 0]}}\n",
                       i + 1, length * length, x, y, down ? -acos(c) : acos(c), -length / 2, length / 2);
    }
    at += snprintf(at, 100, "joints:\n  j0: {type: revolute, connect: [ground.P, b1.A]}\n");
    for (int i = 1; i < bars; i++)
        at += snprintf(at, 100, "  j%d: {type: revolute, connect: [b%d.B, b%d.A]}\n", i, i, i + 1);
    snprintf(at, 100, "  j%d: {type: revolute, connect: [ground.Q, b%d.B]}\n", bars, bars);
    return text;
}

static void chain_hangs_as_the_catenary_says(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "1c_chain8.json");
    char *text = chain_text(8, 0.5);
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_equilibrium *e = equilibrium_of(spec);
        assert_non_null(e);
        int i = 0;
        char name[32];
        for (const json *angle = json_get(root, "bar_angles")->first; angle; angle = angle->next) {
            snprintf(name, sizeof name, "b%d.angle", ++i);
            check_close(value_of(e, name), angle->number, 1e-12);
        }
        i = 0;
        for (const json *force = json_get(root, "reactions")->first; force; force = force->next) {
            snprintf(name, sizeof name, "j%d", i++);
            check_reaction(e, name, force, 1, 1e-12 * 20);
        }
        i = 0;
        assert_int_equal(e->stability, DAL_STABLE);
        assert_int_equal(e->n_stiffnesses, 6);
        for (const json *omega = json_get(root, "small_oscillation_omega")->first; omega; omega = omega->next, i++)
            check_close(sqrt(e->stiffnesses[i]), omega->number, 1e-12 * 20);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
    free(text);
    json_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cart_has_the_exact_matrices),
        cmocka_unit_test(one_instant_is_no_steady_motion),
        cmocka_unit_test(a_body_that_spins_about_its_middle_axis_has_no_constant_matrix),
        cmocka_unit_test(bicycle_has_the_eigenvalues_of_the_benchmark),
        cmocka_unit_test(a_trailer_swings_and_not_its_car),
        cmocka_unit_test(four_bar_has_the_eigenvalues_of_one_coordinate),
        cmocka_unit_test(chains_have_the_frequencies_of_their_polynomials),
        cmocka_unit_test(sub_systems_have_their_share_of_the_energy),
        cmocka_unit_test(rotor_whirls_as_its_matrices_say),
        cmocka_unit_test(gallery_is_the_same_in_every_family_and_formulation),
        cmocka_unit_test(outputs_change_along_the_motion_by_their_rates),
        cmocka_unit_test(what_holds_everything_is_named),
        cmocka_unit_test(what_cannot_be_is_named),
        cmocka_unit_test(units_change_no_pole),
        cmocka_unit_test(a_block_that_slides_has_the_slope_of_its_friction),
        cmocka_unit_test(an_equilibrium_is_written_and_read_back),
        cmocka_unit_test(states_off_the_constraints_are_refused),
        cmocka_unit_test(dry_pins_have_the_same_matrices_in_every_family),
        cmocka_unit_test(smooth_friction_damps_an_equilibrium),
        cmocka_unit_test(four_bar_rests_where_the_closed_form_says),
        cmocka_unit_test(slider_crank_rests_where_its_potential_is_level),
        cmocka_unit_test(chain_hangs_as_the_catenary_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
