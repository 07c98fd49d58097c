/* Numbers in and out. Arrays come in by the buffer protocol, from any maker; they go out as arrays of NumPy, without its C interface. */
#include "core.h"

#include <stdio.h>
#include <string.h>

/* ---- in --------------------------------------------------------------------------------- */

static bool is_double(const Py_buffer *buffer)
{
    const char *format = buffer->format;
    if (!format || buffer->itemsize != (Py_ssize_t)sizeof(double))
        return false;
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    return format[0] == 'd' && !format[1];
}

/* A list, a tuple, or an array of another type: as numpy.asarray(object, float64) has it, where nothing is lost. */
static PyObject *convert(PyObject *object, const char *what)
{
    PyObject *plain = PyObject_CallFunctionObjArgs(core.asarray, object, NULL), *kind = NULL, *answer = NULL;
    PyObject *type = plain ? PyObject_GetAttrString(plain, "dtype") : NULL;
    kind = type ? PyObject_GetAttrString(type, "kind") : NULL;
    if (kind && (!PyUnicode_CompareWithASCIIString(kind, "f") || !PyUnicode_CompareWithASCIIString(kind, "i") ||
                 !PyUnicode_CompareWithASCIIString(kind, "u")))
        answer = PyObject_CallFunction(core.asarray, "Oss", plain, "float64", "C");
    else if (kind)
        PyErr_Format(PyExc_TypeError, "%s has to hold real numbers, and its type is %S", what, type);
    else if (PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is not an array of numbers: its rows have different lengths", what);
    }
    Py_XDECREF(kind);
    Py_XDECREF(type);
    Py_XDECREF(plain);
    return answer;
}

