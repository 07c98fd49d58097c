/* Families of coordinates: from (q, v) to the frames of the bodies and back.
 *
 * A family is written once and works for every joint: it gives each body's
 * frame (r, R), its twist, and pulls a covector on the body (a force and a
 * moment, or the gradient of a row) back to its own coordinates. Everything
 * else - vectors, measures, rows - is written on the frames (rows.c).
 *
 *   x = r + R s         value of a material vector
 *   x' = r' + R' s      its rate
 *   x'' = (J v') + r_b + R_b s    second rate; the part without v' is the bias (index b)
 *
 * Derivatives along directions, for the formulations that need more than one velocity. A direction is (a, da): velocities a and
 * a rate da of time. With D_a the derivative along it (q moves by N a, t by da, everything else frozen):
 *   tangent   J a + V_t da                 how the bodies move along it
 *   bend      D_a [J b + V_t db]           how the tangent of b changes along a; with a = b = (v, 1) it is the bias
 * The order matters where N is not 1: D_a D_b and D_b D_a then differ by a commutator.
 *
 * Three ways of pulling back:
 *   orthonormal families (angle, euler, twist): R is a rotation for every q, R' = [w x] R, w = J v. The gradient of a row
 *     is a force f and a moment tau about r; its columns are f and J^T tau.
 *   the separated family (natural): x is linear in q, x = S q (`natural-absolute-coordinates` (11)); the columns are
 *     g and g s_k.
 *   families that share columns (joint, user): a body moves with coordinates that also move others. Each body has a list of
 *     columns and an explicit Jacobian (shared.c).
 * natural with linear rows eliminated is separated and shares columns: a constant matrix takes covectors on the natural coordinates to the remaining
 * ones (reduction.h).
 */
#ifndef DAL_KINEMATICS_FAMILY_H
#define DAL_KINEMATICS_FAMILY_H

#include "expr/expr.h"
#include "joint/mechanism.h"
#include "math/scalar.h"

typedef struct dal_family dal_family;
typedef struct dal_tree dal_tree;             /* joint: kinematics/tree.h */
typedef struct dal_placement dal_placement;   /* user: kinematics/placement.h */
typedef struct dal_subsystems dal_subsystems; /* kinematics/subsystems.h */
typedef struct dal_reduction dal_reduction;   /* natural: kinematics/reduction.h */

/* Where a body's coordinates are. Columns of v: first the translation (2 or 3), then n_rot for the attitude.
 * Families that share columns: q, nq, v, nv are zero; n_rot still says whether the body has an attitude. */
typedef struct dal_body_layout {
    int q, nq, v, nv, n_rot;
    int column, n_columns;      /* its columns of v: work->body_column[column ...] */
    int jacobian;               /* shared columns: its first column in work->jacobian */
    int intrinsic, n_intrinsic; /* rows that keep the attitude parameters an attitude */
} dal_body_layout;

/* A square block of M: columns column ... column + n of v, entries value ... value + n * n. */
typedef struct dal_mass_block {
    int value, column, n;
} dal_mass_block;

/* The columns of a body in a row. */
typedef struct dal_side {
    int body, offset; /* from the row's first entry */
    int map;          /* shared columns: layout->map[map + k] is the entry of the body's column k */
} dal_side;

typedef struct dal_row_layout {
    int source;          /* row (or speed) of the mechanism; intrinsic rows: -1 */
    int value, n_values; /* entries in A */
    int side, n_sides;
} dal_row_layout;

enum { DAL_MAX_SIDES = 16 };

/* A row that holds two points together along a world axis (gaps.c). */
typedef struct dal_gap {
    int row, source;         /* here, and in the mechanism */
    int term, measure, axis; /* its only term; 0, 1, 2 */
    int point[2], body[2];   /* vectors of the points, plus and minus; their bodies */
    int entry[2], side[2];   /* of bodies: their first entry in A, their side */
    bool paired;             /* it is along x, and the next one holds the same points together along y */
} dal_gap;

