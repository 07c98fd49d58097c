/* The parameters of a whole description, included models among them: names in a text belong to its model, and have the name of the model before
 * them. Only parameters that use a new value are evaluated, each after those that it uses: depth first, with a stack in memory, because a chain may
 * be as long as a file.
 */
#include "spec/parameters_again.h"

#include "expr/expr.h"

#include <math.h>
#include <string.h>

typedef struct use {
    int *list, n, next;
    size_t capacity;
    bool seen;
} use;

typedef struct evaluation {
    dal_arena *scratch;
    dal_graph *graph;
    int n;
    dal_pair *parameters;
    int *slot, n_slots; /* by name: open addressing, -1: free */
    use *uses;
    int current;
    bool noting; /* true: notes the uses; false: evaluates */
} evaluation;

static size_t slot_of(const evaluation *e, const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    size_t at = (size_t)hash & ((size_t)e->n_slots - 1);
    while (e->slot[at] >= 0 && strcmp(e->parameters[e->slot[at]].name.text, name))
        at = (at + 1) & ((size_t)e->n_slots - 1);
    return at;
}

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    evaluation *e = user;
    const dal_binding *binding = e->parameters[e->current].binding;
    const char *full = binding && binding->model ? dal_arena_print(e->scratch, "%s.%s", binding->model->name.text, name) : name;
    const int index = e->slot[slot_of(e, full)];
    (void)primes, (void)mark, (void)hint;
    if (index < 0)
        return false;
    if (e->noting) {
        use *u = &e->uses[e->current];
        *DAL_PUSH(e->scratch, u->list, u->n, u->capacity) = index;
    }
    *value = (dal_value){1, {e->noting ? dal_var(e->graph, index) : dal_const(e->graph, e->parameters[index].number), DAL_NO_NODE, DAL_NO_NODE}, 0};
    return true;
}

static bool parse_parameter(evaluation *e, int index, bool noting, dal_node *node)
{
    const dal_parser parser = {.graph = e->graph, .resolve = resolve, .user = e};
    e->current = index;
    e->noting = noting;
    return dal_parse_scalar(&parser, e->parameters[index].value.text, e->parameters[index].value.mark, node);
}

/* Names begin with letters. So does the exponent of a number; that text is then parsed without need. */
static bool may_use(const dal_pair *parameter)
{
    for (const char *c = parameter->value.text; c && *c; c++)
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_')
            return true;
    return false;
}

/* All parameters that it uses are known. */
static bool finish_parameter(evaluation *e, int index, bool *given, dal_messages *messages)
{
    const use *u = &e->uses[index];
    dal_pair *parameter = &e->parameters[index];
    bool follows = false;
    double number;
    dal_node node;
    for (int i = 0; i < u->n; i++)
        follows |= given[u->list[i]];
    if (!follows)
        return true;
    given[index] = true;
    if (parse_parameter(e, index, false, &node) && dal_is_const(e->graph, node, &number) && isfinite(number)) {
        parameter->number = number;
        return true;
    }
    dal_error(messages, parameter->value.mark, "'%.80s' is not a finite number", parameter->value.text);
    return false;
}

static bool evaluate_parameter(evaluation *e, int first, bool *given, dal_messages *messages)
{
    int *stack = DAL_NEW(e->scratch, int, e->n + 1), n = 0;
    bool fine = true;
    stack[n++] = first;
    while (n) {
        const int top = stack[n - 1];
        use *u = &e->uses[top];
        dal_node unused;
        if (!u->seen) {
            u->seen = true;
            if (given[top] || !may_use(&e->parameters[top]) || !parse_parameter(e, top, true, &unused))
                u->n = 0;
        }
        if (u->next < u->n) {
            const int next = u->list[u->next++];
            if (!e->uses[next].seen)
                stack[n++] = next;
            continue;
        }
        fine = finish_parameter(e, top, given, messages) && fine;
        n--;
    }
    return fine;
}

bool dal_parameters_again(dal_arena *scratch, int n, dal_pair *parameters, bool *given, dal_messages *messages)
{
    bool any = false, fine = true;
    for (int i = 0; i < n; i++)
        any |= !given[i] && may_use(&parameters[i]);
    if (!any)
        return true;
    evaluation e = {.scratch = scratch, .graph = dal_graph_create(scratch), .n = n, .parameters = parameters, .n_slots = 16};
    while (e.n_slots < 2 * n)
        e.n_slots *= 2;
    e.slot = DAL_NEW(scratch, int, e.n_slots);
    e.uses = DAL_NEW(scratch, use, n);
    memset(e.slot, 0xff, sizeof *e.slot * (size_t)e.n_slots);
    for (int i = 0; i < n; i++)
        e.slot[slot_of(&e, parameters[i].name.text)] = i;
    for (int i = 0; i < n; i++)
        if (!e.uses[i].seen)
            fine = evaluate_parameter(&e, i, given, messages) && fine;
    return fine;
}
