/* Large models: sparse ranks and assembly give what the dense ones give, and time and memory grow with the model. */
#include "gallery.h"
#include "dynamics/reactions.h"

#include "joint/joint.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "math/sparse_rank.h"
#include "dynamics/row_rank.h"

#include <time.h>

/* ---- ranks -------------------------------------------------------------------------- */

enum { MOST_ROWS = 160, MOST_COLUMNS = 120, MOST_ENTRIES = 12 };

typedef struct rows {
    int r, m, start[MOST_ROWS + 1], column[MOST_ROWS * MOST_ENTRIES];
    double value[MOST_ROWS * MOST_ENTRIES];
} rows;

/* Rows of four entries among neighbouring columns, as of loops in a chain; some are sums of two others, as of redundant joints. */
static void fill_rows(rows *a, int r, int m, double dependent, uint64_t *seed)
{
    static double full[MOST_ROWS][MOST_COLUMNS];
    int own[2] = {-1, -1}; /* the last rows that are no sums */
    memset(full, 0, sizeof full);
    *a = (rows){.r = r, .m = m};
    for (int i = 0; i < r; i++) {
        const int first = (int)((double)i / r * (m - 6));
        const bool sum = own[0] >= 0 && fabs(check_random(seed)) < dependent;
        for (int j = 0; j < m; j++)
            if (sum)
                full[i][j] = 1.37 * full[own[1]][j] - 0.618 * (i % 2 ? full[own[0]][j] : 0);
            else if (j >= first && j < first + 6 && (j - first + i) % 3 < 2)
                full[i][j] = copysign(0.3, check_random(seed)) + check_random(seed);
        if (!sum)
            own[0] = own[1], own[1] = i;
        int n = 0;
        a->start[i + 1] = a->start[i];
        for (int j = 0; j < m && n < MOST_ENTRIES; j++)
            if (full[i][j] != 0) {
                a->column[a->start[i + 1]] = j;
                a->value[a->start[i + 1]++] = full[i][j];
                n++;
            }
    }
}

/* -1: a singular value is small but not zero. Rows that are kept may be worse conditioned than all of them by some orders. */
static int dense_rank(const rows *a, double *least)
{
    double *A = calloc((size_t)a->r * (size_t)a->m, sizeof *A), *work = malloc(sizeof *work * dal_rank_work(a->r, a->m));
    double *sigma = malloc(sizeof *sigma * (size_t)(a->r + a->m));
    int *order = malloc(sizeof *order * (size_t)a->r);
    for (int i = 0; i < a->r; i++) {
        double sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * a->value[k];
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            A[(size_t)i * (size_t)a->m + (size_t)a->column[k]] = sum > 0 ? a->value[k] / sqrt(sum) : 0;
    }
    int rank = dal_rank_rows(A, a->r, a->m, a->m, DAL_RANK_TOLERANCE, a->r, order, NULL, work);
    dal_rank_svd(A, a->r, a->m, a->m, DAL_RANK_TOLERANCE, sigma, NULL, NULL, work);
    for (int i = 0; i < a->r && i < a->m; i++)
        if (sigma[i] > 1e-13 && sigma[i] < 1e-3)
            rank = -1;
    if (least)
        *least = sigma[a->r - 1];
    free(A), free(work), free(sigma), free(order);
    return rank;
}

static int count(const double *pivot, int n)
{
    int positive = 0;
    for (int i = 0; i < n; i++)
        positive += pivot[i] > 0;
    return positive;
}

