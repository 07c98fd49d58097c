/* Networks of components (formulation `component`): against Lagrange's equations, against themselves in implicit form, and whole runs. */
#include "counting.h"

#include "component/network.h"
#include "gallery.h"
#include "dynamics/reactions.h"
#include "math/dense.h"
#include "ration.h"
#include "trajectory.h"

#include <float.h>

enum { STATES = 3 };

/* ---- the models ----------------------------------------------------------------------------- */

static const char *const families[] = {"angle", "euler"}; /* that bodies may be turned by */
enum { FAMILIES = sizeof families / sizeof *families };

static dal_system *compile(const char *file, const char *family, const char *formulation, const char *stabilization, const dal_override *parameter)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_read(NULL, file, parameter != NULL, parameter, messages, &spec) == DAL_OK && !spec->n_coordinates) {
        dal_spec_set(spec, "coordinates", family, messages);
        dal_spec_set(spec, "formulation", formulation, messages);
        if (stabilization)
            dal_spec_set(spec, "stabilization", stabilization, messages);
        dal_compile(NULL, spec, messages, &system);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* A drive, a spring, a state, a constraint that is a form: every list of a network has something in it. */
static const char varied[] = "dalembert: 1\nspace: planar\nstates: {z: {start: 0.1, rate: 'rod.x - z'}}\n"
                             "bodies:\n  crank: {mass: 1, inertia: 0.2, points: {B: [1, 0]}}\n  rod: {mass: 1, "
                             "inertia: 0.3, position: [1, 0], angle: 0.3}\n"
                             "  slider: {mass: 2, inertia: 0.1, position: [3, 0]}\n"
                             "joints: {A: {type: revolute, connect: [ground, crank], drive: '0.3*t'}, B: {type: "
                             "revolute, connect: [crank.B, rod]}}\n"
                             "constraints: {follow: {position: 'slider.x - 2*rod.angle - 2.4'}}\n"
                             "forces: {s: {type: spring-damper, connect: [rod, slider], stiffness: 40, length: "
                             "1}}\nsimulate: {until: 1, formulation: component}\n";

typedef void (*network_check)(const char *name, const dal_system *network, const dal_system *lagrange);

static int for_each_network_of(const char *family, const char *stabilization, network_check check)
{
    gallery g = gallery_open();
    int n = 0;
    char name[120];
    for (size_t i = 0; i < g.n; i++) {
        const char *file = g.found.gl_pathv[i];
        dal_system *network = compile(file, family, "component", stabilization, NULL),
                   *lagrange = compile(file, family, "lagrange", stabilization, NULL);
        if (network) {
            assert_non_null(lagrange);
            snprintf(name, sizeof name, "%s, %s", strrchr(file, '/') + 1, family);
            check(name, network, lagrange);
            n++;
        }
        dal_system_free(network);
        dal_system_free(lagrange);
    }
    gallery_close(&g);
    dal_system *network = gallery_compile_text(varied, family, "component"), *lagrange = gallery_compile_text(varied, family, "lagrange");
    snprintf(name, sizeof name, "varied, %s", family);
    if (!stabilization)
        check(name, network, lagrange);
    dal_system_free(network);
    dal_system_free(lagrange);
    return n;
}

/* Both systems of every model that components apply to, and of the varied one, in both families: as many in one as in the other. */
static int for_each_network(const char *stabilization, network_check check)
{
    const int n = for_each_network_of(families[0], stabilization, check);
    for (int f = 1; f < FAMILIES; f++)
        assert_int_equal(for_each_network_of(families[f], stabilization, check), n);
    return n;
}

/* Anywhere near the start, on the constraints or not. */
static void scatter(dal_state *state, uint64_t *seed, double shift, double speed)
{
    const dal_layout *layout = &state->system->layout;
    dal_state_reset(state);
    dal_state_set_time(state, 0.11);
    for (int k = 0; k < state->system->n_y; k++) {
        if (k < layout->nq)
            state->y[k] += shift * check_random(seed) * state->system->layout.units.length / state->system->layout.units.column_scale[k];
        else
            state->y[k] = speed * check_random(seed);
    }
}

static void copy_state(const dal_state *from, dal_state *to)
{
    dal_state_reset(to);
    dal_state_set_time(to, from->work.t);
    memcpy(to->work.winding, from->work.winding, sizeof *to->work.winding * (size_t)to->system->mechanism.n_windings);
    memcpy(to->work.chart, from->work.chart, sizeof *to->work.chart * 3 * (size_t)to->system->mechanism.n_bodies);
    memcpy(to->y, from->y, sizeof *to->y * (size_t)to->system->n_y);
}

/* ---- explicitly -------------------------------------------------------------------------------- */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double apart(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isfinite(x[i] - y[i]) ? fmax(most, fabs(x[i] - y[i])) : INFINITY;
    return most;
}

/* Accelerations, multipliers of the bodies' own rows, and reactions; what they are measured against: the largest of each, and v^2 / L. */
static void same_as_lagrange(const char *name, const dal_system *network, const dal_system *lagrange)
{
    uint64_t seed = 17;
    dal_state *own = dal_state_create(NULL, network), *other = dal_state_create(NULL, lagrange);
    const int nv = network->layout.nv, joints = network->mechanism.n_joints, first = network->layout.n_extrinsic;
    for (int i = 0; i < STATES; i++) {
        scatter(own, &seed, 0.02, 3);
        copy_state(own, other);
        if (dal_state_evaluate(other, NULL) != DAL_OK)
            continue; /* tables and rolling discs end somewhere */
        assert_int_equal(dal_state_evaluate(own, NULL), DAL_OK);
        const double size = fmax(largest(other->vd, nv), 9), gap = apart(own->vd, other->vd, nv) / size;
        if (!(gap < 1e-10))
            fail_msg("%s: accelerations differ by %.3g of %.3g", name, gap, size);
        dal_need(own, DAL_STAGE_REACTIONS);
        dal_need(other, DAL_STAGE_REACTIONS);
        const double force = fmax(largest(other->reactions->wrench, 6 * joints), network->layout.units.mass * size),
                     away = apart(own->reactions->wrench, other->reactions->wrench, 6 * joints) / force;
        if (!(away < 1e-10))
            fail_msg("%s: reactions differ by %.3g of %.3g", name, away, force);
        const double hold = apart(own->lambda + first, other->lambda + first, network->layout.n_intrinsic),
                     torque = force * network->layout.units.length;
        if (!(hold < 1e-10 * torque))
            fail_msg("%s: multipliers of the bodies differ by %.3g of %.3g", name, hold, torque);
    }
    dal_state_free(own);
    dal_state_free(other);
}

static void networks_accelerate_as_lagrange_s_equations_say(void **unused)
{
    (void)unused;
    assert_true(for_each_network("none", same_as_lagrange) > 30);
}

static void so_they_do_off_the_constraints_with_baumgarte_s_terms(void **unused)
{
    (void)unused;
    assert_true(for_each_network("baumgarte:alpha=3.3,beta=7.1", same_as_lagrange) > 30);
}

/* L L^T = M + A_i^T A_i / tr(A_i A_i^T) tr M with the own row A_i of a body: regular, and A M^-1 A^T of the joints' rows is the same for
 * every multiple of it. Returns the reciprocal of the least pivot at unit diagonal, which multiplies rounding: a Cholesky factor of
 * order n = 7 errs by n (n + 1) / 2 roundings (N. J. Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.4). */
static double factor_completed(const dal_state *state, int b, double *L)
{
    const dal_layout *layout = state->layout;
    const dal_body_layout *at = &layout->body[b];
    const int n = at->nv;
    double trace = 0, square = 0, diagonal[7], worst = 1;
    memcpy(L, state->work.M + layout->block[b].value, sizeof *L * (size_t)(n * n));
    const double *row = at->n_intrinsic ? state->work.A + layout->row[at->intrinsic].value : NULL;
    for (int k = 0; row && k < n; k++) {
        trace += row[k] != 0 ? L[(n + 1) * k] : 0;
        square += row[k] * row[k];
    }
    for (int k = 0; row && k < n * n; k++)
        L[k] += trace / square * row[k / n] * row[k % n];
    for (int k = 0; k < n; k++)
        diagonal[k] = L[(n + 1) * k];
    assert_true(dal_cholesky(L, n, n, 0, &(int){0}));
    for (int k = 0; k < n; k++)
        worst = fmax(worst, diagonal[k] / (L[(n + 1) * k] * L[(n + 1) * k]));
    return worst;
}

/* S = A M^-1 A^T, made without knowing M or A; and nothing of it between the joints' rows and those of the bodies. */
static void check_admittance(const char *name, const dal_system *system, const dal_system *unused)
{
    uint64_t seed = 23;
    (void)unused;
    dal_state *state = dal_state_create(NULL, system);
    const dal_layout *layout = &system->layout;
    const int nv = layout->nv, r = layout->n_rows;
    double *B = calloc((size_t)(nv * r) + 1, sizeof *B), *L = calloc((size_t)layout->n_mass + 1, sizeof *L);
    scatter(state, &seed, 0.02, 3);
    if (dal_state_evaluate(state, NULL) == DAL_OK && r) {
        double growth = 1;
        for (int b = 0; b < layout->n_blocks; b++)
            growth = fmax(growth, factor_completed(state, b, L + layout->block[b].value));
        for (int i = 0; i < r; i++) {
            const dal_row_layout *at = &layout->row[i];
            for (int k = at->value; k < at->value + at->n_values; k++)
                B[i * nv + layout->column[k]] = state->work.A[k];
            for (int b = 0; b < layout->n_blocks; b++)
                dal_lower_solve(L + layout->block[b].value, layout->block[b].n, layout->block[b].n, B + i * nv + layout->block[b].column);
        }
        dal_network_assemble(state->network);
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++) {
                double sum = 0, size = 0;
                for (int k = 0; k < nv; k++) {
                    sum += B[i * nv + k] * B[j * nv + k];
                    size += B[i * nv + k] * B[i * nv + k] + B[j * nv + k] * B[j * nv + k];
                }
                if (i >= layout->n_extrinsic && i == j)
                    continue; /* whatever it was completed by */
                const bool joints = i < layout->n_extrinsic && j < layout->n_extrinsic;
                const double entry = joints ? dal_network_entry(state->network, i, j) : 0;
                if (!(fabs(entry - sum) <= (1e-12 + 28 * growth * DBL_EPSILON) * size))
                    fail_msg("%s: S(%d, %d) = %.17g, A M^-1 A^T has %.17g", name, i, j, entry, sum);
            }
    }
    free(B), free(L);
    dal_state_free(state);
}

