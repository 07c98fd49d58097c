/* Models for the family `joint`: every joint between two bodies, walked both ways. */
#ifndef DAL_TEST_TREE_MODELS_H
#define DAL_TEST_TREE_MODELS_H

#include "gallery.h"
#include "joint/joint.h"

enum { LONGEST = 2000 };

static inline dal_system *compile_text(const char *text, const char *coordinates, const char *formulation, const char *cut)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char why[512] = "";
    if (dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", coordinates, messages);
        dal_spec_set(spec, "formulation", formulation, messages);
        dal_spec_set(spec, "stabilization", "direct-correction=1e-12", messages);
        for (int j = 0; cut && j < spec->n_joints; j++)
            spec->joints[j].cut |= !strcmp(spec->joints[j].name.text, cut);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !why[0])
            dal_message_format(m, why, sizeof why);
    if (!system)
        fail_msg("%s\n%s", why, text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* Two bodies, or a body and a particle, and a joint J between them; `root`: how the first is connected to the ground. */
static inline const char *pair_model(char text[LONGEST], dal_space space, const char *root, const char *type, bool reversed, bool particle)
{
    const bool flat = space == DAL_PLANAR;
    const char *axis = "";
    const dal_joint_type *t = dal_joint_type_find(type);
    dal_axis_need need = (flat ? t->planar : t->spatial).axis;
    if (need == DAL_AXIS_ONE)
        axis = flat ? ", axis: [0.8, 0.3]" : ", axis: [0.3, -0.5, 0.9]";
    if (need == DAL_AXIS_TWO)
        axis = ", axis: [[0.3, -0.5, 0.9], [0.7, 0.6, 0.1]]";
    int n = snprintf(text, LONGEST, "dalembert: 1\nspace: %s\ngravity: %s\nbodies:\n", flat ? "planar" : "spatial",
                     flat ? "[0.4, -9.81]" : "[0.3, -0.7, -9.81]");
    if (flat)
        n += snprintf(text + n, LONGEST - (size_t)n,
                      "  base: {mass: 2.3, center: [0.02, -0.03], inertia: 0.31, position: [0.1, 0.2], angle: 0.4, points: {P: [0.7, 0.15]}}\n"
                      "  arm: {mass: 1.1%s, position: [0.9, 0.75]}\n",
                      particle ? "" : ", center: [0.07, 0.04], inertia: 0.17, angle: -0.6, points: {A: [-0.2, 0.1]}");
    else
        n += snprintf(text + n, LONGEST - (size_t)n,
                      "  base: {mass: 2.3, center: [0.02, -0.03, 0.05], inertia: {xx: 0.3, yy: 0.41, zz: 0.52, xy: 0.02, xz: -0.03, yz: 0.04},\n"
                      "         position: [0.1, 0.2, 0.3], orientation: {euler-zxz: [0.3, 0.5, -0.2]}, points: {P: [0.7, 0.15, -0.1]}}\n"
                      "  arm: {mass: 1.1%s, position: [0.9, 0.75, 0.2]}\n",
                      particle ? ""
                               : ", center: [0.07, 0.04, -0.02], inertia: [0.11, 0.15, 0.13], orientation: {euler-zxz: [-0.4, 0.6, 0.9]}, "
                                 "points: {A: [-0.2, 0.1, 0.05]}");
    snprintf(text + n, LONGEST - (size_t)n, "joints:\n%s  J: {type: %s, connect: %s%s%s}\nsimulate: {until: 1}\n", root, type,
             particle   ? (reversed ? "[arm, base.P]" : "[base.P, arm]")
             : reversed ? "[arm.A, base.P]"
                        : "[base.P, arm.A]",
             axis, !strcmp(type, "screw") ? ", pitch: 0.83" : "");
    return text;
}

/* All of them: at the ground, floating, and with a particle. */
static inline void every_pair(void (*check)(const char *text, const char *name))
{
    char text[LONGEST], name[120];
    for (int t = 0; dal_joint_types[t]; t++)
        for (int planar = 0; planar < 2; planar++)
            for (int way = 0; way < 6; way++) {
                const dal_joint_type *type = dal_joint_types[t];
                const dal_joint_variant *variant = planar ? &type->planar : &type->spatial;
                const char *motion = variant->motion;
                bool reversed = way % 2, particle = way / 2 == 2, free = way / 2 == 1;
                bool turns = variant->turns;
                dal_axis_need need = variant->axis;
                if (type->class != DAL_JOINT_PAIR || !motion || (particle && (turns || (reversed && need != DAL_AXIS_NONE))))
                    continue;
                const char *root = free     ? ""
                                   : planar ? "  G: {type: pin-in-slot, connect: [base, ground], axis: [0.4, -0.7]}\n"
                                            : "  G: {type: point-on-line, connect: [base, ground], axis: [0.2, -0.7, 0.3]}\n";
                pair_model(text, planar ? DAL_PLANAR : DAL_SPATIAL, root, type->name, reversed, particle);
                snprintf(name, sizeof name, "%s, %s%s%s", planar ? "planar" : "spatial", type->name, reversed ? ", reversed" : "",
                         free       ? ", free"
                         : particle ? ", particle"
                                    : "");
                check(text, name);
            }
}

/* A floating trunk with two branches: turns about skew axes, a slide, a screw, a ball, a Hooke's joint, a weld. */
static const char branching_tree[] =
    "dalembert: 1\n"
    "space: spatial\n"
    "gravity: [0.3, -0.7, -9.81]\n"
    "bodies:\n"
    "  trunk: {mass: 7.3, center: [0.02, -0.03, 0.05], inertia: [0.3, 0.41, 0.52, 0.02, -0.03, 0.04], position: [0.1, 0.2, 0.3],\n"
    "          points: {L: [0.2, 0.3, -0.1], R: [0.2, -0.3, -0.1]}}\n"
    "  thigh: {mass: 2.1, center: [0, 0.01, -0.2], inertia: [0.11, 0.15, 0.13], position: [0.3, 0.5, 0.2], points: {E: [0, 0.1, -0.4]}}\n"
    "  shin: {mass: 1.3, center: [0.01, 0, -0.15], inertia: [0.07, 0.06, 0.05], position: [0.3, 0.6, -0.2], points: {E: [0, 0, -0.3]}}\n"
    "  foot: {mass: 0.4, center: [0.05, 0, 0], inertia: [0.01, 0.012, 0.013], position: [0.3, 0.6, -0.5], points: {E: [0.1, 0, 0]}}\n"
    "  toe: {mass: 0.1, inertia: [0.001, 0.0012, 0.0013], position: [0.4, 0.6, -0.5]}\n"
    "  arm: {mass: 1.7, center: [0.03, 0, -0.1], inertia: [0.05, 0.06, 0.04], position: [0.3, -0.1, 0.2], points: {E: [0, 0, -0.3]}}\n"
    "  rod: {mass: 0.6, center: [0, 0.02, -0.1], inertia: [0.02, 0.025, 0.015], position: [0.3, -0.1, -0.1], points: {E: [0, 0, -0.2]}}\n"
    "  nut: {mass: 0.3, inertia: [0.003, 0.004, 0.005], position: [0.3, -0.1, -0.3]}\n"
    "joints:\n"
    "  hip: {type: spherical, connect: [trunk.L, thigh]}\n"
    "  knee: {type: revolute, connect: [thigh.E, shin], axis: [0.3, -0.5, 0.9]}\n"
    "  ankle: {type: universal, connect: [shin.E, foot], axis: [[0.6, 0.8, 0.1], [-0.8, 0.6, 0]]}\n"
    "  weld: {type: rigid, connect: [foot.E, toe]}\n"
    "  shoulder: {type: revolute, connect: [trunk.R, arm], axis: [0.1, 0.8, -0.4]}\n"
    "  slide: {type: prismatic, connect: [arm.E, rod], axis: [0.2, 0.1, -0.9]}\n"
    "  thread: {type: screw, connect: [rod.E, nut], axis: [0.9, 0.2, 0.3], pitch: 0.83}\n"
    "simulate: {until: 1}\n";

#endif
