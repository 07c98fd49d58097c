/* `systems:` and `lagrangian:`: sub-systems whose equations are known, from expressions to programs (kinematics/subsystems.h) and forces.
 *
 * A Lagrangian L(q, v, t), of at most second degree in the rates v, is T - V with
 *   V = -L at v = 0,   T = L + V = 1/2 v.M v + N.v
 *   M = d2L/dv2,   N = dL/dv at v = 0                      functions of q and t
 *   Q = -dV/dq - dD/dv                                     D the dissipation
 * and Lagrange's equations are M v' + (M' v + N' - dT/dq) = Q. With E = v.dL/dv - L = 1/2 v.M v + V
 *   E' = -v.dD/dv - dL/dt
 * so that the right side is the power that the balance of energy needs. T0(q, t) of `T:` stands in V in this way.
 *
 * A system of M and F, M v' = F, is the same with T = 1/2 v.M v where its kinetic energy is known: Q = F + h with h = M' v - dT/dq, and
 *   (T + V)' = v.(F + h + dV/dq) + d(V - T)/dx . x' + d(V - T)/dt
 * with x the coordinates of others that T and V may contain: like time, they are given here. Where T is not known, h = 0 and Q = F.
 *
 * Whether masses are symmetric and not indefinite, and whether energies are what they have to be, is tried at states: system_trials.c.
 */
#include "compile/systems_parts.h"

#include <string.h>

static dal_node zero(dal_build *build)
{
    return dal_const(build->graph, 0);
}

static dal_node plus(dal_build *build, dal_node a, dal_node b)
{
    return dal_binary(build->graph, DAL_OP_ADD, a, b);
}

static dal_node minus(dal_build *build, dal_node a, dal_node b)
{
    return dal_binary(build->graph, DAL_OP_SUB, a, b);
}

static dal_node times(dal_build *build, dal_node a, dal_node b)
{
    return dal_binary(build->graph, DAL_OP_MUL, a, b);
}

/* ---- variables ------------------------------------------------------------------------- */

static int variable_of(dal_build *build, int coordinate, int order)
{
    const int measure = dal_add_coordinate(&build->mechanism, coordinate);
    return dal_build_variable(build, (dal_signal){DAL_SIGNAL_MEASURE, measure, 0, order, 0});
}

static int time_variable(dal_build *build)
{
    return dal_build_variable(build, (dal_signal){DAL_SIGNAL_TIME, 0, 0, 0, 0});
}

static dal_node by_coordinate(dal_build *build, dal_node f, int coordinate)
{
    return dal_diff(build->graph, f, variable_of(build, coordinate, 0));
}

dal_node dal_systems_by_rate(dal_build *build, dal_node f, int coordinate)
{
    return dal_diff(build->graph, f, variable_of(build, coordinate, 1));
}

static dal_node rate_of(dal_build *build, int coordinate)
{
    return dal_var(build->graph, variable_of(build, coordinate, 1));
}

/* The coordinate behind a variable, or -1. */
int dal_systems_coordinate(const dal_build *build, int variable)
{
    const dal_signal *s = &build->signals[variable];
    const dal_measure *measure = s->kind == DAL_SIGNAL_MEASURE ? &build->mechanism.measures[s->index] : NULL;
    return measure && measure->kind == DAL_MEASURE_COORDINATE ? measure->vector[0] : -1;
}

