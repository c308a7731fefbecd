/*
 * py_module.c: the extension module, its exceptions and texts, and how Ctrl-C ends its work.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "thresh_py.h"

enum { SIGNALS_EVERY = 50 }; /* milliseconds: taking the GIL back is not free */

/* ---- exceptions -------------------------------------------------------------------------------
 */

PyObject *py_import(const char *module, const char *name)
{
    PyObject *from = PyImport_ImportModule(module);
    PyObject *out = from ? PyObject_GetAttrString(from, name) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(out); /* the module, which stays, has it */
    return out;
}

PyObject *py_error(const th_error *err, PyObject *page)
{
    PyObject *make = py_import("thresh._errors", "make_error");
    PyObject *offset =
        err->offset == TH_NO_OFFSET ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(err->offset);
    PyObject *message = py_str(th_str_from(err->message));
    PyObject *path = py_str(th_str_from(err->path)), *field = py_str(th_str_from(err->field));
    PyObject *out = NULL;
    if (make && offset && message && path && field)
        out = PyObject_CallFunction(make, "sOOIIOOO", th_status_name(err->status), message, offset,
                                    err->line, err->column, path, field, page ? page : Py_None);
    Py_XDECREF(offset);
    Py_XDECREF(message);
    Py_XDECREF(path);
    Py_XDECREF(field);
    return out;
}

PyObject *py_raise(const th_error *err, PyObject *page)
{
    if (PyErr_Occurred())
        return NULL;
    PyObject *error = py_error(err, page);
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return NULL;
}

PyObject *py_refuse(PyObject *page, const char *format, ...)
{
    th_error err = {.status = TH_ERR_ARGUMENT, .offset = TH_NO_OFFSET};
    va_list args;
    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    return py_raise(&err, page);
}

/* ---- texts and types --------------------------------------------------------------------------
 */

PyObject *py_str(th_str text)
{
    if (!text.ptr)
        return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text.ptr, (Py_ssize_t)text.len, "replace");
}

PyObject *py_take_text(th_text *text)
{
    PyObject *out =
        PyUnicode_DecodeUTF8(text->ptr ? text->ptr : "", (Py_ssize_t)text->len, "replace");
    th_text_release(text);
    return out;
}

bool py_view(PyObject *text, const char *what, th_str *out)
{
    Py_ssize_t len = 0;
    *out = (th_str){0};
    if (!text || text == Py_None)
        return true;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or None, not %R", what, Py_TYPE(text));
        return false;
    }
    out->ptr = PyUnicode_AsUTF8AndSize(text, &len);
    out->len = (size_t)len;
    return out->ptr != NULL;
}

bool py_add_type(PyObject *module, const char *name, size_t size, PyType_Slot *slots,
                 PyTypeObject **out)
{
    PyType_Spec spec = {
        .name = name,
        .basicsize = (int)size,
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    for (const PyType_Slot *slot = slots; slot->slot; slot++)
        if (slot->slot == Py_tp_new)
            spec.flags &= ~(unsigned)Py_TPFLAGS_DISALLOW_INSTANTIATION;
    *out = (PyTypeObject *)PyType_FromSpec(&spec);
    return *out && !PyModule_AddObjectRef(module, strrchr(name, '.') + 1, (PyObject *)*out);
}

void *py_new(PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return alloc(type, 0);
}

void py_delete(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---- work without the GIL ---------------------------------------------------------------------
 */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void py_work_begin(py_work *work)
{
    *work = (py_work){.next = now() + SIGNALS_EVERY};
    work->state = PyEval_SaveThread();
}

void py_work_end(py_work *work)
{
    PyEval_RestoreThread(work->state);
}

bool py_work_asked(void *context)
{
    py_work *work = context;
    int64_t time = work->interrupted ? 0 : now();
    if (time >= work->next) {
        PyEval_RestoreThread(work->state);
        work->interrupted = PyErr_CheckSignals() != 0;
        work->state = PyEval_SaveThread();
        work->next = time + SIGNALS_EVERY;
    }
    return work->interrupted;
}

th_cancel py_work_cancel(py_work *work)
{
    return (th_cancel){py_work_asked, work};
}

/* ---- the module -------------------------------------------------------------------------------
 */

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "thresh._thresh",
    .m_doc = "The library behind the package thresh. Its names may change: use the package.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__thresh(void);
PyMODINIT_FUNC PyInit__thresh(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && (PyModule_AddStringConstant(module, "version", th_version()) ||
                   !py_page_add(module) || !py_feed_add(module) || !py_records_add(module) ||
                   !py_wrapper_add(module) || !py_learn_add(module)))
        Py_CLEAR(module);
    return module;
}
