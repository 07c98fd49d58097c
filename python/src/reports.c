/* Reports on a model: a verdict, a comparison, its components, its equations in symbols, its picture, and itself in other languages. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

CORE_PRINTERS(verdict, dal_verdict, dal_verdict_json(a, buffer, size), dal_verdict_text(a, buffer, size), dal_verdict_free)
CORE_PRINTERS(comparison, dal_comparison, dal_comparison_json(a, buffer, size), dal_comparison_text(a, true, buffer, size), dal_comparison_free)
CORE_PRINTERS(ports, dal_ports, dal_ports_json(a, buffer, size), dal_ports_text(a, buffer, size), dal_ports_free)

/* check(spec, along, progress) */
static PyObject *check(PyObject *module, PyObject *arguments)
{
    PyObject *object, *progress;
    int along;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!pO", core.spec, &object, &along, &progress))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    core_waiting waiting = {.progress = progress == Py_None ? NULL : progress};
    const dal_check_options options = {.along = along, .progress = core_progress, .progress_user = &waiting};
    dal_messages *messages = core_hear();
    dal_verdict *answer = NULL;
    if (!messages)
        return NULL;
    waiting.thread = PyEval_SaveThread();
    const dal_status status = dal_check(spec->spec, &options, messages, &answer);
    PyEval_RestoreThread(waiting.thread);
    return core_deliver(status, true, messages, spec, answer, verdict_json, verdict_text, verdict_release);
}

static bool compare_progress(void *user, const dal_comparison *comparison, int row, double t, double seconds)
{
    (void)row;
    return core_progress(user, t, comparison->info.until, 0, seconds);
}

/* compare(spec, coordinates, formulations, progress) */
static PyObject *compare(PyObject *module, PyObject *arguments)
{
    PyObject *object, *families, *methods, *progress, *parts = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOO", core.spec, &object, &families, &methods, &progress))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    core_waiting waiting = {.progress = progress == Py_None ? NULL : progress};
    dal_compare_options options = {.progress = compare_progress, .progress_user = &waiting};
    const char **coordinates = core_strings(families, &options.n_coordinates, "coordinates");
    const char **formulations = coordinates ? core_strings(methods, &options.n_formulations, "formulations") : NULL;
    dal_messages *messages = formulations ? core_hear() : NULL;
    options.coordinates = coordinates;
    options.formulations = formulations;
    if (messages) {
        dal_comparison *answer = NULL;
        waiting.thread = PyEval_SaveThread();
        const dal_status status = dal_compare(spec->spec, &options, messages, &answer);
        PyEval_RestoreThread(waiting.thread);
        parts = core_deliver(status, true, messages, spec, answer, comparison_json, comparison_text, comparison_release);
    }
    PyMem_Free(coordinates);
    PyMem_Free(formulations);
    return parts;
}

static PyObject *ports(PyObject *module, PyObject *object)
{
    (void)module;
    if (!core_is(object, core.spec, "a Spec"))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    dal_messages *messages = core_hear();
    dal_ports *answer = NULL;
    if (!messages)
        return NULL;
    const dal_status status = dal_ports_create(NULL, spec->spec, messages, &answer);
    return core_deliver(status, false, messages, spec, answer, ports_json, ports_text, ports_release);
}

/* derive(spec, formulations, coordinates or None, form, steps, width) */
static PyObject *derive(PyObject *module, PyObject *arguments)
{
    PyObject *object, *methods;
    int steps;
    dal_derivation_options options = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!Ozspi", core.spec, &object, &methods, &options.coordinates, &options.form, &steps, &options.width))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    const char **formulations = core_strings(methods, &options.n_formulations, "formulations");
    dal_messages *messages = formulations ? core_hear() : NULL;
    char *text = NULL;
    dal_status status;
    if (!messages) {
        PyMem_Free(formulations);
        return NULL;
    }
    options.formulations = formulations;
    options.steps = steps;
    Py_BEGIN_ALLOW_THREADS status = dal_derivation_text(NULL, spec->spec, &options, messages, &text);
    Py_END_ALLOW_THREADS PyMem_Free(formulations);
    return core_deliver_text(status, messages, spec->context, text);
}

