/* Robots from URDF files: against models written by hand, against themselves after a journey through YAML, and refused.
 *
 * Two systems are compared at the same random state, coordinate by coordinate, by name. Tolerances: numbers travel as the shortest text
 * that reads back to the same double, and rotations are made anew from directions, so that entries of M and h may differ by a few
 * roundings of their largest, 1e-13 of it. Accelerations differ by as much times the condition of M; M (a - b) does not.
 */
#include "check.h"
#include "dynamics/tree_state.h"
#include "dalembert/dalembert.h"
#include "model/coordinate_names.h"
#include "ration.h"
#include "model/system.h"
#include "state/state.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODELS DAL_TEST_MODELS "/urdf"

enum { MOST = 64 };

typedef struct robot {
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
} robot;

static void report(const dal_messages *messages)
{
    char line[1000];
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR) {
            dal_message_format(m, line, sizeof line);
            print_message("%s\n", line);
        }
}

static robot compile(dal_spec *spec, dal_messages *messages)
{
    robot r = {.spec = spec};
    if (spec)
        dal_compile(NULL, spec, messages, &r.system);
    report(messages);
    assert_non_null(r.system);
    r.state = dal_state_create(NULL, r.system);
    dal_messages_free(messages);
    return r;
}

static robot load(const char *path, bool floating)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_read_options options = {.floating = floating};
    dal_spec *spec;
    dal_spec_read_with(NULL, path, &options, messages, &spec);
    return compile(spec, messages);
}

static robot load_text(const char *name, const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_spec_parse(NULL, name, text, strlen(text), 0, NULL, messages, &spec);
    return compile(spec, messages);
}

static void drop(robot *r)
{
    dal_state_free(r->state);
    dal_system_free(r->system);
    dal_spec_free(r->spec);
}

/* ---- two systems at one state ------------------------------------------------------------------- */

/* "shoulder.angle'" -> "shoulder": what a coordinate is called in both kinds of files. */
static void plain_name(const robot *r, bool velocity, int k, char name[100])
{
    static const char *const ends[] = {"'", ".angle", ".distance", NULL};
    (velocity ? dal_velocity_name : dal_coordinate_name)(r->system, k, name, 100);
    for (int i = 0; ends[i]; i++) {
        size_t n = strlen(name), m = strlen(ends[i]);
        if (n > m && !strcmp(name + n - m, ends[i]))
            name[n - m] = '\0';
    }
    static const char base[] = "trunk."; /* the free body of a YAML file */
    if (!strncmp(name, base, sizeof base - 1))
        memmove(name, name + sizeof base - 1, strlen(name + sizeof base - 1) + 1);
}

static double random_of(const char *name, uint64_t seed)
{
    for (const char *c = name; *c; c++)
        seed = (seed ^ (unsigned char)*c) * 1099511628211u;
    return check_random(&seed);
}

/* The same for systems whose coordinates have the same names, in any order. */
static void put(robot *r, uint64_t seed)
{
    const int nq = r->system->layout.nq, nv = r->system->layout.nv;
    double *y = dal_state_y(r->state), norm = 0;
    char name[100];
    for (int k = 0; k < nq; k++) {
        plain_name(r, false, k, name);
        y[k] = random_of(name, seed);
        norm += *name == 'q' && strlen(name) == 2 ? y[k] * y[k] : 0;
    }
    for (int k = 0; k < nq; k++) {
        plain_name(r, false, k, name);
        y[k] /= *name == 'q' && strlen(name) == 2 ? sqrt(norm) : 1;
    }
    for (int k = 0; k < nv; k++) {
        plain_name(r, true, k, name);
        y[nq + k] = random_of(name, seed + 1);
    }
    dal_messages *messages = dal_messages_create(NULL);
    dal_status status = dal_state_evaluate(r->state, messages);
    report(messages);
    assert_int_equal(status, DAL_OK);
    dal_messages_free(messages);
    assert_true(dal_state_widen(r->state)); /* a large open tree is evaluated without M, h and Q */
    dal_need(r->state, DAL_STAGE_LOADS);
}

static int find_velocity(const robot *r, const char *name)
{
    char other[100];
    for (int k = 0; k < r->system->layout.nv; k++) {
        plain_name(r, true, k, other);
        if (!strcmp(other, name))
            return k;
    }
    fail_msg("no velocity '%s'", name);
    return -1;
}

