/* Files: those of a run that can be resumed, files of results, and the pictures and pages that are made of them. */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the files of a run ----------------------------------------------------------------- */

static void run_files_dealloc(PyObject *self)
{
    core_run_files *f = (core_run_files *)self;
    dal_run_files_free(f->files);
    dal_messages_free(f->messages);
    Py_XDECREF(f->context);
    core_delete(self);
}

/* run_files(paths, units, resume, shown, context) */
static PyObject *run_files(PyObject *module, PyObject *arguments)
{
    PyObject *list, *context;
    int units, resume, shown, n = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OpppO", &list, &units, &resume, &shown, &context))
        return NULL;
    const char **paths = core_strings(list, &n, "the files of a run");
    core_run_files *self = paths ? core_new(core.run_files) : NULL;
    if (!self || !(self->messages = core_hear())) {
        PyMem_Free(paths);
        Py_XDECREF((PyObject *)self);
        return NULL;
    }
    Py_INCREF(context);
    self->context = context;
    const dal_run_files_options options = {.units = units, .resume = resume, .shown = shown};
    const dal_status status = dal_run_files_create(n, paths, &options, self->messages, &self->files);
    PyMem_Free(paths);
    if (status != DAL_OK) {
        core_finish(status, self->messages, context);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *run_files_shown(PyObject *self, PyObject *none)
{
    (void)none;
    return PyBool_FromLong(dal_run_files_shown(((core_run_files *)self)->files));
}

static PyObject *run_files_saved(PyObject *self, PyObject *none)
{
    (void)none;
    return PyFloat_FromDouble(dal_run_files_saved(((core_run_files *)self)->files));
}

static PyObject *run_files_messages(PyObject *self, PyObject *none)
{
    (void)none;
    return core_messages_list(((core_run_files *)self)->messages);
}

static PyMethodDef run_files_methods[] = {{"shown", run_files_shown, METH_NOARGS, "Has the system to have the columns of a page?"},
                                          {"saved", run_files_saved, METH_NOARGS, "The time that the run can be resumed from, nan: none."},
                                          {"messages", run_files_messages, METH_NOARGS, "All that was said about them."},
                                          {NULL, NULL, 0, NULL}};
static PyType_Slot run_files_slots[] = {{Py_tp_dealloc, run_files_dealloc}, {Py_tp_methods, run_files_methods}, {0, NULL}};
PyType_Spec core_run_files_type_spec = {"dalembert._core.RunFiles", sizeof(core_run_files), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                        run_files_slots};

/* ---- files of results ----------------------------------------------------------------------- */

typedef struct table {
    dal_results *results;
    int n;
    const dal_column *columns;
    double *values;
    Py_ssize_t rows, room;
} table;

static dal_status read_rows(table *t)
{
    const double *row;
    dal_status status;
    t->columns = dal_results_columns(t->results, &t->n);
    while ((status = dal_results_next(t->results, &row)) == DAL_OK && row) {
        if (t->rows == t->room) {
            const Py_ssize_t room = t->room ? 2 * t->room : 256;
            double *values = realloc(t->values, sizeof *values * (size_t)room * (size_t)t->n);
            if (!values)
                return DAL_NO_MEMORY;
            t->values = values;
            t->room = room;
        }
        memcpy(t->values + t->rows++ * t->n, row, sizeof *row * (size_t)t->n);
    }
    return status;
}

/* results(path, context): ([(name, unit)], rows, hash of the model, incomplete) */
static PyObject *results(PyObject *module, PyObject *arguments)
{
    const char *path;
    PyObject *context, *answer = NULL;
    table t = {NULL};
    dal_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO", &path, &context))
        return NULL;
    dal_messages *messages = core_hear();
    if (!messages)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = dal_results_open(NULL, path, messages, &t.results);
    if (status == DAL_OK)
        status = read_rows(&t);
    Py_END_ALLOW_THREADS if (core_finish(status, messages, context)) answer =
        Py_BuildValue("(NNNN)", core_columns(t.n, t.columns), core_copy(t.values, 2, (const Py_ssize_t[]){t.rows, t.n}),
                      core_string(dal_results_hash(t.results)), PyBool_FromLong(dal_results_incomplete(t.results)));
    dal_results_close(t.results);
    dal_messages_free(messages);
    free(t.values);
    return answer;
}

/* ---- pictures of them ------------------------------------------------------------------------ */

/* plot(path, channels, x or None, log, from, to, width, height, title or None, system or None): SVG; `system` knows units. */
static PyObject *plot(PyObject *module, PyObject *arguments)
{
    PyObject *list, *of;
    const char *path;
    char *text = NULL;
    int log, recorded;
    dal_plot_options options = {0};
    dal_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOzpddiizO", &path, &list, &options.x, &log, &options.from, &options.to, &options.width, &options.height,
                          &options.title, &of) ||
        (of != Py_None && !core_is(of, core.system, "a System")))
        return NULL;
    const char **channels = core_strings(list, &options.n_channels, "channels");
    dal_messages *messages = channels ? core_hear() : NULL;
    if (!messages) {
        PyMem_Free(channels);
        return NULL;
    }
    options.channels = channels;
    options.log = log;
    if (of != Py_None)
        options.units = dal_system_columns(((core_system *)of)->system, &recorded, &options.n_units);
    Py_BEGIN_ALLOW_THREADS status = dal_plot_svg(NULL, path, &options, messages, &text);
    Py_END_ALLOW_THREADS PyMem_Free(channels);
    return core_deliver_text(status, messages, Py_None, text);
}

