/* The shortest decimal text of a double that reads back as the same double. */
#ifndef DAL_BASE_DECIMAL_H
#define DAL_BASE_DECIMAL_H

#include <stdint.h>

#define DAL_DECIMAL_LEAST (-292) /* powers of ten that doubles need */
#define DAL_DECIMAL_MOST 324
#define DAL_DECIMAL_LENGTH 25 /* longest text: "-1.2345678901234567e-308" and its end */

/* 10^k = (high 2^64 + low) 2^(floor(k log2 10) - 127), rounded up. */
typedef struct dal_decimal_table {
    struct {
        uint64_t high, low;
    } power[DAL_DECIMAL_MOST - DAL_DECIMAL_LEAST + 1];
} dal_decimal_table;

/* Fill the table of powers. */
void dal_decimal_prepare(dal_decimal_table *table);

/* Write x as %.17g would with the fewest digits that read back exactly: "0.1", "1e-05", "-inf", "nan". Returns the
 * length; ends with a zero. */
int dal_decimal_print(const dal_decimal_table *table, double x, char text[DAL_DECIMAL_LENGTH]);

#endif
