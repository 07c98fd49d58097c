/* The Coriolis matrix of a tree: C = sum over bodies of J^T (M_b J' + B J), with which C v + g = h and M' - 2 C is skew-symmetric.
 *
 * (39), (40) of `lagrange-to-kane`: h of a body is J^T (m a, I alpha + w x I w). With c the centre of mass, B = [w] I for the turn: its
 * product with w is the gyroscopic term, and I' - 2 [w] I = -([w] I + I [w]) is skew-symmetric, so that M' - 2 C is.
 *
 * A column (axis e, direction u at the origin r of a link k) moves a point c behind k by u + e x (c - r). Its share of the force on the subtree of k,
 * with the sums over these bodies of mass m, first moment s = sum m (c - r), its rate s', inertia I about r, and
 *     K e = sum of m (c - r) x (e x (c' - r')) + w_b x I_b e
 * is
 *     f = m u' + e' x s + e x s'
 *     n = s x u' + I e' + K e                     u' the rate of the column's velocity field at r
 * and, of a subtree at d with the rate d', seen from the parent:
 *     K_p e += K e + m d x (e x d') + d x (e x s') + s x (e x d')
 * For the columns i and j on one way to the ground, with k the link of the later one: C_ij = (e, u)_i at k . (n, f) of j.
 */
#include "dalembert/tree.h"
#include "dynamics/tree_columns.h"
#include "math/vec.h"
#include "dynamics/tree_state.h"
#include "state/state_parts.h"

#include <string.h>

