/* The reader of the model language. Faulty models live in models/bad, each with the messages that it must give. */
#include "ration.h"
#include "expectations.h"
#include "scaled_spec.h"

#include "base/message.h"

#include <stdlib.h>
#include <unistd.h>

static const char slider_crank[] = "dalembert: 1\n"
                                   "name: Slider-crank\n"
                                   "space: planar                       # planar | spatial\n"
                                   "parameters: {r: 4, l: 10.928, k: 300, c: 40}     # constants\n"
                                   "define: {ramp: 5*sin(2*t)}\n"
                                   "gravity: [0, -9.81]\n"
                                   "ground: {points: {A: [0, 0], D: [6, 0]}}\n"
                                   "bodies:\n"
                                   "  crank:\n"
                                   "    mass: 2\n"
                                   "    inertia: 2.693                  # about the centre of mass, body axes\n"
                                   "    position: [r/2*cos(45*deg), r/2*sin(45*deg)]  # of the body frame, at the start\n"
                                   "    angle: 45*deg\n"
                                   "    points: {A: [-r/2, 0], B: [r/2, 0]}\n"
                                   "  rod: {mass: 3, inertia: 29.896, between: [crank.B, slider], points: {B: [-l/2, 0], C: [l/2, 0]}}\n"
                                   "  slider: {mass: 4, inertia: 1.667, position: [13.384, 0]}\n"
                                   "joints:\n"
                                   "  A: {type: revolute, connect: [ground.A, crank.A]}\n"
                                   "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
                                   "  C: {type: revolute, connect: [rod.C, slider]}\n"
                                   "  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0]}\n"
                                   "forces:\n"
                                   "  spring: {type: spring-damper, connect: [crank.B, ground.D], stiffness: k, damping: c, length: 0}\n"
                                   "  motor: {type: torque, joint: A, value: ramp}\n"
                                   "simulate: {until: 5, step: 1e-3, coordinates: natural, formulation: udwadia-kalaba,\n"
                                   "           stabilization: {direct-correction: 1e-12}, integrator: ab6}\n"
                                   "record: [slider.x, \" crank.angle' \", A.force, energy, constraint.position]\n";

/* A spatial model that uses what the first one does not. */
static const char satellite[] = "dalembert: 1\n"
                                "space: spatial\n"
                                "parameters: {mass: 2*n, n: 3, h: 1/2}\n"
                                "inputs: {F1: 0}\n"
                                "states: {ei: {start: 0.25, rate: \"F1 - sun.x'\"}}\n"
                                "tables: {lift: {x: [0, h, 2*h, 3*h], y: [h, n, n^2, h], smooth: 2, outside: periodic}}\n"
                                "bodies:\n"
                                "  hull:\n"
                                "    mass: mass\n"
                                "    fix: true\n"
                                "    inertia: {zz: 3, xx: 1.37, yy: 2, xz: -0.1}\n"
                                "    center: [0, 0, h]\n"
                                "    position: {value: [1, 2, 3], fix: true}\n"
                                "    orientation: {z: [0, 0, 1], x: [1, 0.5, 0], fix: true}\n"
                                "    velocity: {body: [7, 8, 9]}\n"
                                "    angular-velocity: {body: [0.1, 0.2, 0.3], fix: true}\n"
                                "    points: {A: {at: [1, 0, 0], x: [0, 1, 0], z: [0, 0, 1]}, B: {at: [0, 1, 0], z: [1, 1, 1]}, C: [0, 0, 1]}\n"
                                "    shape: [{type: box, size: [1, 2, h], color: red}, {type: plate, outline: [[0, 0], [h, 0], [0, 1]]}]\n"
                                "  sun: {mass: 0, inertia: [1, 2, 3], orientation: {quaternion: {x: 0.1, y: 0.2, z: 0.3, w: 0.9}}}\n"
                                "  arm: {mass: 1, inertia: [1, 2, 3, 0.1, 0.2, 0.3], orientation: {axis: [1, 1, 0], angle: 30*deg}}\n"
                                "  hand: {mass: 1, orientation: {rpy: [1, 2, 3]}, velocity: {value: [1, 2, 3], fix: true}}\n"
                                "joints:\n"
                                "  hinge: {type: revolute, connect: [hull.A, arm], axis: [[0, 0, 1], [1, 0, 0]], zero: 10*deg,\n"
                                "          start: {angle: 0.3, rate: -2, fix: true}}\n"
                                "  pair: {type: gear, joints: [hinge, other], ratio: 3}\n"
                                "forces:\n"
                                "  pull: {type: central-gravity, body: hull, center: [0, 0, 0], mu: 3.986e14, gradient: true}\n"
                                "  mount: {type: bushing, connect: [hull.A, arm], stiffness: [1, 2, 3, 4, 5, 6], damping: 7}\n"
                                "  push: {type: force, body: hull.A, axes: body, value: [1, F1, 0]}\n"
                                "simulate: {stabilization: {baumgarte: {alpha: 10, beta: 20}}, max-step: 0.1, event-tolerance: 1e-9}\n"
                                "record: []\n";

