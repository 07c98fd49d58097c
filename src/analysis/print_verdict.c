/* A verdict as text and as JSON. */
#include "dalembert/verdict.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

enum { INDENT = 13 };

/* ---- text --------------------------------------------------------------------- */

/* "title        words ...", lines after the first indented. */
static void print_entry(dal_printer *out, const char *title, const char *format, ...) DAL_PRINTF(3, 4);

static void print_entry(dal_printer *out, const char *title, const char *format, ...)
{
    char text[6000];
    DAL_FORMAT(text, format);
    dal_print(out, "%-*s", INDENT, title);
    dal_print_wrapped(out, INDENT, INDENT, text);
}

static const char *s_of(int n)
{
    return n == 1 ? "" : "s";
}

static void print_counts(dal_printer *out, const dal_verdict *v)
{
    const dal_system_info *i = &v->info;
    print_entry(out, "freedoms", "%d: %d %s, %d constraint row%s of rank %d", v->freedoms, v->velocities,
                v->own_coordinates ? "coordinates" : "velocities of the bodies", v->rows, s_of(v->rows), v->rank);
    print_entry(out, "", "by counting (Gruebler): %d - %d = %d%s", v->velocities, v->rows, v->counted,
                v->counted == v->freedoms ? ", which is right"
                : v->singular             ? ", which is wrong here: rows depend on one another, some of them in this position only"
                                          : ", which is wrong here: rows depend on one another");
    if (!v->own_coordinates)
        print_entry(out, "", "in coordinates '%s': m = %d, r = %d, k = %d, p = %d", i->coordinates, i->velocities, i->constraints, i->rank,
                    i->freedoms);
}

/* Joints of types that the model itself describes; those of one type together. */
static void print_written(dal_printer *out, const dal_verdict *v)
{
    enum { MOST = 20 };
    for (int i = 0; i < v->n_written && i < MOST; i++) {
        const dal_check_written *w = &v->written[i];
        char near[40] = "";
        if (w->removed_near > w->removed)
            snprintf(near, sizeof near, " here, %d nearby", w->removed_near);
        print_entry(out, i ? "" : "own joints", "%s (%s): %d equation%s, %d row%s; alone it takes %d freedom%s%s", w->joint, w->type, w->equations,
                    s_of(w->equations), w->rows, s_of(w->rows), w->removed, s_of(w->removed), near);
    }
    if (v->n_written > MOST)
        print_entry(out, "", "and %d more", v->n_written - MOST);
}

/* The rows of a group, or those that can be removed together; a line for each joint. */
static void print_rows(dal_printer *out, const dal_check_group *group, bool going)
{
    char text[4000];
    for (int j = 0; j < group->n_joints; j++) {
        int used = snprintf(text, sizeof text, "%.1000s:", group->joints[j]);
        const char *separator = " ";
        for (int k = 0; k < group->n_rows && used < 3800; k++)
            if (!strcmp(group->rows[k].joint, group->joints[j]) && (group->rows[k].goes || !going)) {
                used += snprintf(text + used, sizeof text - (size_t)used, "%s%.100s", separator, group->rows[k].forbids);
                separator = ", ";
            }
        if (*separator == ',')
            print_entry(out, "", "%s", text);
    }
}

static void print_group(dal_printer *out, int number, const dal_check_group *group)
{
    char title[32];
    snprintf(title, sizeof title, "  group %d", number);
    print_entry(out, title, "%d too many; any one of these rows can be removed:", group->redundant);
    print_rows(out, group, false);
    if (group->redundant == 1)
        return;
    print_entry(out, "", "these, for instance, can be removed together:");
    print_rows(out, group, true);
}

