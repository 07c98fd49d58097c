/* Callbacks of a run: they may read its state, and not change it; and a run says so where a program tries. */
#include "check.h"

#include "dalembert/dalembert.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char motor[] = "dalembert: 1\n"
                            "space: planar\n"
                            "inputs: {push: 0}\n"
                            "bodies: {wheel: {mass: 1, inertia: 1}}\n"
                            "joints: {axle: {type: revolute, connect: [ground, wheel]}}\n"
                            "forces: {m: {type: motor, joint: axle, value: push}}\n"
                            "record: [axle.angle, axle.angle']\n"
                            "simulate: {until: 1, every: 0.01, coordinates: joint}\n";
static const char arm[] = "dalembert: 1\n"
                          "space: spatial\n"
                          "gravity: [0, 0, -9.81]\n"
                          "inputs: {push: 0, pull: 3}\n"
                          "bodies:\n"
                          "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], points: {O: [-0.5, 0, 0], E: [0.5, 0, 0]}}\n"
                          "  end: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], points: {O: [-0.5, 0, 0]}}\n"
                          "joints:\n"
                          "  a: {type: revolute, connect: [ground, rod.O], axis: [0, 1, 0]}\n"
                          "  b: {type: spherical, connect: [rod.E, end.O]}\n"
                          "forces: {m: {type: torque, joint: a, value: push + pull}}\n"
                          "simulate: {until: 0.05, every: 0.01}\n";

typedef struct seen {
    dal_system *system;
    dal_state *final;
    long frames, accepted;
    double rate, angle_of_y, time;
    dal_status evaluated, changed;
    dal_messages *messages;
} seen;

static dal_system *compile(const char *text, const char *coordinates, const char *formulation)
{
    dal_spec *spec;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, NULL, &spec), DAL_OK);
    if (coordinates)
        assert_true(dal_spec_set(spec, "coordinates", coordinates, NULL));
    if (formulation)
        assert_true(dal_spec_set(spec, "formulation", formulation, NULL));
    dal_compile(NULL, spec, NULL, &system);
    dal_spec_free(spec);
    return system;
}

static const dal_message *find_warning(const dal_messages *messages, const char *code)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->code && !strcmp(m->code, code))
            return m;
    return NULL;
}

/* Runs with this callback; the evidence has the same warnings. */
static dal_evidence run(seen *s, const char *text, const char *coordinates, const char *formulation,
                        dal_status (*frame)(void *, dal_state *, int, const double *))
{
    dal_evidence evidence;
    s->messages = dal_messages_create(NULL);
    s->system = compile(text, coordinates, formulation);
    assert_non_null(s->system);
    const dal_run_options options = {.frame = frame, .frame_user = s, .final = s->final};
    assert_int_equal(dal_run(s->system, &options, s->messages, &evidence), DAL_OK);
    return evidence;
}

