/* What the files of the reader share.
 *
 *   document.c    text -> tree             yaml_fault.c  why libyaml refused it
 *   schema.c      the tables of keys       shapes.c      tree -> one field, by the shape of its key
 *   start.c       shapes of start values   names.c       the one namespace
 *   parameters.c  constant expressions     repeat.c      repeated elements
 *   table_read.c  tables and their files   read_yaml.c   the sections of a model
 *   blocks.c      controllers, filters     sensors.c     measured signals: both become states and names (blocks.h)
 *   include.c     models inside models     hash.c        fingerprint
 *   mirror.c      mirrored parts           mirror_text.c their expressions (mirror.h)
 *   computed_torque.c  the block of this name: inverse dynamics as named expressions
 *   figure.c      shapes for pictures      mesh.c        their files: STL, OBJ; mesh_reduce.c
 *   xml.c         text -> elements         read_urdf.c, urdf_tree.c, urdf_spec.c: a robot, see urdf.h
 *   spec.c        files, memory, messages in order
 */
#ifndef DAL_SPEC_READER_H
#define DAL_SPEC_READER_H

#include "dalembert/spec.h"
#include "expr/expr.h"
#include "spec/document.h"
#include "spec/schema.h"
#include "spec/sound.h"

enum { DAL_ELEMENT_LIMIT = 100000, DAL_COPY_LIMIT = 5000000, DAL_FILE_LIMIT = 64 << 20 /* bytes */ };

typedef struct dal_name {
    const char *name;    /* NULL: a free slot */
    const char *section; /* "parameter", "body", ... */
    dal_mark mark;
    int index; /* of a parameter */
} dal_name;

/* Open addressing. */
typedef struct dal_names {
    dal_name *slot;
    size_t n, size;
} dal_names;

/* A value for a parameter from outside: `--set`, or `set:` of the model that includes this one. */
typedef struct dal_setting {
    dal_text name, value;
    dal_text written; /* `set:` alone: the expression of the including model */
    const dal_binding *binding;
} dal_setting;

/* The files that are being read, the innermost first. */
typedef struct dal_source {
    const char *path; /* from the folder of the whole model, without . and .. */
    const struct dal_source *outer;
    int depth; /* 0: the whole model */
} dal_source;

/* The files of the model, each as often as it is named. */
typedef struct dal_file_list {
    int n;
    size_t room;
    const char **path;
    void (*tell)(void *user, const char *path); /* NULL: no listener */
    void *user;
} dal_file_list;

/* `drive: {position: , by: [...]}` of a body, until its joints are known. */
typedef struct dal_driven_body {
    const char *name;
    dal_list by;
    dal_mark mark;
} dal_driven_body;

typedef struct dal_reader {
    dal_arena *keep, *scratch; /* memory of the spec; memory that is released after reading */
    dal_messages *messages;    /* the reader's own: they are sorted by place before callers get them */
    dal_spec *spec;
    dal_graph *graph; /* for constant expressions */
    dal_names names;
    const char **parameter_names;    /* ends with NULL: candidates for "did you mean" */
    struct dal_parameter *parameter; /* how far the evaluation of each is */
    bool uses_failed;                /* the last constant used a parameter without value */
    bool of_parameter;               /* the constant is the value of a parameter */
    const dal_binding *binding;      /* loop variables of the element that is being read */
    const char *what;                /* "body 'crank'"; NULL: the model itself */
    const char *key;                 /* that is being read */
    const dal_key *entry;            /* its row in the table of keys, if it has one */
    const char *folder;              /* of the model, "" or with a final '/'; NULL: the text did not come from a file */
    const char *root;                /* the folder of the whole model, in the same way */
    const dal_source *source;
    dal_yaml *yaml;
    struct dal_xml **xml; /* open while a URDF file is read */
    bool limits;          /* of a URDF file become end stops */
    int n_parts;          /* included models that were read */
    size_t room_parts;
    dal_spec **parts;
    bool *no_memory; /* set when libyaml runs out of memory */
    int n_settings;
    const dal_setting *settings;
    int elements, copies; /* elements made so far; nodes that `repeat` has read, and nodes of included files */
    int included;         /* number of files read, each as often as it was read */
    size_t included_bytes;
    dal_points *points; /* that a repeated point is added to, with their room and the words for them */
    size_t *points_room;
    const char *points_of;
    size_t coming; /* elements that the present `repeat` still makes, including this one; 0: one */
    size_t room_bodies, room_joints, room_forces, room_constraints, room_points, room_define, room_states, room_record, room_made;
    int n_made; /* constraints that `drive:` of a body makes */
    dal_constraint_spec *made;
    int n_driven; /* bodies that are driven by legs */
    size_t room_driven;
    dal_driven_body *driven;
    bool own_coordinates; /* the model has some: bodies are placed by them */
    uint64_t hash;
    dal_file_list *files;
} dal_reader;

/* ---- names.c ------------------------------------------------------------- */

/* Adds a name to the namespace; reports a bad name and a clash. */
void dal_names_add(dal_reader *reader, const char *name, const char *section, int index, dal_mark mark);
/* The entry of a name; NULL: there is none. */
const dal_name *dal_names_find(const dal_reader *reader, const char *name);

/* ---- shapes.c, start.c ---------------------------------------------------- */

typedef void dal_read_shape(dal_reader *reader, const dal_tree *tree, void *field);

