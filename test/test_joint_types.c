/* Joint types: what is derived from vector equations is right, and joints of such a type can be used as built-in ones. */
#include "gallery.h"
#include "dalembert/verdict.h"
#include "joint/joint.h"
#include "compile/build.h"

#define PLANAR "dalembert: 1\nspace: planar\ngravity: [0.3, -9.81]\n"

static dal_system *compile_text(const char *text, const char *family)
{
    return gallery_compile_text(text, family, "lagrange");
}

/* Positions, velocities and rows at the present q, v and t of the work. */
static void evaluate(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    layout->family->position(layout, &state->work);
    dal_rows_position(layout, &state->work);
    dal_rows_jacobian(layout, &state->work);
    layout->family->velocity(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
}

static void random_motion(dal_state *state, uint64_t *seed, double shift)
{
    const dal_layout *layout = &state->system->layout;
    for (int k = 0; k < layout->nq; k++)
        state->work.q[k] = state->y[k] + shift * check_random(seed);
    for (int k = 0; k < layout->nv; k++)
        state->work.v[k] = 2 * check_random(seed);
}

/* A v' of a row. */
static double row_times(const dal_state *state, int row, const double *vd)
{
    const dal_layout *layout = &state->system->layout;
    double sum = 0;
    for (int k = layout->row[row].value; k < layout->row[row].value + layout->row[row].n_values; k++)
        sum += state->work.A[k] * vd[layout->column[k]];
    return sum;
}

/* ---- the equations of `planar-component-library` ------------------------------------ */

static const double s_M[2] = {0.43, -0.27}, s_N[2] = {-0.31, 0.22};
static const double theta_il = 0.4, theta_jl = -0.7; /* of the axes in their bodies */

typedef struct vec {
    double x, y;
} vec;

static vec plus(vec a, double c, vec b)
{
    return (vec){a.x + c * b.x, a.y + c * b.y};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y;
}

/* What a body gives to the joint: (19), (25), (27) with G the origin of its frame. */
typedef struct port {
    vec P, V, J;      /* position, velocity, acceleration of the point */
    vec x, y;         /* the axes */
    double th, w, wd; /* angle of the axis x; rates of the body */
    vec arm;          /* from G to the point */
} port;

static port port_of(const double *q, const double *v, const double *vd, const double s[2], double turn)
{
    const double c = cos(q[2]), n = sin(q[2]);
    port p = {.th = q[2] + turn, .w = v[2], .wd = vd[2], .arm = {s[0] * c - s[1] * n, s[0] * n + s[1] * c}};
    p.x = (vec){cos(p.th), sin(p.th)};
    p.y = (vec){-sin(p.th), cos(p.th)};
    p.P = (vec){q[0] + p.arm.x, q[1] + p.arm.y};
    p.V = (vec){v[0] - v[2] * (s[0] * n + s[1] * c), v[1] + v[2] * (s[0] * c - s[1] * n)};
    p.J = (vec){vd[0] - vd[2] * (s[0] * n + s[1] * c) - v[2] * v[2] * (s[0] * c - s[1] * n),
                vd[1] + vd[2] * (s[0] * c - s[1] * n) - v[2] * v[2] * (s[0] * n + s[1] * c)};
    return p;
}

/* f = a sum of scalar products: coefficients of OM^2, ON^2, OM.ON, of OM and ON with x_i, y_i, x_j, y_j, and of axes of the two sides. */
typedef struct products {
    double MM, NN, MN, M[4], N[4], xx, xy, yx, yy;
} products;

typedef struct partial {
    vec OM, ON, xi, yi, xj, yj;
} partial;

static partial derivatives(const products *f, const port *i, const port *j)
{
    const vec e[4] = {i->x, i->y, j->x, j->y}, O = {0, 0};
    partial d = {.OM = plus(plus(O, 2 * f->MM, i->P), f->MN, j->P), .ON = plus(plus(O, 2 * f->NN, j->P), f->MN, i->P)};
    for (int a = 0; a < 4; a++) {
        d.OM = plus(d.OM, f->M[a], e[a]);
        d.ON = plus(d.ON, f->N[a], e[a]);
    }
    d.xi = plus(plus(plus(plus(O, f->M[0], i->P), f->N[0], j->P), f->xx, j->x), f->xy, j->y);
    d.yi = plus(plus(plus(plus(O, f->M[1], i->P), f->N[1], j->P), f->yx, j->x), f->yy, j->y);
    d.xj = plus(plus(plus(plus(O, f->M[2], i->P), f->N[2], j->P), f->xx, i->x), f->yx, i->y);
    d.yj = plus(plus(plus(plus(O, f->M[3], i->P), f->N[3], j->P), f->xy, i->x), f->yy, i->y);
    return d;
}

/* (24) */
static double rate_by_paper(const products *f, const port *i, const port *j)
{
    const partial d = derivatives(f, i, j);
    return dot(d.OM, i->V) + dot(d.ON, j->V) + i->w * (dot(d.xi, i->y) - dot(d.yi, i->x)) + j->w * (dot(d.xj, j->y) - dot(d.yj, j->x));
}

/* The last four lines of (26), for one point: velocities, not accelerations. */
static double mixed(const double c[4], vec V, const port *i, const port *j)
{
    return -2 * V.x * (i->w * (c[0] * sin(i->th) + c[1] * cos(i->th)) + j->w * (c[2] * sin(j->th) + c[3] * cos(j->th))) +
           2 * V.y * (i->w * (c[0] * cos(i->th) - c[1] * sin(i->th)) + j->w * (c[2] * cos(j->th) - c[3] * sin(j->th)));
}

/* (26), corrected: + before the sine, squares of rates and not of accelerations. */
static double acceleration_by_paper(const products *f, const port *i, const port *j)
{
    const partial d = derivatives(f, i, j);
    const double relative = i->th - j->th;
    return dot(d.OM, i->J) + dot(d.ON, j->J) + 2 * f->MM * dot(i->V, i->V) + 2 * f->NN * dot(j->V, j->V) + 2 * f->MN * dot(i->V, j->V) +
           i->wd * (dot(d.xi, i->y) - dot(d.yi, i->x)) + j->wd * (dot(d.xj, j->y) - dot(d.yj, j->x)) -
           i->w * i->w * (dot(d.xi, i->x) + dot(d.yi, i->y)) - j->w * j->w * (dot(d.xj, j->x) + dot(d.yj, j->y)) +
           2 * i->w * j->w * ((f->xx + f->yy) * cos(relative) + (f->xy - f->yx) * sin(relative)) + mixed(f->M, i->V, i, j) + mixed(f->N, j->V, i, j);
}

static void write_pair(char text[4000], const char *equations)
{
    snprintf(text, 4000,
             PLANAR "joint-types: {f: {equations: [%s]}}\n"
                    "bodies:\n  i: {mass: 1.3, inertia: 0.4, position: [0.21, -0.34], angle: 0.37, points: {M: {at: "
                    "[%.17g, %.17g], x: [%.17g, %.17g]}}}\n"
                    "  j: {mass: 0.6, inertia: 0.3, position: [0.81, 0.42], angle: -0.23, points: {N: {at: [%.17g, "
                    "%.17g], x: [%.17g, %.17g]}}}\n"
                    "joints: {f: {type: f, connect: [i.M, j.N]}}\n",
             equations, s_M[0], s_M[1], cos(theta_il), sin(theta_il), s_N[0], s_N[1], cos(theta_jl), sin(theta_jl));
}

static void sums_of_scalar_products_obey_the_generic_equations_of_the_paper(void **unused)
{
    (void)unused;
    uint64_t seed = 17;
    int compared = 0;
    for (int round = 0; round < 10; round++) {
        products f;
        double *c = (double *)&f, vd[6];
        char text[4000], equation[1500];
        for (int k = 0; k < 15; k++)
            c[k] = check_random(&seed);
        snprintf(equation, sizeof equation,
                 "\"%.17g*dot(M, M) + %.17g*dot(N, N) + %.17g*dot(M, N) + dot(M, %.17g*xi + %.17g*yi + %.17g*xj + %.17g*yj)"
                 " + dot(N, %.17g*xi + %.17g*yi + %.17g*xj + %.17g*yj) + %.17g*dot(xi, xj) + %.17g*dot(xi, yj) + "
                 "%.17g*dot(yi, xj) + %.17g*dot(yi, yj)\"",
                 f.MM, f.NN, f.MN, f.M[0], f.M[1], f.M[2], f.M[3], f.N[0], f.N[1], f.N[2], f.N[3], f.xx, f.xy, f.yx, f.yy);
        write_pair(text, equation);
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        if (dal_compile(NULL, spec, messages, &system) != DAL_OK) { /* such an equation may have no solution */
            dal_spec_free(spec);
            dal_messages_free(messages);
            continue;
        }
        dal_state *state = dal_state_create(NULL, system);
        assert_int_equal(system->mechanism.rows[0].form, -1); /* constant coefficients: the fast path */
        random_motion(state, &seed, 0.5);
        for (int k = 0; k < 6; k++)
            vd[k] = 3 * check_random(&seed);
        evaluate(state);
        const port i = port_of(state->work.q, state->work.v, vd, s_M, theta_il),
                   j = port_of(state->work.q + 3, state->work.v + 3, vd + 3, s_N, theta_jl);
        check_close(state->work.phid[0], rate_by_paper(&f, &i, &j), 1e-12);
        check_close(row_times(state, 0, vd) - state->work.gamma[0], acceleration_by_paper(&f, &i, &j), 1e-11);
        compared++;
        dal_state_free(state);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    assert_true(compared >= 5);
}

/* (28), (29), (30) of the translational joint (21), for the side whose y axis is used; th its angle, w, wd its rates. */
static double gap_28(const port *i, const port *j, double th)
{
    return -(j->P.x - i->P.x) * sin(th) + (j->P.y - i->P.y) * cos(th);
}

static double along(const port *i, const port *j, double th)
{
    return (j->P.x - i->P.x) * cos(th) + (j->P.y - i->P.y) * sin(th);
}

static double rate_29(const port *i, const port *j, double th, double w)
{
    return -(j->V.x - i->V.x) * sin(th) + (j->V.y - i->V.y) * cos(th) - w * along(i, j, th);
}

static double acceleration_30(const port *i, const port *j, double th, double w, double wd)
{
    return -(j->J.x - i->J.x) * sin(th) + (j->J.y - i->J.y) * cos(th) - wd * along(i, j, th) +
           2 * w * (-(j->V.x - i->V.x) * cos(th) - (j->V.y - i->V.y) * sin(th));
}

/* (22) with (16): what unit multipliers do on the coordinates of both bodies. */
static void forces_22(const port *i, const port *j, int k, double Q[6])
{
    const double th = k ? j->th : i->th, turn = -along(i, j, th);
    Q[0] = sin(th), Q[1] = -cos(th);
    Q[3] = -sin(th), Q[4] = cos(th);
    Q[2] = (k ? 0 : turn) + Q[1] * i->arm.x - Q[0] * i->arm.y;
    Q[5] = (k ? turn : 0) + Q[4] * j->arm.x - Q[3] * j->arm.y;
}

static void the_translational_joint_obeys_its_equations_of_the_paper(void **unused)
{
    (void)unused;
    char text[4000];
    uint64_t seed = 23;
    write_pair(text, "\"dot(N - M, yi)\", \"dot(N - M, yj)\"");
    dal_system *system = compile_text(text, "angle");
    dal_state *state = dal_state_create(NULL, system);
    for (int round = 0; round < 10; round++) {
        double vd[6], Q[6], unit[6] = {0};
        random_motion(state, &seed, 0.5);
        for (int k = 0; k < 6; k++)
            vd[k] = 3 * check_random(&seed);
        evaluate(state);
        const port i = port_of(state->work.q, state->work.v, vd, s_M, theta_il),
                   j = port_of(state->work.q + 3, state->work.v + 3, vd + 3, s_N, theta_jl);
        for (int k = 0; k < 2; k++) {
            const double th = k ? j.th : i.th, w = k ? j.w : i.w, wd = k ? j.wd : i.wd, f = gap_28(&i, &j, th);
            check_close(state->work.phi[k], f, 1e-13);
            check_close(state->work.phid[k], rate_29(&i, &j, th, w), 1e-13);
            /* the squared term that (30) drops is -theta'^2 f */
            check_close(row_times(state, k, vd) - state->work.gamma[k], acceleration_30(&i, &j, th, w, wd) - w * w * f, 1e-12);
            assert_true(fabs(w * w * f) > 1e-6);
            forces_22(&i, &j, k, Q);
            for (int c = 0; c < 6; c++) {
                unit[c] = 1;
                check_close(row_times(state, k, unit), Q[c], 1e-13);
                unit[c] = 0;
            }
        }
    }
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- derivatives ------------------------------------------------------------------------- */

static const double step = 2e-3;

/* d/ds of the rows' values and rates at q + s v, t + s with v as it is: sixth-order differences. In the family `angle` q' = v. */
static void check_derivatives(const char *name, dal_state *state)
{
    static const double weight[7] = {-1, 9, -45, 0, 45, -9, 1};
    const dal_layout *layout = &state->system->layout;
    double q[64], phi[64] = {0}, phid[64] = {0}, rate[64], gamma[64];
    const double t = 0.31;
    assert_true(layout->nq <= 64 && layout->nq == layout->nv && layout->n_rows <= 64);
    memcpy(q, state->work.q, sizeof(double) * (size_t)layout->nq);
    for (int s = 0; s < 7; s++) {
        state->work.t = t + (s - 3) * step;
        for (int k = 0; k < layout->nq; k++)
            state->work.q[k] = q[k] + (s - 3) * step * state->work.v[k];
        evaluate(state);
        for (int i = 0; i < layout->n_rows; i++) {
            phi[i] += weight[s] * state->work.phi[i] / (60 * step);
            phid[i] += weight[s] * state->work.phid[i] / (60 * step);
            if (s == 3) {
                rate[i] = state->work.phid[i];
                gamma[i] = state->work.gamma[i];
            }
        }
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row *row = &layout->mechanism->rows[layout->row[i].source];
        if (!row->nonholonomic && !(fabs(phi[i] - rate[i]) <= 1e-9 * fmax(1, fabs(rate[i]))))
            fail_msg("%s, row %d: rate %.12g, by differences %.12g", name, i, rate[i], phi[i]);
        if (!(fabs(phid[i] + gamma[i]) <= 1e-8 * fmax(1, fabs(gamma[i]))))
            fail_msg("%s, row %d: gamma %.12g, by differences %.12g", name, i, gamma[i], -phid[i]);
    }
}

static void differentiate(const char *name, dal_system *system)
{
    uint64_t seed = 29;
    dal_state *state = dal_state_create(NULL, system);
    for (int round = 0; round < 5; round++) {
        random_motion(state, &seed, 0.15);
        check_derivatives(name, state);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void rates_and_accelerations_of_the_library_are_derivatives(void **unused)
{
    (void)unused;
    glob_t found;
    char why[512];
    assert_int_equal(glob(DAL_MODELS "/joints/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        dal_system *system = gallery_compile(found.gl_pathv[i], "angle", "lagrange", why);
        if (!system)
            fail_msg("%s", why);
        differentiate(found.gl_pathv[i], system);
    }
    globfree(&found);
}

/* All that an equation may contain: triple products, rates of brackets, angular velocities, directions of the world, coefficients that
 * are functions, time. */
static void rates_and_accelerations_of_everything_an_equation_may_contain_are_derivatives(void **unused)
{
    (void)unused;
    static const char *const spatial[] = {"dot(cross(xi, yj), N - M) - 0.2",
                                          "dot(cross(N - M, zi), cross(xj, yi)) - 0.1",
                                          "norm(cross(N - M, zi)) - 0.4",
                                          "cross(N - M, xj) - 0.1*[1, 2, 3]",
                                          "dot(N - M - 0.3*sin(angle)*xi - t*yj, zi + 0.2*zj)",
                                          "dot(wj - wi, zi) - 0.3*sin(t)",
                                          "dot(N' - M' - cross(wi, N - M), yj)",
                                          "(norm(N - M)*cos(angle))' - 0.1*t",
                                          "dot(cross(wj, N - M), xj) - 0.2",
                                          "dot(N - M, [0.3, t, 0.2]) - 0.5*dot(N + M, xi)",
                                          "dot(xi + 0.5*xj, N' + M') + angle'*norm(N - M)"};
    static const char *const planar[] = {"cross(N - M, xi) - 0.2",
                                         "cross(N - M, N + M) + 0.3*t^2",
                                         "cross(xi, yj) + dot(N - M, xj)^2 - 1",
                                         "wj*norm(N - M) - dot(N' - M', yi)",
                                         "cross(N' - M', xj) + cross(N - M, xj')",
                                         "norm(2*(N - M) - 0.6*xi) - 1",
                                         "dot(M, N) - 1"};
    for (int space = 2; space <= 3; space++)
        for (size_t k = 0; k < (space == 3 ? sizeof spatial / sizeof *spatial : sizeof planar / sizeof *planar); k++) {
            char text[2000];
            const char *equation = space == 3 ? spatial[k] : planar[k];
            dal_messages *messages = dal_messages_create(NULL);
            dal_spec *spec = NULL;
            dal_system *system = NULL;
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: %s\njoint-types: {f: {equations: [\"%s\"]}}\nbodies:\n  i: {mass: 1.3, "
                     "%s}\n  j: {mass: 0.6, %s}\njoints: {f: {type: f, connect: [%s]}}\n",
                     space == 3 ? "spatial" : "planar", equation,
                     space == 3 ? "inertia: [0.3, 0.4, 0.5], position: [0.2, -0.3, 0.4], orientation: {euler-zyx: "
                                  "[0.3, 0.2, -0.4]}, points: {M: [0.4, 0.1, -0.3]}"
                                : "inertia: 0.3, position: [0.2, -0.3], angle: 0.4, points: {M: [0.4, 0.1]}",
                     space == 3 ? "inertia: [0.2, 0.1, 0.2], position: [1.1, 0.6, -0.2], orientation: {euler-zyx: "
                                  "[-0.1, 0.5, 0.3]}, points: {N: [-0.2, 0.3, 0.1]}"
                                : "inertia: 0.2, position: [1.1, 0.6], angle: -0.5, points: {N: [-0.2, 0.3]}",
                     "i.M, j.N");
            const bool read = dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK;
            if (!read || dal_compile_anyway(NULL, spec, messages, &system) != DAL_OK) /* the start need not close: only derivatives are of interest */
                fail_msg("%s: %s", equation, dal_messages_first(messages) ? dal_messages_first(messages)->text : "?");
            differentiate(equation, system);
            dal_spec_free(spec);
            dal_messages_free(messages);
        }
}

/* ---- used like a built-in joint ------------------------------------------------------------ */

enum { COLUMNS = 8, ROWS = 12 };

typedef struct rows {
    int n, count;
    double value[ROWS][COLUMNS];
} rows;

static dal_status keep(void *user, int n, const double *values)
{
    rows *r = user;
    assert_true(n <= COLUMNS && r->count < ROWS);
    r->n = n;
    memcpy(r->value[r->count++], values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static rows run(const char *text, const char *family)
{
    rows result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence;
    dal_system *system = compile_text(text, family);
    dal_sink sink = {&result, begin, keep};
    assert_int_equal(dal_run(system, &(dal_run_options){.sink = &sink}, messages, &evidence), DAL_OK);
    dal_system_free(system);
    dal_messages_free(messages);
    return result;
}

static void same_runs(const char *format, const char *built_in, const char *written)
{
    static const char *const families[] = {"angle", "natural", "joint"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        char text[2][4000];
        snprintf(text[0], sizeof text[0], "%s%s", format, built_in);
        snprintf(text[1], sizeof text[1], "%s%s", format, written);
        const rows a = run(text[0], families[f]), b = run(text[1], families[f]);
        assert_int_equal(a.count, b.count);
        for (int i = 0; i < a.count; i++)
            for (int k = 0; k < a.n; k++)
                check_close(a.value[i][k], b.value[i][k], 1e-7 * fmax(1, fabs(a.value[i][k])));
    }
}

static void coordinates_of_a_type_are_driven_sprung_started_and_recorded_as_built_in_ones(void **unused)
{
    (void)unused;
    const char *head = PLANAR "joint-types:\n"
                              "  pin: {equations: [N - M], coordinates: {angle: angle}}\n"
                              "  slider: {equations: [\"dot(N - M, yi)\", \"dot(xj, yi)\"], coordinates: {distance: \"dot(N - M, xi)\"}}\n"
                              "bodies:\n  a: {mass: 1.2, inertia: 0.3, center: [0.4, 0.1], position: [0, 0], angle: 0.2, points: {O: {at: "
                              "[0, 0], x: [1, 0]}, B: [0.7, 0.1]}}\n"
                              "  b: {mass: 0.5, inertia: 0.1, position: [0.9, 0.4], angle: 0.2}\n"
                              "ground: {points: {O: {at: [0, 0], x: [1, 0]}}}\n"
                              "forces:\n  spring: {type: spring-damper, joint: B, stiffness: 30, damping: 0.4, free: 0.2}\n"
                              "simulate: {until: 0.5, every: 0.05, rtol: 1e-11, atol: 1e-12}\n"
                              "record: [A.angle, A.drive, B.distance, B.distance', A.force, B.torque]\n";
    same_runs(head,
              "joints:\n  A: {type: revolute, connect: [ground.O, a.O], drive: 0.2 + 0.5*sin(3*t)}\n  B: {type: "
              "prismatic, connect: [a.B, b], axis: [0.6, 0.8], zero: 0.1}\n",
              "joints:\n  A: {type: pin, connect: [ground.O, a.O], drive: 0.2 + 0.5*sin(3*t)}\n  B: {type: slider, "
              "connect: [a.B, b], axis: [0.6, 0.8], zero: 0.1}\n");
}

/* Along an axis of the ground cross(zi, zj) has a component that is always zero: it is no equation, and the other two are a hinge. */
static void components_that_are_always_zero_are_left_out(void **unused)
{
    (void)unused;
    const char *head = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                       "joint-types:\n  hinge: {equations: [N - M, \"cross(zi, zj)\"]}\n"
                       "bodies:\n  arm: {mass: 1.1, inertia: [0.1, 0.2, 0.3], points: {A: [-1, 0, 0]}, position: [1, 0, 0]}\n"
                       "simulate: {until: 0.5, every: 0.05, rtol: 1e-11, atol: 1e-12}\nrecord: [arm.x, A.force, A.torque.y]\n";
    same_runs(head, "joints: {A: {type: revolute, connect: [ground, arm.A], axis: [0, 1, 0]}}\n",
              "joints: {A: {type: hinge, connect: [ground, arm.A], axis: [0, 1, 0]}}\n");
}

/* Two free bodies, no gravity: momenta are kept, unless an equation knows where the world is. Here N - M is upright at the start. */
static void momenta_count_as_conserved_unless_an_equation_names_the_world(void **unused)
{
    (void)unused;
    static const struct {
        const char *equation;
        bool conserved;
    } cases[] = {
        {"dot(N - M, yi) - 0.1*sin(t)", true}, {"N - M", true},        {"norm(N - M) - 1", true},
        {"dot(N - M, xi)' + wj - wi", true},   {"dot(N', xi)", false}, {"dot(N - M, [1, 0])", false},
        {"dot(N + M, [1, 0])", false},         {"wj", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\njoint-types: {T: {equations: [\"%s\"]}}\nbodies:\n"
                 "  a: {mass: 1.2, inertia: 0.3, position: [0, 0], angle: 0.2, rate: 1}\n"
                 "  b: {mass: 0.5, inertia: 0.1, position: [0, 1], angle: 0.5, velocity: [1, 0.3]}\n"
                 "joints: {J: {type: T, connect: [a, b]}}\n",
                 cases[i].equation);
        dal_system *system = compile_text(text, "angle");
        if ((system->conserved != 0) != cases[i].conserved)
            fail_msg("`%s`: momenta 0x%x", cases[i].equation, system->conserved);
        dal_system_free(system);
    }
}

/* The equations do not know where the world is: what they do to all bodies together is nothing. */
static void forces_on_all_sides_of_a_joint_balance(void **unused)
{
    (void)unused;
    const rows r = run(PLANAR "joint-types: {three: {equations: [\"dot(N - M, yk) - 0.2*dot(P - N, xi)\", \"norm(P - M) - 2*norm(P - "
                              "N)*cos(angle_jk)\"]}}\n"
                              "bodies:\n  a: {mass: 1.2, inertia: 0.3, position: [0, 0], angle: 0.2, rate: 1, points: {M: [0.3, 0.1]}}\n"
                              "  b: {mass: 0.5, inertia: 0.1, position: [0.9, 0.4], angle: 0.5, velocity: [1, 0.3], points: {N: [-0.2, "
                              "0.4]}}\n"
                              "  c: {mass: 0.9, inertia: 0.2, position: [0.4, 1.7], angle: -0.3, rate: -2, points: {P: [0.1, -0.3]}}\n"
                              "joints: {J: {type: three, connect: [a.M, b.N, c.P]}}\n"
                              "simulate: {until: 0.3, every: 0.03}\n"
                              "record: [J.M.force.x + J.N.force.x + J.P.force.x, J.M.force.y + J.N.force.y + J.P.force.y, "
                              "\"cross(a.M.position, J.M.force) + cross(b.N.position, J.N.force) + cross(c.P.position, J.P.force) + "
                              "J.M.torque + J.N.torque + J.P.torque\", J.force.x - J.N.force.x, J.torque - J.N.torque, norm(J.P.force), "
                              "J.M.torque]\n",
                       "angle");
    for (int i = 0; i < r.count; i++) {
        for (int k = 1; k <= 5; k++)
            check_small(r.value[i][k], 1e-11);
        assert_true(r.value[i][6] > 0.01 && fabs(r.value[i][7]) > 1e-4);
    }
}

static void a_type_of_an_included_model_knows_the_parameters_of_that_model(void **unused)
{
    (void)unused;
    const char *path = DAL_TEST_MODELS "/joint_types/whole.yaml";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    const int foot = dal_system_joint(system, "left.guide"), trunk = dal_system_joint(system, "A");
    assert_string_equal(system->mechanism.joints[foot].type->name, "slot");
    assert_int_equal(system->mechanism.joints[foot].n_rows, 1);
    check_close(system->mechanism.rows[system->mechanism.joints[foot].row].constant, 0.35, 0);
    assert_false(system->mechanism.rows[system->mechanism.joints[foot].row].angular);
    assert_true(system->mechanism.rows[system->mechanism.joints[trunk].row].angular);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void a_type_of_an_included_model_is_not_known_outside_nor_offered_there(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, DAL_TEST_MODELS "/joint_types/stranger.yaml", 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_BAD_MODEL);
    assert_non_null(strstr(dal_messages_first(messages)->text, "there is no type 'slot'"));
    assert_null(strstr(dal_messages_first(messages)->text, "did you mean 'slot'"));
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void repeated_joints_have_parameters_by_number(void **unused)
{
    (void)unused;
    dal_system *system = compile_text(PLANAR "joint-types: {rod: {equations: [norm(N - M) - L], required: [L]}}\n"
                                             "bodies: {b: {repeat: {i: 1..4}, mass: i, position: [i^2/2 + i/2, 0]}}\n"
                                             "joints:\n  first: {type: rod, connect: [ground, b.1], parameters: {L: 1}}\n"
                                             "  r: {repeat: {i: 2..4}, type: rod, connect: [\"b.{i-1}\", \"b.{i}\"], parameters: {L: i}}\n",
                                      "angle");
    for (int k = 0; k < 4; k++)
        check_close(system->mechanism.rows[k].constant, k + 1, 0);
    dal_system_free(system);
}

/* ---- what a type does to free bodies ---------------------------------------------------------- */

static dal_verdict *check_text(const char *text, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_verdict *verdict = NULL;
    assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    dal_check(spec, &(dal_check_options){0}, messages, &verdict);
    assert_non_null(verdict);
    dal_spec_free(spec);
    return verdict;
}

static bool warns(const dal_verdict *v, const char *part)
{
    for (int i = 0; i < v->n_warnings; i++)
        if (strstr(v->warnings[i]->text, part))
            return true;
    return false;
}

static void the_rank_loss_of_the_translational_joint_of_the_paper_is_found_and_the_other_form_has_none(void **unused)
{
    (void)unused;
    static const char *const equations[2] = {"\"dot(N - M, yi)\", \"dot(N - M, yj)\"", "\"dot(N - M, yi)\", \"dot(xj, yi)\""};
    for (int k = 0; k < 2; k++)
        for (int apart = 0; apart < 2; apart++) {
            char text[1000];
            dal_messages *messages = dal_messages_create(NULL);
            snprintf(text, sizeof text,
                     PLANAR "joint-types: {slide: {equations: [%s]}}\nbodies: {a: {mass: 1, inertia: 0.2, position: "
                            "[%s, 0], angle: 0}}\njoints: {A: {type: slide, connect: [ground, a], axis: [1, 0]}}\n",
                     equations[k], apart ? "0.3" : "0");
            dal_verdict *v = check_text(text, messages);
            assert_int_equal(v->n_written, 1);
            assert_int_equal(v->written[0].removed, k == 0 && !apart ? 1 : 2);
            assert_int_equal(v->written[0].removed_near, 2);
            assert_int_equal(warns(v, "starts in a singular position: it takes 1 freedom there and 2 nearby, because "
                                      "equations 1 `dot(N - M, yi)` and 2 `dot(N - M, yj)`"),
                             k == 0 && !apart);
            dal_verdict_free(v);
            dal_messages_free(messages);
        }
}

static void dependent_equations_are_told_by_number_and_text(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_verdict *v = check_text("dalembert: 1\nspace: spatial\njoint-types: {ball: {equations: [\"dot(xi, yj)\", N - "
                                "M, \"dot(N - M, xi + zj)\"]}}\n"
                                "bodies: {a: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], orientation: {axis: "
                                "[0, 0, 1], angle: 0}}}\njoints: {A: {type: ball, connect: [ground, a]}}\n",
                                messages);
    assert_int_equal(v->written[0].equations, 3);
    assert_int_equal(v->written[0].rows, 5);
    assert_int_equal(v->written[0].removed, 4);
    assert_int_equal(v->written[0].removed_near, 4);
    assert_true(warns(v, "equations 2 `N - M` and 3 `dot(N - M, xi + zj)` depend on one another; its 5 rows take 4 freedoms"));
    dal_verdict_free(v);
    dal_messages_free(messages);
}

static void a_joint_that_contradicts_itself_is_refused_by_its_name(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_verdict *v = check_text(PLANAR "joint-types: {odd: {equations: [\"dot(N - M, xi)\", \"dot(N - M, yi)\", \"dot(N - M, xi) - "
                                       "1\"]}}\nbodies: {a: {mass: 1, inertia: 0.2}}\njoints: {A: {type: odd, connect: [ground, a]}}\n",
                                messages);
    bool told = false;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        told |= m->severity == DAL_ERROR && strstr(m->text, "joint 'A' of type odd contradicts itself") &&
                strstr(m->text, "equations 1 `dot(N - M, xi)` and 3 `dot(N - M, xi) - 1`");
    assert_true(told);
    assert_int_equal(v->status, DAL_BAD_MODEL);
    dal_verdict_free(v);
    dal_messages_free(messages);
}

/* What rounding leaves of terms that cancel has a rank, and no meaning. */
static void an_equation_that_always_holds_is_refused_and_a_small_one_is_not(void **unused)
{
    (void)unused;
    static const char *const equations[] = {"dot(cross(N, yi), N + 0*P)", "dot(N - P, xj) + dot(P, xj) - dot(N, xj)", "1e-9*(norm(N - P) - 0.9)"};
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
        char text[1000], words[200];
        dal_messages *messages = dal_messages_create(NULL);
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\njoint-types: {T: {equations: [N - M, \"%s\"]}}\nbodies:\n"
                 "  a: {mass: 1, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3], orientation: {euler-zyx: [0.3, -0.2, "
                 "0.4]}}\n"
                 "  b: {mass: 1, inertia: [1, 2, 2.5], position: [0.4, -0.2, 0.3], orientation: {euler-zyx: [0.1, 0.5, "
                 "0.2]}, points: {N: [0.3, 0.4, -0.1]}}\n"
                 "joints: {A: {type: T, connect: [a, b.N, ground]}}\n",
                 equations[i]);
        snprintf(words, sizeof words, "equation 2 `%s` cannot be broken", equations[i]);
        dal_verdict *v = check_text(text, messages);
        bool told = false;
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            told |= m->severity == DAL_ERROR && strstr(m->text, words);
        assert_int_equal(told, i < 2);
        assert_int_equal(v->status, i < 2 ? DAL_BAD_MODEL : DAL_OK);
        dal_verdict_free(v);
        dal_messages_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_scalar_products_obey_the_generic_equations_of_the_paper),
        cmocka_unit_test(the_translational_joint_obeys_its_equations_of_the_paper),
        cmocka_unit_test(rates_and_accelerations_of_the_library_are_derivatives),
        cmocka_unit_test(rates_and_accelerations_of_everything_an_equation_may_contain_are_derivatives),
        cmocka_unit_test(coordinates_of_a_type_are_driven_sprung_started_and_recorded_as_built_in_ones),
        cmocka_unit_test(components_that_are_always_zero_are_left_out),
        cmocka_unit_test(momenta_count_as_conserved_unless_an_equation_names_the_world),
        cmocka_unit_test(forces_on_all_sides_of_a_joint_balance),
        cmocka_unit_test(a_type_of_an_included_model_knows_the_parameters_of_that_model),
        cmocka_unit_test(a_type_of_an_included_model_is_not_known_outside_nor_offered_there),
        cmocka_unit_test(repeated_joints_have_parameters_by_number),
        cmocka_unit_test(the_rank_loss_of_the_translational_joint_of_the_paper_is_found_and_the_other_form_has_none),
        cmocka_unit_test(dependent_equations_are_told_by_number_and_text),
        cmocka_unit_test(a_joint_that_contradicts_itself_is_refused_by_its_name),
        cmocka_unit_test(an_equation_that_always_holds_is_refused_and_a_small_one_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
