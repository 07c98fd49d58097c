/* Whole texts of files: printed twice, the first time to count. */
#ifndef DAL_ANALYSIS_WRITTEN_H
#define DAL_ANALYSIS_WRITTEN_H

#include "base/printer.h"
#include "base/message.h"
#include "dalembert/convert.h"

/* The text that `write` prints, from the allocator (NULL: malloc). */
dal_status dal_write_text(const dal_allocator *allocator, void (*write)(dal_printer *printer, const void *user), const void *user, char **text);

#endif
