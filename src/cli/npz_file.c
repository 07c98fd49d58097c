/* ZIP without compression (PKWARE's APPNOTE: local headers, central directory, its end) around arrays in the format of numpy.lib.format, version 1.0. Numbers
 * are little-endian, as the formats have them. */
#include "cli/npz_file.h"

#include "base/bytes.h"
#include "cli/whole_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *at;
    size_t n, room;
    bool lost;
} bytes;

typedef struct member {
    uint32_t crc, size, offset;
} member;

static void put_bytes(bytes *b, const void *from, size_t n)
{
    if (!b->lost && b->n + n > b->room) {
        const size_t room = 2 * (b->n + n) + 256;
        unsigned char *more = realloc(b->at, room);
        b->lost = !more;
        if (more) {
            b->at = more;
            b->room = room;
        }
    }
    if (b->lost)
        return;
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

static void put_number(bytes *b, uint64_t x, int n)
{
    for (int i = 0; i < n; i++) {
        const unsigned char byte = (unsigned char)(x >> (8 * i));
        put_bytes(b, &byte, 1);
    }
}

/* CRC-32 of ISO 3309, bit by bit: the files are small. */
static uint32_t checksum(const unsigned char *at, size_t n)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        crc ^= at[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* ---- .npy ---------------------------------------------------------------------------------------------- */

static void put_header(bytes *b, const char *type, const dal_npz_array *a)
{
    char text[200], shape[64];
    if (a->columns < 0)
        snprintf(shape, sizeof shape, "(%d,)", a->rows);
    else
        snprintf(shape, sizeof shape, "(%d, %d)", a->rows, a->columns);
    const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    const int whole = (10 + length + 1 + 63) / 64 * 64 - 10; /* the data begin at a multiple of 64 */
    put_bytes(b, "\x93NUMPY\x01\x00", 8);
    put_number(b, (uint64_t)whole, 2);
    put_bytes(b, text, (size_t)length);
    for (int i = length; i < whole - 1; i++)
        put_bytes(b, " ", 1);
    put_bytes(b, "\n", 1);
}

/* Texts as UTF-32: names are ASCII; other characters become '?'. */
static void put_texts(bytes *b, const dal_npz_array *a)
{
    size_t most = 1;
    char type[32];
    for (int i = 0; i < a->rows; i++)
        most = strlen(a->texts[i]) > most ? strlen(a->texts[i]) : most;
    snprintf(type, sizeof type, "<U%zu", most);
    put_header(b, type, a);
    for (int i = 0; i < a->rows; i++) {
        const size_t length = strlen(a->texts[i]);
        for (size_t k = 0; k < most; k++) {
            const unsigned char c = k < length ? (unsigned char)a->texts[i][k] : 0;
            put_number(b, c < 128 ? c : '?', 4);
        }
    }
}

static void put_array(bytes *b, const dal_npz_array *a)
{
    if (a->texts) {
        put_texts(b, a);
        return;
    }
    put_header(b, "<f8", a);
    const size_t n = (size_t)a->rows * (size_t)(a->columns < 0 ? 1 : a->columns);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &a->values[i], sizeof bits);
        put_number(b, bits, 8);
    }
}

/* ---- .zip ---------------------------------------------------------------------------------------------- */

static void put_entry(bytes *b, const char *name, const member *m, bool central)
{
    char file[128];
    const int length = snprintf(file, sizeof file, "%s.npy", name);
    put_number(b, central ? 0x02014b50u : 0x04034b50u, 4);
    if (central)
        put_number(b, 20, 2);
    put_number(b, 20, 2);      /* version */
    put_number(b, 0, 2);       /* flags */
    put_number(b, 0, 2);       /* stored */
    put_number(b, 0, 2);       /* time */
    put_number(b, 0x0021u, 2); /* 1980-01-01: the same file for the same model */
    put_number(b, m->crc, 4);
    put_number(b, m->size, 4);
    put_number(b, m->size, 4);
    put_number(b, (uint64_t)length, 2);
    put_number(b, 0, 2);
    if (central) {
        put_number(b, 0, 2); /* comment */
        put_number(b, 0, 2); /* disk */
        put_number(b, 0, 2);
        put_number(b, 0, 4);
        put_number(b, m->offset, 4);
    }
    put_bytes(b, file, (size_t)length);
}

static void put_all(bytes *b, int n, const dal_npz_array *arrays, member *members)
{
    for (int i = 0; i < n; i++) {
        bytes one = {0};
        put_array(&one, &arrays[i]);
        b->lost = b->lost || one.lost;
        if (!one.lost) {
            members[i] = (member){checksum(one.at, one.n), (uint32_t)one.n, (uint32_t)b->n};
            put_entry(b, arrays[i].name, &members[i], false);
            put_bytes(b, one.at, one.n);
        }
        free(one.at);
    }
    const size_t start = b->n;
    for (int i = 0; i < n; i++)
        put_entry(b, arrays[i].name, &members[i], true);
    const size_t size = b->n - start;
    put_number(b, 0x06054b50u, 4);
    put_number(b, 0, 4);
    put_number(b, (uint64_t)n, 2);
    put_number(b, (uint64_t)n, 2);
    put_number(b, size, 4);
    put_number(b, start, 4);
    put_number(b, 0, 2);
}

typedef struct filled {
    const char *command, *path;
    const bytes *from;
} filled;

static dal_status fill_archive(void *user, int fd, const char *part)
{
    const filled *f = user;
    (void)part;
    if (!dal_write_bytes(fd, (const char *)f->from->at, f->from->n, -1, NULL))
        return DAL_OK;
    fprintf(stderr, "dalembert %s: error: %s cannot be written\n", f->command, f->path);
    return DAL_BAD_FILE;
}

dal_status dal_write_npz(const char *command, const char *path, int n, const dal_npz_array *arrays)
{
    bytes all = {0};
    member members[16] = {0};
    dal_status status = DAL_NO_MEMORY;
    if (n > 16)
        return DAL_BAD_COMMAND;
    put_all(&all, n, arrays, members);
    filled f = {command, path, &all};
    if (!all.lost)
        status = dal_replace_file(command, path, fill_archive, &f);
    free(all.at);
    return status;
}
