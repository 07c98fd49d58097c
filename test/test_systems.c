/* Sub-systems whose equations are known: `systems:` and `lagrangian:` against bodies, closed forms and one another, and what is refused. */
#include "gallery.h"
#include "state/report.h"
#include "text_runs.h"

static const char tight[] = "integrator=dopri5 rtol=1e-12 atol=1e-14";

static bool applies(const char *message)
{
    return !strstr(message, "needs ignorable coordinates") && !strstr(message, "works over the joint tree") &&
           !strstr(message, "component needs `coordinates: angle`") && !strstr(message, "needs the kinetic energy") &&
           !strstr(message, "needs a regular mass matrix");
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

/* Every formulation that applies follows the first one; returns how many there are. Energies balance where they are known. */
static int follow(const char *text, const char *settings, const trajectory *expected, double tolerance)
{
    const char *formulation, *title;
    int runs = 0;
    for (int i = 0; dal_list_entry("formulation", i, &formulation, &title); i++) {
        char all[300];
        snprintf(all, sizeof all, "formulation=%s %s %s", formulation, tight, settings);
        trajectory run = run_text(text, all);
        if (!applies(run.message))
            continue;
        if (run.status != DAL_OK)
            fail_msg("%s: %s", all, run.message);
        assert_int_equal(run.rows, expected->rows);
        assert_int_equal(run.n, expected->n);
        for (int r = 0; r < run.rows; r++)
            for (int k = 0; k < run.n; k++)
                if (!(fabs(at(&run, r, k) - at(expected, r, k)) <= tolerance))
                    fail_msg("%s: column %d of row %d is %.15g and not %.15g", all, k, r, at(&run, r, k), at(expected, r, k));
        if (!isnan(run.evidence.energy_drift_absolute))
            check_small(run.evidence.energy_drift, 1e-9);
        free(run.value);
        runs++;
    }
    return runs;
}

static const char rods[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {m: 1.2, l: 0.9}\n"
                           "bodies:\n"
                           "  u: {mass: m, inertia: m*l^2/12, points: {p: [-l/2, 0], q: [l/2, 0]}}\n"
                           "  w: {mass: m, inertia: m*l^2/12, points: {p: [-l/2, 0], q: [l/2, 0]}}\n"
                           "joints:\n"
                           "  A: {type: revolute, connect: [ground, u.p], start: {angle: 0.3, rate: 0.5}}\n"
                           "  B: {type: revolute, connect: [u.q, w.p], start: {angle: -0.8, rate: 1.1}}\n"
                           "record: [A.angle, A.angle', A.angle + B.angle, A.angle' + B.angle', energy]\n";

static const char board[] = "dalembert: 1\nspace: planar\nparameters: {m: 1.2, l: 0.9, g: 9.81}\n"
                            "coordinates: {a: {start: 0.3, rate: 0.5}, b: {start: -0.5, rate: 1.6}}\n"
                            "lagrangian:\n"
                            "  L: \"m*l^2*(4*a'^2 + b'^2 + 3*a'*b'*cos(a - b))/6 - m*g*l*(3*sin(a) + sin(b))/2\"\n"
                            "record: [a, a', b, b', energy]\n";

static void a_lagrangian_moves_as_the_bodies_do_that_it_describes(void **unused)
{
    (void)unused;
    char settings[200];
    snprintf(settings, sizeof settings, "%s coordinates=joint until=1.5 every=0.1", tight);
    trajectory bodies = run_text_well(rods, settings);
    assert_int_equal(bodies.rows, 16);
    assert_int_equal(follow(board, "until=1.5 every=0.1", &bodies, 1e-9), 8);
    free(bodies.value);
}

/* m x'' + c x' + k x = 0: x = e^(-d t) (A cos w t + B sin w t). */
static void a_damped_oscillator_follows_the_closed_form(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {m: 1.7, k: 23, c: 0.9}\n"
                               "coordinates: {x: {start: 0.4, rate: -0.7}}\n"
                               "lagrangian: {L: \"m*x'^2/2 - k*x^2/2\", dissipation: \"c*x'^2/2\"}\n"
                               "record: [x, x', energy + 0, energy.work, energy.balance]\n";
    const double m = 1.7, k = 23, c = 0.9, d = c / (2 * m), w = sqrt(k / m - d * d), A = 0.4, B = (-0.7 + d * A) / w;
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=2 every=0.1", tight);
    trajectory run = run_text_well(text, settings);
    for (int i = 0; i < run.rows; i++) {
        const double t = at(&run, i, 0), e = exp(-d * t), x = e * (A * cos(w * t) + B * sin(w * t));
        const double v = -d * x + e * w * (B * cos(w * t) - A * sin(w * t)), energy = (m * v * v + k * x * x) / 2, start = (m * 0.49 + k * 0.16) / 2;
        check_close(at(&run, i, 1), x, 1e-10);
        check_close(at(&run, i, 2), v, 1e-9);
        check_close(at(&run, i, 3), energy, 1e-9);
        check_close(at(&run, i, 4), energy - start, 1e-9);
        check_close(at(&run, i, 5), start, 1e-9);
    }
    assert_int_equal(follow(text, "until=2 every=0.1", &run, 1e-9), 8);
    free(run.value);
}

/* A direct-current motor: L i' = u - R i - K w, J w' = K i - b w. Two real roots: exact by the matrix exponential of 2 x 2. */
static void a_motor_with_its_coil_follows_the_closed_form(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {L: 0.05, R: 2, K: 0.4, J: 0.02, b: 0.03, u: 12}\n"
                               "coordinates: {th: {start: 0, rate: 0}, charge: {start: 0, rate: 0}}\n"
                               "bodies: {rotor: {mass: 1, inertia: J, position: [0, 0], angle: th}}\n"
                               "forces:\n  drive: {type: torque, coordinate: th, value: \"K*charge' - b*th'\"}\n"
                               "systems:\n  coil: {coordinates: [charge], mass: [[L]], force: [\"u - R*charge' - K*rotor.angle'\"], kinetic: "
                               "\"L*charge'^2/2\"}\n"
                               "record: [th', charge', energy.balance]\n";
    const double L = 0.05, R = 2, K = 0.4, J = 0.02, b = 0.03, u = 12;
    /* (i, w)' = F (i, w) + (u/L, 0); y = y0 + e^(Ft) (-y0), y0 = -F^-1 (u/L, 0) */
    const double F[4] = {-R / L, -K / L, K / J, -b / J}, det = F[0] * F[3] - F[1] * F[2], half = (F[0] + F[3]) / 2, root = sqrt(half * half - det);
    const double y0[2] = {-F[3] * u / L / det, F[2] * u / L / det};
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=0.3 every=0.02", tight);
    trajectory run = run_text_well(text, settings);
    for (int i = 0; i < run.rows; i++) {
        const double t = at(&run, i, 0), a = exp(half * t) * cosh(root * t), s = exp(half * t) * sinh(root * t) / root;
        const double E[4] = {a + s * (F[0] - half), s * F[1], s * F[2], a + s * (F[3] - half)};
        check_close(at(&run, i, 2), y0[0] - (E[0] * y0[0] + E[1] * y0[1]), 1e-9);
        check_close(at(&run, i, 1), y0[1] - (E[2] * y0[0] + E[3] * y0[1]), 1e-8);
        check_close(at(&run, i, 3), 0, 1e-8);
    }
    assert_int_equal(follow(text, "until=0.3 every=0.02", &run, 1e-7), 8);
    free(run.value);
}

/* A spring that is touched at x = 1: half a period later the mass flies back. */
static void switches_in_a_potential_are_located_as_events(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {m: 0.8, k: 500}\n"
                               "coordinates: {x: {start: 0.5, rate: 2}}\n"
                               "lagrangian: {T: \"m*x'^2/2\", V: \"k*max(x - 1, 0)^2/2\"}\nrecord: [x, x', energy]\n";
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=1 every=0.1", tight);
    trajectory run = run_text_well(text, settings);
    const double back = 0.25 + acos(-1.0) * sqrt(0.8 / 500);
    assert_int_equal(run.evidence.events, 2);
    check_close(last(&run, 1), 1 - 2 * (1 - back), 1e-9);
    check_close(last(&run, 2), -2, 1e-9);
    check_small(run.evidence.energy_drift, 1e-10);
    free(run.value);
}

/* A charge in a field that grows: N(q, t), M(t), V, D. As a Lagrangian, and as M and F written out by hand, with and without its energies. */
#define CHARGE                                                                                                                                       \
    "dalembert: 1\nspace: planar\nparameters: {m: 1.1, B: 0.8, k: 5, c: 0.2}\n"                                                                      \
    "coordinates: {x: {start: 0.4, rate: 0.3}, y: {start: -0.2, rate: 1.1}}\n"
#define CHARGE_FORCE                                                                                                                                 \
    "force: [\"2*B*(1 + t/5)*y' + B/5*y - k*x - c*x' - m/4*cos(t/2)/2*x'\",\n"                                                                       \
    "                              \"-2*B*(1 + t/5)*x' - B/5*x - 2*k*y - 2*c*y' - m/4*cos(t/2)/2*y'\"]"
static const char charge_lagrangian[] = CHARGE "lagrangian:\n"
                                               "  L: \"m*(1 + sin(t/2)/4)*(x'^2 + y'^2)/2 + B*(1 + t/5)*(x*y' - y*x') - k*(x^2 + 2*y^2)/2\"\n"
                                               "  dissipation: \"c*(x'^2 + 2*y'^2)/2\"\nrecord: [x, x', y, y']\n";
static const char charge_energies[] = CHARGE "systems:\n  s: {coordinates: [y, x], mass: [[m*(1 + sin(t/2)/4), 0], [0, m*(1 + sin(t/2)/4)]],\n"
                                             "      force: [\"-2*B*(1 + t/5)*x' - B/5*x - 2*k*y - 2*c*y' - m/4*cos(t/2)/2*y'\",\n"
                                             "              \"2*B*(1 + t/5)*y' + B/5*y - k*x - c*x' - m/4*cos(t/2)/2*x'\"],\n"
                                             "      kinetic: \"m*(1 + sin(t/2)/4)*(x'^2 + y'^2)/2\", potential: k*(x^2 + 2*y^2)/2}\n"
                                             "record: [x, x', y, y']\n";
static const char charge_force[] = CHARGE "systems:\n  s: {coordinates: [x, y], mass: [[m*(1 + sin(t/2)/4), 0], [0, m*(1 + sin(t/2)/4)]],\n"
                                          "      " CHARGE_FORCE "}\nrecord: [x, x', y, y']\n";

static void a_lagrangian_and_its_written_equations_are_one_motion(void **unused)
{
    (void)unused;
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=3 every=0.1", tight);
    trajectory run = run_text_well(charge_lagrangian, settings);
    assert_int_equal(follow(charge_lagrangian, "until=3 every=0.1", &run, 1e-9), 8);
    assert_int_equal(follow(charge_energies, "until=3 every=0.1", &run, 1e-9), 8);
    assert_int_equal(follow(charge_force, "until=3 every=0.1", &run, 1e-9), 6);
    free(run.value);
}

/* The same motion as one Lagrangian, and as a body beside a system whose mass and potential contain the coordinate of the body: what the system does to
 * the body is a force of the model, and the energies are the same numbers. */
static void energies_may_contain_coordinates_of_others(void **unused)
{
    (void)unused;
    static const char whole[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.3, rate: 0.7}, q: {start: 0.1, rate: 0.5}}\n"
                                "lagrangian: {L: \"x'^2 + (1 + x^2)*q'^2/2 - 3*q^2/2 - 5*(q - x)^2/2\"}\n"
                                "record: [x, x', q, q', energy]\n";
    static const char parts[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.3, rate: 0.7}, q: {start: 0.1, rate: 0.5}}\n"
                                "bodies: {b: {mass: 2, position: [x, 0]}}\n"
                                "forces: {f: {type: torque, coordinate: x, value: \"x*q'^2 + 5*(q - x)\"}}\n"
                                "systems:\n  s: {coordinates: [q], mass: [[1 + x^2]], force: [\"-2*x*x'*q' - 3*q - 5*(q - x)\"],\n"
                                "      kinetic: \"(1 + x^2)*q'^2/2\", potential: 3*q^2/2 + 5*(q - x)^2/2}\n"
                                "record: [x, x', q, q', energy]\n";
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=1.5 every=0.1", tight);
    trajectory run = run_text_well(whole, settings);
    assert_int_equal(follow(parts, "until=1.5 every=0.1", &run, 1e-9), 8);
    free(run.value);
}

