/* Equations in symbols against the numeric kernels: the derivation uses no function of kinematics/, tree/ and dynamics/, and every entry that it
 * writes has the value that the kernels find, at random states, over every model, family and formulation that is written in symbols.
 *
 *   test_derive          a sample, of a few seconds
 *   test_derive long     everything, at 20 states
 */
#include "derived_values.h"
#include "derive/write.h"

#include <time.h>

/* ---- against the kernels --------------------------------------------------------------------- */

static const dal_equation_block *find_block(const dal_equations *e, const char *name)
{
    for (int i = 0; i < e->n_blocks; i++)
        if (!strcmp(e->blocks[i].name, name))
            return &e->blocks[i];
    return NULL;
}

typedef struct tally {
    int compared, states, blocks, wrong;
    double worst;
} tally;

static const dal_derived_block *derived_block(const dal_derivation *d, const char *name)
{
    for (int i = 0; i < d->n_blocks; i++)
        if (!strcmp(d->blocks[i].name, name))
            return &d->blocks[i];
    return NULL;
}

/* The largest term of a row. Terms that cancel identically are not written in symbols, but the kernels compute them: products of two velocities
 * with the entries of the row's matrix, in right sides; other entries of a table of partial velocities, in tables. */
static double row_size(const sweep *s, const dal_derived_block *b, int row)
{
    static const char *const matrix_of[][2] = {{"gamma", "A"},    {"Q - h", "M"}, {"f", "K"},         {"f", "B"},
                                               {"G - N_2", "M'"}, {"c", "X"},     {"U + K - A", "B"}, {"W^T (Q - h)", "W^T M"}};
    double size = 0, fastest = 0;
    const dal_derivation *d = s->d;
    for (int k = 0; k < d->nv; k++)
        fastest = fmax(fastest, fabs(s->letters[d->v + k]));
    for (int j = 0; j < b->columns; j++)
        size = fmax(size, s->size[b->values[row * b->columns + j]]);
    for (size_t i = 0; i < sizeof matrix_of / sizeof *matrix_of; i++) {
        const dal_derived_block *m = strcmp(b->name, matrix_of[i][0]) ? NULL : derived_block(d, matrix_of[i][1]);
        for (int j = 0; m && j < m->columns; j++)
            size = fmax(size, s->size[m->values[row * m->columns + j]] * fastest * fastest);
    }
    for (int i = 0; i < b->rows * b->columns && (b->name[0] == 'W' || b->name[0] == 'T'); i++)
        size = fmax(size, s->size[b->values[i]]);
    const double lever = fmin(1, dal_system_describe(d->system).length);
    const bool inertia = !strcmp(b->name, "M") || !strcmp(b->name, "K") || !strcmp(b->name, "B");
    for (int i = 0; i < b->rows * b->columns && (b->columns == 1 || inertia); i++) /* forces, and masses, of other rows by a lever */
        size = fmax(size, s->size[b->values[i]] * (inertia ? lever * lever : lever));
    return size;
}

/* The largest difference as a share of the largest term of its row. */
static double block_error(const sweep *s, const dal_derived_block *b, const dal_equation_block *numeric, int *worst_row)
{
    double worst = 0;
    for (int i = 0; i < b->rows; i++) {
        const double size = row_size(s, b, i);
        for (int j = 0; j < b->columns; j++) {
            const double error = fabs(s->value[b->values[i * b->columns + j]] - numeric->values[i * b->columns + j]);
            const double share = error == 0 ? 0 : size > 0 ? error / size : INFINITY;
            if (!(share <= worst)) {
                worst = share;
                *worst_row = i;
            }
        }
    }
    return worst;
}

