/* Words of --help for options that several commands have. */
#ifndef DAL_CLI_USAGE_H
#define DAL_CLI_USAGE_H

/* clang-format off */
#define DAL_USAGE_EQUATIONS \
    "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n" \
    "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
/* Models that are run or evaluated. */
#define DAL_USAGE_VALUES \
    "    --set NAME=VALUE        other values for parameters, inputs or start values: a=1,b=2; may be repeated\n" \
    "    --floating              the root link of a URDF file is a free body\n"
/* Models that are not. */
#define DAL_USAGE_PARAMETERS \
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n" \
    "    --floating              the root link of a URDF file is a free body\n"
#define DAL_USAGE_PLACE \
    "    --at start              at the start of the model (this is the default)\n" \
    "    --at equilibrium        at the equilibrium that 'dalembert equilibrium' finds\n" \
    "    --at steady             in the steady motion that 'dalembert equilibrium --steady' finds\n" \
    "    --steady COORDINATE=RATE  its rates; may be repeated\n" \
    "    --at FILE               at a state, as 'dalembert eval --state FILE' reads it\n"
#define DAL_USAGE_DIGITS \
    "    --digits N              digits of the numbers, 1 to 17 (6)\n"
#define DAL_USAGE_WIDTH \
    "    --width N               columns of the text (those of the terminal, or 100)\n"
#define DAL_USAGE_JSON \
    "    --json                  a JSON object, every number in full\n"
#define DAL_USAGE_WHOLE_FILE \
    "\n" \
    "The file appears under its name only when it is complete.\n"
/* clang-format on */

#endif
