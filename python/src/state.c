/* State: one evaluation by hand. And what is read of any state, of simulations and callbacks, too. */
#include "core.h"

#include <math.h>
#include <string.h>

/* ---- what is read ------------------------------------------------------------------------------ */

void core_read_numbers(const dal_state *state, double *numbers)
{
    const double *(*const parts[])(const dal_state *, int *) = {dal_state_coordinates, dal_state_velocities, dal_state_accelerations};
    for (int i = 0; i < 3; i++) {
        int n;
        const double *from = parts[i](state, &n);
        memcpy(numbers, from, sizeof *from * (size_t)n);
        numbers += n;
    }
}

PyObject *core_body_motion(const dal_state *state, int body)
{
    const dal_motion m = dal_state_body(state, body);
    const Py_ssize_t three[] = {3}, square[] = {3, 3};
    return PyObject_CallFunction(core.motion, "NNNNNN", core_copy(m.position, 1, three), core_copy(m.rotation, 2, square),
                                 core_copy(m.velocity, 1, three), core_copy(m.omega, 1, three), core_copy(m.acceleration, 1, three),
                                 core_copy(m.alpha, 1, three));
}

PyObject *core_reaction(dal_state *state, int joint)
{
    double force[3], torque[3];
    dal_state_reaction(state, joint, force, torque);
    return PyObject_CallFunction(core.reaction, "NN", core_copy(force, 1, (const Py_ssize_t[]){3}), core_copy(torque, 1, (const Py_ssize_t[]){3}));
}

PyObject *core_energy(const dal_state *state)
{
    const dal_energy e = dal_state_energy(state);
    return PyObject_CallFunction(core.energy, "dddNN", e.kinetic, e.potential, e.work, core_copy(e.linear, 1, (const Py_ssize_t[]){3}),
                                 core_copy(e.angular, 1, (const Py_ssize_t[]){3}));
}

PyObject *core_residuals(const dal_state *state)
{
    double position, velocity;
    dal_state_residuals(state, &position, &velocity);
    return Py_BuildValue("(dd)", position, velocity);
}

int core_find(const core_system *system, PyObject *name, int (*find)(const dal_system *, const char *), const char *what)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const int index = text ? find(system->system, text) : -1;
    if (index >= 0 || PyErr_Occurred())
        return index;
    if (text)
        PyErr_Format(PyExc_KeyError, "the model has no %s %R", what, name);
    else
        PyErr_Format(PyExc_TypeError, "expected the name of a %s, not %R", what, name);
    return -1;
}

/* ---- State -------------------------------------------------------------------------------------- */

static void state_dealloc(PyObject *self)
{
    core_state *s = (core_state *)self;
    dal_state_free(s->state);
    dal_messages_free(s->messages);
    Py_XDECREF((PyObject *)s->system);
    core_delete(self);
}

static PyObject *state_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *system;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O!", core.system, &system))
        return NULL;
    core_state *s = core_new(type);
    if (!s)
        return NULL;
    Py_INCREF(system);
    s->system = (core_system *)system;
    s->state = dal_state_create(NULL, s->system->system);
    s->messages = s->state ? dal_messages_create(NULL) : NULL;
    if (s->messages)
        return (PyObject *)s;
    Py_DECREF((PyObject *)s);
    return PyErr_NoMemory();
}

/* Hand over what was said, once. */
static PyObject *finish(core_state *s, dal_status status)
{
    const bool fine = core_finish(status, s->messages, s->system->context);
    dal_messages_clear(s->messages);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *state_evaluate(PyObject *self, PyObject *none)
{
    core_state *s = (core_state *)self;
    (void)none;
    return finish(s, dal_state_evaluate(s->state, s->messages));
}

static PyObject *state_reset(PyObject *self, PyObject *none)
{
    (void)none;
    return PyBool_FromLong(dal_state_reset(((core_state *)self)->state));
}

/* assign({name: value}): the largest difference between a given value and what it became. */
static PyObject *state_assign(PyObject *self, PyObject *values)
{
    core_state *s = (core_state *)self;
    if (!PyDict_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "expected values by name: {'A.angle': 0.3}");
        return NULL;
    }
    dal_given *given = PyMem_Calloc((size_t)PyDict_Size(values) + 1, sizeof *given);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    int n = 0;
    if (!given)
        return PyErr_NoMemory();
    for (; PyDict_Next(values, &at, &name, &value) && !PyErr_Occurred(); n++) {
        given[n].name = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : "";
        given[n].value = PyFloat_AsDouble(value);
    }
    double moved = 0;
    PyObject *answer = NULL;
    if (!PyErr_Occurred())
        answer = finish(s, dal_state_assign(s->state, n, given, s->messages, &moved));
    PyMem_Free(given);
    if (!answer)
        return NULL;
    Py_DECREF(answer);
    return PyFloat_FromDouble(moved);
}

