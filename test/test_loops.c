/* Formulation `recursive` where loops close on the tree. The truth is `lagrange` in the same coordinates, which forms M and A and solves
 * both at once: nothing of the one is used by the other. Mechanisms by chance, counts of the work, runs. */
#include "loops_agree.h"

/* ---- mechanisms by chance ---------------------------------------------------------------- */

/* Where a planar hinge stands at the start; a slide, and every joint in space, begins at zero. */
static double begins(const made *x, int a, int b, const kind *k)
{
    return x->m.flat && !strcmp(k->type, "revolute") ? angle_of(&x->m, b) - angle_of(&x->m, a) : 0;
}

/* A body on its parent. Most hang on the one before: chains are deep, and loops between their tips meet away from the ground. */
static void grow(made *x, int b)
{
    maker *m = &x->m;
    const int parent = chance(m, 0.55) ? b - 1 : pick(m, b + 1) - 1;
    const kind *k = x->parallel ? &in_space[chance(m, 0.85) ? 0 : 1] : m->flat ? &in_the_plane[pick(m, 4)] : &in_space[pick(m, 10)];
    char drive[100] = "";
    if (!x->parallel && chance(m, 0.08)) {
        x->freedoms += m->flat ? 3 : 6; /* it hangs on nothing */
        return;
    }
    const bool turns = !strcmp(k->type, "revolute"), slides = !strcmp(k->type, "prismatic");
    if ((turns || slides) && chance(m, 0.1)) {
        snprintf(drive, sizeof drive, ", drive: \"%.17g + 0.3*sin(1.7*t) + 0.2*t\"", begins(x, parent, b, k));
        x->drives++;
        x->freedoms--;
    } else if (turns)
        x->turning[x->n_turning++] = m->joints;
    else if (slides)
        x->sliding[x->n_sliding++] = m->joints;
    join(x, k, parent, b, drive);
    x->freedoms += k->free;
}

/* A loop between any two bodies, one of them the ground or a hub that others are joined to, too. */
static void close_loop(made *x, int hub)
{
    maker *m = &x->m;
    const kind *k = x->parallel ? &in_space[0] : m->flat ? &in_the_plane[pick(m, IN_THE_PLANE)] : &in_space[pick(m, IN_SPACE)];
    const int forbids = (x->parallel || m->flat ? 3 : 6) - k->free, b = pick(m, x->bodies);
    const int a = chance(m, 0.25) ? -1 : chance(m, 0.4) ? hub : pick(m, x->bodies);
    if (a == b || forbids >= x->freedoms)
        return;
    join(x, k, a, b, chance(m, 0.7) ? ", cut: true" : "");
    x->freedoms -= forbids;
    x->loops++;
}

static void couple(made *x)
{
    maker *m = &x->m;
    if (x->freedoms < 3)
        return;
    if (x->n_turning > 1 && chance(m, 0.5))
        say(m->list, "  j%d: {type: gear, joints: [j%d, j%d], ratio: %.17g}\n", m->joints, x->turning[0], x->turning[x->n_turning - 1],
            -1.1 + 0.4 * number(m));
    else if (x->n_turning > 0 && x->n_sliding > 0)
        say(m->list, "  j%d: {type: rack-and-pinion, joints: [j%d, j%d], radius: 0.37}\n", m->joints, x->turning[0], x->sliding[x->n_sliding - 1]);
    else
        return;
    m->joints++;
    x->couplings++;
    x->freedoms--;
}

/* Rows of the user's own, true at the start: of places, of a distance times a distance, of rates. */
static void constrain(made *x)
{
    maker *m = &x->m;
    const int a = pick(m, x->bodies), b = (a + 1 + pick(m, x->bodies - 1)) % x->bodies, what = pick(m, 3);
    const double *p = m->r[a], *q = m->r[b];
    if (x->freedoms < 3 || x->parallel)
        return;
    if (what == 0)
        say(x->rules, "  c%d: {position: \"b%d.x*b%d.y + 0.7*b%d.y - %.17g\"}\n", x->constraints, a, b, a, p[0] * q[1] + 0.7 * p[1]);
    else if (what == 1)
        say(x->rules, "  c%d: {position: \"(b%d.x - b%d.x)^2 + 2*(b%d.y - b%d.y)^2 - %.17g - 0.1*sin(t)\"}\n", x->constraints, a, b, a, b,
            (p[0] - q[0]) * (p[0] - q[0]) + 2 * (p[1] - q[1]) * (p[1] - q[1]));
    else if (x->n_turning > 1)
        say(x->rules, "  c%d: {velocity: \"j%d.angle' - (0.8 + 0.3*sin(j%d.angle))*j%d.angle'\"}\n", x->constraints, x->turning[0],
            x->turning[x->n_turning - 1], x->turning[x->n_turning - 1]);
    else
        say(x->rules, "  c%d: {velocity: \"b%d.x' - b%d.y*b%d.y'\"}\n", x->constraints, a, b, b);
    x->constraints++;
    x->freedoms--;
}

