/* Inputs of a model are set from C, between evaluations: here the force on a cart with a pendulum. The accelerations are
 * linear in it, which is how a controller or an optimiser would find its gain. */
#include "example.h"

#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "inputs: {u: 0}\n"
                            "bodies:\n"
                            "  cart: {mass: 2, inertia: 0.1, position: [0, 0], angle: 0}\n"
                            "  pole: {mass: 0.5, inertia: 0.5*1/12, angle: 80*deg, points: {P: [-0.5, 0]}}\n"
                            "joints:\n"
                            "  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n"
                            "  pin: {type: revolute, connect: [cart, pole.P]}\n"
                            "forces:\n"
                            "  push: {type: force, joint: track, value: u}\n";

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "cart", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    dal_state *state = dal_state_create(NULL, system);
    if (!state)
        exit(DAL_NO_MEMORY);
    int cart = dal_system_body(system, "cart"), pole = dal_system_body(system, "pole");
    for (int u = -10; u <= 10; u += 10) {
        dal_state_set_input(state, "u", u);
        need(dal_state_evaluate(state, messages), messages);
        dal_motion c = dal_state_body(state, cart), p = dal_state_body(state, pole);
        printf("u = %3d N: cart %8.5f m/s^2, pole %8.5f rad/s^2\n", u, c.acceleration[0], p.alpha[2]);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
