/* The recursion over the joint tree (articulated bodies, Featherstone 2008, chapter 7), recorded on nodes.
 *
 * Every elementary motion of a carrier is a link; the last one has the inertia of the body. A link has the frame behind its motion: E turns it to
 * the frame of its parent, p is its origin there. Spatial vectors are (angular, linear) in its axes, at its origin:
 *   V  = X V_p + S v,   c = V x S v
 *   U  = I S,   D = S^T U,   u = tau - S^T p
 *   I_p += X^T (I - U D^-1 U^T) X,   p_p += X^T (p + (I - U D^-1 U^T) c + U D^-1 u)
 *   v' = D^-1 (u - U^T a'),   a' = X a_p + c,   a = a' + S v'
 * The ground accelerates with -g, which is gravity; all other forces are generalized ones. The reduced I along the motion of a link is exactly zero,
 * and the component of the wrench along it is tau: both are written without computation.
 *
 * Loops: v' = a + Y lambda, M Y = A^T by the same recursion, column by column, and  A Y lambda = gamma - A a.
 */
#include "derive/nodes.h"

#include "kinematics/tree.h"

#include <string.h>

/* An inertia: n = A w + H v,  f = H^T w + M v. */
typedef struct inertia {
    dal_node A[9], H[9], M[9];
} inertia;

typedef struct wrench {
    dal_node n[3], f[3];
} wrench;

typedef struct link {
    int parent;     /* -1: the ground */
    int v, n_v;     /* its velocities */
    int kind, axis; /* of the step; n_v = 0: none */
    double sign;
    dal_node pitch; /* of a screw */
    dal_node p[3], E[9];
    dal_node B[9]; /* E before its own turn; sine and cosine of the angle of that turn; sine is DAL_NO_NODE if it does not turn */
    dal_node sine, cosine;
    dal_node w[3], o[3];   /* its velocity: angular, of its origin */
    dal_node cw[3], co[3]; /* c */
    inertia I;
    wrench bias;
    dal_node U[3][6], D[9], inverse[9]; /* a column a velocity; n_v x n_v */
    inertia left;                       /* I - U D^-1 U^T */
} link;

typedef struct chain {
    dal_derivation *d;
    link *links;
    int n;
    int *of_body;                  /* the last link of a body */
    const dal_symbolic_marker *to; /* of each body: the place of its link's frame on it */
} chain;

static void zeros(dal_derivation *d, int n, dal_node *x)
{
    for (int i = 0; i < n; i++)
        x[i] = dal_n_const(d, 0);
}

static dal_node add_product(dal_derivation *d, dal_node sum, dal_node a, dal_node b)
{
    return dal_n_add(d, sum, dal_n_mul(d, a, b));
}

static void transpose(const dal_node A[9], dal_node out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = A[i % 3 * 3 + i / 3];
}

/* [p x] */
static void cross_matrix(dal_derivation *d, const dal_node p[3], dal_node out[9])
{
    const dal_node zero = dal_n_const(d, 0);
    const dal_node matrix[9] = {zero, dal_n_neg(d, p[2]), p[1], p[2], zero, dal_n_neg(d, p[0]), dal_n_neg(d, p[1]), p[0], zero};
    memcpy(out, matrix, sizeof matrix);
}

/* ---- links ------------------------------------------------------------------------ */

/* R = 1 + 2 p0 [p x] + 2 [p x]^2 of a unit quaternion: R_ik = 2 (p_i p_k -+ p0 p_l), R_ii = 1 - 2 (p_j^2 + p_k^2) */
static void ball_rotation(dal_derivation *d, const dal_node p[4], dal_node R[9])
{
    const dal_node two = dal_n_const(d, 2);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dal_node jj = dal_n_mul(d, p[1 + j], p[1 + j]), kk = dal_n_mul(d, p[1 + k], p[1 + k]);
        const dal_node ij = dal_n_mul(d, p[1 + i], p[1 + j]), turn = dal_n_mul(d, p[0], p[1 + k]);
        R[4 * i] = dal_n_sub(d, dal_n_const(d, 1), dal_n_mul(d, two, dal_n_add(d, jj, kk)));
        R[3 * i + j] = dal_n_mul(d, two, dal_n_sub(d, ij, turn));
        R[3 * j + i] = dal_n_mul(d, two, dal_n_add(d, ij, turn));
    }
}

