/* A study: the runs of a plan, read back from their journal as arrays. */
#include "core.h"

#include <math.h>
#include <string.h>

static bool study_progress(void *user, const dal_study_progress *progress)
{
    return core_progress(user, (double)progress->done, (double)progress->runs, progress->here, progress->seconds);
}

/* Names and units of columns. */
static PyObject *column_list(int n, const dal_column *columns)
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

/* [(name, unit, words or None)] */
static PyObject *factor_list(const dal_study *study, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        const dal_study_variable *v = dal_study_variable_at(study, i);
        PyObject *words = v->words ? core_names(v->n, v->words) : (Py_INCREF(Py_None), Py_None);
        PyObject *entry = Py_BuildValue("(NNN)", core_string(v->name), core_string(v->unit), words);
        if (!entry || PyList_Append(list, entry))
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *point_array(const dal_study *study, const dal_study_info *info)
{
    core_array array;
    PyObject *points = core_answer(&array, NULL, 2, (const Py_ssize_t[]){info->runs, info->factors});
    double *to = array.buffer.buf;
    for (long run = 0; points && run < info->runs; run++)
        dal_study_point(study, run, to + run * info->factors);
    core_drop(&array);
    return points;
}

/* (run, status, reason, warnings, values, rows or None) */
static PyObject *row_tuple(const dal_study_row *row, int n_values, int n_channels)
{
    PyObject *rows = n_channels ? core_copy(row->rows, 2, (const Py_ssize_t[]){row->n_rows, n_channels}) : (Py_INCREF(Py_None), Py_None);
    return Py_BuildValue("(liNNNN)", row->run, (int)row->status, core_string(row->reason), core_string(row->warnings),
                         core_copy(row->values, 1, (const Py_ssize_t[]){n_values}), rows);
}

static PyObject *read_rows(const dal_study *study, const char *journal, dal_messages *messages, dal_status *status)
{
    dal_study_reader *reader = NULL;
    dal_study_row row;
    int n_values, n_channels;
    PyObject *list = PyList_New(0);
    dal_study_values(study, &n_values);
    dal_study_channels(study, &n_channels);
    *status = dal_study_open(study, 1, &journal, messages, &reader);
    while (list && *status == DAL_OK && dal_study_next(reader, &row, status)) {
        PyObject *tuple = row_tuple(&row, n_values, n_channels);
        if (!tuple || PyList_Append(list, tuple))
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    dal_study_close(reader);
    return list;
}

typedef struct request {
    core_spec *spec;
    dal_study_plan plan;
    dal_study_options options;
    const char **vary, **each, **channels, *output;
} request;

static void free_request(request *r)
{
    PyMem_Free(r->vary);
    PyMem_Free(r->each);
    PyMem_Free(r->channels);
}

/* (spec, vary, each, channels, random, sampling, seed, jobs, journal, output or None, progress, compiled) */
static bool take_request(PyObject *arguments, request *r, core_waiting *waiting)
{
    PyObject *spec, *vary, *each, *channels, *progress;
    *r = (request){NULL};
    if (!PyArg_ParseTuple(arguments, "O!OOOlzKiszOi", core.spec, &spec, &vary, &each, &channels, &r->plan.random, &r->plan.sampling, &r->plan.seed,
                          &r->options.jobs, &r->options.journal, &r->output, &progress, &r->plan.compiled))
        return false;
    r->spec = (core_spec *)spec;
    waiting->progress = progress == Py_None ? NULL : progress;
    if (!(r->vary = core_strings(vary, &r->plan.n_vary, "vary")) || !(r->each = core_strings(each, &r->plan.n_each, "each")) ||
        !(r->channels = core_strings(channels, &r->plan.n_channels, "channels"))) {
        free_request(r);
        return false;
    }
    r->plan.vary = r->vary;
    r->plan.each = r->each;
    r->plan.channels = r->channels;
    r->options.progress = study_progress;
    r->options.progress_user = waiting;
    return true;
}

/* Make the runs, and write the file that is wanted. */
static dal_status make_runs(const request *r, core_waiting *waiting, dal_messages *messages, dal_study **study)
{
    waiting->thread = PyEval_SaveThread();
    dal_status status = dal_study_create(NULL, r->spec->spec, &r->plan, messages, study);
    if (status == DAL_OK)
        status = dal_study_run(*study, &r->options, messages, NULL);
    if (status == DAL_OK && r->output)
        status = dal_study_write(*study, 1, &r->options.journal, r->output, messages);
    PyEval_RestoreThread(waiting->thread);
    return status;
}

/* (factors, points, values, channels, rows) */
static PyObject *sweep(PyObject *module, PyObject *arguments)
{
    request r;
    core_waiting waiting = {NULL};
    (void)module;
    if (!take_request(arguments, &r, &waiting))
        return NULL;
    dal_messages *messages = core_hear();
    dal_study *study = NULL;
    PyObject *rows = NULL, *answer = NULL;
    dal_status status = messages ? make_runs(&r, &waiting, messages, &study) : DAL_NO_MEMORY;
    if (status == DAL_OK && !PyErr_Occurred())
        rows = read_rows(study, r.options.journal, messages, &status);
    if (core_finish(status, messages, r.spec->context) && rows) {
        const dal_study_info info = dal_study_describe(study);
        int n_values, n_channels;
        const dal_column *values = dal_study_values(study, &n_values), *channels = dal_study_channels(study, &n_channels);
        answer = Py_BuildValue("(NNNNO)", factor_list(study, info.factors), point_array(study, &info), column_list(n_values, values),
                               column_list(n_channels, channels), rows);
    }
    Py_XDECREF(rows);
    dal_study_free(study);
    dal_messages_free(messages);
    free_request(&r);
    return answer;
}

PyMethodDef core_sweep_functions[] = {{"sweep", sweep, METH_VARARGS, "The runs of a plan."}, {NULL, NULL, 0, NULL}};
