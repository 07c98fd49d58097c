/* Units for states that have none that is known: state_units.c. */
#ifndef DAL_MATH_STATE_UNITS_H
#define DAL_MATH_STATE_UNITS_H

/* A: row-major, `rows` + n by `columns` + n; the last n rows and columns belong to states, and entry (i, k) of a state k is multiplied by its unit, entry
 * (k, j) divided by it. unit: n powers of two. Rows and columns before
 * those of the states are of the size of one, or of any common size. */
void dal_state_units_balance(int rows, int columns, int n, const double *A, double *unit);

#endif
