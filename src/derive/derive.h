/* Equations of motion in symbols: a derivation from the definitions, on nodes of expr/.
 *
 *   letters.c             variables with names; texts of the description to nodes: parameters stay symbols, decimals stay exact
 *   meanings.c            names of expressions: their meaning in symbols
 *   markers.c             points and joint frames in symbols; start_frames.c: axes and lengths that follow from directions and start values
 *   written_start.c       start values of bodies, before assembly
 *   placed_bodies.c       the families: r(t, q), R(t, q) of every body, and their velocities
 *   attitude_parameters.c the families euler and natural, whose attitudes have rows of their own
 *   reduced_coordinates.c natural coordinates where linear rows were eliminated
 *   measures.c            scalars made of material vectors
 *   constraint_rows.c     constraints: phi, A, gamma
 *   written_joints.c      joint types of the model's own: their equations, read on symbols
 *   generalized_forces.c  potential energy and generalized forces
 *   elastic_elements.c    of these: end stops, clearances, bushings
 *   subsystem_symbols.c   sub-systems whose equations are known
 *   energy.c              T, M and h
 *   named_systems.c       linear systems: solved where they are small, named where they are not
 *   quasi_velocities.c    speeds: v = W u + X; partials.c: their partial velocities
 *   derivation.c          the table of formulations, and what all of them begin with
 *   lagrange_symbols.c, kane_symbols.c, ...: one formulation each
 *   derivation_steps.c    positions, velocities and energies as steps
 *   normal.c              the normal form: polynomials in parameters, rates, and sines and cosines of integer combinations of angles
 *   polynomial.c, polynomial_of_node.c, polynomial_form.c, polynomial_collect.c, factored_form.c: its arithmetic, and how it is printed
 *   common_sums.c         sums that all terms share are divided out
 *   plain.c               nodes as they stand, with names for what is shared; the count of operations
 *   origins.c             which body, force or joint each printed term comes from
 *   form_text.c, mathml.c, write.c, write_html.c, write_json.c: text, Markdown, LaTeX, HTML with MathML, JSON
 *   latex_lines.c         wide formulas in LaTeX, broken into lines
 *
 * It is an implementation independent of the kernels: it reads the description (texts), and of the compiled model only its structure (which joint
 * carries which body, which vectors a row is made of, how coordinates are called). It uses no function of kinematics/, tree/ and dynamics/, so that
 * agreement of the two at random states is evidence for both (test/test_derive.c).
 */
#ifndef DAL_DERIVE_DERIVE_H
#define DAL_DERIVE_DERIVE_H

#include "base/arena.h"
#include "base/message.h"
#include "dalembert/system.h"
#include "expr/expr.h"
#include "kinematics/tree.h"
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
    DAL_ROLE_NAMED, /* an unknown of a linear system */
    DAL_ROLE_PORT,  /* component: place of a port, or a residual of a joint */
    DAL_ROLE_PORT_RATE,
    DAL_ROLE_PORT_ACCELERATION,
    DAL_ROLE_WRENCH,    /* component: of a joint on a port */
    DAL_ROLE_NORM,      /* n = p . p of the Euler parameters of a body: 1 at the end of the derivation */
    DAL_ROLE_NORM_RATE, /* p . p': 0 at the end */
    DAL_ROLE_NATURAL    /* a natural coordinate, if linear rows were eliminated: B z + b at the end */
} dal_role;

/* A variable of the graph. */
typedef struct dal_letter {
    dal_role role;
    const char *name;
    int index;      /* among those of its role */
    double value;   /* of parameters, numbers, inputs, states; numbers: the nearest double */
    dal_node means; /* the node that replaces it; DAL_NO_NODE: none */
    dal_node rate;  /* along the motion, of letters of ports; DAL_NO_NODE: none */
} dal_letter;

/* A linear system that is not solved in symbols: matrix x = right; x are letters. */
typedef struct dal_named_system {
    const char *name;
    int n;
    const dal_node *matrix, *right; /* n x n, n */
    int first;                      /* letter of x_0; the others follow */
} dal_named_system;

