/* Derived equations as files: JSON reads back through the parser with the values that were derived, and LaTeX compiles where pdflatex is installed. */
#include "derived_values.h"
#include "derive/write.h"
#include "json.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const choices[][3] = {{"/n-pendulum.yaml", "joint", "lagrange"},     {"/slider-crank.yaml", "angle", "kane"},
                                         {"/heavy-top.yaml", "natural", "lagrange"},    {"/cart-two-bars.yaml", "user", "gibbs-appell"},
                                         {"/four-bar.yaml", "angle", "component"},      {"/rolling-disc.yaml", "joint", "boltzmann-hamel"},
                                         {"/joints/oldham.yaml", "angle", "component"}, {"/slider-crank-spring.yaml", "euler", "udwadia-kalaba"}};

enum { CHOICES = (int)(sizeof choices / sizeof *choices), MOST_NAMED = 4000 };

static char folder[] = "/tmp/test_derive_files.XXXXXX";

static const char *write_file(pair *p, dal_writing writing, const char *name)
{
    static char path[300];
    dal_growing out = {.arena = &p->arena};
    dal_write_derivation(&out, p->d, writing, true, 100, true, true);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(out.text, file);
    fclose(file);
    return path;
}

static void open_choice(pair *p, const char *const choice[3])
{
    char file[512];
    uint64_t seed = 5;
    snprintf(file, sizeof file, "%s%s", DAL_MODELS, choice[0]);
    if (!open_pair(p, file, NULL, choice[1], choice[2]) || !gallery_random_state(p->state, &seed, 0.13, 0.05, 1))
        fail_msg("%s: %s", file, p->why);
    put_on_sphere(p);
    dal_state_evaluate(p->state, NULL);
    assert_true(derive_pair(p, choice[2], true));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef struct reader {
    dal_derivation *d;
    const json *definitions;
    dal_node named[MOST_NAMED];
} reader;

static dal_node read_text(reader *r, const char *text);

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    reader *r = user;
    char whole[256];
    int i = 0;
    (void)mark;
    (void)hint;
    snprintf(whole, sizeof whole, "%s%.*s", name, primes, "'''");
    for (int k = 0; k < r->d->n_letters; k++)
        if (!strcmp(r->d->letters[k].name, whole) && r->d->letters[k].role < DAL_ROLE_NORM) {
            *value = (dal_value){1, {dal_var(r->d->graph, k)}, 0};
            return true;
        }
    for (const json *z = r->definitions->first; z; z = z->next, i++)
        if (!strcmp(json_get(z, "name")->text, whole)) {
            if (r->named[i] == DAL_NO_NODE)
                r->named[i] = read_text(r, json_get(z, "value")->text);
            *value = (dal_value){1, {r->named[i]}, 0};
            return true;
        }
    return false;
}

static dal_node read_text(reader *r, const char *text)
{
    const dal_parser parser = {.graph = r->d->graph, .resolve = resolve, .user = r};
    dal_node node = DAL_NO_NODE;
    if (!dal_parse_scalar(&parser, text, (dal_mark){0}, &node))
        fail_msg("cannot read %s", text);
    return node;
}

static int compare_text(reader *r, sweep *s, const char *label, const char *text, dal_node node)
{
    dal_node read = read_text(r, text);
    sweep_grow(s);
    sweep_node(s, read);
    sweep_node(s, node);
    if (!(fabs(s->value[read] - s->value[node]) <= 1e-12 * fmax(s->size[read], s->size[node])))
        fail_msg("%s: %s is %.17g, derived %.17g", label, text, s->value[read], s->value[node]);
    return 1;
}

