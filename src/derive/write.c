/* A derivation as a document: the meaning of the letters, energies, constraints, the equations, and their size. */
#include "derive/printed_document.h"

#include "derive/nodes.h"

#include <stdio.h>
#include <string.h>

static bool in_latex(const dal_document *doc)
{
    return doc->writing == DAL_WRITE_LATEX || doc->writing == DAL_WRITE_MARKDOWN;
}

/* A formula in the language of the document: text, LaTeX or MathML. */
static const char *in_language(const dal_document *doc, const char *text, const char *latex, const char *mathml)
{
    return doc->writing == DAL_WRITE_TEXT ? text : doc->writing == DAL_WRITE_HTML ? mathml : latex;
}

/* ---- paragraphs --------------------------------------------------------------------- */

static const char *escaped(const dal_document *doc, const char *text)
{
    return doc->writing == DAL_WRITE_LATEX  ? dal_latex_escaped(doc->d->arena, text)
           : doc->writing == DAL_WRITE_HTML ? dal_html_escaped(doc->d->arena, text)
                                            : text;
}

static void heading(const dal_document *doc, const char *text)
{
    switch (doc->writing) {
    case DAL_WRITE_MARKDOWN: dal_grow(doc->out, "\n### %s\n", text); break;
    case DAL_WRITE_LATEX: dal_grow(doc->out, "\n\\subsection*{%s}\n", escaped(doc, text)); break;
    case DAL_WRITE_HTML: dal_grow(doc->out, "<h3>%s</h3>\n", escaped(doc, text)); break;
    default: dal_grow(doc->out, "\n%s\n", text);
    }
}

static void sentence(const dal_document *doc, const char *text)
{
    if (!*text)
        return;
    dal_grow(doc->out, in_language(doc, "  %s\n", "\n%s\n", "<p>%s</p>\n"), escaped(doc, text));
}

/* ---- equations ------------------------------------------------------------------------- */

/* A term of a sum behind its sign. */
static const char *term_text(const dal_document *doc, const dal_signed_form *term, bool latex)
{
    const dal_form *item = term->form;
    const dal_form pair = {.kind = DAL_FORM_PRODUCT, .n = 1, .item = &item};
    const bool brackets = term->negative && (item->kind == DAL_FORM_SUM || item->kind == DAL_FORM_NEGATIVE);
    return dal_form_text(doc->d, brackets ? &pair : item, latex);
}

static const char *sign_text(const dal_signed_form *term, bool first)
{
    return first ? term->negative ? "-" : "" : term->negative ? " - " : " + ";
}

/* The terms of a sum, each with its sign, in lines of the width. */
static void text_lines(const dal_document *doc, const char *left, const dal_form *form)
{
    int column = (int)strlen(left) + 2, n;
    const int indent = column < 30 ? column : 6;
    const dal_signed_form *terms = dal_form_terms(doc->d, form, &n);
    dal_grow(doc->out, "  %s", left);
    for (int i = 0; i < n; i++) {
        const char *text = term_text(doc, &terms[i], false);
        const int length = (int)strlen(text) + 3;
        if (i && column + length > doc->width) {
            dal_grow(doc->out, "\n%*s", indent, "");
            column = indent;
        }
        dal_grow(doc->out, "%s%s", sign_text(&terms[i], !i), text);
        column += length;
    }
}

enum { LATEX_LINE = 54 }; /* letters of a line of the class article */

static void latex_paragraph(const dal_document *doc, const char *left, int n, const dal_signed_form *terms, const char *right)
{
    dal_growing all = {.arena = doc->d->arena};
    dal_grow(&all, "%s", left);
    for (int i = 0; i < n; i++)
        dal_grow(&all, "%s%s", sign_text(&terms[i], !i), term_text(doc, &terms[i], true));
    dal_grow(&all, "%s", right);
    dal_grow(doc->out, "\\begin{flushleft}\\hangindent=2em\\hangafter=1\n$\\displaystyle %s$\n\\end{flushleft}\n",
             dal_latex_breakable(doc->d->arena, all.text));
}

/* In a sentence. */
static const char *inline_latex(const dal_document *doc, const dal_form *form)
{
    const char *text = dal_form_text(doc->d, form, true);
    return dal_latex_width(text) > LATEX_LINE / 2.0 ? dal_latex_breakable(doc->d->arena, text) : text;
}

