/* Charts of curves that are given as numbers: panels one below the other, each with its axes, linear or logarithmic. */
#ifndef DAL_OUTPUT_CHART_H
#define DAL_OUTPUT_CHART_H

#include "output/svg.h"

typedef struct dal_curve {
    const char *name; /* in the legend; NULL: it has no entry */
    int n;
    const double *x, *y; /* what is not finite, or not positive on a logarithmic axis, interrupts the line */
    int color;           /* number for dal_svg_color */
    bool thin;           /* a line for orientation: grey and dashed */
} dal_curve;

typedef struct dal_chart_panel {
    const char *x_title, *y_title;
    bool x_log, y_log;
    bool equal;                              /* a length is the same along both axes */
    double x_least, x_most, y_least, y_most; /* where the axes end; both 0: where the curves end */
    int n_curves;
    const dal_curve *curves;
} dal_chart_panel;

/* A picture of so many pixels (0: as it comes) with a title (NULL: none). The text grows in the arena of `svg`. */
void dal_chart_draw(dal_svg *svg, dal_arena *arena, int width, int height, const char *title, int n_panels, const dal_chart_panel *panels);

#endif
