/* A list of expressions as one program, and the signals that it reads. */
#include "compile/build.h"
#include "compile/memory.h"

static void mark_need(void *user, int variable)
{
    ((bool *)user)[variable] = true;
}

void dal_mark_needs(dal_build *build, const dal_expressions *list, bool *needed)
{
    for (int i = 0; i < list->n; i++)
        dal_each_var(build->graph, list->node[i], mark_need, needed);
}

void dal_build_program(dal_build *build, const dal_expressions *list, dal_compiled *out)
{
    if (dal_cached_program(build, list, out))
        return;
    bool *needed = DAL_NEW(build->arena, bool, build->n_signals);
    out->n_outputs = list->n;
    if (!list->n)
        return;
    dal_mark_needs(build, list, needed);
    out->needs = DAL_NEW(build->arena, int, build->n_signals);
    for (int i = 0; i < build->n_signals; i++)
        if (needed[i])
            out->needs[out->n_needs++] = i;
    out->program = dal_program_build(build->arena, build->graph, build->n_signals, list->n, list->node);
    dal_remember_program(build, list, out);
}
