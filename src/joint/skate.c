/* A skate: the point P of the second body slides on the plane through O of the first body along a blade, and not across it. With the
 * blade's direction b (z of the second frame in space, x in the plane) and l = n x b, so that l . t_1 = -b . t_2 and l . t_2 = b . t_1,
 *   n . (P - O) = 0                                                     (in space)
 *   (((P - O) . t_2)' (b . t_1) - ((P - O) . t_1)' (b . t_2)) / w = 0,   w^2 = (b . t_1)^2 + (b . t_2)^2
 * w is 1 while the blade is parallel to the plane, which in a planar model it always is.
 */
#include "joint/joint.h"

static dal_node times(dal_graph *graph, dal_node u, dal_node v)
{
    return dal_binary(graph, DAL_OP_MUL, u, v);
}

static void forbid_skate(dal_joint_builder *b)
{
    const bool flat = dal_joint_space(b) == DAL_PLANAR;
    dal_graph *graph = b->graph;
    dal_node rate[2], blade[2];
    int direction = dal_add_axis(b->mechanism, &b->joint->marker[1], flat ? 0 : 2);
    if (!flat)
        dal_forbid_shift(b, 2);
    for (int i = 0; i < 2; i++) {
        int t = dal_add_axis(b->mechanism, &b->joint->marker[0], i);
        rate[i] = b->signal(b, dal_add_dot(b->mechanism, b->point[1], b->point[0], t, -1), 1);
        blade[i] = b->signal(b, dal_add_dot(b->mechanism, direction, -1, t, -1), 0);
    }
    dal_node across = dal_binary(graph, DAL_OP_SUB, times(graph, rate[1], blade[0]), times(graph, rate[0], blade[1]));
    dal_node square = dal_binary(graph, DAL_OP_ADD, times(graph, blade[0], blade[0]), times(graph, blade[1], blade[1]));
    b->form(b, flat ? across : dal_binary(graph, DAL_OP_DIV, across, dal_unary(graph, DAL_OP_SQRT, square)), true);
}

const dal_joint_type dal_joint_skate = {
    .name = "skate",
    .title = "a point of the second body slides along a blade (the axis, in the second body) on a plane of the first, and not across it",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.axis = DAL_AXIS_ONE, .turns = true},
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true},
    .surface = true,
    .edge = DAL_EDGE_OF_BLADE,
    .keys = "normal",
    .forbid = forbid_skate,
};
