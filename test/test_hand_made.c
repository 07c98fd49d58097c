/* Specs that were made or changed by hand: dal_spec is a public struct, and whatever its fields hold, whoever takes it answers. */
#include "misuse.h"
#include "ration.h"

#include <stddef.h>

static const char planar[] = "dalembert: 1\n"
                             "space: planar\n"
                             "name: all\n"
                             "gravity: [0, -9.81]\n"
                             "parameters: {L: 1}\n"
                             "define: {twice: \"2*t + interp(curve, 0.5)\"}\n"
                             "inputs: {push: 0}\n"
                             "tables: {curve: {x: [0, 1, 2, 3], y: [0, 1, 0, 1]}}\n"
                             "ground: {points: {G: [0, 0], H: [1, 0]}, shape: {type: box, size: [0.1, 0.1]}}\n"
                             "joint-types: {on: {equations: [r*(N - M)], parameters: {r: 1}, coordinates: {turn: angle}}}\n"
                             "bodies:\n"
                             "  rod: {mass: 1.5, center: [0, 0], inertia: 0.18, position: [0.6, 0], velocity: [0, 0], points: {O: [-0.6, 0], E: {at: "
                             "[0.6, 0], x: [1, 0]}, P: [0, 0]},\n"
                             "        shape: {type: polyline, points: [[0, 0], [1, 0]]}}\n"
                             "  arm: {mass: 0.5, inertia: 0.02, position: [1.4, 0], points: {O: [-0.2, 0], E: [0.2, 0]}}\n"
                             "  leg: {mass: 0.5, inertia: 0.02, position: [1.8, 0], points: {O: [-0.2, 0]}}\n"
                             "joints:\n"
                             "  pivot: {type: revolute, connect: [ground.G, rod.O], compliance: [1e-6, 1e-6], friction: {limit: 0.01}}\n"
                             "  elbow: {type: on, connect: [rod.E, arm.O], parameters: {r: 2}}\n"
                             "  knee: {type: revolute, connect: [arm.E, leg.O]}\n"
                             "  pair: {type: gear, joints: [pivot, knee], ratio: -2}\n"
                             "forces:\n"
                             "  f: {type: torque, joint: pivot, value: push}\n"
                             "  k: {type: spring-damper, connect: [ground, arm], stiffness: 10, damping: 1, length: 1}\n"
                             "  w: {type: force, body: arm, value: [0, twice]}\n"
                             "states: {z: {start: 0, rate: -z}}\n"
                             "constraints: {}\n"
                             "record: [rod.x, z]\n"
                             "simulate: {until: 0.01, every: 0.005, stabilization: {baumgarte: {alpha: 10, beta: 10}}}\n";

static const char spatial[] = "dalembert: 1\n"
                              "space: spatial\n"
                              "gravity: [0, 0, -9.81]\n"
                              "bodies:\n"
                              "  rod: {mass: 1.5, center: [0, 0, 0], inertia: [0.1, 0.18, 0.18], position: [0.6, 0, 0], orientation: {euler-zyx: [0, "
                              "0, 0]}, angular-velocity: [0, 0, 1],\n"
                              "        points: {O: {at: [-0.6, 0, 0], x: [1, 0, 0], z: [0, 0, 1]}, E: [0.6, 0, 0]}}\n"
                              "  arm: {mass: 0.5, inertia: [0.02, 0.02, 0.02], position: [1.4, 0, 0], orientation: {quaternion: {w: 1, x: 0, y: 0, "
                              "z: 0}}, points: {O: [-0.2, 0, 0]}}\n"
                              "joints:\n"
                              "  pivot: {type: revolute, connect: [ground, rod.O], axis: [0, 0, 1]}\n"
                              "  elbow: {type: universal, connect: [rod.E, arm.O], axis: [[0, 0, 1], [0, 1, 0]]}\n"
                              "forces:\n"
                              "  b: {type: bushing, connect: [ground, arm], stiffness: [1, 1, 1, 1, 1, 1], damping: [1, 1, 1, 1, 1, 1]}\n"
                              "  c: {type: central-gravity, body: arm, center: [5, 0, 0], mu: 1}\n"
                              "simulate: {until: 0.01, every: 0.005}\n";

static dal_spec *spec;

static void parse(const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        misuse_failed("the model as it is", dal_messages_first(messages)->text);
    dal_messages_free(messages);
}

