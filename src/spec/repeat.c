/* repeat: {i: 1..100} makes an element many times.
 *
 * The element is read once for every number, with the loop variables bound. Names get the numbers after a dot (rod.3, plate.2.7), and braces in names
 * are replaced: rod.{i-1} is rod.2.
 */
#include "spec/reader.h"

#include <math.h>
#include <string.h>

enum { MOST_VARIABLES = 8, LONGEST_NAME = 500 };

typedef struct index_range {
    dal_text name, first, last;
} index_range;

typedef struct loop_nest {
    dal_reader *reader;
    const dal_tree *tree;
    dal_make_element *make;
    int n, turns; /* variables; numbers done so far */
    int size;     /* nodes of the element */
    index_range range[MOST_VARIABLES];
} loop_nest;

/* ---- numbers ------------------------------------------------------------------- */

static bool whole_number(dal_reader *reader, const dal_text *text, int *value)
{
    double number;
    if (!dal_constant(reader, text, &number))
        return false;
    if (number != floor(number) || number < 0 || number > 1e9) {
        dal_complain(reader->messages, text->mark, "'%.80s' is %.6g; a whole number from 0 to 1e9 is needed here", text->text, number);
        return false;
    }
    *value = (int)number;
    return true;
}

const char *dal_expand_name(dal_reader *reader, const dal_text *name)
{
    const char *rest = name->text, *done = "";
    if (strlen(name->text) > LONGEST_NAME) {
        dal_complain(reader->messages, name->mark, "a name has at most %d characters with its points", LONGEST_NAME);
        return NULL;
    }
    for (const char *open; (open = strchr(rest, '{')); rest = strchr(open, '}') + 1) {
        const char *close = strchr(open, '}');
        dal_text index = {.mark = name->mark};
        index.mark.column += (int)(open + 1 - name->text);
        if (!close) {
            dal_complain(reader->messages, index.mark, "a brace of '%.80s' is not closed", name->text);
            return NULL;
        }
        index.text = dal_arena_copy(reader->scratch, open + 1, (size_t)(close - open - 1));
        int number;
        if (!whole_number(reader, &index, &number))
            return NULL;
        done = dal_arena_print(reader->scratch, "%s%.*s%d", done, (int)(open - rest), rest, number);
    }
    return rest == name->text ? name->text : dal_arena_print(reader->keep, "%s%s", done, rest);
}

/* ---- the key ------------------------------------------------------------------- */

/* "1..n-1" -> "1" and "n-1" */
static bool split_range(dal_reader *reader, const dal_tree *tree, index_range *range)
{
    dal_text text = {0};
    if (!dal_read_expression(reader, tree, &text))
        return false;
    const char *dots = strstr(text.text, "..");
    if (!dots || dots == text.text || !dots[2]) {
        dal_complain(reader->messages, text.mark, "%s needs first..last, as in 1..100; '%.80s' was found", dal_label(reader), text.text);
        return false;
    }
    range->first = range->last = text;
    range->first.text = dal_arena_copy(reader->scratch, text.text, (size_t)(dots - text.text));
    range->last.text = dots + 2;
    range->last.mark.column += (int)(dots + 2 - text.text);
    return true;
}

static bool read_variable(dal_reader *reader, const dal_tree *tree, index_range *range)
{
    const char *fault = dal_name_fault(reader->scratch, tree->key);
    const dal_name *other = fault ? NULL : dal_names_find(reader, tree->key);
    if (other)
        fault = dal_arena_print(reader->scratch, "it is already the name of the %s at line %d, column %d", other->section, other->mark.line,
                                other->mark.column);
    if (fault)
        dal_complain(reader->messages, tree->key_mark, "'%.100s' cannot be a variable of 'repeat': %s", tree->key, fault);
    range->name = (dal_text){.text = tree->key, .mark = tree->key_mark};
    reader->key = tree->key;
    return split_range(reader, tree, range) && !fault;
}

