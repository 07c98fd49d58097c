/* The family `joint`: relative coordinates over a spanning tree of the joints.
 *
 * The truth comes from the family `angle`, in which every joint is made of rows: bodies that move alike have the same accelerations and
 * joints the same reactions. */
#include "kinematics/tree.h"
#include "model/coordinate_names.h"
#include "tree_models.h"

#include <float.h>

/* Any q and v of a tree are a state: nothing is projected. Angles of several turns, counted as such. */
static void random_tree_state(dal_state *state, uint64_t *seed)
{
    const dal_layout *layout = &state->system->layout;
    double *dv = calloc((size_t)layout->nv + 1, sizeof *dv);
    dal_state_reset(state);
    for (int k = 0; k < layout->nv; k++) {
        dv[k] = 9 * check_random(seed) * (layout->angular[k] ? 1 : 0.1);
        state->work.v[k] = 2 * check_random(seed);
    }
    layout->family->add(layout, state->work.q, dv);
    for (int s = 0; s < layout->tree->n_steps; s++)
        if (layout->tree->step[s].winding >= 0)
            state->work.winding[layout->tree->step[s].winding] = state->work.q[layout->tree->step[s].q];
    gallery_adopt(state);
    free(dv);
}

/* Largest difference of accelerations and reactions, relative to the largest acceleration and reaction. */
static double compare(dal_state *a, dal_state *b)
{
    const dal_mechanism *m = &a->system->mechanism;
    double worst = 0, size = 0, force_worst = 0, force_size = 0, L = a->system->layout.units.length;
    for (int i = 0; i < m->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(x.acceleration[k]), L * fabs(x.alpha[k])));
        }
    }
    for (int j = 0; j < m->n_joints; j++) {
        double f[2][3], t[2][3];
        dal_state_reaction(a, j, f[0], t[0]);
        dal_state_reaction(b, j, f[1], t[1]);
        for (int k = 0; k < 3; k++) {
            force_worst = fmax(force_worst, fmax(fabs(f[0][k] - f[1][k]), fabs(t[0][k] - t[1][k]) / L));
            force_size = fmax(force_size, fmax(fabs(f[0][k]), fabs(t[0][k]) / L));
        }
    }
    return fmax(size > 0 ? worst / size : 0, force_size > 0 ? force_worst / force_size : 0);
}

/* ---- pairs of bodies: every joint, both ways ---------------------------------------------- */

static void check_against_angle(const char *text, const char *name)
{
    uint64_t seed = 11;
    for (int k = 0; k < 2; k++) {
        dal_system *tree = compile_text(text, "joint", k ? "udwadia-kalaba" : "lagrange", NULL),
                   *angle = compile_text(text, "angle", "lagrange", NULL);
        dal_state *state = dal_state_create(NULL, tree), *twin = dal_state_create(NULL, angle);
        assert_int_equal(tree->info.freedoms, angle->info.freedoms);
        for (int i = 0; i < 5; i++) {
            if (tree->layout.n_rows) /* the distance joint in space is cut */
                assert_true(gallery_random_state(state, &seed, 0, 0.1, 1));
            else
                random_tree_state(state, &seed);
            assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
            gallery_copy_motion(state, twin);
            assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
            double difference = compare(twin, state);
            if (!(difference < 1e-10))
                fail_msg("%s: accelerations or reactions differ by %.3g (relative)", name, difference);
        }
        dal_state_free(state), dal_state_free(twin);
        dal_system_free(tree), dal_system_free(angle);
    }
}

static void every_joint_of_a_tree_moves_and_reacts_as_its_rows_do(void **unused)
{
    (void)unused;
    every_pair(check_against_angle);
}

