/* Places on an axis that are easy to read. */
#include "output/svg.h"

#include <math.h>
#include <stdio.h>

static double nice_step(double range, int wanted)
{
    const double raw = range / wanted, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

dal_ticks dal_ticks_choose(double least, double most, int wanted)
{
    dal_ticks t = {.unit = 1};
    const double range = most - least, size = fmax(fabs(least), fabs(most));
    if (!(range > 0))
        return t;
    if (range < 1e-4 * size) { /* long, similar labels: differences from a round number instead */
        const double round = nice_step(1e3 * range, 1);
        t.offset = floor(least / round) * round;
        if (t.offset + range == t.offset || range < 1e-9 * size)
            t.offset = least;
    }
    t.step = nice_step(range, wanted);
    t.first = t.offset + ceil((least - t.offset) / t.step - 1e-9) * t.step;
    t.n = (int)floor((most - t.first) / t.step + 1e-9) + 1;
    const double largest = fmax(fabs(least - t.offset), fabs(most - t.offset));
    if (largest >= 1e5 || largest < 1e-3 || (largest < 1 && t.step < 1e-5))
        t.unit = pow(10, floor(log10(largest)));
    t.digits = (int)fmax(0, -floor(log10(t.step / t.unit) + 1e-9));
    return t;
}

void dal_tick_label(const dal_ticks *t, int i, char *buffer, size_t size)
{
    double value = (t->first - t->offset + i * t->step) / t->unit;
    if (fabs(value) < 1e-9 * t->step / t->unit)
        value = 0;
    snprintf(buffer, size, "%.*f", t->digits, value);
}
