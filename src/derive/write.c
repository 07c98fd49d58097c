/* A derivation as a document: what the letters mean, energies, constraints, the equations, and how large all of it is. */
#include "derive/write.h"

#include "derive/nodes.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

typedef struct document {
    dal_growing *out;
    dal_derivation *d;
    dal_writing writing;
    int width;
    dal_writer *writer;
    int written; /* intermediates that are */
    int terms;
    bool shorter; /* the equations as they were derived have fewer operations than their normal forms */
} document;

static bool in_latex(const document *doc)
{
    return doc->writing != DAL_WRITE_TEXT;
}

/* ---- paragraphs --------------------------------------------------------------------- */

static const char *escaped(const document *doc, const char *text)
{
    return doc->writing == DAL_WRITE_LATEX ? dal_latex_escaped(doc->d->arena, text) : text;
}

static void heading(const document *doc, const char *text)
{
    switch (doc->writing) {
    case DAL_WRITE_MARKDOWN: dal_grow(doc->out, "\n### %s\n", text); break;
    case DAL_WRITE_LATEX: dal_grow(doc->out, "\n\\subsection*{%s}\n", escaped(doc, text)); break;
    default: dal_grow(doc->out, "\n%s\n", text);
    }
}

static void sentence(const document *doc, const char *text)
{
    if (!*text)
        return;
    if (doc->writing == DAL_WRITE_TEXT)
        dal_grow(doc->out, "  %s\n", text);
    else
        dal_grow(doc->out, "\n%s\n", escaped(doc, text));
}

/* ---- equations ------------------------------------------------------------------------- */

/* The terms of a sum, each with its sign, in lines of the width. */
static void text_lines(const document *doc, const char *left, const dal_form *form)
{
    dal_derivation *d = doc->d;
    int column = (int)strlen(left) + 2;
    const int indent = column < 30 ? column : 6;
    const bool sum = form->kind == DAL_FORM_SUM;
    dal_grow(doc->out, "  %s", left);
    for (int i = 0; i < (sum ? form->n : 1); i++) {
        const dal_form *item = sum ? form->item[i] : form;
        const bool negative = sum && i && item->kind == DAL_FORM_NEGATIVE;
        dal_form pair = {.kind = DAL_FORM_PRODUCT, .n = 1, .item = &item};
        if (negative)
            item = item->item[0];
        const char *text = negative && item->kind == DAL_FORM_SUM ? dal_form_text(d, &pair, false) : dal_form_text(d, item, false);
        const int length = (int)strlen(text) + 3;
        if (i && column + length > doc->width) {
            dal_grow(doc->out, "\n%*s", indent, "");
            column = indent;
        }
        dal_grow(doc->out, "%s%s", !i ? "" : negative ? " - " : " + ", text);
        column += length;
    }
}

static void latex_lines(const document *doc, const char *left, const dal_form *form, const char *right)
{
    dal_derivation *d = doc->d;
    const bool sum = form->kind == DAL_FORM_SUM;
    int column = 0;
    dal_grow(doc->out, doc->writing == DAL_WRITE_LATEX ? "\\begin{align*}\n%s&" : "\n$$\n\\begin{aligned}\n%s&", left);
    for (int i = 0; i < (sum ? form->n : 1); i++) {
        const dal_form *item = sum ? form->item[i] : form;
        const bool negative = sum && i && item->kind == DAL_FORM_NEGATIVE;
        dal_form pair = {.kind = DAL_FORM_PRODUCT, .n = 1, .item = &item};
        if (negative)
            item = item->item[0];
        const char *text = negative && item->kind == DAL_FORM_SUM ? dal_form_text(d, &pair, true) : dal_form_text(d, item, true);
        if (i && column + (int)strlen(text) > 130) {
            dal_grow(doc->out, " \\\\\n&\\quad");
            column = 0;
        }
        dal_grow(doc->out, "%s%s", !i ? "" : negative ? " - " : " + ", text);
        column += (int)strlen(text) + 3;
    }
    dal_grow(doc->out, doc->writing == DAL_WRITE_LATEX ? "%s\n\\end{align*}\n" : "%s\n\\end{aligned}\n$$\n", right);
}

/* name = value */
static void define(const document *doc, const char *name, const dal_form *form)
{
    if (in_latex(doc)) {
        latex_lines(doc, dal_arena_print(doc->d->arena, "%s = ", name), form, "");
        return;
    }
    text_lines(doc, dal_arena_print(doc->d->arena, "%s = ", name), form);
    dal_grow(doc->out, "\n");
}

