/* Equations that have no slope where they hold: squares, and what is like them.
 *
 * A row keeps its bodies by a force along its slope. dot(N - M, N - M), (norm(N - M) - L)^2 and dot(zi, zj) - 1 have none where they are zero,
 * and norm(N - M) has no direction there: beside its zero such a row looks regular, multipliers grow without bound towards it, and what the
 * equation was meant to hold is not held. A row may lose its slope in special positions, too (a dead centre, two factors that meet); it is
 * refused only where it has none at any zero near the start.
 *
 * Zeros of one row phi alone are found by Newton's steps x = -phi A / |A|^2, from the start and from random neighbours. At a zero of the
 * order p the steps shrink like 1 - 1/p, down to rounding. Around a zero, on lines through it in random directions d,
 *     odd = max |phi(e d) - phi(-e d)| / 2,   size = max |phi(+-e d)|
 *     crosses zero     odd ~ size, size(e) ~ 2 size(e / 2)         simple
 *     even power, norm odd << size
 *     odd power > 1    size(e) > 2 size(e / 2)
 * at distances e from a fiftieth of the model's length down to where the values are rounding: a small circle is a curve only if one looks
 * closely, and a square is a square at every distance.
 *
 * A row that the others of its joint imply holds nothing and may have no slope: the third component of zi - zj, where the first two hold.
 */
#include "joint/joint.h"
#include "compile/joint_alone.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NEIGHBOURS = 8, ENOUGH = 3, STEPS = 200, DIRECTIONS = 4 };
static const double shrinks = 0.95;                                /* the next step over this one: more is rounding, or no zero */
static const double arrived = 1e-3;                                /* lengths of the model: the last step of those that end at a zero */
static const double farthest = 2e-2, nearest = 1e-5, nearer = 0.1; /* e, in lengths of the model */
static const double at_zero = 1e-9;                                /* the same: values there are those of the zero itself, and rounding */
static const double above_rounding = 100;
static const double is_odd = 0.5, is_simple = 2.8; /* 2 is a slope, 4 a square */
static const double implied = 1e-9;                /* of a value at a neighbour */

/* The largest values at a distance, and how odd they are. */
static double size_at(dal_alone *a, double *const *direction, int row, double far, double *odd)
{
    double size = 0;
    *odd = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        const double forth = dal_alone_beside(a, row, direction[k], far), back = dal_alone_beside(a, row, direction[k], -far);
        size = fmax(size, fmax(fabs(forth), fabs(back)));
        *odd = fmax(*odd, fabs(forth - back) / 2);
        if (!isfinite(forth) || !isfinite(back))
            return INFINITY;
    }
    return size;
}

/* Does the row cross zero here as one with a slope does, or is there nothing to be seen? */
static bool crosses(dal_alone *a, double *const *direction, int row)
{
    double odd, half_odd;
    const double noise = above_rounding * size_at(a, direction, row, at_zero, &odd);
    for (double far = farthest; far > nearest; far *= nearer) {
        const double size = size_at(a, direction, row, far, &odd), half = size_at(a, direction, row, far / 2, &half_odd);
        if (!(size > noise) || !isfinite(size))
            return far == farthest;
        if (odd > is_odd * size && size < is_simple * half)
            return true;
    }
    return false;
}

/* Newton's steps on one row, from where the bodies are. */
static bool find_zero(dal_alone *a, int row)
{
    double before = INFINITY;
    for (int n = 0; n < STEPS; n++) {
        dal_alone_evaluate(a);
        const double phi = a->work.phi[row], slope = dal_alone_slope(a, row), step = fabs(phi) / slope;
        if (phi == 0)
            return true;
        if (!(step < INFINITY) || step > shrinks * before)
            break;
        before = step;
        for (int c = 0; c < a->m; c++)
            a->direction[c] = a->A[(size_t)row * (size_t)a->m + (size_t)c] / slope;
        dal_alone_move(a, a->direction, -phi / slope / a->length);
        if (step < at_zero * at_zero * a->length)
            return true;
    }
    return before < arrived * a->length;
}

/* Has the row no slope at any zero near the start? */
static bool is_flat(dal_alone *a, double *const *direction, int row)
{
    uint64_t seed = 17;
    int found = 0;
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    for (int n = 0; n <= NEIGHBOURS; n++) {
        if (n > 0)
            dal_alone_perturb(a, &seed);
        if (!find_zero(a, row))
            continue;
        if (crosses(a, direction, row))
            return false;
        found++;
    }
    return found >= ENOUGH;
}

/* Do the other rows of the joint, but for flat ones, hold it as well? */
static bool is_implied(dal_alone *a, const bool *flat, int row)
{
    uint64_t seed = 23;
    bool *others = DAL_NEW(a->build->arena, bool, a->r), any = false;
    for (int i = 0; i < a->r; i++)
        any |= others[i] = !a->whole && !flat[i];
    for (int n = 0, found = 0; n < NEIGHBOURS && any; n++) {
        dal_alone_perturb(a, &seed);
        dal_alone_evaluate(a);
        const double open = fabs(a->work.phi[row]);
        if (!dal_alone_close(a, others))
            continue;
        if (!(fabs(a->work.phi[row]) <= implied * open))
            return false;
        if (++found == ENOUGH)
            return true;
    }
    return false;
}

/* ---- what was meant ------------------------------------------------------------------------- */

