/* The tape interpreter. Kernel: compiled for every dal_real.
 *
 * A run fills the registers (program.h) from first to last. Decisions depend on real parts. With modes there are no decisions: each switching
 * operation evaluates the piece of its mode, and extrapolates it beyond its end.
 *
 *   switch             modes               value          guard
 *   sign(x)            -1, 0, 1            mode           -x, (x == 0 ? 1 : -1), x
 *   a < b, a <= b      1 true, 0 false     mode           b - a, a - b
 *   a == b             -1, 0, 1            mode == 0      b - a, (a == b ? 1 : -1), a - b
 *   floor(x)           n                   n              (x - n)(n + 1 - x)
 *   table, all knots   interval i          its cubic      (x - x_i)(x_{i+1} - x) / (x_{i+1} - x_i)
 *                      -1, n-1 outside     the held end   x_0 - x, x - x_{n-1}
 *   table, held ends   -1, 0, 1            as above       the same with the whole range as one piece
 *
 * A guard of 0 still holds: at a tie the mode is that of the true value, and it ends where the guard is negative. An operand that is NaN (or too
 * large for an int) has the mode DAL_MODE_NONE: the operation is then evaluated as without modes. Where an operand becomes
 * NaN, or is a number again, the guard changes from 1 to -1.
 *
 * Outside a table that ends in an error the value is NaN; if it reaches an output, the run reports the table. A branch that an if() does not choose
 * may leave its tables.
 */
#include "expr/program.h"

#include <stdlib.h>
#include <string.h>

/* x^n by squaring: exact signs, and a slope that is right at x = 0 and for negative x. The rounding, about |n| eps, is
 * what an error of one eps in x does to x^n anyway. */
static dal_real integer_power(dal_real x, int n)
{
    dal_real result = 1, square = x;
    for (int k = n < 0 ? -n : n; k; k >>= 1) {
        if (k & 1)
            result *= square;
        square *= square;
    }
    return n < 0 ? 1 / result : result;
}

/* 1, 0, or NaN if an operand is NaN. */
#define TRUTH(yes, no) ((yes) ? 1.0 : (no) ? 0.0 : (double)NAN)

static double sign_of(dal_real x)
{
    return dal_re(x) > 0 ? 1 : dal_re(x) < 0 ? -1 : dal_re(x) == 0 ? 0 : (double)NAN;
}

/* ---- tables ------------------------------------------------------------------ */

/* The derivative of order `order` of one piece, at x. */
static dal_real piece_value(const dal_table *table, dal_piece piece, int order, dal_real x)
{
    if (piece.interval < 0 || piece.interval > table->n - 2) {
        if (table->outside == DAL_OUTSIDE_ERROR)
            return (double)NAN;
        return order ? 0 : table->c[piece.interval < 0 ? 0 : 4 * (table->n - 1)];
    }
    const double *c = table->c + 4 * piece.interval;
    dal_real d = x - (table->x[piece.interval] + piece.turns * dal_table_range(table));
    switch (order) {
    case 0: return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
    case 1: return c[1] + d * (2 * c[2] + d * (3 * c[3]));
    case 2: return 2 * c[2] + d * (6 * c[3]);
    default: return 6 * c[3];
    }
}

/* The piece of a mode; between held ends the interval is still searched. */
static dal_piece frozen_piece(const dal_table *table, dal_knots knots, int mode, double x)
{
    if (knots == DAL_KNOTS_ALL)
        return dal_mode_piece(table, mode);
    if (mode == 0)
        return (dal_piece){dal_find_interval(table, x), 0};
    return (dal_piece){mode < 0 ? -1 : table->n - 1, 0};
}

static dal_piece choose_piece(const dal_program *program, const dal_table *table, const dal_instruction *code, double x, const int *modes)
{
    int mode = modes && code->c >= 0 ? modes[code->c] : DAL_MODE_NONE;
    if (mode == DAL_MODE_NONE)
        return dal_find_piece(table, x);
    return frozen_piece(table, (dal_knots)DAL_PROGRAM_PART(program, dal_switch, switches)[code->c].knots, mode, x);
}

static bool is_left(const dal_table *table, dal_piece piece)
{
    return table->outside == DAL_OUTSIDE_ERROR && (piece.interval < 0 || piece.interval > table->n - 2);
}

