/* Loading libxml2: its functions by name. */
#ifdef DAL_HAVE_URDF

#include "spec/xml_library.h"

bool dal_xml_load(dal_xml_library *library, char *why, size_t size)
{
#define X(name) {#name, offsetof(dal_xml_library, name)},
    static const dal_symbol symbols[] = {DAL_XML_CALLS(X)};
#undef X
    library->handle = dal_library_open("libxml2", DAL_XML_SONAME, "libxml2", symbols, sizeof symbols / sizeof *symbols, library, why, size);
    return library->handle != NULL;
}

void dal_xml_unload(dal_xml_library *library)
{
    dal_library_close(library->handle);
    library->handle = NULL;
}

#else

typedef int dal_no_xml_library; /* a file is not empty */

#endif
