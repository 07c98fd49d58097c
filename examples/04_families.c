/* The same model under every family of coordinates and every formulation: `dal_spec_set` is what the command line does. */
#include "example.h"

#include <math.h>

typedef struct last_speed {
    double speed;
} last_speed;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)n, (void)columns;
    printf("%-8s %-18s %2d coordinates, %2d constraints", info->coordinates, info->formulation, info->coordinates_count, info->constraints);
    return DAL_OK;
}

static dal_status row(void *user, int n, const double *values)
{
    (void)n;
    ((last_speed *)user)->speed = values[2];
    return DAL_OK;
}

/* The first error. */
static const char *why(const dal_messages *messages)
{
    const dal_message *m = dal_messages_first(messages);
    while (m && m->severity != DAL_ERROR)
        m = m->next;
    return m ? m->text : "";
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "models/slider-crank.yaml", *family, *formulation, *title;
    dal_messages *messages = dal_messages_create(NULL);
    double reference = NAN;
    for (int f = 0; dal_list_entry("coordinates", f, &family, &title); f++)
        for (int g = 0; dal_list_entry("formulation", g, &formulation, &title); g++) {
            dal_spec *spec;
            dal_system *system;
            need(dal_spec_read(NULL, file, 0, NULL, messages, &spec), messages);
            dal_spec_set(spec, "coordinates", family, messages);
            dal_spec_set(spec, "formulation", formulation, messages);
            dal_spec_set(spec, "integrator", "rk6", messages);
            dal_spec_set(spec, "until", "1", messages);
            if (dal_compile(NULL, spec, messages, &system) != DAL_OK) { /* not every one applies to every model: it says why */
                printf("%-8s %-18s %s\n", family, formulation, why(messages));
                dal_messages_free(messages);
                messages = dal_messages_create(NULL);
                dal_spec_free(spec);
                continue;
            }

            last_speed last = {NAN};
            dal_sink sink = {&last, begin, row};
            dal_run_options options = {.sink = &sink};
            dal_evidence evidence;
            need(dal_run(system, &options, messages, &evidence), messages);
            if (isnan(reference))
                reference = last.speed;
            printf(", speed of the slider after 1 s: %.8f m/s, the same to 1e-10: %s\n", last.speed,
                   fabs(last.speed - reference) < 1e-10 ? "yes" : "no");
            dal_system_free(system);
            dal_spec_free(spec);
        }
    dal_messages_free(messages);
    return 0;
}
