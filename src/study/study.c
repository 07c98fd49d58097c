/* Makes a study: reads the texts into a plan, compiles the model once for each combination of settings with the columns that the summaries need, and
 * varies one run, so that an unknown name is an error of the plan. */
#include "study/plan.h"

#include "base/argument.h"
#include "base/decimal.h"
#include "dalembert/system.h"
#include "spec/copy.h"
#include "spec/reader.h"
#include "spec/sound.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_BASES = 10 * 1000, MOST_RECORDED = 10 * 1000 };

/* Evidence that is kept of each run: time_end ... warnings, in the order of one_run.c. */
static const dal_column evidence[DAL_STUDY_EVIDENCE] = {
    {"time_end", "s"},         {"steps", ""},        {"rejected", ""}, {"evaluations", ""},         {"events", ""}, {"position_residual", ""},
    {"velocity_residual", ""}, {"energy_drift", ""}, {"warnings", ""}, {"compiled_evaluations", ""}};

typedef struct maker {
    dal_arena arena;
    const dal_spec *spec;
    const dal_study_plan *plan;
    dal_messages *messages;
    dal_study_text text; /* of the plan */
    dal_study *study;
    dal_spec wanted; /* with the columns of the study */
    size_t room;
} maker;

/* ---- samples --------------------------------------------------------------------------------------- */

static const char *first_random(const dal_factors *f)
{
    int i = 0;
    while (!f->item[i].factor.random)
        i++;
    return f->item[i].factor.name;
}

static dal_status plan_samples(maker *m)
{
    const dal_factors *f = &m->study->factors;
    const dal_study_plan *plan = m->plan;
    const char *word = plan->sampling ? plan->sampling : dal_sampling_names[0];
    int sampling = 0;
    char hint[96];
    while (dal_sampling_names[sampling] && strcmp(dal_sampling_names[sampling], word))
        sampling++;
    if (!dal_sampling_names[sampling])
        return dal_study_refuse(&m->text, "there is no sampling '%.60s'%s: random, latin-hypercube, sobol", word,
                                dal_did_you_mean(word, dal_sampling_names, hint));
    if (plan->random < 0)
        return dal_study_refuse(&m->text, "a study cannot have %ld random samples", plan->random);
    if (f->n_random && !plan->random)
        return dal_study_refuse(&m->text, "'%.60s' is random, and the number of samples is missing: --random N, or `random: N` in a study",
                                first_random(f));
    if (!f->n_random && plan->random)
        return dal_study_refuse(&m->text, "%ld random samples are asked for, but nothing that is varied is random", plan->random);
    if (sampling == DAL_SAMPLING_SOBOL && f->n_random > dal_sobol_dimensions())
        return dal_study_refuse(&m->text, "%d values are random, and Sobol's sequence has %d dimensions here: take latin-hypercube", f->n_random,
                                dal_sobol_dimensions());
    const long samples = f->n_random ? plan->random : 1;
    if (samples > DAL_MOST_RUNS / f->combinations)
        return dal_study_refuse(&m->text, "the plan has more than %d runs", DAL_MOST_RUNS);
    m->study->samples = (dal_samples){(dal_sampling)sampling, plan->seed, (uint64_t)samples, f->n_normal > 0};
    m->study->info.samples = samples;
    m->study->info.runs = samples * f->combinations;
    return DAL_OK;
}

/* ---- columns ------------------------------------------------------------------------------------------ */

/* Records an expression; returns its index among the recorded texts. */
static int record_expression(maker *m, const char *text, const char *from)
{
    dal_spec *w = &m->wanted;
    for (int i = 0; i < w->n_record; i++)
        if (!strcmp(w->record[i].value.text, text))
            return i;
    *DAL_PUSH(&m->arena, w->record, w->n_record, m->room) = (dal_record_spec){.value = {.text = text, .mark = {from, 0, 0}}};
    return w->n_record - 1;
}

