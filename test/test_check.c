/* The verdict on a model: ranks, redundant rows by name, loose motions, singular positions; against counts known by construction. */
#include "check/checker.h"
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"
#include "ration.h"
#include "state/state.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- helpers --------------------------------------------------------------------------- */

static dal_spec *parse(const char *text, int n, const dal_override *overrides)
{
    dal_spec *spec = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_spec_parse(NULL, "model.yaml", text, strlen(text), n, overrides, messages, &spec) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    dal_messages_free(messages);
    return spec;
}

static dal_verdict *judge(dal_spec *spec, bool along, dal_status expected)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_check_options options = {.along = along};
    dal_verdict *verdict;
    dal_status status = dal_check(spec, &options, messages, &verdict);
    if (status != expected)
        fail_msg("status %d (%s) instead of %d", (int)status, dal_messages_first(messages) ? dal_messages_first(messages)->text : "", (int)expected);
    dal_messages_free(messages);
    return verdict;
}

static dal_verdict *judge_text(const char *text, dal_status expected)
{
    dal_spec *spec = parse(text, 0, NULL);
    dal_verdict *verdict = judge(spec, false, expected);
    dal_spec_free(spec);
    return verdict;
}

/* With parameter `name` set to a value. */
static dal_verdict *judge_with(const char *text, const char *name, double value, dal_status expected)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    const dal_override override = {name, number};
    dal_spec *spec = parse(text, 1, &override);
    dal_verdict *verdict = judge(spec, false, expected);
    dal_spec_free(spec);
    return verdict;
}

static dal_verdict *judge_model(const char *name, const char *coordinates, bool along)
{
    char path[512];
    dal_spec *spec = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    snprintf(path, sizeof path, "%s/%s", DAL_MODELS, name);
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    if (coordinates)
        assert_true(dal_spec_set(spec, "coordinates", coordinates, messages));
    dal_verdict *verdict = judge(spec, along, DAL_OK);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return verdict;
}

static void expect_counts(const dal_verdict *v, int velocities, int rows, int rank)
{
    assert_true(v->known);
    assert_int_equal(v->velocities, velocities);
    assert_int_equal(v->rows, rows);
    assert_int_equal(v->rank, rank);
    assert_int_equal(v->freedoms, velocities - rank);
    assert_int_equal(v->counted, velocities - rows);
}

/* Redundant rows in all groups together. */
static int sum_of_groups(const dal_verdict *v)
{
    int sum = 0;
    for (int g = 0; g < v->n_groups; g++)
        sum += v->groups[g].redundant;
    return sum;
}

static bool names(const dal_check_group *group, const char *joint)
{
    for (int k = 0; k < group->n_joints; k++)
        if (!strcmp(group->joints[k], joint))
            return true;
    return false;
}

static bool warns(const dal_verdict *v, const char *words)
{
    for (int i = 0; i < v->n_warnings; i++)
        if (strstr(v->warnings[i]->text, words))
            return true;
    return false;
}

static void expect_regular(const dal_verdict *v)
{
    if (v->singular || v->near_singular || v->isolated || v->neighbours < 3)
        fail_msg("not regular: rank %d and %d nearby, ratio %.3g and %.3g nearby, %d neighbours", v->rank, v->rank_near, v->ratio, v->ratio_near,
                 v->neighbours);
}

/* ---- redundant rows ------------------------------------------------------------------------ */

static void bricard_has_one_row_too_many_and_every_joint_carries_it(void **state)
{
    (void)state;
    dal_verdict *v = judge_model("bricard.yaml", NULL, false);
    expect_counts(v, 30, 30, 29);
    expect_regular(v);
    assert_int_equal(v->redundant, 1);
    assert_int_equal(v->n_groups, 1);
    assert_int_equal(v->groups[0].redundant, 1);
    assert_int_equal(v->groups[0].n_joints, 6);
    for (int k = 1; k <= 6; k++) {
        char name[8];
        snprintf(name, sizeof name, "th%d", k);
        assert_true(names(&v->groups[0], name));
    }
    assert_true(v->consistent && v->determined);
    assert_int_equal(v->n_warnings, 1);
    dal_verdict_free(v);
}

/* Friction follows the reactions, and these are not unique: then the motion depends on what is redundant, unless the friction is a
 * constant or compliances say how a load is shared. */
static void with_friction_the_motion_depends_on_what_is_redundant(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        bool depends;
    } cases[] = {{"friction: {coefficient: 0.1, radius: 0.02}", true},
                 {"friction: {coefficient: 0.1, radius: 0.02}, compliance: [1e-6, 1e-3]", false},
                 {"friction: {limit: 0.3}", false},
                 {"compliance: [1e-6, 1e-3]", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nground: {points: {A: [-0.2, 0, 0], B: [0.2, 0, 0]}}\nbodies:\n"
                 "  shaft: {mass: 3, inertia: [0.02, 0.03, 0.03], center: [0.6, 0, 0], points: {A: [-0.2, 0, 0], B: [0.2, 0, 0]}}\njoints:\n"
                 "  a: {type: revolute, connect: [ground.A, shaft.A], axis: [1, 0, 0], %s}\n"
                 "  b: {type: revolute, connect: [ground.B, shaft.B], axis: [1, 0, 0], %s}\nsimulate: {until: 2}\n",
                 cases[i].keys, cases[i].keys);
        dal_verdict *v = judge_text(text, DAL_OK);
        assert_int_equal(v->redundant, 5);
        assert_int_equal(warns(v, "and the friction of a, b follows them"), cases[i].depends);
        assert_int_equal(warns(v, ": the motion does not depend on"), !cases[i].depends);
        dal_verdict_free(v);
    }
}

static void the_verdict_does_not_depend_on_the_family(void **state)
{
    (void)state;
    static const char *const families[] = {"angle", "euler", "natural", "joint"};
    for (int f = 0; f < 4; f++) {
        dal_verdict *v = judge_model("n-four-bar-spatial.yaml", families[f], false);
        assert_string_equal(v->info.coordinates, families[f]);
        assert_int_equal(v->info.freedoms, 1);
        expect_counts(v, 30, 35, 29);
        expect_regular(v);
        assert_int_equal(v->redundant, 6);
        assert_int_equal(sum_of_groups(v), 6);
        for (int g = 0; g < v->n_groups; g++)
            for (int k = 0; k < v->groups[g].n_rows; k++) /* across the plane: never a shift in it, never a turn about z */
                assert_true(v->groups[g].rows[k].angular
                                ? !strcmp(v->groups[g].rows[k].forbids, "turn about x") || !strcmp(v->groups[g].rows[k].forbids, "turn about y")
                                : !strcmp(v->groups[g].rows[k].forbids, "shift along z"));
        assert_int_equal(v->n_light, 5); /* slender rods */
        assert_true(v->determined && v->rank_inertia == 25);
        dal_verdict_free(v);
    }
}

/* A coupler on three cranks; e is the angle of the cranks. */
static const char parallelogram[] =
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "parameters: {e: 0.618, s: 1, a: 0.83*s, b: 1.37*s, c: 2.09*s}\n"
    "ground: {points: {A: [0, 0], B: [b, 0], C: [c, 0]}}\n"
    "bodies:\n"
    "  one: {mass: 1.1, inertia: 0.21*s^2, position: [0, 0], angle: e, points: {P: [a, 0]}}\n"
    "  two: {mass: 1.3, inertia: 0.23*s^2, position: [b, 0], angle: e, points: {P: [a, 0]}}\n"
    "  three: {mass: 0.9, inertia: 0.17*s^2, position: [c, 0], angle: e, points: {P: [a, 0]}}\n"
    "  coupler: {mass: 1.7, inertia: 0.4*s^2, position: [a*cos(e), a*sin(e)], angle: 0, points: {Q: [b, 0], R: [c, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground.A, one]}\n"
    "  B: {type: revolute, connect: [ground.B, two]}\n"
    "  C: {type: revolute, connect: [ground.C, three]}\n"
    "  P: {type: revolute, connect: [one.P, coupler]}\n"
    "  Q: {type: revolute, connect: [two.P, coupler.Q]}\n"
    "  R: {type: revolute, connect: [three.P, coupler.R]}\n"
    "simulate: {until: 1}\n";

