/* A verdict as text and as JSON. */
#include "cli/check_report.h"
#include "cli/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 13 };

/* ---- text --------------------------------------------------------------------- */

/* "title        words ..." in lines of WIDTH; those after the first are indented. */
static void say(const char *title, const char *format, ...) DAL_PRINTF(2, 3);

static void say(const char *title, const char *format, ...)
{
    char text[6000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    int column = printf("%-*s", INDENT, title);
    bool first = true;
    for (const char *at = text; *at; first = false) {
        int length = (int)strcspn(at, " ");
        if (!first && column + 1 + length > WIDTH)
            column = printf("\n%*s", INDENT, "") - 1;
        else if (!first)
            column += printf(" ");
        column += printf("%.*s", length, at);
        at += length;
        at += strspn(at, " ");
    }
    putchar('\n');
}

static const char *s_of(int n)
{
    return n == 1 ? "" : "s";
}

static void say_counts(const dal_verdict *v)
{
    const dal_system_info *i = &v->info;
    say("freedoms", "%d: %d %s, %d constraint row%s of rank %d", v->freedoms, v->velocities,
        v->own_coordinates ? "coordinates" : "velocities of the bodies", v->rows, s_of(v->rows), v->rank);
    say("", "by counting (Gruebler): %d - %d = %d%s", v->velocities, v->rows, v->counted,
        v->counted == v->freedoms ? ", which is right"
        : v->singular             ? ", which is wrong here: rows depend on one another, some of them in this position only"
                                  : ", which is wrong here: rows depend on one another");
    if (!v->own_coordinates)
        say("", "in coordinates '%s': m = %d, r = %d, k = %d, p = %d", i->coordinates, i->velocities, i->constraints, i->rank,
            i->freedoms);
}

/* Joints of types that the model describes itself; those of one kind together. */
static void say_written(const dal_verdict *v)
{
    enum { MOST = 20 };
    for (int i = 0; i < v->n_written && i < MOST; i++) {
        const dal_check_written *w = &v->written[i];
        char near[40] = "";
        if (w->removed_near > w->removed)
            snprintf(near, sizeof near, " here, %d nearby", w->removed_near);
        say(i ? "" : "own joints", "%s (%s): %d equation%s, %d row%s; alone it takes %d freedom%s%s", w->joint, w->type, w->equations,
            s_of(w->equations), w->rows, s_of(w->rows), w->removed, s_of(w->removed), near);
    }
    if (v->n_written > MOST)
        say("", "and %d more", v->n_written - MOST);
}

/* The rows of a group, or those of them that may go together; a line a joint. */
static void say_rows(const dal_check_group *group, bool going)
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
            say("", "%s", text);
    }
}

static void say_group(int number, const dal_check_group *group)
{
    char title[32];
    snprintf(title, sizeof title, "  group %d", number);
    say(title, "%d too many; any one of these rows may be left out:", group->redundant);
    say_rows(group, false);
    if (group->redundant == 1)
        return;
    say("", "these, for instance, may be left out together:");
    say_rows(group, true);
}