typedef struct reading {
    dal_messages *messages;
    dal_spec *spec;
    dal_status status;
} reading;

static reading parse_with(const char *text, size_t length, int n, const dal_override *overrides)
{
    reading r = {.messages = dal_messages_create(NULL)};
    r.status = dal_spec_parse(NULL, "model.yaml", text, length, n, overrides, r.messages, &r.spec);
    return r;
}

static reading parse(const char *text)
{
    return parse_with(text, strlen(text), 0, NULL);
}

static void finish(reading *r)
{
    dal_spec_free(r->spec);
    dal_messages_free(r->messages);
}

/* A text that has to be read without a word. */
static reading parse_good(const char *text)
{
    reading r = parse(text);
    const dal_message *first = dal_messages_first(r.messages);
    if (first)
        fail_msg("%d:%d: %s", first->mark.line, first->mark.column, first->text);
    assert_int_equal(r.status, DAL_OK);
    assert_non_null(r.spec);
    return r;
}

static void check_text(const dal_text *text, const char *expected, int line, int column)
{
    assert_string_equal(text->text, expected);
    assert_string_equal(text->mark.file, "model.yaml");
    assert_int_equal(text->mark.line, line);
    assert_int_equal(text->mark.column, column);
}

static void check_list(const dal_list *list, int n, const char *const *expected)
{
    assert_int_equal(list->n, n);
    for (int i = 0; i < n; i++)
        assert_string_equal(list->item[i].text, expected[i]);
}
#define CHECK_LIST(list, n, ...) check_list(&(list), n, (const char *const[]){__VA_ARGS__})

/* ---- good models ------------------------------------------------------------- */

