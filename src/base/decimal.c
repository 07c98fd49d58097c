/* Shortest decimal texts of doubles, by the method of R. Giulietti, "The Schubfach way to render doubles" (2020).
 *
 * A double x = c 2^q is the nearest one to every real in its rounding interval ((c - 1/2) 2^q, (c + 1/2) 2^q). With
 * the k for which 10^k is the largest power of ten not above the interval's width, the interval holds at least one
 * multiple of 10^k and at most one of 10^(k+1). The latter is the shortest text if it exists, otherwise the multiple of
 * 10^k nearest to x is. All is decided on the four-fold values of the lower bound, x and the upper bound divided by 10^k,
 * rounded to odd, for which 128 bits of 10^-k suffice.
 *
 * The 617 powers are computed with long integers when a writer is opened (some 50 microseconds): no table of numbers to
 * trust, no state that outlives the writer. A value costs about a fifth of printf's %.17g.
 */
#include "base/decimal.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static int floor_log2_power10(int k)
{
    return (int)(((int64_t)k * 1741647) >> 19); /* floor(k log2 10) for |k| <= 1233 */
}

/* ---- the powers of ten -------------------------------------------------- */

enum { LIMBS = 36 }; /* 1152 bits: 10^324 has 1077; 2^1151 / 10^292 keeps 181 */

typedef struct natural {
    uint32_t limb[LIMBS]; /* least significant first */
} natural;

/* The 128 leading bits; `*more` if anything but zeros follows them. Bits below the unit count as zeros. */
static wide leading(const natural *a, bool *more)
{
    int top = LIMBS - 1;
    while (!a->limb[top])
        top--;
    wide bits = 0;
    for (int i = top; i > top - 4; i--)
        bits = bits << 32 | (i >= 0 ? a->limb[i] : 0);
    int shift = __builtin_clz(a->limb[top]);
    uint32_t next = top >= 4 ? a->limb[top - 4] : 0;
    if (shift)
        bits = bits << shift | next >> (32 - shift);
    *more = shift ? (next << shift) != 0 : next != 0;
    for (int i = top - 5; i >= 0; i--)
        *more = *more || a->limb[i];
    return bits;
}

static void store_power(dal_decimal_table *table, int k, wide bits, bool round_up)
{
    bits += round_up;
    table->power[k - DAL_DECIMAL_LEAST].high = (uint64_t)(bits >> 64);
    table->power[k - DAL_DECIMAL_LEAST].low = (uint64_t)bits;
}

void dal_decimal_prepare(dal_decimal_table *table)
{
    bool more;
    natural a = {.limb = {1}};
    for (int k = 0; k <= DAL_DECIMAL_MOST; k++) { /* a = 10^k */
        wide bits = leading(&a, &more);
        store_power(table, k, bits, more);
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)a.limb[i] * 10;
            a.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    memset(&a, 0, sizeof a);
    a.limb[LIMBS - 1] = 1u << 31;
    for (int k = -1; k >= DAL_DECIMAL_LEAST; k--) { /* a = floor(2^1151 / 10^-k), never exact */
        uint64_t rest = 0;
        for (int i = LIMBS - 1; i >= 0; i--) {
            rest = rest << 32 | a.limb[i];
            a.limb[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        store_power(table, k, leading(&a, &more), true);
    }
}

/* ---- digits ------------------------------------------------------------- */

typedef struct decimal {
    uint64_t digits;
    int exponent; /* digits 10^exponent */
} decimal;

/* floor(g c / 2^128), with its last bit set if the product was not exact. */
static uint64_t round_to_odd(uint64_t high, uint64_t low, uint64_t c)
{
    wide x = (wide)low * c, y = (wide)high * c;
    uint64_t middle = (uint64_t)y + (uint64_t)(x >> 64);
    uint64_t top = (uint64_t)(y >> 64) + (middle < (uint64_t)y);
    return top | (middle > 1);
}

/* The shortest decimal of the positive finite double with these fields of its bits. */
static decimal shortest(const dal_decimal_table *table, uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | 1ull << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && !(c & ((1ull << -q) - 1))) /* a whole number */
        return (decimal){c >> -q, 0};

    bool even = !(c & 1);                      /* ties go to even: then the bounds belong to the interval */
    bool narrow = fraction == 0 && biased > 1; /* at a power of two the lower neighbour is nearer */
    uint64_t below = 4 * c - 2 + narrow, exact = 4 * c, above = 4 * c + 2;
    int k = (int)(((int64_t)q * 1262611 - (narrow ? 524031 : 0)) >> 22); /* floor(log10 of the width) */
    int h = q + floor_log2_power10(-k) + 1;
    uint64_t high = table->power[-k - DAL_DECIMAL_LEAST].high, low = table->power[-k - DAL_DECIMAL_LEAST].low;
    uint64_t lower = round_to_odd(high, low, below << h) + !even;
    uint64_t value = round_to_odd(high, low, exact << h);
    uint64_t upper = round_to_odd(high, low, above << h) - !even;

    uint64_t s = value / 4;
    if (s >= 10) { /* a multiple of 10^(k+1) inside */
        uint64_t t = s / 10;
        bool down = lower <= 40 * t, up = 40 * t + 40 <= upper;
        if (down != up)
            return (decimal){t + up, k + 1};
    }
    bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down != up)
        return (decimal){s + up, k};
    uint64_t middle = 4 * s + 2;
    return (decimal){s + (value > middle || (value == middle && (s & 1))), k};
}

