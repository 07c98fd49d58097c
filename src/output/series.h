/* A motion for a page: at most a given number of frames, for any number of rows. When all frames are used, neighbours are merged in pairs, and
 * each frame covers twice as many rows: it shows the first of them, with the least and the largest value of every channel over all of them. */
#ifndef DAL_OUTPUT_SERIES_H
#define DAL_OUTPUT_SERIES_H

#include "dalembert/page.h"
#include "compile/scene.h"

/* One array of numbers that grows with the frames. */
typedef struct dal_track {
    int columns; /* 0: there is none */
    double *value;
} dal_track;

enum { DAL_TRACK_VALUES, DAL_TRACK_POSES, DAL_TRACK_VELOCITIES, DAL_TRACK_REACTIONS, DAL_TRACK_ERROR, DAL_TRACK_LEAST, DAL_TRACK_MOST, DAL_TRACKS };

struct dal_series {
    dal_allocator allocator;
    char *name;
    int n_columns, n_bodies, n_joints;
    int n_asked;               /* number of columns after the time that `record:` lists, which come first; 0: it lists none */
    const dal_column *columns; /* time first */
    int most_frames;
    int n, room;       /* frames; room for them */
    long rows, stride; /* rows recorded; rows of a frame */
    long in_last;      /* rows in the last frame so far */
    dal_track track[DAL_TRACKS];
    double *last[DAL_TRACKS]; /* the last row received: the end of the motion is shown */
    double *scratch;          /* of one row: poses, velocities, reactions */
    double far;               /* the largest coordinate of a body */
    const dal_scene_body *bodies;
    struct dal_page_fact *facts; /* its evidence */
    const char *failed;
    dal_page *page;
    dal_series *next;
};

/* scene: the bodies and joints of the page. NULL: there is no memory. */
dal_series *dal_series_create(const dal_allocator *allocator, const dal_scene *scene, const dal_series_options *options);
/* Accepts NULL. */
void dal_series_free(dal_series *series);
/* The last row becomes a frame, if it is not one. */
dal_status dal_series_finish(dal_series *series);
/* Rows were merged: LEAST and MOST are meaningful. */
bool dal_series_merged(const dal_series *series);

#endif
