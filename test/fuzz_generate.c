/* Any text on its way into a C file: a comment stays a comment of one line, a string reads back as the text, an identifier is one. */
#include "generate/generate.h"

#include <stdlib.h>
#include <string.h>

static void check_comment(const char *text)
{
    for (size_t i = 0; text[i]; i++) {
        const char c = text[i], next = text[i + 1];
        if (c < 32 || c > 126 || c == '\\' || c == '?' || (c == '*' && next == '/') || (c == '/' && (next == '*' || next == '/')))
            abort();
    }
}

/* As a compiler reads it. */
static void check_string(const char *text, const char *meant)
{
    for (; *text; meant++) {
        unsigned value = (unsigned char)*text;
        if (value < 32 || value > 126 || value == '"' || value == '?')
            abort();
        if (*text++ == '\\') {
            value = 0;
            for (int k = 0; k < 3; k++, text++) {
                if (*text < '0' || *text > '7')
                    abort();
                value = 8 * value + (unsigned)(*text - '0');
            }
        }
        if (value != (unsigned char)*meant)
            abort();
    }
    if (*meant)
        abort();
}

static void check_identifier(const char *text, const char *taken)
{
    if (!*text || (*text >= '0' && *text <= '9') || *text == '_' || !strcmp(text, taken) || !strcmp(text, "int") || !strcmp(text, "double"))
        abort();
    for (; *text; text++)
        if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') || *text == '_'))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_arena arena;
    jmp_buf jump;
    dal_arena_begin(&arena, NULL);
    arena.guard = &jump;
    if (!setjmp(jump)) {
        const char *text = dal_arena_copy(&arena, (const char *)data, size);
        check_comment(dal_c_comment(&arena, text));
        check_string(dal_c_string(&arena, text), text);
        const char *first = dal_c_identifier(&arena, text, 0, NULL);
        check_identifier(first, "");
        check_identifier(dal_c_identifier(&arena, text, 1, &first), first);
    }
    arena.guard = NULL;
    dal_arena_release(&arena);
    return 0;
}
