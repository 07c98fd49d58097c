#include "cli/json.h"
#include "cli/cli.h"

#include <math.h>

void dal_put_key(const char *key)
{
    printf("\"%s\": ", key);
}

void dal_put_string(const char *key, const char *text)
{
    dal_put_key(key);
    if (text)
        dal_print_json_string(stdout, text);
    else
        fputs("null", stdout);
    fputs(", ", stdout);
}

void dal_put_number(const char *key, double value)
{
    dal_put_key(key);
    if (isfinite(value))
        printf("%.17g, ", value);
    else
        fputs("null, ", stdout);
}

void dal_put_integer(const char *key, long value)
{
    printf("\"%s\": %ld, ", key, value);
}

void dal_put_truth(const char *key, bool value)
{
    printf("\"%s\": %s, ", key, value ? "true" : "false");
}
