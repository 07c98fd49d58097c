/* Checks of the arguments of public functions (include/). Each check returns whether an argument can be used; if not, it adds a message that names
 * the function and the argument. */
#ifndef DAL_BASE_ARGUMENT_H
#define DAL_BASE_ARGUMENT_H

#include "base/message.h"

/* A pointer that must not be NULL. */
bool dal_needs(dal_messages *messages, const char *function, const char *argument, const void *pointer);
/* NULL is malloc; both functions of another one are needed. */
bool dal_can_allocate(const dal_allocator *allocator);
/* The same with a sentence. */
bool dal_needs_allocator(dal_messages *messages, const char *function, const dal_allocator *allocator);
/* `n` entries, where 0 needs no array. */
bool dal_needs_array(dal_messages *messages, const char *function, const char *argument, int n, const void *array);

#define DAL_NEEDS(messages, pointer) dal_needs((messages), __func__, #pointer, (pointer))
#define DAL_NEEDS_ALLOCATOR(messages, allocator) dal_needs_allocator((messages), __func__, (allocator))
#define DAL_NEEDS_ARRAY(messages, n, array) dal_needs_array((messages), __func__, #array, (n), (array))

#endif
