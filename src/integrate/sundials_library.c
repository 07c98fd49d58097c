/* Loading CVODE and IDA. */
#ifdef DAL_HAVE_SUNDIALS

#include "integrate/sundials_library.h"
#include "base/library.h"

#include <stdio.h>

/* Layouts of structures that are filled here may change with the minor version. */
static bool check_version(dal_sundials_library *library, const char *soname, char *why, size_t size)
{
    int major = 0, minor = 0, patch = 0;
    char label[32];
    if (!library->handle)
        return false;
    library->SUNDIALSGetVersionNumber(&major, &minor, &patch, label, (int)sizeof label);
    if (major == SUNDIALS_VERSION_MAJOR && minor == SUNDIALS_VERSION_MINOR)
        return true;
    snprintf(why, size, "%s is SUNDIALS %d.%d, and this build was made for %d.%d", soname, major, minor, SUNDIALS_VERSION_MAJOR,
             SUNDIALS_VERSION_MINOR);
    dal_library_close(library->handle);
    library->handle = NULL;
    return false;
}

#define X(name) {#name, offsetof(dal_sundials_library, name)},
#define CVODE(name) {"CVode" #name, offsetof(dal_sundials_library, name)},
#define IDA(name) {"IDA" #name, offsetof(dal_sundials_library, name)},

bool dal_cvode_load(dal_sundials_library *library, char *why, size_t size)
{
    static const dal_symbol symbols[] = {DAL_SUNDIALS_CALLS(X) DAL_CVODE_CALLS(X) DAL_PACKAGE_CALLS(CVODE)};
    library->handle =
        dal_library_open("CVODE of SUNDIALS", DAL_CVODE_SONAME, "libsundials-cvode6", symbols, sizeof symbols / sizeof *symbols, library, why, size);
    return check_version(library, DAL_CVODE_SONAME, why, size);
}

bool dal_ida_load(dal_sundials_library *library, char *why, size_t size)
{
    static const dal_symbol symbols[] = {DAL_SUNDIALS_CALLS(X) DAL_IDA_CALLS(X) DAL_PACKAGE_CALLS(IDA)};
    library->handle =
        dal_library_open("IDA of SUNDIALS", DAL_IDA_SONAME, "libsundials-ida6", symbols, sizeof symbols / sizeof *symbols, library, why, size);
    return check_version(library, DAL_IDA_SONAME, why, size);
}

#undef X
#undef CVODE
#undef IDA

#else

typedef int dal_sundials_was_left_out; /* a translation unit must not be empty */

#endif
