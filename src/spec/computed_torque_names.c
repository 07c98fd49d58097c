/* Named expressions of the block `computed-torque`, and names of the model that contains it. */
#include "spec/computed_torque_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST_GROUND = 20 };

const char *dal_torque_print(dal_robot *r, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    char *text = dal_arena_alloc(r->reader->scratch, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}

bool dal_torque_refuse(dal_robot *r, dal_mark mark, const char *format, ...)
{
    char sentence[700];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    dal_complain(r->reader->messages, mark, "%s of type computed-torque: %s", r->reader->what, sentence);
    return false;
}

/* ---- named expressions ------------------------------------------------------------------------- */

const char *dal_torque_add(dal_robot *r, const dal_binding *binding, dal_mark mark, const char *part, const char *text)
{
    dal_add_part(r->reader, r->name, part, dal_made_text(r->reader, mark, "%s", text));
    dal_pair *pair = &r->reader->spec->define[r->reader->spec->n_define - 1];
    if (binding)
        pair->binding = binding;
    return pair->name.text;
}

bool dal_torque_is_zero(const char *text)
{
    return !text || (*text && !text[strspn(text, "0.")]);
}

const char *dal_torque_keep(dal_robot *r, const dal_binding *binding, const dal_text *text, const char *part)
{
    return dal_torque_is_zero(text->text) ? NULL : dal_torque_add(r, binding, text->mark, part, text->text);
}

const char *dal_torque_sum(dal_robot *r, int n, const char *const *factor, const char *const *of)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        if (factor[i])
            text = dal_torque_print(r, "%s%s%s*%s", text, *text ? " + " : "", factor[i], of[i]);
    return text;
}

/* ---- names of the model ------------------------------------------------------------------------ */

int dal_torque_body(const dal_robot *r, const char *path, const char **point, bool *turned)
{
    const dal_spec *spec = r->reader->spec;
    *turned = false;
    for (int depth = 0; depth < DEEPEST_GROUND; depth++) {
        size_t most = 0;
        int best = DAL_NOT_OF_ROBOT, model = -1;
        for (int i = 0; i < spec->n_bodies; i++) {
            const size_t n = strlen(spec->bodies[i].name.text);
            if (n > most && !strncmp(path, spec->bodies[i].name.text, n) && (!path[n] || path[n] == '.'))
                most = n, best = i;
        }
        for (int i = 0; i < spec->n_models; i++) {
            const size_t n = strlen(spec->models[i]->name.text);
            if (!strncmp(path, spec->models[i]->name.text, n) && !strncmp(path + n, ".ground", 7) && (!path[n + 7] || path[n + 7] == '.'))
                model = i;
        }
        *point = path[most] ? path + most + 1 : "";
        if (best >= 0)
            return best;
        if (model < 0)
            return !strncmp(path, "ground", 6) && (!path[6] || path[6] == '.') ? DAL_ON_GROUND : DAL_NOT_OF_ROBOT;
        path = spec->models[model]->ground.text;
        *turned |= strcmp(path, "ground") != 0;
    }
    return DAL_NOT_OF_ROBOT;
}

const char *dal_torque_coordinate(const dal_joint_spec *joint)
{
    return dal_torque_is_type(&joint->type, "prismatic") ? "distance" : "angle";
}

bool dal_torque_mentions(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; at && *at; at++) {
        const bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (!inside && !strncmp(at, name, n) && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

bool dal_torque_is_type(const dal_text *type, const char *name)
{
    return type->text && !strcmp(type->text, name);
}

const dal_joint_spec *dal_torque_joint(const dal_robot *r, const char *name)
{
    for (int i = 0; i < r->reader->spec->n_joints; i++)
        if (!strcmp(r->reader->spec->joints[i].name.text, name))
            return &r->reader->spec->joints[i];
    return NULL;
}

dal_torque_axis *dal_torque_find_axis(const dal_robot *r, const char *name)
{
    for (int i = 0; i < r->n_axes && name; i++)
        if (!strcmp(r->axes[i].joint->name.text, name))
            return &r->axes[i];
    return NULL;
}
