/* The equations of motion as text for people and as JSON.
 *
 * Text: a table a block, columns cut into groups that fit the width; vectors that
 * follow each other over the same rows stand side by side. A dot is a zero, up to
 * rounding: a number below 1e-12 of the largest one of its block, or below the
 * digits that were asked for, if these are more than 12.
 */
#include "analysis/printer.h"
#include "dalembert/equations.h"
#include "record/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_OF_ZERO = 12 };
enum { CELL = 48, INDENT = 2, GAP = 2, MOST_SIDE_BY_SIDE = 8, MOST_IN_GROUP = 128 };

typedef struct printer {
    dal_printer out;
    int digits, width;
    double nothing; /* of the largest number of a block */
} printer;

static void print_spaces(printer *p, int n)
{
    if (n > 0)
        dal_print(&p->out, "%*s", n, "");
}

/* Characters, not bytes, of UTF-8. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* ---- tables ---------------------------------------------------------------------- */

/* Vectors side by side, or one matrix. */
typedef struct table {
    int rows, columns;
    const char *const *row_names;
    const dal_equation_block *block[MOST_SIDE_BY_SIDE]; /* one a column, or all columns in the first */
    bool vectors;
    double largest[MOST_SIDE_BY_SIDE];
} table;

static double value_at(const table *t, int row, int column)
{
    return t->vectors ? t->block[column]->values[row] : t->block[0]->values[(size_t)row * (size_t)t->columns + (size_t)column];
}

static const char *column_name(const table *t, int column)
{
    return t->vectors ? t->block[column]->name : t->block[0]->column_names[column];
}

static double largest_of(const dal_equation_block *block)
{
    double largest = 0;
    for (size_t i = 0; i < (size_t)block->rows * (size_t)block->columns; i++)
        largest = fmax(largest, fabs(block->values[i]));
    return largest;
}

static void write_cell(const printer *p, const table *t, int row, int column, char cell[CELL])
{
    double x = value_at(t, row, column);
    if (x == 0 || fabs(x) < p->nothing * t->largest[t->vectors ? column : 0])
        snprintf(cell, CELL, ".");
    else
        snprintf(cell, CELL, "%.*g", p->digits, x);
}

/* Length before the point of a number; points of a column stand under each other. */
static int before_point(const char *cell)
{
    return cell[0] == '.' ? 1 : (int)strcspn(cell, ".e");
}

static int after_point(const char *cell)
{
    return (int)strlen(cell) - before_point(cell);
}

typedef struct column_shape {
    int before, after, width;
} column_shape;

static column_shape shape_of(const printer *p, const table *t, int column)
{
    column_shape shape = {0, 0, 0};
    char cell[CELL];
    for (int i = 0; i < t->rows; i++) {
        write_cell(p, t, i, column, cell);
        int before = before_point(cell), after = after_point(cell);
        shape.before = before > shape.before ? before : shape.before;
        shape.after = after > shape.after ? after : shape.after;
    }
    int heading = width_of(column_name(t, column));
    shape.width = shape.before + shape.after > heading ? shape.before + shape.after : heading;
    return shape;
}

static void print_line(printer *p, const table *t, int row, int first, int last, int stub, const column_shape *shapes)
{
    const char *name = row < 0 ? "" : t->row_names[row];
    char cell[CELL];
    int owed = stub - width_of(name); /* spaces that are printed only if something follows */
    dal_print(&p->out, "%*s%s", INDENT, "", name);
    for (int j = first; j < last; j++) {
        const column_shape shape = shapes[j - first];
        const char *text = row < 0 ? column_name(t, j) : cell;
        if (row >= 0)
            write_cell(p, t, row, j, cell);
        int left = shape.width - (row < 0 ? width_of(text) : shape.after + before_point(cell));
        print_spaces(p, owed + GAP + left);
        dal_print(&p->out, "%s", text);
        owed = row < 0 ? 0 : shape.after - after_point(cell);
    }
    dal_print(&p->out, "\n");
}

static void print_table(printer *p, const table *t)
{
    int stub = 0;
    for (int i = 0; i < t->rows; i++) {
        int n = width_of(t->row_names[i]);
        stub = n > stub ? n : stub;
    }
    for (int first = 0, last; first < t->columns; first = last) {
        column_shape shapes[MOST_IN_GROUP];
        int used = INDENT + stub;
        for (last = first; last < t->columns && last - first < MOST_IN_GROUP; last++) {
            shapes[last - first] = shape_of(p, t, last);
            used += GAP + shapes[last - first].width;
            if (last > first && used > p->width)
                break;
        }
        if (first)
            dal_print(&p->out, "\n");
        print_line(p, t, -1, first, last, stub, shapes);
        for (int i = 0; i < t->rows; i++)
            print_line(p, t, i, first, last, stub, shapes);
    }
}

