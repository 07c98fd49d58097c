/* SHA-256 (FIPS 180-4): what is kept in files under the name of its contents. */
#ifndef DAL_BASE_DIGEST_H
#define DAL_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct dal_digest {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} dal_digest;

/* Begin, add bytes any number of times, then read the digest. */
dal_digest dal_digest_begin(void);
void dal_digest_add(dal_digest *d, const void *bytes, size_t n);
/* 64 hexadecimal digits. */
void dal_digest_text(const dal_digest *d, char text[65]);

#endif
