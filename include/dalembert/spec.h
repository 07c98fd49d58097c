/* The editable description of a mechanism.
 *
 * A spec contains the statements of a model file, element by element, before anything is computed: numbers are still text (expressions in
 * parameters, time and channels), names are still names, and each piece has the file, line and column where it was written. The YAML reader makes
 * one; C code may make one by hand; `dal_compile` (system.h) turns it into a system.
 *
 * All memory of a spec that was read belongs to it; parts that the caller puts into it still belong to the caller, and must live as long as the spec
 * is used.
 *
 * A function that takes a spec (dal_compile, dal_check, ...) first checks that it has the form that a reader produces, and returns DAL_BAD_MODEL
 * (dal_check, dal_compare and pages: DAL_BAD_COMMAND) with the name of the wrong part otherwise:
 *
 *   - every count is from 0 to 10,000,000, and there are that many items
 *   - lists have as many entries as the language requires (two names in `connect`, 2 or 3 numbers in a vector), and every entry has a text
 *   - elements, points, pairs and included models have names, which are all different
 *   - kinds and spaces are members of their enums; values for the other space (an `angle` in a spatial model) are not given
 *   - a group (start, friction, points of a shape) that has values has a mark with a line, which says that it is given
 */
#ifndef DALEMBERT_SPEC_H
#define DALEMBERT_SPEC_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loop variable of `repeat` with its value inside an element (`i` is 3), and the included model in which the element is written: names are
 * searched there. A binding for the model only has the name "". */
typedef struct dal_binding {
    const char *name;
    int value;
    const struct dal_binding *outer;
    const struct dal_model_spec *model; /* NULL: the whole model */
} dal_binding;

/* A word or an expression as it was written; text == NULL: not given. */
typedef struct dal_text {
    const char *text;
    dal_mark mark; /* of the first character of the text (inside quotes) */
    bool fix;      /* {value: ..., fix: true}: a start value that assembly must keep */
} dal_text;

/* A sequence of them: a vector, or a list of names. n == 0: not given. */
typedef struct dal_list {
    int n;
    dal_text *item;
    dal_mark mark;
    bool fix;
    bool body_axes; /* {body: [...]}: components in body axes instead of world axes */
} dal_list;

/* `name: text` pairs in the order of the file: parameters, define, inputs, options of a choice. */
typedef struct dal_pair {
    dal_text name, value;
    double number; /* parameters only: its value, overrides included */
    bool shapes;   /* parameters only: the reader used it, for the number of elements, for tables, blocks or included models */
    const dal_binding *binding;
    const char *block;              /* define only: the block or sensor that made it; NULL: the model itself */
    dal_text set;                   /* parameters only: its text in `set:` of the including model; not given: only `value` counts */
    const dal_binding *set_binding; /* of that text */
    dal_text period; /* inputs only: the value is an expression, sampled with this period and held in between; not given: a program sets it */
} dal_pair;

typedef enum dal_attitude {
    DAL_ATTITUDE_NONE,
    DAL_ATTITUDE_QUATERNION, /* first: w, x, y, z */
    DAL_ATTITUDE_AXIS,       /* first: axis, second: angle */
    DAL_ATTITUDE_EULER,      /* first: three angles, intrinsic, in the order of `letters` ("zyx") */
    DAL_ATTITUDE_RPY,        /* first: roll, pitch, yaw as in URDF */
    DAL_ATTITUDE_AXES        /* two directions: letters[0] along first exactly, letters[1] along second made orthogonal */
} dal_attitude;

typedef struct dal_orientation {
    dal_attitude kind;
    char letters[4];
    dal_list first, second;
    dal_mark mark;
    bool fix;
} dal_orientation;

/* points: {B: [x, y]} or {B: {at: [...], x: [...], z: [...]}} */
typedef struct dal_point_spec {
    dal_text name;              /* "P.3" for a repeated one, of the ground */
    const dal_binding *binding; /* of its loop variables; NULL: those of its body or model */
    dal_list at;
    dal_orientation axes; /* kind NONE, or AXES (one direction given: letters[1] is 0) */
} dal_point_spec;

typedef struct dal_points {
    int n;
    dal_point_spec *item;
} dal_points;