/* The text between two places, without blanks around it and without brackets that enclose all of it. */
static const char *inner(dal_arena *arena, const char *from, const char *to)
{
    for (bool more = true; more;) {
        more = false;
        while (from < to && isspace((unsigned char)*from))
            from++;
        while (to > from && isspace((unsigned char)to[-1]))
            to--;
        int depth = 0;
        for (const char *c = from; c < to && *from == '('; c++) {
            depth += (*c == '(') - (*c == ')');
            if (depth == 0) {
                more = c == to - 1;
                break;
            }
        }
        from += more;
        to -= more;
    }
    return dal_arena_print(arena, "%.*s", (int)(to - from), from);
}

/* The end of name(...), behind the bracket; NULL: the text does not begin with it. *comma: the first one between its arguments. */
static const char *call_end(const char *text, const char *name, const char **comma)
{
    const size_t n = strlen(name);
    int depth = 0;
    *comma = NULL;
    if (strncmp(text, name, n) != 0 || text[n] != '(')
        return NULL;
    for (const char *c = text + n; *c; c++) {
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (*c == ',' && depth == 1 && !*comma)
            *comma = c;
        if (depth == 0)
            return c + 1;
    }
    return NULL;
}

/* The base of the last power of the text, if all of it is one. */
static const char *base_of_power(dal_arena *arena, const char *text)
{
    const char *end = text;
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (depth == 0 && *c && strchr("+-*/", *c) && c[1] != '*' && (c == text || c[-1] != '*'))
            return NULL; /* not one factor */
        if (depth == 0 && (*c == '^' || (*c == '*' && c[1] == '*')) && end == text)
            end = c;
    }
    return end > text ? inner(arena, text, end) : NULL;
}

/* `N - M` for dot(N - M, N - M), norm(N - M) and their like; NULL: nothing that would be known. */
static const char *meant(dal_arena *arena, const char *written, bool *vector)
{
    const char *text = inner(arena, written, written + strlen(written)), *comma, *end = call_end(text, "dot", &comma);
    *vector = false;
    if (end && comma) {
        const char *first = inner(arena, text + strlen("dot("), comma), *second = inner(arena, comma + 1, end - 1);
        const char *rest = inner(arena, end, end + strlen(end));
        *vector = true;
        if (!*rest && !strcmp(first, second))
            return first;
        if (*rest == '-' && !strcmp(inner(arena, rest + 1, rest + strlen(rest)), "1"))
            return dal_arena_print(arena, "cross(%s, %s)", first, second);
    }
    end = call_end(text, "norm", &comma);
    *vector = end && !*inner(arena, end, end + strlen(end));
    if (*vector)
        return inner(arena, text + strlen("norm("), end - 1);
    const char *base = base_of_power(arena, text);
    const char *deeper = base ? meant(arena, base, vector) : NULL;
    return deeper ? deeper : base;
}

static const char *advice(dal_arena *arena, const char *written, bool scalar)
{
    bool vector;
    const char *instead = meant(arena, written, &vector);
    if (!instead)
        return "write what becomes zero itself, with its sign, and each part of a sum as an equation of its own";
    if (vector && scalar)
        return dal_arena_print(arena, "write each component of `%s` as a constraint of its own", instead);
    return dal_arena_print(arena, "write `%s`", instead);
}

static void refuse_slope(const dal_alone *a, int row)
{
    dal_build *build = a->build;
    const int number = a->mechanism.rows[a->layout->row[row].source].equation;
    static const char *const fault = "has no slope where it is zero (a square, a power or a length is zero only "
                                     "together with its slope), and no force can keep it";
    if (dal_joint_is_expression(a->joint)) {
        const dal_text text = build->spec->constraints[a->joint - build->mechanism.joints - build->spec->n_joints].position;
        dal_error(build->messages, text.mark, "constraint '%s': `%.100s` %s; %s", a->joint->name, text.text, fault,
                  advice(build->arena, text.text, true));
        return;
    }
    const char *text = dal_alone_text(a, number)->text;
    dal_error(build->messages, a->joint->mark, "joint '%s' of type %s: equation %d `%.100s` %s; %s", a->joint->name, a->joint->type->name, number,
              text, fault, advice(build->arena, text, false));
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* Is a row of the joint about positions? */
static bool is_asked(const dal_alone *a, int i)
{
    const int source = a->layout->row[i].source;
    const bool own = !a->whole || (source >= a->joint->row && source < a->joint->row + a->joint->n_rows);
    return own && !a->mechanism.rows[source].nonholonomic;
}

static bool check_joint(dal_build *build, const dal_joint *joint, const double *winding)
{
    dal_alone a;
    dal_alone_begin(&a, build, joint);
    dal_alone_place(&a, winding);
    uint64_t seed = 5;
    double *direction[DIRECTIONS];
    for (int k = 0; k < DIRECTIONS; k++) {
        direction[k] = DAL_NEW(build->arena, double, a.m);
        for (int c = 0; c < a.m; c++)
            direction[k][c] = dal_alone_chance(&seed);
    }
    bool *flat = DAL_NEW(build->arena, bool, a.r), fine = true;
    for (int i = 0; i < a.layout->n_extrinsic; i++)
        flat[i] = is_asked(&a, i) && is_flat(&a, direction, i);
    for (int i = 0; i < a.layout->n_extrinsic && fine; i++)
        if (flat[i] && !is_implied(&a, flat, i)) {
            refuse_slope(&a, i);
            fine = false;
        }
    return fine;
}

bool dal_build_slopes(dal_build *build, const double *winding)
{
    bool fine = true;
    for (int j = 0; j < build->mechanism.n_joints; j++) {
        const dal_joint *joint = &build->mechanism.joints[j];
        if (joint->type && joint->n_rows && (joint->type->written || joint->type->expression))
            fine &= check_joint(build, joint, winding);
    }
    return fine;
}
