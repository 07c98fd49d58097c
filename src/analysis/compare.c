/* The same model under several formulations and families of coordinates: Tables 3, 6 and 9 of Yoosefian Nooshabadi and Nejat
 * Pishkenari, "Development of an Efficient Formulation for Volterra's Equations of Motion for Multibody Dynamical Systems", for
 * any model.
 *
 * The motion of the bodies does not depend on the equations that are solved, so the rows are measured against one motion: the
 * reference, integrated by an adaptive method with 1e-3 of the tolerances and with the constraints closed to rounding. The accuracy of that motion is
 * measured in the same way, by a second run with ten times its tolerances. For each body, over instants that all runs have in common,
 *     position  max |r - r_0|
 *     attitude  max of the angle theta between R and R_0:   |R - R_0|^2 = 8 sin^2(theta/2)   (Frobenius norm, plane and space)
 * and for each coordinate of a model with sub-systems whose equations are known
 *     max |q - q_0| / (the size of the coordinate: what counts as a length of the model)
 *
 * Only the reference is kept; the others are compared while they run. A row is run twice: once recorded, for the motion and the
 * residuals, and once without records, for the evaluations and the time of the equations.
 */
#include "analysis/compare_parts.h"
#include "model/system_parts.h"
#include "spec/sound.h"
#include "base/argument.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double tighter = 1e-3, least_tolerance = 1e-13; /* of the reference */
static const double fixed_rtol = 1e-12;                      /* of the reference, where fixed steps have no tolerance to start from */
static const double looser = 10;                             /* of the run that measures the accuracy of the reference */
static const char closed[] = "mass-projection=1e-12";        /* constraints of the reference */
static const char ends_only[] = "1e30";                      /* `every:` of a bare run, s */
enum { INSTANTS = 500, REPEATS = 3 };
enum { REFERENCE = -2, SECOND = -1 }; /* rows of the two runs of the reference */
static const double short_run = 0.05; /* s: for shorter runs the best time of several is used */

/* ---- specs ----------------------------------------------------------------------------- */

/* Sets a choice, but keeps the model's own text (and options) if it is the same choice. */
static bool choose(dal_comparer *c, dal_spec *spec, const char *key, const char *word)
{
    const dal_simulate_spec *own = &c->spec->simulate;
    bool family = !strcmp(key, "coordinates");
    const dal_choice *said = family ? &own->coordinates : &own->formulation;
    if (said->name.text && !strcmp(said->name.text, word)) {
        *(family ? &spec->simulate.coordinates : &spec->simulate.formulation) = *said;
        return true;
    }
    return dal_spec_set(spec, key, word, c->messages);
}

/* coordinates NULL: those of the model. */
static dal_status specify(dal_comparer *c, const char *coordinates, const char *formulation, dal_spec *spec)
{
    *spec = c->base;
    if (coordinates && !choose(c, spec, "coordinates", coordinates))
        return DAL_BAD_COMMAND;
    return choose(c, spec, "formulation", formulation) ? DAL_OK : DAL_BAD_COMMAND;
}

static void set_number(dal_comparer *c, dal_spec *spec, const char *key, double value)
{
    dal_spec_set(spec, key, dal_arena_print(&c->arena, "%.17g", value), c->messages);
}

/* With the columns and the instants that are compared. */
static dal_spec recorded(dal_comparer *c, const dal_spec *bare)
{
    dal_spec spec = *bare;
    spec.record = c->record;
    spec.n_record = c->n_record;
    set_number(c, &spec, "every", c->comparison->every);
    return spec;
}

static void discard_system(dal_comparer *c)
{
    dal_system_free(c->system);
    c->system = NULL;
}

static dal_status compile_row(dal_comparer *c, const dal_spec *spec)
{
    discard_system(c);
    dal_messages_clear(c->heard);
    return dal_compile(&c->arena.allocator, spec, c->heard, &c->system);
}

