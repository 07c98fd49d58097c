/* One body, one joint and the ground, connected by hand. Only the port header is included: whatever this file does, it does with port
 * variables; what is inside of a component cannot be named here. Numbers in brackets: `planar-component-library`. */
#include "component/port.h"

#include "check.h"

static const double gravity = 9.81;

static double uniform(uint64_t *seed, double from, double to)
{
    return from + (to - from) * (0.5 + 0.5 * check_random(seed));
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

/* x with A x = b, by Cramer's rule. */
static void solve3(const double A[9], const double b[3], double x[3])
{
    double c[3][3], normal[3];
    for (int i = 0; i < 9; i++)
        c[i % 3][i / 3] = A[i];
    cross(c[1], c[2], normal);
    const double det = dot(c[0], normal);
    for (int k = 0; k < 3; k++) {
        cross(c[(k + 1) % 3], c[(k + 2) % 3], normal);
        x[k] = dot(b, normal) / det;
    }
}

static const dal_port_place at_origin = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static dal_body_component *body_of(dal_arena *arena, dal_space space, const dal_body *body, bool parameters, int n_ports, const dal_port_place *ports)
{
    const dal_body_data data = {
        .space = space, .body = body, .parameters = parameters, .alpha = 3.1, .beta = 4.7, .n_ports = n_ports, .ports = ports};
    return dal_body_component_create(arena, &data);
}

/* ---- a body ---------------------------------------------------------------------------- */

static void ports_of_a_plane_body_move_as_19_25_and_27_say(void **unused)
{
    (void)unused;
    uint64_t seed = 3;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 20; run++) {
        const dal_body rod = {.name = "rod", .mass = uniform(&seed, 0.5, 2), .inertia = {[8] = uniform(&seed, 0.1, 0.4)}};
        const double xM = uniform(&seed, -1, 1), yM = uniform(&seed, -1, 1), turn = uniform(&seed, -3, 3);
        const dal_port_place place = {{xM, yM, 0}, {cos(turn), -sin(turn), 0, sin(turn), cos(turn), 0, 0, 0, 1}};
        const double q[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -3, 3)};
        const double v[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -3, 3)};
        const double a[3] = {uniform(&seed, -9, 9), uniform(&seed, -9, 9), uniform(&seed, -9, 9)};
        dal_body_component *body = body_of(&arena, DAL_PLANAR, &rod, false, 1, &place);
        dal_port_motion m;
        assert_int_equal(dal_body_component_velocities(body), 3);
        dal_body_component_place(body, q, v, NULL);
        dal_body_component_set(body, a);
        dal_body_component_publish(body, 0, &m);
        const double c = cos(q[2]), s = sin(q[2]);
        check_close(m.x[0], q[0] + xM * c - yM * s, 1e-14); /* (19) */
        check_close(m.x[1], q[1] + xM * s + yM * c, 1e-14);
        check_close(sin(atan2(m.R[3], m.R[0]) - q[2] - turn), 0, 1e-14);
        check_close(m.xd[0], v[0] - v[2] * (xM * s + yM * c), 1e-14); /* (25) */
        check_close(m.xd[1], v[1] + v[2] * (xM * c - yM * s), 1e-14);
        check_close(m.w[2], v[2], 0);
        check_close(m.xdd[0], a[0] - a[2] * (xM * s + yM * c) - v[2] * v[2] * (xM * c - yM * s), 1e-13); /* (27) */
        check_close(m.xdd[1], a[1] + a[2] * (xM * c - yM * s) - v[2] * v[2] * (xM * s + yM * c), 1e-13);
        check_close(m.wd[2], a[2], 0);
        check_close(m.x[2], 0, 0);
        check_close(m.xd[2], 0, 0);
        check_close(m.xdd[2], 0, 0);
    }
    dal_arena_release(&arena);
}

