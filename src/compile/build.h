/* A compile in progress: arenas for what lives until the system is packed, until the start is found, until the programs are built.
 *
 *   compile_calls, compile, system_layout, settled_start, draft, pack, first_evaluation   the way through (compile.c has the order)
 *   symbols, expressions, channels, programs, records, inputs                          names, texts, signals, programs
 *   bodies, shape_mass, check_masses, points, frames, place, coordinates               bodies and where they are
 *   figures, scene, view                                                               what pictures show
 *   joints, keys, joint_*, constraints, laws, frictions, tree_loops                    joints and rows
 *   forces, systems, system_trials, islands, conserved                                 forces
 *   choices, own_length, units, unit_*, dimension, lists, owners                       methods, units, lists
 *   memory*, workspace, vary                                                           compiled again with other numbers
 *   missing*                                                                           constraints that are derived
 */
#ifndef DAL_COMPILE_BUILD_H
#define DAL_COMPILE_BUILD_H

#include "dalembert/run.h"
#include "joint/joint.h"
#include "kinematics/layout.h"
#include "math/sparse.h"
#include "model/acting.h"
#include "model/start_values.h"
#include "state/evaluate.h"
#include "tree/sweep.h"

typedef enum dal_reach {
    DAL_REACH_NUMBER,     /* parameters and loop variables */
    DAL_REACH_TIME,       /* and t: for drives */
    DAL_REACH_PLACE,      /* and coordinates of the model's own: for placements of bodies */
    DAL_REACH_CONSTRAINT, /* and positions and velocities: constraints and speeds */
    DAL_REACH_ENERGY,     /* the same: masses and energies of sub-systems */
    DAL_REACH_ACTION,     /* and states, inputs: forces and rates */
    DAL_REACH_RECORD      /* and accelerations, reactions, energies */
} dal_reach;

typedef enum dal_symbol_kind {
    DAL_SYMBOL_PARAMETER,
    DAL_SYMBOL_DEFINE,
    DAL_SYMBOL_INPUT,
    DAL_SYMBOL_STATE,
    DAL_SYMBOL_COORDINATE,
    DAL_SYMBOL_SPEED,
    DAL_SYMBOL_BODY,
    DAL_SYMBOL_JOINT,
    DAL_SYMBOL_FORCE,
    DAL_SYMBOL_CONSTRAINT,
    DAL_SYMBOL_GROUND /* of an included model */,
    DAL_SYMBOL_NONE
} dal_symbol_kind;

typedef struct dal_symbol {
    const char *name;
    dal_symbol_kind kind;
    int index;
} dal_symbol;

/* An expression with a name: of `define:`, or the rate of a state. */
typedef struct dal_named {
    const char *name;
    dal_text text;
    const dal_binding *binding;
    bool scalar; /* the rate of a state */
    bool block;  /* of a block or sensor */
    enum { DAL_NAMED_UNSEEN, DAL_NAMED_OPEN, DAL_NAMED_KNOWN, DAL_NAMED_FAILED } progress;
    dal_value value;
    const char *noun;              /* failed: the name on which it depends and that cannot be used yet */
    struct dal_uses *uses;         /* while a memory is recorded */
    const struct dal_named *outer; /* open: the one that uses it */
} dal_named;

/* How a body starts, before assembly. */
typedef struct dal_body_start {
    double r[3], R[9], angle;
    double rd[3], w[3];
    bool placed;                         /* r and R are known */
    bool mounted;                        /* r and R are still in the axes of the ground of its included model */
    bool position_given, attitude_given; /* by the description (else guessed) */
    bool velocity_given, spin_given;
    bool position_fixed, attitude_fixed, velocity_fixed, spin_fixed;
    dal_start_change change; /* of what was given, by assembly */
    int host;                /* the body that its included model stands on, or the ground */
    dal_points points;       /* of its spec */
} dal_body_start;

typedef struct dal_expressions {
    int n;
    size_t capacity;
    dal_node *node;
} dal_expressions;

/* A start value of a joint's coordinate: wanted, or to be kept exactly. */
typedef struct dal_target {
    int measure;
    double value, rate;
    bool has_value, has_rate, fix;
    dal_mark mark;
    int joint;
    double zero; /* the coordinate is the measure + zero; value is the measure's */
} dal_target;

