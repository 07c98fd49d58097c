/* The equations of motion as text for people and as JSON. What a table looks like: tables.h. */
#include "analysis/tables.h"
#include "dalembert/equations.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------- */

static void print_values(dal_tables *p, const char *name, const char *title, dal_equation_values values)
{
    if (!values.n)
        return;
    const dal_equation_block block = {name, title, values.n, 1, values.values, values.names, &name};
    dal_print_blocks(p, &block, 1);
}

/* q and v side by side, where v is q'. */
static void print_state(dal_tables *p, const dal_equations *e)
{
    bool same = e->coordinates.n == e->velocities.n;
    for (int i = 0; i < e->coordinates.n && same; i++) {
        size_t n = strlen(e->coordinates.names[i]);
        same = !strncmp(e->coordinates.names[i], e->velocities.names[i], n) && !strcmp(e->velocities.names[i] + n, "'");
    }
    if (same) {
        static const char *const names[] = {"q", "v"};
        const dal_equation_block both[] = {
            {names[0], "the coordinates", e->coordinates.n, 1, e->coordinates.values, e->coordinates.names, names},
            {names[1], "the velocities, v = q'", e->velocities.n, 1, e->velocities.values, e->coordinates.names, names + 1}};
        dal_print_blocks(p, both, 2);
    } else {
        print_values(p, "q", "the coordinates", e->coordinates);
        print_values(p, "v", "the velocities", e->velocities);
    }
    print_values(p, "u", "the speeds", e->speeds);
}

static void print_head(dal_tables *p, const dal_equations *e)
{
    const dal_system_info *i = &e->info;
    dal_print(&p->out, "%s: %s, coordinates %s, at t = %.*g s\n", i->model, i->formulation, i->coordinates, p->digits, e->time);
    dal_print(&p->out, "  %s\n", e->title);
    dal_print(&p->out, "  %s", e->equation);
    dal_print(&p->out, "%s%s\n", e->source[0] ? "    -- " : "", e->source);
    dal_print(&p->out, "  m = %d, %d constraint%s of rank k = %d, p = m - k = %d; %d equation%s, %d multiplier%s\n", i->velocities, i->constraints,
              i->constraints == 1 ? "" : "s", e->rank, i->velocities - e->rank, i->equations, i->equations == 1 ? "" : "s", i->multipliers,
              i->multipliers == 1 ? "" : "s");
}

/* Unknowns that are accelerations are not printed twice. */
static bool solves_for_accelerations(const dal_equations *e)
{
    return e->solution.n >= e->accelerations.n &&
           !memcmp(e->solution.values, e->accelerations.values, sizeof *e->solution.values * (size_t)e->accelerations.n) &&
           !memcmp(e->solution.names, e->accelerations.names, sizeof *e->solution.names * (size_t)e->accelerations.n);
}

int dal_equations_text(const dal_equations *e, int digits, int width, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_tables p = dal_tables_begin(digits, width, buffer, size);
    print_head(&p, e);
    print_state(&p, e);
    for (int i = 0; i < e->n_blocks;) {
        bool empty = !e->blocks[i].rows || !e->blocks[i].columns;
        i += empty ? 1 : dal_print_blocks(&p, e->blocks + i, e->n_blocks - i);
    }
    print_values(&p, "x", "the solution", e->solution);
    if (!solves_for_accelerations(e))
        print_values(&p, "v'", "the accelerations that follow", e->accelerations);
    return p.out.length;
}

/* ---- JSON -------------------------------------------------------------------------- */

static void write_block(dal_json *json, const dal_equation_block *block)
{
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "name", block->name);
    dal_json_string(json, "title", block->title);
    dal_json_strings(dal_json_line(json, "\n   "), "rows", block->rows, block->row_names);
    dal_json_strings(dal_json_line(json, "\n   "), "columns", block->columns, block->column_names);
    dal_json_matrix(dal_json_line(json, "\n   "), "values", block->rows, block->columns, block->values, "\n              ");
    dal_json_close(json, '}');
}

static void write_places(dal_json *json, const char *key, const dal_equations *e, int n, const dal_equation_place *places)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "block", e->blocks[places[i].block].name);
        if (places[i].times >= 0)
            dal_json_string(json, "times", e->blocks[places[i].times].name);
        dal_json_integer(json, "row", places[i].row);
        dal_json_integer(json, "column", places[i].column);
        dal_json_truth(json, "transposed", places[i].transposed);
        dal_json_print(json, "factor", "%.17g", places[i].factor);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void write_sizes(dal_json *json, const dal_equations *e)
{
    const dal_system_info *i = &e->info;
    dal_json_open(dal_json_line(json, "\n "), "sizes", '{');
    dal_json_integer(json, "coordinates", i->coordinates_count);
    dal_json_integer(json, "velocities", i->velocities);
    dal_json_integer(json, "constraints", i->constraints);
    dal_json_integer(json, "rank", e->rank);
    dal_json_integer(json, "freedoms", i->velocities - e->rank);
    dal_json_integer(json, "equations", i->equations);
    dal_json_integer(json, "multipliers", i->multipliers);
    dal_json_close(json, '}');
}

/* {"name": value, ...} on a line of its own, unless `line` is NULL. */
static void write_values(dal_json *json, const char *line, const char *key, dal_equation_values values)
{
    dal_json_named(dal_json_line(json, line), key, values.n, values.names, values.values);
}

static void write_equations(dal_json *json, const void *of)
{
    const dal_equations *e = of;
    dal_json_open(json, NULL, '{');
    dal_json_members(json, dal_heading, &e->info);
    dal_json_number(json, "time", e->time);
    dal_json_string(dal_json_line(json, "\n "), "title", e->title);
    dal_json_string(dal_json_line(json, "\n "), "equation", e->equation);
    dal_json_string(json, "source", e->source);
    write_sizes(json, e);
    dal_json_open(dal_json_line(json, "\n "), "state", '{');
    write_values(json, NULL, "coordinates", e->coordinates);
    write_values(json, "\n  ", "velocities", e->velocities);
    write_values(json, "\n  ", "speeds", e->speeds);
    dal_json_close(json, '}');
    dal_json_open(dal_json_line(json, "\n "), "blocks", '[');
    for (int k = 0; k < e->n_blocks; k++)
        write_block(dal_json_line(json, "\n  "), &e->blocks[k]);
    dal_json_close(json, ']');
    write_places(dal_json_line(json, "\n "), "matrix", e, e->n_places, e->places);
    write_places(dal_json_line(json, "\n "), "right", e, e->n_rights, e->rights);
    dal_json_strings(dal_json_line(json, "\n "), "unknowns", e->solution.n, e->solution.names);
    dal_json_numbers(dal_json_line(json, "\n "), "solution", e->solution.n, e->solution.values);
    write_values(json, "\n ", "accelerations", e->accelerations);
    dal_json_close(json, '}');
}

int dal_equations_json(const dal_equations *e, char *buffer, size_t size)
{
    return e ? dal_json_text(buffer, size, write_equations, e) : -1;
}
