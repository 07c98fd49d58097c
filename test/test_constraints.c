/* Constraints and speeds written as expressions, and joints that forbid velocities: rolling and skates. */
#include "gallery.h"
#include "dynamics/reactions.h"

static const char *const families[] = {"angle", "euler", "natural", "joint"};
enum { FAMILIES = sizeof families / sizeof *families };

static dal_system *compile(const char *text, const char *family)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_parse(NULL, "test.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        if (family)
            dal_spec_set(spec, "coordinates", family, messages);
        dal_spec_set(spec, "stabilization", "direct-correction=1e-12", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        if (m->severity == DAL_ERROR)
            fail_msg("%s: %d:%d: %s", family ? family : "", m->mark.line, m->mark.column, m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static dal_state *start(const char *text, const char *family)
{
    dal_state *state = dal_state_create(NULL, compile(text, family));
    assert_non_null(state);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    return state;
}

static void finish(dal_state *state)
{
    dal_system *system = (dal_system *)(uintptr_t)state->system;
    dal_state_free(state);
    dal_system_free(system);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double column(dal_state *state, const char *name)
{
    double row[32];
    assert_true(state->system->n_columns <= 32);
    assert_int_equal(dal_state_record(state, row), 0);
    for (int i = 0; i < state->system->n_columns; i++)
        if (!strcmp(state->system->columns[i].name, name))
            return row[i];
    fail_msg("no column '%s'", name);
    return NAN;
}

/* ---- rolling ------------------------------------------------------------------- */

/* Everything skew: the plane, gravity, the attitude, the centre of the ball in its body. Of a body with the inertia k m r^2 about every
 * axis, a (1 + k) = g - (g . n) n, and the contact gives the force m (a - g). The spin was not given: it follows from the velocity. */
static const char ball_text[] = "dalembert: 1\nspace: spatial\nparameters: {r: 0.31, m: 1.7, k: 0.43}\ngravity: [2.3, -1.7, -8.1]\n"
                                "ground: {points: {O: [0.2, -0.4, 0.1]}}\n"
                                "bodies:\n"
                                "  ball: {mass: m, center: [0.1, 0.2, -0.3], inertia: [k*m*r^2, k*m*r^2, k*m*r^2], position: [0.3, 0.5, 0.9],\n"
                                "         orientation: {euler-zyx: [0.7, -0.4, 0.9]}, velocity: [0.7, -0.3, 0.5], points: {C: [0.1, 0.2, -0.3]}}\n"
                                "joints:\n  roll: {type: rolling-ball, connect: [ground.O, ball.C], normal: [0.3, -0.5, 0.8], radius: r}\n";

static void a_ball_rolls_down_any_incline_as_it_should(void **unused)
{
    (void)unused;
    const double k = 0.43, r = 0.31, m = 1.7, g[3] = {2.3, -1.7, -8.1}, c[3] = {0.1, 0.2, -0.3}, O[3] = {0.2, -0.4, 0.1};
    double n[3] = {0.3, -0.5, 0.8}, norm = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++)
        n[i] /= norm;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state = start(ball_text, families[f]);
        dal_motion x = dal_state_body(state, 0);
        double rho[3], C[3], v[3], a[3], t[3], slip[3], arm[3] = {-r * n[0], -r * n[1], -r * n[2]}, force[3], torque[3], want[3];
        for (int i = 0; i < 3; i++)
            rho[i] = x.rotation[3 * i] * c[0] + x.rotation[3 * i + 1] * c[1] + x.rotation[3 * i + 2] * c[2];
        cross(x.omega, rho, v);
        cross(x.omega, v, a);
        cross(x.alpha, rho, t);
        for (int i = 0; i < 3; i++) {
            C[i] = x.position[i] + rho[i] - O[i];
            v[i] += x.velocity[i];
            a[i] += t[i] + x.acceleration[i];
        }
        cross(x.omega, arm, slip);
        check_close(dot(C, n), r, 1e-13);
        assert_true(dot(v, v) > 0.01);
        dal_state_reaction(state, 0, force, torque);
        for (int i = 0; i < 3; i++) {
            check_small(v[i] + slip[i], 1e-12);
            check_close(a[i], (g[i] - dot(g, n) * n[i]) / (1 + k), 1e-11);
            check_close(force[i], m * (a[i] - g[i]), 1e-11);
        }
        cross(arm, force, want); /* the force acts at the contact */
        for (int i = 0; i < 3; i++)
            check_close(torque[i], want[i], 1e-11);
        finish(state);
    }
}

/* A ball on a turntable that turns at W: v' = k / (1 + k) W n x v, wherever it is; the plane may also be pushed aside at A, which
 * adds A k / (1 + k). */
static void a_ball_on_a_turntable_goes_round_a_circle_of_its_own(void **unused)
{
    (void)unused;
    const double k = 0.43, W = 1.7, A = 0.9;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state = start(
            "dalembert: 1\nspace: spatial\nparameters: {r: 0.31, m: 1.7, k: 0.43}\ngravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  cart: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
            "  table: {mass: 2, inertia: [1, 2, 3], position: [0, 0, 0.2], orientation: {euler-zyx: [0.4, 0, 0]}}\n"
            "  ball: {mass: m, inertia: [k*m*r^2, k*m*r^2, k*m*r^2], position: [0.8, -0.3, 0.2 + r], orientation: {euler-zyx: [0.7, -0.4, 0.9]},\n"
            "         velocity: {value: [0.6, 1.1, 0], fix: true}}\n"
            "joints:\n  push: {type: prismatic, connect: [ground, cart], axis: [1, 0, 0], drive: 0.45*t^2}\n"
            "  turn: {type: revolute, connect: [cart, table], axis: [0, 0, 1], drive: 1.7*t}\n"
            "  roll: {type: rolling-ball, connect: [table, ball], normal: [0, 0, 1], radius: r}\n",
            families[f]);
        dal_motion x = dal_state_body(state, 2);
        check_close(x.acceleration[0], k / (1 + k) * (A - W * x.velocity[1]), 1e-11);
        check_close(x.acceleration[1], k / (1 + k) * W * x.velocity[0], 1e-11);
        check_small(x.acceleration[2], 1e-11);
        check_close(x.velocity[0], 0.6, 1e-12);
        finish(state);
    }
}

/* In the plane a disc and a ball are the same: x'' = g sin / (1 + k). */
static void a_disc_rolls_down_a_line(void **unused)
{
    (void)unused;
    static const char *const types[] = {"rolling-disc", "rolling-ball"};
    for (int i = 0; i < 2 * FAMILIES; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nparameters: {r: 0.31, m: 1.7, k: 0.53}\ngravity: [0, -9.81]\n"
                 "bodies: {disc: {mass: m, inertia: k*m*r^2, position: [0.37, 0.9], angle: 0.7, rate: {value: 1.9, fix: true}}}\n"
                 "joints: {roll: {type: %s, connect: [ground, disc], normal: [0.6, 0.8], radius: r}}\n",
                 types[i % 2]);
        dal_state *state = start(text, families[i / 2]);
        const double n[2] = {0.6, 0.8}, t[2] = {0.8, -0.6}, g = 9.81, along = -g * t[1], m = 1.7, r = 0.31, k = 0.53;
        dal_motion x = dal_state_body(state, 0);
        double force[3], torque[3];
        dal_state_reaction(state, 0, force, torque);
        check_close(x.position[0] * n[0] + x.position[1] * n[1], r, 1e-13);
        check_close(x.velocity[0] * t[0] + x.velocity[1] * t[1], -r * 1.9, 1e-12);
        check_close(x.acceleration[0] * t[0] + x.acceleration[1] * t[1], along / (1 + k), 1e-11);
        check_close(x.alpha[2], -along / (1 + k) / r, 1e-10);
        check_close(force[0] * t[0] + force[1] * t[1], -m * along * k / (1 + k), 1e-11);
        check_close(force[0] * n[0] + force[1] * n[1], m * g * n[1], 1e-11);
        check_close(torque[2], r * (force[0] * t[0] + force[1] * t[1]), 1e-11);
        finish(state);
    }
}

