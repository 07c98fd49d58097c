/* Random numbers and samples. They depend only on (seed, number of the sample, dimension): there is no order and no state. */
#ifndef DAL_STUDY_SAMPLE_H
#define DAL_STUDY_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum dal_sampling { DAL_SAMPLING_RANDOM, DAL_SAMPLING_LATIN, DAL_SAMPLING_SOBOL } dal_sampling;

/* "random", "latin-hypercube", "sobol"; ends with NULL. In the order of the enum. */
extern const char *const dal_sampling_names[];

/* The number of dimensions of Sobol's sequence here. */
int dal_sobol_dimensions(void);

typedef struct dal_samples {
    dal_sampling sampling;
    uint64_t seed;
    uint64_t n;    /* how many samples there are */
    uint64_t skip; /* Sobol: number of points that are skipped at the beginning */
} dal_samples;

/* A number of the unit interval: coordinate `dimension` of sample i < n. In [0, 1) for Sobol's points, in (0, 1) for the others. */
double dal_sample_unit(const dal_samples *samples, uint64_t i, int dimension);

/* Coordinate `dimension` of point i of Sobol's sequence, unscrambled: point 0 is zero. i < 2^32. */
double dal_sobol_point(uint64_t i, int dimension);

/* x with Phi(x) = p, the quantile of the standard normal distribution, for 0 < p < 1: to rounding. */
double dal_normal_quantile(double p);

#endif