/* ---- text --------------------------------------------------------------- */

/* The digits of `number` before `end`, two at a time; returns where they begin. */
static char *write_digits(char *end, uint64_t number)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
                                "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
                                "9899";
    for (; number >= 100; number /= 100)
        memcpy(end -= 2, pairs + number % 100 * 2, 2);
    if (number >= 10)
        memcpy(end -= 2, pairs + number * 2, 2);
    else
        *--end = (char)('0' + number);
    return end;
}

/* 0.00001234 or 1234.5 or 1.5e+20, as %.17g chooses; `digits` has n of them. */
static char *write_layout(char *out, const char *digits, int n, int exponent)
{
    int point = n + exponent; /* digits before the decimal point */
    if (point > 17 || point < -3) {
        *out++ = digits[0];
        if (n > 1)
            *out++ = '.';
        memcpy(out, digits + 1, (size_t)n - 1);
        out += n - 1;
        int e = point - 1;
        *out++ = 'e';
        *out++ = e < 0 ? '-' : '+';
        e = e < 0 ? -e : e;
        if (e >= 100)
            *out++ = (char)('0' + e / 100);
        *out++ = (char)('0' + e / 10 % 10);
        *out++ = (char)('0' + e % 10);
    } else if (point <= 0) {
        memcpy(out, "0.000", (size_t)(2 - point));
        out += 2 - point;
        memcpy(out, digits, (size_t)n);
        out += n;
    } else {
        for (int i = 0; i < point; i++)
            *out++ = i < n ? digits[i] : '0';
        if (n > point) {
            *out++ = '.';
            memcpy(out, digits + point, (size_t)(n - point));
            out += n - point;
        }
    }
    return out;
}

int dal_decimal_print(const dal_decimal_table *table, double x, char text[DAL_DECIMAL_LENGTH])
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((1ull << 52) - 1);
    int biased = (int)(bits >> 52 & 2047);
    char *out = text;
    if (bits >> 63 && !(biased == 2047 && fraction))
        *out++ = '-';
    if (biased == 2047) {
        memcpy(out, fraction ? "nan" : "inf", 3);
        out += 3;
    } else if (!biased && !fraction) {
        *out++ = '0';
    } else {
        decimal d = shortest(table, fraction, biased);
        while (d.digits % 10 == 0) {
            d.digits /= 10;
            d.exponent++;
        }
        char digits[20], *first = write_digits(digits + 20, d.digits);
        out = write_layout(out, first, (int)(digits + 20 - first), d.exponent);
    }
    *out = '\0';
    return (int)(out - text);
}
