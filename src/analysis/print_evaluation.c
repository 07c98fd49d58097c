/* An evaluation as text for people and as JSON. */
#include "base/printer.h"
#include "analysis/tables.h"
#include "dalembert/evaluation.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 12 }; /* of a matrix in the text, unless everything is asked for */

/* ---- text ----------------------------------------------------------------------------- */

/* Vectors over the same rows, one block each: NULL is left out. */
typedef struct vectors {
    int n;
    dal_equation_block block[8];
} vectors;

static void add_vector(vectors *v, const char *const *name, const char *title, int rows, const char *const *rows_names,
                       const double *values)
{
    if (values)
        v->block[v->n++] = (dal_equation_block){*name, title, rows, 1, values, rows_names, name};
}

static bool any(int n, const double *values)
{
    for (int i = 0; i < n; i++)
        if (values[i] != 0)
            return true;
    return false;
}

static void print_vectors(dal_tables *p, const vectors *v)
{
    for (int i = 0; i < v->n && v->block[0].rows;)
        i += dal_print_blocks(p, v->block + i, v->n - i);
}

static void print_coordinates(dal_tables *p, const dal_evaluation *e)
{
    static const char *const names[] = {"q", "q'"};
    vectors v = {0};
    add_vector(&v, &names[0], "the coordinates", e->nq, e->coordinates, e->q);
    add_vector(&v, &names[1], "their rates, N v", e->nq, e->coordinates, e->qd);
    print_vectors(p, &v);
}

static void print_rates(dal_tables *p, const dal_evaluation *e)
{
    static const char *const names[] = {"v", "v'", "bias", "gravity", "applied", "forces", "torques", "missing"};
    const dal_inverse *i = e->inverse;
    vectors v = {0};
    add_vector(&v, &names[0], "the rates", e->nv, e->rates, e->v);
    add_vector(&v, &names[1], i ? "the accelerations, with the torques" : "the accelerations", e->nv, e->rates, e->determined ? e->vd : NULL);
    add_vector(&v, &names[2], "C v + g, on the left side", e->nv, e->rates, e->bias);
    add_vector(&v, &names[3], "g, of the bias", e->nv, e->rates, e->gravity);
    add_vector(&v, &names[4], "forces of the other elements of the model", e->nv, e->rates, any(e->nv, e->applied) ? e->applied : NULL);
    add_vector(&v, &names[5], "forces that were given", e->nv, e->rates, any(e->nv, e->forces) ? e->forces : NULL);
    add_vector(&v, &names[6], "what the actuators do", e->nv, e->rates, i ? i->torques : NULL);
    add_vector(&v, &names[7], "accelerations that result, less the wanted ones", e->nv, e->rates, i && !i->achieved ? i->missing : NULL);
    print_vectors(p, &v);
}

static void print_inverse(dal_tables *p, const dal_inverse *inverse)
{
    static const char *const name = "tau";
    dal_print(&p->out, "\n%s\n", inverse->text);
    if (!inverse->motors)
        return;
    const dal_equation_block block = {name, "the motors", inverse->n_actuators, 1, inverse->actuators.values, inverse->actuators.names,
                                      &name};
    dal_print_blocks(p, &block, 1);
}

static void print_matrix(dal_tables *p, const char *name, const char *title, int rows, const char *const *row_names,
                         const dal_evaluation *e, const double *values, bool whole)
{
    if (!rows || !e->nv)
        return;
    if (!whole && (e->nv > MOST_COLUMNS || rows > 4 * MOST_COLUMNS)) {
        dal_print(&p->out, "\n%s (%d x %d): %s; it is printed by --whole and --json\n", name, rows, e->nv, title);
        return;
    }
    const dal_equation_block block = {name, title, rows, e->nv, values, row_names, e->rates};
    dal_print_blocks(p, &block, 1);
}

static void print_triple(dal_tables *p, const char *name, const double x[3], const char *unit)
{
    dal_print(&p->out, "  %-24s %.*g, %.*g, %.*g %s\n", name, p->digits, x[0], p->digits, x[1], p->digits, x[2], unit);
}