/* shape: {type: box, size: [...], ...}, or a list of them: for pictures, and to compute masses that are not given */
typedef struct dal_figure_spec {
    dal_text type, radius, length, thickness, density, scale, angle, color, file;
    dal_list size, at, axis;
    dal_list stretch; /* of a mesh that a URDF file names: its scale along x, y and z; may mirror */
    dal_orientation orientation;
    int n_points; /* of a polyline, or of the outline of a plate */
    dal_list *points;
    dal_mark points_mark;    /* line 0: neither was given */
    bool outline;            /* they were written as `outline:` */
    const char *path, *root; /* of a mesh: the file, and the folder that it has to lie in; NULL: none */
    bool picture;            /* a mesh that a URDF file names: it is only drawn, and omitted where it cannot be read */
    dal_mark mark;
} dal_figure_spec;

typedef struct dal_figures {
    int n;
    dal_figure_spec *item;
} dal_figures;

typedef struct dal_body_spec {
    dal_text name; /* "rod.3" for a repeated one */
    const dal_binding *binding;
    dal_text mass, density, angle, rate; /* density: of the shapes, from which mass, centre and inertia are computed */
    dal_list center, inertia;            /* inertia: 1 (planar), 3, or 6 in the order xx yy zz xy xz yz */
    dal_list position, velocity, angular_velocity, between;
    dal_text from; /* placed relative to another body, in its axes: only with the model's own coordinates */
    dal_orientation orientation;
    dal_points points;
    dal_figures shape;
    dal_text inertia_check; /* "warn": physically impossible moments of inertia are accepted */
    bool fix;               /* fix: true beside the values: every given start value of the body is kept */
} dal_body_spec;

/* start: {angle: , distance: , rate: , within: , branch: } of a joint */
typedef struct dal_start_spec {
    dal_text angle, distance, rate, within, branch;
    dal_mark mark; /* line 0: not given */
    bool fix;
} dal_start_spec;

/* friction: {coefficient: , limit: , ...} of a joint */
typedef struct dal_friction_spec {
    dal_text coefficient, resting, limit, resting_limit, stribeck, viscous, radius, velocity;
    dal_mark mark; /* line 0: not given */
} dal_friction_spec;

/* non-ideal: a force of a joint or constraint in addition to its ideal reaction: {channel: force along it}, in the order of the file */
typedef struct dal_law_spec {
    int n;
    dal_pair *item;
} dal_law_spec;

typedef struct dal_joint_spec {
    dal_text name, type;
    const char *label; /* what its coordinates are called after, where that is not its name: a joint of a URDF file whose name
                                 cannot stand in expressions; or NULL */
    const dal_binding *binding;
    dal_list connect;           /* two of "body", "body.point", "ground", "ground.point"; up to four where the type is the model's own */
    dal_list axis, axis_second; /* axis: [..] or axis: [[..], [..]] */
    dal_list normal;
    dal_list joints;                  /* gear, rack: the joints whose coordinates are coupled */
    dal_text joint, body, coordinate; /* driven, lock: the driven coordinate */
    dal_text value, ratio, radius, pitch, length, drive, drive_rate, zero;
    dal_start_spec start;
    dal_friction_spec friction;
    dal_list compliance;     /* of force and torque */
    dal_law_spec law;        /* non-ideal: {channel: expression} */
    dal_law_spec parameters; /* of a type of the model's own: {name: constant expression} */
    bool limited;            /* its coordinate has limits, as in URDF: only an end stop among the forces enforces them */
    double limit[2];         /* the lowest and the highest value */
    bool cut;                /* closes a loop: not in the tree of the family `joint` */
} dal_joint_spec;

/* A type of joints of the model's own: equations in the points M, N, P, Q and the axes of the sides that are zero. */
typedef struct dal_joint_type_spec {
    dal_text name; /* "left.slot": of an included model */
    const dal_binding *binding;
    dal_list equations;       /* at position level, or at velocity level where they contain rates */
    dal_list velocity;        /* at velocity level */
    dal_law_spec parameters;  /* name: default value */
    dal_list required;        /* names of parameters without one */
    dal_law_spec coordinates; /* name: the expression that it measures */
} dal_joint_type_spec;

typedef struct dal_force_spec {
    dal_text name, type;
    const dal_binding *binding;
    dal_list connect;
    dal_text joint, body, coordinate, axes;
    dal_list value;              /* one expression (n == 1) or a vector */
    dal_list stiffness, damping; /* one number, or six for a bushing */
    dal_text length, free;
    dal_list center;
    dal_text mu, gradient;
    dal_list direction;
    dal_text lower, upper, gap, restitution, velocity; /* end-stop, clearance */
    dal_list limit;                                    /* motor: lowest and highest effort */
} dal_force_spec;

