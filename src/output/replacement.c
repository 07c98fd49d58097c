#include "output/replacement.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char part_name[] = ".part", new_name[] = ".new";
static const struct timespec moment = {0, 10000000}; /* 10 ms, MOMENTS times: the wait until an abandoned part is unlocked */
enum { ATTEMPTS = 100, LINKS = 40, MOMENTS = 300, SHORT_MOMENTS = 50, PATIENCE = 10 };

dal_status dal_file_trouble(const dal_destination *destination, const char *doing, int error)
{
    char text[256];
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot %s: %s", doing, strerror_r(error, text, sizeof text));
    return DAL_BAD_FILE;
}

dal_status dal_file_unresumed(const dal_destination *destination, const char *part, const char *why)
{
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot be resumed: '%s' %s", part, why);
    return DAL_BAD_FILE;
}

char *dal_copy_text(const dal_allocator *allocator, const char *text, size_t room)
{
    size_t length = strlen(text) + 1;
    char *copy = allocator->allocate(allocator->user, length + room);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* ---- the target --------------------------------------------------------------- */

/* The target of a link, if it is one. */
static bool follow_link(char path[PATH_MAX])
{
    char to[PATH_MAX], folder[PATH_MAX], next[2 * PATH_MAX];
    const ssize_t length = readlink(path, to, sizeof to - 1);
    if (length <= 0)
        return false;
    to[length] = '\0';
    memcpy(folder, path, sizeof folder);
    if (to[0] == '/')
        snprintf(next, sizeof next, "%s", to);
    else
        snprintf(next, sizeof next, "%s/%s", dirname(folder), to);
    if (strlen(next) >= PATH_MAX)
        return false;
    strcpy(path, next);
    return true;
}

char *dal_real_path(const char *path)
{
    char *real = realpath(path, NULL), now[PATH_MAX];
    if (real || errno != ENOENT || snprintf(now, sizeof now, "%s", path) >= (int)sizeof now)
        return real;
    for (int links = 0; links < LINKS && follow_link(now); links++)
        if ((real = realpath(now, NULL)) || errno != ENOENT)
            return real;
    return strcmp(now, path) ? strdup(now) : NULL;
}

static dal_status check_folder(const dal_replacement *r)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", r->target) >= (int)sizeof path)
        return dal_file_trouble(r->destination, "be created", ENAMETOOLONG);
    return access(dirname(path), W_OK | X_OK) ? dal_file_trouble(r->destination, "be created", errno) : DAL_OK;
}

/* The existing file may be replaced only if it is regular and writable. */
static dal_status check_target(const dal_replacement *r)
{
    struct stat old;
    if (stat(r->target, &old))
        return errno == ENOENT ? check_folder(r) : dal_file_trouble(r->destination, "be written", errno);
    if (S_ISDIR(old.st_mode))
        return dal_file_trouble(r->destination, "be written", EISDIR);
    if (!S_ISREG(old.st_mode)) {
        dal_error(r->destination->messages, (dal_mark){r->destination->name, 0, 0},
                  "is not a regular file, and a finished file would take its place");
        return DAL_BAD_FILE;
    }
    return access(r->target, W_OK) ? dal_file_trouble(r->destination, "be written", errno) : check_folder(r);
}

dal_status dal_replacement_begin(dal_replacement *r, const dal_destination *destination, const char *path)
{
    const dal_allocator *allocator = destination->allocator;
    *r = (dal_replacement){.destination = destination, .fd = -1};
    char *real = dal_real_path(path);
    r->target = dal_copy_text(allocator, real ? real : path, 0);
    r->part = dal_copy_text(allocator, real ? real : path, sizeof part_name);
    free(real);
    if (!r->target || !r->part)
        return DAL_NO_MEMORY;
    strcat(r->part, part_name);
    return check_target(r);
}

/* ---- the part ------------------------------------------------------------------ */

static dal_status refuse_part(const dal_replacement *r, const char *why)
{
    dal_error(r->destination->messages, (dal_mark){r->destination->name, 0, 0}, "cannot be written: '%s' %s", r->part, why);
    return DAL_BAD_FILE;
}

/* A lock of the open file, which ends with it, also when the process is killed. On file systems without locks there is none. */
static bool is_locked(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES);
}

/* A process that was killed may have a child that completes a file of HDF5, and holds the locks until then. */
static bool stays_locked(int fd, int moments)
{
    bool locked = is_locked(fd);
    for (int i = 0; i < moments && locked; i++) {
        nanosleep(&moment, NULL);
        locked = is_locked(fd);
    }
    return locked;
}

/* Is the open file the one that now has the name of the part? */
static bool is_place_of(const dal_replacement *r, int fd)
{
    struct stat open, found;
    return !fstat(fd, &open) && !lstat(r->part, &found) && open.st_dev == found.st_dev && open.st_ino == found.st_ino;
}

