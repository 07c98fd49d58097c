/* The module itself: its types, its functions, and what all files share. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

core_types core;

/* ---- small things ----------------------------------------------------------------------- */

void *core_new(PyTypeObject *type)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void core_delete(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

bool core_is(PyObject *object, PyTypeObject *type, const char *what)
{
    if (PyObject_TypeCheck(object, type))
        return true;
    PyErr_Format(PyExc_TypeError, "expected %s, not %R", what, object);
    return false;
}

bool core_put(PyObject *dictionary, const char *key, PyObject *value)
{
    const bool fine = value && !PyDict_SetItemString(dictionary, key, value);
    Py_XDECREF(value);
    return fine;
}

PyObject *core_names(int n, const char *const *names)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *name = core_string(names[i]);
        if (!name || PyTuple_SetItem(tuple, i, name))
            Py_CLEAR(tuple);
    }
    return tuple;
}

const char **core_strings(PyObject *sequence, int *n, const char *what)
{
    const Py_ssize_t length = sequence == Py_None ? 0 : PySequence_Size(sequence);
    if (length < 0 || length > 1000000 || !(PyTuple_Check(sequence) || PyList_Check(sequence) || sequence == Py_None)) {
        PyErr_Format(PyExc_TypeError, "%s has to be a list of names", what);
        return NULL;
    }
    const char **strings = PyMem_Calloc((size_t)length + 1, sizeof *strings);
    if (!strings)
        return (const char **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        strings[i] = item && PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
        Py_XDECREF(item); /* the sequence has it */
        if (!strings[i]) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_TypeError, "%s has to be a list of names", what);
            PyMem_Free(strings);
            return NULL;
        }
    }
    *n = (int)length;
    return strings;
}

PyObject *core_text(core_printer *print, const void *of)
{
    const int length = print(of, NULL, 0);
    char *text = length < 0 ? NULL : PyMem_Malloc((size_t)length + 1);
    if (!text)
        return PyErr_NoMemory();
    print(of, text, (size_t)length + 1);
    PyObject *answer = PyUnicode_DecodeUTF8(text, length, "replace");
    PyMem_Free(text);
    return answer;
}

PyObject *core_columns(int n, const dal_column *columns)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *pair = Py_BuildValue("(NN)", core_string(columns[i].name), core_string(columns[i].unit));
        if (!pair || PyList_Append(list, pair))
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

PyObject *core_info(const dal_system_info *i)
{
    PyObject *info =
        Py_BuildValue("{sNsNsNsssNsNsNsN}", "model", core_string(i->model), "hash", core_string(i->model_hash), "version", core_string(i->version),
                      "space", i->space == DAL_PLANAR ? "planar" : "spatial", "coordinates", core_string(i->coordinates), "formulation",
                      core_string(i->formulation), "stabilization", core_string(i->stabilization), "integrator", core_string(i->integrator));
    const struct {
        const char *key;
        int value;
    } counts[] = {{"bodies", i->bodies},           {"joints", i->joints}, {"nq", i->coordinates_count}, {"nv", i->velocities},
                  {"constraints", i->constraints}, {"rank", i->rank},     {"freedoms", i->freedoms},    {"equations", i->equations},
                  {"multipliers", i->multipliers}, {"states", i->states}, {"ignorable", i->ignorable}};
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"length", i->length}, {"mass", i->mass},   {"time", i->time}, {"until", i->until},
                   {"step", i->step},     {"every", i->every}, {"rtol", i->rtol}, {"atol", i->atol}};
    bool fine = info && core_put(info, "ignorable_names", core_string(i->ignorable_names));
    for (size_t k = 0; fine && k < sizeof counts / sizeof *counts; k++)
        fine = core_put(info, counts[k].key, PyLong_FromLong(counts[k].value));
    for (size_t k = 0; fine && k < sizeof numbers / sizeof *numbers; k++)
        fine = core_put(info, numbers[k].key, PyFloat_FromDouble(numbers[k].value));
    if (!fine)
        Py_CLEAR(info);
    return info;
}

/* ---- functions that belong to no type ------------------------------------------------------ */

static PyObject *set_handlers(PyObject *module, PyObject *arguments)
{
    PyObject **const handlers[] = {&core.make_error, &core.speak, &core.motion, &core.reaction, &core.energy, &core.inputs, &core.evidence};
    PyObject *given[7];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5], &given[6]))
        return NULL;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        PyObject *old = *handlers[i];
        Py_INCREF(given[i]);
        *handlers[i] = given[i];
        Py_XDECREF(old);
    }
    Py_RETURN_NONE;
}

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return core_string(dal_version());
}

