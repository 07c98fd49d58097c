/* The part of a state that one file owns, and how it is laid out. */
#ifndef DAL_STATE_OWNER_H
#define DAL_STATE_OWNER_H

#include "base/block.h"
#include "base/keep.h"
#include "dalembert/system.h"

/* What an owner does not need is NULL. */
typedef struct dal_owner {
    void (*layout)(dal_block *block, const dal_system *system, dal_state *state); /* called twice: to measure, then to lay out */
    bool (*open)(dal_state *state);                     /* memory of its own, after all are laid out; false: there is none */
    void (*reset)(dal_state *state);                    /* to the start of the system; before anything is evaluated */
    void (*start)(dal_state *state);                    /* a new start at work.q, work.v */
    void (*copy)(const dal_state *from, dal_state *to); /* the results of a run, to another state of the same system */
    void (*keep)(dal_state *state, dal_keep *keep);     /* all data on which later results depend, to a blob or from one */
    void (*close)(dal_state *state);                    /* memory of its own; the system may be gone */
} dal_owner;

/* Room for count of *pointer; for a part, which is a local one while the block is only measured. */
#define DAL_LAYOUT(block, pointer, count) ((pointer) = dal_block_alloc((block), sizeof *(pointer) * (size_t)(count)))
#define DAL_LAYOUT_ROOM(block, pointer, count) ((pointer) = dal_block_room((block), sizeof *(pointer) * (size_t)(count))) /* not cleared */
#define DAL_LAYOUT_PART(block, part, local) (DAL_LAYOUT(block, part, 1), (part) ? (part) : &(local))

#endif
