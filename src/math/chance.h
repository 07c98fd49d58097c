/* Pseudorandom numbers that are the same on every machine: splitmix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number
 * generators, 2014). */
#ifndef DAL_MATH_CHANCE_H
#define DAL_MATH_CHANCE_H

#include <stdint.h>

static inline double dal_chance(uint64_t *seed) /* uniform in (-1, 1) */
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-52 - 1;
}

#endif
