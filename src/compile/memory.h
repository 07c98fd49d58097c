/* Cached results of a compile for the next one of the same description with other numbers: dal_system_vary.
 *
 * A parsed text is identified by its address and its binding. The memory has its value, the parameters that it used, and the effects of parsing on
 * the mechanism: vectors, measures and named expressions that it added. If no parameter changed, the value is reused and the effects are repeated,
 * with the present numbers; otherwise the text is parsed. Nodes are those of one graph, of which every compile has a copy: equal nodes mean equal
 * expressions, and lists of equal nodes the same program.
 *
 * A memory is recorded by the first compile after the one of the base, then never changed but for the spare workspace and a guess of a size:
 * threads share it.
 *
 *   memory.c            texts: their values, numbers and effects
 *   memory_structure.c  structure: names, programs, layouts, and how the mechanism is numbered
 *   vary.c              who records and who uses it
 */
#ifndef DAL_COMPILE_MEMORY_H
#define DAL_COMPILE_MEMORY_H

#include "base/decimal.h"
#include "compile/build.h"
#include "compile/workspace.h"
#include "dynamics/near_rows.h"
#include "model/origin.h"
#include "model/saddle_slots.h"

typedef enum dal_effect_kind {
    DAL_EFFECT_VECTOR,     /* dal_add_vector(body, point, s): constants of the language */
    DAL_EFFECT_POINT,      /* of a body, by its description */
    DAL_EFFECT_MARKER,     /* a point by its name */
    DAL_EFFECT_ANGLE,      /* of a body */
    DAL_EFFECT_COORDINATE, /* of the model's own */
    DAL_EFFECT_WANTED,     /* a measure */
    DAL_EFFECT_DEFINE,     /* a named expression is known */
    DAL_EFFECT_RATE        /* the rate of a state is known */
} dal_effect_kind;

typedef struct dal_effect {
    dal_effect_kind kind;
    int index;  /* body, coordinate, measure, named expression */
    int result; /* the vector or measure that it gave */
    int point;  /* VECTOR: is it one? */
    double s[3];
    const dal_point_spec *at;   /* POINT */
    const dal_binding *binding; /* POINT */
    const char *name;           /* MARKER */
    dal_value value;            /* DEFINE, RATE */
} dal_effect;

typedef struct dal_uses {
    int n_parameters, n_effects;
    const int *parameter;
    const dal_effect *effect;
} dal_uses;

/* A text that was parsed, or (text NULL) all recorded columns. */
typedef struct dal_known {
    const char *text;
    const dal_binding *binding;
    dal_reach reach;
    dal_value value;
    double number;            /* DAL_REACH_NUMBER */
    int same;                 /* of that: the first one with the same words, whose value serves for all of them */
    int asked;                /* of that: where it stands among those that were asked for */
    dal_constant_steps steps; /* of that: how it follows from the parameters; n = 0: by parsing */
    dal_uses uses;
} dal_known;

/* Where a name leads to: a point of a body or of the ground, -1: to its origin. */
typedef struct dal_known_place {
    const char *name;
    int body, point;
} dal_known_place;

/* A number that was asked for, and the text whose value serves for it. */
typedef struct dal_asked {
    const char *text;
    const dal_binding *binding;
    int same;
} dal_asked;

enum { DAL_RECENT = 256, DAL_PLACES = 256 };

typedef struct dal_memory {
    dal_arena arena, graph_arena;
    const dal_arena *texts; /* only addresses in it stay what they are */
    double *parameter;      /* the values with which all this was found */
    int n_parameters;
    int n_known;
    size_t cap_known;
    dal_known *known;
    int n_slots, *slot; /* open addressing: number + 1 */
    int n_asked;
    dal_asked *asked; /* numbers in the order in which they were asked for: the next compile asks in the same one */
    size_t cap_asked;
    double *number; /* of each known text, when all is known; then those of them that depend on parameters */
    int n_dependent, *dependent;
    int recent[DAL_RECENT];            /* by the words: number + 1 */
    dal_known_place place[DAL_PLACES]; /* by the address; the last one that came there */
    int n_symbols;
    dal_symbol *symbols;
    dal_graph *graph;
    int n_signals, n_signal_table;
    dal_signal *signals;
    int *signal_table;
    dal_expressions drives, actions, records, samples;
    dal_compiled drive_program, action_program, record_program, sample_program;
    int n_recorded, n_columns;
    dal_column *columns;
    bool records_results;
    dal_known column_texts;
    dal_mechanism mechanism;                 /* its structure: what is numbered how */
    double *zero;                            /* of the coordinates of the joints, then of the forces */
    const dal_layout *layout, *start_layout; /* of the coordinates, and of assembly; NULL: they are built each time */
    dal_saddle_order order;                  /* of systems that share the layout */
    dal_islands islands;                     /* of these */
    dal_known_rows rows;                     /* of the rows at the start of one of these */
    atomic_size_t packed;                    /* bytes of the last one of these; 0: there was none */
    dal_decimal_table decimal;               /* for the texts of values */
    _Atomic(dal_workspace *) spare;          /* of the last compile; NULL: another thread uses it */
} dal_memory;

