/* The order in which loops are eliminated, and every place that elimination touches: found once, from the topology alone. */
#include "tree/loops.h"

#include <string.h>

/* A set of small numbers with the entry of L that belongs to each. */
typedef struct neighbours {
    int n;
    size_t cap_item, cap_entry;
    int *item, *entry;
} neighbours;

/* A front while it is being ordered: its rows, and which of them share entries of L. */
typedef struct draft {
    int n;
    size_t capacity;
    int *row;
} draft;

typedef struct builder {
    dal_arena *arena;
    const dal_links *links;
    dal_loops *loops;
    const dal_loop_side *sides;
    draft *draft;      /* of each front */
    int *node;         /* of each row: the front where it is complete */
    int *local;        /* of each row: its place in the present front */
    int *next, *first; /* links by their parents: first child of each front, next sibling */
    size_t cap_pivots, cap_below, cap_targets, cap_pairs;
} builder;

static int parent_front(const dal_links *links, int front)
{
    return links->link[front].parent < 0 ? links->n : links->link[front].parent;
}

/* ---- which rows pass where ------------------------------------------------------ */

static int depth_of(const dal_links *links, int link)
{
    int depth = 0;
    for (; link >= 0; link = links->link[link].parent)
        depth++;
    return depth;
}

/* The last link on the ways of both to the ground, -1: the ground. */
static int meet(const dal_links *links, int a, int b)
{
    int depth_a = depth_of(links, a), depth_b = depth_of(links, b);
    for (; depth_a > depth_b; depth_a--)
        a = links->link[a].parent;
    for (; depth_b > depth_a; depth_b--)
        b = links->link[b].parent;
    while (a != b) {
        a = links->link[a].parent;
        b = links->link[b].parent;
    }
    return a;
}

static void add_row(builder *b, int front, int row)
{
    draft *d = &b->draft[front];
    *DAL_PUSH(b->arena, d->row, d->n, d->capacity) = row;
}

/* Sides come row by row. */
static void trace_rows(builder *b, const bool *relative)
{
    const dal_links *links = b->links;
    int *seen = DAL_NEW(b->arena, int, links->n + 1); /* row + 1 */
    for (int s = 0; s < b->loops->n_sides;) {
        const int row = b->sides[s].row;
        int end = s, node = relative[row] ? b->sides[s].link : -1;
        for (; end < b->loops->n_sides && b->sides[end].row == row; end++)
            if (relative[row])
                node = meet(links, node, b->sides[end].link);
        b->node[row] = node < 0 ? links->n : node;
        add_row(b, b->node[row], row);
        seen[b->node[row]] = row + 1;
        for (; s < end; s++)
            for (int i = b->sides[s].link; i >= 0 && i != node && seen[i] != row + 1; i = links->link[i].parent) {
                add_row(b, i, row);
                seen[i] = row + 1;
            }
    }
    for (int row = 0; row < b->loops->n_rows; row++)
        if (b->node[row] < 0) { /* it acts on nothing that moves */
            b->node[row] = links->n;
            add_row(b, links->n, row);
        }
}

/* ---- one front -------------------------------------------------------------------- */

static int entry_of(const neighbours *set, int other)
{
    for (int k = 0; k < set->n; k++)
        if (set->item[k] == other)
            return set->entry[k];
    return -1;
}

static void join_one(builder *b, neighbours *set, int other, int entry)
{
    int n = set->n;
    *DAL_PUSH(b->arena, set->item, n, set->cap_item) = other;
    *DAL_PUSH(b->arena, set->entry, set->n, set->cap_entry) = entry;
}

static void join(builder *b, neighbours *set, int x, int y)
{
    if (entry_of(&set[x], y) >= 0)
        return;
    const int entry = b->loops->n_entries++;
    join_one(b, &set[x], y, entry);
    if (x != y)
        join_one(b, &set[y], x, entry);
}

static bool is_open(const builder *b, int front, int row)
{
    return b->node[row] != front;
}

