/* A file that gets its name only when it is complete: it is written beside the target as NAME.part, then renamed.
 *
 * If a run does not reach its end, its records stay in NAME.part. The part is locked while it is written, so that two
 * writers of one file do not mix; a part without a lock was left by an earlier run, and a new run replaces it. A file that replaces
 * another has its permissions. */
#ifndef DAL_OUTPUT_REPLACEMENT_H
#define DAL_OUTPUT_REPLACEMENT_H

#include "output/file.h"

typedef struct dal_replacement {
    const dal_destination *destination;
    char *target, *part; /* the name with symbolic links followed; NAME.part beside it */
    int fd;              /* of the part, open for writing; -1: it was not created, or is closed */
    bool taken;          /* the part comes from an earlier run: it is never removed */
} dal_replacement;

/* The text, with `room` bytes after it. NULL: there is no memory. */
char *dal_copy_text(const dal_allocator *allocator, const char *text, size_t room);

/* Like realpath(path, NULL), but also for a link to a file that does not exist yet. NULL: neither a file nor a link. */
char *dal_real_path(const char *path);

/* May the target be replaced, and may files be written beside it? The caller always releases it. */
dal_status dal_replacement_begin(dal_replacement *replacement, const dal_destination *destination, const char *path);
/* Creates the empty part. */
dal_status dal_replacement_make(dal_replacement *replacement);
/* Waits, half a minute at most, while a process holds NAME.part: the child of a run that was killed at its end is about to finish it. */
void dal_part_settle(const char *part);
/* Opens the part that an earlier run left. A run that was killed may have a child that ends a moment later: the call waits for it. */
dal_status dal_replacement_open(dal_replacement *replacement);
/* An empty file NAME.part.new beside an opened part, to rewrite its rows: open in *fd, locked as the part is. */
dal_status dal_replacement_renew(const dal_replacement *replacement, char **path, int *fd);
/* That file becomes the part; or, if `keep` is false, it is removed. Its name is released. */
dal_status dal_replacement_swap(dal_replacement *replacement, bool keep, char *path, int fd);
/* The part is complete: it replaces the target. */
dal_status dal_replacement_finish(dal_replacement *replacement);
/* The part stays, and a message says where and why: `what` was recorded. */
void dal_replacement_leave(dal_replacement *replacement, const char *what);
/* Removes the part that was neither finished nor left. */
void dal_replacement_release(dal_replacement *replacement);

#endif