typedef struct dal_table_spec {
    dal_text name, file, smooth, outside;
    dal_list x, y;
    int n; /* rows read: from the lists (numbers evaluated) or from the file */
    double *x_value, *y_value;
} dal_table_spec;

typedef struct dal_state_spec {
    dal_text name, start, rate;
    const dal_binding *binding;
} dal_state_spec;

/* A coordinate of the model's own: bodies are placed by expressions in it. */
typedef struct dal_coordinate_spec {
    dal_text name, start, rate; /* values with fix: true beside them are kept exactly */
    const dal_binding *binding;
} dal_coordinate_spec;

/* A constraint written as an expression that is zero: at position level, or at velocity level. */
typedef struct dal_constraint_spec {
    dal_text name, position, velocity;
    dal_law_spec law;
    const dal_binding *binding;
    const char *derived; /* not written, but derived from the balance of forces: as an equation; NULL: written */
} dal_constraint_spec;

/* The rows of a matrix. n == 0: not given. */
typedef struct dal_matrix {
    int n;
    dal_list *row;
    dal_mark mark;
} dal_matrix;

/* A sub-system whose equations are known, of `systems:`: M q'' = force, with the energies where they are known. Or `lagrangian:` (its name is
 * "lagrangian"): L, or T and V, in coordinates of the model's own, and a dissipation. */
typedef struct dal_subsystem_spec {
    dal_text name;
    const dal_binding *binding;
    dal_list coordinates;
    dal_matrix mass;
    dal_list force;
    dal_text kinetic, potential;
    dal_text L, T, V, dissipation;
} dal_subsystem_spec;

/* A model that was included. Its elements are among those of the whole model, and their names begin with its name; names of elements inside them
 * (connect, joints, ...) are those of the whole model, and "left.ground" is its ground. Names in its expressions are its own: its name is put before
 * them in a search. */
typedef struct dal_model_spec {
    dal_text name;       /* "left": its bodies are left.thigh, ...; "left.foot": a model inside it */
    dal_text file;       /* as written */
    dal_text ground;     /* the frame that is its ground: "trunk.L"; "ground" */
    dal_points points;   /* of its ground */
    dal_figures shape;   /* the same */
    dal_binding binding; /* of the texts in it */
} dal_model_spec;

/* --set name=value */
typedef struct dal_override {
    const char *name, *value; /* value is an expression in parameters */
} dal_override;

/* A word with options: `stabilization: {baumgarte: {alpha: 10, beta: 10}}`, `{direct-correction: 1e-12}`, or just `none`. */
typedef struct dal_choice {
    dal_text name;
    dal_text value; /* {direct-correction: 1e-12}: the number */
    int n;
    dal_pair *option;
} dal_choice;

/* `undetermined: minimum-norm`, or {minimum-norm: {eta: [...]}} */
typedef struct dal_undetermined_spec {
    dal_text word;
    dal_list eta; /* one acceleration for each velocity: undetermined accelerations are as near to these as possible; n = 0: zero */
} dal_undetermined_spec;

typedef struct dal_simulate_spec {
    dal_choice coordinates, formulation, stabilization, integrator;
    dal_text until, step, every, rtol, atol, max_step, event_tolerance;
    dal_text start; /* given, equilibrium */
    dal_undetermined_spec undetermined;
    bool compile; /* runs are compiled: dal_run_options.compiled */
} dal_simulate_spec;

/* A column of `record:`; a name and a unit of its own where it is written {camber: {value: ..., unit: deg}}. */
typedef struct dal_record_spec {
    dal_text value;
    dal_text name; /* not given: the text of the value */
    dal_text unit; /* not given: it is inferred */
    const dal_binding *binding;
} dal_record_spec;

/* `view:`, how the page shows the model when it is opened. */
typedef struct dal_view_spec {
    dal_list traces;              /* points or bodies whose paths are drawn */
    dal_list hidden, transparent; /* bodies; "ground" can be hidden, too */
    dal_law_spec colors;          /* body: color */
    dal_matrix plots;             /* one row of columns a plot */
    dal_list camera;              /* direction from the mechanism to the eye */
    dal_text zoom, focus;
} dal_view_spec;

typedef enum dal_space { DAL_PLANAR = 2, DAL_SPATIAL = 3 } dal_space; /* the number is the dimension */

