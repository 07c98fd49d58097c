/* What `equations` shows is what is solved: the printed matrices, solved here once more by Gauss, give the printed solution, and that
 * is the acceleration of the evaluation. Over every model, family and formulation that shows its equations. */
#include "dalembert/equations.h"
#include "gallery.h"
#include "json.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "state/scratch.h"

#include <unistd.h>

enum { MOST_UNKNOWNS = 150 };

/* ---- the system that the blocks make up ------------------------------------------- */

typedef struct linear {
    int n;
    double *K, *b, *inverse;
} linear;

static void add_place(const dal_equations *e, const dal_equation_place *place, linear *s)
{
    const dal_equation_block *block = &e->blocks[place->block];
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) {
            int row = place->row + (place->transposed ? j : i), column = place->column + (place->transposed ? i : j);
            assert_true(row >= 0 && row < s->n && column >= 0 && column < s->n);
            s->K[row * s->n + column] += place->factor * block->values[(size_t)i * (size_t)block->columns + (size_t)j];
        }
}

static void add_right(const dal_equations *e, const dal_equation_place *place, linear *s)
{
    const dal_equation_block *block = &e->blocks[place->block];
    const double one = 1, *factor = place->times < 0 ? &one : e->blocks[place->times].values;
    assert_true(place->times < 0 ? block->columns == 1 : block->columns == e->blocks[place->times].rows);
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            s->b[place->row + i] += place->factor * block->values[(size_t)i * (size_t)block->columns + (size_t)j] * factor[j];
}

static linear assemble(const dal_equations *e)
{
    const size_t n = (size_t)e->solution.n;
    linear s = {e->solution.n, calloc(n * n, sizeof(double)), calloc(n, sizeof(double)), calloc(n * n, sizeof(double))};
    for (int i = 0; i < e->n_places; i++)
        add_place(e, &e->places[i], &s);
    for (size_t i = 0; i < n && !e->n_places; i++)
        s.K[i * n + i] = 1;
    for (int i = 0; i < e->n_rights; i++)
        add_right(e, &e->rights[i], &s);
    return s;
}

static void release(linear *s)
{
    free(s->K);
    free(s->b);
    free(s->inverse);
}

/* Gauss and Jordan with row pivots, on [K 1]. False: singular. */
static bool invert(linear *s)
{
    const int n = s->n, w = 2 * n;
    double *T = calloc((size_t)n * (size_t)w, sizeof *T);
    bool regular = true;
    for (int i = 0; i < n; i++) {
        memcpy(T + i * w, s->K + i * n, sizeof *T * (size_t)n);
        T[i * w + n + i] = 1;
    }
    for (int c = 0; c < n && regular; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            best = fabs(T[i * w + c]) > fabs(T[best * w + c]) ? i : best;
        regular = fabs(T[best * w + c]) > 0;
        for (int j = 0; j < w && regular; j++) {
            double swap = T[c * w + j];
            T[c * w + j] = T[best * w + j];
            T[best * w + j] = swap;
        }
        double pivot = T[c * w + c];
        for (int j = 0; j < w && regular; j++)
            T[c * w + j] /= pivot;
        for (int i = 0; i < n && regular; i++) {
            double factor = i == c ? 0 : T[i * w + c];
            for (int j = c; j < w && factor != 0; j++)
                T[i * w + j] -= factor * T[c * w + j];
        }
    }
    for (int i = 0; i < n; i++)
        memcpy(s->inverse + i * n, T + i * w + n, sizeof *T * (size_t)n);
    free(T);
    return regular;
}

/* The largest |x| among the unknowns that a block of K multiplies, in the place of each of them. */
static void find_scales(const dal_equations *e, const linear *s, double *scale)
{
    for (int j = 0; j < s->n; j++)
        scale[j] = fabs(e->solution.values[j]);
    for (int g = 0; g < e->n_places; g++) {
        const dal_equation_place *place = &e->places[g];
        const dal_equation_block *block = &e->blocks[place->block];
        int columns = place->transposed ? block->rows : block->columns;
        double most = 0;
        for (int j = 0; j < columns; j++)
            most = fmax(most, scale[place->column + j]);
        for (int j = 0; j < columns; j++)
            scale[place->column + j] = most;
    }
}

