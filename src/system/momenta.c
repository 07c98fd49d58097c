/* Momenta of the ignorable coordinates, and what makes a coordinate ignorable. */
#include "math/vec.h"
#include "system/system.h"

#include <string.h>

/* dT/dv_k = sum over bodies of m c' . dc'/dv_k + I w . dw/dv_k: the momentum of each body, as a wrench at r, pulled back. */
void dal_state_momenta(dal_state *state, double *momenta)
{
    const dal_layout *layout = &state->system->layout;
    const dal_work *w = &state->work;
    double *all = state->saddle_rhs;
    memset(all, 0, sizeof *all * (size_t)layout->nv);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &w->kin[b];
        double rho[3], P[3], H[3], I[9];
        dal_turn(kin->R, body->center, rho);
        dal_turn(kin->Rd, body->center, P);
        for (int i = 0; i < 3; i++)
            P[i] = body->mass * (P[i] + kin->rd[i]);
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_mul3(I, kin->w, H);
        dal_add_cross(rho, P, H);
        dal_pull_body(layout, w, b, P, H, all);
    }
    for (int i = 0; i < state->system->n_ignorable; i++)
        momenta[i] = all[state->system->ignorable[i]];
}
