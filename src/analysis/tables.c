/* Tables of named rows and columns, as text; see tables.h. */
#include "analysis/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_OF_ZERO = 12 };
enum { CELL = 48, INDENT = 2, GAP = 2, MOST_SIDE_BY_SIDE = 8, MOST_IN_GROUP = 128 };

dal_tables dal_tables_begin(int digits, int width, char *buffer, size_t size)
{
    const int shown = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    return (dal_tables){{buffer, size, 0}, shown, width, pow(10, -(digits > DIGITS_OF_ZERO ? digits : DIGITS_OF_ZERO))};
}

static void print_spaces(dal_tables *p, int n)
{
    if (n > 0)
        dal_print(&p->out, "%*s", n, "");
}

#define MEMBER(member) DAL_JSON_MEMBER(dal_system_info, member)
const dal_json_member dal_heading[] = {
    MEMBER(model), MEMBER(model_hash), MEMBER(version), DAL_JSON_NEW_LINE("\n "), MEMBER(formulation), MEMBER(coordinates), {0}};

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

static void write_cell(const dal_tables *p, const table *t, int row, int column, char cell[CELL])
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

static column_shape shape_of(const dal_tables *p, const table *t, int column)
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

static void print_line(dal_tables *p, const table *t, int row, int first, int last, int stub, const column_shape *shapes)
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

static void print_table(dal_tables *p, const table *t)
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

int dal_print_blocks(dal_tables *p, const dal_equation_block *blocks, int n)
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