static PyObject *state_set_input(PyObject *self, PyObject *arguments)
{
    core_state *s = (core_state *)self;
    const char *name;
    double value;
    if (!PyArg_ParseTuple(arguments, "sd", &name, &value))
        return NULL;
    if (dal_system_input(s->system->system, name) < 0)
        return PyErr_Format(PyExc_KeyError, "the model has no input '%s'", name);
    if (!dal_state_set_input(s->state, name, value))
        return core_refuse(DAL_BAD_COMMAND, "the input '%s' cannot be %g", name, value);
    Py_RETURN_NONE;
}

static PyObject *state_body(PyObject *self, PyObject *name)
{
    const core_state *s = (core_state *)self;
    const int index = core_find(s->system, name, dal_system_body, "body");
    return index < 0 ? NULL : core_body_motion(s->state, index);
}

static PyObject *state_reaction(PyObject *self, PyObject *name)
{
    const core_state *s = (core_state *)self;
    const int index = core_find(s->system, name, dal_system_joint, "joint");
    return index < 0 ? NULL : core_reaction(s->state, index);
}

/* ---- derivatives ------------------------------------------------------------------------------------ */

/* A new array of this shape in the dictionary, to be written; NULL with an exception. */
static double *add_matrix(PyObject *dictionary, const char *key, int rows, int columns)
{
    core_array array;
    const Py_ssize_t shape[] = {rows, columns};
    if (!dictionary || PyErr_Occurred())
        return NULL;
    PyObject *matrix = core_answer(&array, NULL, columns < 0 ? 1 : 2, shape);
    double *values = matrix ? (double *)array.values : NULL;
    if (matrix)
        core_drop(&array);
    return core_put(dictionary, key, matrix) ? values : NULL;
}

/* The dictionary, if the call went well and every array was made. */
static PyObject *deliver_derivatives(core_state *s, PyObject *answer, dal_status status)
{
    PyObject *done = PyErr_Occurred() ? NULL : finish(s, status);
    if (!done)
        Py_CLEAR(answer);
    Py_XDECREF(done);
    return answer;
}

static PyObject *state_forward_derivatives(PyObject *self, PyObject *none)
{
    core_state *s = (core_state *)self;
    const dal_derivative_sizes n = dal_derivatives_describe(s->system->system);
    const int nv = n.velocities;
    PyObject *answer = PyDict_New();
    dal_status status = DAL_NO_MEMORY;
    (void)none;
    const dal_derivatives out = {.v = add_matrix(answer, "v", nv, -1),
                                 .vd = add_matrix(answer, "vd", nv, -1),
                                 .lambda = add_matrix(answer, "multipliers", n.rows, -1),
                                 .dq = add_matrix(answer, "dq", nv, nv),
                                 .dv = add_matrix(answer, "dv", nv, nv),
                                 .dtau = add_matrix(answer, "dtau", nv, nv),
                                 .dz = add_matrix(answer, "dz", nv, n.states),
                                 .du = add_matrix(answer, "du", nv, n.inputs),
                                 .dt = add_matrix(answer, "dt", nv, -1),
                                 .lambda_dq = add_matrix(answer, "multipliers_dq", n.rows, nv),
                                 .lambda_dv = add_matrix(answer, "multipliers_dv", n.rows, nv),
                                 .zd_dq = add_matrix(answer, "zd_dq", n.states, nv),
                                 .zd_dv = add_matrix(answer, "zd_dv", n.states, nv),
                                 .zd_dz = add_matrix(answer, "zd_dz", n.states, n.states)};
    if (!PyErr_Occurred())
        status = dal_forward_derivatives(s->state, &out, s->messages);
    return deliver_derivatives(s, answer, status);
}

