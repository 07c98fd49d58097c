/* A study: its plan, its runs, what they left in journals, and files that are written of it. */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct study {
    PyObject_HEAD dal_study *study;
    PyObject *context;
} study;

static void study_dealloc(PyObject *self)
{
    dal_study_free(((study *)self)->study);
    Py_XDECREF(((study *)self)->context);
    core_delete(self);
}

static bool study_progress(void *user, const dal_study_progress *progress)
{
    return core_progress(user, (double)progress->done, (double)progress->runs, progress->here, progress->seconds);
}

/* ---- the plan ------------------------------------------------------------------------------- */

/* study(spec, vary, each, channels, random, sampling, seed, compiled) */
static PyObject *create_study(PyObject *module, PyObject *arguments)
{
    PyObject *object, *list[3];
    const char **texts[3] = {NULL};
    int n[3];
    dal_study_plan plan = {0};
    dal_status status = DAL_NO_MEMORY;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOOlzKi", core.spec, &object, &list[0], &list[1], &list[2], &plan.random, &plan.sampling, &plan.seed,
                          &plan.compiled))
        return NULL;
    const core_spec *spec = (core_spec *)object;
    bool fine = true;
    for (int i = 0; i < 3 && fine; i++)
        fine = (texts[i] = core_strings(list[i], &n[i], i == 0 ? "vary" : i == 1 ? "each" : "channels"));
    study *self = fine ? core_new(core.study) : NULL;
    dal_messages *messages = self ? core_hear() : NULL;
    if (messages) {
        plan.n_vary = n[0], plan.n_each = n[1], plan.n_channels = n[2];
        plan.vary = texts[0], plan.each = texts[1], plan.channels = texts[2];
        Py_INCREF(spec->context);
        self->context = spec->context;
        Py_BEGIN_ALLOW_THREADS status = dal_study_create(NULL, spec->spec, &plan, messages, &self->study);
        Py_END_ALLOW_THREADS core_finish(status, messages, spec->context);
        dal_messages_free(messages);
    }
    for (int i = 0; i < 3; i++)
        PyMem_Free(texts[i]);
    if (status != DAL_OK)
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* run(journal, resume, jobs, shard, shards, note, progress): whether it was stopped */
static PyObject *study_run(PyObject *self, PyObject *arguments)
{
    const study *s = (study *)self;
    PyObject *progress;
    int resume;
    Py_ssize_t size;
    core_waiting waiting = {NULL};
    dal_study_options options = {.progress = study_progress, .progress_user = &waiting};
    dal_study_outcome outcome = {.stopped = false};
    if (!PyArg_ParseTuple(arguments, "spiiiz#O", &options.journal, &resume, &options.jobs, &options.shard, &options.shards, &options.note, &size,
                          &progress))
        return NULL;
    options.resume = resume;
    options.note_size = (size_t)size;
    waiting.progress = progress == Py_None ? NULL : progress;
    dal_messages *messages = core_hear();
    if (!messages)
        return NULL;
    waiting.thread = PyEval_SaveThread();
    const dal_status status = dal_study_run(s->study, &options, messages, &outcome);
    PyEval_RestoreThread(waiting.thread);
    const bool fine = !PyErr_Occurred() && core_finish(status, messages, s->context);
    dal_messages_free(messages);
    return fine ? PyBool_FromLong(outcome.stopped) : NULL;
}

/* ---- what journals have ------------------------------------------------------------------------ */

