/* The block `computed-torque`: inverse dynamics finds the efforts for which the joints of a robot have the wanted accelerations.
 *
 * The robot is a tree of bodies that stands on the ground, by revolute, prismatic and rigid joints. With the wanted accelerations q''_w of its joints,
 * body by body outward from the ground (a: axis of the joint in space, P: its point; p: the body before; r: origin, c: centre of mass, s = c - r):
 *   revolute    alpha = alpha_p + a q''_w + w_p x a q'
 *               A = A_p + alpha_p x (P - r_p) + w_p x (w_p x (P - r_p)) - alpha x (P - r) - w x (w x (P - r))
 *   prismatic   alpha = alpha_p
 *               A = A_p + alpha_p x (r - r_p) + w_p x (w_p x (r - r_p)) + a q''_w + 2 w_p x a q'
 * and inward, with the forces f_e and torques t_e that act on the body in addition to its joints:
 *   F = m (A + alpha x s + w x (w x s) - g) - f_e,   N = I alpha + w x I w - t_e
 *   f = F + sum of f over its child bodies,   n = N + s x F + sum of (n_k + (r_k - r) x f_k)
 *   effort = a . (n + (r - P) x f) revolute, a . f prismatic,  less the springs, dampers and motors on the joint
 * (Luh, Walker, Paul 1980, in world axes.) Positions and velocities are the actual ones, accelerations the wanted ones: q'' = q''_w follows.
 * A joint that a gear couples to one of the list has its acceleration in the ratio, and its effort is added in the same ratio.
 *
 * Everything becomes named expressions of channels, NAME.1 ... the efforts, and motors NAME.motor.1 ... on the joints: only the reader knows the
 * block.
 */
#include "spec/computed_torque_parts.h"

#include <string.h>

/* NAME.wanted.1 ...: the given accelerations, or r'' + 2 zeta w (r' - q') + w^2 (r - q). */
static bool write_wanted(dal_robot *r)
{
    const dal_block_keys *k = r->keys;
    const bool follows = k->reference.n > 0;
    const dal_list *list = follows ? &k->reference : &k->acceleration;
    if ((k->reference.n > 0) == (k->acceleration.n > 0))
        return dal_torque_refuse(r, r->mark, "give either 'acceleration' or 'reference', one entry for each joint");
    if (list->n != k->joints.n)
        return dal_torque_refuse(r, list->mark, "'%s' needs one entry for each of its %d joints; %d given", follows ? "reference" : "acceleration",
                                 k->joints.n, list->n);
    if (follows != (k->frequency.text != NULL))
        return dal_torque_refuse(r, r->mark,
                                 follows ? "a 'reference' needs the 'frequency' with which the joints follow it, in rad/s"
                                         : "'frequency' belongs to 'reference'");
    if (k->damping.text && !follows)
        return dal_torque_refuse(r, k->damping.mark, "'damping' belongs to 'reference'");
    if (follows) {
        dal_torque_add(r, NULL, k->frequency.mark, "frequency", k->frequency.text);
        dal_torque_add(r, NULL, k->frequency.mark, "damping", k->damping.text ? k->damping.text : "1");
    }
    for (int i = 0; i < list->n; i++) {
        const char *n = r->name,
                   *q = dal_torque_print(r, "%s.%s", k->joints.item[i].text, dal_torque_coordinate(dal_torque_joint(r, k->joints.item[i].text)));
        const dal_mark mark = list->item[i].mark;
        if (!follows) {
            dal_torque_add(r, NULL, mark, dal_torque_print(r, "wanted.%d", i + 1), list->item[i].text);
            continue;
        }
        const char *x = dal_torque_add(r, NULL, mark, dal_torque_print(r, "reference.%d", i + 1), list->item[i].text);
        dal_torque_add(r, NULL, mark, dal_torque_print(r, "wanted.%d", i + 1),
                       dal_torque_print(r, "%s'' + 2*%s.damping*%s.frequency*(%s' - %s') + %s.frequency^2*(%s - %s)", x, n, n, x, q, n, x, q));
    }
    return true;
}

