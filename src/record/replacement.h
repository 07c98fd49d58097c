/* A file that takes its name only when it is complete: it is written beside the target under a name that nobody has, then renamed. */
#ifndef DAL_RECORD_REPLACEMENT_H
#define DAL_RECORD_REPLACEMENT_H

#include "record/file.h"

typedef struct dal_replacement {
    const dal_destination *destination;
    char *target, *temporary; /* the name with symbolic links followed; the file beside it, NULL: there is none */
} dal_replacement;

/* The text, and `room` bytes behind it. NULL without memory. */
char *dal_copy_text(const dal_allocator *allocator, const char *text, size_t room);

/* Makes the empty temporary file. To be released in any case. */
dal_status dal_replacement_begin(dal_replacement *replacement, const dal_destination *destination, const char *path);
/* It is complete: it takes the place of the target. */
dal_status dal_replacement_finish(dal_replacement *replacement);
/* Removes what was not finished. */
void dal_replacement_release(dal_replacement *replacement);

#endif
