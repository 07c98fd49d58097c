/* The model's own length, before anything is evaluated (see state/scale.c for the units), and the fastest rate that is known by then. */
#include "math/vec.h"
#include "compile/build.h"

#include <math.h>
#include <string.h>

/* ---- length --------------------------------------------------------------------------- */

/* Does a joint leave no relative turn? */
static bool keeps_attitude(const dal_joint *joint, dal_space space)
{
    const char *motion = joint->type ? dal_joint_in(joint->type, space)->motion : NULL;
    return motion && !strpbrk(motion, "RQP");
}

/* Bodies that joints keep from turning, as sliders on the ground are: their moments of inertia do nothing. */
static bool *upright_bodies(const dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    bool *upright = DAL_NEW(build->arena, bool, m->n_bodies);
    for (bool more = true, back = false; more; back = !back) { /* there and back, so that a chain takes two rounds in either order */
        more = false;
        for (int k = 0; k < m->n_joints; k++) {
            const int j = back ? m->n_joints - 1 - k : k;
            if (!keeps_attitude(&m->joints[j], m->space))
                continue;
            const int a = m->joints[j].marker[0].body, b = m->joints[j].marker[1].body;
            const bool first = a == DAL_GROUND || upright[a], second = b == DAL_GROUND || upright[b];
            if (first == second)
                continue;
            upright[first ? b : a] = more = true;
        }
    }
    return upright;
}

static double length_of_bodies(const dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    const bool *upright = upright_bodies(build);
    double length = 0;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 2 + m->joints[j].n_further && m->joints[j].type; k++) {
            const dal_marker *marker = &m->joints[j].marker[k];
            if (marker->body == DAL_GROUND)
                continue;
            double arm[3];
            dal_sub3(marker->s, m->bodies[marker->body].center, arm);
            length = fmax(length, sqrt(dal_dot(arm, arm)));
        }
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body *body = &m->bodies[b];
        if (body->mass > 0 && !upright[b])
            length = fmax(length, sqrt(fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8])) / body->mass)); /* radius of gyration */
    }
    return length;
}

/* A point of a body where the description puts it. */
static void place_of(const dal_build *build, int body, const double s[3], double x[3])
{
    if (body == DAL_GROUND) {
        memcpy(x, s, 3 * sizeof *x);
        return;
    }
    dal_turn(build->start[body].R, s, x);
    dal_axpy3(1, build->start[body].r, x);
}

static double distance_between(const dal_build *build, int body_1, const double s_1[3], int body_2, const double s_2[3])
{
    double x_1[3], x_2[3], d[3];
    place_of(build, body_1, s_1, x_1);
    place_of(build, body_2, s_2, x_2);
    dal_sub3(x_2, x_1, d);
    return sqrt(dal_dot(d, d));
}

/* The distance between the points of a measure: of a length |v0 - v1|, of a shift (v0 - v1) . v2. */
static double span_of_measure(const dal_build *build, int measure)
{
    const dal_measure *at = &build->mechanism.measures[measure];
    if (at->kind == DAL_MEASURE_ANGLE || at->kind == DAL_MEASURE_COORDINATE || at->vector[0] < 0 || at->vector[1] < 0)
        return 0;
    const dal_vector *a = &build->mechanism.vectors[at->vector[0]], *b = &build->mechanism.vectors[at->vector[1]];
    return a->point && b->point ? distance_between(build, a->body, a->s, b->body, b->s) : 0;
}

/* Distances that forces and sliding joints span at the start, and the free lengths of springs. */
static double length_of_spans(dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    double length = 0;
    for (int i = 0; i < build->spec->n_forces; i++) {
        const dal_force_spec *spec = &build->spec->forces[i];
        double value = 0, center[3] = {0, 0, 0};
        if (build->forces && build->forces[i].measure >= 0)
            length = fmax(length, span_of_measure(build, build->forces[i].measure));
        if (spec->length.text && dal_build_number(build, spec->binding, spec->length, &value))
            length = fmax(length, fabs(value));
        if (spec->mu.text && (!spec->center.n || dal_build_vector(build, spec->binding, &spec->center, center)))
            for (int b = 0; b < m->n_bodies; b++)
                length = fmax(length, distance_between(build, DAL_GROUND, center, b, m->bodies[b].center));
    }
    for (int j = 0; j < m->n_joints; j++) {
        const dal_marker *end = m->joints[j].marker;
        if (m->joints[j].type && m->joints[j].n_rows)
            length = fmax(length, distance_between(build, end[0].body, end[0].s, end[1].body, end[1].s));
    }
    return length;
}

/* How far the bodies lie from one another, or from the origin, to which expressions refer. */
static double length_of_places(const dal_build *build)
{
    double length = 0;
    for (int b = 0; b < build->mechanism.n_bodies; b++)
        length = fmax(length, sqrt(dal_dot(build->start[b].r, build->start[b].r)));
    return length;
}

static double length_of_motion(dal_build *build)
{
    double until = 0, fastest = 0, length;
    const dal_text *text = &build->spec->simulate.until;
    if (!build->mechanism.n_bodies)
        return 0;
    for (int b = 0; b < build->mechanism.n_bodies; b++)
        fastest = fmax(fastest, sqrt(dal_dot(build->start[b].rd, build->start[b].rd)));
    if (!text->text || !dal_build_number(build, NULL, *text, &until))
        return 0;
    length = fastest * until + sqrt(dal_dot(build->gravity, build->gravity)) * until * until;
    return isfinite(length) ? length : 0;
}

/* The fastest rate that is known before anything is evaluated, 1/s: sqrt(g / length), and 1 / (the end of the run). */
static double find_pace(dal_build *build)
{
    double until = 0;
    const dal_text *text = &build->spec->simulate.until;
    const double fall = sqrt(sqrt(dal_dot(build->gravity, build->gravity)) / build->length);
    if (text->text && dal_build_number(build, NULL, *text, &until) && until > 0)
        return fmax(fall, 1 / until);
    return fall > 0 ? fall : 1;
}

double dal_build_length(dal_build *build)
{
    if (build->length > 0)
        return build->length;
    double length = length_of_bodies(build); /* of a model without bodies: 1 */
    if (!(length > 0))
        length = length_of_spans(build);
    if (!(length > 0))
        length = length_of_places(build);
    if (!(length > 0))
        length = length_of_motion(build);
    build->length = length > 0 && isfinite(length) ? length : 1;
    build->pace = find_pace(build);
    return build->length;
}