static void compare_block(const sweep *s, const char *label, const dal_derived_block *b, const dal_equation_block *numeric, tally *t)
{
    int row = 0;
    if (numeric->rows != b->rows || numeric->columns != b->columns)
        fail_msg("%s: %s is %d x %d instead of %d x %d", label, b->name, b->rows, b->columns, numeric->rows, numeric->columns);
    const double error = block_error(s, b, numeric, &row);
    t->worst = fmax(t->worst, error);
    t->blocks++;
    if (error <= 1e-12)
        return;
    t->wrong++;
    print_message("%s: %s differs in row %d by %.3g of its largest term\n", label, b->name, row, error);
    for (int j = 0; j < b->columns && j < 8; j++)
        print_message("    column %d: %.17g, numeric %.17g, size %.3g\n", j, s->value[b->values[row * b->columns + j]],
                      numeric->values[row * b->columns + j], s->size[b->values[row * b->columns + j]]);
}

static void compare_state(pair *p, const char *label, tally *t)
{
    dal_equations *e = NULL;
    for (int i = 0; i < p->spec->n_inputs; i++)
        assert_true(dal_state_set_input(p->state, p->spec->inputs[i].name.text, 0.7 + 0.1 * i));
    assert_int_equal(dal_equations_create(NULL, p->state, NULL, &e), DAL_OK);
    sweep s = sweep_state(p);
    for (int i = 0; i < p->d->n_blocks; i++) {
        const dal_equation_block *numeric = find_block(e, p->d->blocks[i].name);
        if (numeric)
            compare_block(&s, label, &p->d->blocks[i], numeric, t);
    }
    t->states++;
    sweep_free(&s);
    dal_equations_free(e);
}

/* ---- what is not written in symbols ------------------------------------------------------------ */

/* Reviewed: models that are refused, and why; `speeds`: only under formulations that have speeds. */
static const struct {
    const char *model, *reason;
    bool speeds;
} refused[] = {{"appell-hamel.yaml", "a constraint is not linear in the velocities", true},
               {"constant-speed.yaml", "a constraint is not linear in the velocities", true},
               {"bead-on-hoop.yaml", "the model has sub-systems that are given by their equations", false},
               {"double-pendulum-lagrangian.yaml", "the model has sub-systems that are given by their equations", false},
               {"joined-oscillator.yaml", "the model has sub-systems that are given by their equations", false},
               {"singular-mass.yaml", "the model has sub-systems that are given by their equations", false},
               {"spring-pendulum-lagrangian.yaml", "the model has sub-systems that are given by their equations", false},
               {"massless-node.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"massless-slider.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"maxwell-element.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"springs-in-series-derived.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"bouncing-door.yaml", "force 'frame' of type end-stop", false},
               {"clearance-slider-crank.yaml", "force 'bearing' of type clearance", false},
               {"engine-mounts.yaml", "force 'mountA' of type bushing", false}};

static void expect_refusal(const char *label, const char *model, bool speeds, const char *why)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strcmp(refused[i].model, model) && (speeds || !refused[i].speeds) && !strncmp(why, refused[i].reason, strlen(refused[i].reason)))
            return;
    fail_msg("%s is refused: %s", label, why);
}

/* ---- over the gallery ------------------------------------------------------------------------------ */

