/* The matrices of the formulations that solve for speeds, as they left them in the basis (speeds.h): W, the bias, K u' = f.
 *     v' = W u' + bias
 */
#include "dynamics/equations.h"
#include "dynamics/speeds.h"
#include "state/state_parts.h"

#include <stdio.h>
#include <string.h>

static void show_basis(dal_state *state, dal_equations *equations)
{
    const dal_speeds *s = dal_speeds_of(state)->basis;
    double *W = dal_show_matrix(equations, "W", "the velocities of a unit of each speed: v = W u + X", dal_names_velocities(equations, state),
                                dal_names_speeds(equations, state));
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->p; j++)
            W[(size_t)i * (size_t)s->p + (size_t)j] = s->W[(size_t)j * (size_t)s->n + (size_t)i];
}

static void show_bias(dal_state *state, dal_equations *equations)
{
    const dal_speed_choice *speeds = dal_speeds_of(state);
    double *bias = dal_show_vector(equations, "bias", "the accelerations for u' = 0: v' = W u' + bias", dal_names_accelerations(equations, state));
    memcpy(bias, speeds->basis->bias, sizeof *bias * (size_t)speeds->basis->n);
}

/* The momenta are rows of S between Y and A. */
static void show_momenta(dal_state *state, dal_equations *equations)
{
    const dal_speeds *s = dal_speeds_of(state)->basis;
    const dal_names v = dal_names_velocities(equations, state);
    const dal_names rows = dal_names_part(equations, v, s->s, dal_layout_of(state)->ignorable);
    double *E = dal_show_matrix(equations, "M'", "rows of M of the ignorable coordinates: their momenta are constant, M' v = G - N_2 (25)", rows, v);
    memcpy(E, s->E, sizeof *E * (size_t)s->s * (size_t)s->n);
    memcpy(dal_show_vector(equations, "G - N_2", "these momenta, less what is there for v = 0", rows), s->e, sizeof *s->e * (size_t)s->s);
}

static void begin_equations(dal_state *state, dal_equations *equations, const char *equation, const char *title)
{
    dal_show_equation(equations, equation, title);
    if (dal_speeds_of(state)->basis->s)
        show_momenta(state, equations);
    show_basis(state, equations);
    show_bias(state, equations);
}

/* K u' = f: K is symmetric, and only its lower triangle is stored. */
static void show_system(dal_state *state, dal_equations *equations, const char *K_name, const char *K_title, const char *f_name, const char *f_title)
{
    const dal_speeds *s = dal_speeds_of(state)->basis;
    const size_t p = (size_t)s->p;
    const dal_names speeds = dal_names_speeds(equations, state);
    double *K = dal_show_matrix(equations, K_name, K_title, speeds, speeds);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            K[i * p + j] = s->K[i > j ? i * p + j : j * p + i];
    dal_show_place(equations, 0, 0, false, 1);
    memcpy(dal_show_vector(equations, f_name, f_title, speeds), s->f, sizeof *s->f * p);
    dal_show_right(equations, 0);
    dal_show_unknowns(equations, dal_names_speed_rates(equations, state), dal_speeds_of(state)->wd);
}

/* ---- maggi -------------------------------------------------------------------------- */

/* [W^T M; A_k] v' = [W^T (Q - h); gamma_k], without the scaling of its factorisation. */
void dal_show_maggi(dal_state *state, dal_equations *equations)
{
    const dal_speeds *s = dal_speeds_of(state)->basis;
    const dal_names speeds = dal_names_speeds(equations, state);
    dal_show_equation(equations, "[W^T M; A] v' = [W^T (Q - h); gamma]", "Maggi's equations");
    dal_show_mass(equations, state);
    const double *force = equations->blocks[dal_show_force(equations, state)].values;
    show_basis(state, equations);
    double *WM = dal_show_matrix(equations, "W^T M", "Lagrange's equations on the motions that the constraints leave free", speeds,
                                 dal_names_velocities(equations, state));
    for (int j = 0; j < s->p; j++)
        dal_mass_times(dal_layout_of(state), dal_work_of(state)->M, s->W + (size_t)j * (size_t)s->n, WM + (size_t)j * (size_t)s->n);
    dal_show_place(equations, 0, 0, false, 1);
    double *right = dal_show_vector(equations, "W^T (Q - h)", "their right side", speeds);
    for (int j = 0; j < s->p; j++)
        for (int i = 0; i < s->n; i++)
            right[j] += s->W[(size_t)j * (size_t)s->n + (size_t)i] * force[i];
    dal_show_right(equations, 0);
    dal_show_constraints(equations, state);
    dal_show_place(equations, s->p, 0, false, 1);
    dal_show_gamma(equations, state);
    dal_show_right(equations, s->p);
    dal_show_dependent(equations, state);
    dal_show_unknowns(equations, dal_names_accelerations(equations, state), dal_rates_of(state));
}

