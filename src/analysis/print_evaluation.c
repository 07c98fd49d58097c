/* An evaluation as text for people and as JSON. */
#include "analysis/tables.h"
#include "dalembert/evaluation.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 12 }; /* rows of a matrix in the text, unless everything is requested */

/* ---- what is printed as text and as JSON ------------------------------------------------ */

/* Numbers, one for each coordinate or each rate, or three. `values` is the offset in dal_evaluation. */
typedef struct quantity {
    const char *symbol, *title, *key; /* in the text: its symbol or unit, its title; in JSON */
    size_t values;
    bool often_zero; /* the text has it only if a number is not zero */
} quantity;

static const quantity of_coordinates[] = {{"q", "the coordinates", "q", offsetof(dal_evaluation, q), false},
                                          {"q'", "their rates, N v", "qdot", offsetof(dal_evaluation, qd), false}};

enum { RATES, ACCELERATIONS, BIAS, OF_RATES = 6 };
static const quantity of_rates[OF_RATES] = {
    [RATES] = {"v", "the rates", "rates", offsetof(dal_evaluation, v), false},
    [ACCELERATIONS] = {"v'", "the accelerations", "accelerations", offsetof(dal_evaluation, vd), false},
    [BIAS] = {"bias", "C v + g, on the left side", "bias", offsetof(dal_evaluation, bias), false},
    {"gravity", "g, of the bias", "gravity", offsetof(dal_evaluation, gravity), false},
    {"applied", "forces of the other elements of the model", "applied", offsetof(dal_evaluation, applied), true},
    {"forces", "forces that were given", "forces", offsetof(dal_evaluation, forces), true}};

enum { TRIPLES = 4 };
static const quantity triples[TRIPLES] = {{"m", "centre of mass", "center", offsetof(dal_evaluation, center), false},
                                          {"kg m/s", "linear momentum", "linear", offsetof(dal_evaluation, linear), false},
                                          {"kg m^2/s", "angular, about origin", "angular", offsetof(dal_evaluation, angular), false},
                                          {"kg m^2/s", "angular, about centre", "angular_center", offsetof(dal_evaluation, angular_center), false}};

static const double *values_of(const dal_evaluation *e, const quantity *of)
{
    return *(const double *const *)((const char *)e + of->values);
}

static const double *triple_of(const dal_evaluation *e, const quantity *of)
{
    return (const double *)((const char *)e + of->values);
}

/* ---- text ----------------------------------------------------------------------------- */

/* Vectors over the same rows, one block each: NULL is omitted. */
typedef struct vectors {
    int n;
    dal_equation_block block[OF_RATES + 2];
} vectors;

static void add_vector(vectors *v, const char *const *name, const char *title, int rows, const char *const *rows_names, const double *values)
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
    vectors v = {0};
    for (int k = 0; k < 2; k++)
        add_vector(&v, &of_coordinates[k].symbol, of_coordinates[k].title, e->nq, e->coordinates, values_of(e, &of_coordinates[k]));
    print_vectors(p, &v);
}

static void print_rates(dal_tables *p, const dal_evaluation *e)
{
    static const char *const names[] = {"torques", "missing"};
    const dal_inverse *i = e->inverse;
    vectors v = {0};
    for (int k = 0; k < OF_RATES; k++) {
        const double *values = values_of(e, &of_rates[k]);
        const bool shown = k == ACCELERATIONS ? e->determined : !of_rates[k].often_zero || any(e->nv, values);
        const char *title = i && k == ACCELERATIONS ? "the accelerations, with the torques" : of_rates[k].title;
        add_vector(&v, &of_rates[k].symbol, title, e->nv, e->rates, shown ? values : NULL);
    }
    add_vector(&v, &names[0], "what the actuators do", e->nv, e->rates, i ? i->torques : NULL);
    add_vector(&v, &names[1], "accelerations that result, less the wanted ones", e->nv, e->rates, i && !i->achieved ? i->missing : NULL);
    print_vectors(p, &v);
}

