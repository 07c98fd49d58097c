/* Lock: a coordinate of a joint or of a body keeps a constant value, its start
 * value unless `value:` says otherwise: the generalized constraint (26) of
 * `natural-absolute-coordinates`, in every family.
 */
#include "joint/joint.h"

#include <math.h>

static void forbid(dal_joint_builder *b)
{
    const dal_text *text = &b->spec->value;
    double zero = 0, value = 0, constant = NAN; /* from the start */
    const int measure = dal_coupled_coordinate(b, &zero);
    if (measure < 0 || !b->claim(b, measure, text->text ? text->mark : b->spec->name.mark))
        return;
    if (text->text && b->number(b, *text, &value))
        constant = value - zero;
    const dal_term term = {measure, 1};
    dal_add_row(b->mechanism, 1, &term, constant, -1, dal_measures_angle(b, measure));
}

const dal_joint_type dal_joint_lock = {
    .name = "lock",
    .title = "a coordinate of a joint or a body keeps its value",
    DAL_COUPLING("joint body coordinate value", forbid),
};
