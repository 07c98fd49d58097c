/* Points and joint frames in symbols.
 *
 * The place of a point in its body is a text of the description. The axes of a joint frame are numbers of the compiled model, because texts determine
 * them only in part and the start the rest; axes that follow a parameter are symbols (start_frames.c). Every symbol is compared with the number that
 * the model was compiled to.
 */
#include "derive/start_frames.h"

#include <math.h>
#include <string.h>

/* Entries of a rotation that are within rounding of 0, 1 or -1 become these numbers. */
static double snap(double x)
{
    const double whole = floor(x + 0.5);
    return fabs(x - whole) < 1e-15 ? whole : x;
}

static const dal_point_spec *find_point(const dal_points *points, const char *rest)
{
    for (int i = 0; i < points->n && rest[0] == '.'; i++)
        if (!strcmp(points->item[i].name.text, rest + 1))
            return &points->item[i];
    return NULL;
}

/* The point of the description for a name of `connect:`; NULL: the origin, or a name that is not understood here. */
static const dal_point_spec *named_point(dal_derivation *d, const char *name, const dal_binding **binding)
{
    const char *rest;
    int b;
    *binding = NULL;
    if (!strncmp(name, "ground.", 7))
        return find_point(&d->spec->ground, name + 6);
    if (dal_find_element(d, NULL, name, &b, &rest) != DAL_ELEMENT_BODY)
        return NULL;
    *binding = d->spec->bodies[b].binding;
    return find_point(&d->spec->bodies[b].points, rest);
}

void dal_derive_marker(dal_derivation *d, dal_text name, const dal_marker *compiled, dal_symbolic_marker *marker)
{
    const dal_binding *binding = NULL;
    const dal_point_spec *point = name.text ? named_point(d, name.text, &binding) : NULL;
    const dal_text nothing = {0};
    marker->body = compiled->body;
    for (int i = 0; i < 3; i++) {
        const dal_text text = point && i < point->at.n ? point->at.item[i] : nothing;
        marker->s[i] = dal_derive_constant(d, point && point->binding ? point->binding : binding, text, compiled->s[i]);
    }
    for (int i = 0; i < 9; i++)
        marker->B[i] = dal_derive_number(d, snap(compiled->B[i]));
    memcpy(marker->s_value, compiled->s, sizeof marker->s_value);
    memcpy(marker->B_value, compiled->B, sizeof marker->B_value);
    dal_follow_point(d, name.text, marker);
}

void dal_derive_markers(dal_derivation *d)
{
    d->markers = DAL_NEW(d->arena, dal_symbolic_marker, 2 * d->mechanism->n_joints);
    for (int j = 0; j < d->mechanism->n_joints && j < d->spec->n_joints; j++) {
        const dal_joint_spec *spec = &d->spec->joints[j];
        for (int i = 0; i < 2 && spec->connect.n >= 2; i++)
            dal_derive_marker(d, spec->connect.item[i], &d->mechanism->joints[j].marker[i], &d->markers[2 * j + i]);
        dal_follow_frames(d, j);
    }
}
