/* Serialisation of the data that outlive an evaluation: written to a blob and read from one, piece by piece. The owner of a piece lists it once; the
 * same list is measured, written, checked and read, in the same order.
 *
 * A blob may come from anywhere. A list is checked as a whole before anything of it is read, and numbers that choose something (indices, counts, modes)
 * are kept with the range that they may have.
 */
#ifndef DAL_BASE_KEEP_H
#define DAL_BASE_KEEP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum dal_keeping { DAL_KEEP_MEASURE, DAL_KEEP_WRITE, DAL_KEEP_CHECK, DAL_KEEP_READ } dal_keeping;

typedef struct dal_keep {
    dal_keeping mode;
    unsigned char *bytes;      /* WRITE */
    const unsigned char *from; /* CHECK, READ */
    size_t size, used;
    bool bad; /* CHECK: the blob is too short, or a number is out of its range */
} dal_keep;

void dal_keep_bytes(dal_keep *k, void *data, size_t n); /* plain bytes; any will do */
void dal_keep_numbers(dal_keep *k, double *x, size_t n);
void dal_keep_within(dal_keep *k, double *x, size_t n, double low, double high);
void dal_keep_integers(dal_keep *k, int *x, size_t n, int low, int high);
void dal_keep_counts(dal_keep *k, long *x, size_t n); /* 0 or more */
void dal_keep_flags(dal_keep *k, bool *x, size_t n);
void dal_keep_text(dal_keep *k, char *text, size_t size); /* a buffer with a terminated text */
/* A number that writer and reader know: the blob must contain the same one. */
void dal_keep_same(dal_keep *k, long long number);
void dal_keep_same_text(dal_keep *k, const char *text);

#endif
