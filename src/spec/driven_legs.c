/* `by:` of a driven pose: the joints whose efforts move the body, the legs of a parallel robot.
 *
 * A leg is a prismatic joint between two bodies; one of them is held at a point G of the ground, the other at a point P of the driven body, by joints
 * that keep the points together (spherical, universal, revolute). With the wanted place r_w(t) and attitude R_w(t) of the body
 *   W(t) = r_w + R_w p,   L(t) = |W - G|
 * is the length that the leg must have, and its drive keeps   q - q(0) = L(t) - L(0).
 * So the legs move the body to the wanted place. The effort of each leg is NAME.drive of its joint. No other code needs the kinematics.
 */
#include "spec/blocks.h"

#include <ctype.h>
#include <string.h>

typedef struct leg {
    dal_reader *reader;
    const dal_driven_body *of;
    dal_joint_spec *joint;
    const char *body; /* the driven one */
    int number;
} leg;

/* "slide.1" belongs to "slide". Is a name this one, or one of its repeated elements? */
static bool is_one_of(const char *name, const char *many)
{
    const size_t n = strlen(many);
    return !strncmp(name, many, n) && (!name[n] || (name[n] == '.' && name[n + 1] && !name[n + 1 + strspn(name + n + 1, "0123456789")]));
}

/* The body of an end such as "cyl.1.B": the length of its name; 0: the end is on the ground or not on a body. */
static size_t body_length(const dal_spec *spec, const char *end)
{
    size_t most = 0;
    for (int i = 0; i < spec->n_bodies; i++) {
        const size_t n = strlen(spec->bodies[i].name.text);
        if (n > most && !strncmp(end, spec->bodies[i].name.text, n) && (!end[n] || end[n] == '.'))
            most = n;
    }
    return most;
}

static bool same_body(const dal_spec *spec, const char *a, const char *b)
{
    const size_t n = body_length(spec, a);
    return n && n == body_length(spec, b) && !strncmp(a, b, n);
}

static bool is_ground(const char *end)
{
    return !strncmp(end, "ground", 6) && (!end[6] || end[6] == '.');
}

/* The other end of a joint that keeps the body of `end` at a point of the ground or of the driven body. NULL: there is none. */
static const char *held_at(const leg *l, const char *end, bool ground)
{
    static const char *const types[] = {"spherical", "universal", "revolute"};
    const dal_spec *spec = l->reader->spec;
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *j = &spec->joints[i];
        bool holds = false;
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            holds |= j->type.text && !strcmp(j->type.text, types[k]);
        for (int k = 0; k < 2 && holds && j->connect.n == 2; k++) {
            const char *other = j->connect.item[1 - k].text;
            if (same_body(spec, j->connect.item[k].text, end) && (ground ? is_ground(other) : same_body(spec, other, l->body)))
                return other;
        }
    }
    return NULL;
}

/* W(t) for a point of the driven body. The coordinates of the point are constants with their own names. */
static const char *goal_of_point(const leg *l, const char *end)
{
    static const char *const axes[] = {"ex", "ey", "ez"};
    dal_reader *reader = l->reader;
    const dal_spec *spec = reader->spec;
    const dal_body_spec *body = NULL;
    const int n = (int)spec->space;
    for (int i = 0; i < spec->n_bodies; i++)
        if (!strcmp(spec->bodies[i].name.text, l->body))
            body = &spec->bodies[i];
    const char *text = n == 2 ? dal_arena_print(reader->scratch, "[%s.goal.x, %s.goal.y]", l->body, l->body)
                              : dal_arena_print(reader->scratch, "[%s.goal.x, %s.goal.y, %s.goal.z]", l->body, l->body, l->body);
    const char *point = end + strlen(l->body);
    for (int i = 0; body && *point && i < body->points.n; i++) {
        const dal_point_spec *p = &body->points.item[i];
        if (strcmp(p->name.text, point + 1))
            continue;
        for (int k = 0; k < n; k++) {
            const char *part = dal_arena_print(reader->scratch, "goal.p%c.%d", 'x' + k, l->number);
            dal_add_part(reader, l->body, part, p->at.item[k]);
            dal_pair *pair = &reader->spec->define[reader->spec->n_define - 1];
            pair->binding = p->binding ? p->binding : body->binding;
            pair->block = NULL;
            text = dal_arena_print(reader->scratch, "%s + %s*%s.goal.%s", text, pair->name.text, l->body, axes[k]);
        }
    }
    return text;
}

static bool refuse_leg(const leg *l, const char *why)
{
    dal_complain(l->reader->messages, l->of->mark, "'%s' cannot be driven by joint '%s': %s", l->body, l->joint->name.text, why);
    return false;
}

static bool drive_leg(leg *l)
{
    dal_reader *reader = l->reader;
    dal_joint_spec *j = l->joint;
    if (!j->type.text || strcmp(j->type.text, "prismatic") || j->connect.n != 2)
        return refuse_leg(l,
                          "a leg is a prismatic joint; for motors of another kind leave 'by' out, which gives the force and the torque on the body, "
                          "or drive the joints themselves");
    if (j->drive.text || j->drive_rate.text)
        return refuse_leg(l, "it has a drive of its own");
    const char *ground = NULL, *head = NULL;
    for (int k = 0; k < 2 && !(ground && head); k++) {
        ground = held_at(l, j->connect.item[k].text, true);
        head = held_at(l, j->connect.item[1 - k].text, false);
    }
    if (!ground || !head)
        return refuse_leg(l, !ground ? "neither of its bodies is held at a point of the ground by a spherical, universal or revolute joint"
                                     : "its other body is not held at a point of the driven body by a spherical, universal or revolute joint");
    const char *zero = reader->spec->space == DAL_PLANAR ? "[0, 0]" : "[0, 0, 0]";
    const char *foot = ground[6] ? dal_arena_print(reader->scratch, "%s.position", ground) : zero;
    const char *part = dal_arena_print(reader->scratch, "goal.length.%d", l->number);
    dal_add_part(reader, l->body, part, dal_made_text(reader, l->of->mark, "norm(%s - %s)", goal_of_point(l, head), foot));
    dal_pair *length = &reader->spec->define[reader->spec->n_define - 1];
    length->block = NULL;
    j->drive = (dal_text){.text = length->name.text, .mark = l->of->mark, .fix = true};
    return true;
}

void dal_drive_by_legs(dal_reader *reader)
{
    if (dal_messages_count(reader->messages, DAL_ERROR)) /* after an error names of ends may be missing */
        return;
    for (int i = 0; i < reader->n_driven; i++) {
        const dal_driven_body *of = &reader->driven[i];
        int number = 0;
        for (int k = 0; k < of->by.n; k++) {
            const int before = number;
            for (int j = 0; j < reader->spec->n_joints; j++)
                if (is_one_of(reader->spec->joints[j].name.text, of->by.item[k].text)) {
                    leg l = {.reader = reader, .of = of, .joint = &reader->spec->joints[j], .body = of->name, .number = ++number};
                    if (!drive_leg(&l))
                        return;
                }
            if (number == before)
                dal_complain(reader->messages, of->by.item[k].mark, "'%s' is driven by '%.100s': there is no such joint", of->name,
                             of->by.item[k].text);
        }
    }
}
