/* Cutting the tree into blocks, and the rows in the order in which a sweep meets them. */
#include "tree/sweep.h"

#include "math/vec.h"

#include <string.h>

enum { MOST_IN_RING = 4096 }; /* links: more would not stay in any cache */

/* Rows of one joint, while they are collected. */
typedef struct draft {
    int row, n_rows;
    int low; /* the first block that it acts on */
} draft;

typedef struct builder {
    dal_arena *arena;
    const dal_links *links;
    const dal_loops *loops;
    const dal_layout *layout;
    dal_sweep *sweep;
    int enough;
    int *block_of;   /* of each link */
    int *first_side; /* of each row, n_rows + 1: of loops->side */
    size_t cap_blocks, cap_runs, cap_closures, cap_vectors, cap_rows, cap_terms, cap_watched;
} builder;

static const dal_row *row_of(const builder *b, int i)
{
    return &b->layout->mechanism->rows[b->layout->row[i].source];
}

/* ---- what can be swept ---------------------------------------------------------------- */

static bool is_single(dal_link_kind kind)
{
    return kind == DAL_LINK_TURN || kind == DAL_LINK_SHIFT || kind == DAL_LINK_SCREW;
}

/* Particles have no axes to turn a vector by. */
static bool suits_vector(const builder *b, int number)
{
    const dal_vector *x = &b->layout->mechanism->vectors[number];
    if (x->body == DAL_GROUND || !b->links->seat[x->body].particle)
        return true;
    return x->point && x->s[0] == 0 && x->s[1] == 0 && x->s[2] == 0;
}

static bool suits_row(const builder *b, int i)
{
    const dal_mechanism *m = b->layout->mechanism;
    const dal_row *row = row_of(b, i);
    if (row->form >= 0 || row->time >= 0 || row->n_terms > DAL_SWEEP_TERMS)
        return false;
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        if (measure->kind != DAL_MEASURE_DOT)
            return false;
        for (int j = 0; j < 4; j++)
            if (measure->vector[j] >= 0 && !suits_vector(b, measure->vector[j]))
                return false;
    }
    return true;
}

static bool suits(const builder *b)
{
    if (b->links->n == 0 || b->layout->n_rows == 0 || b->layout->n_rows != b->layout->n_extrinsic || b->layout->n_speeds)
        return false;
    for (int i = 0; i < b->links->n; i++)
        if (!is_single(b->links->link[i].kind))
            return false;
    for (int i = 0; i < b->layout->n_rows; i++)
        if (!suits_row(b, i))
            return false;
    return true;
}

/* ---- blocks --------------------------------------------------------------------------- */

/* Blocks end where no later link has an earlier parent. */
static void cut(builder *b)
{
    const dal_links *links = b->links;
    dal_sweep *sweep = b->sweep;
    int *earliest = DAL_NEW(b->arena, int, links->n + 1); /* parent of all links from i on */
    earliest[links->n] = links->n;
    for (int i = links->n - 1; i >= 0; i--) {
        const int parent = links->link[i].parent;
        earliest[i] = parent >= 0 && parent < earliest[i + 1] ? parent : earliest[i + 1];
    }
    b->block_of = DAL_NEW(b->arena, int, links->n);
    for (int i = 0; i < links->n; i++) {
        const dal_sweep_block *last = sweep->n_blocks ? &sweep->block[sweep->n_blocks - 1] : NULL;
        if (!last || (last->n_links >= b->enough && earliest[i] >= i))
            *DAL_PUSH(b->arena, sweep->block, sweep->n_blocks, b->cap_blocks) = (dal_sweep_block){.link = i};
        sweep->block[sweep->n_blocks - 1].n_links++;
        b->block_of[i] = sweep->n_blocks - 1;
    }
}

