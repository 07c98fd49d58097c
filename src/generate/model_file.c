/* The C file of a model, its header, and its self-test. */
#include "generate/listing.h"

#include "expr/table.h"
#include "model/coordinate_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the code -------------------------------------------------------------------------- */

static void choose_parameters(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const int n = d->spec->n_parameters;
    c->parameter = DAL_NEW(c->arena, int, n);
    c->parameter_names = DAL_NEW(c->arena, const char *, n);
    for (int i = 0; i < n && c->options->struct_of_parameters; i++) {
        if (d->parameter[i] < 0 || d->spec->parameters[i].shapes || (c->options->fixed && c->options->fixed[i]))
            continue;
        c->parameter_names[c->n_parameters] = dal_c_identifier(c->arena, d->spec->parameters[i].name.text, c->n_parameters, c->parameter_names);
        c->parameter[c->n_parameters++] = d->parameter[i];
    }
}

static void name_extras(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const int momenta = d->G >= 0 ? d->layout->n_ignorable : 0;
    c->extra = DAL_NEW(c->arena, const char *, d->spec->n_inputs + d->spec->n_states + momenta);
    for (int i = 0; i < d->spec->n_inputs; i++)
        c->extra[c->n_extra++] = d->spec->inputs[i].name.text;
    for (int i = 0; i < d->spec->n_states; i++)
        c->extra[c->n_extra++] = d->spec->states[i].name.text;
    for (int i = 0; i < momenta; i++)
        c->extra[c->n_extra++] = d->letters[d->G + i].name;
}

void dal_listing_set_reference(dal_listing *c, const dal_reference_state *at, double *x, const double *parameters)
{
    const dal_derivation *d = c->d;
    x[0] = at->t;
    memcpy(x + c->first[DAL_ARRAY_Q], at->q, sizeof *x * (size_t)d->nq);
    memcpy(x + c->first[DAL_ARRAY_V], at->v, sizeof *x * (size_t)d->nv);
    for (int i = 0; i < d->spec->n_inputs + d->spec->n_states; i++)
        x[c->first[DAL_ARRAY_INPUTS] + i] = at->inputs[i];
    for (int i = 0; i < c->n_parameters; i++)
        x[c->first[DAL_ARRAY_PARAMETERS] + i] = parameters ? parameters[i] : d->letters[c->parameter[i]].value;
    for (int i = d->spec->n_inputs + d->spec->n_states; i < c->n_extra && at->momenta; i++)
        x[c->first[DAL_ARRAY_INPUTS] + i] = at->momenta[i - d->spec->n_inputs - d->spec->n_states];
    for (int j = 0; j < d->p; j++)
        x[c->first[DAL_ARRAY_SPEEDS] + j] = at->u                                          ? at->u[j]
                                            : d->mechanism->n_speeds || !d->options.speeds ? 0.1 * (j + 1)
                                                                                           : at->v[d->options.speeds[j]];
}

static void drop_double_guards(dal_listing *c)
{
    int n = 0;
    for (int g = 0; g < c->n_guards; g++) {
        const dal_guard_pair *x = &c->guards[g];
        bool known = x->pivot == x->size;
        for (int k = 0; k < n && !known; k++)
            known = c->guards[k].pivot == x->pivot && c->guards[k].size == x->size && c->guards[k].share >= x->share;
        if (!known)
            c->guards[n++] = *x;
    }
    c->n_guards = n;
}

/* Of everything that is computed; guards compare nodes of it. */
static void simplify(dal_listing *c)
{
    const dal_derivation *d = c->d;
    const bool run = c->options->rates;
    dal_node *const lists[] = {c->vd, c->lambda, c->ud, c->uv, c->qd, c->energy, c->phi, c->phid, c->outputs, c->jacobian, c->zd, c->power};
    const int sizes[] = {
        d->nv,     d->n_rows, d->p, d->nv, d->nq, run ? 0 : 2, d->n_rows, d->n_rows, c->n_outputs, d->nv * (d->nq + d->nv), d->spec->n_states,
        c->n_works};
    dal_node **roots = DAL_NEW(c->arena, dal_node *, 12 + 2 * c->n_guards);
    int *lengths = DAL_NEW(c->arena, int, 12 + 2 * c->n_guards), n = 0;
    for (int i = 0; i < 12; i++)
        if (lists[i] && sizes[i] > 0) {
            roots[n] = lists[i];
            lengths[n++] = sizes[i];
        }
    for (int g = 0; g < c->n_guards; g++)
        for (int k = 0; k < 2; k++) {
            roots[n] = k ? &c->guards[g].size : &c->guards[g].pivot;
            lengths[n++] = 1;
        }
    for (int pass = 0; pass < 2; pass++) {
        dal_listing_number(c, n, roots, lengths);
        dal_listing_collect(c, n, roots, lengths);
    }
    drop_double_guards(c);
}

