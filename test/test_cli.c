/* The program as its users meet it: texts, exit codes, files, JSON, Ctrl-C. */
#include "program.h"

#include "dalembert/page.h"

/* ---- a folder and a pendulum ------------------------------------------------ */

static const char pendulum[] = "dalembert: 1\n"
                               "name: Pendulum\n"
                               "space: planar\n"
                               "parameters: {l: 1.237}\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {mass: 1.37, inertia: 0.174, position: [l/2, 0], angle: 0, points: {O: [-l/2, 0]}}\n"
                               "joints:\n"
                               "  pivot: {type: revolute, connect: [ground, rod.O]}\n"
                               "simulate: {until: 0.5, step: 1e-3, every: 0.125, integrator: rk4}\n"
                               "record: [rod.x, rod.angle]\n";

static int enter_place(void **state)
{
    if (enter_folder(state))
        return -1;
    place *here = *state;
    snprintf(here->model, sizeof here->model, "%s/pendulum.yaml", here->folder);
    snprintf(here->file, sizeof here->file, "%s/a.csv", here->folder);
    write_file(here->model, pendulum);
    return 0;
}

static int leave_place(void **state)
{
    return leave_folder(state);
}

/* ---- JSON: where a value ends, NULL if it is none --------------------------- */

static const char *past_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at == '\\' && (!*++at || !strchr("\"\\/bfnrtu", *at)))
            return NULL;
    }
    return at + 1;
}

static const char *json_value(const char *at);

static const char *json_items(const char *at, char close, bool keys)
{
    at = past_blanks(at + 1);
    if (*at == close)
        return at + 1;
    for (;; at = past_blanks(at + 1)) {
        if (keys) {
            at = json_string(at);
            if (!at || *(at = past_blanks(at)) != ':')
                return NULL;
            at = past_blanks(at + 1);
        }
        at = json_value(at);
        if (!at)
            return NULL;
        at = past_blanks(at);
        if (*at == close)
            return at + 1;
        if (*at != ',')
            return NULL;
    }
}

static const char *json_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '{')
        return json_items(at, '}', true);
    if (*at == '[')
        return json_items(at, ']', false);
    if (*at == '"')
        return json_string(at);
    for (int i = 0; i < 3; i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    const char *digits = at + (*at == '-');
    if (*digits < '0' || *digits > '9') /* no inf and nan in JSON */
        return NULL;
    char *end;
    strtod(at, &end);
    return end;
}

static bool is_json(const char *text)
{
    const char *end = json_value(past_blanks(text));
    return end && !*past_blanks(end);
}

/* What follows "key": in an object. */
static const char *json_member(const char *text, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = strstr(text, quoted);
    if (!at)
        fail_msg("no key %s in %s", quoted, text);
    at = past_blanks(at + strlen(quoted));
    assert_int_equal(*at, ':');
    return past_blanks(at + 1);
}

/* ---- help, list, version ------------------------------------------------------ */

static void no_argument_is_a_bad_command_with_a_short_help(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, ""), DAL_BAD_COMMAND);
    assert_string_equal(here->out, "");
    expect(here->err, "run  ");
    expect(here->err, "list  ");
}

static void help_explains_every_command_it_lists(void **state)
{
    place *here = *state;
    static const char *const commands[] = {"run",         "eval",      "compare", "check", "equations", "convert", "ports",
                                           "equilibrium", "linearize", "modes",   "list",  "help",      "version"};
    assert_int_equal(run(here, "help"), DAL_OK);
    assert_string_equal(here->err, "");
    char all[MOST_TEXT], line[64], first[64];
    strcpy(all, here->out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(line, sizeof line, "\n    %s ", commands[i]);
        expect(all, line);
        snprintf(line, sizeof line, "help %s", commands[i]);
        assert_int_equal(run(here, line), DAL_OK);
        snprintf(first, sizeof first, "dalembert %s", commands[i]);
        assert_int_equal(strncmp(here->out, first, strlen(first)), 0);
        char help[MOST_TEXT];
        strcpy(help, here->out);
        snprintf(line, sizeof line, "%s --help", commands[i]);
        assert_int_equal(run(here, line), DAL_OK);
        assert_string_equal(here->out, help);
    }
    assert_int_equal(run(here, "--help"), DAL_OK);
    assert_string_equal(here->out, all);
}

