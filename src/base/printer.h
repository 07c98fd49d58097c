/* Text into a caller's buffer, in the manner of snprintf: what does not fit is counted, not written. */
#ifndef DAL_BASE_PRINTER_H
#define DAL_BASE_PRINTER_H

#include "dalembert/base.h"
#include "base/decimal.h"

typedef struct dal_printer {
    char *buffer; /* NULL: only count */
    size_t size;
    int length; /* of the whole text */
} dal_printer;

void dal_print(dal_printer *printer, const char *format, ...) DAL_PRINTF(2, 3);

/* A string of JSON: quotes, backslashes and control characters escaped; bytes of UTF-8 pass. NULL is an empty one. */
void dal_print_string(dal_printer *printer, const char *text);
/* "key": "text" */
void dal_print_entry(dal_printer *printer, const char *key, const char *text);

/* A number that reads back as the same double; null where it is not finite. [x, y, ...]. "key": ["a", "b", ...]. */
void dal_json_number(dal_printer *printer, const dal_decimal_table *decimals, double x);
void dal_json_numbers(dal_printer *printer, const dal_decimal_table *decimals, int n, const double *values);
void dal_json_names(dal_printer *printer, const char *key, int n, const char *const *names);

#endif
