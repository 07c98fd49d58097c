/* Exact derivatives where dry friction acts and where accelerations are the least ones (src/dynamics/friction_slopes.c, slopes.c): y' and the forces of
 * friction along curves on the constraints, against Romberg's extrapolation of their differences inside one mode of every surface. */
#include "gallery.h"

#include "dynamics/friction_parts.h"
#include "dynamics/refine.h"
#include "dynamics/slopes.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"

typedef struct material {
    const char *name;
    bool random;        /* else the start as written */
    double step;        /* along a curve: the largest */
    int sticks;         /* how many of its joints do */
    const char *family; /* the only one; NULL: all */
    const char *text;
} material;

#define ARM                                                                                                                                          \
    "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\nbodies:\n"                                                                           \
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], position: [0, 0, 0], points: {B: [1, 0, 0]}}\n"                             \
    "  bob: {mass: 1, inertia: [0.05, 0.03, 0.04], center: [0.2, 0, 0.1], position: [1, 0, 0], points: {C: [0.3, 0.1, 0]}}\n"

#define RESTING_ARM                                                                                                                                  \
    "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\nbodies:\n"                                                                           \
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], position: [0, 0, 0], velocity: [0, 0, 0], angular-velocity: [0, 0, 0], "    \
    "points: {B: [1, 0, 0]}}\n"                                                                                                                      \
    "  bob: {mass: 1, inertia: [0.05, 0.03, 0.04], center: [0.2, 0, 0.1], position: [1, 0, 0], velocity: [0, 0, 0], angular-velocity: [0, 0, 0], "   \
    "points: {C: [0.3, 0.1, 0]}}\n"

