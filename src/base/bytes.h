/* Bytes into an open file. Where the process has a limit on the size of files (ulimit -f), the kernel would end it by SIGXFSZ: the signal
 * is held back while writing, and the limit becomes an error like a full disk. */
#ifndef DAL_BASE_BYTES_H
#define DAL_BASE_BYTES_H

#include <stddef.h>
#include <sys/types.h>

/* All of them, at `place` of the file (-1: where it stands). Returns 0 or errno; *done (may be NULL) counts the bytes that were written. */
int dal_write_bytes(int fd, const void *bytes, size_t n, off_t place, size_t *done);
/* Sets the size of the file. Returns 0 or errno. */
int dal_resize_file(int fd, off_t size);

#endif
