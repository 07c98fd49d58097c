/* The gallery as test material: every model of models/, compiled for any choice, at random consistent states. */
#ifndef DAL_TEST_GALLERY_H
#define DAL_TEST_GALLERY_H

#include "check.h"
#include "dalembert/dalembert.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/roots.h"
#include "dynamics/speeds.h"
#include "state/momenta.h"
#include "state/windings.h"

#include <glob.h>
#include <stdlib.h>

/* Every way to describe a motion by coordinates: the families, and what an option makes of them. */
static const dal_family *const gallery_families[] = {
    &dal_family_angle, &dal_family_euler, &dal_family_natural, &dal_family_natural_reduced, &dal_family_joint, &dal_family_user, NULL};

typedef struct gallery {
    glob_t found;
    size_t n;
} gallery;

static inline gallery gallery_open(void)
{
    gallery g = {0};
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &g.found), 0);
    g.n = g.found.gl_pathc;
    return g;
}

/* With the machines of models/machines behind them. */
static inline gallery gallery_open_with_machines(void)
{
    gallery g = gallery_open();
    assert_int_equal(glob(DAL_MODELS "/machines/*.yaml", GLOB_APPEND, NULL, &g.found), 0);
    assert_true(g.found.gl_pathc > g.n);
    g.n = g.found.gl_pathc;
    return g;
}

static inline void gallery_close(gallery *g)
{
    globfree(&g->found);
}

/* Compiled with some settings changed; NULL (with the reason in `why`) where it is refused. */
static inline dal_system *gallery_compile(const char *file, const char *coordinates, const char *formulation, char why[512])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    why[0] = '\0';
    if (dal_spec_read(NULL, file, 0, NULL, messages, &spec) == DAL_OK) {
        if (coordinates)
            dal_spec_set(spec, "coordinates", coordinates, messages);
        if (formulation)
            dal_spec_set(spec, "formulation", formulation, messages);
        dal_spec_set(spec, "stabilization", "direct-correction=1e-12", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !why[0])
            dal_message_format(m, why, 512);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* A model as text; what is refused fails the test. */
static inline dal_system *gallery_compile_text(const char *text, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", family, messages);
        dal_spec_set(spec, "formulation", formulation, messages);
        dal_compile(NULL, spec, messages, &system);
    }
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        if (m->severity == DAL_ERROR)
            fail_msg("%s, %s: %s", family, formulation, m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

#ifndef DAL_SCALAR_VARIANT

/* work.q and work.v, whatever they are, become the state: momenta, speeds and y follow from them. */
static inline void gallery_adopt(dal_state *state)
{
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    if (state->layout->curved)
        dal_roots_start(state);
    if (state->system->method.formulation->ignores)
        dal_state_momenta(state, state->speeds->momenta, NULL);
    if (state->system->method.formulation->chooses)
        dal_speeds_choose(state);
    assert_int_equal(dal_state_pack(state, state->y), 0);
}

/* y at time t on the constraints, followed there from the start: drives move the bodies farther than one correction goes. */
static inline bool gallery_follow(dal_state *state, double t)
{
    enum { PARTS = 40 };
    for (int i = 1; i <= PARTS; i++) {
        const double now = t * i / PARTS;
        if (state->system->method.stabilization->project(state, now, state->y))
            return false;
        dal_state_unpack(state, now, state->y);
        dal_state_position(state);
        dal_state_unwind(state);
    }
    return true;
}

/* Move y to a random state near the start that satisfies the constraints at time t; speeds of the order of `speed`. False where the shift leads too
 * far off: who compares states counts those that there were. */
static inline bool gallery_random_state(dal_state *state, uint64_t *seed, double t, double shift, double speed)
{
    const dal_layout *layout = &state->system->layout;
    double *dv = calloc((size_t)layout->nv + 1, sizeof *dv);
    dal_state_reset(state);
    bool driven = false;
    for (int j = 0; j < layout->mechanism->n_joints; j++)
        driven = driven || layout->mechanism->joints[j].drive >= 0;
    if (driven && t > 0 && !gallery_follow(state, t))
        dal_state_reset(state);
    dal_state_set_time(state, t);
    for (int k = 0; k < layout->nv; k++)
        dv[k] = shift * check_random(seed) * state->system->layout.units.length / state->system->layout.units.column_scale[k];
    layout->family->add(layout, state->y, dv);
    for (int k = layout->nq; k < layout->nq + state->system->n_w; k++)
        state->y[k] = state->layout->curved ? state->y[k] * (1 + 0.2 * check_random(seed)) : speed * check_random(seed); /* near a root */
    for (int k = layout->nq + state->system->n_w; k < state->system->n_y; k++)
        state->y[k] = check_random(seed);
    free(dv);
    if (state->system->method.stabilization->project(state, t, state->y))
        return false;
    dal_state_unpack(state, t, state->y);
    dal_state_position(state);
    dal_state_unwind(state);
    return true;
}

/* The same motion of the bodies, in the coordinates of another system of the same model. */
static inline void gallery_copy_motion(const dal_state *from, dal_state *to)
{
    const dal_layout *layout = &to->system->layout;
    const int bodies = layout->mechanism->n_bodies;
    static const int zxz[3] = {2, 0, 2};
    dal_state_reset(to);
    dal_state_set_time(to, from->work.t);
    if (layout->placement) { /* the same coordinates */
        memcpy(to->work.q, from->work.q, sizeof(double) * (size_t)layout->nq);
        memcpy(to->work.v, from->work.v, sizeof(double) * (size_t)layout->nv);
    } else if (layout->family->shares) {
        for (int b = 0; b < bodies; b++) {
            const dal_kin *kin = &from->work.kin[b];
            memcpy(to->work.kin[b].r, kin->r, sizeof kin->r);
            memcpy(to->work.kin[b].R, kin->R, sizeof kin->R);
            memcpy(to->work.kin[b].rd, kin->rd, sizeof kin->rd);
            memcpy(to->work.kin[b].w, kin->w, sizeof kin->w);
        }
        layout->family->place(layout, &to->work, -1, NULL, NULL);
        layout->family->position(layout, &to->work);
        layout->family->move(layout, &to->work, -1, NULL, NULL);
    }
    for (int pass = 0; pass < 2 && !layout->family->shares; pass++)
        for (int b = 0; b < bodies; b++) {
            const dal_kin *kin = &from->work.kin[b];
            layout->family->place(layout, &to->work, b, kin->r, kin->R);
            if (pass == 0 && layout->family->condition && layout->family->condition(layout, &to->work, b) < 0.4) {
                memcpy(to->work.chart + 3 * b, zxz, sizeof zxz);
                layout->family->place(layout, &to->work, b, kin->r, kin->R);
            }
        }
    if (!layout->family->shares) {
        layout->family->position(layout, &to->work);
        for (int b = 0; b < bodies; b++)
            layout->family->move(layout, &to->work, b, from->work.kin[b].rd, from->work.kin[b].w);
    }
    memcpy(to->work.winding, from->work.winding, sizeof(double) * (size_t)layout->mechanism->n_windings);
    gallery_adopt(to);
    const int here = layout->nq + to->system->n_w, there = from->system->layout.nq + from->system->n_w;
    for (int i = 0; here + i < to->system->n_y; i++)
        to->y[here + i] = from->y[there + i];
}

#endif

#endif
