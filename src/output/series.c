#include "output/series.h"

#include "model/system_parts.h"

#include "math/rotation.h"
#include "output/replacement.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    USUAL_BYTES = 512 << 10,  /* bytes of numbers in a page: as much as the page of a small model has */
    LARGEST_BYTES = 64 << 20, /* the limit in memory */
    LEAST_FRAMES = 1000,
    MOST_FRAMES = 20000
};

/* ---- memory ----------------------------------------------------------------------- */

/* Of one frame in the page: poses, velocities and reactions in single precision, the rest in double. */
static size_t page_bytes(const dal_series *s)
{
    size_t bytes = 0;
    for (int i = 0; i < DAL_TRACKS; i++)
        bytes += (size_t)s->track[i].columns * (i == DAL_TRACK_POSES || i == DAL_TRACK_VELOCITIES || i == DAL_TRACK_REACTIONS ? 4 : 8);
    return bytes;
}

static size_t memory_bytes(const dal_series *s)
{
    size_t columns = 0;
    for (int i = 0; i < DAL_TRACKS; i++)
        columns += (size_t)s->track[i].columns;
    return columns * sizeof(double);
}

/* An even number: frames are merged two by two. */
static int choose_most(const dal_series *s, int wanted)
{
    size_t most = (size_t)wanted, fit = LARGEST_BYTES / (memory_bytes(s) + 1);
    if (wanted <= 0) {
        most = USUAL_BYTES / (page_bytes(s) + 1);
        most = most < LEAST_FRAMES ? LEAST_FRAMES : most > MOST_FRAMES ? MOST_FRAMES : most;
    }
    most = most < fit ? most : fit;
    return most < 16 ? 16 : (int)(most & ~(size_t)1);
}

static bool enlarge(dal_series *s, int room)
{
    for (int i = 0; i < DAL_TRACKS; i++) {
        const size_t row = sizeof(double) * (size_t)s->track[i].columns;
        if (!row)
            continue;
        double *bigger = s->allocator.allocate(s->allocator.user, row * (size_t)room);
        if (!bigger)
            return false;
        if (s->n)
            memcpy(bigger, s->track[i].value, row * (size_t)s->n);
        s->allocator.release(s->allocator.user, s->track[i].value);
        s->track[i].value = bigger;
    }
    s->room = room;
    return true;
}

static bool allocate_rows(dal_series *s)
{
    const size_t most = (size_t)(13 * s->n_bodies + 6 * s->n_joints + 1);
    s->scratch = s->allocator.allocate(s->allocator.user, sizeof *s->scratch * most);
    for (int i = 0; i < DAL_TRACKS; i++)
        if (s->track[i].columns && !(s->last[i] = s->allocator.allocate(s->allocator.user, sizeof(double) * (size_t)s->track[i].columns)))
            return false;
    return s->scratch;
}

static char *name_of(const dal_allocator *allocator, const dal_series_options *options)
{
    char method[300] = "";
    if (!options->name && options->system) {
        const dal_system_info info = dal_system_describe(options->system);
        snprintf(method, sizeof method, "%.140s, %.140s", info.formulation, info.coordinates);
    }
    return dal_copy_text(allocator, options->name ? options->name : method, 0);
}

dal_series *dal_series_create(const dal_allocator *allocator, const dal_scene *scene, const dal_series_options *options)
{
    int recorded = 0;
    dal_series *s = allocator->allocate(allocator->user, sizeof *s);
    if (!s)
        return NULL;
    *s = (dal_series){.allocator = *allocator, .n_columns = options->n_columns, .columns = options->columns, .stride = 1};
    s->n_bodies = scene ? scene->n_bodies : 0;
    s->n_joints = scene ? scene->n_joints : 0;
    s->bodies = scene ? scene->bodies : NULL;
    if (options->system)
        s->columns = dal_system_columns(options->system, &recorded, &s->n_columns);
    const dal_spec *spec = options->system ? dal_system_spec(options->system) : NULL;
    if (spec && spec->record_given && !spec->motion && recorded > 1)
        s->n_asked = recorded - 1;
    s->track[DAL_TRACK_VALUES].columns = s->track[DAL_TRACK_LEAST].columns = s->track[DAL_TRACK_MOST].columns = s->n_columns;
    s->track[DAL_TRACK_POSES].columns = 7 * s->n_bodies;
    s->track[DAL_TRACK_VELOCITIES].columns = options->no_velocities ? 0 : 3 * s->n_bodies;
    s->track[DAL_TRACK_REACTIONS].columns = options->no_reactions ? 0 : 6 * s->n_joints;
    s->track[DAL_TRACK_ERROR].columns = options->error;
    s->most_frames = choose_most(s, options->most_frames);
    s->name = name_of(allocator, options);
    if (s->name && allocate_rows(s))
        return s;
    dal_series_free(s);
    return NULL;
}

void dal_series_free(dal_series *s)
{
    if (!s)
        return;
    const dal_allocator allocator = s->allocator;
    for (int i = 0; i < DAL_TRACKS; i++) {
        allocator.release(allocator.user, s->track[i].value);
        allocator.release(allocator.user, s->last[i]);
    }
    allocator.release(allocator.user, s->scratch);
    allocator.release(allocator.user, s->name);
    allocator.release(allocator.user, s);
}

/* ---- rows to frames ------------------------------------------------------------------ */

static void copy_frame(dal_series *s, int to, int from)
{
    for (int i = 0; i < DAL_TRACKS; i++) {
        const size_t columns = (size_t)s->track[i].columns;
        if (columns)
            memcpy(s->track[i].value + columns * (size_t)to, s->track[i].value + columns * (size_t)from, sizeof(double) * columns);
    }
}

