/* The tables of recursions, the choice for this machine, and the work space. */
#include "tree/kernels.h"

#include <stdlib.h>
#include <string.h>

#define TABLE(target)                                                                                                                                \
    {                                                                                                                                                \
        .name = #target, .loops = &dal_elimination_##target, .sweep = {&dal_sweeping_##target, &dal_planar_sweeping_##target},                       \
        .kinematics = dal_forward_kinematics_##target, .rnea_forward = dal_rnea_forward_##target, .rnea_backward = dal_rnea_backward_##target,       \
        .aba_velocity = dal_aba_velocity_##target, .aba_solve = dal_aba_solve_##target, .aba_backward_link = dal_aba_backward_link_##target,         \
        .aba_forward_link = dal_aba_forward_link_##target, .aba_solve_free = dal_aba_solve_free_##target, .crba = dal_crba_##target,                 \
        .derivative_columns = dal_rnea_derivative_columns_##target, .derivative_rows = dal_rnea_derivative_rows_##target,                            \
        .aba_columns = dal_aba_columns_##target, .aba_factor = dal_aba_factor_##target,                                                              \
    }

const dal_recursion dal_recursion_baseline = TABLE(baseline);
#ifdef DAL_HAVE_AVX2
const dal_recursion dal_recursion_avx2 = TABLE(avx2);
#endif

const dal_recursion *dal_recursion_choose(void)
{
#ifdef DAL_HAVE_AVX2
    const char *wish = getenv("DAL_ISA");
    if ((!wish || strcmp(wish, "baseline") != 0) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &dal_recursion_avx2;
#endif
    return &dal_recursion_baseline;
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

size_t dal_derivatives_work_size(const dal_links *links)
{
    const size_t n = (size_t)links->n;
    return dal_whole_lines(n * DAL_DOUBLES(dal_link_composite)) + 24 * dal_whole_lines((size_t)links->nv + 4) + n * DAL_COLUMN_NUMBERS +
           dal_whole_lines((n * sizeof(bool) + sizeof(double) - 1) / sizeof(double));
}

void dal_derivatives_work_layout(const dal_links *links, double *memory, dal_derivatives_work *work)
{
    work->body = (dal_link_composite *)(void *)memory;
    memory += dal_whole_lines((size_t)links->n * DAL_DOUBLES(dal_link_composite));
    for (int k = 0; k < 24; k++, memory += dal_whole_lines((size_t)links->nv + 4))
        work->column[k] = memory;
    work->columns.lanes = memory;
    work->columns.touched = (bool *)(void *)(memory + (size_t)links->n * DAL_COLUMN_NUMBERS);
}
