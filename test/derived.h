/* A model, its compiled system, a state of it, and the derivation of its equations in symbols: for tests. */
#ifndef DAL_TEST_DERIVED_H
#define DAL_TEST_DERIVED_H

#include "derive/derive.h"
#include "dynamics/row_rank.h"
#include "gallery.h"

typedef struct pair {
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    dal_arena arena;
    jmp_buf jump;
    dal_derivation *d;
    char why[512];
    bool unfactored; /* FLINT is not asked */
} pair;

#ifndef PAIR_STABILIZATION /* how exactly states lie on the constraints */
#define PAIR_STABILIZATION "direct-correction=1e-12"
#endif

/* A file, or where `text` is not NULL that text. False: it is refused. */
static inline bool open_pair(pair *p, const char *file, const char *text, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    memset(p, 0, sizeof *p);
    dal_arena_begin(&p->arena, NULL);
    if ((text ? dal_spec_parse(NULL, file, text, strlen(text), 0, NULL, messages, &p->spec)
              : dal_spec_read(NULL, file, 0, NULL, messages, &p->spec)) == DAL_OK) {
        if (family)
            dal_spec_set(p->spec, "coordinates", family, messages);
        dal_spec_set(p->spec, "formulation", formulation, messages);
        dal_spec_set(p->spec, "stabilization", PAIR_STABILIZATION, messages);
        dal_compile(NULL, p->spec, messages, &p->system);
    }
    for (const dal_message *m = dal_messages_first(messages); m && !p->system; m = m->next)
        snprintf(p->why, sizeof p->why, "%s", m->text);
    if (p->system)
        p->state = dal_state_create(NULL, p->system);
    if (p->state)
        dal_state_evaluate(p->state, NULL);
    dal_messages_free(messages);
    return p->state != NULL;
}

static inline void close_pair(pair *p)
{
    dal_arena_release(&p->arena);
    dal_state_free(p->state);
    dal_system_free(p->system);
    dal_spec_free(p->spec);
}

/* The derivation for the charts, speeds and rows that the state has now. */
static inline bool derive_pair(pair *p, const char *formulation, bool steps)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_speed_choice *speeds = p->state->speeds;
    const dal_derive_options options = {.formulation = formulation,
                                        .chart = p->state->work.chart,
                                        .speeds = speeds ? speeds->column : NULL,
                                        .rows = speeds && speeds->basis ? speeds->basis->row : p->state->rank->order,
                                        .steps = steps,
                                        .unfactored = p->unfactored};
    p->arena.guard = &p->jump;
    p->d = setjmp(p->jump) ? NULL : dal_derive_equations(&p->arena, p->spec, p->system, &options, messages);
    p->arena.guard = NULL;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        snprintf(p->why, sizeof p->why, "%s", m->text);
    dal_messages_free(messages);
    return p->d != NULL;
}

#endif
