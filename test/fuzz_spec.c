/* libFuzzer: no text, however broken, may crash the reader, leak, or be accepted with an error. */
#include "dalembert/spec.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    const dal_override override = {"r", "0.5"};
    dal_status status = dal_spec_parse(NULL, "fuzz.yaml", (const char *)data, size, size % 7 == 0, &override, messages, &spec);
    if ((status == DAL_OK) != (spec != NULL) || (status == DAL_OK) != (dal_messages_count(messages, DAL_ERROR) == 0))
        abort();
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
