/* libyaml's events become a tree.
 *
 * YAML cuts two kinds of valid expressions. Both are found here, because the pieces are still neighbours:
 *   {v: if(t<1,1,2)}   three entries; the first has an open parenthesis
 *   {angle:45*deg}     one key without a value
 * YAML would refuse one kind that is valid here: rod.{i-1} inside { } or [ ].
 * Its braces are replaced by two private characters before libyaml sees them,
 * one for one, so that columns stay right, and put back afterwards.
 */
#include "spec/document.h"

#include "base/words.h"
#include "spec/yaml_fault.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct dal_yaml {
    yaml_parser_t parser;
    yaml_event_t event;
    bool open, event_open;
};

typedef struct level {
    dal_tree *node;
    dal_tree **tail;
    const char *key; /* waits for its value */
    dal_mark key_mark;
} level;

typedef struct builder {
    dal_yaml *yaml;
    dal_arena *nodes, *strings;
    dal_messages *messages;
    const char *file;
    const char *source; /* with the private characters */
    size_t length;
    int pairs; /* surrogates of JSON in it */
    level stack[DAL_DEPTH_LIMIT];
    int depth, count, documents;
    size_t line, line_start; /* of the last scalar of several lines: its line, from 0, and where that begins in the source */
    dal_tree *root;
} builder;

dal_yaml *dal_yaml_open(dal_arena *arena)
{
    dal_yaml *yaml = DAL_NEW(arena, dal_yaml, 1);
    yaml->open = yaml_parser_initialize(&yaml->parser) != 0;
    return yaml;
}

void dal_yaml_close(dal_yaml *yaml)
{
    if (!yaml)
        return;
    if (yaml->event_open)
        yaml_event_delete(&yaml->event);
    if (yaml->open)
        yaml_parser_delete(&yaml->parser);
    yaml->event_open = yaml->open = false;
}

void dal_yaml_again(dal_yaml *yaml)
{
    dal_yaml_close(yaml);
    yaml->open = yaml_parser_initialize(&yaml->parser) != 0;
}

/* ---- braces in names ---------------------------------------------------- */

static const char brace_open[] = "\xee\x80\x80", brace_close[] = "\xee\x80\x81"; /* U+E000, U+E001 */

/* Length of "{...}" at `p` behind a dot, if its content can be an index; otherwise 0. */
static size_t index_length(const char *p, const char *end)
{
    const char *q = p + 1;
    while (q < end && *q && (isalnum((unsigned char)*q) || strchr("_+-*/() ", *q)))
        q++;
    return q < end && *q == '}' && q > p + 1 ? (size_t)(q - p) + 1 : 0;
}

static char *hide_braces(dal_arena *arena, const char *text, size_t length, size_t *hidden_length)
{
    const char *end = text + length;
    size_t pairs = 0;
    for (const char *p = text; p + 1 < end; p++)
        pairs += p[0] == '.' && p[1] == '{' && index_length(p + 1, end) > 0;
    char *copy = dal_arena_alloc(arena, length + 4 * pairs + 1), *out = copy;
    for (const char *p = text; p < end; p++) {
        size_t n = p > text && p[-1] == '.' && *p == '{' ? index_length(p, end) : 0;
        if (!n) {
            *out++ = *p;
            continue;
        }
        memcpy(out, brace_open, 3);
        memcpy(out + 3, p + 1, n - 2);
        memcpy(out + n + 1, brace_close, 3);
        out += n + 4;
        p += n - 1;
    }
    *hidden_length = (size_t)(out - copy);
    return copy;
}

/* ---- surrogate pairs of JSON ----------------------------------------------- */

/* JSON writes a character beyond U+FFFF as two escapes, \ud800 to \udbff and \udc00 to \udfff, which libyaml refuses. They become
 * \ue800 ... \uefff, private characters too, and as many letters; after libyaml two of them become one character again. */
