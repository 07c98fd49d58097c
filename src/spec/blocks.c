/* `blocks:` controllers and filters, as states and named expressions.
 *
 *   lag                 time y' + y = gain u
 *   pid                 y = kp e + I + kd (e - x)/T,   I' = ki e,   T x' = e - x
 *                       filter: 0 uses the exact rate of the input, y = kp e + I + kd e'
 *                       limit: y = max(lowest, min(highest, raw)) and I' = ki e + (y - raw)/tracking: while the output is at its
 *                       limit the integral returns (back-calculation), without a switch that could chatter
 *   transfer-function   y = b(s)/a(s) u in controllable canonical form on the time scale w = max |a_k/a_n|^(1/(n - k)):
 *                       x_k' = w x_(k+1),  x_n' = w (u - sum alpha_k x_k),  y = sum beta_k x_k + d u
 *                       with alpha_k = a_k/a_n w^(k - n), d = b_n/a_n, beta_k = b_k/a_n w^(k - n) - d alpha_k, k = 0 .. n - 1;
 *                       |alpha_k| <= 1, so that states are of the size of the input
 *   computed-torque     inverse dynamics of a robot: computed_torque.c
 */
#include "spec/blocks.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HIGHEST_ORDER = 30 }; /* of a transfer function */

/* ---- lowering ------------------------------------------------------------------- */

const char *dal_part_name(dal_reader *reader, const char *name, const char *part)
{
    return part ? dal_arena_print(reader->keep, "%s.%s", name, part) : name;
}

void dal_add_part(dal_reader *reader, const char *name, const char *part, dal_text text)
{
    dal_spec *spec = reader->spec;
    dal_pair *pair = DAL_PUSH(reader->keep, spec->define, spec->n_define, reader->room_define);
    *pair =
        (dal_pair){.name = {.text = dal_part_name(reader, name, part), .mark = text.mark}, .value = text, .binding = reader->binding, .block = name};
}

void dal_add_part_state(dal_reader *reader, const char *name, const char *part, double start, dal_text rate)
{
    dal_spec *spec = reader->spec;
    dal_state_spec *state = DAL_PUSH(reader->keep, spec->states, spec->n_states, reader->room_states);
    *state = (dal_state_spec){.name = {.text = dal_part_name(reader, name, part), .mark = rate.mark},
                              .start = dal_made_text(reader, rate.mark, "(%.17g)", start),
                              .rate = rate,
                              .binding = reader->binding};
}

dal_text dal_made_text(dal_reader *reader, dal_mark mark, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    char *text = dal_arena_alloc(reader->keep, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
    return (dal_text){.text = text, .mark = mark};
}

bool dal_read_constant(dal_reader *reader, const dal_text *text, double *value)
{
    return !text->text || dal_constant(reader, text, value);
}

bool dal_read_limits(dal_reader *reader, const dal_list *list, const char *key, double limit[2])
{
    if (list->n != 2) {
        dal_complain(reader->messages, list->mark, "'%s' of %s is two numbers, the lowest and the highest value; %d given", key, reader->what,
                     list->n);
        return false;
    }
    if (!dal_constant(reader, &list->item[0], &limit[0]) || !dal_constant(reader, &list->item[1], &limit[1]))
        return false;
    if (limit[0] < limit[1])
        return true;
    dal_complain(reader->messages, list->mark, "'%s' of %s runs from %.6g to %.6g: the lowest value stands first", key, reader->what, limit[0],
                 limit[1]);
    return false;
}

/* ---- keys ------------------------------------------------------------------------ */

/* Is a word in a list that is separated by blanks? 2: it is there, with a "!" behind it. */
static int listed(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ') {
        if (!strncmp(at, word, n) && (!at[n] || at[n] == ' '))
            return 1;
        if (!strncmp(at, word, n) && at[n] == '!')
            return 2;
    }
    return 0;
}

static const dal_tree *find_key(const dal_tree *tree, const char *key)
{
    const dal_tree *child = tree->first;
    while (child && strcmp(child->key, key))
        child = child->next;
    return child;
}

/* "input! time" -> ", input, time" */
static const char *spell_keys(dal_reader *reader, const char *words)
{
    const char *text = "";
    for (size_t n; *words; words += n + strspn(words + n, " !")) {
        n = strcspn(words, " !");
        text = dal_arena_print(reader->scratch, "%s, %.*s", text, (int)n, words);
    }
    return text;
}

