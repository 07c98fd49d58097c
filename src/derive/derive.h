/* Equations of motion in symbols: a derivation from the definitions, on nodes of expr/.
 *
 *   letters.c             variables with names; texts of the description to nodes: parameters stay symbols, decimals stay exact
 *   meanings.c            what a name in an expression means here
 *   markers.c             points and joint frames in symbols
 *   placed_bodies.c       the families: r(t, q), R(t, q) of every body, and their velocities
 *   measures.c            scalars made of material vectors
 *   constraint_rows.c     constraints: phi, A, gamma
 *   generalized_forces.c  potential energy and generalized forces
 *   energy.c              T, M and h
 *   named_systems.c       linear systems: solved where they are small, named where they are not
 *   quasi_velocities.c    speeds: v = W u + X; partials.c: their partial velocities
 *   derivation.c          the table of formulations, and what all of them begin with
 *   lagrange_symbols.c, kane_symbols.c, ...: one formulation each
 *   derivation_steps.c    positions, velocities and energies as steps
 *   normal.c              the normal form: polynomials in parameters, rates, and sines and cosines of integer combinations of angles
 *   plain.c               nodes as they stand, with names for what is shared; the count of operations
 *   form_text.c, write.c  text, Markdown, LaTeX, JSON
 *
 * It is a second implementation beside the kernels: it reads the description (texts), and of the compiled model only its structure (which joint
 * carries which body, which vectors a row is made of, how coordinates are called). It uses no function of kinematics/, tree/ and dynamics/, so that
 * the agreement of both at random states says something about either (test/test_derive.c).
 */
#ifndef DAL_DERIVE_DERIVE_H
#define DAL_DERIVE_DERIVE_H

#include "base/arena.h"
#include "base/message.h"
#include "dalembert/system.h"
#include "expr/expr.h"
#include "model/system_parts.h"

typedef enum dal_role {
    DAL_ROLE_TIME,
    DAL_ROLE_COORDINATE,
    DAL_ROLE_RATE,
    DAL_ROLE_ACCELERATION,
    DAL_ROLE_SPEED,
    DAL_ROLE_SPEED_RATE,
    DAL_ROLE_MULTIPLIER,
    DAL_ROLE_MOMENTUM, /* of an ignorable coordinate: a constant of the motion */
    DAL_ROLE_PARAMETER,
    DAL_ROLE_NUMBER, /* a decimal of the description, or a number of the compiled model */
    DAL_ROLE_INPUT,
    DAL_ROLE_STATE,
    DAL_ROLE_NAMED /* an unknown of a linear system */
} dal_role;

/* A variable of the graph. */
typedef struct dal_letter {
    dal_role role;
    const char *name;
    int index;    /* among those of its role */
    double value; /* of parameters, numbers, inputs, states; numbers: the nearest double */
} dal_letter;

/* A linear system that is not solved in symbols: matrix x = right; x are letters. */
typedef struct dal_named_system {
    const char *name;
    int n;
    const dal_node *matrix, *right; /* n x n, n */
    int first;                      /* letter of x_0; the others follow */
} dal_named_system;

/* The system of the rate of another one, along the motion or along a column of W. */
typedef struct dal_named_rate {
    int of, direction, system;
} dal_named_rate;

enum { DAL_ALONG_MOTION = -1 }; /* directions from 0 on: columns of W, with time and speeds held */

/* Position, velocity and constants of a body. */
typedef struct dal_derived_body {
    dal_node mass, center[3], inertia[9]; /* body axes */
    dal_node angle;                       /* planar: R = R_z(angle) R_z(offset) */
    double offset;
    dal_node r[3], R[9];
    dal_node rd[3], w[3]; /* world axes */
    dal_node c[3], cd[3]; /* centre of mass */
    dal_node w_body[3];
} dal_derived_body;

/* A frame of a joint, or a point, in symbols. */
typedef struct dal_symbolic_marker {
    int body;
    dal_node s[3], B[9];
    double s_value[3], B_value[9];
} dal_symbolic_marker;

typedef struct dal_derived_row {
    const char *name;
    dal_node phi;  /* DAL_NO_NODE: nonholonomic, or not written out */
    dal_node rate; /* A v - beta */
    dal_node gamma;
} dal_derived_row;

/* What is printed: an equation "name = value" or a matrix of such. */
typedef struct dal_derived_block {
    const char *name;  /* as in dal_equation_block: "M", "Q - h" */
    const char *title; /* a sentence */
    int rows, columns;
    const dal_node *values; /* row-major */
    const char *const *row_names, *const *column_names;
} dal_derived_block;

/* One equation of motion: left side = 0. */
typedef struct dal_derived_equation {
    const char *name;
    dal_node zero;
} dal_derived_equation;

