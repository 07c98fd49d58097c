/* From a system to a network: bodies become body components, joints, couplings and constraints joint components, and each side of
 * a joint gets a port of its own on its body: at the joint's marker there, or at the frame of a body that the joint has no marker on.
 * The rows of a joint are taken over with their vectors in port axes,
 *     s_port = B^T (s - s_marker) (points),   B^T s (directions).
 */
#include "component/network.h"

#include "math/vec.h"

#include <string.h>

enum { DENSE_ROWS = 64 }; /* up to here S is factored as a dense matrix */

typedef struct builder {
    const dal_layout *layout;
    const dal_method *method;
    dal_program *const *joint_forms;
    dal_arena *arena;
    dal_network *network;
    dal_port_place *place; /* of connections */
    size_t cap_connections, cap_places, cap_times, cap_turns, cap_meetings;
    int n_places;
    int *measure;       /* of the mechanism: its number in the joint at work, or -1 */
    double alpha, beta; /* (23) */
} builder;

/* ---- ports -------------------------------------------------------------------------------- */

static dal_port_place port_of(const dal_joint *joint, int body)
{
    dal_port_place place = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 2 + joint->n_further; k++)
        if (joint->marker[k].body == body && dal_dot(joint->marker[k].B, joint->marker[k].B) > 0) { /* couplings have none */
            memcpy(place.s, joint->marker[k].s, sizeof place.s);
            memcpy(place.B, joint->marker[k].B, sizeof place.B);
            break;
        }
    return place;
}

/* The side of a joint on a body, added if it is new. */
static int side_of(builder *b, int j, int body)
{
    dal_network *n = b->network;
    const int at = body == DAL_GROUND ? n->n_bodies : body;
    for (int c = n->of_joint[j]; c < n->n_connections; c++)
        if (n->connection[c].body == at)
            return n->connection[c].side;
    const int side = n->n_connections - n->of_joint[j];
    *DAL_PUSH(b->arena, b->place, b->n_places, b->cap_places) = port_of(&b->layout->mechanism->joints[j], body);
    *DAL_PUSH(b->arena, n->connection, n->n_connections, b->cap_connections) = (dal_connection){j, side, at, 0};
    return side;
}

/* ---- joints --------------------------------------------------------------------------------- */

static int copy_vector(builder *b, dal_mechanism *to, int j, int vector)
{
    if (vector < 0)
        return -1;
    const dal_vector *x = &b->layout->mechanism->vectors[vector];
    const int side = side_of(b, j, x->body);
    const dal_port_place *place = &b->place[b->network->of_joint[j] + side];
    double from[3], s[3];
    dal_copy3(x->s, from);
    if (x->point)
        dal_sub3(x->s, place->s, from);
    dal_mulT3(place->B, from, s);
    return dal_add_vector(to, side, x->point, s);
}

static int copy_measure(builder *b, dal_mechanism *to, int j, int number)
{
    const dal_measure *from = &b->layout->mechanism->measures[number];
    dal_network *n = b->network;
    if (b->measure[number] >= 0)
        return b->measure[number];
    dal_measure copy = {.kind = from->kind, .vector = {-1, -1, -1, -1}, .winding = -1, .wanted = true};
    for (int k = 0; k < 4; k++)
        copy.vector[k] = copy_vector(b, to, j, from->vector[k]);
    if (from->winding >= 0) {
        copy.winding = to->n_windings++;
        *DAL_PUSH(b->arena, n->turns, n->n_turns, b->cap_turns) = (dal_feed){j, copy.winding, from->winding};
    }
    *DAL_PUSH(b->arena, to->measures, to->n_measures, to->cap_measures) = copy;
    return b->measure[number] = to->n_measures - 1;
}

