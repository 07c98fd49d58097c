/* Units of expressions: what follows from channels, keys and parameters; what does not; and sums that cannot be. */
#include "check.h"
#include "gallery.h"

#include "compile/channels.h"
#include "compile/dimension.h"

#include <stdlib.h>

/* A bar on a hinge between springs, with everything that has a unit. */
static const char model[] = "dalembert: 1\nspace: planar\ngravity: [0, -g]\n"
                            "parameters: {g: 9.81, k: 100, L: 0.5, m: 2, ks: 5, w: 3, tau: 0.1, two: 2*L, gain: 7}\n"
                            "define: {stretch: rod.x - L, lean: A.angle, loop: gain*stretch}\n"
                            "tables: {cam: {x: [0, 1, 2, 3], y: [0, 1, 0, 1], outside: hold}}\n"
                            "inputs: {u: 0}\n"
                            "states: {filtered: {start: 0, rate: (rod.x - filtered)/tau}, turned: {start: 0, rate: A.angle'}}\n"
                            "bodies: {rod: {mass: m, inertia: m*L^2/12, points: {A: [-L/2, 0], B: [L/2, 0]}}}\n"
                            "joints: {A: {type: revolute, connect: [ground, rod.A]}}\n"
                            "forces:\n"
                            "  spring: {type: spring-damper, connect: [ground, rod.B], stiffness: k, damping: 3, length: 0.2}\n"
                            "  motor: {type: torque, joint: A, value: \"-ks*A.angle + 2*sin(w*t) + u + loop + interp(cam, rod.x)\"}\n"
                            "constraints: {}\n"
                            "simulate: {until: 0.1}\n";

