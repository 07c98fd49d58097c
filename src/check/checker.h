/* A check in progress: one subject a file (check_*.c); check.c calls them in order.
 *
 * Ranks are taken by a probe: the mechanism once more, in twists of the bodies (family `twist`: every row of every joint is there and no
 * attitude is singular) or in the model's own coordinates. Its results do not depend on the family of the run.
 */
#ifndef DAL_CHECK_CHECKER_H
#define DAL_CHECK_CHECKER_H

#include "dalembert/verdict.h"
#include "base/arena.h"
#include "state/evaluate.h"

/* Memory is the arena's; the probe lives as long as the system that it was made of. */
typedef struct dal_probe {
    const dal_system *system;
    dal_arena *arena;
    dal_mechanism mechanism;
    const dal_layout *layout;
    dal_work work;
    int m, r;
    double *scale;                 /* of each velocity: what a unit of it moves, in metres */
    double *A;                     /* r x m, columns over `scale`, rows at unit norm */
    double *unit;                  /* what each row was multiplied by */
    double *sigma;                 /* singular values of A */
    double *left;                  /* null vectors of A^T, rows */
    bool ranked;                   /* sigma is that of the present A */
    double *seen;                  /* entries of the rows that A was made of */
    double *svd, *svd_left;        /* scratch for r x m: without and with null vectors */
    double *K, *b, *x, *solve;     /* of the way back to the constraints: matrix, sides, scratch */
    double *variables, *registers; /* of the drives */
} dal_probe;

typedef struct dal_checker {
    const dal_spec *spec;
    const dal_check_options *options;
    dal_messages *messages, *heard;
    dal_arena arena;
    dal_verdict *verdict;
    dal_system *system; /* the one in work */
    dal_system *other;  /* the model in another family, or NULL */
    dal_state *state;   /* of it, at the start */
    dal_spec base;      /* a copy of the spec that may be changed */
    bool open;          /* the mechanism cannot be assembled */
    bool along_lost;    /* the run ended because an inertia is lost in rounding */
    size_t cap_warnings;
} dal_checker;

/* A warning of the check itself. */
void dal_check_warn(dal_checker *checker, dal_code code, double number, const char *format, ...) DAL_PRINTF(4, 5);
/* A warning of compile or of a run. */
void dal_check_hear(dal_checker *checker, const dal_message *message);

/* Rows, rank and freedoms at the start, where the probe is left. */
void dal_check_count(dal_checker *checker, dal_probe *probe);

/* ---- check_probe.c ------------------------------------------------------------ */

enum { DAL_CHECK_LARGEST = 1000 }; /* velocities up to which singular values are affordable */

/* A probe of this system, at no place yet. */
void dal_probe_begin(dal_probe *probe, dal_arena *arena, const dal_system *system);
void dal_probe_time(dal_probe *probe, double t);             /* drives at t */
void dal_probe_at(dal_probe *probe, const dal_state *state); /* where the bodies of a state are, and how they move */
void dal_probe_rows(dal_probe *probe);                       /* phi, and A scaled */
/* Moves the bodies until the rows hold (with `release` all but the driven ones), and evaluates them there; false: they cannot. */
bool dal_probe_close(dal_probe *probe, bool release);
/* Of the scaled A: singular values; null vectors of A^T if `left`. Returns the rank. What is known already is not computed again. */
int dal_probe_rank(dal_probe *probe, double tolerance, bool left);
/* sigma_k / sigma_1; 1 where there are no rows. */
double dal_probe_ratio(const dal_probe *probe, int rank);
/* A right side of the rows against the null vectors of A^T (n of them): max |z . b| / max |b|, or 0. b is per row, unscaled; sizes below
 * `least` are rounding. */
double dal_probe_conflict(const dal_probe *probe, int n, const double *b, double least);

/* "x", "[0.6, 0.8, 0]": a direction in world axes, of either sign. */
const char *dal_check_direction(dal_arena *arena, const double d[3], bool planar);
/* Words with commas between them. */
const char *dal_check_join(dal_arena *arena, const char *list, const char *word);

/* ---- check_redundancy.c ----------------------------------------------------------- */

/* The connected groups of the rows that take part in n null vectors of A^T, which are in probe->left; entries below `noise` are rounding. */
int dal_check_groups(dal_probe *probe, int n, double noise, const dal_check_group **groups);
/* The same as a mask of rows; returns how many. */
int dal_check_mask(const dal_probe *probe, int n, double noise, bool *mask);
/* Which rows are redundant, and whether they agree. */
void dal_check_redundancy(dal_checker *checker, dal_probe *probe);

/* ---- check_singular.c --------------------------------------------------------------- */

/* Leaves the probe at the start, or at a neighbour where the start is singular. */
void dal_check_singular(dal_checker *checker, dal_probe *probe);

/* ---- check_before.c ----------------------------------------------------------------- */

/* The same for a run, at the start of `state`, which it leaves there: the warnings of a check. True if the start is singular. */
bool dal_check_before_run(const dal_system *system, dal_state *state, const dal_allocator *allocator, dal_messages *messages);

/* ---- check_start.c -------------------------------------------------------------------- */

/* Changes by assembly, and open joints; the probe is at the start. */
void dal_check_start(dal_checker *checker, dal_probe *probe);

/* ---- check_inertia.c, check_scale.c, check_frequency.c, check_along.c ------------------ */

/* Ranks of M and of [M; A], and the motions without inertia. */
void dal_check_inertia(dal_checker *checker, dal_probe *probe);
/* Ratios of masses, inertias and lengths. */
void dal_check_scale(dal_checker *checker);
/* The fastest eigenvalue at the start, and the step that it allows. */
void dal_check_frequency(dal_checker *checker);
/* The run of `along`, with the rank at its instants. */
dal_status dal_check_run(dal_checker *checker);

#endif
