/* Sub-systems whose equations are known: they have a mass matrix and forces in coordinates of the model's own, beside the bodies.
 *
 * With q the coordinates of a system and v their rates, M v' + h = Q and
 *   T = 1/2 v.M v + N.v          M(q, t), N(q, t); terms of T without v belong to the potential
 *   p = dT/dv = M v + N
 *   p' = M' v + N'               for v' = 0; M' = sum of dM/dq_k v_k + dM/dt, and N' in the same way
 *   h = p' - dT/dq
 * Of a system without T only M is known, and h = 0: its force contains the terms of h. All are functions of the coordinates, their rates and time,
 * by exact derivatives (compile/systems.c). Forces are expressions like all others (force/subsystem_force.c).
 *
 * Functions here add to their output arrays, of length nv. They do nothing where layout->systems is NULL.
 */
#ifndef DAL_KINEMATICS_SUBSYSTEMS_H
#define DAL_KINEMATICS_SUBSYSTEMS_H

#include "base/block.h"
#include "kinematics/family.h"

typedef struct dal_subsystem {
    int n, column; /* coordinates, and where their list begins in `coordinate` */
    int place;     /* first output of `place`: the lower triangle of M by rows; behind it, where T is known, N */
    int motion;    /* first output of `motion`, where T is known: the lower triangle of M', N', dT/dq */
    int skew;      /* first output of `skew`, where T is known: the lower triangle of C below its diagonal, less that of M'/2 */
    bool energy;   /* T is known */
    dal_mark mark; /* for messages while the model is compiled */
    const char *name;
} dal_subsystem;

struct dal_subsystems {
    int n, n_coordinates, n_needs, n_variables;
    dal_subsystem *system;
    int *coordinate; /* ascending in each system: numbers of coordinates of the model's own */
    int *need;       /* three each: a variable of the programs, the coordinate (-1: time), 0 it or 1 its rate */
    dal_program *place, *motion;
    dal_program *skew; /* for the Coriolis matrix only */
};

/* Number of entries of the lower triangle of an n x n matrix. */
static inline int dal_triangle(int n)
{
    return n * (n + 1) / 2;
}

/* Does every sub-system have a kinetic energy? */
static inline bool dal_subsystems_have_energy(const dal_subsystems *systems)
{
    for (int i = 0; systems && i < systems->n; i++)
        if (!systems->system[i].energy)
            return false;
    return true;
}

#define dal_subsystems_position DAL_K(dal_subsystems_position)
#define dal_subsystems_velocity DAL_K(dal_subsystems_velocity)
#define dal_subsystems_inertia DAL_K(dal_subsystems_inertia)
#define dal_subsystems_mass DAL_K(dal_subsystems_mass)
#define dal_subsystems_mass_rate DAL_K(dal_subsystems_mass_rate)
#define dal_subsystems_free DAL_K(dal_subsystems_free)
#define dal_subsystems_free_rate DAL_K(dal_subsystems_free_rate)
#define dal_subsystems_momentum DAL_K(dal_subsystems_momentum)
#define dal_subsystems_momentum_rate DAL_K(dal_subsystems_momentum_rate)
#define dal_subsystems_slope DAL_K(dal_subsystems_slope)
#define dal_subsystems_kinetic DAL_K(dal_subsystems_kinetic)
/* M and N at the present q and t; M', N' and dT/dq at the present v. Called with the rows (rows.c). */
void dal_subsystems_position(const dal_layout *layout, dal_work *work);
void dal_subsystems_velocity(const dal_layout *layout, dal_work *work);
/* Into the blocks of work->M and into work->h. */
void dal_subsystems_inertia(const dal_layout *layout, dal_work *work);
void dal_subsystems_mass(const dal_layout *layout, const dal_work *work, const dal_real *x, dal_real *out);      /* M x */
void dal_subsystems_mass_rate(const dal_layout *layout, const dal_work *work, const dal_real *x, dal_real *out); /* M' x */
void dal_subsystems_free(const dal_layout *layout, const dal_work *work, dal_real *out);                         /* N */
void dal_subsystems_free_rate(const dal_layout *layout, const dal_work *work, dal_real *out);                    /* N' */
void dal_subsystems_momentum(const dal_layout *layout, const dal_work *work, dal_real *out);                     /* p */
void dal_subsystems_momentum_rate(const dal_layout *layout, const dal_work *work, dal_real *out);                /* p' for v' = 0 */
void dal_subsystems_slope(const dal_layout *layout, const dal_work *work, dal_real *out);                        /* dT/dq */
/* The sum of 1/2 v.M v, with which T + V is the conserved energy; NaN if a system has no T. */
dal_real dal_subsystems_kinetic(const dal_layout *layout, const dal_work *work);

#ifndef DAL_SCALAR_VARIANT
/* The number of a system whose mass matrix is indefinite now, -1: none is; *where: a coordinate of a negative direction. After position. */
int dal_subsystems_indefinite(const dal_layout *layout, dal_work *work, int *where);
/* C += the Coriolis matrix, nv x nv by rows: C v = h where time does not enter, and M' - 2 C is skew:
 *   C_ij = 1/2 M'_ij + 1/2 (d(M v)_i/dq_j - d(M v)_j/dq_i) + dN_i/dq_j - dN_j/dq_i */
void dal_subsystems_coriolis(const dal_layout *layout, dal_work *work, double *C);
/* Row `column` of M is added to row; N of it is returned. */
double dal_subsystems_row(const dal_layout *layout, const dal_work *work, int column, double *row);
/* dT/dv of a column is added to *momentum, and the absolute values of its terms to *size. */
void dal_subsystems_momentum_of(const dal_layout *layout, const dal_work *work, int column, double *momentum, double *size);
dal_subsystems *dal_subsystems_pack(dal_block *block, const dal_subsystems *from);
#endif

#endif