typedef struct dal_spec {
    const char *file; /* as given */
    dal_text name;
    dal_space space;
    dal_mark space_mark;
    dal_list gravity;
    dal_points ground;
    dal_figures ground_shape;
    int n_parameters, n_define, n_inputs, n_bodies, n_joints, n_forces, n_tables, n_states, n_record;
    int n_coordinates, n_constraints, n_systems, n_speeds, n_models, n_joint_types;
    dal_pair *parameters, *define, *inputs;
    dal_coordinate_spec *coordinates;
    dal_constraint_spec *constraints;
    dal_subsystem_spec *systems; /* with the Lagrangians */
    dal_pair *speeds;            /* quasi-velocities: name, expression linear in the rates */
    dal_body_spec *bodies;
    dal_joint_spec *joints;
    dal_joint_type_spec *joint_types;
    dal_force_spec *forces;
    dal_table_spec *tables;
    dal_state_spec *states;
    dal_model_spec **models; /* that were included, at any depth */
    dal_record_spec *record;
    dal_view_spec view;
    bool record_given; /* record: [] means nothing; no record: means the usual channels */
    bool motion;       /* the motion of all bodies, energies and residuals are recorded beside that: dal_spec_record_motion (page.h) */
    bool shown;        /* columns that pages show are computed beside the recorded ones: dal_spec_show (page.h) */
    dal_simulate_spec simulate;
    /* The only coordinate of a joint has the name of the joint; the coordinates of the only free body have no prefix: x, y, z, qw, ... Set for URDF
     * files. */
    bool plain_names;
    char hash[17];    /* of the text of the model, of the files it reads and of the overrides: 16 hex digits */
    const char *text; /* the model's text, for reports */
    int n_overrides;  /* that it was read with */
    const dal_override *overrides;
    bool floating; /* the same: dal_read_options */
    int n_files;   /* that it reads: the model itself, included models, tables, meshes; a file may be named twice. Text from memory: none */
    const char **files;
    const dal_message *warnings; /* about the text, a list */
    void *memory;                /* the spec's own arena */
} dal_spec;

/* Read a model file, or a text in memory (`file` is then only a name for messages; tables with `file:` and `models:` are refused). Every error of
 * the text is added to `messages`; on any error *spec is NULL. The type of the file follows its extension: .urdf is a robot in URDF (doc/urdf.md),
 * everything else is YAML. Overrides have names and values. options may be NULL; so may the `file` of dal_spec_parse (messages then call it
 * "model"), and its text if the length is 0. */
DAL_API dal_status dal_spec_read(const dal_allocator *allocator, const char *file, int n_overrides, const dal_override *overrides,
                                 dal_messages *messages, dal_spec **spec);
typedef struct dal_read_options {
    int n_overrides;
    const dal_override *overrides;
    bool floating; /* URDF: the root link is a free body instead of being fixed to the ground */
    /* Called with every file that the model names (included models, tables, meshes), before it is read and even where it cannot be; may
     * be NULL. */
    void (*file)(void *user, const char *path);
    void *file_user;
} dal_read_options;
DAL_API dal_status dal_spec_read_with(const dal_allocator *allocator, const char *file, const dal_read_options *options, dal_messages *messages,
                                      dal_spec **spec);
DAL_API dal_status dal_spec_parse(const dal_allocator *allocator, const char *file, const char *text, size_t length, int n_overrides,
                                  const dal_override *overrides, dal_messages *messages, dal_spec **spec);
/* A copy that owns all its memory, for dal_spec_set (system.h) and similar functions: `spec` is not changed. */
DAL_API dal_status dal_spec_clone(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_spec **copy);
/* Does nothing if the spec has no memory of its own (made by hand). */
DAL_API void dal_spec_free(dal_spec *spec);

/* One line of the reference of the language: from the table that the reader runs on. */
typedef struct dal_key_doc {
    const char *section; /* "model", "body", "joint", ... */
    const char *key, *shape, *text;
    /* The unit of its numbers: "kg m^2"; "1": a number without a unit; "own": a unit that the model chooses, as of a parameter or a coordinate of
     * its own, "own/s": this unit per second; "": the key has no number. "N/m or N m/rad": the first along a length, the second about an angle;
     * "m/N, rad/(N m)": of the first entry and of the second. */
    const char *unit;
} dal_key_doc;
/* NULL after the last, and for negative numbers. */
DAL_API const dal_key_doc *dal_spec_key(int index);

#ifdef __cplusplus
}
#endif

#endif
