/* Everything at one state, and the inverse problem: identities that hold in every family and formulation, closed forms, state files. */
#include "gallery.h"
#include "json.h"
#include "math/rank.h"
#include "ration.h"

#include <float.h>

/* Of a model with these settings; NULL where it is refused. */
static dal_system *compile(const char *file, const char *family, const char *formulation)
{
    char why[512];
    return gallery_compile(file, family, formulation, why);
}

static dal_evaluation *evaluate(dal_state *state, const dal_instant *instant, bool inverse)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_evaluation_options options = {.inverse = inverse};
    dal_evaluation *e = NULL;
    if (dal_evaluate(NULL, state, instant, &options, messages, &e) != DAL_OK) {
        const dal_message *m = dal_messages_first(messages);
        fail_msg("%s: %s", state->system->info.model, m ? m->text : "no message");
    }
    dal_messages_free(messages);
    return e;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- identities ------------------------------------------------------------------------ */

/* Bodies that time itself moves have a part of h that no rate multiplies. */
static bool moves_by_time(const dal_state *state)
{
    bool moves = false;
    for (int b = 0; b < state->system->mechanism.n_bodies && state->system->layout.placement; b++)
        moves = moves || dal_user_drift(&state->system->layout, &state->work, b);
    return moves;
}

/* C v + g = bias, M v' + bias = applied + forces + A^T lambda, T = v . M v / 2, A v' = gamma. Forces are
 * compared in newtons, with the largest that is added. */
static double miss_identities(dal_state *state, const dal_evaluation *e)
{
    double worst = 0, kinetic = 0, balance = 0, bias = 0, whole = 1e-300;
    const size_t n = (size_t)e->nv;
    for (size_t i = 0; i < n; i++) {
        double C = 0, C_size = 0, M = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            C += e->C[i * n + j] * e->v[j];
            C_size += fabs(e->C[i * n + j] * e->v[j]);
            M += e->M[i * n + j] * e->vd[j];
            size += fabs(e->M[i * n + j] * e->vd[j]);
            kinetic += 0.5 * e->v[i] * e->M[i * n + j] * e->v[j];
        }
        if (!moves_by_time(state))
            bias = fmax(bias, fabs(C + e->gravity[i] - e->bias[i]) / state->system->layout.units.column_scale[i]);
        double right = e->applied[i] + e->forces[i] + (e->inverse ? e->inverse->torques[i] : 0);
        size += C_size + fabs(e->bias[i]) + fabs(right);
        for (int r = 0; r < e->n_rows; r++) {
            right += e->A[(size_t)r * n + i] * e->rows[r].multiplier;
            size += fabs(e->A[(size_t)r * n + i] * e->rows[r].multiplier);
        }
        balance = fmax(balance, fabs(M + e->bias[i] - right) / state->system->layout.units.column_scale[i]);
        whole = fmax(whole, size / state->system->layout.units.column_scale[i]);
    }
    worst = fmax(balance, bias) / whole;
    if (!moves_by_time(state))
        worst = fmax(worst, fabs(kinetic - e->kinetic) / (fabs(e->kinetic) + 1e-300));
    for (int r = 0; r < e->n_rows; r++) {
        double sum = -e->rows[r].gamma, size = fabs(sum);
        for (size_t j = 0; j < n; j++) {
            sum += e->A[(size_t)r * n + j] * e->vd[j];
            size += fabs(e->A[(size_t)r * n + j] * e->vd[j]);
        }
        if (size > 1e-6)
            worst = fmax(worst, fabs(sum) / fmax(size, 1));
    }
    return worst;
}

static double condition_of(const double *values, int n)
{
    double most = 0, least = INFINITY;
    for (int i = 0; i < n; i++)
        most = fmax(most, values[i]);
    for (int i = 0; i < n; i++)
        least = values[i] > 1e-12 * most ? fmin(least, values[i]) : least;
    return n ? most / least : 1;
}

/* Rounding times the condition of M, and of A squared (saddle matrices lose eps/d^2 at the distance d from a singular position); columns in
 * metres, rows at unit norm; directions without mass and redundant rows left out. */
static double tolerance_of(const dal_state *state, const dal_evaluation *e)
{
    const size_t n = (size_t)e->nv, r = (size_t)e->n_rows;
    const double *S = state->system->layout.units.column_scale;
    double *M = calloc(n * n + r * n + n + r, sizeof *M), *A = M + n * n, *values = A + r * n;
    double *work = calloc(dal_rank_work((int)(n + r), (int)n), sizeof *work);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = e->M[i * n + j] / S[i] / S[j];
    for (size_t i = 0; i < r; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += pow(e->A[i * n + j] / S[j], 2);
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = e->A[i * n + j] / S[j] / sqrt(sum);
    }
    assert_int_equal(dal_symmetric_eigen(M, e->nv, e->nv, values, NULL, work), 0);
    const double of_M = condition_of(values, e->nv);
    if (r)
        dal_rank_svd(A, e->n_rows, e->nv, e->nv, 1e-10, values, NULL, NULL, work);
    const double of_A = condition_of(values, r ? e->n_rows < e->nv ? e->n_rows : e->nv : 0);
    free(M), free(work);
    return 1e-12 + 10 * DBL_EPSILON * (of_M + of_A * of_A);
}

