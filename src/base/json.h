/* JSON, value by value. The writer puts the commas; the caller decides where lines break.
 *
 *     dal_json_open(json, NULL, '{');
 *     dal_json_string(json, "name", body->name);
 *     dal_json_numbers(json, "at", 3, body->at);
 *     dal_json_close(json, '}');                       {"name": "rod", "at": [0, 0.5, 0]}
 *
 * A value of an object has a key, an element of a list has none: its key is NULL.
 */
#ifndef DAL_BASE_JSON_H
#define DAL_BASE_JSON_H

#include "base/printer.h"

#include <stddef.h>
#include <stdio.h>

typedef struct dal_json {
    void (*write)(void *user, const void *bytes, size_t n); /* where the text goes */
    void *user;
    const dal_decimal_table *decimals; /* shortest decimal texts; NULL: 17 digits */
    const char *missing;               /* what a string NULL is written as */
    bool in_script;                    /* the text stands in an element <script> of HTML */
    bool comma;                        /* the next value follows another one */
    const char *line;                  /* text before the next value, in place of a blank; NULL: the blank */
} dal_json;

/* Into a caller's buffer, as short numbers if there is a table for them; a string NULL is an empty one. */
dal_json dal_json_to_buffer(dal_printer *printer, const dal_decimal_table *decimals);
/* A whole text into a caller's buffer, with short numbers and a newline at its end; `write` writes `of`. Its length, as snprintf says it. */
int dal_json_text(char *buffer, size_t size, void (*write)(dal_json *json, const void *of), const void *of);
/* Into an open file, with 17 digits; a string NULL is null. */
dal_json dal_json_to_file(FILE *file);

/* The next value begins on a new line, after these blanks: line is "\n  " or the like; NULL: it does not. Returns json, so that
 * dal_json_string(dal_json_line(json, "\n  "), key, text) is one call. */
dal_json *dal_json_line(dal_json *json, const char *line);
/* Begin an object '{' or a list '['. */
void dal_json_open(dal_json *json, const char *key, char bracket);
/* End it: '}' or ']'. */
void dal_json_close(dal_json *json, char bracket);

/* A string: quotes, backslashes and control characters escaped. Bytes of UTF-8 pass; in a script, what is not UTF-8 becomes U+FFFD. */
void dal_json_string(dal_json *json, const char *key, const char *text);
/* A number that reads back as the same double; null where it is not finite. */
void dal_json_number(dal_json *json, const char *key, double x);
/* A whole number. */
void dal_json_integer(dal_json *json, const char *key, long value);
/* true or false. */
void dal_json_truth(dal_json *json, const char *key, bool value);
/* null. */
void dal_json_null(dal_json *json, const char *key);
/* A value as raw JSON text of the caller. */
void dal_json_print(dal_json *json, const char *key, const char *format, ...) DAL_PRINTF(3, 4);

/* ["a", "b", ...] */
void dal_json_strings(dal_json *json, const char *key, int n, const char *const *texts);
/* [x, y, ...] */
void dal_json_numbers(dal_json *json, const char *key, int n, const double *values);
/* [i, j, ...] */
void dal_json_integers(dal_json *json, const char *key, int n, const int *values);
/* {"a": x, "b": y, ...} */
void dal_json_named(dal_json *json, const char *key, int n, const char *const *names, const double *values);
/* [[x, y, ...], ...], row by row; each row but the first begins with `line`. */
void dal_json_matrix(dal_json *json, const char *key, int rows, int columns, const double *values, const char *line);

/* [{...}, ...]: n objects, each after `line` (NULL: a blank); `write` writes the members of the i-th of them. */
typedef void dal_json_item(dal_json *json, const void *of, int i);
void dal_json_objects(dal_json *json, const char *key, int n, const char *line, dal_json_item *write, const void *of);

/* ---- members of a struct ------------------------------------------------------ */

typedef enum dal_json_kind {
    DAL_JSON_END,
    DAL_JSON_LINE, /* no member: dal_json_line with the key */
    DAL_JSON_INT,
    DAL_JSON_LONG,
    DAL_JSON_DOUBLE,
    DAL_JSON_BOOL,
    DAL_JSON_POINTER, /* const char * */
    DAL_JSON_ARRAY    /* char [] */
} dal_json_kind;

typedef struct dal_json_member {
    const char *key;
    dal_json_kind kind;
    size_t offset;
} dal_json_member;

/* Members of a struct under a key of their own, or under their name. A table of them ends with {0}. */
#define DAL_JSON_MEMBER_AS(key, type, member)                                                                                                        \
    {                                                                                                                                                \
        key,                                                                                                                              \
     _Generic(((const type *)0)->member,                                                                                               \
         int: DAL_JSON_INT,                                                                                                            \
         unsigned: DAL_JSON_INT,                                                                                                       \
         long: DAL_JSON_LONG,                                                                                                          \
         double: DAL_JSON_DOUBLE,                                                                                                      \
         bool: DAL_JSON_BOOL,                                                                                                          \
         const char *: _Generic(&((const type *)0)->member, const char *const *: DAL_JSON_POINTER, default: DAL_JSON_ARRAY)),          \
     offsetof(type, member)          \
    }
#define DAL_JSON_MEMBER(type, member) DAL_JSON_MEMBER_AS(#member, type, member)
#define DAL_JSON_NEW_LINE(line)                                                                                                                      \
    {                                                                                                                                                \
        line, DAL_JSON_LINE, 0                                                                                                                       \
    }

/* All members of the table, of the struct at `of`. */
void dal_json_members(dal_json *json, const dal_json_member *table, const void *of);
/* [{...}, ...]: those of n structs of `size` bytes at `list`. */
void dal_json_structs(dal_json *json, const char *key, int n, const void *list, size_t size, const dal_json_member *table, const char *line);

#endif
