/* Warnings of `check` about the start that a run reports before it begins: a singular position, from which more than one motion may begin, or one
 * near it. Neighbours are visited only where the rows at the start give reason to: some depend on others, or nearly do.
 */
#include "check/checker.h"
#include "base/message.h"
#include "math/dense.h"
#include "dynamics/row_rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <string.h>

static const double nearly = 0.02;   /* smallest pivot over the largest, of rows at unit norm */
enum { ASKED = 100, VISITED = 150 }; /* velocities up to which pivots are computed; up to which neighbours are visited */

static bool is_suspicious(const dal_system *system, dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    const dal_layout *layout = dal_system_layout(system);
    if (!layout->n_rows || rank->n < layout->n_rows)
        return layout->n_rows > 0;
    if (!layout->small || layout->nv > ASKED)
        return false;
    dal_scaled_rows(state, rank->matrix, NULL);
    return !(dal_qr(rank->matrix, layout->nv, layout->n_rows, layout->nv, rank->work) > nearly);
}

typedef struct request {
    dal_checker checker;
    dal_messages *messages;
    bool singular;
} request;

static dal_status visit(void *user)
{
    request *r = user;
    dal_checker *c = &r->checker;
    dal_probe probe;
    c->verdict = DAL_NEW(&c->arena, dal_verdict, 1);
    dal_probe_begin(&probe, &c->arena, dal_system_of(c->state));
    dal_check_count(c, &probe);
    if (c->verdict->rank < 0 || probe.m > VISITED)
        return DAL_OK;
    dal_check_singular(c, &probe);
    r->singular = c->verdict->singular;
    for (int i = 0; i < c->verdict->n_warnings; i++)
        dal_pass_on(r->messages, c->verdict->warnings[i]);
    return DAL_OK;
}

bool dal_check_before_run(const dal_system *system, dal_state *state, const dal_allocator *allocator, dal_messages *messages)
{
    request r = {.checker = {.state = state}, .messages = messages};
    if (dal_state_unpack(state, dal_seen_work(state)->t, dal_state_y(state)))
        return false;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    if (!is_suspicious(system, state))
        return false;
    dal_arena_begin(&r.checker.arena, allocator);
    dal_arena_try(&r.checker.arena, visit, &r);
    dal_arena_release(&r.checker.arena);
    return r.singular;
}
