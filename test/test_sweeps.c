/* Loops that are closed branch by branch (tree/sweep.h). The truth is the same elimination pass by pass, and `lagrange`. */
#include "dynamics/row_rank.h"
#include "loops_agree.h"
#include "dynamics/reactions.h"
#include "dynamics/singular.h"
#include "dynamics/tree_state.h"

/* ---- many trees, tied to each other: branch by branch ---------------------------------------------- */

/* How many links hang at the ground together, which are tied, and how. */
typedef struct forest {
    int first[MOST_BODIES + 1], n; /* bodies of tree k: first[k] ... first[k + 1] */
    int free[MOST_BODIES];         /* freedoms that its ties have left */
} forest;

static void plant(made *x, forest *f)
{
    static const char *const tree_joints[] = {"revolute", "revolute", "prismatic", "screw"};
    maker *m = &x->m;
    while (x->bodies < 18 + 7 * (int)(m->seed % 6)) {
        const int first = f->first[f->n] = x->bodies, size = 2 + pick(m, 5);
        for (int b = first; b < first + size; b++) {
            const char *type = tree_joints[pick(m, m->flat ? 3 : 4)];
            const kind k = {type, 1, m->flat && !strcmp(type, "revolute") ? NO_AXIS : m->flat ? ONE_AXIS : SAME_AXES};
            place_body(m);
            join(x, &k, b == first ? -1 : chance(m, 0.6) ? b - 1 : first + pick(m, b - first), b, "");
        }
        x->bodies += size;
        f->free[f->n++] = size;
    }
    f->first[f->n] = x->bodies;
}

static void tie(made *x, forest *f, int a, int b)
{
    maker *m = &x->m;
    const kind *k = m->flat ? &in_the_plane[pick(m, 4)] : &in_space[pick(m, IN_SPACE - 1)];
    const int forbids = (m->flat ? 3 : 6) - k->free;
    if (!strcmp(k->type, "screw") || f->free[a] + (a == b ? 0 : f->free[b]) < forbids + 2)
        return;
    const int one = f->first[a] + pick(m, f->first[a + 1] - f->first[a]), other = f->first[b] + pick(m, f->first[b + 1] - f->first[b]);
    if (one == other)
        return;
    join(x, k, one, other, ", cut: true");
    f->free[a] -= forbids - forbids / 2;
    f->free[b] -= forbids / 2;
    x->loops++;
}

/* Weight alone acts. Neighbours are tied, now and then a tree to itself, or one to another far away. */
static void make_forest(made *x, int number_of)
{
    maker *m = &x->m;
    forest *f = calloc(1, sizeof *f);
    memset(x, 0, sizeof *x);
    m->seed = 9000 + (uint64_t)number_of;
    m->solid = true;
    m->flat = number_of % 2;
    plant(x, f);
    for (int k = 0; k + 1 < f->n; k++) {
        if (number_of % 3 == 0)
            tie(x, f, k, k);
        if (chance(m, 0.2))
            tie(x, f, k, pick(m, f->n));
        tie(x, f, k, k + 1);
    }
    say(m->text, "dalembert: 1\nspace: %s\ngravity: %s\nground: {points: {%s}}\nbodies:\n", m->flat ? "planar" : "spatial",
        m->flat ? "[0.4, -9.81]" : "[0.3, -0.7, -9.81]", m->points[0]);
    for (int b = 0; b < x->bodies; b++)
        say_body(m, b);
    say(m->text, "joints:\n%srecord: [b0.x%s]\nsimulate: {until: 1, stabilization: {direct-correction: 1e-12}}\n", m->list,
        strstr(m->list, "j1: {type: revolute") ? ", j1.angle" : "");
    free(f);
}

typedef struct sweeps {
    int blocks, long_rings, complete, watched, planar;
} sweeps;

/* The same where all may vanish, as at rest: relative to the largest number, or to one. */
static double difference_of_numbers(int n, const double *a, const double *b)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    return difference(n, a, b) * fmin(1, size);
}

