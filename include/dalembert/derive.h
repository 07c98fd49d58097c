/* The equations of motion in symbols, as a text.
 *
 *     dal_derivation_text(NULL, spec, &(dal_derivation_options){.form = "tex"}, messages, &text);
 */
#ifndef DALEMBERT_DERIVE_H
#define DALEMBERT_DERIVE_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: the equations of `lagrange` as text. */
typedef struct dal_derivation_options {
    int n_formulations; /* one after the other; 0: lagrange */
    const char *const *formulations;
    const char *coordinates; /* angle, joint or user; NULL: the model's own where it names some, otherwise joint */
    const char *form;        /* "txt", "md" (Markdown), "tex" (LaTeX), "json"; NULL: "txt" */
    bool steps;              /* positions, velocities and matrices as well */
    int width;               /* columns of the text; 0: 100 */
} dal_derivation_options;

/* *text is allocated by the allocator (NULL: malloc) and belongs to the caller; on any error it is NULL and the messages have the reason.
 * DAL_BAD_COMMAND: a formulation that cannot be derived, an unknown form, a width below 20. DAL_BAD_MODEL: the model has parts that cannot be
 * written in symbols. options may be NULL. */
DAL_API dal_status dal_derivation_text(const dal_allocator *allocator, const dal_spec *spec, const dal_derivation_options *options,
                                       dal_messages *messages, char **text);

#ifdef __cplusplus
}
#endif

#endif