static void json_reads_back_through_the_parser(void **unused)
{
    static reader r;
    int texts = 0;
    (void)unused;
    for (int c = 0; c < CHOICES; c++) {
        pair p;
        json_file file;
        open_choice(&p, choices[c]);
        const json *one = json_open(&file, write_file(&p, DAL_WRITE_JSON, "a.json"))->first;
        r.d = p.d;
        r.definitions = json_get(one, "definitions");
        for (int i = 0; i < MOST_NAMED; i++)
            r.named[i] = DAL_NO_NODE;
        sweep s = sweep_begin(&p);
        texts += compare_text(&r, &s, choices[c][0], json_get(one, "T")->text, p.d->T);
        texts += compare_text(&r, &s, choices[c][0], json_get(one, "V")->text, p.d->V);
        int i = 0;
        for (const json *e = json_get(one, "equations")->first; e; e = e->next)
            texts += compare_text(&r, &s, choices[c][0], json_get(e, "zero")->text, p.d->equations[i++].zero);
        assert_int_equal(i, p.d->n_equations);
        i = 0;
        for (const json *b = json_get(one, "blocks")->first; b; b = b->next, i++) {
            int k = 0;
            for (const json *row = json_get(b, "values")->first; row; row = row->next)
                for (const json *value = row->first; value; value = value->next)
                    texts += compare_text(&r, &s, choices[c][0], value->text, p.d->blocks[i].values[k++]);
            assert_int_equal(k, p.d->blocks[i].rows * p.d->blocks[i].columns);
        }
        for (const json *l = json_get(one, "letters")->first; l; l = l->next)
            for (int k = 0; json_get(l, "means") && k < p.d->n_letters; k++)
                if (!strcmp(p.d->letters[k].name, json_get(l, "name")->text))
                    texts += compare_text(&r, &s, choices[c][0], json_get(l, "means")->text, p.d->letters[k].means);
        sweep_free(&s);
        json_close(&file);
        close_pair(&p);
    }
    print_message("  %d texts\n", texts);
    assert_true(texts > 500);
}

/* ---- LaTeX -------------------------------------------------------------------------------------- */

static void latex_compiles(void **unused)
{
    (void)unused;
    if (system("pdflatex --version > /dev/null 2>&1")) {
        print_message("  pdflatex is not installed (texlive-latex-base): not compiled\n");
        skip();
    }
    for (int c = 0; c < CHOICES; c += 2) {
        pair p;
        char command[900];
        open_choice(&p, choices[c]);
        write_file(&p, DAL_WRITE_LATEX, "a.tex");
        snprintf(command, sizeof command, "cd '%s' && timeout 100 pdflatex -interaction=nonstopmode -halt-on-error a.tex > log.txt 2>&1", folder);
        if (system(command))
            fail_msg("%s, %s: pdflatex fails, see %s/log.txt", choices[c][0], choices[c][2], folder);
        snprintf(command, sizeof command, "grep -E 'Overfull .hbox .([2-9][0-9]|[0-9]{3,})[.0-9]*pt' '%s/a.log'", folder);
        if (!system(command))
            fail_msg("%s, %s: a formula runs 20 pt or more over the edge, see %s/a.log", choices[c][0], choices[c][2], folder);
        close_pair(&p);
    }
}

/* What is wider than a line has no group that TeX does not break; what is narrow stays as it is. */
static void wide_formulas_have_places_to_break(void **unused)
{
    static const struct {
        const char *formula, *broken;
    } cases[] = {{"\\frac{a}{b}\\,\\sin\\left(x + y\\right)", "\\frac{a}{b}\\,\\penalty2000 \\sin\\left(x + y\\right)"},
                 {"\\frac{\\left(aaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbb\\right)\\,c_{1}}{2}",
                  "\\tfrac{1}{2}\\,((aaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbb)\\,\\penalty2000 c_{1})"},
                 {"{\\sqrt{aaaaaaaaaaaaaaaaaaaaaaaaaa + b}}^{2}", "{\\sqrt{aaaaaaaaaaaaaaaaaaaaaaaaaa + b}}^{2}"},
                 {"\\sqrt{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbb}^{2}",
                  "((aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbb)^{1/2})^{2}"}};
    dal_arena arena;
    (void)unused;
    dal_arena_begin(&arena, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(dal_latex_breakable(&arena, cases[i].formula), cases[i].broken);
    assert_true(dal_latex_width("\\ddot{\\mathrm{angle}}_{\\mathrm{pin}}") < 8 && dal_latex_width("\\ddot{\\mathrm{angle}}_{\\mathrm{pin}}") > 6);
    dal_arena_release(&arena);
}

static int begin(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : 1;
}

static int end(void **unused)
{
    char command[100];
    (void)unused;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(json_reads_back_through_the_parser), cmocka_unit_test(latex_compiles),
                                       cmocka_unit_test(wide_formulas_have_places_to_break)};
    return cmocka_run_group_tests(tests, begin, end);
}
