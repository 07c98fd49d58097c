/* A verdict on a model before (and, on request, during) its motion: how many freedoms it has, which joints are redundant, whether the accelerations
 * are unique, whether it starts in a singular position, and why it is hard to integrate. Ranks are computed from rows of unit norm, with the model's
 * length as the unit of coordinates; a singular value counts if it is above 1e-10 of the largest. So units, multiples of rows and the family of
 * coordinates do not change the ranks.
 */
#ifndef DALEMBERT_VERDICT_H
#define DALEMBERT_VERDICT_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row of a joint: one motion that it forbids. */
typedef struct dal_check_row {
    const char *joint; /* or a constraint */
    int number;        /* of the row in it, from 1 */
    bool angular;
    const char *forbids; /* "shift along x", "turn about [0.6, 0.8, 0]", "its drive" */
    double share;        /* its part in the dependence, 0 to 1 */
    bool goes;           /* one of a set of `redundant` rows that may be omitted together */
} dal_check_row;

/* Rows that depend on one another. Any one of them may be omitted alone; `redundant` is how many may be omitted together. */
typedef struct dal_check_group {
    int redundant;
    int n_rows, n_joints;
    const dal_check_row *rows;
    const char *const *joints;
} dal_check_group;

/* The changes by assembly of the given values of a body, or of a coordinate of the model's own. */
typedef struct dal_check_move {
    const char *name;
    double shift, turn;    /* m, rad; of a coordinate: its change in its own unit, and 0 */
    double velocity, spin; /* m/s, rad/s; of a coordinate: the change of its rate, and 0 */
} dal_check_move;

/* A joint or a constraint that stays open. */
typedef struct dal_check_gap {
    const char *joint;
    bool written;       /* a constraint: `shift` is the residual of its equation */
    double shift, turn; /* m, rad */
} dal_check_gap;

/* A joint of a type of the model's own, its bodies examined alone. */
typedef struct dal_check_written {
    const char *joint, *type;
    int equations, rows;       /* a vector equation has two or three rows */
    int removed, removed_near; /* freedoms that it removes: at the start, and at consistent positions nearby */
} dal_check_written;

/* Motions that have no inertia and that no constraint holds: their accelerations are not determined. */
typedef struct dal_check_loose {
    int freedoms;
    const char *motion; /* "'tip' moves along y" */
    const char *remedy; /* "give 'tip' mass, or hold it by another joint" */
} dal_check_loose;

/* The balance of the forces along a direction without inertia: `undetermined: derive` uses it as a constraint. */
typedef struct dal_check_derived {
    const char *name;     /* "balance" */
    const char *equation; /* "k1*x1 = k2*q2" */
    const char *line;     /* of `constraints:`: "balance: {position: k1*x1 - k2*q2}" */
} dal_check_derived;

/* The results of the run, with `along`. */
typedef struct dal_check_along {
    bool done;
    dal_status status;
    const char *reason; /* why it stopped early, or NULL */
    int instants;
    double time_end;
    int rank_least, rank_most;
    double time_least;              /* first instant of the least rank */
    double ratio_least, ratio_most; /* smallest singular value that counts over the largest one: least and most of the run */
    double time_nearest;            /* instant of ratio_least */
    int changes;                    /* how often the set of redundant rows changed */
    double time_change;             /* first of these; NAN: none */
    bool near_singular;
    double conflict; /* largest relative contradiction between the velocities that dependent rows require (drives) */
    double time_conflict;
} dal_check_along;

