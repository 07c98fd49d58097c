/* A derivation as JSON. */
#include "derive/printed_document.h"

#include "base/json.h"

static void write_bytes(void *out, const void *bytes, size_t n)
{
    dal_grow(out, "%.*s", (int)n, (const char *)bytes);
}

static const char *node_text(const dal_document *doc, dal_node node)
{
    return dal_form_text(doc->d, dal_some_form(doc->writer, node), false);
}

static void json_nodes(dal_json *json, const dal_document *doc, const char *key, int n, const dal_node *nodes)
{
    const char **texts = DAL_NEW(doc->d->arena, const char *, n);
    for (int i = 0; i < n; i++)
        texts[i] = node_text(doc, nodes[i]);
    dal_json_strings(json, key, n, texts);
}

static void json_rows(dal_json *json, const dal_document *doc, const char *key, int rows, int columns, const dal_node *nodes)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < rows; i++)
        json_nodes(dal_json_line(json, "\n   "), doc, NULL, columns, nodes + i * columns);
    dal_json_close(json, ']');
}

static void json_letters(dal_json *json, const dal_document *doc)
{
    const dal_derivation *d = doc->d;
    static const char *const roles[] = {"time",
                                        "coordinate",
                                        "rate",
                                        "acceleration",
                                        "speed",
                                        "rate of a speed",
                                        "multiplier",
                                        "momentum",
                                        "parameter",
                                        "number",
                                        "input",
                                        "state",
                                        "unknown of a system",
                                        "port",
                                        "rate of a port",
                                        "acceleration of a port",
                                        "wrench"};
    dal_json_open(dal_json_line(json, "\n "), "letters", '[');
    for (int i = 0; i < d->n_letters; i++) {
        const dal_letter *l = &d->letters[i];
        if (l->role >= DAL_ROLE_NORM) /* not in a printed form */
            continue;
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", l->name);
        dal_json_string(json, "role", roles[l->role]);
        if (l->role == DAL_ROLE_PARAMETER || l->role == DAL_ROLE_NUMBER)
            dal_json_number(json, "value", l->value);
        if (l->means != DAL_NO_NODE)
            dal_json_string(json, "means", node_text(doc, l->means));
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_block(dal_json *json, const void *of, int i)
{
    const dal_document *doc = of;
    const dal_derived_block *block = &doc->d->blocks[i];
    dal_json_string(json, "name", block->name);
    dal_json_string(json, "title", block->title);
    dal_json_strings(json, "rows", block->rows, block->row_names);
    dal_json_strings(json, "columns", block->columns, block->column_names);
    json_rows(json, doc, "values", block->rows, block->columns, block->values);
}

static void json_system(dal_json *json, const void *of, int i)
{
    const dal_document *doc = of;
    const dal_named_system *system = &doc->d->systems[i];
    dal_json_string(json, "name", system->name);
    dal_json_open(json, "unknowns", '[');
    for (int k = 0; k < system->n; k++)
        dal_json_string(json, NULL, doc->d->letters[system->first + k].name);
    dal_json_close(json, ']');
    json_rows(json, doc, "matrix", system->n, system->n, system->matrix);
    json_nodes(dal_json_line(json, "\n   "), doc, "right", system->n, system->right);
}

static void json_equation(dal_json *json, const void *of, int i)
{
    const dal_document *doc = of;
    dal_json_string(json, "name", doc->d->equations[i].name);
    dal_json_string(json, "zero", node_text(doc, doc->d->equations[i].zero));
}

static void json_definition(dal_json *json, const void *of, int i)
{
    const dal_document *doc = of;
    dal_json_string(json, "name", dal_arena_print(doc->d->arena, "%s%d", dal_intermediate_prefix(doc->d), i + 1));
    dal_json_string(json, "value", dal_form_text(doc->d, doc->writer->intermediate[i].form, false));
}

void dal_write_json_document(dal_document *doc, const dal_derived_formulation *f)
{
    dal_derivation *d = doc->d;
    const dal_system_info info = dal_system_describe(d->system);
    dal_json writer = {.write = write_bytes, .user = doc->out, .missing = ""}, *json = &writer;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "model", info.model);
    dal_json_string(json, "formulation", f->name);
    dal_json_string(json, "coordinates", info.coordinates);
    dal_json_string(json, "equation", f->equation);
    json_letters(json, doc);
    dal_json_string(dal_json_line(json, "\n "), "T", node_text(doc, d->T));
    dal_json_string(dal_json_line(json, "\n "), "V", node_text(doc, d->V));
    dal_json_objects(dal_json_line(json, "\n "), "blocks", d->n_blocks, "\n  ", json_block, doc);
    dal_json_objects(dal_json_line(json, "\n "), "systems", d->n_systems, "\n  ", json_system, doc);
    dal_json_objects(dal_json_line(json, "\n "), "equations", d->n_equations, "\n  ", json_equation, doc);
    dal_json_objects(dal_json_line(json, "\n "), "definitions", doc->writer->n_intermediates, "\n  ", json_definition, doc);
    dal_json_close(json, '}');
}
