/* XML through libxml2: the tree is copied into the arena, and the library's memory is freed.
 *
 * NONET, without NOENT, DTDLOAD, DTDATTR, XINCLUDE and HUGE: the library then opens nothing, and its own limits (depth 256, texts of
 * 10 MB) hold. It would still keep entities that a DOCTYPE declares and expand them in attributes: the first declaration ends the
 * reading.
 */
#include "spec/xml.h"

#include <string.h>

const char *dal_xml_get(const dal_xml_node *node, const char *name)
{
    for (const dal_xml_attribute *a = node->attributes; a; a = a->next)
        if (!strcmp(a->name, name))
            return a->value;
    return NULL;
}

#ifdef DAL_HAVE_URDF

#include "spec/xml_library.h"

#if LIBXML_VERSION >= 21200
typedef const xmlError *reported_error;
#else
typedef xmlErrorPtr reported_error;
#endif

struct dal_xml {
    dal_xml_library library;
    xmlParserCtxtPtr parser;
    xmlDocPtr document;
    char fault[400]; /* line of the first error that ends the reading */
    int line, column;
    bool no_memory;
};

dal_xml *dal_xml_open(dal_arena *arena)
{
    return dal_arena_alloc(arena, sizeof(dal_xml));
}

void dal_xml_close(dal_xml *xml)
{
    if (!xml)
        return;
    if (xml->document)
        xml->library.xmlFreeDoc(xml->document);
    if (xml->parser)
        xml->library.xmlFreeParserCtxt(xml->parser);
    xml->document = NULL;
    xml->parser = NULL;
    dal_xml_unload(&xml->library);
}

/* ---- what the library calls: it must not jump ------------------------------------------------ */

static void set_fault(dal_xml *xml, const char *text, int line, int column)
{
    if (*xml->fault)
        return;
    size_t n = strcspn(text, "\n");
    n = n < sizeof xml->fault - 1 ? n : sizeof xml->fault - 1;
    memcpy(xml->fault, text, n);
    xml->fault[n] = '\0';
    xml->line = line > 0 ? line : 0;
    xml->column = column > 0 ? column : 0;
}

static void note_error(void *user, reported_error error)
{
    dal_xml *xml = ((xmlParserCtxtPtr)user)->_private;
    if (error->code == XML_ERR_NO_MEMORY)
        xml->no_memory = true;
    if (error->level == XML_ERR_FATAL && error->message)
        set_fault(xml, error->message, error->line, error->int2);
}

static void refuse_entity(void *user, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content)
{
    xmlParserCtxtPtr parser = user;
    dal_xml *xml = parser->_private;
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    set_fault(xml, "the DOCTYPE declares an entity, and entities are not expanded: write what it stands for", parser->input ? parser->input->line : 0,
              0);
    xml->library.xmlStopParser(parser);
}

/* ---- the copy ---------------------------------------------------------------------------------- */

typedef struct copier {
    const dal_xml_library *library;
    dal_arena *arena;
    dal_messages *messages;
    const char *file;
    int nodes;
    bool failed;
} copier;

static void fail(copier *c, dal_mark mark, const char *text)
{
    if (!c->failed)
        dal_error(c->messages, mark, "%s", text);
    c->failed = true;
}

static const char *qualified(copier *c, const xmlNs *ns, const xmlChar *name)
{
    if (ns && ns->prefix)
        return dal_arena_print(c->arena, "%s:%s", (const char *)ns->prefix, (const char *)name);
    return dal_arena_copy(c->arena, (const char *)name, strlen((const char *)name));
}

/* The texts that an attribute consists of. */
static const char *value_of(copier *c, dal_mark mark, const xmlAttr *attribute)
{
    const char *value = "";
    for (const xmlNode *part = attribute->children; part; part = part->next) {
        if (part->type != XML_TEXT_NODE)
            fail(c, mark, "entities are not expanded: write what the reference stands for");
        else if (part->content && !*value)
            value = dal_arena_copy(c->arena, (const char *)part->content, strlen((const char *)part->content));
        else if (part->content)
            value = dal_arena_print(c->arena, "%s%s", value, (const char *)part->content);
    }
    return value;
}

