/* The choices that a user has beside the family: formulations and stabilizations, each a const table in its own file. */
#ifndef DAL_MODEL_CHOICES_H
#define DAL_MODEL_CHOICES_H

#include "base/reason.h"
#include "dalembert/system.h"
#include "integrate/integrate.h"

typedef struct dal_formulation dal_formulation;
typedef struct dal_stabilization dal_stabilization;
struct dal_equations; /* dynamics/equations.h */
struct dal_more_rows; /* dynamics/speeds.h */

/* `applies` returns false with a reason if the model cannot use the choice. Compile, `list` and the tests call it. */
struct dal_formulation {
    const char *name, *title;
    bool (*applies)(const dal_system *system, dal_refusal *why); /* NULL: always */
    size_t (*work)(const dal_system *system);                    /* doubles of state->scratch->solver */
    bool multiplies;                                             /* solves for a multiplier a row, together with the accelerations */
    /* What the integrator sees instead of v: w, speeds u, or a part of v. All NULL: w = v. */
    int (*speeds)(const dal_system *system);               /* length of w */
    dal_flow (*unpack)(dal_state *state, const double *w); /* w -> work.v; positions and A are known, but A of curved rows */
    dal_flow (*pack)(dal_state *state, double *w);         /* work.v -> w; positions and A are known */
    bool ignores;                                          /* takes the momenta of ignorable coordinates for constants */
    double (*unit)(const dal_state *state, int k);         /* of w_k: lengths and radians a second that a unit of it is made of */
    bool chooses;                                          /* uses Y: speeds of the model, or a choice of its own */
    bool without_loads;                                    /* finds the rates of its speeds without M, h and Q */
    bool recursive;                                        /* works on the links of the tree: M and A are not needed */
    bool components;                                       /* works on state->network */
    bool least_norm;                                       /* computes the least acceleration if several satisfy the equations */
    bool saddle;                              /* v' and lambda are solved for together, from M and A: a stabilization may solve instead */
    const char *stabilization;                /* the default of models that name none; NULL: mass-projection */
    const struct dal_implicit_form *implicit; /* its equations for integrators that solve F(t, y, y', z) = 0; NULL: none */
    const struct dal_more_rows *more;         /* rows beside A that the velocities obey; NULL: none */
    /* From M, h, Q, A, gamma to v' and lambda; with speeds also to wd. */
    dal_flow (*solve)(dal_state *state);
    /* v' on the links of a large open tree, without M (dynamics/open_tree.h), and with speeds wd. NULL: cannot. */
    dal_flow (*on_tree)(dal_state *state);
    /* M dv - A^T dlambda = f, A dv = b on the independent rows, from the factors that solve left; adds to wd. NULL: cannot. See refine.c. */
    void (*correct)(dal_state *state, const double *f, const double *b, double *dv, double *dlambda);
    /* The matrices that it solves, for `equations`; after solve. See dynamics/equations.h. */
    void (*show)(dal_state *state, struct dal_equations *equations);
};

/* For the table of a formulation: what every one has, and those that show the integrator something else than v. */
#define DAL_FORMULATION(applies_, work_, solve_, correct_, show_)                                                                                    \
    .applies = applies_, .work = work_, .solve = solve_, .correct = correct_, .show = show_
#define DAL_FORMULATION_SPEEDS(speeds_, unpack_, pack_, unit_) .speeds = speeds_, .unpack = unpack_, .pack = pack_, .unit = unit_

/* dal_implicit of a formulation, on a state. `ready`, before a run, builds the pattern: *offered is false if the form cannot represent the model. */
typedef struct dal_implicit_form {
    dal_status (*ready)(dal_state *state, dal_implicit *form, bool *offered);
    dal_flow (*begin)(dal_state *state, double t, const double *y, double *yd, double *z);
    dal_flow (*residual)(dal_state *state, double t, const double *y, const double *yd, const double *z, double *F);
    dal_flow (*jacobian)(dal_state *state, double t, double c, const double *y, const double *yd, const double *z, double *entries);
    bool (*stale)(const dal_state *state); /* other rows count as independent than at `begin`: begin again */
} dal_implicit_form;

struct dal_stabilization {
    const char *name, *title;
    const char *const *options; /* that it may be followed by, ends with NULL; the first one may be given as a number alone. NULL: none */
    bool (*applies)(const dal_system *system, dal_refusal *why); /* NULL: always */
    bool stabilises_gamma;                                       /* baumgarte, penalty: gamma - 2 alpha phi' - beta^2 phi */
    bool mass_metric;                                            /* its corrections are the least in the metric of the masses */
    /* Puts y back on the constraints; NULL: nothing to do. */
    dal_flow (*project)(dal_state *state, double t, double *y);
    /* Accelerations and multipliers, instead of those of a formulation with `saddle`; NULL: the formulation's own. */
    dal_flow (*solve)(dal_state *state);
    size_t (*work)(const dal_system *system); /* doubles of state->scratch->projector */
};

extern const dal_formulation *const dal_formulations[];     /* dynamics/formulations.c; ends with NULL */
extern const dal_formulation dal_lagrange;                  /* the first of them, which goes with every layout that has columns */
extern const dal_stabilization *const dal_stabilizations[]; /* integrate/stabilization.c; ends with NULL */

#endif
