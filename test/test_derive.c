/* Equations in symbols against the numeric kernels: the derivation uses no function of kinematics/, tree/ and dynamics/, and every entry that it
 * writes has the value that the kernels find, at random states, over every model, family and formulation that is written in symbols.
 *
 *   test_derive          a sample, of a few seconds
 *   test_derive long     everything, at 20 states
 */
#include "derived_blocks.h"
#include "derive/write.h"

#include <time.h>

static bool everything;

static const char *const families[] = {"angle", "joint", "user", "euler", "natural", "natural:eliminate=linear"};
enum { FAMILIES = sizeof families / sizeof *families };

static gallery open_models(void)
{
    gallery g = gallery_open();
    assert_int_equal(glob(DAL_MODELS "/joints/*.yaml", GLOB_APPEND, NULL, &g.found), 0);
    g.n = g.found.gl_pathc;
    return g;
}

/* In the long test, with all steps. */
static void every_entry_has_the_value_that_the_kernels_find(void **unused)
{
    (void)unused;
    int wrong = 0;
    gallery g = open_models();
    for (int f = 0; dal_derived_formulations[f]; f++) {
        tally t = {0};
        for (size_t i = 0; i < g.n; i++)
            for (int k = 0; k < FAMILIES; k++)
                if (everything || (i + (size_t)k + (size_t)f) % (k < 3 ? 2 : 8) == 0)
                    compare_choice(g.found.gl_pathv[i], families[k], dal_derived_formulations[f], everything ? 20 : 2, everything, &t);
        print_message("  %-20s %3d models and families, %4d states, %5d blocks, %6d steps, worst %.2g\n", dal_derived_formulations[f]->name,
                      t.compared, t.states, t.blocks, t.steps, t.worst);
        assert_true(t.compared > 0);
        wrong += t.wrong;
    }
    gallery_close(&g);
    assert_int_equal(wrong, 0);
}

/* Every model that is derived at all, in one family and one formulation, and in that of the ports: which ones changes from model to model. */
static void both_sides_of_every_step_are_equal(void **unused)
{
    int models = 0, n_formulations = 0;
    tally t = {0};
    (void)unused;
    gallery g = open_models();
    while (dal_derived_formulations[n_formulations])
        n_formulations++;
    for (size_t i = 0; i < g.n; i++) {
        bool derived = false;
        for (int k = 0; k < FAMILIES * n_formulations && !derived; k++) {
            const int family = (int)(i + (size_t)k) % FAMILIES, formulation = (int)(i + (size_t)(k / FAMILIES)) % n_formulations;
            derived = compare_choice(g.found.gl_pathv[i], families[family], dal_derived_formulations[formulation], 3, true, &t);
        }
        models += derived;
        if (i % 3 == 0)
            compare_choice(g.found.gl_pathv[i], i % 2 ? "angle" : "euler", dal_find_derived_formulation("component"), 2, true, &t);
    }
    print_message("  %d of %d models, %d equations between two graphs\n", models, (int)g.n, t.steps);
    gallery_close(&g);
    assert_int_equal(t.wrong, 0);
    assert_true(models > 70 && t.steps > 5000);
}

/* ---- what pushes back only beyond an end ------------------------------------------------------------------ */

/* All families and formulations of two models whose stops are touched at the states that are compared, on one side and on the other. */
static void forces_with_if_and_bushings_are_those_of_the_kernels(void **unused)
{
    static const char *const files[] = {DAL_TEST_MODELS "/derive/pushed-back.yaml", DAL_TEST_MODELS "/derive/mounted.yaml"};
    tally t = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int k = 0; k < FAMILIES; k++)
            for (int f = 0; dal_derived_formulations[f]; f++)
                compare_choice(files[i], families[k], dal_derived_formulations[f], everything ? 20 : 3, everything, &t);
    print_message("  %d families and formulations, %d blocks, worst %.2g\n", t.compared, t.blocks, t.worst);
    assert_int_equal(t.wrong, 0);
    assert_true(t.compared > 60);
}

/* ---- momenta ------------------------------------------------------------------------------------ */

