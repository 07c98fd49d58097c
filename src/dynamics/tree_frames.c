/* Frames of a tree for users: motion, Jacobian and its rate, the momentum of the whole, the wrenches of joints.
 *
 * Column k moves the point P of a body behind it by
 *     J_k = direction + axis x (P - o),   J_k' = direction' + axis' x (P - o) + axis x (P' - o')
 * The momentum of column k is that of the composite body behind it (tree/crba.c), moved to the centre of the whole.
 */
#include "dalembert/tree.h"
#include "dynamics/tree_columns.h"
#include "kinematics/newton_euler.h"
#include "math/finite.h"
#include "math/vec.h"
#include "dynamics/tree_state.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* As dal_tree_accepts, for a point of a body. */
static dal_status accepts_point(const dal_state *state, const double *q, const double *v, const double *vd, int body, const double point[3])
{
    const dal_status status = point ? dal_tree_accepts(state, q, v, vd, NULL) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    if (body < 0 || body >= state->tree->joint_tree->n_bodies)
        return DAL_BAD_COMMAND;
    return dal_all_finite(point, 3) ? DAL_OK : DAL_NUMERICAL;
}

/* From the origin of its link to a point of a body, and the body's attitude. Particles have no points but their own. */
static void arm_of(const dal_links *links, const dal_links_work *work, int body, const double point[3], double arm[3], double R[9])
{
    const dal_seat *seat = &links->seat[body];
    double r[3], turned[3];
    dal_tree_place(links, work, body, r, R);
    dal_link_turn(&work->motion[seat->link], seat->s, arm);
    dal_mul3(R, point, turned);
    if (!seat->particle)
        dal_axpy3(1, turned, arm);
}

dal_status dal_frame_motion(dal_state *state, const double *q, const double *v, const double *vd, int body, const double point[3], dal_motion *motion)
{
    const dal_status status = motion ? accepts_point(state, q, v, vd, body, point) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->tree->joint_tree;
    dal_links_work *work = &state->tree->links;
    const dal_seat *seat = &links->seat[body];
    const dal_link_motion *m = &work->motion[seat->link];
    const double *rates = v ? v : state->scratch->still;
    double arm[3], turned[3];
    dal_tree_weigh(state);
    state->tree->recursion->rnea_forward(links, work, q, rates, vd);
    memset(motion, 0, sizeof *motion);
    arm_of(links, work, body, point, arm, motion->rotation);
    dal_copy3(m->r, motion->position);
    dal_axpy3(1, arm, motion->position);
    if (!seat->particle) {
        dal_copy3(m->w, motion->omega);
        dal_copy3(m->alpha, motion->alpha);
    }
    dal_copy3(work->motion[seat->link].rd, motion->velocity);
    dal_add_cross(m->w, arm, motion->velocity);
    for (int i = 0; i < 3; i++)
        motion->acceleration[i] = m->a[i] + links->gravity[i];
    dal_add_cross(m->alpha, arm, motion->acceleration);
    dal_cross(m->w, arm, turned);
    dal_add_cross(m->w, turned, motion->acceleration);
    return DAL_OK;
}

/* The way from a body to the ground, column by column: `arm` leads from the origin of the column's link to the point, `rate` is its rate. */
typedef struct way {
    int column, link;
    double arm[3], rate[3];
} way;

static way start_way(const dal_links *links, const dal_links_work *work, int body, const double point[3])
{
    way w = {.column = -1, .link = links->seat[body].link};
    double R[9];
    arm_of(links, work, body, point, w.arm, R);
    dal_cross(work->motion[w.link].w, w.arm, w.rate);
    if (w.link >= 0)
        w.column = links->link[w.link].v + dal_link_velocities(links->link[w.link].kind) - 1;
    return w;
}