bool dal_keys_belong(dal_reader *reader, const dal_key *keys, const dal_tree *tree, const char *type, const char *words)
{
    bool fine = true;
    for (; keys->doc.key; keys++) {
        const dal_tree *given = find_key(tree, keys->doc.key);
        const int known = listed(words, keys->doc.key);
        if (given && !known && strcmp(keys->doc.key, "type") && strcmp(keys->doc.key, "repeat")) {
            dal_complain(reader->messages, given->key_mark, "%s of type %s has no key '%s': it knows type%s", reader->what, type, keys->doc.key,
                         spell_keys(reader, words));
            fine = false;
        } else if (!given && known == 2) {
            dal_complain(reader->messages, tree->key_mark, "%s of type %s needs the key '%s'", reader->what, type, keys->doc.key);
            fine = false;
        }
    }
    return fine;
}

/* Does the text contain a letter that is not the e of an exponent? */
static bool has_names(const dal_text *text)
{
    for (const char *c = text && text->text ? text->text : ""; *c; c++)
        if (isalpha((unsigned char)*c) && !(strchr("eE", *c) && c > text->text && (isdigit((unsigned char)c[-1]) || c[-1] == '.')))
            return true;
    return false;
}

/* A constant in a text. If the text has parameters it is kept as it was written, so that the block follows them; otherwise its number is written. */
static const char *constant_text(dal_reader *reader, const dal_text *text, double value)
{
    return has_names(text) ? dal_arena_print(reader->scratch, "(%s)", text->text) : dal_arena_print(reader->scratch, "(%.17g)", value);
}

/* The direct term from input to output. A block without it cannot be part of an algebraic loop. */
static dal_text proportional(dal_reader *reader, dal_mark mark, double factor, const char *text, const char *name)
{
    return factor == 0 ? dal_made_text(reader, mark, "0") : dal_made_text(reader, mark, "%s*%s.input", text, name);
}

/* ---- lag --------------------------------------------------------------------------- */

static bool positive(dal_reader *reader, const dal_text *text, const char *key, double value)
{
    if (value > 0)
        return true;
    dal_complain(reader->messages, text->mark, "'%s' of %s has to be positive, not %.6g", key, reader->what, value);
    return false;
}

static void make_lag(dal_reader *reader, const dal_block_keys *keys, const char *name)
{
    double time = 0, gain = 1, start = 0;
    if (!dal_read_constant(reader, &keys->time, &time) || !dal_read_constant(reader, &keys->gain, &gain) ||
        !dal_read_constant(reader, &keys->start, &start) || !positive(reader, &keys->time, "time", time))
        return;
    dal_add_part(reader, name, "input", keys->input);
    dal_add_part_state(reader, name, NULL, start,
                       dal_made_text(reader, keys->input.mark, "(%s*%s.input - %s)/%s", constant_text(reader, &keys->gain, gain), name, name,
                                     constant_text(reader, &keys->time, time)));
}

/* ---- pid --------------------------------------------------------------------------- */

typedef struct pid {
    double kp, ki, kd, filter, filter_start, tracking, start, limit[2];
    bool limited;
} pid;

static bool read_pid(dal_reader *reader, const dal_block_keys *keys, pid *c)
{
    *c = (pid){.limited = keys->limit.n > 0};
    if (!dal_read_constant(reader, &keys->kp, &c->kp) || !dal_read_constant(reader, &keys->ki, &c->ki) ||
        !dal_read_constant(reader, &keys->kd, &c->kd) || !dal_read_constant(reader, &keys->filter, &c->filter) ||
        !dal_read_constant(reader, &keys->filter_start, &c->filter_start) || !dal_read_constant(reader, &keys->start, &c->start) ||
        !dal_read_constant(reader, &keys->tracking, &c->tracking) || (c->limited && !dal_read_limits(reader, &keys->limit, "limit", c->limit)))
        return false;
    return true;
}

