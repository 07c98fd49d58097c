/* Driven: a coordinate of a joint or of a body is a given function of time.
 *
 *   value:       coordinate - f(t) = 0,   velocity level  = f'(t),   acceleration level  = f''(t)
 *   drive-rate:  rate - f(t) = 0, at velocity level only: the position follows from the start
 *
 * `joint: A` (with `coordinate:` where the joint has several) or `body: crank`
 * with `coordinate: x | y | z | angle`. The effort of the drive is the channel `NAME.drive`, its power `NAME.drive.power`, which enters the energy
 * balance. A joint's own keys `drive:` and `drive-rate:` make the same rows.
 */
#include "joint/joint.h"

#include <math.h>

bool dal_drives_once(const dal_joint_builder *b, const dal_text *position, const char *key)
{
    if (!position->text || !b->spec->drive_rate.text)
        return true;
    dal_error(b->messages, b->spec->drive_rate.mark,
              "joint '%s' prescribes both its coordinate (`%s:`) and its rate (`drive-rate:`): drop one of them", b->spec->name.text, key);
    return false;
}

/* coordinate - f(t) = 0, and coordinate = measure + zero; text.fix: the change since the start is that of f */
bool dal_drive_value(dal_joint_builder *b, int measure, double zero, dal_text text)
{
    if (!b->claim(b, measure, text.mark))
        return false;
    const int f = b->motion(b, text);
    if (f < 0)
        return false;
    const dal_term term = {measure, 1};
    b->joint->drive = dal_add_row(b->mechanism, 1, &term, text.fix ? NAN : -zero, f, dal_measures_angle(b, measure));
    return true;
}

/* measure' - f(t) = 0: a form of one term */
bool dal_drive_rate(dal_joint_builder *b, int measure, dal_text text)
{
    dal_node f;
    if (!b->claim(b, measure, text.mark) || !b->rate(b, text, &f))
        return false;
    b->joint->drive = b->mechanism->n_rows;
    b->form(b, dal_binary(b->graph, DAL_OP_SUB, b->signal(b, measure, 1), f), true);
    b->mechanism->rows[b->joint->drive].angular = dal_measures_angle(b, measure);
    return true;
}

static void forbid(dal_joint_builder *b)
{
    const dal_joint_spec *spec = b->spec;
    double zero = 0;
    if (!spec->value.text && !spec->drive_rate.text) {
        dal_error(b->messages, spec->name.mark, "joint '%s' of type driven needs `value:`, or `drive-rate:` for the rate", spec->name.text);
        return;
    }
    const int measure = dal_coupled_coordinate(b, &zero);
    if (measure < 0 || !dal_drives_once(b, &spec->value, "value"))
        return;
    if (spec->drive_rate.text)
        dal_drive_rate(b, measure, spec->drive_rate);
    else
        dal_drive_value(b, measure, zero, spec->value);
}

const dal_joint_type dal_joint_driven = {
    .name = "driven",
    .title = "a coordinate of a joint or a body or its rate is a given function of time",
    DAL_COUPLING("joint body coordinate value drive-rate", forbid),
};
