/* The kinetic energy of each body, m |c'|^2 / 2 + w . I w / 2, in six parts: shifts along and turns about the axes of the world. A body whose energy
 * is mostly one of them is called after it. Coordinates of sub-systems (kinematics/subsystems.h) have v_k (M v)_k / 2, which add up to v . M v / 2. */
#include "start/shares.h"

#include "kinematics/subsystems.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mostly = 0.75; /* of a body's energy */
static const double listed = 0.01; /* of the whole */

void dal_spin_of(const double R[9], const double Rd[9], double w[3])
{
    double S[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = Rd[3 * i] * R[3 * j] + Rd[3 * i + 1] * R[3 * j + 1] + Rd[3 * i + 2] * R[3 * j + 2];
    w[0] = 0.5 * (S[7] - S[5]);
    w[1] = 0.5 * (S[2] - S[6]);
    w[2] = 0.5 * (S[3] - S[1]);
}

static void add_energies(dal_point *x, const double *v, dal_tangent *tangent, double *energy)
{
    const dal_layout *layout = x->layout;
    const dal_mechanism *m = layout->mechanism;
    dal_work *work = dal_work_of(x->state);
    layout->family->tangent(layout, work, &(dal_direction){v, 0, tangent});
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body *body = &m->bodies[b];
        double c[3], w[3] = {0, 0, 0}, I[9], H[3];
        dal_turn(tangent[b].Rd, body->center, c);
        dal_axpy3(1, tangent[b].rd, c);
        if (!body->particle)
            dal_spin_of(work->kin[b].R, tangent[b].Rd, w);
        dal_turn_inertia(work->kin[b].R, body->inertia, I);
        dal_mul3(I, w, H);
        for (int k = 0; k < 3; k++) {
            energy[6 * b + k] += body->mass * c[k] * c[k];
            energy[6 * b + 3 + k] += w[k] * H[k];
        }
    }
}

/* Of the coordinates of the model's own: what sub-systems have. */
static void add_system_energies(dal_point *x, const double *v, double *energy)
{
    const dal_layout *layout = x->layout;
    double *momentum = DAL_NEW(x->arena, double, layout->nv + 1);
    dal_subsystems_mass(layout, dal_work_of(x->state), v, momentum);
    for (int k = 0; layout->systems && k < layout->mechanism->n_coordinates; k++)
        energy[k] += v[layout->own_v + k] * momentum[layout->own_v + k];
}

static int by_share(const void *a, const void *b)
{
    const dal_mode_share *first = a, *second = b;
    const double x = round(1e6 * first->share), y = round(1e6 * second->share); /* those alike by name, whatever rounding says */
    return x < y ? 1 : x > y ? -1 : strcmp(first->part, second->part);
}

static const char *name_part(dal_point *x, const dal_mechanism *m, int b, const double *energy, double total)
{
    static const char *const ways[6] = {"along x", "along y", "along z", "about x", "about y", "about z"};
    for (int k = 0; k < 6; k++)
        if (energy[k] >= mostly * total)
            return dal_arena_print(x->arena, "%s %s", m->bodies[b].name, k == 5 && m->space == DAL_PLANAR ? "turning" : ways[k]);
    return dal_arena_print(x->arena, "%s", m->bodies[b].name);
}

int dal_find_shares(dal_point *x, const double *re, const double *im, const dal_mode_share **shares)
{
    const dal_mechanism *m = x->layout->mechanism;
    dal_tangent *tangent = DAL_NEW(x->arena, dal_tangent, m->n_bodies + 1);
    double *energy = DAL_NEW(x->arena, double, 6 * m->n_bodies + m->n_coordinates + 1), *of_systems = energy + 6 * m->n_bodies, sum = 0;
    dal_mode_share *list = DAL_NEW(x->arena, dal_mode_share, m->n_bodies + m->n_coordinates + 1);
    int n = 0;
    for (int k = 0; k < 2; k++)
        if (k ? im : re) {
            add_energies(x, k ? im : re, tangent, energy);
            add_system_energies(x, k ? im : re, of_systems);
        }
    for (int k = 0; k < 6 * m->n_bodies + m->n_coordinates; k++)
        sum += energy[k];
    for (int k = 0; k < m->n_coordinates && sum > 0; k++)
        if (of_systems[k] >= listed * sum)
            list[n++] = (dal_mode_share){dal_arena_print(x->arena, "%s", dal_own_coordinate(dal_system_of(x->state), k)), of_systems[k] / sum};
    for (int b = 0; b < m->n_bodies && sum > 0; b++) {
        double own = 0;
        for (int k = 0; k < 6; k++)
            own += energy[6 * b + k];
        if (own >= listed * sum)
            list[n++] = (dal_mode_share){name_part(x, m, b, energy + 6 * b, own), own / sum};
    }
    qsort(list, (size_t)n, sizeof *list, by_share);
    *shares = list;
    return n;
}
