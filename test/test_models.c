/* Models inside models: an included part is the same as its elements written out by hand, wherever its ground lies. */
#include "gallery.h"
#include "ration.h"
#include "state/windings.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- a folder of model files ------------------------------------------------ */

typedef struct folder {
    char path[64];
} folder;

static folder open_folder(void)
{
    folder f = {"/tmp/dalembert-models-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    char parts[100];
    snprintf(parts, sizeof parts, "%s/parts", f.path);
    assert_int_equal(mkdir(parts, 0700), 0);
    return f;
}

static void close_folder(const folder *f)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", f->path);
    assert_int_equal(system(command), 0);
}

static void put_file(const folder *f, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* ---- a compiled model -------------------------------------------------------- */

typedef struct compiled {
    dal_messages *messages;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    dal_status status;
} compiled;

static compiled compile_with(const folder *f, const char *name, int n, const dal_override *overrides)
{
    compiled c = {.messages = dal_messages_create(NULL)};
    char path[300];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    c.status = dal_spec_read(NULL, path, n, overrides, c.messages, &c.spec);
    if (c.status == DAL_OK) {
        dal_spec_set(c.spec, "stabilization", "direct-correction=1e-12", c.messages);
        c.status = dal_compile(NULL, c.spec, c.messages, &c.system);
    }
    if (c.status == DAL_OK)
        c.state = dal_state_create(NULL, c.system);
    return c;
}

static void let_go(compiled *c)
{
    dal_state_free(c->state);
    dal_system_free(c->system);
    dal_spec_free(c->spec);
    dal_messages_free(c->messages);
}

static compiled compile_well(const folder *f, const char *name)
{
    compiled c = compile_with(f, name, 0, NULL);
    for (const dal_message *m = dal_messages_first(c.messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            fail_msg("%s:%d:%d: %s", m->mark.file, m->mark.line, m->mark.column, m->text);
    assert_int_equal(c.status, DAL_OK);
    return c;
}

/* The first message of this severity holds this text, at this place. */
static void expect_message(const compiled *c, dal_severity severity, const char *file, int line, int column, const char *text)
{
    for (const dal_message *m = dal_messages_first(c->messages); m; m = m->next) {
        if (m->severity != severity)
            continue;
        size_t head = strlen(m->mark.file ? m->mark.file : ""), tail = strlen(file);
        if (!strstr(m->text, text) || m->mark.line != line || m->mark.column != column || head < tail || strcmp(m->mark.file + head - tail, file))
            fail_msg("%s:%d:%d: %s\n  instead of %s:%d:%d: %s", m->mark.file, m->mark.line, m->mark.column, m->text, file, line, column, text);
        return;
    }
    fail_msg("not said: %s", text);
}

static void refuses(const folder *f, const char *name, const char *file, int line, int column, const char *text)
{
    compiled c = compile_with(f, name, 0, NULL);
    assert_int_equal(c.status, DAL_BAD_MODEL);
    expect_message(&c, DAL_ERROR, file, line, column, text);
    let_go(&c);
}

/* ---- the same motion ---------------------------------------------------------- */

static void same_vector(const char *what, const char *name, int n, const double *a, const double *b, double scale)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * scale)) /* rounding, magnified by the condition of the mass matrix */
            fail_msg("%s of %s, component %d: %.17g and %.17g", what, name, i, a[i], b[i]);
}

/* Names of bodies in `a` and in `b`, by turns; NULL behind the last. The same for joints. */
static void same_motion(const compiled *a, const compiled *b, const char *const *bodies, const char *const *joints)
{
    double force[2][3], torque[2][3], large = 1;
    assert_int_equal(dal_state_evaluate(a->state, NULL), DAL_OK);
    assert_int_equal(dal_state_evaluate(b->state, NULL), DAL_OK);
    for (int i = 0; bodies[i]; i += 2) {
        int p = dal_system_body(a->system, bodies[i]), q = dal_system_body(b->system, bodies[i + 1]);
        if (p < 0 || q < 0)
            fail_msg("there is no body %s", bodies[p < 0 ? i : i + 1]);
        const dal_motion m = dal_state_body(a->state, p), n = dal_state_body(b->state, q);
        for (int k = 0; k < 3; k++)
            large = fmax(large, fmax(fabs(m.acceleration[k]), fabs(m.alpha[k])));
        same_vector("position", bodies[i], 3, m.position, n.position, 1);
        same_vector("rotation", bodies[i], 9, m.rotation, n.rotation, 1);
        same_vector("velocity", bodies[i], 3, m.velocity, n.velocity, 10);
        same_vector("omega", bodies[i], 3, m.omega, n.omega, 10);
        same_vector("acceleration", bodies[i], 3, m.acceleration, n.acceleration, large);
        same_vector("alpha", bodies[i], 3, m.alpha, n.alpha, large);
    }
    for (int i = 0; joints[i]; i += 2) {
        int p = dal_system_joint(a->system, joints[i]), q = dal_system_joint(b->system, joints[i + 1]);
        assert_true(p >= 0 && q >= 0);
        dal_state_reaction(a->state, p, force[0], torque[0]);
        dal_state_reaction(b->state, q, force[1], torque[1]);
        same_vector("force", joints[i], 3, force[0], force[1], 10 * large);
        same_vector("torque", joints[i], 3, torque[0], torque[1], 10 * large);
    }
    const dal_energy e = dal_state_energy(a->state), g = dal_state_energy(b->state);
    check_close(e.kinetic, g.kinetic, 1e-10 * (1 + fabs(g.kinetic)));
    check_close(e.potential, g.potential, 1e-10 * (1 + fabs(g.potential)));
}

