/* A model as components and wires.
 *
 * The compiled mechanism says which bodies a joint holds, where and by how many rows; the description says how the points are called
 * and what a force acts on. A wire has two ends: [0] carries (a body gives the motion of a point, a joint its coordinate), [1] answers
 * (with a wrench, with an effort). Ports are the ends of the wires, sorted by component.
 */
#include "model/system_parts.h"
#include "spec/sound.h"
#include "base/argument.h"
#include "dalembert/ports.h"
#include "compile/build.h"

#include <string.h>

typedef struct end {
    int component;
    const char *name;
    const double *at; /* or NULL */
} end;

typedef struct wire {
    end end[2];
    dal_port_flow given, answer;
} wire;

typedef struct drawer {
    const dal_spec *spec;
    dal_messages *messages, *heard;
    dal_arena arena;
    dal_system *system;
    const dal_mechanism *m;
    dal_ports *ports;
    dal_port_component *components;
    int n_wires;
    size_t cap_wires, cap_components;
    wire *wires;
    int first_joint; /* component of joint 0; the ground is 0, body b is b + 1 */
} drawer;

/* ---- what flows -------------------------------------------------------------------- */

/* Parts of a motion, and of a wrench. */
enum { PLACE = 1, AXES = 2, VELOCITY = 4, SPIN = 8, ACCELERATION = 16, SPIN_RATE = 32, FORCE = 64, TORQUE = 128 };
enum { OF_POINTS = PLACE | VELOCITY | ACCELERATION | FORCE };

/* (19), (25), (27), (17) by name; space has the axes of the port as the columns of a matrix and its spin as a vector. */
static const struct part {
    int bit, n_planar, n_spatial;
    const char *planar[2], *spatial[9];
} parts[] = {
    {PLACE, 2, 3, {"x", "y"}, {"x", "y", "z"}},
    {AXES, 1, 9, {"theta"}, {"R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"}},
    {VELOCITY, 2, 3, {"x'", "y'"}, {"x'", "y'", "z'"}},
    {SPIN, 1, 3, {"theta'"}, {"wx", "wy", "wz"}},
    {ACCELERATION, 2, 3, {"x''", "y''"}, {"x''", "y''", "z''"}},
    {SPIN_RATE, 1, 3, {"theta''"}, {"wx'", "wy'", "wz'"}},
    {FORCE, 2, 3, {"Fx", "Fy"}, {"Fx", "Fy", "Fz"}},
    {TORQUE, 1, 3, {"Cz"}, {"Cx", "Cy", "Cz"}},
};
enum { PARTS = sizeof parts / sizeof *parts };

static dal_port_flow flow_of(drawer *d, dal_port_quantity quantity, int mask)
{
    const bool planar = d->spec->space == DAL_PLANAR;
    const char **names = DAL_NEW(&d->arena, const char *, 24);
    dal_port_flow flow = {quantity, 0, names};
    for (int p = 0; p < PARTS; p++)
        for (int i = 0; (mask & parts[p].bit) && i < (planar ? parts[p].n_planar : parts[p].n_spatial); i++)
            names[flow.n++] = planar ? parts[p].planar[i] : parts[p].spatial[i];
    return flow;
}

/* A coordinate of a joint, up to this order: "angle", "angle'", "angle''". */
static dal_port_flow coordinate_of(drawer *d, const char *name, int order)
{
    const char **names = DAL_NEW(&d->arena, const char *, 3);
    for (int k = 0; k <= order; k++)
        names[k] = dal_arena_print(&d->arena, "%s%.*s", name, k, "''");
    return (dal_port_flow){DAL_PORT_COORDINATE, order + 1, names};
}

static dal_port_flow effort_of(drawer *d, bool angular)
{
    const char **names = DAL_NEW(&d->arena, const char *, 1);
    names[0] = angular ? "torque" : "force";
    return (dal_port_flow){DAL_PORT_EFFORT, 1, names};
}

static bool is_particle(const drawer *d, int body)
{
    return body != DAL_GROUND && d->m->bodies[body].particle;
}

/* ---- components and wires ------------------------------------------------------------ */

