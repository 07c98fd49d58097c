/* The sliders of a page that `watch` serves: the parameters of the model, and the values that a reader requests.
 *
 * The page sends all values that differ from the model, a line `name=number` each; no line: the model as it is written. All lines are checked: names
 * must be those of parameters, each only once, and numbers must be finite.
 */
#ifndef DAL_CLI_SLIDERS_H
#define DAL_CLI_SLIDERS_H

#include "cli/options.h"

typedef struct dal_slider {
    char *name;
    double value;  /* of the run that is shown */
    double model;  /* of the model with the options of the command line */
    double wanted; /* NaN: the value of the model */
    double shown;  /* `wanted` of the run that is shown */
} dal_slider;

typedef struct dal_sliders {
    int n;
    dal_slider *item;
    bool open;  /* values may be requested */
    bool asked; /* values were requested, and wait for a run */
} dal_sliders;

/* The parameters of a model that was read, at its own values. */
void dal_sliders_begin(dal_sliders *sliders, const dal_spec *spec);
/* The run with the wanted values is shown: `spec` is what ran. */
void dal_sliders_shown(dal_sliders *sliders, const dal_spec *spec);
/* That run failed: the values of the one before. */
void dal_sliders_back(dal_sliders *sliders);
void dal_sliders_free(dal_sliders *sliders);

/* Reads the text that a page sends; for dal_server_receive. NULL: it was accepted; otherwise the line of the answer with the reason. */
const char *dal_sliders_request(void *sliders, const char *text);

/* The overrides of the command line, replaced by wanted values of the same names and followed by the others. One block from malloc; NULL: no
 * memory. */
dal_override *dal_sliders_overrides(const dal_sliders *sliders, const dal_model_options *model, int *n);
/* The command with the wanted values, from malloc; NULL: no memory. */
char *dal_sliders_command(const dal_sliders *sliders, const char *command);
/* The entry of the page's header (viewer/FORMAT.md), from malloc; NULL: no memory, or there are none. */
char *dal_sliders_entry(const dal_sliders *sliders);

#endif
