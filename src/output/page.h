/* A page in progress, as the files that write it see it: page.c collects its parts, page_write.c writes the file. */
#ifndef DAL_OUTPUT_PAGE_H
#define DAL_OUTPUT_PAGE_H

#include "output/replacement.h"
#include "output/series.h"

/* The built-in viewer: an HTML text. If there is none its size is 0. */
extern const unsigned char dal_viewer[];
extern const size_t dal_viewer_size;
/* The page of equations alone. */
extern const unsigned char dal_equations_viewer[];
extern const size_t dal_equations_viewer_size;

/* Two texts and their data: a line of the evidence, a message, an option, an entry of the header. */
typedef struct dal_page_fact {
    const char *name, *text;
    dal_severity severity;
    const char *code; /* of warnings, with its number */
    double number;
    int line, column;
    struct dal_page_fact *next;
} dal_page_fact;

/* The owner of a scene: the page, or a model of a gallery. */
typedef struct dal_page_part {
    const char *title, *href, *text, *group;
    dal_scene *scene;
    dal_series *series;
    struct dal_page_part *next;
} dal_page_part;

/* Numbers that an entry of the header refers to; one of the three, row by row. */
typedef struct dal_page_numbers {
    int rows, columns;
    const double *doubles;
    const float *floats;
    const uint32_t *whole;
    struct dal_page_numbers *next;
} dal_page_numbers;

struct dal_page {
    dal_allocator allocator;
    dal_arena arena; /* of the texts; without a guard */
    dal_destination destination;
    dal_replacement place;
    dal_status status; /* of the first error */
    const char *kind, *title, *command, *file, *hash, *text, *version;
    const char *viewer;
    size_t viewer_length;
    bool live;
    bool incomplete; /* its evidence says that the run did not reach its end */
    dal_page_part own, *last;
    dal_page_fact *evidence, *verdict, *messages, *options, *entries;
    const char *equations; /* HTML, or NULL */
    dal_page_numbers *numbers;
    int n_numbers;
};

/* The evidence in the format of dal_evidence_text. */
void dal_page_report(dal_page *page, const char *text);

/* The tab of equations: HTML of our own, in which every name of the model is escaped. Sections end with this text; text after the last section is
 * shown below all of them. */
#define DAL_BETWEEN_SECTIONS "\f"
void dal_page_equations(dal_page *page, const char *html);

/* One more block of numbers, which must live until the page is closed. Returns its number, for an entry of the header; -1: there is no memory. */
int dal_page_block(dal_page *page, const dal_page_numbers *numbers);

/* Writes everything into destination.path. */
dal_status dal_page_write(dal_page *page);

#endif