static void identities(const char *file, const char *family, const char *formulation, double *worst)
{
    dal_system *system = compile(file, family, formulation);
    if (!system)
        return;
    dal_state *state = dal_state_create(NULL, system);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        dal_instant *instant = NULL;
        assert_int_equal(dal_instant_random(NULL, state, 77 * seed, NULL, &instant), DAL_OK);
        uint64_t more = seed;
        for (int k = 0; k < system->layout.nv && !system->method.formulation->ignores; k++)
            instant->forces[k] = 3 * check_random(&more);
        dal_evaluation *e = evaluate(state, instant, false);
        double miss = miss_identities(state, e);
        *worst = fmax(*worst, miss);
        if (!(miss < 10 * tolerance_of(state, e)))
            fail_msg("%s, %s, %s, seed %d: an identity is missed by %.3g", file, family, formulation, (int)seed, miss);
        for (int r = 0; r < e->n_rows; r++)
            check_small(e->rows[r].position, 1e-9 * fmax(1, system->layout.units.length));
        dal_evaluation_free(e);
        dal_instant_free(instant);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void the_parts_add_up_to_the_equations_of_motion_in_every_family_and_formulation(void **unused)
{
    (void)unused;
    static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "kane", "maggi", "routh", "recursive"};
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++) {
        double worst = 0;
        for (int f = 0; gallery_families[f]; f++)
            for (size_t k = 0; k < sizeof formulations / sizeof *formulations; k++)
                if (check_sampled((int)i + f + (int)k, 3, 9))
                    identities(g.found.gl_pathv[i], gallery_families[f]->name, formulations[k], &worst);
        print_message("  %-44s %.1e\n", strrchr(g.found.gl_pathv[i], '/') + 1, worst);
    }
    gallery_close(&g);
}

/* ---- forward and inverse ------------------------------------------------------------------ */

static double relative_distance(const dal_system *system, const double *a, const double *b)
{
    double most = 0, size = 1e-300;
    for (int k = 0; k < system->layout.nv; k++) {
        most = fmax(most, fabs(a[k] - b[k]) * system->layout.units.column_scale[k]);
        size = fmax(size, fmax(fabs(a[k]), fabs(b[k])) * system->layout.units.column_scale[k]);
    }
    return most / size;
}

/* Forces -> accelerations -> torques -> accelerations; without constraints and motors the torques are the forces. */
static void there_and_back(const char *file, const char *family)
{
    dal_system *system = compile(file, family, "lagrange");
    if (!system || system->acting.n_frictions) {
        dal_system_free(system);
        return;
    }
    dal_state *state = dal_state_create(NULL, system);
    const int nv = system->layout.nv;
    for (uint64_t seed = 5; seed < 8; seed++) {
        dal_instant *instant = NULL;
        uint64_t more = seed;
        double forces[400];
        if (nv > 400)
            break;
        assert_int_equal(dal_instant_random(NULL, state, seed, NULL, &instant), DAL_OK);
        for (int k = 0; k < nv; k++)
            forces[k] = instant->forces[k] = 2 * check_random(&more);
        dal_evaluation *forward = evaluate(state, instant, false);
        memcpy(instant->accelerations, forward->vd, sizeof(double) * (size_t)nv);
        memset(instant->forces, 0, sizeof(double) * (size_t)nv);
        dal_evaluation *inverse = evaluate(state, instant, true);
        const dal_inverse *i = inverse->inverse;
        if (i->verdict != DAL_INVERSE_TOO_FEW) {
            if (!i->achieved || !(relative_distance(system, inverse->vd, forward->vd) < 1e-9))
                fail_msg("%s, %s: the torques give accelerations that are off by %.3g", file, family,
                         relative_distance(system, inverse->vd, forward->vd));
            if (!(miss_identities(state, inverse) < 100 * tolerance_of(state, inverse)))
                fail_msg("%s, %s: with the torques an identity is missed by %.3g", file, family, miss_identities(state, inverse));
        }
        if (!system->layout.n_rows && !i->motors) {
            assert_int_equal(i->verdict, DAL_INVERSE_UNIQUE);
            for (int k = 0; k < nv; k++)
                check_close(i->torques[k], forces[k], 1e-9 * (largest(forward->bias, nv) + largest(forward->applied, nv) + 2));
        }
        dal_evaluation_free(inverse);
        dal_evaluation_free(forward);
        dal_instant_free(instant);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void inverse_undoes_forward(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++)
            if (check_sampled((int)i + f, 2, 4))
                there_and_back(g.found.gl_pathv[i], gallery_families[f]->name);
    gallery_close(&g);
}

/* ---- a parallelogram: closed forms ---------------------------------------------------------- */

/* Cranks of length l turn alike, the coupler only moves: with J = Ia + ma l^2/4 + Ic + mc l^2/4 + mb l^2 and the angle th of the cranks,
 *     tau = J th'' + g l cos th (ma/2 + mb + mc/2) */
#define PARALLELOGRAM(forces)                                                                                                                        \
    "dalembert: 1\nname: P\nspace: planar\nparameters: {l: 1.37, d: 2.11}\ngravity: [0, -9.81]\nground: {points: {A: [0, 0], D: [d, "                \
    "0]}}\n"                                                                                                                                         \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1.9, inertia: 0.31, position: [l/2*cos(0.7), l/2*sin(0.7)], angle: 0.7, points: {A: [-l/2, 0], B: [l/2, 0]}}\n"                     \
    "  b: {mass: 2.3, inertia: 0.77, position: [l*cos(0.7) + d/2, l*sin(0.7)], angle: 0, points: {B: [-d/2, 0], C: [d/2, 0]}}\n"                     \
    "  c: {mass: 0.8, inertia: 0.23, position: [d + l/2*cos(0.7), l/2*sin(0.7)], angle: 0.7, points: {D: [-l/2, 0], C: [l/2, 0]}}\n"                 \
    "joints:\n  A: {type: revolute, connect: [ground.A, a.A]}\n  B: {type: revolute, connect: [a.B, b.B]}\n"                                         \
    "  C: {type: revolute, connect: [b.C, c.C]}\n  D: {type: revolute, connect: [ground.D, c.D]}\n" forces

