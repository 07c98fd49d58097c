/* The rules of assembly as functions of the letters of a derivation: their equations are met by the start of a model for every value of its parameters. */
#ifndef DAL_ANALYSIS_START_RULES_H
#define DAL_ANALYSIS_START_RULES_H

#include "analysis/parameter_equations.h"
#include "derive/derive.h"

/* Of places, or of rates: numbers of the outputs of the program. */
typedef struct dal_start_level {
    int n_known, n_exact, n_soft;
    int known;         /* n_known: written values, and coordinates of joints */
    bool *shift;       /* of these: a length, not an angle */
    bool *stays;       /* no value is written: it may be a constant */
    int exact;         /* n_exact x nv: gradients of what holds exactly */
    int soft;          /* n_soft: by how much what is given is missed */
    bool *far;         /* of these: a length */
    int weight;        /* n_soft */
    int gradient;      /* n_soft x nv */
    int balance;       /* nv: the gradient of the weighted squares, with multipliers of what is exact */
    bool balances;     /* there is something in it */
    int energy;        /* nv: the gradient of the kinetic energy, with multipliers of both; of rates alone */
    int mu, nu, kappa; /* letters of these: exact in `balance`; exact and soft in `energy` */
} dal_start_level;

typedef struct dal_start_rules {
    dal_derivation *d;
    int n;
    size_t capacity;
    dal_node *node; /* the outputs */
    dal_program *program;
    dal_start_level places, rates;
    bool settled; /* an equilibrium: `balance` of places is that of the forces, with v' = 0 and multipliers of their own */
    int states;   /* one each: by how much it is not as written */
} dal_start_rules;

/* NULL: they are not written in symbols. */
dal_start_rules *dal_start_rules_write(dal_arena *arena, dal_derivation *d);

/* Letters at the start of the model and at those of the models that prove it, and the direction of p at the first. */
enum { DAL_RULE_POINTS = 3 };
typedef struct dal_rule_points {
    dal_start_rules *rules;
    double p[DAL_RULE_POINTS], *letters[DAL_RULE_POINTS], *along;
} dal_rule_points;
/* parameter_symbols.c, after a success of dal_parameter_symbols at a start; false: there are none. The models are those that prove the symbols, or nearer
 * ones: assembly may end before it is at the nearest place. */
bool dal_parameter_rules(dal_parameter_equations *start, bool nearer, dal_rule_points *out);

/* Equations for slopes: row . x = b, with x of nv entries. */
typedef struct dal_start_equations {
    int n;
    double *row, *b;
} dal_start_equations;

/* At the start of the model, and at those of the models that prove it. */
typedef struct dal_start_proof dal_start_proof;
/* `start`: with df/dp known there; N: nq x nv of q' = N v. NULL: the rules are not those of the model; start->why is the
 * reason. */
dal_start_proof *dal_start_proof_open(dal_parameter_equations *start, const double *N, bool nearer);
/* Equations for dq, and for dv when dq is known. `known`: numbers that stay what is written give equations, too. */
dal_start_equations dal_start_of_places(dal_start_proof *proof, bool known);
dal_start_equations dal_start_of_rates(dal_start_proof *proof, const double *dq, bool known);
/* Does the start move to a corner of a rule, by p with its dq and dv? It has two derivatives there. NULL: by p alone. */
bool dal_start_at_corner(dal_start_proof *proof, const double *dq, const double *dv);
/* dz; false: a state does not start at what is written. */
bool dal_start_of_states(dal_start_proof *proof, double *dz);

#endif
