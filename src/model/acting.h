/* Forces of a model: force elements, friction, laws of joints. */
#ifndef DAL_MODEL_ACTING_H
#define DAL_MODEL_ACTING_H

#include "dynamics/friction.h"
#include "force/force.h"

/* A force or a drive, for channels and messages. */
typedef struct dal_force_name {
    const char *name;
    int measure; /* or -1 */
    bool along;  /* its scalar force acts along the measure */
    bool vector; /* its scalar force is the length of a vector */
    double zero; /* what its channel .length adds to the measure */
} dal_force_name;

/* A force along a measure that belongs to a joint: `non-ideal:`. */
typedef struct dal_law {
    int joint, measure, expression;
} dal_law;

typedef struct dal_acting {
    double gravity[3];
    int n_laws, n_frictions, n_groups, n_forces;
    dal_law *laws;
    dal_friction *frictions;
    dal_force_group *groups;
    dal_force_name *forces;
    dal_islands islands;
} dal_acting;

#ifndef DAL_SCALAR_VARIANT
/* Does nothing but uniform gravity act? */
static inline bool dal_weight_acts_alone(const dal_acting *acting)
{
    for (int g = 0; g < acting->n_groups; g++)
        if (!dal_force_types[acting->groups[g].type]->weight)
            return false;
    return !acting->n_laws && !acting->n_frictions;
}
#endif

#endif
