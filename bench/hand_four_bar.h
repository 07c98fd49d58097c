/* The four-bar linkage of models/four-bar.yaml, written by hand: y' of it in three families, for Lagrange's and Kane's equations. Three bars of length 4,
 * mass 3, inertia 4.04, joined at their ends; the last end is held at (4, 0). It is hand-written code for this one mechanism. */
#ifndef BENCH_HAND_FOUR_BAR_H
#define BENCH_HAND_FOUR_BAR_H

typedef void hand_function(const double *restrict y, double *restrict dy);

/* NULL: it was not written. */
hand_function *hand_four_bar(const char *family, const char *formulation);
/* State number j of several. */
void hand_state(const char *family, const char *formulation, int j, double *y);

/* The three systems of the paper on volterra-reduced, with its ratio of CPU times over Lagrange. */
#define BENCH_PAPER_CASES                                                                                                                            \
    {"cart-two-bars", NULL, 0.88}, {"three-bodies", NULL, 0.61},                                                                                     \
    {                                                                                                                                                \
        "satellite-boom", NULL, 0.81                                                                                                                 \
    }

#endif