static void print_inverse(dal_tables *p, const dal_inverse *inverse)
{
    static const char *const name = "tau";
    dal_print(&p->out, "\n%s\n", inverse->text);
    if (!inverse->motors)
        return;
    const dal_equation_block block = {name, "the motors", inverse->n_actuators, 1, inverse->actuators.values, inverse->actuators.names, &name};
    dal_print_blocks(p, &block, 1);
}

static void print_matrix(dal_tables *p, const char *name, const char *title, int rows, const char *const *row_names, const dal_evaluation *e,
                         const double *values, bool whole)
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

static void print_whole(dal_tables *p, const dal_evaluation *e)
{
    dal_print(&p->out, "\nthe whole\n");
    dal_print(&p->out, "  %-24s kinetic %.*g, potential %.*g, sum %.*g J\n", "energy", p->digits, e->kinetic, p->digits, e->potential, p->digits,
              e->kinetic + e->potential);
    dal_print(&p->out, "  %-24s %.*g kg\n", "mass", p->digits, e->mass);
    for (int i = 0; i < TRIPLES; i++) {
        const double *x = triple_of(e, &triples[i]);
        dal_print(&p->out, "  %-24s %.*g, %.*g, %.*g %s\n", triples[i].title, p->digits, x[0], p->digits, x[1], p->digits, x[2], triples[i].symbol);
    }
}

