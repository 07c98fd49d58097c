/* Places of components in a picture: layers, order within a layer, heights. What is minimised: ports_layout.h. */
#include "analysis/ports_layout.h"

#include <stdlib.h>
#include <string.h>

enum { GAP_X = 96, GAP_Y = 18, MARGIN = 24, LONE_COLUMNS = 6, SWEEPS = 12, SETTLE = 24, MOST_COUNTED = 1500 };

typedef struct layout {
    const dal_ports *net;
    dal_drawing *d;
    int *list; /* boxes of a part, column by column, each from above */
    int n, n_layers;
    int *start;                    /* of each column in the list, n_layers + 1 */
    int *best;                     /* places of the order with fewest crossings */
    double *key;                   /* the key of a box for sorting */
    double *wish, *level, *weight; /* of least squares */
    int *block;
    int *parent; /* of the search */
} layout;

static const dal_drawn_box *peer_box(const layout *l, int port)
{
    return &l->d->boxes[l->net->ports[l->net->ports[port].peer].component];
}

static bool is_ground(const layout *l, int box)
{
    return l->net->components[box].kind == DAL_COMPONENT_GROUND;
}

/* ---- layers ------------------------------------------------------------------------------ */

/* Breadth first through boxes that belong to another part; returns the number of boxes found, in l->list. */
static int search(layout *l, int root, int part)
{
    int n = 0;
    l->list[n++] = root;
    l->parent[root] = root;
    l->d->boxes[root].part = part;
    l->d->boxes[root].layer = 0;
    for (int i = 0; i < n; i++) {
        const dal_port_component *c = &l->net->components[l->list[i]];
        for (int p = c->port; p < c->port + c->n_ports; p++) {
            const int other = l->net->ports[l->net->ports[p].peer].component;
            if (l->d->boxes[other].part == part)
                continue;
            l->d->boxes[other].part = part;
            l->d->boxes[other].layer = l->d->boxes[l->list[i]].layer + 1;
            l->parent[other] = l->list[i];
            l->list[n++] = other;
        }
    }
    return n;
}

/* Sorts the boxes of the list depth first, so that connected boxes are neighbours in the columns. Uses l->best as its stack. */
static void sort_depth_first(layout *l, int root, int part)
{
    int n = 0, depth = 0;
    int *stack = l->best, *next = l->block; /* next: the port to continue with */
    l->list[n++] = stack[depth++] = root;
    l->d->boxes[root].part = -4 - part;
    next[root] = 0;
    while (depth > 0) {
        const int box = stack[depth - 1];
        const dal_port_component *c = &l->net->components[box];
        if (next[box] == c->n_ports) {
            depth--;
            continue;
        }
        const int other = l->net->ports[l->net->ports[c->port + next[box]++].peer].component;
        if (l->d->boxes[other].part != part)
            continue;
        l->d->boxes[other].part = -4 - part;
        next[other] = 0;
        l->list[n++] = stack[depth++] = other;
    }
    for (int i = 0; i < n; i++)
        l->d->boxes[l->list[i]].part = part;
}

/* A body half-way along a longest shortest path of the part, found from its first box; numbers below -1 are parts of the search only. */
static int middle_of(layout *l, int first)
{
    const int far = l->list[search(l, first, -2) - 1];
    int box = l->list[search(l, far, -3) - 1];
    for (int up = l->d->boxes[box].layer / 2; up > 0; up--)
        box = l->parent[box];
    return l->net->components[box].kind == DAL_COMPONENT_BODY ? box : l->parent[box];
}

/* Columns of the boxes in l->list; places in the order of the list. */
static void make_columns(layout *l)
{
    l->n_layers = 0;
    for (int i = 0; i < l->n; i++)
        if (l->d->boxes[l->list[i]].layer >= l->n_layers)
            l->n_layers = l->d->boxes[l->list[i]].layer + 1;
    memset(l->start, 0, sizeof *l->start * (size_t)(l->n_layers + 1));
    for (int i = 0; i < l->n; i++)
        l->start[l->d->boxes[l->list[i]].layer + 1]++;
    for (int k = 0; k < l->n_layers; k++)
        l->start[k + 1] += l->start[k];
    int *sorted = l->best, *next = l->block;
    memcpy(next, l->start, sizeof *next * (size_t)l->n_layers);
    for (int i = 0; i < l->n; i++) {
        dal_drawn_box *box = &l->d->boxes[l->list[i]];
        box->place = next[box->layer] - l->start[box->layer];
        sorted[next[box->layer]++] = l->list[i];
    }
    memcpy(l->list, sorted, sizeof *sorted * (size_t)l->n);
}

