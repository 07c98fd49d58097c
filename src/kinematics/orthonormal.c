/* Shared by the families whose R is a rotation for every q.
 *
 * With the centre of mass at rho = R s_c from r, J the columns of the angular
 * velocity and I the inertia in world axes, for M = sum Ji^T Mi Ji and
 * h = sum Ji^T (Mi Ji' v + Wi Mi Vi) (`lagrange-to-kane` (39)):
 *   M_tt = m 1
 *   M_tk = m (J_k x rho)
 *   M_kl = m (J_k x rho).(J_l x rho) + J_k . I J_l
 *   h_t  = m c_b                                   c_b the bias acceleration of the centre of mass
 *   h_k  = (J_k x rho) . m c_b + J_k . (I w_b + w x I w)
 */
#include "kinematics/family.h"
#include "kinematics/newton_euler.h"
#include "math/vec.h"

/* In the plane, z of everything stays as it was laid out. */
void dal_planar_bias(dal_kin *kin)
{
    const dal_real w = kin->w[2], a = kin->wb[2], *R = kin->R;
    dal_real *Rd = kin->Rd, *Rb = kin->Rb;
    for (int k = 0; k < 2; k++) {
        Rd[k] = -w * R[3 + k];
        Rd[3 + k] = w * R[k];
        Rb[k] = -w * Rd[3 + k] - a * R[3 + k];
        Rb[3 + k] = w * Rd[k] + a * R[k];
    }
}

void dal_planar_tangent(const dal_kin *kin, dal_tangent *tangent)
{
    const dal_real w = tangent->w[2], *R = kin->R;
    dal_real *Rd = tangent->Rd;
    Rd[0] = -(w * R[3]), Rd[1] = -(w * R[4]), Rd[2] = 0;
    Rd[3] = w * R[0], Rd[4] = w * R[1], Rd[5] = 0;
    Rd[6] = Rd[7] = Rd[8] = 0;
}

void dal_orthonormal_bias(dal_kin *kin)
{
    dal_real wbR[9];
    dal_cross33(kin->w, kin->R, kin->Rd);
    dal_cross33(kin->w, kin->Rd, kin->Rb);
    dal_cross33(kin->wb, kin->R, wbR);
    for (int i = 0; i < 9; i++)
        kin->Rb[i] += wbR[i];
}

void dal_orthonormal_tangent(const dal_kin *kin, dal_tangent *tangent)
{
    dal_cross33(tangent->w, kin->R, tangent->Rd);
}

/* r' = the first velocities, w = sum of J_k times the others. */
void dal_plain_tangent(const dal_layout *layout, dal_work *work, const dal_direction *direction)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *x = direction->a + at->v;
        dal_tangent *out = &direction->tangent[b];
        dal_zero3(out->rd);
        dal_zero3(out->w);
        for (int i = 0; i < space; i++)
            out->rd[i] = x[i];
        if (space == DAL_PLANAR) {
            for (int k = 0; k < at->n_rot; k++)
                out->w[2] += x[space + k] * work->kin[b].J[k][2];
            dal_planar_tangent(&work->kin[b], out);
            continue;
        }
        for (int k = 0; k < at->n_rot; k++)
            dal_axpy3(x[space + k], work->kin[b].J[k], out->w);
        dal_orthonormal_tangent(&work->kin[b], out);
    }
}

void dal_orthonormal_bend(const dal_kin *kin, const dal_tangent *a, const dal_tangent *b, dal_bend *bend)
{
    dal_real wbR[9];
    dal_cross33(b->w, a->Rd, bend->Rb);
    dal_cross33(bend->wb, kin->R, wbR);
    for (int i = 0; i < 9; i++)
        bend->Rb[i] += wbR[i];
}

/* The same in the plane, with one angle: J = e_z. */
static void flat_inertia(const dal_body *body, const dal_kin *kin, dal_real *M, dal_real *h)
{
    const double *c = body->center, m = body->mass;
    const dal_real *R = kin->R, *Rb = kin->Rb;
    const dal_real x = -(R[3] * c[0] + R[4] * c[1]), y = R[0] * c[0] + R[1] * c[1]; /* e_z x rho */
    h[0] = m * (Rb[0] * c[0] + Rb[1] * c[1] + kin->rb[0]);
    h[1] = m * (Rb[3] * c[0] + Rb[4] * c[1] + kin->rb[1]);
    h[2] = x * h[0] + y * h[1] + body->inertia[8] * kin->wb[2];
    M[0] = M[4] = m;
    M[1] = M[3] = 0;
    M[2] = M[6] = m * x;
    M[5] = M[7] = m * y;
    M[8] = m * (x * x + y * y) + body->inertia[8];
}

void dal_orthonormal_inertia(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        if (space == DAL_PLANAR && layout->body[b].n_rot == 1) {
            flat_inertia(&layout->mechanism->bodies[b], &work->kin[b], work->M + layout->block[b].value, work->h + layout->body[b].v);
            continue;
        }
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_body_layout *at = &layout->body[b];
        const dal_kin *kin = &work->kin[b];
        const int n = at->nv, n_rot = at->n_rot;
        dal_real *M = work->M + layout->block[b].value, *h = work->h + at->v;
        dal_real rho[3], force[3], inertia[9], moment[3], arm[4][3], IJ[4][3];

        dal_turn(kin->R, body->center, rho);
        dal_bias_wrench(body, kin, inertia, force, moment);

        for (int i = 0; i < space; i++) {
            for (int j = 0; j < space; j++)
                M[n * i + j] = i == j ? body->mass : 0;
            h[i] = force[i];
        }
        for (int k = 0; k < n_rot; k++) {
            dal_cross(kin->J[k], rho, arm[k]);
            dal_mul3(inertia, kin->J[k], IJ[k]);
            for (int i = 0; i < space; i++)
                M[n * i + space + k] = M[n * (space + k) + i] = body->mass * arm[k][i];
            for (int l = 0; l <= k; l++)
                M[n * (space + k) + space + l] = M[n * (space + l) + space + k] = body->mass * dal_dot(arm[k], arm[l]) + dal_dot(kin->J[l], IJ[k]);
            h[space + k] = dal_dot(arm[k], force) + dal_dot(kin->J[k], moment);
        }
    }
}

void dal_orthonormal_pull(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    const int space = (int)layout->mechanism->space, n_rot = layout->body[body].n_rot;
    for (int i = 0; i < space; i++)
        out[i] += force[i];
    for (int k = 0; k < n_rot; k++)
        out[space + k] += dal_dot(work->kin[body].J[k], moment);
}

void dal_plain_rates(const dal_layout *layout, const dal_work *work, dal_real *qd)
{
    for (int i = 0; i < layout->nv; i++)
        qd[i] = work->v[i];
}

#ifndef DAL_SCALAR_VARIANT
void dal_plain_add(const dal_layout *layout, double *q, const double *dv)
{
    for (int i = 0; i < layout->nv; i++)
        q[i] += dv[i];
}
#endif
