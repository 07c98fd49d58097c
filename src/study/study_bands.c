/* Quantiles over time. At each of some instants every run has a value, interpolated between its rows; the quantile p of n values x_0 <= ... <=
 * x_{n-1} is x at (n - 1) p, again interpolated: R's seventh type. Of more than ten thousand runs about ten thousand are used, chosen by a random
 * number that depends only on the number of the run, and channels are processed one after the other: memory is bounded.
 *
 * The instants are the rows of the run that has most of them, two hundred at most. */
#include "study/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TIMES = 201, MOST_BAND_RUNS = 10 * 1000, MOST_GROUPS = 16, MOST_CHANNELS = 24 };

const double dal_band_levels[DAL_BAND_LEVELS] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

typedef struct finding {
    dal_study_bands *bands;
    const dal_study *study;
    dal_study_reader *reader;
    int columns;  /* of a row: the time, then the channels */
    double share; /* of the runs that are used */
    long room, n;
    int *group;    /* of each run */
    float *values; /* n x times, of one channel */
    double *sorted;
} finding;

static bool is_looked_at(const finding *f, const dal_study_row *row)
{
    static const dal_samples chance = {DAL_SAMPLING_RANDOM, 0xba2d, 0, 0};
    return row->n_rows > 0 && (f->share >= 1 || dal_sample_unit(&chance, (uint64_t)row->run, 0) < f->share);
}

/* ---- instants --------------------------------------------------------------------------------- */

static bool widen_times(finding *f, const dal_study_row *row)
{
    dal_study_bands *b = f->bands;
    b->n_times = row->n_rows < MOST_TIMES ? (int)row->n_rows : MOST_TIMES;
    free(b->times);
    b->times = malloc(sizeof *b->times * (size_t)b->n_times);
    for (int k = 0; b->times && k < b->n_times; k++) {
        const long at = b->n_times > 1 ? (long)round((double)k * (double)(row->n_rows - 1) / (b->n_times - 1)) : 0;
        b->times[k] = row->rows[at * f->columns];
    }
    return b->times;
}

static dal_status find_times(finding *f)
{
    dal_study_row row;
    dal_status status = DAL_OK;
    long longest = 0;
    bool memory = true;
    dal_study_rewind(f->reader);
    while (memory && dal_study_next(f->reader, &row, &status)) {
        f->room += is_looked_at(f, &row);
        if (row.n_rows <= longest)
            continue;
        longest = row.n_rows;
        memory = widen_times(f, &row);
    }
    return memory ? status : DAL_NO_MEMORY;
}

/* ---- values of all runs ------------------------------------------------------------------------------ */

/* Channel c at the time t, and the row before it, from which the next search begins. */
static double value_at(const finding *f, const dal_study_row *row, int c, double t, long *from)
{
    const double *rows = row->rows;
    const long n = f->columns;
    long k = *from;
    if (t < rows[0] || t > rows[(row->n_rows - 1) * n])
        return NAN;
    while (k + 1 < row->n_rows && rows[(k + 1) * n] <= t)
        k++;
    *from = k;
    const double *a = rows + k * n, *b = k + 1 < row->n_rows ? a + n : a, span = b[0] - a[0];
    return span > 0 ? a[c] + (b[c] - a[c]) * ((t - a[0]) / span) : a[c];
}

/* One channel of all runs. */
static dal_status collect_channel(finding *f, int channel)
{
    dal_study_row row;
    dal_status status = DAL_OK;
    float *to = f->values;
    f->n = 0;
    dal_study_rewind(f->reader);
    while (f->n < f->room && dal_study_next(f->reader, &row, &status)) {
        long from = 0;
        if (!is_looked_at(f, &row))
            continue;
        f->group[f->n++] = (int)(row.run / f->study->info.samples % MOST_GROUPS);
        for (int k = 0; k < f->bands->n_times; k++)
            *to++ = (float)value_at(f, &row, channel + 1, f->bands->times[k], &from);
    }
    return status;
}

/* ---- quantiles ------------------------------------------------------------------------------------------ */

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* At instant k, of the runs of a group; group 0: of all. */
static void find_levels(const finding *f, int group, int k, double *out)
{
    size_t n = 0;
    for (long i = 0; i < f->n; i++) {
        const double x = f->values[i * f->bands->n_times + k];
        if (!isnan(x) && (!group || f->group[i] == group - 1))
            f->sorted[n++] = x;
    }
    qsort(f->sorted, n, sizeof *f->sorted, compare_values);
    for (int level = 0; level < DAL_BAND_LEVELS; level++) {
        const double at = (double)(n ? n - 1 : 0) * dal_band_levels[level];
        const size_t i = (size_t)at, next = i + 1 < n ? i + 1 : i;
        out[level] = n ? f->sorted[i] + (f->sorted[next] - f->sorted[i]) * (at - (double)i) : NAN;
    }
}

static dal_status find_channel(finding *f, int channel)
{
    const dal_study_bands *b = f->bands;
    const dal_status status = collect_channel(f, channel);
    for (int g = 0; status == DAL_OK && g < b->n_groups; g++)
        for (int k = 0; k < b->n_times; k++)
            find_levels(f, g, k, b->levels + DAL_BAND_LEVELS * (((long)g * b->n_channels + channel) * b->n_times + k));
    return status;
}

static dal_status find_all(finding *f)
{
    dal_study_bands *b = f->bands;
    const size_t numbers = (size_t)b->n_groups * (size_t)b->n_channels * (size_t)b->n_times * DAL_BAND_LEVELS, n = (size_t)f->room + 1;
    b->levels = malloc(sizeof *b->levels * (numbers + 1));
    f->group = malloc(sizeof *f->group * n);
    f->values = malloc(sizeof *f->values * n * (size_t)b->n_times);
    f->sorted = malloc(sizeof *f->sorted * n);
    dal_status status = b->levels && f->group && f->values && f->sorted ? DAL_OK : DAL_NO_MEMORY;
    for (int c = 0; status == DAL_OK && c < b->n_channels; c++)
        status = find_channel(f, c);
    b->runs = f->n;
    free(f->group);
    free(f->values);
    free(f->sorted);
    return status;
}

dal_status dal_study_bands_find(dal_study_bands *b, const dal_study *study, dal_study_reader *reader)
{
    const dal_study_info *info = &study->info;
    finding f = {.bands = b, .study = study, .reader = reader, .columns = info->channels, .share = (double)MOST_BAND_RUNS / (double)info->runs};
    *b = (dal_study_bands){.n_groups = 1};
    if (info->channels < 2 || info->runs < 2)
        return DAL_OK;
    b->n_channels = info->channels - 1 < MOST_CHANNELS ? info->channels - 1 : MOST_CHANNELS;
    if (study->factors.combinations > 1 && study->factors.combinations <= MOST_GROUPS && info->samples > 1)
        b->n_groups = 1 + (int)study->factors.combinations;
    const dal_status status = find_times(&f);
    return status == DAL_OK && b->n_times ? find_all(&f) : status;
}

void dal_study_bands_free(dal_study_bands *b)
{
    free(b->times);
    free(b->levels);
    *b = (dal_study_bands){0};
}
