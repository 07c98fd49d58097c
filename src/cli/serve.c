/* A poll loop over a few connections. A request is one GET, or one POST of a short text; an answer is written as fast as the other side reads it.
 * Requests with the name of another host are refused, so that a page of another site cannot read the served page by DNS rebinding. */
#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 32, MOST_REQUEST = 8192, PATIENCE = 10 }; /* seconds for a request to arrive */

/* A text to send, shared by all connections that send it. */
typedef struct document {
    int users;
    size_t length;
    char *text;
} document;

typedef enum stage { FREE, READING, SENDING, LISTENING } stage;

typedef struct client {
    stage stage;
    int socket;
    time_t since;        /* time of the last activity */
    unsigned long order; /* in which it connected */
    char request[MOST_REQUEST];
    size_t got;
    char head[512];
    size_t head_length, sent; /* of head, then body */
    document *body;           /* NULL: there is only a head */
    document *next;           /* of a stream: the next document; NULL: none */
} client;

enum { TOKEN = 32 }; /* hexadecimal digits */

struct dal_server {
    int socket, port;
    char token[TOKEN + 1];
    document *page;
    unsigned long accepted;       /* connections so far */
    document *first_event;        /* the first document of a new stream; NULL: none */
    dal_server_receiver *receive; /* gets the texts that a page sends; NULL: they are refused */
    void *user;
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

/* With one user; the text belongs to it. NULL without memory. */
static document *make_document(char *text, size_t length)
{
    document *d = malloc(sizeof *d);
    if (d)
        *d = (document){1, length, text};
    else
        free(text);
    return d;
}

static document *share(document *d)
{
    if (d)
        d->users++;
    return d;
}

void dal_server_show(dal_server *server, char *text, size_t length)
{
    document *d = make_document(text, length);
    if (!d)
        return;
    let_go(server->page);
    server->page = d;
}

/* ---- opening and closing ----------------------------------------------------------- */

static dal_server *fail(dal_server *server, const char *command, int port, const char *doing)
{
    if (command)
        fprintf(stderr, "dalembert %s: error: cannot %s port %d of this machine: %s\n", command, doing, port, strerror(errno));
    dal_server_close(server);
    return NULL;
}

/* A random word that cannot be guessed. */
static bool make_token(char token[TOKEN + 1])
{
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

dal_server *dal_server_open(const char *command, int port)
{
    dal_server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int yes = 1;
    if (!server)
        return NULL;
    server->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->socket < 0 || !make_token(server->token))
        return fail(server, command, port, "open");
    setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server->socket, (const struct sockaddr *)&address, size) || listen(server->socket, SOMAXCONN) ||
        getsockname(server->socket, (struct sockaddr *)&address, &size))
        return fail(server, command, port, "listen at");
    server->port = ntohs(address.sin_port);
    return server;
}

int dal_server_port(const dal_server *server)
{
    return server->port;
}

const char *dal_server_token(const dal_server *server)
{
    return server->token;
}

static void close_connection(client *c)
{
    if (c->stage == FREE)
        return;
    close(c->socket);
    let_go(c->body);
    let_go(c->next);
    *c = (client){.stage = FREE};
}

void dal_server_close(dal_server *server)
{
    if (!server)
        return;
    for (int i = 0; i < MOST_CLIENTS; i++)
        close_connection(&server->client[i]);
    if (server->socket >= 0)
        close(server->socket);
    let_go(server->page);
    let_go(server->first_event);
    free(server);
}

static size_t left_to_send(const client *c)
{
    return c->head_length + (c->body ? c->body->length : 0) - c->sent;
}

/* ---- answers ------------------------------------------------------------------------- */

static void answer(client *c, const char *status, const char *type, document *body, size_t length)
{
    c->head_length = (size_t)snprintf(c->head, sizeof c->head,
                                      "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                                      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
                                      status, type, length);
    c->sent = 0;
    c->body = share(body);
    c->stage = SENDING;
}

static void answer_plainly(client *c, const char *status)
{
    answer(c, status, "text/plain; charset=utf-8", NULL, strlen(status) + 1);
    c->head_length += (size_t)snprintf(c->head + c->head_length, sizeof c->head - c->head_length, "%s\n", status);
}

static void begin_stream(const dal_server *server, client *c)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                               "no-store\r\nConnection: keep-alive\r\n\r\n"
                               "retry: 500\n\n";
    c->stage = LISTENING;
    c->head_length = (size_t)snprintf(c->head, sizeof c->head, "%s", head);
    c->sent = 0;
    c->body = share(server->first_event);
}