static void sparse_rows_have_the_rank_of_the_dense_ones(void **unused)
{
    static rows a;
    double pivot[MOST_ROWS];
    uint64_t seed = 1736;
    int clear = 0;
    (void)unused;
    for (int trial = 0; trial < 200; trial++) {
        const int m = 10 + (int)(100 * fabs(check_random(&seed))), r = 5 + (int)(m * (0.3 + 0.9 * fabs(check_random(&seed))));
        fill_rows(&a, r < MOST_ROWS ? r : MOST_ROWS, m, trial % 3 ? 0.3 : 0, &seed);
        const dal_sparse_matrix A = {a.r, a.m, a.start, a.column, a.value};
        const int rank = dal_sparse_rank(NULL, &A, DAL_RANK_TOLERANCE, NULL, pivot), dense = dense_rank(&a, NULL);
        assert_int_equal(rank, count(pivot, a.r));
        if (dense >= 0)
            assert_int_equal(rank, dense);
        clear += dense >= 0;
    }
    assert_true(clear > 100);
}

/* What is left out depends on what stays: the chosen rows alone have the whole rank. */
static void the_rows_that_stay_have_the_whole_rank(void **unused)
{
    static rows a, chosen;
    double pivot[MOST_ROWS];
    bool late[MOST_ROWS];
    uint64_t seed = 1743;
    (void)unused;
    for (int trial = 0; trial < 60; trial++) {
        fill_rows(&a, 60, 70, 0.4, &seed);
        for (int i = 0; i < a.r; i++)
            late[i] = check_random(&seed) > 0.6;
        const dal_sparse_matrix A = {a.r, a.m, a.start, a.column, a.value};
        const int rank = dal_sparse_rank(NULL, &A, DAL_RANK_TOLERANCE, late, pivot);
        int early = 0, early_rank;
        if (dense_rank(&a, NULL) < 0)
            continue;
        for (int pass = 0; pass < 2; pass++) { /* all that stay, and all that are asked first */
            chosen = (rows){.m = a.m};
            for (int i = 0; i < a.r; i++) {
                if (pass ? late[i] : pivot[i] == 0)
                    continue;
                const int n = a.start[i + 1] - a.start[i];
                memcpy(chosen.column + chosen.start[chosen.r], a.column + a.start[i], sizeof *a.column * (size_t)n);
                memcpy(chosen.value + chosen.start[chosen.r], a.value + a.start[i], sizeof *a.value * (size_t)n);
                chosen.start[chosen.r + 1] = chosen.start[chosen.r] + n;
                chosen.r++;
            }
            early_rank = dense_rank(&chosen, NULL);
            if (!pass && early_rank >= 0)
                assert_int_equal(early_rank, rank);
        }
        if (early_rank < 0)
            continue;
        for (int i = 0; i < a.r; i++)
            early += !late[i] && pivot[i] > 0;
        assert_int_equal(early, early_rank); /* none of them was left out for a late one */
    }
}

/* Many groups of rows that share all their columns, a row in every tenth of them a sum of two others. */
static void rows_in_many_small_groups_have_a_rank(void **unused)
{
    enum { GROUPS = 2200, ROWS = 20, COLUMNS = 24, ALL = GROUPS * ROWS };
    int *start = malloc(sizeof *start * (ALL + 1)), *column = malloc(sizeof *column * ALL * COLUMNS);
    double *value = malloc(sizeof *value * ALL * COLUMNS), *pivot = malloc(sizeof *pivot * ALL);
    uint64_t seed = 1747;
    (void)unused;
    for (int i = 0; i <= ALL; i++)
        start[i] = COLUMNS * i;
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < COLUMNS; k++) {
            double *at = value + start[i] + k;
            column[start[i] + k] = i / ROWS * COLUMNS + k;
            *at = i % (10 * ROWS) == ROWS - 1 ? at[-COLUMNS] + at[-5 * COLUMNS] : check_random(&seed);
        }
    const dal_sparse_matrix A = {ALL, GROUPS * COLUMNS, start, column, value};
    assert_int_equal(dal_sparse_rank(NULL, &A, DAL_RANK_TOLERANCE, NULL, pivot), ALL - GROUPS / 10);
    free(start), free(column), free(value), free(pivot);
}

