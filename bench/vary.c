/* What it takes to prepare a system: compiled, read and compiled, or varied.
 *
 *     bench_vary read|compile|vary MODEL NAME FROM TO N
 *
 * does so N times with values of NAME between FROM and TO, and frees each system. bench/vary.sh counts its instructions. */
#include "dalembert/dalembert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const dal_messages *messages, const char *what)
{
    const dal_message *m = dal_messages_first(messages);
    fprintf(stderr, "bench_vary: %s: %s\n", what, m ? m->text : "failed");
    exit(1);
}

static dal_spec *read_with(const char *model, const char *name, double value, dal_messages *messages)
{
    char number[32];
    dal_spec *spec;
    snprintf(number, sizeof number, "%.17g", value);
    if (dal_spec_read(NULL, model, 1, &(const dal_override){name, number}, messages, &spec) != DAL_OK)
        fail(messages, model);
    return spec;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: bench_vary read|compile|vary MODEL NAME FROM TO N\n");
        return 2;
    }
    const char *what = argv[1], *model = argv[2], *name = argv[3];
    const double from = strtod(argv[4], NULL), to = strtod(argv[5], NULL);
    const int n = atoi(argv[6]);
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = read_with(model, name, from, messages);
    dal_system *base, *system;
    if (dal_compile(NULL, spec, messages, &base) != DAL_OK)
        fail(messages, model);
    for (int i = 0; i < n; i++) {
        const double value = from + (to - from) * (i + 1) / n;
        dal_status status;
        if (!strcmp(what, "vary"))
            status = dal_system_vary(NULL, base, 1, &name, &value, messages, &system);
        else if (!strcmp(what, "compile"))
            status = dal_compile(NULL, spec, messages, &system);
        else {
            dal_spec *own = read_with(model, name, value, messages);
            status = dal_compile(NULL, own, messages, &system);
            dal_spec_free(own);
        }
        if (status != DAL_OK)
            fail(messages, what);
        dal_system_free(system);
    }
    dal_system_free(base);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
