/* The joint tree: the spanning tree of the graph of bodies and joints, grown from the ground.
 *
 * Prim's algorithm (R. C. Prim, Shortest connection networks, Bell System Technical Journal 36, 1957): of all joints that lead from
 * the tree to a body outside, the one that leaves the fewest freedoms is taken; ties go to the joint nearer to the ground, then to
 * the one that stands first in the file. Where no joint leads on, the first body outside is free against the ground, and the tree grows from it. The
 * sum of the freedoms is then a minimum (joints to particles apart, whose weight depends on the direction), and the rows that remain for the cut
 * joints are the fewest.
 *
 * Not in the tree: couplings (they relate coordinates of other joints), joints that the model cuts, and the distance joint in space:
 * its turns Rz Ry before the rod are singular where the rod points along z.
 *
 * A particle has no attitude: turns behind the last shift do not move it and are skipped.
 */
#include "kinematics/flat_tree.h"
#include "kinematics/tree.h"

#include "base/words.h"
#include "joint/joint.h"
#include "math/rotation.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef DAL_SCALAR_VARIANT

enum { MOST_STEPS = 8 }; /* the longest motion of a joint has six */

static const dal_marker at_origin = {DAL_GROUND, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* ---- from the motion of a joint to steps ------------------------------------ */

static dal_motion_step elementary(char kind, char axis, double sign)
{
    dal_motion_step step = {.axis = axis - 'x', .sign = sign, .q = -1, .v = -1, .coordinate = -1, .winding = -1};
    step.kind = kind == 'T' ? DAL_STEP_SHIFT : kind == 'R' ? DAL_STEP_TURN : kind == 'L' ? DAL_STEP_CONSTANT : DAL_STEP_SCREW;
    return step;
}

static bool turns_tree(const dal_motion_step *step)
{
    return step->kind == DAL_STEP_TURN;
}

/* Three turns in a row reach every attitude: they become a ball. */
static int join_turns(int n, dal_motion_step *step)
{
    for (int i = 0; i + 2 < n; i++) {
        if (!turns_tree(&step[i]) || !turns_tree(&step[i + 1]) || !turns_tree(&step[i + 2]))
            continue;
        step[i] = (dal_motion_step){.kind = DAL_STEP_BALL, .sign = 1, .q = -1, .v = -1, .coordinate = -1, .winding = -1};
        memmove(step + i + 1, step + i + 3, sizeof *step * (size_t)(n - i - 3));
        return n - 2;
    }
    return n;
}

/* The steps of "Tz Rz" ...; reversed: from the second frame to the first. */
static int read_motion(const char *motion, bool reversed, bool particle, dal_motion_step step[MOST_STEPS])
{
    int n = 0;
    for (; *motion && n < MOST_STEPS; motion += motion[2] ? 3 : 2)
        step[n++] = elementary(motion[0], motion[1], reversed ? -1 : 1);
    for (int i = 0; reversed && i < n / 2; i++) {
        dal_motion_step other = step[i];
        step[i] = step[n - 1 - i];
        step[n - 1 - i] = other;
    }
    while (particle && n && turns_tree(&step[n - 1]))
        n--;
    return join_turns(n, step);
}

static const char *motion_of(const dal_mechanism *m, const dal_joint *joint)
{
    return dal_joint_in(joint->type, m->space)->motion;
}

/* The row "distance - k angle = constant" of a screw. */
static void read_screw(const dal_mechanism *m, const dal_joint *joint, dal_motion_step *step)
{
    for (int i = joint->row; i < m->n_rows && m->rows[i].joint == m->rows[joint->row].joint; i++) {
        const dal_row *row = &m->rows[i];
        if (row->n_terms != 2)
            continue;
        step->length = -m->terms[row->term + 1].coef;
        step->offset = row->constant;
    }
}

/* Which coordinates of the joint the steps are: the k-th turn is its k-th angle, the k-th shift its k-th distance. */
static void name_steps(const dal_mechanism *m, const dal_joint *joint, int n, dal_motion_step *step, bool reversed)
{
    bool taken[DAL_MAX_COORDINATES] = {false};
    for (int i = 0; i < n; i++) {
        dal_motion_step *s = &step[reversed ? n - 1 - i : i];
        dal_measure_kind kind = s->kind == DAL_STEP_SHIFT ? DAL_MEASURE_DOT : DAL_MEASURE_ANGLE;
        if (s->kind == DAL_STEP_CONSTANT || s->kind == DAL_STEP_BALL)
            continue;
        for (int k = 0; k < joint->n_coordinates && s->coordinate < 0; k++)
            if (!taken[k] && m->measures[joint->coordinate[k]].kind == kind) {
                taken[k] = true;
                s->coordinate = k;
                s->zero = joint->zero[k];
                s->winding = m->measures[joint->coordinate[k]].winding;
            }
    }
}

static int joint_steps(const dal_mechanism *m, int j, bool reversed, bool particle, dal_motion_step step[MOST_STEPS])
{
    const dal_joint *joint = &m->joints[j];
    int n = read_motion(motion_of(m, joint), reversed, particle, step);
    for (int i = 0; i < n; i++) {
        if (step[i].kind == DAL_STEP_CONSTANT)
            step[i].length = joint->length;
        if (step[i].kind == DAL_STEP_SCREW)
            read_screw(m, joint, &step[i]);
    }
    name_steps(m, joint, n, step, reversed);
    return n;
}

/* The frame behind a turn and a shift about an axis of the marker: s += B e shift, B := B R(turn). */
static void move_marker(dal_marker *marker, int axis, double turn, double shift)
{
    double R[9];
    for (int i = 0; i < 3; i++)
        marker->s[i] += marker->B[3 * i + axis] * shift;
    dal_rotation_elementary(axis, turn, R);
    dal_rotation_multiply(marker->B, R, marker->B);
}

/* A step by q - zero is one by q with the constant motion by -zero before or behind it: S(q - z) = S(-z) S(q) = S(q) S(-z). It goes
 * into the marker that is next to the step: from := from S(-z), to := to S(z). `zero:` belongs to the first coordinate of a joint,
 * whose step is the first or the last of its motion. A screw moves along by itself: offset + k (q - z). */
static void move_markers(dal_carrier *c, int n, dal_motion_step *step)
{
    for (int i = 0; i < n; i++) {
        const double z = step[i].sign * step[i].zero * (i == 0 ? -1 : 1);
        if (step[i].kind == DAL_STEP_SCREW)
            step[i].offset -= step[i].length * step[i].zero;
        if (z != 0)
            move_marker(i == 0 ? &c->from : &c->to, step[i].axis, step[i].kind == DAL_STEP_SHIFT ? 0 : z, step[i].kind == DAL_STEP_SHIFT ? z : 0);
    }
}

/* The counter of whole turns of each planar body's own angle, -1 if no measure has one. */
static int *windings_of_bodies(dal_arena *arena, const dal_mechanism *m)
{
    int *winding = DAL_NEW(arena, int, m->n_bodies);
    for (int b = 0; b < m->n_bodies; b++)
        winding[b] = -1;
    for (int i = m->n_measures - 1; i >= 0; i--) { /* of several the first */
        const dal_measure *measure = &m->measures[i];
        if (measure->kind != DAL_MEASURE_ANGLE || measure->vector[0] != 0 || measure->vector[1] != 1)
            continue; /* against the world axes x and y */
        const dal_vector *x = &m->vectors[measure->vector[2]];
        if (x->body != DAL_GROUND && x->s[0] == 1)
            winding[x->body] = measure->winding;
    }
    return winding;
}

/* Free against the ground: the shifts in world axes, then the attitude. */
static int free_steps(const dal_mechanism *m, int body, const int *winding, dal_motion_step step[MOST_STEPS])
{
    const bool particle = m->bodies[body].particle;
    int n = read_motion(m->space == DAL_PLANAR ? "Tx Ty Rz" : "Tx Ty Tz Rx Ry Rz", false, particle, step);
    if (m->space == DAL_PLANAR && !particle)
        step[2].winding = winding[body];
    return n;
}

static int freedoms(int n, const dal_motion_step *step)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += dal_step_velocities(&step[i]);
    return sum;
}

