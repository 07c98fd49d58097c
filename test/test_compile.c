/* Compile: what it refuses and how it says so, its memory, and that stepping takes none.
 *
 * Faulty models live in models/refused, each with the messages that it must give.
 */
#include "counting.h"
#include "ration.h"
#include "expectations.h"

#include "base/message.h"
#include "gallery.h"
#include "compile/channels.h"
#include "dynamics/reactions.h"

#include <glob.h>
#include <stdlib.h>
#include <time.h>

/* ---- refusals ----------------------------------------------------------------------- */

static void every_refused_model_gets_all_its_messages(void **state)
{
    (void)state;
    assert_true(check_all_refused(DAL_TEST_MODELS "/refused", true) >= 100);
}

typedef struct compiled {
    dal_messages *messages;
    dal_spec *spec;
    dal_system *system;
    dal_status status;
} compiled;

static compiled compile_text(const char *text)
{
    compiled c = {.messages = dal_messages_create(NULL)};
    c.status = dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, c.messages, &c.spec);
    if (c.status == DAL_OK)
        c.status = dal_compile(NULL, c.spec, c.messages, &c.system);
    return c;
}

static void finish(compiled *c)
{
    dal_system_free(c->system);
    dal_spec_free(c->spec);
    dal_messages_free(c->messages);
}

static void expect_only(const char *text, const char *sentence)
{
    compiled c = compile_text(text);
    const dal_message *m = dal_messages_first(c.messages);
    assert_int_equal(c.status, DAL_BAD_MODEL);
    assert_non_null(m);
    if (!strstr(m->text, sentence) || m->next)
        fail_msg("expected '%s' alone, got '%s'%s", sentence, m->text, m->next ? " and more" : "");
    finish(&c);
}

static void a_flood_of_errors_is_cut_short(void **state)
{
    (void)state;
    compiled c = compile_text("dalembert: 1\nspace: planar\nbodies:\n  b: {repeat: {i: 1..20000}, mass: mas}\n"
                              "joints:\n  j: {repeat: {i: 1..20000}, type: revolute, connect: [ground, \"bb.{i}\"]}\n");
    assert_int_equal(c.status, DAL_BAD_MODEL);
    assert_true(dal_messages_count(c.messages, DAL_ERROR) <= 101);
    finish(&c);
}

static void long_chains_of_definitions_need_no_stack(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    char *text = malloc(LINKS * 32), *p = text;
    p += sprintf(p, "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1}}\ndefine:\n  d0: b.x\n");
    for (int i = 1; i < LINKS; i++)
        p += sprintf(p, "  d%d: d%d + d%d\n", i, i - 1, i - 1); /* 2^LINKS without a memory of what is known */
    p += sprintf(p, "forces: {f: {type: force, body: b, value: [d%d, 0]}}\n", 50);
    compiled c = compile_text(text);
    if (c.status != DAL_OK)
        fail_msg("%s", dal_messages_first(c.messages)->text);
    finish(&c);
    p = text + sprintf(text, "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1}}\ndefine:\n");
    for (int i = 1; i < LINKS; i++) /* the wrong way round: each uses the next */
        p += sprintf(p, "  d%d: d%d\n", i, i + 1);
    p += sprintf(p, "  d%d: b.x\n", LINKS);
    c = compile_text(text);
    assert_int_equal(c.status, DAL_BAD_MODEL);
    assert_non_null(strstr(dal_messages_first(c.messages)->text, "stands behind more than 30 names"));
    finish(&c);
    free(text);
}

static void deep_expressions_in_deep_definitions_need_little_stack(void **state)
{
    (void)state;
    enum { LINKS = 29, DEPTH = 190 };
    char *text = malloc(LINKS * (2 * DEPTH + 32) + 200), *p = text;
    p += sprintf(p, "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1}}\ndefine:\n");
    for (int i = 0; i < LINKS; i++) {
        p += sprintf(p, "  d%d: ", i);
        for (int k = 0; k < DEPTH; k++)
            *p++ = '(';
        p += sprintf(p, i + 1 < LINKS ? "d%d" : "b.x", i + 1);
        for (int k = 0; k < DEPTH; k++)
            *p++ = ')';
        *p++ = '\n';
    }
    *p = '\0';
    compiled c = compile_text(text);
    if (c.status != DAL_OK)
        fail_msg("%s", dal_messages_first(c.messages)->text);
    finish(&c);
    free(text);
}

