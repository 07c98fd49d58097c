/* A spec that was read from a URDF file as a YAML model.
 *
 * Only the elements of such a spec are written: bodies with points and shapes, joints with constant friction, dampers, constraints; its texts are
 * numbers that read back to the last digit.
 */
#include "spec/sound.h"
#include "base/argument.h"
#include "analysis/written.h"

#include <stdio.h>
#include <strings.h>

static void write_list(dal_printer *p, const dal_list *list)
{
    dal_print(p, "[");
    for (int i = 0; i < list->n; i++)
        dal_print(p, "%s%s", i ? ", " : "", list->item[i].text);
    dal_print(p, "]");
}

/* "key: [..]", with what stands before it. */
static void write_entry(dal_printer *p, const char *before, const dal_list *list)
{
    if (!list->n)
        return;
    dal_print(p, "%s", before);
    write_list(p, list);
}

static void write_points(dal_printer *p, const char *indent, const dal_points *points)
{
    if (!points->n)
        return;
    dal_print(p, "%spoints:\n", indent);
    for (int i = 0; i < points->n; i++) {
        const dal_point_spec *point = &points->item[i];
        dal_print(p, "%s  %s: {at: ", indent, point->name.text);
        write_list(p, &point->at);
        write_entry(p, ", z: ", &point->axes.first);
        write_entry(p, ", x: ", &point->axes.second);
        dal_print(p, "}\n");
    }
}

static void write_shape(dal_printer *p, const dal_figure_spec *f)
{
    dal_print(p, "{type: %s", f->type.text);
    write_entry(p, ", size: ", &f->size);
    if (f->radius.text)
        dal_print(p, ", radius: %s", f->radius.text);
    if (f->length.text)
        dal_print(p, ", length: %s", f->length.text);
    write_entry(p, ", at: ", &f->at);
    if (f->orientation.kind == DAL_ATTITUDE_RPY) {
        write_entry(p, ", orientation: {rpy: ", &f->orientation.first);
        dal_print(p, "}");
    }
    if (f->color.text)
        dal_print(p, ", color: \"%s\"", f->color.text);
    dal_print(p, "}\n");
}

static void write_shapes(dal_printer *p, const char *indent, const dal_figures *figures)
{
    int n = 0;
    for (int i = 0; i < figures->n; i++) {
        if (figures->item[i].picture) /* its file may be where the new model may not read */
            continue;
        if (!n++)
            dal_print(p, "%sshape:\n", indent);
        dal_print(p, "%s  - ", indent);
        write_shape(p, &figures->item[i]);
    }
}

static void write_body(dal_printer *p, const dal_body_spec *body)
{
    const dal_text *q = body->orientation.first.item;
    dal_print(p, "  %s:\n    mass: %s", body->name.text, body->mass.text);
    write_entry(p, "\n    center: ", &body->center);
    write_entry(p, "\n    inertia: ", &body->inertia);
    if (body->inertia_check.text)
        dal_print(p, "\n    inertia-check: %s", body->inertia_check.text);
    write_entry(p, "\n    position: ", &body->position);
    if (body->orientation.kind == DAL_ATTITUDE_QUATERNION)
        dal_print(p, "\n    orientation: {quaternion: {w: %s, x: %s, y: %s, z: %s}}", q[0].text, q[1].text, q[2].text, q[3].text);
    write_entry(p, "\n    velocity: ", &body->velocity);
    write_entry(p, "\n    angular-velocity: ", &body->angular_velocity);
    dal_print(p, "\n");
    write_points(p, "    ", &body->points);
    write_shapes(p, "    ", &body->shape);
}