static void the_admittance_of_a_network_is_that_of_its_rows_and_masses(void **unused)
{
    (void)unused;
    const dal_override many = {"N", "12"}; /* 74 rows: sparse */
    for_each_network(NULL, check_admittance);
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *chain = compile(DAL_MODELS "/n-four-bar.yaml", families[f], "component", NULL, &many);
        assert_non_null(chain);
        check_admittance("n-four-bar, N = 12", chain, NULL);
        dal_state *state = dal_state_create(NULL, chain);
        assert_true(!dal_sparse_available() || !state->network->dense);
        dal_state_free(state);
        dal_system_free(chain);
    }
}

/* Without another choice a network holds its joints by Baumgarte's equation, with the gains of that stabilisation. */
static void baumgarte_is_what_components_take_by_themselves(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    static const char text[] = "dalembert: 1\nspace: planar\nbodies: {rod: {mass: 1, inertia: 0.2, center: [0.5, 0]}}\n"
                               "joints: {hinge: {type: revolute, connect: [ground, rod]}}\nsimulate: {until: 1, formulation: component}\n";
    assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    assert_string_equal(system->method.stabilization->name, "baumgarte");
    check_close(system->method.alpha, 20, 0);
    check_close(system->method.beta, 20, 0);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- implicitly -------------------------------------------------------------------------------- */

static bool offered(dal_state *state, dal_implicit *form)
{
    bool is = false;
    assert_int_equal(dal_network_implicit.ready(state, form, &is), DAL_OK);
    return is;
}

static void zero_of_the_residual(const char *name, const dal_system *system, const dal_system *unused)
{
    uint64_t seed = 29;
    (void)unused;
    dal_implicit form = {0};
    dal_state *state = dal_state_create(NULL, system);
    const int n = system->n_y, all = n + system->layout.n_rows;
    double *yd = calloc((size_t)all + 1, sizeof *yd), *z = calloc((size_t)all + 1, sizeof *z), *F = calloc((size_t)all + 1, sizeof *F);
    for (int i = 0; i < STATES && offered(state, &form); i++) {
        scatter(state, &seed, 0.02, 3);
        const double t = state->work.t;
        if (dal_network_implicit.begin(state, t, state->y, yd, z))
            continue;
        assert_int_equal(dal_network_implicit.residual(state, t, state->y, yd, z, F), 0);
        const double size = fmax(largest(yd, n), 1);
        if (!(largest(F, all) <= 1e-11 * size))
            fail_msg("%s: the explicit solution leaves %.3g of %.3g", name, largest(F, all), size);
    }
    free(yd), free(z), free(F);
    dal_state_free(state);
}

static void the_explicit_solution_is_a_zero_of_the_implicit_form(void **unused)
{
    (void)unused;
    for_each_network(NULL, zero_of_the_residual);
}

/* dF/dy + c dF/dy' and dF/dz by differences of F, column by column, at a place that is no solution: against the entries, and against zero
 * where there are none. The row of the work has only its diagonal. */
static void check_columns(const char *name, dal_state *state, const dal_implicit *form, double c, double *y, double *yd, double *z)
{
    const int n = state->system->n_y, all = n + form->n_algebraic;
    const int work = state->system->works ? n - 1 : -1;
    const double t = state->work.t;
    double *entries = calloc((size_t)form->n_entries + 1, sizeof *entries), *J = calloc((size_t)(all * all) + 1, sizeof *J);
    double *F[4], *row = calloc((size_t)all + 1, sizeof *row);
    for (int end = 0; end < 4; end++)
        F[end] = calloc((size_t)all + 1, sizeof *F[end]);
    assert_int_equal(dal_network_implicit.jacobian(state, t, c, y, yd, z, entries), 0);
    for (int k = 0; k < all; k++)
        for (int e = form->start[k]; e < form->start[k + 1]; e++) {
            assert_true(e == form->start[k] || form->row[e] > form->row[e - 1]);
            J[form->row[e] * all + k] = entries[e];
            row[form->row[e]] = fmax(row[form->row[e]], fabs(entries[e]));
        }
    for (int k = 0; k < all; k++) {
        double *at = k < n ? &y[k] : &z[k - n], here = *at, rate = k < n ? yd[k] : 0, h = 1e-5 * fmax(1, k < n ? 0 : fabs(here));
        for (int end = 0; end < 4; end++) { /* slope = (8 (F_1 - F_-1) - (F_2 - F_-2)) / 12 h */
            const double away = h * (end < 2 ? end + 1 : 1 - end);
            *at = here + away;
            if (k < n)
                yd[k] = rate + c * away;
            assert_int_equal(dal_network_implicit.residual(state, t, y, yd, z, F[end]), 0);
        }
        *at = here;
        if (k < n)
            yd[k] = rate;
        for (int i = 0; i < all; i++) {
            const double slope = (8 * (F[0][i] - F[2][i]) - (F[1][i] - F[3][i])) / (12 * h);
            if (i == work && i != k)
                continue;
            if (!(fabs(J[i * all + k] - slope) <= 1e-6 * (1 + row[i])))
                fail_msg("%s: dF_%d by unknown %d (of %d, %d) is %.10g, the slope of F is %.10g; the row has up to %.3g", name, i, k, n, all,
                         J[i * all + k], slope, row[i]);
        }
    }
    for (int end = 0; end < 4; end++)
        free(F[end]);
    free(entries), free(J), free(row);
}

static void check_jacobian(const char *name, const dal_system *system, const dal_system *unused)
{
    uint64_t seed = 31;
    (void)unused;
    dal_implicit form = {0};
    dal_state *state = dal_state_create(NULL, system);
    const int n = system->n_y, all = n + system->layout.n_rows;
    double *y = calloc((size_t)all + 1, sizeof *y), *yd = calloc((size_t)all + 1, sizeof *yd), *z = calloc((size_t)all + 1, sizeof *z);
    if (offered(state, &form)) {
        scatter(state, &seed, 0.02, 3);
        memcpy(y, state->y, sizeof *y * (size_t)n);
        if (dal_network_implicit.begin(state, state->work.t, y, yd, z) == 0) {
            const double size = 1 + 0.1 * largest(yd, n), pull = 1 + 0.1 * largest(z, all - n);
            for (int k = 0; k < n; k++)
                yd[k] += size * check_random(&seed);
            for (int k = 0; k < all - n; k++)
                z[k] += pull * check_random(&seed);
            check_columns(name, state, &form, 37, y, yd, z);
        }
    }
    free(y), free(yd), free(z);
    dal_state_free(state);
}

static void the_block_jacobian_is_the_slope_of_the_residual(void **unused)
{
    (void)unused;
    for_each_network(NULL, check_jacobian);
}

/* ---- its Jacobian, to rounding ----------------------------------------------------------------- */

enum { LEVELS = 9, WIDTH = 3 };
static const double first_step = 0.1, sums = 1e-12; /* of a direction; rounding of a row, as a part of the sum of the sizes of its terms */

/* A place and a direction: of y, y' and z. F along it. */
typedef struct ray {
    dal_state *state;
    int n, all;
    double t;
    double *at[WIDTH], *along[WIDTH], *moved[WIDTH];
    double *F, *slope, *size;      /* F; J times the direction, and the sum of the sizes of its terms */
    double *terms;                 /* J times the place, all of it taken positive: what F is the sum of */
    double *table[LEVELS][LEVELS]; /* dF by Romberg */
} ray;

static ray open_ray(const dal_system *system)
{
    ray r = {.state = dal_state_create(NULL, system), .n = system->n_y, .all = system->n_y + system->layout.n_rows};
    const size_t n = (size_t)r.all + 1;
    for (int k = 0; k < WIDTH; k++) {
        r.at[k] = calloc(n, sizeof(double));
        r.along[k] = calloc(n, sizeof(double));
        r.moved[k] = calloc(n, sizeof(double));
    }
    r.F = calloc(n, sizeof(double));
    r.slope = calloc(n, sizeof(double));
    r.size = calloc(n, sizeof(double));
    r.terms = calloc(n, sizeof(double));
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j <= i; j++)
            r.table[i][j] = calloc(n, sizeof(double));
    return r;
}

