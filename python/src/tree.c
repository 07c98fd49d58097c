/* Tree: recursive dynamics of a joint tree, one state or a batch of them. A batch runs in C without the GIL, on as many threads as are asked for. */
#include "core.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_INPUTS = 4, MOST_OUTPUTS = 6, MOST_THREADS = 256 };

typedef struct tree {
    PyObject_HEAD core_system *system;
    dal_state *own;   /* of single calls, which hold the GIL */
    dal_state **free; /* of batches: those that no batch uses at present */
    int n_free, room;
    int nq, nv, bodies;
} tree;

/* ---- operations ------------------------------------------------------------------------------- */

typedef enum size { ONE, THREE, TURN, NQ, NV, SQUARE, JACOBIAN, WRENCHES } size;

/* One call of the library: inputs, outputs, the body and the point that it is about. */
typedef struct cell {
    dal_state *state;
    const double *in[MOST_INPUTS];
    double *out[MOST_OUTPUTS];
    int nv, body;
    double point[3];
} cell;

typedef struct operation {
    const char *name;
    bool about_body; /* the first argument is a body, and there may be a point */
    int n_in, n_needed, n_out;
    struct {
        const char *name;
        size size;
    } in[MOST_INPUTS];
    size out[MOST_OUTPUTS];
    dal_status (*call)(const cell *c);
} operation;

#define WRENCH(number) ((const dal_wrench *)(const void *)c->in[number])

static dal_status forward(const cell *c)
{
    return dal_forward_dynamics(c->state, c->in[0], c->in[1], c->in[2], WRENCH(3), c->out[0]);
}

static dal_status inverse(const cell *c)
{
    return dal_inverse_dynamics(c->state, c->in[0], c->in[1], c->in[2], WRENCH(3), c->out[0]);
}

static dal_status bias(const cell *c)
{
    return dal_bias_forces(c->state, c->in[0], c->in[1], c->out[0]);
}

static dal_status gravity(const cell *c)
{
    return dal_gravity_forces(c->state, c->in[0], c->out[0]);
}

/* The library writes the lower triangle. */
static dal_status mass(const cell *c)
{
    const dal_status status = dal_mass_matrix(c->state, c->in[0], c->out[0]);
    for (int i = 0; i < c->nv; i++)
        for (int k = 0; k < i; k++)
            c->out[0][k * c->nv + i] = c->out[0][i * c->nv + k];
    return status;
}

static dal_status mass_inverse(const cell *c)
{
    return dal_mass_inverse(c->state, c->in[0], c->out[0]);
}

static dal_status coriolis(const cell *c)
{
    return dal_coriolis_matrix(c->state, c->in[0], c->in[1], c->out[0]);
}

static dal_status forward_derivatives(const cell *c)
{
    return dal_tree_forward_derivatives(c->state, c->in[0], c->in[1], c->in[2], WRENCH(3), c->out[0], c->out[1], c->out[2]);
}

static dal_status inverse_derivatives(const cell *c)
{
    return dal_tree_inverse_derivatives(c->state, c->in[0], c->in[1], c->in[2], WRENCH(3), c->out[0], c->out[1]);
}

static dal_status joint_wrenches(const cell *c)
{
    return dal_joint_wrenches(c->state, c->in[0], c->in[1], c->in[2], WRENCH(3), (dal_wrench *)(void *)c->out[0]);
}

static dal_status jacobian(const cell *c)
{
    return dal_frame_jacobian(c->state, c->in[0], c->body, c->point, c->out[0]);
}

static dal_status jacobian_rate(const cell *c)
{
    return dal_frame_jacobian_rate(c->state, c->in[0], c->in[1], c->body, c->point, c->out[0]);
}

static dal_status motion(const cell *c)
{
    dal_motion m;
    const dal_status status = dal_frame_motion(c->state, c->in[0], c->in[1], c->in[2], c->body, c->point, &m);
    const double *const parts[] = {m.position, m.rotation, m.velocity, m.omega, m.acceleration, m.alpha};
    for (int i = 0; status == DAL_OK && i < 6; i++)
        memcpy(c->out[i], parts[i], sizeof(double) * (i == 1 ? 9 : 3));
    return status;
}

