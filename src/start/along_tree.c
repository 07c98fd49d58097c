/* Positions of bodies, closed along the joint tree: the equations are in along_tree.h. */
#include "start/along_tree.h"

#include "kinematics/tree.h"
#include "math/vec.h"
#include "start/point.h"

#include <string.h>

enum { FEW = 24 }; /* bodies, up to which the correction of all rows is cheap */

const dal_tree *dal_tree_to_follow(dal_arena *arena, const dal_layout *layout)
{
    const bool many = layout->mechanism->n_bodies > FEW && layout->n_rows > 0;
    return many && dal_owns_columns(layout) ? dal_tree_build(arena, layout->mechanism, NULL) : NULL;
}

/* Do the points of the joint coincide in every position? */
static bool only_turns(const dal_tree *tree, const dal_carrier *carrier)
{
    for (int i = carrier->step; i < carrier->step + carrier->n_steps; i++)
        if (tree->step[i].kind != DAL_STEP_TURN && tree->step[i].kind != DAL_STEP_BALL)
            return false;
    return carrier->joint >= 0;
}

static void place_point(const dal_kin *kin, const dal_marker *marker, const double *shift, double out[3])
{
    if (marker->body == DAL_GROUND) {
        memcpy(out, marker->s, 3 * sizeof *out);
        return;
    }
    dal_turn(kin[marker->body].R, marker->s, out);
    dal_axpy3(1, kin[marker->body].r, out);
    dal_axpy3(1, shift + 3 * (size_t)marker->body, out);
}

void dal_follow_tree(const dal_tree *tree, const dal_layout *layout, const dal_kin *kin, double *q, double *shift)
{
    memset(shift, 0, 3 * sizeof *shift * (size_t)layout->mechanism->n_bodies);
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *carrier = &tree->carrier[i];
        double *own = shift + 3 * (size_t)carrier->body, there[3], here[3];
        if (only_turns(tree, carrier)) {
            place_point(kin, &carrier->from, shift, there);
            place_point(kin, &carrier->to, shift, here);
            dal_sub3(there, here, own);
        } else if (carrier->parent != DAL_GROUND) {
            memcpy(own, shift + 3 * (size_t)carrier->parent, 3 * sizeof *own);
        }
        for (int k = 0; k < (int)layout->mechanism->space; k++)
            q[layout->body[carrier->body].q + k] += own[k];
    }
}