static void an_energy_that_is_not_known_is_not_reported(void **unused)
{
    (void)unused;
    trajectory run = run_text_well(charge_force, "until=1 every=0.1");
    assert_true(isnan(run.evidence.energy_start) && isnan(run.evidence.energy_end) && isnan(run.evidence.energy_drift));
    free(run.value);
    run = run_text_well(charge_energies, "until=1 every=0.1");
    assert_true(isfinite(run.evidence.energy_start) && isfinite(run.evidence.energy_drift));
    free(run.value);
}

/* ---- matrices ---------------------------------------------------------------------------------------------- */

/* A particle placed by coordinates and time, and the Lagrangian of the same written out. What of T has no rate is in V: h - Q is compared. */
static const char placed[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {m: 1.4, w: 1.3}\n"
                             "coordinates: {r: {start: 0.7, rate: 0.4}, ph: {start: 0.2, rate: -0.6}}\n"
                             "bodies: {p: {mass: m, position: [r*cos(ph + w*t^2), r*sin(ph + w*t^2), r^3/5 + t*r]}}\n";
static const char written[] = "dalembert: 1\nspace: spatial\nparameters: {m: 1.4, w: 1.3, g: 9.81}\n"
                              "coordinates: {r: {start: 0.7, rate: 0.4}, ph: {start: 0.2, rate: -0.6}}\n"
                              "lagrangian:\n  T: \"m*(r'^2 + r^2*(ph' + 2*w*t)^2 + (3*r^2*r'/5 + t*r' + r)^2)/2\"\n"
                              "  V: m*g*(r^3/5 + t*r)\n";

static void masses_and_biases_are_those_of_the_body(void **unused)
{
    (void)unused;
    uint64_t seed = 20260101;
    dal_system *systems[2] = {gallery_compile_text(placed, "user", "lagrange"), gallery_compile_text(written, "user", "lagrange")};
    dal_state *states[2] = {dal_state_create(NULL, systems[0]), dal_state_create(NULL, systems[1])};
    for (int i = 0; i < 20; i++) {
        const double t = 1 + check_random(&seed), q[2] = {0.8 + 0.5 * check_random(&seed), 3 * check_random(&seed)};
        const double v[2] = {2 * check_random(&seed), 2 * check_random(&seed)};
        for (int k = 0; k < 2; k++) {
            dal_state *s = states[k];
            s->work.t = t;
            memcpy(s->work.q, q, sizeof q);
            memcpy(s->work.v, v, sizeof v);
            dal_state_moved(s);
            assert_int_equal(dal_state_motion(s, true), 0);
            dal_state_inertia(s);
        }
        const dal_work *a = &states[0]->work, *b = &states[1]->work;
        double p[2], pa[2];
        for (int k = 0; k < 4; k++)
            check_close(b->M[k], a->M[k], 1e-13);
        for (int k = 0; k < 2; k++)
            check_close(b->h[k] - b->Q[k], a->h[k] - a->Q[k], 1e-12);
        dal_momentum(states[0]->layout, a, pa);
        dal_momentum(states[1]->layout, b, p);
        for (int k = 0; k < 2; k++)
            check_close(p[k], pa[k], 1e-13);
    }
    for (int k = 0; k < 2; k++) {
        dal_state_free(states[k]);
        dal_system_free(systems[k]);
    }
}

static void coordinates_that_are_absent_from_the_lagrangian_are_ignorable(void **unused)
{
    (void)unused;
    static const char *const laws[][2] = {{"", "ph"}, {"forces: {push: {type: torque, coordinate: ph, value: 0.2}}\n", ""}};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ncoordinates: {r: {start: 1, rate: 0.1}, ph: {start: 0, rate: 1}}\n"
                 "lagrangian: {L: \"(r'^2 + r^2*ph'^2)/2 + r*ph' - r^2\", dissipation: \"r'^2/9\"}\n%s",
                 laws[i][0]);
        dal_system *system = gallery_compile_text(text, "user", "lagrange");
        assert_string_equal(dal_system_describe(system).ignorable_names, laws[i][1]);
        dal_system_free(system);
    }
}