static bool get_doubles(core_array *array, PyObject *object)
{
    if (PyObject_GetBuffer(object, &array->buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
        PyErr_Clear();
        array->buffer.obj = NULL;
        return false;
    }
    if (is_double(&array->buffer) && array->buffer.ndim > 0)
        return true;
    PyBuffer_Release(&array->buffer);
    array->buffer.obj = NULL;
    return false;
}

static void write_shape(char *text, size_t size, int axes, const Py_ssize_t *shape)
{
    int used = snprintf(text, size, "(");
    for (int i = 0; i < axes && used < (int)size - 24; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%zd", i ? ", " : "", shape[i]);
    snprintf(text + used, size - (size_t)used, axes == 1 ? ",)" : ")");
}

static bool wrong_shape(const Py_buffer *b, int axes, const Py_ssize_t *shape, const char *what)
{
    char seen[200], wanted[120], more[140];
    write_shape(seen, sizeof seen, b->ndim, b->shape);
    write_shape(wanted, sizeof wanted, axes, shape);
    snprintf(more, sizeof more, "(N, %s", wanted + 1);
    if (axes == 1)
        more[strlen(more) - 2] = ')', more[strlen(more) - 1] = '\0';
    PyErr_Format(PyExc_ValueError, "%s has the shape %s, and has to have %s, or %s in a batch", what, seen, wanted, more);
    return false;
}

static bool wants_shape(const Py_buffer *b, int axes, const Py_ssize_t *shape)
{
    bool same = b->ndim == axes || b->ndim == axes + 1;
    for (int i = 0; same && i < axes; i++)
        same = b->shape[b->ndim - axes + i] == shape[i];
    return same;
}

bool core_take_cells(core_array *array, PyObject *object, int axes, const Py_ssize_t *shape, const char *what, bool needed)
{
    *array = (core_array){.n = 1};
    if (!object || object == Py_None) {
        if (needed)
            PyErr_Format(PyExc_TypeError, "%s is missing", what);
        return !needed;
    }
    if (!get_doubles(array, object)) {
        array->kept = convert(object, what);
        if (!array->kept || !get_doubles(array, array->kept)) {
            if (array->kept && !PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "%s is one number; an array is needed", what);
            return false;
        }
    }
    const Py_buffer *b = &array->buffer;
    if (!wants_shape(b, axes, shape))
        return wrong_shape(b, axes, shape, what);
    array->batched = b->ndim == axes + 1;
    array->n = array->batched ? b->shape[0] : 1;
    array->values = b->buf;
    return true;
}

bool core_take(core_array *array, PyObject *object, Py_ssize_t width, const char *what, bool needed)
{
    return core_take_cells(array, object, 1, &width, what, needed);
}

void core_drop(core_array *array)
{
    if (array->buffer.obj)
        PyBuffer_Release(&array->buffer);
    Py_CLEAR(array->kept);
    array->values = NULL;
}

/* ---- out ----------------------------------------------------------------------------------- */

static PyObject *new_array(int dimensions, const Py_ssize_t *shape)
{
    PyObject *size = PyTuple_New(dimensions), *answer = NULL;
    for (int i = 0; size && i < dimensions; i++) {
        PyObject *length = PyLong_FromSsize_t(shape[i]);
        if (!length || PyTuple_SetItem(size, i, length))
            Py_CLEAR(size);
    }
    if (size)
        answer = PyObject_CallFunctionObjArgs(core.empty, size, NULL);
    Py_XDECREF(size);
    return answer;
}

static bool has_shape(const Py_buffer *buffer, int dimensions, const Py_ssize_t *shape)
{
    bool same = buffer->ndim == dimensions;
    for (int i = 0; same && i < dimensions; i++)
        same = buffer->shape[i] == shape[i];
    return same;
}

static void say_shape(int dimensions, const Py_ssize_t *shape)
{
    char text[120];
    write_shape(text, sizeof text, dimensions, shape);
    PyErr_Format(PyExc_ValueError, "out has to be an array of float64 of the shape %s, writable and without gaps", text);
}

PyObject *core_answer(core_array *array, PyObject *out, int dimensions, const Py_ssize_t *shape)
{
    *array = (core_array){.n = 1};
    PyObject *answer = NULL;
    if (out && out != Py_None) {
        Py_INCREF(out);
        answer = out;
    } else if (!(answer = new_array(dimensions, shape)))
        return NULL;
    if (PyObject_GetBuffer(answer, &array->buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) {
        PyErr_Clear();
        array->buffer.obj = NULL;
    } else if (is_double(&array->buffer) && has_shape(&array->buffer, dimensions, shape)) {
        array->values = array->buffer.buf;
        return answer;
    }
    core_drop(array);
    Py_DECREF(answer);
    say_shape(dimensions, shape);
    return NULL;
}

PyObject *core_copy(const double *values, int dimensions, const Py_ssize_t *shape)
{
    core_array array;
    PyObject *answer = core_answer(&array, NULL, dimensions, shape);
    if (answer && array.buffer.len)
        memcpy(array.buffer.buf, values, (size_t)array.buffer.len);
    core_drop(&array);
    return answer;
}

/* ---- views ------------------------------------------------------------------------------------ */

enum { MOST_AXES = 3 };

typedef struct view {
    PyObject_HEAD PyObject *owner;
    const double *values;
    int dimensions;
    Py_ssize_t shape[MOST_AXES], strides[MOST_AXES];
} view;

static int view_buffer(PyObject *self, Py_buffer *buffer, int flags)
{
    static char format[] = "d";
    view *v = (view *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "these numbers belong to the engine and can only be read");
        return -1;
    }
    Py_ssize_t n = 1;
    for (int i = 0; i < v->dimensions; i++)
        n *= v->shape[i];
    *buffer = (Py_buffer){.buf = (void *)(size_t)v->values,
                          .len = n * (Py_ssize_t)sizeof(double),
                          .itemsize = sizeof(double),
                          .readonly = 1,
                          .ndim = v->dimensions,
                          .format = flags & PyBUF_FORMAT ? format : NULL,
                          .shape = flags & PyBUF_ND ? v->shape : NULL,
                          .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? v->strides : NULL};
    Py_INCREF(self);
    buffer->obj = self;
    return 0;
}

static void view_dealloc(PyObject *self)
{
    Py_XDECREF(((view *)self)->owner);
    core_delete(self);
}

static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, view_dealloc}, {Py_bf_getbuffer, view_buffer}, {Py_tp_doc, "Numbers of the engine, for NumPy to look at."}, {0, NULL}};
PyType_Spec core_view_type_spec = {"dalembert._core.View", sizeof(view), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots};

PyObject *core_view(PyObject *owner, const double *values, int dimensions, const Py_ssize_t *shape)
{
    static const double none;
    view *v = core_new(core.view);
    if (!v)
        return NULL;
    Py_INCREF(owner);
    v->owner = owner;
    v->values = values ? values : &none;
    v->dimensions = dimensions;
    Py_ssize_t stride = sizeof(double);
    for (int i = dimensions - 1; i >= 0; i--) {
        v->shape[i] = shape[i];
        v->strides[i] = stride;
        stride *= shape[i];
    }
    PyObject *array = PyObject_CallFunctionObjArgs(core.asarray, (PyObject *)v, NULL);
    Py_DECREF(v);
    return array;
}
