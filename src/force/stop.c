/* End stops of a coordinate or length, and joints with play: both push back only, beyond an end.
 *
 * With x the coordinate of a joint or the distance of two points, and d how far it is beyond an end (d = lower - x, d = x - upper;
 * of a clearance d = |PQ| - gap), for d > 0:
 *   no loss       F = k d                                          V = 1/2 k d^2
 *   damping       F = max(0, k d + c d')                           V = 1/2 k d^2
 *   restitution   F = k d ((1 + e^2)/2 + (1 - e^2)/2 tanh(d'/w))   V = (1 + e^2)/4 k d^2
 * against d; F = V = 0 otherwise. It never pulls.
 *
 * Restitution: on the way in F = k d, on the way out F = e^2 k d, so that an impact returns the part e^2 of its energy, independent of the mass and
 * of the initial velocity v. This is exact except near the turning point, where |d'| is not large against w:
 *   |E_after / E_before - e^2| < pi^2/12 (w/v)^2 ((1 - e^2)/(1 + e^2) + (1 - e^2)/(2 e^2)).
 * The bracket lies between e^2 and 1, F is passive (it dissipates k d (1 - e^2)/2 tanh(d'/w) d' >= 0) and smooth during contact. It is at rest where
 * k d (1 + e^2)/2 balances the load: one place, without chatter.
 *
 * The force is made of expressions (if(0 < d, ..)), whose corners the run locates as events.
 */
#include "force/force.h"

#include <math.h>

typedef struct stop {
    int force, measure;
    int effort, elastic, potential; /* expressions: along the measure; its part that has the potential; that */
} stop;

static void apply_stops(dal_loads *loads, int n, const void *elements)
{
    for (const stop *s = elements, *end = s + n; s < end; s++) {
        const dal_real effort = loads->expression[s->effort];
        dal_store_along(loads, s->measure, loads->expression[s->potential]);
        dal_spend_along(loads, s->measure, (effort - loads->expression[s->elastic]) * loads->work->rate[s->measure]);
        loads->effort[s->force] = effort;
        dal_push_measure(loads, s->measure, effort, false);
    }
}

#ifndef DAL_SCALAR_VARIANT

typedef struct stop_law {
    double stiffness, damping, restitution, velocity;
} stop_law;

/* Sums over one or two ends. */
typedef struct stop_nodes {
    dal_node effort, elastic, potential;
} stop_nodes;

static dal_node times(dal_graph *graph, double factor, dal_node a)
{
    return dal_binary(graph, DAL_OP_MUL, dal_const(graph, factor), a);
}

static dal_node plus(dal_graph *graph, dal_node a, dal_node b)
{
    return dal_binary(graph, DAL_OP_ADD, a, b);
}

/* F of one end while it is touched, d and d' being its depth and the rate of it; *part: that of it which has the potential. */
static dal_node push_back(dal_graph *graph, const stop_law *law, dal_node d, dal_node rate, dal_node *part)
{
    const double e2 = law->restitution * law->restitution;
    *part = times(graph, law->stiffness * (1 + e2) / 2, d);
    if (e2 < 1) {
        dal_node turn = dal_unary(graph, DAL_OP_TANH, times(graph, 1 / law->velocity, rate));
        return plus(graph, *part, dal_binary(graph, DAL_OP_MUL, times(graph, law->stiffness * (1 - e2) / 2, d), turn));
    }
    if (law->damping > 0)
        return dal_binary(graph, DAL_OP_MAX, dal_const(graph, 0), plus(graph, *part, times(graph, law->damping, rate)));
    return *part;
}

/* side: -1 a lower end, which pushes x up; 1 an upper end. d = side (x - at). */
static void add_end(dal_force_builder *b, const stop_law *law, int measure, double at, int side, stop_nodes *sum)
{
    dal_graph *graph = b->graph;
    dal_node zero = dal_const(graph, 0), elastic;
    dal_node d = times(graph, side, dal_binary(graph, DAL_OP_SUB, b->signal(b, measure, 0), dal_const(graph, at)));
    dal_node effort = push_back(graph, law, d, times(graph, side, b->signal(b, measure, 1)), &elastic);
    dal_node touched = dal_binary(graph, DAL_OP_LESS, zero, d);
    dal_node potential = times(graph, 0.5, dal_binary(graph, DAL_OP_MUL, elastic, d));
    sum->effort = plus(graph, sum->effort, dal_select(graph, touched, times(graph, -side, effort), zero));
    sum->elastic = plus(graph, sum->elastic, dal_select(graph, touched, times(graph, -side, elastic), zero));
    sum->potential = plus(graph, sum->potential, dal_select(graph, touched, potential, zero));
}

static bool refuse_stop(dal_force_builder *b, dal_mark mark, const char *sentence)
{
    dal_error(b->messages, mark, "%s '%s' %s", b->spec->type.text, b->spec->name.text, sentence);
    return false;
}

