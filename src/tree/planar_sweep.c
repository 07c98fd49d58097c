/* Sweeps in the plane: the equations are in the head of planar_sweep.h. One source for every instruction set, as aba.c. */
#include "tree/sincos.h"
#include "tree/sweep_order.h"

/* ---- vectors of the plane -------------------------------------------------------------------- */

typedef double v2 __attribute__((vector_size(16)));
typedef long long m2 __attribute__((vector_size(16)));
typedef double v2_anywhere __attribute__((vector_size(16), aligned(8), may_alias));

V4_INLINE v2 v2_load(const double *p)
{
    return *(const v2_anywhere *)p;
}

V4_INLINE void v2_store(double *p, v2 x)
{
    *(v2_anywhere *)p = x;
}

V4_INLINE void v2_add(double *p, v2 x)
{
    v2_store(p, v2_load(p) + x);
}

V4_INLINE v2 v2_all(double x)
{
    return (v2){x, x};
}

/* z x a */
V4_INLINE v2 v2_turn(v2 a)
{
    const m2 sign = (m2)(v2){-0.0, 0.0};
    return (v2)((m2)__builtin_shufflevector(a, a, 1, 0) ^ sign);
}

V4_INLINE double v2_sum(v2 a)
{
    return a[0] + a[1];
}

V4_INLINE double v2_dot(v2 a, v2 b)
{
    return v2_sum(a * b);
}

/* x p_0 + (z x x) p_1: the vector p in the axes of a link whose first axis is x. */
V4_INLINE v2 in_axes(v2 x, v2 y, const double *p)
{
    return x * v2_all(p[0]) + y * v2_all(p[1]);
}

/* ---- move a block ------------------------------------------------------------------------- */

V4_INLINE void move_run(const dal_planar_link *links, const dal_link_run *run, dal_link_kind kind, const dal_sweep_task *task,
                        dal_planar_motion *motion, dal_planar_inertia *inertia, const double *sine, const double *cosine)
{
    double spin = task->own->spin;
    v2 size = v2_all(0);
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_planar_link *link = &links[i];
        const dal_planar_motion *parent = &motion[link->parent];
        dal_planar_motion *m = &motion[i];
        dal_planar_inertia *own = &inertia[i];
        const v2 x_p = v2_load(parent->x), y_p = v2_turn(x_p);
        const double w_p = parent->w, rate = task->v[link->v];
        double w = w_p;
        v2 d = in_axes(x_p, y_p, link->p), x = x_p, y = y_p;
        if (kind == DAL_LINK_TURN) {
            x = x_p * v2_all(cosine[i]) + y_p * v2_all(link->sign * sine[i]);
            y = v2_turn(x);
            w += link->sign * rate;
        }
        const v2 b = kind == DAL_LINK_SHIFT ? in_axes(x_p, y_p, link->axis) : v2_all(0);
        if (kind == DAL_LINK_SHIFT)
            d += b * v2_all(task->q[link->q]);
        const v2 e = v2_turn(d), r = v2_load(parent->r) + d;
        v2 rd = v2_load(parent->rd) + e * v2_all(w_p), acc = v2_load(parent->acc) - d * v2_all(w_p * w_p);
        if (kind == DAL_LINK_SHIFT) {
            rd += b * v2_all(rate);
            acc += v2_turn(b) * v2_all(2 * rate * w_p);
            v2_store(m->b, b);
        }
        v2_store(m->x, x);
        v2_store(m->e, e);
        v2_store(m->r, r);
        v2_store(m->rd, rd);
        v2_store(m->acc, acc);
        m->w = w;
        const double square = w * w;
        const v2 c = in_axes(x, y, link->moment), h = v2_turn(c);
        v2_store(own->h, h);
        v2_store(own->f, acc * v2_all(link->mass) - c * v2_all(square));
        v2_store(own->M[0], (v2){link->mass, 0});
        v2_store(own->M[1], (v2){0, link->mass});
        own->J = link->inertia;
        own->n = v2_dot(h, acc);
        spin = square > spin ? square : spin;
        size += r * v2_all(0) + rd * rd * v2_all(link->mass) + v2_all(square);
    }
    task->own->spin = spin;
    task->own->size += v2_sum(size);
}

