/* Directions without inertia that no constraint holds, each as a motion of bodies that holds in every position.
 *
 * The null space of [M; A] at the start says how many there are. In coordinates of the model's own a direction is a vector that must be the same in
 * every position. Elsewhere it is searched among simple motions of joints and bodies: one body, or its subtree, shifts along
 * an axis of the world or of a joint, or turns about a point of its own.
 */
#include "compile/missing.h"
#include "dynamics/determined.h"
#include "math/rank.h"
#include "math/vec.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VELOCITIES = 300, PLACES = 4 };
static const double nothing = 1e-8; /* share of a direction that is rounding */

void dal_derive_fail(dal_build *build, dal_mark mark, const char *format, ...)
{
    char sentence[1500];
    va_list list;
    dal_derivation *d = build->derivation;
    if (d->verdict)
        return;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    d->verdict = dal_arena_copy(&d->arena, sentence, strlen(sentence));
    d->mark = mark;
}

/* ---- numbers at a state --------------------------------------------------------------------------- */

typedef struct survey {
    dal_build *build;
    dal_state *state;
    const dal_layout *layout;
    int m, n_y, n_bodies, n_measures;
    double *y;               /* the start */
    double *twist, *measure; /* of each velocity: 6 a body, and what it does to the measures */
    int n_null, n_stack;
    double *null, *stack; /* in scaled velocities: rows */
} survey;

/* Everything up to the rates at (q, v), in the same place. */
static void go(survey *s, const double *y)
{
    dal_state_unpack(s->state, 0, y);
    dal_state_position(s->state);
    dal_state_jacobian(s->state);
    dal_state_velocity(s->state);
}

static void read_motion(const survey *s, double *twist, double *measure)
{
    const dal_work *w = dal_seen_work(s->state);
    for (int b = 0; b < s->n_bodies; b++) {
        dal_copy3(w->kin[b].rd, twist + 6 * b);
        dal_copy3(w->kin[b].w, twist + 6 * b + 3);
    }
    for (int k = 0; k < s->layout->n_measures; k++)
        measure[s->layout->measure[k]] = w->rate[s->layout->measure[k]];
}

/* What each velocity moves: rates with it, less those at rest. */
static void find_columns(survey *s)
{
    const size_t t = 6 * (size_t)s->n_bodies, r = (size_t)s->n_measures;
    const dal_layout *layout = s->layout;
    double *y = DAL_NEW(s->build->arena, double, s->n_y), *rest = DAL_NEW(s->build->arena, double, t + r);
    memcpy(y, s->y, sizeof *y * (size_t)s->n_y);
    s->twist = DAL_NEW(s->build->arena, double, (size_t)s->m *t);
    s->measure = DAL_NEW(s->build->arena, double, (size_t)s->m *r);
    for (int k = -1; k < s->m; k++) {
        for (int i = 0; i < s->m; i++)
            y[layout->nq + i] = i == k;
        go(s, y);
        if (k < 0) {
            read_motion(s, rest, rest + t);
            continue;
        }
        double *twist = s->twist + (size_t)k * t, *measure = s->measure + (size_t)k * r;
        read_motion(s, twist, measure);
        for (size_t i = 0; i < t; i++)
            twist[i] -= rest[i];
        for (size_t i = 0; i < r; i++)
            measure[i] -= rest[t + i];
    }
    go(s, s->y);
}

static dal_massless direction_of(const survey *s, const double *v)
{
    const size_t t = 6 * (size_t)s->n_bodies, r = (size_t)s->n_measures;
    dal_massless n = {
        .v = DAL_NEW(s->build->arena, double, s->m), .twist = DAL_NEW(s->build->arena, double, t), .measured = DAL_NEW(s->build->arena, double, r)};
    memcpy(n.v, v, sizeof *v * (size_t)s->m);
    for (int k = 0; k < s->m; k++) {
        for (size_t i = 0; i < t; i++)
            n.twist[i] += v[k] * s->twist[(size_t)k * t + i];
        for (size_t i = 0; i < r; i++)
            n.measured[i] += v[k] * s->measure[(size_t)k * r + i];
    }
    return n;
}

