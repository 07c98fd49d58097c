/* Ignorable coordinates: which ones are found, and the two formulations that take their momenta for constants. */
#include "gallery.h"
#include "dynamics/speeds.h"
#include "state/momenta.h"

/* ---- models -------------------------------------------------------------------- */

#define CHAIN(more)                                                                                                                                  \
    "dalembert: 1\nspace: planar\n"                                                                                                                  \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1.37, inertia: 0.21, center: [0.03, -0.02], position: [0.1, 0.2], angle: 0.3, velocity: [0.4, -0.7], rate: 1.1,\n"                  \
    "      points: {E: [0.5, 0.1]}}\n"                                                                                                               \
    "  b: {mass: 0.91, inertia: 0.13, points: {S: [-0.45, 0], E: [0.41, 0.05]}}\n"                                                                   \
    "  c: {mass: 0.73, inertia: 0.08, points: {S: [-0.35, 0.02]}}\n"                                                                                 \
    "joints:\n"                                                                                                                                      \
    "  ab: {type: revolute, connect: [a.E, b.S], start: {angle: 0.6, rate: -0.8}}\n"                                                                 \
    "  bc: {type: revolute, connect: [b.E, c.S], start: {angle: -0.4, rate: 1.7}}\n" more

/* In the horizontal plane, or under gravity. */
#define PENDULUM(more)                                                                                                                               \
    "dalembert: 1\nspace: planar\n"                                                                                                                  \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1.37, inertia: 0.21, points: {S: [-0.6, 0], E: [0.5, 0.1]}}\n"                                                                      \
    "  b: {mass: 0.91, inertia: 0.13, points: {S: [-0.45, 0]}}\n"                                                                                    \
    "joints:\n"                                                                                                                                      \
    "  p: {type: revolute, connect: [ground, a.S], start: {angle: 0.3, rate: 0.7}}\n"                                                                \
    "  ab: {type: revolute, connect: [a.E, b.S], start: {angle: 0.6, rate: -0.8}}\n" more

/* Four bars in a loop that floats: one joint is cut, its rows are constraints. */
#define LOOP                                                                                                                                         \
    "dalembert: 1\nspace: planar\n"                                                                                                                  \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1.37, inertia: 0.21, position: [0.5, 0], angle: 0, velocity: [0.2, 0.1], rate: 0.9,\n"                                              \
    "      points: {S: [-0.5, 0], E: [0.5, 0]}}\n"                                                                                                   \
    "  b: {mass: 0.91, inertia: 0.13, position: [1.1, 0.4], angle: 1.3, points: {S: [-0.4, 0], E: [0.4, 0]}}\n"                                      \
    "  c: {mass: 0.73, inertia: 0.08, position: [0.6, 0.9], angle: 3, points: {S: [-0.55, 0], E: [0.55, 0]}}\n"                                      \
    "  d: {mass: 0.57, inertia: 0.05, position: [0, 0.4], angle: -1.6, points: {S: [-0.42, 0], E: [0.42, 0]}}\n"                                     \
    "joints:\n"                                                                                                                                      \
    "  ab: {type: revolute, connect: [a.E, b.S]}\n"                                                                                                  \
    "  bc: {type: revolute, connect: [b.E, c.S]}\n"                                                                                                  \
    "  cd: {type: revolute, connect: [c.E, d.S]}\n"                                                                                                  \
    "  da: {type: revolute, connect: [d.E, a.S]}\n"                                                                                                  \
    "forces:\n"                                                                                                                                      \
    "  m: {type: motor, joint: ab, value: 0.7*sin(3*t) - 0.2}\n"

/* A free body with two others on it, a ball and a hinge: quaternions with angular velocities beside angles. */
#define BALLS(more)                                                                                                                                  \
    "dalembert: 1\nspace: spatial\n"                                                                                                                 \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1.37, inertia: [0.31, 0.24, 0.17], center: [0.1, 0.05, -0.03], velocity: [0.3, -0.2, 0.5],\n"                                       \
    "      angular-velocity: [0.9, 1.3, -0.7], points: {E: [0.5, 0.1, 0.2], F: [-0.3, 0.2, 0.1]}}\n"                                                 \
    "  b: {mass: 0.91, inertia: [0.13, 0.11, 0.05], angular-velocity: [-0.4, 0.8, 1.9], points: {S: [-0.45, 0, 0.1]}}\n"                             \
    "  c: {mass: 0.73, inertia: [0.08, 0.06, 0.09], points: {S: [0.3, -0.2, 0.1]}}\n"                                                                \
    "joints:\n"                                                                                                                                      \
    "  ab: {type: spherical, connect: [a.E, b.S]}\n"                                                                                                 \
    "  ac: {type: revolute, connect: [a.F, c.S], axis: [0.3, 0.5, -0.8], start: {angle: 0.2, rate: 1.1}}\n" more

