/* Loading a shared library, functions by name. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *dal_library_open(const char *title, const char *soname, const char *package, const dal_symbol *symbols, size_t n, void *table, char *why,
                       size_t size)
{
    void *handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        snprintf(why, size, "%s could not be loaded (%s); Debian's package %s provides it", title, dlerror(), package);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(handle, symbols[i].name);
        if (!found) {
            snprintf(why, size, "%s has no %s", soname, symbols[i].name);
            dlclose(handle);
            return NULL;
        }
        memcpy((char *)table + symbols[i].place, &found, sizeof found);
    }
    return handle;
}

void dal_library_close(void *handle)
{
    if (handle)
        dlclose(handle);
}