/* Lines of whole terms; if a term is wider than a line, a paragraph that TeX breaks. Viewers of Markdown scroll. */
static void latex_lines(const dal_document *doc, const char *left, const dal_form *form, const char *right)
{
    int n;
    const dal_signed_form *terms = dal_form_terms(doc->d, form, &n);
    double column = dal_latex_width(left);
    for (int i = 0; i < n && doc->writing == DAL_WRITE_LATEX; i++)
        if (dal_latex_width(term_text(doc, &terms[i], true)) + (i ? 0 : column) + (i == n - 1 ? dal_latex_width(right) : 0) > LATEX_LINE - 4) {
            latex_paragraph(doc, left, n, terms, right);
            return;
        }
    dal_grow(doc->out, doc->writing == DAL_WRITE_LATEX ? "\\begin{align*}\n%s%s&" : "\n$$\n\\begin{aligned}\n%s%s&", left,
             *left ? "{}" : ""); /* space behind the sign */
    for (int i = 0; i < n; i++) {
        const char *text = term_text(doc, &terms[i], true);
        const double width = dal_latex_width(text) + 2;
        if (i && column + width + (i == n - 1 ? dal_latex_width(right) : 0) > LATEX_LINE) {
            dal_grow(doc->out, " \\\\\n&\\quad");
            column = dal_latex_width(left) + 2;
        }
        dal_grow(doc->out, "%s%s", sign_text(&terms[i], !i), text);
        column += width;
    }
    dal_grow(doc->out, doc->writing == DAL_WRITE_LATEX ? "%s\n\\end{align*}\n" : "%s\n\\end{aligned}\n$$\n", right);
}

static const dal_printed nothing = {DAL_NO_NODE, DAL_NO_NODE, false}; /* terms whose origin is printed */

/* left, the form, right. */
static void write_equation(dal_document *doc, const char *left, const dal_form *form, const char *right, dal_printed printed)
{
    if (doc->writing == DAL_WRITE_HTML)
        dal_html_equation(doc, left, form, right, printed);
    else if (in_latex(doc))
        latex_lines(doc, left, form, right);
    else {
        text_lines(doc, left, form);
        dal_grow(doc->out, "%s\n", right);
    }
}

/* name = value */
static void define(dal_document *doc, const char *name, const dal_form *form, dal_printed printed)
{
    const char *equals = in_language(doc, "%s = ", "%s = ", "%s<mo>=</mo>");
    dal_growing left = {.arena = doc->d->arena};
    dal_grow(&left, equals, name);
    write_equation(doc, left.text, form, "", printed);
}

/* Intermediates that are new since the last call, in the order in which they are needed. */
static void define_intermediates(dal_document *doc)
{
    enum { MOST_OPEN = 8 }; /* more intermediates than this are folded on a page */
    const int end = doc->writer->n_intermediates;
    const bool folded = doc->writing == DAL_WRITE_HTML && end - doc->written > MOST_OPEN;
    if (folded)
        dal_html_fold_named(doc, doc->written + 1, end);
    for (; doc->written < end; doc->written++) {
        const char *name = dal_arena_print(doc->d->arena, in_language(doc, "%s%d", "%s_{%d}", "<msub><mi>%s</mi><mn>%d</mn></msub>"),
                                           dal_intermediate_prefix(doc->d), doc->written + 1);
        define(doc, name, doc->writer->intermediate[doc->written].form, nothing);
    }
    if (folded)
        dal_html_unfold(doc);
}

static void define_printed(dal_document *doc, const char *name, dal_printed printed)
{
    const dal_form *form = dal_some_form(doc->writer, printed.node);
    define_intermediates(doc);
    define(doc, name, form, printed);
}

static void define_node(dal_document *doc, const char *name, dal_node node)
{
    define_printed(doc, name, (dal_printed){node, DAL_NO_NODE, false});
}

/* ---- what the letters are ------------------------------------------------------------------ */

static const char *spelled(const dal_document *doc, const char *name)
{
    return in_latex(doc)                    ? dal_latex_name(doc->d, doc->d->arena, name)
           : doc->writing == DAL_WRITE_HTML ? dal_mathml_name(doc->d, doc->d->arena, name)
                                            : name;
}

