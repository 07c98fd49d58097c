/* The cache of generated code, $XDG_CACHE_HOME/dalembert, as tests look into it and change it. */
#ifndef DAL_TEST_CACHE_FOLDER_H
#define DAL_TEST_CACHE_FOLDER_H

#include "check.h"

#include "base/digest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OBJECT_AT = 16, NOTES_AT = 80 }; /* in a file of the memory: after its magic word, after the name of the object */

static inline void cached_path(char path[1100], const char *name)
{
    snprintf(path, 1100, "%s/dalembert/%s", getenv("XDG_CACHE_HOME"), name);
}

/* The files of the cache that end so; the last name goes to `name`. */
static inline int count_objects(const char *end, char name[300])
{
    char path[1100];
    int n = 0;
    cached_path(path, ".");
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        const size_t length = strlen(e->d_name);
        struct stat s;
        if (length < strlen(end) || strcmp(e->d_name + length - strlen(end), end))
            continue;
        char file[1100];
        cached_path(file, e->d_name);
        assert_int_equal(stat(file, &s), 0);
        assert_int_equal(s.st_mode & 0777, 0600);
        snprintf(name, 300, "%s", e->d_name);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static inline void put(const char *name, const void *bytes, size_t n)
{
    char path[1100];
    cached_path(path, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

static inline size_t get(const char *name, char *bytes, size_t room)
{
    char path[1100];
    cached_path(path, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t n = fread(bytes, 1, room, in);
    fclose(in);
    return n;
}

/* With the digest that belongs to its contents. */
static inline void put_signed(const char *name, char *bytes, size_t n)
{
    char sum[65];
    dal_digest d = dal_digest_begin();
    dal_digest_add(&d, bytes, n - 64);
    dal_digest_text(&d, sum);
    memcpy(bytes + n - 64, sum, 64);
    put(name, bytes, n);
}

static inline void rename_in_cache(const char *from, const char *to)
{
    char a[1100], b[1100];
    cached_path(a, from);
    cached_path(b, to);
    assert_int_equal(rename(a, b), 0);
}

/* The object of the memory `made` gets the name bbb...b, which the memory is given: only what recalls it finds it, and what makes its source again
 * compiles another. The new name goes to `other`. */
static inline void rename_object(const char *made, char other[70])
{
    char bytes[400], old[70], sum[70];
    const size_t n = get(made, bytes, sizeof bytes);
    for (int i = 0; i < 2; i++) {
        const char *end = i ? ".so" : ".sum";
        snprintf(old, sizeof old, "%.64s%s", bytes + OBJECT_AT, end);
        snprintf(sum, sizeof sum, "%.64s%s", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", end);
        rename_in_cache(old, sum);
    }
    memset(bytes + OBJECT_AT, 'b', 64);
    put_signed(made, bytes, n);
    snprintf(other, 70, "%s", sum);
}

#endif