/* Whoever takes a spec. What compiles also runs. True: dal_compile refused it, with a message. */
static bool is_refused(char *where)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = NULL;
    dal_verdict *verdict = NULL;
    dal_ports *ports = NULL;
    dal_evidence evidence;
    char *text = NULL;
    const dal_status status = dal_compile(NULL, spec, messages, &system);
    if (status != DAL_OK && (system || !dal_messages_count(messages, DAL_ERROR)))
        misuse_failed(where, "was refused without a message");
    if (status == DAL_OK)
        dal_run(system, NULL, NULL, &evidence);
    if (status != DAL_OK && dal_check(spec, NULL, NULL, &verdict) == DAL_OK)
        misuse_failed(where, "was refused by dal_compile, and not by dal_check");
    dal_ports_create(NULL, spec, NULL, &ports);
    if (dal_to_urdf(NULL, spec, NULL, &text) == DAL_OK)
        free(text);
    spec->plain_names = true;
    if (dal_to_yaml(NULL, spec, NULL, &text) == DAL_OK)
        free(text);
    dal_verdict_free(verdict);
    dal_ports_free(ports);
    dal_system_free(system);
    dal_messages_free(messages);
    return status != DAL_OK;
}

/* ---- lists --------------------------------------------------------------------------------------------------- */

/* A list of the spec, by its place in the element: how many entries it may have. */
typedef struct list_place {
    const char *model, *name;
    dal_list *(*find)(void);
    int allowed[3]; /* 0: no more */
} list_place;

#define FIELD(number, expression)                                                                                                                    \
    static dal_list *list_##number(void)                                                                                                             \
    {                                                                                                                                                \
        return &(spec->expression);                                                                                                                  \
    }
FIELD(0, gravity)
FIELD(1, ground.item[0].at)
FIELD(2, ground_shape.item[0].size)
FIELD(3, ground_shape.item[0].at)
FIELD(4, ground_shape.item[0].axis)
FIELD(5, bodies[0].center)
FIELD(6, bodies[0].inertia)
FIELD(7, bodies[0].position)
FIELD(8, bodies[0].velocity)
FIELD(9, bodies[0].angular_velocity)
FIELD(10, bodies[1].between)
FIELD(11, bodies[0].points.item[0].at)
FIELD(12, bodies[0].points.item[1].axes.first)
FIELD(13, bodies[0].shape.item[0].points[0])
FIELD(14, joints[0].connect)
FIELD(15, joints[0].axis)
FIELD(16, joints[1].axis_second)
FIELD(17, joints[0].normal)
FIELD(18, joints[3].joints)
FIELD(19, joints[0].compliance)
FIELD(20, joint_types[0].equations)
FIELD(21, forces[1].connect)
FIELD(22, forces[0].value)
FIELD(23, forces[2].value)
FIELD(24, forces[1].stiffness)
FIELD(25, forces[1].damping)
FIELD(26, forces[0].center)
FIELD(27, forces[0].direction)
FIELD(28, forces[0].limit)
FIELD(29, bodies[0].orientation.first)
FIELD(30, bodies[1].orientation.first)
FIELD(31, bodies[0].points.item[0].axes.second)
FIELD(32, forces[0].stiffness)
FIELD(33, forces[1].center)
FIELD(34, joint_types[0].required)
FIELD(35, joint_types[0].velocity)
FIELD(36, bodies[0].orientation.second)
FIELD(37, joints[1].connect)

