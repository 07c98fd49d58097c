/* The evidence of a run as text and as JSON. */
#include "base/printer.h"
#include "dalembert/run.h"

#include <math.h>

static void print_number(dal_printer *p, const char *key, double value)
{
    if (isfinite(value))
        dal_print(p, ", \"%s\": %.17g", key, value);
    else
        dal_print(p, ", \"%s\": null", key);
}

static void print_integer(dal_printer *p, const char *key, long value)
{
    dal_print(p, ", \"%s\": %ld", key, value);
}

static void print_warnings(dal_printer *p, const dal_evidence *e)
{
    dal_print(p, ", \"warnings\": [");
    for (int i = 0; i < e->n_warnings; i++) {
        const dal_message *m = e->warnings[i];
        dal_print(p, "%s{", i ? ", " : "");
        dal_print_entry(p, "code", m->code);
        print_number(p, "number", m->number);
        dal_print(p, ", ");
        dal_print_entry(p, "file", m->mark.file);
        print_integer(p, "line", m->mark.line);
        print_integer(p, "column", m->mark.column);
        dal_print(p, ", ");
        dal_print_entry(p, "text", m->text);
        dal_print(p, "}");
    }
    dal_print(p, "]");
}

int dal_evidence_json(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    dal_print(&p, "{");
    dal_print_entry(&p, "model", i->model);
    dal_print(&p, ", ");
    dal_print_entry(&p, "space", i->space == DAL_PLANAR ? "planar" : "spatial");
    dal_print(&p, ", ");
    dal_print_entry(&p, "coordinates", i->coordinates);
    dal_print(&p, ", ");
    dal_print_entry(&p, "formulation", i->formulation);
    dal_print(&p, ", ");
    dal_print_entry(&p, "stabilization", i->stabilization);
    dal_print(&p, ", ");
    dal_print_entry(&p, "integrator", i->integrator);
    print_integer(&p, "bodies", i->bodies);
    print_integer(&p, "joints", i->joints);
    print_integer(&p, "freedoms", i->freedoms);
    print_integer(&p, "coordinates_count", i->coordinates_count);
    print_integer(&p, "velocities", i->velocities);
    print_integer(&p, "constraints", i->constraints);
    print_integer(&p, "rank", i->rank);
    print_integer(&p, "rank_least", e->rank_least);
    print_integer(&p, "rank_most", e->rank_most);
    print_integer(&p, "rerankings", e->rerankings);
    print_integer(&p, "equations", i->equations);
    print_integer(&p, "multipliers", i->multipliers);
    print_integer(&p, "states", i->states);
    print_integer(&p, "steps", e->steps);
    print_integer(&p, "rejected", e->rejected);
    print_integer(&p, "evaluations", e->evaluations);
    print_integer(&p, "events", e->events);
    print_integer(&p, "charts", e->charts);
    print_integer(&p, "rows", e->rows_recorded);
    print_number(&p, "until", i->until);
    print_number(&p, "time_end", e->time_end);
    print_number(&p, "step", i->step);
    print_number(&p, "rtol", i->rtol);
    print_number(&p, "atol", i->atol);
    print_number(&p, "wall_seconds", e->wall_seconds);
    print_number(&p, "position_residual", e->position_residual);
    print_number(&p, "velocity_residual", e->velocity_residual);
    print_number(&p, "projection_tolerance", e->projection_tolerance);
    print_number(&p, "energy_start", e->energy_start);
    print_number(&p, "energy_end", e->energy_end);
    print_number(&p, "energy_drift", e->energy_drift);
    print_number(&p, "energy_drift_absolute", e->energy_drift_absolute);
    print_number(&p, "momentum_drift", e->momentum_drift);
    dal_print(&p, ", ");
    dal_print_entry(&p, "momentum", e->momentum);
    dal_print(&p, ", ");
    dal_print_entry(&p, "ignorable", i->ignorable_names);
    print_number(&p, "ignorable_drift", e->ignorable_drift);
    print_number(&p, "speeds_condition", e->speeds_condition);
    print_integer(&p, "speeds_changed", e->speeds_changed);
    print_number(&p, "partition_steepest", e->partition_steepest);
    print_integer(&p, "partition_changed", e->partition_changed);
    dal_print(&p, ", ");
    dal_print_entry(&p, "reactions_not_unique", e->loose);
    print_number(&p, "acceleration_error", e->acceleration_error);
    print_number(&p, "condition", e->condition_worst);
    print_number(&p, "stiffness", e->stiffness);
    print_number(&p, "length", i->length);
    print_number(&p, "mass", i->mass);
    print_number(&p, "time", i->time);
    dal_print(&p, ", \"gravity\": [%.17g, %.17g, %.17g]", e->gravity[0], e->gravity[1], e->gravity[2]);
    print_warnings(&p, e);
    dal_print(&p, ", \"complete\": %s", e->incomplete ? "false" : "true");
    print_integer(&p, "status", status);
    dal_print(&p, ", ");
    dal_print_entry(&p, "version", i->version);
    dal_print(&p, ", ");
    dal_print_entry(&p, "model_hash", i->model_hash);
    dal_print(&p, "}");
    return p.length;
}

