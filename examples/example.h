/* What the examples share: give up with the messages. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "dalembert/dalembert.h"

#include <stdio.h>
#include <stdlib.h>

static inline void print_messages(const dal_messages *messages)
{
    char line[1024];
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next) {
        dal_message_format(m, line, sizeof line);
        printf("%s\n", line);
    }
}

/* Every call that can fail returns a dal_status and has put a sentence into `messages`. */
static inline void need(dal_status status, const dal_messages *messages)
{
    if (status == DAL_OK)
        return;
    print_messages(messages);
    exit((int)status);
}

#endif