/* What a list of that many texts "1" cannot be is refused; -1: no number of them can be there. */
static const list_place lists[] = {{planar, "gravity", list_0, {2}},
                                   {planar, "point of the ground", list_1, {2}},
                                   {planar, "size of a shape", list_2, {2, 3}},
                                   {planar, "place of a shape", list_3, {2, 3}},
                                   {planar, "axis of a shape", list_4, {-1}},
                                   {planar, "center", list_5, {2}},
                                   {planar, "inertia", list_6, {1}},
                                   {planar, "position", list_7, {2}},
                                   {planar, "velocity", list_8, {2}},
                                   {planar, "angular velocity", list_9, {-1}},
                                   {planar, "between", list_10, {-1}},
                                   {planar, "point", list_11, {2}},
                                   {planar, "axes of a point", list_12, {2}},
                                   {planar, "point of a polyline", list_13, {2, 3}},
                                   {planar, "connect", list_14, {-1}},
                                   {planar, "axis", list_15, {-1}},
                                   {planar, "second axis", list_16, {-1}},
                                   {planar, "normal", list_17, {-1}},
                                   {planar, "joints of a gear", list_18, {-1}},
                                   {planar, "compliance", list_19, {2}},
                                   {planar, "equations", list_20, {-1}},
                                   {planar, "connect of a force", list_21, {-1}},
                                   {planar, "value of a torque", list_22, {1}},
                                   {planar, "value of a force", list_23, {2}},
                                   {planar, "stiffness", list_24, {1}},
                                   {planar, "damping", list_25, {1}},
                                   {planar, "center of a torque", list_26, {-1}},
                                   {planar, "direction of a torque", list_27, {-1}},
                                   {planar, "limit of a torque", list_28, {-1}},
                                   {spatial, "gravity", list_0, {3}},
                                   {spatial, "center", list_5, {3}},
                                   {spatial, "inertia", list_6, {3, 6}},
                                   {spatial, "position", list_7, {3}},
                                   {spatial, "velocity", list_8, {3}},
                                   {spatial, "angular velocity", list_9, {3}},
                                   {spatial, "between", list_10, {-1}},
                                   {spatial, "point", list_11, {3}},
                                   {spatial, "connect", list_14, {-1}},
                                   {spatial, "axis", list_15, {3}},
                                   {spatial, "normal", list_17, {-1}},
                                   {spatial, "compliance", list_19, {2}},
                                   {spatial, "connect of a bushing", list_21, {-1}},
                                   {spatial, "Euler angles", list_29, {3}},
                                   {spatial, "quaternion", list_30, {4}},
                                   {spatial, "second axis of a point", list_31, {3}},
                                   {spatial, "stiffness of a bushing", list_32, {1, 6}},
                                   {spatial, "center of attraction", list_33, {3}},
                                   {planar, "required parameters", list_34, {-1}},
                                   {planar, "velocity equations", list_35, {-1}},
                                   {spatial, "second list of Euler angles", list_36, {-1}},
                                   {spatial, "connect of a universal joint", list_37, {-1}}};
enum { N_LISTS = sizeof lists / sizeof *lists };

static bool is_allowed(const list_place *place, int n)
{
    for (int i = 0; i < 3 && place->allowed[i]; i++)
        if (place->allowed[i] == n)
            return true;
    return false;
}

/* Entries: texts, texts that are NULL, or none at all. */
static void change_list(const list_place *place, int n, int entries, char *where)
{
    static dal_text ones[8];
    for (int i = 0; i < 8; i++)
        ones[i] = (dal_text){.text = entries == 1 ? NULL : "1"};
    parse(place->model);
    dal_list *list = place->find();
    snprintf(where, 300, "'%s' of a %s model with %d entries%s", place->name, spec->space == DAL_PLANAR ? "planar" : "spatial", n,
             entries == 2 ? " that are not there"
             : entries    ? " without text"
                          : "");
    list->n = n;
    list->item = entries == 2 ? NULL : ones;
    const bool refused = is_refused(where), bad = n < 0 || n > 8 || (n > 0 && (entries || !is_allowed(place, n)));
    if (bad && !refused)
        misuse_failed(where, "was accepted");
    dal_spec_free(spec);
}

static void change_lists(void *user, char *where)
{
    static const int lengths[] = {0, 1, 2, 3, 4, 5, 6, 7, -1, INT_MAX, INT_MIN, 1 << 30};
    const list_place *place = user;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int entries = 0; entries < (i == 1 || i == 2 ? 3 : 1); entries++)
            change_list(place, lengths[i], entries, where);
}

static void in_children(int n, const void *rows, size_t size, void (*work)(void *, char *))
{
    char report[500];
    int failed = 0;
    for (int i = 0; i < n; i++) {
        const char *trouble = in_a_child(work, (char *)(size_t)rows + size * (size_t)i, report, sizeof report);
        if (trouble)
            print_error("%s\n", trouble);
        failed += trouble != NULL;
    }
    assert_int_equal(failed, 0);
}

static void lists_of_any_length_are_looked_at(void **unused)
{
    (void)unused;
    in_children(N_LISTS, lists, sizeof *lists, change_lists);
}

/* ---- counts of elements ----------------------------------------------------------------------------------------- */