/* A matrix may have one column too; that of a vector has its name. */
static bool is_vector(const dal_equation_block *block)
{
    return block->columns == 1 && !strcmp(block->name, block->column_names[0]);
}

/* A matrix alone, vectors over the same rows together. */
static int print_blocks(printer *p, const dal_equation_block *blocks, int n)
{
    table t = {.rows = blocks[0].rows, .row_names = blocks[0].row_names, .vectors = is_vector(&blocks[0])};
    int taken = 0;
    for (; taken < n && taken < MOST_SIDE_BY_SIDE; taken++) {
        const dal_equation_block *next = &blocks[taken];
        if (taken && !(t.vectors && is_vector(next) && next->row_names == t.row_names))
            break;
        t.block[taken] = next;
        t.largest[taken] = largest_of(next);
        if (t.vectors)
            dal_print(&p->out, "\n%s (%d): %s", next->name, next->rows, next->title);
        else
            dal_print(&p->out, "\n%s (%d x %d): %s", next->name, next->rows, next->columns, next->title);
    }
    t.columns = t.vectors ? taken : blocks[0].columns;
    dal_print(&p->out, "\n");
    print_table(p, &t);
    return taken;
}

/* ---- text ------------------------------------------------------------------------- */

static void print_values(printer *p, const char *name, const char *title, dal_equation_values values)
{
    if (!values.n)
        return;
    const dal_equation_block block = {name, title, values.n, 1, values.values, values.names, &name};
    print_blocks(p, &block, 1);
}

/* q and v side by side, where v is q'. */
static void print_state(printer *p, const dal_equations *e)
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
        print_blocks(p, both, 2);
    } else {
        print_values(p, "q", "the coordinates", e->coordinates);
        print_values(p, "v", "the velocities", e->velocities);
    }
    print_values(p, "u", "the speeds", e->speeds);
}

static void print_head(printer *p, const dal_equations *e)
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
    printer p = {{buffer, size, 0}, digits < 1 ? 1 : digits > 17 ? 17 : digits, width, 0};
    p.nothing = pow(10, -(digits > DIGITS_OF_ZERO ? digits : DIGITS_OF_ZERO));
    print_head(&p, e);
    print_state(&p, e);
    for (int i = 0; i < e->n_blocks;) {
        bool empty = !e->blocks[i].rows || !e->blocks[i].columns;
        i += empty ? 1 : print_blocks(&p, e->blocks + i, e->n_blocks - i);
    }
    print_values(&p, "x", "the solution", e->solution);
    if (!solves_for_accelerations(e))
        print_values(&p, "v'", "the accelerations that follow", e->accelerations);
    return p.out.length;
}

/* ---- JSON -------------------------------------------------------------------------- */

static void print_number(dal_printer *p, const dal_decimal_table *decimals, double x)
{
    char text[DAL_DECIMAL_LENGTH];
    if (!isfinite(x)) {
        dal_print(p, "null");
        return;
    }
    dal_decimal_print(decimals, x, text);
    dal_print(p, "%s", text);
}

static void print_names(dal_printer *p, const char *key, int n, const char *const *names)
{
    dal_print(p, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        dal_print_string(p, names[i]);
    }
    dal_print(p, "]");
}

static void print_numbers(dal_printer *p, const dal_decimal_table *decimals, int n, const double *values)
{
    dal_print(p, "[");
    for (int i = 0; i < n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        print_number(p, decimals, values[i]);
    }
    dal_print(p, "]");
}

/* {"name": value, ...} */
static void print_object(dal_printer *p, const dal_decimal_table *decimals, const char *key, dal_equation_values values)
{
    dal_print(p, "\"%s\": {", key);
    for (int i = 0; i < values.n; i++) {
        dal_print(p, "%s", i ? ", " : "");
        dal_print_string(p, values.names[i]);
        dal_print(p, ": ");
        print_number(p, decimals, values.values[i]);
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
    print_names(p, "rows", block->rows, block->row_names);
    dal_print(p, ",\n   ");
    print_names(p, "columns", block->columns, block->column_names);
    dal_print(p, ",\n   \"values\": [");
    for (int i = 0; i < block->rows; i++) {
        dal_print(p, "%s", i ? ",\n              " : "");
        print_numbers(p, decimals, block->columns, block->values + (size_t)i * (size_t)block->columns);
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
    print_number(&p, &decimals, e->time);
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
    print_names(&p, "unknowns", e->solution.n, e->solution.names);
    dal_print(&p, ",\n \"solution\": ");
    print_numbers(&p, &decimals, e->solution.n, e->solution.values);
    dal_print(&p, ",\n ");
    print_object(&p, &decimals, "accelerations", e->accelerations);
    dal_print(&p, "}\n");
    return p.length;
}
