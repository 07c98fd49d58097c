/* An XML text as a tree of elements with attributes, for readers of foreign model files.
 *
 * The text is not trusted: it cannot open a file or an address, entities are not declared and not expanded, and it has
 * limits of size and depth. Text, comments and instructions between the elements are dropped. Only xml.c knows the library
 * that reads it; without that library every text is refused with a sentence.
 */
#ifndef DAL_SPEC_XML_H
#define DAL_SPEC_XML_H

#include "base/arena.h"
#include "base/message.h"

enum { DAL_XML_SIZE_LIMIT = 16 << 20 /* bytes */, DAL_XML_DEPTH_LIMIT = 100, DAL_XML_NODE_LIMIT = 1000000 };

typedef struct dal_xml_attribute {
    const char *name, *value;
    struct dal_xml_attribute *next;
} dal_xml_attribute;

typedef struct dal_xml_node {
    const char *name; /* with its prefix: "xacro:macro" */
    dal_mark mark;    /* line of its first character; the column is not known: 0 */
    dal_xml_attribute *attributes;
    struct dal_xml_node *first, *next;
} dal_xml_node;

/* The data of the library; the caller closes it, also after a jump because memory ran out. */
typedef struct dal_xml dal_xml;
/* Memory comes from the arena. */
dal_xml *dal_xml_open(dal_arena *arena);
/* Frees the memory of the library. */
void dal_xml_close(dal_xml *xml);

/* The root. NULL: the text could not be read; messages say why. `no_memory` is set when the library itself ran out of memory. */
const dal_xml_node *dal_xml_read(dal_xml *xml, dal_arena *arena, const char *file, const char *text, size_t length, dal_messages *messages,
                                 bool *no_memory);

/* The value of an attribute, or NULL. */
const char *dal_xml_get(const dal_xml_node *node, const char *name);

#endif
