/* The iteration of gauss_newton.h, and its solver for dense rows, by singular values. The sparse one: assemble_sparse.c. */
#include "start/gauss_newton.h"

#include "math/rank.h"
#include "start/assembly.h"

#include <math.h>
#include <string.h>

static const double longest = 0.5; /* step, in lengths and radians */
enum { MOST_CUT = 5000 };          /* steps that are cut to this length, and close the gap by the same share */

bool dal_newton_dense(dal_newton *newton, int rows)
{
    const int n = newton->n;
    int used = 0;
    for (int i = 0; i < rows; i++) {
        double *row = newton->A + (size_t)used * (size_t)n;
        if (!newton->rows->row(newton->user, i, row, &newton->b[used]))
            continue;
        for (int k = 0; k < n; k++) {
            newton->b[used] -= row[k] * newton->e[k];
            row[k] *= newton->S[k];
        }
        used++;
    }
    memset(newton->x, 0, sizeof *newton->x * (size_t)n);
    if (used)
        dal_rank_solve(newton->A, used, n, n, DAL_RANK_TOLERANCE, newton->b, newton->x, newton->work);
    return true;
}

double dal_newton_step(dal_newton *newton, int rows)
{
    double step = 0;
    if (!newton->solve(newton, rows))
        return NAN;
    newton->solves++;
    for (int k = 0; k < newton->n; k++) {
        newton->x[k] = newton->e[k] + newton->S[k] * newton->x[k];
        if (newton->S[k] != 0)
            step = fmax(step, newton->rows->size(newton->user, k, newton->x[k]));
    }
    return step;
}

void dal_newton_move(dal_newton *newton, double step, double part)
{
    const double scale = step > longest ? part * longest / step : part;
    for (int k = 0; k < newton->n; k++)
        newton->x[k] *= scale;
    newton->rows->move(newton->user, newton->x);
}

double dal_newton_close(dal_newton *newton, int rows, int most)
{
    double worst = newton->rows->evaluate(newton->user);
    memset(newton->e, 0, sizeof *newton->e * (size_t)newton->n);
    for (int i = 0, cut = 0; i < most && worst < HUGE_VAL; i++) {
        const double before = worst, step = dal_newton_step(newton, rows);
        if (isnan(step))
            break;
        dal_newton_move(newton, step, 1);
        worst = newton->rows->evaluate(newton->user);
        if (step > longest && worst < before * (1 - longest / step / 2) && cut++ < MOST_CUT)
            i--; /* still far, but each step brings it nearer: many turns of a screw */
        if ((worst <= dal_closed && step < 1e-9) || step < 1e-15)
            break;
    }
    return worst;
}
