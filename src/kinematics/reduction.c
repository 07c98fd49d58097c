/* Natural coordinates with linear rows eliminated: columns, M' and multipliers (reduction.h has the equations; reduction_build.c eliminates). */
#include "kinematics/reduction.h"

#include "kinematics/layout.h"

#ifndef DAL_SCALAR_VARIANT

/* ---- columns and M' of a layout --------------------------------------------------------------- */

/* The columns of a body, ascending: `seen` marks them. */
static int gather_columns(const dal_reduction *e, int body, int *seen, int *out)
{
    int n = 0;
    for (int k = e->first[e->natural[body]]; k < e->first[e->natural[body + 1]]; k++)
        if (seen[e->column[k]] != body + 1) {
            int at = n++;
            seen[e->column[k]] = body + 1;
            for (; at > 0 && out[at - 1] > e->column[k]; at--)
                out[at] = out[at - 1];
            out[at] = e->column[k];
        }
    return n;
}

void dal_reduction_columns(dal_arena *arena, dal_layout *layout)
{
    dal_reduction *e = layout->reduction;
    const dal_mechanism *m = layout->mechanism;
    int *seen = DAL_NEW(arena, int, e->n_left), *at_column = DAL_NEW(arena, int, e->n_left);
    layout->nq = layout->nv = e->n_left;
    layout->body_column = DAL_NEW(arena, int, e->n_entries); /* at most */
    e->local = DAL_NEW(arena, int, e->n_entries);
    for (int b = 0; b < e->n_bodies; b++) {
        dal_body_layout *at = &layout->body[b];
        at->n_rot = dal_natural_count(m->space, m->bodies[b].particle) - (int)m->space;
        at->column = layout->n_body_columns;
        at->n_columns = gather_columns(e, b, seen, layout->body_column + at->column);
        layout->n_body_columns += at->n_columns;
        for (int k = 0; k < at->n_columns; k++)
            at_column[layout->body_column[at->column + k]] = k;
        for (int k = e->first[e->natural[b]]; k < e->first[e->natural[b + 1]]; k++)
            e->local[k] = at_column[e->column[k]];
        at->intrinsic = layout->n_extrinsic + layout->n_intrinsic;
        at->n_intrinsic = dal_natural_rows(m->space, m->bodies[b].particle);
        layout->n_intrinsic += at->n_intrinsic;
    }
    layout->angular = DAL_NEW(arena, int, layout->nv);
    for (int j = 0; j < layout->nv; j++)
        layout->angular[j] = e->left[j] - e->natural[e->left_body[j]] >= (int)m->space;
    layout->block = DAL_NEW(arena, dal_mass_block, e->n_groups);
    int *block = DAL_NEW(arena, int, e->n_groups);
    for (int g = 0; g < e->n_groups; g++) {
        const int n = e->group[g + 1] - e->group[g];
        block[g] = n > 0 ? layout->n_blocks++ : -1;
        if (n > 0)
            layout->block[block[g]] = (dal_mass_block){layout->n_mass, e->group[g], n};
        layout->n_mass += n * n;
    }
    for (int b = 0; b < e->n_bodies; b++)
        e->body_block[b] = block[e->body_block[b]];
}

/* M' = sum over bodies of B^T (mu x 1) B. */
void dal_reduction_mass(dal_layout *layout)
{
    const dal_reduction *e = layout->reduction;
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < e->n_bodies; b++) {
        const int first = e->natural[b], vectors = (e->natural[b + 1] - first) / space;
        const double *mu = e->moments[b];
        if (e->body_block[b] < 0)
            continue;
        const dal_mass_block *block = &layout->block[e->body_block[b]];
        double *M = layout->constant_mass + block->value;
        for (int k = 0; k < vectors; k++)
            for (int l = 0; l < vectors; l++)
                for (int i = 0; i < space; i++)
                    for (int x = e->first[first + space * k + i]; x < e->first[first + space * k + i + 1]; x++)
                        for (int y = e->first[first + space * l + i]; y < e->first[first + space * l + i + 1]; y++)
                            M[block->n * (e->column[x] - block->column) + e->column[y] - block->column] +=
                                e->coef[x] * mu[(1 + space) * k + l] * e->coef[y];
    }
    for (int k = 0; k < layout->n_blocks; k++) { /* sums in two orders: the same number on both sides */
        const int n = layout->block[k].n;
        double *M = layout->constant_mass + layout->block[k].value;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                M[n * j + i] = M[n * i + j];
    }
}

