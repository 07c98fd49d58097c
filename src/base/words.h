/* Words, and the characters of ASCII that they are made of, whatever the locale. */
#ifndef DAL_BASE_WORDS_H
#define DAL_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Characters of names, in any locale. */
static inline bool dal_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool dal_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool dal_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Is the word in a list, which ends with NULL? */
static inline bool dal_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list))
        list++;
    return *list;
}

/* Does a path begin with a dot and this word, as ".position.x" with "position"? *rest: behind the word, at the next dot or the end. */
static inline bool dal_path_begins(const char *path, const char *word, const char **rest)
{
    const size_t n = strlen(word);
    if (path[0] != '.' || strncmp(path + 1, word, n) || (path[n + 1] && path[n + 1] != '.'))
        return false;
    *rest = path + n + 1;
    return true;
}

#endif
