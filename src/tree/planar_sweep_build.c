/* The constants of a sweep in the plane, from those of the sweep in space.
 *
 * A link of a planar model turns about +z or -z, or shifts in the plane. Its axes are those of its joint: R = P C, C constant, P a turn about
 * z. The frame before the joint has R_p E = P_p C_p E, and a turn by q about the link's own z axis C^T (s z) is a turn by s q about z: so
 * C = C_p E, P = P_p Rz(s q), and all constants of a link and its vectors are taken by C into the axes of P.
 */
#include "tree/sweep.h"

#include "math/vec.h"

#include <math.h>

/* Axes come from products of rotations: larger parts out of the plane are no rounding. */
static const double out_of_plane = 1e-12;

typedef struct frame {
    double C[9], height; /* C by rows; of the link's origin above the plane */
} frame;

static const frame ground = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 0};

static double moment_about_z(const double I[6], const double C[9])
{
    const double *a = C + 6;
    return I[0] * a[0] * a[0] + I[1] * a[1] * a[1] + I[2] * a[2] * a[2] + 2 * (I[3] * a[0] * a[1] + I[4] * a[1] * a[2] + I[5] * a[0] * a[2]);
}

/* False: the link leaves the plane. `from`: the frame of its parent. */
static bool flatten_link(const dal_link *link, const frame *from, frame *own, dal_planar_link *out)
{
    double p[3], moment[3], E[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            E[3 * i + j] = link->fixed[j][i];
    dal_mul33(from->C, E, own->C);
    dal_mul3(from->C, link->p, p);
    dal_mul3(own->C, link->moment, moment);
    own->height = from->height + p[2];
    *out = (dal_planar_link){.p = {p[0], p[1]},
                             .moment = {moment[0], moment[1]},
                             .mass = link->mass,
                             .inertia = moment_about_z(link->inertia, own->C),
                             .parent = link->parent,
                             .q = link->q,
                             .v = link->v,
                             .kind = link->kind};
    if (link->kind == DAL_LINK_TURN) {
        out->sign = own->C[8] > 0 ? 1 : -1;
        return fabs(own->C[2]) < out_of_plane && fabs(own->C[5]) < out_of_plane;
    }
    out->axis[0] = own->C[2];
    out->axis[1] = own->C[5];
    return link->kind == DAL_LINK_SHIFT && fabs(own->C[8]) < out_of_plane;
}

static bool flatten_links(const dal_links *links, const dal_sweep *sweep, frame *own, dal_planar *planar)
{
    for (int i = 0; i < sweep->n_links; i++) {
        const int parent = links->link[i].parent;
        if (!flatten_link(&sweep->link[i], parent < 0 ? &ground : &own[parent], &own[i], &planar->link[i]))
            return false;
    }
    return true;
}

/* The link at a place of the ring, of those that block k meets: the closures of a block are about links that are in the ring then. */
static int link_at(const dal_sweep *sweep, int place, int k)
{
    const int per_block = sweep->most_links + 1, slot = place / per_block;
    int block = k;
    while (block % sweep->n_ring != slot)
        block++;
    return sweep->block[block].link + place % per_block - 1;
}

static void flatten_vectors(const dal_sweep *sweep, const frame *own, dal_planar *planar)
{
    const dal_sweep_closure *closure = sweep->closure;
    int n = 0;
    for (int k = sweep->n_blocks - 1; k >= 0; k--)
        for (int c = 0; c < sweep->block[k].n_closures; c++, closure++)
            for (int i = 0; i < closure->n_vectors; i++, n++) {
                const dal_sweep_vector *from = &sweep->vector[n];
                double s[3];
                dal_mul3((from->at < 0 ? &ground : &own[link_at(sweep, from->at, k)])->C, from->s, s);
                planar->vector[n] = (dal_planar_vector){from->at, from->point, {s[0], s[1]}};
            }
}

/* Parts of side s of a row: the vectors of its terms that lie on it. */
static int flatten_parts(const dal_sweep_term *terms, int n_terms, const dal_sweep_vector *vectors, int s, dal_planar_part *out)
{
    int n = 0;
    for (int k = 0; k < n_terms; k++)
        for (int j = 0; j < 4; j++)
            if (terms[k].side[j] == s) {
                const double sign = j % 2 ? -1 : 1;
                const int vector = terms[k].vector[j];
                out[n++] = (dal_planar_part){(short)(2 * k + j / 2), (short)vector, sign, vectors[vector - DAL_SWEEP_AXES].point ? sign : 0};
            }
    return n;
}

static void flatten_rows(const dal_sweep *sweep, dal_planar *planar)
{
    const dal_sweep_row *row = sweep->row;
    const dal_sweep_term *term = sweep->term;
    const dal_sweep_vector *vector = sweep->vector;
    for (int c = 0; c < sweep->n_closures; c++) {
        const dal_sweep_closure *closure = &sweep->closure[c];
        for (int i = 0; i < closure->n_rows; i++, row++) {
            for (int s = 0; s < row->n_sides; s++) {
                const int n = flatten_parts(term, row->n_terms, vector, s, planar->part + planar->n_parts);
                planar->side_parts[planar->n_sides++] = n;
                planar->n_parts += n;
            }
            term += row->n_terms;
        }
        vector += closure->n_vectors;
    }
    for (int k = 0; k < sweep->n_terms; k++) {
        planar->term[k].coef = sweep->term[k].coef;
        for (int j = 0; j < 4; j++) {
            const signed char number = sweep->term[k].vector[j];
            planar->term[k].vector[j] = number < 0 ? 2 : number; /* the axis z */
        }
    }
}

static void flatten_watched(const dal_links *links, const dal_sweep *sweep, const frame *own, dal_planar *planar)
{
    for (int i = 0; i < sweep->n_watched; i++) {
        const frame *at = &own[links->seat[sweep->watched[i].body].link];
        planar->watched[i].height = at->height;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                planar->watched[i].axes[j][k] = at->C[3 * k + j];
    }
}

dal_planar *dal_planar_build(dal_arena *arena, const dal_links *links, const dal_loops *loops, const dal_layout *layout, const dal_sweep *sweep)
{
    if (layout->mechanism->space != DAL_PLANAR)
        return NULL;
    dal_planar *planar = DAL_NEW(arena, dal_planar, 1);
    frame *own = DAL_NEW(arena, frame, sweep->n_links);
    planar->n_links = sweep->n_links;
    planar->n_vectors = sweep->n_vectors;
    planar->n_terms = sweep->n_terms;
    planar->n_watched = sweep->n_watched;
    planar->n_slots = loops->n_slots;
    planar->link = DAL_NEW(arena, dal_planar_link, planar->n_links);
    planar->vector = DAL_NEW(arena, dal_planar_vector, planar->n_vectors);
    planar->term = DAL_NEW(arena, dal_planar_term, planar->n_terms);
    planar->part = DAL_NEW(arena, dal_planar_part, 4 * planar->n_terms);
    planar->side_parts = DAL_NEW(arena, int, sweep->n_sides);
    planar->watched = DAL_NEW(arena, dal_planar_watched, planar->n_watched);
    if (!flatten_links(links, sweep, own, planar))
        return NULL;
    flatten_vectors(sweep, own, planar);
    flatten_rows(sweep, planar);
    flatten_watched(links, sweep, own, planar);
    return planar;
}

const dal_block_array dal_planar_arrays[] = {DAL_ARRAY(dal_planar, link, n_links),
                                             DAL_ARRAY(dal_planar, vector, n_vectors),
                                             DAL_ARRAY(dal_planar, term, n_terms),
                                             DAL_ARRAY(dal_planar, part, n_parts),
                                             DAL_ARRAY(dal_planar, side_parts, n_sides),
                                             DAL_ARRAY(dal_planar, watched, n_watched),
                                             {0}};

/* ---- work space ----------------------------------------------------------------------- */

enum { RECORD, MOTION, COVECTOR, PLACE, INERTIA, ROWS, SINE, COSINE, ARRAYS };

static void count_doubles(const dal_sweep *sweep, size_t out[ARRAYS])
{
    const dal_planar *planar = sweep->planar;
    const size_t ring = (size_t)sweep->n_ring * (size_t)(sweep->most_links + 1), links = (size_t)planar->n_links;
    const size_t slots = sweep->complete ? (size_t)planar->n_slots : (size_t)sweep->n_ring * (size_t)sweep->most_slots;
    out[RECORD] = links * DAL_DOUBLES(dal_planar_record);
    out[MOTION] = (links + 1) * DAL_DOUBLES(dal_planar_wrench);
    out[COVECTOR] = (size_t)sweep->n_sides * DAL_DOUBLES(dal_planar_wrench);
    out[PLACE] = ring * DAL_DOUBLES(dal_planar_motion);
    out[INERTIA] = ring * DAL_DOUBLES(dal_planar_inertia);
    out[ROWS] = slots * DAL_DOUBLES(dal_planar_wrench);
    out[SINE] = out[COSINE] = ring;
}

size_t dal_planar_work_size(const dal_sweep *sweep)
{
    size_t n[ARRAYS], sum = 0;
    count_doubles(sweep, n);
    for (int i = 0; i < ARRAYS; i++)
        sum += dal_whole_lines(n[i]);
    return sum;
}

void dal_planar_work_layout(const dal_sweep *sweep, double *memory, dal_planar_work *work)
{
    size_t n[ARRAYS];
    double *at[ARRAYS];
    count_doubles(sweep, n);
    for (int i = 0; i < ARRAYS; memory += dal_whole_lines(n[i]), i++)
        at[i] = memory;
    work->record = (dal_planar_record *)(void *)at[RECORD];
    work->motion = (dal_planar_wrench *)(void *)at[MOTION] + 1;
    work->covector = (dal_planar_wrench *)(void *)at[COVECTOR];
    work->place = (dal_planar_motion *)(void *)at[PLACE];
    work->inertia = (dal_planar_inertia *)(void *)at[INERTIA];
    work->K = (dal_planar_wrench *)(void *)at[ROWS];
    work->sine = at[SINE];
    work->cosine = at[COSINE];
}