static bool read_ranges(loop_nest *loop, const dal_tree *tree)
{
    dal_reader *reader = loop->reader;
    reader->key = "repeat";
    if (!dal_needs_map(reader, tree, "{i: 1..100}"))
        return false;
    if (tree->n < 1 || tree->n > MOST_VARIABLES) {
        dal_complain(reader->messages, tree->mark, "%s needs 1 to %d variables; %d given", dal_label(reader), MOST_VARIABLES, tree->n);
        return false;
    }
    dal_scope outer = dal_descend(reader, NULL);
    bool fine = true;
    for (const dal_tree *child = tree->first; child; child = child->next)
        fine = read_variable(reader, child, &loop->range[loop->n++]) && fine;
    dal_ascend(reader, outer);
    return fine;
}

/* ---- the loops ------------------------------------------------------------------ */

/* An entry of a list has no key. */
static dal_mark loop_mark(const dal_tree *tree)
{
    return tree->key ? tree->key_mark : tree->mark;
}

static void complain_many(const loop_nest *loop)
{
    dal_complain(loop->reader->messages, loop_mark(loop->tree), "a model has at most %d bodies, joints, forces and repeated points together",
                 DAL_ELEMENT_LIMIT);
}

/* A large element, repeated many times, would use unlimited memory. */
static bool afford_copy(loop_nest *loop)
{
    dal_reader *reader = loop->reader;
    if (!loop->n || (reader->copies += loop->size) <= DAL_COPY_LIMIT)
        return true;
    dal_complain(reader->messages, loop_mark(loop->tree), "'repeat' makes more than %d entries", DAL_COPY_LIMIT);
    return false;
}

static bool make_one(loop_nest *loop, const char *name)
{
    dal_reader *reader = loop->reader;
    int errors = dal_messages_count(reader->messages, DAL_ERROR);
    if (reader->elements++ == DAL_ELEMENT_LIMIT)
        complain_many(loop);
    else if (afford_copy(loop))
        loop->make(reader, loop->tree, name);
    return dal_messages_count(reader->messages, DAL_ERROR) == errors; /* one error is enough for all copies */
}

enum { MOST_COMING = 16384 }; /* most elements to reserve room for: the next one may be faulty */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool run_loop(loop_nest *loop, int depth, const char *name)
{
    dal_reader *reader = loop->reader;
    const index_range *range = &loop->range[depth];
    int first, last;
    if (depth == loop->n)
        return make_one(loop, name);
    if (!whole_number(reader, &range->first, &first) || !whole_number(reader, &range->last, &last))
        return false;
    if (last < first - 1) {
        dal_complain(reader->messages, range->first.mark, "'%s' runs backwards, from %d to %d", range->name.text, first, last);
        return false;
    }
    const dal_binding *outer = reader->binding;
    bool fine = true;
    for (int i = first; fine && i <= last; i++) {
        if (loop->turns++ == 2 * DAL_ELEMENT_LIMIT) { /* outer numbers may come without elements */
            complain_many(loop);
            return false;
        }
        dal_binding *binding = DAL_NEW(reader->keep, dal_binding, 1);
        *binding = (dal_binding){range->name.text, i, outer, outer ? outer->model : NULL};
        reader->binding = binding;
        reader->coming = loop->n == 1 ? smaller((size_t)(last - i) + 1, MOST_COMING) : 0;
        fine = run_loop(loop, depth + 1, dal_arena_print(reader->keep, "%s.%d", name, i));
    }
    reader->binding = outer;
    reader->coming = 0;
    return fine;
}

void dal_repeat(dal_reader *reader, const dal_tree *tree, const char *section, dal_make_element *make)
{
    loop_nest loop = {.reader = reader, .tree = tree, .make = make, .size = dal_tree_size(tree)};
    const dal_tree *repeat = tree->kind == DAL_MAP ? tree->first : NULL;
    while (repeat && strcmp(repeat->key, "repeat"))
        repeat = repeat->next;
    reader->what = tree->key ? dal_what(reader, section, tree->key) : dal_arena_print(reader->scratch, "'%s'", section);
    if (!repeat || read_ranges(&loop, repeat))
        run_loop(&loop, 0, tree->key ? tree->key : section);
    reader->what = NULL;
}