/* Is there no inertia at all along v, however small? */
static bool is_weightless(const survey *s, const dal_massless *n)
{
    const double length = s->layout->units.length;
    double most = 0;
    for (int b = 0; b < s->n_bodies; b++)
        for (int i = 0; i < 6; i++)
            most = fmax(most, fabs(n->twist[6 * b + i]) * (i < 3 ? 1 : length));
    for (int b = 0; b < s->n_bodies; b++) {
        const dal_body *body = &s->layout->mechanism->bodies[b];
        const double *R = dal_seen_work(s->state)->kin[b].R, *w = n->twist + 6 * b + 3;
        double rho[3], c[3], own[3], H[3], size = 0;
        dal_turn(R, body->center, rho);
        dal_cross(w, rho, c);
        dal_axpy3(1, n->twist + 6 * b, c);
        for (int i = 0; i < 3; i++)
            own[i] = R[i] * w[0] + R[3 + i] * w[1] + R[6 + i] * w[2];
        dal_mul3(body->inertia, own, H);
        for (int i = 0; i < 9; i++)
            size = fmax(size, fabs(body->inertia[i]));
        if ((body->mass > 0 && sqrt(dal_dot(c, c)) > nothing * most) || (size > 0 && sqrt(dal_dot(H, H)) * length > nothing * most * size))
            return false;
    }
    return true;
}

/* ---- coordinates of the model's own ------------------------------------------------------------------ */

/* Rows of a null space, reduced: the first entry of each is one, and the others have zeros there. Whole numbers are exact. */
void dal_reduce_rows(int n, int m, double *rows)
{
    for (int i = 0, k = 0; i < n && k < m; k++) {
        int best = i;
        for (int j = i; j < n; j++)
            best = fabs(rows[j * m + k]) > fabs(rows[best * m + k]) ? j : best;
        const double pivot = rows[best * m + k];
        if (fabs(pivot) < nothing)
            continue;
        for (int l = 0; l < m; l++) {
            const double held = rows[best * m + l] / pivot;
            rows[best * m + l] = rows[i * m + l];
            rows[i * m + l] = held;
        }
        for (int j = 0; j < n; j++) {
            const double factor = rows[j * m + k];
            for (int l = 0; l < m && j != i; l++)
                rows[j * m + l] -= factor * rows[i * m + l];
        }
        i++;
    }
    for (int i = 0; i < n * m; i++)
        if (fabs(rows[i] - round(rows[i])) < nothing)
            rows[i] = round(rows[i]) + 0.0;
}

/* The null space of [M; A] at (q, v) in y, reduced; -1 where it cannot be found. */
static int null_at(survey *s, const double *y, double **rows)
{
    const dal_units *units = &s->layout->units;
    go(s, y);
    if (dal_state_loads(s->state))
        return -1;
    const int n = dal_state_null(s->build->arena, s->state, rows, &s->stack, &s->n_stack);
    for (int i = 0; i < n * s->m; i++)
        (*rows)[i] /= units->column_scale[i % s->m];
    dal_reduce_rows(n < 0 ? 0 : n, s->m, *rows);
    return n;
}

static bool find_own(survey *s, int n, double *rows, dal_massless *list)
{
    const int m = s->m;
    double *y = DAL_NEW(s->build->arena, double, s->n_y), *there;
    unsigned random = 1;
    for (int p = 0; p < PLACES; p++) {
        memcpy(y, s->y, sizeof *y * (size_t)s->n_y);
        for (int k = 0; k < m; k++) {
            random = random * 1664525u + 1013904223u;
            y[k] += ((double)(random >> 8) / (1 << 24) - 0.5) * 0.2 * s->layout->units.length / s->layout->units.column_scale[k];
        }
        bool same = null_at(s, y, &there) == n;
        for (int i = 0; same && i < n * m; i++)
            same = fabs(there[i] - rows[i]) <= 1e-6 * (1 + fabs(rows[i]));
        if (!same) {
            int first = 0;
            while (first < m - 1 && fabs(rows[first]) < nothing)
                first++;
            dal_derive_fail(
                s->build, s->build->spec->coordinates[first].name.mark,
                "the direction without inertia that contains '%s' changes with the position: the balance of the forces along it cannot be "
                "derived; write it in `constraints:`",
                s->build->spec->coordinates[first].name.text);
            return false;
        }
    }
    go(s, s->y);
    for (int i = 0; i < n; i++) {
        list[i] = direction_of(s, rows + i * m);
        list[i].own = list[i].v;
    }
    return true;
}

