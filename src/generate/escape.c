/* Texts of the model on their way into a C file. Nothing else writes them there: names, titles and sentences of a model may hold anything, and must stay
 * names, titles and sentences. */
#include "generate/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"auto",     "break",    "case",     "char",     "const",  "continue",  "default", "do",     "double",  "else",
                                    "enum",     "extern",   "float",    "for",      "goto",   "if",        "inline",  "int",    "long",    "register",
                                    "restrict", "return",   "short",    "signed",   "sizeof", "static",    "struct",  "switch", "typedef", "union",
                                    "unsigned", "void",     "volatile", "while",    "asm",    "typeof",    "bool",    "true",   "false",   "nullptr",
                                    "class",    "template", "this",     "new",      "delete", "namespace", "private", "public", "virtual", "operator",
                                    "linux",    "unix",     "NAN",      "INFINITY", "I",      "errno",     "NULL",    NULL};

static bool is_taken(const char *name, int n_taken, const char *const *taken)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], name))
            return true;
    for (int i = 0; i < n_taken; i++)
        if (!strcmp(taken[i], name))
            return true;
    return false;
}

/* Letters and digits of ASCII, whatever the locale. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

const char *dal_c_identifier(dal_arena *arena, const char *text, int n_taken, const char *const *taken)
{
    const size_t n = strlen(text) < 200 ? strlen(text) : 200;
    char *name = DAL_NEW(arena, char, n + 32);
    size_t at = 0;
    if (n == 0 || !is_plain(text[0]) || (text[0] >= '0' && text[0] <= '9'))
        name[at++] = 'x';
    for (size_t i = 0; i < n; i++)
        name[at++] = is_plain(text[i]) ? text[i] : '_';
    for (int k = 2; is_taken(name, n_taken, taken); k++)
        snprintf(name + at, 24, "_%d", k);
    return name;
}

/* Characters that begin nothing, in any order: no slash and asterisk side by side, no backslash, no question mark, which begins trigraphs. */
const char *dal_c_comment(dal_arena *arena, const char *text)
{
    char *out = DAL_NEW(arena, char, 2 * strlen(text) + 1);
    size_t n = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = c >= 32 && c < 127 && c != '\\' && c != '?' && c != '*';
        if (n && c == '/' && out[n - 1] == '/')
            out[n++] = ' ';
        out[n++] = plain ? (char)c : c == '*' ? 'x' : ' ';
    }
    return out;
}

const char *dal_c_string(dal_arena *arena, const char *text)
{
    char *out = DAL_NEW(arena, char, 4 * strlen(text) + 1);
    size_t n = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 32 || c >= 127 || c == '"' || c == '\\' || c == '?' || c == '%')
            n += (size_t)snprintf(out + n, 5, "\\%03o", c); /* three digits: what follows is not part of it */
        else
            out[n++] = (char)c;
    }
    return out;
}

const char *dal_c_number(dal_arena *arena, double value)
{
    char *text = DAL_NEW(arena, char, 40);
    if (!isfinite(value))
        return "NAN";
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (char *c = text; *c; c++) /* whatever the locale */
        *c = *c == ',' ? '.' : *c;
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    return text;
}
