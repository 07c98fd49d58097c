/* Derivatives by parameters: dal_parameter_derivatives.
 *
 * The equations as functions of a parameter are had twice: from the symbols of the model, differentiated by a complex step, and from models that are compiled
 * for other values. The second are extrapolated here, from steps of their own; both have to give the same derivative.
 *
 *   test_parameter_derivatives          every sixth model and family
 *   test_parameter_derivatives long     all of them
 */
#include "analysis/parameter_equations.h"
#include "dalembert/derivatives.h"
#include "dynamics/slopes.h"
#include "gallery.h"
#include "model/coordinate_names.h"
#include "state/state_parts.h"

#include <limits.h>
#include <setjmp.h>

static bool everything;

typedef struct tally {
    int exact, others, structure, models, rough;
    int starts, free_starts, rough_starts, refused_starts;
    double worst, worst_start, start_error, rest;
} tally;

enum { LEVELS = 6 };

/* The derivative of f by p, Romberg's; *rest: what the last two columns differ by, of each number. */
static bool extrapolated(dal_parameter_equations *x, double H, double *df, double *rest)
{
    const int n = x->first[DAL_PARTS];
    double *plus = DAL_NEW(x->arena, double, n + 1), *minus = DAL_NEW(x->arena, double, n + 1), *T[LEVELS][LEVELS];
    for (int k = 0; k < n; k++)
        rest[k] = INFINITY;
    for (int i = 0; i < LEVELS; i++) {
        const double h = ldexp(H, -i);
        if (!dal_parameter_sample(x, x->p + h, plus) || !dal_parameter_sample(x, x->p - h, minus))
            return false;
        for (int j = 0; j <= i; j++) {
            T[i][j] = DAL_NEW(x->arena, double, n + 1);
            for (int k = 0; k < n; k++) {
                T[i][j][k] = j ? T[i][j - 1][k] + (T[i][j - 1][k] - T[i - 1][j - 1][k]) / (ldexp(1, 2 * j) - 1) : (plus[k] - minus[k]) / (2 * h);
                const double apart = j ? fmax(fabs(T[i][j][k] - T[i][j - 1][k]), fabs(T[i][j][k] - T[i - 1][j - 1][k])) : INFINITY;
                if (apart < rest[k]) {
                    rest[k] = apart;
                    df[k] = T[i][j][k];
                }
            }
        }
    }
    return true;
}

/* Largest difference over the part's largest derivative, or over what its terms are per p. */
static double compare(const dal_parameter_equations *x, const double *exact, const double *other, const double *rest, bool *rough)
{
    double worst = 0;
    const double span = x->p != 0 ? fabs(x->p) : 1;
    for (dal_parameter_part part = 0; part < DAL_PART_START_Q; part++) {
        double size = x->size[part] / span, apart = 0, left = 0;
        for (int k = x->first[part]; k < x->first[part + 1]; k++) {
            size = fmax(size, fabs(exact[k]) / x->unit[k]);
            apart = fmax(apart, fabs(exact[k] - other[k]) / x->unit[k]);
            left = fmax(left, rest[k] / x->unit[k]);
        }
        *rough = *rough || left > 1e-11 * size;
        worst = fmax(worst, apart > 0 ? apart / size : 0);
    }
    return worst;
}

/* The same for the start: dq along velocities. */
static double compare_start(const dal_parameter_equations *x, const dal_start_slopes *exact, dal_state *start, const double *other,
                            const double *rest, bool *rough)
{
    const int nv = x->first[DAL_PART_START_Z] - x->first[DAL_PART_START_V];
    const double span = x->p != 0 ? fabs(x->p) : 1;
    double *here = DAL_NEW(x->arena, double, x->first[DAL_PARTS] + 1);
    assert_int_equal(dal_parameter_measure_start(x, start, here), 0);
    double *dq = DAL_NEW(x->arena, double, nv + 1), worst = 0;
    assert_true(dal_parameter_along_velocities(x->arena, start, other + x->first[DAL_PART_START_Q], dq));
    const double *const mine[] = {exact->dq, exact->dv, exact->dz}, *const others[] = {dq, other + x->first[DAL_PART_START_V],
                                                                                       other + x->first[DAL_PART_START_Z]};
    for (int i = 0; i < 3; i++) {
        const dal_parameter_part part = DAL_PART_START_Q + i;
        const int n = i == 2 ? x->first[DAL_PARTS] - x->first[DAL_PART_START_Z] : nv;
        double size = 0, apart = 0, left = 0;
        for (int k = x->first[part]; k < x->first[part + 1]; k++) {
            left = fmax(left, rest[k] / x->unit[k]);
            size = fmax(size, fabs(here[k]) / (x->unit[k] * span));
        }
        for (int k = 0; k < n; k++) {
            const double unit = i == 1 ? x->unit[x->first[part] + k] : 1;
            size = fmax(size, fabs(mine[i][k]) / unit);
            apart = fmax(apart, fabs(mine[i][k] - others[i][k]) / unit);
        }
        *rough = *rough || left > 1e-11 * size;
        worst = fmax(worst, apart > 0 ? apart / size : 0);
    }
    return worst;
}

typedef struct one {
    dal_state *state, *start;
    const dal_spec *spec;
    int number;
    dal_arena arena;
    tally *t;
    const char *file, *family;
} one;