static void rows_that_are_no_numbers_have_no_rank(void **unused)
{
    static rows a;
    double pivot[MOST_ROWS];
    uint64_t seed = 1752;
    (void)unused;
    fill_rows(&a, 20, 30, 0, &seed);
    a.value[7] = NAN;
    const dal_sparse_matrix A = {a.r, a.m, a.start, a.column, a.value};
    assert_int_equal(dal_sparse_rank(NULL, &A, DAL_RANK_TOLERANCE, NULL, pivot), DAL_RANK_NOT_FINITE);
}

/* [1 A^T; A 0] by columns, rows of A at unit norm. */
static dal_sparse *factor_saddle(const rows *a)
{
    static int start[MOST_ROWS + MOST_COLUMNS + 1], row[4 * MOST_ROWS * MOST_ENTRIES];
    static double value[4 * MOST_ROWS * MOST_ENTRIES];
    int n = 0;
    for (int j = 0; j < a->m + a->r; j++) {
        start[j] = n;
        if (j < a->m)
            row[n] = j, value[n++] = 1;
        for (int i = j < a->m ? 0 : j - a->m; i < (j < a->m ? a->r : j - a->m + 1); i++) {
            double sum = 0;
            for (int k = a->start[i]; k < a->start[i + 1]; k++)
                sum += a->value[k] * a->value[k];
            for (int k = a->start[i]; k < a->start[i + 1]; k++)
                if (j >= a->m || a->column[k] == j)
                    row[n] = j < a->m ? a->m + i : a->column[k], value[n++] = a->value[k] / sqrt(sum);
        }
    }
    start[a->m + a->r] = n;
    dal_sparse *sparse = dal_sparse_create(NULL, a->m + a->r, start, row);
    assert_non_null(sparse);
    dal_sparse_factor(sparse, value, true);
    return sparse;
}

static void the_smallest_singular_value_is_found_to_a_factor_of_two(void **unused)
{
    static rows a;
    static double x[MOST_ROWS + MOST_COLUMNS];
    uint64_t seed = 1788;
    int tried = 0;
    (void)unused;
    for (int trial = 0; trial < 100; trial++) {
        double least;
        fill_rows(&a, 40, 90, 0, &seed);
        if (dense_rank(&a, &least) < a.r || least < 1e-6)
            continue; /* the factor does not see it */
        dal_sparse *sparse = factor_saddle(&a);
        const double found = dal_sparse_least(sparse, a.m, a.r, x);
        if (!(found > 0.99 * least && found < 2 * least))
            fail_msg("%.3g was found, and it is %.3g", found, least);
        dal_sparse_free(sparse);
        tried++;
    }
    assert_true(tried > 30);
}

/* The scaled rows of a state, as the system has them: sparse and dense. */
static void compare_ranks(const char *file, const dal_system *system)
{
    const dal_layout *layout = &system->layout;
    const int r = layout->n_rows, m = layout->nv;
    dal_state *state = dal_state_create(NULL, system);
    double *A = calloc((size_t)r * (size_t)m + 1, sizeof *A), *work = malloc(sizeof *work * dal_rank_work(r, m));
    double *value = calloc((size_t)layout->n_values + 1, sizeof *value), *pivot = malloc(sizeof *pivot * (size_t)(r + 1));
    int *start = malloc(sizeof *start * (size_t)(r + 1)), *order = malloc(sizeof *order * (size_t)(r + 1));
    dal_state_unpack(state, 0, state->y);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_scaled_rows(state, A, NULL);
    start[0] = 0;
    for (int i = 0; i < r; i++) {
        const dal_row_layout *at = &layout->row[i];
        start[i] = at->value;
        start[i + 1] = at->value + at->n_values;
        for (int k = at->value; k < at->value + at->n_values; k++)
            value[k] = A[(size_t)i * (size_t)m + (size_t)layout->column[k]];
    }
    const dal_sparse_matrix sparse = {r, m, start, layout->column, value};
    const int dense = dal_rank_rows(A, r, m, m, DAL_RANK_TOLERANCE, r, order, NULL, work);
    const int found = r ? dal_sparse_rank(NULL, &sparse, DAL_RANK_TOLERANCE, NULL, pivot) : 0;
    if (found != dense)
        fail_msg("%s, %s: rank %d by sparse and %d by dense rows", file, layout->family->name, found, dense);
    free(A), free(work), free(value), free(pivot), free(start), free(order);
    dal_state_free(state);
}

