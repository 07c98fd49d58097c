/* A page from a file of results: the motion is read from its columns. */
#include "output/page.h"
#include "output/poses.h"

#include "base/argument.h"

#include <math.h>
#include <string.h>

/* If the file has no units, those of the model's columns of the same name are used. */
static void complete_units(dal_results *results, const dal_system *system)
{
    int recorded, all;
    const dal_column *known = dal_system_columns(system, &recorded, &all);
    for (int k = 0; k < all; k++) {
        const int i = dal_results_column(results, known[k].name);
        if (i >= 0 && !*results->columns[i].unit)
            results->columns[i].unit = known[k].unit;
    }
}

static void compare_hashes(const dal_page *page, const dal_results *results)
{
    if (*results->hash && page->hash && strcmp(results->hash, page->hash))
        dal_warn(page->destination.messages, (dal_mark){results->path, 0, 0}, DAL_CODE_OTHER_MODEL, NAN,
                 "was made from another version of the model (its hash is %s, that of '%s' is %s): what is drawn may "
                 "not be what moved",
                 results->hash, page->file, page->hash);
}

typedef struct job {
    dal_page *page;
    dal_results *results;
    int most_frames;
    dal_poses poses;
} job;

static dal_status begin_series(void *user)
{
    job *j = user;
    return dal_poses_find(j->results, j->page->own.scene, &j->poses);
}

/* The run had its own choices, which may differ from those of the model, and its evidence; a plain table of numbers has neither. */
static void copy_options(dal_page *page, const dal_results *results)
{
    page->options = NULL;
    for (int i = 0; i < results->n_options; i++)
        dal_page_option(page, results->options[i].name, results->options[i].value);
    if (results->report)
        dal_page_report(page, results->report);
}

dal_status dal_page_results(dal_page *page, dal_results *results, const dal_system *system, int most_frames)
{
    job j = {page, results, most_frames, {0}};
    dal_series *series;
    const double *row;
    if (!page || !DAL_NEEDS(page->destination.messages, results) || !DAL_NEEDS(page->destination.messages, system))
        return DAL_BAD_COMMAND;
    if (!page->own.scene) {
        dal_error(page->destination.messages, dal_nowhere, "dal_page_results: the page was opened without spec and system, and has no bodies");
        return DAL_BAD_COMMAND;
    }
    dal_status status = dal_arena_try(&results->arena, begin_series, &j);
    if (status != DAL_OK)
        return status;
    complete_units(results, system);
    compare_hashes(page, results);
    copy_options(page, results);
    status = dal_page_series(page,
                             &(dal_series_options){.name = results->path,
                                                   .n_columns = results->n_columns,
                                                   .columns = results->columns,
                                                   .no_velocities = !j.poses.has_motion,
                                                   .no_reactions = !j.poses.has_reactions,
                                                   .most_frames = most_frames},
                             &series);
    while (status == DAL_OK && (status = dal_results_next(results, &row)) == DAL_OK && row) {
        dal_series_row one = {.values = row};
        dal_poses_read(&j.poses, row, &one.poses, &one.velocities, &one.reactions);
        status = dal_results_time(results, row);
        if (status == DAL_OK)
            status = dal_series_add(series, &one);
    }
    if (status == DAL_OK && !series->rows) {
        dal_error(page->destination.messages, (dal_mark){results->path, 0, 0}, "has no rows: there is nothing to show");
        return DAL_BAD_FILE;
    }
    return status;
}