static void a_description_made_by_hand_is_checked_too(void **state)
{
    (void)state;
    const char *good = "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 2, points: {A: [1, 2]}}}\n"
                       "joints: {j: {type: revolute, connect: [ground, b]}}\nforces: {f: {type: motor, joint: j, value: 3}}\n"
                       "constraints: {c: {velocity: j.angle' - 1}}\nspeeds: {u: j.angle'}\n";
    compiled c = compile_text(good);
    assert_int_equal(c.status, DAL_OK);
    dal_spec *spec = c.spec;
    dal_text *const needed[] = {&spec->bodies[0].mass,
                                &spec->bodies[0].inertia.item[0],
                                &spec->bodies[0].points.item[0].at.item[1],
                                &spec->joints[0].type,
                                &spec->forces[0].type,
                                &spec->forces[0].joint,
                                &spec->constraints[0].velocity,
                                &spec->speeds[0].value};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const dal_text kept = *needed[i];
        dal_system *system;
        needed[i]->text = NULL;
        assert_int_equal(dal_compile(NULL, spec, NULL, &system), DAL_BAD_MODEL);
        assert_null(system);
        *needed[i] = kept;
    }
    finish(&c);
}

/* ---- channels ------------------------------------------------------------------------- */

/* A model that has all of the channels: free where the table says "of type". */
static const char *model_of(unsigned space)
{
    return space == DAL_IN_PLANE
               ? "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, points: {P: [0.3, 0.4]}}, c: {mass: 1, inertia: 1}, e: {mass: 1, "
                 "inertia: 1}}\n"
                 "joint-types: {own: {equations: [angle]}}\n"
                 "joints: {w: {type: own, connect: [ground, e]}, a: {type: revolute, connect: [ground, b], drive: 0.3*t, friction: {limit: 0.1}}, s: "
                 "{type: prismatic, "
                 "connect: [b, c], axis: [1, 0]}}\n"
                 "constraints: {k: {position: s.distance}}\nforces: {f: {type: spring-damper, joint: s, stiffness: 1}}\nrecord: [\"%s\"]\n"
               : "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], points: {P: [0.3, 0.4, 0.5]}},\n"
                 "  c: {mass: 1, inertia: [1, 1, 1]}, d: {mass: 1, inertia: [1, 1, 1]}, e: {mass: 1, inertia: [1, 1, 1]}, h: {mass: 1, inertia: [1, "
                 "1, "
                 "1]}, i: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "joint-types: {own: {equations: [angle]}}\n"
                 "joints: {w: {type: own, connect: [ground, e]}, a: {type: revolute, connect: [ground, b], axis: [0, 0, 1], drive: 0.3*t, friction: "
                 "{limit: 0.1}},\n"
                 "  s: {type: prismatic, connect: [b, c], axis: [1, 0, 0]},\n"
                 "  u: {type: universal, connect: [c, d], axis: [[1, 0, 0], [0, 1, 0]]},\n"
                 "  y: {type: cylindrical, connect: [ground, h], axis: [0, 0, 1], friction: {coefficient: 0.1, radius: 0.1}},\n"
                 "  p: {type: spherical, connect: [ground, i], friction: {coefficient: 0.1, radius: 0.1}}}\n"
                 "constraints: {k: {position: s.distance}}\nforces: {f: {type: spring-damper, joint: s, stiffness: 1}}\nrecord: [\"%s\"]\n";
}