static void the_example_of_the_language_is_read_text_by_text(void **state)
{
    (void)state;
    reading r = parse_good(slider_crank);
    const dal_spec *s = r.spec;
    check_text(&s->name, "Slider-crank", 2, 7);
    assert_int_equal(s->space, DAL_PLANAR);
    assert_int_equal(s->space_mark.line, 3);
    assert_int_equal(s->n_parameters, 4);
    check_text(&s->parameters[1].name, "l", 4, 20);
    check_text(&s->parameters[1].value, "10.928", 4, 23);
    check_close(s->parameters[1].number, 10.928, 0);
    check_text(&s->define[0].value, "5*sin(2*t)", 5, 16);
    CHECK_LIST(s->gravity, 2, "0", "-9.81");
    assert_int_equal(s->ground.n, 2);
    check_text(&s->ground.item[1].name, "D", 7, 30);
    CHECK_LIST(s->ground.item[1].at, 2, "6", "0");

    assert_int_equal(s->n_bodies, 3);
    const dal_body_spec *crank = &s->bodies[0], *rod = &s->bodies[1];
    check_text(&crank->name, "crank", 9, 3);
    check_text(&crank->mass, "2", 10, 11);
    CHECK_LIST(crank->inertia, 1, "2.693");
    CHECK_LIST(crank->position, 2, "r/2*cos(45*deg)", "r/2*sin(45*deg)");
    check_text(&crank->position.item[1], "r/2*sin(45*deg)", 12, 33);
    check_text(&crank->angle, "45*deg", 13, 12);
    assert_false(crank->angle.fix || crank->fix || crank->position.fix);
    assert_null(crank->rate.text);
    assert_null(crank->binding);
    assert_int_equal(crank->orientation.kind, DAL_ATTITUDE_NONE);
    CHECK_LIST(rod->between, 2, "crank.B", "slider");
    check_text(&rod->points.item[1].at.item[0], "l/2", 15, 90);

    assert_int_equal(s->n_joints, 4);
    check_text(&s->joints[3].type, "prismatic", 21, 17);
    CHECK_LIST(s->joints[3].connect, 2, "ground", "slider");
    CHECK_LIST(s->joints[3].axis, 2, "1", "0");
    assert_int_equal(s->joints[3].axis_second.n, 0);
    assert_int_equal(s->joints[3].start.mark.line, 0);
    assert_int_equal(s->n_forces, 2);
    check_text(&s->forces[0].type, "spring-damper", 23, 18);
    CHECK_LIST(s->forces[0].stiffness, 1, "k");
    check_text(&s->forces[1].joint, "A", 24, 32);
    CHECK_LIST(s->forces[1].value, 1, "ramp");

    check_text(&s->simulate.step, "1e-3", 25, 28);
    check_text(&s->simulate.formulation.name, "udwadia-kalaba", 25, 69);
    check_text(&s->simulate.stabilization.name, "direct-correction", 26, 28);
    check_text(&s->simulate.stabilization.value, "1e-12", 26, 47);
    assert_int_equal(s->simulate.stabilization.n, 0);
    assert_true(s->record_given);
    assert_int_equal(s->n_record, 5);
    check_text(&s->record[1].value, "crank.angle'", 27, 22); /* blanks and quotes are not part of it */
    assert_string_equal(s->text, slider_crank);
    assert_string_equal(s->file, "model.yaml");
    finish(&r);
}

static void start_values_attitudes_and_points_keep_their_form(void **state)
{
    (void)state;
    reading r = parse_good(satellite);
    const dal_body_spec *hull = &r.spec->bodies[0], *b = r.spec->bodies;
    assert_true(hull->fix && hull->position.fix && hull->angular_velocity.fix && !hull->velocity.fix);
    assert_true(hull->velocity.body_axes && hull->angular_velocity.body_axes && !hull->position.body_axes);
    CHECK_LIST(hull->velocity, 3, "7", "8", "9");
    CHECK_LIST(hull->inertia, 6, "1.37", "2", "3", "0", "-0.1", "0");
    assert_int_equal(hull->orientation.kind, DAL_ATTITUDE_AXES);
    assert_string_equal(hull->orientation.letters, "zx"); /* the first written is exact */
    assert_true(hull->orientation.fix);
    CHECK_LIST(hull->orientation.second, 3, "1", "0.5", "0");
    assert_int_equal(hull->shape.n, 2);
    assert_string_equal(hull->shape.item[0].type.text, "box");
    CHECK_LIST(hull->shape.item[0].size, 3, "1", "2", "h");
    assert_string_equal(hull->shape.item[0].color.text, "red");
    assert_true(hull->shape.item[1].outline && hull->shape.item[1].n_points == 3);
    CHECK_LIST(hull->shape.item[1].points[1], 2, "h", "0");

    const dal_point_spec *point = hull->points.item;
    assert_string_equal(point[0].axes.letters, "xz");
    CHECK_LIST(point[0].axes.second, 3, "0", "0", "1");
    assert_string_equal(point[1].axes.letters, "z");
    assert_int_equal(point[2].axes.kind, DAL_ATTITUDE_NONE);

    assert_int_equal(b[1].orientation.kind, DAL_ATTITUDE_QUATERNION);
    CHECK_LIST(b[1].orientation.first, 4, "0.9", "0.1", "0.2", "0.3");
    assert_int_equal(b[2].orientation.kind, DAL_ATTITUDE_AXIS);
    CHECK_LIST(b[2].orientation.second, 1, "30*deg");
    CHECK_LIST(b[2].inertia, 6, "1", "2", "3", "0.1", "0.2", "0.3");
    assert_int_equal(b[3].orientation.kind, DAL_ATTITUDE_RPY);
    assert_true(b[3].velocity.fix && !b[3].velocity.body_axes);

    const dal_joint_spec *hinge = &r.spec->joints[0];
    CHECK_LIST(hinge->axis, 3, "0", "0", "1");
    CHECK_LIST(hinge->axis_second, 3, "1", "0", "0");
    assert_true(hinge->start.fix);
    assert_string_equal(hinge->start.rate.text, "-2");
    assert_int_equal(hinge->start.mark.line, 24);
    CHECK_LIST(r.spec->joints[1].joints, 2, "hinge", "other");
    assert_string_equal(r.spec->forces[0].gradient.text, "true");
    assert_int_equal(r.spec->forces[1].stiffness.n, 6);
    assert_string_equal(r.spec->forces[2].axes.text, "body");

    const dal_choice *choice = &r.spec->simulate.stabilization;
    assert_int_equal(choice->n, 2);
    assert_string_equal(choice->option[1].name.text, "beta");
    assert_string_equal(choice->option[1].value.text, "20");
    assert_true(r.spec->record_given);
    assert_int_equal(r.spec->n_record, 0);
    assert_string_equal(r.spec->states[0].rate.text, "F1 - sun.x'");
    finish(&r);
}

