/* The calls of libxml2 that are used, found in its shared library when a file is read. */
#ifndef DAL_SPEC_XML_LIBRARY_H
#define DAL_SPEC_XML_LIBRARY_H

#include "base/library.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <stdbool.h>
#include <stddef.h>

#define DAL_XML_CALLS(X)                                                                                                                             \
    X(xmlNewParserCtxt) X(xmlCtxtReadMemory) X(xmlStopParser) X(xmlFreeParserCtxt) X(xmlFreeDoc) X(xmlDocGetRootElement) X(xmlGetLineNo)

typedef struct dal_xml_library {
    void *handle;
    DAL_XML_CALLS(DAL_CALL)
} dal_xml_library;

/* False with a sentence in `why` if the library is missing or has another version. */
bool dal_xml_load(dal_xml_library *library, char *why, size_t size);
/* Accepts a library that is not loaded. */
void dal_xml_unload(dal_xml_library *library);

#endif
