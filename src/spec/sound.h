/* A spec is a public struct: C code may make one by hand, or change one that was read. All later code relies on the form that the readers
 * guarantee. So a function that receives a spec from a caller first checks this form. */
#ifndef DAL_SPEC_SOUND_H
#define DAL_SPEC_SOUND_H

#include "base/arena.h"
#include "dalembert/spec.h"

/* Do all counts, lists, kinds and names have the form that a reader produces? False: `messages` says which part has not. Numbers and
 * names that refer to other elements are checked where they are used. */
bool dal_spec_sound(const dal_spec *spec, dal_messages *messages);

/* names.c: why `name` cannot be a name of an element. NULL: it can. */
const char *dal_name_fault(dal_arena *arena, const char *name);
/* The same for a word of the same form (the name of a point). */
const char *dal_word_fault(dal_arena *arena, const char *name);
/* The same for names joined by dots. */
const char *dal_path_fault(dal_arena *arena, const char *path);

#endif
