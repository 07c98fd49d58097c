/* Recursive dynamics and evaluations take no memory. */
#include "counting.h"

#include "every_tree_call.h"
#include "ration.h"
#include "tree_models.h"

/* All calls, three times: the first one may take the work space of derivatives, one block. */
static void check_calls(const dal_system *system, const char *name)
{
    uint64_t seed = 21;
    tree_calls c = tree_calls_create(system);
    for (int i = 0; i < 3; i++) {
        tree_calls_random(&c, &seed);
        long before = taken;
        int status = tree_calls_make(&c);
        long blocks = taken - before;
        if (status || blocks > (i == 0))
            fail_msg("%s: status %d, %ld blocks of memory were taken", name, status, blocks);
    }
    tree_calls_free(&c);
}

static void check_pair(const char *text, const char *name)
{
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    if (dal_system_has_tree(system))
        check_calls(system, name);
    dal_system_free(system);
}

static void no_call_on_a_tree_takes_memory(void **unused)
{
    (void)unused;
    if (!COUNTING)
        skip();
    check_pair(branching_tree, "a branching tree");
    every_pair(check_pair);
}

/* What the system and the state take from their own allocator is taken when they are made, or with the first derivative. */
static void states_take_nothing_from_their_allocator_after_they_are_made(void **unused)
{
    (void)unused;
    ration r = {.left = 1000000};
    dal_allocator allocator = {.allocate = take_rationed, .release = release_rationed, .user = &r};
    dal_system *system = compile_text(branching_tree, "joint", "lagrange", NULL);
    tree_calls c = tree_calls_create(system);
    uint64_t seed = 22;
    dal_state_free(c.state);
    c.state = dal_state_create(&allocator, system);
    assert_non_null(c.state);
    tree_calls_random(&c, &seed);
    assert_int_equal(tree_calls_make(&c), 0); /* the first one takes the work space of derivatives */
    int left = r.left;
    assert_int_equal(tree_calls_make(&c), 0);
    assert_int_equal(dal_state_evaluate(c.state, NULL), DAL_OK);
    assert_int_equal(r.left, left);
    tree_calls_free(&c);
    assert_int_equal(r.taken, 0);
    dal_system_free(system);
}

/* False: a model with coordinates of its own, or one that the formulation refuses. */
static bool check_evaluation(const char *file, const char *formulation)
{
    char why[512];
    dal_system *system = gallery_compile(file, "joint", formulation, why);
    if (!system)
        return false;
    dal_state *state = dal_state_create(NULL, system);
    assert_non_null(state);
    for (int i = 0; i < 3; i++) {
        long before = taken;
        dal_status status = dal_state_evaluate(state, NULL);
        long blocks = taken - before;
        if (status != DAL_OK || blocks)
            fail_msg("%s, %s: status %d, %ld blocks of memory were taken", file, formulation, (int)status, blocks);
    }
    dal_state_free(state);
    dal_system_free(system);
    return true;
}

static void evaluations_in_joint_coordinates_take_no_memory(void **unused)
{
    (void)unused;
    if (!COUNTING)
        skip();
    static const char *const formulations[] = {"lagrange", "recursive"};
    gallery models = gallery_open();
    for (int f = 0; f < 2; f++) {
        int checked = 0;
        for (size_t i = 0; i < models.n; i++)
            checked += check_evaluation(models.found.gl_pathv[i], formulations[f]);
        assert_true(checked > 10);
    }
    gallery_close(&models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_call_on_a_tree_takes_memory),
        cmocka_unit_test(states_take_nothing_from_their_allocator_after_they_are_made),
        cmocka_unit_test(evaluations_in_joint_coordinates_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
