/* Start values of bodies as they are written, in symbols. */
#ifndef DAL_DERIVE_WRITTEN_START_H
#define DAL_DERIVE_WRITTEN_START_H

#include "derive/nodes.h"

/* World axes. What is not written is the unit attitude, or zero. */
typedef struct dal_written_start {
    bool placed, turned;          /* r, R are known */
    bool place_fixed, turn_fixed; /* and assembly keeps them */
    bool moves, spins;            /* r', w are known */
    bool motion_fixed, spin_fixed;
    dal_node r[3], R[9], rd[3], w[3];
} dal_written_start;

/* Also places that follow from the start of a joint. Motions relative to a body that carries an included model are not written here. */
void dal_write_start(dal_derivation *d, int body, dal_written_start *out);

#endif