/* Which of several positions in which the mechanism closes a joint asks for. */
typedef enum dal_branch { DAL_BRANCH_ANY, DAL_BRANCH_NEAR, DAL_BRANCH_OTHER } dal_branch;

typedef struct dal_wish {
    int joint, measure; /* measure -1: the joint has no single coordinate */
    bool has_value;
    double value, zero, within; /* as of a target; within 0: no bound */
    dal_branch branch;
    dal_mark mark;
} dal_wish;

/* A coordinate that a drive or a lock prescribes. */
typedef struct dal_claim {
    int measure, joint;
} dal_claim;

typedef struct dal_build {
    dal_arena *arena;
    dal_allocator allocator; /* of the system that comes out; the arenas may have another one */
    dal_arena start_arena;   /* room for finding the start; released when it is found */
    dal_arena graph_arena;   /* of the graph and of what its parser needs; released when all programs are built */
    dal_messages *messages;
    const dal_spec *spec;
    bool anyway;                     /* the start need not close, the accelerations need not be determined: dal_compile_anyway */
    bool thorough;                   /* also notes on what is no error: dal_compile_thoroughly */
    bool undetermined;               /* accelerations that are not determined are a warning: dal_compile_for_evaluation */
    const struct dal_memory *memory; /* cached results of another compile; NULL: none (memory.h) */
    struct dal_memory *record;       /* recorded for another compile; NULL: not recorded */
    struct dal_log *log;
    struct dal_today *today;
    bool restructured; /* the description differs from that of the memory in more than numbers */
    dal_mechanism mechanism;
    dal_graph *graph;

    int n_symbols; /* size of the open hash table, a power of two */
    dal_symbol *symbols;
    dal_named *defines, *rates;
    const dal_named *open; /* being parsed, innermost first */
    int depth;             /* how many are open */
    const char *noun;      /* the subject of the last refusal: "the motion" */
    dal_reach reach;       /* of the expression being parsed */
    const dal_binding *binding;
    bool equation;                     /* it belongs to a joint type */
    const char *friction_limit;        /* it is a limit of the friction of this joint; or NULL */
    const dal_parser *reader;          /* of all expressions, by other rules; NULL: by those of the language */
    struct dal_derivation *derivation; /* what is to be derived (missing.h); NULL: nothing */

    int n_signals;
    size_t cap_signals;
    dal_signal *signals;
    int n_signal_table, *signal_table;

    const dal_joint_type **joint_types; /* of the model's own, and whether an error was reported */
    bool *joint_type_failed;
    bool world_named; /* by equations of a joint type: momenta are not conserved, even if nothing touches the ground */

    dal_body_start *start;
    int *body_angle;    /* measure of each planar body's angle, or -1 */
    bool *axis_carried; /* joints whose axis was carried to the second body */
    int n_targets;
    size_t cap_targets;
    struct dal_target *targets; /* start values of joints */
    bool *kept_from_start;      /* of rows: their constant is what they are at the start; turns.c */
    double *turns_written;      /* of angles, by winding: what their turns are counted from, as far as it is written; turns.c */
    int n_wishes;
    size_t cap_wishes;
    struct dal_wish *wishes; /* which branch joints ask for */
    int n_claims;
    size_t cap_claims;
    dal_claim *claims; /* coordinates that are prescribed */
    dal_expressions drives, actions, records, samples;
    int n_action_texts;
    size_t cap_action_texts;
    dal_text *action_texts; /* what the actions were written as */
    dal_system *packed;     /* the result, and a state for the first evaluation: not in the arena */
    dal_state *first;
    void *markers;                    /* found last, by name: points.c */
    int *ground_slot, n_ground_slots; /* points of the ground by name: open addressing, -1: free; NULL: not yet */
    struct dal_sparse *sparse;        /* of the assembly of large models: not in the arena either */
    int n_times;
    int n_laws;
    size_t cap_laws;
    dal_law *laws;
    int n_frictions;
    size_t cap_frictions;
    dal_friction *frictions;
    int n_groups;
    size_t cap_groups;
    dal_force_group *groups;
    dal_force_name *forces;
    double gravity[3];
    int n_recorded, n_columns;
    size_t cap_columns;
    dal_column *columns;
    bool records_results;
    dal_family const *family;
    dal_layout_parts parts;         /* of the layout: tree, placement, forms */
    const dal_layout *start_layout; /* of the assembly; if NULL and `kept` is given, it is found and kept there for the next compile */
    dal_arena *kept;
    dal_program *place_angle;       /* coordinates of the model's own: angles of the bodies, unwrapped */
    double *start_q, *start_v;      /* their start, as given and then assembled */
    double *start_change;           /* of what was given, by assembly: of each coordinate, then of each rate */
    double *column_scale;           /* what a unit of each moves there, in metres */
    double *own_size;               /* the size of coordinates of sub-systems, where no body says it; NULL: there are none */
    double own_mass;                /* the model's mass, where there is no body; 0: not known */
    int systems_first, systems_end; /* of the actions: those of sub-systems */
    bool systems_work;              /* a force of theirs has no potential, or time changes their energies */
    double length, pace;            /* own_length.c; 0: not yet known */
    dal_expressions forms;          /* outputs of the forms' program: see dal_form_outputs */
} dal_build;

