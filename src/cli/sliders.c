#include "cli/sliders.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SLIDERS = 100, NUMBER = 32 }; /* more are too many for a reader; characters of a number */

void dal_sliders_free(dal_sliders *sliders)
{
    for (int i = 0; i < sliders->n; i++)
        free(sliders->item[i].name);
    free(sliders->item);
    *sliders = (dal_sliders){0};
}

void dal_sliders_begin(dal_sliders *sliders, const dal_spec *spec)
{
    dal_sliders_free(sliders);
    sliders->item = calloc(MOST_SLIDERS, sizeof *sliders->item);
    for (int i = 0; sliders->item && i < spec->n_parameters && sliders->n < MOST_SLIDERS; i++) {
        const dal_pair *p = &spec->parameters[i];
        char *name = p->name.text && !p->binding && isfinite(p->number) ? strdup(p->name.text) : NULL;
        if (name)
            sliders->item[sliders->n++] = (dal_slider){name, p->number, p->number, NAN, NAN};
    }
    sliders->open = true;
}

void dal_sliders_shown(dal_sliders *sliders, const dal_spec *spec)
{
    for (int i = 0; i < sliders->n; i++) {
        dal_slider *s = &sliders->item[i];
        s->shown = s->wanted;
        for (int k = 0; k < spec->n_parameters; k++)
            if (!spec->parameters[k].binding && !strcmp(spec->parameters[k].name.text, s->name))
                s->value = spec->parameters[k].number;
    }
}

void dal_sliders_back(dal_sliders *sliders)
{
    for (int i = 0; i < sliders->n; i++)
        sliders->item[i].wanted = sliders->item[i].shown;
}

/* ---- requested values ----------------------------------------------------------------- */

static int find_slider(const dal_sliders *sliders, const char *name, size_t length)
{
    for (int i = 0; i < sliders->n; i++)
        if (strlen(sliders->item[i].name) == length && !memcmp(sliders->item[i].name, name, length))
            return i;
    return -1;
}

/* A decimal number that fills its line, and is finite. */
static bool read_number(const char *text, size_t length, double *value)
{
    char copy[NUMBER], *end;
    if (!length || length >= sizeof copy || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return !*end && isfinite(*value);
}

const char *dal_sliders_request(void *user, const char *text)
{
    dal_sliders *sliders = user;
    double wanted[MOST_SLIDERS];
    if (!sliders->open)
        return "409 the model does not run, or is running";
    for (int i = 0; i < sliders->n; i++)
        wanted[i] = NAN;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n"), name = strcspn(line, "=\n");
        const int i = name < length ? find_slider(sliders, line, name) : -1;
        if (i < 0)
            return "400 a line is NAME=NUMBER, with the name of a parameter";
        if (!isnan(wanted[i]))
            return "400 a parameter is named twice";
        if (!read_number(line + name + 1, length - name - 1, &wanted[i]))
            return "400 a value is a finite number";
        line += length + (line[length] == '\n');
    }
    for (int i = 0; i < sliders->n; i++)
        sliders->item[i].wanted = wanted[i];
    sliders->asked = true;
    return NULL;
}

/* ---- commands and entries of pages -------------------------------------------------------- */

dal_override *dal_sliders_overrides(const dal_sliders *sliders, const dal_model_options *model, int *n)
{
    const size_t room = (size_t)model->n_overrides + (size_t)sliders->n + 1;
    dal_override *list = calloc(1, room * (sizeof *list + NUMBER));
    char *number = list ? (char *)(list + room) : NULL;
    *n = model->n_overrides;
    if (!list)
        return NULL;
    if (*n)
        memcpy(list, model->overrides, (size_t)*n * sizeof *list);
    for (int i = 0; i < sliders->n; i++) {
        const dal_slider *s = &sliders->item[i];
        int k = 0;
        if (isnan(s->wanted))
            continue;
        while (k < *n && strcmp(list[k].name, s->name))
            k++;
        snprintf(number, NUMBER, "%.17g", s->wanted);
        list[k] = (dal_override){.name = s->name, .value = number};
        *n += k == *n;
        number += NUMBER;
    }
    return list;
}

/* The shortest text that is read as the same number. */
static void print_short(double value, char text[NUMBER])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

char *dal_sliders_command(const dal_sliders *sliders, const char *command)
{
    char *text = NULL, number[NUMBER];
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fputs(command, out);
    for (int i = 0; i < sliders->n; i++)
        if (!isnan(sliders->item[i].wanted)) {
            print_short(sliders->item[i].wanted, number);
            fprintf(out, " --set %s=%s", sliders->item[i].name, number);
        }
    fclose(out);
    return text;
}

char *dal_sliders_entry(const dal_sliders *sliders)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = sliders->n ? open_memstream(&text, &length) : NULL;
    if (!out)
        return NULL;
    dal_json json = dal_json_to_file(out);
    dal_json_open(&json, NULL, '[');
    for (int i = 0; i < sliders->n; i++) {
        const dal_slider *s = &sliders->item[i];
        dal_json_open(&json, NULL, '{');
        dal_json_string(&json, "name", s->name);
        dal_json_number(&json, "value", s->value);
        dal_json_number(&json, "model", s->model);
        dal_json_truth(&json, "moved", !isnan(s->shown));
        dal_json_close(&json, '}');
    }
    dal_json_close(&json, ']');
    fclose(out);
    return text;
}
