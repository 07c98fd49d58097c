/* Equations of joint types: f(OM, ON, xi, yi, xj, yj) = 0 (planar-component-library (13)), from the vector equation as the only input.
 *
 * The equation is read again, with the components of points and axes. Its rate (24) and the rate of that (26) follow by differentiation. The compiled
 * joint has the number of rows of an equation: a component that is always zero is not a row.
 */
#include "derive/written_joints.h"

#include "joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sides ------------------------------------------------------------------------------- */

static void place_side(dal_derivation *d, const dal_symbolic_marker *marker, dal_derived_side *side)
{
    dal_derived_body ground = {.angle = dal_n_const(d, 0)};
    dal_n_identity(d, ground.R);
    for (int i = 0; i < 3; i++)
        ground.r[i] = ground.w[i] = dal_n_const(d, 0);
    const dal_derived_body *body = marker->body == DAL_GROUND ? &ground : &d->bodies[marker->body];
    dal_n_turn(d, body->R, marker->s, side->lever);
    dal_n_sum(d, body->r, side->lever, side->x);
    dal_n_multiply(d, body->R, marker->B, false, side->E);
    if (marker->body == DAL_GROUND)
        memcpy(side->w, ground.w, sizeof side->w);
    else
        dal_derive_row_spin(d, marker->body, false, side->w);
    side->angle = body->angle;
    side->constant = body->offset + atan2(marker->B_value[3], marker->B_value[0]);
}

/* "slot", or "left.slot" in an included model. */
static const dal_joint_type_spec *find_type(dal_derivation *d, const dal_joint_spec *spec)
{
    const dal_model_spec *model = spec->binding ? spec->binding->model : NULL;
    const char *name = model ? dal_arena_print(d->arena, "%s.%s", model->name.text, spec->type.text) : spec->type.text;
    for (int i = 0; i < d->spec->n_joint_types; i++)
        if (!strcmp(d->spec->joint_types[i].name.text, name))
            return &d->spec->joint_types[i];
    return NULL;
}

dal_joint_scope dal_derive_sides(dal_derivation *d, int j)
{
    dal_joint_scope scope = {.joint = &d->mechanism->joints[j], .spec = &d->spec->joints[j]};
    scope.type = find_type(d, scope.spec);
    scope.n_sides = 2 + scope.joint->n_further;
    for (int k = 0; k < scope.n_sides; k++) {
        dal_symbolic_marker marker = d->markers[2 * j + (k < 2 ? k : 0)];
        if (k >= 2)
            dal_derive_marker(d, k < scope.spec->connect.n ? scope.spec->connect.item[k] : (dal_text){0}, &scope.joint->marker[k], &marker);
        place_side(d, &marker, &scope.side[k]);
    }
    return scope;
}

/* ---- words ------------------------------------------------------------------------------------ */

/* i, j, k, l */
static int side_of(const dal_joint_scope *scope, char letter)
{
    const int k = letter - 'i';
    return k >= 0 && k < scope->n_sides ? k : -1;
}

static bool set_vector(dal_derivation *d, const dal_node x[3], dal_value *value)
{
    *value = (dal_value){(int)d->mechanism->space, {x[0], x[1], x[2]}, 0};
    return true;
}

static dal_node angle_between(dal_derivation *d, const dal_derived_side *a, const dal_derived_side *b)
{
    if (dal_n_planar(d) && (d->in_ports || !dal_places_by_parameters(d))) {
        const double rest = b->constant - a->constant;
        return dal_n_add(d, dal_n_sub(d, b->angle, a->angle), dal_derive_number(d, fabs(rest) < 1e-15 ? 0 : rest));
    }
    const dal_node xi[3] = {a->E[0], a->E[3], a->E[6]}, yi[3] = {a->E[1], a->E[4], a->E[7]}, xj[3] = {b->E[0], b->E[3], b->E[6]};
    return dal_binary(d->graph, DAL_OP_ATAN2, dal_n_dot(d, yi, xj), dal_n_dot(d, xi, xj));
}

static const dal_pair *find_pair(const dal_law_spec *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->item[i].name.text, name))
            return &list->item[i];
    return NULL;
}

