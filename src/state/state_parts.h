/* Parts of a state, for files outside of the step loop. What a part is made of is in the header of its owner. */
#ifndef DAL_STATE_STATE_PARTS_H
#define DAL_STATE_STATE_PARTS_H

#include "force/force.h"
#include "state/evaluate.h"

/* Each function returns a part of the state. */
const dal_system *dal_system_of(const dal_state *state);
const dal_layout *dal_layout_of(const dal_state *state);       /* of its system, with mechanism and units */
const dal_allocator *dal_allocator_of(const dal_state *state); /* that its memory is from */
dal_work *dal_work_of(dal_state *state);
dal_loads *dal_loads_of(dal_state *state);
const dal_work *dal_seen_work(const dal_state *state);
const double *dal_rates_of(const dal_state *state);       /* v' of the last evaluation */
const double *dal_multipliers_of(const dal_state *state); /* of the rows; the same */
const double *dal_gamma_of(const dal_state *state);       /* right side of the rows, stabilised */
const double *dal_winding_of(const dal_state *state);     /* work->winding, work->chart: for code on other scalars */
const int *dal_chart_of(const dal_state *state);
double *dal_own_states_of(dal_state *state);                      /* in y: the states of the model */
const char *dal_trouble_of(const dal_state *state);               /* why the last evaluation failed; "": it did not */
struct dal_values *dal_values_of(const dal_state *state);         /* state/values.h */
struct dal_scratch *dal_scratch_of(const dal_state *state);       /* state/scratch.h */
struct dal_report *dal_report_of(const dal_state *state);         /* state/report.h */
struct dal_rank *dal_rank_of(const dal_state *state);             /* dynamics/row_rank.h */
struct dal_singular *dal_singular_of(const dal_state *state);     /* dynamics/singular.h */
struct dal_saddle *dal_saddle_of(const dal_state *state);         /* dynamics/saddle.h */
struct dal_speed_choice *dal_speeds_of(const dal_state *state);   /* dynamics/speeds.h */
struct dal_refinement *dal_refinement_of(const dal_state *state); /* dynamics/refine.h */
struct dal_tree_state *dal_tree_of(const dal_state *state);       /* dynamics/tree_state.h */
struct dal_reactions *dal_reactions_of(const dal_state *state);   /* dynamics/reactions.h */
const struct dal_windings *dal_turns_of(const dal_state *state);  /* state/windings.h */

#endif
