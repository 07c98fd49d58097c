/* Constraints that are not linear in the rates: references, every formulation against the others, and what is refused. */
#include "gallery.h"
#include "state/report.h"
#include "text_runs.h"

static const char tight[] = "integrator=dopri5 rtol=1e-12 atol=1e-14";
static const char *const families[] = {"angle", "euler", "natural", "joint", NULL};

/* Does a formulation apply? */
static bool applies(const char *message)
{
    return !strstr(message, "needs ignorable coordinates") && !strstr(message, "works over the joint tree") &&
           !strstr(message, "component needs `coordinates: angle`") && !strstr(message, "inertia");
}

/* ---- references ------------------------------------------------------------------------------------------- */

/* Every family and formulation, to 1e-9 of the reference. */
static void follow(const char *what, const char *text, const json *root, const char *settings)
{
    const char *formulation, *title;
    static const char *const keys[] = {"q_v", NULL};
    reference r = {0};
    int runs = 0;
    double worst = 0;
    read_times(&r, root, keys);
    for (int f = 0; families[f]; f++)
        for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
            char all[300];
            const char *channel = "";
            double when = 0;
            snprintf(all, sizeof all, "coordinates=%s formulation=%s %s %s", families[f], formulation, tight, settings);
            trajectory result = run_text(text, all);
            if (!applies(result.message))
                continue;
            if (result.status != DAL_OK)
                fail_msg("%s, %s: %s", what, all, result.message);
            double gap = miss(&r, &result, &channel, &when);
            worst = fmax(worst, gap);
            if (!(gap < 1e-9))
                fail_msg("%s, %s: misses the reference by %.3g at t = %g", what, all, gap, when);
            if (!(result.evidence.energy_drift < 1e-8))
                fail_msg("%s, %s: energy drifts by %.3g", what, all, result.evidence.energy_drift);
            free(result.value);
            runs++;
        }
    assert_true(runs >= 4 * 8 + 3); /* recursive in one family, component in two */
    print_message("  %s: %d runs, misses by %.1e\n", what, runs, worst);
}

static void constant_speed_follows_the_closed_form(void **unused)
{
    (void)unused;
    json_file file;
    json *root = open_reference(&file, "constant_speed");
    follow("plane",
           "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
           "bodies: {p: {mass: 1, position: [0, 0], velocity: [3*cos(1), 3*sin(1)]}}\n"
           "constraints: {speed: {velocity: \"p.x'^2 + p.y'^2 - 9\"}}\nrecord: [p.position, p.velocity]\n",
           json_get(root, "plane"), "until=1 every=0.05");
    follow("space",
           "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
           "bodies: {p: {mass: 1, position: [0, 0, 0], velocity: [2, -1, 1.5]}}\n"
           "constraints: {speed: {velocity: \"dot(p.velocity, p.velocity) - 7.25\"}}\nrecord: [p.position, p.velocity]\n",
           json_get(root, "space"), "until=1 every=0.05");
    follow("spring",
           "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
           "bodies: {p: {mass: 1, position: [0.3, -0.2, 0.1], velocity: [2, -1, 1.5]}}\n"
           "forces: {s: {type: force, body: p, value: [-4*p.x, -9*p.y, -16*p.z]}}\n"
           "constraints: {speed: {velocity: norm(p.velocity) - sqrt(7.25)}}\nrecord: [p.position, p.velocity]\n",
           json_get(root, "spring"), "until=2 every=0.25");
    json_close(&file);
}

#define CONE(w)                                                                                                                                      \
    "dalembert: 1\nspace: spatial\nparameters: {k: 0.5, al: 0.7}\ngravity: [0, 0, -9.81]\n"                                                          \
    "bodies: {p: {mass: 2, position: [0, 0, 0], velocity: [k*abs(" w ")*cos(al), k*abs(" w ")*sin(al), " w "]}}\n"                                   \
    "constraints: {cone: {velocity: \"p.x'^2 + p.y'^2 - k^2*p.z'^2\"}}\nrecord: [p.position, p.velocity]\n"

