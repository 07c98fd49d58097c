/* The sources of a study: a study file, options of the command line, or the note of a journal. */
#ifndef DAL_CLI_SWEEP_PLAN_H
#define DAL_CLI_SWEEP_PLAN_H

#include "cli/options.h"

typedef struct dal_sweep_plan {
    dal_study_file *file; /* NULL: there is none */
    const char *model;
    dal_study_plan plan;
    int n_overrides, n_settings;
    const char **texts;                 /* of vary, each, channels */
    dal_override *overrides, *settings; /* one array */
    bool floating;
    dal_spec *spec;
    dal_study *study;
} dal_sweep_plan;

/* `asked`: the plan of the command line. If the model is a study file, the options are added to its plan. `seeded`: the seed was given. */
dal_status dal_sweep_plan_of_options(dal_sweep_plan *plan, const dal_model_options *model, const dal_study_plan *asked, bool seeded,
                                     dal_messages *messages);
/* The plan of a journal; `model`: where the model is now, NULL: where it was. */
dal_status dal_sweep_plan_of_journal(dal_sweep_plan *plan, const char *journal, const char *model, dal_messages *messages);
/* plan->spec, the model; plan->study. */
dal_status dal_sweep_plan_read(dal_sweep_plan *plan, dal_messages *messages);
dal_status dal_sweep_plan_make(dal_sweep_plan *plan, dal_messages *messages);
/* The plan as the text of a study file, which the caller frees; NULL: no memory. */
char *dal_sweep_plan_note(const dal_sweep_plan *plan);
/* The command that runs the model once, in its folder, without the varied values; freed in the same way. */
char *dal_sweep_plan_command(const dal_sweep_plan *plan);
void dal_sweep_plan_close(dal_sweep_plan *plan);

#endif