static void eval_prints_a_state_and_what_a_motion_takes(void **state)
{
    place *here = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/state.json", here->folder);
    assert_int_equal(run(here, "eval @/pendulum.yaml --names --coordinates joint"), DAL_OK);
    assert_string_equal(here->out, "q\n  1  pivot.angle\nrates\n  1  pivot.angle\n");
    write_file(path, "{\"q\": {\"pivot\": 0.25}, \"rates\": [2]}");
    assert_int_equal(run(here, "eval @/pendulum.yaml --coordinates joint --state @/state.json"), DAL_OK);
    expect(here->out, "the mass matrix");
    assert_string_equal(here->err, "");
    write_file(path, "{\"q\": {\"pivot\": 0.25}, \"rates\": [2], \"accelerations\": {\"pivot.angle\": 3}}");
    assert_int_equal(run(here, "eval @/pendulum.yaml --coordinates joint --state @/state.json"), DAL_OK);
    expect(here->err, "state.json: note: the accelerations of this file are used by --inverse alone");
    /* tau = (I + m l^2/4) th'' + m g l/2 cos th */
    const double l = 1.237, tau = (0.174 + 1.37 * l * l / 4) * 3 + 1.37 * 9.81 * l / 2 * cos(0.25);
    assert_int_equal(run(here, "eval @/pendulum.yaml --coordinates joint --state @/state.json --inverse --json"), DAL_OK);
    const char *torque = strstr(here->out, "\"torques\": {\"pivot.angle\": ");
    assert_non_null(torque);
    check_close(strtod(torque + strlen("\"torques\": {\"pivot.angle\": "), NULL), tau, 1e-12);
    write_file(path, "{\"q\": {\"pivto\": 0.25}}");
    assert_int_equal(run(here, "eval @/pendulum.yaml --coordinates joint --state @/state.json"), DAL_BAD_MODEL);
    expect(here->err, "state.json:1:8: error: 'pivto' in 'q' is not a coordinate");
    assert_int_equal(run(here, "eval @/pendulum.yaml --state @/none.json"), DAL_BAD_FILE);
    assert_int_equal(run(here, "eval @/pendulum.yaml"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random x"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random 1 --names"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random 1 --nearest"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random 18446744073709551616"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random 7 --json"), DAL_OK);
    char first[MOST_TEXT];
    strcpy(first, here->out);
    assert_int_equal(run(here, "eval @/pendulum.yaml --random 7 --json"), DAL_OK);
    assert_string_equal(here->out, first);
}

static void what_is_misspelt_is_answered_with_the_nearest(void **state)
{
    place *here = *state;
    static const char *const cases[][2] = {
        {"rum", "dalembert: error: unknown command 'rum' (did you mean 'run'?)"},
        {"help versoin", "(did you mean 'version'?)"},
        {"list joinst", "dalembert list: error: unknown kind 'joinst' (did you mean 'joints'?)"},
        {"run a.yaml --stabilisation none", "unknown option '--stabilisation' (did you mean '--stabilization'?)"},
        {"run a.yaml --untill=3", "unknown option '--untill' (did you mean '--until'?)"},
        {"list --jsn", "unknown option '--jsn' (did you mean '--json'?)"},
        {"run a.yaml -x", "unknown option '-x'"},
        {"run a.yaml --step", "option '--step' needs a value"},
        {"run a.yaml --quiet=1", "option '--quiet' takes no value"},
        {"run a.yaml --set 3", "--set needs NAME=VALUE, not '3'"},
        {"run", "which model?"},
        {"ports a.yaml b.yaml", "unexpected argument 'b.yaml'"},
        {"run a.yaml b.yaml -o r.csv", "-o takes the result of one model; 2 models are given"},
        {"run a.yaml --record a,,b", "--record needs channels"},
        {"version now", "unexpected argument 'now'"},
        {"run a.yaml --json -o -", "--json and -o - both need standard output"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(here, cases[i][0]), DAL_BAD_COMMAND);
        assert_string_equal(here->out, "");
        expect(here->err, cases[i][1]);
        expect(here->err, "\ntry 'dalembert help");
    }
}

static void list_names_what_can_be_used(void **state)
{
    place *here = *state;
    static const char *const cases[][2] = {{"joints", "revolute"},     {"forces", "spring-damper"},
                                           {"coordinates", "natural"}, {"formulations", "udwadia-kalaba"},
                                           {"stabilizations", "none"}, {"integrators", "ab6"}};
    for (int i = 0; i < 6; i++) {
        char line[64], entry[64];
        snprintf(line, sizeof line, "list %s", cases[i][0]);
        assert_int_equal(run(here, line), DAL_OK);
        snprintf(entry, sizeof entry, "%s ", cases[i][1]);
        expect(here->out, entry);
        assert_int_equal(run(here, "list"), DAL_OK);
        snprintf(entry, sizeof entry, "    %s ", cases[i][1]);
        expect(here->out, entry);
        snprintf(line, sizeof line, "list --json %s", cases[i][0]);
        assert_int_equal(run(here, line), DAL_OK);
        assert_true(is_json(here->out));
        assert_int_equal(*json_member(here->out, cases[i][0]), '[');
        snprintf(entry, sizeof entry, "\"name\": \"%s\"", cases[i][1]);
        expect(here->out, entry);
    }
    assert_int_equal(run(here, "list --json"), DAL_OK);
    assert_true(is_json(here->out));
}

static void list_tells_which_integrators_cannot_be_used(void **state)
{
    place *here = *state;
    const bool usable = run(here, "run @/pendulum.yaml --integrator ida --until 0.01 -q") == DAL_OK;
    if (!usable)
        expect(here->err, "integrator 'ida' cannot be used here: ");
    assert_int_equal(run(here, "list integrators"), DAL_OK);
    assert_int_equal(strstr(here->out, "(SUNDIALS); not usable here: ") == NULL, usable);
    assert_int_equal(run(here, "list --json integrators"), DAL_OK);
    assert_true(is_json(here->out));
    assert_int_equal(strstr(here->out, "\"missing\": ") == NULL, usable);
}

static void version_names_the_optional_parts(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "version"), DAL_OK);
    expect(here->out, "dalembert " DAL_VERSION "\n");
    expect(here->out, "KLU");
    expect(here->out, "HDF5");
    char text[MOST_TEXT];
    strcpy(text, here->out);
    assert_int_equal(run(here, "--version"), DAL_OK);
    assert_string_equal(here->out, text);
}