/* ---- growing ------------------------------------------------------------------- */

/* A way from the tree to a body outside. */
typedef struct way {
    int joint, parent_marker, freedoms, depth;
} way;

typedef struct growth {
    const dal_mechanism *mechanism;
    const bool *cut;
    dal_tree *tree;
    dal_arena *arena;
    int n;            /* carriers so far */
    bool *inside;     /* of each body */
    int *depth;       /* of each body; the ground is 0 */
    int *first, *end; /* of each body, the ground's behind them: its ends of joints, first[b] ... first[b + 1] */
    way *heap;        /* the ways that were met so far, the best on top; some lead to bodies that came inside since */
    int n_heap;
    size_t cap_heap;
} growth;

static bool usable_tree(const growth *g, int j)
{
    const dal_joint *joint = &g->mechanism->joints[j];
    if (!joint->type || joint->type->class != DAL_JOINT_PAIR || (g->cut && g->cut[j]))
        return false;
    const char *motion = motion_of(g->mechanism, joint);
    return motion && (g->mechanism->space == DAL_PLANAR || !strchr(motion, 'L'));
}

static bool is_inside(const growth *g, int body)
{
    return body == DAL_GROUND || g->inside[body];
}

/* Fewest freedoms, then least depth, then the order of the file. */
static bool better_tree(const way *a, const way *b)
{
    if (a->freedoms != b->freedoms)
        return a->freedoms < b->freedoms;
    return a->depth != b->depth ? a->depth < b->depth : a->joint < b->joint;
}

