/* Exact derivatives of accelerations and of y' (src/dynamics/slopes.c, dalembert/derivatives.h), for every model, family and formulation. */
#include "gallery.h"
#include "json.h"
#include "ration.h"
#include "dynamics/slopes.h"
#include "state/scale.h"
#include "state/values.h"

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---- y' by y, against differences of sixth order -------------------------------------------------------- */

typedef struct subject {
    const char *file, *family, *formulation;
    dal_system *system;
    dal_state *state;
    double t, *y, *x, *unit, *exact;
} subject;

/* (f(y + step x) - ...) / step; false: it cannot be evaluated there. */
static bool differences(subject *s, double step, double *out)
{
    static const double weight[7] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
    const int n = s->system->n_y;
    double *y = numbers(n), *f = numbers(n);
    bool done = true;
    memset(out, 0, sizeof *out * (size_t)n);
    for (int i = 0; i < 7 && done; i++) {
        if (i == 3)
            continue;
        for (int k = 0; k < n; k++)
            y[k] = s->y[k] + step * (i - 3) * s->x[k];
        done = !dal_state_derivative(s->state, s->t, y, f);
        for (int k = 0; k < n; k++)
            out[k] += weight[i] * f[k] / step;
    }
    free(y), free(f);
    return done;
}

static double largest(const subject *s, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < s->system->n_y; k++)
        most = fmax(most, fabs(a[k] - (b ? b[k] : 0)) / s->unit[k]);
    return most;
}

static bool whole_product; /* else every seventh of models, families and formulations */
static int smooth, rough;

/* A direction that the rows allow: how v' answers to a force, A dv' = 0. */
static void make_tangent(subject *s, uint64_t *seed)
{
    const dal_layout *layout = &s->system->layout;
    double *tau = numbers(layout->nv), *dq = numbers(layout->nv);
    for (int k = 0; k < layout->nv; k++)
        tau[k] = check_random(seed) * layout->units.mass * layout->units.column_scale[k];
    dal_slopes_by_force(s->state, tau, dq, NULL);
    memcpy(s->x, dq, sizeof *dq * (size_t)layout->nv);
    free(tau), free(dq);
}

static void check_rates(subject *s, uint64_t *seed)
{
    const int n = s->system->n_y;
    double *coarse = numbers(n), *fine = numbers(n);
    assert_int_equal(dal_state_derivative(s->state, s->t, s->y, fine), 0);
    if (dal_slopes_ready(s->state))
        fail_msg("%s, %s, %s: no derivatives", s->file, s->family, s->formulation);
    /* formulations on bodies take R for a rotation, also where natural coordinates leave their rows */
    if (s->system->layout.family->separated && s->system->method.formulation->unpack)
        make_tangent(s, seed);
    assert_int_equal(dal_slopes_rates(s->state, s->x, s->exact), 0);
    const bool done = differences(s, 2e-3, coarse) && differences(s, 1e-3, fine);
    if (s->system->layout.placement) /* the work of the constraints off the constraints has no exact derivative, and nothing depends on it */
        for (int k = s->system->n_control; k < n; k++)
            coarse[k] = fine[k] = s->exact[k] = 0;
    const double size = largest(s, fine, NULL), apart = largest(s, fine, coarse);
    if (!done || !(apart <= 1e-8 * size)) { /* a corner, or something stiff: another state would do */
        rough++;
    } else {
        smooth++;
        if (!(largest(s, fine, s->exact) <= 1e-7 * size))
            fail_msg("%s, %s, %s: y' changes otherwise by differences: %.3g of %.3g", s->file, s->family, s->formulation, largest(s, fine, s->exact),
                     size);
    }
    free(coarse), free(fine);
}

static bool open_subject(subject *s, uint64_t *seed)
{
    char why[512];
    dal_refusal no = {0};
    s->system = gallery_compile(s->file, s->family, s->formulation, why);
    if (!s->system || dal_slopes_refuse(s->system, &no)) {
        dal_system_free(s->system);
        return false;
    }
    s->state = dal_state_create(NULL, s->system);
    dal_instant *instant = NULL;
    dal_evaluation *e = NULL;
    if (dal_instant_random(NULL, s->state, ++*seed, NULL, &instant) != DAL_OK || dal_evaluate(NULL, s->state, instant, NULL, NULL, &e) != DAL_OK)
        fail_msg("%s, %s: no random state", s->file, s->family);
    dal_evaluation_free(e);
    dal_instant_free(instant);
    const int n = s->system->n_y;
    s->t = s->state->work.t;
    s->y = numbers(n), s->x = numbers(n), s->exact = numbers(n), s->unit = numbers(n);
    memcpy(s->y, s->state->y, sizeof *s->y * (size_t)n);
    dal_state_units(s->state, s->unit);
    for (int k = 0; k < n; k++)
        s->x[k] = check_random(seed) * s->unit[k];
    return true;
}