static void fill_mass(const robot *r, double *M)
{
    const dal_layout *layout = &r->system->layout;
    const int n = layout->nv;
    memset(M, 0, sizeof *M * (size_t)(n * n));
    for (int b = 0; b < layout->n_blocks; b++)
        for (int i = 0; i < layout->block[b].n; i++)
            for (int k = 0; k < layout->block[b].n; k++)
                M[(layout->block[b].column + i) * n + layout->block[b].column + k] =
                    r->state->work.M[layout->block[b].value + i * layout->block[b].n + k];
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void check_same(robot *a, robot *b, double tolerance)
{
    static double M[2][MOST * MOST], difference[MOST];
    int at[MOST];
    char name[100];
    const int n = a->system->layout.nv;
    assert_int_equal(n, b->system->layout.nv);
    assert_int_equal(a->system->layout.n_rows, b->system->layout.n_rows);
    assert_true(n <= MOST);
    for (int k = 0; k < n; k++) {
        plain_name(a, true, k, name);
        at[k] = find_velocity(b, name);
    }
    for (uint64_t seed = 11; seed < 16; seed++) {
        put(a, seed);
        put(b, seed);
        fill_mass(a, M[0]);
        fill_mass(b, M[1]);
        const double scale = largest(n * n, M[0]), pull = scale * largest(n, a->state->vd);
        const double force = fmax(scale, fmax(largest(n, a->state->work.h), largest(n, a->state->work.Q))); /* velocities are of size 1 */
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++)
                check_close(M[0][i * n + k], M[1][at[i] * n + at[k]], tolerance * scale);
            check_close(a->state->work.h[i], b->state->work.h[at[i]], tolerance * force);
            check_close(a->state->work.Q[i], b->state->work.Q[at[i]], tolerance * force);
            difference[i] = a->state->vd[i] - b->state->vd[at[i]];
        }
        for (int i = 0; i < n; i++) {
            double rest = 0;
            for (int k = 0; k < n; k++)
                rest += M[0][i * n + k] * difference[k];
            check_small(rest, tolerance * pull);
        }
    }
}

/* ---- what a robot becomes --------------------------------------------------------------------------- */

static void a_robot_is_the_model_that_one_would_write(void **state)
{
    (void)state;
    robot urdf = load(MODELS "/arm.urdf", false), yaml = load(MODELS "/arm.yaml", false);
    assert_int_equal(urdf.system->layout.nv, 4);
    assert_int_equal(dal_system_describe(urdf.system).freedoms, 3);
    check_same(&urdf, &yaml, 1e-13);
    for (int i = 0; i < urdf.system->mechanism.n_bodies; i++) { /* and every link is where its body is */
        const char *name = urdf.system->mechanism.bodies[i].name;
        dal_motion a = dal_state_body(urdf.state, i), b = dal_state_body(yaml.state, dal_system_body(yaml.system, name));
        for (int k = 0; k < 3; k++) {
            check_close(a.position[k], b.position[k], 1e-14);
            check_close(a.acceleration[k], b.acceleration[k], 1e-9 * (1 + fabs(a.acceleration[k])));
        }
        for (int k = 0; k < 9; k++)
            check_close(a.rotation[k], b.rotation[k], 1e-14);
    }
    drop(&urdf);
    drop(&yaml);
}

/* q2 = m q1 + c at the start and to the end. */
static void a_mimic_follows(void **state)
{
    (void)state;
    robot arm = load(MODELS "/arm.urdf", false);
    dal_state *end = dal_state_create(NULL, arm.system);
    dal_run_options options = {.final = end};
    dal_evidence evidence;
    assert_int_equal(dal_run(arm.system, &options, NULL, &evidence), DAL_OK);
    int thumb = find_velocity(&arm, "thumb"), finger = find_velocity(&arm, "finger");
    const double *start = dal_state_y(arm.state), *y = dal_state_y(end);
    check_small(start[thumb], 1e-15);
    check_close(start[finger], 0.021, 1e-15);
    assert_true(fabs(y[thumb]) > 1e-3);
    check_close(y[finger], -1.37 * y[thumb] + 0.021, 1e-12);
    check_close(y[4 + finger], -1.37 * y[4 + thumb], 1e-12);
    dal_state_free(end);
    drop(&arm);
}