static void finish(seen *s)
{
    dal_system_free(s->system);
    dal_messages_free(s->messages);
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static dal_status set_input(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    (void)n;
    s->frames++;
    s->accepted += dal_state_set_input(state, "push", 5);
    s->rate = values[2];
    return DAL_OK;
}

static void an_input_set_from_the_callback_is_refused_and_reported(void **unused)
{
    (void)unused;
    seen s = {0};
    dal_evidence evidence = run(&s, motor, NULL, NULL, set_input);
    assert_int_equal(s.frames, 101);
    assert_int_equal(s.accepted, 0);
    check_close(s.rate, 0, 0);
    const dal_message *warning = find_warning(s.messages, "input-not-used"), *all = find_warning(s.messages, "state-of-run");
    assert_non_null(warning);
    assert_string_equal(warning->text, "at t = 0: a callback of the run set input 'push' to 5: inputs cannot be changed during a run, and it keeps "
                                       "the value 0");
    check_close(warning->number, 5, 0);
    assert_non_null(all);
    check_close(all->number, 101, 0);
    assert_int_equal(evidence.n_warnings, 2);
    finish(&s);
}

static void in_every_family_and_formulation(void **unused)
{
    (void)unused;
    const char *coordinates, *formulation;
    int runs = 0;
    for (int i = 0; dal_list_entry("coordinates", i, &coordinates, NULL); i++)
        for (int k = 0; dal_list_entry("formulation", k, &formulation, NULL); k++) {
            dal_system *system = compile(arm, coordinates, formulation);
            if (!system)
                continue;
            seen s = {0};
            dal_messages *messages = dal_messages_create(NULL);
            dal_evidence evidence;
            const dal_run_options options = {.frame = set_input, .frame_user = &s};
            assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
            assert_int_equal(s.accepted, 0);
            assert_non_null(find_warning(messages, "input-not-used"));
            dal_messages_free(messages);
            dal_system_free(system);
            runs++;
        }
    assert_true(runs > 20);
}

/* A run makes states of its own: what was set on `final` before is not in it. */
static void an_input_of_the_final_state_is_reported(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile(arm, NULL, NULL);
    dal_state *final = dal_state_create(NULL, system);
    dal_evidence evidence;
    assert_true(dal_state_set_input(final, "pull", 7));
    assert_int_equal(dal_run(system, &(dal_run_options){.final = final}, messages, &evidence), DAL_OK);
    const dal_message *warning = find_warning(messages, "input-not-used");
    assert_non_null(warning);
    check_close(warning->number, 7, 0);
    assert_non_null(strstr(warning->text, "input 'pull' of the state `final` is 7"));
    assert_non_null(strstr(warning->text, "`inputs:`, 3;"));
    dal_messages_clear(messages);
    assert_int_equal(dal_run(system, &(dal_run_options){.final = final}, messages, &evidence), DAL_OK); /* it has the run's own now */
    assert_null(find_warning(messages, "input-not-used"));
    assert_true(dal_state_set_input(final, "pull", 7)); /* and is free again */
    dal_state_free(final);
    dal_system_free(system);
    dal_messages_free(messages);
}

static dal_status set_final(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    (void)state, (void)n, (void)values;
    s->accepted += dal_state_set_input(s->final, "push", 5) + dal_state_reset(s->final) + dal_state_set_time(s->final, 1);
    return DAL_OK;
}

static void the_final_state_belongs_to_the_run_meanwhile(void **unused)
{
    (void)unused;
    seen s = {.messages = dal_messages_create(NULL), .system = compile(motor, NULL, NULL)};
    dal_evidence evidence;
    s.final = dal_state_create(NULL, s.system);
    const dal_run_options options = {.frame = set_final, .frame_user = &s, .final = s.final};
    assert_int_equal(dal_run(s.system, &options, s.messages, &evidence), DAL_OK);
    assert_int_equal(s.accepted, 0);
    assert_non_null(find_warning(s.messages, "input-not-used"));
    check_close(dal_state_time(s.final), 1, 1e-15);
    assert_true(dal_state_reset(s.final));
    dal_state_free(s.final);
    finish(&s);
}

/* ---- other changes ----------------------------------------------------------------------------------- */

static dal_status set_time(void *user, dal_state *state, int n, const double *values)
{
    (void)n, (void)values;
    ((seen *)user)->accepted += dal_state_set_time(state, 0.25);
    return DAL_OK;
}

static dal_status reset(void *user, dal_state *state, int n, const double *values)
{
    (void)n, (void)values;
    ((seen *)user)->accepted += dal_state_reset(state);
    return DAL_OK;
}

static dal_status give(void *user, dal_state *state, int n, const double *values)
{
    (void)n, (void)values;
    ((seen *)user)->accepted += dal_state_assign(state, 1, &(dal_given){"axle.angle", 1}, NULL, NULL) == DAL_OK;
    return DAL_OK;
}

static dal_status evaluate_elsewhere(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    dal_instant *instant;
    dal_evaluation *evaluation;
    (void)n, (void)values;
    assert_int_equal(dal_instant_create(NULL, s->system, &instant), DAL_OK);
    s->accepted += dal_evaluate(NULL, state, instant, NULL, NULL, &evaluation) == DAL_OK;
    dal_instant_free(instant);
    s->accepted += dal_instant_random(NULL, state, 1, NULL, &instant) == DAL_OK;
    return DAL_OK;
}

static dal_status run_into_it(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    dal_evidence evidence;
    (void)n, (void)values;
    s->accepted += dal_run(s->system, &(dal_run_options){.final = state}, NULL, &evidence) == DAL_OK;
    s->accepted += dal_state_set_time(state, 3);
    return DAL_OK;
}

static dal_status free_it(void *user, dal_state *state, int n, const double *values)
{
    (void)user, (void)n, (void)values;
    dal_state_free(state);
    return DAL_OK;
}

static dal_status write_y(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    (void)n;
    s->rate = values[2];
    dal_state_y(state)[1] = 100;
    s->changed = dal_state_evaluate(state, NULL);
    return DAL_OK;
}

static void other_changes_are_refused_and_reported(void **unused)
{
    (void)unused;
    dal_status (*const frames[])(void *, dal_state *, int, const double *) = {set_time, reset, give, evaluate_elsewhere, run_into_it, free_it};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        seen s = {0};
        dal_evidence evidence = run(&s, motor, NULL, NULL, frames[i]);
        assert_int_equal(s.accepted, 0);
        assert_non_null(find_warning(s.messages, "state-of-run"));
        check_close(evidence.time_end, 1, 1e-12);
        finish(&s);
    }
}

