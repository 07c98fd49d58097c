/* Summaries of a run. A text like (max(A.angle) - min(A.angle))/2 is split into parts, max(A.angle) and min(A.angle), each of which needs one
 * recorded column and one pass over its rows, and the expression (_0 - _1)/2, which is evaluated at the end of the run.
 *
 * Over rows x_0 ... x_n at the times t_0 ... t_n:
 *     integral(x) = sum (t_k - t_{k-1}) (x_k + x_{k-1}) / 2,    mean(x) = integral(x) / (t_n - t_0),    rms(x)^2 = mean(x^2)
 *     when(x > y): the first k with f = x - y > 0 there, t = t_{k-1} + (t_k - t_{k-1}) f_{k-1} / (f_{k-1} - f_k)
 *     settling(x, b): t_k - t_0 of the first k after the last row with |x - x_n| > b */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    dal_part_kind kind;
    int arguments;
} kinds[] = {{"max", DAL_PART_MAX, 1},           {"min", DAL_PART_MIN, 1},     {"mean", DAL_PART_MEAN, 1},
             {"rms", DAL_PART_RMS, 1},           {"first", DAL_PART_FIRST, 1}, {"final", DAL_PART_FINAL, 1},
             {"integral", DAL_PART_INTEGRAL, 1}, {"when", DAL_PART_WHEN, 1},   {"settling", DAL_PART_SETTLING, 2}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

typedef struct reading {
    dal_arena *arena;
    dal_graph *graph;
    dal_study_text text;
    dal_summaries *summaries;
    size_t room, from_room;
} reading;

/* ---- parts ----------------------------------------------------------------------------------------- */

static bool same_part(const dal_part *a, const dal_part *b)
{
    return a->kind == b->kind && a->strict == b->strict && !(a->band != b->band) && !strcmp(a->text, b->text);
}

/* The index of the part; equal parts are one. */
static int add_part(reading *r, dal_part part)
{
    dal_summaries *s = r->summaries;
    part.column = -1;
    for (int i = 0; i < s->n_parts; i++)
        if (same_part(&s->part[i], &part))
            return i;
    int n = s->n_parts;
    *DAL_PUSH(r->arena, s->from, n, r->from_room) = r->text.each;
    *DAL_PUSH(r->arena, s->part, s->n_parts, r->room) = part;
    return s->n_parts - 1;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The bracket that closes the one at `open`, or NULL. */
static char *closing(char *open)
{
    int depth = 0;
    for (char *p = open; *p; p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (!depth)
            return p;
    }
    return NULL;
}

/* The first place in [p, end) with one of `wanted` outside of brackets; NULL: none. */
static char *outside(char *p, const char *end, const char *wanted)
{
    int depth = 0;
    for (; p < end; p++) {
        if (!depth && strchr(wanted, *p))
            return p;
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    }
    return NULL;
}

/* A piece without the blanks around it. */
static const char *trimmed(reading *r, const char *p, const char *end)
{
    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    return dal_arena_copy(r->arena, p, (size_t)(end - p));
}

/* The kind of the call at `p`, whose bracket is at `open`; -1: it is not a part. max and min of several arguments are those of the language. */
static int kind_of(char *p, char *open, char *close)
{
    const size_t length = (size_t)(open - p);
    for (int k = 0; k < N_KINDS; k++)
        if (strlen(kinds[k].name) == length && !strncmp(kinds[k].name, p, length)) {
            const bool several = outside(open + 1, close, ",");
            return several && (kinds[k].kind == DAL_PART_MAX || kinds[k].kind == DAL_PART_MIN) ? -1 : k;
        }
    return -1;
}

/* The name before the bracket at `open` begins here. */
static char *name_before(char *text, char *open)
{
    char *p = open;
    while (p > text && is_word(p[-1]))
        p--;
    return p;
}

static const char *part_inside(char *open, char *close)
{
    for (char *p = open + 1; p < close; p++)
        if (*p == '(' && closing(p)) {
            const int k = kind_of(name_before(open + 1, p), p, closing(p));
            if (k >= 0)
                return kinds[k].name;
        }
    return NULL;
}

/* when(x > y) */
static void read_comparison(reading *r, char *open, char *close, dal_part *part)
{
    char *at = outside(open + 1, close, "<>");
    if (!at) {
        dal_study_refuse(&r->text, "when() takes a comparison, as in when(A.angle > 0.5)");
        return;
    }
    const bool equal = at[1] == '=';
    const char *left = trimmed(r, open + 1, at), *right = trimmed(r, at + 1 + equal, close);
    part->strict = !equal;
    part->text = *at == '>' ? dal_arena_print(r->arena, "(%s) - (%s)", left, right) : dal_arena_print(r->arena, "(%s) - (%s)", right, left);
}

static bool no_names(void *user, const char *name, double *value, int *variable)
{
    (void)variable;
    (void)user, (void)name, (void)value;
    return false;
}

static void read_band(reading *r, char *comma, char *close, dal_part *part)
{
    const char *text = trimmed(r, comma + 1, close);
    if (!dal_parse_constant(text, no_names, NULL, NULL, &part->band) || !(part->band > 0))
        dal_study_refuse(&r->text, "settling(x, b) takes a positive number b, but found '%.60s'", text);
}

/* The call becomes a variable of the same length, so that columns of messages stay right. */
static void read_call(reading *r, char *p, char *open, char *close, int kind)
{
    dal_part part = {.kind = kinds[kind].kind};
    const char *inner = part_inside(open, close);
    char *comma = outside(open + 1, close, ",");
    if (inner) {
        dal_study_refuse(&r->text, "%s() stands inside %s(): each of them is taken over all rows", inner, kinds[kind].name);
        return;
    }
    if ((comma != NULL) != (kinds[kind].arguments == 2)) {
        dal_study_refuse(&r->text, "%s takes %s", kinds[kind].name, kinds[kind].arguments == 2 ? "two arguments, settling(x, b)" : "one argument");
        return;
    }
    if (part.kind == DAL_PART_WHEN)
        read_comparison(r, open, close, &part);
    else
        part.text = trimmed(r, open + 1, comma ? comma : close);
    if (comma)
        read_band(r, comma, close, &part);
    if (r->text.good && !*part.text)
        dal_study_refuse(&r->text, "%s() takes a channel or an expression", kinds[kind].name);
    if (!r->text.good)
        return;
    char name[16];
    const int length = snprintf(name, sizeof name, "_%d", add_part(r, part));
    memset(p, ' ', (size_t)(close + 1 - p));
    memcpy(p, name, (size_t)length);
}

/* All calls of parts in the text, from the left. */
static void read_calls(reading *r, char *text)
{
    for (char *open = text; r->text.good && (open = strchr(open, '(')); open++) {
        char *p = name_before(text, open), *close = closing(open);
        const int kind = close && p < open ? kind_of(p, open, close) : -1;
        if (kind >= 0) {
            read_call(r, p, open, close, kind);
            open = p;
        }
    }
}

/* "_3" is a part; every other name a channel or parameter at the end of the run. */
static bool find_name(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    reading *r = user;
    int number = -1;
    (void)mark;
    (void)hint;
    if (name[0] == '_' && name[1] >= '0' && name[1] <= '9' && !primes)
        number = atoi(name + 1);
    else
        number =
            add_part(r, (dal_part){.kind = DAL_PART_FINAL, .text = dal_arena_print(r->arena, "%s%.*s", name, primes > 9 ? 9 : primes, "'''''''''")});
    *value = (dal_value){1, {dal_var(r->graph, number)}, 0};
    return true;
}

/* ---- summaries ---------------------------------------------------------------------------------------- */

static dal_node read_summary(reading *r, int i, const char *text)
{
    dal_summaries *s = r->summaries;
    dal_node node = DAL_NO_NODE;
    const char *equals = strchr(text, '=');
    r->text.each = dal_arena_print(r->arena, "each '%s'", text);
    r->text.good = true;
    s->text[i] = r->text.each;
    if (!equals || equals == text || !*trimmed(r, text, equals)) {
        dal_study_refuse(&r->text, "expected NAME=EXPRESSION, as in peak=max(abs(A.force))");
        return node;
    }
    s->name[i] = trimmed(r, text, equals);
    for (int k = 0; k < i; k++)
        if (s->name[k] && !strcmp(s->name[k], s->name[i])) {
            dal_study_refuse(&r->text, "there are two summaries '%.60s'", s->name[i]);
            return node;
        }
    char *expression = dal_arena_copy(r->arena, equals + 1, strlen(equals + 1));
    read_calls(r, expression);
    const dal_parser parser = {.graph = r->graph, .messages = r->text.messages, .resolve = find_name, .user = r};
    if (r->text.good)
        r->text.good = dal_parse_scalar(&parser, expression, (dal_mark){r->text.each, 0, (int)(equals + 2 - text)}, &node);
    return node;
}

/* max, min and final of every column. */
static const char **usual(dal_arena *arena, int n_columns, const dal_column *columns)
{
    static const char *const of[] = {"max", "min", "final"};
    const char **texts = DAL_NEW(arena, const char *, 3 * n_columns);
    for (int c = 0; c < n_columns; c++)
        for (int k = 0; k < 3; k++)
            texts[3 * c + k] = dal_arena_print(arena, "%s(%s)=%s(%s)", of[k], columns[c].name, of[k], columns[c].name);
    return texts;
}

bool dal_summaries_read(dal_arena *arena, int n, const char *const *texts, int n_columns, const dal_column *columns, dal_messages *messages,
                        dal_summaries *summaries)
{
    reading r = {.arena = arena, .graph = dal_graph_create(arena), .text = {.messages = messages, .good = true}, .summaries = summaries};
    bool all = true;
    const char *const *wanted = n ? texts : usual(arena, n_columns, columns);
    const int m = n ? n : 3 * n_columns;
    *summaries = (dal_summaries){.n = m};
    summaries->name = DAL_NEW(arena, const char *, m);
    summaries->text = DAL_NEW(arena, const char *, m);
    summaries->unit = DAL_NEW(arena, const char *, m);
    dal_node *node = DAL_NEW(arena, dal_node, m);
    for (int i = 0; i < m; i++) {
        node[i] = read_summary(&r, i, wanted[i]);
        all = all && r.text.good;
    }
    if (all)
        summaries->program = dal_program_build(arena, r.graph, summaries->n_parts, m, node);
    return all;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

bool dal_parts_open(dal_parts_run *run, const dal_summaries *s, int n_columns)
{
    const size_t n = (size_t)s->n_parts + 1;
    *run = (dal_parts_run){.summaries = s, .n_columns = n_columns};
    run->state = calloc(n, sizeof *run->state);
    run->parts = calloc(n, sizeof *run->parts);
    run->registers = calloc((size_t)dal_program_registers(s->program) + 1, sizeof *run->registers);
    run->before = calloc((size_t)n_columns + 1, sizeof *run->before);
    run->series = calloc(n, sizeof *run->series);
    run->room = calloc(n, sizeof *run->room);
    return run->state && run->parts && run->registers && run->before && run->series && run->room;
}

void dal_parts_close(dal_parts_run *run)
{
    for (int i = 0; run->series && i < run->summaries->n_parts; i++)
        free(run->series[i]);
    free(run->state);
    free(run->parts);
    free(run->registers);
    free(run->before);
    free(run->series);
    free(run->room);
    free(run->times);
}

void dal_parts_begin(dal_parts_run *run)
{
    run->n_rows = 0;
    run->no_memory = false;
    for (int i = 0; i < run->summaries->n_parts; i++)
        run->state[i] = (dal_part_state){NAN, run->summaries->part[i].kind == DAL_PART_WHEN ? NAN : 0};
}

static bool keep_number(double **array, size_t *room, long n, double x)
{
    if ((size_t)n == *room) {
        const size_t more = *room ? 2 * *room : 256;
        double *larger = realloc(*array, more * sizeof **array);
        if (!larger)
            return false;
        *array = larger;
        *room = more;
    }
    (*array)[n] = x;
    return true;
}

static bool holds(const dal_part *part, double f)
{
    return part->strict ? f > 0 : f >= 0;
}

static void add_row(dal_parts_run *run, int i, double t, double x)
{
    const dal_part *part = &run->summaries->part[i];
    dal_part_state *s = &run->state[i];
    const bool start = run->n_rows == 0;
    const double before = start ? 0 : run->before[part->column], h = start ? 0 : t - run->time;
    switch (part->kind) {
    case DAL_PART_MAX: s->value = s->value >= x ? s->value : x; break;
    case DAL_PART_MIN: s->value = s->value <= x ? s->value : x; break;
    case DAL_PART_MEAN:
    case DAL_PART_INTEGRAL: s->sum += h * (x + before) / 2; break;
    case DAL_PART_RMS: s->sum += h * (x * x + before * before) / 2; break;
    case DAL_PART_FIRST: s->value = start ? x : s->value; break;
    case DAL_PART_FINAL: s->value = x; break;
    case DAL_PART_WHEN:
        if (isnan(s->sum) && holds(part, x))
            s->sum = start || before == x ? t : run->time + h * (before / (before - x));
        break;
    case DAL_PART_SETTLING: run->no_memory = run->no_memory || !keep_number(&run->series[i], &run->room[i], run->n_rows, x); break;
    }
}

void dal_parts_row(dal_parts_run *run, const double *columns)
{
    run->no_memory = run->no_memory || !keep_number(&run->times, &run->times_room, run->n_rows, columns[0]);
    for (int i = 0; i < run->summaries->n_parts; i++)
        add_row(run, i, columns[0], columns[run->summaries->part[i].column]);
    memcpy(run->before, columns, sizeof *columns * (size_t)run->n_columns);
    run->start = run->n_rows ? run->start : columns[0];
    run->time = columns[0];
    run->n_rows++;
}

static double settling_time(const dal_parts_run *run, int i)
{
    const double *x = run->series[i], band = run->summaries->part[i].band;
    long k = run->n_rows - 1;
    while (k > 0 && fabs(x[k - 1] - x[run->n_rows - 1]) <= band)
        k--;
    return run->times[k] - run->start;
}

static double part_value(const dal_parts_run *run, int i)
{
    const dal_part_state *s = &run->state[i];
    const double span = run->time - run->start;
    switch (run->summaries->part[i].kind) {
    case DAL_PART_MEAN: return span > 0 ? s->sum / span : run->before[run->summaries->part[i].column];
    case DAL_PART_RMS: return span > 0 ? sqrt(s->sum / span) : fabs(run->before[run->summaries->part[i].column]);
    case DAL_PART_INTEGRAL:
    case DAL_PART_WHEN: return s->sum;
    case DAL_PART_SETTLING: return settling_time(run, i);
    default: return s->value;
    }
}

void dal_parts_end(dal_parts_run *run, double *summaries)
{
    const dal_summaries *s = run->summaries;
    for (int i = 0; i < s->n_parts; i++)
        run->parts[i] = run->n_rows && !run->no_memory ? part_value(run, i) : NAN;
    dal_program_run(s->program, run->parts, NULL, run->registers, summaries);
}