/* Joints of which every row may go. */
static void say_spare(const dal_verdict *v)
{
    char text[4000] = "";
    for (int i = 0, used = 0; i < v->n_spare && used < 2900; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.1000s", i ? ", " : "", v->spare[i]);
    if (v->n_spare)
        say("  whole", "for instance %s may be left out altogether", text);
}

/* Joints that stay open, each with its gap. */
static void say_gaps(const dal_verdict *v)
{
    say("consistent", "no: open by up to %.4g m and %.4g rad, %s", v->gap_shift, v->gap_turn,
        v->closest ? "and no placement near this one is better: the joints contradict each other"
                   : "where assembly ended: the start values are too far off, or what is fixed stands against it");
    for (int i = 0; i < v->n_open; i++)
        if (v->open[i].written)
            say("", "%s: missed by %.4g", v->open[i].joint, v->open[i].shift);
        else
            say("", "%s: %.4g m, %.4g rad", v->open[i].joint, v->open[i].shift, v->open[i].turn);
}

static void say_redundancy(const dal_verdict *v)
{
    if (v->redundant == 0)
        say("redundant", "none");
    else
        say("redundant", "%d of %d rows, in %d group%s%s", v->redundant, v->rows, v->n_groups, s_of(v->n_groups),
            v->contradictory              ? " (but for the gap)"
            : v->singular && !v->isolated ? " (nearby; those of the singular position are not counted)"
                                          : "");
    for (int g = 0; g < v->n_groups; g++)
        say_group(g + 1, &v->groups[g]);
    say_spare(v);
    for (int g = 0; g < v->n_nearly; g++) {
        say("  nearly", "%d all but too many:", v->nearly[g].redundant);
        say_rows(&v->nearly[g], false);
    }
    if (v->contradictory)
        say_gaps(v);
    else if (v->consistent)
        say("consistent", "yes: the rows agree to %.1e in position, %.1e in velocity, %.1e in acceleration (relative)", v->position_gap,
            v->velocity_gap, v->acceleration_gap);
    else
        say("consistent", "no: accelerations disagree by %.1e of the largest", v->acceleration_gap);
}

static void say_singular(const dal_verdict *v)
{
    if (v->contradictory)
        say("position", "none: the joints do not close; what is told is about the nearest one");
    else if (v->rows == 0)
        say("position", "regular: there are no constraints");
    else if (v->isolated)
        say("position", "isolated: %d freedom%s to first order, none in fact", v->freedoms, s_of(v->freedoms));
    else if (v->neighbours == 0 && v->freedoms == 0)
        say("position", "the only one: the joints leave no freedom; smallest singular value %.2g of the largest", v->ratio);
    else if (v->neighbours == 0)
        say("position", "smallest singular value %.2g of the largest; no neighbours were compared", v->ratio);
    else if (v->singular)
        say("position", "singular: rank %d here, %d at %d neighbours; %d freedom%s gained", v->rank, v->rank_near, v->neighbours,
            v->gained, s_of(v->gained));
    else
        say("position", "%s: rank %d here and at %d neighbours; smallest singular value %.2g of the largest, %.2g nearby",
            v->near_singular ? "near a singular one" : "regular", v->rank, v->neighbours, v->ratio, v->ratio_near);
}

static void say_inertia(const dal_verdict *v)
{
    for (int i = 0; i < v->n_light; i++)
        say(i ? "" : "no inertia", "%s", v->light[i]);
    say("unique", "%s: rank [M; A] = %d, %d needed%s", v->determined ? "yes" : "no", v->rank_stacked, v->velocities,
        v->lost_in_rounding                                ? " were it not for rounding"
        : v->determined && v->rank_inertia < v->velocities ? "; the constraints make up for what M lacks"
                                                           : "");
    for (int i = 0; i < v->n_loose; i++)
        say(i ? "" : "loose", "%s; %s", v->loose[i].motion, v->loose[i].remedy);
}

static void say_start(const dal_verdict *v)
{
    if (v->contradictory)
        return;
    if (v->n_moved == 0)
        say("start", "the values as given satisfy the constraints");
    else if (!v->own_coordinates)
        say("start", "moved onto the constraints, by at most %.3g m and %.3g rad, %.3g m/s and %.3g rad/s", v->shift_most, v->turn_most,
            v->velocity_most, v->spin_most);
    else
        say("start", "moved onto the constraints");
    for (int i = 0; i < v->n_moved; i++)
        say("", "%s", v->moved[i]);
}

/* 0 where there is only rounding. */
static double shown(double part, double size)
{
    return fabs(part) < 1e-6 * size ? 0 : part;
}

static void say_motion(const dal_verdict *v)
{
    if (*v->ignorable)
        say("ignorable", "%s, in coordinates '%s'", v->ignorable, v->ignorable_family);
    else
        say("ignorable", "none");
    if (isnan(v->fastest))
        return;
    if (v->fastest == 0)
        say("fastest", "no time scale of its own at the start");
    else
        say("fastest", "%.4g /s at the start (%.3g, %.3g i): %.3g s", v->fastest, shown(v->fastest_real, v->fastest),
            shown(v->fastest_imaginary, v->fastest), 1 / v->fastest);
    if (!isnan(v->step_limit))
        say("", "stable steps of '%s' there: up to %.3g s", v->info.integrator, v->step_limit);
}

static void say_along(const dal_verdict *v)
{
    const dal_check_along *a = &v->along;
    if (!a->done)
        return;
    say("along", "%d instant%s to t = %.6g s: rank %d to %d%s", a->instants, s_of(a->instants), a->time_end, a->rank_least, a->rank_most,
        a->changes ? ", the redundant rows change" : ", the redundant rows stay the same");
    say("", "smallest singular value %.2g to %.2g of the largest, least at t = %.6g s", a->ratio_least, a->ratio_most, a->time_nearest);
    if (a->rank_least < a->rank_most)
        say("", "the rank is least at t = %.6g s", a->time_least);
}

void dal_check_text(const dal_verdict *v)
{
    const dal_system_info *i = &v->info;
    printf("%s (%s, %d %s, %d joint%s)\n\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
           i->bodies == 1 ? "body" : "bodies", i->joints, s_of(i->joints));
    if (v->known) {
        say_counts(v);
        say_written(v);
        say_redundancy(v);
        say_singular(v);
        say_inertia(v);
        say_start(v);
    }
    if (v->known && v->status != DAL_BAD_MODEL)
        say_motion(v);
    say_along(v);
    if (v->known || v->n_warnings)
        putchar('\n');
    for (int k = 0; k < v->n_warnings; k++)
        say("warning", "%s", v->warnings[k]->text);
    if (v->n_warnings)
        putchar('\n');
    if (v->status != DAL_OK)
        say("verdict", "cannot be simulated%s%s%s", v->status == DAL_NUMERICAL ? " to its end" : "", v->reason ? ": " : "",
            v->reason ? v->reason : "");
    else if (v->n_warnings)
        say("verdict", "%d warning%s", v->n_warnings, s_of(v->n_warnings));
    else
        say("verdict", "clean");
}

/* ---- JSON ------------------------------------------------------------------------ */

static void put_strings(const char *key, int n, const char *const *texts)
{
    printf("\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", stdout);
        dal_print_json_string(stdout, texts[i]);
    }
    fputs("], ", stdout);
}

