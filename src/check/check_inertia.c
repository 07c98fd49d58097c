/* Parts without inertia, and whether the accelerations are unique.
 *
 * They are unique exactly if rank [M; A] = m (Result 3 of `udwadia-phohomsiri`). M = sum of J^T M_i J has the null space of the rows
 *     c' of every body with a mass,     e . w of every principal axis e with an inertia
 *     y . D^1/2 v of every sub-system whose equations are known, y the eigenvectors of its M at unit diagonal, D that diagonal
 * so these rows stand for M: at unit size, a mass counts however small it is, and the rank does not depend on how the masses compare.
 *
 * Where the rank is less, the null vectors are motions that cost no energy and that no joint holds. With N an orthonormal basis of
 * them, N N^T splits into the finest sets of bodies whose motions do not mix; each set is reported by what its bodies do.
 */
#include "check/checker.h"
#include "kinematics/subsystems.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"

#include <math.h>
#include <string.h>

static const double no_inertia = 1e-12; /* of a body's largest principal inertia */
static const double visible = 1e-7;     /* share of a null vector that names a velocity */

/* ---- principal axes --------------------------------------------------------------- */

/* Axes (rows, body axes) with an inertia; the others behind them. Returns how many have one. */
static int principal_axes(const dal_probe *p, int b, double axes[9])
{
    const dal_body *body = &p->layout->mechanism->bodies[b];
    double values[3], vectors[9], work[600];
    int n = 0, rest = 3;
    for (int i = 0; i < 9; i++)
        axes[i] = i % 4 == 0;
    if (!p->layout->body[b].n_rot || body->particle)
        return 0;
    if (p->layout->mechanism->space == DAL_PLANAR) {
        memcpy(axes, (const double[9]){0, 0, 1, 1, 0, 0, 0, 1, 0}, sizeof(double[9]));
        return body->inertia[8] > 0;
    }
    if (dal_symmetric_eigen(body->inertia, 3, 3, values, vectors, work))
        return 3;
    for (int i = 0; i < 3; i++)
        memcpy(axes + 3 * (values[i] > no_inertia * values[2] ? n++ : --rest), vectors + 3 * i, sizeof(double[3]));
    return n;
}

/* ---- rows that stand for M ---------------------------------------------------------- */

/* Row += f . c' + d . w of body b as a row on the velocities, over the scales of the columns. */
static void pull(const dal_probe *p, int b, const double f[3], const double d[3], double *row, double *scratch)
{
    const dal_layout *layout = p->layout;
    double rho[3], moment[3];
    memset(scratch, 0, sizeof *scratch * (size_t)p->m);
    dal_turn(p->work.kin[b].R, layout->mechanism->bodies[b].center, rho);
    dal_cross(rho, f, moment);
    for (int i = 0; i < 3; i++)
        moment[i] += d[i];
    dal_pull_body(layout, &p->work, b, f, moment, scratch);
    for (int k = 0; k < p->m; k++)
        row[k] = scratch[k] / p->scale[k];
}

/* The rows of one sub-system, as many as its M has rank. */
static int system_rows(const dal_probe *p, const dal_subsystem *s, double *K)
{
    const dal_layout *layout = p->layout;
    const size_t n = (size_t)s->n;
    double *S = DAL_NEW(p->arena, double, n *n), *values = DAL_NEW(p->arena, double, n), *vectors = DAL_NEW(p->arena, double, n *n);
    double *root = DAL_NEW(p->arena, double, n), *work = DAL_NEW(p->arena, double, dal_rank_work(s->n, s->n));
    const double *M = p->work.system_place + s->place;
    int found = 0;
    for (size_t i = 0; i < n; i++)
        root[i] = sqrt(fmax(M[dal_triangle((int)i) + (int)i], 0));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++, M++)
            S[i * n + j] = S[j * n + i] = root[i] > 0 && root[j] > 0 ? *M / (root[i] * root[j]) : 0;
    if (dal_symmetric_eigen(S, s->n, s->n, values, vectors, work))
        return 0;
    for (size_t i = 0; i < n; i++) {
        double *row = K + (size_t)found * (size_t)p->m, square = 0;
        if (!(values[i] > no_inertia))
            continue;
        memset(row, 0, sizeof *row * (size_t)p->m);
        for (size_t k = 0; k < n; k++) {
            const int column = layout->own_v + layout->systems->coordinate[s->column + (int)k];
            row[column] = vectors[i * n + k] * root[k] / p->scale[column];
            square += row[column] * row[column];
        }
        for (int k = 0; k < p->m && square > 0; k++)
            row[k] /= sqrt(square);
        found += square > 0;
    }
    return found;
}

