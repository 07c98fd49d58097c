/* Bushing: a spring and a damper in every direction between two frames.
 *
 * In the axes of the first point, with d = P_j - P_i:
 *   shifts    d_k = e_k,i . d                                    stiffness 1..3
 *   turns     s_x = 1/2 (z_i . y_j - y_i . z_j) and so on,        stiffness 4..6
 * s is sin(angle) times the axis of the relative rotation: the angle itself for
 * small ones, and its force has the exact potential 1/2 sum k s^2. In the plane:
 * shifts x, y and the angle. Each measure m gets F = -k m - c m', V = 1/2 k m^2.
 */
#include "force/force.h"
#include "math/vec.h"

#include <string.h>

typedef struct bushing {
    int force, n;
    int measure[6][2]; /* the second one enters with the opposite sign; -1: none */
    double scale[6], stiffness[6], damping[6];
} bushing;

static void apply_bushings(dal_loads *loads, int n, const void *elements)
{
    dal_work *w = loads->work;
    for (const bushing *b = elements, *end = b + n; b < end; b++)
        for (int k = 0; k < b->n; k++) {
            int plus = b->measure[k][0], minus = b->measure[k][1];
            dal_real m = b->scale[k] * (w->value[plus] - (minus < 0 ? 0 : w->value[minus]));
            dal_real rate = b->scale[k] * (w->rate[plus] - (minus < 0 ? 0 : w->rate[minus]));
            dal_real f = -b->stiffness[k] * m - b->damping[k] * rate;
            dal_store_along(loads, plus, 0.5 * b->stiffness[k] * m * m);
            dal_spend_along(loads, plus, -b->damping[k] * rate * rate);
            dal_push_measure(loads, plus, b->scale[k] * f, false);
            if (minus >= 0)
                dal_push_measure(loads, minus, -b->scale[k] * f, false);
        }
}

#ifndef DAL_SCALAR_VARIANT

static int dot_of_axes(dal_mechanism *m, const dal_marker *first, int i, const dal_marker *second, int j)
{
    return dal_add_dot(m, dal_add_axis(m, first, i), -1, dal_add_axis(m, second, j), -1);
}

static bool read_six(dal_force_builder *b, const char *key, const dal_list *list, int n, double *out)
{
    const char *name = b->spec->name.text;
    bool ok = true;
    if (list->n != n) {
        dal_error(b->messages, list->mark, "the %s of bushing '%s' needs %s; %d given", key, name,
                  n == 3 ? "3 numbers, [x, y, turn]" : "6 numbers, [x, y, z, turn x, turn y, turn z]", list->n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        bool number = b->number(b, list->item[i], &out[i]);
        if (number && out[i] < 0)
            dal_error(b->messages, list->item[i].mark, "the %s of bushing '%s' is %.6g here, and cannot be negative", key, name, out[i]);
        ok &= number && out[i] >= 0;
    }
    return ok;
}

static bool read_end(dal_force_builder *b, dal_text name, dal_marker *marker)
{
    if (!b->marker(b, name, marker))
        return false;
    if (marker->body == DAL_GROUND || !b->mechanism->bodies[marker->body].particle)
        return true;
    dal_error(b->messages, name.mark, "bushing '%s' needs the attitude of '%s', which is a particle (a mass without inertia): give it an inertia",
              b->spec->name.text, b->mechanism->bodies[marker->body].name);
    return false;
}

static bool compile_bushing(dal_force_builder *builder, void *element)
{
    bushing *b = element;
    dal_mechanism *m = builder->mechanism;
    dal_marker first, second;
    const int space = (int)m->space;
    b->force = builder->force;
    b->n = space == DAL_PLANAR ? 3 : 6;
    bool ok = read_end(builder, builder->spec->connect.item[0], &first);
    ok &= read_end(builder, builder->spec->connect.item[1], &second);
    ok &= read_six(builder, "stiffness", &builder->spec->stiffness, b->n, b->stiffness);
    if (builder->spec->damping.n)
        ok &= read_six(builder, "damping", &builder->spec->damping, b->n, b->damping);
    if (!ok)
        return false;
    int p = dal_add_point(m, &second), o = dal_add_point(m, &first);
    for (int k = 0; k < space; k++) {
        b->measure[k][0] = dal_add_dot(m, p, o, dal_add_axis(m, &first, k), -1);
        b->measure[k][1] = -1;
        b->scale[k] = 1;
    }
    if (space == DAL_PLANAR) {
        b->measure[2][0] = dal_add_angle(m, &first, &second);
        b->measure[2][1] = -1;
        b->scale[2] = 1;
        return true;
    }
    for (int k = 0; k < 3; k++) { /* 1/2 (e_{k+2,i} . e_{k+1,j} - e_{k+1,i} . e_{k+2,j}), negated: positive for a positive turn */
        int a = (k + 1) % 3, c = (k + 2) % 3;
        b->measure[3 + k][0] = dot_of_axes(m, &first, c, &second, a);
        b->measure[3 + k][1] = dot_of_axes(m, &first, a, &second, c);
        b->scale[3 + k] = 0.5;
    }
    return true;
}

dal_bushing_info dal_bushing_of(const dal_force_group *bushings, int i)
{
    const bushing *b = (const bushing *)bushings->elements + i;
    dal_bushing_info info = {.force = b->force, .n = b->n};
    memcpy(info.measure, b->measure, sizeof info.measure);
    return info;
}

#endif

const dal_force_type dal_force_bushing =
    DAL_FORCE_TYPE("bushing", "springs and dampers in all directions between two frames", "connect! stiffness! damping", NULL, bushing,
                   apply_bushings, .compile = compile_bushing, .potential = true, .bushing = true, .turns = true);