typedef struct dal_verdict {
    dal_system_info info;  /* as far as it could be compiled */
    bool known;            /* it could be compiled far enough for the following members */
    dal_status status;     /* DAL_OK: it can be simulated */
    const char *reason;    /* why it cannot, or NULL */
    bool lost_in_rounding; /* the reason is that an inertia is lost in rounding beside the others */

    /* Counts. The bodies are described by their twists, or by the model's own coordinates. */
    bool own_coordinates;
    int velocities, rows, rank, freedoms;
    int counted; /* velocities - rows: Gruebler's count */

    int n_written;
    const dal_check_written *written; /* joints of `joint-types:` */

    /* Redundancy at the start, or in its neighbourhood if the position is singular. If joints contradict each other: the redundancy apart from the
     * gap. */
    int redundant;
    int n_groups;
    const dal_check_group *groups;
    int n_nearly; /* the same for rows that are nearly dependent: 1e-10 to 1e-6 */
    const dal_check_group *nearly;
    int n_spare;
    const char *const *spare; /* joints and constraints that may be omitted: all their rows are in these sets */
    bool consistent;          /* the dependent rows agree at the start: positions, velocities and accelerations */
    double position_gap, velocity_gap;
    double acceleration_gap; /* between the accelerations that the dependent rows require, relative to the largest */

    /* Singular positions: comparison with random consistent neighbours. */
    int neighbours;                         /* that were found; 0: none searched */
    int rank_near;                          /* their rank */
    double ratio, ratio_near;               /* smallest singular value that counts over the largest: at the start, and the median of them */
    bool singular, near_singular, isolated; /* isolated: the neighbours all are the position itself */
    int gained;                             /* freedoms that exist only there */
    const char *singular_joints;            /* whose rows lose their independence, or "" */

    /* Inertia. */
    int rank_inertia; /* of M */
    int n_light;
    const char *const *light; /* "'rod' has no inertia about x": why M is singular */
    int rank_stacked;         /* of [M; A]; the accelerations are unique if it is `velocities` */
    bool determined;
    int n_loose;
    const dal_check_loose *loose;
    int n_derived;
    const dal_check_derived *derived;
    const char *not_derived; /* why the balance cannot be derived; NULL: it need not be, or `derived` has it */

    /* Start. */
    int n_moved;
    const char *const *moved; /* sentences of the assembly */
    const char *undecided;    /* a body that stands in one of several places, as far as the description says; NULL: none was found */
    int n_moves;
    const dal_check_move *moves;                            /* the same as numbers: bodies, or coordinates, of which a given value was changed */
    double shift_most, turn_most, velocity_most, spin_most; /* of the bodies: m, rad, m/s, rad/s */
    bool contradictory;                                     /* joints stay open: it cannot be assembled */
    bool closest;               /* and no small motion makes the gaps smaller: the joints contradict each other from every start */
    double gap_shift, gap_turn; /* the largest: m, rad */
    int n_open;
    const dal_check_gap *open;

    /* Ignorable coordinates. */
    const char *ignorable; /* names, or "" */
    const char *ignorable_family;

    /* Scales. */
    double mass_ratio, inertia_ratio, length_ratio; /* largest over smallest; NAN: not two of them */
    const char *lightest, *heaviest;
    double fastest, fastest_real, fastest_imaginary; /* eigenvalue of largest size at the start, 1/s; NAN: not computed */
    double step_limit;                               /* longest stable step of the integrator there, s; NAN: none */

    dal_check_along along;

    int n_warnings;
    const dal_message *const *warnings;
    void *memory;
} dal_verdict;

typedef struct dal_check_options {
    bool along;                                                                            /* run it as well */
    bool (*progress)(void *user, double t, double until, long steps, double wall_seconds); /* as in dal_run_options */
    void *progress_user;
    const dal_allocator *allocator;
} dal_check_options;

/* DAL_OK: it can be simulated (there may be warnings). Two errors return a verdict as well: DAL_BAD_MODEL, it cannot be simulated (the messages say
 * why and where); DAL_NUMERICAL, the run of `along` stopped early. After any other error *verdict is NULL; DAL_BAD_COMMAND: the spec does not have
 * the form that spec.h requires. options may be NULL. */
DAL_API dal_status dal_check(const dal_spec *spec, const dal_check_options *options, dal_messages *messages, dal_verdict **verdict);
/* For people, up to 100 columns wide, the last line is the verdict; and as one JSON object. As dal_evidence_text and dal_evidence_json. */
DAL_API int dal_verdict_text(const dal_verdict *verdict, char *buffer, size_t size);
DAL_API int dal_verdict_json(const dal_verdict *verdict, char *buffer, size_t size);
DAL_API void dal_verdict_free(dal_verdict *verdict);

#ifdef __cplusplus
}
#endif

#endif