static void appells_particle_follows_the_closed_form(void **unused)
{
    (void)unused;
    json_file file;
    json *root = open_reference(&file, "appell_hamel");
    follow("upwards", CONE("2"), json_at(json_get(root, "results"), 0), "until=0.25 every=0.05");
    follow("downwards", CONE("-1"), json_at(json_get(root, "results"), 1), "until=1 every=0.05");
    json_close(&file);
}

/* The vertex of the cone, at t = 0.254842: no method and no formulation goes on. */
static void a_run_ends_where_two_roots_meet(void **unused)
{
    (void)unused;
    static const char *const integrators[] = {"dopri5", "rk4 step=0.01", "rk6 step=0.003", "cvode-adams", "cvode-bdf", NULL};
    const char *formulation, *title;
    for (int k = 0; integrators[k]; k++)
        for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
            char settings[200];
            snprintf(settings, sizeof settings, "formulation=%s integrator=%s until=1 every=0.01", formulation, integrators[k]);
            trajectory result = run_text(CONE("2"), settings);
            if (!applies(result.message) || strstr(result.message, "SUNDIALS"))
                continue;
            if (result.status == DAL_OK || !strstr(result.message, "roots"))
                fail_msg("%s: %s", settings, result.message);
            assert_true(result.evidence.time_end < 0.254843);
            for (int row = 0; row < result.rows; row++)
                assert_true(at(&result, row, 6) > 0);
            free(result.value);
        }
}

/* The derivatives of one row do not vanish, but become those of another one: |v| = 3 and a z' that grows to 3 at t = 2. Beyond there is no root. */
static void a_run_ends_where_rows_have_no_root_in_common(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\nbodies: {p: {mass: 1, position: [0, 0, 0], velocity: [sqrt(8), 0, 1]}}\n"
                               "constraints: {speed: {velocity: \"dot(p.velocity, p.velocity) - 9\"}, lift: {velocity: \"p.z' - 1 - t\"}}\n"
                               "record: [p.velocity]\n";
    static const char *const integrators[] = {"dopri5", "rk4 step=0.01", "cvode-bdf", NULL};
    const char *formulation, *title;
    for (int k = 0; integrators[k]; k++)
        for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s stabilization=mass-projection integrator=%s until=3 every=0.1",
                     !strcmp(formulation, "recursive") ? "joint" : "angle", formulation, integrators[k]);
            trajectory result = run_text(text, settings);
            if (!applies(result.message) || strstr(result.message, "SUNDIALS"))
                continue;
            if (result.status == DAL_OK || !strstr(result.message, "root"))
                fail_msg("%s: %s", settings, result.message);
            assert_true(result.evidence.time_end < 2 + 0.01 + 1e-9);
            assert_true(result.rows >= 20);
            for (int row = 0; row < 20; row++) /* the speed is kept until then */
                check_close(hypot(at(&result, row, 1), at(&result, row, 2)), sqrt(9 - pow(1 + at(&result, row, 0), 2)), 1e-6);
            free(result.value);
        }
}

/* What was not held is told, also where no position and no energy shows it: large steps without stabilization. */
static void velocities_that_miss_their_constraint_are_told(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nbodies: {p: {mass: 1, position: [0, 0], velocity: [3, 0]}}\n"
                               "forces: {f: {type: force, body: p, value: [0, %s]}}\n"
                               "constraints: {c: {velocity: \"%s\"}}\nrecord: [p.velocity]\n";
    static const char *const cases[][3] = {
        {"9*cos(3*t)", "p.x'^2 + p.y'^2 - 9", "stabilization=none integrator=rk4 step=0.45 until=4.5"},
        {"40*cos(7*t)", "sin(2*t)*p.x' - cos(2*t)*p.y'", "stabilization=none integrator=rk4 step=0.5 until=5"}, /* a blade that turns */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int held = 0; held < 2; held++) {
            char model[1000], settings[200];
            snprintf(model, sizeof model, text, cases[i][0], cases[i][1]);
            snprintf(settings, sizeof settings, "%s", held ? "rtol=1e-9 until=4.5" : cases[i][2]);
            trajectory run = run_text_well(model, settings);
            bool told = false;
            for (int k = 0; k < 16 && run.warned[k]; k++)
                told |= !strcmp(run.warned[k], "joints-open");
            if (told == held)
                fail_msg("case %zu, %s: the velocities miss by %.3g", i, settings, run.evidence.velocity_residual);
            free(run.value);
        }
}

