/* `drive: {position: [...], orientation: ...}` of a body: its pose is a function of time.
 *
 * The reader replaces it by constraints and named expressions. With the wanted place r_w(t) and attitude R_w(t), whose columns
 * are D_k, and the axes e_k of the body,
 *   position      r - r_w(t) = 0                       three rows, NAME.drive.x, .y, .z
 *   orientation   1/2 sum of D_k x e_k = 0             three rows, NAME.drive.rx, .ry, .rz
 * The second is sin(theta) n for a turn by theta about n from the wanted attitude to the present one: its gradient along a small turn is that turn,
 * so that the multipliers are the components of the torque in world axes, as those of the first are of the force. In the plane the angle has one row.
 * NAME.drive.force, NAME.drive.torque and NAME.drive.power are named expressions of the multipliers.
 *
 * If the model has no start values for the body, it starts at the pose of the drive at t = 0: `t` is replaced by 0 in the expressions.
 */
#include "spec/blocks.h"

#include <ctype.h>
#include <string.h>

/* ---- at the start ------------------------------------------------------------------------------ */

enum { DEEPEST_NAME = 8 };

static const dal_pair *find_definition(const dal_reader *reader, const char *name, size_t n)
{
    for (int i = 0; i < reader->spec->n_define; i++) {
        const dal_pair *pair = &reader->spec->define[i];
        if (strlen(pair->name.text) == n && !memcmp(pair->name.text, name, n))
            return pair;
    }
    return NULL;
}

static bool is_constant(dal_reader *reader, const char *name, size_t n)
{
    const char *copy = dal_arena_copy(reader->scratch, name, n);
    const dal_name *known = dal_names_find(reader, copy);
    for (const dal_binding *b = reader->binding; b; b = b->outer)
        if (!strcmp(b->name, copy))
            return true;
    return (known && !strcmp(known->section, "parameter")) || !strcmp(copy, "pi") || !strcmp(copy, "deg");
}

/* The text with 0 in place of t, and with definitions written out. NULL: it uses values that are unknown before the model is compiled. */
static const char *at_start(dal_reader *reader, const char *text, int depth)
{
    const char *out = "";
    for (const char *at = text; *at;) {
        size_t n = 0;
        if (isalpha((unsigned char)*at) || *at == '_') {
            while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.')
                n++;
            const char *behind = at + n + strspn(at + n, " \t\r\n");
            const dal_pair *pair = find_definition(reader, at, n);
            const char *inner = NULL;
            if (*behind == '\'' || (*behind == '(' && n == 6 && !memcmp(at, "interp", n)))
                return NULL;
            if (n == 1 && *at == 't')
                inner = "0";
            else if (pair && pair->value.text && depth < DEEPEST_NAME)
                inner = at_start(reader, pair->value.text, depth + 1);
            else if (*behind == '(' || is_constant(reader, at, n))
                inner = dal_arena_copy(reader->scratch, at, n);
            if (!inner)
                return NULL;
            out = dal_arena_print(reader->scratch, pair || !strcmp(inner, "0") ? "%s(%s)" : "%s%s", out, inner);
        } else if (isdigit((unsigned char)*at) || *at == '.') {
            while (isalnum((unsigned char)at[n]) || at[n] == '.' || ((at[n] == '-' || at[n] == '+') && strchr("eE", at[n - 1])))
                n++;
            out = dal_arena_print(reader->scratch, "%s%.*s", out, (int)n, at);
        } else {
            if (*at == '{')
                return NULL;
            out = dal_arena_print(reader->scratch, "%s%c", out, *at);
            n = 1;
        }
        at += n;
    }
    return out;
}

static bool text_at_start(dal_reader *reader, const dal_text *text, dal_text *out)
{
    const char *found = text->text ? at_start(reader, text->text, 0) : NULL;
    if (!found)
        return false;
    *out = (dal_text){.text = dal_arena_copy(reader->keep, found, strlen(found)), .mark = text->mark};
    return true;
}

static bool list_at_start(dal_reader *reader, const dal_list *list, dal_list *out)
{
    *out = (dal_list){.n = list->n, .item = DAL_NEW(reader->keep, dal_text, list->n), .mark = list->mark};
    for (int i = 0; i < list->n; i++)
        if (!text_at_start(reader, &list->item[i], &out->item[i])) {
            *out = (dal_list){0};
            return false;
        }
    return true;
}

