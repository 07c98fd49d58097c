/* dalembert generate: C code of a model. */
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/whole_file.h"
#include "run/sample_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "dalembert generate MODEL [options]\n"
    "\n"
    "Write the equations of motion of a model as straight-line C11: one file and its header, which need nothing but libm, allocate\n"
    "nothing, and have no variables of their own. doc/generate.md describes the functions.\n"
    "\n"
    "    --formulation F         whose equations (lagrange): recursive, kane, ... all that `derive` knows\n"
    "    --coordinates WORD      family of coordinates (the model's own; for recursive joint)\n"
    "    --parameters WORD       fixed: their values are part of the code (the default); struct: they are an argument\n"
    "    --lanes N               4 or 8: functions that compute so many copies of the model at once as well\n"
    "    --jacobians             derivatives of the accelerations by coordinates and velocities as well\n"
    "    -o, --output FILE.c     the file (model.c); the header stands beside it, and names begin with the name of the file\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "    -h, --help              this text\n"
    "\n"
    "The file tests itself: cc -DMODEL_TEST -O2 model.c -lm && ./a.out compares it with what the engine found at eight states.\n";

typedef struct request {
    dal_model_options model;
    const char *output, *formulation, *coordinates, *parameters, *lanes;
    bool jacobians;
} request;

static const dal_option options[] = {DAL_SET,
                                     DAL_FILE("output", 'o', output, NULL),
                                     DAL_TEXT("formulation", 0, formulation),
                                     DAL_TEXT("coordinates", 0, coordinates),
                                     DAL_TEXT("parameters", 0, parameters),
                                     DAL_TEXT("lanes", 0, lanes),
                                     DAL_FLAG("jacobians", 0, jacobians),
                                     {0}};

static int check_options(void *user)
{
    const request *wanted = user;
    const size_t n = wanted->output ? strlen(wanted->output) : 0;
    if (wanted->output && (n < 3 || strcmp(wanted->output + n - 2, ".c")))
        return dal_wrong_use("generate", "'%s' does not end with .c: generated code is a C file", wanted->output);
    if (wanted->parameters && strcmp(wanted->parameters, "fixed") && strcmp(wanted->parameters, "struct"))
        return dal_wrong_use("generate", "--parameters wants fixed or struct, not '%s'", wanted->parameters);
    if (wanted->lanes && strcmp(wanted->lanes, "4") && strcmp(wanted->lanes, "8"))
        return dal_wrong_use("generate", "--lanes wants 4 or 8, not '%s'", wanted->lanes);
    return DAL_OK;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_MODEL, check_options};

enum { REFERENCES = 8 };

typedef struct work {
    const request *wanted;
    dal_messages *messages;
    dal_arena arena;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    const dal_generated *code;
} work;

/* The model in the coordinates that were asked for; otherwise its own, and joint for the recursion. */
static dal_status compile_model(work *w)
{
    const request *wanted = w->wanted;
    const char *formulation = wanted->formulation ? wanted->formulation : "lagrange";
    dal_status status = dal_model_read(&wanted->model, w->messages, &w->spec);
    if (status != DAL_OK)
        return status;
    if (!dal_derives(formulation, w->messages) || !dal_spec_set(w->spec, "formulation", formulation, w->messages))
        return DAL_BAD_COMMAND;
    const char *family = wanted->coordinates;
    if (!family && !w->spec->n_coordinates && dal_find_derived_formulation(formulation)->tree)
        family = "joint";
    if (family && !dal_spec_set(w->spec, "coordinates", family, w->messages))
        return DAL_BAD_COMMAND;
    status = dal_compile(NULL, w->spec, w->messages, &w->system);
    if (status == DAL_OK && !(w->state = dal_state_create(NULL, w->system)))
        status = DAL_NO_MEMORY;
    return status == DAL_OK ? dal_state_evaluate(w->state, w->messages) : status;
}

/* The name of the file without folder and ".c". */
static const char *prefix_of(dal_arena *arena, const char *output)
{
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    return dal_c_identifier(arena, dal_arena_copy(arena, name, strlen(name) - 2), 0, NULL);
}

/* ---- parameters -------------------------------------------------------------------------- */

/* Do the accelerations with another value of the parameter follow from the code? What the compiler of models made of a parameter (a frame, a start
 * value that became a constant) is a number in it. */
