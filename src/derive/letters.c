/* Letters (variables with a role and a name), and texts of the description as nodes.
 *
 * Constants of a graph are doubles and fold: 0.1 * 3 would become 0.30000000000000004. So a decimal of a text, and pi, become a letter of the role
 * NUMBER, whose name is the text; whole numbers are constants. An exponent behind ^ stays a constant, so that powers stay powers.
 */
#include "derive/nodes.h"

#include "base/printer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/coordinate_names.h"

#define PI 3.14159265358979323846
static const char decimal[] = "decimal__"; /* name of a decimal until the parser has read the text */

/* ---- refusals and notes ------------------------------------------------------- */

void dal_derive_refuse(dal_derivation *d, const char *format, ...)
{
    char sentence[900];
    DAL_FORMAT(sentence, format);
    if (!d->failed)
        dal_error(d->messages, (dal_mark){0}, "%s", sentence);
    d->failed = true;
}

void dal_derive_note(dal_derivation *d, const char *format, ...)
{
    char sentence[900];
    DAL_FORMAT(sentence, format);
    for (int i = 0; i < d->n_notes; i++)
        if (!strcmp(d->notes[i], sentence))
            return;
    *DAL_PUSH(d->arena, d->notes, d->n_notes, d->cap_notes) = dal_arena_copy(d->arena, sentence, strlen(sentence));
}

/* ---- letters -------------------------------------------------------------------- */

int dal_letter_add(dal_derivation *d, dal_role role, const char *name, int index, double value)
{
    *DAL_PUSH(d->arena, d->letters, d->n_letters, d->cap_letters) =
        (dal_letter){role, dal_arena_copy(d->arena, name, strlen(name)), index, value, DAL_NO_NODE, DAL_NO_NODE};
    return d->n_letters - 1;
}

/* `computed`: it comes from the compiled model, not from the description. */
static int number_letter(dal_derivation *d, const char *name, double value, bool computed)
{
    for (int i = 0; i < d->n_letters; i++)
        if (d->letters[i].role == DAL_ROLE_NUMBER && !strcmp(d->letters[i].name, name))
            return i;
    return dal_letter_add(d, DAL_ROLE_NUMBER, name, computed, value);
}

dal_node dal_derive_number(dal_derivation *d, double value)
{
    char name[40];
    if (fabs(value) < 1e-300)
        return dal_n_const(d, 0);
    if (value == floor(value) && fabs(value) < 1e15)
        return dal_n_const(d, value);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(name, sizeof name, "%.*g", digits, fabs(value));
        if (strtod(name, NULL) == fabs(value))
            break;
    }
    const dal_node node = dal_n_var(d, number_letter(d, name, fabs(value), true));
    return value < 0 ? dal_n_neg(d, node) : node;
}

static const char *primed(dal_derivation *d, const char *name, const char *more)
{
    return dal_arena_print(d->arena, "%s%s", name, more);
}

int *dal_no_letters(dal_derivation *d, int n)
{
    int *list = DAL_NEW(d->arena, int, n);
    for (int i = 0; i < n; i++)
        list[i] = -1;
    return list;
}

typedef struct role_search {
    const dal_derivation *d;
    unsigned roles;
    bool found;
} role_search;

static void note_role(void *user, int variable)
{
    role_search *s = user;
    s->found |= s->roles >> s->d->letters[variable].role & 1;
}

bool dal_contains_role(const dal_derivation *d, dal_node node, unsigned roles)
{
    role_search s = {d, roles, false};
    dal_each_var(d->graph, node, note_role, &s);
    return s.found;
}

bool dal_is_unsolved(const dal_derivation *d, dal_node node)
{
    for (int i = 0; i < d->n_letters; i++)
        if ((d->letters[i].role == DAL_ROLE_NAMED || d->letters[i].means != DAL_NO_NODE) && dal_depends(d->graph, node, i))
            return true;
    return false;
}