static void print_rows(dal_tables *p, const dal_evaluation *e)
{
    int width = 4;
    for (int i = 0; i < e->n_rows; i++)
        width = (int)strlen(e->rows[i].name) > width ? (int)strlen(e->rows[i].name) : width;
    dal_print(&p->out, "\nconstraints (%d of rank %d): phi = 0, A v - beta = 0, A v' = gamma; lambda acts as A^T lambda\n", e->n_rows, e->rank);
    dal_print(&p->out, "  %-*s %*s %*s %*s %*s\n", width, "", p->digits + 8, "phi", p->digits + 8, "A v - beta", p->digits + 8, "gamma",
              p->digits + 8, "lambda");
    for (int i = 0; i < e->n_rows; i++) {
        const dal_evaluation_row *row = &e->rows[i];
        dal_print(&p->out, "  %-*s %*.*g %*.*g %*.*g %*.*g%s\n", width, row->name, p->digits + 8, p->digits, row->position, p->digits + 8, p->digits,
                  row->velocity, p->digits + 8, p->digits, row->gamma, p->digits + 8, p->digits, row->multiplier,
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

/* {"name": value, ...}, on a line of its own. */
static void write_coordinates(dal_json *json, const dal_evaluation *e, const quantity *of)
{
    dal_json_named(dal_json_line(json, "\n "), of->key, e->nq, e->coordinates, values_of(e, of));
}

static void write_rates(dal_json *json, const dal_evaluation *e, const char *key, const double *values)
{
    dal_json_named(dal_json_line(json, "\n "), key, e->nv, e->rates, values);
}

static void write_momenta(dal_json *json, const dal_evaluation *e)
{
    dal_json_open(dal_json_line(json, "\n "), "energy", '{');
    dal_json_number(json, "kinetic", e->kinetic);
    dal_json_number(json, "potential", e->potential);
    dal_json_number(json, "total", e->kinetic + e->potential);
    dal_json_close(json, '}');
    dal_json_open(dal_json_line(json, "\n "), "momentum", '{');
    dal_json_number(json, "mass", e->mass);
    for (int i = 0; i < TRIPLES; i++)
        dal_json_numbers(json, triples[i].key, 3, triple_of(e, &triples[i]));
    dal_json_close(json, '}');
}

static void write_constraints(dal_json *json, const dal_evaluation *e)
{
    static const dal_json_member measures[] = {DAL_JSON_MEMBER(dal_evaluation_row, position),    DAL_JSON_MEMBER(dal_evaluation_row, velocity),
                                               DAL_JSON_MEMBER(dal_evaluation_row, gamma),       DAL_JSON_MEMBER(dal_evaluation_row, multiplier),
                                               DAL_JSON_MEMBER(dal_evaluation_row, independent), {0}};
    dal_json_open(dal_json_line(json, "\n "), "constraints", '{');
    dal_json_integer(json, "rank", e->rank);
    dal_json_number(json, "position", e->position_residual);
    dal_json_number(json, "velocity", e->velocity_residual);
    dal_json_open(json, "rows", '[');
    for (int i = 0; i < e->n_rows; i++) {
        const dal_evaluation_row *row = &e->rows[i];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", row->name);
        if (row->joint)
            dal_json_string(json, "joint", row->joint);
        else
            dal_json_null(json, "joint");
        dal_json_members(json, measures, row);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
    dal_json_matrix(dal_json_line(json, "\n "), "jacobian", e->n_rows, e->nv, e->A, "\n  ");
    dal_json_close(json, '}');
}

static void write_reactions(dal_json *json, const dal_evaluation *e)
{
    dal_json_open(dal_json_line(json, "\n "), "reactions", '{');
    for (int i = 0; i < e->n_reactions; i++) {
        const dal_evaluation_reaction *r = &e->reactions[i];
        dal_json_open(dal_json_line(json, "\n  "), r->joint, '{');
        dal_json_numbers(json, "force", 3, r->force);
        dal_json_numbers(json, "torque", 3, r->torque);
        dal_json_truth(json, "unique", r->unique);
        dal_json_close(json, '}');
    }
    dal_json_close(json, '}');
}

static void write_inverse(dal_json *json, const dal_evaluation *e)
{
    static const char *const verdicts[] = {"unique", "least-norm", "too-few"};
    static const dal_json_member members[] = {DAL_JSON_MEMBER(dal_inverse, achieved),
                                              DAL_JSON_MEMBER(dal_inverse, text),
                                              DAL_JSON_MEMBER(dal_inverse, motors),
                                              DAL_JSON_MEMBER_AS("actuator_count", dal_inverse, n_actuators),
                                              DAL_JSON_MEMBER(dal_inverse, freedoms),
                                              DAL_JSON_MEMBER(dal_inverse, rank),
                                              DAL_JSON_MEMBER_AS("norm_length", dal_inverse, length),
                                              DAL_JSON_MEMBER(dal_inverse, moved),
                                              {0}};
    const dal_inverse *i = e->inverse;
    write_rates(json, e, "torques", i->torques);
    dal_json_open(dal_json_line(json, "\n "), "inverse", '{');
    dal_json_string(json, "verdict", verdicts[i->verdict]);
    dal_json_members(json, members, i);
    dal_json_named(dal_json_line(json, "\n "), "actuators", i->n_actuators, i->actuators.names, i->actuators.values);
    write_rates(json, e, "wanted", i->wanted);
    write_rates(json, e, "missing", i->missing);
    dal_json_close(json, '}');
}

static void write_evaluation(dal_json *json, const void *of)
{
    const dal_evaluation *e = of;
    dal_json_open(json, NULL, '{');
    dal_json_members(json, dal_heading, &e->info);
    dal_json_number(json, "time", e->time);
    dal_json_open(dal_json_line(json, "\n "), "names", '{');
    dal_json_strings(json, "q", e->nq, e->coordinates);
    dal_json_strings(json, "rates", e->nv, e->rates);
    dal_json_close(json, '}');
    write_coordinates(json, e, &of_coordinates[0]);
    write_rates(json, e, of_rates[RATES].key, e->v);
    write_coordinates(json, e, &of_coordinates[1]);
    write_rates(json, e, of_rates[ACCELERATIONS].key, e->vd);
    dal_json_truth(dal_json_line(json, "\n "), "determined", e->determined);
    if (e->verdict)
        dal_json_string(json, "verdict", e->verdict);
    for (int i = BIAS; i < OF_RATES; i++)
        write_rates(json, e, of_rates[i].key, values_of(e, &of_rates[i]));
    if (e->inverse)
        write_inverse(json, e);
    dal_json_matrix(dal_json_line(json, "\n "), "mass_matrix", e->nv, e->nv, e->M, "\n  ");
    dal_json_matrix(dal_json_line(json, "\n "), "coriolis_matrix", e->nv, e->nv, e->C, "\n  ");
    write_momenta(json, e);
    write_constraints(json, e);
    write_reactions(json, e);
    dal_json_close(json, '}');
}

int dal_evaluation_json(const dal_evaluation *e, char *buffer, size_t size)
{
    return e ? dal_json_text(buffer, size, write_evaluation, e) : -1;
}
