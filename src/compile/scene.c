/* A scene: the parts of a description that a picture needs, as numbers, beside what the system knows of joints and bodies. */
#include "model/system_parts.h"
#include "spec/sound.h"
#include "compile/scene.h"

#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct maker {
    dal_build build;
    const dal_system *system;
    dal_messages *own;   /* messages about the shapes */
    dal_messages *aside; /* messages that compile has reported already */
    dal_scene *scene;
} maker;

/* ---- bodies ------------------------------------------------------------------------ */

static void add_points(maker *m, const dal_binding *binding, const char *prefix, const dal_points *points, const dal_marker *mount,
                       dal_scene_body *body)
{
    for (int i = 0; i < points->n; i++) {
        const dal_point_spec *point = &points->item[i];
        double s[3];
        if (!dal_build_vector(&m->build, point->binding ? point->binding : binding, &point->at, s))
            continue;
        dal_scene_point *out = DAL_PUSH(m->build.arena, body->points, body->n_points, body->room_points);
        out->name = *prefix ? dal_arena_print(m->build.arena, "%s.%s", prefix, point->name.text) : point->name.text;
        memcpy(out->at, s, sizeof s);
        for (int k = 0; mount && k < 3; k++)
            out->at[k] = mount->s[k] + mount->B[3 * k] * s[0] + mount->B[3 * k + 1] * s[1] + mount->B[3 * k + 2] * s[2];
    }
}

/* A shape of the ground of an included model, which stands in the frame `mount` of a body. */
static void carry(const dal_marker *mount, dal_figure *figure)
{
    double R[9], at[3];
    memcpy(at, figure->at, sizeof at);
    for (int k = 0; k < 3; k++)
        figure->at[k] = mount->s[k] + mount->B[3 * k] * at[0] + mount->B[3 * k + 1] * at[1] + mount->B[3 * k + 2] * at[2];
    dal_rotation_quaternion(figure->quaternion, R);
    dal_rotation_multiply(mount->B, R, R);
    dal_quaternion_of(R, figure->quaternion);
}

static bool add_figures(maker *m, const dal_binding *binding, const dal_figures *figures, const dal_marker *mount, dal_scene_body *body)
{
    bool ok = true;
    for (int i = 0; i < figures->n; i++) {
        dal_figure figure;
        const bool picture = figures->item[i].picture;
        m->build.messages = picture ? m->aside : m->own;
        const bool built = dal_build_figure(&m->build, binding, &figures->item[i], true, &figure);
        if (!built && picture)
            continue;
        ok = built && ok;
        dal_mesh_reduce(m->build.arena, &figure.mesh, DAL_TRIANGLES_SHOWN);
        if (mount)
            carry(mount, &figure);
        *DAL_PUSH(m->build.arena, body->figures, body->n_figures, body->room_figures) = figure;
    }
    m->build.messages = m->aside;
    return ok;
}

static bool add_bodies(maker *m)
{
    dal_scene *scene = m->scene;
    const dal_spec *spec = m->build.spec;
    bool ok = true;
    scene->n_bodies = spec->n_bodies;
    scene->bodies = DAL_NEW(m->build.arena, dal_scene_body, spec->n_bodies);
    for (int b = 0; b < spec->n_bodies; b++) {
        const dal_body *body = &dal_system_mechanism(m->system)->bodies[b];
        dal_scene_body *out = &scene->bodies[b];
        out->name = body->name;
        out->particle = body->particle;
        out->mass = body->mass;
        memcpy(out->center, body->center, sizeof out->center);
        const double *I = body->inertia;
        memcpy(out->inertia, (double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, sizeof out->inertia);
        add_points(m, spec->bodies[b].binding, "", &spec->bodies[b].points, NULL, out);
        ok = add_figures(m, spec->bodies[b].binding, &spec->bodies[b].shape, NULL, out) && ok;
    }
    scene->ground.name = "ground";
    add_points(m, NULL, "", &spec->ground, NULL, &scene->ground);
    ok = add_figures(m, NULL, &spec->ground_shape, NULL, &scene->ground) && ok;
    for (int i = 0; i < spec->n_models; i++) {
        const dal_model_spec *model = spec->models[i];
        dal_marker mount;
        if (!dal_build_mount(&m->build, model, &mount))
            continue;
        dal_scene_body *carrier = mount.body == DAL_GROUND ? &scene->ground : &scene->bodies[mount.body];
        add_points(m, &model->binding, model->name.text, &model->points, &mount, carrier);
        ok = add_figures(m, &model->binding, &model->shape, &mount, carrier) && ok;
    }
    return ok;
}

/* ---- joints and forces ---------------------------------------------------------------- */

static int find_joint(const maker *m, dal_text name)
{
    const dal_symbol *symbol = name.text ? dal_symbol_find(&m->build, name.text, strlen(name.text)) : NULL;
    return symbol && symbol->kind == DAL_SYMBOL_JOINT ? symbol->index : -1;
}

/* What a gear, a rack, a drive or a lock acts on. */
static void couple(maker *m, const dal_joint_spec *spec, dal_scene_joint *joint)
{
    joint->ratio = NAN;
    joint->driven = spec->drive.text || spec->drive_rate.text;
    for (int i = 0; i < spec->joints.n + 1 && joint->n_coupled < 2; i++) {
        const int other = find_joint(m, i < spec->joints.n ? spec->joints.item[i] : spec->joint);
        if (other >= 0)
            joint->coupled[joint->n_coupled++] = other;
    }
    if (spec->ratio.text && !dal_build_number(&m->build, spec->binding, spec->ratio, &joint->ratio))
        joint->ratio = NAN;
}

static void add_joints(maker *m)
{
    const dal_system *system = m->system;
    const dal_mechanism *mechanism = dal_system_mechanism(system);
    const dal_layout *layout = dal_system_layout(system);
    const int *rows = dal_system_start_rows(system);
    dal_scene *scene = m->scene;
    scene->n_joints = m->build.spec->n_joints; /* behind them lie the constraints */
    scene->joints = DAL_NEW(m->build.arena, dal_scene_joint, scene->n_joints);
    for (int j = 0; j < scene->n_joints; j++) {
        const dal_joint *joint = &mechanism->joints[j];
        const char *motion = dal_joint_in(joint->type, scene->space)->motion;
        scene->joints[j] = (dal_scene_joint){.name = joint->name,
                                             .type = joint->type->name,
                                             .motion = motion ? motion : "",
                                             .marker = joint->marker,
                                             .pair = joint->type->class == DAL_JOINT_PAIR,
                                             .radius = NAN};
        const dal_joint_spec *spec = &m->build.spec->joints[j];
        couple(m, spec, &scene->joints[j]);
        if (spec->radius.text && !dal_build_number(&m->build, spec->binding, spec->radius, &scene->joints[j].radius))
            scene->joints[j].radius = NAN;
    }
    for (int i = dal_system_rank(system); i < layout->n_rows; i++) {
        const int source = layout->row[rows[i]].source, joint = source < 0 ? -1 : mechanism->rows[source].joint;
        if (joint >= 0 && joint < scene->n_joints)
            scene->joints[joint].redundant = true;
    }
}

static void add_end(maker *m, dal_text name, dal_scene_force *force)
{
    dal_marker marker;
    if (!name.text || !dal_build_marker(&m->build, name, &marker, NULL))
        return;
    force->end[force->n_ends].body = marker.body;
    memcpy(force->end[force->n_ends++].at, marker.s, sizeof marker.s);
}

static void add_forces(maker *m)
{
    const dal_spec *spec = m->build.spec;
    dal_scene *scene = m->scene;
    scene->n_forces = spec->n_forces;
    scene->forces = DAL_NEW(m->build.arena, dal_scene_force, spec->n_forces);
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *f = &spec->forces[i];
        dal_scene_force *out = &scene->forces[i];
        *out = (dal_scene_force){.name = f->name.text, .type = f->type.text, .free = NAN, .joint = find_joint(m, f->joint)};
        for (int k = 0; k < f->connect.n && k < 2; k++)
            add_end(m, f->connect.item[k], out);
        if (!f->connect.n)
            add_end(m, f->body, out);
        if (f->length.text && !dal_build_number(&m->build, f->binding, f->length, &out->free))
            out->free = NAN;
    }
}