/* The columns for the summaries of a study without `each`: those that the model records. */
static dal_status usual_columns(maker *m, int *n, const dal_column **columns)
{
    dal_system *system;
    int recorded;
    const dal_status status = dal_compile(&m->arena.allocator, m->spec, m->messages, &system);
    if (status != DAL_OK)
        return status;
    const dal_column *all = dal_system_columns(system, &recorded, NULL);
    dal_column *copy = DAL_NEW(&m->arena, dal_column, recorded);
    for (int i = 1; i < recorded; i++)
        copy[i - 1].name = dal_arena_copy(&m->arena, all[i].name, strlen(all[i].name));
    *n = recorded - 1;
    *columns = copy;
    dal_system_free(system);
    return DAL_OK;
}

static dal_status plan_columns(maker *m)
{
    dal_study *s = m->study;
    int n = 0;
    const dal_column *columns = NULL;
    const dal_status status = m->plan->n_each ? DAL_OK : usual_columns(m, &n, &columns);
    if (status != DAL_OK)
        return status;
    m->wanted = *m->spec;
    m->wanted.record_given = true;
    m->wanted.motion = m->wanted.shown = false;
    m->wanted.n_record = 0;
    m->wanted.record = NULL;
    if (!dal_summaries_read(&m->arena, m->plan->n_each, m->plan->each, n, columns, m->messages, &s->summaries))
        return DAL_BAD_COMMAND;
    for (int i = 0; i < s->summaries.n_parts; i++)
        record_expression(m, s->summaries.part[i].text, s->summaries.from[i]);
    for (int i = 0; i < m->plan->n_channels; i++)
        record_expression(m, m->plan->channels[i], dal_arena_print(&m->arena, "channel '%s'", m->plan->channels[i]));
    if (m->wanted.n_record > MOST_RECORDED)
        return dal_study_refuse(&m->text, "the study needs %d recorded expressions: %d at most", m->wanted.n_record, MOST_RECORDED);
    return DAL_OK;
}

/* "A.force.x" is a component of "A.force". */
static bool is_component(const char *name, const char *of)
{
    const size_t length = strlen(of);
    return !strncmp(name, of, length) && name[length] == '.' && strchr("xyz", name[length + 1]) && name[length + 1] && !name[length + 2];
}

static dal_status find_parts(maker *m, const dal_system *system)
{
    dal_summaries *s = &m->study->summaries;
    dal_status status = DAL_OK;
    for (int i = 0; i < s->n_parts; i++) {
        s->part[i].column = dal_system_column(system, s->part[i].text);
        if (s->part[i].column >= 0)
            continue;
        dal_error(m->messages, (dal_mark){s->from[i], 0, 0}, "'%.100s' is a vector: take a component of it or its norm", s->part[i].text);
        status = DAL_BAD_COMMAND;
    }
    return status;
}

/* Columns of the system that are channels, time first. */
static void find_channels(maker *m, const dal_system *system)
{
    dal_study *s = m->study;
    const dal_column *columns = dal_system_columns(system, &s->n_columns, NULL);
    s->channel = DAL_NEW(&m->arena, int, s->n_columns);
    s->channels = DAL_NEW(&m->arena, dal_column, s->n_columns);
    for (int c = 0; c < s->n_columns && m->plan->n_channels; c++) {
        bool kept = c == 0;
        for (int i = 0; i < m->plan->n_channels && !kept; i++)
            kept = !strcmp(columns[c].name, m->plan->channels[i]) || is_component(columns[c].name, m->plan->channels[i]);
        if (!kept)
            continue;
        s->channels[s->info.channels] = (dal_column){dal_arena_copy(&m->arena, columns[c].name, strlen(columns[c].name)),
                                                     dal_arena_copy(&m->arena, columns[c].unit, strlen(columns[c].unit))};
        s->channel[s->info.channels++] = c;
    }
}

/* A summary that is one part has the unit of its column. */
static const char *unit_of(maker *m, const dal_system *system, int summary)
{
    const dal_summaries *s = &m->study->summaries;
    const char *text = strchr(s->text[summary], '=') + 1;
    const dal_column *columns = dal_system_columns(system, NULL, NULL);
    for (int i = 0; i < s->n_parts; i++) {
        const dal_part *part = &s->part[i];
        static const char *const names[] = {"max", "min", "mean", "rms", NULL, "first", "final", NULL, NULL};
        if (part->kind == DAL_PART_WHEN || part->kind == DAL_PART_SETTLING) {
            const char *name = part->kind == DAL_PART_WHEN ? "when(" : "settling(";
            if (!strncmp(text, name, strlen(name)) && text[strlen(text) - 2] == ')' && !strchr(text, '+'))
                return "s";
            continue;
        }
        const char *whole = names[part->kind] ? dal_arena_print(&m->arena, "%s(%s)'", names[part->kind], part->text) : "";
        if (!strcmp(text, whole))
            return dal_arena_copy(&m->arena, columns[part->column].unit, strlen(columns[part->column].unit));
    }
    return "";
}

