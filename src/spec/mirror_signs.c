/* Vectors, attitudes and frames in the mirror: which signs change. mirror.h has the rules. */
#include "spec/mirror_parts.h"

#include <string.h>

/* ---- vectors ----------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789.")] == '\0';
}

void dal_mirror_negate(dal_reader *reader, dal_text *text)
{
    if (!text->text || (is_number(text->text) && !text->text[strspn(text->text, "0.")]))
        return; /* zero */
    if (*text->text == '-' && is_number(text->text + 1)) {
        text->text++;
        return;
    }
    const bool plain = is_number(text->text);
    text->text = dal_arena_print(reader->keep, plain ? "-%s" : "-(%s)", text->text);
    if (!plain && text->mark.column > 2)
        text->mark.column -= 2; /* messages point at what was written */
}

void dal_mirror_own(const dal_mirror *m, dal_list *list)
{
    if (!list->n)
        return;
    dal_text *items = DAL_NEW(m->reader->keep, dal_text, list->n);
    memcpy(items, list->item, sizeof *items * (size_t)list->n);
    list->item = items;
}

void dal_mirror_polar(const dal_mirror *m, int axis, dal_list *v)
{
    dal_mirror_own(m, v);
    if (v->n > axis)
        dal_mirror_negate(m->reader, &v->item[axis]);
}

void dal_mirror_negate_all(const dal_mirror *m, dal_list *v)
{
    dal_mirror_own(m, v);
    for (int i = 0; i < v->n; i++)
        dal_mirror_negate(m->reader, &v->item[i]);
}

void dal_mirror_axial(const dal_mirror *m, int axis, dal_list *v)
{
    dal_mirror_own(m, v);
    for (int i = 0; i < v->n; i++)
        if (i != axis)
            dal_mirror_negate(m->reader, &v->item[i]);
}

/* ---- attitudes --------------------------------------------------------------------------------- */

void dal_mirror_axes(const dal_mirror *m, int axis, int own, dal_orientation *o)
{
    dal_list *const direction[2] = {&o->first, &o->second};
    for (int k = 0; k < 2; k++) {
        dal_mirror_polar(m, axis, direction[k]);
        if (o->letters[k] == 'x' + own)
            dal_mirror_negate_all(m, direction[k]);
    }
}

void dal_mirror_attitude(const dal_mirror *m, int axis, dal_orientation *o)
{
    const char *letters = o->kind == DAL_ATTITUDE_RPY ? "xyz" : o->letters;
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return;
    case DAL_ATTITUDE_QUATERNION:
        dal_mirror_own(m, &o->first);
        for (int i = 1; i < o->first.n; i++)
            if (i - 1 != axis)
                dal_mirror_negate(m->reader, &o->first.item[i]);
        return;
    case DAL_ATTITUDE_AXIS: dal_mirror_axial(m, axis, &o->first); return;
    case DAL_ATTITUDE_EULER:
    case DAL_ATTITUDE_RPY:
        dal_mirror_own(m, &o->first);
        for (int i = 0; i < o->first.n; i++)
            if (letters[i] != 'x' + axis)
                dal_mirror_negate(m->reader, &o->first.item[i]);
        return;
    case DAL_ATTITUDE_AXES: dal_mirror_axes(m, axis, axis, o); return;
    }
}

int dal_mirror_frame_axis(const dal_mirror *m)
{
    return dal_mirror_planar(m) ? 1 : 2;
}
