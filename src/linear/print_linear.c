/* Linearisations and modes as text for people, as JSON and as CSV. */
#include "analysis/tables.h"
#include "base/json.h"
#include "dalembert/linear.h"
#include "linear/print_linear.h"

#include <math.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [DAL_LINEAR_REST] = "at rest in an equilibrium",
    [DAL_LINEAR_STEADY] = "in a steady motion: no state accelerates",
    [DAL_LINEAR_MOTION] = "at one instant of a motion, which is not an equilibrium: A and B change along it",
};

static const char *const kind_words[] = {[DAL_LINEAR_REST] = "rest", [DAL_LINEAR_STEADY] = "steady", [DAL_LINEAR_MOTION] = "motion"};

static void print_block(dal_tables *p, const char *name, const char *title, int rows, int columns, const double *values, const char *const *row_names,
                        const char *const *column_names)
{
    const dal_equation_block block = {name, title, rows, columns, values, row_names, column_names};
    if (rows && columns)
        dal_print_blocks(p, &block, 1);
}

static void print_heading(dal_tables *p, const dal_linearization *l)
{
    dal_print(&p->out, "%s at t = %.*g s: %s\n", l->info.model && *l->info.model ? l->info.model : "the model", p->digits, l->time, kinds[l->kind]);
    if (l->n_rates < l->n_positions)
        dal_print(&p->out, "%d positions, %d rates: nonholonomic constraints hold velocities, not positions\n", l->n_positions, l->n_rates);
}

static void print_root(dal_tables *p, double re, double im)
{
    const double part = dal_without_rounding(p, re, hypot(re, im));
    if (im > 0)
        dal_print(&p->out, " %.*g +- %.*g i", p->digits, part, p->digits, im);
    else
        dal_print(&p->out, " %.*g", p->digits, part);
}

/* Digits of a part of a zero that its error leaves. */
static int digits_left(const dal_tables *p, double part, double error)
{
    const double digits = error > 0 ? floor(log10(fabs(part) / error)) : p->digits;
    return digits < 1 ? 1 : digits < p->digits ? (int)digits : p->digits;
}

static void print_zero(dal_tables *p, const dal_root *z)
{
    const double part = fabs(z->re) <= z->error ? 0 : dal_without_rounding(p, z->re, hypot(z->re, z->im));
    const int of_re = digits_left(p, part, z->error), of_im = digits_left(p, z->im, z->error);
    if (z->im > 0)
        dal_print(&p->out, " %.*g +- %.*g i", of_re, part, of_im, z->im);
    else
        dal_print(&p->out, " %.*g", of_re, part);
}

static void print_hidden(dal_tables *p, const char *what, int n, const char *const *names)
{
    if (!n)
        return;
    dal_print(&p->out, "\n%s:", what);
    for (int i = 0; i < n; i++)
        dal_print(&p->out, "%s %s", i ? "," : "", names[i]);
    dal_print(&p->out, "\n");
}

static void print_zeros(dal_tables *p, const dal_zeros *z)
{
    dal_print(&p->out, "  %s by %s:", z->output, z->input);
    if (z->relative_degree < 0)
        dal_print(&p->out, z->n_undetermined ? " the input does not reach the output by more than rounding" : " the input does not reach the output");
    else if (!z->n && !z->n_undetermined)
        dal_print(&p->out, " none");
    for (int i = 0; i < z->n; i++) {
        dal_print(&p->out, i ? "," : "");
        print_zero(p, &z->roots[i]);
    }
    if (z->n_undetermined && z->relative_degree >= 0)
        dal_print(&p->out, "%s %d%s not determined: rounding of A, B, C and D moves them by more than 0.1 %% of their size", z->n ? ";" : "",
                  z->n_undetermined, z->n ? " more are" : " are");
    dal_print(&p->out, "\n");
}

/* "twice", "3 times" */
static void print_times(dal_tables *p, int n)
{
    if (n == 2)
        dal_print(&p->out, "twice");
    else
        dal_print(&p->out, "%d times", n);
}

/* A sentence for each eigenvalue that has fewer shapes than its multiplicity. */
static void print_defective(dal_tables *p, int n, const dal_mode *modes)
{
    for (int i = 0; i < n; i++) {
        const dal_mode *mode = &modes[i];
        if (mode->shapes >= mode->times || (i && mode->re == modes[i - 1].re && mode->im == modes[i - 1].im))
            continue;
        dal_print(&p->out, "\neigenvalue");
        print_root(p, mode->re, mode->im);
        dal_print(&p->out, " 1/s occurs ");
        print_times(p, mode->times);
        dal_print(&p->out, " and has %d shape%s: it is defective, and motions have a term t e^(s t)\n", mode->shapes, mode->shapes == 1 ? "" : "s");
    }
}

