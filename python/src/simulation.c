/* Simulation: a system that is stepped from outside. */
#include "core.h"

#include <math.h>
#include <string.h>

typedef struct simulation {
    PyObject_HEAD dal_simulation *simulation; /* NULL: closed */
    core_system *system;
    dal_messages *messages;
    core_waiting waiting;
    double *numbers; /* q, v, v': the memory of views; as long as this object lives */
    int nq, nv;
    PyObject *control; /* called every so often while it is stepped, or NULL */
    bool seen;         /* there are views: they are updated when the time changes */
    bool lent, busy;   /* it belongs to a run whose controller was called; a thread is stepping it */
} simulation;

static bool is_usable(const simulation *s)
{
    if (s->simulation && !s->busy)
        return true;
    if (s->simulation)
        core_refuse(DAL_BAD_COMMAND, "this simulation is being stepped by another thread: one simulation belongs to one thread");
    else
        core_refuse(DAL_BAD_COMMAND,
                    s->lent ? "this simulation belonged to a run, and was lent to its controller for one call" : "this simulation is closed");
    return false;
}

static bool may_move(const simulation *s)
{
    if (is_usable(s) && !s->lent)
        return true;
    if (!PyErr_Occurred())
        core_refuse(DAL_BAD_COMMAND, "a controller may read and set inputs; it may not step, restore or close the simulation of its run");
    return false;
}

/* ---- life ------------------------------------------------------------------------------------------ */

static int simulation_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((simulation *)self)->control);
    return 0;
}

static int simulation_clear(PyObject *self)
{
    Py_CLEAR(((simulation *)self)->control);
    return 0;
}

static void simulation_dealloc(PyObject *self)
{
    simulation *s = (simulation *)self;
    PyObject_GC_UnTrack(self);
    if (!s->lent)
        dal_simulation_free(s->simulation);
    dal_messages_free(s->messages);
    PyMem_Free(s->numbers);
    Py_XDECREF(s->control);
    Py_XDECREF((PyObject *)s->system);
    core_delete(self);
}

static simulation *begin_simulation(core_system *system)
{
    const dal_system_info info = dal_system_describe(system->system);
    simulation *s = core_new(core.simulation);
    if (!s)
        return NULL;
    Py_INCREF((PyObject *)system);
    s->system = system;
    s->nq = info.coordinates_count;
    s->nv = info.velocities;
    s->numbers = PyMem_Calloc((size_t)(s->nq + 2 * s->nv) + 1, sizeof *s->numbers);
    s->messages = s->numbers ? dal_messages_create(NULL) : NULL;
    if (s->messages)
        return s;
    Py_DECREF((PyObject *)s);
    PyErr_NoMemory();
    return NULL;
}

static dal_status control_simulation(void *user, dal_simulation *lent)
{
    simulation *s = user;
    return core_control(&s->waiting, s->system, s->control, lent);
}

/* create_simulation(system, start state or None, control or None, period) */
static PyObject *create_simulation(PyObject *module, PyObject *arguments)
{
    PyObject *system, *start, *control;
    double period;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOd", core.system, &system, &start, &control, &period) ||
        (start != Py_None && !core_is(start, core.state, "a State")))
        return NULL;
    simulation *s = begin_simulation((core_system *)system);
    if (!s)
        return NULL;
    if (control != Py_None) {
        Py_INCREF(control);
        s->control = control;
    }
    const dal_run_options options = {.progress = core_progress,
                                     .progress_user = &s->waiting,
                                     .start = start == Py_None ? NULL : ((core_state *)start)->state,
                                     .control = s->control ? control_simulation : NULL,
                                     .control_user = s,
                                     .period = period};
    s->waiting.thread = PyEval_SaveThread(); /* the controller may be called at once */
    const dal_status status = dal_simulation_create(s->system->system, &options, s->messages, &s->simulation);
    PyEval_RestoreThread(s->waiting.thread);
    const bool fine = core_finish(status, s->messages, s->system->context);
    dal_messages_clear(s->messages);
    if (fine)
        return (PyObject *)s;
    Py_DECREF((PyObject *)s);
    return NULL;
}

PyObject *core_lend(core_system *system, dal_simulation *lent)
{
    simulation *s = begin_simulation(system);
    if (s) {
        s->simulation = lent;
        s->lent = true;
    }
    return (PyObject *)s;
}

