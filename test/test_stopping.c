/* Ctrl-C and a polite kill act within 0.2 s in every command, whatever it is doing, and leave no unfinished file.
 *
 * Chains of 2,000 and 10,000 links keep the program in reading, placing, assembly, factorisations and ranks. The time from the signal to
 * the end is the program's and the scheduler's: of a few attempts the shortest counts.
 */
#include "check.h"
#include "place.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const double allowed = 0.2; /* s */
enum { ATTEMPTS = 4, WORDS = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * fmod(seconds, 1))}, NULL);
}

static void write_chain(place *here, const char *name, int links)
{
    FILE *file = fopen(path_of(here, name), "w");
    assert_non_null(file);
    fprintf(file,
            "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
            "bodies:\n  link: {repeat: {i: 1..%d}, mass: 1, inertia: [0.001, 0.01, 0.01], position: [i - 0.5, 0, 0], points: {A: [-0.5, 0, 0], B: "
            "[0.5, 0, 0]}}\n"
            "joints:\n  first: {type: revolute, connect: [ground, link.1.A], axis: [0, 1, 0]}\n"
            "  j: {repeat: {i: 2..%d}, type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"], axis: [0, 1, 0]}\n"
            "simulate: {until: 1e4, every: 0.1}\n",
            links, links);
    fclose(file);
}

/* Results that take a while to read. */
static void write_rows(place *here, const char *name, int rows)
{
    FILE *file = fopen(path_of(here, name), "w");
    assert_non_null(file);
    fputs("time,a\n", file);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,%d\n", i, i % 1000);
    fclose(file);
}

/* '@' in the line is the folder. Its output goes nowhere, its temporary files into the folder. */
static pid_t start(const place *here, const char *line)
{
    static const char program[] = DAL_PROGRAM;
    char words[1024], first[sizeof program], *argument[WORDS + 2] = {first};
    size_t used = 0;
    memcpy(first, program, sizeof program);
    for (; *line && used < sizeof words - 80; line++)
        used += (size_t)(*line == '@' ? snprintf(words + used, sizeof words - used, "%s", here->folder) : snprintf(words + used, 2, "%c", *line));
    words[used] = '\0';
    int n = 1;
    for (char *word = strtok(words, " "); word && n <= WORDS; word = strtok(NULL, " "))
        argument[n++] = word;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        setenv("TMPDIR", here->folder, 1);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execv(first, argument);
        _exit(99);
    }
    return child;
}

/* Has the program begun to listen? Before that a signal ends it as it ends every program. Where there is no /proc nobody knows. */
static bool listens(pid_t child)
{
    char path[64], line[200];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "SigCgt:", 7))
            caught = strtoull(line + 7, NULL, 16);
    if (file)
        fclose(file);
    return !file || (caught >> (SIGTERM - 1) & 1);
}

/* Seconds from the signal to the end; its exit code has to be `code`. `again`: a second signal right behind the first. A machine on which
 * the command is done before the signal is asked sooner. */