static void parameters_use_one_another_in_any_order(void **state)
{
    (void)state;
    reading r = parse_good(satellite);
    check_close(r.spec->parameters[0].number, 6, 0);
    const dal_table_spec *lift = &r.spec->tables[0];
    assert_int_equal(lift->n, 4);
    const double x[] = {0, 0.5, 1, 1.5}, y[] = {0.5, 3, 9, 0.5};
    for (int i = 0; i < 4; i++) {
        check_close(lift->x_value[i], x[i], 0);
        check_close(lift->y_value[i], y[i], 0);
    }
    finish(&r);
}

/* p0: p1 + 1, p1: p2 + 1, ...: as deep as the file is long, without recursion. */
static void a_chain_of_parameters_may_be_long(void **state)
{
    (void)state;
    enum { LENGTH = 20000 };
    char *text = malloc(LENGTH * 32), *p = text;
    p += sprintf(p, "dalembert: 1\nspace: planar\nparameters:\n");
    for (int i = 0; i < LENGTH; i++)
        p += sprintf(p, "  p%d: p%d + 1\n", i, i + 1);
    sprintf(p, "  p%d: 0.618\n", LENGTH);
    reading r = parse_good(text);
    check_close(r.spec->parameters[0].number, LENGTH + 0.618, LENGTH * 0x1p-52 * LENGTH); /* LENGTH sums of at most LENGTH */
    finish(&r);
    free(text);
}