/* The model's own units (state/scale.c), and the units of columns and rows; set when a system is compiled. */
typedef struct dal_units {
    double length, mass, time;
    double *column_scale; /* of each velocity: the displacement of a unit of it, in metres */
    double *column_unit;  /* the inverse: units of it per metre */
    double *row_unit;     /* of each row: what a residual is measured by */
} dal_units;

/* The rows that are forms, and what their program reads. */
typedef struct dal_form_program {
    dal_program *program; /* their coefficients; NULL: none */
    int n_needs, n_variables;
    int *need;          /* pairs: variable, measure (-1: time) */
    int n_rates, *rate; /* the same for rates of measures, of curved rows */
} dal_form_program;

typedef struct dal_layout {
    const dal_mechanism *mechanism;
    const dal_family *family;
    int nq, nv;
    int own_q, own_v;                     /* where the coordinates of the model's own, and their rates, begin: 0, as `user` has no others */
    int n_extrinsic, n_intrinsic, n_rows; /* extrinsic rows first */
    int n_speeds;                         /* rows n_rows ... n_rows + n_speeds are the speeds of the model */
    int n_values, n_blocks, n_mass, n_sides, n_map, n_body_columns, n_jacobian;
    int n_times; /* time functions of driven rows */
    dal_body_layout *body;
    dal_mass_block *block;     /* of M; in families that own columns, one per body */
    dal_row_layout *row;       /* n_rows + n_speeds */
    int n_vectors, n_measures; /* vectors and measures that are evaluated: those used only by rows that hold identically are skipped */
    int *vector, *measure;
    int n_busy_vectors, n_busy_measures; /* the first ones of these lists: read in every evaluation. The others are read by records, and for the sake
                                          * of whole turns: dal_rows_idle. Vectors of the ground are in none of the lists */
    bool lazy;                           /* else all of them are busy */
    int n_gaps, n_others;
    dal_gap *gap; /* rows that hold two points together */
    int *other;   /* all rows but these and the intrinsic ones: the constraints, then the speeds */
    bool flat;    /* z of all moving vectors is zero */
    int *row_at;  /* of each row of the mechanism: its row here, or -1: it holds identically */
    dal_side *side;
    int *term_side;  /* 4 per term: the side on which each of its measure's vectors lies, or -1 */
    int *term_entry; /* a term whose measure is a coordinate: its entry in the row */
    int *map, *body_column;
    int *column;           /* of each entry of A */
    int *angular;          /* of each column of v: 1 a turn, 0 a shift, -1 unknown (a coordinate of the user) */
    int n_ignorable;       /* columns of v that are ignorable coordinates (Definition 1 of `volterra-reduced`), found at compile */
    int *ignorable;        /* ascending */
    double *constant_mass; /* natural: M, computed once */
    bool columnless;       /* a tree without rows that is solved by recursion: the lists of columns, work->jacobian and work->M, which
                               * grow with the square of the length of a chain, are allocated on demand (dal_state_widen) */
    double length;         /* joint: the model's, up to the next power of two: to divide by it does not round */
    bool dense;            /* by its size: the saddle matrix is factored as a dense one */
    bool small;            /* ranks, and decisions that depend on them, use dense matrices */
    bool careful;          /* small enough for dense work near singular positions */
    dal_units units;
    int sequence[3]; /* angle: the Euler sequence the user fixed */
    bool sequence_fixed;
    dal_tree *tree;
    dal_placement *placement;
    dal_reduction *reduction; /* natural: linear rows were eliminated; else NULL */
    dal_subsystems *systems;  /* whose equations are known; NULL: none */
    dal_form_program forms;
    bool derived; /* a row follows from the balance of forces: its multiplier is zero */
    bool curved;  /* a row is not linear in the rates: A depends on v, and is found after the rates */
    bool shared;  /* the arrays belong to another layout, which lives longer */
} dal_layout;

/* The frame of a body and how it moves. Fields in the order in which they are computed. */
typedef struct dal_kin {
    dal_real r[3], R[9];   /* position: by family->position */
    dal_real J[4][3];      /* orthonormal families: w = sum of J[k] v_rot[k], world axes */
    dal_real rd[3], Rd[9]; /* velocity: by family->velocity */
    dal_real rb[3], Rb[9]; /* bias of the acceleration */
    dal_real w[3], wb[3];  /* angular velocity and bias of the angular acceleration, world axes */
} dal_kin;

