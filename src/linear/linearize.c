/* The call. A linearisation is compiled, goes to its point (linear_point.c), and gets its matrices there (linear_matrix.c):
 *
 *     x' = A x + B u,   y = C x + D u
 *
 * If a steady motion is not stable, max Re lambda(A) > 0, a second search tries to find one that is stable at the given rates.
 */
#include "linear/linear.h"

#include "base/argument.h"
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "spec/sound.h"

#include <math.h>
#include <string.h>

static void warn_corners(dal_linear *x)
{
    const int corners = dal_variation_corners(x->point.variation, &x->point.at);
    if (corners)
        dal_say(x->messages, DAL_WARNING, dal_nowhere,
                "'%s' is at a corner here (a stop, abs, a knot of a table)%s: the derivatives are those of one side, or zero",
                dal_program_switch_text(dal_system_actions(x->system)->program, dal_variation_corner(x->point.variation, &x->point.at, -1)),
                corners > 1 ? dal_arena_print(&x->arena, ", and %d other%s", corners - 1, corners > 2 ? "s are" : " is") : "");
}

/* Some freedoms exist to first order only. An equilibrium may be there. */
static bool refuse_singular(dal_linear *x)
{
    char name[DAL_LABEL];
    const int row = dal_point_singular(&x->point);
    if (row < 0)
        return false;
    dal_row_name(x->state, row, name, sizeof name);
    x->singular = dal_arena_copy(&x->arena, name, strlen(name));
    if (x->here && !dal_linear_at_steady(x))
        return false;
    dal_error(
        x->messages, dal_nowhere,
        "the position is singular: constraint '%s' depends on others here and not nearby, so that freedoms to first order are no motions; small "
        "motions are not determined",
        name);
    return true;
}

static dal_status find_matrices(void *user)
{
    return dal_linear_matrices(user);
}

static dal_status linearize_spec(void *user)
{
    dal_linear *x = user;
    dal_spec spec = *x->spec;
    if (x->options->at && strcmp(x->options->at, "start"))
        spec.simulate.start = (dal_text){0};
    dal_status status = dal_compile(&x->arena.allocator, &spec, x->messages, &x->bare);
    if (status != DAL_OK)
        return status;
    if (dal_linear_at_steady(x) && dal_refuse_friction(x->bare, x->messages))
        return DAL_BAD_MODEL;
    if ((status = dal_linear_point(x)) != DAL_OK)
        return status;
    if (refuse_singular(x))
        return DAL_BAD_MODEL;
    warn_corners(x);
    if (!x->options->at || strcmp(x->options->at, "equilibrium")) { /* an equilibrium has said both */
        dal_say_sampled(x->bare, x->messages);
        const bool steady = dal_linear_at_steady(x); /* its drives move */
        if (dal_system_ages(x->system, !steady) || (!steady && dal_point_ages(&x->point)))
            dal_say_ages(x->point.at.t, x->messages);
    }
    x->values = DAL_NEW(&x->arena, double, x->point.n_columns + x->point.n_z + 1);
    dal_point_values(&x->point, x->values, x->values + x->point.n_columns);
    return x->here && !dal_linear_at_steady(x) ? DAL_OK : find_matrices(x);
}

static bool rate_is_finite(dal_messages *messages, const char *name, double rate)
{
    if (!isfinite(rate))
        dal_error(messages, (dal_mark){"command line", 0, 0}, "the rate of '%s' is not a finite number", name);
    return isfinite(rate);
}

bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status)
{
    *status = DAL_BAD_COMMAND;
    if (!dal_needs(messages, function, "spec", spec) || !dal_needs_allocator(messages, function, allocator))
        return false;
    if (options && (!dal_needs_array(messages, function, "options->states", options->n_states, options->states) ||
                    !dal_needs_array(messages, function, "options->inputs", options->n_inputs, options->inputs) ||
                    !dal_needs_array(messages, function, "options->outputs", options->n_outputs, options->outputs) ||
                    !dal_needs_array(messages, function, "options->steady", options->n_steady, options->steady)))
        return false;
    for (int i = 0; options && i < options->n_steady; i++)
        if (!dal_needs(messages, function, "options->steady[i].coordinate", options->steady[i].coordinate) ||
            !rate_is_finite(messages, options->steady[i].coordinate, options->steady[i].rate))
            return false;
    for (int i = 0; options && i < options->n_states; i++)
        if (!dal_needs(messages, function, "options->states[i]", options->states[i]))
            return false;
    for (int i = 0; options && i < options->n_inputs; i++)
        if (!dal_needs(messages, function, "options->inputs[i]", options->inputs[i]))
            return false;
    for (int i = 0; options && i < options->n_outputs; i++)
        if (!dal_needs(messages, function, "options->outputs[i]", options->outputs[i]))
            return false;
    *status = DAL_BAD_MODEL;
    return dal_spec_sound(spec, messages);
}

/* Does a small motion grow? */
static bool motion_grows(dal_linear *x)
{
    dal_modes *modes;
    double fast = 0, growth = 0;
    if (dal_linear_modes(x, &modes) != DAL_OK)
        return false;
    for (int i = 0; i < modes->n_modes; i++) {
        fast = fmax(fast, hypot(modes->modes[i].re, modes->modes[i].im));
        growth = fmax(growth, modes->modes[i].re);
    }
    return growth > 1e-9 * fast;
}

/* A steady motion that is not stable: is there another one, which is? */
static void try_to_descend(dal_linear *x)
{
    dal_linear other = {.spec = x->spec, .options = x->options, .here = x->here, .descends = true};
    dal_arena_begin(&other.arena, &x->arena.allocator);
    dal_linear *worse = &other;
    if (dal_arena_try(&other.arena, linearize_spec, &other) == DAL_OK && !motion_grows(&other)) {
        const dal_linear kept = *x;
        dal_messages *messages = x->messages;
        *x = other;
        x->messages = messages;
        x->point.arena = &x->arena;
        other = kept;
        other.point.arena = &other.arena;
    }
    dal_linear_end(worse);
    dal_arena_release(&worse->arena);
}

dal_status dal_linear_make(dal_linear *x, bool here)
{
    static const dal_linear_options defaults = {0};
    if (!x->options)
        x->options = &defaults;
    x->here = here;
    const dal_status status = dal_arena_try(&x->arena, linearize_spec, x);
    if (status == DAL_OK && dal_linear_at_steady(x) && motion_grows(x))
        try_to_descend(x);
    return status;
}

dal_status dal_linear_finish(dal_linear *x)
{
    if (dal_refuse_friction(x->bare, x->messages))
        return DAL_BAD_MODEL;
    return dal_arena_try(&x->arena, find_matrices, x);
}

void dal_linear_end(dal_linear *x)
{
    dal_linear_close(x);
    dal_system_free(x->bare);
}

dal_status dal_linear_find(dal_linear *x, const char *function, const dal_allocator *allocator, dal_linear_finder *find, size_t memory, void *result)
{
    dal_status status;
    void *found = NULL;
    if (!dal_linear_needs(function, allocator, x->spec, x->options, x->messages, &status))
        return status;
    dal_arena_begin(&x->arena, allocator);
    status = dal_linear_make(x, false);
    if (status == DAL_OK)
        status = find(x, &found);
    dal_linear_end(x);
    return dal_arena_deliver(&x->arena, status == DAL_OK, status, found, memory, result);
}

static dal_status study_matrices(dal_linear *x, void **found)
{
    const dal_status status = dal_linear_study(x);
    *found = x->out;
    return status;
}

dal_status dal_linearize(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                         dal_linearization **linearization)
{
    dal_linear x = {.spec = spec, .options = options, .messages = messages};
    if (linearization)
        *linearization = NULL;
    if (!DAL_NEEDS(messages, linearization))
        return DAL_BAD_COMMAND;
    return dal_linear_find(&x, __func__, allocator, study_matrices, offsetof(dal_linearization, memory), linearization);
}

void dal_linearization_free(dal_linearization *linearization)
{
    if (linearization)
        dal_arena_dispose(linearization->memory);
}
