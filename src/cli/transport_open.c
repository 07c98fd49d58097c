#include "cli/transport_open.h"

#include "base/message.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DAL_LIBRARY_FOLDER
#define DAL_LIBRARY_FOLDER "lib"
#endif
#define PLUG_IN "dalembert-mpi.so"

bool dal_started_together(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

/* Beside the program, as it is built, or where it is installed. */
static void *load(char *why, size_t size)
{
    static const char *const places[] = {"", "../" DAL_LIBRARY_FOLDER "/dalembert/"};
    char program[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *folder = dirname(program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s" PLUG_IN, folder, places[i]);
        if (access(path, R_OK))
            continue;
        void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI loads parts of itself that need its symbols */
        if (!handle)
            snprintf(why, size, "%s", dlerror());
        return handle;
    }
    snprintf(why, size, "this program was built without MPI: install Debian's package libopenmpi-dev and build again, or run it without mpirun");
    return NULL;
}

dal_status dal_open_transport(dal_transport *transport, dal_messages *messages)
{
    char why[PATH_MAX] = "";
    void *handle = load(why, sizeof why), *found = handle ? dlsym(handle, DAL_TRANSPORT_OPEN) : NULL;
    dal_transport_opener *opener = NULL;
    if (found)
        memcpy(&opener, &found, sizeof opener);
    if (handle && !opener)
        snprintf(why, sizeof why, "%s is not of this program", PLUG_IN);
    if (opener && opener(transport, why, sizeof why))
        return DAL_OK;
    dal_error(messages, dal_nowhere, "the processes of mpirun cannot work together: %.400s", why);
    return DAL_BAD_COMMAND;
}
