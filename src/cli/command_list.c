/* dalembert list: the joints, forces, families of coordinates, formulations, stabilisations and integrators that exist, and the kinds of warnings. */
#include "cli/cli.h"

#include "base/message.h"
#include "integrate/integrate.h"

#include <string.h>

static const char usage[] =
    "dalembert list [KIND] [--json]\n"
    "\n"
    "List what can be used in a model, one line each: a name and what it is.\n"
    "\n"
    "    KIND      joints, forces, coordinates, formulations, stabilizations, integrators or\n"
    "              warnings; all without it\n"
    "    --json    as one JSON object: a list of {\"name\", \"title\"} for each kind; \"missing\" says why an\n"
    "              integrator cannot be used here\n";

/* As it is asked for, and as the library calls it. */
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

/* Does this entry need a library that is not there? */
static bool is_missing(int kind, int i, char *why, size_t size)
{
    return kinds[kind].integrators && dal_integrators[i]->available && !dal_integrators[i]->available(why, size);
}

static void print_text(int kind, bool heading)
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

static void print_json(int kind)
{
    const char *name, *title;
    char why[300];
    printf("\"%s\": [", kinds[kind].plural);
    for (int i = 0; dal_list_entry(kinds[kind].kind, i, &name, &title); i++) {
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
        dal_print_json_string(stdout, name);
        fputs(", \"title\": ", stdout);
        dal_print_json_string(stdout, title);
        if (is_missing(kind, i, why, sizeof why)) {
            fputs(", \"missing\": ", stdout);
            dal_print_json_string(stdout, why);
        }
        putchar('}');
    }
    putchar(']');
}

/* The index of the kind, or -1 after a complaint. */
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

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool json = false;
    for (int option; (option = dal_next_option(argc, argv, ":h", options)) != -1;) {
        switch (option) {
        case 'j': json = true; break;
        case 'h': fputs(usage, stdout); return DAL_OK;
        default: return DAL_BAD_COMMAND;
        }
    }
    if (argc - optind > 1)
        return dal_wrong_use(argv[0], "one kind at a time");
    int first = 0, last = KINDS - 1;
    if (optind < argc && (first = last = find_kind(argv[optind])) < 0)
        return DAL_BAD_COMMAND;

    for (int kind = first; kind <= last; kind++) {
        if (json) {
            fputs(kind == first ? "{" : ",\n ", stdout);
            print_json(kind);
        } else {
            print_text(kind, first != last);
        }
    }
    if (json)
        puts("}");
    return DAL_OK;
}

const dal_command dal_command_list = {"list", "list joints, forces, coordinates, formulations, integrators", usage,
                                      run};