/* M x = A^T lambda, A x = b with the factors of both: what refinement solves. */
static double difference_of_loads(dal_state *passes, dal_state *brief)
{
    const dal_system *system = passes->system;
    const dal_recursion *run = system->recursion;
    const int nv = system->layout.nv, r = system->layout.n_rows;
    double *b = calloc((size_t)(3 * r + 2 * nv), sizeof *b), *x[2] = {b + r, b + r + nv}, *lambda[2] = {b + r + 2 * nv, b + 2 * r + 2 * nv};
    const dal_sweep_task task = {.sweep = system->sweep,
                                 .loops = system->loops,
                                 .run = run,
                                 .own = &brief->tree->sweep,
                                 .work = &brief->tree->loops,
                                 .motion = brief->tree->links.wrench};
    uint64_t seed = 3;
    for (int i = 0; i < r; i++)
        b[i] = brief->rank->independent[i] ? check_random(&seed) : 0;
    dal_state_jacobian(passes);
    dal_tree_factor(passes);
    memset(passes->tree->links.wrench, 0, sizeof *passes->tree->links.wrench * (size_t)system->links->n);
    run->loops->backward_bias(system->links, system->loops, run, &passes->tree->links, &passes->tree->loops, NULL, b);
    run->loops->forward(system->links, system->loops, run, &passes->tree->links, &passes->tree->loops, NULL, x[0], lambda[0]);
    dal_sweeping_of(system->sweep, run)->backward_bias(&task, b);
    dal_sweeping_of(system->sweep, run)->forward(&task, x[1], lambda[1]);
    const double worst = fmax(difference_of_numbers(nv, x[0], x[1]), difference_of_numbers(r, lambda[0], lambda[1]));
    free(b);
    return worst;
}

/* A planar model swept as one in space, at the same state: v', lambda, gamma, weights, and what is known of the motion. */
static double difference_of_planes(dal_state *swept)
{
    const dal_system *system = swept->system;
    const dal_layout *layout = &system->layout;
    dal_planar *planar = system->sweep->planar;
    dal_state *state[2];
    for (int k = 0; k < 2; k++) {
        system->sweep->planar = k ? NULL : planar;
        state[k] = dal_state_create(NULL, system);
        copy_state(swept, state[k]);
        for (int i = 0; i < 2; i++)
            assert_int_equal(dal_state_evaluate(state[k], NULL), DAL_OK);
        assert_true(dal_has(state[k], DAL_STAGE_NO_FORCES) || state[k]->singular->near);
    }
    system->sweep->planar = planar;
    double worst = difference_of_numbers(layout->nv, state[0]->vd, state[1]->vd);
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state[0]->lambda, state[1]->lambda));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state[0]->gamma, state[1]->gamma));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state[0]->tree->loops.weight, state[1]->tree->loops.weight));
    worst = fmax(worst, difference_of_numbers(1, &state[0]->tree->sweep.spin, &state[1]->tree->sweep.spin));
    for (int i = 0; i < system->sweep->n_measures; i++) {
        const int measure = system->sweep->measure[i];
        check_close(state[0]->work.value[measure], state[1]->work.value[measure], 1e-12);
        check_close(state[0]->work.rate[measure], state[1]->work.rate[measure], 1e-11);
    }
    dal_state_free(state[0]), dal_state_free(state[1]);
    return worst;
}