/* The frame moves by `length` along an axis of its own. */
static void go(dal_derivation *d, link *x, int axis, dal_node length)
{
    for (int i = 0; i < 3; i++)
        x->p[i] = add_product(d, x->p[i], length, x->E[3 * i + axis]);
}

/* One elementary motion, from a frame that stands at (p, E) of the parent link. */
static void place_link(dal_derivation *d, const dal_carrier *carrier, const dal_motion_step *step, link *x)
{
    const dal_node sign = dal_n_const(d, step->sign);
    dal_node R[9], p[4];
    x->sign = step->sign;
    x->kind = (int)step->kind;
    x->axis = step->axis;
    x->v = step->v;
    x->n_v = dal_step_velocities(step);
    x->pitch = dal_n_const(d, 0);
    if (step->kind == DAL_STEP_BALL) {
        for (int i = 0; i < 4; i++)
            p[i] = dal_n_var(d, d->q + step->q + i);
        ball_rotation(d, p, R);
        dal_n_multiply(d, x->E, R, false, x->E);
        return;
    }
    const dal_node q = step->kind == DAL_STEP_CONSTANT ? sign : dal_n_mul(d, sign, dal_n_var(d, d->q + step->q));
    if (step->kind == DAL_STEP_SHIFT)
        go(d, x, step->axis, q);
    if (step->kind == DAL_STEP_CONSTANT)
        go(d, x, step->axis, dal_n_mul(d, sign, dal_derive_rod_length(d, carrier->joint, step->length)));
    if (step->kind == DAL_STEP_SCREW) {
        x->pitch = dal_derive_pitch(d, carrier->joint, step->length);
        go(d, x, step->axis, dal_n_add(d, dal_n_mul(d, x->pitch, q), dal_n_mul(d, sign, dal_derive_number(d, step->offset))));
    }
    if (step->kind == DAL_STEP_TURN || step->kind == DAL_STEP_SCREW) {
        const int i = (step->axis + 1) % 3, k = (step->axis + 2) % 3;
        dal_n_rotation(d, step->axis, q, R);
        x->cosine = R[4 * i];
        x->sine = R[3 * k + i];
        memcpy(x->B, x->E, sizeof x->B);
        dal_n_multiply(d, x->E, R, false, x->E);
    }
}

/* Column j of S. */
static void motion_column(dal_derivation *d, const link *x, int j, dal_node w[3], dal_node o[3])
{
    zeros(d, 3, w);
    zeros(d, 3, o);
    if (x->kind == DAL_STEP_BALL)
        w[j] = dal_n_const(d, 1);
    if (x->kind == DAL_STEP_TURN || x->kind == DAL_STEP_SCREW)
        w[x->axis] = dal_n_const(d, x->sign);
    if (x->kind == DAL_STEP_SCREW)
        o[x->axis] = dal_n_mul(d, dal_n_const(d, x->sign), x->pitch);
    if (x->kind == DAL_STEP_SHIFT)
        o[x->axis] = dal_n_const(d, x->sign);
}

/* A motion of the parent at the origin of the link, in its axes. */
static void carry_motion(dal_derivation *d, const link *x, const dal_node *w_p, const dal_node *o_p, dal_node w[3], dal_node o[3])
{
    dal_node turn[3];
    dal_n_cross(d, w_p, x->p, turn);
    dal_n_sum(d, o_p, turn, turn);
    dal_n_turn_back(d, x->E, w_p, w);
    dal_n_turn_back(d, x->E, turn, o);
}

