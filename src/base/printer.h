/* Text into a caller's buffer, like snprintf: characters that do not fit are counted, not written. */
#ifndef DAL_BASE_PRINTER_H
#define DAL_BASE_PRINTER_H

#include "dalembert/base.h"
#include "base/decimal.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct dal_printer {
    char *buffer; /* NULL: only count */
    size_t size;
    int length; /* of the whole text */
} dal_printer;

/* Inside a function (..., const char *format, ...): formats its arguments into an array of char. */
#define DAL_FORMAT(array, format)                                                                                                                    \
    do {                                                                                                                                             \
        va_list list_;                                                                                                                               \
        va_start(list_, format);                                                                                                                     \
        vsnprintf(array, sizeof array, format, list_);                                                                                               \
        va_end(list_);                                                                                                                               \
    } while (0)

/* One more piece of text, as printf writes it. */
void dal_print(dal_printer *printer, const char *format, ...) DAL_PRINTF(2, 3);
/* A paragraph of at most 100 columns; lines after the first are indented. `column`: where the first line begins. */
void dal_print_wrapped(dal_printer *printer, int indent, int column, const char *text);
/* Bytes as they are; the first argument is a dal_printer. */
void dal_print_bytes(void *printer, const void *bytes, size_t n);

#endif