/* The first message of that severity. */
static const char *first_heard(dal_comparer *c, dal_severity severity)
{
    for (const dal_message *m = dal_messages_first(c->heard); m; m = m->next)
        if (m->severity == severity)
            return dal_arena_copy(&c->arena, m->text, strlen(m->text));
    return NULL;
}

/* ---- words ----------------------------------------------------------------------------- */

static int count_listed(const char *kind)
{
    const char *name, *title;
    int n = 0;
    while (dal_list_entry(kind, n, &name, &title))
        n++;
    return n;
}

static const char *const *list_names(dal_comparer *c, const char *kind, int n)
{
    const char **names = DAL_NEW(&c->arena, const char *, n + 1), *title;
    for (int i = 0; i < n; i++)
        dal_list_entry(kind, i, &names[i], &title);
    return names;
}

static bool has_options(const char *word)
{
    return word[strcspn(word, ":=")] != '\0';
}

/* "angle" of "angle:sequence=zyx", if it is one of the names; else NULL and a message. */
static const char *listed(dal_comparer *c, const char *what, const char *const *names, const char *word)
{
    size_t length = strcspn(word, ":=");
    const char *all = "", *bare = dal_arena_copy(&c->arena, word, length);
    char hint[96];
    for (int i = 0; names[i]; i++) {
        if (!strcmp(names[i], bare))
            return names[i];
        all = dal_arena_print(&c->arena, "%s%s%s", all, i ? ", " : "", names[i]);
    }
    dal_error(c->messages, dal_nowhere, "there is no %s '%.100s'%s; there are: %s", what, bare, dal_did_you_mean(bare, names, hint), all);
    return NULL;
}

/* The requested words and the names in them; if there are none, `usual`. */
typedef struct choices {
    int n;
    const char *const *word; /* word[i] NULL: the choice of the model */
    const char **name;
} choices;

static bool read_choices(dal_comparer *c, const char *what, const char *const *names, int n, const char *const *words, const char *const *usual,
                         int n_usual, choices *out)
{
    bool good = true;
    *out = (choices){n ? n : n_usual, n ? words : usual, DAL_NEW(&c->arena, const char *, n ? n : n_usual)};
    for (int i = 0; i < out->n; i++)
        if (out->word[i])
            good &= (out->name[i] = listed(c, what, names, out->word[i])) != NULL;
    return good;
}

/* ---- one row ------------------------------------------------------------------------------ */

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static dal_status run_row(dal_comparer *c, const dal_sink *sink, dal_evidence *evidence, double *cpu)
{
    dal_run_options options = {.sink = sink, .progress = dal_compare_show_progress, .progress_user = c, .allocator = &c->arena.allocator};
    if (sink && c->history.most) {
        options.frame = dal_compare_receive_state;
        options.frame_user = c;
    }
    double start = cpu_now();
    dal_messages_clear(c->heard);
    dal_status status = dal_run(c->system, &options, c->heard, evidence);
    *cpu = cpu_now() - start;
    return status;
}

/* Evaluations and time, from runs of the current system without records. */
static dal_status measure_row(dal_comparer *c, dal_compare_row *row, dal_evidence *bare)
{
    dal_status status = DAL_OK;
    row->cpu_seconds = HUGE_VAL;
    for (int i = 0; i < REPEATS && !c->stopped && (i == 0 || row->cpu_seconds < short_run); i++) {
        double cpu;
        status = run_row(c, NULL, bare, &cpu);
        row->cpu_seconds = fmin(row->cpu_seconds, cpu);
    }
    return status;
}

/* Names in the info of a run are in its system, which is freed before the row is read. */
static void keep_names(dal_comparer *c, dal_system_info *info)
{
    if (!info->model) /* there was no memory for the run */
        return;
    info->model = dal_arena_copy(&c->arena, info->model, strlen(info->model));
    info->model_hash = dal_arena_copy(&c->arena, info->model_hash, strlen(info->model_hash));
    info->ignorable_names = dal_arena_copy(&c->arena, info->ignorable_names, strlen(info->ignorable_names));
}

