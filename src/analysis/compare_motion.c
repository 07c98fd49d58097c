/* The motion of one run beside the reference, instant by instant (compare.c).
 *
 *     position   |r - r_0|            velocity   |r' - r_0'|            omega   |w - w_0|
 *     attitude   theta = 2 asin(|R - R_0| / sqrt 8)                     from |R - R_0|^2 = 8 sin^2(theta/2)
 *     own        |q - q_0| / size,   |q' - q_0'| / size                 coordinates of a model with sub-systems
 *
 * of which the maximum over the instants is kept for each body. The difference of one instant is the largest of |r - r_0| / length, theta and
 * |q - q_0| / size. The reference has nothing beside it, and is stored.
 */
#include "analysis/compare_parts.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

/* Columns of a body: r, v, then (no particle) the axes and omega. */
static int columns_of(const dal_comparer *c, int body)
{
    int d = (int)c->base.space;
    return 2 * d + (c->particle[body] ? 0 : d * d + (d == 2 ? 1 : 3));
}

void dal_compare_name_columns(dal_comparer *c)
{
    static const char *const channels[] = {"position", "velocity", "ex", "ey", "ez", "omega"};
    enum { CHANNELS = sizeof channels / sizeof *channels };
    const dal_spec *spec = &c->base;
    c->record = DAL_NEW(&c->arena, dal_record_spec, CHANNELS * spec->n_bodies + 2 * c->comparison->n_own);
    c->poses = c->options->motion ? DAL_NEW(&c->arena, double, (size_t)c->most_instants * 7 * (size_t)spec->n_bodies) : NULL;
    c->n_columns = 1; /* time */
    for (int b = 0; b < spec->n_bodies; b++) {
        for (int k = 0; k < (c->particle[b] ? 2 : CHANNELS); k++)
            if (spec->space == DAL_SPATIAL || k != 4)
                c->record[c->n_record++].value = (dal_text){.text = dal_arena_print(&c->arena, "%s.%s", spec->bodies[b].name.text, channels[k])};
        c->n_columns += columns_of(c, b);
    }
    for (int k = 0; k < c->comparison->n_own; k++, c->n_columns += 2)
        for (int order = 0; order < 2; order++)
            c->record[c->n_record++].value = (dal_text){.text = dal_arena_print(&c->arena, order ? "%s'" : "%s", c->comparison->own[k])};
}

static double distance_between(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The maximum; NaN if one of the values is NaN. */
void dal_compare_keep_most(double *most, double value)
{
    if (!(value <= *most) && !isnan(*most))
        *most = value;
}

/* Of two attitudes, from their axes: |R - R0| = sqrt(8) sin(angle / 2). */
static double angle_between(int d, const double *axes, const double *axes0)
{
    return 2 * asin(fmin(1, distance_between(d * d, axes, axes0) / sqrt(8)));
}

static void compare_instant(dal_comparer *c, const double *now, const double *then)
{
    int d = (int)c->base.space, at = 1;
    for (int b = 0; b < c->base.n_bodies; at += columns_of(c, b), b++) {
        dal_difference *most = &c->differences[b];
        const double *x = now + at, *x0 = then + at;
        dal_compare_keep_most(&most->position, distance_between(d, x, x0));
        dal_compare_keep_most(&most->velocity, distance_between(d, x + d, x0 + d));
        if (c->particle[b])
            continue;
        dal_compare_keep_most(&most->attitude, angle_between(d, x + 2 * d, x0 + 2 * d));
        dal_compare_keep_most(&most->omega, distance_between(d == 2 ? 1 : 3, x + 2 * d + d * d, x0 + 2 * d + d * d));
    }
    for (int k = 0; k < c->comparison->n_own; k++, at += 2) {
        dal_difference *most = &c->differences[c->base.n_bodies + k];
        dal_compare_keep_most(&most->position, fabs(now[at] - then[at]) / c->own_size[k]);
        dal_compare_keep_most(&most->velocity, fabs(now[at + 1] - then[at + 1]) / c->own_size[k]);
    }
}

/* The difference of one instant: over all bodies the larger of position / length and attitude. */
static double instant_error(dal_comparer *c, const double *now, const double *then)
{
    int d = (int)c->base.space, at = 1;
    double most = 0;
    for (int b = 0; b < c->base.n_bodies; at += columns_of(c, b), b++) {
        dal_compare_keep_most(&most, distance_between(d, now + at, then + at) / c->comparison->info.length);
        if (!c->particle[b])
            dal_compare_keep_most(&most, angle_between(d, now + at + 2 * d, then + at + 2 * d));
    }
    for (int k = 0; k < c->comparison->n_own; k++, at += 2)
        dal_compare_keep_most(&most, fabs(now[at] - then[at]) / c->own_size[k]);
    return most;
}

/* The axes of a body are the columns of R. */
static void find_poses(const dal_comparer *c, const double *values, double *poses)
{
    int d = (int)c->base.space, at = 1;
    for (int b = 0; b < c->base.n_bodies; at += columns_of(c, b), b++) {
        double *pose = poses + 7 * b, R[9] = {[8] = 1};
        const double *axes = values + at + 2 * d;
        pose[2] = pose[4] = pose[5] = pose[6] = 0;
        pose[3] = 1;
        memcpy(pose, values + at, sizeof *pose * (size_t)d);
        if (c->particle[b])
            continue;
        for (int k = 0; k < d; k++)
            for (int i = 0; i < d; i++)
                R[3 * i + k] = axes[d * k + i];
        dal_quaternion_of(R, pose + 3);
    }
}

double *dal_compare_poses_at(const dal_comparer *c, int instant)
{
    return c->poses + (size_t)instant * 7 * (size_t)c->base.n_bodies;
}

dal_status dal_compare_begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_comparer *c = user;
    (void)info;
    (void)columns;
    c->instant = 0;
    return n == c->n_columns ? DAL_OK : DAL_BAD_MODEL;
}

dal_status dal_compare_receive_row(void *user, int n, const double *values)
{
    dal_comparer *c = user;
    int i = c->instant++;
    c->compared = false;
    if (!c->differences && i < c->most_instants) {
        memcpy(c->motion + (size_t)i * (size_t)n, values, sizeof *values * (size_t)n);
        c->comparison->n_instants = i + 1;
        c->compared = true;
        c->difference = 0;
    } else if (c->differences && i < c->comparison->n_instants) {
        const double *then = c->motion + (size_t)i * (size_t)n;
        /* the last row of a run that stopped early may have a time of its own */
        if ((c->compared = fabs(values[0] - then[0]) <= 1e-9 * c->comparison->info.until)) {
            compare_instant(c, values, then);
            c->difference = instant_error(c, values, then);
        }
    }
    return DAL_OK;
}

/* The state of that row: its other errors. */
dal_status dal_compare_receive_state(void *user, dal_state *state, int n, const double *values)
{
    dal_comparer *c = user;
    (void)n;
    if (!c->compared || c->history.n == c->history.most)
        return DAL_OK;
    if (c->poses)
        find_poses(c, values, dal_compare_poses_at(c, c->history.n));
    dal_history_add(&c->history, state, values[0], c->difference);
    return DAL_OK;
}

bool dal_compare_show_progress(void *user, double t, double until, long steps, double wall_seconds)
{
    dal_comparer *c = user;
    (void)until;
    (void)steps;
    c->stopped = c->options->progress && !c->options->progress(c->options->progress_user, c->comparison, c->row, t, wall_seconds);
    return !c->stopped;
}