/* ---- bodies and joints ---------------------------------------------------------------------------------- */

/* World coordinates of a material point and a material direction. */
static void place_point(const survey *s, const dal_marker *at, double out[3])
{
    const dal_kin *kin = &dal_seen_work(s->state)->kin[at->body];
    dal_turn(kin->R, at->s, out);
    dal_axpy3(1, kin->r, out);
}

/* The motion that a move makes of the bodies, as velocities; false: it is none. */
static bool velocities_of(const survey *s, const dal_move *move, double *v)
{
    const dal_work *w = dal_seen_work(s->state);
    const int rows = 6 * s->n_bodies;
    const double length = s->layout->units.length;
    double *J = DAL_NEW(s->build->arena, double, rows * s->m), *b = DAL_NEW(s->build->arena, double, rows + s->m);
    double *work = DAL_NEW(s->build->arena, double, dal_rank_work(rows, s->m)), axis[3], hub[3], most = 0, miss = 0;
    dal_turn(w->kin[move->axis_body].R, move->axis, axis);
    place_point(s, &move->hub, hub);
    for (int i = 0; i < s->n_bodies; i++) {
        double arm[3];
        dal_sub3(w->kin[i].r, hub, arm);
        if (move->moved[i] && move->turns) {
            dal_cross(axis, arm, b + 6 * i);
            for (int k = 0; k < 3; k++)
                b[6 * i + 3 + k] = s->layout->mechanism->bodies[i].particle ? 0 : axis[k] * length;
        } else if (move->moved[i])
            dal_copy3(axis, b + 6 * i);
    }
    for (int k = 0; k < s->m; k++)
        for (int i = 0; i < rows; i++)
            J[(size_t)i * (size_t)s->m + (size_t)k] =
                s->twist[(size_t)k * (size_t)rows + (size_t)i] * (i % 6 < 3 ? 1 : length) / s->layout->units.column_scale[k];
    if (dal_rank_solve(J, rows, s->m, s->m, DAL_RANK_TOLERANCE, b, v, work) < 0)
        return false;
    for (int i = 0; i < rows; i++) {
        double left = b[i];
        for (int k = 0; k < s->m; k++)
            left -= J[(size_t)i * (size_t)s->m + (size_t)k] * v[k];
        miss = fmax(miss, fabs(left));
        most = fmax(most, fabs(b[i]));
    }
    for (int k = 0; k < s->m; k++)
        v[k] /= s->layout->units.column_scale[k];
    return most > 0 && miss <= nothing * most;
}

typedef struct finding {
    survey *s;
    int wanted, n;
    dal_massless *list;
    double *basis; /* orthonormal, of scaled velocities */
} finding;

/* Is the move a direction without inertia that nothing holds, and a new one? Then it is taken. */
static void try_move(finding *f, const dal_move *move)
{
    survey *s = f->s;
    const int m = s->m;
    double *v = DAL_NEW(s->build->arena, double, m), *x = f->basis + (size_t)f->n * (size_t)m, size = 0, norm = 0;
    if (f->n == f->wanted || !velocities_of(s, move, v))
        return;
    for (int k = 0; k < m; k++) {
        x[k] = v[k] * s->layout->units.column_scale[k];
        size += x[k] * x[k];
    }
    size = sqrt(size);
    for (int i = 0; i < s->n_stack; i++) {
        double sum = 0;
        for (int k = 0; k < m; k++)
            sum += s->stack[(size_t)i * (size_t)m + (size_t)k] * x[k];
        if (fabs(sum) > nothing * size)
            return;
    }
    for (int i = 0; i < f->n; i++) {
        double along = 0;
        for (int k = 0; k < m; k++)
            along += f->basis[i * m + k] * x[k];
        for (int k = 0; k < m; k++)
            x[k] -= along * f->basis[i * m + k];
    }
    for (int k = 0; k < m; k++)
        norm += x[k] * x[k];
    norm = sqrt(norm);
    if (!(norm > 1e-3 * size))
        return;
    for (int k = 0; k < m; k++)
        x[k] /= norm;
    dal_massless found = direction_of(s, v);
    if (!is_weightless(s, &found))
        return;
    found.move = DAL_NEW(s->build->arena, dal_move, 1);
    *found.move = *move;
    f->list[f->n++] = found;
}