static double stop(const place *here, const char *line, double after, int number, int code, bool again)
{
    int status;
    const pid_t child = start(here, line);
    for (int i = 0; i < 1000 && !listens(child); i++)
        rest(0.005);
    rest(after);
    if (waitpid(child, &status, WNOHANG) == child) {
        if (!(after > 1e-3) || !WIFEXITED(status) || WEXITSTATUS(status) > 1) /* 1: `check` has warnings */
            fail_msg("%s: it did not wait for the signal: %s %d", line, WIFEXITED(status) ? "exit code" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        return stop(here, line, 0.5 * after, number, code, again);
    }
    const double begin = now();
    assert_int_equal(kill(child, number), 0);
    if (again) {
        rest(0.02);
        kill(child, number);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    const double taken = now() - begin;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
        fail_msg("%s: %s %d instead of exit code %d", line, WIFEXITED(status) ? "exit code" : "signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), code);
    return taken;
}

/* A part of results is there for its rows; that of a page is a whole page of them. */
static bool has_rows(const place *here, const char *name)
{
    static const char end[] = "</html>\n";
    char path[400], last[sizeof end] = "";
    snprintf(path, sizeof path, "%s/%s", here->folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool some = !fseek(file, 0, SEEK_END) && ftell(file) > 0;
    const bool whole = some && !fseek(file, 1 - (long)sizeof end, SEEK_END) && fgets(last, sizeof last, file) && !strcmp(last, end);
    fclose(file);
    return (some && strstr(name, ".csv.part")) || (whole && strstr(name, ".html.part"));
}

/* Nothing unfinished is in the folder afterwards. */
static void check_stop(const place *here, const char *line, double after, int number, int code)
{
    double best = INFINITY;
    for (int i = 0; i < ATTEMPTS && !(best <= allowed); i++) {
        best = fmin(best, stop(here, line, after, number, code, false));
        DIR *list = opendir(here->folder);
        for (struct dirent *entry; (entry = readdir(list));)
            if (strstr(entry->d_name, "dalembert-") || (strstr(entry->d_name, ".part") && !has_rows(here, entry->d_name)))
                fail_msg("%s: %s is left", line, entry->d_name);
        closedir(list);
    }
    print_message("%-28.28s after %.2f s: %.3f s\n", line, after, best);
    if (!(best <= allowed))
        fail_msg("%s: %.3f s after the signal", line, best);
}

static void every_command_stops_in_a_long_chain(void **state)
{
    place *here = *state;
    write_chain(here, "chain.yaml", 2000);
    write_rows(here, "many.csv", 1500000);
    check_stop(here, "run @/chain.yaml -o @/a.csv -o @/a.html", 0.1, SIGINT, 130);
    check_stop(here, "run @/chain.yaml -o @/a.csv", 0.8, SIGTERM, 143);
    check_stop(here, "check @/chain.yaml", 0.05, SIGTERM, 143);
    check_stop(here, "compare @/chain.yaml -o @/c.html", 0.2, SIGINT, 130);
    check_stop(here, "eval @/chain.yaml --random 1", 0.2, SIGINT, 130);
    check_stop(here, "equations @/chain.yaml", 0.15, SIGTERM, 143);
    check_stop(here, "convert @/chain.yaml -o @/chain.urdf", 0.05, SIGTERM, 143);
    check_stop(here, "ports @/chain.yaml -o @/chain.svg", 0.1, SIGINT, 130);
    check_stop(here, "equilibrium @/chain.yaml", 0.2, SIGINT, 130);
    check_stop(here, "linearize @/chain.yaml", 0.2, SIGTERM, 143);
    check_stop(here, "modes @/chain.yaml", 0.2, SIGINT, 130);
    check_stop(here, "gallery @/chain.yaml -o @", 0.2, SIGINT, 130);
    check_stop(here, "plot @/many.csv -c a -o @/x.svg", 0.05, SIGINT, 130);
    check_stop(here, "view @/many.csv --model @/chain.yaml -o @/v.html", 0.05, SIGTERM, 143);
    check_stop(here, "animate @/many.csv --model @/chain.yaml -o @/v.svg", 0.05, SIGTERM, 143);
    check_stop(here, "watch @/chain.yaml --port 0", 0.3, SIGINT, 0); /* it has no other end */
}

static void ten_thousand_links_stop_too(void **state)
{
    place *here = *state;
    write_chain(here, "chain.yaml", 10000);
    check_stop(here, "run @/chain.yaml -o @/a.csv", 0.3, SIGINT, 130);
    check_stop(here, "run @/chain.yaml --coordinates joint --formulation recursive -o @/a.csv", 0.9, SIGTERM, 143);
    check_stop(here, "check @/chain.yaml", 0.5, SIGINT, 130);
    check_stop(here, "convert @/chain.yaml -o @/chain.urdf", 0.2, SIGINT, 130);
}

static void a_second_signal_ends_at_once(void **state)
{
    place *here = *state;
    double best = INFINITY;
    write_chain(here, "chain.yaml", 2000);
    for (int i = 0; i < ATTEMPTS && !(best < 0.1); i++)
        best = fmin(best, stop(here, "check @/chain.yaml", 0.05, SIGINT, 130, true));
    assert_true(best < 0.1); /* the first alone leaves it 0.12 s */
    assert_int_equal(count_files(here->folder), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_command_stops_in_a_long_chain, enter_place, leave_place),
        cmocka_unit_test_setup_teardown(ten_thousand_links_stop_too, enter_place, leave_place),
        cmocka_unit_test_setup_teardown(a_second_signal_ends_at_once, enter_place, leave_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