/* Queues an event after the one that is being sent; it replaces an older event that is still waiting. */
static void queue_event(client *c, document *event)
{
    document **place = left_to_send(c) ? &c->next : &c->body;
    if (!left_to_send(c))
        c->since = time(NULL); /* its time limit begins now */
    let_go(*place);
    *place = share(event);
}

/* The value of a header in a request that ends with a zero; false: it is missing. */
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

/* The part of the path after the token; NULL: the token is missing or wrong. All characters are compared, so that the time does not depend on how
 * many are right. */
static const char *behind_token(const dal_server *server, const char *path)
{
    unsigned char wrong = path[0] != '/';
    if (strlen(path) < TOKEN + 2)
        return NULL;
    for (int i = 0; i < TOKEN; i++)
        wrong |= (unsigned char)(path[1 + i] ^ server->token[i]);
    return wrong || path[1 + TOKEN] != '/' ? NULL : path + 2 + TOKEN;
}

/* Was the request sent by our own page? Any page of this browser that knows the token could send one, but the browser adds its origin. */
static bool from_our_page(const char *request)
{
    char host[64], origin[80], wanted[80];
    if (!find_header(request, "Host", host, sizeof host) || !find_header(request, "Origin", origin, sizeof origin))
        return false;
    snprintf(wanted, sizeof wanted, "http://%s", host);
    return !strcasecmp(origin, wanted);
}

/* A text that a page sends; `body` ends with a zero. */
static void receive_text(dal_server *server, client *c, const char *body)
{
    const char *refused = !from_our_page(c->request)                             ? "403 only the page that is served here may send something"
                          : strlen(body) != (size_t)(c->request + c->got - body) ? "400 what was sent is not text"
                                                                                 : server->receive(server->user, body);
    answer_plainly(c, refused ? refused : "202 it runs");
}

static void respond_to_get(dal_server *server, client *c, const char *name)
{
    if (!strcmp(name, "events"))
        begin_stream(server, c);
    else if (*name)
        answer_plainly(c, "404 there is one page here");
    else if (!server->page)
        answer_plainly(c, "503 the page is not ready");
    else
        answer(c, "200 OK", "text/html; charset=utf-8", server->page, server->page->length);
}

/* The head ends where `body` begins, and with a zero. */
static void respond(dal_server *server, client *c, const char *body)
{
    char path[TOKEN + 64] = "";
    const bool get = sscanf(c->request, "GET %95s HTTP/1.", path) == 1, post = !get && sscanf(c->request, "POST %95s HTTP/1.", path) == 1;
    const char *name = behind_token(server, path);
    if (!get && !post)
        answer_plainly(c, "405 only GET is answered here");
    else if (!is_ours(server, c->request))
        answer_plainly(c, "403 this server answers to 127.0.0.1 and localhost");
    else if (!name)
        answer_plainly(c, "404 there is nothing here: use the whole address that was printed");
    else if (get)
        respond_to_get(server, c, name);
    else if (!server->receive || strcmp(name, "values"))
        answer_plainly(c, "405 only GET is answered here");
    else
        receive_text(server, c, body);
}

/* ---- the loop -------------------------------------------------------------------------- */

/* The number of bytes after the head, by Content-Length; -1: it is not a number, or too large. */
static long announced(const char *head)
{
    char text[16], *end;
    if (!find_header(head, "Content-Length", text, sizeof text))
        return 0;
    const long n = strtol(text, &end, 10);
    return *text < '0' || *text > '9' || *end || n > MOST_REQUEST ? -1 : n;
}

/* A complete request is answered; so is one that can never be complete. */
static void understand(dal_server *server, client *c)
{
    char *end = memmem(c->request, c->got, "\r\n\r\n", 4);
    if (end) {
        char *body = end + 4;
        end[2] = '\0'; /* headers are not searched in the body */
        const long length = announced(c->request);
        const size_t room = sizeof c->request - 1 - (size_t)(body - c->request), got = c->got - (size_t)(body - c->request);
        if (length < 0 || (size_t)length > room) {
            answer_plainly(c, "413 the request is too large");
            return;
        }
        if (got >= (size_t)length) {
            c->got = (size_t)(body - c->request) + (size_t)length;
            c->request[c->got] = '\0';
            respond(server, c, body);
            return;
        }
        end[2] = '\r';
    }
    if (c->got == sizeof c->request - 1)
        answer_plainly(c, "431 the request is too long");
}