/* One of "parameters: M = 2, m = 0.5". */
static void list_letter(const dal_document *doc, const dal_letter *letter, bool value)
{
    dal_grow(doc->out, in_language(doc, "%s", "$%s$", "<math>%s</math>"), spelled(doc, letter->name));
    if (value)
        dal_grow(doc->out, " = %.6g", letter->value);
}

static void list_letters(const dal_document *doc, dal_role role, const char *what, bool values)
{
    const dal_derivation *d = doc->d;
    int n = 0;
    for (int i = 0; i < d->n_letters; i++) {
        if (d->letters[i].role != role)
            continue;
        if (n++)
            dal_grow(doc->out, ", ");
        else
            dal_grow(doc->out, in_language(doc, "  %s: ", "\n%s: ", "<p class=\"letters\">%s: "), what);
        list_letter(doc, &d->letters[i], values);
    }
    if (n)
        dal_grow(doc->out, "%s", in_language(doc, "\n", "\n", "</p>\n"));
}

static void describe_letters(const dal_document *doc)
{
    list_letters(doc, DAL_ROLE_PARAMETER, "parameters", true);
    list_letters(doc, DAL_ROLE_COORDINATE, "coordinates", false);
    list_letters(doc, DAL_ROLE_INPUT, "inputs", false);
    list_letters(doc, DAL_ROLE_STATE, "states", false);
    list_letters(doc, DAL_ROLE_MOMENTUM, "constant momenta", false);
}

/* ---- parts --------------------------------------------------------------------------------------- */

static void write_head(dal_document *doc, const dal_derived_formulation *f)
{
    if (doc->writing == DAL_WRITE_HTML) {
        dal_html_begin(doc, f);
        return;
    }
    const dal_system_info info = dal_system_describe(doc->d->system);
    const char *title = dal_arena_print(doc->d->arena, "%s: %s, coordinates %s", info.model, f->name, info.coordinates);
    switch (doc->writing) {
    case DAL_WRITE_MARKDOWN: dal_grow(doc->out, "## %s\n", title); break;
    case DAL_WRITE_LATEX: dal_grow(doc->out, "\\section*{%s}\n", escaped(doc, title)); break;
    default: dal_grow(doc->out, "%s\n", title);
    }
    sentence(doc, f->title);
    if (!in_latex(doc)) {
        sentence(doc, dal_arena_print(doc->d->arena, "%s%s%s", f->equation, f->source[0] ? "    -- " : "", f->source));
        return;
    }
    dal_grow(doc->out, doc->writing == DAL_WRITE_LATEX ? "\\[ %s \\]\n" : "\n$$\n%s\n$$\n", f->latex);
    sentence(doc, f->source);
}

static void write_energies(dal_document *doc)
{
    heading(doc, "Energies");
    define_printed(doc, spelled(doc, "T"), (dal_printed){doc->d->T, dal_marked_kinetic(doc->origins), true});
    define_printed(doc, spelled(doc, "V"), (dal_printed){doc->d->V, dal_marked_potential(doc->origins), true});
}

static void write_rows(dal_document *doc)
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
        if (form->kind == DAL_FORM_NEGATIVE) /* it is zero */
            form = form->item[0];
        define_intermediates(doc);
        dal_growing name = {.arena = d->arena};
        dal_grow(&name, in_language(doc, "%s: 0", "\\text{%s:}\\quad 0", "<mtext>%s:</mtext><mspace width=\"1em\"/><mn>0</mn>"),
                 escaped(doc, d->row[r].name));
        define(doc, name.text, form, nothing);
    }
}

/* Is velocity k itself one of the speeds? */
static bool is_speed(dal_derivation *d, int k)
{
    const dal_node v = dal_in_speeds(d, dal_n_var(d, d->v + k));
    return !d->mechanism->n_speeds && dal_node_op(d->graph, v) == DAL_OP_VAR && d->letters[dal_node_index(d->graph, v)].role == DAL_ROLE_SPEED;
}

