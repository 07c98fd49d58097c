/* Moments of inertia that no body can have (math/inertia.h), and their treatment. One policy for every kind of model file:
 *
 *   a negative moment      of the eigenvalues alone, while the numbers as written have none: rounding, ignored
 *                          lost in rounding (1e-12 of the model's largest inertia, m r^2 + l3): taken as zero
 *                          of a body that rigid joints hold to others, or to the ground, such that the whole has none: used as written,
 *                          because only the whole moves
 *                          within three digits of the body's own (l3, m r^2): taken as zero
 *                          otherwise refused
 *   l3 > l1 + l2           within two digits, or where the body says `inertia-check: warn`: used as written. Otherwise refused
 *
 * Moments that are accepted but not exact cause a warning with their values. A rigid group has the inertia, about its centre of mass c,
 *   I = sum of R_i I_i R_i^T + m_i (d_i^2 1 - d_i d_i^T),   d_i = c_i - c.
 */
#include "math/inertia.h"
#include "math/vec.h"
#include "compile/build.h"
#include "spec/rotor.h"

#include <math.h>
#include <string.h>

static const double arithmetic = 1e-9; /* of a body's own moments: rounding of the eigenvalues and of numbers in the file */
static const double lost = 1e-12;      /* of the model's largest inertia: what no equation of it sees */
static const double three_digits = 1e-3;

typedef struct judge {
    dal_build *build;
    double scale; /* of the model: the largest m r^2 + l3, r to its farthest joint; 0: not asked yet */
    int *group;   /* of each body: a body of its rigid group, or DAL_GROUND; NULL: not asked yet */
} judge;

/* Planar bodies have one moment. */
static bool moments_of(const dal_build *build, const double inertia[9], double moment[3], double axes[9])
{
    if (build->spec->space != DAL_PLANAR)
        return dal_principal_moments(inertia, moment, axes);
    for (int i = 0; i < 9; i++)
        axes[i] = i == 2; /* the only axis that counts is z; it is the first, because what is negative comes first */
    moment[0] = moment[1] = moment[2] = inertia[8];
    return isfinite(inertia[8]);
}

/* ---- scales ------------------------------------------------------------------------------------ */

/* r^2 of the joint that is farthest from the centre of mass: of body b, or of any for DAL_GROUND. */
static double farthest_joint(const dal_build *build, int b)
{
    const dal_mechanism *m = &build->mechanism;
    double square = 0;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 2 + m->joints[j].n_further && m->joints[j].type; k++) {
            const dal_marker *marker = &m->joints[j].marker[k];
            double arm[3];
            if (marker->body == DAL_GROUND || (b != DAL_GROUND && marker->body != b))
                continue;
            dal_sub3(marker->s, m->bodies[marker->body].center, arm);
            square = fmax(square, dal_dot(arm, arm));
        }
    return square;
}

static double model_scale(judge *g)
{
    const dal_mechanism *m = &g->build->mechanism;
    double moment[3], axes[9];
    if (g->scale > 0)
        return g->scale;
    const double square = farthest_joint(g->build, DAL_GROUND);
    for (int b = 0; b < m->n_bodies; b++)
        if (moments_of(g->build, m->bodies[b].inertia, moment, axes))
            g->scale = fmax(g->scale, fmax(moment[2], 0) + m->bodies[b].mass * square);
    return g->scale;
}

/* The larger of l3 and m r^2 */
static double own_scale(const dal_build *build, int b, double largest)
{
    return fmax(largest, build->mechanism.bodies[b].mass * farthest_joint(build, b));
}

/* ---- rigid groups -------------------------------------------------------------------------------- */

/* The body that represents the group of body b (union-find with path halving). */
static int root_of(int *group, int b)
{
    while (b != DAL_GROUND && group[b] != b) {
        if (group[b] != DAL_GROUND)
            group[b] = group[group[b]];
        b = group[b];
    }
    return b;
}

static int *find_groups(judge *g)
{
    const dal_mechanism *m = &g->build->mechanism;
    if (g->group)
        return g->group;
    g->group = DAL_NEW(g->build->arena, int, m->n_bodies);
    for (int b = 0; b < m->n_bodies; b++)
        g->group[b] = b;
    for (int j = 0; j < m->n_joints; j++) {
        const dal_joint *joint = &m->joints[j];
        if (!joint->type || !joint->type->welds)
            continue;
        const int first = root_of(g->group, joint->marker[0].body), second = root_of(g->group, joint->marker[1].body);
        if (first != second)
            g->group[second == DAL_GROUND ? first : second] = second == DAL_GROUND ? second : first;
    }
    return g->group;
}

static void center_of(const dal_build *build, int b, double c[3])
{
    dal_turn(build->start[b].R, build->mechanism.bodies[b].center, c);
    dal_axpy3(1, build->start[b].r, c);
}

/* I += R I_b R^T + m (d^2 1 - d d^T) */
static void add_to_group(const dal_build *build, int b, const double center[3], double I[9])
{
    const dal_body *body = &build->mechanism.bodies[b];
    const double *R = build->start[b].R;
    double d[3];
    center_of(build, b, d);
    dal_axpy3(-1, center, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 9; k++)
                I[3 * i + j] += R[3 * i + k / 3] * body->inertia[k] * R[3 * j + k % 3];
            I[3 * i + j] += body->mass * ((i == j ? dal_dot(d, d) : 0) - d[i] * d[j]);
        }
}

