/* Robots as they are found: blemishes of their files are warnings with a sentence, and what `convert` makes of them is the same robot.
 *
 * Files in models/urdf/warned begin with <!-- expect: LINE: sentence --> for each message, in order. Two systems are compared at the same
 * random instants by what dal_evaluate gives: mass matrix, bias and accelerations, each to 1e-12 of its largest entry.
 */
#include "check.h"
#include "dalembert/dalembert.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROBOTS DAL_TEST_MODELS "/urdf"

typedef struct robot {
    dal_messages *messages;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
} robot;

static robot finish(robot r, dal_status status)
{
    if (status == DAL_OK)
        status = dal_compile_for_evaluation(NULL, r.spec, r.messages, &r.system);
    for (const dal_message *m = dal_messages_first(r.messages); status != DAL_OK && m; m = m->next)
        print_message("%d: %s\n", m->mark.line, m->text);
    assert_int_equal(status, DAL_OK);
    r.state = dal_state_create(NULL, r.system);
    assert_non_null(r.state);
    return r;
}

static robot load(const char *path, bool floating)
{
    robot r = {.messages = dal_messages_create(NULL)};
    const dal_read_options options = {.floating = floating};
    return finish(r, dal_spec_read_with(NULL, path, &options, r.messages, &r.spec));
}

static robot load_text(const char *name, const char *text)
{
    robot r = {.messages = dal_messages_create(NULL)};
    return finish(r, dal_spec_parse(NULL, name, text, strlen(text), 0, NULL, r.messages, &r.spec));
}

static void drop(robot *r)
{
    dal_state_free(r->state);
    dal_system_free(r->system);
    dal_spec_free(r->spec);
    dal_messages_free(r->messages);
}

/* ---- two robots at the same instants ------------------------------------------------------------ */

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void check_vectors(int n, const double *a, const double *b, double tolerance)
{
    const double scale = largest(n, a);
    for (int i = 0; i < n; i++)
        if (!isnan(a[i]) || !isnan(b[i]))
            check_close(a[i], b[i], tolerance * scale);
}

static dal_evaluation *evaluate(robot *r, const dal_instant *instant)
{
    dal_evaluation *evaluation;
    assert_int_equal(dal_evaluate(NULL, r->state, instant, NULL, r->messages, &evaluation), DAL_OK);
    return evaluation;
}

static void check_instant(robot *a, robot *b, uint64_t seed)
{
    dal_instant *first, *second;
    assert_int_equal(dal_instant_random(NULL, a->state, seed, a->messages, &first), DAL_OK);
    assert_int_equal(dal_instant_create(NULL, b->system, &second), DAL_OK);
    assert_int_equal(first->nq, second->nq);
    assert_int_equal(first->nv, second->nv);
    memcpy(second->q, first->q, sizeof *first->q * (size_t)first->nq);
    memcpy(second->rates, first->rates, sizeof *first->rates * (size_t)first->nv);
    dal_evaluation *x = evaluate(a, first), *y = evaluate(b, second);
    check_vectors(x->nv * x->nv, x->M, y->M, 1e-12);
    check_vectors(x->nv, x->bias, y->bias, 1e-12);
    check_vectors(x->nv, x->vd, y->vd, 1e-12);
    assert_int_equal(x->determined, y->determined);
    dal_evaluation_free(x);
    dal_evaluation_free(y);
    dal_instant_free(first);
    dal_instant_free(second);
}

static void check_same(robot *a, robot *b)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_instant(a, b, seed);
}

/* How many warnings of a kind. */
static int count(const robot *r, const char *code)
{
    int n = 0;
    for (const dal_message *m = dal_messages_first(r->messages); m; m = m->next)
        n += m->code && !strcmp(m->code, code);
    return n;
}

static void check_journey(const char *path, bool floating)
{
    char *yaml = NULL, *urdf = NULL;
    robot first = load(path, floating);
    assert_int_equal(dal_to_yaml(NULL, first.spec, first.messages, &yaml), DAL_OK);
    robot second = load_text("there.yaml", yaml);
    check_same(&first, &second);
    assert_int_equal(count(&first, "inertia-negative"), count(&second, "inertia-negative"));
    assert_int_equal(count(&first, "inertia-triangle"), count(&second, "inertia-triangle"));
    if (!floating) {
        assert_int_equal(dal_to_urdf(NULL, second.spec, second.messages, &urdf), DAL_OK);
        robot third = load_text("back.urdf", urdf);
        check_same(&second, &third);
        drop(&third);
    }
    drop(&first);
    drop(&second);
    free(yaml);
    free(urdf);
}