/* A coin that spins to rest, before it does: with the angle b between its plane and the table, its axis goes round at W and its centre
 * stays where it is if W^2 = g / (k r sin b); k m r^2 is the inertia about a diameter, and the angular velocity W sin b lies along the
 * radius through the contact. */
static void a_coin_spins_with_its_centre_at_rest(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state = start("dalembert: 1\nspace: spatial\n"
                                 "parameters: {r: 0.43, m: 1.9, k: 0.27, g: 9.81, b: 0.61, turn: 0.83, W: sqrt(g/(k*r*sin(b)))}\n"
                                 "gravity: [0, 0, -g]\n"
                                 "bodies:\n"
                                 "  coin: {mass: m, inertia: [k*m*r^2, 2*k*m*r^2, k*m*r^2], position: [0.3, -0.7, r*sin(b)],\n"
                                 "         orientation: {x: [\"-cos(b)\", 0, sin(b)], y: [sin(b), 0, cos(b)]},\n"
                                 "         velocity: [0, 0, 0], angular-velocity: [\"-W*sin(b)*cos(b)\", 0, W*sin(b)^2]}\n"
                                 "joints:\n  roll: {type: rolling-disc, connect: [ground, coin], normal: [0, 0, 1], axis: [0, 1, 0], radius: r}\n",
                                 families[f]);
        const double m = 1.9, g = 9.81, W = sqrt(g / (0.27 * 0.43 * sin(0.61)));
        dal_motion x = dal_state_body(state, 0);
        double force[3], torque[3], position, velocity;
        dal_state_residuals(state, &position, &velocity);
        check_small(position, 1e-13);
        check_small(velocity, 1e-12);
        dal_state_reaction(state, 0, force, torque);
        for (int i = 0; i < 3; i++)
            check_small(x.acceleration[i], 1e-11);
        check_close(x.omega[2], W * sin(0.61) * sin(0.61), 1e-12);
        check_small(force[0], 1e-11);
        check_small(force[1], 1e-11);
        check_close(force[2], m * g, 1e-11);
        /* alpha: the angular velocity goes round with the axis */
        check_close(x.alpha[1], W * x.omega[0], 1e-10);
        check_small(x.alpha[0], 1e-10);
        check_small(x.alpha[2], 1e-10);
        finish(state);
    }
}