void core_return(PyObject *self)
{
    ((simulation *)self)->simulation = NULL;
}

static PyObject *simulation_close(PyObject *self, PyObject *none)
{
    simulation *s = (simulation *)self;
    (void)none;
    if (s->simulation && !may_move(s))
        return NULL;
    dal_simulation_free(s->simulation);
    s->simulation = NULL;
    Py_RETURN_NONE;
}

static PyObject *simulation_enter(PyObject *self, PyObject *none)
{
    (void)none;
    Py_INCREF(self);
    return self;
}

static PyObject *simulation_exit(PyObject *self, PyObject *arguments)
{
    (void)arguments;
    return simulation_close(self, NULL);
}

/* ---- stepping --------------------------------------------------------------------------------------- */

/* The present state, evaluated; NULL with an exception. */
static dal_state *evaluated(simulation *s)
{
    dal_state *state = dal_simulation_state(s->simulation);
    if (!state) {
        core_finish(DAL_NUMERICAL, s->messages, s->system->context);
        dal_messages_clear(s->messages);
    }
    return state;
}

static bool renew(simulation *s)
{
    const dal_state *state = evaluated(s);
    if (state)
        core_read_numbers(state, s->numbers);
    return state;
}

/* What was said is passed on, once; views see the new state. Ctrl-C goes through. */
static PyObject *finish(simulation *s, dal_status status)
{
    bool fine = true;
    if (!PyErr_Occurred() && (status != DAL_OK || dal_messages_first(s->messages)))
        fine = core_finish(status, s->messages, s->system->context);
    dal_messages_clear(s->messages);
    if (PyErr_Occurred() || !fine)
        return NULL;
    if (s->seen && !renew(s))
        return NULL;
    Py_RETURN_NONE;
}

typedef enum move { TO, LOOK, FIXED } move;

static PyObject *make_move(simulation *s, move how, double t, long work)
{
    dal_status status;
    s->busy = true;
    s->waiting.thread = PyEval_SaveThread();
    status = how == TO ? dal_step(s->simulation, t) : how == LOOK ? dal_look(s->simulation, t) : dal_step_fixed(s->simulation, t, work);
    PyEval_RestoreThread(s->waiting.thread);
    s->busy = false;
    return finish(s, status);
}

static PyObject *simulation_step(PyObject *self, PyObject *seconds)
{
    simulation *s = (simulation *)self;
    const double dt = PyFloat_AsDouble(seconds);
    if (PyErr_Occurred() || !may_move(s))
        return NULL;
    return make_move(s, TO, dal_simulation_time(s->simulation) + dt, 0);
}

static PyObject *simulation_step_to(PyObject *self, PyObject *until)
{
    simulation *s = (simulation *)self;
    const double t = PyFloat_AsDouble(until);
    return PyErr_Occurred() || !may_move(s) ? NULL : make_move(s, TO, t, 0);
}

static PyObject *simulation_look(PyObject *self, PyObject *at)
{
    simulation *s = (simulation *)self;
    const double t = PyFloat_AsDouble(at);
    return PyErr_Occurred() || !may_move(s) ? NULL : make_move(s, LOOK, t, 0);
}

static PyObject *simulation_step_fixed(PyObject *self, PyObject *arguments)
{
    simulation *s = (simulation *)self;
    double h;
    long work = 0;
    return !PyArg_ParseTuple(arguments, "d|l", &h, &work) || !may_move(s) ? NULL : make_move(s, FIXED, h, work);
}

/* ---- reading ------------------------------------------------------------------------------------------ */

static PyObject *get_time(PyObject *self, void *none)
{
    const simulation *s = (simulation *)self;
    (void)none;
    return is_usable(s) ? PyFloat_FromDouble(dal_simulation_time(s->simulation)) : NULL;
}

static PyObject *view_numbers(PyObject *self, int from, int n)
{
    simulation *s = (simulation *)self;
    if (!is_usable(s) || !renew(s))
        return NULL;
    s->seen = true;
    return core_view(self, s->numbers + from, 1, (const Py_ssize_t[]){n});
}

static PyObject *get_q(PyObject *self, void *none)
{
    (void)none;
    return view_numbers(self, 0, ((simulation *)self)->nq);
}

static PyObject *get_v(PyObject *self, void *none)
{
    const simulation *s = (simulation *)self;
    (void)none;
    return view_numbers(self, s->nq, s->nv);
}

