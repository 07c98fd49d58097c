/* dal_rollout: copies in groups of four, the rest one by one; by the engine if there is no generated code or it finds no result. */
#include "analysis/rollout_parts.h"
#include "base/argument.h"
#include "math/finite.h"
#include "model/system_parts.h"
#include "state/evaluate.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

typedef struct rolling {
    dal_rollout_model *model;
    const dal_rollout_batch *batch;
    dal_messages *messages;
    dal_rollout_outcome outcome;
    int reported; /* copies whose failure was reported */
} rolling;

static const double *inputs_of(const rolling *r, int copy)
{
    const dal_rollout_batch *b = r->batch;
    return b->inputs ? b->inputs + (size_t)copy * (size_t)r->model->info.inputs : r->model->start_inputs;
}

static const double *parameters_of(const rolling *r, int copy)
{
    const dal_rollout_batch *b = r->batch;
    return b->parameters ? b->parameters + (size_t)copy * (size_t)r->model->info.parameters : r->model->defaults;
}

static double *q_of(const rolling *r, int copy)
{
    return r->batch->q + (size_t)copy * (size_t)r->model->info.coordinates;
}

static double *v_of(const rolling *r, int copy)
{
    return r->batch->v + (size_t)copy * (size_t)r->model->info.velocities;
}

static void set_done(const rolling *r, int copy, long steps)
{
    if (r->batch->done)
        r->batch->done[copy] = steps;
}

/* ---- generated code --------------------------------------------------------------------------- */

static void spread(int n, const double *from, double *to, int lanes, int lane)
{
    for (int i = 0; i < n; i++)
        to[lanes * i + lane] = from[i];
}

static void gather_lane(int n, const double *from, double *to, int lanes, int lane)
{
    for (int i = 0; i < n; i++)
        to[i] = from[lanes * i + lane];
}

/* `lanes` copies from `first` on. Bit k of the result: copy first + k did not change, and the engine must compute it. */
static int roll_code(rolling *r, int first, int lanes)
{
    dal_rollout_model *m = r->model;
    const dal_rollout_batch *b = r->batch;
    const dal_rollout_info *n = &m->info;
    for (int k = 0; k < lanes; k++) {
        const double *parameters = parameters_of(r, first + k);
        spread(n->coordinates, q_of(r, first + k), m->q, lanes, k);
        spread(n->velocities, v_of(r, first + k), m->v, lanes, k);
        spread(n->inputs, inputs_of(r, first + k), m->inputs, lanes, k);
        for (int i = 0; i < n->parameters; i++)
            m->parameters[lanes * m->place[i] + k] = parameters[i];
    }
    dal_rollout_function *call = lanes == 1 ? m->one[b->method] : m->four[b->method];
    const int bad = call(b->t, b->step, b->steps, m->q, m->v, m->inputs, m->parameters);
    for (int k = 0; k < lanes; k++)
        if (!(bad >> k & 1)) {
            gather_lane(n->coordinates, m->q, q_of(r, first + k), lanes, k);
            gather_lane(n->velocities, m->v, v_of(r, first + k), lanes, k);
            set_done(r, first + k, b->steps);
        }
    return bad;
}

/* ---- the engine ----------------------------------------------------------------------------------- */

typedef struct copy {
    dal_rollout_model *model;
    dal_state *state;
    double *y; /* q, v, the model's own states; works are not integrated */
    int n;     /* of those */
} copy;

static bool is_fine(const copy *c, const double *y)
{
    return dal_all_finite(y, c->n);
}

/* v += h v'(t, q, v), z += h z', q += h q'(q, v) */
static bool step_euler(copy *c, double t, double h)
{
    const dal_rollout_model *m = c->model;
    const int nq = m->info.coordinates;
    double *v = c->y + nq;
    if (dal_state_derivative(c->state, t, c->y, m->dy))
        return false;
    for (int i = nq; i < c->n; i++)
        c->y[i] = fma(h, m->dy[i], c->y[i]);
    dal_work *work = dal_work_of(c->state);
    memcpy(work->v, v, sizeof *v * (size_t)m->info.velocities);
    dal_layout_of(c->state)->family->rates(dal_layout_of(c->state), work, m->dy);
    for (int i = 0; i < nq; i++)
        c->y[i] = fma(h, m->dy[i], c->y[i]);
    return is_fine(c, c->y);
}

static bool step_rk4(copy *c, double t, double h)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const dal_rollout_model *m = c->model;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < c->n; i++)
            m->at[i] = k ? fma(h * node[k], m->dy[i], c->y[i]) : c->y[i];
        if (!is_fine(c, m->at) || dal_state_derivative(c->state, t + node[k] * h, m->at, m->dy))
            return false;
        for (int i = 0; i < c->n; i++)
            m->sum[i] = k ? fma(h * weight[k], m->dy[i], m->sum[i]) : h * weight[k] * m->dy[i];
    }
    for (int i = 0; i < c->n; i++)
        c->y[i] += m->sum[i];
    return is_fine(c, c->y);
}

