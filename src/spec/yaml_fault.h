/* Explains why libyaml refused a text, in terms of models. */
#ifndef DAL_SPEC_YAML_FAULT_H
#define DAL_SPEC_YAML_FAULT_H

#include "base/arena.h"
#include "base/message.h"

#include <yaml.h>

/* `source` is the text of `parser`. */
void dal_explain_yaml_fault(const yaml_parser_t *parser, dal_arena *arena, const char *file, const char *source, size_t length,
                            dal_messages *messages);

#endif