/* ---- formulations against one another ---------------------------------------------------------------------- */

static const char *const models[] = {
    /* not homogeneous, and moved by time */
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies: {p: {mass: 1.3, position: [0.1, 0.2, 0.3], velocity: [1, -0.5, 0.7]}}\n"
    "constraints: {speed: {velocity: \"dot(p.velocity, p.velocity) - (1.74 + 0.4*sin(2*t))*(1 + 0.1*p.x - 0.01)\"}}\n",
    /* angular velocity of constant magnitude */
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies: {b: {mass: 1.3, inertia: [0.3, 0.2, 0.14], center: [0.1, 0.03, -0.05], velocity: [0.3, -0.5, 0.7], angular-velocity: [1, 2, -0.5],\n"
    "             points: {E: [0.4, 0.1, 0.2]}}}\n"
    "forces: {s: {type: spring-damper, connect: [ground, b.E], stiffness: 30, length: 0.2}}\n"
    "constraints: {spin: {velocity: \"dot(b.omega, b.omega) - 5.25\"}}\n",
    /* a body of which a point has a speed that is given, and the squared condition of rolling */
    "dalembert: 1\nspace: planar\ngravity: [0.7, -9.81]\n"
    "bodies: {b: {mass: 1.3, inertia: 0.4, position: [0, 0.5], velocity: [0.8, 0.1], rate: -1.9, points: {E: [0.3, 0.2]}}}\n"
    "constraints: {roll: {velocity: (b.x' + 0.5*b.omega)^2 + b.y'^2 - 0.0325}}\n",
    /* joined to a pendulum */
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1.37, inertia: 0.21, points: {S: [-0.6, 0], E: [0.5, 0.1]}}\n"
    "  b: {mass: 0.91, inertia: 0.13, points: {S: [-0.45, 0], E: [0.4, 0]}}\n"
    "joints:\n"
    "  p: {type: revolute, connect: [ground, a.S], start: {angle: 0.3, rate: 0.7}}\n"
    "  ab: {type: revolute, connect: [a.E, b.S], start: {angle: 0.6, rate: -1.8}}\n"
    "constraints: {kin: {velocity: 0.5*a.omega^2 + 0.8*b.omega^2 + 0.3*a.omega*b.omega - 1 - 0.2*b.x^2}}\n",
    /* redundant: the same twice, and its root */
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies: {p: {mass: 1.3, position: [0.1, 0.2, 0.3], velocity: [1, -0.5, 0.7]}, q: {mass: 0.4, position: [1, 0, 0], velocity: [0, 0.3, 0.2]}}\n"
    "forces: {s: {type: spring-damper, connect: [p, q], stiffness: 7, length: 0.5}}\n"
    "constraints:\n"
    "  one: {velocity: \"dot(p.velocity, p.velocity) - 1.74\"}\n"
    "  two: {velocity: \"dot(p.velocity, p.velocity) - 1.74\"}\n"
    "  three: {velocity: norm(p.velocity) - sqrt(1.74)}\n",
    /* a body on a ball, quadratic in the velocity of a point and in its own turn, moved by time */
    "dalembert: 1\nspace: spatial\ngravity: [0.5, -0.3, -9.81]\n"
    "bodies: {b: {mass: 1.3, inertia: {xx: 0.3, yy: 0.2, zz: 0.14, xy: 0.02, yz: -0.01}, center: [0.1, 0.03, -0.05],\n"
    "             points: {S: [-0.3, 0.1, 0], E: [0.4, 0.1, 0.2]}, angular-velocity: [1, 2, -0.5]}}\n"
    "joints: {ball: {type: spherical, connect: [ground, b.S]}}\n"
    "constraints: {c: {velocity: \"(1 + 0.2*sin(3*t))*dot(b.E.velocity, b.E.velocity) + 0.3*b.omega.x*b.omega.z - 2.1 - 0.4*b.E.z\"}}\n",
    /* two bodies of space on skew hinges, one of them driven; a product of their turns, a cube, and time in both rows */
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "ground: {points: {O: {at: [0, 0, 0], z: [0.3, 0.2, 1]}}}\n"
    "bodies:\n"
    "  a: {mass: 1.2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.2, 0], points: {S: {at: [0, 0, 0], z: [0.3, 0.2, 1]}, E: {at: [0.4, 0.1, -0.2], z: "
    "[1, 0.4, 0]}}}\n"
    "  b: {mass: 0.7, inertia: [0.08, 0.05, 0.06], center: [0.2, 0, 0.1], points: {S: {at: [-0.1, 0, 0.1], z: [1, 0.4, 0]}, E: {at: [0.3, 0.1, 0], "
    "z: [0, 1, 0.2]}}}\n"
    "  c: {mass: 0.5, inertia: [0.03, 0.02, 0.04], center: [0.1, 0.1, 0], points: {S: {at: [0, 0.1, 0], z: [0, 1, 0.2]}}}\n"
    "joints:\n"
    "  p: {type: revolute, connect: [ground.O, a.S], start: {angle: 0.2}, drive: 0.2 + 0.9*t + 0.1*sin(2*t)}\n"
    "  q: {type: revolute, connect: [a.E, b.S], start: {angle: 0.5, rate: 1.1}}\n"
    "  r: {type: revolute, connect: [b.E, c.S], start: {angle: -0.4, rate: 1.6}}\n"
    "constraints: {mix: {velocity: \"dot(b.omega, c.omega)*(1 + 0.1*t) + 0.05*c.omega.x^3 - 4 - 0.3*sin(r.angle)\"}}\n",
    /* ignorable: y, in which nothing acts */
    "dalembert: 1\nspace: planar\ngravity: [-9.81, 0]\n"
    "bodies:\n"
    "  c: {mass: 2, inertia: 0.1, position: [0, 0], velocity: [0, 0.4]}\n"
    "  b: {mass: 0.91, inertia: 0.13, points: {S: [-0.45, 0], E: [0.4, 0]}}\n"
    "joints:\n"
    "  rail: {type: prismatic, connect: [ground, c], axis: [0, 1]}\n"
    "  cb: {type: revolute, connect: [c, b.S], start: {angle: 0.6, rate: -1.8}}\n"
    "constraints: {spin: {velocity: b.omega^2*(1 + 0.3*sin(b.angle)) - 3.24*(1 + 0.3*sin(0.6)) - 0.2*t}}\n",
};
enum { MODELS = sizeof models / sizeof *models };

static dal_system *compiled(const char *text, const char *family, const char *formulation, char why[512])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    why[0] = '\0';
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", family, messages);
        dal_spec_set(spec, "formulation", formulation, messages);
        dal_spec_set(spec, "stabilization", "direct-correction=1e-12", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !why[0])
            dal_message_format(m, why, 512);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static double difference(dal_state *a, dal_state *b)
{
    double worst = 0, size = 1;
    for (int i = 0; i < a->mechanism->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(x.acceleration[k]), fabs(x.alpha[k])));
            if (!isfinite(y.acceleration[k]) || !isfinite(y.alpha[k]))
                return INFINITY;
        }
    }
    return worst / size;
}

