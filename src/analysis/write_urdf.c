/* A compiled model as URDF.
 *
 * urdf_plan.c decides what can be written, and where the frames of the links are; here it becomes text.
 */
#include "analysis/urdf_plan.h"
#include "model/system_parts.h"
#include "spec/sound.h"
#include "base/argument.h"
#include "analysis/written.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>

/* ---- the text ------------------------------------------------------------------------------------------------- */

static void write_number(dal_printer *out, const dal_urdf_plan *p, double x)
{
    char text[DAL_DECIMAL_LENGTH];
    dal_decimal_print(&p->decimals, x == 0 ? 0 : x, text); /* no -0 */
    dal_print(out, "%s", text);
}

static void write_vector(dal_printer *out, const dal_urdf_plan *p, const char *key, const double v[3])
{
    dal_print(out, " %s=\"", key);
    for (int i = 0; i < 3; i++) {
        dal_print(out, "%s", i ? " " : "");
        write_number(out, p, v[i]);
    }
    dal_print(out, "\"");
}

static void write_attribute(dal_printer *out, const dal_urdf_plan *p, const char *key, double value)
{
    dal_print(out, " %s=\"", key);
    write_number(out, p, value);
    dal_print(out, "\"");
}

static void write_escaped(dal_printer *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;" : NULL;
        if (entity)
            dal_print(out, "%s", entity);
        else
            dal_print(out, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    }
}

static void write_visual(dal_printer *out, const dal_urdf_plan *p, const dal_figure *f, const double origin[3])
{
    double R[9], ypr[3];
    int axes[3];
    dal_rotation_quaternion(f->quaternion, R);
    dal_euler_axes("zyx", axes);
    dal_euler_of(R, axes, ypr);
    const double xyz[3] = {f->at[0] - origin[0], f->at[1] - origin[1], f->at[2] - origin[2]}, rpy[3] = {ypr[2], ypr[1], ypr[0]};
    dal_print(out, "    <visual>\n      <origin");
    write_vector(out, p, "xyz", xyz);
    write_vector(out, p, "rpy", rpy);
    dal_print(out, "/>\n      <geometry><%s", dal_figure_names[f->kind]);
    if (f->kind == DAL_FIGURE_BOX)
        write_vector(out, p, "size", f->size);
    else
        write_attribute(out, p, "radius", f->radius);
    if (f->kind == DAL_FIGURE_CYLINDER)
        write_attribute(out, p, "length", f->length);
    dal_print(out, "/></geometry>\n");
    if (*f->color) {
        unsigned c[3];
        sscanf(f->color, "#%2x%2x%2x", &c[0], &c[1], &c[2]);
        const double rgb[3] = {c[0] / 255.0, c[1] / 255.0, c[2] / 255.0};
        dal_print(out, "      <material name=\"%s\"><color rgba=\"", f->color + 1);
        for (int k = 0; k < 3; k++)
            dal_print(out, "%.6g ", rgb[k]);
        dal_print(out, "1\"/></material>\n");
    }
    dal_print(out, "    </visual>\n");
}

/* Returns their number; out may be NULL. */
static int write_visuals(dal_printer *out, const dal_urdf_plan *p, int body, const double origin[3])
{
    const dal_scene_body *b = p->scene ? &p->scene->bodies[body] : NULL;
    int n = 0;
    for (int i = 0; b && i < b->n_figures; i++) {
        if (!dal_urdf_draws((int)b->figures[i].kind))
            continue;
        n++;
        if (out)
            write_visual(out, p, &b->figures[i], origin);
    }
    return n;
}