/* The lowest point of a leaning disc, found by hand, is on the plane and at rest, and the contact force acts there. */
static void a_leaning_disc_touches_and_rolls_at_its_lowest_point(void **unused)
{
    (void)unused;
    const double r = 0.43, axis[3] = {0.48, -0.6, 0.64};
    double n[3] = {0.3, -0.5, 0.8}, norm = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++)
        n[i] /= norm;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state = start(
            "dalembert: 1\nspace: spatial\ngravity: [2.3, -1.7, -8.1]\n"
            "bodies:\n  disc: {mass: 1.9, inertia: [0.31, 0.27, 0.4], position: [0.3, -0.7, 0.4], orientation: {euler-zyx: [0.9, -0.3, 0.4]},\n"
            "         angular-velocity: [1.3, -0.8, 2.1]}\n"
            "joints:\n  roll: {type: rolling-disc, connect: [ground, disc], normal: [0.3, -0.5, 0.8], axis: [0.48, -0.6, 0.64], radius: 0.43}\n",
            families[f]);
        dal_motion x = dal_state_body(state, 0);
        double a[3], s[3], slip[3], force[3], torque[3], want[3], lean, w;
        for (int i = 0; i < 3; i++)
            a[i] = x.rotation[3 * i] * axis[0] + x.rotation[3 * i + 1] * axis[1] + x.rotation[3 * i + 2] * axis[2];
        lean = dot(a, n);
        w = sqrt(1 - lean * lean);
        assert_true(fabs(lean) > 0.1 && dot(x.velocity, x.velocity) > 0.01);
        for (int i = 0; i < 3; i++)
            s[i] = -r * (n[i] - lean * a[i]) / w;
        check_close(dot(x.position, n), -dot(s, n), 1e-13);
        cross(x.omega, s, slip);
        dal_state_reaction(state, 0, force, torque);
        cross(s, force, want);
        for (int i = 0; i < 3; i++) {
            check_small(x.velocity[i] + slip[i], 1e-12);
            check_close(torque[i], want[i], 1e-10);
        }
        finish(state);
    }
}

/* An upright wheel that rolls at w and is turned at W goes round a circle: C'' = W n x C', and what keeps it upright is the moment
 * W I w n x a on top of nothing else. */
static void an_upright_wheel_goes_round_in_a_circle(void **unused)
{
    (void)unused;
    const double r = 0.37, W = 0.9, w = 2.3, I = 0.19, m = 1.3, turn = 0.71, g = 9.81;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state =
            start("dalembert: 1\nspace: spatial\nparameters: {r: 0.37, W: 0.9, w: 2.3, h: 0.71}\ngravity: [0, 0, -9.81]\n"
                  "bodies:\n  wheel: {mass: 1.3, inertia: [0.11, 0.19, 0.11], position: [0.4, 0.2, r], orientation: {euler-zyx: [h, 0.6, 0]},\n"
                  "    angular-velocity: {value: [\"-w*sin(h)\", w*cos(h), W], fix: true}}\n"
                  "joints:\n  roll: {type: rolling-wheel, connect: [ground, wheel], normal: [0, 0, 1], axis: [0, 1, 0], radius: r}\n",
                  families[f]);
        const double n[3] = {0, 0, 1}, a[3] = {-sin(turn), cos(turn), 0};
        dal_motion x = dal_state_body(state, 0);
        double ahead[3], round[3], force[3], torque[3], across[3];
        cross(a, n, ahead);
        cross(n, x.velocity, round);
        cross(n, a, across);
        dal_state_reaction(state, 0, force, torque);
        for (int i = 0; i < 3; i++) {
            check_close(x.velocity[i], r * w * ahead[i], 1e-12);
            check_close(x.acceleration[i], W * round[i], 1e-11);
            check_close(force[i], m * (W * round[i] + g * n[i]), 1e-11);
            check_close(torque[i], W * I * w * across[i], 1e-11);
        }
        finish(state);
    }
}

