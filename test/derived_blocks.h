/* Blocks and steps of a derivation against the numeric kernels: for tests. */
#ifndef DAL_TEST_DERIVED_BLOCKS_H
#define DAL_TEST_DERIVED_BLOCKS_H

#include "derived_values.h"

/* ---- against the kernels --------------------------------------------------------------------- */

static inline const dal_equation_block *find_block(const dal_equations *e, const char *name)
{
    for (int i = 0; i < e->n_blocks; i++)
        if (!strcmp(e->blocks[i].name, name))
            return &e->blocks[i];
    return NULL;
}

typedef struct tally {
    int compared, states, blocks, steps, wrong;
    double worst;
} tally;

static inline const dal_derived_block *derived_block(const dal_derivation *d, const char *name)
{
    for (int i = 0; i < d->n_blocks; i++)
        if (!strcmp(d->blocks[i].name, name))
            return &d->blocks[i];
    return NULL;
}

/* The largest term of a row. Terms that cancel identically are not written in symbols, but the kernels compute them: products of two velocities
 * with the entries of the row's matrix, in right sides; other entries of a table of partial velocities, in tables. */
static inline double row_size(const sweep *s, const dal_derived_block *b, int row)
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
static inline double block_error(const sweep *s, const dal_derived_block *b, const dal_equation_block *numeric, int *worst_row)
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

static inline void compare_block(const sweep *s, const char *label, const dal_derived_block *b, const dal_equation_block *numeric, tally *t)
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

static inline void compare_state(pair *p, const char *label, tally *t)
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
               {"massless-node.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"massless-slider.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"maxwell-element.yaml", "the model has a constraint that follows from the balance of forces", false},
               {"springs-in-series-derived.yaml", "the model has a constraint that follows from the balance of forces", false}};

static inline void expect_refusal(const char *label, const char *model, bool speeds, const char *why)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strcmp(refused[i].model, model) && (speeds || !refused[i].speeds) && !strncmp(why, refused[i].reason, strlen(refused[i].reason)))
            return;
    fail_msg("%s is refused: %s", label, why);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* Steps whose sides differ, at one state. A velocity that was found by propagation is the derivative of the position; the energy is that of M; a joint
 * in the variables of its ports is the joint in those of the bodies. */
static inline void compare_steps(pair *p, const char *label, tally *t)
{
    sweep s = sweep_state(p);
    for (int k = 0; k < p->d->n_steps; k++) {
        const dal_derived_step *step = &p->d->step[k];
        if (step->check == DAL_NO_NODE)
            continue;
        const double error = fabs(s.value[step->value] - s.value[step->check]), size = fmax(s.size[step->value], s.size[step->check]);
        t->steps++;
        if (error <= 1e-12 * size)
            continue;
        t->wrong++;
        print_message("%s: %s is %.17g and %.17g\n", label, step->name, s.value[step->value], s.value[step->check]);
    }
    sweep_free(&s);
}

/* ---- a model, a family, a formulation -------------------------------------------------------------------- */

/* Every block, and with `steps` every step, at so many states. True: the model was derived. */
static inline bool compare_choice(const char *file, const char *family, const dal_derived_formulation *formulation, int states, bool steps, tally *t)
{
    pair p;
    char label[256];
    uint64_t seed = 17;
    bool derived = false;
    const char *model = strrchr(file, '/') + 1;
    snprintf(label, sizeof label, "%s, %s, %s", model, family, formulation->name);
    if (open_pair(&p, file, NULL, family, formulation->name)) {
        for (int i = 0; i < states; i++) {
            if (!gallery_random_state(p.state, &seed, 0.13, 0.05, 1))
                continue;
            put_on_sphere(&p);
            if (!derived && !(derived = derive_pair(&p, formulation->name, steps))) {
                expect_refusal(label, model, formulation->speeds, p.why);
                break;
            }
            compare_state(&p, label, t);
            if (steps)
                compare_steps(&p, label, t);
        }
        t->compared += derived;
    }
    close_pair(&p);
    return derived;
}

#endif
