/* dalembert: find the subcommand and run it. */
#include "cli/options.h"

#include "base/message.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <string.h>

/* clang-format off */
const dal_command *const dal_commands[] = {
    &dal_command_run,
    &dal_command_watch,
    &dal_command_gallery,
    &dal_command_eval,
    &dal_command_equations,
    &dal_command_derive,
    &dal_command_generate,
    &dal_command_compare,
    &dal_command_check,
    &dal_command_view,
    &dal_command_plot,
    &dal_command_snapshots,
    &dal_command_convert,
    &dal_command_ports,
    &dal_command_equilibrium,
    &dal_command_linearize,
    &dal_command_modes,
    &dal_command_response,
    &dal_command_sweep,
    &dal_command_merge,
    &dal_command_list,
    &dal_command_help,
    &dal_command_version,
    NULL};
/* clang-format on */

void dal_print_commands(FILE *file)
{
    for (const dal_command *const *command = dal_commands; *command; command++)
        fprintf(file, "    %-11s %s\n", (*command)->name, (*command)->title);
}

const dal_command *dal_find_command(const char *name)
{
    const char *names[sizeof dal_commands / sizeof *dal_commands] = {NULL};
    char all[256] = "", hint[96];
    const char *wanted = strcmp(name, "animate") ? name : "snapshots"; /* its former name */
    for (int i = 0; dal_commands[i]; i++) {
        if (!strcmp(dal_commands[i]->name, wanted))
            return dal_commands[i];
        names[i] = dal_commands[i]->name;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    dal_did_you_mean(name, names, hint);
    dal_wrong_use(NULL, "unknown command '%s'%s; there are %s", name, hint, all);
    return NULL;
}

int dal_wrong_use(const char *command, const char *format, ...)
{
    const char *space = command ? " " : "", *name = command ? command : "";
    va_list list;
    va_start(list, format);
    fprintf(stderr, "dalembert%s%s: error: ", space, name);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\ntry 'dalembert help%s%s'\n", space, name);
    va_end(list);
    return DAL_BAD_COMMAND;
}

/* "--stepp=3" is not one of the options. */
static void complain_unknown(const char *command, const char *word, const struct option *options)
{
    const char *names[64] = {NULL};
    for (int i = 0; i < 63 && options[i].name; i++)
        names[i] = options[i].name;
    char name[64], hint[96] = "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = dal_nearest(name, names);
    if (near)
        snprintf(hint, sizeof hint, " (did you mean '--%s'?)", near);
    dal_wrong_use(command, "unknown option '--%s'%s", name, hint);
}

int dal_next_option(int argc, char **argv, const char *letters, const struct option *options)
{
    opterr = 0;
    int option = getopt_long(argc, argv, letters, options, NULL);
    if (option == ':') {
        dal_wrong_use(argv[0], "option '%s' needs a value", argv[optind - 1]);
    } else if (option == '?' && !optopt) {
        complain_unknown(argv[0], argv[optind - 1], options);
    } else if (option == '?') {
        while (options->name && options->val != optopt)
            options++;
        if (options->name)
            dal_wrong_use(argv[0], "option '--%s' takes no value", options->name);
        else
            dal_wrong_use(argv[0], "unknown option '-%c'", optopt);
    }
    return option == ':' ? '?' : option;
}

int dal_finish_output(int code)
{
    const int failed = fflush(stdout) ? errno : 0; /* the reason of an earlier failure is not known */
    if (!failed && !ferror(stdout))
        return code;
    fprintf(stderr, "dalembert: error: standard output cannot be written: %s\n", failed ? strerror(failed) : "part of it was not written");
    return code ? code : DAL_BAD_FILE;
}

/* The chunks of arenas (up to 4 MB) go back to the system when they are released. The C library would keep them after the first release. */
static void return_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int dal_command_line(int argc, char **argv)
{
    return_large_blocks();
    if (argc < 2) {
        fputs("dalembert COMMAND: multibody dynamics\n\n", stderr);
        dal_print_commands(stderr);
        fputs("\nexample: dalembert run models/four-bar.yaml -o results.csv\n", stderr);
        return DAL_BAD_COMMAND;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    const dal_command *command = dal_find_command(name);
    if (!command)
        return DAL_BAD_COMMAND;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the size limit of files then returns an error */
    dal_ending_begin(command->name);
    return dal_finish_output(command->run ? command->run(argc - 1, argv + 1) : dal_run_plain_command(command, argc - 1, argv + 1));
}
