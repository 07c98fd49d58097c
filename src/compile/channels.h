/* Channels: the quantities of elements that an expression may read. */
#ifndef DAL_COMPILE_CHANNELS_H
#define DAL_COMPILE_CHANNELS_H

#include "compile/build.h"

enum {
    DAL_CHANNEL_VECTOR = 1,   /* with components .x, .y, .z */
    DAL_CHANNEL_RESULT = 2,   /* known after the forces: for records only */
    DAL_CHANNEL_ATTITUDE = 4, /* particles do not have it */
    DAL_CHANNEL_OF_TYPE = 8,  /* only some types of the element have it */
    DAL_CHANNEL_ALONG = 16,   /* forces: only one whose scalar acts along its length or coordinate has it */
    DAL_CHANNEL_CONSTANT = 32 /* of the description: not in lists of what moves */
};

typedef struct dal_channel {
    const char *of, *name, *unit; /* of: "body", "point", "joint", "force", "constraint", "model" */
    unsigned spaces, flags;
    const char *text;
} dal_channel;

extern const dal_channel dal_channels[]; /* ends with of == NULL */

/* A name on its way to a value. */
typedef struct dal_lookup {
    dal_build *build;
    const char *name;
    dal_mark mark;
    int primes;
    dal_value *value; /* n = 0 after a refusal that has been reported */
} dal_lookup;

/* Each returns true with the value, or false: then value->n is 0 if an error was reported, else the caller reports. */
bool dal_element_channel(const dal_lookup *lookup, const dal_symbol *symbol, const char *rest); /* NULL: the ground */
bool dal_model_channel(const dal_lookup *lookup); /* false without a report: no channel of the model begins so */
bool dal_time_channel(const dal_lookup *lookup);
bool dal_coordinate_channel(const dal_lookup *lookup, int index); /* of the model's own */
bool dal_plain_channel(const dal_lookup *lookup, dal_signal_kind kind, int index);

/* Report an error at the name; return false. */
bool dal_refuse(const dal_lookup *lookup, const char *format, ...) DAL_PRINTF(2, 3);
/* It depends (`through` something else, or itself) on what cannot be used here: `noun`. */
bool dal_refuse_reach(const dal_lookup *lookup, const char *noun, bool through);

#endif
