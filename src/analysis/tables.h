/* Tables of named rows and columns, as text.
 *
 * A table a block, columns cut into groups that fit the width; vectors that
 * follow each other over the same rows stand side by side. A dot is a zero, up to
 * rounding: a number below 1e-12 of the largest one of its block, or below the
 * digits that were asked for, if these are more than 12.
 */
#ifndef DAL_ANALYSIS_TABLES_H
#define DAL_ANALYSIS_TABLES_H

#include "base/json.h"
#include "dalembert/equations.h"

typedef struct dal_tables {
    dal_printer out;
    int digits, width;
    double nothing; /* of the largest number of a block */
} dal_tables;

/* Text for a caller's buffer, with so many digits and columns. */
dal_tables dal_tables_begin(int digits, int width, char *buffer, size_t size);

/* A matrix alone, vectors over the same rows together; returns the number of blocks printed. */
int dal_print_blocks(dal_tables *tables, const dal_equation_block *blocks, int n);

/* From dal_system_info: the beginning of the JSON of equations and of evaluations. */
extern const dal_json_member dal_heading[];

#endif