/* Intermediates that came up since the last time, in the order in which they are needed. */
static void define_intermediates(document *doc)
{
    for (; doc->written < doc->writer->n_intermediates; doc->written++) {
        const char *name = dal_arena_print(doc->d->arena, in_latex(doc) ? "z_{%d}" : "z%d", doc->written + 1);
        define(doc, name, doc->writer->intermediate[doc->written].form);
    }
}

static void define_node(document *doc, const char *name, dal_node node)
{
    const dal_form *form = dal_some_form(doc->writer, node);
    define_intermediates(doc);
    define(doc, name, form);
}

/* ---- what the letters are ------------------------------------------------------------------ */

static const char *spelled(const document *doc, const char *name)
{
    size_t n = strlen(name), primes = 0;
    if (!in_latex(doc))
        return name;
    while (primes < n && name[n - primes - 1] == '\'')
        primes++;
    const char *base = dal_latex_name(doc->d->arena, dal_arena_copy(doc->d->arena, name, n - primes));
    return dal_arena_print(doc->d->arena, primes == 0 ? "%s" : primes == 1 ? "\\dot{%s}" : "\\ddot{%s}", base);
}

static void list_letters(const document *doc, dal_role role, const char *what, bool values)
{
    const dal_derivation *d = doc->d;
    const char *dollar = in_latex(doc) ? "$" : "";
    int n = 0;
    for (int i = 0; i < d->n_letters; i++) {
        if (d->letters[i].role != role)
            continue;
        dal_grow(doc->out, n++ ? ", " : doc->writing == DAL_WRITE_TEXT ? "  %s: " : "\n%s: ", what);
        dal_grow(doc->out, "%s%s%s", dollar, spelled(doc, d->letters[i].name), dollar);
        if (values)
            dal_grow(doc->out, " = %.6g", d->letters[i].value);
    }
    if (n)
        dal_grow(doc->out, "\n");
}

static void describe_letters(const document *doc)
{
    list_letters(doc, DAL_ROLE_PARAMETER, "parameters", true);
    list_letters(doc, DAL_ROLE_COORDINATE, "coordinates", false);
    list_letters(doc, DAL_ROLE_INPUT, "inputs", false);
    list_letters(doc, DAL_ROLE_STATE, "states", false);
    list_letters(doc, DAL_ROLE_MOMENTUM, "constant momenta", false);
}

/* ---- parts --------------------------------------------------------------------------------------- */

static void write_head(const document *doc, const dal_derived_formulation *f)
{
    const dal_system_info info = dal_system_describe(doc->d->system);
    const char *title = dal_arena_print(doc->d->arena, "%s: %s, coordinates %s", info.model, f->name, info.coordinates);
    switch (doc->writing) {
    case DAL_WRITE_MARKDOWN: dal_grow(doc->out, "## %s\n", title); break;
    case DAL_WRITE_LATEX: dal_grow(doc->out, "\\section*{%s}\n", escaped(doc, title)); break;
    default: dal_grow(doc->out, "%s\n", title);
    }
    sentence(doc, f->title);
    sentence(doc, dal_arena_print(doc->d->arena, "%s%s%s", f->equation, f->source[0] ? "    -- " : "", f->source));
}

static void write_energies(document *doc)
{
    heading(doc, "Energies");
    define_node(doc, "T", doc->d->T);
    define_node(doc, "V", doc->d->V);
}

static void write_rows(document *doc)
{
    const dal_derivation *d = doc->d;
    if (d->n_rows)
        heading(doc, "Constraints");
    for (int r = 0; r < d->n_rows; r++) {
        const bool position = d->row[r].phi != DAL_NO_NODE;
        const dal_node zero = position ? d->row[r].phi : d->row[r].rate;
        const dal_form *form = dal_normal_constraint(doc->d, zero);
        double written;
        int shared;
        dal_count_operations(doc->d, 1, &zero, &written, &shared);
        if (!form || dal_form_operations(form) > shared)
            form = dal_plain_form(doc->writer, zero);
        define_intermediates(doc);
        define(doc, dal_arena_print(d->arena, in_latex(doc) ? "\\text{%s:}\\quad 0" : "%s: 0", escaped(doc, d->row[r].name)), form);
    }
}

