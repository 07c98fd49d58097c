#include "output/poses.h"

#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- columns by name --------------------------------------------------------------- */

/* Files may have very many columns: their numbers, sorted by name. */
typedef struct lookup {
    dal_results *results;
    int n_slots, *slot;
} lookup;

static unsigned hash_of(const char *text)
{
    unsigned hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static int *slot_of(const lookup *in, const char *name)
{
    int k = (int)(hash_of(name) % (unsigned)in->n_slots);
    while (in->slot[k] && strcmp(in->results->columns[in->slot[k] - 1].name, name))
        k = (k + 1) % in->n_slots;
    return &in->slot[k];
}

static lookup make_lookup(dal_results *results)
{
    lookup in = {results, 2 * results->n_columns + 1, DAL_NEW(&results->arena, int, 2 * results->n_columns + 1)};
    for (int i = 0; i < results->n_columns; i++)
        *slot_of(&in, results->columns[i].name) = i + 1;
    return in;
}

/* The column `element.channel` or `element.otherwise`; -1. */
static int find_column(const lookup *in, const char *element, const char *channel, const char *otherwise)
{
    char name[1200];
    snprintf(name, sizeof name, "%.1000s.%s", element, channel);
    int k = *slot_of(in, name) - 1;
    if (k < 0 && otherwise) {
        snprintf(name, sizeof name, "%.1000s.%s", element, otherwise);
        k = *slot_of(in, name) - 1;
    }
    return k;
}

/* ---- what there is ------------------------------------------------------------------- */

/* Two columns of a planar model, three of a spatial one; missing columns, and the rest of `n`, are -1. */
static bool find_vector(const lookup *in, const char *body, bool planar, const char *const names[3], const char *const long_names[3], int n, int *at)
{
    bool whole = true;
    for (int k = 0; k < n; k++)
        at[k] = -1;
    for (int k = 0; k < (planar ? 2 : 3); k++)
        whole &= (at[k] = find_column(in, body, names[k], long_names[k])) >= 0;
    return whole;
}

static bool find_place(const lookup *in, const dal_scene_body *body, bool planar, int place[7])
{
    static const char *const names[] = {"x", "y", "z"}, *const long_names[] = {"position.x", "position.y", "position.z"},
                             *const attitude[] = {"qw", "qx", "qy", "qz"};
    bool whole = find_vector(in, body->name, planar, names, long_names, 7, place);
    for (int k = 0; k < (body->particle ? 0 : planar ? 1 : 4); k++)
        whole &= (place[3 + k] = find_column(in, body->name, planar ? "angle" : attitude[k], NULL)) >= 0;
    return whole;
}

static bool find_motion(const lookup *in, const dal_scene_body *body, bool planar, int motion[6])
{
    static const char *const names[] = {"x'", "y'", "z'"}, *const long_names[] = {"velocity.x", "velocity.y", "velocity.z"},
                             *const spin[] = {"omega.x", "omega.y", "omega.z"};
    bool whole = find_vector(in, body->name, planar, names, long_names, 6, motion);
    if (planar && !body->particle)
        whole &= (motion[5] = find_column(in, body->name, "angle'", "omega")) >= 0;
    for (int k = 0; k < 3 && !planar && !body->particle; k++)
        whole &= (motion[3 + k] = find_column(in, body->name, spin[k], NULL)) >= 0;
    return whole;
}

static bool find_reaction(const lookup *in, const char *joint, bool planar, int reaction[6])
{
    static const char *const names[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    bool some = false;
    for (int k = 0; k < 6; k++) {
        reaction[k] = planar && k == 5 ? find_column(in, joint, "torque", NULL) : find_column(in, joint, names[k], NULL);
        some |= reaction[k] >= 0;
    }
    return some;
}

static dal_status refuse_body(dal_results *results, const dal_scene *scene, const dal_scene_body *body)
{
    const char *n = body->name;
    const char *need = scene->space == DAL_PLANAR
                           ? dal_arena_print(&results->arena, body->particle ? "%s.x, %s.y" : "%s.x, %s.y, %s.angle", n, n, n)
                           : dal_arena_print(&results->arena, body->particle ? "%s.x, %s.y, %s.z" : "%s.x, %s.y, %s.z, %s.qw, %s.qx, %s.qy, %s.qz", n,
                                             n, n, n, n, n, n);
    dal_error(results->messages, (dal_mark){results->path, 0, 0},
              "does not say where '%s' is: it needs the columns %.400s of every body; 'dalembert run --motion' "
              "records them",
              n, need);
    return DAL_BAD_FILE;
}

dal_status dal_poses_find(dal_results *results, const dal_scene *scene, dal_poses *poses)
{
    const bool planar = scene->space == DAL_PLANAR;
    const lookup in = make_lookup(results);
    *poses = (dal_poses){.scene = scene, .has_motion = true};
    poses->place = DAL_NEW(&results->arena, int, 7 * scene->n_bodies);
    poses->motion = DAL_NEW(&results->arena, int, 6 * scene->n_bodies);
    poses->reaction = DAL_NEW(&results->arena, int, 6 * scene->n_joints);
    poses->values = DAL_NEW(&results->arena, double, 10 * scene->n_bodies + 6 * scene->n_joints);
    for (int b = 0; b < scene->n_bodies; b++) {
        if (!find_place(&in, &scene->bodies[b], planar, poses->place + 7 * b))
            return refuse_body(results, scene, &scene->bodies[b]);
        poses->has_motion &= find_motion(&in, &scene->bodies[b], planar, poses->motion + 6 * b);
    }
    for (int j = 0; j < scene->n_joints; j++)
        poses->has_reactions |= find_reaction(&in, scene->joints[j].name, planar, poses->reaction + 6 * j);
    return DAL_OK;
}

/* ---- one row ----------------------------------------------------------------------------- */

static double value(const double *row, int column)
{
    return column < 0 ? 0 : row[column];
}

static void read_place(const dal_poses *p, int b, const double *row, double out[7])
{
    const int *place = p->place + 7 * b;
    for (int k = 0; k < 3; k++)
        out[k] = value(row, place[k]);
    out[3] = 1;
    out[4] = out[5] = out[6] = 0;
    if (p->scene->space == DAL_PLANAR) {
        const double angle = value(row, place[3]);
        out[3] = cos(angle / 2);
        out[6] = sin(angle / 2);
    } else if (place[3] >= 0) {
        double norm = 0;
        for (int k = 0; k < 4; k++)
            norm += row[place[3 + k]] * row[place[3 + k]];
        norm = sqrt(norm);
        for (int k = 0; k < 4 && norm > 0; k++)
            out[3 + k] = row[place[3 + k]] / norm;
    }
}

/* v_c = v + omega x R c */
static void read_velocity(const dal_poses *p, int b, const double *row, const double pose[7], double out[3])
{
    const int *motion = p->motion + 6 * b;
    const double *c = p->scene->bodies[b].center;
    double R[9], r[3], w[3];
    dal_rotation_quaternion(pose + 3, R);
    for (int i = 0; i < 3; i++) {
        r[i] = R[3 * i] * c[0] + R[3 * i + 1] * c[1] + R[3 * i + 2] * c[2];
        w[i] = value(row, motion[3 + i]);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = value(row, motion[i]) + w[j] * r[k] - w[k] * r[j];
    }
}

void dal_poses_read(dal_poses *p, const double *row, const double **places, const double **velocities, const double **reactions)
{
    const dal_scene *scene = p->scene;
    double *place = p->values, *velocity = place + 7 * scene->n_bodies, *reaction = velocity + 3 * scene->n_bodies;
    for (int b = 0; b < scene->n_bodies; b++) {
        read_place(p, b, row, place + 7 * b);
        if (p->has_motion)
            read_velocity(p, b, row, place + 7 * b, velocity + 3 * b);
    }
    for (int i = 0; i < 6 * scene->n_joints && p->has_reactions; i++) {
        const bool flat = scene->space == DAL_PLANAR && i % 6 >= 2 && i % 6 <= 4;
        reaction[i] = p->reaction[i] >= 0 ? row[p->reaction[i]] : flat ? 0 : NAN;
    }
    *places = place;
    *velocities = p->has_motion ? velocity : NULL;
    *reactions = p->has_reactions ? reaction : NULL;
}