static dal_node rates_are_zero(void *user, dal_graph *graph, int variable)
{
    const dal_build *build = user;
    return dal_systems_coordinate(build, variable) >= 0 && build->signals[variable].order == 1 ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* What stands in an expression. */
typedef struct contents {
    const dal_build *build;
    bool foreign, rates, foreign_rates; /* something that is neither a coordinate nor time; rates of coordinates; of anything else */
    bool *coordinate, *rate;            /* of each coordinate of the model */
} contents;

static void note_contents(void *user, int variable)
{
    contents *c = user;
    const dal_signal *s = &c->build->signals[variable];
    const int k = dal_systems_coordinate(c->build, variable);
    if (k >= 0) {
        (s->order ? c->rate : c->coordinate)[k] = true;
        c->rates |= s->order == 1;
    } else if (s->kind != DAL_SIGNAL_TIME) {
        c->foreign = true;
        c->foreign_rates |= dal_signal_moves(c->build, s) && (s->order || s->kind == DAL_SIGNAL_OMEGA || s->kind == DAL_SIGNAL_OMEGA_BODY);
    }
}

static contents contents_of(dal_build *build, dal_node node)
{
    const int n = build->spec->n_coordinates;
    contents c = {.build = build, .coordinate = DAL_NEW(build->arena, bool, n), .rate = DAL_NEW(build->arena, bool, n)};
    dal_each_var(build->graph, node, note_contents, &c);
    return c;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* A mass or an energy. */
static bool read_energy(dal_build *build, const dal_system_reading *r, const char *key, dal_text text, bool rates, dal_node *node)
{
    if (!dal_build_scalar(build, DAL_REACH_ENERGY, r->spec->binding, text, node))
        return false;
    const contents c = contents_of(build, *node);
    if (c.foreign)
        dal_error(
            build->messages, text.mark,
            "`%s` of %s names something that is neither in `coordinates:` nor time: it is made of coordinates of the model%s, time, numbers and "
            "parameters",
            key, r->what, rates ? ", their rates" : "");
    else if (c.rates && !rates)
        dal_error(build->messages, text.mark, "`%s` of %s contains a rate: it is made of coordinates of the model, time, numbers and parameters", key,
                  r->what);
    return !c.foreign && (rates || !c.rates);
}

/* The force of a potential may jump; the potential may not. */
static bool check_potential(dal_build *build, const dal_system_reading *r, dal_text text)
{
    if (dal_smoothness(build->graph, r->V) >= 1)
        return true;
    dal_error(build->messages, text.mark, "the potential of %s may jump, and a force that does this does not exist: use a continuous one", r->what);
    return false;
}

/* Masses are part of the smooth equations of motion: their switches are no events. */
static bool check_masses(dal_build *build, const dal_system_reading *r, dal_text text)
{
    for (int i = 0; i < r->n; i++) {
        int smooth = r->N ? dal_smoothness(build->graph, r->N[i]) : 2;
        for (int j = 0; j <= i; j++) {
            const int entry = dal_smoothness(build->graph, r->M[i * r->n + j]);
            smooth = entry < smooth ? entry : smooth;
        }
        if (smooth >= 2)
            continue;
        dal_error(build->messages, text.mark,
                  "the mass of %s needs a continuous derivative; it %s (use a table with smooth: 1, tanh, or a polynomial)", r->what,
                  smooth == 0 ? "may jump" : "has corners");
        return false;
    }
    return true;
}

static void use_coordinates(dal_build *build, dal_system_reading *r, const contents *c)
{
    r->number = DAL_NEW(build->arena, int, build->spec->n_coordinates);
    for (int k = 0; k < build->spec->n_coordinates; k++)
        if (c->coordinate[k] || c->rate[k])
            r->number[r->n++] = k;
}

static bool read_dissipation(dal_build *build, dal_system_reading *r)
{
    const dal_text text = r->spec->dissipation;
    dal_node D;
    r->D = DAL_NEW(build->arena, dal_node, build->spec->n_coordinates);
    for (int k = 0; k < build->spec->n_coordinates; k++)
        r->D[k] = zero(build);
    if (!text.text)
        return true;
    if (!dal_build_scalar(build, DAL_REACH_ACTION, r->spec->binding, text, &D))
        return false;
    const contents c = contents_of(build, D);
    if (c.foreign_rates || !c.rates) {
        dal_error(build->messages, text.mark,
                  c.foreign_rates
                      ? "`dissipation` of %s contains a rate that is not that of a coordinate in `coordinates:`: it would act on one side only; "
                        "write a force"
                      : "`dissipation` of %s contains no rate, as in x': it does nothing",
                  r->what);
        return false;
    }
    for (int k = 0; k < build->spec->n_coordinates; k++)
        r->D[k] = dal_systems_by_rate(build, D, k);
    return true;
}

static bool read_lagrangian(dal_build *build, dal_system_reading *r)
{
    const dal_subsystem_spec *spec = r->spec;
    const dal_text text = spec->L.text ? spec->L : spec->T;
    dal_node L, V;
    if (!read_energy(build, r, spec->L.text ? "L" : "T", text, true, &L))
        return false;
    if (spec->V.text) {
        if (!read_energy(build, r, "V", spec->V, false, &V))
            return false;
        L = minus(build, L, V);
    }
    const contents c = contents_of(build, L);
    if (!c.rates) {
        dal_error(build->messages, text.mark, "`%s` contains no rate, as in x': without a kinetic energy nothing moves", spec->L.text ? "L" : "T");
        return false;
    }
    use_coordinates(build, r, &c);
    r->V = dal_unary(build->graph, DAL_OP_NEG, dal_substitute(build->graph, L, rates_are_zero, build));
    r->written = L;
    r->T = plus(build, L, r->V);
    r->energy = true;
    r->M = DAL_NEW(build->arena, dal_node, r->n * r->n);
    r->N = DAL_NEW(build->arena, dal_node, r->n);
    for (int i = 0; i < r->n; i++) {
        const dal_node p = dal_systems_by_rate(build, L, r->number[i]);
        r->N[i] = dal_substitute(build->graph, p, rates_are_zero, build);
        for (int j = 0; j < r->n; j++)
            r->M[i * r->n + j] = dal_substitute(build->graph, dal_systems_by_rate(build, p, r->number[j]), rates_are_zero, build);
    }
    return read_dissipation(build, r) && check_masses(build, r, text) && check_potential(build, r, spec->V.text ? spec->V : text);
}

static bool read_numbers(dal_build *build, dal_system_reading *r)
{
    const dal_subsystem_spec *spec = r->spec;
    bool fine = true;
    r->n = spec->coordinates.n;
    r->number = DAL_NEW(build->arena, int, r->n);
    for (int i = 0; i < r->n; i++) {
        const dal_text name = spec->coordinates.item[i];
        const dal_symbol *symbol = dal_symbol_find(build, name.text, strlen(name.text));
        r->number[i] = symbol && symbol->kind == DAL_SYMBOL_COORDINATE ? symbol->index : -1;
        if (r->number[i] < 0)
            dal_error(build->messages, name.mark, "%s is written in '%s', which is not in `coordinates:`%s", r->what, name.text,
                      dal_symbol_hint(build, 1u << DAL_SYMBOL_COORDINATE, name.text));
        fine &= r->number[i] >= 0;
        for (int k = 0; k < i && fine; k++)
            if (r->number[k] == r->number[i]) {
                dal_error(build->messages, name.mark, "%s names coordinate '%s' twice", r->what, name.text);
                fine = false;
            }
    }
    return fine;
}

/* Rows and columns of what is written, in ascending order of the coordinates. */
static void sort_numbers(dal_build *build, dal_system_reading *r)
{
    r->order = DAL_NEW(build->arena, int, r->n);
    for (int i = 0; i < r->n; i++) {
        int k = i;
        for (; k > 0 && r->number[r->order[k - 1]] > r->number[i]; k--)
            r->order[k] = r->order[k - 1];
        r->order[k] = i;
    }
    int *number = DAL_NEW(build->arena, int, r->n);
    for (int i = 0; i < r->n; i++)
        number[i] = r->number[r->order[i]];
    r->number = number;
}

static bool check_sizes(dal_build *build, const dal_system_reading *r)
{
    const dal_subsystem_spec *spec = r->spec;
    if (spec->mass.n != spec->coordinates.n)
        dal_error(build->messages, spec->mass.mark, "`mass` of %s has %d row%s and %d coordinate%s: one of each is needed", r->what, spec->mass.n,
                  spec->mass.n == 1 ? "" : "s", spec->coordinates.n, spec->coordinates.n == 1 ? "" : "s");
    if (spec->force.n != spec->coordinates.n)
        dal_error(build->messages, spec->force.mark, "`force` of %s has %d entr%s for %d coordinate%s: one of each is needed", r->what, spec->force.n,
                  spec->force.n == 1 ? "y" : "ies", spec->coordinates.n, spec->coordinates.n == 1 ? "" : "s");
    if (spec->potential.text && !spec->kinetic.text)
        dal_error(build->messages, spec->potential.mark, "%s has a `potential` and no `kinetic`: an energy needs both", r->what);
    return spec->mass.n == spec->coordinates.n && spec->force.n == spec->coordinates.n && (spec->kinetic.text || !spec->potential.text);
}

/* 1/2 v.M v */
static dal_node quadratic_form(dal_build *build, const dal_system_reading *r)
{
    dal_node sum = zero(build);
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j <= i; j++) {
            const dal_node v2 = times(build, rate_of(build, r->number[i]), rate_of(build, r->number[j]));
            sum = plus(build, sum, times(build, dal_const(build->graph, i == j ? 0.5 : 1), times(build, r->M[i * r->n + j], v2)));
        }
    return sum;
}

static bool read_matrices(dal_build *build, dal_system_reading *r)
{
    const dal_subsystem_spec *spec = r->spec;
    bool fine = check_sizes(build, r) && read_numbers(build, r);
    if (!fine)
        return false;
    sort_numbers(build, r);
    r->M = DAL_NEW(build->arena, dal_node, r->n * r->n);
    r->F = DAL_NEW(build->arena, dal_node, r->n);
    for (int i = 0; i < r->n; i++) {
        fine &= dal_build_scalar(build, DAL_REACH_ACTION, spec->binding, spec->force.item[r->order[i]], &r->F[i]);
        for (int j = 0; j < r->n; j++)
            fine &= read_energy(build, r, "mass", spec->mass.row[r->order[i]].item[r->order[j]], false, &r->M[i * r->n + j]);
    }
    r->V = zero(build);
    r->energy = spec->kinetic.text;
    if (spec->kinetic.text)
        fine &= read_energy(build, r, "kinetic", spec->kinetic, true, &r->written);
    if (spec->potential.text)
        fine &= read_energy(build, r, "potential", spec->potential, false, &r->V) && check_potential(build, r, spec->potential);
    if (!fine || !check_masses(build, r, (dal_text){.mark = spec->mass.mark}))
        return false;
    r->T = quadratic_form(build, r);
    return true;
}

/* ---- nodes of the programs ----------------------------------------------------------------- */

static dal_node motion_rate(void *user, dal_graph *graph, int variable)
{
    dal_build *build = user;
    const int k = dal_systems_coordinate(build, variable);
    if (build->signals[variable].kind == DAL_SIGNAL_TIME)
        return dal_const(graph, 1);
    return k >= 0 && build->signals[variable].order == 0 ? rate_of(build, k) : DAL_NO_NODE;
}

/* The derivative by time at the present rates, which stay as they are. */
static dal_node along_motion(dal_build *build, dal_node f)
{
    return dal_rate(build->graph, f, motion_rate, build);
}

static void put_place(dal_build *build, const dal_system_reading *r, dal_expressions *out)
{
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j <= i; j++)
            dal_build_expression(build, out, r->M[i * r->n + j]);
    for (int i = 0; i < r->n && r->energy; i++)
        dal_build_expression(build, out, r->N ? r->N[i] : zero(build));
}