static void formulations_agree_at_random_states(void **unused)
{
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        char why[512];
        const char *formulation, *title;
        dal_system *system = compiled(models[m], "angle", "lagrange", why);
        if (!system)
            fail_msg("model %d: %s", m, why);
        dal_state *from = dal_state_create(NULL, system);
        double worst = 0;
        int compared = 0, reduced = 0;
        uint64_t seed = 17 + (uint64_t)m;
        for (int k = 0; k < 4; k++) {
            if (!gallery_random_state(from, &seed, 0.3 * k, 0.2, 1.5))
                continue;
            assert_int_equal(dal_state_evaluate(from, NULL), DAL_OK);
            for (int f = 0; families[f]; f++)
                for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
                    if (!check_chosen(k + f + i, 3))
                        continue;
                    dal_system *other = compiled(models[m], families[f], formulation, why);
                    if (!other && !applies(why))
                        continue;
                    if (!other)
                        fail_msg("model %d, %s, %s: %s", m, families[f], formulation, why);
                    dal_state *to = dal_state_create(NULL, other);
                    gallery_copy_motion(from, to);
                    if (dal_state_evaluate(to, NULL) != DAL_OK)
                        fail_msg("model %d, %s, %s: %s", m, families[f], formulation, to->report->trouble);
                    const double gap = difference(from, to);
                    worst = fmax(worst, gap);
                    if (!(gap < 1e-9))
                        fail_msg("model %d, %s, %s: accelerations differ by %.3g", m, families[f], formulation, gap);
                    reduced += !strcmp(formulation, "routh") || !strcmp(formulation, "volterra-reduced");
                    compared++;
                    dal_state_free(to);
                    dal_system_free(other);
                }
        }
        assert_true(compared > (check_chosen(1, 2) ? 30 : 10));
        assert_true(m < MODELS - 1 || reduced > 0);
        print_message("  model %d: %d comparisons, %.1e\n", m, compared, worst);
        dal_state_free(from);
        dal_system_free(system);
    }
}