/* (5), (9), with the frame in the centre of mass, as there. */
static void a_plane_body_is_accelerated_by_the_wrenches_at_its_ports(void **unused)
{
    (void)unused;
    uint64_t seed = 5;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 20; run++) {
        const dal_body rod = {.name = "rod", .mass = uniform(&seed, 0.5, 2), .inertia = {[8] = uniform(&seed, 0.1, 0.4)}};
        dal_port_place place[2] = {at_origin, at_origin};
        const double q[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -3, 3)};
        const double v[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -3, 3)};
        double Qx = 0, Qy = -rod.mass * gravity, Qt = 0;
        const dal_port_wrench weight = {{0, Qy, 0}, {0, 0, 0}};
        for (int p = 0; p < 2; p++)
            for (int i = 0; i < 2; i++)
                place[p].s[i] = uniform(&seed, -1, 1);
        dal_body_component *body = body_of(&arena, DAL_PLANAR, &rod, false, 2, place);
        dal_body_component_place(body, q, v, NULL);
        dal_body_component_source(body, &weight, NULL);
        for (int p = 0; p < 2; p++) {
            const double Fx = uniform(&seed, -5, 5), Fy = uniform(&seed, -5, 5), Cz = uniform(&seed, -5, 5);
            const dal_port_wrench wrench = {{Fx, Fy, 0}, {0, 0, Cz}};
            const double gx = place[p].s[0] * cos(q[2]) - place[p].s[1] * sin(q[2]), gy = place[p].s[0] * sin(q[2]) + place[p].s[1] * cos(q[2]);
            Qx += Fx;
            Qy += Fy;
            Qt += Cz - Fx * gy + Fy * gx; /* C_z + F . (z x GM) */
            dal_body_component_receive(body, p, &wrench);
        }
        dal_body_component_accelerate(body);
        const double *a = dal_body_component_acceleration(body);
        check_close(a[0], Qx / rod.mass, 1e-13);
        check_close(a[1], Qy / rod.mass, 1e-13);
        check_close(a[2], Qt / rod.inertia[8], 1e-12);
    }
    dal_arena_release(&arena);
}

static void a_particle_does_not_turn(void **unused)
{
    (void)unused;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    const dal_body bead = {.name = "bead", .particle = true, .mass = 0.37};
    dal_body_component *body = body_of(&arena, DAL_SPATIAL, &bead, true, 1, &at_origin);
    const double q[3] = {1.1, -0.2, 0.7}, v[3] = {0.3, 0.1, -2};
    const dal_port_wrench wrench = {{1.7, -0.4, 0.9}, {5, 6, 7}};
    assert_int_equal(dal_body_component_velocities(body), 3);
    assert_int_equal(dal_body_component_rows(body), 0);
    dal_body_component_place(body, q, v, NULL);
    dal_body_component_receive(body, 0, &wrench);
    dal_body_component_accelerate(body);
    for (int i = 0; i < 3; i++)
        check_close(dal_body_component_acceleration(body)[i], wrench.force[i] / bead.mass, 1e-15);
    dal_arena_release(&arena);
}

/* ---- Euler parameters ---------------------------------------------------------------------- */

