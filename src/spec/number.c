/* Numbers in foreign text: tables and URDF. */
#include "spec/reader.h"

#include <ctype.h>
#include <stdlib.h>

/* [sign] digits [. digits] [e [sign] digits], alike in every locale: the point is removed and the exponent lowered, because strtod uses the point
 * of the locale. Returns the end, or NULL: the text is not a number. */
const char *dal_scan_number(dal_arena *arena, const char *text, double *number)
{
    const char *p = text + (*text == '+' || *text == '-'), *digits = p;
    while (isdigit((unsigned char)*p))
        p++;
    size_t whole = (size_t)(p - digits), fraction = 0;
    const char *point = p;
    if (*p == '.') {
        while (isdigit((unsigned char)p[1 + fraction]))
            fraction++;
        p += 1 + fraction;
    }
    if (whole + fraction == 0 || whole + fraction > 1000)
        return NULL;
    long exponent = 0;
    if ((*p == 'e' || *p == 'E') && isdigit((unsigned char)p[p[1] == '+' || p[1] == '-' ? 2 : 1])) {
        char *end;
        exponent = strtol(p + 1, &end, 10);
        exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
        p = end;
    }
    *number = strtod(
        dal_arena_print(arena, "%s%.*s%.*se%ld", *text == '-' ? "-" : "", (int)whole, digits, (int)fraction, point + 1, exponent - (long)fraction),
        NULL);
    return p;
}