/* ---- verdicts ---------------------------------------------------------------------------------------------- */

static void a_singular_hessian_is_a_verdict(void **unused)
{
    (void)unused;
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: 0.3, y: 0.4}\nlagrangian: {L: \"x'^2/2 - (x - y)^2 - y^2\"}\n", 3, 23,
                 "the accelerations of y' are not determined: rank [M; A] is 1, and 2 is needed");
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: 0.3, y: 0.4}\nlagrangian: {L: \"(x' + y')^2/2 - x^2\"}\n", 0, 0, "rank [M; A] is 1");
    /* a constraint makes up for it */
    trajectory run = run_text_well("dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.3, rate: 0}, y: {start: -0.3, rate: 0}}\n"
                                   "lagrangian: {L: \"x'^2/2 - (x - y)^2/2\"}\nconstraints: {c: {position: x + y}}\nrecord: [x]\n",
                                   "integrator=dopri5 rtol=1e-12 atol=1e-14 until=1 every=0.5");
    check_close(last(&run, 1), 0.3 * cos(2), 1e-10);
    free(run.value);
}

static void a_mass_matrix_that_becomes_indefinite_ends_the_run(void **unused)
{
    (void)unused;
    trajectory run = run_text("dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.5, rate: 1}, y: {start: 0.1, rate: 0}}\n"
                              "systems: {s: {coordinates: [x, y], mass: [[1, x], [x, 1]], force: [0, 0]}}\n",
                              "until=2 every=0.1 step=0.013 integrator=rk4");
    assert_int_equal(run.status, DAL_NUMERICAL);
    if (!strstr(run.message, "the mass matrix of 's' became indefinite"))
        fail_msg("%s", run.message);
    free(run.value);
}

