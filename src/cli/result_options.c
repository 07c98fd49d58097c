#include "cli/result_options.h"

int dal_result_options_read(const dal_result_options *known, int argc, char **argv, void *request, const char **result)
{
    int option, status = DAL_OK;
    while (status == DAL_OK && (option = dal_next_option(argc, argv, known->letters, known->options)) != -1) {
        if (option == 'h')
            fputs(known->usage, stdout);
        if (option == 'h' || option == '?')
            return option == 'h' ? -1 : DAL_BAD_COMMAND;
        status = known->take(request, option);
    }
    if (status != DAL_OK)
        return status;
    if (optind >= argc)
        return dal_wrong_use(argv[0], "which file of results?");
    if (argc - optind > 1)
        return dal_wrong_use(argv[0], "one file at a time: unexpected argument '%s'", argv[optind + 1]);
    *result = argv[optind];
    return DAL_OK;
}
