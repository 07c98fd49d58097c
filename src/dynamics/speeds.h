/* Speeds (quasi-velocities), for all formulations that solve for them.
 *
 *   u = Y v + Z                    p speeds, the model's own or p of the velocities
 *   e = E v                        s more rows of a formulation that has them (dal_more_rows), else none
 *   beta_k = A_k v                 k = rank independent rows of A
 *   S = [Y; E; A_k],  v = W u + X,  S W = [1; 0; 0],  S X = [-Z; e; beta_k]
 *   S W' = -S' W,  v' = W u' + bias,  S bias = [-(Y' v + Z'); e' - E' v; gamma_k]
 *
 * Where rows are not linear in the rates, v = v(q, u, t) is not linear in u. Then A_k = dphi/dv, W = dv/du with the same S W = [1; 0; 0], and
 * v' = W u' + bias holds as it stands; but W depends on u, and
 *   W_j' = (W_j' for u' = 0) + sum over l of V_jl u_l',   V_jl = d2v/du_j du_l,   S V_jl = [0; 0; -(d2phi/dv2 W_j) W_l]
 *
 * A formulation calls, after unpack or on its own: dal_speeds_begin, or dal_speeds_ready and those of the calls behind it that it
 * needs; it fills K (p x p, lower triangle) and f (p) of K u' = f and ends with dal_speeds_finish.
 */
#ifndef DAL_DYNAMICS_SPEEDS_H
#define DAL_DYNAMICS_SPEEDS_H

#include "math/known_lu.h"
#include "math/vec.h"
#include "state/evaluate.h"
#include "state/owner.h"

typedef struct dal_speeds dal_speeds;

/* The rows E of a formulation, layout->n_ignorable of them. */
struct dal_more_rows {
    void (*rows)(dal_state *state, double *E, double *e); /* n_ignorable x nv, row-major, and E v = e; positions are known */
};

struct dal_speeds {
    /* of the system, at layout */
    int n, p, s, k;                   /* velocities = speeds + more rows + rows of A */
    bool fixed;                       /* the model's own speeds */
    bool alone;                       /* nothing in an evaluation reads the multipliers: they may be found when they are read */
    const struct dal_more_rows *more; /* of the formulation; NULL: none */
    /* S and its factors: dal_speeds_build and dal_speeds_factor_dependent, speeds_matrix.c */
    int *row;            /* k: the rows of A in S */
    int *pivot, *trial;  /* of the factors; scratch, n + 1 */
    int *shape;          /* p: the speeds that S has its shape for */
    bool shaped;         /* S is zero where rows and speeds of this shape are */
    int *dependent;      /* columns of S that are factored: velocities that are not speeds; all n with the model's own speeds */
    double *S;           /* rows at unit norm, columns over column_scale; unit rows (of automatic speeds) are not stored */
    double *lu;          /* LU factors of the dependent columns */
    dal_known_lu known;  /* the same factors, in lists */
    bool listed;         /* these are the present ones; lu is scratch */
    double ratio;        /* least over largest pivot of the factors */
    bool has_W;          /* W is that of the present factors: dal_speeds_basis; cleared by dal_speeds_build */
    double *weight;      /* of the model's speeds: the largest square of their row so far */
    double *row_scale;   /* what the rows of S were multiplied by */
    double *E, *e;       /* s x n, s: more->rows, of the formulation */
    double *W, *Wd;      /* p columns of length n, one after the other: dal_speeds_basis; and their rates: dal_speeds_rates */
    double *bias;        /* v' for u' = 0: dal_speeds_bias_vector */
    double *K, *f, *L;   /* of the formulation: p x p, p; the factor of K: solve_inertia, speeds_equations.c */
    double *bent;        /* of all rows and speeds: D_a of them, dal_speeds_bend */
    double *x, *b, *r;   /* scratch, n */
    double *last;        /* the same, where rows are curved */
    double *sides;       /* right sides of W and W', by rows of p */
    dal_tangent *T;      /* partial velocities: of column j and body b at j * bodies + b. Computed by dal_speeds_columns */
    dal_bend *bend;      /* how they change along the motion while W is held: the same order. dal_speeds_rates computes this and the next two */
    dal_tangent *Td;     /* the tangents of W': the same order */
    dal_tangent *motion; /* the tangent of (v, 1), one per body */
    struct dal_body_rate *rate; /* accelerations for u' = 0, one per body: dal_speeds_bias */
    void *wide;                 /* memory of S, lu, W, Wd, K, L, sides, T, bend and Td where they are allocated on demand: dal_speeds_widen */
};

