/* One evaluation by hand: no run, only accelerations and reactions at a state. A beam on a hinge and a string, held level;
 * then the string is cut, which is another system. */
#include "example.h"

#include <math.h>
#include <string.h>

static const char head[] = "dalembert: 1\n"
                           "space: planar\n"
                           "gravity: [0, -9.81]\n"
                           "ground: {points: {hook: [2, 1.5]}}\n"
                           "bodies:\n"
                           "  beam: {mass: 10, inertia: 10*4/12, position: [1, 0], angle: 0, points: {foot: [-1, 0], tip: [1, 0]}}\n"
                           "joints:\n"
                           "  hinge: {type: revolute, connect: [ground, beam.foot]}\n";
static const char string_joint[] = "  string: {type: distance, connect: [ground.hook, beam.tip]}\n";

/* Rounding errors are printed as zero. */
static double clean(double x)
{
    return fabs(x) < 1e-9 ? 0 : x;
}

static void look(const char *title, const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "beam", text, strlen(text), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    dal_state *state = dal_state_create(NULL, system); /* at the assembled start values */
    if (!state)
        exit(DAL_NO_MEMORY);
    need(dal_state_evaluate(state, messages), messages);

    double force[3], torque[3];
    dal_motion beam = dal_state_body(state, dal_system_body(system, "beam"));
    dal_state_reaction(state, dal_system_joint(system, "hinge"), force, torque);
    printf("%s: the beam turns with %.4f rad/s^2, the hinge carries %.4f N\n", title, clean(beam.alpha[2]), force[1]);
    if (dal_system_joint(system, "string") >= 0) {
        dal_state_reaction(state, dal_system_joint(system, "string"), force, torque);
        printf("%s: the string pulls the tip up with %.4f N\n", title, force[1]);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

int main(void)
{
    char held[1024];
    snprintf(held, sizeof held, "%s%s", head, string_joint);
    look("held", held);
    look("cut", head);
    return 0;
}
