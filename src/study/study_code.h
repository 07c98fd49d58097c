/* Generated code of a study: one for each structure of its models, made before the first run and used by all threads. The engine makes the runs for
 * which there is no code, or whose model does not fit the code. These runs depend only on the plan, and on the object that cc makes from the
 * source. */
#ifndef DAL_STUDY_STUDY_CODE_H
#define DAL_STUDY_STUDY_CODE_H

#include "run/shared_code.h"
#include "study/plan.h"

struct dal_study_code {
    int n, n_bases;
    dal_shared_code **item; /* NULL: the engine */
    int *of_base;           /* index of the code for the runs of a base */
    uint64_t mark;          /* of all objects; 0: there are none. Runs with another mark have other rounding */
};

/* If code cannot be generated, there is a warning, each reason once. `code` must be freed in any case. False: no memory. A study that is not
 * compiled has no code. `go_on` may be NULL; it returns false to stop. */
bool dal_study_code_make(dal_study_code *code, const dal_study *study, bool (*go_on)(void *user), void *user, dal_messages *messages);
void dal_study_code_free(dal_study_code *code);
/* The code of a run; NULL: the engine. */
const dal_shared_code *dal_study_code_of(const dal_study_code *code, const dal_study *study, long run);

#endif