/* A step of the derivation: an equation between two graphs. */
typedef struct dal_derived_step {
    const char *text; /* a sentence */
    const char *name; /* left side, as it is written */
    dal_node value;
    dal_node check; /* the same found in another way: both are equal at every state; DAL_NO_NODE: a definition */
} dal_derived_step;

typedef struct dal_derive_options {
    const char *formulation; /* NULL: lagrange */
    const int *chart;        /* family angle in space: three axes a body; NULL: zyx */
    const int *speeds;       /* columns of v that are the speeds, p of them; not read where the model names its own */
    const int *rows;         /* independent rows of the layout, rank of them; NULL: those that the system begins with */
    bool steps;
} dal_derive_options;

typedef struct dal_derivation {
    dal_arena *arena;
    dal_graph *graph;
    const dal_spec *spec;
    const dal_system *system;
    const dal_mechanism *mechanism;
    const dal_layout *layout;
    dal_derive_options options;
    dal_messages *messages;
    bool failed;

    int n_letters;
    size_t cap_letters;
    dal_letter *letters;
    int time, q, v, a;              /* letters of t, q_0, v_0, v_0' */
    int u, ud;                      /* of u_0, u_0'; -1: none */
    int lambda;                     /* of the first multiplier */
    int *parameter, *input, *state; /* letters, or -1: not met so far */
    int *define_progress;           /* of `define:`: 0 unseen, 1 open, 2 known */
    dal_value *define;
    const dal_binding *binding; /* of the text that is being read */
    int n_notes;
    size_t cap_notes;
    const char **notes; /* what the reader has to know beside the equations */

    int nq, nv;
    dal_node *qd; /* q' = N v */
    int *column_first, *column_q;
    dal_node *column_N; /* of each velocity k: entries column_first[k] ... of N: which q, and the factor */
    dal_derived_body *bodies;
    dal_symbolic_marker *markers; /* two a joint */
    bool *marker_known;

    dal_node T, V; /* energies; V of gravity and springs */
    dal_node *Q;   /* nv: all applied forces */
    dal_node gravity[3], V_gravity;
    dal_node *Q_other; /* nv: those without potential */
    dal_node *M, *h;   /* nv x nv, nv; by Lagrange's definition where it is asked for */
    int n_rows;
    dal_derived_row *row;
    dal_node *A;       /* n_rows x nv */
    dal_node *Jc, *Jw; /* 3 (bodies x nv): partial velocities of centres and angular velocities, world axes */

    int n_systems, n_rates;
    size_t cap_systems, cap_rates;
    dal_named_system *systems;
    dal_named_rate *rates;
    int direction; /* of the derivative that is being taken */

    int G; /* letter of the first momentum; -1: none */
    int p; /* speeds */
    const char **speed_names;
    dal_node *W, *X, *bias; /* nv x p, nv, nv: v = W u + X, v' = W u' + bias */
    bool quasi;             /* the formulation has speeds */

    const struct dal_derived_formulation *formulation;
    int n_blocks, n_equations, n_steps;
    size_t cap_blocks, cap_equations, cap_steps;
    dal_derived_block *blocks;
    dal_derived_equation *equations;
    dal_derived_step *step;
    const char *const *velocity_names, *const *coordinate_names, *const *row_names;
    void *memo;                /* normal forms that are known */
    long normal_work;          /* on all of them: there is a bound */
    void *algebra[3];          /* what normal.c knows, for each way to write sines */
    int n_marks, mark, *marks; /* of nodes, there: which walk saw them */
} dal_derivation;

/* ---- a formulation ------------------------------------------------------------- */

typedef struct dal_derived_formulation {
    const char *name, *title, *equation, *source;
    bool speeds;  /* it has W, X and bias */
    bool ignores; /* momenta of ignorable coordinates are constants in it */
    void (*derive)(dal_derivation *d);
} dal_derived_formulation;

extern const dal_derived_formulation *const dal_derived_formulations[]; /* ends with NULL */

/* Is there one of this name? False with a message. */
bool dal_derives(const char *formulation, dal_messages *messages);
/* Is a family of this name written in symbols? */
bool dal_family_is_derived(const char *family);

/* Everything into the arena, whose guard has to be set. NULL: refused, with messages. */
dal_derivation *dal_derive_equations(dal_arena *arena, const dal_spec *spec, const dal_system *system, const dal_derive_options *options,
                                     dal_messages *messages);

/* Values of n nodes. `letters` has a value for each letter up to those of named systems, which are found on the way. False: a named system is
 * singular, or a table was left. */
bool dal_derivation_evaluate(dal_derivation *d, double *letters, int n, const dal_node *nodes, double *values);

/* ---- symbols.c, names.c ----------------------------------------------------------- */

