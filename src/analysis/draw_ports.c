/* The network of a model as an SVG picture: bodies as boxes with their ports along the edges, joints as rounded boxes between them, forces
 * as plain ones, the ground hatched. A wire is two arrows: the output of its carrier, and the answer. ports_layout.h finds the places. */
#include "analysis/ports_layout.h"
#include "base/printer.h"
#include "base/argument.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

enum { LONGEST = 26 }; /* characters of a name that are drawn */
#define NAME_WIDE 7.6  /* of a character of a name, px, at most on average */
#define WORD_WIDE 6.2  /* of one of the small ones */

/* Length of the UTF-8 sequence at `text`; 0: it is not valid, or XML does not allow the character. */
static int sequence(const unsigned char *text)
{
    const unsigned char c = text[0];
    const int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if (n == 1)
        return c >= 0x20 && c != 0x7f;
    if (n == 3 && ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] >= 0xa0) || (c == 0xef && text[1] == 0xbf && text[2] >= 0xbe)))
        return 0; /* overlong, a surrogate, U+FFFE */
    return n == 4 && ((c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] >= 0x90)) ? 0 : n;
}

static int characters(const char *text)
{
    int n = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; n++)
        c += sequence(c) ? sequence(c) : 1;
    return n;
}

/* The first `most` characters, with an ellipsis if there are more; characters that XML does not allow become U+FFFD. */
static void print_xml(dal_printer *p, const char *text, int most)
{
    const int all = characters(text);
    const unsigned char *c = (const unsigned char *)text;
    for (int i = 0; *c && i < (all > most ? most - 1 : all); i++) {
        const int n = sequence(c);
        if (!n)
            dal_print(p, "\xef\xbf\xbd");
        else if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
            dal_print(p, "%s", *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&quot;");
        else
            dal_print(p, "%.*s", n, (const char *)c);
        c += n ? n : 1;
    }
    if (all > most)
        dal_print(p, "\xe2\x80\xa6");
}

static void print_text(dal_printer *p, double x, double y, const char *class, const char *text, int most)
{
    dal_print(p, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    print_xml(p, text, most);
    dal_print(p, "</text>\n");
}

static double wide(const char *text, double character)
{
    const int n = characters(text);
    return character * (n > LONGEST ? LONGEST : n);
}

/* ---- boxes --------------------------------------------------------------------------------------- */

static const char *port_word(const dal_ports *n, const dal_port *port)
{
    const dal_component_kind kind = n->components[port->component].kind;
    const bool body = kind == DAL_COMPONENT_GROUND || kind == DAL_COMPONENT_BODY;
    return *port->name || !body ? port->name : "origin";
}

/* The line below the name. */
static void sub_word(const dal_port_component *c, char *text, size_t size)
{
    const char *carries = *c->carries ? ", " : "";
    if (c->kind == DAL_COMPONENT_GROUND)
        snprintf(text, size, "%s", "");
    else if (c->n_states && c->multipliers)
        snprintf(text, size, "%s, %d states, %d \xce\xbb", c->type, c->n_states, c->multipliers);
    else if (c->n_states)
        snprintf(text, size, "%s, %d states", c->type, c->n_states);
    else if (c->multipliers)
        snprintf(text, size, "%s, %d \xce\xbb%s%s", c->type, c->multipliers, carries, c->carries);
    else
        snprintf(text, size, "%s%s%s", c->type, carries, c->carries);
}

enum { HATCH = 10 }; /* at the left of the ground */

static double box_width(const dal_ports *n, const dal_port_component *c)
{
    char sub[200];
    double names = 0, w = wide(c->name, NAME_WIDE);
    sub_word(c, sub, sizeof sub);
    w = wide(sub, WORD_WIDE) > w ? wide(sub, WORD_WIDE) : w;
    for (int p = c->port; p < c->port + c->n_ports; p++) {
        const double name = wide(port_word(n, &n->ports[p]), WORD_WIDE);
        names = name > names ? name : names;
    }
    w = 2 * names + 14 > w ? 2 * names + 14 : w;
    return w + 24 + (c->kind == DAL_COMPONENT_GROUND ? HATCH : 0);
}

static void draw_box(dal_printer *p, const dal_port_component *c, const dal_drawn_box *b)
{
    static const char *const classes[] = {"ground", "body", "joint", "coupling", "constraint", "force"};
    const bool round = c->kind == DAL_COMPONENT_JOINT || c->kind == DAL_COMPONENT_COUPLING || c->kind == DAL_COMPONENT_CONSTRAINT;
    char sub[200];
    sub_word(c, sub, sizeof sub);
    dal_print(p, "<g class=\"%s\"><title>", classes[c->kind]);
    print_xml(p, c->name, 1000);
    dal_print(p, ": %s</title>\n", c->title);
    dal_print(p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>\n", b->x, b->y, b->w, b->h, round ? 14 : 2);
    if (c->kind == DAL_COMPONENT_GROUND)
        dal_print(p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" class=\"hatch\"/>\n", b->x, b->y, HATCH, b->h);
    const double middle = b->x + 0.5 * (b->w + (c->kind == DAL_COMPONENT_GROUND ? HATCH : 0));
    print_text(p, middle, b->y + 17, "name", c->name, LONGEST);
    print_text(p, middle, b->y + 31, "sub", sub, LONGEST);
    dal_print(p, "</g>\n");
}

static void draw_port(dal_printer *p, const dal_ports *n, int port, const dal_drawing *d)
{
    const dal_drawn_port *at = &d->ports[port];
    dal_print(p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"13\" class=\"port\"/>\n", at->x - 4, at->y - 6.5);
    print_text(p, at->right ? at->x - 8 : at->x + 8, at->y + 3.5, at->right ? "right" : "left", port_word(n, &n->ports[port]), LONGEST);
}

/* ---- wires ------------------------------------------------------------------------------------------ */

/* One arrow from a port to another, `down` below their middle; its tip touches the port. */
static void draw_arrow(dal_printer *p, const dal_drawn_port *from, const dal_drawn_port *to, double down, const char *class)
{
    const double way = from->right ? 1 : -1, x1 = from->x + 4 * way, x2 = to->x - 4 * way, y1 = from->y + down, y2 = to->y + down;
    const double bend = 0.5 * (x2 - x1), drop = y2 > y1 ? fmin((y2 - y1) / 40, 1) : fmax((y2 - y1) / 40, -1);
    const double aside = -1.3 * down * drop * way; /* keeps the two arrows of a steep wire apart */
    dal_print(p, "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" class=\"%s\"/>", x1, y1, x1 + bend + aside, y1, x2 - bend + aside, y2,
              x2 - 6 * way, y2, class);
    dal_print(p, "<path d=\"M%.1f %.1fl%.1f -2.7v5.4z\" class=\"%s point\"/>\n", x2, y2, -8 * way, class);
}

static void draw_wire(dal_printer *p, const dal_ports *n, int carrier, const dal_drawing *d)
{
    static const char *const letters[] = {"V", "F", "q", "Q"}, *const classes[] = {"motion", "wrench", "signal", "effort"};
    const dal_port *port = &n->ports[carrier];
    const dal_drawn_port *a = &d->ports[carrier], *b = &d->ports[port->peer];
    const double way = a->right ? 1 : -1;
    draw_arrow(p, a, b, -3, classes[port->out.quantity]);
    draw_arrow(p, b, a, 3, classes[port->in.quantity]);
    print_text(p, b->x - 10 * way, b->y - 6.5, classes[port->out.quantity], letters[port->out.quantity], 1);
    print_text(p, a->x + 10 * way, a->y + 12.5, classes[port->in.quantity], letters[port->in.quantity], 1);
}

static bool carries(const dal_port *port)
{
    return port->out.quantity == DAL_PORT_MOTION || port->out.quantity == DAL_PORT_COORDINATE;
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static const char style[] = "<style>\n"
                            "text{font-family:Helvetica,Arial,sans-serif;font-size:10.5px;fill:#333}\n"
                            ".title{font-size:15px;font-weight:bold}\n"
                            ".name{font-size:12.5px;font-weight:bold;text-anchor:middle}\n"
                            ".sub{fill:#666;text-anchor:middle}\n"
                            ".left{font-size:10px}.right{font-size:10px;text-anchor:end}\n"
                            ".ground rect{fill:#f1f1f1;stroke:#555}.ground .hatch{fill:url(#hatch)}\n"
                            ".body rect{fill:#e8f1f8;stroke:#0072b2;stroke-width:1.4}\n"
                            ".joint rect{fill:#fdf1e3;stroke:#c05a00;stroke-width:1.4}\n"
                            ".coupling rect,.constraint rect{fill:#f7eaf2;stroke:#a8578a;stroke-width:1.4}\n"
                            ".force rect{fill:#eaf6f1;stroke:#00805c}\n"
                            ".port{fill:#fff;stroke:#444}\n"
                            "path{fill:none;stroke-width:1.2}\n"
                            "path.motion{stroke:#0072b2}path.wrench{stroke:#d55e00}path.signal{stroke:#777}path.effort{stroke:#00805c}\n"
                            "path.point{stroke:none}\n"
                            ".motion.point,text.motion{fill:#0072b2}.wrench.point,text.wrench{fill:#d55e00}\n"
                            ".signal.point,text.signal{fill:#777}.effort.point,text.effort{fill:#00805c}\n"
                            "text.motion,text.wrench,text.signal,text.effort{font-size:9px;font-style:italic;text-anchor:middle}\n"
                            "</style>\n"
                            "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                            "<path d=\"M0 6L6 0\" style=\"stroke:#777\"/></pattern></defs>\n";

enum { TOP = 46, LEGEND_LINE = 17 };

static void draw_key(dal_printer *p, double x, double y, const char *class, const char *letter, const char *text)
{
    dal_print(p, "<path d=\"M%.1f %.1fh26\" class=\"%s\"/><path d=\"M%.1f %.1fl-8 -2.7v5.4z\" class=\"%s point\"/>\n", x, y, class, x + 32, y, class);
    print_text(p, x + 42, y + 3, class, letter, 1);
    print_text(p, x + 52, y + 3.5, "left", text, 200);
}

static double draw_legend(dal_printer *p, const dal_ports *n, double y)
{
    bool joints = false, wires = false;
    for (int i = 0; i < n->n_ports; i++) {
        joints |= n->ports[i].out.quantity == DAL_PORT_COORDINATE;
        wires |= n->ports[i].out.quantity == DAL_PORT_MOTION;
    }
    if (wires) {
        draw_key(p, 24, y, "motion", "V", "motion of a port: place and axes (19), velocity (25), acceleration (27)");
        draw_key(p, 24, y + LEGEND_LINE, "wrench", "F", "wrench at a port: force and torque (17)");
        y += 2 * LEGEND_LINE;
    }
    if (joints) {
        draw_key(p, 24, y, "signal", "q", "coordinate of a joint, its rate and acceleration");
        draw_key(p, 24, y + LEGEND_LINE, "effort", "Q", "force or torque along it");
        y += 2 * LEGEND_LINE;
    }
    return y;
}

static int print_picture(const dal_ports *n, const dal_drawing *d, char *buffer, size_t size)
{
    enum { LEGEND_WIDTH = 440 };
    dal_printer p = {buffer, size, 0};
    char line[160];
    const double least = 48 + wide(n->model, 9.5) > LEGEND_WIDTH ? 48 + wide(n->model, 9.5) : LEGEND_WIDTH, w = d->width > least ? d->width : least;
    const double h = d->height + 24 + 4 * LEGEND_LINE;
    dal_print(&p, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>", w, h, w, h);
    print_xml(&p, n->model, 1000);
    dal_print(&p, "</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", style);
    print_text(&p, 24, 26, "title", n->model, LONGEST * 3);
    dal_ports_summary(n, line, sizeof line);
    print_text(&p, 24, 42, "left", line, 200);
    for (int i = 0; i < n->n_ports; i++)
        if (carries(&n->ports[i]))
            draw_wire(&p, n, i, d);
    for (int i = 0; i < n->n_components; i++)
        if (d->boxes[i].part >= 0)
            draw_box(&p, &n->components[i], &d->boxes[i]);
    for (int i = 0; i < n->n_ports; i++)
        draw_port(&p, n, i, d);
    draw_legend(&p, n, d->height + 28);
    dal_print(&p, "</svg>\n");
    return p.length;
}

typedef struct artist {
    dal_arena arena;
    const dal_ports *ports;
    dal_drawing drawing;
} artist;

static dal_status layout_ports(void *user)
{
    artist *a = user;
    const dal_ports *n = a->ports;
    a->drawing = (dal_drawing){0, TOP, DAL_NEW(&a->arena, dal_drawn_box, n->n_components), DAL_NEW(&a->arena, dal_drawn_port, n->n_ports)};
    for (int i = 0; i < n->n_components; i++)
        a->drawing.boxes[i].w = box_width(n, &n->components[i]);
    dal_ports_arrange(&a->arena, n, &a->drawing);
    return DAL_OK;
}

dal_status dal_ports_svg(const dal_allocator *allocator, const dal_ports *ports, dal_messages *messages, char **text)
{
    artist a = {.ports = ports};
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, ports) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (ports->n_components > DAL_PORTS_DRAWN) {
        dal_error(messages, dal_nowhere, "%d components are too many for a picture (at most %d): take the table, or a smaller model (--set)",
                  ports->n_components, DAL_PORTS_DRAWN);
        return DAL_BAD_MODEL;
    }
    dal_arena_begin(&a.arena, allocator);
    dal_status status = dal_arena_try(&a.arena, layout_ports, &a);
    if (status == DAL_OK) {
        const size_t size = (size_t)print_picture(ports, &a.drawing, NULL, 0) + 1;
        *text = a.arena.allocator.allocate(a.arena.allocator.user, size);
        if (*text)
            print_picture(ports, &a.drawing, *text, size);
        status = *text ? DAL_OK : DAL_NO_MEMORY;
    }
    dal_arena_release(&a.arena);
    return status;
}
