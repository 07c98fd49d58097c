#include "output/stream.h"
#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes -------------------------------------------------------------------- */

dal_status dal_stream_open(dal_stream *stream, const dal_destination *destination)
{
    stream->destination = destination;
    stream->status = DAL_OK;
    stream->used = 0;
    stream->n_waiting = 0;
    dal_decimal_prepare(&stream->decimals);
    stream->fd = open(destination->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return stream->fd < 0 ? dal_file_trouble(destination, "be written", errno) : DAL_OK;
}

static void flush_stream(dal_stream *stream)
{
    const int error = stream->status == DAL_OK ? dal_write_bytes(stream->fd, stream->buffer, stream->used, -1, NULL) : 0;
    if (error)
        stream->status = dal_file_trouble(stream->destination, "be written", error);
    stream->used = 0;
}

dal_status dal_stream_close(dal_stream *stream)
{
    flush_stream(stream);
    if (close(stream->fd) && stream->status == DAL_OK) /* some file systems report a full disk only here */
        stream->status = dal_file_trouble(stream->destination, "be written", errno);
    return stream->status;
}

void dal_stream_bytes(dal_stream *stream, const void *bytes, size_t n)
{
    const char *from = bytes;
    while (n > 0 && stream->status == DAL_OK) {
        size_t room = DAL_STREAM_BUFFER - stream->used, part = n < room ? n : room;
        memcpy(stream->buffer + stream->used, from, part);
        stream->used += part;
        from += part;
        n -= part;
        if (stream->used == DAL_STREAM_BUFFER)
            flush_stream(stream);
    }
}

void dal_stream_text(dal_stream *stream, const char *text)
{
    dal_stream_bytes(stream, text, strlen(text));
}

void dal_stream_print(dal_stream *stream, const char *format, ...)
{
    char text[512];
    DAL_FORMAT(text, format);
    dal_stream_text(stream, text);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void write_bytes(void *user, const void *bytes, size_t n)
{
    dal_stream_bytes(user, bytes, n);
}

dal_json dal_stream_json(dal_stream *stream)
{
    return (dal_json){.write = write_bytes, .user = stream, .decimals = &stream->decimals, .missing = "null", .in_script = true};
}

/* ---- base64 ------------------------------------------------------------------------ */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Four characters for three bytes; of `n` bytes, the others being zero. */
static void put_group(dal_stream *stream, const uint8_t b[3], int n)
{
    if (stream->used + 4 > DAL_STREAM_BUFFER)
        flush_stream(stream);
    char *out = stream->buffer + stream->used;
    out[0] = alphabet[b[0] >> 2];
    out[1] = alphabet[(b[0] & 3) << 4 | b[1] >> 4];
    out[2] = n > 1 ? alphabet[(b[1] & 15) << 2 | b[2] >> 6] : '=';
    out[3] = n > 2 ? alphabet[b[2] & 63] : '=';
    stream->used += 4;
}

static void put_byte(dal_stream *stream, uint8_t byte)
{
    stream->waiting[stream->n_waiting++] = byte;
    if (stream->n_waiting == 3) {
        put_group(stream, stream->waiting, 3);
        stream->n_waiting = 0;
    }
}

static void put_little_endian(dal_stream *stream, uint64_t bits, int n)
{
    for (int i = 0; i < n; i++, bits >>= 8)
        put_byte(stream, (uint8_t)(bits & 0xff));
}

void dal_stream_float64(dal_stream *stream, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_little_endian(stream, bits, 8);
}

void dal_stream_float32(dal_stream *stream, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_little_endian(stream, bits, 4);
}

void dal_stream_uint32(dal_stream *stream, uint32_t x)
{
    put_little_endian(stream, x, 4);
}

void dal_stream_bytes64(dal_stream *stream, size_t n, const uint8_t *bytes)
{
    for (size_t i = 0; i < n; i++)
        put_little_endian(stream, bytes[i], 1);
}

void dal_stream_end64(dal_stream *stream)
{
    for (int i = stream->n_waiting; i < 3; i++)
        stream->waiting[i] = 0;
    if (stream->n_waiting)
        put_group(stream, stream->waiting, stream->n_waiting);
    stream->n_waiting = 0;
}