static const struct count_place {
    const char *name;
    size_t count, first; /* of dal_spec */
} counts[] = {
#define PLACE(name)                                                                                                                                  \
    {                                                                                                                                                \
#name, offsetof(dal_spec, n_##name), offsetof(dal_spec, name)                                                                                \
    }
    PLACE(parameters),
    PLACE(define),
    PLACE(inputs),
    PLACE(bodies),
    PLACE(joints),
    PLACE(forces),
    PLACE(tables),
    PLACE(states),
    PLACE(record),
    PLACE(coordinates),
    PLACE(constraints),
    PLACE(speeds),
    PLACE(models),
    PLACE(joint_types),
    {"points of the ground", offsetof(dal_spec, ground.n), offsetof(dal_spec, ground.item)},
    {"shapes of the ground", offsetof(dal_spec, ground_shape.n), offsetof(dal_spec, ground_shape.item)},
    {"options of the stabilization", offsetof(dal_spec, simulate.stabilization.n), offsetof(dal_spec, simulate.stabilization.option)},
    {"options of the integrator", offsetof(dal_spec, simulate.integrator.n), offsetof(dal_spec, simulate.integrator.option)}};
enum { N_COUNTS = sizeof counts / sizeof *counts };
#undef PLACE

static void change_counts(void *user, char *where)
{
    static const int odd[] = {-1, INT_MIN, INT_MAX, 1 << 30, 3};
    const struct count_place *place = user;
    for (int i = 0; i < 5; i++) {
        parse(planar);
        snprintf(where, 300, "%d of '%s'", odd[i], place->name);
        memcpy((char *)spec + place->count, &odd[i], sizeof odd[i]);
        if (odd[i] == 3)
            memset((char *)spec + place->first, 0, sizeof(void *));
        if (!is_refused(where))
            misuse_failed(where, "was accepted");
        dal_spec_free(spec);
    }
}

static void counts_of_elements_are_looked_at(void **unused)
{
    (void)unused;
    in_children(N_COUNTS, counts, sizeof *counts, change_counts);
}

/* ---- texts, kinds and the rest --------------------------------------------------------------------------------------- */

/* Changes that are refused. */
static dal_pair two_pairs[2];
static dal_binding endless = {"i", 1, &endless, NULL};
static dal_model_spec *no_models[1];

#define CHANGE(number, text, ...)                                                                                                                    \
    static void change_##number(void)                                                                                                                \
    {                                                                                                                                                \
        parse(text);                                                                                                                                 \
        __VA_ARGS__;                                                                                                                                 \
    }
