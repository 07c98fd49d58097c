/* The documentation is true: its models run, its commands print what the page shows, its links lead somewhere.
 *
 * In a page, a ```yaml block whose first line is `dalembert: 1   # name.yaml` is a model of that name, and in a
 * ```console block each line that starts with `$ ` is a command, followed by what it prints (both streams). The
 * commands of one page run in one folder, in order; `models` there is the gallery. tools/refresh-documentation writes
 * the answers into a page.
 *
 * Answers are compared word by word. A number may differ by 1e-4 of itself or by one unit of its last digit, a count
 * above 100 by 2 %. What is below 1e-6 is an error of rounding or integration: it may be smaller, or 30 times larger.
 * The wall time at the end of a line `run` and times in ms are not compared.
 */
#include "check.h"

#include <ctype.h>
#include <glob.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT DAL_MODELS "/../"

/* ---- comparing ----------------------------------------------------------------- */

static bool starts_number(const char *at)
{
    at += *at == '-' || *at == '+';
    at += *at == '.';
    return isdigit((unsigned char)*at);
}

/* One unit of the last digit of the number at `text`. */
static double last_digit(const char *text, const char *end)
{
    int places = 0, exponent = 0;
    bool behind_point = false;
    for (; text < end; text++) {
        if (*text == 'e' || *text == 'E') {
            exponent = atoi(text + 1);
            break;
        }
        places += behind_point && isdigit((unsigned char)*text);
        behind_point |= *text == '.';
    }
    return pow(10, exponent - places);
}

static bool is_count(const char *text, const char *end)
{
    for (; text < end; text++)
        if (!isdigit((unsigned char)*text))
            return false;
    return true;
}

static bool same_number(const char *written, const char *written_end, const char *seen, const char *seen_end)
{
    double a = strtod(written, NULL), b = strtod(seen, NULL), size = fmax(fabs(a), fabs(b));
    if (is_count(written, written_end) && is_count(seen, seen_end))
        return fabs(a - b) <= (size > 100 ? 0.02 * size : 0);
    if (size < 1e-6)
        return fabs(b) <= fmax(30 * fabs(a), 1e-12);
    return fabs(a - b) <= fmax(1e-4 * size, 1.01 * last_digit(written, written_end));
}

static bool same_line(const char *written, const char *seen)
{
    bool word = false; /* inside a name: digits there are no number */
    while (*written && *seen) {
        if (!word && starts_number(written) && starts_number(seen)) {
            char *written_end, *seen_end;
            strtod(written, &written_end);
            strtod(seen, &seen_end);
            if (!same_number(written, written_end, seen, seen_end))
                return false;
            written = written_end;
            seen = seen_end;
            continue;
        }
        if (*written != *seen)
            return false;
        word = isalnum((unsigned char)*written) || *written == '_';
        written++;
        seen++;
    }
    return *written == *seen;
}

/* "...; 0.003 s" at the end of the line of the run */
static void forget_wall_time(char *line)
{
    char *end = strncmp(line, "  run ", 6) ? NULL : strrchr(line, ';');
    if (end)
        *end = '\0';
}

/* "  12.34 ms", in a table of fixed width: the number becomes blanks. */
static void forget_milliseconds(char *line)
{
    for (char *at = line; (at = strstr(at, " ms")); at++)
        for (char *digit = at; digit > line && (isdigit((unsigned char)digit[-1]) || digit[-1] == '.'); digit--)
            digit[-1] = ' ';
}

/* ---- running -------------------------------------------------------------------- */

typedef struct page {
    const char *name;
    char folder[64], here[80];
    int models, commands;
    FILE *model, *answer; /* the model that is being written; what the last command printed */
    char command[4096];
} page;

