/* Record: a run and what it left: rows, events, evidence, and a page that is written when it is asked for. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct event {
    double time;
    char *what;
} event;

typedef struct record {
    PyObject_HEAD core_system *system;
    dal_messages *messages;
    dal_evidence evidence;
    dal_status status;
    bool interrupted;
    double *rows; /* n_rows x n_columns; does not move after the run: views refer to it */
    int n_columns;
    Py_ssize_t n_rows, room;
    event *events;
    Py_ssize_t n_events, events_room;
    core_run_files *files; /* that rows go to; NULL: they stay here */
    dal_page *page;        /* NULL: none, or written */
    dal_series *series;
} record;

static void record_dealloc(PyObject *self)
{
    record *r = (record *)self;
    dal_page_discard(r->page);
    dal_messages_free(r->messages);
    for (Py_ssize_t i = 0; i < r->n_events; i++)
        free(r->events[i].what);
    free(r->events);
    free(r->rows);
    Py_XDECREF((PyObject *)r->system);
    Py_XDECREF((PyObject *)r->files);
    core_delete(self);
}

/* ---- during a run, without the GIL ----------------------------------------------------------- */

typedef struct run {
    core_waiting waiting; /* first: progress has it as its user */
    record *record;
    PyObject *control;
} run;

static dal_status begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)columns;
    ((run *)user)->record->n_columns = n;
    return DAL_OK;
}

