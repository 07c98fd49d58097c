#include "cli/cli.h"

int main(int argc, char **argv)
{
    return dal_command_line(argc, argv);
}
