/* Analyses: each is one call of the library on a spec, and an answer that prints itself as JSON and as text. Python gets both; it reads the first and
 * shows the second. One more of them is one function here, with its line in the table at the end. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 6, WIDTH = 100 };

PyObject *core_deliver(dal_status status, bool whole, dal_messages *messages, const core_spec *spec, void *answer, core_printer *json,
                       core_printer *text, void (*release)(void *))
{
    PyObject *parts = NULL;
    const bool fine = status == DAL_OK || (whole && answer && status != DAL_NO_MEMORY);
    if (core_finish(fine ? DAL_OK : status, fine && whole ? NULL : messages, spec->context))
        parts = Py_BuildValue("(NNi)", core_text(json, answer), core_text(text, answer), (int)status);
    release(answer);
    dal_messages_free(messages);
    return parts;
}

PyObject *core_deliver_text(dal_status status, dal_messages *messages, PyObject *context, char *text)
{
    PyObject *answer = core_finish(status, messages, context) ? core_string(text) : NULL;
    dal_messages_free(messages);
    free(text);
    return answer;
}

CORE_PRINTERS(equations, dal_equations, dal_equations_json(a, buffer, size), dal_equations_text(a, DIGITS, WIDTH, buffer, size), dal_equations_free)
CORE_PRINTERS(evaluation, dal_evaluation, dal_evaluation_json(a, buffer, size), dal_evaluation_text(a, DIGITS, WIDTH, false, buffer, size),
              dal_evaluation_free)
CORE_PRINTERS(equilibrium, dal_equilibrium, dal_equilibrium_json(a, buffer, size), dal_equilibrium_text(a, DIGITS, buffer, size),
              dal_equilibrium_free)
CORE_PRINTERS(equilibria, dal_equilibria, dal_equilibria_json(a, buffer, size), dal_equilibria_text(a, DIGITS, buffer, size), dal_equilibria_free)
CORE_PRINTERS(linearization, dal_linearization, dal_linearization_json(a, buffer, size), dal_linearization_text(a, DIGITS, WIDTH, buffer, size),
              dal_linearization_free)
CORE_PRINTERS(response, dal_response, dal_response_json(a, buffer, size), dal_response_text(a, DIGITS, buffer, size), dal_response_free)
CORE_PRINTERS(modes, dal_modes, dal_modes_json(a, buffer, size), dal_modes_text(a, DIGITS, WIDTH, buffer, size), dal_modes_free)

/* ---- at one state ---------------------------------------------------------------------------- */

/* equations(state): of the formulation of its system. */
static PyObject *equations(PyObject *module, PyObject *object)
{
    (void)module;
    if (!core_is(object, core.state, "a State"))
        return NULL;
    const core_state *s = (core_state *)object;
    dal_messages *messages = core_hear();
    dal_equations *answer = NULL;
    if (!messages)
        return NULL;
    const dal_status status = dal_equations_create(NULL, s->state, messages, &answer);
    return core_deliver(status, false, messages, s->system->spec, answer, equations_json, equations_text, equations_release);
}

static dal_status find_instant(const core_state *s, const char *text, const char *file, long long seed, dal_messages *messages, dal_instant **instant)
{
    if (text)
        return dal_instant_parse(NULL, s->system->system, "state", text, strlen(text), messages, instant);
    if (file)
        return dal_instant_read(NULL, s->system->system, file, messages, instant);
    return dal_instant_random(NULL, s->state, (uint64_t)seed, messages, instant);
}

/* evaluate(state, JSON text or None, file or None, seed, inverse, nearest) */
static PyObject *evaluate(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *text, *file;
    long long seed;
    int inverse, nearest;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!zzLpp", core.state, &object, &text, &file, &seed, &inverse, &nearest))
        return NULL;
    const core_state *s = (core_state *)object;
    dal_messages *messages = core_hear();
    dal_instant *instant = NULL;
    dal_evaluation *answer = NULL;
    if (!messages)
        return NULL;
    dal_status status = find_instant(s, text, file, seed, messages, &instant);
    const dal_evaluation_options options = {.inverse = inverse, .nearest = nearest};
    if (status == DAL_OK)
        status = dal_evaluate(NULL, s->state, instant, &options, messages, &answer);
    PyObject *both = core_deliver(status, false, messages, s->system->spec, answer, evaluation_json, evaluation_text, evaluation_release);
    dal_instant_free(instant);
    return both;
}

/* ---- small motions --------------------------------------------------------------------------------- */

