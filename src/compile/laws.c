/* Non-ideal constraints: a joint or a constraint whose force does work, C of `udwadia-phohomsiri` (2.8), (2.9), as the model says.
 *
 *     non-ideal: {angle: -0.2*A.angle'}        along a coordinate of the joint
 *     non-ideal: {th1: -c*th1', cart.x: f}     along any channel of position
 *
 * The force acts along the channel, like an applied one: the motion is the same (4.24). It belongs to the reaction of the
 * joint, and its work is counted.
 */
#include "compile/build.h"

#include <string.h>

static int want(dal_build *build, int measure)
{
    build->mechanism.measures[measure].wanted = true;
    return measure;
}

/* The measure that a channel stands for; -1 with a message. */
static int channel(dal_build *build, int number, const dal_pair *pair)
{
    const dal_joint *joint = &build->mechanism.joints[number];
    for (int k = 0; k < joint->n_coordinates; k++) {
        const char *own = dal_joint_coordinate_name(joint, build->spec->space, k);
        if (own && !strcmp(own, pair->name.text))
            return want(build, joint->coordinate[k]);
    }
    dal_node node;
    if (!dal_build_scalar(build, DAL_REACH_CONSTRAINT, pair->binding, pair->name, &node))
        return -1;
    int measure = dal_build_measure(build, node);
    if (measure < 0)
        dal_error(build->messages, pair->name.mark, "'%s' is not a channel of position along which a force could act: write one, as %s",
                  pair->name.text, joint->n_coordinates ? "angle, distance or body.x" : "body.x or a coordinate");
    return measure;
}

void dal_build_laws(dal_build *build, int joint, const dal_law_spec *spec)
{
    for (int i = 0; i < spec->n; i++) {
        const dal_pair *pair = &spec->item[i];
        dal_node node;
        int measure = channel(build, joint, pair);
        if (!dal_build_scalar(build, DAL_REACH_ACTION, pair->binding, pair->value, &node) || measure < 0)
            continue;
        *DAL_PUSH(build->arena, build->laws, build->n_laws, build->cap_laws) =
            (dal_law){.joint = joint, .measure = measure, .expression = dal_build_action(build, pair->value, node)};
    }
}
