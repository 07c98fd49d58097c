/* Speeds: u = Y v + Z, chosen by the model or p of the velocities.
 *
 *   S = [Y; A_k],   S W = [1; 0],   S X = [-Z; beta_k],   S bias = [-(Y' v + Z'); gamma_k]
 *   v = W u + X,   v' = W u' + bias
 * With constant momenta G of ignorable coordinates (volterra-reduced (25)) S also has their rows E v = G - N_2, and there are fewer speeds by the
 * same number:
 *   S = [Y; E; A_k],   S X = [-Z; G - N_2; beta_k],   S bias = [-(Y' v + Z'); -(E' v + N_2'); gamma_k],   E v + N_2 = dT/dv_2
 * A_k are k independent rows of A; the compiled model chooses them.
 */
#include "derive/nodes.h"

#include "model/coordinate_names.h"

#include <string.h>

static dal_node without_rates(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    const dal_role role = d->letters[variable].role;
    return role == DAL_ROLE_RATE || role == DAL_ROLE_NORM_RATE ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* Speed j as an expression in q, v and t. */
static dal_node speed(dal_derivation *d, int j)
{
    dal_value value;
    if (!d->mechanism->n_speeds)
        return dal_n_var(d, d->v + d->options.speeds[j]);
    const dal_pair *spec = &d->spec->speeds[j];
    if (dal_derive_text(d, spec->binding, spec->value, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(d, "speed '%s', '%.80s', cannot be written in symbols", spec->name.text, spec->value.text);
    return dal_n_const(d, 0);
}

static void name_speed(dal_derivation *d, int j)
{
    if (d->mechanism->n_speeds) {
        d->speed_names[j] = d->spec->speeds[j].name.text;
        return;
    }
    d->speed_names[j] = d->velocity_names[d->options.speeds[j]];
}

/* Row i of S with its right sides: of W (p columns), X and bias. */
static void write_row(dal_derivation *d, int i, dal_node form, dal_node *S, dal_node *right)
{
    const int columns = d->p + 2;
    for (int k = 0; k < d->nv; k++) {
        S[i * d->nv + k] = dal_by_rate(d, form, k);
        for (int l = 0; l < d->nv; l++)
            if (dal_depends(d->graph, S[i * d->nv + k], d->v + l))
                dal_derive_refuse(d, "a constraint is not linear in the velocities: equations in speeds are not written in symbols for it");
    }
    for (int j = 0; j < d->p; j++)
        right[i * columns + j] = dal_n_const(d, i == j);
    right[i * columns + d->p] = dal_n_neg(d, dal_substitute(d->graph, form, without_rates, d));
    right[i * columns + d->p + 1] = dal_n_neg(d, dal_along_motion(d, form));
}

void dal_derive_speeds(dal_derivation *d)
{
    const int n = d->nv, s = d->G >= 0 ? d->layout->n_ignorable : 0;
    const int p = dal_system_freedoms(d->system) - s, columns = p + 2;
    const int *rows = d->options.rows ? d->options.rows : dal_system_start_rows(d->system);
    dal_node *S = DAL_NEW(d->arena, dal_node, n * n), *right = DAL_NEW(d->arena, dal_node, n * columns);
    dal_node *X = DAL_NEW(d->arena, dal_node, n * columns);
    if (!d->mechanism->n_speeds && !d->options.speeds) {
        dal_derive_refuse(d, "the model names no speeds, and none were chosen");
        return;
    }
    d->p = p;
    d->quasi = true;
    d->speed_names = DAL_NEW(d->arena, const char *, p);
    d->speeds = DAL_NEW(d->arena, dal_node, p);
    for (int j = 0; j < p; j++) {
        name_speed(d, j);
        d->speeds[j] = speed(d, j);
        write_row(d, j, d->speeds[j], S, right);
    }
    for (int i = 0; i < s; i++) {
        dal_node *momentum = &right[(p + i) * columns + p];
        write_row(d, p + i, dal_by_rate(d, d->T, d->layout->ignorable[i]), S, right);
        *momentum = dal_n_add(d, *momentum, dal_n_var(d, d->G + i));
    }
    for (int r = p + s; r < n; r++)
        write_row(d, r, d->row[rows[r - p - s]].rate, S, right);
    const char *word = dal_free_word(d, "u");
    d->u = d->n_letters;
    for (int j = 0; j < p; j++)
        dal_letter_add(d, DAL_ROLE_SPEED, d->mechanism->n_speeds ? d->speed_names[j] : dal_arena_print(d->arena, "%s%d", word, j + 1), j, 0);
    d->ud = d->n_letters;
    for (int j = 0; j < p; j++)
        dal_letter_add(d, DAL_ROLE_SPEED_RATE, dal_arena_print(d->arena, "%s'", d->letters[d->u + j].name), j, 0);
    dal_derive_solve(d, "w", n, S, columns, right, X);
    d->W = DAL_NEW(d->arena, dal_node, n * p);
    d->X = DAL_NEW(d->arena, dal_node, n);
    d->bias = DAL_NEW(d->arena, dal_node, n);
    for (int k = 0; k < n; k++) {
        memcpy(d->W + k * p, X + k * columns, sizeof *X * (size_t)p);
        d->X[k] = X[k * columns + p];
        d->bias[k] = X[k * columns + p + 1];
    }
}