/* Reads a map by a table. Reports unknown keys, keys of the other space and missing keys. */
void dal_read_keys(dal_reader *reader, const dal_key *keys, const dal_tree *map, void *element, const char *what);
/* "'mass' of body 'crank'", from reader->key and reader->what: for messages. */
const char *dal_label(const dal_reader *reader);
/* Messages now refer to `key` of the element that they referred to before. */
typedef struct dal_scope {
    const char *what, *key;
    const dal_key *entry;
} dal_scope;
dal_scope dal_descend(dal_reader *reader, const char *key);
/* Back to the value that dal_descend returned. */
void dal_ascend(dal_reader *reader, dal_scope outer);
/* "body 'crank'" */
const char *dal_what(const dal_reader *reader, const char *section, const char *name);
/* One scalar. False: it was missing or faulty; an error was reported. */
bool dal_read_scalar(dal_reader *reader, const dal_tree *tree, dal_text *text);
/* The same for an expression. */
bool dal_read_expression(dal_reader *reader, const dal_tree *tree, dal_text *text);
/* A sequence with something in it? Else there is a complaint that says what is needed; of a tree with a fault, none. */
bool dal_is_list(dal_reader *reader, const dal_tree *tree, const char *wanted);
/* A list of expressions; `n` of them, or any number above 0 for n == 0. */
bool dal_read_list(dal_reader *reader, const dal_tree *tree, int n, dal_list *list);
/* As many as the space has dimensions. */
bool dal_read_vector(dal_reader *reader, const dal_tree *tree, dal_list *list);
/* true or false. */
bool dal_read_flag(dal_reader *reader, const dal_tree *tree, bool *flag);
/* The map of a key that needs one. False: it was not a map. */
bool dal_needs_map(dal_reader *reader, const dal_tree *tree, const char *such_as);

dal_read_shape dal_read_start, dal_read_start_vector, dal_read_velocity, dal_read_inertia, dal_read_orientation, dal_read_points,
    dal_read_joint_start, dal_read_friction, dal_read_law, dal_read_values, dal_read_figures;

/* ---- parameters.c --------------------------------------------------------- */

/* When everything else was read: settings that are not parameters. */
void dal_read_settings(dal_reader *reader);
/* spec->parameters have their texts: applies the settings and finds the values. */
void dal_read_parameters(dal_reader *reader);
/* The value of an expression in parameters and loop variables. */
bool dal_constant(dal_reader *reader, const dal_text *text, double *value);

/* ---- repeat.c ------------------------------------------------------------- */

/* Calls `make` once, or once for each number of `repeat:`, with the element's name ("rod.3") and reader->binding set. */
typedef void dal_make_element(dal_reader *reader, const dal_tree *tree, const char *name);
void dal_repeat(dal_reader *reader, const dal_tree *tree, const char *section, dal_make_element *make);
/* "rod.{i-1}.B" -> "rod.2.B". NULL after an error. */
const char *dal_expand_name(dal_reader *reader, const dal_text *name);

/* ---- table_read.c --------------------------------------------------------- */

/* One element of 'tables', its file read. */
void dal_read_table(dal_reader *reader, const dal_tree *tree, dal_table_spec *table);
/* Why a path in a model must not be followed: it has to stay in the model's folder. NULL: it may be followed. */
const char *dal_file_fault(const dal_reader *reader, const char *path);

/* ---- read_yaml.c ---------------------------------------------------------- */

/* A whole model, into reader->spec. */
void dal_read_model(dal_reader *reader, const dal_tree *root);

/* ---- include.c ------------------------------------------------------------ */

/* `models:`, after everything else of the model was read: adds the elements of the included models. */
void dal_read_models(dal_reader *reader, const dal_tree *tree);

/* ---- read_urdf.c ---------------------------------------------------------- */

/* A <robot>; floating: its root is free. */
struct dal_xml_node;
void dal_read_urdf(dal_reader *reader, const struct dal_xml_node *root, bool floating);

/* ---- hash.c --------------------------------------------------------------- */

/* The hash of nothing. */
uint64_t dal_hash_begin(void);
/* The hash with these bytes appended. */
uint64_t dal_hash_add(uint64_t hash, const void *bytes, size_t length);
/* Sixteen hexadecimal digits. */
void dal_hash_text(uint64_t hash, char text[17]);
/* With the name and the value of an override, which come last. */
uint64_t dal_hash_override(uint64_t hash, const dal_override *o);
/* The hash from the text of dal_hash_text. */
uint64_t dal_hash_number(const char text[17]);

/* ---- spec.c --------------------------------------------------------------- */

/* The folder of a path with its final '/', or "". */
const char *dal_folder_of(dal_arena *arena, const char *file);
/* The extension with its dot, or "". */
const char *dal_extension_of(const char *file);
/* Is its extension that of a model? */
bool dal_is_model_file(const char *file);
/* Is it that of a robot in URDF? */
bool dal_is_urdf_file(const char *file);
/* The model needs this file, now or when its shapes are drawn. */
void dal_note_file(dal_reader *reader, const char *path);
/* A whole regular file of at most DAL_FILE_LIMIT bytes, with a zero after its end. NULL: `why` says the reason. */
char *dal_load_file(dal_arena *arena, const char *path, size_t *length, const char **why);
/* The same for a file that a model names: links may not lead out of `folder`. */
char *dal_load_inside(dal_arena *arena, const char *folder, const char *path, size_t *length, const char **why);

/* number.c: the number at the beginning of a text, independent of the locale; returns its end, or NULL: there is none. */
const char *dal_scan_number(dal_arena *arena, const char *text, double *number);

#endif