/* The tangent of a body along a direction. */
typedef struct dal_tangent {
    dal_real rd[3], Rd[9], w[3];
} dal_tangent;

/* How the tangent of b changes along a. */
typedef struct dal_bend {
    dal_real rb[3], Rb[9], wb[3];
} dal_bend;

/* A direction and its tangents, one per body. */
typedef struct dal_direction {
    const dal_real *a;
    dal_real da;
    dal_tangent *tangent;
} dal_direction;

/* Everything that changes with the state, on dal_real; sized at compile. */
typedef struct dal_work {
    dal_real t;
    dal_real *q, *v;
    dal_kin *kin;                  /* kin[-1] is the ground */
    dal_real *x, *xd, *xb;         /* 3 a vector */
    dal_real *value, *rate, *bias; /* of measures */
    dal_real *gradient;            /* 12 a measure: d(measure)/d(vector 0..3) */
    dal_real *winding;             /* reference angles for unwrapping */
    dal_real *coef;                /* of terms: constants, or outputs of the forms */
    dal_real *form, *form_registers, *form_variables;
    dal_real *system_place, *system_motion, *system_registers, *system_variables, *system_square, *system_skew; /* of subsystems.c */
    dal_real *along, *across, *second; /* of measures, in dal_rows_bend: rates along a and b, bend */
    dal_real *phi, *phid;              /* rows: residual, A v - beta; speeds: phid is u = Y v + Z */
    dal_real *A, *gamma;               /* rows: entries by layout->column; A v' = gamma; speeds: u' = Y v' - gamma */
    dal_real *jacobian;                /* shared columns: 6 per column of a body: velocity of r, angular velocity, world axes */
    const int *body_column;            /* layout->body_column; of a layout without columns: the state's own */
    dal_real *M, *h, *Q;               /* blocks; covectors of length nv */
    dal_real *direct;                  /* forces given on a coordinate, length nv */
    dal_real *force;                   /* 6 per body: force and moment about r, world axes */
    dal_real *time;                    /* 3 per time function: f, f', f'' */
    dal_real *scratch;                 /* of the family: see family->scratch */
    int *chart;                        /* angle: 3 axes per body */
    int table_exceeded;                /* number from 1 of a table outside whose range a form was evaluated, or 0 */
} dal_work;

/* Number of dal_real that a work needs, and the laying out over them. */
#define dal_work_size DAL_K(dal_work_size)
#define dal_work_layout DAL_K(dal_work_layout)
size_t dal_work_size(const dal_layout *layout);
void dal_work_layout(const dal_layout *layout, dal_real *memory, int *chart, dal_work *work);

/* The coordinates of attitude, of families in which a body can be integrated by itself. */
typedef enum dal_own_attitude { DAL_OWN_NONE, DAL_OWN_ANGLES, DAL_OWN_PARAMETERS } dal_own_attitude;