/* Is velocity k itself one of the speeds? */
static bool is_speed(dal_derivation *d, int k)
{
    const dal_node v = dal_in_speeds(d, dal_n_var(d, d->v + k));
    return !d->mechanism->n_speeds && dal_node_op(d->graph, v) == DAL_OP_VAR && d->letters[dal_node_index(d->graph, v)].role == DAL_ROLE_SPEED;
}

static void write_speeds(document *doc)
{
    dal_derivation *d = doc->d;
    if (!d->quasi)
        return;
    heading(doc, "Speeds");
    for (int j = 0; j < d->p; j++)
        if (!d->mechanism->n_speeds)
            dal_grow(doc->out, in_latex(doc) ? "\n$%s = %s$\n" : "  %s = %s\n", spelled(doc, d->letters[d->u + j].name),
                     spelled(doc, d->speed_names[j]));
    for (int k = 0; k < d->nv; k++)
        if (!is_speed(d, k))
            define_node(doc, spelled(doc, d->velocity_names[k]), dal_in_speeds(d, dal_n_var(d, d->v + k)));
}

static void write_named_systems(document *doc)
{
    dal_derivation *d = doc->d;
    if (!d->n_systems)
        return;
    heading(doc, "Linear systems that are solved as they stand");
    for (int s = 0; s < d->n_systems; s++) {
        const dal_named_system *system = &d->systems[s];
        for (int i = 0; i < system->n; i++) {
            dal_node left = dal_n_neg(d, system->right[i]);
            for (int j = 0; j < system->n; j++)
                left = dal_n_add(d, left, dal_n_mul(d, system->matrix[i * system->n + j], dal_n_var(d, system->first + j)));
            define_node(doc, "0", left);
        }
    }
}

/* Of the normal forms and the equations as they were derived, those with fewer operations are printed. NULL: that one as it was derived. */
static const dal_form **choose_forms(document *doc, const dal_form **by)
{
    dal_derivation *d = doc->d;
    const dal_form **form = DAL_NEW(d->arena, const dal_form *, d->n_equations);
    dal_node *nodes = DAL_NEW(d->arena, dal_node, d->n_equations);
    double written;
    int shared, operations = 0;
    for (int i = 0; i < d->n_equations; i++) {
        int terms = 0;
        nodes[i] = d->equations[i].zero;
        form[i] = dal_normal_equation(d, nodes[i], &by[i], &terms);
        doc->terms += terms;
        operations += form[i] ? dal_form_operations(form[i]) : 0;
        doc->writer->plain += !form[i];
    }
    dal_count_operations(d, d->n_equations, nodes, &written, &shared);
    for (int i = 0; i < d->n_equations && operations > shared; i++)
        form[i] = NULL;
    doc->shorter = operations > shared;
    if (doc->shorter || doc->writer->plain)
        dal_plain_forms(doc->writer, d->n_equations, nodes);
    return form;
}

static void write_equations(document *doc)
{
    dal_derivation *d = doc->d;
    const dal_form **divided = DAL_NEW(d->arena, const dal_form *, d->n_equations), **forms = choose_forms(doc, divided);
    heading(doc, "Equations of motion");
    for (int i = 0; i < d->n_equations; i++) {
        const dal_form *form = forms[i], *by = form ? divided[i] : NULL;
        if (!form)
            form = dal_plain_form(doc->writer, d->equations[i].zero);
        define_intermediates(doc);
        if (in_latex(doc))
            latex_lines(doc, "", form, " = 0");
        else {
            text_lines(doc, "", form);
            dal_grow(doc->out, " = 0\n");
        }
        if (by)
            dal_grow(doc->out, in_latex(doc) ? "\nDivided by $%s$.\n" : "    (divided by %s)\n", dal_form_text(d, by, in_latex(doc)));
    }
}

static void write_matrices(document *doc)
{
    dal_derivation *d = doc->d;
    heading(doc, "Matrices");
    for (int b = 0; b < d->n_blocks; b++) {
        const dal_derived_block *block = &d->blocks[b];
        sentence(doc, dal_arena_print(d->arena, "%s, %d x %d: %s", block->name, block->rows, block->columns, block->title));
        for (int i = 0; i < block->rows; i++)
            for (int j = 0; j < block->columns; j++) {
                const bool symmetric = block->row_names == block->column_names && block->rows == block->columns;
                if (dal_n_is(d, block->values[i * block->columns + j], 0) || (symmetric && j > i))
                    continue;
                const char *place = block->columns == 1 ? dal_arena_print(d->arena, "%d", i + 1) : dal_arena_print(d->arena, "%d, %d", i + 1, j + 1);
                const char *name = in_latex(doc) ? dal_arena_print(d->arena, "\\left(\\text{%s}\\right)_{%s}", escaped(doc, block->name), place)
                                                 : dal_arena_print(d->arena, "(%s)[%s]", block->name, place);
                define_node(doc, name, block->values[i * block->columns + j]);
            }
    }
}