static void every_euler_sequence_is_known(void **state)
{
    (void)state;
    static const char *const sequence[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
    for (int i = 0; i < 12; i++) {
        char text[200];
        snprintf(text, sizeof text, "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, orientation: {euler-%s: [1.1, 2.2, 3.3]}}}", sequence[i]);
        reading r = parse_good(text);
        assert_int_equal(r.spec->bodies[0].orientation.kind, DAL_ATTITUDE_EULER);
        assert_string_equal(r.spec->bodies[0].orientation.letters, sequence[i]);
        CHECK_LIST(r.spec->bodies[0].orientation.first, 3, "1.1", "2.2", "3.3");
        finish(&r);
    }
}

static void json_is_a_model_too(void **state)
{
    (void)state;
    reading r = parse_good("{\"dalembert\": 1, \"space\": \"planar\",\n \"bodies\": {\"b\": {\"mass\": \"2*t\", \"angle\": 1e-3}}}");
    check_text(&r.spec->bodies[0].mass, "2*t", 2, 28);
    finish(&r);
}

static void words_and_numbers_are_not_typed_by_yaml(void **state)
{
    (void)state;
    reading r = parse_good("dalembert: 1\nspace: planar\nname: on\ndefine: {a: 0x10, b: .inf, c: 1_000}\n");
    assert_string_equal(r.spec->name.text, "on");
    assert_string_equal(r.spec->define[0].value.text, "0x10");
    assert_string_equal(r.spec->define[1].value.text, ".inf");
    assert_string_equal(r.spec->define[2].value.text, "1_000");
    finish(&r);
}

/* ---- repeat -------------------------------------------------------------------- */

static void repeat_makes_numbered_elements_with_bound_variables(void **state)
{
    (void)state;
    reading r = parse_good("dalembert: 1\nspace: planar\nparameters: {n: 4}\n"
                           "bodies:\n"
                           "  rod: {repeat: {i: 1..n}, mass: i, position: [rod.{i-1}.x + 1, 0]}\n"
                           "  none: {repeat: {i: 1..0}, mass: i}\n"
                           "  plate: {repeat: {i: 0..1, j: i..2*i+1}, mass: \"i + j\"}\n"
                           "joints:\n"
                           "  pin:\n"
                           "    repeat: {i: 2..n}\n"
                           "    type: revolute\n"
                           "    connect: [rod.{i-1}.B, rod.{i}.A]\n"
                           "  last: {type: revolute, connect: [\"rod.{n}\", ground]}\n");
    const dal_spec *s = r.spec;
    assert_int_equal(s->n_bodies, 4 + 0 + 2 + 3);
    assert_string_equal(s->bodies[2].name.text, "rod.3");
    assert_string_equal(s->bodies[2].binding->name, "i");
    assert_int_equal(s->bodies[2].binding->value, 3);
    assert_null(s->bodies[2].binding->outer);
    assert_string_equal(s->bodies[2].mass.text, "i");
    check_text(&s->bodies[2].position.item[0], "rod.{i-1}.x + 1", 5, 48); /* expressions keep their braces */
    check_text(&s->bodies[2].position.item[1], "0", 5, 65);
    static const char *const plates[] = {"plate.0.0", "plate.0.1", "plate.1.1", "plate.1.2", "plate.1.3"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(s->bodies[4 + i].name.text, plates[i]);
    assert_string_equal(s->bodies[8].binding->name, "j");
    assert_int_equal(s->bodies[8].binding->value, 3);
    assert_string_equal(s->bodies[8].binding->outer->name, "i");
    assert_int_equal(s->bodies[8].binding->outer->value, 1);
    assert_int_equal(s->n_joints, 4);
    assert_string_equal(s->joints[2].name.text, "pin.4");
    CHECK_LIST(s->joints[2].connect, 2, "rod.3.B", "rod.4.A");
    CHECK_LIST(s->joints[3].connect, 2, "rod.4", "ground");
    assert_null(s->joints[3].binding);
    finish(&r);
}

/* ---- overrides and hash ---------------------------------------------------------- */

static void overrides_replace_parameters(void **state)
{
    (void)state;
    const char *text = "dalembert: 1\nspace: planar\nparameters: {a: 2*b, b: 3}\n";
    const dal_override set[] = {{"b", "10"}, {"b", "1/8"}};
    reading r = parse_with(text, strlen(text), 2, set), plain = parse_good(text), again = parse_with(text, strlen(text), 2, set);
    assert_int_equal(r.status, DAL_OK);
    check_close(r.spec->parameters[0].number, 0.25, 0);
    assert_string_not_equal(r.spec->hash, plain.spec->hash);
    assert_string_equal(r.spec->hash, again.spec->hash);
    assert_int_equal(strlen(r.spec->hash), 16);
    assert_int_equal(strspn(r.spec->hash, "0123456789abcdef"), 16);
    finish(&r);
    finish(&plain);
    finish(&again);
}

static void check_first_message(const reading *r, const char *expected)
{
    char text[2000];
    assert_non_null(dal_messages_first(r->messages));
    dal_message_format(dal_messages_first(r->messages), text, sizeof text);
    assert_string_equal(text, expected);
}

static void bad_overrides_are_named(void **state)
{
    (void)state;
    const char *text = "dalembert: 1\nspace: planar\nparameters: {radius: 2*b, b: 3}\n";
    static const struct {
        dal_override set;
        const char *message;
    } bad[] = {
        {{"raduis", "1"}, "--set raduis=1: error: the model has no parameter 'raduis' (did you mean 'radius'?)"},
        {{"b", "2*c"}, "--set b=2*c: error: unknown name 'c'"},
        {{"b", "radius"}, "model.yaml:3:22: error: parameters use one another in a circle: 'radius' -> 'b' -> 'radius'"},
        {{"b", "3*"}, "--set b=3*: error: expected a number, a name or '(' but found the end"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = parse_with(text, strlen(text), 1, &bad[i].set);
        assert_int_equal(r.status, DAL_BAD_MODEL);
        assert_null(r.spec);
        assert_int_equal(dal_messages_count(r.messages, DAL_ERROR), 1);
        check_first_message(&r, bad[i].message);
        finish(&r);
    }
}

static void the_hash_sees_every_byte(void **state)
{
    (void)state;
    reading a = parse_good("dalembert: 1\nspace: planar\n"), b = parse_good("dalembert: 1\nspace: planar \n");
    assert_string_not_equal(a.spec->hash, b.spec->hash);
    finish(&a);
    finish(&b);
}

/* ---- faults ------------------------------------------------------------------------ */

static void every_faulty_model_gets_all_its_messages(void **state)
{
    (void)state;
    assert_true(check_all_refused(DAL_TEST_MODELS "/bad", false) >= 45);
}

static void bad_bytes_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } bad[] = {
        {"dalembert: 1\nname: \xc3\xa4\xff\n", 23, "model.yaml:2:8: error: the byte 0xff is not UTF-8 text: save the file as UTF-8"},
        {"dalembert: 1\r\nname: \a\r\n", 23, "model.yaml:2:7: error: a control character (number 7) is not allowed in a model"},
        {"dalembert: 1\nname: \0\n", 21, "model.yaml:2:7: error: a control character (number 0) is not allowed in a model"},
        {"dalembert: 1\nname: \xc3", 20, "model.yaml:2:7: error: the byte 0xc3 is not UTF-8 text: save the file as UTF-8"},
        {"\xff\xfe"
         "d\0a\0",
         6, "model.yaml:1:1: error: the byte 0xff is not UTF-8 text: save the file as UTF-8"},
        {"name: \"a\\0b\"\n", 13, "model.yaml:1:7: error: a text cannot contain the character with the number 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = parse_with(bad[i].text, bad[i].length, 0, NULL);
        assert_int_equal(r.status, DAL_BAD_MODEL);
        char text[2000];
        bool found = false;
        for (const dal_message *m = dal_messages_first(r.messages); m; m = m->next) {
            dal_message_format(m, text, sizeof text);
            found = found || !strcmp(text, bad[i].message);
        }
        if (!found)
            fail_msg("case %zu: %s", i, text);
        finish(&r);
    }
}

static void a_byte_order_mark_does_not_move_columns(void **state)
{
    (void)state;
    reading r = parse("\xef\xbb\xbf"
                      "dalembert: 2\nspace: planar\n");
    check_first_message(&r, "model.yaml:1:12: error: version '2' of the language is not known: this program reads 'dalembert: 1'");
    finish(&r);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 8);
    memcpy(text, "name: ", 6);
    memset(text + 6, '[', DEPTH);
    reading r = parse_with(text, DEPTH + 6, 0, NULL);
    assert_int_equal(r.status, DAL_BAD_MODEL);
    check_first_message(&r, "model.yaml:1:106: error: more than 100 levels of [ ] and { } inside one another");
    finish(&r);
    free(text);
}

static void a_flood_of_errors_is_cut_short(void **state)
{
    (void)state;
    enum { LINES = 5000 };
    char *text = malloc(LINES * 16), *p = text;
    p += sprintf(p, "dalembert: 1\nspace: planar\n");
    for (int i = 0; i < LINES; i++)
        p += sprintf(p, "key%d: 1\n", i);
    reading r = parse(text);
    assert_int_equal(dal_messages_count(r.messages, DAL_ERROR), 101);
    const dal_message *m = dal_messages_first(r.messages);
    int line = 0;
    for (; m->next; m = m->next) {
        assert_true(m->mark.line > line); /* in the order of the text */
        line = m->mark.line;
    }
    assert_non_null(strstr(m->text, "more errors are not shown"));
    finish(&r);
    free(text);
}

static void an_unknown_type_of_file_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"robot.sdf", "robot.sdf: error: this version cannot read .sdf files: a model is a .yaml, .yml, .json or .urdf file"},
        {"a.d/model", "a.d/model: error: a file without extension has no type: a model is a .yaml, .yml, .json or .urdf file"},
        {"x.txt", "x.txt: error: the type of a '.txt' file is not known: a model is a .yaml, .yml, .json or .urdf file"},
        {"missing/model.yaml", "missing/model.yaml: error: the model cannot be read: No such file or directory"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = {.messages = dal_messages_create(NULL)};
        r.status = dal_spec_read(NULL, bad[i][0], 0, NULL, r.messages, &r.spec);
        assert_int_equal(r.status, DAL_BAD_FILE);
        assert_null(r.spec);
        check_first_message(&r, bad[i][1]);
        finish(&r);
    }
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    dal_spec *spec;
    const char *bad = "dalembert: 1\nspace: planar\nbodies: {b: {mas: 1}}\n";
    assert_int_equal(dal_spec_parse(NULL, NULL, bad, strlen(bad), 0, NULL, NULL, &spec), DAL_BAD_MODEL);
    assert_null(spec);
    assert_int_equal(dal_spec_parse(NULL, NULL, slider_crank, strlen(slider_crank), 0, NULL, NULL, &spec), DAL_OK);
    dal_spec_free(spec);
}