static void copy_row(builder *b, dal_mechanism *to, int j, const dal_row *from, int *n_outputs, int *n_times)
{
    const dal_mechanism *m = b->layout->mechanism;
    dal_network *n = b->network;
    dal_row row = *from;
    row.term = to->n_terms;
    row.joint = 0;
    for (int k = from->term; k < from->term + from->n_terms; k++) {
        const dal_term term = {copy_measure(b, to, j, m->terms[k].measure), m->terms[k].coef};
        *DAL_PUSH(b->arena, to->terms, to->n_terms, to->cap_terms) = term;
    }
    if (from->form >= 0) {
        row.form = *n_outputs;
        *n_outputs += dal_row_outputs(from);
    }
    if (from->time >= 0) {
        *DAL_PUSH(b->arena, n->times, n->n_times, b->cap_times) = (dal_feed){j, *n_times, from->time};
        row.time = (*n_times)++;
    }
    *DAL_PUSH(b->arena, to->rows, to->n_rows, to->cap_rows) = row;
}

/* Variables of the forms that this joint has: its own measures, and time. */
static void copy_needs(builder *b, int j, dal_joint_data *data)
{
    const dal_layout *layout = b->layout;
    if (!b->joint_forms || !b->joint_forms[j])
        return;
    data->forms.program = b->joint_forms[j];
    data->forms.n_variables = layout->forms.n_variables;
    data->forms.need = DAL_NEW(b->arena, int, 2 * layout->forms.n_needs);
    data->forms.rate = DAL_NEW(b->arena, int, 2 * layout->forms.n_rates);
    for (int i = 0; i < layout->forms.n_rates; i++) {
        const int own = b->measure[layout->forms.rate[2 * i + 1]];
        if (own < 0)
            continue;
        data->forms.rate[2 * data->forms.n_rates] = layout->forms.rate[2 * i];
        data->forms.rate[2 * data->forms.n_rates++ + 1] = own;
    }
    for (int i = 0; i < layout->forms.n_needs; i++) {
        const int measure = layout->forms.need[2 * i + 1], own = measure < 0 ? -1 : b->measure[measure];
        if (measure >= 0 && own < 0)
            continue;
        data->forms.need[2 * data->forms.n_needs] = layout->forms.need[2 * i];
        data->forms.need[2 * data->forms.n_needs++ + 1] = own;
    }
}

static void build_joint(builder *b, int j)
{
    const dal_mechanism *m = b->layout->mechanism;
    const dal_joint *joint = &m->joints[j];
    dal_mechanism own;
    int n_outputs = 0, n_times = 0;
    dal_mechanism_begin(&own, b->arena, m->space);
    own.joints = DAL_NEW(b->arena, dal_joint, 1);
    own.n_joints = 1;
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        copy_row(b, &own, j, &m->rows[i], &n_outputs, &n_times);
    own.n_bodies = b->network->n_connections - b->network->of_joint[j];
    own.bodies = DAL_NEW(b->arena, dal_body, own.n_bodies);
    dal_joint_data data = {.mechanism = &own, .n_times = n_times, .alpha = b->alpha, .beta = b->beta};
    copy_needs(b, j, &data);
    b->network->joint[j] = dal_joint_component_create(b->arena, &data);
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        for (int k = m->rows[i].term; k < m->rows[i].term + m->rows[i].n_terms; k++)
            b->measure[m->terms[k].measure] = -1;
}

static void build_joints(builder *b)
{
    dal_network *n = b->network;
    const dal_mechanism *m = b->layout->mechanism;
    n->joint = DAL_NEW(b->arena, dal_joint_component *, n->n_joints);
    n->of_joint = DAL_NEW(b->arena, int, n->n_joints + 1);
    n->row = DAL_NEW(b->arena, int, n->n_joints + 1);
    b->measure = DAL_NEW(b->arena, int, m->n_measures);
    memset(b->measure, -1, sizeof *b->measure * (size_t)m->n_measures);
    for (int j = 0; j < n->n_joints; j++) {
        n->of_joint[j] = n->n_connections;
        n->row[j] = m->joints[j].row;
        build_joint(b, j);
    }
    n->of_joint[n->n_joints] = n->n_connections;
    n->row[n->n_joints] = n->n_rows;
}