static void keep_warnings(dal_comparer *c, dal_evidence *evidence)
{
    const dal_message **kept = DAL_NEW(&c->arena, const dal_message *, evidence->n_warnings);
    for (int i = 0; i < evidence->n_warnings; i++)
        kept[i] = dal_message_copy(&c->arena, evidence->warnings[i]);
    evidence->warnings = kept;
}

static void fill_errors(dal_compare_row *row, const dal_comparer *c)
{
    const dal_evidence *e = &row->evidence;
    row->energy_error = e->energy_drift;
    row->constraint_error = fmax(e->position_residual, e->velocity_residual);
    row->momentum_error = isnan(e->ignorable_drift) ? e->momentum_drift : e->ignorable_drift; /* constants of the reduced methods, if any */
    row->difference = row->bodies ? 0 : NAN;
    for (int b = 0; row->bodies && b < c->base.n_bodies; b++)
        dal_compare_keep_most(&row->difference, fmax(row->bodies[b].position / c->comparison->info.length, row->bodies[b].attitude));
    for (int k = 0; row->own && k < c->comparison->n_own; k++)
        dal_compare_keep_most(&row->difference, row->own[k].position);
    if (row->bodies && c->comparison->n_instants == 0)
        row->difference = NAN;
}

/* Errors at the instants of the current run, for the row and for listeners. The second run of a reference has none. */
static void report_motion(dal_comparer *c, dal_compare_row *row)
{
    dal_error_history *h = &c->history;
    dal_history_end(h, &row->evidence, c->comparison->info.length);
    row->n_instants = h->n;
    row->instants = h->at;
    for (int i = 0; c->poses && i < h->n && !c->stopped; i++)
        c->options->motion(c->options->motion_user, c->comparison, c->row, &h->at[i], dal_compare_poses_at(c, i));
}

/* Runs the current system, which records; differences NULL: it becomes the reference. */
static void run_recorded(dal_comparer *c, dal_difference *differences, dal_compare_row *row)
{
    dal_sink sink = {c, dal_compare_begin_rows, dal_compare_receive_row};
    double cpu;
    c->differences = differences;
    c->compared = false;
    dal_history_begin(&c->history, &c->arena, c->system, c->row == SECOND ? 0 : c->most_instants);
    row->applies = true;
    row->bodies = differences;
    row->own = differences ? differences + c->base.n_bodies : NULL;
    row->status = run_row(c, &sink, &row->evidence, &cpu);
    if (row->status == DAL_NO_MEMORY)
        return; /* the evidence may be empty */
    row->cpu_seconds = cpu;
    row->reason = first_heard(c, DAL_ERROR);
    if (row->status != DAL_OK && !row->reason)
        row->reason = dal_status_text(row->status);
    row->warning = first_heard(c, DAL_WARNING);
    keep_names(c, &row->evidence.info);
    keep_warnings(c, &row->evidence);
    fill_errors(row, c);
    report_motion(c, row);
}

static void refuse_row(dal_comparer *c, dal_status status, dal_compare_row *row)
{
    row->status = status;
    row->reason = first_heard(c, DAL_ERROR);
    if (!row->reason)
        row->reason = dal_status_text(status);
}