/* A = dphi/dv and A v' - gamma = phi', against central differences of phi along the motion. */
static void rows_are_derivatives_of_phi(void **unused)
{
    (void)unused;
    for (int m = 0; m < MODELS; m++)
        for (int f = 0; families[f]; f++) {
            char why[512];
            dal_system *system = compiled(models[m], families[f], "lagrange", why);
            assert_non_null(system);
            dal_state *state = dal_state_create(NULL, system);
            const dal_layout *layout = state->layout;
            const size_t n = (size_t)layout->nv, r = (size_t)layout->n_rows;
            double *v = calloc(n, sizeof *v), *q = calloc((size_t)layout->nq, sizeof *q), *a = calloc(n, sizeof *a), *dv = calloc(n, sizeof *dv),
                   *row = calloc(2 * r, sizeof *row), *A = calloc((size_t)layout->n_values, sizeof *A), *gamma = calloc(r, sizeof *gamma),
                   *Aa = calloc(r, sizeof *Aa);
            uint64_t seed = 5;
            dal_work *w = &state->work;
            for (size_t k = 0; k < n; k++)
                w->v[k] += 0.1 * check_random(&seed), a[k] = check_random(&seed);
            memcpy(v, w->v, sizeof *v * n);
            memcpy(q, w->q, sizeof *q * (size_t)layout->nq);
            w->t = 0.37;
            dal_layout_motion(layout, w);
            memcpy(A, w->A, sizeof *A * (size_t)layout->n_values);
            memcpy(gamma, w->gamma, sizeof *gamma * r);
            dal_rows_times(layout, A, a, Aa);
            const double h = 1e-5;
            for (int along = 0; along < 2; along++) { /* by v alone; along the motion with accelerations a */
                for (int end = 0; end < 2; end++) {
                    const double s = end ? h : -h;
                    memcpy(w->q, q, sizeof *q * (size_t)layout->nq);
                    for (size_t k = 0; k < n; k++) {
                        dv[k] = s * v[k] + 0.5 * s * s * a[k];
                        w->v[k] = v[k] + s * a[k];
                    }
                    if (along)
                        layout->family->add(layout, w->q, dv);
                    w->t = 0.37 + (along ? s : 0);
                    dal_layout_motion(layout, w);
                    memcpy(row + (size_t)end * r, w->phid, sizeof *row * r);
                }
                for (int i = 0; i < layout->n_extrinsic; i++)
                    if (layout->mechanism->rows[layout->row[i].source].curved)
                        check_close((row[r + (size_t)i] - row[i]) / (2 * h), Aa[i] - (along ? gamma[i] : 0), 1e-7);
            }
            free(v), free(q), free(a), free(dv), free(row), free(A), free(gamma), free(Aa);
            dal_state_free(state);
            dal_system_free(system);
        }
}