static dal_real interpolate(const dal_program *program, const dal_instruction *code, dal_real x, const int *modes, bool *left)
{
    dal_table table = dal_program_table_view(program, code->b / 4);
    dal_piece piece = choose_piece(program, &table, code, (double)dal_re(x), modes);
    if (is_left(&table, piece))
        *left = true;
    return piece_value(&table, piece, code->b % 4, x);
}

/* Marked backwards along the tape in the second set of registers; an if() needs only its condition and the chosen branch. */
const dal_real *dal_program_needed(const dal_program *program, dal_real *registers)
{
    const int values = dal_program_values(program), first = program->n_constants + program->n_loads;
    const int32_t *outputs = DAL_PROGRAM_PART(program, int32_t, outputs);
    dal_real *needed = registers + values;
    for (int i = 0; i < values; i++)
        needed[i] = 0;
    for (int i = 0; i < program->n_outputs; i++)
        needed[outputs[i]] = 1;
    for (int i = program->n_code - 1; i >= 0; i--) {
        const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code) + i;
        if (dal_re(needed[first + i]) == 0)
            continue;
        const int32_t operand[3] = {code->a, code->b, code->c};
        for (int k = 0; k < code->arity; k++) {
            bool passed_over = code->op == DAL_OP_SELECT && k == (dal_re(registers[code->a]) != 0 ? 2 : 1);
            if (!passed_over)
                needed[operand[k]] = 1;
        }
    }
    return needed + first; /* of the instructions' results */
}

/* The number of a table that was left and that an output needs, or 0. */
static int find_left_table(const dal_program *program, const int *modes, dal_real *registers)
{
    const dal_real *needed = dal_program_needed(program, registers);
    for (int i = program->n_code - 1; i >= 0; i--) {
        const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code) + i;
        if (code->op != DAL_OP_INTERP || dal_re(needed[i]) == 0)
            continue;
        dal_table table = dal_program_table_view(program, code->b / 4);
        if (is_left(&table, choose_piece(program, &table, code, (double)dal_re(registers[code->a]), modes)))
            return DAL_PROGRAM_PART(program, dal_program_table, tables)[code->b / 4].number;
    }
    return 0;
}

/* ---- the run ----------------------------------------------------------------- */

/* The value of a switching operation without modes. */
static double decide(int op, dal_real a, dal_real b)
{
    switch (op) {
    case DAL_OP_SIGN: return sign_of(a);
    case DAL_OP_FLOOR: return floor((double)dal_re(a));
    case DAL_OP_LESS: return TRUTH(dal_re(a) < dal_re(b), dal_re(a) >= dal_re(b));
    case DAL_OP_LEQ: return TRUTH(dal_re(a) <= dal_re(b), dal_re(a) > dal_re(b));
    default: return TRUTH(dal_re(a) == dal_re(b), dal_re(a) < dal_re(b) || dal_re(a) > dal_re(b));
    }
}

/* With modes: the mode is the value, except for equality. */
static double switch_value(const dal_instruction *code, const dal_real *registers, const int *modes)
{
    if (modes && code->c >= 0 && modes[code->c] != DAL_MODE_NONE)
        return code->op == DAL_OP_EQUAL ? modes[code->c] == 0 : modes[code->c];
    return decide(code->op, registers[code->a], registers[code->b]);
}