static dal_status check_parameter(void *user)
{
    one *o = user;
    dal_parameter_equations x;
    dal_parameter_equations_begin(&x, &o->arena, o->state, o->spec, o->number);
    const int n = x.first[DAL_PARTS];
    double *exact = DAL_NEW(&o->arena, double, n + 1), *other = DAL_NEW(&o->arena, double, n + 1), *rest = DAL_NEW(&o->arena, double, n + 1);
    const dal_symbol_answer answer = dal_parameter_symbols(&x, exact);
    if (x.structure) {
        o->t->structure++;
    }
    if (answer != DAL_SYMBOLS_EXACT) {
        o->t->others++;
        print_message("  %s, %s: '%s' is not exact: %s\n", strrchr(o->file, '/') + 1, o->family, x.name, x.why);
        return DAL_OK;
    }
    dal_start_slopes slopes = {DAL_NEW(&o->arena, double, n + 1), DAL_NEW(&o->arena, double, n + 1), DAL_NEW(&o->arena, double, n + 1), 0};
    const bool start = dal_parameter_start(&x, o->spec, o->start, &slopes);
    bool rough = true, done = false, rough_start = true;
    double worst = INFINITY, worst_start = INFINITY;
    o->t->starts += start;
    o->t->free_starts += !start;
    if (!start && everything) {
        double *dq = DAL_NEW(&o->arena, double, n + 1);
        dal_parameter_result out = {.start_dq = dq};
        const bool found = dal_parameter_derivatives(o->state, x.name, &out, NULL) == DAL_OK;
        assert_false(out.start_exact);
        o->t->refused_starts += !found;
        o->t->rest = fmax(o->t->rest, found ? out.start_error : 0);
    }
    if (!start)
        print_message("  %s, %s: the start by '%s' is not exact: %s\n", strrchr(o->file, '/') + 1, o->family, x.name, x.why);
    for (int e = 4; e < 16 && (rough || (start && rough_start)); e += 3) {
        bool now = false, now_start = false;
        if (!extrapolated(&x, x.p != 0 ? fabs(x.p) * ldexp(1, -e) : ldexp(1, -e), other, rest))
            continue;
        done = true;
        const double apart = compare(&x, exact, other, rest, &now);
        worst = fmin(worst, apart);
        rough = rough && now;
        if (start) {
            worst_start = fmin(worst_start, compare_start(&x, &slopes, o->start, other, rest, &now_start));
            rough_start = rough_start && now_start;
        }
    }
    if (start && !rough_start) {
        o->t->worst_start = fmax(o->t->worst_start, worst_start);
        o->t->start_error = fmax(o->t->start_error, slopes.error);
        if (!(worst_start <= 1e-10))
            fail_msg("%s, %s: the start by '%s' differs by %.3g from that of compiled models", o->file, o->family, x.name, worst_start);
    }
    o->t->rough_starts += start && rough_start;
    o->t->exact++;
    o->t->rough += rough;
    if (rough)
        return DAL_OK;
    o->t->worst = fmax(o->t->worst, worst);
    if (!done || !(worst <= 1e-10))
        fail_msg("%s, %s: the derivative by '%s' differs by %.3g from that of compiled models", o->file, o->family, x.name, worst);
    return DAL_OK;
}

