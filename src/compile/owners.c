/* The parts that every state has, in the order in which they are laid out. */
#include "component/network.h"
#include "compile/owners.h"
#include "dynamics/friction_parts.h"
#include "dynamics/row_rank.h"
#include "dynamics/reactions.h"
#include "dynamics/refine.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "dynamics/tree_state.h"
#include "integrate/partition.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/values.h"
#include "state/windings.h"

const dal_owner *const dal_owners[] = {&dal_values_owner,     &dal_scratch_owner,   &dal_windings_owner, &dal_report_owner,    &dal_rank_owner,
                                       &dal_singular_owner,   &dal_saddle_owner,    &dal_speeds_owner,   &dal_tree_owner,      &dal_friction_owner,
                                       &dal_refinement_owner, &dal_reactions_owner, &dal_network_owner,  &dal_partition_owner, NULL};
