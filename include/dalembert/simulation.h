/* A simulation: a system that is stepped from outside.
 *
 *     dal_simulation *sim;
 *     dal_simulation_create(system, NULL, messages, &sim);
 *     for (int k = 1; k <= 1000; k++) {
 *         dal_simulation_set_input(sim, "torque", controller(dal_simulation_value(sim, angle)));
 *         if (dal_step(sim, k * 1e-3) != DAL_OK)
 *             break;
 *     }
 *     dal_simulation_evidence(sim, &evidence);
 *     dal_simulation_free(sim);
 *
 * dal_run is a simulation that is stepped once, to its end. One simulation belongs to one thread; any number of them may share a system. The system
 * has to live as long as its simulations. Nothing in a step takes a lock, and nothing allocates memory except SUNDIALS,
 * a sparse model whose rank is decided again, and the message about a failure.
 */
#ifndef DALEMBERT_SIMULATION_H
#define DALEMBERT_SIMULATION_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins at the start values of the system, or at options->start. The options are those of a run (`final` is not used); they may be NULL, and are
 * copied. The objects that they point to (except `start` and `resume`, which are read here) must live as long as the simulation; so must `messages`,
 * which receives all its messages. With a sink, rows are written while it is stepped, at the multiples of `every`. On failure *simulation is
 * NULL. */
DAL_API dal_status dal_simulation_create(const dal_system *system, const dal_run_options *options, dal_messages *messages,
                                         dal_simulation **simulation);
/* Frees it; NULL is accepted. Not from a callback of the same simulation. */
DAL_API void dal_simulation_free(dal_simulation *simulation);

/* Integrate to `until`, exactly: steps inside are those of the integrator, and the last one ends there. DAL_BAD_COMMAND with a message, and nothing
 * has changed: `until` is not finite, or is before the present time. Any other failure is a failure of the motion: the simulation stays at the last
 * good state and returns the same status for every further step. */
DAL_API dal_status dal_step(dal_simulation *simulation, double until);

/* Observe the motion at time t, between the accepted steps. The integrator makes as many of its own steps as it needs to reach t; the calls of
 * `reading` (time, values, state) then return the values at t. An observation does not change the motion: a simulation with a thousand observations
 * makes the steps of one dal_step to the model's `until:`. t must not be before the beginning of the present step; it may be any later time. If an
 * input is set after an observation, the step ends there. A failed observation (DAL_NUMERICAL) does not end the simulation: it is at the end of the
 * last step that was made, and can be stepped and saved. */
DAL_API dal_status dal_look(dal_simulation *simulation, double t);

/* One step of h seconds with a fixed-step integrator (rk4, rk6, ab6), for use in real time. `work` bounds the evaluations of the equations: when
 * this call has used them up, events (switches, sticking) are no longer located but act at the end of the step, and dal_evidence.late_events counts
 * them. A call makes at most `work` evaluations and those of two plain steps (a plain step: the stages of the method, and switches at both ends).
 * Instants of `control` and of sampled inputs inside the step divide it: with n of them, a call makes at most `work` evaluations and those of 2 (n +
 * 1) plain steps; use periods that are multiples of h. A row of a sink inside the step costs another step: use an `every` that is a multiple of h.
 * 0: no bound. The evidence has the times of the calls. */
DAL_API dal_status dal_step_fixed(dal_simulation *simulation, double h, long work);

/* ---- reading ------------------------------------------------------------- */

/* The present time. NAN for NULL. */
DAL_API double dal_simulation_time(const dal_simulation *simulation);
/* The system that it was made of. */
DAL_API const dal_system *dal_simulation_system(const dal_simulation *simulation);
/* The present values of the system's columns (dal_system_columns), time first: `n` of them, valid until the next call that steps or restores. NULL, with
 * a message: the present state cannot be evaluated. `n` may be NULL. */
DAL_API const double *dal_simulation_values(dal_simulation *simulation, int *n);
/* One of them, by the index of dal_system_column. NAN: there is no such column, or the state cannot be evaluated. */
DAL_API double dal_simulation_value(dal_simulation *simulation, int column);
/* The present state, evaluated: dal_state_y, dal_state_body, dal_state_reaction, dal_state_energy and the calls of tree.h may be used on it until
 * the next call that steps or restores. It belongs to the simulation and cannot be changed. NULL as above. */
DAL_API dal_state *dal_simulation_state(dal_simulation *simulation);
/* The evidence of the motion so far, as after a run that ended here, warnings included (they live until the next call of this function, or as long
 * as the simulation). Returns DAL_OK, the status of the step that failed, or DAL_NUMERICAL if the energy balance is lost. */
DAL_API dal_status dal_simulation_evidence(dal_simulation *simulation, dal_evidence *evidence);

/* ---- inputs ---------------------------------------------------------------- */

/* Set an entry of `inputs:`, by name or by the index of dal_system_input. It acts from the present time on, and is a discontinuity for the
 * integrator: the next step begins there without a history. False with a message: there is no such input, the value is not finite, or the model
 * defines the input by an expression. */
DAL_API bool dal_simulation_set_input(dal_simulation *simulation, const char *name, double value);
DAL_API bool dal_simulation_set_input_number(dal_simulation *simulation, int input, double value);
/* Its present value; NAN: there is no input of that index. */
DAL_API double dal_simulation_input(const dal_simulation *simulation, int input);

/* ---- save and restore -------------------------------------------------------- */

/* Write all data that the continuation depends on into `buffer`, as snprintf does: returns the bytes needed, a number that is constant for a
 * simulation; nothing is written if `size` is less. 0: the argument cannot be used. A restored simulation continues as the saved one did, bit for
 * bit, in this process or in another, with rk4, rk6, ab6 and dopri5. The integrators of SUNDIALS keep a history that cannot be saved: they restart
 * at that state, and dal_evidence.restored counts it. */
DAL_API size_t dal_simulation_save(const dal_simulation *simulation, void *buffer, size_t size);
/* Moves the simulation back, or forward, to a saved state of a simulation of the same model, made with the same choices and options by the same
 * version of this library. Rows that were written stay written. Any other data are DAL_BAD_FILE with a message that says what is wrong, and nothing
 * has changed. */
DAL_API dal_status dal_simulation_restore(dal_simulation *simulation, const void *blob, size_t size);

#ifdef __cplusplus
}
#endif

#endif
