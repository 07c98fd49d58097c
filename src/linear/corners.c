/* What has no derivative: outputs with |s| and s < 0 at s = 0, sqrt(s) at s = 0, asin(s) at s = 1, and lengths of vectors that are zero; forces with
 * roots and lengths of zero. Each output gets a program of its own, so that a corner of one is not reported for another. An s that no state and no input
 * moves makes no corner (variation/program_slopes.h).
 */
#include "linear/linear.h"

#include "force/force.h"
#include "force/signal.h"
#include "model/acting.h"
#include "model/system_parts.h"
#include "variation/program_slopes.h"

#include <math.h>

/* A spring or a bushing: its force is no expression of the model. */
static bool is_elastic(const dal_acting *acting, int force)
{
    for (int g = 0; g < acting->n_groups; g++) {
        const dal_force_group *group = &acting->groups[g];
        const bool spring = dal_force_types[group->type]->spring, bushing = dal_force_types[group->type]->bushing;
        for (int k = 0; (spring || bushing) && k < group->n; k++)
            if ((spring ? dal_spring_of(group, k).force : dal_bushing_of(group, k).force) == force)
                return true;
    }
    return false;
}

/* Does an output of the program depend to first order on a length that is zero and moves? Its signal, or -1. An effort by an expression may: along its
 * own line k |d| d / |d| is smooth. */
static int pointed_need(dal_linear *x, const dal_program *program, int output, const dal_compiled *of, bool acts)
{
    int n;
    const dal_signal *signals = dal_system_signals(x->system, &n);
    const dal_acting *acting = dal_system_acting(x->system);
    double *along = NULL, *slope = NULL;
    for (int i = 0; i < of->n_needs; i++) {
        const int k = of->needs[i];
        if (!dal_variation_pointed(x->point.variation, k))
            continue;
        bool own = false;
        for (int f = 0; f < acting->n_forces && acts; f++)
            own =
                own || (acting->forces[f].along && acting->forces[f].measure == signals[k].index && signals[k].order == 0 && !is_elastic(acting, f));
        if (!along) {
            along = DAL_NEW(&x->arena, double, n + 1);
            slope = DAL_NEW(&x->arena, double, of->n_outputs + 1);
        }
        along[k] = 1;
        dal_program_slopes(program, x->signals, along, x->room, slope);
        along[k] = 0;
        if (!own && slope[output] != 0)
            return k;
    }
    return -1;
}

static bool needs_pointed(const dal_linear *x, const dal_compiled *of)
{
    for (int i = 0; i < of->n_needs; i++)
        if (dal_variation_pointed(x->point.variation, of->needs[i]))
            return true;
    return false;
}

static void meet_outputs(dal_linear *x, const double *values, const double *slopes)
{
    const dal_compiled *records = dal_system_records(x->system);
    int column[3];
    const bool may = dal_program_switches(records->program) || needs_pointed(x, records) || dal_program_edge(records->program, values, x->room);
    for (int i = 0; i < x->options->n_outputs && may; i++)
        for (int k = dal_output_columns(x, x->options->outputs[i], column) - 1; k >= 0; k--) {
            dal_program **alone = &x->alone[column[k]];
            if (!*alone)
                *alone = dal_program_alone(&x->arena, records->program, column[k]);
            const bool pointed = pointed_need(x, *alone, 0, records, false) >= 0;
            if (!pointed && !dal_program_corner_along(*alone, values, slopes, x->room))
                continue;
            x->corner[column[k]] = true;
            x->edge[column[k]] = x->edge[column[k]] || pointed || dal_program_edge(*alone, values, x->room);
        }
}

/* A damper along a line of no length: c (d . d') / |d| d / |d| has no derivative at d = 0, nor has a force that is not zero there. */
static void meet_lines(dal_linear *x)
{
    const dal_acting *acting = dal_system_acting(x->system);
    for (int g = 0; g < acting->n_groups; g++)
        for (int k = 0; dal_force_types[acting->groups[g].type]->spring && k < acting->groups[g].n; k++) {
            const dal_spring_info spring = dal_spring_of(&acting->groups[g], k);
            const dal_force_name *force = &acting->forces[spring.force];
            if (force->along && dal_variation_no_line(x->point.variation, spring.measure) &&
                (spring.damping != 0 || spring.stiffness * spring.free != 0 || spring.has_value))
                x->rough = dal_arena_print(&x->arena, "the points of '%s' coincide, where its force has no derivative", force->name);
        }
}