static void enter(page *p, const char *name)
{
    char path[128], variable[4096];
    *p = (page){.name = name, .folder = "/tmp/test_documentation.XXXXXX"};
    assert_non_null(mkdtemp(p->folder));
    snprintf(path, sizeof path, "%s/bin", p->folder);
    snprintf(p->here, sizeof p->here, "%s/here", p->folder);
    assert_int_equal(mkdir(path, 0700) | mkdir(p->here, 0700), 0);
    snprintf(variable, sizeof variable, "%s:%s", path, getenv("TEST_DOCUMENTATION_PATH"));
    setenv("PATH", variable, 1);
    snprintf(path, sizeof path, "%s/bin/dalembert", p->folder);
    assert_int_equal(symlink(DAL_PROGRAM, path), 0);
    snprintf(path, sizeof path, "%s/models", p->here);
    assert_int_equal(symlink(DAL_MODELS, path), 0);
}

static void leave(page *p)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", p->folder);
    assert_int_equal(system(command), 0);
}

static bool read_line(FILE *file, char line[4096])
{
    if (!fgets(line, 4096, file))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static void begin_command(page *p, const char *command)
{
    char line[4300];
    snprintf(p->command, sizeof p->command, "%s", command);
    snprintf(line, sizeof line, "cd %s && { %s; } 2>&1", p->here, command);
    assert_non_null(p->answer = popen(line, "r"));
    p->commands++;
}

static void compare_line(page *p, char *written)
{
    char seen[4096];
    if (!p->answer)
        return;
    if (!read_line(p->answer, seen))
        fail_msg("%s: '%s' does not print\n%s", p->name, p->command, written);
    forget_wall_time(written);
    forget_wall_time(seen);
    forget_milliseconds(written);
    forget_milliseconds(seen);
    if (!same_line(written, seen))
        fail_msg("%s: '%s' prints\n%s\nand the page says\n%s", p->name, p->command, seen, written);
}

static void end_command(page *p)
{
    char more[4096];
    if (!p->answer)
        return;
    if (read_line(p->answer, more))
        fail_msg("%s: '%s' prints also\n%s", p->name, p->command, more);
    pclose(p->answer);
    p->answer = NULL;
}

static void begin_model(page *p, const char *line)
{
    char name[64], path[160];
    if (sscanf(line, "dalembert: 1 # %63[a-z0-9.-]", name) != 1 && sscanf(line, "study: 1 # %63[a-z0-9.-]", name) != 1)
        return;
    snprintf(path, sizeof path, "%s/%s", p->here, name);
    assert_non_null(p->model = fopen(path, "w"));
    p->models++;
}

static void end_block(page *p)
{
    end_command(p);
    if (p->model)
        fclose(p->model);
    p->model = NULL;
}

static void run_page(const char *name, int fewest_models, int fewest_commands)
{
    enum { PROSE, YAML_HEAD, YAML, CONSOLE, OTHER } where = PROSE;
    char path[512], line[4096];
    page p;
    enter(&p, name);
    snprintf(path, sizeof path, ROOT "%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (read_line(file, line)) {
        if (!strncmp(line, "```", 3)) {
            end_block(&p);
            where = where != PROSE ? PROSE : !strcmp(line + 3, "yaml") ? YAML_HEAD : !strcmp(line + 3, "console") ? CONSOLE : OTHER;
            continue;
        }
        if (where == YAML_HEAD) {
            begin_model(&p, line);
            where = YAML;
        }
        if (p.model)
            fprintf(p.model, "%s\n", line);
        if (where == CONSOLE && !strncmp(line, "$ ", 2)) {
            end_command(&p);
            begin_command(&p, line + 2);
        } else if (where == CONSOLE) {
            compare_line(&p, line);
        }
    }
    fclose(file);
    assert_int_equal(where, PROSE);
    assert_true(p.models >= fewest_models && p.commands >= fewest_commands);
    leave(&p);
}

/* ---- the claims ------------------------------------------------------------------- */

static void a_wrong_answer_is_noticed(void **state)
{
    (void)state;
    assert_true(same_line("  energy      -4.4145 J; drift 5.62e-09 (1 event)", "  energy      -4.41451 J; drift 9.1e-09 (1 event)"));
    assert_true(same_line("545 steps", "547 steps"));
    assert_true(same_line("ratio 2.2e-01", "ratio 2.3e-01"));
    assert_true(same_line("force 16.0073,-4.9e-15", "force 16.0074,1.3e-13"));
    assert_false(same_line("energy -4.4145 J", "energy 4.4145 J"));
    assert_false(same_line("energy -4.4145 J", "energy -4.4255 J"));
    assert_false(same_line("drift 5.62e-09", "drift 5.62e-07"));
    assert_false(same_line("position 1.2e-12", "position 1.2e-3"));
    assert_false(same_line("545 steps", "645 steps"));
    assert_false(same_line("rank 5 to 5", "rank 5 to 6"));
    assert_false(same_line("joint 'A1'", "joint 'A2'"));
    assert_false(same_line("one freedom", "one freedoms"));
}

static void the_readme_is_true(void **state)
{
    (void)state;
    run_page("README.md", 1, 2);
}

static void the_tutorial_is_true(void **state)
{
    (void)state;
    run_page("doc/tutorial.md", 10, 30);
}

static void the_page_on_evidence_is_true(void **state)
{
    (void)state;
    run_page("doc/evidence.md", 0, 2);
}

static void the_page_on_comparing_is_true(void **state)
{
    (void)state;
    run_page("doc/compare.md", 1, 3);
}

static void the_page_on_checking_is_true(void **state)
{
    (void)state;
    run_page("doc/check.md", 2, 5);
}

static void the_page_on_equations_is_true(void **state)
{
    (void)state;
    run_page("doc/equations.md", 0, 3);
}

static void the_pages_on_small_motions_are_true(void **state)
{
    (void)state;
    run_page("doc/linearize.md", 1, 1);
    run_page("doc/modes.md", 2, 3);
    run_page("doc/equilibrium.md", 3, 4);
    run_page("doc/response.md", 2, 2);
    run_page("doc/derivatives.md", 0, 1);
    run_page("doc/car.md", 1, 9);
}

static void the_page_on_sweeps_is_true(void **state)
{
    (void)state;
    run_page("doc/sweep.md", 2, 3);
    run_page("doc/sweep-tutorials.md", 3, 3);
}

static void the_page_on_evaluating_is_true(void **state)
{
    (void)state;
    run_page("doc/eval.md", 1, 8);
}

static void the_page_on_reactions_is_true(void **state)
{
    (void)state;
    run_page("doc/reactions.md", 1, 2);
}

static void the_page_on_stabilization_is_true(void **state)
{
    (void)state;
    run_page("doc/stabilization-and-integrators.md", 1, 3);
}

static void the_page_on_troubleshooting_is_true(void **state)
{
    (void)state;
    run_page("doc/troubleshooting.md", 1, 6);
}

static void the_page_on_coordinates_is_true(void **state)
{
    (void)state;
    run_page("doc/coordinates.md", 1, 4);
}

static void the_page_on_urdf_is_true(void **state)
{
    (void)state;
    run_page("doc/urdf.md", 0, 4);
}

static void the_page_on_pages_is_true(void **state)
{
    (void)state;
    run_page("doc/page.md", 1, 7);
}

static void the_page_on_joint_types_is_true(void **state)
{
    (void)state;
    run_page("doc/joint-types.md", 2, 2);
}

static void the_page_on_known_equations_is_true(void **state)
{
    (void)state;
    run_page("doc/known-equations.md", 2, 7);
}

static void the_page_on_actuators_is_true(void **state)
{
    (void)state;
    run_page("doc/actuators.md", 1, 4);
}

static void the_pages_on_formulations_are_true(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob(ROOT "doc/formulations/*.md", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_page(found.gl_pathv[i] + strlen(ROOT), 0, 1);
    assert_true(found.gl_pathc > 9);
    globfree(&found);
}

static void the_pages_on_components_are_true(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob(ROOT "doc/components/*.md", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_page(found.gl_pathv[i] + strlen(ROOT), 0, 1);
    assert_true(found.gl_pathc > 9);
    globfree(&found);
}

/* Every [text](target) without a scheme is a file or folder beside its page. */
static void check_links(const char *path)
{
    static char text[1 << 17];
    char folder[512], target[1024];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    assert_true(n < sizeof text - 1);
    text[n] = '\0';
    fclose(file);
    snprintf(folder, sizeof folder, "%s", path);
    dirname(folder);
    for (char *at = text; (at = strstr(at, "](")); at++) {
        int length = (int)strcspn(at + 2, ")#");
        if (length == 0 || memchr(at + 2, ':', (size_t)length))
            continue;
        snprintf(target, sizeof target, "%s/%.*s", folder, length, at + 2);
        if (access(target, F_OK))
            fail_msg("%s: the link to %.*s leads nowhere", path, length, at + 2);
    }
}

static void links_lead_somewhere(void **state)
{
    static const char *const where[] = {ROOT "*.md", ROOT "src/*.md", ROOT "doc/*.md", ROOT "doc/*/*.md", ROOT "examples/*.md"};
    size_t pages = 0;
    (void)state;
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        glob_t found;
        if (glob(where[i], 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++, pages++)
                check_links(found.gl_pathv[k]);
        globfree(&found);
    }
    assert_true(pages > 10);
}

static void the_map_lists_every_page(void **state)
{
    (void)state;
    static const char *const where[] = {"*.md", "*/*.md", "notebooks/*.ipynb"};
    static char map[1 << 17];
    FILE *file = fopen(ROOT "doc/README.md", "r");
    assert_non_null(file);
    const size_t length = fread(map, 1, sizeof map - 1, file);
    fclose(file);
    assert_in_range(length, 1000, sizeof map - 2);
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        char pattern[512], link[512];
        glob_t found;
        snprintf(pattern, sizeof pattern, ROOT "doc/%s", where[i]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const char *name = found.gl_pathv[k] + strlen(ROOT "doc/");
            snprintf(link, sizeof link, "(%s)", name);
            if (strcmp(name, "README.md") != 0 && !strstr(map, link))
                fail_msg("doc/README.md does not list %s", name);
        }
        globfree(&found);
    }
}

int main(void)
{
    const char *path = getenv("PATH");
    setenv("TEST_DOCUMENTATION_PATH", path ? path : "/bin:/usr/bin", 1);
    unsetenv("TERM"); /* no colours */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_answer_is_noticed),
        cmocka_unit_test(the_readme_is_true),
        cmocka_unit_test(the_tutorial_is_true),
        cmocka_unit_test(the_page_on_evidence_is_true),
        cmocka_unit_test(the_page_on_comparing_is_true),
        cmocka_unit_test(the_page_on_checking_is_true),
        cmocka_unit_test(the_page_on_equations_is_true),
        cmocka_unit_test(the_page_on_sweeps_is_true),
        cmocka_unit_test(the_pages_on_small_motions_are_true),
        cmocka_unit_test(the_page_on_evaluating_is_true),
        cmocka_unit_test(the_page_on_reactions_is_true),
        cmocka_unit_test(the_page_on_stabilization_is_true),
        cmocka_unit_test(the_page_on_troubleshooting_is_true),
        cmocka_unit_test(the_page_on_coordinates_is_true),
        cmocka_unit_test(the_page_on_urdf_is_true),
        cmocka_unit_test(the_page_on_pages_is_true),
        cmocka_unit_test(the_page_on_joint_types_is_true),
        cmocka_unit_test(the_page_on_known_equations_is_true),
        cmocka_unit_test(the_page_on_actuators_is_true),
        cmocka_unit_test(the_pages_on_formulations_are_true),
        cmocka_unit_test(the_pages_on_components_are_true),
        cmocka_unit_test(links_lead_somewhere),
        cmocka_unit_test(the_map_lists_every_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
