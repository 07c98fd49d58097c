/* Every formulation against Lagrange's, in every family, on every model of the gallery; and what the formulations with speeds stand on. */
#include "dynamics/speeds.h"
#include "gallery.h"
#include "math/rank.h"
#include "state/report.h"

#include <float.h>

/* What is refused: a reviewed list, so that a hard case cannot be refused away. Momenta are conserved in the models and families named
 * here and in no others; thin rods have no inertia about themselves; the recursion needs the tree of the family `joint`, components
 * bodies with a place and an attitude of their own, `angle` or `euler`. */
static const char *const ignorable[][2] = {
    {"cart-pole-light.yaml", "joint"},         /* along the track */
    {"cart-two-bars.yaml", "user"},            /* along the rails */
    {"double-pendulum-on-cart.yaml", "joint"}, /* along the track */
    {"floating-chain.yaml", "joint"},
    {"flyball-governor.yaml", "joint"}, /* about the shaft */
    {"free-body.yaml", "joint"},        /* linear; the angular ones are no rates of coordinates */
    {"satellite-boom.yaml", "user"},
    {"spring-pendulum-lagrangian.yaml", "user"}, /* about the vertical */
    {"three-bodies.yaml", "user"},
};

/* The mass matrix is singular by itself: fewer freedoms than coordinates, or parts without mass. */
static const char *const singular[] = {"rolling-disc-incline.yaml",
                                       "springs-in-series-masses.yaml",
                                       "springs-in-series-massless-middle.yaml",
                                       "springs-in-series-massless-end.yaml",
                                       "springs-in-series-derived.yaml",
                                       "massless-node.yaml",
                                       "massless-slider.yaml",
                                       "maxwell-element.yaml",
                                       "singular-mass.yaml"};

/* A body without mass: the rotor of an armature is an inertia alone, and a flange of a URDF file a frame alone. Joints move them with others. */
static const char *const massless[] = {"jansen-leg.yaml", "ur5-computed-torque.yaml"};

static bool refused(const char *file, const char *family, const char *formulation)
{
    const char *model = strrchr(file, '/') + 1;
    for (size_t i = 0; i < sizeof singular / sizeof *singular && !strcmp(formulation, "udwadia-kalaba"); i++)
        if (!strcmp(model, singular[i]))
            return true;
    if ((!strcmp(formulation, "component") || !strcmp(formulation, "recursive")) && !strncmp(model, "massless-", 9))
        return true;
    for (size_t i = 0; i < sizeof massless / sizeof *massless; i++)
        if (!strcmp(model, massless[i]) && strcmp(family, "joint") && (!strcmp(formulation, "udwadia-kalaba") || !strcmp(formulation, "component")))
            return true;
    if (!strcmp(formulation, "udwadia-kalaba"))
        return !strcmp(model, "n-four-bar-spatial.yaml") && strcmp(family, "joint");
    if (!strcmp(formulation, "component"))
        return (strcmp(family, "angle") && strcmp(family, "euler")) || !strcmp(model, "n-four-bar-spatial.yaml");
    if (!strcmp(formulation, "recursive"))
        return strcmp(family, "joint") || !strcmp(model, "cart-pole-light.yaml"); /* its pole hangs on a particle */
    if (!strcmp(model, "joined-oscillator.yaml") && (!strcmp(formulation, "volterra") || !strcmp(formulation, "boltzmann-hamel")))
        return true; /* the kinetic energy of its system is not known */
    if (strcmp(formulation, "volterra-reduced") && strcmp(formulation, "routh"))
        return false;
    for (size_t i = 0; i < sizeof ignorable / sizeof *ignorable; i++)
        if (!strcmp(model, ignorable[i][0]) && !strcmp(family, ignorable[i][1]))
            return false;
    return true;
}

/* A model that has coordinates of its own has no others, and those without them have not that family. */
static bool not_in_this_family(const char *why)
{
    return strstr(why, "coordinates") != NULL;
}

/* Largest differences of accelerations and of reactions, relative to what they are made of: accelerations and L w^2; reactions
 * and the inertia forces of which they are differences. */
