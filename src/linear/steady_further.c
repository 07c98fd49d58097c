/* Later positions of a steady motion, and its turning frames. A frame with angular velocity w and velocity v of the origin moves as a screw:
 *
 *     r -> a + R (r - a) + h w t,   R = exp(w t),   a = w x v / w^2,   h = w . v / w^2
 *
 * or as a shift v t where w is zero; a body also turns about its own axes. At a solution the equations R (steady_step.c) must also hold at later
 * positions of the motion.
 */
#include "linear/steady_parts.h"

#include "math/sums.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

/* R of a turn by the vector `by`: Rodrigues. */
static void find_turn_matrix(const double by[3], double R[9])
{
    const double angle = sqrt(dal_dot(by, by)), a = angle > 0 ? sin(angle) / angle : 1, h = 0.5 * angle,
                 b = angle > 0 ? 0.5 * sin(h) * sin(h) / (h * h) : 0.5;
    const double K[9] = {0, -by[2], by[1], by[2], 0, -by[0], -by[1], by[0], 0};
    dal_mul33(K, K, R);
    for (int k = 0; k < 9; k++)
        R[k] = (k % 4 == 0) + a * K[k] + b * R[k];
}

/* The position of a body after a time t: moved with its frame, and turned about its own axes. */
static void carry_body(const dal_steady_search *s, int b, double t, double r[3], double R[9])
{
    const dal_fields *x = &s->fields;
    const dal_kin *kin = &dal_seen_work(s->state)->kin[b];
    const int island = dal_island(dal_system_acting(dal_system_of(s->state))->islands.of_body, b);
    double w[3] = {0, 0, 0}, v[3] = {0, 0, 0}, spin[3] = {0, 0, 0}, turn[9], own[9], c[3], rest[9], center[3], along = 0, size;
    for (int i = 0; i < x->n; i++) {
        const dal_field *f = &x->list[i];
        double back[3] = {0, 0, 0};
        dal_add_cross(f->p, f->u, back);
        if (f->island == island)
            dal_axpy3(t * s->c[i], f->turn ? back : f->u, v);
        if (f->turn && (f->island == island || (f->island < 0 && f->body == b)))
            dal_axpy3(t * s->c[i], f->u, f->island < 0 ? spin : w);
    }
    size = dal_dot(w, w);
    dal_turn(kin->R, s->layout->mechanism->bodies[b].center, c);
    dal_axpy3(1, kin->r, c);
    dal_zero3(center);
    if (size > 0) { /* a screw about a line; else a shift */
        dal_add_cross(w, v, center);
        along = dal_dot(w, v) / size;
        for (int k = 0; k < 3; k++) {
            center[k] /= size;
            v[k] = along * w[k];
        }
    }
    find_turn_matrix(w, turn);
    find_turn_matrix(spin, own);
    dal_mul33(turn, kin->R, rest);
    dal_mul33(rest, own, R);
    dal_sub3(c, center, c);
    dal_mul3(turn, c, r);
    dal_axpy3(1, center, r);
    dal_axpy3(1, v, r); /* the centre of mass */
    dal_turn(R, s->layout->mechanism->bodies[b].center, c);
    dal_sub3(r, c, r);
}

static void carry_bodies(dal_steady_search *s, double t, double *q)
{
    const int bodies = s->fields.n_bodies;
    dal_work *work = dal_work_of(s->state);
    double *r = DAL_NEW(&s->arena, double, 3 * bodies + 1), *R = DAL_NEW(&s->arena, double, 9 * bodies + 1);
    for (int b = 0; b < bodies; b++)
        carry_body(s, b, t, r + 3 * b, R + 9 * b);
    if (s->layout->family->shares) { /* all bodies, from their frames */
        for (int b = 0; b < bodies; b++) {
            dal_copy3(r + 3 * b, work->kin[b].r);
            memcpy(work->kin[b].R, R + 9 * b, sizeof work->kin[b].R);
        }
        s->layout->family->place(s->layout, work, -1, NULL, NULL);
    } else
        for (int b = 0; b < bodies; b++)
            s->layout->family->place(s->layout, work, b, r + 3 * b, R + 9 * b);
    memcpy(q, work->q, sizeof *q * (size_t)s->layout->nq);
}

/* The model's own coordinates cannot be found from the frames of the bodies: q' = V(q) c, by Runge and Kutta's method of fourth order. The position
 * after a time t, in `angle` radians. */