/* Four momenta that hang together: the rates of the ignorable coordinates are unknowns of a system. Five that do not: they are written out. */
static void the_routhian_of_many_momenta_is_that_of_the_kernels(void **unused)
{
    static const struct {
        const char *file;
        int momenta;
        bool named;
    } cases[] = {{DAL_TEST_MODELS "/derive/coaxial-rotors.yaml", 4, true}, {DAL_TEST_MODELS "/derive/free-top.yaml", 5, false}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally t = {0};
        pair p;
        for (int f = 0; dal_derived_formulations[f]; f++)
            compare_choice(cases[i].file, "user", dal_derived_formulations[f], everything ? 20 : 3, true, &t);
        print_message("  %d formulations, %d blocks, %d steps, worst %.2g\n", t.compared, t.blocks, t.steps, t.worst);
        assert_int_equal(t.wrong, 0);
        assert_int_equal(t.compared, 10); /* all but those of ports and of trees */
        assert_true(open_pair(&p, cases[i].file, NULL, "user", "routh") && derive_pair(&p, "routh", false));
        assert_int_equal(p.d->layout->n_ignorable, cases[i].momenta);
        assert_true((p.d->n_systems > 0) == cases[i].named);
        close_pair(&p);
    }
}

/* ---- texts that are read back -------------------------------------------------------------- */

static const char *const some_models[][2] = {
    {DAL_MODELS "/n-pendulum.yaml", "joint"},           {DAL_MODELS "/slider-crank.yaml", "angle"},      {DAL_MODELS "/heavy-top.yaml", "joint"},
    {DAL_MODELS "/cart-two-bars.yaml", "user"},         {DAL_MODELS "/satellite.yaml", "angle"},         {DAL_MODELS "/rolling-disc.yaml", "joint"},
    {DAL_MODELS "/spatial-slider-crank.yaml", "joint"}, {DAL_TEST_MODELS "/derive/offsets.yaml", "user"}};

typedef struct text_reader {
    dal_derivation *d;
    dal_node named[4000]; /* intermediates */
} text_reader;

static bool resolve_text(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    const text_reader *r = user;
    char whole[256];
    (void)mark;
    (void)hint;
    snprintf(whole, sizeof whole, "%s%.*s", name, primes, "'''");
    value->n = 1;
    for (int i = 0; i < r->d->n_letters; i++)
        if (!strcmp(r->d->letters[i].name, whole)) {
            value->node[0] = dal_var(r->d->graph, i);
            return true;
        }
    value->node[0] = name[0] == 'z' ? r->named[atoi(name + 1) - 1] : DAL_NO_NODE;
    return value->node[0] != DAL_NO_NODE;
}

static dal_node read_text(const text_reader *r, const char *text)
{
    const dal_parser parser = {.graph = r->d->graph, .resolve = resolve_text, .user = (void *)r};
    dal_node node = DAL_NO_NODE;
    if (!dal_parse_scalar(&parser, text, (dal_mark){0}, &node))
        fail_msg("cannot read %s", text);
    return node;
}

/* An entry, printed and read back. */
static dal_node print_and_read(text_reader *r, dal_writer *w, dal_node node)
{
    const int known = w->n_intermediates;
    const dal_form *form = dal_some_form(w, node);
    assert_true(w->n_intermediates <= 4000);
    for (int z = known; z < w->n_intermediates; z++)
        r->named[z] = read_text(r, dal_form_text(r->d, w->intermediate[z].form, false));
    return read_text(r, dal_form_text(r->d, form, false));
}

/* Every entry of every block, printed and read back, has its value: the normal form, its printing, and names for what is shared. */
static void printed_expressions_read_back_with_their_values(void **unused)
{
    (void)unused;
    int entries = 0;
    for (size_t i = 0; i < sizeof some_models / sizeof *some_models; i++) {
        pair p;
        const char *file = some_models[i][0];
        uint64_t seed = 29;
        static text_reader r;
        assert_true(open_pair(&p, file, NULL, some_models[i][1], "kane"));
        assert_true(gallery_random_state(p.state, &seed, 0.13, 0.05, 1) && derive_pair(&p, "kane", false));
        r.d = p.d;
        dal_writer *w = dal_writer_create(p.d);
        for (int b = 0; b < p.d->n_blocks; b++) {
            const int n = p.d->blocks[b].rows * p.d->blocks[b].columns;
            dal_node *read = DAL_NEW(&p.arena, dal_node, n);
            for (int k = 0; k < n; k++)
                read[k] = print_and_read(&r, w, p.d->blocks[b].values[k]);
            sweep s = sweep_state(&p);
            for (int k = 0; k < n; k++, entries++) {
                const dal_node node = p.d->blocks[b].values[k];
                if (!(fabs(s.value[read[k]] - s.value[node]) <= 1e-12 * fmax(s.size[read[k]], s.size[node])))
                    fail_msg("%s: %s[%d] is %.17g, read back %.17g", file, p.d->blocks[b].name, k, s.value[node], s.value[read[k]]);
            }
            sweep_free(&s);
        }
        close_pair(&p);
    }
    assert_true(entries > 200);
}