static double compare(dal_state *a, dal_state *b)
{
    const dal_mechanism *m = &a->system->mechanism;
    double worst = 0, size = 0, force_worst = 0, force_size = 0, L = a->system->layout.units.length;
    for (int i = 0; i < m->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            double own = fmax(fabs(x.acceleration[k]), L * fmax(fabs(x.alpha[k]), x.omega[k] * x.omega[k]));
            size = fmax(size, own);
            force_size = fmax(force_size, m->bodies[i].mass * own);
            if (!isfinite(y.acceleration[k]) || !isfinite(y.alpha[k]))
                return INFINITY;
        }
    }
    for (int k = 0; k < a->layout->nv && a->layout->systems; k++) { /* coordinates that no body shows */
        const double unit = a->layout->units.column_scale[k];
        worst = fmax(worst, fabs(a->vd[k] - b->vd[k]) * unit);
        size = fmax(size, fabs(a->vd[k]) * unit);
        if (!isfinite(b->vd[k]))
            return INFINITY;
    }
    for (int j = 0; j < m->n_joints; j++) {
        double f[2][3], t[2][3];
        dal_state_reaction(a, j, f[0], t[0]);
        dal_state_reaction(b, j, f[1], t[1]);
        for (int k = 0; k < 3; k++) {
            force_worst = fmax(force_worst, fmax(fabs(f[0][k] - f[1][k]), fabs(t[0][k] - t[1][k]) / L));
            force_size = fmax(force_size, fmax(fabs(f[0][k]), fabs(t[0][k]) / L));
            if (!isfinite(f[1][k]) || !isfinite(t[1][k]))
                return INFINITY;
        }
    }
    return fmax(size > 0 ? worst / size : 0, force_size > 0 ? force_worst / force_size : 0);
}

enum { STATES = 4 };

/* Condition of the inertia of the freedoms, at unit diagonal: where coordinates move several bodies, as those of joints do, it is that of
 * a product of masses and lengths, and every formulation multiplies rounding by it. */
static double condition_of_inertia(const dal_state *kane)
{
    const dal_speeds *s = kane->speeds->basis;
    const int p = s->p;
    const size_t n = (size_t)p;
    if (!p)
        return 1;
    double *K = calloc(n * n, sizeof *K), *values = calloc(n, sizeof *values), *work = calloc(dal_rank_work(p, p), sizeof *work);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            K[i * n + k] = K[k * n + i] = s->K[i * n + k] / sqrt(s->K[i * n + i] * s->K[k * n + k]);
    assert_int_equal(dal_symmetric_eigen(K, p, p, values, NULL, work), 0);
    double condition = values[p - 1] / values[0];
    free(K), free(values), free(work);
    return condition;
}

/* ---- the same as a table for the documentation: DAL_AGREEMENT names the file ------------------------ */

static FILE *page;

static void page_head(void)
{
    if (!page)
        return;
    fprintf(page, "| model | family |");
    for (int k = 1; dal_formulations[k]; k++)
        fprintf(page, " %s |", dal_formulations[k]->name);
    fprintf(page, " cond [Y; A] |\n|---|---|");
    for (int k = 1; dal_formulations[k]; k++)
        fprintf(page, "---|");
    fprintf(page, "---|\n");
}

static void page_row(const char *file, const char *family)
{
    const char *name = strrchr(file, '/') + 1;
    if (page)
        fprintf(page, "| %.*s | %s |", (int)strcspn(name, "."), name, family);
}

static void page_cell(int states, double difference)
{
    if (page && states)
        fprintf(page, " %.0e |", difference);
    else if (page)
        fprintf(page, " – |");
}

static void page_end(double condition)
{
    if (page)
        fprintf(page, " %.0f |\n", condition);
}

/* The same y in a state that was elsewhere before and is not begun anew: nothing of what it saw there may be left. Speeds choose themselves
 * by what they saw. */
static double difference_of_worn(dal_state *reference, const dal_state *fresh, dal_state *worn)
{
    const dal_system *system = fresh->system;
    memcpy(worn->y, fresh->y, sizeof(double) * (size_t)system->n_y);
    memcpy(worn->work.winding, fresh->work.winding, sizeof(double) * (size_t)system->mechanism.n_windings);
    memcpy(worn->work.chart, fresh->work.chart, 3 * sizeof(int) * (size_t)system->mechanism.n_bodies);
    dal_state_set_time(worn, fresh->work.t);
    assert_int_equal(dal_state_evaluate(worn, NULL), DAL_OK);
    return compare(reference, worn);
}