/* At the start, and at random states: bodies stand in the same order in both. */
static void same_everywhere(const compiled *a, const compiled *b, const char *const *bodies, const char *const *joints)
{
    uint64_t seed = 11;
    same_motion(a, b, bodies, joints);
    assert_int_equal(a->system->n_y, b->system->n_y);
    for (int i = 0; i < 5; i++) {
        assert_true(gallery_random_state(a->state, &seed, 0.3 * i, 0.1, 2));
        dal_state_set_time(b->state, dal_state_time(a->state));
        memcpy(dal_state_y(b->state), dal_state_y(a->state), sizeof(double) * (size_t)a->system->n_y);
        dal_state_unpack(b->state, dal_state_time(a->state), b->state->y);
        dal_state_position(b->state);
        dal_state_unwind(b->state);
        same_motion(a, b, bodies, joints);
    }
}

/* ---- in the plane --------------------------------------------------------------- */

static const char planar_arm[] = "dalembert: 1\n"
                                 "space: planar\n"
                                 "parameters: {k: 3, l: 0.7, up: 0.31}\n"
                                 "define: {pull: k*shoulder.angle + 0.2*lag}\n"
                                 "gravity: [1.5, 0]\n"
                                 "ground: {points: {S: [0.11, -0.23], T: {at: [0.4, up], x: [1, 2]}}}\n"
                                 "tables: {lift: {x: [-9, 0, 9], y: [-2, 0.3, 2.5], smooth: 1, outside: hold}}\n"
                                 "inputs: {u: 0.4*k}\n"
                                 "states: {lag: {start: up, rate: \"shoulder.angle - lag\"}}\n"
                                 "bodies:\n"
                                 "  upper: {mass: 1.3, inertia: 0.17, position: [0.11 + l/2*cos(0.4), -0.23 + l/2*sin(0.4)], angle: 0.4, "
                                 "velocity: [0, 0.2], rate: 0.6,\n"
                                 "          points: {A: [-l/2, 0], B: [l/2, 0]}}\n"
                                 "  fore: {mass: 0.8, inertia: 0.09, points: {A: [-l/2, 0], B: [l/2, 0.05]}}\n"
                                 "  bob: {mass: 0.5, position: [1.2, 0.2]}\n"
                                 "joints:\n"
                                 "  shoulder: {type: revolute, connect: [ground.S, upper.A]}\n"
                                 "  elbow: {type: revolute, connect: [upper.B, fore.A], start: {angle: -0.9, rate: 0.3}}\n"
                                 "  rail: {type: pin-in-slot, connect: [ground.T, bob], axis: [1, 0.3]}\n"
                                 "forces:\n"
                                 "  muscle: {type: torque, joint: shoulder, value: \"-pull + interp(lift, fore.B.y - ground.T.y)\"}\n"
                                 "  cord: {type: spring-damper, connect: [ground.T, fore.B], stiffness: 7*k, damping: 0.3, length: 0.2}\n"
                                 "  tie: {type: spring-damper, connect: [bob, fore], stiffness: 5, damping: 0.2, length: 0.1}\n"
                                 "  wind: {type: force, body: fore.B, axes: world, value: [u, 0.7*lag]}\n"
                                 "simulate: {until: 1, step: 1e-3}\n"
                                 "record: [pull, cord.length]\n";

static const char planar_trunk[] = "dalembert: 1\n"
                                   "space: planar\n"
                                   "gravity: [0, -9.81]\n"
                                   "parameters: {stiff: 4, l: 99}\n"
                                   "bodies:\n"
                                   "  trunk: {mass: 5, inertia: 1.1, position: [0.3, 0.8], angle: 0.27, velocity: [0.4, -0.3], rate: 0.5,\n"
                                   "          points: {foot: [0, -0.6], L: {at: [-0.3, 0.5], x: [-1, 0.4]}, R: [0.35, 0.45]}}\n";

static const char planar_included[] =
    "joints:\n"
    "  guide: {type: driven, body: trunk, coordinate: y, value: 0.8 - 0.3*t}\n"
    "forces:\n"
    "  rope: {type: spring-damper, connect: [left.fore.B, right.fore.B], stiffness: 6 + left.k, damping: 0.1, length: 0.9}\n"
    "models:\n"
    "  left: {file: parts/arm.yaml, ground: trunk.L, set: {k: 2*stiff, up: 0.22}}\n"
    "  right: {file: parts/arm.yaml, ground: trunk.R}\n"
    "record: [left.shoulder.angle, left.pull, left.fore.B.x, right.cord.length, left.ground.T.x]\n";

typedef struct frame {
    double x, y, angle;
} frame;

static frame behind(frame f, double x, double y, double angle)
{
    return (frame){f.x + cos(f.angle) * x - sin(f.angle) * y, f.y + sin(f.angle) * x + cos(f.angle) * y, f.angle + angle};
}

