/* The journal of a study: one record for each finished run, in the order in which they were finished.
 *
 *     "dalembert study\n", format, values, channels, shard, shards, length of the note, compiled, hash of the study,
 *     runs, mark of the generated code (study_code.h), checksum
 *     the note, filled up to eight bytes, checksum: bytes of the program that began the study
 *     records: length (4 bytes), the bytes of one_run.c, filled up to eight, checksum
 *
 * Checksums are FNV-1a, 64 bits. The last record of a killed process may be incomplete: the bytes after the last complete record are dropped when
 * the journal is continued. The file is locked while it is written.
 */
#ifndef DAL_STUDY_JOURNAL_H
#define DAL_STUDY_JOURNAL_H

#include "study/plan.h"

#include <sys/types.h>

typedef struct dal_journal {
    const dal_study *study;
    const char *path;
    dal_messages *messages;
    int fd;
    off_t end;     /* offset after the last complete record */
    uint64_t code; /* mark of the generated code of its runs; 0: none */
    double synced; /* when it was last on the disk */
} dal_journal;

/* Called with each record of a journal; false: stop. */
typedef bool dal_record_visitor(void *user, off_t place, const void *record, size_t size);

/* Opens a new journal, or the existing one if `resume` is true: `visit` gets its records. It must be closed in any case. */
dal_status dal_journal_open(dal_journal *journal, const dal_study *study, uint64_t code, const dal_study_options *options, dal_record_visitor *visit,
                            void *user, dal_messages *messages);
/* Adds a record. `*error` is the errno; `error` may be NULL. False: it cannot be written, and the journal is unchanged. */
bool dal_journal_add(dal_journal *journal, const void *record, size_t size, int *error);
/* Writes the added records to the disk. */
bool dal_journal_sync(dal_journal *journal);
void dal_journal_close(dal_journal *journal);

/* Opens a journal for reading only; another process may be writing it. */
dal_status dal_journal_read(dal_journal *journal, const dal_study *study, const char *path, dal_record_visitor *visit, void *user,
                            dal_messages *messages);
/* Reads the record at an offset that `visit` got, into `*buffer`, which grows; 0: it cannot be read. */
size_t dal_journal_record(const dal_journal *journal, off_t place, unsigned char **buffer, size_t *room);

#endif