static const material materials[] = {
    {"a block that slides, Stribeck and viscous", true, 2e-2, 0, NULL,
     "dalembert: 1\nspace: planar\ngravity: [0.7, -9.81]\n"
     "bodies: {block: {mass: 2.3, inertia: 0.1, position: [0, 0], points: {P: [0.1, 0.2]}}, rod: {mass: 0.8, inertia: 0.05, center: [0.3, 0.02], "
     "position: [0.1, 0.2]}}\n"
     "joints:\n  way: {type: prismatic, connect: [ground, block], axis: [0.8, 0.6], friction: {coefficient: 0.3, static: 0.5, stribeck: 0.9, "
     "viscous: "
     "0.6}}\n"
     "  pin: {type: revolute, connect: [block.P, rod], friction: {coefficient: 0.2, radius: 0.05}}\n"
     "forces: {s: {type: spring-damper, connect: [block, ground], stiffness: 30, length: 0.2}}\n"},
    {"a slider-crank with three dry joints", true, 2e-2, 0, NULL,
     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
     "  crank: {mass: 1.2, inertia: 0.03, position: [0, 0], angle: 0.7, center: [0.1, 0], points: {B: [0.3, 0]}}\n"
     "  rod: {mass: 0.9, inertia: 0.05, position: [0.22945265618, 0.19326530617], angle: -0.28, center: [0.4, 0.01], points: {C: [0.7, 0]}}\n"
     "  slider: {mass: 1.5, inertia: 0.02, position: [0.9, 0]}\n"
     "joints:\n  A: {type: revolute, connect: [ground, crank], friction: {coefficient: 0.1, radius: 0.02}}\n"
     "  B: {type: revolute, connect: [crank.B, rod], friction: {coefficient: 0.15, static: 0.2, stribeck: 0.05, radius: 0.03}}\n"
     "  C: {type: revolute, connect: [rod.C, slider]}\n"
     "  way: {type: prismatic, connect: [ground, slider], axis: [1, 0], friction: {coefficient: 0.25, limit: 0.8}}\n"
     "forces: {m: {type: torque, body: crank, value: \"3 - 0.2*A.angle'\"}}\n"},
    {"a revolute joint and a ball", true, 2e-2, 0, NULL,
     ARM "joints:\n  A: {type: revolute, connect: [ground, arm], axis: [0, 1, 0], friction: {coefficient: 0.2, static: 0.3, stribeck: 0.4, radius: "
         "0.05}}\n"
         "  B: {type: spherical, connect: [arm.B, bob], friction: {coefficient: 0.15, radius: 0.03, viscous: 0.4}}\n"},
    {"a sleeve and a screw", true, 2e-2, 0, NULL,
     ARM
     "joints:\n  A: {type: cylindrical, connect: [ground, arm], axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, static: 0.3, stribeck: 0.4, "
     "radius: "
     "0.05, limit: 0.3}}\n"
     "  B: {type: screw, connect: [arm.B, bob], axis: [0.48, -0.6, 0.64], pitch: 0.05, friction: {coefficient: 0.15, radius: 0.03, viscous: 0.4}}\n"},
    {"smooth laws, several ways", true, 2e-2, 0, NULL,
     ARM "joints:\n  A: {type: cylindrical, connect: [ground, arm], axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, radius: 0.05, velocity: 0.3}}\n"
         "  B: {type: spherical, connect: [arm.B, bob], friction: {coefficient: 0.15, static: 0.25, stribeck: 0.2, radius: 0.03, velocity: 0.2}}\n"},
    {"limits alone", true, 2e-2, 0, NULL,
     ARM "joints:\n  A: {type: revolute, connect: [ground, arm], axis: [0, 1, 0], friction: {limit: 0.8, static-limit: 1.1, stribeck: 0.7}}\n"
         "  B: {type: prismatic, connect: [arm.B, bob], axis: [0, 0.6, 0.8], friction: {limit: 1.1, viscous: 0.3}}\n"},
    {"a brake and a band, limits that are expressions", true, 2e-2, 0, NULL,
     ARM "joints:\n  A: {type: revolute, connect: [ground, arm], axis: [0, 1, 0], friction: {limit: \"1.1 + 0.4*sin(A.angle) + 0.1*A.angle'\", "
         "static-limit: \"2 + 0.3*bob.x\", stribeck: 0.7}}\n"
         "  B: {type: revolute, connect: [arm.B, bob], axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, radius: 0.05, limit: \"0.3 + "
         "0.1*cos(B.angle)\"}}\n"},
    {"a loop that is redundant in space", true, 2e-2, 0, NULL,
     "dalembert: 1\nspace: spatial\ngravity: [0.2, 0.1, -9.81]\nbodies:\n"
     "  crank: {mass: 1.2, inertia: [0.03, 0.02, 0.03], position: [0, 0, 0], center: [0.1, 0.02, 0.01], points: {B: [0, 0, 1]}}\n"
     "  coupler: {mass: 0.9, inertia: [0.05, 0.04, 0.02], position: [0, 0, 1], center: [0.5, 0.03, 0], points: {C: [2, 0, 0.8]}}\n"
     "  rocker: {mass: 1.5, inertia: [0.04, 0.05, 0.02], position: [2, 0, 0], center: [0, 0.02, 0.8], points: {C: [0, 0, 1.8]}}\n"
     "ground: {points: {D: [2, 0, 0]}}\n"
     "joints:\n  A: {type: revolute, connect: [ground, crank], axis: [0, 1, 0], friction: {coefficient: 0.2, radius: 0.05}}\n"
     "  B: {type: revolute, connect: [crank.B, coupler], axis: [0, 1, 0], friction: {coefficient: 0.1, radius: 0.04}}\n"
     "  C: {type: revolute, connect: [coupler.C, rocker.C], axis: [0, 1, 0]}\n"
     "  D: {type: revolute, connect: [ground.D, rocker], axis: [0, 1, 0], friction: {coefficient: 0.15, radius: 0.06, viscous: 0.2}}\n"},
    {"an arm that sticks, a rod that slides on it", false, 2e-2, 1, NULL,
     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
     "  arm: {mass: 2, inertia: 0.1, center: [0.2, 0], position: [0, 0], velocity: [0, 0], rate: 0, points: {B: [0.5, 0]}}\n"
     "  rod: {mass: 0.7, inertia: 0.03, center: [0.3, 0.05], position: [0.5, 0], angle: -0.9, velocity: [0, 0], rate: 2.1}\n"
     "joints:\n  A: {type: revolute, connect: [ground, arm], friction: {coefficient: 0.3, static: 9, radius: 0.2}}\n"
     "  B: {type: revolute, connect: [arm.B, rod], friction: {coefficient: 0.25, static: 0.4, stribeck: 0.3, radius: 0.06}}\n"},
    {"a sleeve and a ball that stick, a rod that slides", false, 2e-2, 2, NULL,
     RESTING_ARM
     "  rod: {mass: 0.6, inertia: [0.02, 0.03, 0.025], center: [0.1, 0.2, 0], position: [1.3, 0.1, 0], velocity: [0, 0, 0], angular-velocity: [0, "
     "3.1, 0]}\n"
     "joints:\n  A: {type: cylindrical, connect: [ground, arm], axis: [0, 0.6, 0.8], friction: {coefficient: 0.4, static: 40, radius: 0.5}}\n"
     "  B: {type: spherical, connect: [arm.B, bob], friction: {coefficient: 0.4, static: 40, radius: 0.3}}\n"
     "  C: {type: revolute, connect: [bob.C, rod], axis: [0, 1, 0], friction: {coefficient: 0.25, radius: 0.06}}\n"},
    {"bearings that hold each other, a rod that slides", false, 2e-2, 2, NULL,
     "dalembert: 1\nspace: spatial\ngravity: [0, -0.3, -9.81]\nbodies:\n"
     "  shaft: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], position: [0, 0, 0], velocity: [0, 0, 0], angular-velocity: [0, 0, 0], "
     "points: "
     "{A: [-0.4, 0, 0], B: [0.4, 0, 0], C: [0.2, 0.3, 0]}}\n"
     "  rod: {mass: 0.6, inertia: [0.02, 0.03, 0.025], center: [0.1, 0.2, 0], position: [0.2, 0.3, 0], velocity: [0, 0, 0], angular-velocity: [2.3, "
     "0, 0]}\n"
     "ground: {points: {A: [-0.4, 0, 0], B: [0.4, 0, 0]}}\n"
     "joints:\n  J: {type: revolute, connect: [ground.A, shaft.A], axis: [1, 0, 0], friction: {coefficient: 0.3, static: 30, radius: 0.2}}\n"
     "  K: {type: revolute, connect: [ground.B, shaft.B], axis: [1, 0, 0], friction: {coefficient: 0.3, static: 30, radius: 0.25}}\n"
     "  C: {type: revolute, connect: [shaft.C, rod], axis: [1, 0, 0], friction: {coefficient: 0.25, radius: 0.06}}\n"},
    {"a four-bar linkage that two of its joints hold, a rod that slides", false, 2e-2, 2, NULL,
     "dalembert: 1\nspace: planar\ngravity: [0.4, -9.81]\nbodies:\n"
     "  crank: {mass: 1.2, inertia: 0.03, position: [0, 0], angle: 1.1, center: [0.1, 0.02], velocity: [0, 0], rate: 0, points: {B: [1, 0]}}\n"
     "  coupler: {mass: 0.9, inertia: 0.05, position: [0.45, 0.89], center: [0.5, 0.03], velocity: [0, 0], rate: 0, points: {C: [2, 0.3], E: [1, "
     "0.1]}}\n"
     "  rocker: {mass: 1.5, inertia: 0.04, position: [2.2, 0], angle: 1.4, center: [0.8, 0.02], velocity: [0, 0], rate: 0, points: {C: [1.3, 0]}}\n"
     "  rod: {mass: 0.7, inertia: 0.03, center: [0.3, 0.05], position: [1.45, 0.99], angle: -0.9, velocity: [0, 0], rate: 2.1}\n"
     "ground: {points: {D: [2.2, 0]}}\n"
     "joints:\n  A: {type: revolute, connect: [ground, crank], friction: {coefficient: 0.3, static: 30, radius: 0.2}}\n"
     "  B: {type: revolute, connect: [crank.B, coupler]}\n  C: {type: revolute, connect: [coupler.C, rocker.C]}\n"
     "  D: {type: revolute, connect: [ground.D, rocker], friction: {coefficient: 0.3, static: 30, radius: 0.25}}\n"
     "  E: {type: revolute, connect: [coupler.E, rod], friction: {coefficient: 0.25, radius: 0.06}}\n"},
    {"a sleeve and a ball that start to slide", false, 1e-7, 0, NULL,
     ARM "joints:\n  A: {type: cylindrical, connect: [ground, arm], axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, radius: 0.05, viscous: 0.3}}\n"
         "  B: {type: spherical, connect: [arm.B, bob], friction: {coefficient: 0.15, radius: 0.03, viscous: 0.4}}\n"},
    {"the least accelerations, a surface of no mass", true, 2e-2, 0, "user",
     "dalembert: 1\nspace: planar\ncoordinates: {th: {start: 0.2, rate: 0.5}, x: {start: 0.7, rate: 0.3}, z: {start: 0.3}}\n"
     "bodies: {disc: {mass: 2, inertia: 0.09, position: [0.1*sin(th), 0.2*th], angle: th}, ghost: {mass: 0, position: [x, z]}}\n"
     "constraints: {slope: {position: \"x^2 + 2*sin(z)*x - 0.7*th - 0.9\"}}\nforces: {f: {type: torque, coordinate: th, value: \"0.9 - th' - "
     "3*th*x\"}}\n"
     "simulate: {until: 1, formulation: udwadia-phohomsiri, undetermined: minimum-norm}\n"},
    {"accelerations nearest to eta", true, 2e-2, 0, "user",
     "dalembert: 1\nspace: planar\ncoordinates: {th: {start: 0.2, rate: 0.5}, x: {start: 0.7, rate: 0.3}, z: {start: 0.3}}\n"
     "bodies: {disc: {mass: 2, inertia: 0.09, position: [0.1*sin(th), 0.2*th], angle: th}, ghost: {mass: 0, position: [x, z]}}\n"
     "constraints: {slope: {position: \"x^2 + 2*sin(z)*x - 0.7*th - 0.9\"}}\nforces: {f: {type: torque, coordinate: th, value: \"0.9 - th' - "
     "3*th*x\"}}\n"
     "simulate: {until: 1, formulation: udwadia-phohomsiri, undetermined: {minimum-norm: {eta: [7, \"3*cos(x) - x'*z\", \"1 - x*th'\"]}}}\n"},
};