static void put_motion(dal_build *build, const dal_system_reading *r, dal_expressions *out)
{
    for (int i = 0; i < r->n && r->energy; i++)
        for (int j = 0; j <= i; j++)
            dal_build_expression(build, out, along_motion(build, r->M[i * r->n + j]));
    for (int i = 0; i < r->n && r->energy; i++)
        dal_build_expression(build, out, r->N ? along_motion(build, r->N[i]) : zero(build));
    for (int i = 0; i < r->n && r->energy; i++)
        dal_build_expression(build, out, by_coordinate(build, r->T, r->number[i]));
}

/* What of C is skew beside M'/2, below the diagonal. */
static void put_skew(dal_build *build, const dal_system_reading *r, dal_expressions *out)
{
    for (int i = 0; i < r->n && r->energy; i++)
        for (int j = 0; j < i; j++) {
            const dal_node half = dal_const(build->graph, 0.5);
            const dal_node p[2] = {dal_systems_by_rate(build, r->T, r->number[i]), dal_systems_by_rate(build, r->T, r->number[j])};
            dal_node sum = zero(build);
            for (int k = 0; k < 2; k++) {
                const dal_node N = r->N ? r->N[k ? j : i] : zero(build);
                const dal_node slope = by_coordinate(build, plus(build, times(build, half, p[k]), times(build, half, N)), r->number[k ? i : j]);
                sum = k ? minus(build, sum, slope) : plus(build, sum, slope);
            }
            dal_build_expression(build, out, sum);
        }
}

