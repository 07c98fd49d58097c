/* Outputs without a derivative: |s| and s < 0 at s = 0, sqrt(s) at s = 0, asin(s) at s = 1. Each output gets a program of its own, so that a corner of one
 * is not reported for another. An s that no state and no input moves makes no corner (variation/program_slopes.h).
 */
#include "linear/linear.h"

#include "force/signal.h"
#include "model/system_parts.h"
#include "variation/program_slopes.h"

#include <math.h>

void dal_meet_corners(dal_linear *x)
{
    const dal_program *program = dal_system_records(x->system)->program;
    int column[3], n;
    dal_system_signals(x->system, &n);
    if (!x->options->n_outputs || !program)
        return;
    if (!x->corner) {
        x->corner = DAL_NEW(&x->arena, bool, x->point.n_columns + 1);
        x->edge = DAL_NEW(&x->arena, bool, x->point.n_columns + 1);
        x->alone = DAL_NEW(&x->arena, dal_program *, x->point.n_columns + 1);
        x->signals = DAL_NEW(&x->arena, double, 2 * n + 1);
        x->room = dal_arena_alloc(&x->arena, dal_program_slopes_room(program));
    }
    double *values = x->signals, *slopes = x->signals + n;
    dal_variation_read(x->point.variation, values, slopes);
    if (!dal_program_switches(program) && !dal_program_edge(program, values, x->room))
        return;
    for (int i = 0; i < x->options->n_outputs; i++)
        for (int k = dal_output_columns(x, x->options->outputs[i], column) - 1; k >= 0; k--) {
            dal_program **alone = &x->alone[column[k]];
            if (!*alone)
                *alone = dal_program_alone(&x->arena, program, column[k]);
            if (!dal_program_corner_along(*alone, values, slopes, x->room))
                continue;
            x->corner[column[k]] = true;
            x->edge[column[k]] = dal_program_edge(*alone, values, x->room);
        }
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
