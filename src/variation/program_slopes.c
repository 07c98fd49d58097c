/* A program along a direction, by a complex step (program_slopes.h), and its corners: at x,
 *
 *     a switch   is exactly between two pieces, and an operand has an imaginary part
 *     a root     sqrt(a) or a^b at a = 0, changes with the step or faster: sqrt(x), sqrt(x^2) = |x|, but not sqrt(x^4)
 *     an arc     asin(a) or acos(a) at |a| = 1, whose a changes with the square of the step or faster: asin(1 - x^2), but not asin(1 - x^4)
 *
 * For roots and arcs the program is run a second time, with another step: how fast they change follows from both. Compiled for complex numbers only
 * (CMakeLists.txt).
 */
#include "variation/program_slopes.h"

#include "expr/expr.h"
#include "expr/program.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double h = 1e-30;

/* At an edge: */
static const double less = 0x1p-20;          /* a second step, over h */
static const double linear = 0x1p21;         /* what changes with the step or a root of it falls by less, what changes with its square by 2^40 */
static const double far = 1e-4;              /* a step that shows second differences of what is near 1 */
static const double seen = 16 * DBL_EPSILON; /* of these */

typedef struct room {
    dal_real *variables, *registers, *others, *outputs; /* registers: with the second set */
    double *guards;
    int *modes;
} room;

static room layout_room(const dal_program *program, void *memory)
{
    room r;
    r.variables = memory;
    r.registers = r.variables + dal_program_variables(program) + 1;
    r.others = r.registers + 2 * dal_program_values(program) + 1;
    r.outputs = r.others + 2 * dal_program_values(program) + 1;
    r.guards = (double *)(void *)(r.outputs + dal_program_outputs(program) + 1);
    r.modes = (int *)(void *)(r.guards + dal_program_switches(program) + 1);
    return r;
}

size_t dal_program_slopes_room(const dal_program *program)
{
    const size_t numbers = (size_t)(dal_program_variables(program) + 4 * dal_program_values(program) + dal_program_outputs(program) + 4);
    return sizeof(dal_real) * numbers + (sizeof(double) + sizeof(int)) * (size_t)(dal_program_switches(program) + 1);
}

/* x + i step dx */
static void move(const dal_program *program, const double *x, const double *dx, double step, dal_real *to)
{
    for (int i = 0; i < dal_program_variables(program); i++)
        to[i] = x[i] + _Complex_I * step * dx[i];
}

int dal_program_slopes(const dal_program *program, const double *x, const double *dx, void *memory, double *df)
{
    const room r = layout_room(program, memory);
    move(program, x, dx, h, r.variables);
    const int table = dal_program_run(program, r.variables, NULL, r.registers, r.outputs);
    for (int k = 0; !table && k < dal_program_outputs(program); k++)
        df[k] = cimag(r.outputs[k]) / h;
    return table;
}

/* ---- corners -------------------------------------------------------------------------------------------- */

/* Does an output need switch i? */
static bool needs_switch(const dal_program *program, const dal_real *needed, int i)
{
    const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code);
    const int op = DAL_PROGRAM_PART(program, dal_switch, switches)[i].op;
    for (int k = 0; k < program->n_code; k++)
        if (code[k].op == op && code[k].c == i && creal(needed[k]) != 0)
            return true;
    return false;
}

/* The operands of switch i change along the direction if one of them has an imaginary part. */
static bool moves_switch(const dal_program *program, const room *r)
{
    const dal_switch *list = DAL_PROGRAM_PART(program, dal_switch, switches);
    dal_program_guards(program, r->registers, r->modes, r->guards);
    for (int i = 0; i < dal_program_switches(program); i++) {
        const bool two = list[i].op == DAL_OP_LESS || list[i].op == DAL_OP_LEQ || list[i].op == DAL_OP_EQUAL;
        const bool between = (list[i].op == DAL_OP_SIGN || list[i].op == DAL_OP_EQUAL) && r->modes[i] == 0;
        const bool moves = cimag(r->registers[list[i].a]) != 0 || (two && cimag(r->registers[list[i].b]) != 0);
        if ((r->guards[i] == 0 || between) && moves && needs_switch(program, dal_program_needed(program, r->registers), i))
            return true;
    }
    return false;
}

