/* Small motions: A, B, eigenvalues and equilibria against references of 30 digits, and the same in every family and formulation. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"

#include <stdlib.h>

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

static double part(const json *value, const char *which)
{
    return value->text ? (*which == 'r' ? value->number : 0) : json_get(value, which)->number;
}

static void bicycle_has_the_eigenvalues_of_the_benchmark(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "2c_whipple_bicycle.json");
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
            dal_modes_free(modes);
            dal_spec_free(spec);
        }
    json_close(&file);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cart_has_the_exact_matrices),
        cmocka_unit_test(bicycle_has_the_eigenvalues_of_the_benchmark),
        cmocka_unit_test(four_bar_has_the_eigenvalues_of_one_coordinate),
        cmocka_unit_test(chains_have_the_frequencies_of_their_polynomials),
        cmocka_unit_test(rotor_whirls_as_its_matrices_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
