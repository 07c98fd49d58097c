/* Sweeps: the equations are in the head of sweep.h. One source for every instruction set, as aba.c. */
#include "tree/sweep_order.h"

/* ---- views of a block ----------------------------------------------------------------- */

static dal_links links_of(const dal_sweep *sweep, const dal_sweep_block *block)
{
    return (dal_links){.n = block->n_links, .n_runs = block->n_runs, .link = sweep->link + block->link, .run = sweep->run + block->run};
}

static dal_links_work tree_of(const dal_sweep_task *task, int k)
{
    const size_t at = place_in_ring(task->sweep, k);
    dal_links_work tree = {.motion = task->own->motion + at,
                           .wrench = task->own->wrench + at,
                           .inertia = task->own->inertia + at,
                           .sine = task->own->sine + at,
                           .cosine = task->own->cosine + at};
    memcpy(tree.lift, task->lift, sizeof tree.lift);
    return tree;
}

/* ---- rows ----------------------------------------------------------------------------- */

/* Vectors of a closure: place, from the link's origin; velocity; acceleration where v' = 0. */
typedef struct located {
    v4 x[DAL_SWEEP_VECTORS], arm[DAL_SWEEP_VECTORS], xd[DAL_SWEEP_VECTORS], xb[DAL_SWEEP_VECTORS];
} located;

V4_INLINE void locate_vector(const dal_sweep_vector *vector, const dal_link_motion *motion, v4 lift, located *out, int k)
{
    if (vector->at < 0) {
        out->x[k] = (v4){vector->s[0], vector->s[1], vector->s[2], 0};
        out->arm[k] = out->xd[k] = out->xb[k] = v4_all(0);
        return;
    }
    const dal_link_motion *m = &motion[vector->at];
    const v4 R[3] = {v4_load(m->R[0]), v4_load(m->R[1]), v4_load(m->R[2])}, w = v4_load(m->w);
    const v4 arm = v4_times(R, vector->s), turned = v4_cross(w, arm);
    out->arm[k] = out->x[k] = arm;
    out->xd[k] = turned;
    out->xb[k] = v4_cross(v4_load(m->alpha), arm) + v4_cross(w, turned);
    if (vector->point) {
        out->x[k] += v4_load(m->r);
        out->xd[k] += v4_load(m->rd);
        out->xb[k] += v4_load(m->a) - lift;
    }
}

V4_INLINE v4 less(const v4 *x, int plus, int minus)
{
    v4 out = x[plus];
    if (minus >= 0)
        out -= x[minus];
    return out;
}

/* m = a.b, a = x_0 - x_1, b = x_2 - x_3: gradients b, -b, a, -a; m'' at v' = 0 is a_b.b + a.b_b + 2 a'.b' (kinematics/rows.c). */
typedef struct product {
    v4 a, b; /* times the coefficient */
} product;

V4_INLINE double multiply(const dal_sweep_term *term, const located *at, product *out)
{
    const signed char *k = term->vector;
    const v4 a = less(at->x, k[0], k[1]), b = less(at->x, k[2], k[3]);
    const v4 ad = less(at->xd, k[0], k[1]), bd = less(at->xd, k[2], k[3]);
    const v4 ab = less(at->xb, k[0], k[1]), bb = less(at->xb, k[2], k[3]);
    *out = (product){a * v4_all(term->coef), b * v4_all(term->coef)};
    return term->coef * v4_sum(ab * b + a * bb + ad * bd + ad * bd);
}

/* The covector of a term on side s: force, moment about the link's origin. The axes of the world are on no side. */
V4_INLINE void add_covector(const dal_sweep_term *term, const product *p, const dal_sweep_vector *vector, const located *at, int s, v4 *n, v4 *f)
{
    for (int j = 0; j < 4; j++) {
        if (term->side[j] != s)
            continue;
        const int k = term->vector[j];
        const v4 other = j < 2 ? p->b : p->a, g = j % 2 ? -other : other;
        *n += v4_cross(at->arm[k], g);
        if (vector[k - DAL_SWEEP_AXES].point)
            *f += g;
    }
}

/* Where a sweep is in the lists of closures. */
typedef struct place {
    const dal_sweep_closure *closure;
    const dal_sweep_vector *vector;
    const dal_sweep_row *row;
    const dal_sweep_term *term;
    const dal_sweep_watched *watched;
} place;