static dal_status centroid(const cell *c)
{
    dal_centroid g;
    const dal_status status = dal_centroidal_momentum(c->state, c->in[0], c->in[1], &g, c->out[5]);
    if (status != DAL_OK)
        return status;
    *c->out[0] = g.mass;
    memcpy(c->out[1], g.center, sizeof g.center);
    memcpy(c->out[2], g.velocity, sizeof g.velocity);
    memcpy(c->out[3], g.linear, sizeof g.linear);
    memcpy(c->out[4], g.angular, sizeof g.angular);
    return status;
}

#define Q                                                                                                                                            \
    {                                                                                                                                                \
        "q", NQ                                                                                                                                      \
    }
#define V                                                                                                                                            \
    {                                                                                                                                                \
        "v", NV                                                                                                                                      \
    }
#define W                                                                                                                                            \
    {                                                                                                                                                \
        "wrenches", WRENCHES                                                                                                                         \
    }
static const operation op_forward = {"forward_dynamics", false, 4, 2, 1, {Q, V, {"tau", NV}, W}, {NV}, forward},
                       op_inverse = {"inverse_dynamics", false, 4, 1, 1, {Q, V, {"a", NV}, W}, {NV}, inverse},
                       op_bias = {"bias_forces", false, 2, 1, 1, {Q, V}, {NV}, bias},
                       op_gravity = {"gravity_forces", false, 1, 1, 1, {Q}, {NV}, gravity},
                       op_mass = {"mass_matrix", false, 1, 1, 1, {Q}, {SQUARE}, mass},
                       op_mass_inverse = {"mass_inverse", false, 1, 1, 1, {Q}, {SQUARE}, mass_inverse},
                       op_coriolis = {"coriolis_matrix", false, 2, 2, 1, {Q, V}, {SQUARE}, coriolis},
                       op_forward_derivatives = {"forward_derivatives", false, 4, 2, 3, {Q, V, {"tau", NV}, W}, {NV, SQUARE, SQUARE},
                                                 forward_derivatives},
                       op_inverse_derivatives = {"inverse_derivatives", false, 4, 1, 2, {Q, V, {"a", NV}, W}, {SQUARE, SQUARE}, inverse_derivatives},
                       op_joint_wrenches = {"joint_wrenches", false, 4, 1, 1, {Q, V, {"a", NV}, W}, {WRENCHES}, joint_wrenches},
                       op_jacobian = {"jacobian", true, 1, 1, 1, {Q}, {JACOBIAN}, jacobian},
                       op_jacobian_rate = {"jacobian_rate", true, 2, 2, 1, {Q, V}, {JACOBIAN}, jacobian_rate},
                       op_motion = {"motion", true, 3, 1, 6, {Q, V, {"a", NV}}, {THREE, TURN, THREE, THREE, THREE, THREE}, motion},
                       op_centroid = {"centroidal_momentum", false, 2, 1, 6, {Q, V}, {ONE, THREE, THREE, THREE, THREE, JACOBIAN}, centroid};

/* The axes of one answer, and its numbers. */
static int axes_of(const tree *t, size s, Py_ssize_t shape[2])
{
    const Py_ssize_t nv = t->nv;
    switch (s) {
    case ONE: return 0;
    case THREE: shape[0] = 3; return 1;
    case TURN: shape[0] = shape[1] = 3; return 2;
    case NQ: shape[0] = t->nq; return 1;
    case NV: shape[0] = nv; return 1;
    case SQUARE: shape[0] = shape[1] = nv; return 2;
    case JACOBIAN:
        shape[0] = 6;
        shape[1] = nv;
        return 2;
    case WRENCHES:
        shape[0] = t->bodies;
        shape[1] = 6;
        return 2;
    }
    return 0;
}

static Py_ssize_t numbers_of(const tree *t, size s)
{
    Py_ssize_t shape[2] = {1, 1};
    const int axes = axes_of(t, s, shape);
    return axes == 0 ? 1 : axes == 1 ? shape[0] : shape[0] * shape[1];
}

/* ---- arguments ------------------------------------------------------------------------------------ */

typedef struct request {
    tree *tree;
    const operation *op;
    PyObject *in[MOST_INPUTS], *out, *body, *point;
    long threads;
    core_array arrays[MOST_INPUTS], point_array, answers[MOST_OUTPUTS];
    cell cell;
    Py_ssize_t n;
    bool batched;
    dal_status status; /* of the first row that failed, and its number */
    Py_ssize_t failed;
} request;