/* K: the rows of M, returns how many; 6 a body at most, and one for each coordinate of a sub-system. */
static int inertia_rows(const dal_probe *p, double *K, double *scratch)
{
    const dal_layout *layout = p->layout;
    const double zero[3] = {0, 0, 0};
    int n = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        double axes[9];
        for (int i = 0; i < (int)layout->mechanism->space && layout->mechanism->bodies[b].mass > 0; i++) {
            const double f[3] = {i == 0, i == 1, i == 2};
            pull(p, b, f, zero, K + (size_t)n++ * (size_t)p->m, scratch);
        }
        int with = principal_axes(p, b, axes);
        for (int i = 0; i < with; i++) {
            double d[3];
            dal_turn(p->work.kin[b].R, axes + 3 * i, d);
            for (int k = 0; k < 3; k++)
                d[k] *= dal_system_layout(p->system)->units.length;
            pull(p, b, zero, d, K + (size_t)n++ * (size_t)p->m, scratch);
        }
    }
    for (int i = 0; layout->systems && i < layout->systems->n; i++)
        n += system_rows(p, &layout->systems->system[i], K + (size_t)n * (size_t)p->m);
    return n;
}

/* ---- what is light ---------------------------------------------------------------- */

static const char *lack_of(const dal_probe *p, int b)
{
    const dal_body *body = &p->layout->mechanism->bodies[b];
    double axes[9];
    const int turns = p->layout->body[b].n_rot, with = principal_axes(p, b, axes);
    if (turns && with == 0)
        return body->mass > 0 ? "has no inertia" : "has neither mass nor inertia";
    if (!(body->mass > 0))
        return "has no mass";
    if (with == turns)
        return NULL;
    const char *list = "";
    for (int i = with; i < turns; i++)
        list = dal_arena_print(p->arena, "%s%s%s", list, *list ? " and " : "", dal_check_direction(p->arena, axes + 3 * i, false));
    return dal_arena_print(p->arena, "has no inertia about %s of its own axes", list);
}

static void list_light(dal_checker *c, const dal_probe *p)
{
    const dal_mechanism *m = p->layout->mechanism;
    const char **light = DAL_NEW(p->arena, const char *, m->n_bodies);
    for (int b = 0; b < m->n_bodies; b++) {
        const char *lack = lack_of(p, b);
        if (lack)
            light[c->verdict->n_light++] = dal_arena_print(p->arena, "'%s' %s", m->bodies[b].name, lack);
    }
    c->verdict->light = light;
}

/* ---- what is loose ------------------------------------------------------------------- */

/* Directions of n vectors in space: *one their common line where it is only one. 0, 1, or 2 for several. */
static int span(int n, double (*x)[3], double one[3])
{
    double G[9] = {0}, values[3], vectors[9], work[600];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                G[3 * i + j] += x[k][i] * x[k][j];
    if (dal_symmetric_eigen(G, 3, 3, values, vectors, work) || !(values[2] > visible * visible))
        return 0;
    memcpy(one, vectors + 6, sizeof(double[3]));
    return values[1] > 1e-6 * values[2] ? 2 : 1;
}

/* "'tip' moves along y", "'rod' turns about z through [1, 0]": body b in n null vectors of one set; NULL: it stays. *turning, *moving: what it does. The turns are
 * about the axis where there is one, and shifts are reported where nothing turns. */
