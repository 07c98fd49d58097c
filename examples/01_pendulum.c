/* The whole road in one page: a model as text, a system, a run, its evidence. */
#include "example.h"

#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "name: Pendulum\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  rod: {mass: 1.5, inertia: 0.18, angle: -30*deg, points: {O: [-0.6, 0]}}\n"
                            "joints:\n"
                            "  pivot: {type: revolute, connect: [ground, rod.O]}\n"
                            "simulate: {until: 3}\n";

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    need(dal_spec_parse(NULL, "pendulum", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    dal_spec_free(spec); /* the system does not need it any more */

    dal_evidence evidence;
    need(dal_run(system, NULL, messages, &evidence), messages);
    printf("%s: %d freedom, %d constraints\n", evidence.info.model, evidence.info.freedoms, evidence.info.constraints);
    printf("reached %g s\n", evidence.time_end);
    printf("constraints held to 1e-9: %s\n", evidence.position_residual < 1e-9 ? "yes" : "no");
    printf("energy kept to 1e-7:      %s\n", evidence.energy_drift < 1e-7 ? "yes" : "no");

    dal_system_free(system);
    dal_messages_free(messages);
    return 0;
}