static bool check_pid(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, pid *c)
{
    const char *fault = NULL;
    dal_mark mark = tree->key_mark;
    if (!keys->kp.text && !keys->ki.text && !keys->kd.text)
        fault = "needs one of 'kp', 'ki' and 'kd': its output is always zero";
    else if (keys->kd.text && !keys->filter.text)
        fault = "has a 'kd' but no 'filter': give the time constant of the derivative's filter, or 'filter: 0' for the "
                "exact rate of its input";
    else if (keys->filter.text && c->filter < 0)
        fault = "has a negative 'filter'; a time is needed", mark = keys->filter.mark;
    else if (keys->filter_start.text && !(c->filter > 0))
        fault = "has a 'filter-start' but no filter with a time", mark = keys->filter_start.mark;
    else if (keys->start.text && c->ki == 0)
        fault = "has a 'start' of its integral but no 'ki'", mark = keys->start.mark;
    else if (keys->tracking.text && !(c->limited && c->ki != 0))
        fault = "has a 'tracking', which leads the integral back at a limit: give 'ki' and 'limit', or drop it", mark = keys->tracking.mark;
    else if (keys->tracking.text && !(c->tracking > 0))
        fault = "needs a positive 'tracking', the time in which the integral is led back", mark = keys->tracking.mark;
    else if (c->limited && c->ki != 0 && !keys->tracking.text && !(c->tracking = c->kp / c->ki, c->tracking > 0))
        fault = "has a 'limit' and a 'ki', and kp/ki is not positive: give 'tracking', the time in which the integral "
                "is led back at the limit";
    if (fault)
        dal_complain(reader->messages, mark, "%s %s", reader->what, fault);
    return !fault;
}

static void make_pid(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, const char *name)
{
    pid c;
    const dal_mark mark = keys->input.mark;
    if (!read_pid(reader, keys, &c) || !check_pid(reader, keys, tree, &c))
        return;
    const char *kp = constant_text(reader, &keys->kp, c.kp), *ki = constant_text(reader, &keys->ki, c.ki),
               *kd = constant_text(reader, &keys->kd, c.kd), *filter = constant_text(reader, &keys->filter, c.filter);
    dal_text sum = proportional(reader, mark, c.kp, kp, name);
    const int output = reader->spec->n_define;
    dal_add_part(reader, name, NULL, sum); /* before the block's input: a message about a loop then points at the model's own text */
    dal_add_part(reader, name, "input", keys->input);
    if (c.ki != 0)
        sum = dal_made_text(reader, mark, "%s + %s.integral", sum.text, name);
    if (c.kd != 0 && c.filter > 0) {
        sum = dal_made_text(reader, mark, "%s + %s*(%s.input - %s.filter)/%s", sum.text, kd, name, name, filter);
        dal_add_part_state(reader, name, "filter", c.filter_start, dal_made_text(reader, mark, "(%s.input - %s.filter)/%s", name, name, filter));
    } else if (c.kd != 0) {
        dal_add_part(reader, name, "rate", dal_made_text(reader, mark, "%s.input'", name));
        sum = dal_made_text(reader, mark, "%s + %s*%s.rate", sum.text, kd, name);
    }
    dal_text feed = dal_made_text(reader, mark, "%s*%s.input", ki, name);
    if (c.limited) {
        dal_add_part(reader, name, "raw", sum);
        const bool follows = c.ki != 0 && !keys->tracking.text && (has_names(&keys->kp) || has_names(&keys->ki));
        const char *tracking = follows ? dal_arena_print(reader->scratch, "(%s/%s)", kp, ki) : constant_text(reader, &keys->tracking, c.tracking);
        sum = dal_made_text(reader, mark, "max(%s, min(%s, %s.raw))", constant_text(reader, &keys->limit.item[0], c.limit[0]),
                            constant_text(reader, &keys->limit.item[1], c.limit[1]), name);
        feed = dal_made_text(reader, mark, "%s + (%s - %s.raw)/%s", feed.text, name, name, tracking);
    }
    if (c.ki != 0)
        dal_add_part_state(reader, name, "integral", c.start, feed);
    reader->spec->define[output].value = sum;
}

/* ---- transfer function --------------------------------------------------------------- */

/* Coefficients from the highest power down, leading zeros dropped; c[0] belongs to s^order. order -1: all are zero. */
typedef struct polynomial {
    int order;
    double c[HIGHEST_ORDER + 1];
    const dal_text *text[HIGHEST_ORDER + 1];
    bool names; /* the coefficients contain parameters */
} polynomial;