static void move_link(chain *c, link *x)
{
    dal_derivation *d = c->d;
    dal_node still[3], w[3], o[3], sw[3], so[3], turn[3], more[3];
    zeros(d, 3, still);
    zeros(d, 3, sw);
    zeros(d, 3, so);
    const link *parent = x->parent < 0 ? NULL : &c->links[x->parent];
    carry_motion(d, x, parent ? parent->w : still, parent ? parent->o : still, x->w, x->o);
    for (int j = 0; j < x->n_v; j++) {
        const dal_node v = dal_n_var(d, d->v + x->v + j);
        motion_column(d, x, j, w, o);
        for (int i = 0; i < 3; i++) {
            sw[i] = add_product(d, sw[i], w[i], v);
            so[i] = add_product(d, so[i], o[i], v);
        }
    }
    dal_n_sum(d, x->w, sw, x->w);
    dal_n_sum(d, x->o, so, x->o);
    dal_n_cross(d, x->w, sw, x->cw); /* V x S v = (w x sw, w x so + o x sw) */
    dal_n_cross(d, x->w, so, turn);
    dal_n_cross(d, x->o, sw, more);
    dal_n_sum(d, turn, more, x->co);
}

/* The inertia of a body and its bias wrench V x* I V, in the frame of its link: I about the origin is I_c + m (c.c 1 - c c^T). */
static void load_link(chain *c, link *x, int b, const dal_symbolic_marker *to)
{
    dal_derivation *d = c->d;
    const dal_derived_body *body = &d->bodies[b];
    dal_node at[3], h[3], turn[9], P[9], f[3], n[3], wn[3], of[3], Ic[9];
    for (int i = 0; i < 3; i++)
        at[i] = dal_n_sub(d, body->center[i], to->s[i]);
    dal_n_turn_back(d, to->B, at, at);
    transpose(to->B, turn);
    dal_n_multiply(d, turn, body->inertia, false, Ic);
    dal_n_multiply(d, Ic, turn, true, Ic);
    const dal_node square = dal_n_dot(d, at, at);
    for (int i = 0; i < 3; i++) {
        h[i] = dal_n_mul(d, body->mass, at[i]);
        for (int k = i; k < 3; k++) {
            dal_node entry = dal_n_neg(d, dal_n_mul(d, at[i], at[k]));
            if (i == k)
                entry = dal_n_add(d, square, entry);
            x->I.A[3 * i + k] = x->I.A[3 * k + i] = dal_n_add(d, Ic[3 * i + k], dal_n_mul(d, body->mass, entry));
        }
        x->I.M[4 * i] = body->mass;
    }
    cross_matrix(d, h, P);
    memcpy(x->I.H, P, sizeof P);
    dal_n_cross(d, x->w, h, f); /* momentum: f = m o + w x h,  n = A w + h x o */
    for (int i = 0; i < 3; i++)
        f[i] = add_product(d, f[i], body->mass, x->o[i]);
    dal_n_turn(d, x->I.A, x->w, n);
    dal_n_cross(d, h, x->o, wn);
    dal_n_sum(d, n, wn, n);
    dal_n_cross(d, x->w, n, wn);
    dal_n_cross(d, x->o, f, of);
    dal_n_sum(d, wn, of, x->bias.n);
    dal_n_cross(d, x->w, f, x->bias.f);
}

static void clear_link(dal_derivation *d, link *x)
{
    memset(x, 0, sizeof *x);
    x->sine = x->cosine = DAL_NO_NODE;
    dal_n_identity(d, x->E);
    zeros(d, 3, x->p);
    zeros(d, 27, x->I.A);
    zeros(d, 6, x->bias.n);
    zeros(d, 9, x->D);
}

