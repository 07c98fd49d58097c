/* Equations as HTML: every formula is well-formed MathML and reads as the text does, and every term says where it comes from. */
#include "derived.h"

#include "derive/origins.h"
#include "derive/write.h"

#include <ctype.h>

/* ---- XML, strictly ------------------------------------------------------------------- */

typedef struct element {
    const char *tag;  /* NULL: text */
    const char *text; /* of text; of elements their class, or "" */
    const char *title, *source;
    size_t length; /* of the source, from < to > */
    struct element **child;
    int n;
    size_t room;
} element;

typedef struct xml {
    dal_arena *arena;
    const char *c;
} xml;

static const char *read_until(xml *x, const char *ends)
{
    const size_t n = strcspn(x->c, ends);
    const char *text = dal_arena_copy(x->arena, x->c, n);
    x->c += n;
    return text;
}

/* Characters as they are meant; < alone, and & that begins no entity, are faults. */
static const char *decoded(xml *x, const char *text)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    dal_growing out = {.arena = x->arena};
    dal_grow(&out, "%s", "");
    for (const char *c = text; *c; c++) {
        assert_true(*c != '<');
        size_t k = 0;
        for (; *c == '&' && k < 5; k++)
            if (!strncmp(c, names[k], strlen(names[k])))
                break;
        if (*c == '&' && k == 5)
            fail_msg("no entity: %.40s", c);
        dal_grow(&out, "%c", *c == '&' ? "&<>\"'"[k] : *c);
        c += *c == '&' ? strlen(names[k]) - 1 : 0;
    }
    return out.text;
}

static element *read_element(xml *x);

static void read_attributes(xml *x, element *e)
{
    while (*x->c == ' ') {
        x->c++;
        const char *name = read_until(x, "= />");
        if (*x->c != '=') { /* HTML: an attribute without a value */
            assert_string_equal(name, "hidden");
            continue;
        }
        assert_true(x->c[1] == '"');
        x->c += 2;
        const char *value = decoded(x, read_until(x, "\""));
        assert_true(*x->c++ == '"');
        assert_true(strncmp(name, "on", 2) != 0 && strcmp(name, "style") != 0); /* neither scripts nor styles */
        if (!strcmp(name, "class"))
            e->text = value;
        if (!strcmp(name, "title"))
            e->title = value;
    }
}

static void read_children(xml *x, element *e)
{
    while (x->c[0] != '<' || x->c[1] != '/') {
        if (!*x->c)
            fail_msg("<%s> does not end", e->tag);
        *DAL_PUSH(x->arena, e->child, e->n, e->room) = read_element(x);
    }
    x->c += 2;
    assert_string_equal(read_until(x, ">"), e->tag);
    x->c++;
}

static element *read_element(xml *x)
{
    element *e = DAL_NEW(x->arena, element, 1);
    e->title = "";
    e->source = x->c;
    if (*x->c != '<') {
        e->text = decoded(x, read_until(x, "<"));
        return e;
    }
    x->c++;
    e->text = "";
    e->tag = read_until(x, " />");
    read_attributes(x, e);
    const bool empty = *x->c == '/';
    x->c += empty;
    assert_true(*x->c++ == '>');
    if (!empty)
        read_children(x, e);
    e->length = (size_t)(x->c - e->source);
    return e;
}

/* ---- MathML as text of the model language ------------------------------------------------ */

typedef struct reader {
    dal_derivation *d;
    const char **mathml; /* of each letter */
    dal_growing *out;
} reader;

static void read_math(const reader *r, const element *e);

static void read_all(const reader *r, const element *e)
{
    for (int i = 0; i < e->n; i++)
        read_math(r, e->child[i]);
}

/* A name of the model whose MathML this is. */
static const char *letter_of(const reader *r, const element *e)
{
    for (int i = 0; i < r->d->n_letters; i++) {
        if (!strncmp(r->mathml[i], e->source, e->length) && !r->mathml[i][e->length])
            return r->d->letters[i].name;
    }
    return NULL;
}

static const char *content(const element *e)
{
    return e->n == 1 && !e->child[0]->tag ? e->child[0]->text : "";
}

