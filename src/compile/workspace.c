/* The block of memory that compiles reuse, one after the other: workspace.h. */
#include "compile/workspace.h"

#include <stdint.h>

enum { ALIGNMENT = 64, LARGEST = 4 << 20 }; /* bytes that are kept between two compiles */

dal_workspace *dal_workspace_create(const dal_allocator *below)
{
    dal_workspace *workspace = below->allocate(below->user, sizeof *workspace);
    if (workspace)
        *workspace = (dal_workspace){.below = *below};
    return workspace;
}

void dal_workspace_free(dal_workspace *workspace)
{
    if (!workspace)
        return;
    const dal_allocator below = workspace->below;
    below.release(below.user, workspace->block);
    below.release(below.user, workspace);
}

static void *allocate_in_workspace(void *user, size_t bytes)
{
    dal_workspace *w = user;
    if (bytes > SIZE_MAX / 4)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->wanted += bytes;
    if (w->size - w->used < bytes)
        return w->below.allocate(w->below.user, bytes);
    w->used += bytes;
    return w->block + (w->used - bytes);
}

static void release_room(void *user, void *memory)
{
    dal_workspace *w = user;
    const uintptr_t at = (uintptr_t)memory, block = (uintptr_t)w->block;
    if (memory && (at < block || at >= block + w->size))
        w->below.release(w->below.user, memory);
}

dal_allocator dal_workspace_open(dal_workspace *workspace)
{
    workspace->used = workspace->wanted = 0;
    return (dal_allocator){allocate_in_workspace, release_room, workspace};
}

void dal_workspace_close(dal_workspace *w)
{
    if (w->wanted <= w->size || w->wanted > LARGEST)
        return;
    w->below.release(w->below.user, w->block);
    w->size = w->wanted + w->wanted / 4;
    w->block = w->below.allocate(w->below.user, w->size);
    if (!w->block)
        w->size = 0;
}
