/* Start values of bodies as they are written: positions, attitudes and velocities before assembly, as functions of the parameters. Compile reads the
 * same texts as numbers (compile/bodies.c, compile/place.c).
 *
 *   of the whole model            r, R as they stand
 *   on the ground of a model      r := P + E r, R := E R, with the point P and the axes E of that ground, which a body may carry
 *   between two points            r = (P_1 + P_2)/2, x along P_2 - P_1
 *   by the start of a joint       E_2 = E_1 R_z(angle), P_2 = P_1 + distance e_1: of the joint's frames, of which the body carries one
 */
#include "derive/written_start.h"

#include "derive/start_frames.h"
#include "joint/joint.h"

#include <string.h>

enum { DEEPEST = 30 }; /* bodies that wait for one another */

static bool write_place(dal_derivation *d, int body, int depth, dal_written_start *out);

/* The point P and the axes E of a name of `connect:`, in the world. */
static bool world_frame(dal_derivation *d, const char *name, int depth, dal_node P[3], dal_node E[9])
{
    dal_written_start of;
    const int body = dal_written_frame(d, name, P, E);
    if (body == DAL_GROUND)
        return true;
    if (body < DAL_GROUND || !write_place(d, body, depth + 1, &of) || !of.placed)
        return false;
    dal_n_turn(d, of.R, P, P);
    dal_n_sum(d, of.r, P, P);
    dal_n_multiply(d, of.R, E, false, E);
    return true;
}

static bool write_between(dal_derivation *d, const dal_body_spec *spec, int depth, dal_written_start *out)
{
    dal_node P[2][3], E[9], x[3];
    for (int i = 0; i < 2; i++)
        if (spec->between.n != 2 || spec->between.fix || spec->between.item[i].fix || !world_frame(d, spec->between.item[i].text, depth, P[i], E))
            return false; /* a mirrored one has signs of its own */
    for (int i = 0; i < 3; i++) {
        out->r[i] = dal_n_div(d, dal_n_add(d, P[0][i], P[1][i]), dal_n_const(d, 2));
        x[i] = dal_n_sub(d, P[1][i], P[0][i]);
    }
    dal_written_axes(d, x, out->R);
    out->placed = out->turned = true;
    out->place_fixed = out->turn_fixed = spec->fix;
    return true;
}

/* A start value of a joint, counted from where its frames coincide; false: it cannot be read. */
static bool read_motion(dal_derivation *d, const dal_joint_spec *spec, const dal_joint *joint, const char *name, dal_text text, dal_node *value)
{
    const dal_joint_variant *variant = dal_joint_in(joint->type, d->mechanism->space);
    dal_value read;
    *value = dal_n_const(d, 0);
    if (!text.text)
        return true;
    if (!dal_derive_text(d, spec->binding, text, &read) || read.n != 1)
        return false;
    *value = read.node[0];
    for (int k = 0; k < joint->n_coordinates; k++)
        if (joint->zero[k] != 0 && variant->coordinates[k] && !strcmp(variant->coordinates[k], name))
            *value = dal_n_sub(d, *value, dal_derive_constant(d, spec->binding, spec->zero, joint->zero[k]));
    return true;
}

/* The body on one side of a joint from the frame on the other: place_side of compile. */
static bool place_side(dal_derivation *d, int j, int side, int depth, dal_written_start *out)
{
    const dal_joint_spec *spec = &d->spec->joints[j];
    const dal_joint *joint = &d->mechanism->joints[j];
    const dal_symbolic_marker *own = &d->markers[2 * j + side], *other = &d->markers[2 * j + 1 - side];
    const int axis = dal_n_planar(d) ? 0 : 2;
    dal_node P[3], E[9], turn[9], angle, distance, arm[3];
    dal_written_start of;
    memcpy(P, other->s, sizeof P);
    memcpy(E, other->B, sizeof E);
    if (!read_motion(d, spec, joint, "angle", spec->start.angle, &angle) || !read_motion(d, spec, joint, "distance", spec->start.distance, &distance))
        return false;
    if (other->body != DAL_GROUND) {
        if (!write_place(d, other->body, depth + 1, &of) || !of.placed)
            return false;
        dal_n_turn(d, of.R, P, P);
        dal_n_sum(d, of.r, P, P);
        dal_n_multiply(d, of.R, E, false, E);
    }
    for (int i = 0; i < 3 && side; i++)
        P[i] = dal_n_add(d, P[i], dal_n_mul(d, distance, E[3 * i + axis]));
    dal_n_rotation(d, 2, side ? angle : dal_n_neg(d, angle), turn);
    dal_n_multiply(d, E, turn, false, E);
    for (int i = 0; i < 3 && !side; i++)
        P[i] = dal_n_sub(d, P[i], dal_n_mul(d, distance, E[3 * i + axis]));
    if (!out->turned && !d->mechanism->bodies[own->body].particle)
        dal_n_multiply(d, E, own->B, true, out->R);
    dal_n_turn(d, out->R, own->s, arm);
    for (int i = 0; i < 3; i++)
        out->r[i] = dal_n_sub(d, P[i], arm[i]);
    return out->placed = out->turned = true;
}

