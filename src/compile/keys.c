/* Types of joints and forces: is there one of this name, and do the keys that were given fit it? */
#include "compile/keys.h"

#include <stdio.h>
#include <string.h>

/* Names of the types in other programs. */
static const char *translate(const char *word, const char *const *names)
{
    /* clang-format off */
    static const char *const foreign[][2] = {
        {"hinge", "revolute"},        {"pin", "revolute"},            {"continuous", "revolute"},
        {"slider", "prismatic"},      {"slide", "prismatic"},         {"translational", "prismatic"},
        {"ball", "spherical"},        {"socket", "spherical"},        {"hooke", "universal"},
        {"cardan", "universal"},      {"fixed", "rigid"},             {"weld", "rigid"},
        {"rod", "distance"},          {"slot", "pin-in-slot"},        {"rack", "rack-and-pinion"},
        {"drive", "driven"},          {"spring", "spring-damper"},    {"damper", "spring-damper"},
        {"tsda", "spring-damper"},    {"rsda", "torsional-spring-damper"}, {"torsion", "torsional-spring-damper"},
        {"moment", "torque"},         {"actuator", "motor"}};
    /* clang-format on */
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        for (const char *const *name = names; !strcmp(foreign[i][0], word) && *name; name++)
            if (!strcmp(foreign[i][1], *name))
                return *name;
    return dal_nearest(word, names);
}

void dal_refuse_type(dal_build *build, const char *section, dal_text element, dal_text type, const char *const *names)
{
    char all[500] = "";
    if (!type.text) {
        dal_error(build->messages, element.mark, "%s '%s' has no `type:`", section, element.text);
        return;
    }
    const char *near = translate(type.text, names);
    for (int i = 0; names[i]; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    if (near)
        dal_error(build->messages, type.mark, "%s '%s': there is no type '%.80s' (did you mean '%s'?)", section, element.text, type.text, near);
    else
        dal_error(build->messages, type.mark, "%s '%s': there is no type '%.80s'; there are: %s", section, element.text, type.text, all);
}

/* Is `key` a word of `keys`; with a "!" behind it? */
static bool lists(const char *keys, const char *key, bool *required)
{
    for (const char *p = keys; *p;) {
        const char *k = key;
        for (; *k && *p == *k; k++)
            p++;
        *required = *p == '!';
        if (!*k && (*p == '!' || *p == ' ' || !*p))
            return true;
        while (*p && *p != ' ')
            p++;
        while (*p == ' ')
            p++;
    }
    *required = false;
    return false;
}

/* "joint! value" -> "joint, value" */
static const char *spell(dal_arena *arena, const char *keys)
{
    const char *text = "type";
    for (const char *p = keys; *p;) {
        size_t word = strcspn(p, " ");
        if (word)
            text = dal_arena_print(arena, "%s, %.*s", text, (int)strcspn(p, "! "), p);
        p += word + strspn(p + word, " ");
    }
    return text;
}

bool dal_check_keys(dal_build *build, const char *section, dal_text element, const char *type, const char *keys, int n, const dal_given *given)
{
    bool ok = true;
    for (int i = 0; i < n; i++) {
        bool required, known = lists(keys, given[i].key, &required);
        if (given[i].given && !known)
            dal_error(build->messages, given[i].mark, "%s '%s' of type %s has no key '%s': it knows %s", section, element.text, type, given[i].key,
                      spell(build->arena, keys));
        else if (!given[i].given && required)
            dal_error(build->messages, element.mark, "%s '%s' of type %s needs the key '%s'", section, element.text, type, given[i].key);
        ok &= given[i].given ? known : !required;
    }
    return ok;
}