/* A blade that slides on a plane of another body, or on the plane of the model. */
static void skate(made *x)
{
    maker *m = &x->m;
    const int b = pick(m, x->bodies), a = m->flat || b == 0 ? -1 : pick(m, b);
    double at[3], normal[3], blade[3];
    if (x->freedoms < 4 || x->parallel)
        return;
    random_point(m, at);
    random_unit(m, normal);
    across(m, normal, blade);
    say(m->list, "  j%d: {type: skate, connect: [", m->joints++);
    say_end(m, a, at);
    say(m->list, ", ");
    say_end(m, b, at);
    say(m->list, "]");
    if (!m->flat)
        say_direction(m, ", normal: ", a, normal);
    say_direction(m, ", axis: ", b, blade);
    say(m->list, "}\n");
    x->blades++;
    x->freedoms -= m->flat ? 1 : 2;
}

static void push(made *x)
{
    maker *m = &x->m;
    const int a = pick(m, x->bodies), b = (a + 1) % x->bodies;
    say(x->forces, "  spring: {type: spring-damper, connect: [b%d, b%d], stiffness: 31, damping: 0.7, length: 0.4}\n", a, b);
    if (x->n_turning)
        say(x->forces, "  turn: {type: torque, joint: j%d, value: \"3*cos(2*t) - 0.4*j%d.angle'\"}\n", x->turning[0], x->turning[0]);
    if (x->n_sliding)
        say(x->forces, "  shove: {type: force, joint: j%d, value: 2.3}\n", x->sliding[0]);
}

static void make(made *x, int number_of)
{
    maker *m = &x->m;
    memset(x, 0, sizeof *x);
    m->seed = 500 + (uint64_t)number_of;
    m->solid = true;
    m->flat = number_of % 3 == 0;
    x->parallel = number_of % 6 == 1;
    random_unit(m, x->common);
    x->bodies = 5 + pick(m, 10);
    for (int b = 0; b < x->bodies; b++)
        place_body(m);
    for (int b = 0; b < x->bodies; b++)
        grow(x, b);
    const int hub = pick(m, x->bodies);
    for (int k = 2 + pick(m, 5); k > 0; k--)
        close_loop(x, hub);
    if (chance(m, 0.4))
        couple(x);
    if (chance(m, 0.25))
        skate(x);
    for (int k = pick(m, 3); k > 0; k--)
        constrain(x);
    push(x);
    say(m->text, "dalembert: 1\nspace: %s\ngravity: %s\nground: {points: {%s}}\nbodies:\n", m->flat ? "planar" : "spatial",
        m->flat ? "[0.4, -9.81]" : "[0.3, -0.7, -9.81]", m->points[0]);
    for (int b = 0; b < x->bodies; b++)
        say_body(m, b);
    say(m->text, "joints:\n%sforces:\n%s", m->list, x->forces);
    if (x->constraints)
        say(m->text, "constraints:\n%s", x->rules);
    say(m->text, "simulate: {until: 1, stabilization: {direct-correction: 1e-12}}\n");
}

/* Where loops are eliminated: at links that are not the ground, at the ground, several at one link. */
static void count_shape(const dal_system *system, tally *all)
{
    const dal_loops *loops = system->loops;
    int most = 0;
    bool deep = false;
    for (int i = 0; i < loops->n_links; i++) {
        deep |= loops->front[i].n_eliminated > 0;
        most = loops->front[i].n_slots > most ? loops->front[i].n_slots : most;
    }
    all->deep += deep;
    all->grounded += loops->front[loops->n_links].n_eliminated > 0;
    all->shared += most > 6;
    all->redundant += system->rank < system->layout.n_rows;
}

