/* A program along a direction of its variables, by a complex step: x + i h dx, h = 1e-30, gives f + i h df to rounding. */
#ifndef DAL_VARIATION_PROGRAM_SLOPES_H
#define DAL_VARIATION_PROGRAM_SLOPES_H

#include <stdbool.h>
#include <stddef.h>

struct dal_program;

/* Bytes of the room that the calls below need. */
size_t dal_program_slopes_room(const struct dal_program *program);
/* df: one number an output. Switches take the pieces that hold at x. 0, or the number from 1 of a table whose range was exceeded. */
int dal_program_slopes(const struct dal_program *program, const double *x, const double *dx, void *room, double *df);
/* Does the direction move a switch that is exactly between two pieces at x, or a function that is at an edge (a root of zero, an arc sine of one)? There
 * are two slopes then, or none. What the direction does not move, or only from the second order on, is no corner. */
bool dal_program_corner_along(const struct dal_program *program, const double *x, const double *dx, void *room);

#endif
