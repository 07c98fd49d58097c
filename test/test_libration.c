/* A satellite that swings in its orbit under the gravity-gradient torque, against closed forms.
 *
 * On a circular orbit of rate n, x the body's axis along the vertical, y along the flight, z out of the plane. What the satellite does to the
 * orbit is I / m R^2 = 2e-14 of it.
 *
 * Pitch, the angle theta in the plane, for any amplitude: Iz theta'' = -3 n^2 (Iy - Ix) sin theta cos theta. 2 theta is a pendulum. From rest at theta_0
 *     sin theta = k cd(w t, k),   k = sin theta_0,   w = n sqrt(3 (Iy - Ix) / Iz),   period 4 K(k) / w
 *
 * Roll phi (about y) and yaw psi (about x), for small angles, with a = (Iz - Ix)/Iy and c = (Iz - Iy)/Ix:
 *     phi'' + 4 n^2 a phi + n (1 - a) psi' = 0,   psi'' + n^2 c psi - n (1 - c) phi' = 0
 *     w^4 - (1 + 3 a + a c) n^2 w^2 + 4 a c n^4 = 0
 * A reflection in the plane of the orbit turns (phi, psi) into (-phi, -psi): what is not linear is odd in the amplitude e, phi = e L + e^3 C + ...,
 * and from the runs with e and 2 e, (4 phi(e)/e - phi(2 e)/2 e) / 3 = L + O(e^4).
 */
#include "trajectory.h"

static const double mu = 3.986004418e14, radius = 6.878e6;
static const double I[3] = {40, 420, 430};

static double orbital_rate(void)
{
    return sqrt(mu / radius) / radius;
}

#define TIGHT " integrator=dopri5 rtol=1e-12 atol=1e-12"

/* Ways to compute it: every family, every formulation that applies to a free body. */
static const char *const ways[] = {
    "coordinates=angle formulation=lagrange",
    "coordinates=angle formulation=volterra",
    "coordinates=angle formulation=component",
    "coordinates=euler formulation=lagrange",
    "coordinates=euler formulation=boltzmann-hamel",
    "coordinates=euler formulation=component",
    "coordinates=natural formulation=lagrange",
    "coordinates=natural formulation=kane",
    "coordinates=joint formulation=gibbs-appell",
    "coordinates=joint formulation=recursive",
    "coordinates=joint formulation=maggi",
    "coordinates=angle formulation=udwadia-kalaba",
    "coordinates=euler formulation=udwadia-phohomsiri",
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- Jacobi's functions: the descending Landen transformation (Abramowitz and Stegun 16.4) ------------------- */

static double quarter_period(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    while (fabs(a - b) > 1e-15 * a) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1) / (2 * a);
}

/* cn / dn = sn(K - u). */
static double cd(double u, double k)
{
    enum { MOST = 12 };
    double a[MOST] = {1}, c[MOST] = {k}, b = sqrt(1 - k * k), phi, before = 0;
    int n = 0;
    for (; n < MOST - 1 && c[n] > 1e-16; n++) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
    }
    phi = ldexp(a[n] * (quarter_period(k) - u), n);
    for (; n > 0; n--) {
        before = phi;
        phi = (before + asin(c[n] / a[n] * sin(before))) / 2;
    }
    return sin(phi);
}

static void jacobi_s_functions_are_what_they_should_be(void **unused)
{
    (void)unused;
    check_close(quarter_period(0.5), 1.6857503548125961, 1e-15); /* K(k = 1/2) */
    check_close(cd(0, 0.7), 1, 1e-15);
    check_close(cd(quarter_period(0.7), 0.7), 0, 1e-15);
    check_close(cd(0.3, 1e-9), cos(0.3), 1e-15);
    for (double u = 0.1, h = 1e-4; u < 2; u += 0.3) { /* y = cd: y'^2 = (1 - y^2)(1 - k^2 y^2) */
        const double y = cd(u, 0.6), slope = (8 * (cd(u + h, 0.6) - cd(u - h, 0.6)) - cd(u + 2 * h, 0.6) + cd(u - 2 * h, 0.6)) / (12 * h);
        check_close(slope * slope, (1 - y * y) * (1 - 0.36 * y * y), 1e-10);
    }
}