static void read_operator(const reader *r, const char *sign)
{
    static const char *const signs[][2] = {{"−", "-"}, {"·", "*"}, {"=", " = "}, {"≤", "<="}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strcmp(sign, signs[i][0])) {
            dal_grow(r->out, "%s", signs[i][1]);
            return;
        }
    dal_grow(r->out, "%s", sign);
}

static void read_two(const reader *r, const element *e, const char *sign)
{
    const bool bracket = !strcmp(e->child[0]->tag, "mo"); /* that of a base in pieces */
    assert_int_equal(e->n, 2);
    dal_grow(r->out, bracket ? "" : "((");
    read_math(r, e->child[0]);
    dal_grow(r->out, bracket ? "%s(" : ")%s(", sign);
    read_math(r, e->child[1]);
    dal_grow(r->out, bracket ? ")" : "))");
}

/* Factors in pieces stand side by side. */
static void read_factor(const reader *r, const element *e)
{
    const int before = r->out->n;
    read_all(r, e);
    const char *text = dal_arena_print(r->d->arena, "%s", r->out->text + before);
    const char last = before ? r->out->text[before - 1] : '(';
    if (text[0] == '*' || strchr("(+-*/=, ", last))
        return;
    r->out->n = before;
    r->out->text[before] = '\0';
    dal_grow(r->out, "*%s", text);
}

static void read_math(const reader *r, const element *e)
{
    if (!e->tag)
        return; /* joiners */
    const char *letter = letter_of(r, e);
    if (letter)
        dal_grow(r->out, "%s", letter);
    else if (!strcmp(e->tag, "mo"))
        read_operator(r, content(e));
    else if (!strcmp(e->tag, "mspace"))
        dal_grow(r->out, "*");
    else if (!strcmp(e->tag, "mn") || !strcmp(e->tag, "mi") || !strcmp(e->tag, "mtext"))
        dal_grow(r->out, "%s", content(e));
    else if (!strcmp(e->tag, "mfrac"))
        read_two(r, e, "/");
    else if (!strcmp(e->tag, "msup"))
        read_two(r, e, "^");
    else if (!strcmp(e->tag, "msub")) /* z1 */
        read_all(r, e);
    else if (!strcmp(e->tag, "msqrt")) {
        dal_grow(r->out, "sqrt(");
        read_all(r, e);
        dal_grow(r->out, ")");
    } else if (!strcmp(e->tag, "span") && !strcmp(e->text, "t f"))
        read_factor(r, e);
    else
        read_all(r, e);
}

/* ---- documents ----------------------------------------------------------------------------- */

static void collect(element *e, const char *class, element **list, int *n)
{
    if (e->tag && (!strcmp(e->text, class) || (!strcmp(class, "eq") && !strcmp(e->text, "eq z"))))
        list[(*n)++] = e;
    for (int i = 0; i < e->n; i++)
        collect(e->child[i], class, list, n);
}

typedef struct names {
    dal_derivation *d;
    dal_node named[4000];
} names;

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    const names *known = user;
    char whole[256];
    (void)mark;
    (void)hint;
    snprintf(whole, sizeof whole, "%s%.*s", name, primes, "'''");
    value->n = 1;
    for (int i = 0; i < known->d->n_letters; i++)
        if (!strcmp(known->d->letters[i].name, whole)) {
            value->node[0] = dal_var(known->d->graph, i);
            return true;
        }
    value->node[0] = name[0] == 'z' && atoi(name + 1) > 0 ? known->named[atoi(name + 1) - 1] : DAL_NO_NODE;
    return value->node[0] != DAL_NO_NODE;
}

static dal_node parse(names *known, const char *text)
{
    const dal_parser parser = {.graph = known->d->graph, .resolve = resolve, .user = known};
    dal_node node = DAL_NO_NODE;
    if (!dal_parse_scalar(&parser, text, (dal_mark){0}, &node))
        fail_msg("cannot read %s", text);
    return node;
}

/* Of a definition, "name = value", what stands right of the sign; of an equation, "expression = 0", the expression. */
static const char *expression_of(dal_arena *arena, const char *line, bool definition)
{
    const char *sign = strstr(line, " = ");
    assert_non_null(sign);
    return definition ? sign + 3 : dal_arena_copy(arena, line, (size_t)(sign - line));
}

