/* Messages of the engine as Python has them. */
#include "core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PyObject *core_string(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : (Py_INCREF(Py_None), Py_None);
}

static PyObject *message_tuple(const dal_message *m)
{
    return Py_BuildValue("(iNiiNNd)", (int)m->severity, core_string(m->mark.file), m->mark.line, m->mark.column, core_string(m->text),
                         core_string(m->code), m->number);
}

static bool add_message(PyObject *list, const dal_message *m)
{
    PyObject *tuple = message_tuple(m);
    const bool fine = tuple && !PyList_Append(list, tuple);
    Py_XDECREF(tuple);
    return fine;
}

PyObject *core_messages_list(const dal_messages *messages)
{
    PyObject *list = PyList_New(0);
    for (const dal_message *m = dal_messages_first(messages); list && m; m = m->next)
        if (!add_message(list, m))
            Py_CLEAR(list);
    return list;
}

PyObject *core_warnings_list(const dal_message *const *warnings, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++)
        if (!add_message(list, warnings[i]))
            Py_CLEAR(list);
    return list;
}

/* The exception that the package makes of it. */
static void raise_error(dal_status status, PyObject *list, PyObject *context)
{
    PyObject *error = PyObject_CallFunction(core.make_error, "iOO", (int)status, list, context ? context : Py_None);
    if (error) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
    }
}

bool core_finish(dal_status status, const dal_messages *messages, PyObject *context)
{
    if (PyErr_Occurred())
        return false;
    if (status == DAL_NO_MEMORY) {
        PyErr_NoMemory();
        return false;
    }
    if (status == DAL_OK && !dal_messages_first(messages))
        return true;
    PyObject *list = core_messages_list(messages);
    if (!list)
        return false;
    if (status != DAL_OK)
        raise_error(status, list, context);
    else
        Py_XDECREF(PyObject_CallFunction(core.speak, "OO", list, context ? context : Py_None));
    Py_DECREF(list);
    return !PyErr_Occurred();
}

PyObject *core_refuse(dal_status status, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const dal_message m = {.severity = DAL_ERROR, .text = text, .number = NAN};
    PyObject *messages = PyList_New(0);
    if (messages && add_message(messages, &m))
        raise_error(status, messages, NULL);
    Py_XDECREF(messages);
    return NULL;
}

dal_messages *core_hear(void)
{
    dal_messages *messages = dal_messages_create(NULL);
    if (!messages)
        PyErr_NoMemory();
    return messages;
}
