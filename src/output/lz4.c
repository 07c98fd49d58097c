/* A block is a list of sequences: some bytes as they are, then a match, which repeats bytes at most 65535 before it.
 *
 *   token             upper four bits: how many bytes as they are; lower: length of the match less 4. 15: bytes follow that are added, until one is < 255
 *   bytes as they are
 *   offset            two bytes, little endian
 * The last sequence has no match. The last five bytes are not part of a match, and the last match begins twelve bytes before the end or earlier.
 */
#include "output/lz4.h"

#include <string.h>

enum { HASH_BITS = 14, LEAST = 4, FARTHEST = 65535, LAST_LITERALS = 5, LAST_MATCH = 12, TRIES = 200 };

size_t dal_lz4_room(size_t n)
{
    return n + n / 255 + 16;
}

static uint32_t word_at(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint32_t hash_of(uint32_t word)
{
    return (word * 2654435761u) >> (32 - HASH_BITS);
}

/* The part of a length that exceeds the four bits of the token. */
static uint8_t *put_length(uint8_t *out, size_t length)
{
    if (length < 15)
        return out;
    for (length -= 15; length >= 255; length -= 255)
        *out++ = 255;
    *out++ = (uint8_t)length;
    return out;
}

/* match: 0 in the last sequence. */
static uint8_t *put_sequence(uint8_t *out, const uint8_t *literals, size_t n, size_t match, size_t offset)
{
    const size_t more = match ? match - LEAST : 0;
    *out++ = (uint8_t)((n < 15 ? n : 15) << 4 | (more < 15 ? more : 15));
    out = put_length(out, n);
    memcpy(out, literals, n);
    out += n;
    if (!match)
        return out;
    *out++ = (uint8_t)(offset & 255);
    *out++ = (uint8_t)(offset >> 8);
    return put_length(out, more);
}

/* Where four bytes were seen: the last place of each hash, and of each place in reach the one before it with the same hash. Less than zero: none. */
typedef struct places {
    int32_t last[1 << HASH_BITS], before[FARTHEST + 1];
} places;

static void remember_place(places *p, const uint8_t *in, size_t at)
{
    const uint32_t hash = hash_of(word_at(in + at));
    p->before[at & FARTHEST] = p->last[hash];
    p->last[hash] = (int32_t)at;
}

/* The longest of the matches that are tried; 0: there is none. */
static size_t find_match(const places *p, const uint8_t *in, size_t n, size_t at, size_t *offset)
{
    size_t best = LEAST - 1;
    int32_t seen = p->last[hash_of(word_at(in + at))];
    for (int tries = 0; tries < TRIES && seen >= 0 && at - (size_t)seen <= FARTHEST; tries++, seen = p->before[(size_t)seen & FARTHEST]) {
        size_t match = 0;
        while (at + match < n - LAST_LITERALS && in[at + match] == in[(size_t)seen + match])
            match++;
        if (match > best) {
            best = match;
            *offset = at - (size_t)seen;
        }
    }
    return best < LEAST ? 0 : best;
}

size_t dal_lz4(const uint8_t *in, size_t n, uint8_t *out)
{
    places p;
    const uint8_t *begin = out;
    size_t done = 0, offset = 0, later = 0;
    const size_t end = n > LAST_MATCH ? n - LAST_MATCH : 0; /* no match begins there */
    memset(p.last, -1, sizeof p.last);
    for (size_t at = 0; at < end;) {
        size_t match = find_match(&p, in, n, at, &offset);
        remember_place(&p, in, at);
        if (match && at + 1 < end && find_match(&p, in, n, at + 1, &later) > match + 1) /* a longer one begins one byte later */
            match = 0;
        if (!match) {
            at++;
            continue;
        }
        out = put_sequence(out, in + done, at - done, match, offset);
        for (size_t i = 1; i < match && at + i < end; i++)
            remember_place(&p, in, at + i);
        at += match;
        done = at;
    }
    out = put_sequence(out, in + done, n - done, 0, 0);
    return (size_t)(out - begin);
}
