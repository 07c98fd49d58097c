/* Where code_cache.c and code_memory.c keep what they make: the user's cache folder, its files, and the compiler that they are of. */
#ifndef DAL_RUN_CODE_FOLDER_H
#define DAL_RUN_CODE_FOLDER_H

#include "base/digest.h"
#include "run/code_cache.h"

enum { DAL_CODE_PATH = 1024, DAL_CODE_NAME = 80 };

typedef struct dal_code_work {
    const dal_code_request *request;
    char compiler[DAL_CODE_PATH]; /* cc */
    char folder[DAL_CODE_PATH];
    int at; /* the folder, open; -1: not yet */
    char name[65];
    char bench[DAL_CODE_NAME]; /* the folder of what is made now, in the folder; "": none */
    char *why;
    size_t size;
} dal_code_work;

/* False, with the sentence. */
bool dal_code_refuse(dal_code_work *w, const char *what, const char *detail);
/* Compiler and folder are there. False with a sentence. */
bool dal_code_open(dal_code_work *w);
void dal_code_close(dal_code_work *w);

/* The options of cc: usual ones, then those of this machine. Both end with NULL. */
extern const char *const dal_code_options[];
const char *const *dal_code_machine_options(void);
/* Version of the library, compiler and options: what every name begins with. */
dal_digest dal_code_identity(const dal_code_work *w);

/* A file of the folder for reading, if it is a file that only the user may read or write; else -1. */
int dal_code_open_own(int folder, const char *name);
bool dal_code_digest_file(int folder, const char *name, char text[65]);
/* A new file; false: it could not be written. */
bool dal_code_write(int folder, const char *name, const char *bytes, size_t n);

/* A separate folder for files that are not complete yet, the bench; the second removes it with its files. */
bool dal_code_open_bench(dal_code_work *w);
void dal_code_clear_bench(const dal_code_work *w);
/* A complete file of the bench gets its final name, `name` and `end`, in the cache folder. */
bool dal_code_publish(const dal_code_work *w, const char *file, const char *end);

/* code_cache.c: the object of this name, loaded, where it is whole; else NULL. */
void *dal_code_open_cached(const dal_code_work *w, char sum[65]);

#endif