/* One arm as elements of the whole model: `at` is its ground in the axes of the trunk. */
static void write_arm(char *points, char *bodies, char *joints, char *forces, char *states, const char *p, frame at, double k, double up)
{
    const double l = 0.7, vx = 0.4, vy = -0.3, w = 0.5;
    const frame trunk = {0.3, 0.8, 0.27}, ground = behind(trunk, at.x, at.y, at.angle);
    const frame S = behind(at, 0.11, -0.23, 0), T = behind(at, 0.4, up, atan2(2, 1));
    const frame upper = behind(ground, 0.11 + l / 2 * cos(0.4), -0.23 + l / 2 * sin(0.4), 0.4), bob = behind(ground, 1.2, 0.2, 0);
    const double ux = vx - w * (upper.y - trunk.y) - sin(ground.angle) * 0.2, uy = vy + w * (upper.x - trunk.x) + cos(ground.angle) * 0.2;
    const double rail = at.angle + atan2(0.3, 1); /* in the axes of the ground */
    sprintf(points + strlen(points),
            ", %sS: {at: [%.17g, %.17g], x: [%.17g, %.17g]}, %sT: [%.17g, %.17g], %sV: {at: [%.17g, %.17g], x: [%.17g, %.17g]}", p, S.x, S.y,
            cos(at.angle), sin(at.angle), p, T.x, T.y, p, T.x, T.y, cos(rail), sin(rail));
    sprintf(bodies + strlen(bodies),
            "  %supper: {mass: 1.3, inertia: 0.17, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g], rate: %.17g,\n"
            "            points: {A: {at: [-0.35, 0], x: [1, 0]}, B: [0.35, 0]}}\n"
            "  %sfore: {mass: 0.8, inertia: 0.09, points: {A: [-0.35, 0], B: [0.35, 0.05]}}\n"
            "  %sbob: {mass: 0.5, position: [%.17g, %.17g]}\n",
            p, upper.x, upper.y, upper.angle, ux, uy, w + 0.6, p, p, bob.x, bob.y);
    sprintf(joints + strlen(joints),
            "  %sshoulder: {type: revolute, connect: [trunk.%sS, %supper.A]}\n"
            "  %selbow: {type: revolute, connect: [%supper.B, %sfore.A], start: {angle: -0.9, rate: 0.3}}\n"
            "  %srail: {type: pin-in-slot, connect: [trunk.%sV, %sbob]}\n",
            p, p, p, p, p, p, p, p, p);
    sprintf(forces + strlen(forces),
            "  %smuscle: {type: torque, joint: %sshoulder, value: \"-(%.17g*(%supper.angle - trunk.angle - %.17g) + 0.2*%slag) + "
            "interp(lift, %sfore.B.y - trunk.%sT.y)\"}\n"
            "  %scord: {type: spring-damper, connect: [trunk.%sT, %sfore.B], stiffness: %.17g, damping: 0.3, length: 0.2}\n"
            "  %stie: {type: spring-damper, connect: [%sbob, %sfore], stiffness: 5, damping: 0.2, length: 0.1}\n"
            "  %swind: {type: force, body: %sfore.B, axes: world, value: [%.17g, 0.7*%slag]}\n",
            p, p, k, p, at.angle, p, p, p, p, p, p, 7 * k, p, p, p, p, p, 0.4 * k, p);
    sprintf(states + strlen(states), "%s%slag: {start: %.17g, rate: \"%supper.angle - trunk.angle - %.17g - %slag\"}", *states ? ", " : "", p, up, p,
            at.angle, p);
}

static void write_planar_by_hand(const folder *f)
{
    char points[2000] = "", bodies[4000] = "", joints[4000] = "", forces[4000] = "", states[1000] = "", text[20000];
    write_arm(points, bodies, joints, forces, states, "l", (frame){-0.3, 0.5, atan2(0.4, -1)}, 8, 0.22);
    write_arm(points, bodies, joints, forces, states, "r", (frame){0.35, 0.45, 0}, 3, 0.31);
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
             "tables: {lift: {x: [-9, 0, 9], y: [-2, 0.3, 2.5], smooth: 1, outside: hold}}\n"
             "states: {%s}\n"
             "bodies:\n"
             "  trunk: {mass: 5, inertia: 1.1, position: [0.3, 0.8], angle: 0.27, velocity: [0.4, -0.3], rate: 0.5, points: {foot: [0, "
             "-0.6]%s}}\n%s"
             "joints:\n%s  guide: {type: driven, body: trunk, coordinate: y, value: 0.8 - 0.3*t}\n"
             "forces:\n  rope: {type: spring-damper, connect: [lfore.B, rfore.B], stiffness: 14, damping: 0.1, length: 0.9}\n%s",
             states, points, bodies, joints, forces);
    put_file(f, "hand.yaml", text);
}

static void arms_on_a_trunk_are_the_model_written_out(void **unused)
{
    static const char *const bodies[] = {"trunk",       "trunk",  "left.upper", "lupper", "left.fore", "lfore", "left.bob", "lbob",
                                         "right.upper", "rupper", "right.fore", "rfore",  "right.bob", "rbob",  NULL};
    static const char *const joints[] = {"left.shoulder", "lshoulder",      "left.elbow", "lelbow",      "left.rail",
                                         "lrail",         "right.shoulder", "rshoulder",  "right.elbow", "relbow",
                                         "right.rail",    "rrail",          "guide",      "guide",       NULL};
    (void)unused;
    folder f = open_folder();
    char text[4000];
    snprintf(text, sizeof text, "%s%s", planar_trunk, planar_included);
    put_file(&f, "whole.yaml", text);
    put_file(&f, "parts/arm.yaml", planar_arm);
    write_planar_by_hand(&f);
    compiled whole = compile_well(&f, "whole.yaml"), hand = compile_well(&f, "hand.yaml"), alone = compile_well(&f, "parts/arm.yaml");
    same_everywhere(&whole, &hand, bodies, joints);
    expect_message(&whole, DAL_NOTE, "whole.yaml", 13, 3, "gravity, simulate and record of 'parts/arm.yaml' are ignored");
    assert_int_equal(whole.system->n_columns, 6);
    assert_string_equal(whole.system->columns[1].name, "left.shoulder.angle");
    assert_int_equal(dal_system_body(alone.system, "upper"), 0);
    assert_true(dal_state_set_input(whole.state, "left.u", 1));
    assert_false(dal_state_set_input(whole.state, "u", 1));
    let_go(&whole);
    let_go(&hand);
    let_go(&alone);
    close_folder(&f);
}

/* ---- in space ------------------------------------------------------------------- */

/* Columns x, y, z: x along `a` exactly, z along `b` made orthogonal. */
static void axes_of(const double a[3], const double b[3], double R[9])
{
    double x[3], z[3], n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), d = 0;
    for (int i = 0; i < 3; i++)
        d += (x[i] = a[i] / n) * b[i];
    n = 0;
    for (int i = 0; i < 3; i++)
        z[i] = b[i] - d * x[i], n += z[i] * z[i];
    for (int i = 0; i < 3; i++)
        z[i] /= sqrt(n);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        R[3 * i] = x[i];
        R[3 * i + 1] = z[j] * x[k] - z[k] * x[j];
        R[3 * i + 2] = z[i];
    }
}

static void turned(const double R[9], double x, double y, double z, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z;
}