static dal_status flow_along(dal_steady_search *s, double t, double angle, double *q)
{
    enum { A_RADIAN = 50 };
    static const double ahead[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const int steps = (int)ceil(A_RADIAN * angle);
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *v = DAL_NEW(&s->arena, double, s->nv + 1), *sum = DAL_NEW(&s->arena, double, s->nv + 1);
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *at = DAL_NEW(&s->arena, double, s->layout->nq + 1);
    dal_kept_rows loose;
    for (int i = 0; i < steps; i++) {
        memset(sum, 0, sizeof *sum * (size_t)s->nv);
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < s->nv; k++)
                dq[k] = ahead[stage] * t / steps * v[k];
            memcpy(at, q, sizeof *at * (size_t)s->layout->nq);
            s->layout->family->add(s->layout, at, dq);
            const dal_status status = dal_steady_span(s, at, zero, s->z, false, &loose);
            if (status != DAL_OK)
                return status;
            dal_steady_velocities(s, &loose, s->c, v);
            for (int k = 0; k < s->nv; k++)
                sum[k] += weight[stage] * t / steps * v[k];
        }
        s->layout->family->add(s->layout, q, sum);
    }
    return DAL_OK;
}

/* The size of F at the present place, which is q, with T and multipliers of this place; of the rows that the fields do not meet by themselves (drives,
 * rows of velocities), over the speed of the motion. */
static dal_status find_size_here(dal_steady_search *s, double *q, double *size, double *slip)
{
    double *f = DAL_NEW(&s->arena, double, s->nv + 1), *v = DAL_NEW(&s->arena, double, s->nv + 1), *along = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_kept_rows loose;
    dal_status status = dal_steady_span(s, q, v, s->z, true, &loose);
    if (status != DAL_OK)
        return status;
    dal_steady_velocities(s, &loose, s->c, v);
    if ((status = dal_steady_open(s, q, v, s->z, false)) != DAL_OK)
        return status;
    dal_steady_forces(s, s->c, f);
    dal_kept_project(&s->point, &s->point.velocities, f, along);
    *size = fmax(*size, dal_norm(along, s->point.velocities.p));
    const dal_units *units = &s->layout->units;
    const double *phid = dal_seen_work(s->state)->phid;
    double speed = 0;
    for (int k = 0; k < s->nv; k++)
        speed = fmax(speed, fabs(v[k]) * units->column_scale[k]);
    for (int i = 0; i < s->layout->n_rows; i++)
        if (s->driven[i] && fabs(phid[i]) * units->length > *slip * speed * units->row_unit[i])
            *slip = fabs(phid[i]) * units->length / (speed * units->row_unit[i]);
    return DAL_OK;
}

dal_status dal_steady_further(dal_steady_search *s, double *size, double *slip)
{
    static const double turns[] = {0.9, 2.3, 7.7}; /* how far, in radians of the fastest body: steps one after the other */
    double *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), rate = 1 / s->layout->units.time;
    const size_t charts = 3 * (size_t)s->layout->mechanism->n_bodies;
    int *chart = DAL_NEW(&s->arena, int, charts + 1);
    dal_status status = DAL_OK;
    *size = *slip = 0;
    memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
    memcpy(chart, dal_seen_work(s->state)->chart, sizeof *chart * charts);
    for (int b = 0; b < s->fields.n_bodies; b++)
        rate = fmax(rate, sqrt(dal_dot(dal_seen_work(s->state)->kin[b].w, dal_seen_work(s->state)->kin[b].w)));
    for (int i = 0; i < 3 && status == DAL_OK; i++) {
        if (s->layout->family->place)
            carry_bodies(s, turns[i] / rate, q);
        else
            status = flow_along(s, turns[i] / rate, turns[i], q);
        if (status == DAL_OK)
            status = find_size_here(s, q, size, slip);
    }
    memcpy(dal_work_of(s->state)->chart, chart, sizeof *chart * charts);
    return status;
}

void dal_steady_frames(dal_steady_search *s, dal_steady_motion *out)
{
    out->frames = DAL_NEW(s->keep, dal_frame, s->fields.n_bodies + 1);
    for (int b = 0; b < s->fields.n_bodies; b++) {
        dal_frame *frame = &out->frames[b];
        double shift[3] = {0, 0, 0}, size;
        const int island = dal_island(dal_system_acting(dal_system_of(s->state))->islands.of_body, b);
        for (int i = 0; i < s->fields.n; i++) {
            const dal_field *f = &s->fields.list[i];
            if (f->island != island)
                continue;
            double back[3] = {0, 0, 0};
            dal_add_cross(f->p, f->u, back); /* velocity of the origin: u x (0 - p) */
            if (f->turn)
                dal_axpy3(s->c[i], f->u, frame->w);
            dal_axpy3(s->c[i], f->turn ? back : f->u, shift);
        }
        size = sqrt(dal_dot(frame->w, frame->w));
        for (int k = 0; k < 3; k++)
            if (size * s->layout->units.time > 1e-9 && fabs(frame->w[k]) > (1 - 1e-12) * size) {
                frame->turns = true;
                frame->axis = k;
                frame->rate = frame->w[k];
                dal_add_cross(frame->w, shift, frame->center);
                for (int i = 0; i < 3; i++)
                    frame->center[i] /= size * size;
            }
    }
}
