/* What generated code follows from, as a digest: known_code.c. */
#ifndef DAL_RUN_KNOWN_CODE_H
#define DAL_RUN_KNOWN_CODE_H

#include "base/digest.h"
#include "dalembert/system.h"

/* A text; numbers with how many they are. */
void dal_digest_word(dal_digest *d, const char *text);
void dal_digest_numbers(dal_digest *d, int n, const double *x);
void dal_digest_counts(dal_digest *d, int n, const int *x);
/* Of the model its text, elements and numbers, and its parameters; of the method coordinates, formulation and stabilization. `contents` is
 * dal_system_contents; `fixed`: of each parameter, that it is no argument of the code; NULL: the code has no arguments. */
void dal_digest_system(dal_digest *d, const dal_system *system, uint64_t contents, const bool *fixed);

/* saving.c: what the model consists of, as a number: texts of its description and the numbers that came of them. Not zero. */
uint64_t dal_system_contents(const dal_system *system);

#endif
