/* Building and packing a layout. */
#ifndef DAL_KINEMATICS_LAYOUT_H
#define DAL_KINEMATICS_LAYOUT_H

#include "base/block.h"
#include "kinematics/family.h"

#ifndef DAL_SCALAR_VARIANT

enum { DAL_DENSE_LIMIT = 64 }; /* unknowns of the saddle system, velocities and rows, up to which it is solved as a dense one */

/* What a layout is made of beside the mechanism. */
typedef struct dal_layout_parts {
    int n_times;
    dal_tree *tree;           /* joint */
    double length;            /* joint, natural: the model's; 0: not known */
    dal_placement *placement; /* user */
    dal_subsystems *systems;  /* NULL: none */
    bool recursive;           /* solved by recursion over the tree, where bodies need no columns unless rows do */
    bool lazy;                /* quantities that only records read are evaluated for records alone: dal_rows_idle */
    dal_form_program forms;
    const dal_layout *like; /* a layout of a mechanism that may have the same numbering: then its arrays are used. NULL: none */
} dal_layout_parts;

/* Where everything is: columns, rows, sides, blocks of M, for a family. */
dal_layout *dal_layout_build(dal_arena *arena, const dal_mechanism *mechanism, const dal_family *family, const dal_layout_parts *parts);
/* A layout that can be `like` for others, in permanent memory. NULL: this one cannot, because it depends on a tree or on a placement. */
const dal_layout *dal_layout_keep(dal_arena *arena, const dal_layout *layout);
/* A copy in the block of the system. */
void dal_layout_pack(dal_block *block, const dal_layout *from, const dal_mechanism *mechanism, dal_layout *to);
void dal_mechanism_pack(dal_block *block, const dal_mechanism *from, dal_mechanism *to);

#else

/* A layout that was built on doubles, with its family on this scalar. It uses the arrays of the other; every measure is evaluated. */
static inline dal_layout dal_layout_on_scalar(const dal_layout *from, const dal_family *family)
{
    dal_layout layout = *from;
    layout.family = family;
    dal_layout_keep_busy(&layout);
    return layout;
}

#endif

#endif