static const char *motion_of(const dal_probe *p, int b, int n, const double *null, bool *turning, bool *moving)
{
    const dal_layout *layout = p->layout;
    const dal_body_layout *at = &layout->body[b];
    const bool flat = layout->mechanism->space == DAL_PLANAR;
    const int space = (int)layout->mechanism->space;
    const char *name = layout->mechanism->bodies[b].name;
    double(*shift)[3] = (double(*)[3])DAL_NEW(p->arena, double, 3 * n), (*turn)[3] = (double(*)[3])DAL_NEW(p->arena, double, 3 * n), d[3], v[3];
    for (int k = 0; k < n; k++) {
        const double *x = null + (size_t)k * (size_t)p->m + at->v;
        for (int i = 0; i < space; i++)
            shift[k][i] = x[i];
        for (int i = 0; i < at->n_rot; i++)
            turn[k][at->n_rot == 1 ? 2 : i] = x[space + i];
    }
    const int turns = span(n, turn, d), shifts = span(n, shift, v);
    *turning = turns;
    *moving = shifts && (!turns || n > 1); /* one turn alone is about an axis */
    if (!turns && !shifts)
        return NULL;
    if (!turns)
        return shifts == 1 ? dal_arena_print(p->arena, "'%s' moves along %s", name, dal_check_direction(p->arena, v, flat))
                           : dal_arena_print(p->arena, "'%s' moves", name);
    const char *about = flat || turns > 1 ? "" : dal_arena_print(p->arena, " about %s", dal_check_direction(p->arena, d, false));
    if (n > 1 && shifts == 1)
        return dal_arena_print(p->arena, "'%s' turns%s and moves along %s", name, about, dal_check_direction(p->arena, v, flat));
    if (n > 1)
        return dal_arena_print(p->arena, shifts ? "'%s' turns%s and moves" : "'%s' turns%s", name, about);
    double w[3], r[3], square; /* a point of the axis: r + w x r' / w^2, w in the unit of the scaled coordinates */
    for (int i = 0; i < 3; i++)
        w[i] = turn[0][i] / dal_system_layout(p->system)->units.length;
    square = dal_dot(w, w);
    dal_cross(w, shift[0], r);
    for (int i = 0; i < 3; i++) {
        r[i] = p->work.kin[b].r[i] + r[i] / square;
        r[i] = fabs(r[i]) < 1e-9 * dal_system_layout(p->system)->units.length ? 0 : r[i];
    }
    return flat ? dal_arena_print(p->arena, "'%s' turns about [%.4g, %.4g]", name, r[0], r[1])
                : dal_arena_print(p->arena, "'%s' turns%s through [%.4g, %.4g, %.4g]", name, about, r[0], r[1], r[2]);
}

/* A body that only shifts needs a mass, one that turns an inertia. */
static void add_remedy(const dal_probe *p, int b, bool turning, bool moving, const char **remedy)
{
    const dal_body *body = &p->layout->mechanism->bodies[b];
    double axes[9];
    bool light = !(body->mass > 0) && moving;
    bool thin = principal_axes(p, b, axes) < p->layout->body[b].n_rot && turning;
    if (light || thin)
        *remedy = dal_arena_print(p->arena, "%s%s'%s' %s", *remedy, **remedy ? ", or " : "give ", body->name,
                                  light && thin ? "mass and inertia"
                                  : light       ? "mass"
                                                : "inertia");
}

/* One set of null vectors, in twists. */
static dal_check_loose describe_bodies(const dal_probe *p, int n, const double *null)
{
    const char *motion = "", *remedy = "";
    for (int b = 0; b < p->layout->mechanism->n_bodies; b++) {
        bool turning, moving;
        const char *one = motion_of(p, b, n, null, &turning, &moving);
        if (!one)
            continue;
        motion = dal_check_join(p->arena, motion, one);
        add_remedy(p, b, turning, moving, &remedy);
    }
    return (dal_check_loose){n, motion,
                             dal_arena_print(p->arena, "%s, or hold this motion by a joint or a constraint", *remedy ? remedy : "give mass")};
}

