/* Couplings: what gear and rack-and-pinion, and driven and lock, have in common.
 *
 * A coupling has no points of its own. It relates coordinates of joints before it, or of bodies.
 */
#include "joint/joint.h"

#include <math.h>

bool dal_measures_angle(const dal_joint_builder *b, int measure)
{
    return b->mechanism->measures[measure].kind == DAL_MEASURE_ANGLE;
}

void dal_forbid_ratio(dal_joint_builder *b, const char *coordinate, const dal_text *ratio, const char *key, bool angular)
{
    const dal_joint_spec *spec = b->spec;
    double factor;
    if (spec->joints.n != 2) {
        dal_error(b->messages, spec->joints.mark, "joint '%s' of type %s couples two joints, as in `joints: [A, B]`; %d given", spec->name.text,
                  b->joint->type->name, spec->joints.n);
        return;
    }
    const int first = b->joint_coordinate(b, spec->joints.item[0], (dal_text){.text = "angle"}, NULL);
    const int second = b->joint_coordinate(b, spec->joints.item[1], (dal_text){.text = coordinate}, NULL);
    if (!b->number(b, *ratio, &factor) || first < 0 || second < 0)
        return;
    if (first == second) {
        dal_error(b->messages, spec->joints.item[1].mark, "joint '%s' couples joint '%s' with itself: two different joints are needed",
                  spec->name.text, spec->joints.item[1].text);
        return;
    }
    if (factor == 0) {
        dal_error(b->messages, ratio->mark, "the %s of joint '%s' is zero: it would hold '%s' and leave '%s' free; a lock does that", key,
                  spec->name.text, spec->joints.item[1].text, spec->joints.item[0].text);
        return;
    }
    const dal_term terms[2] = {{second, 1}, {first, -factor}};
    dal_add_row(b->mechanism, 2, terms, NAN, -1, angular); /* the constant is set from the start */
}

int dal_coupled_coordinate(dal_joint_builder *b, double *zero)
{
    const dal_joint_spec *spec = b->spec;
    dal_joint *joint = b->joint;
    if (!spec->joint.text == !spec->body.text) {
        dal_error(b->messages, spec->joint.text ? spec->body.mark : spec->name.mark,
                  "joint '%s' of type %s needs either `joint:` or `body:`; %s given", spec->name.text, joint->type->name,
                  spec->joint.text ? "both are" : "none is");
        return -1;
    }
    const int measure =
        spec->joint.text ? b->joint_coordinate(b, spec->joint, spec->coordinate, zero) : b->body_coordinate(b, spec->body, spec->coordinate);
    if (measure < 0)
        return -1;
    joint->coordinate[joint->n_coordinates] = measure;
    joint->zero[joint->n_coordinates++] = *zero;
    return measure;
}
