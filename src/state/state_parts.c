/* A part, for files that do not see the whole. */
#include "state/state_parts.h"
#include "state/report.h"
#include "state/state.h"

const dal_system *dal_system_of(const dal_state *state)
{
    return state->system;
}

const dal_layout *dal_layout_of(const dal_state *state)
{
    return state->layout;
}

const dal_allocator *dal_allocator_of(const dal_state *state)
{
    return &state->hold.allocator;
}

dal_work *dal_work_of(dal_state *state)
{
    return &state->work;
}

dal_loads *dal_loads_of(dal_state *state)
{
    return &state->loads;
}

const dal_work *dal_seen_work(const dal_state *state)
{
    return &state->work;
}

const double *dal_winding_of(const dal_state *state)
{
    return state->work.winding;
}

const int *dal_chart_of(const dal_state *state)
{
    return state->work.chart;
}

const double *dal_rates_of(const dal_state *state)
{
    return state->vd;
}

const double *dal_multipliers_of(const dal_state *state)
{
    return state->lambda;
}

const double *dal_gamma_of(const dal_state *state)
{
    return state->gamma;
}

const char *dal_trouble_of(const dal_state *state)
{
    return state->report->trouble;
}

struct dal_values *dal_values_of(const dal_state *state)
{
    return state->values;
}

struct dal_scratch *dal_scratch_of(const dal_state *state)
{
    return state->scratch;
}

struct dal_report *dal_report_of(const dal_state *state)
{
    return state->report;
}

struct dal_rank *dal_rank_of(const dal_state *state)
{
    return state->rank;
}

struct dal_singular *dal_singular_of(const dal_state *state)
{
    return state->singular;
}

struct dal_saddle *dal_saddle_of(const dal_state *state)
{
    return state->saddle;
}

struct dal_speed_choice *dal_speeds_of(const dal_state *state)
{
    return state->speeds;
}

struct dal_refinement *dal_refinement_of(const dal_state *state)
{
    return state->refinement;
}

struct dal_tree_state *dal_tree_of(const dal_state *state)
{
    return state->tree;
}

struct dal_reactions *dal_reactions_of(const dal_state *state)
{
    return state->reactions;
}

const struct dal_windings *dal_turns_of(const dal_state *state)
{
    return state->turns;
}
