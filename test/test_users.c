/* Cases that are easily solved wrong without anybody noticing: loops that drift open, constraints that are counted and not applied,
 * couplings that friction breaks, counts that do not match. Each is solved right, against a closed form or another description of the
 * same machine, or refused with the reason. doc/silent-failures.md has the list.
 *
 * Plane machines are given by the places of their pins at the start. A link has its centre of mass at the mean of its pins, and is written
 * either for a planar model or for a spatial one whose plane is turned by any rotation R; so the same machine exists with no row too many
 * and with three for each loop. */
#include "check.h"
#include "dalembert/dalembert.h"

#include <stdlib.h>

static const char *const families[] = {"angle", "euler", "natural", "joint"};
static const double gap_allowed = 2e-10; /* rows are components, up to three of them, and each is below 1e-10 */
enum { FAMILIES = sizeof families / sizeof *families, TEXT = 12000 };

/* ---- running ------------------------------------------------------------------------------------ */

/* NULL where it is refused: the first error is in `why` then. */
static dal_system *try_compile(const char *text, const char *family, const char *formulation, char why[600])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        assert_true(!family || dal_spec_set(spec, "coordinates", family, messages));
        assert_true(!formulation || dal_spec_set(spec, "formulation", formulation, messages));
        dal_compile(NULL, spec, messages, &system);
    }
    why[0] = '\0';
    for (const dal_message *m = dal_messages_first(messages); m && !why[0]; m = m->next)
        if (m->severity == DAL_ERROR)
            dal_message_format(m, why, 600);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static dal_system *compile(const char *text, const char *family, const char *formulation)
{
    char why[600];
    dal_system *system = try_compile(text, family, formulation, why);
    if (!system)
        fail_msg("%s, %s: %s", family ? family : "", formulation ? formulation : "", why);
    return system;
}

/* Formulation k of the list, compiled; NULL after the last. Those that need an ignorable coordinate are left out where there is none, and
 * those that need a tree of joints, or a place and angles of every body, in other families. */
static dal_system *compile_next(const char *text, const char *family, int *k, const char **name)
{
    const char *title;
    while (dal_list_entry("formulation", (*k)++, name, &title)) {
        char why[600];
        dal_system *system = try_compile(text, family, *name, why);
        if (system)
            return system;
        if (!strstr(why, "ignorable") && !strstr(why, "works over the joint tree") && !strstr(why, "component needs `coordinates: angle`"))
            fail_msg("%s, %s: %s", family ? family : "", *name, why);
    }
    return NULL;
}

/* To the end; the state is what it ended with, evaluated. Not-a-number anywhere fails. */
static dal_state *run(const dal_system *system, dal_evidence *evidence)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_state *end = dal_state_create(NULL, system);
    dal_system_info info = dal_system_describe(system);
    if (dal_run(system, &(dal_run_options){.final = end}, messages, evidence) != DAL_OK)
        fail_msg("%s, %s: %s", info.coordinates, info.formulation, dal_messages_first(messages) ? dal_messages_first(messages)->text : "failed");
    if (dal_state_evaluate(end, messages) != DAL_OK)
        fail_msg("%s, %s: the end: %s", info.coordinates, info.formulation, dal_messages_first(messages)->text);
    assert_true(isfinite(evidence->position_residual) && isfinite(evidence->velocity_residual) && isfinite(evidence->energy_end));
    dal_messages_free(messages);
    return end;
}

static dal_motion body_of(const dal_system *system, const dal_state *state, const char *name)
{
    int b = dal_system_body(system, name);
    assert_true(b >= 0);
    return dal_state_body(state, b);
}

static dal_verdict *judge(const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_verdict *verdict;
    assert_int_equal(dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    if (dal_check(spec, &(dal_check_options){0}, messages, &verdict) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages) ? dal_messages_first(messages)->text : "no verdict");
    dal_spec_free(spec);
    dal_messages_free(messages);
    return verdict;
}

/* ---- plane machines, in any plane --------------------------------------------------------------- */

typedef struct part {
    const char *name;
    double mass, inertia;
    const char *pins; /* letters of its places; the body's x axis points from the first to the second */
} part;

typedef struct joint {
    const char *name, *first, *second;
    char place;
    const char *type; /* NULL: revolute. prismatic: along x of the plane, on the ground */
    bool cut;
} joint;
#define PIN(name, first, second, place)                                                                                                              \
    {                                                                                                                                                \
        name, first, second, place, NULL, false                                                                                                      \
    }
#define GUIDE(name, first, second, place)                                                                                                            \
    {                                                                                                                                                \
        name, first, second, place, "prismatic", false                                                                                               \
    }

typedef struct machine {
    double place[26][2]; /* by letter */
    part links[8];
    joint joints[14];
    double gravity[2];
    double rate;        /* of the first link at the start; the others follow */
    const char *forces; /* lines of `forces:` and `simulate:` */
} machine;

static const double *place_of(const machine *m, char letter)
{
    return m->place[letter - 'A'];
}

static void middle(const machine *m, const char *pins, double c[2])
{
    c[0] = c[1] = 0;
    for (const char *p = pins; *p; p++)
        for (int i = 0; i < 2; i++)
            c[i] += place_of(m, *p)[i] / (double)strlen(pins);
}

static double direction(const machine *m, const char *pins)
{
    const double *a = place_of(m, pins[0]), *b = place_of(m, pins[1] ? pins[1] : pins[0]);
    return atan2(b[1] - a[1], b[0] - a[0]);
}

/* The rotation of a random unit quaternion. */
static void random_rotation(uint64_t *seed, double R[3][3])
{
    double q[4], n = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = check_random(seed);
        n += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(n);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int j = 3 - i - k; /* the third axis, where i != k */
            R[i][k] = i == k ? 1 - 2 * (q[1 + (i + 1) % 3] * q[1 + (i + 1) % 3] + q[1 + (i + 2) % 3] * q[1 + (i + 2) % 3])
                             : 2 * (q[1 + i] * q[1 + k] + ((i + 1) % 3 == k ? -1 : 1) * q[0] * q[1 + j]);
        }
}

typedef struct page {
    char text[TEXT];
    size_t used;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(p->text + p->used, sizeof p->text - p->used, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < sizeof p->text - p->used);
    p->used += (size_t)n;
}

/* The vector x, y of the plane: two numbers, or three in space. */
static void put_vector(page *p, double (*R)[3], double x, double y)
{
    if (R)
        put(p, "[%.17g, %.17g, %.17g]", R[0][0] * x + R[0][1] * y, R[1][0] * x + R[1][1] * y, R[2][0] * x + R[2][1] * y);
    else
        put(p, "[%.17g, %.17g]", x, y);
}

