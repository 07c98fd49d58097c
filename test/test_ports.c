/* A model as components: every end of every joint is a port, what one end gives the other takes, the wrenches of doc/components are
 * those of the program, and the picture is an XML document in which no two boxes overlap. */
#include "gallery.h"
#include "json.h"
#include "ration.h"

#include "force/force.h"
#include "joint/joint.h"
#include "math/vec.h"

#include <complex.h>
#include <unistd.h>

/* ---- reading models -------------------------------------------------------------- */

static dal_spec *read_model(const char *file)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    dal_messages_free(messages);
    return spec;
}

static dal_spec *parse_model(const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec);
    const dal_message *first = dal_messages_first(messages);
    if (!spec)
        fail_msg("%s", first ? first->text : "no message");
    dal_messages_free(messages);
    return spec;
}

static dal_ports *ports_of(const dal_spec *spec)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_ports *ports = NULL;
    dal_status status = dal_ports_create(NULL, spec, messages, &ports);
    const dal_message *first = dal_messages_first(messages);
    if (status != DAL_OK)
        fail_msg("%s: %s", spec->file, first ? first->text : dal_status_text(status));
    dal_messages_free(messages);
    return ports;
}

static void draw_picture(const dal_ports *ports, char **text)
{
    assert_int_equal(dal_ports_svg(NULL, ports, NULL, text), DAL_OK);
}

/* Calls `look` for every model of the gallery that is a network. */
static int each_network(void (*look)(const char *file, const dal_spec *spec, const dal_ports *ports))
{
    gallery g = gallery_open();
    int networks = 0;
    for (size_t i = 0; i < g.n; i++) {
        dal_spec *spec = read_model(g.found.gl_pathv[i]);
        if (!spec->n_coordinates) {
            dal_ports *ports = ports_of(spec);
            look(g.found.gl_pathv[i], spec, ports);
            networks++;
            dal_ports_free(ports);
        }
        dal_spec_free(spec);
    }
    gallery_close(&g);
    return networks;
}

/* ---- ports and flows ----------------------------------------------------------------- */

static bool same_flow(const dal_port_flow *a, const dal_port_flow *b)
{
    bool same = a->quantity == b->quantity && a->n == b->n && a->n > 0;
    for (int i = 0; same && i < a->n; i++)
        same = !strcmp(a->variables[i], b->variables[i]);
    return same;
}

static void look_at_wires(const char *file, const dal_spec *spec, const dal_ports *n)
{
    static const dal_port_quantity answer[] = {DAL_PORT_WRENCH, DAL_PORT_MOTION, DAL_PORT_EFFORT, DAL_PORT_COORDINATE};
    int total = 0;
    (void)spec;
    for (int c = 0; c < n->n_components; c++) {
        assert_int_equal(n->components[c].port, total);
        total += n->components[c].n_ports;
        for (int p = n->components[c].port; p < total; p++)
            assert_int_equal(n->ports[p].component, c);
    }
    assert_int_equal(n->n_ports, total);
    for (int p = 0; p < total; p++) {
        const dal_port *port = &n->ports[p], *peer = &n->ports[port->peer];
        if (peer->peer != p || port->component == peer->component)
            fail_msg("%s: port %d has no other end", file, p);
        if (!same_flow(&port->out, &peer->in) || !same_flow(&port->in, &peer->out) || port->in.quantity != answer[port->out.quantity])
            fail_msg("%s: what port %d gives is not what the other end takes", file, p);
        const dal_component_kind kind = n->components[port->component].kind;
        const bool body = kind == DAL_COMPONENT_GROUND || kind == DAL_COMPONENT_BODY;
        if (body != (port->out.quantity == DAL_PORT_MOTION))
            fail_msg("%s: port %d: bodies, and they alone, give motion", file, p);
    }
}

static void what_one_end_of_a_wire_gives_the_other_takes(void **state)
{
    (void)state;
    assert_true(each_network(look_at_wires) > 20);
}

static const dal_port_component *component_named(const dal_ports *n, const char *name, dal_component_kind least)
{
    for (int c = 0; c < n->n_components; c++)
        if (n->components[c].kind >= least && !strcmp(n->components[c].name, name))
            return &n->components[c];
    return NULL;
}

/* Sides of the joint's rows, from the compiled mechanism. */
static void look_at_joints(const char *file, const dal_spec *spec, const dal_ports *n)
{
    static const char *const side[] = {"M", "N", "P", "Q"};
    char why[512];
    dal_system *system = gallery_compile(file, NULL, NULL, why);
    if (!system)
        return;
    for (int j = 0; j < spec->n_joints; j++) {
        const dal_joint *joint = &system->mechanism.joints[j];
        const dal_port_component *c = component_named(n, joint->name, DAL_COMPONENT_JOINT);
        assert_non_null(c);
        assert_int_equal(c->multipliers, joint->n_rows);
        for (int k = 0; k < spec->joints[j].connect.n; k++) {
            int found = 0;
            for (int p = c->port; p < c->port + c->n_ports; p++)
                if (!strcmp(n->ports[p].name, side[k])) {
                    const dal_port *peer = &n->ports[n->ports[p].peer];
                    found++;
                    assert_int_equal(peer->component, joint->marker[k].body + 1);
                    assert_true(peer->placed);
                    for (int i = 0; i < 3; i++)
                        check_close(peer->at[i], joint->marker[k].s[i], 0);
                }
            if (found != 1)
                fail_msg("%s: joint %s has %d ports %s", file, joint->name, found, side[k]);
        }
    }
    dal_system_free(system);
}

static void every_side_of_every_joint_is_one_port(void **state)
{
    (void)state;
    each_network(look_at_joints);
}

static void compare_counts(const char *file, const char *family, const dal_spec *spec, const dal_ports *n)
{
    char why[512];
    dal_system *system = gallery_compile(file, family, "lagrange", why);
    if (!system)
        return;
    const dal_system_info info = dal_system_describe(system);
    assert_int_equal(n->states, info.coordinates_count + info.velocities);
    assert_int_equal(n->multipliers, info.constraints);
    assert_int_equal(n->n_components, 1 + spec->n_bodies + system->mechanism.n_joints + spec->n_forces); /* derived constraints are joints, too */
    for (int i = 0; i < n->n_components; i++)
        for (int k = 0; k < n->components[i].n_states; k++)
            assert_non_null(n->components[i].states[k]);
    dal_system_free(system);
}

/* The family has the states of the bodies, the rows of the joints and those of the bodies, counted elsewhere. */
static void look_at_counts(const char *file, const dal_spec *spec, const dal_ports *n)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *turned = read_model(file);
    compare_counts(file, "angle", spec, n);
    assert_true(dal_spec_set(turned, "coordinates", "euler", messages));
    dal_ports *by_parameters = ports_of(turned);
    compare_counts(file, "euler", turned, by_parameters);
    assert_int_equal(by_parameters->n_ports, n->n_ports);
    for (int p = 0; p < n->n_ports; p++) {
        assert_int_equal(by_parameters->ports[p].out.n, n->ports[p].out.n);
        assert_int_equal(by_parameters->ports[p].in.n, n->ports[p].in.n);
    }
    dal_ports_free(by_parameters);
    dal_spec_free(turned);
    dal_messages_free(messages);
}