/* NAME.1 ..., and the motors. */
static void write_efforts(dal_robot *r)
{
    dal_spec *spec = r->reader->spec;
    const bool motors = !r->keys->motors.text || strcmp(r->keys->motors.text, "false") != 0;
    for (int i = 0; i < r->keys->joints.n; i++) {
        const char *text = NULL;
        const dal_mark mark = r->keys->joints.item[i].mark;
        for (int k = 0; k < r->n_links; k++) {
            const dal_torque_axis *a = dal_torque_find_axis(r, r->links[k].joint->name.text);
            if (!a || a->of != i)
                continue;
            const char *effort = dal_torque_joint_effort(r, &r->links[k], a);
            effort = a->factor ? dal_torque_print(r, "%s*(%s)", a->factor, effort) : effort;
            text = text ? dal_torque_print(r, "%s + %s", text, effort) : effort;
        }
        const char *value = dal_torque_add(r, NULL, mark, dal_torque_print(r, "%d", i + 1), text);
        if (!motors)
            continue;
        dal_force_spec *motor = DAL_PUSH(r->reader->keep, spec->forces, spec->n_forces, r->reader->room_forces);
        *motor = (dal_force_spec){.name = {.text = dal_arena_print(r->reader->keep, "%s.motor.%d", r->name, i + 1), .mark = mark},
                                  .type = {.text = "motor", .mark = mark},
                                  .joint = {.text = r->keys->joints.item[i].text, .mark = mark},
                                  .binding = r->reader->binding};
        motor->value = (dal_list){.n = 1, .item = DAL_NEW(r->reader->keep, dal_text, 1), .mark = mark};
        motor->value.item[0] = (dal_text){.text = value, .mark = (r->keys->reference.n ? r->keys->reference : r->keys->acceleration).item[i].mark};
        if (r->keys->limit.n) {
            const dal_text *most = &r->keys->limit.item[i];
            motor->limit = (dal_list){.n = 2, .item = DAL_NEW(r->reader->keep, dal_text, 2), .mark = most->mark};
            motor->limit.item[0] = dal_made_text(r->reader, most->mark, "-(%s)", most->text);
            motor->limit.item[1] = *most;
        }
    }
}

static bool check_keys(dal_robot *r)
{
    const bool motors = !r->keys->motors.text || strcmp(r->keys->motors.text, "false") != 0;
    if (r->reader->source && r->reader->source->depth)
        return dal_torque_refuse(r, r->mark,
                                 "it stands in an included model; write it in the model that is run, which has the gravity and all forces");
    if (r->reader->own_coordinates)
        return dal_torque_refuse(r, r->mark, "the model has coordinates of its own, and bodies that no joints carry");
    if (r->keys->limit.n && r->keys->limit.n != r->keys->joints.n)
        return dal_torque_refuse(r, r->keys->limit.mark, "'limit' is the largest effort of each of its %d joints; %d given", r->keys->joints.n,
                                 r->keys->limit.n);
    if (r->keys->limit.n && !motors)
        return dal_torque_refuse(r, r->keys->limit.mark, "'limit' belongs to its motors, and it has none: 'motors: false'");
    return true;
}

static void write_gravity(dal_robot *r)
{
    const dal_list *g = &r->reader->spec->gravity;
    const char *text = r->planar ? "[0, 0]" : "[0, 0, 0]";
    if (g->n == 2)
        text = dal_torque_print(r, "[%s, %s]", g->item[0].text, g->item[1].text);
    else if (g->n == 3)
        text = dal_torque_print(r, "[%s, %s, %s]", g->item[0].text, g->item[1].text, g->item[2].text);
    dal_torque_add(r, NULL, g->n ? g->mark : r->mark, "gravity", text);
}

void dal_make_computed_torque(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, const char *name)
{
    if (dal_messages_count(reader->messages, DAL_ERROR)) /* after an error parts of the robot may be missing */
        return;
    dal_robot r = {.reader = reader, .keys = keys, .name = name, .mark = tree->key_mark, .planar = reader->spec->space == DAL_PLANAR};
    r.link_of = DAL_NEW(reader->scratch, int, reader->spec->n_bodies);
    for (int i = 0; i < reader->spec->n_bodies; i++)
        r.link_of[i] = DAL_NOT_OF_ROBOT;
    if (!check_keys(&r) || !dal_torque_find_robot(&r) || !write_wanted(&r))
        return;
    dal_torque_find_forces(&r);
    write_gravity(&r);
    if (dal_torque_write_motion(&r))
        write_efforts(&r);
}
