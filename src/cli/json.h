/* Members of a JSON object on standard output, "key": value and a comma after it. */
#ifndef DAL_CLI_JSON_H
#define DAL_CLI_JSON_H

#include <stdbool.h>

void dal_put_key(const char *key);                      /* the value is up to the caller */
void dal_put_string(const char *key, const char *text); /* NULL is null */
void dal_put_number(const char *key, double value);     /* what is not finite is null */
void dal_put_integer(const char *key, long value);
void dal_put_truth(const char *key, bool value);

#endif