/* Does body b move in one of the null vectors? The motion of its points and axes is a sum over the columns. */
static bool is_moved(const dal_probe *p, int b, int n, const double *null)
{
    const double zero[3] = {0, 0, 0};
    double *row = DAL_NEW(p->arena, double, p->m), *scratch = DAL_NEW(p->arena, double, p->m);
    for (int i = 0; i < 6; i++) {
        const double unit[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
        pull(p, b, i < 3 ? unit : zero, i < 3 ? zero : unit, row, scratch);
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int j = 0; j < p->m; j++)
                sum += row[j] * null[(size_t)k * (size_t)p->m + (size_t)j];
            if (fabs(sum) > visible)
                return true;
        }
    }
    return false;
}

/* The same in the model's own coordinates; what lacks inertia and is moved by them may be given it. */
static dal_check_loose describe_coordinates(const dal_probe *p, int n, const double *null)
{
    const char *motion = "", *remedy = "";
    for (int b = 0; b < p->layout->mechanism->n_bodies; b++)
        if (lack_of(p, b) && is_moved(p, b, n, null))
            remedy =
                dal_arena_print(p->arena, "%s%s'%s'", remedy, *remedy ? " or " : "give mass or inertia to ", p->layout->mechanism->bodies[b].name);
    for (int k = 0; k < p->m; k++) {
        double share = 0;
        for (int i = 0; i < n; i++)
            share = fmax(share, fabs(null[(size_t)i * (size_t)p->m + (size_t)k]));
        if (share > visible)
            motion = dal_check_join(p->arena, motion, dal_own_coordinate(p->system, k));
    }
    motion = dal_arena_print(p->arena, "%s change%s", motion, strchr(motion, ',') ? "" : "s");
    return (dal_check_loose){n, motion, dal_arena_print(p->arena, "%s%sold this motion by a constraint", remedy, *remedy ? ", or h" : "h")};
}

/* Column k of N N^T, whose nonzero entries are what moves along with k. */
static void spread_motion(const dal_probe *p, int n, const double *null, int k, double *out)
{
    const size_t m = (size_t)p->m;
    memset(out, 0, sizeof *out * m);
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            out[j] += null[(size_t)i * m + (size_t)k] * null[(size_t)i * m + j];
}

/* Do two velocities belong to one body? */
static bool share_a_body(const dal_probe *p, int i, int j)
{
    for (int b = 0; b < p->layout->mechanism->n_bodies && !p->layout->family->shares; b++) {
        const dal_body_layout *at = &p->layout->body[b];
        if (i >= at->v && i < at->v + at->nv)
            return j >= at->v && j < at->v + at->nv;
    }
    return false;
}

/* The set of velocities that mix with `first`, or belong to a body that does, and take part in a null vector themselves. */
static void gather_members(const dal_probe *p, int n, const double *null, int first, int set, int *member, double *column)
{
    int *queue = DAL_NEW(p->arena, int, p->m), head = 0, tail = 0;
    double *size = DAL_NEW(p->arena, double, p->m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p->m; j++)
            size[j] = fmax(size[j], fabs(null[(size_t)i * (size_t)p->m + (size_t)j]));
    queue[tail++] = first;
    member[first] = set;
    while (head < tail) {
        int k = queue[head++];
        spread_motion(p, n, null, k, column);
        for (int j = 0; j < p->m; j++)
            if (member[j] == 0 && (fabs(column[j]) > visible || (size[j] > visible && share_a_body(p, k, j)))) {
                member[j] = set;
                queue[tail++] = j;
            }
    }
}

