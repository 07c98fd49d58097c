/* Records of journals in the order of the plan: one pass finds the offset of each run, then each run is read there. */
#include "study/journal.h"
#include "study/study_file.h"

#include "base/argument.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_JOURNALS = 10 * 1000 };

/* The place of the record of a run: journal << 48 | offset / 8. 0: there is none. */
typedef uint64_t spot;

struct dal_study_reader {
    const dal_study *study;
    dal_messages *messages;
    int n;
    dal_journal *journal;
    spot *spots;
    long next, found;
    int reading; /* number of the journal whose records are visited */
    unsigned char *buffer;
    size_t room;
};

static bool note_spot(void *user, off_t place, const void *record, size_t size)
{
    dal_study_reader *r = user;
    dal_study_row row;
    if (!dal_record_read(r->study, record, size, &row))
        return false;
    r->found += !r->spots[row.run];
    if (!r->spots[row.run])
        r->spots[row.run] = (uint64_t)r->reading << 48 | (uint64_t)place / 8;
    return true;
}

dal_status dal_study_open(const dal_study *study, int n, const char *const *journals, dal_messages *messages, dal_study_reader **reader)
{
    if (reader)
        *reader = NULL;
    if (!DAL_NEEDS(messages, reader) || !DAL_NEEDS(messages, study) || !DAL_NEEDS_ARRAY(messages, n, journals))
        return DAL_BAD_COMMAND;
    if (n > MOST_JOURNALS) {
        dal_error(messages, dal_nowhere, "%d journals are too many: %d at most", n, MOST_JOURNALS);
        return DAL_BAD_COMMAND;
    }
    dal_study_reader *r = calloc(1, sizeof *r);
    if (!r)
        return DAL_NO_MEMORY;
    *r = (dal_study_reader){.study = study, .messages = messages};
    r->journal = calloc((size_t)n + 1, sizeof *r->journal);
    r->spots = calloc((size_t)study->info.runs + 1, sizeof *r->spots);
    dal_status status = r->journal && r->spots ? DAL_OK : DAL_NO_MEMORY;
    for (; r->n < n && status == DAL_OK; r->n++) {
        r->reading = r->n;
        status = DAL_NEEDS(messages, journals[r->n]) ? dal_journal_read(&r->journal[r->n], study, journals[r->n], note_spot, r, messages)
                                                     : DAL_BAD_COMMAND;
    }
    for (int i = 1; status == DAL_OK && i < r->n; i++)
        if (r->journal[i].code != r->journal[0].code) {
            dal_error(
                messages, (dal_mark){journals[i], 0, 0},
                "has runs by other generated code than '%.200s': they are rounded otherwise, and results of both would not be those of one study",
                journals[0]);
            status = DAL_BAD_FILE;
        }
    if (status == DAL_OK)
        *reader = r;
    else
        dal_study_close(r);
    return status;
}

long dal_study_missing(const dal_study_reader *reader)
{
    return reader ? reader->study->info.runs - reader->found : 0;
}

void dal_study_rewind(dal_study_reader *reader)
{
    reader->next = 0;
}

bool dal_study_next(dal_study_reader *r, dal_study_row *row, dal_status *status)
{
    if (status)
        *status = r && row ? DAL_OK : DAL_BAD_COMMAND;
    if (!r || !row)
        return false;
    while (r->next < r->study->info.runs && !r->spots[r->next])
        r->next++;
    if (r->next >= r->study->info.runs)
        return false;
    const spot at = r->spots[r->next++];
    const dal_journal *journal = &r->journal[at >> 48];
    const size_t size = dal_journal_record(journal, (off_t)(8 * (at & ((UINT64_C(1) << 48) - 1))), &r->buffer, &r->room);
    if (size && dal_record_read(r->study, r->buffer, size, row))
        return true;
    dal_error(r->messages, (dal_mark){journal->path, 0, 0}, "cannot be read any more: it was changed");
    if (status)
        *status = DAL_BAD_FILE;
    return false;
}

void dal_study_close(dal_study_reader *r)
{
    if (!r)
        return;
    for (int i = 0; r->journal && i < r->n; i++)
        dal_journal_close(&r->journal[i]);
    free(r->journal);
    free(r->spots);
    free(r->buffer);
    free(r);
}