/* A number in an angle is part of the angle, and numbers of many digits stay letters: nothing is printed as it was derived. */
static void angles_with_numbers_and_long_numbers_have_normal_forms(void **unused)
{
    pair p;
    (void)unused;
    assert_true(open_pair(&p, DAL_TEST_MODELS "/derive/offsets.yaml", NULL, "user", "lagrange") && derive_pair(&p, "lagrange", false));
    for (int i = 0; i < p.d->n_equations; i++) {
        const dal_form *form = dal_normal_equation(p.d, p.d->equations[i].zero, NULL, NULL);
        assert_non_null(form);
        const char *text = dal_form_text(p.d, form, false);
        if (strstr(text, ")^2 + cos") || !strstr(text, "''"))
            fail_msg("%s", text);
    }
    assert_int_equal(p.d->n_notes, 1);
    assert_non_null(strstr(p.d->notes[0], "numbers of more than four digits"));
    close_pair(&p);
}

/* A printed constraint is the constraint: at states that are off it, it has its value but for a constant factor. */
static void printed_constraints_vanish_where_the_constraints_do(void **unused)
{
    static const char *const files[] = {"slider-crank.yaml", "quick-return.yaml", "spatial-slider-crank.yaml", "robot-leg.yaml", "bricard.yaml"};
    int rows = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pair p;
        char file[512];
        double factor[100] = {0};
        dal_node read[100] = {0};
        uint64_t seed = 41;
        static text_reader r;
        snprintf(file, sizeof file, "%s/%s", DAL_MODELS, files[i]);
        assert_true(open_pair(&p, file, NULL, "angle", "lagrange"));
        assert_true(gallery_random_state(p.state, &seed, 0.13, 0.05, 1) && derive_pair(&p, "lagrange", false));
        assert_true(p.d->n_rows <= 100);
        r.d = p.d;
        for (int k = 0; k < p.d->n_rows; k++) {
            const dal_form *form = p.d->row[k].phi == DAL_NO_NODE ? NULL : dal_normal_constraint(p.d, p.d->row[k].phi);
            read[k] = form ? read_text(&r, dal_form_text(p.d, form, false)) : DAL_NO_NODE;
        }
        for (int states = 0; states < 4; states++) {
            double *q = p.state->work.q;
            for (int k = 0; k < p.d->nq; k++)
                q[k] += 0.3 * check_random(&seed);
            sweep s = sweep_state(&p);
            for (int k = 0; k < p.d->n_rows; k++) {
                if (read[k] == DAL_NO_NODE)
                    continue;
                const double ratio = s.value[p.d->row[k].phi] / s.value[read[k]];
                factor[k] = states ? factor[k] : ratio;
                if (!(fabs(ratio - factor[k]) <= 1e-9 * fabs(factor[k])))
                    fail_msg("%s: constraint %s is printed with a factor of %.17g at one state, and %.17g at another", file, p.d->row[k].name,
                             factor[k], ratio);
                rows++;
            }
            sweep_free(&s);
        }
        close_pair(&p);
    }
    assert_true(rows > 100);
}

/* ---- what is refused --------------------------------------------------------------------------------- */

static void what_is_not_written_in_symbols_is_refused_by_name(void **unused)
{
    pair p;
    (void)unused;
    assert_true(open_pair(&p, DAL_MODELS "/four-bar.yaml", NULL, "natural", "lagrange"));
    assert_false(derive_pair(&p, "recursive", false));
    assert_int_equal(strncmp(p.why, "the recursion goes along the joint tree", 39), 0);
    close_pair(&p);
}

/* ---- names that LaTeX would misread -------------------------------------------------------------------- */

static void names_and_titles_are_escaped_in_latex(void **unused)
{
    static const char model[] = "dalembert: 1\nname: 'a $ & % # _ { } ~ ^ \\input b'\nspace: planar\nparameters: {m_1: 2, theta2: 3, k: 5}\n"
                                "coordinates: {x_cart: {start: 0}}\nbodies: {b_1: {mass: m_1 + theta2, position: [x_cart, 0]}}\n"
                                "forces: {f: {type: force, coordinate: x_cart, value: -k*x_cart}}\n";
    pair p;
    (void)unused;
    assert_true(open_pair(&p, "text", model, NULL, "lagrange") && derive_pair(&p, "lagrange", false));
    dal_growing out = {.arena = &p.arena};
    dal_write_derivation(&out, p.d, DAL_WRITE_LATEX, true, 100, true, true);
    assert_non_null(strstr(out.text, "a \\$ \\& \\% \\# \\_ \\{ \\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{}input b"));
    assert_non_null(strstr(out.text, "m_{1}"));
    assert_non_null(strstr(out.text, "\\theta_{2}"));
    assert_non_null(strstr(out.text, "\\ddot{x}_{\\mathrm{cart}}"));
    assert_non_null(strstr(out.text, "\\[ \\frac{d}{dt}"));
    assert_null(strstr(out.text, "\\input"));
    close_pair(&p);
}