dal_listing *dal_listing_build(dal_derivation *d, const dal_generate_options *options, const dal_reference_state *reference)
{
    dal_listing *c = DAL_NEW(d->arena, dal_listing, 1);
    *c = (dal_listing){.d = d, .arena = d->arena, .graph = dal_graph_create(d->arena), .options = options};
    dal_graph_share_tables(c->graph, d->graph);
    choose_parameters(c);
    name_extras(c);
    const int size[DAL_ARRAY_COUNT] = {1, d->nq, d->nv, c->n_extra, c->n_parameters, d->p};
    for (int a = 0; a < DAL_ARRAY_COUNT; a++)
        c->first[a + 1] = c->first[a] + size[a];
    c->reference = DAL_NEW(c->arena, double, c->first[DAL_ARRAY_COUNT] + 1);
    dal_listing_set_reference(c, reference, c->reference, NULL);
    dal_listing_equations(c);
    simplify(c);
    return c;
}

bool dal_listing_accelerations(dal_listing *c, const dal_reference_state *at, const double *parameters, double *vd)
{
    double *kept = c->reference, *x = DAL_NEW(c->arena, double, c->first[DAL_ARRAY_COUNT] + 1);
    bool finite = true;
    dal_listing_set_reference(c, at, x, parameters);
    c->reference = x;
    dal_listing_values(c, c->d->nv, c->vd, vd);
    c->reference = kept;
    for (int k = 0; k < c->d->nv; k++)
        finite = finite && isfinite(vd[k]);
    return finite;
}

int dal_listing_parameters(const dal_listing *code, const int **parameter)
{
    int *which = DAL_NEW(code->arena, int, code->n_parameters);
    for (int i = 0; i < code->n_parameters; i++)
        which[i] = code->d->letters[code->parameter[i]].index;
    *parameter = which;
    return code->n_parameters;
}

/* ---- texts -------------------------------------------------------------------------------- */

typedef struct file {
    dal_listing *c;
    const char *prefix, *upper;
    dal_growing source, header;
    dal_generated *result;
} file;

/* A fixed text with the prefix in its place. */
static void print_text(dal_growing *out, const char *text, const char *prefix)
{
    const char *at;
    while ((at = strchr(text, '@'))) {
        dal_grow(out, "%.*s%s", (int)(at - text), text, prefix);
        text = at + 1;
    }
    dal_grow(out, "%s", text);
}

