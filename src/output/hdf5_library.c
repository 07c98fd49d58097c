/* Loads HDF5: its functions by name, and the values of H5T_NATIVE_DOUBLE and similar names, which are variables of the library that H5open sets. */
#ifdef DAL_HAVE_HDF5

#include "output/hdf5_library.h"
#include "output/hdf5_gate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool dal_hdf5_load(dal_hdf5 *library, char *why, size_t size)
{
#define X(name) {#name, offsetof(dal_hdf5, name)},
    static const dal_symbol symbols[] = {DAL_HDF5_CALLS(X)};
#undef X
    library->handle = dal_library_open("HDF5", DAL_HDF5_SONAME, "libhdf5-103-1", symbols, sizeof symbols / sizeof *symbols, library, why, size);
    if (!library->handle)
        return false;
    dal_hdf5_begin_use();
    const char *missing = library->H5open() < 0 ? "a working H5open" : NULL;
    void *found;
    /* If a program is itself linked with this library, the variables may be in the program and not in the library (copy relocation). */
    bool linked = !missing && (found = dlsym(RTLD_DEFAULT, "H5open")) && !memcmp(&library->H5open, &found, sizeof found);
    void *variables = linked ? RTLD_DEFAULT : library->handle;
#define X(name)                                                                                                                                      \
    if (!missing && (found = dlsym(variables, #name)))                                                                                               \
        memcpy(&library->name, found, sizeof library->name);                                                                                         \
    else if (!missing)                                                                                                                               \
        missing = #name;
    DAL_HDF5_NUMBERS(X)
#undef X
    unsigned major = 0, minor = 0, release = 0;
    if (!missing)
        library->H5get_libversion(&major, &minor, &release);
    if (missing)
        snprintf(why, size, "%s has no %s", DAL_HDF5_SONAME, missing);
    else if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        snprintf(why, size, "%s is HDF5 %u.%u, and this build was made for %d.%d", DAL_HDF5_SONAME, major, minor, H5_VERS_MAJOR, H5_VERS_MINOR);
    else
        return true;
    dal_hdf5_unload(library);
    return false;
}

void dal_hdf5_unload(dal_hdf5 *library)
{
    if (library->handle)
        dal_hdf5_end_use();
    dal_library_close(library->handle);
    library->handle = NULL;
}

void dal_hdf5_close(herr_t (*close)(hid_t), hid_t id)
{
    if (id >= 0)
        close(id);
}

void dal_hdf5_probe(void)
{
    dal_hdf5 library;
    char why[200];
    if (dal_hdf5_load(&library, why, sizeof why))
        dal_hdf5_unload(&library);
}

#else

#include "output/hdf5_gate.h"

void dal_hdf5_probe(void)
{
}

#endif
