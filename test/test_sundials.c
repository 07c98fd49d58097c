/* The integrators of SUNDIALS behind the interface of the others: what they share with them (events, outputs, hooks, repeatability) is in
 * test_integrate*.c, which run over the list; here is what is their own: tolerances, stiffness, projection with a past, the implicit
 * form, large systems, failures. */
#include "integrate_runs.h"

#include <unistd.h>

static const dal_integrator *const theirs[] = {&dal_cvode_adams, &dal_cvode_bdf, &dal_ida};
static const dal_integrator *const stiff_ones[] = {&dal_cvode_bdf, &dal_ida};

#define FOR_EACH(method, list)                                                                                                                       \
    for (size_t index_ = 0; index_ < sizeof(list) / sizeof *(list); index_++)                                                                        \
        for (const dal_integrator *method = (list)[index_]; method; method = NULL)

static void need_all(void)
{
    char why[300];
    FOR_EACH(method, theirs)
    if (!method->available(why, sizeof why)) {
        print_message("skipped: %s\n", why);
        skip();
    }
}

/* Larger problems than `run` has room for. */
static dal_drive_result run_large(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y)
{
    double *work = malloc(sizeof *work * dal_drive_work(method, ode));
    const dal_ode whole = with_derivatives(ode);
    dal_drive_result result = dal_drive(method, &whole, options, y, work);
    free(work);
    return result;
}

static dal_drive_options within(double t_start, double t_end, double rtol, double atol)
{
    return (dal_drive_options){.t_start = t_start, .t_end = t_end, .rtol = rtol, .atol = atol};
}

/* ---- tolerances ---- */

static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    need_all();
    FOR_EACH(method, theirs)
    {
        double error[2];
        for (int i = 0; i < 2; i++) {
            double tolerance = i ? 1e-10 : 1e-6, y[2], s[2];
            dal_ode ode = {.n = 2, .n_control = 2, .derivative = nonlinear};
            dal_drive_options options = within(t_first, t_last, tolerance, tolerance);
            solution(t_first, y);
            solution(t_last, s);
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_true(result.evaluations > result.steps && result.rejected < result.steps);
            error[i] = hypot(y[0] - s[0], y[1] - s[1]);
            check_small(error[i], 1000 * tolerance); /* some hundred steps, each with about the tolerance */
        }
        assert_true(error[1] < error[0] / 300);
    }
}

/* y' = -lambda (y - cos t) - sin t: smooth, and a thousand thousand times stiffer than it moves. */
static dal_flow prothero(void *user, double t, const double *y, double *dy)
{
    (void)user;
    dy[0] = -1e6 * (y[0] - cos(t)) - sin(t);
    return 0;
}

static void stiffness_does_not_shorten_their_steps(void **state)
{
    (void)state;
    need_all();
    FOR_EACH(method, stiff_ones)
    {
        dal_ode ode = {.n = 1, .n_control = 1, .derivative = prothero};
        dal_drive_options options = within(0, 10, 1e-7, 1e-7);
        double y = 1;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_REACHED);
        check_close(y, cos(10), 1e-5);
        assert_true(result.steps < 1000 && result.evaluations < 5000); /* an explicit method: 1e7 / 3.3 */
    }
}

/* Robertson's reactions: rates over eleven decades. At t = 1e11, from the test set for initial value problems of Bari. */
static const double robertson_end[] = {0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050};

static dal_flow robertson(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    dy[2] = 3e7 * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
    return 0;
}

static dal_flow reduced_robertson(void *user, double t, const double *y, double *dy)
{
    double all[3] = {y[0], y[1], 1 - y[0] - y[1]}, slope[3];
    robertson(user, t, all, slope);
    memcpy(dy, slope, 2 * sizeof *dy);
    return 0;
}

/* y_1 and y_2 with y_3 as algebraic unknown, from the conservation of mass. */
static dal_flow robertson_begin(void *user, double t, const double *y, double *yd, double *z)
{
    z[0] = 1 - y[0] - y[1];
    return reduced_robertson(user, t, y, yd);
}