static double *random_letters(const dal_derivation *d, uint64_t seed)
{
    double *letters = DAL_NEW(d->arena, double, d->n_letters + 1);
    for (int i = 0; i < d->n_letters; i++)
        letters[i] = d->letters[i].role == DAL_ROLE_NUMBER ? d->letters[i].value : 0.4 + 0.5 * (1 + check_random(&seed));
    return letters;
}

/* The formula of the page and the line of the text are the same expression. */
static void compare_formula(names *page, names *text, const char *formula, const char *line, bool definition)
{
    dal_derivation *d = page->d;
    const char *left = dal_arena_copy(d->arena, formula, strcspn(formula, "="));
    dal_node one = parse(page, expression_of(d->arena, formula, definition)), other = parse(text, expression_of(d->arena, line, definition)),
             both[2] = {one, other};
    double values[2];
    if (one != other) {
        assert_true(dal_derivation_evaluate(d, random_letters(d, 5), 2, both, values));
        if (!(fabs(values[0] - values[1]) <= 1e-12 * (1 + fabs(values[1]))))
            fail_msg("the page has %s (%.17g), the text %s (%.17g)", formula, values[0], line, values[1]);
    }
    int z;
    char rest;
    if (sscanf(left, "z%d %c", &z, &rest) == 1 && z <= 4000) {
        page->named[z - 1] = one;
        text->named[z - 1] = other;
    }
}

/* The next line of the text that is a formula; NULL: none is left. */
static const char *next_line(dal_arena *arena, const char **rest)
{
    while (**rest) {
        const size_t n = strcspn(*rest, "\n");
        const char *line = dal_arena_copy(arena, *rest, n);
        *rest += n + ((*rest)[n] == '\n');
        if (!strncmp(line, "  ", 2) && line[2] != ' ' && strstr(line, " = ") && (!strchr(line, ':') || strstr(line, ": 0 = "))) /* no sentence */
            return line + 2;
    }
    return NULL;
}

static element *read_document(pair *p, bool steps, const char **html)
{
    dal_growing page = {.arena = &p->arena};
    dal_write_derivation(&page, p->d, DAL_WRITE_HTML, steps, 0, true, true);
    *html = page.text;
    xml x = {&p->arena, page.text};
    element *section = read_element(&x);
    assert_string_equal(x.c, "\n");
    return section;
}

static int compare_documents(const char *file, const char *family, const char *formulation)
{
    pair p;
    char path[512];
    uint64_t seed = 3;
    const char *html, *line;
    static names page, plain;
    snprintf(path, sizeof path, "%s%s", DAL_MODELS, file);
    if (!open_pair(&p, path, NULL, family, formulation) || !gallery_random_state(p.state, &seed, 0.13, 0.05, 1) ||
        !derive_pair(&p, formulation, false))
        fail_msg("%s, %s: %s", file, formulation, p.why);
    dal_growing text = {.arena = &p.arena};
    element *section = read_document(&p, false, &html), **equation = DAL_NEW(&p.arena, element *, 4000);
    dal_write_derivation(&text, p.d, DAL_WRITE_TEXT, false, 1000000, true, true);
    const char *rest = strstr(text.text, "\n  coordinates:"), *end = strstr(text.text, "\nSize\n");
    assert_true(rest && end);
    text.text[end - text.text] = '\0';
    int n = 0, i = 0;
    collect(section, "eq", equation, &n);
    page.d = plain.d = p.d;
    const char **mathml = DAL_NEW(&p.arena, const char *, p.d->n_letters);
    for (int k = 0; k < p.d->n_letters; k++)
        mathml[k] = dal_mathml_name(p.d, &p.arena, p.d->letters[k].name);
    for (; (line = next_line(&p.arena, &rest)); i++) {
        dal_growing out = {.arena = &p.arena};
        const reader r = {p.d, mathml, &out};
        dal_grow(&out, "%s", "");
        assert_true(i < n);
        read_all(&r, equation[i]);
        compare_formula(&page, &plain, out.text, line, !strcmp(equation[i]->child[0]->tag, "math"));
    }
    assert_int_equal(i, n);
    close_pair(&p);
    return n;
}

