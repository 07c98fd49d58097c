#include "cli/modes_page.h"

#include "base/json.h"
#include "cli/cli.h"
#include "cli/pages.h"
#include "dalembert/page.h"

#include <stdlib.h>

static const double seconds = 8; /* length of the motion, which the page repeats */

/* The entry `modes` of the header: viewer/FORMAT.md. */
static void write_entry(dal_json *json, const void *of)
{
    const dal_modes *m = of;
    dal_json_open(json, NULL, '{');
    dal_json_number(json, "length", m->linearization->info.length);
    dal_json_open(json, "list", '[');
    for (int i = 0; i < m->n_modes; i++) {
        const dal_mode *mode = &m->modes[i];
        dal_json_open(json, NULL, '{');
        dal_json_number(json, "frequency", mode->frequency);
        dal_json_number(json, "damping", mode->damping);
        dal_json_number(json, "rate", mode->re);
        dal_json_open(json, "parts", '[');
        for (int k = 0; k < mode->n_shares && k < 3; k++) {
            dal_json_open(json, NULL, '[');
            dal_json_number(json, NULL, mode->shares[k].share);
            dal_json_string(json, NULL, mode->shares[k].part);
            dal_json_close(json, ']');
        }
        dal_json_close(json, ']');
        dal_json_numbers(json, "re", 6 * m->n_bodies, mode->bodies_re);
        dal_json_numbers(json, "im", 6 * m->n_bodies, mode->bodies_im);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

static dal_status add_entry(dal_page *page, const dal_modes *modes)
{
    const int length = dal_json_text(NULL, 0, write_entry, modes);
    char *text = malloc((size_t)length + 1);
    if (!text)
        return DAL_NO_MEMORY;
    dal_json_text(text, (size_t)length + 1, write_entry, modes);
    dal_page_entry(page, "modes", text);
    free(text);
    return DAL_OK;
}

/* The mechanism at rest at the point of the modes, for some seconds: the page adds the motion. */
static dal_status add_series(dal_page *page, const dal_modes *modes)
{
    static const dal_column time = {.name = "time", .unit = "s"};
    dal_series *series;
    dal_status status = dal_page_series(
        page, &(dal_series_options){.name = "modes", .n_columns = 1, .columns = &time, .no_velocities = true, .no_reactions = true}, &series);
    for (int i = 0; i < 2 && status == DAL_OK; i++) {
        const double t = i * seconds;
        status = dal_series_add(series, &(dal_series_row){.values = &t, .poses = modes->poses});
    }
    return status;
}

dal_status dal_modes_page(const char *path, const dal_spec *spec, const dal_modes *modes, const char *title, dal_messages *messages)
{
    dal_system *system = NULL;
    dal_page *page = NULL;
    if (!dal_pages_possible("modes", path))
        return DAL_BAD_COMMAND;
    dal_status status = dal_compile(NULL, spec, NULL, &system);
    dal_announce_output(path);
    if (status == DAL_OK)
        status = dal_page_open(path, spec, system, &(dal_page_options){.title = title}, messages, &page);
    if (status == DAL_OK)
        status = add_entry(page, modes);
    if (status == DAL_OK)
        status = add_series(page, modes);
    if (status == DAL_OK)
        status = dal_page_close(page, true);
    else
        dal_page_discard(page);
    dal_system_free(system);
    return status;
}