/* The frame of the joint on the parent, in the frame of the parent's link. */
static void start_frame(chain *c, const dal_carrier *carrier, const dal_symbolic_marker *from, link *x)
{
    dal_derivation *d = c->d;
    dal_node back[9];
    memcpy(x->p, from->s, sizeof x->p);
    memcpy(x->E, from->B, sizeof x->E);
    x->parent = -1;
    if (carrier->parent == DAL_GROUND)
        return;
    const dal_symbolic_marker *to = &c->to[carrier->parent];
    x->parent = c->of_body[carrier->parent];
    for (int i = 0; i < 3; i++)
        x->p[i] = dal_n_sub(d, x->p[i], to->s[i]);
    dal_n_turn_back(d, to->B, x->p, x->p);
    transpose(to->B, back);
    dal_n_multiply(d, back, x->E, false, x->E);
}

static void add_carrier(chain *c, const dal_carrier *carrier, dal_symbolic_marker *to)
{
    dal_derivation *d = c->d;
    const dal_tree *tree = d->layout->tree;
    const dal_symbolic_marker from = dal_derive_carrier_frame(d, carrier, true);
    link x;
    to[carrier->body] = dal_derive_carrier_frame(d, carrier, false);
    clear_link(d, &x);
    start_frame(c, carrier, &from, &x);
    int pending = 0;
    for (int k = carrier->step; k < carrier->step + carrier->n_steps; k++) {
        const dal_motion_step *step = &tree->step[k];
        place_link(d, carrier, step, &x);
        pending = !x.n_v;
        if (!x.n_v) /* a constant: part of the next motion's frame */
            continue;
        move_link(c, &x);
        c->links[c->n++] = x;
        clear_link(d, &x);
        x.parent = c->n - 1;
    }
    if (pending || !carrier->n_steps) { /* the end of a rod, or a weld: a link that does not move */
        x.n_v = 0;
        move_link(c, &x);
        c->links[c->n++] = x;
    }
    c->of_body[carrier->body] = c->n - 1;
    if (carrier->particle) { /* without attitude: only the mass and its place matter */
        dal_symbolic_marker *at = &to[carrier->body];
        dal_n_identity(d, at->B);
        for (int i = 0; i < 3; i++)
            if (!dal_n_is(d, at->s[i], 0) || !dal_n_is(d, d->bodies[carrier->body].center[i], 0))
                dal_derive_refuse(d, "particle '%s' hangs at a point beside its own: the recursion is not written in symbols for it",
                                  d->mechanism->bodies[carrier->body].name);
    }
    if (carrier->parent != DAL_GROUND && d->mechanism->bodies[carrier->parent].particle)
        dal_derive_refuse(d, "'%s' is carried by a particle: the recursion is not written in symbols for it",
                          d->mechanism->bodies[carrier->body].name);
    load_link(c, &c->links[c->n - 1], carrier->body, &to[carrier->body]);
}

/* ---- inwards ------------------------------------------------------------------------ */

/* D^-1 of a 3 x 3 by cofactors, or of a number. */
static void invert_block(dal_derivation *d, link *x)
{
    const dal_node *D = x->D;
    if (x->n_v == 1) {
        x->inverse[0] = dal_n_div(d, dal_n_const(d, 1), D[0]);
        return;
    }
    dal_node cofactor[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, s = (k + 1) % 3, t = (k + 2) % 3;
            cofactor[3 * i + k] = dal_n_sub(d, dal_n_mul(d, D[3 * a + s], D[3 * b + t]), dal_n_mul(d, D[3 * a + t], D[3 * b + s]));
        }
    const dal_node whole = dal_n_div(d, dal_n_const(d, 1), dal_n_dot(d, D, cofactor));
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            x->inverse[3 * i + k] = x->inverse[3 * k + i] = dal_n_mul(d, cofactor[3 * k + i], whole);
}

