/* The program in a folder of its own for each test: its words, its exit code, what it prints. enter_folder and leave_folder are setup
 * and teardown. */
#ifndef DAL_TEST_PROGRAM_H
#define DAL_TEST_PROGRAM_H

#include "check.h"
#include "remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 32, MOST_TEXT = 1 << 16, PATIENCE = 120 };

typedef struct place {
    char folder[64], model[128], file[128];
    int code;
    char out[MOST_TEXT], err[MOST_TEXT];
    /* for the next start, and every one after it */
    rlim_t largest;      /* size of a file; 0: any */
    const char *preload; /* LD_PRELOAD, NULL: nothing; */
    int fail_at;         /* FAIL_AT */
} place;

/* ---- running it ------------------------------------------------------------ */

static inline void read_text(int fd, char text[MOST_TEXT])
{
    lseek(fd, 0, SEEK_SET);
    ssize_t n = read(fd, text, MOST_TEXT - 1);
    assert_true(n >= 0 && n < MOST_TEXT - 1);
    text[n] = '\0';
    close(fd);
}

static inline int open_scratch(void)
{
    char path[] = "/tmp/test_program.out.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static inline void set_up(const place *here)
{
    char text[20];
    if (here->largest)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){here->largest, here->largest});
    alarm(PATIENCE); /* also what it waits for has an end */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!here->preload)
        return;
    snprintf(text, sizeof text, "%d", here->fail_at);
    setenv("FAIL_AT", text, 1);
    setenv("LD_PRELOAD", here->preload, 1);
}

/* Start the program with the words of `line`; @ stands for the folder of the test. */
static inline pid_t start(place *here, const char *line, int out, int err)
{
    char words[1024] = "", *argument[MOST_ARGUMENTS + 1] = {(char[]){DAL_PROGRAM}};
    size_t used = 0;
    for (; *line && used < sizeof words - 80; line++) {
        if (*line == '@')
            used += (size_t)snprintf(words + used, sizeof words - used, "%s", here->folder);
        else
            words[used++] = *line;
    }
    words[used] = '\0';
    int n = 1;
    for (char *word = strtok(words, " "); word && n < MOST_ARGUMENTS; word = strtok(NULL, " "))
        argument[n++] = word;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        set_up(here);
        execv(argument[0], argument);
        _exit(99);
    }
    return child;
}

/* Its exit code; a signal is 1000 and its number. */
static inline int wait_for_any(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static inline int wait_for(pid_t child)
{
    const int code = wait_for_any(child);
    assert_true(code < 1000);
    return code;
}

static inline int run_any(place *here, const char *line)
{
    int out = open_scratch(), err = open_scratch();
    here->code = wait_for_any(start(here, line, out, err));
    read_text(out, here->out);
    read_text(err, here->err);
    return here->code;
}

static inline int run(place *here, const char *line)
{
    run_any(here, line);
    assert_true(here->code < 1000);
    return here->code;
}

static inline void rest(int milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000l}, NULL);
}

/* ---- a folder --------------------------------------------------------------- */

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* "@/a.csv" -> the file in the folder of the test; valid until the fourth call after this one. */
static inline const char *in_folder(const place *here, const char *name)
{
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", here->folder, name);
    return path;
}

static inline void put(const place *here, const char *name, const char *text)
{
    write_file(in_folder(here, name), text);
}

/* The whole of a file, from malloc, with a zero behind it. */
static inline char *get(const place *here, const char *name, size_t *length)
{
    FILE *file = fopen(in_folder(here, name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    if (length)
        *length = size;
    return text;
}

static inline bool is_there(const place *here, const char *name)
{
    return access(in_folder(here, name), F_OK) == 0;
}

static inline int enter_folder(void **state)
{
    place *here = calloc(1, sizeof *here);
    strcpy(here->folder, "/tmp/test_program.XXXXXX");
    if (!mkdtemp(here->folder))
        return -1;
    *state = here;
    return 0;
}

static inline int leave_folder(void **state)
{
    place *here = *state;
    const int status = remove_tree(here->folder);
    free(here);
    return status;
}

/* Files in the folder whose name contains `part`. */
static inline int count_files(const place *here, const char *part)
{
    DIR *list = opendir(here->folder);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(list));)
        n += entry->d_name[0] != '.' && strstr(entry->d_name, part);
    closedir(list);
    return n;
}

static inline void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in '%s'", part, text);
}

static inline void expect_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in '%s'", part, text);
}

#endif
