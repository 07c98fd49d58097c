/* dalembert help: the list of commands, or one of them. */
#include "cli/cli.h"

static const char usage[] = "dalembert help [COMMAND]\n"
                            "\n"
                            "Print the list of commands, or the help of one of them.\n";

static int run_help(int argc, char **argv)
{
    if (argc > 2)
        return dal_wrong_use(argv[0], "one command at a time");
    if (argc == 2) {
        const dal_command *command = argv[1][0] == '-' ? &dal_command_help : dal_find_command(argv[1]);
        if (!command)
            return DAL_BAD_COMMAND;
        fputs(command->usage, stdout);
        return DAL_OK;
    }
    fputs("dalembert: multibody dynamics. One model, every equation of motion.\n"
          "\n"
          "    dalembert COMMAND [arguments]\n"
          "\n",
          stdout);
    dal_print_commands(stdout);
    fputs("\n"
          "'dalembert help COMMAND' explains a command. Data goes to standard output, messages to standard error.\n"
          "Exit codes: 0 success, 2 bad command, 3 bad model, 4 the motion could not be continued,\n"
          "5 no memory, 6 a file could not be read or written, 130 stopped by Ctrl-C.\n",
          stdout);
    return DAL_OK;
}

const dal_command dal_command_help = {"help", "explain a command", usage, run_help, NULL, 0, NULL};
