/* Recursive dynamics of a joint tree, without a run: the torques that hold an arm still, and how it falls without them. */
#include "example.h"

#include <string.h>

static const char text[] = "dalembert: 1\n"
                           "space: spatial\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  upper: {mass: 2, center: [0.25, 0, 0], inertia: [0.001, 0.04, 0.04], points: {elbow: [0.5, 0, 0]}}\n"
                           "  lower: {mass: 1, center: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02], position: [0.5, 0, 0]}\n"
                           "joints:\n"
                           "  shoulder: {type: revolute, connect: [ground, upper], axis: [0, 1, 0]}\n"
                           "  elbow: {type: revolute, connect: [upper.elbow, lower], axis: [0, 1, 0]}\n"
                           "simulate: {coordinates: joint}\n";

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "arm", text, strlen(text), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    dal_state *state = dal_state_create(NULL, system); /* work space here */
    double q[2] = {0.3, -0.5}, rest[2] = {0, 0}, torque[2], acceleration[2];
    need(dal_inverse_dynamics(state, q, rest, rest, NULL, torque), messages);
    need(dal_forward_dynamics(state, q, rest, NULL, NULL, acceleration), messages);
    for (int k = 0; k < 2; k++) {
        char name[32];
        dal_tree_coordinate(system, k, name, sizeof name);
        printf("%-15s %8.4f N m hold it; without them it starts with %8.4f rad/s^2\n", name, torque[k], acceleration[k]);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
