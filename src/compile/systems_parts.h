/* Common data of systems.c, which reads sub-systems, and of system_trials.c, which tests them at states. */
#ifndef DAL_COMPILE_SYSTEMS_PARTS_H
#define DAL_COMPILE_SYSTEMS_PARTS_H

#include "compile/build.h"
#include "kinematics/subsystems.h"

/* One of them while it is read. Nodes are functions of the coordinates, their rates and time. */
typedef struct dal_system_reading {
    const dal_subsystem_spec *spec;
    const char *what; /* "system 'coil'", "the Lagrangian" */
    int n, *number;   /* its coordinates, ascending */
    int *order;       /* of each: its place in the lists of the model */
    dal_node *M, *N;  /* n x n; n */
    dal_node T, V;    /* T without what does not depend on the rates; DAL_NO_NODE: not known */
    dal_node written; /* T as it was written: L, or `kinetic`; for tests */
    dal_node *F, *D;  /* of a system: its force, n; of a Lagrangian: dD/dv of every coordinate of the model */
    bool energy;
} dal_system_reading;

/* The coordinate behind a variable, or -1. */
int dal_systems_coordinate(const dal_build *build, int variable);
/* df/dv of a coordinate. */
dal_node dal_systems_by_rate(dal_build *build, dal_node f, int coordinate);

/* ---- system_trials.c ------------------------------------------------------------------------- */

/* The quantities that are tested of one system: M (n x n), M at the rates (of a Lagrangian), then T as written and as it should be. */
typedef struct dal_system_trial {
    dal_build *build;
    const dal_system_reading *r;
    dal_program *program;
    int n_outputs;
    double *variables, *registers, *out, *S;
    uint64_t seed;
    double until;
} dal_system_trial;

/* The size of each coordinate as far as the start shows it; before the trials. */
void dal_systems_find_sizes(dal_build *build);
dal_system_trial dal_systems_begin_trial(dal_build *build, const dal_system_reading *r);
/* At a distance of the order of `shift` sizes from the start; 0: the start itself. False: something is not a finite number there. */
bool dal_systems_evaluate(dal_system_trial *t, double shift);
/* All tests at all states; false with a message. */
bool dal_systems_try(dal_system_trial *t);
/* The sizes, now that the masses at the start are known: `trials` are evaluated there. */
void dal_systems_adjust_sizes(dal_build *build, int n, dal_system_trial *trials);

#endif
