/* Charts of curves in memory: panels one below the other, each with its axes, linear or logarithmic. */
#ifndef DAL_OUTPUT_CHART_H
#define DAL_OUTPUT_CHART_H

#include "output/svg.h"

typedef struct dal_curve {
    const char *name; /* in the legend; NULL: it has no entry */
    int n;
    const double *x, *y; /* a value that is not finite, or not positive on a logarithmic axis, interrupts the line */
    int color;           /* number for dal_svg_color */
    bool thin;           /* a reference line: grey and dashed */
} dal_curve;

typedef struct dal_chart_panel {
    const char *x_title, *y_title;
    bool x_log, y_log;
    bool equal;                              /* equal scales on both axes */
    double x_least, x_most, y_least, y_most; /* ends of the axes; both 0: ends of the curves */
    int n_curves;
    const dal_curve *curves;
} dal_chart_panel;

/* A picture with this size in pixels (0: default) and a title (NULL: none). The text grows in the arena of `svg`. */
void dal_chart_draw(dal_svg *svg, dal_arena *arena, int width, int height, const char *title, int n_panels, const dal_chart_panel *panels);

#endif
