/* What generated code of a run follows from, as a digest, and what a run knows of it, as numbers: so that a run whose code was made before need not
 * derive its equations again. Rollouts have the same record (analysis/rollout_code.c).
 *
 *     of the model       its text, its elements, the values of its parameters, the numbers that compile made of them (dal_system_contents)
 *     of the method      coordinates, formulation, stabilization; which parameters are arguments
 *     of the state       charts, speeds and independent rows as they are chosen now; t, y and inputs, where orders of elimination are chosen
 *     of the engine      y' there: a model that moves otherwise has another digest, whatever the reason
 */
#include "base/digest.h"
#include "dynamics/row_rank.h"
#include "expr/expr.h"
#include "run/compiled_code.h"
#include "run/known_code.h"
#include "run/sample_states.h"
#include "spec/copy.h"
#include "state/state_parts.h"

#include <string.h>

void dal_digest_word(dal_digest *d, const char *text)
{
    dal_digest_add(d, text ? text : "", (text ? strlen(text) : 0) + 1);
}

void dal_digest_numbers(dal_digest *d, int n, const double *x)
{
    dal_digest_add(d, &n, sizeof n);
    dal_digest_add(d, x, sizeof *x * (size_t)n);
}

void dal_digest_counts(dal_digest *d, int n, const int *x)
{
    dal_digest_add(d, &n, sizeof n);
    dal_digest_add(d, x, sizeof *x * (size_t)n);
}

static void add_model(dal_digest *d, const dal_system *system, uint64_t contents, const bool *fixed)
{
    const dal_spec *spec = dal_system_spec(system);
    const dal_system_info info = dal_system_describe(system);
    const uint64_t number[] = {contents, dal_spec_outline(spec)};
    dal_digest_word(d, info.model_hash);
    dal_digest_add(d, number, sizeof number);
    for (int i = 0; i < spec->n_parameters; i++) {
        dal_digest_word(d, spec->parameters[i].name.text);
        dal_digest_numbers(d, 1, &spec->parameters[i].number);
        dal_digest_word(d, !fixed ? "number" : fixed[i] ? "fixed" : "argument");
    }
}

static void add_method(dal_digest *d, const dal_system *system)
{
    const dal_method *method = dal_system_method(system);
    const dal_system_info info = dal_system_describe(system);
    const double numbers[] = {method->alpha, method->beta};
    dal_digest_word(d, info.coordinates);
    dal_digest_word(d, method->formulation->name);
    dal_digest_word(d, info.stabilization);
    dal_digest_numbers(d, 2, numbers);
}

void dal_digest_system(dal_digest *d, const dal_system *system, uint64_t contents, const bool *fixed)
{
    add_model(d, system, contents, fixed);
    add_method(d, system);
}

void dal_code_key(run *r, double t, const double *y, char key[65])
{
    const dal_compiled_run *c = r->compiled;
    const int sizes[] = {c->n, c->nq, c->n_w, c->n_states, c->n_works, c->n_inputs, c->n_momenta};
    const dal_derive_options how = dal_derive_options_of(r->state);
    dal_digest d = dal_digest_begin();
    dal_digest_system(&d, r->system, dal_run_contents(r), c->fixed);
    dal_digest_counts(&d, (int)(sizeof sizes / sizeof *sizes), sizes);
    dal_digest_counts(&d, c->n_choice, c->choice);
    dal_digest_counts(&d, how.rows ? dal_rank_of(r->state)->n : 0, how.rows);
    dal_digest_numbers(&d, 1, &t);
    dal_digest_numbers(&d, c->n, y);
    dal_digest_numbers(&d, c->n_inputs + c->n_states + c->n_momenta, c->extra);
    dal_digest_numbers(&d, c->n, c->engine);
    dal_digest_text(&d, key);
}

/* ---- notes ------------------------------------------------------------------------------------- */

bool dal_code_note(const dal_run_code *code, dal_code_notes *notes)
{
    const int n = code->n_switches, m = code->n_parameters;
    if (n > DAL_CODE_NOTES / 4 || m > DAL_CODE_NOTES / 4)
        return false;
    int *to = notes->number;
    notes->n = 2 + 2 * n + m;
    to[0] = n;
    to[1] = m;
    for (int k = 0; k < n; k++) {
        to[2 + k] = code->switch_of[k];
        to[2 + n + k] = code->mirrored[k];
    }
    for (int i = 0; i < m; i++)
        to[2 + 2 * n + i] = code->parameter[i];
    return true;
}

/* Is each number in its range? */
bool dal_code_notes_fit(const run *r, const dal_code_notes *notes)
{
    const dal_spec *spec = dal_system_spec(r->system);
    const int n = notes->n < 2 ? -1 : notes->number[0], m = notes->n < 2 ? -1 : notes->number[1], model = dal_switches(r->system);
    if (n < 0 || m < 0 || n > DAL_CODE_NOTES || m > DAL_CODE_NOTES || notes->n != 2 + 2 * n + m)
        return false;
    const int *at = notes->number + 2;
    for (int k = 0; k < n; k++) {
        const int mirrored = at[n + k];
        if (at[k] < -1 || at[k] >= model || (mirrored && mirrored != DAL_OP_LESS && mirrored != DAL_OP_LEQ && mirrored != DAL_OP_EQUAL))
            return false;
    }
    for (int i = 0; i < m; i++)
        if (at[2 * n + i] < 0 || at[2 * n + i] >= spec->n_parameters)
            return false;
    return true;
}