/* An assertion where there are such; otherwise the run goes on, and the system is there until it is freed again. */
static dal_status free_system(void *user, dal_state *state, int n, const double *values)
{
    (void)state, (void)n, (void)values;
    dal_system_free(((seen *)user)->system);
    return DAL_OK;
}

static void a_system_is_not_freed_while_its_run_lasts(void **unused)
{
    (void)unused;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        seen s = {.system = compile(motor, NULL, NULL)};
        dal_evidence evidence;
        if (!freopen("/dev/null", "w", stderr))
            _exit(4);
        signal(SIGABRT, SIG_DFL);
        const dal_status status = dal_run(s.system, &(dal_run_options){.frame = free_system, .frame_user = &s}, NULL, &evidence);
        dal_system_free(s.system);
        _exit(status == DAL_OK && evidence.rows_recorded == 101 ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) || (WIFEXITED(status) && !WEXITSTATUS(status)));
}

static void y_that_a_callback_writes_is_not_taken_over(void **unused)
{
    (void)unused;
    seen s = {0};
    run(&s, motor, NULL, NULL, write_y);
    check_close(s.rate, 0, 0);
    assert_int_equal(s.changed, DAL_BAD_COMMAND);
    assert_non_null(find_warning(s.messages, "state-of-run"));
    finish(&s);
}

/* ---- what may be done ------------------------------------------------------------------------------------ */

/* y and the time are those of the row; the state is evaluated; tree calls and equations work. */
static dal_status look(void *user, dal_state *state, int n, const double *values)
{
    seen *s = user;
    const double *y = dal_state_y(state);
    double h[1], v[1] = {y[1]};
    dal_equations *equations;
    (void)n;
    check_close(dal_state_time(state), values[0], 0);
    check_close(y[0], values[1], 1e-15);
    check_close(y[1], values[2], 1e-15);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    check_close(dal_state_body(state, 0).omega[2], values[2], 1e-15);
    assert_int_equal(dal_bias_forces(state, y, v, h), DAL_OK);
    assert_int_equal(dal_equations_create(NULL, state, NULL, &equations), DAL_OK);
    check_close(equations->time, values[0], 0);
    dal_equations_free(equations);
    s->frames++;
    s->rate = values[2];
    return DAL_OK;
}

static void a_callback_may_look(void **unused)
{
    (void)unused;
    static const char driven[] = "dalembert: 1\nspace: planar\ninputs: {push: 2}\nbodies: {wheel: {mass: 1, inertia: 1}}\n"
                                 "joints: {axle: {type: revolute, connect: [ground, wheel]}}\n"
                                 "forces: {m: {type: motor, joint: axle, value: push}}\nrecord: [axle.angle, axle.angle']\n"
                                 "simulate: {until: 1, every: 0.1, coordinates: joint}\n";
    seen s = {0};
    dal_evidence evidence = run(&s, driven, NULL, NULL, look);
    assert_int_equal(s.frames, 11);
    check_close(s.rate, 2, 1e-12);
    assert_int_equal(evidence.n_warnings, 0);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_set_from_the_callback_is_refused_and_reported),
        cmocka_unit_test(in_every_family_and_formulation),
        cmocka_unit_test(an_input_of_the_final_state_is_reported),
        cmocka_unit_test(the_final_state_belongs_to_the_run_meanwhile),
        cmocka_unit_test(other_changes_are_refused_and_reported),
        cmocka_unit_test(a_system_is_not_freed_while_its_run_lasts),
        cmocka_unit_test(y_that_a_callback_writes_is_not_taken_over),
        cmocka_unit_test(a_callback_may_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