static void states_and_multipliers_are_those_of_the_families_angle_and_euler(void **state)
{
    (void)state;
    each_network(look_at_counts);
}

static const char actuated[] = "dalembert: 1\n"
                               "space: planar\n"
                               "ground: {points: {A: [0.1, 0.2], B: [1.3, 0.2]}}\n"
                               "bodies:\n"
                               "  disc: {mass: 1.3, inertia: 0.7, position: [0.1, 0.2], points: {P: [0.3, 0.4]}}\n"
                               "  wheel: {mass: 1.1, inertia: 0.6, position: [1.3, 0.2]}\n"
                               "  bead: {mass: 0.2, position: [3, 1]}\n"
                               "joints:\n"
                               "  a: {type: revolute, connect: [ground.A, disc]}\n"
                               "  b: {type: revolute, connect: [ground.B, wheel]}\n"
                               "  mesh: {type: gear, joints: [a, b], ratio: -2}\n"
                               "  rod: {type: distance, connect: [wheel, bead], length: 2}\n"
                               "  hold: {type: lock, body: bead, coordinate: x}\n"
                               "forces:\n"
                               "  engine: {type: motor, joint: a, value: 0.3}\n"
                               "  spring: {type: spring-damper, connect: [disc.P, bead], stiffness: 10, length: 1}\n"
                               "  twist: {type: torque, body: wheel, value: 0.1}\n";

static const dal_port *port_named(const dal_ports *n, const char *component, const char *port)
{
    const dal_port_component *c = component_named(n, component, DAL_COMPONENT_GROUND);
    assert_non_null(c);
    for (int p = c->port; p < c->port + c->n_ports; p++)
        if (!strcmp(n->ports[p].name, port))
            return &n->ports[p];
    fail_msg("%s has no port '%s'", component, port);
    return NULL;
}

static void expect(const dal_ports *n, const char *component, const char *port, const char *other, int gives, int takes)
{
    const dal_port *p = port_named(n, component, port);
    const char *peer = n->components[n->ports[p->peer].component].name;
    if (strcmp(peer, other) || p->out.n != gives || p->in.n != takes)
        fail_msg("%s.%s: wired to %s, gives %d, takes %d", component, port, peer, p->out.n, p->in.n);
}

static void motors_and_gears_are_wired_to_the_joint_they_act_on(void **state)
{
    (void)state;
    dal_spec *spec = parse_model(actuated);
    dal_ports *n = ports_of(spec);
    expect(n, "engine", "q", "a", 1, 2); /* gives a torque, takes the angle and its rate */
    expect(n, "mesh", "q1", "a", 1, 3);  /* and the acceleration: it is a constraint */
    expect(n, "mesh", "q2", "b", 1, 3);
    expect(n, "rod", "M", "wheel", 3, 9); /* x, y, theta, rates, accelerations; Fx, Fy, Cz */
    expect(n, "rod", "N", "bead", 2, 6);  /* a particle has no angle and takes no torque */
    expect(n, "hold", "N", "bead", 2, 6);
    expect(n, "spring", "M", "disc", 2, 4); /* Fx, Fy; place and velocity of a point */
    expect(n, "twist", "M", "wheel", 1, 2); /* Cz; theta and its rate */
    assert_int_equal(component_named(n, "bead", DAL_COMPONENT_BODY)->n_states, 4);
    assert_int_equal(component_named(n, "a", DAL_COMPONENT_JOINT)->n_ports, 4); /* M, N, motor, gear */
    dal_ports_free(n);
    dal_spec_free(spec);
}