/* The centre of mass falls with g, whatever the state; the damper between the links does not change that. */
static void a_floating_base_is_a_free_body(void **state)
{
    (void)state;
    static const char *const q_names[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "hip"};
    static const char *const v_names[] = {"x'", "y'", "z'", "wx", "wy", "wz", "hip'"};
    robot fixed = load(MODELS "/base.urdf", false), base = load(MODELS "/base.urdf", true);
    assert_int_equal(fixed.system->layout.nv, 1);
    assert_int_equal(base.system->layout.nq, 8);
    assert_int_equal(base.system->layout.nv, 7);
    char name[100];
    for (int k = 0; k < 8; k++) {
        dal_coordinate_name(base.system, k, name, sizeof name);
        assert_string_equal(name, q_names[k]);
        check_close(dal_state_y(base.state)[k], k == 3, 1e-15);
    }
    for (int k = 0; k < 7; k++) {
        dal_velocity_name(base.system, k, name, sizeof name);
        assert_string_equal(name, v_names[k]);
        check_small(dal_state_y(base.state)[8 + k], 1e-15);
    }
    put(&base, 5);
    double sum[3] = {0}, mass = 0;
    for (int i = 0; i < 2; i++) { /* r'' of the centre: r'' + alpha x c + omega x (omega x c) */
        const dal_body *body = &base.system->mechanism.bodies[i];
        dal_motion m = dal_state_body(base.state, i);
        double c[3], u[3];
        for (int k = 0; k < 3; k++)
            c[k] = m.rotation[3 * k] * body->center[0] + m.rotation[3 * k + 1] * body->center[1] + m.rotation[3 * k + 2] * body->center[2];
        for (int k = 0; k < 3; k++)
            u[k] = m.omega[(k + 1) % 3] * c[(k + 2) % 3] - m.omega[(k + 2) % 3] * c[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            sum[k] += body->mass * (m.acceleration[k] + m.alpha[(k + 1) % 3] * c[(k + 2) % 3] - m.alpha[(k + 2) % 3] * c[(k + 1) % 3] +
                                    m.omega[(k + 1) % 3] * u[(k + 2) % 3] - m.omega[(k + 2) % 3] * u[(k + 1) % 3]);
        mass += body->mass;
    }
    check_close(mass, 7.2, 1e-15);
    for (int k = 0; k < 3; k++)
        check_close(sum[k] / mass, k == 2 ? -9.81 : 0, 1e-12);
    drop(&fixed);
    drop(&base);
}

static void a_coordinate_has_the_name_of_its_joint(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "l-hip", "t", "puck.1", "puck.2", "puck.3"};
    robot r = load(MODELS "/names.urdf", false);
    assert_int_equal(r.system->layout.nv, 6);
    for (int i = 0; i < 6; i++) {
        char name[100];
        bool found = false;
        for (int k = 0; k < 6; k++) {
            dal_coordinate_name(r.system, k, name, sizeof name);
            found = found || !strcmp(name, names[i]);
        }
        if (!found)
            fail_msg("no coordinate '%s'", names[i]);
    }
    drop(&r);
}

/* `shoulder` and `shoulder.angle` are one channel of a robot. */
static void both_names_of_a_coordinate_are_channels(void **state)
{
    (void)state;
    robot r = load(MODELS "/arm.urdf", false);
    static dal_record_spec record[] = {{.value.text = "shoulder - shoulder.angle"}, {.value.text = "thumb'"}};
    r.spec->record = record;
    r.spec->n_record = 2;
    r.spec->record_given = true;
    dal_system *system;
    assert_int_equal(dal_compile(NULL, r.spec, NULL, &system), DAL_OK);
    dal_system_free(system);
    drop(&r);
}

/* A joint `x` beside a base whose coordinates are x, y, z, ...: it keeps its full name, and no two numbers share one. */
static void names_stay_apart_beside_a_floating_base(void **state)
{
    (void)state;
    robot r = load(MODELS "/names.urdf", true);
    const int n[2] = {r.system->layout.nq, r.system->layout.nv};
    bool found = false;
    for (int velocity = 0; velocity < 2; velocity++)
        for (int i = 0; i < n[velocity]; i++) {
            char one[100], other[100];
            (velocity ? dal_velocity_name : dal_coordinate_name)(r.system, i, one, sizeof one);
            found = found || !strcmp(one, "x.distance");
            for (int k = 0; k < i; k++) {
                (velocity ? dal_velocity_name : dal_coordinate_name)(r.system, k, other, sizeof other);
                assert_string_not_equal(one, other);
            }
        }
    assert_true(found);
    drop(&r);
}

