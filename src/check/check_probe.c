/* The probe: rows of all joints in twists of the bodies, scaled, and their singular values.
 *
 *   A_s = D A S^-1     S = 1 for shifts and the model's length for turns, D makes rows of unit norm
 * Rank is the number of singular values above `tolerance` of the largest. A row that is zero stays zero, and depends.
 *
 * Positions are put on the constraints by the steps of Levenberg and Marquardt with the residual as damping,
 *     (A^T A + |phi|^2) x = -A^T phi
 * which converge as Newton's do where the constraints hold on a manifold, also where rows are redundant there (Yamashita and Fukushima,
 * "On the rate of convergence of the Levenberg-Marquardt method", 2001).
 */
#include "check/checker.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double closed = 1e-12; /* phi of rows at unit norm, relative to the length */
enum { STEPS = 60 };

static void choose_layout(dal_probe *p)
{
    const dal_system *system = p->system;
    const dal_layout *layout = dal_system_layout(system);
    if (layout->placement) {
        dal_layout *own = DAL_NEW(p->arena, dal_layout, 1);
        *own = *layout;
        dal_layout_keep_busy(own);
        p->layout = own;
        return;
    }
    p->mechanism = system->mechanism;
    p->mechanism.n_speeds = 0;
    const dal_layout_parts parts = {.n_times = layout->n_times, .forms = layout->forms};
    p->layout = dal_layout_build(p->arena, &p->mechanism, &dal_family_twist, &parts);
}

void dal_probe_begin(dal_probe *p, dal_arena *arena, const dal_system *system)
{
    *p = (dal_probe){.system = system, .arena = arena};
    choose_layout(p);
    const dal_layout *layout = p->layout;
    const int bodies = layout->mechanism->n_bodies;
    dal_work_layout(layout, DAL_NEW(arena, dal_real, dal_work_size(layout)), DAL_NEW(arena, int, 3 * bodies), &p->work);
    memcpy(p->work.winding, system->start_winding, sizeof *p->work.winding * (size_t)layout->mechanism->n_windings);
    p->m = layout->nv;
    p->r = layout->n_rows;
    const size_t m = (size_t)p->m, r = (size_t)p->r;
    const dal_units *units = &system->layout.units;
    p->scale = DAL_NEW(arena, double, m);
    for (size_t k = 0; k < m; k++)
        p->scale[k] = layout->placement ? units->column_scale[k] : layout->angular[k] > 0 ? units->length : 1;
    p->A = DAL_NEW(arena, double, r *m);
    p->unit = DAL_NEW(arena, double, r);
    p->sigma = DAL_NEW(arena, double, r + m);
    p->seen = DAL_NEW(arena, double, layout->n_values);
    if (system->drives.program) {
        p->variables = DAL_NEW(arena, double, dal_program_variables(system->drives.program));
        p->registers = DAL_NEW(arena, double, dal_program_registers(system->drives.program));
    }
}

void dal_probe_time(dal_probe *p, double t)
{
    const dal_compiled *drives = &p->system->drives;
    p->work.t = t;
    if (!drives->program)
        return;
    for (int i = 0; i < drives->n_needs; i++)
        p->variables[drives->needs[i]] = dal_signal_value(&p->work, NULL, NULL, &p->system->signals[drives->needs[i]]);
    dal_program_run(drives->program, p->variables, NULL, p->registers, p->work.time);
}

void dal_probe_at(dal_probe *p, const dal_state *state)
{
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = p->layout;
    dal_probe_time(p, work->t);
    if (layout->placement) {
        memcpy(p->work.q, work->q, sizeof *p->work.q * (size_t)layout->nq);
        memcpy(p->work.v, work->v, sizeof *p->work.v * (size_t)layout->nv);
        return;
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_kin *kin = &work->kin[b];
        layout->family->place(layout, &p->work, b, kin->r, kin->R);
        layout->family->move(layout, &p->work, b, kin->rd, kin->w);
    }
}

void dal_probe_rows(dal_probe *p)
{
    const dal_layout *layout = p->layout;
    const size_t m = (size_t)p->m;
    layout->family->position(layout, &p->work);
    dal_rows_position(layout, &p->work);
    dal_rows_jacobian(layout, &p->work);
    p->ranked = p->ranked && !memcmp(p->seen, p->work.A, sizeof *p->seen * (size_t)layout->n_values);
    memcpy(p->seen, p->work.A, sizeof *p->seen * (size_t)layout->n_values);
    memset(p->A, 0, sizeof *p->A * (size_t)p->r * m);
    for (int i = 0; i < p->r; i++) {
        double *row = p->A + (size_t)i * m, sum = 0;
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            row[layout->column[k]] += p->work.A[k] / p->scale[layout->column[k]];
        for (size_t k = 0; k < m; k++)
            sum += row[k] * row[k];
        p->unit[i] = sum > 0 ? 1 / sqrt(sum) : 1;
        for (size_t k = 0; k < m; k++)
            row[k] *= p->unit[i];
    }
}

