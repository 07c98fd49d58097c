/* A file of results that HDF5 writes, in a child process, because its library crashes when memory runs out. The child ends with its parent, and
 * the rows that it has written can be read (run.h). */
#ifndef DAL_OUTPUT_REMOTE_FILE_H
#define DAL_OUTPUT_REMOTE_FILE_H

#include "output/checkpoint.h"

typedef struct dal_remote_file dal_remote_file;

/* Is it such a file? */
bool dal_is_remote_file(const char *path);

/* Like dal_writer_open or, if there are earlier rows, dal_writer_resume. Whether the file can be written is known when the run begins. The watch may
 * be NULL. */
dal_status dal_remote_open(const char *path, long rows_before, double last, const dal_run_files_watch *watch, dal_messages *messages,
                           dal_remote_file **remote);
/* The sink for the rows; like dal_writer_sink. */
const dal_sink *dal_remote_sink(dal_remote_file *remote);
/* Like dal_writer_flush. */
dal_status dal_remote_flush(dal_remote_file *remote, bool to_disk);
/* Closes the file; like dal_writer_close. */
dal_status dal_remote_close(dal_remote_file *remote, bool keep, const dal_evidence *evidence);

#endif