/* Product of quaternions: the turn of a after that of b. */
static void quaternion_product(const double a[4], const double b[4], double out[4])
{
    double turn[3];
    cross(a + 1, b + 1, turn);
    out[0] = a[0] * b[0] - dot(a + 1, b + 1);
    for (int i = 0; i < 3; i++)
        out[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + turn[i];
}

/* A body of both kinds, [0] by angles and [1] by parameters of any length, in one state and under the same forces. */
typedef struct twins {
    dal_space space;
    dal_body body;
    dal_port_place place[2];
    dal_body_component *by_angles, *by_parameters;
    double q[2][7], v[2][7];
    double mu; /* that the equation of the parameters asks for */
} twins;

static double any(uint64_t *seed)
{
    return uniform(seed, -1, 1);
}

/* w of the rates of the angles z, y, x: a' e_z + b' R_z e_y + c' R_z R_y e_x; of the plane: a' e_z. */
static void spin_of(dal_space space, const double *angle, const double *rate, double w[3])
{
    const bool plane = space == DAL_PLANAR;
    w[0] = plane ? 0 : -rate[1] * sin(angle[0]) + rate[2] * cos(angle[0]) * cos(angle[1]);
    w[1] = plane ? 0 : rate[1] * cos(angle[0]) + rate[2] * sin(angle[0]) * cos(angle[1]);
    w[2] = plane ? rate[0] : rate[0] - rate[2] * sin(angle[1]);
}

/* p = length * quaternion, p' = (0, w) p / 2 + stretch p. */
static void state_of_twins(twins *t, uint64_t *seed)
{
    const int d = (int)t->space, n = d == 2 ? 1 : 3;
    const double length = uniform(seed, 0.7, 1.4), stretch = any(seed);
    double p[4] = {length, 0, 0, 0}, next[4], spin[4] = {0}, pd[4];
    for (int i = 0; i < d; i++) {
        t->q[0][i] = t->q[1][i] = any(seed);
        t->v[0][i] = t->v[1][i] = 3 * any(seed);
    }
    for (int i = n - 1; i >= 0; i--) { /* R_z R_y R_x: x first */
        const double angle = t->q[0][d + i] = 1.2 * any(seed);
        double about[4] = {cos(angle / 2), 0, 0, 0};
        about[3 - i] = sin(angle / 2);
        quaternion_product(about, p, next);
        memcpy(p, next, sizeof p);
        t->v[0][d + i] = 4 * any(seed);
    }
    spin_of(t->space, t->q[0] + d, t->v[0] + d, spin + 1);
    quaternion_product(spin, p, pd);
    for (int i = 0, k = 0; i < 4; i++) {
        if (d == 2 && (i == 1 || i == 2))
            continue;
        t->q[1][d + k] = p[i];
        t->v[1][d + k++] = pd[i] / 2 + stretch * p[i];
    }
}

static twins make_twins(dal_arena *arena, dal_space space, uint64_t *seed)
{
    static const int zyx[3] = {2, 1, 0};
    twins t = {.space = space, .body = {.name = "rock", .mass = uniform(seed, 0.5, 2)}};
    static const double inertia[9] = {0.41, 0.03, -0.02, 0.03, 0.37, 0.05, -0.02, 0.05, 0.29};
    memcpy(t.body.inertia, inertia, sizeof inertia);
    for (int k = 0; k < 2; k++)
        t.place[k] = at_origin;
    for (int i = 0; i < (int)space; i++) {
        t.body.center[i] = any(seed);
        t.place[0].s[i] = any(seed);
        t.place[1].s[i] = any(seed);
    }
    t.by_angles = body_of(arena, space, &t.body, false, 2, t.place);
    t.by_parameters = body_of(arena, space, &t.body, true, 2, t.place);
    state_of_twins(&t, seed);
    dal_body_component_place(t.by_angles, t.q[0], t.v[0], zyx);
    dal_body_component_place(t.by_parameters, t.q[1], t.v[1], NULL);
    return t;
}

/* The same wrenches on both, in the plane without what the plane has not; and a force along p on the one that has it, which its own
 * equation holds. */
static void load_twins(twins *t, uint64_t *seed)
{
    const int d = (int)t->space, n = d == 2 ? 2 : 4;
    const bool plane = d == 2;
    dal_port_wrench wrench[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            wrench[k].force[i] = plane && i == 2 ? 0 : 5 * any(seed);
            wrench[k].torque[i] = plane && i < 2 ? 0 : 5 * any(seed);
        }
    double along[7] = {0};
    const double push = 5 * any(seed), *p = t->q[1] + d;
    for (int k = 0; k < n; k++)
        along[d + k] = push * p[k];
    t->mu = -push / 2; /* push p + 2 mu p = 0 */
    for (int k = 0; k < 2; k++) {
        dal_body_component_receive(t->by_angles, k, &wrench[k]);
        dal_body_component_receive(t->by_parameters, k, &wrench[k]);
    }
    dal_body_component_source(t->by_angles, &wrench[2], NULL);
    dal_body_component_source(t->by_parameters, &wrench[2], along);
}

/* 2 p.p'' + 2 p'.p' + 2 alpha 2 p.p' + beta^2 (p.p - 1) of a body that was made with 3.1 and 4.7. */
static double own_residual(const twins *t, const double *vd)
{
    const int d = (int)t->space, n = d == 2 ? 4 : 7;
    double second = 0, first = 0, f = -1;
    for (int k = d; k < n; k++) {
        second += 2 * t->q[1][k] * vd[k] + 2 * t->v[1][k] * t->v[1][k];
        first += 2 * t->q[1][k] * t->v[1][k];
        f += t->q[1][k] * t->q[1][k];
    }
    return second + 2 * 3.1 * first + 4.7 * 4.7 * f;
}

static void same_ports(const twins *t, double tolerance)
{
    for (int port = 0; port < 2; port++) {
        dal_port_motion a, b;
        dal_body_component_publish(t->by_angles, port, &a);
        dal_body_component_publish(t->by_parameters, port, &b);
        for (int i = 0; i < 9; i++)
            check_close(b.R[i], a.R[i], 1e-13);
        for (int i = 0; i < 3; i++) {
            check_close(b.x[i], a.x[i], 1e-13);
            check_close(b.xd[i], a.xd[i], 1e-12);
            check_close(b.w[i], a.w[i], 1e-12);
            check_close(b.xdd[i], a.xdd[i], tolerance);
            check_close(b.wd[i], a.wd[i], tolerance);
        }
    }
}

/* Also where p is no unit vector and becomes longer: what a body is turned by is nothing that its ports tell. */
static void bodies_turned_by_parameters_and_by_angles_have_the_same_ports(void **unused)
{
    (void)unused;
    uint64_t seed = 19;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 40; run++) {
        twins t = make_twins(&arena, run % 2 ? DAL_SPATIAL : DAL_PLANAR, &seed);
        assert_int_equal(dal_body_component_velocities(t.by_parameters), run % 2 ? 7 : 4);
        assert_int_equal(dal_body_component_rows(t.by_angles), 0);
        assert_int_equal(dal_body_component_rows(t.by_parameters), 1);
        load_twins(&t, &seed);
        dal_body_component_accelerate(t.by_angles);
        dal_body_component_accelerate(t.by_parameters);
        same_ports(&t, 1e-9);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                double Y[2][36];
                dal_body_component_admittance(t.by_angles, i, j, Y[0]);
                dal_body_component_admittance(t.by_parameters, i, j, Y[1]);
                for (int k = 0; k < 36; k++)
                    check_close(Y[1][k], Y[0][k], 1e-11);
            }
    }
    dal_arena_release(&arena);
}