static void close_subject(subject *s)
{
    free(s->y), free(s->x), free(s->exact), free(s->unit);
    dal_state_free(s->state);
    dal_system_free(s->system);
}

static void rates_of_y_follow_differences(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    uint64_t seed = 700;
    int turn = 0;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++)
            for (int j = 0; dal_formulations[j]; j++) {
                subject s = {.file = g.found.gl_pathv[i],
                             .family = gallery_families[f] == &dal_family_natural_reduced ? "natural:eliminate=linear" : gallery_families[f]->name,
                             .formulation = dal_formulations[j]->name};
                if ((turn++ % 7 && !whole_product) || !open_subject(&s, &seed))
                    continue;
                check_rates(&s, &seed);
                close_subject(&s);
            }
    print_message("  %d models, families and formulations; %d rough\n", smooth, rough);
    assert_true(smooth > 150);
    gallery_close(&g);
}

/* ---- what A^T does at given multipliers: sum of lambda_i d2phi_i ------------------------------------------- */

/* A^T lambda with q moved along velocity j. */
static void pull_beside(dal_state *state, const double *q, int j, double step, const double *lambda, double *out)
{
    const dal_layout *layout = state->layout;
    double *move = numbers(layout->nv);
    move[j] = step;
    memcpy(state->work.q, q, sizeof *q * (size_t)layout->nq);
    layout->family->add(layout, state->work.q, move);
    dal_state_moved(state);
    assert_int_equal(dal_state_motion(state, true), 0);
    dal_rows_transposed(layout, state->work.A, lambda, out);
    free(move);
}

static int bent;

/* tau at the multipliers lambda, less tau at none, is -A^T lambda. */
static void check_second_derivatives(subject *s, uint64_t *seed)
{
    static const double weight[7] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
    const dal_layout *layout = s->state->layout;
    const int nv = layout->nv, rows = layout->n_rows;
    double *lambda = numbers(rows), *none = numbers(rows), *with = numbers(nv * nv), *without = numbers(nv * nv), *one = numbers(nv),
           *sum = numbers(nv), *q = numbers(layout->nq), most = 0;
    for (int i = 0; i < rows; i++)
        lambda[i] = check_random(seed) / layout->units.row_unit[i];
    assert_int_equal(dal_inverse_derivatives(s->state, NULL, lambda, &(dal_inverse_result){.dq = with}, NULL), DAL_OK);
    assert_int_equal(dal_inverse_derivatives(s->state, NULL, none, &(dal_inverse_result){.dq = without}, NULL), DAL_OK);
    memcpy(q, s->state->work.q, sizeof *q * (size_t)layout->nq);
    const double *S = layout->units.column_scale;
    for (int j = 0; j < nv; j++) {
        const double step = 2e-3 * layout->units.length / S[j];
        memset(sum, 0, sizeof *sum * (size_t)nv);
        for (int i = 0; i < 7; i++) {
            if (i == 3)
                continue;
            pull_beside(s->state, q, j, step * (i - 3), lambda, one);
            for (int k = 0; k < nv; k++)
                sum[k] += weight[i] * one[k] / step;
        }
        for (int k = 0; k < nv; k++) {
            const double unit = layout->units.length * layout->units.length / (S[k] * S[j]), found = with[k * nv + j] - without[k * nv + j];
            most = fmax(most, unit * fabs(sum[k]));
            if (!(unit * fabs(found + sum[k]) <= 1e-9 * (1 + unit * fabs(without[k * nv + j]))))
                fail_msg("%s, %s: lambda d2phi, row %d, column %d: %.12g, by differences %.12g", s->file, s->family, k, j, -found, sum[k]);
        }
    }
    bent += most > 1e-3;
    free(lambda), free(none), free(with), free(without), free(one), free(sum), free(q);
}