static bool take_keyword(request *r, PyObject *name, PyObject *value)
{
    if (!PyUnicode_CompareWithASCIIString(name, "out")) {
        r->out = value == Py_None ? NULL : value;
        return true;
    }
    for (int i = 0; i < r->op->n_in; i++)
        if (!PyUnicode_CompareWithASCIIString(name, r->op->in[i].name)) {
            if (r->in[i]) {
                PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", r->op->name, name);
                return false;
            }
            r->in[i] = value;
            return true;
        }
    if (!PyUnicode_CompareWithASCIIString(name, "threads")) {
        r->threads = PyLong_AsLong(value);
        if (!PyErr_Occurred() && (r->threads < 1 || r->threads > MOST_THREADS))
            PyErr_Format(PyExc_ValueError, "threads has to be a number from 1 to %d, not %ld", MOST_THREADS, r->threads);
        return !PyErr_Occurred();
    }
    if (r->op->about_body && !PyUnicode_CompareWithASCIIString(name, "point")) {
        r->point = value;
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", r->op->name, name);
    return false;
}

static bool take_arguments(request *r, PyObject *const *arguments, Py_ssize_t n, PyObject *keywords)
{
    const int first = r->op->about_body;
    if (n > r->op->n_in + first || n < first) {
        PyErr_Format(PyExc_TypeError, "%s() got %zd arguments without a name", r->op->name, n);
        return false;
    }
    if (first)
        r->body = arguments[0];
    for (Py_ssize_t i = first; i < n; i++)
        r->in[i - first] = arguments[i];
    const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; i++)
        if (!take_keyword(r, PyTuple_GetItem(keywords, i), arguments[n + i]))
            return false;
    return true;
}

static bool take_body(request *r)
{
    if (!r->op->about_body)
        return true;
    r->cell.body = core_find(r->tree->system, r->body, dal_system_body, "body");
    if (r->cell.body < 0 || !core_take(&r->point_array, r->point, 3, "point", false))
        return false;
    if (r->point_array.batched) {
        PyErr_SetString(PyExc_ValueError, "point has three numbers, in the axes of the body");
        return false;
    }
    for (int i = 0; r->point_array.values && i < 3; i++)
        r->cell.point[i] = r->point_array.values[i];
    return true;
}

static bool take_inputs(request *r)
{
    const operation *op = r->op;
    r->n = 1;
    for (int i = 0; i < op->n_in; i++) {
        Py_ssize_t shape[2];
        const int axes = axes_of(r->tree, op->in[i].size, shape);
        core_array *array = &r->arrays[i];
        if (!core_take_cells(array, r->in[i], axes, shape, op->in[i].name, i < op->n_needed))
            return false;
        r->cell.in[i] = array->values;
        if (!array->batched)
            continue;
        if (r->batched && array->n != r->n) {
            PyErr_Format(PyExc_ValueError, "%s has %zd rows, and the arrays before it have %zd", op->in[i].name, array->n, r->n);
            return false;
        }
        r->batched = true;
        r->n = array->n;
    }
    return true;
}

/* An answer that is written over what it is made of would be a wrong one. */
static bool is_apart(const request *r, const core_array *answer)
{
    const char *from = answer->buffer.buf, *to = from + answer->buffer.len;
    for (int i = 0; i < r->op->n_in; i++) {
        const Py_buffer *in = &r->arrays[i].buffer;
        const char *start = r->arrays[i].values ? in->buf : NULL;
        if (start && start < to && from < start + in->len) {
            PyErr_Format(PyExc_ValueError, "out shares its memory with %s", r->op->in[i].name);
            return false;
        }
    }
    return true;
}

/* One array, or a tuple of them. */
static PyObject *make_answers(request *r)
{
    const operation *op = r->op;
    if (op->n_out > 1 && r->out && !(PyTuple_Check(r->out) && PyTuple_Size(r->out) == op->n_out))
        return PyErr_Format(PyExc_TypeError, "out has to be a tuple of %d arrays", op->n_out);
    PyObject *all = op->n_out > 1 ? PyTuple_New(op->n_out) : NULL;
    for (int i = 0; i < op->n_out; i++) {
        Py_ssize_t shape[3] = {r->n};
        const int axes = axes_of(r->tree, op->out[i], shape + r->batched) + r->batched;
        PyObject *one = core_answer(&r->answers[i], op->n_out > 1 && r->out ? PyTuple_GetItem(r->out, i) : r->out, axes, shape);
        r->cell.out[i] = (double *)(size_t)r->answers[i].values;
        if (one && r->out && !is_apart(r, &r->answers[i]))
            Py_CLEAR(one);
        if (op->n_out == 1)
            return one;
        if (!one || !all || PyTuple_SetItem(all, i, one)) {
            Py_XDECREF(all);
            return NULL;
        }
    }
    return all;
}

