/* N four-bar linkages in MuJoCo: the loops are soft (`connect`), solved by Newton's method from a cold start.
 *
 *   bench_mujoco_four_bars FOLDER acceleration|run N
 */
#include "measure.h"
#include "models.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    mjModel *model;
    mjData *data;
} subject;

/* Cranks and couplers alternate; a coupler turns against its crank. */
static void set_state(subject *s, double angle)
{
    for (int i = 0; i < s->model->nv; i++) {
        s->data->qpos[i] = i % 2 ? -angle : angle;
        s->data->qvel[i] = i % 2 ? 1 : -1;
    }
}

static void accelerate(void *data)
{
    subject *s = data;
    mju_zero(s->data->qacc_warmstart, s->model->nv);
    mj_forward(s->model, s->data);
}

static void acceleration(subject *s, int n, const char *name)
{
    const double exact = bench_four_bars_acceleration(n, -0.5);
    double error = 0;
    set_state(s, -0.5);
    accelerate(s);
    for (int i = 0; i < s->model->nv; i++)
        error = fmax(error, fabs(s->data->qacc[i] - (i % 2 ? -exact : exact)));
    bench_report("mujoco", name, "error", error);
    bench_report("mujoco", name, "acceleration", bench_fastest(accelerate, s));
}

static void run(subject *s, int n, const char *name)
{
    const double until = 10;
    const int steps = (int)lround(until / s->model->opt.timestep);
    double seconds = 0, residual = 0;
    set_state(s, 0);
    for (int i = 0; i < steps; i++) {
        double start = bench_clock();
        mj_step(s->model, s->data);
        seconds += bench_clock() - start;
        for (int k = 0; k < s->data->nefc; k++)
            residual = fmax(residual, fabs(s->data->efc_pos[k]));
    }
    bench_report("mujoco", name, "second", 1e3 * seconds / until);
    bench_report("mujoco", name, "residual", residual);
    bench_report("mujoco", name, "angle", fabs(s->data->qpos[0] - bench_four_bars_angle(n, until)));
}

int main(int argc, char **argv)
{
    const int n = argc == 4 ? atoi(argv[3]) : 0;
    char name[32], file[48], error[1000] = "";
    if (n < 1)
        return 2;
    snprintf(name, sizeof name, "fourbar%d", n);
    snprintf(file, sizeof file, "%s.xml", name);
    char *text = bench_four_bars_mjcf(n, 1e-3);
    subject s = {.model = mj_loadXML(bench_file(argv[1], file, text), NULL, error, sizeof error)};
    free(text);
    if (!s.model) {
        fprintf(stderr, "%s: %s\n", name, error);
        return 1;
    }
    s.data = mj_makeData(s.model);
    if (!strcmp(argv[2], "run"))
        run(&s, n, name);
    else
        acceleration(&s, n, name);
    mj_deleteData(s.data);
    mj_deleteModel(s.model);
    return 0;
}
