/* libyaml's complaints, translated.
 *
 * libyaml names a problem (and its mark) and sometimes the context in which it
 * arose (and that mark). The table below maps the pair to a sentence that says
 * what to write instead. Bad bytes come without a mark: line and column are
 * then counted up to the byte offset.
 */
#include "spec/yaml_fault.h"

#include <string.h>

typedef struct fault {
    const char *context, *problem; /* the text of libyaml; NULL context: any */
    bool at_context;               /* the message belongs to the mark of the context */
    const char *sentence;
} fault;

static const char lonely_minus[] = "'-' with a space after it begins a list entry in YAML: write '-r/2' without the space, or quote this expression",
                  lonely_question[] = "'?' with a space after it begins a key in YAML: quote this expression",
                  lonely_colon[] = "this ':' is not allowed here: check the indentation of the line, or quote a text "
                                   "that contains ': '";

static const fault faults[] = {
    {NULL, "block sequence entries are not allowed in this context", false, lonely_minus},
    {NULL, "mapping keys are not allowed in this context", false, lonely_question},
    {"while scanning an alias", NULL, true, "a leading '*' makes a YAML alias: quote this expression"},
    {"while scanning an anchor", NULL, true, "a leading '&' makes a YAML anchor: quote this expression"},
    {"while scanning a tag", NULL, true, "a leading '!' makes a YAML tag: quote this expression"},
    {"while parsing a tag", NULL, true, "a leading '!' makes a YAML tag: quote this expression"},
    {"while parsing a node", "found undefined tag handle", true, "a leading '!' makes a YAML tag: quote this expression"},
    {"while scanning a directive", NULL, false, "a line that begins with '%' is a YAML directive: quote this expression"},
    {"while scanning a quoted scalar", "found unexpected end of stream", true, "this quote is not closed"},
    {"while parsing a quoted scalar", "found unknown escape character", false, "this is not an escape of YAML: a model needs no '\\'"},
    {"while parsing a quoted scalar", "found invalid Unicode character escape code", false,
     "this escape is not a character: half of a surrogate pair, or a number beyond U+10FFFF"},
    {"while scanning a plain scalar", "found a tab character that violates indentation", false, "a tab is not allowed here: use spaces"},
    {"while scanning a block scalar", "found a tab character where an indentation space is expected", false, "a tab is not allowed here: use spaces"},
    {"while parsing a block mapping", "did not find expected key", false,
     "a key was expected here: check the indentation, it differs from the line where these entries begin"},
    {"while parsing a block collection", "did not find expected '-' indicator", false,
     "a list entry ('- ...') was expected here: check the indentation"},
    {NULL, "did not find expected <document start>", false, "the model ended before this: check the indentation"},
};

static dal_mark mark_of(const char *file, yaml_mark_t at)
{
    return (dal_mark){file, (int)at.line + 1, (int)at.column + 1};
}

/* Marks count characters: the address of the one with number `index`. */
static const char *find_character(const char *source, size_t length, size_t index)
{
    const char *end = source + length;
    const char *p = source;
    for (; p < end; p++)
        if (((unsigned char)*p & 0xc0) != 0x80 && index-- == 0)
            break;
    return p;
}

/* The first character that is not UTF-8, up to byte `stop`: libyaml may point at a later byte. */
static size_t find_bad_byte(const char *source, size_t length, size_t stop)
{
    size_t i = 0;
    while (i < stop) {
        const unsigned char c = (unsigned char)source[i];
        const size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
        size_t good = n > 0;
        while (good && good < n && i + good < length && ((unsigned char)source[i + good] & 0xc0) == 0x80)
            good++;
        if (!n || good < n)
            return i;
        i += n;
    }
    return stop;
}

static void explain_bytes(const yaml_parser_t *parser, const char *file, const char *source, size_t length, dal_messages *messages)
{
    size_t stop = parser->problem_offset < length ? parser->problem_offset : length;
    stop = find_bad_byte(source, length, stop);
    dal_mark mark = {file, 1, 1};
    for (size_t i = 0; i < stop; i++) {
        unsigned char c = (unsigned char)source[i];
        if (c == '\n' || (c == '\r' && !(i + 1 < length && source[i + 1] == '\n'))) {
            mark.line++;
            mark.column = 1;
        } else {
            mark.column += (c & 0xc0) != 0x80;
        }
    }
    if (parser->problem && strstr(parser->problem, "control"))
        dal_error(messages, mark, "a control character (number %d) is not allowed in a model", parser->problem_value);
    else if (stop < length)
        dal_error(messages, mark, "the byte 0x%02x is not UTF-8 text: save the file as UTF-8", (unsigned)(unsigned char)source[stop]);
    else
        dal_error(messages, mark, "the file ends inside a character of UTF-8");
}

