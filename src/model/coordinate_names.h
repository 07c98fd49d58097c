/* Names of coordinates and rates in state files and results. */
#ifndef DAL_MODEL_COORDINATE_NAMES_H
#define DAL_MODEL_COORDINATE_NAMES_H

#include "base/arena.h"
#include "dalembert/evaluation.h"

enum { DAL_LABEL = 256 };

/* "x of 'crank'", "A.angle", "th1": coordinate k of q. And of velocity k of v, with a prime or as a rate. */
void dal_coordinate_name(const dal_system *system, int k, char *buffer, size_t size);
void dal_velocity_name(const dal_system *system, int k, char *buffer, size_t size);

/* The same of the model's own coordinates, as it is written there. */
const char *dal_own_coordinate(const dal_system *system, int k);
/* Speed k of the model; NULL: it names none. */
const char *dal_speed_name(const dal_system *system, int k);

/* All names of q, or of the rates, in their order; both lists end with NULL. */
typedef struct dal_labels {
    int n;
    bool rates;
    const char **label;
    const char **full; /* with the joint's coordinate also where the label is the joint's name alone */
} dal_labels;

/* The labels of all coordinates, or of all rates. Arena memory. */
dal_labels dal_make_labels(dal_arena *arena, const dal_system *system, bool rates);

/* The number of that name: the label, with or without the prime of a rate, or the name of a joint that has one coordinate, with or
 * without the coordinate's. -1: none. */
int dal_find_label(const dal_labels *labels, const char *name);

#endif