/* A folded chain that falls: what still moves has the mass rho (l - x)/2, which is negative beyond the end of the chain. States at which the mass is
 * looked at lie on this side of it. Energy gives the closed form. */
static void a_mass_matrix_may_be_indefinite_beyond_the_motion(void **unused)
{
    (void)unused;
    const double l = 1.5, x0 = 0.9, g = 9.81;
    trajectory run = run_text("dalembert: 1\nspace: planar\nparameters: {rho: 0.7, l: 1.5, g: 9.81}\ncoordinates: {x: {start: 0.9, rate: 0}}\n"
                              "lagrangian: {T: \"rho*(l - x)*x'^2/4\", V: \"-rho*g*(l^2 + 2*l*x - x^2)/4\"}\nrecord: [x, x']\n",
                              "until=0.2 every=0.02 integrator=dopri5 rtol=1e-12 atol=1e-14");
    if (run.status != DAL_OK)
        fail_msg("%s", run.message);
    assert_int_equal(run.rows, 11);
    for (int r = 0; r < run.rows; r++) {
        const double x = at(&run, r, run.n - 2), rate = at(&run, r, run.n - 1);
        check_close(rate * rate, g * (2 * l * (x - x0) - x * x + x0 * x0) / (l - x), 1e-9);
    }
    assert_true(at(&run, 10, run.n - 1) > 2);
    free(run.value);
}

