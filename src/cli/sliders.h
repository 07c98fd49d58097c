/* The sliders of a page that `watch` serves: the parameters of the model, and the values that a reader asks for.
 *
 * The page sends all values that differ from the model, a line `name=number` each; no line: the model as it is written. Nothing of it is
 * trusted: names have to be those of parameters, once each, and numbers finite.
 */
#ifndef DAL_CLI_SLIDERS_H
#define DAL_CLI_SLIDERS_H

#include "cli/options.h"

typedef struct dal_slider {
    char *name;
    double value;  /* of the run that is shown */
    double model;  /* as the model has it, with what the command line says */
    double wanted; /* NaN: what the model says */
    double shown;  /* `wanted` of the run that is shown */
} dal_slider;

typedef struct dal_sliders {
    int n;
    dal_slider *item;
    bool open;  /* values may be asked for */
    bool asked; /* they were, and wait for a run */
} dal_sliders;

/* The parameters of a model that was read, at its own values. */
void dal_sliders_begin(dal_sliders *sliders, const dal_spec *spec);
/* The run with the wanted values is shown: `spec` is what ran. */
void dal_sliders_shown(dal_sliders *sliders, const dal_spec *spec);
/* That run failed: the values of the one before. */
void dal_sliders_back(dal_sliders *sliders);
void dal_sliders_free(dal_sliders *sliders);

/* What a page sends; for dal_server_take. NULL: it was taken; otherwise the line of the answer that says why not. */
const char *dal_sliders_ask(void *sliders, const char *text);

/* What the command line sets, with the wanted values instead of it or behind it. One block from malloc; NULL: no memory. */
dal_override *dal_sliders_overrides(const dal_sliders *sliders, const dal_model_options *model, int *n);
/* The command with the wanted values, from malloc; NULL: no memory. */
char *dal_sliders_command(const dal_sliders *sliders, const char *command);
/* The entry of the page's header (viewer/FORMAT.md), from malloc; NULL: no memory, or there are none. */
char *dal_sliders_entry(const dal_sliders *sliders);

#endif