CHANGE(0, planar, spec->space = (dal_space)7)
CHANGE(1, planar, spec->space = (dal_space)-2)
CHANGE(2, planar, spec->bodies[0].name.text = NULL)
CHANGE(3, planar, spec->bodies[0].name.text = "")
CHANGE(4, planar, spec->bodies[1].name.text = "rod")
CHANGE(5, planar, spec->joints[0].name.text = "a b")
CHANGE(6, planar, spec->bodies[2].name.text = "t")
CHANGE(7, planar, spec->joints[0].name.text = "rod")
CHANGE(8, planar, spec->joints[0].name.text = NULL)
CHANGE(9, planar, spec->joints[0].type.text = NULL)
CHANGE(10, planar, spec->joints[0].type.text = "hinge of a door")
CHANGE(11, planar, spec->forces[0].name.text = NULL)
CHANGE(12, planar, spec->forces[0].type.text = NULL)
CHANGE(13, planar, spec->parameters[0].name.text = NULL)
CHANGE(14, planar, spec->parameters[0].number = NAN)
CHANGE(15, planar, spec->define[0].value.text = NULL)
CHANGE(16, planar, spec->define[0].name.text = NULL)
CHANGE(17, planar, spec->inputs[0].value.text = NULL)
CHANGE(18, planar, spec->inputs[0].name.text = NULL)
CHANGE(19, planar, spec->tables[0].name.text = NULL)
CHANGE(20, planar, spec->tables[0].x_value = NULL)
CHANGE(21, planar, spec->tables[0].n = -3)
CHANGE(22, planar, spec->tables[0].y_value[1] = INFINITY)
CHANGE(23, planar, spec->tables[0].n = 1)
CHANGE(24, planar, spec->states[0].name.text = NULL)
CHANGE(25, planar, spec->states[0].rate.text = NULL)
CHANGE(26, planar, spec->record[0].value.text = NULL)
CHANGE(27, planar, spec->ground.item[0].name.text = NULL)
CHANGE(28, planar, spec->bodies[0].points.item[0].name.text = NULL)
CHANGE(29, planar, spec->bodies[0].points.item[1].axes.kind = (dal_attitude)99)
CHANGE(30, planar, spec->bodies[0].points.item[1].axes.kind = DAL_ATTITUDE_QUATERNION)
CHANGE(31, planar, spec->bodies[0].points.item[1].axes.letters[0] = '?')
CHANGE(32, planar, spec->bodies[0].points.n = 3; spec->bodies[0].points.item = NULL)
CHANGE(33, planar, spec->bodies[0].mass.text = NULL)
CHANGE(34, planar, spec->bodies[0].mass.text = "1 +")
CHANGE(35, planar, spec->bodies[0].mass.text = "-1")
CHANGE(36, planar, spec->bodies[0].shape.item[0].n_points = -1)
CHANGE(37, planar, spec->bodies[0].shape.item[0].points = NULL)
CHANGE(38, planar, spec->bodies[0].shape.item[0].points_mark.line = 0)
CHANGE(39, planar, spec->bodies[0].shape.item[0].type.text = NULL)
CHANGE(40, planar, spec->joints[0].friction.mark.line = 0)
CHANGE(41, planar, spec->joints[0].start.angle.text = "1")
CHANGE(42, planar, spec->joints[1].parameters.item[0].name.text = NULL)
CHANGE(43, planar, spec->joints[1].parameters.n = -1)
CHANGE(44, planar, spec->joints[0].law = (dal_law_spec){2, two_pairs})
CHANGE(45, planar, spec->joint_types[0].name.text = NULL)
CHANGE(46, planar, spec->joint_types[0].coordinates.item[0].value.text = NULL)
CHANGE(47, planar, spec->simulate.stabilization.name.text = NULL)
CHANGE(48, planar, spec->simulate.stabilization.option[0].name.text = NULL)
CHANGE(49, planar, spec->simulate.stabilization.option[0].value.text = NULL)
CHANGE(50, planar, spec->simulate.coordinates.name.text = "polar")
CHANGE(51, planar, memset(spec->hash, 'x', sizeof spec->hash))
CHANGE(52, planar, spec->bodies[0].binding = &endless)
CHANGE(53, planar, spec->n_models = 1; spec->models = no_models)
CHANGE(54, planar, spec->bodies[0].orientation.kind = DAL_ATTITUDE_QUATERNION)
CHANGE(55, spatial, spec->bodies[0].orientation.kind = (dal_attitude)99)
CHANGE(56, spatial, spec->bodies[0].orientation.kind = DAL_ATTITUDE_AXES)
CHANGE(57, spatial, spec->bodies[0].orientation.kind = DAL_ATTITUDE_AXIS)
CHANGE(58, spatial, spec->bodies[0].orientation.letters[0] = 'q')
CHANGE(59, spatial, memcpy(spec->bodies[0].orientation.letters, "zzyx", 4))
CHANGE(60, spatial, spec->bodies[0].angle.text = "1")
CHANGE(61, spatial, spec->space = DAL_PLANAR)
CHANGE(62, planar, spec->space = DAL_SPATIAL)
CHANGE(63, spatial, spec->joints[1].axis.n = 0)
CHANGE(64, planar, spec->forces[0].joint.text = "nobody")
CHANGE(65, planar, spec->forces[0].joint.text = NULL)
CHANGE(66, planar, spec->joints[0].connect.item[0].text = NULL)
CHANGE(67, planar, spec->joints[0].connect.item[0].text = "")
CHANGE(68, planar, spec->simulate.until.text = "nan(1)")
CHANGE(69, planar, spec->simulate.every.text = "")
CHANGE(70, planar, spec->tables[0].x_value[0] = 5)
CHANGE(71, planar, spec->bodies[0].points.item[2].name.text = "O")
CHANGE(72, planar, spec->ground.item[1].name.text = "G")

