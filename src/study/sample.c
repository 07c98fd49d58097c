/* Random numbers by counter: Philox 4x32-10 (J. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011). Its key is the seed, its counter
 * the number of the sample and the dimension.
 *
 * Latin hypercube: dimension d has the strata 0 ... n - 1, one for each sample, in the order of a permutation of its own; the point is random in its
 * stratum. The permutation is a Feistel network over 2 b bits, 4^b >= n: it is applied again while its value is not below n.
 *
 * Sobol: x_i = XOR of the direction numbers v_k over the bits k of the Gray code i ^ (i >> 1), which produces the points in the order of the
 * recursion of Antonov and Saleev. Direction numbers follow from the initial ones m by
 *     m_k = 2 a_1 m_{k-1} ^ 4 a_2 m_{k-2} ^ ... ^ 2^s m_{k-s} ^ m_{k-s},   v_k = m_k 2^(32 - k) */
#include "study/sample.h"

#include "study/sobol_numbers.h"

#include <math.h>
#include <stddef.h>

const char *const dal_sampling_names[] = {"random", "latin-hypercube", "sobol", NULL};

/* ---- Philox -------------------------------------------------------------------------- */

static void philox_round(uint32_t c[4], const uint32_t k[2])
{
    const uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
    const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p};
    for (int i = 0; i < 4; i++)
        c[i] = next[i];
}

/* 128 bits for the counter (i, dimension, use). */
static void philox(uint64_t seed, uint64_t i, uint32_t dimension, uint32_t use, uint32_t out[4])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    out[0] = (uint32_t)i, out[1] = (uint32_t)(i >> 32), out[2] = dimension, out[3] = use;
    for (int round = 0; round < 10; round++) {
        philox_round(out, key);
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
}

/* In (0, 1): the middle of one of 2^53 intervals. */
static double unit_of(const uint32_t bits[4])
{
    const uint64_t high = ((uint64_t)bits[0] << 32 | bits[1]) >> 11;
    const double x = ((double)high + 0.5) * 0x1p-53;
    return x < 1 ? x : 1 - 0x1p-53;
}

/* The use of a random number: the same (seed, i, dimension) has an independent number for each use. */
enum { USE_POINT, USE_STRATUM };

/* ---- Latin hypercube -------------------------------------------------------------------- */

/* One permutation of the 4^b numbers below 2^(2 b). */
static uint64_t permute_bits(uint64_t seed, uint32_t dimension, int b, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << b) - 1;
    uint64_t left = x >> b, right = x & mask;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t bits[4];
        philox(seed, right, dimension, USE_STRATUM + 1 + round, bits);
        const uint64_t next = left ^ (((uint64_t)bits[0] << 32 | bits[1]) & mask);
        left = right;
        right = next;
    }
    return left << b | right;
}

static uint64_t stratum_of(uint64_t seed, uint32_t dimension, uint64_t n, uint64_t i)
{
    int b = 1;
    while (b < 31 && (uint64_t)1 << (2 * b) < n)
        b++;
    do
        i = permute_bits(seed, dimension, b, i);
    while (i >= n);
    return i;
}

/* ---- Sobol ---------------------------------------------------------------------------------- */

int dal_sobol_dimensions(void)
{
    return DAL_SOBOL_DIMENSIONS;
}

double dal_sobol_point(uint64_t i, int dimension)
{
    uint32_t m[33] = {0}, x = 0;
    const uint32_t polynomial = dal_sobol_numbers[dimension].polynomial;
    int degree = 0;
    while (polynomial >> (degree + 1))
        degree++;
    const uint64_t gray = i ^ (i >> 1);
    for (int k = 1; k <= 32 && gray >> (k - 1); k++) {
        if (dimension == 0) {
            m[k] = 1;
        } else if (k <= degree) {
            m[k] = dal_sobol_numbers[dimension].initial[k - 1];
        } else {
            m[k] = m[k - degree];
            for (int j = 1; j <= degree; j++)
                if (polynomial >> (degree - j) & 1)
                    m[k] ^= m[k - j] << j;
        }
        if (gray >> (k - 1) & 1)
            x ^= m[k] << (32 - k);
    }
    return x * 0x1p-32;
}

/* ---- samples ------------------------------------------------------------------------------- */

double dal_sample_unit(const dal_samples *s, uint64_t i, int dimension)
{
    if (s->sampling == DAL_SAMPLING_SOBOL)
        return dal_sobol_point(i + s->skip, dimension);
    uint32_t bits[4];
    philox(s->seed, i, (uint32_t)dimension, USE_POINT, bits);
    const double u = unit_of(bits);
    if (s->sampling == DAL_SAMPLING_RANDOM)
        return u;
    const double x = ((double)stratum_of(s->seed, (uint32_t)dimension, s->n, i) + u) / (double)s->n;
    return x < 1 ? x : 1 - 0x1p-53;
}

/* Newton's method with the second derivative (Halley) on log of the tail: with q = min(p, 1 - p) and f(x) = Phi(-x) = erfc(x / sqrt 2) / 2,
 *     x += (f - q) / (phi + (f - q) x / 2),   phi = exp(-x^2 / 2) / sqrt(2 pi),
 * from Hastings' approximation (Abramowitz and Stegun 26.2.23), which is right to 4.5e-4. Its errors are cubed: two steps reach rounding. */
double dal_normal_quantile(double p)
{
    const double q = p < 0.5 ? p : 1 - p;
    const double t = sqrt(-2 * log(q));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) {
        const double over = 0.5 * erfc(x * 0.70710678118654752440) - q;
        const double density = 0.39894228040143267794 * exp(-0.5 * x * x);
        x += over / (density + 0.5 * over * x);
    }
    return p < 0.5 ? -x : p > 0.5 ? x : 0;
}