static dal_port_component *add_component(drawer *d, const char *name, dal_component_kind kind, const char *type, const char *title)
{
    dal_port_component *c = DAL_PUSH(&d->arena, d->components, d->ports->n_components, d->cap_components);
    *c = (dal_port_component){.name = dal_arena_copy(&d->arena, name, strlen(name)),
                              .kind = kind,
                              .type = dal_arena_copy(&d->arena, type, strlen(type)),
                              .title = title ? dal_arena_copy(&d->arena, title, strlen(title)) : "",
                              .freedoms = -1,
                              .leaves = "",
                              .carries = ""};
    return c;
}

/* "knee" of "left.thigh.knee", where the body is "left.thigh"; "" for its origin. */
static const char *point_name(const drawer *d, int body, const char *text)
{
    const char *name = body == DAL_GROUND ? "ground" : d->m->bodies[body].name;
    size_t n = strlen(name);
    if (strncmp(text, name, n)) /* the ground of an included model that another body carries */
        return text;
    return text[n] == '.' ? text + n + 1 : text + n;
}

/* From a point of a body to the next free port of the last component; `mask`: the parts of motion and wrench. */
static void wire_body(drawer *d, int body, const char *point, const double *at, const char *port, int mask)
{
    if (is_particle(d, body))
        mask &= OF_POINTS;
    wire *w = DAL_PUSH(&d->arena, d->wires, d->n_wires, d->cap_wires);
    const char *name = dal_arena_copy(&d->arena, point, strlen(point));
    *w = (wire){{{body + 1, name, at}, {d->ports->n_components - 1, port, NULL}},
                flow_of(d, DAL_PORT_MOTION, mask & ~(FORCE | TORQUE)),
                flow_of(d, DAL_PORT_WRENCH, mask & (FORCE | TORQUE))};
}

static void wire_joint(drawer *d, int joint, int measure, const char *port, int order)
{
    const dal_joint *j = &d->m->joints[joint];
    const char *name = "coordinate";
    for (int k = 0; k < j->n_coordinates; k++)
        if (j->coordinate[k] == measure && dal_joint_coordinate_name(j, d->spec->space, k))
            name = dal_joint_coordinate_name(j, d->spec->space, k);
    name = dal_arena_copy(&d->arena, name, strlen(name));
    wire *w = DAL_PUSH(&d->arena, d->wires, d->n_wires, d->cap_wires);
    *w = (wire){{{d->first_joint + joint, name, NULL}, {d->ports->n_components - 1, port, NULL}},
                coordinate_of(d, name, order),
                effort_of(d, d->m->measures[measure].kind == DAL_MEASURE_ANGLE)};
}

enum { HELD = PLACE | AXES | VELOCITY | SPIN | ACCELERATION | SPIN_RATE | FORCE | TORQUE }; /* by a constraint */
enum { PUSHED = PLACE | AXES | VELOCITY | SPIN | FORCE | TORQUE };                          /* by a force */

/* ---- ground and bodies ----------------------------------------------------------------- */

static void add_bodies(drawer *d)
{
    /* [space][particle, angles, Euler parameters] */
    static const char *const names[2][3][15] = {
        {{"x", "y", "x'", "y'"}, {"x", "y", "theta", "x'", "y'", "theta'"}, {"x", "y", "e0", "e1", "x'", "y'", "e0'", "e1'"}},
        {{"x", "y", "z", "x'", "y'", "z'"},
         {"x", "y", "z", "e1", "e2", "e3", "x'", "y'", "z'", "e1'", "e2'", "e3'"},
         {"x", "y", "z", "e0", "e1", "e2", "e3", "x'", "y'", "z'", "e0'", "e1'", "e2'", "e3'"}}};
    const dal_layout *layout = dal_system_layout(d->system);
    add_component(d, "ground", DAL_COMPONENT_GROUND, "ground", "does not move, takes every wrench");
    for (int b = 0; b < d->m->n_bodies; b++) {
        const bool small = d->m->bodies[b].particle;
        dal_port_component *c = add_component(d, d->m->bodies[b].name, DAL_COMPONENT_BODY, small ? "particle" : "body",
                                              small ? "a mass without attitude" : "a rigid body");
        c->multipliers = layout->body[b].n_intrinsic;
        c->states = names[d->spec->space == DAL_SPATIAL][small ? 0 : 1 + c->multipliers];
        c->n_states = layout->body[b].nq + layout->body[b].nv;
    }
    d->first_joint = d->ports->n_components;
}