/* The links of a block; weight is the acceleration of the ground. */
static void move_links(const dal_sweep_task *task, int k)
{
    const dal_sweep_block *block = &task->sweep->block[k];
    const dal_planar_link *links = task->sweep->planar->link + block->link;
    const size_t at = place_in_ring(task->sweep, k);
    const dal_planar_work *work = &task->own->planar;
    dal_planar_motion *motion = work->place + at;
    double *sine = work->sine + at, *cosine = work->cosine + at;
    motion[-1] = (dal_planar_motion){.x = {1, 0}, .acc = {task->lift[0], task->lift[1]}};
    for (int i = block->run; i < block->run + block->n_runs; i++) {
        const dal_link_run *run = &task->sweep->run[i];
        if (run->kind == DAL_LINK_TURN) {
            sincos_many(run->n, task->q + links[run->first].q, sine + run->first, cosine + run->first);
            move_run(links, run, DAL_LINK_TURN, task, motion, work->inertia + at, sine, cosine);
        } else
            move_run(links, run, DAL_LINK_SHIFT, task, motion, work->inertia + at, sine, cosine);
    }
}

/* ---- rows ----------------------------------------------------------------------------- */

/* Vectors of a closure, as in sweep.c: place, from the link's origin; velocity; acceleration where v' = 0. */
typedef struct located {
    v2 x, arm, xd, xb;
} located;

V4_INLINE located locate(const dal_planar_vector *vector, const dal_planar_motion *motion, v2 lift)
{
    if (vector->at < 0)
        return (located){.x = v2_load(vector->s)};
    const dal_planar_motion *m = &motion[vector->at];
    const v2 x = v2_load(m->x), arm = in_axes(x, v2_turn(x), vector->s);
    located out = {arm, arm, v2_turn(arm) * v2_all(m->w), arm * v2_all(-m->w * m->w)};
    if (vector->point) {
        out.x += v2_load(m->r);
        out.xd += v2_load(m->rd);
        out.xb += v2_load(m->acc) - lift;
    }
    return out;
}

/* As in sweep.c; products[0] = coef b is the gradient by x_0, products[1] = coef a that by x_2. */
V4_INLINE double multiply(const dal_planar_term *term, const located *at, v2 products[2])
{
    const located *x0 = &at[term->vector[0]], *x1 = &at[term->vector[1]], *x2 = &at[term->vector[2]], *x3 = &at[term->vector[3]];
    const v2 a = (x0->x - x1->x) * v2_all(term->coef), b = (x2->x - x3->x) * v2_all(term->coef);
    const v2 ad = x0->xd - x1->xd, bd = x2->xd - x3->xd;
    products[0] = b;
    products[1] = a;
    return v2_sum((x0->xb - x1->xb) * b + a * (x2->xb - x3->xb) + ad * bd * v2_all(2 * term->coef));
}

/* Where a sweep is in its lists. */
typedef struct place {
    const dal_sweep_closure *closure;
    const dal_sweep_row *row;
    const dal_sweep_watched *watched;
    const dal_planar_vector *vector;
    const dal_planar_term *term;
    const dal_planar_part *part;
    const int *side_parts;
    const dal_planar_watched *watched_axes;
} place;

/* What a row asks of each of its sides. Returns its weight. */
V4_INLINE double find_covectors(const dal_sweep_task *task, const dal_sweep_row *row, place *at, const located *where, const v2 *products)
{
    const dal_planar_work *work = &task->own->planar;
    const bool used = task->used[row->number];
    v2 squares = v2_all(0);
    double turns = 0;
    for (int s = row->side; s < row->side + row->n_sides; s++) {
        v2 f = v2_all(0), moment = v2_all(0);
        for (const dal_planar_part *end = at->part + *at->side_parts++; at->part < end; at->part++) {
            const v2 g = products[at->part->product];
            moment += v2_turn(where[at->part->vector].arm) * g * v2_all(at->part->turn);
            f += g * v2_all(at->part->push);
        }
        const double n = v2_sum(moment);
        squares += f * f;
        turns += n * n;
        v2_store(work->covector[s].f, f);
        work->covector[s].n = n;
        if (used) {
            dal_planar_wrench *K = &work->K[task->sweep->side_slot[s]];
            v2_add(K->f, f);
            K->n += n;
        }
    }
    return v2_sum(squares) + turns / (task->length * task->length);
}