/* ---- the whole --------------------------------------------------------------------------- */

static dal_status make(void *user)
{
    maker *m = user;
    dal_build *build = &m->build;
    dal_arena *arena = build->arena;
    dal_scene *scene = m->scene = DAL_NEW(arena, dal_scene, 1);
    build->graph = dal_graph_create(arena);
    dal_mechanism_begin(&build->mechanism, arena, build->spec->space);
    build->mechanism.n_coordinates = build->spec->n_coordinates;
    dal_symbols_fill(build);
    dal_build_tables(build);
    dal_build_names(build);
    scene->space = build->spec->space;
    scene->length = dal_system_layout(m->system)->units.length;
    memcpy(scene->gravity, dal_system_acting(m->system)->gravity, sizeof scene->gravity);
    const bool ok = add_bodies(m);
    add_joints(m);
    add_forces(m);
    dal_build_view(build, &scene->view); /* its errors were reported by compile */
    return ok ? DAL_OK : DAL_BAD_MODEL;
}

/* Was the system compiled from this spec, or from one with the same bodies and joints? */
static bool is_of(const dal_spec *spec, const dal_system *system, dal_messages *messages)
{
    const dal_mechanism *m = dal_system_mechanism(system);
    if (!dal_spec_sound(spec, messages))
        return false;
    bool same = spec->space == m->space && spec->n_bodies == m->n_bodies && spec->n_joints == dal_system_describe(system).joints &&
                spec->n_joints <= m->n_joints;
    for (int i = 0; same && i < spec->n_bodies; i++)
        same = !strcmp(spec->bodies[i].name.text, m->bodies[i].name);
    for (int i = 0; same && i < spec->n_joints; i++)
        same = !strcmp(spec->joints[i].name.text, m->joints[i].name);
    if (!same)
        dal_error(messages, (dal_mark){spec->file, 0, 0}, "the spec and the system do not belong together: their bodies or joints differ");
    return same;
}

dal_status dal_scene_create(const dal_allocator *allocator, const dal_spec *spec, const dal_system *system, dal_messages *messages, dal_scene **scene)
{
    dal_arena arena;
    *scene = NULL;
    if (!is_of(spec, system, messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&arena, allocator);
    maker m = {.build = {.arena = &arena, .spec = spec}, .system = system};
    m.own = dal_messages_create(allocator);
    m.aside = dal_messages_create(allocator);
    m.build.messages = m.aside;
    dal_status status = m.own && m.aside ? dal_arena_try(&arena, make, &m) : DAL_NO_MEMORY;
    if (m.own)
        dal_pass_all(messages, m.own);
    dal_messages_free(m.own);
    dal_messages_free(m.aside);
    return dal_arena_deliver(&arena, status == DAL_OK, status, m.scene, offsetof(dal_scene, memory), scene);
}

void dal_scene_free(dal_scene *scene)
{
    if (scene)
        dal_arena_dispose(scene->memory);
}