const dal_block_array dal_reduction_arrays[] = {
    DAL_ENDS(dal_reduction, natural, n_bodies),     DAL_ENDS(dal_reduction, first, n_natural),   DAL_ARRAY(dal_reduction, column, n_entries),
    DAL_ARRAY(dal_reduction, local, n_entries),     DAL_ARRAY(dal_reduction, coef, n_entries),   DAL_ARRAY(dal_reduction, constant, n_natural),
    DAL_ARRAY(dal_reduction, left, n_left),         DAL_ARRAY(dal_reduction, left_body, n_left), DAL_ENDS(dal_reduction, group, n_groups),
    DAL_ARRAY(dal_reduction, body_block, n_bodies), DAL_ARRAY(dal_reduction, moments, n_bodies), DAL_ARRAY(dal_reduction, held, n_held),
    DAL_ARRAY(dal_reduction, solved, n_held),       DAL_ARRAY(dal_reduction, held_at, n_rows),   DAL_ENDS(dal_reduction, force_first, n_held),
    DAL_ARRAY(dal_reduction, force_from, n_forces), DAL_ARRAY(dal_reduction, force, n_forces),   {0}};

#endif

/* ---- multipliers of the eliminated rows -------------------------------------------------------- */

/* Adds (mu x 1) q'' - Q of a body. */
static void add_motion(const dal_layout *layout, const dal_work *work, int body, const dal_tangent *motion, dal_real *rho)
{
    const int space = (int)layout->mechanism->space, turns = layout->body[body].n_rot > 0, vectors = turns ? 1 + space : 1;
    const double *mu = layout->reduction->moments[body];
    const dal_real *f = work->force + 6 * body;
    const dal_real force[3] = {-f[0], -f[1], -f[2]}, moment[3] = {-f[3], -f[4], -f[5]};
    dal_real qdd[DAL_MOST_NATURAL];
    dal_natural_pack(space, turns, motion->rd, motion->Rd, qdd);
    dal_natural_pull(space, turns, work->kin[body].R, force, moment, rho);
    for (int k = 0; k < vectors; k++)
        for (int l = 0; l < vectors; l++)
            for (int i = 0; i < space; i++)
                rho[space * k + i] += mu[(1 + space) * k + l] * qdd[space * l + i];
}

/* Subtracts lambda times the gradient of a row that is not intrinsic. */
static void subtract_row(const dal_layout *layout, const dal_work *work, int i, dal_real lambda, dal_real *rho)
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = &m->rows[layout->row[i].source];
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const int number = m->terms[k].measure;
        for (int j = 0; j < 4; j++) {
            const int n = m->measures[number].vector[j], body = n < 0 ? DAL_GROUND : m->vectors[n].body;
            if (body != DAL_GROUND)
                dal_natural_scatter(&m->vectors[n], (int)m->space, layout->body[body].n_rot, -lambda * work->coef[k],
                                    work->gradient + 12 * number + 3 * j, rho + layout->reduction->natural[body]);
        }
    }
}

static void subtract_intrinsic(const dal_layout *layout, const dal_work *work, int body, const dal_real *lambda, dal_real *rho)
{
    const dal_body_layout *at = &layout->body[body];
    for (int i = 0; i < at->n_intrinsic; i++)
        dal_natural_intrinsic((int)layout->mechanism->space, work->kin[body].R, i, -lambda[at->intrinsic + i], rho);
}

void dal_reduction_multipliers(const dal_layout *layout, const dal_work *work, const dal_tangent *motion, const dal_real *lambda, dal_real *rho,
                               dal_real *mu)
{
    const dal_reduction *e = layout->reduction;
    for (int i = 0; i < e->n_natural; i++)
        rho[i] = 0;
    for (int b = 0; b < e->n_bodies; b++) {
        if (motion)
            add_motion(layout, work, b, &motion[b], rho + e->natural[b]);
        subtract_intrinsic(layout, work, b, lambda, rho + e->natural[b]);
    }
    for (int i = 0; i < layout->n_extrinsic; i++)
        subtract_row(layout, work, i, lambda[i], rho);
    for (int i = 0; i < e->n_held; i++) {
        mu[i] = 0;
        for (int k = e->force_first[i]; k < e->force_first[i + 1]; k++)
            mu[i] += e->force[k] * rho[e->solved[e->force_from[k]]];
    }
}
