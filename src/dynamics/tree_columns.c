/* The motion of one column of a joint tree. With a the axis of the link's motion in the world, it turns about `axis` and shifts along `direction`:
 *
 *     turn   a, 0       shift   0, a       screw   a, pitch a       ball   the link's own axes, 0       free   the world's axes, then the link's own
 *
 * Vectors that are fixed in the link have the rates w x a; those of the world rest.
 */
#include "dynamics/tree_columns.h"

#include "math/vec.h"

#include <string.h>

void dal_tree_column(const dal_links *links, const dal_links_work *work, int column, dal_column_motion *out)
{
    const int i = links->link_of[column];
    const dal_link *link = &links->link[i];
    const dal_link_motion *m = &work->motion[i];
    const int k = column - link->v;
    memset(out, 0, sizeof *out);
    dal_copy3(m->r, out->origin);
    switch (link->kind) {
    case DAL_LINK_TURN: dal_copy3(m->R[2], out->axis); break;
    case DAL_LINK_SHIFT: dal_copy3(m->R[2], out->direction); break;
    case DAL_LINK_SCREW:
        dal_copy3(m->R[2], out->axis);
        dal_axpy3(link->pitch, m->R[2], out->direction);
        break;
    case DAL_LINK_BALL: dal_copy3(m->R[k], out->axis); break;
    default:
        if (k < 3)
            out->direction[k] = 1;
        else
            dal_copy3(m->R[k - 3], out->axis);
    }
}

void dal_tree_column_rate(const dal_links *links, const dal_links_work *work, int column, dal_column_motion *out)
{
    const int i = links->link_of[column];
    dal_tree_column(links, work, column, out);
    dal_cross(work->motion[i].w, out->axis, out->axis_rate);
    if (links->link[i].kind != DAL_LINK_FREE)
        dal_cross(work->motion[i].w, out->direction, out->direction_rate);
    dal_copy3(work->motion[i].rd, out->origin_rate);
}

void dal_tree_place(const dal_links *links, const dal_links_work *work, int body, double r[3], double R[9])
{
    const dal_seat *seat = &links->seat[body];
    const dal_link_motion *m = &work->motion[seat->link];
    dal_link_turn(m, seat->s, r);
    dal_axpy3(1, m->r, r);
    for (int j = 0; j < 3; j++) {
        const double column[3] = {seat->B[j], seat->B[3 + j], seat->B[6 + j]};
        double turned[3];
        dal_link_turn(m, column, turned);
        for (int i = 0; i < 3; i++)
            R[3 * i + j] = seat->particle ? i == j : turned[i];
    }
}