/* All bodies connected to a body, but not through this joint. */
static bool *hanging(const survey *s, int body, int without)
{
    const dal_mechanism *m = &s->build->mechanism;
    bool *set = DAL_NEW(s->build->arena, bool, s->n_bodies);
    set[body] = true;
    for (bool more = true; more;) {
        more = false;
        for (int j = 0; j < m->n_joints; j++) {
            const int a = m->joints[j].marker[0].body, b = m->joints[j].marker[1].body;
            if (j == without || !m->joints[j].n_rows || a == DAL_GROUND || b == DAL_GROUND || set[a] == set[b])
                continue;
            set[a] = set[b] = more = true;
        }
    }
    return set;
}

static void try_axes(finding *f, dal_move *move, int axis_body, const double B[9])
{
    const int space = (int)f->s->build->spec->space;
    for (int k = move->turns && space == 2 ? 2 : 0; k < (move->turns ? 3 : space); k++) {
        move->axis_body = move->turns && space == 2 ? DAL_GROUND : axis_body;
        for (int i = 0; i < 3; i++)
            move->axis[i] = B[3 * i + k];
        if (f->n < f->wanted)
            try_move(f, move);
    }
}

/* The side of a joint that is on a body, or -1. */
static int side_on(const dal_joint *joint, int body)
{
    const bool between = joint->marker[0].body != joint->marker[1].body;
    return between && joint->marker[0].body == body ? 0 : between && joint->marker[1].body == body ? 1 : -1;
}

/* In space: turns of one body about the line through the points of two of its joints, as of a rod between two balls. */
static void try_lines(finding *f, int body, bool *alone)
{
    const dal_mechanism *m = &f->s->build->mechanism;
    for (int i = 0; i < m->n_joints && m->space == DAL_SPATIAL; i++)
        for (int j = i + 1; j < m->n_joints && side_on(&m->joints[i], body) >= 0; j++) {
            if (side_on(&m->joints[j], body) < 0)
                continue;
            dal_move move = {.factor = 1, .moved = alone, .turns = true, .axis_body = body, .hub = m->joints[i].marker[side_on(&m->joints[i], body)]};
            dal_sub3(m->joints[j].marker[side_on(&m->joints[j], body)].s, move.hub.s, move.axis);
            const double length = sqrt(dal_dot(move.axis, move.axis));
            for (int k = 0; k < 3 && length > 0; k++)
                move.axis[k] /= length;
            if (length > 0 && f->n < f->wanted)
                try_move(f, &move);
        }
}

/* Shifts and turns of one body, alone or with its subtree. */
static void try_body(finding *f, int body)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const dal_build *build = f->s->build;
    const dal_mechanism *m = &build->mechanism;
    bool *alone = DAL_NEW(build->arena, bool, f->s->n_bodies);
    alone[body] = true;
    for (int j = -1; j < m->n_joints; j++) {
        const dal_joint *joint = j < 0 ? NULL : &m->joints[j];
        const int side = joint ? side_on(joint, body) : 0;
        if (side < 0)
            continue;
        for (int together = 0; together < 2; together++) {
            bool *moved = together ? hanging(f->s, body, j) : alone;
            dal_move move = {.factor = 1, .moved = moved, .hub = {.body = body}};
            if (joint) {
                const dal_marker *other = &joint->marker[1 - side];
                try_axes(f, &move, other->body, other->B);
                move.hub = joint->marker[side];
                move.hub_name =
                    j < build->spec->n_joints && build->spec->joints[j].connect.n == 2 ? build->spec->joints[j].connect.item[side].text : NULL;
            } else
                try_axes(f, &move, DAL_GROUND, unit);
            move.turns = true;
            if (joint)
                try_axes(f, &move, body, joint->marker[side].B);
            try_axes(f, &move, body, unit);
        }
    }
    try_lines(f, body, alone);
}