/* Control characters, which YAML does not allow anywhere: 0x7f, and U+0080 to U+009F in UTF-8. */
static bool is_control(const unsigned char *c)
{
    return *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

static void write_title(dal_printer *p, const char *text)
{
    dal_print(p, "name: \"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            dal_print(p, "\\");
        if (*c < ' ' || is_control(c))
            c += *c == 0xc2, dal_print(p, "?");
        else
            dal_print(p, "%c", *c);
    }
    dal_print(p, "\"\n");
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

/* A name as a value. YAML reads null as an empty value. */
static const char *quoted(const char *name, char buffer[112])
{
    if (strcasecmp(name, "null"))
        return name;
    snprintf(buffer, 112, "\"%s\"", name);
    return buffer;
}

static void write_joint(dal_printer *p, const dal_joint_spec *joint)
{
    const dal_text *value = joint->start.angle.text ? &joint->start.angle : &joint->start.distance;
    dal_print(p, "  %s: {type: %s, connect: ", joint->name.text, joint->type.text);
    write_list(p, &joint->connect);
    if (value->text)
        dal_print(p, ", start: {%s: %s, rate: %s}", joint->start.angle.text ? "angle" : "distance", value->text, joint->start.rate.text);
    if (joint->friction.limit.text)
        dal_print(p, ", friction: {limit: %s}", joint->friction.limit.text);
    dal_print(p, "}");
    if (joint->label && is_ascii(joint->label))
        dal_print(p, " # %s", joint->label);
    dal_print(p, "\n");
}

static void write_model(dal_printer *p, const dal_spec *spec)
{
    dal_print(p, "dalembert: 1\n");
    if (spec->name.text)
        write_title(p, spec->name.text);
    dal_print(p, "space: spatial\n");
    write_entry(p, "gravity: ", &spec->gravity);
    dal_print(p, "\n%s", spec->ground.n || spec->ground_shape.n ? "ground:\n" : "");
    write_points(p, "  ", &spec->ground);
    write_shapes(p, "  ", &spec->ground_shape);
    dal_print(p, "bodies:\n");
    for (int i = 0; i < spec->n_bodies; i++)
        write_body(p, &spec->bodies[i]);
    dal_print(p, "%s", spec->n_joints ? "joints:\n" : "");
    for (int i = 0; i < spec->n_joints; i++)
        write_joint(p, &spec->joints[i]);
    dal_print(p, "%s", spec->n_forces ? "forces:\n" : "");
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *force = &spec->forces[i];
        char name[112];
        dal_print(p, "  %s: {type: %s, joint: %s, damping: %s}\n", force->name.text, force->type.text, quoted(force->joint.text, name),
                  force->damping.item[0].text);
    }
    dal_print(p, "%s", spec->n_constraints ? "constraints:\n" : "");
    for (int i = 0; i < spec->n_constraints; i++)
        dal_print(p, "  %s: {position: \"%s\"}\n", spec->constraints[i].name.text, spec->constraints[i].position.text);
    const dal_simulate_spec *s = &spec->simulate;
    dal_print(p, "simulate: {coordinates: %s, until: %s, every: %s}\n", s->coordinates.name.text, s->until.text, s->every.text);
}

static void write_yaml(dal_printer *p, const void *user)
{
    write_model(p, user);
}

/* An addition to the spec that would not be written; NULL: none. */
static const char *what_else(const dal_spec *spec)
{
    if (spec->n_parameters || spec->n_define || spec->n_inputs || spec->n_tables || spec->n_states || spec->n_coordinates || spec->n_speeds ||
        spec->n_systems || spec->n_models || spec->n_joint_types)
        return "a parameter, definition, input, table, state, coordinate, speed, system, included model or joint type";
    for (int i = 0; i < spec->n_forces; i++)
        if (!spec->forces[i].type.text || !spec->forces[i].joint.text || spec->forces[i].damping.n != 1)
            return "a force other than the damper of a joint";
    for (int i = 0; i < spec->n_constraints; i++)
        if (!spec->constraints[i].position.text || spec->constraints[i].law.n)
            return "a constraint other than one of positions";
    for (int i = 0; i < spec->n_joints; i++)
        if (!spec->joints[i].type.text || !spec->joints[i].connect.n)
            return "a joint without `type:` or `connect:`";
    const dal_simulate_spec *s = &spec->simulate;
    return s->coordinates.name.text && s->until.text && s->every.text ? NULL : "a `simulate:` without coordinates, until or every";
}

dal_status dal_to_yaml(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, char **text)
{
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    if (!spec->plain_names) {
        dal_error(messages, (dal_mark){spec->file, 0, 0}, "only a model from a URDF file is written as YAML");
        return DAL_BAD_MODEL;
    }
    if (!spec->n_bodies) {
        dal_error(messages, (dal_mark){spec->file, 0, 0}, "the robot has no link with a mass: there is nothing to write");
        return DAL_BAD_MODEL;
    }
    const char *other = what_else(spec);
    if (other) {
        dal_error(messages, (dal_mark){spec->file, 0, 0}, "%s does not come from a URDF file: it would be lost in the YAML model", other);
        return DAL_BAD_MODEL;
    }
    return dal_write_text(allocator, write_yaml, spec, text);
}