static const char spatial_leg[] =
    "dalembert: 1\n"
    "space: spatial\n"
    "ground: {points: {P: [0.1, 0.2, -0.1], Q: {at: [0, 0.5, 0.3], x: [1, 0.2, 0], z: [0, 0.4, 1]}}}\n"
    "bodies:\n"
    "  thigh: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.015], position: [0.1, 0.2, -0.6], orientation: {x: [1, 0.1, 0], z: [0, "
    "0.2, 1]},\n"
    "          velocity: [0.1, 0.2, 0.3], angular-velocity: {body: [0.4, -0.2, 0.1]}, points: {A: [0, 0, 0.5], K: [0, 0.02, -0.5]}}\n"
    "  shank: {mass: 1.1, inertia: [0.1, 0.12, 0.05], position: [0.1, 0.3, -1.5], orientation: {x: [1, 0, 0], z: [0, 0, 1]}, points: {K: "
    "[0, 0, 0.4], C: [0.1, 0, -0.4]}}\n"
    "  puck: {mass: 0.7, inertia: [0.01, 0.02, 0.03], position: [0.4, 0.9, 0.1], orientation: {x: [1, 0, 0], z: [0, 0, 1]}}\n"
    "joints:\n"
    "  hip: {type: universal, connect: [ground.P, thigh.A], axis: [[1, 0.2, 0.1], [0.1, 1, -0.2]]}\n"
    "  knee: {type: revolute, connect: [thigh.K, shank.K], axis: [0, 1, 0.1]}\n"
    "  slide: {type: cylindrical, connect: [ground.Q, puck], axis: [0.3, 1, 0.2]}\n"
    "  stop: {type: point-on-plane, connect: [ground, shank.C], axis: [0.1, 0.3, 1]}\n"
    "forces:\n"
    "  band: {type: spring-damper, connect: [ground.Q, shank.C], stiffness: 30, damping: 0.7, length: 0.5}\n"
    "  mount: {type: bushing, connect: [ground.Q, puck], stiffness: [1, 2, 3, 4, 5, 6], damping: [0.1, 0.2, 0.1, 0.1, 0, 0.1]}\n"
    "  twist: {type: torque, connect: [thigh, ground], axes: body, value: [0.3, -0.2, 0.7*cos(t)]}\n";

static void legs_in_skew_frames_are_the_model_written_out(void **unused)
{
    static const char *const bodies[] = {"trunk", "trunk", "leg.thigh", "thigh", "leg.shank", "shank", "leg.puck", "puck", NULL};
    static const char *const joints[] = {"leg.hip", "hip", "leg.knee", "knee", "leg.slide", "slide", "leg.stop", "stop", NULL};
    const double r0[3] = {0.4, -0.2, 0.9}, L[3] = {0.2, -0.1, -0.3}, v0[3] = {0.3, 0.1, -0.2}, w0[3] = {0.2, -0.5, 0.4};
    double R0[9], E[9], W[9], P[3], Q[3], Qx[3], Qz[3], a[3], normal[3], slide[3], origin[3], p[3], r[3][3], x[3], z[3], own[9], v[3], w[3];
    (void)unused;
    folder f = open_folder();
    char text[8000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: spatial\ngravity: [0.3, 0, -9.81]\nbodies:\n"
             "  trunk: {mass: 8, inertia: [1, 0.8, 0.9], position: [0.4, -0.2, 0.9], orientation: {x: [1, 0.3, -0.2], z: [0.1, 0, 1]},\n"
             "          velocity: [0.3, 0.1, -0.2], angular-velocity: [0.2, -0.5, 0.4],\n"
             "          points: {L: {at: [0.2, -0.1, -0.3], x: [0.2, 1, 0.1], z: [-0.3, 0, 1]}}}\n"
             "models: {leg: {file: parts/leg.yaml, ground: trunk.L}}\n");
    put_file(&f, "whole.yaml", text);
    put_file(&f, "parts/leg.yaml", spatial_leg);
    axes_of((double[]){1, 0.3, -0.2}, (double[]){0.1, 0, 1}, R0);
    axes_of((double[]){0.2, 1, 0.1}, (double[]){-0.3, 0, 1}, E);
    for (int i = 0; i < 9; i++)
        W[i] = R0[3 * (i / 3)] * E[i % 3] + R0[3 * (i / 3) + 1] * E[3 + i % 3] + R0[3 * (i / 3) + 2] * E[6 + i % 3];
    turned(E, 0.1, 0.2, -0.1, P);
    turned(E, 0, 0.5, 0.3, Q);
    turned(E, 1, 0.2, 0, Qx);
    turned(E, 0, 0.4, 1, Qz);
    turned(E, 1, 0.2, 0.1, a);
    turned(E, 0.1, 0.3, 1, normal);
    turned(E, 0.3, 1, 0.2, slide);
    turned(R0, L[0], L[1], L[2], origin);
    const double given[3][3] = {{0.1, 0.2, -0.6}, {0.1, 0.3, -1.5}, {0.4, 0.9, 0.1}};
    for (int k = 0; k < 3; k++) {
        turned(W, given[k][0], given[k][1], given[k][2], p);
        for (int i = 0; i < 3; i++)
            r[k][i] = r0[i] + origin[i] + p[i];
    }
    turned(W, 1, 0.1, 0, x);
    turned(W, 0, 0.2, 1, z);
    axes_of(x, z, own);
    turned(W, 0.1, 0.2, 0.3, v);
    turned(own, 0.4, -0.2, 0.1, w);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] += v0[i] + w0[j] * (r[0][k] - r0[k]) - w0[k] * (r[0][j] - r0[j]);
        w[i] += w0[i];
    }
    const double Wx[3] = {W[0], W[3], W[6]}, Wz[3] = {W[2], W[5], W[8]};
