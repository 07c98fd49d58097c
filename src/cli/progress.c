/* The progress of a run, on one line of the terminal that is cleared at the end. */
#include "cli/cli.h"

#include <math.h>
#include <unistd.h>

dal_progress dal_progress_begin(bool quiet)
{
    return (dal_progress){.wanted = !quiet && isatty(STDERR_FILENO)};
}

bool dal_progress_show(void *user, double t, double until, long steps, double wall_seconds)
{
    dal_progress *progress = user;
    (void)steps;
    if (progress->wanted && wall_seconds > 1) {
        double done = until > 0 ? t / until : 0;
        double left = done > 0 ? wall_seconds * (1 - done) / done : INFINITY;
        fprintf(stderr, "\r\033[K%3.0f %%  t = %.4g of %.4g s  %.3g x real time", 100 * done, t, until, t / wall_seconds);
        if (left < 1e7)
            fprintf(stderr, "  %.0f s left", left);
        fflush(stderr);
        progress->shown = true;
    }
    return !dal_caught_signal();
}

void dal_progress_end(dal_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
