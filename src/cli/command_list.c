/* dalembert list: the joints, forces, families of coordinates, formulations, stabilisations and integrators that exist, and the kinds of warnings. */
#include "cli/options.h"

#include "base/json.h"
#include "base/message.h"
#include "integrate/integrate.h"

#include <string.h>

static const char usage[] = "dalembert list [KIND] [--json]\n"
                            "\n"
                            "List what can be used in a model, one line each: a name and what it is.\n"
                            "\n"
                            "    KIND      joints, forces, coordinates, formulations, stabilizations, integrators or\n"
                            "              warnings; all if omitted\n"
                            "    --json    as one JSON object: a list of {\"name\", \"title\"} for each kind; \"missing\" says why an\n"
                            "              integrator cannot be used here\n";

/* The kind on the command line, and its name in the library. */
static const struct {
    const char *plural, *kind;
    bool integrators;
} kinds[] = {{"joints", "joint", false},
             {"forces", "force", false},
             {"coordinates", "coordinates", false},
             {"formulations", "formulation", false},
             {"stabilizations", "stabilization", false},
             {"integrators", "integrator", true},
             {"warnings", "warning", false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Does this entry need a library that is not available? */
static bool is_missing(int kind, int i, char *why, size_t size)
{
    return kinds[kind].integrators && dal_integrators[i]->available && !dal_integrators[i]->available(why, size);
}

static void print_kind(int kind, bool heading)
{
    const char *name, *title;
    char why[300];
    if (heading)
        printf("%s:\n", kinds[kind].plural);
    for (int i = 0; dal_list_entry(kinds[kind].kind, i, &name, &title); i++) {
        printf("%s%-24s %s", heading ? "    " : "", name, title);
        if (is_missing(kind, i, why, sizeof why))
            printf("; not usable here: %s", why);
        putchar('\n');
    }
}

static void write_kind(dal_json *json, int kind)
{
    const char *name, *title;
    char why[300];
    dal_json_open(json, kinds[kind].plural, '[');
    for (int i = 0; dal_list_entry(kinds[kind].kind, i, &name, &title); i++) {
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", name);
        dal_json_string(json, "title", title);
        if (is_missing(kind, i, why, sizeof why))
            dal_json_string(json, "missing", why);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

/* The index of the kind, or -1 after an error message. */
static int find_kind(const char *word)
{
    const char *names[KINDS + 1] = {NULL};
    for (int i = 0; i < KINDS; i++) {
        if (!strcmp(word, kinds[i].plural) || !strcmp(word, kinds[i].kind))
            return i;
        names[i] = kinds[i].plural;
    }
    char hint[96];
    dal_wrong_use("list", "unknown kind '%s'%s; there are joints, forces, coordinates, formulations, stabilizations, integrators and warnings", word,
                  dal_did_you_mean(word, names, hint));
    return -1;
}

typedef struct request {
    dal_model_options arguments;
    bool json;
} request;

static const dal_option options[] = {DAL_FLAG("json", 0, json), {0}};
static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_ANY, NULL, NULL};

static int run_request(void *user)
{
    const request *wanted = user;
    if (wanted->arguments.n_arguments > 1)
        return dal_wrong_use("list", "one kind at a time");
    int first = 0, last = KINDS - 1;
    if (wanted->arguments.n_arguments && (first = last = find_kind(wanted->arguments.arguments[0])) < 0)
        return DAL_BAD_COMMAND;
    dal_json out = dal_json_to_file(stdout);
    if (wanted->json)
        dal_json_open(&out, NULL, '{');
    for (int kind = first; kind <= last; kind++)
        if (wanted->json)
            write_kind(dal_json_line(&out, kind == first ? NULL : "\n "), kind);
        else
            print_kind(kind, first != last);
    if (wanted->json) {
        dal_json_close(&out, '}');
        putchar('\n');
    }
    return DAL_OK;
}

const dal_command dal_command_list = DAL_COMMAND("list", "list joints, forces, coordinates, formulations, integrators", run_request);