/* By a joint that gives it a start: the second body, or the first one if the second is placed otherwise. */
static bool place_by_joint(dal_derivation *d, int body, int depth, dal_written_start *out)
{
    for (int side = 1; side >= 0; side--)
        for (int j = 0; j < d->spec->n_joints; j++) {
            const dal_start_spec *start = &d->spec->joints[j].start;
            const dal_joint *joint = &d->mechanism->joints[j];
            const bool starts = (start->angle.text || start->distance.text) && joint->type && d->spec->joints[j].connect.n == 2;
            if (starts && !joint->equations && d->markers[2 * j + side].body == body && d->markers[2 * j + 1 - side].body != body &&
                place_side(d, j, side, depth, out))
                return true;
        }
    return false;
}

/* r and R in the axes that they are written in; false: a text cannot be read. */
static bool read_place(dal_derivation *d, const dal_body_spec *spec, dal_written_start *out)
{
    dal_value angle;
    out->placed = spec->position.n > 0;
    out->turned = spec->angle.text || spec->orientation.kind != DAL_ATTITUDE_NONE;
    out->place_fixed = out->placed && (spec->fix || spec->position.fix);
    out->turn_fixed = out->turned && (spec->fix || spec->angle.fix || spec->orientation.fix);
    if (!dal_written_vector(d, spec->binding, &spec->position, out->r))
        return false;
    if (!spec->angle.text)
        return dal_written_orientation(d, spec->binding, &spec->orientation, out->R);
    if (!dal_derive_text(d, spec->binding, spec->angle, &angle) || angle.n != 1)
        return false;
    dal_n_rotation(d, 2, angle.node[0], out->R);
    return true;
}

static bool write_place(dal_derivation *d, int body, int depth, dal_written_start *out)
{
    const dal_body_spec *spec = &d->spec->bodies[body];
    const dal_model_spec *model = spec->binding ? spec->binding->model : NULL;
    dal_node P[3], E[9];
    *out = (dal_written_start){.placed = false};
    for (int i = 0; i < 3; i++)
        out->r[i] = out->rd[i] = out->w[i] = dal_n_const(d, 0);
    dal_n_identity(d, out->R);
    if (depth > DEEPEST || d->spec->n_coordinates)
        return false;
    if (spec->between.n)
        return write_between(d, spec, depth, out);
    const bool given = read_place(d, spec, out) && (out->placed || out->turned);
    if (given && model && !world_frame(d, model->ground.text, depth, P, E))
        return out->placed = out->turned = false;
    if (given && model) {
        dal_n_turn(d, E, out->r, out->r);
        dal_n_sum(d, P, out->r, out->r);
        dal_n_multiply(d, E, out->R, false, out->R);
    }
    if (!out->placed)
        place_by_joint(d, body, depth, out);
    return true;
}

/* r' and w: in the axes of the ground of its model, or of the body. */
static void write_motion(dal_derivation *d, const dal_body_spec *spec, dal_written_start *out)
{
    const dal_model_spec *model = spec->binding ? spec->binding->model : NULL;
    dal_node P[3], E[9];
    dal_value rate;
    dal_n_identity(d, E);
    if (model && dal_written_frame(d, model->ground.text, P, E) != DAL_GROUND)
        return; /* what carries it moves, too */
    out->moves = spec->velocity.n && dal_written_vector(d, spec->binding, &spec->velocity, out->rd);
    out->spins = spec->angular_velocity.n && dal_written_vector(d, spec->binding, &spec->angular_velocity, out->w);
    if (spec->rate.text && dal_derive_text(d, spec->binding, spec->rate, &rate) && rate.n == 1) {
        out->w[2] = rate.node[0];
        out->spins = true;
    }
    out->moves = out->moves && (out->turned || !spec->velocity.body_axes);
    out->spins = out->spins && (out->turned || !spec->angular_velocity.body_axes);
    dal_n_turn(d, spec->velocity.body_axes ? out->R : E, out->rd, out->rd);
    dal_n_turn(d, spec->angular_velocity.body_axes ? out->R : E, out->w, out->w);
    out->motion_fixed = out->moves && (spec->fix || spec->velocity.fix);
    out->spin_fixed = out->spins && (spec->fix || spec->rate.fix || spec->angular_velocity.fix);
}

void dal_write_start(dal_derivation *d, int body, dal_written_start *out)
{
    write_place(d, body, 0, out);
    if (!d->spec->n_coordinates)
        write_motion(d, &d->spec->bodies[body], out);
}
