/* Computed torque on a robot of six joints. A controller in C is called every millisecond; it reads the state, asks the inverse dynamics for torques and
 * sets them, and they hold until it is called again. With continuous torques each error would obey
 *
 *     e'' + kd e' + kp e = 0,     e = wanted angle - angle,     kp = w^2, kd = 2 w:     e = (e0 + (e0' + w e0) t) exp(-w t)
 *
 * Held torques are late by half a period on average: the difference from this closed form is proportional to the period. */
#include "example.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 6 };
static const double w = 8; /* 1/s, of the errors */

static const char *const joints[JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                           "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
static const char *const motors[JOINTS] = {"m1", "m2", "m3", "m4", "m5", "m6"};
static const char *const torques[JOINTS] = {"u1", "u2", "u3", "u4", "u5", "u6"};

/* The motion that is wanted, and its derivatives: it starts away from the robot, which is at rest at zero. */
static void wanted(int k, double t, double of[3])
{
    const double offset = 0.3 - 0.1 * k, amplitude = 0.4, rate = 1.5 + 0.2 * k;
    of[0] = offset + amplitude * sin(rate * t);
    of[1] = amplitude * rate * cos(rate * t);
    of[2] = -amplitude * rate * rate * sin(rate * t);
}

static double closed_form(int k, double t)
{
    double start[3];
    wanted(k, 0, start);
    return (start[0] + (start[1] + w * start[0]) * t) * exp(-w * t);
}

static dal_status control(void *user, dal_simulation *simulation)
{
    (void)user;
    dal_state *state = dal_simulation_state(simulation);
    if (!state)
        return DAL_NUMERICAL;
    const double *q = dal_state_y(state), *v = q + JOINTS;
    double acceleration[JOINTS], torque[JOINTS];
    for (int k = 0; k < JOINTS; k++) {
        double d[3];
        wanted(k, dal_simulation_time(simulation), d);
        acceleration[k] = d[2] + 2 * w * (d[1] - v[k]) + w * w * (d[0] - q[k]);
    }
    const dal_status status = dal_inverse_dynamics(state, q, v, acceleration, NULL, torque);
    for (int k = 0; status == DAL_OK && k < JOINTS; k++)
        dal_simulation_set_input(simulation, torques[k], torque[k]);
    return status;
}

/* A URDF file has no motors. They are put into the description by hand: an input u1 ... u6 and a motor for every joint. */
static dal_system *robot_with_motors(const char *file, dal_messages *messages)
{
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_read(NULL, file, 0, NULL, messages, &spec), messages);
    dal_pair inputs[JOINTS] = {0};
    dal_text values[JOINTS] = {0};
    dal_force_spec *forces = calloc((size_t)(spec->n_forces + JOINTS), sizeof *forces);
    if (!forces)
        exit(DAL_NO_MEMORY);
    if (spec->n_forces)
        memcpy(forces, spec->forces, sizeof *forces * (size_t)spec->n_forces);
    for (int k = 0; k < JOINTS; k++) {
        inputs[k].name.text = values[k].text = torques[k];
        inputs[k].value.text = "0";
        dal_force_spec *motor = &forces[spec->n_forces++];
        motor->name.text = motors[k];
        motor->type.text = "motor";
        motor->joint.text = joints[k];
        motor->value = (dal_list){.n = 1, .item = &values[k]};
    }
    spec->forces = forces;
    spec->inputs = inputs;
    spec->n_inputs = JOINTS;
    need(dal_compile(NULL, spec, messages, &system), messages); /* the spec is not needed any more */
    dal_spec_free(spec);
    free(forces);
    return system;
}

/* The largest difference from the closed form over all joints, in 1 s at 20 instants; `shown`: a line for some of them. */
static double largest_difference(const dal_system *system, double period, bool shown, dal_messages *messages)
{
    const dal_run_options options = {.control = control, .period = period};
    dal_simulation *simulation;
    double most = 0;
    need(dal_simulation_create(system, &options, messages, &simulation), messages);
    for (int i = 1; i <= 20; i++) {
        const double t = 0.05 * i;
        need(dal_step(simulation, t), messages);
        const double *q = dal_state_y(dal_simulation_state(simulation));
        for (int k = 0; k < JOINTS; k++) {
            double d[3];
            wanted(k, t, d);
            const double error = d[0] - q[k], closed = closed_form(k, t);
            most = fmax(most, fabs(error - closed));
            if (shown && i % 4 == 0 && k == 1)
                printf("t = %.1f s: %s is %8.5f rad off, closed form %8.5f\n", t, joints[k], error, closed);
        }
    }
    dal_simulation_free(simulation);
    return most;
}

int main(int argc, char **argv)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = robot_with_motors(argc > 1 ? argv[1] : "models/ur5.urdf", messages);
    largest_difference(system, 1e-3, true, messages);
    for (double period = 4e-3; period > 0.4e-3; period /= 2)
        printf("period %3.1f ms: %.1e rad from the closed form at most\n", 1e3 * period, largest_difference(system, period, false, messages));
    dal_system_free(system);
    dal_messages_free(messages);
    return 0;
}