static void receive(dal_server *server, client *c)
{
    char rest[256];
    if (c->stage != READING) { /* a stream sends no data; only its end can be received */
        if (recv(c->socket, rest, sizeof rest, 0) <= 0)
            close_connection(c);
        return;
    }
    ssize_t n = recv(c->socket, c->request + c->got, sizeof c->request - 1 - c->got, 0);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            close_connection(c);
        return;
    }
    c->got += (size_t)n;
    c->request[c->got] = '\0';
    understand(server, c);
}

/* Everything is sent: an answer is finished; a stream continues with its next document. */
static void turn_to_the_next(client *c)
{
    if (c->stage == SENDING) {
        shutdown(c->socket, SHUT_WR);
        close_connection(c);
        return;
    }
    let_go(c->body);
    c->body = c->next;
    c->next = NULL;
    c->head_length = c->sent = 0;
}

static void transmit(client *c)
{
    const bool in_head = c->sent < c->head_length;
    const char *from = in_head ? c->head + c->sent : c->body->text + (c->sent - c->head_length);
    const size_t left = in_head ? c->head_length - c->sent : left_to_send(c);
    ssize_t n = send(c->socket, from, left, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        close_connection(c);
        return;
    }
    c->sent += n > 0 ? (size_t)n : 0;
    c->since = n > 0 ? time(NULL) : c->since;
    if (!left_to_send(c))
        turn_to_the_next(c);
}

/* A place for a new client: a free one, or that of the client that has been idle for the longest time; clients that are receiving data are the last
 * choice. */
static client *make_place(dal_server *server)
{
    client *oldest = NULL;
    for (int i = 0; i < MOST_CLIENTS; i++) {
        client *c = &server->client[i];
        if (c->stage == FREE)
            return c;
        const bool busy = left_to_send(c) > 0, other = oldest && left_to_send(oldest) > 0;
        if (!oldest || (other && !busy) || (other == busy && c->order < oldest->order))
            oldest = c;
    }
    close_connection(oldest);
    return oldest;
}

static void accept_clients(dal_server *server)
{
    for (int i = 0; i < MOST_CLIENTS; i++) {
        int socket = accept4(server->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0)
            return;
        client *c = make_place(server);
        c->stage = READING;
        c->socket = socket;
        c->since = time(NULL);
        c->order = server->accepted++;
    }
}

static void forget_the_slow(dal_server *server)
{
    const time_t now = time(NULL);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if ((server->client[i].stage == READING || left_to_send(&server->client[i])) && now - server->client[i].since > PATIENCE)
            close_connection(&server->client[i]);
}

static void serve(dal_server *server, client *c, short events)
{
    if (events && c->stage != SENDING && events != POLLOUT)
        receive(server, c);
    if (c->stage != FREE && (events & (POLLOUT | POLLERR | POLLHUP)) && left_to_send(c))
        transmit(c);
}

void dal_server_turn(dal_server *server, int milliseconds)
{
    struct pollfd watched[MOST_CLIENTS + 1] = {{.fd = server->socket, .events = POLLIN}};
    for (int i = 0; i < MOST_CLIENTS; i++) {
        const client *c = &server->client[i];
        watched[i + 1].fd = c->stage == FREE ? -1 : c->socket;
        watched[i + 1].events = (short)((c->stage == SENDING ? 0 : POLLIN) | (left_to_send(c) ? POLLOUT : 0));
    }
    if (poll(watched, MOST_CLIENTS + 1, milliseconds) > 0) {
        for (int i = 0; i < MOST_CLIENTS; i++)
            serve(server, &server->client[i], watched[i + 1].revents);
        if (watched[0].revents)
            accept_clients(server);
    }
    forget_the_slow(server);
}

void dal_server_send(dal_server *server, const char *event, const char *data, bool keep)
{
    char *text = NULL;
    const int length = asprintf(&text, "event: %s\ndata: %s\n\n", event, data);
    document *d = length < 0 ? NULL : make_document(text, (size_t)length);
    if (!d)
        return;
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (server->client[i].stage == LISTENING)
            queue_event(&server->client[i], d);
    let_go(server->first_event);
    server->first_event = keep ? share(d) : NULL;
    let_go(d);
}

void dal_server_receive(dal_server *server, dal_server_receiver *take, void *user)
{
    server->receive = take;
    server->user = user;
}

int dal_server_listeners(const dal_server *server)
{
    int n = 0;
    for (int i = 0; i < MOST_CLIENTS; i++)
        n += server->client[i].stage == LISTENING;
    return n;
}