/* A character that cannot begin a value in YAML. */
static void explain_character(const char *p, const char *end, dal_mark mark, dal_messages *messages)
{
    if (p < end && *p == '\t')
        dal_error(messages, mark, "a tab is not allowed here: use spaces");
    else if (p < end && *p == '%')
        dal_error(messages, mark, "an unquoted text cannot begin with '%%' in YAML: there is no '%%' in expressions");
    else if (p < end)
        dal_error(messages, mark, "an unquoted text cannot begin with '%c' in YAML: quote it", *p);
    else
        dal_error(messages, mark, "something is missing at the end");
}

/* angle:45*deg at `p` lacks a blank. */
static bool explain_lost_blank(const char *p, const char *end, dal_mark mark, dal_messages *messages)
{
    const char *stop = p;
    while (stop < end && !strchr(" \t\r\n,{}[]", *stop))
        stop++;
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    if (!colon || colon == p || colon + 1 == stop || colon - p > 80 || stop - colon > 80)
        return false;
    dal_error(messages, mark, "a space is missing after the colon: write '%.*s: %.*s'", (int)(colon - p), p, (int)(stop - colon - 1), colon + 1);
    return true;
}

/* A line without ': ' among keys. */
static void explain_lost_key(const char *p, const char *end, dal_mark mark, dal_messages *messages)
{
    size_t length = 0;
    while (p + length < end && length < 80 && !strchr("\r\n", p[length]))
        length++;
    if (!explain_lost_blank(p, end, mark, messages))
        dal_error(messages, mark, "'%.*s' is neither a key with ': ' after it nor a part of the line above", (int)length, p);
}

/* A ':' too many: perhaps the line above lacks a blank and continues into this one. */
static void explain_colon(const char *source, const char *p, const char *end, dal_mark mark, dal_messages *messages)
{
    const char *line = p;
    for (int breaks = 0; line > source; line--) {
        breaks += line[-1] == '\n';
        if (breaks == 2)
            break;
    }
    size_t blanks = 0;
    while (line + blanks < p && line[blanks] == ' ')
        blanks++;
    dal_mark above = {mark.file, mark.line - 1, (int)blanks + 1};
    if (mark.line < 2 || !explain_lost_blank(line + blanks, end, above, messages))
        dal_error(messages, mark, "%s", lonely_colon);
}

static void explain_open_bracket(const yaml_parser_t *parser, dal_mark mark, char open, char close, dal_messages *messages)
{
    dal_error(messages, mark, "',' or '%c' was expected here: the '%c' of line %d, column %d is still open", close, open,
              (int)parser->context_mark.line + 1, (int)parser->context_mark.column + 1);
}

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

void dal_explain_yaml_fault(const yaml_parser_t *parser, dal_arena *arena, const char *file, const char *source, size_t length,
                            dal_messages *messages)
{
    const char *problem = parser->problem ? parser->problem : "not YAML", *context = parser->context;
    const char *end = source + length;
    dal_mark mark = mark_of(file, parser->problem_mark);
    if (parser->error == YAML_READER_ERROR) {
        explain_bytes(parser, file, source, length, messages);
        return;
    }
    if (same(problem, "found character that cannot start any token")) {
        explain_character(find_character(source, length, parser->problem_mark.index), end, mark, messages);
        return;
    }
    if (same(problem, "could not find expected ':'")) {
        explain_lost_key(find_character(source, length, parser->context_mark.index), end, mark_of(file, parser->context_mark), messages);
        return;
    }
    if (same(problem, "mapping values are not allowed in this context")) {
        explain_colon(source, find_character(source, length, parser->problem_mark.index), end, mark, messages);
        return;
    }
    if (same(problem, "did not find expected node content")) {
        const char *p = find_character(source, length, parser->problem_mark.index);
        dal_error(messages, mark, "%s", p < end && *p == '-' ? lonely_minus : p < end && *p == '?' ? lonely_question : "a value was expected here");
        return;
    }
    if (same(context, "while parsing a flow mapping") || same(context, "while parsing a flow sequence")) {
        bool map = same(context, "while parsing a flow mapping");
        explain_open_bracket(parser, mark, map ? '{' : '[', map ? '}' : ']', messages);
        return;
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const fault *f = &faults[i];
        if ((f->context && !same(f->context, context)) || (f->problem && !same(f->problem, problem)))
            continue;
        dal_error(messages, f->at_context ? mark_of(file, parser->context_mark) : mark, "%s", f->sentence);
        return;
    }
    dal_error(messages, mark, "%s", context ? dal_arena_print(arena, "%s, %s", context, problem) : problem);
}