static bool whole_product; /* else some of models, families and formulations */

/* ---- curves on the constraints --------------------------------------------------------------------------- */

enum { LEVELS = 6 };

typedef struct subject {
    const material *of;
    const char *family, *formulation;
    dal_system *system;
    dal_state *state;
    int n, components; /* of y, of e */
    double t, *y, *x;
    double *table[LEVELS][LEVELS]; /* of (y, y', e): Romberg */
    double *exact, *e;
} subject;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static int width(const subject *s)
{
    return 2 * s->n + s->components;
}

/* (y, y', e) where the curve is at h. */
static bool place(subject *s, double h, double *out)
{
    dal_flow (*onto)(dal_state * state, double t, double *y) = s->system->method.stabilization->project;
    for (int i = 0; i < s->n; i++)
        out[i] = s->y[i] + h * s->x[i];
    if ((onto && onto(s->state, s->t, out)) || dal_state_derivative(s->state, s->t, out, out + s->n))
        return false;
    for (int k = 0; k < s->components; k++)
        out[2 * s->n + k] = s->state->friction->force[k];
    return true;
}

/* The derivatives of (y, y', e) by h at 0 into table[LEVELS - 1][LEVELS - 1], with what the last two columns differ by in `error`. */
static bool extrapolate(subject *s, double h, double *error)
{
    double *up = numbers(width(s)), *down = numbers(width(s));
    bool done = true;
    for (int i = 0; i < LEVELS && done; i++, h /= 2) {
        done = place(s, h, up) && place(s, -h, down);
        for (int k = 0; k < width(s); k++)
            s->table[i][0][k] = (up[k] - down[k]) / (2 * h);
        double power = 1;
        for (int j = 1; j <= i; j++) {
            power *= 4;
            for (int k = 0; k < width(s); k++)
                s->table[i][j][k] = s->table[i][j - 1][k] + (s->table[i][j - 1][k] - s->table[i - 1][j - 1][k]) / (power - 1);
        }
    }
    for (int k = 0; k < width(s); k++)
        error[k] = fabs(s->table[LEVELS - 1][LEVELS - 1][k] - s->table[LEVELS - 2][LEVELS - 2][k]);
    free(up), free(down);
    return done;
}

