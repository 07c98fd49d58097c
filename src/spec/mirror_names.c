/* Elements of a mirrored part by their names, and the axis along which each is mirrored. */
#include "spec/mirror_parts.h"

#include <string.h>

bool dal_mirror_read_axis(dal_reader *reader, const dal_text *axis, const char *what, int *out)
{
    const char *text = axis->text;
    *out = text[0] - 'x';
    if (text[0] < 'x' || text[0] > 'z' || text[1])
        dal_complain(reader->messages, axis->mark, "%s is mirrored along x, y or z, not '%.80s'", what, text);
    else if (*out >= (int)reader->spec->space)
        dal_complain(reader->messages, axis->mark, "%s cannot be mirrored along z: the model is planar, and has x and y", what);
    else
        return true;
    return false;
}

const dal_joint_spec *dal_mirror_joint(const dal_mirror *m, const char *name)
{
    for (int i = 0; i < m->spec->n_joints; i++)
        if (name && !strcmp(m->spec->joints[i].name.text, name))
            return &m->spec->joints[i];
    return NULL;
}

/* The body at the head of "thigh.B"; *point is the rest of the name, or "". */
static const dal_body_spec *body_of(const dal_mirror *m, const char *path, const char **point)
{
    const dal_body_spec *best = NULL;
    size_t most = 0;
    for (int i = 0; path && i < m->spec->n_bodies; i++) {
        const size_t n = strlen(m->spec->bodies[i].name.text);
        if (n > most && !strncmp(path, m->spec->bodies[i].name.text, n) && (!path[n] || path[n] == '.')) {
            best = &m->spec->bodies[i];
            most = n;
            *point = path[n] ? path + n + 1 : path + n;
        }
    }
    return best;
}

const dal_body_spec *dal_mirror_find_body(const dal_mirror *m, const char *name)
{
    const char *rest = "";
    const dal_body_spec *body = body_of(m, name, &rest);
    return body && !*rest ? body : NULL;
}

int dal_mirror_along(const dal_mirror *m, const dal_binding *binding)
{
    for (int i = 0; binding && binding->model && i < m->spec->n_models; i++)
        if (m->along && m->spec->models[i] == binding->model)
            return m->along[i];
    return m->axis;
}

/* The ground of a model inside the part, "foot.ground.P": its number, or -1: none. *point is the rest of the name. */
static int inner_ground(const dal_mirror *m, const char *path, const char **point)
{
    for (int i = 1; i < m->spec->n_models; i++) {
        const size_t n = strlen(m->spec->models[i]->name.text);
        if (!strncmp(path, m->spec->models[i]->name.text, n) && !strncmp(path + n, ".ground", 7) && (!path[n + 7] || path[n + 7] == '.')) {
            *point = path[n + 7] ? path + n + 8 : path + n + 7;
            return i;
        }
    }
    return -1;
}

int dal_mirror_frame(const dal_mirror *m, const char *path, bool *axes)
{
    const char *point = "";
    const dal_body_spec *body = body_of(m, path, &point);
    const int inner = body ? -1 : inner_ground(m, path, &point);
    const dal_points *points = body ? &body->points : inner >= 0 ? &m->spec->models[inner]->points : &m->spec->ground;
    if (!body && inner < 0)
        point = !strncmp(path, "ground.", 7) ? path + 7 : "";
    *axes = false;
    for (int i = 0; i < points->n; i++)
        if (!strcmp(points->item[i].name.text, point))
            *axes = points->item[i].axes.kind == DAL_ATTITUDE_AXES;
    return body ? dal_mirror_along(m, body->binding) : inner >= 0 ? m->along[inner] : m->axis;
}

/* Models inside the part. A model on a frame with axes is mirrored along the axis that is reversed there. One model may stand on another, in any
 * order of the file: so the loop runs as often as there are models. */
void dal_mirror_find_axes(dal_mirror *m)
{
    m->along = DAL_NEW(m->reader->scratch, int, m->spec->n_models);
    for (int i = 0; i < m->spec->n_models; i++)
        m->along[i] = m->axis;
    for (int round = 1; round < m->spec->n_models; round++)
        for (int i = 1; i < m->spec->n_models; i++) {
            bool axes;
            const int carrier = dal_mirror_frame(m, m->spec->models[i]->ground.text, &axes);
            m->along[i] = axes ? dal_mirror_frame_axis(m) : carrier;
        }
}