/* (23) of p.p - 1 = 0: its multiplier is found by the body, changes no port, and is the force along p that balances what is given there. */
static void a_body_holds_the_length_of_its_parameters(void **unused)
{
    (void)unused;
    uint64_t seed = 37;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 40; run++) {
        twins t = make_twins(&arena, run % 2 ? DAL_SPATIAL : DAL_PLANAR, &seed);
        const int n = dal_body_component_velocities(t.by_parameters);
        double W[7], before[7];
        load_twins(&t, &seed);
        check_close(dal_body_component_multiplier(t.by_parameters), t.mu, 1e-13);
        dal_body_component_hold(t.by_parameters, t.mu);
        dal_body_component_accelerate(t.by_angles);
        dal_body_component_accelerate(t.by_parameters);
        memcpy(before, dal_body_component_acceleration(t.by_parameters), sizeof *before * (size_t)n);
        check_small(dal_body_component_residual(t.by_parameters), 1e-11);
        check_small(own_residual(&t, before), 1e-11);
        const double more = any(&seed), admittance = dal_body_component_own_mobility(t.by_parameters, W);
        assert_true(admittance > 0);
        dal_body_component_hold(t.by_parameters, t.mu + more);
        dal_body_component_accelerate(t.by_parameters);
        const double *vd = dal_body_component_acceleration(t.by_parameters);
        check_close(dal_body_component_residual(t.by_parameters), more * admittance, 1e-11);
        check_close(own_residual(&t, vd), more * admittance, 1e-11);
        for (int k = 0; k < n; k++)
            check_close(vd[k], before[k] + more * W[k], 1e-11);
        same_ports(&t, 1e-9);
    }
    dal_arena_release(&arena);
}

