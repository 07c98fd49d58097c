/* Limits of controllers, for the search for an equilibrium.
 *
 *     u = max(lowest, min(highest, raw)):   du = 0 where raw is beyond a limit
 *
 * There Newton's method sees no force that the controller could give. A comparison of a number with a constant is taken for a limit: of its two sides one is
 * the same at the start and where the search ended. The search is made again with other pieces of some of these comparisons, as if the limits were not
 * there; what it finds is an equilibrium only if it is one in the pieces that hold there.
 */
#include "start/settle_parts.h"

#include "expr/expr.h"
#include "model/system_parts.h"
#include "state/evaluate.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <string.h>

void dal_settle_hold_pieces(dal_settler *s, const int *modes)
{
    dal_values *values = dal_values_of(s->state);
    const dal_program *program = dal_system_actions(dal_system_of(s->state))->program;
    if (modes)
        memcpy(values->modes, modes, sizeof *modes * (size_t)dal_program_switches(program));
    values->frozen = modes != NULL;
    dal_state_moved(s->state);
}

bool dal_settle_compare(dal_arena *arena, dal_settler *s, dal_settle_limits *limits, bool again)
{
    const dal_program *program = dal_system_actions(dal_system_of(s->state))->program;
    const int n = program ? dal_program_switches(program) : 0;
    if (!n || dal_settle_rest(s) != DAL_OK || dal_state_push(s->state))
        return false;
    const double *registers = dal_values_of(s->state)->registers;
    double *a = DAL_NEW(arena, double, n), *b = DAL_NEW(arena, double, n);
    int *op = DAL_NEW(arena, int, n);
    dal_program_operands(program, registers, op, a, b);
    if (!again) {
        *limits = (dal_settle_limits){.switches = n, .a = a, .b = b, .modes = DAL_NEW(arena, int, n), .some = DAL_NEW(arena, int, n)};
        dal_program_modes(program, registers, limits->modes);
        return true;
    }
    for (int i = 0; i < n && limits->n < DAL_SETTLE_LIMITS; i++)
        if ((op[i] == DAL_OP_LEQ || op[i] == DAL_OP_LESS) && (a[i] == limits->a[i]) != (b[i] == limits->b[i]))
            limits->limit[limits->n++] = i;
    return limits->n > 0;
}

const int *dal_settle_pieces(dal_settle_limits *limits, int choice)
{
    memcpy(limits->some, limits->modes, sizeof *limits->some * (size_t)limits->switches);
    for (int k = 0; k < limits->n; k++)
        if (choice & 1 << k)
            limits->some[limits->limit[k]] = !limits->some[limits->limit[k]];
    return limits->some;
}
