/* Spec: a model as it was read; System: what it was compiled to. */
#include "core.h"

#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

/* {name: value}, both of them strings; NULL with an exception. PyMem_Free frees it. */
static dal_override *take_overrides(PyObject *pairs, int *n)
{
    const Py_ssize_t size = PyDict_Size(pairs);
    dal_override *overrides = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof *overrides);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    *n = 0;
    if (!overrides) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return NULL;
    }
    for (; PyDict_Next(pairs, &at, &name, &value); (*n)++) {
        overrides[*n] = (dal_override){PyUnicode_AsUTF8AndSize(name, NULL), PyUnicode_AsUTF8AndSize(value, NULL)};
        if (!overrides[*n].name || !overrides[*n].value) {
            PyMem_Free(overrides);
            return NULL;
        }
    }
    return overrides;
}

static PyObject *wrap_spec(dal_spec *spec, PyObject *context)
{
    core_spec *self = core_new(core.spec);
    if (!self) {
        dal_spec_free(spec);
        return NULL;
    }
    self->spec = spec;
    Py_INCREF(context);
    self->context = context;
    return (PyObject *)self;
}

/* read_model(path, text or None, overrides, floating, context) */
static PyObject *read_model(PyObject *module, PyObject *arguments)
{
    const char *path, *text;
    Py_ssize_t length;
    PyObject *pairs, *context;
    int floating, n = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sz#O!pO", &path, &text, &length, &PyDict_Type, &pairs, &floating, &context))
        return NULL;
    dal_override *overrides = take_overrides(pairs, &n);
    dal_messages *messages = overrides ? core_hear() : NULL;
    if (!messages) {
        PyMem_Free(overrides);
        return NULL;
    }
    dal_spec *spec = NULL;
    const dal_read_options options = {.n_overrides = n, .overrides = overrides, .floating = floating};
    dal_status status;
    Py_BEGIN_ALLOW_THREADS status = text ? dal_spec_parse(NULL, path, text, (size_t)length, n, overrides, messages, &spec)
                                         : dal_spec_read_with(NULL, path, &options, messages, &spec);
    Py_END_ALLOW_THREADS PyMem_Free(overrides);
    const bool fine = core_finish(status, messages, context);
    dal_messages_free(messages);
    if (fine)
        return wrap_spec(spec, context);
    dal_spec_free(spec);
    return NULL;
}

/* ---- Spec ----------------------------------------------------------------------------------- */

static void spec_dealloc(PyObject *self)
{
    dal_spec_free(((core_spec *)self)->spec);
    Py_XDECREF(((core_spec *)self)->context);
    core_delete(self);
}

static PyObject *spec_clone(PyObject *self, PyObject *none)
{
    const core_spec *from = (core_spec *)self;
    dal_messages *messages = core_hear();
    dal_spec *copy = NULL;
    (void)none;
    if (!messages)
        return NULL;
    const bool fine = core_finish(dal_spec_clone(NULL, from->spec, messages, &copy), messages, from->context);
    dal_messages_free(messages);
    return fine ? wrap_spec(copy, from->context) : NULL;
}

