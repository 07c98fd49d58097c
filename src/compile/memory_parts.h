/* Shared by memory.c and memory_structure.c. */
#ifndef DAL_COMPILE_MEMORY_PARTS_H
#define DAL_COMPILE_MEMORY_PARTS_H

#include "compile/memory.h"

/* A copy that stays. */
const char *dal_memory_text(dal_arena *arena, const char *text);
/* Has one of these parameters another value today? */
bool dal_memory_changes(const dal_build *build, const dal_uses *uses);
/* False: the mechanism is numbered otherwise, and the memory does not fit (build->restructured). */
bool dal_memory_repeat_effects(dal_build *build, const dal_uses *uses);
/* today->number, when today's parameters are known. */
void dal_memory_compute_numbers(dal_build *build);

#endif