static void close_rows(const dal_sweep_task *task, place *at, double (*K)[8], double *gamma)
{
    const dal_sweep_closure *closure = at->closure++;
    const v4 lift = v4_load(task->lift);
    const double per_length = 1 / (task->length * task->length), per_mass = 1 / task->mass;
    located where;
    for (int k = 0; k < DAL_SWEEP_AXES; k++) {
        where.x[k] = (v4){k == 0, k == 1, k == 2, 0};
        where.arm[k] = where.xd[k] = where.xb[k] = v4_all(0);
    }
    for (int k = 0; k < closure->n_vectors; k++)
        locate_vector(&at->vector[k], task->own->motion, lift, &where, DAL_SWEEP_AXES + k);
    for (int i = 0; i < closure->n_rows; i++) {
        const dal_sweep_row *row = at->row++;
        product products[DAL_SWEEP_TERMS];
        double bias = 0, weight = 0;
        for (int k = 0; k < row->n_terms; k++)
            bias += multiply(&at->term[k], &where, &products[k]);
        gamma[row->number] = -bias;
        for (int s = 0; s < row->n_sides; s++) {
            double *covector = task->work->covector[row->side + s];
            v4 n = v4_all(0), f = v4_all(0);
            for (int k = 0; k < row->n_terms; k++)
                add_covector(&at->term[k], &products[k], at->vector, &where, s, &n, &f);
            weight += v4_sum(f * f + n * n * v4_all(per_length));
            v4_store3(covector, n);
            v4_store3(covector + 3, f);
            if (!task->used[row->number])
                continue;
            double *slot = K[task->sweep->side_slot[row->side + s]];
            v4_store(slot, v4_load(slot) + n);
            v4_store(slot + 4, v4_load(slot + 4) + f);
        }
        at->term += row->n_terms;
        task->work->weight[row->number] = weight * per_mass;
    }
    at->vector += closure->n_vectors;
}

/* ---- backward ---------------------------------------------------------------------------- */

/* K of the slots of all blocks of the ring, or of all there are. */
static double (*K_of_ring(const dal_sweep_task *task))[8]
{
    return task->sweep->complete ? task->work->K : task->own->K;
}

static void move_block(const dal_sweep_task *task, int k, void *lists, double *gamma)
{
    place *at = lists;
    const dal_sweep *sweep = task->sweep;
    const dal_sweep_block *block = &sweep->block[k];
    const dal_links links = links_of(sweep, block);
    dal_links_work tree = tree_of(task, k);
    double(*K)[8] = K_of_ring(task);
    memset(K + (sweep->complete ? block->slot : k % sweep->n_ring * sweep->most_slots), 0, sizeof *K * (size_t)block->n_slots);
    task->run->aba_velocity(&links, &tree, task->q, task->v);
    for (int i = 0; i < block->n_closures; i++)
        close_rows(task, at, K, gamma);
    for (int i = 0; i < block->n_watched; i++, at->watched++) {
        dal_link_motion motion = task->own->motion[at->watched->at];
        v4_store(motion.a, v4_load(motion.a) - v4_load(task->lift));
        task->watch(task->user, at->watched->body, &motion);
    }
}

/* What the forward pass needs of the links of a block. */
static void store_joints(const dal_sweep_task *task, const dal_sweep_block *block, const dal_links_work *tree)
{
    v4 size = v4_all(0);
    double spin = task->own->spin;
    for (int i = 0; i < block->n_links; i++) {
        const dal_link *link = &task->sweep->link[block->link + i];
        const dal_link_motion *m = &tree->motion[i];
        const dal_link_inertia *at = &tree->inertia[i];
        dal_sweep_record *record = &task->own->record[block->link + i];
        const v4 axis = v4_load(m->R[2]), d = v4_load(m->d), Un = v4_load(at->Un), Uf = v4_load(at->Uf);
        const v4 rd = v4_load(m->rd), w = v4_load(m->w), r = v4_load(m->r);
        v4_store(record->axis, (v4){axis[0], axis[1], axis[2], at->inverse});
        v4_store(record->d, (v4){d[0], d[1], d[2], at->u});
        v4_store(record->Un, (v4){Un[0], Un[1], Un[2], link->kind != DAL_LINK_SHIFT});
        v4_store(record->Uf, (v4){Uf[0], Uf[1], Uf[2], link->kind == DAL_LINK_SHIFT ? 1 : link->pitch});
        const v4 square = w * w;
        const double turning = v4_sum(square);
        spin = turning > spin ? turning : spin;
        size += r * v4_all(0) + rd * rd * v4_all(link->mass) + square;
    }
    task->own->spin = spin;
    task->own->size += v4_sum(size);
}