/* A value that is NaN does not hide the others. */
static void widen_extremes(dal_series *s, int frame, const double *least, const double *most)
{
    const int n = s->n_columns;
    double *low = s->track[DAL_TRACK_LEAST].value + (size_t)n * (size_t)frame, *high = s->track[DAL_TRACK_MOST].value + (size_t)n * (size_t)frame;
    for (int k = 0; k < n; k++) {
        low[k] = fmin(low[k], least[k]);
        high[k] = fmax(high[k], most[k]);
    }
}

/* Merges frames 2k and 2k + 1 into k. */
static void merge(dal_series *s)
{
    const size_t n = (size_t)s->n_columns;
    for (int k = 0; k < s->n / 2; k++) {
        copy_frame(s, k, 2 * k);
        widen_extremes(s, k, s->track[DAL_TRACK_LEAST].value + n * (size_t)(2 * k + 1), s->track[DAL_TRACK_MOST].value + n * (size_t)(2 * k + 1));
    }
    s->n /= 2;
    s->stride *= 2;
    s->in_last = s->stride;
}

static dal_status new_frame(dal_series *s)
{
    if (s->n == s->most_frames)
        merge(s);
    if (s->n == s->room && !enlarge(s, s->room ? (2 * s->room <= s->most_frames ? 2 * s->room : s->most_frames + 1) : 64))
        return DAL_NO_MEMORY;
    for (int i = 0; i < DAL_TRACKS; i++)
        if (s->track[i].columns)
            memcpy(s->track[i].value + (size_t)s->track[i].columns * (size_t)s->n, s->last[i], sizeof(double) * (size_t)s->track[i].columns);
    s->n++;
    s->in_last = 1;
    return DAL_OK;
}

static void copy_or_clear(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from ? from[i] : NAN;
}

dal_status dal_series_add(dal_series *s, const dal_series_row *row)
{
    if (!s || !row || (s->n_columns && !row->values))
        return DAL_BAD_COMMAND;
    const double *const from[DAL_TRACKS] = {row->values, row->poses, row->velocities, row->reactions, &row->error, row->values, row->values};
    for (int i = 0; i < DAL_TRACKS; i++)
        copy_or_clear(s->last[i], from[i], s->track[i].columns);
    for (int b = 0; b < s->n_bodies; b++)
        for (int k = 0; k < 3; k++)
            s->far = fmax(s->far, fabs(s->last[DAL_TRACK_POSES][7 * b + k]));
    s->rows++;
    if (s->n == 0 || s->in_last == s->stride)
        return new_frame(s);
    widen_extremes(s, s->n - 1, row->values, row->values);
    s->in_last++;
    return DAL_OK;
}

dal_status dal_series_finish(dal_series *s)
{
    if (s->n == 0 || s->in_last == 1)
        return DAL_OK;
    if (s->n == s->room && !enlarge(s, s->room + 1))
        return DAL_NO_MEMORY;
    const int most = s->most_frames;
    s->most_frames = s->n + 1; /* one more frame: the end of the motion */
    dal_status status = new_frame(s);
    s->most_frames = most;
    return status;
}

bool dal_series_merged(const dal_series *s)
{
    return s->stride > 1;
}

/* ---- from a state ---------------------------------------------------------------------- */

/* v_c = v + omega x R c */
static void center_velocity(const dal_motion *m, const double c[3], double v[3])
{
    double r[3];
    for (int i = 0; i < 3; i++)
        r[i] = m->rotation[3 * i] * c[0] + m->rotation[3 * i + 1] * c[1] + m->rotation[3 * i + 2] * c[2];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = m->velocity[i] + m->omega[j] * r[k] - m->omega[k] * r[j];
    }
}

/* p and -p are the same attitude: the one nearer to the row before is used. */
static void keep_sign(const dal_series *s, double p[4], int column)
{
    const double *before = s->last[DAL_TRACK_POSES] + column;
    double dot = 0;
    for (int k = 0; k < 4; k++)
        dot += p[k] * before[k];
    for (int k = 0; k < 4 && s->rows && dot < 0; k++)
        p[k] = -p[k];
}

dal_status dal_series_frame(void *user, dal_state *state, int n, const double *values)
{
    dal_series *s = user;
    if (!s || !dal_needs_state(NULL, __func__, state) || n < s->n_columns || !values)
        return DAL_BAD_COMMAND;
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    if ((s->bodies && m->n_bodies != s->n_bodies) || m->n_joints < s->n_joints)
        return DAL_BAD_COMMAND;
    double *poses = s->scratch, *velocities = poses + 7 * s->n_bodies, *reactions = velocities + 3 * s->n_bodies;
    for (int b = 0; b < s->n_bodies; b++) {
        const dal_motion motion = dal_state_body(state, b);
        memcpy(poses + 7 * b, motion.position, sizeof motion.position);
        dal_quaternion_of(motion.rotation, poses + 7 * b + 3);
        keep_sign(s, poses + 7 * b + 3, 7 * b + 3);
        center_velocity(&motion, s->bodies[b].center, velocities + 3 * b);
    }
    for (int j = 0; j < s->n_joints && s->track[DAL_TRACK_REACTIONS].columns; j++)
        dal_state_reaction(state, j, reactions + 6 * j, reactions + 6 * j + 3);
    return dal_series_add(s, &(dal_series_row){.values = values, .poses = poses, .velocities = velocities, .reactions = reactions, .error = NAN});
}