static bool read_polynomial(dal_reader *reader, const dal_list *list, const char *key, polynomial *p)
{
    p->order = -1;
    p->names = false;
    for (int i = 0; i < list->n; i++) {
        double value = 0;
        if (!dal_constant(reader, &list->item[i], &value))
            return false;
        if (value == 0 && p->order < 0)
            continue;
        if (p->order == HIGHEST_ORDER) {
            dal_complain(reader->messages, list->mark, "'%s' of %s has more than %d coefficients", key, reader->what, HIGHEST_ORDER + 1);
            return false;
        }
        p->c[++p->order] = value;
        p->text[p->order] = &list->item[i];
        p->names |= has_names(&list->item[i]);
    }
    return true;
}

/* y = b(s)/a(s) u with x as in the head of the file. */
typedef struct realization {
    int n, fastest; /* fastest: the k that determines w; -1: w is 1 */
    double w, d, alpha[HIGHEST_ORDER], beta[HIGHEST_ORDER];
    const char *w_text, *d_text, *alpha_text[HIGHEST_ORDER], *beta_text[HIGHEST_ORDER];
} realization;

/* The coefficient of s^k. */
static double coefficient(const polynomial *p, int k)
{
    return k > p->order ? 0 : p->c[p->order - k];
}

/* False: the coefficients are so far apart that their scaled values are infinite or NaN. */
static bool realize(const polynomial *b, const polynomial *a, realization *r)
{
    const double leading = a->c[0];
    const int n = r->n = a->order;
    r->w = 0;
    r->fastest = -1;
    for (int k = 0; k < n; k++) {
        const double w = pow(fabs(coefficient(a, k) / leading), 1.0 / (n - k));
        if (w > r->w)
            r->fastest = k;
        r->w = fmax(r->w, w);
    }
    r->w = r->w > 0 ? r->w : 1;
    r->d = coefficient(b, n) / leading;
    bool fine = isfinite(r->w) && isfinite(r->d);
    for (int k = 0; k < n; k++) {
        const double power = pow(r->w, k - n), scale = power / leading;
        r->alpha[k] = coefficient(a, k) * scale;
        r->beta[k] = coefficient(b, k) * scale - r->d * r->alpha[k];
        fine = fine && isnormal(power) && isnormal(scale) && isfinite(r->alpha[k]) && isfinite(r->beta[k]);
    }
    return fine;
}

/* x_1 of the state of rest whose output is `start`: a constant input u gives alpha_0 x_1 = u and y = beta_0 x_1 + d u. */
static bool rest_at(dal_reader *reader, const dal_block_keys *keys, const realization *r, double start, double *x)
{
    const double gain = r->n ? r->beta[0] + r->d * r->alpha[0] : 0;
    *x = 0;
    if (start == 0)
        return true;
    *x = start / gain;
    if (gain != 0 && isfinite(*x))
        return true;
    dal_complain(reader->messages, keys->start.mark, "%s cannot start at %.6g: at rest its output is always zero", reader->what, start);
    return false;
}

static const char *coefficient_text(dal_reader *reader, const polynomial *p, int k)
{
    return k > p->order ? "0" : constant_text(reader, p->text[p->order - k], p->c[p->order - k]);
}

/* The numbers of the realization as texts: expressions of the coefficients where these contain parameters. */
static void write_numbers(dal_reader *reader, const polynomial *b, const polynomial *a, realization *r)
{
    const bool names = a->names || b->names;
    const int n = r->n;
    const char *leading = constant_text(reader, a->text[0], a->c[0]);
    r->w_text = dal_arena_print(reader->scratch, "(%.17g)", r->w);
    if (a->names && r->fastest >= 0)
        r->w_text = dal_arena_print(reader->scratch, "(abs(%s/%s)^(1/%d))", coefficient_text(reader, a, r->fastest), leading, n - r->fastest);
    r->d_text = names ? dal_arena_print(reader->scratch, "(%s/%s)", coefficient_text(reader, b, n), leading)
                      : dal_arena_print(reader->scratch, "(%.17g)", r->d);
    for (int k = 0; k < n; k++) {
        const char *power = dal_arena_print(reader->scratch, "%s^%d", r->w_text, n - k);
        r->alpha_text[k] = names ? dal_arena_print(reader->scratch, "(%s/%s/%s)", coefficient_text(reader, a, k), leading, power)
                                 : dal_arena_print(reader->scratch, "(%.17g)", r->alpha[k]);
        r->beta_text[k] = names ? dal_arena_print(reader->scratch, "(%s/%s/%s - %s*%s)", coefficient_text(reader, b, k), leading, power, r->d_text,
                                                  r->alpha_text[k])
                                : dal_arena_print(reader->scratch, "(%.17g)", r->beta[k]);
    }
}

