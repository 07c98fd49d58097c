/* Formulation `recursive` where loops close on the tree. The truth is `lagrange` in the same coordinates, which forms M and A and solves
 * both at once: nothing of the one is used by the other. Mechanisms by chance, counts of the work, runs. */
#include "chance.h"
#include "gallery.h"

#include <float.h>

/* ---- mechanisms by chance ---------------------------------------------------------------- */

/* A joint type, the freedoms that it leaves and the rows that it forbids. */
typedef struct kind {
    const char *type;
    int free;
    enum { NO_AXIS, ONE_AXIS, SAME_AXES, CROSSED_AXES } axes;
} kind;

static const kind in_space[] = {{"revolute", 1, SAME_AXES},    {"prismatic", 1, SAME_AXES}, {"spherical", 3, NO_AXIS},     {"universal", 2, CROSSED_AXES},
                                {"cylindrical", 2, SAME_AXES}, {"screw", 1, SAME_AXES},     {"planar", 3, SAME_AXES},      {"rigid", 0, NO_AXIS},
                                {"point-on-line", 4, ONE_AXIS}, {"point-on-plane", 5, ONE_AXIS}, {"distance", 5, NO_AXIS}};
static const kind in_the_plane[] = {{"revolute", 1, NO_AXIS}, {"prismatic", 1, ONE_AXIS}, {"pin-in-slot", 2, ONE_AXIS}, {"rigid", 0, NO_AXIS}, {"distance", 2, NO_AXIS}};
enum { IN_SPACE = sizeof in_space / sizeof *in_space, IN_THE_PLANE = sizeof in_the_plane / sizeof *in_the_plane };

/* What has been made: `turning`, `sliding`: joints of the tree by their numbers. */
typedef struct made {
    maker m;
    bool parallel;     /* in space, and all axes are parallel: loops are redundant */
    double common[3];
    int bodies, freedoms, loops, n_turning, n_sliding, drives, couplings, constraints, blades;
    int turning[MOST_BODIES], sliding[MOST_BODIES];
    char forces[MOST_TEXT], rules[MOST_TEXT];
} made;

static void random_point(maker *m, double at[3])
{
    for (int i = 0; i < 3; i++)
        at[i] = m->flat && i == 2 ? 0 : number(m);
}

/* A unit vector at right angles to u. */
static void across(maker *m, const double u[3], double out[3])
{
    double dot = 0, size = 0;
    random_unit(m, out);
    for (int i = 0; i < 3; i++)
        dot += out[i] * u[i];
    for (int i = 0; i < 3; i++) {
        out[i] -= dot * u[i];
        size += out[i] * out[i];
    }
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(size);
}

static void join(made *x, const kind *k, int a, int b, const char *more)
{
    maker *m = &x->m;
    double at[3], other[3], axis[3], second[3];
    random_point(m, at);
    random_point(m, other);
    if (x->parallel && !strcmp(k->type, "prismatic"))
        across(m, x->common, axis);
    else if (x->parallel)
        memcpy(axis, x->common, sizeof axis);
    else
        random_unit(m, axis);
    across(m, axis, second);
    char keys[200];
    snprintf(keys, sizeof keys, "%s%s", more, strcmp(k->type, "screw") ? "" : ", pitch: 0.83");
    add_axes_joint(m, k->type, a, b, at, strcmp(k->type, "distance") ? at : other, k->axes == NO_AXIS ? NULL : axis,
                   k->axes == SAME_AXES ? axis : k->axes == CROSSED_AXES ? second : NULL, keys);
}

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
        say(m->list, "  j%d: {type: gear, joints: [j%d, j%d], ratio: %.17g}\n", m->joints, x->turning[0], x->turning[x->n_turning - 1], -1.1 + 0.4 * number(m));
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
        say(x->rules, "  c%d: {velocity: \"j%d.angle' - (0.8 + 0.3*sin(j%d.angle))*j%d.angle'\"}\n", x->constraints, x->turning[0], x->turning[x->n_turning - 1],
            x->turning[x->n_turning - 1]);
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

/* ---- recursive against lagrange ------------------------------------------------------------------- */

/* M and A of a state as dense matrices, and how well they determine the answer. */
typedef struct dense {
    int n, r;
    double *M, *A;
} dense;