static PyObject *get_a(PyObject *self, void *none)
{
    const simulation *s = (simulation *)self;
    (void)none;
    return view_numbers(self, s->nq + s->nv, s->nv);
}

/* The present values of all columns, time first: a copy. */
static PyObject *get_values(PyObject *self, void *none)
{
    const simulation *s = (simulation *)self;
    int n = 0;
    (void)none;
    if (!is_usable(s))
        return NULL;
    const double *values = dal_simulation_values(s->simulation, &n);
    if (values)
        return core_copy(values, 1, (const Py_ssize_t[]){n});
    core_finish(DAL_NUMERICAL, s->messages, s->system->context);
    dal_messages_clear(s->messages);
    return NULL;
}

static PyObject *simulation_item(PyObject *self, PyObject *name)
{
    const simulation *s = (simulation *)self;
    const int column = is_usable(s) ? core_find(s->system, name, dal_system_column, "recorded channel") : -1;
    return column < 0 ? NULL : PyFloat_FromDouble(dal_simulation_value(s->simulation, column));
}

static PyObject *simulation_body(PyObject *self, PyObject *name)
{
    simulation *s = (simulation *)self;
    const int index = is_usable(s) ? core_find(s->system, name, dal_system_body, "body") : -1;
    const dal_state *state = index < 0 ? NULL : evaluated(s);
    return state ? core_body_motion(state, index) : NULL;
}

static PyObject *simulation_reaction(PyObject *self, PyObject *name)
{
    simulation *s = (simulation *)self;
    const int index = is_usable(s) ? core_find(s->system, name, dal_system_joint, "joint") : -1;
    dal_state *state = index < 0 ? NULL : evaluated(s);
    return state ? core_reaction(state, index) : NULL;
}

static PyObject *get_energy(PyObject *self, void *none)
{
    simulation *s = (simulation *)self;
    const dal_state *state = is_usable(s) ? evaluated(s) : NULL;
    (void)none;
    return state ? core_energy(state) : NULL;
}

static PyObject *get_residuals(PyObject *self, void *none)
{
    simulation *s = (simulation *)self;
    const dal_state *state = is_usable(s) ? evaluated(s) : NULL;
    (void)none;
    return state ? core_residuals(state) : NULL;
}

typedef struct known {
    dal_evidence evidence;
    dal_status status;
} known;

static int print_json(const void *of, char *buffer, size_t size)
{
    const known *k = of;
    return dal_evidence_json(&k->evidence, k->status, buffer, size);
}

static int print_text(const void *of, char *buffer, size_t size)
{
    const known *k = of;
    return dal_evidence_text(&k->evidence, k->status, buffer, size);
}

static PyObject *get_evidence(PyObject *self, void *none)
{
    const simulation *s = (simulation *)self;
    known now;
    (void)none;
    if (!is_usable(s))
        return NULL;
    now.status = dal_simulation_evidence(s->simulation, &now.evidence);
    return PyObject_CallFunction(core.evidence, "NNN", core_text(print_json, &now), core_text(print_text, &now),
                                 core_warnings_list(now.evidence.warnings, now.evidence.n_warnings));
}

/* ---- inputs ---------------------------------------------------------------------------------------------- */

static PyObject *get_inputs(PyObject *self, void *none)
{
    (void)none;
    return PyObject_CallFunctionObjArgs(core.inputs, self, NULL);
}

static PyObject *simulation_set_input(PyObject *self, PyObject *arguments)
{
    simulation *s = (simulation *)self;
    PyObject *name;
    double value;
    if (!PyArg_ParseTuple(arguments, "Od", &name, &value) || !is_usable(s))
        return NULL;
    const int input = core_find(s->system, name, dal_system_input, "input");
    if (input < 0)
        return NULL;
    if (dal_simulation_set_input_number(s->simulation, input, value))
        Py_RETURN_NONE;
    /* a message of a run's own simulation goes to the run */
    if (s->lent)
        return core_refuse(DAL_BAD_COMMAND, "the input '%s' cannot be %g", PyUnicode_AsUTF8AndSize(name, NULL), value);
    core_finish(DAL_BAD_COMMAND, s->messages, s->system->context);
    dal_messages_clear(s->messages);
    return NULL;
}