/* One formulation in the family of the reference, at the same random states. Returns the number of states. */
static int agree(const char *file, const dal_system *reference, const dal_system *kane, const dal_formulation *formulation, double *worst,
                 double *condition)
{
    char why[512];
    const char *family = reference->layout.family->name;
    uint64_t seed = 41;
    int n = 0;
    dal_system *other = gallery_compile(file, family, formulation->name, why);
    if (!other != refused(file, family, formulation->name))
        fail_msg("%s, %s, %s: %s", file, family, formulation->name, other ? "applies, and a refusal was expected" : why);
    if (!other)
        return 0;
    dal_state *state = dal_state_create(NULL, reference), *twin = dal_state_create(NULL, other), *measure = dal_state_create(NULL, kane),
              *worn = dal_state_create(NULL, other);
    for (int i = 0; i < STATES; i++) {
        if (!gallery_random_state(state, &seed, 0.13 * i, i ? 0.05 : 0, 7))
            continue; /* too far from the start to be assembled */
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        gallery_copy_motion(state, twin);
        gallery_copy_motion(state, measure);
        if (dal_state_evaluate(twin, NULL) || dal_state_evaluate(measure, NULL))
            fail_msg("%s, %s, %s: %s%s", file, family, formulation->name, twin->report->trouble, measure->report->trouble);
        dal_speeds_estimate(twin);
        const double speeds = formulation->chooses ? twin->speeds->condition : 1;
        const double tolerance = fmax(speeds > 1e4 ? 1e-8 : 1e-10, 10 * DBL_EPSILON * condition_of_inertia(measure));
        double difference = compare(state, twin);
        if (!formulation->unpack)
            difference = fmax(difference, difference_of_worn(state, twin, worn));
        if (tolerance > 1e-10)
            print_message("    %s, %s: condition of the speeds %.1e, tolerance %.1e\n", family, formulation->name, speeds, tolerance);
        if (!(difference < tolerance))
            fail_msg("%s, %s, %s: accelerations or reactions differ by %.3g (relative) at state %d", file, family, formulation->name, difference, i);
        *worst = fmax(*worst, difference);
        *condition = fmax(*condition, speeds);
        n++;
    }
    if (n < 2)
        fail_msg("%s, %s, %s: only %d states were compared", file, family, formulation->name, n);
    dal_state_free(worn);
    dal_state_free(measure);
    dal_state_free(twin);
    dal_state_free(state);
    dal_system_free(other);
    return n;
}

/* For each family of a model: its system with Lagrange's equations. */
static void for_each_family(const char *file, void (*check)(const char *file, const dal_system *lagrange))
{
    for (int f = 0; gallery_families[f]; f++) {
        char why[512];
        if (!gallery_families[f]->position)
            continue;
        dal_system *system = gallery_compile(file, gallery_families[f]->name, "lagrange", why);
        if (!system && not_in_this_family(why))
            continue;
        if (!system)
            fail_msg("%s, %s: %s", file, gallery_families[f]->name, why);
        check(file, system);
        dal_system_free(system);
    }
}

static void for_the_gallery(void (*check)(const char *file, const dal_system *lagrange))
{
    gallery g = gallery_open_with_machines();
    for (size_t i = 0; i < g.n; i++)
        if (check_chosen((int)i, 3))
            for_each_family(g.found.gl_pathv[i], check);
    gallery_close(&g);
}

static void all_agree(const char *file, const dal_system *lagrange)
{
    double worst = 0, condition = 1;
    int states = 0, formulations = 0;
    char why[512];
    page_row(file, lagrange->layout.family->name);
    dal_system *kane = gallery_compile(file, lagrange->layout.family->name, "kane", why);
    if (!kane)
        fail_msg("%s, %s, kane: %s", file, lagrange->layout.family->name, why);
    for (int k = 1; dal_formulations[k]; k++) {
        double own = 0;
        int n = agree(file, lagrange, kane, dal_formulations[k], &own, &condition);
        page_cell(n, own);
        worst = fmax(worst, own);
        formulations += n > 0;
        states += n;
    }
    print_message("  %-36s %-8s %d formulations, %2d states: difference %.1e, condition %.1e\n", strrchr(file, '/') + 1,
                  lagrange->layout.family->name, formulations, states, worst, condition);
    page_end(condition);
    dal_system_free(kane);
}

static void every_formulation_gives_the_same_acceleration(void **unused)
{
    (void)unused;
    const char *path = getenv("DAL_AGREEMENT");
    page = path ? fopen(path, "w") : NULL;
    page_head();
    for_the_gallery(all_agree);
    if (page)
        fclose(page);
}