static void put_link(page *p, const machine *m, const part *l, double (*R)[3])
{
    double c[2], a = direction(m, l->pins);
    middle(m, l->pins, c);
    put(p, "  %s: {mass: %.17g, ", l->name, l->mass);
    if (R) {
        put(p, "inertia: [%.17g, %.17g, %.17g], orientation: {x: ", 0.7 * l->inertia, 0.6 * l->inertia, l->inertia);
        put_vector(p, R, cos(a), sin(a));
        put(p, ", y: ");
        put_vector(p, R, -sin(a), cos(a));
        put(p, "}, position: ");
    } else
        put(p, "inertia: %.17g, angle: %.17g, position: ", l->inertia, a);
    put_vector(p, R, c[0], c[1]);
    if (m->rate != 0 && l == m->links && R)
        put(p, ", angular-velocity: [%.17g, %.17g, %.17g]", m->rate * R[0][2], m->rate * R[1][2], m->rate * R[2][2]);
    else if (m->rate != 0 && l == m->links)
        put(p, ", rate: %.17g", m->rate);
    put(p, ", points: {");
    for (const char *k = l->pins; *k; k++) {
        const double dx = place_of(m, *k)[0] - c[0], dy = place_of(m, *k)[1] - c[1];
        put(p, "%s%c: [%.17g, %.17g%s]", k == l->pins ? "" : ", ", *k, cos(a) * dx + sin(a) * dy, -sin(a) * dx + cos(a) * dy, R ? ", 0" : "");
    }
    put(p, "}}\n");
}

static void put_joint(page *p, const joint *j, double (*R)[3])
{
    const bool slides = j->type && strcmp(j->type, "prismatic") == 0, ball = j->type && !slides && strcmp(j->type, "revolute") != 0;
    const bool on_ground = strcmp(j->first, "ground") == 0;
    put(p, "  %s: {type: %s, connect: [%s.%c, %s.%c]", j->name, j->type ? j->type : "revolute", j->first, j->place, j->second, j->place);
    if (slides) {
        put(p, ", axis: ");
        put_vector(p, R, 1, 0);
    } else if (R && !ball && on_ground)
        put(p, ", axis: [%.17g, %.17g, %.17g]", R[0][2], R[1][2], R[2][2]);
    else if (R && !ball)
        put(p, ", axis: [0, 0, 1]");
    put(p, "%s}\n", j->cut ? ", cut: true" : "");
}

/* In the plane without R; else in space, its plane turned by R. */
static void write_machine(page *p, const machine *m, double (*R)[3])
{
    p->used = 0;
    put(p, "dalembert: 1\nspace: %s\ngravity: ", R ? "spatial" : "planar");
    put_vector(p, R, m->gravity[0], m->gravity[1]);
    put(p, "\nground: {points: {");
    for (const joint *j = m->joints; j->name; j++)
        if (strcmp(j->first, "ground") == 0 && (j == m->joints || !(j[-1].place == j->place && strcmp(j[-1].first, "ground") == 0))) {
            put(p, "%s%c: ", j == m->joints ? "" : ", ", j->place);
            put_vector(p, R, place_of(m, j->place)[0], place_of(m, j->place)[1]);
        }
    put(p, "}}\nbodies:\n");
    for (const part *l = m->links; l->name; l++)
        put_link(p, m, l, R);
    put(p, "joints:\n");
    for (const joint *j = m->joints; j->name; j++)
        put_joint(p, j, R);
    put(p, "%s", m->forces);
}

/* R^T x: what the plane sees of a vector. */
static void seen(double (*R)[3], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = R ? R[0][i] * x[0] + R[1][i] * x[1] + R[2][i] * x[2] : x[i];
}

/* The largest distance between the two sides of any pin: measured here, not by the library. */
static double widest_gap(const machine *m, const dal_system *system, const dal_state *state, double (*R)[3])
{
    double widest = 0;
    for (const joint *j = m->joints; j->name; j++) {
        double side[2][3];
        if (j->type && strcmp(j->type, "prismatic") == 0)
            continue;
        for (int s = 0; s < 2; s++) {
            const char *name = s ? j->second : j->first;
            const double *at = place_of(m, j->place);
            if (strcmp(name, "ground") == 0) {
                for (int i = 0; i < 3; i++)
                    side[s][i] = R ? R[i][0] * at[0] + R[i][1] * at[1] : i < 2 ? at[i] : 0;
                continue;
            }
            const part *l = m->links;
            while (strcmp(l->name, name) != 0)
                l++;
            double c[2], a = direction(m, l->pins);
            middle(m, l->pins, c);
            const double dx = at[0] - c[0], dy = at[1] - c[1], local[2] = {cos(a) * dx + sin(a) * dy, -sin(a) * dx + cos(a) * dy};
            dal_motion b = body_of(system, state, name);
            for (int i = 0; i < 3; i++)
                side[s][i] = b.position[i] + b.rotation[3 * i] * local[0] + b.rotation[3 * i + 1] * local[1];
        }
        widest = fmax(widest, hypot(hypot(side[0][0] - side[1][0], side[0][1] - side[1][1]), side[0][2] - side[1][2]));
    }
    return widest;
}

/* The point at distances r from a and s from b, on the left of the way from a to b. */
static void meet(const double a[2], double r, const double b[2], double s, double c[2])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], d = hypot(dx, dy), x = (d * d + r * r - s * s) / (2 * d), h = sqrt(r * r - x * x);
    c[0] = a[0] + (x * dx - h * dy) / d;
    c[1] = a[1] + (x * dy + h * dx) / d;
}

/* A crank-rocker A B C D: 0.41 + 1.37 < 1.29 + 0.93. */
static machine four_bar(void)
{
    machine m = {
        .place = {{0.13, -0.27}, {0}, {0}, {0.13 + 1.37 * 0.96, -0.27 + 1.37 * 0.28}},
        .links = {{"crank", 1.73, 0.031, "AB"}, {"coupler", 2.19, 0.37, "BC"}, {"rocker", 1.41, 0.113, "DC"}},
        .joints = {PIN("a", "ground", "crank", 'A'), PIN("b", "crank", "coupler", 'B'), PIN("c", "coupler", "rocker", 'C'),
                   PIN("d", "ground", "rocker", 'D')},
        .gravity = {1.37, -9.61},
        .rate = 1.83,
        .forces = "simulate: {until: 10, every: 1, rtol: 1e-10, atol: 1e-12}\n",
    };
    m.place[1][0] = m.place[0][0] + 0.41 * cos(1.1);
    m.place[1][1] = m.place[0][1] + 0.41 * sin(1.1);
    meet(m.place[1], 1.29, m.place[3], 0.93, m.place[2]);
    return m;
}

