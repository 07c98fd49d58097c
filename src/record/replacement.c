#include "record/replacement.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

dal_status dal_file_trouble(const dal_destination *destination, const char *doing, int error)
{
    char text[256];
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot %s: %s", doing,
              strerror_r(error, text, sizeof text));
    return DAL_BAD_FILE;
}

char *dal_copy_text(const dal_allocator *allocator, const char *text, size_t room)
{
    size_t length = strlen(text) + 1;
    char *copy = allocator->allocate(allocator->user, length + room);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* The file that will be replaced must be one that may be: regular and writable. */
static dal_status check_target(const dal_replacement *replacement)
{
    struct stat old;
    if (stat(replacement->target, &old))
        return errno == ENOENT ? DAL_OK : dal_file_trouble(replacement->destination, "be written", errno);
    if (S_ISDIR(old.st_mode))
        return dal_file_trouble(replacement->destination, "be written", EISDIR);
    if (!S_ISREG(old.st_mode)) {
        dal_error(replacement->destination->messages, (dal_mark){replacement->destination->name, 0, 0},
                  "is not a regular file, and a finished file would take its place");
        return DAL_BAD_FILE;
    }
    return access(replacement->target, W_OK) ? dal_file_trouble(replacement->destination, "be written", errno) : DAL_OK;
}

/* Make an empty file beside the target, under a name that nobody has. */
static dal_status make_temporary(dal_replacement *replacement)
{
    enum { ROOM = 40 };
    const dal_allocator *allocator = replacement->destination->allocator;
    replacement->temporary = dal_copy_text(allocator, replacement->target, ROOM);
    if (!replacement->temporary)
        return DAL_NO_MEMORY;
    char *end = replacement->temporary + strlen(replacement->temporary);
    int fd = -1;
    for (int attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        snprintf(end, ROOM, ".part-%ld-%d", (long)getpid(), attempt);
        fd = open(replacement->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        dal_status status = dal_file_trouble(replacement->destination, "be created", errno);
        allocator->release(allocator->user, replacement->temporary);
        replacement->temporary = NULL;
        return status;
    }
    close(fd);
    return DAL_OK;
}

dal_status dal_replacement_begin(dal_replacement *replacement, const dal_destination *destination, const char *path)
{
    *replacement = (dal_replacement){.destination = destination};
    char *real = realpath(path, NULL);
    replacement->target = dal_copy_text(destination->allocator, real ? real : path, 0);
    free(real);
    if (!replacement->target)
        return DAL_NO_MEMORY;
    dal_status status = check_target(replacement);
    return status == DAL_OK ? make_temporary(replacement) : status;
}

dal_status dal_replacement_finish(dal_replacement *replacement)
{
    if (rename(replacement->temporary, replacement->target))
        return dal_file_trouble(replacement->destination, "be written", errno);
    return DAL_OK;
}

void dal_replacement_release(dal_replacement *replacement)
{
    if (!replacement->destination)
        return;
    const dal_allocator *allocator = replacement->destination->allocator;
    if (replacement->temporary)
        unlink(replacement->temporary); /* a kept one has another name by now */
    allocator->release(allocator->user, replacement->temporary);
    allocator->release(allocator->user, replacement->target);
    *replacement = (dal_replacement){0};
}
