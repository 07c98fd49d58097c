/* The right-hand side of a run: y' of y = (q, w, z, works).
 *
 *   q' of v;   v' or u';   the rates that the model gives for its own states;
 *   power of an island = sum of Q_k v_k over its velocities, Q of the forces without potential, + sum of lambda_r beta_r over its rows A v = beta
 */
#include "generate/listing.h"

#include "model/system_parts.h"

/* phi'' = gamma, or phi'' + alpha phi' + beta phi = 0 */
dal_node dal_stabilised_gamma(dal_listing *c, dal_translation *t, int row)
{
    const dal_derived_row *r = &c->d->row[row];
    dal_node gamma, rate, phi = dal_const(c->graph, 0);
    dal_translate(t, 1, &r->gamma, &gamma);
    if (c->options->alpha == 0 && c->options->beta == 0)
        return gamma;
    dal_translate(t, 1, &r->rate, &rate);
    if (r->phi != DAL_NO_NODE)
        dal_translate(t, 1, &r->phi, &phi);
    gamma = dal_c_sub(c, gamma, dal_c_mul(c, dal_const(c->graph, c->options->alpha), rate));
    return dal_c_sub(c, gamma, dal_c_mul(c, dal_const(c->graph, c->options->beta), phi));
}

static void states(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const dal_spec *spec = d->spec;
    c->zd = dal_listing_zeros(c, spec->n_states);
    for (int i = 0; i < spec->n_states; i++) {
        dal_value value;
        if (!dal_derive_text(d, spec->states[i].binding, spec->states[i].rate, &value) || value.n != 1) {
            c->missing = dal_arena_print(c->arena, "the rate of state '%s' is not written in symbols", spec->states[i].name.text);
            return;
        }
        const dal_node node = dal_in_coordinates(d, value.node[0]);
        dal_translate(t, 1, &node, &c->zd[i]);
    }
}

/* ---- powers ------------------------------------------------------------------------------ */

/* The island that each velocity moves. */
static const int *islands_of_velocities(const dal_listing *c)
{
    const dal_layout *layout = c->d->layout;
    const dal_islands *islands = &dal_system_acting(c->d->system)->islands;
    int *of = DAL_NEW(c->arena, int, layout->nv);
    if (islands->n <= 1)
        return of;
    for (int b = 0; b < layout->mechanism->n_bodies && !layout->columnless; b++)
        for (int k = 0; k < layout->body[b].n_columns; k++)
            of[layout->body_column[layout->body[b].column + k]] = islands->of_body[b];
    for (int b = 0; layout->tree && b < layout->tree->n_bodies; b++) {
        const dal_carrier *carrier = &layout->tree->carrier[b];
        for (int s = carrier->step; s < carrier->step + carrier->n_steps; s++)
            for (int k = 0; k < dal_step_velocities(&layout->tree->step[s]); k++)
                of[layout->tree->step[s].v + k] = islands->of_body[carrier->body];
    }
    return of;
}

/* beta of A v = beta: minus the rate of the row at zero velocities. */
static dal_node still_rate(dal_listing *c, dal_translation *still, int row)
{
    dal_node rate;
    dal_translate(still, 1, &c->d->row[row].rate, &rate);
    return dal_unary(c->graph, DAL_OP_NEG, rate);
}

/* A body that moves while all velocities are zero is held on its path by forces that have no row. */
static bool moved_by_time(dal_listing *c, dal_translation *still)
{
    bool moved = false;
    for (int b = 0; b < c->d->mechanism->n_bodies; b++)
        for (int i = 0; i < 6 && c->d->layout->placement; i++) {
            dal_node rate = i < 3 ? c->d->bodies[b].rd[i] : c->d->bodies[b].w[i - 3];
            dal_translate(still, 1, &rate, &rate);
            moved |= !dal_c_is_zero(c, rate);
        }
    return moved;
}

static void powers(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const dal_islands *islands = &dal_system_acting(d->system)->islands;
    const int *of = islands_of_velocities(c);
    dal_translation still = dal_translation_begin(c);
    c->power = dal_listing_zeros(c, c->n_works);
    for (int k = 0; k < d->nv; k++) {
        dal_node pair[2] = {d->Q_other[k], dal_var(d->graph, d->v + k)};
        dal_translate(t, 2, pair, pair);
        c->power[of[k]] = dal_c_add(c, c->power[of[k]], dal_c_mul(c, pair[0], pair[1]));
        still.letter[d->v + k] = dal_const(c->graph, 0);
    }
    if (moved_by_time(c, &still))
        c->missing = "the work of bodies that are placed by time is not written";
    for (int r = 0; r < d->layout->n_extrinsic; r++) {
        const int source = d->layout->row[r].source, island = dal_island(islands->of_row, source);
        const dal_node beta = still_rate(c, &still, r);
        if (dal_c_is_zero(c, beta) || d->mechanism->rows[source].derived)
            continue;
        if (!dal_listing_multiplies(c))
            c->missing = "the work of a drive needs a multiplier, which the formulation has not in its equations";
        c->power[island] = dal_c_add(c, c->power[island], dal_c_mul(c, c->lambda[r], beta));
    }
}

void dal_listing_run(dal_listing *c, dal_translation *t)
{
    dal_derivation *d = c->d;
    const dal_system_info info = dal_system_describe(d->system);
    const int n_w = c->ud ? d->p : d->nv;
    c->n_works = info.states - d->nq - n_w - d->spec->n_states;
    dal_translate(t, d->nq, d->qd, c->qd);
    states(c, t);
    if (c->n_works > 0)
        powers(c, t);
}