static void check_channel(const dal_channel *c, unsigned space)
{
    const char *owner = !strcmp(c->of, "body")         ? "b."
                        : !strcmp(c->of, "point")      ? "b.P."
                        : !strcmp(c->of, "force")      ? "f."
                        : !strcmp(c->of, "constraint") ? "k."
                        : !strcmp(c->of, "joint")      ? (!strcmp(c->name, "distance")                                                ? "s."
                                                          : !strcmp(c->name, "angle2")                                                ? "u."
                                                          : !strncmp(c->name, "M.", 2)                                                ? "w."
                                                          : !strcmp(c->name, "friction.force") || !strcmp(c->name, "friction.torque") ? "y."
                                                          : !strcmp(c->name, "friction") && c->flags & DAL_CHANNEL_VECTOR             ? "p."
                                                                                                                                      : "a.")
                                                       : "";
    char path[64], text[2500];
    snprintf(path, sizeof path, "%s%s", owner, c->name);
    snprintf(text, sizeof text, model_of(space), path);
    compiled made = compile_text(text);
    if (made.status != DAL_OK)
        fail_msg("%s: %s", path, dal_messages_first(made.messages)->text);
    int columns = c->flags & DAL_CHANNEL_VECTOR ? (space == DAL_IN_PLANE ? 2 : 3) : 1;
    assert_int_equal(made.system->n_columns, 1 + columns);
    if (!strstr(c->unit, " or "))
        assert_string_equal(made.system->columns[1].unit, c->unit);
    else
        assert_non_null(strstr(c->unit, made.system->columns[1].unit));
    finish(&made);
    /* and a force may use it exactly if it is no result */
    snprintf(text, sizeof text, model_of(space), "t");
    char *end = strstr(text, "}\nrecord");
    snprintf(end, 200, ", g: {type: motor, joint: s, value: \"%s%s\"}}\n", path, c->flags & DAL_CHANNEL_VECTOR ? ".x" : "");
    made = compile_text(text);
    assert_int_equal(made.status, c->flags & DAL_CHANNEL_RESULT ? DAL_BAD_MODEL : DAL_OK);
    finish(&made);
}

static void every_channel_of_the_table_exists(void **state)
{
    (void)state;
    for (const dal_channel *c = dal_channels; c->of; c++)
        for (unsigned space = DAL_IN_PLANE; space <= DAL_IN_SPACE; space++)
            if (c->spaces & space)
                check_channel(c, space);
}

static void no_point_may_hide_a_channel(void **state)
{
    (void)state;
    for (const dal_channel *c = dal_channels; c->of; c++) {
        char text[300];
        if (strcmp(c->of, "body") || strchr(c->name, '.'))
            continue;
        snprintf(text, sizeof text, "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, points: {%s: [1, 0]}}}\n", c->name);
        expect_only(text, "cannot be the name of a point");
    }
}

/* ---- the joint's zero -------------------------------------------------------------------- */

static void springs_on_joints_speak_of_the_coordinate_with_its_zero(void **state)
{
    (void)state;
    /* coordinate = turn + zero: at the start 0.7, so that the spring pulls by -k (0.7 - 0.2) */
    compiled c = compile_text("dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 2}}\n"
                              "joints: {a: {type: revolute, connect: [ground, b], zero: 0.4, start: {angle: 0.7, fix: true}}}\n"
                              "forces: {s: {type: spring-damper, joint: a, stiffness: 3, free: 0.2}}\n"
                              "record: [a.angle, s.length, s.torque, b.angle]\n");
    assert_int_equal(c.status, DAL_OK);
    dal_state *s = dal_state_create(NULL, c.system);
    double row[5];
    assert_int_equal(dal_state_evaluate(s, NULL), DAL_OK);
    dal_state_record(s, row);
    const double expected[5] = {0, 0.7, 0.7, -1.5, 0.3};
    for (int i = 0; i < 5; i++)
        check_close(row[i], expected[i], 1e-14);
    dal_state_free(s);
    finish(&c);
}

static void a_start_rate_belongs_to_the_coordinate_beside_it(void **state)
{
    (void)state;
    compiled c = compile_text("dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 2}}\n"
                              "joints: {a: {type: pin-in-slot, connect: [ground, b], axis: [0.6, 0.8], start: {angle: 0.7, rate: 1.37, fix: true}}}\n"
                              "record: [a.angle, \"a.angle'\", \"a.distance'\"]\n");
    assert_int_equal(c.status, DAL_OK);
    dal_state *s = dal_state_create(NULL, c.system);
    double row[4];
    assert_int_equal(dal_state_evaluate(s, NULL), DAL_OK);
    dal_state_record(s, row);
    check_close(row[1], 0.7, 1e-14);
    check_close(row[2], 1.37, 1e-14);
    check_close(row[3], 0, 1e-14);
    dal_state_free(s);
    finish(&c);
}

/* ---- assembly ------------------------------------------------------------------------------ */

