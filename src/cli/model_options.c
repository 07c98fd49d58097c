/* The command line of the commands that read a model. */
#include "cli/model_options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int dal_override_read(const char *command, char *text, dal_override *override)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return dal_wrong_use(command, "--set wants NAME=VALUE, not '%s'", text);
    *equals = '\0';
    *override = (dal_override){text, equals + 1};
    return DAL_OK;
}

static int add_override(const char *command, dal_model_options *options, char *text)
{
    return dal_override_read(command, text, &options->overrides[options->n_overrides++]);
}

enum { MOST = DAL_MOST_OPTIONS + DAL_MOST_SETTINGS + 2 };

/* For getopt: the command's other options, then the settings, then --floating; the last entry stays zero. */
static void list_options(const dal_option_table *table, struct option list[MOST])
{
    int n = 0;
    for (; table->others[n].name; n++) {
        assert(n < DAL_MOST_OPTIONS);
        list[n] = table->others[n];
    }
    for (int i = 0; table->settings[i]; i++) {
        assert(i < DAL_MOST_SETTINGS);
        list[n++] = (struct option){table->settings[i], required_argument, NULL, DAL_OPTION_SETTING + i};
    }
    list[n] = (struct option){"floating", no_argument, NULL, DAL_OPTION_FLOATING};
}

int dal_model_options_read(const dal_option_table *table, int argc, char **argv, dal_model_options *options, void *request)
{
    struct option list[MOST] = {0};
    list_options(table, list);
    *options = (dal_model_options){.settings = table->settings, .overrides = calloc((size_t)argc, sizeof(dal_override))};
    int option, status = options->overrides ? DAL_OK : DAL_NO_MEMORY;
    while (status == DAL_OK && (option = dal_next_option(argc, argv, table->letters, list)) != -1) {
        if (option == 'h') {
            fputs(table->usage, stdout);
            return -1;
        }
        if (option == '?')
            return DAL_BAD_COMMAND;
        if (option == DAL_OPTION_SET)
            status = add_override(argv[0], options, optarg);
        else if (option == DAL_OPTION_FLOATING)
            options->floating = true;
        else if (option >= DAL_OPTION_SETTING && option < DAL_OPTION_SETTING + DAL_MOST_SETTINGS)
            options->setting[option - DAL_OPTION_SETTING] = optarg;
        else
            status = table->take(request, option, optarg);
    }
    if (status != DAL_OK)
        return status;
    if (optind >= argc)
        return dal_wrong_use(argv[0], "which model?");
    if (argc - optind > 1)
        return dal_wrong_use(argv[0], "one model at a time: unexpected argument '%s'", argv[optind + 1]);
    options->path = argv[optind];
    return DAL_OK;
}

void dal_model_options_free(dal_model_options *options)
{
    free(options->overrides);
}

dal_status dal_model_read(const dal_model_options *options, dal_messages *messages, dal_spec **spec)
{
    const dal_read_options read = {.n_overrides = options->n_overrides,
                                   .overrides = options->overrides,
                                   .floating = options->floating,
                                   .file = options->file,
                                   .file_user = options->file_user};
    dal_status status = dal_spec_read_with(NULL, options->path, &read, messages, spec);
    for (int i = 0; options->settings[i] && *spec; i++)
        if (options->setting[i] && !dal_spec_set(*spec, options->settings[i], options->setting[i], messages))
            status = DAL_BAD_COMMAND;
    return status;
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
