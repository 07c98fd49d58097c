/* What the tests of the expression engine share: a graph with names and tables, and random expressions. */
#ifndef DAL_TEST_EXPR_BENCH_H
#define DAL_TEST_EXPR_BENCH_H

#include "expr/expr.h"

#include "check.h"

#include <float.h>

enum { X, Y, T, X_RATE, ROD3, VX, VY, VZ, N_VARIABLES };
static const char *const variable_names[N_VARIABLES] = {"x", "y", "t", "x'", "rod.3", "v.x", "v.y", "v.z"};
static const double point[N_VARIABLES] = {1.37, -0.618, 2.113, 0.577, 3.21, 0.911, -1.703, 0.443};

typedef struct bench {
    dal_arena arena;
    dal_graph *graph;
    dal_messages *messages;
    dal_parser parser;
} bench;

static inline bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    (void)mark;
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, primes == 1 ? "'" : primes ? "''" : "");
    *hint = strcmp(name, "foo") == 0 ? " (did you mean 'x'?)" : NULL;
    if (strcmp(full, "i") == 0) {
        *value = (dal_value){1, {dal_const(user, 4), DAL_NO_NODE, DAL_NO_NODE}, 0};
        return true;
    }
    if (strcmp(full, "v") == 0) {
        *value = (dal_value){3, {dal_var(user, VX), dal_var(user, VY), dal_var(user, VZ)}, 0};
        return true;
    }
    for (int i = 0; i < N_VARIABLES; i++)
        if (strcmp(full, variable_names[i]) == 0) {
            *value = (dal_value){1, {dal_var(user, i), DAL_NO_NODE, DAL_NO_NODE}, 0};
            return true;
        }
    return false;
}

static inline const char *name_of(void *user, int variable)
{
    (void)user;
    return variable_names[variable];
}

static const double knots[] = {-1.3, -0.2, 0.45, 1.1, 2.7, 3.9}, heights[] = {0.7, 1.9, -0.4, 0.3, 2.2, 0.7};
enum { N_KNOTS = 6 };

static inline void begin(bench *b)
{
    dal_arena_begin(&b->arena, NULL);
    b->graph = dal_graph_create(&b->arena);
    b->messages = dal_messages_create(NULL);
    b->parser = (dal_parser){.graph = b->graph, .messages = b->messages, .resolve = resolve, .user = b->graph};
    static const char *const shape[] = {"line", "hill", "wave"}, *const end[] = {"_error", "_hold", "_turn"};
    for (int i = 0; i < 9; i++) { /* line_error, hill_error ... wave_turn: every smoothness with every end */
        char name[32];
        const char *why;
        snprintf(name, sizeof name, "%s%s", shape[i % 3], end[i / 3]);
        assert_int_equal(dal_graph_add_table(b->graph, name, N_KNOTS, knots, heights, i % 3, (dal_outside)(i / 3), &why), i);
    }
}

static inline void end(bench *b)
{
    dal_arena_release(&b->arena);
    dal_messages_free(b->messages);
}

static inline dal_node parse(bench *b, const char *text)
{
    dal_node node;
    if (!dal_parse_scalar(&b->parser, text, dal_nowhere, &node))
        fail_msg("'%s': %s", text, dal_messages_first(b->messages)->text);
    return node;
}

static inline double value_at(bench *b, dal_node node, const double *variables)
{
    dal_program *program = dal_program_build(&b->arena, b->graph, N_VARIABLES, 1, &node);
    double *registers = DAL_NEW(&b->arena, double, dal_program_registers(program)), out;
    assert_int_equal(dal_program_run(program, variables, NULL, registers, &out), 0);
    return out;
}

/* A random expression over every operation of the graph. */
static inline dal_node grow(bench *b, uint64_t *seed, int depth)
{
    dal_graph *g = b->graph;
    double r = check_random(seed);
    if (depth == 0 || r > 0.9)
        return r > 0.3 ? dal_const(g, floor(8 * check_random(seed)) * 0.37) : dal_var(g, (int)(4 * (check_random(seed) + 1)));
    int op = DAL_OP_ADD + (int)((DAL_OP_COUNT - DAL_OP_ADD) * (check_random(seed) + 1) / 2);
    dal_node a = grow(b, seed, depth - 1), c = grow(b, seed, depth - 1);
    switch (op) {
    case DAL_OP_SELECT: return dal_select(g, a, c, grow(b, seed, depth - 1));
    case DAL_OP_INTERP: return dal_interp(g, 3 + (int)(3 * (check_random(seed) + 1)), (int)(1.5 * (check_random(seed) + 1)), a);
    case DAL_OP_ADD:
    case DAL_OP_SUB:
    case DAL_OP_MUL:
    case DAL_OP_DIV:
    case DAL_OP_POW:
    case DAL_OP_ATAN2:
    case DAL_OP_MIN:
    case DAL_OP_MAX:
    case DAL_OP_MOD:
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL: return dal_binary(g, (dal_op)op, a, c);
    default: return dal_unary(g, (dal_op)op, a);
    }
}

#endif