static dal_node entry_of(const inertia *I, int i, int k)
{
    return i < 3 ? (k < 3 ? I->A[3 * i + k] : I->H[3 * i + k - 3]) : (k < 3 ? I->H[3 * k + i - 3] : I->M[3 * (i - 3) + k - 3]);
}

static void set_entry(inertia *I, int i, int k, dal_node value)
{
    if (i < 3 && k < 3)
        I->A[3 * i + k] = I->A[3 * k + i] = value;
    else if (i < 3)
        I->H[3 * i + k - 3] = value;
    else
        I->M[3 * (i - 3) + k - 3] = I->M[3 * (k - 3) + i - 3] = value;
}

/* Is component i of S the only nonzero one in some column? Then the reduced I along it is zero. */
static bool is_pure(const link *x, int i)
{
    switch (x->kind) {
    case DAL_STEP_BALL: return i < 3;
    case DAL_STEP_TURN: return i == x->axis;
    case DAL_STEP_SHIFT: return i == 3 + x->axis;
    default: return false;
    }
}

static void eliminate_link(dal_derivation *d, link *x)
{
    dal_node s[6];
    for (int j = 0; j < x->n_v; j++) {
        motion_column(d, x, j, s, s + 3);
        for (int i = 0; i < 6; i++) {
            x->U[j][i] = dal_n_const(d, 0);
            for (int k = 0; k < 6; k++)
                x->U[j][i] = add_product(d, x->U[j][i], entry_of(&x->I, i, k), s[k]);
        }
    }
    for (int j = 0; j < x->n_v; j++) {
        motion_column(d, x, j, s, s + 3);
        for (int l = 0; l < x->n_v; l++) {
            dal_node sum = dal_n_const(d, 0);
            for (int k = 0; k < 6; k++)
                sum = add_product(d, sum, s[k], x->U[l][k]);
            x->D[j * x->n_v + l] = sum;
        }
    }
    if (x->n_v)
        invert_block(d, x);
    x->left = x->I;
    if (!x->n_v)
        return;
    for (int i = 0; i < 6; i++) {
        dal_node scaled[3];
        for (int j = 0; j < x->n_v; j++) {
            scaled[j] = dal_n_const(d, 0);
            for (int l = 0; l < x->n_v; l++)
                scaled[j] = add_product(d, scaled[j], x->inverse[j * x->n_v + l], x->U[l][i]);
        }
        for (int k = i; k < 6; k++) {
            dal_node value = entry_of(&x->I, i, k);
            for (int j = 0; j < x->n_v; j++)
                value = dal_n_sub(d, value, dal_n_mul(d, scaled[j], x->U[j][k]));
            set_entry(&x->left, i, k, is_pure(x, i) || is_pure(x, k) ? dal_n_const(d, 0) : value);
        }
    }
}

/* E X E^T; symmetric ones are completed. */
static void turn_matrix(dal_derivation *d, const dal_node E[9], const dal_node X[9], bool symmetric, dal_node out[9])
{
    dal_node half[9];
    dal_n_multiply(d, E, X, false, half);
    for (int i = 0; i < 3; i++)
        for (int k = symmetric ? i : 0; k < 3; k++) {
            out[3 * i + k] = dal_n_dot(d, half + 3 * i, E + 3 * k);
            if (symmetric)
                out[3 * k + i] = out[3 * i + k];
        }
}

/* R X R^T of a turn about an axis, in 11 operations instead of 24 for the block of the other two: its trace and its part without symmetry do not
 * turn, and the rest turns by twice the angle.  u = s (x_ii - x_kk) + c (x_ik + x_ki);  x_ii - s u, x_kk + s u;  c u - x_ki, c u - x_ik */
