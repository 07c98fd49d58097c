/* A file that is written completely or not at all: under a name beside it that nobody has, which then takes its place. */
#include "cli/whole_file.h"

#include "cli/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dal_status trouble(const char *command, const char *path, const char *why)
{
    fprintf(stderr, "dalembert %s: error: %s cannot be written: %s\n", command, path, why);
    return DAL_BAD_FILE;
}

/* The opened file, and its name in `name`; -1. */
static int open_beside(const char *target, char *name, size_t size)
{
    int fd = -1;
    for (int attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        snprintf(name, size, "%s.part-%ld-%d", target, (long)getpid(), attempt);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static bool write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

static dal_status replace(const char *command, const char *path, const char *target, const char *text)
{
    const size_t size = strlen(target) + 40;
    char *name = malloc(size);
    int fd = name ? open_beside(target, name, size) : -1;
    dal_status status = DAL_OK;
    if (fd < 0) {
        status = name ? trouble(command, path, strerror(errno)) : DAL_NO_MEMORY;
    } else {
        bool fine = write_all(fd, text);
        int error = errno;
        if (close(fd) && fine)
            fine = false, error = errno;
        if (fine && rename(name, target))
            fine = false, error = errno;
        if (!fine) {
            unlink(name);
            status = trouble(command, path, strerror(error));
        }
    }
    free(name);
    return status;
}

dal_status dal_write_whole_file(const char *command, const char *path, const char *text)
{
    struct stat old;
    if (!strcmp(path, "-"))
        return fputs(text, stdout) < 0 ? trouble(command, "standard output", strerror(errno)) : DAL_OK;
    if (!stat(path, &old) && !S_ISREG(old.st_mode))
        return trouble(command, path, "it is not a plain file");
    if (!access(path, F_OK) && access(path, W_OK))
        return trouble(command, path, strerror(errno));
    dal_announce_output(path);
    char *real = realpath(path, NULL); /* links are followed */
    dal_status status = replace(command, path, real ? real : path, text);
    free(real);
    return status;
}