static void check_model(const char *file, const char *family, tally *t)
{
    char why[512];
    dal_refusal no = {0};
    uint64_t seed = 91;
    dal_system *system = gallery_compile(file, family, "lagrange", why);
    dal_state *state = system && !dal_slopes_refuse(system, &no) ? dal_state_create(NULL, system) : NULL;
    if (state && gallery_random_state(state, &seed, 0.13, 0.05, 1) && dal_state_evaluate(state, NULL) == DAL_OK && !dal_slopes_ready(state)) {
        const dal_spec *spec = dal_system_spec(system);
        t->models++;
        for (int i = 0; i < spec->n_parameters; i++) {
            one o = {.state = state, .spec = spec, .number = i, .t = t, .file = file, .family = family};
            o.start = dal_state_create(NULL, system);
            assert_non_null(o.start);
            dal_arena_begin(&o.arena, NULL);
            assert_int_equal(dal_arena_try(&o.arena, check_parameter, &o), DAL_OK);
            dal_arena_release(&o.arena);
            dal_state_free(o.start);
        }
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void symbols_and_compiled_models_have_the_same_derivatives(void **unused)
{
    (void)unused;
    tally t = {0};
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++)
            if (everything || (i + (size_t)f) % 6 == 0)
                check_model(g.found.gl_pathv[i], gallery_families[f]->name, &t);
    gallery_close(&g);
    print_message("  %d models and families: %d derivatives exact (%d of them too rough for differences), %d not, %d of these change the "
                  "structure; worst %.2g\n",
                  t.models, t.exact, t.rough, t.others, t.structure, t.worst);
    print_message("  the start: %d derivatives exact (%d of them too rough for differences), %d not; worst %.2g, largest bound %.2g\n", t.starts,
                  t.rough_starts, t.free_starts, t.worst_start, t.start_error);
    if (everything)
        print_message("  of the others %d are refused; the largest error of an extrapolated one is %.2g\n", t.refused_starts, t.rest);
    assert_true(t.exact > 50);
    assert_true(t.starts > 50);
    assert_true(t.others <= t.structure + 1); /* the mass that is zero in springs-in-series-derived */
}

/* ---- through the public call ------------------------------------------------------------------------------ */

/* A model in the gallery, one of its parameters, and what the call answers: the status, whether it is exact, words of its sentence. */
static void check_call(const char *name, const char *family, const char *parameter, dal_status expected, bool exact, const char *words)
{
    char file[300], why[512], found[600] = "";
    snprintf(file, sizeof file, DAL_MODELS "/%s.yaml", name);
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = gallery_compile(file, family, "lagrange", why);
    dal_state *state = dal_state_create(NULL, system);
    double dvd[200];
    uint64_t seed = 3;
    assert_true(gallery_random_state(state, &seed, 0.1, 0.05, 1));
    dal_parameter_result out = {.dvd = dvd};
    assert_true(dal_derivatives_describe(system).velocities <= 200);
    const dal_status status = dal_parameter_derivatives(state, parameter, &out, messages);
    for (const dal_message *m = dal_messages_first(messages); m && !found[0]; m = m->next)
        snprintf(found, sizeof found, "%s", m->text);
    if (status != expected || (words && !strstr(found, words)))
        fail_msg("%s, %s: status %d, \"%s\"; expected %d, \"%s\"", name, parameter, status, found, expected, words ? words : "");
    if (status == DAL_OK && (out.exact != exact || !(out.error < 1e-10)))
        fail_msg("%s, %s: exact %d, error %g", name, parameter, out.exact, out.error);
    dal_state_free(state);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void the_call_says_what_it_has(void **unused)
{
    (void)unused;
    check_call("slider-crank", "joint", "l", DAL_OK, true, NULL);
    check_call("andrews", "angle", "d", DAL_OK, true, NULL);
    check_call("whipple-bicycle", "euler", "w", DAL_OK, true, NULL); /* with sx, which follows from it */
    check_call("simple-pendulum", "angle", "L", DAL_OK, true, NULL); /* the length of the rod follows from the start */
    check_call("simple-pendulum", "joint", "L", DAL_OK, true, NULL);
    check_call("whipple-bicycle", "joint", "la", DAL_OK, true, NULL);    /* the axes of a joint */
    check_call("flyball-governor", "joint", "tilt", DAL_OK, true, NULL); /* an axis that is carried to the second body at the start */
    check_call("two-arms", "angle", "h", DAL_OK, true, NULL);            /* the ground of an included model */
    check_call("two-arms", "joint", "stiff", DAL_OK, true, NULL);        /* set: of an included model */
    check_call("pivot-pid", "joint", "kp", DAL_OK, true, NULL);          /* a gain of a block, and its tracking */
    check_call("position-loop", "joint", "w", DAL_OK, true, NULL);       /* coefficients of a transfer function, and its time scale */
    check_call("screw-press", "natural", "pitch", DAL_OK, true, NULL);
    check_call("massless-slider", "euler", "c", DAL_OK, true, NULL);                        /* a derived balance of forces */
    check_call("quick-return", "natural:eliminate=linear", "lean", DAL_OK, true, NULL);     /* eliminated rows */
    check_call("springs-in-series-derived", "user", "m1", DAL_NUMERICAL, false, "refused"); /* beside zero there is another structure */
    check_call("n-pendulum", "joint", "N", DAL_BAD_MODEL, false, "changes the structure");
    check_call("n-four-bar", "natural", "N", DAL_BAD_MODEL, false, "changes the structure");
}

/* A slider on a spring: x'' = -k x / m, with m = rho b^3, k = 2 b + c, c = 3 rho: every chain of parameters counts, and those that are set by hand do not. */
static void parameters_follow_from_others(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {rho: 0.7, b: 1.3, m: rho*b^3, c: 3*rho, k: 2*b + c, s: sin(b)}\n"
                               "coordinates: {x: {start: 0.4}}\nbodies: {a: {mass: m, position: [x, s]}}\n"
                               "forces: {f: {type: force, coordinate: x, value: -k*x}}\n";
    const double rho = 0.7, b = 1.3, x = 0.4, m = rho * b * b * b, k = 2 * b + 3 * rho;
    const struct {
        const char *name;
        double value;
    } expected[] = {{"rho", -x * (3 / m - k / (m * m) * b * b * b)},
                    {"b", -x * (2 / m - k / (m * m) * 3 * rho * b * b)},
                    {"m", x * k / (m * m)},
                    {"c", -x / m},
                    {"k", -x / m},
                    {"s", 0}};
    (void)unused;
    dal_system *system = gallery_compile_text(text, "user", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double dvd = NAN;
        dal_parameter_result out = {.dvd = &dvd};
        assert_int_equal(dal_parameter_derivatives(state, expected[i].name, &out, NULL), DAL_OK);
        assert_true(out.exact && isnan(out.start_error));
        if (!(fabs(dvd - expected[i].value) <= 4e-16 * (fabs(expected[i].value) + k * x / m)))
            fail_msg("by %s: %.17g, expected %.17g", expected[i].name, dvd, expected[i].value);
    }
    dal_state_free(state);
    dal_system_free(system);
}

/* The same states again, and others: what was derived is kept, and holds there. */
static void later_calls_give_what_new_states_give(void **unused)
{
    static const char *const parameters[] = {"l", "r", "l"};
    char why[512];
    uint64_t seed = 7;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/slider-crank.yaml", "euler", "lagrange", why);
    dal_state *kept = dal_state_create(NULL, system);
    for (int i = 0; i < 9; i++) {
        dal_state *fresh = dal_state_create(NULL, system);
        double now[50], anew[50];
        dal_parameter_result a = {.dvd = now}, b = {.dvd = anew};
        assert_true(gallery_random_state(kept, &seed, 0.1 * i, 0.05, 1));
        memcpy(dal_state_y(fresh), dal_state_y(kept), sizeof(double) * (size_t)dal_system_describe(system).states);
        assert_true(dal_state_set_time(fresh, dal_state_time(kept)));
        assert_int_equal(dal_parameter_derivatives(kept, parameters[i % 3], &a, NULL), DAL_OK);
        assert_int_equal(dal_parameter_derivatives(fresh, parameters[i % 3], &b, NULL), DAL_OK);
        assert_true(a.exact && b.exact);
        assert_memory_equal(now, anew, sizeof(double) * (size_t)dal_derivatives_describe(system).velocities);
        dal_state_free(fresh);
    }
    dal_state_free(kept);
    dal_system_free(system);
}

/* ---- the start ------------------------------------------------------------------------------------------- */

enum { WIDEST = 60 };

typedef struct start_answer {
    dal_parameter_result out;
    double dq[WIDEST], dv[WIDEST], dz[WIDEST];
} start_answer;

static void ask_start(dal_system *system, const char *parameter, start_answer *a)
{
    dal_state *state = dal_state_create(NULL, system);
    uint64_t seed = 5;
    assert_true(state && dal_derivatives_describe(system).velocities <= WIDEST);
    assert_true(gallery_random_state(state, &seed, 0.1, 0.05, 1)); /* the start does not depend on where the state is */
    a->out = (dal_parameter_result){.start_dq = a->dq, .start_dv = a->dv, .start_dz = a->dz};
    assert_int_equal(dal_parameter_derivatives(state, parameter, &a->out, NULL), DAL_OK);
    dal_state_free(state);
}

/* A velocity by its name. */
static int velocity_named(const dal_system *system, const char *name)
{
    for (int k = 0; k < dal_derivatives_describe(system).velocities; k++) {
        char label[DAL_LABEL];
        dal_velocity_name(system, k, label, sizeof label);
        if (!strcmp(label, name))
            return k;
    }
    fail_msg("there is no velocity '%s'", name);
    return -1;
}

static void expect_slope(const char *what, double value, double expected)
{
    if (!(fabs(value - expected) <= 2e-14 * fmax(1, fabs(expected))))
        fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

/* Four bars, a e^{i th} + b e^{i ph} = d + c e^{i ps}, with the crank's angle and rate held. With s = sin(ph - ps):
 *     dph/db = cot(ph - ps)/b,   dps/db = 1/(c s);      ph' = -w a sin(th - ps)/(b s),   ps' = -w a sin(th - ph)/(c s)
 *     dph'/db = -ph'/b + w a cos(th - ps) dps/db/(b s) - ph' cot(ph - ps) (dph/db - dps/db)
 * and the crank's angle and rate have slopes of their own. */
static void rows_move_a_four_bar(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {a: 1, b: 2.5, c: 2, d: 3, th: 1.1, w: 0.7}\nground: {points: {O: [0, 0], D: [d, 0]}}\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: 1, position: [a/2*cos(th), a/2*sin(th)], angle: th, rate: w, fix: true, points: {A: [-a/2, 0], B: "
        "[a/2, 0]}}\n"
        "  rod: {mass: 2, inertia: 1, position: [1.5, 1.5], angle: 0.4, points: {B: [-b/2, 0], C: [b/2, 0]}}\n"
        "  rocker: {mass: 2, inertia: 1, position: [3.4, 1], angle: 1.4, points: {D: [-c/2, 0], C: [c/2, 0]}}\n"
        "joints:\n  A: {type: revolute, connect: [ground.O, crank.A]}\n  B: {type: revolute, connect: [crank.B, rod.B]}\n"
        "  C: {type: revolute, connect: [rod.C, rocker.C]}\n  D: {type: revolute, connect: [ground.D, rocker.D]}\n";
    const double a = 1, b = 2.5, c = 2, d = 3, th = 1.1, w = 0.7;
    const double x = d - a * cos(th), y = -a * sin(th), far = hypot(x, y); /* from B to D */
    const double ph = atan2(y, x) + acos((b * b + far * far - c * c) / (2 * b * far));
    const double ps = atan2(a * sin(th) + b * sin(ph), a * cos(th) + b * cos(ph) - d);
    const double s = sin(ph - ps), cot = cos(ph - ps) / s;
    const double ph_b = cot / b, ps_b = 1 / (c * s), phd = -w * a * sin(th - ps) / (b * s);
    const double phd_b = -phd / b + w * a * cos(th - ps) * ps_b / (b * s) - phd * cot * (ph_b - ps_b);
    (void)unused;
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    start_answer by_b, by_th, by_w;
    ask_start(system, "b", &by_b);
    ask_start(system, "th", &by_th);
    ask_start(system, "w", &by_w);
    assert_true(by_b.out.start_exact && by_th.out.start_exact && by_w.out.start_exact);
    assert_true(by_b.out.start_error < 1e-13);
    const int crank = velocity_named(system, "crank.angle'"), rod = velocity_named(system, "rod.angle'"),
              rocker = velocity_named(system, "rocker.angle'");
    expect_slope("crank by b", by_b.dq[crank], 0);
    expect_slope("rod by b", by_b.dq[rod], ph_b);
    expect_slope("rocker by b", by_b.dq[rocker], ps_b);
    expect_slope("rate of the rod by b", by_b.dv[rod], phd_b);
    expect_slope("crank by th", by_th.dq[crank], 1);
    expect_slope("rod by th", by_th.dq[rod], phd / w);
    expect_slope("rate of the crank by w", by_w.dv[crank], 1);
    expect_slope("rate of the rod by w", by_w.dv[rod], phd / w);
    dal_system_free(system);
}

static dal_system *compile_text(const char *text, const char *family)
{
    dal_system *system = gallery_compile_text(text, family, "lagrange");
    assert_non_null(system);
    return system;
}

static void expect_start(dal_system *system, const char *parameter, const char *velocity, double dq, double dv)
{
    start_answer a;
    char what[100];
    ask_start(system, parameter, &a);
    snprintf(what, sizeof what, "%s by %s", velocity, parameter);
    if (!a.out.start_exact || !(a.out.start_error < 1e-13))
        fail_msg("%s: exact %d, error %g", what, a.out.start_exact, a.out.start_error);
    expect_slope(what, a.dq[velocity_named(system, velocity)], dq);
    expect_slope(what, a.dv[velocity_named(system, velocity)], dv);
}

/* Start values that are curved functions, and one whose change is lost in rounding. */
static void written_starts_are_differentiated(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {bend: 0.3, tiny: 1e-14, m: 2, lin: 0.4, far: 2*bend}\n"
        "coordinates: {x: {start: 1 + sin(bend), rate: 3*lin + far^2}, y: {start: 1 + tiny}}\nbodies: {a: {mass: m, position: [x, y]}}\n"
        "states: {s: {start: exp(bend), rate: -s}}\n";
    start_answer a;
    (void)unused;
    dal_system *system = compile_text(text, "user");
    expect_start(system, "bend", "x'", cos(0.3), 8 * 0.3);
    expect_start(system, "m", "x'", 0, 0);
    expect_start(system, "lin", "x'", 0, 3);
    expect_start(system, "tiny", "y'", 1, 0);
    ask_start(system, "bend", &a);
    expect_slope("s", a.dz[0], exp(0.3));
    dal_system_free(system);
}

/* Two particles at a distance d, whose rod has the length L: both move along it, by the mass of the other one over that of both. A third one goes to the
 * nearest place on a circle, q = R g/|g|. */
static void particles_go_to_the_nearest_place(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {m: 2, n: 3, L: 1.5, d: 1, gx: 0.6, gy: 1.1, R: 2}\n"
        "bodies:\n  a: {mass: m, position: [0, 0]}\n  b: {mass: n, position: [d, 0]}\n  c: {mass: 1, position: [gx, gy]}\n"
        "joints:\n  rod: {type: distance, connect: [a, b], length: L}\n  arm: {type: distance, connect: [ground, c], length: R}\n";
    const double m = 2, n = 3, M = m + n, e = 0.5, gx = 0.6, gy = 1.1, R = 2, g = hypot(gx, gy);
    (void)unused;
    dal_system *system = compile_text(text, "angle");
    expect_start(system, "L", "a.x'", -n / M, 0);
    expect_start(system, "L", "b.x'", m / M, 0);
    expect_start(system, "d", "a.x'", n / M, 0);
    expect_start(system, "d", "b.x'", n / M, 0);
    expect_start(system, "m", "a.x'", n * e / (M * M), 0);
    expect_start(system, "n", "b.x'", -m * e / (M * M), 0);
    expect_start(system, "n", "b.y'", 0, 0);
    expect_start(system, "gx", "c.x'", R / g - R * gx * gx / (g * g * g), 0);
    expect_start(system, "gx", "c.y'", -R * gx * gy / (g * g * g), 0);
    expect_start(system, "R", "c.y'", gy / g, 0);
    dal_system_free(system);
}

/* A pin at the origin of a body whose place and angle are given elsewhere: th makes m |a u(th) - p - a u(th_g)|^2 + I (th - th_g)^2 least. With
 * k = m a (p + a u(th_g)), the slope is -k . u'(th) + I (th - th_g) = 0, and what follows for th(p) has k . u(th) + I below. */
static void a_pinned_body_turns_to_the_nearest_angle(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {m: 2, I: 0.7, a: 0.8, px: 0.4, py: -0.3, tg: 0.5}\n"
                               "bodies: {bar: {mass: m, inertia: I, center: [a, 0], position: [px, py], angle: tg}}\n"
                               "joints: {pin: {type: revolute, connect: [ground, bar]}}\n";
    const double m = 2, I = 0.7, a = 0.8, px = 0.4, py = -0.3, tg = 0.5, kx = m * a * (px + a * cos(tg)), ky = m * a * (py + a * sin(tg));
    double th = tg;
    (void)unused;
    for (int i = 0; i < 30; i++)
        th -= (kx * sin(th) - ky * cos(th) + I * (th - tg)) / (kx * cos(th) + ky * sin(th) + I);
    const double below = kx * cos(th) + ky * sin(th) + I;
    dal_system *system = compile_text(text, "angle"), *joint = compile_text(text, "joint");
    expect_start(system, "px", "bar.angle'", -m * a * sin(th) / below, 0);
    expect_start(system, "py", "bar.angle'", m * a * cos(th) / below, 0);
    expect_start(system, "I", "bar.angle'", -(th - tg) / below, 0);
    expect_start(system, "m", "bar.angle'", -(kx * sin(th) - ky * cos(th)) / (m * below), 0);
    expect_start(system, "tg", "bar.angle'", (m * a * a * cos(th - tg) + I) / below, 0);
    expect_start(system, "a", "bar.angle'", -((kx * sin(th) - ky * cos(th)) / a + m * a * sin(th - tg)) / below, 0);
    expect_start(joint, "py", "pin.angle'", m * a * cos(th) / below, 0);
    dal_system_free(system);
    dal_system_free(joint);
}

/* The same in space, where the turn is a rotation vector of a length of 1 rad. */
static void a_body_in_space_turns_far(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: spatial\nparameters: {I: 0.7, px: -1.1, py: 0.8}\n"
                               "bodies: {bar: {mass: 2, inertia: [0.2, 0.9, 3*I - 1.1], center: [0.8, 0, 0], position: [px, py, 0],\n"
                               "               orientation: {axis: [0, 0, 1], angle: 0.5}}}\n"
                               "joints: {pin: {type: revolute, connect: [ground, bar], axis: [[0, 0, 1], [0, 0, 1]]}}\n";
    const double I = 0.7, k = 2 * 0.8, kx = k * (-1.1 + 0.8 * cos(0.5)), ky = k * (0.8 + 0.8 * sin(0.5));
    double th = 1.5;
    (void)unused;
    for (int i = 0; i < 30; i++)
        th -= (kx * sin(th) - ky * cos(th) + I * (th - 0.5)) / (kx * cos(th) + ky * sin(th) + I);
    const double below = kx * cos(th) + ky * sin(th) + I;
    assert_true(th > 1.5 && below > 0);
    dal_system *system = compile_text(text, "joint");
    expect_start(system, "px", "pin.angle'", -k * sin(th) / below, 0);
    expect_start(system, "py", "pin.angle'", k * cos(th) / below, 0);
    expect_start(system, "I", "pin.angle'", -(th - 0.5) / below, 0);
    dal_system_free(system);
}

/* A body may turn about z, and its attitude is given by an angle f about another axis n: the nearest one has the angle 2 atan(n_z tan(f/2)). The joint's
 * own angle counts from the x axis in the body that is nearest to x as given, (R_xx, R_xy) of the given R, so that its zero moves with f. */
static void a_hinge_takes_the_nearest_attitude(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: spatial\nparameters: {f: 0.9, I: 2}\n"
                               "bodies: {wheel: {mass: 1, inertia: [I, 3, 4], position: [0, 0, 0], orientation: {axis: [0.6, 0, 0.8], angle: f}}}\n"
                               "joints: {axle: {type: revolute, connect: [ground, wheel], axis: [[0, 0, 1], [0, 0, 1]]}}\n";
    const double f = 0.9, slope = 0.8 / (cos(f / 2) * cos(f / 2) + 0.64 * sin(f / 2) * sin(f / 2));
    const double x = cos(f) + 0.36 * (1 - cos(f)), y = -0.8 * sin(f), zero = (0.64 * y * sin(f) - 0.8 * x * cos(f)) / (x * x + y * y);
    (void)unused;
    for (int i = 0; i < 2; i++) {
        dal_system *system = compile_text(text, i ? "joint" : "angle");
        if (i) {
            expect_start(system, "f", "axle.angle'", slope + zero, 0);
            expect_start(system, "I", "axle.angle'", 0, 0);
        } else {
            start_answer a;
            ask_start(system, "f", &a);
            assert_true(a.out.start_exact);
            double sum = 0;
            for (int k = 0; k < dal_derivatives_describe(system).velocities; k++)
                sum += fabs(a.dq[k]);
            expect_slope("the turn by f", sum, slope);
        }
        dal_system_free(system);
    }
}

/* Given velocities that a rod forbids share what they are against, by masses; where none is given the energy is least: the second particle then moves
 * along the rod n alone, n (n . v). */
static void velocities_follow_their_rules(void **unused)
{
    static const char both[] = "dalembert: 1\nspace: planar\nparameters: {m: 2, n: 3, u: 0.7, s: 0.4}\n"
                               "bodies:\n  a: {mass: m, position: [0, 0], velocity: [u, 0]}\n  b: {mass: n, position: [1, 0], velocity: [0.1, s]}\n"
                               "joints:\n  rod: {type: distance, connect: [a, b]}\n";
    static const char first[] = "dalembert: 1\nspace: planar\nparameters: {f: 0.6, u: 0.7}\n"
                                "bodies:\n  a: {mass: 1, position: [0, 0], velocity: [0, u]}\n  b: {mass: 3, position: [2*cos(f), 2*sin(f)]}\n"
                                "joints:\n  rod: {type: distance, connect: [a, b]}\n";
    const double m = 2, n = 3, M = m + n, u = 0.7, f = 0.6;
    (void)unused;
    dal_system *system = compile_text(both, "angle");
    expect_start(system, "u", "a.x'", 0, m / M);
    expect_start(system, "u", "b.x'", 0, m / M);
    expect_start(system, "m", "b.x'", 0, n * (u - 0.1) / (M * M));
    expect_start(system, "s", "b.y'", 0, 1);
    dal_system_free(system);
    system = compile_text(first, "angle");
    expect_start(system, "f", "b.x'", -2 * sin(f), u * cos(2 * f));
    expect_start(system, "f", "b.y'", 2 * cos(f), u * sin(2 * f));
    expect_start(system, "f", "a.y'", 0, 0);
    expect_start(system, "u", "b.x'", 0, sin(f) * cos(f));
    dal_system_free(system);
}

/* A weight hangs on a spring, y = -(L + m g/k); a bar lies on a torsional spring, kt th + m g a cos(th) = 0. Both are found by the program. */
static void equilibria_follow_their_balance(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {m: 0.8, k: 90, L: 0.6, a: 0.5, kt: 6}\n"
                               "bodies:\n  drop: {mass: m, position: [0.1, -0.5], velocity: [0.3, 0]}\n"
                               "  bar: {mass: m, inertia: 0.1, center: [a, 0], position: [2, 0], angle: 0.2}\n"
                               "ground: {points: {P: [2, 0]}}\njoints:\n  pin: {type: revolute, connect: [ground.P, bar]}\n"
                               "forces:\n  spring: {type: spring-damper, connect: [ground, drop], stiffness: k, length: L}\n"
                               "  twist: {type: torque, joint: pin, value: -kt*pin.angle}\nsimulate: {start: equilibrium}\n";
    const double m = 0.8, k = 90, g = 9.81, a = 0.5, kt = 6;
    double th = -0.5;
    (void)unused;
    for (int i = 0; i < 50; i++)
        th -= (kt * th + m * g * a * cos(th)) / (kt - m * g * a * sin(th));
    const double below = kt - m * g * a * sin(th);
    static const char *const families[] = {"angle", "joint", "euler", "natural"};
    for (int i = 0; i < 4; i++) {
        dal_system *system = compile_text(text, families[i]);
        start_answer by_kt, by_m;
        ask_start(system, "kt", &by_kt);
        ask_start(system, "m", &by_m);
        assert_true(by_kt.out.start_exact && by_m.out.start_exact && by_m.out.start_error < 1e-13);
        expect_start(system, "m", "drop.y'", -g / k, 0);
        expect_start(system, "k", "drop.y'", m * g / (k * k), 0);
        expect_start(system, "L", "drop.y'", -1, 0);
        for (int j = 0; i < 2 && j < 2; j++) /* the others have other coordinates */
            expect_start(system, j ? "kt" : "a", i ? "pin.angle'" : "bar.angle'", j ? -th / below : -m * g * cos(th) / below, 0);
        dal_system_free(system);
    }
}

/* Places that assembly moves, and bodies of an included model that joints place. */
static void starts_of_joints_count(void **unused)
{
    char why[512];
    start_answer a;
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/slider-crank.yaml", "angle", "lagrange", why);
    ask_start(system, "l", &a);
    assert_true(a.out.start_exact && a.out.start_error < 1e-13);
    dal_system_free(system);
    system = gallery_compile(DAL_MODELS "/two-arms.yaml", "euler", "lagrange", why);
    ask_start(system, "left.swing", &a);
    assert_true(a.out.start_exact && a.out.start_error < 1e-13);
    dal_system_free(system);
}

/* Omitted coordinates that one constraint leaves free stop where the iteration ends: no equation says where. */
static void other_starts_are_extrapolated(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {L: 0.5}\ncoordinates: {y: {}, z: {}}\n"
                               "bodies: {a: {mass: 1, position: [y, z]}}\nconstraints: {way: {position: y + 2*z + z^2 - L}}\n";
    start_answer a;
    (void)unused;
    dal_system *system = compile_text(text, "user");
    ask_start(system, "L", &a);
    assert_true(!a.out.start_exact && a.out.start_error < 1e-9);
    dal_system_free(system);
}

/* ---- corners ----------------------------------------------------------------------------------------------- */

/* The answer by a parameter at the start: of the start, or of v' there; `found`: the last message. */
static dal_status ask(dal_system *system, const char *parameter, bool of_start, start_answer *a, char *found, size_t size)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_state *state = dal_state_create(NULL, system);
    assert_true(state && dal_derivatives_describe(system).velocities <= WIDEST);
    a->out = of_start ? (dal_parameter_result){.start_dq = a->dq, .start_dv = a->dv, .start_dz = a->dz} : (dal_parameter_result){.dvd = a->dv};
    const dal_status status = dal_parameter_derivatives(state, parameter, &a->out, messages);
    found[0] = 0;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        snprintf(found, size, "%s", m->text);
    dal_state_free(state);
    dal_messages_free(messages);
    return status;
}

static void expect_corner(const char *text, const char *parameter, bool of_start, const char *words)
{
    start_answer a;
    char found[600];
    dal_system *system = compile_text(text, "joint");
    const dal_status status = ask(system, parameter, of_start, &a, found, sizeof found);
    if (status != DAL_NUMERICAL || !strstr(found, words))
        fail_msg("by %s: status %d, exact %d, \"%s\" of\n%s", parameter, status, of_start ? a.out.start_exact : a.out.exact, found, text);
    dal_system_free(system);
}

/* A weight on a spring that just touches a stop, and one that a force holds at the place where the stiffness changes. */
static void equilibria_at_corners_are_refused(void **unused)
{
    static const char stop[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {m: %s, k: 100, L: 0.1962}\n"
                               "bodies: {drop: {mass: m, inertia: 1, position: [0, -0.1], angle: 0}}\n"
                               "joints: {slide: {type: prismatic, connect: [ground, drop], axis: [0, 1]}}\nforces:\n"
                               "  f: {type: force, joint: slide, value: -k*slide.distance}\n"
                               "  stop: {type: force, joint: slide, value: '50*k*max(0, -L - slide.distance)'}\nsimulate: {start: equilibrium}\n";
    static const char bend[] = "dalembert: 1\nspace: planar\ngravity: [0, 0]\nparameters: {p: 0, k: 90}\n"
                               "bodies: {drop: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                               "joints: {slide: {type: prismatic, connect: [ground, drop], axis: [1, 0]}}\n"
                               "forces: {f: {type: force, joint: slide, value: 'p - k*slide.distance*if(slide.distance < 0, 2, 1)'}}\n"
                               "simulate: {start: equilibrium}\n";
    char text[1000];
    (void)unused;
    snprintf(text, sizeof text, stop, "2");
    expect_corner(text, "m", true, "a corner there");
    expect_corner(text, "k", true, "a corner there");
    expect_corner(text, "L", true, "a corner there");
    expect_corner(bend, "p", true, "was not found"); /* far from 0 there is no equilibrium, either */
    snprintf(text, sizeof text, stop, "1.5");
    dal_system *system = compile_text(text, "joint");
    expect_start(system, "m", "slide.distance'", -9.81 / 100, 0);
    expect_start(system, "k", "slide.distance'", 1.5 * 9.81 / 1e4, 0);
    expect_start(system, "L", "slide.distance'", 0, 0);
    dal_system_free(system);
}

static const char *const cornered[] = {"sqrt((p-1)^2)",  "((p-1)^2)^0.5",  "((p-1)^2)^(h/2)", "((p-1)^4)^0.25",
                                       "acos(cos(p-1))", "asin(cos(p-1))", "acos(p)"};
/* These are smooth at p = 1, or p does not move what is at the edge. */
static const struct {
    const char *text;
    double slope;
} smooth[] = {{"p + sqrt((h-1)^2)", 1},
              {"p + acos(h)", 1},
              {"sqrt((p-1)^4)", 0},
              {"((p-1)^2)^1.5", 0},
              {"(p-1)^h", 1},
              {"p + acos(cos(h-1))*p", 1},
              {"acos(cos(p-0.5))", 1},
              {"sqrt((p-3)^2)", -1},
              {"p + (h-1)^0.5", 1},
              {"p + (h-1)^(1.5*h)", 1},
              {"acos(p/2)", -0.57735026918962576},
              {"if(p > 0.5, p, sqrt((p-1)^2))", 1}};

/* Roots at zero and arcs at their ends have no switch. */
static void edges_of_functions_are_corners(void **unused)
{
    static const char start[] = "dalembert: 1\nspace: planar\ngravity: [0, 0]\nparameters: {p: 1, h: 1}\n"
                                "bodies: {a: {mass: 1, position: ['0.2*(%s)', 0], fix: true}}\n";
    static const char force[] = "dalembert: 1\nspace: planar\ngravity: [0, 0]\nparameters: {p: 1, h: 1}\n"
                                "coordinates: {x: {start: 0.4}}\nbodies: {a: {mass: 5, position: [x, 0]}}\n"
                                "forces: {f: {type: force, coordinate: x, value: '%s'}}\n";
    char text[1000], found[600];
    start_answer a;
    (void)unused;
    for (size_t i = 0; i < sizeof cornered / sizeof *cornered; i++)
        for (int of_start = 0; of_start < 2; of_start++) {
            if (!strcmp(cornered[i], "acos(p)") && of_start)
                continue; /* beside it there is no model */
            snprintf(text, sizeof text, of_start ? start : force, cornered[i]);
            if (of_start)
                expect_corner(text, "p", true, "a corner there");
            else {
                dal_system *system = compile_text(text, "user");
                const dal_status status = ask(system, "p", false, &a, found, sizeof found);
                if (status != DAL_NUMERICAL || !strstr(found, i == 6 ? "by parameter" : "a corner there"))
                    fail_msg("%s: status %d, exact %d, %g, \"%s\"", cornered[i], status, a.out.exact, a.dv[0], found);
                dal_system_free(system);
            }
        }
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        snprintf(text, sizeof text, start, smooth[i].text);
        dal_system *system = compile_text(text, "joint");
        expect_start(system, "p", "a.x'", 0.2 * smooth[i].slope, 0);
        dal_system_free(system);
        snprintf(text, sizeof text, force, smooth[i].text);
        system = compile_text(text, "user");
        const dal_status status = ask(system, "p", false, &a, found, sizeof found);
        if (status != DAL_OK || !a.out.exact)
            fail_msg("%s: status %d, exact %d, \"%s\"", smooth[i].text, status, a.out.exact, found);
        expect_slope(smooth[i].text, a.dv[0], 0.2 * smooth[i].slope);
        dal_system_free(system);
    }
}

/* Below 0.95 there is no model: the two nearest that are tried first are both above 1. */
static void one_side_proves_nothing(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, 0]\nparameters: {p: 1}\n"
                               "bodies: {a: {mass: p - 0.95, position: [%s, 0], fix: true}}\n";
    char model[400];
    (void)unused;
    snprintf(model, sizeof model, text, "abs(p-1)");
    expect_corner(model, "p", true, "was not found");
    snprintf(model, sizeof model, text, "3*p");
    dal_system *system = compile_text(model, "joint");
    expect_start(system, "p", "a.x'", 3, 0);
    dal_system_free(system);
}

/* An attitude that is the same at p + p/8 and at p - 13 p/128: models for these values would prove that it is constant. */
static void turns_are_not_constants(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, 0]\nparameters: {p: 128}\n"
                               "bodies: {a: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 0],\n"
                               "             orientation: {axis: [0, 0, 1], angle: 2*pi*p}}}\n";
    start_answer a;
    char found[600];
    (void)unused;
    dal_system *system = compile_text(text, "euler");
    assert_int_equal(ask(system, "p", true, &a, found, sizeof found), DAL_OK);
    if (!a.out.start_exact)
        fail_msg("exact %d, error %g, \"%s\"", a.out.start_exact, a.out.start_error, found);
    expect_slope("e3 by p", a.dq[velocity_named(system, "a.e3'")], acos(-1));
    dal_system_free(system);
}

/* ---- what rounding hides ------------------------------------------------------------------------------------- */

static double rate_by(dal_system *system, const char *parameter, const char *velocity)
{
    start_answer a;
    char found[600];
    if (ask(system, parameter, false, &a, found, sizeof found) != DAL_OK)
        fail_msg("%s: %s", parameter, found);
    return a.dv[velocity_named(system, velocity)];
}

/* Values so small that nothing changes when they do: of a start value, of a table, of a mass from a density, and of start rates that a gear averages,
 * 2 (a' - 1)^2 + 3 (b' - 2 - 2 p)^2 with b' = 2 a'. Models for other values of that size would prove that nothing depends on them. */
static void small_values_are_not_taken_for_nothing(void **unused)
{
    static const char *const texts[] = {
        "dalembert: 1\nspace: planar\nparameters: {p: 1e-20}\n"
        "bodies: {a: {mass: 1, inertia: 1, position: [1 + p, 0.5], velocity: [2 + 3*p, 0]}}\n",
        "dalembert: 1\nspace: planar\nparameters: {p: 1e-14}\ntables: {f: {x: [0, 0.5, 1], y: [0, 1 + p, 3], smooth: 0}}\n"
        "bodies: {a: {mass: 2, position: [0.3, 0.5]}}\nforces: {push: {type: force, body: a, value: ['interp(f, a.x)', 0]}}\n",
        "dalembert: 1\nspace: spatial\nparameters: {p: 1e-16}\n"
        "bodies: {a: {density: 1000 + 2000*p, shape: {box: [0.1, 0.2, 0.3 + p]}, position: [0.4, 0.5, 0]}}\n"
        "forces: {push: {type: force, body: a, value: [1, 0, 0]}}\n",
        "dalembert: 1\nspace: planar\nparameters: {p: 1e-15}\nbodies: {a: {mass: 1, inertia: 2}, b: {mass: 1, inertia: 3}}\n"
        "joints:\n  A: {type: revolute, connect: [ground, a], start: {angle: 0.2, rate: 1}}\n"
        "  B: {type: revolute, connect: [ground, b], start: {angle: 0.1, rate: 2 + 2*p}}\n  G: {type: gear, joints: [A, B], ratio: 2}\n"};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        dal_system *system = compile_text(texts[i], "angle");
        if (i == 0)
            expect_start(system, "p", "a.x'", 1, 3);
        else if (i < 3)
            expect_slope(i == 1 ? "a table" : "a density", rate_by(system, "p", "a.x'"), i == 1 ? 0.3 : -(2 + 1 / 0.3) / 6);
        else {
            expect_start(system, "p", "a.angle'", 0, 6.0 / 7);
            expect_start(system, "p", "b.angle'", 0, 12.0 / 7);
        }
        dal_system_free(system);
    }
}

