/* The point of a linearisation: the start, a state of a file, an equilibrium (start/settle.h) or a steady motion (steady.h).
 *
 * The model is compiled again, with columns for the candidates s, s', s'' and the outputs. Before that, a steady motion is found on a separate
 * system, because the candidates depend on its turning frames.
 */
#include "linear/linear.h"

#include "analysis/evaluator.h"
#include "dynamics/equations.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MANY = 24 };              /* bodies: a large model */
static const double lost = 1e-6; /* gap of a row, in its unit: more than a projection or a rounded number leaves */

bool dal_linear_at_steady(const dal_linear *x)
{
    return x->options->at && !strcmp(x->options->at, "steady");
}

static bool is_at_file(const dal_linear *x)
{
    const char *at = x->options->at;
    return at && strcmp(at, "start") && strcmp(at, "equilibrium") && !dal_linear_at_steady(x);
}

/* Are the messages equal except for primes? */
static bool texts_are_alike(const char *a, const char *b)
{
    while (true) {
        a += strspn(a, "'");
        b += strspn(b, "'");
        if (*a != *b || !*a)
            return *a == *b;
        a++;
        b++;
    }
}

/* An unknown name is reported for the channel, its rate and its acceleration: one of these messages is enough. */
static void pass_messages_on(dal_linear *x, const dal_messages *heard)
{
    for (const dal_message *m = dal_messages_first(heard); m; m = m->next) {
        bool said = false;
        for (const dal_message *before = dal_messages_first(heard); before != m && !said; before = before->next)
            said = before->severity == m->severity && texts_are_alike(before->text, m->text);
        if (!said)
            dal_pass_on(x->messages, m);
    }
}

/* The derivatives along the constraints are those of a state on them. */
static dal_status refuse_off(dal_linear *x)
{
    const dal_layout *layout = dal_layout_of(x->state);
    const dal_work *work = dal_seen_work(x->state);
    char name[DAL_LABEL];
    int row = 0;
    if (!layout->n_rows)
        return DAL_OK;
    const bool open = dal_worst_row(x->state, work->phi, &row) > lost;
    if (!open && !(dal_worst_row(x->state, work->phid, &row) > lost / layout->units.time))
        return DAL_OK;
    dal_row_name(x->state, row, name, sizeof name);
    dal_error(x->messages, (dal_mark){x->options->at, 0, 0},
              "the state is off the constraints: the %s not satisfy row '%s'. Small motions are about a state that satisfies all of them",
              open ? "positions do" : "rates do", name);
    return DAL_BAD_COMMAND;
}

static dal_status read_instant(dal_linear *x)
{
    dal_instant *instant = NULL;
    dal_evaluation *evaluation = NULL;
    dal_status status = dal_instant_read(&x->arena.allocator, x->system, x->options->at, x->messages, &instant);
    for (int k = 0; status == DAL_OK && k < instant->nv; k++)
        if (instant->forces[k] != 0) {
            dal_error(x->messages, (dal_mark){x->options->at, 0, 0},
                      "the state has forces, which are no part of the model: a force that is to act is an input");
            status = DAL_BAD_COMMAND;
        }
    if (status == DAL_OK)
        status = dal_evaluate(&x->arena.allocator, x->state, instant, NULL, x->messages, &evaluation);
    if (status == DAL_OK)
        status = refuse_off(x);
    dal_evaluation_free(evaluation);
    dal_instant_free(instant);
    return status;
}

/* Compiles a spec whose warnings were given before; its messages are passed on only if it fails. */
static dal_status compile_spec_quietly(dal_linear *x, const dal_spec *spec, dal_system **system)
{
    dal_messages *heard = dal_messages_create(&x->arena.allocator);
    const dal_status status = heard ? dal_compile(&x->arena.allocator, spec, heard, system) : DAL_NO_MEMORY;
    if (status != DAL_OK)
        pass_messages_on(x, heard);
    dal_messages_free(heard);
    return status;
}

static double *copy_of_numbers(dal_linear *x, const double *from, int n)
{
    double *copy = DAL_NEW(&x->arena, double, n + 1);
    if (n)
        memcpy(copy, from, sizeof *copy * (size_t)n);
    return copy;
}

/* x->pace: given rates over what the channels change by for a displacement of one length or radian, or for such a velocity. */
static dal_status find_pace(dal_linear *x, dal_state *state, int n, const int *columns, const double *rates)
{
    dal_point p;
    const dal_status status = dal_point_open(&x->arena, state, x->messages, &p);
    if (status != DAL_OK)
        return status;
    double *slope = DAL_NEW(&x->arena, double, p.n_columns + 1), *value = DAL_NEW(&x->arena, double, p.n_columns + 1);
    double *most = DAL_NEW(&x->arena, double, n + 1);
    const double unit = sqrt(p.layout->units.mass) * p.layout->units.length;
    for (int j = 0; j < 2 * p.positions.p; j++) {
        const double *along = p.positions.T + (size_t)p.nv * (size_t)(j / 2);
        const dal_variation_direction place = {.q = along}, rate = {.v = along};
        dal_variation_along(p.variation, &p.at, j % 2 ? &rate : &place, &(dal_variation_result){.columns = slope, .values = value});
        for (int i = 0; i < n; i++)
            most[i] = fmax(most[i], fabs(slope[columns[i]]) * unit);
    }
    x->pace = 0;
    for (int i = 0; i < n; i++)
        if (most[i] > 0 && isfinite(most[i]))
            x->pace = fmax(x->pace, fabs(rates[i]) / most[i]);
    dal_point_close(&p);
    return DAL_OK;
}

