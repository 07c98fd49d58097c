/* The positions of the bodies, from the columns of a file of results. */
#ifndef DAL_OUTPUT_POSES_H
#define DAL_OUTPUT_POSES_H

#include "output/results.h"
#include "compile/scene.h"

typedef struct dal_poses {
    const dal_scene *scene;
    int *place;    /* 7 a body: columns of x, y, z, then angle (planar) or qw, qx, qy, qz; -1: not needed */
    int *motion;   /* 6 a body: velocity of the origin, angular velocity */
    int *reaction; /* 6 a joint; -1: it was not recorded */
    bool has_motion, has_reactions;
    double *values; /* of one row: 7 and 3 a body, 6 a joint */
} dal_poses;

/* Memory comes from the arena of the results. DAL_BAD_FILE with a sentence that says which channels must be recorded. */
dal_status dal_poses_find(dal_results *results, const dal_scene *scene, dal_poses *poses);

/* For one row: 7 numbers a body (x, y, z, w, qx, qy, qz), 3 a body (velocity of the centre of mass), 6 a joint. */
void dal_poses_read(dal_poses *poses, const double *row, const double **places, const double **velocities, const double **reactions);

#endif
