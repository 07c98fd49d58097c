/* The report page: one HTML file in which the mechanism moves, with plots of the recorded channels and the evidence beside it. It opens
 * from disk in any browser and loads nothing.
 *
 *     dal_spec_show(spec);                              before dal_compile: the additional channels of a page
 *     dal_compile(NULL, spec, messages, &system);
 *     dal_page_open("result.html", spec, system, &(dal_page_options){.command = "..."}, messages, &page);
 *     dal_page_series(page, &(dal_series_options){.system = system}, &series);
 *     dal_run(system, &(dal_run_options){.frame = dal_series_frame, .frame_user = series}, messages, &evidence);
 *     dal_page_evidence(page, &evidence, DAL_OK);
 *     dal_page_close(page, true);
 *
 * Memory is bounded, however long the run is: when there are more rows than frames, neighbours are merged. A frame then shows the first of
 * its rows, and keeps the least and the largest value of every channel over all of them, so that no peak is lost.
 *
 * viewer/FORMAT.md says what the file contains.
 *
 * Functions that return nothing do nothing if the page or the series is NULL; any other argument that cannot be used (a text that is NULL) is an
 * error of the page, and dal_page_close returns it.
 */
#ifndef DALEMBERT_PAGE_H
#define DALEMBERT_PAGE_H

#include "dalembert/results.h"
#include "dalembert/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Was the viewer built into this library? Otherwise pages are refused, with a message about how to get it. */
DAL_API bool dal_page_available(void);

/* Prepares a spec for a page: systems that are compiled from it afterwards also have the columns that every page shows: the motion of the bodies (if there are at most
 * 30), energies, residuals. Files of results do not contain these columns. */
DAL_API void dal_spec_show(dal_spec *spec);

/* Adds the same columns, for all bodies, to files of results, after the recorded ones. A page can then be made from such a file. */
DAL_API void dal_spec_record_motion(dal_spec *spec);

typedef struct dal_page dal_page;
typedef struct dal_series dal_series;

typedef struct dal_page_options {
    const dal_allocator *allocator;
    const char *kind;    /* "run" (NULL), "compare", "gallery" */
    const char *title;   /* NULL: the name of the model */
    const char *command; /* command line that repeats the run; NULL: none is shown */
    const char *viewer;  /* another viewer than the library's: the HTML text; NULL: its own */
    size_t viewer_length;
    bool live;               /* the page may listen for reloads: for its server */
    const char *file, *text; /* of the model, where there is no spec because it could not be read */
} dal_page_options;

/* The file gets its name when the page is closed. spec and system may be NULL (for a model that cannot be compiled: the page then has its text and
 * the messages). The page uses them and `messages` until it is closed. DAL_BAD_COMMAND: spec and system do not belong together. */
DAL_API dal_status dal_page_open(const char *path, const dal_spec *spec, const dal_system *system, const dal_page_options *options,
                                 dal_messages *messages, dal_page **page);

/* ---- motions ---------------------------------------------------------------- */

typedef struct dal_series_options {
    const char *name;         /* "lagrange, angle"; NULL: the name of the system's method */
    const dal_system *system; /* its columns are the channels (those of dal_spec_show included); with the same bodies and joints as the page */
    int n_columns;            /* without a system: these are the channels. The first column is the time, which is not a channel */
    const dal_column *columns;
    bool no_velocities, no_reactions; /* they are not known */
    bool error;                       /* rows have their distance from a reference */
    int most_frames; /* an even number, at least 16; all frames take at most 64 MB. 0: half a megabyte of the page, or 1000 to 20,000 */
} dal_series_options;

/* Adds a motion; it belongs to the page. DAL_BAD_COMMAND: the system has other numbers of bodies and joints than the page, a column has no name or a
 * unit that is NULL, or most_frames is negative. */
DAL_API dal_status dal_page_series(dal_page *page, const dal_series_options *options, dal_series **series);

/* For dal_run_options.frame, with the series as its user. DAL_BAD_COMMAND for a state or a row of another system. */
DAL_API dal_status dal_series_frame(void *series, dal_state *state, int n, const double *values);

typedef struct dal_series_row {
    const double *values;     /* the columns, time first */
    const double *poses;      /* 7 per body: x, y, z, w, qx, qy, qz */
    const double *velocities; /* 3 per body: of the centre of mass */
    const double *reactions;  /* 6 per joint: force and torque on the second side, world axes */
    double error;
} dal_series_row;

/* The same for callers that have the numbers. `values` is required; other members that are NULL are not known. */
DAL_API dal_status dal_series_add(dal_series *series, const dal_series_row *row);

/* A motion from a file of results, whose columns are its channels: the positions and attitudes of the bodies (crank.x, crank.y, crank.angle; in
 * space x, y, z, qw, qx, qy, qz) have to be among them. `system` is that of the page; options in the file (HDF5) override its options. The results
 * must live until the page is closed. */
DAL_API dal_status dal_page_results(dal_page *page, dal_results *results, const dal_system *system, int most_frames);

/* Comparisons: the evidence of this motion, and the reason why it stopped early or was not run (a sentence). */
DAL_API void dal_series_evidence(dal_series *series, const dal_evidence *evidence, dal_status status);
DAL_API void dal_series_failed(dal_series *series, const char *reason);
/* One more cell of its row in the table of methods; the same labels for all. */
DAL_API void dal_series_fact(dal_series *series, const char *label, const char *value);

/* ---- texts and tables beside the motions ---------------------------------------- */

/* In the words and the order of dal_evidence_text. Of comparisons: of the reference. */
DAL_API void dal_page_evidence(dal_page *page, const dal_evidence *evidence, dal_status status);
/* The verdict of dal_check. */
DAL_API void dal_page_verdict(dal_page *page, const dal_verdict *verdict);
/* Messages of the run, or of a model that could not be compiled. */
DAL_API void dal_page_messages(dal_page *page, const dal_messages *messages);
/* One more option, after those of the system. */
DAL_API void dal_page_option(dal_page *page, const char *name, const char *value);
/* One more entry of the header: `json` is written as it is, with < escaped. */
DAL_API void dal_page_entry(dal_page *page, const char *key, const char *json);

/* Galleries: one more model, with a link to its page and a sentence about it; series that follow belong to it. The page itself then has
 * neither spec nor system. */
DAL_API dal_status dal_page_item(dal_page *page, const char *title, const char *href, const char *text, const char *group, const dal_spec *spec,
                                 const dal_system *system);

/* Frees the page and its series.
 *
 *   keep true    the page gets its name; if the evidence says that the run is incomplete, a warning among its messages says so, too.
 *   keep false   a page of the rows so far, marked in the same way, stays as NAME.part, and a warning says so. Without any row no file stays. */
DAL_API dal_status dal_page_close(dal_page *page, bool keep);
/* Frees the page and its series; no file stays. */
DAL_API void dal_page_discard(dal_page *page);

#ifdef __cplusplus
}
#endif

#endif