static void print_poles(dal_tables *p, const dal_linearization *l)
{
    dal_print(&p->out, "\npoles, 1/s:");
    for (int i = 0; i < l->n_poles; i++) {
        dal_print(&p->out, i ? "," : "");
        print_root(p, l->poles[i].re, l->poles[i].im);
    }
    if (l->n_zero_poles)
        dal_print(&p->out, "%s 0 (%d time%s)", l->n_poles ? "," : "", l->n_zero_poles, l->n_zero_poles == 1 ? "" : "s");
    dal_print(&p->out, "\n");
    print_defective(p, l->n_poles, l->poles);
    print_hidden(p, "the inputs do not move (not controllable)", l->n_uncontrollable, l->uncontrollable);
    print_hidden(p, "the outputs do not see (not observable)", l->n_unobservable, l->unobservable);
    if (l->n_pairs)
        dal_print(&p->out, "\nzeros, 1/s\n");
    for (int i = 0; i < l->n_pairs; i++)
        print_zeros(p, &l->zeros[i]);
}

int dal_linearization_text(const dal_linearization *l, int digits, int width, char *buffer, size_t size)
{
    static const char *const name = "x";
    if (!l)
        return -1;
    dal_tables p = dal_tables_begin(digits, width, buffer, size);
    print_heading(&p, l);
    print_block(&p, name, "the values of the states at the point", l->n_states, 1, l->at, l->states, &name);
    print_block(&p, "A", "x' = A x + B u", l->n_states, l->n_states, l->A, l->states, l->states);
    print_block(&p, "B", "of the inputs", l->n_states, l->n_inputs, l->B, l->states, l->inputs);
    print_block(&p, "C", "y = C x + D u", l->n_outputs, l->n_states, l->C, l->outputs, l->states);
    print_block(&p, "D", "of the inputs", l->n_outputs, l->n_inputs, l->D, l->outputs, l->inputs);
    print_poles(&p, l);
    return p.out.length;
}

void dal_print_shares(dal_printer *out, int n, const dal_mode_share *shares)
{
    if (!n)
        dal_print(out, "states of the model alone");
    for (int i = 0; i < n && i < 5; i++)
        dal_print(out, "%s%.0f %% %s", i ? ", " : "", 100 * shares[i].share, shares[i].part);
    if (n > 5)
        dal_print(out, ", ...");
}

/* A number that is only rounding beside the largest is printed as zero. */
double dal_without_rounding(const dal_tables *p, double x, double largest)
{
    return fabs(x) <= p->nothing * largest ? 0 : x;
}

void dal_print_mode(dal_tables *p, const dal_mode *mode)
{
    const int width = p->digits + 7;
    const double re = dal_without_rounding(p, mode->re, hypot(mode->re, mode->im));
    if (mode->im > 0)
        dal_print(&p->out, "  %*.*g %*.*g %*.*g +- %-*.*g  ", width, p->digits, mode->frequency, width, p->digits, re == 0 ? 0 : mode->damping, width,
                  p->digits, re, width, p->digits, mode->im);
    else
        dal_print(&p->out, "  %*s %*s %*.*g    %-*s  ", width, "-", width, "-", width, p->digits, re, width, "");
    dal_print_shares(&p->out, mode->n_shares, mode->shares);
    dal_print(&p->out, "%s\n",
              mode->shifts_circle                      ? "; a shift of the circle, seen from the turning frame: nothing holds it"
              : re > 1e-10 * hypot(mode->re, mode->im) ? "; it grows"
                                                       : "");
}