static void print_whole(dal_tables *p, const dal_evaluation *e)
{
    dal_print(&p->out, "\nthe whole\n");
    dal_print(&p->out, "  %-24s kinetic %.*g, potential %.*g, sum %.*g J\n", "energy", p->digits, e->kinetic, p->digits, e->potential,
              p->digits, e->kinetic + e->potential);
    dal_print(&p->out, "  %-24s %.*g kg\n", "mass", p->digits, e->mass);
    print_triple(p, "centre of mass", e->center, "m");
    print_triple(p, "linear momentum", e->linear, "kg m/s");
    print_triple(p, "angular, about origin", e->angular, "kg m^2/s");
    print_triple(p, "angular, about centre", e->angular_center, "kg m^2/s");
}

static void print_rows(dal_tables *p, const dal_evaluation *e)
{
    int width = 4;
    for (int i = 0; i < e->n_rows; i++)
        width = (int)strlen(e->rows[i].name) > width ? (int)strlen(e->rows[i].name) : width;
    dal_print(&p->out, "\nconstraints (%d of rank %d): phi = 0, A v - beta = 0, A v' = gamma; lambda acts as A^T lambda\n", e->n_rows,
              e->rank);
    dal_print(&p->out, "  %-*s %*s %*s %*s %*s\n", width, "", p->digits + 8, "phi", p->digits + 8, "A v - beta", p->digits + 8, "gamma",
              p->digits + 8, "lambda");
    for (int i = 0; i < e->n_rows; i++) {
        const dal_evaluation_row *row = &e->rows[i];
        dal_print(&p->out, "  %-*s %*.*g %*.*g %*.*g %*.*g%s\n", width, row->name, p->digits + 8, p->digits, row->position, p->digits + 8,
                  p->digits, row->velocity, p->digits + 8, p->digits, row->gamma, p->digits + 8, p->digits, row->multiplier,
                  row->independent ? "" : "  depends on the others");
    }
}

/* Three components, rounding as zero. */
static void print_components(dal_tables *p, const double x[3], double largest)
{
    for (int i = 0; i < 3; i++)
        dal_print(&p->out, "%s%.*g", i ? ", " : "", p->digits, fabs(x[i]) < p->nothing * largest ? 0 : x[i]);
}

static double largest_component(const dal_evaluation *e)
{
    double most = 0;
    for (int i = 0; i < e->n_reactions; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fmax(fabs(e->reactions[i].force[k]), fabs(e->reactions[i].torque[k])));
    return most;
}

static void print_reactions(dal_tables *p, const dal_evaluation *e)
{
    const double largest = largest_component(e);
    int width = 4;
    for (int i = 0; i < e->n_reactions; i++)
        width = (int)strlen(e->reactions[i].joint) > width ? (int)strlen(e->reactions[i].joint) : width;
    if (e->n_reactions)
        dal_print(&p->out, "\nreactions: force and torque on the second body of the joint at its point, world axes\n");
    for (int i = 0; i < e->n_reactions; i++) {
        const dal_evaluation_reaction *r = &e->reactions[i];
        dal_print(&p->out, "  %-*s  F = ", width, r->joint);
        print_components(p, r->force, largest);
        dal_print(&p->out, " N  T = ");
        print_components(p, r->torque, largest);
        dal_print(&p->out, " N m%s\n", r->unique ? "" : "  (not unique: the least)");
    }
}