static bool read_loss(dal_force_builder *b, stop_law *law)
{
    const dal_force_spec *spec = b->spec;
    if (spec->damping.n && spec->restitution.text)
        return refuse_stop(b, spec->restitution.mark, "has both `damping:` and `restitution:`: its loss is given by one of them");
    if (spec->damping.n > 1)
        return refuse_stop(b, spec->damping.mark, "takes one damping");
    if (spec->velocity.text && !spec->restitution.text)
        return refuse_stop(b, spec->velocity.mark, "has a `velocity:`, which belongs to `restitution:`");
    bool ok = (!spec->damping.n || b->number(b, spec->damping.item[0], &law->damping)) &&
              (!spec->restitution.text || b->number(b, spec->restitution, &law->restitution)) &&
              (!spec->velocity.text || b->number(b, spec->velocity, &law->velocity));
    if (ok && law->damping < 0)
        return refuse_stop(b, spec->damping.mark, "has a negative damping: it would give energy");
    if (ok && !(law->restitution >= 0 && law->restitution <= 1))
        return refuse_stop(b, spec->restitution.mark, "has a restitution outside of 0 (all energy is lost) to 1 (none is)");
    if (ok && !(law->velocity > 0))
        return refuse_stop(b, spec->velocity.mark, "needs a positive `velocity:`, small against those of the impacts");
    return ok;
}

static bool read_law(dal_force_builder *b, stop_law *law)
{
    const dal_force_spec *spec = b->spec;
    *law = (stop_law){.restitution = 1, .velocity = 1e-3};
    if (spec->stiffness.n != 1)
        return refuse_stop(b, spec->stiffness.mark, "takes one stiffness");
    if (!b->number(b, spec->stiffness.item[0], &law->stiffness))
        return false;
    if (!(law->stiffness > 0))
        return refuse_stop(b, spec->stiffness.mark, "needs a positive stiffness");
    return read_loss(b, law);
}

static bool finish_stop(dal_force_builder *b, stop *s, const stop_nodes *sum)
{
    s->force = b->force;
    s->effort = b->action(b, b->spec->name, sum->effort);
    s->elastic = b->action(b, b->spec->name, sum->elastic);
    s->potential = b->action(b, b->spec->name, sum->potential);
    return true;
}

/* Both, so that each is refused by itself. */
static bool find_ends(dal_force_builder *b, const dal_force_spec *spec)
{
    dal_marker end;
    const bool first = b->marker(b, spec->connect.item[0], &end);
    return b->marker(b, spec->connect.item[1], &end) && first;
}

/* The coordinate of a joint, or the distance of two points. */
static bool find_measure(dal_force_builder *b, stop *s)
{
    const dal_force_spec *spec = b->spec;
    if (!spec->joint.text == !spec->connect.n) {
        dal_error(b->messages, spec->joint.text ? spec->joint.mark : spec->name.mark,
                  "end-stop '%s' acts either on a joint (`joint: A`) or between two points (`connect: [P, Q]`); %s given", spec->name.text,
                  spec->joint.text ? "both are" : "none is");
        return false;
    }
    if (spec->joint.text)
        s->measure = b->joint_coordinate(b, spec->joint, spec->coordinate);
    else if (spec->coordinate.text)
        return refuse_stop(b, spec->coordinate.mark, "acts between points: `coordinate` belongs to `joint:`");
    else
        s->measure = find_ends(b, spec) ? b->measure : -1;
    b->measure = s->measure;
    return s->measure >= 0;
}

static bool compile_stop(dal_force_builder *b, void *element)
{
    const dal_force_spec *spec = b->spec;
    stop *s = element;
    stop_law law;
    double lower = 0, upper = 0;
    dal_node zero = dal_const(b->graph, 0);
    stop_nodes sum = {zero, zero, zero};
    if (!find_measure(b, s) || !read_law(b, &law))
        return false;
    if (!spec->lower.text && !spec->upper.text)
        return refuse_stop(b, spec->name.mark, "has neither `lower:` nor `upper:`: it would never be touched");
    if ((spec->lower.text && !b->number(b, spec->lower, &lower)) || (spec->upper.text && !b->number(b, spec->upper, &upper)))
        return false;
    if (spec->lower.text && spec->upper.text && !(lower < upper))
        return refuse_stop(b, spec->upper.mark, "leaves no room: `upper:` has to be larger than `lower:`");
    const double offset = spec->joint.text ? b->zero : 0; /* the measure lacks the joint's zero */
    if (spec->lower.text)
        add_end(b, &law, s->measure, lower - offset, -1, &sum);
    if (spec->upper.text)
        add_end(b, &law, s->measure, upper - offset, 1, &sum);
    return finish_stop(b, s, &sum);
}

static bool compile_clearance(dal_force_builder *b, void *element)
{
    const dal_force_spec *spec = b->spec;
    stop *s = element;
    stop_law law;
    double gap;
    dal_node zero = dal_const(b->graph, 0);
    stop_nodes sum = {zero, zero, zero};
    if (!find_ends(b, spec) || !read_law(b, &law) || !b->number(b, spec->gap, &gap))
        return false;
    if (!(gap > 0))
        return refuse_stop(b, spec->gap.mark, "needs a positive gap; points that are held together without play are a joint or a bushing");
    s->measure = b->measure;
    add_end(b, &law, s->measure, gap, 1, &sum);
    return finish_stop(b, s, &sum);
}

#endif

const dal_force_type dal_force_end_stop =
    DAL_FORCE_TYPE("end-stop", "ends of the travel of a joint or of the distance of two points: push back, with a loss that is given",
                   "joint coordinate connect lower upper stiffness! damping restitution velocity", NULL, stop, apply_stops, .compile = compile_stop,
                   .potential = true, .effort = true, .corners = true);

const dal_force_type dal_force_clearance =
    DAL_FORCE_TYPE("clearance", "a joint with play: two points that move freely within a gap and are pushed back beyond it",
                   "connect! gap! stiffness! damping restitution velocity", NULL, stop, apply_stops, .compile = compile_clearance, .potential = true,
                   .effort = true, .corners = true);