static double parallelogram_torque(double th, double thdd)
{
    const double l = 1.37, J = 0.31 + 1.9 * l * l / 4 + 0.23 + 0.8 * l * l / 4 + 2.3 * l * l;
    return J * thdd + 9.81 * l * cos(th) * (1.9 / 2 + 2.3 + 0.8 / 2);
}

typedef struct problem {
    dal_system *system;
    dal_state *state;
    dal_messages *messages;
    dal_evaluation *e;
} problem;

static dal_status solve(problem *p, const char *text, const char *family, const char *file, bool nearest)
{
    const dal_evaluation_options options = {.inverse = true, .nearest = nearest};
    dal_instant *instant = NULL;
    p->messages = dal_messages_create(NULL);
    p->system = gallery_compile_text(text, family, "lagrange");
    p->state = dal_state_create(NULL, p->system);
    p->e = NULL;
    dal_status status = dal_instant_parse(NULL, p->system, "s.json", file, strlen(file), p->messages, &instant);
    if (status == DAL_OK)
        status = dal_evaluate(NULL, p->state, instant, &options, p->messages, &p->e);
    dal_instant_free(instant);
    return status;
}

static void end(problem *p)
{
    dal_evaluation_free(p->e);
    dal_state_free(p->state);
    dal_system_free(p->system);
    dal_messages_free(p->messages);
}

static const char *first_text(const problem *p)
{
    const dal_message *m = dal_messages_first(p->messages);
    return m ? m->text : "";
}