int dal_evaluation_text(const dal_evaluation *e, int digits, int width, bool whole, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_tables p = dal_tables_begin(digits, width, buffer, size);
    const dal_system_info *i = &e->info;
    dal_print(&p.out, "%s: coordinates %s, %s, at t = %.*g s\n", i->model, i->coordinates, i->formulation, p.digits, e->time);
    dal_print(&p.out, "  M v' + bias = applied + forces%s + A^T lambda\n", e->inverse ? " + torques" : "");
    print_coordinates(&p, e);
    print_rates(&p, e);
    if (e->verdict)
        dal_print(&p.out, "\nno accelerations and no reactions: %s\n", e->verdict);
    if (e->inverse)
        print_inverse(&p, e->inverse);
    print_matrix(&p, "M", "the mass matrix", e->nv, e->rates, e, e->M, whole);
    print_matrix(&p, "C", "the Coriolis matrix: M' - 2 C is skew-symmetric", e->nv, e->rates, e, e->C, whole);
    print_whole(&p, e);
    if (e->n_rows)
        print_rows(&p, e);
    print_reactions(&p, e);
    return p.out.length;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

typedef struct writer {
    dal_printer out;
    dal_decimal_table decimals;
} writer;

static void print_object(writer *w, const char *key, int n, const char *const *names, const double *values)
{
    dal_print(&w->out, ",\n \"%s\": {", key);
    for (int i = 0; i < n; i++) {
        dal_print(&w->out, "%s", i ? ", " : "");
        dal_print_string(&w->out, names[i]);
        dal_print(&w->out, ": ");
        dal_json_number(&w->out, &w->decimals, values[i]);
    }
    dal_print(&w->out, "}");
}

static void print_nested(writer *w, const char *key, int rows, int columns, const double *values)
{
    dal_print(&w->out, ",\n \"%s\": [", key);
    for (int i = 0; i < rows; i++) {
        dal_print(&w->out, "%s", i ? ",\n  " : "");
        dal_json_numbers(&w->out, &w->decimals, columns, values + (size_t)i * (size_t)columns);
    }
    dal_print(&w->out, "]");
}

static void print_scalar(writer *w, const char *before, const char *key, double x)
{
    dal_print(&w->out, "%s\"%s\": ", before, key);
    dal_json_number(&w->out, &w->decimals, x);
}

static void print_three(writer *w, const char *key, const double x[3])
{
    dal_print(&w->out, ", \"%s\": ", key);
    dal_json_numbers(&w->out, &w->decimals, 3, x);
}

static void json_momenta(writer *w, const dal_evaluation *e)
{
    print_scalar(w, ",\n \"energy\": {", "kinetic", e->kinetic);
    print_scalar(w, ", ", "potential", e->potential);
    print_scalar(w, ", ", "total", e->kinetic + e->potential);
    print_scalar(w, "},\n \"momentum\": {", "mass", e->mass);
    print_three(w, "center", e->center);
    print_three(w, "linear", e->linear);
    print_three(w, "angular", e->angular);
    print_three(w, "angular_center", e->angular_center);
    dal_print(&w->out, "}");
}

static void json_constraints(writer *w, const dal_evaluation *e)
{
    dal_print(&w->out, ",\n \"constraints\": {\"rank\": %d", e->rank);
    print_scalar(w, ", ", "position", e->position_residual);
    print_scalar(w, ", ", "velocity", e->velocity_residual);
    dal_print(&w->out, ", \"rows\": [");
    for (int i = 0; i < e->n_rows; i++) {
        const dal_evaluation_row *row = &e->rows[i];
        dal_print(&w->out, "%s\n  {", i ? "," : "");
        dal_print_entry(&w->out, "name", row->name);
        dal_print(&w->out, ", ");
        if (row->joint)
            dal_print_entry(&w->out, "joint", row->joint);
        else
            dal_print(&w->out, "\"joint\": null");
        print_scalar(w, ", ", "position", row->position);
        print_scalar(w, ", ", "velocity", row->velocity);
        print_scalar(w, ", ", "gamma", row->gamma);
        print_scalar(w, ", ", "multiplier", row->multiplier);
        dal_print(&w->out, ", \"independent\": %s}", row->independent ? "true" : "false");
    }
    dal_print(&w->out, "]");
    print_nested(w, "jacobian", e->n_rows, e->nv, e->A);
    dal_print(&w->out, "}");
}

static void json_reactions(writer *w, const dal_evaluation *e)
{
    dal_print(&w->out, ",\n \"reactions\": {");
    for (int i = 0; i < e->n_reactions; i++) {
        const dal_evaluation_reaction *r = &e->reactions[i];
        dal_print(&w->out, "%s\n  ", i ? "," : "");
        dal_print_string(&w->out, r->joint);
        dal_print(&w->out, ": {\"force\": ");
        dal_json_numbers(&w->out, &w->decimals, 3, r->force);
        print_three(w, "torque", r->torque);
        dal_print(&w->out, ", \"unique\": %s}", r->unique ? "true" : "false");
    }
    dal_print(&w->out, "}");
}

static void json_inverse(writer *w, const dal_evaluation *e)
{
    static const char *const verdicts[] = {"unique", "least-norm", "too-few"};
    const dal_inverse *i = e->inverse;
    print_object(w, "torques", e->nv, e->rates, i->torques);
    dal_print(&w->out, ",\n \"inverse\": {");
    dal_print_entry(&w->out, "verdict", verdicts[i->verdict]);
    dal_print(&w->out, ", \"achieved\": %s, ", i->achieved ? "true" : "false");
    dal_print_entry(&w->out, "text", i->text);
    dal_print(&w->out, ", \"motors\": %s, \"actuator_count\": %d, \"freedoms\": %d, \"rank\": %d", i->motors ? "true" : "false",
              i->n_actuators, i->freedoms, i->rank);
    print_scalar(w, ", ", "norm_length", i->length);
    print_scalar(w, ", ", "moved", i->moved);
    print_object(w, "actuators", i->n_actuators, i->actuators.names, i->actuators.values);
    print_object(w, "wanted", e->nv, e->rates, i->wanted);
    print_object(w, "missing", e->nv, e->rates, i->missing);
    dal_print(&w->out, "}");
}

int dal_evaluation_json(const dal_evaluation *e, char *buffer, size_t size)
{
    if (!e)
        return -1;
    writer w = {.out = {buffer, size, 0}};
    const dal_system_info *i = &e->info;
    dal_decimal_prepare(&w.decimals);
    dal_print(&w.out, "{");
    dal_print_entry(&w.out, "model", i->model);
    dal_print(&w.out, ", ");
    dal_print_entry(&w.out, "model_hash", i->model_hash);
    dal_print(&w.out, ", ");
    dal_print_entry(&w.out, "version", i->version);
    dal_print(&w.out, ",\n ");
    dal_print_entry(&w.out, "formulation", i->formulation);
    dal_print(&w.out, ", ");
    dal_print_entry(&w.out, "coordinates", i->coordinates);
    print_scalar(&w, ", ", "time", e->time);
    dal_print(&w.out, ",\n \"names\": {");
    dal_json_names(&w.out, "q", e->nq, e->coordinates);
    dal_print(&w.out, ", ");
    dal_json_names(&w.out, "rates", e->nv, e->rates);
    dal_print(&w.out, "}");
    print_object(&w, "q", e->nq, e->coordinates, e->q);
    print_object(&w, "rates", e->nv, e->rates, e->v);
    print_object(&w, "qdot", e->nq, e->coordinates, e->qd);
    print_object(&w, "accelerations", e->nv, e->rates, e->vd);
    dal_print(&w.out, ",\n \"determined\": %s", e->determined ? "true" : "false");
    if (e->verdict) {
        dal_print(&w.out, ", ");
        dal_print_entry(&w.out, "verdict", e->verdict);
    }
    print_object(&w, "bias", e->nv, e->rates, e->bias);
    print_object(&w, "gravity", e->nv, e->rates, e->gravity);
    print_object(&w, "applied", e->nv, e->rates, e->applied);
    print_object(&w, "forces", e->nv, e->rates, e->forces);
    if (e->inverse)
        json_inverse(&w, e);
    print_nested(&w, "mass_matrix", e->nv, e->nv, e->M);
    print_nested(&w, "coriolis_matrix", e->nv, e->nv, e->C);
    json_momenta(&w, e);
    json_constraints(&w, e);
    json_reactions(&w, e);
    dal_print(&w.out, "}\n");
    return w.out.length;
}
