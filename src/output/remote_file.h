/* A file of results that HDF5 writes, in a child process: its library does not survive that memory runs out. The child dies with its
 * parent, and what it has written can be read (run.h). */
#ifndef DAL_OUTPUT_REMOTE_FILE_H
#define DAL_OUTPUT_REMOTE_FILE_H

#include "output/checkpoint.h"

typedef struct dal_remote_file dal_remote_file;

/* Is it one of those? */
bool dal_is_remote_file(const char *path);

/* As dal_writer_open or, where there are rows before, dal_writer_resume. Whether the file can be written is known when the run begins. The watch may
 * be NULL. */
dal_status dal_remote_open(const char *path, long rows_before, double last, const dal_run_files_watch *watch, dal_messages *messages,
                           dal_remote_file **remote);
/* Where the rows go; as dal_writer_sink. */
const dal_sink *dal_remote_sink(dal_remote_file *remote);
/* As dal_writer_flush. */
dal_status dal_remote_flush(dal_remote_file *remote, bool to_disk);
/* The end of the file; as dal_writer_close. */
dal_status dal_remote_close(dal_remote_file *remote, bool keep, const dal_evidence *evidence);

#endif