/* snapshots(system, path, times or None, count, width, height, title or None): SVG. */
static PyObject *snapshots(PyObject *module, PyObject *arguments)
{
    PyObject *object, *numbers;
    const char *path;
    char *text = NULL;
    core_array times = {.values = NULL};
    dal_snapshot_options options = {0};
    dal_status status;
    Py_ssize_t n;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!sOiiiz", core.system, &object, &path, &numbers, &options.count, &options.width, &options.height,
                          &options.title))
        return NULL;
    const core_system *system = (core_system *)object;
    n = numbers == Py_None ? 0 : PyObject_Length(numbers);
    if (n < 0 || !core_take(&times, numbers, n, "the instants", false))
        return NULL;
    dal_messages *messages = core_hear();
    if (!messages) {
        core_drop(&times);
        return NULL;
    }
    options.n_times = (int)n;
    options.times = times.values;
    Py_BEGIN_ALLOW_THREADS status = dal_snapshots_svg(NULL, path, system->spec->spec, system->system, &options, messages, &text);
    Py_END_ALLOW_THREADS core_drop(&times);
    return core_deliver_text(status, messages, system->context, text);
}

static dal_status write_page(const core_system *system, const char *from, const char *to, const char *command, int frames, dal_messages *messages)
{
    dal_results *opened = NULL;
    dal_page *page = NULL;
    dal_status status = dal_results_open(NULL, from, messages, &opened);
    if (status == DAL_OK)
        status = dal_page_open(to, system->spec->spec, system->system, &(dal_page_options){.command = command}, messages, &page);
    if (status == DAL_OK)
        status = dal_page_results(page, opened, system->system, frames);
    if (status == DAL_OK) {
        core_page_model(page, system->spec->spec);
        dal_page_messages(page, system->messages);
        dal_page_messages(page, messages);
        status = dal_page_close(page, true);
    } else {
        dal_page_discard(page);
    }
    dal_results_close(opened);
    return status;
}

/* view(system of a spec with show, path of results, path of the page, command or None, frames) */
static PyObject *view(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *from, *to, *command;
    int frames;
    dal_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!sszi", core.system, &object, &from, &to, &command, &frames))
        return NULL;
    const core_system *system = (core_system *)object;
    dal_messages *messages = core_hear();
    if (!messages)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = write_page(system, from, to, command, frames, messages);
    Py_END_ALLOW_THREADS const bool fine = core_finish(status, messages, system->context);
    dal_messages_free(messages);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef core_file_functions[] = {{"run_files", run_files, METH_VARARGS, "The files of a run that can be resumed."},
                                     {"results", results, METH_VARARGS, "A file of results as an array."},
                                     {"plot", plot, METH_VARARGS, "Channels of a file of results, as SVG."},
                                     {"snapshots", snapshots, METH_VARARGS, "The mechanism at several instants, as SVG."},
                                     {"view", view, METH_VARARGS, "A page from a file of results."},
                                     {NULL, NULL, 0, NULL}};