static void write_speeds(dal_document *doc)
{
    dal_derivation *d = doc->d;
    if (!d->quasi)
        return;
    heading(doc, "Speeds");
    for (int j = 0; j < d->p; j++)
        if (!d->mechanism->n_speeds)
            dal_grow(doc->out, in_language(doc, "  %s = %s\n", "\n$%s = %s$\n", "<div class=\"eq\"><math>%s<mo>=</mo>%s</math></div>\n"),
                     spelled(doc, d->letters[d->u + j].name), spelled(doc, d->speed_names[j]));
    for (int k = 0; k < d->nv; k++)
        if (!is_speed(d, k))
            define_node(doc, spelled(doc, d->velocity_names[k]), dal_in_speeds(d, dal_n_var(d, d->v + k)));
}

static void write_named_systems(dal_document *doc)
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
            define_node(doc, in_language(doc, "0", "0", "<mn>0</mn>"), left);
        }
    }
}

/* Prints the normal forms or the equations as derived, whichever have fewer operations. NULL: the equation as derived. */
static const dal_form **choose_forms(dal_document *doc, const dal_form **by)
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
    doc->shorter = 4 * operations > 5 * shared + 20; /* names also take effort to read */
    for (int i = 0; i < d->n_equations && doc->shorter; i++)
        form[i] = NULL;
    if (doc->shorter || doc->writer->plain)
        dal_plain_forms(doc->writer, d->n_equations, nodes);
    return form;
}

static void write_equations(dal_document *doc)
{
    dal_derivation *d = doc->d;
    const dal_form **divided = DAL_NEW(d->arena, const dal_form *, d->n_equations), **forms = choose_forms(doc, divided);
    heading(doc, "Equations of motion");
    for (int i = 0; i < d->n_equations; i++) {
        const dal_form *form = forms[i], *by = form ? divided[i] : NULL;
        if (!form)
            form = dal_plain_form(doc->writer, d->equations[i].zero);
        define_intermediates(doc);
        write_equation(doc, "", form, in_language(doc, " = 0", " = 0", "<mo>=</mo><mn>0</mn>"),
                       (dal_printed){d->equations[i].zero, dal_marked_equation(doc->origins, i), false});
        if (!by)
            continue;
        if (doc->writing == DAL_WRITE_HTML)
            dal_grow(doc->out, "<p class=\"by\">divided by <math>%s</math></p>\n", dal_form_mathml(d, by));
        else if (in_latex(doc))
            dal_grow(doc->out, "\nDivided by $%s$.\n", inline_latex(doc, by));
        else
            dal_grow(doc->out, "    (divided by %s)\n", dal_form_text(d, by, false));
    }
}

/* "(M)[1, 2]" */
static const char *entry_name(const dal_document *doc, const dal_derived_block *block, int i, int j)
{
    dal_arena *arena = doc->d->arena;
    const char *place = block->columns == 1 ? dal_arena_print(arena, "%d", i + 1) : dal_arena_print(arena, "%d, %d", i + 1, j + 1);
    dal_growing name = {.arena = arena};
    dal_grow(
        &name,
        in_language(doc, "(%s)[%s]", "\\left(\\text{%s}\\right)_{%s}", "<msub><mrow><mo>(</mo><mtext>%s</mtext><mo>)</mo></mrow><mn>%s</mn></msub>"),
        escaped(doc, block->name), place);
    return name.text;
}

static void write_matrices(dal_document *doc)
{
    dal_derivation *d = doc->d;
    heading(doc, "Matrices");
    for (int b = 0; b < d->n_blocks; b++) {
        const dal_derived_block *block = &d->blocks[b];
        const bool symmetric = block->row_names == block->column_names && block->rows == block->columns;
        sentence(doc, dal_arena_print(d->arena, "%s, %d x %d: %s", block->name, block->rows, block->columns, block->title));
        for (int i = 0; i < block->rows; i++)
            for (int j = 0; j < block->columns; j++) {
                const int entry = i * block->columns + j;
                if (dal_n_is(d, block->values[entry], 0) || (symmetric && j > i))
                    continue;
                define_printed(doc, entry_name(doc, block, i, j),
                               (dal_printed){block->values[entry], dal_marked_entry(doc->origins, b, entry), block->columns > 1});
            }
    }
}