/* Removes the part of an earlier run, unless a process is writing it. DAL_OK: there is none now. */
static dal_status remove_old_part(const dal_replacement *r)
{
    struct stat found;
    if (lstat(r->part, &found))
        return errno == ENOENT ? DAL_OK : dal_file_trouble(r->destination, "be created", errno);
    if (!S_ISREG(found.st_mode))
        return refuse_part(r, "is in the way, and it is not a regular file");
    int fd = open(r->part, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? DAL_OK : refuse_part(r, "is in the way, and it may not be written");
    const bool locked = stays_locked(fd, SHORT_MOMENTS), gone = !locked && (!is_place_of(r, fd) || !unlink(r->part) || errno == ENOENT);
    const int error = errno;
    close(fd);
    if (locked)
        return refuse_part(r, "is being written by another run");
    return gone ? DAL_OK : dal_file_trouble(r->destination, "be created", error);
}

/* The permissions of the file that will be replaced; a new file has the usual ones. */
static void copy_permissions(const dal_replacement *r)
{
    struct stat old;
    if (!stat(r->target, &old))
        (void)!fchmod(r->fd, old.st_mode & 07777);
}

dal_status dal_replacement_make(dal_replacement *r)
{
    struct stat old;
    const mode_t mode = stat(r->target, &old) ? 0666 : old.st_mode & 0666;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        dal_status status = remove_old_part(r);
        if (status != DAL_OK)
            return status;
        r->fd = open(r->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (r->fd >= 0 && !is_locked(r->fd)) {
            copy_permissions(r);
            return DAL_OK;
        }
        if (r->fd < 0 && errno != EEXIST)
            break;
        if (r->fd >= 0)
            close(r->fd);
        r->fd = -1;
    }
    return dal_file_trouble(r->destination, "be created", errno);
}

/* ---- a part that is gone on with ------------------------------------------------ */

static dal_status refuse_to_resume(const dal_replacement *r, const char *why)
{
    return dal_file_unresumed(r->destination, r->part, why);
}

void dal_part_settle(const char *part)
{
    const int fd = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    for (int i = 0; i < PATIENCE && stays_locked(fd, MOMENTS);)
        i++;
    close(fd);
}

dal_status dal_replacement_open(dal_replacement *r)
{
    struct stat found;
    if (lstat(r->part, &found))
        return errno == ENOENT ? refuse_to_resume(r, "is missing") : dal_file_trouble(r->destination, "be resumed", errno);
    if (!S_ISREG(found.st_mode))
        return refuse_to_resume(r, "is not a regular file");
    const int fd = open(r->part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return dal_file_trouble(r->destination, "be resumed", errno);
    const bool locked = stays_locked(fd, MOMENTS);
    if (locked || !is_place_of(r, fd)) {
        close(fd);
        return refuse_to_resume(r, locked ? "is being written by another run" : "was moved or replaced meanwhile");
    }
    r->fd = fd;
    r->taken = true;
    return DAL_OK;
}

dal_status dal_replacement_renew(const dal_replacement *r, char **path, int *fd)
{
    struct stat old;
    const mode_t mode = fstat(r->fd, &old) ? 0600 : old.st_mode & 0777;
    *fd = -1;
    *path = dal_copy_text(r->destination->allocator, r->part, sizeof new_name);
    if (!*path)
        return DAL_NO_MEMORY;
    strcat(*path, new_name);
    unlink(*path); /* left by a run that was killed here; no other process writes it, because we hold the part */
    *fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (*fd < 0)
        return dal_file_trouble(r->destination, "be resumed", errno);
    (void)!fchmod(*fd, mode);
    (void)is_locked(*fd);
    return DAL_OK;
}

dal_status dal_replacement_swap(dal_replacement *r, bool keep, char *path, int fd)
{
    dal_status status = DAL_OK;
    if (keep && rename(path, r->part))
        status = dal_file_trouble(r->destination, "be resumed", errno);
    if (keep && status == DAL_OK) {
        close(r->fd);
        r->fd = fd;
    } else if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    r->destination->allocator->release(r->destination->allocator->user, path);
    return status;
}

/* ---- the end ---------------------------------------------------------------------- */

/* Releases the lock. */
static void let_go(dal_replacement *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

dal_status dal_replacement_finish(dal_replacement *r)
{
    if (!is_place_of(r, r->fd))
        return refuse_part(r, "was moved or replaced while it was written");
    if (rename(r->part, r->target))
        return dal_file_trouble(r->destination, "be written", errno);
    let_go(r);
    return DAL_OK;
}

void dal_replacement_leave(dal_replacement *r, const char *what)
{
    dal_warn(r->destination->messages, (dal_mark){r->destination->name, 0, 0}, DAL_CODE_INCOMPLETE, NAN,
             "was not written, as the run did not reach its end; %s in '%s'", what, r->part);
    let_go(r);
}

void dal_replacement_release(dal_replacement *r)
{
    if (!r->destination)
        return;
    const dal_allocator *allocator = r->destination->allocator;
    if (r->fd >= 0 && !r->taken)
        unlink(r->part);
    let_go(r);
    allocator->release(allocator->user, r->part);
    allocator->release(allocator->user, r->target);
    *r = (dal_replacement){.fd = -1};
}