/* symbols.c */
void dal_symbols_fill(dal_build *build);
/* " (did you mean 'crank.B'?)" or "": names of the kinds (bits) near to a path or its beginning. ~0u: whatever a name may be. */
const char *dal_symbol_hint(dal_build *build, unsigned kinds, const char *path);
const dal_symbol *dal_symbol_find(const dal_build *build, const char *name, size_t length);
/* The element that a dotted path begins with; *rest points behind it (at the dot or the end). */
const dal_symbol *dal_symbol_prefix(const dal_build *build, const char *path, const char **rest);
/* The same for a path in an expression: of the included model that the expression stands in. */
const dal_symbol *dal_symbol_inside(dal_build *build, const char *path, const char **rest);
/* Is the ground of an included model (NULL: of the whole one) that of the whole model, in the same place? */
bool dal_on_ground(const dal_build *build, const dal_model_spec *model);
/* Does a path name the ground, or a point of it, perhaps that of an included model that stands there? */
bool dal_names_ground(const dal_build *build, const char *path);
int dal_build_variable(dal_build *build, dal_signal signal); /* its number */
dal_node dal_build_signal(dal_build *build, dal_signal signal);
dal_reach dal_signal_reach(const dal_build *build, const dal_signal *signal);
bool dal_signal_moves(const dal_build *build, const dal_signal *signal);       /* a position or a velocity of something */
const char *dal_signal_noun(const dal_build *build, const dal_signal *signal); /* "the motion", "an energy": for messages */
int dal_signal_most(const dal_signal *signal);                                 /* the highest order that exists */
const char *dal_signal_unit(const dal_build *build, const dal_signal *signal);

/* expressions.c */
void dal_build_names(dal_build *build);   /* before anything is parsed */
void dal_build_defines(dal_build *build); /* when bodies, joints and the measures of forces exist: reports every fault */
bool dal_build_state_rate(dal_build *build, int index, dal_node *node);
bool dal_build_parse(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value);
/* The same by a parser with other rules; names that it does not know it may look up by dal_build_resolve, whose user is the build. */
bool dal_build_parse_by(dal_build *build, const dal_parser *parser, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value);
bool dal_build_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint);
bool dal_build_scalar(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_node *node);
/* *value stays what it was without a finite number. */
bool dal_build_number(dal_build *build, const dal_binding *binding, dal_text text, double *value);
bool dal_build_vector(dal_build *build, const dal_binding *binding, const dal_list *list, double out[3]); /* fills up with zeros */
/* Are the squares and products of n sizes finite, too? The second, false with a message: `what` of `name`. */
bool dal_bounded(int n, const double *sizes);
bool dal_build_bounded(dal_build *build, dal_mark mark, const char *what, const char *name, int n, const double *sizes);
int dal_build_expression(dal_build *build, dal_expressions *list, dal_node node);
int dal_build_action(dal_build *build, dal_text text, dal_node node); /* an expression of a force or a state */

/* shape_mass.c: mass, centre and inertia of a body from its shapes, by their density or scaled to its mass */
void dal_mass_of_shapes(dal_build *build, const dal_body_spec *spec, dal_body *body);
bool dal_has_volume(const dal_body_spec *spec); /* has it a shape that bounds one? */