static const char *const systems[][3] = {
    {"/four-bar.yaml", "joint", "lagrange"},
    {"/four-bar.yaml", "joint", "kane"},
    {"/slider-crank.yaml", "angle", "lagrange"},
    {"/n-pendulum.yaml", "joint", "gibbs-appell"},
    {"/double-pendulum-on-cart.yaml", "joint", "routh"},
    {"/cart-two-bars.yaml", NULL, "udwadia-kalaba"},
    {"/four-bar-spring.yaml", "joint", "volterra"},
    {"/whipple-bicycle.yaml", "joint", "maggi"},
    {"/rolling-disc.yaml", "joint", "boltzmann-hamel"},
};

static void every_formula_is_well_formed_and_reads_as_the_text_does(void **unused)
{
    (void)unused;
    int formulas = 0;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        formulas += compare_documents(systems[i][0], systems[i][1], systems[i][2]);
    assert_true(formulas > 300);
}

/* ---- origins ---------------------------------------------------------------------------------- */

static const char cart_pole[] = "dalembert: 1\n"
                                "name: 'Cart <script>alert(\"&\")</script> pole'\n"
                                "space: planar\n"
                                "parameters: {M: 2, m: 0.5, l: 0.8, g: 9.81, F: 3, k: 5, c: 0.1}\n"
                                "gravity: [0, -g]\n"
                                "coordinates: {x: {start: 0.1}, th: {start: 0.5}}\n"
                                "bodies:\n"
                                "  cart: {mass: M, position: [x, 0]}\n"
                                "  bob: {mass: m, from: cart, position: [l*sin(th), -l*cos(th)]}\n"
                                "forces:\n"
                                "  push: {type: force, coordinate: x, value: F}\n"
                                "  brake: {type: force, coordinate: th, value: \"-c*th'\"}\n";

/* The titles of the terms of an equation, in their order. */
static void expect_origins(const element *equation, const char *const *titles)
{
    int n = 0;
    for (int i = 0; i < equation->n; i++)
        if (equation->child[i]->tag && *equation->child[i]->title) {
            assert_non_null(titles[n]);
            assert_string_equal(equation->child[i]->title, titles[n++]);
        }
    assert_null(titles[n]);
}

static void terms_of_a_cart_pole_say_where_they_come_from(void **unused)
{
    (void)unused;
    static const char *const T[] = {"inertia of cart, bob", "inertia of bob", "inertia of bob", NULL}, *const V[] = {"gravity on bob", NULL};
    static const char *const first[] = {"inertia of cart, bob", "inertia of bob", "centrifugal and gyroscopic forces of bob", "force of push", NULL};
    static const char *const second[] = {"inertia of bob", "inertia of bob", "force of brake", "gravity on bob", NULL};
    pair p;
    const char *html;
    element *equation[40];
    int n = 0;
    assert_true(open_pair(&p, "cart.yaml", cart_pole, NULL, "lagrange") && derive_pair(&p, "lagrange", true));
    collect(read_document(&p, true, &html), "eq", equation, &n);
    assert_true(n >= 4);
    assert_null(strstr(html, "<script"));
    expect_origins(equation[0], T);
    expect_origins(equation[1], V);
    expect_origins(equation[2], first);
    expect_origins(equation[3], second);
    close_pair(&p);
}

/* Does the equation change with this marker? */
static bool depends(dal_derivation *d, dal_node marked, int letter)
{
    const dal_node slope = dal_diff(d->graph, marked, letter);
    double value = 0;
    return dal_derivation_evaluate(d, random_letters(d, 11), 1, &slope, &value) && fabs(value) > 1e-9;
}