static int checked, rough;
static double worst;

/* The part from `first` on: exact against extrapolated, each within what the extrapolation is uncertain by and 1e-9 of the largest. */
static void compare(const subject *s, const char *what, const double *exact, int first, int n, const double *unit, const double *error)
{
    const double *found = s->table[LEVELS - 1][LEVELS - 1] + first;
    double size = 0, uncertain = 0, apart = 0;
    for (int k = 0; k < n; k++) {
        size = fmax(size, fabs(found[k]) / (unit ? unit[k] : 1));
        uncertain = fmax(uncertain, error[first + k] / (unit ? unit[k] : 1));
        apart = fmax(apart, fabs(found[k] - exact[k]) / (unit ? unit[k] : 1));
    }
    if (!(uncertain <= 1e-7 * size) && size > 0) {
        rough++;
        return;
    }
    checked++;
    worst = fmax(worst, size > 0 ? apart / size : 0);
    if (!(apart <= 10 * uncertain + 1e-9 * size))
        fail_msg("%s, %s, %s: %s changes otherwise by differences: %.3g of %.3g, uncertain by %.1g", s->of->name, s->family, s->formulation, what,
                 apart, size, uncertain);
}

static void check(subject *s, uint64_t *seed)
{
    double *unit = numbers(s->n), *error = numbers(width(s));
    dal_state_units(s->state, unit);
    for (int k = 0; k < s->n; k++)
        s->x[k] = check_random(seed) * unit[k];
    if (!extrapolate(s, s->of->step, error))
        fail_msg("%s, %s, %s: it cannot be evaluated beside its state", s->of->name, s->family, s->formulation);
    assert_int_equal(dal_state_derivative(s->state, s->t, s->y, s->exact), 0);
    if (dal_slopes_ready(s->state))
        fail_msg("%s, %s, %s: %s", s->of->name, s->family, s->formulation, dal_trouble_of(s->state));
    assert_int_equal(dal_slopes_rates(s->state, s->table[LEVELS - 1][LEVELS - 1], s->exact), 0);
    compare(s, "y'", s->exact, s->n, s->n, unit, error);
    if (s->components)
        compare(s, "friction", dal_slopes_of_friction(s->state), 2 * s->n, s->components, NULL, error);
    free(unit), free(error);
}