static dense dense_of(const dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const int n = layout->nv, r = layout->n_rows;
    dense d = {n, r, calloc((size_t)(n * n + 1), sizeof(double)), calloc((size_t)(n * r + 1), sizeof(double))};
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *block = &layout->block[b];
        for (int i = 0; i < block->n; i++)
            for (int j = 0; j <= i; j++)
                d.M[n * (block->column + i) + block->column + j] = d.M[n * (block->column + j) + block->column + i] =
                    state->work.M[block->value + block->n * i + j];
    }
    for (int i = 0; i < r; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            d.A[n * i + layout->column[k]] = state->work.A[k];
    return d;
}

static void dense_free(dense *d)
{
    free(d->M), free(d->A);
}

/* Largest sum of |entries| of a row. */
static double norm(int n, const double *K)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(K[n * i + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* K := K^-1 by Gauss and Jordan, rows exchanged. */
static bool invert(int n, double *K)
{
    double *X = calloc((size_t)(n * n), sizeof *X);
    bool fine = true;
    for (int i = 0; i < n; i++)
        X[n * i + i] = 1;
    for (int p = 0; p < n && fine; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            best = fabs(K[n * i + p]) > fabs(K[n * best + p]) ? i : best;
        fine = fabs(K[n * best + p]) > 0;
        for (int j = 0; j < n && fine; j++) {
            double t = K[n * p + j];
            K[n * p + j] = K[n * best + j], K[n * best + j] = t;
            t = X[n * p + j];
            X[n * p + j] = X[n * best + j], X[n * best + j] = t;
        }
        for (int i = 0; i < n && fine; i++) {
            const double l = K[n * i + p] / K[n * p + p];
            for (int j = 0; j < n && i != p; j++) {
                K[n * i + j] -= l * K[n * p + j];
                X[n * i + j] -= l * X[n * p + j];
            }
        }
    }
    for (int i = 0; i < n && fine; i++)
        for (int j = 0; j < n; j++)
            X[n * i + j] /= K[n * i + i];
    memcpy(K, X, sizeof *K * (size_t)(n * n));
    free(X);
    return fine;
}

/* Condition of [M A^T; A 0] with the independent rows, at unit diagonal of M and unit rows of A. */
static double condition(const dense *d, const bool *independent)
{
    const int n = d->n;
    int size = n;
    for (int i = 0; i < d->r; i++)
        size += independent[i];
    double *K = calloc((size_t)(size * size + 1), sizeof *K), *s = calloc((size_t)n + 1, sizeof *s);
    for (int i = 0; i < n; i++)
        s[i] = 1 / sqrt(d->M[n * i + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[size * i + j] = s[i] * d->M[n * i + j] * s[j];
    for (int i = 0, at = n; i < d->r; i++) {
        double sum = 0;
        if (!independent[i])
            continue;
        for (int j = 0; j < n; j++)
            sum += d->A[n * i + j] * s[j] * d->A[n * i + j] * s[j];
        for (int j = 0; j < n; j++)
            K[size * at + j] = K[size * j + at] = d->A[n * i + j] * s[j] / sqrt(sum);
        at++;
    }
    const double before = norm(size, K);
    const double result = invert(size, K) ? before * norm(size, K) : INFINITY;
    free(K), free(s);
    return result;
}

/* What is left of M v' + h = Q + A^T lambda, relative to the largest sum of the sizes that one of its lines is made of, and of A v' = gamma,
 * relative to |v'|, for rows of unit norm; both with M at unit diagonal. */
static double defect(const dense *d, const dal_state *truth, const double *vd, const double *lambda)
{
    double worst[2] = {0, 0}, most[2] = {0, 0};
    for (int j = 0; j < d->n; j++)
        most[1] += d->M[d->n * j + j] * vd[j] * vd[j];
    most[1] = sqrt(most[1]);
    for (int i = 0; i < d->n; i++) {
        double sum = truth->work.h[i] - truth->work.Q[i], size = fabs(truth->work.h[i]) + fabs(truth->work.Q[i]);
        const double unit = 1 / sqrt(d->M[d->n * i + i]);
        for (int j = 0; j < d->n; j++) {
            sum += d->M[d->n * i + j] * vd[j];
            size += fabs(d->M[d->n * i + j] * vd[j]);
        }
        for (int k = 0; k < d->r; k++) {
            sum -= d->A[d->n * k + i] * lambda[k];
            size += fabs(d->A[d->n * k + i] * lambda[k]);
        }
        worst[0] = fmax(worst[0], unit * fabs(sum));
        most[0] = fmax(most[0], unit * size);
    }
    for (int k = 0; k < d->r; k++) {
        double sum = -truth->gamma[k], square = 0;
        for (int j = 0; j < d->n; j++) {
            sum += d->A[d->n * k + j] * vd[j];
            square += d->A[d->n * k + j] * d->A[d->n * k + j] / d->M[d->n * j + j];
        }
        worst[1] = fmax(worst[1], truth->independent[k] ? fabs(sum) / sqrt(square) : 0);
    }
    return fmax(worst[0] / fmax(most[0], DBL_MIN), worst[1] / fmax(most[1], DBL_MIN));
}

/* Largest difference relative to the largest number. */
static double difference(int n, const double *a, const double *b)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return INFINITY;
    }
    return size > 0 ? worst / size : 0;
}

/* Accelerations of all bodies and reactions of all joints, as numbers. */
static double difference_of_bodies(dal_state *a, dal_state *b)
{
    const dal_mechanism *m = &a->system->mechanism;
    const int n = 6 * (m->n_bodies > m->n_joints ? m->n_bodies : m->n_joints);
    double *x[2] = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double))}, worst;
    dal_state *state[2] = {a, b};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < m->n_bodies; i++) {
            const dal_motion motion = dal_state_body(state[s], i);
            for (int k = 0; k < 3; k++) {
                x[s][6 * i + k] = motion.acceleration[k];
                x[s][6 * i + 3 + k] = motion.alpha[k] * a->system->length;
            }
        }
    worst = difference(6 * m->n_bodies, x[0], x[1]);
    for (int s = 0; s < 2; s++)
        for (int j = 0; j < m->n_joints; j++) {
            dal_state_reaction(state[s], j, x[s] + 6 * j, x[s] + 6 * j + 3);
            for (int k = 0; k < 3; k++)
                x[s][6 * j + 3 + k] /= a->system->length;
        }
    worst = fmax(worst, difference(6 * m->n_joints, x[0], x[1]));
    free(x[0]), free(x[1]);
    return worst;
}

