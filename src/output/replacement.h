/* A file that takes its name only when it is complete: it is written beside the target as NAME.part, then renamed.
 *
 * What a run that did not reach its end has recorded stays under NAME.part. The part is locked while it is written, so that two
 * writers of one file do not mix; a part without a lock was left by an earlier run, and a new run replaces it. A file that replaces
 * another has its permissions. */
#ifndef DAL_OUTPUT_REPLACEMENT_H
#define DAL_OUTPUT_REPLACEMENT_H

#include "output/file.h"

typedef struct dal_replacement {
    const dal_destination *destination;
    char *target, *part; /* the name with symbolic links followed; NAME.part beside it */
    int fd;              /* of the part, open for writing; -1: it was not made, or is no longer held */
    bool taken;          /* the part is that of an earlier run: it stays, whatever happens */
} dal_replacement;

/* The text, and `room` bytes behind it. NULL without memory. */
char *dal_copy_text(const dal_allocator *allocator, const char *text, size_t room);

/* As realpath(path, NULL), also of a link to a file that does not exist yet. NULL: neither a file nor a link. */
char *dal_real_path(const char *path);

/* May the target be replaced, and something be written beside it? To be released in any case. */
dal_status dal_replacement_begin(dal_replacement *replacement, const dal_destination *destination, const char *path);
/* Makes the empty part. */
dal_status dal_replacement_make(dal_replacement *replacement);
/* Waits, half a minute at most, while a process holds NAME.part: the child of a run that was killed at its end is about to finish it. */
void dal_part_settle(const char *part);
/* Takes the part that an earlier run left, as it is. A run that was killed may have a child that goes a moment later: it is waited for. */
dal_status dal_replacement_take(dal_replacement *replacement);
/* An empty file beside a part that was taken, NAME.part.new, to rewrite its rows: open in *fd, held as the part is. */
dal_status dal_replacement_renew(const dal_replacement *replacement, char **path, int *fd);
/* That file becomes the part, and its name is released; or, where `keep` is false, goes. */
dal_status dal_replacement_swap(dal_replacement *replacement, bool keep, char *path, int fd);
/* It is complete: it takes the place of the target. */
dal_status dal_replacement_finish(dal_replacement *replacement);
/* It stays as it is, and a message says where and why: `what` was recorded. */
void dal_replacement_leave(dal_replacement *replacement, const char *what);
/* Removes the part that was neither finished nor left. */
void dal_replacement_release(dal_replacement *replacement);

#endif