static void a_full_standard_output_is_noticed(void **state)
{
    place *here = *state;
    static const char *const lines[] = {"help", "run @/pendulum.yaml -o -", "run @/pendulum.yaml --json"};
    for (int i = 0; i < 3; i++) {
        int full = open("/dev/full", O_WRONLY), err = open_scratch();
        assert_true(full >= 0);
        assert_int_equal(wait_for(start(here, lines[i], full, err)), DAL_BAD_FILE);
        close(full);
        read_text(err, here->err);
        expect(here->err, "cannot be written: No space left on device");
    }
}

/* ---- run ------------------------------------------------------------------------ */

static void errors_of_a_model_point_at_their_place(void **state)
{
    place *here = *state;
    char bad[sizeof pendulum + 16], *at;
    strcpy(bad, pendulum);
    at = strstr(bad, "inertia");
    memcpy(at, "inetria", 7);
    write_file(here->model, bad);
    assert_int_equal(run(here, "run @/pendulum.yaml -o @/a.csv"), DAL_BAD_MODEL);
    char place_text[200];
    snprintf(place_text, sizeof place_text, "%s:7:21: error: ", here->model);
    expect(here->err, place_text);
    expect(here->err, "\n      rod: {mass: 1.37, inetria: 0.174");
    expect(here->err, "\n                        ^\n"); /* four blanks, then column 21 */
    assert_string_equal(here->out, "");
    assert_int_equal(count_files(here, "a.csv"), 0);
}

static void a_missing_model_is_a_bad_file(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/none.yaml"), DAL_BAD_FILE);
    expect(here->err, "none.yaml");
    expect(here->err, "No such file or directory");
}

static void the_type_of_the_output_is_checked_before_the_model_is_read(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/none.yaml -o @/a.xls"), DAL_BAD_COMMAND);
    expect(here->err, "unknown type of file '.xls'");
    assert_null(strstr(here->err, "none.yaml"));
}

static void every_type_of_output_is_listed(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -o @/x.xlsx"), DAL_BAD_COMMAND);
    expect(here->err, ".csv");
    expect(here->err, ".h5");
    expect(here->err, ".html");
}

static void swapped_letters_are_one_mistake_and_a_letter_is_like_no_other(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "rnu @/pendulum.yaml"), DAL_BAD_COMMAND);
    expect(here->err, "(did you mean 'run'?)");
    assert_int_equal(run(here, "polt"), DAL_BAD_COMMAND);
    expect(here->err, "(did you mean 'plot'?)");
    assert_int_equal(run(here, "x"), DAL_BAD_COMMAND);
    assert_null(strstr(here->err, "did you mean"));
    assert_int_equal(run(here, "run @/pendulum.yaml --set q=2"), DAL_BAD_COMMAND); /* there is a parameter l */
    assert_null(strstr(here->err, "did you mean"));
    assert_int_equal(run(here, "run @/pendulum.yaml --set L=2"), DAL_BAD_COMMAND); /* this one is meant */
    expect(here->err, "did you mean 'l'?");
    assert_int_equal(run(here, "run @/pendulum.yaml --utnil 2"), DAL_BAD_COMMAND);
    expect(here->err, "did you mean '--until'?");
}

static void a_tolerance_below_rounding_is_refused(void **state)
{
    place *here = *state;
    static const char *const lines[] = {"run @/pendulum.yaml --integrator dopri5 --rtol 1e-20",
                                        "run @/pendulum.yaml --integrator dopri5 --rtol 1e-16", "check @/pendulum.yaml --rtol 1e-300"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(here, lines[i]), DAL_BAD_COMMAND);
        expect(here->err, "'rtol' is 1e-");
        expect(here->err, "1e-15 is the minimum");
    }
    assert_int_equal(run(here, "run @/pendulum.yaml --integrator dopri5 --rtol 1e-15 -q"), DAL_OK);
}

static void view_refuses_time_that_runs_backwards(void **state)
{
    place *here = *state;
    char path[200];
    snprintf(path, sizeof path, "%s/back.csv", here->folder);
    write_file(path, "time,rod.x,rod.y,rod.angle\n0,0.6,0,0\n0.1,0.6,0.1,0.1\n0.1,0.6,0.1,0.1\n0.05,0.6,0.2,0.2\n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            run(here, i ? "animate @/back.csv --model @/pendulum.yaml -o @/v.svg" : "view @/back.csv --model @/pendulum.yaml -o @/v.html"),
            DAL_BAD_FILE);
        expect(here->err, "back.csv");
        expect(here->err, "time runs backwards: row 4 has t = 0.05, and the one before it 0.1");
    }
    assert_int_equal(count_files(here, "v."), 0);
    write_file(path, "time,rod.x,rod.y,rod.angle\n0,0.6,0,0\nnan,0.6,0.1,0.1\n");
    assert_int_equal(run(here, "view @/back.csv --model @/pendulum.yaml -o @/v.html"), DAL_BAD_FILE);
    write_file(path, "time,rod.x,rod.y,rod.angle\n0,0.6,0,0\n0.1,0.6,0.1,0.1\n0.1,0.6,0.1,0.1\n");
    assert_int_equal(run(here, "view @/back.csv --model @/pendulum.yaml -o @/v.html"), DAL_OK);
}