/* ---- a constraint that is counted is applied -------------------------------------------------------- */

/* Sliders at x and y on two ways at right angles, a rod of length l between them:
 *   m x'' = lambda x,  n y'' = -n g + lambda y,  x'^2 + x x'' + y'^2 + y y'' = 0,  so  lambda (x^2/m + y^2/n) = g y - x'^2 - y'^2.
 * The rod as a joint, as an expression, and in coordinates of the model's own. */
static void a_slider_held_by_a_constraint_accelerates_as_the_constraint_says(void **unused)
{
    (void)unused;
    static const char bodies[] = "bodies:\n  s: {mass: 1.37, inertia: 0.11, position: [0.618, 0], velocity: [0.53*v, 0]}\n"
                                 "  r: {mass: 2.71, inertia: 0.23, position: [0, 0.829], velocity: [0, -0.618*0.53/0.829*v]}\n"
                                 "joints:\n  sx: {type: prismatic, connect: [ground, s], axis: [1, 0]}\n"
                                 "  ry: {type: prismatic, connect: [ground, r], axis: [0, 1]}\n";
    static const char own[] = "coordinates: {x: {start: 0.618, rate: 0.53*v}, y: {start: 0.829, rate: -0.618*0.53/0.829*v}}\n"
                              "bodies:\n  s: {mass: 1.37, position: [x, 0]}\n  r: {mass: 2.71, position: [0, y]}\n";
    static const char *const rods[] = {"  rod: {type: distance, connect: [s, r]}\n",
                                       "constraints: {rod: {position: \"s.x^2 + r.y^2 - 0.618^2 - 0.829^2\"}}\n",
                                       "constraints: {rod: {velocity: \"s.x*s.x' + r.y*r.y'\"}}\n"};
    for (int v = 0; v < 2; v++)
        for (int c = 0; c < 5; c++)
            for (int f = 0; f < (c < 3 ? FAMILIES : 1); f++) {
                char text[1500];
                const char *name;
                snprintf(text, sizeof text,
                         "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {v: %d}\n%s%s"
                         "simulate: {until: 0.2, every: 0.1, max-step: 0.1, rtol: 1e-10, atol: 1e-12}\n",
                         v, c < 3 ? bodies : own, rods[c < 3 ? c : c - 2]);
                dal_system *system;
                for (int k = 0; (system = compile_next(text, c < 3 ? families[f] : NULL, &k, &name)); dal_system_free(system)) {
                    dal_evidence evidence;
                    dal_state *states[2] = {dal_state_create(NULL, system), run(system, &evidence)};
                    assert_int_equal(dal_state_evaluate(states[0], NULL), DAL_OK);
                    assert_int_equal(evidence.info.freedoms, 1);
                    /* components are not projected but pulled back: the errors of the steps, rtol, times their gain of 20 */
                    const double limit = strcmp(evidence.info.stabilization, "baumgarte") ? 1e-10 : 2e-9;
                    assert_true(evidence.position_residual < limit && evidence.velocity_residual < limit);
                    for (int i = 0; i < 2; i++) { /* at the start and at the end */
                        dal_motion s = body_of(system, states[i], "s"), r = body_of(system, states[i], "r");
                        const double x = s.position[0], y = r.position[1], u = s.velocity[0], w = r.velocity[1];
                        const double lambda = (9.81 * y - u * u - w * w) / (x * x / 1.37 + y * y / 2.71);
                        check_close(s.acceleration[0], lambda * x / 1.37, 1e-9 * 10);
                        check_close(r.acceleration[1], lambda * y / 2.71 - 9.81, 1e-9 * 10);
                        assert_true(fabs(s.acceleration[0]) > 0.5);             /* no test of zero against zero */
                        const double allowed = c == 2 || c == 4 ? 1e-8 : 1e-10; /* where only velocities are held, the integrator's error */
                        check_close(x * x + y * y, 0.618 * 0.618 + 0.829 * 0.829, allowed);
                        dal_state_free(states[i]);
                    }
                }
            }
}

/* ---- loops in any plane ------------------------------------------------------------------------------ */

static void a_loop_in_a_skew_plane_moves_as_in_the_plane(void **unused)
{
    (void)unused;
    static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "kane"};
    static page text;
    uint64_t seed = 20;
    machine m = four_bar();
    dal_evidence evidence;
    write_machine(&text, &m, NULL);
    dal_system *plane = compile(text.text, "angle", "lagrange");
    dal_state *truth = run(plane, &evidence);
    const double far = 100 * 1e-10 * 10;              /* errors of integration: rtol a second, and its growth */
    for (int trial = 0; trial <= FAMILIES; trial++) { /* the first in the plane of x and y, each of the others in a plane of its own */
        if (!check_chosen(trial, 3))
            continue;
        double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        if (trial)
            random_rotation(&seed, R);
        write_machine(&text, &m, R);
        dal_system *system = compile(text.text, families[trial % FAMILIES], formulations[trial % 3]);
        dal_state *end = run(system, &evidence);
        assert_int_equal(evidence.info.freedoms, 1);
        check_small(evidence.position_residual, 1e-10);
        check_small(widest_gap(&m, system, end, R), gap_allowed);
        check_small(evidence.energy_drift, 1e-7);
        for (const part *l = m.links; l->name; l++) {
            dal_motion a = body_of(plane, truth, l->name), b = body_of(system, end, l->name);
            double x[3], v[3];
            seen(R, b.position, x);
            seen(R, b.velocity, v);
            for (int i = 0; i < 3; i++) {
                check_close(x[i], a.position[i], far);
                check_close(v[i], a.velocity[i], 10 * far); /* rates of some 10/s */
            }
        }
        dal_state_free(end);
        dal_system_free(system);
    }
    dal_state_free(truth);
    dal_system_free(plane);
}

/* ---- a loop that is closed by five rows ----------------------------------------------------------------- */

