/* A double pendulum is saved half way and restored into a second simulation. Both continue with the same digits. A small push at the same place would not
 * give them; the motion is chaotic. */
#include "example.h"

#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  upper: {mass: 1, inertia: 1/12, angle: 30*deg, points: {P: [-0.5, 0], Q: [0.5, 0]}}\n"
                            "  lower: {mass: 1, inertia: 1/12, angle: 60*deg, points: {Q: [-0.5, 0]}}\n"
                            "joints:\n"
                            "  shoulder: {type: revolute, connect: [ground, upper.P]}\n"
                            "  elbow: {type: revolute, connect: [upper.Q, lower.Q]}\n"
                            "record: [shoulder.angle, elbow.angle]\n"
                            "simulate: {until: 10}\n";

static bool same(dal_simulation *a, dal_simulation *b)
{
    int n;
    const double *first = dal_simulation_values(a, &n), *second = dal_simulation_values(b, NULL);
    return memcmp(first, second, sizeof *first * (size_t)n) == 0;
}

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system;
    dal_simulation *first, *second;
    need(dal_spec_parse(NULL, "double pendulum", model, strlen(model), 0, NULL, messages, &spec), messages);
    need(dal_compile(NULL, spec, messages, &system), messages);
    need(dal_simulation_create(system, NULL, messages, &first), messages);
    need(dal_simulation_create(system, NULL, messages, &second), messages);

    need(dal_step(first, 5), messages);
    const size_t size = dal_simulation_save(first, NULL, 0); /* how much it is; then the thing itself */
    void *saved = malloc(size);
    if (!saved || dal_simulation_save(first, saved, size) != size)
        exit(DAL_NO_MEMORY);
    need(dal_simulation_restore(second, saved, size), messages);
    printf("both are at t = %g and %g s\n", dal_simulation_time(first), dal_simulation_time(second));

    for (int t = 6; t <= 10; t++) {
        need(dal_step(first, t), messages);
        need(dal_step(second, t), messages);
        printf("t = %2d s: elbow at %.4f and %.4f rad, %s\n", t, dal_simulation_value(first, 2), dal_simulation_value(second, 2),
               same(first, second) ? "the same in every bit" : "not the same");
    }
    need(dal_simulation_restore(first, saved, size), messages); /* back */
    printf("the first one is at t = %g s again\n", dal_simulation_time(first));

    ((char *)saved)[size / 2] ^= 1;
    if (dal_simulation_restore(second, saved, size) != DAL_OK)
        print_messages(messages);
    free(saved);
    dal_simulation_free(first);
    dal_simulation_free(second);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