/* Rough start values: every gap closes, and the bodies stay as near as they can. */
static void a_chain_that_starts_far_from_its_joints_is_assembled(void **state)
{
    (void)state;
    compiled c = compile_text("dalembert: 1\nspace: spatial\nbodies:\n"
                              "  link: {repeat: {i: 1..5}, mass: 1, inertia: [0.2, 0.3, 0.4], position: [i + 0.07, 0, 0.02*i],\n"
                              "         points: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n"
                              "joints:\n  base: {type: revolute, connect: [ground, link.1.A], axis: [0, 1, 0]}\n"
                              "  knee: {repeat: {i: 2..5}, type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], axis: [0, 1, 0]}\n");
    if (c.status != DAL_OK)
        fail_msg("%s", dal_messages_first(c.messages)->text);
    dal_state *s = dal_state_create(NULL, c.system);
    double position, velocity;
    assert_int_equal(dal_state_evaluate(s, NULL), DAL_OK);
    dal_state_residuals(s, &position, &velocity);
    check_small(position, 1e-13);
    check_close(dal_state_body(s, 0).position[0], 0.5, 0.01); /* half a link from the ground */
    check_close(dal_state_body(s, 4).position[0], 4.5, 0.05);
    dal_state_free(s);
    finish(&c);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Compile with the n-th allocation failing, for every n until it succeeds. */
static void check_rations(const char *text, dal_status expected, int least)
{
    dal_spec *spec;
    assert_int_equal(dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, NULL, &spec), DAL_OK);
    dal_status status = DAL_NO_MEMORY;
    int n = 0;
    for (; status == DAL_NO_MEMORY; n++) {
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system;
        status = dal_compile(&allocator, spec, messages, &system);
        assert_true((system != NULL) == (status == DAL_OK));
        dal_system_free(system);
        dal_messages_free(messages);
        assert_int_equal(r.taken, 0);
    }
    assert_int_equal(status, expected);
    assert_true(n > least);
    dal_spec_free(spec);
}

static const char rich[] = "dalembert: 1\nspace: spatial\nparameters: {n: 3, k: 40}\ndefine: {push: k*sin(3*t), back: push + link.1.x}\n"
                           "inputs: {u: 0.5}\nstates: {z: {start: 0, rate: back - z}}\n"
                           "tables: {lift: {x: [0, 1, 2, 3, 4], y: [0, 1, 0.5, 1, 0], outside: periodic}}\ngravity: [0.3, 0, -9.81]\n"
                           "bodies:\n  link: {repeat: {i: 1..14}, mass: 1 + 0.1*i, inertia: [0.2, 0.3, 0.4], position: [i - 0.4999, 0, 0.0001*i],\n"
                           "         points: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n"
                           "joints:\n  base: {type: revolute, connect: [ground, link.1.A], axis: [0, 1, 0.2]}\n"
                           "  knee: {repeat: {i: 2..14}, type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], axis: [0, 1, 0.1*i]}\n"
                           "  turn: {type: driven, joint: base, value: \"0.1*interp(lift, t)\"}\n"
                           "forces:\n  pull: {type: spring-damper, connect: [ground, link.14.B], stiffness: k, damping: 2, length: 9}\n"
                           "  hold: {type: torque, body: link.5, axes: body, value: [u, z, \"if(link.3.z < 0, 1, 2)\"]}\n"
                           "record: [link.7.position, knee.9.force, energy, pull.length]\nsimulate: {until: 1, integrator: ab6, step: 1e-3}\n";

static void want_of_memory_at_compile_leaves_nothing_behind(void **state)
{
    (void)state;
    check_rations(rich, DAL_OK, 10); /* large enough for the sparse solver; has to be assembled */
    check_rations(
        "dalembert: 1\nspace: planar\nparameters: {L: 4}\nground: {points: {D: [L, 0]}}\n"
        "bodies:\n  one: {mass: 1, inertia: 1, points: {B: [L, 0]}}\n  two: {mass: 1, inertia: 1, between: [one.B, three.C], points: {B: [-2, 0]}}\n"
        "  three: {mass: 1, inertia: 1, position: [4, 2], angle: pi/2, points: {C: [0, 2]}}\n"
        "joints:\n  A: {type: revolute, connect: [ground, one], start: {angle: 1.1, rate: 0.7}}\n"
        "  B: {type: revolute, connect: [one.B, two.B]}\n  C: {type: prismatic, connect: [two, three.C], axis: [1, 0]}\n"
        "forces:\n  s: {type: bushing, connect: [ground.D, three], stiffness: [1, 2, 3]}\n"
        "simulate: {coordinates: natural, formulation: udwadia-kalaba}\n",
        DAL_OK, 5);
    check_rations("dalembert: 1\nspace: planar\nbodies: {b: {repeat: {i: 1..9}, mass: 1}, g: {mass: 0}}\n", DAL_BAD_MODEL, 3);
    check_rations("dalembert: 1\nspace: planar\ndefine: {a: b, b: a}\nbodies: {b1: {mass: -1}}\nrecord: [b1.w, c]\n", DAL_BAD_MODEL, 3);
}