static PyObject *spec_set(PyObject *self, PyObject *arguments)
{
    const core_spec *s = (core_spec *)self;
    const char *key, *text;
    if (!PyArg_ParseTuple(arguments, "ss", &key, &text))
        return NULL;
    dal_messages *messages = core_hear();
    if (!messages)
        return NULL;
    const bool set = dal_spec_set(s->spec, key, text, messages);
    const bool fine = core_finish(set ? DAL_OK : DAL_BAD_COMMAND, messages, s->context);
    dal_messages_free(messages);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *spec_show(PyObject *self, PyObject *none)
{
    (void)none;
    dal_spec_show(((core_spec *)self)->spec);
    Py_RETURN_NONE;
}

static PyObject *spec_record_motion(PyObject *self, PyObject *none)
{
    (void)none;
    dal_spec_record_motion(((core_spec *)self)->spec);
    Py_RETURN_NONE;
}

/* record(channels): these in the place of those of the model. */
static PyObject *spec_record(PyObject *self, PyObject *list)
{
    const core_spec *s = (core_spec *)self;
    int n;
    const char **channels = core_strings(list, &n, "record");
    dal_messages *messages = channels ? core_hear() : NULL;
    if (!messages) {
        PyMem_Free(channels);
        return NULL;
    }
    const bool fine = core_finish(dal_spec_record(s->spec, n, channels, messages), messages, s->context);
    dal_messages_free(messages);
    PyMem_Free(channels);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

/* The names of an array of elements of the spec. */
#define NAMES(spec, array, count) names_of(&(spec)->array->name, sizeof *(spec)->array, (spec)->count)

static PyObject *names_of(const dal_text *first, size_t stride, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *name = core_string(((const dal_text *)(const void *)((const char *)first + (size_t)i * stride))->text);
        if (!name || PyTuple_SetItem(tuple, i, name))
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *parameters_of(const dal_spec *s)
{
    PyObject *values = PyDict_New();
    for (int i = 0; values && i < s->n_parameters; i++)
        if (!core_put(values, s->parameters[i].name.text, PyFloat_FromDouble(s->parameters[i].number)))
            Py_CLEAR(values);
    return values;
}

/* What it is made of, as a dictionary. */
static PyObject *spec_describe(PyObject *self, PyObject *none)
{
    const dal_spec *s = ((core_spec *)self)->spec;
    (void)none;
    return Py_BuildValue("{sNsNsNsssNsNsNsNsNsNsNsNsN}", "name", core_string(s->name.text), "file", core_string(s->file), "hash",
                         core_string(s->hash), "space", s->space == DAL_PLANAR ? "planar" : "spatial", "text", core_string(s->text), "bodies",
                         NAMES(s, bodies, n_bodies), "joints", NAMES(s, joints, n_joints), "forces", NAMES(s, forces, n_forces), "inputs",
                         NAMES(s, inputs, n_inputs), "states", NAMES(s, states, n_states), "coordinates", NAMES(s, coordinates, n_coordinates),
                         "parameters", parameters_of(s), "files", core_names(s->n_files, s->files));
}

static PyMethodDef spec_methods[] = {{"clone", spec_clone, METH_NOARGS, "A copy that can be changed by itself."},
                                     {"set", spec_set, METH_VARARGS, "Replace an entry of `simulate:`."},
                                     {"show", spec_show, METH_NOARGS, "Systems have the columns that pages show."},
                                     {"record_motion", spec_record_motion, METH_NOARGS, "Record the motion of all bodies."},
                                     {"record", spec_record, METH_O, "Record these channels instead of those of the model."},
                                     {"describe", spec_describe, METH_NOARGS, "What it is made of."},
                                     {NULL, NULL, 0, NULL}};
static PyType_Slot spec_slots[] = {{Py_tp_dealloc, spec_dealloc}, {Py_tp_methods, spec_methods}, {0, NULL}};
PyType_Spec core_spec_type_spec = {"dalembert._core.Spec", sizeof(core_spec), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, spec_slots};

/* ---- System ----------------------------------------------------------------------------------- */

static void system_dealloc(PyObject *self)
{
    core_system *s = (core_system *)self;
    dal_system_free(s->system);
    dal_messages_free(s->messages);
    Py_XDECREF((PyObject *)s->spec);
    Py_XDECREF(s->context);
    core_delete(self);
}

/* Takes system and messages; what was said is passed on. */
static PyObject *wrap_system(dal_status status, dal_system *system, dal_messages *messages, core_spec *spec)
{
    core_system *self = core_finish(status, messages, spec->context) ? core_new(core.system) : NULL;
    if (!self) {
        dal_system_free(system);
        dal_messages_free(messages);
        return NULL;
    }
    self->system = system;
    self->messages = messages;
    Py_INCREF((PyObject *)spec);
    self->spec = spec;
    Py_INCREF(spec->context);
    self->context = spec->context;
    return (PyObject *)self;
}

/* compile_model(spec, for_evaluation) */
static PyObject *compile_model(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    int for_evaluation;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!p", core.spec, &object, &for_evaluation))
        return NULL;
    core_spec *spec = (core_spec *)object;
    dal_messages *messages = core_hear();
    dal_system *system = NULL;
    dal_status status;
    if (!messages)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = (for_evaluation ? dal_compile_for_evaluation : dal_compile)(NULL, spec->spec, messages, &system);
    Py_END_ALLOW_THREADS return wrap_system(status, system, messages, spec);
}

/* vary(names, values) */
static PyObject *system_vary(PyObject *self, PyObject *arguments)
{
    const core_system *base = (core_system *)self;
    PyObject *list, *numbers;
    int n = 0;
    core_array values;
    if (!PyArg_ParseTuple(arguments, "OO", &list, &numbers))
        return NULL;
    const char **names = core_strings(list, &n, "what is varied");
    if (!names)
        return NULL;
    dal_messages *messages = core_take(&values, numbers, n, "the values", true) ? core_hear() : NULL;
    PyObject *answer = NULL;
    if (messages) {
        dal_system *system = NULL;
        dal_status status;
        Py_BEGIN_ALLOW_THREADS status = dal_system_vary(NULL, base->system, n, names, values.values, messages, &system);
        Py_END_ALLOW_THREADS answer = wrap_system(status, system, messages, base->spec);
    }
    core_drop(&values);
    PyMem_Free(names);
    return answer;
}

static PyObject *system_info(PyObject *self, PyObject *none)
{
    const dal_system_info info = dal_system_describe(((core_system *)self)->system);
    (void)none;
    return core_info(&info);
}

/* [(name, unit)], time first, and how many of them are recorded. */
static PyObject *system_columns(PyObject *self, PyObject *none)
{
    int recorded, all;
    const dal_column *columns = dal_system_columns(((core_system *)self)->system, &recorded, &all);
    (void)none;
    return Py_BuildValue("(Ni)", core_columns(all, columns), recorded);
}

static PyObject *system_warnings(PyObject *self, PyObject *none)
{
    int n;
    const dal_message *const *warnings = dal_system_warnings(((core_system *)self)->system, &n);
    (void)none;
    return core_warnings_list(warnings, n);
}

/* Names of q and of v. */
static PyObject *system_labels(PyObject *self, PyObject *none)
{
    const dal_system *system = ((core_system *)self)->system;
    const dal_system_info info = dal_system_describe(system);
    PyObject *both[2] = {PyList_New(0), PyList_New(0)};
    char text[1024];
    (void)none;
    for (int which = 0; which < 2; which++)
        for (int k = 0; both[which] && k < (which ? info.velocities : info.coordinates_count); k++) {
            const bool known = (which ? dal_rate_label : dal_coordinate_label)(system, k, text, sizeof text);
            PyObject *name = core_string(known ? text : "");
            if (!name || PyList_Append(both[which], name))
                Py_CLEAR(both[which]);
            Py_XDECREF(name);
        }
    return Py_BuildValue("(NN)", both[0], both[1]);
}

static PyMethodDef system_methods[] = {{"vary", system_vary, METH_VARARGS, "A system with other numbers."},
                                       {"info", system_info, METH_NOARGS, "Sizes and names."},
                                       {"columns", system_columns, METH_NOARGS, "Columns, and how many of them are recorded."},
                                       {"warnings", system_warnings, METH_NOARGS, "Warnings about the model."},
                                       {"labels", system_labels, METH_NOARGS, "Names of q and v."},
                                       {NULL, NULL, 0, NULL}};
static PyType_Slot system_slots[] = {{Py_tp_dealloc, system_dealloc}, {Py_tp_methods, system_methods}, {0, NULL}};
PyType_Spec core_system_type_spec = {"dalembert._core.System", sizeof(core_system), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     system_slots};

PyMethodDef core_spec_functions[] = {{"read_model", read_model, METH_VARARGS, "Read a model file, or a text."},
                                     {"compile_model", compile_model, METH_VARARGS, "Compile a spec."},
                                     {NULL, NULL, 0, NULL}};
