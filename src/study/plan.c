/* The varied values. A run is a number i = (...(i_1 n_2 + i_2) n_3 ...) samples + s: i_k is the index of the value of the k-th factor that has a
 * list, and s is the number of the sample of the random factors. */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 10 * 1000 * 1000, MOST_FACTORS = 1000 };

/* Settings of `simulate:`, and whether their values are words. */
static const struct {
    const char *key;
    bool words;
} settings[] = {{"coordinates", true}, {"formulation", true}, {"stabilization", true},   {"integrator", true}, {"undetermined", true},
                {"start", true},       {"step", false},       {"rtol", false},           {"atol", false},      {"until", false},
                {"every", false},      {"max-step", false},   {"event-tolerance", false}};

typedef struct reading {
    dal_arena *arena;
    const dal_spec *spec;
    dal_study_text text; /* of the factor */
} reading;

dal_status dal_study_refuse(dal_study_text *text, const char *format, ...)
{
    char sentence[400];
    DAL_FORMAT(sentence, format);
    if (text->vary)
        dal_error(text->messages, dal_nowhere, "vary '%.100s': %s", text->vary, sentence);
    else
        dal_error(text->messages, (dal_mark){text->each, 0, 0}, "%s", sentence);
    text->good = false;
    return DAL_BAD_COMMAND;
}

/* ---- numbers and pieces ---------------------------------------------------------------------- */

static bool find_parameter(void *user, const char *name, double *value, int *variable)
{
    (void)variable;
    const dal_spec *spec = user;
    for (int i = 0; i < spec->n_parameters; i++)
        if (!strcmp(spec->parameters[i].name.text, name)) {
            *value = spec->parameters[i].number;
            return true;
        }
    return false;
}

/* The value of a text: a number, or an expression in parameters. */
static double read_value(reading *r, const char *text)
{
    char *end;
    double value = strtod(text, &end);               /* numbers of any size and any number of digits */
    dal_spec *spec = (dal_spec *)(uintptr_t)r->spec; /* only read */
    if (strspn(text, "+-.0123456789eE") == strlen(text) && *text && !*end && isfinite(value))
        return value;
    if (dal_parse_constant(text, find_parameter, spec, NULL, &value) && isfinite(value))
        return value;
    dal_study_refuse(&r->text, "expected a number or an expression in parameters, but found '%.60s'", text);
    return NAN;
}

/* The next piece of *rest up to one of `ends` outside of brackets, without blanks around it; NULL: no more. */
static char *next_piece(reading *r, const char **rest, const char *ends)
{
    const char *p = *rest, *begin;
    int depth = 0;
    if (!p)
        return NULL;
    for (begin = p; *p && (depth > 0 || !strchr(ends, *p)); p++)
        depth += (*p == '(') - (*p == ')');
    *rest = *p ? p + 1 : NULL;
    while (begin < p && *begin == ' ')
        begin++;
    while (p > begin && p[-1] == ' ')
        p--;
    return dal_arena_copy(r->arena, begin, (size_t)(p - begin));
}

static int count_pieces(reading *r, const char *text, const char *ends)
{
    int n = 0;
    for (const char *rest = text; rest;)
        n += next_piece(r, &rest, ends) != NULL;
    return n;
}

/* ---- kinds of values --------------------------------------------------------------------------- */

static void read_list(reading *r, dal_planned *p, const char *text)
{
    const int n = count_pieces(r, text, ",");
    double *values = DAL_NEW(r->arena, double, n);
    p->factor.values = values;
    for (const char *rest = text; rest && r->text.good;)
        values[p->factor.n++] = read_value(r, next_piece(r, &rest, ","));
}

/* Words of a setting. A piece with '=' belongs to the options of the word before it if that word has a colon: baumgarte:alpha=1,beta=2 */
static void read_words(reading *r, dal_planned *p, const char *text)
{
    const char **words = DAL_NEW(r->arena, const char *, count_pieces(r, text, ","));
    p->factor.words = words;
    for (const char *rest = text; rest && r->text.good;) {
        const char *piece = next_piece(r, &rest, ",");
        const char *last = p->factor.n ? words[p->factor.n - 1] : "";
        if (strchr(last, ':') && strchr(piece, '='))
            words[p->factor.n - 1] = dal_arena_print(r->arena, "%s,%s", last, piece);
        else if (*piece)
            words[p->factor.n++] = piece;
        else
            dal_study_refuse(&r->text, "expected a word between the commas");
    }
}

/* a:b:n or a:b:nlog */
static void read_range(reading *r, dal_planned *p, const char *text)
{
    const char *rest = text;
    const double a = read_value(r, next_piece(r, &rest, ":")), b = read_value(r, next_piece(r, &rest, ":"));
    char *count = next_piece(r, &rest, ":");
    if (!r->text.good)
        return;
    const size_t length = count ? strlen(count) : 0;
    const bool logarithmic = length > 3 && !strcmp(count + length - 3, "log");
    if (logarithmic)
        count[length - 3] = '\0';
    const double n = count ? read_value(r, count) : NAN;
    if (!r->text.good)
        return;
    if (rest || !(n >= 1) || n != floor(n))
        dal_study_refuse(&r->text, "expected from:to:number or from:to:numberlog, with a whole number of values");
    else if (n > MOST_VALUES)
        dal_study_refuse(&r->text, "%.0f values are too many: %d at most", n, MOST_VALUES);
    else if (n == 1 && a != b)
        dal_study_refuse(&r->text, "a range of one value begins and ends with it");
    else if (logarithmic && !(a * b > 0))
        dal_study_refuse(&r->text, "a logarithmic range cannot contain zero: both ends have to have the same sign");
    if (!r->text.good)
        return;
    double *values = DAL_NEW(r->arena, double, (int)n);
    p->factor.n = (int)n;
    p->factor.values = values;
    for (int i = 0; i < (int)n; i++) {
        const double x = n > 1 ? i / (n - 1) : 0;
        values[i] = i == 0 ? a : i == (int)n - 1 ? b : logarithmic ? a * pow(b / a, x) : a + (b - a) * x;
    }
}

