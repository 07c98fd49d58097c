/* A derivation as text, Markdown, LaTeX, HTML or JSON. */
#ifndef DAL_DERIVE_WRITE_H
#define DAL_DERIVE_WRITE_H

#include "derive/normal.h"

typedef enum dal_writing { DAL_WRITE_TEXT, DAL_WRITE_MARKDOWN, DAL_WRITE_LATEX, DAL_WRITE_HTML, DAL_WRITE_JSON } dal_writing;

/* Text that grows in the arena. */
typedef struct dal_growing {
    dal_arena *arena;
    char *text; /* ends with a zero */
    int n;
    size_t room;
} dal_growing;

/* Appends text as printf writes it. */
void dal_grow(dal_growing *out, const char *format, ...) DAL_PRINTF(2, 3);

/* An expression in the language of models, which the parser reads back, or in LaTeX. Arena memory. */
const char *dal_form_text(dal_derivation *d, const dal_form *form, bool latex);
/* The place of a form inside another one, and whether it has brackets there. */
enum { DAL_INSIDE_SUM = 1, DAL_INSIDE_PRODUCT, DAL_INSIDE_POWER };
bool dal_form_has_brackets(const dal_form *form, bool fractions, int inside); /* fractions: quotients of numbers are written with a line */
/* 981/200 as 4.905, exactly; other numbers as fractions. */
const char *dal_decimal_text(dal_arena *arena, int64_t num, int64_t den);

/* A name in print: a symbol with an index. "m1" and "m_1" are m with 1, "crank.x" is x with crank, "lambda.A.1" is lambda with A.1. The strings
 * are arena memory or part of the name; the index may be "". */
typedef struct dal_set_name {
    const char *symbol, *index;
    int primes;   /* dots above it */
    bool is_word; /* more than a letter, and not a Greek letter */
    int greek;    /* 0: alpha, ...; -1: none */
} dal_set_name;
dal_set_name dal_name_as_set(dal_arena *arena, const char *name);
/* The same among all names of a derivation. Of names that would print alike (m1 and m_1, m_a and a.m) one keeps this print; the others are printed
 * whole, as words. */
dal_set_name dal_name_set_apart(dal_derivation *d, dal_arena *arena, const char *name);

/* A name in LaTeX: its characters cannot be commands. */
const char *dal_latex_name(dal_derivation *d, dal_arena *arena, const char *name);
/* A text with some characters replaced; the table ends with {0}. */
typedef struct dal_escape {
    char character;
    const char *text;
} dal_escape;
const char *dal_escaped(dal_arena *arena, const char *text, const dal_escape *escapes);
/* Any sentence in LaTeX. */
const char *dal_latex_escaped(dal_arena *arena, const char *text);

/* latex_lines.c: the approximate width of a formula in letters; the same formula for a paragraph, where TeX breaks it. */
double dal_latex_width(const char *formula);
const char *dal_latex_breakable(dal_arena *arena, const char *formula);

/* mathml.c: text in HTML: its characters cannot be markup. */
const char *dal_html_escaped(dal_arena *arena, const char *text);
/* A name in MathML, with the dots of its primes. */
const char *dal_mathml_name(dal_derivation *d, dal_arena *arena, const char *name);
/* A form as the content of one element <math>. */
const char *dal_form_mathml(dal_derivation *d, const dal_form *form);
/* A form as elements <math> in elements <span class="t">, between which lines break: at the terms of a sum before those of a bracket, there before
 * the factors of a product. Small parts stay whole. */
void dal_grow_breakable(dal_growing *out, dal_derivation *d, const dal_form *form, int inside);

/* Writes one derivation after the other. `first`, `last`: also writes the parts before and after all of them. */
void dal_write_derivation(dal_growing *out, dal_derivation *d, dal_writing writing, bool steps, int width, bool first, bool last);

#endif