static bool find_moves(survey *s, int n, const double *rows, dal_massless *list)
{
    finding f = {s, n, 0, list, DAL_NEW(s->build->arena, double, (size_t)(n + 1) * (size_t)s->m)};
    dal_determined found;
    for (int b = 0; b < s->n_bodies && f.n < n; b++) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            const dal_massless at = direction_of(s, rows + i * s->m);
            for (int k = 0; k < 6; k++)
                most = fmax(most, fabs(at.twist[6 * b + k]));
        }
        if (most > 0)
            try_body(&f, b);
    }
    if (f.n == n)
        return true;
    if (dal_state_loads(s->state) || dal_state_determined(s->build->arena, s->state, DAL_RANK_TOLERANCE, &found) || found.rank < 0)
        return false;
    dal_derive_fail(
        s->build, s->build->mechanism.bodies[found.body].mark,
        "the directions without inertia of %s are neither shifts nor turns of single bodies: the balance of the forces along them cannot be "
        "derived; give mass or inertia, or write the missing condition in `constraints:`",
        found.names);
    return false;
}

bool dal_massless_find(dal_build *build, dal_state *state, int *n, dal_massless **list)
{
    survey s = {.build = build, .state = state, .layout = dal_layout_of(state), .n_bodies = build->mechanism.n_bodies};
    double *rows = NULL;
    *n = 0;
    s.m = s.layout->nv;
    s.n_y = dal_system_describe(dal_system_of(state)).states;
    s.n_measures = s.layout->mechanism->n_measures;
    s.y = DAL_NEW(build->arena, double, s.n_y);
    memcpy(s.y, dal_state_y(state), sizeof *s.y * (size_t)s.n_y);
    if (s.m > MOST_VELOCITIES)
        return false;
    const int found = null_at(&s, s.y, &rows);
    if (found <= 0)
        return false;
    find_columns(&s);
    *list = DAL_NEW(build->arena, dal_massless, found);
    for (int i = 0; i < found; i++) {
        const dal_massless at = direction_of(&s, rows + i * s.m);
        if (!is_weightless(&s, &at))
            return false; /* an inertia that is lost in rounding */
    }
    dal_state_loads(state);
    *n = found;
    return s.layout->placement ? find_own(&s, found, rows, *list) : find_moves(&s, found, rows, *list);
}

dal_massless dal_massless_combine(dal_build *build, int n, const dal_massless *list, const double *factor)
{
    const dal_layout *layout = dal_layout_of(build->first);
    const int sizes[3] = {layout->nv, 6 * build->mechanism.n_bodies, layout->mechanism->n_measures};
    dal_massless sum = {0};
    double **const to[3] = {&sum.v, &sum.twist, &sum.measured};
    for (int part = 0; part < 3; part++) {
        *to[part] = DAL_NEW(build->arena, double, sizes[part]);
        for (int i = 0; i < n; i++) {
            const double *from = part == 0 ? list[i].v : part == 1 ? list[i].twist : list[i].measured;
            for (int k = 0; k < sizes[part]; k++)
                (*to[part])[k] += factor[i] * from[k];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (const dal_move *move = factor[i] != 0 ? list[i].move : NULL; move; move = move->next) {
            dal_move *copy = DAL_NEW(build->arena, dal_move, 1);
            *copy = *move;
            copy->factor *= factor[i];
            copy->next = sum.move;
            sum.move = copy;
        }
    sum.own = list[0].own ? sum.v : NULL;
    return sum;
}
