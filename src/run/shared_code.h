/* Generated code that the runs of a study share: it is made once, for a system, and holds for its variations (dal_system_vary), whose parameters are
 * arguments of it. Threads may use it together. The checks of compiled.c hold here too: each run compares it with the engine at its own start. */
#ifndef DAL_RUN_SHARED_CODE_H
#define DAL_RUN_SHARED_CODE_H

#include "dalembert/run.h"

typedef struct dal_shared_code dal_shared_code;

typedef struct dal_shared_request {
    const dal_system *system;
    const bool *varied;        /* of each parameter of its description: it is an argument */
    bool (*go_on)(void *user); /* called now and then; false: give up. May be NULL */
    void *user;
} dal_shared_request;

/* NULL: it cannot be made, with a sentence in `why`. A system that chooses charts or speeds is run once, to find its choices. */
dal_shared_code *dal_shared_code_make(const dal_shared_request *request, char *why, size_t size);
void dal_shared_code_free(dal_shared_code *code);
/* Does it agree with the engine at the start of a variation? False with a sentence. */
bool dal_shared_code_fits(const dal_shared_code *code, const dal_system *system, char *why, size_t size);
/* SHA-256 of its i-th object: other ones round otherwise. NULL: there are no more. */
const char *dal_shared_code_sum(const dal_shared_code *code, int i);

#endif
