/* Pictures for papers, as SVG text: plots of the channels of a file of results, and the mechanism at several instants.
 *
 * *text is allocated by the allocator (NULL: malloc) and belongs to the caller; on any error it is NULL and the messages have the reason. Pictures
 * have at most 100,000 pixels in width and height; options must not be NULL.
 */
#ifndef DALEMBERT_PICTURE_H
#define DALEMBERT_PICTURE_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_plot_options {
    int n_channels;              /* 0: all of the file, if there are at most 40 */
    const char *const *channels; /* names of columns */
    const char *x;               /* the channel along the horizontal axis; NULL: the first column, time */
    bool log;                    /* the vertical axes are logarithmic */
    double from, to;             /* time; NAN: all of it */
    int width, height;           /* pixels; 0: 720, and by the number of panels */
    const char *title;           /* NULL: none */
    int n_units;                 /* units for columns that have none in the file, by their names; may be 0 */
    const struct dal_column *units;
} dal_plot_options;

/* Channels of one unit share a panel. The file is read twice and never kept in memory: of many rows within a pixel, the extremes are drawn. */
DAL_API dal_status dal_plot_svg(const dal_allocator *allocator, const char *results, const dal_plot_options *options, dal_messages *messages,
                                char **text);

typedef struct dal_snapshot_options {
    int n_times;         /* 0: `count` of them, evenly from the first row to the last */
    const double *times; /* the nearest rows are drawn */
    int count;           /* 0: 5 */
    int width, height;   /* pixels; 0: 720, and as high as it needs to be */
    const char *title;   /* NULL: none */
} dal_snapshot_options;

/* The mechanism at several instants, from light to dark: the joint points of each body connected, its shapes where it has some. Planar models as
 * they are; spatial ones in an axonometric projection, which the picture states. At most 50 instants, which have to be finite. DAL_BAD_COMMAND: spec
 * and system do not belong together. */
DAL_API dal_status dal_snapshots_svg(const dal_allocator *allocator, const char *results, const dal_spec *spec, const dal_system *system,
                                     const dal_snapshot_options *options, dal_messages *messages, char **text);

#ifdef __cplusplus
}
#endif

#endif