/* The joint that is cut is a hinge, a ball, or a weld: a leg, the same leg, and a frame. */
static void a_leg_closed_by_a_hinge_has_one_freedom_and_by_a_weld_none(void **unused)
{
    (void)unused;
    static const struct {
        const char *type;
        int rows, rank;
    } closures[] = {{"revolute", 5, 2}, {"spherical", 3, 2}, {"rigid", 6, 3}};
    static page text;
    uint64_t seed = 3;
    double R[3][3];
    random_rotation(&seed, R);
    for (int which = 0; which < 4; which++) {
        machine m = four_bar();
        m.rate = 0; /* a weld would stop it */
        write_machine(&text, &m, NULL);
        dal_system *plane = compile(text.text, "angle", "lagrange");
        dal_state *truth = dal_state_create(NULL, plane);
        assert_int_equal(dal_state_evaluate(truth, NULL), DAL_OK);
        for (int c = 0; c < 3; c++) {
            const char *name;
            m.joints[which].type = closures[c].type;
            m.joints[which].cut = true;
            write_machine(&text, &m, R);
            dal_system *system;
            for (int k = 0; (system = compile_next(text.text, "joint", &k, &name)); dal_system_free(system)) {
                dal_system_info info = dal_system_describe(system);
                assert_int_equal(info.velocities, 3);
                assert_int_equal(info.constraints, closures[c].rows);
                assert_int_equal(info.rank, closures[c].rank);
                assert_int_equal(info.freedoms, 3 - closures[c].rank);
                dal_state *state = dal_state_create(NULL, system);
                assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                for (const part *l = m.links; l->name; l++) {
                    dal_motion a = body_of(plane, truth, l->name), b = body_of(system, state, l->name);
                    double x[3];
                    seen(R, b.acceleration, x);
                    for (int i = 0; i < 3; i++)
                        check_close(x[i], c == 2 ? 0 : a.acceleration[i], 1e-9 * 10);
                }
                dal_state_free(state);
            }
        }
        dal_state_free(truth);
        dal_system_free(plane);
    }
}

/* ---- a linkage with many loops ----------------------------------------------------------------------------- */

/* Places of Jansen's leg, in decimetres of the usual numbers: crank O P, and everything else from circles. */
static void jansen_places(double angle, double place[26][2])
{
    const double s = 0.01;
    double *B = place['B' - 'A'], *O = place['O' - 'A'], *P = place['P' - 'A'], *Q = place['Q' - 'A'], *R = place['R' - 'A'], *S = place['S' - 'A'],
           *T = place['T' - 'A'], *F = place['F' - 'A'];
    O[0] = O[1] = 0;
    B[0] = -38 * s;
    B[1] = -7.8 * s;
    P[0] = 15 * s * cos(angle);
    P[1] = 15 * s * sin(angle);
    meet(B, 41.5 * s, P, 50 * s, Q);   /* above */
    meet(P, 61.9 * s, B, 39.3 * s, R); /* below */
    meet(B, 40.1 * s, Q, 55.8 * s, S);
    meet(R, 36.7 * s, S, 39.4 * s, T);
    meet(R, 49 * s, T, 65.7 * s, F);
}

static machine jansen(const char *forces)
{
    machine m = {
        .links = {{"crank", 0.83, 0.0071, "OP"},
                  {"upper", 0.31, 0.0083, "PQ"},
                  {"lower", 0.37, 0.0129, "PR"},
                  {"hip", 0.91, 0.0213, "BQS"},
                  {"knee", 0.29, 0.0047, "BR"},
                  {"tie", 0.27, 0.0043, "ST"},
                  {"foot", 1.03, 0.0277, "RTF"}},
        .joints = {PIN("o", "ground", "crank", 'O'), PIN("p1", "crank", "upper", 'P'), PIN("p2", "crank", "lower", 'P'),
                   PIN("q", "upper", "hip", 'Q'), PIN("b1", "ground", "hip", 'B'), PIN("b2", "ground", "knee", 'B'), PIN("r1", "lower", "knee", 'R'),
                   PIN("r2", "knee", "foot", 'R'), PIN("s1", "hip", "tie", 'S'), PIN("t1", "tie", "foot", 'T')},
        .gravity = {0, -9.81},
        .forces = forces,
    };
    jansen_places(0.7, m.place);
    return m;
}

/* Twenty seconds of walking; at the end every link is where circles put it for the angle of the crank. */
static void a_leg_of_many_loops_walks_without_drifting(void **unused)
{
    (void)unused;
    static const struct {
        const char *family, *formulation;
    } ways[] = {{"angle", "lagrange"}, {"natural", "udwadia-kalaba"}, {"joint", "kane"}, {"euler", "maggi"}};
    static page text;
    machine m = jansen("forces:\n  motor: {type: motor, joint: o, value: \"9.3*(1 - o.angle'/11.7)\"}\n"
                       "simulate: {until: 20, every: 1, rtol: 1e-6, atol: 1e-8}\n");
    write_machine(&text, &m, NULL);
    for (int w = 0; w < 4; w++) {
        dal_evidence evidence;
        dal_system *system = compile(text.text, ways[w].family, ways[w].formulation);
        dal_state *end = run(system, &evidence);
        machine there = m;
        dal_motion crank = body_of(system, end, "crank");
        jansen_places(atan2(crank.rotation[3], crank.rotation[0]), there.place);
        assert_int_equal(evidence.info.freedoms, 1);
        assert_true(crank.omega[2] > 5); /* it walks */
        check_small(evidence.position_residual, 1e-10);
        check_small(evidence.velocity_residual, 1e-9);
        check_small(widest_gap(&m, system, end, NULL), gap_allowed);
        for (const part *l = m.links; l->name; l++) {
            double c[2];
            middle(&there, l->pins, c);
            dal_motion b = body_of(system, end, l->name);
            check_close(b.position[0], c[0], 1e-9);
            check_close(b.position[1], c[1], 1e-9);
        }
        dal_state_free(end);
        dal_system_free(system);
    }
}

/* ---- rows that depend on one another -------------------------------------------------------------------------- */

/* Two Scott-Russell linkages back to back. A crank O M of length a, a link C T of length 2a with its middle at M, C in a guide: T stays on
 * the line through O at right angles to the guide. The two tips are pinned to each other: in the plane one of its two rows is one too
 * many, in space 36 velocities have 45 rows of rank 35. With the angles s, t of the cranks, a sin s = b sin t,
 *   2 T = sum over both (I_c + m_c a^2/4 + I_l + m_l a^2 + 4 m_s a^2 sin^2 s) s'^2,  V = -g_x sum +-(m_c/2 + m_l + 2 m_s) a cos s. */
static const double arm[2] = {0.31, 0.37};

