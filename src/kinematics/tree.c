/* The joint tree. */
#include "kinematics/tree.h"
#include <stdio.h>
dal_tree *dal_tree_build(dal_arena *arena, const dal_mechanism *mechanism, const bool *cut){(void)arena;(void)mechanism;(void)cut;return NULL;}
bool dal_tree_holds(const dal_tree *tree, const dal_mechanism *mechanism, int row){(void)tree;(void)mechanism;(void)row;return false;}
void dal_tree_columns(dal_arena *arena, dal_layout *layout){(void)arena;(void)layout;}
dal_tree *dal_tree_pack(dal_block *block, const dal_tree *from){(void)block;(void)from;return NULL;}
void dal_tree_name(const dal_tree *tree, const dal_mechanism *mechanism, bool velocity, int k, char *buffer, size_t size){(void)tree;(void)mechanism;(void)velocity;snprintf(buffer,size,"%d",k);}
