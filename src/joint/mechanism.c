/* Building a mechanism piece by piece, from the arena of a compile. */
#include "joint/mechanism.h"

#include <string.h>

void dal_mechanism_begin(dal_mechanism *mechanism, dal_arena *arena, dal_space space)
{
    memset(mechanism, 0, sizeof *mechanism);
    mechanism->arena = arena;
    mechanism->space = space;
    for (int axis = 0; axis < 3; axis++) {
        double e[3] = {0, 0, 0};
        e[axis] = 1;
        dal_add_vector(mechanism, DAL_GROUND, false, e);
    }
}

/* An equal vector among the last ones is reused: consecutive joints and channels often name the same points. */
enum { LOOK_BACK = 24 };

void dal_mechanism_settle(dal_mechanism *m)
{
    for (int i = 0; i < m->n_vectors; i++)
        m->vectors[i].busy = m->vectors[i].wanted;
    for (int i = 0; i < m->n_measures; i++)
        m->measures[i].busy = m->measures[i].wanted;
}

static bool same_vector(const dal_vector *vector, int body, bool point, const double s[3])
{
    return vector->body == body && vector->point == point && !memcmp(vector->s, s, sizeof vector->s);
}

int dal_add_vector(dal_mechanism *m, int body, bool point, const double s[3])
{
    int *newest = &m->newest[(unsigned)(body + 1) % DAL_BODY_CLASSES];
    int i = *newest - 1;
    for (int back = 1; back && i >= 0 && i >= m->n_vectors - LOOK_BACK; i -= back) {
        if (same_vector(&m->vectors[i], body, point, s)) {
            m->vectors[i].wanted |= !m->for_rows;
            return i;
        }
        back = m->vectors[i].back;
    }
    const int distance = *newest ? m->n_vectors + 1 - *newest : 0;
    dal_vector *vector = DAL_PUSH(m->arena, m->vectors, m->n_vectors, m->cap_vectors);
    vector->body = body;
    vector->point = point;
    vector->wanted = !m->for_rows;
    vector->back = (unsigned char)(distance <= LOOK_BACK ? distance : 0);
    memcpy(vector->s, s, sizeof vector->s);
    *newest = m->n_vectors;
    return m->n_vectors - 1;
}

int dal_add_point(dal_mechanism *mechanism, const dal_marker *marker)
{
    return dal_add_vector(mechanism, marker->body, true, marker->s);
}

int dal_add_axis(dal_mechanism *mechanism, const dal_marker *marker, int axis)
{
    double e[3] = {marker->B[axis], marker->B[3 + axis], marker->B[6 + axis]};
    return dal_add_vector(mechanism, marker->body, false, e);
}

static int add_measure_mechanism(dal_mechanism *m, dal_measure_kind kind, int a, int b, int c, int d)
{
    dal_measure *measure = DAL_PUSH(m->arena, m->measures, m->n_measures, m->cap_measures);
    *measure = (dal_measure){kind, {a, b, c, d}, -1, !m->for_rows, DAL_TURNS_NONE, false};
    if (kind == DAL_MEASURE_ANGLE)
        measure->winding = m->n_windings++;
    return m->n_measures - 1;
}

int dal_add_dot(dal_mechanism *mechanism, int a, int a_minus, int b, int b_minus)
{
    return add_measure_mechanism(mechanism, DAL_MEASURE_DOT, a, a_minus, b, b_minus);
}

int dal_add_angle_of(dal_mechanism *mechanism, int x_first, int y_first, int x_second)
{
    return add_measure_mechanism(mechanism, DAL_MEASURE_ANGLE, x_first, y_first, x_second, -1);
}

int dal_add_angle(dal_mechanism *mechanism, const dal_marker *first, const dal_marker *second)
{
    int x = dal_add_axis(mechanism, first, 0), y = dal_add_axis(mechanism, first, 1);
    return dal_add_angle_of(mechanism, x, y, dal_add_axis(mechanism, second, 0));
}

int dal_add_length(dal_mechanism *mechanism, int a, int b)
{
    return add_measure_mechanism(mechanism, DAL_MEASURE_LENGTH, a, b, -1, -1);
}

int dal_add_coordinate(dal_mechanism *mechanism, int number)
{
    for (int i = 0; i < mechanism->n_measures; i++)
        if (mechanism->measures[i].kind == DAL_MEASURE_COORDINATE && mechanism->measures[i].vector[0] == number)
            return i;
    return add_measure_mechanism(mechanism, DAL_MEASURE_COORDINATE, number, -1, -1, -1);
}

int dal_add_row(dal_mechanism *m, int n_terms, const dal_term *terms, double constant, int time, bool angular)
{
    dal_row *row = DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows);
    *row = (dal_row){
        .term = m->n_terms, .n_terms = n_terms, .constant = constant, .time = time, .joint = m->n_joints - 1, .angular = angular, .form = -1};
    for (int i = 0; i < n_terms; i++)
        *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) = terms[i];
    m->joints[m->n_joints - 1].n_rows++;
    return m->n_rows - 1;
}

static dal_row form_of(dal_mechanism *m, int n, const int *measures, int form)
{
    dal_row row = {.term = m->n_terms, .n_terms = n, .time = -1, .joint = -1, .form = form};
    for (int i = 0; i < n; i++)
        *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) = (dal_term){measures[i], 0};
    return row;
}

int dal_add_form(dal_mechanism *m, int n_measures, const int *measures, int form, bool nonholonomic)
{
    dal_row row = form_of(m, n_measures, measures, form);
    row.nonholonomic = nonholonomic;
    row.joint = m->n_joints - 1;
    *DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows) = row;
    m->joints[m->n_joints - 1].n_rows++;
    return m->n_rows - 1;
}

int dal_add_speed(dal_mechanism *m, int n_measures, const int *measures, int form)
{
    dal_row row = form_of(m, n_measures, measures, form);
    *DAL_PUSH(m->arena, m->speeds, m->n_speeds, m->cap_speeds) = row;
    return m->n_speeds - 1;
}
