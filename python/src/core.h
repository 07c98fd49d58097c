/* dalembert._core: the public C interface for Python, on the limited API of Python 3.11.
 *
 * One C type a handle (Spec, System, Record, Simulation, State, Tree, RunFiles, Study), one file a type. The package beside it (python/dalembert/) makes of them what
 * people use. Calls that take time release the GIL. Messages of the engine go to two functions of the package, which set_handlers (module.c) sets:
 *
 *   make_error(status, messages, context)   an exception for a status that is not DAL_OK
 *   speak(messages, context)                warnings and notes of a call that went well
 *
 * `messages` is a list of tuples (severity, file, line, column, text, code, number); `context` belongs to the model, and knows which Python line wrote
 * which line of it.
 */
#ifndef DAL_PYTHON_CORE_H
#define DAL_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "dalembert/dalembert.h"

/* ---- types ---------------------------------------------------------------------------- */

typedef struct core_spec {
    PyObject_HEAD dal_spec *spec;
    PyObject *context;
} core_spec;

typedef struct core_system {
    PyObject_HEAD dal_system *system;
    core_spec *spec;        /* that it was compiled from: pages show it */
    dal_messages *messages; /* of its making: warnings of the model lie there */
    PyObject *context;
} core_system;

typedef struct core_state {
    PyObject_HEAD dal_state *state;
    core_system *system;
    dal_messages *messages;
} core_state;

typedef struct core_run_files {
    PyObject_HEAD dal_run_files *files;
    dal_messages *messages; /* all that is said about them */
    PyObject *context;
} core_run_files;

/* Made by module.c from these. */
extern PyType_Spec core_spec_type_spec, core_system_type_spec, core_record_type_spec, core_simulation_type_spec, core_state_type_spec,
    core_tree_type_spec, core_view_type_spec, core_run_files_type_spec, core_study_type_spec;
typedef struct core_types {
    PyTypeObject *spec, *system, *record, *simulation, *state, *tree, *view, *run_files, *study;
    PyObject *empty;      /* numpy.empty */
    PyObject *asarray;    /* numpy.asarray */
    PyObject *make_error; /* functions of the package */
    PyObject *speak;
    PyObject *motion, *reaction, *energy; /* classes of the package that hold answers: of a body, a joint, the whole */
    PyObject *inputs;                     /* class that stands for the inputs of a simulation */
    PyObject *evidence;                   /* class: evidence(json, text, warnings) */
} core_types;
extern core_types core;

/* A new object of one of these types, all zero behind its head. */
void *core_new(PyTypeObject *type);
/* The end of every dealloc. */
void core_delete(PyObject *self);
/* Is it of this type? Otherwise TypeError. */
bool core_is(PyObject *object, PyTypeObject *type, const char *what);

/* ---- messages (errors.c) ---------------------------------------------------------------- */

/* Hand over what was said, and raise where the status is not DAL_OK. False: an exception is set. */
bool core_finish(dal_status status, const dal_messages *messages, PyObject *context);
/* A list of tuples; NULL with an exception. */
PyObject *core_messages_list(const dal_messages *messages);
PyObject *core_warnings_list(const dal_message *const *warnings, int n);
/* The exception of a status, with a sentence of this layer. Returns NULL. */
PyObject *core_refuse(dal_status status, const char *format, ...) DAL_PRINTF(2, 3);
/* New messages, or MemoryError. */
dal_messages *core_hear(void);

/* ---- numbers (arrays.c) -------------------------------------------------------------------- */

/* Numbers that came in: float64, in rows without gaps. */
typedef struct core_array {
    Py_buffer buffer;
    PyObject *kept;       /* a converted copy, or NULL */
    const double *values; /* NULL: none were given */
    bool batched;         /* the first axis counts */
    Py_ssize_t n;         /* length of that axis; 1 otherwise */
} core_array;

/* Of this shape (one or two axes), or a batch of them with one axis more in front; None or NULL: none. False with an exception that names `what`. */
bool core_take_cells(core_array *array, PyObject *object, int axes, const Py_ssize_t *shape, const char *what, bool needed);
/* Of `width` numbers, or of rows of `width`. */
bool core_take(core_array *array, PyObject *object, Py_ssize_t width, const char *what, bool needed);
void core_drop(core_array *array);
/* An array for answers: numpy.empty, or `out`, which has to have this shape. `values` can be written. */
PyObject *core_answer(core_array *array, PyObject *out, int dimensions, const Py_ssize_t *shape);
/* A view of memory that belongs to `owner`, which lives as long as the view does; an array of NumPy. */
PyObject *core_view(PyObject *owner, const double *values, int dimensions, const Py_ssize_t *shape);
/* A copy of numbers, as an array. */
PyObject *core_copy(const double *values, int dimensions, const Py_ssize_t *shape);