void dal_derive_letters(dal_derivation *d);
int dal_letter_add(dal_derivation *d, dal_role role, const char *name, int index, double value);
dal_node dal_derive_number(dal_derivation *d, double value); /* a number of the compiled model */
bool dal_derive_text(dal_derivation *d, const dal_binding *binding, dal_text text, dal_value *value);
/* The node of a text that is a number; where the text cannot be read here, or gives another number than the compiled model has, that number. */
dal_node dal_derive_constant(dal_derivation *d, const dal_binding *binding, dal_text text, double compiled);
double dal_derive_value(dal_derivation *d, dal_node node); /* of constants */
bool dal_derive_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint);

typedef enum dal_element {
    DAL_ELEMENT_NONE,
    DAL_ELEMENT_PARAMETER,
    DAL_ELEMENT_DEFINE,
    DAL_ELEMENT_INPUT,
    DAL_ELEMENT_STATE,
    DAL_ELEMENT_COORDINATE,
    DAL_ELEMENT_BODY,
    DAL_ELEMENT_JOINT,
    DAL_ELEMENT_FORCE
} dal_element;
/* The element that a dotted path begins with. `model`: the included model in which it is written, or NULL. */
dal_element dal_find_element(dal_derivation *d, const dal_model_spec *model, const char *path, int *index, const char **rest);

void dal_derive_refuse(dal_derivation *d, const char *format, ...) DAL_PRINTF(2, 3);
void dal_derive_note(dal_derivation *d, const char *format, ...) DAL_PRINTF(2, 3);

/* ---- rates and directions ------------------------------------------------------------ */

dal_node dal_along_motion(dal_derivation *d, dal_node node);        /* d/dt with v' = 0 */
dal_node dal_along_bias(dal_derivation *d, dal_node node);          /* d/dt with u' = 0 */
dal_node dal_along_column(dal_derivation *d, dal_node node, int k); /* the derivative by q along column k of N */
dal_node dal_by_rate(dal_derivation *d, dal_node node, int k);      /* by v_k */
dal_node dal_along_speed(dal_derivation *d, dal_node node, int j);  /* by q along W_j, of a function of t, q and u */

/* ---- the other files -------------------------------------------------------------------- */

void dal_derive_markers(dal_derivation *d);
/* The frame that a name of `connect:` means, compared with the compiled one. */
void dal_derive_marker(dal_derivation *d, dal_text name, const dal_marker *compiled, dal_symbolic_marker *marker);
void dal_derive_places(dal_derivation *d);
void dal_derive_vector(dal_derivation *d, int vector, int n, const dal_symbolic_marker *near, dal_node x[3]); /* world axes */
dal_node dal_derive_measure(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near);
dal_node dal_derive_measure_rate(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near);
dal_node dal_derive_joint_coordinate(dal_derivation *d, int joint, int k); /* `zero:` included */
void dal_derive_rows(dal_derivation *d);
void dal_derive_forces(dal_derivation *d);
void dal_derive_energy(dal_derivation *d);   /* T */
void dal_derive_partials(dal_derivation *d); /* Jc, Jw */
void dal_derive_inertia(dal_derivation *d);  /* M, h from T: needs d->T */
/* out += w x p of every ball joint, whose velocities w are not rates of coordinates; p and out have an entry for each velocity. */
void dal_add_ball_turns(dal_derivation *d, const dal_node *p, dal_node *out);
void dal_derive_speeds(dal_derivation *d);
void dal_derive_steps(dal_derivation *d); /* positions and velocities of the bodies, energies */

/* X := matrix^-1 right for `columns` right sides (row-major, n x columns). Named where more than three unknowns are left after those that
 * constants eliminate. */
void dal_derive_solve(dal_derivation *d, const char *name, int n, const dal_node *matrix, int columns, const dal_node *right, dal_node *X);
/* The derivative of a letter of a named system along d->direction. */
dal_node dal_rate_of_named(dal_derivation *d, int letter);
/* Of a node, along d->direction, which is the motion unless somebody says otherwise. */
dal_node dal_along(dal_derivation *d, dal_node node);

void dal_add_derived_block(dal_derivation *d, const char *name, const char *title, int rows, int columns, const dal_node *values,
                           const char *const *row_names, const char *const *column_names);
void dal_add_derived_equation(dal_derivation *d, const char *name, dal_node zero);
void dal_add_derived_step(dal_derivation *d, const char *text, const char *name, dal_node value, dal_node check);

/* What formulations have in common: M v' + h = Q + A^T lambda, A v' = gamma as equations; blocks of A and gamma. */
void dal_add_saddle_blocks(dal_derivation *d);
/* The node with W u + X in the place of v. */
dal_node dal_in_speeds(dal_derivation *d, dal_node node);
/* The blocks W, K and f, and the equations K u' = f. K is p x p. */
void dal_add_speed_equations(dal_derivation *d, const char *K_name, const char *K_title, const dal_node *K, const char *f_name, const char *f_title,
                             const dal_node *f);

#endif
