/* Evaluation of a network: ports exchange their variables, multipliers are solved for. The equations are in network.h. */
#include "component/network.h"

#include "math/dense.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

void dal_network_begin(dal_network *network, const dal_layout *layout, const dal_work *w)
{
    for (int b = 0; b < network->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *force = w->force + 6 * b;
        dal_port_wrench source;
        for (int i = 0; i < 3; i++) {
            source.force[i] = force[i];
            source.torque[i] = force[3 + i];
        }
        dal_body_component_place(network->body[b], w->q + at->q, w->v + at->v, w->chart + 3 * b);
        dal_body_component_source(network->body[b], &source, w->direct + at->v);
    }
    for (int k = 0; k < network->n_times; k++)
        dal_joint_component_signal(network->joint[network->times[k].joint], network->times[k].local, w->time + 3 * network->times[k].global);
    for (int k = 0; k < network->n_turns; k++)
        dal_joint_component_turns(network->joint[network->turns[k].joint], network->turns[k].local, w->winding[network->turns[k].global]);
}

int dal_network_residuals(dal_network *network, double t)
{
    int left = 0;
    for (int c = 0; c < network->n_connections; c++) {
        const dal_connection *at = &network->connection[c];
        dal_port_motion motion;
        dal_body_component_publish(network->body[at->body], at->port, &motion);
        dal_joint_component_receive(network->joint[at->joint], at->side, &motion);
    }
    for (int j = 0; j < network->n_joints; j++) {
        const int own = dal_joint_component_residual(network->joint[j], t, network->residual + network->row[j]);
        left = left ? left : own;
    }
    return left;
}

void dal_network_wrenches(dal_network *network, const dal_real *lambda)
{
    for (int c = 0; c < network->n_connections; c++) {
        const dal_connection *at = &network->connection[c];
        dal_joint_component_publish(network->joint[at->joint], at->side, lambda + network->row[at->joint], &network->wrench[c]);
        dal_body_component_receive(network->body[at->body], at->port, &network->wrench[c]);
    }
}

void dal_network_hold(dal_network *network, const dal_real *lambda)
{
    for (int b = 0; b < network->n_bodies; b++)
        if (network->own_row[b] >= 0)
            dal_body_component_hold(network->body[b], lambda[network->own_row[b]]);
}

#ifndef DAL_SCALAR_VARIANT

void dal_network_accelerate(dal_network *network)
{
    for (int b = 0; b < network->n_bodies; b++)
        dal_body_component_accelerate(network->body[b]);
}

void dal_network_hold_themselves(dal_network *network, double *lambda)
{
    for (int b = 0; b < network->n_bodies; b++)
        if (network->own_row[b] >= 0)
            lambda[network->own_row[b]] = dal_body_component_multiplier(network->body[b]);
    dal_network_hold(network, lambda);
}

/* ---- S -------------------------------------------------------------------------------------- */

/* g_c Y g_d^T of two ports of a body. */
static void add_meeting(dal_network *network, const dal_meeting *at)
{
    const dal_connection *c = &network->connection[at->c], *d = &network->connection[at->d];
    const int rows = network->row[c->joint + 1] - network->row[c->joint], columns = network->row[d->joint + 1] - network->row[d->joint];
    const double *g = dal_joint_component_gradient(network->joint[c->joint], c->side);
    const double *h = dal_joint_component_gradient(network->joint[d->joint], d->side);
    double Y[36], Yh[6];
    dal_body_component_admittance(network->body[c->body], c->port, d->port, Y);
    for (int k = 0; k < columns; k++) {
        for (int i = 0; i < 6; i++) {
            Yh[i] = 0;
            for (int l = 0; l < 6; l++)
                Yh[i] += Y[6 * i + l] * h[6 * k + l];
        }
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int i = 0; i < 6; i++)
                sum += g[6 * r + i] * Yh[i];
            network->S[at->base + (size_t)r * at->row_stride + (size_t)k * at->column_stride] += sum;
        }
    }
}

/* A unit diagonal; rows that are skipped become identities. */
static void scale_dense(dal_network *network, const bool *independent)
{
    const size_t n = (size_t)network->n_rows;
    for (size_t i = 0; i < n; i++)
        network->scale[i] = independent[i] && network->S[i * n + i] > 0 ? 1 / sqrt(network->S[i * n + i]) : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            network->S[i * n + j] = independent[i] && independent[j] ? network->S[i * n + j] * network->scale[i] * network->scale[j] : i == j;
}

static void scale_sparse(dal_network *network, const bool *independent)
{
    for (int j = 0; j < network->n_rows; j++)
        for (int k = network->start[j]; k < network->start[j + 1]; k++)
            if (network->pattern_row[k] == j)
                network->scale[j] = independent[j] && network->S[k] > 0 ? 1 / sqrt(network->S[k]) : 1;
    for (int j = 0; j < network->n_rows; j++)
        for (int k = network->start[j]; k < network->start[j + 1]; k++) {
            const int i = network->pattern_row[k];
            network->S[k] = independent[i] && independent[j] ? network->S[k] * network->scale[i] * network->scale[j] : i == j;
        }
}

void dal_network_assemble(dal_network *network)
{
    memset(network->S, 0, sizeof *network->S * (size_t)network->n_entries);
    for (int k = 0; k < network->n_meetings; k++)
        add_meeting(network, &network->meeting[k]);
}

double dal_network_entry(const dal_network *network, int i, int j)
{
    if (network->dense)
        return network->S[(size_t)i * (size_t)network->n_rows + (size_t)j];
    for (int k = network->start[j]; k < network->start[j + 1]; k++)
        if (network->pattern_row[k] == i)
            return network->S[k];
    return 0;
}

double dal_network_factor(dal_network *network, const bool *independent)
{
    dal_network_assemble(network);
    (network->dense ? scale_dense : scale_sparse)(network, independent);
    return network->dense ? dal_ldlt(network->S, network->n_rows, network->n_rows, network->pivots)
                          : dal_sparse_factor(network->sparse, network->S, false);
}

void dal_network_correct(dal_network *network, const bool *independent)
{
    double *x = network->change;
    for (int i = 0; i < network->n_rows; i++)
        x[i] = independent[i] ? -network->scale[i] * network->residual[i] : 0;
    if (network->dense)
        dal_ldlt_solve(network->S, network->n_rows, network->n_rows, network->pivots, x);
    else
        dal_sparse_solve(network->sparse, x);
    for (int i = 0; i < network->n_rows; i++)
        x[i] *= network->scale[i];
}

#endif