#define V "[%.17g, %.17g, %.17g]"
#define OF(u) (u)[0], (u)[1], (u)[2]
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: spatial\ngravity: [0.3, 0, -9.81]\nbodies:\n"
             "  trunk: {mass: 8, inertia: [1, 0.8, 0.9], position: [0.4, -0.2, 0.9], orientation: {x: [1, 0.3, -0.2], z: [0.1, 0, 1]},\n"
             "          velocity: [0.3, 0.1, -0.2], angular-velocity: [0.2, -0.5, 0.4],\n"
             "          points: {P: [0.2 + %.17g, -0.1 + %.17g, -0.3 + %.17g], L: [0.2, -0.1, -0.3], Q: {at: [0.2 + %.17g, -0.1 + %.17g, "
             "-0.3 + %.17g], x: " V ", z: " V "}}}\n"
             "  thigh: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.015], position: " V ", orientation: {x: " V ", z: " V "},\n"
             "          velocity: " V ", angular-velocity: " V ", points: {A: [0, 0, 0.5], K: [0, 0.02, -0.5]}}\n"
             "  shank: {mass: 1.1, inertia: [0.1, 0.12, 0.05], position: " V ", orientation: {x: " V ", z: " V
             "}, points: {K: [0, 0, 0.4], C: [0.1, 0, -0.4]}}\n"
             "  puck: {mass: 0.7, inertia: [0.01, 0.02, 0.03], position: " V ", orientation: {x: " V ", z: " V "}}\n"
             "joints:\n"
             "  hip: {type: universal, connect: [trunk.P, thigh.A], axis: [" V ", [0.1, 1, -0.2]]}\n"
             "  knee: {type: revolute, connect: [thigh.K, shank.K], axis: [0, 1, 0.1]}\n"
             "  slide: {type: cylindrical, connect: [trunk.Q, puck], axis: " V "}\n"
             "  stop: {type: point-on-plane, connect: [trunk.L, shank.C], axis: " V "}\n"
             "forces:\n"
             "  band: {type: spring-damper, connect: [trunk.Q, shank.C], stiffness: 30, damping: 0.7, length: 0.5}\n"
             "  mount: {type: bushing, connect: [trunk.Q, puck], stiffness: [1, 2, 3, 4, 5, 6], damping: [0.1, 0.2, 0.1, 0.1, 0, 0.1]}\n"
             "  twist: {type: torque, connect: [trunk, thigh], axes: body, value: [-0.3, 0.2, -0.7*cos(t)]}\n",
             OF(P), OF(Q), OF(Qx), OF(Qz), OF(r[0]), OF(x), OF(z), OF(v), OF(w), OF(r[1]), OF(Wx), OF(Wz), OF(r[2]), OF(Wx), OF(Wz), OF(a), OF(slide),
             OF(normal));
    put_file(&f, "hand.yaml", text);
    compiled whole = compile_well(&f, "whole.yaml"), hand = compile_well(&f, "hand.yaml");
    same_everywhere(&whole, &hand, bodies, joints);
    let_go(&whole);
    let_go(&hand);
    close_folder(&f);
}

/* ---- models in models in models --------------------------------------------------- */

static const char foot[] = "dalembert: 1\nspace: planar\nparameters: {m: 0.3, n: 2}\n"
                           "ground: {points: {H: [0.05, 0]}}\n"
                           "bodies:\n"
                           "  toe: {repeat: {i: 1..n}, mass: m*i, inertia: 0.01*i, points: {A: [-0.1, 0], B: [0.1, 0]}}\n"
                           "joints:\n"
                           "  ankle: {type: revolute, connect: [ground.H, toe.1.A], start: {angle: 0.4, rate: 1}}\n"
                           "  pad: {repeat: {i: 2..n}, type: revolute, connect: [\"toe.{i-1}.B\", toe.{i}.A], start: {angle: 0.1*i}}\n"
                           "forces: {spring: {type: torque, joint: ankle, value: -m*toe.1.angle}}\n";
static const char shank[] = "bodies: {shank: {mass: 1, inertia: 0.08, points: {K: [-0.3, 0], F: {at: [0.3, 0.02], x: [1, 1]}}}}\n"
                            "joints: {knee: {type: revolute, connect: [ground, shank.K], start: {angle: -1.1}}}\n";

static void a_part_of_a_part_is_a_part(void **unused)
{
    static const char *const bodies[] = {"left.shank", "left.shank",      "left.foot.toe.1", "foot.toe.1", "left.foot.toe.2",
                                         "foot.toe.2", "left.foot.toe.3", "foot.toe.3",      NULL};
    static const char *const joints[] = {"left.knee", "left.knee", "left.foot.ankle", "foot.ankle", "left.foot.pad.3", "foot.pad.3", NULL};
    static const char head[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {A: {at: [0.2, 0.7], x: [1, -0.3]}}}\nmodels:\n";
    (void)unused;
    folder f = open_folder();
    char text[2000];
    put_file(&f, "parts/foot.yaml", foot);
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\nparameters: {w: 0.2}\n%smodels: {foot: {file: ./foot.yaml, ground: shank.F, set: {m: 2*w, n: 3}}}\n",
             shank);
    put_file(&f, "parts/leg.yaml", text);
    snprintf(text, sizeof text, "dalembert: 1\nspace: planar\n%s", shank);
    put_file(&f, "parts/bare.yaml", text);
    snprintf(text, sizeof text, "%s  left: {file: parts/../parts/leg.yaml, ground: ground.A, set: {w: 0.45}}\n", head);
    put_file(&f, "nested.yaml", text);
    snprintf(text, sizeof text,
             "%s  foot: {file: parts/foot.yaml, ground: left.shank.F, set: {m: 0.9, n: 3}}\n  left: {file: parts/bare.yaml, ground: ground.A}\n",
             head);
    put_file(&f, "beside.yaml", text);
    compiled nested = compile_well(&f, "nested.yaml"), beside = compile_well(&f, "beside.yaml");
    same_motion(&nested, &beside, bodies, joints);
    let_go(&nested);
    let_go(&beside);
    close_folder(&f);
}

