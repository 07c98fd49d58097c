/* `watch` as browsers and editors meet it: connections that do nothing, large folders, large messages, pipes, other users. */
#include "program.h"

#include "dalembert/page.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "tables: {a: {file: deep/er/and/deep/er/tab.csv, outside: hold, smooth: 1}}\n"
                            "bodies: {rod: {mass: 1, inertia: 0.1, position: [0, 0]}}\n"
                            "forces: {f: {type: force, body: rod, value: [\"interp(a, t)\", 0]}}\n"
                            "simulate: {until: 0.1, every: 0.01}\n";

/* ---- a browser ------------------------------------------------------------------- */

typedef struct server {
    pid_t process;
    int out, port;
    char token[64];
} server;

static int dial(const server *s)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(socket_ >= 0);
    assert_int_equal(connect(socket_, (const struct sockaddr *)&address, sizeof address), 0);
    return socket_;
}

static void ask(const server *s, int socket_, const char *path)
{
    char text[300];
    const int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, s->port);
    assert_int_equal(send(socket_, text, (size_t)n, MSG_NOSIGNAL), n);
}

/* What comes until `word` has, the connection ends, or nothing came for so long; from malloc. */
static char *hear(int socket_, const char *word, int milliseconds)
{
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    text[0] = '\0';
    struct pollfd watched = {.fd = socket_, .events = POLLIN};
    while (!(word && strstr(text + (used > 100000 ? used - 100000 : 0), word)) && poll(&watched, 1, milliseconds) > 0) {
        if (room - used < 1 << 15)
            text = realloc(text, room *= 2);
        const ssize_t n = recv(socket_, text + used, room - used - 1, 0);
        if (n <= 0)
            break;
        used += (size_t)n;
        text[used] = '\0';
    }
    return text;
}

static char *fetch(const server *s, const char *path)
{
    const int socket_ = dial(s);
    ask(s, socket_, path);
    char *text = hear(socket_, NULL, 5000);
    close(socket_);
    return text;
}

static char *fetch_page(const server *s)
{
    char path[100];
    snprintf(path, sizeof path, "/%s/", s->token);
    for (int i = 0; i < 200; i++) {
        char *text = fetch(s, path);
        if (!strstr(text, "503 the page is not ready"))
            return text;
        free(text);
        rest(50);
    }
    fail_msg("%s", "the page is never ready");
    return NULL;
}

static int listen_to(const server *s)
{
    char path[100];
    const int socket_ = dial(s);
    snprintf(path, sizeof path, "/%s/events", s->token);
    ask(s, socket_, path);
    return socket_;
}

static void expect_event(int socket_, const char *word)
{
    char *text = hear(socket_, word, 10000);
    if (!strstr(text, word))
        fail_msg("no '%s' in '%.300s'", word, text);
    free(text);
}

/* ---- the server ------------------------------------------------------------------------ */