/* Has the front complete rows? The ground counts as one that has. */
static bool eliminates(const builder *b, int front)
{
    const draft *d = &b->draft[front];
    if (front == b->links->n)
        return true;
    for (int i = 0; i < d->n; i++)
        if (!is_open(b, front, d->row[i]))
            return true;
    return false;
}

/* Entries that the children bring: the open rows of a child are coupled, all with all; they include those of its subtree. */
static void join_children(builder *b, int front, neighbours *set)
{
    for (int child = b->first[front]; child >= 0; child = b->next[child]) {
        const draft *d = &b->draft[child];
        for (int i = 0; i < d->n; i++)
            for (int k = 0; k <= i; k++)
                if (is_open(b, child, d->row[i]) && is_open(b, child, d->row[k]))
                    join(b, set, b->local[d->row[i]], b->local[d->row[k]]);
    }
}

static int waiting(const neighbours *set, const int *place)
{
    int n = 0;
    for (int k = 0; k < set->n; k++)
        n += place[set->item[k]] < 0;
    return n;
}

/* The complete rows by least degree; elimination joins their neighbours; place[]: the position of each row of the draft, or -1 (open). */
static void find_order_of_front(builder *b, int front, neighbours *set, int *place)
{
    const draft *d = &b->draft[front];
    int *degree = DAL_NEW(b->arena, int, d->n), left = 0, done = 0;
    for (int i = 0; i < d->n; i++) {
        place[i] = -1;
        left += !is_open(b, front, d->row[i]);
        degree[i] = set[i].n;
    }
    for (; done < left; done++) {
        int best = -1;
        for (int i = 0; i < d->n; i++)
            if (place[i] < 0 && !is_open(b, front, d->row[i]) && (best < 0 || degree[i] < degree[best]))
                best = i;
        place[best] = done;
        for (int k = 0; k < set[best].n; k++)
            for (int l = 0; l <= k; l++) {
                const int x = set[best].item[k], y = set[best].item[l];
                if (place[x] < 0 && place[y] < 0)
                    join(b, set, x, y);
            }
        for (int k = 0; k < set[best].n; k++)
            degree[set[best].item[k]] = waiting(&set[set[best].item[k]], place);
    }
    for (int i = 0; i < d->n; i++)
        if (place[i] < 0)
            place[i] = done++;
}

/* Pivots in their order: entries below, and where the outer product goes. */
static void list_pivots(builder *b, dal_loop_front *front, const neighbours *set, const int *place, const int *at)
{
    dal_loops *loops = b->loops;
    front->pivot = loops->n_pivots;
    for (int j = 0; j < front->n_eliminated; j++) {
        const neighbours *own = &set[at[j]];
        dal_loop_pivot *pivot = DAL_PUSH(b->arena, loops->pivot, loops->n_pivots, b->cap_pivots);
        *pivot = (dal_loop_pivot){.diagonal = entry_of(own, at[j]), .below = loops->n_below, .target = loops->n_targets};
        for (int k = 0; k < own->n; k++)
            if (place[own->item[k]] > j)
                *DAL_PUSH(b->arena, loops->below, loops->n_below, b->cap_below) = (dal_loop_below){front->slot + place[own->item[k]], own->entry[k]};
        pivot->n = loops->n_below - pivot->below;
        for (int x = 0; x < pivot->n; x++)
            for (int y = 0; y <= x; y++) {
                const int one = at[loops->below[pivot->below + x].slot - front->slot], other = at[loops->below[pivot->below + y].slot - front->slot];
                *DAL_PUSH(b->arena, loops->target, loops->n_targets, b->cap_targets) = entry_of(&set[one], other);
            }
    }
}

