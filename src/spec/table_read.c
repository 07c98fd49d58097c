/* Tables: numbers in the model, or two columns in a file beside it.
 *
 * A file has one row a line: x and y, separated by a comma, a semicolon or blanks, after an optional line
 * of headings. Empty lines and lines that begin with # are ignored. The file is not trusted: its place, its size, its characters and its numbers are
 * checked.
 */
#include "spec/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_reader {
    dal_reader *reader;
    dal_table_spec *table;
    dal_mark *mark; /* of each x, for complaints about the order */
    size_t capacity[3];
    const char *file;
    int line;
    bool seen; /* a row or the headings */
} row_reader;

/* ---- one line of a file --------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Both numbers of a line, and their places. False: `at` is the place of something else. */
static bool read_row(dal_arena *arena, const char *line, double number[2], const char *start[2], const char **at)
{
    const char *p = start[0] = skip_blanks(line);
    if (!(p = dal_scan_number(arena, p, &number[0]))) {
        *at = start[0];
        return false;
    }
    const char *behind = p;
    p = skip_blanks(p);
    if (*p == ',' || *p == ';')
        p = skip_blanks(p + 1);
    else if (p == behind) {
        *at = p;
        return false;
    }
    start[1] = p;
    if (!(p = dal_scan_number(arena, p, &number[1]))) {
        *at = start[1];
        return false;
    }
    *at = skip_blanks(p);
    return !**at;
}

static void add_row(row_reader *rows, const double number[2], const char *const start[2], const char *line)
{
    dal_table_spec *table = rows->table;
    dal_reader *reader = rows->reader;
    dal_mark mark = {rows->file, rows->line, (int)(start[0] - line) + 1};
    for (int i = 0; i < 2; i++)
        if (!isfinite(number[i]))
            dal_complain(reader->messages, ((dal_mark){rows->file, rows->line, (int)(start[i] - line) + 1}), "this number is too large");
    int n = table->n, again = n, last = n;
    *DAL_PUSH(reader->keep, table->x_value, n, rows->capacity[0]) = number[0];
    *DAL_PUSH(reader->keep, table->y_value, again, rows->capacity[1]) = number[1];
    *DAL_PUSH(reader->scratch, rows->mark, last, rows->capacity[2]) = mark;
    table->n = n;
}

/* The last line of results of a run that did not reach its end: "# incomplete: the run ended at t = 2 s of 10 s". */
static void note_incomplete(row_reader *rows, const char *comment)
{
    static const char mark[] = "# incomplete";
    if (!strncmp(comment, mark, sizeof mark - 1))
        dal_caution(rows->reader->messages, ((dal_mark){rows->file, rows->line, 0}), DAL_CODE_INCOMPLETE, NAN, "the table is %.200s", comment + 2);
}

static void read_line(row_reader *rows, const char *line)
{
    double number[2];
    const char *start[2], *at, *first = skip_blanks(line);
    if (*first == '#')
        note_incomplete(rows, first);
    if (!*first || *first == '#')
        return;
    bool heading = !rows->seen;
    rows->seen = true;
    if (read_row(rows->reader->scratch, line, number, start, &at)) {
        add_row(rows, number, start, line);
        return;
    }
    if (heading && !strchr("0123456789+-.", *first)) /* headings */
        return;
    dal_mark mark = {rows->file, rows->line, (int)(at - line) + 1};
    if (*at == ',' || *at == ';')
        dal_complain(rows->reader->messages, mark, "two numbers are needed in a line, with decimal points; another '%c' was found", *at);
    else if (*at)
        dal_complain(rows->reader->messages, mark, "two numbers are needed in a line, as in '1.5, 2'; '%.*s' was found",
                     (int)strcspn(at, " \t,;") < 40 ? (int)strcspn(at, " \t,;") : 40, at);
    else
        dal_complain(rows->reader->messages, mark, "two numbers are needed in a line, as in '1.5, 2'; its end was found");
}

/* ---- the file -------------------------------------------------------------------- */

const char *dal_file_fault(const dal_reader *reader, const char *path)
{
    if (!reader->folder)
        return "a model that does not come from a file cannot name one";
    if (*path == '/' || *path == '\\' || (isalpha((unsigned char)path[0]) && path[1] == ':'))
        return "give a path relative to the model's folder";
    for (const char *p = path; *p; p += strspn(p, "/\\")) {
        size_t length = strcspn(p, "/\\");
        if (length == 2 && p[0] == '.' && p[1] == '.')
            return "it leaves the model's folder";
        p += length;
    }
    return NULL;
}