/* ---- tables in files ------------------------------------------------------------------ */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void tables_are_read_in_every_usual_form(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "0,1.37\n0.5,-2e-3\n1,.618\n",
        "time; lift\r\n0; 1.37\r\n0.5; -2E-3\r\n1; 0.618",
        "\xef\xbb\xbf# from a test\n\n  0\t1.37\n+0.5   -0.002\n1. 0.618e0\n\n",
    };
    char folder[] = "/tmp/dal_test_spec_XXXXXX", path[512], hash[3][17];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    write_file(folder, "model.yaml", "dalembert: 1\nspace: planar\ntables: {lift: {file: ./lift.csv, smooth: 1, outside: hold}}\n");
    for (int i = 0; i < 3; i++) {
        write_file(folder, "lift.csv", forms[i]);
        reading r = {.messages = dal_messages_create(NULL)};
        r.status = dal_spec_read(NULL, path, 0, NULL, r.messages, &r.spec);
        if (r.status != DAL_OK)
            fail_msg("%s", dal_messages_first(r.messages)->text);
        const dal_table_spec *table = &r.spec->tables[0];
        assert_int_equal(table->n, 3);
        const double x[] = {0, 0.5, 1}, y[] = {1.37, -0.002, 0.618};
        for (int k = 0; k < 3; k++) {
            check_close(table->x_value[k], x[k], 0);
            check_close(table->y_value[k], y[k], 0);
        }
        strcpy(hash[i], r.spec->hash);
        finish(&r);
    }
    assert_string_not_equal(hash[0], hash[1]); /* the hash covers the files */
    char csv[512];
    snprintf(csv, sizeof csv, "%s/lift.csv", folder);
    unlink(csv);
    unlink(path);
    rmdir(folder);
}