static machine scott_russell(double s)
{
    machine m = {
        .links = {{"crank1", 1.13, 0.017, "OM"},
                  {"link1", 2.39, 0.083, "CTM"},
                  {"block1", 1.77, 0.011, "C"},
                  {"crank2", 0.53, 0.013, "ON"},
                  {"link2", 0.71, 0.037, "DTN"},
                  {"block2", 0.39, 0.007, "D"}},
        .joints = {PIN("o1", "ground", "crank1", 'O'), PIN("o2", "ground", "crank2", 'O'), GUIDE("guide1", "ground", "block1", 'C'),
                   GUIDE("guide2", "ground", "block2", 'D'), PIN("m1", "crank1", "link1", 'M'), PIN("m2", "crank2", "link2", 'N'),
                   PIN("c1", "link1", "block1", 'C'), PIN("c2", "link2", "block2", 'D'), PIN("tip", "link1", "link2", 'T')},
        .gravity = {9.81, 0},
        .rate = 0.67,
        .forces = "simulate: {until: 3, every: 1, rtol: 1e-10, atol: 1e-12}\n",
    };
    const double t = asin(arm[0] * sin(s) / arm[1]);
    m.place['T' - 'A'][1] = 2 * arm[0] * sin(s);
    m.place['C' - 'A'][0] = 2 * arm[0] * cos(s);
    m.place['D' - 'A'][0] = -2 * arm[1] * cos(t);
    m.place['M' - 'A'][0] = arm[0] * cos(s);
    m.place['M' - 'A'][1] = arm[0] * sin(s);
    m.place['N' - 'A'][0] = -arm[1] * cos(t);
    m.place['N' - 'A'][1] = arm[1] * sin(t);
    return m;
}

static void scott_russell_energy(const machine *m, double s, double sd, double *kinetic, double *potential)
{
    const double t = asin(arm[0] * sin(s) / arm[1]), angle[2] = {s, t}, rate[2] = {sd, arm[0] * cos(s) * sd / (arm[1] * cos(t))};
    *kinetic = *potential = 0;
    for (int k = 0; k < 2; k++) {
        const part *c = &m->links[3 * k];
        const double a2 = arm[k] * arm[k];
        const double J = c[0].inertia + c[0].mass * a2 / 4 + c[1].inertia + c[1].mass * a2 + 4 * c[2].mass * a2 * pow(sin(angle[k]), 2);
        *kinetic += 0.5 * J * rate[k] * rate[k];
        *potential -= (k ? -1 : 1) * 9.81 * (c[0].mass / 2 + c[1].mass + 2 * c[2].mass) * arm[k] * cos(angle[k]);
    }
}

static void a_double_scott_russell_linkage_in_space_runs_and_names_what_is_redundant(void **unused)
{
    (void)unused;
    static page text;
    uint64_t seed = 27;
    double R[3][3], start, start_kinetic;
    random_rotation(&seed, R);
    machine m = scott_russell(0.83);
    scott_russell_energy(&m, 0.83, m.rate, &start_kinetic, &start);
    start += start_kinetic;
    for (int space = 0; space < 2; space++) {
        write_machine(&text, &m, space ? R : NULL);
        dal_verdict *v = judge(text.text);
        bool tip = false;
        for (int g = 0; g < v->n_groups; g++)
            for (int j = 0; j < v->groups[g].n_joints; j++)
                tip |= strcmp(v->groups[g].joints[j], "tip") == 0;
        assert_int_equal(v->velocities, space ? 36 : 18);
        assert_int_equal(v->rows, space ? 45 : 18);
        assert_int_equal(v->freedoms, 1);
        assert_int_equal(v->redundant, space ? 10 : 1);
        assert_true(v->consistent && tip);
        dal_verdict_free(v);
        for (int f = 0; f < FAMILIES; f++) {
            static const char *const formulations[] = {"lagrange", "kane", "udwadia-kalaba", "volterra"};
            dal_evidence evidence;
            dal_system *system = compile(text.text, families[f], formulations[f]);
            dal_state *end = run(system, &evidence);
            double x[3], xd[3], kinetic, potential;
            seen(space ? R : NULL, body_of(system, end, "crank1").position, x);
            seen(space ? R : NULL, body_of(system, end, "crank1").velocity, xd);
            const double s = atan2(x[1], x[0]), sd = (x[0] * xd[1] - x[1] * xd[0]) / (x[0] * x[0] + x[1] * x[1]);
            scott_russell_energy(&m, s, sd, &kinetic, &potential);
            check_close(kinetic + potential, start, 1e-7 * fabs(start));
            check_small(evidence.position_residual, 1e-10);
            check_small(widest_gap(&m, system, end, space ? R : NULL), gap_allowed);
            assert_int_equal(evidence.info.freedoms, 1);
            assert_non_null(strstr(evidence.loose, "o1")); /* reactions that are not unique */
            dal_state_free(end);
            dal_system_free(system);
        }
    }
}

/* ---- hard, not soft ----------------------------------------------------------------------------------------------- */

/* A load of a newton or of a million: the pins are as closed. (A soft loop opens in proportion.) */
static void a_loaded_loop_opens_by_nothing(void **unused)
{
    (void)unused;
    static const double loads[] = {1, 1e3, 1e6};
    static page text;
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char forces[300];
            dal_evidence evidence;
            machine m = four_bar();
            snprintf(forces, sizeof forces,
                     "forces: {load: {type: force, body: coupler, value: [%.17g, %.17g]}}\n"
                     "simulate: {until: %.17g, rtol: 1e-9, atol: 1e-11}\n",
                     0.28 * loads[i], -0.96 * loads[i], 10 / sqrt(1 + loads[i] / 10)); /* as many swings */
            m.forces = forces;
            write_machine(&text, &m, NULL);
            dal_system *system = compile(text.text, families[f], "lagrange");
            dal_state *end = run(system, &evidence);
            check_small(evidence.position_residual, 1e-10);
            check_small(widest_gap(&m, system, end, NULL), gap_allowed);
            dal_state_free(end);
            dal_system_free(system);
        }
}

/* ---- counts ------------------------------------------------------------------------------------------------------------ */

static void a_wrong_number_of_speeds_is_refused_with_both_numbers(void **unused)
{
    (void)unused;
    static const char *const users[] = {"maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};
    static const struct {
        const char *speeds, *words[3];
    } cases[] = {
        {"u1: \"A.angle' + 0.3*B.angle'\"", {"names 1 speed ", "has 2 freedoms", "model.yaml:10:"}},
        {"u1: \"A.angle'\", u2: \"B.angle'\", u3: \"A.angle' - B.angle'\"", {"names 3 speeds", "has 2 freedoms", "model.yaml:10:"}},
        {"u1: \"A.angle' + B.angle'\", u2: \"-2.3*A.angle' - 2.3*B.angle'\"", {"'u1'", "'u2'", "do not determine the velocities"}},
    };
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < FAMILIES; f++)
            for (int k = 0; k < 5; k++) {
                char text[900], why[600];
                snprintf(text, sizeof text,
                         "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                         "  rod: {mass: 1.3, inertia: 0.21, position: [0.37, 0], angle: 0, points: {A: [-0.37, 0], B: [0.41, 0.03]}}\n"
                         "  bob: {mass: 0.9, inertia: 0.17, position: [0.78, -0.4], angle: 0, points: {B: [0, 0.43]}}\n"
                         "joints:\n  A: {type: revolute, connect: [ground, rod.A]}\n  B: {type: revolute, connect: [rod.B, bob.B]}\n"
                         "speeds: {%s}\nsimulate: {until: 1}\n",
                         cases[c].speeds);
                dal_system *system = try_compile(text, families[f], users[k], why);
                if (system || !strstr(why, cases[c].words[0]) || !strstr(why, cases[c].words[1]) || !strstr(why, cases[c].words[2]))
                    fail_msg("%s, %s: '%s'", families[f], users[k], why);
            }
}

