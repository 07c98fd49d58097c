/* Speeds in a state: their memory and their start, and the velocities that follow from them.
 *
 *   S v = [u - Z; e; beta_k],   u = Y v + Z
 * Baumgarte's stabilization (state/stage.c) uses A_k v = beta_k - alpha phi_k.
 * Rows that are not linear in the rates: S and beta_k are those of their tangents at v, and the same equation is a step of Newton's method.
 *
 * The rest of the subject: speeds_matrix.c (S, its factors, solutions), speeds_condition.c (is S regular?), speeds_choice.c (which velocities
 * are speeds), speeds_basis.c (W, W', bias, partial velocities), speeds_equations.c (K u' = f, multipliers).
 */
#include "dynamics/singular.h"
#include "dynamics/speeds_matrix.h"
#include "kinematics/placement.h"
#include "model/system.h"
#include "state/momenta.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DENSE_MAXIMUM = 1500 }; /* velocities */

int dal_speeds_count(const dal_system *system)
{
    return system->layout.nv - system->rank - (system->method.formulation->more ? system->layout.n_ignorable : 0);
}

bool dal_speeds_apply(const dal_system *system, dal_refusal *why)
{
    const dal_layout *layout = &system->layout;
    const char *formulation = system->method.formulation->name;
    const int named = layout->n_speeds, p = dal_speeds_count(system), freedoms = layout->nv - system->rank;
    if (layout->nv > DENSE_MAXIMUM)
        dal_decline(why, DAL_REASON_OTHER,
                    "%s works on dense matrices and takes up to %d velocities, and the model has %d in these coordinates; use lagrange", formulation,
                    DENSE_MAXIMUM, layout->nv);
    else if (named && named != p && named != freedoms)
        dal_decline(why, DAL_REASON_SPEEDS,
                    "the model names %d speed%s and has %d freedom%s%s: %s needs one speed for each of them, or no `speeds:` at all", named,
                    named == 1 ? "" : "s", p, p == 1 ? "" : "s", p < freedoms ? " besides its ignorable coordinates" : "", formulation);
    else
        return true;
    return false;
}

/* ---- velocities ------------------------------------------------------------------------ */

/* Z of speed j. */
static double Z_of(const dal_state *state, int j)
{
    const dal_layout *layout = state->layout;
    return state->speeds->basis->fixed
               ? dal_row_free(layout, &state->work, &layout->mechanism->speeds[layout->row[dal_speeds_named_row(state, j)].source])
               : 0;
}

/* beta of a row, less alpha phi. */
static double beta_of(const dal_state *state, int row)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double beta = row < layout->n_extrinsic ? -dal_row_free(layout, &state->work, &layout->mechanism->rows[layout->row[row].source]) : 0;
    return system->method.stabilization->stabilises_gamma ? beta - system->method.alpha * state->work.phi[row] : beta;
}

/* v := S^-1 [u - Z; e; beta_k], where S is factored. */
static void solve_velocities(dal_state *state, const double *u)
{
    dal_speeds *s = state->speeds->basis;
    double *v = state->work.v;
    for (int j = 0; j < s->p; j++)
        v[j] = u[j] - Z_of(state, j);
    for (int i = 0; i < s->s; i++)
        v[s->p + i] = s->e[i];
    for (int i = 0; i < s->k; i++)
        v[s->p + s->s + i] = beta_of(state, s->row[i]);
    dal_speeds_solve(state, v);
}

/* A and beta of curved rows at the present v. */
static void find_tangents(dal_state *state)
{
    dal_state_forget(state, DAL_STAGE_UNPACKED | DAL_STAGE_JACOBIAN);
    dal_state_jacobian(state);
}

enum { MOST_TANGENTS = 50 };
static const double root_is_known = 1e-15; /* of the velocities: smaller changes are rounding */
static const double root_allowed = 1e-10;  /* the same, of changes that no longer fall */

/* phi_k(q, v, t) = 0 together with Y v + Z = u: Newton's method, from the velocities of the last accepted step. */
static dal_flow find_root(dal_state *state, const double *u)
{
    const dal_layout *layout = state->layout;
    const size_t n = (size_t)layout->nv;
    double *v = state->work.v, *last = state->speeds->basis->last, change = HUGE_VAL;
    memcpy(v, state->singular->roots.v, sizeof *v * n);
    for (int i = 0; i < MOST_TANGENTS; i++) {
        const double before = change;
        change = 0;
        find_tangents(state);
        if (!(dal_speeds_factor(state) < DAL_SPEEDS_SINGULAR))
            return dal_speeds_check(state);
        memcpy(last, v, sizeof *v * n);
        solve_velocities(state, u);
        for (size_t k = 0; k < n; k++)
            change = fmax(change, fabs(v[k] - last[k]) * layout->units.column_scale[k] / layout->units.length);
        const double fastest = fmax(dal_fastest(state->system, v), 1 / layout->units.time);
        if (change <= root_is_known * fastest || (change > 0.25 * before && change <= root_allowed * fastest))
            return 0;
        if (!isfinite(change))
            break;
    }
    return dal_state_fail_for(state, DAL_REASON_SPEEDS,
                              "no velocities were found that go with these speeds: the constraints that are not linear in the rates have no "
                              "root near the last one, or two of their roots meet here");
}