static void close_rows(const dal_sweep_task *task, place *at, double *gamma)
{
    const dal_sweep_closure *closure = at->closure++;
    const v2 lift = v2_load(task->lift);
    const double per_mass = 1 / task->mass;
    located where[DAL_SWEEP_VECTORS]; /* only those of this closure are filled in */
    for (int k = 0; k < DAL_SWEEP_AXES; k++)
        where[k] = (located){.x = {k == 0, k == 1}};
    for (int k = 0; k < closure->n_vectors; k++)
        where[DAL_SWEEP_AXES + k] = locate(at->vector++, task->own->planar.place, lift);
    for (int i = 0; i < closure->n_rows; i++) {
        const dal_sweep_row *row = at->row++;
        v2 products[2 * DAL_SWEEP_TERMS];
        double bias = 0;
        for (int k = 0; k < row->n_terms; k++)
            bias += multiply(at->term++, where, &products[2 * k]);
        gamma[row->number] = -bias;
        task->work->weight[row->number] = find_covectors(task, row, at, where, products) * per_mass;
    }
}

/* The motion of a watched body's link, as the sweep in space has it. */
static void watch_link(const dal_sweep_task *task, const dal_sweep_watched *watched, const dal_planar_watched *link)
{
    const dal_planar_motion *m = &task->own->planar.place[watched->at];
    const v2 x = v2_load(m->x), y = v2_turn(x);
    dal_link_motion motion = {.r = {m->r[0], m->r[1], link->height},
                              .w = {0, 0, m->w},
                              .rd = {m->rd[0], m->rd[1]},
                              .a = {m->acc[0] - task->lift[0], m->acc[1] - task->lift[1]}};
    for (int j = 0; j < 3; j++) {
        v2_store(motion.R[j], in_axes(x, y, link->axes[j]));
        motion.R[j][2] = link->axes[j][2];
    }
    task->watch(task->user, watched->body, &motion);
}

static void move_block(const dal_sweep_task *task, int k, void *lists, double *gamma)
{
    place *at = lists;
    const dal_sweep *sweep = task->sweep;
    const dal_sweep_block *block = &sweep->block[k];
    dal_planar_wrench *K = task->own->planar.K + (sweep->complete ? block->slot : k % sweep->n_ring * sweep->most_slots);
    memset(K, 0, sizeof *K * (size_t)block->n_slots);
    move_links(task, k);
    for (int i = 0; i < block->n_closures; i++)
        close_rows(task, at, gamma);
    for (int i = 0; i < block->n_watched; i++)
        watch_link(task, at->watched++, at->watched_axes++);
}

/* ---- eliminate a block ------------------------------------------------------------------ */

/* Complete rows of a link: what loops.h does to K, I and p. The factor of L, and g, are found before; all of K is kept. */
static void subtract_rows(const dal_sweep_task *task, const dal_loop_front *front, dal_planar_wrench *K, dal_planar_inertia *own)
{
    const dal_loops *loops = task->loops;
    const dal_loops_work *work = task->work;
    for (int j = 0; j < front->n_eliminated; j++) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const dal_planar_wrench *row = &K[front->slot + j];
        const v2 f = v2_load(row->f);
        const double n = row->n, inverse = work->inverse[front->pivot + j], push = work->g[front->slot + j] * inverse;
        for (int x = 0; x < pivot->n; x++) {
            const double l = work->entry[below[x].entry];
            v2_add(K[below[x].slot].f, f * v2_all(-l));
            K[below[x].slot].n -= l * n;
        }
        const v2 scaled = f * v2_all(inverse);
        v2_add(own->M[0], scaled * v2_all(f[0]));
        v2_add(own->M[1], scaled * v2_all(f[1]));
        v2_add(own->h, scaled * v2_all(n));
        v2_add(own->f, f * v2_all(-push));
        own->J += n * n * inverse;
        own->n -= n * push;
    }
}

