/* FNV-1a, 64 bits: h <- (h xor byte) * 1099511628211, from 14695981039346656037.
 * (Fowler, Noll, Vo; draft-eastlake-fnv.) Each piece is preceded by its length, so that two different lists of pieces cannot be the same bytes. */
#include "spec/reader.h"

#include <string.h>

static uint64_t mix(uint64_t hash, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t dal_hash_begin(void)
{
    return UINT64_C(14695981039346656037);
}

uint64_t dal_hash_add(uint64_t hash, const void *bytes, size_t length)
{
    unsigned char size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (unsigned char)((uint64_t)length >> (8 * i));
    return mix(mix(hash, size, sizeof size), bytes, length);
}

uint64_t dal_hash_override(uint64_t hash, const dal_override *o)
{
    return dal_hash_add(dal_hash_add(hash, o->name, strlen(o->name)), o->value, strlen(o->value));
}

uint64_t dal_hash_number(const char text[17])
{
    uint64_t hash = 0;
    for (const char *c = text; *c; c++)
        hash = hash << 4 | (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
    return hash;
}

void dal_hash_text(uint64_t hash, char text[17])
{
    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    text[16] = '\0';
}