/* ---- stepping takes no memory ------------------------------------------------------------------ */

typedef struct watch {
    long rows, first, last;
    double until; /* seconds of wall time */
} watch;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static dal_status row(void *user, int n, const double *values)
{
    watch *w = user;
    (void)n, (void)values;
    if (!w->rows++)
        w->first = taken;
    w->last = taken;
    return DAL_OK;
}

static bool go_on(void *user, double t, double until, long steps, double wall_seconds)
{
    (void)t, (void)until, (void)steps;
    return wall_seconds < ((const watch *)user)->until;
}

static void check_run(const char *name, const dal_spec *spec)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    dal_evidence evidence;
    watch w = {.until = 1};
    dal_status status = dal_compile(NULL, spec, messages, &system);
    char why[300];
    if (status == DAL_OK && system->method.integrator->available && !system->method.integrator->available(why, sizeof why)) {
        print_message("%s is left out: %s\n", name, why);
    } else if (status == DAL_OK) {
        const dal_sink sink = {&w, begin, row};
        const dal_run_options options = {.sink = &sink, .progress = go_on, .progress_user = &w};
        dal_run(system, &options, messages, &evidence);
        if (w.rows < 2)
            fail_msg("%s: no steps", name);
        if (w.last != w.first)
            fail_msg("%s: %ld blocks of memory were taken while stepping", name, w.last - w.first);
    } else {
        fail_msg("%s: %s", name, dal_messages_first(messages)->text);
    }
    dal_system_free(system);
    dal_messages_free(messages);
}

static void stepping_takes_no_memory_in_any_model_of_the_gallery(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    gallery models = gallery_open();
    assert_true(models.n > 0);
    for (size_t i = 0; i < models.n; i++) {
        dal_spec *spec;
        assert_int_equal(dal_spec_read(NULL, models.found.gl_pathv[i], 0, NULL, NULL, &spec), DAL_OK);
        if (!spec->simulate.until.text)
            dal_spec_set(spec, "until", "0.2", NULL);
        check_run(models.found.gl_pathv[i], spec);
        dal_spec_free(spec);
    }
    gallery_close(&models);
    compiled c = compile_text(rich); /* sparse, with tables, switches, states and a drive */
    assert_int_equal(c.status, DAL_OK);
    assert_false(c.system->layout.dense);
    check_run("the rich model", c.spec);
    finish(&c);
}

static void taking_memory_is_noticed(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    void *volatile seen; /* the compiler may not take the pairs away */
    long before = taken;
    free(seen = malloc(1));
    free(seen = calloc(1, 1));
    dal_messages_free(dal_messages_create(NULL));
    assert_int_equal(taken - before, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_model_gets_all_its_messages),
        cmocka_unit_test(a_flood_of_errors_is_cut_short),
        cmocka_unit_test(long_chains_of_definitions_need_no_stack),
        cmocka_unit_test(deep_expressions_in_deep_definitions_need_little_stack),
        cmocka_unit_test(a_description_made_by_hand_is_checked_too),
        cmocka_unit_test(every_channel_of_the_table_exists),
        cmocka_unit_test(no_point_may_hide_a_channel),
        cmocka_unit_test(springs_on_joints_speak_of_the_coordinate_with_its_zero),
        cmocka_unit_test(a_start_rate_belongs_to_the_coordinate_beside_it),
        cmocka_unit_test(a_chain_that_starts_far_from_its_joints_is_assembled),
        cmocka_unit_test(want_of_memory_at_compile_leaves_nothing_behind),
        cmocka_unit_test(stepping_takes_no_memory_in_any_model_of_the_gallery),
        cmocka_unit_test(taking_memory_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
