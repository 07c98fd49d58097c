/* Bodies placed by expressions. */
#include "kinematics/placement.h"
dal_placement *dal_placement_build(dal_arena *arena, dal_graph *graph, const dal_mechanism *mechanism, const dal_node *frame){(void)arena;(void)graph;(void)mechanism;(void)frame;return NULL;}
void dal_placement_columns(dal_arena *arena, dal_layout *layout){(void)arena;(void)layout;}
dal_placement *dal_placement_pack(dal_block *block, const dal_placement *from){(void)block;(void)from;return NULL;}