/* Rates of a steady motion: {coordinate: rate}. An array that PyMem_Free frees; NULL with an exception. The names live as long as the dictionary. */
static dal_steady *take_steady(PyObject *rates, int *n)
{
    dal_steady *steady = PyMem_Calloc((size_t)PyDict_Size(rates) + 1, sizeof *steady);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    *n = 0;
    if (!steady)
        return (dal_steady *)PyErr_NoMemory();
    for (; PyDict_Next(rates, &at, &name, &value) && !PyErr_Occurred(); ++*n) {
        if (!PyUnicode_Check(name))
            PyErr_SetString(PyExc_TypeError, "steady: expected rates by name, as in {'pin.angle': 10}");
        else
            steady[*n] = (dal_steady){PyUnicode_AsUTF8AndSize(name, NULL), PyFloat_AsDouble(value)};
    }
    if (!PyErr_Occurred())
        return steady;
    PyMem_Free(steady);
    return NULL;
}

/* equilibrium(spec, steady): near the start; of {} at rest. */
static PyObject *equilibrium(PyObject *module, PyObject *arguments)
{
    PyObject *object, *rates;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!", core.spec, &object, &PyDict_Type, &rates))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    int n;
    dal_steady *steady = take_steady(rates, &n);
    dal_messages *messages = steady ? core_hear() : NULL;
    dal_equilibrium *answer = NULL;
    dal_status status;
    if (!messages) {
        PyMem_Free(steady);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        n ? dal_steady_find(NULL, spec->spec, n, steady, messages, &answer) : dal_equilibrium_find(NULL, spec->spec, messages, &answer);
    Py_END_ALLOW_THREADS PyMem_Free(steady);
    return core_deliver(status, false, messages, spec, answer, equilibrium_json, equilibrium_text, equilibrium_release);
}

/* equilibria(spec, starts, seed) */
static PyObject *equilibria(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    int starts;
    unsigned long long seed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!iK", core.spec, &object, &starts, &seed))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    dal_messages *messages = core_hear();
    dal_equilibria *answer = NULL;
    dal_status status;
    if (!messages)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = dal_equilibria_find(NULL, spec->spec, starts, seed, messages, &answer);
    Py_END_ALLOW_THREADS return core_deliver(status, false, messages, spec, answer, equilibria_json, equilibria_text, equilibria_release);
}

typedef struct linear_request {
    const core_spec *spec;
    dal_linear_options options;
    const char **states, **inputs, **outputs;
    dal_steady *steady;
} linear_request;

static void free_linear(linear_request *r)
{
    PyMem_Free(r->states);
    PyMem_Free(r->inputs);
    PyMem_Free(r->outputs);
    PyMem_Free(r->steady);
}

/* (spec, at, states, inputs or None, outputs, steady) */
static bool take_linear(PyObject *arguments, linear_request *r)
{
    PyObject *spec, *states, *inputs, *outputs, *rates;
    *r = (linear_request){NULL};
    if (!PyArg_ParseTuple(arguments, "O!zOOOO!", core.spec, &spec, &r->options.at, &states, &inputs, &outputs, &PyDict_Type, &rates))
        return false;
    r->spec = (core_spec *)spec;
    if (!(r->states = core_strings(states, &r->options.n_states, "states")) || !(r->inputs = core_strings(inputs, &r->options.n_inputs, "inputs")) ||
        !(r->outputs = core_strings(outputs, &r->options.n_outputs, "outputs")) || !(r->steady = take_steady(rates, &r->options.n_steady))) {
        free_linear(r);
        return false;
    }
    r->options.states = r->states;
    r->options.inputs = inputs == Py_None ? NULL : r->inputs;
    r->options.outputs = r->outputs;
    r->options.steady = r->steady;
    return true;
}

static PyObject *linearize(PyObject *module, PyObject *arguments)
{
    linear_request r;
    (void)module;
    if (!take_linear(arguments, &r))
        return NULL;
    dal_messages *messages = core_hear();
    dal_linearization *answer = NULL;
    dal_status status = DAL_NO_MEMORY;
    Py_BEGIN_ALLOW_THREADS if (messages) status = dal_linearize(NULL, r.spec->spec, &r.options, messages, &answer);
    Py_END_ALLOW_THREADS free_linear(&r);
    return core_deliver(status, false, messages, r.spec, answer, linearization_json, linearization_text, linearization_release);
}

static PyObject *modes(PyObject *module, PyObject *arguments)
{
    linear_request r;
    (void)module;
    if (!take_linear(arguments, &r))
        return NULL;
    dal_messages *messages = core_hear();
    dal_modes *answer = NULL;
    dal_status status = DAL_NO_MEMORY;
    Py_BEGIN_ALLOW_THREADS if (messages) status = dal_modes_find(NULL, r.spec->spec, &r.options, messages, &answer);
    Py_END_ALLOW_THREADS free_linear(&r);
    return core_deliver(status, false, messages, r.spec, answer, modes_json, modes_text, modes_release);
}

/* Lines as they are followed: (name, re, im). */
static PyObject *campbell_lines(const dal_campbell *diagram)
{
    PyObject *lines = PyList_New(0);
    for (int i = 0; lines && i < diagram->n_lines; i++) {
        const dal_campbell_line *line = &diagram->lines[i];
        const Py_ssize_t shape[] = {diagram->n_values};
        PyObject *one = Py_BuildValue("(sNN)", line->name, core_copy(line->re, 1, shape), core_copy(line->im, 1, shape));
        if (!one || PyList_Append(lines, one))
            Py_CLEAR(lines);
        Py_XDECREF(one);
    }
    return lines;
}

/* The modes of each place, until one fails. */
static dal_status find_all_modes(PyObject *places, int n, dal_messages *messages, dal_modes **modes, const core_spec **spec)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < n && status == DAL_OK; i++) {
        linear_request r;
        if (!take_linear(PyList_GetItem(places, i), &r))
            return DAL_BAD_COMMAND;
        *spec = r.spec;
        Py_BEGIN_ALLOW_THREADS status = dal_modes_find(NULL, r.spec->spec, &r.options, messages, &modes[i]);
        Py_END_ALLOW_THREADS free_linear(&r);
    }
    return status;
}