static bool is_pair(const char *p, const char *end, char digit, char capital)
{
    if (end - p < 12 || p[0] != '\\' || p[1] != 'u' || p[6] != '\\' || p[7] != 'u')
        return false;
    for (int i = 2; i < 12; i++)
        if (i != 6 && i != 7 && !isxdigit((unsigned char)p[i]))
            return false;
    return (p[2] == digit || p[2] == capital) && (p[8] == digit || p[8] == capital) && strchr("89abAB", p[3]) && strchr("cdefCDEF", p[9]);
}

static void shift_pair(char *p, int by)
{
    p[2] = (char)(p[2] + by);
    p[8] = (char)(p[8] + by);
}

/* Returns the number of escapes. An escaped backslash does not begin an escape. */
static int hide_pairs(char *text, size_t length)
{
    int n = 0;
    for (char *p = text, *end = text + length; p < end; p++) {
        if (*p != '\\')
            continue;
        if (is_pair(p, end, 'd', 'D')) {
            shift_pair(p, 1);
            p += 11;
            n++;
        } else {
            p++;
        }
    }
    return n;
}

/* The code of a character of three bytes; 0: the character has another length. */
static unsigned three_bytes(const char *p)
{
    const unsigned char *c = (const unsigned char *)p;
    return (c[0] & 0xf0) == 0xe0 && (c[1] & 0xc0) == 0x80 && (c[2] & 0xc0) == 0x80 ? (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu) : 0;
}

/* In quoted text two private characters become one character of four bytes; elsewhere the escapes are ordinary letters, and are restored. */
static void show_pairs(char *text, bool escapes)
{
    char *out = text;
    for (char *p = text, *end = text + strlen(text); p < end;) {
        const unsigned high = escapes && end - p >= 6 ? three_bytes(p) : 0, low = high ? three_bytes(p + 3) : 0;
        if (high >= 0xe800 && high < 0xec00 && low >= 0xec00 && low < 0xf000) {
            const unsigned code = 0x10000 + ((high - 0xe800) << 10) + (low - 0xec00);
            const char bytes[] = {(char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)), (char)(0x80 | (code >> 6 & 0x3f)),
                                  (char)(0x80 | (code & 0x3f))};
            memcpy(out, bytes, 4);
            out += 4;
            p += 6;
            continue;
        }
        if (!escapes && is_pair(p, end, 'e', 'E'))
            shift_pair(p, -1);
        *out++ = *p++;
    }
    *out = '\0';
}

/* A copy with the braces and the characters of surrogate pairs restored. */
static char *keep_text(builder *b, const char *text, size_t length, bool escapes)
{
    char *copy = dal_arena_copy(b->strings, text, length), *out = copy;
    for (size_t i = 0; i < length; i++) {
        bool hidden = i + 2 < length && (!memcmp(text + i, brace_open, 3) || !memcmp(text + i, brace_close, 3));
        *out++ = !hidden ? text[i] : text[i + 2] == brace_open[2] ? '{' : '}';
        i += hidden ? 2 : 0;
    }
    *out = '\0';
    if (b->pairs)
        show_pairs(copy, escapes);
    return copy;
}

/* ---- what a finished map or list must satisfy --------------------------- */

static int open_parentheses(const char *text)
{
    int open = 0;
    for (; *text; text++)
        open += (*text == '(') - (*text == ')');
    return open;
}

static bool is_null(const dal_tree *node)
{
    static const char *const null[] = {"", "~", "null", "Null", "NULL", NULL};
    return node->kind == DAL_SCALAR && node->quote == DAL_PLAIN && dal_is_one_of(node->text, null);
}

/* The text of an entry that may be the rest of a cut expression: a key without value, or an item of a list. */
static const char *piece_text(const dal_tree *entry)
{
    if (entry->kind != DAL_SCALAR || entry->quote != DAL_PLAIN || entry->bad)
        return NULL;
    return !entry->key ? entry->text : is_null(entry) ? entry->key : NULL;
}

