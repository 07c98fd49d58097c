/* Forces and whole parts in the mirror; mirror.h has the rules. */
#include "spec/mirror_parts.h"

#include <string.h>

/* ---- forces ------------------------------------------------------------------------------------ */

static void swap_texts(dal_text *a, dal_text *b)
{
    const dal_text kept = *a;
    *a = *b;
    *b = kept;
}

/* [lowest, highest] of a quantity that changes its sign. */
static void mirror_range(const dal_mirror *m, dal_list *range)
{
    dal_mirror_negate_all(m, range);
    if (range->n == 2)
        swap_texts(&range->item[0], &range->item[1]);
}

/* A torque between two bodies of a planar model has no joint, but it has a direction. */
bool dal_mirror_odd_force(const dal_mirror *m, const dal_force_spec *force)
{
    if (force->joint.text)
        return dal_mirror_odd(m, dal_mirror_joint(m, force->joint.text), force->coordinate.text);
    if (force->body.text && force->coordinate.text)
        return dal_mirror_odd_of_body(m, force->coordinate.text);
    return dal_mirror_planar(m) && force->type.text && (!strcmp(force->type.text, "torque") || !strcmp(force->type.text, "torsional-spring-damper"));
}

static void mirror_force(const dal_mirror *m, dal_force_spec *force)
{
    const bool torque = force->type.text && !strcmp(force->type.text, "torque"), odd = dal_mirror_odd_force(m, force);
    const bool in_body = force->axes.text && !strcmp(force->axes.text, "body");
    bool unused;
    const int along = in_body && force->body.text ? dal_mirror_frame(m, force->body.text, &unused) : m->axis;
    dal_mirror_own(m, &force->value);
    for (int i = 0; i < force->value.n; i++)
        dal_mirror_text(m, force->binding, &force->value.item[i]);
    if (force->value.n > 1 && torque)
        dal_mirror_axial(m, along, &force->value);
    else if (force->value.n > 1)
        dal_mirror_polar(m, along, &force->value);
    else if (odd && !force->direction.n)
        dal_mirror_negate_all(m, &force->value);
    if (torque)
        dal_mirror_axial(m, along, &force->direction);
    else
        dal_mirror_polar(m, along, &force->direction);
    dal_mirror_polar(m, m->axis, &force->center);
    if (!odd)
        return;
    dal_mirror_negate(m->reader, &force->free);
    dal_mirror_negate(m->reader, &force->lower);
    dal_mirror_negate(m->reader, &force->upper);
    swap_texts(&force->lower, &force->upper);
    mirror_range(m, &force->limit);
}

/* ---- a whole part ------------------------------------------------------------------------------ */

static void mirror_subsystem(const dal_mirror *m, dal_subsystem_spec *s)
{
    dal_text *const texts[] = {&s->kinetic, &s->potential, &s->L, &s->T, &s->V, &s->dissipation};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        dal_mirror_text(m, s->binding, texts[i]);
    for (int i = 0; i < s->force.n; i++)
        dal_mirror_text(m, s->binding, &s->force.item[i]);
}

/* The names are still those of the part's own file. Expressions come first, because they need the elements before they are mirrored. */
static void mirror_expressions(const dal_mirror *m)
{
    dal_spec *spec = m->spec;
    for (int i = 0; i < spec->n_define; i++)
        dal_mirror_text(m, spec->define[i].binding, &spec->define[i].value);
    for (int i = 0; i < spec->n_inputs; i++)
        if (spec->inputs[i].period.text)
            dal_mirror_text(m, spec->inputs[i].binding, &spec->inputs[i].value);
    for (int i = 0; i < spec->n_states; i++)
        dal_mirror_text(m, spec->states[i].binding, &spec->states[i].rate);
    for (int i = 0; i < spec->n_speeds; i++)
        dal_mirror_text(m, spec->speeds[i].binding, &spec->speeds[i].value);
    for (int i = 0; i < spec->n_constraints; i++) {
        dal_mirror_text(m, spec->constraints[i].binding, &spec->constraints[i].position);
        dal_mirror_text(m, spec->constraints[i].binding, &spec->constraints[i].velocity);
        dal_mirror_law(m, spec->constraints[i].binding, &spec->constraints[i].law);
    }
    for (int i = 0; i < spec->n_joints; i++) {
        dal_mirror_text(m, spec->joints[i].binding, &spec->joints[i].friction.limit);
        dal_mirror_text(m, spec->joints[i].binding, &spec->joints[i].friction.resting_limit);
    }
    for (int i = 0; i < spec->n_systems; i++)
        mirror_subsystem(m, &spec->systems[i]);
}

bool dal_mirror_part(dal_reader *reader, dal_spec *part, const dal_text *axis, const char *what)
{
    dal_mirror m = {.reader = reader, .spec = part};
    bool fine = true;
    if (!dal_mirror_read_axis(reader, axis, what, &m.axis))
        return false;
    dal_mirror_find_axes(&m);
    mirror_expressions(&m);
    for (int i = 0; i < part->n_forces; i++)
        mirror_force(&m, &part->forces[i]);
    for (int i = part->n_joints; i-- > 0;) /* from the last to the first: couplings need the joints above them unchanged */
        fine &= dal_mirror_image_of_joint(&m, &part->joints[i]);
    for (int i = 0; i < part->n_bodies; i++)
        fine &= dal_mirror_image_of_body(&m, dal_mirror_along(&m, part->bodies[i].binding), &part->bodies[i]);
    for (int i = 0; i < part->n_models; i++) {
        dal_mirror_points(&m, m.along[i], &part->models[i]->points);
        fine &= dal_mirror_figures(&m, m.along[i], &part->models[i]->shape);
    }
    return fine;
}