static dal_status add_row(void *user, int n, const double *values)
{
    record *r = ((run *)user)->record;
    if (r->n_rows == r->room) {
        const Py_ssize_t room = r->room ? 2 * r->room : 256;
        double *rows = realloc(r->rows, sizeof *rows * (size_t)room * (size_t)n);
        if (!rows)
            return DAL_NO_MEMORY;
        r->rows = rows;
        r->room = room;
    }
    memcpy(r->rows + r->n_rows++ * n, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static dal_status add_frame(void *user, dal_state *state, int n, const double *values)
{
    return dal_series_frame(((run *)user)->record->series, state, n, values);
}

/* Events that find no memory are not listed: the evidence counts them all. */
static void add_event(void *user, double t, const char *what)
{
    record *r = ((run *)user)->record;
    if (r->n_events == r->events_room) {
        const Py_ssize_t room = r->events_room ? 2 * r->events_room : 16;
        event *events = realloc(r->events, sizeof *events * (size_t)room);
        if (!events)
            return;
        r->events = events;
        r->events_room = room;
    }
    r->events[r->n_events++] = (event){t, strdup(what)};
}

bool core_progress(void *user, double t, double until, long steps, double seconds)
{
    core_waiting *waiting = user;
    PyEval_RestoreThread(waiting->thread);
    bool going = !PyErr_CheckSignals();
    if (going && waiting->progress) {
        PyObject *answer = PyObject_CallFunction(waiting->progress, "ddld", t, until, steps, seconds);
        going = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    waiting->raised = waiting->raised || PyErr_Occurred();
    waiting->stopped = waiting->stopped || !going;
    waiting->thread = PyEval_SaveThread();
    return going;
}

dal_status core_control(core_waiting *waiting, core_system *system, PyObject *control, dal_simulation *simulation)
{
    PyEval_RestoreThread(waiting->thread);
    PyObject *lent = core_lend(system, simulation);
    PyObject *answer = lent ? PyObject_CallFunctionObjArgs(control, lent, NULL) : NULL;
    if (lent)
        core_return(lent);
    Py_XDECREF(lent);
    Py_XDECREF(answer);
    waiting->raised = waiting->raised || !answer;
    const dal_status status = answer ? DAL_OK : DAL_NUMERICAL;
    waiting->thread = PyEval_SaveThread();
    return status;
}

static dal_status control_run(void *user, dal_simulation *simulation)
{
    run *r = user;
    return core_control(&r->waiting, r->record->system, r->control, simulation);
}

/* ---- the run ------------------------------------------------------------------------------------ */

/* Ctrl-C ends the run and is no error of it; any other exception of a callback is passed on. */
static bool settle_exception(record *r)
{
    if (!PyErr_Occurred())
        return true;
    r->interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    if (r->interrupted)
        PyErr_Clear();
    return r->interrupted;
}

static bool open_page(record *r, const char *path, const char *command, int frames)
{
    const dal_page_options options = {.command = command};
    const dal_series_options series = {.system = r->system->system, .most_frames = frames};
    dal_status status = dal_page_open(path, r->system->spec->spec, r->system->system, &options, r->messages, &r->page);
    if (status == DAL_OK)
        status = dal_page_series(r->page, &series, &r->series);
    return status == DAL_OK || core_finish(status, r->messages, r->system->context);
}

/* A run whose rows go into files is finished by them; what they cannot do is an error of the run. */
static dal_status run_into_files(record *r, dal_run_options *options, bool keep, const run *now)
{
    dal_run_files *files = r->files->files;
    dal_status status = dal_run_files_open(files, r->system->spec->spec);
    options->sink = NULL;
    if (status == DAL_OK)
        status = dal_run_files_join(files, options);
    if (status != DAL_OK)
        return status;
    status = dal_run(r->system->system, options, r->messages, &r->evidence);
    const dal_status closed = dal_run_files_close(files, status, (dal_run_files_end){.keep = keep, .stopped = now->waiting.stopped}, &r->evidence);
    return status == DAL_OK ? closed : status;
}

static record *new_record(PyObject *system, PyObject *files)
{
    record *r = core_new(core.record);
    if (!r || !(r->messages = core_hear())) {
        Py_XDECREF((PyObject *)r);
        return NULL;
    }
    Py_INCREF(system);
    r->system = (core_system *)system;
    if (files != Py_None) {
        Py_INCREF(files);
        r->files = (core_run_files *)files;
    }
    return r;
}

/* run_system(system, progress, control, period, start, events, page, command, frames, compiled, files, keep): `page` is the path that a page gets, or
 * None; `compiled` as in dal_run_options; `files`: where rows go, or None. */
static PyObject *run_system(PyObject *module, PyObject *arguments)
{
    PyObject *object, *progress, *control, *start, *files;
    double period;
    int events, frames, compiled, keep;
    const char *page, *command;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOdOpzziiOp", core.system, &object, &progress, &control, &period, &start, &events, &page, &command, &frames,
                          &compiled, &files, &keep) ||
        (start != Py_None && !core_is(start, core.state, "a State")) || (files != Py_None && !core_is(files, core.run_files, "RunFiles")))
        return NULL;
    record *r = new_record(object, files);
    if (!r)
        return NULL;
    if (page && !open_page(r, page, command, frames)) {
        Py_DECREF((PyObject *)r);
        return NULL;
    }
    run now = {.waiting = {.progress = progress == Py_None ? NULL : progress}, .record = r, .control = control};
    const dal_sink sink = {&now, begin_rows, add_row};
    dal_run_options options = {.sink = &sink,
                               .progress = core_progress,
                               .progress_user = &now,
                               .start = start == Py_None ? NULL : ((core_state *)start)->state,
                               .frame = page ? add_frame : NULL,
                               .frame_user = &now,
                               .control = control == Py_None ? NULL : control_run,
                               .control_user = &now,
                               .period = period,
                               .event = events ? add_event : NULL,
                               .event_user = &now,
                               .compiled = compiled};
    now.waiting.thread = PyEval_SaveThread();
    r->status = r->files ? run_into_files(r, &options, keep, &now) : dal_run(r->system->system, &options, r->messages, &r->evidence);
    PyEval_RestoreThread(now.waiting.thread);
    if (!settle_exception(r) || (r->status == DAL_NO_MEMORY && PyErr_NoMemory() == NULL)) {
        Py_DECREF((PyObject *)r);
        return NULL;
    }
    return (PyObject *)r;
}

/* ---- what it left --------------------------------------------------------------------------------- */

static PyObject *record_rows(PyObject *self, PyObject *none)
{
    record *r = (record *)self;
    (void)none;
    return core_view(self, r->rows, 2, (const Py_ssize_t[]){r->n_rows, r->n_columns});
}

/* Those of the run, then those of its files. */
static PyObject *record_messages(PyObject *self, PyObject *none)
{
    const record *r = (record *)self;
    PyObject *list = core_messages_list(r->messages), *more = list && r->files ? core_messages_list(r->files->messages) : NULL;
    (void)none;
    if (more && PyList_SetSlice(list, PyList_Size(list), PyList_Size(list), more))
        Py_CLEAR(list);
    Py_XDECREF(more);
    return list;
}

static int print_json(const void *of, char *buffer, size_t size)
{
    const record *r = of;
    return dal_evidence_json(&r->evidence, r->status, buffer, size);
}

static int print_text(const void *of, char *buffer, size_t size)
{
    const record *r = of;
    return dal_evidence_text(&r->evidence, r->status, buffer, size);
}

static PyObject *record_evidence(PyObject *self, PyObject *none)
{
    const record *r = (record *)self;
    (void)none;
    return PyObject_CallFunction(core.evidence, "NNN", core_text(print_json, self), core_text(print_text, self),
                                 core_warnings_list(r->evidence.warnings, r->evidence.n_warnings));
}

static PyObject *record_events(PyObject *self, PyObject *none)
{
    const record *r = (record *)self;
    PyObject *list = PyList_New(0);
    (void)none;
    for (Py_ssize_t i = 0; list && i < r->n_events; i++) {
        PyObject *pair = Py_BuildValue("(dN)", r->events[i].time, core_string(r->events[i].what));
        if (!pair || PyList_Append(list, pair))
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* (status, interrupted, has a page) */
static PyObject *record_ending(PyObject *self, PyObject *none)
{
    const record *r = (record *)self;
    (void)none;
    return Py_BuildValue("(iNN)", (int)r->status, PyBool_FromLong(r->interrupted), PyBool_FromLong(r->page != NULL));
}

static dal_status write_rows(const record *r, dal_writer *writer)
{
    const dal_sink *sink = dal_writer_sink(writer);
    int n;
    const dal_column *columns = dal_system_columns(r->system->system, &n, NULL);
    dal_status status = sink->begin(sink->user, &r->evidence.info, n, columns);
    for (Py_ssize_t i = 0; i < r->n_rows && status == DAL_OK; i++)
        status = sink->row(sink->user, n, r->rows + i * n);
    if (status == DAL_OK)
        return dal_writer_close(writer, true, &r->evidence);
    dal_writer_discard(writer);
    return status;
}

/* save(path, units): .csv or .h5, as the program writes it. */
static PyObject *record_save(PyObject *self, PyObject *arguments)
{
    const record *r = (record *)self;
    const char *path;
    int units;
    if (!PyArg_ParseTuple(arguments, "sp", &path, &units))
        return NULL;
    dal_messages *messages = core_hear();
    dal_writer *writer = NULL;
    dal_status status;
    if (!messages)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = dal_writer_open(NULL, path, units, messages, &writer);
    if (status == DAL_OK)
        status = write_rows(r, writer);
    Py_END_ALLOW_THREADS const bool fine = core_finish(status, messages, r->system->context);
    dal_messages_free(messages);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

enum { MOST_CHECKED = 100 }; /* bodies: ranks of more take longer than many a run */

void core_page_model(dal_page *page, const dal_spec *spec, bool equations)
{
    dal_verdict *verdict = NULL;
    if (spec->n_bodies <= MOST_CHECKED && dal_check(spec, NULL, NULL, &verdict) == DAL_OK)
        dal_page_verdict(page, verdict);
    dal_verdict_free(verdict);
    if (equations)
        dal_page_add_equations(page, spec);
}

/* Write the page under the path that it was opened with. */
static dal_status close_page(record *r, bool equations)
{
    core_page_model(r->page, r->system->spec->spec, equations);
    dal_page_evidence(r->page, &r->evidence, r->status);
    dal_page_messages(r->page, r->system->messages);
    dal_page_messages(r->page, r->messages);
    const dal_status status = dal_page_close(r->page, true);
    r->page = NULL;
    return status;
}

/* write_page(equations) */
static PyObject *record_write_page(PyObject *self, PyObject *equations)
{
    record *r = (record *)self;
    dal_status status;
    if (!r->page)
        return core_refuse(DAL_BAD_COMMAND, "this run has no page: run it with page=True");
    const bool wanted = PyObject_IsTrue(equations) > 0;
    Py_BEGIN_ALLOW_THREADS status = close_page(r, wanted);
    Py_END_ALLOW_THREADS if (!core_finish(status, status == DAL_OK ? NULL : r->messages, r->system->context)) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef record_methods[] = {{"rows", record_rows, METH_NOARGS, "What was recorded: a view."},
                                       {"messages", record_messages, METH_NOARGS, "All that the run said."},
                                       {"evidence", record_evidence, METH_NOARGS, "The evidence."},
                                       {"events", record_events, METH_NOARGS, "Events: time and what happened."},
                                       {"ending", record_ending, METH_NOARGS, "Status, whether Ctrl-C ended it, whether there is a page."},
                                       {"save", record_save, METH_VARARGS, "Write a file of results."},
                                       {"write_page", record_write_page, METH_O, "Write the page to its path."},
                                       {NULL, NULL, 0, NULL}};
static PyType_Slot record_slots[] = {{Py_tp_dealloc, record_dealloc}, {Py_tp_methods, record_methods}, {0, NULL}};
PyType_Spec core_record_type_spec = {"dalembert._core.Record", sizeof(record), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     record_slots};

PyMethodDef core_record_functions[] = {{"run_system", run_system, METH_VARARGS, "Run a system over its time."}, {NULL, NULL, 0, NULL}};