/* ---- skates ---------------------------------------------------------------------- */

/* The sleigh of Chaplygin: the edge at P, a behind the centre of mass; v' = a w^2, (I + m a^2) w' = -m a v w for the speed v of P:
 *   v = V tanh(k t + c), w = W sech(k t + c),   m V^2 = (I + m a^2) W^2 = twice the energy,   k = a W^2 / V
 * and the heading turns by (W / k) (gd(k t + c) - gd(c)), gd x = 2 atan(tanh(x / 2)). */
static const struct {
    const char *name, *text;
} sleighs[] = {
    {"planar skate", "dalembert: 1\nspace: planar\nparameters: {a: 0.4, h: 0.3, v0: -0.7, w0: 1.5}\n"
                     "bodies:\n  sleigh: {mass: 1.2, inertia: 0.15, position: [0.2, -0.5], angle: h, points: {P: [-a, 0]}, rate: w0,\n"
                     "    velocity: [v0*cos(h) - a*w0*sin(h), v0*sin(h) + a*w0*cos(h)]}\n"
                     "joints:\n  edge: {type: skate, connect: [ground, sleigh.P], axis: [1, 0]}\n"
                     "simulate: {until: 2, rtol: 1e-11, atol: 1e-12, integrator: dopri5}\nrecord: [sleigh.angle, sleigh.angle', "
                     "\"dot(sleigh.P.velocity, sleigh.ex)\"]\n"},
    {"constraint", "dalembert: 1\nspace: planar\nparameters: {a: 0.4, h: 0.3, v0: -0.7, w0: 1.5}\n"
                   "bodies:\n  sleigh: {mass: 1.2, inertia: 0.15, position: [0.2, -0.5], angle: h, points: {P: [-a, 0]}, rate: w0,\n"
                   "    velocity: [v0*cos(h) - a*w0*sin(h), v0*sin(h) + a*w0*cos(h)]}\n"
                   "define: {slip: \"dot(sleigh.P.velocity, sleigh.ey)\"}\n"
                   "constraints: {edge: {velocity: slip}}\nspeeds: {u: \"dot(sleigh.P.velocity, sleigh.ex)\", w: sleigh.omega}\n"
                   "simulate: {until: 2, rtol: 1e-11, atol: 1e-12, integrator: dopri5}\nrecord: [sleigh.angle, w, u]\n"},
    {"spatial skate", "dalembert: 1\nspace: spatial\nparameters: {a: 0.4, h: 0.3, v0: -0.7, w0: 1.5}\n"
                      "bodies:\n  sleigh: {mass: 1.2, inertia: [0.2, 0.3, 0.15], position: [0.2, -0.5, 0], orientation: {euler-zyx: [h, 0, 0]},\n"
                      "    points: {P: [-a, 0, 0]}, angular-velocity: [0, 0, w0], velocity: [v0*cos(h) - a*w0*sin(h), v0*sin(h) + a*w0*cos(h), 0]}\n"
                      "joints:\n  flat: {type: parallel, connect: [ground, sleigh], axis: [0, 0, 1]}\n"
                      "  edge: {type: skate, connect: [ground, sleigh.P], axis: [1, 0, 0], normal: [0, 0, 1]}\n"
                      "simulate: {until: 2, rtol: 1e-11, atol: 1e-12, integrator: dopri5}\n"
                      "record: [\"atan2(sleigh.ex.y, sleigh.ex.x)\", sleigh.omega.z, \"dot(sleigh.P.velocity, sleigh.ex)\"]\n"},
};

typedef struct last {
    double value[4];
} last;

static dal_status keep_row(void *user, int n, const double *values)
{
    assert_int_equal(n, 4);
    memcpy(((last *)user)->value, values, sizeof(double) * 4);
    return DAL_OK;
}