static void close_ray(ray *r)
{
    for (int k = 0; k < WIDTH; k++)
        free(r->at[k]), free(r->along[k]), free(r->moved[k]);
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j <= i; j++)
            free(r->table[i][j]);
    free(r->F), free(r->slope), free(r->size), free(r->terms);
    dal_state_free(r->state);
}

static bool residual_at(ray *r, double h)
{
    for (int k = 0; k < WIDTH; k++)
        for (int i = 0; i < r->all; i++)
            r->moved[k][i] = r->at[k][i] + h * r->along[k][i];
    return dal_network_implicit.residual(r->state, r->t, r->moved[0], r->moved[1], r->moved[2], r->F) == 0;
}

/* dF along the direction by central differences with steps h, h / 2, ..., into the first column of the table, and extrapolated to zero. */
static bool extrapolate(ray *r)
{
    double h = first_step;
    for (int i = 0; i < LEVELS; i++, h /= 2) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            if (!residual_at(r, sign * h))
                return false;
            for (int k = 0; k < r->all; k++)
                r->table[i][0][k] = (sign > 0 ? r->F[k] : r->table[i][0][k] - r->F[k]) / (sign > 0 ? 1 : 2 * h);
        }
        double power = 1;
        for (int j = 1; j <= i; j++) {
            power *= 4;
            for (int k = 0; k < r->all; k++)
                r->table[i][j][k] = r->table[i][j - 1][k] + (r->table[i][j - 1][k] - r->table[i - 1][j - 1][k]) / (power - 1);
        }
    }
    return true;
}

