/* `shape:` of a body or of the ground: one shape, or a list of them. Only the form is checked here; compile/figures.c evaluates the numbers. */
#include "spec/reader.h"

#include <string.h>

/* Points of a polyline or an outline: each is a list of expressions, whose length is checked with the numbers. */
static void read_points(dal_reader *reader, const dal_tree *tree, dal_figure_spec *figure)
{
    if (!dal_is_list(reader, tree, "a list of points, as in [[0, 0], [1, 0]]"))
        return;
    figure->points_mark = tree->mark;
    figure->points = DAL_NEW(reader->keep, dal_list, tree->n);
    for (const dal_tree *child = tree->first; child; child = child->next)
        dal_read_list(reader, child, 0, &figure->points[figure->n_points++]);
}

static void find_file(dal_reader *reader, dal_figure_spec *figure)
{
    const char *why = dal_file_fault(reader, figure->file.text);
    if (why)
        dal_complain(reader->messages, figure->file.mark, "the file '%.200s' of a shape cannot be read: %s", figure->file.text, why);
    else
        figure->path = dal_arena_print(reader->keep, "%s%s", reader->folder, figure->file.text);
    if (figure->path)
        dal_note_file(reader, figure->path);
    figure->root = reader->root ? dal_arena_copy(reader->keep, reader->root, strlen(reader->root)) : NULL;
}

/* {box: [a, b, c]} is {type: box, size: [a, b, c]}; {cylinder: [r, l]} is {type: cylinder, radius: r, length: l}. */
static void read_brief(dal_reader *reader, const dal_tree *tree, dal_figure_spec *figure)
{
    dal_list list = {0};
    const bool box = !strcmp(tree->key, "box"), sphere = !strcmp(tree->key, "sphere");
    if (figure->type.text || figure->size.n || figure->radius.text || figure->length.text) {
        dal_complain(reader->messages, tree->key_mark, "'%s' says the type and the size of a shape: drop 'type', 'size', 'radius' and 'length'",
                     tree->key);
        return;
    }
    figure->type = (dal_text){.text = tree->key, .mark = tree->key_mark};
    if (sphere) {
        dal_read_expression(reader, tree, &figure->radius);
    } else if (box) {
        dal_read_list(reader, tree, 0, &figure->size);
    } else if (dal_read_list(reader, tree, 2, &list)) {
        figure->radius = list.item[0];
        figure->length = list.item[1];
    }
}

static void read_figure(dal_reader *reader, const dal_tree *tree, dal_figure_spec *figure)
{
    dal_figure_trees part = {0};
    if (!dal_needs_map(reader, tree, "{type: box, size: [0.4, 0.1, 0.1]}"))
        return;
    part.spec.mark = tree->mark;
    dal_read_keys(reader, dal_keys_shape, tree, &part, dal_label(reader));
    dal_scope outer = dal_descend(reader, part.outline ? "outline" : "points");
    part.spec.outline = part.outline;
    if (part.points && part.outline)
        dal_complain(reader->messages, part.outline->key_mark, "%s: 'points' belong to a polyline, 'outline' to a plate; both are given",
                     outer.what ? outer.what : "a shape");
    else if (part.points || part.outline)
        read_points(reader, part.outline ? part.outline : part.points, &part.spec);
    dal_ascend(reader, outer);
    for (int i = 0; i < 4; i++)
        if (part.brief[i]) {
            outer = dal_descend(reader, part.brief[i]->key);
            read_brief(reader, part.brief[i], &part.spec);
            dal_ascend(reader, outer);
        }
    if (part.spec.file.text)
        find_file(reader, &part.spec);
    *figure = part.spec;
}

void dal_read_figures(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_figures *figures = field;
    if (tree->bad)
        return;
    const bool list = tree->kind == DAL_SEQUENCE;
    figures->item = DAL_NEW(reader->keep, dal_figure_spec, list ? tree->n : 1);
    if (!list)
        read_figure(reader, tree, &figures->item[figures->n++]);
    for (const dal_tree *child = list ? tree->first : NULL; child; child = child->next)
        read_figure(reader, child, &figures->item[figures->n++]);
}