void dal_derive_letters(dal_derivation *d)
{
    char name[DAL_LABEL];
    const char **q = DAL_NEW(d->arena, const char *, d->nq), **v = DAL_NEW(d->arena, const char *, d->nv);
    d->time = dal_letter_add(d, DAL_ROLE_TIME, "t", 0, 0);
    d->q = d->n_letters;
    for (int k = 0; k < d->nq; k++) {
        dal_coordinate_name(d->system, k, name, sizeof name);
        const int letter = dal_letter_add(d, DAL_ROLE_COORDINATE, name, k, 0);
        q[k] = d->letters[letter].name;
    }
    d->v = d->n_letters;
    for (int k = 0; k < d->nv; k++) {
        dal_velocity_name(d->system, k, name, sizeof name);
        const int letter = dal_letter_add(d, DAL_ROLE_RATE, name, k, 0);
        v[k] = d->letters[letter].name;
    }
    d->a = d->n_letters;
    for (int k = 0; k < d->nv; k++)
        dal_letter_add(d, DAL_ROLE_ACCELERATION, primed(d, d->letters[d->v + k].name, "'"), k, 0);
    d->coordinate_names = q;
    d->velocity_names = v;
    d->u = d->ud = d->lambda = -1;
    d->parameter = dal_no_letters(d, d->spec->n_parameters);
    d->input = dal_no_letters(d, d->spec->n_inputs);
    d->state = dal_no_letters(d, d->spec->n_states);
    d->define = DAL_NEW(d->arena, dal_value, d->spec->n_define);
    d->define_progress = DAL_NEW(d->arena, int, d->spec->n_define);
}

/* Is this word followed by a number the name of a letter or of an element of the model? */
static bool is_taken(const dal_derivation *d, const char *word)
{
    const size_t n = strlen(word);
    for (int i = 0; i < d->n_letters; i++) {
        const char *name = d->letters[i].name;
        if (!strncmp(name, word, n) && name[n] && !name[n + strspn(name + n, "0123456789'")])
            return true;
    }
    for (int i = 0; i < d->spec->n_parameters; i++)
        if (!strncmp(d->spec->parameters[i].name.text, word, n) && isdigit((unsigned char)d->spec->parameters[i].name.text[n]))
            return true;
    return false;
}

const char *dal_free_word(const dal_derivation *d, const char *word)
{
    const char *name = word;
    while (is_taken(d, name))
        name = dal_arena_print(d->arena, "%s%s", name, word);
    return name;
}

const char *dal_intermediate_prefix(dal_derivation *d)
{
    if (!d->prefix)
        d->prefix = dal_free_word(d, "z");
    return d->prefix;
}

/* ---- values -------------------------------------------------------------------------- */

double dal_derive_value(dal_derivation *d, dal_node node)
{
    double value;
    if (dal_is_const(d->graph, node, &value))
        return value;
    dal_program *program = dal_program_build(d->arena, d->graph, d->n_letters, 1, &node);
    double *letters = DAL_NEW(d->arena, double, d->n_letters), *registers = DAL_NEW(d->arena, double, dal_program_registers(program));
    for (int i = 0; i < d->n_letters; i++)
        letters[i] = d->letters[i].value;
    dal_program_run(program, letters, NULL, registers, &value);
    return value;
}

/* ---- texts -------------------------------------------------------------------------- */

/* Is the place behind ^, apart from signs and brackets? */
static bool is_exponent(const char *text, size_t at)
{
    while (at > 0 && strchr(" -+(", text[at - 1]))
        at--;
    return at > 0 && text[at - 1] == '^';
}

/* Characters of the number at `s`; *whole: it has neither a point nor an exponent. */
static size_t number_length(const char *s, bool *whole)
{
    size_t n = 0;
    *whole = true;
    while (isdigit((unsigned char)s[n]))
        n++;
    if (s[n] == '.') {
        *whole = false;
        for (n++; isdigit((unsigned char)s[n]);)
            n++;
    }
    if (s[n] == 'e' || s[n] == 'E') {
        size_t m = n + 1 + (s[n + 1] == '-' || s[n + 1] == '+');
        if (isdigit((unsigned char)s[m])) {
            *whole = false;
            for (n = m; isdigit((unsigned char)s[n]);)
                n++;
        }
    }
    return n;
}