/* Of row k, the entry that is least uncertain: how far it is from those that it was made of, and what rounding of F leaves at its step. */
static double extrapolated(const ray *r, int k, double *error)
{
    double best = NAN, h = first_step;
    *error = INFINITY;
    for (int i = 0; i < LEVELS; i++, h /= 2)
        for (int j = 1; j <= i; j++) {
            const double x = r->table[i][j][k], apart = fmax(fabs(x - r->table[i][j - 1][k]), fabs(x - r->table[i - 1][j - 1][k]));
            const double now = apart + DBL_EPSILON * r->terms[k] / h;
            if (now < *error) {
                *error = now;
                best = x;
            }
        }
    return best;
}

/* J times (dy, dz), where dy' = c dy. */
static void multiply(ray *r, const dal_implicit *form, double c)
{
    double *entries = calloc((size_t)form->n_entries + 1, sizeof *entries);
    assert_int_equal(dal_network_implicit.jacobian(r->state, r->t, c, r->at[0], r->at[1], r->at[2], entries), 0);
    memset(r->slope, 0, sizeof *r->slope * (size_t)r->all);
    memset(r->size, 0, sizeof *r->size * (size_t)r->all);
    memset(r->terms, 0, sizeof *r->terms * (size_t)r->all);
    for (int k = 0; k < r->all; k++)
        for (int e = form->start[k]; e < form->start[k + 1]; e++) {
            const double term = entries[e] * (k < r->n ? r->along[0][k] : r->along[2][k - r->n]);
            r->slope[form->row[e]] += term;
            r->size[form->row[e]] += fabs(term);
            r->terms[form->row[e]] += fabs(entries[e]) * (k < r->n ? fabs(r->at[0][k]) + fabs(r->at[1][k]) : fabs(r->at[2][k - r->n]));
        }
    free(entries);
}