/* [(name, unit, words or None)] */
static PyObject *factor_list(const dal_study *of, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        const dal_study_variable *v = dal_study_variable_at(of, i);
        PyObject *words = v->words ? core_names(v->n, v->words) : (Py_INCREF(Py_None), Py_None);
        PyObject *entry = Py_BuildValue("(NNN)", core_string(v->name), core_string(v->unit), words);
        if (!entry || PyList_Append(list, entry))
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *point_array(const dal_study *of, const dal_study_info *info)
{
    core_array array;
    PyObject *points = core_answer(&array, NULL, 2, (const Py_ssize_t[]){info->runs, info->factors});
    double *to = array.buffer.buf;
    for (long run = 0; points && run < info->runs; run++)
        dal_study_point(of, run, to + run * info->factors);
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

static PyObject *read_rows(const dal_study *of, int n, const char *const *journals, dal_messages *messages, dal_status *status)
{
    dal_study_reader *reader = NULL;
    dal_study_row row;
    int n_values, n_channels;
    PyObject *list = PyList_New(0);
    dal_study_values(of, &n_values);
    dal_study_channels(of, &n_channels);
    *status = dal_study_open(of, n, journals, messages, &reader);
    while (list && *status == DAL_OK && dal_study_next(reader, &row, status)) {
        PyObject *tuple = row_tuple(&row, n_values, n_channels);
        if (!tuple || PyList_Append(list, tuple))
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    dal_study_close(reader);
    return list;
}

/* read(journals): (factors, points, values, channels, rows) */
static PyObject *study_read(PyObject *self, PyObject *list)
{
    const study *s = (study *)self;
    int n, n_values, n_channels;
    dal_status status;
    const char **journals = core_strings(list, &n, "journals");
    dal_messages *messages = journals ? core_hear() : NULL;
    PyObject *rows = messages ? read_rows(s->study, n, journals, messages, &status) : NULL, *answer = NULL;
    if (rows && core_finish(status, messages, s->context)) {
        const dal_study_info info = dal_study_describe(s->study);
        const dal_column *values = dal_study_values(s->study, &n_values), *channels = dal_study_channels(s->study, &n_channels);
        answer = Py_BuildValue("(NNNNO)", factor_list(s->study, info.factors), point_array(s->study, &info), core_columns(n_values, values),
                               core_columns(n_channels, channels), rows);
    }
    Py_XDECREF(rows);
    dal_messages_free(messages);
    PyMem_Free(journals);
    return answer;
}

/* write(journals, path, motions, jobs, command or None) */
static PyObject *study_write(PyObject *self, PyObject *arguments)
{
    const study *s = (study *)self;
    PyObject *list;
    const char *path;
    int n;
    dal_study_write_options options = {0};
    dal_status status;
    if (!PyArg_ParseTuple(arguments, "Osiiz", &list, &path, &options.motions, &options.jobs, &options.command))
        return NULL;
    const char **journals = core_strings(list, &n, "journals");
    dal_messages *messages = journals ? core_hear() : NULL;
    bool fine = false;
    if (messages) {
        Py_BEGIN_ALLOW_THREADS status = dal_study_write_with(s->study, n, journals, path, &options, messages);
        Py_END_ALLOW_THREADS fine = !PyErr_CheckSignals() && core_finish(status, messages, s->context);
        dal_messages_free(messages);
    }
    PyMem_Free(journals);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef study_methods[] = {{"run", study_run, METH_VARARGS, "Make the runs that a journal does not have."},
                                      {"read", study_read, METH_O, "What journals have."},
                                      {"write", study_write, METH_VARARGS, "Write a file of results, or a page."},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot study_slots[] = {{Py_tp_dealloc, study_dealloc}, {Py_tp_methods, study_methods}, {0, NULL}};
PyType_Spec core_study_type_spec = {"dalembert._core.Study", sizeof(study), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, study_slots};

/* ---- files of studies -------------------------------------------------------------------------------- */

static PyObject *pairs_of(int n, const dal_override *pairs)
{
    PyObject *dictionary = PyDict_New();
    for (int i = 0; dictionary && i < n; i++)
        if (!core_put(dictionary, pairs[i].name, core_string(pairs[i].value)))
            Py_CLEAR(dictionary);
    return dictionary;
}

static PyObject *describe_file(const dal_study_file *f)
{
    const dal_study_plan *p = &f->plan;
    return Py_BuildValue("{sNsNsNsNslsNsKsisNsNsN}", "model", core_string(f->model), "vary", core_names(p->n_vary, p->vary), "each",
                         core_names(p->n_each, p->each), "channels", core_names(p->n_channels, p->channels), "random", p->random, "sampling",
                         core_string(p->sampling ? p->sampling : "random"), "seed", p->seed, "compiled", p->compiled, "set",
                         pairs_of(f->n_overrides, f->overrides), "simulate", pairs_of(f->n_settings, f->settings), "floating",
                         PyBool_FromLong(f->floating));
}

/* read_study(path, journal, context): the study that the file says, or that a journal was begun with, as a dictionary. */
static PyObject *read_study(PyObject *module, PyObject *arguments)
{
    const char *path;
    int journal;
    PyObject *context, *answer = NULL;
    char *note = NULL;
    size_t size = 0;
    dal_study_file *file = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "spO", &path, &journal, &context))
        return NULL;
    dal_messages *messages = core_hear();
    if (!messages)
        return NULL;
    dal_status status = journal ? dal_study_note(path, messages, &note, &size) : dal_study_read(NULL, path, messages, &file);
    if (status == DAL_OK && journal)
        status = dal_study_parse(NULL, path, note, size, messages, &file);
    if (core_finish(status, messages, context))
        answer = describe_file(file);
    dal_study_file_free(file);
    dal_messages_free(messages);
    free(note);
    return answer;
}

PyMethodDef core_sweep_functions[] = {{"study", create_study, METH_VARARGS, "A study of a model."},
                                      {"read_study", read_study, METH_VARARGS, "What a file of a study says, or a journal."},
                                      {NULL, NULL, 0, NULL}};
