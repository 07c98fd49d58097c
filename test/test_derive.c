/* Equations in symbols against the numeric kernels: the derivation uses no function of kinematics/, tree/ and dynamics/, and every entry that it
 * writes has the value that the kernels find, at random states, over every model, family and formulation that is written in symbols.
 *
 *   test_derive          a sample, of a few seconds
 *   test_derive long     everything, at 20 states
 */
#include "derive/derive.h"
#include "dynamics/rank.h"
#include "gallery.h"

#include "state/state_parts.h"

static bool everything;

/* ---- a derivation and a state of the same system -------------------------------------- */

typedef struct pair {
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    dal_arena arena;
    jmp_buf jump;
    dal_derivation *d;
    char why[512];
} pair;

static bool open_pair(pair *p, const char *file, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    memset(p, 0, sizeof *p);
    dal_arena_begin(&p->arena, NULL);
    if (dal_spec_read(NULL, file, 0, NULL, messages, &p->spec) == DAL_OK) {
        dal_spec_set(p->spec, "coordinates", family, messages);
        dal_spec_set(p->spec, "formulation", formulation, messages);
        dal_spec_set(p->spec, "stabilization", "direct-correction=1e-12", messages);
        dal_compile(NULL, p->spec, messages, &p->system);
    }
    if (p->system)
        p->state = dal_state_create(NULL, p->system);
    dal_messages_free(messages);
    return p->state != NULL;
}

static void close_pair(pair *p)
{
    dal_arena_release(&p->arena);
    dal_state_free(p->state);
    dal_system_free(p->system);
    dal_spec_free(p->spec);
}

/* The derivation for the charts, speeds and rows that the state has now. */
static bool derive_pair(pair *p, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_derive_options options = {.formulation = formulation,
                                        .chart = p->state->work.chart,
                                        .speeds = p->state->speeds ? p->state->speeds->column : NULL,
                                        .rows = p->state->rank->order};
    p->arena.guard = &p->jump;
    p->d = setjmp(p->jump) ? NULL : dal_derive(&p->arena, p->spec, p->system, &options, messages);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        snprintf(p->why, sizeof p->why, "%s", m->text);
    dal_messages_free(messages);
    return p->d != NULL;
}

/* ---- values ------------------------------------------------------------------------------ */

static double *letters_of(pair *p)
{
    dal_derivation *d = p->d;
    double *values = DAL_TAKE(&p->arena, double, d->n_letters);
    const dal_state *state = p->state;
    for (int i = 0; i < d->n_letters; i++) {
        const dal_letter *l = &d->letters[i];
        values[i] = l->value;
        switch (l->role) {
        case DAL_ROLE_TIME: values[i] = state->work.t; break;
        case DAL_ROLE_COORDINATE: values[i] = state->work.q[l->index]; break;
        case DAL_ROLE_RATE: values[i] = state->work.v[l->index]; break;
        case DAL_ROLE_SPEED: values[i] = state->y[d->nq + l->index]; break;
        case DAL_ROLE_STATE: values[i] = state->y[d->nq + p->system->n_w + l->index]; break;
        case DAL_ROLE_INPUT: assert_true(dal_state_set_input(p->state, l->name, values[i] = 0.7 + 0.1 * l->index)); break;
        default: break;
        }
    }
    return values;
}

static const dal_equation_block *find_block(const dal_equations *e, const char *name)
{
    for (int i = 0; i < e->n_blocks; i++)
        if (!strcmp(e->blocks[i].name, name))
            return &e->blocks[i];
    return NULL;
}

/* The largest difference, as a share of 1e-12 of the largest entry of its row; of one column, of the block and what its terms may be. */
static double block_error(const dal_derived_block *b, const double *values, const dal_equation_block *numeric, double whole, int *worst_row)
{
    double worst = 0;
    for (int i = 0; i < b->rows; i++) {
        double size = whole;
        for (int j = 0; j < b->columns; j++)
            size = fmax(size, fabs(numeric->values[i * b->columns + j]));
        for (int j = 0; j < b->columns; j++) {
            const double error = fabs(values[i * b->columns + j] - numeric->values[i * b->columns + j]);
            const double share = size > 0 ? error / size : error > 0 ? INFINITY : 0;
            if (!(share <= worst)) {
                worst = share;
                *worst_row = i;
            }
        }
    }
    return worst;
}

