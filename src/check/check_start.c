/* The result of assembly: how far it moved given values, and which joints stayed open.
 *
 * Joints that stay open either contradict each other or are too far from where they close. Assembly ends at the least sum of squares of
 * the gaps, where
 *     A^T phi = 0
 * so that phi, which is not zero, lies in the null space of A^T: to first order no motion makes the gaps smaller. Where A^T phi is not zero, the
 * iteration did not converge, or fixed values prevent it.
 */
#include "check/checker.h"
#include "compile/build.h"
#include "joint/joint.h"
#include "model/system.h"
#include "state/scale.h"

#include <math.h>
#include <string.h>

static const double gap_allowed = 1e-9; /* relative to the model's length: beyond what assembly leaves */
static const double balanced = 1e-6;    /* |A^T phi| over the sum of |A_i| |phi_i| */
static const double part_of_gap = 1e-3; /* of the largest gap: joints that take part */

/* ---- moves ----------------------------------------------------------------------- */

static void add_move(dal_checker *c, dal_check_move *moves, const char *name, dal_start_change change)
{
    if (change.shift == 0 && change.turn == 0 && change.velocity == 0 && change.spin == 0)
        return;
    moves[c->verdict->n_moves++] = (dal_check_move){.name = dal_arena_copy(&c->arena, name, strlen(name)),
                                                    .shift = change.shift,
                                                    .turn = change.turn,
                                                    .velocity = change.velocity,
                                                    .spin = change.spin};
}

static void find_moves(dal_checker *c)
{
    const dal_system *system = c->system;
    const dal_layout *layout = dal_system_layout(system);
    const dal_mechanism *m = layout->mechanism;
    dal_verdict *v = c->verdict;
    const int n = layout->placement ? layout->nv : 0;
    dal_check_move *moves = DAL_NEW(&c->arena, dal_check_move, m->n_bodies + n);
    for (int i = 0; i < n; i++)
        add_move(c, moves, system->coordinate_names[i],
                 (dal_start_change){.shift = system->start_change[i], .velocity = system->start_change[n + i]});
    for (int b = 0; b < m->n_bodies && !n; b++) {
        const dal_start_change *change = &system->start[b].change;
        add_move(c, moves, m->bodies[b].name, *change);
        v->shift_most = fmax(v->shift_most, change->shift);
        v->turn_most = fmax(v->turn_most, change->turn);
        v->velocity_most = fmax(v->velocity_most, change->velocity);
        v->spin_most = fmax(v->spin_most, change->spin);
    }
    v->moves = moves;
}

/* ---- gaps ------------------------------------------------------------------------- */

/* A row as assembly weighs it: in metres or radians, an equation of the model's own by its slope. */
static double unit_of_row(const dal_probe *p, int i)
{
    const dal_layout *layout = p->layout;
    const double unit = dal_row_unit(&layout->mechanism->rows[layout->row[i].source], dal_system_layout(p->system)->units.length);
    double slope = 0;
    for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
        slope = fmax(slope, fabs(p->work.A[k]) / p->scale[layout->column[k]]);
    return !isnan(unit) ? unit : slope > 0 ? slope * dal_system_layout(p->system)->units.length : 1;
}

/* Does the placement have the least gaps of all those near it? */
static bool is_closest(const dal_probe *p)
{
    const dal_layout *layout = p->layout;
    double *slope = DAL_NEW(p->arena, double, p->m), most = 0, sum = 0;
    for (int i = 0; i < p->r; i++) {
        const double unit = unit_of_row(p, i), gap = p->work.phi[i] / unit;
        double size = 0;
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++) {
            const double a = p->work.A[k] / p->scale[layout->column[k]] / unit;
            slope[layout->column[k]] += a * gap;
            size = fmax(size, fabs(a));
        }
        sum += size * fabs(gap);
    }
    for (int k = 0; k < p->m; k++)
        most = fmax(most, fabs(slope[k]));
    return most <= balanced * sum;
}

/* Of each joint, or constraint: the lengths of its gaps, metres and radians. */
static void measure_gaps(const dal_probe *p, dal_check_gap *gaps)
{
    const dal_mechanism *m = p->layout->mechanism;
    for (int i = 0; i < p->r; i++) {
        const dal_row *row = &m->rows[p->layout->row[i].source];
        double *gap = row->angular ? &gaps[row->joint].turn : &gaps[row->joint].shift;
        *gap = hypot(*gap, p->work.phi[i]);
    }
}

/* Beside a real gap, 1e-20 rad are rounding. */
static double without_rounding(double gap, double most)
{
    return gap > 1e-12 * most ? gap : 0;
}

static void find_gaps(dal_checker *c, dal_probe *p)
{
    const dal_mechanism *m = p->layout->mechanism;
    dal_verdict *v = c->verdict;
    dal_check_gap *gaps = DAL_NEW(p->arena, dal_check_gap, m->n_joints), *open = DAL_NEW(p->arena, dal_check_gap, m->n_joints);
    const double length = dal_system_layout(p->system)->units.length;
    double most = 0;
    measure_gaps(p, gaps);
    for (int j = 0; j < m->n_joints; j++) {
        most = fmax(most, fmax(gaps[j].shift / length, gaps[j].turn));
        v->gap_shift = fmax(v->gap_shift, gaps[j].shift);
        v->gap_turn = fmax(v->gap_turn, gaps[j].turn);
    }
    v->contradictory = v->status != DAL_OK && most > gap_allowed;
    v->gap_shift = without_rounding(v->gap_shift, most * length);
    v->gap_turn = without_rounding(v->gap_turn, most);
    for (int j = 0; j < m->n_joints && v->contradictory; j++) {
        if (fmax(gaps[j].shift / length, gaps[j].turn) < part_of_gap * most)
            continue;
        gaps[j].shift = without_rounding(gaps[j].shift, most * length);
        gaps[j].turn = without_rounding(gaps[j].turn, most);
        gaps[j].joint = dal_arena_copy(p->arena, m->joints[j].name, strlen(m->joints[j].name));
        gaps[j].written = dal_joint_is_expression(&m->joints[j]);
        open[v->n_open++] = gaps[j];
    }
    v->open = open;
    v->closest = v->contradictory && is_closest(p);
}

void dal_check_start(dal_checker *c, dal_probe *p)
{
    find_moves(c);
    find_gaps(c, p);
}