/* The open rows of a link go through its joint: kappa, what is left of K, L and g of the parent. K begins with slot `first`. */
V4_INLINE void propagate_rows(const dal_sweep_task *task, const dal_sweep_joint *joint, int pair_at, dal_link_kind kind,
                              const dal_planar_record *record, dal_planar_wrench *K, int first)
{
    const dal_loops *loops = task->loops;
    const dal_loops_work *work = task->work;
    const int end = joint->slot + joint->n_open;
    const v2 Uf = v2_load(record->Uf), e = v2_load(record->e), b = v2_load(record->b);
    for (int s = joint->slot; s < end; s++) {
        const dal_planar_wrench *row = &K[s - first];
        v2 f = v2_load(row->f);
        const double kappa = kind == DAL_LINK_TURN ? row->n : v2_dot(b, f), push = kappa * record->inverse;
        const int up = loops->slot_up[s];
        work->kappa[s] = kappa;
        work->g[up] += work->g[s] - push * record->u;
        if (joint->parent < 0)
            continue;
        f -= Uf * v2_all(push);
        v2_add(K[up - first].f, f);
        K[up - first].n += v2_dot(e, f) + (kind == DAL_LINK_TURN ? 0 : row->n - record->Un * push);
    }
    const dal_loop_pair *pair = loops->pair + pair_at;
    for (int x = joint->slot; x < end; x++) {
        const double push = work->kappa[x] * record->inverse;
        for (int y = joint->slot; y <= x; y++, pair++)
            work->entry[pair->up] += push * work->kappa[y] + (pair->entry >= 0 ? work->entry[pair->entry] : 0);
    }
}

/* U, D and u of the joint; what is left of inertia and bias goes to the parent. Returns D. */
V4_INLINE double eliminate_joint(dal_link_kind kind, const dal_planar_motion *m, const dal_planar_inertia *own, dal_planar_inertia *parent,
                                 dal_planar_record *record)
{
    const v2 h = v2_load(own->h), e = v2_load(m->e), b = v2_load(m->b), M[2] = {v2_load(own->M[0]), v2_load(own->M[1])};
    const v2 Uf = kind == DAL_LINK_TURN ? h : M[0] * v2_all(b[0]) + M[1] * v2_all(b[1]), f = v2_load(own->f);
    const double Un = kind == DAL_LINK_TURN ? own->J : v2_dot(h, b), D = kind == DAL_LINK_TURN ? own->J : v2_dot(b, Uf);
    const double u = kind == DAL_LINK_TURN ? -own->n : -v2_dot(b, f), inverse = 1 / D;
    v2_store(record->e, e);
    v2_store(record->Uf, Uf);
    v2_store(record->b, b);
    record->Un = Un;
    record->u = u;
    record->inverse = inverse;
    if (!parent)
        return D;
    const v2 scaled = Uf * v2_all(inverse), rest = f + scaled * v2_all(u);
    const v2 M0 = M[0] - scaled * v2_all(Uf[0]), M1 = M[1] - scaled * v2_all(Uf[1]), Me = M0 * v2_all(e[0]) + M1 * v2_all(e[1]);
    v2_add(parent->M[0], M0);
    v2_add(parent->M[1], M1);
    v2_add(parent->f, rest);
    if (kind == DAL_LINK_TURN) {
        v2_add(parent->h, Me);
        parent->J += v2_dot(Me, e);
        parent->n += v2_dot(e, rest);
        return D;
    }
    const v2 left = h - scaled * v2_all(Un);
    v2_add(parent->h, left + Me);
    parent->J += own->J - Un * Un * inverse + v2_dot(left + left + Me, e);
    parent->n += own->n + Un * u * inverse + v2_dot(e, rest);
    return D;
}