static const dal_equation_block *find_block(const dal_equations *e, const char *name)
{
    for (int i = 0; i < e->n_blocks; i++)
        if (!strcmp(e->blocks[i].name, name))
            return &e->blocks[i];
    return NULL;
}

/* [G H] is the pseudo-inverse of [P M; A]. One with rounding in it misses by [G H] times what rounding makes of [P M; A] x: the largest |row| |x| of
 * the block that G or H, `inverse`, belongs to. 0: another formulation. */
static double size_behind(const dal_equations *e, const dal_equation_block *inverse)
{
    const dal_equation_block *of = !find_block(e, "P M")           ? NULL
                                   : inverse == find_block(e, "G") ? find_block(e, "P M")
                                   : inverse == find_block(e, "H") ? find_block(e, "A")
                                                                   : NULL;
    double most = 0;
    for (int r = 0; of && r < of->rows; r++) {
        double sum = 0;
        for (int j = 0; j < of->columns; j++)
            sum += fabs(of->values[r * of->columns + j] * e->solution.values[j]);
        most = fmax(most, sum);
    }
    return most;
}

/* Rows that belong together, those of one block of the right side, have one scale: the largest |K| |x| + |b| among them, with the
 * products that b is a sum of. */
static void find_sizes(const dal_equations *e, const linear *s, double *size)
{
    const int n = s->n;
    double *scale = calloc((size_t)n, sizeof *scale);
    find_scales(e, s, scale);
    for (int g = 0; g < e->n_rights; g++) {
        const dal_equation_place *place = &e->rights[g];
        const dal_equation_block *block = &e->blocks[place->block];
        const double behind = size_behind(e, block);
        double most = 0;
        for (int r = 0; r < block->rows; r++) {
            int i = place->row + r;
            double sum = fabs(s->b[i]);
            for (int j = 0; j < n; j++)
                sum += fabs(s->K[i * n + j]) * scale[j];
            for (int j = 0; j < block->columns && place->times >= 0; j++)
                sum += fabs(block->values[r * block->columns + j]) * (fabs(e->blocks[place->times].values[j]) + behind);
            most = fmax(most, sum);
        }
        for (int r = 0; r < block->rows; r++)
            size[place->row + r] = fmax(size[place->row + r], most);
    }
    free(scale);
}

/* |x - K^-1 b| <= 10 n eps |K^-1| (|K| |x| + |b|): what a backward stable solution of this very system may miss. */
static double worst_over_bound(const dal_equations *e, const linear *s)
{
    const int n = s->n;
    double worst = 0, *size = calloc((size_t)n, sizeof *size);
    find_sizes(e, s, size);
    for (int i = 0; i < n; i++) {
        double x = 0, bound = 0;
        for (int j = 0; j < n; j++) {
            x += s->inverse[i * n + j] * s->b[j];
            bound += fabs(s->inverse[i * n + j]) * size[j];
        }
        bound *= 10 * n * 0x1p-52;
        worst = fmax(worst, fabs(x - e->solution.values[i]) / fmax(bound, 1e-300));
    }
    free(size);
    return worst;
}

/* ---- over the gallery --------------------------------------------------------------- */

/* What a velocity of this name has for an acceleration. */
static double acceleration_of(const dal_equations *e, const char *velocity)
{
    for (int i = 0; i < e->accelerations.n; i++) {
        size_t n = strlen(velocity);
        if (!strncmp(e->accelerations.names[i], velocity, n) && !strcmp(e->accelerations.names[i] + n, "'"))
            return e->accelerations.values[i];
    }
    return NAN;
}