/* The same system one pass after the other, at the same state: v', lambda, and what the angles that wind are found to be. */
static void compare_with_passes(const char *name, dal_state *swept, tally *all)
{
    const dal_system *system = swept->system;
    const dal_layout *layout = &system->layout;
    dal_state *state = dal_state_create(NULL, system), *brief = dal_state_create(NULL, system);
    copy_state(swept, state), copy_state(swept, brief);
    for (int k = 0; k < 2; k++) /* the first one looks at how near a singular position is, and computes everything */
        assert_int_equal(dal_state_evaluate(brief, NULL), DAL_OK);
    assert_int_equal(dal_state_unpack(state, state->work.t, state->y), 0);
    assert_int_equal(dal_state_accelerate(state), 0);
    assert_false(dal_has(state, DAL_STAGE_NO_FORCES));
    dal_state_measures(state);
    double worst = difference_of_numbers(layout->nv, state->vd, brief->vd);
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->lambda, brief->lambda));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->gamma, brief->gamma));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->tree->loops.weight, brief->tree->loops.weight));
    worst = fmax(worst, difference_of_loads(state, brief));
    if (system->sweep->planar)
        worst = fmax(worst, difference_of_planes(swept));
    for (int i = 0; i < system->sweep->n_measures; i++) {
        const int measure = system->sweep->measure[i];
        check_close(brief->work.value[measure], state->work.value[measure], 1e-12);
        check_close(brief->work.rate[measure], state->work.rate[measure], 1e-11);
    }
    if (!(worst < all->tolerance))
        fail_msg("%s: branch by branch and pass by pass they differ by %.3g", name, worst);
    const dal_energy a = dal_energy_now(state), b = dal_energy_now(brief);
    check_close(a.kinetic, b.kinetic, 1e-12 * fmax(1, a.kinetic));
    check_close(a.potential, b.potential, 1e-11);
    all->worst_passes = fmax(all->worst_passes, all->tolerance > 1e-10 ? 0 : worst);
    dal_state_free(state), dal_state_free(brief);
}

static void check_forest(int number_of, tally *all, sweeps *found)
{
    made *x = calloc(1, sizeof *x);
    char name[40];
    make_forest(x, number_of);
    snprintf(name, sizeof name, "forest %d", number_of);
    dal_system *systems[2] = {compile_or_refuse(x->m.text, "lagrange"), compile_or_refuse(x->m.text, "recursive")};
    assert_true(systems[0] && systems[1]);
    if (!systems[1]->sweep)
        fail_msg("%s cannot be swept\n%s", name, x->m.text);
    dal_arena arena; /* smaller blocks, so that there are many of them */
    dal_arena_begin(&arena, NULL);
    const dal_layout *layout = &systems[1]->layout;
    int *winding = DAL_NEW(&arena, int, layout->n_measures), n_winding = 0; /* every angle is watched, also those that need not be */
    for (int k = 0; k < layout->n_measures; k++)
        if (layout->mechanism->measures[layout->measure[k]].winding >= 0)
            winding[n_winding++] = layout->measure[k];
    dal_sweep *sweep = systems[1]->sweep =
        dal_sweep_build(&arena, systems[1]->links, systems[1]->loops, layout, n_winding, winding, 1 + number_of % 7);
    assert_non_null(sweep);
    assert_true(!sweep->planar == !x->m.flat);
    const bool seen = visit(name, x->m.text, systems, 70 + (uint64_t)number_of, 3, all, compare_with_passes) > 0;
    all->redundant += seen && systems[1]->rank < systems[1]->layout.n_rows;
    found->blocks += seen && sweep->n_blocks > 1;
    found->long_rings += seen && sweep->n_ring > 2;
    found->complete += seen && sweep->complete;
    found->watched += seen && sweep->n_measures > 0;
    found->planar += seen && sweep->planar;
    for (int s = 0; s < 2; s++)
        dal_system_free(systems[s]);
    dal_arena_release(&arena);
    free(x);
}

static void branch_by_branch_they_move_as_pass_by_pass_and_as_lagrange_says(void **unused)
{
    (void)unused;
    tally all = {0};
    sweeps found = {0};
    int tried = 0;
    while (all.mechanisms < 60 && tried < 100)
        check_forest(tried++, &all, &found);
    print_message("  %d forests of %d, %d states: %d in several blocks, %d with three and more of them at hand, %d with rows complete at links,\n"
                  "  %d redundant, %d with angles that are watched, %d in the plane; difference %.1e, defect %.1e, condition up to %.1e (%d states "
                  "beyond 1e-10);\n"
                  "  pass by pass %.1e, kernels for %s and plain ones %.1e\n",
                  all.mechanisms, tried, all.states, found.blocks, found.long_rings, found.complete, all.redundant, found.watched, found.planar,
                  all.worst, all.worst_defect, all.worst_condition, all.ill, all.worst_passes, dal_recursion_choose()->name, all.worst_kernels);
    assert_true(all.mechanisms == 60 && all.states > 120 && all.ill < 20);
    assert_true(found.blocks > 50 && found.long_rings > 20 && found.complete > 10 && all.redundant > 20 && found.watched > 20 && found.planar > 20);
}