/* bodies.c */
void dal_build_bodies(dal_build *build);
/* An attitude as a rotation; `name` for messages. False with one. */
bool dal_build_orientation(dal_build *build, const dal_binding *binding, const char *name, const dal_orientation *orientation, double R[9]);
void dal_note_constants(dal_build *build, int body); /* the parameters that its mass, centre and inertia are made of are used */
void dal_build_motion(dal_build *build);             /* start velocities, once every body is placed */

/* points.c: once for the whole model, before a point of the ground is looked up; then all points of a body, also unused ones. */
void dal_index_ground(dal_build *build);
void dal_check_points(dal_build *build, const char *owner, const dal_binding *binding, const dal_points *points);
bool dal_build_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes);
/* The axes, in those of its body, in which directions beside this name are written: another body's own, except for the ground of an
 * included model. */
void dal_build_base(dal_build *build, dal_text name, double B[9]);
/* The ground of an included model as a frame of the body that carries it. False with a message. */
bool dal_build_mount(dal_build *build, const dal_model_spec *model, dal_marker *marker);
int dal_build_body_angle(dal_build *build, int body);
/* A measure of x, y, z or angle of a body; -1 with a message. */
int dal_build_body_coordinate(dal_build *build, dal_text body, dal_text coordinate);

/* check_masses.c: moments that no body has, once joints are known; what is only rounding is corrected */
void dal_build_inertias(dal_build *build);

/* place.c */
void dal_build_place(dal_build *build);

/* coordinates.c: the model's own; before anything is parsed, and when the constants of the bodies are known. */
void dal_build_coordinates(dal_build *build);
void dal_build_placement(dal_build *build);
bool dal_build_frames(dal_build *build, dal_node *frame); /* 12 nodes a body: r, R. Once more, as `reader` reads them */
void dal_read_coordinates(dal_build *build);              /* start values */
/* coordinate_start.c */
void dal_start_frames(dal_build *build);                                                   /* frames at the given start values */
bool dal_start_coordinates(dal_build *build, const dal_compiled *drives, double *winding); /* as dal_build_assemble */

/* joints.c */
void dal_build_joints(dal_build *build);
/* The measure of a joint's coordinate (no text: its only one); -1 with a message. */
int dal_build_joint_coordinate(dal_build *build, dal_text joint, dal_text coordinate, double *zero);
/* "angle", "distance", ...; NULL for the coordinate that a driven or locked one shares with another. */
const char *dal_joint_coordinate_name(const dal_joint *joint, dal_space space, int k);

/* constraints.c */
void dal_build_joint_forms(dal_build *build, dal_joint_builder *builder); /* lets a joint write forms */
/* `constraints:` and `speeds:`, then the program of all forms: when the names of `define:` are known. */
void dal_build_constraints(dal_build *build, dal_system *system);
/* Formulation `component`: the forms of each joint as a program of its own. */
void dal_build_joint_programs(dal_build *build, dal_system *system);
/* finite_forms.c: are the forms numbers at the start? False with a message. */
bool dal_build_forms_finite(dal_build *build, const dal_mechanism *mechanism, const dal_work *work);

/* systems.c: `systems:` and `lagrangian:`, when the names of `define:` are known. */
void dal_build_systems(dal_build *build);

/* A row of the last joint from an expression in measures, vectors and angular velocities that is zero: constant coefficients where it is
 * linear in measures, a form otherwise. `what` of `name` is reported in messages at `text`; false: there was one. */
bool dal_build_equation(dal_build *build, const char *what, const char *name, dal_text text, dal_node f, bool nonholonomic);

/* joint_rank.c: false with messages where equations of a joint type say nothing. */
bool dal_build_written_identities(dal_build *build, const double *winding);
/* Freedoms that joints of the model's own take from their bodies, with warnings; `winding` of the start, NULL: the mechanism could not be
 * assembled, and the question is whether one of them contradicts itself. */
void dal_build_written_ranks(dal_build *build, const double *winding);

/* joint_slope.c: false with messages where an equation of a joint type, or a constraint, has no slope where it holds. `winding` as above. */
bool dal_build_slopes(dal_build *build, const double *winding);

/* islands.c: after joints, forces and laws */
void dal_build_islands(dal_build *build, dal_islands *islands);

/* laws.c: after the forces, because laws are expressions like theirs */
void dal_build_laws(dal_build *build, int joint, const dal_law_spec *spec);
/* The measure of a node that is nothing but a channel of position, or -1 (constraints.c). */
int dal_build_measure(dal_build *build, dal_node node);