/* The rows of `matrix` are velocities: v' = rest + sign * matrix x. */
static void check_affine(const char *label, const dal_equations *e, const char *matrix, double sign, const char *rest)
{
    const dal_equation_block *X = find_block(e, matrix), *c = find_block(e, rest);
    for (int i = 0; X && c && i < X->rows; i++) {
        double sum = c->values[i], size = fabs(sum), is = acceleration_of(e, X->row_names[i]);
        for (int j = 0; j < X->columns; j++) {
            double term = sign * X->values[i * X->columns + j] * e->solution.values[j];
            sum += term;
            size += fabs(term);
        }
        if (!(fabs(sum - is) <= (X->columns + 2) * 0x1p-52 * size))
            fail_msg("%s: by %s and %s, %s' is %.17g instead of %.17g", label, matrix, rest, X->row_names[i], sum, is);
    }
}

/* The other accelerations: v' = W u' + bias; those of ignorable coordinates, v_2' = c - X v_1'. */
static void check_what_follows(const char *label, const dal_equations *e)
{
    check_affine(label, e, "W", 1, "bias");
    check_affine(label, e, "X", -1, "c");
}

/* The unknowns are what the evaluation found: v' by name, or u' in the order of y. */
static void check_against_evaluation(const char *label, dal_state *state, const dal_equations *e)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    int seen = 0;
    for (int i = 0; i < e->solution.n; i++) {
        for (int k = 0; k < e->accelerations.n; k++)
            if (!strcmp(e->solution.names[i], e->accelerations.names[k])) {
                seen++;
                if (e->solution.values[i] != state->vd[k])
                    fail_msg("%s: %s is %.17g, but %.17g was found", label, e->solution.names[i], e->solution.values[i], state->vd[k]);
            }
    }
    if (seen)
        return;
    assert_true(system->method.formulation->unpack && e->solution.n >= system->n_w);
    for (int k = 0; k < system->n_w; k++)
        if (e->solution.values[k] != state->scratch->yd[layout->nq + k])
            fail_msg("%s: %s is %.17g, but %.17g was found", label, e->solution.names[k], e->solution.values[k], state->scratch->yd[layout->nq + k]);
}

/* An elimination in a fixed order multiplies rounding by what its smallest pivot has lost of its diagonal (saddle_order.h). 1: pivots are chosen. */
static double loss_of_order(const dal_state *state)
{
    const bool ordered = state->system->order.ldl.n > 0 && !state->system->method.formulation->unpack;
    return ordered && state->saddle->ratio > 0 && state->saddle->ratio < 1 ? 1 / state->saddle->ratio : 1;
}

static void check_state(const char *label, dal_state *state, double *worst)
{
    dal_equations *e = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    assert_int_equal(dal_equations_create(NULL, state, messages, &e), DAL_OK);
    assert_true(e->n_blocks > 0 && e->equation[0]);
    assert_int_equal(e->solution.n >= state->system->info.equations, true);
    if (e->solution.n <= MOST_UNKNOWNS) {
        linear s = assemble(e);
        if (!invert(&s))
            fail_msg("%s: the printed matrix is singular", label);
        double over = worst_over_bound(e, &s) / loss_of_order(state);
        *worst = fmax(*worst, over);
        if (!(over <= 1))
            fail_msg("%s: the printed matrices do not give the printed solution (%.3g times the bound)", label, over);
        check_against_evaluation(label, state, e);
        check_what_follows(label, e);
        release(&s);
    }
    dal_equations_free(e);
    dal_messages_free(messages);
}

static int check_choice(const char *file, const dal_family *family, const dal_formulation *formulation, double *worst, int *elsewhere)
{
    char why[512], label[256];
    uint64_t seed = 11;
    dal_system *system = gallery_compile(file, family->name, formulation->name, why);
    if (!system)
        return 0;
    snprintf(label, sizeof label, "%s, %s, %s", strrchr(file, '/') + 1, family->name, formulation->name);
    dal_state *state = dal_state_create(NULL, system);
    if (system->layout.nv <= MOST_UNKNOWNS) {
        check_state(label, state, worst);
        if (gallery_random_state(state, &seed, 0.13, 0.05, 1)) {
            check_state(label, state, worst);
            ++*elsewhere;
        }
    }
    dal_state_free(state);
    dal_system_free(system);
    return 1;
}

