#include "cli/sweep_plan.h"

#include "base/message.h"
#include "cli/pages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- one plan from two ------------------------------------------------------------------------- */

static int append(const char **out, int n, const char *const *texts, int more)
{
    for (int i = 0; i < more; i++)
        out[n + i] = texts[i];
    return n + more;
}

/* Texts of the file, then those of the command line. */
static void join_texts(dal_sweep_plan *p, const dal_study_plan *a, const dal_study_plan *b)
{
    const char **next = p->texts;
    p->plan.vary = next;
    p->plan.n_vary = append(next, append(next, 0, a->vary, a->n_vary), b->vary, b->n_vary);
    p->plan.each = next += p->plan.n_vary;
    p->plan.n_each = append(next, append(next, 0, a->each, a->n_each), b->each, b->n_each);
    p->plan.channels = next += p->plan.n_each;
    p->plan.n_channels = append(next, append(next, 0, a->channels, a->n_channels), b->channels, b->n_channels);
}

static dal_status join_plans(dal_sweep_plan *p, const dal_study_file *file, const dal_model_options *model, const dal_study_plan *asked, bool seeded)
{
    const dal_study_plan *of = &file->plan;
    int settings = 0;
    while (model->settings[settings])
        settings++;
    p->texts = calloc((size_t)(of->n_vary + of->n_each + of->n_channels + asked->n_vary + asked->n_each + asked->n_channels) + 1, sizeof *p->texts);
    const size_t overrides = (size_t)(file->n_overrides + model->n_overrides);
    p->overrides = calloc(overrides + (size_t)(file->n_settings + settings) + 1, sizeof *p->overrides);
    if (!p->texts || !p->overrides)
        return DAL_NO_MEMORY;
    p->settings = p->overrides + overrides;
    join_texts(p, of, asked);
    p->plan.random = asked->random ? asked->random : of->random;
    p->plan.sampling = asked->sampling ? asked->sampling : of->sampling;
    p->plan.seed = seeded ? asked->seed : of->seed;
    p->plan.compiled = asked->compiled ? asked->compiled : of->compiled;
    p->floating = file->floating || model->floating;
    for (int i = 0; i < file->n_overrides; i++)
        p->overrides[p->n_overrides++] = file->overrides[i];
    for (int i = 0; i < model->n_overrides; i++)
        p->overrides[p->n_overrides++] = model->overrides[i];
    for (int i = 0; i < file->n_settings; i++)
        p->settings[p->n_settings++] = file->settings[i];
    for (int i = 0; i < settings; i++)
        if (model->setting[i])
            p->settings[p->n_settings++] = (dal_override){model->settings[i], model->setting[i]};
    return DAL_OK;
}

dal_status dal_sweep_plan_of_options(dal_sweep_plan *p, const dal_model_options *model, const dal_study_plan *asked, bool seeded,
                                     dal_messages *messages)
{
    static const dal_study_file none;
    dal_status status = dal_is_study(model->path) ? dal_study_read(NULL, model->path, messages, &p->file) : DAL_OK;
    if (status == DAL_OK)
        status = join_plans(p, p->file ? p->file : &none, model, asked, seeded);
    p->model = p->file ? p->file->model : model->path;
    return status;
}

dal_status dal_sweep_plan_of_journal(dal_sweep_plan *p, const char *journal, const char *model, dal_messages *messages)
{
    static const char *const nothing[] = {NULL};
    char *note = NULL;
    size_t size = 0;
    dal_status status = dal_study_note(journal, messages, &note, &size);
    if (status == DAL_OK)
        status = dal_study_parse(NULL, "the plan of the journal", note, size, messages, &p->file);
    if (status == DAL_OK)
        status = join_plans(p, p->file, &(dal_model_options){.settings = nothing}, &(dal_study_plan){0}, false);
    if (status == DAL_OK)
        p->model = model ? model : p->file->model;
    free(note);
    return status;
}

/* ---- model and study ------------------------------------------------------------------------------ */

dal_status dal_sweep_plan_read(dal_sweep_plan *p, dal_messages *messages)
{
    const dal_read_options read = {.n_overrides = p->n_overrides, .overrides = p->overrides, .floating = p->floating};
    dal_status status = dal_spec_read_with(NULL, p->model, &read, messages, &p->spec);
    for (int i = 0; status == DAL_OK && i < p->n_settings; i++)
        if (!dal_spec_set(p->spec, p->settings[i].name, p->settings[i].value, messages))
            status = DAL_BAD_COMMAND;
    return dal_model_blame(status, messages);
}