static void name_values(maker *m, const dal_system *system)
{
    dal_study *s = m->study;
    const int n = s->summaries.n;
    const int kept = s->info.compiled ? DAL_STUDY_EVIDENCE : DAL_STUDY_EVIDENCE - 1;
    s->info.values = n + kept;
    s->values = DAL_NEW(&m->arena, dal_column, s->info.values);
    for (int i = 0; i < n; i++)
        s->values[i] = (dal_column){s->summaries.name[i], unit_of(m, system, i)};
    memcpy(s->values + n, evidence, sizeof *evidence * (size_t)kept);
}

/* ---- models ------------------------------------------------------------------------------------------------ */

/* Settings change in the order of the factors, the last one first. */
int dal_study_base_of(const dal_study *study, long run)
{
    int base = 0;
    for (int i = 0; i < study->factors.n; i++) {
        const dal_planned *p = &study->factors.item[i];
        if (p->factor.setting)
            base = base * p->factor.n + (int)(run / study->info.samples / p->stride % p->factor.n);
    }
    return base;
}

/* The settings of base number b in the spec. */
static bool set_settings(maker *m, dal_spec *spec, int b, dal_messages *messages)
{
    const dal_factors *f = &m->study->factors;
    for (int i = f->n - 1; i >= 0; i--) {
        const dal_study_variable *factor = &f->item[i].factor;
        char number[DAL_DECIMAL_LENGTH + 8];
        if (!factor->setting)
            continue;
        const int k = b % factor->n;
        b /= factor->n;
        if (!factor->words)
            snprintf(number, sizeof number, "%.17g", factor->values[k]);
        if (!dal_spec_set(spec, factor->name, factor->words ? factor->words[k] : number, messages))
            return false;
    }
    return true;
}

static const char *first_error(dal_arena *arena, const dal_messages *messages, dal_status status)
{
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next)
        if (message->severity == DAL_ERROR)
            return dal_arena_copy(arena, message->text, strlen(message->text));
    return dal_status_text(status);
}

/* Are all errors about words of the plan? */
static bool plan_is_wrong(const maker *m, const dal_messages *heard)
{
    for (const dal_message *message = dal_messages_first(heard); message; message = message->next) {
        bool ours = false;
        for (int i = 0; i < m->wanted.n_record; i++)
            ours = ours || (message->mark.file && !strcmp(message->mark.file, m->wanted.record[i].value.mark.file));
        if (message->severity == DAL_ERROR && ours)
            return true;
    }
    return false;
}

static dal_status compile_base(maker *m, int b, dal_messages *heard)
{
    dal_study_base *base = &m->study->base[b];
    dal_spec spec = m->wanted;
    base->status = set_settings(m, &spec, b, heard) ? dal_compile(&m->arena.allocator, &spec, heard, &base->system) : DAL_BAD_COMMAND;
    if (base->status != DAL_OK)
        base->reason = first_error(&m->arena, heard, base->status);
    if (base->status != DAL_OK && plan_is_wrong(m, heard))
        return DAL_BAD_COMMAND;
    return base->status == DAL_NO_MEMORY ? DAL_NO_MEMORY : DAL_OK;
}

/* Compiles all of them; errors are reported if none can be used, or if they are errors of the plan. */
static dal_status compile_bases(maker *m)
{
    dal_study *s = m->study;
    dal_status status = DAL_OK;
    int good = -1;
    for (int b = 0; b < s->n_bases && status == DAL_OK; b++) {
        dal_messages *heard = dal_messages_create(&m->arena.allocator);
        status = heard ? compile_base(m, b, heard) : DAL_NO_MEMORY;
        if (s->base[b].system && good < 0)
            good = b;
        if (status != DAL_OK || (b == s->n_bases - 1 && good < 0)) {
            dal_pass_all(m->messages, heard);
            status = status == DAL_OK ? s->base[b].status : status;
        }
        dal_messages_free(heard);
    }
    if (status == DAL_OK)
        status = find_parts(m, s->base[good].system);
    if (status != DAL_OK)
        return status;
    find_channels(m, s->base[good].system);
    name_values(m, s->base[good].system);
    return DAL_OK;
}

