#include "base/printer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void dal_print(dal_printer *printer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const size_t size = printer->buffer ? printer->size : 0;
    size_t used = (size_t)printer->length < size ? (size_t)printer->length : size;
    int n = vsnprintf(printer->buffer ? printer->buffer + used : NULL, size - used, format, list);
    va_end(list);
    if (n > 0)
        printer->length += n;
}

void dal_print_string(dal_printer *printer, const char *text)
{
    dal_print(printer, "\"");
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++) {
        if (*c == '"' || *c == '\\')
            dal_print(printer, "\\%c", *c);
        else if (*c < 0x20)
            dal_print(printer, "\\u%04x", *c);
        else
            dal_print(printer, "%c", *c);
    }
    dal_print(printer, "\"");
}

void dal_print_entry(dal_printer *printer, const char *key, const char *text)
{
    dal_print(printer, "\"%s\": ", key);
    dal_print_string(printer, text);
}

void dal_json_number(dal_printer *p, const dal_decimal_table *decimals, double x)
{
    char text[DAL_DECIMAL_LENGTH];
    if (!isfinite(x)) {
        dal_print(p, "null");
        return;
    }
    dal_decimal_print(decimals, x, text);
    dal_print(p, "%s", text);
}

void dal_json_names(dal_printer *p, const char *key, int n, const char *const *names)
{
    dal_print(p, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        dal_print_string(p, names[i]);
    }
    dal_print(p, "]");
}

void dal_json_numbers(dal_printer *p, const dal_decimal_table *decimals, int n, const double *values)
{
    dal_print(p, "[");
    for (int i = 0; i < n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        dal_json_number(p, decimals, values[i]);
    }
    dal_print(p, "]");
}
