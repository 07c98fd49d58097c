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

/* One more piece of text, as printf writes it. */
void dal_print(dal_printer *printer, const char *format, ...) DAL_PRINTF(2, 3);
/* Bytes as they are; the first argument is a dal_printer. */
void dal_print_bytes(void *printer, const void *bytes, size_t n);

#endif