static void list_links(builder *b)
{
    dal_sweep *sweep = b->sweep;
    sweep->n_links = b->links->n;
    sweep->link = DAL_NEW(b->arena, dal_link, sweep->n_links);
    sweep->joint = DAL_NEW(b->arena, dal_sweep_joint, sweep->n_links);
    for (int k = 0; k < sweep->n_blocks; k++) {
        dal_sweep_block *block = &sweep->block[k];
        block->run = sweep->n_runs;
        for (int i = 0; i < block->n_links; i++) {
            const dal_loop_front *front = &b->loops->front[block->link + i];
            dal_link *link = &sweep->link[block->link + i];
            *link = b->links->link[block->link + i];
            sweep->joint[block->link + i] =
                (dal_sweep_joint){link->parent, link->v, front->slot + front->n_eliminated, front->n_slots - front->n_eliminated};
            sweep->complete |= front->n_eliminated > 0;
            if (link->parent >= 0)
                link->parent -= block->link;
            if (!block->n_runs || sweep->run[sweep->n_runs - 1].kind != link->kind) {
                *DAL_PUSH(b->arena, sweep->run, sweep->n_runs, b->cap_runs) = (dal_link_run){link->kind, i, 0};
                block->n_runs++;
            }
            sweep->run[sweep->n_runs - 1].n++;
        }
        const dal_loop_front *first = &b->loops->front[block->link], *last = &b->loops->front[block->link + block->n_links - 1];
        block->slot = first->slot;
        block->n_slots = last->slot + last->n_slots - first->slot;
        sweep->most_links = block->n_links > sweep->most_links ? block->n_links : sweep->most_links;
        sweep->most_slots = block->n_slots > sweep->most_slots ? block->n_slots : sweep->most_slots;
    }
}

/* The place of a link in the ring. */
static int place_of(const builder *b, int link)
{
    const int block = b->block_of[link];
    return block % b->sweep->n_ring * (b->sweep->most_links + 1) + 1 + link - b->sweep->block[block].link;
}

/* ---- rows ----------------------------------------------------------------------------- */

static void find_sides(builder *b)
{
    const dal_loops *loops = b->loops;
    b->first_side = DAL_NEW(b->arena, int, loops->n_rows + 1);
    for (int s = 0; s < loops->n_sides; s++)
        b->first_side[loops->side[s].row + 1]++;
    for (int i = 0; i < loops->n_rows; i++)
        b->first_side[i + 1] += b->first_side[i];
}

/* Rows of one joint follow each other. What they need of each block, and how many blocks a ring holds. */
static draft *collect_blocks(builder *b, int *n)
{
    dal_sweep *sweep = b->sweep;
    draft *all = DAL_NEW(b->arena, draft, b->layout->n_rows);
    for (int k = 0; k < sweep->n_blocks; k++)
        sweep->block[k].need = k;
    for (int i = 0; i < b->layout->n_rows; i += all[*n].n_rows, ++*n) {
        draft *d = &all[*n];
        *d = (draft){.row = i, .low = sweep->n_blocks - 1};
        for (; i + d->n_rows < b->layout->n_rows && (!d->n_rows || row_of(b, i + d->n_rows)->joint == row_of(b, i)->joint); d->n_rows++)
            continue;
        for (int s = b->first_side[i]; s < b->first_side[i + d->n_rows]; s++) {
            const int at = b->block_of[b->loops->side[s].link];
            d->low = at < d->low ? at : d->low;
        }
        for (int s = b->first_side[i]; s < b->first_side[i + d->n_rows]; s++) {
            int *need = &sweep->block[b->block_of[b->loops->side[s].link]].need;
            *need = d->low < *need ? d->low : *need;
        }
    }
    for (int k = sweep->n_blocks - 1, low = k; k >= 0; k--) {
        low = sweep->block[k].need < low ? sweep->block[k].need : low;
        sweep->n_ring = k - low + 1 > sweep->n_ring ? k - low + 1 : sweep->n_ring;
    }
    return all;
}

/* A vector in the axes of its link, from its origin; one that rows of the closure share is taken once. -1: too many. */
static int number_of_vector(builder *b, dal_sweep_closure *closure, int *known, int number)
{
    const dal_vector *x = &b->layout->mechanism->vectors[number];
    const dal_seat *seat = x->body == DAL_GROUND ? NULL : &b->links->seat[x->body];
    if (number < DAL_SWEEP_AXES) /* so it is in every mechanism */
        return number;
    for (int k = 0; k < closure->n_vectors; k++)
        if (known[k] == number)
            return DAL_SWEEP_AXES + k;
    if (DAL_SWEEP_AXES + closure->n_vectors == DAL_SWEEP_VECTORS)
        return -1;
    dal_sweep_vector *own = DAL_PUSH(b->arena, b->sweep->vector, b->sweep->n_vectors, b->cap_vectors);
    *own = (dal_sweep_vector){.at = seat && seat->link >= 0 ? place_of(b, seat->link) : -1, .point = x->point};
    if (seat) {
        dal_mul3(seat->B, x->s, own->s);
        if (x->point)
            dal_axpy3(1, seat->s, own->s);
    } else
        dal_copy3(x->s, own->s);
    known[closure->n_vectors] = number;
    return DAL_SWEEP_AXES + closure->n_vectors++;
}