/* Coordinates of a part: its bodies are placed by expressions in the axes of its ground. */
static void parts_may_have_coordinates_of_their_own(void **unused)
{
    static const char *const bodies[] = {"base", "base", "arm.rod", "rod", "arm.tip", "tip", NULL}, *const joints[] = {NULL};
    (void)unused;
    folder f = open_folder();
    put_file(&f, "parts/rod.yaml",
             "dalembert: 1\nspace: planar\nparameters: {l: 0.8}\ncoordinates: {th: {start: 0.3, rate: 0.7}}\n"
             "bodies:\n  rod: {mass: 1, inertia: 0.1, position: [l/2*cos(th), l/2*sin(th)], angle: th}\n"
             "  tip: {mass: 0.4, from: rod, position: [l/2, 0.1]}\n"
             "forces: {motor: {type: torque, coordinate: th, value: -3*th}}\n"
             "speeds: {u: 2*th'}\n");
    put_file(&f, "whole.yaml",
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ncoordinates: {x: {start: 0.2, rate: 0.4}, phi: {start: 0.5, rate: -0.6}}\n"
             "bodies: {base: {mass: 3, inertia: 0.5, position: [x, 0.1*x^2], angle: phi, points: {M: {at: [0.3, 0.4], x: [1, 2]}}}}\n"
             "models: {arm: {file: parts/rod.yaml, ground: base.M, set: {l: 0.9}}}\n"
             "speeds: {v: x', w: phi'}\n");
    put_file(&f, "hand.yaml",
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {l: 0.9, a: \"atan2(2, 1)\"}\n"
             "coordinates: {x: {start: 0.2, rate: 0.4}, phi: {start: 0.5, rate: -0.6}, th: {start: 0.3, rate: 0.7}}\n"
             "bodies:\n  base: {mass: 3, inertia: 0.5, position: [x, 0.1*x^2], angle: phi}\n"
             "  rod: {mass: 1, inertia: 0.1, from: base, position: [0.3 + l/2*cos(th + a), 0.4 + l/2*sin(th + a)], angle: th + a}\n"
             "  tip: {mass: 0.4, from: rod, position: [l/2, 0.1]}\n"
             "forces: {motor: {type: torque, coordinate: th, value: -3*th}}\n"
             "speeds: {v: x', w: phi', u: 2*th'}\n");
    compiled whole = compile_well(&f, "whole.yaml"), hand = compile_well(&f, "hand.yaml");
    same_everywhere(&whole, &hand, bodies, joints);
    let_go(&whole);
    let_go(&hand);
    close_folder(&f);
}

/* ---- parameters -------------------------------------------------------------------- */

static double mass_of(const compiled *c, const char *body)
{
    int b = dal_system_body(c->system, body);
    assert_true(b >= 0);
    return c->system->mechanism.bodies[b].mass;
}

static void parameters_are_set_from_outside(void **unused)
{
    (void)unused;
    folder f = open_folder();
    put_file(&f, "parts/inner.yaml", "dalembert: 1\nspace: planar\nparameters: {m: 1, twice: 2*m}\nbodies: {b: {mass: twice}}\n");
    put_file(&f, "parts/outer.yaml",
             "dalembert: 1\nspace: planar\nparameters: {m: 3}\nbodies: {b: {mass: m}}\nmodels: {in: {file: inner.yaml, set: {m: m + 1}}}\n");
    put_file(&f, "whole.yaml",
             "dalembert: 1\nspace: planar\nparameters: {m: 7}\nbodies: {b: {mass: part.m + part.in.twice}}\n"
             "models: {part: {file: parts/outer.yaml, set: {m: m/2}}, other: {file: parts/outer.yaml}}\n");
    compiled c = compile_well(&f, "whole.yaml");
    assert_true(mass_of(&c, "part.b") == 3.5 && mass_of(&c, "part.in.b") == 9 && mass_of(&c, "b") == 12.5);
    assert_true(mass_of(&c, "other.b") == 3 && mass_of(&c, "other.in.b") == 8);
    char hash[17];
    memcpy(hash, c.spec->hash, sizeof hash);
    let_go(&c);
    const dal_override set[] = {{"m", "10"}, {"part.in.m", "m/4"}, {"other.m", "5"}};
    c = compile_with(&f, "whole.yaml", 3, set);
    assert_int_equal(c.status, DAL_OK);
    assert_true(mass_of(&c, "part.b") == 5 && mass_of(&c, "part.in.b") == 5 && mass_of(&c, "other.b") == 5 && mass_of(&c, "other.in.b") == 12);
    let_go(&c);
    const dal_override wrong[] = {{"part.in.n", "1"}}, nowhere[] = {{"prt.m", "1"}};
    c = compile_with(&f, "whole.yaml", 1, wrong);
    expect_message(&c, DAL_ERROR, "--set part.in.n=1", 0, 1, "inner.yaml' has no parameter 'n'");
    let_go(&c);
    c = compile_with(&f, "whole.yaml", 1, nowhere);
    expect_message(&c, DAL_ERROR, "--set prt.m=1", 0, 1, "the model has no parameter 'prt.m'");
    let_go(&c);
    put_file(&f, "parts/inner.yaml", "dalembert: 1\nspace: planar\nparameters: {m: 1, twice: 2*m}\nbodies: {b: {mass: twice}} # the same\n");
    c = compile_well(&f, "whole.yaml");
    assert_string_not_equal(hash, c.spec->hash); /* it covers included files */
    let_go(&c);
    close_folder(&f);
}

/* ---- what is refused ------------------------------------------------------------------ */

static void faults_are_told_where_they_stand(void **unused)
{
    (void)unused;
    folder f = open_folder();
#define HEAD "dalembert: 1\nspace: planar\n"
    put_file(&f, "parts/good.yaml",
             HEAD "parameters: {k: 1}\nbodies: {b: {mass: k, inertia: 1}}\njoints: {j: {type: revolute, connect: [ground, b]}}\n");
    put_file(&f, "parts/bad.yaml", HEAD "bodies: {b: {mass: 1, color: red}}\n");
    put_file(&f, "parts/yaml.yaml", HEAD "bodies: [\n");
    put_file(&f, "parts/scope.yaml", HEAD "bodies: {b: {mass: 1}}\nforces: {f: {type: force, body: b, value: [outer.x, b.x]}}\n");
    put_file(&f, "parts/join.yaml", HEAD "bodies: {b: {mass: 1, inertia: 1}}\njoints: {j: {type: revolute, connect: [grond, b]}}\n");
    put_file(&f, "parts/space.yaml", "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1}}\n");
    put_file(&f, "parts/point.yaml", HEAD "ground: {points: {P: [1, 0]}}\nbodies: {b: {mass: 1, position: [ground.P.x, 0]}}\n");
    put_file(&f, "parts/a.yaml", HEAD "models: {b: {file: b.yaml}}\n");
    put_file(&f, "parts/b.yaml", HEAD "models:\n  again: {file: ../parts/a.yaml}\n");
    put_file(&f, "parts/main.yaml", HEAD "models: {up: {file: ../main.yaml}}\n");
    const struct {
        const char *models, *file, *text;
        int line, column;
    } cases[] = {
        {"{l: {file: parts/bad.yaml}}", "parts/bad.yaml", "body 'b' has no key 'color'", 3, 23},
        {"{l: {file: parts/yaml.yaml}}", "parts/yaml.yaml", "", 4, 1},
        {"{l: {file: parts/scope.yaml}}", "parts/scope.yaml", "unknown name 'outer.x'", 4, 44},
        {"{l: {file: parts/join.yaml}}", "parts/join.yaml", "there is no body 'l.grond' (did you mean 'l.ground'?)", 4, 40},
        {"{l: {file: parts/space.yaml}}", "parts/space.yaml", "this model is spatial", 2, 8},
        {"{l: {file: parts/point.yaml, ground: outer.P}}", "parts/point.yaml", "the ground of model 'l' lies at 'outer.P'", 4, 34},
        {"{l: {file: parts/none.yaml}}", "main.yaml", "the model 'parts/none.yaml' cannot be read: No such file", 4, 20},
        {"{l: {file: /etc/passwd.yaml}}", "main.yaml", "give a path relative to the model's folder", 4, 20},
        {"{l: {file: ../x.yaml}}", "main.yaml", "it leaves the model's folder", 4, 20},
        {"{l: {file: parts/../../x.yaml}}", "main.yaml", "it leaves the model's folder", 4, 20},
        {"{l: {file: parts}}", "main.yaml", "the model 'parts' cannot be read: a model is a .yaml, .yml, .json or .urdf file", 4, 20},
        {"{l: {file: parts/a.yaml}}", "parts/b.yaml", "models include one another in a circle: parts/a.yaml -> parts/b.yaml -> parts/a.yaml", 4, 17},
        {"{l: {file: main.yaml}}", "main.yaml", "models include one another in a circle: main.yaml -> main.yaml", 4, 20},
        {"{l: {file: parts/main.yaml}}", "parts/main.yaml", "main.yaml -> parts/main.yaml -> main.yaml", 3, 21},
        {"{l: {file: parts/good.yaml, set: {kk: 2}}}", "main.yaml", "has no parameter 'kk' (did you mean 'k'?)", 4, 43},
        {"{l: {file: parts/good.yaml, set: {k: outer}}}", "main.yaml", "a constant can use parameters only", 4, 46},
        {"{l: {file: parts/good.yaml, set: 3}}", "main.yaml", "'set' of model 'l' needs named entries", 4, 42},
        {"{l: {file: parts/good.yaml, ground: outter}}", "main.yaml", "there is no body 'outter' (did you mean 'outer'?)", 4, 45},
        {"{l: {file: parts/good.yaml, ground: outer.Z}}", "main.yaml", "'outer' has no point 'Z'", 4, 45},
        {"{l: {file: parts/good.yaml, ground: l.b}}", "main.yaml", "model 'l' stands on 'l.b', which stands on it", 4, 45},
        {"{l: {file: parts/good.yaml, ground: m.b}, m: {file: parts/good.yaml, ground: l.ground}}", "main.yaml", "model 'l' stands on 'm.b'", 4, 45},
        {"{l: {ground: outer}}", "main.yaml", "model 'l' has no 'file'", 4, 10},
        {"{l: parts/good.yaml}", "main.yaml", "needs named entries, as in {file: leg.yaml}", 4, 13},
        {"{outer: {file: parts/good.yaml}}", "main.yaml", "'outer' is already the name of the body at line 3, column 10", 4, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, HEAD "bodies: {outer: {mass: 1, inertia: 1, points: {P: [1, 2]}}}\nmodels: %s\n", cases[i].models);
        put_file(&f, "main.yaml", text);
        refuses(&f, "main.yaml", cases[i].file, cases[i].line, cases[i].column, cases[i].text);
    }
    close_folder(&f);
}

static void link_file(const folder *f, const char *target, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    assert_int_equal(symlink(target, path), 0);
}

/* Files outside are as good as those inside, and are not read. A folder that is reached through a link is itself no way out. */
static void links_do_not_lead_out_of_the_folder(void **unused)
{
    (void)unused;
    folder f = open_folder(), outside = open_folder();
    char target[100];
    folder twin = {""}; /* its name begins with that of the folder */
    put_file(&f, "parts/good.yaml", HEAD "bodies: {b: {mass: 1}}\n");
    put_file(&outside, "good.yaml", HEAD "bodies: {b: {mass: 1}}\n");
    put_file(&outside, "table.csv", "0,0\n1,1\n");
    snprintf(target, sizeof target, "%s/good.yaml", outside.path);
    snprintf(twin.path, sizeof twin.path, "%.50s-twin", f.path);
    assert_int_equal(symlink(outside.path, twin.path), 0);
    link_file(&f, target, "file.yaml");
    link_file(&f, outside.path, "away");
    link_file(&f, "parts", "here");
    link_file(&f, "../parts/good.yaml", "parts/again.yaml");
    snprintf(target, sizeof target, "%s/good.yaml", twin.path);
    link_file(&f, target, "twin.yaml");
    static const char *const refused[] = {"file.yaml", "away/good.yaml", "twin.yaml", "here/../away/good.yaml"};
    static const char *const read[] = {"here/good.yaml", "parts/again.yaml"};
    char text[300];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, HEAD "models: {l: {file: %s}}\n", refused[i]);
        put_file(&f, "main.yaml", text);
        refuses(&f, "main.yaml", "main.yaml", 3, 20, "a link leads out of the model's folder");
    }
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        snprintf(text, sizeof text, HEAD "models: {l: {file: %s}}\n", read[i]);
        put_file(&f, "main.yaml", text);
        compiled c = compile_well(&f, "main.yaml");
        let_go(&c);
    }
    put_file(&f, "main.yaml", HEAD "tables: {k: {file: away/table.csv}}\nbodies: {b: {mass: 1}}\n");
    refuses(&f, "main.yaml", "main.yaml", 3, 20, "a link leads out of the model's folder");
    assert_int_equal(unlink(twin.path), 0);
    put_file(&f, "main.yaml", HEAD "models: {l: {file: parts/good.yaml}}\n");
    assert_int_equal(symlink(f.path, twin.path), 0);
    compiled c = compile_well(&twin, "main.yaml");
    let_go(&c);
    assert_int_equal(unlink(twin.path), 0);
    close_folder(&f);
    close_folder(&outside);
}