/* if(t<1 | 1 | 2) -> one message; the pieces after the first are removed. */
static void join_cut_expressions(builder *b, dal_tree *parent)
{
    for (dal_tree *child = parent->first; child; child = child->next) {
        if (child->kind != DAL_SCALAR || child->quote != DAL_PLAIN || child->bad)
            continue;
        int open = open_parentheses(child->text), pieces = 0;
        if (open <= 0)
            continue;
        child->bad = true;
        const char *whole = child->text;
        dal_tree *last = child;
        for (dal_tree *piece = child->next; open > 0 && piece && piece_text(piece); piece = piece->next) {
            open += open_parentheses(piece_text(piece));
            if (strlen(whole) < 200)
                whole = dal_arena_print(b->nodes, "%s, %s", whole, piece_text(piece));
            last = piece;
            pieces++;
        }
        if (open > 0) {
            dal_complain(b->messages, child->mark, "a parenthesis of '%.80s' is not closed (quote an expression that contains a comma)", child->text);
            return; /* a longer search would take quadratic time */
        }
        dal_complain(b->messages, child->mark, "the comma cuts this expression into pieces: quote this expression, \"%.200s\"", whole);
        child->next = last->next;
        parent->n -= pieces;
    }
}

static bool is_word(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
            return false;
    return true;
}