/* ---- joints, couplings, constraints ------------------------------------------------------ */

static const char *join(drawer *d, const char *list, const char *word)
{
    return *list ? dal_arena_print(&d->arena, "%s, %s", list, word) : dal_arena_copy(&d->arena, word, strlen(word));
}

static const char *carried_by(drawer *d, int joint, const dal_joint_spec *spec)
{
    const dal_acting *acting = dal_system_acting(d->system);
    const char *list = "";
    if (spec->drive.text || spec->drive_rate.text)
        list = join(d, list, "drive");
    for (int i = 0; i < acting->n_frictions; i++)
        if (acting->frictions[i].joint == joint) {
            list = join(d, list, "friction");
            break;
        }
    return spec->law.n ? join(d, list, "non-ideal") : list;
}

static void add_pair(drawer *d, int joint, dal_port_component *c)
{
    static const char *const port[DAL_MOST_POINTS] = {"M", "N", "P", "Q"};
    const dal_joint *j = &d->m->joints[joint];
    const dal_joint_spec *spec = &d->spec->joints[joint];
    for (int k = 0; k < j->n_coordinates; k++) {
        const char *name = dal_joint_coordinate_name(j, d->spec->space, k);
        c->leaves = name ? join(d, c->leaves, name) : c->leaves;
    }
    const int taken = j->type->written ? j->removed_near : j->n_rows - (j->drive >= 0); /* equations may depend on each other */
    if (spec->connect.n == 2 && !is_particle(d, j->marker[0].body) && !is_particle(d, j->marker[1].body) && taken >= 0)
        c->freedoms = (d->spec->space == DAL_PLANAR ? 3 : 6) - taken;
    c->carries = carried_by(d, joint, spec);
    for (int side = 0; side < DAL_MOST_POINTS && side < spec->connect.n; side++)
        wire_body(d, j->marker[side].body, point_name(d, j->marker[side].body, spec->connect.item[side].text), j->marker[side].s, port[side], HELD);
}

/* The measure of a row's term. */
static int measure_of(const dal_mechanism *m, const dal_row *row, int term)
{
    return m->terms[row->term + term].measure;
}

static void add_coupling(drawer *d, int joint)
{
    const dal_joint *j = &d->m->joints[joint];
    const dal_joint_spec *spec = &d->spec->joints[joint];
    const dal_row *row = &d->m->rows[j->row];
    static const char *const port[] = {"q1", "q2"};
    if (spec->body.text) { /* held against the ground */
        wire_body(d, DAL_GROUND, "", NULL, "M", HELD);
        wire_body(d, j->marker[1].body, point_name(d, j->marker[1].body, spec->body.text), j->marker[1].s, "N", HELD);
    } else if (spec->joint.text) {
        wire_joint(d, dal_system_joint(d->system, spec->joint.text), measure_of(d->m, row, 0), "q", 2);
    } else {
        for (int k = 0; k < spec->joints.n && k < 2; k++) /* the row has the second joint first */
            wire_joint(d, dal_system_joint(d->system, spec->joints.item[k].text), measure_of(d->m, row, 1 - k), port[k], 2);
    }
}

/* Bodies that the measures of a component's rows are made of. */
static void add_constraint(drawer *d, const dal_joint *j)
{
    bool *seen = DAL_NEW(&d->arena, bool, d->m->n_bodies);
    int n = 0;
    for (int r = j->row; r < j->row + j->n_rows; r++)
        for (int t = 0; t < d->m->rows[r].n_terms; t++) {
            const dal_measure *measure = &d->m->measures[measure_of(d->m, &d->m->rows[r], t)];
            for (int k = 0; k < 4; k++) {
                int body = measure->kind == DAL_MEASURE_COORDINATE || measure->vector[k] < 0 ? DAL_GROUND : d->m->vectors[measure->vector[k]].body;
                if (body == DAL_GROUND || seen[body])
                    continue;
                seen[body] = true;
                wire_body(d, body, "", NULL, dal_arena_print(&d->arena, "%d", ++n), HELD);
            }
        }
}