static void write_steps(document *doc)
{
    const dal_derivation *d = doc->d;
    if (!d->n_steps)
        return;
    heading(doc, "Steps");
    for (int i = 0; i < d->n_steps; i++) {
        sentence(doc, d->step[i].text);
        define_node(doc, spelled(doc, d->step[i].name), d->step[i].value);
    }
}

/* What a program would compute: the matrix and the right side of the system that is solved. */
static void count_blocks(const document *doc)
{
    dal_derivation *d = doc->d;
    dal_node *nodes = NULL;
    size_t room = 0;
    double written;
    int shared, n = 0;
    const char *names = "";
    for (int b = d->quasi ? d->n_blocks - 2 : 0; b < d->n_blocks; b++) {
        const dal_derived_block *block = &d->blocks[b];
        names = dal_arena_print(d->arena, "%s%s%s", names, *names ? ", " : "", block->name);
        for (int i = 0; i < block->rows * block->columns; i++)
            *DAL_PUSH(d->arena, nodes, n, room) = block->values[i];
    }
    for (int s = 0; s < d->n_systems; s++) /* what its unknowns are computed from */
        for (int i = 0; i < d->systems[s].n; i++) {
            for (int j = 0; j < d->systems[s].n; j++)
                *DAL_PUSH(d->arena, nodes, n, room) = d->systems[s].matrix[i * d->systems[s].n + j];
            *DAL_PUSH(d->arena, nodes, n, room) = d->systems[s].right[i];
        }
    dal_count_operations(d, n, nodes, &written, &shared);
    sentence(doc, dal_arena_print(d->arena, "matrices (%s): %.6g operations as derived, %d of them different", names, written, shared));
}