/* The same q, v, turns and t. */
static void copy_state(const dal_state *from, dal_state *to)
{
    const dal_layout *layout = &from->system->layout;
    dal_state_reset(to);
    dal_state_set_time(to, from->work.t);
    memcpy(to->work.q, from->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(to->work.v, from->work.v, sizeof(double) * (size_t)layout->nv);
    memcpy(to->work.winding, from->work.winding, sizeof(double) * (size_t)layout->mechanism->n_windings);
    gallery_adopt(to);
}

typedef struct tally {
    int mechanisms, states, deep, grounded, shared, redundant, nonholonomic, rheonomic, ill;
    double worst, worst_defect, worst_condition, worst_kernels;
    double tolerance; /* at the state at hand */
} tally;

/* The tolerance is 1e-10 until rounding times the condition passes it: then the data themselves do not say more. */
static double tolerance_at(double cond)
{
    return fmax(1e-10, 10 * DBL_EPSILON * cond);
}

static void compare_at(const char *name, const char *text, dal_state *lagrange, dal_state *recursive, tally *all)
{
    const int nv = lagrange->system->layout.nv, r = lagrange->system->layout.n_rows;
    if (dal_state_evaluate(lagrange, NULL) || dal_state_evaluate(recursive, NULL))
        fail_msg("%s: %s%s\n%s", name, lagrange->trouble, recursive->trouble, text);
    dense d = dense_of(lagrange);
    const double cond = condition(&d, lagrange->independent), tolerance = all->tolerance = tolerance_at(cond);
    const double left = defect(&d, lagrange, recursive->vd, recursive->lambda);
    double found = fmax(difference(nv, lagrange->vd, recursive->vd), difference_of_bodies(lagrange, recursive));
    if (!memcmp(lagrange->independent, recursive->independent, sizeof(bool) * (size_t)r))
        found = fmax(found, difference(r, lagrange->lambda, recursive->lambda));
    if (!(found < tolerance) || !(left < 1e-12))
        fail_msg("%s: they differ by %.3g (relative; defect %.3g, condition %.3g)\n%s", name, found, left, cond, text);
    all->states++;
    all->ill += tolerance > 1e-10;
    all->worst = fmax(all->worst, tolerance > 1e-10 ? 0 : found);
    all->worst_defect = fmax(all->worst_defect, left);
    all->worst_condition = fmax(all->worst_condition, cond);
    dense_free(&d);
}

/* A state that was at others before, and looks at nothing anew unless it has to: reactions of redundant joints as of a fresh one. */
static void compare_worn(const char *name, dal_state *lagrange, dal_state *worn, tally *all)
{
    const dal_layout *layout = &worn->system->layout;
    dal_state_set_time(worn, lagrange->work.t);
    memcpy(worn->y, lagrange->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(worn->y + layout->nq, lagrange->work.v, sizeof(double) * (size_t)layout->nv);
    memcpy(worn->work.winding, lagrange->work.winding, sizeof(double) * (size_t)layout->mechanism->n_windings);
    if (dal_state_evaluate(worn, NULL))
        fail_msg("%s, worn: %s", name, worn->trouble);
    const double found = difference_of_bodies(lagrange, worn);
    if (!(found < all->tolerance))
        fail_msg("%s: a state that was at others before differs by %.3g", name, found);
    all->worst = fmax(all->worst, all->tolerance > 1e-10 ? 0 : found);
}

/* The plain kernels at the same state. */
static void compare_instruction_sets(const char *name, dal_system *system, dal_state *state, tally *all)
{
    const size_t nv = (size_t)system->layout.nv, r = (size_t)system->layout.n_rows;
    const dal_recursion *best = system->recursion;
    double *vd = calloc(nv + r + 1, sizeof *vd), *lambda = vd + nv;
    dal_state *plain = dal_state_create(NULL, system);
    dal_state *each[2] = {state, plain};
    const dal_recursion *run[2] = {best, &dal_recursion_baseline};
    copy_state(state, plain);
    for (int k = 0; k < 2; k++) {
        system->recursion = run[k];
        assert_int_equal(dal_state_evaluate(each[k], NULL), DAL_OK);
        if (k == 0) { /* before reactions are distributed */
            memcpy(vd, state->vd, sizeof *vd * nv);
            memcpy(lambda, state->lambda, sizeof *vd * r);
        }
    }
    system->recursion = best;
    const double found = fmax(difference((int)nv, vd, plain->vd), difference((int)r, lambda, plain->lambda));
    if (!(found < all->tolerance))
        fail_msg("%s: kernels for %s and plain ones differ by %.3g", name, best->name, found);
    all->worst_kernels = fmax(all->worst_kernels, all->tolerance > 1e-10 ? 0 : found);
    free(vd);
    dal_state_free(plain);
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

/* NULL where loops by chance hold what a drive moves; nothing else may be refused. */
static dal_system *compile_or_refuse(const char *text, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", "joint", messages);
    dal_spec_set(spec, "formulation", formulation, messages);
    dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        if (m->severity == DAL_ERROR && !strstr(m->text, "the start velocities contradict the constraints"))
            fail_msg("%s\n%s", m->text, text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static void check_mechanism(int number_of, tally *all)
{
    made *x = calloc(1, sizeof *x);
    char name[40];
    uint64_t seed = 90 + (uint64_t)number_of;
    make(x, number_of);
    snprintf(name, sizeof name, "mechanism %d", number_of);
    dal_system *systems[2] = {compile_or_refuse(x->m.text, "lagrange"), compile_or_refuse(x->m.text, "recursive")};
    assert_true(!systems[0] == !systems[1]);
    if (!systems[0]) {
        free(x);
        return;
    }
    dal_state *lagrange = dal_state_create(NULL, systems[0]), *recursive = dal_state_create(NULL, systems[1]), *worn = dal_state_create(NULL, systems[1]);
    int seen = 0;
    for (int i = 0; i < 4; i++) {
        if (!gallery_random_state(lagrange, &seed, 0.11 * i, i ? 0.04 : 0, 1))
            continue; /* too far from the start to be assembled */
        copy_state(lagrange, recursive);
        compare_at(name, x->m.text, lagrange, recursive, all);
        compare_instruction_sets(name, systems[1], recursive, all);
        compare_worn(name, lagrange, worn, all);
        seen++;
    }
    all->mechanisms += seen > 0;
    if (seen && systems[1]->layout.n_rows) {
        count_shape(systems[1], all);
        all->nonholonomic += x->blades || strstr(x->rules, "velocity");
        all->rheonomic += x->drives || strstr(x->rules, "sin(t)");
    }
    for (int s = 0; s < 2; s++)
        dal_system_free(systems[s]);
    dal_state_free(lagrange), dal_state_free(recursive), dal_state_free(worn);
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
    int blocks, long_rings, complete, watched;
    double worst;
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
    const dal_sweep_task task = {.sweep = system->sweep, .loops = system->loops, .run = run, .own = &brief->sweep, .work = &brief->loops, .motion = brief->links.wrench};
    uint64_t seed = 3;
    for (int i = 0; i < r; i++)
        b[i] = brief->independent[i] ? check_random(&seed) : 0;
    dal_state_jacobian(passes);
    dal_tree_factor(passes);
    memset(passes->links.wrench, 0, sizeof *passes->links.wrench * (size_t)system->links->n);
    memset(brief->links.wrench, 0, sizeof *brief->links.wrench * (size_t)system->links->n);
    run->loops->load(system->links, system->loops, run, &passes->links, &passes->loops, NULL, b);
    run->loops->outwards(system->links, system->loops, run, &passes->links, &passes->loops, NULL, x[0], lambda[0]);
    run->sweep->load(&task, b);
    run->sweep->outwards(&task, x[1], lambda[1]);
    const double worst = fmax(difference_of_numbers(nv, x[0], x[1]), difference_of_numbers(r, lambda[0], lambda[1]));
    free(b);
    return worst;
}

/* The same system one pass after the other, at the same state: v', lambda, and what the angles that wind are found to be. */
static void compare_with_passes(const char *name, const dal_state *swept, tally *all, sweeps *found)
{
    const dal_system *system = swept->system;
    const dal_layout *layout = &system->layout;
    dal_state *state = dal_state_create(NULL, system), *brief = dal_state_create(NULL, system);
    copy_state(swept, state), copy_state(swept, brief);
    for (int k = 0; k < 2; k++) /* the first one looks at how near a singular position is, and recalls everything */
        assert_int_equal(dal_state_evaluate(brief, NULL), DAL_OK);
    assert_int_equal(dal_state_take(state, state->work.t, state->y), 0);
    assert_int_equal(dal_state_accelerate(state), 0);
    assert_false(state->brief);
    double worst = difference_of_numbers(layout->nv, state->vd, brief->vd);
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->lambda, brief->lambda));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->gamma, brief->gamma));
    worst = fmax(worst, difference_of_numbers(layout->n_rows, state->loops.weight, brief->loops.weight));
    worst = fmax(worst, difference_of_loads(state, brief));
    for (int i = 0; i < system->sweep->n_measures; i++) {
        const int measure = system->sweep->measure[i];
        check_close(brief->work.value[measure], state->work.value[measure], 1e-12);
        check_close(brief->work.rate[measure], state->work.rate[measure], 1e-11);
    }
    if (!(worst < all->tolerance))
        fail_msg("%s: branch by branch and pass by pass they differ by %.3g", name, worst);
    const dal_energy a = dal_state_energy(state), b = dal_state_energy(brief);
    check_close(a.kinetic, b.kinetic, 1e-12 * fmax(1, a.kinetic));
    check_close(a.potential, b.potential, 1e-11);
    found->worst = fmax(found->worst, all->tolerance > 1e-10 ? 0 : worst);
    dal_state_free(state), dal_state_free(brief);
}

static void check_forest(int number_of, tally *all, sweeps *found)
{
    made *x = calloc(1, sizeof *x);
    char name[40];
    uint64_t seed = 70 + (uint64_t)number_of;
    make_forest(x, number_of);
    snprintf(name, sizeof name, "forest %d", number_of);
    dal_system *systems[2] = {compile_or_refuse(x->m.text, "lagrange"), compile_or_refuse(x->m.text, "recursive")};
    assert_true(systems[0] && systems[1]);
    if (!systems[1]->sweep)
        fail_msg("%s cannot be swept\n%s", name, x->m.text);
    dal_arena arena; /* smaller blocks, so that there are many of them */
    dal_arena_begin(&arena, NULL);
    const dal_sweep *whole = systems[1]->sweep;
    dal_sweep *sweep = systems[1]->sweep =
        dal_sweep_build(&arena, systems[1]->links, systems[1]->loops, &systems[1]->layout, whole->n_measures, whole->measure, 1 + number_of % 7);
    assert_non_null(sweep);
    dal_state *lagrange = dal_state_create(NULL, systems[0]), *recursive = dal_state_create(NULL, systems[1]), *worn = dal_state_create(NULL, systems[1]);
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        if (!gallery_random_state(lagrange, &seed, 0.11 * i, i ? 0.04 : 0, 1))
            continue; /* too far from the start to be assembled */
        copy_state(lagrange, recursive);
        compare_at(name, x->m.text, lagrange, recursive, all);
        compare_instruction_sets(name, systems[1], recursive, all);
        compare_worn(name, lagrange, worn, all);
        compare_with_passes(name, recursive, all, found);
        seen++;
    }
    all->mechanisms += seen > 0;
    all->redundant += seen && systems[1]->rank < systems[1]->layout.n_rows;
    found->blocks += seen && sweep->n_blocks > 1;
    found->long_rings += seen && sweep->n_ring > 2;
    found->complete += seen && sweep->complete;
    found->watched += seen && sweep->n_measures > 0;
    for (int s = 0; s < 2; s++)
        dal_system_free(systems[s]);
    dal_state_free(lagrange), dal_state_free(recursive), dal_state_free(worn);
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
                  "  %d redundant, %d with angles that are watched; difference %.1e, defect %.1e, condition up to %.1e (%d states beyond 1e-10);\n"
                  "  pass by pass %.1e, kernels for %s and plain ones %.1e\n",
                  all.mechanisms, tried, all.states, found.blocks, found.long_rings, found.complete, all.redundant, found.watched, all.worst,
                  all.worst_defect, all.worst_condition, all.ill, found.worst, dal_recursion_choose()->name, all.worst_kernels);
    assert_true(all.mechanisms == 60 && all.states > 120 && all.ill < 20);
    assert_true(found.blocks > 50 && found.long_rings > 20 && found.complete > 10 && all.redundant > 20 && found.watched > 20);
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
    sweeps found = {0};
    uint64_t seed = 8;
    dal_system *systems[2] = {compile_or_refuse(with_particles, "lagrange"), compile_or_refuse(with_particles, "recursive")};
    assert_true(systems[0] && systems[1] && systems[1]->sweep);
    dal_state *lagrange = dal_state_create(NULL, systems[0]), *recursive = dal_state_create(NULL, systems[1]);
    for (int i = 0; i < 5; i++) {
        assert_true(gallery_random_state(lagrange, &seed, 0, 0.05 * i, 1));
        copy_state(lagrange, recursive);
        compare_at("particles", with_particles, lagrange, recursive, &all);
        compare_with_passes("particles", recursive, &all, &found);
    }
    print_message("  difference %.1e, pass by pass %.1e\n", all.worst, found.worst);
    for (int s = 0; s < 2; s++)
        dal_system_free(systems[s]);
    dal_state_free(lagrange), dal_state_free(recursive);
}

