/* The `simulate:` block: which family, formulation, stabilisation and integrator, with their options, and the times. */
#include "math/rotation.h"
#include "compile/build.h"
#include "model/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double option(dal_build *build, const dal_choice *choice, const char *key, double fallback)
{
    double value = fallback;
    for (int i = 0; i < choice->n; i++)
        if (!strcmp(choice->option[i].name.text, key))
            dal_build_number(build, NULL, choice->option[i].value, &value);
    return value;
}

static dal_mark option_mark(const dal_choice *choice, const char *key)
{
    for (int i = 0; i < choice->n; i++)
        if (!strcmp(choice->option[i].name.text, key))
            return choice->option[i].value.mark;
    return choice->name.mark;
}

static const char *list_options(const dal_build *build, const char *const *known)
{
    const char *all = "";
    for (int k = 0; known[k]; k++)
        all = dal_arena_print(build->arena, "%s%s%s", all, k ? ", " : "", known[k]);
    return all;
}

/* `number`: the word may be followed by a number instead of options. */
static void check_options(dal_build *build, const dal_choice *choice, const char *const *known, bool number)
{
    if (choice->value.text && !number)
        dal_error(build->messages, choice->value.mark, "'%s' takes no number: write the word alone%s%s", choice->name.text,
                  known[0] ? ", or with the option " : "", list_options(build, known));
    for (int i = 0; i < choice->n; i++) {
        bool found = false;
        char hint[96];
        for (int k = 0; known[k]; k++)
            found |= !strcmp(known[k], choice->option[i].name.text);
        if (!found)
            dal_error(build->messages, choice->option[i].name.mark, "'%s' has no option '%s'%s: it has %s", choice->name.text,
                      choice->option[i].name.text, dal_did_you_mean(choice->option[i].name.text, known, hint),
                      known[0] ? list_options(build, known) : "none");
    }
}

static const char *family_name(int k)
{
    return dal_families[k] ? dal_families[k]->name : NULL;
}

static const char *formulation_name(int k)
{
    return dal_formulations[k] ? dal_formulations[k]->name : NULL;
}

static const char *stabilization_name(int k)
{
    return dal_stabilizations[k] ? dal_stabilizations[k]->name : NULL;
}

static const char *integrator_name(int k)
{
    return dal_integrators[k] ? dal_integrators[k]->name : NULL;
}

enum { MOST_NAMES = 15 };

/* Index of a chosen name in a list (which ends with NULL), or -1 with a message. */
static int choose(dal_build *build, const dal_choice *choice, const char *what, const char *(*name_at)(int k), const char *fallback)
{
    const char *name = choice->name.text ? choice->name.text : fallback, *names[MOST_NAMES + 1] = {NULL};
    char hint[96];
    for (int i = 0; i < MOST_NAMES && (names[i] = name_at(i)); i++)
        if (!strcmp(names[i], name))
            return i;
    dal_error(build->messages, choice->name.mark, "there is no %s '%s'%s; there are: %s", what, name, dal_did_you_mean(name, names, hint),
              list_options(build, names));
    return -1;
}

/* `natural: {eliminate: linear}` */
static void choose_elimination(dal_build *build, dal_text value)
{
    if (strcmp(value.text, "linear"))
        dal_error(build->messages, value.mark, "`eliminate` is linear, not '%s': rows that are not linear cannot be solved once and for all",
                  value.text);
    else if (build->family->reduced)
        build->family = build->family->reduced;
}

void dal_choose_family(dal_build *build, dal_system *system)
{
    const dal_choice *choice = &build->spec->simulate.coordinates;
    const bool own = build->spec->n_coordinates > 0;
    int k = choose(build, choice, "family of coordinates", family_name, own ? "user" : "angle");
    build->family = k >= 0 ? dal_families[k] : own ? &dal_family_user : dal_families[0];
    if (own && !build->family->of_model)
        dal_error(build->messages, choice->name.mark, "the bodies of this model are placed by its own coordinates: only the family user applies");
    if (!own && build->family->of_model)
        dal_error(build->messages, choice->name.mark, "family user needs `coordinates:` in the model");
    const char *const options[] = {build->family->option, NULL};
    check_options(build, choice, options, false);
    for (int i = 0; i < choice->n; i++) {
        if (!strcmp(choice->option[i].name.text, "eliminate"))
            choose_elimination(build, choice->option[i].value);
        if (strcmp(choice->option[i].name.text, "sequence"))
            continue;
        system->layout.sequence_fixed = true;
        if (!dal_euler_axes(choice->option[i].value.text, system->layout.sequence))
            dal_error(build->messages, choice->option[i].value.mark,
                      "'%s' is not a sequence of Euler angles: three letters of x, y, z, neighbours different, as zyx or zxz",
                      choice->option[i].value.text);
    }
}

