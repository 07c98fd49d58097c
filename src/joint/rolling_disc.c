/* A thin disc that rolls on a plane without slip and may lean. f_1, f_2 span its plane, g_m = f_m . n. Of the points of its rim,
 * C + r (cos f_1 + sin f_2), the lowest lies against the direction (g_1, g_2):
 *   s_m = -r g_m / w,   w = sqrt(g_1^2 + g_2^2)
 *   n . (C - O) - r w = 0,   no slip with these s_m       (rolling.c)
 * w is the sine of the angle between the disc's axis and n: a disc that lies flat has no lowest point. In the plane w = 1.
 */
#include "joint/joint.h"

static void forbid_rolling_disc(dal_joint_builder *b)
{
    if (dal_joint_space(b) == DAL_PLANAR) {
        dal_forbid_height(b);
        dal_forbid_slip_below(b, 2);
        return;
    }
    dal_graph *graph = b->graph;
    dal_node g[2] = {dal_surface_lean(b, 0), dal_surface_lean(b, 1)}, s[2], radius = dal_const(graph, b->radius);
    dal_node w = dal_unary(graph, DAL_OP_SQRT,
                           dal_binary(graph, DAL_OP_ADD, dal_binary(graph, DAL_OP_MUL, g[0], g[0]), dal_binary(graph, DAL_OP_MUL, g[1], g[1])));
    int n = dal_add_axis(b->mechanism, &b->joint->marker[0], dal_surface_normal(b));
    dal_node height = b->signal(b, dal_add_dot(b->mechanism, b->point[1], b->point[0], n, -1), 0);
    b->form(b, dal_binary(graph, DAL_OP_SUB, height, dal_binary(graph, DAL_OP_MUL, radius, w)), false);
    for (int m = 0; m < 2; m++)
        s[m] = dal_unary(graph, DAL_OP_NEG, dal_binary(graph, DAL_OP_MUL, radius, dal_binary(graph, DAL_OP_DIV, g[m], w)));
    dal_forbid_slip(b, 2, s);
}

const dal_joint_type dal_joint_rolling_disc = {
    .name = "rolling-disc",
    .title = "a thin disc rolls without slip on a plane of the first body and may lean; point and axis of the second body are its own",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.turns = true},
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true},
    .surface = true,
    .edge = DAL_EDGE_OF_DISC,
    .keys = "normal! radius!",
    .forbid = forbid_rolling_disc,
};