/* Angle th, rate w, wanted a of the cranks: joint coordinates (of those joints that the tree took), or coordinates of the bodies. */
static void parallelogram_state(const char *text, const char *family, char *buffer, size_t size)
{
    const double l = 1.37, d = 2.11, th = 0.7, w = 1.3, a = -2.9, s = l * sin(th), c = l * cos(th);
    const struct {
        const char *name;
        double q, rate;
    } all[] = {
        {"A.angle", th, w},         {"B.angle", -th, -w},           {"C.angle", th, w},        {"D.angle", th, w}, /* b turns against a, c against b */
        {"a.x", c / 2, -s / 2 * w}, {"a.y", s / 2, c / 2 * w},      {"a.angle", th, w},        {"b.x", c + d / 2, -s * w}, {"b.y", s, c * w},
        {"b.angle", 0, 0},          {"c.x", d + c / 2, -s / 2 * w}, {"c.y", s / 2, c / 2 * w}, {"c.angle", th, w}};
    dal_system *system = gallery_compile_text(text, family, "lagrange");
    char label[64];
    int used[2] = {0, 0};
    char part[2][800];
    for (int k = 0; dal_rate_label(system, k, label, sizeof label); k++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (!strcmp(label, all[i].name))
                for (int rate = 0; rate < 2; rate++)
                    used[rate] += snprintf(part[rate] + used[rate], sizeof part[rate] - (size_t)used[rate], "%s\"%s\": %.17g", k ? ", " : "", label,
                                           rate ? all[i].rate : all[i].q);
    snprintf(buffer, size, "{\"q\": {%s}, \"rates\": {%s}, \"accelerations\": {\"%s\": %.17g}}", part[0], part[1],
             !strcmp(family, "joint") ? "A" : "a.angle", a);
    dal_system_free(system);
}

static void a_linkage_with_one_motor_takes_the_torque_of_virtual_power(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("forces:\n  drive: {type: motor, joint: A, value: 55.5}\n");
    static const char *const families[] = {"joint", "angle"};
    for (int f = 0; f < 2; f++) {
        char file[2400];
        problem p;
        parallelogram_state(text, families[f], file, sizeof file);
        if (solve(&p, text, families[f], file, false) != DAL_OK)
            fail_msg("%s: %s", families[f], first_text(&p));
        const dal_inverse *i = p.e->inverse;
        assert_true(i->motors && i->achieved);
        assert_int_equal(i->verdict, DAL_INVERSE_UNIQUE);
        assert_string_equal(i->actuators.names[0], "drive");
        check_close(i->actuators.values[0], parallelogram_torque(0.7, -2.9), 1e-11 * 100);
        assert_int_equal(dal_messages_count(p.messages, DAL_WARNING), 0);
        end(&p);
    }
}

/* Both cranks turn alike, so of all pairs with the same sum the least is the equal one. */
static void two_motors_for_one_freedom_share_by_least_norm_and_it_is_said(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("forces:\n  m1: {type: motor, joint: A, value: 0}\n  m2: {type: motor, joint: D, value: 4}\n");
    char file[2400];
    problem p;
    parallelogram_state(text, "angle", file, sizeof file);
    assert_int_equal(solve(&p, text, "angle", file, false), DAL_OK);
    const dal_inverse *i = p.e->inverse;
    assert_int_equal(i->verdict, DAL_INVERSE_LEAST_NORM);
    assert_non_null(strstr(i->text, "2 motors for 1 freedom: the torques of least norm"));
    for (int k = 0; k < 2; k++)
        check_close(i->actuators.values[k], parallelogram_torque(0.7, -2.9) / 2, 1e-11 * 100);
    end(&p);
}

/* A model without motors has an actuator on every coordinate: that the torques do the same is seen by the power, tau . v' for each
 * motion. */
static void without_motors_every_coordinate_has_one(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("");
    char file[2400];
    problem p;
    parallelogram_state(text, "joint", file, sizeof file);
    assert_int_equal(solve(&p, text, "joint", file, false), DAL_OK);
    const dal_inverse *i = p.e->inverse;
    double power = 0;
    assert_int_equal(i->verdict, DAL_INVERSE_LEAST_NORM);
    assert_int_equal(i->n_actuators, 3);
    assert_int_equal(i->freedoms, 1);
    for (int k = 0; k < p.e->nv; k++)
        power += i->torques[k] * p.e->v[k];
    check_close(power, parallelogram_torque(0.7, -2.9) * 1.3, 1e-11 * 100);
    end(&p);
}

static void accelerations_that_contradict_a_loop_are_refused_by_its_joint(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("");
    static const char *const wrong = "\"accelerations\": {\"a.angle\": -2.9, \"c.angle\": 1.5}}";
    char file[2400];
    problem p;
    parallelogram_state(text, "angle", file, sizeof file);
    strcpy(strstr(file, "\"accelerations\""), wrong);
    assert_int_equal(solve(&p, text, "angle", file, false), DAL_BAD_MODEL);
    if (!strstr(first_text(&p), "contradict the constraints: row '"))
        fail_msg("%s", first_text(&p));
    end(&p);
    assert_int_equal(solve(&p, text, "angle", file, true), DAL_OK);
    assert_true(p.e->inverse->achieved && p.e->inverse->moved > 0.1);
    for (int r = 0; r < p.e->n_rows; r++) { /* the nearest meet the rows */
        double sum = -p.e->rows[r].gamma;
        for (int k = 0; k < p.e->nv; k++)
            sum += p.e->A[r * p.e->nv + k] * p.e->inverse->wanted[k];
        check_small(sum, 1e-12 * 100);
    }
    end(&p);
}

/* One motor, two freedoms. Gauss: the missing accelerations y are orthogonal to what the motor can do, B^T y = 0: its own joint gets
 * what was wanted. */
static void a_missing_motor_is_reported_with_what_it_fails_to_give(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nname: D\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies:\n  a: {mass: 1.3, inertia: 0.21, position: [0.4, 0.1], points: {P: [-0.4, 0], Q: [0.5, 0.1]}}\n"
                               "  b: {mass: 0.7, inertia: 0.11, position: [1.1, 0.2], points: {Q: [-0.3, 0]}}\n"
                               "joints:\n  P: {type: revolute, connect: [ground, a.P]}\n  Q: {type: revolute, connect: [a.Q, b.Q]}\n"
                               "forces:\n  m: {type: motor, joint: Q, value: 0}\n";
    problem p;
    assert_int_equal(solve(&p, text, "joint", "{\"q\": [0.3, -0.8], \"rates\": [1.1, 0.4], \"accelerations\": [2, -1]}", false), DAL_OK);
    const dal_inverse *i = p.e->inverse;
    assert_int_equal(i->verdict, DAL_INVERSE_TOO_FEW);
    assert_false(i->achieved);
    assert_true(fabs(i->missing[0]) > 0.1);
    check_close(p.e->vd[1], -1, 1e-11 * 100);
    check_close(p.e->vd[0], 2 + i->missing[0], 1e-12 * 100);
    assert_non_null(strstr(i->text, "too few"));
    /* what it can give, it gives: the accelerations of some torque */
    dal_instant *instant = NULL;
    assert_int_equal(dal_instant_create(NULL, p.system, &instant), DAL_OK);
    instant->q[0] = 0.3, instant->q[1] = -0.8, instant->rates[0] = 1.1, instant->rates[1] = 0.4, instant->forces[1] = 0.77;
    dal_evaluation *forward = evaluate(p.state, instant, false);
    memcpy(instant->accelerations, forward->vd, 2 * sizeof(double));
    instant->wanted[0] = instant->wanted[1] = true;
    instant->forces[1] = 0;
    dal_evaluation *back = evaluate(p.state, instant, true);
    assert_true(back->inverse->achieved);
    assert_int_equal(back->inverse->verdict, DAL_INVERSE_TOO_FEW);
    check_close(back->inverse->actuators.values[0], 0.77, 1e-11 * 100);
    dal_evaluation_free(back);
    dal_evaluation_free(forward);
    dal_instant_free(instant);
    end(&p);
}

/* A dry bearing takes mu r |F| from the motor, and F is what holds the arm on its circle: F = m c'' - m g. */
static void a_motor_overcomes_the_friction_that_its_own_motion_causes(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nname: B\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {arm: {mass: 1.9, inertia: 0.2, position: [0.45, 0], points: {P: [-0.45, 0]}}}\n"
                               "joints: {J: {type: revolute, connect: [ground, arm.P], friction: {coefficient: 0.3, radius: 0.08}}}\n"
                               "forces: {m: {type: motor, joint: J, value: 0}}\n";
    const double th = 0.4, w = -1.7, a = 25, c = 0.45, m = 1.9;
    const double F = hypot(m * c * (-w * w * cos(th) - a * sin(th)), m * c * (-w * w * sin(th) + a * cos(th)) + m * 9.81);
    char file[200];
    problem p;
    snprintf(file, sizeof file, "{\"q\": {\"J\": %g}, \"rates\": {\"J\": %g}, \"accelerations\": {\"J\": %g}}", th, w, a);
    assert_int_equal(solve(&p, text, "joint", file, false), DAL_OK);
    assert_true(p.e->inverse->achieved);
    check_close(p.e->inverse->actuators.values[0], (0.2 + m * c * c) * a + m * 9.81 * c * cos(th) - 0.3 * 0.08 * F, 1e-7);
    check_close(p.e->vd[0], a, 1e-7);
    end(&p);
}

/* A motor of the inverse problem is no reaction: what the joint transmits is the same in coordinates `angle`, where it comes from
 * multipliers. */
static void reactions_under_the_torques_are_those_of_other_coordinates(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("forces:\n  drive: {type: motor, joint: D, value: 3.3}\n");
    char file[2][2400];
    problem p[2];
    parallelogram_state(text, "joint", file[0], sizeof file[0]);
    parallelogram_state(text, "angle", file[1], sizeof file[1]);
    assert_int_equal(solve(&p[0], text, "joint", file[0], false), DAL_OK);
    assert_int_equal(solve(&p[1], text, "angle", file[1], false), DAL_OK);
    assert_int_equal(p[0].e->n_reactions, 4);
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 3; k++) {
            check_close(p[0].e->reactions[j].force[k], p[1].e->reactions[j].force[k], 1e-10 * 100);
            check_close(p[0].e->reactions[j].torque[k], p[1].e->reactions[j].torque[k], 1e-10 * 100);
        }
    end(&p[0]);
    end(&p[1]);
}