dal_status dal_sweep_plan_make(dal_sweep_plan *p, dal_messages *messages)
{
    return dal_model_blame(dal_study_create(NULL, p->spec, &p->plan, messages, &p->study), messages);
}

void dal_sweep_plan_close(dal_sweep_plan *p)
{
    dal_study_free(p->study);
    dal_spec_free(p->spec);
    dal_study_file_free(p->file);
    free(p->texts);
    free(p->overrides);
}

/* ---- the command of one run --------------------------------------------------------------------------- */

/* "name=value" or "--name", from malloc. */
static char *joined(const char *before, const char *name, const char *between, const char *value)
{
    char *text = malloc(strlen(before) + strlen(name) + strlen(between) + strlen(value) + 1);
    if (text)
        strcpy(stpcpy(stpcpy(stpcpy(text, before), name), between), value);
    return text;
}

char *dal_sweep_plan_command(const dal_sweep_plan *p)
{
    const int most = 4 + 2 * (p->n_overrides + p->n_settings);
    const char *slash = strrchr(p->model, '/');
    char **words = calloc((size_t)most, sizeof *words), *text = NULL;
    int n = 0;
    if (!words)
        return NULL;
    words[n++] = strdup("run");
    words[n++] = strdup(slash ? slash + 1 : p->model);
    for (int i = 0; i < p->n_overrides; i++) {
        words[n++] = strdup("--set");
        words[n++] = joined("", p->overrides[i].name, "=", p->overrides[i].value);
    }
    for (int i = 0; i < p->n_settings; i++) {
        words[n++] = joined("--", p->settings[i].name, "", "");
        words[n++] = strdup(p->settings[i].value);
    }
    if (p->floating)
        words[n++] = strdup("--floating");
    if (p->plan.compiled > 0)
        words[n++] = strdup("--compiled");
    bool whole = true;
    for (int i = 0; i < n; i++)
        whole = whole && words[i];
    if (whole)
        text = dal_command_text(n, words);
    for (int i = 0; i < n; i++)
        free(words[i]);
    free(words);
    return text;
}

/* ---- the note ----------------------------------------------------------------------------------------- */

/* As YAML quotes it. */
static void put_quoted(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_entry(FILE *out, const char *name, size_t length, const char *value)
{
    fputs("  ", out);
    put_quoted(out, name, length);
    fputs(": ", out);
    put_quoted(out, value, strlen(value));
    fputc('\n', out);
}

static void put_texts(FILE *out, const char *key, int n, const char *const *texts)
{
    if (n)
        fprintf(out, "%s:\n", key);
    for (int i = 0; i < n; i++) {
        const char *equals = strchr(texts[i], '=');
        put_entry(out, texts[i], equals ? (size_t)(equals - texts[i]) : strlen(texts[i]), equals ? equals + 1 : "");
    }
}

static void put_pairs(FILE *out, const char *key, int n, const dal_override *pairs)
{
    if (n)
        fprintf(out, "%s:\n", key);
    for (int i = 0; i < n; i++)
        put_entry(out, pairs[i].name, strlen(pairs[i].name), pairs[i].value);
}

char *dal_sweep_plan_note(const dal_sweep_plan *p)
{
    char *text = NULL, full[PATH_MAX];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *model = realpath(p->model, full) ? full : p->model;
    if (!out)
        return NULL;
    fputs("study: 1\nmodel: ", out);
    put_quoted(out, model, strlen(model));
    fputc('\n', out);
    put_texts(out, "vary", p->plan.n_vary, p->plan.vary);
    put_texts(out, "each", p->plan.n_each, p->plan.each);
    if (p->plan.n_channels)
        fputs("channels:\n", out);
    for (int i = 0; i < p->plan.n_channels; i++) {
        fputs("  - ", out);
        put_quoted(out, p->plan.channels[i], strlen(p->plan.channels[i]));
        fputc('\n', out);
    }
    if (p->plan.random)
        fprintf(out, "random: %ld\n", p->plan.random);
    fprintf(out, "sampling: %s\nseed: %llu\n", p->plan.sampling ? p->plan.sampling : "random", p->plan.seed);
    put_pairs(out, "set", p->n_overrides, p->overrides);
    put_pairs(out, "simulate", p->n_settings, p->settings);
    if (p->floating)
        fputs("floating: true\n", out);
    if (p->plan.compiled)
        fprintf(out, "compiled: %s\n", p->plan.compiled > 0 ? "true" : "false");
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
