/* Types of joints and forces and the keys that each one takes. */
#ifndef DAL_COMPILE_KEYS_H
#define DAL_COMPILE_KEYS_H

#include "compile/build.h"

/* A key of an element: was it given, and where? */
typedef struct dal_given {
    const char *key;
    bool given;
    dal_mark mark;
} dal_given;

/* `keys`: what the type knows, separated by blanks; "!" behind a word: required. Complains about every other one that was
 * given and about every required one that was not. */
bool dal_check_keys(dal_build *build, const char *section, dal_text element, const char *type, const char *keys, int n, const dal_given *given);

/* There is no type of that name among `names` (ends with NULL). */
void dal_refuse_type(dal_build *build, const char *section, dal_text element, dal_text type, const char *const *names);

#endif
