/* A derivation as text, Markdown, LaTeX or JSON. */
#ifndef DAL_DERIVE_WRITE_H
#define DAL_DERIVE_WRITE_H

#include "derive/normal.h"

typedef enum dal_writing { DAL_WRITE_TEXT, DAL_WRITE_MARKDOWN, DAL_WRITE_LATEX, DAL_WRITE_JSON } dal_writing;

/* Text that grows, in the arena. */
typedef struct dal_growing {
    dal_arena *arena;
    char *text; /* ends with a zero */
    int n;
    size_t room;
} dal_growing;

void dal_grow(dal_growing *out, const char *format, ...) DAL_PRINTF(2, 3);

/* An expression in the language of models, which the parser reads back, or in LaTeX. Arena memory. */
const char *dal_form_text(dal_derivation *d, const dal_form *form, bool latex);
/* A name in LaTeX: nothing in it is a command. */
const char *dal_latex_name(dal_arena *arena, const char *name);
/* Any sentence in LaTeX. */
const char *dal_latex_escaped(dal_arena *arena, const char *text);

/* One derivation after the other. `first`, `last`: what stands before and behind all of them belongs to it. */
void dal_write_derivation(dal_growing *out, dal_derivation *d, dal_writing writing, bool steps, int width, bool first, bool last);

#endif