/* Intermediates from `first` to the one before `end`. */
static void write_steps(dal_document *doc, int first, int end)
{
    const dal_derivation *d = doc->d;
    if (first >= end)
        return;
    heading(doc, "Steps");
    for (int i = first; i < end; i++) {
        sentence(doc, d->step[i].text);
        define_node(doc, spelled(doc, d->step[i].name), d->step[i].value);
    }
}

/* The matrix and the right side of the system that a program would solve. */
static void count_blocks(const dal_document *doc)
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
    for (int s = 0; s < d->n_systems; s++) /* the quantities for its unknowns */
        for (int i = 0; i < d->systems[s].n; i++) {
            for (int j = 0; j < d->systems[s].n; j++)
                *DAL_PUSH(d->arena, nodes, n, room) = d->systems[s].matrix[i * d->systems[s].n + j];
            *DAL_PUSH(d->arena, nodes, n, room) = d->systems[s].right[i];
        }
    dal_count_operations(d, n, nodes, &written, &shared);
    sentence(doc, dal_arena_print(d->arena, "matrices (%s): %.6g operations as derived, %d of them different", names, written, shared));
}

static void write_size(dal_document *doc)
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
    sentence(doc, dal_arena_print(d->arena, "states of a run: %d", dal_system_describe(d->system).states));
    if (doc->writer->plain)
        sentence(doc, dal_arena_print(d->arena, "%d expression%s too large for the normal form: printed as derived, with names for what is shared",
                                      doc->writer->plain, doc->writer->plain == 1 ? " is" : "s are"));
    if (doc->shorter)
        sentence(doc, "the equations are printed as derived, with names for what is shared: that takes fewer operations than their normal forms");
    for (int i = 0; i < d->n_notes; i++)
        sentence(doc, d->notes[i]);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void write_document(dal_document *doc, const dal_derived_formulation *f, bool steps)
{
    write_head(doc, f);
    describe_letters(doc);
    write_rows(doc);
    if (!steps)
        write_energies(doc);
    write_speeds(doc);
    write_steps(doc, steps ? 0 : doc->d->n_general_steps, doc->d->n_steps);
    write_named_systems(doc);
    if (steps || !doc->d->n_equations)
        write_matrices(doc);
    if (doc->d->n_equations)
        write_equations(doc);
    write_size(doc);
}

/* On a page the result comes first. Positions, velocities and matrices are folded after it. */
static void write_html_document(dal_document *doc, const dal_derived_formulation *f, bool steps)
{
    const dal_derivation *d = doc->d;
    write_head(doc, f);
    describe_letters(doc);
    write_rows(doc);
    write_energies(doc);
    write_speeds(doc);
    write_steps(doc, d->n_general_steps, d->n_steps);
    write_named_systems(doc);
    if (d->n_equations)
        write_equations(doc);
    else
        write_matrices(doc);
    write_size(doc);
    if (steps) {
        dal_html_fold(doc, "The derivation, step by step");
        write_steps(doc, 0, d->n_general_steps);
        if (d->n_equations)
            write_matrices(doc);
        dal_html_unfold(doc);
    }
    dal_html_end(doc);
}

static const char latex_head[] = "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n\\raggedright\n";

void dal_write_derivation(dal_growing *out, dal_derivation *d, dal_writing writing, bool steps, int width, bool first, bool last)
{
    dal_document doc = {.out = out, .d = d, .writing = writing, .width = width, .writer = dal_writer_create(d)};
    const dal_derived_formulation *f = d->formulation;
    if (writing == DAL_WRITE_JSON) {
        dal_grow(out, "%s", first ? "[\n" : ",\n");
        dal_write_json_document(&doc, f);
        dal_grow(out, "%s", last ? "]\n" : "");
        return;
    }
    if (writing == DAL_WRITE_HTML) {
        doc.origins = dal_find_origins(d);
        write_html_document(&doc, f, steps);
        return;
    }
    if (writing == DAL_WRITE_LATEX && first)
        dal_grow(out, "%s", latex_head);
    dal_grow(out, "%s", first ? "" : "\n");
    write_document(&doc, f, steps);
    if (writing == DAL_WRITE_LATEX && last)
        dal_grow(out, "\\end{document}\n");
}