static int compared, rough;
static double farthest;

static void compare_slopes(const char *name, ray *r, const dal_implicit *form, double c, const char *what)
{
    multiply(r, form, c);
    if (!extrapolate(r))
        return;
    for (int k = 0; k < r->all; k++) {
        double error;
        const double found = extrapolated(r, k, &error), apart = fabs(r->slope[k] - found), size = r->size[k];
        if (k >= r->n - r->state->system->works && k < r->n) /* of works J has only the diagonal */
            continue;
        if (!(error <= 1e-11 * size) && size > 0) {
            rough++;
            continue;
        }
        compared++;
        if (size > 0)
            farthest = fmax(farthest, apart / size);
        if (!(apart <= 4 * error + sums * size))
            fail_msg("%s, %s: dF_%d (of %d, %d) is %.17g, extrapolated %.17g: %.2g of the terms, and the extrapolation is uncertain by %.2g", name,
                     what, k, r->n, r->all, r->slope[k], found, apart / size, error / size);
    }
}

/* Far from the constraints, with accelerations and multipliers that solve nothing: along positions alone, velocities alone, and everything. */
static void check_slopes(const char *name, const dal_system *system, const dal_system *unused)
{
    uint64_t seed = 41;
    (void)unused;
    dal_implicit form = {0};
    const dal_layout *layout = &system->layout;
    static const char *const parts[] = {"positions", "velocities", "everything"};
    ray r = open_ray(system);
    const double c = 1.3;
    for (int i = 0; i < STATES && offered(r.state, &form); i++) {
        scatter(r.state, &seed, 0.3, 3);
        r.t = r.state->work.t;
        memcpy(r.at[0], r.state->y, sizeof *r.at[0] * (size_t)r.n);
        if (dal_network_implicit.begin(r.state, r.t, r.at[0], r.at[1], r.at[2]))
            continue;
        const double size = 1 + 0.1 * largest(r.at[1], r.n), pull = 1 + 0.1 * largest(r.at[2], r.all - r.n);
        for (int k = 0; k < r.n; k++)
            r.at[1][k] += size * check_random(&seed);
        for (int k = 0; k < r.all - r.n; k++)
            r.at[2][k] += pull * check_random(&seed);
        for (int part = 0; part < 3; part++) {
            for (int k = 0; k < r.n; k++) {
                const bool place = k < layout->nq, rate = !place && k < layout->nq + layout->nv;
                const double unit = place ? layout->units.length / layout->units.column_scale[k] : 1;
                r.along[0][k] = part == 2 || (part ? rate : place) ? unit * check_random(&seed) : 0;
                r.along[1][k] = c * r.along[0][k];
            }
            for (int k = 0; k < r.all - r.n; k++)
                r.along[2][k] = part == 2 ? pull * check_random(&seed) : 0;
            compare_slopes(name, &r, &form, c, parts[part]);
        }
    }
    close_ray(&r);
}

/* A spatial loop with a ball joint and a drive that is an expression; laws of positions and velocities on bodies, joints and between points; a
 * state that a law reads; a table. */