/* The expression of a force, or the rate of a state. */
static void refuse_action(dal_linear *x, int i, const char *why)
{
    x->rough = dal_arena_print(&x->arena, "'%.150s' has no derivative here: %s", dal_system_action_text(x->system, i), why);
}

static void meet_actions(dal_linear *x, const double *values, const double *slopes)
{
    const dal_compiled *actions = dal_system_actions(x->system);
    meet_lines(x);
    if (!actions->program)
        return;
    const bool edge = dal_program_edge(actions->program, values, x->room) && dal_program_corner_along(actions->program, values, slopes, x->room);
    for (int i = 0; i < actions->n_outputs && edge && !x->rough; i++) {
        const dal_program *alone = dal_program_alone(&x->arena, actions->program, i);
        if (dal_program_edge(alone, values, x->room) && dal_program_corner_along(alone, values, slopes, x->room))
            refuse_action(x, i, "it has a root of zero, or asin or acos at 1 or -1");
    }
    const bool may = needs_pointed(x, actions);
    for (int i = 0; i < actions->n_outputs && may && !x->rough; i++)
        if (pointed_need(x, actions->program, i, actions, true) >= 0)
            refuse_action(x, i, "it reads the length of a vector, which is zero");
}

void dal_meet_corners(dal_linear *x)
{
    const dal_program *program = dal_system_records(x->system)->program, *acts = dal_system_actions(x->system)->program;
    int n;
    dal_system_signals(x->system, &n);
    if (!x->signals) {
        const size_t record = program ? dal_program_slopes_room(program) : 0, act = acts ? dal_program_slopes_room(acts) : 0;
        x->corner = DAL_NEW(&x->arena, bool, x->point.n_columns + 1);
        x->edge = DAL_NEW(&x->arena, bool, x->point.n_columns + 1);
        x->alone = DAL_NEW(&x->arena, dal_program *, x->point.n_columns + 1);
        x->signals = DAL_NEW(&x->arena, double, 2 * n + 1);
        x->room = dal_arena_alloc(&x->arena, (record > act ? record : act) + 1);
    }
    double *values = x->signals, *slopes = x->signals + n;
    dal_variation_read(x->point.variation, values, slopes);
    if (!x->rough)
        meet_actions(x, values, slopes);
    if (x->options->n_outputs && program)
        meet_outputs(x, values, slopes);
}

static const char *reason_of(const dal_signal *s)
{
    switch (s->kind) {
    case DAL_SIGNAL_ATTITUDE: return "quaternions are no function of the state: their sign is that of the way there";
    case DAL_SIGNAL_RESIDUAL: return "residuals of constraints are no function of the state";
    case DAL_SIGNAL_ENERGY: return "work since the start is no function of the state";
    case DAL_SIGNAL_REACTION:
    case DAL_SIGNAL_DRIVE:
    case DAL_SIGNAL_MULTIPLIER:
    case DAL_SIGNAL_POWER: return "reactions need --coordinates angle, euler or natural";
    default: return "it reads a channel that has no derivative";
    }
}

/* The signal without a derivative along which alone the output has none either. */
const char *dal_why_no_derivative(dal_linear *x, int column)
{
    int n;
    const dal_compiled *records = dal_system_records(x->system);
    const dal_signal *signals = dal_system_signals(x->system, &n);
    double *values = DAL_NEW(&x->arena, double, n + 1), *slopes = DAL_NEW(&x->arena, double, n + 1), slope = 0;
    const dal_program *alone = dal_program_alone(&x->arena, records->program, column);
    for (int k = 0; k < n; k++)
        values[k] = isfinite(x->signals[k]) ? x->signals[k] : 1;
    for (int i = 0; i < records->n_needs; i++) {
        const int k = records->needs[i];
        if (isfinite(x->signals[k]) && isfinite(x->signals[n + k]))
            continue;
        slopes[k] = NAN;
        dal_program_slopes(alone, values, slopes, x->room, &slope);
        slopes[k] = 0;
        if (isnan(slope))
            return reason_of(&signals[k]);
    }
    return isfinite(x->values[column]) ? "its derivative is infinite" : "its value is not a finite number";
}