static dal_status count_bases(maker *m)
{
    dal_study *s = m->study;
    s->n_bases = 1;
    s->varied = DAL_NEW(&m->arena, const char *, s->factors.n + 1);
    for (int i = 0; i < s->factors.n; i++) {
        const dal_study_variable *f = &s->factors.item[i].factor;
        if (!f->setting)
            s->varied[s->n_varied++] = f->name;
        else if ((s->n_bases *= f->n) > MOST_BASES)
            return dal_study_refuse(&m->text, "the settings have more than %d combinations", MOST_BASES);
    }
    if (s->n_bases > 1 && !m->spec->memory)
        return dal_study_refuse(&m->text, "settings can be varied only of a description that was read from a text");
    s->base = DAL_NEW(&m->arena, dal_study_base, s->n_bases);
    return DAL_OK;
}

/* Varies one run: unknown names are errors of the plan, and the first call, which is slow, is done. */
static dal_status try_names(maker *m)
{
    dal_study *s = m->study;
    dal_status status = DAL_OK;
    for (long run = 0; run < s->info.runs && s->n_varied; run += s->info.samples) {
        dal_system *system = NULL;
        dal_messages *heard = dal_messages_create(&m->arena.allocator);
        if (!s->base[dal_study_base_of(s, run)].system) {
            dal_messages_free(heard);
            continue;
        }
        status = heard ? dal_study_system(s, run, heard, &system) : DAL_NO_MEMORY;
        if (status == DAL_BAD_COMMAND || status == DAL_NO_MEMORY)
            dal_pass_all(m->messages, heard);
        else
            status = DAL_OK; /* a model that is refused with these values is a row of the study */
        dal_system_free(system);
        dal_messages_free(heard);
        break;
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text)
{
    return dal_hash_add(hash, text, strlen(text));
}

static void hash_plan(maker *m)
{
    const dal_study_plan *p = m->plan;
    const uint64_t outline = dal_spec_outline(&m->wanted);
    uint64_t hash = add_text(add_text(dal_hash_begin(), dal_version()), m->spec->hash);
    hash = dal_hash_add(hash, &outline, sizeof outline);
    for (int i = 0; i < p->n_vary; i++)
        hash = add_text(hash, p->vary[i]);
    for (int i = 0; i < p->n_each; i++)
        hash = add_text(add_text(hash, "each"), p->each[i]);
    for (int i = 0; i < p->n_channels; i++)
        hash = add_text(add_text(hash, "channel"), p->channels[i]);
    hash = dal_hash_add(hash, &m->study->samples.n, sizeof m->study->samples.n);
    hash = dal_hash_add(hash, &m->study->samples.seed, sizeof m->study->samples.seed);
    hash = add_text(hash, dal_sampling_names[m->study->samples.sampling]);
    hash = add_text(hash, m->study->info.compiled ? "compiled" : "");
    dal_hash_text(hash, m->study->info.hash);
}

/* The name without folders: results do not depend on the folder of the model, or on the current folder. */
static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static dal_status make_study(void *user)
{
    maker *m = user;
    dal_study *s = m->study = DAL_NEW(&m->arena, dal_study, 1);
    s->allocator = m->arena.allocator;
    s->info.compiled = m->plan->compiled > 0 || (m->plan->compiled == 0 && m->spec->simulate.compile);
    if (!dal_factors_read(&m->arena, m->spec, m->plan->n_vary, m->plan->vary, m->messages, &s->factors))
        return DAL_BAD_COMMAND;
    dal_status status = plan_samples(m);
    if (status == DAL_OK)
        status = count_bases(m);
    if (status == DAL_OK)
        status = plan_columns(m);
    if (status == DAL_OK)
        status = compile_bases(m);
    if (status == DAL_OK)
        status = try_names(m);
    if (status != DAL_OK)
        return status;
    hash_plan(m);
    s->info.factors = s->factors.n;
    s->info.version = dal_version();
    s->info.model = dal_arena_print(&m->arena, "%s", m->spec->name.text ? m->spec->name.text : file_name(m->spec->file));
    s->info.model_hash = dal_arena_copy(&m->arena, m->spec->hash, strlen(m->spec->hash));
    return DAL_OK;
}

static void free_bases(dal_study *s)
{
    for (int b = 0; s && s->base && b < s->n_bases; b++)
        dal_system_free(s->base[b].system);
}

static bool plan_is_sound(const dal_study_plan *plan, dal_messages *messages)
{
    const struct {
        int n;
        const char *const *texts;
        const char *name;
    } lists[] = {
        {plan->n_vary, plan->vary, "plan->vary"}, {plan->n_each, plan->each, "plan->each"}, {plan->n_channels, plan->channels, "plan->channels"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!dal_needs_array(messages, "dal_study_create", lists[i].name, lists[i].n, lists[i].texts))
            return false;
        for (int k = 0; k < lists[i].n; k++)
            if (!dal_needs(messages, "dal_study_create", lists[i].name, lists[i].texts[k]))
                return false;
    }
    return true;
}

dal_status dal_study_create(const dal_allocator *allocator, const dal_spec *spec, const dal_study_plan *plan, dal_messages *messages,
                            dal_study **study)
{
    maker m = {.spec = spec, .plan = plan, .messages = messages, .text = {.messages = messages}};
    if (study)
        *study = NULL;
    if (!DAL_NEEDS(messages, study) || !DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, plan) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !plan_is_sound(plan, messages))
        return DAL_BAD_COMMAND;
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    dal_arena_begin(&m.arena, allocator);
    const dal_status status = dal_arena_try(&m.arena, make_study, &m);
    if (status != DAL_OK)
        free_bases(m.study);
    return dal_arena_deliver(&m.arena, status == DAL_OK, status, m.study, offsetof(dal_study, memory), study);
}