static const char laws[] =
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nstates: {z: {start: 0.1, rate: \"coupler.x*rocker.y' - z\"}}\n"
    "tables: {soft: {x: [-9, -1, 1, 9], y: [-2, -0.7, 0.9, 2.5], smooth: 2}}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.2, 0.3, 0.4], center: [0.3, 0.05, -0.02], points: {E: [0.6, 0, 0.1]}}\n"
    "  coupler: {mass: 0.7, inertia: [0.05, 0.12, 0.1], position: [0.6, 0, 0.1], center: [0.5, 0, 0], points: {E: [1.2, 0.3, 0.2]}}\n"
    "  rocker: {mass: 0.9, inertia: [0.1, 0.07, 0.15], position: [1.7, 0.1, -0.5], points: {E: [0.1, 0.2, 0.8]}}\n"
    "joints:\n"
    "  motor: {type: revolute, connect: [ground, crank], axis: [0, 0.1, 1], drive: \"0.3*t + 0.2*sin(3*t)\"}\n"
    "  neck: {type: spherical, connect: [crank.E, coupler]}\n"
    "  fork: {type: universal, connect: [coupler.E, rocker.E], axis: [[0, 0, 1], [0, 1, 0]]}\n"
    "  hinge: {type: revolute, connect: [ground, rocker], axis: [0, 1, 0.2]}\n"
    "forces:\n"
    "  swim: {type: force, body: coupler.E, value: [\"-0.4*coupler.x'*abs(coupler.x')\", \"z*sin(rocker.z)\", \"exp(0.3*crank.x)*t\"]}\n"
    "  twist: {type: torque, joint: hinge, value: \"-3*hinge.angle^3 - 0.4*hinge.angle'*cos(motor.angle) + interp(soft, rocker.x)\"}\n"
    "  rubber: {type: spring-damper, connect: [crank.E, rocker], stiffness: 40, damping: 3, length: 0.7}\n"
    "simulate: {until: 1}\n";

/* A tree: a ball on an arm. A coin that rolls. One that slides with a law of its speed. */
static const char tree[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  arm: {mass: 1, inertia: [0.2, 0.3, 0.4], center: [0.3, 0.05, -0.02], points: {E: [0.6, 0, 0.1]}}\n"
                           "  bob: {mass: 0.7, inertia: [0.05, 0.12, 0.1], position: [0.6, 0, 0.1], center: [0.1, 0.1, -0.5]}\n"
                           "  coin: {mass: 0.3, inertia: [0.03, 0.05, 0.03], position: [3, 0, 0.2]}\n"
                           "joints:\n"
                           "  hinge: {type: revolute, connect: [ground, arm], axis: [0, 1, 0]}\n"
                           "  ball: {type: spherical, connect: [arm.E, bob]}\n"
                           "  contact: {type: rolling-disc, connect: [ground, coin], normal: [0, 0, 1], axis: [0, 1, 0], radius: 0.2}\n"
                           "forces: {drag: {type: torque, body: bob, value: [\"-bob.omega.x\", \"-0.3*bob.omega.y^3\", \"-bob.ex.z\"]}}\n"
                           "simulate: {until: 1}\n";

static void check_slopes_of(const char *name, const char *text)
{
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *system = gallery_compile_text(text, families[f], "component");
        const int before = compared;
        check_slopes(name, system, NULL);
        assert_true(compared > before);
        dal_system_free(system);
    }
}

static void check_slopes_in(const char *folder)
{
    glob_t found;
    char pattern[300];
    snprintf(pattern, sizeof pattern, "%s/%s/*.yaml", DAL_MODELS, folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < FAMILIES * found.gl_pathc; i++) {
        const char *file = found.gl_pathv[i / FAMILIES];
        dal_system *system = compile(file, families[i % FAMILIES], "component", NULL, NULL);
        if (system)
            check_slopes(file, system, NULL);
        dal_system_free(system);
    }
    globfree(&found);
}

static void the_block_jacobian_is_exact(void **unused)
{
    (void)unused;
    compared = rough = 0;
    farthest = 0;
    for_each_network("none", check_slopes);
    for_each_network("baumgarte:alpha=3.3,beta=7.1", check_slopes);
    check_slopes_of("varied", varied);
    check_slopes_of("laws", laws);
    check_slopes_of("tree", tree);
    check_slopes_in("machines");
    check_slopes_in("joints");
    print_message("  %d slopes, %d more where the extrapolation is worse than 1e-11; apart by %.1e of their terms at most\n", compared, rough,
                  farthest);
    assert_true(compared > 2 * rough);
}

static void ida_and_an_explicit_method_go_the_same_way(void **unused)
{
    (void)unused;
    char why[300];
    static const char *const models[] = {"slider-crank", "four-bar-spring", "andrews", "universal-double-pendulum", "bumper"};
    if (dal_ida.available && !dal_ida.available(why, sizeof why)) {
        print_message("skipped: %s\n", why);
        skip();
    }
    for (size_t i = 0; i < FAMILIES * sizeof models / sizeof *models; i++) {
        const char *model = models[i / FAMILIES], *until = strcmp(model, "andrews") ? "0.5" : "0.01";
        char settings[300];
        trajectory way[2];
        for (int k = 0; k < 2; k++) {
            snprintf(settings, sizeof settings, "coordinates=%s formulation=component integrator=%s rtol=1e-10 atol=1e-11 until=%s every=%s",
                     k ? families[i % FAMILIES] : "angle", k ? "ida" : "dopri5", until, until);
            way[k] = run_well(model, NULL, NULL, settings);
        }
        const double *a = row_at(&way[0], atof(until)), *b = row_at(&way[1], atof(until));
        assert_int_equal(way[0].n, way[1].n);
        for (int c = 1; c < way[0].n; c++)
            if (!(fabs(a[c] - b[c]) <= 1e-5 * (1 + fabs(a[c]))))
                fail_msg("%s, %s: %s is %.12g explicitly and %.12g with ida", model, families[i % FAMILIES], way[0].name[c], a[c], b[c]);
        for (int k = 0; k < 2; k++)
            free(way[k].value);
    }
}

/* Motions that drives prescribe have nothing but multipliers to solve for: what a first iteration leaves open in them would grow from step
 * to step, unseen by the error test, and the work of the drives with it. */
static void ida_keeps_the_multipliers_of_drives(void **unused)
{
    (void)unused;
    char why[300];
    static const char *const models[] = {"driven-crank", "driven-slider-crank"};
    if (dal_ida.available && !dal_ida.available(why, sizeof why)) {
        print_message("skipped: %s\n", why);
        skip();
    }
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int k = 0; k < 2 * FAMILIES; k++) {
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=%s formulation=component integrator=ida %s", families[k / 2],
                     k % 2 ? "rtol=1e-6 atol=1e-8" : "rtol=1e-8 atol=1e-10");
            trajectory way = run_well(models[i], NULL, (const char *const[]){"energy.balance", NULL}, settings);
            for (int r = 0; r < way.rows; r++)
                if (!(fabs(way.value[(size_t)r * (size_t)way.n + 1] - way.value[1]) <= (k % 2 ? 0.1 : 1e-3)))
                    fail_msg("%s, %s: energy - work is %.12g at the start and %.12g in row %d", models[i], families[k / 2], way.value[1],
                             way.value[(size_t)r * (size_t)way.n + 1], r);
            free(way.value);
        }
}

