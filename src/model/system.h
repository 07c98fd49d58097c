/* A compiled model: const, one packed block, shared by threads. Parts of it that files need by themselves have their own headers;
 * outside of the step loop they are reached by model/system_parts.h. */
#ifndef DAL_MODEL_SYSTEM_H
#define DAL_MODEL_SYSTEM_H

#include "base/arena.h"
#include "base/block.h"
#include "dalembert/run.h"
#include "expr/expr.h"
#include "force/signal.h"
#include "kinematics/layout.h"
#include "model/acting.h"
#include "model/life.h"
#include "model/method.h"
#include "model/origin.h"
#include "model/saddle_slots.h"
#include "model/start_values.h"
#include "model/system_parts.h"
#include "tree/sweep.h"

struct dal_system {
    void *memory;                          /* the block that this struct lies in */
    const struct dal_owner *const *owners; /* of the parts of a state (state/state.h); ends with NULL */
    dal_allocator allocator;
    dal_life *life;
    dal_origin *origin;   /* its description; NULL: of an analysis, which varies nothing */
    const dal_spec *spec; /* the same with the values of this system */
    dal_layer *own;       /* the parts that differ from the origin; NULL: none */
    dal_mechanism mechanism;
    dal_layout layout; /* with the units */

    dal_links *links;               /* the joint tree, for recursion; NULL: another family, or bodies on particles */
    const dal_recursion *recursion; /* for this machine */
    dal_loops *loops;               /* formulation `recursive`, and layouts without columns: the rows on top of the tree; else NULL */
    dal_sweep *sweep;               /* where these can be taken branch by branch; else NULL */
    dal_program **joint_forms;      /* formulation `component`: the forms of each joint by themselves, or NULL; else NULL */

    dal_method method;
    int determined;    /* method.minimum_norm: rank [M; A] at the start; -1: not known yet */
    bool undetermined; /* compiled for evaluations only: at the start its accelerations are not determined */

    dal_acting acting;

    int n_signals; /* variables of every program below */
    dal_signal *signals;
    dal_compiled drives;  /* 3 outputs a time function: f, f', f''; reads time only */
    dal_compiled actions; /* expressions of forces, then rates of states */
    dal_compiled records; /* recorded columns */
    dal_compiled samples; /* inputs that are sampled and held: one output each */
    int n_expressions;    /* how many of the actions belong to forces */
    bool *idle;           /* of these: written as the number zero */
    int n_inputs, n_states, n_tables;
    const char **input_names, **table_names, **state_names;
    dal_text *action_texts;    /* what the actions were written as, and where */
    double *inputs, *states;   /* start values */
    int *sample_input;         /* of each sample */
    double *sample_period;     /* s */
    int n_recorded, n_columns; /* of the columns: those of files of results; with those that only pages show */
    dal_column *columns;       /* the first one is time */
    bool records_reactions;    /* a recorded column needs accelerations or reactions */

    int works;                 /* works that are states: one of each island, if non-potential forces or drives exist */
    int n_y, n_control;        /* length of y; how much of it controls the step */
    dal_start *start;          /* of each body */
    double *start_q, *start_v; /* family `user` */
    double *start_change;      /* family `user`: of each given coordinate, then of each given rate */
    double *start_winding;
    double *state_scale;           /* of each state of the model */
    int rank;                      /* at the start */
    double start_rate;             /* 1/s, of velocities, accelerations and gravity at the start, in lengths and radians */
    int *start_order;              /* rows, independent ones first */
    int n_w;                       /* what the integrator sees of the velocities */
    int *start_speeds;             /* automatic speeds: columns of v, p of them */
    const char **coordinate_names; /* of the model's own */
    const char **speed_names;
    bool plain_names;   /* see dal_spec */
    bool names_stay;    /* those of bodies and joints are in its spec, and are not copied */
    bool columns_stay;  /* the list and its names are those of the origin */
    unsigned conserved; /* bits 0..2 linear, 3..5 angular (about the centre of mass) of the whole model */
    dal_system_info info;
    const dal_arena *said; /* what the warnings lie in */
    int n_warnings;
    const dal_message *const *warnings; /* about the model: of its text, then of compile */
    dal_saddle_slots slots;             /* where the saddle matrix is sparse */
    dal_saddle_order order;             /* where it is small and its order is known */
};

#endif