static void a_parallelogram_with_three_bars_moves_though_counting_says_it_does_not(void **state)
{
    (void)state;
    dal_verdict *v = judge_text(parallelogram, DAL_OK);
    expect_counts(v, 12, 12, 11);
    expect_regular(v);
    assert_int_equal(v->redundant, 1);
    assert_int_equal(v->groups[0].n_joints, 6);
    assert_true(v->consistent);
    dal_verdict_free(v);
}

/* Axes of a door in space, and its hinges on it. */
static const char door[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                           "parameters: {s: 1, gap: 0, n: sqrt(0.36^2 + 0.48^2 + 0.8^2), x: 0.36/n, y: 0.48/n, z: 0.8/n}\n"
                           "ground: {points: {A: [0, 0, 0], B: [0.7*x*s, 0.7*y*s, 0.7*z*s], C: [1.9*x*s, 1.9*y*s, 1.9*z*s]}}\n"
                           "bodies:\n"
                           "  door: {mass: 31, inertia: [4.1*s^2, 5.3*s^2, 2.2*s^2], position: [0.4*s, -0.3*s, 0.9*s], points:"
                           " {A: [-0.4*s, 0.3*s, -0.9*s], B: [0.7*x*s - 0.4*s, 0.7*y*s + 0.3*s, 0.7*z*s - 0.9*s],"
                           " C: [1.9*x*s - 0.4*s, 1.9*y*s + 0.3*s, 1.9*z*s - 0.9*s + gap]}}\n"
                           "joints:\n"
                           "  low: {type: revolute, connect: [ground.A, door.A], axis: [x, y, z]}\n"
                           "  middle: {type: revolute, connect: [ground.B, door.B], axis: [x, y, z]}\n"
                           "  high: {type: revolute, connect: [ground.C, door.C], axis: [x, y, z]}\n"
                           "simulate: {until: 1}\n";

static void a_door_on_three_hinges_has_ten_rows_too_many(void **state)
{
    (void)state;
    dal_verdict *v = judge_text(door, DAL_OK);
    expect_counts(v, 6, 15, 5);
    expect_regular(v);
    assert_int_equal(v->redundant, 10);
    assert_int_equal(sum_of_groups(v), 10);
    assert_int_equal(v->n_groups, 1);
    assert_int_equal(v->groups[0].n_joints, 3);
    assert_true(v->consistent);
    dal_verdict_free(v);
}

static void hinges_that_contradict_each_other_are_refused_with_the_gap(void **state)
{
    (void)state;
    dal_verdict *v = judge_with(door, "gap", 0.02, DAL_BAD_MODEL);
    assert_true(v->known && v->contradictory && v->closest);
    assert_false(v->consistent);
    assert_int_equal(v->n_open, 3);
    assert_int_equal(v->redundant, 10); /* but for the gap */
    assert_int_equal(v->n_warnings, 0);
    assert_int_equal(v->status, DAL_BAD_MODEL);
    assert_non_null(strstr(v->reason, "the mechanism cannot be assembled: joint '"));
    const char *open = strstr(v->reason, "stays open by ");
    assert_non_null(open);
    double metres = 0, radians = 0;
    assert_int_equal(sscanf(open, "stays open by %lf m and %lf rad", &metres, &radians), 2);
    assert_true(metres + radians > 1e-3 && metres < 0.02 && radians < 0.1);        /* less than the fault: it is shared */
    assert_true(v->gap_shift >= metres * 0.999 && v->gap_turn >= radians * 0.999); /* of a joint, not of one of its rows */
    dal_verdict_free(v);
}

static const dal_check_gap *gap_of(const dal_verdict *v, const char *joint)
{
    for (int i = 0; i < v->n_open; i++)
        if (!strcmp(v->open[i].joint, joint))
            return &v->open[i];
    fail_msg("'%s' is not among those that stay open", joint);
    return NULL;
}

/* Twins of redundant models that do not fit. The gaps have the least sum of squares, which is known: of n equal rows of which
 * one is off by g, the others miss by g/n and this one by g (n - 1)/n. */
static void contradictory_twins_are_told_joint_by_joint(void **state)
{
    static const char pins[] = "dalembert: 1\nspace: planar\nparameters: {g: 0.1, far: 0}\nground: {points: {Q: [1, 0]}}\n"
                               "bodies: {a: {mass: 1, inertia: 1, angle: far, points: {P: [1 + g, 0]}}}\n"
                               "joints:\n  A: {type: revolute, connect: [ground, a]}\n  B: {type: revolute, connect: [ground.Q, a.P]}\n"
                               "simulate: {until: 1}\n";
    static const char table[] = "dalembert: 1\nspace: spatial\nparameters: {g: 0.008}\n"
                                "bodies: {top: {mass: 9, inertia: [1, 1, 1], position: [0, 0, 0.7], points: {\n"
                                "  A: [1, 1, -0.7], B: [-1, 1, -0.7], C: [-1, -1, -0.7], D: [1, -1, g - 0.7]}},\n"
                                "  lamp: {mass: 1, inertia: [1, 1, 1], position: [0.2, 0.3, 0.8]}}\n"
                                "joints:\n"
                                "  A: {type: point-on-plane, connect: [ground, top.A], axis: [0, 0, 1]}\n"
                                "  B: {type: point-on-plane, connect: [ground, top.B], axis: [0, 0, 1]}\n"
                                "  C: {type: point-on-plane, connect: [ground, top.C], axis: [0, 0, 1]}\n"
                                "  D: {type: point-on-plane, connect: [ground, top.D], axis: [0, 0, 1]}\n"
                                "  fits: {type: rigid, connect: [top, lamp]}\n"
                                "simulate: {until: 1}\n";
    static const char written[] = "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
                                  "joints: {A: {type: revolute, connect: [ground, b]}}\n"
                                  "constraints: {c: {position: a.x - 1}, d: {position: 2*a.x - 2}, e: {position: a.x - 1.6}}\n"
                                  "simulate: {until: 1}\n";
    (void)state;
    static const char *const families[] = {"angle", "euler", "natural", "joint"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) { /* the gaps are those of the bodies */
        dal_spec *spec = parse(pins, 0, NULL);
        assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
        dal_verdict *two = judge(spec, false, DAL_BAD_MODEL);
        expect_counts(two, 3, 4, 3);
        assert_true(two->contradictory && two->closest);
        assert_int_equal(two->n_open, 2);
        check_close(gap_of(two, "A")->shift, 0.05, 1e-9);
        check_close(gap_of(two, "B")->shift, 0.05, 1e-9);
        assert_true(gap_of(two, "A")->turn == 0 && two->gap_turn == 0);
        dal_verdict_free(two);
        dal_spec_free(spec);
    }
    /* four heights h + a x + b y: what they cannot do is (1, -1, 1, -1) / 2, of which a leg that is off has g / 2 */
    dal_verdict *v = judge_text(table, DAL_BAD_MODEL);
    assert_true(v->contradictory && v->closest);
    assert_int_equal(v->n_open, 4);
    for (int i = 0; i < 4; i++)
        check_close(gap_of(v, (const char[2]){(char)('A' + i), '\0'})->shift, 0.002, 1e-5); /* the turn of the top is of second order */
    dal_verdict_free(v);
    /* each equation by its slope, so that a multiple of it is the same: 1/2 (d^2 + d^2 + (d - 0.6)^2), 3 d = 0.6 */
    v = judge_text(written, DAL_BAD_MODEL);
    assert_int_equal(v->n_open, 3);
    assert_true(v->open[0].written && v->closest);
    check_close(gap_of(v, "c")->shift, 0.2, 1e-9);
    check_close(gap_of(v, "d")->shift, 0.4, 1e-9);
    check_close(gap_of(v, "e")->shift, 0.4, 1e-9);
    dal_verdict_free(v);
}

/* Hinges that cross at an angle: the turns share it, in radians. */
static void hinges_that_cross_are_told_in_radians(void **state)
{
    static const char text[] = "dalembert: 1\nspace: spatial\n"
                               "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints:\n  A: {type: revolute, connect: [ground, a], axis: [0, 0, 1]}\n"
                               "  B: {type: revolute, connect: [ground, a], axis: [[0, sin(0.2), cos(0.2)], [0, 0, 1]]}\n"
                               "simulate: {until: 1}\n";
    (void)state;
    dal_verdict *v = judge_text(text, DAL_BAD_MODEL);
    assert_true(v->contradictory && v->closest);
    assert_int_equal(v->n_open, 2);
    for (int i = 0; i < 2; i++) {
        check_close(v->open[i].turn, sin(0.1), 1e-9);
        assert_true(v->open[i].shift == 0);
    }
    dal_verdict_free(v);
}

/* Values that are fixed against a joint are no contradiction of joints. */
static void what_is_fixed_against_a_joint_is_no_contradiction_of_joints(void **state)
{
    static const char text[] = "dalembert: 1\nspace: planar\n"
                               "bodies: {a: {mass: 1, inertia: 1, position: [0.3, 0.4], fix: true}}\n"
                               "joints: {A: {type: revolute, connect: [ground, a]}}\nsimulate: {until: 1}\n";
    (void)state;
    dal_verdict *v = judge_text(text, DAL_BAD_MODEL);
    assert_true(v->contradictory && !v->closest);
    check_close(v->gap_shift, 0.5, 1e-12);
    assert_non_null(strstr(v->reason, "fixed, and perhaps against it: the position of 'a'"));
    dal_verdict_free(v);
}

/* ---- rows that may go together -------------------------------------------------------------- */

/* The rank of the rows of a probe without those that go. */
static void expect_rest_independent(const char *model)
{
    char path[512];
    dal_spec *spec = NULL;
    dal_system *system;
    dal_messages *messages = dal_messages_create(NULL);
    dal_arena arena;
    dal_probe p;
    snprintf(path, sizeof path, "%s/%s", DAL_MODELS, model);
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    dal_verdict *v = judge(spec, false, DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    dal_state *at = dal_state_create(NULL, system);
    dal_arena_begin(&arena, NULL);
    dal_state_unpack(at, 0, at->y);
    dal_state_position(at);
    dal_state_velocity(at);
    dal_probe_begin(&p, &arena, system);
    dal_probe_at(&p, at);
    dal_probe_rows(&p);
    int kept = 0, gone = 0;
    for (int i = 0; i < p.r; i++) {
        const dal_row *row = &p.layout->mechanism->rows[p.layout->row[i].source];
        const dal_joint *joint = &p.layout->mechanism->joints[row->joint];
        bool goes = false;
        for (int g = 0; g < v->n_groups; g++)
            for (int k = 0; k < v->groups[g].n_rows; k++)
                goes |= v->groups[g].rows[k].goes && !strcmp(v->groups[g].rows[k].joint, joint->name) &&
                        v->groups[g].rows[k].number == p.layout->row[i].source - joint->row + 1;
        if (goes)
            gone++;
        else
            memmove(p.A + (size_t)kept++ * (size_t)p.m, p.A + (size_t)i * (size_t)p.m, sizeof *p.A * (size_t)p.m);
    }
    p.r = kept;
    assert_int_equal(gone, v->redundant);
    assert_int_equal(dal_probe_rank(&p, 1e-4, false), v->rank); /* far from dependent */
    assert_int_equal(kept, v->rank);
    dal_arena_release(&arena);
    dal_state_free(at);
    dal_system_free(system);
    dal_verdict_free(v);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void the_rows_that_may_go_together_leave_the_rank(void **state)
{
    (void)state;
    expect_rest_independent("bricard.yaml");
    expect_rest_independent("n-four-bar-spatial.yaml");
    expect_rest_independent("screw-press.yaml");
    expect_rest_independent("verdicts/door.yaml");
    expect_rest_independent("verdicts/table.yaml");
    dal_verdict *v = judge_model("verdicts/door.yaml", NULL, false);
    assert_int_equal(v->n_spare, 2);
    assert_string_equal(v->spare[0], "middle");
    assert_string_equal(v->spare[1], "upper");
    dal_verdict_free(v);
}

/* A fault that assembly closes elsewhere: the hinges are in line, and one of them turns about another axis by 1e-7. */
static void hinges_that_are_nearly_in_line_are_told(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: spatial\n"
                               "ground: {points: {A: [0, 0, 0], B: [0, 0, 0.7]}}\n"
                               "bodies:\n  door: {mass: 3.1, inertia: [4.1, 5.3, 2.2], points: {A: [0, 0, 0], B: [0, 0, 0.7]}}\n"
                               "joints:\n"
                               "  low: {type: revolute, connect: [ground.A, door.A], axis: [0, 0, 1]}\n"
                               "  high: {type: revolute, connect: [ground.B, door.B], axis: [1e-7, 0, 1]}\n"
                               "simulate: {until: 1}\n";
    dal_verdict *v = judge_text(text, DAL_OK);
    expect_counts(v, 6, 10, 6);
    assert_int_equal(v->redundant, 4);
    assert_int_equal(v->n_nearly, 1);
    assert_true(names(&v->nearly[0], "low") || names(&v->nearly[0], "high"));
    assert_true(warns(v, "not exactly where they belong"));
    dal_verdict_free(v);
}

static void a_table_on_four_legs_has_one_too_many_and_the_pin_is_not_among_them(void **state)
{
    (void)state;
    dal_verdict *v =
        judge_text("dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                   "ground: {points: {O: [0, 0, 0], P: [0.3, -0.2, 0]}}\n"
                   "bodies:\n"
                   "  table: {mass: 17, inertia: [1.1, 1.3, 2.1], position: [0, 0, 0.7], points: {a: [0.6, 0.4, -0.7], b: [-0.6, 0.4, -0.7],"
                   " c: [-0.6, -0.4, -0.7], d: [0.6, -0.4, -0.7], e: [0.3, -0.2, -0.7]}}\n"
                   "joints:\n"
                   "  a: {type: point-on-plane, connect: [ground.O, table.a], axis: [0, 0, 1]}\n"
                   "  b: {type: point-on-plane, connect: [ground.O, table.b], axis: [0, 0, 1]}\n"
                   "  c: {type: point-on-plane, connect: [ground.O, table.c], axis: [0, 0, 1]}\n"
                   "  d: {type: point-on-plane, connect: [ground.O, table.d], axis: [0, 0, 1]}\n"
                   "  pin: {type: point-on-line, connect: [ground.P, table.e], axis: [0, 0, 1]}\n"
                   "simulate: {until: 1}\n",
                   DAL_OK);
    expect_counts(v, 6, 6, 5);
    expect_regular(v);
    assert_int_equal(v->redundant, 1);
    assert_int_equal(v->n_groups, 1);
    assert_int_equal(v->groups[0].n_rows, 4);
    assert_false(names(&v->groups[0], "pin"));
    for (int k = 0; k < 4; k++)
        assert_string_equal(v->groups[0].rows[k].forbids, "shift along z");
    dal_verdict_free(v);
}

/* Two mechanisms that do not touch: their dependences do not mix. */
static void groups_of_separate_mechanisms_stay_apart(void **state)
{
    (void)state;
    dal_verdict *v = judge_text("dalembert: 1\nspace: planar\n"
                                "ground: {points: {B: [0, 0.43], D: [5, 0.61]}}\n"
                                "bodies:\n"
                                "  lid: {mass: 1, inertia: 0.2, points: {B: [0, 0.43]}}\n"
                                "  box: {mass: 1, inertia: 0.3, position: [5, 0], points: {D: [0, 0.61]}}\n"
                                "joints:\n"
                                "  a: {type: prismatic, connect: [ground, lid], axis: [0.6, 0.8]}\n"
                                "  b: {type: prismatic, connect: [ground.B, lid.B], axis: [0.6, 0.8]}\n"
                                "  c: {type: prismatic, connect: [ground.D, box.D], axis: [0.28, 0.96]}\n"
                                "  d: {type: prismatic, connect: [ground.D, box.D], axis: [0.28, 0.96]}\n"
                                "simulate: {until: 1}\n",
                                DAL_OK);
    expect_counts(v, 6, 8, 4);
    assert_int_equal(v->redundant, 4);
    assert_int_equal(sum_of_groups(v), 4);
    for (int g = 0; g < v->n_groups; g++)
        assert_true((names(&v->groups[g], "a") || names(&v->groups[g], "b")) != (names(&v->groups[g], "c") || names(&v->groups[g], "d")));
    dal_verdict_free(v);
}

/* A planar four-bar with hinges, its plane anywhere: three rows too many, and nothing that is aligned with the world. */
static void write_four_bar(char *text, size_t size, double scale, const double u[3], const double w[3], const double n[3])
{
    const double corner[4][2] = {{0, 0}, {0.31, 0.73}, {1.57, 1.04}, {1.9, -0.12}};
    double p[4][3], mid[3][3];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            p[k][i] = scale * (corner[k][0] * u[i] + corner[k][1] * w[i]);
    int used = snprintf(text, size,
                        "dalembert: 1\nspace: spatial\ngravity: [%.17g, 0, 0]\nground: {points: {A: [0, 0, 0], D: [%.17g, %.17g, %.17g]}}\nbodies:\n",
                        -9.81 * scale, p[3][0], p[3][1], p[3][2]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            mid[k][i] = (p[k][i] + p[k + 1][i]) / 2;
        used += snprintf(text + used, size - (size_t)used,
                         "  bar%d: {mass: 1.3, inertia: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g], points: {L: [%.17g, "
                         "%.17g, %.17g], R: [%.17g, "
                         "%.17g, %.17g]}}\n",
                         k + 1, 0.2 * scale * scale, 0.3 * scale * scale, 0.25 * scale * scale, mid[k][0], mid[k][1], mid[k][2], p[k][0] - mid[k][0],
                         p[k][1] - mid[k][1], p[k][2] - mid[k][2], p[k + 1][0] - mid[k][0], p[k + 1][1] - mid[k][1], p[k + 1][2] - mid[k][2]);
    }
    static const char *const ends[4][2] = {{"ground.A", "bar1.L"}, {"bar1.R", "bar2.L"}, {"bar2.R", "bar3.L"}, {"ground.D", "bar3.R"}};
    used += snprintf(text + used, size - (size_t)used, "joints:\n");
    for (int k = 0; k < 4; k++)
        used += snprintf(text + used, size - (size_t)used, "  %c: {type: revolute, connect: [%s, %s], axis: [%.17g, %.17g, %.17g]}\n", 'A' + k,
                         ends[k][0], ends[k][1], n[0], n[1], n[2]);
    snprintf(text + used, size - (size_t)used, "simulate: {until: 1}\n");
}

static void a_four_bar_with_hinges_has_three_rows_too_many_in_any_plane_and_unit(void **state)
{
    (void)state;
    uint64_t seed = 11;
    char text[4000];
    for (int trial = 0; trial < 6; trial++) {
        double u[3], w[3], n[3], dot = 0, a = 0, b = 0;
        for (int i = 0; i < 3; i++) {
            u[i] = trial ? check_random(&seed) : i == 0;
            w[i] = trial ? check_random(&seed) : i == 1;
            a += u[i] * u[i];
        }
        for (int i = 0; i < 3; i++)
            dot += (u[i] /= sqrt(a)) * w[i];
        for (int i = 0; i < 3; i++) {
            w[i] -= dot * u[i];
            b += w[i] * w[i];
        }
        for (int i = 0; i < 3; i++)
            w[i] /= sqrt(b);
        for (int i = 0; i < 3; i++)
            n[i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];
        write_four_bar(text, sizeof text, trial % 2 ? 1e3 : 1, u, w, n);
        dal_verdict *v = judge_text(text, DAL_OK);
        expect_counts(v, 18, 20, 17);
        expect_regular(v);
        assert_int_equal(v->redundant, 3);
        assert_int_equal(sum_of_groups(v), 3);
        bool all = true;
        for (int k = 0; k < 4; k++) {
            const char name[2] = {(char)('A' + k), '\0'};
            bool any = false;
            for (int g = 0; g < v->n_groups; g++)
                any |= names(&v->groups[g], name);
            all &= any;
        }
        assert_true(all);
        dal_verdict_free(v);
    }
}

/* ---- units and multiples ---------------------------------------------------------------------- */

static void units_do_not_change_the_verdict(void **state)
{
    (void)state;
    static const double units[] = {1e-6, 1e-3, 1, 1e3, 1e6};
    dal_verdict *first = judge_text(parallelogram, DAL_OK), *hung = judge_text(door, DAL_OK);
    for (int i = 0; i < 5; i++) {
        dal_verdict *v = judge_with(parallelogram, "s", units[i], DAL_OK), *d = judge_with(door, "s", units[i], DAL_OK);
        expect_counts(v, 12, 12, 11);
        expect_regular(v);
        check_close(v->ratio, first->ratio, 1e-9); /* eps times the condition, generously */
        expect_counts(d, 6, 15, 5);
        check_close(d->ratio, hung->ratio, 1e-9);
        assert_int_equal(d->groups[0].n_rows, hung->groups[0].n_rows);
        dal_verdict_free(v);
        dal_verdict_free(d);
    }
    dal_verdict_free(first);
    dal_verdict_free(hung);
}

static void multiples_of_rows_do_not_change_the_verdict(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {f: 1}\n"
                               "bodies:\n  bead: {mass: 1.3, position: [0.6, 0.8]}\n  other: {mass: 0.7, position: [2, 0.3]}\n"
                               "constraints:\n"
                               "  circle: {position: f*(bead.x^2 + bead.y^2 - 1)}\n"
                               "  again: {position: bead.x^2 + bead.y^2 - 1}\n"
                               "  level: {position: other.y - 0.3}\n"
                               "simulate: {until: 1}\n";
    static const double factors[] = {1e-8, 1e-4, 1, 37, 1e6};
    for (int i = 0; i < 5; i++) {
        dal_verdict *v = judge_with(text, "f", factors[i], DAL_OK);
        expect_counts(v, 4, 3, 2);
        assert_int_equal(v->n_groups, 1);
        assert_true(names(&v->groups[0], "circle") && names(&v->groups[0], "again") && v->groups[0].n_rows == 2);
        check_close(v->groups[0].rows[0].share, sqrt(0.5), 1e-12);
        assert_string_equal(v->groups[0].rows[0].forbids, "its equation");
        dal_verdict_free(v);
    }
}

/* ---- inertia -------------------------------------------------------------------------------------- */

static void a_massless_link_between_joints_is_fine(void **state)
{
    (void)state;
    dal_verdict *v = judge_text("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies:\n"
                                "  rod: {mass: 0, inertia: 0, points: {B: [1.1, 0]}}\n"
                                "  bob: {mass: 1.3, inertia: 0.02, position: [1.1, 0]}\n"
                                "joints:\n"
                                "  A: {type: revolute, connect: [ground, rod]}\n"
                                "  B: {type: revolute, connect: [rod.B, bob]}\n"
                                "simulate: {until: 1}\n",
                                DAL_OK);
    expect_counts(v, 6, 4, 4);
    assert_true(v->determined && v->rank_stacked == 6 && v->rank_inertia == 3);
    assert_int_equal(v->n_light, 1);
    assert_string_equal(v->light[0], "'rod' has neither mass nor inertia");
    assert_int_equal(v->n_warnings, 0);
    dal_verdict_free(v);
}

static void a_massless_tip_that_nothing_holds_is_named_with_its_motion(void **state)
{
    (void)state;
    dal_verdict *v = judge_text("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies:\n"
                                "  rod: {mass: 1.3, inertia: 0.2, position: [0.2, 0.3], points: {B: [1.1, 0.4]}}\n"
                                "  tip: {mass: 0, inertia: 0, position: [1.3, 0.7]}\n"
                                "joints:\n"
                                "  A: {type: revolute, connect: [ground, rod]}\n"
                                "  B: {type: revolute, connect: [rod.B, tip]}\n"
                                "simulate: {until: 1}\n",
                                DAL_BAD_MODEL);
    assert_true(v->known);
    assert_false(v->determined);
    assert_int_equal(v->rank_stacked, 5);
    assert_int_equal(v->n_loose, 1);
    assert_int_equal(v->loose[0].freedoms, 1);
    assert_non_null(strstr(v->loose[0].motion, "'tip' turns about ["));
    assert_null(strstr(v->loose[0].motion, "rod"));
    assert_non_null(strstr(v->loose[0].remedy, "give 'tip' inertia"));
    assert_non_null(strstr(v->reason, "not determined"));
    dal_verdict_free(v);
}

static void a_massless_rod_between_balls_spins_about_itself(void **state)
{
    (void)state;
    dal_verdict *v = judge_text("dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                                "bodies:\n"
                                "  rod: {mass: 0, inertia: [0, 0, 0], points: {B: [0.6, 0.48, 0.64]}}\n"
                                "  bob: {mass: 1.3, inertia: [0.1, 0.2, 0.15], position: [0.6, 0.48, 0.64]}\n"
                                "  ghost: {mass: 0, position: [3, 0, 0]}\n"
                                "joints:\n"
                                "  A: {type: spherical, connect: [ground, rod]}\n"
                                "  B: {type: spherical, connect: [rod.B, bob]}\n"
                                "  rail: {type: point-on-line, connect: [ground, ghost], axis: [1, 0, 0]}\n"
                                "simulate: {until: 1}\n",
                                DAL_BAD_MODEL);
    assert_int_equal(v->n_loose, 2);
    assert_string_equal(v->loose[0].motion, "'rod' turns about [0.6, 0.48, 0.64] through [0, 0, 0]");
    assert_non_null(strstr(v->loose[0].remedy, "give 'rod' inertia"));
    assert_string_equal(v->loose[1].motion, "'ghost' turns and moves along x"); /* without a mass it is no particle */
    assert_int_equal(v->loose[1].freedoms, 4);
    assert_non_null(strstr(v->loose[1].remedy, "give 'ghost' mass and inertia"));
    dal_verdict_free(v);
}

/* A mass of 1e-30 is a mass. */
/* Example 2 of the paper: nothing resists x. A body that lacks mass and does not move with x is no remedy. */
static void a_loose_coordinate_is_told_with_the_body_that_lacks_mass(void **state)
{
    static const char text[] = "dalembert: 1\nspace: planar\ncoordinates: {x: 0, y: {start: 0, rate: 1}, s: 0}\n"
                               "bodies: {ghost: {mass: 0, position: [x, 0]}, heavy: {mass: 1, position: [y, s]},\n"
                               "  other: {mass: 0, position: [y, 1]}}\n"
                               "simulate: {until: 1}\n";
    (void)state;
    dal_verdict *v = judge_text(text, DAL_BAD_MODEL);
    assert_int_equal(v->n_loose, 1);
    assert_string_equal(v->loose[0].motion, "x changes");
    assert_string_equal(v->loose[0].remedy, "give mass or inertia to 'ghost', or hold this motion by a constraint");
    dal_verdict_free(v);
}

static void a_tiny_mass_counts_and_is_warned_about(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {m: 1}\nbodies:\n  big: {mass: 1.3}\n  dust: {mass: m, "
                               "position: [1, 0]}\nsimulate: {until: 1}\n";
    static const double masses[] = {1, 1e-5, 1e-7, 1e-9};
    for (int i = 0; i < 4; i++) {
        dal_verdict *v = judge_with(text, "m", masses[i], DAL_OK);
        assert_true(v->determined && v->rank_stacked == 4);
        assert_int_equal(warns(v, "'dust'"), i >= 2);
        check_close(v->mass_ratio, 1.3 / masses[i], 1e-12 / masses[i]);
        dal_verdict_free(v);
    }
}

/* ---- singular positions --------------------------------------------------------------------------- */

static const char four_bar_flat[] = "dalembert: 1\nspace: planar\nparameters: {e: 0, a: 0.83, b: 1.37}\n"
                                    "ground: {points: {B: [b, 0]}}\n"
                                    "bodies:\n"
                                    "  one: {mass: 1.1, inertia: 0.21, position: [0, 0], angle: e, points: {P: [a, 0]}}\n"
                                    "  two: {mass: 1.3, inertia: 0.23, position: [b, 0], angle: e, points: {P: [a, 0]}}\n"
                                    "  coupler: {mass: 1.7, inertia: 0.4, position: [a*cos(e), a*sin(e)], angle: 0, points: {Q: [b, 0]}}\n"
                                    "joints:\n"
                                    "  A: {type: revolute, connect: [ground, one]}\n"
                                    "  B: {type: revolute, connect: [ground.B, two]}\n"
                                    "  P: {type: revolute, connect: [one.P, coupler]}\n"
                                    "  Q: {type: revolute, connect: [two.P, coupler.Q]}\n"
                                    "simulate: {until: 1}\n";

static void a_flat_parallelogram_is_a_change_point(void **state)
{
    (void)state;
    dal_verdict *v = judge_text(four_bar_flat, DAL_OK);
    expect_counts(v, 9, 8, 7);
    assert_true(v->singular && !v->isolated && v->neighbours >= 3);
    assert_int_equal(v->gained, 1);
    assert_int_equal(v->rank_near, 8);
    assert_int_equal(v->redundant, 0); /* nearby nothing is */
    assert_true(warns(v, "singular position"));
    assert_non_null(strstr(v->singular_joints, "A"));
    dal_verdict_free(v);
}

static void three_cranks_flat_gain_a_freedom_and_keep_a_redundant_row(void **state)
{
    (void)state;
    dal_verdict *v = judge_with(parallelogram, "e", 0, DAL_OK);
    assert_true(v->singular);
    assert_int_equal(v->rank_near, 11);
    assert_int_equal(v->redundant, 1);
    assert_int_equal(v->gained, 11 - v->rank);
    assert_true(v->gained >= 1);
    dal_verdict_free(v);
}

/* The smallest singular value falls with the angle e; the verdict turns where it is 1e-10 of the largest, and not before. */
static void the_verdict_turns_at_the_tolerance_on_the_way_to_a_singular_position(void **state)
{
    (void)state;
    double slope = 0;
    for (int k = 1; k <= 14; k++) {
        double e = pow(10, -k);
        dal_verdict *v = judge_with(four_bar_flat, "e", e, DAL_OK);
        if (k == 3)
            slope = v->ratio / e;
        if (k > 3 && k <= 9) {
            check_close(v->ratio / (slope * e), 1, 1e-3);
            assert_true(v->near_singular && !v->singular && v->rank == 8);
        }
        if (k > 3)
            assert_int_equal(v->singular, slope * e < 1e-10);
        dal_verdict_free(v);
    }
}

static void a_stretched_wire_is_an_isolated_position(void **state)
{
    (void)state;
    dal_verdict *v = judge_text("dalembert: 1\nspace: planar\nground: {points: {L: [-1.37, 0], R: [0.83, 0]}}\n"
                                "bodies:\n  bead: {mass: 1.3}\n"
                                "joints:\n"
                                "  left: {type: distance, connect: [ground.L, bead], length: 1.37}\n"
                                "  right: {type: distance, connect: [ground.R, bead], length: 0.83}\n"
                                "simulate: {until: 1}\n",
                                DAL_OK);
    expect_counts(v, 2, 2, 1);
    assert_true(v->singular && v->isolated);
    assert_true(warns(v, "isolated"));
    dal_verdict_free(v);
}

static void a_driven_slider_in_its_dead_centre_is_singular_and_elsewhere_not(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {e: 0, a: 0.31, b: 0.83}\n"
                               "define: {x: \"a*cos(e) + sqrt(b^2 - (a*sin(e))^2)\", f: \"asin(a*sin(e)/b)\"}\n"
                               "bodies:\n"
                               "  crank: {mass: 1, inertia: 0.1, angle: e, points: {P: [a, 0]}}\n"
                               "  rod: {mass: 1, inertia: 0.1, position: [a*cos(e), a*sin(e)], angle: -f, points: {Q: [b, 0]}}\n"
                               "  slider: {mass: 1, inertia: 0.1, position: [x, 0]}\n"
                               "joints:\n"
                               "  A: {type: revolute, connect: [ground, crank]}\n"
                               "  P: {type: revolute, connect: [crank.P, rod]}\n"
                               "  Q: {type: revolute, connect: [rod.Q, slider]}\n"
                               "  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0], drive: \"x + 0*t\"}\n"
                               "simulate: {until: 1}\n";
    dal_verdict *dead = judge_text(text, DAL_OK), *alive = judge_with(text, "e", 0.7, DAL_OK);
    expect_counts(dead, 9, 9, 8);
    assert_true(dead->singular);
    assert_int_equal(dead->gained, 1);
    expect_counts(alive, 9, 9, 9);
    expect_regular(alive);
    dal_verdict_free(dead);
    dal_verdict_free(alive);
}

/* ---- time scales, start values, ignorable coordinates ----------------------------------------------- */

static const char hanging[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {c: 0}\n"
                              "bodies:\n  rod: {mass: 1.3, inertia: 0.21, center: [0, -0.73]}\n"
                              "joints:\n  A: {type: revolute, connect: [ground, rod]}\n"
                              "forces:\n  damper: {type: torque, body: rod, value: -c*rod.angle'}\n"
                              "simulate: {until: 1, integrator: rk4, step: 0.01}\n";

static void the_fastest_motion_of_a_pendulum_is_its_frequency(void **state)
{
    (void)state;
    static const char *const families[] = {"angle", "natural", "joint"};
    double I = 0.21 + 1.3 * 0.73 * 0.73, w = sqrt(1.3 * 9.81 * 0.73 / I);
    for (int f = 0; f < 3; f++) {
        dal_spec *spec = parse(hanging, 0, NULL);
        assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
        dal_verdict *v = judge(spec, false, DAL_OK);
        check_close(v->fastest, w, 1e-6 * w); /* eps^(2/3) is 4e-11, times the condition of the eigenvalue */
        check_small(v->fastest_real, 1e-5);
        assert_int_equal(v->n_warnings, 0);
        dal_verdict_free(v);
        dal_spec_free(spec);
    }
}

/* Three bars that hang between two points: what the loop leaves free, whoever solves for it. */
static const char swing[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {D: [2, 0]}}\nbodies:\n"
                            "  a: {mass: 1.3, inertia: 0.21, position: [0, 0], angle: 0.03, center: [0, -0.5], points: {B: [0, -1]}}\n"
                            "  b: {mass: 0.7, inertia: 0.3, position: [0, -1], center: [1, 0.1], points: {C: [2, 0]}}\n"
                            "  c: {mass: 0.9, inertia: 0.11, position: [2, 0], center: [0.1, -0.6], points: {C: [0, -1]}}\n"
                            "joints:\n  A: {type: revolute, connect: [ground, a]}\n  B: {type: revolute, connect: [a.B, b]}\n"
                            "  C: {type: revolute, connect: [b.C, c.C]}\n  D: {type: revolute, connect: [ground.D, c]}\n"
                            "simulate: {until: 1, coordinates: joint}\n";

static void a_loop_has_the_same_fastest_motion_whoever_solves_for_it(void **state)
{
    (void)state;
    static const char *const formulations[] = {"lagrange", "recursive", "udwadia-kalaba"};
    double found[3];
    for (int f = 0; f < 3; f++) {
        dal_spec *spec = parse(swing, 0, NULL);
        assert_true(dal_spec_set(spec, "formulation", formulations[f], NULL));
        dal_verdict *v = judge(spec, false, DAL_OK);
        found[f] = v->fastest;
        check_close(found[f], found[0], 1e-6 * found[0]);
        dal_verdict_free(v);
        dal_spec_free(spec);
    }
    assert_true(found[0] > 2 && found[0] < 5); /* near sqrt(g / 1 m) */
}

static void a_step_that_is_too_long_is_told_with_the_longest_one(void **state)
{
    (void)state;
    double I = 0.21 + 1.3 * 0.73 * 0.73, c = 1e4;
    dal_verdict *v = judge_with(hanging, "c", c, DAL_OK);
    check_close(v->fastest, c / I, 1e-3 * c / I);
    assert_true(v->step_limit < 0.01 && v->step_limit > 2 * I / c);
    assert_true(warns(v, "too long for 'rk4'"));
    dal_verdict_free(v);
}

/* A spring of 1e14 N/m on 1 kg: 1e7 /s. That many steps are told, whether it swings or decays. */
static void motions_that_take_millions_of_steps_are_told(void **state)
{
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {k: 100, c: 0}\n"
                               "bodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}\n"
                               "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: k, damping: c, length: 1}}\n"
                               "simulate: {until: 1}\n";
    (void)state;
    dal_verdict *slow = judge_text(text, DAL_OK), *fast = judge_with(text, "k", 1e14, DAL_OK), *stiff = judge_with(text, "c", 1e8, DAL_OK);
    assert_int_equal(slow->n_warnings, 0);
    check_close(fast->fastest, 1e7, 10);
    assert_true(fast->n_warnings == 1 && warns(fast, "the motion is fast: 1e+07 /s"));
    assert_true(stiff->n_warnings == 1 && warns(stiff, "the motion is stiff: a decay within 1.0e-08 s"));
    dal_verdict_free(slow);
    dal_verdict_free(fast);
    dal_verdict_free(stiff);
}

static void ignorable_coordinates_are_named_with_the_family_that_has_them(void **state)
{
    (void)state;
    dal_verdict *v = judge_model("cart-pole-light.yaml", "angle", false);
    assert_string_equal(v->ignorable, "cart.x");
    assert_string_equal(v->ignorable_family, "joint");
    dal_verdict_free(v);
}

static void what_assembly_moved_is_told(void **state)
{
    (void)state;
    dal_verdict *v = judge_with(four_bar_flat, "e", 0.7, DAL_OK), *moved = judge_model("universal-double-pendulum.yaml", NULL, false);
    assert_int_equal(v->n_moved, 0);
    assert_true(moved->n_moved >= 1 && strstr(moved->moved[0], "assembly moved 'upper' by "));
    dal_verdict_free(v);
    dal_verdict_free(moved);
}

/* Joints that change what was given: a pin the place, a drive the angle and the rate. */
/* A four-bar of which only the crank is given closes twice: the two angles of the rocker are those at which circles about B and D meet. Nothing is said where a
 * value is given, where a joint chooses, and where a motion leads on. */
static void a_start_that_nothing_decides_is_noted(void **state)
{
    static const char bars[] =
        "dalembert: 1\nspace: planar\nground: {points: {D: [1.2, 0]}}\n"
        "bodies:\n  crank: {mass: 0.5, inertia: 0.004, points: {B: [0.3, 0]}}\n  coupler: {mass: 1, inertia: 0.1, points: {C: [1, 0]}}\n"
        "  rocker: {mass: 1, inertia: 0.06, points: {C: [0.8, 0]}%s}\n"
        "joints:\n  A: {type: revolute, connect: [ground, crank]%s}\n  B: {type: revolute, connect: [crank.B, coupler]}\n"
        "  C: {type: revolute, connect: [coupler.C, rocker.C]%s}\n  D: {type: revolute, connect: [ground.D, rocker]}\nsimulate: {until: 1}\n";
    static const char open_arm[] =
        "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1, points: {P: [1, 0]}}, b: {mass: 1, inertia: 1}, free: {mass: 1, inertia: "
        "1}}\n"
        "joints: {A: {type: revolute, connect: [ground, a]}, B: {type: revolute, connect: [a.P, b]}}\nsimulate: {until: 1}\n";
    static const char *const given[][3] = {{"", ", start: {angle: 1, rate: 2, fix: true}", ""},
                                           {"", ", start: {angle: 1, rate: 2}", ""},
                                           {", angle: 2", ", start: {angle: 1, rate: 2}", ""},
                                           {", angle: -2", ", start: {angle: 1, rate: 2}", ""},
                                           {"", ", start: {angle: 1}", ", start: {branch: other}"}};
    const double x = 0.3 * cos(1.0) - 1.2, y = 0.3 * sin(1.0), d = sqrt(x * x + y * y), turn = acos((0.64 + d * d - 1) / (2 * 0.8 * d)),
                 to = atan2(y, x);
    char text[1500];
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        snprintf(text, sizeof text, bars, given[i][0], given[i][1], given[i][2]);
        dal_verdict *v = judge_text(text, DAL_OK);
        if (i > 1) {
            assert_null(v->undecided);
        } else {
            double angle[2];
            assert_non_null(v->undecided);
            assert_int_equal(
                sscanf(v->undecided,
                       "the start of 'rocker' follows from the joints alone: it is placed at %lf rad, and the mechanism also closes with it at %lf",
                       &angle[0], &angle[1]),
                2);
            for (int k = 0; k < 2; k++) {
                const double off[2] = {remainder(angle[k] - to - turn, 2 * 3.141592653589793),
                                       remainder(angle[k] - to + turn, 2 * 3.141592653589793)};
                assert_true(fabs(off[0]) < 1e-3 || fabs(off[1]) < 1e-3);
            }
            assert_true(fabs(remainder(angle[0] - angle[1], 2 * 3.141592653589793)) > 0.1);
        }
        dal_verdict_free(v);
    }
    dal_verdict *v = judge_text(open_arm, DAL_OK);
    assert_null(v->undecided);
    dal_verdict_free(v);
}

static void what_assembly_moved_is_told_in_numbers(void **state)
{
    static const char text[] = "dalembert: 1\nspace: planar\n"
                               "bodies:\n"
                               "  a: {mass: 1.3, inertia: 0.7, position: [0.03, 0.04], angle: 0.3, rate: 1.5}\n"
                               "  b: {mass: 2, inertia: 1, position: [7, 1]}\n"
                               "  c: {mass: 2, inertia: 1}\n"
                               "joints:\n  A: {type: revolute, connect: [ground, a], drive: 0.1 + 0.2*t}\n"
                               "  C: {type: rigid, connect: [b, c]}\n"
                               "simulate: {until: 1}\n";
    static const char own[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 1, rate: 2}, y: {start: 1, rate: 0}, z: {}}\n"
                              "bodies: {p: {mass: 1, position: [x, y]}, q: {mass: 1, position: [z, 0]}}\n"
                              "constraints: {c: {position: x + y - 1.8}, d: {position: z - 5}}\nsimulate: {until: 1}\n";
    (void)state;
    dal_verdict *v = judge_text(text, DAL_OK);
    assert_int_equal(v->n_moves, 1); /* c was not given */
    assert_string_equal(v->moves[0].name, "a");
    check_close(v->moves[0].shift, 0.05, 1e-12);
    check_close(v->moves[0].turn, 0.2, 1e-12);
    check_close(v->moves[0].velocity, 0, 0);
    check_close(v->moves[0].spin, 1.3, 1e-12);
    check_close(v->shift_most, 0.05, 1e-12);
    check_close(v->turn_most, 0.2, 1e-12);
    check_close(v->velocity_most, 0, 0);
    check_close(v->spin_most, 1.3, 1e-12);
    dal_verdict_free(v);
    v = judge_text(own, DAL_OK);
    assert_int_equal(v->n_moves, 2);
    assert_string_equal(v->moves[0].name, "x");
    assert_string_equal(v->moves[1].name, "y");
    for (int i = 0; i < 2; i++) {
        check_close(v->moves[i].shift, -0.1, 1e-12);
        check_close(v->moves[i].velocity, -1, 1e-12);
    }
    dal_verdict_free(v);
}

/* ---- along the motion ----------------------------------------------------------------------------------- */

static void along_the_motion_the_rank_is_watched(void **state)
{
    (void)state;
    dal_verdict *v = judge_model("n-four-bar.yaml", NULL, true), *regular = judge_model("four-bar.yaml", NULL, true);
    assert_true(v->along.done && v->along.status == DAL_OK && v->along.instants > 300);
    check_close(v->along.time_end, 10, 1e-12);
    assert_int_equal(v->along.rank_most, 14);
    assert_true(v->along.near_singular && v->along.ratio_least < 0.01 * v->along.ratio_most); /* it swings through its flat position */
    assert_true(warns(v, "near a singular position at t = ") || warns(v, "a singular position is met"));
    assert_true(!regular->along.near_singular && regular->along.rank_least == 8 && regular->along.rank_most == 8 && regular->along.changes == 0);
    assert_int_equal(regular->n_warnings, 0);
    dal_verdict_free(v);
    dal_verdict_free(regular);
}

/* Two drives of one freedom: they agree for ever, or only at the start. */
static void drives_that_come_to_contradict_each_other_stop_the_run_along(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {e: 0.618, k: 0, a: 0.83, b: 1.37}\n"
                               "ground: {points: {B: [b, 0]}}\n"
                               "bodies:\n"
                               "  one: {mass: 1.1, inertia: 0.21, position: [0, 0], angle: e, points: {P: [a, 0]}}\n"
                               "  two: {mass: 1.3, inertia: 0.23, position: [b, 0], angle: e, points: {P: [a, 0]}}\n"
                               "  coupler: {mass: 1.7, inertia: 0.4, position: [a*cos(e), a*sin(e)], angle: 0, points: {Q: [b, 0]}}\n"
                               "joints:\n"
                               "  A: {type: revolute, connect: [ground, one], drive: e + 0.7*t}\n"
                               "  B: {type: revolute, connect: [ground.B, two], drive: e + 0.7*t + k*t^3}\n"
                               "  P: {type: revolute, connect: [one.P, coupler]}\n"
                               "  Q: {type: revolute, connect: [two.P, coupler.Q]}\n"
                               "simulate: {until: 0.3, every: 0.01}\n";
    const dal_override override = {"k", "100"};
    dal_spec *good = parse(text, 0, NULL), *bad = parse(text, 1, &override);
    dal_verdict *v = judge(good, true, DAL_OK);
    expect_counts(v, 9, 10, 9);
    expect_regular(v);
    assert_int_equal(v->redundant, 1);
    assert_true(names(&v->groups[0], "A") && names(&v->groups[0], "B"));
    check_small(v->along.conflict, 1e-12);
    assert_int_equal(v->n_warnings, 1);
    dal_verdict_free(v);
    v = judge(bad, true, DAL_NUMERICAL);
    assert_true(v->along.done && v->along.time_end < 0.3 && v->along.reason && v->status == DAL_NUMERICAL);
    assert_non_null(strstr(v->reason, "the constraints "));
    dal_verdict_free(v);
    dal_spec_free(good);
    dal_spec_free(bad);
}

static void models_with_coordinates_of_their_own_are_checked_in_them(void **state)
{
    (void)state;
    dal_verdict *v = judge_model("cart-two-bars.yaml", NULL, true);
    assert_true(v->own_coordinates && v->determined && v->consistent);
    assert_int_equal(v->velocities, v->info.velocities);
    assert_int_equal(v->rank, v->info.rank);
    assert_int_equal(v->freedoms, v->info.freedoms);
    assert_int_equal(v->along.rank_least, v->info.rank);
    dal_verdict_free(v);
}

/* ---- the command -------------------------------------------------------------------------------------------- */

static int command(const char *text, const char *options, const char *out)
{
    char path[] = "/tmp/test_check.XXXXXX.yaml", line[1024];
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    snprintf(line, sizeof line, "'%s' check %s %s > %s 2> /dev/null", DAL_PROGRAM, path, options, out);
    int status = system(line);
    unlink(path);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void exit_codes_tell_the_verdict(void **state)
{
    (void)state;
    assert_int_equal(command(hanging, "", "/dev/null"), 0);
    assert_int_equal(command(parallelogram, "", "/dev/null"), 1);
    assert_int_equal(command(door, "--set gap=0.02", "/dev/null"), 3);
    assert_int_equal(command(door, "--set gap=", "/dev/null"), 2);
    assert_int_equal(command(door, "--set nothing=3", "/dev/null"), 2);
    assert_int_equal(command(door, "--wrong", "/dev/null"), 2);
}

static void json_says_the_same_as_the_text(void **state)
{
    (void)state;
    char out[] = "/tmp/test_check.XXXXXX";
    close(mkstemp(out));
    assert_int_equal(command(parallelogram, "--json --along --until 0.1", out), 1);
    json_file file;
    const json *all = json_open(&file, out), *groups = json_get(all, "groups");
    assert_int_equal((int)json_get(all, "rank")->number, 11);
    assert_int_equal((int)json_get(all, "freedoms")->number, 1);
    assert_int_equal(groups->n, 1);
    assert_int_equal(json_get(json_at(groups, 0), "joints")->n, 6);
    assert_string_equal(json_get(all, "verdict")->text, "warnings");
    assert_int_equal((int)json_get(json_get(all, "along"), "rank_least")->number, 11);
    assert_int_equal(json_get(all, "warnings")->n, 1);
    json_close(&file);
    assert_int_equal(command(door, "--json --set gap=0.02", out), 3);
    all = json_open(&file, out);
    assert_int_equal(json_get(all, "open")->n, 3);
    assert_true(json_get(all, "gap_shift")->number > 1e-3);
    assert_string_equal(json_get(json_at(json_get(all, "open"), 0), "joint")->text, "low");
    assert_string_equal(json_get(all, "verdict")->text, "cannot be simulated");
    json_close(&file);
    assert_int_equal(command(parallelogram, "--along --until 0.1", out), 1);
    FILE *text = fopen(out, "r");
    char line[400], last[400] = "";
    while (fgets(line, sizeof line, text)) {
        assert_true(strlen(line) <= 101);
        strcpy(last, line);
    }
    assert_string_equal(last, "verdict      1 warning\n");
    fclose(text);
    unlink(out);
}

/* The arm falls from the horizontal and swings to the other side, half a turn, whatever its masses are: it leaves the upper limit by pi - 0.7. */
static void limits_that_the_motion_leaves_are_named(void **state)
{
    (void)state;
    static const char *const upper[] = {"0.7", "3.5"};
    char path[] = "/tmp/test_check.XXXXXX.urdf", out[] = "/tmp/test_check.XXXXXX", line[1024];
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    close(mkstemp(out));
    for (int far = 0; far < 2; far++)
        for (int along = 0; along < 2; along++) {
            FILE *robot = fopen(path, "w");
            fprintf(robot,
                    "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial><origin xyz='0.2 0 0'/><mass value='1.3'/>"
                    "<inertia ixx='0.01' iyy='0.05' izz='0.05' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
                    "<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
                    "<limit lower='-0.5' upper='%s' effort='20' velocity='3'/></joint>\n</robot>\n",
                    upper[far]);
            fclose(robot);
            snprintf(line, sizeof line, "'%s' check --json -q %s %s > %s 2> /dev/null", DAL_PROGRAM, along ? "--along --until 2" : "", path, out);
            const int status = system(line), left = along && !far;
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == left);
            json_file answer;
            const json *warnings = json_get(json_open(&answer, out), "warnings");
            assert_int_equal(warnings->n, left);
            if (left) {
                const json *warning = json_at(warnings, 0);
                const double most = 3.141592653589793 - 0.7, by = json_get(warning, "number")->number;
                assert_string_equal(json_get(warning, "code")->text, "limit-left");
                assert_non_null(strstr(json_get(warning, "text")->text, "joint 'hinge' leaves its limits, -0.5 to 0.7 rad"));
                assert_int_equal((int)json_get(warning, "line")->number, 4);
                assert_true(by < most + 1e-6 && by > most - 0.1); /* seen at the ends of steps */
            }
            json_close(&answer);
        }
    unlink(path);
    unlink(out);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void without_memory_it_says_so_and_leaves_nothing_behind(void **state)
{
    (void)state;
    dal_spec *spec = parse(parallelogram, 0, NULL);
    int failed = 0;
    dal_status status = DAL_NO_MEMORY;
    for (int n = 0; status == DAL_NO_MEMORY; n++) {
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_check_options options = {.along = true, .allocator = &allocator};
        dal_verdict *verdict;
        status = dal_check(spec, &options, NULL, &verdict);
        assert_true(!verdict == (status == DAL_NO_MEMORY));
        failed += status == DAL_NO_MEMORY;
        dal_verdict_free(verdict);
        assert_int_equal(r.taken, 0);
    }
    assert_true(failed > 10);
    dal_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_has_one_row_too_many_and_every_joint_carries_it),
        cmocka_unit_test(with_friction_the_motion_depends_on_what_is_redundant),
        cmocka_unit_test(the_verdict_does_not_depend_on_the_family),
        cmocka_unit_test(a_parallelogram_with_three_bars_moves_though_counting_says_it_does_not),
        cmocka_unit_test(a_door_on_three_hinges_has_ten_rows_too_many),
        cmocka_unit_test(hinges_that_contradict_each_other_are_refused_with_the_gap),
        cmocka_unit_test(contradictory_twins_are_told_joint_by_joint),
        cmocka_unit_test(hinges_that_cross_are_told_in_radians),
        cmocka_unit_test(what_is_fixed_against_a_joint_is_no_contradiction_of_joints),
        cmocka_unit_test(the_rows_that_may_go_together_leave_the_rank),
        cmocka_unit_test(hinges_that_are_nearly_in_line_are_told),
        cmocka_unit_test(a_table_on_four_legs_has_one_too_many_and_the_pin_is_not_among_them),
        cmocka_unit_test(groups_of_separate_mechanisms_stay_apart),
        cmocka_unit_test(a_four_bar_with_hinges_has_three_rows_too_many_in_any_plane_and_unit),
        cmocka_unit_test(units_do_not_change_the_verdict),
        cmocka_unit_test(multiples_of_rows_do_not_change_the_verdict),
        cmocka_unit_test(a_massless_link_between_joints_is_fine),
        cmocka_unit_test(a_massless_tip_that_nothing_holds_is_named_with_its_motion),
        cmocka_unit_test(a_massless_rod_between_balls_spins_about_itself),
        cmocka_unit_test(a_loose_coordinate_is_told_with_the_body_that_lacks_mass),
        cmocka_unit_test(a_tiny_mass_counts_and_is_warned_about),
        cmocka_unit_test(a_flat_parallelogram_is_a_change_point),
        cmocka_unit_test(three_cranks_flat_gain_a_freedom_and_keep_a_redundant_row),
        cmocka_unit_test(the_verdict_turns_at_the_tolerance_on_the_way_to_a_singular_position),
        cmocka_unit_test(a_stretched_wire_is_an_isolated_position),
        cmocka_unit_test(a_driven_slider_in_its_dead_centre_is_singular_and_elsewhere_not),
        cmocka_unit_test(the_fastest_motion_of_a_pendulum_is_its_frequency),
        cmocka_unit_test(a_loop_has_the_same_fastest_motion_whoever_solves_for_it),
        cmocka_unit_test(a_step_that_is_too_long_is_told_with_the_longest_one),
        cmocka_unit_test(motions_that_take_millions_of_steps_are_told),
        cmocka_unit_test(ignorable_coordinates_are_named_with_the_family_that_has_them),
        cmocka_unit_test(what_assembly_moved_is_told),
        cmocka_unit_test(what_assembly_moved_is_told_in_numbers),
        cmocka_unit_test(a_start_that_nothing_decides_is_noted),
        cmocka_unit_test(along_the_motion_the_rank_is_watched),
        cmocka_unit_test(drives_that_come_to_contradict_each_other_stop_the_run_along),
        cmocka_unit_test(models_with_coordinates_of_their_own_are_checked_in_them),
        cmocka_unit_test(exit_codes_tell_the_verdict),
        cmocka_unit_test(json_says_the_same_as_the_text),
        cmocka_unit_test(limits_that_the_motion_leaves_are_named),
        cmocka_unit_test(without_memory_it_says_so_and_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