static void push_way(growth *g, way added)
{
    int at = g->n_heap;
    *DAL_PUSH(g->arena, g->heap, g->n_heap, g->cap_heap) = added;
    for (; at > 0 && better_tree(&added, &g->heap[(at - 1) / 2]); at = (at - 1) / 2)
        g->heap[at] = g->heap[(at - 1) / 2];
    g->heap[at] = added;
}

static way pop_way(growth *g)
{
    const way top = g->heap[0], last = g->heap[--g->n_heap];
    int at = 0;
    for (int child; (child = 2 * at + 1) < g->n_heap; at = child) {
        if (child + 1 < g->n_heap && better_tree(&g->heap[child + 1], &g->heap[child]))
            child++;
        if (!better_tree(&g->heap[child], &last))
            break;
        g->heap[at] = g->heap[child];
    }
    g->heap[at] = last;
    return top;
}

/* Where the body has joints: ends 2 j and 2 j + 1 of joint j. */
static void list_ends(growth *g)
{
    const dal_mechanism *m = g->mechanism;
    int *fill = DAL_NEW(g->arena, int, m->n_bodies + 2);
    g->first = DAL_NEW(g->arena, int, m->n_bodies + 2);
    g->end = DAL_NEW(g->arena, int, 2 * m->n_joints);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < m->n_joints; j++)
            for (int k = 0; k < 2 && usable_tree(g, j); k++) {
                int body = m->joints[j].marker[k].body;
                body = body == DAL_GROUND ? m->n_bodies : body;
                if (pass == 0)
                    g->first[body + 1]++;
                else
                    g->end[fill[body]++] = 2 * j + k;
            }
        for (int b = 0; b <= m->n_bodies && pass == 0; b++) {
            g->first[b + 1] += g->first[b];
            fill[b] = g->first[b];
        }
    }
}

/* The ways that lead outside from a body that came inside, or from the ground. */
static void add_ways(growth *g, int body)
{
    const dal_mechanism *m = g->mechanism;
    const int at = body == DAL_GROUND ? m->n_bodies : body;
    for (int i = g->first[at]; i < g->first[at + 1]; i++) {
        const int j = g->end[i] / 2, k = g->end[i] % 2, child = m->joints[j].marker[1 - k].body;
        if (is_inside(g, child))
            continue;
        dal_motion_step step[MOST_STEPS];
        int n = read_motion(motion_of(m, &m->joints[j]), k == 1, m->bodies[child].particle, step);
        push_way(g, (way){j, k, freedoms(n, step), body == DAL_GROUND ? 0 : g->depth[body]});
    }
}

static void add_carrier(growth *g, dal_carrier carrier, int depth)
{
    carrier.particle = g->mechanism->bodies[carrier.body].particle;
    g->inside[carrier.body] = true;
    g->depth[carrier.body] = depth;
    g->tree->carrier[g->n++] = carrier;
    add_ways(g, carrier.body);
}

