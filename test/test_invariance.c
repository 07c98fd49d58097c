/* What must not matter: where a body's frame lies in it, how the world is turned, in which unit lengths are, in which order parts
 * are written, and how often a run is repeated. */
#include "check.h"
#include "dalembert/dalembert.h"

#include <stdlib.h>

/* An irregular four-bar with a spring, written with free choices: the body frame of the rod at (cx, cy), turned by `beta`; the
 * world turned by `tilt`; lengths in units of 1/s metres. */
static const char *const parts[2][3] = {
    {"  crank: {mass: 1.3, inertia: 0.11*s^2, position: [s*0.3*cos(0.9 + tilt), s*0.3*sin(0.9 + tilt)], angle: 0.9 + tilt, rate: 2.1,\n"
     "          points: {A: [-0.3*s, 0], B: [0.3*s, 0]}}\n",
     "  rod: {mass: 0.7, inertia: 0.23*s^2, center: [s*cx, s*cy], points: {G: [s*cx, s*cy],\n"
     "        B: [s*(cx - 0.55*cos(beta)), s*(cy + 0.55*sin(beta))], C: [s*(cx + 0.55*cos(beta)), s*(cy - 0.55*sin(beta))]},\n"
     "        position: [s*(0.9*cos(tilt) - 0.6*sin(tilt) - cx*cos(beta + tilt) + cy*sin(beta + tilt)),\n"
     "                   s*(0.9*sin(tilt) + 0.6*cos(tilt) - cx*sin(beta + tilt) - cy*cos(beta + tilt))], angle: beta + tilt}\n",
     "  lever: {mass: 2.2, inertia: 0.31*s^2, position: [s*(1.5*cos(tilt) - 0.35*sin(tilt)), s*(1.5*sin(tilt) + 0.35*cos(tilt))], angle: 1.4 + "
     "tilt,\n"
     "          points: {D: [-0.35*s, 0], C: [0.35*s, 0]}}\n"},
    {"  A: {type: revolute, connect: [ground.A, crank.A]}\n",
     "  B: {type: revolute, connect: [crank.B, rod.B]}\n  C: {type: revolute, connect: [rod.C, lever.C]}\n",
     "  D: {type: revolute, connect: [ground.D, lever.D]}\n"}};

static void write_model(char *text, size_t size, bool reversed)
{
    int n = snprintf(text, size,
                     "dalembert: 1\nname: invariance\nspace: planar\nparameters: {s: 1, tilt: 0, cx: 0, cy: 0, beta: 0}\n"
                     "gravity: [s*9.81*sin(tilt), -s*9.81*cos(tilt)]\n"
                     "ground: {points: {A: [0, 0], D: [s*1.45*cos(tilt), s*1.45*sin(tilt)]}}\nbodies:\n");
    for (int k = 0; k < 2; k++) {
        if (k)
            n += snprintf(text + n, size - (size_t)n, "joints:\n");
        for (int i = 0; i < 3; i++)
            n += snprintf(text + n, size - (size_t)n, "%s", parts[k][reversed ? 2 - i : i]);
    }
    snprintf(text + n, size - (size_t)n,
             "forces:\n  spring: {type: spring-damper, connect: [ground.D, rod.G], stiffness: 37, damping: 1.7, length: 0.8*s}\n"
             "  motor: {type: torque, joint: A, value: s^2*sin(3*t)}\n"
             "simulate: {until: 1.5, rtol: 1e-11, atol: 1e-12, every: 0.1, stabilization: {mass-projection: 1e-13*s}}\n"
             "record: [(rod.G.x*cos(tilt) + rod.G.y*sin(tilt))/s, (rod.G.y*cos(tilt) - rod.G.x*sin(tilt))/s, crank.angle - tilt,\n"
             "         (B.force.x*cos(tilt) + B.force.y*sin(tilt))/s, energy.balance/s^2]\n");
}

typedef struct rows {
    int n, columns;
    double *value;
} rows;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)columns;
    ((rows *)user)->columns = n;
    return DAL_OK;
}

static dal_status take(void *user, int n, const double *values)
{
    rows *r = user;
    r->value = realloc(r->value, sizeof *values * (size_t)((r->n + 1) * n));
    memcpy(r->value + (size_t)(r->n * n), values, sizeof *values * (size_t)n);
    r->n++;
    return DAL_OK;
}