static PyObject *page_available(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyBool_FromLong(dal_page_available());
}

static PyObject *list_entries(PyObject *module, PyObject *kind)
{
    const char *word = PyUnicode_Check(kind) ? PyUnicode_AsUTF8AndSize(kind, NULL) : "", *name, *title;
    PyObject *list = PyList_New(0);
    (void)module;
    for (int i = 0; list && word && dal_list_entry(word, i, &name, &title); i++) {
        PyObject *entry = Py_BuildValue("(NN)", core_string(name), core_string(title));
        if (!entry || PyList_Append(list, entry))
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* Rows of the reference of the language: (section, key, shape, text, unit). */
static PyObject *keys(PyObject *module, PyObject *none)
{
    PyObject *list = PyList_New(0);
    const dal_key_doc *key;
    (void)module, (void)none;
    for (int i = 0; list && (key = dal_spec_key(i)); i++) {
        PyObject *entry = Py_BuildValue("(NNNNN)", core_string(key->section), core_string(key->key), core_string(key->shape), core_string(key->text),
                                        core_string(key->unit));
        if (!entry || PyList_Append(list, entry))
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *status_text(PyObject *module, PyObject *status)
{
    (void)module;
    const long number = PyLong_AsLong(status);
    return PyErr_Occurred() ? NULL : core_string(dal_status_text((dal_status)number));
}

/* program(words): the exit code of the program. It takes signals, and standard output: for a process that does nothing else. */
static PyObject *program(PyObject *module, PyObject *list)
{
    int n = 0, code;
    const char **words = core_strings(list, &n, "the words of the command line");
    (void)module;
    char **copies = words ? PyMem_Calloc((size_t)n + 1, sizeof *copies) : NULL; /* options are taken apart where they stand */
    bool fine = copies;
    for (int i = 0; fine && i < n; i++)
        fine = (copies[i] = strdup(words[i]));
    if (fine) {
        Py_BEGIN_ALLOW_THREADS code = dal_command_line(n, copies);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; copies && i < n; i++)
        free(copies[i]);
    PyMem_Free(copies);
    PyMem_Free(words);
    return fine ? PyLong_FromLong(code) : PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

static PyMethodDef functions[] = {{"set_handlers", set_handlers, METH_VARARGS, "Functions and classes of the package that are called from here."},
                                  {"version", version, METH_NOARGS, "The version of the library."},
                                  {"page_available", page_available, METH_NOARGS, "Was the viewer built in?"},
                                  {"list_entries", list_entries, METH_O, "What the engine knows: names and titles of a kind."},
                                  {"keys", keys, METH_NOARGS, "The keys of the model language."},
                                  {"program", program, METH_O, "The program, with the words of its command line."},
                                  {"status_text", status_text, METH_O, "One sentence for a status."},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_core", .m_doc = "The C interface of Dalembert.", .m_size = -1,
                                        .m_methods = functions};

static bool find_numpy(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    core.empty = numpy ? PyObject_GetAttrString(numpy, "empty") : NULL;
    core.asarray = numpy ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    Py_XDECREF(numpy);
    return core.empty && core.asarray;
}

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    const struct {
        PyTypeObject **type;
        PyType_Spec *spec;
        const char *name;
    } types[] = {{&core.spec, &core_spec_type_spec, "Spec"},       {&core.system, &core_system_type_spec, "System"},
                 {&core.record, &core_record_type_spec, "Record"}, {&core.simulation, &core_simulation_type_spec, "Simulation"},
                 {&core.state, &core_state_type_spec, "State"},    {&core.tree, &core_tree_type_spec, "Tree"},
                 {&core.view, &core_view_type_spec, "View"},       {&core.run_files, &core_run_files_type_spec, "RunFiles"},
                 {&core.study, &core_study_type_spec, "Study"}};
    PyMethodDef *const more[] = {core_spec_functions,   core_record_functions, core_simulation_functions, core_analysis_functions,
                                 core_report_functions, core_sweep_functions,  core_file_functions};
    if (!find_numpy())
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module && i < sizeof types / sizeof *types; i++) {
        PyObject *type = PyType_FromSpec(types[i].spec);
        *types[i].type = (PyTypeObject *)type;
        if (!type || PyModule_AddObjectRef(module, types[i].name, type))
            Py_CLEAR(module);
    }
    for (size_t i = 0; module && i < sizeof more / sizeof *more; i++)
        if (PyModule_AddFunctions(module, more[i]))
            Py_CLEAR(module);
    return module;
}
