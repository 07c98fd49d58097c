/* A model as a network of causal components: bodies, joints, couplings and force elements, each with its ports, and the quantities that flow through
 * them (`planar-component-library`).
 *
 *     dal_ports *ports;
 *     dal_ports_create(NULL, spec, messages, &ports);
 *     ... ports->components[i], ports->ports[k] ...
 *     dal_ports_free(ports);
 *
 * A body integrates its own states from the wrenches at its ports, (5) and (9), and publishes their motion, (19), (25), (27). A joint receives the
 * motion of its two ports and publishes the wrenches (17) made of its multipliers, which are implicit variables of its Baumgarte equation (23). A
 * body whose attitude is described by Euler parameters has one multiplier of its own, of the equation of their unit length. An element that acts on
 * the coordinate of a joint (a motor, a gear) is wired to the joint: it receives the coordinate and returns an effort along it, which the joint adds
 * to its wrenches.
 *
 * Each port belongs to one wire: the output of one end is the input of the other end.
 */
#ifndef DALEMBERT_PORTS_H
#define DALEMBERT_PORTS_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dal_component_kind {
    DAL_COMPONENT_GROUND,
    DAL_COMPONENT_BODY,
    DAL_COMPONENT_JOINT,      /* between two bodies */
    DAL_COMPONENT_COUPLING,   /* on coordinates of joints or of a body: gear, drive, lock */
    DAL_COMPONENT_CONSTRAINT, /* an entry of `constraints:` */
    DAL_COMPONENT_FORCE
} dal_component_kind;

typedef enum dal_port_quantity {
    DAL_PORT_MOTION,     /* of a port of a body: position, axes, velocity, acceleration, as far as the other end uses them */
    DAL_PORT_WRENCH,     /* force and torque on it */
    DAL_PORT_COORDINATE, /* of a joint, with its rate and acceleration, as far as they are used */
    DAL_PORT_EFFORT      /* force or torque along it */
} dal_port_quantity;

/* The quantity that flows through a port in one direction. */
typedef struct dal_port_flow {
    dal_port_quantity quantity;
    int n;                        /* numbers */
    const char *const *variables; /* their names: "x", "theta'", "Fy" */
} dal_port_flow;

typedef struct dal_port {
    int component;
    const char *name; /* of a body: the point, "" for its origin; of a joint: M, N, or a coordinate */
    bool placed;      /* `at` is known */
    double at[3];     /* of a body or the ground: the point in its axes, m */
    int peer;         /* the port at the other end of the wire */
    dal_port_flow out, in;
} dal_port;

typedef struct dal_port_component {
    const char *name;
    dal_component_kind kind;
    const char *type;  /* "body", "particle", "revolute", "motor", ... */
    const char *title; /* one line about the type */
    int port, n_ports; /* the first, and how many */
    int n_states;      /* integrated by it */
    const char *const *states;
    int multipliers;     /* implicit variables: one for each equation (23); of a body: 1 with Euler parameters, else 0 */
    int freedoms;        /* of a joint: freedoms of the relative motion that it allows, its drive not counted; else -1 */
    const char *leaves;  /* its coordinates: "angle", "distance, angle"; or "" */
    const char *carries; /* "drive", "friction", "non-ideal": its effects in addition to the constraint; or "" */
} dal_port_component;

typedef struct dal_ports {
    const char *model;
    dal_space space;
    bool gravity; /* acts in every body */
    int n_components, n_ports;
    const dal_port_component *components; /* the ground, bodies, joints, constraints, forces, in the order of the model */
    const dal_port *ports;                /* those of a component are consecutive */
    int states, multipliers;              /* of all components */
    void *memory;
} dal_ports;

/* Attitudes are Euler parameters if the model's `coordinates:` are `euler`, else angles; nothing else of its `simulate:` matters. DAL_BAD_MODEL with
 * messages: the model cannot be compiled, or coordinates of its own place its bodies. */
DAL_API dal_status dal_ports_create(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_ports **ports);
DAL_API void dal_ports_free(dal_ports *ports);

/* Tables for people, and one JSON object. As snprintf does: returns the length needed; if the buffer is NULL, only the length is computed; -1:
 * `ports` is NULL. The result of dal_ports_create must not be changed. */
DAL_API int dal_ports_text(const dal_ports *ports, char *buffer, size_t size);
DAL_API int dal_ports_json(const dal_ports *ports, char *buffer, size_t size);

enum { DAL_PORTS_DRAWN = 2000 }; /* components that a picture may have */

/* The network as a picture: *text is an SVG document, allocated by the allocator (NULL: malloc), and belongs to the caller. DAL_BAD_MODEL with a
 * message: there are too many components. */
DAL_API dal_status dal_ports_svg(const dal_allocator *allocator, const dal_ports *ports, dal_messages *messages, char **text);

#ifdef __cplusplus
}
#endif

#endif