/* d2T/du2 = W^T M W + dT/dv . d2v/du2, against differences of the kinetic energy as a function of the speeds. */
static void the_energy_is_no_quadratic_form_of_the_speeds(void **unused)
{
    (void)unused;
    int speeds = 0;
    for (int m = 0; m < MODELS; m++) {
        char why[512];
        dal_system *system = compiled(models[m], "angle", "volterra", why);
        assert_non_null(system);
        dal_state *state = dal_state_create(NULL, system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        dal_speeds *s = state->speeds->basis;
        const int p = s->p, nq = state->layout->nq;
        double *y = calloc((size_t)s->n, sizeof *y), *H = calloc((size_t)(p * p), sizeof *H), *u = state->y + nq;
        dal_speeds_curving(state, y);
        for (int j = 0; j < p; j++)
            for (int l = 0; l <= j; l++)
                H[j * p + l] = s->K[j * p + l] + dal_speeds_curved(state, y, j, l);
        const double h = 1e-4;
        for (int j = 0; j < p; j++)
            for (int l = 0; l <= j; l++) {
                double T[4], c[3], spin[3];
                const double uj = u[j], ul = u[l];
                for (int k = 0; k < 4; k++) {
                    u[j] = uj, u[l] = ul;
                    u[j] += k & 1 ? h : -h;
                    u[l] += k & 2 ? h : -h;
                    assert_int_equal(dal_state_unpack(state, state->work.t, state->y), 0);
                    dal_state_velocity(state);
                    T[k] = dal_kinetic(state->layout, &state->work, c, spin);
                }
                u[j] = uj, u[l] = ul;
                check_close((T[3] - T[2] - T[1] + T[0]) / (4 * h * h), H[j * p + l], 1e-5 * (1 + fabs(H[j * p + l])));
                speeds++;
            }
        free(y), free(H);
        dal_state_free(state);
        dal_system_free(system);
    }
    assert_true(speeds > 20);
}

static void energy_balances_though_the_reaction_works(void **unused)
{
    (void)unused;
    const char *formulation, *title;
    for (int m = 0; m < MODELS; m++)
        for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
            char settings[200], text[3000];
            if (!check_chosen(m + i, 2))
                continue;
            const char *family = !strcmp(formulation, "component") ? "angle" : "joint";
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=0.6 every=0.1 rtol=1e-10 atol=1e-12", family, formulation);
            snprintf(text, sizeof text, "%srecord: [energy]\n", models[m]);
            trajectory result = run_text(text, settings);
            if (!applies(result.message))
                continue;
            if (result.status != DAL_OK)
                fail_msg("model %d, %s: %s", m, settings, result.message);
            if (!(result.evidence.energy_drift < 1e-8 && result.evidence.velocity_residual < 1e-8))
                fail_msg("model %d, %s: energy drifts by %.3g, rows by %.3g", m, settings, result.evidence.energy_drift,
                         result.evidence.velocity_residual);
            free(result.value);
        }
}

static void every_stabilization_holds_them(void **unused)
{
    (void)unused;
    const char *name, *title;
    for (int i = 0; dal_list_entry("stabilization", i, &name, &title); i++)
        for (int kane = 0; kane < 2; kane++) {
            char settings[200], text[3000];
            snprintf(settings, sizeof settings, "stabilization=%s formulation=%s until=0.5 every=0.1 rtol=1e-10 atol=1e-12", name,
                     kane ? "kane" : "lagrange");
            snprintf(text, sizeof text, "%srecord: [b.position, b.velocity]\n", models[3]);
            trajectory result = run_text(text, settings), plain = run_text_well(text, "until=0.5 every=0.1 rtol=1e-12 atol=1e-14");
            if (kane && strstr(result.message, "penalty")) {
                free(plain.value);
                continue;
            }
            if (result.status != DAL_OK)
                fail_msg("%s: %s", settings, result.message);
            for (int k = 1; k < result.n; k++)
                check_close(last(&result, k), last(&plain, k), 2e-7);
            free(result.value), free(plain.value);
        }
}

/* ---- the linear one in disguise ------------------------------------------------------------------------------ */