static void turn_about_axis(dal_derivation *d, const link *x, const dal_node X[9], bool symmetric, dal_node out[9])
{
    const int a = x->axis, i = (a + 1) % 3, k = (a + 2) % 3;
    const dal_node s = x->sine, c = x->cosine;
    const dal_node mixed = dal_n_mul(d, c, symmetric ? dal_n_mul(d, dal_n_const(d, 2), X[3 * i + k]) : dal_n_add(d, X[3 * i + k], X[3 * k + i]));
    const dal_node u = dal_n_add(d, dal_n_mul(d, s, dal_n_sub(d, X[4 * i], X[4 * k])), mixed);
    const dal_node su = dal_n_mul(d, s, u), cu = dal_n_mul(d, c, u);
    dal_node to[9];
    to[4 * a] = X[4 * a];
    to[4 * i] = dal_n_sub(d, X[4 * i], su);
    to[4 * k] = dal_n_add(d, X[4 * k], su);
    to[3 * i + k] = dal_n_sub(d, cu, X[3 * k + i]);
    to[3 * k + i] = dal_n_sub(d, cu, X[3 * i + k]);
    for (int column = 0; column < 2; column++) {
        const int one = column ? 3 * i + a : 3 * a + i, other = column ? 3 * k + a : 3 * a + k;
        to[one] = dal_n_sub(d, dal_n_mul(d, c, X[one]), dal_n_mul(d, s, X[other]));
        to[other] = dal_n_add(d, dal_n_mul(d, s, X[one]), dal_n_mul(d, c, X[other]));
    }
    memcpy(out, to, sizeof to);
}

/* E X E^T of a link. Its own turn goes first where the rest is nearly a permutation of axes. */
static void turn_by_link(dal_derivation *d, const link *x, const dal_node X[9], bool symmetric, dal_node out[9])
{
    int entries = 0;
    for (int i = 0; i < 9 && x->sine != DAL_NO_NODE; i++)
        entries += !dal_n_is(d, x->B[i], 0);
    if (entries == 0 || entries > 5) {
        turn_matrix(d, x->E, X, symmetric, out);
        return;
    }
    turn_about_axis(d, x, X, symmetric, out);
    turn_matrix(d, x->B, out, symmetric, out);
}

/* The reduced inertia of the link, at the parent: A + P H^T - (H + P M) P, H + P M, M with P = [p x]. */
static void pass_inertia(dal_derivation *d, const link *x, inertia *to)
{
    dal_node A[9], H[9], M[9], P[9], PM[9], PH[9], HP[9], shifted[9];
    turn_by_link(d, x, x->left.A, true, A);
    turn_by_link(d, x, x->left.H, false, H);
    turn_by_link(d, x, x->left.M, true, M);
    cross_matrix(d, x->p, P);
    dal_n_multiply(d, P, M, false, PM);
    dal_n_multiply(d, P, H, true, PH);
    for (int i = 0; i < 9; i++)
        shifted[i] = dal_n_add(d, H[i], PM[i]);
    dal_n_multiply(d, shifted, P, false, HP);
    for (int i = 0; i < 9; i++) {
        const int k = i % 3 * 3 + i / 3;
        to->H[i] = dal_n_add(d, to->H[i], shifted[i]);
        to->M[i] = dal_n_add(d, to->M[i], M[i]);
        to->A[i] = k < i ? to->A[k] : dal_n_add(d, to->A[i], dal_n_sub(d, dal_n_add(d, A[i], PH[i]), HP[i]));
    }
}

static void pass_wrench(dal_derivation *d, const link *x, const wrench *from, wrench *to)
{
    dal_node n[3], f[3], turn[3];
    dal_n_turn(d, x->E, from->n, n);
    dal_n_turn(d, x->E, from->f, f);
    dal_n_cross(d, x->p, f, turn);
    dal_n_sum(d, n, turn, n);
    dal_n_sum(d, to->n, n, to->n);
    dal_n_sum(d, to->f, f, to->f);
}

/* ---- one right side ------------------------------------------------------------------- */