/* ---- kane ----------------------------------------------------------------------------- */

/* Ti: partial angular velocities in body axes above partial velocities of the centre of mass in inertial ones. Planar: z, x, y. */
static void show_partials(dal_state *state, dal_equations *equations, int b)
{
    const dal_speeds *s = dal_speeds_of(state)->basis;
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    const bool planar = m->space == DAL_PLANAR;
    const size_t p = (size_t)s->p;
    double *v = dal_show_scratch(equations, 3 * p), *w = dal_show_scratch(equations, 3 * p);
    char name[200], title[300];
    snprintf(name, sizeof name, "T of %s", m->bodies[b].name);
    snprintf(title, sizeof title, "partial velocities (48) of '%s': angular%s, and of its centre of mass", m->bodies[b].name,
             planar ? "" : " in body axes");
    double *T = dal_show_matrix(equations, name, title, dal_names_twist(equations, state), dal_names_speeds(equations, state));
    dal_speeds_partials(state, b, v, w);
    for (size_t j = 0; j < p; j++) {
        double turned[3];
        dal_mulT3(dal_work_of(state)->kin[b].R, w + 3 * j, turned);
        const double spatial[6] = {turned[0], turned[1], turned[2], v[3 * j], v[3 * j + 1], v[3 * j + 2]};
        const double flat[3] = {turned[2], v[3 * j], v[3 * j + 1]};
        for (size_t i = 0; i < (planar ? 3u : 6u); i++)
            T[i * p + j] = planar ? flat[i] : spatial[i];
    }
}

void dal_show_kane(dal_state *state, dal_equations *equations)
{
    begin_equations(state, equations, "sum Ti^T (Mi dVi/dt + Wi Mi Vi) = sum Ti^T wi, or K u' = f", "`lagrange-to-kane` (50)");
    for (int b = 0; b < dal_layout_of(state)->mechanism->n_bodies; b++)
        show_partials(state, equations, b);
    show_system(state, equations, "K", "the inertia of the speeds, sum of Ti^T Mi Ti", "f",
                "generalized active and inertia forces, sum of Ti^T (wi - Mi dVi/dt - Wi Mi Vi) for u' = 0");
}

/* ---- the others --------------------------------------------------------------------------- */

void dal_show_gibbs_appell(dal_state *state, dal_equations *equations)
{
    begin_equations(state, equations, "dG/du' = U, or K u' = f", "Gibbs and Appell, G the energy of acceleration");
    show_system(state, equations, "K", "second derivatives of the energy of acceleration G by u'", "f",
                "the applied forces U less dG/du' for u' = 0");
}

void dal_show_boltzmann_hamel(dal_state *state, dal_equations *equations)
{
    begin_equations(state, equations, "d/dt (dT*/du) - D T* - Gamma^T dT/dv = U, or K u' = f", "Boltzmann and Hamel");
    show_system(state, equations, "K", "second derivatives of the kinetic energy T* by u", "f",
                "the applied forces U, with D T* and Gamma^T dT/dv, less d/dt (dT*/du) for u' = 0");
}

void dal_show_volterra(dal_state *state, dal_equations *equations)
{
    begin_equations(state, equations, "d/dt (dT/du) - sum [P.d/dt (dv/du) + H.d/dt (dw/du)] = U, or B u' = U + K - A",
                    "`volterra-reduced` (2), (64)");
    show_system(state, equations, "B", "the inertia of the speeds, W^T M W (47)", "U + K - A",
                "applied forces, K of the partial velocities (63), A the rate of dT/du for u' = 0 (52)");
}

void dal_show_volterra_reduced(dal_state *state, dal_equations *equations)
{
    begin_equations(state, equations, "d/dt (dT/du) - sum [P.d/dt (dv/du) + H.d/dt (dw/du)] = U, or B u' = U + K - A, with M' v = G - N_2",
                    "`volterra-reduced` (41), (64), (25)");
    show_system(state, equations, "B", "the inertia of the speeds, W^T M W (47)", "U + K - A",
                "applied forces, K of the partial velocities (63), A the rate of dT/du for u' = 0 (52)");
}