static rows run(const char *text, int n_overrides, const dal_override *overrides, dal_evidence *evidence)
{
    rows r = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    const dal_sink sink = {&r, begin, take};
    const dal_run_options options = {.sink = &sink};
    if (dal_spec_parse(NULL, "invariance.yaml", text, strlen(text), n_overrides, overrides, messages, &spec) != DAL_OK ||
        dal_compile(NULL, spec, messages, &system) != DAL_OK || dal_run(system, &options, messages, evidence) != DAL_OK) {
        char line[600] = "";
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            if (m->severity == DAL_ERROR)
                dal_message_format(m, line, sizeof line);
        fail_msg("%s", line);
    }
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return r;
}

/* rtol 1e-11 over 1.5 s of a motion whose errors grow less than a thousandfold */
static const double tolerance = 1e-8;

static void compare(const rows *a, const rows *b)
{
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n * a->columns; i++)
        check_close(a->value[i], b->value[i], tolerance * (1 + fabs(a->value[i])));
}

static void same_as_plain(bool reversed, int n, const dal_override *overrides)
{
    char text[4000];
    dal_evidence first, second;
    write_model(text, sizeof text, false);
    rows a = run(text, 0, NULL, &first);
    write_model(text, sizeof text, reversed);
    rows b = run(text, n, overrides, &second);
    compare(&a, &b);
    assert_int_equal(first.info.rank, second.info.rank);
    free(a.value);
    free(b.value);
}

static void the_place_of_a_body_frame_does_not_matter(void **unused)
{
    (void)unused;
    const dal_override moved[] = {{"cx", "0.37"}, {"cy", "-0.21"}, {"beta", "1.234"}};
    same_as_plain(false, 3, moved);
}

static void turning_the_world_does_not_matter(void **unused)
{
    (void)unused;
    const dal_override turned[] = {{"tilt", "2.345"}};
    same_as_plain(false, 1, turned);
}

static void the_unit_of_length_does_not_matter(void **unused)
{
    (void)unused;
    const dal_override millimetres[] = {{"s", "1000"}};
    same_as_plain(false, 1, millimetres);
}

static void the_order_of_parts_does_not_matter(void **unused)
{
    (void)unused;
    same_as_plain(true, 0, NULL);
}

static void a_run_repeats_itself_bit_for_bit(void **unused)
{
    (void)unused;
    char text[4000];
    dal_evidence first, second;
    write_model(text, sizeof text, false);
    rows a = run(text, 0, NULL, &first), b = run(text, 0, NULL, &second);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.value, b.value, sizeof *a.value * (size_t)(a.n * a.columns));
    assert_int_equal(first.evaluations, second.evaluations);
    free(a.value);
    free(b.value);
}

/* A Scotch yoke whose slide meets a soft stop at x > 0.1: it starts on the stop at 20 degrees and turns 4.3 times, so it leaves the
 * stop five times and meets it four times. Projections must not make two events of one crossing. */
static void a_crossing_is_one_event_in_every_family(void **unused)
{
    static const char *const families[] = {"angle", "euler", "natural", "{natural: {eliminate: linear}}"}, *const methods[] = {"dopri5", "rk6"};
    (void)unused;
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 2; k++) {
            char text[1600];
            dal_evidence evidence;
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nparameters: {r: 0.12, k: 4000}\ngravity: [0, -9.81]\nbodies:\n"
                     "  wheel: {mass: 2, inertia: 0.02, position: [0, 0], angle: 20*deg, rate: 14, points: {P: [r, 0]}}\n"
                     "  yoke: {mass: 0.8, inertia: 0.01, position: [r*cos(20*deg), 0], angle: 0}\njoints:\n"
                     "  O: {type: revolute, connect: [ground, wheel]}\n  slot: {type: pin-in-slot, connect: [yoke, wheel.P], axis: [0, 1]}\n"
                     "  rail: {type: prismatic, connect: [ground, yoke], axis: [1, 0]}\nforces:\n"
                     "  stop: {type: force, joint: rail, value: \"if(rail.distance > 0.1, -k*(rail.distance - 0.1), 0)\"}\n"
                     "simulate: {until: 2, step: 1e-3, every: 0.5, coordinates: %s, integrator: %s}\nrecord: [wheel.angle]\n",
                     families[f], methods[k]);
            rows r = run(text, 0, NULL, &evidence);
            assert_int_equal(evidence.events, 9);
            check_close(r.value[r.n * r.columns - 1], 27.2866, 1e-4); /* 4.3 turns: the count above is for this motion */
            free(r.value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_of_a_body_frame_does_not_matter), cmocka_unit_test(turning_the_world_does_not_matter),
        cmocka_unit_test(the_unit_of_length_does_not_matter),        cmocka_unit_test(the_order_of_parts_does_not_matter),
        cmocka_unit_test(a_run_repeats_itself_bit_for_bit),          cmocka_unit_test(a_crossing_is_one_event_in_every_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