static const char *upper_case(dal_arena *arena, const char *text)
{
    char *copy = dal_arena_copy(arena, text, strlen(text));
    for (char *c = copy; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    return copy;
}

static void print_title(file *f, dal_growing *out)
{
    const dal_derivation *d = f->c->d;
    dal_grow(out, "/* %s: generated by Dalembert. Formulation %s, coordinates %s.\n",
             dal_c_comment(f->c->arena, d->spec->name.text ? d->spec->name.text : "model"), dal_c_comment(f->c->arena, d->formulation->name),
             dal_c_comment(f->c->arena, d->layout->family->name));
}

/* "const char *prefix_what_name(int i)" */
static void print_names(file *f, const char *what, int n, const char *const *names)
{
    dal_grow(&f->source, "const char *%s_%s_name(int i)\n{\n", f->prefix, what);
    dal_grow(&f->header, "const char *%s_%s_name(int i);\n", f->prefix, what);
    if (!n) {
        dal_grow(&f->source, "    (void)i;\n    return \"\";\n}\n\n");
        return;
    }
    dal_grow(&f->source, "    static const char *const names[] = {");
    for (int i = 0; i < n; i++)
        dal_grow(&f->source, "\"%s\", ", dal_c_string(f->c->arena, names[i]));
    dal_grow(&f->source, "\"\"};\n    return names[i >= 0 && i < %d ? i : %d];\n}\n\n", n, n);
}

static int print_function(file *f, const char *comment, const char *name, const char *state, int n, const dal_listing_result *results, bool guarded)
{
    dal_grow(&f->header, "\n%s\nint %s_%s(%s);\n", comment, f->prefix, name, dal_emit_arguments(f->c, true, false, state, n, results));
    return dal_emit_function(&f->source, f->c, name, state, n, results, guarded, false);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void print_wide(file *f, const char *name, int n, const dal_listing_result *results, bool guarded)
{
    const int lanes = f->c->options->lanes;
    dal_grow(&f->header,
             "\n/* %d copies at once: q[%d i + k] is coordinate i of copy k, and so for all arrays (parameters in the order of the struct).\n"
             " * Bit for bit what %s_%s gives for each. Bit k of the result: that of copy k is not to be trusted. */\n"
             "int %s_%s_lanes(%s);\n",
             lanes, lanes, f->prefix, name, f->prefix, name, dal_emit_arguments(f->c, true, true, "v", n, results));
    const char *four = dal_arena_print(f->c->arena, "four_%s", name);
    dal_emit_function(&f->source, f->c, four, "v", n, results, guarded, true);
    dal_grow(&f->source,
             "int %s_%s_lanes(%s)\n{\n    int bad = 0;\n    for (int k = 0; k < %d; k += 4)\n        bad |= %s_%s(t, q + k, v + k, "
             "inputs + (inputs ? k : 0), parameters + (parameters ? k : 0)",
             f->prefix, name, dal_emit_arguments(f->c, false, true, "v", n, results), lanes, f->prefix, four);
    for (int i = 0; i < n; i++)
        dal_grow(&f->source, ", %s + (%s ? k : 0)", results[i].array, results[i].array);
    dal_grow(&f->source, ") << k;\n    return bad;\n}\n\n");
}

/* Methods of a fixed step, of one copy and of lanes: the same operations in the same order. */
static void print_methods(file *f, bool wide)
{
    const char *end = wide ? "_lanes" : "", *type = wide ? "double" : dal_arena_print(f->c->arena, "%s_parameters", f->prefix);
    const int lanes = wide ? f->c->options->lanes : 1;
    dal_grow(&f->header,
             "\n/* `steps` steps of length h from t on, with inputs that are held: semi-implicit Euler (v += h v'(q, v), q += h q'(q, v)), and the "
             "classical\n"
             " * method of Runge and Kutta. Returns as %s_accelerations%s does; where that is not 0, a result is not to be trusted. */\n"
             "int %s_euler%s(double t, double h, long steps, double *q, double *v, const double *inputs, const %s *parameters);\n"
             "int %s_rk4%s(double t, double h, long steps, double *q, double *v, const double *inputs, const %s *parameters);\n",
             f->prefix, end, f->prefix, end, type, f->prefix, end, type);
    dal_grow(&f->source,
             "int %s_euler%s(double t, double h, long steps, double *restrict q, double *restrict v, const double *restrict inputs, const %s "
             "*restrict parameters)\n"
             "{\n    enum { NQ = %d, NV = %d };\n    double vd[NV + 1], qd[NQ + 1], lambda[%d];\n    int bad = 0;\n    for (long s = 0; s < steps; "
             "s++) {\n"
             "        bad |= %s_accelerations%s(t + (double)s * h, q, v, inputs, parameters, vd, lambda);\n"
             "        for (int i = 0; i < NV; i++)\n            v[i] = fma(h, vd[i], v[i]);\n"
             "        %s_coordinate_rates%s(t + (double)s * h, q, v, inputs, parameters, qd);\n"
             "        for (int i = 0; i < NQ; i++)\n            q[i] = fma(h, qd[i], q[i]);\n    }\n    return bad;\n}\n\n",
             f->prefix, end, type, f->c->d->nq * lanes, f->c->d->nv * lanes, f->c->d->n_rows * lanes + 1, f->prefix, end, f->prefix, end);
    dal_grow(
        &f->source,
        "int %s_rk4%s(double t, double h, long steps, double *restrict q, double *restrict v, const double *restrict inputs, const %s *restrict "
        "parameters)\n"
        "{\n    enum { NQ = %d, NV = %d };\n    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};\n"
        "    double vd[NV + 1], qd[NQ + 1], x[NQ + 1], u[NV + 1], dq[NQ + 1], dv[NV + 1], lambda[%d];\n    int bad = 0;\n"
        "    for (long s = 0; s < steps; s++) {\n        for (int k = 0; k < 4; k++) {\n            const double at = t + ((double)s + node[k]) * h, "
        "w = h * weight[k], c = h * node[k];\n"
        "            for (int i = 0; i < NQ; i++)\n                x[i] = k ? fma(c, qd[i], q[i]) : q[i];\n"
        "            for (int i = 0; i < NV; i++)\n                u[i] = k ? fma(c, vd[i], v[i]) : v[i];\n"
        "            bad |= %s_accelerations%s(at, x, u, inputs, parameters, vd, lambda);\n"
        "            %s_coordinate_rates%s(at, x, u, inputs, parameters, qd);\n"
        "            for (int i = 0; i < NQ; i++)\n                dq[i] = k ? fma(w, qd[i], dq[i]) : w * qd[i];\n"
        "            for (int i = 0; i < NV; i++)\n                dv[i] = k ? fma(w, vd[i], dv[i]) : w * vd[i];\n        }\n"
        "        for (int i = 0; i < NQ; i++)\n            q[i] += dq[i];\n        for (int i = 0; i < NV; i++)\n            v[i] += dv[i];\n    }\n "
        "   return bad;\n}\n\n",
        f->prefix, end, type, f->c->d->nq * lanes, f->c->d->nv * lanes, f->c->d->n_rows * lanes + 1, f->prefix, end, f->prefix, end);
}

/* ---- the header --------------------------------------------------------------------------------- */

static void print_sizes(file *f)
{
    const dal_listing *c = f->c;
    const dal_derivation *d = c->d;
    const bool multipliers = dal_listing_multiplies(c);
    dal_grow(&f->header,
             "enum {\n    %s_COORDINATES = %d,\n    %s_VELOCITIES = %d,\n    %s_ROWS = %d,        /* of constraints */\n"
             "    %s_MULTIPLIERS = %d, /* lambda: 0 where the formulation has none */\n    %s_INPUTS = %d,      /* with states and momenta */\n"
             "    %s_PARAMETERS = %d,\n    %s_SPEEDS = %d,\n    %s_OUTPUTS = %d,\n    %s_LANES = %d\n};\n\n",
             f->upper, d->nq, f->upper, d->nv, f->upper, d->n_rows, f->upper, multipliers ? d->n_rows : 0, f->upper, c->n_extra, f->upper,
             c->n_parameters, f->upper, c->ud ? d->p : 0, f->upper, c->n_outputs, f->upper, c->options->lanes);
}

static void print_parameters(file *f)
{
    const dal_listing *c = f->c;
    dal_grow(&f->header, "typedef struct %s_parameters {\n", f->prefix);
    for (int i = 0; i < c->n_parameters; i++)
        dal_grow(&f->header, "    double %s;\n", c->parameter_names[i]);
    if (!c->n_parameters)
        dal_grow(&f->header, "    double none; /* parameters are fixed: NULL may be given */\n");
    dal_grow(&f->header, "} %s_parameters;\n\n/* Those of the model. */\n%s_parameters %s_default_parameters(void);\n\n", f->prefix, f->prefix,
             f->prefix);
    dal_grow(&f->source, "%s_parameters %s_default_parameters(void)\n{\n    const %s_parameters p = {", f->prefix, f->prefix, f->prefix);
    for (int i = 0; i < c->n_parameters; i++)
        dal_grow(&f->source, "%s%s", i ? ", " : "", dal_c_number(c->arena, c->d->letters[c->parameter[i]].value));
    dal_grow(&f->source, "%s};\n    return p;\n}\n\n", c->n_parameters ? "" : "0");
}

static void begin_header(file *f)
{
    print_title(f, &f->header);
    dal_grow(&f->header,
             " *\n * No memory is allocated, nothing is kept between calls: any number of threads may call. Arrays must not overlap; one of\n"
             " * length 0 may be NULL. A function returns 0, or not 0 where a pivot was too small or a result is not a number: then its\n"
             " * results are not to be trusted.\n *\n");
    for (int i = 0; i < f->c->n_extra; i++)
        dal_grow(&f->header, " *   inputs[%d]  %s\n", i, dal_c_comment(f->c->arena, f->c->extra[i]));
    dal_grow(&f->header, " */\n#ifndef %s_H\n#define %s_H\n\n", f->upper, f->upper);
}

static void begin_source(file *f)
{
    const dal_listing *c = f->c;
    print_title(f, &f->source);
    if (c->options->rollout)
        dal_grow(&f->source, " */\n");
    else
        dal_grow(&f->source, " *\n * cc -O2 -c %s.c; its test: cc -DMODEL_TEST -O2 %s.c -lm && ./a.out\n */\n#include \"%s.h\"\n\n", f->prefix,
                 f->prefix, f->prefix);
    dal_grow(&f->source, "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    if (c->options->lanes) /* both must round alike */
        dal_grow(
            &f->source,
            "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n");
    dal_grow(&f->source, "#if defined(__GNUC__)\n#define %s_PART __attribute__((noinline))\n#else\n#define %s_PART\n#endif\n\n", f->prefix,
             f->prefix);
    dal_grow(&f->source, c->options->lanes ? "#define %s_FMA(a, b, c) fma((a), (b), (c))\n\n" : "#define %s_FMA(a, b, c) ((a) * (b) + (c))\n\n",
             f->prefix);
}

/* ---- the functions --------------------------------------------------------------------------------- */

static bool uses(const dal_listing *c, dal_op op)
{
    for (dal_node n = 0; n < dal_graph_size(c->graph); n++)
        if (dal_node_op(c->graph, n) == op)
            return true;
    return false;
}

static void print_helpers(file *f)
{
    const dal_listing *c = f->c;
    if (uses(c, DAL_OP_SIN) || uses(c, DAL_OP_COS))
        print_text(&f->source, dal_text_sincos, f->prefix);
    if (c->options->rates && (uses(c, DAL_OP_SIN) || uses(c, DAL_OP_COS)))
        print_text(&f->source, dal_text_four_sines, f->prefix);
    static const dal_op pieces[] = {DAL_OP_SIGN, DAL_OP_FLOOR, DAL_OP_LESS, DAL_OP_LEQ, DAL_OP_EQUAL, DAL_OP_INTERP};
    for (size_t i = 0, first = 1; i < sizeof pieces / sizeof *pieces && !c->options->lanes; i++) {
        if (!uses(c, pieces[i]))
            continue;
        if (first)
            dal_grow(&f->source, "#define %s_FREE INT32_MIN /* no mode: the piece that holds */\n\n", f->prefix);
        first = 0;
        if (dal_text_switch(pieces[i]))
            print_text(&f->source, dal_text_switch(pieces[i]), f->prefix);
    }
    if (uses(c, DAL_OP_INTERP)) {
        print_text(&f->source, dal_text_table, f->prefix);
        dal_emit_tables(&f->source, f->c);
    }
}

/* Functions of numbers on lanes, one after the other; all that the code has. */
static void print_lane_functions(file *f)
{
    static const struct {
        dal_op op;
        const char *name, *call;
    } each[] = {{DAL_OP_TAN, "tan", "tan(a)"},    {DAL_OP_ASIN, "asin", "asin(a)"},       {DAL_OP_ACOS, "acos", "acos(a)"},
                {DAL_OP_ATAN, "atan", "atan(a)"}, {DAL_OP_ATAN2, "atan2", "atan2(a, b)"}, {DAL_OP_SINH, "sinh", "sinh(a)"},
                {DAL_OP_COSH, "cosh", "cosh(a)"}, {DAL_OP_TANH, "tanh", "tanh(a)"},       {DAL_OP_SQRT, "sqrt", "sqrt(a)"},
                {DAL_OP_EXP, "exp", "exp(a)"},    {DAL_OP_LOG, "log", "log(a)"},          {DAL_OP_POW, "pow", "pow(a, b)"},
                {DAL_OP_ABS, "fabs", "fabs(a)"},  {DAL_OP_FLOOR, "floor", "floor(a)"}};
    print_text(&f->source, dal_text_lanes, f->prefix);
    if (uses(f->c, DAL_OP_SIN) || uses(f->c, DAL_OP_COS))
        print_text(&f->source, dal_text_lane_sines, f->prefix);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (uses(f->c, each[i].op))
            dal_grow(&f->source, "%s_EACH(%s_each_%s, %s)\n", f->prefix, f->prefix, each[i].name, each[i].call);
    dal_grow(&f->source, "\n");
}

/* One switch of the model, as the helpers of guards read it. */
static void print_switch_entry(file *f, const dal_listing_switch *s)
{
    static const dal_op order[] = {DAL_OP_SIGN, DAL_OP_FLOOR, DAL_OP_LESS, DAL_OP_LEQ, DAL_OP_EQUAL};
    int op = 0;
    if (s->op == DAL_OP_INTERP) {
        const dal_table *t = dal_graph_table(f->c->graph, s->table);
        dal_grow(&f->source, "        {%d, %d, %d, %s_x%d},\n", s->knots == DAL_KNOTS_ALL ? 5 : 6, t->n, (int)t->outside, f->prefix, s->table);
        return;
    }
    while (order[op] != s->op)
        op++;
    dal_grow(&f->source, "        {%d, 0, 0, 0},\n", op);
}

/* Guards of events: of all operations with pieces that the accelerations depend on. */
static void print_event_guards(file *f, const dal_listing_result *accelerations)
{
    dal_listing *c = f->c;
    static const char arguments[] = "double t, const double *q, const double *v, const double *inputs, const ";
    const char *p = f->prefix;
    dal_listing_find_switches(c, 2, accelerations);
    const int n = c->n_switches;
    dal_grow(&f->header,
             "\n/* Conditions, steps and tables in the expressions of the model: a piece of each holds at a time. */\nenum { %s_SWITCHES = %d };\n",
             f->upper, n);
    if (!n)
        return;
    dal_node *a = DAL_NEW(c->arena, dal_node, n), *b = DAL_NEW(c->arena, dal_node, n);
    for (int i = 0; i < n; i++) {
        a[i] = c->switches[i].a;
        b[i] = c->switches[i].b;
    }
    const dal_listing_result operands[] = {{"a", n, a}, {"b", n, b}};
    print_function(f, "/* What each of them compares, or the same number twice. */", "operands", "v", 2, operands, false);
    dal_grow(&f->header,
             "\n/* The number of the piece that holds. */\nint %s_modes(%s%s_parameters *parameters, int *modes);\n"
             "\n/* Positive while the piece modes[i] holds: an event is where guards[i] becomes negative. */\n"
             "int %s_guards(%s%s_parameters *parameters, const int *modes, double *guards);\n",
             p, arguments, p, p, arguments, p);
    print_text(&f->source, dal_text_guards, p);
    dal_grow(&f->source, "static const %s_switch *%s_switches(void)\n{\n    static const %s_switch all[] = {\n", p, p, p);
    for (int i = 0; i < n; i++)
        print_switch_entry(f, &c->switches[i]);
    dal_grow(&f->source, "    };\n    return all;\n}\n\n");
    for (int k = 0; k < 2; k++) {
        dal_grow(&f->source, "int %s_%s(%s%s_parameters *parameters, %s)\n{\n    double a[%d], b[%d];\n", p, k ? "guards" : "modes", arguments, p,
                 k ? "const int *modes, double *guards" : "int *modes", n, n);
        dal_grow(&f->source, "    const int bad = %s_operands(t, q, v, inputs, parameters, a, b);\n    for (int i = 0; i < %d; i++)\n        ", p, n);
        dal_grow(&f->source,
                 k ? "guards[i] = %s_guard(%s_switches() + i, modes[i], a[i], b[i]);\n" : "modes[i] = %s_mode(%s_switches() + i, a[i], b[i]);\n", p,
                 p);
        dal_grow(&f->source, "    return bad;\n}\n\n");
    }
}

static void print_lanes(file *f, const dal_listing_result *accelerations, const dal_listing_result *rates)
{
    print_lane_functions(f);
    print_wide(f, "accelerations", 2, accelerations, true);
    print_wide(f, "coordinate_rates", 1, rates, false);
    print_methods(f, true);
    print_methods(f, false);
}

static void print_functions(file *f)
{
    dal_listing *c = f->c;
    const dal_derivation *d = c->d;
    const bool multipliers = dal_listing_multiplies(c);
    const dal_listing_result accelerations[] = {{"vd", d->nv, c->vd}, {"lambda", multipliers ? d->n_rows : 0, c->lambda}};
    const dal_listing_result rates[] = {{"qd", d->nq, c->qd}}, energy[] = {{"energy", 2, c->energy}};
    const dal_listing_result rows[] = {{"phi", d->n_rows, c->phi}, {"phid", d->n_rows, c->phid}}, outputs[] = {{"out", c->n_outputs, c->outputs}};
    f->result->operations =
        print_function(f, "/* Accelerations v', and the multipliers of the constraints: forces of row r are lambda[r] times its gradient. */",
                       "accelerations", "v", 2, accelerations, true);
    if (c->ud && !c->options->rollout) {
        const dal_listing_result speeds[] = {{"ud", d->p, c->ud}, {"v", d->nv, c->uv}};
        print_function(f, "/* With independent speeds u: their rates, and the velocities v = W u + X. */", "speed_rates", "u", 2, speeds, true);
    }
    print_function(f, "/* q' of v. */", "coordinate_rates", "v", 1, rates, false);
    if (c->options->rollout) {
        print_lanes(f, accelerations, rates);
        dal_grow(&f->source,
                 "/* q, v, inputs, parameters, rows; operations of the accelerations */\nconst int %s_sizes[] = {%d, %d, %d, %d, %d, %d};\n",
                 f->prefix, d->nq, d->nv, d->spec->n_inputs, c->n_parameters, d->n_rows, f->result->operations);
        return;
    }
    print_function(f, "/* Kinetic and potential energy. */", "energies", "v", 1, energy, false);
    print_function(f, "/* Rows of constraints: phi(t, q) (0 where a row holds for velocities only) and its rate. */", "rows", "v", 2, rows, false);
    print_function(f, "/* Recorded channels of the model. */", "outputs", "v", 1, outputs, false);
    print_event_guards(f, accelerations);
    if (c->jacobian) {
        const dal_listing_result jacobian[] = {{"J", d->nv * (d->nq + d->nv), c->jacobian}};
        print_function(f, "/* Derivatives of v' by q and v, by rows: J[i (COORDINATES + VELOCITIES) + j]. */", "jacobian", "v", 1, jacobian, true);
    }
    if (c->options->lanes)
        print_lanes(f, accelerations, rates);
}

/* ---- the test ------------------------------------------------------------------------------------------ */

static void print_list(file *f, const char *name, int n, const double *values)
{
    dal_grow(&f->source, "    {\n        const double %s[] = {", name);
    for (int i = 0; i < n; i++)
        dal_grow(&f->source, "%s%s", i ? (i % 4 ? ", " : ",\n            ") : "", dal_c_number(f->c->arena, values[i]));
    dal_grow(&f->source, n ? "};\n" : "0};\n");
}

static void print_case(file *f, const dal_reference_state *r)
{
    const dal_derivation *d = f->c->d;
    const char *open[] = {"q", "v", "inputs", "expected"};
    const int n[] = {d->nq, d->nv, f->c->n_extra, d->nv};
    double *inputs = DAL_NEW(f->c->arena, double, f->c->n_extra + 1);
    for (int i = 0; i < d->spec->n_inputs + d->spec->n_states; i++)
        inputs[i] = r->inputs[i];
    const double *values[] = {r->q, r->v, inputs, r->vd};
    for (int i = 0; i < 4; i++)
        print_list(f, open[i], n[i], values[i]);
    const char *t = dal_c_number(f->c->arena, r->t);
    dal_grow(&f->source, "        if (%s_accelerations(%s, q, v, inputs, &p, vd, lambda))\n            wrong++;\n", f->prefix, t);
    dal_grow(&f->source, "        for (int i = 0; i < %s_VELOCITIES; i++)\n            wrong += !(fabs(vd[i] - expected[i]) <= 1e-9 * %s);\n",
             f->upper, dal_c_number(f->c->arena, r->scale));
    dal_grow(&f->source, "        %s_energies(%s, q, v, inputs, &p, energy);\n", f->prefix, t);
    dal_grow(&f->source, "        wrong += !(fabs(energy[0] - %s) <= 1e-9 * fabs(energy[0]) + 1e-300);\n", dal_c_number(f->c->arena, r->T));
    dal_grow(&f->source, "    }}}}\n");
}

static void print_test(file *f, int n, const dal_reference_state *references)
{
    dal_grow(&f->source,
             "#ifdef MODEL_TEST\n#include <stdio.h>\n\nint main(void)\n{\n    const %s_parameters p = %s_default_parameters();\n"
             "    double vd[%s_VELOCITIES + 1], lambda[%s_ROWS + 1], energy[2];\n    int wrong = 0;\n",
             f->prefix, f->prefix, f->upper, f->upper);
    for (int i = 0; i < n; i++)
        print_case(f, &references[i]);
    dal_grow(&f->source, "    printf(wrong ? \"%%d numbers differ\\n\" : \"%d states agree\\n\", wrong);\n    return wrong != 0;\n}\n#endif\n", n);
}

/* ---- everything ------------------------------------------------------------------------------------------ */

static void print_run_parameters(file *f)
{
    const dal_listing *c = f->c;
    dal_grow(&f->source, c->n_parameters ? "typedef struct %s_parameters {\n" : "typedef void %s_parameters;\n", f->prefix);
    for (int i = 0; i < c->n_parameters; i++)
        dal_grow(&f->source, "    double %s;\n", c->parameter_names[i]);
    if (c->n_parameters)
        dal_grow(&f->source, "} %s_parameters;\n", f->prefix);
}

/* The file of a run: one function. */
static void print_run(file *f)
{
    dal_listing *c = f->c;
    const dal_derivation *d = c->d;
    const dal_listing_result results[] = {{c->ud ? "ud" : "vd", c->ud ? d->p : d->nv, c->ud ? c->ud : c->vd},
                                          {"qd", d->nq, c->qd},
                                          {"zd", d->spec->n_states, c->zd},
                                          {"power", c->n_works, c->power}};
    dal_grow(&f->source, "/* y' of a run. */\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n%s", dal_text_order);
    dal_listing_find_switches(c, 4, results);
    c->frozen = true;
    print_run_parameters(f);
    dal_grow(&f->source, "#define %s_PART __attribute__((noinline))\n\n", f->prefix);
    dal_grow(&f->source, "#define %s_FMA(a, b, c) ((a) * (b) + (c))\n\n", f->prefix);
    print_helpers(f);
    dal_grow(&f->source, "/* q, w, inputs, parameters, modes, zd, power */\nconst int %s_sizes[] = {%d, %d, %d, %d, %d, %d, %d};\n\n", f->prefix,
             d->nq, results[0].n, c->n_extra, c->n_parameters, c->n_switches, d->spec->n_states, c->n_works);
    f->result->operations = dal_emit_function(&f->source, c, "rates", c->ud ? "u" : "v", 4, results, true, false);
}

const dal_generated *dal_generate(dal_derivation *d, const dal_generate_options *options, int n_references, const dal_reference_state *references)
{
    dal_listing *c = dal_listing_build(d, options, &references[0]);
    file f = {
        c, options->prefix, upper_case(c->arena, options->prefix), {.arena = c->arena}, {.arena = c->arena}, DAL_NEW(c->arena, dal_generated, 1)};
    if (options->rates) {
        if (!c->missing)
            print_run(&f);
        *f.result = (dal_generated){.nq = d->nq,
                                    .nv = d->nv,
                                    .n_rows = d->n_rows,
                                    .n_inputs = c->n_extra,
                                    .n_parameters = c->n_parameters,
                                    .n_speeds = c->ud ? d->p : 0,
                                    .operations = f.result->operations,
                                    .input_names = c->extra,
                                    .source = f.source.text,
                                    .rolled = c->rolled,
                                    .missing = c->missing,
                                    .n_switches = c->n_switches,
                                    .listing = c};
        return f.result;
    }
    begin_header(&f);
    begin_source(&f);
    print_sizes(&f);
    print_parameters(&f);
    print_names(&f, "coordinate", d->nq, d->coordinate_names);
    print_names(&f, "velocity", d->nv, d->velocity_names);
    print_names(&f, "row", d->n_rows, d->row_names);
    print_names(&f, "input", c->n_extra, c->extra);
    print_names(&f, "output", c->n_outputs, c->output_names);
    print_helpers(&f);
    print_functions(&f);
    if (!options->rollout)
        print_test(&f, n_references, references);
    dal_grow(&f.header, "\n#endif\n");
    if (options->rollout)
        f.source.text = dal_arena_print(c->arena, "%s%s", f.header.text, f.source.text);
    *f.result = (dal_generated){.nq = d->nq,
                                .nv = d->nv,
                                .n_rows = d->n_rows,
                                .n_inputs = c->n_extra,
                                .n_parameters = c->n_parameters,
                                .n_speeds = c->ud ? d->p : 0,
                                .n_outputs = c->n_outputs,
                                .operations = f.result->operations,
                                .input_names = c->extra,
                                .source = f.source.text,
                                .header = f.header.text,
                                .rolled = c->rolled,
                                .n_switches = c->n_switches,
                                .listing = c};
    return f.result;
}