static void the_printed_matrices_give_the_accelerations_of_the_evaluation(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    for (int f = 0; dal_formulations[f]; f++) {
        double worst = 0;
        int choices = 0, elsewhere = 0;
        if (!dal_formulations[f]->show)
            continue;
        for (size_t i = 0; i < g.n; i++)
            for (int k = 0; gallery_families[k]; k++)
                choices += check_choice(g.found.gl_pathv[i], gallery_families[k], dal_formulations[f], &worst, &elsewhere);
        print_message("  %-20s %3d models and families, %.2g times the bound of rounding\n", dal_formulations[f]->name, choices, worst);
        assert_true((choices > 0 || dal_formulations[f]->ignores) && elsewhere * 2 >= choices);
    }
    gallery_close(&g);
}

static void every_formulation_shows_its_equations(void **unused)
{
    (void)unused;
    for (int f = 0; dal_formulations[f]; f++)
        if (!dal_formulations[f]->show)
            fail_msg("%s does not", dal_formulations[f]->name);
}

/* ---- udwadia-kalaba: what the blocks are said to be --------------------------------- */

static const dal_equation_block *block_of(const dal_equations *e, const char *name)
{
    const dal_equation_block *found = find_block(e, name);
    if (!found)
        fail_msg("there is no block %s", name);
    return found;
}

/* (a b)_ij */
static double product(const dal_equation_block *a, const dal_equation_block *b, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < a->columns; k++)
        sum += a->values[i * a->columns + k] * b->values[k * b->columns + j];
    return sum;
}

static void the_blocks_of_udwadia_and_kalaba_are_what_they_say(void **unused)
{
    char why[512];
    uint64_t seed = 5;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/spatial-slider-crank.yaml", "natural", "udwadia-kalaba", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    dal_equations *e;
    assert_true(gallery_random_state(state, &seed, 0, 0.05, 1));
    assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
    bool all = state->rank->n == system->layout.n_rows;
    const dal_equation_block *M = block_of(e, "M"), *f = block_of(e, "Q - h"), *a = block_of(e, "a"), *G = block_of(e, "G");
    const dal_equation_block *A = block_of(e, all ? "A" : "A_k");
    double scale = 0;
    for (int i = 0; i < f->rows; i++)
        scale = fmax(scale, fabs(f->values[i]));
    for (int i = 0; i < f->rows; i++)
        check_close(product(M, a, i, 0), f->values[i], 1e-11 * scale);
    for (int i = 0; i < A->rows; i++)
        for (int j = 0; j < A->rows; j++)
            check_close(product(A, G, i, j), i == j, 1e-10);
    dal_equations_free(e);
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- kane ------------------------------------------------------------------------- */

/* K = sum Ti^T Mi Ti from the printed partial velocities and the masses of the model; W spans the motions that A forbids nothing of. */
static void the_blocks_of_kane_are_what_they_say(void **unused)
{
    char why[512];
    uint64_t seed = 9;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/universal-double-pendulum.yaml", "angle", "kane", why);
    dal_system *twin_system = gallery_compile(DAL_MODELS "/universal-double-pendulum.yaml", "angle", "lagrange", why);
    assert_true(system && twin_system);
    dal_state *state = dal_state_create(NULL, system), *twin = dal_state_create(NULL, twin_system);
    dal_equations *e, *first;
    assert_true(gallery_random_state(twin, &seed, 0, 0.05, 1));
    gallery_copy_motion(twin, state);
    assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
    memcpy(twin->work.chart, state->work.chart, sizeof(int) * 3 * (size_t)system->mechanism.n_bodies);
    assert_int_equal(dal_state_adopt(twin, 0, state->work.q, state->work.v), 0);
    assert_int_equal(dal_equations_create(NULL, twin, NULL, &first), DAL_OK);
    const dal_equation_block *K = block_of(e, "K"), *W = block_of(e, "W"), *A = find_block(first, "A");
    double *sum = calloc((size_t)K->rows * (size_t)K->rows, sizeof *sum), largest = 0;
    const int p = K->rows;
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const dal_body *body = &system->mechanism.bodies[b];
        char name[100];
        snprintf(name, sizeof name, "T of %s", body->name);
        const double *T = block_of(e, name)->values;
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++)
                for (int r = 0; r < 3; r++) {
                    sum[i * p + j] += body->mass * T[(3 + r) * p + i] * T[(3 + r) * p + j];
                    for (int c = 0; c < 3; c++)
                        sum[i * p + j] += T[r * p + i] * body->inertia[3 * r + c] * T[c * p + j];
                }
    }
    for (int i = 0; i < p * p; i++)
        largest = fmax(largest, fabs(sum[i]));
    for (int i = 0; i < p * p; i++)
        check_close(K->values[i], sum[i], 1e-13 * largest);
    for (int i = 0; A && i < A->rows; i++)
        for (int j = 0; j < p; j++)
            check_small(product(A, W, i, j), 1e-12);
    for (int i = 0; i < e->accelerations.n; i++)
        check_close(e->accelerations.values[i], first->accelerations.values[i], 1e-9 * (1 + fabs(first->accelerations.values[i])));
    free(sum);
    dal_equations_free(e);
    dal_equations_free(first);
    dal_state_free(state);
    dal_state_free(twin);
    dal_system_free(system);
    dal_system_free(twin_system);
}