int dal_program_run(const dal_program *program, const dal_real *variables, const int *modes, dal_real *registers, dal_real *outputs)
{
    const double *constants = DAL_PROGRAM_PART(program, double, doubles);
    const int32_t *loads = DAL_PROGRAM_PART(program, int32_t, loads);
    const int32_t *results = DAL_PROGRAM_PART(program, int32_t, outputs);
    const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code), *end = code + program->n_code;
    dal_real *r = registers, *to = r + program->n_constants;
    bool left = false;
    for (int i = 0; i < program->n_constants; i++)
        r[i] = constants[i];
    for (int i = 0; i < program->n_loads; i++)
        *to++ = variables[loads[i]];
    for (; code < end; code++, to++) {
        switch (code->op) {
        case DAL_OP_ADD: *to = r[code->a] + r[code->b]; break;
        case DAL_OP_SUB: *to = r[code->a] - r[code->b]; break;
        case DAL_OP_MUL: *to = r[code->a] * r[code->b]; break;
        case DAL_OP_DIV: *to = r[code->a] / r[code->b]; break;
        case DAL_OP_NEG: *to = -r[code->a]; break;
        case DAL_OP_COPY: *to = r[code->a]; break;
        case DAL_OP_SIN: *to = dal_sin(r[code->a]); break;
        case DAL_OP_COS: *to = dal_cos(r[code->a]); break;
        case DAL_OP_TAN: *to = dal_tan(r[code->a]); break;
        case DAL_OP_ASIN: *to = dal_asin(r[code->a]); break;
        case DAL_OP_ACOS: *to = dal_acos(r[code->a]); break;
        case DAL_OP_ATAN: *to = dal_atan(r[code->a]); break;
        case DAL_OP_ATAN2: *to = dal_atan2(r[code->a], r[code->b]); break;
        case DAL_OP_SINH: *to = dal_sinh(r[code->a]); break;
        case DAL_OP_COSH: *to = dal_cosh(r[code->a]); break;
        case DAL_OP_TANH: *to = dal_tanh(r[code->a]); break;
        case DAL_OP_SQRT: *to = dal_sqrt(r[code->a]); break;
        case DAL_OP_EXP: *to = dal_exp(r[code->a]); break;
        case DAL_OP_LOG: *to = dal_log(r[code->a]); break;
        case DAL_OP_POW: *to = dal_pow(r[code->a], r[code->b]); break;
        case DAL_TAPE_POWI: *to = integer_power(r[code->a], code->b); break;
        case DAL_OP_SELECT: {
            dal_real condition = r[code->a]; /* NaN stays NaN */
            *to = dal_re(condition) == 0 ? r[code->c] : dal_re(condition) != dal_re(condition) ? condition : r[code->b];
            break;
        }
        case DAL_OP_INTERP: *to = interpolate(program, code, r[code->a], modes, &left); break;
        default: *to = switch_value(code, r, modes);
        }
    }
    for (int i = 0; i < program->n_outputs; i++)
        outputs[i] = r[results[i]];
    return left ? find_left_table(program, modes, registers) : 0;
}

/* ---- switches ---------------------------------------------------------------- */

static int whole_mode(double value)
{
    return fabs(value) <= DAL_MODE_MOST ? (int)value : DAL_MODE_NONE; /* also for NaN */
}

static int table_mode(const dal_program *program, const dal_switch *s, double x)
{
    dal_table table = dal_program_table_view(program, s->table);
    dal_piece piece = dal_find_piece(&table, x);
    if (x != x)
        return DAL_MODE_NONE;
    if (s->knots == DAL_KNOTS_ALL)
        return dal_piece_mode(&table, piece);
    return piece.interval < 0 ? -1 : piece.interval > table.n - 2 ? 1 : 0;
}

/* The mode that holds at the values in the registers. */
static int find_mode(const dal_program *program, const dal_switch *s, const dal_real *r)
{
    if (s->op == DAL_OP_INTERP)
        return table_mode(program, s, (double)dal_re(r[s->a]));
    if (s->op == DAL_OP_EQUAL)
        return whole_mode(TRUTH(dal_re(r[s->a]) > dal_re(r[s->b]), dal_re(r[s->a]) <= dal_re(r[s->b])) -
                          TRUTH(dal_re(r[s->a]) < dal_re(r[s->b]), dal_re(r[s->a]) >= dal_re(r[s->b])));
    return whole_mode(decide(s->op, r[s->a], r[s->b]));
}

/* Positive between the ends of the piece. */
static double table_guard(const dal_program *program, const dal_switch *s, int mode, double x)
{
    dal_table table = dal_program_table_view(program, s->table);
    dal_piece piece = frozen_piece(&table, (dal_knots)s->knots, mode, x);
    double first = table.x[0], last = table.x[table.n - 1];
    if (piece.interval < 0)
        return first - x;
    if (piece.interval > table.n - 2)
        return x - last;
    if (s->knots == DAL_KNOTS_ALL) {
        double shift = piece.turns * (last - first);
        first = table.x[piece.interval] + shift;
        last = table.x[piece.interval + 1] + shift;
    }
    return (x - first) * ((last - x) / (last - first));
}