static void multipliers_times_second_derivatives_of_the_rows_count(void **unused)
{
    (void)unused;
    static const char *const files[] = {"four-bar", "slider-crank", "bricard", "flyball-governor", "rolling-disc"};
    uint64_t seed = 30;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char file[300];
            snprintf(file, sizeof file, DAL_MODELS "/%s.yaml", files[i]);
            subject s = {.file = file, .family = gallery_families[f]->name, .formulation = "lagrange"};
            if (gallery_families[f] == &dal_family_natural_reduced || !open_subject(&s, &seed))
                continue;
            if (s.system->layout.n_rows && !s.system->layout.curved)
                check_second_derivatives(&s, &seed);
            close_subject(&s);
        }
    print_message("  in %d models and families\n", bent);
    assert_true(bent >= 10);
}

/* ---- a sensitivity: the equation of variation from C ---------------------------------------------------------- */

enum { PARAMETERS = 8, VELOCITIES = 6 };
static const char *const parameter_names[PARAMETERS] = {"m1", "m2", "l1", "l2", "k", "g", "t1", "t2"};
static const char *const derivative_names[PARAMETERS] = {"m1", "m2", "l1", "l2", "k", "g", "theta1(0)", "theta2(0)"};

/* q and v, then dq and dv along each parameter. */
typedef double tangent_state[(PARAMETERS + 1) * 2 * VELOCITIES];

static void rates_of_variation(dal_state *state, int nv, const double *x, double *out)
{
    double vd[VELOCITIES], dq[VELOCITIES * VELOCITIES], dv[VELOCITIES * VELOCITIES], by_p[VELOCITIES];
    memcpy(dal_state_y(state), x, sizeof *x * 2 * (size_t)nv);
    assert_int_equal(dal_forward_derivatives(state, &(dal_derivatives){.vd = vd, .dq = dq, .dv = dv}, NULL), DAL_OK);
    memcpy(out, x + nv, sizeof *x * (size_t)nv);
    memcpy(out + nv, vd, sizeof *x * (size_t)nv);
    for (int p = 0; p < PARAMETERS; p++) {
        const double *at = x + 2 * nv * (p + 1);
        double *to = out + 2 * nv * (p + 1);
        dal_parameter_result result = {.dvd = by_p};
        assert_int_equal(dal_parameter_derivatives(state, parameter_names[p], &result, NULL), DAL_OK);
        for (int i = 0; i < nv; i++) {
            to[i] = at[nv + i];
            to[nv + i] = by_p[i];
            for (int j = 0; j < nv; j++)
                to[nv + i] += dq[i * nv + j] * at[j] + dv[i * nv + j] * at[nv + j];
        }
    }
}

/* One step of rk6. */
static void step_variation(dal_state *state, int nv, double h, double *x)
{
    const dal_tableau *t = dal_rk6.tableau;
    static tangent_state k[16], at;
    const int n = 2 * nv * (PARAMETERS + 1);
    assert_true(t->stages <= 16);
    for (int i = 0, a = 0; i < t->stages; a += i++) {
        memcpy(at, x, sizeof *x * (size_t)n);
        for (int j = 0; j < i; j++)
            for (int m = 0; m < n; m++)
                at[m] += h * t->a[a + j] * k[j][m];
        rates_of_variation(state, nv, at, k[i]);
    }
    for (int i = 0; i < t->stages; i++)
        for (int m = 0; m < n; m++)
            x[m] += h * t->b[i] * k[i][m];
}

/* The absolute angles: columns 2 and 5 of `angle`; the sums of those of `joint`. */
static double angle_of(bool absolute, int which, const double *q)
{
    return absolute ? q[3 * which + 2] : which ? q[0] + q[1] : q[0];
}