static void add_joint(growth *g, const way *found)
{
    const dal_marker *marker = g->mechanism->joints[found->joint].marker;
    dal_carrier carrier = {.joint = found->joint, .marker_parent = found->parent_marker};
    carrier.from = marker[found->parent_marker];
    carrier.to = marker[1 - found->parent_marker];
    carrier.parent = carrier.from.body;
    carrier.body = carrier.to.body;
    if (g->inside[carrier.body])
        return; /* another way was better */
    add_carrier(g, carrier, found->depth + 1);
    g->tree->carries[found->joint] = carrier.body;
}

static void grow_tree(growth *g)
{
    int outside = 0;
    list_ends(g);
    add_ways(g, DAL_GROUND);
    while (g->n < g->mechanism->n_bodies) {
        if (g->n_heap) {
            const way found = pop_way(g);
            add_joint(g, &found);
            continue;
        }
        while (g->inside[outside])
            outside++;
        dal_carrier carrier = {.parent = DAL_GROUND, .body = outside, .joint = -1, .from = at_origin, .to = at_origin};
        carrier.to.body = carrier.body;
        add_carrier(g, carrier, 1);
    }
}

/* Tree by tree in the order of growth; each from its root along every branch to the end, branches in the order in which their joints stand
 * in the file. The columns of a tree are contiguous, and so are those of a branch. */
static void sort_by_branches(dal_arena *arena, dal_tree *tree)
{
    const int n = tree->n_bodies;
    const dal_carrier *grown = tree->carrier;
    int *at = DAL_NEW(arena, int, n), *first = DAL_NEW(arena, int, n), *next = DAL_NEW(arena, int, n), sorted = 0;
    for (int i = 0; i < n; i++) {
        at[grown[i].body] = i;
        first[i] = next[i] = -1;
    }
    for (int j = tree->n_joints - 1; j >= 0; j--) {
        const int body = tree->carries[j], parent = body < 0 ? DAL_GROUND : grown[at[body]].parent;
        if (parent == DAL_GROUND)
            continue;
        next[body] = first[parent];
        first[parent] = body;
    }
    tree->carrier = DAL_NEW(arena, dal_carrier, n);
    for (int i = 0; i < n; i++) {
        if (grown[i].parent != DAL_GROUND)
            continue;
        for (int body = grown[i].body; body >= 0;) {
            tree->carrier_of[body] = sorted;
            tree->carrier[sorted] = grown[at[body]];
            tree->carrier[sorted++].tree = tree->n_trees;
            int onwards = first[body];
            while (onwards < 0 && body != grown[i].body) { /* back to where another branch begins */
                onwards = next[body];
                body = grown[at[body]].parent;
            }
            body = onwards;
        }
        tree->n_trees++;
    }
}

static void number_steps(dal_arena *arena, const dal_mechanism *m, dal_tree *tree)
{
    const int *winding = windings_of_bodies(arena, m);
    size_t capacity = 0;
    for (int i = 0; i < tree->n_bodies; i++) {
        dal_carrier *c = &tree->carrier[i];
        dal_motion_step step[MOST_STEPS];
        c->n_steps = c->joint < 0 ? free_steps(m, c->body, winding, step) : joint_steps(m, c->joint, c->marker_parent == 1, c->particle, step);
        move_markers(c, c->n_steps, step);
        c->step = tree->n_steps;
        for (int k = 0; k < c->n_steps; k++) {
            dal_motion_step *s = DAL_PUSH(arena, tree->step, tree->n_steps, capacity);
            *s = step[k];
            if (s->kind == DAL_STEP_CONSTANT)
                continue;
            s->q = tree->nq;
            s->v = tree->nv;
            c->first = c->n_own ? c->first : s->v;
            c->n_own += dal_step_velocities(s);
            tree->nq += dal_step_coordinates(s);
            tree->nv += dal_step_velocities(s);
        }
    }
}

