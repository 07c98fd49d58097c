/* Generated code as a shared object: compiled by the machine's cc, kept in the user's cache folder, loaded from there.
 *
 * $XDG_CACHE_HOME/dalembert, or ~/.cache/dalembert: a folder of the user's own (0700) with files of the user's own (0600). The name of an object is the
 * SHA-256 of the source, the options, the compiler and the version of the library; beside it is the SHA-256 of the object itself, and an object
 * that does not have it is compiled again. Files get their names when they are complete.
 *
 * A caller that knows what its source follows from need not make the source again (code_memory.c): a file beside the objects says which object was made
 * of it, with numbers of the caller. The name of this file is the SHA-256 of what the source follows from, of the program, the options and the compiler.
 */
#ifndef DAL_RUN_CODE_CACHE_H
#define DAL_RUN_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dal_code_request {
    const char *source;
    const char *version;       /* of the library */
    double patience;           /* s, that the compiler may take */
    bool (*go_on)(void *user); /* asked while it works; false: give up. May be NULL */
    void *user;
    char model[65]; /* digest of all that the source follows from but the program itself; "": not known */
} dal_code_request;

typedef struct dal_loaded_code {
    void *handle;  /* NULL: none */
    bool cached;   /* it was not compiled now */
    char sum[65];  /* SHA-256 of the object */
    char name[65]; /* of its file */
} dal_loaded_code;

/* False with a sentence in `why`: no compiler, no folder, too slow, given up. */
bool dal_code_load(const dal_code_request *request, dal_loaded_code *code, char *why, size_t size);
void *dal_code_function(const dal_loaded_code *code, const char *name);
void dal_code_unload(dal_loaded_code *code);

/* ---- code_memory.c ----------------------------------------------------------------------------- */

enum { DAL_CODE_NOTES = 4096 };

/* Numbers that are kept with an object. They come from a file, and have to be checked. */
typedef struct dal_code_notes {
    int n, number[DAL_CODE_NOTES];
} dal_code_notes;

/* The object that was made for request->model by this very program, loaded, and its notes. False: there is none; the source has to be made.
 * request->source is not read. */
bool dal_code_load_known(const dal_code_request *request, dal_loaded_code *code, dal_code_notes *notes);
/* Notes the object for later runs. If the note cannot be written, the code is made again the next time. */
void dal_code_remember(const dal_code_request *request, const dal_loaded_code *code, const dal_code_notes *notes);

#endif