/* The log: what the parse in progress has used, newest last. `today`: what is known in the present compile, whose numbers are not those of the memory. */
struct dal_log {
    int n_parameters, n_effects, depth;
    size_t cap_parameters, cap_effects;
    int *parameter;
    dal_effect *effect;
};
struct dal_today {
    bool *changed;        /* parameters whose values are not those of the memory */
    double *parameter;    /* their values */
    unsigned char *state; /* of each known expression: is its value that of the memory? */
    double *number;       /* of each known number: NaN until it is known */
    int asked;            /* numbers so far */
};

typedef struct dal_log_place {
    int n_parameters, n_effects, messages;
} dal_log_place;

/* ---- recording: nothing happens where build->record is NULL ---------------------------------------- */

/* Begin and end the list of parameters and effects that a parse uses. */
dal_log_place dal_log_begin(dal_build *build);
void dal_log_end(dal_build *build, dal_log_place place);
/* What was used since then does not decide the value, but only an effect. */
void dal_log_drop(dal_build *build, dal_log_place place);
void dal_note_parameter(dal_build *build, int index);
void dal_note_effect(dal_build *build, const dal_effect *effect);
/* All that was used since then, in memory that stays. */
dal_uses dal_log_keep(dal_build *build, dal_log_place place);
void dal_note_uses(dal_build *build, const dal_uses *uses);

/* Records the value of a text that was parsed. */
void dal_remember(dal_build *build, dal_log_place place, const dal_binding *binding, const char *text, const dal_value *value);
/* steps: how it is computed from the parameters; NULL: by parsing. */
void dal_remember_number(dal_build *build, dal_log_place place, const dal_binding *binding, const char *text, const dal_constant_steps *steps,
                         double number);
void dal_remember_place(dal_build *build, const char *name, int body, int point);
void dal_remember_columns(dal_build *build, dal_log_place place);
void dal_remember_description(dal_build *build); /* symbols, signals, lists, structure: when all is described */
void dal_remember_program(dal_build *build, const dal_expressions *list, const dal_compiled *compiled);

/* Record structures that later compiles share. */
void dal_remember_layouts(dal_build *build, const dal_layout *layout);
void dal_remember_islands(dal_build *build, const dal_islands *islands);
void dal_remember_rows(dal_build *build, const dal_state *state); /* at the start */

/* ---- look-up: false where build->memory is NULL, or the value is not known ------------------------ */

/* The recorded value of a text. False: it has to be parsed. */
bool dal_cached_number(dal_build *build, const dal_binding *binding, const char *text, double *number);
/* The same where it is the next one in the order in which the memory was asked, as it nearly always is. */
static inline bool dal_next_number(dal_build *build, const dal_binding *binding, const char *text, double *number)
{
    const dal_memory *memory = build->memory;
    struct dal_today *today = build->today;
    if (!memory || today->asked >= memory->n_asked)
        return false;
    const dal_asked *next = &memory->asked[today->asked];
    const double value = today->number[next->same];
    if (next->text != text || next->binding != binding || value != value)
        return false;
    today->asked++;
    *number = value;
    return true;
}
/* A number that was parsed today, for the next who asks for it. */
void dal_keep_number(dal_build *build, const dal_binding *binding, const char *text, double number);
bool dal_cached_value(dal_build *build, const dal_binding *binding, const char *text, dal_value *value);
bool dal_cached_place(const dal_build *build, const char *name, int *body, int *point);
bool dal_cached_columns(dal_build *build);
bool dal_cached_islands(const dal_build *build, dal_islands *islands); /* of a system that shares the layout */
const dal_known_rows *dal_cached_rows(const dal_build *build);         /* NULL: none is known */
/* Bytes of such a system, once one was packed. */
size_t dal_cached_size(const dal_build *build);
void dal_keep_size(const dal_build *build, size_t bytes);
bool dal_cached_program(dal_build *build, const dal_expressions *list, dal_compiled *out);
/* A build begins with what is the same for all. */
void dal_cache_begin(dal_build *build);
/* Room for as many parts of the mechanism as there will be. */
void dal_cache_reserve(dal_build *build);
/* Is the mechanism numbered as in the memory? */
bool dal_cache_fits(const dal_build *build);

/* ---- the whole ------------------------------------------------------------------------------------------ */

/* compile_calls.c: dal_compile with a memory: a description that differs from the remembered one in numbers only. Or, with `record`, the compile that is
 * remembered. With a memory, an answer other than DAL_OK says nothing about the model, and has no messages. */
dal_status dal_compile_varied(const dal_allocator *allocator, const dal_allocator *scratch, const dal_spec *spec, bool for_evaluation,
                              const dal_memory *memory, dal_memory *record, dal_messages *messages, dal_system **system);

/* All is known: from here on it is never changed. False without memory. */
bool dal_memory_end(dal_memory *memory);

/* Room for one compile, of which there is one a thread. NULL without memory. */
dal_workspace *dal_memory_borrow_workspace(dal_memory *memory);
void dal_memory_return_workspace(dal_memory *memory, dal_workspace *workspace);

dal_memory *dal_memory_begin(const dal_allocator *allocator, const dal_arena *texts); /* NULL without memory */
void dal_memory_free(dal_memory *memory);

#endif
