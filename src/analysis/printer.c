#include "analysis/printer.h"

#include <stdarg.h>
#include <stdio.h>

void dal_print(dal_printer *printer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t used = (size_t)printer->length < printer->size ? (size_t)printer->length : printer->size;
    int n = vsnprintf(printer->buffer ? printer->buffer + used : NULL, printer->size - used, format, list);
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
