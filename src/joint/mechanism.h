/* A mechanism: bodies, material vectors, measures, rows, joints. Constants only,
 * and no choice of coordinates in it.
 *
 *   material vector  x = r + R s (a point) or x = R s (a direction), fixed in a body
 *   measure          a scalar made of material vectors: a scalar product, an angle, a length; or a coordinate of the model's own
 *   row              one constraint: sum of coef * measure - constant - f(t) = 0; or a form: sum of a_k(m, t) m_k' + b(m, t) = 0 with
 *                    coefficients from a program, the derivative of f(m, t) = 0 where it is holonomic; or phi(m, m', t) = 0
 *   speed            a form that is not zero but a quasi-velocity u
 *   joint            a list of rows between two markers, and the motion that it leaves free
 *
 * Body -1 is the ground. In planar models z is zero everywhere and rows are
 * written for x and y only; the kernels are the same.
 */
#ifndef DAL_JOINT_MECHANISM_H
#define DAL_JOINT_MECHANISM_H

#include "base/arena.h"
#include "dalembert/spec.h"

enum { DAL_GROUND = -1 };

typedef struct dal_body {
    const char *name;
    dal_mark mark;
    bool particle; /* no attitude: R is always the identity */
    double mass;
    double center[3];  /* centre of mass in body axes */
    double inertia[9]; /* about the centre of mass, body axes; planar: only [8] */
} dal_body;

/* A point with axes: the columns of B are x, y, z of the joint frame in body axes. */
typedef struct dal_marker {
    int body;
    double s[3], B[9];
} dal_marker;

typedef struct dal_vector {
    int body;
    int point;          /* 1 a point, 0 a direction */
    bool wanted;        /* used outside the rows of its joint */
    bool busy;          /* not only by records: dal_mechanism_settle */
    unsigned char back; /* to the vector before it whose body is in the same class, 0: none nearby */
    double s[3];
} dal_vector;

enum { DAL_BODY_CLASSES = 16 }; /* bodies by their number: to find an equal vector among the last ones */

typedef enum dal_measure_kind {
    DAL_MEASURE_DOT,        /* (v0 - v1) . (v2 - v3); v1, v3 may be absent (-1) */
    DAL_MEASURE_ANGLE,      /* atan2(v1 . v2, v0 . v2) + 2 pi n: v0, v1 = x, y of the first frame, v2 = x of the second */
    DAL_MEASURE_LENGTH,     /* |v0 - v1| */
    DAL_MEASURE_COORDINATE, /* coordinate number vector[0] of the family `user` */
    DAL_MEASURE_KINDS
} dal_measure_kind;

/* Planar angles without a start value of their own take their whole turns from body angles. NONE: they do not. OF_BODY: from the angle of
 * a body against the ground. BETWEEN: from the difference of the angles of two bodies. The last two only if the two frames have
 * the same angle in their bodies. */
typedef enum dal_turns { DAL_TURNS_NONE, DAL_TURNS_OF_BODY, DAL_TURNS_BETWEEN } dal_turns;

typedef struct dal_measure {
    dal_measure_kind kind;
    int vector[4];
    int winding;     /* ANGLE: which counter of whole turns, else -1 */
    bool wanted;     /* used outside the rows of its joint: by forces, signals, other joints */
    dal_turns turns; /* ANGLE */
    bool busy;       /* used by more than records: dal_mechanism_settle */
} dal_measure;

typedef struct dal_term {
    int measure;
    double coef;
} dal_term;

typedef struct dal_row {
    int term, n_terms;
    double constant;
    int time;          /* number of the time function f, or -1 */
    int joint;         /* whose row it is; -1: a speed */
    bool angular;      /* radians instead of metres */
    bool nonholonomic; /* exists at velocity level only */
    bool curved;       /* and is not linear in the rates: a form whose a and b depend on them. See dal_form_outputs */
    bool derived;      /* it follows from the balance of forces along a direction without inertia: its multiplier is zero */
    int equation;      /* number, from 1, of the equation of a joint type that it comes from; 0: none */
    int form;          /* its first output of the forms' program, or -1: the coefficients are constants. See dal_form_outputs */
} dal_row;

/* Outputs of a form with n terms: f (0 where it is nonholonomic), a_1 ... a_n, b, then for each of a_1 ... a_n, b its n
 * derivatives by the measures of the terms and the one by t.
 * A curved one, phi(m, m', t) = 0, is linearised at the present rates: a_k = dphi/dm_k', b = phi - sum of a_k m_k', so that phi is still
 * sum of a_k m_k' + b; derivatives are those with the rates held; the n x n derivatives of a by the rates follow. */
