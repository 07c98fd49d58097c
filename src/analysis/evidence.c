/* The evidence of a run as text and as JSON. */
#include "base/message.h"
#include "dalembert/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct printer {
    char *buffer;
    size_t size;
    int length;
} printer;

static void print(printer *p, const char *format, ...) DAL_PRINTF(2, 3);

static void print(printer *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t used = (size_t)p->length < p->size ? (size_t)p->length : p->size;
    int n = vsnprintf(p->buffer ? p->buffer + used : NULL, p->size - used, format, list);
    va_end(list);
    if (n > 0)
        p->length += n;
}

/* A string of JSON: quotes, backslashes and control characters escaped; bytes of UTF-8 pass. */
static void print_string(printer *p, const char *key, const char *text)
{
    print(p, "\"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++) {
        if (*c == '"' || *c == '\\')
            print(p, "\\%c", *c);
        else if (*c < 0x20)
            print(p, "\\u%04x", *c);
        else
            print(p, "%c", *c);
    }
    print(p, "\"");
}

static void print_number(printer *p, const char *key, double value)
{
    if (isfinite(value))
        print(p, ", \"%s\": %.17g", key, value);
    else
        print(p, ", \"%s\": null", key);
}

static void print_integer(printer *p, const char *key, long value)
{
    print(p, ", \"%s\": %ld", key, value);
}

int dal_evidence_json(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    print(&p, "{");
    print_string(&p, "model", i->model);
    print(&p, ", ");
    print_string(&p, "space", i->space == DAL_PLANAR ? "planar" : "spatial");
    print(&p, ", ");
    print_string(&p, "coordinates", i->coordinates);
    print(&p, ", ");
    print_string(&p, "formulation", i->formulation);
    print(&p, ", ");
    print_string(&p, "stabilization", i->stabilization);
    print(&p, ", ");
    print_string(&p, "integrator", i->integrator);
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
    print_number(&p, "energy_start", e->energy_start);
    print_number(&p, "energy_end", e->energy_end);
    print_number(&p, "energy_drift", e->energy_drift);
    print_number(&p, "energy_drift_absolute", e->energy_drift_absolute);
    print_number(&p, "momentum_drift", e->momentum_drift);
    print(&p, ", ");
    print_string(&p, "momentum", e->momentum);
    print(&p, ", ");
    print_string(&p, "ignorable", i->ignorable_names);
    print_number(&p, "ignorable_drift", e->ignorable_drift);
    print_number(&p, "speeds_condition", e->speeds_condition);
    print_integer(&p, "speeds_changed", e->speeds_changed);
    print(&p, ", ");
    print_string(&p, "reactions_not_unique", e->loose);
    print_number(&p, "condition", e->condition_worst);
    print_number(&p, "stiffness", e->stiffness);
    print_number(&p, "length", i->length);
    print(&p, ", \"gravity\": [%.17g, %.17g, %.17g]", e->gravity[0], e->gravity[1], e->gravity[2]);
    print_integer(&p, "status", status);
    print(&p, ", ");
    print_string(&p, "version", i->version);
    print(&p, ", ");
    print_string(&p, "model_hash", i->model_hash);
    print(&p, "}");
    return p.length;
}

static void print_drift(printer *p, const char *name, double value)
{
    if (isnan(value))
        print(p, "%s none", name);
    else
        print(p, "%s %.2e", name, value);
}

static void print_count(printer *p, int n, const char *noun, const char *after)
{
    print(p, "%d %s%s%s", n, noun, n == 1 ? "" : "s", after);
}

int dal_evidence_text(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    print(&p, "%s (%s, %d %s, %d joint%s), gravity (%g, %g, %g)\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial",
          i->bodies, i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", e->gravity[0], e->gravity[1], e->gravity[2]);
    print(&p, "  method      %s, %s, %s, %s\n", i->coordinates, i->formulation, i->stabilization, i->integrator);
    print(&p, "  size        ");
    print_count(&p, i->coordinates_count, "coordinate", ", ");
    print_count(&p, i->constraints, "constraint", " of rank ");
    print(&p, "%d, ", i->rank);
    print_count(&p, i->freedoms, "freedom", "; ");
    print_count(&p, i->equations, "equation", ", ");
    print_count(&p, i->multipliers, "multiplier", ", ");
    print_count(&p, i->states, "state", "\n");
    print(&p, "  run         0 to %.9g s%s: %ld steps (%ld rejected), %ld evaluations, %ld event%s", e->time_end,
          status == DAL_OK ? "" : " (STOPPED EARLY)", e->steps, e->rejected, e->evaluations, e->events, e->events == 1 ? "" : "s");
    if (e->charts)
        print(&p, ", %ld change%s of chart", e->charts, e->charts == 1 ? "" : "s");
    print(&p, "; %.3f s\n", e->wall_seconds);
    print(&p, "  residuals   position %.2e, velocity %.2e (largest over every step)\n", e->position_residual, e->velocity_residual);
    print(&p, "  energy      %.9g J at the start, %.9g J at the end; balance ", e->energy_start, e->energy_end);
    print_drift(&p, "drift", e->energy_drift);
    print(&p, " (%.2e J)\n", e->energy_drift_absolute);
    print(&p, "  momentum    ");
    if (isnan(e->momentum_drift))
        print(&p, "none is conserved\n");
    else
        print(&p, "drift %.2e (%s)\n", e->momentum_drift, e->momentum);
    if (i->ignorable)
        print(&p, "  ignorable   %s: %s by %.2e\n", i->ignorable_names, i->ignorable == 1 ? "its momentum drifts" : "their momenta drift",
              isnan(e->ignorable_drift) ? 0 : e->ignorable_drift);
    if (!isnan(e->speeds_condition))
        print(&p, "  speeds      condition %.2g at worst, %ld change%s of the set\n", e->speeds_condition, e->speeds_changed, e->speeds_changed == 1 ? "" : "s");
    if (*e->loose)
        print(&p, "  reactions   not unique: %s; %s\n", e->loose,
              e->compliant ? "distributed by the compliances" : "the least sum of |F|^2 + |T|^2/L^2 is reported");
    print(&p, "  conditions  pivot ratio %.1e or better, rank %d to %d, %ld changes of the independent rows", e->condition_worst, e->rank_least,
          e->rank_most, e->rerankings);
    if (!isnan(e->stiffness))
        print(&p, "; |lambda| h about %.2g", e->stiffness);
    print(&p, "\n  model       %s, dalembert %s\n", i->model_hash, i->version);
    return p.length;
}