/* ---- order in the columns -------------------------------------------------------------------- */

/* Crossings of the wires between a column and the next. */
static long crossings_of(const layout *l, int layer)
{
    typedef struct wire {
        int from, to;
    } wire;
    wire wires[MOST_COUNTED];
    int n = 0;
    long crossings = 0;
    for (int i = l->start[layer]; i < l->start[layer + 1]; i++) {
        const dal_port_component *c = &l->net->components[l->list[i]];
        for (int p = c->port; p < c->port + c->n_ports && n < MOST_COUNTED; p++)
            if (peer_box(l, p)->layer == layer + 1)
                wires[n++] = (wire){i, peer_box(l, p)->place};
    }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            crossings += wires[a].from < wires[b].from && wires[a].to > wires[b].to;
    return crossings;
}

static long crossings(const layout *l)
{
    long n = 0;
    for (int k = 0; k + 1 < l->n_layers; k++)
        n += crossings_of(l, k);
    return n;
}

/* Sorts a column by the mean place of its neighbours in the column beside it. */
static void sort_column(layout *l, int layer, int beside)
{
    int *column = l->list + l->start[layer], n = l->start[layer + 1] - l->start[layer];
    for (int i = 0; i < n; i++) {
        const dal_port_component *c = &l->net->components[column[i]];
        double sum = 0;
        int wires = 0;
        for (int p = c->port; p < c->port + c->n_ports; p++)
            if (peer_box(l, p)->layer == beside)
                sum += peer_box(l, p)->place, wires++;
        const int others = l->start[beside + 1] - l->start[beside];
        l->key[column[i]] = wires ? sum / wires : (double)i * others / n;
    }
    for (int i = 1; i < n; i++) /* stable */
        for (int k = i; k > 0 && l->key[column[k - 1]] > l->key[column[k]]; k--) {
            int swap = column[k];
            column[k] = column[k - 1];
            column[k - 1] = swap;
        }
    for (int i = 0; i < n; i++)
        l->d->boxes[column[i]].place = i;
}

/* Crossings of the wires of two boxes of a column with a above b, on both sides; the other way round they are those of (b, a). */
static long crossings_between(const layout *l, int a, int b)
{
    const dal_port_component *upper = &l->net->components[a], *lower = &l->net->components[b];
    long n = 0;
    for (int p = upper->port; p < upper->port + upper->n_ports; p++)
        for (int q = lower->port; q < lower->port + lower->n_ports; q++)
            n += peer_box(l, p)->layer == peer_box(l, q)->layer && peer_box(l, p)->place > peer_box(l, q)->place;
    return n;
}

/* Exchanges neighbours in the columns while that removes crossings. */
static void exchange_neighbours(layout *l)
{
    bool better = true;
    for (int pass = 0; better && pass < SWEEPS; pass++) {
        better = false;
        for (int i = 0; i + 1 < l->n; i++) {
            dal_drawn_box *a = &l->d->boxes[l->list[i]], *b = &l->d->boxes[l->list[i + 1]];
            if (a->layer != b->layer || crossings_between(l, l->list[i], l->list[i + 1]) <= crossings_between(l, l->list[i + 1], l->list[i]))
                continue;
            const int swap = l->list[i];
            l->list[i] = l->list[i + 1];
            l->list[i + 1] = swap;
            a->place++;
            b->place--;
            better = true;
        }
    }
}

static void order_columns(layout *l)
{
    long fewest = crossings(l);
    memcpy(l->best, l->list, sizeof *l->list * (size_t)l->n);
    for (int sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
        if (sweep % 2 == 0)
            for (int k = 1; k < l->n_layers; k++)
                sort_column(l, k, k - 1);
        else
            for (int k = l->n_layers - 2; k >= 0; k--)
                sort_column(l, k, k + 1);
        exchange_neighbours(l);
        const long now = crossings(l);
        if (now < fewest) {
            fewest = now;
            memcpy(l->best, l->list, sizeof *l->list * (size_t)l->n);
        }
    }
    memcpy(l->list, l->best, sizeof *l->list * (size_t)l->n);
    for (int i = 0; i < l->n; i++) {
        dal_drawn_box *box = &l->d->boxes[l->list[i]];
        box->place = i - l->start[box->layer];
    }
}

/* ---- ports on the edges ------------------------------------------------------------------------ */

/* The place of the other end of a port, from above: by box, then by its row. */
static double height_of_peer(const layout *l, int port)
{
    const int peer = l->net->ports[port].peer;
    return peer_box(l, port)->place + 1e-3 * l->d->ports[peer].row;
}