/* A particle has a place and no axes: its points are on its links without being turned with them. */
static const char with_particles[] =
    "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\nground: {points: {O: [2, 0.2, 0.1]}}\nbodies:\n"
    "  rod: {mass: 1.1, inertia: [0.2, 0.3, 0.25], position: [0.5, 0, 0], center: [0.1, 0.05, 0.02], points: {A: [-0.5, 0, 0], B: [0.5, 0.1, 0.1]}}\n"
    "  p: {mass: 0.7, position: [1, 0.1, 0.1]}\n"
    "  q: {mass: 0.3, position: [1.3, 0.4, -0.2]}\n"
    "  bar: {mass: 0.4, inertia: [0.1, 0.12, 0.13], position: [1.5, 0.15, 0.1], points: {C: [-0.5, -0.05, 0.2], D: [0.5, 0.05, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, connect: [ground, rod.A], axis: [0.2, 1, 0.3]}\n"
    "  d: {type: revolute, connect: [ground.O, bar.D], axis: [1, 0.1, 0.4]}\n"
    "  b: {type: spherical, connect: [rod.B, p], cut: true}\n"
    "  c: {type: distance, connect: [p, q]}\n"
    "  e: {type: distance, connect: [q, bar.C]}\n"
    "simulate: {until: 1, stabilization: {direct-correction: 1e-12}}\n";

static void particles_are_swept_with_their_links(void **unused)
{
    (void)unused;
    tally all = {0};
    dal_system *systems[2] = {compile_or_refuse(with_particles, "lagrange"), compile_or_refuse(with_particles, "recursive")};
    assert_true(systems[0] && systems[1] && systems[1]->sweep);
    assert_int_equal(visit("particles", with_particles, systems, 8, 5, &all, compare_with_passes), 5);
    print_message("  difference %.1e, pass by pass %.1e\n", all.worst, all.worst_passes);
    for (int k = 0; k < 2; k++)
        dal_system_free(systems[k]);
}

/* In the plane: joints that are walked from their second body to their first, so that turns are about -z; a body without joints, a particle, slides
 * and turns after each other, a trunk with a loop of its own, and one that holds far ends together. */
static const char in_a_plane[] =
    "dalembert: 1\nspace: planar\ngravity: [0.7, -9.81]\nground: {points: {O: [2.1, 0.2]}}\nbodies:\n"
    "  trunk: {mass: 1.1, inertia: 0.2, position: [0.5, 0], angle: 0.3, center: [0.1, 0.05], points: {A: [-0.5, 0], B: [0.5, 0.1], C: [0.1, 0.4]}}\n"
    "  left: {mass: 0.7, inertia: 0.03, position: [1, 0.4], angle: -0.6, center: [0.02, -0.03], points: {A: [0.1, 0.2], B: [-0.2, 0.3]}}\n"
    "  right: {mass: 0.9, inertia: 0.07, position: [0.3, 0.9], angle: 1.1, points: {A: [0.3, -0.1], B: [0.2, 0.2]}}\n"
    "  slide: {mass: 0.4, inertia: 0.02, position: [1.6, 0.1], angle: 0.4, center: [0.03, 0], points: {A: [0.1, 0], B: [0, 0.15]}}\n"
    "  loose: {mass: 0.5, inertia: 0.04, position: [1.9, 0.9], angle: -0.8, center: [0.02, 0.04], points: {A: [0.1, 0.1]}}\n"
    "  p: {mass: 0.3, position: [1.2, -0.6]}\n"
    "joints:\n"
    "  a: {type: revolute, connect: [trunk.A, ground]}\n"
    "  b: {type: revolute, connect: [left.A, trunk.B]}\n"
    "  c: {type: revolute, connect: [trunk.C, right.A]}\n"
    "  s: {type: prismatic, connect: [slide.A, ground.O], axis: [0.6, 0.9]}\n"
    "  d: {type: distance, connect: [left.B, right.B], cut: true}\n"
    "  e: {type: distance, connect: [p, left.B], cut: true}\n"
    "  f: {type: distance, connect: [loose.A, slide.B], cut: true}\n"
    "  g: {type: distance, connect: [loose, trunk.B], cut: true}\n"
    "simulate: {until: 1, stabilization: {direct-correction: 1e-12}}\n";