static void next_column(const dal_links *links, const dal_links_work *work, way *w)
{
    w->column = links->parent_column[w->column];
    if (w->column < 0 || links->link_of[w->column] == w->link)
        return;
    const int parent = links->link_of[w->column];
    dal_axpy3(1, work->motion[w->link].d, w->arm);
    dal_axpy3(1, work->motion[w->link].rd, w->rate);
    dal_axpy3(-1, work->motion[parent].rd, w->rate);
    w->link = parent;
}

dal_status dal_frame_jacobian(dal_state *state, const double *q, int body, const double point[3], double *J)
{
    const dal_status status = J ? accepts_point(state, q, NULL, NULL, body, point) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->tree->joint_tree;
    dal_links_work *work = &state->tree->links;
    const size_t n = (size_t)links->nv;
    state->tree->recursion->kinematics(links, work, q);
    memset(J, 0, sizeof *J * 6 * n);
    for (way w = start_way(links, work, body, point); w.column >= 0; next_column(links, work, &w)) {
        dal_column_motion c;
        dal_tree_column(links, work, w.column, &c);
        dal_add_cross(c.axis, w.arm, c.direction);
        for (int i = 0; i < 3; i++) {
            J[(size_t)i * n + (size_t)w.column] = c.direction[i];
            J[(size_t)(i + 3) * n + (size_t)w.column] = links->seat[body].particle ? 0 : c.axis[i];
        }
    }
    return DAL_OK;
}

dal_status dal_frame_jacobian_rate(dal_state *state, const double *q, const double *v, int body, const double point[3], double *Jd)
{
    const dal_status status = v && Jd ? accepts_point(state, q, v, NULL, body, point) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->tree->joint_tree;
    dal_links_work *work = &state->tree->links;
    const size_t n = (size_t)links->nv;
    dal_tree_weigh(state);
    state->tree->recursion->rnea_forward(links, work, q, v, NULL);
    memset(Jd, 0, sizeof *Jd * 6 * n);
    for (way w = start_way(links, work, body, point); w.column >= 0; next_column(links, work, &w)) {
        dal_column_motion c;
        dal_tree_column_rate(links, work, w.column, &c);
        dal_add_cross(c.axis_rate, w.arm, c.direction_rate);
        dal_add_cross(c.axis, w.rate, c.direction_rate);
        for (int i = 0; i < 3; i++) {
            Jd[(size_t)i * n + (size_t)w.column] = c.direction_rate[i];
            Jd[(size_t)(i + 3) * n + (size_t)w.column] = links->seat[body].particle ? 0 : c.axis_rate[i];
        }
    }
    return DAL_OK;
}

/* Momentum of everything behind link i that moves with a unit of the column: force-like and about the link's origin. */
static void column_momentum(const dal_link_inertia *at, const dal_column_motion *c, double p[3], double L[3])
{
    const double *s = at->Ht[0];
    dal_cross(c->axis, s, p);
    dal_axpy3(at->Ht[0][3], c->direction, p);
    for (int i = 0; i < 3; i++)
        L[i] = at->I[0][i] * c->axis[0] + at->I[1][i] * c->axis[1] + at->I[2][i] * c->axis[2];
    dal_add_cross(s, c->direction, L);
}

