/* Shared by emit.c and rolled_loops.c: a function while it is printed. */
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