/* ---- state files ---------------------------------------------------------------------------------- */

static const char robot[] = "dalembert: 1\nname: R\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                            "bodies:\n  base: {mass: 3, inertia: [0.4, 0.5, 0.6]}\n  arm: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}\n"
                            "joints:\n  S: {type: revolute, connect: [base, arm], axis: [0, 1, 0]}\n";

static const struct {
    const char *text, *says;
    int line, column;
} faulty[] = {
    {"", "is empty", 1, 1},
    {"  \n\t\n", "is empty", 1, 1},
    {"[1, 2]", "a state file is an object", 1, 1},
    {"3", "a state file is an object", 1, 1},
    {"{\"q\": {\"S\": 1}", NULL, 0, 0},
    {"{\"q\": {\"S\": 1}}}", NULL, 0, 0},
    {"{\"Q\": {\"S\": 1}}", "'Q' is not a key of a state file", 1, 2},
    {"{\"rate\": {\"S\": 1}}", "did you mean 'rates'?", 1, 2},
    {"{\"q\": {\"S.angel\": 1}}", "did you mean 'S.angle'?", 1, 8},
    {"{\"q\": {\"T\": 1}}", "'T' in 'q' is not a coordinate", 1, 8},
    {"{\"rates\": {\"base.qw\": 1}}", "'base.qw' in 'rates' is not a rate", 1, 12},
    {"{\"q\": {\"S\": \"one\"}}", "'S' in 'q' needs a number", 1, 13},
    {"{\"q\": {\"S\": \"1\"}}", "needs a number; the text '1' was found", 1, 13},
    {"{\"q\": {\"S\": NaN}}", "'S' in 'q' needs a number", 1, 13},
    {"{\"q\": {\"S\": 1e999}}", "needs a number that a double can hold", 1, 13},
    {"{\"q\": {\"S\": 0x10}}", "'S' in 'q' needs a number", 1, 13},
    {"{\"q\": {\"S\": null}}", NULL, 0, 0},
    {"{\"q\": {\"S\": [1]}}", "'S' in 'q' needs a number", 1, 13},
    {"{\"q\": {\"S\": 1,\n \"S\": 2}}", NULL, 0, 0},
    {"{\"q\": {\"S\": 1,\n \"S.angle\": 2}}", "'S.angle' in 'q' is given twice, here as 'S.angle'", 2, 2},
    {"{\"q\": [1, 2, 3]}", "'q' has 3 numbers; this model has 8 coordinates", 1, 7},
    {"{\"rates\": [1, 2, 3, 4, 5, 6, 7, 8]}", "'rates' has 8 numbers; this model has 7 rates", 1, 11},
    {"{\"forces\": [1, 2, 3, 4, 5, 6, \"x\"]}", "number 7 of 'forces'", 1, 31},
    {"{\"q\": 0.3}", "'q' needs an object by name", 1, 7},
    {"{\"q\": {\"base.qw\": 0}}", "it is not an attitude", 1, 7},
    {"{\"time\": \"now\"}", "'time' needs a number", 1, 10},
    {"{\"states\": {\"z\": 1}}", "'z' in 'states' is not a state of the model", 1, 13},
    {"{\"states\": 3}", "'states' needs an object by name", 1, 12},
    {"{\"sequences\": {\"base\": \"zyx\"}}", "'base' in 'sequences' has no Euler angles", 1, 16},
    {"{\"model\": \"a\",\n \"q\": {\"S\": 1}, \"row\": [], \"M\": [1]}", "3 of its keys are unknown ('model', 'row', 'M')", 1, 2},
    {"{\"time\": [0]}", "'time' needs a number", 1, 10},
    {"{\"q\": {\"S\": 1}, \"q\": {\"S\": 2}}", NULL, 0, 0},
};

