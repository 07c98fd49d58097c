#include "cli/options.h"
#include "cli/apart.h"
#include "cli/pages.h"
#include "cli/picture_file.h"
#include "output/same_files.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const dal_run_settings[] = {"coordinates", "formulation", "stabilization", "integrator",      "step",         "rtol",  "atol",
                                        "until",       "every",       "max-step",      "event-tolerance", "undetermined", "start", NULL};
const char *const dal_equation_settings[] = {"coordinates", "formulation", NULL};

char *dal_cut_list(char **rest)
{
    char *item = *rest, *at = item;
    int depth = 0;
    if (!item)
        return NULL;
    for (; *at && (*at != ',' || depth); at++)
        depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
    *rest = *at ? at + 1 : NULL;
    *at = '\0';
    return item;
}

/* NAME=VALUE, or several with commas between them. */
static int add_override(const char *command, dal_model_options *options, char *text)
{
    for (char *rest = text, *item; (item = dal_cut_list(&rest));) {
        char *equals = strchr(item, '=');
        if (!equals || equals == item || !equals[1])
            return dal_wrong_use(command, "--set needs NAME=VALUE, not '%s'", item);
        *equals = '\0';
        if (options->n_overrides == options->room_overrides)
            return dal_wrong_use(command, "--set has too many values");
        options->overrides[options->n_overrides++] = (dal_override){item, equals + 1};
    }
    return DAL_OK;
}

/* ---- the table for getopt ---------------------------------------------------------- */

/* Values of struct option: letters, or these and those after them. */
enum { SETTING = 1000, OWN = 2000, FLOATING = 3000 };

typedef struct getopt_table {
    char letters[2 * DAL_MOST_OPTIONS + 5];
    struct option options[DAL_MOST_OPTIONS + DAL_MOST_SETTINGS + 4]; /* own, help, verbose, settings, floating, zeros */
} getopt_table;

static int value_of(const dal_option_table *table, int i)
{
    return table->options[i].letter ? table->options[i].letter : OWN + i;
}

static void make_getopt_table(const dal_option_table *table, getopt_table *made)
{
    int n = 0;
    bool set = false;
    char *letter = made->letters;
    *made = (getopt_table){0};
    *letter++ = ':';
    for (const dal_option *o = table->options; o->kind; o++, n++) {
        assert(n < DAL_MOST_OPTIONS);
        const bool flag = o->kind == DAL_OPTION_FLAG;
        made->options[n] = (struct option){o->name, flag ? no_argument : required_argument, NULL, value_of(table, n)};
        set |= o->kind == DAL_OPTION_SET;
        if (o->letter)
            *letter++ = o->letter;
        if (o->letter && !flag)
            *letter++ = ':';
    }
    *letter++ = 'h';
    *letter = 'v';
    made->options[n++] = (struct option){"help", no_argument, NULL, 'h'};
    made->options[n++] = (struct option){"verbose", no_argument, NULL, 'v'};
    for (int i = 0; table->settings && table->settings[i]; i++) {
        assert(i < DAL_MOST_SETTINGS);
        made->options[n++] = (struct option){table->settings[i], required_argument, NULL, SETTING + i};
    }
    if (set)
        made->options[n] = (struct option){"floating", no_argument, NULL, FLOATING};
}

/* ---- one command line --------------------------------------------------------------- */

static int read_count(const char *command, const char *option, const char *text, dal_count *count)
{
    count->given = true;
    return dal_read_count(text, &count->value) ? DAL_OK : dal_wrong_use(command, "%s needs a whole number from 0, not '%s'", option, text);
}

static void *member_of(const dal_option *o, void *request)
{
    return (char *)request + o->member;
}