/* Time moves the cart against its own coordinate: N_2 of (24) is not zero. */
#define SHAKEN                                                                                                                                       \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                                             \
    "coordinates:\n"                                                                                                                                 \
    "  x: {start: 0.4, rate: 0.3}\n"                                                                                                                 \
    "  th: {start: 0.7, rate: -1.2}\n"                                                                                                               \
    "bodies:\n"                                                                                                                                      \
    "  cart: {mass: 1.9, position: [x + 0.3*sin(2*t), 0]}\n"                                                                                         \
    "  rod: {mass: 0.8, inertia: 0.11, from: cart, position: [0.5*sin(th), -0.5*cos(th)*(1 + 0.1*sin(t))], angle: th + 0.2*t}\n"                     \
    "forces:\n"                                                                                                                                      \
    "  hold: {type: torque, coordinate: th, value: 0.4*cos(t) - 0.3*th'}\n"

static dal_system *compile_text(const char *text, const char *coordinates, const char *formulation, char why[512])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    why[0] = '\0';
    if (dal_spec_parse(NULL, "reduced.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", coordinates, messages);
        dal_spec_set(spec, "formulation", formulation, messages);
        dal_spec_set(spec, "stabilization", "direct-correction=1e-12", messages);
        dal_spec_set(spec, "until", "2", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !why[0])
            dal_message_format(m, why, 512);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* ---- which coordinates are ignorable ---------------------------------------------- */

static void expect(const char *text, const char *coordinates, const char *names)
{
    char why[512];
    dal_system *system = compile_text(text, coordinates, "lagrange", why);
    if (!system)
        fail_msg("%s\n%s", why, text);
    const char *found = dal_system_describe(system).ignorable_names;
    if (strcmp(found, names))
        fail_msg("ignorable are '%s', expected '%s', in\n%s", found, names, text);
    dal_system_free(system);
}

static void a_floating_chain_ignores_its_place(void **unused)
{
    (void)unused;
    expect(CHAIN(""), "joint", "a.x, a.y");
    expect(CHAIN("gravity: [0, -9.81]\n"), "joint", "a.x");
    expect(CHAIN("gravity: [-3, 0]\n"), "joint", "a.y");
    expect(LOOP, "joint", "a.x, a.y");
    expect(BALLS(""), "joint", "a.x, a.y, a.z");
    expect(BALLS("gravity: [0, 1, -2]\n"), "joint", "a.x");
}

/* A body that turns about its centre of mass: its angle does not couple with its place. */
static void a_free_body_ignores_its_angle_where_its_frame_is_its_centre(void **unused)
{
    (void)unused;
    expect("dalembert: 1\nspace: planar\nbodies:\n  a: {mass: 2, inertia: 0.3, rate: 1}\n", "joint", "a.x, a.y, a.angle");
    expect("dalembert: 1\nspace: planar\nbodies:\n  a: {mass: 2, inertia: 0.3, rate: 1, center: [0.1, 0]}\n", "joint", "a.x, a.y");
}

static void a_root_angle_is_ignorable_where_nothing_holds_it(void **unused)
{
    (void)unused;
    expect(PENDULUM(""), "joint", "p.angle");
    expect(PENDULUM("gravity: [0, -9.81]\n"), "joint", "");
    expect(PENDULUM("forces:\n  m: {type: motor, joint: ab, value: 3*sin(t)}\n"), "joint", "p.angle");
    expect(PENDULUM("forces:\n  m: {type: motor, joint: p, value: 3*sin(t)}\n"), "joint", "");
    expect(PENDULUM("forces:\n  s: {type: torsional-spring-damper, joint: p, stiffness: 2}\n"), "joint", "");
    expect(PENDULUM("forces:\n  s: {type: torsional-spring-damper, joint: ab, stiffness: 2, damping: 0.1}\n"), "joint", "p.angle");
}

/* The size of a force does not count, only where it acts. */
static void a_force_that_turns_on_later_counts_from_the_start(void **unused)
{
    (void)unused;
    expect(CHAIN("forces:\n  f: {type: force, body: b, value: [\"if(t > 10, 1, 0)\", 0]}\n"), "joint", "a.y");
    expect(CHAIN("forces:\n  f: {type: force, body: b, value: [0, 0]}\n"), "joint", "a.x, a.y");
    expect(CHAIN("inputs: {push: 0}\nforces:\n  f: {type: force, body: b, value: [0, push]}\n"), "joint", "a.x");
}

static void what_acts_between_bodies_cancels(void **unused)
{
    (void)unused;
    expect(CHAIN("forces:\n  m: {type: motor, joint: ab, value: 3*sin(t)}\n"), "joint", "a.x, a.y");
    expect(CHAIN("forces:\n  s: {type: spring-damper, connect: [a, c], stiffness: 1e6, length: 0.3, damping: 7}\n"), "joint", "a.x, a.y");
    expect(CHAIN("forces:\n  s: {type: spring-damper, connect: [ground, c], stiffness: 1e-6, length: 0.3}\n"), "joint", "");
}

static void coordinates_of_the_model_may_be_ignorable(void **unused)
{
    (void)unused;
    expect(SHAKEN, "user", "x");
}

static void absolute_families_have_none_and_say_so(void **unused)
{
    (void)unused;
    static const char *const families[] = {"angle", "euler", "natural"}, *const formulations[] = {"volterra-reduced", "routh"};
    char why[512], sentence[200];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            assert_null(compile_text(CHAIN(""), families[i], formulations[k], why));
            snprintf(sentence, sizeof sentence, "%s needs ignorable coordinates, and this model has none in the family %s: use joint or user",
                     formulations[k], families[i]);
            if (!strstr(why, sentence))
                fail_msg("'%s' does not say '%s'", why, sentence);
        }
    assert_null(compile_text(PENDULUM("gravity: [0, -9.81]\n"), "joint", "routh", why));
    assert_non_null(strstr(why, "routh needs ignorable coordinates, and this model has none in the family joint"));
}

