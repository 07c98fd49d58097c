/* Which joints are redundant, all of them.
 *
 * With Z an orthonormal basis of {z : A^T z = 0} the matrix P = Z Z^T does not depend on the choice of Z. Row i takes part in a dependence
 * exactly if P_ii > 0: it may then be omitted without a change of the rank. P is block-diagonal over the finest sets of rows whose
 * dependences do not mix, so that the connected sets of |P_ij| > 0 are these groups, and the trace of P over one is the number of rows
 * that are too many in it.
 *
 * A set of rows may go together if the rows of Z that belong to it are independent, as many as there are null vectors. The next one is the last of the
 * model that is clearly independent of those chosen before, so that what stands later in the model goes first; if none is, the most independent one.
 *
 * Null vectors are known to eps sigma_1 / sigma_k: entries below a hundred times that are rounding.
 *
 * Dependent rows agree if z . b = 0 for what the rows ask for: b = phi, beta and gamma.
 */
#include "check/checker.h"
#include "joint/joint.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double nearly = 1e-6;      /* singular values below it are all but zero */
static const double least_noise = 1e-9; /* of entries of null vectors */
static const double agrees = 1e-7;      /* what is left of z . b, relative */
static const double well = 0.1;         /* share of a row of Z that is independent of those before: clearly independent */

/* ---- what a row forbids --------------------------------------------------------- */

/* The force and the moment at the joint's point by which row i acts on one of the joint's bodies; false: on none of them. */
static bool wrench_of(const dal_probe *p, int i, const dal_joint *joint, double f[3], double tau[3])
{
    const dal_layout *layout = p->layout;
    const int space = (int)layout->mechanism->space;
    for (int side = 1; side >= 0; side--) {
        int b = joint->marker[side].body;
        if (b == DAL_GROUND)
            continue;
        const dal_body_layout *at = &layout->body[b];
        double arm[3], turn[3];
        dal_zero3(f);
        dal_zero3(tau);
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++) {
            int c = layout->column[k] - at->v;
            if (c < 0 || c >= at->nv)
                continue;
            if (c < space)
                f[c] += p->work.A[k];
            else
                tau[at->n_rot == 1 ? 2 : c - space] += p->work.A[k];
        }
        dal_turn(p->work.kin[b].R, joint->marker[side].s, arm);
        dal_cross(arm, f, turn);
        if (at->n_rot)
            dal_sub3(tau, turn, tau);
        return true;
    }
    return false;
}

static const char *forbids(const dal_probe *p, int i)
{
    const dal_mechanism *m = p->layout->mechanism;
    const int source = p->layout->row[i].source;
    const dal_row *row = &m->rows[source];
    const dal_joint *joint = &m->joints[row->joint];
    const bool flat = m->space == DAL_PLANAR;
    double f[3], tau[3];
    if (source == joint->drive)
        return "its drive";
    if (dal_joint_is_expression(joint))
        return "its equation";
    if (!joint->type || joint->type->class == DAL_JOINT_COUPLING)
        return "its relation";
    if (row->equation)
        return dal_arena_print(p->arena, "its equation %d", row->equation);
    if (p->layout->placement || !wrench_of(p, i, joint, f, tau))
        return row->angular ? "a turn" : "a shift";
    if (row->angular && flat)
        return "turn";
    if (row->angular)
        return dal_arena_print(p->arena, "turn about %s", dal_check_direction(p->arena, tau, false));
    return dal_arena_print(p->arena, "%s along %s", row->nonholonomic ? "slip" : "shift", dal_check_direction(p->arena, f, flat));
}

/* ---- groups ------------------------------------------------------------------------ */

/* P_ij. */
static double projector(const dal_probe *p, int n, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += p->left[(size_t)k * (size_t)p->r + (size_t)i] * p->left[(size_t)k * (size_t)p->r + (size_t)j];
    return sum;
}

int dal_check_mask(const dal_probe *p, int n, double noise, bool *mask)
{
    int count = 0;
    for (int i = 0; i < p->r; i++)
        count += mask[i] = sqrt(projector(p, n, i, i)) > noise;
    return count;
}

/* group[i]: the number of the group of row i, or -1. Returns how many there are. */
static int connect(const dal_probe *p, int n, double noise, int *group)
{
    bool *mask = DAL_NEW(p->arena, bool, p->r);
    int *queue = DAL_NEW(p->arena, int, p->r), n_groups = 0;
    dal_check_mask(p, n, noise, mask);
    for (int i = 0; i < p->r; i++)
        group[i] = -1;
    for (int start = 0; start < p->r; start++) {
        if (!mask[start] || group[start] >= 0)
            continue;
        int head = 0, tail = 0;
        queue[tail++] = start;
        group[start] = n_groups;
        while (head < tail) {
            int i = queue[head++];
            for (int j = 0; j < p->r; j++)
                if (mask[j] && group[j] < 0 && fabs(projector(p, n, i, j)) > noise) {
                    group[j] = n_groups;
                    queue[tail++] = j;
                }
        }
        n_groups++;
    }
    return n_groups;
}

