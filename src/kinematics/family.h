/* Families of coordinates: from (q, v) to the frames of the bodies and back.
 *
 * A family is written once and works for every joint: it gives each body's
 * frame (r, R), its twist, and pulls a covector on the body (a force and a
 * moment, or the gradient of a row) back to its own coordinates. Everything
 * else - vectors, measures, rows - is written on the frames (rows.c).
 *
 *   x = r + R s         value of a material vector
 *   x' = r' + R' s      its rate
 *   x'' = (J v') + r_b + R_b s    the part that remains for v' = 0 is the bias (index b)
 *
 * Two ways of pulling back:
 *   orthonormal families (angle, euler, twist): R is a rotation for every q, R' = [w x] R, w = J v. The gradient of a row
 *     is a force f and a moment tau about r; its columns are f and J^T tau.
 *   the separated family (natural): x is linear in q, x = S q (`natural-absolute-coordinates` (11)); the columns are
 *     g and g s_k.
 */
#ifndef DAL_KINEMATICS_FAMILY_H
#define DAL_KINEMATICS_FAMILY_H

#include "joint/mechanism.h"
#include "math/scalar.h"

typedef struct dal_family dal_family;

/* Where a body's coordinates are. Columns of v: first the translation (2 or 3), then n_rot for the attitude. */
typedef struct dal_body_layout {
    int q, nq, v, nv, n_rot;
    int intrinsic, n_intrinsic; /* rows that keep the attitude parameters an attitude */
    int mass;                   /* first entry of its nv x nv block in M */
} dal_body_layout;

/* The block of a body in a row. */
typedef struct dal_side {
    int body, offset; /* offset: from the row's first entry */
} dal_side;

typedef struct dal_row_layout {
    int value, n_values; /* entries in A */
    int side, n_sides;
} dal_row_layout;

enum { DAL_MAX_SIDES = 8 };

typedef struct dal_layout {
    const dal_mechanism *mechanism;
    const dal_family *family;
    int nq, nv;
    int n_extrinsic, n_intrinsic, n_rows; /* extrinsic rows first */
    int n_values, n_mass, n_sides;
    int n_times;              /* time functions of driven rows */
    dal_body_layout *body;
    dal_row_layout *row;      /* n_rows */
    dal_side *side;
    int *term_side;           /* 4 a term: the side on which each of its measure's vectors lies, or -1 */
    int *column;              /* of each entry of A */
    double *constant_mass;    /* natural: M, computed once */
    int sequence[3];          /* angle: the Euler sequence the user fixed */
    bool sequence_fixed;
} dal_layout;

/* The frame of a body and how it moves. Fields in the order in which they are computed. */
typedef struct dal_kin {
    dal_real r[3], R[9];   /* position: by family->position */
    dal_real J[4][3];      /* orthonormal families: w = sum of J[k] v_rot[k], world axes */
    dal_real rd[3], Rd[9]; /* velocity: by family->velocity */
    dal_real rb[3], Rb[9]; /* bias of the acceleration */
    dal_real w[3], wb[3];  /* angular velocity and bias of the angular acceleration, world axes */
} dal_kin;

/* Everything that changes with the state, on dal_real; sized at compile. */
typedef struct dal_work {
    dal_real t;
    dal_real *q, *v;
    dal_kin *kin;                 /* kin[-1] is the ground */
    dal_real *x, *xd, *xb;        /* 3 a vector */
    dal_real *value, *rate, *bias; /* of measures */
    dal_real *gradient;           /* 12 a measure: d(measure)/d(vector 0..3) */
    dal_real *winding;            /* reference angles for unwrapping */
    dal_real *phi, *phid;         /* rows: residual, A v - beta */
    dal_real *A, *gamma;          /* rows: entries by layout->column; A v' = gamma */
    dal_real *M, *h, *Q;          /* blocks; covectors of length nv */
    dal_real *force;              /* 6 a body: force and moment about r, world axes */
    dal_real *time;               /* 3 a time function: f, f', f'' */
    int *chart;                   /* angle: 3 axes a body */
} dal_work;

/* Number of dal_real that a work needs, and the laying out over them. */
#define dal_work_size DAL_K(dal_work_size)
#define dal_work_lay DAL_K(dal_work_lay)
size_t dal_work_size(const dal_layout *layout);
void dal_work_lay(const dal_layout *layout, dal_real *memory, int *chart, dal_work *work);

