/* The stiff flyball governor at its true stiffness, over the whole 10 s of the benchmark, against its own equations.
 *
 * By symmetry it has three freedoms: the shaft's angle, the angle alpha of the rods below the horizontal, the slider's height s. The
 * angular momentum about the shaft is conserved, H = I(alpha) w with
 *   I = 2 [m (a + g cos alpha)^2 + A sin^2 alpha + J cos^2 alpha] + I_slider + I_shaft,
 * m, g, A, J mass, distance from the hinge to the centre, axial and transverse inertia of a rod with its ball, and what is left is
 *   2 (J + m g^2) alpha'' = w^2 I'(alpha) / 2 + 2 m G g cos alpha - 2 F dL/dalpha
 *   M_s s'' = -M_s G - 2 F dL/ds
 * with the length L of a spring between (g = 1/2 on the rod) and the slider, F = k (L - 1/2) + c L'. Derived and integrated here, by the
 * classical Runge-Kutta method with steps far inside its stability limit for the eigenvalue -8117 /s. */
#include "trajectory.h"

#include "integrate/integrate.h"

static const double rod = 0.3, ball = 5, hinge = 0.05, G = 9.81, k = 8e5, c = 4e4, slider = 3, slider_inertia = 0.005;

typedef struct constants {
    double m, g, A, J, shaft, H;
} constants;

static double inertia_about_shaft(const constants *p, double alpha, double *slope)
{
    double x = hinge + p->g * cos(alpha), sine = sin(alpha), cosine = cos(alpha);
    *slope = 2 * (-2 * p->m * x * p->g * sine + 2 * (p->A - p->J) * sine * cosine);
    return 2 * (p->m * x * x + p->A * sine * sine + p->J * cosine * cosine) + slider_inertia + p->shaft;
}

static constants find_constants(double alpha, double rate)
{
    constants p = {.m = rod + ball, .g = (rod / 2 + ball) / (rod + ball), .A = rod / 12 * 2e-4, .shaft = rod / 12 * 2e-4};
    p.J = rod / 12 * (1 + 1e-4) + rod * pow(p.g - 0.5, 2) + ball * pow(1 - p.g, 2);
    double slope;
    p.H = inertia_about_shaft(&p, alpha, &slope) * rate;
    return p;
}

/* y = (alpha, s, alpha', s') */
static void motion(const constants *p, const double y[4], double dy[4])
{
    double slope, inertia = inertia_about_shaft(p, y[0], &slope), w = p->H / inertia;
    double dx = 0.5 * cos(y[0]), dz = 1 - 0.5 * sin(y[0]) - y[1], L = hypot(dx, dz);
    double L_alpha = (-0.5 * dx * sin(y[0]) - 0.5 * dz * cos(y[0])) / L, L_s = -dz / L;
    double F = k * (L - 0.5) + c * (L_alpha * y[2] + L_s * y[3]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (0.5 * w * w * slope + 2 * p->m * G * p->g * cos(y[0]) - 2 * F * L_alpha) / (2 * (p->J + p->m * p->g * p->g));
    dy[3] = -G - 2 * F * L_s / slider;
}

static void step(const constants *p, double h, double y[4])
{
    double K[4][4], at[4];
    motion(p, y, K[0]);
    for (int stage = 1; stage < 4; stage++) {
        for (int i = 0; i < 4; i++)
            at[i] = y[i] + (stage < 3 ? h / 2 : h) * K[stage - 1][i];
        motion(p, at, K[stage]);
    }
    for (int i = 0; i < 4; i++)
        y[i] += h / 6 * (K[0][i] + 2 * K[1][i] + 2 * K[2][i] + K[3][i]);
}

enum { ROWS = 1001 };

/* s at 0, 0.01, ... 10 s, with `steps` steps a row. */
static void heights(int steps, double s[ROWS], double *eigenvalue)
{
    const double alpha = acos(-1) / 6, rate = 2 * acos(-1);
    constants p = find_constants(alpha, rate);
    double y[4] = {alpha, 0.5, 0, 0};
    for (int i = 0; i < ROWS; i++) {
        s[i] = y[1];
        for (int j = 0; j < steps; j++)
            step(&p, 0.01 / steps, y);
    }
    /* of the damper: the fast mode moves along the springs */
    *eigenvalue = -2 * c * (0.25 / slider + 0.25 * 0.75 / (2 * (p.J + p.m * p.g * p.g)));
}

static double s_fine[ROWS];

static void its_equations_are_solved_to_a_thousandth_of_what_is_asked(void **state)
{
    (void)state;
    static double coarse[ROWS];
    double eigenvalue;
    heights(100, coarse, &eigenvalue);
    heights(200, s_fine, &eigenvalue);
    double worst = 0;
    for (int i = 0; i < ROWS; i++)
        worst = fmax(worst, fabs(coarse[i] - s_fine[i]));
    check_small(worst, 1e-9);
    check_close(eigenvalue, -8117, 30); /* less the 20 of the slow one and what stiffness takes */
}

static double worst_miss(const trajectory *run)
{
    double worst = 0;
    assert_true(run->rows == ROWS || run->rows == (ROWS - 1) / 10 + 1);
    for (int i = 0; i < run->rows; i++)
        worst = fmax(worst, fabs(row_at(run, 0.01 * i)[1] - s_fine[i]));
    return worst;
}

static void hold(const char *settings, bool own)
{
    static const char *const channels[] = {"lift.distance", NULL};
    char why[300];
    if (!own && !dal_cvode_bdf.available(why, sizeof why)) {
        print_message("skipped: %s\n", why);
        skip();
    }
    trajectory run_of = run_well("flyball-governor", NULL, channels, settings);
    double miss_of = worst_miss(&run_of);
    print_message("%s: %.2e m, %ld steps, %ld evaluations, %.2f s\n", settings, miss_of, run_of.evidence.steps, run_of.evidence.evaluations,
                  run_of.evidence.wall_seconds);
    check_small(miss_of, own ? 1e-9 : 1e-6);
    check_small(run_of.evidence.position_residual, 1.01e-10);
    assert_true(isnan(run_of.evidence.stiffness)); /* no warning of a stability limit: none of these has a step that was chosen for it */
    free(run_of.value);
}

static void the_model_as_it_stands_is_right_to_a_micrometre(void **state)
{
    (void)state;
    hold("every=0.01", false);
}

static void other_families_and_ida_are_right_too(void **state)
{
    (void)state;
    hold("coordinates=joint", false);
    hold("integrator=ida rtol=1e-8 atol=1e-10", false);
    hold("coordinates=natural until=1", false);
}

/* Independent of SUNDIALS: short steps of an explicit method agree with the equations above to nine digits and more. */
static void an_explicit_method_agrees_where_its_steps_are_short_enough(void **state)
{
    (void)state;
    hold("integrator=dopri5 coordinates=joint formulation=recursive", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_equations_are_solved_to_a_thousandth_of_what_is_asked),
        cmocka_unit_test(the_model_as_it_stands_is_right_to_a_micrometre),
        cmocka_unit_test(other_families_and_ida_are_right_too),
        cmocka_unit_test(an_explicit_method_agrees_where_its_steps_are_short_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
