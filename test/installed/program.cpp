// The headers in C++: a pendulum, stepped.
#include "dalembert/dalembert.h"

#include <cmath>
#include <cstdio>
#include <cstring>

int main()
{
    const char text[] = "dalembert: 1\n"
                        "space: planar\n"
                        "gravity: [0, -9.81]\n"
                        "bodies: {rod: {mass: 1, inertia: 1/12, angle: 0, points: {P: [-0.5, 0]}}}\n"
                        "joints: {pin: {type: revolute, connect: [ground, rod.P]}}\n"
                        "record: [pin.angle]\n";
    dal_messages *messages = dal_messages_create(nullptr);
    dal_spec *spec = nullptr;
    dal_system *system = nullptr;
    dal_simulation *simulation = nullptr;
    dal_status status = dal_spec_parse(nullptr, "pendulum", text, std::strlen(text), 0, nullptr, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(nullptr, spec, messages, &system);
    if (status == DAL_OK)
        status = dal_simulation_create(system, nullptr, messages, &simulation);
    if (status == DAL_OK)
        status = dal_step(simulation, 0.5);
    const double angle = dal_simulation_value(simulation, dal_system_column(system, "pin.angle"));
    std::printf("%.6f rad after 0.5 s\n", angle);
    dal_simulation_free(simulation);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return status != DAL_OK || !std::isfinite(angle);
}
