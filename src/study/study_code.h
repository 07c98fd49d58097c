/* Generated code of a study: one for each structure that its models have, made before the first run and used by all threads. A run whose model it does
 * not fit, or for which there is none, is the engine's. Which runs those are follows from the plan alone, and from what cc makes of the source. */
#ifndef DAL_STUDY_STUDY_CODE_H
#define DAL_STUDY_STUDY_CODE_H

#include "run/shared_code.h"
#include "study/plan.h"

struct dal_study_code {
    int n, n_bases;
    dal_shared_code **item; /* NULL: the engine */
    int *of_base;           /* which of them the runs of a base have */
    uint64_t mark;          /* of all objects; 0: there are none. Runs with other marks are rounded otherwise */
};

/* What cannot be generated is a warning, each reason once. `code` is to be freed in any case. False: no memory. A study that is not to be compiled has
 * nothing. `go_on` may be NULL; false of it gives up. */
bool dal_study_code_make(dal_study_code *code, const dal_study *study, bool (*go_on)(void *user), void *user, dal_messages *messages);
void dal_study_code_free(dal_study_code *code);
/* What a run is made with; NULL: the engine. */
const dal_shared_code *dal_study_code_of(const dal_study_code *code, const dal_study *study, long run);

#endif