/* A URDF file has no `record:`. Without one a robot's joints are written first, and called as in the file. */
static void joints_are_recorded_under_their_names(void **state)
{
    (void)state;
    static const char *const names[] = {"time", "x", "x'", "l-hip", "l-hip'", "t", "t'"}, *const units[] = {"s", "m", "m/s", "rad", "rad/s"};
    robot r = load(MODELS "/names.urdf", false);
    for (int i = 0; i < 7; i++)
        assert_string_equal(r.system->columns[i].name, names[i]);
    for (int i = 0; i < 5; i++)
        assert_string_equal(r.system->columns[i].unit, units[i]);
    drop(&r);
}

/* ---- files there and back --------------------------------------------------------------------------------- */

static char *convert(const robot *r, bool urdf)
{
    dal_messages *messages = dal_messages_create(NULL);
    char *text;
    dal_status status = (urdf ? dal_to_urdf : dal_to_yaml)(NULL, r->spec, messages, &text);
    report(messages);
    assert_int_equal(status, DAL_OK);
    dal_messages_free(messages);
    return text;
}

static void check_journey(const char *path, bool floating)
{
    robot first = load(path, floating);
    char *yaml = convert(&first, false);
    robot second = load_text("there.yaml", yaml);
    check_same(&first, &second, 1e-13);
    char *urdf = convert(&second, true);
    if (!floating) {
        robot third = load_text("back.urdf", urdf);
        assert_int_equal(first.system->mechanism.n_bodies, third.system->mechanism.n_bodies);
        check_same(&second, &third, 1e-13);
        char *again = convert(&third, false);
        free(again);
        drop(&third);
    }
    drop(&first);
    drop(&second);
    free(yaml);
    free(urdf);
}

static void yaml_and_back_is_the_same_robot(void **state)
{
    (void)state;
    check_journey(MODELS "/arm.urdf", false);
    check_journey(MODELS "/base.urdf", false);
    check_journey(MODELS "/base.urdf", true);
}

static dal_status take_columns(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n <= 8 ? DAL_OK : DAL_BAD_COMMAND;
}

