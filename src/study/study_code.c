#include "study/study_code.h"

#include "base/message.h"
#include "model/system_parts.h"
#include "spec/copy.h"
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS = 5, WHY = 256, MOST_REASONS = 8 };

typedef struct making {
    const dal_study *study;
    dal_study_code *code;
    dal_messages *messages;
    bool (*go_on)(void *user);
    void *user;
    int n_reasons;
    char reason[MOST_REASONS][WHY];
} making;

/* ---- structures ------------------------------------------------------------------------------------ */

/* Settings that are numbers (tolerances, times) do not change the equations: bases that differ in nothing else share code. */
static void group_bases(dal_study_code *code, const dal_study *s)
{
    for (int b = 0; b < s->n_bases; b++) {
        int rest = b, group = 0, weight = 1;
        for (int i = s->factors.n - 1; i >= 0; i--) {
            const dal_study_variable *f = &s->factors.item[i].factor;
            if (!f->setting)
                continue;
            if (f->words) {
                group += weight * (rest % f->n);
                weight *= f->n;
            }
            rest /= f->n;
        }
        code->of_base[b] = group;
        code->n = weight;
    }
}

/* Some runs of a base: the first, the last, and others between them. False: the base does not have that many. */
static bool trial_run(const making *m, int base, int i, long *run)
{
    const long n = m->study->info.runs;
    const long first = i == 0 ? 0 : i == 1 ? n - 1 : (long)((double)n * 0.618 * i) % n;
    for (*run = first; *run < n; *run += 1)
        if (dal_study_base_of(m->study, *run) == base)
            return true;
    for (*run = 0; *run < first; *run += 1)
        if (dal_study_base_of(m->study, *run) == base)
            return true;
    return false;
}

/* ---- one structure ---------------------------------------------------------------------------------- */

/* Each reason is reported once. */
static void warn_reason(making *m, const char *what, const char *why)
{
    for (int i = 0; i < m->n_reasons; i++)
        if (!strcmp(m->reason[i], why))
            return;
    if (m->n_reasons == MOST_REASONS)
        return;
    snprintf(m->reason[m->n_reasons++], WHY, "%s", why);
    dal_say(m->messages, DAL_WARNING, dal_nowhere, "%s: %s", what, why);
}

/* The parameters whose values differ between the runs of the plan. */
static void find_varied(const making *m, int base, const dal_spec *spec, bool *varied)
{
    for (int k = 0; k < TRIALS; k++) {
        dal_system *system = NULL;
        long run;
        if (!trial_run(m, base, k, &run) || dal_study_system(m->study, run, NULL, &system) != DAL_OK)
            continue;
        const dal_spec *other = dal_system_spec(system);
        for (int i = 0; other && other->n_parameters == spec->n_parameters && i < spec->n_parameters; i++)
            varied[i] = varied[i] || memcmp(&other->parameters[i].number, &spec->parameters[i].number, sizeof spec->parameters[i].number);
        dal_system_free(system);
    }
}

/* Is the code right for runs of the plan? Code that fails for all of them is useless. */
static bool is_useful(making *m, int base, const dal_shared_code *code)
{
    char why[WHY] = "", reason[WHY] = "";
    int tried = 0, failed = 0;
    for (int k = 0; k < TRIALS; k++) {
        dal_system *system = NULL;
        long run;
        if (!trial_run(m, base, k, &run) || dal_study_system(m->study, run, NULL, &system) != DAL_OK)
            continue;
        tried++;
        if (!dal_shared_code_fits(code, system, why, sizeof why)) {
            failed++;
            snprintf(reason, sizeof reason, "%s", why);
        }
        dal_system_free(system);
    }
    if (failed)
        warn_reason(m, failed == tried ? "runs are not compiled, and the engine makes them" : "some runs are not compiled, and the engine makes them",
                    reason);
    return failed < tried || !tried;
}

static bool make_one(making *m, int base)
{
    const dal_system *system = m->study->base[base].system;
    const dal_spec *spec = dal_system_spec(system);
    char why[WHY] = "";
    bool *varied = calloc((size_t)(spec ? spec->n_parameters : 0) + 1, sizeof *varied);
    if (!varied)
        return false;
    if (spec)
        find_varied(m, base, spec, varied);
    const dal_shared_request request = {.system = system, .varied = varied, .go_on = m->go_on, .user = m->user};
    dal_shared_code **item = &m->code->item[m->code->of_base[base]];
    *item = dal_shared_code_make(&request, why, sizeof why);
    free(varied);
    if (!*item)
        warn_reason(m, "runs are not compiled, and the engine makes them", why);
    else if (!is_useful(m, base, *item)) {
        dal_shared_code_free(*item);
        *item = NULL;
    }
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static uint64_t mark_of(const dal_study_code *code)
{
    uint64_t mark = 0;
    for (int g = 0; g < code->n; g++)
        for (int i = 0; code->item[g] && dal_shared_code_sum(code->item[g], i); i++) {
            const char *sum = dal_shared_code_sum(code->item[g], i);
            mark = dal_hash_add(mark ? mark : dal_hash_begin(), &g, sizeof g);
            mark = dal_hash_add(mark, sum, strlen(sum));
        }
    return mark;
}

bool dal_study_code_make(dal_study_code *code, const dal_study *study, bool (*go_on)(void *user), void *user, dal_messages *messages)
{
    making m = {.study = study, .code = code, .messages = messages, .go_on = go_on, .user = user};
    *code = (dal_study_code){.n_bases = study->n_bases};
    if (!study->info.compiled)
        return true;
    code->of_base = calloc((size_t)study->n_bases, sizeof *code->of_base);
    code->item = calloc((size_t)study->n_bases, sizeof *code->item);
    bool *done = calloc((size_t)study->n_bases, sizeof *done), good = code->of_base && code->item && done;
    if (good)
        group_bases(code, study);
    for (int b = 0; good && b < study->n_bases && !(go_on && !go_on(user)); b++) {
        if (!study->base[b].system || done[code->of_base[b]])
            continue;
        done[code->of_base[b]] = true;
        good = make_one(&m, b);
    }
    free(done);
    code->mark = good ? mark_of(code) : 0;
    return good;
}

void dal_study_code_free(dal_study_code *code)
{
    for (int g = 0; code->item && g < code->n; g++)
        dal_shared_code_free(code->item[g]);
    free(code->item);
    free(code->of_base);
    *code = (dal_study_code){0};
}

const dal_shared_code *dal_study_code_of(const dal_study_code *code, const dal_study *study, long run)
{
    return code && code->item ? code->item[code->of_base[dal_study_base_of(study, run)]] : NULL;
}