/* A parameter of the type: the value in the joint, or its default. */
static bool read_parameter(dal_derivation *d, const dal_joint_scope *scope, const char *name, dal_value *value)
{
    const dal_pair *standard = find_pair(&scope->type->parameters, name), *given = find_pair(&scope->spec->parameters, name);
    bool known = standard != NULL;
    for (int i = 0; i < scope->type->required.n; i++)
        known |= !strcmp(scope->type->required.item[i].text, name);
    if (!known || (!given && !standard))
        return false;
    const dal_joint_scope *outer = d->scope;
    d->scope = NULL; /* it is an expression of the model */
    const bool ok = dal_derive_text(d, given ? scope->spec->binding : scope->type->binding, given ? given->value : standard->value, value);
    d->scope = outer;
    return ok;
}

static bool read_word(dal_derivation *d, const dal_joint_scope *scope, const char *name, dal_value *value)
{
    const char *const points = "MNPQ", *const point = strchr(points, name[0]);
    const size_t n = strlen(name);
    if (n == 1 && point && point - points < scope->n_sides)
        return set_vector(d, scope->side[point - points].x, value);
    const int k = n == 2 ? side_of(scope, name[1]) : -1;
    if (k >= 0 && name[0] >= 'x' && name[0] <= 'z') {
        const int axis = name[0] - 'x';
        const dal_node *E = scope->side[k].E, e[3] = {E[axis], E[3 + axis], E[6 + axis]};
        return set_vector(d, e, value);
    }
    if (k >= 0 && name[0] == 'w') {
        if (!dal_n_planar(d))
            return set_vector(d, scope->side[k].w, value);
        *value = (dal_value){1, {scope->side[k].w[2]}, 0};
        return true;
    }
    const bool plain = !strcmp(name, "angle");
    const int a = plain ? 0 : n == 8 ? side_of(scope, name[6]) : -1, b = plain ? 1 : n == 8 ? side_of(scope, name[7]) : -1;
    if ((plain || !strncmp(name, "angle_", 6)) && a >= 0 && b >= 0) {
        *value = (dal_value){1, {angle_between(d, &scope->side[a], &scope->side[b])}, 0};
        return true;
    }
    return read_parameter(d, scope, name, value);
}

bool dal_derive_joint_word(dal_derivation *d, const char *name, int primes, dal_value *value)
{
    if (!read_word(d, d->scope, name, value))
        return false;
    for (int p = 0; p < primes; p++)
        for (int i = 0; i < value->n; i++)
            value->node[i] = dal_along_motion(d, value->node[i]);
    return true;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static bool is_zero(const dal_derivation *d, dal_node node)
{
    return dal_n_is(d, node, 0);
}

dal_node dal_derive_written_row(dal_derivation *d, const dal_joint_scope *scope, int number)
{
    const dal_row *row = &d->mechanism->rows[number];
    const dal_joint *joint = scope->joint;
    int before = 0, rows = 0, idle = 0;
    dal_value value;
    if (!scope->type || row->equation < 1)
        return DAL_NO_NODE;
    for (int r = joint->row; r < joint->row + joint->n_rows; r++)
        if (d->mechanism->rows[r].equation == row->equation) {
            before += r < number;
            rows++;
        }
    const int e = row->equation - 1, n = scope->type->equations.n;
    const dal_text text = e < n ? scope->type->equations.item[e] : scope->type->velocity.item[e - n];
    const dal_joint_scope *outer = d->scope;
    d->scope = scope;
    const bool ok = dal_derive_text(d, scope->type->binding, text, &value);
    d->scope = outer;
    if (!ok)
        return DAL_NO_NODE;
    for (int i = 0; i < value.n; i++)
        idle += is_zero(d, value.node[i]);
    const bool skip = rows < value.n;
    if (rows + (skip ? idle : 0) != value.n)
        return DAL_NO_NODE;
    for (int i = 0; i < value.n; i++) {
        if (skip && is_zero(d, value.node[i]))
            continue;
        if (before-- == 0)
            return value.node[i];
    }
    return DAL_NO_NODE;
}