static void print_free(dal_tables *p, const dal_modes *m)
{
    if (!m->n_zeros)
        return;
    dal_print(&p->out, "\n%d eigenvalue%s zero", m->n_zeros, m->n_zeros == 1 ? " is" : "s are");
    if (!m->n_free) {
        dal_print(&p->out, ": slower than 1e-7 of the fastest motion\n");
        return;
    }
    dal_print(&p->out, ": nothing holds %d direction%s", m->n_free, m->n_free == 1 ? "" : "s");
    if (m->n_zeros > m->n_free)
        dal_print(&p->out, ", and %d velocit%s", m->n_zeros - m->n_free,
                  m->n_zeros - m->n_free == 1 ? "y in them stays (defective)" : "ies in them stay (defective)");
    dal_print(&p->out, "\n");
    for (int i = 0; i < m->n_free; i++) {
        const dal_free_mode *free = &m->free[i];
        dal_print(&p->out, "  %s: ", free->state ? free->state : "-");
        dal_print_shares(&p->out, free->n_shares, free->shares);
        dal_print(&p->out, "%s\n", free->drifts ? "; it can drift" : "");
    }
}

int dal_modes_text(const dal_modes *m, int digits, int width, char *buffer, size_t size)
{
    if (!m)
        return -1;
    dal_tables p = dal_tables_begin(digits, width, buffer, size);
    const int wide = p.digits + 7;
    print_heading(&p, m->linearization);
    if (m->n_modes)
        dal_print(&p.out, "\n  %*s %*s %*s    %-*s  %s\n", wide, "frequency, Hz", wide, "damping", wide, "eigenvalue,", wide, "1/s",
                  "kinetic energy");
    for (int i = 0; i < m->n_modes; i++)
        dal_print_mode(&p, &m->modes[i]);
    print_defective(&p, m->n_modes, m->modes);
    print_free(&p, m);
    return p.out.length;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static void write_roots(dal_json *json, const char *key, int n, const dal_root *roots)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        dal_json_numbers(json, NULL, 2, (const double[]){roots[i].re, roots[i].im});
    dal_json_close(json, ']');
}

void dal_write_eigenvalues(dal_json *json, const char *key, int n, const dal_mode *modes)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        dal_json_numbers(json, NULL, 2, (const double[]){modes[i].re, modes[i].im});
    dal_json_close(json, ']');
}

static void write_zeros(dal_json *json, const void *of, int i)
{
    const dal_zeros *zeros = (const dal_zeros *)of + i;
    dal_json_string(json, "output", zeros->output);
    dal_json_string(json, "input", zeros->input);
    dal_json_integer(json, "relative_degree", zeros->relative_degree);
    write_roots(json, "roots", zeros->n, zeros->roots);
    dal_json_open(json, "errors", '[');
    for (int k = 0; k < zeros->n; k++)
        dal_json_number(json, NULL, zeros->roots[k].error);
    dal_json_close(json, ']');
    dal_json_integer(json, "undetermined", zeros->n_undetermined);
}

static void write_structure(dal_json *json, const dal_linearization *l)
{
    dal_write_eigenvalues(dal_json_line(json, "\n"), "poles", l->n_poles, l->poles);
    dal_json_integer(json, "zero_poles", l->n_zero_poles);
    dal_json_strings(dal_json_line(json, "\n"), "uncontrollable", l->n_uncontrollable, l->uncontrollable);
    dal_json_strings(dal_json_line(json, "\n"), "unobservable", l->n_unobservable, l->unobservable);
    dal_json_objects(dal_json_line(json, "\n"), "zeros", l->n_pairs, "\n  ", write_zeros, l->zeros);
}

/* The first entries of linearisations and modes. */
static void write_heading(dal_json *json, const dal_linearization *l)
{
    dal_json_members(json, dal_heading, &l->info);
    dal_json_string(dal_json_line(json, "\n"), "kind", kind_words[l->kind]);
    dal_json_number(json, "time", l->time);
}

static void write_linearization(dal_json *json, const void *of)
{
    const dal_linearization *l = of;
    dal_json_open(json, NULL, '{');
    write_heading(json, l);
    dal_json_integer(json, "positions", l->n_positions);
    dal_json_integer(json, "rates", l->n_rates);
    dal_json_strings(dal_json_line(json, "\n"), "states", l->n_states, l->states);
    dal_json_strings(dal_json_line(json, "\n"), "inputs", l->n_inputs, l->inputs);
    dal_json_strings(dal_json_line(json, "\n"), "outputs", l->n_outputs, l->outputs);
    dal_json_numbers(dal_json_line(json, "\n"), "at", l->n_states, l->at);
    dal_json_numbers(dal_json_line(json, "\n"), "state_rates", l->n_states, l->rates);
    dal_json_numbers(dal_json_line(json, "\n"), "output_values", l->n_outputs, l->y);
    dal_json_matrix(dal_json_line(json, "\n"), "A", l->n_states, l->n_states, l->A, "\n  ");
    dal_json_matrix(dal_json_line(json, "\n"), "B", l->n_states, l->n_inputs, l->B, "\n  ");
    dal_json_matrix(dal_json_line(json, "\n"), "C", l->n_outputs, l->n_states, l->C, "\n  ");
    dal_json_matrix(dal_json_line(json, "\n"), "D", l->n_outputs, l->n_inputs, l->D, "\n  ");
    write_structure(json, l);
    dal_json_close(json, '}');
}