static void every_model_has_the_same_rank_both_ways(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int compared = 0;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char why[512];
            dal_system *system = gallery_compile(g.found.gl_pathv[i], gallery_families[f]->name, NULL, why);
            if (!system)
                continue;
            compare_ranks(g.found.gl_pathv[i], system);
            dal_system_free(system);
            compared++;
        }
    gallery_close(&g);
    assert_true(compared > 50);
}

/* ---- the tree ------------------------------------------------------------------------- */

static int freedoms_of(const dal_joint *joint)
{
    int n = 0;
    for (const char *motion = joint->type->planar.motion; *motion; motion += motion[2] ? 3 : 2)
        n += *motion != 'L';
    return n;
}

/* Of all joints that lead outside the best, looked for each time: fewest freedoms, least depth, first in the file. */
static void grow_by_search(const dal_mechanism *m, int *carries)
{
    bool inside[64] = {false};
    int depth[64] = {0};
    for (int n = 0; n < m->n_bodies;) {
        int best = -1, best_freedoms = 0, best_depth = 0, child = -1;
        for (int j = 0; j < m->n_joints; j++)
            for (int k = 0; k < 2; k++) {
                const int from = m->joints[j].marker[k].body, to = m->joints[j].marker[1 - k].body;
                if (to == DAL_GROUND || inside[to] || (from != DAL_GROUND && !inside[from]))
                    continue;
                const int freedoms = freedoms_of(&m->joints[j]), d = from == DAL_GROUND ? 0 : depth[from];
                if (best < 0 || freedoms < best_freedoms || (freedoms == best_freedoms && d < best_depth))
                    best = j, best_freedoms = freedoms, best_depth = d, child = to;
            }
        for (int b = 0; best < 0 && child < 0; b++)
            child = inside[b] ? -1 : b;
        if (best >= 0)
            carries[best] = child;
        inside[child] = true;
        depth[child] = best_depth + 1;
        n++;
    }
}

static void the_tree_is_that_of_an_exhaustive_search(void **unused)
{
    static const char *const types[] = {"revolute", "prismatic", "rigid", "distance", "revolute"};
    uint64_t seed = 1957;
    (void)unused;
    for (int trial = 0; trial < 300; trial++) {
        dal_arena arena;
        dal_mechanism m;
        int carries[200];
        dal_arena_begin(&arena, NULL);
        dal_mechanism_begin(&m, &arena, DAL_PLANAR);
        m.n_bodies = 2 + (int)(50 * fabs(check_random(&seed)));
        m.n_joints = (int)(2.5 * m.n_bodies * fabs(check_random(&seed)));
        m.bodies = DAL_NEW(&arena, dal_body, m.n_bodies);
        m.joints = DAL_NEW(&arena, dal_joint, m.n_joints);
        for (int j = 0; j < m.n_joints; j++) {
            m.joints[j].type = dal_joint_type_find(types[(int)(5 * fabs(check_random(&seed)))]);
            m.joints[j].drive = carries[j] = -1;
            for (int k = 0; k < 2; k++)
                m.joints[j].marker[k].body = (int)((m.n_bodies + 2) * fabs(check_random(&seed))) % (m.n_bodies + 1) - 1;
        }
        grow_by_search(&m, carries);
        const dal_tree *tree = dal_tree_build(&arena, &m, NULL);
        for (int j = 0; j < m.n_joints; j++)
            assert_int_equal(tree->carries[j], carries[j]);
        dal_arena_release(&arena);
    }
}