/* frictions.c */
void dal_build_friction(dal_build *build, const dal_joint_spec *spec, int number_of_joint);
void dal_build_friction_limits(dal_build *build); /* those that are not constant; after the forces */

/* forces.c */
void dal_build_forces(dal_build *build);

/* records.c */
void dal_build_records(dal_build *build);

/* view.c: complaints about `view:`, when the columns are known */
void dal_check_view(dal_build *build);

/* units.c: units of columns that are composed, and warnings about sums of different quantities */
void dal_build_units(dal_build *build);

/* choices.c */
bool dal_spec_derives(const dal_spec *spec); /* `undetermined: derive` */
void dal_choose_family(dal_build *build, dal_system *system);
void dal_choose_method(dal_build *build, dal_system *system);
void dal_choose_times(dal_build *build, dal_system *system);

/* first_evaluation.c: rank, then accelerations at the start; false with messages. */
bool dal_build_rank(dal_build *build, dal_system *system, dal_state *state);
bool dal_build_first(dal_build *build, dal_system *system, dal_state *state);
/* settled_start.c: the start of a draft becomes the static equilibrium that is found from it, before rows and speeds are chosen there; the unit of time is that of
 * the start. */
bool dal_build_settled(dal_build *build, dal_system *draft);
/* The same description, with joints that have no dry friction. */
dal_spec dal_spec_without_friction(dal_arena *arena, const dal_spec *spec);

/* assemble.c: moves the start to where the constraints hold; false with messages. */
bool dal_build_assemble(dal_build *build, const dal_compiled *drives, double *winding);
/* own_length.c: the model's length, when bodies are placed; with it the fastest rate that is known before anything is evaluated. */
double dal_build_length(dal_build *build);

/* pack.c: a copy of a draft, in one block that dal_system_free frees. guess: how large it was with a system of the same structure, 0: there is
 * none; *bytes: how large it is. Without memory it jumps to the guard of the arena. */
dal_system *dal_pack_system(dal_arena *arena, const dal_allocator *allocator, const dal_system *draft, size_t guess, size_t *bytes);

/* inputs.c: `tables:`, before anything is parsed. */
void dal_build_tables(dal_build *build);
/* compile_calls.c: as dal_compile, also where the start does not satisfy the constraints or does not determine the accelerations. For
 * analyses that say why. */
dal_status dal_compile_anyway(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);
/* compile_calls.c: as dal_compile, with a note where the start is one of several that the description leaves open. */
dal_status dal_compile_thoroughly(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);

/* inputs.c: inputs and states, when forces are known; with the names of tables. */
void dal_build_states(dal_build *build, dal_system *system);
/* conserved.c: which momenta the whole model keeps, as bits (dal_system); does anything but potential forces do work; which expressions of forces are
 * written as the number zero. n: how many expressions belong to forces. */
unsigned dal_build_conserved(const dal_build *build);
bool dal_does_work(const dal_build *build, int n);
bool *dal_idle_expressions(const dal_build *build, int n);

/* system_layout.c: the layout of a system, when the start is known; then all its fields are filled but those of draft.c. */
void dal_layout_system(dal_build *build, dal_system *system);
void dal_count_states(dal_system *system); /* n_y, when n_w is known */

/* draft.c: before a system is packed: do its choices go with its layout? Its rank, where its size depends on it; its information. False with messages. */
bool dal_draft_check(dal_build *build, dal_system *draft);

/* programs.c: which signals a list reads; the program of a list, when all signals that it reads are known. */
void dal_mark_needs(dal_build *build, const dal_expressions *list, bool *needed);
void dal_build_program(dal_build *build, const dal_expressions *list, dal_compiled *out);

/* compile.c: all steps; build->packed becomes the system. DAL_OK or DAL_BAD_MODEL with messages. */
dal_status dal_build_system(dal_build *build, dal_system *draft);

/* tree_loops.c: the rows of the layout as loops on the links. */
dal_loops *dal_build_loops(dal_arena *arena, const dal_system *system);
/* The same branch by branch; NULL: not here. After forces, methods and states are known. */
dal_sweep *dal_build_sweep(dal_arena *arena, const dal_system *system);

#endif
