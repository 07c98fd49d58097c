/* Compresses text with repetitions: a block in the format of LZ4 (lz4_Block_format.md of its authors). */
#ifndef DAL_OUTPUT_LZ4_H
#define DAL_OUTPUT_LZ4_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that suffice for any input of n bytes. */
size_t dal_lz4_room(size_t n);
/* Bytes written into `out`. n is below 2^31. */
size_t dal_lz4(const uint8_t *in, size_t n, uint8_t *out);

#endif