/* The steady motion, on a separate system; q, v, z and the frames are kept. */
static dal_status keep_steady_motion(dal_linear *x, dal_system *system, dal_state *state)
{
    const dal_layout *layout = dal_system_layout(system);
    const int n = x->options->n_steady, bodies = layout->mechanism->n_bodies;
    int *columns = DAL_NEW(&x->arena, int, n + 1);
    double *rates = DAL_NEW(&x->arena, double, n + 1);
    const char **names = DAL_NEW(&x->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        names[i] = x->options->steady[i].coordinate;
        rates[i] = x->options->steady[i].rate;
        columns[i] = dal_system_column(system, names[i]);
        if (columns[i] < 0) {
            dal_error(x->messages, (dal_mark){"command line", 0, 0}, "'%s' is not a scalar: a steady motion is given by one coordinate and its rate",
                      names[i]);
            return DAL_BAD_COMMAND;
        }
        for (int k = 0; k < i; k++)
            if (columns[k] == columns[i] && rates[k] != rates[i]) {
                dal_error(x->messages, (dal_mark){"command line", 0, 0}, "the rate of '%s' is given twice: %.10g and %.10g", names[i], rates[k],
                          rates[i]);
                return DAL_BAD_COMMAND;
            }
    }
    dal_status status = dal_evaluate_whole(state, x->messages);
    if (status == DAL_OK)
        status = find_pace(x, state, n, columns, rates);
    if (status == DAL_OK)
        dal_system_slow_down(system, x->pace);
    if (status == DAL_OK)
        status = dal_state_steady(&x->arena, state, x->descends, n, columns, rates, names, x->messages, &x->steady);
    if (status != DAL_OK)
        return status;
    const dal_work *work = dal_seen_work(state);
    x->steady_q = copy_of_numbers(x, work->q, layout->nq);
    x->steady_v = copy_of_numbers(x, work->v, layout->nv);
    x->steady_z = copy_of_numbers(x, dal_own_states_of(state), dal_system_states(system, NULL));
    x->steady_chart = DAL_NEW(&x->arena, int, 3 * bodies + 1);
    memcpy(x->steady_chart, work->chart, sizeof *work->chart * 3 * (size_t)bodies);
    x->inclined = DAL_NEW(&x->arena, bool, 3 * bodies + 1);
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < 3; k++)
            x->inclined[3 * b + k] = fabs(work->kin[b].R[3 * x->steady.frames[b].axis + k]) < 1 - 1e-6;
    return DAL_OK;
}