/* Rows of the ports of a box, in the order in which their wires leave. */
static void order_ports(layout *l, int box)
{
    const dal_port_component *c = &l->net->components[box];
    dal_drawn_port *ports = l->d->ports;
    for (int p = c->port; p < c->port + c->n_ports; p++)
        ports[p].right = peer_box(l, p)->layer > l->d->boxes[box].layer;
    for (int p = c->port; p < c->port + c->n_ports; p++) {
        int row = 0;
        for (int o = c->port; o < c->port + c->n_ports; o++)
            if (o != p && ports[o].right == ports[p].right) {
                const double other = height_of_peer(l, o), own = height_of_peer(l, p);
                row += other < own || (!(other > own) && o < p);
            }
        ports[p].row = row;
    }
}

static void size_box(layout *l, int box)
{
    const dal_port_component *c = &l->net->components[box];
    int rows = 0;
    for (int p = c->port; p < c->port + c->n_ports; p++)
        rows = l->d->ports[p].row >= rows ? l->d->ports[p].row + 1 : rows;
    l->d->boxes[box].h = DAL_DRAWN_HEAD + DAL_DRAWN_ROW * rows + (rows ? 4 : 0);
}

static double port_offset(const layout *l, int port)
{
    return DAL_DRAWN_HEAD + DAL_DRAWN_ROW * (l->d->ports[port].row + 0.5);
}

/* ---- heights -------------------------------------------------------------------------------------- */

/* The top that would make the wires of a box level, on average; the ground adapts. */
static double wished_top(const layout *l, int box, bool from_left)
{
    const dal_port_component *c = &l->net->components[box];
    double sum = 0;
    int n = 0;
    for (int both = 0; both < 2 && n == 0; both++) /* of one side; of the other where there is none */
        for (int p = c->port; p < c->port + c->n_ports; p++) {
            const int peer = l->net->ports[p].peer, other = l->net->ports[peer].component;
            if (is_ground(l, other) || l->d->ports[p].right == (from_left == (both == 0)))
                continue;
            sum += l->d->boxes[other].y + port_offset(l, peer) - port_offset(l, p);
            n++;
        }
    return n ? sum / n : l->d->boxes[box].y;
}

/* min sum (y_i - wish_i)^2 with y_(i+1) >= y_i + h_i + gap: pool adjacent violators on z_i = y_i - (h_0 + gap + ...). */
static void settle_column(layout *l, int layer, bool from_left)
{
    const int first = l->start[layer], n = l->start[layer + 1] - first;
    double offset = 0;
    int blocks = 0;
    for (int i = 0; i < n; i++) {
        const int box = l->list[first + i];
        l->level[blocks] = wished_top(l, box, from_left) - offset;
        l->weight[blocks] = 1;
        l->block[i] = 0;
        blocks++;
        while (blocks > 1 && l->level[blocks - 2] > l->level[blocks - 1]) {
            const double w = l->weight[blocks - 2] + l->weight[blocks - 1];
            l->level[blocks - 2] = (l->level[blocks - 2] * l->weight[blocks - 2] + l->level[blocks - 1] * l->weight[blocks - 1]) / w;
            l->weight[blocks - 2] = w;
            blocks--;
        }
        offset += l->d->boxes[box].h + GAP_Y;
    }
    offset = 0;
    for (int i = 0, b = 0, used = 0; i < n; i++) {
        dal_drawn_box *box = &l->d->boxes[l->list[first + i]];
        box->y = l->level[b] + offset;
        offset += box->h + GAP_Y;
        if (++used == (int)(l->weight[b] + 0.5))
            b++, used = 0;
    }
}

static void stack_columns(layout *l)
{
    for (int k = 0; k < l->n_layers; k++) {
        double y = 0;
        for (int i = l->start[k]; i < l->start[k + 1]; i++) {
            l->d->boxes[l->list[i]].y = y;
            y += l->d->boxes[l->list[i]].h + GAP_Y;
        }
    }
}

static void settle_heights(layout *l)
{
    stack_columns(l);
    for (int i = 0; i < SETTLE; i++) {
        if (i % 2 == 0)
            for (int k = l->n_layers - 2; k >= 0; k--)
                settle_column(l, k, false);
        else
            for (int k = 1; k < l->n_layers; k++)
                settle_column(l, k, true);
    }
}

/* ---- places ------------------------------------------------------------------------------------------ */