/* ---- the same accelerations as lagrange --------------------------------------------- */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double difference(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* d/dt dT/dv_k = p_k' + (M v')_k is what Lagrange's equations say it is: nothing. */
static void momenta_rest(dal_state *state)
{
    const int n = state->system->layout.nv;
    double *p = calloc(3 * (size_t)n, sizeof *p), *pd = p + n, *Ma = pd + n;
    dal_momenta_rates(state, p, pd);
    dal_mass_times(&state->system->layout, state->work.M, state->vd, Ma);
    for (int i = 0; i < state->system->layout.n_ignorable; i++) {
        int k = state->system->layout.ignorable[i];
        check_small(pd[k] + Ma[k], 1e-11 * (largest(pd, n) + largest(Ma, n)));
    }
    free(p);
}

static void agree_at(dal_state *state, dal_state *twin)
{
    const dal_layout *layout = &state->system->layout;
    const double *z = state->y + layout->nq + state->system->n_w;
    const int rest = state->system->n_y - layout->nq - state->system->n_w;
    momenta_rest(state);
    dal_state_reset(twin);
    assert_int_equal(dal_state_adopt(twin, state->work.t, state->work.q, state->work.v), 0);
    memcpy(twin->y + layout->nq + twin->system->n_w, z, sizeof *z * (size_t)rest);
    assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
    double v = difference(state->work.v, twin->work.v, layout->nv), a = difference(state->vd, twin->vd, layout->nv);
    check_small(v, 1e-12 * (1 + largest(state->work.v, layout->nv)));
    check_small(a, 1e-9 * largest(state->vd, layout->nv));
    check_small(difference(state->lambda, twin->lambda, layout->n_rows),
                1e-9 * (largest(state->lambda, layout->n_rows) + state->system->layout.units.mass * largest(state->vd, layout->nv)));
    for (int i = 0; i < twin->system->layout.n_ignorable; i++) { /* the rates that the integrator sees keep them */
        double now[8];
        assert_true(twin->system->layout.n_ignorable <= 8);
        dal_state_momenta(twin, now, NULL);
        check_close(now[i], twin->speeds->momenta[i], 1e-13 * (1 + fabs(twin->speeds->momenta[i])));
    }
}