/* An orthonormal basis of the null vectors that live on the set: Gram-Schmidt on the columns of N N^T. */
static int basis_of(const dal_probe *p, int n, const double *null, int set, const int *member, double *basis, double *column)
{
    const size_t m = (size_t)p->m;
    int found = 0;
    for (int k = 0; k < p->m && found < n; k++) {
        if (member[k] != set)
            continue;
        spread_motion(p, n, null, k, column);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < found; i++) {
                double dot = 0;
                for (size_t j = 0; j < m; j++)
                    dot += basis[(size_t)i * m + j] * column[j];
                for (size_t j = 0; j < m; j++)
                    column[j] -= dot * basis[(size_t)i * m + j];
            }
        double size = 0;
        for (size_t j = 0; j < m; j++)
            size += column[j] * column[j];
        size = sqrt(size);
        if (size < 1e-5)
            continue;
        for (size_t j = 0; j < m; j++)
            basis[(size_t)found * m + j] = column[j] / size;
        found++;
    }
    return found;
}

static void list_loose(dal_checker *c, const dal_probe *p, int n, const double *null)
{
    dal_verdict *v = c->verdict;
    const size_t m = (size_t)p->m;
    dal_check_loose *loose = DAL_NEW(p->arena, dal_check_loose, n);
    double *column = DAL_NEW(p->arena, double, m), *basis = DAL_NEW(p->arena, double, (size_t)n *m);
    int *member = DAL_NEW(p->arena, int, m);
    for (int k = 0; k < p->m && v->n_loose < n; k++) {
        spread_motion(p, n, null, k, column);
        if (member[k] || !(sqrt(fabs(column[k])) > visible))
            continue;
        int set = v->n_loose + 1;
        gather_members(p, n, null, k, set, member, column);
        int size = basis_of(p, n, null, set, member, basis, column);
        loose[v->n_loose++] = p->layout->placement ? describe_coordinates(p, size, basis) : describe_bodies(p, size, basis);
    }
    v->loose = loose;
}

static const double far_out = 1e3; /* lengths of the model between the frame of a body and its centre of mass: rounding is no matter */

/* Has every body a mass and an inertia about every axis? Then M alone, in twists, has full rank, whatever the joints are. */
static bool all_have_inertia(const dal_probe *p)
{
    const dal_layout *layout = dal_system_layout(p->system);
    const dal_mechanism *m = p->layout->mechanism;
    for (int b = 0; b < m->n_bodies; b++) {
        double axes[9];
        if (!(m->bodies[b].mass > 0) || principal_axes(p, b, axes) < p->layout->body[b].n_rot ||
            !(dal_dot(m->bodies[b].center, m->bodies[b].center) < far_out * layout->units.length * far_out * layout->units.length))
            return false;
    }
    return !p->layout->placement;
}

void dal_check_inertia(dal_checker *c, dal_probe *p)
{
    const dal_method *method = dal_system_method(p->system);
    dal_verdict *v = c->verdict;
    if (all_have_inertia(p)) {
        v->rank_inertia = v->rank_stacked = p->m;
        v->determined = true;
        list_light(c, p);
        dal_probe_at(p, c->state);
        dal_probe_rows(p);
        return;
    }
    const size_t m = (size_t)p->m;
    const int most = 6 * p->layout->mechanism->n_bodies + p->m + p->r;
    double *K = DAL_NEW(p->arena, double, (size_t)most *m), *null = DAL_NEW(p->arena, double, m *m);
    double *sigma = DAL_NEW(p->arena, double, (size_t)most + m);
    double *scratch = DAL_NEW(p->arena, double, m), *work = DAL_NEW(p->arena, double, dal_rank_work(most, p->m));
    dal_probe_at(p, c->state);
    dal_probe_rows(p);
    int n = inertia_rows(p, K, scratch);
    v->rank_inertia = dal_rank_svd(K, n, p->m, p->m, method->rank_tolerance, sigma, NULL, NULL, work);
    memcpy(K + (size_t)n * m, p->A, sizeof *K * (size_t)p->r * m);
    v->rank_stacked = dal_rank_svd(K, n + p->r, p->m, p->m, method->rank_tolerance, sigma, null, NULL, work);
    v->determined = v->rank_stacked == p->m;
    list_light(c, p);
    if (!v->determined && v->rank_stacked >= 0)
        list_loose(c, p, p->m - v->rank_stacked, null);
}
