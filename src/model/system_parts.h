/* Parts of a system, for files that have no other use for its fields. Not for the step loop: a state has the layout and the mechanism itself. */
#ifndef DAL_MODEL_SYSTEM_PARTS_H
#define DAL_MODEL_SYSTEM_PARTS_H

#include "dalembert/spec.h"
#include "dalembert/system.h"
#include "kinematics/family.h"
#include "model/acting.h"
#include "model/method.h"

const dal_layout *dal_system_layout(const dal_system *system); /* and, in it, units */
const dal_mechanism *dal_system_mechanism(const dal_system *system);
const dal_method *dal_system_method(const dal_system *system);
const dal_acting *dal_system_acting(const dal_system *system);
const dal_spec *dal_system_spec(const dal_system *system);          /* its own copy of the description; NULL: it has none */
bool dal_system_undetermined(const dal_system *system);             /* its accelerations are not determined at the start: for evaluations only */
const struct dal_start *dal_system_start(const dal_system *system); /* of each body: model/start_values.h */
int dal_system_rank(const dal_system *system);                      /* of the rows, at the start */
int dal_system_freedoms(const dal_system *system);                  /* there: nv - rank */
const int *dal_system_start_rows(const dal_system *system);         /* rows of the layout, independent ones first, at the start */
/* How many; `names` (may be NULL) become theirs. */
int dal_system_states(const dal_system *system, const char *const **names);
int dal_system_inputs(const dal_system *system, const char *const **names);
/* The length of y; `control` (may be NULL) becomes how much of it controls the step. */
int dal_system_length(const dal_system *system, int *control);
/* Of an input, s; 0: it is not sampled. */
double dal_system_sample_period(const dal_system *system, int input);
/* Do forces, constraints, states of the model, and (if asked) drives read the time? */
bool dal_system_ages(const dal_system *system, bool drives);
/* Expressions of forces, then rates of states. */
const struct dal_compiled *dal_system_actions(const dal_system *system);
const char *dal_system_action_text(const dal_system *system, int i); /* what the i-th was written as */
/* The recorded columns, and what they read. */
const struct dal_compiled *dal_system_records(const dal_system *system);
const struct dal_signal *dal_system_signals(const dal_system *system, int *n);

#endif