/* DAL_OK also if it does not apply or stops early: the row says so. */
static dal_status fill_row(dal_comparer *c, const char *coordinates, const char *formulation, dal_compare_row *row)
{
    dal_spec bare;
    dal_evidence evidence = {0};
    dal_status status = specify(c, coordinates, formulation, &bare);
    if (status != DAL_OK)
        return status;
    if ((status = compile_row(c, &bare)) != DAL_OK) {
        refuse_row(c, status, row);
        return status == DAL_NO_MEMORY ? status : DAL_OK;
    }
    if ((status = measure_row(c, row, &evidence)) == DAL_NO_MEMORY || c->stopped)
        return status;
    double cpu = row->cpu_seconds;
    dal_spec spec = recorded(c, &bare);
    if ((status = compile_row(c, &spec)) != DAL_OK) {
        refuse_row(c, status, row);
        return status == DAL_NO_MEMORY ? status : DAL_OK;
    }
    run_recorded(c, DAL_NEW(&c->arena, dal_difference, c->base.n_bodies + c->comparison->n_own), row);
    row->cpu_seconds = cpu;
    if (row->evidence.info.coordinates && !(coordinates && has_options(coordinates))) /* the model may have options of its own */
        row->coordinates = row->evidence.info.coordinates;
    row->evidence.steps = evidence.steps;
    row->evidence.rejected = evidence.rejected;
    row->evidence.evaluations = evidence.evaluations;
    row->evidence.wall_seconds = evidence.wall_seconds;
    return row->status == DAL_NO_MEMORY || c->stopped ? row->status : DAL_OK;
}

/* ---- the reference --------------------------------------------------------------------------- */

/* The first that compiles: of the requested families (the model's own first), in the order of the list of formulations. */
static dal_status find_reference(dal_comparer *c, const choices *families, const char *const *formulations, dal_spec *spec)
{
    const char *own = c->spec->simulate.coordinates.name.text;
    int first = 0;
    for (int f = 0; f < families->n; f++)
        if (own && families->name[f] && !strcmp(own, families->name[f]))
            first = f;
    for (int f = 0; f < families->n; f++) {
        int family = f == 0 ? first : f <= first ? f - 1 : f;
        for (int k = 0; formulations[k]; k++) {
            dal_status status = specify(c, families->word[family], formulations[k], spec);
            if (status == DAL_OK)
                status = compile_row(c, spec);
            if (status == DAL_OK || status == DAL_NO_MEMORY || status == DAL_BAD_COMMAND)
                return status;
        }
    }
    return DAL_BAD_MODEL;
}

/* Coordinates of a model with sub-systems: no body shows all of them. */
static void name_own(dal_comparer *c)
{
    const dal_layout *layout = dal_system_layout(c->system);
    const int n = layout->systems ? c->base.n_coordinates : 0;
    const char **names = DAL_NEW(&c->arena, const char *, n);
    c->comparison->n_own = n;
    c->comparison->own = names;
    c->own_size = DAL_NEW(&c->arena, double, n);
    for (int k = 0; k < n; k++) {
        names[k] = dal_arena_copy(&c->arena, c->base.coordinates[k].name.text, strlen(c->base.coordinates[k].name.text));
        c->own_size[k] = layout->units.length / layout->units.column_scale[layout->own_v + k];
    }
}

/* Values that all runs share, from the first system that could be compiled. */
static dal_status describe_model(dal_comparer *c)
{
    const dal_system *system = c->system;
    dal_comparison *comparison = c->comparison;
    dal_system_info info = dal_system_describe(system);
    const char **names = DAL_NEW(&c->arena, const char *, c->base.n_bodies);
    keep_names(c, &info);
    comparison->info = info;
    if (!c->base.simulate.stabilization.name.text) /* defaults may differ between formulations */
        dal_spec_set(&c->base, "stabilization", info.stabilization, c->messages);
    if (!(info.until > 0)) {
        dal_error(c->messages, dal_nowhere, "the runs have no end: give `until:` in `simulate:`, or --until");
        return DAL_BAD_COMMAND;
    }
    comparison->adaptive = dal_system_method(system)->integrator->adaptive;
    if (!(info.until / INSTANTS >= DBL_MIN)) {
        dal_error(c->messages, dal_nowhere, "until %.3g s there is no room for %d instants: give a later `until:`", info.until, INSTANTS);
        return DAL_BAD_COMMAND;
    }
    /* fixed steps: instants at ends of steps, without interpolation */
    double every = info.until / INSTANTS;
    comparison->every = comparison->adaptive ? every : info.step * fmax(1, ceil(every / info.step - 1e-9));
    c->most_instants = INSTANTS + 2;
    comparison->n_bodies = c->base.n_bodies;
    comparison->bodies = names;
    c->particle = DAL_NEW(&c->arena, bool, c->base.n_bodies);
    for (int b = 0; b < c->base.n_bodies; b++) {
        names[b] = dal_arena_copy(&c->arena, c->base.bodies[b].name.text, strlen(c->base.bodies[b].name.text));
        c->particle[b] = dal_system_layout(system)->mechanism->bodies[b].particle;
    }
    name_own(c);
    dal_compare_name_columns(c);
    c->motion = DAL_NEW(&c->arena, double, (size_t)c->most_instants *(size_t)c->n_columns);
    return DAL_OK;
}