/* ---- size ------------------------------------------------------------------------------------------------- */

/* M and f of Kane's equations of the Whipple bicycle: every operation counted once, those of the entries of named systems with them. SymPy's
 * equations of the same bicycle take 2,367 after common subexpressions. */
static void the_bicycle_takes_few_operations(void **unused)
{
    pair p;
    tally t = {0};
    uint64_t seed = 37;
    double written;
    int shared, n = 0;
    (void)unused;
    assert_true(open_pair(&p, DAL_TEST_MODELS "/whipple-bicycle.yaml", NULL, "angle", "kane"));
    assert_true(gallery_random_state(p.state, &seed, 0, 0.02, 1));
    const clock_t begin = clock();
    assert_true(derive_pair(&p, "kane", false));
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const dal_derived_block *K = derived_block(p.d, "K"), *f = derived_block(p.d, "f");
    dal_node nodes[4000];
    for (int i = 0; i < K->rows * K->columns; i++)
        nodes[n++] = K->values[i];
    for (int i = 0; i < f->rows; i++)
        nodes[n++] = f->values[i];
    for (int k = 0; k < p.d->n_systems; k++) {
        const dal_named_system *system = &p.d->systems[k];
        assert_true(n + system->n * (system->n + 1) <= 4000);
        for (int i = 0; i < system->n * system->n; i++)
            nodes[n++] = system->matrix[i];
        for (int i = 0; i < system->n; i++)
            nodes[n++] = system->right[i];
    }
    dal_count_operations(p.d, n, nodes, &written, &shared);
    print_message("  bicycle: %d operations, %.3f s\n", shared, seconds);
    assert_true(shared <= 2367);
    compare_state(&p, "bicycle", &t);
    assert_int_equal(t.wrong, 0);
    close_pair(&p);
}

/* The number of nodes of a chain grows with the cube of its length at most: entries of M are sums over the bodies behind both joints. */
static void long_chains_are_derived(void **unused)
{
    pair p;
    dal_messages *messages = dal_messages_create(NULL);
    const dal_override N = {"N", "60"};
    tally t = {0};
    uint64_t seed = 31;
    (void)unused;
    memset(&p, 0, sizeof p);
    dal_arena_begin(&p.arena, NULL);
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-pendulum.yaml", 1, &N, messages, &p.spec), DAL_OK);
    dal_spec_set(p.spec, "coordinates", "joint", messages);
    dal_spec_set(p.spec, "formulation", "lagrange", messages);
    dal_spec_set(p.spec, "stabilization", "direct-correction=1e-12", messages);
    assert_int_equal(dal_compile(NULL, p.spec, messages, &p.system), DAL_OK);
    p.state = dal_state_create(NULL, p.system);
    const clock_t begin = clock();
    assert_true(derive_pair(&p, "lagrange", false));
    print_message("  60 links: %d nodes, %.2f s\n", dal_graph_size(p.d->graph), (double)(clock() - begin) / CLOCKS_PER_SEC);
    assert_true(dal_graph_size(p.d->graph) < 3 * 60 * 60 * 60);
    assert_true(gallery_random_state(p.state, &seed, 0, 0.05, 1));
    compare_state(&p, "60 links", &t);
    assert_int_equal(t.wrong, 0);
    close_pair(&p);
    dal_messages_free(messages);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_has_the_value_that_the_kernels_find),
                                       cmocka_unit_test(both_sides_of_every_step_are_equal),
                                       cmocka_unit_test(forces_with_if_and_bushings_are_those_of_the_kernels),
                                       cmocka_unit_test(the_routhian_of_many_momenta_is_that_of_the_kernels),
                                       cmocka_unit_test(printed_expressions_read_back_with_their_values),
                                       cmocka_unit_test(angles_with_numbers_and_long_numbers_have_normal_forms),
                                       cmocka_unit_test(printed_constraints_vanish_where_the_constraints_do),
                                       cmocka_unit_test(what_is_not_written_in_symbols_is_refused_by_name),
                                       cmocka_unit_test(names_and_titles_are_escaped_in_latex),
                                       cmocka_unit_test(the_bicycle_takes_few_operations),
                                       cmocka_unit_test(long_chains_are_derived)};
    everything = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
