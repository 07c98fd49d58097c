/* Any text: parse, differentiate twice, print and parse again, build, run. What has to hold for every text that
 * is accepted: the printed node parses to the same node; the modes that were found reproduce the outputs exactly and
 * all their guards hold; nothing is taken from the heap by the runs. */
#include "expr/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_VARIABLES = 8, N_OUTPUTS = 7 };

static const char *const variable_names[N_VARIABLES] = {"x", "y", "t", "x'", "v.x", "v.y", "v.z", "rod.3"};

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_graph *graph = user;
    char full[64];
    (void)mark;
    snprintf(full, sizeof full, "%s%s", name, primes == 1 ? "'" : primes ? "''" : "");
    *hint = " (the names are x, y, t, v, rod)";
    value->n = 1;
    for (int i = 0; i < N_VARIABLES; i++)
        if (strcmp(full, variable_names[i]) == 0) {
            value->node[0] = dal_var(graph, i);
            return true;
        }
    if (strcmp(full, "c") == 0) {
        value->node[0] = dal_const(graph, 2);
        return true;
    }
    if (strcmp(full, "v") != 0 && strcmp(full, "w") != 0)
        return false;
    value->n = full[0] == 'v' ? 3 : 2;
    for (int i = 0; i < value->n; i++)
        value->node[i] = dal_var(graph, 4 + i);
    return true;
}

static const char *name_of(void *user, int variable)
{
    (void)user;
    return variable_names[variable];
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_expr: %s\n", what);
    abort();
}

/* Derivatives may hold what the parser refuses, such as a division by zero. */
static void check_print(const dal_parser *parser, dal_node node, bool must_parse)
{
    const char *text = dal_node_print(parser->graph, node, name_of, NULL);
    dal_parser quiet = *parser;
    quiet.messages = NULL;
    dal_node again = DAL_NO_NODE;
    bool parsed = strlen(text) < 5000 && dal_parse_scalar(&quiet, text, dal_nowhere, &again);
    require(parsed ? again == node : !must_parse || strlen(text) > 200, text); /* long texts may nest too deeply */
}

static void check_run(const dal_program *program, const double *variables, double *registers, int *modes, double *guards)
{
    double free_run[N_OUTPUTS], frozen_run[N_OUTPUTS];
    int left = dal_program_run(program, variables, NULL, registers, free_run);
    dal_program_modes(program, registers, modes);
    int left_frozen = dal_program_run(program, variables, modes, registers, frozen_run);
    dal_program_guards(program, registers, modes, guards);
    require(left == left_frozen, "tables left without modes and with them differ");
    for (int i = 0; i < N_OUTPUTS; i++)
        require(free_run[i] == frozen_run[i] || (free_run[i] != free_run[i] && frozen_run[i] != frozen_run[i]),
                "the modes do not reproduce the value");
    for (int i = 0; i < dal_program_switches(program); i++)
        require(guards[i] >= 0, dal_program_switch_text(program, i));
}

static void exercise(dal_arena *arena, dal_messages *messages, const char *text)
{
    static const double x[] = {-1, 0.5, 1, 2.25, 4}, y[] = {0.5, -1, 3, 2, 0.5};
    dal_graph *graph = dal_graph_create(arena);
    const char *why;
    dal_graph_add_table(graph, "line", 5, x, y, 0, DAL_OUTSIDE_ERROR, &why);
    dal_graph_add_table(graph, "hill", 5, x, y, 1, DAL_OUTSIDE_HOLD, &why);
    dal_graph_add_table(graph, "wave", 5, x, y, 2, DAL_OUTSIDE_PERIODIC, &why);
    dal_parser parser = {.graph = graph, .messages = messages, .resolve = resolve, .user = graph};
    dal_mark mark = {"fuzz", 1, 1};
    dal_value value;
    if (!dal_parse(&parser, text, mark, &value)) {
        require(dal_messages_count(messages, DAL_ERROR) == 1, "a refusal has one message");
        require(dal_messages_first(messages)->mark.column <= (int)strlen(text) + 1, "the column lies in the text");
        return;
    }
    dal_node outputs[N_OUTPUTS];
    for (int i = 0; i < N_OUTPUTS; i++)
        outputs[i] = value.node[0];
    outputs[1] = value.node[value.n - 1];
    outputs[2] = dal_diff(graph, outputs[0], 0);
    outputs[3] = dal_diff(graph, outputs[1], 2);
    outputs[4] = dal_diff(graph, outputs[2], 0);
    outputs[5] = dal_diff(graph, outputs[2], 1);
    for (int i = 0; i < N_OUTPUTS; i++)
        check_print(&parser, outputs[i], i < 2);
    dal_program *program = dal_program_build(arena, graph, N_VARIABLES, N_OUTPUTS, outputs);
    double *registers = DAL_NEW(arena, double, dal_program_registers(program));
    int *modes = DAL_NEW(arena, int, dal_program_switches(program));
    double *guards = DAL_NEW(arena, double, dal_program_switches(program));
    static const double points[3][N_VARIABLES] = {
        {0, 0, 0, 0, 0, 0, 0, 0}, {1.37, -0.618, 0.5, 2.25, 4, -1, 1, 3.1}, {-1e9, 7e12, 1e300, -1, 1e-300, 0.1, 0.2, -5}};
    for (int i = 0; i < 3; i++)
        check_run(program, points[i], registers, modes, guards);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_arena arena;
    jmp_buf jump;
    dal_arena_begin(&arena, NULL);
    dal_messages *messages = dal_messages_create(NULL);
    if (!setjmp(jump)) {
        arena.guard = &jump;
        exercise(&arena, messages, dal_arena_copy(&arena, (const char *)data, size));
    }
    dal_arena_release(&arena);
    dal_messages_free(messages);
    return 0;
}