/* Order one front; `kept`: its sets, for the pairs of its children and its own. */
static neighbours *order_front(builder *b, int f, dal_loop_front *front)
{
    draft *d = &b->draft[f];
    neighbours *set = DAL_NEW(b->arena, neighbours, d->n);
    int *place = DAL_NEW(b->arena, int, d->n), *at = DAL_NEW(b->arena, int, d->n), *row = DAL_NEW(b->arena, int, d->n);
    for (int i = 0; i < d->n; i++)
        b->local[d->row[i]] = i;
    if (eliminates(b, f)) {
        for (int i = 0; i < d->n; i++)
            join(b, set, i, i);
        join_children(b, f, set);
    }
    find_order_of_front(b, f, set, place);
    *front = (dal_loop_front){.slot = b->loops->n_slots, .n_slots = d->n};
    b->loops->n_slots += d->n;
    for (int i = 0; i < d->n; i++) {
        at[place[i]] = i;
        row[place[i]] = d->row[i];
        front->n_eliminated += !is_open(b, f, d->row[i]);
    }
    list_pivots(b, front, set, place, at);
    neighbours *sorted = DAL_NEW(b->arena, neighbours, d->n); /* by place, in terms of places */
    for (int i = 0; i < d->n; i++) {
        sorted[place[i]] = set[i];
        for (int k = 0; k < set[i].n; k++)
            set[i].item[k] = place[set[i].item[k]];
    }
    if (d->n)
        memcpy(d->row, row, sizeof *row * (size_t)d->n);
    return sorted;
}

/* Where the open rows of a link go: K and g to its parent, whose slots are in b->local. */
static void lift(builder *b, int i, dal_loop_front *front, const dal_loop_front *parent)
{
    dal_loops *loops = b->loops;
    for (int x = front->n_eliminated; x < front->n_slots; x++)
        loops->slot_up[front->slot + x] = parent->slot + b->local[b->draft[i].row[x]];
    front->heavy = loops->n_heavy;
    if (b->links->link[i].kind == DAL_LINK_BALL || b->links->link[i].kind == DAL_LINK_FREE)
        loops->n_heavy += front->n_slots - front->n_eliminated;
}

/* L to the next front that eliminates: their slots are in b->local. */
static void deposit(builder *b, int i, dal_loop_front *front, const neighbours *own, const neighbours *above)
{
    dal_loops *loops = b->loops;
    const int *row = b->draft[i].row;
    front->pair = loops->n_pairs;
    for (int x = front->n_eliminated; x < front->n_slots; x++)
        for (int y = front->n_eliminated; y <= x; y++)
            *DAL_PUSH(b->arena, loops->pair, loops->n_pairs, b->cap_pairs) =
                (dal_loop_pair){entry_of(&own[x], y), entry_of(&above[b->local[row[x]]], b->local[row[y]])};
}

/* Links by the next front on their way to the ground that eliminates, ascending. */
static void list_deposits(builder *b, int *first, int *next)
{
    const dal_links *links = b->links;
    int *target = DAL_NEW(b->arena, int, links->n);
    for (int f = 0; f <= links->n; f++)
        first[f] = -1;
    for (int i = 0; i < links->n; i++) {
        const int parent = parent_front(links, i);
        target[i] = eliminates(b, parent) ? parent : target[parent];
    }
    for (int i = links->n - 1; i >= 0; i--) {
        next[i] = first[target[i]];
        first[target[i]] = i;
    }
}

static void list_children(builder *b)
{
    const dal_links *links = b->links;
    b->first = DAL_NEW(b->arena, int, links->n + 1);
    b->next = DAL_NEW(b->arena, int, links->n + 1);
    for (int f = 0; f <= links->n; f++)
        b->first[f] = b->next[f] = -1;
    for (int i = links->n - 1; i >= 0; i--) {
        const int p = parent_front(links, i);
        b->next[i] = b->first[p];
        b->first[p] = i;
    }
}

static void place_sides(builder *b)
{
    dal_loops *loops = b->loops;
    loops->side_slot = DAL_NEW(b->arena, int, loops->n_sides);
    for (int s = 0; s < loops->n_sides; s++) {
        const dal_loop_front *front = &loops->front[b->sides[s].link];
        int k = 0;
        while (loops->slot_row[front->slot + k] != b->sides[s].row)
            k++;
        loops->side_slot[s] = front->slot + k;
    }
}