/* The system of the rate of another system, along the motion or along a column of W. */
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

/* A printed block: an equation "name = value" or a matrix of such. */
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
    const char *name; /* left side, as text */
    dal_node value;
    dal_node check; /* the same quantity, found in another way: both are equal at every state; DAL_NO_NODE: a definition */
} dal_derived_step;

typedef struct dal_derive_options {
    const char *formulation; /* NULL: lagrange */
    const int *chart;        /* family angle in space: three axes a body; NULL: zyx */
    const int *speeds;       /* columns of v that are the speeds, p of them; not used if the model names its own */
    const int *rows;         /* independent rows of the layout, rank of them; NULL: those at the start of the system */
    bool steps;
    bool whole_systems; /* no linear system is solved by Cramer's rule: all stay systems */
    bool unfactored;    /* FLINT is not used */
    bool follow;        /* results that depend on a parameter contain it, even if a number is shorter; also balances of forces */
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
    int *parameter, *input, *state; /* letters, or -1: not used so far */
    int *define_progress;           /* of `define:`: 0 unseen, 1 open, 2 known */
    dal_value *define;
    const dal_binding *binding;          /* of the text that is being read */
    const struct dal_joint_scope *scope; /* set for an equation of a joint type: the meaning of its words */
    int n_notes;
    size_t cap_notes;
    const char **notes; /* notes for the reader of the equations */

    int nq, nv;
    dal_node *qd; /* q' = N v */
    int *column_first, *column_q;
    dal_node *column_N; /* of each velocity k: entries column_first[k] ... of N: which q, and the factor */
    dal_derived_body *bodies;
    dal_symbolic_marker *markers; /* two a joint */
    bool *marker_known;
    dal_node *reduced_B, *reduced_b; /* of B z + b there, if they depend on parameters: n_natural x n_left, n_natural; NULL: the compiled numbers */
    int natural;                     /* letter of the first natural coordinate that B z + b replaces, if linear rows were eliminated */
    int *norm, *norm_rate;           /* letters of the bodies whose Euler parameters are coordinates, or -1; NULL: other families */

    dal_node T, V;      /* energies; V of gravity and springs */
    dal_node T_systems; /* part of T of sub-systems whose equations are known */
    dal_node *Q;        /* nv: all applied forces; without weight where the formulation is `weightless` */
    dal_node gravity[3], V_gravity;
    const dal_node *weights; /* masses as gravity sees them; NULL: as they are */
    int first_source;        /* letter of the first marker of origins.c; 0: none */
    dal_node *Q_other;       /* nv: those without potential */
    dal_node *M, *h;         /* nv x nv, nv; by Lagrange's definition if a formulation needs them */
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
    dal_node *speeds;                      /* in q, v and t */
    dal_node *W, *X, *bias;                /* nv x p, nv, nv: v = W u + X, v' = W u' + bias */
    bool quasi;                            /* the formulation has speeds */
    const dal_node *K, *f;                 /* of K u' = f, in q and v; NULL: the formulation has none */
    dal_node *accelerations, *multipliers; /* accelerations, solved for; NULL: the formulation has equations instead */
    bool in_ports;                         /* a joint is being derived with its ports */

    const struct dal_derived_formulation *formulation;
    int n_blocks, n_equations, n_steps, n_general_steps; /* general: positions, velocities and energies, which stand before the others */
    size_t cap_blocks, cap_equations, cap_steps;
    dal_derived_block *blocks;
    dal_derived_equation *equations;
    dal_derived_step *step;
    const char *const *velocity_names, *const *coordinate_names, *const *row_names;
    int n_named, n_whole; /* letters whose names were compared, and those that are printed as whole words: dal_name_set_apart */
    const char **whole;
    const char *prefix;                  /* names of intermediates, once they are needed */
    void *memo;                          /* normal forms that are known */
    long normal_work;                    /* on all of them: there is a bound */
    bool long_numbers_stay;              /* decimals with many digits are letters there, because their products overflow */
    void *flint;                         /* functions of FLINT, once they were needed */
    void *algebra[3];                    /* what normal.c knows, for each way to write sines */
    int n_marks, mark, *marks;           /* of nodes, there: which walk saw them */
    const struct dal_derivation *before; /* dal_put_parameters; NULL: it changed nothing */
} dal_derivation;