static dal_system *compile(const char *record, dal_messages *messages)
{
    char text[4000];
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    snprintf(text, sizeof text, "%s%s\n", model, record);
    if (dal_spec_parse(NULL, "bar.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK)
        dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        print_error("%s\n", m->text);
    assert_non_null(system);
    dal_spec_free(spec);
    return system;
}

static int count_units(const dal_messages *messages, const dal_message **first)
{
    int n = 0;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->code && !strcmp(m->code, "units")) {
            if (first && !n)
                *first = m;
            n++;
        }
    return n;
}

/* ---- what follows ----------------------------------------------------------------------------- */

static const char *const inferred[][2] = {
    {"rod.x", "m"},
    {"rod.x'", "m/s"},
    {"2*rod.x", "m"},
    {"-rod.x/2", "m"},
    {"rod.x - 0.25", "m"},
    {"1000*rod.x", ""},       /* mm, perhaps */
    {"rod.angle*180/pi", ""}, /* deg, but a number does not say so */
    {"rod.angle/deg", "deg"},
    {"A.angle'/deg", "deg/s"},
    {"A.angle - 30*deg", "rad"},
    {"rod.x^2 + rod.y^2", "m^2"},
    {"sqrt(rod.x^2 + rod.y^2)", "m"},
    {"norm(rod.position)", "m"},
    {"abs(rod.x)", "m"},
    {"m*g*rod.y", "J"}, /* m from `mass:`, g from `gravity:` */
    {"0.5*m*dot(rod.velocity, rod.velocity)", "J"},
    {"m*L^2*A.angle'^2/8", "J"},
    {"k*stretch", "N"}, /* k from `stiffness:`, L from `points:` */
    {"k*stretch^2/2", "J"},
    {"ks*A.angle", "N m"},
    {"ks*A.angle^2/2", "J"},
    {"gain", "N"}, /* gain*stretch is a part of a torque */
    {"loop", "N m"},
    {"u", "N m"},
    {"w", "1/s"}, /* inside a sine */
    {"tau", "s"},
    {"two", ""},
    {"filtered", "m"},
    {"filtered'", "m/s"},
    {"turned", "rad"},
    {"lean", "rad"},
    {"lean'", "rad/s"},
    {"interp(cam, rod.x)", "N m"},
    {"interp(cam, rod.x, 1)", "N"},
    {"A.force.x*rod.x'", "W"},
    {"A.torque*A.angle'", "W"},
    {"motor.power/A.angle'", "N m"},
    {"L*A.angle' - rod.y'", "m/s"},
    {"atan2(rod.y, rod.x)", "rad"},
    {"sin(A.angle)", "1"},
    {"rod.x/L", "1"},
    {"rod.x > 0.1", "1"},
    {"if(rod.x > 0.1, rod.x, rod.y)", "m"},
    {"max(rod.x, 0)", "m"},
    {"spring.force/rod.x^2", "Pa"},
    {"m*rod.x'", "kg m/s"},
    {"rod.x'/L", "1/s"},
    {"energy/m", "m^2/s^2"},
    {"m/(rod.x*t)", "kg/(m s)"},
    {"exp(-t/tau)*rod.x", "m"},
    {"rod.x^A.angle", ""},
    {"7.5", ""},
};

static void units_follow_from_channels_keys_and_parameters(void **state)
{
    (void)state;
    char record[6000] = "record:\n";
    const size_t n = sizeof inferred / sizeof *inferred;
    for (size_t i = 0; i < n; i++)
        snprintf(record + strlen(record), sizeof record - strlen(record), "  - \"%s\"\n", inferred[i][0]);
    dal_messages *messages = dal_messages_create(NULL);
    char text[9000];
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    snprintf(text, sizeof text, "%s%s", model, record);
    assert_int_equal(dal_spec_parse(NULL, "bar.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    int recorded, all, wrong = 0;
    const dal_column *column = dal_system_columns(system, &recorded, &all);
    assert_int_equal(recorded, (int)n + 1);
    for (size_t i = 0; i < n; i++)
        if (strcmp(column[i + 1].unit, inferred[i][1])) {
            print_error("%s: '%s', not '%s'\n", inferred[i][0], column[i + 1].unit, inferred[i][1]);
            wrong++;
        }
    assert_int_equal(wrong, 0);
    assert_int_equal(count_units(messages, NULL), 0);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* The components of a vector have its unit. */
static void vectors_have_the_unit_of_their_components(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile("record: [rod.B.position - rod.A.position, 2*A.force, energy]", messages);
    const char *const units[] = {"s", "m", "m", "N", "N", "J"};
    int recorded, all;
    const dal_column *column = dal_system_columns(system, &recorded, &all);
    assert_int_equal(recorded, 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(column[i].unit, units[i]);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* ---- columns with names ------------------------------------------------------------------------ */

static void a_column_may_have_a_name_and_a_unit(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system =
        compile("record: {lean angle: {value: rod.angle*180/pi, unit: deg}, x: rod.x, both: {value: \"[rod.x, rod.y]\", unit: mm}}", messages);
    const char *const names[] = {"time", "lean angle", "x", "both.x", "both.y"}, *const units[] = {"s", "deg", "m", "mm", "mm"};
    int recorded, all;
    const dal_column *column = dal_system_columns(system, &recorded, &all);
    assert_int_equal(recorded, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(column[i].name, names[i]);
        assert_string_equal(column[i].unit, units[i]);
    }
    assert_int_equal(count_units(messages, NULL), 0);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void a_wrong_unit_is_reported(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    const dal_message *m = NULL;
    dal_system_free(compile("record: {far: {value: rod.x, unit: N}}", messages));
    assert_int_equal(count_units(messages, &m), 1);
    assert_string_equal(m->text, "column 'far' is a quantity in m, and its unit is given as N");
    assert_int_equal(m->mark.column, 36);
    dal_messages_free(messages);
}

static void faulty_columns_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"record: {a: {unit: m}}", "record: {a: {value: rod.x, units: m}}", "record: {a: [rod.x]}",
                                        "record: {a: {value: rod.q}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[4000];
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        snprintf(text, sizeof text, "%s%s\n", model, wrong[i]);
        const dal_status read = dal_spec_parse(NULL, "bar.yaml", text, strlen(text), 0, NULL, messages, &spec);
        assert_true(read != DAL_OK || dal_compile(NULL, spec, messages, &system) != DAL_OK);
        assert_true(dal_messages_count(messages, DAL_ERROR) > 0);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- sums that cannot be ----------------------------------------------------------------------- */

typedef struct wrong_sum {
    const char *expression;
    int column; /* of the operation in the expression, from 1 */
    const char *sentence;
} wrong_sum;

static const wrong_sum wrong_sums[] = {
    {"rod.x + A.force.x", 7, "a quantity in N is added to one in m"},
    {"A.force.x - rod.x", 11, "a quantity in m is subtracted from one in N"},
    {"rod.x + rod.x'", 7, "a quantity in m/s is added to one in m"},
    {"rod.x + A.angle", 7, "a quantity in rad is added to one in m"},
    {"k*rod.x + k*A.force.x", 9, "the two sides of '+' are different quantities"}, /* whatever k is */
    {"rod.x*rod.y + rod.x", 13, "a quantity in m is added to one in m^2"},
    {"sqrt(rod.x) + rod.x", 13, "a quantity in m is added to one in m^0.5"},
    {"if(rod.x > t, 1, 2)", 10, "a quantity in m is compared with one in s"},
    {"min(rod.x, t)", 1, "'min' is given quantities in m and in s"},
    {"if(t > 1, rod.x, A.force.x)", 1, "'if' is given quantities in m and in N"},
    {"atan2(rod.x, t)", 1, "'atan2' is given quantities in m and in s"},
    {"stretch + energy", 9, "a quantity in J is added to one in m"}, /* through a named expression */
    {"1 - (rod.x - (rod.y + energy))", 21, "a quantity in J is added to one in m"},
};

static void sums_of_different_quantities_are_reported_at_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_sums / sizeof *wrong_sums; i++) {
        const wrong_sum *w = &wrong_sums[i];
        char record[200];
        dal_messages *messages = dal_messages_create(NULL);
        const dal_message *m = NULL;
        snprintf(record, sizeof record, "record: [\"%s\"]", w->expression);
        dal_system *system = compile(record, messages);
        const int n = count_units(messages, &m);
        if (n != 1 || strcmp(m->text, w->sentence))
            fail_msg("%s: %d, '%s'", w->expression, n, m ? m->text : "");
        assert_int_equal(m->mark.line, 16);
        assert_int_equal(m->mark.column, 10 + w->column);
        assert_string_equal(m->mark.file, "bar.yaml");
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* Everywhere, not only in what is recorded. */
static void sums_of_forces_states_and_names_are_looked_at(void **state)
{
    (void)state;
    static const char *const parts[] = {"define: {d: ball.x + ball.x'}", "states: {s: {start: 0, rate: ball.x - ball.x'}}",
                                        "forces: {f: {type: force, body: ball, value: [\"-3*(ball.x + t)\", 0]}}",
                                        "constraints: {c: {position: \"ball.x - ball.y + t\"}}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[1000];
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        snprintf(text, sizeof text, "dalembert: 1\nspace: planar\nbodies: {ball: {mass: 1, velocity: [1, 0]}}\nsimulate: {until: 1}\n%s\n", parts[i]);
        assert_int_equal(dal_spec_parse(NULL, "ball.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        dal_compile(NULL, spec, messages, &system);
        const dal_message *m = NULL;
        assert_int_equal(count_units(messages, &m), 1);
        assert_int_equal(m->mark.line, 5);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* Numbers and parameters take the unit that fits: nobody is bothered. */
static void what_may_be_right_is_not_reported(void **state)
{
    (void)state;
    static const char *const right[] = {
        "rod.x + 3",        "2*rod.x + 3*t",          "rod.x + sin(t)", "rod.x'^2 - (5 + sin(t))^2", "k*rod.x + gain*rod.x'",
        "sin(t) + rod.x/L", "rod.x - L*cos(A.angle)", "u + filtered",   "L*A.angle + rod.x",         "exp(-t)*rod.x",
        "0*t + rod.x",      "max(0, energy)",         "rod.x < 0.3"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char record[200];
        dal_messages *messages = dal_messages_create(NULL);
        snprintf(record, sizeof record, "record: [\"%s\"]", right[i]);
        dal_system_free(compile(record, messages));
        const dal_message *m = NULL;
        if (count_units(messages, &m))
            fail_msg("%s: %s", right[i], m->text);
        dal_messages_free(messages);
    }
}

/* ---- tables and the gallery --------------------------------------------------------------------- */

static void every_channel_has_a_unit(void **state)
{
    (void)state;
    for (const dal_channel *c = dal_channels; c->of; c++) {
        char first[40];
        const char * or = strstr(c->unit, " or ");
        dal_dimension d;
        snprintf(first, sizeof first, "%.*s", or ? (int)(or -c->unit) : 39, c->unit);
        if (!dal_dimension_read(first, &d) || (or &&!dal_dimension_read(or +4, &d)))
            fail_msg("%s.%s: '%s'", c->of, c->name, c->unit);
    }
}

/* Columns of the gallery without a unit, each looked at: nothing in these models says what they are. */
static const char *const without[][2] = {
    {"joined-oscillator", "z"}, /* generalised coordinates of a sub-system whose matrices are numbers */
    {"joined-oscillator", "z'"},
    {"pivot-pid", "hold"}, /* a controller whose output goes through a lag of gain 1 */
    {"pivot-pid", "hold.raw"},
    {"pivot-pid", "hold.integral"},
    {"singular-mass", "x"}, /* coordinates of a sub-system in numbers */
    {"singular-mass", "q1"},
    {"singular-mass", "q2"},
    {"singular-mass", "joined.multiplier"},
    {"engine-mounts", "speed/(2*pi)"},   /* sweep*t: the sweep is a number */
    {"spring-pendulum-lagrangian", "r"}, /* a Lagrangian in letters: any length, any mass */
    {"spring-pendulum-lagrangian", "r'"},
    {"spring-pendulum-lagrangian", "m*r^2*sin(th)^2*ph'"},
};

static bool is_reviewed(const char *file, const char *column)
{
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        const size_t n = strlen(without[i][0]);
        if (!strncmp(slash + 1, without[i][0], n) && !strcmp(slash + 1 + n, ".yaml") && !strcmp(column, without[i][1]))
            return true;
    }
    return false;
}

static void columns_of_the_gallery_have_units_or_were_reviewed(void **state)
{
    (void)state;
    gallery g = gallery_open();
    size_t reviewed = 0;
    int wrong = 0;
    for (size_t i = 0; i < g.n; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_read(NULL, g.found.gl_pathv[i], 0, NULL, messages, &spec), DAL_OK);
        dal_compile(NULL, spec, messages, &system);
        int recorded = 0, all;
        const dal_column *column = system ? dal_system_columns(system, &recorded, &all) : NULL;
        for (int k = 0; k < recorded; k++)
            if (!*column[k].unit && !is_reviewed(g.found.gl_pathv[i], column[k].name)) {
                print_error("%s: %s has no unit\n", g.found.gl_pathv[i], column[k].name);
                wrong++;
            } else if (!*column[k].unit) {
                reviewed++;
            }
        const dal_message *m = NULL;
        if (count_units(messages, &m)) {
            print_error("%s:%d: %s\n", g.found.gl_pathv[i], m->mark.line, m->text);
            wrong++;
        }
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(reviewed, sizeof without / sizeof *without); /* what has a unit by now leaves the list */
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_follow_from_channels_keys_and_parameters),
        cmocka_unit_test(vectors_have_the_unit_of_their_components),
        cmocka_unit_test(a_column_may_have_a_name_and_a_unit),
        cmocka_unit_test(a_wrong_unit_is_reported),
        cmocka_unit_test(faulty_columns_are_refused),
        cmocka_unit_test(sums_of_different_quantities_are_reported_at_their_place),
        cmocka_unit_test(sums_of_forces_states_and_names_are_looked_at),
        cmocka_unit_test(what_may_be_right_is_not_reported),
        cmocka_unit_test(every_channel_has_a_unit),
        cmocka_unit_test(columns_of_the_gallery_have_units_or_were_reviewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