static void faulty_state_files_are_refused_at_their_place(void **unused)
{
    (void)unused;
    dal_system *system = gallery_compile_text(robot, "joint", "lagrange");
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_instant *instant = NULL;
        assert_int_equal(dal_instant_parse(NULL, system, "s.json", faulty[i].text, strlen(faulty[i].text), messages, &instant), DAL_BAD_MODEL);
        assert_null(instant);
        const dal_message *m = dal_messages_first(messages);
        assert_non_null(m);
        assert_string_equal(m->mark.file, "s.json");
        assert_true(dal_messages_count(messages, DAL_ERROR) == 1 || !strstr(faulty[i].text, "model"));
        if (faulty[i].says && (!strstr(m->text, faulty[i].says) || m->mark.line != faulty[i].line || m->mark.column != faulty[i].column))
            fail_msg("%s: %d:%d: %s", faulty[i].text, m->mark.line, m->mark.column, m->text);
        assert_int_equal(dal_instant_parse(NULL, system, "s.json", faulty[i].text, strlen(faulty[i].text), NULL, &instant), DAL_BAD_MODEL);
        dal_messages_free(messages);
    }
    dal_system_free(system);
}

/* Bytes changed, dropped and doubled: read or refused, never worse. */
static void damaged_state_files_do_no_harm(void **unused)
{
    (void)unused;
    static const char good[] =
        "{\"time\": 2.5, \"q\": {\"S\": 0.3, \"base.qx\": 3}, \"rates\": {\"S.angle'\": 7e-1}, \"forces\": [1, 2, 3, 4, 5, 6, 7]}";
    static const char bytes[] = "{}[]\":,'\\.-+eE0123456789 \t\n#&*!|>%@`~\xff\x01";
    dal_system *system = gallery_compile_text(robot, "joint", "lagrange");
    uint64_t seed = 2;
    for (int i = 0; i < 5000; i++) {
        char text[200];
        size_t n = sizeof good - 1;
        memcpy(text, good, n);
        for (int k = 0; k < 1 + i % 4; k++) {
            size_t at = (size_t)(0.5 * (check_random(&seed) + 1) * (double)n),
                   which = (size_t)(0.5 * (check_random(&seed) + 1) * (double)(sizeof bytes - 1));
            if (i % 3 == 0 && n > 1)
                memmove(text + at, text + at + 1, --n - at);
            else if (i % 3 == 1 && n < sizeof text - 1)
                memmove(text + at + 1, text + at, n++ - at);
            else
                text[at] = bytes[which];
        }
        dal_instant *instant = NULL;
        dal_messages *messages = dal_messages_create(NULL);
        dal_status status = dal_instant_parse(NULL, system, "s.json", text, n, messages, &instant);
        assert_true(status == DAL_OK || status == DAL_BAD_MODEL);
        assert_true((status == DAL_OK) == (instant != NULL) && (status == DAL_OK) == !dal_messages_count(messages, DAL_ERROR));
        dal_messages_free(messages);
        dal_instant_free(instant);
    }
    dal_system_free(system);
}