dal_tree *dal_tree_build(dal_arena *arena, const dal_mechanism *mechanism, const bool *cut)
{
    const int n = mechanism->n_bodies;
    dal_tree *tree = DAL_NEW(arena, dal_tree, 1);
    growth g = {.mechanism = mechanism, .cut = cut, .tree = tree, .arena = arena, .inside = DAL_NEW(arena, bool, n), .depth = DAL_NEW(arena, int, n)};
    tree->n_bodies = n;
    tree->n_joints = mechanism->n_joints;
    tree->carrier = DAL_NEW(arena, dal_carrier, n);
    tree->carrier_of = DAL_NEW(arena, int, n);
    tree->carries = DAL_NEW(arena, int, mechanism->n_joints);
    for (int j = 0; j < mechanism->n_joints; j++)
        tree->carries[j] = -1;
    grow_tree(&g);
    sort_by_branches(arena, tree);
    number_steps(arena, mechanism, tree);
    tree->flat = dal_tree_is_flat(tree, mechanism);
    if (tree->flat)
        dal_flat_hinges(tree);
    return tree;
}

bool dal_tree_holds(const dal_tree *tree, const dal_mechanism *mechanism, int row)
{
    int joint = mechanism->rows[row].joint;
    return tree->carries[joint] >= 0 && row != mechanism->joints[joint].drive;
}

/* ---- the layout ------------------------------------------------------------------ */

/* A body moves with the columns of its parent and its own. Where these are: body by body in the order of the tree. False: there are too
 * many to be numbered. */
static bool place_columns(const dal_tree *tree, dal_layout *layout)
{
    size_t total = 0;
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        dal_body_layout *at = &layout->body[c->body];
        at->column = at->jacobian = total <= INT_MAX ? (int)total : 0;
        at->n_rot = c->particle ? 0 : layout->mechanism->space == DAL_PLANAR ? 1 : 3;
        at->n_columns = c->parent == DAL_GROUND ? 0 : layout->body[c->parent].n_columns;
        for (int s = c->step; s < c->step + c->n_steps; s++)
            for (int k = 0; k < dal_step_velocities(&tree->step[s]); k++) {
                layout->angular[tree->step[s].v + k] = tree->step[s].kind != DAL_STEP_SHIFT;
                at->n_columns++;
            }
        total += (size_t)at->n_columns;
    }
    layout->n_jacobian = total <= INT_MAX ? (int)total : 0;
    return total <= INT_MAX;
}

void dal_tree_list_columns(const dal_layout *layout, int *list)
{
    const dal_tree *tree = layout->tree;
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        int *own = list + layout->body[c->body].column;
        if (c->parent != DAL_GROUND) {
            const dal_body_layout *parent = &layout->body[c->parent];
            memcpy(own, list + parent->column, sizeof *own * (size_t)parent->n_columns);
            own += parent->n_columns;
        }
        for (int s = c->step; s < c->step + c->n_steps; s++)
            for (int k = 0; k < dal_step_velocities(&tree->step[s]); k++)
                *own++ = tree->step[s].v + k;
    }
}

/* One block of M a tree that moves. False: there are too many entries to be numbered. */
static bool list_blocks(const dal_tree *tree, dal_layout *layout)
{
    size_t total = 0;
    for (int i = 0, last = -1; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        int n = c->n_steps ? freedoms(c->n_steps, tree->step + c->step) : 0;
        if (!n)
            continue;
        if (c->tree != last)
            layout->block[layout->n_blocks++].column = layout->nv;
        last = c->tree;
        layout->block[layout->n_blocks - 1].n += n;
        layout->nv += n;
    }
    for (int i = 0; i < layout->n_blocks; i++) {
        layout->block[i].value = total <= INT_MAX ? (int)total : 0;
        total += (size_t)layout->block[i].n * (size_t)layout->block[i].n;
    }
    layout->n_mass = total <= INT_MAX ? (int)total : 0;
    return total <= INT_MAX;
}

void dal_tree_columns(dal_arena *arena, dal_layout *layout)
{
    const dal_tree *tree = layout->tree;
    layout->nq = tree->nq;
    layout->block = DAL_NEW(arena, dal_mass_block, tree->n_trees);
    layout->angular = DAL_NEW(arena, int, tree->nv);
    bool numbered = list_blocks(tree, layout);
    numbered &= place_columns(tree, layout);
    if (!numbered && !layout->columnless)
        dal_arena_alloc(arena, SIZE_MAX); /* there is no such memory */
    if (!numbered)
        layout->n_jacobian = -1;
    if (layout->columnless)
        return;
    layout->n_body_columns = layout->n_jacobian;
    layout->body_column = DAL_NEW(arena, int, layout->n_body_columns);
    dal_tree_list_columns(layout, layout->body_column);
}