void dal_study_free(dal_study *study)
{
    if (!study)
        return;
    free_bases(study);
    dal_arena_dispose(study->memory);
}

/* ---- properties of a study --------------------------------------------------------------------------------------- */

dal_study_info dal_study_describe(const dal_study *study)
{
    return study ? study->info : (dal_study_info){.model = "", .model_hash = "", .version = ""};
}

const dal_study_variable *dal_study_variable_at(const dal_study *study, int factor)
{
    return study && factor >= 0 && factor < study->factors.n ? &study->factors.item[factor].factor : NULL;
}

const dal_column *dal_study_values(const dal_study *study, int *n)
{
    if (n)
        *n = study ? study->info.values : 0;
    return study ? study->values : NULL;
}

const dal_column *dal_study_channels(const dal_study *study, int *n)
{
    if (n)
        *n = study ? study->info.channels : 0;
    return study ? study->channels : NULL;
}

bool dal_study_point(const dal_study *study, long run, double *values)
{
    if (!study || !values || run < 0 || run >= study->info.runs)
        return false;
    for (int i = 0; i < study->factors.n; i++)
        values[i] = dal_factor_value(&study->factors.item[i], &study->samples, run);
    return true;
}

dal_status dal_study_system(const dal_study *study, long run, dal_messages *messages, dal_system **system)
{
    if (system)
        *system = NULL;
    if (!DAL_NEEDS(messages, study) || !DAL_NEEDS(messages, system))
        return DAL_BAD_COMMAND;
    if (run < 0 || run >= study->info.runs) {
        dal_error(messages, dal_nowhere, "the study has no run %ld: they are numbered from 0 to %ld", run, study->info.runs - 1);
        return DAL_BAD_COMMAND;
    }
    const dal_study_base *base = &study->base[dal_study_base_of(study, run)];
    if (!base->system) {
        dal_error(messages, dal_nowhere, "%s", base->reason);
        return base->status;
    }
    double values[1000]; /* MOST_FACTORS of plan.c */
    int n = 0;
    for (int i = 0; i < study->factors.n; i++)
        if (!study->factors.item[i].factor.setting)
            values[n++] = dal_factor_value(&study->factors.item[i], &study->samples, run);
    return dal_system_vary(&study->allocator, base->system, n, study->varied, values, messages, system);
}