static int check_folder(const char *folder)
{
    DIR *open = opendir(folder);
    int n = 0;
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char path[1000];
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".urdf"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        print_message("%s\n", entry->d_name);
        check_journey(path, false);
        check_journey(path, true);
        n++;
    }
    if (open)
        closedir(open);
    return n;
}

static void a_robot_and_its_yaml_have_the_same_numbers(void **state)
{
    (void)state;
    assert_true(check_folder(ROBOTS) >= 3);
    assert_true(check_folder(ROBOTS "/warned") >= 6);
    assert_true(check_folder(DAL_MODELS) >= 1);
    assert_true(check_folder(DAL_REFERENCE "/robots") >= 9);
}

/* ---- what is said ---------------------------------------------------------------------------------- */

static void check_said(const char *path, const dal_message *m)
{
    static const char *const word[] = {"note: ", "warning: ", "error: "};
    static const char head[] = "<!-- expect: ", tail[] = " -->\n";
    char line[1000], got[1000];
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) && !strncmp(line, head, sizeof head - 1)) {
        line[strlen(line) - sizeof tail + 1] = '\0';
        if (!m)
            fail_msg("%s: not said: %s", path, line + sizeof head - 1);
        snprintf(got, sizeof got, "%d: %s%s", m->mark.line, word[m->severity], m->text);
        assert_string_equal(got, line + sizeof head - 1);
        assert_true((m->severity == DAL_WARNING) == (m->code != NULL));
        m = m->next;
    }
    if (m)
        fail_msg("%s: not expected: %d: %s", path, m->mark.line, m->text);
    fclose(stream);
}

static void a_blemish_is_a_warning_with_its_place_and_numbers(void **state)
{
    (void)state;
    static const char *const files[] = {"antenna", "rounding", "triangle", "limits", "mimics", "fingers"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[500];
        snprintf(path, sizeof path, ROBOTS "/warned/%s.urdf", files[i]);
        robot r = load(path, false);
        check_said(path, dal_messages_first(r.messages));
        drop(&r);
    }
}

/* ---- one policy ------------------------------------------------------------------------------------- */

/* A body on a hinge; the status, and the code of the first warning. */
static dal_status judge(const char *space, const char *rest, const char **code)
{
    char text[1000];
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    const char *axis = *space == 's' ? ", axis: [0, 1, 0]" : "", *at = *space == 's' ? "[0.1, 0, 0]" : "[0.1, 0]";
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: %s\nbodies:\n  a: {mass: 2, %s, points: {P: %s}}\njoints:\n  j: {type: revolute, connect: [ground, a.P]%s}\n",
             space, rest, at, axis);
    dal_status status = dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    *code = NULL;
    for (const dal_message *m = dal_messages_first(messages); m && !*code; m = m->next)
        *code = m->code;
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return status;
}

