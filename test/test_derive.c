/* Equations in symbols against the numeric kernels: the derivation uses no function of kinematics/, tree/ and dynamics/, and every entry that it
 * writes has the value that the kernels find, at random states, over every model, family and formulation that is written in symbols.
 *
 *   test_derive          a sample, of a few seconds
 *   test_derive long     everything, at 20 states
 */
#include "derived.h"

#define dal_term dal_graph_term /* the nodes themselves; a row has a dal_term, too */
#include "expr/graph.h"
#undef dal_term


static bool everything;

/* ---- values ------------------------------------------------------------------------------ */

/* Every node of the graph at one state: its value, and the size of the terms that it is a sum of, which is what rounding is measured by. */
typedef struct sweep {
    dal_derivation *d;
    double *letters, *letter_size; /* sizes of named unknowns */
    double *value, *size;
    bool *solved; /* named systems */
} sweep;

static double letter_value(pair *p, const dal_letter *l)
{
    const dal_state *state = p->state;
    switch (l->role) {
    case DAL_ROLE_TIME: return state->work.t;
    case DAL_ROLE_COORDINATE: return state->work.q[l->index];
    case DAL_ROLE_RATE: return state->work.v[l->index];
    case DAL_ROLE_SPEED: return state->y[p->d->nq + l->index];
    case DAL_ROLE_STATE: return state->y[p->d->nq + p->system->n_w + l->index];
    case DAL_ROLE_INPUT: return 0.7 + 0.1 * l->index;
    default: return l->value;
    }
}

/* [matrix | right 1] by Gauss and Jordan: x and the inverse. */
static void invert(int n, double *m, double *inverse)
{
    for (int i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            best = fabs(m[i * n + c]) > fabs(m[best * n + c]) ? i : best;
        for (int j = 0; j < n; j++) {
            double swap = m[c * n + j];
            m[c * n + j] = m[best * n + j];
            m[best * n + j] = swap;
            swap = inverse[c * n + j];
            inverse[c * n + j] = inverse[best * n + j];
            inverse[best * n + j] = swap;
        }
        const double pivot = m[c * n + c];
        for (int j = 0; j < n; j++) {
            m[c * n + j] /= pivot;
            inverse[c * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == c ? 0 : m[i * n + c];
            for (int j = 0; j < n; j++) {
                m[i * n + j] -= factor * m[c * n + j];
                inverse[i * n + j] -= factor * inverse[c * n + j];
            }
        }
    }
}

/* x of a named system, and its size: |matrix^-1| (size of matrix |x| + size of right). */
static void solve_named(sweep *s, int number)
{
    const dal_named_system *system = &s->d->systems[number];
    const int n = system->n;
    double *m = calloc((size_t)(n * n), sizeof *m), *inverse = calloc((size_t)(n * n), sizeof *m), *x = s->letters + system->first;
    for (int i = 0; i < n * n; i++)
        m[i] = s->value[system->matrix[i]];
    invert(n, m, inverse);
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++)
            x[i] += inverse[i * n + j] * s->value[system->right[j]];
    }
    for (int j = 0; j < n; j++) {
        double residual = s->size[system->right[j]];
        for (int k = 0; k < n; k++)
            residual += s->size[system->matrix[j * n + k]] * fabs(x[k]);
        for (int i = 0; i < n; i++)
            s->letter_size[system->first + i] += fabs(inverse[i * n + j]) * residual;
    }
    s->solved[number] = true;
    free(m);
    free(inverse);
}

static void sweep_variable(sweep *s, const dal_graph_term *t, double *value, double *size)
{
    const dal_letter *l = &s->d->letters[t->index];
    if (l->role == DAL_ROLE_NAMED && !s->solved[l->index])
        solve_named(s, l->index);
    *value = s->letters[t->index];
    *size = l->role == DAL_ROLE_NAMED ? s->letter_size[t->index] : fabs(*value);
}

