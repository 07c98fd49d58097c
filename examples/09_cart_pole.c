/* A pole on a cart, caught by a controller that is written here: dal_step in a plain loop, the force set between the steps. The force is linear in the
 * state, u = -K (x, angle, x', angle'); the gains place all poles of the linear equations at -4/s and -6/s. */
#include "example.h"

#include <math.h>
#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "inputs: {u: 0}\n"
                            "bodies:\n"
                            "  cart: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0, fix: true}\n"
                            "  pole: {mass: 0.2, inertia: 0.2*0.6^2/12, angle: 90*deg - 0.4, fix: true, points: {P: [-0.3, 0]}}\n"
                            "joints:\n"
                            "  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n"
                            "  pin: {type: revolute, connect: [cart, pole.P]}\n"
                            "forces:\n"
                            "  push: {type: force, joint: track, value: u}\n"
                            "simulate: {coordinates: joint}\n"
                            "record: [track.distance, pin.angle, track.distance', pin.angle', u]\n";

/* Near the upright pole, with the mass M of the cart, m, l, J of the pole (half its length, about its centre), tilt counted to the left:
 *     (M + m) x'' - m l tilt'' = u,     -m l x'' + (J + m l^2) tilt'' = m g l tilt
 * solved for the accelerations: x'' = a tilt + p u, tilt'' = b tilt + r u. With u = -K (x, tilt, x', tilt') the characteristic polynomial is
 *     s^4 + (p K2 + r K3) s^3 + (p K0 + r K1 - b) s^2 - (p b - r a) (K2 s + K0)
 * and has to be (s + 4)^2 (s + 6)^2. */
static void gains(double K[4])
{
    const double M = 1, m = 0.2, l = 0.3, J = m * 0.36 / 12, g = 9.81;
    const double D = (M + m) * (J + m * l * l) - m * l * m * l;
    const double a = m * l * m * l * g / D, p = (J + m * l * l) / D;
    const double b = (M + m) * m * l * g / D, r = m * l / D;
    const double wanted[4] = {576, 480, 148, 20}; /* of 1, s, s^2, s^3 */
    K[0] = -wanted[0] / (p * b - r * a);
    K[2] = -wanted[1] / (p * b - r * a);
    K[1] = (wanted[2] + b - p * K[0]) / r;
    K[3] = (wanted[3] - p * K[2]) / r;
}

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    dal_simulation *simulation;
    need(dal_spec_parse(NULL, "cart-pole", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    need(dal_simulation_create(system, NULL, messages, &simulation), messages);
    const int x = dal_system_column(system, "track.distance");
    const double pi = acos(-1), period = 5e-3;
    double K[4];
    gains(K);
    for (int k = 0; k <= 800; k++) {
        const double *row = dal_simulation_values(simulation, NULL);
        const double tilt = row[x + 1] - pi / 2;
        const double u = -(K[0] * row[x] + K[1] * tilt + K[2] * row[x + 2] + K[3] * row[x + 3]);
        if (k % 100 == 0)
            printf("t = %.1f s: cart at %7.4f m, pole %8.4f deg from upright, force %8.4f N\n", row[0], row[x], tilt * 180 / pi, u);
        if (!dal_simulation_set_input(simulation, "u", u))
            need(DAL_BAD_COMMAND, messages);
        need(dal_step(simulation, (k + 1) * period), messages);
    }
    dal_simulation_free(simulation);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