static void a_text_in_memory_cannot_name_files(void **state)
{
    (void)state;
    reading r = parse("dalembert: 1\nspace: planar\ntables: {lift: {file: lift.csv}}\n");
    check_first_message(&r, "model.yaml:3:23: error: the table's file 'lift.csv' cannot be read: a model that does not come from "
                            "a file cannot name one");
    finish(&r);
}

/* ---- memory ------------------------------------------------------------------------------ */

static void check_rations(const char *text, dal_status expected)
{
    dal_status status = DAL_NO_MEMORY;
    int n = 0;
    for (; status == DAL_NO_MEMORY; n++) {
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec;
        status = dal_spec_parse(&allocator, "model.yaml", text, strlen(text), 0, NULL, messages, &spec);
        assert_true((spec != NULL) == (status == DAL_OK));
        dal_spec_free(spec);
        dal_messages_free(messages);
        assert_int_equal(r.taken, 0);
    }
    assert_int_equal(status, expected);
    assert_true(n > 3);
}

static void want_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    check_rations(slider_crank, DAL_OK);
    check_rations(satellite, DAL_OK);
    check_rations("dalembert: 1\nspace: planar\nparameters: {a: b, b: a}\nbodies: {rod: {repeat: {i: 1..5000}, mass: 1, "
                  "points: {A: [i, 0], B: [0, i]}}, b: {mas: 1}}\n",
                  DAL_BAD_MODEL);
    check_rations("dalembert: 1\nspace: planar\nbodies: {rod: [if(1,2,3), *x\n", DAL_BAD_MODEL);
}

