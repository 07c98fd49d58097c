#include "output/same_files.h"

#include "base/message.h"
#include "output/replacement.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which file ---------------------------------------------------------------------- */

typedef struct identity {
    bool known;
    dev_t device;
    ino_t inode;             /* of the file, or of its folder if the file does not exist yet */
    char name[NAME_MAX + 1]; /* "" if the file exists */
} identity;

static identity of_file(const struct stat *info)
{
    return (identity){.known = true, .device = info->st_dev, .inode = info->st_ino};
}

static identity identify(const char *path)
{
    struct stat info;
    char folder[PATH_MAX], base[PATH_MAX];
    if (!stat(path, &info))
        return of_file(&info);
    char *real = dal_real_path(path); /* a link to a file that does not exist yet */
    snprintf(folder, sizeof folder, "%s", real ? real : path);
    snprintf(base, sizeof base, "%s", real ? real : path);
    free(real);
    if (stat(dirname(folder), &info))
        return (identity){0};
    identity id = of_file(&info);
    snprintf(id.name, sizeof id.name, "%.*s", NAME_MAX, basename(base));
    return id;
}

/* Standard output counts if it is a file: a pipe or a terminal can be shared. */
static identity identify_output(const char *path)
{
    struct stat info;
    if (strcmp(path, "-"))
        return identify(path);
    return fstat(STDOUT_FILENO, &info) || !S_ISREG(info.st_mode) ? (identity){0} : of_file(&info);
}

/* The name while the file is not complete. */
static identity identify_part(const char *path)
{
    char part[PATH_MAX + 8], *real = dal_real_path(path);
    if (!strcmp(path, "-"))
        return (identity){0};
    snprintf(part, sizeof part, "%.*s.part", PATH_MAX, real ? real : path);
    free(real);
    return identify(part);
}

static bool same(const identity *a, const identity *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode && !strcmp(a->name, b->name);
}

/* ---- the check ------------------------------------------------------------------------- */

typedef struct target {
    const char *path;
    identity file, part;
} target;

static bool meets(const target *out, const identity *other)
{
    return same(&out->file, other) || same(&out->part, other);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") ? path : "standard output";
}

static dal_status check_inputs(const target *out, int n, const char *const *inputs, dal_messages *messages)
{
    for (int i = 0; i < n; i++) {
        const identity in = identify(inputs[i]);
        if (!meets(out, &in))
            continue;
        dal_error(messages, (dal_mark){name_of(out->path), 0, 0}, "would be written over '%s', which is read: give it another name", inputs[i]);
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

static dal_status check_others(const target *out, int n, const target *others, dal_messages *messages)
{
    for (int i = 0; i < n; i++) {
        if (!meets(out, &others[i].file) && !meets(&others[i], &out->file))
            continue;
        dal_error(messages, (dal_mark){name_of(out->path), 0, 0}, "and '%s' are one file, and both would be written to it", name_of(others[i].path));
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

dal_status dal_outputs_check(int n_outputs, const char *const *outputs, int n_inputs, const char *const *inputs, dal_messages *messages)
{
    target *all = calloc((size_t)n_outputs + 2, sizeof *all);
    dal_status status = all ? DAL_OK : DAL_NO_MEMORY;
    int n = 0;
    bool stream = false;
    for (int i = 0; i <= n_outputs && status == DAL_OK; i++) {
        const char *path = i < n_outputs ? outputs[i] : stream ? NULL : "-"; /* text for people is always written there */
        if (!path)
            continue;
        stream |= !strcmp(path, "-");
        all[n] = (target){path, identify_output(path), identify_part(path)};
        status = check_inputs(&all[n], n_inputs, inputs, messages);
        if (status == DAL_OK)
            status = check_others(&all[n], n, all, messages);
        n++;
    }
    free(all);
    return status;
}

dal_status dal_output_check(const char *output, const dal_spec *spec, const char *result, dal_messages *messages)
{
    const int n = spec ? spec->n_files : 0;
    const char **inputs = calloc((size_t)n + 1, sizeof *inputs);
    if (!inputs)
        return DAL_NO_MEMORY;
    for (int i = 0; i < n; i++)
        inputs[i] = spec->files[i];
    if (result)
        inputs[n] = result;
    const dal_status status = dal_outputs_check(1, &output, n + (result != NULL), inputs, messages);
    free(inputs);
    return status;
}
