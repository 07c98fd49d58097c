/* Outputs without a derivative: |s| and s < 0 at s = 0, sqrt(s) at s = 0, asin(s) at s = 1. Each output is a program of its own here, so that it is
 * blamed alone; what the directions of the states and inputs do not move is no corner (variation/program_slopes.h).
 */
#include "linear/linear.h"

#include "model/system.h"
#include "variation/program_slopes.h"

void dal_meet_corners(dal_linear *x)
{
    const dal_program *program = x->system->records.program;
    const int n = x->system->n_signals;
    int column[3];
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