static void check_mechanism(int number_of, tally *all)
{
    made *x = calloc(1, sizeof *x);
    char name[40];
    make(x, number_of);
    snprintf(name, sizeof name, "mechanism %d", number_of);
    dal_system *systems[2] = {compile_or_refuse(x->m.text, "lagrange"), compile_or_refuse(x->m.text, "recursive")};
    assert_true(!systems[0] == !systems[1]);
    if (!systems[0]) {
        free(x);
        return;
    }
    if (visit(name, x->m.text, systems, 90 + (uint64_t)number_of, 4, all, NULL) && systems[1]->layout.n_rows) {
        count_shape(systems[1], all);
        all->nonholonomic += x->blades || strstr(x->rules, "velocity");
        all->rheonomic += x->drives || strstr(x->rules, "sin(t)");
    }
    for (int s = 0; s < 2; s++)
        dal_system_free(systems[s]);
    free(x);
}

static void loops_by_chance_move_as_lagrange_and_every_instruction_set_say(void **unused)
{
    (void)unused;
    tally all = {0};
    int tried = 0;
    while (all.mechanisms < 150)
        check_mechanism(tried++, &all);
    print_message("  %d mechanisms of %d, %d states: %d with loops that end above the ground, %d at the ground, %d with links that many share,\n"
                  "  %d redundant, %d nonholonomic, %d rheonomic; difference %.1e, defect %.1e, condition up to %.1e (%d states beyond 1e-10);\n"
                  "  kernels for %s and plain ones: %.1e\n",
                  all.mechanisms, tried, all.states, all.deep, all.grounded, all.shared, all.redundant, all.nonholonomic, all.rheonomic, all.worst,
                  all.worst_defect, all.worst_condition, all.ill, dal_recursion_choose()->name, all.worst_kernels);
    /* enough of each to mean something */
    assert_true(tried < 250 && all.states > 500 && all.ill < 30);
    assert_true(all.deep > 75 && all.grounded > 75 && all.shared > 50 && all.redundant > 50 && all.redundant < 120);
    assert_true(all.nonholonomic > 25 && all.rheonomic > 25);
}

/* ---- how much work there is ----------------------------------------------------------------------- */

/* A chain, a crank and a rocker on each of its links, and a bar between them: every loop closes at its own link, however deep. */
static const char loaded_chain[] = "dalembert: 1\nspace: planar\nparameters: {N: 3, l: 0.3}\ngravity: [0.4, -9.81]\nbodies:\n"
                                   "  link: {repeat: {i: 1..N}, mass: 1.3, inertia: 0.021, position: [(i - 1/2)*l, 0], angle: 0, rate: 0.7 + 0.1*i, "
                                   "points: {a: [-l/2, 0], b: [l/2, 0], P: [-0.1, 0.02], Q: [0.1, 0.02]}}\n"
                                   "  crank: {repeat: {i: 1..N}, mass: 0.2, inertia: 0.0003, position: [(i - 1/2)*l - 0.1, 0.07], angle: 90*deg, "
                                   "points: {P: [-0.05, 0], S: [0.05, 0]}}\n"
                                   "  rocker: {repeat: {i: 1..N}, mass: 0.3, inertia: 0.0007, position: [(i - 1/2)*l + 0.1, 0.095], angle: 90*deg, "
                                   "points: {Q: [-0.075, 0], T: [0.075, 0]}}\n"
                                   "  bar: {repeat: {i: 1..N}, mass: 0.1, inertia: 0.0004, between: [\"crank.{i}.S\", \"rocker.{i}.T\"], points: {S: "
                                   "[-sqrt(0.0425)/2, 0], T: [sqrt(0.0425)/2, 0]}}\n"
                                   "joints:\n"
                                   "  root: {type: revolute, connect: [ground, link.1.a]}\n"
                                   "  hinge: {repeat: {i: 2..N}, type: revolute, connect: [\"link.{i-1}.b\", \"link.{i}.a\"]}\n"
                                   "  P: {repeat: {i: 1..N}, type: revolute, connect: [\"link.{i}.P\", \"crank.{i}.P\"]}\n"
                                   "  Q: {repeat: {i: 1..N}, type: revolute, connect: [\"link.{i}.Q\", \"rocker.{i}.Q\"]}\n"
                                   "  S: {repeat: {i: 1..N}, type: revolute, connect: [\"crank.{i}.S\", \"bar.{i}.S\"]}\n"
                                   "  T: {repeat: {i: 1..N}, type: revolute, connect: [\"bar.{i}.T\", \"rocker.{i}.T\"], cut: true}\n"
                                   "simulate: {until: 10, every: 0.1, rtol: 1e-10, atol: 1e-12, coordinates: joint, formulation: recursive, "
                                   "stabilization: {mass-projection: 1e-12}}\n";