/* What is right in a path stays: hints are about the word that is wrong, and another word is no misspelt one. */
static void hints_keep_what_is_right_in_a_path(void **unused)
{
    static const char *const cases[][2] = {
        {"b.lnk", "there is no body 'b.lnk' (did you mean 'b.link'?)"},
        {"b.lnk.P", "there is no body 'b.lnk.P' (did you mean 'b.link.P'?)"},
        {"arn.link", "there is no body 'arn.link' (did you mean 'arm.link'?)"},
        {"link", "there is no body 'link' (did you mean 'b.link'?)"},
        {"b", "there is no body 'b' (write which of its parts, as in 'b.link')"},
        {"b.c", "there is no body 'b.c'"},
        {"b.P", "there is no body 'b.P'"},
        {"c.b", "there is no body 'c.b'"},
        {"a.b", "there is no body 'a.b'"},
    };
    (void)unused;
    folder f = open_folder();
    put_file(&f, "parts/part.yaml", HEAD "bodies: {b: {mass: 1, inertia: 1}, link: {mass: 1, inertia: 1, points: {P: [1, 0]}}}\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 HEAD "models: {b: {file: parts/part.yaml}, arm: {file: parts/part.yaml}}\nbodies: {w: {mass: 1, inertia: 1}}\n"
                      "joints: {K: {type: revolute, connect: [%s, w]}}\n",
                 cases[i][0]);
        put_file(&f, "main.yaml", text);
        compiled c = compile_with(&f, "main.yaml", 0, NULL);
        assert_int_equal(c.status, DAL_BAD_MODEL);
        assert_string_equal(dal_messages_first(c.messages)->text, cases[i][1]);
        let_go(&c);
    }
    close_folder(&f);
}

