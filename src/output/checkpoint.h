/* The saved state from which a stopped or killed run can be resumed: NAME.part.state beside the part of its first file, rewritten about once a
 * second.
 *
 * It has the number of rows that the files had, the time of the last one, the names of the files, and the simulation (dal_simulation_save). At any
 * instant the file is complete, and the parts have at least its rows. doc/decisions/resuming.md */
#ifndef DAL_OUTPUT_CHECKPOINT_H
#define DAL_OUTPUT_CHECKPOINT_H

#include "dalembert/simulation.h"

#include <limits.h>

enum { DAL_CHECKPOINT_FILES = 8 };

/* For a program that may be ended at any instant: the files to remove then, and its last message. Any of them may be NULL. */
typedef struct dal_run_files_watch {
    void (*rows)(const char *path);      /* NAME.part will have rows; called before it is opened */
    void (*temporary)(const char *path); /* a file that is useless when the program ends */
    void (*saved)(void);                 /* there is a saved state to continue from */
    bool (*ends_at_once)(void);          /* without waiting for the disk */
} dal_run_files_watch;

typedef struct dal_checkpoint {
    char path[PATH_MAX + 32], temporary[PATH_MAX + 40];
    /* the content */
    long rows;
    double last;                                           /* time of the last row */
    bool shown;                                            /* the run made a page as well, which adds channels to the model */
    bool done;                                             /* the run is complete: its files are being renamed, one after the other */
    char names[DAL_CHECKPOINT_FILES * (NAME_MAX + 1) + 1]; /* names of the files, without folders, each followed by a line end */
    /* of a file that was read: the simulation */
    const void *blob;
    size_t blob_size;
    /* memory */
    unsigned char *bytes;
    size_t size;
    double time;                      /* time of the last saved state, s of the motion; NAN: none */
    bool failed;                      /* a failure to write was reported */
    const dal_run_files_watch *watch; /* may be NULL */
} dal_checkpoint;

/* The checkpoint of a run that writes these files ("-" does not count). False: standard output is the only one. */
bool dal_checkpoint_begin(dal_checkpoint *checkpoint, int n_files, const char *const *paths);
/* Reads the checkpoint that an earlier run left beside these files, and checks all of it. DAL_BAD_FILE with a sentence. */
dal_status dal_checkpoint_read(dal_checkpoint *checkpoint, int n_files, const char *const *paths, dal_messages *messages);
/* After reading the checkpoint of a complete run: is this file renamed already? */
bool dal_checkpoint_finished(const dal_checkpoint *checkpoint, const char *path);
/* Saves the simulation after this number of rows, which are in the files. If the file cannot be written, a warning is reported once. */
void dal_checkpoint_write(dal_checkpoint *checkpoint, const dal_simulation *simulation, bool to_disk, dal_messages *messages);
/* Removes the checkpoints beside these files. */
void dal_checkpoint_forget(int n_files, const char *const *paths);
/* Frees the memory. */
void dal_checkpoint_end(dal_checkpoint *checkpoint);

/* Wall time between two checkpoints, s: the environment variable DALEMBERT_CHECKPOINT, or 1. */
double dal_checkpoint_every(void);

#endif