/* One loop through the whole chain. */
static const char closed_chain[] =
    "dalembert: 1\nspace: planar\nparameters: {N: 5, h: 60*deg/(N - 1)}\ngravity: [0, -9.81]\nground: {points: {end: [0.3*sin(N*h)/sin(h), 0]}}\n"
    "bodies:\n"
    "  rod: {repeat: {i: 1..N}, mass: 0.7, inertia: 0.011, angle: 60*deg - 2*(i - 1)*h, points: {a: [-0.15, 0], b: [0.15, 0]},\n"
    "    position: [0.3*sin((i - 1)*h)/sin(h)*cos(60*deg - (i - 2)*h) + 0.15*cos(60*deg - 2*(i - 1)*h),\n"
    "               0.3*sin((i - 1)*h)/sin(h)*sin(60*deg - (i - 2)*h) + 0.15*sin(60*deg - 2*(i - 1)*h)]}\n"
    "joints:\n"
    "  root: {type: revolute, connect: [ground, rod.1.a]}\n"
    "  hinge: {repeat: {i: 2..N}, type: revolute, connect: [\"rod.{i-1}.b\", \"rod.{i}.a\"]}\n"
    "  shut: {type: revolute, connect: [\"rod.{N}.b\", ground.end], cut: true}\n"
    "simulate: {until: 10, every: 0.1, rtol: 1e-10, atol: 1e-12, coordinates: joint, formulation: recursive, stabilization: {mass-projection: "
    "1e-12}}\n";

