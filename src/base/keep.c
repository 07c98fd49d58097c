/* Pieces of a blob: see keep.h. */
#include "base/keep.h"

#include <string.h>

/* The next n bytes of a blob; NULL: the blob is too short. */
static const unsigned char *next_bytes(dal_keep *k, size_t n)
{
    const unsigned char *at = k->from + k->used;
    if (n > k->size - k->used) {
        k->bad = true;
        return NULL;
    }
    k->used += n;
    return at;
}

/* Measure or write; true: the piece is to be read instead. */
static bool is_read(dal_keep *k, const void *data, size_t n)
{
    if (k->mode == DAL_KEEP_CHECK || k->mode == DAL_KEEP_READ)
        return !k->bad;
    if (k->mode == DAL_KEEP_WRITE && n)
        memcpy(k->bytes + k->used, data, n);
    k->used += n;
    return false;
}

void dal_keep_bytes(dal_keep *k, void *data, size_t n)
{
    const unsigned char *at = is_read(k, data, n) ? next_bytes(k, n) : NULL;
    if (at && n && k->mode == DAL_KEEP_READ)
        memcpy(data, at, n);
}

void dal_keep_numbers(dal_keep *k, double *x, size_t n)
{
    dal_keep_bytes(k, x, n * sizeof *x);
}

/* Item i of those from `begin` on, while a blob is checked and nothing was wrong so far. */
static bool find_item(const dal_keep *k, size_t begin, size_t i, void *value, size_t size)
{
    const bool wanted = k->mode == DAL_KEEP_CHECK && !k->bad;
    if (wanted)
        memcpy(value, k->from + begin + i * size, size);
    return wanted;
}

void dal_keep_within(dal_keep *k, double *x, size_t n, double low, double high)
{
    const size_t begin = k->used;
    double value;
    dal_keep_bytes(k, x, n * sizeof *x);
    for (size_t i = 0; i < n && find_item(k, begin, i, &value, sizeof value); i++)
        k->bad = !(value >= low && value <= high);
}

void dal_keep_integers(dal_keep *k, int *x, size_t n, int low, int high)
{
    const size_t begin = k->used;
    int value;
    dal_keep_bytes(k, x, n * sizeof *x);
    for (size_t i = 0; i < n && find_item(k, begin, i, &value, sizeof value); i++)
        k->bad = value < low || value > high;
}

void dal_keep_counts(dal_keep *k, long *x, size_t n)
{
    const size_t begin = k->used;
    dal_keep_bytes(k, x, n * sizeof *x);
    for (size_t i = 0; i < n && k->mode == DAL_KEEP_CHECK && !k->bad; i++) {
        long value;
        memcpy(&value, k->from + begin + i * sizeof value, sizeof value);
        k->bad = value < 0;
    }
}

void dal_keep_flags(dal_keep *k, bool *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = k->mode == DAL_KEEP_WRITE && x[i];
        const unsigned char *at = is_read(k, &byte, 1) ? next_bytes(k, 1) : NULL;
        if (at && *at > 1)
            k->bad = true;
        else if (at && k->mode == DAL_KEEP_READ)
            x[i] = *at;
    }
}

void dal_keep_text(dal_keep *k, char *text, size_t size)
{
    const size_t begin = k->used;
    dal_keep_bytes(k, text, size);
    if (k->mode == DAL_KEEP_CHECK && !k->bad && !memchr(k->from + begin, '\0', size))
        k->bad = true;
}

void dal_keep_same(dal_keep *k, long long number)
{
    const unsigned char *at = is_read(k, &number, sizeof number) ? next_bytes(k, sizeof number) : NULL;
    if (at && memcmp(at, &number, sizeof number))
        k->bad = true;
}

void dal_keep_same_text(dal_keep *k, const char *text)
{
    const size_t n = strlen(text);
    dal_keep_same(k, (long long)n);
    const unsigned char *at = is_read(k, text, n) ? next_bytes(k, n) : NULL;
    if (at && n && memcmp(at, text, n))
        k->bad = true;
}