static inline int dal_form_outputs(int n)
{
    return 1 + (n + 1) + (n + 1) * (n + 1);
}

/* Number of outputs of a form: see dal_form_outputs. */
static inline int dal_row_outputs(const dal_row *row)
{
    return dal_form_outputs(row->n_terms) + (row->curved ? row->n_terms * row->n_terms : 0);
}

typedef struct dal_joint_type dal_joint_type;
enum { DAL_MAX_COORDINATES = 3, DAL_MOST_POINTS = 4 };

typedef struct dal_joint {
    const char *name;
    const char *label; /* the prefix of the names of its coordinates, if it is not the joint's name; or NULL */
    dal_mark mark;
    const dal_joint_type *type;
    dal_marker marker[DAL_MOST_POINTS];
    int n_further; /* points beyond the second: of types of the model's own */
    int row, n_rows;
    int n_coordinates;
    int coordinate[DAL_MAX_COORDINATES]; /* measures: angle, distance, ... in the order of the type */
    double zero[DAL_MAX_COORDINATES];    /* coordinate = measure + zero */
    int drive;                           /* the row that prescribes a coordinate, or -1 */
    int drive_coordinate;
    double compliance[2];      /* of redundant joints: metres a newton, radians a newton metre; 0: rigid */
    double length;             /* distance joints: the length, for conformance and pictures */
    const char *derived;       /* a constraint that was derived from the balance of forces, as an equation: it has no force; NULL: none */
    const char *derived_text;  /* what is zero there, as a text of the description */
    int equations;             /* types of the model's own: how many, a vector as one; 0: built in */
    int removed, removed_near; /* freedoms that the equations take from free bodies: at the start, and at consistent positions nearby */
} dal_joint;

typedef struct dal_mechanism {
    dal_arena *arena; /* while it is being built */
    bool for_rows;    /* vectors and measures added now serve only the rows of a joint: they are not marked as wanted */
    dal_space space;
    int n_bodies, n_vectors, n_measures, n_terms, n_joints, n_windings;
    int n_rows;                   /* of constraints */
    int n_speeds;                 /* quasi-velocities that the model names */
    int n_coordinates;            /* of the model's own */
    int newest[DAL_BODY_CLASSES]; /* while it is being built: the last vector of each, + 1 */
    size_t cap_vectors, cap_measures, cap_terms, cap_rows, cap_speeds, cap_joints;
    dal_body *bodies;
    dal_vector *vectors;
    dal_measure *measures;
    dal_term *terms;
    dal_row *rows;
    dal_row *speeds;
    dal_joint *joints;
} dal_mechanism;

/* Vectors 0, 1, 2 are the world axes. */
void dal_mechanism_begin(dal_mechanism *mechanism, dal_arena *arena, dal_space space);

/* Call after all vectors and measures of forces and constraints were added: those that follow are only recorded. */
void dal_mechanism_settle(dal_mechanism *mechanism);

/* Each of these returns the number of the vector or measure. An equal vector among the last few is returned again. */
int dal_add_vector(dal_mechanism *mechanism, int body, bool point, const double s[3]);
int dal_add_point(dal_mechanism *mechanism, const dal_marker *marker);
int dal_add_axis(dal_mechanism *mechanism, const dal_marker *marker, int axis); /* 0, 1, 2 = x, y, z of the frame */

/* (a - a_minus) . (b - b_minus); -1: absent. */
int dal_add_dot(dal_mechanism *mechanism, int a, int a_minus, int b, int b_minus);
int dal_add_angle(dal_mechanism *mechanism, const dal_marker *first, const dal_marker *second); /* about z of first */
/* The turn of `second` about z of `first` seen through y and z, x or any other pair: x_i, y_i of first, direction of second. */
int dal_add_angle_of(dal_mechanism *mechanism, int x_first, int y_first, int x_second);
int dal_add_length(dal_mechanism *mechanism, int a, int b);
int dal_add_coordinate(dal_mechanism *mechanism, int number);

/* Appends a row to the last joint. */
int dal_add_row(dal_mechanism *mechanism, int n_terms, const dal_term *terms, double constant, int time, bool angular);
/* A row of the last joint whose coefficients are outputs `form` ... of the forms' program. */
int dal_add_form(dal_mechanism *mechanism, int n_measures, const int *measures, int form, bool nonholonomic);
/* A speed: the same form, with a name in the model's `speeds:`. */
int dal_add_speed(dal_mechanism *mechanism, int n_measures, const int *measures, int form);

#endif