struct dal_family {
    const char *name;
    const char *title;
    const char *option;                                                                /* that it understands; NULL: none */
    const dal_family *reduced;                                                         /* with its linear rows eliminated; NULL: there is none */
    bool eliminates;                                                                   /* its linear rows are eliminated: layout->reduction */
    bool over_tree;                                                                    /* coordinates of joints, over the joint tree */
    bool of_model;                                                                     /* coordinates of the model's own */
    dal_own_attitude attitude;                                                         /* where a body can be integrated by itself */
    bool separated;                                                                    /* x = S q with R any matrix; else R is a rotation */
    bool shares;                                                                       /* columns are shared between bodies: joint, user */
    void (*count)(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic); /* NULL: shares */
    size_t (*scratch)(const dal_layout *layout);                                       /* numbers (dal_real) of work->scratch; NULL: none */
    void (*frames)(const dal_layout *layout, dal_work *work);   /* joint: position without the columns of work->jacobian, which grow
                                                                  * with the square of the length of a chain; else NULL */
    void (*position)(const dal_layout *layout, dal_work *work); /* q -> r, R, J */
    void (*velocity)(const dal_layout *layout, dal_work *work); /* v -> r', R', biases */
    void (*tangent)(const dal_layout *layout, dal_work *work, const dal_direction *direction); /* fills its tangents */
    void (*bend)(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b,
                 dal_bend *out);                                      /* D_a of the tangent of b */
    void (*intrinsic)(const dal_layout *layout, dal_work *work);      /* phi and A of the intrinsic rows; NULL if there are none */
    void (*intrinsic_bias)(const dal_layout *layout, dal_work *work); /* their gamma */
    void (*intrinsic_bend)(const dal_layout *layout, const dal_real *a, const dal_real *b, dal_real *out); /* D_a [A b], by row */
    void (*inertia)(const dal_layout *layout, dal_work *work);                                             /* M, h */
    void (*pull)(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3],
                 dal_real *out);                                                 /* adds the n_columns columns of a force at r and a moment;
                                                                                  * see dal_pull_body for families that share columns */
    void (*rates)(const dal_layout *layout, const dal_work *work, dal_real *qd); /* q' = N v */
#ifndef DAL_SCALAR_VARIANT
    /* Families that own columns: one body. The others: body -1, all bodies, from r and R of each (3 and 9 per body). */
    void (*place)(const dal_layout *layout, dal_work *work, int body, const double r[3], const double R[9]); /* frame -> q */
    void (*move)(const dal_layout *layout, dal_work *work, int body, const double rd[3], const double w[3]); /* after place: twist -> v */
    void (*add)(const dal_layout *layout, double *q, const double *dv);                                      /* q moved by dv: q + dv where N = 1 */
    /* Charts: how far from singular the attitude of a body is (1 best, 0 singular); NULL: never singular. */
    double (*condition)(const dal_layout *layout, const dal_work *work, int body);
    /* A better chart for the same attitude: rewrites work->chart, q and v of the body. */
    void (*rechart)(const dal_layout *layout, dal_work *work, int body);
#endif
};

/* Entries of the tables of families, by subject. Those of FAMILY_START exist on doubles only; they stand last, without a comma. */
#define DAL_FAMILY_MOTION(position_, velocity_, tangent_, bend_) .position = position_, .velocity = velocity_, .tangent = tangent_, .bend = bend_
#define DAL_FAMILY_INTRINSIC(rows_, bias_, bend_) .intrinsic = rows_, .intrinsic_bias = bias_, .intrinsic_bend = bend_
#define DAL_FAMILY_INERTIA(inertia_, pull_, rates_) .inertia = inertia_, .pull = pull_, .rates = rates_
#ifndef DAL_SCALAR_VARIANT
#define DAL_FAMILY_START(place_, move_, add_) .place = place_, .move = move_, .add = add_
#else
#define DAL_FAMILY_START(place_, move_, add_)
#endif

#define dal_family_angle DAL_K(dal_family_angle)
#define dal_family_euler DAL_K(dal_family_euler)
#define dal_family_natural DAL_K(dal_family_natural)
#define dal_family_natural_reduced DAL_K(dal_family_natural_reduced)
#define dal_family_joint DAL_K(dal_family_joint)
#define dal_family_user DAL_K(dal_family_user)
#define dal_family_twist DAL_K(dal_family_twist)
extern const dal_family dal_family_angle, dal_family_euler, dal_family_natural, dal_family_joint, dal_family_user;
extern const dal_family dal_family_natural_reduced; /* natural with `eliminate: linear`; not in the list */
extern const dal_family dal_family_twist;           /* for assembly and ranks: velocities are twists; not in the list */

#define dal_families DAL_K(dal_families)
extern const dal_family *const dal_families[]; /* ends with NULL; the same order for every scalar */
/* Every family of a layout has a number, by which it is found on another scalar. */
#define dal_family_numbered DAL_K(dal_family_numbered)
const dal_family *dal_family_numbered(int number); /* NULL: there is none */
#ifndef DAL_SCALAR_VARIANT
int dal_family_number(const dal_family *family);
#endif