static void in_the_plane_they_move_as_in_space(void **unused)
{
    (void)unused;
    tally all = {0};
    dal_system *systems[2] = {compile_or_refuse(in_a_plane, "lagrange"), compile_or_refuse(in_a_plane, "recursive")};
    assert_true(systems[0] && systems[1] && systems[1]->sweep && systems[1]->sweep->planar);
    int backwards = 0, shifts = 0;
    for (int i = 0; i < systems[1]->links->n; i++) {
        backwards += systems[1]->sweep->planar->link[i].sign < 0;
        shifts += systems[1]->links->link[i].kind == DAL_LINK_SHIFT;
    }
    assert_true(backwards >= 2 && shifts >= 5);
    assert_true(systems[1]->sweep->complete);
    assert_int_equal(visit("plane", in_a_plane, systems, 8, 6, &all, compare_with_passes), 6);
    print_message("  difference %.1e, pass by pass and in space %.1e\n", all.worst, all.worst_passes);
    for (int k = 0; k < 2; k++)
        dal_system_free(systems[k]);
}

/* Nothing moves, and a joint is closed beside: no links, but rows. */
static void a_model_that_is_part_of_the_ground_has_nothing_to_sweep(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  a: {mass: 1, inertia: 1}\njoints:\n"
        "  w: {type: rigid, connect: [ground, a]}\n  p: {type: revolute, connect: [ground, a], cut: true}\nsimulate: {until: 1}\n";
    dal_system *system = compile_or_refuse(text, "recursive");
    assert_non_null(system);
    assert_int_equal(system->links->n, 0);
    assert_null(system->sweep);
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    dal_state_free(state);
    dal_system_free(system);
}

/* What can be swept of the gallery. */
static void models_of_the_gallery_move_branch_by_branch_as_pass_by_pass(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    tally all = {.tolerance = 1e-10};
    int models = 0, states = 0;
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        uint64_t seed = 5;
        dal_system *system = gallery_compile(g.found.gl_pathv[i], "joint", "recursive", why);
        if (!system || !system->sweep) {
            dal_system_free(system);
            continue;
        }
        dal_state *state = dal_state_create(NULL, system);
        for (int k = 0; k < 4; k++)
            if (gallery_random_state(state, &seed, 0.1 * k, k ? 0.05 : 0, 1)) {
                compare_with_passes(strrchr(g.found.gl_pathv[i], '/') + 1, state, &all);
                states++;
            }
        models++;
        dal_state_free(state);
        dal_system_free(system);
    }
    print_message("  %d of %zu models: %.1e\n", models, g.n, all.worst_passes);
    assert_true(models >= 5 && states >= 2 * models);
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branch_by_branch_they_move_as_pass_by_pass_and_as_lagrange_says),
        cmocka_unit_test(particles_are_swept_with_their_links),
        cmocka_unit_test(in_the_plane_they_move_as_in_space),
        cmocka_unit_test(a_model_that_is_part_of_the_ground_has_nothing_to_sweep),
        cmocka_unit_test(models_of_the_gallery_move_branch_by_branch_as_pass_by_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