/* Sizes whose squares are not numbers. */
static void what_is_too_large_is_refused_by_name(void **state)
{
    place *here = *state;
    static const char format[] =
        "dalembert: 1\nspace: %s\nbodies:\n  arm: {%s}\njoints: {pin: {type: %s, connect: [ground, arm.P]%s}}\nsimulate: {until: 0.01}\n";
    static const struct {
        const char *space, *body, *type, *rest, *name;
    } cases[] = {
        {"planar", "mass: 1, inertia: 1, position: [0, 0], points: {P: [1e308, 0]}", "revolute", "", "point 'P' of 'arm' is 1e+308"},
        {"spatial", "mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], points: {P: [0, -1e200, 0]}", "spherical", "",
         "point 'P' of 'arm' is -1e+200"},
        {"planar", "mass: 1, inertia: 1, position: [0, 0], points: {P: [0, 0], Q: [1e160, 0]}", "revolute", "", "point 'Q' of 'arm'"},
        {"planar", "mass: 1, inertia: 1, center: [1e308, 0], position: [0, 0], points: {P: [0, 0]}", "revolute", "", "centre of mass of 'arm'"},
        {"planar", "mass: 1e308, inertia: 1, position: [0, 0], points: {P: [0, 0]}", "revolute", "", "mass of 'arm'"},
        {"planar", "mass: 1, inertia: 1e308, position: [0, 0], points: {P: [0, 0]}", "revolute", "", "inertia of 'arm'"},
        {"planar", "mass: 1, inertia: 1, position: [1e308, 0], points: {P: [0, 0]}", "revolute", "", "position of 'arm'"},
        {"planar", "mass: 1, inertia: 1, position: [0, 0], velocity: [1e308, 0], points: {P: [0, 0]}", "revolute", "", "velocity of 'arm'"},
        {"planar", "mass: 1, inertia: 1, position: [0, 0], points: {P: [0, 0]}", "distance", ", length: 1e308", "'pin' is 1e+308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000], path[200];
        snprintf(path, sizeof path, "%s/big.yaml", here->folder);
        snprintf(text, sizeof text, format, cases[i].space, cases[i].body, cases[i].type, cases[i].rest);
        write_file(path, text);
        assert_int_equal(run(here, "run @/big.yaml"), DAL_BAD_MODEL);
        expect(here->err, cases[i].name);
        expect(here->err, "too large to compute with");
    }
}

/* Latin-1, in which a letter with a mark is one byte: the byte itself is blamed, whatever stands behind it. */
static void a_byte_that_is_not_utf8_is_blamed_itself(void **state)
{
    place *here = *state;
    static const struct {
        const char *text, *place, *byte;
    } cases[] = {{"dalembert: 1\nname: Stra\xdf"
                  "e\nspace: planar\n",
                  ":2:11: ", "0xdf"},
                 {"dalembert: 1\nname: caf\xe9 noir\nspace: planar\n", ":2:10: ", "0xe9"},
                 {"dalembert: 1\nname: \xc3\xa4 \xf6\xe4x\nspace: planar\n", ":2:9: ", "0xf6"},
                 {"dalembert: 1\nname: a\x80z\nspace: planar\n", ":2:8: ", "0x80"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/latin.yaml", here->folder);
        write_file(path, cases[i].text);
        assert_int_equal(run(here, "check @/latin.yaml"), DAL_BAD_MODEL);
        expect(here->err, cases[i].place);
        expect(here->err, cases[i].byte);
    }
}

static void a_pair_of_escapes_is_one_character(void **state)
{
    place *here = *state;
    char path[200];
    static const char rest[] =
        "\"space\": \"planar\", \"bodies\": {\"b\": {\"mass\": 1, \"position\": [0, 0]}}, \"simulate\": {\"until\": 1, \"oops\": 1}}";
    char text[400];
    snprintf(path, sizeof path, "%s/e.json", here->folder);
    snprintf(text, sizeof text, "{\"dalembert\": 1, \"name\": \"a\\ud83d\\ude00 \\uD834\\uDD1E\", %s", rest);
    write_file(path, text);
    assert_int_equal(run(here, "check @/e.json"), DAL_BAD_MODEL);
    char at[40];
    snprintf(at, sizeof at, "e.json:1:%d: ", (int)(strstr(text, "\"oops") - text) + 1);
    expect(here->err, at); /* columns behind it are those of the file */
    *strstr(text, ", \"oops") = '\0';
    strcat(text, "}}");
    write_file(path, text);
    assert_int_equal(run(here, "check @/e.json"), DAL_OK);
    expect(here->out, "a\xf0\x9f\x98\x80 \xf0\x9d\x84\x9e (planar");
    write_file(path, "{\"dalembert\": 1, \"name\": \"half \\ud83d\"}");
    assert_int_equal(run(here, "check @/e.json"), DAL_BAD_MODEL);
    expect(here->err, "half of a surrogate pair");
    snprintf(path, sizeof path, "%s/plain.yaml", here->folder);
    write_file(path, "dalembert: 1\nname: \\ud83d\\ude00\nspace: planar\nbodies: {b: {mass: 1, position: [0, 0]}}\nsimulate: {until: 1}\n");
    assert_int_equal(run(here, "check @/plain.yaml"), DAL_OK);
    expect(here->out, "\\ud83d\\ude00 (planar"); /* without quotes these are letters */
}

static void lines_of_obj_go_on_behind_a_backslash(void **state)
{
    place *here = *state;
    char path[200];
    snprintf(path, sizeof path, "%s/t.obj", here->folder);
    write_file(path, "# a comment ends with its line \\\nv 0 0 0\nv 1 \\\n 0 0\nv 0 1 0\nv 0 0 1\nf 1 \\\n3 \\\r\n2\nf 1 2 4\nf 2 3 4\nf 1 4 3\\\n");
    snprintf(path, sizeof path, "%s/mesh.yaml", here->folder);
    write_file(path, "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shape: [{type: mesh, file: "
                     "t.obj}]}}\nsimulate: {until: 0.01}\n");
    if (run(here, "run @/mesh.yaml -q -o @/m.html") != DAL_OK)
        fail_msg("%s", here->err);
    snprintf(path, sizeof path, "%s/t.obj", here->folder);
    write_file(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n7\n");
    assert_int_equal(run(here, "run @/mesh.yaml -q -o @/m.html"), DAL_BAD_MODEL);
    expect(here->err, "'7' is not a vertex");
}

static void a_wrong_choice_is_a_bad_command(void **state)
{
    place *here = *state;
    static const char *const lines[] = {"run @/pendulum.yaml --integrator rk44", "run @/pendulum.yaml --until soon"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(here, lines[i]), DAL_BAD_COMMAND);
        expect(here->err, "error: ");
        expect(here->err, i ? "soon" : "rk44");
    }
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void run_writes_every_row_to_standard_output(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -o - --units"), DAL_OK);
    static const char head[] = "time,rod.x,rod.angle\ns,m,rad\n0,0.6185,0\n0.125,";
    assert_int_equal(strncmp(here->out, head, sizeof head - 1), 0);
    assert_int_equal(count_lines(here->out), 2 + 5);
    expect(here->out, "\n0.5,");
    assert_true(strlen(here->err) > 0); /* the evidence stands aside */
    assert_int_equal(run(here, "run @/pendulum.yaml -o - --quiet --until 0.25"), DAL_OK);
    assert_int_equal(count_lines(here->out), 1 + 3);
    assert_string_equal(here->err, "");
}

static void run_writes_files_and_the_evidence(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -o @/a.csv -o @/b.csv --every 0.25"), DAL_OK);
    assert_string_equal(here->err, "");
    expect(here->out, "Pendulum");
    assert_int_equal(count_files(here, ".csv"), 2);
    assert_int_equal(count_files(here, ""), 3);
    char text[MOST_TEXT];
    read_text(open(here->file, O_RDONLY), text);
    assert_int_equal(count_lines(text), 1 + 3);
}

static void the_same_run_gives_the_same_bytes(void **state)
{
    place *here = *state;
    char first[MOST_TEXT];
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q"), DAL_OK);
    strcpy(first, here->out);
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q"), DAL_OK);
    assert_string_equal(here->out, first);
}

static void a_parameter_can_be_set(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q --set l=2.5"), DAL_OK);
    expect(here->out, "\n0,1.25,0\n");
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q --set k=2.5"), DAL_BAD_COMMAND);
    expect(here->err, "--set k=2.5: error: ");
}

static void several_values_and_columns_stand_in_one_option(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q --set l=max(2,1),l=2.5 --record rod.angle,atan2(rod.x,2),energy"), DAL_OK);
    expect(here->out, "time,rod.angle,\"atan2(rod.x,2)\",energy\n0,0,");
    assert_int_equal(run(here, "run @/pendulum.yaml -o - -q --record rod.nothing"), DAL_BAD_COMMAND);
    expect(here->err, "has no channel 'nothing'");
}

/* Each says its name first; the worst exit code counts. */
static void several_models_run_one_after_another(void **state)
{
    place *here = *state;
    write_file(in_folder(here, "bad.yaml"), "dalembert: 1\nspace: planar\nbodies: {b: {mas: 1}}\n");
    assert_int_equal(run(here, "run @/pendulum.yaml @/bad.yaml @/pendulum.yaml"), DAL_BAD_MODEL);
    expect(here->err, "bad.yaml:3:14: error: ");
    const char *first = strstr(here->out, "Pendulum");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "Pendulum"));
    remove(in_folder(here, "bad.yaml"));
}

/* Options of small motions that contradict one another, or say one thing twice, are refused by a sentence. */
static void small_motions_refuse_what_contradicts(void **state)
{
    place *here = *state;
    static const char *const lines[][2] = {
        {"linearize @/pendulum.yaml --at equilibrium --steady pivot.angle=1", "--steady gives a steady motion, and --at equilibrium another place"},
        {"modes @/pendulum.yaml --at start --steady pivot.angle=1", "--steady gives a steady motion, and --at start another place"},
        {"modes @/pendulum.yaml --steady pivot.angle=1 --steady pivot.angle=2", "--steady gives the rate of 'pivot.angle' twice"},
        {"linearize @/pendulum.yaml --at start --at equilibrium", "--at was given twice"},
        {"linearize @/pendulum.yaml --states pivot.angle,pivot.angle", "--states names 'pivot.angle' twice"},
        {"linearize @/pendulum.yaml --json -o @/x.csv", "--json prints, and -o writes a file"},
        {"modes @/pendulum.yaml --json -o @/x.html", "--json prints, and -o writes a file"},
        {"modes @/pendulum.yaml --over l=1:2:3 --orders a", "--orders needs numbers"},
        {"response @/pendulum.yaml --input u,u --output pivot.angle --frequencies 1", "--input names 'u' twice"},
        {"response @/pendulum.yaml --input u --output pivot.angle --frequencies 1 --from 1 --to 2", "--frequencies lists them"},
        {"response @/pendulum.yaml --input u --output pivot.angle --frequencies 1 --nyquist", "--nyquist is for a picture"},
        {"response @/pendulum.yaml --input u --output pivot.angle --frequencies 1 --json -o @/x.csv", "--json prints, and -o writes a file"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(run(here, lines[i][0]), DAL_BAD_COMMAND);
        assert_string_equal(here->out, "");
        expect(here->err, lines[i][1]);
    }
}

/* --over names itself where its parameter is unknown, and says where nothing oscillates. */
static void modes_over_a_parameter_say_what_is_missing(void **state)
{
    place *here = *state;
    write_file(in_folder(here, "slow.yaml"), "dalembert: 1\nspace: planar\nparameters: {c: 1}\nbodies: {a: {mass: 1, inertia: 1}}\n"
                                             "joints: {A: {type: prismatic, connect: [ground, a], axis: [1, 0]}}\n"
                                             "forces: {f: {type: spring-damper, joint: A, stiffness: 9, damping: c}}\n");
    assert_int_equal(run(here, "modes @/slow.yaml --over foo=1:2:3"), DAL_BAD_COMMAND);
    expect(here->err, "--over: error: the model has no parameter 'foo'\n");
    assert_null(strstr(here->err, "--set"));
    assert_int_equal(run(here, "modes @/slow.yaml --over a.x=1:2:3"), DAL_BAD_COMMAND);
    expect(here->err, "the rate of a coordinate needs --steady with the same name");
    assert_int_equal(run(here, "modes @/slow.yaml --over c=100:200:3"), DAL_OK);
    expect(here->out, "no mode oscillates at any of the 3 values of c");
    assert_int_equal(run(here, "modes @/slow.yaml --over c=100:200:3 -o @/slow.svg"), DAL_OK);
    expect(here->err, "no mode oscillates at any of these values");
    remove(in_folder(here, "slow.svg"));
    remove(in_folder(here, "slow.yaml"));
}

static void a_model_comes_from_standard_input(void **state)
{
    place *here = *state;
    char line[1000], text[4000] = "", rest[1000];
    snprintf(line, sizeof line, "'%s' run - --set l=2.5 -q -o - < '%s' 2>&1", DAL_PROGRAM, in_folder(here, "pendulum.yaml"));
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    while (fread(rest, 1, sizeof rest, pipe) > 0) /* to its end: a pipe that is closed before stops the program */
        continue;
    assert_int_equal(pclose(pipe), 0);
    expect(text, "\n0,1.25,0\n");
}

/* Two bodies that assembly moves: one line, with -v one for each; -q keeps warnings and no notes. */
static void assembly_is_one_line_and_v_lists_the_bodies(void **state)
{
    place *here = *state;
    write_file(in_folder(here, "moved.yaml"),
               "dalembert: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 1, position: [0.1, 0], angle: 0, points: {A: [0, 0], B: [1, 0]}}\n"
               "  b: {mass: 1, inertia: 1, position: [1.02, 0.1], angle: 0}\njoints:\n  A: {type: revolute, connect: [ground, a.A]}\n"
               "  B: {type: revolute, connect: [a.B, b]}\nsimulate: {until: 0.1}\n");
    assert_int_equal(run(here, "run @/moved.yaml"), DAL_OK);
    expect(here->err, "moved.yaml: note: assembly moved 2 bodies, at most 0.");
    expect(here->err, "; -v lists them\n");
    assert_int_equal(count_lines(here->err), 1);
    expect(here->out, "\n  accuracy    constraints hold to ");
    assert_null(strstr(here->out, "pivot ratio"));
    assert_int_equal(run(here, "run @/moved.yaml -v"), DAL_OK);
    expect(here->err, "note: assembly moved 'a' by 0.");
    expect(here->err, "note: assembly moved 'b' by 0.");
    assert_null(strstr(here->err, "2 bodies"));
    expect(here->out, "pivot ratio");
    assert_int_equal(run(here, "run @/moved.yaml -q"), DAL_OK);
    assert_string_equal(here->err, "");
    remove(in_folder(here, "moved.yaml"));
}

static void evidence_is_valid_json_with_every_key(void **state)
{
    place *here = *state;
    static const char *const keys[] = {"model",
                                       "space",
                                       "coordinates",
                                       "formulation",
                                       "stabilization",
                                       "integrator",
                                       "freedoms",
                                       "coordinates_count",
                                       "constraints",
                                       "rank",
                                       "equations",
                                       "multipliers",
                                       "states",
                                       "steps",
                                       "evaluations",
                                       "events",
                                       "wall_seconds",
                                       "position_residual",
                                       "velocity_residual",
                                       "energy_start",
                                       "energy_end",
                                       "energy_drift",
                                       "energy_drift_absolute",
                                       "momentum_drift",
                                       "version",
                                       "model_hash"};
    assert_int_equal(run(here, "run @/pendulum.yaml --json"), DAL_OK);
    assert_string_equal(here->err, "");
    assert_true(is_json(here->out));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_member(here->out, keys[i]);
    assert_int_equal(strtol(json_member(here->out, "freedoms"), NULL, 10), 1);
    assert_int_equal(strtol(json_member(here->out, "steps"), NULL, 10), 500);
    assert_int_equal(strncmp(json_member(here->out, "model"), "\"Pendulum\"", 10), 0);
    assert_int_equal(strncmp(json_member(here->out, "integrator"), "\"rk4\"", 5), 0);
    check_small(strtod(json_member(here->out, "energy_drift"), NULL), 1e-9); /* h^4 times a constant near one */
}

static void an_interrupted_run_stops_and_leaves_its_rows_beside_the_file(void **state)
{
    place *here = *state;
    int out = open_scratch(), err = open_scratch();
    pid_t child = start(here, "run @/pendulum.yaml --until 1e8 --every 10 -o @/a.csv -o -", out, err);
    for (int i = 0; i < 1000 && !count_files(here, ".part"); i++)
        rest(10);
    assert_int_equal(count_files(here, ".part"), 1);
    rest(100); /* its first row */
    kill(child, SIGINT);
    assert_int_equal(wait_for(child), 130);
    read_text(out, here->out);
    read_text(err, here->err);
    expect(here->err, "stopped at t = ");
    expect(here->err, "a.csv: warning: was not written, as the run did not reach its end; the ");
    expect(here->err, "Pendulum"); /* the evidence of the part so far */
    expect(here->out, "time,rod.x,rod.angle\n0,0.6185,0\n");
    expect(here->out, "\n# incomplete: the run ended at t = ");
    assert_int_equal(here->out[strlen(here->out) - 1], '\n');
    expect(here->err, "dalembert run: with --resume the run continues from t = ");
    assert_int_equal(count_files(here, "a.csv"), 2);
    assert_true(is_there(here, "a.csv.part"));
    assert_true(is_there(here, "a.csv.part.state"));
}

static void ports_prints_tables_and_writes_a_whole_picture(void **state)
{
    place *here = *state;
    char path[128], text[64] = "";
    assert_int_equal(run(here, "ports @/pendulum.yaml"), DAL_OK);
    expect(here->out, "Pendulum: ground, 1 body, 1 joint; 2 wires\n");
    expect(here->out, "pivot      revolute  2      2 multipliers, leaves 1 freedom: angle\n");
    assert_string_equal(here->err, "");
    assert_int_equal(run(here, "ports @/pendulum.yaml --json"), DAL_OK);
    assert_true(is_json(here->out));
    assert_int_equal(strtol(json_member(here->out, "wires"), NULL, 10), 2);
    assert_int_equal(run(here, "ports @/pendulum.yaml -q -o @/net.svg"), DAL_OK);
    assert_string_equal(here->out, "");
    assert_int_equal(count_files(here, ".part"), 0);
    snprintf(path, sizeof path, "%s/net.svg", here->folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_int_equal(strncmp(text, "<svg xmlns=", 11), 0);
    assert_int_equal(run(here, "ports @/pendulum.yaml -o -"), DAL_OK);
    assert_int_equal(strncmp(here->out, "<svg xmlns=", 11), 0);
    assert_int_equal(run(here, "ports @/pendulum.yaml -o @/net.png"), DAL_BAD_COMMAND);
    expect(here->err, "a picture is written as .svg");
    assert_int_equal(run(here, "ports @/pendulum.yaml -o - --json"), DAL_BAD_COMMAND);
    assert_int_equal(run(here, "ports @/pendulum.yaml -o @/nowhere/net.svg"), DAL_BAD_FILE);
    expect(here->err, "net.svg cannot be created: No such file or directory");
    assert_int_equal(run(here, "ports @/pendulum.yaml --set nothing=1"), DAL_BAD_COMMAND);
}

/* ---- pages and pictures ------------------------------------------------------- */

static void a_page_is_written_whole_or_refused_with_what_brings_it(void **state)
{
    place *here = *state;
    if (!dal_page_available()) {
        assert_int_equal(run(here, "run @/pendulum.yaml -o @/a.html"), DAL_BAD_COMMAND);
        expect(here->err, "this build has no report page; install node and npm");
        assert_int_equal(count_files(here, "a.html"), 0);
        return;
    }
    assert_int_equal(run(here, "run @/pendulum.yaml -o @/a.html -o @/a.csv"), DAL_OK);
    assert_int_equal(count_files(here, "a.html"), 1);
    assert_int_equal(count_files(here, ".part"), 0);
    assert_int_equal(run(here, "view @/a.csv --model @/pendulum.yaml"), DAL_BAD_FILE); /* rod.y is missing */
    expect(here->err, "does not say where 'rod' is");
    assert_int_equal(run(here, "run @/pendulum.yaml -q --motion -o @/b.csv"), DAL_OK);
    assert_int_equal(run(here, "view @/b.csv --model @/pendulum.yaml"), DAL_OK);
    assert_int_equal(count_files(here, "b.html"), 1);
    assert_int_equal(run(here, "view @/b.csv"), DAL_BAD_COMMAND);
    expect(here->err, "which model was it made from?");
    assert_int_equal(run(here, "run @/pendulum.yaml --set l=-1 -o @/c.html"), DAL_OK); /* nothing forbids it */
    assert_int_equal(run(here, "run @/pendulum.yaml --formulation none -o @/d.html"), DAL_BAD_COMMAND);
    assert_int_equal(count_files(here, "d.html"), 0);
    assert_int_equal(run(here, "run @/pendulum.yaml --open"), DAL_BAD_COMMAND);
    expect(here->err, "--open shows a page: which one?");
}

static void files_of_results_have_the_columns_of_the_model_also_beside_a_page(void **state)
{
    place *here = *state;
    char alone[sizeof here->out];
    assert_int_equal(run(here, "run @/pendulum.yaml -q -o -"), DAL_OK);
    strcpy(alone, here->out);
    expect(alone, "time,rod.x,rod.angle\n");
    if (dal_page_available()) {
        assert_int_equal(run(here, "run @/pendulum.yaml -q -o - -o @/a.html"), DAL_OK);
        assert_string_equal(here->out, alone);
    }
    assert_int_equal(run(here, "run @/pendulum.yaml -q --motion -o -"), DAL_OK);
    expect(here->out,
           "time,rod.x,rod.angle,rod.y,rod.x',rod.y',rod.angle',energy,energy.kinetic,energy.potential,constraint.position,constraint.velocity,"
           "energy.balance\n");
}

static void plots_and_snapshots_are_pictures(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/pendulum.yaml -q --motion -o @/a.csv"), DAL_OK);
    assert_int_equal(run(here, "plot @/a.csv --channels rod.angle,rod.x -o -"), DAL_OK);
    assert_int_equal(strncmp(here->out, "<svg ", 5), 0);
    assert_int_equal(run(here, "plot @/a.csv -c rod.angle' -x rod.angle -o @/p.svg --size 300x200"), DAL_OK);
    assert_int_equal(count_files(here, "p.svg"), 1);
    for (int i = 0; i < 2; i++) { /* the former name still works */
        assert_int_equal(run(here, i ? "animate @/a.csv --model @/pendulum.yaml --times 0,0.25 -o -"
                                     : "snapshots @/a.csv --model @/pendulum.yaml --times 0,0.25 -o -"),
                         DAL_OK);
        expect(here->out, ">2: 0.25 s</text>");
    }
    assert_int_equal(run(here, "help"), DAL_OK);
    assert_null(strstr(here->out, "animate"));
    assert_int_equal(run(here, "plot @/a.csv -o -"), DAL_OK); /* all channels, in panels by unit */
    expect(here->out, ">rod.angle</text>");
    expect(here->out, ">energy.kinetic</text>");
    assert_int_equal(run(here, "plot @/a.csv -c rod.angel -o -"), DAL_BAD_COMMAND);
    expect(here->err, "did you mean 'rod.angle'?");
    assert_int_equal(run(here, "plot @/a.csv -c rod.angle -o @/p.gif"), DAL_BAD_COMMAND);
    expect(here->err, "a picture is written as .svg or .png");
    assert_int_equal(run(here, "animate @/a.csv -m @/pendulum.yaml --times 0,x -o -"), DAL_BAD_COMMAND);
    expect(here->err, "--times needs up to 50 instants");
    assert_int_equal(run(here, "plot @/nothing.csv -c a -o -"), DAL_BAD_FILE);
    expect(here->err, "cannot be read: No such file or directory");
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_place(no_argument_is_a_bad_command_with_a_short_help),
        in_place(help_explains_every_command_it_lists),
        in_place(eval_prints_a_state_and_what_a_motion_takes),
        in_place(what_is_misspelt_is_answered_with_the_nearest),
        in_place(list_names_what_can_be_used),
        in_place(list_tells_which_integrators_cannot_be_used),
        in_place(version_names_the_optional_parts),
        in_place(a_full_standard_output_is_noticed),
        in_place(errors_of_a_model_point_at_their_place),
        in_place(a_missing_model_is_a_bad_file),
        in_place(the_type_of_the_output_is_checked_before_the_model_is_read),
        in_place(every_type_of_output_is_listed),
        in_place(swapped_letters_are_one_mistake_and_a_letter_is_like_no_other),
        in_place(a_tolerance_below_rounding_is_refused),
        in_place(view_refuses_time_that_runs_backwards),
        in_place(what_is_too_large_is_refused_by_name),
        in_place(a_byte_that_is_not_utf8_is_blamed_itself),
        in_place(a_pair_of_escapes_is_one_character),
        in_place(lines_of_obj_go_on_behind_a_backslash),
        in_place(a_wrong_choice_is_a_bad_command),
        in_place(run_writes_every_row_to_standard_output),
        in_place(run_writes_files_and_the_evidence),
        in_place(the_same_run_gives_the_same_bytes),
        in_place(a_parameter_can_be_set),
        in_place(several_values_and_columns_stand_in_one_option),
        in_place(several_models_run_one_after_another),
        in_place(small_motions_refuse_what_contradicts),
        in_place(modes_over_a_parameter_say_what_is_missing),
        in_place(a_model_comes_from_standard_input),
        in_place(assembly_is_one_line_and_v_lists_the_bodies),
        in_place(ports_prints_tables_and_writes_a_whole_picture),
        in_place(evidence_is_valid_json_with_every_key),
        in_place(a_page_is_written_whole_or_refused_with_what_brings_it),
        in_place(files_of_results_have_the_columns_of_the_model_also_beside_a_page),
        in_place(plots_and_snapshots_are_pictures),
        in_place(an_interrupted_run_stops_and_leaves_its_rows_beside_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