/* ---- small things (module.c) --------------------------------------------------------------- */

/* Set a key of a dictionary to a new reference, which is taken. False where it is NULL or there is no memory. */
bool core_put(PyObject *dictionary, const char *key, PyObject *value);
/* A tuple of strings. */
PyObject *core_names(int n, const char *const *names);
/* The strings of a list or tuple: an array that PyMem_Free frees, NULL with an exception. They live as long as the list. */
const char **core_strings(PyObject *sequence, int *n, const char *what);
/* What a printer of the library (as snprintf) writes, as a string. */
typedef int core_printer(const void *of, char *buffer, size_t size);
PyObject *core_text(core_printer *print, const void *of);
/* Text from the library, which need not be UTF-8. */
PyObject *core_string(const char *text);
/* [(name, unit)] */
PyObject *core_columns(int n, const dal_column *columns);
/* Sizes and names. */
PyObject *core_info(const dal_system_info *info);

/* ---- runs (record.c) ------------------------------------------------------------------------ */

/* What callbacks of a long call need: the thread that waits without the GIL, and what is called. */
typedef struct core_waiting {
    PyThreadState *thread;
    PyObject *progress; /* progress(t, until, steps, seconds), or NULL */
    bool raised;        /* a callback left an exception */
    bool stopped;       /* it was answered that the call is to end */
} core_waiting;
/* For every hook named progress of the library, with a core_waiting as its user. False where Ctrl-C was pressed, or the callback raised. */
bool core_progress(void *user, double t, double until, long steps, double seconds);
/* For hooks named control: calls `control` with the simulation, lent. DAL_NUMERICAL where it raised. */
dal_status core_control(core_waiting *waiting, core_system *system, PyObject *control, dal_simulation *simulation);

/* What dal_check says of a model, on its page (nothing of a large one), and its equations in symbols, if they are wanted: they may take seconds. */
void core_page_model(dal_page *page, const dal_spec *spec, bool equations);
/* Of the program, which is in this module (src/cli/pages.c, src/cli/main.c). */
void dal_page_add_equations(dal_page *page, const dal_spec *spec);
int dal_command_line(int argc, char **argv);

/* ---- states (state.c), for State, Simulation and callbacks -------------------------------------- */

/* (q, v, v') of an evaluated state, copied into `numbers`. */
void core_read_numbers(const dal_state *state, double *numbers);
PyObject *core_body_motion(const dal_state *state, int body);
PyObject *core_reaction(dal_state *state, int joint);
PyObject *core_energy(const dal_state *state);
PyObject *core_residuals(const dal_state *state);
/* "elbow" to its number, or -1 with KeyError. */
int core_find(const core_system *system, PyObject *name, int (*find)(const dal_system *, const char *), const char *what);
/* A simulation that C lends to a callback; core_return ends the loan. */
PyObject *core_lend(core_system *system, dal_simulation *simulation);
void core_return(PyObject *simulation);

/* ---- analyses (analyses.c) ------------------------------------------------------------------------ */

/* (JSON, text, status) of an answer, or an exception; messages are freed here, the answer by `release`. `whole`: an answer that came with a status other
 * than DAL_OK is an answer, too. */
PyObject *core_deliver(dal_status status, bool whole, dal_messages *messages, const core_spec *spec, void *answer, core_printer *json,
                       core_printer *text, void (*release)(void *));
/* A text that the library allocated, or an exception; it is freed, as are the messages. */
PyObject *core_deliver_text(dal_status status, dal_messages *messages, PyObject *context, char *text);

/* Printers of the library with their further arguments (`a` is the answer), and what frees an answer. */
#define CORE_PRINTERS(name, type, json_call, text_call, free_call)                                                                                   \
    static int name##_json(const void *of, char *buffer, size_t size)                                                                                \
    {                                                                                                                                                \
        const type *a = of;                                                                                                                          \
        return json_call;                                                                                                                            \
    }                                                                                                                                                \
    static int name##_text(const void *of, char *buffer, size_t size)                                                                                \
    {                                                                                                                                                \
        const type *a = of;                                                                                                                          \
        return text_call;                                                                                                                            \
    }                                                                                                                                                \
    static void name##_release(void *of)                                                                                                             \
    {                                                                                                                                                \
        free_call(of);                                                                                                                               \
    }

/* Functions of the module, by file. */
extern PyMethodDef core_spec_functions[], core_record_functions[], core_simulation_functions[], core_analysis_functions[], core_report_functions[],
    core_sweep_functions[], core_file_functions[];

#endif