/* ---- assembly --------------------------------------------------------------------------- */

/* N mechanisms side by side that do not know of each other: a four-bar linkage with hinges in space (three rows too many), whose start
 * values are wrong or missing, and a body that hangs on it. One is assembled on dense matrices, a hundred on sparse ones. */
static const char *const units =
    "dalembert: 1\n"
    "space: spatial\n"
    "parameters: {N: %d}\n"
    "gravity: [0, -9.81, 0.3]\n"
    "ground: {points: {P: {repeat: {i: 1..N}, at: [0, 0, 0]}, Q: {repeat: {i: 1..N}, at: [1.31, 0.05, 0]}}}\n"
    "bodies:\n"
    "  a: {repeat: {i: 1..N}, mass: 1.3, center: [0.11, 0.02, 0.03], inertia: [0.2, 0.3, 0.25], position: [0.02, 0.31, 0.01], velocity: [0.3, 0.1, "
    "0],"
    " points: {A: [0, -0.3, 0], B: [0, 0.37, 0]}}\n"
    "  b: {repeat: {i: 1..N}, mass: 0.7, inertia: [0.2, 0.1, 0.25], points: {L: [-0.6, 0, 0], R: [0.66, 0, 0]}}\n"
    "  c: {repeat: {i: 1..N}, mass: 0.9, inertia: [0.2, 0.3, 0.25], position: [1.3, 0.33, 0.02], angular-velocity: [0, 0, -0.7],"
    " points: {A: [0, -0.3, 0], B: [0, 0.41, 0]}}\n"
    "  f: {repeat: {i: 1..N}, mass: 0.4, inertia: [0.1, 0.1, 0.15], center: [0.1, 0.2, 0], position: [3, 3, 1], points: {A: [0, -0.3, 0]}}\n"
    "joints:\n"
    "  pa: {repeat: {i: 1..N}, type: revolute, connect: [\"ground.P.{i}\", \"a.{i}.A\"], axis: [[0, 0, 1], [0, 0, 1]], start: {rate: -0.41}}\n"
    "  ab: {repeat: {i: 1..N}, type: revolute, connect: [\"a.{i}.B\", \"b.{i}.L\"], axis: [[0, 0, 1], [0, 0, 1]]}\n"
    "  bc: {repeat: {i: 1..N}, type: revolute, connect: [\"b.{i}.R\", \"c.{i}.B\"], axis: [[0, 0, 1], [0, 0, 1]]}\n"
    "  pc: {repeat: {i: 1..N}, type: revolute, connect: [\"ground.Q.{i}\", \"c.{i}.A\"], axis: [[0, 0, 1], [0, 0, 1]]}\n"
    "  cf: {repeat: {i: 1..N}, type: spherical, connect: [\"c.{i}.B\", \"f.{i}.A\"]}\n";

static dal_system *compile_units(int n, const char *family)
{
    char text[3000];
    snprintf(text, sizeof text, units, n);
    return gallery_compile_text(text, family, "lagrange");
}

static void many_mechanisms_are_assembled_like_one(void **unused)
{
    enum { MANY = 100 };
    (void)unused;
    dal_system *one = compile_units(1, "angle"), *many = compile_units(MANY, "angle");
    const double tolerance = 1e-8; /* steps end at 1e-14 of the length, and what is omitted has a millionth of the weight */
    double speed = 0;
    assert_true(one->layout.small && !many->layout.small);
    assert_int_equal(many->rank, MANY * one->rank);
    assert_true(many->rank < many->layout.n_rows);
    for (int k = 0; k < 4; k++) {
        const dal_start *alone = &one->start[k];
        for (int i = 0; i < 3; i++)
            speed += fabs(alone->rd[i]) + fabs(alone->w[i]);
        for (int j = 0; j < MANY; j += 33) {
            const dal_start *among = &many->start[k * MANY + j];
            for (int i = 0; i < 3; i++) {
                check_close(among->r[i], alone->r[i], tolerance);
                check_close(among->rd[i], alone->rd[i], tolerance); /* they follow the positions */
                check_close(among->w[i], alone->w[i], tolerance);
            }
            for (int i = 0; i < 9; i++)
                check_close(among->R[i], alone->R[i], tolerance);
        }
    }
    assert_true(speed > 1); /* something moves at all */
    dal_system_free(one);
    dal_system_free(many);
}

