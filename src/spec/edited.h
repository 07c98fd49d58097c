/* A text that was edited and read again. */
#ifndef DAL_SPEC_EDITED_H
#define DAL_SPEC_EDITED_H

#include "dalembert/spec.h"

/* Do two descriptions differ only in values of `parameters:`? Both were read from a text; marks, choices and recorded columns are the same. False
 * also if this is unknown, because the model has other files or a value is in quotes. */
bool dal_spec_only_values(const dal_spec *then, const dal_spec *now);

#endif