static dal_flow robertson_residual(void *user, double t, const double *y, const double *yd, const double *z, double *F)
{
    double all[3] = {y[0], y[1], z[0]}, slope[3];
    robertson(user, t, all, slope);
    F[0] = yd[0] - slope[0];
    F[1] = yd[1] - slope[1];
    F[2] = y[0] + y[1] + z[0] - 1;
    return 0;
}

static dal_flow robertson_jacobian(void *user, double t, double c, const double *y, const double *yd, const double *z, double *entries)
{
    (void)user, (void)t, (void)yd;
    const double by_first = -0.04, by_second = 1e4 * z[0], by_third = 1e4 * y[1], own = 6e7 * y[1]; /* of y_1', and of y_3' by y_2 */
    const double all[9] = {c - by_first, by_first, 1, -by_second, c + by_second + own, 1, -by_third, by_third, 1};
    memcpy(entries, all, sizeof all);
    return 0;
}

static void robertsons_reactions_end_where_they_should(void **state)
{
    (void)state;
    need_all();
    static const int start[] = {0, 3, 6, 9}, row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const dal_implicit form = {.n_algebraic = 1,
                                      .n_entries = 9,
                                      .start = start,
                                      .row = row,
                                      .begin = robertson_begin,
                                      .residual = robertson_residual,
                                      .jacobian = robertson_jacobian};
    dal_drive_options options = within(0, 1e11, 1e-9, 1e-20);
    FOR_EACH(method, stiff_ones)
    {
        dal_ode ode = {.n = 3, .n_control = 3, .derivative = robertson};
        double y[3] = {1, 0, 0};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        for (int i = 0; i < 3; i++)
            check_close(y[i] / robertson_end[i], 1, 1e-5);
    }
    dal_ode ode = {.n = 2, .n_control = 2, .derivative = reduced_robertson, .implicit = &form};
    double y[2] = {1, 0};
    dal_drive_result result = run(&dal_ida, &ode, &options, y);
    assert_int_equal(result.end, DAL_END_REACHED);
    for (int i = 0; i < 2; i++)
        check_close(y[i] / robertson_end[i], 1, 1e-5);
}

/* ---- constraints ---- */

static const double length = 1.37, gravity = 9.81;

/* A pendulum in (x, y, x', y'), its multiplier eliminated: r'' = G - r (G r + v v) / r r. */
static dal_flow pendulum(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    double rr = y[0] * y[0] + y[1] * y[1], pull = (y[2] * y[2] + y[3] * y[3] - gravity * y[1]) / rr;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -pull * y[0];
    dy[3] = -gravity - pull * y[1];
    return 0;
}

typedef struct drift {
    double position, velocity;
    double correction; /* the largest of the place */
    long steps, rows;
} drift;

static dal_flow on_circle(void *user, double t, double *y)
{
    drift *d = user;
    (void)t;
    double r = hypot(y[0], y[1]);
    d->correction = fmax(d->correction, fabs(r - length));
    y[0] *= length / r;
    y[1] *= length / r;
    double along = (y[0] * y[2] + y[1] * y[3]) / (length * length);
    y[2] -= along * y[0];
    y[3] -= along * y[1];
    return 0;
}

static dal_flow stay(void *user, double t, double *y)
{
    (void)user, (void)t, (void)y;
    return 0;
}

/* Its angle, for the truth. */
static dal_flow swing(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[1];
    dy[1] = -gravity / length * sin(y[0]);
    return 0;
}

static void measure(drift *d, const double *y)
{
    d->position = fmax(d->position, fabs(hypot(y[0], y[1]) - length));
    d->velocity = fmax(d->velocity, fabs(y[0] * y[2] + y[1] * y[3]));
}