static dal_status nothing(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static void the_sleigh_follows_its_closed_form(void **unused)
{
    (void)unused;
    const double m = 1.2, I = 0.15, a = 0.4, v0 = -0.7, w0 = 1.5, h = 0.3, J = I + m * a * a, energy = m * v0 * v0 + J * w0 * w0;
    const double V = sqrt(energy / m), W = sqrt(energy / J), k = a * W * W / V, c = atanh(v0 / V), end = k * 2 + c;
    const double turn = 2 * W / k * (atan(tanh(end / 2)) - atan(tanh(c / 2)));
    for (size_t s = 0; s < sizeof sleighs / sizeof *sleighs; s++)
        for (int f = 0; f < FAMILIES; f++) {
            dal_system *system = compile(sleighs[s].text, families[f]);
            last row = {{0}};
            const dal_sink sink = {&row, nothing, keep_row};
            const dal_run_options options = {.sink = &sink};
            dal_evidence evidence;
            assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
            check_close(row.value[0], 2, 1e-12);
            check_small(remainder(row.value[1] - h - turn, 2 * M_PI), 1e-8);
            check_close(row.value[2], W / cosh(end), 1e-8);
            check_close(row.value[3], V * tanh(end), 1e-8);
            check_small(evidence.energy_drift, 1e-9);
            dal_system_free(system);
        }
}

/* ---- forms against differences ----------------------------------------------------- */

static const char *const mixtures[] = {
    "dalembert: 1\nspace: planar\nparameters: {p: 0.31}\ngravity: [0.4, -9.81]\n"
    "ground: {points: {A: [0.3, 1.1]}}\ntables: {lift: {x: [-9, -3, 0, 2, 9], y: [0.1, 0.7, 0.2, -0.4, 0.3]}}\n"
    "bodies:\n"
    "  one: {mass: 1.3, inertia: 0.4, position: [0.2, 0.1], angle: 0.4, rate: 0.9, points: {B: [0.5, 0.2]}}\n"
    "  two: {mass: 0.7, inertia: 0.3, position: [1.4, 0.6], angle: -0.3, rate: -0.7, points: {B: [-0.3, 0.1]}}\n"
    "  drop: {mass: 0.5, position: [0.7, -0.8]}\n"
    "joints:\n  A: {type: revolute, connect: [ground.A, one], zero: 0.7, start: {rate: 0.8}}\n"
    "forces:\n  s: {type: spring-damper, connect: [one.B, two.B], stiffness: 30, damping: 2, length: 0.9}\n"
    "define: {gap: s.length - 0.8 - 0.1*sin(2*t)}\n"
    "constraints:\n"
    "  rod: {position: gap*(1 + 0.1*A.angle)}\n"
    "  curve: {position: drop.y + 0.8 - 0.3*(drop.x - 0.7)^2}\n"
    "  roll: {velocity: \"two.x' - p*two.omega*cos(one.angle) + sin(t)*A.angle' + 0.3*t - 0.2 + interp(lift, drop.x)*drop.x'\"}\n"
    "speeds: {u: \"A.angle'*drop.x + s.length' + t\", w: \"cross(one.ex, two.velocity)\"}\n",
    "dalembert: 1\nspace: spatial\nparameters: {p: 0.31}\ngravity: [0.4, 0.7, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 1.3, inertia: [0.4, 0.5, 0.3], position: [0.2, 0.1, 0.4], orientation: {euler-zyx: [0.4, 0.3, -0.2]},\n"
    "        angular-velocity: [0.4, -0.6, 0.9], velocity: [0.3, 0.2, -0.5], points: {B: [0.5, 0.2, 0.1]}}\n"
    "  two: {mass: 0.7, inertia: [0.3, 0.2, 0.25], position: [1.4, 0.6, -0.3], orientation: {euler-xyz: [0.2, -0.7, 0.5]},\n"
    "        angular-velocity: [-0.3, 0.5, 0.8], points: {B: [-0.3, 0.1, 0.2]}}\n"
    "  three: {mass: 0.9, inertia: [0.3, 0.2, 0.25], position: [0.4, -1.6, 0.3], orientation: {euler-zxz: [0.2, 0.9, 0.5]}}\n"
    "joints:\n"
    "  disc: {type: rolling-disc, connect: [one.B, three], normal: [0.2, -0.6, 0.5], axis: [0.1, 0.3, 0.9], radius: 0.4}\n"
    "constraints:\n"
    "  far: {position: \"norm(one.B.position - two.B.position) - 1.1 - 0.1*t^2\"}\n"
    "  tilt: {position: \"dot(one.ex, two.ey)*exp(0.1*t) - 0.1\"}\n"
    "  spin: {velocity: \"one.omega.z - 0.7*two.omega.body.y*cos(t) + one.ex.y*two.z' - 0.4\"}\n"
    "speeds: {u: \"dot(one.omega, two.position)*one.ex.x + one.omega.x + t\", w: \"dot(one.omega.body, two.ex)\"}\n",
};

/* y moved along the motion: (q + s q', v + s v', t + s), and what the rows and speeds are there. */
static void rows_at(dal_state *state, double t, const double *y, const double *dy, double s, double *phi, double *phid)
{
    const dal_layout *layout = &state->system->layout;
    const int rows = layout->n_rows + layout->n_speeds;
    double *there = calloc((size_t)state->system->n_y + 1, sizeof *there);
    for (int i = 0; i < state->system->n_y; i++)
        there[i] = y[i] + s * dy[i];
    dal_state_unpack(state, t + s, there);
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    memcpy(phi, state->work.phi, sizeof *phi * (size_t)layout->n_extrinsic);
    memcpy(phid, state->work.phid, sizeof *phid * (size_t)rows);
    free(there);
}

/* With s = 1e-5 a central difference is good to s^2 and to rounding / s. */
static void forms_are_differentiated_as_they_move(const char *text, const char *family)
{
    dal_state *state = dal_state_create(NULL, compile(text, family));
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int n_y = system->n_y, rows = layout->n_rows + layout->n_speeds;
    const double s = 1e-5, tolerance = 1e-7;
    uint64_t seed = 17;
    double phi[2][64], phid[2][64], *y = calloc((size_t)n_y, sizeof *y), *dy = calloc((size_t)n_y, sizeof *dy);
    assert_true(rows <= 64);
    for (int round = 0; round < 4; round++) {
        const double t = 0.2 + 0.3 * round;
        assert_true(gallery_random_state(state, &seed, t, 0.05, 1));
        memcpy(y, state->y, sizeof *y * (size_t)n_y);
        double now[64], u_rate[64];
        assert_int_equal(dal_state_derivative(state, t, y, dy), 0);
        memcpy(now, state->work.phid, sizeof *now * (size_t)rows);
        for (int i = 0; i < layout->n_speeds; i++) { /* u' = Y v' - gamma */
            const dal_row_layout *at = &layout->row[layout->n_rows + i];
            u_rate[i] = -state->work.gamma[layout->n_rows + i];
            for (int k = at->value; k < at->value + at->n_values; k++)
                u_rate[i] += state->work.A[k] * state->vd[layout->column[k]];
        }
        rows_at(state, t, y, dy, s, phi[0], phid[0]);
        rows_at(state, t, y, dy, -s, phi[1], phid[1]);
        for (int i = 0; i < layout->n_extrinsic; i++) {
            check_small(now[i], 1e-10); /* the state satisfies them */
            if (!system->mechanism.rows[layout->row[i].source].nonholonomic)
                check_close((phi[0][i] - phi[1][i]) / (2 * s), now[i], tolerance);
            check_small((phid[0][i] - phid[1][i]) / (2 * s), tolerance * 10); /* A v' = gamma keeps them */
        }
        for (int i = 0; i < layout->n_speeds; i++)
            check_close((phid[0][layout->n_rows + i] - phid[1][layout->n_rows + i]) / (2 * s), u_rate[i], tolerance * (1 + fabs(u_rate[i])));
    }
    free(y), free(dy);
    finish(state);
}

static void the_derivatives_of_forms_are_those_along_the_motion(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++)
        for (int f = 0; f < FAMILIES; f++)
            forms_are_differentiated_as_they_move(mixtures[i], families[f]);
}

