/* C code of a model: its equations of motion as one file and its header, which need nothing but libm (doc/generate.md).
 *
 *     dal_c_code *code;
 *     dal_c_code_generate(NULL, spec, &(dal_c_code_options){.name = "crank", .formulation = "kane"}, messages, &code);
 *     ... code->source, code->header ...
 *     dal_c_code_free(code);
 */
#ifndef DALEMBERT_GENERATE_H
#define DALEMBERT_GENERATE_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: the equations of `lagrange`, with the values of parameters in the code. */
typedef struct dal_c_code_options {
    const char *name;        /* of the file, without ".c": names in it begin with this. NULL: "model" */
    const char *formulation; /* any that dal_derivation_text knows but `component`; NULL: "lagrange" */
    const char *coordinates; /* family; NULL: the model's own, and joint for `recursive` */
    bool parameters;         /* they are an argument. A parameter is fixed, and a note names it, if the code would be wrong for other values */
    int lanes;               /* 4 or 8: also functions that compute this many copies at once; 0: none */
    bool jacobians;          /* derivatives of the accelerations as well */
} dal_c_code_options;

typedef struct dal_c_code {
    const char *source, *header; /* the texts of NAME.c and NAME.h */
    int coordinates, velocities, rows;
    int operations; /* of one evaluation of the accelerations */
    void *memory;
} dal_c_code;

/* DAL_BAD_COMMAND: an unknown formulation or family, another number of lanes. DAL_BAD_MODEL: a part of the model that cannot be generated, which the
 * messages name. DAL_NUMERICAL: no state of the model can be evaluated. On any error *code is NULL. options may be NULL. */
DAL_API dal_status dal_c_code_generate(const dal_allocator *allocator, const dal_spec *spec, const dal_c_code_options *options,
                                       dal_messages *messages, dal_c_code **code);
DAL_API void dal_c_code_free(dal_c_code *code);

#ifdef __cplusplus
}
#endif

#endif
