/* A model with mistakes: all that the text alone shows are reported at once, each with its place, and nothing was printed by the library. */
#include "example.h"

#include <string.h>

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "bodies:\n"
                            "  rod: {mass: 1.5, inertai: 0.18}\n"
                            "  bob: {inertia: 0.2, position: [0, 0, 1]}\n"
                            "joints:\n"
                            "  pivot: {type: revolute, conect: [ground, rod]}\n";

int main(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_status status = dal_spec_parse(NULL, "wrong.yaml", model, strlen(model), 0, NULL, messages, &spec);
    print_messages(messages);
    printf("%d errors; status %d: %s\n", dal_messages_count(messages, DAL_ERROR), (int)status, dal_status_text(status));
    dal_spec_free(spec); /* NULL is fine */
    dal_messages_free(messages);
    return 0;
}
