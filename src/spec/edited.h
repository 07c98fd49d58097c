/* A text that was edited and read again. */
#ifndef DAL_SPEC_EDITED_H
#define DAL_SPEC_EDITED_H

#include "dalembert/spec.h"

/* Do two descriptions differ in nothing but values of `parameters:`? Both were read from a text; marks, choices and recorded columns are the same. False
 * also where it is not known: other files belong to the model, a value stands in quotes. */
bool dal_spec_only_values(const dal_spec *then, const dal_spec *now);

#endif