static void drop_all(request *r)
{
    for (int i = 0; i < r->op->n_in; i++)
        core_drop(&r->arrays[i]);
    for (int i = 0; i < r->op->n_out; i++)
        core_drop(&r->answers[i]);
    core_drop(&r->point_array);
}

/* ---- a batch ------------------------------------------------------------------------------------------ */

typedef struct part {
    const request *request;
    dal_state *state;
    Py_ssize_t from, to;
    dal_status status;
    Py_ssize_t failed;
    pthread_t thread;
    bool started;
} part;

static void *run_part(void *user)
{
    part *p = user;
    const request *r = p->request;
    const operation *op = r->op;
    cell c = r->cell;
    Py_ssize_t in_stride[MOST_INPUTS] = {0}, out_stride[MOST_OUTPUTS] = {0};
    c.state = p->state;
    for (int i = 0; i < op->n_in; i++) {
        in_stride[i] = r->arrays[i].batched ? numbers_of(r->tree, op->in[i].size) : 0;
        c.in[i] = c.in[i] ? c.in[i] + p->from * in_stride[i] : NULL;
    }
    for (int i = 0; i < op->n_out; i++) {
        out_stride[i] = numbers_of(r->tree, op->out[i]);
        c.out[i] += p->from * out_stride[i];
    }
    for (p->failed = p->from; p->failed < p->to; p->failed++) {
        if ((p->status = op->call(&c)) != DAL_OK)
            break;
        for (int i = 0; i < op->n_in; i++)
            if (c.in[i])
                c.in[i] += in_stride[i];
        for (int i = 0; i < op->n_out; i++)
            c.out[i] += out_stride[i];
    }
    return NULL;
}

/* A state for a thread: one that is free, or a new one. */
static dal_state *borrow_state(tree *t)
{
    return t->n_free ? t->free[--t->n_free] : dal_state_create(NULL, t->system->system);
}

static void return_state(tree *t, dal_state *state)
{
    if (t->n_free == t->room) {
        dal_state **more = PyMem_Realloc(t->free, sizeof *more * (size_t)(t->room + 8));
        if (!more) {
            dal_state_free(state);
            return;
        }
        t->free = more;
        t->room += 8;
    }
    t->free[t->n_free++] = state;
}

static void run_batch(request *r)
{
    tree *t = r->tree;
    const int n = (int)(r->threads < r->n ? r->threads : r->n > 0 ? r->n : 1);
    part parts[MOST_THREADS];
    r->status = DAL_OK;
    for (int i = 0; i < n; i++) {
        parts[i] = (part){.request = r, .state = borrow_state(t), .from = r->n * i / n, .to = r->n * (i + 1) / n};
        if (!parts[i].state)
            r->status = DAL_NO_MEMORY;
    }
    Py_BEGIN_ALLOW_THREADS for (int i = 1; i < n && r->status == DAL_OK; i++) parts[i].started =
        !pthread_create(&parts[i].thread, NULL, run_part, &parts[i]);
    for (int i = 0; i < n && r->status == DAL_OK; i++)
        if (!parts[i].started)
            run_part(&parts[i]);
    for (int i = 1; i < n; i++)
        if (parts[i].started)
            pthread_join(parts[i].thread, NULL);
    Py_END_ALLOW_THREADS for (int i = n - 1; i >= 0; i--)
    {
        if (parts[i].status != DAL_OK) {
            r->status = parts[i].status;
            r->failed = parts[i].failed;
        }
        if (parts[i].state)
            return_state(t, parts[i].state);
    }
}

/* ---- a call ----------------------------------------------------------------------------------------------- */

