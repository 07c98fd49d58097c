/* A file that is written completely or not at all: first as NAME.part in the same folder, which is then renamed. */
#include "cli/whole_file.h"

#include "cli/ending.h"
#include "base/bytes.h"
#include "output/replacement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool dal_has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcasecmp(dot, extension);
}

bool dal_has_one_extension(const char *path, const char *const *extensions)
{
    while (*extensions && !dal_has_extension(path, *extensions))
        extensions++;
    return *extensions;
}

/* Prints the messages of the library about a file, in the format of the program. */
static void report_file(const char *command, const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        fprintf(stderr, "dalembert %s: error: %s %s\n", command, m->mark.file, m->text);
}

dal_status dal_replace_file(const char *command, const char *path, dal_status (*fill)(void *user, int fd, const char *part), void *user)
{
    const dal_allocator allocator = dal_default_allocator();
    dal_messages *messages = dal_messages_create(NULL);
    const dal_destination destination = {.allocator = &allocator, .messages = messages, .name = path};
    dal_replacement place;
    dal_announce_output(path);
    dal_status status = dal_replacement_begin(&place, &destination, path);
    if (status == DAL_OK)
        status = dal_replacement_make(&place);
    if (status == DAL_OK)
        status = fill(user, place.fd, place.part);
    if (status == DAL_OK)
        status = dal_replacement_finish(&place);
    dal_replacement_release(&place);
    report_file(command, messages);
    dal_messages_free(messages);
    return status;
}

typedef struct text_file {
    const char *command, *path, *text;
} text_file;

static dal_status put_text(void *user, int fd, const char *part)
{
    const text_file *file = user;
    const int error = dal_write_bytes(fd, file->text, strlen(file->text), -1, NULL);
    (void)part;
    if (!error)
        return DAL_OK;
    fprintf(stderr, "dalembert %s: error: %s cannot be written: %s\n", file->command, file->path, strerror(error));
    return DAL_BAD_FILE;
}

dal_status dal_write_whole_file(const char *command, const char *path, const char *text)
{
    text_file file = {command, path, text};
    if (strcmp(path, "-"))
        return dal_replace_file(command, path, put_text, &file);
    if (fputs(text, stdout) >= 0)
        return DAL_OK;
    fprintf(stderr, "dalembert %s: error: standard output cannot be written: %s\n", command, strerror(errno));
    return DAL_BAD_FILE;
}

dal_status dal_write_printed_file(const char *command, const char *path, dal_text_printer *print, const void *of)
{
    char *text = dal_printed_text(print, of);
    const dal_status status = text ? dal_write_whole_file(command, path, text) : DAL_NO_MEMORY;
    free(text);
    return status;
}
