#include "cli/steady_list.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int dal_steady_list_add(dal_steady_list *x, const char *command, char *text)
{
    char *equals = strrchr(text, '='), *end;
    const double rate = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || equals == text || end == equals + 1 || *end || !isfinite(rate))
        return dal_wrong_use(command, "--steady needs COORDINATE=RATE, as in spindle.angle=12.5, not '%s'", text);
    dal_steady *more = realloc(x->list, sizeof *more * (size_t)(x->n + 1));
    if (!more)
        return DAL_NO_MEMORY;
    *equals = '\0';
    more[x->n++] = (dal_steady){text, rate};
    x->list = more;
    return DAL_OK;
}

int dal_steady_list_check(const dal_steady_list *x, const char *command)
{
    if (x->n && x->at && strcmp(x->at, "steady"))
        return dal_wrong_use(command, "--steady gives a steady motion, and --at %s another place: one of them", x->at);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(x->list[i].coordinate, x->list[j].coordinate))
                return dal_wrong_use(command, "--steady gives the rate of '%s' twice", x->list[i].coordinate);
    return DAL_OK;
}

dal_linear_options dal_steady_options(const dal_steady_list *x, const dal_name_list *inputs, const dal_name_list *outputs)
{
    dal_linear_options options = {.at = x->n && !x->at ? "steady" : x->at, .n_steady = x->n, .steady = x->list};
    if (inputs) {
        options.n_inputs = inputs->n;
        options.inputs = inputs->names;
    }
    if (outputs) {
        options.n_outputs = outputs->n;
        options.outputs = outputs->names;
    }
    return options;
}

void dal_steady_list_free(dal_steady_list *x)
{
    free(x->list);
}