int dal_linearization_json(const dal_linearization *l, char *buffer, size_t size)
{
    return l ? dal_json_text(buffer, size, write_linearization, l) : -1;
}

void dal_write_shares(dal_json *json, const char *key, int n, const dal_mode_share *shares)
{
    static const dal_json_member members[] = {DAL_JSON_MEMBER(dal_mode_share, part), DAL_JSON_MEMBER(dal_mode_share, share), {0}};
    dal_json_structs(json, key, n, shares, sizeof *shares, members, NULL);
}

#define MODE(member) DAL_JSON_MEMBER(dal_mode, member)
static const dal_json_member of_mode[] = {
    MODE(re), MODE(im), MODE(frequency), MODE(damping), MODE(condition), MODE(times), MODE(shapes), MODE(shifts_circle), {0}};

static void write_mode(dal_json *json, const void *of, int i)
{
    const dal_modes *m = of;
    const dal_mode *mode = &m->modes[i];
    const int n = m->linearization->n_states;
    dal_json_members(json, of_mode, mode);
    dal_write_shares(json, "energy", mode->n_shares, mode->shares);
    dal_json_numbers(json, "shape_re", n, mode->shape_re);
    dal_json_numbers(json, "shape_im", n, mode->shape_im);
}

static void write_free(dal_json *json, const void *of, int i)
{
    const dal_free_mode *free = (const dal_free_mode *)of + i;
    dal_json_string(json, "state", free->state);
    dal_json_truth(json, "drifts", free->drifts);
    dal_write_shares(json, "energy", free->n_shares, free->shares);
}

static void write_modes(dal_json *json, const void *of)
{
    const dal_modes *m = of;
    const dal_linearization *l = m->linearization;
    dal_json_open(json, NULL, '{');
    write_heading(json, l);
    dal_json_strings(dal_json_line(json, "\n"), "states", l->n_states, l->states);
    dal_json_objects(dal_json_line(json, "\n"), "modes", m->n_modes, "\n  ", write_mode, m);
    dal_json_integer(dal_json_line(json, "\n"), "zeros", m->n_zeros);
    dal_json_objects(dal_json_line(json, "\n"), "free", m->n_free, "\n  ", write_free, m->free);
    dal_json_close(json, '}');
}

int dal_modes_json(const dal_modes *m, char *buffer, size_t size)
{
    return m ? dal_json_text(buffer, size, write_modes, m) : -1;
}

/* ---- CSV ------------------------------------------------------------------------------------------------ */

/* A name may contain commas, but not quotes. */
static void print_names(dal_printer *out, int n, const char *const *names)
{
    for (int i = 0; i < n; i++)
        dal_print(out, strchr(names[i], ',') ? ",\"%s\"" : ",%s", names[i]);
}

static void print_rows(dal_printer *out, int rows, const char *const *names, const char *end, int states, const double *left, int inputs,
                       const double *right)
{
    for (int i = 0; i < rows; i++) {
        const bool quoted = strchr(names[i], ',') != NULL;
        dal_print(out, quoted ? "\"%s%s\"" : "%s%s", names[i], end);
        for (int j = 0; j < states; j++)
            dal_print(out, ",%.17g", left[states * i + j]);
        for (int j = 0; j < inputs; j++)
            dal_print(out, ",%.17g", right[inputs * i + j]);
        dal_print(out, "\n");
    }
}

int dal_linearization_csv(const dal_linearization *l, char *buffer, size_t size)
{
    dal_printer out = {buffer, size, 0};
    if (!l)
        return -1;
    print_names(&out, l->n_states, l->states);
    print_names(&out, l->n_inputs, l->inputs);
    dal_print(&out, "\n");
    print_rows(&out, l->n_states, l->states, "'", l->n_states, l->A, l->n_inputs, l->B);
    print_rows(&out, l->n_outputs, l->outputs, "", l->n_states, l->C, l->n_inputs, l->D);
    return out.length;
}