V4_INLINE double eliminate_run(const dal_sweep_task *task, const dal_sweep_block *block, const dal_link_run *run, dal_link_kind kind, size_t at,
                               dal_planar_wrench *K, int first, const double *gamma)
{
    const dal_loops *loops = task->loops;
    const dal_planar_work *work = &task->own->planar;
    double ratio = 1;
    for (int k = run->first + run->n - 1; k >= run->first; k--) {
        const int i = block->link + k, parent = task->sweep->planar->link[i].parent;
        const dal_loop_front *front = &loops->front[i];
        dal_planar_inertia *own = &work->inertia[at + (size_t)k];
        dal_planar_record *record = &work->record[i];
        if (front->n_eliminated) {
            ratio = fmin(ratio, task->run->loops->eliminate_rows(loops, front, task->work, task->used, NULL));
            task->run->loops->reduce_rows(loops, front, task->work, gamma, NULL);
            subtract_rows(task, front, K, own);
        }
        const double D = eliminate_joint(kind, &work->place[at + (size_t)k], own, parent < 0 ? NULL : own - k + parent, record);
        record->sign = task->sweep->planar->link[i].sign;
        if (!(ratio > 0 && D > 0))
            return 0;
        if (loops->hit[i])
            propagate_rows(task, &task->sweep->joint[i], front->pair, kind, record, K, first);
    }
    return ratio;
}

static double eliminate_block(const dal_sweep_task *task, int k, const double *gamma)
{
    const dal_sweep *sweep = task->sweep;
    const dal_sweep_block *block = &sweep->block[k];
    const size_t at = place_in_ring(sweep, k);
    dal_planar_wrench *K = task->own->planar.K + (sweep->complete ? 0 : k % sweep->n_ring * sweep->most_slots);
    const int first = sweep->complete ? 0 : block->slot;
    double ratio = 1;
    for (int i = block->run + block->n_runs - 1; i >= block->run && ratio > 0; i--) {
        const dal_link_run *run = &sweep->run[i];
        const double found = run->kind == DAL_LINK_TURN ? eliminate_run(task, block, run, DAL_LINK_TURN, at, K, first, gamma)
                                                        : eliminate_run(task, block, run, DAL_LINK_SHIFT, at, K, first, gamma);
        ratio = fmin(ratio, found);
    }
    return ratio;
}

static double backward_planar(const dal_sweep_task *task, double *gamma)
{
    const dal_sweep *sweep = task->sweep;
    const dal_planar *planar = sweep->planar;
    place at = {sweep->closure, sweep->row, sweep->watched, planar->vector, planar->term, planar->part, planar->side_parts, planar->watched};
    return backward_blocks(task, gamma, &at, move_block, eliminate_block);
}

/* ---- biases by themselves, and forward ---------------------------------------------------- */

static void backward_bias_planar(const dal_sweep_task *task, const double *b)
{
    const dal_sweep *sweep = task->sweep;
    const dal_loops *loops = task->loops;
    const dal_planar_work *work = &task->own->planar;
    double *g = task->work->g;
    memset(g, 0, sizeof *g * (size_t)loops->n_slots);
    memset(work->motion, 0, sizeof *work->motion * (size_t)sweep->n_links);
    for (int i = sweep->n_links - 1; i >= 0; i--) {
        const dal_sweep_joint *joint = &sweep->joint[i];
        const dal_loop_front *front = &loops->front[i];
        dal_planar_record *record = &work->record[i];
        const bool turns = record->sign != 0;
        v2 f = v2_load(work->motion[i].f);
        double n = work->motion[i].n;
        if (front->n_eliminated)
            task->run->loops->reduce_rows(loops, front, task->work, b, NULL);
        for (int j = 0; j < front->n_eliminated; j++) {
            const double push = g[front->slot + j] * task->work->inverse[front->pivot + j];
            f -= v2_load(work->K[front->slot + j].f) * v2_all(push);
            n -= work->K[front->slot + j].n * push;
        }
        record->u = turns ? -n : -v2_dot(v2_load(record->b), f);
        const double push = record->u * record->inverse;
        for (int s = joint->slot; s < joint->slot + joint->n_open; s++)
            g[loops->slot_up[s]] += g[s] - task->work->kappa[s] * push;
        if (joint->parent < 0)
            continue;
        f += v2_load(record->Uf) * v2_all(push);
        v2_add(work->motion[joint->parent].f, f);
        work->motion[joint->parent].n += v2_dot(v2_load(record->e), f) + (turns ? 0 : n + record->Un * push);
    }
    task->run->loops->reduce_rows(loops, &loops->front[sweep->n_links], task->work, b, NULL);
}