/* a x (x x b) as a matrix on x: (a.b) x - b (a.x). */
static void add_double_cross(const double a[3], const double b[3], double scale, double K[9])
{
    const double ab = dal_dot(a, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[3 * i + j] += scale * ((i == j ? ab : 0) - b[i] * a[j]);
}

/* Kept in the memory of the link's articulated inertia. */
typedef struct composite {
    double m, s[3], sd[3], I[9], K[9];
} composite;

_Static_assert(sizeof(composite) <= sizeof(dal_link_inertia), "a composite fits into the work space of a link");

static composite *composite_of(dal_links_work *work, int i)
{
    return (composite *)(void *)&work->inertia[i];
}

/* One link by itself: about its centre c = s / m for the mass, about its origin for I. With rho = c - r, rho' = w x rho, I_b the
 * inertia about c: K = m rho x (e x rho') + w x I_b e. A link without mass has none of it. */
static void alone_coriolis(const dal_link *link, const dal_link_motion *m, composite *out)
{
    const double *I = link->inertia;
    const double own[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    double R[9], RI[9], Rt[9], rho[3], rate[3], about[9], wI[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            R[3 * i + j] = m->R[j][i];
            Rt[3 * i + j] = m->R[i][j];
        }
    dal_mul33(R, own, RI);
    dal_mul33(RI, Rt, out->I);
    out->m = link->mass;
    dal_mul3(R, link->moment, out->s);
    dal_cross(m->w, out->s, out->sd);
    for (int i = 0; i < 3; i++)
        rho[i] = link->mass > 0 ? out->s[i] / link->mass : 0;
    dal_cross(m->w, rho, rate);
    memcpy(about, out->I, sizeof about);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            about[3 * i + j] -= link->mass * ((i == j ? dal_dot(rho, rho) : 0) - rho[i] * rho[j]);
    const double *w = m->w, cross[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    dal_mul33(cross, about, wI);
    memcpy(out->K, wI, sizeof out->K);
    add_double_cross(rho, rate, link->mass, out->K);
}

static void propagate_composite(const composite *body, const double d[3], const double dd[3], composite *parent)
{
    const double diagonal = body->m * dal_dot(d, d) + 2 * dal_dot(d, body->s);
    parent->m += body->m;
    for (int i = 0; i < 3; i++) {
        parent->s[i] += body->s[i] + body->m * d[i];
        parent->sd[i] += body->sd[i] + body->m * dd[i];
        for (int j = 0; j < 3; j++)
            parent->I[3 * i + j] += body->I[3 * i + j] + (i == j ? diagonal : 0) - body->m * d[i] * d[j] - d[i] * body->s[j] - body->s[i] * d[j];
    }
    for (int i = 0; i < 9; i++)
        parent->K[i] += body->K[i];
    add_double_cross(d, dd, body->m, parent->K);
    add_double_cross(d, body->sd, 1, parent->K);
    add_double_cross(body->s, dd, 1, parent->K);
}

/* The column's velocity at r (a point with the velocity rd), and the rate of that. */
static void field_at(const dal_column_motion *c, const double r[3], const double rd[3], double u[3], double ud[3])
{
    double arm[3], arm_rate[3];
    dal_sub3(r, c->origin, arm);
    dal_sub3(rd, c->origin_rate, arm_rate);
    dal_copy3(c->direction, u);
    dal_add_cross(c->axis, arm, u);
    dal_copy3(c->direction_rate, ud);
    dal_add_cross(c->axis_rate, arm, ud);
    dal_add_cross(c->axis, arm_rate, ud);
}

static void share_coriolis(const composite *all, const dal_column_motion *c, const double ud[3], double f[3], double n[3])
{
    double turned[3];
    for (int i = 0; i < 3; i++)
        f[i] = all->m * ud[i];
    dal_add_cross(c->axis_rate, all->s, f);
    dal_add_cross(c->axis, all->sd, f);
    dal_cross(all->s, ud, n);
    dal_mul3(all->I, c->axis_rate, turned);
    dal_axpy3(1, turned, n);
    dal_mul3(all->K, c->axis, turned);
    dal_axpy3(1, turned, n);
}

/* The entries of column k with itself and all before it, from the composite at its link. */
static void entries_coriolis(const dal_links *links, const dal_links_work *work, const composite *all, int k, double *C)
{
    const size_t n = (size_t)links->nv;
    const int link = links->link_of[k];
    const double *r = work->motion[link].r, *rd = work->motion[link].rd;
    dal_column_motion own;
    double u[3], ud[3], f[3], moment[3];
    dal_tree_column_rate(links, work, k, &own);
    field_at(&own, r, rd, u, ud);
    share_coriolis(all, &own, ud, f, moment);
    C[(n + 1) * (size_t)k] = dal_dot(u, f) + dal_dot(own.axis, moment);
    for (int j = links->parent_column[k]; j >= 0; j = links->parent_column[j]) {
        dal_column_motion other;
        double v[3], vd[3], g[3], torque[3];
        dal_tree_column_rate(links, work, j, &other);
        field_at(&other, r, rd, v, vd);
        share_coriolis(all, &other, vd, g, torque);
        C[n * (size_t)j + (size_t)k] = dal_dot(v, f) + dal_dot(other.axis, moment);
        C[n * (size_t)k + (size_t)j] = dal_dot(u, g) + dal_dot(own.axis, torque);
    }
}

dal_status dal_coriolis_matrix(dal_state *state, const double *q, const double *v, double *C)
{
    const dal_status status = v && C ? dal_tree_accepts(state, q, v, NULL, NULL) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    dal_tree_state *tree = dal_tree_of(state);
    const dal_links *links = tree->joint_tree;
    dal_links_work *work = &tree->links;
    dal_tree_weigh(state);
    tree->recursion->rnea_forward(links, work, q, v, NULL);
    memset(C, 0, sizeof *C * (size_t)links->nv * (size_t)links->nv);
    for (int i = 0; i < links->n; i++)
        alone_coriolis(&links->link[i], &work->motion[i], composite_of(work, i));
    for (int i = links->n - 1; i >= 0; i--) {
        const dal_link *link = &links->link[i];
        for (int k = link->v; k < link->v + dal_link_velocities(link->kind); k++)
            entries_coriolis(links, work, composite_of(work, i), k, C);
        if (link->parent >= 0) {
            double rate[3];
            dal_sub3(work->motion[i].rd, work->motion[link->parent].rd, rate);
            propagate_composite(composite_of(work, i), work->motion[i].d, rate, composite_of(work, link->parent));
        }
    }
    return DAL_OK;
}
