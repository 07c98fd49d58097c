/* What a run can be gone on from after it was stopped or killed: NAME.part.state beside the part of its first file, rewritten about once a second.
 *
 * It has the number of rows that the files had, the time of the last one, the names of the files, and the simulation (dal_simulation_save). At any
 * instant it is one that is whole, and the parts have at least its rows. doc/decisions/resuming.md */
#ifndef DAL_OUTPUT_CHECKPOINT_H
#define DAL_OUTPUT_CHECKPOINT_H

#include "dalembert/simulation.h"

#include <limits.h>

enum { DAL_CHECKPOINT_FILES = 8 };

/* For a program that may be ended at any instant: the files to remove then, and its last words. Any of them may be NULL. */
typedef struct dal_run_files_watch {
    void (*rows)(const char *path);      /* NAME.part will have rows; before it is opened */
    void (*temporary)(const char *path); /* a file that is of no use when the program ends */
    void (*saved)(void);                 /* there is a saved state to continue from */
    bool (*hurried)(void);               /* without waiting for the disk */
} dal_run_files_watch;

typedef struct dal_checkpoint {
    char path[PATH_MAX + 32], temporary[PATH_MAX + 40];
    /* what it says */
    long rows;
    double last;                                           /* time of the last row */
    bool shown;                                            /* the run made a page as well, which adds channels to the model */
    bool done;                                             /* the run is at its end: its files take their names, one after the other */
    char names[DAL_CHECKPOINT_FILES * (NAME_MAX + 1) + 1]; /* of the files, without folders, each with a line end behind it */
    /* one that was read: the simulation */
    const void *blob;
    size_t blob_size;
    /* memory */
    unsigned char *bytes;
    size_t size;
    double time;                      /* of the one that was written last, s of the motion; NAN: none was */
    bool failed;                      /* it was said that none can be written */
    const dal_run_files_watch *watch; /* may be NULL */
} dal_checkpoint;

/* That of a run which writes these files ("-" is none of them). False: there is none but standard output. */
bool dal_checkpoint_begin(dal_checkpoint *checkpoint, int n_files, const char *const *paths);
/* What an earlier run left beside these files, checked as a whole. DAL_BAD_FILE with a sentence. */
dal_status dal_checkpoint_read(dal_checkpoint *checkpoint, int n_files, const char *const *paths, dal_messages *messages);
/* Of one that was read and is done: has this file taken its name already? */
bool dal_checkpoint_finished(const dal_checkpoint *checkpoint, const char *path);
/* The simulation as it is, after so many rows; they have arrived. A file that cannot be written is a warning, once. */
void dal_checkpoint_write(dal_checkpoint *checkpoint, const dal_simulation *simulation, bool to_disk, dal_messages *messages);
/* Nothing of this kind is left beside these files. */
void dal_checkpoint_forget(int n_files, const char *const *paths);
/* The memory goes. */
void dal_checkpoint_end(dal_checkpoint *checkpoint);

/* s of wall time between two of them: the environment's DALEMBERT_CHECKPOINT, or 1. */
double dal_checkpoint_every(void);

#endif
