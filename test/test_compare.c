/* The comparison of formulations: its differences against errors that are known in closed form, its rows, its refusals, its JSON. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"
#include "ration.h"

#include <complex.h>
#include <unistd.h>

static dal_spec *parse(const char *text)
{
    dal_spec *spec = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    dal_messages_free(messages);
    return spec;
}

/* Compare with the words of two lists, NULL: as usual; the first error goes into `why`. */
static dal_comparison *compare(const dal_spec *spec, const char *const *coordinates, const char *const *formulations, dal_status expected,
                               char why[512])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_compare_options options = {.coordinates = coordinates, .formulations = formulations};
    dal_comparison *comparison;
    while (coordinates && coordinates[options.n_coordinates])
        options.n_coordinates++;
    while (formulations && formulations[options.n_formulations])
        options.n_formulations++;
    dal_status status = dal_compare(spec, &options, messages, &comparison);
    const dal_message *first = dal_messages_first(messages);
    snprintf(why, 512, "%s", first ? first->text : "");
    if (status != expected)
        fail_msg("status %d (%s) instead of %d", (int)status, why, (int)expected);
    dal_messages_free(messages);
    return comparison;
}

static const char *const lagrange[] = {"lagrange", NULL}, *const two[] = {"lagrange", "udwadia-kalaba", NULL};

/* ---- differences ------------------------------------------------------------------------- */

/* x'' = -w^2 x by rk4: u = x - i x'/w has u' = i w u, and a step multiplies it by R(i w h), R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24. */
static void oscillator_errors(double w, double h, int steps, double amplitude, double *position, double *velocity)
{
    double complex z = I * w * h, factor = 1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24, u = amplitude;
    *position = *velocity = 0;
    for (int n = 1; n <= steps; n++) {
        u *= factor;
        double complex error = u - amplitude * cexp(I * w * h * n);
        *position = fmax(*position, fabs(creal(error)));
        *velocity = fmax(*velocity, fabs(w * cimag(error)));
    }
}