dal_flow dal_speeds_unpack(dal_state *state, const double *u)
{
    dal_flow flow = state->layout->curved ? find_root(state, u) : 0;
    if (flow)
        return flow;
    if (state->layout->curved) {
        find_tangents(state);
        return dal_speeds_prepare(state);
    }
    if ((flow = dal_speeds_prepare(state)))
        return flow;
    solve_velocities(state, u);
    return 0;
}

dal_flow dal_speeds_pack(dal_state *state, double *u)
{
    const dal_layout *layout = state->layout;
    const dal_speeds *s = state->speeds->basis;
    for (int j = 0; j < s->p; j++) {
        if (!s->fixed) {
            u[j] = state->work.v[state->speeds->column[j]];
            continue;
        }
        const dal_row_layout *at = &layout->row[dal_speeds_named_row(state, j)];
        u[j] = Z_of(state, j);
        for (int k = at->value; k < at->value + at->n_values; k++)
            u[j] += state->work.A[k] * state->work.v[layout->column[k]];
    }
    return 0;
}

/* |Y_jk| times the unit of v_k, the largest. */
double dal_speeds_unit(const dal_state *state, int j)
{
    const dal_layout *layout = state->layout;
    if (!state->speeds->basis->fixed)
        return layout->units.length / layout->units.column_scale[state->speeds->column[j]];
    const dal_row_layout *at = &layout->row[dal_speeds_named_row(state, j)];
    double unit = 0;
    for (int k = at->value; k < at->value + at->n_values; k++)
        unit = fmax(unit, fabs(state->work.A[k]) * layout->units.length / layout->units.column_scale[layout->column[k]]);
    return unit > 0 && isfinite(unit) ? unit : 1;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

/* Does nothing in an evaluation read lambda? Friction does, rows that work is done on, and derived ones. */
static bool are_alone(const dal_system *system)
{
    const dal_layout *layout = &system->layout;
    bool alone = !system->acting.n_frictions && !layout->curved && !layout->columnless && !layout->derived &&
                 !(layout->placement && system->works && dal_placement_timed(layout->placement));
    for (int i = 0; i < layout->n_extrinsic && system->works; i++) {
        const dal_row *row = &layout->mechanism->rows[layout->row[i].source];
        alone = alone && row->time < 0 && row->form < 0;
    }
    return alone;
}

/* Evaluations on the links of a tree, where all velocities are speeds, need no matrix: dal_speeds_widen. */
static bool has_lazy_matrices(const dal_system *system, const dal_speeds *s)
{
    return system->layout.columnless && s->p == s->n;
}

/* What grows with the square of the model. */
static void layout_matrices(dal_block *block, const dal_system *system, dal_speeds *s)
{
    const size_t n = (size_t)s->n, p = (size_t)s->p, bodies = (size_t)system->mechanism.n_bodies;
    DAL_LAYOUT(block, s->S, n * n);
    DAL_LAYOUT(block, s->lu, n * n);
    DAL_LAYOUT(block, s->W, p * n);
    DAL_LAYOUT(block, s->Wd, p * n);
    DAL_LAYOUT(block, s->K, p * p);
    DAL_LAYOUT(block, s->L, p * p);
    DAL_LAYOUT(block, s->sides, p * n);
    DAL_LAYOUT(block, s->T, p * bodies);
    DAL_LAYOUT(block, s->bend, p * bodies);
    DAL_LAYOUT(block, s->Td, p * bodies);
}

static void layout_basis(dal_block *block, const dal_system *system, dal_speeds **out)
{
    const dal_layout *layout = &system->layout;
    const size_t n = (size_t)layout->nv, bodies = (size_t)layout->mechanism->n_bodies;
    dal_speeds shape, *s = dal_block_alloc(block, sizeof *s);
    *out = s;
    s = s ? s : &shape;
    s->n = layout->nv;
    s->more = system->method.formulation->more;
    s->s = s->more ? system->layout.n_ignorable : 0;
    s->k = system->rank;
    s->p = s->n - s->s - s->k;
    s->fixed = layout->n_speeds && layout->n_speeds >= s->p;
    s->alone = are_alone(system);
    const size_t p = (size_t)s->p;
    DAL_LAYOUT(block, s->row, s->k);
    DAL_LAYOUT(block, s->pivot, n);
    DAL_LAYOUT(block, s->trial, n + 1);
    DAL_LAYOUT(block, s->shape, p);
    DAL_LAYOUT(block, s->dependent, n);
    dal_known_lu_layout(block, &s->known, s->fixed ? s->n : s->n - s->p);
    if (!has_lazy_matrices(system, s))
        layout_matrices(block, system, s);
    DAL_LAYOUT(block, s->row_scale, n);
    DAL_LAYOUT(block, s->weight, n);
    DAL_LAYOUT(block, s->E, (size_t)s->s * n);
    DAL_LAYOUT(block, s->e, s->s);
    DAL_LAYOUT(block, s->bias, n);
    DAL_LAYOUT(block, s->f, p);
    DAL_LAYOUT(block, s->bent, layout->n_rows + layout->n_speeds);
    DAL_LAYOUT(block, s->x, n);
    DAL_LAYOUT(block, s->b, n);
    DAL_LAYOUT(block, s->r, n);
    DAL_LAYOUT(block, s->last, layout->curved ? n : 0);
    DAL_LAYOUT(block, s->motion, bodies);
    DAL_LAYOUT(block, s->rate, bodies);
}

bool dal_speeds_widen(dal_state *state)
{
    const dal_allocator *from = &state->hold.allocator;
    dal_speeds *s = state->speeds->basis;
    if (!s || !has_lazy_matrices(state->system, s) || s->wide)
        return true;
    dal_speeds shape = *s;
    dal_block block = {0};
    layout_matrices(&block, state->system, &shape);
    s->wide = from->allocate(from->user, block.used);
    if (!s->wide)
        return false;
    memset(s->wide, 0, block.used);
    block = (dal_block){.memory = s->wide};
    layout_matrices(&block, state->system, s);
    return true;
}

static void close_speeds(dal_state *state)
{
    const dal_allocator *from = &state->hold.allocator;
    if (state->speeds->basis && state->speeds->basis->wide)
        from->release(from->user, state->speeds->basis->wide);
}

static void layout_speeds(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_speed_choice local, *speeds = DAL_LAYOUT_PART(block, state->speeds, local);
    DAL_LAYOUT(block, speeds->column, system->layout.nv);
    DAL_LAYOUT(block, speeds->wd, system->n_w);
    DAL_LAYOUT(block, speeds->momenta, system->layout.n_ignorable);
    if (system->method.formulation->chooses)
        layout_basis(block, system, &speeds->basis);
}

static void reset_speeds(dal_state *state)
{
    const dal_system *system = state->system;
    dal_speed_choice *speeds = state->speeds;
    speeds->changed = 0;
    speeds->side_kept = 0;
    speeds->condition = speeds->worst = speeds->steepness = 1;
    speeds->good = speeds->ranked = 0;
    if (system->start_speeds)
        memcpy(speeds->column, system->start_speeds, sizeof *speeds->column * (size_t)(system->layout.nv - system->rank));
}

/* (26): G = M' v + N_2 at the start, that is, the momenta of the ignorable coordinates; then automatic speeds for this position, or those speeds of
 * the model that are independent of the momenta. */
static void start_speeds(dal_state *state)
{
    if (state->system->method.formulation->ignores) {
        dal_state_position(state);
        dal_state_velocity(state);
        dal_state_momenta(state, state->speeds->momenta, NULL);
    }
    if (!state->system->method.formulation->chooses)
        return;
    state->speeds->good = state->speeds->ranked = 0;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_speeds_choose(state);
}

static void copy_speeds(const dal_state *from, dal_state *to)
{
    memcpy(to->speeds->column, from->speeds->column, sizeof *to->speeds->column * (size_t)from->layout->nv);
    memcpy(to->speeds->momenta, from->speeds->momenta, sizeof *to->speeds->momenta * (size_t)from->layout->n_ignorable);
}

static void keep_speeds(dal_state *state, dal_keep *keep)
{
    const dal_layout *layout = &state->system->layout;
    dal_speed_choice *speeds = state->speeds;
    double *const numbers[] = {&speeds->condition, &speeds->worst, &speeds->good, &speeds->ranked, &speeds->steepness};
    dal_keep_integers(keep, speeds->column, (size_t)layout->nv, 0, layout->nv ? layout->nv - 1 : 0);
    dal_keep_numbers(keep, speeds->momenta, (size_t)layout->n_ignorable);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_numbers(keep, numbers[i], 1);
    dal_keep_integers(keep, &speeds->side, 1, -1, 1);
    dal_keep_integers(keep, &speeds->side_kept, 1, -1, 1);
    dal_keep_counts(keep, &speeds->changed, 1);
    if (speeds->basis)
        dal_keep_numbers(keep, speeds->basis->weight, (size_t)speeds->basis->n);
}

const dal_owner dal_speeds_owner = {
    .layout = layout_speeds, .reset = reset_speeds, .start = start_speeds, .copy = copy_speeds, .keep = keep_speeds, .close = close_speeds};