static PyObject *simulation_input(PyObject *self, PyObject *name)
{
    const simulation *s = (simulation *)self;
    const int input = is_usable(s) ? core_find(s->system, name, dal_system_input, "input") : -1;
    return input < 0 ? NULL : PyFloat_FromDouble(dal_simulation_input(s->simulation, input));
}

static PyObject *get_system(PyObject *self, void *none)
{
    PyObject *system = (PyObject *)((simulation *)self)->system;
    (void)none;
    Py_INCREF(system);
    return system;
}

/* ---- save and restore ------------------------------------------------------------------------------------- */

static PyObject *simulation_save(PyObject *self, PyObject *none)
{
    const simulation *s = (simulation *)self;
    (void)none;
    if (!is_usable(s))
        return NULL;
    const size_t size = dal_simulation_save(s->simulation, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes && dal_simulation_save(s->simulation, PyBytes_AsString(bytes), size) != size) {
        Py_CLEAR(bytes);
        core_refuse(DAL_BAD_COMMAND, "the simulation cannot be saved");
    }
    return bytes;
}

static PyObject *simulation_restore(PyObject *self, PyObject *saved)
{
    simulation *s = (simulation *)self;
    Py_buffer blob;
    if (!may_move(s) || PyObject_GetBuffer(saved, &blob, PyBUF_SIMPLE))
        return NULL;
    const dal_status status = dal_simulation_restore(s->simulation, blob.buf, (size_t)blob.len);
    PyBuffer_Release(&blob);
    return finish(s, status);
}

static PyGetSetDef simulation_members[] = {
    {"time", get_time, NULL, "The present time, s.", NULL},
    {"q", get_q, NULL, "Coordinates: a view that shows the present ones, always.", NULL},
    {"v", get_v, NULL, "Velocities: a view, as q.", NULL},
    {"a", get_a, NULL, "Accelerations: a view, as q.", NULL},
    {"values", get_values, NULL, "The present values of all columns, time first.", NULL},
    {"energy", get_energy, NULL, "Energies and momenta.", NULL},
    {"residuals", get_residuals, NULL, "Largest residuals of the constraints: position, velocity.", NULL},
    {"evidence", get_evidence, NULL, "What is known of the motion so far, as after a run that ended here.", NULL},
    {"inputs", get_inputs, NULL, "Inputs by name; they can be set.", NULL},
    {"_system", get_system, NULL, "The system that it was made of.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef simulation_methods[] = {
    {"step", simulation_step, METH_O, "Integrate over so many seconds."},
    {"step_to", simulation_step_to, METH_O, "Integrate to this time, exactly."},
    {"look", simulation_look, METH_O, "Look at the motion at a time; the motion does not change by that."},
    {"step_fixed", simulation_step_fixed, METH_VARARGS, "One step of h seconds of a fixed-step integrator: step_fixed(h, work=0)."},
    {"body", simulation_body, METH_O, "How a body moves."},
    {"reaction", simulation_reaction, METH_O, "Force and torque of a joint on its second body."},
    {"set_input", simulation_set_input, METH_VARARGS, "Set an input: set_input(name, value)."},
    {"input", simulation_input, METH_O, "The present value of an input."},
    {"save", simulation_save, METH_NOARGS, "Everything that the continuation depends on, as bytes."},
    {"restore", simulation_restore, METH_O, "Back, or forward, to what was saved."},
    {"close", simulation_close, METH_NOARGS, "Free it; views stay as they are."},
    {"__enter__", simulation_enter, METH_NOARGS, NULL},
    {"__exit__", simulation_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot simulation_slots[] = {{Py_tp_traverse, simulation_traverse},
                                         {Py_tp_clear, simulation_clear},
                                         {Py_tp_dealloc, simulation_dealloc},
                                         {Py_tp_methods, simulation_methods},
                                         {Py_tp_getset, simulation_members},
                                         {Py_mp_subscript, simulation_item},
                                         {Py_tp_doc, "A model that is stepped from outside."},
                                         {0, NULL}};
PyType_Spec core_simulation_type_spec = {"dalembert._core.Simulation", sizeof(simulation), 0,
                                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, simulation_slots};

PyMethodDef core_simulation_functions[] = {{"create_simulation", create_simulation, METH_VARARGS, "A simulation of a system."},
                                           {NULL, NULL, 0, NULL}};
