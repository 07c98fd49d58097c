/* Equilibria, steady motions and eigenvalues against closed forms: machines of textbooks, in every family, and some in other units. */
#include "check.h"
#include "dalembert/dalembert.h"

#include <complex.h>
#include <stdlib.h>

static const char *const plane[] = {"angle", "natural", "joint"};
static const char *const space[] = {"angle", "euler", "natural", "joint"};
enum { PLANE = 3, SPACE = 4 };

/* Length, mass and time, each over the usual unit. */
typedef struct units {
    double L, M, T;
} units;
static const units scales[] = {{1, 1, 1}, {1e-6, 1, 1}, {1e6, 1, 1}, {1, 1e-6, 1}, {1, 1e6, 1}, {1, 1, 1e-6}, {1, 1, 1e6}};
enum { SCALES = 7 };

static void say_all(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        print_message("    %s\n", m->text);
}

static dal_spec *parse(const char *family, const char *format, ...)
{
    char text[4000];
    va_list values;
    va_start(values, format);
    assert_true(vsnprintf(text, sizeof text, format, values) < (int)sizeof text);
    va_end(values);
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        say_all(messages);
    assert_non_null(spec);
    assert_true(!family || dal_spec_set(spec, "coordinates", family, messages));
    dal_messages_free(messages);
    return spec;
}

static dal_equilibrium *stand(dal_spec *spec, int n, const dal_steady *given)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *e = NULL;
    const dal_status status = n ? dal_steady_find(NULL, spec, n, given, messages, &e) : dal_equilibrium_find(NULL, spec, messages, &e);
    if (status != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    assert_non_null(e);
    return e;
}

static dal_modes *modes_of(dal_spec *spec, const char *at)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_modes *modes = NULL;
    if (dal_modes_find(NULL, spec, &(dal_linear_options){.at = at}, messages, &modes) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    assert_non_null(modes);
    return modes;
}

static double value_of(const dal_equilibrium *e, const char *channel)
{
    for (int i = 0; i < e->n_coordinates; i++)
        if (!strcmp(e->coordinates[i], channel))
            return e->values[i];
    fail_msg("no coordinate %s", channel);
    return NAN;
}

/* Are these all eigenvalues with im >= 0 but zeros? */
static void check_eigenvalues(const dal_modes *modes, int n, const double complex *expected, double tolerance, const char *what)
{
    double size = 0;
    for (int k = 0; k < n; k++)
        size = fmax(size, cabs(expected[k]));
    if (modes->n_modes != n)
        fail_msg("%s: %d eigenvalues, not %d", what, modes->n_modes, n);
    for (int k = 0; k < n; k++) {
        double nearest = INFINITY;
        for (int i = 0; i < n; i++)
            nearest = fmin(nearest, cabs(modes->modes[i].re + I * modes->modes[i].im - expected[k]));
        if (!(nearest <= tolerance * size))
            fail_msg("%s: no eigenvalue is nearer to %.15g %+.15g i than %.3g", what, creal(expected[k]), cimag(expected[k]), nearest);
    }
}

/* ---- steady motions ---------------------------------------------------------------------------------- */