static void print_drift(dal_printer *p, const char *name, double value)
{
    if (isnan(value))
        dal_print(p, "%s none", name);
    else
        dal_print(p, "%s %.2e", name, value);
}

static void print_count(dal_printer *p, int n, const char *noun, const char *after)
{
    dal_print(p, "%d %s%s%s", n, noun, n == 1 ? "" : "s", after);
}

int dal_evidence_text(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    dal_print(&p, "%s (%s, %d %s, %d joint%s), gravity (%g, %g, %g)\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial",
              i->bodies, i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s",
              e->gravity[0], e->gravity[1], e->gravity[2]);
    dal_print(&p, "  method      %s, %s, %s, %s\n", i->coordinates, i->formulation, i->stabilization, i->integrator);
    dal_print(&p, "  size        ");
    print_count(&p, i->coordinates_count, "coordinate", ", ");
    print_count(&p, i->constraints, "constraint", " of rank ");
    dal_print(&p, "%d, ", i->rank);
    print_count(&p, i->freedoms, "freedom", "; ");
    print_count(&p, i->equations, "equation", ", ");
    print_count(&p, i->multipliers, "multiplier", ", ");
    print_count(&p, i->states, "state", "\n");
    dal_print(&p, "  run         0 to %.9g s%s: %ld steps (%ld rejected), %ld evaluations, %ld event%s", e->time_end,
              e->time_end < i->until ? " (STOPPED EARLY)" : status != DAL_OK ? " (NOT TO BE TRUSTED)" : "", e->steps, e->rejected, e->evaluations, e->events, e->events == 1 ? "" : "s");
    if (e->charts)
        dal_print(&p, ", %ld change%s of chart", e->charts, e->charts == 1 ? "" : "s");
    dal_print(&p, "; %.3f s\n", e->wall_seconds);
    if (e->incomplete && e->time_end < i->until)
        dal_print(&p, "  incomplete  the run ended at t = %.9g s of %.9g s\n", e->time_end, i->until);
    else if (e->incomplete)
        dal_print(&p, "  incomplete  the run came to its end and failed there\n");
    dal_print(&p, "  residuals   position %.2e, velocity %.2e (largest over every step)\n", e->position_residual, e->velocity_residual);
    dal_print(&p, "  energy      %.9g J at the start, %.9g J at the end; balance ", e->energy_start, e->energy_end);
    print_drift(&p, "drift", e->energy_drift);
    dal_print(&p, " (%.2e J)\n", e->energy_drift_absolute);
    dal_print(&p, "  momentum    ");
    if (isnan(e->momentum_drift))
        dal_print(&p, "none is conserved\n");
    else
        dal_print(&p, "drift %.2e (%s)\n", e->momentum_drift, e->momentum);
    if (i->ignorable)
        dal_print(&p, "  ignorable   %s: %s by %.2e\n", i->ignorable_names,
                  i->ignorable == 1 ? "its momentum drifts" : "their momenta drift", isnan(e->ignorable_drift) ? 0 : e->ignorable_drift);
    if (!isnan(e->speeds_condition))
        dal_print(&p, "  speeds      condition %.2g at worst, %ld change%s of the set\n", e->speeds_condition, e->speeds_changed,
                  e->speeds_changed == 1 ? "" : "s");
    if (!isnan(e->partition_steepest))
        dal_print(&p, "  partition   dependent coordinates move up to %.2g times as far as an independent one, %ld change%s of the set\n",
                  e->partition_steepest, e->partition_changed, e->partition_changed == 1 ? "" : "s");
    if (*e->loose)
        dal_print(&p, "  reactions   not unique: %s; %s\n", e->loose,
                  e->compliant ? "distributed by the compliances" : "the least sum of |F|^2 + |T|^2/L^2 is reported");
    if (!isnan(e->acceleration_error))
        dal_print(&p, "  inertias    differ widely: accelerations were refined, rounding leaves an error below %.1e\n", e->acceleration_error);
    dal_print(&p, "  conditions  pivot ratio %.1e or better, rank %d to %d, %ld changes of the independent rows", e->condition_worst,
              e->rank_least, e->rank_most, e->rerankings);
    if (!isnan(e->stiffness))
        dal_print(&p, "; |lambda| h about %.2g", e->stiffness);
    dal_print(&p, "\n  model       %s, dalembert %s\n", i->model_hash, i->version);
    return p.length;
}