/* uniform(a, b), normal(m, s); false: it is neither. */
static bool read_random(reading *r, dal_planned *p, const char *text)
{
    const bool uniform = !strncmp(text, "uniform(", 8), normal = !strncmp(text, "normal(", 7);
    if (!uniform && !normal)
        return false;
    const char *inside = strchr(text, '(') + 1;
    const size_t length = strlen(inside);
    if (!length || inside[length - 1] != ')') {
        dal_study_refuse(&r->text, "expected ')' at the end");
        return true;
    }
    const char *rest = dal_arena_copy(r->arena, inside, length - 1);
    const int n = count_pieces(r, rest, ",");
    if (n != 2) {
        dal_study_refuse(&r->text,
                         uniform ? "uniform takes two numbers, the least and the largest value, %d given"
                                 : "normal takes two numbers, mean and standard deviation, %d given",
                         n);
        return true;
    }
    p->distribution = uniform ? DAL_UNIFORM : DAL_NORMAL;
    p->factor.random = true;
    p->a = read_value(r, next_piece(r, &rest, ","));
    p->b = read_value(r, next_piece(r, &rest, ","));
    if (r->text.good && uniform && !(p->a < p->b))
        dal_study_refuse(&r->text, "the least value has to be below the largest");
    if (r->text.good && normal && !(p->b > 0))
        dal_study_refuse(&r->text, "the standard deviation has to be positive");
    return true;
}

/* ---- factors ------------------------------------------------------------------------------------- */

static void read_values(reading *r, dal_planned *p, const char *text)
{
    bool words = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(settings[i].key, p->factor.name)) {
            p->factor.setting = true;
            words = settings[i].words;
        }
    if (!*text)
        dal_study_refuse(&r->text, "expected values behind '='");
    else if (words)
        read_words(r, p, text);
    else if (read_random(r, p, text)) {
        if (p->factor.setting)
            dal_study_refuse(&r->text, "a setting of `simulate:` cannot be random");
    } else if (strchr(text, ':'))
        read_range(r, p, text);
    else
        read_list(r, p, text);
}

static void read_factor(reading *r, dal_factors *f, const char *text)
{
    dal_planned *p = &f->item[f->n];
    const char *equals = strchr(text, '=');
    r->text.vary = text;
    if (!equals || equals == text) {
        dal_study_refuse(&r->text, "expected NAME=VALUES, as in k=10:1000:20log, l=0.2,0.3 or m=normal(1,0.1)");
        return;
    }
    size_t length = (size_t)(equals - text);
    while (length && text[length - 1] == ' ')
        length--;
    while (*++equals == ' ')
        ;
    p->factor.name = dal_arena_copy(r->arena, text, length);
    p->factor.text = dal_arena_copy(r->arena, equals, strlen(equals));
    p->factor.unit = "";
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->item[i].factor.name, p->factor.name)) {
            dal_study_refuse(&r->text, "'%.60s' is varied twice", p->factor.name);
            return;
        }
    read_values(r, p, p->factor.text);
    p->dimension = p->factor.random ? f->n_random++ : -1;
    f->n_normal += p->distribution == DAL_NORMAL;
    f->n++;
}

/* Strides: the last factor changes first. */
static void combine(reading *r, dal_factors *f)
{
    f->combinations = 1;
    for (int i = f->n - 1; i >= 0; i--) {
        dal_planned *p = &f->item[i];
        p->stride = f->combinations;
        if (p->factor.random)
            continue;
        if (f->combinations > DAL_MOST_RUNS / (p->factor.n ? p->factor.n : 1)) {
            dal_error(r->text.messages, dal_nowhere, "the plan has more than %d runs", DAL_MOST_RUNS);
            r->text.good = false;
            return;
        }
        f->combinations *= p->factor.n;
    }
}

bool dal_factors_read(dal_arena *arena, const dal_spec *spec, int n, const char *const *texts, dal_messages *messages, dal_factors *factors)
{
    reading r = {arena, spec, {.messages = messages, .vary = "", .good = true}};
    bool all = true;
    if (n > MOST_FACTORS) {
        dal_error(messages, dal_nowhere, "%d values are varied: %d at most", n, MOST_FACTORS);
        return false;
    }
    *factors = (dal_factors){.item = DAL_NEW(arena, dal_planned, n)};
    for (int i = 0; i < n; i++) {
        r.text.good = true;
        read_factor(&r, factors, texts[i]);
        all = all && r.text.good;
    }
    r.text.good = all;
    if (all)
        combine(&r, factors);
    return r.text.good;
}

double dal_factor_value(const dal_planned *p, const dal_samples *samples, long run)
{
    const long sample = run % (long)samples->n, rest = run / (long)samples->n;
    if (!p->factor.random) {
        const long i = rest / p->stride % p->factor.n;
        return p->factor.words ? (double)i : p->factor.values[i];
    }
    const double u = dal_sample_unit(samples, (uint64_t)sample, p->dimension);
    return p->distribution == DAL_UNIFORM ? p->a + (p->b - p->a) * u : p->a + p->b * dal_normal_quantile(u);
}