/* ---- a formulation ------------------------------------------------------------- */

/* How accelerations follow from the results of a formulation. */
typedef enum dal_solution {
    DAL_SOLVED_WITH_MULTIPLIERS, /* M, Q - h, A, gamma */
    DAL_SOLVED_ON_FREE_MOTIONS,  /* W^T M and A */
    DAL_SOLVED_WITH_SPEEDS,      /* K u' = f */
    DAL_SOLVED_WITH_ROUTHIAN,    /* B, f, A_1, gamma, X, c */
    DAL_SOLVED_ALREADY,          /* accelerations, multipliers */
    DAL_SOLVED_BY_PORTS          /* by the equations of all bodies and joints together; there is no block for them */
} dal_solution;

typedef struct dal_derived_formulation {
    const char *name, *title, *equation, *source;
    const char *latex; /* repeats the equation */
    bool speeds;       /* it has W, X and bias */
    bool tree;         /* it uses the joint tree */
    dal_solution solution;
    bool ignores;    /* momenta of ignorable coordinates are constants in it */
    bool ports;      /* joints are written in the variables of their ports */
    bool weightless; /* weight is an acceleration of the ground in it, and no part of Q: its potential, differentiated, has n^2 nodes */
    void (*derive)(dal_derivation *d);
} dal_derived_formulation;

#define DAL_DERIVED(name, title, equation, source, derives, ...)                                                                                     \
    {                                                                                                                                                \
        name, title, equation, source, .derive = derives, __VA_ARGS__                                                                                \
    }

extern const dal_derived_formulation *const dal_derived_formulations[]; /* ends with NULL */

/* The one of this name, or NULL. */
const dal_derived_formulation *dal_find_derived_formulation(const char *name);
/* Is there one of this name? False with a message. */
bool dal_derives(const char *formulation, dal_messages *messages);

/* Everything into the arena, whose guard has to be set. NULL: refused, with messages. */
dal_derivation *dal_derive_equations(dal_arena *arena, const dal_spec *spec, const dal_system *system, const dal_derive_options *options,
                                     dal_messages *messages);

/* Values of n nodes. `letters` has a value for each letter up to those of named systems, which are computed here. False: a named system is
 * singular, or an argument is outside of a table. */
bool dal_derivation_evaluate(dal_derivation *d, double *letters, int n, const dal_node *nodes, double *values);

/* ---- letters.c, meanings.c -------------------------------------------------------- */

/* The letters of a model: coordinates, velocities, parameters; and one more letter, whose number is returned. */
void dal_derive_letters(dal_derivation *d);
int dal_letter_add(dal_derivation *d, dal_role role, const char *name, int index, double value);
/* A word that no other name equals when a number follows it: the given word, or several copies of it. */
const char *dal_free_word(const dal_derivation *d, const char *word);
const char *dal_intermediate_prefix(dal_derivation *d); /* z of z1, z2, ... */
int *dal_no_letters(dal_derivation *d, int n);          /* n times -1 */
/* Does a node contain a letter of one of these roles: of bit 1 << role? */
bool dal_contains_role(const dal_derivation *d, dal_node node, unsigned roles);
/* Or one that stands for something else, or for an unknown of a named system? */
bool dal_is_unsolved(const dal_derivation *d, dal_node node);
dal_node dal_derive_number(dal_derivation *d, double value); /* a number of the compiled model */
bool dal_derive_text(dal_derivation *d, const dal_binding *binding, dal_text text, dal_value *value);
/* The node of a text whose value is a number. If the text cannot be read here, or its value differs from the compiled one, the node of the
 * compiled number. */
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
/* The element at the head of a dotted path. `model`: the included model that contains the text, or NULL. */
dal_element dal_find_element(dal_derivation *d, const dal_model_spec *model, const char *path, int *index, const char **rest);