/* Two slopes meet in sqrt and in a broken power at 0, in asin and acos at 1 and -1. An operand that is zero at x has a real part of the order of h^2 after
 * the step. */
typedef enum edge { NO_EDGE, ROOT, ARC } edge;

static edge edge_at(const dal_instruction *code, const dal_real *registers)
{
    const double a = creal(registers[code->a]);
    switch (code->op) {
    case DAL_OP_SQRT: return fabs(a) <= h ? ROOT : NO_EDGE;
    case DAL_OP_POW: return fabs(a) <= h && creal(registers[code->b]) != floor(creal(registers[code->b])) ? ROOT : NO_EDGE;
    case DAL_OP_ASIN:
    case DAL_OP_ACOS: return fabs(a) == 1 ? ARC : NO_EDGE;
    default: return NO_EDGE;
    }
}

static bool meets_edge(const dal_program *program, const room *r)
{
    for (int i = 0; i < program->n_code; i++)
        if (edge_at(DAL_PROGRAM_PART(program, dal_instruction, code) + i, r->registers))
            return true;
    return false;
}

/* The step that is far for the variables that move. */
static double far_step(const dal_program *program, const double *x, const double *dx)
{
    double most = 0, size = 0;
    for (int i = 0; i < dal_program_variables(program); i++) {
        most = fmax(most, fabs(dx[i]));
        size = dx[i] != 0 ? fmax(size, fabs(x[i])) : size;
    }
    return most > 0 ? far * (size > 0 ? size : 1) / most : far;
}

/* A root has an edge if it changes with the step or faster; an arc, if its operand changes with the square of the step or faster. */
static bool moves_edge(const dal_program *program, const room *r, const double *x, const double *dx, edge which)
{
    const int first = program->n_constants + program->n_loads;
    const dal_real *needed = dal_program_needed(program, r->registers);
    move(program, x, dx, which == ROOT ? less * h : far_step(program, x, dx), r->variables);
    dal_program_run(program, r->variables, r->modes, r->others, r->outputs);
    for (int i = 0; i < program->n_code; i++) {
        const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code) + i;
        if (creal(needed[i]) == 0 || edge_at(code, r->registers) != which)
            continue;
        const dal_real operand = r->registers[code->a];
        if (which == ROOT && operand != 0 && !(cabs(r->registers[first + i]) >= linear * cabs(r->others[first + i])))
            return true;
        if (which == ARC && !(cabs(r->others[code->a] - creal(operand)) <= seen))
            return true;
    }
    return false;
}

bool dal_program_corner_along(const dal_program *program, const double *x, const double *dx, void *memory)
{
    const room r = layout_room(program, memory);
    move(program, x, dx, h, r.variables);
    dal_program_run(program, r.variables, NULL, r.registers, r.outputs);
    dal_program_modes(program, r.registers, r.modes);
    dal_program_run(program, r.variables, r.modes, r.registers, r.outputs);
    return moves_switch(program, &r) || (meets_edge(program, &r) && (moves_edge(program, &r, x, dx, ROOT) || moves_edge(program, &r, x, dx, ARC)));
}

bool dal_program_edge(const dal_program *program, const double *x, void *memory)
{
    const room r = layout_room(program, memory);
    for (int i = 0; i < dal_program_variables(program); i++)
        r.variables[i] = x[i];
    dal_program_run(program, r.variables, NULL, r.registers, r.outputs);
    const dal_real *needed = dal_program_needed(program, r.registers);
    for (int i = 0; i < program->n_code; i++)
        if (creal(needed[i]) != 0 && edge_at(DAL_PROGRAM_PART(program, dal_instruction, code) + i, r.registers))
            return true;
    return false;
}

dal_program *dal_program_alone(dal_arena *arena, const dal_program *program, int output)
{
    dal_program *alone = dal_arena_alloc(arena, dal_program_bytes(program));
    memcpy(alone, program, dal_program_bytes(program));
    ((int32_t *)(void *)((char *)alone + alone->outputs))[0] = DAL_PROGRAM_PART(program, int32_t, outputs)[output];
    alone->n_outputs = 1;
    return alone;
}
