/* The joints of models/joints, one line of equations each: their motions are those of closed forms, of built-in joints, or of the same mechanism
 * in coordinates of its own, where no equation is needed; and every family and formulation gives the same accelerations and reactions. */
#include "gallery.h"
#include "dynamics/reactions.h"

enum { MOST = 8 };

typedef struct joint_case {
    const char *model;
    const char *zero[MOST];    /* expressions that stay zero along the motion */
    const char *reference;     /* another model of the same mechanism, or NULL */
    const char *channel[MOST]; /* which are the same in both */
} joint_case;

#define PLANAR "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
#define SPATIAL "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
#define LAMBDA "(60 + 0.5/0.7)/(1/0.4 + 1/0.7 + 40)"

/* clang-format off */
static const joint_case cases[] = {
    {"pin-in-slot", {NULL},
     PLANAR "bodies:\n  plate: {mass: 2, inertia: 0.4, position: [0.3, -0.4], angle: -0.6, points: {O: [-0.5, 0]}}\n"
            "  rod: {mass: 0.7, inertia: 0.05, position: [0.35, -0.45], angle: 0.9}\n"
            "joints:\n  O: {type: revolute, connect: [ground, plate.O]}\n  A: {type: pin-in-slot, connect: [plate, rod], axis: [1, 0.3]}\n",
     {"A.distance", "A.angle", "plate.angle", "A.force.x", "A.force.y"}},
    {"circle", {"norm(bead.position - [0.3, 0.2]) - r"},
     PLANAR "ground: {points: {C: [0.3, 0.2]}}\nbodies: {bead: {mass: 0.4, position: [1.1, 0.2], velocity: [0, 0.5]}}\n"
            "joints: {wire: {type: distance, connect: [ground.C, bead], length: 0.8}}\n",
     {"bead.x", "bead.y", "wire.force.x", "wire.force.y"}},
    {"ellipse", {"(wire.x/0.7)^2 + (wire.y/0.3)^2 - 1"},
     PLANAR "coordinates: {a: {start: 0, rate: 0}, p: {start: 0, rate: 0}}\n"
            "bodies:\n  frame: {mass: 3, inertia: 0.6, position: [0.4*sin(a), -0.4*cos(a)], angle: a}\n"
            "  bead: {mass: 0.5, position: [0.4*sin(a) + 0.7*cos(p)*cos(a) - 0.3*sin(p)*sin(a), -0.4*cos(a) + 0.7*cos(p)*sin(a) + 0.3*sin(p)*cos(a)]}\n",
     {"frame.angle", "bead.x", "bead.y"}},
    {"helix", {"bead.z + 0.5*9.81*h^2/(r^2 + h^2)*t^2", "bead.x - r*cos(bead.z/h)", "bead.y - r*sin(bead.z/h)"}, NULL, {NULL}},
    {"sphere", {"norm(box.corner.position) - 1"},
     SPATIAL "bodies:\n  box: {mass: 1.5, inertia: [0.05, 0.08, 0.1], position: [0.8, 0, -0.3], points: {corner: [0.1, 0.15, -0.2]}, angular-velocity: [1, 2, -0.5], velocity: [0, 0.6, 0]}\n"
             "joints: {bowl: {type: distance, connect: [ground, box.corner], length: 1}}\n",
     {"box.x", "box.y", "box.z", "box.corner.x", "box.omega.x", "bowl.force.z"}},
    {"paraboloid", {"momentum.angular.z - 0.2*0.6*1.1"},
     SPATIAL "coordinates: {x: {start: 0.6, rate: 0}, y: {start: 0, rate: 1.1}}\nbodies: {marble: {mass: 0.2, position: [x, y, 0.8*(x^2 + y^2)]}}\n",
     {"marble.x", "marble.y", "marble.z"}},
    {"curve", {"cart.roller.y - 0.5*cos(1.3*cart.roller.x)", "track.x - cart.roller.x"},
     PLANAR "coordinates: {x: {start: 0, rate: 1.5}, a: {start: 0, rate: 0}}\n"
            "bodies: {cart: {mass: 12, inertia: 0.9, position: [x + 0.3*sin(a), 0.5*cos(1.3*x) - 0.3*cos(a)], angle: a}}\n",
     {"cart.x", "cart.y", "cart.angle"}},
    {"cam", {NULL},
     PLANAR "tables:\n  lift: {x: [0, pi/3, 2*pi/3, pi, 4*pi/3, 5*pi/3, 2*pi], y: [0, 0.01, 0.03, 0.04, 0.03, 0.01, 0], outside: periodic}\n"
            "coordinates: {th: {start: 0, rate: 12}}\n"
            "bodies:\n  shaft: {mass: 3, inertia: 0.02, position: [0, 0], angle: th}\n"
            "  follower: {mass: 1.4, inertia: 0.01, position: [0, \"0.1 + interp(lift, th)\"], angle: 0}\n",
     {"shaft.angle", "follower.y"}},
    {"pantograph",
     {"stylus.x - 0.5 - 0.4*t", "stylus.y - (0.3 + t - 0.5*9.81*(0.8 + 2.5*0.3)/(0.8 + 2.5^2*0.3)*t^2)", "pen.x - 0.2 - 2.5*(stylus.x - 0.2)",
      "pen.y + 0.1 - 2.5*(stylus.y + 0.1)"},
     NULL, {NULL}},
    {"ratio-of-distances", {"norm(bead.position - [-d*k^2/(1 - k^2), 0]) - k*d/(1 - k^2)"},
     PLANAR "ground: {points: {C: [-0.3, 0]}}\nbodies: {bead: {mass: 0.6, position: [-0.9, 0], velocity: [0, -0.3]}}\n"
            "joints: {ratio: {type: distance, connect: [ground.C, bead], length: 0.6}}\n",
     {"bead.x", "bead.y", "ratio.force.x", "ratio.force.y"}},
    {"equal-distance", {"tip.x - (-0.2 + 0.6*0.5*9.81*0.8*t^2)", "tip.y - (1.1 - 0.8*0.5*9.81*0.8*t^2)", "arms.force.x - 0.6*9.81*0.6*0.8", "arms.force.y - 0.6*9.81*0.6*0.6"}, NULL, {NULL}},
    {"oldham", {"input.angle - 0.6 - 5*t", "output.angle - input.angle", "norm(disc.position - [e/2, 0]) - e/2", "norm(disc.velocity) - e*input.omega"}, NULL, {NULL}},
    {"constant-velocity", {"input_bearing.angle - output_bearing.angle", "input_bearing.angle - (8*t - 5/9*t + 5/27*sin(3*t))"}, NULL, {NULL}},
    {"tendon",
     {"heavy.y + 0.8 + 0.5*9.81*0.4/1.8*t^2", "light.y + 1.2 - 0.5*9.81*0.4/1.8*t^2", "tendon.force.y - 2*0.7*1.1*9.81/1.8", "heavy.x - 0.5", "light.x + 0.5"}, NULL, {NULL}},
    {"variable-screw", {"nut.z + 0.05*(thread.angle + 0.04*thread.angle^2)"},
     SPATIAL "coordinates: {th: {start: 0, rate: 1}}\n"
             "bodies: {nut: {mass: 2, inertia: [0.02, 0.02, 0.03], position: [0, 0, -0.05*(th + 0.04*th^2)], orientation: {axis: [0, 0, 1], angle: th}}}\n",
     {"nut.z", "nut.omega.z"}},
    {"variable-gear", {"second.angle + first.angle + 0.4*sin(first.angle)"},
     PLANAR "coordinates: {th: {start: 0, rate: 6}}\nbodies:\n  first: {mass: 1, inertia: 0.02, position: [0, 0], angle: th}\n"
            "  second: {mass: 1, inertia: 0.05, position: [0.3, 0], angle: -th - 0.4*sin(th)}\n",
     {"first.angle", "second.angle"}},
    {"bisector", {"arm.angle - 2*mirror.angle"},
     PLANAR "coordinates: {th: {start: 0, rate: 0}}\nbodies:\n  mirror: {mass: 1, inertia: 0.05, position: [0, 0], angle: th}\n"
            "  arm: {mass: 2, inertia: 0.1, center: [0.4, 0], position: [0, 0], angle: 2*th}\n",
     {"mirror.angle", "arm.angle"}},
    {"differential",
     {"left.omega - " LAMBDA "/0.4*t", "right.omega - (" LAMBDA " - 0.5)/0.7*t", "cage.omega - (3 - 2*" LAMBDA ")/0.1*t", "gears.torque - " LAMBDA}, NULL, {NULL}},
    {"steered-skate", {"frame.angle - v*tan(delta)/L*t", "frame.x - L/tan(delta)*sin(frame.angle)", "frame.y - L/tan(delta)*(1 - cos(frame.angle))"}, NULL, {NULL}},
    {"rolling-wheel",
     {"road.distance - 0.5*9.81*sin(slope)/(1 + 0.2/(5*r^2))*t^2", "wheel.angle + road.distance/r",
      "dot(road.force, [cos(slope), -sin(slope)]) + 5*9.81*sin(slope)*(1 - 1/(1 + 0.2/(5*r^2)))", "dot(road.force, [sin(slope), cos(slope)]) - 5*9.81*cos(slope)"},
     NULL, {NULL}},
    {"ellipsograph", {"(rod.pen.x/0.4)^2 + (rod.pen.y/1.4)^2 - 1", "rod.A.y", "rod.B.x"},
     PLANAR "coordinates: {p: {start: 0.9, rate: 0}}\nbodies: {rod: {mass: 1.3, inertia: 0.12, position: [0.5*cos(p), 0.5*sin(p)], angle: pi - p}}\n",
     {"rod.x", "rod.y", "rod.angle"}},
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof *cases };