/* generate(spec, name, formulation or None, coordinates or None, parameters, lanes, jacobians): source, header, operations */
static PyObject *generate(PyObject *module, PyObject *arguments)
{
    PyObject *object, *answer = NULL;
    int parameters, jacobians;
    dal_c_code_options options = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!szzpip", core.spec, &object, &options.name, &options.formulation, &options.coordinates, &parameters,
                          &options.lanes, &jacobians))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    dal_messages *messages = core_hear();
    dal_c_code *code = NULL;
    dal_status status;
    if (!messages)
        return NULL;
    options.parameters = parameters;
    options.jacobians = jacobians;
    Py_BEGIN_ALLOW_THREADS status = dal_c_code_generate(NULL, spec->spec, &options, messages, &code);
    Py_END_ALLOW_THREADS if (core_finish(status, messages, spec->context)) answer =
        Py_BuildValue("(NNi)", core_string(code->source), core_string(code->header), code->operations);
    dal_c_code_free(code);
    dal_messages_free(messages);
    return answer;
}

/* convert(spec, "yaml" or "urdf") */
static PyObject *convert(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *form;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!s", core.spec, &object, &form))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    dal_messages *messages = core_hear();
    char *text = NULL;
    if (!messages)
        return NULL;
    const dal_status status = (!strcmp(form, "urdf") ? dal_to_urdf : dal_to_yaml)(NULL, spec->spec, messages, &text);
    return core_deliver_text(status, messages, spec->context, text);
}

/* ---- a picture ------------------------------------------------------------------------------- */

/* The first row of a motion, in a file. */
static dal_status write_start(dal_system *system, const char *path, dal_messages *messages)
{
    dal_simulation *simulation = NULL;
    dal_writer *writer = NULL;
    int n;
    const dal_column *columns = dal_system_columns(system, &n, NULL);
    const dal_system_info info = dal_system_describe(system);
    dal_status status = dal_simulation_create(system, NULL, messages, &simulation);
    if (status == DAL_OK)
        status = dal_writer_open(NULL, path, false, messages, &writer);
    const dal_sink *sink = status == DAL_OK ? dal_writer_sink(writer) : NULL;
    const double *values = sink ? dal_simulation_values(simulation, NULL) : NULL;
    if (sink && !values)
        status = DAL_NUMERICAL;
    if (status == DAL_OK)
        status = sink->begin(sink->user, &info, n, columns);
    if (status == DAL_OK)
        status = sink->row(sink->user, n, values);
    if (status == DAL_OK)
        status = dal_writer_close(writer, true, NULL);
    else
        dal_writer_discard(writer);
    dal_simulation_free(simulation);
    return status;
}

/* picture(system of a spec with record_motion, path of a file that is written and read, width): the mechanism at its start, as SVG. */
static PyObject *picture(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *path;
    int width;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!si", core.system, &object, &path, &width))
        return NULL;
    const core_system *system = (core_system *)object;
    dal_messages *messages = core_hear();
    char *text = NULL;
    if (!messages)
        return NULL;
    dal_status status = write_start(system->system, path, messages);
    if (status == DAL_OK)
        status =
            dal_snapshots_svg(NULL, path, system->spec->spec, system->system, &(dal_snapshot_options){.count = 1, .width = width}, messages, &text);
    return core_deliver_text(status, messages, system->context, text);
}

PyMethodDef core_report_functions[] = {{"check", check, METH_VARARGS, "A verdict on a model."},
                                       {"compare", compare, METH_VARARGS, "The same motion under several methods."},
                                       {"ports", ports, METH_O, "The model as components with ports."},
                                       {"derive", derive, METH_VARARGS, "The equations of motion in symbols."},
                                       {"generate", generate, METH_VARARGS, "C code of the equations of motion."},
                                       {"convert", convert, METH_VARARGS, "The model as YAML or URDF."},
                                       {"picture", picture, METH_VARARGS, "The mechanism at its start, as SVG."},
                                       {NULL, NULL, 0, NULL}};
