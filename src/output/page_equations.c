/* The tab of equations in a page, compressed: its text in parts, each a block of LZ4, which the viewer decodes when it shows them.
 *
 *   part 0   words: a byte below 32 in the other parts stands for one of them
 *   part 1   the opening tag of every section, closed at once, and what is not a section
 *   part 2.. of each section, what is in it
 * Where all of it is short, part 1 has whole sections, and there are no others.
 */
#include "output/page_equations.h"

#include "output/lz4.h"
#include "output/page.h"

#include <stdio.h>
#include <string.h>

/* Line breaks, tabs and zeros of a text are not used. Longer words come before the words that they contain. */
static const struct word {
    char byte;
    const char *text;
} words[] = {{1, "<msub><mi>z</mi><mn>"},
             {2, "</mn></msub></math></span>"},
             {3, "</mn></msub><mspace width=\".17em\"/>"},
             {4, "</mn></msub>"},
             {5, "<span class=\"t\"><math><mo form=\"infix\">+</mo></math>\xe2\x81\xa0<math>"},
             {6, "<span class=\"t\"><math><mo form=\"infix\">\xe2\x88\x92</mo></math>\xe2\x81\xa0<math>"},
             {7, "<span class=\"t\"><math>"},
             {8, "<span class=\"t f\"><math><mspace width=\".17em\"/>"},
             {11, "<div class=\"eq z\"><math>"},
             {14, "<mover accent=\"true\"><mi>"},
             {15, "</mi><mo>\xcb\x99</mo></mover><mi>"},
             {16, "<mspace width=\".17em\"/>"},
             {17, "</math></span>"},
             {18, "</span></div>\n"},
             {19, "<mo stretchy=\"false\">"},
             {20, "<msub>"},
             {21, "</msub>"},
             {22, "<mtext>"},
             {23, "</mtext>"},
             {24, "<mn>"},
             {25, "</mn>"},
             {26, "<mi>"},
             {27, "</mi>"},
             {28, "<mo>"},
             {29, "</mo>"},
             {30, "<math>"},
             {31, "</math>"}};
enum { WORDS = sizeof words / sizeof *words };

/* Replaces words by bytes in place: the text only gets shorter. Returns its length. */
static size_t shorten(char *text, size_t n)
{
    size_t to = 0;
    for (size_t at = 0; at < n;) {
        size_t length = 1;
        char byte = text[at];
        for (size_t k = 0; k < WORDS && length == 1; k++) {
            const size_t m = strlen(words[k].text);
            if (words[k].text[0] == text[at] && at + m <= n && !memcmp(text + at, words[k].text, m)) {
                length = m;
                byte = words[k].byte;
            }
        }
        text[to++] = byte;
        at += length;
    }
    return to;
}

/* Its length, the length of its block, and the block. */
static void put_block(dal_stream *out, dal_page *page, const char *text, size_t n)
{
    const dal_allocator *a = &page->allocator;
    uint8_t *packed = a->allocate(a->user, dal_lz4_room(n));
    if (!packed) {
        page->status = DAL_NO_MEMORY;
        return;
    }
    const size_t size = dal_lz4((const uint8_t *)text, n, packed);
    dal_stream_uint32(out, (uint32_t)n);
    dal_stream_uint32(out, (uint32_t)size);
    dal_stream_bytes64(out, size, packed);
    a->release(a->user, packed);
}

static void put_part(dal_stream *out, dal_page *page, const char *text, size_t n)
{
    const dal_allocator *a = &page->allocator;
    char *copy = a->allocate(a->user, n + 1);
    if (!copy) {
        page->status = DAL_NO_MEMORY;
        return;
    }
    memcpy(copy, text, n);
    put_block(out, page, copy, shorten(copy, n));
    a->release(a->user, copy);
}

/* Each word, and its byte as a letter: 64 more. Tabs between them. */
static void put_words(dal_stream *out, dal_page *page)
{
    char list[WORDS * 90];
    int n = 0;
    for (size_t k = 0; k < WORDS; k++)
        n += snprintf(list + n, sizeof list - (size_t)n, "%s\t%c\t", words[k].text, '@' + words[k].byte);
    put_block(out, page, list, (size_t)n);
}

/* A section that has its own part. */
static bool is_section(const dal_page *page, const char *text)
{
    enum { SHORT = 1000000 };
    static const char beginning[] = "<section class=\"formulation\"";
    return strlen(page->equations) > SHORT && !strncmp(text, beginning, strlen(beginning));
}

/* The opening tag ends with its line. */
static size_t tag_length(const char *section)
{
    return strcspn(section, "\n");
}

/* Part 1. */
static void put_index(dal_stream *out, dal_page *page)
{
    static const char closed[] = "</section>\n";
    const dal_allocator *a = &page->allocator;
    char *index = a->allocate(a->user, 2 * strlen(page->equations) + 1), *to = index;
    if (!index) {
        page->status = DAL_NO_MEMORY;
        return;
    }
    for (const char *text = page->equations; *text;) {
        const size_t n = strcspn(text, DAL_BETWEEN_SECTIONS), length = is_section(page, text) ? tag_length(text) : n;
        memcpy(to, text, length);
        to += length;
        if (is_section(page, text)) {
            memcpy(to, closed, strlen(closed));
            to += strlen(closed);
        }
        text += n + (text[n] != '\0');
    }
    put_part(out, page, index, (size_t)(to - index));
    a->release(a->user, index);
}

void dal_page_put_equations(dal_stream *out, dal_page *page)
{
    if (!page->equations || !*page->equations)
        return;
    dal_stream_text(out, "<script type=\"application/octet-stream\" id=\"equations\">");
    put_words(out, page);
    put_index(out, page);
    for (const char *text = page->equations; *text;) {
        const size_t n = strcspn(text, DAL_BETWEEN_SECTIONS), head = tag_length(text);
        if (is_section(page, text))
            put_part(out, page, text + head, n - head);
        text += n + (text[n] != '\0');
    }
    dal_stream_end64(out);
    dal_stream_text(out, "</script>\n");
}