static bool add_row(builder *b, dal_sweep_closure *closure, int *known, int i)
{
    const dal_mechanism *m = b->layout->mechanism;
    const dal_row *row = row_of(b, i);
    const dal_row_layout *at = &b->layout->row[i];
    int moving[DAL_MAX_SIDES], n = 0; /* of the row's sides: those that are not part of the ground, as in dal_build_loops */
    for (int k = 0; k < at->n_sides; k++)
        moving[k] = b->links->seat[b->layout->side[at->side + k].body].link < 0 ? -1 : n++;
    *DAL_PUSH(b->arena, b->sweep->row, b->sweep->n_rows, b->cap_rows) = (dal_sweep_row){i, b->first_side[i], (short)row->n_terms, (short)n};
    closure->n_rows++;
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        dal_sweep_term *term = DAL_PUSH(b->arena, b->sweep->term, b->sweep->n_terms, b->cap_terms);
        term->coef = m->terms[k].coef;
        for (int j = 0; j < 4; j++) {
            const int number = m->measures[m->terms[k].measure].vector[j], side = b->layout->term_side[4 * k + j];
            const int own = number < 0 ? -1 : number_of_vector(b, closure, known, number);
            if (number >= 0 && own < 0)
                return false;
            term->vector[j] = (signed char)own;
            term->side[j] = (signed char)(number < 0 || side < 0 ? -1 : moving[side]);
        }
    }
    return true;
}

static bool list_closures(builder *b, const draft *all, int n)
{
    dal_sweep *sweep = b->sweep;
    int *head = DAL_NEW(b->arena, int, sweep->n_blocks), *next = DAL_NEW(b->arena, int, n);
    for (int k = 0; k < sweep->n_blocks; k++)
        head[k] = -1;
    for (int c = n - 1; c >= 0; c--) {
        next[c] = head[all[c].low];
        head[all[c].low] = c;
    }
    for (int k = sweep->n_blocks - 1; k >= 0; k--)
        for (int c = head[k]; c >= 0; c = next[c]) {
            int known[DAL_SWEEP_VECTORS];
            dal_sweep_closure closure = {0, 0};
            for (int i = all[c].row; i < all[c].row + all[c].n_rows; i++)
                if (!add_row(b, &closure, known, i))
                    return false;
            *DAL_PUSH(b->arena, sweep->closure, sweep->n_closures, b->cap_closures) = closure;
            sweep->block[k].n_closures++;
        }
    return true;
}

static void place_sides(builder *b)
{
    dal_sweep *sweep = b->sweep;
    sweep->n_sides = b->loops->n_sides;
    sweep->side_slot = DAL_NEW(b->arena, int, sweep->n_sides);
    for (int s = 0; s < sweep->n_sides; s++) {
        const int k = b->block_of[b->loops->side[s].link];
        sweep->side_slot[s] = b->loops->side_slot[s];
        if (!sweep->complete)
            sweep->side_slot[s] += k % sweep->n_ring * sweep->most_slots - sweep->block[k].slot;
    }
}

/* ---- measures that have to be known ---------------------------------------------------- */