static dal_flow look_at_step(void *user, double t, const double *y, bool *ask_restart)
{
    (void)t, (void)ask_restart;
    ((drift *)user)->steps++;
    measure(user, y);
    return 0;
}

static dal_flow look_at_row(void *user, double t, const double *y)
{
    (void)t;
    ((drift *)user)->rows++;
    measure(user, y);
    return 0;
}

/* Error of the place after 30 s. */
static double pendulum_error(const dal_integrator *method, double tolerance, dal_flow (*project)(void *, double, double *), drift *d,
                             dal_drive_result *result, double *y)
{
    double angle[2] = {1.9, 0.37}, start[4] = {length * sin(1.9), -length * cos(1.9), 0.37 * length * cos(1.9), 0.37 * length * sin(1.9)};
    dal_ode truth = {.n = 2, .n_control = 2, .derivative = swing};
    dal_drive_options options = within(0, 30, 1e-13, 1e-13);
    assert_int_equal(run(&dal_dopri5, &truth, &options, angle).end, DAL_END_REACHED);
    *d = (drift){0};
    dal_ode ode = {.n = 4, .n_control = 4, .user = d, .derivative = pendulum, .project = project, .accepted = look_at_step, .output = look_at_row};
    options = within(0, 30, tolerance, tolerance);
    options.every = 0.037;
    memcpy(y, start, sizeof start);
    *result = run(method, &ode, &options, y);
    assert_int_equal(result->end, DAL_END_REACHED);
    assert_int_equal(d->steps, result->steps);
    assert_int_equal(d->rows, (long)(30 / 0.037) + 2);
    return hypot(y[0] - length * sin(angle[0]), y[1] + length * cos(angle[0]));
}

static void projection_keeps_the_constraints_and_the_accuracy_of_a_method_with_a_past(void **state)
{
    (void)state;
    need_all();
    FOR_EACH(method, theirs)
    {
        double error[2], y[4];
        drift d, loose;
        dal_drive_result result[2], free_result;
        for (int i = 0; i < 2; i++) {
            double tolerance = i ? 1e-10 : 1e-6;
            error[i] = pendulum_error(method, tolerance, on_circle, &d, &result[i], y);
            check_small(d.position, 8 * DBL_EPSILON * length);
            check_small(d.velocity, 100 * DBL_EPSILON);
            /* a step starts from the projected state: what it has to be corrected by is its own error, not that of all before it */
            check_small(d.correction, 10 * 6 * tolerance);
            /* each step errs by the tolerance of y, up to 6 m/s; a change of speed is 15 times as much of place, on the mean over 30 s */
            check_small(error[i], (double)result[i].steps * tolerance * 6 * 15);
            pendulum_error(method, tolerance, NULL, &loose, &free_result, y);
            assert_true(loose.position > 5 * d.correction);                                                     /* it would drift */
            assert_in_range(result[i].steps, 0.7 * (double)free_result.steps, 1.2 * (double)free_result.steps); /* no restarts */
        }
        assert_true(error[1] < error[0] / 300);
        /* orders are chosen high: four decades of tolerance are less than two of steps */
        assert_true(result[1].steps < 30 * result[0].steps);
    }
}