static void a_state_file_says_what_it_means(void **unused)
{
    (void)unused;
    static const char text[] = "{\"time\": 2.5, \"q\": {\"S\": 0.3, \"base.qx\": 3, \"base.qw\": 4, \"base.x\": -1e-3},\n"
                               " \"rates\": {\"S.angle'\": 7, \"base.wy\": 2, \"base.x\": 1}, \"forces\": [1, 2, 3, 4, 5, 6, 7]}";
    dal_system *system = gallery_compile_text(robot, "joint", "lagrange");
    dal_messages *messages = dal_messages_create(NULL);
    dal_instant *s = NULL;
    assert_int_equal(dal_instant_parse(NULL, system, "s.json", text, strlen(text), messages, &s), DAL_OK);
    const double q[] = {-1e-3, 0, 0, 0.8, 0.6, 0, 0, 0.3}, v[] = {1, 0, 0, 0, 2, 0, 7};
    char label[64];
    for (int k = 0; k < 8; k++)
        check_close(s->q[k], q[k], 1e-16);
    for (int k = 0; k < 7; k++) {
        assert_true(s->rates[k] == v[k]);
        assert_true(s->forces[k] == k + 1);
    }
    assert_true(s->time == 2.5);
    assert_int_equal(dal_messages_count(messages, DAL_NOTE), 1); /* a quaternion of length 5 */
    assert_true(dal_tree_coordinate(system, 3, label, sizeof label));
    assert_string_equal(label, "base.qw");
    assert_true(dal_tree_velocity(system, 6, label, sizeof label));
    assert_string_equal(label, "S.angle");
    assert_false(dal_tree_velocity(system, 7, label, sizeof label) || dal_tree_coordinate(system, -1, label, sizeof label));
    dal_instant_free(s);
    assert_int_equal(dal_instant_parse(NULL, system, "s.json", "{}", 2, messages, &s), DAL_OK); /* missing: zero, and no turn */
    for (int k = 0; k < 8; k++)
        assert_true(s->q[k] == (k == 3));
    dal_instant_free(s);
    dal_messages_free(messages);
    dal_system_free(system);
}

static void a_state_off_the_constraints_is_evaluated_as_it_is_and_said(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("");
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    dal_messages *messages = dal_messages_create(NULL);
    char file[2400];
    dal_instant *instant = NULL;
    dal_evaluation *e = NULL;
    parallelogram_state(text, "angle", file, sizeof file);
    assert_int_equal(dal_instant_parse(NULL, system, "s.json", file, strlen(file), messages, &instant), DAL_OK);
    instant->q[0] += 0.01;
    instant->rates[4] += 0.02;
    assert_int_equal(dal_evaluate(NULL, state, instant, NULL, messages, &e), DAL_OK);
    assert_int_equal(dal_messages_count(messages, DAL_WARNING), 2);
    assert_non_null(strstr(dal_messages_first(messages)->text, "off by 0.01 m"));
    assert_true(!memcmp(e->q, instant->q, sizeof *e->q * (size_t)e->nq) && !memcmp(e->v, instant->rates, sizeof *e->v * (size_t)e->nv));
    check_close(e->position_residual, 0.01, 1e-12);
    dal_evaluation_free(e);
    dal_instant_free(instant);
    dal_messages_free(messages);
    dal_state_free(state);
    dal_system_free(system);
}

static void a_random_state_is_the_same_for_the_same_seed(void **unused)
{
    (void)unused;
    char why[512];
    dal_system *system = gallery_compile(DAL_MODELS "/n-four-bar.yaml", "joint", "lagrange", why);
    dal_state *state[2] = {dal_state_create(NULL, system), dal_state_create(NULL, system)};
    dal_instant *a, *b, *c;
    assert_int_equal(dal_instant_random(NULL, state[0], 11, NULL, &a), DAL_OK);
    assert_int_equal(dal_instant_random(NULL, state[0], 12, NULL, &c), DAL_OK);
    assert_int_equal(dal_instant_random(NULL, state[1], 11, NULL, &b), DAL_OK);
    assert_memory_equal(a->q, b->q, sizeof *a->q * (size_t)a->nq);
    assert_memory_equal(a->rates, b->rates, sizeof *a->rates * (size_t)a->nv);
    assert_memory_not_equal(a->q, c->q, sizeof *a->q * (size_t)a->nq);
    dal_instant_free(a);
    dal_instant_free(b);
    dal_instant_free(c);
    dal_state_free(state[0]);
    dal_state_free(state[1]);
    dal_system_free(system);
}