static bool open_subject(subject *s, uint64_t *seed)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text", s->of->text, strlen(s->of->text), 0, NULL, messages, &spec) != DAL_OK)
        fail_msg("%s: %s", s->of->name, dal_messages_first(messages)->text);
    dal_spec_set(spec, "coordinates", s->family, messages);
    if (!s->of->family)
        dal_spec_set(spec, "formulation", s->formulation, messages);
    dal_spec_set(spec, "stabilization", "direct-correction=1e-15", messages);
    const dal_status status = dal_compile(NULL, spec, messages, &s->system);
    dal_spec_free(spec);
    if (status != DAL_OK)
        s->system = NULL;
    dal_messages_free(messages);
    if (!s->system)
        return false;
    s->state = dal_state_create(NULL, s->system);
    assert_non_null(s->state);
    bool found = !s->of->random;
    for (int i = 0; i < 20 && !found; i++) /* not every place is near the constraints, and a joint may jam */
        found = gallery_random_state(s->state, seed, 0, 0.3, 2) && dal_state_evaluate(s->state, NULL) == DAL_OK;
    if (!found || dal_state_evaluate(s->state, NULL) != DAL_OK)
        fail_msg("%s, %s, %s: no state was found: %s", s->of->name, s->family, s->formulation, dal_trouble_of(s->state));
    int sticking = 0;
    for (int i = 0; i < s->system->acting.n_frictions; i++)
        sticking += s->state->friction->mode[i] == DAL_STICKS;
    assert_int_equal(sticking, s->of->sticks);
    s->n = s->system->n_y;
    s->components = dal_sliding_components(s->system->acting.frictions, s->system->acting.n_frictions);
    s->t = s->state->work.t;
    s->y = numbers(s->n), s->x = numbers(s->n), s->exact = numbers(s->n);
    memcpy(s->y, s->state->y, sizeof *s->y * (size_t)s->n);
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j < LEVELS; j++)
            s->table[i][j] = numbers(width(s));
    return true;
}