typedef struct tally {
    int compared, states, blocks;
    double worst;
} tally;

static void compare_state(pair *p, const char *label, tally *t)
{
    dal_equations *e = NULL;
    double *letters = letters_of(p);
    assert_int_equal(dal_equations_create(NULL, p->state, NULL, &e), DAL_OK);
    for (int i = 0; i < p->d->n_blocks; i++) {
        const dal_derived_block *b = &p->d->blocks[i];
        const dal_equation_block *numeric = find_block(e, b->name);
        if (!numeric)
            continue;
        int row = 0;
        double *values = DAL_TAKE(&p->arena, double, b->rows * b->columns), whole = 0;
        if (numeric->rows != b->rows || numeric->columns != b->columns)
            fail_msg("%s: %s is %d x %d instead of %d x %d", label, b->name, b->rows, b->columns, numeric->rows, numeric->columns);
        assert_true(dal_derivation_evaluate(p->d, letters, b->rows * b->columns, b->values, values));
        for (int k = 0; k < b->rows * b->columns; k++)
            whole = fmax(whole, fabs(numeric->values[k]));
        const double error = block_error(b, values, numeric, b->columns == 1 ? whole : 0, &row);
        t->worst = fmax(t->worst, error);
        t->blocks++;
        if (!(error <= 1e-12)) {
            for (int j = 0; j < b->columns && j < 12; j++)
                print_message("    %s[%d][%d]: %.17g, numeric %.17g\n", b->name, row, j, values[row * b->columns + j],
                              numeric->values[row * b->columns + j]);
            fail_msg("%s: %s differs in row %d by %.3g of its largest entry", label, b->name, row, error);
        }
    }
    t->states++;
    dal_equations_free(e);
}

static void compare_choice(const char *file, const char *family, const char *formulation, int states, tally *t)
{
    pair p;
    char label[256];
    uint64_t seed = 17;
    snprintf(label, sizeof label, "%s, %s, %s", strrchr(file, '/') + 1, family, formulation);
    if (open_pair(&p, file, family, formulation)) {
        bool derived = false;
        for (int i = 0; i < states; i++) {
            if (!gallery_random_state(p.state, &seed, 0.13, 0.05, 1))
                continue;
            if (!derived && !(derived = derive_pair(&p, formulation))) {
                print_message("  refused %s: %s\n", label, p.why);
                break;
            }
            compare_state(&p, label, t);
        }
        t->compared += derived;
    }
    close_pair(&p);
}

static void every_entry_has_the_value_that_the_kernels_find(void **unused)
{
    static const char *const families[] = {"angle", "joint", "user"};
    (void)unused;
    gallery g = gallery_open();
    for (int f = 0; dal_derived_formulations[f]; f++) {
        tally t = {0};
        for (size_t i = 0; i < g.n; i++)
            for (int k = 0; k < 3; k++)
                if (everything || (i + (size_t)k + (size_t)f) % 4 == 0)
                    compare_choice(g.found.gl_pathv[i], families[k], dal_derived_formulations[f]->name, everything ? 20 : 2, &t);
        print_message("  %-20s %3d models and families, %4d states, %5d blocks, worst %.2g\n", dal_derived_formulations[f]->name, t.compared,
                      t.states, t.blocks, t.worst);
        assert_true(t.compared > 0);
    }
    gallery_close(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_has_the_value_that_the_kernels_find)};
    everything = argc > 1 && !strcmp(argv[1], "long");
    if (argc > 3) {
        tally t = {0};
        compare_choice(argv[1], argv[2], argv[3], 3, &t);
        print_message("%d states, %d blocks, worst %.3g\n", t.states, t.blocks, t.worst);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