/* The reference has errors of about 1e-12 a step: far below the errors that are measured, 1e-3. */
static void differences_are_the_errors_of_the_integrator(void **state)
{
    (void)state;
    char why[512];
    dal_spec *spec = parse("dalembert: 1\nspace: planar\n"
                           "bodies:\n"
                           "  ball: {mass: 0.7, position: [1.37, 0]}\n"
                           "  wheel: {mass: 1.1, inertia: 0.43, angle: 0.618}\n"
                           "forces:\n"
                           "  pull: {type: force, body: ball, value: [-0.7 * 6.25 * ball.x, 0]}\n"
                           "  turn: {type: torque, body: wheel, value: -0.43 * 4.41 * wheel.angle}\n"
                           "simulate: {coordinates: angle, integrator: rk4, step: 0.1, until: 6}\n");
    dal_comparison *c = compare(spec, NULL, lagrange, DAL_OK, why);
    double x, v, angle, omega;
    oscillator_errors(2.5, 0.1, 60, 1.37, &x, &v);
    oscillator_errors(2.1, 0.1, 60, 0.618, &angle, &omega);
    assert_int_equal(c->n_rows, 1);
    assert_int_equal(c->n_instants, 61);
    assert_string_equal(c->bodies[1], "wheel");
    const dal_difference *ball = &c->rows[0].bodies[0], *wheel = &c->rows[0].bodies[1];
    check_close(ball->position, x, 1e-9);
    check_close(ball->velocity, v, 1e-9);
    check_close(ball->attitude, 0, 0);
    check_close(wheel->attitude, angle, 1e-9);
    check_close(wheel->omega, omega, 1e-9);
    check_small(wheel->position, 1e-12);
    check_close(c->rows[0].difference, fmax(ball->position / c->info.length, wheel->attitude), 1e-15);
    check_small(c->reference.difference, 1e-9);
    assert_int_equal(c->rows[0].evidence.evaluations >= 4 * 60, 1);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

static const char double_pendulum[] = "dalembert: 1\nname: \"Double \\\"pendulum\\\"\"\nspace: planar\ngravity: [0, -9.81]\n"
                                      "bodies:\n"
                                      "  upper: {mass: 1.3, inertia: 0.21, center: [0.41, 0.07], points: {B: [0.87, 0.1]}}\n"
                                      "  lower: {mass: 0.7, inertia: 0.13, center: [0.33, -0.05], angle: 0.618}\n"
                                      "joints:\n"
                                      "  A: {type: revolute, connect: [ground, upper]}\n"
                                      "  B: {type: revolute, connect: [upper.B, lower]}\n"
                                      "simulate: {until: 0.9, rtol: 1e-8, atol: 1e-10}\n";

/* Some 50 steps, each within the tolerance, and a motion that enlarges what is behind it at most tenfold: 500 tolerances. */
static void families_and_formulations_give_one_motion(void **state)
{
    (void)state;
    char why[512];
    const char *all[16] = {NULL}, *title;
    for (int i = 0; dal_list_entry("coordinates", i, &all[i], &title); i++)
        continue;
    dal_spec *spec = parse(double_pendulum), before = *spec;
    dal_comparison *c = compare(spec, all, two, DAL_OK, why);
    int applies = 0;
    for (int i = 0; i < c->n_rows; i++) {
        const dal_compare_row *row = &c->rows[i];
        assert_string_equal(row->coordinates, all[i / 2]);
        assert_string_equal(row->formulation, two[i % 2]);
        if (!row->applies) { /* a family that the model says nothing for */
            assert_non_null(row->reason);
            assert_int_not_equal(row->status, DAL_OK);
            continue;
        }
        applies++;
        assert_int_equal(row->status, DAL_OK);
        check_small(row->difference, 500 * 1e-8);
        check_small(row->energy_error, 500 * 1e-8);
        check_small(row->constraint_error, 1e-9);
        assert_true(row->cpu_seconds > 0 && row->evidence.info.states > 0 && row->evidence.info.equations > 0);
        assert_true(row->difference >= c->rows[c->nearest].difference);
    }
    assert_true(applies >= 6);
    assert_true(c->reference.difference < 1e-9);
    assert_memory_equal(&before, spec, sizeof before); /* the caller's spec is as it was */
    dal_comparison_free(c);
    dal_spec_free(spec);
}

/* ---- errors over time ----------------------------------------------------------------------- */

/* What a run of its own records at the same instants: energy.balance, constraint.position, constraint.velocity. */
typedef struct recorded {
    int n;
    double row[600][4];
} recorded;

static dal_status begin_recorded(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    assert_int_equal(n, 4);
    return DAL_OK;
}

static dal_status take_recorded(void *user, int n, const double *values)
{
    recorded *r = user;
    memcpy(r->row[r->n++], values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static void run_directly(const char *text, const char *coordinates, const char *formulation, double every, recorded *r, dal_evidence *evidence)
{
    static dal_record_spec channels[] = {
        {.value.text = "energy.balance"}, {.value.text = "constraint.position"}, {.value.text = "constraint.velocity"}};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = parse(text);
    dal_system *system;
    char number[32];
    snprintf(number, sizeof number, "%.17g", every);
    assert_true(dal_spec_set(spec, "coordinates", coordinates, messages) && dal_spec_set(spec, "formulation", formulation, messages));
    assert_true(dal_spec_set(spec, "every", number, messages) && dal_spec_set(spec, "stabilization", "mass-projection", messages));
    spec->record = channels;
    spec->n_record = 3;
    spec->record_given = true;
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    const dal_sink sink = {r, begin_recorded, take_recorded};
    r->n = 0;
    assert_int_equal(dal_run(system, &(dal_run_options){.sink = &sink}, messages, evidence), DAL_OK);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* The same run, so the same numbers but for the order of sums. */
static void errors_over_time_are_those_of_a_run(void **state)
{
    (void)state;
    char why[512];
    static const char *const families[] = {"natural", "angle", NULL};
    static recorded r;
    dal_spec *spec = parse(double_pendulum);
    dal_comparison *c = compare(spec, families, two, DAL_OK, why);
    for (int i = 0; i < c->n_rows; i++) {
        const dal_compare_row *row = &c->rows[i];
        dal_evidence evidence;
        double worst_energy = 0, worst_difference = 0, worst_residual = 0;
        run_directly(double_pendulum, row->coordinates, row->formulation, c->every, &r, &evidence);
        assert_int_equal(row->n_instants, c->n_instants);
        assert_int_equal(r.n, c->n_instants);
        const double scale = evidence.energy_drift_absolute / evidence.energy_drift;
        for (int k = 0; k < r.n; k++) {
            const dal_compare_instant *at = &row->instants[k];
            check_close(at->time, r.row[k][0], 1e-15);
            check_close(at->energy * scale, fabs(r.row[k][1] - r.row[0][1]), 1e-13 * fabs(r.row[0][1]));
            check_close(at->position, r.row[k][2], 1e-15);
            check_close(at->velocity, r.row[k][3], 1e-15);
            assert_true(isnan(at->momentum) && isnan(at->ignorable)); /* it hangs on the ground, under gravity */
            worst_energy = fmax(worst_energy, at->energy);
            worst_difference = fmax(worst_difference, at->difference);
            worst_residual = fmax(worst_residual, fmax(at->position, at->velocity));
        }
        check_close(worst_difference, row->difference, 1e-15); /* the table has the largest of the instants */
        assert_true(worst_energy > 0 && worst_energy <= row->energy_error * (1 + 1e-9) && worst_energy > 0.1 * row->energy_error);
        assert_true(worst_residual > 0 && worst_residual <= row->constraint_error);
    }
    assert_int_equal(c->reference.n_instants, c->n_instants);
    check_small(c->reference.instants[c->n_instants - 1].difference, 0);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

/* Two bodies on a spring in free space keep their momenta; in the coordinates of joints, places of the first are ignorable. */
static void momenta_that_are_conserved_have_errors_over_time(void **state)
{
    (void)state;
    char why[512];
    static const char *const families[] = {"joint", "natural", NULL}, *const formulations[] = {"lagrange", "volterra-reduced", NULL};
    dal_spec *spec = parse("dalembert: 1\nspace: planar\n"
                           "bodies:\n"
                           "  a: {mass: 1.3, inertia: 0.21, velocity: [0.4, -0.2], rate: 0.7, points: {P: [0.3, 0.1]}}\n"
                           "  b: {mass: 0.7, inertia: 0.13, center: [0.33, -0.05], angle: 0.618}\n"
                           "joints: {hinge: {type: revolute, connect: [a.P, b]}}\n"
                           "forces: {turn: {type: torque, joint: hinge, value: -1.7*hinge.angle}}\n"
                           "simulate: {until: 2, rtol: 1e-6, atol: 1e-8}\n");
    dal_comparison *c = compare(spec, families, formulations, DAL_OK, why);
    for (int i = 0; i < c->n_rows; i++) {
        const dal_compare_row *row = &c->rows[i];
        if (!row->applies)
            continue;
        double momentum = 0, ignorable = 0;
        for (int k = 0; k < row->n_instants; k++) {
            momentum = fmax(momentum, row->instants[k].momentum);
            ignorable = fmax(ignorable, row->instants[k].ignorable);
        }
        assert_true(momentum > 0 && momentum <= row->evidence.momentum_drift * 1.001 && momentum > 0.1 * row->evidence.momentum_drift);
        if (strcmp(row->coordinates, "joint"))
            assert_true(isnan(row->instants[0].ignorable));
        else
            assert_true(ignorable <= row->evidence.ignorable_drift * 1.001);
        if (!strcmp(row->formulation, "volterra-reduced"))
            check_small(ignorable, 1e-14); /* it solves for them */
    }
    assert_true(c->rows[0].applies && c->rows[1].applies);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

typedef struct listener {
    int n, row, instant;
    double end[3];
} listener;

static void listen(void *user, const dal_comparison *comparison, int row, const dal_compare_instant *instant, const double *poses)
{
    listener *l = user;
    const dal_compare_row *of = row < 0 ? &comparison->reference : &comparison->rows[row];
    l->instant = row == l->row ? l->instant + 1 : 0;
    l->row = row;
    l->n++;
    assert_ptr_equal(instant, &of->instants[l->instant]);
    memcpy(l->end, poses + 7, sizeof l->end);
}

static void a_listener_has_every_instant_of_every_motion(void **state)
{
    (void)state;
    dal_spec *spec = parse(double_pendulum);
    listener l = {.row = -9};
    dal_comparison *c;
    dal_compare_options options = {.n_formulations = 2, .formulations = two, .motion = listen, .motion_user = &l};
    assert_int_equal(dal_compare(spec, &options, NULL, &c), DAL_OK);
    assert_int_equal(l.n, 3 * c->n_instants);
    assert_true(hypot(l.end[0], l.end[1]) > 0.8 && hypot(l.end[0], l.end[1]) < 0.88); /* the origin of `lower` stays at B */
    dal_comparison_free(c);
    dal_spec_free(spec);
}

static void methods_agree_where_no_difference_can_be_seen(void **state)
{
    (void)state;
    char why[512];
    int methods;
    double difference;
    dal_spec *spec = parse(double_pendulum);
    dal_comparison *c = compare(spec, NULL, two, DAL_OK, why);
    assert_true(dal_comparison_agrees(c, &methods, &difference));
    assert_int_equal(methods, 2);
    check_close(difference, fmax(c->rows[0].difference, c->rows[1].difference), 0);
    dal_comparison_free(c);
    dal_spec_free(spec);
    spec = parse("dalembert: 1\nspace: planar\nbodies: {ball: {mass: 0.7, position: [1.37, 0]}}\n"
                 "forces: {pull: {type: force, body: ball, value: [-0.7 * 6.25 * ball.x, 0]}}\n"
                 "simulate: {integrator: rk4, step: 0.2, until: 6}\n");
    c = compare(spec, NULL, two, DAL_OK, why);
    assert_false(dal_comparison_agrees(c, NULL, &difference));
    assert_true(difference > DAL_COMPARE_AGREEMENT);
    dal_comparison_free(c);
    dal_spec_free(spec);
    assert_false(dal_comparison_agrees(NULL, &methods, NULL));
    assert_int_equal(methods, 0);
}

/* ---- rows that do not apply, runs that fail ------------------------------------------------- */

static const char massless[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {mass: 0, points: {B: [1.1, 0]}}\n"
                               "  bob: {mass: 1.3, inertia: 0.02, position: [1.1, 0]}\n"
                               "joints:\n"
                               "  hinge: {type: revolute, connect: [ground, rod]}\n"
                               "  weld: {type: rigid, connect: [rod.B, bob]}\n"
                               "simulate: {coordinates: angle, until: 0.5}\n";

static void what_does_not_apply_is_listed_with_its_reason(void **state)
{
    (void)state;
    char why[512];
    dal_spec *spec = parse(massless);
    dal_comparison *c = compare(spec, NULL, two, DAL_OK, why);
    assert_int_equal(c->n_rows, 2);
    assert_int_equal(c->nearest, 0);
    assert_true(c->rows[0].applies && !c->rows[1].applies);
    assert_string_equal(c->rows[1].coordinates, "angle");
    assert_non_null(strstr(c->rows[1].reason, "'rod' has no mass"));
    assert_true(isnan(c->rows[1].difference) && isnan(c->rows[1].cpu_seconds));
    dal_comparison_free(c);

    static const char *const neither[] = {"udwadia-kalaba", NULL};
    c = compare(spec, NULL, neither, DAL_BAD_MODEL, why);
    assert_int_equal(c->n_rows, 1);
    assert_non_null(strstr(c->rows[0].reason, "'rod' has no mass"));
    assert_string_equal(why, c->rows[0].reason);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

static void without_a_formulation_a_row_for_each_in_the_list(void **state)
{
    (void)state;
    char why[512];
    const char *name, *title;
    int n = 0;
    dal_spec *spec = parse(massless);
    dal_comparison *c = compare(spec, NULL, NULL, DAL_OK, why);
    for (; dal_list_entry("formulation", n, &name, &title); n++)
        assert_string_equal(c->rows[n].formulation, name);
    assert_int_equal(c->n_rows, n);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

/* Nothing moves beyond t = 0.2. */
static void a_run_that_stops_early_says_where(void **state)
{
    (void)state;
    char why[512];
    dal_spec *spec = parse("dalembert: 1\nspace: planar\n"
                           "bodies: {a: {mass: 1.3, position: [1.37, 0.4]}}\n"
                           "forces: {pull: {type: force, body: a, value: [(0.2 - t)^(-2), 0]}}\n"
                           "simulate: {until: 1}\n");
    dal_comparison *c = compare(spec, NULL, lagrange, DAL_NUMERICAL, why);
    assert_true(c->rows[0].applies);
    assert_int_equal(c->rows[0].status, DAL_NUMERICAL);
    assert_non_null(strstr(c->rows[0].reason, "at t = 0.2"));
    check_close(c->rows[0].evidence.time_end, 0.2, 1e-3);
    assert_int_equal(c->nearest, -1);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    char why[512];
    static const char *const kain[] = {"lagrage", NULL}, *const angel[] = {"angel", NULL};
    dal_spec *spec = parse(massless);
    assert_null(compare(spec, NULL, kain, DAL_BAD_COMMAND, why));
    assert_non_null(strstr(why, "no formulation 'lagrage' (did you mean 'lagrange'?)"));
    assert_null(compare(spec, angel, NULL, DAL_BAD_COMMAND, why));
    assert_non_null(strstr(why, "no family of coordinates 'angel' (did you mean 'angle'?)"));
    spec->simulate.until.text = NULL;
    assert_null(compare(spec, NULL, lagrange, DAL_BAD_COMMAND, why));
    assert_non_null(strstr(why, "the runs have no end"));
    dal_spec_free(spec);
    /* the model's own fault is the reason of every row, and is told once */
    spec = parse("dalembert: 1\nspace: planar\nbodies: {a: {mass: -2}}\nsimulate: {until: 1}\n");
    dal_comparison *c = compare(spec, NULL, two, DAL_BAD_MODEL, why);
    assert_string_equal(c->rows[0].reason, c->rows[1].reason);
    assert_string_equal(why, c->rows[0].reason);
    dal_comparison_free(c);
    dal_spec_free(spec);
}

/* Stops in the row *user, and notes that it did. */
static bool stop(void *user, const dal_comparison *comparison, int row, double t, double wall_seconds)
{
    int *at = user;
    (void)comparison, (void)t, (void)wall_seconds;
    at[1] += row == at[0];
    return row != at[0];
}

/* 0.1 s passes between two calls of the hook: the steps have to be many. */
static void the_progress_hook_can_stop_it(void **state)
{
    (void)state;
    dal_spec *spec = parse("dalembert: 1\nspace: planar\nbodies: {a: {mass: 1.3}}\n"
                           "forces: {f: {type: force, body: a, value: [sin(1e5 * t), 0]}}\nsimulate: {until: 1e4}\n");
    int in_reference[2] = {-2, 0}, in_row[2] = {1, 0};
    dal_compare_options options = {.n_formulations = 2, .formulations = two, .progress = stop, .progress_user = in_reference};
    dal_comparison *comparison;
    assert_int_equal(dal_compare(spec, &options, NULL, &comparison), DAL_NUMERICAL);
    assert_null(comparison);
    assert_int_equal(in_reference[1], 1);

    /* fixed steps in the rows, few and long ones in the reference */
    dal_spec_free(spec);
    spec = parse("dalembert: 1\nspace: planar\nbodies: {a: {mass: 1.3}}\nforces: {f: {type: force, body: a, value: [0.37, 0]}}\n"
                 "simulate: {until: 1, integrator: rk4, step: 5e-6}\n");
    options.progress_user = in_row;
    assert_int_equal(dal_compare(spec, &options, NULL, &comparison), DAL_NUMERICAL);
    assert_int_equal(in_row[1], 1);
    assert_true(comparison->rows[0].applies && !comparison->rows[1].applies);
    assert_non_null(strstr(comparison->rows[1].reason, "stopped"));
    assert_int_equal(comparison->nearest, 0);
    dal_comparison_free(comparison);
    dal_spec_free(spec);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    dal_spec *spec = parse(massless);
    dal_compare_options options = {.n_formulations = 2, .formulations = two};
    dal_status status = DAL_NO_MEMORY;
    int failed = 0;
    for (int n = 0; status != DAL_OK; n += 1 + n / 12) { /* each of the first, then ever fewer */
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_comparison *comparison;
        options.allocator = &allocator;
        status = dal_compare(spec, &options, NULL, &comparison);
        assert_true(!comparison || status != DAL_NO_MEMORY);
        if (status == DAL_OK)
            assert_true(comparison->n_rows == 2 && comparison->rows[0].applies);
        failed += status == DAL_NO_MEMORY;
        dal_comparison_free(comparison);
        assert_int_equal(r.taken, 0);
    }
    assert_true(failed > 10);
    dal_spec_free(spec);
}

/* ---- the command -------------------------------------------------------------------------------- */

/* Run the program on a model; its standard output goes to the file `out`. */
static int command(const char *model, const char *options, const char *out)
{
    char path[] = "/tmp/test_compare.XXXXXX.yaml", line[1024];
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, model, strlen(model)), strlen(model));
    close(fd);
    snprintf(line, sizeof line, "'%s' compare %s %s > %s 2>&1", DAL_PROGRAM, path, options, out);
    int status = system(line);
    unlink(path);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void json_has_every_number(void **state)
{
    (void)state;
    static const char *const numbers[] = {"states", "equations", "evaluations", "cpu_seconds", "energy_error", "constraint_error", "difference"};
    char out[] = "/tmp/test_compare.XXXXXX";
    close(mkstemp(out));
    assert_int_equal(command(double_pendulum, "--json --formulations lagrange,udwadia-kalaba --coordinates natural,angle", out), 0);
    json_file file;
    const json *all = json_open(&file, out), *rows = json_get(all, "rows");
    unlink(out);
    assert_string_equal(json_get(all, "model")->text, "Double \\\"pendulum\\\"");
    assert_int_equal(strlen(json_get(all, "hash")->text), 16);
    assert_string_equal(json_get(all, "version")->text, dal_version());
    check_close(json_get(json_get(all, "options"), "rtol")->number, 1e-8, 1e-20);
    check_close(json_get(json_get(all, "reference"), "rtol")->number, 1e-11, 1e-20);
    assert_int_equal(rows->n, 4);
    for (int i = 0; i < 4; i++) {
        const json *row = json_at(rows, i);
        assert_string_equal(json_get(row, "coordinates")->text, i < 2 ? "natural" : "angle");
        assert_string_equal(json_get(row, "formulation")->text, two[i % 2]);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            assert_true(json_get(row, numbers[k])->number > 0);
        assert_true(json_get(json_get(json_get(row, "differences"), "lower"), "attitude")->number > 0);
    }
    json_close(&file);
}

static void the_table_is_at_most_100_columns_wide(void **state)
{
    (void)state;
    char out[] = "/tmp/test_compare.XXXXXX", line[1024];
    close(mkstemp(out));
    assert_int_equal(command(massless, "--coordinates all --bodies", out), 0);
    FILE *file = fopen(out, "r");
    unlink(out);
    int lines = 0;
    bool refused = false;
    for (; fgets(line, sizeof line, file); lines++) {
        assert_true(strlen(line) <= 101);
        refused |= !strncmp(line, "  angle: udwadia-kalaba: ", 25);
    }
    fclose(file);
    assert_true(lines > 20 && refused);
}

static void exit_codes_tell_what_happened(void **state)
{
    (void)state;
    assert_int_equal(command(massless, "--formulations lagrage", "/dev/null"), DAL_BAD_COMMAND);
    assert_int_equal(command(massless, "--coordinates ,", "/dev/null"), DAL_BAD_COMMAND);
    assert_int_equal(command(massless, "--integrator euler", "/dev/null"), DAL_BAD_COMMAND);
    assert_int_equal(command("dalembert: 1\nspace: planar\nbodies: {a: {mass: -2}}\nsimulate: {until: 1}\n", "", "/dev/null"), DAL_BAD_MODEL);
    assert_int_equal(command("dalembert: 1\nspace: planar\nbodies: {a: {mass: 1.3}}\n"
                             "forces: {f: {type: force, body: a, value: [(0.2 - t)^(-2), 0]}}\nsimulate: {until: 1}\n",
                             "", "/dev/null"),
                     DAL_NUMERICAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_the_errors_of_the_integrator),
        cmocka_unit_test(families_and_formulations_give_one_motion),
        cmocka_unit_test(errors_over_time_are_those_of_a_run),
        cmocka_unit_test(momenta_that_are_conserved_have_errors_over_time),
        cmocka_unit_test(a_listener_has_every_instant_of_every_motion),
        cmocka_unit_test(methods_agree_where_no_difference_can_be_seen),
        cmocka_unit_test(what_does_not_apply_is_listed_with_its_reason),
        cmocka_unit_test(without_a_formulation_a_row_for_each_in_the_list),
        cmocka_unit_test(a_run_that_stops_early_says_where),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(the_progress_hook_can_stop_it),
        cmocka_unit_test(without_memory_nothing_is_left_behind),
        cmocka_unit_test(json_has_every_number),
        cmocka_unit_test(the_table_is_at_most_100_columns_wide),
        cmocka_unit_test(exit_codes_tell_what_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
