/* Generated code as a shared object: compiled by the machine's cc, kept in the user's cache folder, loaded from there.
 *
 * $XDG_CACHE_HOME/dalembert, or ~/.cache/dalembert: a folder of the user's own (0700) with files of the user's own (0600). The name of an object is the
 * SHA-256 of the source, the options, the compiler and the version of the library; a second file has the SHA-256 of the object itself; an object that
 * does not match is compiled again. Files get their names when they are complete.
 */
#ifndef DAL_RUN_CODE_CACHE_H
#define DAL_RUN_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dal_code_request {
    const char *source;
    const char *version;       /* of the library */
    double patience;           /* s, that the compiler may take */
    bool (*go_on)(void *user); /* called while the compiler works; false: give up. May be NULL */
    void *user;
} dal_code_request;

typedef struct dal_loaded_code {
    void *handle; /* NULL: none */
    bool cached;  /* it was not compiled now */
    char sum[65]; /* SHA-256 of the object */
} dal_loaded_code;

/* False with a sentence in `why`: no compiler, no folder, too slow, given up. */
bool dal_code_load(const dal_code_request *request, dal_loaded_code *code, char *why, size_t size);
void *dal_code_function(const dal_loaded_code *code, const char *name);
void dal_code_unload(dal_loaded_code *code);

#endif
