/* A YAML text as a tree of maps, lists and scalars.
 *
 * The subset that a model may use: one document, no anchors, aliases or tags,
 * keys are words, no key twice, no entry without a value, at most
 * DAL_DEPTH_LIMIT levels. Scalars stay text: YAML never decides that `on` is
 * true or that `1e3` is a number. Every node knows the line and the column
 * where it starts.
 */
#ifndef DAL_SPEC_DOCUMENT_H
#define DAL_SPEC_DOCUMENT_H

#include "base/arena.h"
#include "base/message.h"

enum { DAL_DEPTH_LIMIT = 100, DAL_NODE_LIMIT = 1000000, DAL_ERROR_LIMIT = 1000 };

typedef enum dal_tree_kind { DAL_SCALAR, DAL_SEQUENCE, DAL_MAP } dal_tree_kind;
typedef enum dal_quote { DAL_PLAIN, DAL_SINGLE, DAL_DOUBLE, DAL_BLOCK } dal_quote;

typedef struct dal_tree {
    dal_tree_kind kind;
    dal_quote quote;   /* scalars: how it was written; DAL_BLOCK: | or > */
    bool flow;         /* written with { } or [ ] */
    bool broken;       /* a scalar with escapes or line breaks: offsets in it are not columns */
    bool bad;          /* an error about it was reported: readers skip it */
    bool dropped;      /* while the tree is built: the node will be removed */
    dal_mark mark;     /* of its first character, the quote included */
    const char *text;  /* scalars */
    const char *lines; /* scalars of several lines: the text of the file, without escapes; NULL: on one line, or with escapes */
    dal_mark lines_mark;
    const char *key; /* children of a map */
    dal_mark key_mark;
    struct dal_tree *first, *next; /* children; the next sibling */
    int n;                         /* number of children */
} dal_tree;

/* Errors and warnings beyond the limit are not useful and would cost memory. */
#define dal_complain(messages, ...) (dal_messages_count((messages), DAL_ERROR) < DAL_ERROR_LIMIT ? dal_error((messages), __VA_ARGS__) : (void)0)

#define dal_caution(messages, ...) (dal_messages_count((messages), DAL_WARNING) < DAL_ERROR_LIMIT ? dal_warn((messages), __VA_ARGS__) : (void)0)

/* The data of libyaml; the caller closes it, also after a jump because memory ran out. */
typedef struct dal_yaml dal_yaml;
/* Memory comes from the arena. */
dal_yaml *dal_yaml_open(dal_arena *arena);
/* Frees the memory of libyaml. */
void dal_yaml_close(dal_yaml *yaml);
void dal_yaml_again(dal_yaml *yaml); /* prepares for another document, when the last one is read */

/* Nodes come from `nodes`, texts from `strings` (they outlive the nodes). NULL: the text could not be read; messages say why. `no_memory` is
 * set when libyaml itself ran out of memory. */
dal_tree *dal_document_read(dal_yaml *yaml, dal_arena *nodes, dal_arena *strings, const char *file, const char *text, size_t length,
                            dal_messages *messages, bool *no_memory);

/* The number of nodes in it. */
int dal_tree_size(const dal_tree *tree);

/* What was found, for messages: "a list", "a { } of entries" or the text in quotes. */
const char *dal_tree_found(dal_arena *arena, const dal_tree *tree);

#endif