/* Rounding of a result follows from that of its operands: first-order error analysis with one unit for every operation. */
static void sweep_node(sweep *s, dal_node node)
{
    const dal_graph *g = s->d->graph;
    const dal_graph_term t = g->terms[node];
    const double a = t.a >= 0 ? s->value[t.a] : 0, b = t.b >= 0 ? s->value[t.b] : 0, c = t.c >= 0 ? s->value[t.c] : 0;
    const double A = t.a >= 0 ? s->size[t.a] : 0, B = t.b >= 0 ? s->size[t.b] : 0, C = t.c >= 0 ? s->size[t.c] : 0;
    double value = 0, size = 0;
    switch (t.op) {
    case DAL_OP_CONST: value = t.value, size = fabs(t.value); break;
    case DAL_OP_VAR: sweep_variable(s, &t, &value, &size); break;
    case DAL_OP_ADD:
    case DAL_OP_SUB: value = dal_fold_two((dal_op)t.op, a, b), size = A + B; break;
    case DAL_OP_MUL: value = a * b, size = fmax(A * fabs(b), fabs(a) * B); break;
    case DAL_OP_DIV: value = a / b, size = A / fabs(b) + fabs(value / b) * B; break;
    case DAL_OP_NEG: value = -a, size = A; break;
    case DAL_OP_SIN: value = sin(a), size = fabs(value) + fabs(cos(a)) * A; break;
    case DAL_OP_COS: value = cos(a), size = fabs(value) + fabs(sin(a)) * A; break;
    case DAL_OP_SQRT: value = sqrt(a), size = a > 0 ? value + 0.5 * A / value : 0; break;
    case DAL_OP_ATAN2: value = atan2(a, b), size = fabs(value) + (fabs(b) * A + fabs(a) * B) / (a * a + b * b); break;
    case DAL_OP_POW: value = pow(a, b), size = fabs(value) + fabs(b * value / a) * A; break;
    case DAL_OP_SELECT: value = a != 0 ? b : c, size = a != 0 ? B : C; break;
    case DAL_OP_INTERP: dal_table_value(&g->tables[t.index], t.order, a, &value), size = fabs(value) + A; break;
    default:
        value = t.b >= 0 ? dal_fold_two((dal_op)t.op, a, b) : dal_fold_one((dal_op)t.op, a);
        size = fabs(value) + A + B;
    }
    s->value[node] = value;
    s->size[node] = fmax(size, fabs(value));
}

static sweep sweep_state(pair *p)
{
    dal_derivation *d = p->d;
    const size_t n = (size_t)d->graph->n, m = (size_t)d->n_letters;
    sweep s = {d, calloc(m, sizeof(double)), calloc(m, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)),
               calloc((size_t)d->n_systems + 1, sizeof(bool))};
    for (int i = 0; i < d->n_letters; i++)
        s.letters[i] = letter_value(p, &d->letters[i]);
    for (int i = 0; i < d->n_systems; i++)
        for (int k = 0; k < d->systems[i].n; k++)
            s.letters[d->systems[i].first + k] = 0;
    for (dal_node node = 0; node < d->graph->n; node++)
        sweep_node(&s, node);
    return s;
}

static void sweep_free(sweep *s)
{
    free(s->letters);
    free(s->letter_size);
    free(s->value);
    free(s->size);
    free(s->solved);
}

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
    static const char *const matrix_of[][2] = {{"gamma", "A"}, {"Q - h", "M"}, {"f", "K"}, {"U + K - A", "B"}, {"W^T (Q - h)", "W^T M"}};
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

static void compare_choice(const char *file, const char *family, const char *formulation, int states, tally *t)
{
    pair p;
    char label[256];
    uint64_t seed = 17;
    snprintf(label, sizeof label, "%s, %s, %s", strrchr(file, '/') + 1, family, formulation);
    if (open_pair(&p, file, NULL, family, formulation)) {
        bool derived = false;
        for (int i = 0; i < states; i++) {
            if (!gallery_random_state(p.state, &seed, 0.13, 0.05, 1))
                continue;
            if (!derived && !(derived = derive_pair(&p, formulation, false))) {
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
    int wrong = 0;
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
        wrong += t.wrong;
    }
    gallery_close(&g);
    assert_int_equal(wrong, 0);
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