static void agree(dal_system *reference, dal_system *other, const char *name)
{
    uint64_t seed = 41;
    int tried = 0;
    dal_state *state = dal_state_create(NULL, reference), *twin = dal_state_create(NULL, other);
    for (int i = 0; i < 12; i++) {
        if (!gallery_random_state(state, &seed, 0.17 * i, i ? 0.2 : 0, 1.5))
            continue; /* too far from the start to be assembled */
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        agree_at(state, twin);
        tried++;
    }
    if (tried < 6)
        fail_msg("%s: only %d states", name, tried);
    dal_state_free(twin);
    dal_state_free(state);
}

static const char *const formulations[] = {"volterra-reduced", "routh"};

static void agree_on_text(const char *text, const char *family)
{
    char why[512];
    for (int k = 0; k < 2; k++) {
        dal_system *reference = compile_text(text, family, "lagrange", why), *other = compile_text(text, family, formulations[k], why);
        if (!reference || !other)
            fail_msg("%s\n%s", why, text);
        agree(reference, other, formulations[k]);
        dal_system_free(other);
        dal_system_free(reference);
    }
}

static void reduced_equations_agree_with_lagrange_on_a_tree(void **unused)
{
    (void)unused;
    agree_on_text(CHAIN(""), "joint");
    agree_on_text(CHAIN("gravity: [0, -9.81]\nforces:\n  m: {type: motor, joint: ab, value: 3*sin(t)}\n"), "joint");
    agree_on_text(PENDULUM(""), "joint");
}

static void reduced_equations_agree_with_lagrange_on_a_loop(void **unused)
{
    (void)unused;
    agree_on_text(LOOP, "joint");
}

/* Velocities that are no rates: Routh's equations carry the commutator. */
static void reduced_equations_agree_with_lagrange_with_balls(void **unused)
{
    (void)unused;
    agree_on_text(BALLS(""), "joint");
    agree_on_text(BALLS("gravity: [0, 1, -2]\n"), "joint");
}

static void reduced_equations_agree_with_lagrange_where_time_moves_bodies(void **unused)
{
    (void)unused;
    agree_on_text(SHAKEN, "user");
}

static void reduced_equations_agree_with_lagrange_on_the_gallery(void **unused)
{
    (void)unused;
    static const struct {
        const char *model, *family;
    } cases[] = {{"cart-two-bars", "user"},
                 {"three-bodies", "user"},
                 {"satellite-boom", "user"},
                 {"flyball-governor", "joint"},
                 {"double-pendulum-on-cart", "joint"},
                 {"cart-pole-light", "joint"},
                 {"free-body", "joint"}};
    char why[512], file[300];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(file, sizeof file, DAL_MODELS "/%s.yaml", cases[i].model);
            dal_system *reference = gallery_compile(file, cases[i].family, "lagrange", why);
            dal_system *other = gallery_compile(file, cases[i].family, formulations[k], why);
            if (!reference || !other)
                fail_msg("%s", why);
            agree(reference, other, cases[i].model);
            dal_system_free(other);
            dal_system_free(reference);
        }
}

/* Off the constraints, Baumgarte pulls Routh's accelerations as it pulls Lagrange's: v is not made of speeds that meet them. */
static void routh_is_stabilised_like_lagrange(void **unused)
{
    (void)unused;
    char why[512];
    uint64_t seed = 77;
    dal_system *system[2] = {compile_text(LOOP, "joint", "lagrange", why), compile_text(LOOP, "joint", "routh", why)};
    dal_state *state[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; dal_stabilizations[i]; i++)
            if (dal_stabilizations[i]->stabilises_gamma && !dal_stabilizations[i]->solve)
                system[k]->method.stabilization = dal_stabilizations[i];
        system[k]->method.alpha = 3.1;
        system[k]->method.beta = 4.7;
        state[k] = dal_state_create(NULL, system[k]);
    }
    const dal_layout *layout = &system[0]->layout;
    for (int i = 0; i < layout->nq + layout->nv; i++)
        state[0]->y[i] += 0.1 * check_random(&seed);
    assert_int_equal(dal_state_evaluate(state[0], NULL), DAL_OK);
    assert_true(largest(state[0]->work.phi, layout->n_rows) > 1e-3);
    assert_int_equal(dal_state_adopt(state[1], 0, state[0]->work.q, state[0]->work.v), 0);
    assert_int_equal(dal_state_evaluate(state[1], NULL), DAL_OK);
    check_small(difference(state[0]->vd, state[1]->vd, layout->nv), 1e-10 * largest(state[0]->vd, layout->nv));
    for (int k = 0; k < 2; k++) {
        dal_state_free(state[k]);
        dal_system_free(system[k]);
    }
}

