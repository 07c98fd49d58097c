/* A steady motion on a circle may be shifted where nothing holds its centre: a car on a plane. The shift stays in the world. The frame of the
 * linearisation turns with the rate W about an axis, and sees it turn the other way:
 *
 *     x' = W y,  y' = -W x          eigenvalues +- i |W|,  y = i sign(W) x for the one with im > 0
 *
 * with x, y across the axis in this order, the same for all bodies of the circle, which do not turn in it.
 */
#include "linear/linear.h"

#include <math.h>

static const double small = 1e-6; /* of the largest motion of the shape, and of the rate */

/* |a + i b|^2 */
static double square(double a, double b)
{
    return a * a + b * b;
}

/* Does the body do nothing in the mode, or shift as above, by the same vector as the others? */
static bool is_part_of_shift(const dal_mode *mode, int body, const dal_frame *frame, const double shift_re[3], const double shift_im[3])
{
    const double *re = mode->bodies_re + 6 * body, *im = mode->bodies_im + 6 * body;
    double moves = 0, turns = 0, differs = 0;
    for (int k = 0; k < 3; k++) {
        moves += square(re[k], im[k]);
        turns += square(re[3 + k], im[3 + k]);
        differs += square(re[k] - shift_re[k], im[k] - shift_im[k]);
    }
    return turns < small * small && (moves < small * small || (differs < small * small && frame->turns));
}

bool dal_mode_shifts_circle(const dal_linear *linear, const dal_mode *mode)
{
    const int bodies = linear->point.layout->mechanism->n_bodies;
    const dal_frame *frames = linear->steady.frames, *turning = NULL;
    double shift_re[3], shift_im[3];
    for (int b = 0; b < bodies && frames && mode->im > 0 && !turning; b++) {
        double moves = 0;
        for (int k = 0; k < 3; k++)
            moves += square(mode->bodies_re[6 * b + k], mode->bodies_im[6 * b + k]);
        if (!(moves > small * small) || !frames[b].turns || !(fabs(mode->im - fabs(frames[b].rate)) < small * mode->im) ||
            !(fabs(mode->re) < small * mode->im))
            continue;
        const int x = (frames[b].axis + 1) % 3, y = (frames[b].axis + 2) % 3;
        const double sign = frames[b].rate > 0 ? 1 : -1;
        turning = &frames[b];
        shift_re[x] = mode->bodies_re[6 * b + x];
        shift_im[x] = mode->bodies_im[6 * b + x];
        shift_re[y] = -sign * shift_im[x]; /* i sign x */
        shift_im[y] = sign * shift_re[x];
        shift_re[turning->axis] = shift_im[turning->axis] = 0;
    }
    bool shifts = turning != NULL;
    for (int b = 0; b < bodies && shifts; b++)
        shifts = is_part_of_shift(mode, b, &frames[b], shift_re, shift_im);
    return shifts;
}