static void close_subject(subject *s)
{
    free(s->y), free(s->x), free(s->exact);
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j < LEVELS; j++)
            free(s->table[i][j]);
    dal_state_free(s->state);
    dal_system_free(s->system);
}

static void what_friction_follows_from_is_differentiated(void **unused)
{
    (void)unused;
    static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"};
    uint64_t seed = 90;
    int turn = 0, refused = 0;
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++)
        for (int f = 0; f < 5; f++)
            for (int j = 0; dal_formulations[j]; j++) {
                subject s = {
                    .of = &materials[i], .family = materials[i].family ? materials[i].family : families[f], .formulation = dal_formulations[j]->name};
                const bool alone = materials[i].family != NULL;
                if ((alone && (f || j)) || (turn++ % 5 && !whole_product && !alone))
                    continue;
                if (!open_subject(&s, &seed)) {
                    refused++;
                    continue;
                }
                check(&s, &seed);
                close_subject(&s);
            }
    print_message("  %d compared, %d rough, %d refused; worst %.1e\n", checked, rough, refused, worst);
    assert_true(checked > (whole_product ? 500 : 100));
    assert_true(rough * 20 < checked);
}

/* ---- forces ------------------------------------------------------------------------------------------------- */

/* v' by generalized forces: the response to them is affine in the mode, but for |a + b N|. */
static void forces_move_what_friction_lets_them(void **unused)
{
    (void)unused;
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof materials / sizeof *materials && !materials[i].family; i++) { /* where no mass is, forces have to balance */
        subject s = {.of = &materials[i], .family = "angle", .formulation = "lagrange"};
        assert_true(open_subject(&s, &seed));
        const int nv = s.system->layout.nv;
        double *tau = numbers(nv), *given = numbers(nv), *vd = numbers(nv), *side[2][2], size = 0, apart = 0;
        for (int k = 0; k < nv; k++)
            tau[k] = check_random(&seed) * s.system->layout.units.mass * s.system->layout.units.column_scale[k];
        for (int coarse = 0; coarse < 2; coarse++)
            for (int sign = 0; sign < 2; sign++) {
                side[coarse][sign] = numbers(s.n);
                for (int k = 0; k < nv; k++)
                    given[k] = (sign ? -1 : 1) * (coarse ? 2e-3 : 1e-3) * tau[k];
                dal_values_of(s.state)->given = given;
                assert_int_equal(dal_state_derivative(s.state, s.t, s.y, side[coarse][sign]), 0);
                memcpy(side[coarse][sign], s.state->vd, sizeof *vd * (size_t)nv);
            }
        dal_values_of(s.state)->given = NULL;
        assert_int_equal(dal_state_derivative(s.state, s.t, s.y, s.exact), 0);
        assert_int_equal(dal_slopes_ready(s.state), 0);
        assert_int_equal(dal_slopes_by_force(s.state, tau, vd, NULL), 0);
        for (int k = 0; k < nv; k++) {
            const double fine = (side[0][0][k] - side[0][1][k]) / 2e-3, rough_one = (side[1][0][k] - side[1][1][k]) / 4e-3;
            const double unit = s.system->layout.units.column_scale[k];
            size = fmax(size, fabs(fine) * unit);
            apart = fmax(apart, fabs((4 * fine - rough_one) / 3 - vd[k]) * unit);
        }
        if (!(apart <= (s.of->step < 1e-3 ? 1e-4 : 1e-8) * size)) /* what starts to slide turns quickly */
            fail_msg("%s: v' by forces misses by %.3g of %.3g", s.of->name, apart, size);
        for (int j = 0; j < 4; j++)
            free(side[j / 2][j % 2]);
        free(tau), free(given), free(vd);
        close_subject(&s);
    }
}

