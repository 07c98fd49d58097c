/* One type of result file: how to open it, fill it row by row and finish it. The writer (writer.c) owns the list of
 * types, the name of the part and the renaming; a type only writes to the given file. */
#ifndef DAL_OUTPUT_FILE_H
#define DAL_OUTPUT_FILE_H

#include "dalembert/run.h"

/* Where and how a file is written. It must outlive the file. */
typedef struct dal_destination {
    const dal_allocator *allocator;
    dal_messages *messages;
    const char *name; /* what messages call it */
    const char *path; /* an empty file that exists already; NULL: standard output */
    bool units;
    bool resumes; /* the file has rows already: `cut` is called instead of `begin` */
} dal_destination;

/* How the run ended, as far as files record it. */
typedef struct dal_ending {
    bool known;              /* there is evidence */
    bool incomplete;         /* it says that the run did not reach its end */
    double time_end, until;  /* of the run, s */
    const char *json, *text; /* the evidence, for types that keep it; NULL: none */
} dal_ending;

typedef struct dal_file_type {
    const char *const *extensions; /* ends with NULL */
    dal_status (*open)(const dal_destination *destination, void **file);
    dal_status (*begin)(void *file, const dal_system_info *info, int n, const dal_column *columns);
    dal_status (*row)(void *file, int n, const double *values);
    /* All rows so far are in the file, for readers. */
    dal_status (*flush)(void *file);
    /* Keeps the first rows of a file that was begun with these columns; the last of them has the time `last`. NULL: the rows must be rewritten. */
    dal_status (*cut)(void *file, int n, const dal_column *columns, long rows, double last);
    /* Writes everything, with a mark if the file is not complete. */
    dal_status (*finish)(void *file, const dal_ending *ending, bool complete);
    bool keeps_evidence;         /* its texts are in the file */
    void (*release)(void *file); /* finished or not: an unfinished file keeps the complete rows that were written */
} dal_file_type;

extern const dal_file_type dal_csv_type, dal_hdf5_type;

/* Does the extension belong to a type, or is the path "-"? Otherwise a sentence lists the types. */
bool dal_file_type_known(const char *path, dal_messages *messages);

/* dal_writer_close for callers that have the evidence as text. */
dal_status dal_writer_end(dal_writer *writer, bool keep, const dal_ending *ending);

/* "name: cannot be written: No space left on device"; returns DAL_BAD_FILE. */
dal_status dal_file_trouble(const dal_destination *destination, const char *doing, int error);
/* "name: cannot be resumed: 'name.part' is missing"; the same. */
dal_status dal_file_unresumed(const dal_destination *destination, const char *part, const char *why);

#endif