static void a_joint_of_the_model_leaves_what_its_equations_leave_however_many_they_are(void **state)
{
    (void)state;
    dal_spec *spec = parse_model("dalembert: 1\nspace: planar\njoint-types: {pin: {equations: [N - M, \"dot(N - M, xi + 2*yj)\"], coordinates: "
                                 "{angle: angle}}}\nbodies: {a: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                                 "joints: {A: {type: pin, connect: [ground, a], drive: 0.3*t}}\n");
    dal_ports *ports = ports_of(spec);
    for (int i = 0; i < ports->n_components; i++)
        if (ports->components[i].kind == DAL_COMPONENT_JOINT) {
            assert_int_equal(ports->components[i].multipliers, 4);
            assert_int_equal(ports->components[i].freedoms, 1);
        }
    dal_ports_free(ports);
    dal_spec_free(spec);
}

static void a_model_with_coordinates_of_its_own_is_refused_by_a_sentence(void **state)
{
    (void)state;
    dal_spec *spec = read_model(DAL_MODELS "/satellite-boom.yaml");
    dal_messages *messages = dal_messages_create(NULL);
    dal_ports *ports = NULL;
    assert_true(spec->n_coordinates > 0);
    assert_int_equal(dal_ports_create(NULL, spec, messages, &ports), DAL_BAD_MODEL);
    assert_null(ports);
    assert_non_null(strstr(dal_messages_first(messages)->text, "placed by its own coordinates"));
    dal_messages_free(messages);
    dal_spec_free(spec);
}

/* ---- wrenches: the equations of doc/components ------------------------------------------- */

/* World axes and points of the two sides of a joint. */
typedef struct sides {
    double P[2][3], e[2][3][3]; /* e[side][axis] */
    double MN[3];
} sides;

static sides sides_of(const dal_state *state, int joint)
{
    sides s;
    for (int k = 0; k < 2; k++) {
        const dal_marker *marker = &state->system->mechanism.joints[joint].marker[k];
        dal_motion body = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        if (marker->body != DAL_GROUND)
            body = dal_state_body(state, marker->body);
        dal_mul3(body.rotation, marker->s, s.P[k]);
        dal_axpy3(1, body.position, s.P[k]);
        for (int axis = 0; axis < 3; axis++) {
            const double column[3] = {marker->B[axis], marker->B[3 + axis], marker->B[6 + axis]};
            dal_mul3(body.rotation, column, s.e[k][axis]);
        }
    }
    dal_sub3(s.P[1], s.P[0], s.MN);
    return s;
}

/* Wrenches on both sides, (17): F_N = lambda df/dON, C_N = -lambda sum df/de_j x e_j, each about the side's own point. */
typedef struct wrenches {
    double F[2][3], C[2][3];
} wrenches;

/* f = e_i . MN: F_N = lambda e_i = -F_M, C_M = -lambda MN x e_i */
static void hold_shift(const sides *s, const double *e, double lambda, wrenches *w)
{
    const double lever[3] = {-lambda * s->MN[0], -lambda * s->MN[1], -lambda * s->MN[2]};
    dal_axpy3(lambda, e, w->F[1]);
    dal_axpy3(-lambda, e, w->F[0]);
    dal_add_cross(lever, e, w->C[0]);
}

/* f = x_0 . MN with a world axis: F_N = lambda x_0 = -F_M, no torque */
static void hold_gap(int axis, double lambda, wrenches *w)
{
    w->F[1][axis] += lambda;
    w->F[0][axis] -= lambda;
}

/* f = e_i . e_j: C_N = -lambda e_i x e_j = -C_M */
static void hold_tilt(const sides *s, int first, int second, double lambda, wrenches *w)
{
    double turn[3] = {0, 0, 0};
    dal_add_cross(s->e[0][first], s->e[1][second], turn);
    dal_axpy3(-lambda, turn, w->C[1]);
    dal_axpy3(lambda, turn, w->C[0]);
}

/* f = (MN . MN - L^2) / (2 L): F_N = lambda MN / L = -F_M */
static void hold_length(const sides *s, double length, double lambda, wrenches *w)
{
    dal_axpy3(lambda / length, s->MN, w->F[1]);
    dal_axpy3(-lambda / length, s->MN, w->F[0]);
}

/* The rows of doc/components, in their order: Gap along a world axis, Shift along an axis of i, Tilt of an axis of i against one of j,
 * Length. */
static const struct page_rows {
    const char *type;
    const char *planar, *spatial;
} page_rows[] = {
    {"revolute", "G0 G1", "G0 G1 G2 T02 T12"},
    {"prismatic", "S1 T10", "S0 S1 T10 T21 T02"},
    {"cylindrical", "", "T02 T12 S0 S1"},
    {"spherical", "", "G0 G1 G2"},
    {"universal", "", "G0 G1 G2 T20"},
    {"planar", "", "S2 T02 T12"},
    {"rigid", "G0 G1 T10", "G0 G1 G2 T10 T21 T02"},
    {"screw", "", "T02 T12 S0 S1"},
    {"distance", "L", "L"},
    {"pin-in-slot", "S1", ""},
    {"point-on-line", "", "S0 S1"},
    {"point-on-plane", "", "S2"},
    {"parallel", "", "T02 T12"},
    {"perpendicular", "", "T20"},
};
enum { PAGE_ROWS = sizeof page_rows / sizeof *page_rows };

static const char *rows_of(const dal_joint *joint, dal_space space)
{
    for (int i = 0; i < PAGE_ROWS; i++)
        if (!strcmp(page_rows[i].type, joint->type->name))
            return space == DAL_PLANAR ? page_rows[i].planar : page_rows[i].spatial;
    return "";
}

/* What the pages on screws and rolling add, where the constraints hold: pitch 0.17; radius 0.2, a ball that touches at N - r n. */
static void add_special(const dal_joint *joint, const sides *s, const double *lambda, wrenches *w)
{
    const double *z = s->e[0][2], radius = 0.2, pitch = 0.17 / (2 * 3.14159265358979323846);
    if (!strcmp(joint->type->name, "screw")) {
        hold_shift(s, z, lambda[4], w);
        dal_axpy3(-pitch * lambda[4], z, w->C[1]);
        dal_axpy3(pitch * lambda[4], z, w->C[0]);
    } else if (!strcmp(joint->type->name, "rolling-ball")) {
        double friction[3] = {0, 0, 0}, lever[2][3];
        dal_axpy3(lambda[1], s->e[0][0], friction);
        dal_axpy3(lambda[2], s->e[0][1], friction);
        for (int k = 0; k < 3; k++) {
            lever[1][k] = -radius * z[k];
            lever[0][k] = -(s->MN[k] - radius * z[k]);
        }
        hold_shift(s, z, lambda[0], w);
        dal_axpy3(1, friction, w->F[1]);
        dal_axpy3(-1, friction, w->F[0]);
        dal_add_cross(lever[1], friction, w->C[1]);
        dal_add_cross(lever[0], friction, w->C[0]);
    }
}

static wrenches wrenches_of(const dal_state *state, int joint)
{
    const dal_joint *j = &state->system->mechanism.joints[joint];
    const double *l = state->lambda + j->row;
    const sides s = sides_of(state, joint);
    wrenches w = {{{0}}, {{0}}};
    int n = 0;
    for (const char *row = rows_of(j, state->system->mechanism.space); *row; row += strcspn(row, " "), row += *row == ' ') {
        const double lambda = l[n++];
        if (*row == 'G')
            hold_gap(row[1] - '0', lambda, &w);
        else if (*row == 'S')
            hold_shift(&s, s.e[0][row[1] - '0'], lambda, &w);
        else if (*row == 'T')
            hold_tilt(&s, row[1] - '0', row[2] - '0', lambda, &w);
        else
            hold_length(&s, j->length, lambda, &w);
    }
    add_special(j, &s, l, &w);
    if (j->type != dal_joint_type_find("screw") && j->type != dal_joint_type_find("rolling-ball"))
        assert_int_equal(n, j->n_rows);
    return w;
}

/* A torque about z along the angle of a planar joint; a force along its axis x. */
static wrenches along_angle(double torque)
{
    return (wrenches){{{0}}, {{0, 0, -torque}, {0, 0, torque}}};
}

static wrenches along_distance(const dal_state *state, int joint, double force)
{
    const sides s = sides_of(state, joint);
    wrenches w = {{{0}}, {{0}}};
    hold_shift(&s, s.e[0][0], force, &w);
    return w;
}

/* m J(G) and the rate of the angular momentum about G: (5) with (9) and (18). Inertias of the test models are about the axes of the body. */
static void check_body(dal_state *state, int body, const double force[3], const double torque[3], double size)
{
    const dal_body *b = &state->system->mechanism.bodies[body];
    const dal_motion motion = dal_state_body(state, body);
    double inertia[9], spin[3], moment[3];
    dal_turn_inertia(motion.rotation, b->inertia, inertia);
    dal_mul3(inertia, motion.omega, spin);
    dal_mul3(inertia, motion.alpha, moment);
    dal_add_cross(motion.omega, spin, moment);
    for (int k = 0; k < 3; k++) {
        check_close(b->mass * (motion.acceleration[k] - state->system->acting.gravity[k]), force[k], 1e-11 * size);
        check_close(moment[k], torque[k], 1e-11 * size);
    }
}

/* ---- positions, velocities, accelerations of the rows --------------------------------------- */

/* Velocity and acceleration of the two ports, (25), (27). */
typedef struct motions {
    double V[3], J[3]; /* of N against M */
    double w[2][3], wd[2][3];
} motions;

static motions motions_of(const dal_state *state, int joint)
{
    motions m = {{0}, {0}, {{0}}, {{0}}};
    for (int k = 0; k < 2; k++) {
        const dal_marker *marker = &state->system->mechanism.joints[joint].marker[k];
        const double sign = k ? 1 : -1;
        if (marker->body == DAL_GROUND)
            continue;
        const dal_motion b = dal_state_body(state, marker->body);
        double GM[3], V[3] = {0}, J[3] = {0};
        dal_mul3(b.rotation, marker->s, GM);
        dal_add_cross(b.omega, GM, V);
        dal_add_cross(b.omega, V, J);
        dal_add_cross(b.alpha, GM, J);
        dal_axpy3(1, b.velocity, V);
        dal_axpy3(1, b.acceleration, J);
        dal_axpy3(sign, V, m.V);
        dal_axpy3(sign, J, m.J);
        dal_axpy3(1, b.omega, m.w[k]);
        dal_axpy3(1, b.alpha, m.wd[k]);
    }
    return m;
}

/* w x e, and w x (w x e) */
static void turn_axis(const double w[3], const double e[3], double once[3], double twice[3])
{
    for (int k = 0; k < 3; k++)
        once[k] = twice[k] = 0;
    dal_add_cross(w, e, once);
    dal_add_cross(w, once, twice);
}

static void cross_of(const double a[3], const double b[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    dal_add_cross(a, b, out);
}

/* f, f', f'' of a row as the table of doc/components/README.md writes them. */
static void row_of(const char *row, const sides *s, const motions *m, double length, double f[3])
{
    const double *e = s->e[0][row[0] == 'G' || row[0] == 'L' ? 0 : row[1] - '0'], *MN = s->MN;
    double once[3], twice[3], other_once[3], other_twice[3], lever[3];
    turn_axis(m->w[0], e, once, twice);
    if (*row == 'G') {
        const int axis = row[1] - '0';
        f[0] = MN[axis], f[1] = m->V[axis], f[2] = m->J[axis];
    } else if (*row == 'S') {
        cross_of(e, MN, lever);
        f[0] = dal_dot(e, MN);
        f[1] = dal_dot(e, m->V) + dal_dot(m->w[0], lever);
        f[2] = dal_dot(e, m->J) + dal_dot(m->wd[0], lever) + 2 * dal_dot(once, m->V) + dal_dot(twice, MN);
    } else if (*row == 'T') {
        const double *other = s->e[1][row[2] - '0'];
        turn_axis(m->w[1], other, other_once, other_twice);
        cross_of(e, other, lever);
        f[0] = dal_dot(e, other);
        f[1] = dal_dot(m->w[0], lever) - dal_dot(m->w[1], lever);
        f[2] = dal_dot(m->wd[0], lever) - dal_dot(m->wd[1], lever) + dal_dot(twice, other) + dal_dot(e, other_twice) + 2 * dal_dot(once, other_once);
    } else {
        f[0] = (dal_dot(MN, MN) - length * length) / (2 * length);
        f[1] = dal_dot(MN, m->V) / length;
        f[2] = (dal_dot(MN, m->J) + dal_dot(m->V, m->V)) / length;
    }
}

/* The rows have the values and rates of the program, and no acceleration at its solution. */
static void check_rows(const dal_state *state, int joint)
{
    const dal_joint *j = &state->system->mechanism.joints[joint];
    const sides s = sides_of(state, joint);
    const motions m = motions_of(state, joint);
    const double size = 1 + sqrt(dal_dot(m.wd[0], m.wd[0])) + sqrt(dal_dot(m.wd[1], m.wd[1])) + sqrt(dal_dot(m.J, m.J));
    int n = 0;
    for (const char *row = rows_of(j, state->system->mechanism.space); *row; row += strcspn(row, " "), row += *row == ' ', n++) {
        double f[3];
        row_of(row, &s, &m, j->length, f);
        check_close(f[0], state->work.phi[j->row + n], 1e-13);
        check_close(f[1], state->work.phid[j->row + n], 1e-13);
        check_small(f[2], 1e-11 * size);
    }
}

/* The sum of the wrenches at the ports of the bodies, about their centres: (9), (18). The centre of mass is the origin. */
static void add_wrenches(const dal_state *state, int joint, const wrenches *w, double total[][6])
{
    const sides s = sides_of(state, joint);
    for (int k = 0; k < 2; k++) {
        const int body = state->system->mechanism.joints[joint].marker[k].body;
        if (body == DAL_GROUND)
            continue;
        double lever[3];
        dal_sub3(s.P[k], dal_state_body(state, body).position, lever);
        dal_axpy3(1, w->F[k], total[body]);
        dal_axpy3(1, w->C[k], total[body] + 3);
        dal_add_cross(lever, w->F[k], total[body] + 3);
    }
}

/* Efforts of a gear (ratio 1.7) and of a rack (radius 0.23) on the joints that they couple, by name: pages on couplings. */
static void add_coupling(const dal_state *state, const dal_joint *j, double total[][6])
{
    const double lambda = state->lambda[j->row];
    const bool gear = !strcmp(j->type->name, "gear");
    const int a = dal_system_joint(state->system, "A"), b = dal_system_joint(state->system, gear ? "B" : "guide");
    const wrenches first = along_angle(-(gear ? 1.7 : 0.23) * lambda), second = gear ? along_angle(lambda) : along_distance(state, b, lambda);
    add_wrenches(state, a, &first, total);
    add_wrenches(state, b, &second, total);
}

/* The wrenches of the pages, put into (9), are what the bodies move by; and what `force` and `torque` of the joint say. */
static void check_wrenches(dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
    double total[8][6] = {{0}}, size = 1;
    assert_true(m->n_bodies <= 8);
    for (int j = 0; j < m->n_joints; j++) {
        if (m->joints[j].type->class == DAL_JOINT_COUPLING) {
            add_coupling(state, &m->joints[j], total);
            continue;
        }
        const wrenches w = wrenches_of(state, j);
        double force[3], torque[3];
        check_rows(state, j);
        dal_state_reaction(state, j, force, torque);
        for (int k = 0; k < 3; k++)
            size = fmax(size, fmax(fabs(force[k]), fabs(torque[k])));
        for (int k = 0; k < 3; k++) {
            check_close(force[k], w.F[1][k], 1e-11 * size);
            check_close(torque[k], w.C[1][k], 1e-11 * size);
        }
        add_wrenches(state, j, &w, total);
    }
    for (int b = 0; b < m->n_bodies; b++)
        check_body(state, b, total[b], total[b] + 3, size);
}

static void check_at_random_states(const char *text)
{
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    uint64_t seed = 20061;
    for (int i = 0; i < 30; i++) {
        dal_state_reset(state);
        for (int k = 0; k < system->n_y; k++) /* no care is taken of the constraints: (17) does not ask for it */
            dal_state_y(state)[k] += 0.4 * check_random(&seed);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        check_wrenches(state);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void revolute_and_translational_rows_and_wrenches_are_those_of_their_pages(void **state)
{
    (void)state;
    check_at_random_states("dalembert: 1\n"
                           "space: planar\n"
                           "gravity: [0.3, -9.81]\n"
                           "ground: {points: {A: [0.13, -0.07]}}\n"
                           "bodies:\n"
                           "  crank: {mass: 1.37, inertia: 0.21, position: [0.43, 0.31], angle: 0.8, points: {A: [-0.53, 0.02], B: [0.47, "
                           "0.05]}}\n"
                           "  rod: {mass: 0.83, inertia: 0.34, position: [1.2, 0.3], angle: -0.4, points: {B: [-0.7, 0.03], C: [0.8, "
                           "-0.02]}}\n"
                           "  slider: {mass: 2.1, inertia: 0.12, position: [1.9, 0], angle: 0.2, points: {D: [0.11, 0.06]}}\n"
                           "joints:\n"
                           "  A: {type: revolute, connect: [ground.A, crank.A]}\n"
                           "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
                           "  C: {type: revolute, connect: [rod.C, slider]}\n"
                           "  guide: {type: prismatic, connect: [ground, slider.D], axis: [0.97, 0.21]}\n");
}

static void rows_and_wrenches_of_couplings_in_the_plane_are_those_of_their_page(void **state)
{
    static const char bodies[] = "dalembert: 1\n"
                                 "space: planar\n"
                                 "gravity: [0.3, -9.81]\n"
                                 "ground: {points: {A: [0.13, -0.07], B: [1.1, 0.4]}}\n"
                                 "bodies:\n"
                                 "  a: {mass: 1.37, inertia: 0.21, position: [0.43, 0.31], angle: 0.8, points: {A: [-0.53, 0.02], S: [0.4, "
                                 "0.1]}}\n"
                                 "  b: {mass: 0.83, inertia: 0.34, position: [1.2, 0.3], angle: -0.4, points: {B: [-0.1, 0.13], C: [0.8, "
                                 "-0.02]}}\n"
                                 "  c: {mass: 2.1, inertia: 0.12, position: [1.9, 0], angle: 0.2, points: {D: [0.11, 0.06], E: [0.4, 0.2]}}\n"
                                 "  d: {mass: 1.9, inertia: 0.15, position: [2.5, 1], angle: 0.1, points: {F: [-0.2, 0.3]}}\n"
                                 "joints:\n"
                                 "  A: {type: revolute, connect: [ground.A, a.A]}\n";
    static const char *const joints[] = {"  B: {type: revolute, connect: [ground.B, b.B]}\n"
                                         "  mesh: {type: gear, joints: [A, B], ratio: 1.7}\n"
                                         "  rod: {type: distance, connect: [b.C, c.E], length: 0.9}\n"
                                         "  weld: {type: rigid, connect: [c.D, d.F]}\n",
                                         "  guide: {type: prismatic, connect: [ground.B, b.B], axis: [0.97, 0.21]}\n"
                                         "  rack: {type: rack-and-pinion, joints: [A, guide], radius: 0.23}\n"
                                         "  slot: {type: pin-in-slot, connect: [b.C, c.D], axis: [0.3, 0.9]}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", bodies, joints[i]);
        check_at_random_states(text);
    }
}

/* One joint of each of the other types in space, between two free bodies. */
static void rows_and_wrenches_of_the_other_spatial_joints_are_those_of_their_pages(void **state)
{
    static const char *const joints[] = {"planar, axis: [0.3, 0.5, 0.8]",
                                         "rigid",
                                         "distance, length: 0.9",
                                         "point-on-line, axis: [0.6, -0.2, 0.7]",
                                         "point-on-plane, axis: [0.1, 0.9, 0.3]",
                                         "parallel, axis: [0.3, 0.5, 0.8]",
                                         "perpendicular, axis: [[0.8, 0.6, 0], [-0.6, 0.8, 0]]"};
    (void)state;
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "dalembert: 1\n"
                 "space: spatial\n"
                 "gravity: [0.3, -0.2, -9.81]\n"
                 "bodies:\n"
                 "  a: {mass: 1.1, inertia: [0.2, 0.3, 0.4], position: [0.3, 0.1, 0.2], velocity: [1, 2, 3], points: {Q: "
                 "[0.2, 0.3, 0.1]}}\n"
                 "  b: {mass: 0.9, inertia: [0.3, 0.2, 0.25], position: [0.9, 0.7, 0.4], points: {P: [-0.4, -0.3, -0.1]}}\n"
                 "joints:\n"
                 "  j: {connect: [a.Q, b.P], type: %s}\n",
                 joints[i]);
        check_at_random_states(text);
    }
}

static void spatial_rows_and_wrenches_are_those_of_their_pages(void **state)
{
    (void)state;
    check_at_random_states("dalembert: 1\n"
                           "space: spatial\n"
                           "gravity: [0.3, -0.2, -9.81]\n"
                           "bodies:\n"
                           "  a: {mass: 1.1, inertia: [0.2, 0.3, 0.4], position: [0.3, 0.1, 0.2], points: {P: [-0.3, -0.1, -0.2], Q: "
                           "[0.2, 0.3, 0.1]}}\n"
                           "  b: {mass: 0.9, inertia: [0.3, 0.2, 0.25], position: [0.9, 0.7, 0.4], points: {P: [-0.4, -0.3, -0.1], Q: "
                           "[0.3, 0.1, 0.2]}}\n"
                           "  c: {mass: 0.7, inertia: [0.15, 0.2, 0.1], position: [1.5, 0.8, 0.9], points: {P: [-0.3, 0, -0.3], Q: [0.1, "
                           "0.2, 0.3]}}\n"
                           "  d: {mass: 1.3, inertia: [0.22, 0.18, 0.3], position: [1.8, 1.3, 1.4], points: {P: [-0.2, -0.3, -0.2], Q: "
                           "[0.2, 0.1, 0.1]}}\n"
                           "  e: {mass: 0.8, inertia: [0.12, 0.14, 0.16], position: [2.2, 1.6, 1.7], points: {P: [-0.2, -0.2, -0.2]}}\n"
                           "joints:\n"
                           "  R: {type: revolute, connect: [ground, a.P], axis: [0.3, 0.5, 0.8]}\n"
                           "  T: {type: prismatic, connect: [a.Q, b.P], axis: [0.6, -0.2, 0.7]}\n"
                           "  C: {type: cylindrical, connect: [b.Q, c.P], axis: [0.1, 0.9, 0.3]}\n"
                           "  U: {type: universal, connect: [c.Q, d.P], axis: [[0.8, 0.6, 0], [-0.6, 0.8, 0]]}\n"
                           "  S: {type: spherical, connect: [d.Q, e.P]}\n");
}

static void rows_and_wrenches_of_screws_and_rolling_balls_are_those_of_their_pages(void **state)
{
    static const char *const places[] = {"0.5, 0.4, 0.3", "0.5606, 0.5010, 0.4616"};
    static const char *const joints[] = {"screw, axis: [0.3, 0.5, 0.8], pitch: 0.17", "rolling-ball, normal: [0.3, 0.5, 0.8], radius: 0.2"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[2000];
        uint64_t seed = 2007;
        snprintf(text, sizeof text,
                 "dalembert: 1\n"
                 "space: spatial\n"
                 "gravity: [0.3, -0.2, -9.81]\n"
                 "bodies:\n"
                 "  a: {mass: 1.1, inertia: [0.2, 0.3, 0.4], position: [0.3, 0.1, 0.2], points: {Q: [0.2, 0.3, 0.1]}}\n"
                 "  b: {mass: 0.9, inertia: [0.3, 0.2, 0.25], position: [%s]}\n"
                 "joints:\n"
                 "  j: {connect: [a.Q, b], type: %s}\n",
                 places[i], joints[i]);
        dal_system *system = gallery_compile_text(text, "angle", "lagrange");
        dal_state *s = dal_state_create(NULL, system);
        for (int k = 0; k < 20; k++) {
            assert_true(gallery_random_state(s, &seed, 0, 0.3, 1));
            assert_int_equal(dal_state_evaluate(s, NULL), DAL_OK);
            check_wrenches(s);
        }
        dal_state_free(s);
        dal_system_free(system);
    }
}

/* ---- the translational joint of the paper ------------------------------------------------------ */

/* Motion of its two ports: x_M, y_M, theta_M, x_N, y_N, theta_N as parabolas of a complex time. */
typedef struct parabola {
    double p, v, a;
} parabola;

static double complex at(const parabola *q, double complex t)
{
    return q->p + q->v * t + 0.5 * q->a * t * t;
}

static double complex rate(const parabola *q, double complex t)
{
    return q->v + q->a * t;
}

/* (28), row k: 0 with theta_M, 1 with theta_N. */
static double complex position_row(const parabola q[6], int k, double complex t)
{
    const double complex dx = at(&q[3], t) - at(&q[0], t), dy = at(&q[4], t) - at(&q[1], t), theta = at(&q[2 + 3 * k], t);
    return -dx * csin(theta) + dy * ccos(theta);
}

/* (29) */
static double complex velocity_row(const parabola q[6], int k, double complex t)
{
    const double complex dx = at(&q[3], t) - at(&q[0], t), dy = at(&q[4], t) - at(&q[1], t), theta = at(&q[2 + 3 * k], t);
    const double complex vx = rate(&q[3], t) - rate(&q[0], t), vy = rate(&q[4], t) - rate(&q[1], t), turn = rate(&q[2 + 3 * k], t);
    return -vx * csin(theta) + vy * ccos(theta) - turn * (dx * ccos(theta) + dy * csin(theta));
}

/* (30) as printed, and the term that it leaves out, -theta'^2 f. */
static double acceleration_row(const parabola q[6], int k, double *left_out)
{
    const double dx = q[3].p - q[0].p, dy = q[4].p - q[1].p, theta = q[2 + 3 * k].p, turn = q[2 + 3 * k].v;
    const double vx = q[3].v - q[0].v, vy = q[4].v - q[1].v, ax = q[3].a - q[0].a, ay = q[4].a - q[1].a, s = sin(theta), c = cos(theta);
    *left_out = -turn * turn * (-dx * s + dy * c);
    return -ax * s + ay * c - q[2 + 3 * k].a * (dx * c + dy * s) + 2 * turn * (-vx * c - vy * s);
}

static void equations_28_to_30_are_derivatives_of_each_other_but_for_the_term_left_out(void **state)
{
    const double h = 1e-30;
    uint64_t seed = 2006;
    (void)state;
    for (int i = 0; i < 100; i++) {
        parabola q[6];
        for (int k = 0; k < 6; k++)
            q[k] = (parabola){check_random(&seed), check_random(&seed), check_random(&seed)};
        for (int k = 0; k < 2; k++) {
            double left_out, f = creal(position_row(q, k, 0)), turn = q[2 + 3 * k].v;
            const double second = acceleration_row(q, k, &left_out);
            check_close(creal(velocity_row(q, k, 0)), cimag(position_row(q, k, I * h)) / h, 1e-14);
            check_close(second + left_out, cimag(velocity_row(q, k, I * h)) / h, 1e-13);
            check_close(left_out, -turn * turn * f, 1e-14);
        }
    }
}

/* Rows of the position Jacobian by (x_M, y_M, theta_M, x_N, y_N, theta_N), of (21) and of ours. */
static double gram(const double a[6], const double b[6])
{
    double aa = 0, ab = 0, bb = 0;
    for (int k = 0; k < 6; k++)
        aa += a[k] * a[k], ab += a[k] * b[k], bb += b[k] * b[k];
    return (aa * bb - ab * ab) / (aa * bb); /* sin^2 of the angle between the rows: 0 where they depend */
}

static void slider_rows(double distance, double theta, double first[6], double paper[6], double ours[6])
{
    const double s = sin(theta), c = cos(theta); /* the joint is closed: N is on the line, both axes have the angle theta */
    const double rows[3][6] = {{s, -c, -distance, -s, c, 0}, {s, -c, 0, -s, c, -distance}, {0, 0, -1, 0, 0, 1}};
    memcpy(first, rows[0], sizeof rows[0]);
    memcpy(paper, rows[1], sizeof rows[1]);
    memcpy(ours, rows[2], sizeof rows[2]);
}

static void equation_21_loses_rank_where_the_points_meet_and_ours_does_not(void **state)
{
    double first[6], paper[6], ours[6];
    (void)state;
    slider_rows(0.7, 0.618, first, paper, ours);
    assert_true(gram(first, paper) > 0.1 && gram(first, ours) > 0.1);
    slider_rows(1e-4, 0.618, first, paper, ours);
    assert_true(gram(first, paper) < 1e-7 && gram(first, ours) > 0.1);
    slider_rows(0, 0.618, first, paper, ours);
    assert_true(gram(first, paper) < 1e-15 && gram(first, ours) > 0.1);
}

/* ---- JSON and text ----------------------------------------------------------------------------- */

static char *printed(const dal_ports *ports, int (*print)(const dal_ports *, char *, size_t))
{
    const size_t size = (size_t)print(ports, NULL, 0) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(print(ports, text, size) + 1, size);
    return text;
}

static const json *parse_json(json_file *file, const char *text)
{
    *file = (json_file){.text = strdup(text), .node = calloc(strlen(text) / 2 + 2, sizeof(json))};
    char *read = file->text;
    const json *root = json_value(file, &read);
    assert_string_equal(read, "\n");
    return root;
}

static void look_at_json(const char *name, const dal_spec *spec, const dal_ports *n)
{
    char *text = printed(n, dal_ports_json);
    json_file file;
    const json *root = parse_json(&file, text), *components = json_get(root, "components");
    (void)name;
    (void)spec;
    assert_int_equal(components->n, n->n_components);
    assert_int_equal((int)json_get(root, "wires")->number, n->n_ports / 2);
    for (int c = 0; c < n->n_components; c++) {
        const json *ports = json_get(json_at(components, c), "ports");
        assert_int_equal(ports->n, n->components[c].n_ports);
        for (int k = 0; k < ports->n; k++) {
            const dal_port *port = &n->ports[n->components[c].port + k];
            const json *entry = json_at(ports, k);
            assert_int_equal(json_get(json_get(entry, "out"), "variables")->n, port->out.n);
            assert_int_equal((int)json_get(json_get(entry, "to"), "index")->number, n->ports[port->peer].component);
        }
    }
    json_close(&file);
    free(text);
}

static void the_json_object_says_the_same(void **state)
{
    (void)state;
    each_network(look_at_json);
}

static void look_at_text(const char *name, const dal_spec *spec, const dal_ports *n)
{
    char *text = printed(n, dal_ports_text);
    (void)spec;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strlen(line) > 100)
            fail_msg("%s: a line of %zu columns: %s", name, strlen(line), line);
    free(text);
}