static void put_warnings(const dal_verdict *v)
{
    fputs("\"warnings\": [", stdout);
    for (int i = 0; i < v->n_warnings; i++) {
        const dal_message *m = v->warnings[i];
        fputs(i ? ",\n  {" : "\n  {", stdout);
        dal_put_string("code", m->code);
        dal_put_number("number", m->number);
        dal_put_integer("line", m->mark.line);
        dal_put_integer("column", m->mark.column);
        fputs("\"text\": ", stdout);
        dal_print_json_string(stdout, m->text);
        putchar('}');
    }
    fputs("], ", stdout);
}

static void put_groups(const char *key, int n, const dal_check_group *groups)
{
    printf("\"%s\": [", key);
    for (int g = 0; g < n; g++) {
        fputs(g ? ",\n  {" : "\n  {", stdout);
        dal_put_integer("redundant", groups[g].redundant);
        put_strings("joints", groups[g].n_joints, groups[g].joints);
        fputs("\"rows\": [", stdout);
        for (int k = 0; k < groups[g].n_rows; k++) {
            const dal_check_row *row = &groups[g].rows[k];
            fputs(k ? ", {" : "{", stdout);
            dal_put_string("joint", row->joint);
            dal_put_integer("number", row->number);
            dal_put_truth("angular", row->angular);
            dal_put_string("forbids", row->forbids);
            dal_put_truth("goes", row->goes);
            printf("\"share\": %.6g}", row->share);
        }
        fputs("]}", stdout);
    }
    fputs("],\n ", stdout);
}

/* The last member of an object. */
static void put_name(const char *key, const char *name)
{
    printf("\"%s\": ", key);
    dal_print_json_string(stdout, name);
    putchar('}');
}

static void put_written(const dal_verdict *v)
{
    fputs("\"own_joints\": [", stdout);
    for (int i = 0; i < v->n_written; i++) {
        const dal_check_written *w = &v->written[i];
        fputs(i ? ",\n  {" : "\n  {", stdout);
        dal_put_string("type", w->type);
        dal_put_integer("equations", w->equations);
        dal_put_integer("rows", w->rows);
        dal_put_integer("removed", w->removed);
        dal_put_integer("removed_near", w->removed_near);
        put_name("joint", w->joint);
    }
    fputs("],\n ", stdout);
}

static void put_start(const dal_verdict *v)
{
    put_strings("moved", v->n_moved, v->moved);
    fputs("\n \"moves\": [", stdout);
    for (int i = 0; i < v->n_moves; i++) {
        fputs(i ? ",\n  {" : "\n  {", stdout);
        dal_put_number(v->own_coordinates ? "start" : "shift", v->moves[i].shift);
        dal_put_number(v->own_coordinates ? "rate" : "velocity", v->moves[i].velocity);
        if (!v->own_coordinates) {
            dal_put_number("turn", v->moves[i].turn);
            dal_put_number("spin", v->moves[i].spin);
        }
        put_name(v->own_coordinates ? "coordinate" : "body", v->moves[i].name);
    }
    fputs("],\n ", stdout);
    dal_put_number("shift_most", v->shift_most);
    dal_put_number("turn_most", v->turn_most);
    dal_put_number("velocity_most", v->velocity_most);
    dal_put_number("spin_most", v->spin_most);
    fputs("\n ", stdout);
    dal_put_truth("contradictory", v->contradictory);
    dal_put_truth("closest", v->closest);
    dal_put_number("gap_shift", v->gap_shift);
    dal_put_number("gap_turn", v->gap_turn);
    fputs("\"open\": [", stdout);
    for (int i = 0; i < v->n_open; i++) {
        fputs(i ? ", {" : "{", stdout);
        dal_put_number(v->open[i].written ? "missed" : "shift", v->open[i].shift);
        if (!v->open[i].written)
            dal_put_number("turn", v->open[i].turn);
        put_name(v->open[i].written ? "constraint" : "joint", v->open[i].joint);
    }
    fputs("],\n ", stdout);
}