/* Characters of a path: words, digits, braces, joined by dots. */
static size_t path_length(const char *s)
{
    size_t n = 0;
    for (;;) {
        if (s[n] == '{')
            while (s[n] && s[n] != '}')
                n++;
        if (!isalnum((unsigned char)s[n]) && s[n] != '_' && s[n] != '.' && s[n] != '}')
            return n;
        n++;
    }
}

/* 0.25 and 1e-3 as one form: without an exponent where that is short. */
static int decimal_letter(dal_derivation *d, const char *text, size_t length)
{
    char *copy = dal_arena_copy(d->arena, text, length);
    const double value = strtod(copy, NULL);
    char name[64];
    bool shorter = false;
    for (int digits = 1; digits <= 17 && !shorter; digits++) {
        snprintf(name, sizeof name, "%.*g", digits, value);
        shorter = strtod(name, NULL) == value;
    }
    return number_letter(d, length < sizeof name ? name : copy, value, false);
}

/* The text with names in place of decimals. */
static const char *without_decimals(dal_derivation *d, const char *text)
{
    size_t room = 16 * strlen(text) + 64, n = 0;
    char *out = DAL_NEW(d->arena, char, room);
    for (size_t at = 0; text[at];) {
        bool whole = true;
        size_t length = 1;
        const bool digit = isdigit((unsigned char)text[at]) || (text[at] == '.' && isdigit((unsigned char)text[at + 1]));
        if (digit)
            length = number_length(text + at, &whole);
        else if (isalpha((unsigned char)text[at]) || text[at] == '_')
            length = path_length(text + at);
        const bool pi = !digit && length == 2 && !strncmp(text + at, "pi", 2), deg = !digit && length == 3 && !strncmp(text + at, "deg", 3);
        if (digit && !whole && !is_exponent(text, at))
            n += (size_t)snprintf(out + n, room - n, "%s.%d", decimal, decimal_letter(d, text + at, length));
        else if ((pi || deg) && !is_exponent(text, at))
            n += (size_t)snprintf(out + n, room - n, deg ? "(%s.%d/180)" : "%s.%d", decimal, number_letter(d, "pi", PI, false));
        else
            n += (size_t)snprintf(out + n, room - n, "%.*s", (int)length, text + at);
        at += length;
    }
    return out;
}

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_derivation *d = user;
    if (d->scope && dal_derive_joint_word(d, name, primes, value))
        return true;
    if (strncmp(name, decimal, sizeof decimal - 1))
        return dal_derive_resolve(user, name, primes, mark, value, hint);
    *value = (dal_value){1, {dal_n_var(d, atoi(name + sizeof decimal))}, 0};
    return true;
}

/* The text in brackets before a prime. */
static bool rate_of_brackets(void *user, dal_mark mark, dal_value *value)
{
    (void)mark;
    for (int i = 0; i < value->n; i++)
        value->node[i] = dal_along_motion(user, value->node[i]);
    return true;
}

bool dal_derive_text(dal_derivation *d, const dal_binding *binding, dal_text text, dal_value *value)
{
    const dal_binding *outer = d->binding;
    const dal_model_spec *model = binding ? binding->model : NULL;
    const char *tables = dal_graph_table_prefix(d->graph, model ? dal_arena_print(d->arena, "%s.", model->name.text) : NULL);
    /* without messages: the caller refuses unreadable texts in its own words */
    const dal_parser parser = {.graph = d->graph, .messages = NULL, .resolve = resolve, .rate = d->scope ? rate_of_brackets : NULL, .user = d};
    d->binding = binding;
    const bool ok = text.text && dal_parse(&parser, without_decimals(d, text.text), text.mark, value);
    d->binding = outer;
    dal_graph_table_prefix(d->graph, tables);
    return ok;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-13 * (fabs(a) + fabs(b)) + 1e-300;
}

