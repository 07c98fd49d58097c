/* A folder of its own for each test that writes files: enter_place and leave_place are its setup and teardown. */
#ifndef DAL_TEST_PLACE_H
#define DAL_TEST_PLACE_H

#include "dalembert/dalembert.h"
#include "remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct place {
    char folder[64], path[160];
    dal_messages *messages;
} place;

static inline int enter_place(void **state)
{
    place *here = calloc(1, sizeof *here);
    strcpy(here->folder, "/tmp/test_place.XXXXXX");
    if (!mkdtemp(here->folder))
        return -1;
    here->messages = dal_messages_create(NULL);
    *state = here;
    return 0;
}

static inline int count_files(const char *folder)
{
    DIR *list = opendir(folder);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(list));)
        n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(list);
    return n;
}

static inline int leave_place(void **state)
{
    place *here = *state;
    const int status = remove_tree(here->folder);
    dal_messages_free(here->messages);
    free(here);
    return status;
}

static inline const char *path_of(place *here, const char *name)
{
    snprintf(here->path, sizeof here->path, "%s/%s", here->folder, name);
    return here->path;
}

#endif
