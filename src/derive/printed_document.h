/* A document in progress, as the files that write it see it. */
#ifndef DAL_DERIVE_PRINTED_DOCUMENT_H
#define DAL_DERIVE_PRINTED_DOCUMENT_H

#include "derive/origins.h"
#include "derive/write.h"

typedef struct dal_document {
    dal_growing *out;
    dal_derivation *d;
    dal_writing writing;
    int width;
    dal_writer *writer;
    int written; /* intermediates that are written */
    int terms;
    bool shorter; /* the equations as derived have fewer operations than their normal forms */
    dal_origins *origins;
} dal_document;

/* One derivation as JSON. */
void dal_write_json_document(dal_document *doc, const dal_derived_formulation *f);

/* ---- write_html.c ---- */

/* left (MathML), the terms of the form, right (MathML). */
void dal_html_equation(dal_document *doc, const char *left, const dal_form *form, const char *right, dal_printed printed);
/* Begin and end of the section of a formulation. */
void dal_html_begin(dal_document *doc, const dal_derived_formulation *f);
void dal_html_end(dal_document *doc);
/* A part that is folded until a reader opens it. */
void dal_html_fold(dal_document *doc, const char *summary);
/* The same for intermediate quantities with these numbers. */
void dal_html_fold_named(dal_document *doc, int first, int last);
void dal_html_unfold(dal_document *doc);

#endif
