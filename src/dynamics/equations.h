/* The output of a formulation's `show`: blocks, their places in K x = b, and the unknowns.
 *
 * `show` runs once, after a successful solve at the same state, outside of the step loop: it may take memory (everything
 * below does, and does not return without it) and may use the scratch of the state, but leaves q, v, M, h, Q, A, gamma, v' and
 * lambda alone. It adds exactly the system that the formulation solves; the test solves K x = b again and compares with v'.
 */
#ifndef DAL_DYNAMICS_EQUATIONS_H
#define DAL_DYNAMICS_EQUATIONS_H

#include "dalembert/equations.h"
#include "state/evaluate.h"

/* Names of the rows or columns of a block. */
typedef struct dal_names {
    int n;
    const char *const *name;
} dal_names;

/* "rod.angle'", "rod.angle''"; the k independent rows, "hinge 1"; the others; of formulations with a basis the speeds
 * "u1 = rod.angle'" and their rates. */
dal_names dal_names_velocities(dal_equations *equations, const dal_state *state);
dal_names dal_names_accelerations(dal_equations *equations, const dal_state *state);
dal_names dal_names_rows(dal_equations *equations, const dal_state *state);
dal_names dal_names_dependent(dal_equations *equations, const dal_state *state);
dal_names dal_names_speeds(dal_equations *equations, const dal_state *state);
dal_names dal_names_speed_rates(dal_equations *equations, const dal_state *state);
/* w_x, w_y, w_z, v_x, v_y, v_z of a body; planar: w, v_x, v_y. */
dal_names dal_names_twist(dal_equations *equations, const dal_state *state);
/* One row of the constraints: "hinge 1", "hinge" where it has one row, "hinge drive"; "rod unit length", "rod orthonormal 3". */
void dal_row_name(const dal_state *state, int i, char *buffer, size_t size);
/* A part of a list: `n` of its names, those numbered `which`. */
dal_names dal_names_part(dal_equations *equations, dal_names names, int n, const int *which);
/* Two lists, one after the other. */
dal_names dal_names_join(dal_equations *equations, dal_names first, dal_names second);

/* The equation in words of the blocks, and where it comes from. */
void dal_show_equation(dal_equations *equations, const char *equation, const char *source);

/* Adds a block of zeros and returns its values for filling in. Its number is equations->n_blocks - 1 afterwards. */
double *dal_show_matrix(dal_equations *equations, const char *name, const char *title, dal_names rows, dal_names columns);
double *dal_show_vector(dal_equations *equations, const char *name, const char *title, dal_names rows);

/* The last block stands in K at (row, column): times factor, and transposed if asked. */
void dal_show_place(dal_equations *equations, int row, int column, bool transposed, double factor);
/* The last block stands in b at `row`. */
void dal_show_right(dal_equations *equations, int row);
/* The unknowns x of K x = b, in the order of its columns; may be called again for those that follow. */
void dal_show_unknowns(dal_equations *equations, dal_names names, const double *values);
/* The multipliers of the independent rows as unknowns that follow, with the sign "-" or "". */
void dal_show_multipliers(dal_equations *equations, const dal_state *state, const char *sign);

/* Blocks that many have: M; Q - h; A and gamma of the independent rows, then those of the dependent ones, if there are any. They
 * return the number of the block, so that its values can be read. */
int dal_show_mass(dal_equations *equations, const dal_state *state);
int dal_show_force(dal_equations *equations, const dal_state *state);
int dal_show_constraints(dal_equations *equations, const dal_state *state);
int dal_show_gamma(dal_equations *equations, const dal_state *state);
void dal_show_dependent(dal_equations *equations, const dal_state *state);

/* ---- show_speeds.c: formulations that solve for speeds, or need them ------------------ */

/* `show` of the formulations with speeds: show_speeds.c. */
void dal_show_maggi(dal_state *state, dal_equations *equations);
void dal_show_kane(dal_state *state, dal_equations *equations);
void dal_show_gibbs_appell(dal_state *state, dal_equations *equations);
void dal_show_boltzmann_hamel(dal_state *state, dal_equations *equations);
void dal_show_volterra(dal_state *state, dal_equations *equations);
void dal_show_volterra_reduced(dal_state *state, dal_equations *equations);

/* ---- for special cases ------------------------------------------------------------------- */

/* Where an earlier block stands: as dal_show_place and dal_show_right. */
void dal_show_place_of(dal_equations *equations, int block, int row, int column, bool transposed, double factor);
void dal_show_right_of(dal_equations *equations, int block, int row);
/* b gets block * times at `row`. */
void dal_show_product(dal_equations *equations, int block, int times, int row);

/* Scratch that lives as long as the equations. */
double *dal_show_scratch(dal_equations *equations, size_t n);

/* The saddle system of Lagrange's equations of the first kind, which others solve in their own way. */
void dal_lagrange_show(dal_state *state, dal_equations *equations);

#endif