static void start_there(dal_reader *reader, const dal_pose_keys *drive, dal_body_spec *body)
{
    dal_orientation o = drive->orientation;
    if (body->between.n)
        return;
    if (!body->position.n && drive->position.n)
        list_at_start(reader, &drive->position, &body->position);
    if (!body->angle.text && drive->angle.text)
        text_at_start(reader, &drive->angle, &body->angle);
    if (body->orientation.kind == DAL_ATTITUDE_NONE && o.kind != DAL_ATTITUDE_NONE && list_at_start(reader, &drive->orientation.first, &o.first) &&
        list_at_start(reader, &drive->orientation.second, &o.second))
        body->orientation = o;
}

/* ---- rotations as texts --------------------------------------------------------------------------- */

typedef struct turn {
    const char *e[9]; /* by rows */
} turn;

static const turn same = {{"1", "0", "0", "0", "1", "0", "0", "0", "1"}};

static const char *times(dal_arena *arena, const char *a, const char *b)
{
    if (!strcmp(a, "0") || !strcmp(b, "0"))
        return "0";
    return !strcmp(a, "1") ? b : !strcmp(b, "1") ? a : dal_arena_print(arena, "(%s)*(%s)", a, b);
}

static const char *plus(dal_arena *arena, const char *a, const char *b)
{
    return !strcmp(a, "0") ? b : !strcmp(b, "0") ? a : dal_arena_print(arena, "%s + %s", a, b);
}

static turn product(dal_arena *arena, const turn *A, const turn *B)
{
    turn C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            C.e[3 * i + j] = "0";
            for (int k = 0; k < 3; k++)
                C.e[3 * i + j] = plus(arena, C.e[3 * i + j], times(arena, A->e[3 * i + k], B->e[3 * k + j]));
        }
    return C;
}

/* About the axis k by an angle. */
static turn elementary(dal_arena *arena, int k, const char *angle)
{
    turn R = same;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    R.e[4 * i] = R.e[4 * j] = dal_arena_print(arena, "cos(%s)", angle);
    R.e[3 * i + j] = dal_arena_print(arena, "-sin(%s)", angle);
    R.e[3 * j + i] = dal_arena_print(arena, "sin(%s)", angle);
    return R;
}

static turn sequence(dal_arena *arena, const char *letters, const char *const angle[3])
{
    turn R = same;
    for (int i = 0; i < 3; i++) {
        const turn next = elementary(arena, letters[i] - 'x', angle[i]);
        R = product(arena, &R, &next);
    }
    return R;
}

/* ---- columns of the wanted attitude ------------------------------------------------------------------ */

/* A named expression NAME.goal.PART. */
static const char *add_goal(dal_reader *reader, const char *name, const char *part, dal_text text)
{
    const char *goal = dal_arena_print(reader->keep, "goal.%s", part);
    dal_add_part(reader, name, goal, text);
    reader->spec->define[reader->spec->n_define - 1].block = NULL;
    return dal_part_name(reader, name, goal);
}

static void add_columns(dal_reader *reader, const char *name, dal_mark mark, const turn *R)
{
    static const char *const parts[] = {"ex", "ey", "ez"};
    for (int k = 0; k < 3; k++)
        add_goal(reader, name, parts[k], dal_made_text(reader, mark, "[%s, %s, %s]", R->e[k], R->e[3 + k], R->e[6 + k]));
}

/* R = (q0^2 - q.q) 1 + 2 q q^T + 2 q0 [q x], over |q|^2; with q0 = cos(a/2), q = n sin(a/2) for an axis and an angle. */
static void add_quaternion(dal_reader *reader, const char *name, dal_mark mark, const char *const q[4])
{
    turn R;
    dal_arena *arena = reader->scratch;
    const char *size = dal_arena_print(arena, "(%s^2 + %s^2 + %s^2 + %s^2)", q[0], q[1], q[2], q[3]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int k = 3 - i - j;
            if (i == j)
                R.e[3 * i + j] = dal_arena_print(arena, "(%s^2 + 2*%s^2 - %s^2 - %s^2 - %s^2)/%s", q[0], q[i + 1], q[1], q[2], q[3], size);
            else
                R.e[3 * i + j] =
                    dal_arena_print(arena, "2*(%s*%s %c %s*%s)/%s", q[i + 1], q[j + 1], (j - i + 3) % 3 == 1 ? '-' : '+', q[0], q[k + 1], size);
        }
    add_columns(reader, name, mark, &R);
}