/* z, the row i of Z, less what lies in `count` orthonormal vectors; its length. */
static double rest_of_row(const dal_probe *p, int n, int i, int count, const double *basis, double *z)
{
    double square = 0;
    for (int k = 0; k < n; k++)
        z[k] = p->left[(size_t)k * (size_t)p->r + (size_t)i];
    for (int twice = 0; twice < 2; twice++)
        for (int b = 0; b < count; b++) {
            double dot = 0;
            for (int k = 0; k < n; k++)
                dot += basis[b * n + k] * z[k];
            for (int k = 0; k < n; k++)
                z[k] -= dot * basis[b * n + k];
        }
    for (int k = 0; k < n; k++)
        square += z[k] * z[k];
    return sqrt(square);
}

/* Marks rows of a group that may go together; source[k] is the row k of the group in A. */
static void choose_set(const dal_probe *p, int n, const int *source, const dal_check_group *group, dal_check_row *rows)
{
    double *basis = DAL_NEW(p->arena, double, (size_t)(group->redundant + 1) * (size_t)n), *z = DAL_NEW(p->arena, double, n);
    for (int count = 0; count < group->redundant; count++) {
        double best = 0;
        int which = -1;
        for (int k = group->n_rows - 1; k >= 0 && best < well; k--) {
            double size = rows[k].goes ? 0 : rest_of_row(p, n, source[k], count, basis, z);
            if (size > best) {
                best = size;
                which = k;
            }
        }
        if (which < 0)
            return;
        rest_of_row(p, n, source[which], count, basis, z);
        for (int k = 0; k < n; k++)
            basis[count * n + k] = z[k] / best;
        rows[which].goes = true;
    }
}

static void fill_group(dal_probe *p, int n, const int *group, int number, dal_check_group *out)
{
    const dal_mechanism *m = p->layout->mechanism;
    dal_check_row *rows = DAL_NEW(p->arena, dal_check_row, p->r);
    const char **joints = DAL_NEW(p->arena, const char *, p->r);
    int *source = DAL_NEW(p->arena, int, p->r);
    double trace = 0;
    int last = -1;
    *out = (dal_check_group){.rows = rows, .joints = joints};
    for (int i = 0; i < p->r; i++) {
        if (group[i] != number)
            continue;
        const dal_row *row = &m->rows[p->layout->row[i].source];
        const dal_joint *joint = &m->joints[row->joint];
        const char *name = dal_arena_copy(p->arena, joint->name, strlen(joint->name));
        double share = projector(p, n, i, i);
        trace += share;
        source[out->n_rows] = i;
        rows[out->n_rows++] = (dal_check_row){.joint = name,
                                              .number = p->layout->row[i].source - joint->row + 1,
                                              .angular = row->angular,
                                              .forbids = forbids(p, i),
                                              .share = sqrt(fmin(1, share))};
        if (row->joint != last)
            joints[out->n_joints++] = name;
        last = row->joint;
    }
    out->redundant = (int)lround(trace);
    choose_set(p, n, source, out, rows);
}

int dal_check_groups(dal_probe *p, int n, double noise, const dal_check_group **groups)
{
    int *group = DAL_NEW(p->arena, int, p->r), n_groups = connect(p, n, noise, group);
    dal_check_group *out = DAL_NEW(p->arena, dal_check_group, n_groups);
    for (int g = 0; g < n_groups; g++)
        fill_group(p, n, group, g, &out[g]);
    *groups = out;
    return n_groups;
}

/* ---- the verdict -------------------------------------------------------------------- */

static const char *joints_of(const dal_probe *p, const dal_check_group *group)
{
    const char *text = "";
    for (int k = 0; k < group->n_joints; k++)
        text = dal_check_join(p->arena, text, group->joints[k]);
    return text;
}

/* Those with friction that depends on their force, if the shares of the force are not determined; "" if there are none. */
static const char *rubbing_of(const dal_probe *p, const dal_check_group *group)
{
    const dal_system *system = p->system;
    const dal_acting *acting = dal_system_acting(system);
    const char *text = "";
    for (int k = 0; k < group->n_joints && !dal_system_method(system)->compliant; k++)
        for (int i = 0; i < acting->n_frictions; i++) {
            const dal_friction *f = &acting->frictions[i];
            if (dal_friction_presses(f) && !strcmp(dal_system_layout(system)->mechanism->joints[f->joint].name, group->joints[k]))
                text = dal_check_join(p->arena, text, group->joints[k]);
        }
    return text;
}

/* Joints of which every row is in a set that may go. */
static void find_spare(dal_checker *c, const dal_probe *p)
{
    const dal_mechanism *m = p->layout->mechanism;
    dal_verdict *v = c->verdict;
    int *left = DAL_NEW(p->arena, int, m->n_joints);
    const char **spare = DAL_NEW(p->arena, const char *, m->n_joints);
    for (int i = 0; i < p->r; i++)
        left[m->rows[p->layout->row[i].source].joint]++;
    for (int j = 0; j < m->n_joints && v->n_groups; j++) {
        const int all = left[j];
        for (int g = 0; g < v->n_groups; g++)
            for (int k = 0; k < v->groups[g].n_rows; k++)
                left[j] -= v->groups[g].rows[k].goes && !strcmp(v->groups[g].rows[k].joint, m->joints[j].name);
        if (all && !left[j])
            spare[v->n_spare++] = dal_arena_copy(p->arena, m->joints[j].name, strlen(m->joints[j].name));
    }
    v->spare = spare;
}