static bool follows(work *w, dal_listing *listing, int place, int parameter, double *values)
{
    const char *name = w->spec->parameters[parameter].name.text;
    const double kept = values[place], other = kept != 0 ? 1.03 * kept : 0.03;
    dal_system *varied = NULL;
    dal_state *state = NULL;
    bool good = false;
    if (dal_system_vary(NULL, w->system, 1, &name, &other, NULL, &varied) == DAL_OK && (state = dal_state_create(NULL, varied)) &&
        dal_state_evaluate(state, NULL) == DAL_OK) {
        const dal_reference_state at = dal_reference_of(state, &w->arena);
        const int nv = dal_system_describe(varied).velocities;
        double *vd = DAL_NEW(&w->arena, double, nv);
        values[place] = other;
        good = nv == dal_system_describe(w->system).velocities && dal_listing_accelerations(listing, &at, values, vd);
        for (int k = 0; good && k < nv; k++)
            good = fabs(vd[k] - at.vd[k]) <= 1e-9 * at.scale;
        values[place] = kept;
    }
    dal_state_free(state);
    dal_system_free(varied);
    return good;
}

/* Those that do not follow are fixed, and named. */
static void fix_parameters(work *w, dal_derivation *d, const dal_reference_state *reference, dal_generate_options *choice)
{
    const int *which;
    dal_listing *listing = dal_listing_build(d, choice, reference);
    const int n = dal_listing_parameters(listing, &which);
    double *values = DAL_NEW(&w->arena, double, n);
    bool *fixed = DAL_NEW(&w->arena, bool, w->spec->n_parameters);
    for (int i = 0; i < n; i++)
        values[i] = w->spec->parameters[which[i]].number;
    for (int i = 0; i < n; i++)
        if (!follows(w, listing, i, which[i], values)) {
            fixed[which[i]] = true;
            fprintf(stderr, "dalembert generate: note: '%s' is fixed: the code does not follow another value of it\n",
                    w->spec->parameters[which[i]].name.text);
        }
    choice->fixed = fixed;
}

/* ---- everything ---------------------------------------------------------------------------- */

static dal_status generate(void *user)
{
    work *w = user;
    const request *wanted = w->wanted;
    dal_derive_options how = dal_derive_options_of(w->state);
    how.formulation = wanted->formulation;
    dal_derivation *d = dal_derive_equations(&w->arena, w->spec, w->system, &how, w->messages);
    if (!d)
        return DAL_BAD_MODEL;
    dal_reference_state references[REFERENCES];
    const int n = dal_sample_states(w->state, REFERENCES, &w->arena, references);
    if (!n)
        return DAL_NUMERICAL;
    dal_generate_options *o = DAL_NEW(&w->arena, dal_generate_options, 1);
    *o = (dal_generate_options){.prefix = prefix_of(&w->arena, wanted->output ? wanted->output : "model.c"),
                                .struct_of_parameters = wanted->parameters && !strcmp(wanted->parameters, "struct"),
                                .lanes = wanted->lanes ? atoi(wanted->lanes) : 0,
                                .jacobians = wanted->jacobians};
    if (!dal_generates(d, o, w->messages))
        return DAL_BAD_MODEL;
    if (o->struct_of_parameters)
        fix_parameters(w, d, &references[0], o);
    w->code = dal_generate(d, o, n, references);
    return DAL_OK;
}

static dal_status write_files(work *w)
{
    const char *path = w->wanted->output ? w->wanted->output : "model.c";
    char *header = dal_arena_copy(&w->arena, path, strlen(path));
    header[strlen(header) - 1] = 'h';
    dal_status status = dal_write_whole_file("generate", header, w->code->header);
    return status == DAL_OK ? dal_write_whole_file("generate", path, w->code->source) : status;
}

static int run_request(void *user)
{
    work w = {.wanted = user, .messages = ((request *)user)->model.messages};
    dal_arena_begin(&w.arena, NULL);
    dal_status status = compile_model(&w);
    if (status == DAL_OK)
        status = dal_arena_try(&w.arena, generate, &w);
    if (status == DAL_OK)
        status = write_files(&w);
    status = dal_model_blame(status, w.messages);
    dal_report_end("generate", w.messages, DAL_NOTE, status);
    if (status == DAL_OK)
        printf("%s: %d coordinates, %d velocities, %d rows; %d operations\n", w.wanted->output ? w.wanted->output : "model.c", w.code->nq, w.code->nv,
               w.code->n_rows, w.code->operations);
    dal_state_free(w.state);
    dal_system_free(w.system);
    dal_spec_free(w.spec);
    dal_arena_release(&w.arena);
    return dal_finish_output((int)status);
}

const dal_command dal_command_generate = DAL_COMMAND("generate", "write the equations of motion as C code", run_request);