#define HEAD "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.4}, y: {start: 0.2}}\n"

static void faults_are_told_with_their_place(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } faults[] = {
        {HEAD "lagrangian: {L: x^2 - y}\n", 4, 17, "contains no rate"},
        {HEAD "lagrangian: {L: \"x'^2 + x''*y\"}\n", 4, 25, "masses and energies are made of"},
        {HEAD "lagrangian: {L: \"x'^2 + z\"}\n", 4, 25, "'z'"},
        {HEAD "lagrangian: {L: \"x'^4\"}\n", 4, 18, "not of second degree"},
        {HEAD "lagrangian: {L: \"sqrt(1 + x'^2) + y'^2\"}\n", 4, 18, "not of second degree"},
        {HEAD "lagrangian: {L: \"-x'^2/2 - y'^2\"}\n", 4, 18, "indefinite"},
        {HEAD "lagrangian: {L: \"x'^2 + y'^2 + 3*x'*y'\"}\n", 4, 18, "indefinite"},
        {HEAD "lagrangian: {L: \"if(x < 1, 1, 2)*x'^2 + y'^2\"}\n", 4, 18, "may jump"},
        {HEAD "lagrangian: {T: \"x'^2 + y'^2\", V: \"sign(x)\"}\n", 4, 36, "may jump"},
        {HEAD "lagrangian: {T: \"x'^2 + y'^2\", V: \"x'\"}\n", 4, 36, "contains a rate"},
        {HEAD "lagrangian: {L: \"x'^2\", T: \"x'^2\"}\n", 4, 1, "both 'L' and 'T'"},
        {HEAD "lagrangian: {V: x}\n", 4, 1, "needs 'L', or 'T' and 'V'"},
        {HEAD "lagrangian: {L: \"x'^2 + y'^2\", dissipation: x}\n", 4, 45, "contains no rate"},
        {HEAD "lagrangian: {L: \"log(x - 1)*x'^2 + y'^2\"}\n", 4, 18, "not a finite number"},
        {HEAD "lagrangian: {M: 1}\n", 4, 14, "'M'"},
        {HEAD "lagrangian: 3\n", 4, 13, "lagrangian"},
        {"dalembert: 1\nspace: planar\nlagrangian: {L: \"x'^2\"}\n", 3, 1, "there are none"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[1, 0.5], [0.4, 1]], force: [0, 0]}}\n", 4, 54, "not symmetric"},
        {HEAD "systems: {s: {coordinates: [y, x], mass: [[1, 2], [2, 1]], force: [0, 0]}}\n", 0, 0, "indefinite"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[0, 1], [1, 0]], force: [0, 0]}}\n", 0, 0, "indefinite"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[-1, 0], [0, 1]], force: [0, 0]}}\n", 4, 44, "indefinite"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[1]], force: [0, 0]}}\n", 4, 42, "1 row"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[1, 0], [0]], force: [0, 0]}}\n", 4, 51,
         "not square: it has 2 rows, and 1 number in this one"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[1, 0]], force: [0, 0]}}\n", 4, 43, "not square: it has 1 row, and 2 numbers in this one"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [1, 2], force: [0, 0]}}\n", 4, 43, "rows of numbers"},
        {HEAD "systems: {s: {coordinates: [x, y], mass: [[1, 0], 2], force: [0, 0]}}\n", 4, 51, "rows of numbers"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[1]], force: [0, 0]}}\n", 4, 53, "2 entries for 1 coordinate"},
        {HEAD "systems: {s: {coordinates: [x], mass: 1, force: [0]}}\n", 4, 39, "rows of numbers"},
        {HEAD "systems: {s: {coordinates: [z], mass: [[1]], force: [0]}}\n", 4, 29, "not in `coordinates:`"},
        {HEAD "systems: {s: {coordinates: [x, x], mass: [[1, 0], [0, 1]], force: [0, 0]}}\n", 4, 32, "twice"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[\"x'\"]], force: [0]}}\n", 4, 42, "contains a rate"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[2]], force: [0], kinetic: \"x'^2/2\"}}\n", 4, 68, "not half of q' M q'"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[2]], force: [0], potential: x}}\n", 4, 69, "no `kinetic`"},
        {HEAD "systems: {s: {coordinates: [x], force: [0]}}\n", 4, 11, "'mass'"},
        {HEAD "systems: {x: {coordinates: [x], mass: [[1]], force: [0]}}\n", 4, 11, "already the name"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[1]], force: [0]}, r: {coordinates: [x], mass: [[1]], force: [0]}}\n", 4, 59, "in common"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[1]], force: [\"w\"]}}\n", 4, 55, "'w'"},
        {HEAD "systems: {s: {coordinates: [x], mass: [[1]], force: [\"x''\"]}}\n", 4, 55, "x''"},
        {HEAD "bodies: {b: {mass: 1, position: [y, 0]}}\nsystems: {s: {coordinates: [x], mass: [[1 + b.x]], force: [0]}}\n", 5, 41,
         "neither in `coordinates:` nor time"},
        {HEAD "bodies: {b: {mass: 1, position: [y, 0]}}\nlagrangian: {L: \"x'^2\", dissipation: \"(x' - b.x')^2\"}\n", 5, 39, "write a force"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        refused_with(faults[i].text, faults[i].line, faults[i].column, faults[i].words);
}