static int use_option(const char *command, const dal_option *o, dal_model_options *model, void *request)
{
    void *member = member_of(o, request);
    char option[40];
    snprintf(option, sizeof option, "--%s", o->name);
    switch (o->kind) {
    case DAL_OPTION_SET: return add_override(command, model, optarg);
    case DAL_OPTION_FLAG: *(bool *)member = true; break;
    case DAL_OPTION_ONCE:
        if (*(const char **)member)
            return dal_wrong_use(command, "%s was given twice", option);
        *(const char **)member = optarg;
        break;
    case DAL_OPTION_PICTURE:
    case DAL_OPTION_FILE:
        if (*(const char **)member)
            return dal_wrong_use(command, "one file at a time: -o was given twice");
        *(const char **)member = optarg;
        return o->kind == DAL_OPTION_PICTURE ? dal_picture_type(command, optarg) : DAL_OK;
    case DAL_OPTION_TEXT: *(const char **)member = optarg; break;
    case DAL_OPTION_WHOLE: return dal_read_range(command, option, optarg, o->least, o->most, member);
    case DAL_OPTION_COUNT: return read_count(command, option, optarg, member);
    case DAL_OPTION_SIZE: return dal_picture_size(command, optarg, &((dal_pixels *)member)->width, &((dal_pixels *)member)->height);
    case DAL_OPTION_NAMES: return dal_name_list_add(member, command, option, optarg);
    case DAL_OPTION_STEADY: return dal_steady_list_add(member, command, optarg);
    case DAL_OPTION_READ: return o->read(request, optarg);
    case DAL_OPTION_END: break;
    }
    return DAL_OK;
}

/* The default values of numbers. */
static void begin_members(const dal_option_table *table, void *request)
{
    for (const dal_option *o = table->options; o->kind; o++)
        if (o->usual)
            *(int *)member_of(o, request) = o->usual;
}

static void release_members(const dal_option_table *table, void *request)
{
    for (const dal_option *o = table->options; o->kind; o++) {
        if (o->kind == DAL_OPTION_NAMES)
            dal_name_list_free(member_of(o, request));
        if (o->kind == DAL_OPTION_STEADY)
            dal_steady_list_free(member_of(o, request));
    }
    if (table->release)
        table->release(request);
}

static int check_arguments(const dal_option_table *table, const char *command, dal_model_options *model)
{
    if (table->argument == DAL_ARGUMENT_ANY)
        return DAL_OK;
    const bool is_model = table->argument != DAL_ARGUMENT_RESULT;
    if (!model->n_arguments)
        return dal_wrong_use(command, is_model ? "which model?" : "which file of results?");
    if (model->n_arguments > 1 && table->argument != DAL_ARGUMENT_MODELS)
        return dal_wrong_use(command, "one %s at a time: unexpected argument '%s'", is_model ? "model" : "file", model->arguments[1]);
    *(is_model ? &model->path : &model->result) = model->arguments[0];
    return DAL_OK;
}

/* DAL_OK: continue, -1: help was printed, otherwise the exit code. */
static int read_options(const dal_option_table *table, int argc, char **argv, dal_model_options *model, void *request)
{
    getopt_table made;
    int option, status = model->overrides ? DAL_OK : DAL_NO_MEMORY;
    make_getopt_table(table, &made);
    while (status == DAL_OK && (option = dal_next_option(argc, argv, made.letters, made.options)) != -1) {
        if (option == 'h') {
            fputs(table->usage, stdout);
            return -1;
        }
        if (option == '?')
            return DAL_BAD_COMMAND;
        if (option == 'v')
            dal_report_all();
        if (option == FLOATING)
            model->floating = true;
        else if (option >= SETTING && option < SETTING + DAL_MOST_SETTINGS)
            model->setting[option - SETTING] = optarg;
        for (int i = 0; table->options[i].kind; i++)
            if (value_of(table, i) == option)
                status = use_option(argv[0], &table->options[i], model, request);
    }
    model->n_arguments = argc - optind;
    model->arguments = argv + optind;
    if (status == DAL_OK)
        status = check_arguments(table, argv[0], model);
    return status == DAL_OK && table->check ? table->check(request) : status;
}

/* An upper bound of the number of settings: one for each argument, and one for each comma. */
static int count_settings(int argc, char **argv)
{
    int n = argc;
    for (int i = 0; i < argc; i++)
        for (const char *c = argv[i]; *c; c++)
            n += *c == ',';
    return n;
}

int dal_run_command(const dal_option_table *table, int argc, char **argv, dal_model_options *model, void *request, int (*work)(void *request))
{
    *model = (dal_model_options){
        .name = argv[0], .settings = table->settings, .room_overrides = count_settings(argc, argv), .command = dal_command_text(argc, argv)};
    model->overrides = calloc((size_t)model->room_overrides, sizeof *model->overrides);
    begin_members(table, request);
    int status = read_options(table, argc, argv, model, request);
    const int models = status == DAL_OK && table->argument == DAL_ARGUMENT_MODELS && model->n_arguments > 1 ? model->n_arguments : 1;
    for (int i = 0, worst = status; i < models && (i == 0 ? status == DAL_OK : status < 128); i++) {
        if (models > 1)
            model->path = model->arguments[i];
        if (!(model->messages = dal_messages_create(NULL))) {
            status = worst = DAL_NO_MEMORY;
            dal_report_end(argv[0], NULL, DAL_ERROR, DAL_NO_MEMORY);
            break;
        }
        status = table->argument == DAL_ARGUMENT_RESULT ? dal_work_apart(argv[0], model->result, work, request) : work(request);
        dal_system_free(model->system);
        dal_spec_free(model->spec);
        dal_messages_free(model->messages);
        model->system = NULL;
        model->spec = NULL;
        model->messages = NULL;
        worst = status > worst ? status : worst;
        status = i + 1 < models ? status : worst;
    }
    release_members(table, request);
    free(model->overrides);
    free(model->command);
    return status < 0 ? DAL_OK : status;
}