/* Two directions: the first exact, the second made orthogonal to it, the third across both. */
static void add_directions(dal_reader *reader, const char *name, const dal_orientation *o)
{
    static const char *const parts[] = {"ex", "ey", "ez"};
    const dal_list *lists[2] = {&o->first, &o->second};
    const char *raw[2], *unit[2];
    const int a = o->letters[0] - 'x', b = o->letters[1] - 'x', c = 3 - a - b;
    for (int i = 0; i < 2; i++)
        raw[i] = add_goal(reader, name, i ? "second" : "first",
                          dal_made_text(reader, o->mark, "[%s, %s, %s]", lists[i]->item[0].text, lists[i]->item[1].text, lists[i]->item[2].text));
    unit[0] = add_goal(reader, name, parts[a], dal_made_text(reader, o->mark, "%s/norm(%s)", raw[0], raw[0]));
    const char *across = add_goal(reader, name, "across", dal_made_text(reader, o->mark, "%s - dot(%s, %s)*%s", raw[1], raw[1], unit[0], unit[0]));
    unit[1] = add_goal(reader, name, parts[b], dal_made_text(reader, o->mark, "%s/norm(%s)", across, across));
    const bool even = (b - a + 3) % 3 == 1;
    add_goal(reader, name, parts[c], dal_made_text(reader, o->mark, "cross(%s, %s)", unit[!even], unit[even]));
}

static void add_attitude(dal_reader *reader, const char *name, const dal_orientation *o)
{
    static const char *const numbers[] = {"a", "b", "c", "d"};
    const char *part[4] = {"", "", "", ""};
    if (o->kind == DAL_ATTITUDE_AXES) {
        add_directions(reader, name, o);
        return;
    }
    for (int i = 0; i < o->first.n && i < 4; i++)
        part[i] = add_goal(reader, name, numbers[i], o->first.item[i]);
    if (o->kind == DAL_ATTITUDE_QUATERNION) {
        add_quaternion(reader, name, o->mark, part);
    } else if (o->kind == DAL_ATTITUDE_AXIS) {
        const char *half = dal_arena_print(reader->scratch, "%s/2", add_goal(reader, name, "angle", o->second.item[0]));
        const char *size = dal_arena_print(reader->scratch, "norm([%s, %s, %s])", part[0], part[1], part[2]);
        const char *q[4] = {dal_arena_print(reader->scratch, "cos(%s)", half)};
        for (int i = 0; i < 3; i++)
            q[i + 1] = dal_arena_print(reader->scratch, "(%s*sin(%s)/%s)", part[i], half, size);
        add_quaternion(reader, name, o->mark, q);
    } else { /* roll, pitch, yaw about fixed axes are yaw, pitch, roll about moving ones */
        const bool rpy = o->kind == DAL_ATTITUDE_RPY;
        const char *const angle[3] = {rpy ? part[2] : part[0], part[1], rpy ? part[0] : part[2]};
        const turn R = sequence(reader->scratch, rpy ? "zyx" : o->letters, angle);
        add_columns(reader, name, o->mark, &R);
    }
}

/* ---- the rows ------------------------------------------------------------------------------------------ */

static void add_row(dal_reader *reader, const char *name, const char *part, dal_text position)
{
    dal_constraint_spec *row = DAL_PUSH(reader->keep, reader->made, reader->n_made, reader->room_made);
    *row = (dal_constraint_spec){.name = {.text = dal_arena_print(reader->keep, "%s.drive.%s", name, part), .mark = position.mark},
                                 .position = position,
                                 .binding = reader->binding};
}

static const char *const letters[] = {"x", "y", "z"};

static void drive_position(dal_reader *reader, const char *name, const dal_list *position)
{
    const char *force = "";
    for (int i = 0; i < position->n; i++) {
        const dal_mark mark = position->item[i].mark;
        add_row(reader, name, letters[i],
                dal_made_text(reader, mark, "%s.%s - %s", name, letters[i], add_goal(reader, name, letters[i], position->item[i])));
        force = dal_arena_print(reader->scratch, "%s%s%s.drive.%s.multiplier", force, i ? ", " : "", name, letters[i]);
    }
    dal_add_part(reader, name, "drive.force", dal_made_text(reader, position->mark, "[%s]", force));
    reader->spec->define[reader->spec->n_define - 1].block = NULL;
}