dal_loops *dal_loops_build(dal_arena *arena, const dal_links *links, int n_rows, const bool *relative, int n_sides, const dal_loop_side *sides)
{
    dal_loops *loops = DAL_NEW(arena, dal_loops, 1);
    const int n_fronts = links->n + 1;
    builder b = {.arena = arena, .links = links, .loops = loops, .sides = sides};
    neighbours **sets = DAL_NEW(arena, neighbours *, n_fronts);
    loops->n_rows = n_rows;
    loops->n_sides = n_sides;
    loops->n_links = links->n;
    loops->front = DAL_NEW(arena, dal_loop_front, n_fronts);
    loops->side = DAL_NEW(arena, dal_loop_side, n_sides);
    if (n_sides)
        memcpy(loops->side, sides, sizeof *sides * (size_t)n_sides);
    b.draft = DAL_NEW(arena, draft, n_fronts);
    b.node = DAL_NEW(arena, int, n_rows);
    b.local = DAL_NEW(arena, int, n_rows);
    memset(b.node, -1, sizeof *b.node * (size_t)n_rows);
    list_children(&b);
    trace_rows(&b, relative);
    for (int f = 0; f < n_fronts; f++)
        sets[f] = order_front(&b, f, &loops->front[f]);
    int *first = DAL_NEW(arena, int, n_fronts), *next = DAL_NEW(arena, int, n_fronts);
    list_deposits(&b, first, next);
    loops->slot_row = DAL_NEW(arena, int, loops->n_slots);
    loops->slot_up = DAL_NEW(arena, int, loops->n_slots);
    for (int k = 0; k < loops->n_slots; k++)
        loops->slot_up[k] = -1;
    loops->hit = DAL_NEW(arena, bool, links->n);
    for (int f = 0; f < n_fronts; f++) {
        const dal_loop_front *front = &loops->front[f];
        for (int k = 0; k < front->n_slots; k++) {
            loops->slot_row[front->slot + k] = b.draft[f].row[k];
            b.local[b.draft[f].row[k]] = k;
        }
        if (f < links->n)
            loops->hit[f] = front->n_slots > 0;
        for (int child = b.first[f]; child >= 0; child = b.next[child])
            lift(&b, child, &loops->front[child], front);
        for (int i = first[f]; i >= 0; i = next[i])
            deposit(&b, i, &loops->front[i], sets[i], sets[f]);
    }
    place_sides(&b);
    return loops;
}

const dal_block_array dal_loops_arrays[] = {DAL_ENDS(dal_loops, front, n_links),
                                            DAL_ARRAY(dal_loops, pivot, n_pivots),
                                            DAL_ARRAY(dal_loops, below, n_below),
                                            DAL_ARRAY(dal_loops, target, n_targets),
                                            DAL_ARRAY(dal_loops, pair, n_pairs),
                                            DAL_ARRAY(dal_loops, slot_row, n_slots),
                                            DAL_ARRAY(dal_loops, slot_up, n_slots),
                                            DAL_ARRAY(dal_loops, side, n_sides),
                                            DAL_ARRAY(dal_loops, side_slot, n_sides),
                                            DAL_ARRAY(dal_loops, hit, n_links),
                                            {0}};

/* ---- work space ----------------------------------------------------------------------- */

size_t dal_loops_work_size(const dal_loops *loops)
{
    return (size_t)(8 + 1 + 1) * (size_t)loops->n_slots + 8 * (size_t)loops->n_heavy + 6 * (size_t)loops->n_sides + 1 + (size_t)loops->n_entries +
           (size_t)loops->n_pivots + 4 * (size_t)loops->n_rows;
}

void dal_loops_work_layout(const dal_loops *loops, double *memory, dal_loops_work *work)
{
    work->K = (double(*)[8])memory;
    memory += 8 * (size_t)loops->n_slots;
    work->heavy = (double(*)[8])memory;
    memory += 8 * (size_t)loops->n_heavy;
    work->covector = (double(*)[6])memory;
    work->kappa = memory + 6 * (size_t)loops->n_sides + 1; /* v4_load3 reads one number more */
    work->entry = work->kappa + loops->n_slots;
    work->inverse = work->entry + loops->n_entries;
    work->g = work->inverse + loops->n_pivots;
    work->weight = work->g + loops->n_slots;
    work->lambda = work->weight + loops->n_rows;
}