int dal_run_plain_command(const dal_command *command, int argc, char **argv)
{
    void *request = calloc(1, command->request);
    if (!request)
        return DAL_NO_MEMORY;
    const int status = dal_run_command(command->table, argc, argv, request, request, command->work);
    free(request);
    return status;
}

/* ---- the model ------------------------------------------------------------------------- */

/* The model `-`: all of standard input. It has no folder, so it cannot name other files. */
static dal_status read_stream(const dal_model_options *options, dal_messages *messages, dal_spec **spec)
{
    enum { LARGEST = 64 << 20 };
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    dal_status status = text ? DAL_OK : DAL_NO_MEMORY;
    for (size_t n; status == DAL_OK && length <= LARGEST && (n = fread(text + length, 1, room - length, stdin)) > 0;) {
        length += n;
        char *more = length == room ? realloc(text, room *= 2) : text;
        status = more ? DAL_OK : DAL_NO_MEMORY;
        text = more ? more : text;
    }
    *spec = NULL;
    if (status == DAL_OK)
        status = dal_spec_parse(NULL, "standard input", text, length, options->n_overrides, options->overrides, messages, spec);
    free(text);
    return status;
}

dal_status dal_model_read(const dal_model_options *options, dal_messages *messages, dal_spec **spec)
{
    const dal_read_options read = {.n_overrides = options->n_overrides,
                                   .overrides = options->overrides,
                                   .floating = options->floating,
                                   .file = options->file,
                                   .file_user = options->file_user};
    const bool stream = !strcmp(options->path, "-");
    dal_status status = stream ? read_stream(options, messages, spec) : dal_spec_read_with(NULL, options->path, &read, messages, spec);
    for (int i = 0; options->settings && options->settings[i] && *spec; i++)
        if (options->setting[i] && !dal_spec_set(*spec, options->settings[i], options->setting[i], messages))
            status = DAL_BAD_COMMAND;
    return status;
}

dal_status dal_model_load(dal_model_options *options, const char *output, const char *source)
{
    const dal_status status = dal_model_read(options, options->messages, &options->spec);
    return status == DAL_OK && output ? dal_output_check(output, options->spec, source, options->messages) : status;
}

int dal_find_and_print(const dal_finding *how, void *request, const char *file, const char *source)
{
    dal_model_options *model = request;
    dal_messages *messages = model->messages;
    dal_status status = dal_model_load(model, file, source);
    if (status == DAL_OK)
        status = how->find(request, model->spec, messages);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK)
        status = file ? how->write(request, messages) : dal_print_text(stdout, how->print, request);
    dal_report_end(model->name, messages, DAL_NOTE, status);
    return (int)status;
}

/* The place of such an error is "--set k=3" or the like instead of a file. */
static bool command_is_to_blame(const dal_messages *messages)
{
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next) {
        const char *place = message->mark.file ? message->mark.file : "";
        if (message->severity == DAL_ERROR && strncmp(place, "--", 2) && strcmp(place, "command line"))
            return false;
    }
    return dal_messages_count(messages, DAL_ERROR) > 0;
}

dal_status dal_model_blame(dal_status status, const dal_messages *messages)
{
    return status == DAL_BAD_MODEL && command_is_to_blame(messages) ? DAL_BAD_COMMAND : status;
}

bool dal_read_count(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

int dal_read_range(const char *command, const char *option, const char *text, int least, int most, int *value)
{
    uint64_t number;
    if (!dal_read_count(text, &number) || number < (uint64_t)least || number > (uint64_t)most)
        return dal_wrong_use(command, "%s needs a number from %d to %d, not '%s'", option, least, most, text);
    *value = (int)number;
    return DAL_OK;
}