static dal_xml_node *copy_node(copier *c, const xmlNode *from, int depth)
{
    dal_xml_node *node = DAL_NEW(c->arena, dal_xml_node, 1);
    node->name = qualified(c, from->ns, from->name);
    node->mark = (dal_mark){c->file, (int)c->library->xmlGetLineNo((xmlNode *)from), 0};
    if (depth > DAL_XML_DEPTH_LIMIT)
        fail(c, node->mark, "the elements are nested deeper than 100 levels");
    if (++c->nodes > DAL_XML_NODE_LIMIT)
        fail(c, node->mark, "the file has more than a million elements");
    dal_xml_attribute **last = &node->attributes;
    for (const xmlAttr *a = from->properties; a && !c->failed; a = a->next) {
        *last = DAL_NEW(c->arena, dal_xml_attribute, 1);
        **last = (dal_xml_attribute){qualified(c, a->ns, a->name), value_of(c, node->mark, a), NULL};
        last = &(*last)->next;
    }
    dal_xml_node **child = &node->first;
    for (const xmlNode *n = from->children; n && !c->failed; n = n->next) {
        if (n->type == XML_ENTITY_REF_NODE)
            fail(c, node->mark, "entities are not expanded: write what the reference stands for");
        if (n->type != XML_ELEMENT_NODE)
            continue;
        *child = copy_node(c, n, depth + 1);
        child = &(*child)->next;
    }
    return node;
}

static void parse_text(dal_xml *xml, const char *text, size_t length)
{
    xml->parser = xml->library.xmlNewParserCtxt();
    if (!xml->parser) {
        xml->no_memory = true;
        return;
    }
    xml->parser->_private = xml;
    xml->parser->sax->serror = note_error;
    xml->parser->sax->entityDecl = refuse_entity;
    xml->document =
        xml->library.xmlCtxtReadMemory(xml->parser, text, (int)length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT | XML_PARSE_BIG_LINES);
}

const dal_xml_node *dal_xml_read(dal_xml *xml, dal_arena *arena, const char *file, const char *text, size_t length, dal_messages *messages,
                                 bool *no_memory)
{
    if (length > DAL_XML_SIZE_LIMIT) {
        dal_error(messages, (dal_mark){file, 0, 0}, "the model cannot be read: it is larger than 16 MiB");
        return NULL;
    }
    if (!dal_xml_load(&xml->library, xml->fault, sizeof xml->fault)) {
        dal_error(messages, (dal_mark){file, 0, 0}, "the model cannot be read: %s", xml->fault);
        return NULL;
    }
    parse_text(xml, text, length);
    if (!xml->document && !*xml->fault) /* a faulty text has an error: without one, memory ran out */
        xml->no_memory = true;
    if (xml->no_memory) {
        *no_memory = true;
        return NULL;
    }
    const xmlNode *root = xml->document ? xml->library.xmlDocGetRootElement(xml->document) : NULL;
    if (*xml->fault || !root) {
        dal_error(messages, (dal_mark){file, xml->line, xml->column}, "the XML cannot be read: %s", *xml->fault ? xml->fault : "it has no element");
        return NULL;
    }
    copier c = {.library = &xml->library, .arena = arena, .messages = messages, .file = file};
    const dal_xml_node *copy = copy_node(&c, root, 1);
    return c.failed ? NULL : copy;
}

#else

struct dal_xml {
    int unused;
};

dal_xml *dal_xml_open(dal_arena *arena)
{
    return dal_arena_alloc(arena, sizeof(dal_xml));
}

void dal_xml_close(dal_xml *xml)
{
    (void)xml;
}

const dal_xml_node *dal_xml_read(dal_xml *xml, dal_arena *arena, const char *file, const char *text, size_t length, dal_messages *messages,
                                 bool *no_memory)
{
    (void)xml, (void)arena, (void)text, (void)length, (void)no_memory;
    dal_error(messages, (dal_mark){file, 0, 0}, "this build of dalembert cannot read URDF files: it was made without libxml2");
    return NULL;
}

#endif
