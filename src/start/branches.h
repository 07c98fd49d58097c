/* Other positions in which a mechanism closes: branches.c finds them and takes the one that the model asks for, start_moved.c reports them. */
#ifndef DAL_START_BRANCHES_H
#define DAL_START_BRANCHES_H

#include "start/assembly.h"

#include <stdint.h>

enum { DAL_MOST_BRANCHES = 8 };

typedef struct dal_position {
    double *q, distance; /* distance: weighted square of the way back to what was given */
    bool same_curve;     /* a motion of the mechanism leads from it to the first one: it is no other branch. Set by dal_branches_sort */
    bool apart;          /* and it leads away from what is given, before it comes nearer again */
} dal_position;

typedef struct dal_branches {
    dal_assembly *a;
    int rows, n, enough;                   /* enough: solutions after which the search ends */
    dal_position found[DAL_MOST_BRANCHES]; /* the first is where assembly ended */
    uint64_t seed;
    double *now; /* q and frames of bodies, while another position is examined */
    dal_kin *kin;
} dal_branches;

static const double dal_apart = 1e-2; /* rad, or lengths of the model: positions that differ by less are one */

/* Searches from the result of assembly, and returns to it; `products`: the maximum cost. False: the model is too large. */
bool dal_branches_find(dal_branches *branches, dal_assembly *assembly, int rows, double products);
/* Which of them the mechanism reaches by a motion. */
void dal_branches_sort(dal_branches *branches);
/* The assembly at this position, all rows evaluated. */
void dal_branches_go(dal_assembly *assembly, const double *q);

#endif