/* ---- JSON and text --------------------------------------------------------------------- */

static char *render(const dal_equations *e, bool as_json, int width)
{
    int n = as_json ? dal_equations_json(e, NULL, 0) : dal_equations_text(e, 6, width, NULL, 0);
    char *text = malloc((size_t)n + 1);
    assert_int_equal(as_json ? dal_equations_json(e, text, (size_t)n + 1) : dal_equations_text(e, 6, width, text, (size_t)n + 1), n);
    assert_int_equal(strlen(text), n);
    return text;
}

static void json_carries_every_number_exactly(void **unused)
{
    char why[512], path[] = "/tmp/test_equations.XXXXXX";
    uint64_t seed = 3;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", "euler", "lagrange", why);
    dal_state *state = dal_state_create(NULL, system);
    dal_equations *e;
    assert_true(gallery_random_state(state, &seed, 0, 0.05, 1));
    assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
    char *text = render(e, true, 0);
    int file = mkstemp(path);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    json_file parsed;
    const json *root = json_open(&parsed, path), *blocks = json_get(root, "blocks");
    assert_int_equal(blocks->n, e->n_blocks);
    for (int b = 0; b < e->n_blocks; b++) {
        const json *block = json_at(blocks, b), *values = json_get(block, "values");
        assert_string_equal(json_get(block, "name")->text, e->blocks[b].name);
        assert_int_equal(json_get(block, "rows")->n, e->blocks[b].rows);
        assert_int_equal(json_get(block, "columns")->n, e->blocks[b].columns);
        for (int i = 0; i < e->blocks[b].rows; i++)
            for (int j = 0; j < e->blocks[b].columns; j++)
                assert_true(json_at(json_at(values, i), j)->number == e->blocks[b].values[i * e->blocks[b].columns + j]);
    }
    assert_int_equal(json_get(root, "unknowns")->n, e->solution.n);
    for (int i = 0; i < e->solution.n; i++)
        assert_true(json_at(json_get(root, "solution"), i)->number == e->solution.values[i]);
    assert_int_equal((int)json_get(json_get(root, "sizes"), "velocities")->number, system->layout.nv);
    assert_int_equal(json_get(root, "matrix")->n, e->n_places);
    unlink(path);
    json_close(&parsed);
    free(text);
    dal_equations_free(e);
    dal_state_free(state);
    dal_system_free(system);
}

