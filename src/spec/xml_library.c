/* Loading libxml2: its functions by name. */
#ifdef DAL_HAVE_URDF

#include "spec/xml_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool dal_xml_load(dal_xml_library *library, char *why, size_t size)
{
    /* NODELETE: it keeps tables of its own for the whole program, so it must stay. */
    library->handle = dlopen(DAL_XML_SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library->handle) {
        snprintf(why, size, "libxml2 could not be loaded (%s)", dlerror());
        return false;
    }
    const char *missing = NULL;
    void *found;
#define X(name)                                                                                                        \
    if ((found = dlsym(library->handle, #name)))                                                                       \
        memcpy(&library->name, &found, sizeof found);                                                                  \
    else                                                                                                               \
        missing = #name;
    DAL_XML_CALLS(X)
#undef X
    if (!missing)
        return true;
    snprintf(why, size, "%s has no %s", DAL_XML_SONAME, missing);
    dal_xml_unload(library);
    return false;
}

void dal_xml_unload(dal_xml_library *library)
{
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
}

#else

typedef int dal_no_xml_library; /* a file is not empty */

#endif