/* A file or a text, with N = n where it has one (n > 0). */
static dal_system *compile_with(const char *file, const char *text, int n)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char value[20];
    const dal_override set = {"N", value};
    snprintf(value, sizeof value, "%d", n);
    const dal_status status = text ? dal_spec_parse(NULL, "model.yaml", text, strlen(text), n > 0, &set, messages, &spec)
                                   : dal_spec_read(NULL, file, n > 0, &set, messages, &spec);
    if (status == DAL_OK) {
        dal_spec_set(spec, "coordinates", "joint", messages);
        dal_spec_set(spec, "formulation", "recursive", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        if (m->severity == DAL_ERROR)
            fail_msg("N = %d: %s", n, m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

enum { COUNTS = 8 };
static const char *const count_names[COUNTS] = {"slots", "entries", "targets", "pairs", "pivots", "entries below", "sides", "doubles"};

static void count(const char *file, const char *text, int n, long out[COUNTS])
{
    dal_system *system = compile_with(file, text, n);
    const dal_loops *l = system->loops;
    const long counts[COUNTS] = {l->n_slots,  l->n_entries, l->n_targets, l->n_pairs,
                                 l->n_pivots, l->n_below,   l->n_sides,   (long)dal_loops_work_size(l)};
    memcpy(out, counts, sizeof counts);
    dal_system_free(system);
}

/* Straight lines through N = n, 2 n, 4 n, exactly. */
static void check_linear(const char *name, const char *file, const char *text, int n)
{
    long counts[3][COUNTS];
    for (int k = 0; k < 3; k++)
        count(file, text, n << k, counts[k]);
    print_message("  %s:", name);
    for (int c = 0; c < COUNTS; c++) {
        const long slope = (counts[1][c] - counts[0][c]) / n;
        print_message(" %s %ld N %+ld;", count_names[c], slope, counts[0][c] - n * slope);
        if (counts[1][c] - counts[0][c] != n * slope || counts[2][c] - counts[1][c] != 2 * n * slope)
            fail_msg("%s: %s are %ld, %ld, %ld", name, count_names[c], counts[0][c], counts[1][c], counts[2][c]);
    }
    print_message("\n");
}

static void the_work_grows_with_the_number_of_loops_that_close_locally(void **unused)
{
    (void)unused;
    check_linear("a chain that carries four-bars", NULL, loaded_chain, 50);
    check_linear("N four-bar", DAL_MODELS "/n-four-bar-tree.yaml", NULL, 50);
}

/* Two rows, and no more than that at any link. */
static void a_chain_closed_at_its_end_has_its_rows_once_at_each_link(void **unused)
{
    (void)unused;
    check_linear("a chain closed at its end", NULL, closed_chain, 50);
    long counts[COUNTS];
    count(NULL, closed_chain, 30, counts);
    assert_int_equal(counts[0], 2 * 30 + 2);
}

/* ---- runs ------------------------------------------------------------------------------------------ */

static void check_energy(const char *name, const dal_system *system, double drift)
{
    dal_evidence evidence;
    dal_run_options options = {0};
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    print_message("  %s: drift %.1e, residual %.1e, %ld steps\n", name, evidence.energy_drift, evidence.position_residual, evidence.steps);
    check_close(evidence.time_end, 10, 1e-9);
    check_small(evidence.energy_drift, drift);
    check_small(evidence.position_residual, 1e-12);
}

/* rtol is 1e-10 a step, and the steps are some thousands. */
static void energy_is_kept_for_ten_seconds(void **unused)
{
    (void)unused;
    static const char *const texts[] = {loaded_chain, closed_chain};
    static const int sizes[] = {3, 7};
    for (int k = 0; k < 2; k++) {
        if (!check_chosen(k, 2))
            continue;
        dal_system *system = compile_with(NULL, texts[k], sizes[k]);
        check_energy(k ? "a chain closed at its end" : "a chain that carries four-bars", system, 1e-6);
        dal_system_free(system);
    }
}

/* As they stand in the gallery, and what their notes claim. */
static void the_loops_of_the_robots_stay_closed(void **unused)
{
    (void)unused;
    static const char *const robots[] = {"robot-leg", "gripper"};
    for (int k = 0; k < 2; k++) {
        char file[300];
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        dal_evidence evidence;
        dal_run_options options = {0};
        snprintf(file, sizeof file, DAL_MODELS "/%s.yaml", robots[k]);
        assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
        assert_string_equal(system->method.formulation->name, "recursive");
        assert_string_equal(system->layout.family->name, "joint");
        assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
        print_message("  %s: residual %.1e, drift of the energy balance %.1e, %ld steps\n", robots[k], evidence.position_residual,
                      evidence.energy_drift, evidence.steps);
        check_close(evidence.time_end, 10, 1e-12);
        check_small(evidence.position_residual, 1e-12);
        check_small(evidence.velocity_residual, 1e-12);
        check_small(evidence.energy_drift, 1e-8);
        assert_int_equal(evidence.rank_least, evidence.rank_most);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* Accelerations at a state off the start, where rows need not be satisfied to have accelerations. The numbers come from a build with
 * optimisation; every build is held to them, so that any two agree. */
static void every_build_gives_the_same_accelerations(void **unused)
{
    (void)unused;
    static const double chain[] = {-36.983144848117647, 42.774264782234461,  -7.757134352228686,  2.7441236685885522,
                                   -27.614025756560167, 29.021312693348797,  -19.335669298796805, -13.419382734355025,
                                   11.477616974579691,  -11.243342551316669, -25.92272845746362,  29.726338606746701,
                                   -9.5541975872686233, 50.00785457429469,   -51.67704696128726,  34.29926845008972};
    static const double crank[] = {2.7247987457895526, -0.00026887259386379692, 1.2673363970574512, -0.25816888597429444};
    for (int k = 0; k < 2; k++) {
        dal_system *system = compile_with(DAL_MODELS "/spatial-slider-crank.yaml", k ? NULL : loaded_chain, k ? 0 : 4);
        const double *expected = k ? crank : chain;
        const int known = k ? (int)(sizeof crank / sizeof *crank) : (int)(sizeof chain / sizeof *chain), nv = system->layout.nv;
        dal_state *state = dal_state_create(NULL, system);
        uint64_t seed = 12;
        double *dv = calloc((size_t)nv, sizeof *dv);
        for (int i = 0; i < nv; i++) {
            dv[i] = 0.1 * check_random(&seed) * (system->layout.angular[i] ? 1 : 0.1);
            state->work.v[i] = check_random(&seed);
        }
        system->layout.family->add(&system->layout, state->work.q, dv);
        gallery_adopt(state);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        assert_int_equal(nv, known);
        const double found = difference(nv, state->vd, expected);
        print_message("  %s: %.1e from what another build found\n", k ? "spatial slider-crank" : "a chain that carries four-bars", found);
        check_small(found, 5e-13);
        free(dv);
        dal_state_free(state);
        dal_system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_by_chance_move_as_lagrange_and_every_instruction_set_say),
        cmocka_unit_test(the_work_grows_with_the_number_of_loops_that_close_locally),
        cmocka_unit_test(a_chain_closed_at_its_end_has_its_rows_once_at_each_link),
        cmocka_unit_test(energy_is_kept_for_ten_seconds),
        cmocka_unit_test(the_loops_of_the_robots_stay_closed),
        cmocka_unit_test(every_build_gives_the_same_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