/* ---- what they stand on ----------------------------------------------------------- */

/* W at work.q and work.t. */
static void columns_at(dal_state *state)
{
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    assert_int_equal(dal_speeds_ready(state), 0);
    dal_speeds_columns(state);
}

/* q and t moved by h along the motion. */
static void step_along(dal_state *state, const double *q, const double *v, const double *a, double t, double h)
{
    const dal_layout *layout = &state->system->layout;
    double *dv = calloc((size_t)layout->nv + 1, sizeof *dv);
    for (int i = 0; i < layout->nv; i++)
        dv[i] = h * v[i];
    memcpy(state->work.q, q, sizeof *q * (size_t)layout->nq);
    layout->family->add(layout, state->work.q, dv);
    state->work.t = t + h;
    for (int i = 0; i < layout->nv && layout->curved; i++) /* W depends on v: u' is zero along this motion */
        state->work.v[i] = v[i] + h * a[i];
    free(dv);
}

static void rates_match(const char *file, const dal_system *lagrange)
{
    char why[512];
    uint64_t seed = 9;
    const double h = 1e-5, t = 0.17;
    dal_system *system = gallery_compile(file, lagrange->layout.family->name, "kane", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    const dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->p * (size_t)s->n;
    double *q = calloc((size_t)system->layout.nq + 1, sizeof *q), *v = calloc((size_t)s->n + 1, sizeof *v), *a = calloc((size_t)s->n + 1, sizeof *a);
    double *Wd = calloc(n + 1, sizeof *Wd), *behind = calloc(n + 1, sizeof *behind), size = 1, worst = 0;
    if (!gallery_random_state(state, &seed, t, 0.03, 1) && !gallery_random_state(state, &seed, t, 0, 1))
        fail_msg("%s, %s: no state to compare at", file, system->layout.family->name);
    else {
        dal_speeds_choose(state);
        memcpy(q, state->work.q, sizeof *q * (size_t)system->layout.nq);
        memcpy(v, state->work.v, sizeof *v * (size_t)s->n);
        columns_at(state);
        dal_state_velocity(state);
        if (system->layout.curved)
            dal_state_stabilise(state);
        dal_speeds_rates(state);
        memcpy(Wd, s->Wd, sizeof *Wd * n);
        memcpy(a, s->bias, sizeof *a * (size_t)s->n);
        step_along(state, q, v, a, t, -h);
        columns_at(state);
        memcpy(behind, s->W, sizeof *behind * n);
        step_along(state, q, v, a, t, h);
        columns_at(state);
        for (size_t i = 0; i < n; i++) {
            size = fmax(size, fabs(Wd[i]));
            worst = fmax(worst, fabs((s->W[i] - behind[i]) / (2 * h) - Wd[i]));
        }
        if (!(worst < 1e-6 * size))
            fail_msg("%s, %s: W' differs from the slope of W by %.3g of %.3g", file, system->layout.family->name, worst, size);
    }
    free(q), free(v), free(a), free(Wd), free(behind);
    dal_state_free(state);
    dal_system_free(system);
}

static void rates_of_the_columns_are_their_slope_along_the_motion(void **unused)
{
    (void)unused;
    for_the_gallery(rates_match);
}

static void packs_and_unpacks(const char *file, const dal_system *lagrange)
{
    char why[512];
    uint64_t seed = 77;
    dal_system *system = gallery_compile(file, lagrange->layout.family->name, "kane", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system), *source = dal_state_create(NULL, lagrange);
    const int n = system->layout.nv;
    double *v = calloc((size_t)n + 1, sizeof *v), size = 1;
    int compared = 0;
    for (int i = 0; i < 3; i++) {
        if (!gallery_random_state(source, &seed, 0.2 * i, i ? 0.05 : 0, 5))
            continue;
        dal_state_velocity(source);
        gallery_copy_motion(source, state);
        memcpy(v, state->work.v, sizeof *v * (size_t)n);
        assert_int_equal(dal_state_unpack(state, 0.2 * i, state->y), 0);
        dal_speeds_estimate(state);
        for (int k = 0; k < n; k++)
            size = fmax(size, fabs(v[k]));
        for (int k = 0; k < n; k++) /* the projection meets A v = beta to 1e-12 of its scale */
            check_close(v[k], state->work.v[k], 1e-11 * size * state->speeds->condition);
        compared++;
    }
    assert_true(compared > 0);
    free(v);
    dal_state_free(source);
    dal_state_free(state);
    dal_system_free(system);
}

static void velocities_survive_the_way_into_speeds_and_back(void **unused)
{
    (void)unused;
    for_the_gallery(packs_and_unpacks);
}

/* The condition with column k as the only speed. */
static double condition_of(dal_state *state, int k)
{
    state->speeds->column[0] = k;
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    (void)dal_speeds_ready(state); /* singular ones fail */
    dal_speeds_estimate(state);
    return state->speeds->condition;
}

static void choice_is_good(const char *file, const dal_system *lagrange)
{
    char why[512];
    uint64_t seed = 5;
    if (lagrange->layout.nv - lagrange->rank != 1)
        return;
    dal_system *system = gallery_compile(file, lagrange->layout.family->name, "kane", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    if (!state->speeds->basis->fixed) {
        assert_true(gallery_random_state(state, &seed, 0, 0.05, 1));
        dal_speeds_choose(state);
        const int chosen = state->speeds->column[0], n = system->layout.nv;
        double own = condition_of(state, chosen), best = INFINITY, worst = 0;
        int worst_at = chosen;
        for (int k = 0; k < n; k++) {
            double other = condition_of(state, k);
            best = fmin(best, other);
            if (other > worst) {
                worst = other;
                worst_at = k;
            }
        }
        /* pivoting loses at most the square root of the number of columns against the best pivot */
        if (!(own <= 2 * sqrt(n) * best))
            fail_msg("%s, %s: condition %.3g, and %.3g is to be had", file, system->layout.family->name, own, best);
        if (worst > 1e5 * own) { /* a bad one is noticed, replaced once, and then left alone */
            bool change;
            state->speeds->good = own;
            long changes = state->speeds->changed;
            condition_of(state, worst_at);
            assert_int_equal(dal_speeds_watch(state, &change), 0);
            assert_true(change);
            dal_speeds_choose(state);
            assert_int_equal(state->speeds->changed, changes + 1);
            assert_true(state->speeds->condition <= 2 * sqrt(n) * best);
            assert_int_equal(dal_speeds_watch(state, &change), 0);
            assert_false(change);
            dal_speeds_choose(state);
            assert_int_equal(state->speeds->changed, changes + 1);
        }
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void the_automatic_speed_is_as_good_as_the_best(void **unused)
{
    (void)unused;
    for_the_gallery(choice_is_good);
}

/* ---- models of their own ------------------------------------------------------------- */

/* A bead on a turning arm: two freedoms, coordinates and speeds of the model's own. */
#define ARM                                                                                                                                          \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                                             \
    "coordinates: {th: {start: 0.3, rate: 1.7}, s: {start: 0.8, rate: -0.4}}\n"                                                                      \
    "bodies: {bead: {mass: 1.37, inertia: 0.21, position: [s*cos(th), s*sin(th)], angle: th}}\n"                                                     \
    "simulate: {until: 2, formulation: %s, stabilization: %s}\n"

static dal_system *compile_text(const char *text, char why[512])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    why[0] = '\0';
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK)
        dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !why[0])
            dal_message_format(m, why, 512);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static const char *const with_speeds[] = {"maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};

static void a_wrong_number_of_speeds_is_refused(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof with_speeds / sizeof *with_speeds; i++) {
        char text[2000], why[512];
        snprintf(text, sizeof text, ARM "speeds: {u: s'}\n", with_speeds[i], "none");
        assert_null(compile_text(text, why));
        if (!strstr(why, "the model names 1 speed and has 2 freedoms") || !strstr(why, with_speeds[i]))
            fail_msg("%s: %s", with_speeds[i], why);
    }
}

/* u1 = s', u2 = s cos(th) th' + s': at cos(th) = 0 both are the same. */
static void speeds_that_do_not_determine_the_velocities_are_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof with_speeds / sizeof *with_speeds; i++) {
        char text[2000], why[512];
        snprintf(text, sizeof text, ARM "speeds: {u1: s', u2: \"s*cos(th)*th' + s'\"}\n", with_speeds[i], "none");
        dal_system *system = compile_text(text, why);
        if (!system)
            fail_msg("%s: %s", with_speeds[i], why);
        dal_state *state = dal_state_create(NULL, system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        bool change;
        assert_int_equal(dal_speeds_watch(state, &change), 0);
        assert_false(change); /* the model's own are never exchanged */
        state->y[0] = 1.5707963267948966;
        assert_int_not_equal(dal_state_evaluate(state, NULL), DAL_OK);
        if (!strstr(state->report->trouble, "speeds 'u1', 'u2' do not determine the velocities"))
            fail_msg("%s: %s", with_speeds[i], state->report->trouble);
        assert_true(dal_speeds_watch(state, &change) < 0);
        dal_state_free(state);
        dal_system_free(system);
    }
}

/* With speeds, Baumgarte's correction goes into the velocities: phi' = -alpha phi, and so phi'' = -alpha phi'. */
static void a_stabilised_position_decays(void **unused)
{
    (void)unused;
    const double alpha = 12;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/spatial-slider-crank.yaml", 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", "natural", messages);
    dal_spec_set(spec, "formulation", "kane", messages);
    dal_spec_set(spec, "stabilization", "baumgarte:alpha=12,beta=12", messages);
    dal_compile(NULL, spec, messages, &system);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    uint64_t seed = 8;
    double Av[512];
    assert_true(system->layout.n_rows <= 512);
    for (int i = 0; i < system->layout.nq; i++)
        state->y[i] += 1e-3 * check_random(&seed);
    for (int i = system->layout.nq; i < system->layout.nq + system->n_w; i++)
        state->y[i] = 3 * check_random(&seed);
    if (dal_state_evaluate(state, NULL))
        fail_msg("%s", state->report->trouble);
    dal_rows_times(&system->layout, state->work.A, state->vd, Av);
    for (int i = 0; i < state->speeds->basis->k; i++) {
        const int row = state->speeds->basis->row[i];
        check_close(state->work.phid[row], -alpha * state->work.phi[row], 1e-12);
        check_close(Av[row] - state->work.gamma[row], alpha * alpha * state->work.phi[row], 1e-9);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* A state that was evaluated where nothing is a number, or too large for one, is as good as new at the next one. */
static void numbers_that_are_none_leave_nothing_behind(void **unused)
{
    (void)unused;
    static const char *const files[] = {DAL_MODELS "/four-bar.yaml", DAL_MODELS "/bricard.yaml"}, *const families[] = {"joint", "angle"};
    static const double bad[] = {NAN, INFINITY, 1e200};
    int tried = 0;
    for (int k = 0; k < 2; k++)
        for (int family = 0; family < 2; family++)
            for (int f = 0; dal_formulations[f]; f++) {
                char why[512];
                dal_system *system = gallery_compile(files[k], families[family], dal_formulations[f]->name, why);
                if (!system)
                    continue;
                dal_state *state = dal_state_create(NULL, system);
                const int nv = system->layout.nv;
                double *vd = calloc((size_t)nv, sizeof *vd);
                assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                memcpy(vd, state->vd, sizeof *vd * (size_t)nv);
                for (int i = 0; i < system->layout.nq + system->n_w; i++)
                    for (int b = 0; b < 3; b++) {
                        const double kept = state->y[i];
                        state->y[i] = bad[b];
                        assert_true(dal_state_evaluate(state, NULL) != DAL_OK || bad[b] == 1e200);
                        state->y[i] = kept;
                        if (dal_state_evaluate(state, NULL))
                            fail_msg("%s, %s, %s: %s", files[k], families[family], system->method.formulation->name, state->report->trouble);
                        for (int j = 0; j < nv; j++)
                            if (!(fabs(state->vd[j] - vd[j]) < 1e-8 * (1 + fabs(vd[j]))))
                                fail_msg("%s, %s, %s: after %g in y[%d], v'[%d] is %g instead of %g", files[k], families[family],
                                         system->method.formulation->name, bad[b], i, j, state->vd[j], vd[j]);
                        tried++;
                    }
                free(vd);
                dal_state_free(state);
                dal_system_free(system);
            }
    print_message("  %d bad states\n", tried);
    assert_true(tried > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none_leave_nothing_behind),
        cmocka_unit_test(every_formulation_gives_the_same_acceleration),
        cmocka_unit_test(rates_of_the_columns_are_their_slope_along_the_motion),
        cmocka_unit_test(velocities_survive_the_way_into_speeds_and_back),
        cmocka_unit_test(the_automatic_speed_is_as_good_as_the_best),
        cmocka_unit_test(a_wrong_number_of_speeds_is_refused),
        cmocka_unit_test(speeds_that_do_not_determine_the_velocities_are_named),
        cmocka_unit_test(a_stabilised_position_decays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
