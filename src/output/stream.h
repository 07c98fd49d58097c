/* Writes text and numbers to a file through one buffer. After a failure later data are dropped; the status reports it. */
#ifndef DAL_OUTPUT_STREAM_H
#define DAL_OUTPUT_STREAM_H

#include "base/json.h"
#include "output/file.h"

#include <stdint.h>

enum { DAL_STREAM_BUFFER = 1 << 16 };

typedef struct dal_stream {
    const dal_destination *destination;
    int fd;
    dal_status status;
    size_t used;
    uint8_t waiting[3]; /* base64: bytes that are not yet four characters */
    int n_waiting;
    dal_decimal_table decimals;
    char buffer[DAL_STREAM_BUFFER];
} dal_stream;

/* Opens destination->path, which exists. */
dal_status dal_stream_open(dal_stream *stream, const dal_destination *destination);
/* Writes the rest and closes the file; returns the first error. */
dal_status dal_stream_close(dal_stream *stream);

/* Bytes as they are. */
void dal_stream_bytes(dal_stream *stream, const void *bytes, size_t n);
/* A text as it is. */
void dal_stream_text(dal_stream *stream, const char *text);
/* Up to 511 bytes, as printf writes them. */
void dal_stream_print(dal_stream *stream, const char *format, ...) DAL_PRINTF(2, 3);

/* Writes JSON, which may be inside a <script> element; a NULL string becomes null. */
dal_json dal_stream_json(dal_stream *stream);

/* Base64: numbers, little endian, then the end. */
void dal_stream_float64(dal_stream *stream, double x);
/* Four bytes. */
void dal_stream_float32(dal_stream *stream, float x);
/* Four bytes. */
void dal_stream_uint32(dal_stream *stream, uint32_t x);
/* Bytes as they are. */
void dal_stream_bytes64(dal_stream *stream, size_t n, const uint8_t *bytes);
/* The rest of the bytes, filled up with '='. */
void dal_stream_end64(dal_stream *stream);

#endif
