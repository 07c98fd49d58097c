/* The layout of a program: one block without pointers, every part at an offset from its start.
 *
 *   dal_program | code | loads | outputs | switches | tables | doubles | text
 *
 * Registers: first the constants, then the variables that are used, then one result per instruction. No register is written twice: guards and modes
 * read the operands of every switch after a run.
 */
#ifndef DAL_EXPR_PROGRAM_H
#define DAL_EXPR_PROGRAM_H

#include "expr/table.h"

/* Operations of the tape beside those of dal_op (min, max, abs and mod are written out by dal_program_build). */
enum { DAL_TAPE_POWI = DAL_OP_COUNT /* a to the integer power b */ };

typedef struct dal_instruction {
    int16_t op, arity; /* the first `arity` of a, b, c are registers */
    int32_t a, b, c;   /* INTERP: a = x, b = 4 table + order, c = switch; other switching ones: c = switch or -1 */
} dal_instruction;

typedef struct dal_switch {
    int32_t op;    /* SIGN, FLOOR, LESS, LEQ, EQUAL or INTERP */
    int32_t a, b;  /* operand registers */
    int32_t table; /* INTERP */
    int32_t knots; /* INTERP: dal_knots */
    int32_t text;  /* offset of its text */
} dal_switch;

typedef struct dal_program_table {
    int32_t n, smooth, outside;
    int32_t number;  /* 1-based, in the graph */
    int64_t doubles; /* offset: knots, then coefficients */
} dal_program_table;

struct dal_program {
    int64_t bytes;
    int32_t n_variables, n_outputs, n_constants, n_loads, n_code, n_switches, n_tables;
    int32_t traces; /* 1: tables that end in an error are traced; that, and the guards of switches, take a second set of registers */
    int64_t code, loads, outputs, switches, tables, doubles; /* offsets; doubles begin with the constants */
};

#define DAL_PROGRAM_PART(program, type, offset) ((const type *)(const void *)((const char *)(program) + (program)->offset))

/* Number of values: constants, loads and results. */
static inline int dal_program_values(const dal_program *program)
{
    return program->n_constants + program->n_loads + program->n_code;
}

/* Table i of a program. */
static inline dal_table dal_program_table_view(const dal_program *program, int i)
{
    const dal_program_table *table = DAL_PROGRAM_PART(program, dal_program_table, tables) + i;
    const double *numbers = (const double *)(const void *)((const char *)program + table->doubles);
    return (dal_table){NULL, table->n, table->smooth, (dal_outside)table->outside, numbers, numbers + table->n};
}

#endif