const dal_block_array dal_tree_arrays[] = {DAL_ARRAY(dal_tree, carrier, n_bodies),
                                           DAL_ARRAY(dal_tree, carrier_of, n_bodies),
                                           DAL_ARRAY(dal_tree, step, n_steps),
                                           DAL_ARRAY(dal_tree, carries, n_joints),
                                           {0}};

/* ---- names -------------------------------------------------------------------------- */

static const char *owner_of(const dal_mechanism *m, const dal_carrier *c)
{
    if (c->joint < 0)
        return m->bodies[c->body].name;
    return m->joints[c->joint].label ? m->joints[c->joint].label : m->joints[c->joint].name;
}

/* How many bodies are free against the ground? */
static int count_free(const dal_tree *tree)
{
    int n = 0;
    for (int i = 0; i < tree->n_bodies; i++)
        n += tree->carrier[i].joint < 0;
    return n;
}

/* Is it one of the short coordinate names of a single free body? A joint of that name then keeps its full name. */
static bool is_word_of_base(const char *name)
{
    static const char *const words[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "wx", "wy", "wz", NULL};
    return dal_is_one_of(name, words);
}

/* "shoulder.angle'" -> "shoulder'", "base.x'" -> "x'": the owner alone, or the part after it, if it is unique. */
static void make_plain(const dal_tree *tree, const dal_mechanism *m, const dal_carrier *c, char *buffer)
{
    const size_t length = strlen(buffer), head = strlen(owner_of(m, c)) + 1; /* with the dot */
    int numbers = 0;
    for (int s = c->step; s < c->step + c->n_steps; s++)
        numbers += dal_step_velocities(&tree->step[s]);
    if (head >= length)
        return; /* the buffer was short */
    if (c->joint >= 0 && numbers == 1 && !(count_free(tree) == 1 && is_word_of_base(owner_of(m, c))))
        strcpy(buffer + head - 1, buffer[length - 1] == '\'' ? "'" : "");
    else if (c->joint < 0 && count_free(tree) == 1)
        memmove(buffer, buffer + head, length - head + 1);
}

/* `at`: which of the step's numbers; `number`: which of the carrier's, from 1. */
static void name_step(const dal_mechanism *m, const dal_carrier *c, const dal_motion_step *step, bool velocity, int at, int number, char *buffer,
                      size_t size)
{
    static const char *const axes[] = {"x", "y", "z"}, *const quaternion[] = {"qw", "qx", "qy", "qz"}, *const spin[] = {"wx", "wy", "wz"};
    const char *owner = owner_of(m, c), *prime = velocity ? "'" : "";
    if (step->kind == DAL_STEP_BALL) {
        snprintf(buffer, size, "%s.%s", owner, velocity ? spin[at] : quaternion[at]);
        return;
    }
    const char *word = NULL;
    if (c->joint < 0)
        word = step->kind == DAL_STEP_SHIFT ? axes[step->axis] : "angle";
    else if (step->coordinate >= 0)
        word = dal_joint_in(m->joints[c->joint].type, m->space)->coordinates[step->coordinate];
    if (word)
        snprintf(buffer, size, "%s.%s%s", owner, word, prime);
    else
        snprintf(buffer, size, "%s.%d%s", owner, number, prime);
}

void dal_tree_name(const dal_tree *tree, const dal_mechanism *mechanism, bool plain, bool velocity, int k, char *buffer, size_t size)
{
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        int number = 1;
        for (int s = c->step; s < c->step + c->n_steps; s++) {
            const dal_motion_step *step = &tree->step[s];
            int first = velocity ? step->v : step->q, n = velocity ? dal_step_velocities(step) : dal_step_coordinates(step);
            if (n && k >= first && k < first + n) {
                name_step(mechanism, c, step, velocity, k - first, number, buffer, size);
                if (plain && size)
                    make_plain(tree, mechanism, c, buffer);
                return;
            }
            number += n;
        }
    }
    snprintf(buffer, size, "%d", k + 1);
}

#endif
