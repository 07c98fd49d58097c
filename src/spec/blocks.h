/* Control blocks and sensors: written in their own sections, kept as states and named expressions.
 *
 * Nothing behind the reader knows them. A block 'c' becomes the expression (or state) 'c', its output, and what it needs beside:
 * 'c.input', states such as 'c.integral', each a name that can be recorded. Texts of the model stay whole, behind names of their
 * own, so that every message about them points at what was written.
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
/* The same when the included models exist: blocks that read bodies and joints. */
void dal_make_late_block(dal_reader *reader, const dal_tree *tree, const char *name);
/* computed_torque.c */
void dal_make_computed_torque(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, const char *name);
/* One element of 'sensors', for dal_repeat. */
void dal_make_sensor(dal_reader *reader, const dal_tree *tree, const char *name);

/* driven_pose.c: `drive:` of a body, as constraints and named expressions. */
void dal_drive_pose(dal_reader *reader, const dal_tree *tree, dal_body_spec *body);
/* driven_legs.c: those that are driven by joints, when all joints are there. */
void dal_drive_by_legs(dal_reader *reader);
/* armature.c: that of the last joint, as a rotor and a gear. */
void dal_add_armature(dal_reader *reader, const dal_tree *tree);

/* ---- lowering ------------------------------------------------------------- */

/* "name.part", or the name itself for part == NULL. */
const char *dal_part_name(dal_reader *reader, const char *name, const char *part);
/* A named expression or a state of the element `name`; the text is either that of the model, or made here and known to be right. */
void dal_add_part(dal_reader *reader, const char *name, const char *part, dal_text text);
/* The same for a state. */
void dal_add_part_state(dal_reader *reader, const char *name, const char *part, double start, dal_text rate);
/* Text made here: complaints about it point at `mark`. */
dal_text dal_made_text(dal_reader *reader, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
/* A constant expression, or `value` as it is where none was given. */
bool dal_read_constant(dal_reader *reader, const dal_text *text, double *value);
/* [lowest, highest] */
bool dal_read_limits(dal_reader *reader, const dal_list *list, const char *key, double limit[2]);
/* Are the keys that were given among `words` (separated by blanks, "!": required)? Complains about each that is not. */
bool dal_keys_belong(dal_reader *reader, const dal_key *keys, const dal_tree *tree, const char *type, const char *words);

#endif