/* inverse_derivatives(vd=None, multipliers=None) */
static PyObject *state_inverse_derivatives(PyObject *self, PyObject *arguments)
{
    core_state *s = (core_state *)self;
    const dal_derivative_sizes n = dal_derivatives_describe(s->system->system);
    const int nv = n.velocities;
    PyObject *accelerations = Py_None, *multipliers = Py_None;
    core_array vd, lambda;
    dal_status status = DAL_NO_MEMORY;
    if (!PyArg_ParseTuple(arguments, "|OO", &accelerations, &multipliers) ||
        !core_take_cells(&vd, accelerations, 1, (const Py_ssize_t[]){nv}, "vd", false))
        return NULL;
    if (!core_take_cells(&lambda, multipliers, 1, (const Py_ssize_t[]){n.rows}, "multipliers", false)) {
        core_drop(&vd);
        return NULL;
    }
    PyObject *answer = NULL;
    if (vd.batched || lambda.batched)
        PyErr_SetString(PyExc_ValueError, "one state has one list of accelerations and one of multipliers");
    else
        answer = PyDict_New();
    if (answer) {
        const dal_inverse_result out = {.tau = add_matrix(answer, "tau", nv, -1),
                                        .dq = add_matrix(answer, "dq", nv, nv),
                                        .dv = add_matrix(answer, "dv", nv, nv),
                                        .dvd = add_matrix(answer, "dvd", nv, nv),
                                        .dlambda = add_matrix(answer, "dmultipliers", nv, n.rows)};
        if (!PyErr_Occurred())
            status = dal_inverse_derivatives(s->state, vd.values, lambda.values, &out, s->messages);
        answer = deliver_derivatives(s, answer, status);
    }
    core_drop(&vd);
    core_drop(&lambda);
    return answer;
}

static PyObject *state_parameter_derivatives(PyObject *self, PyObject *name)
{
    core_state *s = (core_state *)self;
    const dal_derivative_sizes n = dal_derivatives_describe(s->system->system);
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected the name of a parameter, not %R", name);
    PyObject *answer = PyDict_New();
    dal_status status = DAL_NO_MEMORY;
    dal_parameter_result out = {.dvd = add_matrix(answer, "dvd", n.velocities, -1),
                                .dlambda = add_matrix(answer, "dmultipliers", n.rows, -1),
                                .dzd = add_matrix(answer, "dzd", n.states, -1),
                                .phi = add_matrix(answer, "phi", n.rows, -1),
                                .phid = add_matrix(answer, "phid", n.rows, -1),
                                .start_dq = add_matrix(answer, "start_dq", n.velocities, -1),
                                .start_dv = add_matrix(answer, "start_dv", n.velocities, -1),
                                .start_dz = add_matrix(answer, "start_dz", n.states, -1)};
    if (!PyErr_Occurred())
        status = dal_parameter_derivatives(s->state, text, &out, s->messages);
    answer = deliver_derivatives(s, answer, status);
    if (answer &&
        (!core_put(answer, "error", PyFloat_FromDouble(out.error)) || !core_put(answer, "start_error", PyFloat_FromDouble(out.start_error)) ||
         !core_put(answer, "exact", PyBool_FromLong(out.exact)) || !core_put(answer, "start_exact", PyBool_FromLong(out.start_exact))))
        Py_CLEAR(answer);
    return answer;
}

/* ---- its members -------------------------------------------------------------------------------------- */

static PyObject *get_energy(PyObject *self, void *none)
{
    (void)none;
    return core_energy(((core_state *)self)->state);
}

static PyObject *get_residuals(PyObject *self, void *none)
{
    (void)none;
    return core_residuals(((core_state *)self)->state);
}

/* Names of q or of v: a tuple. */
static PyObject *get_labels(PyObject *self, void *which)
{
    const core_state *s = (core_state *)self;
    const dal_system_info info = dal_system_describe(s->system->system);
    const int n = which ? info.velocities : info.coordinates_count;
    PyObject *names = PyTuple_New(n);
    for (int k = 0; names && k < n; k++) {
        char label[200];
        PyObject *name = (which ? dal_rate_label : dal_coordinate_label)(s->system->system, k, label, sizeof label) ? core_string(label) : NULL;
        if (!name && !PyErr_Occurred())
            PyErr_NoMemory();
        if (!name || PyTuple_SetItem(names, k, name))
            Py_CLEAR(names);
    }
    return names;
}

