/* The tables of recursions, the choice for this machine, and the work space. */
#include "tree/kernels.h"

#include <stdlib.h>
#include <string.h>

#define TABLE(isa, base, with_lanes, width)                                                                                                          \
    {                                                                                                                                                \
        .name = isa, .loops = &dal_elimination_##base, .sweep = {&dal_sweeping_##base, &dal_planar_sweeping_##base},                                 \
        .kinematics = dal_forward_kinematics_##base, .rnea_forward = dal_rnea_forward_##base, .rnea_backward = dal_rnea_backward_##base,             \
        .aba_velocity = dal_aba_velocity_##base, .aba_solve = dal_aba_solve_##base, .aba_backward_link = dal_aba_backward_link_##base,               \
        .aba_forward_link = dal_aba_forward_link_##base, .aba_solve_free = dal_aba_solve_free_##base, .aba_factor = dal_aba_factor_##base,           \
        .crba = dal_crba_##base, .derivative_columns = dal_rnea_derivative_columns_##with_lanes,                                                     \
        .derivative_rows = dal_rnea_derivative_rows_##with_lanes, .aba_columns = dal_aba_columns_##with_lanes,                                       \
        .factor_rows = dal_factor_rows_##with_lanes, .factor_columns = dal_factor_columns_##with_lanes, .lanes = width                               \
    }

const dal_recursion dal_recursion_baseline = TABLE("baseline", baseline, baseline, 4);
#ifdef DAL_HAVE_AVX2
const dal_recursion dal_recursion_avx2 = TABLE("avx2", avx2, avx2, 4);
const dal_recursion dal_recursion_avx512 = TABLE("avx512", avx2, avx512, 8);
#endif

const dal_recursion *dal_recursion_choose(void)
{
#ifdef DAL_HAVE_AVX2
    const char *wish = getenv("DAL_ISA");
    if ((wish && strcmp(wish, "baseline") == 0) || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return &dal_recursion_baseline;
    if ((wish && strcmp(wish, "avx2") == 0) || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512dq"))
        return &dal_recursion_avx2;
    return &dal_recursion_avx512;
#else
    return &dal_recursion_baseline;
#endif
}

size_t dal_links_work_size(const dal_links *links)
{
    const size_t n = (size_t)links->n + 1;
    return dal_whole_lines(n * DAL_DOUBLES(dal_link_motion)) + dal_whole_lines(n * DAL_DOUBLES(dal_link_wrench)) +
           dal_whole_lines(n * DAL_DOUBLES(dal_link_inertia)) + 2 * dal_whole_lines(n) + dal_whole_lines(24 * (((size_t)links->nv + 3) / 4));
}

void dal_links_work_layout(const dal_links *links, double *memory, dal_links_work *work)
{
    const size_t n = (size_t)links->n + 1;
    work->motion = (dal_link_motion *)(void *)memory + 1;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_motion));
    work->wrench = (dal_link_wrench *)(void *)memory + 1;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_wrench));
    work->inertia = (dal_link_inertia *)(void *)memory + 1;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_inertia));
    work->cosine = memory;
    memory += dal_whole_lines(n);
    work->sine = memory;
    memory += dal_whole_lines(n);
    work->columns = memory;
}

static size_t flag_doubles(size_t flags)
{
    return dal_whole_lines((flags * sizeof(bool) + sizeof(double) - 1) / sizeof(double));
}

/* The length of a row. Kernels load and store whole vectors, which end behind the last number. */
static size_t padded(const dal_links *links)
{
    return dal_whole_lines((size_t)links->nv + DAL_MOST_LANES);
}

/* A row for each block. Blocks are the narrowest, and so the most, with four lanes. */
static size_t related_flags(const dal_links *links)
{
    return links->shallow ? (size_t)links->nv * ((size_t)links->nv / (4 * DAL_FACTOR_VECTORS) + 1) : 0;
}

size_t dal_derivatives_work_size(const dal_links *links)
{
    const size_t n = (size_t)links->n, nv = links->shallow ? (size_t)links->nv : 0;
    return dal_whole_lines(n * DAL_DOUBLES(dal_link_composite)) + DAL_COLUMN_QUANTITIES * padded(links) + n * DAL_COLUMN_NUMBERS + flag_doubles(n) +
           nv * (padded(links) + 2 * DAL_FACTOR_VECTORS * DAL_MOST_LANES) + flag_doubles(related_flags(links));
}

void dal_derivatives_work_layout(const dal_links *links, double *memory, dal_derivatives_work *work)
{
    const size_t n = (size_t)links->n, nv = links->shallow ? (size_t)links->nv : 0;
    work->body = (dal_link_composite *)(void *)memory;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_composite));
    work->column = (dal_column_table){memory, padded(links)};
    memory += DAL_COLUMN_QUANTITIES * padded(links);
    work->columns.lanes = memory;
    memory += n * DAL_COLUMN_NUMBERS;
    work->columns.touched = (bool *)(void *)memory;
    memory += flag_doubles(n);
    work->factor = (dal_factor_work){.L = memory, .stride = padded(links)};
    memory += nv * padded(links);
    work->factor.lanes = memory;
    memory += nv * (2 * DAL_FACTOR_VECTORS * DAL_MOST_LANES);
    work->factor.related = (bool *)(void *)memory;
}