static void drive_attitude(dal_reader *reader, const char *name, const dal_orientation *o)
{
    const char *torque = "";
    add_attitude(reader, name, o);
    for (int i = 0; i < 3; i++) {
        const char *part = dal_arena_print(reader->scratch, "r%s", letters[i]);
        const char *sum = "";
        for (int e = 0; e < 3; e++)
            sum = dal_arena_print(reader->scratch, "%s%scross(%s.goal.e%s, %s.e%s)", sum, e ? " + " : "", name, letters[e], name, letters[e]);
        add_row(reader, name, part, dal_made_text(reader, o->mark, "dot([%d, %d, %d], %s)/2", i == 0, i == 1, i == 2, sum));
        torque = dal_arena_print(reader->scratch, "%s%s%s.drive.%s.multiplier", torque, i ? ", " : "", name, part);
    }
    dal_add_part(reader, name, "drive.torque", dal_made_text(reader, o->mark, "[%s]", torque));
    reader->spec->define[reader->spec->n_define - 1].block = NULL;
}

static void drive_angle(dal_reader *reader, const char *name, const dal_text *angle)
{
    add_row(reader, name, "angle", dal_made_text(reader, angle->mark, "%s.angle - %s", name, add_goal(reader, name, "angle", *angle)));
    dal_add_part(reader, name, "drive.torque", dal_made_text(reader, angle->mark, "%s.drive.angle.multiplier", name));
    reader->spec->define[reader->spec->n_define - 1].block = NULL;
}

/* Only named expressions for place and attitude: the legs hold the body. */
static void add_goals(dal_reader *reader, const char *name, const dal_pose_keys *drive)
{
    for (int i = 0; i < drive->position.n; i++)
        add_goal(reader, name, letters[i], drive->position.item[i]);
    if (drive->orientation.kind != DAL_ATTITUDE_NONE)
        add_attitude(reader, name, &drive->orientation);
    if (drive->angle.text) {
        const char *angle = add_goal(reader, name, "angle", drive->angle);
        add_goal(reader, name, "ex", dal_made_text(reader, drive->angle.mark, "[cos(%s), sin(%s)]", angle, angle));
        add_goal(reader, name, "ey", dal_made_text(reader, drive->angle.mark, "[-sin(%s), cos(%s)]", angle, angle));
    }
}

void dal_drive_pose(dal_reader *reader, const dal_tree *tree, dal_body_spec *body)
{
    dal_pose_keys drive = {0};
    const char *name = body->name.text, *power = "";
    dal_scope outer = {reader->what, reader->key, reader->entry};
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    reader->key = "drive";
    if (!dal_needs_map(reader, tree, "{position: [0, 0, 0.1*sin(t)]}"))
        return;
    dal_read_keys(reader, dal_keys_pose, tree, &drive, dal_label(reader));
    dal_ascend(reader, outer);
    const bool turned = drive.angle.text || drive.orientation.kind != DAL_ATTITUDE_NONE;
    if (dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    if (!drive.position.n && !turned)
        dal_complain(reader->messages, tree->key_mark, "the drive of %s needs 'position', %s or both", reader->what,
                     reader->spec->space == DAL_PLANAR ? "'angle'" : "'orientation'");
    else if (reader->own_coordinates)
        dal_complain(reader->messages, tree->key_mark, "%s is placed by coordinates of the model's own: write its motion as their 'constraints'",
                     reader->what);
    else if (drive.by.n && !(drive.position.n && turned))
        dal_complain(reader->messages, tree->key_mark, "the drive of %s by joints needs 'position' and %s", reader->what,
                     reader->spec->space == DAL_PLANAR ? "'angle'" : "'orientation'");
    else if (drive.by.n) {
        start_there(reader, &drive, body);
        add_goals(reader, name, &drive);
        *DAL_PUSH(reader->scratch, reader->driven, reader->n_driven, reader->room_driven) = (dal_driven_body){name, drive.by, tree->key_mark};
    } else {
        start_there(reader, &drive, body);
        if (drive.position.n)
            drive_position(reader, name, &drive.position);
        if (drive.orientation.kind != DAL_ATTITUDE_NONE)
            drive_attitude(reader, name, &drive.orientation);
        if (drive.angle.text)
            drive_angle(reader, name, &drive.angle);
        if (drive.position.n)
            power = dal_arena_print(reader->scratch, "dot(%s.drive.force, %s.velocity)", name, name);
        if (drive.angle.text)
            power = plus(reader->scratch, *power ? power : "0", dal_arena_print(reader->scratch, "%s.drive.torque*%s.angle'", name, name));
        else if (turned)
            power = plus(reader->scratch, *power ? power : "0", dal_arena_print(reader->scratch, "dot(%s.drive.torque, %s.omega)", name, name));
        dal_add_part(reader, name, "drive.power", dal_made_text(reader, tree->key_mark, "%s", power));
        reader->spec->define[reader->spec->n_define - 1].block = NULL;
    }
}