bool dal_spec_derives(const dal_spec *spec)
{
    return spec->simulate.undetermined.word.text && !strcmp(spec->simulate.undetermined.word.text, "derive");
}

static void check_start_word(dal_build *build)
{
    const dal_text *choice = &build->spec->simulate.start;
    if (choice->text && strcmp(choice->text, "given") && strcmp(choice->text, "equilibrium"))
        dal_error(build->messages, choice->mark, "`start` is given or equilibrium, not '%s'", choice->text);
}

/* Only the pseudo-inverse has a least solution, and no metric of masses measures a correction along directions without mass. */
static void choose_undetermined(dal_build *build, dal_system *system)
{
    const dal_simulate_spec *s = &build->spec->simulate;
    const dal_text *choice = &s->undetermined.word;
    if (!choice->text || !strcmp(choice->text, "refuse") || dal_spec_derives(build->spec))
        return;
    if (strcmp(choice->text, "minimum-norm"))
        dal_error(build->messages, choice->mark, "`undetermined` is refuse, derive or minimum-norm, not '%s'", choice->text);
    else if (!system->method.formulation->least_norm)
        dal_error(build->messages, choice->mark,
                  "`undetermined: minimum-norm` needs the formulation udwadia-phohomsiri: %s has no least acceleration to give where several "
                  "satisfy the equations",
                  system->method.formulation->name);
    else if (system->method.stabilization->mass_metric)
        dal_error(build->messages, choice->mark,
                  "`undetermined: minimum-norm` and mass-projection exclude each other: what has no inertia has no place in the metric of the "
                  "masses; use direct-correction");
    system->method.minimum_norm = true;
    system->determined = -1;
    system->method.n_eta = s->undetermined.eta.n;
    system->method.eta = build->actions.n;
    for (int i = 0; i < s->undetermined.eta.n; i++) {
        dal_node node = dal_const(build->graph, 0);
        dal_build_scalar(build, DAL_REACH_ACTION, NULL, s->undetermined.eta.item[i], &node);
        dal_build_action(build, s->undetermined.eta.item[i], node);
    }
}

/* An option of the stabilisation that has to be positive; `zero`: it may also be zero. The value of the first option may stand behind the word alone. */
static double option_above(dal_build *build, const dal_system *system, const char *key, double fallback, bool zero)
{
    const dal_choice *c = &build->spec->simulate.stabilization;
    const char *const *options = system->method.stabilization->options;
    const bool alone = c->value.text && !strcmp(options[0], key);
    double value = fallback;
    if (alone)
        dal_build_number(build, NULL, c->value, &value);
    value = option(build, c, key, value);
    if (!(value > 0 || (zero && value == 0)))
        dal_error(build->messages, alone ? c->value.mark : option_mark(c, key), "the %s of %s %s, not %.6g", key, system->method.stabilization->name,
                  zero ? "cannot be negative" : "has to be positive", value);
    return value;
}

static void choose_gains(dal_build *build, dal_system *system)
{
    const dal_choice *c = &build->spec->simulate.stabilization;
    double value = NAN;
    if (c->value.text)
        dal_build_number(build, NULL, c->value, &value);
    system->method.alpha = option(build, c, "alpha", isnan(value) ? 20 : value);
    system->method.beta = option(build, c, "beta", isnan(value) ? 20 : value);
    if (system->method.alpha < 0 || system->method.beta < 0)
        dal_error(build->messages, c->value.text ? c->value.mark : option_mark(c, system->method.alpha < 0 ? "alpha" : "beta"),
                  "the gains of baumgarte cannot be negative (%.6g)", fmin(system->method.alpha, system->method.beta));
}