static double guard_of(const dal_program *program, const dal_switch *s, const dal_real *r, int mode)
{
    double a = (double)dal_re(r[s->a]), difference = (double)(dal_re(r[s->b]) - dal_re(r[s->a])); /* b - a */
    switch (s->op) {
    case DAL_OP_SIGN: return mode ? mode * a : a == 0 ? 1 : -1;
    case DAL_OP_EQUAL: return mode ? -mode * difference : difference == 0 ? 1 : -1;
    case DAL_OP_FLOOR: return (a - mode) * (mode + 1.0 - a);
    case DAL_OP_INTERP: return table_guard(program, s, mode, a);
    default: return mode ? difference : -difference;
    }
}

/* guards[i] := 0 for the switches that an output needs, 1 for the others. */
static void mark_switches(const dal_program *program, dal_real *registers, double *guards)
{
    const dal_real *needed = dal_program_needed(program, registers);
    for (int i = 0; i < program->n_switches; i++)
        guards[i] = 1;
    for (int i = 0; i < program->n_code; i++) {
        const dal_instruction *code = DAL_PROGRAM_PART(program, dal_instruction, code) + i;
        bool switching = code->op == DAL_OP_SIGN || code->op == DAL_OP_FLOOR || code->op == DAL_OP_LESS || code->op == DAL_OP_LEQ ||
                         code->op == DAL_OP_EQUAL || code->op == DAL_OP_INTERP;
        if (switching && code->c >= 0 && dal_re(needed[i]) != 0)
            guards[code->c] = 0;
    }
}

void dal_program_guards(const dal_program *program, dal_real *registers, const int *modes, double *guards)
{
    const dal_switch *switches = DAL_PROGRAM_PART(program, dal_switch, switches);
    if (!program->n_switches)
        return; /* and no second set of registers */
    mark_switches(program, registers, guards);
    for (int i = 0; i < program->n_switches; i++) {
        if (guards[i] != 0)
            continue;
        int holds = find_mode(program, &switches[i], registers);
        if (holds == DAL_MODE_NONE || modes[i] == DAL_MODE_NONE) {
            guards[i] = holds == modes[i] ? 1 : -1;
            continue;
        }
        double guard = guard_of(program, &switches[i], registers, modes[i]);
        if (holds == modes[i])
            guards[i] = guard > 0 ? guard : 0; /* rounding at the end of a piece must not end it */
        else
            guards[i] = guard == guard ? guard : -1; /* infinite operands */
    }
}

void dal_program_modes(const dal_program *program, const dal_real *registers, int *modes)
{
    const dal_switch *switches = DAL_PROGRAM_PART(program, dal_switch, switches);
    for (int i = 0; i < program->n_switches; i++)
        modes[i] = find_mode(program, &switches[i], registers);
}

void dal_program_operands(const dal_program *program, const dal_real *registers, int *op, double *a, double *b)
{
    for (int i = 0; i < program->n_switches; i++) {
        const dal_switch *s = DAL_PROGRAM_PART(program, dal_switch, switches) + i;
        const bool two = s->op == DAL_OP_LESS || s->op == DAL_OP_LEQ || s->op == DAL_OP_EQUAL;
        op[i] = s->op;
        a[i] = (double)dal_re(registers[s->a]);
        b[i] = (double)dal_re(registers[two ? s->b : s->a]);
    }
}

#ifndef DAL_SCALAR_VARIANT
bool dal_program_mode_exists(const dal_program *program, int i, int mode)
{
    const dal_switch *s = DAL_PROGRAM_PART(program, dal_switch, switches) + i;
    if (mode == DAL_MODE_NONE)
        return true;
    if (s->op == DAL_OP_INTERP && s->knots == DAL_KNOTS_ALL) {
        const dal_table table = dal_program_table_view(program, s->table);
        return table.outside == DAL_OUTSIDE_PERIODIC ? abs(mode) <= DAL_MODE_MOST : mode >= -1 && mode <= table.n - 1;
    }
    return s->op == DAL_OP_FLOOR ? abs(mode) <= DAL_MODE_MOST : mode >= -1 && mode <= 1;
}
#endif