/* The parts that an equation names are those that it depends on. */
static int check_sources(const char *file, const char *family, const char *formulation)
{
    pair p;
    char path[512];
    uint64_t seed = 3;
    int checked = 0, n;
    snprintf(path, sizeof path, "%s%s", DAL_MODELS, file);
    if (!open_pair(&p, path, NULL, family, formulation) || !gallery_random_state(p.state, &seed, 0.13, 0.05, 1) ||
        !derive_pair(&p, formulation, false))
        fail_msg("%s, %s: %s", file, formulation, p.why);
    dal_origins *o = dal_find_origins(p.d);
    assert_non_null(o);
    dal_writer *w = dal_writer_create(p.d);
    for (int i = 0; i < p.d->n_equations; i++) {
        const dal_printed printed = {p.d->equations[i].zero, dal_marked_equation(o, i), false};
        const dal_form *by = NULL, *form = dal_normal_equation(p.d, printed.node, &by, NULL);
        const dal_signed_form *terms = dal_form_terms(p.d, form ? form : dal_plain_form(w, printed.node), &n);
        dal_term_origin *origin = DAL_NEW(&p.arena, dal_term_origin, n);
        dal_term_origins(o, w, &printed, n, terms, origin);
        dal_growing all = {.arena = &p.arena};
        for (int k = 0; k < n; k++)
            dal_grow(&all, " %s;", origin[k].text);
        dal_derivation *m = dal_marked_derivation(o);
        for (int b = 0; b < p.d->mechanism->n_bodies; b++, checked++) {
            const char *name = p.d->mechanism->bodies[b].name;
            const bool inertia = strstr(all.text, name) != NULL,
                       moves = depends(m, printed.marked, m->first_source + 2 * b) || depends(m, printed.marked, m->first_source + 2 * b + 1);
            if (inertia != moves)
                fail_msg("%s, %s: equation %d %s '%s', its terms are of%s", file, formulation, i, moves ? "depends on" : "is independent of", name,
                         all.text);
        }
    }
    close_pair(&p);
    return checked;
}

static void an_equation_names_the_bodies_that_it_depends_on(void **unused)
{
    (void)unused;
    int checked = 0;
    checked += check_sources("/four-bar.yaml", "joint", "lagrange");
    checked += check_sources("/four-bar.yaml", "joint", "kane");
    checked += check_sources("/slider-crank.yaml", "angle", "lagrange");
    checked += check_sources("/n-pendulum.yaml", "joint", "gibbs-appell");
    checked += check_sources("/double-pendulum-on-cart.yaml", "joint", "volterra");
    checked += check_sources("/slider-crank.yaml", "euler", "kane");
    checked += check_sources("/four-bar.yaml", "natural", "maggi");
    checked += check_sources("/slider-crank.yaml", "natural:eliminate=linear", "gibbs-appell");
    checked += check_sources("/spatial-slider-crank.yaml", "euler", "boltzmann-hamel");
    assert_true(checked > 20);
}

/* m1 and m_1: each name has a form of its own, and those that share one are whole. */
static void names_are_set_apart(void **unused)
{
    static const char text[] = "dalembert: 1\nname: names\nspace: planar\nparameters: {m1: 2, m_1: 3, k: 5}\n"
                               "coordinates: {x: {start: 0.1, rate: 0}, y: {start: 0.1, rate: 0}}\n"
                               "bodies: {b: {mass: m1, position: [x, 0]}, c: {mass: m_1, position: [y, 0]}}\n"
                               "forces: {f: {type: force, coordinate: x, value: -k*x}}\nsimulate: {until: 1}\n";
    pair p;
    (void)unused;
    assert_true(open_pair(&p, "names", text, NULL, "lagrange") && derive_pair(&p, "lagrange", false));
    assert_string_equal(dal_latex_name(p.d, &p.arena, "m1"), "m_{1}");
    assert_string_equal(dal_latex_name(p.d, &p.arena, "m_1"), "\\mathrm{m\\_1}");
    assert_string_equal(dal_mathml_name(p.d, &p.arena, "m1"), "<msub><mi>m</mi><mn>1</mn></msub>");
    assert_string_equal(dal_mathml_name(p.d, &p.arena, "m_1"), "<mi>m_1</mi>");
    for (int i = 0; i < p.d->n_letters; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(p.d->letters[i].name, p.d->letters[k].name))
                assert_string_not_equal(dal_latex_name(p.d, &p.arena, p.d->letters[i].name), dal_latex_name(p.d, &p.arena, p.d->letters[k].name));
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_formula_is_well_formed_and_reads_as_the_text_does),
                                       cmocka_unit_test(terms_of_a_cart_pole_say_where_they_come_from),
                                       cmocka_unit_test(an_equation_names_the_bodies_that_it_depends_on), cmocka_unit_test(names_are_set_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