/* ---- whole runs -------------------------------------------------------------------------------- */

/* Loops that are closed stay closed, and nothing was softened for it: the energy is kept. */
static void closed_loops_of_components_stay_closed(void **unused)
{
    (void)unused;
    static const struct {
        const char *model, *parameter, *until;
    } loops[] = {{"four-bar", NULL, "2"}, {"slider-crank", NULL, "2"}, {"quick-return", NULL, "2"}, {"n-four-bar", "N=40", "0.3"}};
    for (size_t k = 0; k < FAMILIES * sizeof loops / sizeof *loops; k++) {
        const size_t i = k / FAMILIES;
        char settings[200];
        snprintf(settings, sizeof settings,
                 "coordinates=%s formulation=component stabilization=baumgarte integrator=dopri5 rtol=1e-9 "
                 "atol=1e-11 until=%s every=0.1",
                 families[k % FAMILIES], loops[i].until);
        trajectory way = run_well(loops[i].model, loops[i].parameter, (const char *const[]){"energy", NULL}, settings);
        /* a step that errs by rtol leaves residuals of that size, which decay */
        check_small(way.evidence.position_residual, 1e-8);
        check_small(way.evidence.velocity_residual, 1e-6);
        check_small(way.evidence.energy_drift, 1e-7);
        print_message("  %-14s %s residuals %.1e m, %.1e m/s, energy drift %.1e\n", loops[i].model, families[k % FAMILIES],
                      way.evidence.position_residual, way.evidence.velocity_residual, way.evidence.energy_drift);
        free(way.value);
    }
}

/* A network may also be held by projection, or not at all. */
static void every_stabilisation_serves_components(void **unused)
{
    (void)unused;
    static const char *const ways[] = {"none", "baumgarte", "direct-correction", "mass-projection"};
    for (size_t i = 0; i < FAMILIES * sizeof ways / sizeof *ways; i++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "coordinates=%s formulation=component stabilization=%s integrator=dopri5 rtol=1e-9 atol=1e-11 "
                 "until=1 every=0.1",
                 families[i % FAMILIES], ways[i / FAMILIES]);
        trajectory way = run_well("four-bar", NULL, NULL, settings);
        check_small(way.evidence.energy_drift, 1e-7);
        check_small(way.evidence.position_residual, 1e-7);
        free(way.value);
    }
}

#define ANGLES                                                                                                                                       \
    "K1.angle", "K2.angle - K1.angle", "K3.angle + pi/2", "K4.angle - K5.angle + pi/2", "K5.angle", "K6.angle - K7.angle - pi/2", "K7.angle + pi/2"

static trajectory andrews(const char *start, const char *family)
{
    static const char *const channels[] = {ANGLES, NULL};
    char settings[300];
    snprintf(settings, sizeof settings, "coordinates=%s formulation=component integrator=dopri5 rtol=1e-12 atol=1e-13 until=0.03 every=0.03", family);
    return run_well("andrews", start, channels, settings);
}

/* At t = 0.03 from the start of the test set for initial value problems: correct to all digits. */
static const double bari_end[7] = {15.81077119515370709712,  -15.75637105841183946973, 0.04082224011964580485828, -0.5347301163420795937702,
                                   0.5244099658799540693717, 0.5347301163420795937702, 1.048080741041937873069};

static void the_seven_bodies_of_andrews_end_where_they_should(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        trajectory way = andrews("bari=1", families[f]);
        const double *end = row_at(&way, 0.03);
        for (int k = 0; k < 7; k++)
            check_close(end[1 + k], bari_end[k], 1e-9);
        print_message("  %s misses by %.1e rad\n", families[f], apart(end + 1, bari_end, 7));
        free(way.value);
    }
}

static void the_values_in_this_file_are_those_of_the_reference(void **unused)
{
    (void)unused;
    json_file file;
    json *root = open_reference(&file, "A03_bari_t003_mp");
    for (int k = 0; k < 7; k++)
        check_close(json_at(json_get(root, "y"), k)->number, bari_end[k], 1e-15 * fabs(bari_end[k]));
    json_close(&file);
}