/* ---- rolling ---------------------------------------------------------------------------------------------------------------- */

/* An upright wheel of revolution keeps its spin and its turn: the centre goes round on a circle of radius r spin / turn. */
static void a_rolling_wheel_goes_round_on_its_circle(void **unused)
{
    (void)unused;
    const double r = 0.37, spin = 4.1, turn = 0.83, t = 2.9, v = r * spin;
    char text[1000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
             "bodies: {wheel: {mass: 1.9, inertia: [0.061, 0.061, 0.117], position: [0, 0, %.17g], orientation: {z: [0, 1, 0], x: [1, 0, 0]},\n"
             "  velocity: [%.17g, 0, 0], angular-velocity: [0, %.17g, %.17g]}}\n"
             "joints: {road: {type: rolling-wheel, connect: [ground, wheel], normal: [0, 0, 1], axis: [0, 0, 1], radius: %.17g}}\n"
             "simulate: {until: %.17g, every: 1, rtol: 1e-10, atol: 1e-12}\n",
             r, v, spin, turn, r, t);
    for (int f = 0; f < FAMILIES; f++) {
        const char *name;
        dal_system *system;
        for (int k = 0; (system = compile_next(text, families[f], &k, &name)); dal_system_free(system)) {
            dal_evidence evidence;
            dal_state *end = run(system, &evidence);
            dal_motion w = body_of(system, end, "wheel");
            const double force = 1.9 * v * turn; /* to the left: what keeps it on the circle */
            double F[3], T[3];
            check_close(w.position[0], v / turn * sin(turn * t), 1e-8);
            check_close(w.position[1], v / turn * (1 - cos(turn * t)), 1e-8);
            check_close(w.position[2], r, 1e-10);
            check_close(w.rotation[5] * w.omega[1] + w.rotation[2] * w.omega[0], spin, 1e-8);
            dal_state_reaction(end, 0, F, T);
            check_close(F[0], -force * sin(turn * t), 1e-7);
            check_close(F[1], force * cos(turn * t), 1e-7);
            check_close(F[2], 1.9 * 9.81, 1e-7);
            dal_state_free(end);
        }
    }
}

/* Lying flat a disc touches everywhere: refused with a sentence that names the joint, not with a matrix. */
static void a_disc_that_lies_flat_is_refused_by_name(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies: {coin: {mass: 1.9, inertia: [0.061, 0.061, 0.117], position: [0, 0, 0]}}\n"
                               "joints: {table: {type: rolling-disc, connect: [ground, coin], normal: [0, 0, 1], axis: [0, 0, 1], radius: 0.37}}\n"
                               "simulate: {until: 1}\n";
    for (int f = 0; f < FAMILIES; f++) {
        char why[600];
        dal_system *system = try_compile(text, families[f], "lagrange", why);
        if (system || !strstr(why, "table"))
            fail_msg("%s: '%s'", families[f], why);
    }
}

/* ---- dead centres --------------------------------------------------------------------------------------------------------------- */

/* A slider-crank, crank a, rod b, its masses in the middle of each. With the angle s of the crank and f of the rod, sin f = a sin s / b:
 *   f' = a cos s s' / (b cos f),  x = a cos s + b cos f,  2 T = (I_a + m_a a^2/4) s'^2 + I_b f'^2 + m_b v_b^2 + m_c x'^2. */
static machine slider_crank(double a, double b, double s, const char *forces)
{
    machine m = {
        .links = {{"crank", 1.31, 0.029, "AB"}, {"rod", 1.77, 0.113, "BC"}, {"block", 2.03, 0.017, "C"}},
        .joints = {PIN("pivot", "ground", "crank", 'A'), GUIDE("guide", "ground", "block", 'C'), PIN("b", "crank", "rod", 'B'),
                   PIN("c", "rod", "block", 'C')},
        .forces = forces,
    };
    const double f = asin(a * sin(s) / b);
    m.place[1][0] = a * cos(s);
    m.place[1][1] = a * sin(s);
    m.place[2][0] = a * cos(s) + b * cos(f);
    return m;
}

static double slider_crank_inertia(const machine *m, double a, double b, double s)
{
    const double f = asin(a * sin(s) / b), fd = a * cos(s) / (b * cos(f)), x = -a * sin(s) - b * sin(f) * fd;
    const double vx = -a * sin(s) - b / 2 * sin(f) * fd, vy = a * cos(s) - b / 2 * cos(f) * fd;
    const part *l = m->links;
    return l[0].inertia + l[0].mass * a * a / 4 + l[1].inertia * fd * fd + l[1].mass * (vx * vx + vy * vy) + l[2].mass * x * x;
}

/* From either dead centre a constant torque tau does the work tau s = J(s) s'^2 / 2, and begins with s'' = tau / J (there J' = 0). */
static void a_crank_starts_from_its_dead_centre(void **unused)
{
    (void)unused;
    static page text;
    const double a = 0.31, b = 0.83, torque = 2.3;
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < FAMILIES; f++) {
            const double dead = k ? 3.141592653589793 : 0;
            machine m = slider_crank(a, b, dead,
                                     "forces: {motor: {type: torque, joint: pivot, value: 2.3}}\n"
                                     "simulate: {until: 0.9, every: 0.1, max-step: 0.1, rtol: 1e-10, atol: 1e-12}\n");
            const char *name;
            dal_system *system;
            write_machine(&text, &m, NULL);
            dal_verdict *v = judge(text.text);
            assert_false(v->singular);
            assert_int_equal(v->freedoms, 1);
            dal_verdict_free(v);
            for (int n = 0; (system = compile_next(text.text, families[f], &n, &name)); dal_system_free(system)) {
                dal_evidence evidence;
                dal_state *start = dal_state_create(NULL, system), *end = run(system, &evidence);
                assert_int_equal(dal_state_evaluate(start, NULL), DAL_OK);
                check_close(body_of(system, start, "crank").alpha[2], torque / slider_crank_inertia(&m, a, b, dead), 1e-9 * 30);
                dal_motion crank = body_of(system, end, "crank");
                const double s = atan2(crank.rotation[3], crank.rotation[0]), w = crank.omega[2];
                const double work = slider_crank_inertia(&m, a, b, s) * w * w / 2;
                const double turns = (work / torque - (s - dead)) / (2 * 3.141592653589793);
                check_close(turns, round(turns), 1e-8);
                assert_true(w > 1 && work > torque);
                check_small(evidence.position_residual, 1e-10);
                dal_state_free(start);
                dal_state_free(end);
            }
        }
}