/* written_joints.c: a word of an equation of a joint type, a point, an axis, an angle, a parameter of the type. Needs d->scope. */
bool dal_derive_joint_word(dal_derivation *d, const char *name, int primes, dal_value *value);

/* The first ends the derivation with a sentence; the second adds a note to it. */
void dal_derive_refuse(dal_derivation *d, const char *format, ...) DAL_PRINTF(2, 3);
void dal_derive_note(dal_derivation *d, const char *format, ...) DAL_PRINTF(2, 3);

/* ---- rates and directions ------------------------------------------------------------ */

dal_node dal_along_motion(dal_derivation *d, dal_node node);        /* d/dt with v' = 0 */
dal_node dal_along_bias(dal_derivation *d, dal_node node);          /* d/dt with u' = 0 */
dal_node dal_along_column(dal_derivation *d, dal_node node, int k); /* the derivative by q along column k of N */
dal_node dal_by_rate(dal_derivation *d, dal_node node, int k);      /* by v_k */
dal_node dal_along_speed(dal_derivation *d, dal_node node, int j);  /* by q along W_j, of a function of t, q and u */

/* ---- the other files -------------------------------------------------------------------- */

/* Frames of the markers of all joints. */
void dal_derive_markers(dal_derivation *d);
/* The frame that a name of `connect:` means, compared with the compiled one. */
void dal_derive_marker(dal_derivation *d, dal_text name, const dal_marker *compiled, dal_symbolic_marker *marker);
void dal_derive_places(dal_derivation *d);
/* The frame of a carrier of the tree, on its parent or on the body. It is the frame of the joint in symbols, unless `zero:` of the joint moved the
 * carrier. */
dal_symbolic_marker dal_derive_carrier_frame(dal_derivation *d, const dal_carrier *carrier, bool on_parent);
bool dal_places_by_parameters(const dal_derivation *d); /* euler or natural? */
void dal_place_by_parameters(dal_derivation *d, int body);
void dal_derive_row_spin(dal_derivation *d, int body, bool own, dal_node w[3]);  /* as in expressions: world axes, or its own */
dal_node dal_twice_natural_energy(dal_derivation *d, int body);                  /* of the turning of a body, from rates of direction cosines */
void dal_derive_intrinsic_row(dal_derivation *d, int row, dal_derived_row *out); /* name, phi and rate */
dal_node dal_norm_along_column(dal_derivation *d, dal_node node, int k);         /* part of a derivative along column k that n and p . p' add */
dal_node dal_norm_by_rate(dal_derivation *d, dal_node node, int k);              /* and one by v_k */
dal_node dal_rate_of_norm(dal_derivation *d, const dal_letter *letter, bool accelerated); /* of n, or of p . p', along d->direction */
dal_derivation *dal_derivation_copy(const dal_derivation *d);                             /* has its own lists for dal_put_parameters */
void dal_put_parameters(dal_derivation *d);                    /* n = 1, p . p' = 0 and natural coordinates = B z + b in all printed nodes */
dal_node dal_in_coordinates(dal_derivation *d, dal_node node); /* the same in one node */
void dal_name_natural(dal_derivation *d);
void dal_place_natural(dal_derivation *d, int body);                        /* its r and R as letters */
void dal_reduce_in_symbols(dal_derivation *d);                              /* reduced_B, reduced_b; needs r and R of all bodies */
dal_node dal_natural_in_coordinates(dal_derivation *d, int i);              /* B z + b of natural coordinate i */
dal_node dal_rate_of_natural(dal_derivation *d, int i);                     /* of natural coordinate i, along d->direction */
dal_node dal_natural_along_column(dal_derivation *d, dal_node node, int k); /* part of a derivative by z_k that natural coordinates add */
/* natural: Q += factor times the load of the gradient of a function of q on the motions of rigid bodies. */
void dal_push_natural(dal_derivation *d, dal_node function, dal_node factor, dal_node *Q);
void dal_derive_vector(dal_derivation *d, int vector, int n, const dal_symbolic_marker *near, dal_node x[3]); /* world axes */
dal_node dal_derive_measure(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near);
dal_node dal_derive_measure_rate(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near);
dal_node dal_derive_joint_coordinate(dal_derivation *d, int joint, int k); /* `zero:` included */
void dal_derive_rows(dal_derivation *d);
/* phi of a row of the mechanism that is made of measures. */
dal_node dal_derive_row_place(dal_derivation *d, int number);
/* The length of a rod: its text, or the distance of its points at the start, or the compiled number. */
dal_node dal_derive_rod_length(dal_derivation *d, int joint, double compiled);
/* The lead of a screw per radian: its pitch over 2 pi, or the compiled number. */
dal_node dal_derive_pitch(dal_derivation *d, int joint, double compiled);
/* phi and phi' of a row of the mechanism, with d->mechanism, d->bodies and d->markers. */
void dal_derive_row_form(dal_derivation *d, int number, dal_derived_row *out);
void dal_derive_forces(dal_derivation *d);
dal_node dal_derive_weight(const dal_derivation *d, int body); /* its mass, as gravity sees it */
void dal_derive_energy(dal_derivation *d);                     /* T */
void dal_derive_partials(dal_derivation *d);                   /* Jc, Jw */
void dal_derive_inertia(dal_derivation *d);                    /* M, h from T: needs d->T */
/* out += w x p of every ball joint, whose velocities w are not rates of coordinates; p and out have an entry for each velocity. */
void dal_add_ball_turns(dal_derivation *d, const dal_node *p, dal_node *out);
void dal_derive_speeds(dal_derivation *d);