static const char *adaptive_integrator(void)
{
    int i = 0;
    while (!dal_integrators[i]->adaptive)
        i++;
    return dal_integrators[i]->name;
}

/* The run of a reference whose tolerances are `factor` times the tightest. */
static dal_status run_reference(dal_comparer *c, const dal_spec *bare, double factor, dal_difference *differences, dal_compare_row *row)
{
    const dal_system_info *info = &c->comparison->info;
    bool adaptive = c->comparison->adaptive;
    double rtol = adaptive ? tighter * info->rtol : fixed_rtol, atol = adaptive ? tighter * info->atol : least_tolerance;
    dal_spec spec = recorded(c, bare);
    if (!c->comparison->adaptive) {
        dal_spec_set(&spec, "integrator", adaptive_integrator(), c->messages);
        spec.simulate.step = (dal_text){.text = NULL};
    }
    dal_spec_set(&spec, "stabilization", closed, c->messages);
    set_number(c, &spec, "rtol", factor * fmax(rtol, least_tolerance));
    set_number(c, &spec, "atol", factor * fmax(atol, least_tolerance));
    dal_status status = compile_row(c, &spec);
    if (status != DAL_OK) {
        refuse_row(c, status, row);
        return status == DAL_NO_MEMORY ? status : DAL_OK;
    }
    run_recorded(c, differences, row);
    return row->status == DAL_NO_MEMORY || c->stopped ? row->status : DAL_OK;
}