/* ---- reference ---------------------------------------------------------------------------- */

static void every_key_is_documented_once(void **state)
{
    (void)state;
    int n = 0;
    for (const dal_key_doc *doc; (doc = dal_spec_key(n)); n++) {
        assert_true(doc->section && *doc->section && doc->key && *doc->key);
        assert_true(doc->shape && *doc->shape && doc->text && *doc->text);
        for (int i = 0; i < n; i++)
            assert_false(!strcmp(dal_spec_key(i)->section, doc->section) && !strcmp(dal_spec_key(i)->key, doc->key));
    }
    assert_true(n > 90);
    assert_null(dal_spec_key(n));
    assert_null(dal_spec_key(-1));
}

/* Keys whose numbers stand in a section of their own have none: "see 'start'". */
static void every_key_that_holds_numbers_has_a_unit(void **state)
{
    (void)state;
    for (int i = 0; dal_spec_key(i); i++) {
        const dal_key_doc *doc = dal_spec_key(i);
        const bool numbers =
            strstr(doc->shape, "expression") || strstr(doc->shape, "vector") || strstr(doc->shape, "[x, y]") || !strcmp(doc->shape, "as without { }");
        assert_non_null(doc->unit);
        if (numbers != (*doc->unit != 0))
            fail_msg("%s of %s (%s): '%s'", doc->key, doc->section, doc->shape, doc->unit);
        if (strstr(doc->unit, " or ")) /* along a length, and about an angle: a metre makes the difference */
            assert_true(scaled_alternative(doc->unit, 0).length != scaled_alternative(doc->unit, 1).length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_language_is_read_text_by_text),
        cmocka_unit_test(start_values_attitudes_and_points_keep_their_form),
        cmocka_unit_test(parameters_use_one_another_in_any_order),
        cmocka_unit_test(a_chain_of_parameters_may_be_long),
        cmocka_unit_test(every_euler_sequence_is_known),
        cmocka_unit_test(json_is_a_model_too),
        cmocka_unit_test(words_and_numbers_are_not_typed_by_yaml),
        cmocka_unit_test(repeat_makes_numbered_elements_with_bound_variables),
        cmocka_unit_test(overrides_replace_parameters),
        cmocka_unit_test(bad_overrides_are_named),
        cmocka_unit_test(the_hash_sees_every_byte),
        cmocka_unit_test(every_faulty_model_gets_all_its_messages),
        cmocka_unit_test(bad_bytes_are_located),
        cmocka_unit_test(a_byte_order_mark_does_not_move_columns),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_flood_of_errors_is_cut_short),
        cmocka_unit_test(an_unknown_type_of_file_is_refused),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(tables_are_read_in_every_usual_form),
        cmocka_unit_test(a_text_in_memory_cannot_name_files),
        cmocka_unit_test(want_of_memory_leaves_nothing_behind),
        cmocka_unit_test(every_key_is_documented_once),
        cmocka_unit_test(every_key_that_holds_numbers_has_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