static double eliminate_block(const dal_sweep_task *task, int k, const double *gamma)
{
    const dal_sweep *sweep = task->sweep;
    const dal_sweep_block *block = &sweep->block[k];
    const dal_links links = links_of(sweep, block);
    dal_links_work tree = tree_of(task, k);
    dal_loops loops = *task->loops;
    dal_loops_work work = *task->work;
    loops.front += block->link;
    loops.hit += block->link;
    if (!sweep->complete) {
        work.K = task->own->K + k % sweep->n_ring * sweep->most_slots;
        work.first_K = block->slot;
    }
    const double ratio = task->run->loops->backward_links(&links, &loops, task->run, &tree, &work, task->used, NULL, gamma);
    store_joints(task, block, &tree);
    return ratio;
}

static double backward_sweep(const dal_sweep_task *task, double *gamma)
{
    const dal_sweep *sweep = task->sweep;
    place at = {sweep->closure, sweep->vector, sweep->row, sweep->term, sweep->watched};
    return backward_blocks(task, gamma, &at, move_block, eliminate_block);
}

/* ---- biases by themselves, and forward ---------------------------------------------------- */

static void backward_bias_sweep(const dal_sweep_task *task, const double *b)
{
    const dal_sweep *sweep = task->sweep;
    const dal_loops *loops = task->loops;
    dal_loops_work *work = task->work;
    memset(work->g, 0, sizeof *work->g * (size_t)loops->n_slots);
    memset(task->motion, 0, sizeof *task->motion * (size_t)sweep->n_links);
    for (int i = sweep->n_links - 1; i >= 0; i--) {
        const dal_sweep_joint *joint = &sweep->joint[i];
        dal_sweep_record *record = &task->own->record[i];
        if (sweep->complete && loops->front[i].n_eliminated)
            task->run->loops->reduce_rows(loops, &loops->front[i], work, b, &task->motion[i]);
        v4 n = v4_load(task->motion[i].n), f = v4_load(task->motion[i].f);
        const v4 axis = v4_load3(record->axis), d = v4_load3(record->d);
        record->u = -v4_sum(axis * (n * v4_all(record->turn) + f * v4_all(record->shift)));
        const double push = record->u * record->inverse;
        for (int s = joint->slot; s < joint->slot + joint->n_open; s++)
            work->g[loops->slot_up[s]] += work->g[s] - work->kappa[s] * push;
        if (joint->parent < 0)
            continue;
        dal_link_wrench *parent = &task->motion[joint->parent];
        n += v4_load3(record->Un) * v4_all(push);
        f += v4_load3(record->Uf) * v4_all(push);
        v4_store(parent->f, v4_load(parent->f) + f);
        v4_store(parent->n, v4_load(parent->n) + n + v4_cross(d, f));
    }
    task->run->loops->reduce_rows(loops, &loops->front[sweep->n_links], work, b, NULL);
}

static void forward_sweep(const dal_sweep_task *task, double *x, double *lambda)
{
    const dal_sweep *sweep = task->sweep;
    const dal_loops *loops = task->loops;
    const dal_loops_work *work = task->work;
    task->run->loops->restore_multipliers(loops, &loops->front[sweep->n_links], work, NULL, lambda);
    memset(&task->motion[-1], 0, sizeof task->motion[-1]);
    for (int i = 0; i < sweep->n_links; i++) {
        const dal_sweep_joint *joint = &sweep->joint[i];
        const dal_sweep_record *record = &task->own->record[i];
        const dal_link_wrench *parent = &task->motion[joint->parent];
        const v4 axis = v4_load3(record->axis);
        v4 alpha = v4_load(parent->n), acc = v4_load(parent->f) + v4_cross(alpha, v4_load3(record->d));
        double u = record->u;
        for (int s = joint->slot; s < joint->slot + joint->n_open; s++)
            u += lambda[loops->slot_row[s]] * work->kappa[s];
        const double rise = (u - v4_sum(v4_load3(record->Un) * alpha + v4_load3(record->Uf) * acc)) * record->inverse;
        x[joint->v] = rise;
        alpha += axis * v4_all(record->turn * rise);
        acc += axis * v4_all(record->shift * rise);
        v4_store(task->motion[i].n, alpha);
        v4_store(task->motion[i].f, acc);
        if (sweep->complete && loops->front[i].n_eliminated)
            task->run->loops->restore_multipliers(loops, &loops->front[i], work, &task->motion[i], lambda);
    }
}

static double residual_sweep(const dal_sweep_task *task, const double *b, double *residual)
{
    const dal_links_work tree = {.wrench = task->motion};
    return task->run->loops->residual(task->loops, &tree, task->work, task->used, b, residual);
}

const dal_sweeping DAL_KERNEL(dal_sweeping) = {
    .backward = backward_sweep, .backward_bias = backward_bias_sweep, .forward = forward_sweep, .residual = residual_sweep};