/* The slider's velocity is no measure of the motion there, and a rod as long as the crank has a position from which it can go two ways. */
static void what_a_dead_centre_leaves_open_is_told(void **unused)
{
    (void)unused;
    static page text;
    char why[600];
    machine m = slider_crank(0.31, 0.83, 0, "speeds: {u: \"block.x'\"}\nsimulate: {until: 1}\n");
    write_machine(&text, &m, NULL);
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *system = try_compile(text.text, families[f], "kane", why);
        if (system || !strstr(why, "'u'") || !strstr(why, "determine the velocities"))
            fail_msg("%s: '%s'", families[f], why);
    }
    machine folded = slider_crank(0.47, 0.47, 0, "simulate: {until: 1}\n");
    folded.place[1][0] = 0, folded.place[1][1] = 0.47, folded.place[2][0] = 0;
    write_machine(&text, &folded, NULL);
    dal_verdict *v = judge(text.text);
    assert_true(v->singular && v->gained == 1 && v->n_warnings > 0);
    dal_verdict_free(v);
}

/* ---- couplings with friction ------------------------------------------------------------------------------------------------------- */

/* Two horizontal shafts, geared 1 : n. Dry bearings take mu r m g from the first and mu' r' m' g from the second, in all
 *   h = mu r m g + |n| mu' r' m' g,  and
 *   (J + n^2 J') s'' = tau - h  while it turns. */
static const double ratio = -0.43, grip[2] = {0.17 * 0.023 * 3.1 * 9.81, 0.43 * 0.21 * 0.031 * 5.3 * 9.81};
static const double geared = 0.0061 + 0.43 * 0.43 * 0.0173;

static void write_gears(page *p, bool first, double rate, double torque, double until)
{
    p->used = 0;
    put(p,
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nground: {points: {B: [0, 0.7, 0]}}\nbodies:\n"
        "  pinion: {mass: 3.1, inertia: [0.0061, 0.02, 0.02], position: [0, 0, 0], angular-velocity: [%.17g, 0, 0]}\n"
        "  wheel: {mass: 5.3, inertia: [0.0173, 0.03, 0.03], position: [0, 0.7, 0]}\n",
        rate);
    put(p,
        "joints:\n  A: {type: revolute, connect: [ground, pinion], axis: [1, 0, 0]%s}\n"
        "  B: {type: revolute, connect: [ground.B, wheel], axis: [1, 0, 0], friction: {coefficient: 0.21, radius: 0.031}}\n"
        "  mesh: {type: gear, joints: [A, B], ratio: %.17g}\n",
        first ? ", friction: {coefficient: 0.17, radius: 0.023}" : "", ratio);
    put(p,
        "forces: {motor: {type: torque, joint: A, value: %.17g}}\n"
        "simulate: {until: %.17g, every: 0.1, max-step: 0.1, rtol: 1e-10, atol: 1e-12}\n",
        torque, until);
}

/* One bearing holds up to h, and lets go beyond; two of them brake what turns. The ratio is kept in every case. */
static void friction_does_not_break_a_pair_of_gears(void **unused)
{
    (void)unused;
    static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};
    static const struct {
        bool both;
        double rate, load; /* load: torque over h */
    } cases[] = {{false, 0, 0.999}, {false, 0, 1.001}, {false, 0, 2.7},  {true, 3.1, 2.7}, {true, 7.3, 0.37},
                 {true, 0, 0.3},    {true, 0, 0.999},  {true, 0, 1.001}, {true, 0, 2.7}}; /* at rest they hold each other, in no certain shares */
    static page text;
    const double t = 0.23;
    for (int k = 0; k < 9; k++) {
        const double hold = grip[1] + (cases[k].both ? grip[0] : 0), torque = cases[k].load * hold;
        const double faster = cases[k].rate > 0 || cases[k].load > 1 ? (torque - hold) / geared : 0;
        const double rate = cases[k].rate + faster * t, turned = cases[k].rate * t + faster * t * t / 2;
        assert_true(rate >= 0); /* what turns does not stop */
        write_gears(&text, cases[k].both, cases[k].rate, torque, t);
        for (int f = 0; f < FAMILIES; f++)
            for (int l = 0; l < 2; l++) { /* over the cases every formulation comes to every family */
                if (!check_chosen(k + f + l, 3))
                    continue;
                dal_evidence evidence;
                dal_system *system = compile(text.text, families[f], formulations[(2 * k + l + f) % 7]);
                dal_state *end = run(system, &evidence);
                dal_motion pinion = body_of(system, end, "pinion"), wheel = body_of(system, end, "wheel");
                check_close(pinion.omega[0], rate, 1e-8 * (1 + rate));
                check_close(wheel.omega[0], ratio * pinion.omega[0], 1e-10 * (1 + rate));
                check_small(remainder(atan2(pinion.rotation[7], pinion.rotation[4]) - turned, 2 * 3.141592653589793), 1e-8 * (1 + turned));
                check_small(evidence.position_residual, 1e-10);
                dal_state_free(end);
                dal_system_free(system);
            }
    }
}

/* A jack: a motor turns the screw by a gear, the screw lifts a load on a thread with the slope p and the friction mu > tan p. Left alone it
 * stays; with the torque tau on the shaft, and N the normal force on the thread,
 *   J s'' = tau - n T,  I n s'' = T - N r (sin p + mu cos p),  m z'' = N (cos p - mu sin p) - W,  z = r tan p n s. */