static server begin_with(place *here, const char *command, int err)
{
    server s = {0};
    char address[200] = "";
    int ends[2];
    setenv("TMPDIR", here->folder, 1);
    assert_int_equal(pipe(ends), 0);
    s.process = start(here, command, ends[1], err);
    close(ends[1]);
    s.out = ends[0];
    for (size_t used = 0; !strchr(address, '\n') && used < sizeof address - 1;) {
        const ssize_t n = read(s.out, address + used, sizeof address - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
    }
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/%63[0-9a-f]/", &s.port, s.token), 2);
    return s;
}

static server begin(place *here)
{
    const int err = open_scratch();
    server s = begin_with(here, "watch @/m.yaml --port 0 -q", err);
    close(err);
    return s;
}

static void end(server *s)
{
    kill(s->process, SIGTERM);
    assert_int_equal(wait_for(s->process), DAL_OK);
    close(s->out);
    unsetenv("TMPDIR");
}

static int enter(void **state)
{
    if (enter_folder(state))
        return -1;
    place *here = *state;
    char path[200] = "deep";
    for (int i = 0; i < 5; i++) {
        mkdir(in_folder(here, path), 0777);
        strcat(path, i == 1 ? "/and" : i == 2 ? "/deep" : "/er");
    }
    put(here, "m.yaml", model);
    put(here, "deep/er/and/deep/er/tab.csv", "0,0\n1,1\n");
    return 0;
}

/* ---- the tests -------------------------------------------------------------------------- */

static void idle_connections_lock_nobody_out(void **state)
{
    enum { IDLE = 150 };
    server s = begin(*state);
    int socket_[IDLE];
    free(fetch_page(&s));
    for (int i = 0; i < IDLE; i++) {
        socket_[i] = i % 3 ? listen_to(&s) : dial(&s); /* streams, and connections that never ask */
        if (i % 20 == 0)
            rest(20);
    }
    char *text = fetch_page(&s);
    expect(text, "HTTP/1.1 200 OK");
    free(text);
    const int stream = listen_to(&s);
    expect_event(stream, "retry: 500");
    for (int i = 0; i < IDLE; i++)
        close(socket_[i]);
    close(stream);
    end(&s);
}

static void a_changed_file_is_seen_however_many_there_are_and_however_deep(void **state)
{
    place *here = *state;
    for (int i = 0; i < 4500; i++) {
        char name[60];
        snprintf(name, sizeof name, "deep/other%04d.csv", i);
        close(creat(in_folder(here, name), 0666));
    }
    server s = begin(here);
    free(fetch_page(&s));
    const int stream = listen_to(&s);
    expect_event(stream, "retry: 500");
    put(here, "deep/er/and/deep/er/tab.csv", "0,0\n1,2\n2,3\n");
    expect_event(stream, "event: reload");
    unlink(in_folder(here, "deep/er/and/deep/er/tab.csv")); /* also one that goes, and comes again */
    expect_event(stream, "event: problem");
    put(here, "deep/er/and/deep/er/tab.csv", "0,0\n1,2\n2,4\n");
    expect_event(stream, "event: reload");
    close(stream);
    end(&s);
}

/* Values of parameters are taken over; what else changes is compiled anew. Both are said. */
static void other_values_and_another_structure_are_told_apart(void **state)
{
    static const char pendulum[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {L: %s}\n"
                                   "bodies: {rod: {mass: %s, inertia: 0.1, points: {P: [-L/2, 0]}}}\n"
                                   "joints: {pin: {type: revolute, connect: [ground, rod.P]}}\nsimulate: {until: 0.1}\n";
    static const char *const values[][2] = {{"1", "1"}, {"1.25", "1"}, {"1.25", "2"}, {"1.5", "2"}, {"'x'", "2"}, {"1.75", "2"}};
    static const char *const said[] = {"page updated\n",
                                       "page updated; only values of parameters have changed\n",
                                       "page updated; the model was compiled again\n",
                                       "page updated; only values of parameters have changed\n",
                                       "unknown name 'x'",
                                       "page updated; only values of parameters have changed\n"};
    place *here = *state;
    char text[1000], heard[4000];
    const int err = open_scratch();
    size_t seen = 0;
    server s = {0};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        snprintf(text, sizeof text, pendulum, values[i][0], values[i][1]);
        put(here, "m.yaml", text);
        if (!i)
            s = begin_with(here, "watch @/m.yaml --port 0", err);
        const char *found = NULL;
        for (int wait = 0; wait < 200 && !found; wait++) {
            const ssize_t n = pread(err, heard, sizeof heard - 1, (off_t)seen);
            heard[n > 0 ? n : 0] = '\0';
            if (!(found = strstr(heard, said[i])))
                rest(50);
        }
        if (!found)
            fail_msg("no '%s' in '%s'", said[i], heard);
        rest(200);
        struct stat info;
        fstat(err, &info);
        seen = (size_t)info.st_size;
    }
    end(&s);
    close(err);
}

static void a_message_of_megabytes_arrives_whole(void **state)
{
    place *here = *state;
    enum { SIZE = 10 << 20 };
    server s = begin(here);
    free(fetch_page(&s));
    const int stream = listen_to(&s);
    expect_event(stream, "retry: 500");
    char *text = malloc(SIZE + 200);
    memset(text, '#', SIZE);
    for (int i = 100; i < SIZE; i += 100)
        text[i] = '\n';
    strcpy(text + SIZE, "\ndalembert: 1\nspace: nowhere\nsimulate: {until: 1}\n");
    put(here, "m.yaml", text);
    free(text);
    char *heard = hear(stream, "simulate: {until: 1}\\u000a\"}\n\n", 10000);
    assert_true(strlen(heard) > SIZE);
    expect(heard + strlen(heard) - 100, "simulate: {until: 1}\\u000a\"}\n\n");
    expect(heard, "event: problem\ndata: {");
    free(heard);
    put(here, "m.yaml", model);
    expect_event(stream, "event: reload"); /* and the stream goes on */
    const int late = listen_to(&s);
    expect_event(late, "retry: 500");
    close(late), close(stream);
    end(&s);
}

static void a_pipe_in_the_place_of_the_model_does_not_block(void **state)
{
    place *here = *state;
    server s = begin(here);
    free(fetch_page(&s));
    const int stream = listen_to(&s);
    expect_event(stream, "retry: 500");
    unlink(in_folder(here, "m.yaml"));
    assert_int_equal(mkfifo(in_folder(here, "m.yaml"), 0666), 0);
    expect_event(stream, "it is not a plain file");
    unlink(in_folder(here, "m.yaml"));
    put(here, "m.yaml", model);
    expect_event(stream, "event: reload");
    unlink(in_folder(here, "deep/er/and/deep/er/tab.csv"));
    assert_int_equal(mkfifo(in_folder(here, "deep/er/and/deep/er/tab.csv"), 0666), 0);
    expect_event(stream, "it is not a plain file");
    close(stream);
    end(&s);
}

static void pipes_are_no_results_either(void **state)
{
    place *here = *state;
    assert_int_equal(mkfifo(in_folder(here, "r.csv"), 0666), 0);
    assert_int_equal(mkfifo(in_folder(here, "r.h5"), 0666), 0);
    assert_int_equal(run(here, "plot @/r.csv -c x -o -"), DAL_BAD_FILE);
    expect(here->err, "it is not a plain file");
    assert_int_not_equal(run(here, "plot @/r.h5 -c x -o -"), DAL_OK);
}

static void others_cannot_read_the_page(void **state)
{
    place *here = *state;
    server s = begin(here);
    char path[120];
    assert_int_equal(strlen(s.token), 32);
    free(fetch_page(&s));
    static const char *const wrong[] = {"/", "/events", "/0123456789abcdef0123456789abcdef/", "/0123456789abcdef0123456789abcdef/events", "//"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = fetch(&s, wrong[i]);
        expect(text, "HTTP/1.1 404");
        expect_not(text, "<html");
        free(text);
    }
    snprintf(path, sizeof path, "/%.31s%c/", s.token, s.token[31] == '0' ? '1' : '0');
    char *text = fetch(&s, path);
    expect(text, "HTTP/1.1 404");
    free(text);
    int pages = 0;
    DIR *list = opendir(here->folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        struct stat info;
        if (strncmp(entry->d_name, "dalembert-", 10))
            continue;
        assert_int_equal(stat(in_folder(here, entry->d_name), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        pages++;
    }
    closedir(list);
    assert_int_equal(pages, 1);
    end(&s);
    assert_int_equal(count_files(here, "dalembert-"), 0); /* and it goes with the server */
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_place(idle_connections_lock_nobody_out),
        in_place(a_changed_file_is_seen_however_many_there_are_and_however_deep),
        in_place(a_message_of_megabytes_arrives_whole),
        in_place(a_pipe_in_the_place_of_the_model_does_not_block),
        in_place(pipes_are_no_results_either),
        in_place(others_cannot_read_the_page),
        in_place(other_values_and_another_structure_are_told_apart),
    };
    if (!dal_page_available())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
