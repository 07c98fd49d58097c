/* Shared by friction.c, friction_balance.c, friction_drift.c, slip.c and stick.c: the parts of state->friction->work. */
#ifndef DAL_DYNAMICS_FRICTION_PARTS_H
#define DAL_DYNAMICS_FRICTION_PARTS_H

#include "dynamics/friction.h"
#include "kinematics/family.h"
#include "state/evaluate.h"
#include "state/owner.h"

typedef struct dal_friction_state {
    const dal_friction *element; /* of the system */
    double *force;               /* of each component: dal_friction_accelerate */
    double *direction;           /* of sliding, of each component: dal_friction_accepted */
    int *mode;                   /* dal_slip of each element: dal_friction_restart */
    bool *broken;                /* of elements: what stuck has just come loose. slip.c */
    int *pivots;                 /* scratch of friction_balance.c */
    double *work;                /* the parts below, laid out by layout_friction_parts */
} dal_friction_state;

extern const dal_owner dal_friction_owner;

typedef struct dal_friction_parts {
    int n, elements; /* components, elements */
    /* the response of the formulation: friction.c */
    double *force, *direct; /* without friction: 6 per body, nv */
    double *slip;           /* s */
    double *rate, *G;       /* s'_0, d s'/d e by columns */
    double *F, *F_e;        /* 3 per element; the same for every component */
    double *vd, *B;         /* v' without friction, d v'/d e by columns */
    double *mobility;       /* what G_kk would be if the joint's two bodies were free */
    double *rounding;       /* uncertainty of s' */
    double soft;            /* how far rows yield to forces, relative to bodies that are free: not at all, but for a penalty */
    /* how far the constraints have drifted: friction_drift.c */
    double *change, *kept; /* velocities, nv */
    double *missed;        /* of rows */
    double *stray;         /* of s': the part from accelerations that violate the constraints */
    double drift;          /* of s, in extents in a unit of time */
    /* its solution: friction_balance.c */
    double *e, *press; /* forces; N of every element */
    double *base, *E;  /* e = base + E N, E by columns, one per element */
    double *a, *b;     /* N_i = |a_i + sum b_ij N_j|: 3 per element, 3 per pair */
    double *J, *step, *N, *path;
    double *H, *H_plain, *x, *rank_work; /* of what sticks */
    double *sticking;                    /* which components: indices as doubles */
    int n_sticking;
    bool shared; /* surfaces that hold each other */
    int worst;   /* element at which no solution was found */
    /* choosing modes: slip.c */
    double *fresh; /* 1: slips from rest */
    /* kept from one evaluation to the next */
    double *slack;           /* of elements: how far back a surface may seem to slide while it has not clearly left its rest */
    double *force_error;     /* of elements: rounding of the force that holds it */
    double *bound;           /* of components: 1 where no friction can move it */
    double *place;           /* 9 per element: where it stuck */
    double *look;            /* of elements that slide several ways: the time by which n looks ahead while they start, or 0 */
    double *ahead, *fastest; /* the sliding that this time adds, and the fastest since the start */
    double *jam;             /* the last that was refused: its element, from 1, and when */
} dal_friction_parts;

/* ---- friction.c ---- */

const dal_friction_state *dal_friction_of(const dal_state *state); /* NULL: there is none */
/* The parts over state->friction->work. */
dal_friction_parts dal_friction_layout(const dal_state *state);
dal_friction_parts dal_friction_begin(dal_state *state); /* loads and velocities of sliding; after loads and stabilise */
dal_flow dal_friction_respond(dal_state *state, const dal_friction_parts *p);
void dal_friction_slip(const dal_state *state, const dal_friction *f, double *s);
double dal_friction_coefficient(const dal_friction *f, double speed);                   /* mu */
double dal_friction_limit(const dal_state *state, const dal_friction *f, double speed); /* K; after loads, as the next one */
double dal_friction_holds(const dal_state *state, const dal_friction *f, double N);     /* what it can hold at rest */
double dal_friction_extent(const dal_layout *layout, const dal_friction *f);            /* m of sliding where the model moves by its size */
double dal_friction_pace(const dal_layout *layout, const dal_friction *f);              /* m/s of sliding where it does so in a unit of time */

/* ---- friction_balance.c ---- */

/* e if it depends on the motion alone: no surface sticks, and no normal force matters. False otherwise. */
bool dal_friction_given(const dal_state *state, const dal_friction_parts *p);

/* What the direction n of the force of an element that slips depends on. */
typedef enum dal_aim {
    DAL_AIM_HELD,   /* nothing: it is that of the last step */
    DAL_AIM_MOTION, /* n = s / |s|, or -s / |s| */
    DAL_AIM_SMOOTH, /* n = tanh(|s| / v_r) s / |s| */
    DAL_AIM_AHEAD   /* n is the direction of s + h s' */
} dal_aim;
/* The first element that sticks, yields or starts to slide; -1: none. After accelerate. */
int dal_friction_at_rest(const dal_state *state);
dal_aim dal_friction_aim(const dal_state *state, const dal_friction_parts *p, int element, double *n);

/* e and N for the present modes, with n of what starts to slide. False: there is no solution, p->worst says where. */
bool dal_friction_balance(dal_state *state, dal_friction_parts *p);
dal_flow dal_friction_jams(dal_state *state, int element);
/* Components that stick and can be moved, their G factored; then e of them with G e = b, in place: b and e have n entries. */
void dal_friction_factor(const dal_state *state, dal_friction_parts *p);
void dal_friction_solve(const dal_friction_parts *p, double *b);
/* d s'_k / d e_k while what sticks holds: G_kk - G_ks G_ss^-1 G_sk. After balance, whose base it overwrites. */
double dal_friction_mobility(const dal_friction_parts *p, int component);
bool dal_friction_is_bound(const dal_friction_parts *p, int component);

/* ---- friction_drift.c ---- */

/* s and s'_0 of velocities and accelerations that keep the constraints, and how far they were from them. After respond. */
dal_flow dal_friction_find_drift(dal_state *state, dal_friction_parts *p);

/* ---- stick.c ---- */

void dal_friction_mark(const dal_state *state, const dal_friction_parts *p, int element); /* it sticks here */

#endif
