#include "base/printer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void dal_print_bytes(void *user, const void *bytes, size_t n)
{
    dal_printer *printer = user;
    const size_t length = (size_t)printer->length;
    if (printer->buffer && length < printer->size) {
        const size_t room = printer->size - 1 - length, part = n < room ? n : room;
        memcpy(printer->buffer + length, bytes, part);
        printer->buffer[length + part] = '\0';
    }
    printer->length += (int)n;
}

enum { PARAGRAPH = 100 }; /* columns of dal_print_wrapped */

void dal_print_wrapped(dal_printer *printer, int indent, int column, const char *text)
{
    for (bool first = true; *text; first = false) {
        const int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > PARAGRAPH) {
            dal_print(printer, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            dal_print(printer, " ");
            column++;
        }
        dal_print(printer, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    dal_print(printer, "\n");
}