/* What a hand-made description may have wrong: answered, never read. */
static void hand_made_faults_are_answered(void **unused)
{
    (void)unused;
    static const char text[] = HEAD "systems: {s: {coordinates: [x, y], mass: [[1, 0], [0, 1]], force: [0, 0]}}\nlagrangian: {L: \"x'^2\"}\n";
    for (int i = 0; i < 10; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(spec->n_systems, 2);
        dal_subsystem_spec *first = &spec->systems[0], *second = &spec->systems[1], *all = spec->systems;
        switch (i) {
        case 0: spec->n_systems = -1; break;
        case 1: spec->systems = NULL; break;
        case 2: first->mass.row = NULL; break;
        case 3: first->mass.row[1].n = 1; break;
        case 4: first->mass.n = 0; break;
        case 5: first->coordinates.n = 0; break;
        case 6: first->force.n = 1; break;
        case 7: first->force.item[1].text = NULL; break;
        case 8: second->L.text = NULL; break;
        case 9: second->T = second->L; break;
        }
        if (dal_compile(NULL, spec, messages, &system) != DAL_BAD_MODEL || system)
            fail_msg("case %d is taken", i);
        assert_true(dal_messages_count(messages, DAL_ERROR) > 0);
        spec->systems = all;
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

static void formulations_that_need_the_kinetic_energy_say_so(void **unused)
{
    (void)unused;
    static const char *const names[] = {"volterra", "boltzmann-hamel", "volterra-reduced", "routh", NULL};
    for (int i = 0; names[i]; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "formulation=%s until=1", names[i]);
        trajectory run = run_text(charge_force, settings);
        assert_int_equal(run.status, DAL_BAD_MODEL);
        assert_non_null(strstr(run.message, "needs the kinetic energy, and that of system 's' is not known"));
    }
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* A varied system moves as one that was compiled with these values. */
static void parameters_and_starts_are_varied(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *base = NULL, *varied = NULL, *compiled = NULL;
    const char *names[] = {"m", "g", "a", "b'"};
    const double values[] = {2.5, 3.7, -0.9, 0.25};
    char text[1000];
    snprintf(text, sizeof text, "%s", board);
    assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &base), DAL_OK);
    assert_int_equal(dal_system_vary(NULL, base, 4, names, values, messages, &varied), DAL_OK);
    dal_spec_free(spec);
    static const char other[] = "dalembert: 1\nspace: planar\nparameters: {m: 2.5, l: 0.9, g: 3.7}\n"
                                "coordinates: {a: {start: -0.9, rate: 0.5}, b: {start: -0.5, rate: 0.25}}\n"
                                "lagrangian:\n"
                                "  L: \"m*l^2*(4*a'^2 + b'^2 + 3*a'*b'*cos(a - b))/6 - m*g*l*(3*sin(a) + sin(b))/2\"\n"
                                "record: [a, a', b, b', energy]\n";
    compiled = gallery_compile_text(other, "user", "lagrange");
    dal_state *a = dal_state_create(NULL, varied), *b = dal_state_create(NULL, compiled);
    assert_int_equal(dal_state_accelerate(a), 0);
    assert_int_equal(dal_state_accelerate(b), 0);
    for (int k = 0; k < 2; k++) {
        assert_true(a->work.q[k] == b->work.q[k] && a->work.v[k] == b->work.v[k]);
        check_close(a->vd[k], b->vd[k], 1e-14 * fabs(b->vd[k]));
    }
    dal_state_free(a);
    dal_state_free(b);
    dal_system_free(varied);
    dal_system_free(compiled);
    dal_system_free(base);
    dal_messages_free(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lagrangian_moves_as_the_bodies_do_that_it_describes),
        cmocka_unit_test(a_damped_oscillator_follows_the_closed_form),
        cmocka_unit_test(a_motor_with_its_coil_follows_the_closed_form),
        cmocka_unit_test(switches_in_a_potential_are_located_as_events),
        cmocka_unit_test(a_lagrangian_and_its_written_equations_are_one_motion),
        cmocka_unit_test(energies_may_contain_coordinates_of_others),
        cmocka_unit_test(an_energy_that_is_not_known_is_not_reported),
        cmocka_unit_test(masses_and_biases_are_those_of_the_body),
        cmocka_unit_test(coordinates_that_are_absent_from_the_lagrangian_are_ignorable),
        cmocka_unit_test(a_singular_hessian_is_a_verdict),
        cmocka_unit_test(a_mass_matrix_that_becomes_indefinite_ends_the_run),
        cmocka_unit_test(a_mass_matrix_may_be_indefinite_beyond_the_motion),
        cmocka_unit_test(faults_are_told_with_their_place),
        cmocka_unit_test(hand_made_faults_are_answered),
        cmocka_unit_test(formulations_that_need_the_kinetic_energy_say_so),
        cmocka_unit_test(parameters_and_starts_are_varied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