/* ---- speeds --------------------------------------------------------------------------------- */

/* The momenta give the velocities of their own coordinates, at every position: S is as good as A lets it be. */
static void automatic_speeds_are_not_those_of_ignorable_coordinates(void **unused)
{
    (void)unused;
    char why[512];
    uint64_t seed = 5;
    const char *const texts[] = {CHAIN(""), LOOP, BALLS("")};
    for (int m = 0; m < 3; m++) {
        dal_system *system = compile_text(texts[m], "joint", "volterra-reduced", why);
        assert_non_null(system);
        dal_state *state = dal_state_create(NULL, system);
        int seen = 0;
        for (int i = 0; i < 20; i++) {
            if (!gallery_random_state(state, &seed, 0, 0.3, 1))
                continue;
            seen++;
            assert_int_equal(dal_state_adopt(state, 0, state->work.q, state->work.v), 0);
            for (int j = 0; j < system->n_w; j++)
                for (int k = 0; k < system->layout.n_ignorable; k++)
                    assert_int_not_equal(state->speeds->column[j], system->layout.ignorable[k]);
        }
        assert_true(seen >= 10);
        dal_state_free(state);
        dal_system_free(system);
    }
}

/* First case of `volterra-reduced`: of its speeds th1' - th2' and x' the second is left to the momentum. The first one goes bad, as
 * the bars fold, but never so bad that the motion is lost. */
static void the_speeds_of_a_model_are_taken_where_the_momenta_leave_them(void **unused)
{
    (void)unused;
    char why[512];
    dal_system *system = gallery_compile(DAL_MODELS "/cart-two-bars.yaml", NULL, "volterra-reduced", why);
    if (!system)
        fail_msg("%s", why);
    dal_evidence e;
    assert_int_equal(system->n_w, 1);
    assert_int_equal(dal_run(system, NULL, NULL, &e), DAL_OK);
    print_message("  condition %.1e, energy %.1e, momentum %.1e\n", e.speeds_condition, e.energy_drift, e.ignorable_drift);
    assert_true(e.speeds_condition > 1e3 && e.speeds_condition < 1e5);
    check_small(e.ignorable_drift, 1e-14);
    check_small(e.energy_drift, 1e-9);
    dal_state *state = dal_state_create(NULL, system);
    dal_state_evaluate(state, NULL);
    check_close(state->y[3], 1 - -1, 1e-15); /* th1' - th2' at the start */
    dal_state_free(state);
    dal_system_free(system);
}

/* ---- runs ------------------------------------------------------------------------------ */

static dal_evidence run_text(const char *text, const char *formulation, const char *const (*settings)[2])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_evidence evidence = {0};
    dal_status status = dal_spec_parse(NULL, "reduced.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (status == DAL_OK) {
        dal_spec_set(spec, "formulation", formulation, messages);
        for (; (*settings)[0]; settings++)
            dal_spec_set(spec, (*settings)[0], (*settings)[1], messages);
        status = dal_compile(NULL, spec, messages, &system);
    }
    if (status == DAL_OK)
        status = dal_run(system, NULL, messages, &evidence);
    const dal_message *m = dal_messages_first(messages);
    if (status != DAL_OK)
        fail_msg("%s: %s", formulation, m ? m->text : "fails");
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return evidence;
}

#define LINK(name, x, rate) "  " name ": {mass: 0.8, inertia: 0.07, position: [" x ", 0], rate: " rate ", points: {S: [-0.5, 0], E: [0.5, 0]}}\n"

/* Only the rounding of one evaluation is left, however many steps there are: 20,000, and 100,000 with the argument `long`. The bound is of the sum of
 * m |v| over the bodies. */