/* The argument that was NaN in the row that failed, or another reason. */
static PyObject *explain(const request *r)
{
    char row[40] = "";
    if (r->status == DAL_NO_MEMORY)
        return PyErr_NoMemory();
    if (r->batched)
        snprintf(row, sizeof row, "row %zd: ", r->failed);
    for (int i = 0; i < r->op->n_in; i++) {
        const Py_ssize_t n = numbers_of(r->tree, r->op->in[i].size);
        const double *x = r->arrays[i].values ? r->arrays[i].values + (r->arrays[i].batched ? r->failed * n : 0) : NULL;
        for (Py_ssize_t k = 0; x && k < n; k++)
            if (!isfinite(x[k]))
                return core_refuse(DAL_NUMERICAL, "%s%s: number %zd of %s is %g", row, r->op->name, k, r->op->in[i].name, x[k]);
    }
    for (int i = 0; i < 3; i++)
        if (!isfinite(r->cell.point[i]))
            return core_refuse(DAL_NUMERICAL, "%s: number %d of point is %g", r->op->name, i, r->cell.point[i]);
    return core_refuse(r->status, "%s%s: %s", row, r->op->name,
                       r->status == DAL_NUMERICAL ? "the inertia does not determine an acceleration, or numbers overflow"
                                                  : dal_status_text(r->status));
}

static PyObject *call(PyObject *self, const operation *op, PyObject *const *arguments, Py_ssize_t n, PyObject *keywords)
{
    request r = {.tree = (tree *)self, .op = op, .threads = 1};
    PyObject *answer = NULL;
    r.cell.nv = r.tree->nv;
    if (take_arguments(&r, arguments, n, keywords) && take_body(&r) && take_inputs(&r) && (answer = make_answers(&r))) {
        if (r.batched)
            run_batch(&r);
        else {
            r.cell.state = r.tree->own;
            r.status = op->call(&r.cell);
        }
        if (r.status != DAL_OK) {
            Py_CLEAR(answer);
            explain(&r);
        }
    }
    drop_all(&r);
    return answer;
}

#define METHOD(name)                                                                                                                                 \
    static PyObject *call_##name(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *keywords)                                       \
    {                                                                                                                                                \
        return call(self, &op_##name, arguments, n, keywords);                                                                                       \
    }
METHOD(forward)
METHOD(inverse)
METHOD(bias)
METHOD(gravity)
METHOD(mass)
METHOD(mass_inverse)
METHOD(coriolis)
METHOD(forward_derivatives)
METHOD(inverse_derivatives)
METHOD(joint_wrenches)
METHOD(jacobian)
METHOD(jacobian_rate)
METHOD(motion)
METHOD(centroid)

/* ---- the type ------------------------------------------------------------------------------------------------ */

static void tree_dealloc(PyObject *self)
{
    tree *t = (tree *)self;
    dal_state_free(t->own);
    for (int i = 0; i < t->n_free; i++)
        dal_state_free(t->free[i]);
    PyMem_Free(t->free);
    Py_XDECREF((PyObject *)t->system);
    core_delete(self);
}

static PyObject *tree_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *system;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O!", core.system, &system))
        return NULL;
    const dal_system *of = ((core_system *)system)->system;
    const dal_system_info info = dal_system_describe(of);
    if (!dal_system_has_tree(of))
        return core_refuse(DAL_BAD_MODEL, "'%s' has no tree: it has to be compiled with coordinates 'joint'", info.model);
    tree *t = core_new(type);
    if (!t)
        return NULL;
    Py_INCREF(system);
    t->system = (core_system *)system;
    t->nq = info.coordinates_count;
    t->nv = info.velocities;
    t->bodies = info.bodies;
    if ((t->own = dal_state_create(NULL, of)))
        return (PyObject *)t;
    Py_DECREF((PyObject *)t);
    return PyErr_NoMemory();
}

static PyObject *get_count(PyObject *self, void *offset)
{
    return PyLong_FromLong(*(const int *)(const void *)((const char *)self + (size_t)offset));
}