/* Whichever piece of memory is missing: a status, nothing left behind. */
static void without_memory_there_is_a_status_and_no_leak(void **unused)
{
    (void)unused;
    static const char text[] = PARALLELOGRAM("forces:\n  m1: {type: motor, joint: A, value: 0}\n  m2: {type: motor, joint: D, value: 4}\n");
    static const dal_evaluation_options options = {.inverse = true};
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    char file[2400];
    bool whole = false;
    parallelogram_state(text, "angle", file, sizeof file);
    for (int n = 0; !whole; n++) {
        ration r = {n, 0};
        const dal_allocator source = {take_rationed, release_rationed, &r};
        dal_instant *instant = NULL;
        dal_evaluation *e = NULL;
        dal_status status = dal_instant_parse(&source, system, "s.json", file, strlen(file), NULL, &instant);
        assert_true((status == DAL_OK) == (instant != NULL));
        if (status == DAL_OK)
            status = dal_evaluate(&source, state, instant, &options, NULL, &e);
        assert_true(status == DAL_OK || status == DAL_NO_MEMORY);
        assert_true((status == DAL_OK) == (e != NULL));
        whole = status == DAL_OK;
        dal_evaluation_free(e);
        dal_instant_free(instant);
        assert_int_equal(r.taken, 0);
        assert_true(n < 10000);
    }
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- other engines --------------------------------------------------------------------------------- */

static void copy_list(const json *list, double *out, int n)
{
    assert_int_equal(list->n, n);
    for (int k = 0; k < n; k++)
        out[k] = json_at(list, k)->number;
}

/* q, rates and torques of a robot; accelerations and the diagonal of M as seven other engines have them. */
static void agree_with_others(const char *name)
{
    char path[512], model[512];
    json_file file;
    snprintf(path, sizeof path, DAL_REFERENCE "/%s.json", name);
    snprintf(model, sizeof model, DAL_REFERENCE "/robots/%s.urdf", name);
    const json *root = json_open(&file, path);
    assert_non_null(root);
    dal_system *system = compile(model, "joint", "lagrange");
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    dal_instant *s;
    assert_int_equal(dal_instant_create(NULL, system, &s), DAL_OK);
    double vd[64];
    copy_list(json_get(root, "q"), s->q, s->nq);
    copy_list(json_get(root, "qd"), s->rates, s->nv);
    copy_list(json_get(root, "tau"), s->forces, s->nv);
    copy_list(json_get(root, "qdd"), vd, s->nv);
    dal_evaluation *e = evaluate(state, s, false);
    for (int k = 0; k < s->nv; k++) {
        check_close(e->vd[k], vd[k], 1e-10 * largest(vd, s->nv));
        check_close(e->M[k * s->nv + k], json_at(json_get(root, "Mdiag"), k)->number, 1e-12);
    }
    /* and back: the torques of these accelerations */
    memcpy(s->accelerations, vd, sizeof *vd * (size_t)s->nv);
    memset(s->forces, 0, sizeof *s->forces * (size_t)s->nv);
    dal_evaluation *inverse = evaluate(state, s, true);
    for (int k = 0; k < s->nv; k++)
        check_close(inverse->inverse->torques[k], json_at(json_get(root, "tau"), k)->number, 1e-10 * largest(vd, s->nv));
    dal_evaluation_free(inverse);
    dal_evaluation_free(e);
    dal_instant_free(s);
    dal_state_free(state);
    dal_system_free(system);
    json_close(&file);
}

static void a_chain_of_7_moves_as_in_other_engines(void **unused)
{
    (void)unused;
    agree_with_others("chain7");
}

static void a_chain_of_20_moves_as_in_other_engines(void **unused)
{
    (void)unused;
    agree_with_others("chain20");
}

static void an_arm_of_7_axes_moves_as_in_other_engines(void **unused)
{
    (void)unused;
    agree_with_others("arm7");
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_add_up_to_the_equations_of_motion_in_every_family_and_formulation),
        cmocka_unit_test(inverse_undoes_forward),
        cmocka_unit_test(a_linkage_with_one_motor_takes_the_torque_of_virtual_power),
        cmocka_unit_test(two_motors_for_one_freedom_share_by_least_norm_and_it_is_said),
        cmocka_unit_test(without_motors_every_coordinate_has_one),
        cmocka_unit_test(accelerations_that_contradict_a_loop_are_refused_by_its_joint),
        cmocka_unit_test(a_missing_motor_is_reported_with_what_it_fails_to_give),
        cmocka_unit_test(a_motor_overcomes_the_friction_that_its_own_motion_causes),
        cmocka_unit_test(reactions_under_the_torques_are_those_of_other_coordinates),
        cmocka_unit_test(faulty_state_files_are_refused_at_their_place),
        cmocka_unit_test(damaged_state_files_do_no_harm),
        cmocka_unit_test(a_state_file_says_what_it_means),
        cmocka_unit_test(a_state_off_the_constraints_is_evaluated_as_it_is_and_said),
        cmocka_unit_test(a_random_state_is_the_same_for_the_same_seed),
        cmocka_unit_test(without_memory_there_is_a_status_and_no_leak),
        cmocka_unit_test(a_chain_of_7_moves_as_in_other_engines),
        cmocka_unit_test(a_chain_of_20_moves_as_in_other_engines),
        cmocka_unit_test(an_arm_of_7_axes_moves_as_in_other_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