/* lambda of complete rows where the link's acceleration is known: g - K.a takes the place of g. */
static void restore_rows(const dal_sweep_task *task, const dal_loop_front *front, v2 acc, double alpha, double *lambda)
{
    for (int s = front->slot; s < front->slot + front->n_eliminated; s++) {
        const dal_planar_wrench *K = &task->own->planar.K[s];
        task->work->g[s] -= v2_dot(v2_load(K->f), acc) + K->n * alpha;
    }
    task->run->loops->restore_multipliers(task->loops, front, task->work, NULL, lambda);
}

static void forward_planar(const dal_sweep_task *task, double *x, double *lambda)
{
    const dal_sweep *sweep = task->sweep;
    const dal_loops *loops = task->loops;
    const dal_planar_work *work = &task->own->planar;
    task->run->loops->restore_multipliers(loops, &loops->front[sweep->n_links], task->work, NULL, lambda);
    work->motion[-1] = (dal_planar_wrench){0};
    for (int i = 0; i < sweep->n_links; i++) {
        const dal_sweep_joint *joint = &sweep->joint[i];
        const dal_planar_record *record = &work->record[i];
        const dal_planar_wrench *parent = &work->motion[joint->parent];
        double u = record->u, alpha = parent->n;
        v2 acc = v2_load(parent->f) + v2_load(record->e) * v2_all(alpha);
        for (int s = joint->slot; s < joint->slot + joint->n_open; s++)
            u += lambda[loops->slot_row[s]] * task->work->kappa[s];
        u -= v2_dot(v2_load(record->Uf), acc);
        if (record->sign != 0) {
            alpha = u * record->inverse;
            x[joint->v] = record->sign * (alpha - parent->n);
        } else {
            const double rise = x[joint->v] = (u - record->Un * alpha) * record->inverse;
            acc += v2_load(record->b) * v2_all(rise);
        }
        v2_store(work->motion[i].f, acc);
        work->motion[i].n = alpha;
        if (loops->front[i].n_eliminated)
            restore_rows(task, &loops->front[i], acc, alpha, lambda);
    }
}

/* As in loops.c: sides come row by row. */
static double residual_planar(const dal_sweep_task *task, const double *b, double *out)
{
    const dal_loops *loops = task->loops;
    const dal_planar_work *work = &task->own->planar;
    double worst = 0;
    for (int i = 0, s = 0; i < loops->n_rows; i++) {
        double sum = 0, sizes = fabs(b[i]);
        for (; s < loops->n_sides && loops->side[s].row == i; s++) {
            const dal_planar_wrench *a = &work->motion[loops->side[s].link], *c = &work->covector[s];
            const double parts[3] = {c->n * a->n, c->f[0] * a->f[0], c->f[1] * a->f[1]};
            sum += parts[0] + parts[1] + parts[2];
            sizes += fabs(parts[0]) + fabs(parts[1]) + fabs(parts[2]);
        }
        out[i] = task->used[i] ? b[i] - sum : 0;
        if (fabs(out[i]) > worst * sizes)
            worst = fabs(out[i]) / sizes;
    }
    return worst;
}

const dal_sweeping DAL_KERNEL(dal_planar_sweeping) = {
    .backward = backward_planar, .backward_bias = backward_bias_planar, .forward = forward_planar, .residual = residual_planar};