static void a_text_without_a_folder_includes_nothing(void **unused)
{
    static const char text[] = HEAD "models: {l: {file: good.yaml}}\n";
    (void)unused;
    compiled c = {.messages = dal_messages_create(NULL)};
    assert_int_equal(dal_spec_parse(NULL, "text", text, sizeof text - 1, 0, NULL, c.messages, &c.spec), DAL_BAD_MODEL);
    expect_message(&c, DAL_ERROR, "text", 3, 20, "a model that does not come from a file cannot name one");
    let_go(&c);
}

/* Each file names the next one twice: 2^n parts at the depth n. */
static void an_avalanche_of_files_is_stopped(void **unused)
{
    (void)unused;
    folder f = open_folder();
    for (int i = 0; i < 20; i++) {
        char name[40], text[300];
        snprintf(name, sizeof name, "f%d.yaml", i);
        snprintf(text, sizeof text, HEAD "bodies: {b: {mass: 1}}\nmodels: {l: {file: f%d.yaml}, r: {file: f%d.yaml}}\n", i + 1, i + 1);
        put_file(&f, name, text);
    }
    compiled c = compile_with(&f, "f0.yaml", 0, NULL);
    assert_int_equal(c.status, DAL_BAD_MODEL);
    expect_message(&c, DAL_ERROR, "f16.yaml", 4, 20, "more than 16 models stand inside one another");
    let_go(&c);
    put_file(&f, "f12.yaml", HEAD "bodies: {b: {mass: 1}}\n");
    c = compile_with(&f, "f0.yaml", 0, NULL);
    assert_int_equal(c.status, DAL_BAD_MODEL);
    assert_non_null(strstr(dal_messages_first(c.messages)->text, "a model includes at most 1000 others"));
    let_go(&c);
    close_folder(&f);
}

static void memory_may_end_while_parts_are_read(void **unused)
{
    (void)unused;
    dal_status status = DAL_NO_MEMORY;
    for (int n = 0; status == DAL_NO_MEMORY; n++) {
        ration r = {n, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec;
        status = dal_spec_read(&allocator, DAL_MODELS "/two-arms.yaml", 0, NULL, messages, &spec);
        assert_true(status == DAL_NO_MEMORY || status == DAL_OK);
        dal_spec_free(spec);
        assert_int_equal(r.taken, 0);
        dal_messages_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_on_a_trunk_are_the_model_written_out),
        cmocka_unit_test(legs_in_skew_frames_are_the_model_written_out),
        cmocka_unit_test(a_part_of_a_part_is_a_part),
        cmocka_unit_test(parts_may_have_coordinates_of_their_own),
        cmocka_unit_test(parameters_are_set_from_outside),
        cmocka_unit_test(faults_are_told_where_they_stand),
        cmocka_unit_test(links_do_not_lead_out_of_the_folder),
        cmocka_unit_test(hints_keep_what_is_right_in_a_path),
        cmocka_unit_test(a_text_without_a_folder_includes_nothing),
        cmocka_unit_test(an_avalanche_of_files_is_stopped),
        cmocka_unit_test(memory_may_end_while_parts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
