/* A poll loop over a few connections. A request is one GET; an answer is written as the other side takes it. Names of hosts other than
 * this machine's own are refused, so that no page from elsewhere can read what is served here by pointing its name at it. */
#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 32, MOST_REQUEST = 8192, PATIENCE = 10 }; /* seconds for a request to arrive */

/* What is sent, shared by everybody who is sent it. */
typedef struct document {
    int users;
    size_t length;
    char *text;
} document;

typedef enum stage { FREE, READING, SENDING, LISTENING } stage;

typedef struct client {
    stage stage;
    int socket;
    time_t since;
    char request[MOST_REQUEST];
    size_t got;
    char head[512];
    size_t head_length, sent; /* of head, then body */
    document *body;           /* NULL: the head is all */
} client;

struct dal_server {
    int socket, port;
    document *page;
    char *greeting; /* what a new stream is told; NULL: nothing */
    client client[MOST_CLIENTS];
};

/* ---- documents ------------------------------------------------------------------ */

static void let_go(document *d)
{
    if (d && --d->users == 0) {
        free(d->text);
        free(d);
    }
}

void dal_server_show(dal_server *server, char *text, size_t length)
{
    document *d = malloc(sizeof *d);
    if (!d) {
        free(text);
        return;
    }
    *d = (document){1, length, text};
    let_go(server->page);
    server->page = d;
}

/* ---- opening and closing ----------------------------------------------------------- */

static dal_server *fail(dal_server *server, const char *command, int port, const char *doing)
{
    if (command)
        fprintf(stderr, "dalembert %s: error: cannot %s port %d of this machine: %s\n", command, doing, port,
            strerror(errno));
    dal_server_close(server);
    return NULL;
}

dal_server *dal_server_open(const char *command, int port)
{
    dal_server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int yes = 1;
    if (!server)
        return NULL;
    server->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->socket < 0)
        return fail(server, command, port, "open");
    setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server->socket, (const struct sockaddr *)&address, size) || listen(server->socket, 8) ||
        getsockname(server->socket, (struct sockaddr *)&address, &size))
        return fail(server, command, port, "listen at");
    server->port = ntohs(address.sin_port);
    return server;
}

int dal_server_port(const dal_server *server)
{
    return server->port;
}

static void hang_up(client *c)
{
    if (c->stage == FREE)
        return;
    close(c->socket);
    let_go(c->body);
    *c = (client){.stage = FREE};
}

void dal_server_close(dal_server *server)
{
    if (!server)
        return;
    for (int i = 0; i < MOST_CLIENTS; i++)
        hang_up(&server->client[i]);
    if (server->socket >= 0)
        close(server->socket);
    let_go(server->page);
    free(server->greeting);
    free(server);
}

/* ---- answers ------------------------------------------------------------------------- */

static void answer(client *c, const char *status, const char *type, document *body, size_t length)
{
    c->head_length =
        (size_t)snprintf(c->head, sizeof c->head,
                         "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                         "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                         status, type, length);
    c->sent = 0;
    c->body = body;
    c->stage = SENDING;
    if (body)
        body->users++;
}

static void answer_plainly(client *c, const char *status)
{
    answer(c, status, "text/plain; charset=utf-8", NULL, strlen(status) + 1);
    c->head_length += (size_t)snprintf(c->head + c->head_length, sizeof c->head - c->head_length, "%s\n", status);
}

/* All of it or nothing: events are small against what a socket takes. */
static void whisper(client *c, const char *text)
{
    const size_t length = strlen(text);
    if (send(c->socket, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        hang_up(c);
}

static void begin_stream(const dal_server *server, client *c)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                               "no-store\r\nConnection: keep-alive\r\n\r\n"
                               "retry: 500\n\n";
    c->stage = LISTENING;
    whisper(c, head);
    if (c->stage == LISTENING && server->greeting)
        whisper(c, server->greeting);
}

/* The value of a header in a request that ends with a zero; false: it is not there. */
static bool find_header(const char *request, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    for (const char *line = strstr(request, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) || line[2 + length] != ':')
            continue;
        const char *begin = line + 3 + length;
        begin += strspn(begin, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(begin, " \t\r\n"), begin);
        return true;
    }
    return false;
}