/* ---- a joint between a body and the ground ------------------------------------------------ */

/* f_k = (port 0 - port 1) . e_k = 0: a pivot in the plane, a ball in space. */
static dal_joint_component *pivot(dal_arena *arena, dal_space space, double alpha, double beta)
{
    dal_mechanism *m = DAL_NEW(arena, dal_mechanism, 1);
    const double here[3] = {0, 0, 0};
    dal_mechanism_begin(m, arena, space);
    m->bodies = DAL_NEW(arena, dal_body, 2);
    m->n_bodies = 2;
    m->joints = DAL_NEW(arena, dal_joint, 1);
    m->n_joints = 1;
    for (int k = 0; k < (int)space; k++) {
        const int a = dal_add_vector(m, 0, true, here), b = dal_add_vector(m, 1, true, here);
        const dal_term term = {dal_add_dot(m, a, b, k, -1), 1}; /* vectors 0, 1, 2 are the world axes */
        dal_add_row(m, 1, &term, 0, -1, false);
    }
    const dal_joint_data data = {.mechanism = m, .alpha = alpha, .beta = beta};
    return dal_joint_component_create(arena, &data);
}

typedef struct pendulum {
    dal_body_component *body, *ground;
    dal_joint_component *joint;
    int rows;
} pendulum;

static pendulum hang(dal_arena *arena, dal_space space, const dal_body *rod, const dal_port_place *on_body, const dal_port_place *on_ground,
                     double alpha, double beta)
{
    pendulum p = {body_of(arena, space, rod, false, 1, on_body), body_of(arena, space, NULL, false, 1, on_ground), pivot(arena, space, alpha, beta),
                  (int)space};
    assert_int_equal(dal_joint_component_rows(p.joint), p.rows);
    assert_int_equal(dal_joint_component_sides(p.joint), 2);
    return p;
}

/* The joint sees both ports as they are now. */
static void look(pendulum *p, double *residual)
{
    dal_port_motion motion;
    dal_body_component_publish(p->body, 0, &motion);
    dal_joint_component_receive(p->joint, 0, &motion);
    dal_body_component_publish(p->ground, 0, &motion);
    dal_joint_component_receive(p->joint, 1, &motion);
    assert_int_equal(dal_joint_component_residual(p->joint, 0, residual), 0);
}

/* S lambda = -r_0 from admittance and rows; then the body gets the joint's wrench. */
static void settle(pendulum *p, const dal_port_wrench *source, double lambda[3])
{
    double r[3] = {0}, S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, right[3] = {0}, Y[36];
    dal_body_component_source(p->body, source, NULL);
    dal_body_component_accelerate(p->body);
    look(p, r);
    const double *g = dal_joint_component_gradient(p->joint, 0);
    dal_body_component_admittance(p->body, 0, 0, Y);
    for (int k = 0; k < p->rows; k++) {
        right[k] = -r[k];
        for (int l = 0; l < p->rows; l++) {
            S[3 * k + l] = 0;
            for (int i = 0; i < 36; i++)
                S[3 * k + l] += g[6 * k + i / 6] * Y[i] * g[6 * l + i % 6];
        }
    }
    dal_body_component_admittance(p->ground, 0, 0, Y); /* the ground gives way to nothing */
    for (int i = 0; i < 36; i++)
        check_close(Y[i], 0, 0);
    solve3(S, right, lambda);
    dal_port_wrench wrench, back;
    dal_joint_component_publish(p->joint, 0, lambda, &wrench);
    dal_joint_component_publish(p->joint, 1, lambda, &back);
    for (int i = 0; i < 3; i++)
        check_close(wrench.force[i] + back.force[i], 0, 1e-12 * fabs(wrench.force[i])); /* action and reaction */
    dal_body_component_receive(p->body, 0, &wrench);
    dal_body_component_accelerate(p->body);
    look(p, r);
    for (int k = 0; k < p->rows; k++)
        check_close(r[k], 0, 1e-11);
}

/* A rod that hangs by a point at distance l from its centre of mass, at the angle th from the downward vertical: with I + m l^2 = J
 *   th'' = -m g l sin th / J,   pull along the rod  m (g cos th + l th'^2),   across it  m g sin th (1 - m l^2 / J) */
