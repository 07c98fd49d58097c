/* Compiled for complex numbers only: CMakeLists.txt. */
#include "variation/program_slopes.h"

#include "expr/expr.h"
#include "expr/program.h"

static const double h = 1e-30;

typedef struct room {
    dal_real *variables, *registers, *outputs;
    double *guards;
    int *modes;
} room;

static room layout_room(const dal_program *program, void *memory)
{
    room r;
    r.variables = memory;
    r.registers = r.variables + dal_program_variables(program) + 1;
    r.outputs = r.registers + dal_program_registers(program) + 1;
    r.guards = (double *)(void *)(r.outputs + dal_program_outputs(program) + 1);
    r.modes = (int *)(void *)(r.guards + dal_program_switches(program) + 1);
    return r;
}

size_t dal_program_slopes_room(const dal_program *program)
{
    const size_t numbers = (size_t)(dal_program_variables(program) + dal_program_registers(program) + dal_program_outputs(program) + 3);
    return sizeof(dal_real) * numbers + (sizeof(double) + sizeof(int)) * (size_t)(dal_program_switches(program) + 1);
}

static void move(const dal_program *program, const double *x, const double *dx, dal_real *to)
{
    for (int i = 0; i < dal_program_variables(program); i++)
        to[i] = x[i] + _Complex_I * h * dx[i];
}

int dal_program_slopes(const dal_program *program, const double *x, const double *dx, void *memory, double *df)
{
    const room r = layout_room(program, memory);
    move(program, x, dx, r.variables);
    const int table = dal_program_run(program, r.variables, NULL, r.registers, r.outputs);
    for (int k = 0; !table && k < dal_program_outputs(program); k++)
        df[k] = cimag(r.outputs[k]) / h;
    return table;
}

/* The operands of switch i change along the direction if one of them has an imaginary part. */
int dal_program_corner_along(const dal_program *program, const double *x, const double *dx, void *memory)
{
    const room r = layout_room(program, memory);
    const dal_switch *list = DAL_PROGRAM_PART(program, dal_switch, switches);
    if (!dal_program_switches(program))
        return -1;
    move(program, x, dx, r.variables);
    dal_program_run(program, r.variables, NULL, r.registers, r.outputs);
    dal_program_modes(program, r.registers, r.modes);
    dal_program_run(program, r.variables, r.modes, r.registers, r.outputs);
    dal_program_guards(program, r.registers, r.modes, r.guards);
    for (int i = 0; i < dal_program_switches(program); i++) {
        const bool two = list[i].op == DAL_OP_LESS || list[i].op == DAL_OP_LEQ || list[i].op == DAL_OP_EQUAL;
        const bool between = (list[i].op == DAL_OP_SIGN || list[i].op == DAL_OP_EQUAL) && r.modes[i] == 0;
        const bool moves = cimag(r.registers[list[i].a]) != 0 || (two && cimag(r.registers[list[i].b]) != 0);
        if ((r.guards[i] == 0 || between) && moves)
            return i;
    }
    return -1;
}
