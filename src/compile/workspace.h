/* Memory of a compile that the next one reuses: one block, allocated piece by piece and freed as a whole.
 *
 * A varied system takes some microseconds to compile, and a fifth of a megabyte meanwhile. Asking the system for that memory each time, and
 * giving it back, would take longer than the compile. */
#ifndef DAL_COMPILE_WORKSPACE_H
#define DAL_COMPILE_WORKSPACE_H

#include "dalembert/base.h"

typedef struct dal_workspace {
    dal_allocator below; /* of the block, and of what does not fit into it */
    size_t size, used;
    size_t wanted; /* all that was asked for since it was opened */
    char *block;
} dal_workspace;

/* NULL without memory. */
dal_workspace *dal_workspace_create(const dal_allocator *below);
/* An allocator on it, for one thread. All that was taken has to be released before it is closed. */
dal_allocator dal_workspace_open(dal_workspace *workspace);
/* The block grows to the size that was needed, up to a limit. */
void dal_workspace_close(dal_workspace *workspace);
void dal_workspace_free(dal_workspace *workspace);

#endif