/* ---- pitch --------------------------------------------------------------------------------------------------- */

#define PITCH "atan2(bus.x*bus.ex.y - bus.y*bus.ex.x, bus.x*bus.ex.x + bus.y*bus.ex.y)"

static void pitch_swings_as_an_elliptic_function_at_every_amplitude(void **unused)
{
    (void)unused;
    static const char *const channels[] = {PITCH, NULL}, *const tilts[] = {"tilt=0.05*deg", "tilt=10*deg", "tilt=75*deg"};
    static const double tilt[] = {0.05, 10, 75};
    const double degree = acos(-1) / 180, n = orbital_rate(), w = n * sqrt(3 * (I[1] - I[0]) / I[2]);
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int k = i == 1 ? 0 : 2; k < (i == 1 ? WAYS : 4); k++) {
            char settings[200];
            snprintf(settings, sizeof settings, "%s until=9000 every=300" TIGHT, ways[k]);
            trajectory run = run_well("satellite", tilts[i], channels, settings);
            assert_true(run.rows == 31);
            for (int r = 0; r < run.rows; r++) {
                const double *row = run.value + (size_t)r * (size_t)run.n, is = asin(sin(tilt[i] * degree) * cd(w * row[0], sin(tilt[i] * degree)));
                worst = fmax(worst, fabs(row[1] - is));
                if (!(fabs(row[1] - is) < 1e-9))
                    fail_msg("%s, %s: pitch is %.12g at %g s and %.12g by the closed form", tilts[i], settings, row[1], row[0], is);
            }
            free(run.value);
        }
    print_message("  misses the closed form by %.1e rad\n", worst);
}

/* The small-angle frequency: zeros of the pitch, an odd number of quarter periods apart, at two amplitudes. Periods are even in the amplitude:
 * T(e) = T_0 (1 + e^2 / 4 + O(e^4)), so (4 T(e) - T(2 e)) / 3 = T_0 (1 + O(e^4)). */
static void the_frequency_of_small_pitch_is_the_classical_one(void **unused)
{
    (void)unused;
    const double n = orbital_rate(), w = n * sqrt(3 * (I[1] - I[0]) / I[2]), quarter = acos(-1) / (2 * w);
    double period[2];
    for (int i = 0; i < 2; i++) {
        static const char *const record[] = {PITCH, "bus.omega.z", NULL};
        char settings[200], start[40];
        snprintf(start, sizeof start, "tilt=%g", i ? 0.01 : 0.005);
        snprintf(settings, sizeof settings, "coordinates=euler formulation=kane until=%.17g every=%.17g" TIGHT, 5 * quarter, quarter);
        trajectory run = run_well("satellite", start, record, settings);
        double zero[2];
        for (int k = 0; k < 2; k++) { /* near the first and the fifth quarter: one step of Newton, the angle is straight there */
            const double *row = row_at(&run, (k ? 5 : 1) * quarter);
            zero[k] = row[0] - row[1] / (row[2] - n);
        }
        period[i] = zero[1] - zero[0];
        free(run.value);
    }
    check_close((4 * period[0] - period[1]) / 3 * w / (4 * quarter * w), 1, 1e-8);
    assert_true(fabs(period[0] / (4 * quarter) - 1) > 1e-6); /* without the extrapolation it would not do */
}

/* ---- roll and yaw ---------------------------------------------------------------------------------------------- */

/* phi and psi of the linear equations from rest at (phi_0, psi_0). In a mode phi = A cos wt, psi = B sin wt, or the other way round:
 *     (4 n^2 a - w^2) A + n (1 - a) w B = 0;     phi = A sin, psi = B cos:  (4 n^2 a - w^2) A - n (1 - a) w B = 0 */