static void place_port(layout *l, int port)
{
    const dal_drawn_box *box = &l->d->boxes[l->net->ports[port].component];
    dal_drawn_port *p = &l->d->ports[port];
    p->x = p->right ? box->x + box->w : box->x;
    p->y = box->y + port_offset(l, port);
}

/* The ground reaches from its first wire to its last, each level. */
static void stretch_ground(layout *l, int box)
{
    const dal_port_component *c = &l->net->components[box];
    dal_drawn_box *ground = &l->d->boxes[box];
    double top = 1e300, bottom = -1e300;
    for (int p = c->port; p < c->port + c->n_ports; p++) {
        l->d->ports[p].y = l->d->ports[l->net->ports[p].peer].y;
        top = l->d->ports[p].y < top ? l->d->ports[p].y : top;
        bottom = l->d->ports[p].y > bottom ? l->d->ports[p].y : bottom;
    }
    ground->y = top - DAL_DRAWN_HEAD - 0.5 * DAL_DRAWN_ROW;
    ground->h = bottom - ground->y + 0.5 * DAL_DRAWN_ROW + 4;
}

/* Columns side by side, the part below what is there already. */
static void place_part(layout *l)
{
    double x = MARGIN, top = 1e300;
    for (int k = 0; k < l->n_layers; k++) {
        double wide = 0;
        for (int i = l->start[k]; i < l->start[k + 1]; i++)
            wide = l->d->boxes[l->list[i]].w > wide ? l->d->boxes[l->list[i]].w : wide;
        for (int i = l->start[k]; i < l->start[k + 1]; i++) {
            dal_drawn_box *box = &l->d->boxes[l->list[i]];
            box->x = x + 0.5 * (wide - box->w);
            top = box->y < top ? box->y : top;
        }
        x += wide + GAP_X;
    }
    const double shift = l->d->height + GAP_Y - top;
    for (int i = 0; i < l->n; i++) {
        const dal_port_component *c = &l->net->components[l->list[i]];
        l->d->boxes[l->list[i]].y += shift;
        for (int p = c->port; p < c->port + c->n_ports; p++)
            place_port(l, p);
    }
    for (int i = 0; i < l->n; i++)
        if (is_ground(l, l->list[i]))
            stretch_ground(l, l->list[i]);
    for (int i = 0; i < l->n; i++) {
        const dal_drawn_box *box = &l->d->boxes[l->list[i]];
        l->d->height = box->y + box->h > l->d->height ? box->y + box->h : l->d->height;
    }
    l->d->width = x - GAP_X + MARGIN > l->d->width ? x - GAP_X + MARGIN : l->d->width;
}

static void layout_part(layout *l)
{
    make_columns(l);
    order_columns(l);
    for (int i = 0; i < 2; i++) /* rows of one end depend on those of the other */
        for (int k = 0; k < l->n; k++)
            order_ports(l, l->list[k]);
    for (int k = 0; k < l->n; k++)
        size_box(l, l->list[k]);
    settle_heights(l);
    place_part(l);
}

static void allocate_layout(layout *l, dal_arena *arena, int n)
{
    l->list = DAL_NEW(arena, int, n + 1);
    l->start = DAL_NEW(arena, int, n + 2);
    l->best = DAL_NEW(arena, int, n + 1);
    l->block = DAL_NEW(arena, int, n + 1);
    l->parent = DAL_NEW(arena, int, n + 1);
    l->key = DAL_NEW(arena, double, n + 1);
    l->level = DAL_NEW(arena, double, n + 1);
    l->weight = DAL_NEW(arena, double, n + 1);
}

void dal_ports_arrange(dal_arena *arena, const dal_ports *net, dal_drawing *drawing)
{
    layout l = {.net = net, .d = drawing};
    int part = 0;
    allocate_layout(&l, arena, net->n_components);
    for (int i = 0; i < net->n_components; i++)
        drawing->boxes[i].part = -1;
    for (int i = 0; i < net->n_components; i++) { /* the ground is the first */
        if (drawing->boxes[i].part >= 0 || !net->components[i].n_ports)
            continue;
        const int root = is_ground(&l, i) ? i : middle_of(&l, i);
        l.n = search(&l, root, part);
        sort_depth_first(&l, root, part++);
        layout_part(&l);
    }
    l.n = 0;
    for (int i = 0; i < net->n_components; i++) { /* components without wires */
        if (net->components[i].n_ports || is_ground(&l, i))
            continue;
        drawing->boxes[i].part = part;
        drawing->boxes[i].layer = l.n % LONE_COLUMNS;
        l.list[l.n++] = i;
    }
    if (l.n)
        layout_part(&l);
}
