#include "cli/picture_file.h"
#include "cli/whole_file.h"
#include "output/same_files.h"

#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int dal_picture_type(const char *command, const char *path)
{
    if (!strcmp(path, "-") || dal_has_extension(path, ".svg") || dal_has_extension(path, ".png"))
        return DAL_OK;
    return dal_wrong_use(command, "the type of '%s' is not known: a picture is written as .svg or .png", path);
}

int dal_picture_size(const char *command, const char *text, int *width, int *height)
{
    char end;
    if (sscanf(text, "%dx%d%c", width, height, &end) == 2 && *width >= 200 && *height >= 120 && *width <= 10000 && *height <= 10000)
        return DAL_OK;
    return dal_wrong_use(command, "--size needs WIDTHxHEIGHT in pixels, 200x120 to 10000x10000, not '%s'", text);
}

int dal_split(char *text, char ***list)
{
    int n = 0, depth = 0;
    *list = malloc((strlen(text) + 1) * sizeof **list);
    if (!*list)
        return 0;
    char *from = text;
    for (char *c = text;; c++) {
        depth += *c == '(' || *c == '[';
        depth -= *c == ')' || *c == ']';
        if (*c && !(*c == ',' && depth <= 0))
            continue;
        const bool last = !*c;
        *c = '\0';
        from += strspn(from, " ");
        (*list)[n++] = from;
        if (last)
            return n;
        from = c + 1;
    }
}

/* ---- PNG ------------------------------------------------------------------------ */

static dal_status report_trouble(const char *command, const char *path, const char *why)
{
    fprintf(stderr, "dalembert %s: error: %s cannot be written: %s\n", command, path, why);
    return DAL_BAD_FILE;
}

/* The converter reads the text from its standard input and writes the file to its standard output: with a file name, it could replace the file by
 * another one. The resolution is twice that of the SVG, for print. */
static void become_converter(int input, int output)
{
    char program[] = "rsvg-convert", format[] = "--format=png", zoom[] = "--zoom=2";
    char *argv[] = {program, format, zoom, NULL};
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        execvp(program, argv);
    _exit(errno == ENOENT ? 127 : 126);
}

typedef struct picture {
    const char *command, *path, *svg;
} picture;

static dal_status convert_to_png(void *user, int fd, const char *part)
{
    const picture *p = user;
    int ends[2], how = 0;
    (void)part;
    if (pipe2(ends, O_CLOEXEC))
        return report_trouble(p->command, p->path, strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        become_converter(ends[0], fd);
    close(ends[0]);
    dal_announce_child(child);
    void (*old)(int) = signal(SIGPIPE, SIG_IGN); /* it may end before it has read everything */
    const bool sent = child > 0 && !dal_write_bytes(ends[1], p->svg, strlen(p->svg), -1, NULL);
    signal(SIGPIPE, old);
    close(ends[1]);
    if (child < 0)
        return report_trouble(p->command, p->path, strerror(errno));
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    dal_announce_child(0);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 127)
        return report_trouble(p->command, p->path,
                              "rsvg-convert, which makes PNG of SVG, is missing; Debian's package librsvg2-bin provides it; or write .svg");
    return sent && WIFEXITED(how) && !WEXITSTATUS(how) ? DAL_OK : report_trouble(p->command, p->path, "rsvg-convert failed");
}

dal_status dal_write_picture(const char *command, const char *path, const char *svg)
{
    picture p = {command, path, svg};
    return dal_has_extension(path, ".png") ? dal_replace_file(command, path, convert_to_png, &p) : dal_write_whole_file(command, path, svg);
}

/* Reads the model and compiles it with the channels of pages, so that they can be drawn. */
static dal_status read_and_compile(dal_model_options *model, const char *output)
{
    if (!model->path)
        return dal_output_check(output, NULL, model->result, model->messages);
    const dal_status status = dal_model_load(model, output, model->result);
    dal_spec_show(model->spec);
    return status == DAL_OK ? dal_compile(NULL, model->spec, model->messages, &model->system) : status;
}

int dal_picture_command(void *request,
                        dal_status (*draw)(void *request, const dal_spec *spec, const dal_system *system, dal_messages *messages, char **svg))
{
    dal_picture_request *wanted = request;
    dal_model_options *model = &wanted->model;
    char *svg = NULL;
    dal_status status = read_and_compile(model, wanted->output);
    if (status == DAL_OK)
        status = draw(request, model->spec, model->system, model->messages, &svg);
    dal_report_end(model->name, model->messages, wanted->quiet ? DAL_WARNING : DAL_NOTE, status);
    if (status == DAL_OK)
        status = dal_write_picture(model->name, wanted->output, svg);
    free(svg);
    return (int)status;
}
