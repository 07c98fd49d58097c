/* The equations of motion as text for people and as JSON. What a table looks like: tables.h. */
#include "base/printer.h"
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
    dal_print(&p->out, "  m = %d, %d constraint%s of rank k = %d, p = m - k = %d; %d equation%s, %d multiplier%s\n", i->velocities,
              i->constraints, i->constraints == 1 ? "" : "s", e->rank, i->velocities - e->rank, i->equations, i->equations == 1 ? "" : "s",
              i->multipliers, i->multipliers == 1 ? "" : "s");
}

/* The unknowns that are accelerations need not be printed twice. */
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

/* {"name": value, ...} */
static void print_object(dal_printer *p, const dal_decimal_table *decimals, const char *key, dal_equation_values values)
{
    dal_print(p, "\"%s\": {", key);
    for (int i = 0; i < values.n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        dal_print_string(p, values.names[i]);
        dal_print(p, ": ");
        dal_json_number(p, decimals, values.values[i]);
    }
    dal_print(p, "}");
}

static void print_block(dal_printer *p, const dal_decimal_table *decimals, const dal_equation_block *block)
{
    dal_print(p, "  {");
    dal_print_entry(p, "name", block->name);
    dal_print(p, ", ");
    dal_print_entry(p, "title", block->title);
    dal_print(p, ",\n   ");
    dal_json_names(p, "rows", block->rows, block->row_names);
    dal_print(p, ",\n   ");
    dal_json_names(p, "columns", block->columns, block->column_names);
    dal_print(p, ",\n   \"values\": [");
    for (int i = 0; i < block->rows; i++) {
        dal_print(p, "%s", i ? ",\n              " : "");
        dal_json_numbers(p, decimals, block->columns, block->values + (size_t)i * (size_t)block->columns);
    }
    dal_print(p, "]}");
}

static void print_places(dal_printer *p, const char *key, const dal_equations *e, int n, const dal_equation_place *places)
{
    dal_print(p, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        dal_print(p, "%s{", i ? ", " : "");
        dal_print_entry(p, "block", e->blocks[places[i].block].name);
        if (places[i].times >= 0) {
            dal_print(p, ", ");
            dal_print_entry(p, "times", e->blocks[places[i].times].name);
        }
        dal_print(p, ", \"row\": %d, \"column\": %d, \"transposed\": %s, \"factor\": %.17g}", places[i].row, places[i].column,
                  places[i].transposed ? "true" : "false", places[i].factor);
    }
    dal_print(p, "]");
}

int dal_equations_json(const dal_equations *e, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_printer p = {buffer, size, 0};
    const dal_system_info *i = &e->info;
    dal_decimal_table decimals;
    dal_decimal_prepare(&decimals);
    dal_print(&p, "{");
    dal_print_entry(&p, "model", i->model);
    dal_print(&p, ", ");
    dal_print_entry(&p, "model_hash", i->model_hash);
    dal_print(&p, ", ");
    dal_print_entry(&p, "version", i->version);
    dal_print(&p, ",\n ");
    dal_print_entry(&p, "formulation", i->formulation);
    dal_print(&p, ", ");
    dal_print_entry(&p, "coordinates", i->coordinates);
    dal_print(&p, ", \"time\": ");
    dal_json_number(&p, &decimals, e->time);
    dal_print(&p, ",\n ");
    dal_print_entry(&p, "title", e->title);
    dal_print(&p, ",\n ");
    dal_print_entry(&p, "equation", e->equation);
    dal_print(&p, ", ");
    dal_print_entry(&p, "source", e->source);
    dal_print(&p,
              ",\n \"sizes\": {\"coordinates\": %d, \"velocities\": %d, \"constraints\": %d, \"rank\": %d, \"freedoms\": %d, "
              "\"equations\": %d, \"multipliers\": %d},\n ",
              i->coordinates_count, i->velocities, i->constraints, e->rank, i->velocities - e->rank, i->equations, i->multipliers);
    dal_print(&p, "\"state\": {");
    print_object(&p, &decimals, "coordinates", e->coordinates);
    dal_print(&p, ",\n  ");
    print_object(&p, &decimals, "velocities", e->velocities);
    dal_print(&p, ",\n  ");
    print_object(&p, &decimals, "speeds", e->speeds);
    dal_print(&p, "},\n \"blocks\": [\n");
    for (int k = 0; k < e->n_blocks; k++) {
        dal_print(&p, "%s", k ? ",\n" : "");
        print_block(&p, &decimals, &e->blocks[k]);
    }
    dal_print(&p, "],\n ");
    print_places(&p, "matrix", e, e->n_places, e->places);
    dal_print(&p, ",\n ");
    print_places(&p, "right", e, e->n_rights, e->rights);
    dal_print(&p, ",\n ");
    dal_json_names(&p, "unknowns", e->solution.n, e->solution.names);
    dal_print(&p, ",\n \"solution\": ");
    dal_json_numbers(&p, &decimals, e->solution.n, e->solution.values);
    dal_print(&p, ",\n ");
    print_object(&p, &decimals, "accelerations", e->accelerations);
    dal_print(&p, "}\n");
    return p.length;
}