/* The rates of this start are known to 1e-12 only, because light parts hang on heavy ones. That is no corner. */
static void rough_starts_have_derivatives(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: spatial\nparameters: {m: 1.3, l: 0.7, I: 0.2, th: 0.4, tilt: 0.3, w: 1.1}\nbodies:\n"
        "  base: {mass: m*3, inertia: [I, 2*I, 2.2*I, 0.01, 0.02*m, -0.01], center: [0.02, 0.01*l, 0.1], position: [0.1, 0.2, 0.3],\n"
        "         orientation: {euler-zyx: [0.2, tilt, 0.1]}, velocity: [w, 0.2, 0], angular-velocity: [0.3, w, 0.5],\n"
        "         points: {A: {at: [l, 0, 0], z: [0.2, tilt, 1], x: [1, 0, 0]}, B: [0, l, 0.1]}}\n"
        "  arm: {mass: m, inertia: [0.1, I/1.5, 0.15], center: [l/2, 0, 0], points: {E: [l, 0.1, 0]}}\n"
        "  fin: {mass: 0.5, inertia: [0.05, 0.06, I/3], center: [0, 0.1, l/3]}\n  slide: {mass: 0.4*m, inertia: [0.01, 0.01, 0.012]}\n"
        "joints:\n  J1: {type: revolute, connect: [base.A, arm], start: {angle: th, rate: w*2}}\n"
        "  J2: {type: revolute, connect: [base.B, fin], axis: [1, tilt, 0.2], start: {angle: -th^2, rate: 0.7}}\n"
        "  J3: {type: cylindrical, connect: [arm.E, slide], axis: [0.1, 1, tilt], start: {angle: 0.1, rate: 1}}\n";
    static const struct {
        const char *parameter, *velocity;
        double dq, dv;
    } known[] = {{"m", "J1.angle'", 0, 0},  {"m", "J2.angle'", 0, 0},     {"I", "J1.angle'", 0, 0}, {"I", "J3.distance'", 0, 0},
                 {"th", "J1.angle'", 1, 0}, {"th", "J2.angle'", -0.8, 0}, {"w", "J1.angle'", 0, 2}, {"tilt", "J1.angle'", 0, 0}};
    (void)unused;
    dal_system *system = compile_text(text, "joint");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        start_answer a;
        char found[600];
        if (ask(system, known[i].parameter, true, &a, found, sizeof found) != DAL_OK)
            fail_msg("%s: %s", known[i].parameter, found);
        const int k = velocity_named(system, known[i].velocity);
        if (!(a.out.start_error < 1e-9) || !(fabs(a.dq[k] - known[i].dq) < 1e-10) || !(fabs(a.dv[k] - known[i].dv) < 1e-9))
            fail_msg("%s by %s: %.12g, %.12g, error %.2g", known[i].velocity, known[i].parameter, a.dq[k], a.dv[k], a.out.start_error);
    }
    dal_system_free(system);
}