/* Rows that were left out or not: the motion is that of one mechanism alone. */
static void many_mechanisms_accelerate_like_one(void **unused)
{
    static const char *const families[] = {"angle", "joint"};
    enum { MANY = 130 };
    (void)unused;
    for (int f = 0; f < 2; f++) {
        dal_system *one = compile_units(1, families[f]), *many = compile_units(MANY, families[f]);
        dal_state *alone = dal_state_create(NULL, one), *among = dal_state_create(NULL, many);
        assert_true(!many->layout.small);
        assert_int_equal(many->rank, MANY * one->rank);
        for (int s = 0; s < 2; s++) {
            dal_state *state = s ? among : alone;
            assert_int_equal(dal_state_unpack(state, 0, state->y), 0);
            assert_int_equal(dal_state_accelerate(state), 0);
            dal_need(state, DAL_STAGE_BODIES);
        }
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) {
                check_close(among->reactions->body[k * MANY + 57].rdd[i], alone->reactions->body[k].rdd[i], 1e-8);
                check_close(among->reactions->body[k * MANY + 57].alpha[i], alone->reactions->body[k].alpha[i], 1e-8);
            }
        /* reactions of the hinges are not unique in one, nor here; that of the ball joint hangs together with them */
        dal_need(among, DAL_STAGE_REACTIONS);
        for (int k = 0; k < 6; k++)
            assert_true(among->reactions->loose[6 * 57 + k]);
        dal_state_free(alone), dal_state_free(among);
        dal_system_free(one), dal_system_free(many);
    }
}

/* ---- growth ------------------------------------------------------------------------------- */

typedef struct counter {
    size_t bytes, most;
} counter;

static void *take_counted(void *user, size_t bytes)
{
    counter *c = user;
    size_t *block = malloc(bytes + 16);
    if (!block)
        return NULL;
    *block = bytes;
    c->bytes += bytes;
    c->most = c->bytes > c->most ? c->bytes : c->most;
    return (char *)block + 16;
}

static void release_counted(void *user, void *memory)
{
    counter *c = user;
    if (!memory)
        return;
    size_t *block = (size_t *)(void *)((char *)memory - 16);
    c->bytes -= *block;
    free(block);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct cost {
    double compile, step; /* seconds */
    size_t memory;
} cost;

/* One compile and a few steps of N four-bar linkages; exact starts, or wrong ones that are assembled. */
static cost measure(int n, const char *family, bool assembled)
{
    char number[20];
    counter c = {0, 0};
    const dal_allocator allocator = {.allocate = take_counted, .release = release_counted, .user = &c};
    snprintf(number, sizeof number, "%d", n);
    const dal_override overrides[] = {{"N", number}, {"m", assembled ? "1.37" : "1"}};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    double begin = cpu_seconds();
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar-tree.yaml", 2, overrides, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", family, messages);
    dal_spec_set(spec, "stabilization", "mass-projection", messages);
    if (assembled)
        for (int b = 0; b < spec->n_bodies; b++) {
            spec->bodies[b].angle.text = b % 2 ? "1.5808" : "1.5608";
            if (b > n)
                spec->bodies[b].angle.text = "0.01", spec->bodies[b].velocity.n = 0, spec->bodies[b].rate.text = NULL;
        }
    if (dal_compile(&allocator, spec, messages, &system) != DAL_OK)
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            if (m->severity == DAL_ERROR)
                fail_msg("N = %d, %s: %s", n, family, m->text);
    cost found = {.compile = cpu_seconds() - begin};
    assert_int_equal(system->rank, system->layout.n_rows);
    assert_int_equal(system->layout.nv - system->rank, 1);
    dal_state *state = dal_state_create(&allocator, system);
    found.memory = c.most;
    begin = cpu_seconds();
    for (int i = 0; i < 4; i++) {
        assert_int_equal(dal_state_unpack(state, 0, state->y), 0);
        assert_int_equal(dal_state_accelerate(state), 0);
        assert_int_equal(system->method.stabilization->project(state, 0, state->y), 0);
    }
    found.step = (cpu_seconds() - begin) / 4;
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return found;
}