/* subsystem_symbols.c: finds T_systems and adds it to T; the parts of V and Q_other of sub-systems. */
enum { DAL_SUBSYSTEM_MARKERS = 3 }; /* of origins.c: inertia, potential, the rest */
void dal_derive_subsystem_energy(dal_derivation *d);
void dal_derive_subsystem_forces(dal_derivation *d);
dal_node dal_subsystem_mass(dal_derivation *d, int k, int l);                           /* of M */
dal_node dal_subsystem_inertia(dal_derivation *d, int j, int l);                        /* W_j . M W_l */
dal_node dal_subsystem_inertia_force(dal_derivation *d, int j);                         /* W_j . (d/dt (dT/dv) - dT/dq) for u' = 0 */
dal_node dal_subsystem_energy_of_acceleration(dal_derivation *d);                       /* Gibbs */
void dal_subsystem_momentum(dal_derivation *d, int j, dal_node *slope, dal_node *rest); /* Volterra: adds to both */
void dal_derive_steps(dal_derivation *d);                                               /* positions and velocities of the bodies, energies */

/* X := matrix^-1 right for `columns` right sides (row-major, n x columns). If more than three unknowns are left after elimination by constant
 * pivots, they stay a named system. */
void dal_derive_solve(dal_derivation *d, const char *name, int n, const dal_node *matrix, int columns, const dal_node *right, dal_node *X);
/* The derivative of a letter of a named system along d->direction. */
dal_node dal_rate_of_named(dal_derivation *d, int letter);
/* The derivative of a node along d->direction, which is the motion unless it was set. */
dal_node dal_along(dal_derivation *d, dal_node node);

/* Add a matrix, an equation (`zero` = 0) or a step to the printed derivation. */
void dal_add_derived_block(dal_derivation *d, const char *name, const char *title, int rows, int columns, const dal_node *values,
                           const char *const *row_names, const char *const *column_names);
void dal_add_derived_equation(dal_derivation *d, const char *name, dal_node zero);
void dal_add_derived_step(dal_derivation *d, const char *text, const char *name, dal_node value, dal_node check);

/* What formulations have in common: M v' + h = Q + A^T lambda, A v' = gamma as equations; blocks of A and gamma. */
void dal_add_saddle_blocks(dal_derivation *d);
/* The node with v replaced by W u + X. */
dal_node dal_in_speeds(dal_derivation *d, dal_node node);
/* The blocks W, K and f, and the equations K u' = f. K is p x p. */
void dal_add_speed_equations(dal_derivation *d, const char *K_name, const char *K_title, const dal_node *K, const char *f_name, const char *f_title,
                             const dal_node *f);

#endif