/* M' v - dT/dq of a system. */
static dal_node bias_of(dal_build *build, const dal_system_reading *r, int i)
{
    dal_node sum = dal_unary(build->graph, DAL_OP_NEG, by_coordinate(build, r->T, r->number[i]));
    for (int j = 0; j < r->n; j++) {
        const int row = i > j ? i : j, column = i > j ? j : i; /* the lower triangle is what the programs have */
        sum = plus(build, sum, times(build, along_motion(build, r->M[row * r->n + column]), rate_of(build, r->number[j])));
    }
    return sum;
}

/* ---- forces ------------------------------------------------------------------------------- */

static bool is_zero(const dal_build *build, dal_node node)
{
    double value = 1;
    return dal_is_const(build->graph, node, &value) && value == 0;
}

/* The number of an expression, -1 where it is zero. */
static int action_of(dal_build *build, dal_text text, dal_node node)
{
    return is_zero(build, node) ? -1 : dal_build_action(build, text, node);
}

/* The rate of V - T of a system by time and by coordinates of others. */
static dal_node power_of_others(dal_build *build, const dal_system_reading *r)
{
    const dal_node difference = minus(build, r->V, r->T);
    dal_node sum = dal_diff(build->graph, difference, time_variable(build));
    int own = 0;
    for (int k = 0; k < build->spec->n_coordinates; k++)
        if (own < r->n && r->number[own] == k)
            own++;
        else
            sum = plus(build, sum, times(build, by_coordinate(build, difference, k), rate_of(build, k)));
    return sum;
}