static void write_size(document *doc)
{
    dal_derivation *d = doc->d;
    double written;
    int shared, n = 0;
    dal_node *nodes = DAL_NEW(d->arena, dal_node, d->n_equations);
    for (; n < d->n_equations; n++)
        nodes[n] = d->equations[n].zero;
    dal_count_operations(d, n, nodes, &written, &shared);
    heading(doc, "Size");
    if (n)
        sentence(doc, dal_arena_print(d->arena, "equations: %.6g operations as derived, %d of them different; %d terms in normal form", written,
                                      shared, doc->terms));
    count_blocks(doc);
    if (doc->writer->plain)
        sentence(doc, dal_arena_print(d->arena, "%d expression%s too large for the normal form: printed as derived, with names for what is shared",
                                      doc->writer->plain, doc->writer->plain == 1 ? " is" : "s are"));
    if (doc->shorter)
        sentence(doc, "the equations are printed as derived, with names for what is shared: that takes fewer operations than their normal forms");
    for (int i = 0; i < d->n_notes; i++)
        sentence(doc, d->notes[i]);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static void write_bytes(void *out, const void *bytes, size_t n)
{
    dal_grow(out, "%.*s", (int)n, (const char *)bytes);
}

static const char *node_text(document *doc, dal_node node)
{
    return dal_form_text(doc->d, dal_some_form(doc->writer, node), false);
}

static void json_nodes(dal_json *json, document *doc, const char *key, int n, const dal_node *nodes)
{
    const char **texts = DAL_NEW(doc->d->arena, const char *, n);
    for (int i = 0; i < n; i++)
        texts[i] = node_text(doc, nodes[i]);
    dal_json_strings(json, key, n, texts);
}

static void json_letters(dal_json *json, const dal_derivation *d)
{
    static const char *const roles[] = {"time",     "coordinate", "rate",   "acceleration", "speed", "rate of a speed",    "multiplier",
                                        "momentum", "parameter",  "number", "input",        "state", "unknown of a system"};
    dal_json_open(dal_json_line(json, "\n "), "letters", '[');
    for (int i = 0; i < d->n_letters; i++) {
        const dal_letter *l = &d->letters[i];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", l->name);
        dal_json_string(json, "role", roles[l->role]);
        if (l->role == DAL_ROLE_PARAMETER || l->role == DAL_ROLE_NUMBER)
            dal_json_number(json, "value", l->value);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_blocks(dal_json *json, document *doc)
{
    const dal_derivation *d = doc->d;
    dal_json_open(dal_json_line(json, "\n "), "blocks", '[');
    for (int b = 0; b < d->n_blocks; b++) {
        const dal_derived_block *block = &d->blocks[b];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", block->name);
        dal_json_string(json, "title", block->title);
        dal_json_strings(json, "rows", block->rows, block->row_names);
        dal_json_strings(json, "columns", block->columns, block->column_names);
        dal_json_open(json, "values", '[');
        for (int i = 0; i < block->rows; i++)
            json_nodes(dal_json_line(json, "\n   "), doc, NULL, block->columns, block->values + i * block->columns);
        dal_json_close(json, ']');
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_systems(dal_json *json, document *doc)
{
    const dal_derivation *d = doc->d;
    dal_json_open(dal_json_line(json, "\n "), "systems", '[');
    for (int s = 0; s < d->n_systems; s++) {
        const dal_named_system *system = &d->systems[s];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", system->name);
        dal_json_open(json, "unknowns", '[');
        for (int i = 0; i < system->n; i++)
            dal_json_string(json, NULL, d->letters[system->first + i].name);
        dal_json_close(json, ']');
        dal_json_open(json, "matrix", '[');
        for (int i = 0; i < system->n; i++)
            json_nodes(dal_json_line(json, "\n   "), doc, NULL, system->n, system->matrix + i * system->n);
        dal_json_close(json, ']');
        json_nodes(dal_json_line(json, "\n   "), doc, "right", system->n, system->right);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_definitions(dal_json *json, document *doc)
{
    dal_json_open(dal_json_line(json, "\n "), "definitions", '[');
    for (int i = 0; i < doc->writer->n_intermediates; i++) {
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", dal_arena_print(doc->d->arena, "z%d", i + 1));
        dal_json_string(json, "value", dal_form_text(doc->d, doc->writer->intermediate[i].form, false));
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void write_json(document *doc, const dal_derived_formulation *f)
{
    dal_derivation *d = doc->d;
    const dal_system_info info = dal_system_describe(d->system);
    dal_json writer = {.write = write_bytes, .user = doc->out, .missing = ""}, *json = &writer;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "model", info.model);
    dal_json_string(json, "formulation", f->name);
    dal_json_string(json, "coordinates", info.coordinates);
    dal_json_string(json, "equation", f->equation);
    json_letters(json, d);
    dal_json_string(dal_json_line(json, "\n "), "T", node_text(doc, d->T));
    dal_json_string(dal_json_line(json, "\n "), "V", node_text(doc, d->V));
    json_blocks(json, doc);
    json_systems(json, doc);
    dal_json_open(dal_json_line(json, "\n "), "equations", '[');
    for (int i = 0; i < d->n_equations; i++) {
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", d->equations[i].name);
        dal_json_string(json, "zero", node_text(doc, d->equations[i].zero));
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
    json_definitions(json, doc);
    dal_json_close(json, '}');
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void write_document(document *doc, const dal_derived_formulation *f, bool steps)
{
    write_head(doc, f);
    describe_letters(doc);
    write_rows(doc);
    if (!steps)
        write_energies(doc);
    write_speeds(doc);
    write_steps(doc);
    write_named_systems(doc);
    if (steps || !doc->d->n_equations)
        write_matrices(doc);
    if (doc->d->n_equations)
        write_equations(doc);
    write_size(doc);
}

static const char latex_head[] = "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n";

void dal_write_derivation(dal_growing *out, dal_derivation *d, dal_writing writing, bool steps, int width, bool first, bool last)
{
    document doc = {.out = out, .d = d, .writing = writing, .width = width, .writer = dal_writer_create(d)};
    const dal_derived_formulation *f = d->formulation;
    if (writing == DAL_WRITE_JSON) {
        dal_grow(out, "%s", first ? "[\n" : ",\n");
        write_json(&doc, f);
        dal_grow(out, "%s", last ? "]\n" : "");
        return;
    }
    if (writing == DAL_WRITE_LATEX && first)
        dal_grow(out, "%s", latex_head);
    dal_grow(out, "%s", first ? "" : "\n");
    write_document(&doc, f, steps);
    if (writing == DAL_WRITE_LATEX && last)
        dal_grow(out, "\\end{document}\n");
}