/* Watt's governor: balls m on arms l from the axis, a sleeve M on links l below them: W^2 = (m + M) g / (m l cos a). */
static void governors_stand_where_watt_says(void **unused)
{
    (void)unused;
    static const double angles[] = {0.3, 0.6, 1.3};
    for (int k = 0; k < SCALES; k++)
        for (int i = k % 3; i < 3 && check_chosen(k, 3); i += 3) {
            const units u = scales[k];
            const double l = 0.4 * u.L, m = 1.5 * u.M, M = 4 * u.M, g = 9.81 * u.L / (u.T * u.T), x = l * sin(0.8), z = l * cos(0.8);
            const double W = sqrt((m + M) * g / (m * l * cos(angles[i]))), J = 0.1 * u.M * u.L * u.L;
            dal_spec *spec =
                parse(space[(k + i) % SPACE],
                      "dalembert: 1\nspace: spatial\ngravity: [0, 0, %.17g]\nbodies:\n"
                      "  spindle: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0], velocity: [0, 0, 0], angular-velocity: [0, 0, "
                      "%.17g]}\n"
                      "  la: {mass: %.17g, inertia: [0, 0, 0], position: [%.17g, 0, %.17g], points: {h: [%.17g, 0, %.17g]}}\n"
                      "  ra: {mass: %.17g, inertia: [0, 0, 0], position: [%.17g, 0, %.17g], points: {h: [%.17g, 0, %.17g]}}\n"
                      "  sleeve: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, %.17g]}\njoints:\n"
                      "  spin: {type: revolute, connect: [ground, spindle], axis: [0, 0, 1]}\n"
                      "  slide: {type: prismatic, connect: [spindle, sleeve], axis: [0, 0, 1]}\n"
                      "  hl: {type: revolute, connect: [spindle, la.h], axis: [0, 1, 0]}\n"
                      "  hr: {type: revolute, connect: [spindle, ra.h], axis: [0, 1, 0]}\n"
                      "  ll: {type: distance, connect: [la, sleeve], length: %.17g}\n  lr: {type: distance, connect: [ra, sleeve], length: %.17g}\n",
                      -g, u.M, J, J, J, 0.9 * W, m, x, -z, -x, z, m, -x, -z, x, z, M, J, J, J, -2 * z, l, l);
            dal_equilibrium *e = stand(spec, 1, &(dal_steady){"spin.angle", W});
            check_close(value_of(e, "sleeve.z"), -2 * l * cos(angles[i]), 1e-10 * l);
            assert_int_equal(e->n_choices, 0);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
        }
}

/* CPU s. Steps that are shortened again and again along the stiff valley take minutes; a search takes 0.2 s, ten times that under the sanitizers. */
#ifdef CHECK_WATCHED
static const double longest_search = 50;
#else
static const double longest_search = 5;
#endif

/* Springs of 8e5 N/m hold a slider of 3 kg on the rods of a governor. In its plane: the spring's force balances the weight of the slider, and about
 * the hinge weight, spring and (m x) W^2 balance for the rod and its ball. */
