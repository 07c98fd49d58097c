/* Units of expressions. units.c walks over the model, unit_rules.c has what operations do, unit_names.c what names are. */
#ifndef DAL_COMPILE_UNITS_H
#define DAL_COMPILE_UNITS_H

#include "compile/build.h"
#include "compile/dimension.h"

/* The dimension of a part of a text. */
typedef struct dal_unit_tag {
    dal_dimension dimension;
    bool named;  /* channels are in it */
    bool number; /* a bare number */
    bool degree; /* the word deg */
} dal_unit_tag;

/* Of a parameter, input, state, coordinate or speed: in the whole model, and in the text that is being read. */
typedef struct dal_unit_name {
    int whole, here; /* unknowns + 1; 0: none yet */
    int stamp;       /* of the text */
} dal_unit_name;

typedef struct dal_unit_define {
    enum { DAL_UNIT_UNSEEN, DAL_UNIT_OPEN, DAL_UNIT_KNOWN } progress;
    dal_dimension dimension;
    int n;
} dal_unit_define;

/* `alone`: a text is read by itself; its names mean what fits there. A sum of different quantities is reported then. Otherwise a name is one
 * quantity in the whole model, and a sum that cannot be says nothing. */
typedef struct dal_inference {
    dal_build *build;
    dal_arena *arena;
    dal_graph *graph;
    dal_messages *silent;
    dal_unknowns unknowns;
    int n_tags;
    size_t cap_tags;
    dal_unit_tag *tags;
    bool alone, reported;
    int stamp, depth;
    dal_unit_name *names[DAL_SYMBOL_BODY];
    dal_unit_define *defines[2]; /* by `alone` */
    dal_dimension *table_x, *table_y;
} dal_inference;

/* A number for dal_value.unit. */
int dal_unit_add(dal_inference *units, const dal_unit_tag *tag);
/* unit_rules.c: for dal_parser.unit */
int dal_unit_rule(void *user, const dal_operation *operation);
/* unit_names.c: for dal_parser.resolve */
bool dal_unit_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint);
/* units.c: the dimension of a text. False: it cannot be read so. */
bool dal_unit_of_text(dal_inference *units, const dal_binding *binding, dal_text text, dal_dimension *out, int *n);
/* The unknown dimension of a name; numbers of symbols as in build.h. */
dal_dimension dal_unit_of_name(dal_inference *units, int kind, int index);

#endif