/* ---- runs --------------------------------------------------------------------- */

enum { COLUMNS = MOST + 1, ROWS = 12 };

typedef struct rows {
    int n, count;
    double value[ROWS][COLUMNS];
} rows;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)columns;
    ((rows *)user)->n = n;
    assert_true(n <= COLUMNS);
    return DAL_OK;
}

static dal_status keep(void *user, int n, const double *values)
{
    rows *r = user;
    assert_true(r->count < ROWS);
    memcpy(r->value[r->count++], values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static const char *path_of(const char *model)
{
    static char path[400];
    snprintf(path, sizeof path, DAL_MODELS "/joints/%s.yaml", model);
    return path;
}

/* A file, or a text; the channels are recorded at ten times. */
static rows run(const char *model, const char *text, const char *const *channels, const char *until, const char *coordinates)
{
    rows result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_record_spec record[MOST] = {0};
    dal_evidence evidence;
    char every[40];
    snprintf(every, sizeof every, "(%s)/10", until);
    dal_status status = text ? dal_spec_parse(NULL, "reference", text, strlen(text), 0, NULL, messages, &spec)
                             : dal_spec_read(NULL, path_of(model), 0, NULL, messages, &spec);
    if (status == DAL_OK) {
        const char *const settings[][2] = {{"until", until}, {"every", every}, {"rtol", "1e-11"}, {"atol", "1e-12"}, {"coordinates", coordinates}};
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            assert_true(!settings[i][1] || dal_spec_set(spec, settings[i][0], settings[i][1], messages));
        spec->record_given = true;
        spec->record = record;
        for (spec->n_record = 0; spec->n_record < MOST && channels[spec->n_record]; spec->n_record++)
            record[spec->n_record].value.text = channels[spec->n_record];
        status = dal_compile(NULL, spec, messages, &system);
    }
    dal_sink sink = {&result, begin, keep};
    if (status == DAL_OK)
        status = dal_run(system, &(dal_run_options){.sink = &sink}, messages, &evidence);
    for (const dal_message *m = dal_messages_first(messages); m && status != DAL_OK; m = m->next)
        if (m->severity == DAL_ERROR)
            fail_msg("%s: %s", model, m->text);
    assert_int_equal(result.count, 11);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return result;
}

/* Errors of the integrator grow with the time, as roughly 1e-11 a step and a factor of the motion's own. */
static const double close_enough = 1e-8;

static void the_motions_are_those_of_closed_forms_and_of_equivalent_mechanisms(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const joint_case *c = &cases[i];
        for (int family = 0; family < 2 && c->zero[0]; family++) {
            const rows r = run(c->model, NULL, c->zero, "0.6", family ? "natural" : NULL);
            for (int k = 0; k < r.count; k++)
                for (int j = 1; j < r.n; j++)
                    if (!(fabs(r.value[k][j]) <= close_enough))
                        fail_msg("%s: %s = %.3g at t = %.3g", c->model, c->zero[j - 1], r.value[k][j], r.value[k][0]);
        }
        if (!c->reference)
            continue;
        const rows ours = run(c->model, NULL, c->channel, "0.6", NULL), theirs = run(c->model, c->reference, c->channel, "0.6", NULL);
        for (int k = 0; k < ours.count; k++)
            for (int j = 1; j < ours.n; j++)
                if (!(fabs(ours.value[k][j] - theirs.value[k][j]) <= close_enough * fmax(1, fabs(theirs.value[k][j]))))
                    fail_msg("%s: %s = %.12g instead of %.12g at t = %.3g", c->model, c->channel[j - 1], ours.value[k][j], theirs.value[k][j],
                             ours.value[k][0]);
    }
}

static void every_model_of_the_folder_is_here(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(DAL_MODELS "/joints/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bool known = false;
        for (int k = 0; k < CASES; k++)
            known |= !strcmp(found.gl_pathv[i], path_of(cases[k].model));
        if (!known)
            fail_msg("%s is not tested", found.gl_pathv[i]);
    }
    assert_int_equal(found.gl_pathc, CASES);
    globfree(&found);
}

/* ---- families and formulations --------------------------------------------------- */

static void same_motion(const char *model, dal_state *a, dal_state *b)
{
    const int bodies = a->system->mechanism.n_bodies, joints = 6 * a->system->mechanism.n_joints;
    double size = 1, force = 1;
    dal_need(a, DAL_STAGE_BODIES);
    dal_need(b, DAL_STAGE_BODIES);
    dal_need(a, DAL_STAGE_REACTIONS);
    dal_need(b, DAL_STAGE_REACTIONS);
    for (int i = 0; i < bodies; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fmax(fabs(a->reactions->body[i].rdd[k]), fabs(a->reactions->body[i].alpha[k])));
    for (int i = 0; i < joints; i++)
        force = fmax(force, fabs(a->reactions->wrench[i]));
    for (int i = 0; i < bodies; i++)
        for (int k = 0; k < 3; k++) {
            const double shift = a->reactions->body[i].rdd[k] - b->reactions->body[i].rdd[k],
                         turn = a->reactions->body[i].alpha[k] - b->reactions->body[i].alpha[k];
            if (!(fabs(shift) <= 1e-9 * size && fabs(turn) <= 1e-9 * size))
                fail_msg("%s, %s, %s: body %d, %.3g and %.3g of %.3g", model, b->system->layout.family->name, b->system->method.formulation->name, i,
                         shift, turn, size);
        }
    for (int i = 0; i < joints; i++)
        if (!(fabs(a->reactions->wrench[i] - b->reactions->wrench[i]) <= 1e-9 * force))
            fail_msg("%s, %s, %s: reaction %d, %.9g and %.9g", model, b->system->layout.family->name, b->system->method.formulation->name, i,
                     a->reactions->wrench[i], b->reactions->wrench[i]);
}

/* False: refused, as formulations that need ignorable coordinates or a joint tree are. */
static bool compare(const char *model, dal_state *first, const char *family, const char *formulation)
{
    char why[512];
    dal_system *system = gallery_compile(path_of(model), family, formulation, why);
    if (!system)
        return false;
    dal_state *state = dal_state_create(NULL, system);
    gallery_copy_motion(first, state);
    assert_int_equal(dal_state_unpack(state, first->work.t, state->y), 0);
    assert_int_equal(dal_state_accelerate(state), 0);
    same_motion(model, first, state);
    dal_state_free(state);
    dal_system_free(system);
    return true;
}

static void every_family_and_formulation_gives_the_same_accelerations_and_reactions(void **unused)
{
    (void)unused;
    int families = 0, formulations = 0;
    for (int i = 0; i < CASES; i++) {
        char why[512];
        uint64_t seed = 3;
        dal_system *system = gallery_compile(path_of(cases[i].model), "angle", "lagrange", why);
        if (!system)
            fail_msg("%s", why);
        dal_state *state = dal_state_create(NULL, system);
        assert_true(gallery_random_state(state, &seed, 0.1, 0.05, 1));
        assert_int_equal(dal_state_accelerate(state), 0);
        for (int k = 0; gallery_families[k]; k++)
            families += compare(cases[i].model, state, gallery_families[k]->name, "lagrange");
        for (int k = 0; dal_formulations[k]; k++)
            formulations += compare(cases[i].model, state, "angle", dal_formulations[k]->name);
        compare(cases[i].model, state, "joint", "recursive");
        dal_state_free(state);
        dal_system_free(system);
    }
    assert_true(families == 5 * CASES); /* all but user */
    assert_true(formulations >= 7 * CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motions_are_those_of_closed_forms_and_of_equivalent_mechanisms),
        cmocka_unit_test(every_model_of_the_folder_is_here),
        cmocka_unit_test(every_family_and_formulation_gives_the_same_accelerations_and_reactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