/* Joints all of whose rows can be removed. */
static void print_spare(dal_printer *out, const dal_verdict *v)
{
    char text[4000] = "";
    for (int i = 0, used = 0; i < v->n_spare && used < 2900; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.1000s", i ? ", " : "", v->spare[i]);
    if (v->n_spare)
        print_entry(out, "  whole", "for instance %s can be removed altogether", text);
}

/* Joints that stay open, each with its gap. */
static void print_gaps(dal_printer *out, const dal_verdict *v)
{
    print_entry(out, "consistent", "no: open by up to %.4g m and %.4g rad, %s", v->gap_shift, v->gap_turn,
                v->closest ? "and no placement near this one is better: the joints contradict each other"
                           : "where assembly ended: the start values are too far off, or fixed values prevent it");
    for (int i = 0; i < v->n_open; i++)
        if (v->open[i].written)
            print_entry(out, "", "%s: missed by %.4g", v->open[i].joint, v->open[i].shift);
        else
            print_entry(out, "", "%s: %.4g m, %.4g rad", v->open[i].joint, v->open[i].shift, v->open[i].turn);
}

static void print_redundancy(dal_printer *out, const dal_verdict *v)
{
    if (v->redundant == 0)
        print_entry(out, "redundant", "none");
    else
        print_entry(out, "redundant", "%d of %d rows, in %d group%s%s", v->redundant, v->rows, v->n_groups, s_of(v->n_groups),
                    v->contradictory              ? " (but for the gap)"
                    : v->singular && !v->isolated ? " (nearby; those of the singular position are not counted)"
                                                  : "");
    for (int g = 0; g < v->n_groups; g++)
        print_group(out, g + 1, &v->groups[g]);
    print_spare(out, v);
    for (int g = 0; g < v->n_nearly; g++) {
        print_entry(out, "  nearly", "%d nearly redundant:", v->nearly[g].redundant);
        print_rows(out, &v->nearly[g], false);
    }
    if (v->contradictory)
        print_gaps(out, v);
    else if (v->consistent)
        print_entry(out, "consistent", "yes: the rows agree to %.1e in position, %.1e in velocity, %.1e in acceleration (relative)", v->position_gap,
                    v->velocity_gap, v->acceleration_gap);
    else
        print_entry(out, "consistent", "no: accelerations disagree by %.1e of the largest", v->acceleration_gap);
}

static void print_singular(dal_printer *out, const dal_verdict *v)
{
    if (v->contradictory)
        print_entry(out, "position", "none: the joints do not close; the report is about the nearest one");
    else if (v->rows == 0)
        print_entry(out, "position", "regular: there are no constraints");
    else if (v->isolated)
        print_entry(out, "position", "isolated: %d freedom%s to first order, none in fact", v->freedoms, s_of(v->freedoms));
    else if (v->neighbours == 0 && v->freedoms == 0)
        print_entry(out, "position", "the only one: the joints leave no freedom; smallest singular value %.2g of the largest", v->ratio);
    else if (v->neighbours == 0)
        print_entry(out, "position", "smallest singular value %.2g of the largest; no neighbours were compared", v->ratio);
    else if (v->singular)
        print_entry(out, "position", "singular: rank %d here, %d at %d neighbours; %d freedom%s gained", v->rank, v->rank_near, v->neighbours,
                    v->gained, s_of(v->gained));
    else
        print_entry(out, "position", "%s: rank %d here and at %d neighbours; smallest singular value %.2g of the largest, %.2g nearby",
                    v->near_singular ? "near a singular one" : "regular", v->rank, v->neighbours, v->ratio, v->ratio_near);
}

/* The lines are printed whole, so that they can be pasted. */
static void print_derived(dal_printer *out, const dal_verdict *v)
{
    for (int i = 0; i < v->n_derived; i++)
        print_entry(out, i ? "" : "derived", "%s, the balance of the forces there", v->derived[i].equation);
    if (v->n_derived && !v->determined)
        print_entry(out, "", "`undetermined: derive` in `simulate:` takes it; as lines of `constraints:`");
    for (int i = 0; i < v->n_derived && !v->determined; i++)
        dal_print(out, "               %s\n", v->derived[i].line);
    if (v->not_derived)
        print_entry(out, "derived", "nothing: %s", v->not_derived);
}

static void print_inertia(dal_printer *out, const dal_verdict *v)
{
    for (int i = 0; i < v->n_light; i++)
        print_entry(out, i ? "" : "no inertia", "%s", v->light[i]);
    print_entry(out, "unique", "%s: rank [M; A] = %d, %d needed%s", v->determined ? "yes" : "no", v->rank_stacked, v->velocities,
                v->lost_in_rounding                                ? " were it not for rounding"
                : v->determined && v->rank_inertia < v->velocities ? "; the constraints make up for what M lacks"
                                                                   : "");
    for (int i = 0; i < v->n_loose; i++)
        print_entry(out, i ? "" : "loose", "%s; %s", v->loose[i].motion, v->loose[i].remedy);
    print_derived(out, v);
}

static void print_start(dal_printer *out, const dal_verdict *v)
{
    if (v->contradictory)
        return;
    if (v->n_moved == 0)
        print_entry(out, "start", "the values as given satisfy the constraints");
    else if (!v->own_coordinates)
        print_entry(out, "start", "moved onto the constraints, by at most %.3g m and %.3g rad, %.3g m/s and %.3g rad/s", v->shift_most, v->turn_most,
                    v->velocity_most, v->spin_most);
    else
        print_entry(out, "start", "moved onto the constraints");
    for (int i = 0; i < v->n_moved; i++)
        print_entry(out, "", "%s", v->moved[i]);
    if (v->undecided)
        print_entry(out, "undecided", "%s", v->undecided);
}

/* 0 where there is only rounding. */
static double without_rounding(double part, double size)
{
    return fabs(part) < 1e-6 * size ? 0 : part;
}

static void print_motion(dal_printer *out, const dal_verdict *v)
{
    if (*v->ignorable)
        print_entry(out, "ignorable", "%s, in coordinates '%s'", v->ignorable, v->ignorable_family);
    else
        print_entry(out, "ignorable", "none");
    if (isnan(v->fastest))
        return;
    if (v->fastest == 0)
        print_entry(out, "fastest", "no time scale of its own at the start");
    else
        print_entry(out, "fastest", "%.4g /s at the start (%.3g, %.3g i): %.3g s", v->fastest, without_rounding(v->fastest_real, v->fastest),
                    without_rounding(v->fastest_imaginary, v->fastest), 1 / v->fastest);
    if (!isnan(v->step_limit))
        print_entry(out, "", "stable steps of '%s' there: up to %.3g s", v->info.integrator, v->step_limit);
}

static void print_along(dal_printer *out, const dal_verdict *v)
{
    const dal_check_along *a = &v->along;
    if (!a->done)
        return;
    print_entry(out, "along", "%d instant%s to t = %.6g s: rank %d to %d%s", a->instants, s_of(a->instants), a->time_end, a->rank_least, a->rank_most,
                a->changes ? ", the redundant rows change" : ", the redundant rows stay the same");
    print_entry(out, "", "smallest singular value %.2g to %.2g of the largest, least at t = %.6g s", a->ratio_least, a->ratio_most, a->time_nearest);
    if (a->rank_least < a->rank_most)
        print_entry(out, "", "the rank is least at t = %.6g s", a->time_least);
}

static void print_warning(dal_printer *out, const dal_message *m)
{
    if (m->mark.line > 0)
        print_entry(out, "warning", "line %d, column %d: %s", m->mark.line, m->mark.column, m->text);
    else
        print_entry(out, "warning", "%s", m->text);
}

static void print_verdict(dal_printer *out, const dal_verdict *v)
{
    const dal_system_info *i = &v->info;
    dal_print(out, "%s (%s, %d %s, %d joint%s)\n\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
              i->bodies == 1 ? "body" : "bodies", i->joints, s_of(i->joints));
    if (v->known) {
        print_counts(out, v);
        print_written(out, v);
        print_redundancy(out, v);
        print_singular(out, v);
        print_inertia(out, v);
        print_start(out, v);
    }
    if (v->known && v->status != DAL_BAD_MODEL)
        print_motion(out, v);
    print_along(out, v);
    if (v->known || v->n_warnings)
        dal_print(out, "\n");
    for (int k = 0; k < v->n_warnings; k++)
        print_warning(out, v->warnings[k]);
    if (v->n_warnings)
        dal_print(out, "\n");
    if (v->status != DAL_OK)
        print_entry(out, "verdict", "cannot be simulated%s%s%s", v->status == DAL_NUMERICAL ? " to its end" : "", v->reason ? ": " : "",
                    v->reason ? v->reason : "");
    else if (v->n_warnings)
        print_entry(out, "verdict", "%d warning%s", v->n_warnings, s_of(v->n_warnings));
    else
        print_entry(out, "verdict", "clean");
}

int dal_verdict_text(const dal_verdict *verdict, char *buffer, size_t size)
{
    dal_printer out = {buffer, size, 0};
    if (!verdict)
        return -1;
    print_verdict(&out, verdict);
    return out.length;
}

/* ---- JSON ------------------------------------------------------------------------ */

#define VERDICT(member) DAL_JSON_MEMBER(dal_verdict, member)
#define INFO(member) DAL_JSON_MEMBER(dal_system_info, member)
#define ROW(member) DAL_JSON_MEMBER(dal_check_row, member)
#define WRITTEN(member) DAL_JSON_MEMBER(dal_check_written, member)
#define LOOSE(member) DAL_JSON_MEMBER(dal_check_loose, member)
#define DERIVED(member) DAL_JSON_MEMBER(dal_check_derived, member)
#define ALONG(member) DAL_JSON_MEMBER(dal_check_along, member)
#define LINE DAL_JSON_NEW_LINE(" \n ")

/* clang-format off */
static const dal_json_member of_model[] = {INFO(model), DAL_JSON_MEMBER_AS("hash", dal_system_info, model_hash), INFO(version), {0}};
static const dal_json_member of_family[] = {
    INFO(coordinates), INFO(velocities), DAL_JSON_MEMBER_AS("rows", dal_system_info, constraints), INFO(rank), INFO(freedoms), {0}};
static const dal_json_member of_row[] = {ROW(joint), ROW(number), ROW(angular), ROW(forbids), ROW(goes), {0}};
static const dal_json_member of_written[] = {
    WRITTEN(type), WRITTEN(equations), WRITTEN(rows), WRITTEN(removed), WRITTEN(removed_near), WRITTEN(joint), {0}};
static const dal_json_member of_loose[] = {LOOSE(motion), LOOSE(remedy), LOOSE(freedoms), {0}};
static const dal_json_member of_derived[] = {DERIVED(name), DERIVED(equation), DERIVED(line), {0}};
static const dal_json_member of_along[] = {
    ALONG(reason), ALONG(instants), ALONG(time_end), ALONG(rank_least), ALONG(rank_most), ALONG(time_least),
    ALONG(ratio_least), ALONG(ratio_most), ALONG(time_nearest), ALONG(changes), ALONG(time_change),
    ALONG(near_singular), ALONG(conflict), ALONG(time_conflict), ALONG(status), {0}};
/* Those of the verdict, between its lists. */
static const dal_json_member of_counts[] = {
    VERDICT(velocities), VERDICT(rows), VERDICT(rank), VERDICT(freedoms), VERDICT(counted), VERDICT(own_coordinates),
    LINE, VERDICT(redundant), {0}};
static const dal_json_member of_position[] = {
    VERDICT(consistent), VERDICT(position_gap), VERDICT(velocity_gap), VERDICT(acceleration_gap),
    LINE, VERDICT(singular), VERDICT(near_singular), VERDICT(isolated), VERDICT(gained), VERDICT(neighbours), VERDICT(rank_near),
    VERDICT(ratio), VERDICT(ratio_near), VERDICT(singular_joints),
    LINE, VERDICT(rank_inertia), VERDICT(rank_stacked), VERDICT(determined), {0}};
static const dal_json_member of_start[] = {
    VERDICT(shift_most), VERDICT(turn_most), VERDICT(velocity_most), VERDICT(spin_most),
    LINE, VERDICT(contradictory), VERDICT(closest), VERDICT(gap_shift), VERDICT(gap_turn), {0}};
static const dal_json_member of_scales[] = {
    VERDICT(ignorable), VERDICT(ignorable_family), VERDICT(mass_ratio), VERDICT(inertia_ratio), VERDICT(length_ratio),
    VERDICT(fastest), VERDICT(fastest_real), VERDICT(fastest_imaginary), VERDICT(step_limit), LINE, {0}};
/* clang-format on */

static void write_warning(dal_json *json, const void *of, int i)
{
    const dal_message *m = ((const dal_verdict *)of)->warnings[i];
    dal_json_string(json, "code", m->code);
    dal_json_number(json, "number", m->number);
    dal_json_integer(json, "line", m->mark.line);
    dal_json_integer(json, "column", m->mark.column);
    dal_json_string(json, "text", m->text);
}

static void write_row(dal_json *json, const void *of, int i)
{
    const dal_check_row *row = (const dal_check_row *)of + i;
    dal_json_members(json, of_row, row);
    dal_json_print(json, "share", "%.6g", row->share);
}

static void write_group(dal_json *json, const void *of, int i)
{
    const dal_check_group *group = (const dal_check_group *)of + i;
    dal_json_integer(json, "redundant", group->redundant);
    dal_json_strings(json, "joints", group->n_joints, group->joints);
    dal_json_objects(json, "rows", group->n_rows, NULL, write_row, group->rows);
}

static void write_move(dal_json *json, const void *of, int i)
{
    const dal_verdict *v = of;
    dal_json_number(json, v->own_coordinates ? "start" : "shift", v->moves[i].shift);
    dal_json_number(json, v->own_coordinates ? "rate" : "velocity", v->moves[i].velocity);
    if (!v->own_coordinates) {
        dal_json_number(json, "turn", v->moves[i].turn);
        dal_json_number(json, "spin", v->moves[i].spin);
    }
    dal_json_string(json, v->own_coordinates ? "coordinate" : "body", v->moves[i].name);
}

static void write_gap(dal_json *json, const void *of, int i)
{
    const dal_verdict *v = of;
    dal_json_number(json, v->open[i].written ? "missed" : "shift", v->open[i].shift);
    if (!v->open[i].written)
        dal_json_number(json, "turn", v->open[i].turn);
    dal_json_string(json, v->open[i].written ? "constraint" : "joint", v->open[i].joint);
}

static void write_along(dal_json *json, const dal_check_along *a)
{
    if (!a->done) {
        dal_json_null(json, "along");
        return;
    }
    dal_json_open(json, "along", '{');
    dal_json_members(json, of_along, a);
    dal_json_close(json, '}');
}

/* Values of a model that could be compiled. */
static void write_findings(dal_json *json, const dal_verdict *v)
{
    static const char line[] = "\n ";
    dal_json_open(json, "family", '{');
    dal_json_members(json, of_family, &v->info);
    dal_json_close(json, '}');
    dal_json_members(dal_json_line(json, line), of_counts, v);
    dal_json_structs(json, "own_joints", v->n_written, v->written, sizeof *v->written, of_written, "\n  ");
    dal_json_objects(dal_json_line(json, line), "groups", v->n_groups, "\n  ", write_group, v->groups);
    dal_json_strings(dal_json_line(json, line), "spare", v->n_spare, v->spare);
    dal_json_objects(json, "nearly", v->n_nearly, "\n  ", write_group, v->nearly);
    dal_json_members(dal_json_line(json, line), of_position, v);
    dal_json_strings(json, "light", v->n_light, v->light);
    dal_json_structs(json, "loose", v->n_loose, v->loose, sizeof *v->loose, of_loose, NULL);
    dal_json_structs(dal_json_line(json, line), "derived", v->n_derived, v->derived, sizeof *v->derived, of_derived, NULL);
    dal_json_string(json, "not_derived", v->not_derived);
    dal_json_strings(dal_json_line(json, line), "moved", v->n_moved, v->moved);
    dal_json_string(json, "undecided", v->undecided);
    dal_json_objects(dal_json_line(json, " \n "), "moves", v->n_moves, "\n  ", write_move, v);
    dal_json_members(dal_json_line(json, line), of_start, v);
    dal_json_objects(json, "open", v->n_open, NULL, write_gap, v);
    dal_json_members(dal_json_line(json, line), of_scales, v);
    write_along(json, &v->along);
    dal_json_line(json, line);
}

static void write_verdict(dal_json *json, const void *of)
{
    const dal_verdict *v = of;
    const dal_system_info *i = &v->info;
    json->missing = "null";
    dal_json_open(json, NULL, '{');
    dal_json_members(json, of_model, i);
    dal_json_string(json, "space", i->space == DAL_PLANAR ? "planar" : "spatial");
    dal_json_integer(json, "bodies", i->bodies);
    dal_json_integer(json, "joints", i->joints);
    dal_json_truth(json, "known", v->known);
    dal_json_line(json, " \n ");
    if (v->known)
        write_findings(json, v);
    dal_json_objects(json, "warnings", v->n_warnings, "\n  ", write_warning, v);
    dal_json_string(json, "reason", v->reason);
    dal_json_integer(json, "status", (long)v->status);
    dal_json_string(json, "verdict", v->status != DAL_OK ? "cannot be simulated" : v->n_warnings ? "warnings" : "clean");
    dal_json_close(json, '}');
}

int dal_verdict_json(const dal_verdict *verdict, char *buffer, size_t size)
{
    return verdict ? dal_json_text(buffer, size, write_verdict, verdict) : -1;
}
