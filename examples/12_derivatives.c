/* Exact derivatives of the accelerations of a four-bar linkage with a spring, by its coordinates, its velocities, a torque and a length. */
#include "example.h"

#include <string.h>

static const char text[] = "dalembert: 1\n"
                           "space: planar\n"
                           "parameters: {a: 0.3, b: 0.8, c: 0.6, k: 20}\n"
                           "gravity: [0, -9.81]\n"
                           "ground: {points: {D: [0.9, 0]}}\n"
                           "bodies:\n"
                           "  crank: {mass: 1, inertia: 0.01, angle: 1.2, rate: 2, points: {B: [a, 0]}}\n"
                           "  rod: {mass: 2, inertia: 0.1, points: {C: [b, 0]}}\n"
                           "  rocker: {mass: 1, inertia: 0.05, points: {C: [c, 0]}}\n"
                           "joints:\n"
                           "  A: {type: revolute, connect: [ground, crank]}\n"
                           "  B: {type: revolute, connect: [crank.B, rod]}\n"
                           "  C: {type: revolute, connect: [rod.C, rocker.C]}\n"
                           "  D: {type: revolute, connect: [ground.D, rocker]}\n"
                           "forces:\n"
                           "  spring: {type: torsional-spring-damper, joint: A, stiffness: k, free: 0}\n"
                           "simulate: {coordinates: joint}\n";

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "linkage", text, strlen(text), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    dal_state *state = dal_state_create(NULL, system);
    enum { N = 3 };
    double vd[N], dq[N * N], dv[N * N], dtau[N * N], by_length[N];
    const dal_derivatives out = {.vd = vd, .dq = dq, .dv = dv, .dtau = dtau};
    dal_parameter_result length = {.dvd = by_length};
    need(dal_derivatives_describe(system).velocities == N ? DAL_OK : DAL_BAD_MODEL, messages);
    need(dal_forward_derivatives(state, &out, messages), messages);
    need(dal_parameter_derivatives(state, "b", &length, messages), messages);
    for (int i = 0; i < N; i++) {
        char name[32];
        dal_rate_label(system, i, name, sizeof name);
        printf("%-10s %9.4f  by q %9.3f %9.3f %9.3f  by v %7.3f %7.3f %7.3f  by tau %8.4f %8.4f %8.4f  by b %9.4f\n", name, vd[i], dq[N * i],
               dq[N * i + 1], dq[N * i + 2], dv[N * i], dv[N * i + 1], dv[N * i + 2], dtau[N * i], dtau[N * i + 1], dtau[N * i + 2], by_length[i]);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
