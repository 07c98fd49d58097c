/* A server of one page for browsers on this machine: loopback only. GET, and one short text by POST.
 *
 *     /TOKEN/         the page
 *     /TOKEN/events   a stream of server-sent events, kept open
 *     /TOKEN/values   POST: a text of a few kilobytes at most, from the page itself (its Origin is compared)
 *
 * The token is a word of 128 random bits: requests without it get the answer that there is nothing. There are places for some tens of
 * connections; a new one takes the place of the one that has been idle for the longest time.
 *
 * Everything happens inside dal_server_turn; no call blocks longer than its argument.
 */
#ifndef DAL_CLI_SERVE_H
#define DAL_CLI_SERVE_H

#include "dalembert/base.h"

typedef struct dal_server dal_server;

/* port 0: any that is free. NULL after a message on standard error that begins with "dalembert COMMAND" (NULL: silently). */
dal_server *dal_server_open(const char *command, int port);
/* The port that it listens at. */
int dal_server_port(const dal_server *server);
/* The word that an address needs. */
const char *dal_server_token(const dal_server *server);
/* The page from now on; the server owns `text` (from malloc). What is being sent is sent to its end. */
void dal_server_show(dal_server *server, char *text, size_t length);
/* An event to every stream that is open; `data` is one line of any length. A kept event is sent to every new stream as well, until the next event. To
 * a stream that is slow only the last event is sent behind the one that it is reading. */
void dal_server_send(dal_server *server, const char *event, const char *data, bool keep);
/* Called inside dal_server_turn with a text that the page sent: any bytes but zero. NULL: it is taken; otherwise the code and the sentence of the answer. */
typedef const char *dal_server_taker(void *user, const char *text);
void dal_server_take(dal_server *server, dal_server_taker *take, void *user);
int dal_server_listeners(const dal_server *server); /* streams that are open */
/* Serve, at most so long. */
void dal_server_turn(dal_server *server, int milliseconds);
/* All connections are closed; accepts NULL. */
void dal_server_close(dal_server *server);

#endif