static dal_status keep_row(void *user, int n, const double *values)
{
    memcpy(user, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static void replace_in(char *text, const char *from, const char *to) /* of the same length */
{
    char *at = strstr(text, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
}

/* The constant friction of URDF, there and back, and what it does: a wheel on a vertical axis stops after I w / c, a slide on a horizontal one after
 * m v / c, and both stay. */
static void friction_is_a_constant_limit(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='base'/>\n"
        "<link name='wheel'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='0.37' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
        "<joint name='spin' type='continuous'><parent link='base'/><child link='wheel'/><axis xyz='0 0 1'/><dynamics friction='0.53'/></joint>\n"
        "<link name='sled'><inertial><mass value='1.9'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
        "<joint name='way' type='prismatic'><parent link='base'/><child link='sled'/><origin xyz='3 0 0'/><axis xyz='1 0 0'/>\n"
        "<limit effort='1' velocity='1' lower='-9' upper='9'/><dynamics damping='0' friction='2.3'/></joint></robot>";
    robot first = load_text("friction.urdf", text);
    char *yaml = convert(&first, false);
    assert_non_null(strstr(yaml, "friction: {limit: 0.53}"));
    assert_non_null(strstr(yaml, "friction: {limit: 2.3}"));
    robot second = load_text("there.yaml", yaml);
    char *urdf = convert(&second, true);
    assert_non_null(strstr(urdf, "<dynamics friction=\"0.53\"/>"));
    assert_non_null(strstr(urdf, "<dynamics friction=\"2.3\"/>"));
    robot third = load_text("back.urdf", urdf);
    check_same(&first, &second, 1e-13);
    check_same(&second, &third, 1e-13);
    replace_in(yaml, "start: {angle: 0, rate: 0}", "start: {angle: 0, rate: 5}");
    replace_in(yaml, "start: {distance: 0, rate: 0}", "start: {distance: 0, rate: 3}");
    char model[4000];
    snprintf(model, sizeof model, "%srecord: [spin.angle, spin.angle', way.distance, way.distance']\n", yaml);
    const double stop[2] = {0.37 * 5 / 0.53, 1.9 * 3 / 2.3}, way[2] = {stop[0] * 5 / 2, stop[1] * 3 / 2};
    static const char *const formulations[] = {"lagrange", "recursive", "kane"};
    for (int i = 0; i < 3; i++)
        for (int late = 0; late < 2; late++) {
            robot moving = load_text("moving.yaml", model);
            char until[40];
            double row[8];
            dal_sink sink = {row, take_columns, keep_row};
            const dal_run_options options = {.sink = &sink};
            dal_evidence evidence;
            dal_messages *messages = dal_messages_create(NULL);
            const double t = late ? 6 : 2;
            snprintf(until, sizeof until, "%g", t);
            dal_system *system = NULL;
            dal_spec_set(moving.spec, "until", until, messages);
            dal_spec_set(moving.spec, "formulation", formulations[i], messages);
            dal_spec_set(moving.spec, "rtol", "1e-10", messages);
            dal_spec_set(moving.spec, "atol", "1e-12", messages);
            assert_int_equal(dal_compile(NULL, moving.spec, messages, &system), DAL_OK);
            assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
            check_close(row[1], late ? way[0] : 5 * t - 0.53 / 0.37 * t * t / 2, 1e-8);
            check_close(row[2], late ? 0 : 5 - 0.53 / 0.37 * t, 1e-8);
            check_close(row[3], late ? way[1] : 3 * t - 2.3 / 1.9 * t * t / 2, 1e-8);
            check_close(row[4], late ? 0 : 3 - 2.3 / 1.9 * t, 1e-8);
            assert_int_equal(evidence.events, late ? 2 : 0);
            dal_messages_free(messages);
            dal_system_free(system);
            drop(&moving);
        }
    free(yaml);
    free(urdf);
    drop(&first);
    drop(&second);
    drop(&third);
}

/* A model that is not born from URDF: bodies with frames elsewhere than in the joints, a joint from child to parent, zeros, a gear. */
static void a_model_becomes_a_robot(void **state)
{
    (void)state;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {l: 0.4, c: 0.3}\n"
        "bodies:\n"
        "  one: {mass: 1.7, inertia: [0.03, 0.05, 0.04], center: [0.02, 0.01, -0.03], points: {A: [-l, 0.1, 0.05], B: [0.3, -0.2, l/2]}}\n"
        "  two: {mass: 0.9, inertia: [0.02, 0.03, 0.025], points: {B: {at: [0.1, 0.2, -0.1], z: [1, 2, 2], x: [2, 1, -2]}, C: [0, 0.3, "
        "0]}}\n"
        "  three: {mass: 0.4, inertia: [0.02, 0.01, 0.015], points: {C: [0.1, 0, 0.2]}}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, one.A], axis: [0.6, 0, 0.8], start: {angle: 0.3}, zero: 0.25}\n"
        "  B: {type: revolute, connect: [two.B, one.B], axis: [[1, 2, 2], [0, 1, 0]]}\n"
        "  C: {type: prismatic, connect: [two.C, three.C], axis: [0, 0.6, 0.8], start: {distance: 0.2}, zero: -0.1}\n"
        "  mesh: {type: gear, joints: [A, B], ratio: 1.7}\n"
        "forces:\n"
        "  oil: {type: spring-damper, joint: C, damping: 2*c}\n"
        "simulate: {coordinates: joint, until: 1}\n";
    robot model = load_text("model.yaml", text);
    char *urdf = convert(&model, true);
    robot back = load_text("model.urdf", urdf);
    check_same(&model, &back, 1e-13);
    free(urdf);
    drop(&model);
    drop(&back);
}

static void what_urdf_cannot_say_is_told_one_by_one(void **state)
{
    (void)state;
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -1.62]\n"
                               "ground: {points: {P: [1, 0, 0]}}\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                               "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                               "joints:\n"
                               "  A: {type: revolute, connect: [ground, a], axis: [0, 0, 1], drive: t^3}\n"
                               "  B: {type: spherical, connect: [ground.P, b]}\n"
                               "  C: {type: revolute, connect: [ground.P, b], axis: [0, 0, 1], friction: {limit: 0.2, viscous: 0.1}}\n"
                               "  D: {type: rigid, connect: [ground.P, b]}\n"
                               "constraints: {half: {position: A.angle - C.angle^2}}\n"
                               "forces: {push: {type: force, body: b, value: [1, 0, 0]}}\n"
                               "simulate: {until: 1}\n";
    static const char *const expected[] = {"joint 'A' is driven",
                                           "joint 'B': URDF has no joint of type spherical",
                                           "force 'push' is skipped",
                                           "constraint 'half': URDF has no constraints but mimics",
                                           "gravity is (0, 0, -1.62) here",
                                           "joint 'D' closes a loop",
                                           "of the friction of joint 'C' only the constant limit (0.2) is written"};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    char *urdf;
    assert_int_equal(dal_spec_parse(NULL, "m.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_to_urdf(NULL, spec, messages, &urdf), DAL_BAD_MODEL);
    assert_null(urdf);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int n = 0;
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            n += strstr(m->text, expected[i]) != NULL;
        if (n != 1)
            fail_msg("'%s' is said %d times", expected[i], n);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- refusals ------------------------------------------------------------------------------------------------- */

/* A file begins with <!-- expect: LINE:COLUMN: sentence --> for each message in order; of "not_xml" only the beginning counts. */
static void check_said(const char *path, const dal_message *m)
{
    static const char *const word[] = {"note: ", "warning: ", ""};
    static const char head[] = "<!-- expect: ", tail[] = " -->\n";
    char line[1000], got[1000], column[20];
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) && !strncmp(line, head, sizeof head - 1)) {
        line[strlen(line) - sizeof tail + 1] = '\0';
        if (!m)
            fail_msg("%s: not said: %s", path, line + sizeof head - 1);
        snprintf(column, sizeof column, m->mark.column ? "%d:" : "%.0d", m->mark.column);
        snprintf(got, sizeof got, "%d:%s %s%s", m->mark.line, column, word[m->severity], m->text);
        if (strstr(path, "not_xml"))
            got[strlen(line + sizeof head - 1)] = '\0';
        assert_string_equal(got, line + sizeof head - 1);
        m = m->next;
    }
    if (m)
        fail_msg("%s: not expected: %d: %s", path, m->mark.line, m->text);
    fclose(stream);
}

static void faults_are_told_with_their_lines(void **state)
{
    (void)state;
    DIR *folder = opendir(MODELS "/bad");
    int n = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[1000];
        if (!strstr(entry->d_name, ".urdf"))
            continue;
        snprintf(path, sizeof path, MODELS "/bad/%s", entry->d_name);
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec;
        dal_system *system = NULL;
        dal_status status = dal_spec_read(NULL, path, 0, NULL, messages, &spec);
        if (spec)
            status = dal_compile(NULL, spec, messages, &system);
        check_said(path, dal_messages_first(messages));
        assert_int_equal(status, DAL_BAD_MODEL);
        assert_null(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
        n++;
    }
    closedir(folder);
    assert_true(n > 15);
}

static void what_is_not_used_is_told_once(void **state)
{
    (void)state;
    static const char *const expected[] = {"8: note: link 'l-hip' is called l_hip_link in expressions and in YAML",
                                           "11: note: joint 'l-hip' is called l_hip in expressions and in YAML",
                                           "16: note: link 'ground' is called ground_link in expressions and in YAML",
                                           "19: note: joint 't' is called t_joint in expressions and in YAML",
                                           "23: warning: the axis of joint 't' has the length 5 and was normalised",
                                           "24: warning: <calibration> in <joint> is not used",
                                           "27: note: link '1.tip' is called _1_tip in expressions and in YAML",
                                           "29: warning: <contact> in <link> is not used",
                                           "39: warning: the damping of joint 'puck' is not used: a planar joint has no coordinate of its own",
                                           "39: warning: the friction of joint 'puck' is not used: a planar joint has no coordinate of its own",
                                           "41: warning: <transmission> in <robot> is not used",
                                           "42: warning: <gazebo> in <robot> is not used"};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    assert_int_equal(dal_spec_read(NULL, MODELS "/names.urdf", 0, NULL, messages, &spec), DAL_OK);
    size_t n = 0;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next, n++) {
        char line[1000];
        dal_message_format(m, line, sizeof line);
        assert_true(n < sizeof expected / sizeof *expected);
        assert_string_equal(line + strlen(MODELS "/names.urdf:"), expected[n]);
    }
    assert_int_equal(n, sizeof expected / sizeof *expected);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* The first message of a robot that is read and, with a formulation, compiled. */
static void assert_first_message(const char *text, const char *formulation, dal_status expected, const char *message)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system = NULL;
    dal_status status = dal_spec_parse(NULL, "r.urdf", text, strlen(text), 0, NULL, messages, &spec);
    if (formulation) {
        assert_int_equal(status, DAL_OK);
        dal_messages_clear(messages);
        assert_true(dal_spec_set(spec, "formulation", formulation, messages));
        status = dal_compile(NULL, spec, messages, &system);
    }
    assert_int_equal(status, expected);
    assert_non_null(dal_messages_first(messages));
    assert_string_equal(dal_messages_first(messages)->text, message);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void limits_that_leave_no_room_are_told(void **state)
{
    (void)state;
    static const char head[] = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
                               "</inertial></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>";
    char text[1000];
    snprintf(text, sizeof text, "%s<limit lower='0.3' upper='-0.2' effort='1' velocity='1'/></joint></robot>", head);
    assert_first_message(text, NULL, DAL_OK, "the limits of joint 'j' leave no room: the lower one is 0.3, the upper one -0.2");
    snprintf(text, sizeof text, "%s<limit lower='-0.2' upper='0.3' effort='1' velocity='1'/></joint></robot>", head);
    assert_first_message(text, NULL, DAL_OK, "the limits of joints are read and not enforced");
}

/* A free link without mass that a hinge connects with the rest: nothing tells how it turns about the hinge. */
static void a_loose_base_is_named_in_every_formulation(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='w'/><link name='a'/><joint name='f' type='floating'><parent link='w'/><child link='a'/></joint>"
        "<link name='b'><inertial><origin xyz='0.3 0.1 0'/><mass value='1.4'/><inertia ixx='0.1' iyy='0.12' izz='0.13'/></inertial></link>"
        "<joint name='hip' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint></robot>";
    static const char *const formulations[] = {"lagrange", "recursive", "kane"};
    for (int i = 0; i < 3; i++)
        assert_first_message(text, formulations[i], DAL_BAD_MODEL,
                             "the accelerations of wy, hip' are not determined: rank [M; A] is 6, and 7 is needed; give mass or inertia, or "
                             "another joint");
}

static void only_a_robot_can_float_and_none_has_parameters(void **state)
{
    (void)state;
    const dal_override override = {"m", "3"};
    const dal_read_options floating = {.floating = true}, set = {.n_overrides = 1, .overrides = &override};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    assert_int_equal(dal_spec_read_with(NULL, MODELS "/arm.yaml", &floating, messages, &spec), DAL_BAD_MODEL);
    assert_string_equal(dal_messages_first(messages)->mark.file, "--floating");
    dal_messages_clear(messages);
    assert_int_equal(dal_spec_read_with(NULL, MODELS "/arm.urdf", &set, messages, &spec), DAL_BAD_MODEL);
    const dal_message *m = dal_messages_first(messages);
    while (m && m->severity != DAL_ERROR)
        m = m->next;
    assert_non_null(m);
    assert_string_equal(m->text, "a URDF file has no parameters that could be set");
    dal_messages_free(messages);
}

static void depth_and_size_are_limited(void **state)
{
    (void)state;
    const size_t huge = (16 << 20) + 1;
    char *text = calloc(1, huge + 1);
    memset(text, ' ', huge);
    dal_spec *spec;
    assert_int_equal(dal_spec_parse(NULL, "huge.urdf", text, huge, 0, NULL, NULL, &spec), DAL_BAD_MODEL);
    for (int depth = 90; depth < 100000; depth *= 30) {
        char *p = text + sprintf(text, "<robot name='r'><link name='a'>");
        for (int i = 0; i < depth; i++)
            p += sprintf(p, "<b>");
        for (int i = 0; i < depth; i++)
            p += sprintf(p, "</b>");
        sprintf(p, "</link></robot>");
        dal_status status = dal_spec_parse(NULL, "deep.urdf", text, strlen(text), 0, NULL, NULL, &spec);
        assert_int_equal(status, depth < 100 ? DAL_OK : DAL_BAD_MODEL);
        dal_spec_free(spec);
    }
    free(text);
}

static void without_memory_there_is_a_status_and_no_leak(void **state)
{
    (void)state;
    dal_status status = DAL_NO_MEMORY;
    for (int left = 0; status == DAL_NO_MEMORY; left++) {
        ration r = {.left = left};
        const dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_spec *spec;
        status = dal_spec_read(&allocator, MODELS "/arm.urdf", 0, NULL, NULL, &spec);
        assert_true((status == DAL_OK) == (spec != NULL));
        dal_spec_free(spec);
        assert_int_equal(r.taken, 0);
        assert_true(left < 1000);
    }
    assert_int_equal(status, DAL_OK);
}

/* ---- robots that others made ------------------------------------------------------------------------------------- */

static void known_robots_have_their_freedoms_and_masses(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int velocities, freedoms;
        double mass, digits;
    } robots[] = {{"ur5", 6, 6, 20.9939, 5e-5},
                  {"panda", 9, 8, 17.4519, 5e-5},
                  {"iiwa_simplified", 7, 7, 17.5, 5e-5},
                  {"hyq_simplified", 12, 12, 86.774, 5e-4},
                  {"atlas_simplified", 30, 30, 175.117964, 5e-7},
                  {"simple_humanoid", 29, 29, 130.8, 5e-2}};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        char path[500];
        snprintf(path, sizeof path, DAL_REFERENCE "/robots/%s.urdf", robots[i].file);
        robot fixed = load(path, false);
        double mass = 0;
        for (int k = 0; k < fixed.system->mechanism.n_bodies; k++)
            mass += fixed.system->mechanism.bodies[k].mass;
        assert_int_equal(fixed.system->layout.nv, robots[i].velocities);
        assert_int_equal(dal_system_describe(fixed.system).freedoms, robots[i].freedoms);
        check_close(mass, robots[i].mass, robots[i].digits);
        drop(&fixed);
        if (strcmp(robots[i].file, "iiwa_simplified")) { /* its root has no mass: free, it could spin without bound */
            robot base = load(path, true);
            assert_int_equal(base.system->layout.nv, robots[i].velocities + 6);
            drop(&base);
        }
        check_journey(path, false);
    }
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

static int run_program(const char *arguments)
{
    char line[4000];
    snprintf(line, sizeof line, DAL_PROGRAM " %s 2>/dev/null", arguments);
    int code = system(line);
    return code == -1 ? -1 : code >> 8;
}

static void convert_writes_all_or_nothing(void **state)
{
    (void)state;
    char folder[] = "urdf-XXXXXX", line[2000];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "convert " MODELS "/arm.urdf -o %s/arm.yaml", folder);
    assert_int_equal(run_program(line), DAL_OK);
    snprintf(line, sizeof line, "convert %s/arm.yaml -o %s/arm.urdf -q", folder, folder);
    assert_int_equal(run_program(line), DAL_OK);
    snprintf(line, sizeof line, "run %s/arm.urdf --until 0.01 -q", folder);
    assert_int_equal(run_program(line), DAL_OK);
    snprintf(line, sizeof line, "run %s/arm.urdf --floating --until 0.01 -q", folder);
    assert_int_equal(run_program(line), DAL_OK);
    snprintf(line, sizeof line, "run %s/arm.yaml --floating --until 0.01 -q", folder);
    assert_int_equal(run_program(line), DAL_BAD_COMMAND);
    snprintf(line, sizeof line, "convert " MODELS "/arm.urdf -o %s/arm.txt", folder);
    assert_int_equal(run_program(line), DAL_BAD_COMMAND);
    snprintf(line, sizeof line, "convert " MODELS "/arm.urdf -o %s/other.urdf", folder);
    assert_int_equal(run_program(line), DAL_BAD_COMMAND);
    snprintf(line, sizeof line, "convert " MODELS "/arm.urdf");
    assert_int_equal(run_program(line), DAL_BAD_COMMAND);
    snprintf(line, sizeof line, "convert " MODELS "/bad/twice.urdf -o %s/bad.yaml", folder);
    assert_int_equal(run_program(line), DAL_BAD_MODEL);
    snprintf(line, sizeof line, "convert " MODELS "/arm.urdf -o %s/none/arm.yaml", folder);
    assert_int_equal(run_program(line), DAL_BAD_FILE);
    snprintf(line, sizeof line, "test $(ls %s | wc -l) = 2 && rm -r %s", folder, folder);
    assert_int_equal(system(line), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_is_the_model_that_one_would_write),
        cmocka_unit_test(a_mimic_follows),
        cmocka_unit_test(a_floating_base_is_a_free_body),
        cmocka_unit_test(a_coordinate_has_the_name_of_its_joint),
        cmocka_unit_test(both_names_of_a_coordinate_are_channels),
        cmocka_unit_test(names_stay_apart_beside_a_floating_base),
        cmocka_unit_test(joints_are_recorded_under_their_names),
        cmocka_unit_test(yaml_and_back_is_the_same_robot),
        cmocka_unit_test(friction_is_a_constant_limit),
        cmocka_unit_test(a_model_becomes_a_robot),
        cmocka_unit_test(what_urdf_cannot_say_is_told_one_by_one),
        cmocka_unit_test(faults_are_told_with_their_lines),
        cmocka_unit_test(what_is_not_used_is_told_once),
        cmocka_unit_test(limits_that_leave_no_room_are_told),
        cmocka_unit_test(a_loose_base_is_named_in_every_formulation),
        cmocka_unit_test(only_a_robot_can_float_and_none_has_parameters),
        cmocka_unit_test(depth_and_size_are_limited),
        cmocka_unit_test(without_memory_there_is_a_status_and_no_leak),
        cmocka_unit_test(known_robots_have_their_freedoms_and_masses),
        cmocka_unit_test(convert_writes_all_or_nothing),
    };
#ifndef DAL_HAVE_URDF
    print_message("this build has no libxml2: no robots\n");
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