static void and_from_the_other_start_they_follow_the_reference(void **unused)
{
    (void)unused;
    json_file file;
    json *root = open_reference(&file, "A03_iftomm");
    trajectory way = andrews("bari=0", "angle");
    const double *end = row_at(&way, 0.03);
    bool found = false;
    for (const json *sample = json_get(root, "samples")->first; sample && !found; sample = sample->next) {
        found = fabs(json_get(sample, "t")->number - 0.03) < 1e-9;
        for (int k = 0; k < 7 && found; k++)
            check_close(end[1 + k], json_at(json_get(sample, "q"), k)->number, 1e-9);
    }
    assert_true(found);
    free(way.value);
    json_close(&file);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void count_blocks(const char *name, const dal_system *system, const dal_system *unused)
{
    (void)unused;
    dal_implicit form = {0};
    dal_state *state = dal_state_create(NULL, system);
    const bool implicit = offered(state, &form);
    const int n = system->n_y, all = n + system->layout.n_rows;
    double *yd = calloc((size_t)all + 1, sizeof *yd), *z = calloc((size_t)all + 1, sizeof *z), *F = calloc((size_t)all + 1, sizeof *F);
    double *entries = calloc((size_t)form.n_entries + 1, sizeof *entries);
    dal_state_reset(state);
    for (int i = 0; i < 2; i++) {
        const long before = taken;
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        if (implicit) {
            assert_int_equal(dal_network_implicit.begin(state, 0, state->y, yd, z), 0);
            assert_int_equal(dal_network_implicit.residual(state, 0, state->y, yd, z, F), 0);
            assert_int_equal(dal_network_implicit.jacobian(state, 0, 10, state->y, yd, z, entries), 0);
        }
        if (taken != before)
            fail_msg("%s: %ld blocks of memory were taken", name, taken - before);
    }
    free(yd), free(z), free(F), free(entries);
    dal_state_free(state);
}

static void networks_at_work_take_no_memory(void **unused)
{
    (void)unused;
    if (!COUNTING)
        skip();
    const dal_override many = {"N", "12"};
    for_each_network(NULL, count_blocks);
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *chain = compile(DAL_MODELS "/n-four-bar.yaml", families[f], "component", NULL, &many);
        count_blocks("n-four-bar, N = 12", chain, NULL); /* sparse */
        dal_system_free(chain);
    }
}

static void a_network_without_memory_leaves_nothing_behind(void **unused)
{
    (void)unused;
    dal_spec *spec;
    assert_int_equal(dal_spec_parse(NULL, "text", varied, strlen(varied), 0, NULL, NULL, &spec), DAL_OK);
    bool done = false;
    int n = 0;
    for (; !done; n++) {
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = NULL;
        dal_implicit form;
        bool is;
        dal_status status = dal_compile(&allocator, spec, messages, &system);
        if (status != DAL_OK && status != DAL_NO_MEMORY)
            fail_msg("%s", dal_messages_first(messages)->text);
        dal_state *state = system ? dal_state_create(&allocator, system) : NULL;
        done = state && dal_network_implicit.ready(state, &form, &is) == DAL_OK;
        dal_state_free(state);
        dal_system_free(system);
        dal_messages_free(messages);
        assert_int_equal(r.taken, 0);
    }
    assert_true(n > 10);
    dal_spec_free(spec);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void what_cannot_be_a_component_is_refused_by_name(void **unused)
{
    (void)unused;
    static const struct {
        const char *body, *coordinates, *expected;
    } cases[] = {
        {"{mass: 1, inertia: 0.2}", "natural",
         "component needs `coordinates: angle` or `euler`: each body integrates its own place and attitude, and the family natural has other "
         "coordinates"},
        {"{mass: 1, inertia: 0}", "euler", "'rod' has a zero moment of inertia"},
        {"{mass: 1, inertia: 0}", "angle", "'rod' has a zero moment of inertia"},
        {"{mass: 0, inertia: 0.2}", "angle", "'rod' has no mass"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {rod: %s}\njoints: {hinge: {type: revolute, connect: [ground, "
                 "rod]}}\n"
                 "simulate: {until: 1, formulation: component, coordinates: %s}\n",
                 cases[i].body, cases[i].coordinates);
        assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_BAD_MODEL);
        const dal_message *first = dal_messages_first(messages);
        if (!first || !strstr(first->text, cases[i].expected))
            fail_msg("'%s' was expected, not '%s'", cases[i].expected, first ? first->text : "");
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_accelerate_as_lagrange_s_equations_say),
        cmocka_unit_test(so_they_do_off_the_constraints_with_baumgarte_s_terms),
        cmocka_unit_test(the_admittance_of_a_network_is_that_of_its_rows_and_masses),
        cmocka_unit_test(baumgarte_is_what_components_take_by_themselves),
        cmocka_unit_test(the_explicit_solution_is_a_zero_of_the_implicit_form),
        cmocka_unit_test(the_block_jacobian_is_the_slope_of_the_residual),
        cmocka_unit_test(the_block_jacobian_is_exact),
        cmocka_unit_test(ida_and_an_explicit_method_go_the_same_way),
        cmocka_unit_test(ida_keeps_the_multipliers_of_drives),
        cmocka_unit_test(closed_loops_of_components_stay_closed),
        cmocka_unit_test(every_stabilisation_serves_components),
        cmocka_unit_test(the_seven_bodies_of_andrews_end_where_they_should),
        cmocka_unit_test(the_values_in_this_file_are_those_of_the_reference),
        cmocka_unit_test(and_from_the_other_start_they_follow_the_reference),
        cmocka_unit_test(networks_at_work_take_no_memory),
        cmocka_unit_test(a_network_without_memory_leaves_nothing_behind),
        cmocka_unit_test(what_cannot_be_a_component_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
