#include "base/argument.h"

bool dal_needs(dal_messages *messages, const char *function, const char *argument, const void *pointer)
{
    if (!pointer)
        dal_error(messages, dal_nowhere, "%s: '%s' is NULL", function, argument);
    return pointer;
}

bool dal_can_allocate(const dal_allocator *allocator)
{
    return !allocator || (allocator->allocate && allocator->release);
}

bool dal_needs_allocator(dal_messages *messages, const char *function, const dal_allocator *allocator)
{
    if (!dal_can_allocate(allocator))
        dal_error(messages, dal_nowhere, "%s: the allocator has no function '%s' (NULL)", function, allocator->allocate ? "release" : "allocate");
    return dal_can_allocate(allocator);
}

bool dal_needs_array(dal_messages *messages, const char *function, const char *argument, int n, const void *array)
{
    if (n < 0)
        dal_error(messages, dal_nowhere, "%s: the number of '%s' is %d, and cannot be negative", function, argument, n);
    else if (n > 0 && !array)
        dal_error(messages, dal_nowhere, "%s: %d of '%s' are announced, and there are none (NULL)", function, n, argument);
    else
        return true;
    return false;
}
