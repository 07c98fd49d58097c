/* Rolling without slip: what a disc, a wheel and a ball on a surface have in common.
 *
 * The surface passes through O of the first body with the normal n; t_i are its tangents, all fixed in the first body. C is the
 * centre of the rolling body and f_m are axes fixed in it. The point of the rolling body that is the contact at this moment has the
 * coordinates s_m in them. Its velocity against the first body, along t_i, is zero:
 *   ((C - O) . t_i)' + sum over m of s_m (f_m . t_i)' = 0
 * s_m is not differentiated: the contact wanders over the body, the material point there does not. With
 *   g_m = f_m . n
 * it is s_m = -r g_m for a ball, where C - r n touches the surface; a disc has s along its steepest radius (rolling_disc.c).
 *
 * In space n is z of the first frame and t_i are x and y; in the plane n is y and there is one tangent, x.
 */
#include "joint/joint.h"

static dal_node times(dal_joint_builder *b, dal_node u, dal_node v)
{
    return dal_binary(b->graph, DAL_OP_MUL, u, v);
}

int dal_surface_normal(const dal_joint_builder *b)
{
    return dal_joint_space(b) - 1;
}

dal_node dal_surface_lean(dal_joint_builder *b, int axis_second)
{
    int f = dal_add_axis(b->mechanism, &b->joint->marker[1], axis_second);
    int n = dal_add_axis(b->mechanism, &b->joint->marker[0], dal_surface_normal(b));
    return b->signal(b, dal_add_dot(b->mechanism, f, -1, n, -1), 0);
}

void dal_forbid_height(dal_joint_builder *b)
{
    int n = dal_add_axis(b->mechanism, &b->joint->marker[0], dal_surface_normal(b));
    dal_term term = {dal_add_dot(b->mechanism, b->point[1], b->point[0], n, -1), 1};
    dal_add_row(b->mechanism, 1, &term, b->radius, -1, false);
}

void dal_forbid_slip(dal_joint_builder *b, int n, const dal_node *s)
{
    for (int i = 0; i < dal_surface_normal(b); i++) {
        int t = dal_add_axis(b->mechanism, &b->joint->marker[0], i);
        dal_node slip = b->signal(b, dal_add_dot(b->mechanism, b->point[1], b->point[0], t, -1), 1);
        for (int m = 0; m < n; m++) {
            int f = dal_add_axis(b->mechanism, &b->joint->marker[1], m);
            slip = dal_binary(b->graph, DAL_OP_ADD, slip, times(b, s[m], b->signal(b, dal_add_dot(b->mechanism, f, -1, t, -1), 1)));
        }
        b->form(b, slip, true);
    }
}

void dal_forbid_slip_below(dal_joint_builder *b, int n)
{
    dal_node s[3];
    for (int m = 0; m < n; m++)
        s[m] = times(b, dal_const(b->graph, -b->radius), dal_surface_lean(b, m));
    dal_forbid_slip(b, n, s);
}