static void tables_of_the_gallery_fit_a_hundred_columns(void **state)
{
    (void)state;
    each_network(look_at_text);
}

/* ---- pictures -------------------------------------------------------------------------------------- */

/* Elements are closed in the order in which they were opened, attributes are quoted, & begins an entity, no < in text; UTF-8 without
 * control characters. */
static void check_xml(const char *text)
{
    const char *open[16];
    size_t length[16];
    int depth = 0;
    for (const char *c = text; *c;) {
        if (*c == '&' && strncmp(c, "&amp;", 5) && strncmp(c, "&lt;", 4) && strncmp(c, "&gt;", 4) && strncmp(c, "&quot;", 6))
            fail_msg("a bare ampersand: %.40s", c);
        if ((unsigned char)*c < 0x20 && *c != '\n')
            fail_msg("a control character: %.40s", c);
        if (*c++ != '<')
            continue;
        const bool closes = *c == '/';
        c += closes;
        const size_t n = strcspn(c, " >/");
        assert_true(n > 0);
        if (closes) {
            assert_true(depth > 0);
            depth--;
            assert_true(length[depth] == n && !strncmp(open[depth], c, n));
        } else {
            assert_true(depth < 16);
            open[depth] = c;
            length[depth++] = n;
        }
        for (bool quoted = false; *c && (quoted || *c != '>'); c++) {
            quoted ^= *c == '"';
            assert_true(*c != '<');
        }
        assert_true(*c == '>');
        if (!closes && c[-1] == '/')
            depth--;
        c++;
    }
    assert_int_equal(depth, 0);
}

