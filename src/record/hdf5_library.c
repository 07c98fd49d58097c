/* Loading HDF5: its functions by name, and the numbers behind H5T_NATIVE_DOUBLE and its like, which are variables of the
 * library that H5open fills. */
#ifdef DAL_HAVE_HDF5

#include "record/hdf5_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool dal_hdf5_load(dal_hdf5 *library, char *why, size_t size)
{
    /* NODELETE: it registers things to do at exit, so it must stay. */
    library->handle = dlopen(DAL_HDF5_SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library->handle) {
        snprintf(why, size, "HDF5 could not be loaded (%s); Debian's package libhdf5-103-1 brings it", dlerror());
        return false;
    }
    const char *missing = NULL;
    void *found;
#define X(name)                                                                                                        \
    if ((found = dlsym(library->handle, #name)))                                                                       \
        memcpy(&library->name, &found, sizeof found);                                                                  \
    else                                                                                                               \
        missing = #name;
    DAL_HDF5_CALLS(X)
#undef X
    if (!missing && library->H5open() < 0)
        missing = "a working H5open";
    /* A program that is itself linked with this library may hold the variables, not the library (copy relocation). */
    bool linked =
        !missing && (found = dlsym(RTLD_DEFAULT, "H5open")) && !memcmp(&library->H5open, &found, sizeof found);
    void *variables = linked ? RTLD_DEFAULT : library->handle;
#define X(name)                                                                                                        \
    if (!missing && (found = dlsym(variables, #name)))                                                                 \
        memcpy(&library->name, found, sizeof library->name);                                                           \
    else if (!missing)                                                                                                 \
        missing = #name;
    DAL_HDF5_NUMBERS(X)
#undef X
    unsigned major = 0, minor = 0, release = 0;
    if (!missing)
        library->H5get_libversion(&major, &minor, &release);
    if (missing)
        snprintf(why, size, "%s has no %s", DAL_HDF5_SONAME, missing);
    else if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        snprintf(why, size, "%s is HDF5 %u.%u, and this build was made for %d.%d", DAL_HDF5_SONAME, major, minor,
                 H5_VERS_MAJOR, H5_VERS_MINOR);
    else
        return true;
    dal_hdf5_unload(library);
    return false;
}

void dal_hdf5_unload(dal_hdf5 *library)
{
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
}

#else

typedef int dal_hdf5_was_left_out; /* a translation unit must not be empty */

#endif