static void tables_keep_to_the_width(void **unused)
{
    char why[512];
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/andrews.yaml", "natural", "lagrange", why);
    dal_state *state = dal_state_create(NULL, system);
    dal_equations *e;
    assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
    for (int width = 60; width <= 200; width += 35) {
        char *text = render(e, false, width);
        char *rest = NULL;
        int tables = 0;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            if (strncmp(line, "  K", 3) || !strchr(line, '.'))
                continue; /* rows of A: "K5.x' ..." */
            tables++;
            assert_true((int)strlen(line) <= width);
        }
        assert_true(tables > 10);
        free(text);
    }
    dal_equations_free(e);
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- memory ------------------------------------------------------------------------------- */

typedef struct miser {
    long left, held;
} miser;

static void *allocate(void *user, size_t bytes)
{
    miser *m = user;
    if (m->left-- <= 0)
        return NULL;
    m->held++;
    return malloc(bytes);
}

static void give_back(void *user, void *memory)
{
    ((miser *)user)->held -= memory != NULL;
    free(memory);
}

static void without_memory_it_says_so_and_leaves_nothing(void **unused)
{
    char why[512];
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", "natural", "kane", why);
    dal_state *state = dal_state_create(NULL, system);
    dal_status status = DAL_NO_MEMORY;
    long n = 0;
    for (; status == DAL_NO_MEMORY; n++) {
        miser m = {n, 0};
        const dal_allocator poor = {allocate, give_back, &m};
        dal_equations *e;
        status = dal_equations_create(&poor, state, NULL, &e);
        dal_equations_free(e);
        assert_int_equal(m.held, 0);
    }
    assert_int_equal(status, DAL_OK);
    assert_true(n > 2);
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- states ----------------------------------------------------------------------------- */

static dal_status give(dal_state *state, const char *name, double value, double *moved)
{
    dal_given given = {name, value};
    return dal_state_assign(state, 1, &given, NULL, moved);
}

static double coordinate(const dal_equations *e, const char *name)
{
    for (int i = 0; i < e->coordinates.n; i++)
        if (!strcmp(e->coordinates.names[i], name))
            return e->coordinates.values[i];
    for (int i = 0; i < e->velocities.n; i++)
        if (!strcmp(e->velocities.names[i], name))
            return e->velocities.values[i];
    fail_msg("there is no %s", name);
    return 0;
}

static void given_values_are_taken_and_the_rest_follows(void **unused)
{
    static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "maggi", "kane"};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        char why[512];
        double moved, position, velocity;
        dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", "angle", formulations[k], why);
        dal_state *state = dal_state_create(NULL, system);
        dal_equations *e;
        const dal_given both[] = {{"bar1.angle", -1.9}, {"bar1.angle'", 0.7}};
        assert_int_equal(dal_state_assign(state, 2, both, NULL, &moved), DAL_OK);
        check_small(moved, 0);
        assert_int_equal(dal_equations_create(NULL, state, NULL, &e), DAL_OK);
        dal_state_residuals(state, &position, &velocity);
        check_small(position, 1e-11);
        check_small(velocity, 1e-11);
        check_close(coordinate(e, "bar1.angle"), -1.9, 1e-11);
        check_close(coordinate(e, "bar1.angle'"), 0.7, 1e-11);
        /* a rhombus: the third bar is parallel to the first, the coupler stays level */
        check_close(coordinate(e, "bar3.angle"), -1.9 + 3.14159265358979324, 1e-11);
        check_close(coordinate(e, "bar2.angle"), 0, 1e-11);
        check_close(coordinate(e, "bar3.angle'"), 0.7, 1e-11);
        check_close(coordinate(e, "bar1.x"), 2 * cos(-1.9), 1e-11);
        dal_equations_free(e);
        dal_state_free(state);
        dal_system_free(system);
    }
}