dal_node dal_derive_constant(dal_derivation *d, const dal_binding *binding, dal_text text, double compiled)
{
    dal_value value;
    if (text.text && dal_derive_text(d, binding, text, &value) && value.n == 1 && close_to(dal_derive_value(d, value.node[0]), compiled))
        return value.node[0];
    return dal_derive_number(d, compiled);
}

/* ---- rates and directions --------------------------------------------------------------- */

/* q' of the direction: N v, or N W_j. */
static dal_node rate_of_coordinate(dal_derivation *d, int i)
{
    dal_node sum = dal_n_const(d, 0);
    if (d->direction == DAL_ALONG_MOTION)
        return d->qd[i];
    for (int k = 0; k < d->nv; k++)
        for (int e = d->column_first[k]; e < d->column_first[k + 1]; e++)
            if (d->column_q[e] == i)
                sum = dal_n_add(d, sum, dal_n_mul(d, d->column_N[e], d->W[k * d->p + d->direction]));
    return sum;
}

static dal_node rate_of_letter(dal_derivation *d, int letter, const dal_node *accelerations)
{
    const dal_letter *l = &d->letters[letter];
    switch (l->role) {
    case DAL_ROLE_TIME: return d->direction == DAL_ALONG_MOTION ? dal_n_const(d, 1) : DAL_NO_NODE;
    case DAL_ROLE_COORDINATE: return rate_of_coordinate(d, l->index);
    case DAL_ROLE_RATE: return accelerations ? accelerations[l->index] : DAL_NO_NODE;
    case DAL_ROLE_NAMED: return dal_rate_of_named(d, letter);
    case DAL_ROLE_PORT:
    case DAL_ROLE_PORT_RATE: return d->direction == DAL_ALONG_MOTION ? l->rate : DAL_NO_NODE;
    case DAL_ROLE_NATURAL: return dal_rate_of_natural(d, l->index);
    case DAL_ROLE_NORM:
    case DAL_ROLE_NORM_RATE: return dal_rate_of_norm(d, l, accelerations != NULL);
    default: return DAL_NO_NODE;
    }
}

static dal_node motion_rate(void *user, dal_graph *graph, int variable)
{
    (void)graph;
    return rate_of_letter(user, variable, NULL);
}

static dal_node bias_rate(void *user, dal_graph *graph, int variable)
{
    (void)graph;
    return rate_of_letter(user, variable, ((dal_derivation *)user)->bias);
}

dal_node dal_along(dal_derivation *d, dal_node node)
{
    return dal_rate(d->graph, node, motion_rate, d);
}

dal_node dal_along_motion(dal_derivation *d, dal_node node)
{
    return dal_along(d, node);
}

dal_node dal_along_bias(dal_derivation *d, dal_node node)
{
    return dal_rate(d->graph, node, bias_rate, d);
}

dal_node dal_along_speed(dal_derivation *d, dal_node node, int j)
{
    d->direction = j;
    const dal_node rate = dal_along(d, node);
    d->direction = DAL_ALONG_MOTION;
    return rate;
}

dal_node dal_along_column(dal_derivation *d, dal_node node, int k)
{
    dal_node sum = dal_n_const(d, 0);
    for (int i = d->column_first[k]; i < d->column_first[k + 1]; i++)
        sum = dal_n_add(d, sum, dal_n_mul(d, d->column_N[i], dal_diff(d->graph, node, d->q + d->column_q[i])));
    if (d->layout->reduction)
        sum = dal_n_add(d, sum, dal_natural_along_column(d, node, k));
    return d->norm ? dal_n_add(d, sum, dal_norm_along_column(d, node, k)) : sum;
}

dal_node dal_by_rate(dal_derivation *d, dal_node node, int k)
{
    const dal_node slope = dal_diff(d->graph, node, d->v + k);
    return d->norm ? dal_n_add(d, slope, dal_norm_by_rate(d, node, k)) : slope;
}