static void add_force(dal_force_group *group, dal_subsystem_force force)
{
    ((dal_subsystem_force *)group->elements)[group->n++] = force;
}

/* Q and the power of one; their texts are for messages. */
static void add_forces(dal_build *build, const dal_system_reading *r, dal_force_group *group)
{
    const dal_subsystem_spec *spec = r->spec;
    const bool function = r->D;
    const dal_text whole = function ? (spec->L.text ? spec->L : spec->T) : spec->kinetic;
    dal_node power = zero(build);
    for (int k = 0; k < build->spec->n_coordinates && function; k++) {
        const dal_node Q = dal_unary(build->graph, DAL_OP_NEG, plus(build, by_coordinate(build, r->V, k), r->D[k]));
        power = minus(build, power, times(build, r->D[k], rate_of(build, k)));
        if (!is_zero(build, Q))
            add_force(group, (dal_subsystem_force){dal_add_coordinate(&build->mechanism, k),
                                                   action_of(build, is_zero(build, r->D[k]) ? whole : spec->dissipation, Q), -1, -1});
    }
    for (int i = 0; i < r->n && !function; i++) {
        const int k = r->number[i];
        const dal_node Q = r->energy ? plus(build, r->F[i], bias_of(build, r, i)) : r->F[i];
        power = plus(build, power, times(build, plus(build, Q, by_coordinate(build, r->V, k)), rate_of(build, k)));
        /* a force that is written as 0 is none only if nothing is added to it */
        const dal_text text = Q == r->F[i] ? spec->force.item[r->order[i]] : spec->kinetic;
        add_force(group, (dal_subsystem_force){dal_add_coordinate(&build->mechanism, k), dal_build_action(build, text, Q), -1, -1});
    }
    if (r->energy) {
        power = plus(build, power, power_of_others(build, r));
        add_force(group, (dal_subsystem_force){-1, -1, action_of(build, whole, r->V), action_of(build, whole, power)});
        build->systems_work |= !is_zero(build, power);
    }
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* A coordinate belongs to one of them: two masses of the same coordinate are more likely a mistake. */
static bool own_each(dal_build *build, int n, const dal_system_reading *all)
{
    int *owner = DAL_NEW(build->arena, int, build->spec->n_coordinates);
    bool fine = true;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < all[i].n; k++) {
            int *of = &owner[all[i].number[k]];
            if (*of) {
                dal_error(build->messages, all[i].spec->name.mark, "%s and %s have coordinate '%s' in common: a coordinate belongs to one of them",
                          all[*of - 1].what, all[i].what, build->spec->coordinates[all[i].number[k]].name.text);
                fine = false;
            }
            *of = i + 1;
        }
    return fine;
}

