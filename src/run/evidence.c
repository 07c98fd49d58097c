/* The evidence of a run as text and as JSON. */
#include "base/json.h"
#include "dalembert/run.h"
#include "run/accuracy.h"

#include <math.h>

static void write_warnings(dal_json *json, const dal_evidence *e)
{
    dal_json_open(json, "warnings", '[');
    for (int i = 0; i < e->n_warnings; i++) {
        const dal_message *m = e->warnings[i];
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "code", m->code);
        dal_json_number(json, "number", m->number);
        dal_json_string(json, "file", m->mark.file);
        dal_json_integer(json, "line", m->mark.line);
        dal_json_integer(json, "column", m->mark.column);
        dal_json_string(json, "text", m->text);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

#define MEMBER(member) DAL_JSON_MEMBER(dal_evidence, member)
#define INFO(member) DAL_JSON_MEMBER_AS(#member, dal_evidence, info.member)
#define UNDER(key, member) DAL_JSON_MEMBER_AS(key, dal_evidence, member)

/* clang-format off */
static const dal_json_member method[] = {
    INFO(coordinates), INFO(formulation), INFO(stabilization), INFO(integrator),
    INFO(bodies), INFO(joints), INFO(freedoms), INFO(coordinates_count), INFO(velocities), INFO(constraints), INFO(rank),
    MEMBER(rank_least), MEMBER(rank_most), MEMBER(rerankings),
    INFO(equations), INFO(multipliers), INFO(states),
    MEMBER(steps), MEMBER(rejected), MEMBER(evaluations), MEMBER(events), MEMBER(charts), MEMBER(matrices), MEMBER(products), MEMBER(slopes), UNDER("rows", rows_recorded),
    INFO(until), MEMBER(time_start), MEMBER(time_end), INFO(step), INFO(rtol), INFO(atol), MEMBER(wall_seconds),
    MEMBER(position_residual), MEMBER(velocity_residual), MEMBER(projection_tolerance),
    MEMBER(energy_start), MEMBER(energy_end), MEMBER(energy_drift), MEMBER(energy_drift_absolute),
    MEMBER(momentum_drift), MEMBER(momentum), UNDER("ignorable", info.ignorable_names), MEMBER(ignorable_drift),
    MEMBER(speeds_condition), MEMBER(speeds_changed), MEMBER(partition_steepest), MEMBER(partition_changed),
    UNDER("reactions_not_unique", loose), MEMBER(acceleration_error), UNDER("condition", condition_worst), MEMBER(stiffness),
    INFO(length), INFO(mass), INFO(time),
    {0}};
/* clang-format on */

/* Of a compiled run. */
static const dal_json_member compiled[] = {
    UNDER("evaluations", compiled_evaluations), UNDER("fallbacks", compiled_fallbacks), UNDER("checks", compiled_checks),
    UNDER("difference", compiled_difference),   UNDER("reason", compiled_why),          {0}};

/* Of dal_step_fixed. */
static const dal_json_member fixed_steps[] = {MEMBER(fixed_steps), MEMBER(fixed_median), MEMBER(fixed_longest), MEMBER(late_events), {0}};

int dal_evidence_json(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_printer p = {buffer, size, 0};
    dal_json json = dal_json_to_buffer(&p, NULL);
    const dal_system_info *i = &e->info;
    dal_json_open(&json, NULL, '{');
    dal_json_string(&json, "model", i->model);
    dal_json_string(&json, "space", i->space == DAL_PLANAR ? "planar" : "spatial");
    dal_json_members(&json, method, e);
    if (i->start_settled)
        dal_json_string(&json, "start", "equilibrium");
    if (e->restored)
        dal_json_integer(&json, "restored", e->restored);
    if (e->fixed_steps)
        dal_json_members(&json, fixed_steps, e);
    if (e->compiled) {
        dal_json_open(&json, "compiled", '{');
        dal_json_members(&json, compiled, e);
        dal_json_close(&json, '}');
    }
    dal_json_print(&json, "gravity", "[%.17g, %.17g, %.17g]", e->gravity[0], e->gravity[1], e->gravity[2]);
    write_warnings(&json, e);
    dal_json_truth(&json, "complete", !e->incomplete);
    dal_json_integer(&json, "status", status);
    dal_json_string(&json, "version", i->version);
    dal_json_string(&json, "model_hash", i->model_hash);
    dal_json_close(&json, '}');
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

void dal_print_accuracy(dal_printer *p, const dal_evidence *e)
{
    dal_print(p, "  accuracy    ");
    if (e->info.constraints)
        dal_print(p, "constraints hold to %.1e m, ", e->position_residual);
    if (isnan(e->energy_drift_absolute))
        dal_print(p, "energy is not known: a system has no `kinetic`\n");
    else if (isnan(e->energy_drift))
        dal_print(p, "energy to %.1e J\n", e->energy_drift_absolute);
    else
        dal_print(p, "energy to %.1e (%.1e J)\n", e->energy_drift, e->energy_drift_absolute);
}

int dal_evidence_text(const dal_evidence *e, dal_status status, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    dal_print(&p, "%s (%s, %d %s, %d joint%s), gravity (%g, %g, %g)\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
              i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", e->gravity[0], e->gravity[1], e->gravity[2]);
    dal_print(&p, "  method      %s, %s, %s, %s\n", i->coordinates, i->formulation, i->stabilization, i->integrator);
    dal_print(&p, "  size        ");
    print_count(&p, i->coordinates_count, "coordinate", ", ");
    print_count(&p, i->constraints, "constraint", " of rank ");
    dal_print(&p, "%d, ", i->rank);
    print_count(&p, i->freedoms, "freedom", "; ");
    print_count(&p, i->equations, "equation", ", ");
    print_count(&p, i->multipliers, "multiplier", ", ");
    print_count(&p, i->states, "state", "\n");
    if (i->start_settled)
        dal_print(&p, "  start       at rest in the static equilibrium near the given start\n");
    const bool so_far = status == DAL_OK && !e->incomplete; /* of a simulation that may continue */
    dal_print(&p, "  run         %.9g to %.9g s%s: %ld steps (%ld rejected), %ld evaluations, %ld event%s", e->time_start, e->time_end,
              e->time_end < i->until ? (so_far ? " (so far)" : " (STOPPED EARLY)")
              : status != DAL_OK     ? " (NOT TO BE TRUSTED)"
                                     : "",
              e->steps, e->rejected, e->evaluations, e->events, e->events == 1 ? "" : "s");
    if (e->late_events)
        dal_print(&p, " (%ld not located)", e->late_events);
    if (e->charts)
        dal_print(&p, ", %ld change%s of chart", e->charts, e->charts == 1 ? "" : "s");
    dal_print(&p, "; %.3f s\n", e->wall_seconds);
    if (e->slopes && *e->slopes)
        dal_print(&p, "  newton      %ld matri%s, %ld product%s, from %s\n", e->matrices, e->matrices == 1 ? "x" : "ces", e->products,
                  e->products == 1 ? "" : "s", e->slopes);
    if (e->compiled && e->compiled_checks)
        dal_print(&p, "  compiled    %ld evaluation%s by generated code, %ld left to the engine; compared at %ld states, difference %.1e\n",
                  e->compiled_evaluations, e->compiled_evaluations == 1 ? "" : "s", e->compiled_fallbacks, e->compiled_checks,
                  e->compiled_difference);
    if (e->compiled && *e->compiled_why)
        dal_print(&p, "  %s %s\n", e->compiled_checks ? "           " : "compiled   ", e->compiled_why);
    if (e->fixed_steps)
        dal_print(&p, "  real time   %ld fixed step%s: median %.2e s, longest %.2e s\n", e->fixed_steps, e->fixed_steps == 1 ? "" : "s",
                  e->fixed_median, e->fixed_longest);
    if (e->restored == 1)
        dal_print(&p, "  resumed     the motion was continued from a saved state, once\n");
    else if (e->restored)
        dal_print(&p, "  resumed     the motion was continued from a saved state, %ld times\n", e->restored);
    if (e->incomplete && e->time_end < i->until)
        dal_print(&p, "  incomplete  the run ended at t = %.9g s of %.9g s\n", e->time_end, i->until);
    else if (e->incomplete)
        dal_print(&p, "  incomplete  the run reached its end and failed there\n");
    dal_print(&p, "  residuals   position %.2e, velocity %.2e (largest over every step)\n", e->position_residual, e->velocity_residual);
    if (isnan(e->energy_drift_absolute)) {
        dal_print(&p, "  energy      not known: a system has no `kinetic`\n");
    } else {
        dal_print(&p, "  energy      %.9g J at the start, %.9g J at the end; balance ", e->energy_start, e->energy_end);
        print_drift(&p, "drift", e->energy_drift);
        dal_print(&p, " (%.2e J)\n", e->energy_drift_absolute);
    }
    dal_print(&p, "  momentum    ");
    if (isnan(e->momentum_drift))
        dal_print(&p, "none is conserved\n");
    else
        dal_print(&p, "drift %.2e (%s)\n", e->momentum_drift, e->momentum);
    if (i->ignorable)
        dal_print(&p, "  ignorable   %s: %s by %.2e\n", i->ignorable_names, i->ignorable == 1 ? "its momentum drifts" : "their momenta drift",
                  isnan(e->ignorable_drift) ? 0 : e->ignorable_drift);
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
    dal_print(&p, "  conditions  pivot ratio %.1e or better, rank %d to %d, %ld changes of the independent rows", e->condition_worst, e->rank_least,
              e->rank_most, e->rerankings);
    if (!isnan(e->stiffness))
        dal_print(&p, "; |lambda| h about %.2g", e->stiffness);
    dal_print(&p, "\n  model       %s, dalembert %s\n", i->model_hash, i->version);
    return p.length;
}
