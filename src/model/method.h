/* How a model is solved: the choices, and their numbers. */
#ifndef DAL_MODEL_METHOD_H
#define DAL_MODEL_METHOD_H

#include "model/choices.h"

typedef struct dal_method {
    const dal_formulation *formulation;
    const dal_stabilization *stabilization;
    const dal_integrator *integrator;
    double alpha, beta; /* baumgarte, penalty */
    double penalty;     /* penalty: its factor */
    int penalty_passes; /* penalty: how often the accelerations are solved for; 0: until they stay */
    double tolerance;   /* that the model gives for projections, infinite: none (dal_projection_tolerance); penalty: of the accelerations, relative */
    double rank_tolerance;
    bool minimum_norm; /* accelerations that nothing determines: the least ones, instead of a refusal */
    int n_eta, eta;    /* and nearest to these, where it is not 0: expressions of the actions, from `eta` on, one a velocity */
    bool compliant;    /* joints give compliances: redundant reactions are distributed by them */
    double event_tolerance, max_step;
} dal_method;

#endif
