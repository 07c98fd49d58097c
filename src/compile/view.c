/* `view:`: the first view of a page. Names become numbers of bodies and points. */
#include "compile/scene.h"

#include <math.h>
#include <string.h>

static bool refuse_view(dal_build *build, dal_mark mark, const char *format, const char *name, const char *hint)
{
    dal_error(build->messages, mark, format, name, hint);
    return false;
}

/* ---- bodies and points ------------------------------------------------------------------------- */

/* The body that a path begins with; *rest behind it. -2 after a message. */
static int find_body(dal_build *build, dal_text name, const char **rest)
{
    const dal_symbol *symbol = dal_symbol_prefix(build, name.text, rest);
    if (symbol && symbol->kind == DAL_SYMBOL_BODY)
        return symbol->index;
    refuse_view(build, name.mark, "'view' names '%.100s', which is not a body of the model%s", name.text,
                dal_symbol_hint(build, 1u << DAL_SYMBOL_BODY, name.text));
    return -2;
}

static bool find_bodies(dal_build *build, const dal_list *list, bool ground, int *n, int **out)
{
    bool ok = true;
    *out = DAL_NEW(build->arena, int, list->n);
    for (int i = 0; i < list->n; i++) {
        const char *rest = "";
        const bool whole = ground && !strcmp(list->item[i].text, "ground");
        const int body = whole ? DAL_GROUND : find_body(build, list->item[i], &rest);
        if (body != -2 && *rest)
            refuse_view(build, list->item[i].mark, "'%.100s' is more than a body: write the name of the body alone%s", list->item[i].text, "");
        if (body == -2 || *rest)
            ok = false;
        else
            (*out)[(*n)++] = body;
    }
    return ok;
}

static bool find_trace(dal_build *build, dal_text name, struct dal_view_trace *trace)
{
    const char *rest;
    const int body = find_body(build, name, &rest);
    if (body == -2)
        return false;
    const dal_points *points = &build->spec->bodies[body].points;
    *trace = (struct dal_view_trace){body, -1};
    for (int i = 0; *rest && i < points->n; i++)
        if (!strcmp(points->item[i].name.text, rest + 1))
            trace->point = i;
    if (*rest && trace->point < 0)
        return refuse_view(build, name.mark, "'view' traces '%.100s', but body '%s' has no such point", name.text,
                           build->spec->bodies[body].name.text);
    return true;
}

static bool find_traces(dal_build *build, const dal_list *list, dal_view *view)
{
    bool ok = true;
    view->traces = DAL_NEW(build->arena, struct dal_view_trace, list->n);
    for (int i = 0; i < list->n; i++)
        if (find_trace(build, list->item[i], &view->traces[view->n_traces]))
            view->n_traces++;
        else
            ok = false;
    return ok;
}

static bool find_colors(dal_build *build, const dal_law_spec *colors, dal_view *view)
{
    bool ok = true;
    view->color = (char(*)[8])dal_arena_alloc(build->arena, 8 * (size_t)(build->spec->n_bodies + 1));
    memset(view->color, 0, 8 * (size_t)(build->spec->n_bodies + 1));
    for (int i = 0; i < colors->n; i++) {
        const char *rest;
        const int body = find_body(build, colors->item[i].name, &rest);
        ok &= body != -2 && dal_build_color(build, colors->item[i].value, view->color[body]);
    }
    return ok;
}

/* ---- the camera -------------------------------------------------------------------------------- */

static bool read_camera(dal_build *build, const dal_view_spec *spec, dal_view *view)
{
    bool ok = true;
    if (spec->camera.n && spec->camera.n != 3) {
        dal_error(build->messages, spec->camera.mark,
                  "'camera' of 'view' needs three numbers, the direction from the mechanism to the eye; %d were found", spec->camera.n);
        return false;
    }
    if (spec->camera.n) {
        ok = dal_build_vector(build, NULL, &spec->camera, view->camera);
        const double *c = view->camera, length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        if (ok && !(length > 0 && length < INFINITY)) {
            dal_error(build->messages, spec->camera.mark, "'camera' of 'view' is not a direction: its length is %g", length);
            ok = false;
        }
    }
    if (spec->zoom.text) {
        const bool known = dal_build_number(build, NULL, spec->zoom, &view->zoom);
        ok &= known;
        if (known && !(view->zoom >= 0.01 && view->zoom <= 100)) {
            dal_error(build->messages, spec->zoom.mark, "'zoom' of 'view' is %g; it has to lie between 0.01 and 100", view->zoom);
            ok = false;
        }
    }
    const char *rest = "";
    if (spec->focus.text)
        view->focus = find_body(build, spec->focus, &rest);
    return ok && view->focus != -2;
}

bool dal_build_view(dal_build *build, dal_view *view)
{
    const dal_view_spec *spec = &build->spec->view;
    *view = (dal_view){.zoom = NAN, .focus = DAL_GROUND, .n_plots = spec->plots.n, .plots = spec->plots.row};
    view->given = spec->traces.n || spec->hidden.n || spec->transparent.n || spec->colors.n || spec->plots.n || spec->camera.n || spec->zoom.text ||
                  spec->focus.text;
    bool ok = find_traces(build, &spec->traces, view);
    ok = find_bodies(build, &spec->hidden, true, &view->n_hidden, &view->hidden) && ok;
    ok = find_bodies(build, &spec->transparent, false, &view->n_transparent, &view->transparent) && ok;
    ok = find_colors(build, &spec->colors, view) && ok;
    return read_camera(build, spec, view) && ok;
}

/* ---- plots ------------------------------------------------------------------------------------- */

/* A column, or the first component of a vector. */
static const dal_column *find_column(const dal_build *build, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 1; i < build->n_columns && i < build->n_recorded; i++) {
        const char *own = build->columns[i].name;
        if (!strncmp(own, name, n) && (!own[n] || !strcmp(own + n, ".x")))
            return &build->columns[i];
    }
    return NULL;
}

static void check_plot(dal_build *build, const dal_list *plot)
{
    const dal_column *first = NULL;
    for (int i = 0; i < plot->n; i++) {
        const dal_text *name = &plot->item[i];
        const dal_column *column = find_column(build, name->text);
        if (!column)
            dal_error(build->messages, name->mark, "'%.100s' is plotted in 'view' and not recorded: write it in 'record', too", name->text);
        else if (first && (!*first->unit || !*column->unit))
            dal_error(build->messages, name->mark,
                      "the unit of '%.100s' is not known: give it in 'record', as in {value: ..., unit: N}, or plot it alone",
                      *column->unit ? plot->item[0].text : name->text);
        else if (first && strcmp(first->unit, column->unit))
            dal_error(build->messages, name->mark, "'%.100s' is in %s, and the plot has curves in %s: one plot has one unit", name->text,
                      column->unit, first->unit);
        first = first ? first : column;
    }
}

void dal_check_view(dal_build *build)
{
    const dal_view_spec *spec = &build->spec->view;
    dal_view view;
    if (!dal_build_view(build, &view))
        return;
    for (int i = 0; i < spec->plots.n; i++)
        check_plot(build, &spec->plots.row[i]);
}