static void write_realization(dal_reader *reader, dal_mark mark, const char *name, const realization *r, double x)
{
    dal_text output = proportional(reader, mark, r->d, r->d_text, name), last = dal_made_text(reader, mark, "%s.input", name);
    for (int k = 0; k < r->n; k++) {
        output = dal_made_text(reader, mark, "%s + %s*%s.x%d", output.text, r->beta_text[k], name, k + 1);
        last = dal_made_text(reader, mark, "%s - %s*%s.x%d", last.text, r->alpha_text[k], name, k + 1);
    }
    for (int k = 0; k < r->n; k++) {
        const char *part = dal_arena_print(reader->scratch, "x%d", k + 1);
        dal_text rate = k + 1 < r->n ? dal_made_text(reader, mark, "%s*%s.x%d", r->w_text, name, k + 2)
                                     : dal_made_text(reader, mark, "%s*(%s)", r->w_text, last.text);
        dal_add_part_state(reader, name, part, k ? 0 : x, rate);
    }
    dal_add_part(reader, name, NULL, output);
}

static void make_transfer_function(dal_reader *reader, const dal_block_keys *keys, const char *name)
{
    polynomial b, a;
    realization r;
    double start = 0, x;
    if (!read_polynomial(reader, &keys->numerator, "numerator", &b) || !read_polynomial(reader, &keys->denominator, "denominator", &a) ||
        !dal_read_constant(reader, &keys->start, &start))
        return;
    if (a.order < 0) {
        dal_complain(reader->messages, keys->denominator.mark, "the denominator of %s is zero", reader->what);
        return;
    }
    if (b.order > a.order) {
        dal_complain(reader->messages, keys->numerator.mark,
                     "the numerator of %s has the order %d, its denominator %d: it would differentiate; the order of "
                     "the numerator is at most that of the denominator",
                     reader->what, b.order, a.order);
        return;
    }
    if (!realize(&b, &a, &r)) {
        dal_complain(reader->messages, keys->denominator.mark, "the coefficients of %s are too far apart", reader->what);
        return;
    }
    if (!rest_at(reader, keys, &r, start, &x))
        return;
    write_numbers(reader, &b, &a, &r);
    write_realization(reader, keys->input.mark, name, &r, x);
    dal_add_part(reader, name, "input", keys->input);
}

/* Blocks of this type also read the bodies and joints of included models. */
static bool is_late(const dal_tree *tree)
{
    const dal_tree *type = find_key(tree, "type");
    return type && type->kind == DAL_SCALAR && type->text && !strcmp(type->text, "computed-torque");
}

static void make_block(dal_reader *reader, const dal_tree *tree, const char *name)
{
    static const char lag[] = "input! time! gain start", pid_words[] = "input! kp ki kd filter filter-start limit tracking start",
                      transfer[] = "input! numerator! denominator! start", torque[] = "joints! acceleration reference frequency damping limit motors";
    dal_block_keys keys = {0};
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    dal_read_keys(reader, dal_keys_block, tree, &keys, reader->what);
    if (!keys.type.text || dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    const char type = keys.type.text[0];
    if (!dal_keys_belong(reader, dal_keys_block, tree, keys.type.text, type == 'l' ? lag : type == 'p' ? pid_words : type == 'c' ? torque : transfer))
        return;
    if (type == 'l')
        make_lag(reader, &keys, name);
    else if (type == 'p')
        make_pid(reader, &keys, tree, name);
    else if (type == 'c')
        dal_make_computed_torque(reader, &keys, tree, name);
    else
        make_transfer_function(reader, &keys, name);
}

void dal_make_block(dal_reader *reader, const dal_tree *tree, const char *name)
{
    if (!is_late(tree))
        make_block(reader, tree, name);
}

void dal_make_late_block(dal_reader *reader, const dal_tree *tree, const char *name)
{
    if (is_late(tree))
        make_block(reader, tree, name);
}
