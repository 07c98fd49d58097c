/* Shared by emit.c, function_parts.c and rolled_loops.c: a function while it is printed. */
#ifndef DAL_GENERATE_EMITTER_H
#define DAL_GENERATE_EMITTER_H

#include "generate/listing.h"

/* `count` repetitions of `period` operations each, from `first` on: operation j of repetition k is number first + k period + j. */
typedef struct dal_rolled_run {
    int first, period, count, part;
} dal_rolled_run;

typedef struct emitter {
    dal_growing *out;
    dal_listing *c;
    const char *prefix, *state;
    bool wide, exact; /* on lanes; products are added by fma */
    int n, *node;     /* of the function, operands first */
    int *place;       /* of each node of the graph: in `node`, or -1 */
    int *uses, *part, *last, *slot, *deep, *pair;
    bool *inside;
    int n_parts, n_slots, operations, now; /* now: the part that is printed */
    int n_guards, *guard;
    bool grouped;          /* sines of four angles at once */
    bool *early, *printed; /* of a node: a sine of an angle that is known at the beginning; of a statement: it was printed with others */

    bool rolled; /* loops are searched */
    int n_runs, *run_of;
    dal_rolled_run *runs;
    int *result, *result_index; /* of each operation: the array and the entry that it is written to; -1 where none, -2 where several */
    bool *in_loop;              /* it is written there by the loop */
} emitter;

/* A node of the listing. */
static inline dal_node_view dal_view_of(const emitter *e, dal_node node)
{
    return dal_node_read(e->c->graph, node);
}

static inline bool dal_is_sine(dal_op op)
{
    return op == DAL_OP_SIN || op == DAL_OP_COS;
}

/* ---- function_parts.c ---- */

enum { DAL_PART_SIZE = 2000 }; /* operations of a part */

/* The nodes that the results need, and guards if they are asked for, operands first. */
void dal_collect_nodes(emitter *e, int n_results, const dal_listing_result *results, bool guarded);
/* Sines and cosines of the same angle are computed together: the other one of the pair, or -1. */
void dal_find_pairs(emitter *e);
/* Which nodes are statements, and which stand inside one. */
void dal_choose_statements(emitter *e, int n_results, const dal_listing_result *results);
/* The part of each statement; then places in z. */
void dal_choose_parts(emitter *e);
void dal_choose_slots(emitter *e);
/* All of this with loops; false: there are none. */
bool dal_choose_loops(emitter *e, int n_results, const dal_listing_result *results);
/* The part in which a guard is evaluated: the first that has both operands. */
int dal_guard_part(const emitter *e, int g);

/* ---- emit.c ---- */

/* The name of a function in C, or NULL. */
const char *dal_emit_function_name(dal_op op);

/* ---- rolled_loops.c ---- */

/* Runs of repetitions, none where they cover less than half of the function. */
void dal_find_runs(emitter *e);
/* The number of the repetition in which an operation stands; -1: in none. */
int dal_repetition_of(const emitter *e, int i);
/* Places in z: those of one operation of a run have equal distances. */
void dal_choose_rolled_slots(emitter *e, int n_results, const dal_listing_result *results);
/* Cuts repetitions off that do not read as the one in the middle does. Was there one? `by_slot`: places in z are compared. */
bool dal_trim_runs(emitter *e, bool by_slot);
/* The loop. */
void dal_emit_loop(emitter *e, const dal_rolled_run *run, const dal_listing_result *results);

#endif