dal_status dal_centroidal_momentum(dal_state *state, const double *q, const double *v, dal_centroid *centroid, double *A_G)
{
    const dal_status status = centroid ? dal_tree_accepts(state, q, v, NULL, NULL) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->tree->joint_tree;
    dal_links_work *work = &state->tree->links;
    const size_t n = (size_t)links->nv;
    memset(centroid, 0, sizeof *centroid);
    centroid->mass = links->still_mass;
    dal_copy3(links->still_moment, centroid->center);
    state->tree->recursion->crba(links, work, q, NULL);
    for (int i = 0; i < links->n; i++)
        if (links->link[i].parent < 0) { /* what it carries, about the world's origin */
            const dal_link_inertia *at = &work->inertia[i];
            centroid->mass += at->Ht[0][3];
            dal_axpy3(1, at->Ht[0], centroid->center);
            dal_axpy3(at->Ht[0][3], work->motion[i].r, centroid->center);
        }
    for (int i = 0; i < 3 && centroid->mass > 0; i++)
        centroid->center[i] /= centroid->mass;
    for (int k = 0; k < links->nv; k++) {
        dal_column_motion c;
        double p[3], L[3], arm[3];
        dal_tree_column(links, work, k, &c);
        column_momentum(&work->inertia[links->link_of[k]], &c, p, L);
        dal_sub3(c.origin, centroid->center, arm);
        dal_add_cross(arm, p, L);
        dal_axpy3(v ? v[k] : 0, p, centroid->linear);
        dal_axpy3(v ? v[k] : 0, L, centroid->angular);
        for (int i = 0; A_G && i < 3; i++) {
            A_G[(size_t)i * n + (size_t)k] = p[i];
            A_G[(size_t)(i + 3) * n + (size_t)k] = L[i];
        }
    }
    for (int i = 0; i < 3 && centroid->mass > 0; i++)
        centroid->velocity[i] = centroid->linear[i] / centroid->mass;
    return DAL_OK;
}

/* Newton-Euler wrench of one body about its own origin, less the applied wrench. */
static void body_needs(const dal_links *links, const dal_links_work *work, const dal_body *body, int b, const dal_wrench *applied, double r[3],
                       dal_wrench *out)
{
    const dal_seat *seat = &links->seat[b];
    const dal_link_motion *m = &work->motion[seat->link];
    double R[9], c[3], acc[3], arm[3], turned[3], own_w[3], own_alpha[3], Iw[3], moment[3];
    dal_tree_place(links, work, b, r, R);
    dal_mul3(R, body->center, c);
    dal_sub3(r, m->r, arm);
    dal_axpy3(1, c, arm);
    dal_copy3(m->a, acc);
    dal_add_cross(m->alpha, arm, acc);
    dal_cross(m->w, arm, turned);
    dal_add_cross(m->w, turned, acc);
    for (int i = 0; i < 3; i++)
        out->force[i] = body->mass * acc[i];
    dal_cross(c, out->force, out->torque);
    if (!seat->particle) {
        dal_mulT3(R, m->w, own_w);
        dal_mulT3(R, m->alpha, own_alpha);
        dal_mul3(body->inertia, own_w, Iw);
        dal_euler_moment(body->inertia, own_w, own_alpha, Iw, moment);
        dal_mul3(R, moment, turned);
        dal_axpy3(1, turned, out->torque);
    }
    if (applied) {
        dal_axpy3(-1, applied->force, out->force);
        dal_axpy3(-1, applied->torque, out->torque);
    }
}

dal_status dal_joint_wrenches(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches, dal_wrench *carried)
{
    const dal_status status = carried ? dal_tree_accepts(state, q, v, vd, wrenches) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->tree->joint_tree;
    const dal_tree *tree = state->layout->tree;
    dal_links_work *work = &state->tree->links;
    double r[3], R[9], arm[3];
    dal_tree_weigh(state);
    state->tree->recursion->rnea_forward(links, work, q, v ? v : state->scratch->still, vd);
    for (int b = 0; b < links->n_bodies; b++)
        body_needs(links, work, &state->mechanism->bodies[b], b, wrenches ? &wrenches[b] : NULL, r, &carried[b]);
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        if (c->parent == DAL_GROUND)
            continue;
        dal_tree_place(links, work, c->parent, arm, R);
        dal_tree_place(links, work, c->body, r, R);
        dal_sub3(r, arm, arm);
        dal_axpy3(1, carried[c->body].force, carried[c->parent].force);
        dal_axpy3(1, carried[c->body].torque, carried[c->parent].torque);
        dal_add_cross(arm, carried[c->body].force, carried[c->parent].torque);
    }
    return DAL_OK;
}