typedef struct box {
    double x, y, w, h;
} box;

/* The first rectangle of each group. */
static int boxes_in(const char *text, box *boxes, int most)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, "<g class=")) && n < most; at++) {
        box *b = &boxes[n++];
        const char *rect = strstr(at, "<rect ");
        assert_non_null(rect);
        assert_int_equal(sscanf(rect, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &b->x, &b->y, &b->w, &b->h), 4);
    }
    return n;
}

static bool overlap(const box *a, const box *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static void look_at_picture(const char *name, const dal_spec *spec, const dal_ports *n)
{
    enum { MOST = 600 };
    box boxes[MOST];
    double width, height;
    char *text = NULL, *again = NULL;
    (void)spec;
    draw_picture(n, &text);
    draw_picture(n, &again);
    assert_string_equal(text, again);
    check_xml(text);
    assert_int_equal(sscanf(strstr(text, "viewBox"), "viewBox=\"0 0 %lf %lf\"", &width, &height), 2);
    const int drawn = boxes_in(text, boxes, MOST);
    assert_true(drawn == n->n_components - (n->components[0].n_ports == 0));
    for (int i = 0; i < drawn; i++) {
        if (boxes[i].x < 0 || boxes[i].y < 0 || boxes[i].x + boxes[i].w > width || boxes[i].y + boxes[i].h > height)
            fail_msg("%s: box %d is outside of the picture", name, i);
        for (int k = 0; k < i; k++)
            if (overlap(&boxes[i], &boxes[k]))
                fail_msg("%s: boxes %d and %d overlap", name, k, i);
    }
    int ports = 0;
    for (const char *at = text; (at = strstr(at, "class=\"port\"")); at++)
        ports++;
    assert_int_equal(ports, n->n_ports);
    free(text);
    free(again);
}

static void pictures_of_the_gallery_are_xml_without_overlaps(void **state)
{
    (void)state;
    each_network(look_at_picture);
}

static void ten_four_bars_are_drawn_without_overlaps(void **state)
{
    const dal_override many = {"N", "10"};
    dal_spec *spec = NULL;
    (void)state;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar.yaml", 1, &many, NULL, &spec), DAL_OK);
    dal_ports *ports = ports_of(spec);
    assert_int_equal(ports->n_components, 1 + 21 + 42);
    look_at_picture("n-four-bar, N = 10", spec, ports);
    dal_ports_free(ports);
    dal_spec_free(spec);
}

static void too_large_a_picture_is_refused_by_a_sentence(void **state)
{
    const dal_override many = {"N", "500"};
    dal_spec *spec = NULL;
    char *text = NULL;
    (void)state;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar.yaml", 1, &many, NULL, &spec), DAL_OK);
    dal_ports *ports = ports_of(spec);
    dal_messages *messages = dal_messages_create(NULL);
    assert_int_equal(dal_ports_svg(NULL, ports, messages, &text), DAL_BAD_MODEL);
    assert_null(text);
    assert_non_null(strstr(dal_messages_first(messages)->text, "too many for a picture"));
    free(printed(ports, dal_ports_text));
    dal_messages_free(messages);
    dal_ports_free(ports);
    dal_spec_free(spec);
}

static void hostile_names_stay_text(void **state)
{
    static const char hostile[] = "</text><script>alert(\"&\")</script>\x01\xff\xe2\x82";
    dal_spec *spec = parse_model(actuated);
    (void)state;
    const char *const joint = spec->joints[3].name.text;
    dal_ports *ports;
    spec->joints[3].name.text = hostile; /* no name of an element */
    assert_int_equal(dal_ports_create(NULL, spec, NULL, &ports), DAL_BAD_MODEL);
    spec->joints[3].name.text = joint;
    spec->name.text = hostile;
    ports = ports_of(spec);
    for (int i = 0; i < ports->n_components; i++)
        if (!strcmp(ports->components[i].name, joint)) /* and if it were one */
            ((dal_port_component *)(size_t)ports->components)[i].name = spec->joints[3].name.text = hostile;
    assert_ptr_equal(spec->joints[3].name.text, hostile);
    look_at_picture("hostile", spec, ports);
    look_at_json("hostile", spec, ports);
    char *text = NULL;
    draw_picture(ports, &text);
    assert_null(strstr(text, "<script"));
    assert_null(strchr(text, '\x01'));
    assert_null(strchr(text, '\xff'));
    assert_non_null(strstr(text, "&lt;script&gt;alert(&quot;&amp;&quot;)"));
    free(text);
    text = printed(ports, dal_ports_text);
    assert_null(strchr(text, '\x01'));
    free(text);
    dal_ports_free(ports);
    dal_spec_free(spec);
}

static void without_memory_there_is_a_status_and_no_leak(void **state)
{
    dal_spec *spec = parse_model(actuated);
    dal_status status = DAL_NO_MEMORY;
    dal_ports *ports = NULL;
    char *text = NULL;
    ration r;
    const dal_allocator allocator = {take_rationed, release_rationed, &r};
    (void)state;
    for (int n = 0; status != DAL_OK; n++) {
        r = (ration){n, 0};
        status = dal_ports_create(&allocator, spec, NULL, &ports);
        if (status == DAL_OK)
            status = dal_ports_svg(&allocator, ports, NULL, &text);
        assert_true(status == DAL_OK || status == DAL_NO_MEMORY);
        if (text)
            release_rationed(&r, text);
        dal_ports_free(ports);
        assert_int_equal(r.taken, 0);
        assert_true(n < 5000);
    }
    dal_spec_free(spec);
}

/* ---- pages --------------------------------------------------------------------------------------------- */

/* The pages of doc/components, one after the other. */
static char *all_pages(void)
{
    glob_t found;
    size_t used = 0, room = 1 << 20;
    char *text = malloc(room);
    assert_int_equal(glob(DAL_MODELS "/../doc/components/*.md", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        used += fread(text + used, 1, room - used - 1, file);
        fclose(file);
    }
    assert_true(used < room - 1);
    text[used] = '\0';
    globfree(&found);
    return text;
}

/* A heading "## `name`", "## `name`, ..." or a part of one. */
static bool has_heading(const char *pages, const char *name)
{
    char mark[80];
    snprintf(mark, sizeof mark, "`%s`", name);
    for (const char *line = pages; (line = strstr(line, "\n#")); line++) {
        const char *end = strchr(line + 1, '\n'), *found = strstr(line, mark);
        if (found && end && found < end)
            return true;
    }
    return false;
}

static void every_joint_and_force_has_its_section(void **state)
{
    char *pages = all_pages();
    (void)state;
    for (int i = 0; dal_joint_types[i]; i++)
        if (!has_heading(pages, dal_joint_types[i]->name))
            fail_msg("doc/components has no heading with `%s`", dal_joint_types[i]->name);
    for (int i = 0; dal_force_types[i]; i++)
        if (dal_force_types[i]->keys && !has_heading(pages, dal_force_types[i]->name))
            fail_msg("doc/components has no heading with `%s`", dal_force_types[i]->name);
    free(pages);
}

static void compare_picture(const dal_spec *spec, const char *name)
{
    char path[256], *drawn = NULL;
    dal_ports *ports = ports_of(spec);
    draw_picture(ports, &drawn);
    snprintf(path, sizeof path, DAL_MODELS "/../doc/pictures/ports-%s.svg", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("there is no picture %s: run tools/pictures", path);
    char *kept = calloc(strlen(drawn) + 2, 1);
    const size_t n = fread(kept, 1, strlen(drawn) + 1, file);
    fclose(file);
    if (n != strlen(drawn) || memcmp(kept, drawn, n))
        fail_msg("the picture of %s is another one now: run tools/pictures", name);
    free(kept);
    free(drawn);
    dal_ports_free(ports);
}

/* Models of the pages begin with `dalembert: 1   # name.yaml` and end with the block. */
static int compare_pictures_of_pages(char *pages)
{
    int models = 0;
    for (char *at = pages; (at = strstr(at, "```yaml\ndalembert: 1 ")); models++) {
        char name[64], *text = at + strlen("```yaml\n"), *end = strstr(text, "```");
        assert_int_equal(sscanf(text, "dalembert: 1 # %63[a-z0-9-]", name), 1);
        *end = '\0';
        dal_spec *spec = parse_model(text);
        compare_picture(spec, name);
        dal_spec_free(spec);
        at = end + 1;
    }
    return models;
}

static void pictures_of_the_pages_are_those_of_the_program(void **state)
{
    static const char *const gallery_models[] = {"slider-crank", "andrews"};
    char *pages = all_pages(), path[256];
    (void)state;
    assert_true(compare_pictures_of_pages(pages) > 15);
    free(pages);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, DAL_MODELS "/%s.yaml", gallery_models[i]);
        dal_spec *spec = read_model(path);
        compare_picture(spec, gallery_models[i]);
        dal_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_end_of_a_wire_gives_the_other_takes),
        cmocka_unit_test(every_side_of_every_joint_is_one_port),
        cmocka_unit_test(states_and_multipliers_are_those_of_the_families_angle_and_euler),
        cmocka_unit_test(motors_and_gears_are_wired_to_the_joint_they_act_on),
        cmocka_unit_test(a_joint_of_the_model_leaves_what_its_equations_leave_however_many_they_are),
        cmocka_unit_test(a_model_with_coordinates_of_its_own_is_refused_by_a_sentence),
        cmocka_unit_test(revolute_and_translational_rows_and_wrenches_are_those_of_their_pages),
        cmocka_unit_test(spatial_rows_and_wrenches_are_those_of_their_pages),
        cmocka_unit_test(rows_and_wrenches_of_couplings_in_the_plane_are_those_of_their_page),
        cmocka_unit_test(rows_and_wrenches_of_the_other_spatial_joints_are_those_of_their_pages),
        cmocka_unit_test(rows_and_wrenches_of_screws_and_rolling_balls_are_those_of_their_pages),
        cmocka_unit_test(equations_28_to_30_are_derivatives_of_each_other_but_for_the_term_left_out),
        cmocka_unit_test(equation_21_loses_rank_where_the_points_meet_and_ours_does_not),
        cmocka_unit_test(the_json_object_says_the_same),
        cmocka_unit_test(tables_of_the_gallery_fit_a_hundred_columns),
        cmocka_unit_test(pictures_of_the_gallery_are_xml_without_overlaps),
        cmocka_unit_test(ten_four_bars_are_drawn_without_overlaps),
        cmocka_unit_test(too_large_a_picture_is_refused_by_a_sentence),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(without_memory_there_is_a_status_and_no_leak),
        cmocka_unit_test(every_joint_and_force_has_its_section),
        cmocka_unit_test(pictures_of_the_pages_are_those_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