/* Reports errors; returns whether the node is a key at all. */
static bool complain_missing_value(builder *b, dal_tree *child, bool flow)
{
    const char *colon = child->key ? strchr(child->key, ':') : NULL;
    if (!child->key) {
        dal_complain(b->messages, child->mark, "an entry of this list has no value");
    } else if (colon && colon > child->key && colon[1]) {
        child->key = dal_arena_copy(b->strings, child->key, (size_t)(colon - child->key));
        dal_complain(b->messages, child->key_mark, "a space is missing after the colon: write '%.80s: %.80s'", child->key, colon + 1);
    } else if (flow && !is_word(child->key)) {
        dal_complain(b->messages, child->key_mark,
                     "'%.80s' has no value: a comma separates entries (quote an expression that contains one; a "
                     "decimal has a point)",
                     child->key);
        return false;
    } else {
        dal_complain(b->messages, child->key_mark, "'%.80s' has no value", child->key);
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const dal_tree *p = *(const dal_tree *const *)a, *q = *(const dal_tree *const *)b;
    int order = strcmp(p->key, q->key);
    if (order)
        return order;
    return p->key_mark.line != q->key_mark.line ? p->key_mark.line - q->key_mark.line : p->key_mark.column - q->key_mark.column;
}

static void find_repeated_keys(builder *b, dal_tree *map)
{
    if (map->n < 2)
        return;
    dal_tree **sorted = DAL_NEW(b->nodes, dal_tree *, map->n);
    int n = 0;
    for (dal_tree *child = map->first; child; child = child->next)
        sorted[n++] = child;
    qsort(sorted, (size_t)n, sizeof *sorted, by_key);
    for (int i = 1, first = 0; i < n; i++) {
        if (strcmp(sorted[i]->key, sorted[first]->key)) {
            first = i;
            continue;
        }
        dal_complain(b->messages, sorted[i]->key_mark, "the key '%.80s' appears here a second time; the first is at line %d, column %d",
                     sorted[i]->key, sorted[first]->key_mark.line, sorted[first]->key_mark.column);
        sorted[i]->dropped = true;
    }
}

static void settle_node(builder *b, dal_tree *node)
{
    if (node->flow)
        join_cut_expressions(b, node);
    for (dal_tree *child = node->first; child; child = child->next) {
        if (!child->bad && is_null(child)) {
            child->dropped = !complain_missing_value(b, child, node->flow);
            child->bad = true;
        }
    }
    if (node->kind == DAL_MAP)
        find_repeated_keys(b, node);
    for (dal_tree **link = &node->first; *link;) {
        if ((*link)->dropped) {
            *link = (*link)->next;
            node->n--;
        } else {
            link = &(*link)->next;
        }
    }
}

/* ---- events ------------------------------------------------------------- */

static dal_mark mark_of(const builder *b, yaml_mark_t at)
{
    return (dal_mark){b->file, (int)at.line + 1, (int)at.column + 1};
}

static size_t characters(const char *text, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* The offset of a place in the source. Scalars come in the order of the file, so that lines are counted once. */
static const char *find_place(builder *b, size_t line, size_t column)
{
    const char *end = b->source + b->length, *at = b->source + b->line_start;
    for (; b->line < line && at < end; at++)
        if (*at == '\n') {
            b->line++;
            b->line_start = (size_t)(at + 1 - b->source);
        }
    for (; b->line == line && column && at < end; column--)
        do
            at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80);
    return b->line == line && !column ? at : NULL;
}

/* Are the characters the same, except for blanks? Then YAML only changed line ends: there are no escapes and no doubled quotes. */
static bool same_letters(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t\r\n");
        b += strspn(b, " \t\r\n");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* A scalar of several lines as it is in the file, from its first letter. So every place in it has a line and a column. */
static void keep_lines(builder *b, dal_tree *node, size_t quotes)
{
    const yaml_mark_t from = b->yaml->event.start_mark, to = b->yaml->event.end_mark;
    const bool block = node->quote == DAL_BLOCK;
    const char *first = find_place(b, from.line + block, block ? 0 : from.column + quotes / 2);
    if (!first)
        return;
    const size_t line = b->line, start = b->line_start;
    const char *last = find_place(b, to.line, to.column);
    b->line = line;
    b->line_start = start;
    if (!last || (size_t)(last - first) < quotes / 2 || last < first)
        return;
    const char *text = keep_text(b, first, (size_t)(last - first) - quotes / 2, false);
    if (!same_letters(text, node->text))
        return;
    const size_t blanks = strspn(text, " \t\r\n");
    node->lines = text;
    node->lines_mark = (dal_mark){b->file, (int)(from.line + block) + 1, (int)(block ? 0 : from.column + quotes / 2) + 1};
    for (const char *c = text; c < text + blanks; c++) {
        node->lines_mark.column = *c == '\n' ? 1 : node->lines_mark.column + 1;
        node->lines_mark.line += *c == '\n';
    }
    node->lines += blanks;
}

static void set_scalar(builder *b, dal_tree *node)
{
    const yaml_event_t *event = &b->yaml->event;
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length, quotes = 0;
    switch (event->data.scalar.style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: node->quote = DAL_SINGLE, quotes = 2; break;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: node->quote = DAL_DOUBLE, quotes = 2; break;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE: node->quote = DAL_BLOCK; break;
    default: node->quote = DAL_PLAIN; break;
    }
    node->kind = DAL_SCALAR;
    node->broken =
        event->start_mark.line != event->end_mark.line || characters(value, length) + quotes != event->end_mark.column - event->start_mark.column;
    if (memchr(value, '\0', length)) {
        dal_complain(b->messages, node->mark, "a text cannot contain the character with the number 0");
        node->bad = true;
    }
    node->text = keep_text(b, value, length, b->yaml->event.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    if (event->start_mark.line != event->end_mark.line && !node->bad)
        keep_lines(b, node, quotes);
}

/* Anchors, tags and aliases are refused; the node is then bad, but reading continues. */
static void refuse_decoration(builder *b, dal_tree *node, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    const char *what = tag ? "a leading '!' makes a YAML tag" : "a leading '&' makes a YAML anchor";
    if (!anchor && !tag)
        return;
    dal_complain(b->messages, node->mark, "%s, which a model cannot use: quote this expression", what);
    node->bad = true;
}

static dal_tree *make_node(builder *b)
{
    const yaml_event_t *event = &b->yaml->event;
    dal_tree *node = DAL_NEW(b->nodes, dal_tree, 1);
    node->mark = mark_of(b, event->start_mark);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        set_scalar(b, node);
        refuse_decoration(b, node, event->data.scalar.anchor, event->data.scalar.tag);
        break;
    case YAML_SEQUENCE_START_EVENT:
        node->kind = DAL_SEQUENCE;
        node->flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        refuse_decoration(b, node, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        node->kind = DAL_MAP;
        node->flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        refuse_decoration(b, node, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        break;
    default: /* alias */
        node->kind = DAL_SCALAR;
        node->text = "";
        node->bad = true;
        dal_complain(b->messages, node->mark, "a leading '*' makes a YAML alias of '*%.80s', which a model cannot use: quote this expression",
                     (const char *)event->data.alias.anchor);
    }
    return node;
}

/* Puts a node into the collection that is open. False: reading cannot continue. */
static bool place_node(builder *b, dal_tree *node)
{
    if (!b->depth) {
        b->root = node;
        return true;
    }
    level *top = &b->stack[b->depth - 1];
    if (top->node->kind == DAL_MAP && !top->key) {
        if (node->kind != DAL_SCALAR || node->bad) {
            if (!node->bad)
                dal_complain(b->messages, node->mark, "a key must be a word; %s was found", node->kind == DAL_SEQUENCE ? "a list" : "a { }");
            return false;
        }
        top->key = node->text;
        top->key_mark = node->mark;
        return true;
    }
    node->key = top->key;
    node->key_mark = top->key_mark;
    top->key = NULL;
    *top->tail = node;
    top->tail = &node->next;
    top->node->n++;
    return true;
}

static bool enter_collection(builder *b, dal_tree *node)
{
    if (b->depth == DAL_DEPTH_LIMIT) {
        dal_complain(b->messages, node->mark, "more than %d levels of [ ] and { } inside one another", DAL_DEPTH_LIMIT);
        return false;
    }
    b->stack[b->depth++] = (level){.node = node, .tail = &node->first};
    return true;
}

static bool read_event(builder *b)
{
    const yaml_event_t *event = &b->yaml->event;
    dal_tree *node;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->documents++) {
            dal_complain(b->messages, mark_of(b, event->start_mark), "a second document begins here: a model is one document");
            return false;
        }
        return true;
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        node = make_node(b);
        if (++b->count > DAL_NODE_LIMIT) {
            dal_complain(b->messages, node->mark, "more than %d entries in one model", DAL_NODE_LIMIT);
            return false;
        }
        return place_node(b, node) && (node->kind == DAL_SCALAR || enter_collection(b, node));
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: settle_node(b, b->stack[--b->depth].node); return true;
    default: return true;
    }
}

dal_tree *dal_document_read(dal_yaml *yaml, dal_arena *nodes, dal_arena *strings, const char *file, const char *text, size_t length,
                            dal_messages *messages, bool *no_memory)
{
    *no_memory = !yaml->open;
    if (!yaml->open)
        return NULL;
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* the byte order mark that some editors write */
        text += 3, length -= 3;
    builder *b = DAL_NEW(nodes, builder, 1);
    *b = (builder){.yaml = yaml, .nodes = nodes, .strings = strings, .messages = messages, .file = file};
    char *source = hide_braces(nodes, text, length, &b->length);
    b->pairs = hide_pairs(source, b->length);
    b->source = source;
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&yaml->parser, (const unsigned char *)b->source, b->length);
    for (bool more = true; more;) {
        if (!yaml_parser_parse(&yaml->parser, &yaml->event)) {
            *no_memory = yaml->parser.error == YAML_MEMORY_ERROR;
            if (!*no_memory)
                dal_explain_yaml_fault(&yaml->parser, nodes, file, b->source, b->length, messages);
            return NULL;
        }
        yaml->event_open = true;
        more = yaml->event.type != YAML_STREAM_END_EVENT;
        bool fine = read_event(b);
        yaml_event_delete(&yaml->event);
        yaml->event_open = false;
        if (!fine)
            return NULL;
    }
    if (!b->root)
        dal_complain(messages, ((dal_mark){file, 1, 1}), "the file is empty: a model begins with 'dalembert: 1'");
    return b->root;
}

const char *dal_tree_found(dal_arena *arena, const dal_tree *tree)
{
    switch (tree->kind) {
    case DAL_SEQUENCE: return tree->n ? "a list" : "an empty list";
    case DAL_MAP: return tree->n ? "a { } of entries" : "an empty { }";
    default: return *tree->text ? dal_arena_print(arena, "'%.80s'", tree->text) : "an empty text";
    }
}

int dal_tree_size(const dal_tree *tree)
{
    int n = 1;
    for (const dal_tree *child = tree->first; child; child = child->next)
        n += dal_tree_size(child);
    return n;
}