static void a_self_locking_screw_keeps_its_gear(void **unused)
{
    (void)unused;
    const double r = 0.013, pitch = 0.0061, p = atan(pitch / (2 * 3.141592653589793 * r)), mu = 1.7 * tan(p), n = 0.37;
    const double J = 3.1e-3, I = 2.3e-3, m = 1.9, W = 310, t = 0.4;
    const double up = r * (sin(p) + mu * cos(p)), carry = cos(p) - mu * sin(p); /* torque and lift of a unit of N */
    const double hold = n * W / carry * up;
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < FAMILIES; f++) {
            const double torque = (double[]){0, 0.999, 3.3}[k] * hold;
            /* tau = (J + n^2 I) s'' + n N up, N = (W + m r tan p n s'') / carry */
            const double faster = k == 2 ? (torque - hold) / (J + n * n * I + n * n * m * r * tan(p) * up / carry) : 0;
            char text[1500];
            dal_evidence evidence;
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: spatial\nground: {points: {B: [0.3, 0, 0]}}\nbodies:\n"
                     "  screw: {mass: %.17g, inertia: [2e-3, 2e-3, %.17g], position: [0, 0, 0]}\n"
                     "  shaft: {mass: 1.1, inertia: [2e-3, 2e-3, %.17g], position: [0.3, 0, 0]}\n"
                     "joints:\n  thread: {type: screw, connect: [ground, screw], axis: [0, 0, 1], pitch: %.17g,\n"
                     "    friction: {coefficient: %.17g, radius: %.17g}}\n"
                     "  B: {type: revolute, connect: [ground.B, shaft], axis: [0, 0, 1]}\n"
                     "  mesh: {type: gear, joints: [B, thread], ratio: %.17g}\n"
                     "forces:\n  motor: {type: torque, joint: B, value: %.17g}\n"
                     "  weight: {type: force, body: screw, value: [0, 0, %.17g]}\n"
                     "simulate: {until: %.17g, every: 0.1, max-step: 0.1, rtol: 1e-10, atol: 1e-12}\n",
                     m, I, J, pitch, mu, r, n, torque, -W, t);
            dal_system *system = compile(text, families[f], "lagrange");
            dal_state *end = run(system, &evidence);
            dal_motion screw = body_of(system, end, "screw"), shaft = body_of(system, end, "shaft");
            check_close(shaft.omega[2], faster * t, 1e-8 * (1 + faster * t));
            check_close(screw.omega[2], n * shaft.omega[2], 1e-10 * (1 + faster * t));
            check_close(screw.position[2], r * tan(p) * n * faster * t * t / 2, 1e-9);
            check_small(evidence.position_residual, 1e-10);
            dal_state_free(end);
            dal_system_free(system);
        }
}

/* ---- what a given motion takes ------------------------------------------------------------------------ */

/* A crank of length a that is turned by theta(t), a rod of length b without mass, a piston m with a force F on it:
 *   x = a cos th + s,  s^2 = b^2 - a^2 sin^2 th;   effort = I th'' + (m x'' - F) dx/dth
 * The effort of the open chain, I th'', is another one. In the plane the torque of a driven pin is its effort. */
static double effort_of_crank(double t)
{
    const double a = 0.31, b = 0.83, I = 0.05, m = 2.3, F = 5.7;
    const double th = 0.4 + 1.7 * t + 0.3 * t * t, rate = 1.7 + 0.6 * t, s = sqrt(b * b - a * a * sin(th) * sin(th));
    const double half = a * a * sin(th) * cos(th), slope = -a * sin(th) - half / s;
    const double bend = -a * cos(th) - a * a * cos(2 * th) / s - half * half / (s * s * s);
    return I * 0.6 + (m * (bend * rate * rate + slope * 0.6) - F) * slope;
}

static void the_effort_of_a_drive_holds_what_the_loop_asks_for(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\n"
                               "bodies:\n  crank: {mass: 0.7, inertia: 0.05, angle: 0.4, points: {P: [0.31, 0]}}\n"
                               "  rod: {mass: 0, inertia: 0, position: [0.31*cos(0.4), 0.31*sin(0.4)], angle: -0.146,\n"
                               "    points: {Q: [0.83, 0]}}\n"
                               "  piston: {mass: 2.3, inertia: 0.1}\n"
                               "joints:\n  A: {type: revolute, connect: [ground, crank], drive: 0.4 + 1.7*t + 0.3*t^2}\n"
                               "  B: {type: revolute, connect: [crank.P, rod]}\n"
                               "  C: {type: revolute, connect: [rod.Q, piston]}\n"
                               "  D: {type: prismatic, connect: [ground, piston], axis: [1, 0]}\n"
                               "forces: {f: {type: force, body: piston, value: [5.7, 0]}}\n"
                               "simulate: {until: 0.73, every: 0.73, rtol: 1e-10, atol: 1e-12}\n";
    const char *name, *title;
    int solved = 0;
    (void)unused;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; dal_list_entry("formulation", k, &name, &title); k++) {
            char why[600];
            dal_system *system = try_compile(text, families[f], name, why); /* some need a regular mass matrix, or freedoms */
            if (!system)
                continue;
            dal_evidence evidence;
            dal_state *states[2] = {dal_state_create(NULL, system), run(system, &evidence)};
            assert_int_equal(dal_state_evaluate(states[0], NULL), DAL_OK);
            assert_int_equal(evidence.info.freedoms, 0);
            for (int i = 0; i < 2; i++) {
                double force[3], torque[3];
                dal_state_reaction(states[i], 0, force, torque);
                check_close(torque[2], effort_of_crank(i ? 0.73 : 0), 1e-8); /* the run holds rows and rates to 1e-10 */
                dal_state_free(states[i]);
            }
            dal_system_free(system);
            solved++;
        }
    assert_true(solved >= 2 * FAMILIES); /* lagrange and udwadia-phohomsiri at least */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_held_by_a_constraint_accelerates_as_the_constraint_says),
        cmocka_unit_test(a_loop_in_a_skew_plane_moves_as_in_the_plane),
        cmocka_unit_test(a_leg_closed_by_a_hinge_has_one_freedom_and_by_a_weld_none),
        cmocka_unit_test(a_leg_of_many_loops_walks_without_drifting),
        cmocka_unit_test(a_double_scott_russell_linkage_in_space_runs_and_names_what_is_redundant),
        cmocka_unit_test(a_loaded_loop_opens_by_nothing),
        cmocka_unit_test(a_wrong_number_of_speeds_is_refused_with_both_numbers),
        cmocka_unit_test(a_rolling_wheel_goes_round_on_its_circle),
        cmocka_unit_test(a_disc_that_lies_flat_is_refused_by_name),
        cmocka_unit_test(a_crank_starts_from_its_dead_centre),
        cmocka_unit_test(what_a_dead_centre_leaves_open_is_told),
        cmocka_unit_test(friction_does_not_break_a_pair_of_gears),
        cmocka_unit_test(a_self_locking_screw_keeps_its_gear),
        cmocka_unit_test(the_effort_of_a_drive_holds_what_the_loop_asks_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