/* Room that is taken when it is needed for the first time. */
static double *room_for(const dal_probe *p, double **at, size_t n)
{
    if (!*at)
        *at = DAL_NEW(p->arena, double, n);
    return *at;
}

int dal_probe_rank(dal_probe *p, double tolerance, bool left)
{
    const size_t r = (size_t)p->r;
    const int known = p->ranked ? dal_rank_count(p->sigma, p->r < p->m ? p->r : p->m, tolerance) : -1;
    if (known >= 0 && (!left || known == p->r))
        return known;
    memset(p->sigma, 0, sizeof *p->sigma * (r + (size_t)p->m));
    double *work = left ? room_for(p, &p->svd_left, dal_rank_work(p->r, p->m)) : room_for(p, &p->svd, dal_rank_values_work(p->r, p->m));
    int rank = dal_rank_svd(p->A, p->r, p->m, p->m, tolerance, p->sigma, NULL, left ? room_for(p, &p->left, r * r) : NULL, work);
    p->ranked = rank >= 0;
    return rank;
}

/* Is row i a condition on the position? */
static bool holds(const dal_probe *p, int i, bool release)
{
    const dal_row *row = &p->layout->mechanism->rows[p->layout->row[i].source];
    return !row->nonholonomic && !(release && row->time >= 0);
}

/* [A; |phi|] and -phi, at unit rows; returns |phi| in lengths. */
static double stack_up(dal_probe *p, bool release)
{
    const size_t m = (size_t)p->m, r = (size_t)p->r;
    double sum = 0;
    dal_probe_rows(p);
    room_for(p, &p->K, (r + m) * m);
    room_for(p, &p->b, r + m);
    memset(p->K, 0, sizeof *p->K * (r + m) * m);
    memset(p->b, 0, sizeof *p->b * (r + m));
    for (size_t i = 0; i < r; i++) {
        if (!holds(p, (int)i, release))
            continue;
        memcpy(p->K + i * m, p->A + i * m, sizeof *p->A * m);
        p->b[i] = -p->unit[i] * p->work.phi[i];
        sum += p->b[i] * p->b[i];
    }
    double size = sqrt(sum) / dal_system_layout(p->system)->units.length;
    for (size_t k = 0; k < m; k++)
        p->K[(r + k) * m + k] = fmin(size, 0.1);
    return size;
}

bool dal_probe_close(dal_probe *p, bool release)
{
    const double length = dal_system_layout(p->system)->units.length;
    for (int i = 0; i < STEPS; i++) {
        double size = stack_up(p, release), longest = 0;
        if (!(size > closed))
            return size <= closed;
        room_for(p, &p->x, (size_t)p->m);
        if (dal_rank_solve(p->K, p->r + p->m, p->m, p->m, DBL_EPSILON, p->b, p->x, room_for(p, &p->solve, dal_rank_work(p->r + p->m, p->m))) < 0)
            return false;
        for (int k = 0; k < p->m; k++)
            longest = fmax(longest, fabs(p->x[k]));
        double part = longest > 0.3 * length ? 0.3 * length / longest : 1;
        for (int k = 0; k < p->m; k++)
            p->x[k] *= part / p->scale[k];
        p->layout->family->add(p->layout, p->work.q, p->x);
    }
    return false;
}

double dal_probe_ratio(const dal_probe *p, int rank)
{
    return rank > 0 && p->sigma[0] > 0 ? p->sigma[rank - 1] / p->sigma[0] : 1;
}

double dal_probe_conflict(const dal_probe *p, int n, const double *b, double least)
{
    double most = least, worst = 0;
    for (int i = 0; i < p->r; i++)
        most = fmax(most, fabs(p->unit[i] * b[i]));
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int i = 0; i < p->r; i++)
            sum += p->left[(size_t)k * (size_t)p->r + (size_t)i] * p->unit[i] * b[i];
        worst = fmax(worst, fabs(sum));
    }
    return most > 0 ? worst / most : 0;
}

const char *dal_check_direction(dal_arena *arena, const double d[3], bool planar)
{
    static const char *const axes[] = {"x", "y", "z"};
    double size = sqrt(dal_dot(d, d)), u[3];
    int first = -1;
    if (!(size > 0))
        return "nowhere";
    for (int i = 0; i < 3; i++) {
        u[i] = d[i] / size;
        if (fabs(u[i]) > 1 - 1e-9)
            return axes[i];
        if (fabs(u[i]) < 5e-5)
            u[i] = 0;
        else if (first < 0)
            first = i;
    }
    double sign = u[first] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        u[i] = u[i] == 0 ? 0 : sign * u[i];
    return planar ? dal_arena_print(arena, "[%.4g, %.4g]", u[0], u[1]) : dal_arena_print(arena, "[%.4g, %.4g, %.4g]", u[0], u[1], u[2]);
}

const char *dal_check_join(dal_arena *arena, const char *list, const char *word)
{
    return dal_arena_print(arena, "%s%s%s", list, *list ? ", " : "", word);
}