/* Accelerations of a body for u' = 0, world axes: of its centre of mass, and angular. */
struct dal_body_rate {
    double c[3], w[3];
};

/* Which velocities are speeds, and how good the choice is. */
typedef struct dal_speed_choice {
    int *column;             /* automatic speeds: columns of v. Computed by dal_speeds_choose */
    double *wd;              /* rates of the speeds: computed by the formulation */
    double *momenta;         /* of the ignorable coordinates: constants of the run, from start_speeds */
    double condition, worst; /* of [Y; A_k], rows and columns scaled: now, and the worst since the start. 0: not estimated, the pivots are good.
                              * Computed by speeds_condition.c, as are the next two */
    double good, ranked;     /* the condition when the speeds, and when the rows of A_k were chosen; 0: not yet */
    double steepness; /* smallest value of max |D_c W D_c^-1| (speeds_choice.c) since the speeds were chosen: dal_speeds_choose, dal_speeds_watch */
    int side, side_kept; /* sign of det [Y; A_k]: now (dal_speeds_factor), and at the last accepted step (dal_speeds_watch; 0: not known) */
    long changed;        /* how often other speeds were chosen: dal_speeds_choose */
    bool later;          /* the multipliers are not computed now: accelerate_speeds, forward.c */
    dal_speeds *basis;   /* S, W and their like, of formulations that choose; else NULL */
} dal_speed_choice;

extern const dal_owner dal_speeds_owner;

/* The best set of automatic speeds at the present A; nothing where the model fixes them. */
void dal_speeds_choose(dal_state *state);
/* Should they be chosen again? Yes if automatic ones have become bad; a failure if the model's own do not determine the velocities. */
dal_flow dal_speeds_watch(dal_state *state, bool *change);
/* The condition of S, where it has not been estimated since it was factored. */
void dal_speeds_estimate(dal_state *state);
#define DAL_SPEEDS_WARN 1e3 /* condition of speeds fixed by the model that deserves a warning */

/* The matrices of the basis, on a tree that is solved without them; false without memory. Part of dal_state_widen. */
bool dal_speeds_widen(dal_state *state);

/* Number of speeds of the formulation: nv - rank (- n_ignorable where it has more rows). */
int dal_speeds_count(const dal_system *system);
/* The refusals of every formulation with speeds: a wrong number of speeds in the model, and models that are too large for dense matrices. */
bool dal_speeds_apply(const dal_system *system, dal_refusal *why);

/* For the table of a formulation: S v = [u - Z; e; beta_k], and u = Y v + Z. */
dal_flow dal_speeds_unpack(dal_state *state, const double *u);
dal_flow dal_speeds_pack(dal_state *state, double *u);
double dal_speeds_unit(const dal_state *state, int j);

/* Common entries of the tables of formulations with one equation K u' = f per speed. */
#define DAL_FORMULATION_IN_SPEEDS(applies_, work_, solve_, on_tree_, show_)                                                                          \
    DAL_FORMULATION(applies_, work_, solve_, dal_speeds_correct, show_),                                                                             \
        DAL_FORMULATION_SPEEDS(dal_speeds_count, dal_speeds_unpack, dal_speeds_pack, dal_speeds_unit), .chooses = true, .on_tree = on_tree_
/* The same where M, h and Q are not needed. */
#define DAL_FORMULATION_WITHOUT_LOADS(applies_, work_, solve_, on_tree_, show_)                                                                      \
    DAL_FORMULATION_IN_SPEEDS(applies_, work_, solve_, on_tree_, show_), .without_loads = true