static void the_multipliers_of_a_plane_pendulum_are_its_tension(void **unused)
{
    (void)unused;
    uint64_t seed = 7;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 20; run++) {
        const dal_body rod = {.name = "rod",
                              .mass = uniform(&seed, 0.5, 2),
                              .center = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), 0},
                              .inertia = {[8] = uniform(&seed, 0.1, 0.4)}};
        const double l = uniform(&seed, 0.3, 1.5), th = uniform(&seed, -3, 3), rate = uniform(&seed, -4, 4), J = rod.inertia[8] + rod.mass * l * l;
        /* the rod along body axis -y below the pivot; its frame anywhere */
        const dal_port_place top = {{rod.center[0], rod.center[1] + l, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const dal_port_place hook = {{uniform(&seed, -2, 2), uniform(&seed, -2, 2), 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        pendulum p = hang(&arena, DAL_PLANAR, &rod, &top, &hook, 20, 20);
        const double c = cos(th), s = sin(th), ax = top.s[0] * c - top.s[1] * s, ay = top.s[0] * s + top.s[1] * c;
        const double q[3] = {hook.s[0] - ax, hook.s[1] - ay, th}, v[3] = {rate * ay, -rate * ax, rate};
        const double cx = rod.center[0] * c - rod.center[1] * s;
        const dal_port_wrench weight = {{0, -rod.mass * gravity, 0}, {0, 0, -cx * rod.mass * gravity}};
        double lambda[3];
        dal_body_component_place(p.body, q, v, NULL);
        settle(&p, &weight, lambda);
        const double along = rod.mass * (gravity * c + l * rate * rate), across = rod.mass * gravity * s * (1 - rod.mass * l * l / J);
        check_close(dal_body_component_acceleration(p.body)[2], -rod.mass * gravity * l * s / J, 1e-10);
        check_close(-s * lambda[0] + c * lambda[1], along, 1e-10 * (1 + fabs(along)));
        check_close(c * lambda[0] + s * lambda[1], across, 1e-10 * (1 + fabs(along)));
    }
    dal_arena_release(&arena);
}

/* R = Rz(a) Ry(b) Rx(c), written out. */
static void attitude(const double angle[3], double R[9])
{
    const double ca = cos(angle[0]), sa = sin(angle[0]), cb = cos(angle[1]), sb = sin(angle[1]), cc = cos(angle[2]), sc = sin(angle[2]);
    const double out[9] = {
        ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc, sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc, -sb, cb * sc, cb * cc};
    memcpy(R, out, sizeof out);
}

static void times(const double A[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dot(A + 3 * i, x);
}

/* w' of a body on a ball at rest: J w' + w x J w = d x m g, J = R I R^T + m (d.d 1 - d d^T), d from the ball to the centre of mass. */
static void euler_about(const dal_body *body, const double R[9], const double w[3], const double d[3], double wd[3])
{
    double J[9], spin[3], turn[3], right[3], weight[3] = {0, 0, -body->mass * gravity};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            J[3 * i + k] = body->mass * ((i == k) * dot(d, d) - d[i] * d[k]);
            for (int l = 0; l < 9; l++)
                J[3 * i + k] += R[3 * i + l / 3] * body->inertia[l] * R[3 * k + l % 3];
        }
    times(J, w, spin);
    cross(w, spin, turn);
    cross(d, weight, right);
    for (int i = 0; i < 3; i++)
        right[i] -= turn[i];
    solve3(J, right, wd);
}

static void the_multipliers_of_a_pendulum_in_space_are_the_force_on_its_ball(void **unused)
{
    (void)unused;
    uint64_t seed = 11;
    static const int zyx[3] = {2, 1, 0};
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    for (int run = 0; run < 20; run++) {
        const dal_body rock = {.name = "rock",
                               .mass = uniform(&seed, 0.5, 2),
                               .center = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -1, 1)},
                               .inertia = {0.41, 0.03, -0.02, 0.03, 0.37, 0.05, -0.02, 0.05, 0.29}};
        const dal_port_place ball = {{uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -1, 1)}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const dal_port_place hook = {{0.4, -0.3, 1.2}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        pendulum p = hang(&arena, DAL_SPATIAL, &rock, &ball, &hook, 20, 20);
        double q[6], v[6], R[9], arm[3], rho[3], d[3], w[3], turn[3], wd[3], inward[3], lambda[3], moment[3];
        for (int i = 0; i < 3; i++) {
            q[3 + i] = uniform(&seed, -1.2, 1.2);
            v[3 + i] = uniform(&seed, -4, 4);
        }
        attitude(q + 3, R);
        times(R, ball.s, arm);
        times(R, rock.center, rho);
        /* w = a' e_z + b' R_z e_y + c' R_z R_y e_x */
        w[0] = -v[4] * sin(q[3]) + v[5] * cos(q[3]) * cos(q[4]);
        w[1] = v[4] * cos(q[3]) + v[5] * sin(q[3]) * cos(q[4]);
        w[2] = v[3] - v[5] * sin(q[4]);
        cross(w, arm, turn);
        for (int i = 0; i < 3; i++) {
            q[i] = hook.s[i] - arm[i];
            v[i] = -turn[i];
            d[i] = rho[i] - arm[i];
        }
        const double mg[3] = {0, 0, -rock.mass * gravity};
        cross(rho, mg, moment);
        const dal_port_wrench weight = {{0, 0, mg[2]}, {moment[0], moment[1], moment[2]}};
        dal_body_component_place(p.body, q, v, zyx);
        settle(&p, &weight, lambda);
        euler_about(&rock, R, w, d, wd);
        dal_port_motion motion;
        dal_body_component_publish(p.body, 0, &motion);
        cross(w, d, turn);
        cross(w, turn, inward);
        cross(wd, d, turn);
        for (int i = 0; i < 3; i++) {
            check_close(motion.w[i], w[i], 1e-13);
            check_close(motion.wd[i], wd[i], 1e-10);
            check_close(lambda[i], rock.mass * (turn[i] + inward[i]) - mg[i], 1e-10); /* m (c'' - g) */
        }
    }
    dal_arena_release(&arena);
}

/* Away from f = 0 and f' = 0 the residual is (23). */
static void a_joint_asks_for_what_baumgarte_s_equation_says(void **unused)
{
    (void)unused;
    uint64_t seed = 13;
    dal_arena arena;
    dal_arena_begin(&arena, NULL);
    const dal_body rod = {.name = "rod", .mass = 1.3, .inertia = {[8] = 0.2}};
    const double alpha = 3.1, beta = 4.7;
    const dal_port_place hook = {{0.3, 0.2, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    pendulum p = hang(&arena, DAL_PLANAR, &rod, &at_origin, &hook, alpha, beta);
    double q[3], v[3], a[3], r[3];
    for (int i = 0; i < 3; i++) {
        q[i] = uniform(&seed, -1, 1);
        v[i] = uniform(&seed, -1, 1);
        a[i] = uniform(&seed, -1, 1);
    }
    dal_body_component_place(p.body, q, v, NULL);
    dal_body_component_set(p.body, a);
    look(&p, r);
    for (int k = 0; k < 2; k++)
        check_close(r[k], a[k] + 2 * alpha * v[k] + beta * beta * (q[k] - hook.s[k]), 1e-13);
    dal_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_of_a_plane_body_move_as_19_25_and_27_say),
        cmocka_unit_test(a_plane_body_is_accelerated_by_the_wrenches_at_its_ports),
        cmocka_unit_test(a_particle_does_not_turn),
        cmocka_unit_test(bodies_turned_by_parameters_and_by_angles_have_the_same_ports),
        cmocka_unit_test(a_body_holds_the_length_of_its_parameters),
        cmocka_unit_test(the_multipliers_of_a_plane_pendulum_are_its_tension),
        cmocka_unit_test(the_multipliers_of_a_pendulum_in_space_are_the_force_on_its_ball),
        cmocka_unit_test(a_joint_asks_for_what_baumgarte_s_equation_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