static PyObject *tree_names(const tree *t, int n, bool (*name)(const dal_system *, int, char *, size_t))
{
    PyObject *tuple = PyTuple_New(n);
    char text[1024];
    for (int k = 0; tuple && k < n; k++) {
        PyObject *one = core_string(name(t->system->system, k, text, sizeof text) ? text : "");
        if (!one || PyTuple_SetItem(tuple, k, one))
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_coordinates(PyObject *self, void *none)
{
    (void)none;
    return tree_names((tree *)self, ((tree *)self)->nq, dal_tree_coordinate);
}

static PyObject *get_velocities(PyObject *self, void *none)
{
    (void)none;
    return tree_names((tree *)self, ((tree *)self)->nv, dal_tree_velocity);
}

static PyGetSetDef tree_members[] = {{"nq", get_count, NULL, "Numbers of q.", (void *)offsetof(tree, nq)},
                                     {"nv", get_count, NULL, "Numbers of v.", (void *)offsetof(tree, nv)},
                                     {"bodies", get_count, NULL, "Bodies.", (void *)offsetof(tree, bodies)},
                                     {"coordinates", get_coordinates, NULL, "Names of q.", NULL},
                                     {"velocities", get_velocities, NULL, "Names of v.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
#define FAST(name, function, doc)                                                                                                                    \
    {                                                                                                                                                \
        name, (PyCFunction)(void (*)(void))call_##function, METH_FASTCALL | METH_KEYWORDS, doc                                                       \
    }
static PyMethodDef tree_methods[] = {
    FAST("forward_dynamics", forward,
         "forward_dynamics(q, v, tau=None, wrenches=None, *, out=None, threads=1)\n--\n\nv' = M^-1 (tau - h + wrenches)."),
    FAST("inverse_dynamics", inverse, "inverse_dynamics(q, v=None, a=None, wrenches=None, *, out=None, threads=1)\n--\n\ntau = M v' + h - wrenches."),
    FAST("bias_forces", bias, "bias_forces(q, v=None, *, out=None, threads=1)\n--\n\nh(q, v) = C v + g."),
    FAST("gravity_forces", gravity, "gravity_forces(q, *, out=None, threads=1)\n--\n\ng(q) = h(q, 0)."),
    FAST("mass_matrix", mass, "mass_matrix(q, *, out=None, threads=1)\n--\n\nM(q), all of it."),
    FAST("mass_inverse", mass_inverse, "mass_inverse(q, *, out=None, threads=1)\n--\n\nM(q)^-1."),
    FAST("coriolis_matrix", coriolis, "coriolis_matrix(q, v, *, out=None, threads=1)\n--\n\nC(q, v) with C v + g = h and M' - 2 C skew-symmetric."),
    FAST("forward_derivatives", forward_derivatives,
         "forward_derivatives(q, v, tau=None, wrenches=None, *, out=None, threads=1)\n--\n\n(v', dv'/dq, dv'/dv), exact; columns along v."),
    FAST("inverse_derivatives", inverse_derivatives,
         "inverse_derivatives(q, v=None, a=None, wrenches=None, *, out=None, threads=1)\n--\n\n(dtau/dq, dtau/dv), exact; columns along v."),
    FAST("joint_wrenches", joint_wrenches,
         "joint_wrenches(q, v=None, a=None, wrenches=None, *, out=None, threads=1)\n--\n\nWhat the joint of each body carries: bodies x (force, "
         "torque)."),
    FAST("jacobian", jacobian,
         "jacobian(body, q, *, point=None, out=None, threads=1)\n--\n\n6 x nv: velocity of the point, angular velocity; world axes."),
    FAST("jacobian_rate", jacobian_rate, "jacobian_rate(body, q, v, *, point=None, out=None, threads=1)\n--\n\nIts time derivative along v."),
    FAST("motion", motion,
         "motion(body, q, v=None, a=None, *, point=None, out=None, threads=1)\n--\n\n(position, rotation, velocity, omega, acceleration, alpha)."),
    FAST("centroidal_momentum", centroid,
         "centroidal_momentum(q, v=None, *, out=None, threads=1)\n--\n\n(mass, center, velocity, linear, angular, A) with A v = (linear, angular)."),
    {NULL, NULL, 0, NULL}};
static PyType_Slot tree_slots[] = {{Py_tp_new, tree_new},
                                   {Py_tp_dealloc, tree_dealloc},
                                   {Py_tp_methods, tree_methods},
                                   {Py_tp_getset, tree_members},
                                   {Py_tp_doc, "Recursive dynamics of a joint tree. Arrays may have one axis more in front: a batch."},
                                   {0, NULL}};
PyType_Spec core_tree_type_spec = {"dalembert._core.Tree", sizeof(tree), 0, Py_TPFLAGS_DEFAULT, tree_slots};