/* ---- shared by the orthonormal families (orthonormal.c) ---------------- */

#define dal_orthonormal_bias DAL_K(dal_orthonormal_bias)
#define dal_planar_bias DAL_K(dal_planar_bias)
#define dal_planar_tangent DAL_K(dal_planar_tangent)
#define dal_orthonormal_inertia DAL_K(dal_orthonormal_inertia)
#define dal_orthonormal_pull DAL_K(dal_orthonormal_pull)
#define dal_orthonormal_tangent DAL_K(dal_orthonormal_tangent)
#define dal_orthonormal_bend DAL_K(dal_orthonormal_bend)
#define dal_plain_rates DAL_K(dal_plain_rates)
#define dal_plain_tangent DAL_K(dal_plain_tangent)
/* w, wb known: R' = [w x] R, R_b = [wb x] R + [w x] R'. */
void dal_orthonormal_bias(dal_kin *kin);
/* The same in the plane. */
void dal_planar_bias(dal_kin *kin);
void dal_planar_tangent(const dal_kin *kin, dal_tangent *tangent); /* Rd from w */
/* The same for a direction: w known, R' = [w x] R. */
void dal_orthonormal_tangent(const dal_kin *kin, dal_tangent *tangent);
/* wb known: R_b = [wb x] R + [w_b x] [w_a x] R. */
void dal_orthonormal_bend(const dal_kin *kin, const dal_tangent *a, const dal_tangent *b, dal_bend *bend);
/* M and h. */
void dal_orthonormal_inertia(const dal_layout *layout, dal_work *work);
/* Adds f and J^T moment. */
void dal_orthonormal_pull(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out);
void dal_plain_rates(const dal_layout *layout, const dal_work *work, dal_real *qd);               /* q' = v */
void dal_plain_tangent(const dal_layout *layout, dal_work *work, const dal_direction *direction); /* r' = a, w = J a */
void dal_plain_add(const dal_layout *layout, double *q, const double *dv);                        /* q + dv */

/* ---- families that share columns (shared.c), from work->jacobian ----------- */

#define dal_shared_inertia DAL_K(dal_shared_inertia)
#define dal_shared_pull DAL_K(dal_shared_pull)
/* M and h. */
void dal_shared_inertia(const dal_layout *layout, dal_work *work);
/* Adds J^T (force, moment), a number for each column of the body. */
void dal_shared_pull(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out);
/* user.c: V_t of the family `user`, velocity of r and angular velocity that time itself gives a body; NULL: none. After position. */
#define dal_user_drift DAL_K(dal_user_drift)
const dal_real *dal_user_drift(const dal_layout *layout, const dal_work *work, int body);

/* Adds the covector of a force at r and a moment on a body to out, of length nv: every family. */
#define dal_pull_body DAL_K(dal_pull_body)
void dal_pull_body(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out);

/* work->Q: the forces on the coordinates, and those on the bodies pulled back. */
#define dal_pull_bodies DAL_K(dal_pull_bodies)
void dal_pull_bodies(const dal_layout *layout, dal_work *work);
/* M and h of the bodies, and of the sub-systems. */
#define dal_inertia DAL_K(dal_inertia)
void dal_inertia(const dal_layout *layout, dal_work *work);
/* M, h and Q. */
#define dal_inertia_and_forces DAL_K(dal_inertia_and_forces)
void dal_inertia_and_forces(const dal_layout *layout, dal_work *work);

/* ---- vectors, measures, rows (rows.c) ------------------------------------ */

