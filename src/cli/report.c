/* Messages on standard error: "file:line:column: error: sentence", the line of the file and a caret under the column. */
#include "base/reason.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 110 }; /* of a long line, characters that are shown around the column */

/* The text of the file that the last message was about. */
typedef struct source {
    char *name, *text;
} source;

static void free_source(source *file)
{
    free(file->name);
    free(file->text);
    *file = (source){NULL, NULL};
}

static const char *load_source(source *file, const char *name)
{
    if (file->name && !strcmp(file->name, name))
        return file->text;
    free_source(file);
    file->name = strdup(name);
    struct stat about;
    if (!file->name || stat(name, &about) || !S_ISREG(about.st_mode) || about.st_size > 1 << 26)
        return NULL;
    FILE *stream = fopen(name, "rb");
    if (!stream)
        return NULL;
    size_t size = (size_t)about.st_size;
    file->text = calloc(1, size + 1);
    if (file->text)
        file->text[fread(file->text, 1, size, stream)] = '\0';
    fclose(stream);
    return file->text;
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* not the first byte of a character in UTF-8 */
}

/* Prints one character; control characters are not sent to the terminal. */
static const char *put_character(const char *at)
{
    unsigned char c = (unsigned char)*at;
    putc(c == '\t' ? ' ' : c < ' ' || c == 127 ? '?' : *at, stderr);
    for (at++; continues(*at); at++)
        putc(*at, stderr);
    return at;
}

static void show_line(const char *text, int line, int column)
{
    for (; line > 1; line--) {
        const char *end = strchr(text, '\n');
        if (!end)
            return;
        text = end + 1;
    }
    int from = column > WIDTH ? column - WIDTH / 2 : 1; /* the first character shown */
    for (int i = 1; i < from && *text && *text != '\n'; i++)
        for (text++; continues(*text); text++)
            continue;
    if (!*text || *text == '\n' || *text == '\r')
        return;
    fputs("    ", stderr);
    for (int i = 0; i < WIDTH && *text && *text != '\n' && *text != '\r'; i++)
        text = put_character(text);
    fprintf(stderr, "\n    %*s\n", column - from + 1, "^");
}

static bool colours(void)
{
    const char *terminal = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb");
}

static void show_message(const dal_message *message, bool colour)
{
    static const char *const paint[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
    char line[2048];
    int length = dal_message_format(message, line, sizeof line);
    /* "place: word: text": the word is between the place and the text */
    int text = length - (int)strlen(message->text);
    if (!colour || length >= (int)sizeof line || text < 2) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    int word = text - 2;
    while (word > 0 && line[word - 1] != ' ')
        word--;
    fprintf(stderr, "\033[1m%.*s\033[0m%s%.*s\033[0m%s\n", word, line, paint[message->severity], text - word, line + word, line + text);
}

static bool verbose;

void dal_report_all(void)
{
    verbose = true;
}

bool dal_reports_all(void)
{
    return verbose;
}

static bool has_sum(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->reason == DAL_REASON_ASSEMBLY_SUM)
            return true;
    return false;
}

void dal_report(const dal_messages *messages, dal_severity least)
{
    source file = {NULL, NULL};
    bool colour = colours();
    const bool summed = has_sum(messages);
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next) {
        if (message->severity < least || (summed && message->reason == (verbose ? DAL_REASON_ASSEMBLY_SUM : DAL_REASON_ASSEMBLY)))
            continue;
        if (message->reason == DAL_REASON_ASSEMBLY_SUM) {
            fprintf(stderr, "%s: note: %s; -v lists them\n", message->mark.file ? message->mark.file : "model", message->text);
            continue;
        }
        show_message(message, colour);
        const char *text = NULL;
        if (message->mark.file && message->mark.line > 0 && message->mark.column > 0)
            text = load_source(&file, message->mark.file);
        if (text)
            show_line(text, message->mark.line, message->mark.column);
    }
    free_source(&file);
}

void dal_report_end(const char *command, const dal_messages *messages, dal_severity least, dal_status status)
{
    dal_report(messages, least);
    if (status != DAL_OK && !dal_messages_count(messages, DAL_ERROR))
        fprintf(stderr, "dalembert %s: error: %s\n", command, dal_status_text(status));
}

char *dal_printed_text(dal_text_printer *print, const void *of)
{
    const int length = print(of, NULL, 0);
    char *text = malloc((size_t)length + 1);
    if (text)
        print(of, text, (size_t)length + 1);
    return text;
}

dal_status dal_print_text(FILE *out, dal_text_printer *print, const void *of)
{
    char *text = dal_printed_text(print, of);
    if (!text)
        return DAL_NO_MEMORY;
    fputs(text, out);
    free(text);
    return DAL_OK;
}

int dal_output_width(int wanted)
{
    struct winsize window;
    if (wanted)
        return wanted;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 20 ? window.ws_col : 100;
}