/* Rows that the tree leaves out are zero at every q, and the coordinates are what the joints measure. */
/* Also what nobody wants: measures of rows that hold by construction. */
static void measure_everything(dal_state *state)
{
    dal_layout all = state->system->layout;
    const dal_mechanism *m = all.mechanism;
    all.n_measures = all.n_busy_measures = m->n_measures;
    all.n_vectors = all.n_busy_vectors = m->n_vectors;
    all.measure = calloc((size_t)m->n_measures + 1, sizeof *all.measure);
    all.vector = calloc((size_t)m->n_vectors + 1, sizeof *all.vector);
    for (int i = 0; i < m->n_measures; i++)
        all.measure[i] = i;
    for (int i = 0; i < m->n_vectors; i++)
        all.vector[i] = i;
    dal_rows_position(&all, &state->work);
    dal_rows_velocity(&all, &state->work);
    free(all.measure);
    free(all.vector);
}

static void check_rows(const char *text, const char *name)
{
    uint64_t seed = 12;
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    const dal_mechanism *m = &system->mechanism;
    const dal_tree *tree = system->layout.tree;
    for (int i = 0; i < 5; i++) {
        random_tree_state(state, &seed);
        measure_everything(state);
        const dal_work *w = &state->work;
        for (int r = 0; r < m->n_rows; r++) {
            const dal_row *row = &m->rows[r];
            double phi = -row->constant, rate = 0;
            if (system->layout.row_at[r] >= 0)
                continue;
            for (int k = row->term; k < row->term + row->n_terms; k++) {
                phi += m->terms[k].coef * w->value[m->terms[k].measure];
                rate += m->terms[k].coef * w->rate[m->terms[k].measure];
            }
            if (!(fabs(phi) < 1e-13 && fabs(rate) < 1e-12))
                fail_msg("%s: a row that should hold is %.3g, its rate %.3g", name, phi, rate);
        }
        for (int s = 0; s < tree->n_bodies; s++)
            for (int k = tree->carrier[s].step; k < tree->carrier[s].step + tree->carrier[s].n_steps; k++) {
                const dal_motion_step *step = &tree->step[k];
                if (step->coordinate < 0)
                    continue;
                const dal_joint *joint = &m->joints[tree->carrier[s].joint];
                int measure = joint->coordinate[step->coordinate];
                check_close(w->value[measure] + joint->zero[step->coordinate], w->q[step->q], 1e-13 * (1 + fabs(w->q[step->q])));
                check_close(w->rate[measure], w->v[step->v], 1e-12);
            }
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void rows_of_tree_joints_hold_everywhere_and_coordinates_are_measures(void **unused)
{
    (void)unused;
    every_pair(check_rows);
}

/* q, v -> frames and twists -> q, v. */
static void check_round_trip(const char *text, const char *name)
{
    uint64_t seed = 13;
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    const dal_layout *layout = &system->layout;
    double *q = calloc((size_t)layout->nq + 1, sizeof *q), *v = calloc((size_t)layout->nv + 1, sizeof *v);
    for (int i = 0; i < 5; i++) {
        random_tree_state(state, &seed);
        memcpy(q, state->work.q, sizeof *q * (size_t)layout->nq);
        memcpy(v, state->work.v, sizeof *v * (size_t)layout->nv);
        layout->family->place(layout, &state->work, -1, NULL, NULL);
        layout->family->position(layout, &state->work);
        layout->family->move(layout, &state->work, -1, NULL, NULL);
        for (int s = 0; s < layout->tree->n_steps; s++) {
            const dal_motion_step *step = &layout->tree->step[s];
            double same = 0;
            for (int k = 0; k < 4 && step->kind == DAL_STEP_BALL; k++)
                same += q[step->q + k] * state->work.q[step->q + k];
            for (int k = 0; k < dal_step_coordinates(step); k++) {
                double turn = step->kind == DAL_STEP_TURN && step->winding < 0 ? 2 * M_PI : 1e9;
                double difference = remainder(state->work.q[step->q + k] - (same < 0 ? -1 : 1) * q[step->q + k], turn);
                if (!(fabs(difference) < 1e-13 * 100))
                    fail_msg("%s: a coordinate came back with the error %.3g", name, difference);
            }
        }
        for (int k = 0; k < layout->nv; k++)
            check_close(state->work.v[k], v[k], 1e-12 * 100);
    }
    free(q), free(v);
    dal_state_free(state);
    dal_system_free(system);
}

static void placing_and_moving_invert_position_and_velocity(void **unused)
{
    (void)unused;
    every_pair(check_round_trip);
}

/* q moved by e v is q + e N v + O(e^2): central differences of `add` against `rates`. */
static void check_add(const char *text, const char *name)
{
    uint64_t seed = 14;
    const double e = 1e-6;
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    const dal_layout *layout = &system->layout;
    const size_t nq = (size_t)layout->nq;
    double *q = calloc(3 * nq + (size_t)layout->nv + 1, sizeof *q), *back = q + nq, *rate = back + nq, *dv = rate + nq;
    random_tree_state(state, &seed);
    layout->family->rates(layout, &state->work, rate);
    for (int way = 0; way < 2; way++) {
        double *out = way ? back : q;
        memcpy(out, state->work.q, sizeof *q * nq);
        for (int k = 0; k < layout->nv; k++)
            dv[k] = (way ? -e : e) * state->work.v[k];
        layout->family->add(layout, out, dv);
    }
    for (size_t k = 0; k < nq; k++)
        if (!(fabs((q[k] - back[k]) / (2 * e) - rate[k]) < 1e-8))
            fail_msg("%s: add and rates disagree by %.3g", name, (q[k] - back[k]) / (2 * e) - rate[k]);
    free(q);
    dal_state_free(state);
    dal_system_free(system);
}

static void adding_is_the_integral_of_the_rates(void **unused)
{
    (void)unused;
    every_pair(check_add);
}

/* Composite bodies against the sum over single bodies. */
static void check_inertia(const char *text, const char *name)
{
    uint64_t seed = 16;
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    const dal_layout *layout = &system->layout;
    double *M = calloc((size_t)(layout->n_mass + layout->nv) + 1, sizeof *M), *h = M + layout->n_mass;
    for (int i = 0; i < 3; i++) {
        random_tree_state(state, &seed);
        layout->family->inertia(layout, &state->work);
        memcpy(M, state->work.M, sizeof *M * (size_t)layout->n_mass);
        memcpy(h, state->work.h, sizeof *h * (size_t)layout->nv);
        dal_shared_inertia(layout, &state->work);
        double size = 1;
        for (int k = 0; k < layout->n_mass; k++)
            size = fmax(size, fabs(M[k]));
        for (int k = 0; k < layout->nv; k++)
            size = fmax(size, fabs(h[k]));
        for (int k = 0; k < layout->n_mass; k++)
            if (!(fabs(M[k] - state->work.M[k]) < 1e-13 * size))
                fail_msg("%s: an entry of M is %.15g, and should be %.15g", name, M[k], state->work.M[k]);
        for (int k = 0; k < layout->nv; k++)
            if (!(fabs(h[k] - state->work.h[k]) < 1e-13 * size))
                fail_msg("%s: an entry of h is %.15g, and should be %.15g", name, h[k], state->work.h[k]);
    }
    free(M);
    dal_state_free(state);
    dal_system_free(system);
}

static void composite_bodies_have_the_inertia_of_their_parts(void **unused)
{
    (void)unused;
    every_pair(check_inertia);
}

/* A particle between two bodies carries the second one. */
static void a_particle_carries_a_body(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.7, -9.81]\nbodies:\n"
                               "  base: {mass: 2.3, inertia: [0.3, 0.4, 0.5], position: [0.1, 0.2, 0.3], points: {P: [0.7, 0.15, -0.1]}}\n"
                               "  knot: {mass: 0.4, position: [0.8, 0.3, 0.2]}\n"
                               "  arm: {mass: 1.1, center: [0.1, 0.05, 0], inertia: [0.11, 0.15, 0.13], position: [1, 0.4, 0.2], points: {A: [-0.2, "
                               "0.1, 0.05], B: [0.3, 0, 0.1]}}\n"
                               "joints:\n"
                               "  G: {type: cylindrical, connect: [ground, base], axis: [0.3, 0.2, 1]}\n"
                               "  H: {type: spherical, connect: [base.P, knot]}\n"
                               "  I: {type: spherical, connect: [arm.A, knot]}\n"
                               "simulate: {until: 1}\n";
    static const char flat[] = "dalembert: 1\nspace: planar\ngravity: [0.3, -9.81]\nbodies:\n"
                               "  base: {mass: 2.3, inertia: 0.3, position: [0.1, 0.2], points: {P: [0.7, 0.15]}}\n"
                               "  knot: {mass: 0.4, position: [0.8, 0.3]}\n"
                               "  bead: {mass: 0.3, position: [1.2, 0.7]}\n"
                               "  arm: {mass: 1.1, center: [0.1, 0.05], inertia: 0.11, position: [1, 0.4], points: {A: [-0.2, 0.1], B: [0.3, 0.1]}}\n"
                               "joints:\n"
                               "  G: {type: revolute, connect: [ground, base]}\n"
                               "  H: {type: distance, connect: [knot, base.P], length: 0.4}\n"
                               "  I: {type: pin-in-slot, connect: [arm.A, knot], axis: [0.6, 0.2]}\n"
                               "  L: {type: distance, connect: [arm.B, bead]}\n"
                               "simulate: {until: 1}\n";
    check_against_angle(text, "spatial knot");
    check_rows(text, "spatial knot");
    check_round_trip(text, "spatial knot");
    check_inertia(text, "spatial knot");
    check_inertia(flat, "planar knot");
    check_against_angle(flat, "planar knot");
    check_rows(flat, "planar knot");
    check_round_trip(flat, "planar knot");
}

/* ---- the tree itself -------------------------------------------------------------------------- */

static const char loop[] = "dalembert: 1\nspace: planar\ngravity: [0.2, -9.81]\n"
                           "ground: {points: {D: [1.1, 0.2]}}\nbodies:\n"
                           "  a: {mass: 1.2, inertia: 0.1, position: [0.2, 0.3], angle: 0.9, points: {A: [-0.3, 0], B: [0.3, 0]}}\n"
                           "  b: {mass: 0.7, inertia: 0.2, position: [0.8, 0.6], angle: 0.1, points: {B: [-0.4, 0], C: [0.4, 0.1]}}\n"
                           "  c: {mass: 0.9, inertia: 0.15, position: [1.2, 0.4], angle: 1.3, points: {C: [0.3, 0], D: [-0.3, 0]}}\n"
                           "joints:\n"
                           "  A: {type: revolute, connect: [ground, a.A], zero: 0.3}\n"
                           "  B: {type: revolute, connect: [b.B, a.B]}\n"
                           "  C: {type: revolute, connect: [b.C, c.C]}\n"
                           "  D: {type: revolute, connect: [c.D, ground.D]}\n"
                           "simulate: {until: 1}\n";

/* Whichever joint of a loop is cut, the motion and the reactions are the same. */
static void any_cut_of_a_loop_gives_the_same_motion(void **unused)
{
    (void)unused;
    static const char *const cuts[] = {"A", "B", "C", "D"};
    uint64_t seed = 15;
    dal_system *angle = compile_text(loop, "angle", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, angle);
    for (int k = 0; k < 4; k++) {
        dal_system *tree = compile_text(loop, "joint", "lagrange", cuts[k]);
        dal_state *twin = dal_state_create(NULL, tree);
        int cut = dal_system_joint(tree, cuts[k]);
        assert_int_equal(tree->layout.tree->carries[cut], -1);
        assert_int_equal(tree->layout.nv, 3);
        assert_int_equal(tree->layout.n_rows, 2);
        assert_int_equal(tree->info.freedoms, 1);
        for (int i = 0; i < 4; i++) {
            assert_true(gallery_random_state(state, &seed, 0, 0.1, 2));
            assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
            gallery_copy_motion(state, twin);
            assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
            check_small(compare(state, twin), 1e-10);
        }
        dal_state_free(twin);
        dal_system_free(tree);
    }
    dal_state_free(state);
    dal_system_free(angle);
}

static void check_names(const dal_system *system, int n, const char *const *q, int m, const char *const *v)
{
    char name[80];
    assert_int_equal(system->layout.nq, n);
    assert_int_equal(system->layout.nv, m);
    for (int k = 0; k < n; k++) {
        dal_coordinate_name(system, k, name, sizeof name);
        assert_string_equal(name, q[k]);
    }
    for (int k = 0; k < m; k++) {
        dal_velocity_name(system, k, name, sizeof name);
        assert_string_equal(name, v[k]);
    }
}

static void coordinates_are_named_after_joints_and_free_bodies(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\nbodies:\n"
                               "  hub: {mass: 1, inertia: [1, 2, 3]}\n"
                               "  arm: {mass: 1, inertia: [1, 2, 3], position: [1, 0, 0]}\n"
                               "  tip: {mass: 1, position: [2, 0, 0]}\n"
                               "joints:\n"
                               "  A: {type: cylindrical, connect: [hub, arm], axis: [0, 0, 1]}\n"
                               "simulate: {until: 1}\n";
    static const char *const q[] = {"hub.x",  "hub.y",      "hub.z",   "hub.qw", "hub.qx", "hub.qy",
                                    "hub.qz", "A.distance", "A.angle", "tip.x",  "tip.y",  "tip.z"};
    static const char *const v[] = {"hub.x'",      "hub.y'",   "hub.z'", "hub.wx", "hub.wy", "hub.wz",
                                    "A.distance'", "A.angle'", "tip.x'", "tip.y'", "tip.z'"};
    static const char flat[] = "dalembert: 1\nspace: planar\nbodies:\n"
                               "  hub: {mass: 1, inertia: 2, position: [0, 1]}\n"
                               "  arm: {mass: 1, inertia: 3, position: [1, 0]}\n"
                               "joints:\n  A: {type: distance, connect: [hub, arm]}\nsimulate: {until: 1}\n";
    static const char *const flat_q[] = {"hub.x", "hub.y", "hub.angle", "A.1", "A.2"};
    static const char *const flat_v[] = {"hub.x'", "hub.y'", "hub.angle'", "A.1'", "A.2'"};
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    check_names(system, 12, q, 11, v);
    assert_int_equal(system->layout.n_blocks, 2);
    dal_system_free(system);
    system = compile_text(flat, "joint", "lagrange", NULL);
    check_names(system, 5, flat_q, 5, flat_v);
    dal_system_free(system);
}

/* Whole turns of the start are whole turns of the coordinate. */
static void a_coordinate_starts_with_the_turns_that_were_written(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nbodies:\n"
                               "  a: {mass: 1, inertia: 1}\n"
                               "  b: {mass: 1, inertia: 1}\n"
                               "joints:\n"
                               "  A: {type: revolute, connect: [ground, a], start: {angle: 15.3}}\n"
                               "  B: {type: revolute, connect: [a, b], start: {angle: -8.1}}\n"
                               "simulate: {until: 1}\n";
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    check_close(state->work.q[0], 15.3, 1e-12);
    check_close(state->work.q[1], -8.1, 1e-12);
    dal_state_free(state);
    dal_system_free(system);
}

/* A model in which nothing moves has no velocities at all, and still reactions. */
static void a_welded_body_has_no_coordinates_and_a_reaction(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "  a: {mass: 2, inertia: 1, position: [1.5, 0], points: {A: [-1.5, 0]}}\n"
                               "joints:\n  A: {type: rigid, connect: [ground, a.A]}\nsimulate: {until: 1}\n";
    double force[3], torque[3];
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(system->layout.nv, 0);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    dal_state_reaction(state, 0, force, torque);
    check_close(force[1], 2 * 9.81, 1e-13);
    check_close(torque[2], 2 * 9.81 * 1.5, 1e-13);
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- the gallery ---------------------------------------------------------------------------------- */

/* The states obey the constraints to 1e-12 only, and gaps are seen magnified by the condition of the constraints, up to a thousand in
 * these positions; and accelerations are as exact as the mass matrix is conditioned: rounding times the spread of the masses. */
static double tolerance(const dal_mechanism *m)
{
    double largest = 0, smallest = INFINITY;
    for (int b = 0; b < m->n_bodies; b++) {
        largest = fmax(largest, m->bodies[b].mass);
        if (m->bodies[b].mass > 0)
            smallest = fmin(smallest, m->bodies[b].mass);
    }
    return fmax(1e-9, 10 * DBL_EPSILON * largest / smallest);
}

static void agree(const char *file)
{
    char why[512];
    uint64_t seed = 21;
    double worst = 0;
    dal_system *angle = gallery_compile(file, "angle", "lagrange", why);
    if (!angle && strstr(why, "coordinates"))
        return; /* its bodies are placed by coordinates of its own */
    if (!angle)
        fail_msg("%s: %s", file, why);
    dal_state *state = dal_state_create(NULL, angle);
    for (int f = 0; f < 2; f++) {
        dal_system *tree = gallery_compile(file, "joint", f ? "udwadia-kalaba" : "lagrange", why);
        if (!tree && f && (strstr(why, "zero moment of inertia") || strstr(why, "it is singular")))
            continue; /* thin rods; parts without mass */
        if (!tree)
            fail_msg("%s: %s", file, why);
        assert_int_equal(tree->info.freedoms, angle->info.freedoms);
        bool open = true;
        for (int j = 0; j < tree->mechanism.n_joints; j++)
            open &= tree->layout.tree->carries[j] >= 0 && tree->mechanism.joints[j].drive < 0;
        if (open) {
            assert_int_equal(tree->layout.n_rows, 0);
            assert_int_equal(tree->layout.nv, tree->info.freedoms);
        }
        dal_state *twin = dal_state_create(NULL, tree);
        int compared = 0;
        for (int i = 0; i < 5; i++) {
            if (!gallery_random_state(state, &seed, 0.1 * i, i ? 0.05 : 0, 1))
                continue; /* too far from the start to be assembled */
            assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
            gallery_copy_motion(state, twin);
            assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
            double difference = compare(state, twin);
            worst = fmax(worst, difference);
            if (!(difference < tolerance(&tree->mechanism)))
                fail_msg("%s, %s: accelerations or reactions differ by %.3g (relative)", file, tree->method.formulation->name, difference);
            compared++;
        }
        assert_true(compared >= 2);
        if (!f)
            print_message("  %-36s %3d velocities, %3d rows, %2d freedoms, ", strrchr(file, '/') + 1, tree->layout.nv, tree->layout.n_rows,
                          tree->info.freedoms);
        dal_state_free(twin);
        dal_system_free(tree);
    }
    print_message("largest difference %.1e\n", worst);
    dal_state_free(state);
    dal_system_free(angle);
}

static void the_gallery_moves_and_reacts_as_in_the_family_angle(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        agree(g.found.gl_pathv[i]);
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_of_a_tree_moves_and_reacts_as_its_rows_do),
        cmocka_unit_test(rows_of_tree_joints_hold_everywhere_and_coordinates_are_measures),
        cmocka_unit_test(placing_and_moving_invert_position_and_velocity),
        cmocka_unit_test(adding_is_the_integral_of_the_rates),
        cmocka_unit_test(composite_bodies_have_the_inertia_of_their_parts),
        cmocka_unit_test(a_particle_carries_a_body),
        cmocka_unit_test(any_cut_of_a_loop_gives_the_same_motion),
        cmocka_unit_test(coordinates_are_named_after_joints_and_free_bodies),
        cmocka_unit_test(a_coordinate_starts_with_the_turns_that_were_written),
        cmocka_unit_test(a_welded_body_has_no_coordinates_and_a_reaction),
        cmocka_unit_test(the_gallery_moves_and_reacts_as_in_the_family_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