static void stiff_governors_are_found_at_every_speed(void **unused)
{
    (void)unused;
    static const double speeds[] = {1, 3, 10};
    const double k = 8e5, m = 0.3, M = 5, G = 9.81;
    for (int i = 0; i < 3; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        const double begun = check_cpu_seconds(), W = speeds[i];
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/flyball-governor.yaml", 0, NULL, messages, &spec), DAL_OK);
        dal_equilibrium *e = stand(spec, 1, &(dal_steady){"foot.angle", W});
        const double height = value_of(e, "slider.z"), turn = value_of(e, "A.angle") + M_PI / 6; /* below the horizontal */
        const double c = cos(turn), s = sin(turn), x = 0.05 + 0.5 * c, z = 1 - 0.5 * s;
        const double length = hypot(x - 0.05, z - height), force = k * (length - 0.5), fx = -force * (x - 0.05) / length,
                     fz = -force * (z - height) / length; /* on the rod */
        check_close(-2 * fz, 3 * G, 1e-8 * 3 * G);
        double inertia = 0; /* moments of m x W^2 about the hinge: a rod, its ball, the slab across */
        inertia += m * W * W * (0.05 * 0.5 + c / 3) * s + M * W * W * (0.05 + c) * s;
        inertia -= m / 12 * 0.01 * 0.01 * W * W * s * c; /* a rod of square section */
        const double moment = inertia - (m * 0.5 + M) * G * c + 0.5 * c * fz + 0.5 * s * fx;
        check_close(moment, 0, 1e-8 * M * G);
        assert_int_equal(e->n_choices, 0);
        assert_true(check_cpu_seconds() - begun < longest_search);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A coin on a circle, leaning by th, its contact turning at P: about the contact, with the spin w about its axis (A, A, C: moments of inertia),
 *     w P cos th (C + m r^2) = A P^2 sin th cos th - m g r sin th */
static void coins_roll_on_circles(void **unused)
{
    (void)unused;
    static const double leans[] = {0.3, 0.9, 0.1}, turns[] = {2, 6, 1};
    for (int n = 0; n < SPACE + SCALES; n++) {
        const int i = n % 3;
        if (!check_chosen(n, 4))
            continue;
        const units u = scales[n < SPACE ? 0 : n - SPACE];
        const double m = 0.3 * u.M, r = 0.2 * u.L, g = 9.81 * u.L / (u.T * u.T), A = 0.25 * m * r * r, C = 0.5 * m * r * r, th = leans[i],
                     P = turns[i] / u.T;
        const double w = (A * P * P * sin(th) * cos(th) - m * g * r * sin(th)) / (P * cos(th) * (C + m * r * r));
        const double from = 0.9 * th, away = -r * w / P, s = w - P * sin(th);
        dal_spec *spec = parse(space[n % SPACE],
                               "dalembert: 1\nspace: spatial\ngravity: [0, 0, %.17g]\nbodies:\n"
                               "  coin: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, %.17g],\n"
                               "    orientation: {y: [%.17g, 0, %.17g], x: [0, 1, 0]}, angular-velocity: [%.17g, 0, %.17g]}\njoints:\n"
                               "  contact: {type: rolling-disc, connect: [ground, coin], normal: [0, 0, 1], axis: [0, 1, 0], radius: %.17g}\n",
                               -g, m, A, C, A, away, r * cos(from), cos(from), sin(from), 1.05 * s * cos(th), 1.05 * (P + s * sin(th)), r);
        const dal_steady given[] = {{"atan2(coin.ey.y, coin.ey.x)", P}, {"coin.omega.body.y", w}};
        dal_equilibrium *e = stand(spec, 2, given);
        check_close(value_of(e, "coin.ey.z"), sin(th), 1e-10);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* A car on blades, and nothing that turns with it: it goes round the point where the axles meet, and not straight while it spins. */
static void cars_on_blades_go_round(void **unused)
{
    (void)unused;
    for (int f = 0; f < PLANE; f++) {
        dal_spec *spec =
            parse(plane[f], "dalembert: 1\nspace: planar\nparameters: {L: 2.6, d: 0.1, u: 5}\nbodies:\n"
                            "  car: {mass: 1000, inertia: 1500, position: [1.3, 0], angle: 0, velocity: [u, 1.3*u*tan(d)/L], rate: u*tan(d)/L,\n"
                            "    points: {F: [1.3, 0], R: [-1.3, 0]}}\nconstraints:\n"
                            "  rear: {velocity: \"car.R.y'*car.ex.x - car.R.x'*car.ex.y\"}\n"
                            "  front: {velocity: \"car.F.y'*(car.ex.x - tan(d)*car.ex.y) - car.F.x'*(car.ex.y + tan(d)*car.ex.x)\"}\n");
        dal_equilibrium *e = stand(spec, 1, &(dal_steady){"car.angle", 0.25});
        double rate = NAN;
        for (int i = 0; i < e->n_coordinates; i++)
            rate = !strcmp(e->coordinates[i], "car.x") ? e->rates[i] : rate;
        check_close(rate, 0.25 * 2.6 / tan(0.1), 1e-11);
        assert_int_equal(e->n_choices, 0);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* With tyres of stiffness cf and cr at a and b from the centre of mass, steered by d at a held speed u (single-track model, linear tyres):
 *     yaw rate = u d / (L + m u^2 (b cr - a cf) / (L cf cr)) */
static void cars_on_tyres_understeer(void **unused)
{
    (void)unused;
    const double m = 1500, a = 1.2, b = 1.5, cf = 8e4, cr = 9e4, u = 20, d = 0.02, L = a + b;
    for (int f = 0; f < PLANE; f++) {
        dal_spec *spec = parse(
            plane[f], "dalembert: 1\nspace: planar\nparameters: {a: 1.2, b: 1.5, cf: 8e4, cr: 9e4, u: 20}\ninputs: {steer: 0.02}\nbodies:\n"
                      "  car: {mass: 1500, inertia: 2500, position: [0, 0], angle: 0, velocity: [u, 0], rate: 0.1, points: {F: [a, 0], R: [-b, 0]}}\n"
                      "constraints: {speed: {velocity: \"car.x'*car.ex.x + car.y'*car.ex.y - u\"}}\ndefine:\n"
                      "  vyf: car.F.y'*car.ex.x - car.F.x'*car.ex.y\n  vyr: car.R.y'*car.ex.x - car.R.x'*car.ex.y\nforces:\n"
                      "  front: {type: force, body: car.F, axes: body, value: [0, -cf*(vyf/u - steer)]}\n"
                      "  rear: {type: force, body: car.R, axes: body, value: [0, -cr*vyr/u]}\n");
        dal_equilibrium *e = stand(spec, 1, &(dal_steady){"car.x", u});
        for (int i = 0; i < e->n_coordinates; i++)
            if (!strcmp(e->coordinates[i], "car.angle"))
                check_close(e->rates[i], u * d / (L + m * u * u * (b * cr - a * cf) / (L * cf * cr)), 1e-11);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* Straight on: (A + m r^2) th'' + (C (C + m r^2) W^2 / A - m g r) th = 0, so that it falls below a certain speed. */
static void upright_coins_fall_when_they_are_slow(void **unused)
{
    (void)unused;
    static const double speeds[] = {0.5, 0.99, 1.01, 3};
    for (int n = 0; n < 4 * SPACE; n++) {
        if ((n / 4 + n) % 2 || !check_chosen(n / 2, 3)) /* each family at two speeds */
            continue;
        const double m = 0.3, r = 0.2, g = 9.81, A = 0.25 * m * r * r, C = 0.5 * m * r * r;
        const double W = speeds[n % 4] * sqrt(m * g * r * A / (C * (C + m * r * r)));
        const double complex s = csqrt((m * g * r - C * (C + m * r * r) / A * W * W) / (A + m * r * r));
        dal_spec *spec = parse(space[n / 4],
                               "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  coin: {mass: 0.3, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0.2], velocity: [%.17g, 0, 0],\n"
                               "    angular-velocity: {body: [0, %.17g, 0]}}\njoints:\n"
                               "  contact: {type: rolling-disc, connect: [ground, coin], normal: [0, 0, 1], axis: [0, 1, 0], radius: 0.2}\n",
                               A, C, A, r * W, W);
        dal_modes *modes = modes_of(spec, NULL);
        const double complex expected[] = {s, -s};
        check_eigenvalues(modes, cimag(s) == 0 ? 2 : 1, expected, 1e-11, space[n / 4]);
        dal_equilibrium *e = stand(spec, 1, &(dal_steady){"coin.omega.body.y", W});
        assert_int_equal(e->stability, speeds[n % 4] < 1 ? DAL_UNSTABLE : DAL_NOT_DECIDED);
        dal_equilibrium_free(e);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

/* ---- eigenvalues -------------------------------------------------------------------------------------------- */

/* A round rotor on springs of stiffness k at distances a above and below: whirls by m s^2 = -2 k, and turns z by A z'' - i C W z' + 2 k a^2 z = 0,
 * forwards and backwards. Half of these whirls are conjugates of others. */
static void fast_rotors_whirl(void **unused)
{
    (void)unused;
    for (int n = 0; n < 3 + SCALES; n++) {
        const units u = scales[n < 3 ? 0 : n - 3];
        if (!check_chosen(n, 3))
            continue;
        const double W = pow(10, 1 + n % 3) / u.T, m = 10 * u.M, k = 2e4 * u.M / (u.T * u.T), a = 0.3 * u.L, A = 0.6 * u.M * u.L * u.L,
                     C = 1.1 * u.M * u.L * u.L, half = C * W / (2 * A), root = sqrt(half * half + 2 * k * a * a / A);
        const double complex expected[] = {I * sqrt(2 * k / m), I * (half + root), I * 2 * k * a * a / A / (half + root)};
        dal_spec *spec = parse(
            space[n % SPACE],
            "dalembert: 1\nspace: spatial\nparameters: {k: %.17g}\nbodies:\n"
            "  rotor: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0], velocity: [0, 0, 0], angular-velocity: [0, 0, %.17g],\n"
            "    points: {P: [0, 0, %.17g], Q: [0, 0, %.17g]}}\njoints: {axial: {type: lock, body: rotor, coordinate: z}}\nforces:\n"
            "  P: {type: force, body: rotor.P, value: [-k*rotor.P.x, -k*rotor.P.y, 0]}\n"
            "  Q: {type: force, body: rotor.Q, value: [-k*rotor.Q.x, -k*rotor.Q.y, 0]}\n",
            k, m, A, A, C, W, -a, a);
        dal_modes *modes = modes_of(spec, NULL);
        const double complex all[] = {expected[0], expected[0], expected[1], expected[2]};
        check_eigenvalues(modes, 4, all, 1e-11, space[n % SPACE]);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

/* A rotor with four frequencies that all depend on each other: with coarse steps, too, the lines over its speed keep their order. */
static void lines_that_veer_do_not_cross(void **unused)
{
    (void)unused;
    enum { N = 5 };
    dal_modes *modes[N];
    dal_campbell *c = NULL;
    double values[N];
    for (int v = 0; v < N; v++) {
        values[v] = 50.0 * v;
        dal_spec *spec =
            parse(NULL,
                  "dalembert: 1\nspace: spatial\nbodies:\n"
                  "  rotor: {mass: 10, inertia: [0.6, 0.6, 0.9], position: [0, 0, 0], velocity: [0, 0, 0], angular-velocity: {body: [0, 0, %g]},\n"
                  "    points: {P: [0, 0, -0.25], Q: [0, 0, 0.35]}}\njoints: {axial: {type: lock, body: rotor, coordinate: z}}\nforces:\n"
                  "  P: {type: force, body: rotor.P, value: [-2e5*rotor.P.x, -3e5*rotor.P.y, 0]}\n"
                  "  Q: {type: force, body: rotor.Q, value: [-2.5e5*rotor.Q.x, -2.5e5*rotor.Q.y, 0]}\n",
                  values[v]);
        modes[v] = modes_of(spec, NULL);
        dal_spec_free(spec);
    }
    assert_int_equal(dal_campbell_track(NULL, "W", N, values, (const dal_modes *const *)modes, NULL, &c), DAL_OK);
    assert_int_equal(c->n_lines, 4);
    for (int v = 0; v < N; v++)
        for (int l = 1; l < 4; l++)
            if (!(c->lines[l].im[v] > c->lines[l - 1].im[v]))
                fail_msg("lines %d and %d cross before %g rad/s", l, l + 1, values[v]);
    dal_campbell_free(c);
    for (int v = 0; v < N; v++)
        dal_modes_free(modes[v]);
}

/* Ziegler's column: two bars without mass, 2 m and m at their ends, springs c, a force P along the second bar. With M = m l^2 [3 1; 1 1] and
 * K = [2 c - P l, P l - c; -c, c] it flutters above P l = (7/2 - sqrt 2) c, where both frequencies are one and have one shape. */
static void followed_columns_flutter(void **unused)
{
    (void)unused;
    static const double parts[] = {0.5, 1, 0.99, 1.2};
    const double m = 0.9, l = 0.7, c = 31;
    for (int n = 0; n < 4 * PLANE; n++) {
        if (!check_chosen(n, 5))
            continue;
        const double Pl = parts[n % 4] * (3.5 - sqrt(2)) * c;
        /* det(K - x M) = 2 q^2 - (7 c - 2 P l) q + c^2,  q = m l^2 x */
        const double b = (7 * c - 2 * Pl) / 4;
        const double complex d = parts[n % 4] == 1 ? 0 : csqrt(b * b - c * c / 2), x = (b + d) / (m * l * l), y = (b - d) / (m * l * l);
        const double complex expected[] = {I * csqrt(x), I * csqrt(y), -I * csqrt(x), -I * csqrt(y)};
        double complex upper[4];
        int count = 0;
        for (int i = 0; i < 4; i++)
            if (cimag(expected[i]) > 0)
                upper[count++] = expected[i];
        dal_spec *spec = parse(plane[n / 4],
                               "dalembert: 1\nspace: planar\nbodies:\n"
                               "  a: {mass: 1.8, inertia: 0, position: [0.7, 0], points: {P: [-0.7, 0]}}\n"
                               "  b: {mass: 0.9, inertia: 0, position: [1.4, 0], points: {P: [-0.7, 0]}}\njoints:\n"
                               "  A: {type: revolute, connect: [ground, a.P]}\n  B: {type: revolute, connect: [a, b.P]}\nforces:\n"
                               "  sa: {type: torsional-spring-damper, joint: A, stiffness: 31}\n"
                               "  sb: {type: torsional-spring-damper, joint: B, stiffness: 31}\n"
                               "  f: {type: force, body: b, axes: body, value: [%.17g, 0]}\n",
                               -Pl / l);
        dal_modes *modes = modes_of(spec, "equilibrium");
        check_eigenvalues(modes, 2, upper, parts[n % 4] == 1 ? 1e-7 : 1e-11, plane[n / 4]);
        assert_int_equal(count, 2);
        dal_equilibrium *e = stand(spec, 0, NULL);
        if (parts[n % 4] != 1)
            assert_int_equal(e->stability, parts[n % 4] > 1 ? DAL_UNSTABLE : DAL_NOT_DECIDED);
        dal_equilibrium_free(e);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

/* A ball of radius r that rolls in a bowl: its centre moves on a sphere of radius d, and swings with 5 g / (7 d). Three equations say that the contact
 * does not slip, of which two are independent. */
static void balls_roll_in_bowls(void **unused)
{
    (void)unused;
    for (int n = 0; n < 2 * SPACE; n++) {
        const double d = 0.55, r = 0.05, m = 0.4, J = 0.4 * m * r * r, f = r / d;
        dal_spec *spec = parse(space[n % SPACE],
                               "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  ball: {mass: 0.4, inertia: [%.17g, %.17g, %.17g], position: [0, %.17g, %.17g]}\n"
                               "joints: {bowl: {type: distance, connect: [ground, ball], length: 0.55}}\nconstraints:\n"
                               "  x: {velocity: \"ball.x' + %.17g*(ball.omega.y*ball.z - ball.omega.z*ball.y)\"}\n"
                               "  y: {velocity: \"ball.y' + %.17g*(ball.omega.z*ball.x - ball.omega.x*ball.z)\"}\n%s",
                               J, J, J, -0.2 * d, -d * sqrt(0.96), f, f,
                               n < SPACE ? "" : "  z: {velocity: \"ball.z' + 0.05/0.55*(ball.omega.x*ball.y - ball.omega.y*ball.x)\"}\n");
        dal_modes *modes = modes_of(spec, "equilibrium");
        const double complex s = I * sqrt(5 * 9.81 / (7 * d)), both[] = {s, s};
        check_eigenvalues(modes, 2, both, 1e-11, space[n % SPACE]);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

/* Equal oscillators that are critically damped: one eigenvalue, as many shapes as oscillators, no oscillation of 1e-9 Hz. A third one that is
 * damped less has nothing to do with them. */
static void equal_defective_eigenvalues_are_one(void **unused)
{
    (void)unused;
    for (int n = 0; n < 2; n++) {
        dal_spec *spec =
            parse(NULL,
                  "dalembert: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 1, position: [1, 0]}\n"
                  "  b: {mass: 2, inertia: 1, position: [2, 0]}\n  c: {mass: 1, inertia: 1, position: [3, 0]}\njoints:\n"
                  "  A: {type: prismatic, connect: [ground, a], axis: [1, 0]}\n  B: {type: prismatic, connect: [ground, b], axis: [1, 0]}\n"
                  "  C: {type: prismatic, connect: [ground, c], axis: [1, 0]}\nforces:\n"
                  "  sa: {type: spring-damper, joint: A, stiffness: 9, damping: 6}\n"
                  "  sb: {type: spring-damper, joint: B, stiffness: 18, damping: 12}\n"
                  "  sc: {type: spring-damper, joint: C, stiffness: %d, damping: %d}\n",
                  n ? 12 : 16, n ? 7 : 2); /* -3 and -4, or -1 +- sqrt(15) i */
        dal_modes *modes = modes_of(spec, NULL);
        int equal = 0;
        for (int i = 0; i < modes->n_modes; i++)
            if (fabs(modes->modes[i].re + 3) < 1e-9) {
                check_close(modes->modes[i].re, -3, 1e-12);
                assert_true(modes->modes[i].im == 0);
                assert_int_equal(modes->modes[i].times, n ? 5 : 4);
                assert_int_equal(modes->modes[i].shapes, n ? 3 : 2);
                equal++;
            }
        assert_int_equal(equal, n ? 5 : 4);
        dal_modes_free(modes);
        dal_spec_free(spec);
    }
}

/* ---- singular positions ------------------------------------------------------------------------------------------ */

static const char two_bars[] = "dalembert: 1\nspace: planar\ngravity: [%g, %g]\nground: {points: {D: [2, 0]}}\nbodies:\n"
                               "  a: {mass: 1.3, inertia: 0.1, position: [0.5, 0], points: {P: [-0.5, 0], Q: [0.5, 0]}}\n"
                               "  b: {mass: 1.3, inertia: 0.1, position: [1.5, 0], points: {P: [-0.5, 0], Q: [0.5, 0]}}\n"
                               "joints: {A: {type: revolute, connect: [ground, a.P]}, B: {type: revolute, connect: [a.Q, b.P]},\n"
                               "         C: {type: revolute, connect: [b.Q, ground.D]}}\n";

/* Two bars in a line between fixed points cannot move, and cannot carry their weight. Along the line they can: half by each end. */
static void tight_bars_carry_along_their_line_only(void **unused)
{
    (void)unused;
    for (int f = 0; f < PLANE; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = parse(plane[f], two_bars, 0.0, -9.81);
        dal_equilibrium *e = NULL;
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_BAD_MODEL);
        const char *text = dal_messages_first(messages)->text;
        if (!strstr(text, "the position is singular, because constraint '") ||
            !strstr(text, "No finite reactions balance the forces on 'a along y'") || !strstr(text, "the constraints hold the model here"))
            fail_msg("%s: %s", plane[f], text);
        dal_spec_free(spec);
        dal_messages_free(messages);
        spec = parse(plane[f], two_bars, 9.81, 0.0);
        e = stand(spec, 0, NULL);
        assert_non_null(e->singular);
        assert_int_equal(e->stability, DAL_NOT_DECIDED);
        double along = 0;
        for (int i = 0; i < e->n_reactions; i++) /* of the first end on a, of b on the last */
            along += !strcmp(e->reactions[i].joint, "A")   ? e->reactions[i].force[0]
                     : !strcmp(e->reactions[i].joint, "C") ? -e->reactions[i].force[0]
                                                           : 0;
        check_close(along, -2 * 1.3 * 9.81, 1e-9);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* A linkage that lies flat can open in two ways: the search goes down one of them. */
static void flat_linkages_open(void **unused)
{
    (void)unused;
    for (int n = 0; n < 2 * PLANE; n++) {
        const double l = n < PLANE ? 1 : 1.7; /* the lengths of base and coupler; cranks are 1 */
        dal_spec *spec = parse(plane[n % PLANE],
                               "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {D: [%.17g, 0]}}\nbodies:\n"
                               "  p: {mass: 1.3, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}\n"
                               "  q: {mass: 0.7, inertia: 0.1, position: [%.17g, 0], points: {A: [%.17g, 0], B: [%.17g, 0]}}\n"
                               "  r: {mass: 1.9, inertia: 0.1, position: [%.17g, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}\njoints:\n"
                               "  A: {type: revolute, connect: [ground, p.A]}\n  B: {type: revolute, connect: [p.B, q.A]}\n"
                               "  C: {type: revolute, connect: [q.B, r.B]}\n  D: {type: revolute, connect: [ground.D, r.A]}\n",
                               l, 1 + l / 2, -l / 2, l / 2, l + 0.5);
        dal_equilibrium *e = stand(spec, 0, NULL);
        assert_int_equal(e->stability, DAL_STABLE);
        assert_null(e->singular);
        check_close(value_of(e, "p.y"), -0.5, 1e-11);
        check_close(value_of(e, "r.y"), -0.5, 1e-11);
        check_close(value_of(e, "q.y"), -1, 1e-11);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* A crank and a rod of the same length hang down in one line, with the slider at the shaft: the equilibrium itself is singular. */
static void equilibria_at_singular_positions_say_so(void **unused)
{
    (void)unused;
    for (int f = 0; f < PLANE; f++) {
        char text[4000];
        dal_messages *messages = dal_messages_create(NULL);
        dal_modes *modes = NULL;
        dal_spec *spec =
            parse(plane[f], "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                            "  crank: {mass: 1.1, inertia: 0.1, position: [0.4, 0], points: {A: [-0.4, 0], B: [0.4, 0]}}\n"
                            "  rod: {mass: 1.7, inertia: 0.2, position: [1.2, 0], points: {A: [-0.4, 0], B: [0.4, 0]}}\n"
                            "  slider: {mass: 2, inertia: 0.2, position: [1.6, 0]}\njoints:\n"
                            "  A: {type: revolute, connect: [ground, crank.A]}\n  B: {type: revolute, connect: [crank.B, rod.A]}\n"
                            "  C: {type: revolute, connect: [rod.B, slider]}\n  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0]}\n");
        dal_equilibrium *e = stand(spec, 0, NULL);
        check_close(value_of(e, "crank.y"), -0.4, 1e-9);
        check_close(value_of(e, "slider.x"), 0, 1e-9);
        assert_non_null(e->singular);
        assert_true(dal_equilibrium_text(e, 6, text, sizeof text) > 0);
        assert_non_null(strstr(text, "has an equilibrium at a singular position\n  the position is singular: constraint '"));
        assert_int_equal(dal_modes_find(NULL, spec, &(dal_linear_options){.at = "equilibrium"}, messages, &modes), DAL_BAD_MODEL);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A ball on a spherical joint, from beside the upright: it hangs, and may spin. */
static void balls_hang_from_any_start(void **unused)
{
    (void)unused;
    static const double angles[] = {5, 90, 175};
    for (int n = 0; n < 3 * SPACE; n++) {
        if (!check_chosen(n, 3))
            continue;
        dal_spec *spec =
            parse(space[n % SPACE],
                  "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                  "  b: {mass: 2, inertia: [0.1, 0.1, 0.1], orientation: {axis: [0.3, 0.5, 0.2], angle: %g*deg}, points: {P: [0, 0, -1]}}\n"
                  "joints: {s: {type: spherical, connect: [ground, b.P]}}\n",
                  angles[n / SPACE]);
        dal_equilibrium *e = stand(spec, 0, NULL);
        check_close(value_of(e, "b.z"), -1, 1e-12);
        assert_int_equal(e->stability, DAL_INDIFFERENT);
        assert_int_equal(e->n_free, 1);
        assert_string_equal(e->free[0], "b about z");
        check_close(e->stiffnesses[1], 2 * 9.81 / 2.1, 1e-10);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(governors_stand_where_watt_says),
        cmocka_unit_test(stiff_governors_are_found_at_every_speed),
        cmocka_unit_test(coins_roll_on_circles),
        cmocka_unit_test(cars_on_blades_go_round),
        cmocka_unit_test(cars_on_tyres_understeer),
        cmocka_unit_test(upright_coins_fall_when_they_are_slow),
        cmocka_unit_test(fast_rotors_whirl),
        cmocka_unit_test(lines_that_veer_do_not_cross),
        cmocka_unit_test(followed_columns_flutter),
        cmocka_unit_test(balls_roll_in_bowls),
        cmocka_unit_test(equal_defective_eigenvalues_are_one),
        cmocka_unit_test(tight_bars_carry_along_their_line_only),
        cmocka_unit_test(flat_linkages_open),
        cmocka_unit_test(equilibria_at_singular_positions_say_so),
        cmocka_unit_test(balls_hang_from_any_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
