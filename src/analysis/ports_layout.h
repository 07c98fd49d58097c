/* The places of the components of a network in its picture.
 *
 * Layers: bodies are wired to joints and forces only, joints to what acts on their coordinates, so that the layers of a breadth-first
 * search, from the ground or from the middle of a part without it, have wires between neighbours only. A layer is a column; wires run
 * in the gaps between columns and never behind a box. Within a column the order begins depth first and is improved by barycentres and
 * exchanges of neighbours (fewest crossings of several sweeps). Heights are found by least squares: each box as near as possible to
 * the middle of its neighbours, none nearer to the next than a gap. Parts that are not connected stand below each other.
 */
#ifndef DAL_ANALYSIS_PORTS_LAYOUT_H
#define DAL_ANALYSIS_PORTS_LAYOUT_H

#include "base/arena.h"
#include "dalembert/ports.h"

typedef struct dal_drawn_box {
    int part, layer;   /* part -1: not drawn */
    int place;         /* in its layer, from above */
    double x, y, w, h; /* left, top, size */
} dal_drawn_box;

typedef struct dal_drawn_port {
    bool right; /* on the right edge of its box, else on the left */
    int row;    /* on that edge, from above */
    double x, y;
} dal_drawn_port;

typedef struct dal_drawing {
    double width, height;
    dal_drawn_box *boxes; /* one a component */
    dal_drawn_port *ports;
} dal_drawing;

/* Pixels: of the lines with name and type, of a row with a port. */
enum { DAL_DRAWN_HEAD = 38, DAL_DRAWN_ROW = 28 };

/* `w` of the boxes is given. */
void dal_ports_arrange(dal_arena *arena, const dal_ports *ports, dal_drawing *drawing);

/* "18 states in bodies, 8 multipliers in joints, gravity in every body" (print_ports.c) */
void dal_ports_summary(const dal_ports *ports, char *text, size_t size);

#endif