/* ---- expressions against joints ------------------------------------------------------ */

static const struct {
    const char *joints, *constraints;
} twins[] = {
    {"joints: {A: {type: revolute, connect: [ground.A, one.B]}}\n",
     "constraints: {x: {position: one.B.x - ground.A.x}, y: {position: ground.A.y - one.B.y}}\n"},
    {"joints: {A: {type: distance, connect: [ground.A, two], length: 1.3}}\n",
     "constraints: {x: {position: \"norm(two.position - ground.A.position)^2 - 1.3^2\"}}\n"},
    {"joints: {A: {type: revolute, connect: [ground.A, one.B], drive: 0.4 + 0.9*t + 0.3*t^2, zero: 0.1}}\n",
     "constraints: {x: {velocity: one.B.x'}, y: {position: ground.A.y - one.B.y}, d: {velocity: one.omega - 0.9 - 0.6*t}}\n"},
    {"joints: {A: {type: rolling-disc, connect: [ground.A, one], normal: [0, 1], radius: 0.4}}\n",
     "constraints: {x: {velocity: one.x' + 0.4*one.angle'}, y: {position: one.y - ground.A.y - 0.4}}\n"},
};

static void an_expression_does_what_the_joint_does(void **unused)
{
    (void)unused;
    static const char body[] = "dalembert: 1\nspace: planar\ngravity: [0.4, -9.81]\nground: {points: {A: [0.3, 0.1]}}\n"
                               "bodies:\n"
                               "  one: {mass: 1.3, inertia: 0.4, position: [0.4, 0.45], angle: 0.3, rate: 0.9, points: {B: [0.1, -0.2]}}\n"
                               "  two: {mass: 0.7, inertia: 0.3, position: [1.4, 0.6], angle: -0.3, rate: -0.7, velocity: [0.2, 0.4]}\n"
                               "forces: {s: {type: spring-damper, connect: [one.B, two], stiffness: 30, damping: 2, length: 0.9}}\n";
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char text[2][2000];
            snprintf(text[0], sizeof text[0], "%s%s", body, twins[i].joints);
            snprintf(text[1], sizeof text[1], "%s%s", body, twins[i].constraints);
            dal_state *a = start(text[0], families[f]), *b = start(text[1], families[f]);
            gallery_copy_motion(a, b);
            assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
            double residual[2];
            dal_state_residuals(b, &residual[0], &residual[1]);
            check_small(residual[0], 1e-12);
            check_small(residual[1], 1e-12);
            for (int k = 0; k < 2; k++) {
                dal_motion x = dal_state_body(a, k), y = dal_state_body(b, k);
                for (int j = 0; j < 3; j++) {
                    check_close(x.acceleration[j], y.acceleration[j], 1e-11 * (1 + fabs(x.acceleration[j])));
                    check_close(x.alpha[j], y.alpha[j], 1e-11 * (1 + fabs(x.alpha[j])));
                }
            }
            if (b->system->works) { /* what a drive does, an expression in time does */
                double power[2];
                assert_true(a->system->works == 1 && b->system->works == 1);
                dal_state_powers(a, &power[0]);
                dal_state_powers(b, &power[1]);
                check_close(power[0], power[1], 1e-10 * (1 + fabs(power[0])));
            }
            finish(a);
            finish(b);
        }
}