/* Accelerations under the generalized forces tau. `moving`: with bias wrenches, c and gravity; without them M^-1 tau. */
static void sweep(chain *c, const dal_node *tau, bool moving, dal_node *out)
{
    dal_derivation *d = c->d;
    wrench *p = DAL_NEW(d->arena, wrench, c->n);
    dal_node *u = DAL_NEW(d->arena, dal_node, 3 * c->n), (*a)[6] = dal_arena_alloc(d->arena, sizeof *a * (size_t)(c->n + 1)), s[6], base[6];
    for (int i = 0; i < c->n; i++) {
        zeros(d, 6, p[i].n);
        if (moving)
            p[i] = c->links[i].bias;
    }
    for (int i = c->n - 1; i >= 0; i--) {
        const link *x = &c->links[i];
        wrench up = p[i];
        for (int j = 0; j < x->n_v; j++) {
            motion_column(d, x, j, s, s + 3);
            u[3 * i + j] = tau[x->v + j];
            for (int k = 0; k < 3; k++) {
                u[3 * i + j] = dal_n_sub(d, u[3 * i + j], dal_n_mul(d, s[k], p[i].n[k]));
                u[3 * i + j] = dal_n_sub(d, u[3 * i + j], dal_n_mul(d, s[3 + k], p[i].f[k]));
            }
        }
        if (x->parent < 0)
            continue;
        for (int k = 0; k < 6; k++) {
            dal_node *to = k < 3 ? &up.n[k] : &up.f[k - 3];
            if (x->n_v && is_pure(x, k)) { /* exactly tau */
                *to = dal_n_mul(d, dal_n_const(d, x->sign), tau[x->v + (x->kind == DAL_STEP_BALL ? k : 0)]);
                continue;
            }
            for (int l = 0; l < 6 && moving; l++)
                *to = add_product(d, *to, entry_of(&x->left, k, l), l < 3 ? x->cw[l] : x->co[l - 3]);
            for (int j = 0; j < x->n_v; j++)
                for (int l = 0; l < x->n_v; l++)
                    *to = add_product(d, *to, x->U[j][k], dal_n_mul(d, x->inverse[j * x->n_v + l], u[3 * i + l]));
        }
        pass_wrench(d, x, &up, &p[x->parent]);
    }
    zeros(d, 6, base);
    for (int k = 0; k < 3 && moving; k++)
        base[3 + k] = dal_n_neg(d, d->gravity[k]);
    for (int i = 0; i < c->n; i++) {
        const link *x = &c->links[i];
        const dal_node *from = x->parent < 0 ? base : a[x->parent];
        dal_node rest[3];
        carry_motion(d, x, from, from + 3, a[i], a[i] + 3);
        for (int k = 0; k < 6 && moving; k++)
            a[i][k] = dal_n_add(d, a[i][k], k < 3 ? x->cw[k] : x->co[k - 3]);
        for (int j = 0; j < x->n_v; j++) {
            rest[j] = u[3 * i + j];
            for (int k = 0; k < 6; k++)
                rest[j] = dal_n_sub(d, rest[j], dal_n_mul(d, x->U[j][k], a[i][k]));
        }
        for (int j = 0; j < x->n_v; j++) {
            dal_node sum = dal_n_const(d, 0);
            for (int l = 0; l < x->n_v; l++)
                sum = add_product(d, sum, x->inverse[j * x->n_v + l], rest[l]);
            out[x->v + j] = sum;
        }
        for (int j = 0; j < x->n_v; j++) {
            motion_column(d, x, j, s, s + 3);
            for (int k = 0; k < 6; k++)
                a[i][k] = add_product(d, a[i][k], s[k], out[x->v + j]);
        }
    }
}

/* ---- loops -------------------------------------------------------------------------------- */

