/* The code of a run: compiled.c calls it, compiled_make.c makes it; known_code.c and shared_code.c keep it for other runs. */
#ifndef DAL_RUN_COMPILED_CODE_H
#define DAL_RUN_COMPILED_CODE_H

#include "run/code_cache.h"
#include "run/compiled.h"

enum { DAL_RUN_CODES = 4 };

typedef int dal_rates_function(double t, const double *q, const double *w, const double *inputs, const void *parameters, const int *modes, double *wd,
                               double *qd, double *zd, double *power);

/* Code for one choice of charts, speeds and independent rows. */
typedef struct dal_run_code {
    dal_loaded_code object;
    dal_rates_function *call; /* NULL: not to be used */
    int *choice;              /* charts, then speeds, then rows */
    int n_switches;           /* operations with pieces */
    int *switch_of;           /* of each of them: the switch of the model, or -1: none, it takes the piece that holds */
    int *mirrored;            /* behind these: it compares b with a, not a with b */
    int n_parameters;
    int *parameter; /* which of the description's each argument is */
    bool borrowed;  /* of a dal_shared_code: all of the above stays there */
    int *modes;     /* scratch of this run */
    double *values; /* of the parameters in this run */
} dal_run_code;

typedef struct dal_compiled_run {
    int n, nq, n_w, n_states, n_works, n_inputs, n_momenta, n_choice;
    int n_charts, n_speeds, n_rows; /* numbers that a choice has; rows: where not all of them are independent */
    long rows_changed;              /* of dal_rank, when `now` was looked up */
    dal_run_code codes[DAL_RUN_CODES];
    dal_run_code *now;         /* of the present choice; NULL: the engine */
    bool known;                /* `now` was looked up since the last restart */
    bool off;                  /* the engine, from now on */
    const bool *fixed;         /* of each parameter of the description: it is no argument of the code; NULL: none is */
    bool (*go_on)(void *user); /* asked while a compiler works, beside `progress`; may be NULL */
    void *go_on_user;
    int *choice;   /* scratch */
    double *extra; /* scratch: inputs, states, momenta */
    double *y, *mine, *engine, *dq;
    long evaluations, fallbacks, last_look;
    int checks;
    double worst; /* difference of all checks */
    char why[256];
} dal_compiled_run;

/* The code of the present choice at (t, y), into `now`; it is made, or borrowed from options.code, where it is not there yet. */
void dal_compiled_choose(run *r, double t, const double *y);
/* Releases code of this run. */
void dal_compiled_drop(run *r, dal_run_code *code);

/* ---- compiled.c ---------------------------------------------------------------------------- */

static const double dal_compiled_agreement = 1e-10; /* of the largest rate of its kind */

/* Zeros, of the run's allocator; NULL without memory. */
void *dal_compiled_allocate(run *r, size_t bytes);
/* What a run has of its own beside the code. False: no memory. */
bool dal_compiled_equip(run *r, dal_run_code *code);
/* Inputs, the model's own states, momenta, into c->extra. */
void dal_compiled_arguments(dal_compiled_run *c, const dal_state *state, const double *y);
/* y' by the code. False: it finds none here. */
bool dal_compiled_call(dal_compiled_run *c, const dal_run_code *with, const dal_state *state, double t, const double *y, double *dy);
/* The largest difference of the rates, of each kind in units of the model and over the largest. */
double dal_compiled_difference(const run *r, const double *mine, const double *engine);

/* ---- compiled_make.c ----------------------------------------------------------------------- */

/* Code for the present choice of the state at (t, y). False with the reason. */
bool dal_compiled_make(run *r, dal_run_code *to, double t, const double *y, char *why, size_t size);
/* Is the code the engine, at (t, y) and at random states? False with the reason. */
bool dal_compiled_verify(run *r, const dal_run_code *with, double t, const double *y, char *why, size_t size);
/* The difference of both at (t, c->y) on the viewer. Negative: one of them finds nothing there. */
double dal_compiled_compare_at(run *r, const dal_run_code *with, double t);

/* ---- known_code.c -------------------------------------------------------------------------- */

/* The digest of all that code for the present choice at (t, y) follows from; extra, choice and engine are those of there. */
void dal_code_key(run *r, double t, const double *y, char key[65]);
/* Pieces and arguments as numbers: number of pieces, of arguments, then both. False: there are too many. */
bool dal_code_note(const dal_run_code *code, dal_code_notes *notes);
/* Are these numbers such as a code of this run may have? */
bool dal_code_notes_fit(const run *r, const dal_code_notes *notes);

/* ---- shared_code.c ------------------------------------------------------------------------- */

/* Why code of options.code cannot be that of this system; NULL: no reason found. */
const char *dal_shared_obstacle(const run *r, char *buffer, size_t size);
/* The code of options.code for the present choice; NULL: it has none. */
const dal_run_code *dal_shared_find(const run *r);

#endif
