/* Shared by the families whose bodies have coordinates of their own: first the position r, then the attitude. A family supplies the functions for the
 * attitude of one body; the loops over the bodies are here, inlined into the family's functions. A particle has no attitude: it keeps the identity
 * that its frame was laid out with.
 */
#ifndef DAL_KINEMATICS_OWN_COLUMNS_H
#define DAL_KINEMATICS_OWN_COLUMNS_H

#include "kinematics/family.h"
#include "math/vec.h"

/* r = q; `attitude` fills R and J of a body from its other coordinates p, read in its chart. */
static inline void dal_own_positions(const dal_layout *layout, dal_work *work,
                                     void (*attitude)(int space, const int *chart, const dal_real *p, dal_kin *kin))
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_real *q = work->q + layout->body[b].q;
        dal_kin *kin = &work->kin[b];
        for (int i = 0; i < space; i++)
            kin->r[i] = q[i];
        if (layout->body[b].n_rot)
            attitude(space, work->chart + 3 * b, q + space, kin);
    }
}

/* r' = v; `spin` fills w and its bias of a body from its other velocities p'; then R' and its bias. */
static inline void dal_own_velocities(const dal_layout *layout, dal_work *work,
                                      void (*spin)(int space, const dal_real *p, const dal_real *pd, dal_kin *kin))
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *v = work->v + at->v;
        dal_kin *kin = &work->kin[b];
        for (int i = 0; i < space; i++)
            kin->rd[i] = v[i];
        if (!at->n_rot)
            continue;
        spin(space, work->q + at->q + space, v + space, kin);
        (space == DAL_PLANAR ? dal_planar_bias : dal_orthonormal_bias)(kin);
    }
}

/* r is linear in q; `turn` adds D_a [w of b] of a body to out->wb, from the directions x and y of its attitude; NULL: none. */
static inline void dal_own_bends(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out,
                                 void (*turn)(const dal_layout *layout, const dal_work *work, int body, const dal_real *x, const dal_real *y,
                                              const dal_tangent *tangent_b, dal_real wb[3]))
{
    const int space = (int)layout->mechanism->space;
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        const int attitude = layout->body[i].v + space;
        dal_zero3(out[i].rb);
        dal_zero3(out[i].wb);
        if (turn && layout->body[i].n_rot)
            turn(layout, work, i, a->a + attitude, b->a + attitude, &b->tangent[i], out[i].wb);
        dal_orthonormal_bend(&work->kin[i], &a->tangent[i], &b->tangent[i], &out[i]);
    }
}

/* R of a turn about z by an angle; the other entries stay as they are. */
static inline void dal_planar_rotation(dal_real angle, dal_real R[9])
{
    const dal_real c = dal_cos(angle), s = dal_sin(angle);
    R[0] = R[4] = c;
    R[1] = -s;
    R[3] = s;
}

#ifndef DAL_SCALAR_VARIANT

/* q or v of a body begins with r or r'. Returns where the attitude's numbers follow; NULL for a particle. */
static inline double *dal_place_point(const dal_layout *layout, int body, const double r[3], double *first)
{
    const int space = (int)layout->mechanism->space;
    for (int i = 0; i < space; i++)
        first[i] = r[i];
    return layout->body[body].n_rot ? first + space : NULL;
}

/* r, and in the plane the angle of a body. Returns where the numbers of its attitude in space go; NULL: there are none. */
static inline double *dal_place_turn(const dal_layout *layout, dal_work *work, int body, const double r[3], const double R[9])
{
    double *attitude = dal_place_point(layout, body, r, work->q + layout->body[body].q);
    if (!attitude || layout->mechanism->space == DAL_SPATIAL)
        return attitude;
    attitude[0] = atan2(R[3], R[0]);
    return NULL;
}

#endif

/* For the tables of these families. */
#define DAL_FAMILY_OWN_COLUMNS(count_, position_, velocity_, bend_, rates_)                                                                          \
    .count = count_, DAL_FAMILY_MOTION(position_, velocity_, dal_plain_tangent, bend_),                                                              \
    DAL_FAMILY_INERTIA(dal_orthonormal_inertia, dal_orthonormal_pull, rates_)

#endif