static void momenta_of_ignorable_coordinates_do_not_drift(void **unused)
{
    (void)unused;
#ifdef CHECK_WATCHED
    const char *until = "0.03";
#else
    const char *until = check_everything ? "1" : "0.2";
#endif
    const char *const settings[][2] = {{"coordinates", "joint"}, {"integrator", "rk4"},     {"step", "1e-5"}, {"until", until},
                                       {"every", "0.01"},        {"stabilization", "none"}, {NULL, NULL}};
    const char *text = "dalembert: 1\nspace: planar\nbodies:\n" LINK("a", "0", "2.1") LINK("b", "1", "-3.7") LINK("c", "2", "1.9")
        LINK("d", "3", "0.4") LINK("e", "4", "-1.3") "joints:\n"
                                                     "  ab: {type: revolute, connect: [a.E, b.S]}\n"
                                                     "  bc: {type: revolute, connect: [b.E, c.S]}\n"
                                                     "  cd: {type: revolute, connect: [c.E, d.S]}\n"
                                                     "  de: {type: revolute, connect: [d.E, e.S]}\n";
    for (int k = 0; k < 2; k++) {
        dal_evidence e = run_text(text, formulations[k], settings);
        print_message("  %-18s %ld steps, drift %.1e\n", formulations[k], e.steps, e.ignorable_drift);
        assert_true((double)e.steps >= 0.999e5 * atof(until));
        check_small(e.ignorable_drift, 1e-14);
        check_small(e.energy_drift, 1e-9);
    }
}

/* Without rows a projection has nothing to do: whatever the stabilization, M is not formed, and every one gives the same numbers. */
static void a_long_chain_has_no_matrices_under_any_stabilization(void **unused)
{
    (void)unused;
    static const char *const names[] = {"lagrange", "kane", "gibbs-appell", "volterra", "volterra-reduced", NULL};
    static const char *const ways[] = {"none", "mass-projection", "direct-correction", "coordinate-partitioning", NULL};
    const char *text = "dalembert: 1\nspace: planar\nbodies:\n"
                       "  bar: {repeat: {i: 1..20}, mass: 0.5 + 0.1*i, inertia: 0.03, position: [0.5*i, 0], angle: 0, rate: 2*sin(i),"
                       " points: {A: [-0.25, 0], B: [0.25, 0]}}\n"
                       "joints:\n  pin: {repeat: {i: 2..20}, type: revolute, connect: ['bar.{i-1}.B', 'bar.{i}.A']}\n"
                       "simulate: {coordinates: joint, integrator: rk4, step: 1e-4, until: 2e-3}\n";
    for (int k = 0; names[k]; k++) {
        double drift[4] = {0};
        for (int w = 0; ways[w]; w++) {
            dal_messages *messages = dal_messages_create(NULL);
            dal_spec *spec = NULL;
            dal_system *system = NULL;
            dal_evidence evidence = {0};
            assert_int_equal(dal_spec_parse(NULL, "chain.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
            dal_spec_set(spec, "formulation", names[k], messages);
            dal_spec_set(spec, "stabilization", ways[w], messages);
            assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
            assert_true(system->layout.columnless);
            assert_int_equal(dal_run(system, NULL, messages, &evidence), DAL_OK);
            assert_int_equal(evidence.steps, 20);
            check_small(evidence.energy_drift, 1e-9);
            drift[w] = evidence.energy_drift;
            assert_true(drift[w] == drift[0]);
            dal_system_free(system);
            dal_spec_free(spec);
            dal_messages_free(messages);
        }
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floating_chain_ignores_its_place),
        cmocka_unit_test(a_free_body_ignores_its_angle_where_its_frame_is_its_centre),
        cmocka_unit_test(a_root_angle_is_ignorable_where_nothing_holds_it),
        cmocka_unit_test(a_force_that_turns_on_later_counts_from_the_start),
        cmocka_unit_test(what_acts_between_bodies_cancels),
        cmocka_unit_test(coordinates_of_the_model_may_be_ignorable),
        cmocka_unit_test(absolute_families_have_none_and_say_so),
        cmocka_unit_test(reduced_equations_agree_with_lagrange_on_a_tree),
        cmocka_unit_test(reduced_equations_agree_with_lagrange_on_a_loop),
        cmocka_unit_test(reduced_equations_agree_with_lagrange_with_balls),
        cmocka_unit_test(reduced_equations_agree_with_lagrange_where_time_moves_bodies),
        cmocka_unit_test(reduced_equations_agree_with_lagrange_on_the_gallery),
        cmocka_unit_test(routh_is_stabilised_like_lagrange),
        cmocka_unit_test(automatic_speeds_are_not_those_of_ignorable_coordinates),
        cmocka_unit_test(the_speeds_of_a_model_are_taken_where_the_momenta_leave_them),
        cmocka_unit_test(momenta_of_ignorable_coordinates_do_not_drift),
        cmocka_unit_test(a_long_chain_has_no_matrices_under_any_stabilization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