static bool is_ours(const dal_server *server, const char *request)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char host[64], wanted[64];
    if (!find_header(request, "Host", host, sizeof host))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%d", names[i], server->port);
        if (!strcasecmp(host, wanted) || (server->port == 80 && !strcasecmp(host, names[i])))
            return true;
    }
    return false;
}

static void respond(dal_server *server, client *c)
{
    char path[64] = "";
    const bool get = sscanf(c->request, "GET %63s HTTP/1.", path) == 1;
    if (!get)
        answer_plainly(c, "405 only GET is answered here");
    else if (!is_ours(server, c->request))
        answer_plainly(c, "403 this server answers to 127.0.0.1 and localhost");
    else if (!strcmp(path, "/events"))
        begin_stream(server, c);
    else if (strcmp(path, "/"))
        answer_plainly(c, "404 there is one page here: /");
    else if (!server->page)
        answer_plainly(c, "503 the page is not ready");
    else
        answer(c, "200 OK", "text/html; charset=utf-8", server->page, server->page->length);
}

/* ---- the loop -------------------------------------------------------------------------- */

static void receive(dal_server *server, client *c)
{
    char rest[256];
    if (c->stage != READING) { /* a stream says nothing; its end is all that can be heard */
        if (recv(c->socket, rest, sizeof rest, 0) <= 0)
            hang_up(c);
        return;
    }
    ssize_t n = recv(c->socket, c->request + c->got, sizeof c->request - 1 - c->got, 0);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            hang_up(c);
        return;
    }
    c->got += (size_t)n;
    c->request[c->got] = '\0';
    if (strstr(c->request, "\r\n\r\n"))
        respond(server, c);
    else if (c->got == sizeof c->request - 1)
        answer_plainly(c, "431 the request is too long");
}

static void transmit(client *c)
{
    const bool in_head = c->sent < c->head_length;
    const char *from = in_head ? c->head + c->sent : c->body->text + (c->sent - c->head_length);
    const size_t left = in_head ? c->head_length - c->sent : c->head_length + c->body->length - c->sent;
    ssize_t n = send(c->socket, from, left, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        hang_up(c);
        return;
    }
    c->sent += n > 0 ? (size_t)n : 0;
    c->since = n > 0 ? time(NULL) : c->since;
    if (c->sent == c->head_length + (c->body ? c->body->length : 0)) {
        shutdown(c->socket, SHUT_WR);
        hang_up(c);
    }
}

static void welcome(dal_server *server)
{
    int socket = accept4(server->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0)
        return;
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (server->client[i].stage == FREE) {
            server->client[i].stage = READING;
            server->client[i].socket = socket;
            server->client[i].since = time(NULL);
            return;
        }
    close(socket);
}

static void forget_the_slow(dal_server *server)
{
    const time_t now = time(NULL);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if ((server->client[i].stage == READING || server->client[i].stage == SENDING) &&
            now - server->client[i].since > PATIENCE)
            hang_up(&server->client[i]);
}

void dal_server_turn(dal_server *server, int milliseconds)
{
    struct pollfd watched[MOST_CLIENTS + 1] = {{.fd = server->socket, .events = POLLIN}};
    for (int i = 0; i < MOST_CLIENTS; i++) {
        const client *c = &server->client[i];
        watched[i + 1].fd = c->stage == FREE ? -1 : c->socket;
        watched[i + 1].events = c->stage == SENDING ? POLLOUT : POLLIN;
    }
    if (poll(watched, MOST_CLIENTS + 1, milliseconds) > 0) {
        for (int i = 0; i < MOST_CLIENTS; i++)
            if (watched[i + 1].revents && server->client[i].stage == SENDING)
                transmit(&server->client[i]);
            else if (watched[i + 1].revents)
                receive(server, &server->client[i]);
        if (watched[0].revents)
            welcome(server);
    }
    forget_the_slow(server);
}

void dal_server_tell(dal_server *server, const char *event, const char *data, bool keep)
{
    char *text = NULL;
    if (asprintf(&text, "event: %s\ndata: %s\n\n", event, data) < 0)
        return;
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (server->client[i].stage == LISTENING)
            whisper(&server->client[i], text);
    free(server->greeting);
    server->greeting = keep ? text : NULL;
    if (!keep)
        free(text);
}

int dal_server_listeners(const dal_server *server)
{
    int n = 0;
    for (int i = 0; i < MOST_CLIENTS; i++)
        n += server->client[i].stage == LISTENING;
    return n;
}
