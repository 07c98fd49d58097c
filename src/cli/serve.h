/* A server of one page for browsers on this machine: loopback only. GET, and one short text by POST.
 *
 *     /TOKEN/         the page
 *     /TOKEN/events   a stream of server-sent events, kept open
 *     /TOKEN/values   POST: a text of a few kilobytes at most, from the page itself (its Origin is compared)
 *
 * The token is a word of 128 random bits: requests without it get status 404. There are places for some tens of connections; a new one replaces the
 * one that has been idle for the longest time.
 *
 * Everything happens inside dal_server_turn; no call blocks longer than its argument.
 */
#ifndef DAL_CLI_SERVE_H
#define DAL_CLI_SERVE_H

#include "dalembert/base.h"

typedef struct dal_server dal_server;

/* port 0: any that is free. NULL after a message on standard error that begins with "dalembert COMMAND" (NULL: silently). */
dal_server *dal_server_open(const char *command, int port);
/* The port of the server. */
int dal_server_port(const dal_server *server);
/* The token of its addresses. */
const char *dal_server_token(const dal_server *server);
/* Sets the page; the server owns `text` (from malloc). Answers that are being sent are completed with the old page. */
void dal_server_show(dal_server *server, char *text, size_t length);
/* An event to every stream that is open; `data` is one line of any length. A kept event is sent to every new stream as well, until the next event. A
 * slow stream gets only the last event after the one that it is reading. */
void dal_server_send(dal_server *server, const char *event, const char *data, bool keep);
/* Called inside dal_server_turn with a text that the page sent: any bytes except zero. Returns NULL: it is accepted; otherwise the code and the
 * sentence of the answer. */
typedef const char *dal_server_receiver(void *user, const char *text);
void dal_server_receive(dal_server *server, dal_server_receiver *take, void *user);
int dal_server_listeners(const dal_server *server); /* streams that are open */
/* Serves, at most for this time. */
void dal_server_turn(dal_server *server, int milliseconds);
/* All connections are closed; accepts NULL. */
void dal_server_close(dal_server *server);

#endif
