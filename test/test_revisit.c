/* What a state knows of (t, y) is used again where it is sent there again (dal_state_revisit): the digits are those of an evaluation from
 * the beginning, on every model of the gallery, by every formulation. */
#include "dynamics/reactions.h"
#include "gallery.h"

#include <stdlib.h>

typedef struct sample {
    double t, *y, *yd, *other;
} sample;

/* The start, moved a little: nothing is zero, and rows have residuals. */
static sample make_sample(const dal_system *system, const dal_state *state)
{
    const size_t n = (size_t)system->n_y;
    sample s = {.t = 0.0137, .y = malloc(sizeof(double) * 3 * n)};
    uint64_t seed = 618;
    s.yd = s.y + n;
    s.other = s.yd + n;
    for (size_t i = 0; i < n; i++)
        s.y[i] = state->y[i] + 1e-4 * check_random(&seed);
    return s;
}

static void check_same(const char *what, const char *file, const char *formulation, const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes))
        fail_msg("%s of %s, %s: other digits", what, file, formulation);
}

/* Frames, rows, energies: after an evaluation, and from the beginning. */
static void compare_motion(const char *file, const char *formulation, dal_state *again, dal_state *fresh, const sample *s)
{
    const dal_layout *layout = &fresh->system->layout;
    assert_int_equal(dal_state_revisit(again, s->t, s->y), 0);
    assert_int_equal(dal_state_motion(again, true), 0);
    assert_int_equal(dal_state_unpack(fresh, s->t, s->y), 0);
    assert_int_equal(dal_state_motion(fresh, true), 0);
    const dal_energy a = dal_energy_now(again), b = dal_energy_now(fresh);
    check_same("energies", file, formulation, &a, &b, sizeof a);
    check_same("phi", file, formulation, again->work.phi, fresh->work.phi, sizeof(double) * (size_t)layout->n_rows);
    check_same("phi'", file, formulation, again->work.phid, fresh->work.phid, sizeof(double) * (size_t)layout->n_rows);
    check_same("A", file, formulation, again->work.A, fresh->work.A, sizeof(double) * (size_t)layout->n_values);
}

static int compare_evaluations(const char *file, const dal_system *system)
{
    const char *formulation = system->method.formulation->name;
    dal_state *fresh = dal_state_create(NULL, system), *again = dal_state_create(NULL, system);
    sample s = make_sample(system, fresh);
    int compared = 0;
    if (dal_state_derivative(fresh, s.t, s.y, s.yd) == 0) {
        assert_int_equal(dal_state_unpack(again, s.t, s.y), 0);
        assert_int_equal(dal_state_motion(again, false), 0);
        assert_int_equal(dal_state_revisit(again, s.t, s.y), 0);
        assert_int_equal(dal_state_rates(again, s.other), 0);
        check_same("y'", file, formulation, s.yd, s.other, sizeof(double) * (size_t)system->n_y);
        compare_motion(file, formulation, again, fresh, &s);
        compared = 1;
    }
    free(s.y);
    dal_state_free(fresh);
    dal_state_free(again);
    return compared;
}

static void a_state_that_is_revisited_has_the_same_digits(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int compared = 0;
    for (size_t i = 0; i < g.n; i++)
        for (const dal_formulation *const *f = dal_formulations; *f; f++) {
            char why[512];
            dal_system *system = gallery_compile(g.found.gl_pathv[i], NULL, (*f)->name, why);
            if (system)
                compared += compare_evaluations(g.found.gl_pathv[i], system);
            dal_system_free(system);
        }
    assert_true(compared > 100);
    gallery_close(&g);
}

/* New velocities, a new time or new states at the same place: what depends on them is computed anew. */
static void what_has_changed_is_computed_anew(void **unused)
{
    (void)unused;
    char why[512];
    dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", "angle", "lagrange", why);
    dal_state *fresh = dal_state_create(NULL, system), *again = dal_state_create(NULL, system);
    sample s = make_sample(system, fresh);
    assert_int_equal(dal_state_derivative(again, s.t, s.y, s.yd), 0);
    for (int i = 0; i < system->n_y; i++) {
        s.y[i] += 1e-3;
        compare_motion("four-bar.yaml", "lagrange", again, fresh, &s);
        assert_int_equal(dal_state_rates(again, s.other), 0);
        assert_int_equal(dal_state_derivative(fresh, s.t, s.y, s.yd), 0);
        check_same("y'", "four-bar.yaml", "lagrange", s.yd, s.other, sizeof(double) * (size_t)system->n_y);
    }
    free(s.y);
    dal_state_free(fresh);
    dal_state_free(again);
    dal_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_is_revisited_has_the_same_digits),
        cmocka_unit_test(what_has_changed_is_computed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
