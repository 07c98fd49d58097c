#include "base/json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- where it goes ------------------------------------------------------------ */

static void write_to_file(void *user, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, user);
}

dal_json dal_json_to_buffer(dal_printer *printer, const dal_decimal_table *decimals)
{
    return (dal_json){.write = dal_print_bytes, .user = printer, .decimals = decimals, .missing = "\"\""};
}

int dal_json_text(char *buffer, size_t size, void (*write)(dal_json *json, const void *of), const void *of)
{
    dal_printer printer = {buffer, size, 0};
    dal_decimal_table decimals;
    dal_decimal_prepare(&decimals);
    dal_json json = dal_json_to_buffer(&printer, &decimals);
    write(&json, of);
    dal_print(&printer, "\n");
    return printer.length;
}

dal_json dal_json_to_file(FILE *file)
{
    return (dal_json){.write = write_to_file, .user = file, .missing = "null"};
}

static void write_text(dal_json *json, const char *text)
{
    json->write(json->user, text, strlen(text));
}

/* ---- strings ------------------------------------------------------------------ */

/* The length of the UTF-8 character that begins here, and its code; 0: invalid (too long, incomplete, a surrogate). */
static int decode_character(const unsigned char *at, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int n = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (n < 2) {
        *code = at[0];
        return n;
    }
    *code = at[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (at[i] & 0x3fu);
    }
    return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

/* In a script: <, >, & so that no element can end or begin; the line ends of JavaScript; all controls. */
static bool is_escaped_in_script(uint32_t code)
{
    return code == '<' || code == '>' || code == '&' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

static void write_string(dal_json *json, const char *text)
{
    char escape[12];
    write_text(json, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        uint32_t code = *at;
        const int n = json->in_script ? decode_character(at, &code) : 1;
        if (n == 0) {
            write_text(json, "\\ufffd");
        } else if (code == '"' || code == '\\') {
            snprintf(escape, sizeof escape, "\\%c", (int)code);
            write_text(json, escape);
        } else if (code < 0x20 || (json->in_script && is_escaped_in_script(code))) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
            write_text(json, escape);
        } else {
            json->write(json->user, at, (size_t)n);
        }
        at += n ? n : 1;
    }
    write_text(json, "\"");
}

/* ---- values ------------------------------------------------------------------- */

dal_json *dal_json_line(dal_json *json, const char *line)
{
    json->line = line;
    return json;
}

/* Writes what precedes a value: comma, line break, key. */
static void begin_value(dal_json *json, const char *key)
{
    if (json->comma)
        write_text(json, ",");
    if (json->line)
        write_text(json, json->line);
    else if (json->comma)
        write_text(json, " ");
    if (key) {
        write_string(json, key);
        write_text(json, ": ");
    }
    json->line = NULL;
    json->comma = true;
}

void dal_json_open(dal_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    json->write(json->user, &bracket, 1);
    json->comma = false;
}

void dal_json_close(dal_json *json, char bracket)
{
    json->write(json->user, &bracket, 1);
    json->comma = true;
}

void dal_json_print(dal_json *json, const char *key, const char *format, ...)
{
    char text[512];
    DAL_FORMAT(text, format);
    begin_value(json, key);
    write_text(json, text);
}

void dal_json_null(dal_json *json, const char *key)
{
    dal_json_print(json, key, "null");
}

void dal_json_string(dal_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_string(json, text);
    else
        write_text(json, json->missing);
}

void dal_json_number(dal_json *json, const char *key, double x)
{
    char text[DAL_DECIMAL_LENGTH + 8] = "null";
    if (isfinite(x) && json->decimals)
        dal_decimal_print(json->decimals, x, text);
    else if (isfinite(x))
        snprintf(text, sizeof text, "%.17g", x);
    begin_value(json, key);
    write_text(json, text);
}

void dal_json_integer(dal_json *json, const char *key, long value)
{
    dal_json_print(json, key, "%ld", value);
}

void dal_json_truth(dal_json *json, const char *key, bool value)
{
    dal_json_print(json, key, value ? "true" : "false");
}

/* ---- lists ---------------------------------------------------------------------- */

void dal_json_strings(dal_json *json, const char *key, int n, const char *const *texts)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        dal_json_string(json, NULL, texts[i]);
    dal_json_close(json, ']');
}

void dal_json_numbers(dal_json *json, const char *key, int n, const double *values)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        dal_json_number(json, NULL, values[i]);
    dal_json_close(json, ']');
}

void dal_json_integers(dal_json *json, const char *key, int n, const int *values)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        dal_json_integer(json, NULL, values[i]);
    dal_json_close(json, ']');
}

void dal_json_named(dal_json *json, const char *key, int n, const char *const *names, const double *values)
{
    dal_json_open(json, key, '{');
    for (int i = 0; i < n; i++)
        dal_json_number(json, names[i], values[i]);
    dal_json_close(json, '}');
}

void dal_json_matrix(dal_json *json, const char *key, int rows, int columns, const double *values, const char *line)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < rows; i++) {
        const double *row = values + (size_t)i * (size_t)columns;
        dal_json_numbers(dal_json_line(json, i ? line : NULL), NULL, columns, row);
    }
    dal_json_close(json, ']');
}

void dal_json_objects(dal_json *json, const char *key, int n, const char *line, dal_json_item *write, const void *of)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        dal_json_open(dal_json_line(json, line), NULL, '{');
        write(json, of, i);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

/* ---- members of a struct ---------------------------------------------------------- */

void dal_json_members(dal_json *json, const dal_json_member *table, const void *of)
{
    for (const dal_json_member *m = table; m->kind != DAL_JSON_END; m++) {
        const void *at = (const char *)of + m->offset;
        switch (m->kind) {
        case DAL_JSON_LINE: dal_json_line(json, m->key); break;
        case DAL_JSON_INT: dal_json_integer(json, m->key, *(const int *)at); break;
        case DAL_JSON_LONG: dal_json_integer(json, m->key, *(const long *)at); break;
        case DAL_JSON_DOUBLE: dal_json_number(json, m->key, *(const double *)at); break;
        case DAL_JSON_BOOL: dal_json_truth(json, m->key, *(const bool *)at); break;
        case DAL_JSON_POINTER: dal_json_string(json, m->key, *(const char *const *)at); break;
        case DAL_JSON_ARRAY: dal_json_string(json, m->key, at); break;
        case DAL_JSON_END: break;
        }
    }
}

typedef struct structs {
    const char *list;
    size_t size;
    const dal_json_member *table;
} structs;

static void write_struct(dal_json *json, const void *of, int i)
{
    const structs *x = of;
    dal_json_members(json, x->table, x->list + (size_t)i * x->size);
}

void dal_json_structs(dal_json *json, const char *key, int n, const void *list, size_t size, const dal_json_member *table, const char *line)
{
    dal_json_objects(json, key, n, line, write_struct, &(structs){list, size, table});
}