static void read_file(row_reader *rows)
{
    dal_reader *reader = rows->reader;
    const dal_text *file = &rows->table->file;
    const char *why = dal_file_fault(reader, file->text);
    size_t length = 0;
    char *text = NULL;
    if (!why) {
        rows->file = dal_arena_print(reader->keep, "%s%s", reader->folder, file->text);
        dal_note_file(reader, rows->file);
        text = dal_load_inside(reader->scratch, reader->root, rows->file, &length, &why);
    }
    if (!text) {
        dal_complain(reader->messages, file->mark, "the table's file '%.200s' cannot be read: %s", file->text, why);
        return;
    }
    reader->hash = dal_hash_add(reader->hash, text, length);
    if (memchr(text, '\0', length)) {
        dal_complain(reader->messages, file->mark, "the table's file '%.200s' is not text", file->text);
        return;
    }
    char *line = !strncmp(text, "\xef\xbb\xbf", 3) ? text + 3 : text;
    while (*line) {
        size_t size = strcspn(line, "\r\n");
        char *next = line + size + (line[size] == '\r' && line[size + 1] == '\n' ? 2 : line[size] != '\0');
        line[size] = '\0';
        rows->line++;
        read_line(rows, line);
        line = next;
    }
}

/* ---- numbers in the model ---------------------------------------------------------- */

static bool evaluate_list(dal_reader *reader, const dal_list *list, double **value)
{
    bool fine = true;
    *value = DAL_NEW(reader->keep, double, list->n);
    for (int i = 0; i < list->n; i++)
        fine = dal_constant(reader, &list->item[i], &(*value)[i]) && fine;
    return fine;
}

static bool read_lists(row_reader *rows)
{
    dal_table_spec *table = rows->table;
    dal_reader *reader = rows->reader;
    if (table->x.n != table->y.n) {
        dal_complain(reader->messages, table->y.mark, "%s has %d values of x and %d of y", reader->what, table->x.n, table->y.n);
        return false;
    }
    table->n = table->x.n;
    bool fine = evaluate_list(reader, &table->x, &table->x_value);
    fine = evaluate_list(reader, &table->y, &table->y_value) && fine;
    rows->mark = DAL_NEW(reader->scratch, dal_mark, table->n);
    for (int i = 0; i < table->n; i++)
        rows->mark[i] = table->x.item[i].mark;
    return fine;
}

/* ---- the table ---------------------------------------------------------------------- */

static void check_rows(const row_reader *rows)
{
    const dal_table_spec *table = rows->table;
    dal_messages *messages = rows->reader->messages;
    int smooth = table->smooth.text ? *table->smooth.text - '0' : 2, least = smooth == 2 ? 4 : 2, n = table->n;
    if (n < least)
        dal_complain(messages, table->name.mark, "%s needs at least %d rows%s; %d found", rows->reader->what, least,
                     !table->smooth.text ? " (or 2 with 'smooth: 0', a broken line)"
                     : smooth == 2       ? " for 'smooth: 2'"
                                         : "",
                     n);
    for (int i = 1; i < n; i++) {
        if (!(table->x_value[i] > table->x_value[i - 1])) {
            dal_complain(messages, rows->mark[i], "%s: x has to increase, but %.17g follows %.17g", rows->reader->what, table->x_value[i],
                         table->x_value[i - 1]);
            break;
        }
    }
    if (n && table->outside.text && !strcmp(table->outside.text, "periodic") && table->y_value[0] != table->y_value[n - 1])
        dal_complain(messages, table->outside.mark, "%s: a periodic table ends with the y that it begins with, but has %.17g and %.17g",
                     rows->reader->what, table->y_value[0], table->y_value[n - 1]);
}

void dal_read_table(dal_reader *reader, const dal_tree *tree, dal_table_spec *table)
{
    row_reader rows = {.reader = reader, .table = table};
    int errors = dal_messages_count(reader->messages, DAL_ERROR);
    reader->what = "'tables'";
    reader->key = tree->key;
    if (!dal_needs_map(reader, tree, "{x: [...], y: [...]}"))
        return;
    reader->what = dal_what(reader, "table", tree->key);
    dal_read_keys(reader, dal_keys_table, tree, table, reader->what);
    if (dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    if (table->file.text ? table->x.n || table->y.n : !table->x.n || !table->y.n)
        dal_complain(reader->messages, tree->key_mark, "%s needs either x and y, or file; %s", reader->what,
                     table->file.text           ? "both are given"
                     : table->x.n || table->y.n ? "one list is missing"
                                                : "none is given");
    else if (table->file.text)
        read_file(&rows);
    else if (!read_lists(&rows))
        return;
    if (dal_messages_count(reader->messages, DAL_ERROR) == errors)
        check_rows(&rows);
}