/* ---- bodies -------------------------------------------------------------------------------- */

static void build_bodies(builder *b)
{
    dal_network *n = b->network;
    const dal_mechanism *m = b->layout->mechanism;
    int *count = DAL_NEW(b->arena, int, n->n_bodies + 2);
    dal_port_place *ports = DAL_NEW(b->arena, dal_port_place, n->n_connections);
    n->of_body = DAL_NEW(b->arena, int, n->n_bodies + 2);
    n->at_port = DAL_NEW(b->arena, int, n->n_connections);
    n->body = DAL_NEW(b->arena, dal_body_component *, n->n_bodies + 1);
    n->own_row = DAL_NEW(b->arena, int, n->n_bodies);
    for (int c = 0; c < n->n_connections; c++)
        n->connection[c].port = count[n->connection[c].body]++;
    for (int i = 0; i <= n->n_bodies; i++)
        n->of_body[i + 1] = n->of_body[i] + count[i];
    for (int c = 0; c < n->n_connections; c++) {
        const int at = n->of_body[n->connection[c].body] + n->connection[c].port;
        ports[at] = b->place[c];
        n->at_port[at] = c;
    }
    for (int i = 0; i <= n->n_bodies; i++) {
        const dal_body_data data = {.space = m->space,
                                    .body = i < n->n_bodies ? &m->bodies[i] : NULL,
                                    .parameters = b->layout->family->attitude == DAL_OWN_PARAMETERS,
                                    .alpha = b->alpha,
                                    .beta = b->beta,
                                    .n_ports = count[i],
                                    .ports = ports + n->of_body[i]};
        n->body[i] = dal_body_component_create(b->arena, &data);
        if (i < n->n_bodies)
            n->own_row[i] = dal_body_component_rows(n->body[i]) ? b->layout->body[i].intrinsic : -1;
    }
}

/* ---- S ------------------------------------------------------------------------------------- */

static int rows_of(const dal_network *n, int j)
{
    return n->row[j + 1] - n->row[j];
}

/* Which joints meet at a body that moves, and through which of their connections. */
static void find_meetings(builder *b)
{
    dal_network *n = b->network;
    for (int i = 0; i < n->n_bodies; i++)
        for (int p = n->of_body[i]; p < n->of_body[i + 1]; p++)
            for (int q = n->of_body[i]; q < n->of_body[i + 1]; q++)
                *DAL_PUSH(b->arena, n->meeting, n->n_meetings, b->cap_meetings) = (dal_meeting){.c = n->at_port[p], .d = n->at_port[q]};
}

static void place_dense(dal_network *n)
{
    for (int k = 0; k < n->n_meetings; k++) {
        dal_meeting *at = &n->meeting[k];
        const size_t rows = (size_t)n->n_rows;
        at->base = (size_t)n->row[n->connection[at->c].joint] * rows + (size_t)n->row[n->connection[at->d].joint];
        at->row_stride = rows;
        at->column_stride = 1;
    }
    n->n_entries = n->n_rows * n->n_rows;
}