#define dal_rows_position DAL_K(dal_rows_position)
#define dal_rows_jacobian DAL_K(dal_rows_jacobian)
#define dal_rows_velocity DAL_K(dal_rows_velocity)
#define dal_rows_bend DAL_K(dal_rows_bend)
/* After family->position: x, values and gradients of measures, phi of all rows. */
void dal_rows_position(const dal_layout *layout, dal_work *work);
/* Every measure, in every evaluation. */
static inline void dal_layout_keep_busy(dal_layout *layout)
{
    layout->n_busy_vectors = layout->n_vectors;
    layout->n_busy_measures = layout->n_measures;
}
/* After family->velocity: vectors and measures that are not read in every evaluation, with their rates. */
#define dal_rows_idle DAL_K(dal_rows_idle)
void dal_rows_idle(const dal_layout *layout, dal_work *work);
/* Value and gradient of one measure that is not evaluated by default. */
#define dal_rows_measure DAL_K(dal_rows_measure)
void dal_rows_measure(const dal_layout *layout, dal_work *work, int number);
/* The same, with its rate and bias. */
#define dal_rows_rate DAL_K(dal_rows_rate)
void dal_rows_rate(const dal_layout *layout, dal_work *work, int number);
/* The value and the rate of an angle that counts turns, by the frames alone. */
#define dal_rows_turn DAL_K(dal_rows_turn)
dal_real dal_rows_turn(const dal_layout *layout, const dal_work *work, int number, dal_real *rate);
/* Then: A, and Y of the speeds. Where rows are curved, at the present v: the rates are found first. */
void dal_rows_jacobian(const dal_layout *layout, dal_work *work);
/* After dal_rows_position: of row i (or speed), what it asks of the body of each of its sides: force at r, moment; not in the separated family. */
#define dal_row_covectors DAL_K(dal_row_covectors)
void dal_row_covectors(const dal_layout *layout, const dal_work *work, int i, dal_real covector[][6]);
/* After family->velocity: rates, biases, A v - beta and gamma. */
void dal_rows_velocity(const dal_layout *layout, dal_work *work);
/* All of it: frames, rows, A, velocities, gamma. */
#define dal_layout_motion DAL_K(dal_layout_motion)
void dal_layout_motion(const dal_layout *layout, dal_work *work);
/* D_a [A b - beta db] of all rows and D_a [Y b + Z db] of the speeds, from the tangents of both and their bend. */
void dal_rows_bend(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, const dal_bend *bend, dal_real *out);
/* Of curved rows, sum over k, l of d2phi/dm_k'dm_l' m_k,a m_l,b with the rates of the measures along two directions, b also with their biases:
 * along (v', 0) with biases these are m''. Zero for the other rows. Tangents are given; after velocity. */
#define dal_rows_curve DAL_K(dal_rows_curve)
void dal_rows_curve(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, bool biased, dal_real *out);
/* -beta, Z: what a row, and what all rows and speeds are for v = 0. */
#define dal_row_free DAL_K(dal_row_free)
dal_real dal_row_free(const dal_layout *layout, const dal_work *work, const dal_row *row);
#define dal_rows_free DAL_K(dal_rows_free)
void dal_rows_free(const dal_layout *layout, const dal_work *work, dal_real *out);

/* out = A^T lambda (nv), out = A v (rows): on the sparse entries. */
#define dal_rows_transposed DAL_K(dal_rows_transposed)
void dal_rows_transposed(const dal_layout *layout, const dal_real *A, const dal_real *lambda, dal_real *out);
#define dal_rows_times DAL_K(dal_rows_times)
void dal_rows_times(const dal_layout *layout, const dal_real *A, const dal_real *v, dal_real *out);
/* out = M v, on the blocks. */
#define dal_mass_times DAL_K(dal_mass_times)
void dal_mass_times(const dal_layout *layout, const dal_real *M, const dal_real *v, dal_real *out);

/* dT/dv, of length nv, from the bodies' velocities. */
#define dal_momentum DAL_K(dal_momentum)
void dal_momentum(const dal_layout *layout, const dal_work *work, dal_real *out);

/* Kinetic energy and momenta, from the bodies' velocities. linear[3], angular[3] about the origin. */
/* Of one body; adds its momenta. */
#define dal_body_kinetic DAL_K(dal_body_kinetic)
dal_real dal_body_kinetic(const dal_layout *layout, const dal_work *work, int body, dal_real linear[3], dal_real angular[3]);
#define dal_kinetic DAL_K(dal_kinetic)
dal_real dal_kinetic(const dal_layout *layout, const dal_work *work, dal_real linear[3], dal_real angular[3]);

#endif
