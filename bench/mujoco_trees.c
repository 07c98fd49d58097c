/* The trees in MuJoCo. Forward dynamics is mj_forward without constraints and contacts; inverse dynamics and the mass matrix are the
 * stages of its pipeline that they need.
 *
 *   bench_mujoco_trees FOLDER MODEL...
 */
#include "measure.h"
#include "models.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    mjModel *model;
    mjData *data;
    double *torque;
} subject;

/* Its readers refuse elements nested deeper than a hundred: long chains come as URDF, which is flat. */
static mjModel *load(const bench_tree *tree, const char *folder)
{
    enum { DEEPEST = 90 };
    bool flat = tree->n_bodies > DEEPEST;
    char name[64], error[1000] = "", *text = flat ? bench_tree_urdf(tree) : bench_tree_mjcf(tree);
    snprintf(name, sizeof name, "%s.%s", tree->name, flat ? "urdf" : "xml");
    mjModel *model = mj_loadXML(bench_file(folder, name, text), NULL, error, sizeof error);
    free(text);
    if (!model)
        fprintf(stderr, "%s: %s\n", name, error);
    else
        model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
    return model;
}

static void forward(void *data)
{
    subject *s = data;
    mj_forward(s->model, s->data);
}

static void inverse(void *data)
{
    subject *s = data;
    mj_kinematics(s->model, s->data);
    mj_comPos(s->model, s->data);
    mj_comVel(s->model, s->data);
    mj_rne(s->model, s->data, 1, s->torque);
}

static void mass(void *data)
{
    subject *s = data;
    mj_kinematics(s->model, s->data);
    mj_comPos(s->model, s->data);
    mj_crb(s->model, s->data);
}

static bool agree(subject *s, const char *folder, const char *name)
{
    const int n = s->model->nv;
    double *probe = calloc((size_t)n, sizeof *probe), *Mx = calloc((size_t)n, sizeof *Mx);
    forward(s);
    bool good = bench_agrees(folder, "mujoco", name, "forward", n, s->data->qacc);
    for (int k = 0; k < n; k++)
        s->data->qacc[k] = probe[k] = bench_probe(k);
    inverse(s);
    good = bench_agrees(folder, "mujoco", name, "inverse", n, s->torque) && good;
    mass(s);
    mj_mulM(s->model, s->data, Mx, probe);
    good = bench_agrees(folder, "mujoco", name, "mass", n, Mx) && good;
    free(probe), free(Mx);
    return good;
}

static bool measure(const char *folder, const char *name)
{
    bench_tree *tree = bench_tree_create(name);
    subject s = {.model = tree ? load(tree, folder) : NULL};
    if (!s.model)
        return false;
    s.data = mj_makeData(s.model);
    s.torque = calloc((size_t)tree->nv, sizeof(double));
    memcpy(s.data->qpos, tree->q, (size_t)tree->nq * sizeof(double));
    memcpy(s.data->qvel, tree->v, (size_t)tree->nv * sizeof(double));
    memcpy(s.data->qfrc_applied, tree->tau, (size_t)tree->nv * sizeof(double));
    bool good = agree(&s, folder, name);
    if (good) {
        bench_report("mujoco", name, "forward", bench_fastest(forward, &s));
        bench_report("mujoco", name, "inverse", bench_fastest(inverse, &s));
        bench_report("mujoco", name, "mass", bench_fastest(mass, &s));
    }
    mj_deleteData(s.data);
    mj_deleteModel(s.model);
    free(s.torque);
    bench_tree_free(tree);
    return good;
}

int main(int argc, char **argv)
{
    for (int a = 2; a < argc; a++)
        if (!measure(argv[1], argv[a]))
            return 1;
    return 0;
}