static void put_loose(const dal_verdict *v)
{
    fputs("\"loose\": [", stdout);
    for (int i = 0; i < v->n_loose; i++) {
        fputs(i ? ", {" : "{", stdout);
        dal_put_string("motion", v->loose[i].motion);
        dal_put_string("remedy", v->loose[i].remedy);
        printf("\"freedoms\": %d}", v->loose[i].freedoms);
    }
    fputs("],\n ", stdout);
}

static void put_along(const dal_check_along *a)
{
    fputs("\"along\": ", stdout);
    if (!a->done) {
        fputs("null,\n ", stdout);
        return;
    }
    putchar('{');
    dal_put_string("reason", a->reason);
    dal_put_integer("instants", a->instants);
    dal_put_number("time_end", a->time_end);
    dal_put_integer("rank_least", a->rank_least);
    dal_put_integer("rank_most", a->rank_most);
    dal_put_number("time_least", a->time_least);
    dal_put_number("ratio_least", a->ratio_least);
    dal_put_number("ratio_most", a->ratio_most);
    dal_put_number("time_nearest", a->time_nearest);
    dal_put_integer("changes", a->changes);
    dal_put_number("time_change", a->time_change);
    dal_put_truth("near_singular", a->near_singular);
    dal_put_number("conflict", a->conflict);
    dal_put_number("time_conflict", a->time_conflict);
    printf("\"status\": %d},\n ", (int)a->status);
}

static void put_ranks(const dal_verdict *v)
{
    dal_put_integer("velocities", v->velocities);
    dal_put_integer("rows", v->rows);
    dal_put_integer("rank", v->rank);
    dal_put_integer("freedoms", v->freedoms);
    dal_put_integer("counted", v->counted);
    dal_put_truth("own_coordinates", v->own_coordinates);
    fputs("\n ", stdout);
    dal_put_integer("redundant", v->redundant);
    put_written(v);
    put_groups("groups", v->n_groups, v->groups);
    put_strings("spare", v->n_spare, v->spare);
    put_groups("nearly", v->n_nearly, v->nearly);
    dal_put_truth("consistent", v->consistent);
    dal_put_number("position_gap", v->position_gap);
    dal_put_number("velocity_gap", v->velocity_gap);
    dal_put_number("acceleration_gap", v->acceleration_gap);
    fputs("\n ", stdout);
    dal_put_truth("singular", v->singular);
    dal_put_truth("near_singular", v->near_singular);
    dal_put_truth("isolated", v->isolated);
    dal_put_integer("gained", v->gained);
    dal_put_integer("neighbours", v->neighbours);
    dal_put_integer("rank_near", v->rank_near);
    dal_put_number("ratio", v->ratio);
    dal_put_number("ratio_near", v->ratio_near);
    dal_put_string("singular_joints", v->singular_joints);
    fputs("\n ", stdout);
    dal_put_integer("rank_inertia", v->rank_inertia);
    dal_put_integer("rank_stacked", v->rank_stacked);
    dal_put_truth("determined", v->determined);
    put_strings("light", v->n_light, v->light);
    put_loose(v);
    put_start(v);
}

void dal_check_json(const dal_verdict *v)
{
    const dal_system_info *i = &v->info;
    putchar('{');
    dal_put_string("model", i->model);
    dal_put_string("hash", i->model_hash);
    dal_put_string("version", i->version);
    dal_put_string("space", i->space == DAL_PLANAR ? "planar" : "spatial");
    dal_put_integer("bodies", i->bodies);
    dal_put_integer("joints", i->joints);
    dal_put_truth("known", v->known);
    fputs("\n ", stdout);
    if (v->known) {
        fputs("\"family\": {", stdout);
        dal_put_string("coordinates", i->coordinates);
        dal_put_integer("velocities", i->velocities);
        dal_put_integer("rows", i->constraints);
        dal_put_integer("rank", i->rank);
        printf("\"freedoms\": %d},\n ", i->freedoms);
        put_ranks(v);
        dal_put_string("ignorable", v->ignorable);
        dal_put_string("ignorable_family", v->ignorable_family);
        dal_put_number("mass_ratio", v->mass_ratio);
        dal_put_number("inertia_ratio", v->inertia_ratio);
        dal_put_number("length_ratio", v->length_ratio);
        dal_put_number("fastest", v->fastest);
        dal_put_number("fastest_real", v->fastest_real);
        dal_put_number("fastest_imaginary", v->fastest_imaginary);
        dal_put_number("step_limit", v->step_limit);
        fputs("\n ", stdout);
        put_along(&v->along);
    }
    put_warnings(v);
    dal_put_string("reason", v->reason);
    printf("\"status\": %d, \"verdict\": \"%s\"}\n", (int)v->status,
           v->status != DAL_OK ? "cannot be simulated"
           : v->n_warnings     ? "warnings"
                               : "clean");
}