static void find_needs(dal_build *build, dal_subsystems *s, int n, const dal_expressions *lists)
{
    bool *used = DAL_NEW(build->arena, bool, build->n_signals);
    for (int l = 0; l < n; l++)
        dal_mark_needs(build, &lists[l], used);
    s->need = DAL_NEW(build->arena, int, 3 * build->n_signals);
    s->n_variables = build->n_signals;
    for (int i = 0; i < build->n_signals; i++)
        if (used[i]) {
            int *need = s->need + 3 * s->n_needs++;
            need[0] = i;
            need[1] = dal_systems_coordinate(build, i); /* -1: time, which is all that is left */
            need[2] = build->signals[i].order;
        }
}

static void make_programs(dal_build *build, int n, const dal_system_reading *all)
{
    dal_subsystems *s = build->parts.systems = DAL_NEW(build->arena, dal_subsystems, 1);
    dal_expressions lists[3] = {{0}};
    s->n = n;
    s->system = DAL_NEW(build->arena, dal_subsystem, n);
    s->coordinate = DAL_NEW(build->arena, int, build->spec->n_coordinates);
    for (int i = 0; i < n; i++) {
        const dal_system_reading *r = &all[i];
        s->system[i] = (dal_subsystem){.n = r->n,
                                       .column = s->n_coordinates,
                                       .place = lists[0].n,
                                       .motion = lists[1].n,
                                       .skew = lists[2].n,
                                       .energy = r->energy,
                                       .mark = r->spec->name.mark,
                                       .name = r->spec->name.text};
        for (int k = 0; k < r->n; k++)
            s->coordinate[s->n_coordinates++] = r->number[k];
        put_place(build, r, &lists[0]);
        put_motion(build, r, &lists[1]);
        put_skew(build, r, &lists[2]);
    }
    find_needs(build, s, 3, lists);
    s->place = dal_program_build(build->arena, build->graph, build->n_signals, lists[0].n, lists[0].node);
    s->motion = dal_program_build(build->arena, build->graph, build->n_signals, lists[1].n, lists[1].node);
    s->skew = dal_program_build(build->arena, build->graph, build->n_signals, lists[2].n, lists[2].node);
}

static dal_force_group *begin_group(dal_build *build, int most)
{
    dal_force_group *group = DAL_PUSH(build->arena, build->groups, build->n_groups, build->cap_groups);
    *group = (dal_force_group){.elements = DAL_NEW(build->arena, dal_subsystem_force, most)};
    while (dal_force_types[group->type] != &dal_force_subsystem)
        group->type++;
    return group;
}

void dal_build_systems(dal_build *build)
{
    const dal_spec *spec = build->spec;
    const int n = spec->n_systems;
    bool fine = true;
    build->systems_first = build->systems_end = build->actions.n;
    if (!n)
        return;
    if (!spec->n_coordinates) {
        dal_error(build->messages, spec->systems[0].name.mark,
                  "'%s' is written in coordinates of the model, and there are none: name them in `coordinates:`", spec->systems[0].name.text);
        return;
    }
    dal_system_reading *all = DAL_NEW(build->arena, dal_system_reading, n);
    dal_system_trial *trials = DAL_NEW(build->arena, dal_system_trial, n);
    for (int i = 0; i < n; i++) {
        const bool function = spec->systems[i].L.text || spec->systems[i].T.text;
        all[i] = (dal_system_reading){.spec = &spec->systems[i]};
        all[i].what = function ? "the Lagrangian" : dal_arena_print(build->arena, "system '%s'", spec->systems[i].name.text);
        fine &= (function ? read_lagrangian : read_matrices)(build, &all[i]);
    }
    if (!fine || !own_each(build, n, all) || dal_messages_count(build->messages, DAL_ERROR))
        return;
    dal_systems_find_sizes(build);
    for (int i = 0; i < n; i++) {
        trials[i] = dal_systems_begin_trial(build, &all[i]);
        if (!dal_systems_try(&trials[i]))
            return;
        dal_systems_evaluate(&trials[i], 0);
    }
    dal_systems_adjust_sizes(build, n, trials);
    dal_force_group *group = begin_group(build, n * (spec->n_coordinates + 1));
    for (int i = 0; i < n; i++)
        add_forces(build, &all[i], group);
    build->systems_end = build->actions.n;
    make_programs(build, n, all);
}