static void find_nearly(dal_checker *c, dal_probe *p, int rank)
{
    dal_verdict *v = c->verdict;
    int less = dal_probe_rank(p, nearly, true);
    if (less < 0 || less >= rank)
        return;
    /* the vectors between `less` and `rank` come first */
    v->n_nearly = dal_check_groups(p, rank - less, 1e-3, &v->nearly);
    for (int g = 0; g < v->n_nearly; g++)
        dal_check_warn(c, DAL_CODE_NEARLY_REDUNDANT, p->sigma[rank - 1] / p->sigma[0],
                       "the rows of %s are dependent to within %.1e: if they should be redundant, their points or axes are not exactly "
                       "where they belong",
                       joints_of(p, &v->nearly[g]), p->sigma[rank - 1] / p->sigma[0]);
}

/* z . b of positions, velocities and accelerations; the rows were evaluated at the start. */
static void find_conflicts(dal_checker *c, dal_probe *p, int n)
{
    dal_verdict *v = c->verdict;
    const dal_layout *layout = p->layout;
    layout->family->velocity(layout, &p->work);
    dal_rows_velocity(layout, &p->work);
    for (int i = 0; i < p->r; i++) {
        v->position_gap = fmax(v->position_gap, fabs(p->work.phi[i]));
        v->velocity_gap = fmax(v->velocity_gap, fabs(p->work.phid[i]));
    }
    double speed = 0; /* gamma is of the size of speed^2 / length, unless it vanishes */
    for (int k = 0; k < p->m; k++)
        speed = fmax(speed, fabs(p->work.v[k] * p->scale[k]));
    v->acceleration_gap = dal_probe_conflict(p, n, p->work.gamma, speed * speed / dal_system_layout(p->system)->units.length);
    v->consistent = v->acceleration_gap < agrees && !v->contradictory;
}

/* Has the group before it the same joints, and as many rows of each? */
static bool is_as_before(const dal_verdict *v, int g)
{
    const dal_check_group *a = &v->groups[g], *b = g ? a - 1 : NULL;
    bool same = b && a->n_rows == b->n_rows && a->redundant == b->redundant && a->n_joints == b->n_joints;
    for (int k = 0; same && k < a->n_joints; k++)
        same = !strcmp(a->joints[k], b->joints[k]);
    return same;
}

void dal_check_redundancy(dal_checker *c, dal_probe *p)
{
    const dal_method *method = dal_system_method(p->system);
    dal_verdict *v = c->verdict;
    const double gap = v->contradictory ? fmin(4 * fmax(v->gap_shift / dal_system_layout(p->system)->units.length, v->gap_turn), 0.01) : 0;
    int rank = dal_probe_rank(p, fmax(method->rank_tolerance, gap), true);
    double noise = fmax(fmax(least_noise, 10 * gap), 100 * DBL_EPSILON / fmax(dal_probe_ratio(p, rank), DBL_EPSILON));
    v->redundant = p->r - rank;
    v->n_groups = dal_check_groups(p, p->r - rank, noise, &v->groups);
    for (int g = 0; g < v->n_groups && !v->contradictory; g++) {
        const dal_check_group *group = &v->groups[g];
        const char *rubbing = rubbing_of(p, group), *one = group->redundant == 1 ? "it" : "them";
        if (is_as_before(v, g))
            continue; /* x and y of one place: the same sentence */
        dal_check_warn(c, DAL_CODE_REDUNDANT, group->redundant,
                       "%d of the %d rows of %s %s too many: %s on %s, but the reactions of these joints are not unique%s%s%s", group->redundant,
                       group->n_rows, joints_of(p, group), group->redundant == 1 ? "is" : "are",
                       *rubbing ? "without friction the motion would not depend" : "the motion does not depend", one,
                       *rubbing ? ", and the friction of " : "", rubbing, *rubbing ? " follows them: give the joints a `compliance:`" : "");
    }
    find_spare(c, p);
    if (!v->singular && !v->contradictory)
        find_nearly(c, p, rank);
    dal_probe_at(p, c->state);
    dal_probe_rows(p);
    rank = dal_probe_rank(p, method->rank_tolerance, true);
    find_conflicts(c, p, p->r - rank);
    if (!v->consistent && !v->contradictory)
        dal_check_warn(c, DAL_CODE_CONTRADICTION, v->acceleration_gap,
                       "the accelerations that dependent rows ask for contradict each other at the start, by %.1e of the largest: the "
                       "start velocities lie "
                       "on no branch of the motion through this position",
                       v->acceleration_gap);
}