static void add_joints(drawer *d)
{
    for (int i = 0; i < d->m->n_joints; i++) { /* all joints first: couplings are wired to joints */
        const dal_joint *j = &d->m->joints[i];
        const dal_component_kind kind = i >= d->spec->n_joints                 ? DAL_COMPONENT_CONSTRAINT
                                        : j->type->class == DAL_JOINT_COUPLING ? DAL_COMPONENT_COUPLING
                                                                               : DAL_COMPONENT_JOINT;
        dal_port_component *c = add_component(d, j->name, kind, j->type->name, j->type->title);
        c->multipliers = j->n_rows;
        if (kind == DAL_COMPONENT_JOINT)
            add_pair(d, i, c);
        else if (kind == DAL_COMPONENT_COUPLING)
            add_coupling(d, i);
        else
            add_constraint(d, j);
    }
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* The body that a dotted name begins with; the ground where none does. */
static int body_of(const drawer *d, const char *text)
{
    int best = DAL_GROUND;
    size_t longest = 0;
    for (int b = 0; b < d->m->n_bodies; b++) {
        size_t n = strlen(d->m->bodies[b].name);
        if (n > longest && !strncmp(text, d->m->bodies[b].name, n) && (!text[n] || text[n] == '.'))
            best = b, longest = n;
    }
    return best;
}

/* A spring acts along a line, a torque turns; the others may act in any way. */
static int mask_of(const dal_force_spec *f)
{
    switch (dal_force_type_find(f->type.text)->acts) {
    case DAL_ACTS_BY_FORCE: return f->connect.n ? PLACE | VELOCITY | FORCE : PUSHED & ~TORQUE;
    case DAL_ACTS_BY_TORQUE: return AXES | SPIN | TORQUE;
    case DAL_ACTS_ANY_WAY: break;
    }
    return PUSHED;
}

/* Between two points: their length is a measure, second end first. */
static void wire_ends(drawer *d, int force, const dal_force_spec *f)
{
    static const char *const port[2] = {"M", "N"};
    const int number = dal_system_acting(d->system)->forces[force].measure;
    const dal_measure *measure = number < 0 ? NULL : &d->m->measures[number];
    for (int k = 0; k < 2; k++) {
        const dal_vector *v = measure && measure->kind == DAL_MEASURE_LENGTH ? &d->m->vectors[measure->vector[1 - k]] : NULL;
        const char *text = f->connect.item[k].text;
        const int body = v ? v->body : body_of(d, text);
        wire_body(d, body, point_name(d, body, text), v ? v->s : NULL, port[k], mask_of(f));
    }
}

/* Gravity towards a centre: on one body, or on all. */
static void wire_center(drawer *d, const dal_force_spec *f)
{
    const int only = f->body.text ? body_of(d, f->body.text) : DAL_GROUND;
    int n = 0;
    for (int b = 0; b < d->m->n_bodies; b++)
        if (only == DAL_GROUND || only == b)
            wire_body(d, b, "center", d->m->bodies[b].center, dal_arena_print(&d->arena, "%d", ++n), PLACE | AXES | FORCE | TORQUE);
}

static void wire_force(drawer *d, int force, const dal_force_spec *f)
{
    if (f->mu.text) {
        wire_center(d, f);
    } else if (f->joint.text) {
        wire_joint(d, dal_system_joint(d->system, f->joint.text), dal_system_acting(d->system)->forces[force].measure, "q", 1);
    } else if (f->connect.n == 2) {
        wire_ends(d, force, f);
    } else if (f->body.text) {
        const int body = body_of(d, f->body.text);
        wire_body(d, body, point_name(d, body, f->body.text), NULL, "M", mask_of(f));
    }
}

static void add_forces(drawer *d)
{
    for (int i = 0; i < d->spec->n_forces; i++) {
        const dal_force_spec *f = &d->spec->forces[i];
        add_component(d, f->name.text, DAL_COMPONENT_FORCE, f->type.text, dal_force_type_find(f->type.text)->title);
        wire_force(d, i, f);
    }
}

/* ---- ports -------------------------------------------------------------------------------------- */

static void fill_port(dal_port *port, const end *e, int peer, dal_port_flow out, dal_port_flow in)
{
    *port = (dal_port){.component = e->component, .name = e->name, .placed = e->at != NULL, .peer = peer, .out = out, .in = in};
    for (int k = 0; e->at && k < 3; k++)
        port->at[k] = e->at[k];
}

/* Two ports a wire, those of a component together. */
static void sort_ports(drawer *d)
{
    const int n = d->ports->n_components;
    int *next = DAL_NEW(&d->arena, int, n + 1), total = 0;
    for (int i = 0; i < d->n_wires; i++)
        for (int k = 0; k < 2; k++)
            d->components[d->wires[i].end[k].component].n_ports++;
    for (int c = 0; c < n; c++) {
        d->components[c].port = next[c] = total;
        total += d->components[c].n_ports;
        d->ports->states += d->components[c].n_states;
        d->ports->multipliers += d->components[c].multipliers;
    }
    dal_port *ports = DAL_NEW(&d->arena, dal_port, total);
    for (int i = 0; i < d->n_wires; i++) {
        const wire *w = &d->wires[i];
        const int carrier = next[w->end[0].component]++, other = next[w->end[1].component]++;
        fill_port(&ports[carrier], &w->end[0], other, w->given, w->answer);
        fill_port(&ports[other], &w->end[1], carrier, w->answer, w->given);
    }
    d->ports->n_ports = total;
    d->ports->ports = ports;
    d->ports->components = d->components;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* By Euler parameters if the model chooses these, else by angles. An unknown word is left to the compiler. */
static bool choose_attitude(const drawer *d, dal_spec *base)
{
    const char *word = d->spec->simulate.coordinates.name.text;
    for (int i = 0; word && dal_families[i]; i++)
        if (!strcmp(dal_families[i]->name, word))
            return dal_families[i]->attitude == DAL_OWN_PARAMETERS || dal_spec_set(base, "coordinates", dal_families[0]->name, d->heard);
    return true;
}

/* In a formulation that applies to every model. */
static dal_status compile_model(drawer *d)
{
    dal_spec base = *d->spec;
    base.memory = &d->arena;
    if (!dal_spec_set(&base, "formulation", dal_formulations[0]->name, d->heard) || !choose_attitude(d, &base))
        return DAL_BAD_MODEL;
    return dal_compile_anyway(&d->arena.allocator, &base, d->heard, &d->system);
}

static dal_status refuse_own_coordinates(drawer *d)
{
    dal_error(d->messages, d->spec->coordinates[0].name.mark,
              "the bodies of this model are placed by its own coordinates ('%s'%s) and have no states of their own: it is not a network of "
              "components; place "
              "them by `position:` and hold them by joints",
              d->spec->coordinates[0].name.text, d->spec->n_coordinates > 1 ? ", ..." : "");
    return DAL_BAD_MODEL;
}

static dal_status describe_ports(void *user)
{
    drawer *d = user;
    const dal_spec *spec = d->spec;
    if (spec->n_coordinates)
        return refuse_own_coordinates(d);
    dal_status status = compile_model(d);
    if (status != DAL_OK) {
        dal_pass_all(d->messages, d->heard);
        return status;
    }
    const char *name = spec->name.text ? spec->name.text : spec->file ? spec->file : "";
    d->m = dal_system_layout(d->system)->mechanism;
    d->ports = DAL_NEW(&d->arena, dal_ports, 1);
    d->ports->model = dal_arena_copy(&d->arena, name, strlen(name));
    d->ports->space = spec->space;
    for (int k = 0; k < 3; k++)
        d->ports->gravity |= dal_system_acting(d->system)->gravity[k] != 0;
    add_bodies(d);
    add_joints(d);
    add_forces(d);
    sort_ports(d);
    return DAL_OK;
}

dal_status dal_ports_create(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_ports **ports)
{
    drawer d = {.spec = spec, .messages = messages};
    if (ports)
        *ports = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, ports) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    dal_arena_begin(&d.arena, allocator);
    d.heard = dal_messages_create(&d.arena.allocator);
    dal_status status = d.heard ? dal_arena_try(&d.arena, describe_ports, &d) : DAL_NO_MEMORY;
    dal_system_free(d.system);
    dal_messages_free(d.heard);
    return dal_arena_deliver(&d.arena, status == DAL_OK, status, d.ports, offsetof(dal_ports, memory), ports);
}

void dal_ports_free(dal_ports *ports)
{
    if (ports)
        dal_arena_dispose(ports->memory);
}