/* What moves nothing changes nothing, to the last digit: offsets are exact. */
static void a_projection_that_leaves_the_state_leaves_the_run(void **state)
{
    (void)state;
    need_all();
    FOR_EACH(method, theirs)
    {
        double y[2][4];
        drift d;
        dal_drive_result result[2];
        for (int i = 0; i < 2; i++)
            pendulum_error(method, 1e-8, i ? stay : NULL, &d, &result[i], y[i]);
        assert_int_equal(result[0].steps, result[1].steps);
        assert_int_equal(result[0].evaluations, result[1].evaluations);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
}

/* ---- the implicit form: a chain of points on links of length 1 ---- */

/* y = (r, v), z the link forces over their lengths; with d_i = r_i - r_{i-1}, w_i, a_i likewise
 *   r' = v,    v_i' = G - z_i d_i + z_{i+1} d_{i+1},
 *   d_i a_i + w_i w_i + 2 alpha d_i w_i + beta^2 (d_i d_i - 1) / 2 = 0   (Baumgarte) */
enum { LINKS = 12, UNKNOWNS = 5 * LINKS };
static const double alpha = 5, beta = 5;

typedef struct chain {
    int n; /* links */
    int start[UNKNOWNS + 1], row[UNKNOWNS * UNKNOWNS];
    long jacobians;
} chain;

static void ends_of_link(const double *x, int i, double d[2])
{
    for (int k = 0; k < 2; k++)
        d[k] = x[2 * i + k] - (i ? x[2 * i - 2 + k] : 0);
}

static double inner(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}

/* The tridiagonal system of the multipliers, then v'. */
static dal_flow chain_begin(void *user, double t, const double *y, double *yd, double *z)
{
    const int n = ((const chain *)user)->n;
    double diagonal[LINKS], beside[LINKS] = {0}, d[LINKS][2], w[2];
    (void)t;
    for (int i = 0; i < n; i++)
        ends_of_link(y, i, d[i]);
    for (int i = 0; i < n; i++) {
        ends_of_link(y + 2 * n, i, w);
        diagonal[i] = -(i ? 2 : 1) * inner(d[i], d[i]);
        beside[i] = i + 1 < n ? inner(d[i], d[i + 1]) : 0;
        z[i] = -inner(w, w) - 2 * alpha * inner(d[i], w) - beta * beta * (inner(d[i], d[i]) - 1) / 2;
        z[i] += i ? 0 : gravity * d[0][1];
    }
    for (int i = 1; i < n; i++) {
        double factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        z[i] -= factor * z[i - 1];
    }
    for (int i = n - 1; i >= 0; i--)
        z[i] = (z[i] - (i + 1 < n ? beside[i] * z[i + 1] : 0)) / diagonal[i];
    memcpy(yd, y + 2 * n, sizeof *y * 2 * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            yd[2 * n + 2 * i + k] = (k ? -gravity : 0) - z[i] * d[i][k] + (i + 1 < n ? z[i + 1] * d[i + 1][k] : 0);
    return 0;
}

static dal_flow chain_slope(void *user, double t, const double *y, double *dy)
{
    double z[LINKS];
    return chain_begin(user, t, y, dy, z);
}

static dal_flow chain_residual(void *user, double t, const double *y, const double *yd, const double *z, double *F)
{
    const int n = ((const chain *)user)->n;
    (void)t;
    for (int i = 0; i < n; i++) {
        double d[2], next[2] = {0, 0}, w[2], a[2];
        ends_of_link(y, i, d);
        ends_of_link(y + 2 * n, i, w);
        ends_of_link(yd + 2 * n, i, a);
        if (i + 1 < n)
            ends_of_link(y, i + 1, next);
        for (int k = 0; k < 2; k++) {
            F[2 * i + k] = yd[2 * i + k] - y[2 * n + 2 * i + k];
            F[2 * n + 2 * i + k] = yd[2 * n + 2 * i + k] + (k ? gravity : 0) + z[i] * d[k] - (i + 1 < n ? z[i + 1] * next[k] : 0);
        }
        F[4 * n + i] = inner(d, a) + inner(w, w) + 2 * alpha * inner(d, w) + beta * beta * (inner(d, d) - 1) / 2;
    }
    return 0;
}

/* dF/dy + c dF/dy' and dF/dz, by rows. */
static void chain_matrix(int n, double c, const double *y, const double *yd, const double *z, double J[UNKNOWNS][UNKNOWNS])
{
    memset(J, 0, sizeof(double) * UNKNOWNS * UNKNOWNS);
    for (int i = 0; i < n; i++) {
        double d[2], next[2], w[2], a[2];
        ends_of_link(y, i, d);
        ends_of_link(y + 2 * n, i, w);
        ends_of_link(yd + 2 * n, i, a);
        for (int k = 0; k < 2; k++) {
            int r = 2 * i + k, v = 2 * n + r, link = 4 * n + i;
            J[r][r] = c;
            J[r][v] = -1;
            J[v][v] = c;
            J[v][r] = z[i] + (i + 1 < n ? z[i + 1] : 0);
            J[v][link] = d[k];
            J[link][r] = a[k] + 2 * alpha * w[k] + beta * beta * d[k];
            J[link][v] = 2 * w[k] + 2 * alpha * d[k] + c * d[k];
            if (i) {
                J[v][r - 2] = -z[i];
                J[link][r - 2] = -J[link][r];
                J[link][v - 2] = -J[link][v];
            }
            if (i + 1 < n) {
                ends_of_link(y, i + 1, next);
                J[v][r + 2] = -z[i + 1];
                J[v][link + 1] = -next[k];
            }
        }
    }
}

static dal_flow chain_jacobian(void *user, double t, double c, const double *y, const double *yd, const double *z, double *entries)
{
    static double J[UNKNOWNS][UNKNOWNS];
    chain *p = user;
    (void)t;
    p->jacobians++;
    chain_matrix(p->n, c, y, yd, z, J);
    for (int j = 0; j < 5 * p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            entries[k] = J[p->row[k]][j];
    return 0;
}

static void find_pattern(chain *p, int n)
{
    static double J[UNKNOWNS][UNKNOWNS];
    double noise[3][4 * LINKS];
    uint64_t seed = 37;
    for (int i = 0; i < 3 * 4 * LINKS; i++)
        (&noise[0][0])[i] = check_random(&seed);
    *p = (chain){.n = n};
    chain_matrix(n, 1.37, noise[0], noise[1], noise[2], J);
    int k = 0;
    for (int j = 0; j < 5 * n; j++) {
        p->start[j] = k;
        for (int i = 0; i < 5 * n; i++)
            if (J[i][j] != 0)
                p->row[k++] = i;
    }
    p->start[5 * n] = k;
}

/* A hanging chain whose links begin at these angles, at rest. */
static void hang(int n, double *y)
{
    memset(y, 0, sizeof *y * 4 * (size_t)n);
    for (int i = 0; i < n; i++) {
        double angle = 0.9 - 0.13 * i;
        y[2 * i] = sin(angle) + (i ? y[2 * i - 2] : 0);
        y[2 * i + 1] = -cos(angle) + (i ? y[2 * i - 1] : 0);
    }
}

/* With few unknowns the matrix is dense, with sixty sparse. */
static void ida_solves_the_implicit_form_as_the_explicit_one_is_solved(void **state)
{
    (void)state;
    need_all();
    static const int sizes[] = {1, 2, LINKS};
    for (size_t i = 0; i < 3; i++) {
        static chain p;
        find_pattern(&p, sizes[i]);
        double truth[4 * LINKS], y[4 * LINKS];
        dal_implicit form = {.n_algebraic = p.n,
                             .n_entries = p.start[5 * p.n],
                             .start = p.start,
                             .row = p.row,
                             .begin = chain_begin,
                             .residual = chain_residual,
                             .jacobian = chain_jacobian};
        dal_ode ode = {.n = 4 * p.n, .n_control = 4 * p.n, .user = &p, .derivative = chain_slope};
        dal_drive_options options = within(0, 1.7, 1e-12, 1e-12);
        hang(p.n, truth);
        assert_int_equal(run_large(&dal_dopri5, &ode, &options, truth).end, DAL_END_REACHED);
        ode.implicit = &form;
        options = within(0, 1.7, 1e-8, 1e-8);
        hang(p.n, y);
        dal_drive_result result = run_large(&dal_ida, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_true(p.jacobians > 0);
        for (int k = 0; k < 4 * p.n; k++)
            check_close(y[k], truth[k], 3e-5); /* a chain multiplies errors; 1e3 steps of 1e-8 */
    }
}

/* ---- many unknowns ---- */

enum { MANY = 900 };

static dal_flow diffuse(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    for (int i = 0; i < MANY; i++)
        dy[i] = 400 * ((i ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < MANY ? y[i + 1] : 0));
    return 0;
}

/* Beyond DAL_SUNDIALS_DENSE no matrix of n^2 numbers is made by n evaluations. A wave decays at its own eigenvalue. */
static void many_unknowns_are_solved_without_a_matrix(void **state)
{
    (void)state;
    need_all();
    FOR_EACH(method, stiff_ones)
    {
        static double y[MANY];
        const double wave = acos(-1) * 7 / (MANY + 1), rate = 1600 * pow(sin(wave / 2), 2);
        for (int i = 0; i < MANY; i++)
            y[i] = sin(wave * (i + 1));
        dal_ode ode = {.n = MANY, .n_control = MANY, .derivative = diffuse};
        dal_drive_options options = within(0, 2, 1e-6, 1e-8);
        dal_drive_result result = run_large(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        for (int i = 0; i < MANY; i++)
            check_close(y[i], exp(-2 * rate) * sin(wave * (i + 1)), 1e-4);
        assert_true(result.evaluations < MANY);
    }
}

/* ---- failures ---- */

static dal_flow explode(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[0] * y[0];
    return 0;
}

static dal_flow refuse_begin(void *user, double t, const double *y, double *yd, double *z)
{
    (void)user, (void)t, (void)y, (void)yd, (void)z;
    return 3;
}

/* How a run ended, and how many bytes it wrote to stderr meanwhile. */
static dal_drive_result run_watched(const dal_integrator *method, const dal_ode *ode, double *y, long *printed)
{
    char name[] = "sundials_XXXXXX";
    dal_drive_options options = within(0, 5, 1e-9, 1e-9);
    int file = mkstemp(name), kept = dup(2);
    assert_true(file >= 0 && kept >= 0);
    unlink(name);
    fflush(stderr);
    dup2(file, 2);
    dal_drive_result result = run(method, ode, &options, y);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    *printed = lseek(file, 0, SEEK_END);
    close(file);
    return result;
}

static void failures_are_told_and_not_printed(void **state)
{
    (void)state;
    need_all();
    long printed;
    FOR_EACH(method, theirs)
    {
        dal_ode ode = {.n = 1, .n_control = 1, .derivative = explode};
        double y = 1.37;
        dal_drive_result result = run_watched(method, &ode, &y, &printed);
        assert_true(result.end == DAL_END_STEP_COLLAPSE || result.end == DAL_END_NOT_FINITE);
        check_close(result.t, 1 / 1.37, 1e-6);
        assert_true(isfinite(y) && y > 1e5);
        assert_int_equal(printed, 0);
    }
    static const int start[] = {0, 1}, row[] = {0};
    static const dal_implicit form = {.n_entries = 1, .start = start, .row = row, .begin = refuse_begin};
    dal_ode ode = {.n = 1, .n_control = 1, .derivative = explode, .implicit = &form};
    double y = 1.37;
    dal_drive_result result = run_watched(&dal_ida, &ode, &y, &printed);
    assert_int_equal(result.end, DAL_END_DERIVATIVE);
    assert_int_equal(result.flow, 3);
    assert_true(result.t == 0 && y == 1.37);
    assert_int_equal(printed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(stiffness_does_not_shorten_their_steps),
        cmocka_unit_test(robertsons_reactions_end_where_they_should),
        cmocka_unit_test(projection_keeps_the_constraints_and_the_accuracy_of_a_method_with_a_past),
        cmocka_unit_test(a_projection_that_leaves_the_state_leaves_the_run),
        cmocka_unit_test(ida_solves_the_implicit_form_as_the_explicit_one_is_solved),
        cmocka_unit_test(many_unknowns_are_solved_without_a_matrix),
        cmocka_unit_test(failures_are_told_and_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
