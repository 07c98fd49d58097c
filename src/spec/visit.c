/* The expressions of an element, by the tables of keys. */
#include "spec/visit.h"
#include "spec/schema.h"

typedef struct visitor {
    dal_visit_written *visit;
    void *user;
} visitor;

static void visit_text(const visitor *v, const dal_key *key, const dal_text *text, bool turns)
{
    if (text->text)
        v->visit(v->user, &(dal_written){.text = text, .unit = key->doc.unit, .turns = turns});
}

/* Three rates in the plane are two shifts and one turn; six in space are three and three. */
static void visit_list(const visitor *v, const dal_key *key, const dal_list *list)
{
    const int shifts = list->n == 3 ? 2 : list->n == 6 ? 3 : list->n;
    for (int i = 0; i < list->n; i++)
        visit_text(v, key, &list->item[i], key->shape == DAL_SHAPE_RATES && i >= shifts);
}

static void visit_points(const visitor *v, const dal_points *points)
{
    for (int i = 0; i < points->n; i++)
        for (int k = 0; k < points->item[i].at.n; k++)
            v->visit(v->user, &(dal_written){.text = &points->item[i].at.item[k], .unit = "m", .binding = points->item[i].binding});
}

/* Angles are in rad; a quaternion and directions have no unit. */
static void visit_orientation(const visitor *v, const dal_orientation *o)
{
    const dal_list *angles = o->kind == DAL_ATTITUDE_EULER || o->kind == DAL_ATTITUDE_RPY ? &o->first
                             : o->kind == DAL_ATTITUDE_AXIS                               ? &o->second
                                                                                          : NULL;
    for (int i = 0; angles && i < angles->n; i++)
        v->visit(v->user, &(dal_written){.text = &angles->item[i], .unit = "rad"});
}

static void visit_key(const visitor *v, const dal_key *key, const void *field)
{
    switch (key->shape) {
    case DAL_SHAPE_EXPRESSION:
    case DAL_SHAPE_START: visit_text(v, key, field, false); break;
    case DAL_SHAPE_EXPRESSIONS:
    case DAL_SHAPE_VECTOR:
    case DAL_SHAPE_START_VECTOR:
    case DAL_SHAPE_VELOCITY:
    case DAL_SHAPE_FORCE:
    case DAL_SHAPE_RATES:
    case DAL_SHAPE_INERTIA: visit_list(v, key, field); break;
    case DAL_SHAPE_ORIENTATION: visit_orientation(v, field); break;
    case DAL_SHAPE_POINTS: visit_points(v, field); break;
    default: break;
    }
}

void dal_spec_visit(dal_section section, const void *element, dal_visit_written *visit, void *user)
{
    static const dal_key *const tables[] = {
        [DAL_SECTION_GROUND] = dal_keys_ground,     [DAL_SECTION_BODY] = dal_keys_body,
        [DAL_SECTION_JOINT] = dal_keys_joint,       [DAL_SECTION_START] = dal_keys_start,
        [DAL_SECTION_FRICTION] = dal_keys_friction, [DAL_SECTION_FORCE] = dal_keys_force,
        [DAL_SECTION_SYSTEM] = dal_keys_system,     [DAL_SECTION_LAGRANGIAN] = dal_keys_lagrangian,
        [DAL_SECTION_SIMULATE] = dal_keys_simulate,
    };
    const visitor v = {visit, user};
    for (const dal_key *key = tables[section]; key->doc.key; key++)
        visit_key(&v, key, (const char *)element + key->offset);
}