static void watch(builder *b, int n, const int *measures)
{
    const dal_mechanism *m = b->layout->mechanism;
    dal_sweep *sweep = b->sweep;
    bool *wanted = DAL_NEW(b->arena, bool, b->links->n_bodies);
    int *next = DAL_NEW(b->arena, int, b->links->n_bodies), *head = DAL_NEW(b->arena, int, sweep->n_blocks);
    sweep->n_measures = n;
    sweep->measure = DAL_NEW(b->arena, int, n);
    for (int i = 0; i < n; i++) {
        const dal_measure *measure = &m->measures[measures[i]];
        sweep->measure[i] = measures[i];
        for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++)
            if (measure->vector[j] >= 0 && m->vectors[measure->vector[j]].body != DAL_GROUND)
                wanted[m->vectors[measure->vector[j]].body] = true;
    }
    for (int k = 0; k < sweep->n_blocks; k++)
        head[k] = -1;
    for (int body = 0; body < b->links->n_bodies; body++)
        if (wanted[body] && b->links->seat[body].link >= 0) {
            int *first = &head[b->block_of[b->links->seat[body].link]];
            next[body] = *first;
            *first = body;
        }
    for (int k = sweep->n_blocks - 1; k >= 0; k--)
        for (int body = head[k]; body >= 0; body = next[body], sweep->block[k].n_watched++)
            *DAL_PUSH(b->arena, sweep->watched, sweep->n_watched, b->cap_watched) = (dal_sweep_watched){body, place_of(b, b->links->seat[body].link)};
}

dal_sweep *dal_sweep_build(dal_arena *arena, const dal_links *links, const dal_loops *loops, const dal_layout *layout, int n_watched,
                           const int *watched, int enough)
{
    builder b = {.arena = arena, .links = links, .loops = loops, .layout = layout, .sweep = DAL_NEW(arena, dal_sweep, 1), .enough = enough};
    int n = 0;
    find_sides(&b);
    if (!suits(&b))
        return NULL;
    cut(&b);
    list_links(&b);
    const draft *all = collect_blocks(&b, &n);
    if (b.sweep->n_ring * b.sweep->most_links > MOST_IN_RING || !list_closures(&b, all, n))
        return NULL;
    place_sides(&b);
    watch(&b, n_watched, watched);
    b.sweep->planar = dal_planar_build(arena, links, loops, layout, b.sweep);
    return b.sweep;
}

const dal_block_array dal_sweep_arrays[] = {
    DAL_ARRAY(dal_sweep, block, n_blocks),    DAL_ARRAY(dal_sweep, link, n_links),       DAL_ARRAY(dal_sweep, run, n_runs),
    DAL_ARRAY(dal_sweep, joint, n_links),     DAL_ARRAY(dal_sweep, closure, n_closures), DAL_ARRAY(dal_sweep, vector, n_vectors),
    DAL_ARRAY(dal_sweep, row, n_rows),        DAL_ARRAY(dal_sweep, term, n_terms),       DAL_ARRAY(dal_sweep, side_slot, n_sides),
    DAL_ARRAY(dal_sweep, watched, n_watched), DAL_ARRAY(dal_sweep, measure, n_measures), {0}};

/* ---- work space ----------------------------------------------------------------------- */

static size_t in_ring(const dal_sweep *sweep)
{
    return (size_t)sweep->n_ring * (size_t)(sweep->most_links + 1);
}

size_t dal_sweep_work_size(const dal_sweep *sweep)
{
    const size_t n = in_ring(sweep);
    if (sweep->planar)
        return dal_planar_work_size(sweep);
    return dal_whole_lines((size_t)sweep->n_links * DAL_DOUBLES(dal_sweep_record)) + dal_whole_lines(n * DAL_DOUBLES(dal_link_motion)) +
           dal_whole_lines(n * DAL_DOUBLES(dal_link_wrench)) + dal_whole_lines(n * DAL_DOUBLES(dal_link_inertia)) + 2 * dal_whole_lines(n) +
           (sweep->complete ? 0 : 8 * (size_t)sweep->n_ring * (size_t)sweep->most_slots);
}

void dal_sweep_work_layout(const dal_sweep *sweep, double *memory, dal_sweep_work *work)
{
    const size_t n = in_ring(sweep);
    if (sweep->planar) {
        dal_planar_work_layout(sweep, memory, &work->planar);
        return;
    }
    work->record = (dal_sweep_record *)(void *)memory;
    memory += dal_whole_lines((size_t)sweep->n_links * DAL_DOUBLES(dal_sweep_record));
    work->motion = (dal_link_motion *)(void *)memory;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_motion));
    work->wrench = (dal_link_wrench *)(void *)memory;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_wrench));
    work->inertia = (dal_link_inertia *)(void *)memory;
    memory += dal_whole_lines(n * DAL_DOUBLES(dal_link_inertia));
    work->sine = memory;
    memory += dal_whole_lines(n);
    work->cosine = memory;
    memory += dal_whole_lines(n);
    work->K = (double(*)[8])memory;
}