static dal_status find_steady_motion(dal_linear *x)
{
    const dal_spec spec = dal_record_steady(x);
    dal_system *system = NULL;
    dal_state *state = NULL;
    dal_status status = compile_spec_quietly(x, &spec, &system);
    if (status == DAL_OK && !(state = dal_state_create(&x->arena.allocator, system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = keep_steady_motion(x, system, state);
    dal_state_free(state);
    dal_system_free(system);
    return status;
}

static dal_status adopt_steady_motion(dal_linear *x)
{
    dal_work *work = dal_work_of(x->state);
    memcpy(work->chart, x->steady_chart, sizeof *work->chart * 3 * (size_t)dal_system_mechanism(x->system)->n_bodies);
    if (dal_state_adopt(x->state, work->t, x->steady_q, x->steady_v)) {
        dal_error(x->messages, dal_nowhere, "in the steady motion: %s", dal_trouble_of(x->state));
        return DAL_NUMERICAL;
    }
    memcpy(dal_own_states_of(x->state), x->steady_z, sizeof *x->steady_z * (size_t)dal_system_states(x->system, NULL));
    return dal_evaluate_whole(x->state, x->messages);
}

static dal_status go_to_point(dal_linear *x)
{
    const char *at = x->options->at ? x->options->at : "start";
    x->state = dal_state_create(&x->arena.allocator, x->system);
    if (!x->state)
        return DAL_NO_MEMORY;
    dal_system_slow_down(x->system, x->pace);
    if (!strcmp(at, "steady"))
        return adopt_steady_motion(x);
    if (!strcmp(at, "equilibrium") && dal_system_acting(x->system)->n_frictions && !x->seed && dal_state_stays(&x->arena, x->state) &&
        dal_state_rubs(x->state))
        return DAL_OK;
    if (!strcmp(at, "equilibrium"))
        return dal_state_settle(&x->arena, x->state, x->seed, x->messages);
    if (strcmp(at, "start"))
        return read_instant(x);
    return dal_evaluate_whole(x->state, x->messages);
}
static void find_candidate_columns(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++) {
        dal_candidate *c = &x->candidates[i];
        c->column = dal_system_column(x->system, c->text[0]);
        c->rate = dal_system_column(x->system, c->text[1]);
        c->acceleration = dal_system_column(x->system, c->text[2]);
    }
}

/* The name of a vector, or of a channel that is not a position. */
static dal_status refuse_states(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++) {
        const dal_candidate *c = &x->candidates[i];
        if (c->column >= 0 && c->rate >= 0 && c->acceleration >= 0)
            continue;
        dal_error(x->messages, (dal_mark){"command line", 0, 0}, "state '%s' is not a scalar: name one channel of position, as in A.angle or cart.x",
                  c->name);
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

/* A rate is a state beside its coordinate, and is not chosen. */
static bool refuse_rates(dal_linear *x)
{
    for (int i = 0; i < x->options->n_states; i++) {
        const char *name = x->options->states[i];
        const size_t n = strlen(name);
        if (!n || name[n - 1] != '\'')
            continue;
        dal_error(x->messages, (dal_mark){"command line", 0, 0},
                  "state '%s' is a rate: a state is a channel of position, as in A.angle or cart.x, "
                  "and its rate is a state with it",
                  name);
        return true;
    }
    return false;
}

/* A state is a channel, or a name that linearisations print themselves, as atan2(top.ex.y, top.ex.x). */
static bool refuse_expressions(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++) {
        const dal_candidate *c = &x->candidates[i];
        const char *rate = dal_arena_print(&x->arena, "%s'", c->name);
        const size_t n = strspn(c->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
        const bool number = c->name[0] >= '0' && c->name[0] <= '9';
        if (!c->asked || (!c->name[n] && !number) || strcmp(c->text[1], rate))
            continue;
        dal_error(x->messages, (dal_mark){"command line", 0, 0},
                  "state '%s' is an expression: a state is a channel of position, as in A.angle or cart.x", c->name);
        return true;
    }
    return false;
}

/* The model was compiled without the states and outputs: a fault that is found with them is in their names. */
static dal_status compile_columns(dal_linear *x, const dal_spec *spec)
{
    const dal_status status = compile_spec_quietly(x, spec, &x->system);
    for (const dal_message *m = dal_messages_first(x->messages); m && status == DAL_BAD_MODEL; m = m->next)
        if (m->severity == DAL_ERROR && m->mark.file && m->mark.file[0] == '-')
            return DAL_BAD_COMMAND;
    return status;
}

/* Compiles with the columns, and opens the point. */
static dal_status open_point(dal_linear *x)
{
    if (refuse_rates(x))
        return DAL_BAD_COMMAND;
    dal_status status = dal_linear_at_steady(x) ? find_steady_motion(x) : DAL_OK;
    if (status != DAL_OK)
        return status;
    dal_list_candidates(x);
    if (refuse_expressions(x))
        return DAL_BAD_COMMAND;
    const dal_spec spec = dal_record_candidates(x);
    if ((status = compile_columns(x, &spec)) != DAL_OK)
        return status;
    find_candidate_columns(x);
    if ((status = refuse_states(x)) != DAL_OK || (status = go_to_point(x)) != DAL_OK)
        return status;
    const bool rubs = dal_system_acting(x->system)->n_frictions && !x->here;
    if (rubs && (status = dal_evaluate_whole(x->state, x->messages)) != DAL_OK) /* an equilibrium was found without */
        return status;
    status = dal_point_open(&x->arena, x->state, x->messages, &x->point);
    return status == DAL_OK && rubs ? dal_point_rub(&x->point, x->messages) : status;
}

void dal_linear_close(dal_linear *x)
{
    dal_point_close(&x->point);
    dal_state_free(x->state);
    dal_system_free(x->system);
    x->state = NULL;
    x->system = NULL;
}

/* In coordinates of its bodies the matrices of a large model are sparse, and the result is the same. */
static bool model_is_large(const dal_linear *x)
{
    const dal_layout *layout = dal_system_layout(x->bare);
    return layout->mechanism->n_bodies > MANY && !layout->placement && !layout->systems && !is_at_file(x);
}

dal_status dal_linear_point(dal_linear *x)
{
    x->absolute = model_is_large(x);
    dal_status status = open_point(x);
    bool rowless;
    if (status != DAL_OK)
        return status;
    x->point.reacts = dal_variation_reacts(x->point.variation, &rowless);
    if (!rowless || is_at_file(x))
        return DAL_OK;
    dal_linear_close(x);
    x->absolute = true;
    status = open_point(x);
    if (status == DAL_OK)
        x->point.reacts = dal_variation_reacts(x->point.variation, &rowless);
    return status;
}