static void write_link(dal_printer *out, const dal_urdf_plan *p, int body)
{
    static const char *const keys[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int entry[] = {0, 1, 2, 4, 5, 8};
    const dal_body *b = &p->m->bodies[body];
    const dal_planned_link *l = &p->link[body];
    double center[3], moments = 0;
    dal_print(out, "  <link name=\"%s\"", b->name);
    for (int i = 0; i < 9; i++)
        moments += fabs(b->inertia[i]);
    if (b->mass == 0 && moments == 0) {
        const bool drawn = write_visuals(NULL, p, body, l->origin) > 0;
        dal_print(out, drawn ? ">\n" : "/>\n");
        write_visuals(out, p, body, l->origin);
        dal_print(out, drawn ? "  </link>\n" : "");
        return;
    }
    for (int i = 0; i < 3; i++)
        center[i] = b->center[i] - l->origin[i];
    dal_print(out, ">\n    <inertial>\n      <origin");
    write_vector(out, p, "xyz", center);
    dal_print(out, "/>\n      <mass");
    write_attribute(out, p, "value", b->mass);
    dal_print(out, "/>\n      <inertia");
    for (int i = 0; i < 6; i++)
        write_attribute(out, p, keys[i], b->inertia[entry[i]]);
    dal_print(out, "/>\n    </inertial>\n");
    write_visuals(out, p, body, l->origin);
    dal_print(out, "  </link>\n");
}

static const char *label_of(const dal_urdf_plan *p, int j)
{
    return p->m->joints[j].label ? p->m->joints[j].label : p->m->joints[j].name;
}

static void write_origin(dal_printer *out, const dal_urdf_plan *p, const dal_planned_link *l)
{
    double ypr[3];
    int axes[3];
    dal_euler_axes("zyx", axes);
    dal_euler_of(l->R, axes, ypr);
    const double rpy[3] = {ypr[2], ypr[1], ypr[0]};
    dal_print(out, "    <origin");
    write_vector(out, p, "xyz", l->xyz);
    write_vector(out, p, "rpy", rpy);
    dal_print(out, "/>\n");
}

static void write_dynamics(dal_printer *out, const dal_urdf_plan *p, int j)
{
    const dal_urdf_role *r = &p->role[j];
    if (dal_urdf_moves_by(p, j, DAL_MEASURE_DOT)) /* URDF demands one; the model has none */
        dal_print(out, "    <limit lower=\"-1e9\" upper=\"1e9\" effort=\"1e9\" velocity=\"1e9\"/>\n");
    if (r->damping > 0 || r->friction > 0) {
        dal_print(out, "    <dynamics");
        if (r->damping > 0)
            write_attribute(out, p, "damping", r->damping);
        if (r->friction > 0)
            write_attribute(out, p, "friction", r->friction);
        dal_print(out, "/>\n");
    }
    if (r->mimics >= 0) {
        dal_print(out, "    <mimic joint=\"");
        write_escaped(out, label_of(p, r->mimics));
        dal_print(out, "\"");
        write_attribute(out, p, "multiplier", r->multiplier);
        write_attribute(out, p, "offset", r->offset);
        dal_print(out, "/>\n");
    }
}

static void write_joint(dal_printer *out, const dal_urdf_plan *p, int body)
{
    const dal_planned_link *l = &p->link[body];
    const char *type = l->joint < 0 ? "floating" : dal_urdf_joint_type(p, l->joint)->urdf,
               *parent = l->parent >= 0 ? p->m->bodies[l->parent].name : p->world;
    if (!parent)
        return; /* the root */
    dal_print(out, "  <joint name=\"");
    write_escaped(out, l->joint < 0 ? p->m->bodies[body].name : label_of(p, l->joint));
    dal_print(out, "%s\" type=\"%s\">\n    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n", l->joint < 0 ? "_floating" : "", type, parent,
              p->m->bodies[body].name);
    write_origin(out, p, l);
    if (l->joint >= 0 && !dal_urdf_joint_type(p, l->joint)->welds) {
        dal_print(out, "    <axis");
        write_vector(out, p, "xyz", l->axis);
        dal_print(out, "/>\n");
    }
    if (l->joint >= 0)
        write_dynamics(out, p, l->joint);
    dal_print(out, "  </joint>\n");
}

static void write_robot(dal_printer *out, const void *user)
{
    const dal_urdf_plan *p = user;
    dal_print(out, "<?xml version=\"1.0\"?>\n<robot name=\"");
    write_escaped(out, p->spec->name.text ? p->spec->name.text : "robot");
    dal_print(out, "\">\n");
    if (p->world)
        dal_print(out, "  <link name=\"%s\"/>\n", p->world);
    for (int i = 0; i < p->n_order; i++)
        write_link(out, p, p->order[i]);
    for (int i = 0; i < p->n_order; i++)
        write_joint(out, p, p->order[i]);
    dal_print(out, "</robot>\n");
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static dal_status plan_it(void *user)
{
    return dal_urdf_plan_make(user);
}

dal_status dal_to_urdf(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, char **text)
{
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    const dal_mark mark = {spec->file, 0, 0};
    if (spec->space != DAL_SPATIAL || spec->n_coordinates) {
        dal_error(messages, spec->space != DAL_SPATIAL ? spec->space_mark : mark, "URDF knows %s",
                  spec->space != DAL_SPATIAL ? "spatial models only" : "no coordinates of a model's own");
        return DAL_BAD_MODEL;
    }
    dal_spec plain = *spec;
    plain.simulate = (dal_simulate_spec){0};
    dal_system *system = NULL;
    dal_status status = dal_compile_anyway(allocator, &plain, messages, &system);
    if (status != DAL_OK)
        return status;
    dal_urdf_plan p = {.spec = spec, .system = system, .m = dal_system_layout(system)->mechanism, .messages = dal_messages_create(allocator)};
    dal_arena_begin(&p.arena, allocator);
    dal_decimal_prepare(&p.decimals);
    dal_scene_create(allocator, spec, system, NULL, &p.scene); /* NULL where a mesh cannot be read: shapes are then omitted */
    status = p.messages ? dal_arena_try(&p.arena, plan_it, &p) : DAL_NO_MEMORY;
    dal_pass_all(messages, p.messages);
    if (status == DAL_OK)
        status = dal_write_text(allocator, write_robot, &p, text);
    dal_messages_free(p.messages);
    dal_arena_release(&p.arena);
    dal_scene_free(p.scene);
    dal_system_free(system);
    return status;
}
