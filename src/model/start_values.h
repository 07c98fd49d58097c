/* Where a body starts, and what assembly changed of it. */
#ifndef DAL_MODEL_START_VALUES_H
#define DAL_MODEL_START_VALUES_H

/* The change of the given start values of a body by assembly; values that were not given are free, and 0 here. */
typedef struct dal_start_change {
    double shift, turn, velocity, spin; /* m, rad, m/s, rad/s */
} dal_start_change;

typedef struct dal_start {
    double r[3], R[9], rd[3], w[3], angle; /* after assembly; angle: unwrapped, planar */
    dal_start_change change;
} dal_start;

#endif