struct dal_family {
    const char *name;
    const char *title;
    bool separated; /* x = S q with R any matrix; else R is a rotation */
    void (*count)(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic);
    void (*position)(const dal_layout *layout, dal_work *work);  /* q -> r, R, J */
    void (*velocity)(const dal_layout *layout, dal_work *work);  /* v -> r', R', biases */
    void (*intrinsic)(const dal_layout *layout, dal_work *work); /* phi and A of the intrinsic rows; NULL if there are none */
    void (*intrinsic_bias)(const dal_layout *layout, dal_work *work); /* their gamma */
    void (*inertia)(const dal_layout *layout, dal_work *work);   /* M, h */
    void (*pull)(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3],
                 dal_real *out); /* adds the nv columns of a force at r and a moment */
    void (*rates)(const dal_layout *layout, const dal_work *work, dal_real *qd); /* q' = N v */
#ifndef DAL_SCALAR_VARIANT
    void (*place)(const dal_layout *layout, dal_work *work, int body, const double r[3], const double R[9]); /* frame -> q */
    void (*move)(const dal_layout *layout, dal_work *work, int body, const double rd[3], const double w[3]); /* after place: twist -> v */
    void (*add)(const dal_layout *layout, double *q, const double *dv); /* q moved by dv: q + dv where N = 1 */
    /* Charts: how far from singular the attitude of a body is (1 best, 0 singular); NULL: never singular. */
    double (*condition)(const dal_layout *layout, const dal_work *work, int body);
    /* A better chart for the same attitude: rewrites work->chart, q and v of the body. */
    void (*rechart)(const dal_layout *layout, dal_work *work, int body);
#endif
};

#define dal_family_angle DAL_K(dal_family_angle)
#define dal_family_euler DAL_K(dal_family_euler)
#define dal_family_natural DAL_K(dal_family_natural)
#define dal_family_twist DAL_K(dal_family_twist)
extern const dal_family dal_family_angle, dal_family_euler, dal_family_natural;
extern const dal_family dal_family_twist; /* for assembly and ranks: velocities are twists; not in the list */

#ifndef DAL_SCALAR_VARIANT
extern const dal_family *const dal_families[]; /* ends with NULL */
#endif

/* ---- shared by the orthonormal families (orthonormal.c) ---------------- */

#define dal_orthonormal_bias DAL_K(dal_orthonormal_bias)
#define dal_orthonormal_inertia DAL_K(dal_orthonormal_inertia)
#define dal_orthonormal_pull DAL_K(dal_orthonormal_pull)
#define dal_plain_rates DAL_K(dal_plain_rates)
/* w, wb known: R' = [w x] R, R_b = [wb x] R + [w x] R'. */
void dal_orthonormal_bias(dal_kin *kin);
void dal_orthonormal_inertia(const dal_layout *layout, dal_work *work);
void dal_orthonormal_pull(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3],
                          const dal_real moment[3], dal_real *out);
void dal_plain_rates(const dal_layout *layout, const dal_work *work, dal_real *qd); /* q' = v */
void dal_plain_add(const dal_layout *layout, double *q, const double *dv);

/* ---- vectors, measures, rows (rows.c) ------------------------------------ */

#define dal_rows_position DAL_K(dal_rows_position)
#define dal_rows_jacobian DAL_K(dal_rows_jacobian)
#define dal_rows_velocity DAL_K(dal_rows_velocity)
/* After family->position: x, values and gradients of measures, phi of all rows. */
void dal_rows_position(const dal_layout *layout, dal_work *work);
/* Then: A. */
void dal_rows_jacobian(const dal_layout *layout, dal_work *work);
/* After family->velocity: rates, biases, A v - beta and gamma. */
void dal_rows_velocity(const dal_layout *layout, dal_work *work);

/* out = A^T lambda (nv), out = A v (rows): on the sparse entries. */
#define dal_rows_transposed DAL_K(dal_rows_transposed)
void dal_rows_transposed(const dal_layout *layout, const dal_real *A, const dal_real *lambda, dal_real *out);
#define dal_rows_times DAL_K(dal_rows_times)
void dal_rows_times(const dal_layout *layout, const dal_real *A, const dal_real *v, dal_real *out);
/* out = M v, on the blocks. */
#define dal_mass_times DAL_K(dal_mass_times)
void dal_mass_times(const dal_layout *layout, const dal_real *M, const dal_real *v, dal_real *out);

/* Kinetic energy and momenta, from the bodies' velocities. linear[3], angular[3] about the origin. */
#define dal_kinetic DAL_K(dal_kinetic)
dal_real dal_kinetic(const dal_layout *layout, const dal_work *work, dal_real linear[3], dal_real angular[3]);

#endif