/* S of the present A is factored (again only where unpack has not done it). A failure where it is singular. */
dal_flow dal_speeds_ready(dal_state *state);
void dal_speeds_basis(dal_state *state);       /* W */
void dal_speeds_columns(dal_state *state);     /* W, and the partial velocities T */
void dal_speeds_rates(dal_state *state);       /* W' (for u' = 0), motion, and the bends of the columns along it; after columns and velocity */
void dal_speeds_bias_vector(dal_state *state); /* bias; after velocity. A formulation with more rows has put e' - E' v in bias + p */
void dal_speeds_bias(dal_state *state);        /* bias, and rate of every body; after velocity */
/* The start of most formulations: all of these calls, W' only where it is needed. */
static inline dal_flow dal_speeds_begin(dal_state *state, bool with_rates)
{
    const dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    dal_speeds_columns(state);
    if (with_rates)
        dal_speeds_rates(state);
    dal_speeds_bias(state);
    return 0;
}
/* Partial velocities of a body's centre of mass and partial angular velocities, world axes: 3 per speed each. After columns. */
void dal_speeds_partials(const dal_state *state, int body, double *c, double *w);
/* The speeds that move a body at all, ascending, from its partial velocities. Returns how many. */
int dal_speeds_moving(int p, const double *c, const double *w, int *moving);
/* The rates of the partial velocities of speed j: D_v of them with W held, and those of W_j'. After rates. */
void dal_speeds_partial_rates(const dal_state *state, int j, int body, double cd[3], double wd[3]);
/* Where rows are not linear in the rates: y (n) of dT/dv, then dT/dv . V_jl. After columns. */
void dal_speeds_curving(dal_state *state, double *y);
double dal_speeds_curved(dal_state *state, const double *y, int j, int l);
/* The matrix K + N - N: the rate of dT/du with N_jl = dT/dv . V_jl, less that of W on the momenta. y: scratch, n. */
void dal_speeds_add_curved(dal_state *state, double *y);
/* x := S^-1 x, from the order speeds, more rows, rows: one vector, refined; p of them at once, one after the other. */
void dal_speeds_solve(const dal_state *state, double *x);
void dal_speeds_solve_columns(const dal_state *state, double *columns);
/* D_a [S b - ...] for b, in the same order, from tangents and bend: D_a [Y b + Z db; A_k b - beta_k db]. For formulations without more rows. */
void dal_speeds_bend(dal_state *state, const dal_direction *a, const dal_direction *b, const dal_bend *bend, double *out);

/* Adds the terms of sub-systems to K and f of K u' = f: W_j.M W_l, and -W_j.(h + M bias). After columns and bias. */
void dal_speeds_add_subsystems(dal_state *state);
/* U_j of column j: the work of the applied forces on the partial velocities, and of the forces given on coordinates. */
double dal_speeds_force(const dal_state *state, int j);
/* K u' = f by Cholesky, then wd = u', vd = W u' + bias, and the multipliers unless they are found later. A failure where K is singular. K and f stay as they are. */
dal_flow dal_speeds_finish(dal_state *state);
/* vd = W wd + bias */
void dal_speeds_combine(dal_state *state);
/* `correct` of the formulations that end with it. */
void dal_speeds_correct(dal_state *state, const double *f, const double *b, double *dv, double *dlambda);
/* lambda of the rows in S, from S^T [mu; lambda] = M v' + h - Q; mu vanishes up to rounding. After vd. */
void dal_speeds_multipliers(dal_state *state);

/* In the plane: velocity of the centre of mass, and w, along a direction. */
static inline void dal_flat_partial(const dal_body *body, const dal_tangent *tangent, dal_real out[3])
{
    const dal_real *Rd = tangent->Rd;
    const double *c = body->center;
    out[0] = Rd[0] * c[0] + Rd[1] * c[1] + tangent->rd[0];
    out[1] = Rd[3] * c[0] + Rd[4] * c[1] + tangent->rd[1];
    out[2] = tangent->w[2];
}

/* Velocity (or its rate) of the centre of mass along a direction. */
static inline void dal_center_along(const dal_body *body, const dal_tangent *tangent, dal_real out[3])
{
    dal_turn(tangent->Rd, body->center, out);
    dal_axpy3(1, tangent->rd, out);
}

/* The bend of the centre of mass. */
static inline void dal_center_bend(const dal_body *body, const dal_bend *bend, dal_real out[3])
{
    dal_turn(bend->Rb, body->center, out);
    dal_axpy3(1, bend->rb, out);
}

#endif
