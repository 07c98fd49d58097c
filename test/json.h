/* A reader of JSON for tests: the whole file becomes a tree of values in one block. Trusts its input. */
#ifndef DAL_TEST_JSON_H
#define DAL_TEST_JSON_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json {
    const char *key;  /* in an object */
    const char *text; /* of a string */
    double number;    /* of a number, or of a string that is one */
    int n;            /* elements of a list or an object */
    struct json *first, *next;
} json;

typedef struct json_file {
    char *text;
    json *node;
    int n, capacity;
} json_file;

static inline void json_blank(char **at)
{
    while (isspace((unsigned char)**at))
        (*at)++;
}

/* Cuts the string out of the text; escapes are left as they are. */
static inline char *json_string(char **at)
{
    char *start = ++*at;
    while (**at != '"')
        *at += **at == '\\' ? 2 : 1;
    *(*at)++ = '\0';
    return start;
}

static inline json *json_value(json_file *file, char **at)
{
    json *node = &file->node[file->n++], **link = &node->first;
    json_blank(at);
    if (**at == '"') {
        node->text = json_string(at);
        node->number = strtod(node->text, NULL);
    } else if (**at == '[' || **at == '{') {
        char close = **at == '[' ? ']' : '}';
        for (++*at, json_blank(at); **at != close; json_blank(at)) {
            char *key = NULL;
            if (close == '}') {
                key = json_string(at);
                json_blank(at);
                ++*at; /* the colon */
            }
            *link = json_value(file, at);
            (*link)->key = key;
            link = &(*link)->next;
            node->n++;
            json_blank(at);
            *at += **at == ',';
        }
        ++*at;
    } else {
        char *end = *at;
        node->number = strtod(*at, &end);
        if (end == *at)
            while (isalpha((unsigned char)*end))
                end++; /* true, false, null */
        *at = end;
    }
    return node;
}

/* NULL if there is no such file. */
static inline json *json_open(json_file *file, const char *path)
{
    FILE *in = fopen(path, "rb");
    memset(file, 0, sizeof *file);
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    rewind(in);
    file->text = malloc(size + 1);
    file->node = calloc(size / 2 + 2, sizeof *file->node); /* a value takes two characters at least */
    size = fread(file->text, 1, size, in);
    file->text[size] = '\0';
    fclose(in);
    char *at = file->text;
    return json_value(file, &at);
}

static inline void json_close(json_file *file)
{
    free(file->text);
    free(file->node);
}

static inline const json *json_at(const json *node, int index)
{
    node = node->first;
    while (node && index-- > 0)
        node = node->next;
    return node;
}

static inline const json *json_get(const json *node, const char *key)
{
    for (node = node->first; node && strcmp(node->key, key);)
        node = node->next;
    return node;
}

#endif
