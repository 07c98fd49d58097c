/* libFuzzer: no text, however broken, may crash the reader of URDF, leak, or be accepted with an error. A robot that was read can be
 * written as YAML, which is then read without an error and compiles if the robot does; it can be written as URDF, which is read again. */
#include "dalembert/dalembert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dal_spec *read_text(const char *name, const char *text, size_t size)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_status status = dal_spec_parse(NULL, name, text, size, 0, NULL, messages, &spec);
    if ((status == DAL_OK) != (spec != NULL) || (status == DAL_OK) != (dal_messages_count(messages, DAL_ERROR) == 0))
        abort();
    dal_messages_free(messages);
    return spec;
}

static dal_status compile(const dal_spec *spec)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    dal_status status = dal_compile(NULL, spec, messages, &system);
    if ((status == DAL_OK) != (system != NULL) || (status == DAL_OK) != (dal_messages_count(messages, DAL_ERROR) == 0))
        abort();
    dal_system_free(system);
    dal_messages_free(messages);
    return status;
}

static void convert_back(const dal_spec *yaml)
{
    dal_messages *messages = dal_messages_create(NULL);
    char *text = NULL;
    dal_status status = dal_to_urdf(NULL, yaml, messages, &text);
    if ((status == DAL_OK) != (text != NULL) || (status == DAL_OK) != (dal_messages_count(messages, DAL_ERROR) == 0))
        abort();
    if (text) {
        dal_spec *spec = read_text("back.urdf", text, strlen(text));
        if (!spec)
            abort();
        dal_spec_free(spec);
    }
    free(text);
    dal_messages_free(messages);
}

static void convert(const dal_spec *spec, dal_status compiles)
{
    char *text = NULL;
    if (dal_to_yaml(NULL, spec, NULL, &text) != DAL_OK)
        return;
    dal_spec *yaml = read_text("there.yaml", text, strlen(text));
    if (!yaml || compile(yaml) != compiles)
        abort();
    convert_back(yaml);
    dal_spec_free(yaml);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_spec *spec = read_text("fuzz.urdf", (const char *)data, size);
    if (spec && spec->n_bodies <= MOST_LINKS) {
        convert(spec, compile(spec));
    }
    dal_spec_free(spec);
    return 0;
}