/* Rolling written by hand with the angular velocity in world axes and in body axes: the same accelerations, and the multipliers are the
 * components of the contact force. */
static void the_multiplier_of_a_rolling_condition_is_the_force_at_the_contact(void **unused)
{
    (void)unused;
    static const char body[] =
        "dalembert: 1\nspace: spatial\nparameters: {r: 0.31}\ngravity: [3.1, 0.7, -9.1]\n"
        "bodies:\n  ball: {mass: 1.7, inertia: [0.05, 0.07, 0.06], position: [0, 0, r], orientation: {euler-zyx: [0.7, -0.4, 0.9]},\n"
        "    velocity: {value: [0.4, 0.7, 0], fix: true}, angular-velocity: [0, 0, 0.5]}\n";
    for (int f = 0; f < FAMILIES; f++) {
        char text[2][2000];
        snprintf(text[0], sizeof text[0], "%sjoints: {roll: {type: rolling-ball, connect: [ground, ball], normal: [0, 0, 1], radius: r}}\n", body);
        snprintf(text[1], sizeof text[1],
                 "%sconstraints:\n  h: {position: ball.z - r}\n  x: {velocity: ball.x' - r*ball.omega.y}\n"
                 "  y: {velocity: ball.y' + r*(ball.omega.body.x*ball.ex.x + ball.omega.body.y*ball.ey.x + ball.omega.body.z*ball.ez.x)}\n"
                 "record: [x.multiplier, y.multiplier, h.multiplier]\n",
                 body);
        dal_state *a = start(text[0], families[f]), *b = start(text[1], families[f]);
        double force[3], torque[3];
        dal_state_reaction(a, 0, force, torque);
        dal_motion x = dal_state_body(a, 0), y = dal_state_body(b, 0);
        for (int i = 0; i < 3; i++) {
            check_close(x.omega[i], y.omega[i], 1e-11);
            check_close(x.acceleration[i], y.acceleration[i], 1e-11);
            check_close(x.alpha[i], y.alpha[i], 1e-10);
        }
        check_close(column(b, "x.multiplier"), force[0], 1e-11);
        check_close(column(b, "y.multiplier"), force[1], 1e-11);
        check_close(column(b, "h.multiplier"), force[2], 1e-11);
        dal_state_reaction(b, 0, force, torque); /* a constraint has no point where a wrench could act */
        for (int i = 0; i < 3; i++) {
            assert_true(force[i] == 0);
            assert_true(torque[i] == 0);
        }
        finish(a);
        finish(b);
    }
}

/* ---- the start ------------------------------------------------------------------------- */