static void a_linear_constraint_times_a_positive_factor_moves_alike(void **unused)
{
    (void)unused;
    static const char sleigh[] =
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1.2, inertia: 0.15, position: [0, 0], angle: 0.3, velocity: [-0.7, 0.2], rate: 1.5,\n"
        "   points: {P: [-0.4, 0]}}}\nrecord: [b.position, b.angle]\nconstraints:\n  blade: {velocity: \"%s\"}\n";
    static const char *const linear = "-sin(b.angle)*b.x' + cos(b.angle)*b.y' - 0.4*b.omega";
    const char *formulation, *title;
    char text[2][1500], curved[600];
    snprintf(curved, sizeof curved, "(%s)*(1 + 0.3*b.x'^2 + 0.2*b.omega^2 + 0.1*t)", linear);
    snprintf(text[0], sizeof text[0], sleigh, linear);
    snprintf(text[1], sizeof text[1], sleigh, curved);
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
        char settings[200];
        snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=2 every=0.5 %s",
                 !strcmp(formulation, "recursive") ? "joint" : "angle", formulation, tight);
        trajectory a = run_text(text[0], settings), b = run_text(text[1], settings);
        if (!applies(a.message))
            continue;
        if (a.status != DAL_OK || b.status != DAL_OK)
            fail_msg("%s: %s%s", settings, a.message, b.message);
        for (int k = 1; k < a.n; k++)
            check_close(last(&a, k), last(&b, k), 1e-9);
        free(a.value), free(b.value);
    }
}

/* In coordinates of the model's own, with a cart that time moves as well. */
static void own_coordinates_take_them(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "coordinates: {x: {start: 0, rate: 1}, th: {start: 0.4, rate: 1.2}}\n"
                               "bodies:\n"
                               "  cart: {mass: 2, position: [x + 0.1*sin(t), 0]}\n"
                               "  bob: {mass: 0.7, from: cart, position: [0.9*sin(th), -0.9*cos(th)]}\n"
                               "constraints: {c: {velocity: \"x'^2 + 0.5*th'^2 - 1.72 - 0.1*t + 0.2*x\"}}\n"
                               "record: [x, th, x', th']\n";
    const char *formulation, *title;
    trajectory first = run_text_well(text, "formulation=lagrange until=1 every=0.1 integrator=dopri5 rtol=1e-12 atol=1e-14");
    int runs = 0;
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++, runs++) {
        char settings[200];
        snprintf(settings, sizeof settings, "formulation=%s until=1 every=0.1 %s", formulation, tight);
        trajectory result = run_text(text, settings);
        if (!applies(result.message)) {
            runs--;
            continue;
        }
        if (result.status != DAL_OK)
            fail_msg("%s: %s", settings, result.message);
        assert_true(result.evidence.energy_drift < 1e-8);
        for (int k = 1; k < result.n; k++)
            check_close(last(&result, k), last(&first, k), 1e-9);
        free(result.value);
    }
    assert_int_equal(runs, 8);
    free(first.value);
}

/* ---- saved and restored ---------------------------------------------------------------------------------------- */