/* Columns of S: of a joint's rows, the rows of all joints that it meets, itself among them, ascending. */
static void place_sparse(builder *b)
{
    dal_network *n = b->network;
    int *mark = DAL_NEW(b->arena, int, n->n_joints), *offset = DAL_NEW(b->arena, int, n->n_joints);
    int *first = DAL_NEW(b->arena, int, n->n_joints + 1), *list = DAL_NEW(b->arena, int, n->n_meetings);
    size_t capacity = 0;
    n->start = DAL_NEW(b->arena, int, n->n_rows + 1);
    for (int k = 0; k < n->n_meetings; k++)
        first[n->connection[n->meeting[k].d].joint + 1]++;
    for (int j = 0; j < n->n_joints; j++)
        first[j + 1] += first[j];
    int *fill = DAL_NEW(b->arena, int, n->n_joints);
    for (int k = 0; k < n->n_meetings; k++) {
        const int j = n->connection[n->meeting[k].d].joint;
        list[first[j] + fill[j]++] = k;
    }
    for (int j = 0; j < n->n_joints; j++) {
        mark[j] = j + 1;
        for (int k = first[j]; k < first[j + 1]; k++)
            mark[n->connection[n->meeting[list[k]].c].joint] = j + 1;
        int used = 0;
        for (int i = 0; i < n->n_joints; i++)
            if (mark[i] == j + 1) {
                offset[i] = used;
                used += rows_of(n, i);
            }
        for (int k = first[j]; k < first[j + 1]; k++) {
            dal_meeting *at = &n->meeting[list[k]];
            at->base = (size_t)n->n_entries + (size_t)offset[n->connection[at->c].joint];
            at->row_stride = 1;
            at->column_stride = (size_t)used;
        }
        for (int c = 0; c < rows_of(n, j); c++) {
            n->start[n->row[j] + c] = n->n_entries;
            for (int i = 0; i < n->n_joints; i++)
                for (int r = 0; mark[i] == j + 1 && r < rows_of(n, i); r++)
                    *DAL_PUSH(b->arena, n->pattern_row, n->n_entries, capacity) = n->row[i] + r;
        }
    }
    n->start[n->n_rows] = n->n_entries;
}

static dal_status build(void *user)
{
    builder *b = user;
    dal_network *n = b->network = DAL_NEW(b->arena, dal_network, 1);
    n->n_bodies = b->layout->mechanism->n_bodies;
    n->n_joints = b->layout->mechanism->n_joints;
    n->n_rows = b->layout->n_extrinsic;
    n->n_all = b->layout->n_rows;
    if (b->method->stabilization->stabilises_gamma) {
        b->alpha = b->method->alpha;
        b->beta = b->method->beta;
    }
    build_joints(b);
    build_bodies(b);
    find_meetings(b);
    n->dense = n->n_rows <= DENSE_ROWS || !dal_sparse_available();
    if (n->dense)
        place_dense(n);
    else
        place_sparse(b);
    n->S = DAL_NEW(b->arena, double, n->n_entries);
    n->pivots = DAL_NEW(b->arena, int, n->n_rows);
    n->wrench = DAL_NEW(b->arena, dal_port_wrench, n->n_connections);
    n->residual = DAL_NEW(b->arena, double, n->n_rows);
    n->change = DAL_NEW(b->arena, double, n->n_rows);
    n->scale = DAL_NEW(b->arena, double, n->n_rows);
    n->independent = DAL_NEW(b->arena, bool, n->n_all);
    return DAL_OK;
}

dal_network *dal_network_create(const dal_allocator *allocator, const dal_layout *layout, const dal_method *method, dal_program *const *joint_forms)
{
    dal_arena arena;
    builder b = {.layout = layout, .method = method, .joint_forms = joint_forms, .arena = &arena};
    dal_arena_begin(&arena, allocator);
    dal_network *network = dal_arena_try(&arena, build, &b) == DAL_OK ? b.network : NULL;
    if (network && !network->dense)
        network->sparse = dal_sparse_create(allocator, network->n_rows, network->start, network->pattern_row);
    if (!network || (!network->dense && !network->sparse) || !(network->arena = dal_arena_keep(&arena))) {
        if (network)
            dal_sparse_free(network->sparse);
        dal_arena_release(&arena);
        return NULL;
    }
    return network;
}

void dal_network_free(dal_network *network)
{
    if (!network)
        return;
    dal_sparse_free(network->sparse);
    if (network->implicit)
        dal_arena_dispose(network->implicit->arena);
    dal_arena_dispose(network->arena);
}