static dal_status make_reference(dal_comparer *c, const dal_spec *bare)
{
    dal_compare_row *reference = &c->comparison->reference, second = {0};
    dal_difference *differences = DAL_NEW(&c->arena, dal_difference, c->base.n_bodies + c->comparison->n_own);
    reference->coordinates = c->comparison->info.coordinates;
    reference->formulation = c->comparison->info.formulation;
    c->row = REFERENCE;
    dal_status status = run_reference(c, bare, 1, NULL, reference);
    c->row = SECOND;
    if (status == DAL_OK)
        status = run_reference(c, bare, looser, differences, &second);
    reference->bodies = second.bodies;
    reference->own = second.own;
    reference->difference = second.applies ? second.difference : NAN;
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void begin_rows_of(dal_comparer *c, const choices *families, const choices *formulations)
{
    dal_compare_row *rows = DAL_NEW(&c->arena, dal_compare_row, families->n * formulations->n);
    c->comparison->rows = rows;
    c->comparison->n_rows = families->n * formulations->n;
    for (int i = 0; i < c->comparison->n_rows; i++) {
        const char *family = families->name[i / formulations->n], *own = c->spec->simulate.coordinates.name.text;
        const char *word = families->word[i / formulations->n];
        if (word && has_options(word))
            family = dal_arena_copy(&c->arena, word, strlen(word));
        if (!family) /* the model's */
            family = c->comparison->info.coordinates;
        if (!family)
            family = own ? dal_arena_copy(&c->arena, own, strlen(own)) : "";
        rows[i] = (dal_compare_row){.coordinates = family,
                                    .formulation = formulations->name[i % formulations->n],
                                    .cpu_seconds = NAN,
                                    .energy_error = NAN,
                                    .constraint_error = NAN,
                                    .momentum_error = NAN,
                                    .difference = NAN};
    }
}

/* The caller stopped the comparison in row `from`. */
static dal_status leave_out(dal_comparer *c, int from)
{
    for (int i = from; i < c->comparison->n_rows; i++) {
        dal_compare_row *row = (dal_compare_row *)&c->comparison->rows[i];
        *row = (dal_compare_row){.coordinates = row->coordinates,
                                 .formulation = row->formulation,
                                 .status = DAL_NUMERICAL,
                                 .reason = "not run: the comparison was stopped before it was done",
                                 .cpu_seconds = NAN,
                                 .energy_error = NAN,
                                 .constraint_error = NAN,
                                 .momentum_error = NAN,
                                 .difference = NAN};
    }
    return DAL_NUMERICAL;
}

static dal_status fill_rows(dal_comparer *c, const choices *families, const choices *formulations)
{
    dal_comparison *comparison = c->comparison;
    dal_compare_row *rows = (dal_compare_row *)comparison->rows;
    dal_status worst = DAL_OK;
    for (int i = 0; i < comparison->n_rows; i++) {
        c->row = i;
        dal_status status = fill_row(c, families->word[i / formulations->n], formulations->word[i % formulations->n], &rows[i]);
        if (c->stopped)
            return leave_out(c, i);
        if (status != DAL_OK)
            return status;
        if (rows[i].applies && rows[i].status != DAL_OK)
            worst = rows[i].status;
        else if (!isnan(rows[i].difference) && (comparison->nearest < 0 || rows[i].difference < rows[comparison->nearest].difference))
            comparison->nearest = i;
    }
    return worst;
}

/* If none could be compiled each row has the reason, and the messages are those of the first. */
static dal_status refuse_all(dal_comparer *c, const choices *families, const choices *formulations)
{
    begin_rows_of(c, families, formulations);
    dal_compare_row *rows = (dal_compare_row *)c->comparison->rows;
    for (int i = 0; i < c->comparison->n_rows; i++) {
        dal_spec bare;
        dal_status status = specify(c, families->word[i / formulations->n], formulations->word[i % formulations->n], &bare);
        if (status == DAL_OK)
            status = compile_row(c, &bare);
        if (status == DAL_NO_MEMORY)
            return status;
        refuse_row(c, status, &rows[i]);
        if (i == 0)
            dal_pass_all(c->messages, c->heard);
    }
    return DAL_BAD_MODEL;
}

static bool any_applies(const dal_comparison *comparison)
{
    for (int i = 0; i < comparison->n_rows; i++)
        if (comparison->rows[i].applies)
            return true;
    return false;
}

static dal_status compare_all(dal_comparer *c)
{
    static const char *const of_the_model[] = {NULL};
    const dal_compare_options *o = c->options;
    int n_families = count_listed("coordinates"), n_formulations = count_listed("formulation");
    const char *const *family_names = list_names(c, "coordinates", n_families);
    const char *const *formulation_names = list_names(c, "formulation", n_formulations);
    choices families, formulations;
    bool good = read_choices(c, "family of coordinates", family_names, o->n_coordinates, o->coordinates, of_the_model, 1, &families);
    good &= read_choices(c, "formulation", formulation_names, o->n_formulations, o->formulations, formulation_names, n_formulations, &formulations);
    if (!good)
        return DAL_BAD_COMMAND;

    dal_spec reference;
    dal_spec_set(&c->base, "every", ends_only, c->messages);
    dal_status status = find_reference(c, &families, formulation_names, &reference);
    if (status == DAL_BAD_MODEL)
        return refuse_all(c, &families, &formulations);
    if (status != DAL_OK)
        return status;
    dal_pass_all(c->messages, c->heard);
    if ((status = describe_model(c)) != DAL_OK)
        return status;
    begin_rows_of(c, &families, &formulations);
    if ((status = make_reference(c, &reference)) != DAL_OK)
        return status;
    status = fill_rows(c, &families, &formulations);
    if (!c->stopped && status == DAL_OK && !any_applies(c->comparison))
        return refuse_all(c, &families, &formulations);
    return status;
}

/* Values that are known before the model is compiled. */
static void begin_comparison(dal_comparer *c)
{
    const dal_spec *spec = c->spec;
    dal_system_info *info = &c->comparison->info;
    c->comparison->nearest = -1;
    *info = (dal_system_info){.model = spec->name.text ? spec->name.text
                                       : spec->file    ? spec->file
                                                       : "",
                              .model_hash = spec->hash,
                              .version = dal_version(),
                              .ignorable_names = ""};
    keep_names(c, info);
    c->base = *spec;
    c->base.memory = &c->arena; /* values are set in a copy: the caller's spec does not change */
    c->base.record = NULL;
    c->base.n_record = 0;
    c->base.record_given = true;
}

static dal_status begin_and_compare(void *user)
{
    dal_comparer *c = user;
    c->comparison = DAL_NEW(&c->arena, dal_comparison, 1);
    begin_comparison(c);
    return compare_all(c);
}

static bool can_compare(const dal_spec *spec, const dal_compare_options *o, dal_messages *messages)
{
    static const char function[] = "dal_compare";
    bool fine = dal_needs(messages, function, "spec", spec) && dal_needs_allocator(messages, function, o->allocator) &&
                dal_needs_array(messages, function, "coordinates", o->n_coordinates, o->coordinates) &&
                dal_needs_array(messages, function, "formulations", o->n_formulations, o->formulations);
    for (int i = 0; fine && i < o->n_coordinates; i++)
        fine = dal_needs(messages, function, "coordinates[]", o->coordinates[i]);
    for (int i = 0; fine && i < o->n_formulations; i++)
        fine = dal_needs(messages, function, "formulations[]", o->formulations[i]);
    return fine && dal_spec_sound(spec, messages);
}

dal_status dal_compare(const dal_spec *spec, const dal_compare_options *options, dal_messages *messages, dal_comparison **comparison)
{
    static const dal_compare_options defaults = {0};
    dal_comparer c = {.spec = spec, .options = options ? options : &defaults, .messages = messages};
    if (comparison)
        *comparison = NULL;
    if (!DAL_NEEDS(messages, comparison) || !can_compare(spec, c.options, messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&c.arena, c.options->allocator);
    c.heard = dal_messages_create(&c.arena.allocator);
    dal_status status = c.heard ? dal_arena_try(&c.arena, begin_and_compare, &c) : DAL_NO_MEMORY;
    discard_system(&c);
    dal_messages_free(c.heard);
    bool begun = !c.stopped || c.row >= 0; /* otherwise there is no reference */
    bool whole = c.comparison && c.comparison->rows && begun && status != DAL_NO_MEMORY && status != DAL_BAD_COMMAND;
    return dal_arena_deliver(&c.arena, whole, status, c.comparison, offsetof(dal_comparison, memory), comparison);
}

bool dal_comparison_agrees(const dal_comparison *comparison, int *methods, double *difference)
{
    bool agrees = comparison && comparison->reference.difference <= DAL_COMPARE_AGREEMENT;
    double largest = 0;
    int n = 0;
    for (int i = 0; comparison && i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        if (!row->applies)
            continue;
        n++;
        dal_compare_keep_most(&largest, row->difference);
        agrees &= row->status == DAL_OK && row->difference <= DAL_COMPARE_AGREEMENT;
    }
    if (methods)
        *methods = n;
    if (difference)
        *difference = n ? largest : NAN;
    return agrees && n > 0;
}

void dal_comparison_free(dal_comparison *comparison)
{
    if (comparison)
        dal_arena_dispose(comparison->memory);
}