static cost least_cost(int n, const char *family, bool assembled)
{
    cost least = measure(n, family, assembled);
    for (int i = 0; i < 2; i++) {
        const cost again = measure(n, family, assembled);
        least.compile = fmin(least.compile, again.compile);
        least.step = fmin(least.step, again.step);
    }
    return least;
}

/*
 * Ten times the model: ten times the memory, and ten times the time but for noise and caches (the smaller model fits into one,
 * the larger one does not), for which a factor of five is left. A square would show as a factor of 100.
 */
static void cost_grows_with_the_model(void **unused)
{
    static const char *const families[] = {"angle", "joint"};
#ifdef CHECK_WATCHED
    const int few = 250, many = 1000;
#else
    const int few = 400, many = 4000;
#endif
    (void)unused;
    for (int f = 0; f < 2; f++)
        for (int assembled = 0; assembled < 2; assembled++) {
            const cost small = least_cost(few, families[f], assembled), large = measure(many, families[f], assembled);
            print_message("  %s%s: N = %d compiles in %.3f s, a step in %.4f s, %.1f MB; N = %d: %.3f s, %.4f s, %.1f MB\n", families[f],
                          assembled ? ", assembled" : "", few, small.compile, small.step, 1e-6 * (double)small.memory, many, large.compile,
                          large.step, 1e-6 * (double)large.memory);
            assert_true(large.memory < 13 * small.memory); /* the same on every machine */
            assert_true(large.compile < 50 * small.compile);
            assert_true(large.step < 50 * small.step);
        }
}

