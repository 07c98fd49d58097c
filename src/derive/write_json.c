/* A derivation as JSON. */
#include "derive/document.h"

#include "base/json.h"

static void write_bytes(void *out, const void *bytes, size_t n)
{
    dal_grow(out, "%.*s", (int)n, (const char *)bytes);
}

static const char *node_text(dal_document *doc, dal_node node)
{
    return dal_form_text(doc->d, dal_some_form(doc->writer, node), false);
}

static void json_nodes(dal_json *json, dal_document *doc, const char *key, int n, const dal_node *nodes)
{
    const char **texts = DAL_NEW(doc->d->arena, const char *, n);
    for (int i = 0; i < n; i++)
        texts[i] = node_text(doc, nodes[i]);
    dal_json_strings(json, key, n, texts);
}

static void json_letters(dal_json *json, dal_document *doc)
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
        if (l->role >= DAL_ROLE_NORM) /* not in anything that is shown */
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

static void json_blocks(dal_json *json, dal_document *doc)
{
    const dal_derivation *d = doc->d;
    dal_json_open(dal_json_line(json, "\n "), "blocks", '[');
    for (int b = 0; b < d->n_blocks; b++) {
        const dal_derived_block *block = &d->blocks[b];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", block->name);
        dal_json_string(json, "title", block->title);
        dal_json_strings(json, "rows", block->rows, block->row_names);
        dal_json_strings(json, "columns", block->columns, block->column_names);
        dal_json_open(json, "values", '[');
        for (int i = 0; i < block->rows; i++)
            json_nodes(dal_json_line(json, "\n   "), doc, NULL, block->columns, block->values + i * block->columns);
        dal_json_close(json, ']');
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_systems(dal_json *json, dal_document *doc)
{
    const dal_derivation *d = doc->d;
    dal_json_open(dal_json_line(json, "\n "), "systems", '[');
    for (int s = 0; s < d->n_systems; s++) {
        const dal_named_system *system = &d->systems[s];
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", system->name);
        dal_json_open(json, "unknowns", '[');
        for (int i = 0; i < system->n; i++)
            dal_json_string(json, NULL, d->letters[system->first + i].name);
        dal_json_close(json, ']');
        dal_json_open(json, "matrix", '[');
        for (int i = 0; i < system->n; i++)
            json_nodes(dal_json_line(json, "\n   "), doc, NULL, system->n, system->matrix + i * system->n);
        dal_json_close(json, ']');
        json_nodes(dal_json_line(json, "\n   "), doc, "right", system->n, system->right);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void json_definitions(dal_json *json, dal_document *doc)
{
    dal_json_open(dal_json_line(json, "\n "), "definitions", '[');
    for (int i = 0; i < doc->writer->n_intermediates; i++) {
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", dal_arena_print(doc->d->arena, "%s%d", dal_intermediate_prefix(doc->d), i + 1));
        dal_json_string(json, "value", dal_form_text(doc->d, doc->writer->intermediate[i].form, false));
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
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
    json_blocks(json, doc);
    json_systems(json, doc);
    dal_json_open(dal_json_line(json, "\n "), "equations", '[');
    for (int i = 0; i < d->n_equations; i++) {
        dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
        dal_json_string(json, "name", d->equations[i].name);
        dal_json_string(json, "zero", node_text(doc, d->equations[i].zero));
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
    json_definitions(json, doc);
    dal_json_close(json, '}');
}
