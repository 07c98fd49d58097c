/* The basic constraints and the list of all joints. */
#include "joint/joint.h"

#include <string.h>

int dal_joint_space(const dal_joint_builder *builder)
{
    return (int)builder->mechanism->space;
}

static void add_dot_row(dal_joint_builder *b, int u, int u_minus, int w, int w_minus, double coef, double constant, bool angular)
{
    dal_term term = {dal_add_dot(b->mechanism, u, u_minus, w, w_minus), coef};
    dal_add_row(b->mechanism, 1, &term, constant, -1, angular);
}

void dal_forbid_gap(dal_joint_builder *b)
{
    for (int axis = 0; axis < dal_joint_space(b); axis++)
        add_dot_row(b, b->point[1], b->point[0], axis, -1, 1, 0, false);
}

void dal_forbid_shift(dal_joint_builder *b, int axis_first)
{
    int e = dal_add_axis(b->mechanism, &b->joint->marker[0], axis_first);
    add_dot_row(b, b->point[1], b->point[0], e, -1, 1, 0, false);
}

void dal_forbid_tilt(dal_joint_builder *b, int axis_first, int axis_second)
{
    int e_i = dal_add_axis(b->mechanism, &b->joint->marker[0], axis_first);
    int e_j = dal_add_axis(b->mechanism, &b->joint->marker[1], axis_second);
    add_dot_row(b, e_i, -1, e_j, -1, 1, 0, true);
}

void dal_forbid_skew(dal_joint_builder *b)
{
    dal_forbid_tilt(b, 0, 2);
    dal_forbid_tilt(b, 1, 2);
}

void dal_forbid_offset(dal_joint_builder *b)
{
    dal_forbid_shift(b, 0);
    dal_forbid_shift(b, 1);
}

void dal_forbid_stretch(dal_joint_builder *b, double length)
{
    int p = b->point[1], o = b->point[0];
    add_dot_row(b, p, o, p, o, 0.5 / length, 0.5 * length, false);
}

void dal_forbid_turn(dal_joint_builder *b)
{
    dal_forbid_tilt(b, 1, 0); /* y_i . x_j: the turn about z */
    if (dal_joint_space(b) == DAL_PLANAR)
        return;
    dal_forbid_tilt(b, 2, 1); /* z_i . y_j: about x */
    dal_forbid_tilt(b, 0, 2); /* x_i . z_j: about y */
}

static void add_coordinate(dal_joint_builder *b, int measure)
{
    b->joint->coordinate[b->joint->n_coordinates++] = measure;
}

void dal_measure_turn(dal_joint_builder *b)
{
    add_coordinate(b, dal_add_angle(b->mechanism, &b->joint->marker[0], &b->joint->marker[1]));
}

void dal_measure_shift(dal_joint_builder *b, int axis_first)
{
    int e = dal_add_axis(b->mechanism, &b->joint->marker[0], axis_first);
    add_coordinate(b, dal_add_dot(b->mechanism, b->point[1], b->point[0], e, -1));
}

void dal_measure_shift_z(dal_joint_builder *b)
{
    dal_measure_shift(b, 2);
}

extern const dal_joint_type dal_joint_revolute, dal_joint_prismatic, dal_joint_rigid, dal_joint_distance, dal_joint_pin_in_slot, dal_joint_gear,
    dal_joint_rack_and_pinion, dal_joint_driven, dal_joint_lock, dal_joint_spherical, dal_joint_cylindrical, dal_joint_universal, dal_joint_planar,
    dal_joint_point_on_line, dal_joint_point_on_plane, dal_joint_parallel, dal_joint_perpendicular, dal_joint_screw, dal_joint_rolling_disc,
    dal_joint_rolling_wheel, dal_joint_rolling_ball, dal_joint_skate;

const dal_joint_type *const dal_joint_types[] = {&dal_joint_revolute,
                                                 &dal_joint_prismatic,
                                                 &dal_joint_cylindrical,
                                                 &dal_joint_spherical,
                                                 &dal_joint_universal,
                                                 &dal_joint_planar,
                                                 &dal_joint_rigid,
                                                 &dal_joint_distance,
                                                 &dal_joint_pin_in_slot,
                                                 &dal_joint_point_on_line,
                                                 &dal_joint_point_on_plane,
                                                 &dal_joint_parallel,
                                                 &dal_joint_perpendicular,
                                                 &dal_joint_screw,
                                                 &dal_joint_rolling_disc,
                                                 &dal_joint_rolling_wheel,
                                                 &dal_joint_rolling_ball,
                                                 &dal_joint_skate,
                                                 &dal_joint_gear,
                                                 &dal_joint_rack_and_pinion,
                                                 &dal_joint_driven,
                                                 &dal_joint_lock,
                                                 NULL};

const dal_joint_type *dal_joint_type_find(const char *name)
{
    for (int i = 0; dal_joint_types[i]; i++)
        if (!strcmp(dal_joint_types[i]->name, name))
            return dal_joint_types[i];
    return NULL;
}