static void start_velocities_obey_the_constraints(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state = start("dalembert: 1\nspace: planar\nbodies: {b: {mass: 2, inertia: 1, position: [0.3, 0.4], velocity: [1, 0.5]}}\n"
                                 "constraints: {v: {velocity: b.x' - 0.7 + 2*b.y'}, p: {position: b.angle - 0.3 - 0.6*t}}\n",
                                 families[f]);
        dal_motion x = dal_state_body(state, 0);
        /* the nearest to (1, 0.5) with x' + 2 y' = 0.7 */
        check_close(x.velocity[0], 1 - 1.3 / 5, 1e-12);
        check_close(x.velocity[1], 0.5 - 2 * 1.3 / 5, 1e-12);
        check_close(x.omega[2], 0.6, 1e-12);
        check_close(atan2(x.rotation[3], x.rotation[0]), 0.3, 1e-12);
        finish(state);
    }
}

/* A blade forbids a velocity: it does not keep assembly from moving the body across. `zero` belongs to a joint's coordinate. */
static void assembly_moves_bodies_where_only_velocities_are_forbidden(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        dal_state *state =
            start("dalembert: 1\nspace: planar\nbodies: {b: {mass: 2, inertia: 1, position: [0.3, 0], angle: {value: 0, fix: true}},\n"
                  "  c: {mass: 1, inertia: 1}}\n"
                  "joints: {edge: {type: skate, connect: [ground, b], axis: [1, 0]}, A: {type: revolute, connect: [b, c], zero: 0.7}}\n"
                  "constraints: {h: {position: b.x + b.y - 1}, turned: {position: A.angle - 0.9}}\n",
                  families[f]);
        dal_motion b = dal_state_body(state, 0), c = dal_state_body(state, 1);
        check_close(b.position[0], 0.65, 1e-12); /* the nearest place on the line, across the blade as well as along it */
        check_close(b.position[1], 0.35, 1e-12);
        check_close(atan2(c.rotation[3], c.rotation[0]), 0.2, 1e-12);
        finish(state);
    }
}

/* ---- reading --------------------------------------------------------------------------- */

static void coordinates_constraints_and_speeds_are_read(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\n"
                               "coordinates: {th: {start: pi/2, rate: {value: 1, fix: true}}, x: 4, y: {start: 2, rate: 3, fix: true}}\n"
                               "bodies: {a: {mass: 1, position: [x, y]}, b: {mass: 1, from: a, position: [cos(th), sin(th)]}}\n"
                               "constraints: {c: {velocity: x'}, d: {position: y - 2}}\nspeeds: {u: th', w: y'}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    assert_int_equal(dal_spec_parse(NULL, "t.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(spec->n_coordinates, 3);
    assert_string_equal(spec->coordinates[0].name.text, "th");
    assert_string_equal(spec->coordinates[0].start.text, "pi/2");
    assert_false(spec->coordinates[0].start.fix);
    assert_string_equal(spec->coordinates[0].rate.text, "1");
    assert_true(spec->coordinates[0].rate.fix);
    assert_string_equal(spec->coordinates[1].start.text, "4");
    assert_null(spec->coordinates[1].rate.text);
    assert_true(spec->coordinates[2].start.fix && spec->coordinates[2].rate.fix);
    assert_string_equal(spec->bodies[1].from.text, "a");
    assert_int_equal(spec->n_constraints, 2);
    assert_string_equal(spec->constraints[0].velocity.text, "x'");
    assert_null(spec->constraints[0].position.text);
    assert_string_equal(spec->constraints[1].position.text, "y - 2");
    assert_int_equal(spec->n_speeds, 2);
    assert_string_equal(spec->speeds[1].name.text, "w");
    assert_string_equal(spec->speeds[1].value.text, "y'");
    dal_spec_free(spec);
    dal_messages_free(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_constraints_and_speeds_are_read),
        cmocka_unit_test(a_ball_rolls_down_any_incline_as_it_should),
        cmocka_unit_test(a_ball_on_a_turntable_goes_round_a_circle_of_its_own),
        cmocka_unit_test(a_disc_rolls_down_a_line),
        cmocka_unit_test(a_coin_spins_with_its_centre_at_rest),
        cmocka_unit_test(a_leaning_disc_touches_and_rolls_at_its_lowest_point),
        cmocka_unit_test(an_upright_wheel_goes_round_in_a_circle),
        cmocka_unit_test(the_sleigh_follows_its_closed_form),
        cmocka_unit_test(the_derivatives_of_forms_are_those_along_the_motion),
        cmocka_unit_test(an_expression_does_what_the_joint_does),
        cmocka_unit_test(the_multiplier_of_a_rolling_condition_is_the_force_at_the_contact),
        cmocka_unit_test(start_velocities_obey_the_constraints),
        cmocka_unit_test(assembly_moves_bodies_where_only_velocities_are_forbidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
