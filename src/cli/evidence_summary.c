/* The evidence of a run in a few plain lines. `-v` prints all of it: dal_evidence_text. */
#include "base/printer.h"
#include "cli/cli.h"
#include "run/accuracy.h"

#include <math.h>

static void print_run(dal_printer *p, const dal_evidence *e, dal_status status)
{
    const char *end = e->time_end < e->info.until ? " (STOPPED EARLY)" : status != DAL_OK ? " (NOT TO BE TRUSTED)" : "";
    dal_print(p, "  run         %.9g to %.9g s%s: %ld steps, %ld event%s; %.3f s\n", e->time_start, e->time_end, end, e->steps, e->events,
              e->events == 1 ? "" : "s", e->wall_seconds);
    if (e->restored == 1)
        dal_print(p, "  resumed     the motion was continued from a saved state, once\n");
    else if (e->restored)
        dal_print(p, "  resumed     the motion was continued from a saved state, %ld times\n", e->restored);
    if (e->incomplete && e->time_end < e->info.until)
        dal_print(p, "  incomplete  the run ended at t = %.9g s of %.9g s\n", e->time_end, e->info.until);
    else if (e->incomplete)
        dal_print(p, "  incomplete  the run reached its end and failed there\n");
    if (e->compiled && e->compiled_checks)
        dal_print(p, "  compiled    %ld evaluation%s by generated code, compared at %ld states, difference %.1e\n", e->compiled_evaluations,
                  e->compiled_evaluations == 1 ? "" : "s", e->compiled_checks, e->compiled_difference);
    if (e->compiled && *e->compiled_why)
        dal_print(p, "  compiled    %s\n", e->compiled_why);
}

int dal_evidence_summary(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    dal_printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    dal_print(&p, "%s (%s, %d %s, %d joint%s), gravity (%g, %g, %g)\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
              i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", e->gravity[0], e->gravity[1], e->gravity[2]);
    dal_print_accuracy(&p, e);
    dal_print(&p, "  method      %s, %s, %s, %s\n", i->coordinates, i->formulation, i->stabilization, i->integrator);
    dal_print(&p, "  size        %d coordinate%s, %d constraint%s, %d degree%s of freedom\n", i->coordinates_count,
              i->coordinates_count == 1 ? "" : "s", i->constraints, i->constraints == 1 ? "" : "s", i->freedoms, i->freedoms == 1 ? "" : "s");
    if (i->start_settled)
        dal_print(&p, "  start       at rest in the static equilibrium near the given start\n");
    print_run(&p, e, status);
    if (!isnan(e->energy_drift_absolute))
        dal_print(&p, "  energy      %.9g J at the start, %.9g J at the end\n", e->energy_start, e->energy_end);
    if (!isnan(e->momentum_drift))
        dal_print(&p, "  momentum    drift %.1e (%s)\n", e->momentum_drift, e->momentum);
    if (*e->loose)
        dal_print(&p, "  reactions   not unique: %s; %s\n", e->loose,
                  e->compliant ? "distributed by the compliances" : "the least sum of |F|^2 + |T|^2/L^2 is reported");
    dal_print(&p, "  model       %s, dalembert %s\n", i->model_hash, i->version);
    return p.length;
}