static void a_thousand_bodies_take_steps(void **unused)
{
    static const char *const families[] = {"angle", "joint"};
    const dal_override overrides[] = {{"N", "400"}};
    double energy[2][2];
    (void)unused;
    for (int f = 0; f < 2; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        dal_evidence evidence;
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar-tree.yaml", 1, overrides, messages, &spec), DAL_OK);
        dal_spec_set(spec, "coordinates", families[f], messages);
        dal_spec_set(spec, "until", "0.05", messages);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
        const dal_run_options options = {0};
        assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
        energy[f][0] = evidence.energy_start;
        energy[f][1] = evidence.energy_end;
        check_close(energy[f][1] / energy[f][0], 1, 1e-9);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    check_close(energy[0][1] / energy[1][1], 1, 1e-9);
}

/* ---- singular positions ---------------------------------------------------------------------- */

/* All rods of N four-bar linkages lie in one line again and again, and there each loop could fold over by itself. On their branch the
 * cranks stay parallel: a'' = g K sin a, K = ((N + 1)/2 + N) / ((N + 1)/3 + N), a(0) = 0, a'(0) = -1. */
static double crank_at(int n, double until)
{
    const double K = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
    const int steps = 100000;
    const double h = until / steps;
    double a = 0, w = -1;
    for (int i = 0; i < steps; i++) {
        const double k1 = K * sin(a), k2 = K * sin(a + h / 2 * w), k3 = K * sin(a + h / 2 * w + h * h / 4 * k1),
                     k4 = K * sin(a + h * w + h * h / 2 * k2);
        a += h * w + h * h / 6 * (k1 + k2 + k3);
        w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return a;
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    assert_int_equal(n, 7); /* time, v.0.B.x, v.0.B.y, ... */
    return DAL_OK;
}

static dal_status keep(void *user, int n, const double *values)
{
    memcpy(user, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

/* More velocities than are solved with care. Four passages. */
static void large_assemblies_pass_singular_positions_on_their_branch(void **unused)
{
    (void)unused;
#ifdef CHECK_WATCHED
    const int most = 160;
#else
    const int most = 400;
#endif
    for (int n = 160; n <= most; n += 120) {
        char size[20];
        const dal_override set = {"N", size};
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        double last[7] = {0};
        dal_sink sink = {.user = last, .begin = begin, .row = keep};
        dal_run_options options = {.sink = &sink};
        dal_evidence evidence;
        snprintf(size, sizeof size, "%d", n);
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar-tree.yaml", 1, &set, messages, &spec), DAL_OK);
        dal_spec_set(spec, "coordinates", "joint", messages);
        dal_spec_set(spec, "formulation", "recursive", messages);
        dal_spec_set(spec, "until", "3.5", messages);
        dal_spec_set(spec, "every", "0.5", messages);
        dal_spec_set(spec, "rtol", "1e-9", messages);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
        assert_false(system->layout.careful);
        assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
        const double a = crank_at(n, last[0]), error = hypot(last[1] + sin(a), last[2] - cos(a));
        print_message("  N = %d: %.3f s, place of the first crank off by %.1e, residual %.1e\n", n, last[0], error, evidence.position_residual);
        check_close(last[0], 3.5, 1e-12);
        check_small(error, 1e-6); /* rtol 1e-9, some hundred steps */
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* Nothing contradicts the rates of an open chain, however long it is: each joint starts with its own, and a body turns with the sum. */
static void rates_of_long_chains_are_met(void **unused)
{
    (void)unused;
    enum { N = 300 };
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {N: 300}\nbodies:\n"
        "  rod: {repeat: {i: 1..N}, mass: 1, inertia: 0.1, center: [0.5, 0.02], points: {E: [1, 0]}}\njoints:\n"
        "  root: {type: revolute, connect: [ground, rod.1], start: {angle: 0.2*cos(1), rate: 0.1*sin(2)}}\n"
        "  link: {repeat: {i: 2..N}, type: revolute, connect: [rod.{i-1}.E, rod.{i}], start: {angle: 0.2*cos(i), rate: 0.1*sin(2*i)}}\n";
    static const char *const families[] = {"joint", "angle"};
    for (int f = 0; f < 2; f++) {
        dal_system *system = gallery_compile_text(text, families[f], "lagrange");
        assert_non_null(system);
        dal_state *state = dal_state_create(NULL, system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        double sum = 0;
        for (int b = 0; b < N; b++) {
            sum += 0.1 * sin(2 * (b + 1));
            check_close(dal_state_body(state, b).omega[2], sum, 1e-10);
        }
        dal_state_free(state);
        dal_system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_have_the_rank_of_the_dense_ones),
        cmocka_unit_test(the_rows_that_stay_have_the_whole_rank),
        cmocka_unit_test(rows_in_many_small_groups_have_a_rank),
        cmocka_unit_test(rows_that_are_no_numbers_have_no_rank),
        cmocka_unit_test(the_smallest_singular_value_is_found_to_a_factor_of_two),
        cmocka_unit_test(every_model_has_the_same_rank_both_ways),
        cmocka_unit_test(the_tree_is_that_of_an_exhaustive_search),
        cmocka_unit_test(many_mechanisms_are_assembled_like_one),
        cmocka_unit_test(many_mechanisms_accelerate_like_one),
        cmocka_unit_test(rates_of_long_chains_are_met),
        cmocka_unit_test(cost_grows_with_the_model),
        cmocka_unit_test(a_thousand_bodies_take_steps),
        cmocka_unit_test(large_assemblies_pass_singular_positions_on_their_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