/* Is the body a part of a rigid whole that has no negative moment? */
static bool is_in_sound_whole(judge *g, int b)
{
    const dal_mechanism *m = &g->build->mechanism;
    int *group = find_groups(g);
    const int root = root_of(group, b);
    double mass = 0, center[3] = {0, 0, 0}, I[9] = {0}, moment[3], axes[9];
    int members = 0;
    if (root == DAL_GROUND)
        return true;
    for (int i = 0; i < m->n_bodies; i++)
        if (root_of(group, i) == root) {
            double c[3];
            center_of(g->build, i, c);
            dal_axpy3(m->bodies[i].mass, c, center);
            mass += m->bodies[i].mass;
            members++;
        }
    for (int i = 0; i < 3 && mass > 0; i++)
        center[i] /= mass;
    for (int i = 0; i < m->n_bodies; i++)
        if (root_of(group, i) == root)
            add_to_group(g->build, i, center, I);
    return members > 1 && moments_of(g->build, I, moment, axes) && moment[0] >= -arithmetic * fabs(moment[2]);
}

/* ---- verdicts --------------------------------------------------------------------------------------- */

static const char *list_moments(const dal_build *build, const double moment[3])
{
    return build->spec->space == DAL_PLANAR ? dal_arena_print(build->arena, "moment %.6g", moment[0])
                                            : dal_arena_print(build->arena, "principal moments %.6g, %.6g, %.6g", moment[0], moment[1], moment[2]);
}

static void judge_negative(judge *g, int b, const double moment[3], const double axes[9])
{
    dal_build *build = g->build;
    dal_body *body = &build->mechanism.bodies[b];
    const dal_mark mark = build->spec->bodies[b].inertia.mark;
    const bool invisible = -moment[0] <= lost * model_scale(g), balanced = !invisible && !build->spec->n_coordinates && is_in_sound_whole(g, b);
    if (!invisible && !balanced && !(-moment[0] <= three_digits * own_scale(build, b, fmax(moment[2], 0)))) {
        if (build->spec->space == DAL_PLANAR)
            dal_error(build->messages, mark, "the inertia of '%s' is %.6g, and cannot be negative", body->name, moment[0]);
        else
            dal_error(build->messages, mark, "the inertia of '%s' has the %s, and none can be negative", body->name, list_moments(build, moment));
        return;
    }
    dal_warn(build->messages, mark, DAL_CODE_INERTIA_NEGATIVE, moment[0], "the inertia of '%s' has the %s, and none can be negative: %s", body->name,
             list_moments(build, moment),
             balanced ? "it is used as written, because the bodies that are rigidly joined to it make up for it"
                      : "what is negative is rounding and is taken as 0");
    if (balanced)
        return;
    if (build->spec->space == DAL_PLANAR)
        body->inertia[8] = 0;
    else
        dal_lift_moments(moment, axes, body->inertia);
}

/* Rounding of a zero is not shown. */
static double shown(const double moment[3], int k)
{
    return fabs(moment[k]) > arithmetic * fabs(moment[2]) ? moment[k] : 0;
}

static void judge_triangle(judge *g, int b, const double moment[3])
{
    static const char sentence[] = "no body has the principal moments %.6g, %.6g, %.6g of '%s': the largest may not exceed the sum of the others";
    const dal_body_spec *spec = &g->build->spec->bodies[b];
    const dal_triangle triangle = dal_judge_triangle(moment);
    const bool accepted = spec->inertia_check.text && !strcmp(spec->inertia_check.text, "warn");
    if (spec->inertia_check.text && !strcmp(spec->inertia_check.text, DAL_INERTIA_OF_ROTOR))
        return;
    if (triangle == DAL_TRIANGLE_HOLDS || moment[2] <= lost * model_scale(g))
        return;
    if (triangle == DAL_TRIANGLE_DIGITS || accepted)
        dal_warn(g->build->messages, spec->inertia.mark, DAL_CODE_INERTIA_TRIANGLE, (moment[2] - moment[0] - moment[1]) / moment[2], sentence,
                 shown(moment, 0), shown(moment, 1), moment[2], spec->name.text);
    else
        dal_error(g->build->messages, spec->inertia.mark, sentence, shown(moment, 0), shown(moment, 1), moment[2], spec->name.text);
}

/* The least moment about an axis of the body, or about any in a plane of two: what the numbers themselves say, however small it is beside the others.
 * Of the 2 x 2 tensor [a b; b c] it is (a c - b^2) / (mean + root), with a + c = 2 mean and root^2 = ((a - c) / 2)^2 + b^2. 0: none is negative. */
static double written_moment(const double I[9])
{
    double least = fmin(0, fmin(I[0], fmin(I[4], I[8])));
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double a = I[4 * i], b = I[3 * i + j], c = I[4 * j], minor = a * c - b * b;
        const double most = (a + c) / 2 + hypot((a - c) / 2, b);
        if (minor < -arithmetic * (fabs(a * c) + b * b) && most > 0)
            least = fmin(least, minor / most);
        else if (a == 0 && c == 0) /* whose squares may be too small for numbers */
            least = fmin(least, -fabs(b));
    }
    return least;
}

void dal_build_inertias(dal_build *build)
{
    judge g = {.build = build};
    for (int b = 0; b < build->mechanism.n_bodies; b++) {
        double moment[3], axes[9];
        if (!build->spec->bodies[b].inertia.n || !moments_of(build, build->mechanism.bodies[b].inertia, moment, axes))
            continue;
        const double written = written_moment(build->mechanism.bodies[b].inertia);
        if ((moment[0] < 0 && !(-moment[0] <= arithmetic * moment[2])) || written < 0) {
            moment[0] = fmin(moment[0], written);
            judge_negative(&g, b, moment, axes);
        } else if (build->spec->space != DAL_PLANAR)
            judge_triangle(&g, b, moment);
    }
}
