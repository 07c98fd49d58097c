/* dalembert version: the version, and the features of this build. */
#include "cli/cli.h"

static const char usage[] = "dalembert version\n"
                            "\n"
                            "Print the version and the optional parts that this build has.\n";

static const struct {
    const char *name, *state;
} features[] = {
#ifdef DAL_HAVE_KLU
    {"KLU", "yes"},
#else
    {"KLU", "no (sparse systems are solved as dense ones; Debian's package libsuitesparse-dev provides it)"},
#endif
#ifdef DAL_HAVE_HDF5
    {"HDF5", "yes (" DAL_HDF5_SONAME ", loaded when a file needs it)"},
#else
    {"HDF5", "no (no .h5 files; Debian's package libhdf5-dev provides it)"},
#endif
#ifdef DAL_HAVE_FLINT
    {"FLINT", "yes (" DAL_FLINT_SONAME ", loaded when equations are derived)"},
#else
    {"FLINT", "no (derived equations are not factored; Debian's package libflint-dev provides it)"},
#endif
#ifdef DAL_HAVE_SUNDIALS
    {"SUNDIALS", "yes (" DAL_CVODE_SONAME " and " DAL_IDA_SONAME ", loaded when an integrator needs them)"},
#else
    {"SUNDIALS", "no (no cvode-adams, cvode-bdf and ida; Debian's package libsundials-dev provides it)"},
#endif
#ifdef DAL_HAVE_URDF
    {"URDF", "yes (" DAL_XML_SONAME ", loaded when a file needs it)"},
#else
    {"URDF", "no (no robots from URDF files; Debian's package libxml2-dev provides it)"},
#endif
};

static int run_version(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option = dal_next_option(argc, argv, ":h", options);
    if (option == '?')
        return DAL_BAD_COMMAND;
    if (option == 'h') {
        fputs(usage, stdout);
        return DAL_OK;
    }
    if (optind < argc)
        return dal_wrong_use(argv[0], "unexpected argument '%s'", argv[optind]);
    printf("dalembert %s\n", dal_version());
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        printf("    %-8s %s\n", features[i].name, features[i].state);
    printf("    %-8s %s\n", "page", dal_page_available() ? "yes" : "no (no .html files; node and npm provide it when the program is built)");
    return DAL_OK;
}

const dal_command dal_command_version = {"version", "print the version and what this build can do", usage, run_version, NULL, 0, NULL};