static void check_sensitivity(const char *family, int steps)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    json_file file;
    assert_int_equal(dal_spec_read(NULL, DAL_REFERENCE "/sensitivity/double_pendulum.yaml", 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", family, messages);
    dal_spec_set(spec, "formulation", "lagrange", messages);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    const json *reference = json_get(json_open(&file, DAL_REFERENCE "/sensitivity/double_pendulum.json"), "derivatives");
    dal_state *state = dal_state_create(NULL, system);
    const int nv = dal_derivatives_describe(system).velocities;
    const bool absolute = nv == VELOCITIES;
    static tangent_state x;
    memcpy(x, dal_state_y(state), sizeof *x * 2 * (size_t)nv);
    for (int p = 0; p < PARAMETERS; p++) {
        dal_parameter_result start = {.start_dq = x + 2 * nv * (p + 1), .start_dv = x + 2 * nv * (p + 1) + nv};
        assert_int_equal(dal_parameter_derivatives(state, parameter_names[p], &start, NULL), DAL_OK);
    }
    for (int i = 0; i < steps; i++)
        step_variation(state, nv, 1.0 / steps, x);
    double worst = 0;
    for (int p = 0; p < PARAMETERS; p++)
        for (int i = 0; i < 4; i++) {
            const double expected = strtod(json_at(json_get(reference, derivative_names[p]), i)->text, NULL);
            const double found = angle_of(absolute, i % 2, x + 2 * nv * (p + 1) + (i < 2 ? 0 : nv));
            worst = fmax(worst, fabs(found - expected) / (1 + fabs(expected)));
            if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
                fail_msg("%s: number %d by %s is %.15g, expected %.15g", family, i, derivative_names[p], found, expected);
        }
    print_message("  %s: %.1e\n", family, worst);
    json_close(&file);
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void sensitivities_of_a_motion_are_those_of_the_reference(void **unused)
{
    (void)unused;
    check_sensitivity("joint", 320);
    check_sensitivity("angle", 200);
}

/* ---- what is refused, what is warned of, memory ------------------------------------------------------------ */

static const char *const pendulum_head = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                         "bodies:\n  bob: {mass: m, points: {P: [-L, 0]}, inertia: 0.01}\n"
                                         "joints:\n  A: {type: revolute, connect: [ground, bob.P]";

/* The first sentence of this severity that a call gives. */
static void check_sentence(const char *rest, const char *parameter, dal_status expected, const char *words)
{
    char text[2000], found[600] = "";
    snprintf(text, sizeof text, "%s%s", pendulum_head, rest);
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = gallery_compile_text(text, "joint", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    double vd[8];
    dal_parameter_result by = {.dvd = vd};
    const dal_status status = parameter ? dal_parameter_derivatives(state, parameter, &by, messages)
                                        : dal_forward_derivatives(state, &(dal_derivatives){.vd = vd}, messages);
    for (const dal_message *m = dal_messages_first(messages); m && !found[0]; m = m->next)
        snprintf(found, sizeof found, "%s", m->text);
    if (status != expected || !strstr(found, words))
        fail_msg("status %d, \"%s\"; expected %d and \"%s\"", status, found, expected, words);
    dal_state_free(state);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void what_has_no_derivative_is_named(void **unused)
{
    (void)unused;
    check_sentence(", friction: {coefficient: 0.2, radius: 0.1}}\nparameters: {m: 1, L: 1}\n", NULL, DAL_OK, "the surfaces of joint 'A' are at rest");
    check_sentence(", start: {angle: 0, rate: 1}, friction: {coefficient: 0.2, radius: 0.1}}\nparameters: {m: 1, L: 1}\n", "L", DAL_BAD_MODEL,
                   "joint 'A' has dry friction, which follows from accelerations and multipliers that are held here");
    check_sentence("}\nparameters: {m: 1, L: 1}\nforces:\n  s: {type: torque, joint: A, value: \"-abs(A.angle)\"}\n", NULL, DAL_OK,
                   "is at a corner here");
    check_sentence(", start: {angle: 0.25}}\nparameters: {m: 1, L: 1}\nforces:\n  stop: {type: end-stop, joint: A, upper: 0.25, stiffness: 9}\n",
                   NULL, DAL_OK, "'stop.length - 0.25 > 0' is at a corner here");
    check_sentence(
        ", zero: 1, start: {angle: 1.25}}\nparameters: {m: 1, L: 1}\nforces:\n  s: {type: end-stop, joint: A, upper: 1.25, stiffness: 9}\n", NULL,
        DAL_OK, "'(s.length - 1) - 0.25 > 0' is at a corner here");
    check_sentence("}\nparameters: {m: 1, L: 1}\nground: {points: {Q: [1, 0]}}\nforces:\n  d: {type: spring-damper, connect: [ground.Q, bob], "
                   "stiffness: 2, damping: 1, length: 0}\n",
                   NULL, DAL_OK, "the points of 'd' coincide, where its force has no derivative");
    check_sentence("}\nparameters: {m: 1, L: 1}\n", "nothing", DAL_BAD_COMMAND, "'nothing' is neither a parameter nor an input");
    check_sentence("}\nparameters: {m: 1, L: 1, n: 2}\nrecord: [A.angle]\nforces:\n  s: {type: torque, joint: A, value: \"abs(n - 2)\"}\n", "n",
                   DAL_NUMERICAL, "have a corner there");
}

/* v' = -g L cos(a) m / (m L^2 + I): by L, by m, exactly. */
static void derivatives_by_parameters_of_a_pendulum_are_the_closed_forms(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text, "%s, start: {angle: 0.3}}\nparameters: {m: 1.7, L: 0.9}\n", pendulum_head);
    dal_system *system = gallery_compile_text(text, "joint", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    const double g = 9.81, m = 1.7, L = 0.9, I = 0.01, a = 0.3, D = m * L * L + I;
    const double by_L = -g * cos(a) * m * (D - 2 * m * L * L) / (D * D), by_m = -g * cos(a) * L * I / (D * D);
    double vd, dq;
    dal_parameter_result out = {.dvd = &vd, .start_dq = &dq};
    assert_int_equal(dal_parameter_derivatives(state, "L", &out, NULL), DAL_OK);
    assert_true(fabs(vd - (by_L)) <= 1e-12 * fabs(by_L));
    assert_true(fabs(dq - (0)) <= 1e-13);
    assert_true(out.error < 1e-12);
    assert_int_equal(dal_parameter_derivatives(state, "m", &out, NULL), DAL_OK);
    assert_true(fabs(vd - (by_m)) <= 1e-12);
    dal_state_free(state);
    dal_system_free(system);
}

static void only_the_first_call_takes_memory(void **unused)
{
    (void)unused;
    static const char *const choices[][2] = {{"angle", "lagrange"}, {"joint", "recursive"}, {"joint", "kane"}, {"euler", "component"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char why[512];
        ration r = {.left = 1000000};
        dal_allocator allocator = {.allocate = take_rationed, .release = release_rationed, .user = &r};
        dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", choices[i][0], choices[i][1], why);
        assert_non_null(system);
        dal_state *state = dal_state_create(&allocator, system);
        const int n = dal_derivatives_describe(system).velocities;
        double *dq = numbers(n * n), *dv = numbers(n * n), *dtau = numbers(n * n);
        const dal_derivatives out = {.dq = dq, .dv = dv, .dtau = dtau};
        assert_int_equal(dal_forward_derivatives(state, &out, NULL), DAL_OK);
        const int left = r.left;
        assert_int_equal(dal_forward_derivatives(state, &out, NULL), DAL_OK);
        assert_int_equal(dal_inverse_derivatives(state, NULL, NULL, &(dal_inverse_result){.dq = dq, .dv = dv}, NULL), DAL_OK);
        assert_int_equal(r.left, left);
        dal_state_free(state);
        assert_int_equal(r.taken, 0);
        r.left = 0;
        state = dal_state_create(NULL, system);
        dal_system_free(system);
        dal_state_free(state);
        free(dq), free(dv), free(dtau);
    }
}

/* A chain of n rods with springs and dampers, away from rest. NULL: the formulation does not apply to it. */
static dal_system *compile_chain(int n, const char *formulation)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {N: %d, k: 30, c: 0.2}\ngravity: [0, -9.81]\n"
        "bodies:\n  rod: {repeat: {i: 1..N}, mass: 1+0.01*i, inertia: 0.1, position: [i - 1/2, 0], angle: 0, rate: 0.1*i - 0.002*i^2,\n"
        "        points: {a: [-1/2, 0], b: [1/2, 0]}}\n"
        "joints:\n  root: {type: revolute, connect: [ground, rod.1.a]}\n"
        "  link: {repeat: {i: 2..N}, type: revolute, connect: [rod.{i-1}.b, rod.{i}.a]}\n"
        "forces:\n  bend: {repeat: {i: 2..N}, type: torsional-spring-damper, joint: link.{i}, stiffness: k, damping: c}\n"
        "simulate: {until: 1}\n";
    char model[2000];
    snprintf(model, sizeof model, text, n);
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "chain.yaml", model, strlen(model), 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", "joint", messages);
    dal_spec_set(spec, "formulation", formulation, messages);
    dal_compile(NULL, spec, messages, &system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* Formulations that leave the matrices of long open trees to recursion have them for derivatives: up to 64 unknowns dense, beyond sparse. */
static void long_chains_have_the_same_derivatives_in_every_formulation(void **unused)
{
    (void)unused;
    enum { MOST = 70 };
    static const int lengths[] = {20, MOST};
    double *dq = numbers(MOST * MOST), *dv = numbers(MOST * MOST), *dtau = numbers(MOST * MOST);
    double *first_dq = numbers(MOST * MOST), *first_dv = numbers(MOST * MOST), *first_dtau = numbers(MOST * MOST);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int compared = 0;
        const int size = lengths[l] * lengths[l];
        const double rounding = 2.2e-16 * size * size; /* M of a chain of n links has a condition of about n^4 */
        for (int f = 0; dal_formulations[f]; f++) {
            dal_system *system = compile_chain(lengths[l], dal_formulations[f]->name);
            if (!system)
                continue;
            dal_state *state = dal_state_create(NULL, system);
            assert_int_equal(dal_forward_derivatives(state, &(dal_derivatives){.dq = dq, .dv = dv, .dtau = dtau}, NULL), DAL_OK);
            if (!compared++) {
                memcpy(first_dq, dq, sizeof *dq * (size_t)size);
                memcpy(first_dv, dv, sizeof *dv * (size_t)size);
                memcpy(first_dtau, dtau, sizeof *dtau * (size_t)size);
            }
            double most[3] = {0}, apart[3] = {0};
            for (int k = 0; k < size; k++) {
                const double value[3] = {dq[k], dv[k], dtau[k]}, first[3] = {first_dq[k], first_dv[k], first_dtau[k]};
                for (int i = 0; i < 3; i++) {
                    most[i] = fmax(most[i], fabs(first[i]));
                    apart[i] = fmax(apart[i], fabs(value[i] - first[i]));
                }
            }
            for (int i = 0; i < 3; i++)
                if (!(apart[i] <= rounding * most[i]))
                    fail_msg("%d rods, %s: derivative %d differs by %.1e of %.1e", lengths[l], dal_formulations[f]->name, i, apart[i], most[i]);
            dal_state_free(state);
            dal_system_free(system);
        }
        assert_true(compared > 6);
    }
    free(dq), free(dv), free(dtau), free(first_dq), free(first_dv), free(first_dtau);
}

/* Two sliders: x'' = f(y), y'' = -x. The value of f is a smooth number, parts of it overflow. */
static void laws_with_infinite_parts_have_derivatives(void **unused)
{
    (void)unused;
    static const struct {
        const char *law;
        double y, slope;
    } cases[] = {{"1/(1+exp(1000*a.distance))", 1, 0},
                 {"exp(500*a.distance)/(1+exp(500*a.distance))", 1, 0},
                 {"sinh(500*a.distance)/cosh(500*a.distance)", 1, 0},
                 {"1/cosh(0.8/(1e-3+a.distance))", 0, 0},
                 {"atan(1/a.distance)", 1e-200, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [0, 0]\nbodies: {p: {mass: 1, inertia: 1}, q: {mass: 1, inertia: 1}}\n"
                 "joints: {a: {type: prismatic, connect: [ground, p], axis: [1, 0], start: {distance: %g}},\n"
                 "  b: {type: prismatic, connect: [ground, q], axis: [1, 0]}}\n"
                 "forces: {f: {type: force, joint: b, value: '%s - 3*b.distance'}, g: {type: force, joint: a, value: '-2*a.distance'}}\n"
                 "simulate: {coordinates: joint, until: 1}\n",
                 cases[k].y, cases[k].law);
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_parse(NULL, "laws.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
        dal_state *state = dal_state_create(NULL, system);
        double dq[4];
        assert_int_equal(dal_forward_derivatives(state, &(dal_derivatives){.dq = dq}, messages), DAL_OK);
        const double expected[4] = {-2, 0, cases[k].slope, -3};
        for (int i = 0; i < 4; i++)
            if (!(fabs(dq[i] - expected[i]) < 1e-13))
                fail_msg("%s: %g instead of %g", cases[k].law, dq[i], expected[i]);
        dal_state_free(state);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_of_y_follow_differences),
                                       cmocka_unit_test(multipliers_times_second_derivatives_of_the_rows_count),
                                       cmocka_unit_test(sensitivities_of_a_motion_are_those_of_the_reference),
                                       cmocka_unit_test(what_has_no_derivative_is_named),
                                       cmocka_unit_test(derivatives_by_parameters_of_a_pendulum_are_the_closed_forms),
                                       cmocka_unit_test(only_the_first_call_takes_memory),
                                       cmocka_unit_test(long_chains_have_the_same_derivatives_in_every_formulation),
                                       cmocka_unit_test(laws_with_infinite_parts_have_derivatives)};
    whole_product = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
