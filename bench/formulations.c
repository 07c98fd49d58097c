/* The cost of generality: one evaluation of the accelerations of a planar chain of ten bodies, under one formulation in one family.
 *
 *   bench_formulations FAMILY FORMULATION EVALUATIONS
 *
 * prints the seconds that an evaluation takes (thread CPU time, the fastest of several batches), or the reason why the formulation
 * does not apply. bench/formulations runs it over all of them, and under callgrind for the number of instructions: the difference
 * of two runs with different numbers of evaluations, so that reading and compiling the model drop out.
 */
#include "dalembert/dalembert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char model[] =
    "dalembert: 1\n"
    "name: Chain of ten\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  link: {repeat: {i: 1..10}, mass: 1 + 0.1*i, inertia: 0.1 + 0.01*i, position: [i - 0.5, 0.1*i], angle: 0.2, rate: 0.3*i,\n"
    "         points: {A: [-0.5, 0], B: [0.5, 0]}}\n"
    "joints:\n"
    "  first: {type: revolute, connect: [ground, link.1.A]}\n"
    "  pin: {repeat: {i: 2..10}, type: revolute, connect: ['link.{i-1}.B', 'link.{i}.A']}\n"
    "simulate: {until: 1}\n";

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int measure(const dal_system *system, int evaluations)
{
    dal_state *state = dal_state_create(NULL, system);
    double best = HUGE_VAL;
    if (!state)
        return 1;
    for (int batch = 0; batch < (evaluations < 1000 ? 1 : 10); batch++) {
        double start = now();
        for (int i = 0; i < evaluations; i++)
            if (dal_state_evaluate(state, NULL) != DAL_OK)
                return 1;
        double taken = (now() - start) / evaluations;
        best = taken < best ? taken : best;
    }
    printf("%.3e\n", best);
    dal_state_free(state);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s FAMILY FORMULATION EVALUATIONS\n", argv[0]);
        return 2;
    }
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    int status = 1;
    if (dal_spec_parse(NULL, "chain", model, strlen(model), 0, NULL, messages, &spec) == DAL_OK &&
        dal_spec_set(spec, "coordinates", argv[1], messages) && dal_spec_set(spec, "formulation", argv[2], messages) &&
        dal_compile(NULL, spec, messages, &system) == DAL_OK)
        status = measure(system, atoi(argv[3]));
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            printf("%s\n", m->text);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return status;
}