/* The state at its beginning, where its rank is decided. */
static bool place_copy(rolling *r, copy *c, int number)
{
    const dal_rollout_model *m = r->model;
    const int nq = m->info.coordinates, nv = m->info.velocities, nz = m->info.states;
    const double *z = r->batch->states ? r->batch->states + (size_t)number * (size_t)nz : m->start_states;
    memset(c->y, 0, sizeof *c->y * (size_t)m->n_y);
    memcpy(c->y, q_of(r, number), sizeof *c->y * (size_t)nq);
    memcpy(c->y + nq, v_of(r, number), sizeof *c->y * (size_t)nv);
    memcpy(c->y + nq + nv, z, sizeof *c->y * (size_t)nz);
    if (!dal_state_reset(c->state) || !is_fine(c, c->y) || !dal_all_finite(inputs_of(r, number), m->info.inputs))
        return false;
    memcpy(dal_values_of(c->state)->inputs, inputs_of(r, number), sizeof *c->y * (size_t)m->info.inputs);
    memcpy(dal_state_y(c->state), c->y, sizeof *c->y * (size_t)m->n_y);
    return dal_state_set_time(c->state, r->batch->t) && dal_state_evaluate(c->state, NULL) == DAL_OK;
}

static void keep_copy(const rolling *r, const copy *c, int number)
{
    const dal_rollout_info *n = &r->model->info;
    memcpy(q_of(r, number), c->y, sizeof *c->y * (size_t)n->coordinates);
    memcpy(v_of(r, number), c->y + n->coordinates, sizeof *c->y * (size_t)n->velocities);
    if (r->batch->states)
        memcpy(r->batch->states + (size_t)number * (size_t)n->states, c->y + n->coordinates + n->velocities, sizeof *c->y * (size_t)n->states);
}

static void roll_state(rolling *r, dal_state *state, int number)
{
    const dal_rollout_batch *b = r->batch;
    dal_rollout_model *m = r->model;
    copy c = {.model = m, .state = state, .y = m->y, .n = m->info.coordinates + m->info.velocities + m->info.states};
    long done = 0;
    bool fine = place_copy(r, &c, number);
    for (; fine && done < b->steps; done += fine) {
        const double t = b->t + (double)done * b->step;
        fine = b->method == DAL_ROLLOUT_RK4 ? step_rk4(&c, t, b->step) : step_euler(&c, t, b->step);
        if (fine)
            keep_copy(r, &c, number);
    }
    set_done(r, number, done);
    r->outcome.failed += !fine;
    if (!fine && !r->reported++)
        dal_error(r->messages, dal_nowhere, "copy %d has no accelerations after %ld of %ld steps", number, done, b->steps);
}

/* Copies with their own parameters are separate systems. */
static dal_status roll_engine(rolling *r, int number)
{
    dal_rollout_model *m = r->model;
    const int n = r->batch->parameters ? m->info.parameters : 0;
    dal_system *varied = NULL;
    dal_state *state = NULL;
    dal_status status = DAL_OK;
    r->outcome.by_engine++;
    if (n) {
        status = dal_system_vary(&m->allocator, m->system, n, m->names, parameters_of(r, number), r->messages, &varied);
        if (status == DAL_OK && dal_system_describe(varied).states != m->n_y) {
            dal_error(r->messages, dal_nowhere, "the parameters of copy %d give a model of another size", number);
            status = DAL_BAD_MODEL;
        }
        if (status == DAL_OK && !(state = dal_state_create(&m->allocator, varied)))
            status = DAL_NO_MEMORY;
    }
    if (status == DAL_OK)
        roll_state(r, n ? state : m->state, number);
    dal_state_free(state);
    dal_system_free(varied);
    return status;
}

/* ---- a batch ---------------------------------------------------------------------------------------- */

static dal_status roll_group(rolling *r, int first, int lanes)
{
    int bad = (1 << lanes) - 1;
    dal_status status = DAL_OK;
    if (r->model->info.lanes)
        bad = roll_code(r, first, lanes);
    for (int k = 0; k < lanes; k++) {
        const bool left = bad >> k & 1;
        r->outcome.by_lanes += !left && lanes > 1;
        r->outcome.by_one += !left && lanes == 1;
        if (left && status == DAL_OK)
            status = roll_engine(r, first + k);
    }
    return status;
}

static bool can_roll(const dal_rollout_model *model, const dal_rollout_batch *b, dal_messages *messages)
{
    static const char *const name = "dal_rollout";
    if (b->copies < 0 || b->steps < 0 || !isfinite(b->t) || !isfinite(b->step) || (b->method != DAL_ROLLOUT_EULER && b->method != DAL_ROLLOUT_RK4)) {
        dal_error(messages, dal_nowhere, "dal_rollout: copies, steps, t, step or method cannot be used");
        return false;
    }
    return dal_needs_array(messages, name, "batch->q", model->info.coordinates ? b->copies : 0, b->q) &&
           dal_needs_array(messages, name, "batch->v", model->info.velocities ? b->copies : 0, b->v);
}

dal_status dal_rollout(dal_rollout_model *model, const dal_rollout_batch *batch, dal_rollout_outcome *outcome, dal_messages *messages)
{
    rolling r = {.model = model, .batch = batch, .messages = messages};
    dal_status status = DAL_OK;
    if (outcome)
        *outcome = r.outcome;
    if (!DAL_NEEDS(messages, model) || !DAL_NEEDS(messages, batch) || !can_roll(model, batch, messages))
        return DAL_BAD_COMMAND;
    for (int i = 0; i < batch->copies && status == DAL_OK;) {
        const int lanes = model->info.lanes == DAL_ROLLOUT_LANES && batch->copies - i >= DAL_ROLLOUT_LANES ? DAL_ROLLOUT_LANES : 1;
        status = roll_group(&r, i, lanes);
        i += lanes;
    }
    if (outcome)
        *outcome = r.outcome;
    return status == DAL_OK && r.outcome.failed ? DAL_NUMERICAL : status;
}
