/* Values of signals from the kinematics. One small function a kind, chosen by a table. */
#include "force/signal.h"

#include "math/vec.h"

typedef dal_real reader(const dal_work *work, const dal_real *states, const dal_real *inputs, const dal_signal *signal);

static dal_real read_time(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)z, (void)u, (void)s;
    return w->t;
}

static dal_real read_input(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)w, (void)z;
    return u[s->index];
}

static dal_real read_state(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)w, (void)u;
    return z[s->index];
}

static dal_real read_measure(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)z, (void)u;
    return s->order ? w->rate[s->index] : w->value[s->index] + s->zero;
}

static dal_real read_vector(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)z, (void)u;
    return (s->order ? w->xd : w->x)[3 * s->index + s->component];
}

static dal_real read_omega(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)z, (void)u;
    return w->kin[s->index].w[s->component];
}

static dal_real read_omega_body(const dal_work *w, const dal_real *z, const dal_real *u, const dal_signal *s)
{
    (void)z, (void)u;
    dal_real body[3];
    dal_mulT3(w->kin[s->index].R, w->kin[s->index].w, body);
    return body[s->component];
}

dal_real dal_signal_value(const dal_work *work, const dal_real *states, const dal_real *inputs, const dal_signal *signal)
{
    static reader *const readers[DAL_SIGNAL_KINDS_OF_MOTION] = {read_time,   read_input, read_state,     read_measure,
                                                                read_vector, read_omega, read_omega_body};
    return readers[signal->kind](work, states, inputs, signal);
}
