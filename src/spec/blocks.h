/* Control blocks and sensors. A model has them in their own sections; a spec has them as states and named expressions.
 *
 * Only the reader knows them. A block 'c' becomes the expression (or state) 'c', which is its output, and helpers:
 * 'c.input', states such as 'c.integral', each a name that can be recorded. Each text of the model stays whole and has a name of its own, so that
 * every message about it points at the text in the file.
 */
#ifndef DAL_SPEC_BLOCKS_H
#define DAL_SPEC_BLOCKS_H

#include "spec/reader.h"

/* An element of 'blocks' while it is read. */
typedef struct dal_block_keys {
    dal_text type, input, kp, ki, kd, filter, filter_start, tracking, time, gain, start, frequency, damping, motors;
    dal_list limit, numerator, denominator, joints, acceleration, reference;
} dal_block_keys;

/* One of 'sensors'. */
typedef struct dal_sensor_keys {
    dal_text type, joint, body, force, coordinate, component, lag, start;
    dal_list connect, range;
} dal_sensor_keys;

/* One element of 'blocks', for dal_repeat. */
void dal_make_block(dal_reader *reader, const dal_tree *tree, const char *name);
/* The same for blocks that read bodies and joints; called when the included models exist. */
void dal_make_late_block(dal_reader *reader, const dal_tree *tree, const char *name);
/* computed_torque.c */
void dal_make_computed_torque(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, const char *name);
/* One element of 'sensors', for dal_repeat. */
void dal_make_sensor(dal_reader *reader, const dal_tree *tree, const char *name);

/* driven_pose.c: `drive:` of a body, as constraints and named expressions. */
void dal_drive_pose(dal_reader *reader, const dal_tree *tree, dal_body_spec *body);
/* driven_legs.c: bodies that are driven by joints; called when all joints are known. */
void dal_drive_by_legs(dal_reader *reader);
/* armature.c: the armature of the last joint, as a rotor and a gear. */
void dal_add_armature(dal_reader *reader, const dal_tree *tree);

/* ---- lowering ------------------------------------------------------------- */

/* "name.part", or the name itself for part == NULL. */
const char *dal_part_name(dal_reader *reader, const char *name, const char *part);
/* A named expression of the element `name`. The text comes from the model, or was made here and is known to be right. */
void dal_add_part(dal_reader *reader, const char *name, const char *part, dal_text text);
/* The same for a state. */
void dal_add_part_state(dal_reader *reader, const char *name, const char *part, double start, dal_text rate);
/* A text made here: messages about it point at `mark`. */
dal_text dal_made_text(dal_reader *reader, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
/* A constant expression, or `value` if the model does not have it. */
bool dal_read_constant(dal_reader *reader, const dal_text *text, double *value);
/* [lowest, highest] */
bool dal_read_limits(dal_reader *reader, const dal_list *list, const char *key, double limit[2]);
/* Are all given keys among `words` (separated by blanks, "!": required)? Reports each one that is not. */
bool dal_keys_belong(dal_reader *reader, const dal_key *keys, const dal_tree *tree, const char *type, const char *words);

#endif
