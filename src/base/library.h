/* Shared libraries that are loaded at first use (dlopen), functions by name. Most runs do not use them: the program starts without them, and a
 * machine without a library can do everything else.
 *
 * The functions of a library are a list CALLS(X) of X(name); the table that they go to has a pointer for each, under the same name:
 *
 *   typedef struct table { void *handle; CALLS(DAL_CALL) } table;
 *   #define X(name) {#name, offsetof(table, name)},
 *   static const dal_symbol symbols[] = {CALLS(X)};
 */
#ifndef DAL_BASE_LIBRARY_H
#define DAL_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#define DAL_CALL(name) __typeof__(&name) name;

typedef struct dal_symbol {
    const char *name;
    size_t place; /* of its pointer in the table */
} dal_symbol;

/* Load the library with this soname and fill the table with its functions. NULL with a sentence in `why` if the library is missing (the sentence then
 * names `package`, the Debian package that provides it) or lacks a function. It stays in memory until the program ends, even after dal_library_close:
 * libraries keep tables and exit handlers of their own. */
void *dal_library_open(const char *title, const char *soname, const char *package, const dal_symbol *symbols, size_t n, void *table, char *why,
                       size_t size);
void dal_library_close(void *handle); /* accepts NULL */

#endif
