/* The expressions of an element, with the units of its keys, by the tables of keys. */
#ifndef DAL_SPEC_VISIT_H
#define DAL_SPEC_VISIT_H

#include "dalembert/spec.h"

typedef enum dal_section {
    DAL_SECTION_GROUND, /* a dal_spec */
    DAL_SECTION_BODY,
    DAL_SECTION_JOINT,
    DAL_SECTION_START,
    DAL_SECTION_FRICTION,
    DAL_SECTION_FORCE,
    DAL_SECTION_SYSTEM,
    DAL_SECTION_LAGRANGIAN,
    DAL_SECTION_SIMULATE
} dal_section;

/* unit: of the key, "N/m or N m/rad"; "own": none. turns: of a list of rates, those of angles. binding: of a repeated point; else NULL. */
typedef struct dal_written {
    const dal_text *text;
    const char *unit;
    bool turns;
    const dal_binding *binding;
} dal_written;

typedef void dal_visit_written(void *user, const dal_written *written);

/* Every expression that a key of the section holds. */
void dal_spec_visit(dal_section section, const void *element, dal_visit_written *visit, void *user);

#endif