/* ---- whole runs --------------------------------------------------------------------------------------------- */

typedef struct end_of_run {
    double value[8];
    dal_evidence evidence;
} end_of_run;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n <= 8 ? DAL_OK : DAL_BAD_COMMAND;
}

static dal_status keep(void *user, int n, const double *values)
{
    memcpy(((end_of_run *)user)->value, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static end_of_run run_with(const char *file, const char *until, const char *family, const char *formulation, const char *integrator)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    end_of_run end;
    char path[300];
    memset(&end, 0, sizeof end);
    snprintf(path, sizeof path, DAL_TEST_MODELS "/newton/%s.yaml", file);
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", family, messages);
    dal_spec_set(spec, "formulation", formulation, messages);
    dal_spec_set(spec, "integrator", integrator, messages);
    dal_spec_set(spec, "rtol", "1e-8", messages);
    dal_spec_set(spec, "until", until, messages);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    dal_sink sink = {&end, begin, keep};
    if (dal_run(system, &(dal_run_options){.sink = &sink}, messages, &end.evidence) != DAL_OK)
        fail_msg("%s, %s, %s: %s", file, family, integrator, dal_messages_first(messages)->text);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return end;
}

/* A block on a belt sticks and slips, an arm slides in a bearing and a ball, a ghost without mass follows the least accelerations: the places are those
 * of an explicit method, and so are the events; every Newton matrix is exact. */
static void newtons_method_sticks_and_slips_as_an_explicit_one(void **unused)
{
    (void)unused;
    static const struct {
        const char *file, *until, *family, *formulation;
    } cases[] = {{"belt", "4", "angle", "lagrange"},
                 {"crank", "0.5", "natural", "maggi"},
                 {"arm", "1.5", "joint", "kane"},
                 {"ghost", "1", "user", "udwadia-phohomsiri"}};
    static const char *const implicit[] = {"cvode-bdf", "ida"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const end_of_run truth = run_with(cases[i].file, cases[i].until, cases[i].family, cases[i].formulation, "dopri5");
        for (int j = 0; j < 2; j++) {
            char why[300];
            const dal_integrator *method = j ? &dal_ida : &dal_cvode_bdf;
            if (!method->available(why, sizeof why))
                continue;
            const end_of_run end = run_with(cases[i].file, cases[i].until, cases[i].family, cases[i].formulation, implicit[j]);
            assert_string_equal(end.evidence.slopes, "exact derivatives");
            assert_true(end.evidence.matrices > 0);
            assert_int_equal(end.evidence.events, truth.evidence.events);
            for (int k = 0; k < 4; k++)
                check_close(end.value[k], truth.value[k], 2e-5); /* some hundred steps of 1e-8, between events */
        }
    }
}

int main(int argc, char **argv)
{
    whole_product = argc > 1 && !strcmp(argv[1], "long");
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_friction_follows_from_is_differentiated),
                                       cmocka_unit_test(forces_move_what_friction_lets_them),
                                       cmocka_unit_test(newtons_method_sticks_and_slips_as_an_explicit_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