static void yaml_and_urdf_judge_inertias_alike(void **state)
{
    (void)state;
    static const struct {
        const char *space, *rest, *code;
        dal_status status;
    } cases[] = {
        {"spatial", "inertia: [1, 2, 3]", NULL, DAL_OK},
        {"spatial", "inertia: [1, 2, 3.0000000001]", NULL, DAL_OK},
        {"spatial", "inertia: [0.0083, 0.0083, 0.0167]", "inertia-triangle", DAL_OK},
        {"spatial", "inertia: [0.0083, 0.0083, 0.0187]", NULL, DAL_BAD_MODEL},
        {"spatial", "inertia: [0.0083, 0.0083, 0.0187], inertia-check: warn", "inertia-triangle", DAL_OK},
        {"spatial", "inertia: [0.0083, 0.0083, 0.0187], inertia-check: refuse", NULL, DAL_BAD_MODEL},
        {"spatial", "inertia: [0, 0, 0, 0, 2.4e-35, 0]", "inertia-negative", DAL_OK},
        {"spatial", "inertia: [-1e-7, 0.01, 0.01]", "inertia-negative", DAL_OK},
        {"spatial", "inertia: [-0.001, 0.01, 0.01]", NULL, DAL_BAD_MODEL},
        {"spatial", "inertia: [-0.03, 0.01, 0.01], inertia-check: warn", NULL, DAL_BAD_MODEL},
        {"planar", "inertia: -1e-20", "inertia-negative", DAL_OK},
        {"planar", "inertia: -0.5", NULL, DAL_BAD_MODEL},
        {"planar", "inertia: 0.5", NULL, DAL_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *code;
        print_message("%s\n", cases[i].rest);
        assert_int_equal(judge(cases[i].space, cases[i].rest, &code), cases[i].status);
        if (cases[i].code)
            assert_string_equal(code, cases[i].code);
        else
            assert_null(code);
    }
}

static double inertia_about(const char *text)
{
    robot r = load_text("one.urdf", text);
    dal_instant *instant;
    assert_int_equal(dal_instant_create(NULL, r.system, &instant), DAL_OK);
    dal_evaluation *e = evaluate(&r, instant);
    const double M = e->M[0];
    assert_int_equal(e->nv, 1);
    dal_evaluation_free(e);
    dal_instant_free(instant);
    drop(&r);
    return M;
}

/* a^T I a with a = (0.6, 0, 0.8): the antenna counts as it is written, its negative moment, too. */
static void what_is_held_by_others_counts_as_written(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='w'/>\n"
        "<link name='b'><inertial><mass value='3'/><inertia ixx='0.02' ixy='0.001' ixz='0.002' iyy='0.03' iyz='0' izz='0.025'/></inertial></link>\n"
        "<link name='a'><inertial><mass value='1e-6'/><inertia ixx='1e-5' ixy='-6e-5' ixz='-4e-5' iyy='2e-5' iyz='1e-5' "
        "izz='3e-5'/></inertial></link>\n"
        "<joint name='j' type='continuous'><parent link='w'/><child link='b'/><axis xyz='0.6 0 0.8'/></joint>\n"
        "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>\n";
    const double base = 0.36 * 0.02 + 0.96 * 0.002 + 0.64 * 0.025, own = 0.36 * 1e-5 - 0.96 * 4e-5 + 0.64 * 3e-5;
    assert_true(own < 0);
    check_close(inertia_about(text), base + own, 1e-15);
}

/* Rounding is taken out: a rod whose moment about itself is -1e-6 of the others has none. */
static void what_is_rounding_counts_as_zero(void **state)
{
    (void)state;
    static const char format[] = "<robot name='r'><link name='w'/>\n"
                                 "<link name='b'><inertial><mass value='3'/><inertia ixx='%s' iyy='0.03' izz='0.03'/></inertial></link>\n"
                                 "<joint name='j' type='continuous'><parent link='w'/><child link='b'/><axis xyz='0.6 0 0.8'/></joint></robot>\n";
    char text[800];
    snprintf(text, sizeof text, format, "-3e-8");
    check_close(inertia_about(text), 0.64 * 0.03, 1e-15);
    snprintf(text, sizeof text, format, "0");
    check_close(inertia_about(text), 0.64 * 0.03, 1e-15);
}

/* What is written is negative, however small it is beside the other moments; what arithmetic makes of a rod that lies askew is not. */
static void a_written_negative_moment_is_a_warning_however_small(void **state)
{
    (void)state;
    static const struct {
        const char *moments[6]; /* xx, yy, zz, xy, xz, yz */
        int warnings;
    } cases[] = {
        {{"1e-3", "1e-3", "-2.4e-35", "0", "0", "0"}, 1}, {{"1e-3", "-2.4e-35", "1e-3", "0", "0", "0"}, 1},
        {{"0", "1e-3", "0", "0", "2.4e-35", "0"}, 1},     {{"1e-3", "1e-3", "0", "0", "2.4e-20", "0"}, 1},
        {{"1e-3", "1e-3", "0", "0", "0", "0"}, 0},        {{"0.5", "0.5", "1", "0.5", "0", "0"}, 0},
        {{"0.36", "0.64", "1", "0.48", "0", "0"}, 0},     {{"1e-3", "2e-3", "2.5e-3", "1e-4", "1e-4", "1e-4"}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *m = cases[i].moments;
        char text[2][1500];
        snprintf(text[0], sizeof text[0],
                 "<robot name='r'><link name='w'/>\n<link name='b'><inertial><origin xyz='0.1 0.2 0'/><mass value='3'/>"
                 "<inertia ixx='%s' iyy='%s' izz='%s' ixy='%s' ixz='%s' iyz='%s'/></inertial></link>\n"
                 "<joint name='j' type='continuous'><parent link='w'/><child link='b'/><axis xyz='0.6 0 0.8'/></joint></robot>\n",
                 m[0], m[1], m[2], m[3], m[4], m[5]);
        snprintf(
            text[1], sizeof text[1],
            "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {b: {mass: 3, center: [0.1, 0.2, 0], inertia: [%s, %s, %s, %s, %s, %s]}}\n"
            "joints: {j: {type: revolute, connect: [ground, b], axis: [0.6, 0, 0.8], start: {angle: 0, rate: 0}}}\nsimulate: {coordinates: joint}\n",
            m[0], m[1], m[2], m[3], m[4], m[5]);
        robot a = load_text("a.urdf", text[0]), b = load_text("b.yaml", text[1]);
        assert_int_equal(count(&a, "inertia-negative"), cases[i].warnings);
        assert_int_equal(count(&b, "inertia-negative"), cases[i].warnings);
        check_same(&a, &b);
        drop(&a);
        drop(&b);
    }
}

/* ---- mimics of what does not move ---------------------------------------------------------------------- */

static void a_joint_that_mimics_a_fixed_one_stays_where_it_puts_it(void **state)
{
    (void)state;
    static const char format[] =
        "<robot name='r'><link name='w'/>\n"
        "<link name='a'><inertial><mass value='3'/><inertia ixx='0.02' iyy='0.03' izz='0.03'/></inertial></link>\n"
        "<link name='b'><inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>\n"
        "<link name='c'><inertial><origin xyz='0.2 0 0'/><mass value='2'/><inertia ixx='0.01' iyy='0.02' izz='0.015'/></inertial></link>\n"
        "<joint name='j' type='continuous'><parent link='w'/><child link='a'/><axis xyz='0.6 0 0.8'/></joint>\n"
        "<joint name='f' type='fixed'><origin xyz='0.1 0 0'/><parent link='a'/><child link='b'/></joint>\n%s</robot>\n";
    static const struct {
        const char *mimic, *fixed;
    } pairs[] = {
        {"<joint name='g' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/><mimic joint='f' multiplier='3' "
         "offset='0.7'/></joint>",
         "<joint name='g' type='fixed'><origin rpy='0 0 0.7'/><parent link='b'/><child link='c'/></joint>"},
        {"<joint name='g' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0.6 0.8'/><mimic joint='f' offset='-0.5'/></joint>",
         "<joint name='g' type='fixed'><origin xyz='0 -0.3 -0.4'/><parent link='b'/><child link='c'/></joint>"}};
    for (int i = 0; i < 2; i++) {
        char text[2][3000];
        snprintf(text[0], sizeof text[0], format, pairs[i].mimic);
        snprintf(text[1], sizeof text[1], format, pairs[i].fixed);
        robot a = load_text("a.urdf", text[0]), b = load_text("b.urdf", text[1]);
        assert_int_equal(count(&a, "mimic-fixed"), 1);
        check_same(&a, &b);
        drop(&a);
        drop(&b);
    }
}

/* ---- no accelerations, and the rest --------------------------------------------------------------------- */

/* M and bias of the palm and the thumb are those of a hand whose fingers are fixed; those of the fingers are zero. */
static void check_fingers(robot *hand, const char *formulation)
{
    dal_instant *instant;
    assert_int_equal(dal_instant_random(NULL, hand->state, 7, hand->messages, &instant), DAL_OK);
    dal_evaluation *e = evaluate(hand, instant);
    print_message("%s\n", formulation);
    assert_false(e->determined);
    assert_string_equal(e->verdict, "the accelerations of f1', f2' are not determined: rank [M; A] is 3, and 5 is needed; give mass or inertia, or "
                                    "another joint");
    assert_int_equal(e->nv, 5);
    assert_int_equal(e->n_reactions, 0);
    for (int k = 0; k < 5; k++)
        assert_true(isnan(e->vd[k]));
    const double s = sin(e->q[3]), c = cos(e->q[3]); /* the thumb about z at (0.1, 0.1, 0), its centre at (0.1, 0.02, 0) */
    const double x = 0.1 + 0.1 * c - 0.02 * s;
    check_close(e->M[0], 0.1 + 1.3 * 0.01 + 0.05 * x * x + 1e-4, 1e-15); /* about y through the origin; the nail has an inertia and no mass */
    check_close(e->M[3 * 5 + 3], 0.05 * (0.01 + 0.0004) + 1e-4, 1e-16);
    for (int k = 0; k < 5; k++)
        assert_true(e->M[5 + k] == 0 && e->M[10 + k] == 0);
    check_close(e->gravity[0], -9.81 * cos(e->q[0]) * (1.3 * 0.1 + 0.05 * x + 0.05 * 0), 1e-12);
    dal_evaluation_free(e);
    const dal_evaluation_options inverse = {.inverse = true};
    assert_int_equal(dal_evaluate(NULL, hand->state, instant, &inverse, hand->messages, &e), DAL_BAD_MODEL);
    dal_instant_free(instant);
}

static void fingers_without_mass_leave_the_mass_matrix(void **state)
{
    (void)state;
    static const char *const formulations[] = {"lagrange",           "maggi",     "kane", "gibbs-appell", "boltzmann-hamel", "volterra",
                                               "udwadia-phohomsiri", "recursive", NULL};
    for (int i = 0; formulations[i]; i++) {
        robot r = {.messages = dal_messages_create(NULL)};
        dal_status status = dal_spec_read(NULL, ROBOTS "/warned/fingers.urdf", 0, NULL, r.messages, &r.spec);
        assert_true(dal_spec_set(r.spec, "formulation", formulations[i], r.messages));
        dal_system *none;
        assert_int_equal(dal_compile(NULL, r.spec, NULL, &none), DAL_BAD_MODEL); /* it cannot be run */
        r = finish(r, status);
        assert_int_equal(count(&r, "undetermined"), 1);
        check_fingers(&r, formulations[i]);
        drop(&r);
    }
}

static void every_family_says_that_fingers_are_loose(void **state)
{
    (void)state;
    static const char *const families[] = {"angle", "euler", "natural", "joint", NULL};
    for (int i = 0; families[i]; i++) {
        robot r = {.messages = dal_messages_create(NULL)};
        dal_status status = dal_spec_read(NULL, ROBOTS "/warned/fingers.urdf", 0, NULL, r.messages, &r.spec);
        assert_true(dal_spec_set(r.spec, "coordinates", families[i], r.messages));
        r = finish(r, status);
        dal_instant *instant;
        assert_int_equal(dal_instant_random(NULL, r.state, 5, r.messages, &instant), DAL_OK);
        dal_evaluation *e = evaluate(&r, instant);
        assert_false(e->determined);
        for (int k = 0; k < e->nv; k++)
            assert_true(isnan(e->vd[k]) && isfinite(e->bias[k]));
        for (int k = 0; k < e->nv * e->nv; k++)
            assert_true(isfinite(e->M[k]));
        assert_true(largest(e->nv * e->nv, e->M) > 0.1);
        dal_evaluation_free(e);
        dal_instant_free(instant);
        drop(&r);
    }
}

/* ---- the program -------------------------------------------------------------------------------------------- */

static int run_program(const char *arguments)
{
    char line[4000];
    snprintf(line, sizeof line, DAL_PROGRAM " %s", arguments);
    const int code = system(line);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static void eval_prints_what_stands_and_exits_with_3(void **state)
{
    (void)state;
    assert_int_equal(run_program("eval " ROBOTS "/warned/fingers.urdf --random 1 --json 2>/dev/null > fingers.json"), DAL_BAD_MODEL);
    assert_int_equal(system("grep -q '\"mass_matrix\": \\[\\[0.' fingers.json && grep -q '\"determined\": false, \"verdict\": \"the accelerations of "
                            "f1' fingers.json && rm fingers.json"),
                     0);
    assert_int_equal(run_program("eval " ROBOTS "/warned/fingers.urdf --names > /dev/null 2>&1"), DAL_OK);
    assert_int_equal(run_program("run -q " ROBOTS "/warned/fingers.urdf 2>/dev/null"), DAL_BAD_MODEL);
    assert_int_equal(run_program("convert -q " ROBOTS "/warned/triangle.urdf -o triangle.yaml"), DAL_OK);
    assert_int_equal(run_program("run -q --until 0.01 triangle.yaml"), DAL_OK);
    unlink("triangle.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_and_its_yaml_have_the_same_numbers),
        cmocka_unit_test(a_blemish_is_a_warning_with_its_place_and_numbers),
        cmocka_unit_test(yaml_and_urdf_judge_inertias_alike),
        cmocka_unit_test(what_is_held_by_others_counts_as_written),
        cmocka_unit_test(what_is_rounding_counts_as_zero),
        cmocka_unit_test(a_written_negative_moment_is_a_warning_however_small),
        cmocka_unit_test(a_joint_that_mimics_a_fixed_one_stays_where_it_puts_it),
        cmocka_unit_test(fingers_without_mass_leave_the_mass_matrix),
        cmocka_unit_test(every_family_says_that_fingers_are_loose),
        cmocka_unit_test(eval_prints_what_stands_and_exits_with_3),
    };
#ifndef DAL_HAVE_URDF
    print_message("this build has no libxml2: no robots\n");
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