static void roll_and_yaw(double t, const double start[2], double angle[2])
{
    const double n = orbital_rate(), a = (I[2] - I[0]) / I[1], c = (I[2] - I[1]) / I[0], b = 1 + 3 * a + a * c, root = sqrt(b * b - 16 * a * c);
    const double w[2] = {n * sqrt((b - root) / 2), n * sqrt((b + root) / 2)};
    double ratio[2]; /* B / A of the first kind */
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(pow(w[i] / n, 4) - b * pow(w[i] / n, 2) + 4 * a * c) < 1e-12);
        ratio[i] = (w[i] * w[i] - 4 * n * n * a) / (n * (1 - a) * w[i]);
    }
    /* from phi_0: A_1 + A_2 = phi_0, rates of psi: B_1 w_1 + B_2 w_2 = 0; from psi_0: B_1 + B_2 = psi_0, rates of phi: A_1 w_1 + A_2 w_2 = 0 */
    const double A = start[0] * ratio[1] * w[1] / (ratio[1] * w[1] - ratio[0] * w[0]), other = start[0] - A;
    angle[0] = A * cos(w[0] * t) + other * cos(w[1] * t);
    angle[1] = A * ratio[0] * sin(w[0] * t) + other * ratio[1] * sin(w[1] * t);
    const double p = -ratio[0], q = -ratio[1], A1 = start[1] / (p - q * w[0] / w[1]), A2 = -A1 * w[0] / w[1];
    angle[0] += A1 * sin(w[0] * t) + A2 * sin(w[1] * t);
    angle[1] += A1 * p * cos(w[0] * t) + A2 * q * cos(w[1] * t);
}

#define ROLL "(bus.x*bus.ez.x + bus.y*bus.ez.y)/sqrt(bus.x^2 + bus.y^2)"
#define YAW "(bus.y*bus.ez.x - bus.x*bus.ez.y)/sqrt(bus.x^2 + bus.y^2)"

static trajectory roll_and_yaw_run(const char *way, const char *start)
{
    static const char *const channels[] = {ROLL, YAW, NULL};
    char settings[200];
    snprintf(settings, sizeof settings, "%s until=12000 every=400" TIGHT, way);
    return run_well("satellite-roll-yaw", start, channels, settings);
}

/* What is left after the extrapolation: the error of the runs, 1e-9 rad, over the amplitude, and terms of the order e^4. A phase or an amplitude
 * that is off by d at e has d^2 / 2 in that order, and the extrapolation multiplies it by (4 - 16) / 3. */
static void roll_and_yaw_are_the_librations_of_the_biquadratic_equation(void **unused)
{
    (void)unused;
    const double e = 0.004, toward = acos(-1) / 6, unit[2] = {cos(toward), sin(toward)};
    for (int k = 0; k < WAYS; k += 2) {
        trajectory run[2] = {roll_and_yaw_run(ways[k], "tilt=0.004"), roll_and_yaw_run(ways[k], "tilt=0.008")};
        double left = 0, d = 0;
        assert_true(run[0].rows == 31 && run[1].rows == 31);
        for (int r = 0; r < run[0].rows; r++) {
            const double *one = run[0].value + (size_t)r * (size_t)run[0].n, *two = run[1].value + (size_t)r * (size_t)run[1].n;
            double is[2];
            roll_and_yaw(one[0], unit, is);
            for (int i = 0; i < 2; i++) {
                left = fmax(left, fabs((4 * one[1 + i] / e - two[1 + i] / (2 * e)) / 3 - is[i]));
                d = fmax(d, fabs(one[1 + i] / e - is[i]));
            }
        }
        print_message("  %s: misses the closed form by %.1e of the amplitude, %.1e before the extrapolation\n", ways[k], left, d);
        if (!(left < 1e-9 / e + 2 * d * d && d < 1e-3))
            fail_msg("%s: roll and yaw miss the closed form", ways[k]);
        free(run[0].value), free(run[1].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_s_functions_are_what_they_should_be),
        cmocka_unit_test(pitch_swings_as_an_elliptic_function_at_every_amplitude),
        cmocka_unit_test(the_frequency_of_small_pitch_is_the_classical_one),
        cmocka_unit_test(roll_and_yaw_are_the_librations_of_the_biquadratic_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
