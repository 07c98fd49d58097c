/* One system, two threads, each with a state of its own: what comes out is what one thread gets, bit for bit. */
#include "every_tree_call.h"

#include <pthread.h>

enum { STATES = 40, THREADS = 2 };

/* ---- calls on a tree --------------------------------------------------------------- */

typedef struct worker {
    const dal_system *system;
    double *out[STATES]; /* of each state */
    size_t n_out;
    int order; /* +1: the states from the first to the last; -1: the other way */
    int failed;
} worker;

static void work_create(worker *w, const dal_system *system, int order)
{
    tree_calls c = tree_calls_create(system);
    *w = (worker){.system = system, .n_out = c.n_out, .order = order};
    for (int i = 0; i < STATES; i++)
        w->out[i] = tree_numbers(c.n_out);
    tree_calls_free(&c);
}

static void work_free(worker *w)
{
    for (int i = 0; i < STATES; i++)
        free(w->out[i]);
}

static void *work(void *data)
{
    worker *w = data;
    tree_calls c = tree_calls_create(w->system);
    for (int k = 0; k < STATES; k++) {
        int i = w->order > 0 ? k : STATES - 1 - k;
        uint64_t seed = 1000 + (uint64_t)i;
        tree_calls_random(&c, &seed);
        w->failed |= tree_calls_make(&c);
        memcpy(w->out[i], c.out, c.n_out * sizeof(double));
    }
    tree_calls_free(&c);
    return NULL;
}

static void two_threads_get_what_one_gets(void **unused)
{
    (void)unused;
    dal_system *system = gallery_compile_text(branching_tree, "joint", "lagrange");
    worker alone, together[THREADS];
    pthread_t thread[THREADS];
    work_create(&alone, system, 1);
    work(&alone);
    assert_int_equal(alone.failed, 0);
    for (int t = 0; t < THREADS; t++) {
        work_create(&together[t], system, t % 2 ? -1 : 1);
        assert_int_equal(pthread_create(&thread[t], NULL, work, &together[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(together[t].failed, 0);
        for (int i = 0; i < STATES; i++)
            assert_memory_equal(together[t].out[i], alone.out[i], alone.n_out * sizeof(double));
        work_free(&together[t]);
    }
    work_free(&alone);
    dal_system_free(system);
}

/* ---- runs ---------------------------------------------------------------------------- */

typedef struct runner {
    const dal_system *system;
    dal_state *final;
    dal_status status;
} runner;

static void *run(void *data)
{
    runner *r = data;
    dal_run_options options = {.final = r->final};
    dal_evidence evidence;
    r->status = dal_run(r->system, &options, NULL, &evidence);
    return NULL;
}

static void check_run(const dal_system *system)
{
    runner alone = {.system = system, .final = dal_state_create(NULL, system)}, together[THREADS];
    size_t bytes = (size_t)dal_system_describe(system).states * sizeof(double);
    pthread_t thread[THREADS];
    run(&alone);
    assert_int_equal(alone.status, DAL_OK);
    for (int t = 0; t < THREADS; t++) {
        together[t] = (runner){.system = system, .final = dal_state_create(NULL, system)};
        assert_int_equal(pthread_create(&thread[t], NULL, run, &together[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(together[t].status, DAL_OK);
        assert_memory_equal(dal_state_y(together[t].final), dal_state_y(alone.final), bytes);
        dal_state_free(together[t].final);
    }
    dal_state_free(alone.final);
}

/* An open tree, and loops closed on top of one: in the plane, in space, mirrored and coupled. */
static void two_runs_at_once_follow_the_trajectory_of_one(void **unused)
{
    (void)unused;
    static const char *const formulations[] = {"lagrange", "recursive"};
    static const char *const loops[] = {DAL_MODELS "/four-bar.yaml", DAL_MODELS "/robot-leg.yaml", DAL_MODELS "/gripper.yaml"};
    for (int f = 0; f < 2; f++) {
        char why[512];
        dal_system *tree = gallery_compile_text(branching_tree, "joint", formulations[f]);
        check_run(tree);
        dal_system_free(tree);
        for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
            if (!check_chosen(f + (int)k, 3))
                continue;
            dal_system *loop = gallery_compile(loops[k], "joint", formulations[f], why);
            assert_non_null(loop);
            check_run(loop);
            dal_system_free(loop);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_get_what_one_gets),
        cmocka_unit_test(two_runs_at_once_follow_the_trajectory_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