static PyObject *get_time(PyObject *self, void *none)
{
    (void)none;
    return PyFloat_FromDouble(dal_state_time(((core_state *)self)->state));
}

static int set_time(PyObject *self, PyObject *value, void *none)
{
    const double t = value ? PyFloat_AsDouble(value) : NAN;
    (void)none;
    if (PyErr_Occurred())
        return -1;
    if (dal_state_set_time(((core_state *)self)->state, t))
        return 0;
    core_refuse(DAL_BAD_COMMAND, "the time has to be a finite number");
    return -1;
}

/* q, v or v': copies. */
static PyObject *get_numbers(PyObject *self, void *which)
{
    const double *(*const read)(const dal_state *, int *) = *(const double *(*const *)(const dal_state *, int *))which;
    int n;
    const double *values = read(((core_state *)self)->state, &n);
    if (!values)
        return core_refuse(DAL_BAD_COMMAND, "the state is not evaluated: call evaluate() first");
    return core_copy(values, 1, (const Py_ssize_t[]){n});
}

static const double *(*const coordinates)(const dal_state *, int *) = dal_state_coordinates;
static const double *(*const velocities)(const dal_state *, int *) = dal_state_velocities;
static const double *(*const accelerations)(const dal_state *, int *) = dal_state_accelerations;
#define WHICH(part) ((void *)(size_t)&part)

static PyGetSetDef state_members[] = {{"time", get_time, set_time, "The time of the state, s.", NULL},
                                      {"q", get_numbers, NULL, "Coordinates, after evaluate().", WHICH(coordinates)},
                                      {"v", get_numbers, NULL, "Velocities.", WHICH(velocities)},
                                      {"a", get_numbers, NULL, "Accelerations.", WHICH(accelerations)},
                                      {"coordinates", get_labels, NULL, "Names of q.", NULL},
                                      {"velocities", get_labels, NULL, "Names of v: what each is the rate of.", (void *)"v"},
                                      {"energy", get_energy, NULL, "Energies and momenta.", NULL},
                                      {"residuals", get_residuals, NULL, "Largest residuals of the constraints: position, velocity.", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef state_methods[] = {
    {"evaluate", state_evaluate, METH_NOARGS, "Compute everything at this state: kinematics, forces, accelerations, reactions."},
    {"reset", state_reset, METH_NOARGS, "Back to the start values of the model."},
    {"assign", state_assign, METH_O, "Give coordinates, rates or speeds these values, {name: value}, and meet the constraints."},
    {"set_input", state_set_input, METH_VARARGS, "Set an input of the model."},
    {"body", state_body, METH_O, "How a body moves."},
    {"reaction", state_reaction, METH_O, "Force and torque of a joint on its second body."},
    {"forward_derivatives", state_forward_derivatives, METH_NOARGS,
     "Exact derivatives of the accelerations v' and of the multipliers, by q, v, tau, states z, inputs u and t: a dictionary of arrays, dq[i, j] = "
     "dv'_i/dq_j."},
    {"inverse_derivatives", state_inverse_derivatives, METH_VARARGS,
     "inverse_derivatives(vd=None, multipliers=None): derivatives of tau = M v' + h - Q - A^T lambda, at this motion or at these accelerations and "
     "multipliers."},
    {"parameter_derivatives", state_parameter_derivatives, METH_O,
     "Derivatives of v', of the multipliers, of the rows and of the start by a parameter or an input."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot state_slots[] = {{Py_tp_new, state_new},
                                    {Py_tp_dealloc, state_dealloc},
                                    {Py_tp_methods, state_methods},
                                    {Py_tp_getset, state_members},
                                    {Py_tp_doc, "One evaluation by hand: State(system)."},
                                    {0, NULL}};
PyType_Spec core_state_type_spec = {"dalembert._core.State", sizeof(core_state), 0, Py_TPFLAGS_DEFAULT, state_slots};