/* campbell(parameter, values, list of (spec, at, states, inputs, outputs, steady), a value each): lines, text */
static PyObject *campbell(PyObject *module, PyObject *arguments)
{
    const char *parameter;
    PyObject *numbers, *places, *answer = NULL;
    core_array values;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOO!", &parameter, &numbers, &PyList_Type, &places))
        return NULL;
    const int n = (int)PyList_Size(places);
    if (!core_take(&values, numbers, n, "values", true))
        return NULL;
    dal_modes **modes = PyMem_Calloc((size_t)n + 1, sizeof *modes);
    dal_messages *messages = modes ? core_hear() : NULL;
    const core_spec *spec = NULL;
    dal_campbell *diagram = NULL;
    dal_status status = messages ? find_all_modes(places, n, messages, modes, &spec) : DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_campbell_track(NULL, parameter, n, values.values, (const dal_modes *const *)modes, messages, &diagram);
    if (messages && !PyErr_Occurred() && core_finish(status, messages, spec ? spec->context : Py_None))
        answer = campbell_lines(diagram);
    for (int i = 0; modes && i < n; i++)
        dal_modes_free(modes[i]);
    PyMem_Free(modes);
    dal_campbell_free(diagram);
    dal_messages_free(messages);
    core_drop(&values);
    return answer;
}

/* response((spec, at, states, inputs, outputs, steady), omega) */
static PyObject *response(PyObject *module, PyObject *arguments)
{
    linear_request r;
    PyObject *where, *numbers;
    core_array omega;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &where, &numbers) || !take_linear(where, &r))
        return NULL;
    const Py_ssize_t n = PyObject_Length(numbers);
    dal_messages *messages = n >= 0 && core_take(&omega, numbers, n, "omega", true) ? core_hear() : NULL;
    dal_response *answer = NULL;
    dal_status status = DAL_NO_MEMORY;
    if (!messages) {
        free_linear(&r);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = dal_response_find(NULL, r.spec->spec, &r.options, (int)n, omega.values, messages, &answer);
    Py_END_ALLOW_THREADS core_drop(&omega);
    free_linear(&r);
    return core_deliver(status, false, messages, r.spec, answer, response_json, response_text, response_release);
}

PyMethodDef core_analysis_functions[] = {{"equations", equations, METH_O, "The matrices of a formulation at a state."},
                                         {"evaluate", evaluate, METH_VARARGS, "Everything at one state, and the inverse problem."},
                                         {"equilibrium", equilibrium, METH_VARARGS, "Where the model stands, or moves steadily."},
                                         {"equilibria", equilibria, METH_VARARGS, "Where it stands, from several starts."},
                                         {"linearize", linearize, METH_VARARGS, "A, B, C, D near a state."},
                                         {"modes", modes, METH_VARARGS, "Frequencies, damping and shapes."},
                                         {"campbell", campbell, METH_VARARGS, "Modes over a parameter, followed by their shapes."},
                                         {"response", response, METH_VARARGS, "Amplitudes of outputs over inputs, by frequency."},
                                         {NULL, NULL, 0, NULL}};
