/* Whole texts of files: printed twice, the first time to count. */
#include "analysis/written.h"

dal_status dal_write_text(const dal_allocator *allocator, void (*write)(dal_printer *printer, const void *user), const void *user, char **text)
{
    const dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_printer p = {.buffer = NULL};
    write(&p, user);
    const size_t size = (size_t)p.length + 1;
    if (!(*text = source.allocate(source.user, size)))
        return DAL_NO_MEMORY;
    p = (dal_printer){.buffer = *text, .size = size};
    write(&p, user);
    return DAL_OK;
}