static void compare_choice(const char *file, const char *family, const dal_derived_formulation *formulation, int states, tally *t)
{
    pair p;
    char label[256];
    uint64_t seed = 17;
    const char *model = strrchr(file, '/') + 1;
    snprintf(label, sizeof label, "%s, %s, %s", model, family, formulation->name);
    if (open_pair(&p, file, NULL, family, formulation->name)) {
        bool derived = false;
        for (int i = 0; i < states; i++) {
            if (!gallery_random_state(p.state, &seed, 0.13, 0.05, 1))
                continue;
            put_on_sphere(&p);
            if (!derived && !(derived = derive_pair(&p, formulation->name, false))) {
                expect_refusal(label, model, formulation->speeds, p.why);
                break;
            }
            compare_state(&p, label, t);
        }
        t->compared += derived;
    }
    close_pair(&p);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* Models, families and formulations whose steps are looked at. */
static const char *const some_steps[][3] = {{"/n-pendulum.yaml", "joint", "lagrange"},
                                            {"/slider-crank.yaml", "angle", "lagrange"},
                                            {"/heavy-top.yaml", "joint", "lagrange"},
                                            {"/cart-two-bars.yaml", "user", "lagrange"},
                                            {"/satellite.yaml", "angle", "lagrange"},
                                            {"/rolling-disc.yaml", "joint", "lagrange"},
                                            {"/spatial-slider-crank.yaml", "joint", "lagrange"},
                                            {"/heavy-top.yaml", "natural", "lagrange"},
                                            {"/spatial-slider-crank.yaml", "euler", "lagrange"},
                                            {"/four-bar.yaml", "angle", "component"},
                                            {"/slider-crank.yaml", "euler", "component"},
                                            {"/quick-return.yaml", "angle", "component"},
                                            {"/spatial-slider-crank.yaml", "angle", "component"},
                                            {"/rolling-disc.yaml", "euler", "component"},
                                            {"/joints/ellipsograph.yaml", "angle", "component"},
                                            {"/joints/constant-velocity.yaml", "angle", "component"},
                                            {"/joints/steered-skate.yaml", "angle", "component"},
                                            {"/joints/oldham.yaml", "euler", "component"}};

/* Steps whose sides differ, at one state. */
static int wrong_steps(pair *p, const char *label, int *steps)
{
    int wrong = 0;
    sweep s = sweep_state(p);
    for (int k = 0; k < p->d->n_steps; k++) {
        const dal_derived_step *step = &p->d->step[k];
        if (step->check == DAL_NO_NODE)
            continue;
        const double error = fabs(s.value[step->value] - s.value[step->check]), size = fmax(s.size[step->value], s.size[step->check]);
        ++*steps;
        if (error <= 1e-12 * size)
            continue;
        wrong++;
        print_message("%s: %s is %.17g and %.17g\n", label, step->name, s.value[step->value], s.value[step->check]);
    }
    sweep_free(&s);
    return wrong;
}

/* Steps that are wrong at some of the states. */
static int look_at_steps(const char *const choice[3], int states, int *steps)
{
    pair p;
    char file[512];
    uint64_t seed = 23;
    int wrong = 0;
    snprintf(file, sizeof file, "%s%s", DAL_MODELS, choice[0]);
    assert_true(open_pair(&p, file, NULL, choice[1], choice[2]) && derive_pair(&p, choice[2], true));
    for (int n = 0; n < states; n++) {
        if (!gallery_random_state(p.state, &seed, 0.13, 0.05, 1))
            continue;
        put_on_sphere(&p);
        dal_state_evaluate(p.state, NULL);
        wrong += wrong_steps(&p, choice[0], steps);
    }
    close_pair(&p);
    return wrong;
}

#ifndef DAL_MUTANT

static bool everything;

static void every_entry_has_the_value_that_the_kernels_find(void **unused)
{
    static const char *const families[] = {"angle", "joint", "user", "euler", "natural", "natural:eliminate=linear"};
    const int n_families = (int)(sizeof families / sizeof *families);
    (void)unused;
    int wrong = 0;
    gallery g = gallery_open();
    assert_int_equal(glob(DAL_MODELS "/joints/*.yaml", GLOB_APPEND, NULL, &g.found), 0);
    g.n = g.found.gl_pathc;
    for (int f = 0; dal_derived_formulations[f]; f++) {
        tally t = {0};
        for (size_t i = 0; i < g.n; i++)
            for (int k = 0; k < n_families; k++)
                if (everything || (i + (size_t)k + (size_t)f) % (k < 3 ? 2 : 8) == 0)
                    compare_choice(g.found.gl_pathv[i], families[k], dal_derived_formulations[f], everything ? 20 : 2, &t);
        print_message("  %-20s %3d models and families, %4d states, %5d blocks, worst %.2g\n", dal_derived_formulations[f]->name, t.compared,
                      t.states, t.blocks, t.worst);
        assert_true(t.compared > 0);
        wrong += t.wrong;
    }
    gallery_close(&g);
    assert_int_equal(wrong, 0);
}

/* ---- steps, and texts that are read back -------------------------------------------------------------- */

static const char *const some_models[][2] = {{"/n-pendulum.yaml", "joint"},          {"/slider-crank.yaml", "angle"}, {"/heavy-top.yaml", "joint"},
                                             {"/cart-two-bars.yaml", "user"},        {"/satellite.yaml", "angle"},    {"/rolling-disc.yaml", "joint"},
                                             {"/spatial-slider-crank.yaml", "joint"}};

/* A velocity that was found by propagation is the derivative of the position; the energy is that of M; a joint in the variables of its ports is the
 * joint in those of the bodies. */
static void both_sides_of_every_step_are_equal(void **unused)
{
    (void)unused;
    int steps = 0;
    for (size_t i = 0; i < sizeof some_steps / sizeof *some_steps; i++)
        assert_int_equal(look_at_steps(some_steps[i], 20, &steps), 0);
    print_message("  %d equations between two graphs\n", steps);
    assert_true(steps > 5000);
}

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
        char file[512];
        uint64_t seed = 29;
        static text_reader r;
        snprintf(file, sizeof file, "%s%s", DAL_MODELS, some_models[i][0]);
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
    assert_non_null(strstr(out.text, "\\mathrm{m\\_1}"));
    assert_non_null(strstr(out.text, "\\theta_{2}"));
    assert_non_null(strstr(out.text, "\\ddot{\\mathrm{x\\_cart}}"));
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

#endif

#ifdef DAL_MUTANT

/* This program is linked with one file of derive/ that has a wrong term (cmake/mutate.cmake). It passes if the comparison sees it. */
int main(void)
{
    static const char *const cases[][2] = {{"cart-two-bars.yaml", "user"},
                                           {"satellite-boom.yaml", "user"},
                                           {"floating-chain.yaml", "joint"},
                                           {"four-bar-spring.yaml", "joint"},
                                           {"double-pendulum-on-cart-spring.yaml", "joint"},
                                           {"universal-double-pendulum.yaml", "joint"},
                                           {"cart-pole-light.yaml", "joint"},
                                           {"spatial-slider-crank.yaml", "euler"},
                                           {"four-bar-spring.yaml", "natural"},
                                           {"heavy-top.yaml", "natural:eliminate=linear"},
                                           {"joints/constant-velocity.yaml", "angle"}};
    tally t = {0};
    int steps = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int f = 0; dal_derived_formulations[f]; f++) {
            char file[512];
            snprintf(file, sizeof file, "%s/%s", DAL_MODELS, cases[i][0]);
            compare_choice(file, cases[i][1], dal_derived_formulations[f], 2, &t);
        }
    int wrong = 0;
    for (size_t i = 0; i < sizeof some_steps / sizeof *some_steps; i++)
        wrong += look_at_steps(some_steps[i], 1, &steps);
    printf("%d blocks compared, %d are wrong; %d steps, %d are wrong\n", t.blocks, t.wrong, steps, wrong);
    return t.wrong + wrong > 0 ? 0 : 1;
}

#else

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_has_the_value_that_the_kernels_find),
                                       cmocka_unit_test(both_sides_of_every_step_are_equal),
                                       cmocka_unit_test(printed_expressions_read_back_with_their_values),
                                       cmocka_unit_test(printed_constraints_vanish_where_the_constraints_do),
                                       cmocka_unit_test(what_is_not_written_in_symbols_is_refused_by_name),
                                       cmocka_unit_test(names_and_titles_are_escaped_in_latex),
                                       cmocka_unit_test(the_bicycle_takes_few_operations),
                                       cmocka_unit_test(long_chains_are_derived)};
    everything = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