/* ---- without memory ------------------------------------------------------------------------------------------ */

static long allocations, allowed;

static void *allocate_some(void *user, size_t bytes)
{
    (void)user;
    return allocations++ < allowed ? malloc(bytes) : NULL;
}

static void release_one(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* No memory is left from one allocation on, from each in turn. That is the reason given, or the answer is the same. */
static void running_out_of_memory_is_said(void **unused)
{
    const dal_allocator scarce = {allocate_some, release_one, NULL};
    char why[512];
    double dq[WIDEST], dv[WIDEST], expected[WIDEST];
    (void)unused;
    dal_system *system = gallery_compile(DAL_MODELS "/slider-crank.yaml", "angle", "lagrange", why);
    const size_t bytes = sizeof *dq * (size_t)dal_derivatives_describe(system).velocities;
    for (long k = 0, all = 1; k <= all; k++) { /* the first has all that it asks for */
        allowed = LONG_MAX;
        dal_state *state = dal_state_create(&scarce, system);
        assert_non_null(state);
        dal_parameter_result out = {.start_dq = dq, .start_dv = dv};
        allowed = k ? k - 1 : LONG_MAX;
        allocations = 0;
        const dal_status status = dal_parameter_derivatives(state, "l", &out, NULL);
        all = k ? all : allocations;
        if (!k)
            memcpy(expected, dq, bytes);
        if (status != (k ? DAL_NO_MEMORY : DAL_OK) && (status != DAL_OK || memcmp(dq, expected, bytes)))
            fail_msg("allocation %ld of %ld: status %d", k, all, status);
        dal_state_free(state);
    }
    dal_system_free(system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbols_and_compiled_models_have_the_same_derivatives),
                                       cmocka_unit_test(the_call_says_what_it_has),
                                       cmocka_unit_test(parameters_follow_from_others),
                                       cmocka_unit_test(later_calls_give_what_new_states_give),
                                       cmocka_unit_test(rows_move_a_four_bar),
                                       cmocka_unit_test(written_starts_are_differentiated),
                                       cmocka_unit_test(particles_go_to_the_nearest_place),
                                       cmocka_unit_test(a_pinned_body_turns_to_the_nearest_angle),
                                       cmocka_unit_test(a_body_in_space_turns_far),
                                       cmocka_unit_test(a_hinge_takes_the_nearest_attitude),
                                       cmocka_unit_test(velocities_follow_their_rules),
                                       cmocka_unit_test(equilibria_follow_their_balance),
                                       cmocka_unit_test(starts_of_joints_count),
                                       cmocka_unit_test(other_starts_are_extrapolated),
                                       cmocka_unit_test(equilibria_at_corners_are_refused),
                                       cmocka_unit_test(edges_of_functions_are_corners),
                                       cmocka_unit_test(one_side_proves_nothing),
                                       cmocka_unit_test(turns_are_not_constants),
                                       cmocka_unit_test(small_values_are_not_taken_for_nothing),
                                       cmocka_unit_test(rough_starts_have_derivatives),
                                       cmocka_unit_test(running_out_of_memory_is_said)};
    everything = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
