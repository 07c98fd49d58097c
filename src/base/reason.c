/* A refusal: a reason and its sentence. */
#include "base/reason.h"

#include <stdarg.h>
#include <stdio.h>

bool dal_decline(dal_refusal *why, dal_reason reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why->text, sizeof why->text, format, list);
    va_end(list);
    why->reason = reason;
    return false;
}