static void choose_penalty(dal_build *build, dal_system *system)
{
    const dal_choice *c = &build->spec->simulate.stabilization;
    system->method.penalty = option_above(build, system, "factor", 1e7, false);
    system->method.beta = option_above(build, system, "omega", 20, true);
    system->method.alpha = option_above(build, system, "xi", 1, true) * system->method.beta;
    system->method.tolerance = option_above(build, system, "tolerance", 1e-12, false);
    const double passes = option(build, c, "iterations", NAN);
    if (isnan(passes))
        return;
    if (passes >= 1 && passes <= 1000 && passes == floor(passes))
        system->method.penalty_passes = (int)passes;
    else
        dal_error(build->messages, option_mark(c, "iterations"),
                  "the iterations of penalty are a whole number from 1 to 1000 (1: the plain penalty), not %.6g", passes);
}

static void choose_stabilization(dal_build *build, dal_system *system)
{
    static const char *const none[] = {NULL};
    const dal_simulate_spec *s = &build->spec->simulate;
    bool least = s->undetermined.word.text && !strcmp(s->undetermined.word.text, "minimum-norm");
    int k = choose(build, &s->stabilization, "stabilisation", stabilization_name,
                   least                                       ? "direct-correction"
                   : system->method.formulation->stabilization ? system->method.formulation->stabilization
                                                               : "mass-projection");
    system->method.stabilization = dal_stabilizations[k < 0 ? 0 : k];
    const char *const *options = system->method.stabilization->options;
    check_options(build, &s->stabilization, options ? options : none, options != NULL);
    system->method.tolerance = INFINITY;
    if (system->method.stabilization->project)
        system->method.tolerance = option_above(build, system, "tolerance", INFINITY, false);
    else if (system->method.stabilization->solve)
        choose_penalty(build, system);
    else if (system->method.stabilization->stabilises_gamma)
        choose_gains(build, system);
}

void dal_choose_method(dal_build *build, dal_system *system)
{
    static const char *const none[] = {NULL};
    const dal_simulate_spec *s = &build->spec->simulate;
    int k = choose(build, &s->formulation, "formulation", formulation_name, "lagrange");
    system->method.formulation = dal_formulations[k < 0 ? 0 : k];
    check_options(build, &s->formulation, none, false);
    choose_stabilization(build, system);
    k = choose(build, &s->integrator, "integrator", integrator_name, "dopri5");
    for (int n = 0; k < 0; n++) /* refused: continue with an adaptive one, which needs no further options */
        if (dal_integrators[n]->adaptive)
            k = n;
    system->method.integrator = dal_integrators[k];
    check_options(build, &s->integrator, none, false);
    choose_undetermined(build, system);
    check_start_word(build);
}

static const double least_rtol = 1e-15; /* a few roundings */

static double positive(dal_build *build, dal_text text, const char *key, double fallback)
{
    double value = fallback;
    if (text.text && dal_build_number(build, NULL, text, &value) && !(value > 0))
        dal_error(build->messages, text.mark, "'%s' has to be positive, not %.6g", key, value);
    return value;
}

void dal_choose_times(dal_build *build, dal_system *system)
{
    const dal_simulate_spec *s = &build->spec->simulate;
    dal_system_info *info = &system->info;
    info->until = positive(build, s->until, "until", 0);
    info->step = positive(build, s->step, "step", 0);
    info->rtol = positive(build, s->rtol, "rtol", 1e-8);
    if (info->rtol > 0 && info->rtol < least_rtol)
        dal_error(build->messages, s->rtol.mark, "'rtol' is %.6g, which no computation with 16 digits can keep: %.0e is the minimum", info->rtol,
                  least_rtol);
    info->atol = positive(build, s->atol, "atol", 1e-10);
    info->every = positive(build, s->every, "every", info->step > 0 ? info->step : info->until / 500);
    system->method.max_step = positive(build, s->max_step, "max-step", 0);
    system->method.event_tolerance = positive(build, s->event_tolerance, "event-tolerance", 0);
    if (s->until.text && !system->method.integrator->adaptive && !s->step.text)
        dal_error(build->messages, s->integrator.name.text ? s->integrator.name.mark : s->until.mark,
                  "%s has a fixed step: give one, by `step:` in `simulate:` or --step", system->method.integrator->name);
    if (info->until / (info->every > 0 ? info->every : 1) > 1e9)
        dal_error(build->messages, s->every.text ? s->every.mark : s->step.mark,
                  "a row every %.3g s until %.6g s would be more than 10^9 rows: give a larger `every:`", info->every, info->until);
}