/* The multipliers of the independent rows, and v' with them. */
static void close_loops(chain *c, const dal_node *free)
{
    dal_derivation *d = c->d;
    const int k = dal_system_rank(d->system), *rows = d->options.rows ? d->options.rows : dal_system_start_rows(d->system), n = d->nv;
    dal_node *Y = DAL_NEW(d->arena, dal_node, k * n), *K = DAL_NEW(d->arena, dal_node, k * k), *right = DAL_NEW(d->arena, dal_node, k);
    dal_node *lambda = DAL_NEW(d->arena, dal_node, k);
    for (int r = 0; r < k; r++) {
        sweep(c, d->A + rows[r] * n, false, Y + r * n);
        right[r] = d->row[rows[r]].gamma;
        for (int j = 0; j < n; j++)
            right[r] = dal_n_sub(d, right[r], dal_n_mul(d, d->A[rows[r] * n + j], free[j]));
    }
    for (int r = 0; r < k; r++)
        for (int s = 0; s <= r; s++) {
            dal_node sum = dal_n_const(d, 0);
            for (int j = 0; j < n; j++)
                sum = add_product(d, sum, d->A[rows[r] * n + j], Y[s * n + j]);
            K[r * k + s] = K[s * k + r] = sum;
        }
    dal_derive_solve(d, "lambda", k, K, 1, right, lambda);
    for (int r = 0; r < k; r++) {
        d->multipliers[rows[r]] = lambda[r];
        for (int j = 0; j < n; j++)
            d->accelerations[j] = add_product(d, d->accelerations[j], Y[r * n + j], lambda[r]);
    }
}

static void add_results(dal_derivation *d)
{
    static const char *const value[] = {"="};
    const char **names = DAL_NEW(d->arena, const char *, d->nv);
    for (int k = 0; k < d->nv; k++) {
        names[k] = d->letters[d->a + k].name;
        dal_add_derived_equation(d, names[k], dal_n_sub(d, dal_n_var(d, d->a + k), d->accelerations[k]));
    }
    dal_add_derived_block(d, "v'", "the accelerations", d->nv, 1, d->accelerations, names, value);
}

static void derive_recursive(dal_derivation *d)
{
    const dal_tree *tree = d->layout->tree;
    const int n = d->mechanism->n_bodies;
    if (!tree) {
        dal_derive_refuse(d, "the recursion goes along the joint tree: it is written in symbols in the coordinates joint");
        return;
    }
    dal_symbolic_marker *to = DAL_NEW(d->arena, dal_symbolic_marker, n);
    chain c = {d, DAL_NEW(d->arena, link, tree->n_steps + n), 0, DAL_NEW(d->arena, int, n), to};
    for (int i = 0; i < tree->n_bodies && !d->failed; i++)
        add_carrier(&c, &tree->carrier[i], to);
    if (d->failed)
        return;
    for (int l = c.n - 1; l >= 0; l--) {
        eliminate_link(d, &c.links[l]);
        if (c.links[l].parent >= 0)
            pass_inertia(d, &c.links[l], &c.links[c.links[l].parent].I);
    }
    d->accelerations = DAL_NEW(d->arena, dal_node, d->nv);
    d->multipliers = DAL_NEW(d->arena, dal_node, d->n_rows);
    zeros(d, d->n_rows, d->multipliers);
    sweep(&c, d->Q, true, d->accelerations);
    if (dal_system_rank(d->system)) {
        dal_node *free = DAL_NEW(d->arena, dal_node, d->nv);
        memcpy(free, d->accelerations, sizeof *free * (size_t)d->nv);
        close_loops(&c, free);
    }
    add_results(d);
}

const dal_derived_formulation dal_derived_recursive =
    DAL_DERIVED("recursive", "articulated bodies along the joint tree", "v' = D^-1 (u - U^T a'), outwards; I and p by elimination, inwards",
                "Featherstone 2008, 7.3", derive_recursive, .solution = DAL_SOLVED_ALREADY, .tree = true, .weightless = true,
                .latex = "\\dot{v} = D^{-1}\\left(u - U^{T} a'\\right)");