static void a_saved_simulation_goes_on_bit_for_bit(void **unused)
{
    (void)unused;
    const char *formulation, *title;
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
        char why[512];
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = compiled(models[0], !strcmp(formulation, "component") ? "angle" : "joint", formulation, why);
        if (!system) {
            assert_false(applies(why));
            dal_messages_free(messages);
            continue;
        }
        dal_simulation *whole, *part;
        assert_int_equal(dal_simulation_create(system, NULL, messages, &whole), DAL_OK);
        assert_int_equal(dal_simulation_create(system, NULL, messages, &part), DAL_OK);
        assert_int_equal(dal_step(whole, 0.3), DAL_OK);
        size_t size = dal_simulation_save(whole, NULL, 0);
        char *blob = malloc(size);
        assert_int_equal(dal_simulation_save(whole, blob, size), size);
        assert_int_equal(dal_simulation_restore(part, blob, size), DAL_OK);
        assert_int_equal(dal_step(whole, 0.7), DAL_OK);
        assert_int_equal(dal_step(part, 0.7), DAL_OK);
        int n, other;
        const double *a = dal_simulation_values(whole, &n), *b = dal_simulation_values(part, &other);
        assert_int_equal(n, other);
        assert_memory_equal(a, b, sizeof *a * (size_t)n);
        free(blob);
        dal_simulation_free(whole), dal_simulation_free(part);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

#define PARTICLE(velocity, constraint)                                                                                                               \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                                             \
    "bodies: {p: {mass: 1, position: [1, 2]" velocity "}}\n"                                                                                         \
    "constraints:\n"                                                                                                                                 \
    "  c: {velocity: \"" constraint "\"}\n"

static void faulty_ones_get_a_sentence(void **unused)
{
    (void)unused;
    refused_with(PARTICLE(", velocity: [3, 0]", "p.x^2 + p.y^2 - 5"), 6, 18,
                 "it contains no rate, as in x'; a condition on positions is written as `position:`");
    refused_with(PARTICLE(", velocity: [3, 0]", "p.x''^2 - 5"), 6, 18, "is an acceleration");
    refused_with(PARTICLE("", "p.x'^2 + p.y'^2 - 9"), 6, 3, "constraint 'c' is singular at the start: its derivatives by all rates vanish");
    refused_with(PARTICLE(", velocity: [1, 1]", "p.x'^2 + p.y'^2"), 6, 3, "no start velocities were found that meet constraint 'c'");
    refused_with(PARTICLE(", velocity: [3, 1]", "p.x'^2 + p.y'^2 + 9"), 6, 3, "constraint 'c'");
    refused_with(PARTICLE(", velocity: {value: [3, 1], fix: true}", "p.x'^2 + p.y'^2 - 9"), 6, 3, "the start velocities contradict the constraints");
    refused_with(PARTICLE(", velocity: [3, 0]", "abs(p.x') + p.y'^2 - 3"), 6, 18, "this expression has corners");
    refused_with(PARTICLE(", velocity: [0, 0]", "norm(p.velocity) - 3"), 6, 3, "not a finite number at the start");
    refused_with("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 0.2, position: [1, 0]}}\n"
                 "joints: {h: {type: revolute, connect: [ground, b], friction: {coefficient: 0.2, radius: 0.1}, start: {rate: 2}}}\n"
                 "constraints: {c: {velocity: \"b.omega^2 - 4\"}}\n",
                 6, 15, "constraint 'c' is not linear in the rates, and the model has dry friction");
    refused_with(PARTICLE(", velocity: [3, 0]", "p.x'^2 - 9") "speeds: {u: p.y'*p.x'}\n", 7, 13, "speed 'u' is not linear in the rates");
}

/* A start that misses a little is brought to the root next to it. */
static void start_velocities_come_to_the_nearest_root(void **unused)
{
    (void)unused;
    static const char text[] = PARTICLE(", velocity: [2.9, -0.4]", "p.x'^2 + p.y'^2 - 9") "record: [p.velocity]\n";
    trajectory run = run_text_well(text, "until=0.1 every=0.1");
    const double r = hypot(2.9, 0.4);
    check_close(at(&run, 0, 1), 3 * 2.9 / r, 1e-12);
    check_close(at(&run, 0, 2), -3 * 0.4 / r, 1e-12);
    free(run.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_speed_follows_the_closed_form),
        cmocka_unit_test(appells_particle_follows_the_closed_form),
        cmocka_unit_test(a_run_ends_where_two_roots_meet),
        cmocka_unit_test(a_run_ends_where_rows_have_no_root_in_common),
        cmocka_unit_test(velocities_that_miss_their_constraint_are_told),
        cmocka_unit_test(formulations_agree_at_random_states),
        cmocka_unit_test(rows_are_derivatives_of_phi),
        cmocka_unit_test(the_energy_is_no_quadratic_form_of_the_speeds),
        cmocka_unit_test(energy_balances_though_the_reaction_works),
        cmocka_unit_test(every_stabilization_holds_them),
        cmocka_unit_test(a_linear_constraint_times_a_positive_factor_moves_alike),
        cmocka_unit_test(own_coordinates_take_them),
        cmocka_unit_test(a_saved_simulation_goes_on_bit_for_bit),
        cmocka_unit_test(faulty_ones_get_a_sentence),
        cmocka_unit_test(start_velocities_come_to_the_nearest_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
