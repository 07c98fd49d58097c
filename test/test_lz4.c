/* What is made short becomes itself again, by a reader that follows the format and nothing else. */
#include "check.h"
#include "output/lz4.h"

#include <stdlib.h>
#include <string.h>

static size_t read_length(const uint8_t *in, size_t n, size_t *at, size_t start)
{
    size_t length = start;
    for (uint8_t more = 255; start == 15 && more == 255; length += more) {
        assert_true(*at < n);
        more = in[(*at)++];
    }
    return length;
}

static size_t unpack(const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
    size_t at = 0, to = 0;
    while (at < n) {
        const uint8_t token = in[at++];
        const size_t literals = read_length(in, n, &at, token >> 4);
        assert_true(literals <= n - at && literals <= room - to);
        memcpy(out + to, in + at, literals);
        at += literals;
        to += literals;
        if (at == n)
            return to;
        assert_true(n - at >= 2);
        const size_t offset = in[at] | (size_t)in[at + 1] << 8;
        at += 2;
        const size_t match = read_length(in, n, &at, token & 15) + 4;
        assert_true(offset > 0 && offset <= to && match <= room - to && room - to >= 12 && to + match + 5 <= room);
        for (size_t i = 0; i < match; i++, to++)
            out[to] = out[to - offset];
    }
    return to;
}

static void go_there_and_back(const uint8_t *text, size_t n, size_t *packed)
{
    uint8_t *block = malloc(dal_lz4_room(n)), *again = malloc(n + 1);
    assert_true(block && again);
    *packed = dal_lz4(text, n, block);
    assert_true(*packed <= dal_lz4_room(n));
    assert_int_equal(unpack(block, *packed, again, n), n);
    assert_memory_equal(again, text, n);
    free(block);
    free(again);
}

static void texts_come_back(void **unused)
{
    (void)unused;
    enum { MOST = 200000 };
    static uint8_t text[MOST];
    uint64_t seed = 7;
    size_t packed;
    for (size_t n = 0; n < 300; n++) { /* every short length, of few letters and of all bytes */
        for (size_t i = 0; i < n; i++)
            text[i] = (uint8_t)(n % 2 ? 127 * (1 + check_random(&seed)) : 97 + (1 + check_random(&seed)));
        go_there_and_back(text, n, &packed);
    }
    for (size_t i = 0; i < MOST; i++) /* repeated farther away than a match reaches, and nearer */
        text[i] = i % 70000 < 35000 ? (uint8_t)(60 + i % 37) : (uint8_t)(127 * (1 + check_random(&seed)));
    go_there_and_back(text, MOST, &packed);
    memset(text, 'x', MOST);
    go_there_and_back(text, MOST, &packed);
    assert_true(packed < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
