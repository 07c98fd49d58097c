/* The network of a model as tables for people and as JSON. */
#include "analysis/ports_layout.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static const char *const quantities[] = {"motion", "wrench", "coordinate", "effort"};
static const char *const kinds[] = {"ground", "body", "joint", "coupling", "constraint", "force"};

/* ---- words ---------------------------------------------------------------------------- */

static const char *port_word(const dal_ports *n, const dal_port *port)
{
    const dal_component_kind kind = n->components[port->component].kind;
    return *port->name ? port->name : kind == DAL_COMPONENT_GROUND || kind == DAL_COMPONENT_BODY ? "origin" : "-";
}

/* "[0.5, 0]" */
static void place_word(const dal_ports *n, const dal_port *port, char *text, size_t size)
{
    const double *p = port->at;
    if (!port->placed)
        snprintf(text, size, "%s", "");
    else if (n->space == DAL_PLANAR)
        snprintf(text, size, "[%.4g, %.4g]", p[0] + 0.0, p[1] + 0.0);
    else
        snprintf(text, size, "[%.4g, %.4g, %.4g]", p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
}

/* "crank.B", "guide.M" */
static void peer_word(const dal_ports *n, const dal_port *port, char *text, size_t size)
{
    const dal_port *peer = &n->ports[port->peer];
    snprintf(text, size, "%s%s%s", n->components[peer->component].name, *peer->name ? "." : "", peer->name);
}

static void flow_word(const dal_port_flow *flow, char *text, size_t size)
{
    snprintf(text, size, "%s %d", quantities[flow->quantity], flow->n);
}

/* The own variables of a component. */
static void own_word(const dal_port_component *c, char *text, size_t size)
{
    int used = 0;
    const char *many = c->multipliers == 1 ? "" : "s";
    text[0] = '\0';
    if (c->n_states)
        used = snprintf(text, size, "%d states", c->n_states);
    if (c->multipliers)
        used += snprintf(text + used, size - (size_t)used, "%s%d multiplier%s", used ? ", " : "", c->multipliers, many);
    if (c->freedoms >= 0 && used < (int)size)
        used += snprintf(text + used, size - (size_t)used, ", leaves %d freedom%s%s%s", c->freedoms, c->freedoms == 1 ? "" : "s",
                         *c->leaves ? ": " : "", c->leaves);
    if (*c->carries && used < (int)size)
        snprintf(text + used, size - (size_t)used, "; %s", c->carries);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* Columns as wide as their widest entry, characters of UTF-8 counted once. */
enum { COLUMNS = 7, CELL = 200 };
typedef struct table {
    dal_printer *out; /* NULL: only measure */
    int width[COLUMNS];
} table;

static int characters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Control characters would break the line. */
static void print_cell(dal_printer *out, const char *text)
{
    for (; *text; text++)
        dal_print(out, "%c", (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

static void put_line(table *t, int n, const char *const *cells)
{
    int last = n;
    while (last > 0 && !*cells[last - 1])
        last--;
    for (int i = 0; i < last; i++) {
        const int wide = characters(cells[i]);
        if (!t->out) {
            t->width[i] = wide > t->width[i] ? wide : t->width[i];
            continue;
        }
        print_cell(t->out, cells[i]);
        if (i < last - 1)
            dal_print(t->out, "%*s", t->width[i] - wide + 2, "");
    }
    if (t->out)
        dal_print(t->out, "\n");
}

static void put_components(table *t, const dal_ports *n)
{
    static const char *const head[] = {"component", "type", "ports", "of its own"};
    put_line(t, 4, head);
    for (int i = 0; i < n->n_components; i++) {
        const dal_port_component *c = &n->components[i];
        char ports[16], own[CELL];
        snprintf(ports, sizeof ports, "%d", c->n_ports);
        own_word(c, own, sizeof own);
        const char *cells[] = {c->name, c->type, ports, own};
        put_line(t, 4, cells);
    }
}

static void put_ports(table *t, const dal_ports *n)
{
    static const char *const head[] = {"component", "port", "at", "wired to", "gives", "takes"};
    put_line(t, 6, head);
    for (int i = 0; i < n->n_ports; i++) {
        const dal_port *p = &n->ports[i];
        const dal_port_component *c = &n->components[p->component];
        char at[80], peer[2 * CELL], out[40], in[40];
        place_word(n, p, at, sizeof at);
        peer_word(n, p, peer, sizeof peer);
        flow_word(&p->out, out, sizeof out);
        flow_word(&p->in, in, sizeof in);
        const char *cells[] = {i == c->port ? c->name : "", port_word(n, p), at, peer, out, in};
        put_line(t, 6, cells);
    }
}

static void print_table(dal_printer *out, const dal_ports *n, void (*put)(table *, const dal_ports *))
{
    table t = {0};
    put(&t, n);
    t.out = out;
    dal_print(out, "\n");
    put(&t, n);
}

/* Equations of the paper: place, velocity, acceleration; outputs of a joint, outputs of a force. */
static const char *source_of(const dal_ports *n, const dal_port *port)
{
    const char *last = port->out.variables[port->out.n - 1];
    const size_t length = strlen(last);
    if (port->out.quantity == DAL_PORT_WRENCH)
        return n->components[port->component].multipliers ? "(17)" : "(6)";
    const bool spin = !strncmp(last, "w", 1);
    const int order = (length > 1 && !strcmp(last + length - 2, "''") ? 2 : length && last[length - 1] == '\'' ? 1 : 0) + spin;
    return order == 2 ? "(19), (25), (27)" : order == 1 ? "(19), (25)" : "(19)";
}

static void print_variables(dal_printer *out, const dal_port_flow *flow)
{
    for (int k = 0; k < flow->n; k++)
        if (strncmp(flow->variables[k], "R", 1))
            dal_print(out, " %s", flow->variables[k]);
        else if (!strcmp(flow->variables[k], "R11"))
            dal_print(out, " R (9)");
}

/* One line for each motion and wrench that occurs, by size: "motion 9    x y theta ..." */
static void print_flows(dal_printer *out, const dal_ports *n, dal_port_quantity quantity)
{
    enum { MOST = 24 };
    bool seen[MOST + 1] = {false};
    for (int i = 0; i < n->n_ports; i++) {
        const dal_port_flow *f = &n->ports[i].out;
        char word[40];
        if (f->quantity != quantity || f->n > MOST || seen[f->n])
            continue;
        seen[f->n] = true;
        flow_word(f, word, sizeof word);
        dal_print(out, "%-12s", word);
        print_variables(out, f);
        dal_print(out, " %s\n", source_of(n, &n->ports[i]));
    }
}

static int multipliers_in_bodies(const dal_ports *n)
{
    int sum = 0;
    for (int i = 0; i < n->n_components; i++)
        sum += n->components[i].kind == DAL_COMPONENT_BODY ? n->components[i].multipliers : 0;
    return sum;
}

void dal_ports_summary(const dal_ports *n, char *text, size_t size)
{
    char own[40] = "";
    const int bodies = multipliers_in_bodies(n);
    if (bodies)
        snprintf(own, sizeof own, " and %d in bodies", bodies);
    snprintf(text, size, "%d states in bodies, %d multipliers in joints%s%s", n->states, n->multipliers - bodies, own,
             n->gravity ? ", gravity in every body" : "");
}

static void print_legend(dal_printer *out, const dal_ports *n)
{
    bool coordinates = false;
    for (int i = 0; i < n->n_ports; i++)
        coordinates |= n->ports[i].out.quantity == DAL_PORT_COORDINATE;
    dal_print(out, "\n");
    print_flows(out, n, DAL_PORT_MOTION);
    print_flows(out, n, DAL_PORT_WRENCH);
    if (coordinates)
        dal_print(out, "%-12s of a joint: value, rate, acceleration where there are 3\n%-12s force or torque along it\n", "coordinate", "effort");
    if (n->multipliers)
        dal_print(out, "%-12s implicit variables of f'' + 2 alpha f' + beta^2 f = 0 (23), one an equation f = 0\n", "multipliers");
    if (multipliers_in_bodies(n))
        dal_print(out, "%-12s of a body: that of its Euler parameters e, f = e.e - 1\n", "");
}

static void count_kinds(const dal_ports *n, int count[6])
{
    for (int i = 0; i < n->n_components; i++)
        count[n->components[i].kind]++;
}

static void print_count(dal_printer *out, int n, const char *one, const char *many)
{
    if (n)
        dal_print(out, ", %d %s", n, n == 1 ? one : many);
}

int dal_ports_text(const dal_ports *n, char *buffer, size_t size)
{
    if (!n)
        return -1;
    dal_printer p = {buffer, size, 0};
    int count[6] = {0};
    char line[160];
    count_kinds(n, count);
    print_cell(&p, n->model);
    dal_print(&p, ": ground");
    print_count(&p, count[DAL_COMPONENT_BODY], "body", "bodies");
    print_count(&p, count[DAL_COMPONENT_JOINT], "joint", "joints");
    print_count(&p, count[DAL_COMPONENT_COUPLING], "coupling", "couplings");
    print_count(&p, count[DAL_COMPONENT_CONSTRAINT], "constraint", "constraints");
    print_count(&p, count[DAL_COMPONENT_FORCE], "force element", "force elements");
    dal_print(&p, "; %d wire%s\n", n->n_ports / 2, n->n_ports == 2 ? "" : "s");
    dal_ports_summary(n, line, sizeof line);
    dal_print(&p, "  %s\n", line);
    print_table(&p, n, put_components);
    if (n->n_ports) {
        print_table(&p, n, put_ports);
        print_legend(&p, n);
    }
    return p.length;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_flow(dal_json *json, const char *key, const dal_port_flow *flow)
{
    dal_json_open(dal_json_line(json, "\n     "), key, '{');
    dal_json_string(json, "quantity", quantities[flow->quantity]);
    dal_json_strings(json, "variables", flow->n, flow->variables);
    dal_json_close(json, '}');
}

static void write_port(dal_json *json, const dal_ports *n, const dal_port *port)
{
    const dal_port *peer = &n->ports[port->peer];
    dal_json_open(dal_json_line(json, "\n    "), NULL, '{');
    dal_json_string(json, "name", port->name);
    if (port->placed)
        dal_json_numbers(json, "at", (int)n->space, port->at);
    else
        dal_json_null(json, "at");
    dal_json_open(json, "to", '{');
    dal_json_string(json, "component", n->components[peer->component].name);
    dal_json_integer(json, "index", peer->component);
    dal_json_string(json, "port", peer->name);
    dal_json_close(json, '}');
    write_flow(json, "out", &port->out);
    write_flow(json, "in", &port->in);
    dal_json_close(json, '}');
}

static void write_component(dal_json *json, const dal_ports *n, const dal_port_component *c)
{
    dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
    dal_json_string(json, "name", c->name);
    dal_json_string(json, "kind", kinds[c->kind]);
    dal_json_string(json, "type", c->type);
    dal_json_strings(dal_json_line(json, "\n   "), "states", c->n_states, c->states);
    dal_json_integer(json, "multipliers", c->multipliers);
    if (c->freedoms < 0)
        dal_json_null(json, "freedoms");
    else
        dal_json_integer(json, "freedoms", c->freedoms);
    dal_json_string(json, "leaves", c->leaves);
    dal_json_string(json, "carries", c->carries);
    dal_json_open(dal_json_line(json, "\n   "), "ports", '[');
    for (int k = 0; k < c->n_ports; k++)
        write_port(json, n, &n->ports[c->port + k]);
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

static void write_ports(dal_json *json, const void *of)
{
    const dal_ports *n = of;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "model", n->model);
    dal_json_string(json, "space", n->space == DAL_PLANAR ? "planar" : "spatial");
    dal_json_truth(json, "gravity", n->gravity);
    dal_json_integer(json, "states", n->states);
    dal_json_integer(json, "multipliers", n->multipliers);
    dal_json_integer(json, "wires", n->n_ports / 2);
    dal_json_open(dal_json_line(json, "\n "), "components", '[');
    for (int i = 0; i < n->n_components; i++)
        write_component(json, n, &n->components[i]);
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

int dal_ports_json(const dal_ports *n, char *buffer, size_t size)
{
    return n ? dal_json_text(buffer, size, write_ports, n) : -1;
}