/* Nothing moves, and a joint is closed beside: no links, but rows. */
static void a_model_that_is_part_of_the_ground_has_nothing_to_sweep(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  a: {mass: 1, inertia: 1}\njoints:\n"
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
    sweeps found = {0};
    int models = 0;
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        tally all = {.tolerance = 1e-10};
        uint64_t seed = 5;
        dal_system *system = gallery_compile(g.found.gl_pathv[i], "joint", "recursive", why);
        if (!system || !system->sweep) {
            dal_system_free(system);
            continue;
        }
        dal_state *state = dal_state_create(NULL, system);
        for (int k = 0; k < 4; k++)
            if (gallery_random_state(state, &seed, 0.1 * k, k ? 0.05 : 0, 1))
                compare_with_passes(strrchr(g.found.gl_pathv[i], '/') + 1, state, &all, &found);
        models++;
        dal_state_free(state);
        dal_system_free(system);
    }
    print_message("  %d of %zu models: %.1e\n", models, g.n, found.worst);
    assert_true(models >= 5);
    gallery_close(&g);
}

/* ---- how much work there is ----------------------------------------------------------------------- */

/* A chain, a crank and a rocker on each of its links, and a bar between them: every loop closes at its own link, however deep. */
static const char loaded_chain[] =
    "dalembert: 1\nspace: planar\nparameters: {N: 3, l: 0.3}\ngravity: [0.4, -9.81]\nbodies:\n"
    "  link: {repeat: {i: 1..N}, mass: 1.3, inertia: 0.021, position: [(i - 1/2)*l, 0], angle: 0, rate: 0.7 + 0.1*i, points: {a: [-l/2, 0], b: [l/2, 0], P: [-0.1, 0.02], Q: [0.1, 0.02]}}\n"
    "  crank: {repeat: {i: 1..N}, mass: 0.2, inertia: 0.0003, position: [(i - 1/2)*l - 0.1, 0.07], angle: 90*deg, points: {P: [-0.05, 0], S: [0.05, 0]}}\n"
    "  rocker: {repeat: {i: 1..N}, mass: 0.3, inertia: 0.0007, position: [(i - 1/2)*l + 0.1, 0.095], angle: 90*deg, points: {Q: [-0.075, 0], T: [0.075, 0]}}\n"
    "  bar: {repeat: {i: 1..N}, mass: 0.1, inertia: 0.0004, between: [\"crank.{i}.S\", \"rocker.{i}.T\"], points: {S: [-sqrt(0.0425)/2, 0], T: [sqrt(0.0425)/2, 0]}}\n"
    "joints:\n"
    "  root: {type: revolute, connect: [ground, link.1.a]}\n"
    "  hinge: {repeat: {i: 2..N}, type: revolute, connect: [\"link.{i-1}.b\", \"link.{i}.a\"]}\n"
    "  P: {repeat: {i: 1..N}, type: revolute, connect: [\"link.{i}.P\", \"crank.{i}.P\"]}\n"
    "  Q: {repeat: {i: 1..N}, type: revolute, connect: [\"link.{i}.Q\", \"rocker.{i}.Q\"]}\n"
    "  S: {repeat: {i: 1..N}, type: revolute, connect: [\"crank.{i}.S\", \"bar.{i}.S\"]}\n"
    "  T: {repeat: {i: 1..N}, type: revolute, connect: [\"bar.{i}.T\", \"rocker.{i}.T\"], cut: true}\n"
    "simulate: {until: 10, every: 0.1, rtol: 1e-10, atol: 1e-12, coordinates: joint, formulation: recursive, stabilization: {mass-projection: 1e-12}}\n";

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
    "simulate: {until: 10, every: 0.1, rtol: 1e-10, atol: 1e-12, coordinates: joint, formulation: recursive, stabilization: {mass-projection: 1e-12}}\n";

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
    const long counts[COUNTS] = {l->n_slots, l->n_entries, l->n_targets, l->n_pairs, l->n_pivots, l->n_below, l->n_sides, (long)dal_loops_work_size(l)};
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
        assert_string_equal(system->formulation->name, "recursive");
        assert_string_equal(system->layout.family->name, "joint");
        assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
        print_message("  %s: residual %.1e, drift of the energy balance %.1e, %ld steps\n", robots[k], evidence.position_residual, evidence.energy_drift,
                      evidence.steps);
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
    static const double chain[] = {-36.983144848117647, 42.774264782234461, -7.757134352228686, 2.7441236685885522, -27.614025756560167, 29.021312693348797,
                                   -19.335669298796805, -13.419382734355025, 11.477616974579691, -11.243342551316669, -25.92272845746362, 29.726338606746701,
                                   -9.5541975872686233, 50.00785457429469, -51.67704696128726, 34.29926845008972};
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
        cmocka_unit_test(branch_by_branch_they_move_as_pass_by_pass_and_as_lagrange_says),
        cmocka_unit_test(particles_are_swept_with_their_links),
        cmocka_unit_test(a_model_that_is_part_of_the_ground_has_nothing_to_sweep),
        cmocka_unit_test(models_of_the_gallery_move_branch_by_branch_as_pass_by_pass),
        cmocka_unit_test(the_work_grows_with_the_number_of_loops_that_close_locally),
        cmocka_unit_test(a_chain_closed_at_its_end_has_its_rows_once_at_each_link),
        cmocka_unit_test(energy_is_kept_for_ten_seconds),
        cmocka_unit_test(the_loops_of_the_robots_stay_closed),
        cmocka_unit_test(every_build_gives_the_same_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