#define TEN(n)                                                                                                                                       \
    {change_##n##0, #n "0"}, {change_##n##1, #n "1"}, {change_##n##2, #n "2"}, {change_##n##3, #n "3"}, {change_##n##4, #n "4"},                     \
        {change_##n##5, #n "5"}, {change_##n##6, #n "6"}, {change_##n##7, #n "7"}, {change_##n##8, #n "8"},                                          \
    {                                                                                                                                                \
        change_##n##9, #n "9"                                                                                                                        \
    }
static const struct change {
    void (*make)(void);
    const char *number;
} changes[] = {TEN(), TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), {change_70, "70"}, {change_71, "71"}, {change_72, "72"}};
enum { N_CHANGES = sizeof changes / sizeof *changes };

static void make_change(void *user, char *where)
{
    const struct change *c = user;
    snprintf(where, 300, "change %s", c->number);
    c->make();
    if (!is_refused(where))
        misuse_failed(where, "was accepted");
    dal_spec_free(spec);
}

static void texts_kinds_and_names_are_looked_at(void **unused)
{
    (void)unused;
    in_children(N_CHANGES, changes, sizeof *changes, make_change);
}

/* Otherwise a refusal would say nothing. */
static void as_they_are_they_compile(void **unused)
{
    (void)unused;
    const char *const models[] = {planar, spatial};
    for (int i = 0; i < 2; i++) {
        char where[400] = "the model as it is";
        parse(models[i]);
        assert_false(is_refused(where));
        dal_spec_free(spec);
    }
}

/* The message says which part it is. */
static void the_part_is_named(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    parse(planar);
    spec->joints[0].connect.n = 1;
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_BAD_MODEL);
    assert_string_equal(dal_messages_first(messages)->text,
                        "joint 'pivot': 'connect' needs two names; up to four where the type is the model's own; 1 given");
    assert_int_equal(dal_messages_first(messages)->mark.line, 17);
    dal_messages_clear(messages);
    spec->joints[0].connect.n = 2;
    spec->bodies[1].position.n = 1;
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_BAD_MODEL);
    assert_string_equal(dal_messages_first(messages)->text, "body 'arm': 'position' needs a vector of 2 numbers in a planar model; 1 given");
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* A spec that nobody read: on the stack, without memory of its own. */
static void a_spec_can_be_made_by_hand(void **unused)
{
    (void)unused;
    dal_text at[2] = {{.text = "1"}, {.text = "0"}}, down[2] = {{.text = "0"}, {.text = "-9.81"}};
    dal_body_spec body = {.name = {.text = "stone"}, .mass = {.text = "2"}, .position = {.n = 2, .item = at}};
    dal_spec made = {.space = DAL_PLANAR, .n_bodies = 1, .bodies = &body, .gravity = {.n = 2, .item = down}};
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    assert_int_equal(dal_compile(NULL, &made, messages, &system), DAL_OK);
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(dal_state_evaluate(state, messages), DAL_OK);
    check_close(dal_state_body(state, 0).acceleration[1], -9.81, 1e-14);
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(&made);
    made.gravity.n = 1;
    assert_int_equal(dal_compile(NULL, &made, messages, &system), DAL_BAD_MODEL);
    dal_messages_free(messages);
}

/* A setting without memory for its text would be one that was not given. */
static void a_setting_without_memory_is_refused(void **unused)
{
    (void)unused;
    static const char *const settings[][2] = {{"step", "0.0001234567890123456789"},
                                              {"stabilization", "baumgarte:alpha=1,beta=2"},
                                              {"integrator", "dopri5"},
                                              {"stabilization", "direct-correction=1e-12"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ration r = {.left = 1000000};
        const dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_messages *messages = dal_messages_create(NULL);
        assert_int_equal(dal_spec_parse(&allocator, "m", planar, strlen(planar), 0, NULL, NULL, &spec), DAL_OK);
        r.left = 0;
        long n = 0;
        while (n < 1000000 && dal_spec_set(spec, settings[i][0], settings[i][1], messages))
            n++;
        assert_true(n < 1000000);
        assert_int_equal(dal_messages_count(messages, DAL_ERROR), 1);
        const char *kept = i ? spec->simulate.stabilization.name.text : spec->simulate.step.text;
        assert_true(n == 0 || kept); /* what was there before */
        dal_spec_free(spec);
        assert_int_equal(r.taken, 0);
        dal_messages_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_they_are_they_compile),
        cmocka_unit_test(lists_of_any_length_are_looked_at),
        cmocka_unit_test(counts_of_elements_are_looked_at),
        cmocka_unit_test(texts_kinds_and_names_are_looked_at),
        cmocka_unit_test(the_part_is_named),
        cmocka_unit_test(a_spec_can_be_made_by_hand),
        cmocka_unit_test(a_setting_without_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