static void the_constraints_win_over_given_values(void **unused)
{
    char why[512];
    double moved, position, velocity;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/pendulum.yaml", "angle", "lagrange", why);
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(give(state, "rod.x", 0.9, &moved), DAL_OK); /* it reaches 0.5 */
    check_close(moved, 0.4, 0.01);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    dal_state_residuals(state, &position, &velocity);
    check_small(position, 1e-11);
    assert_int_equal(give(state, "rod.z", 0.9, &moved), DAL_BAD_COMMAND);
    dal_state_free(state);
    dal_system_free(system);
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static dal_status keep_last(void *user, int n, const double *values)
{
    memcpy(user, values, sizeof *values * (size_t)(n < 16 ? n : 16));
    return DAL_OK;
}

static void a_run_hands_over_the_state_that_it_ended_with(void **unused)
{
    char why[512];
    double last[16];
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/pendulum.yaml", "natural", NULL, why);
    dal_state *state = dal_state_create(NULL, system);
    const dal_sink sink = {last, begin, keep_last};
    const dal_run_options options = {.sink = &sink, .final = state};
    dal_evidence evidence;
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    assert_true(dal_state_time(state) == last[0]);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    dal_motion rod = dal_state_body(state, dal_system_body(system, "rod"));
    check_close(atan2(rod.rotation[3], rod.rotation[0]), last[1], 1e-12); /* rod.angle, rod.angle' */
    check_close(rod.omega[2], last[2], 1e-12);
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- the command --------------------------------------------------------------------------- */

static int command(const char *arguments, char *out, size_t size)
{
    char line[1024];
    snprintf(line, sizeof line, "%s equations %s 2>&1", DAL_PROGRAM, arguments);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t n = fread(out, 1, size - 1, pipe);
    out[n] = '\0';
    while (fgetc(pipe) != EOF)
        continue;
    int status = pclose(pipe);
    return status >> 8;
}

static void the_command_answers_and_refuses(void **unused)
{
    static char out[1 << 16];
    (void)unused;
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --coordinates angle --formulation lagrange", out, sizeof out), DAL_OK);
    assert_non_null(strstr(out, "[M A^T; A 0] [v'; -lambda] = [Q - h; gamma]"));
    assert_non_null(strstr(out, "-lambda of hinge 2"));
    assert_int_equal(command(DAL_MODELS "/n-four-bar-spatial.yaml --formulation udwadia-kalaba", out, sizeof out), DAL_BAD_MODEL);
    assert_non_null(strstr(out, "zero moment of inertia"));
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --coordinates angle --state rod.angel=1", out, sizeof out), DAL_BAD_COMMAND);
    assert_non_null(strstr(out, "did you mean 'rod.angle'?"));
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --state rod.angle", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --state ,", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --coordinates angle --state rod.angle=1,rod.angle=2", out, sizeof out), DAL_BAD_COMMAND);
    assert_non_null(strstr(out, "'rod.angle' is given twice"));
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --coordinates joint --state \"hinge.angle'=1e200\"", out, sizeof out), DAL_NUMERICAL);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --time 0x10", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --time -1", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --formulation kanee", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --formulation routh --coordinates angle", out, sizeof out), DAL_BAD_MODEL);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --set q=3", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --digits 0", out, sizeof out), DAL_BAD_COMMAND);
    assert_int_equal(command(DAL_MODELS "/pendulum.yaml --time 0.5 --json", out, sizeof out), DAL_OK);
    assert_non_null(strstr(out, "\"time\": 0.5,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formulation_shows_its_equations),
        cmocka_unit_test(the_printed_matrices_give_the_accelerations_of_the_evaluation),
        cmocka_unit_test(the_blocks_of_udwadia_and_kalaba_are_what_they_say),
        cmocka_unit_test(the_blocks_of_kane_are_what_they_say),
        cmocka_unit_test(json_carries_every_number_exactly),
        cmocka_unit_test(tables_keep_to_the_width),
        cmocka_unit_test(without_memory_it_says_so_and_leaves_nothing),
        cmocka_unit_test(given_values_are_taken_and_the_rest_follows),
        cmocka_unit_test(the_constraints_win_over_given_values),
        cmocka_unit_test(a_run_hands_over_the_state_that_it_ended_with),
        cmocka_unit_test(the_command_answers_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
