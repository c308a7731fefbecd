/*
 * py_feed.c: pages from files, folders and archives, as they come out of a feed.
 */
#include <stdio.h>
#include <string.h>

#include "thresh_py.h"

PyTypeObject *py_input_type;
static PyTypeObject *feed_type;

/* ---- inputs: pages that are not parsed yet -----------------------------------------------------
 */

th_input *py_input_get(PyObject *object)
{
    return ((py_input *)object)->input;
}

static void input_dealloc(PyObject *self)
{
    th_input_free(py_input_get(self));
    py_delete(self);
}

static PyObject *input_name(PyObject *self, void *closure)
{
    return py_str(th_input_name(py_input_get(self)));
}

static PyObject *input_origin(PyObject *self, void *closure)
{
    return py_str(th_input_origin(py_input_get(self)));
}

static PyObject *input_bytes(PyObject *self, void *closure)
{
    th_str bytes = th_input_bytes(py_input_get(self));
    return PyBytes_FromStringAndSize(bytes.ptr, (Py_ssize_t)bytes.len);
}

static PyObject *input_file(PyObject *self, void *closure)
{
    return py_str(th_input_file(py_input_get(self)));
}

static PyObject *input_offset(PyObject *self, void *closure)
{
    return PyLong_FromUnsignedLongLong(th_input_offset(py_input_get(self)));
}

static PyObject *input_size(PyObject *self, void *closure)
{
    return PyLong_FromSize_t(th_input_bytes(py_input_get(self)).len);
}

static PyGetSetDef input_members[] = {
    {"size", input_size, NULL, NULL, NULL},
    {"file", input_file, NULL, NULL, NULL},
    {"offset", input_offset, NULL, NULL, NULL},
    {"name", input_name, NULL, NULL, NULL},
    {"origin", input_origin, NULL, NULL, NULL},
    {"content", input_bytes, NULL, NULL, NULL},
    {NULL},
};
static PyType_Slot input_slots[] = {
    {Py_tp_dealloc, input_dealloc},
    {Py_tp_getset, input_members},
    {0, NULL},
};

/* ---- feeds ------------------------------------------------------------------------------------
 */

typedef struct py_feed {
    PyObject_HEAD th_feed *feed;
    py_work work; /* whom the feed asks whether to go on */
} py_feed;

/* A reader of Python's: called with an offset and a number of bytes, it gives bytes. */
typedef struct py_reader {
    PyObject *call, *name;
    py_feed *feed; /* which outlives it */
} py_reader;

/* An exception of the reader is a failure of that file alone. */
static th_status reader_failed(const py_reader *reader, uint64_t offset, th_error *err)
{
    PyObject *type, *value, *trace, *text;
    PyErr_Fetch(&type, &value, &trace);
    text = value ? PyObject_Str(value) : NULL;
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : NULL;
    PyObject *name = PyUnicode_AsEncodedString(reader->name, "utf-8", "replace");
    *err = (th_error){.status = TH_ERR_IO, .offset = offset};
    snprintf(err->message, sizeof err->message, "%.200s: reading failed at byte %llu: %.200s",
             name ? PyBytes_AsString(name) : "", (unsigned long long)offset,
             bytes ? PyBytes_AsString(bytes) : "an exception");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return TH_ERR_IO;
}

static th_status reader_read(void *context, uint64_t offset, void *into, size_t len, size_t *got,
                             th_error *err)
{
    const py_reader *reader = context;
    py_work *work = &reader->feed->work;
    char *bytes = NULL;
    Py_ssize_t count = 0;
    th_status status = TH_OK;
    PyEval_RestoreThread(work->state);
    PyObject *result = PyObject_CallFunction(reader->call, "KK", (unsigned long long)offset,
                                             (unsigned long long)len);
    if (!result || PyBytes_AsStringAndSize(result, &bytes, &count)) {
        status = reader_failed(reader, offset, err);
    } else {
        *got = (size_t)count; /* too many are the library's business */
        memcpy(into, bytes, *got < len ? *got : len);
    }
    Py_XDECREF(result);
    work->state = PyEval_SaveThread();
    return status;
}

/* With the GIL: feeds are freed by Python. */
static void reader_release(void *context)
{
    py_reader *reader = context;
    Py_XDECREF(reader->call);
    Py_XDECREF(reader->name);
    PyMem_Free(reader);
}

/* A part from (name, start, end, size, reader): the reader may be None. */
static bool part_take(PyObject *item, py_feed *feed, th_feed_part *out)
{
    PyObject *call;
    const char *name;
    unsigned long long start, end, size;
    if (!PyTuple_Check(item) ||
        !PyArg_ParseTuple(item, "yKKKO:part", &name, &start, &end, &size, &call)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "Feed: bytes or tuples are needed");
        return false;
    }
    *out = (th_feed_part){.name = name, .start = start, .end = end};
    if (call == Py_None)
        return true;
    py_reader *reader = PyMem_Calloc(1, sizeof *reader);
    if (!reader) {
        PyErr_NoMemory();
        return false;
    }
    *reader = (py_reader){Py_NewRef(call), PyUnicode_DecodeFSDefault(name), feed};
    out->reader = (th_reader){reader_read, reader_release, reader, size};
    return reader->name != NULL;
}

static bool open_parts(py_feed *self, PyObject *list, const th_feed_options *options)
{
    Py_ssize_t count = PyList_Size(list), made = 0;
    th_feed_part *parts = PyMem_Calloc((size_t)count + 1, sizeof *parts);
    th_error err;
    bool ok = parts != NULL;
    if (!ok)
        PyErr_NoMemory();
    for (; ok && made < count; made++)
        ok = part_take(PyList_GetItem(list, made), self, &parts[made]);
    if (ok) {
        ok = !th_feed_parts(parts, (size_t)count, options, &self->feed, &err);
        if (!ok)
            py_raise(&err, NULL);
    } else {
        for (Py_ssize_t i = 0; i < made; i++)
            if (parts[i].reader.release)
                reader_release(parts[i].reader.context);
    }
    PyMem_Free(parts);
    return ok;
}

static bool open_inputs(py_feed *self, PyObject *list, const th_feed_options *options)
{
    Py_ssize_t count = PyList_Size(list);
    const char **inputs = PyMem_Calloc((size_t)count + 1, sizeof *inputs);
    th_error err;
    bool ok = inputs != NULL;
    if (!ok)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; ok && i < count; i++) {
        char *bytes = NULL;
        ok = !PyBytes_AsStringAndSize(PyList_GetItem(list, i), &bytes, NULL);
        inputs[i] = bytes;
    }
    if (ok && th_feed_new(inputs, (size_t)count, options, &self->feed, &err)) {
        py_raise(&err, NULL);
        ok = false;
    }
    PyMem_Free(inputs);
    return ok;
}

/* Feed(inputs): a list of bytes, as the file system names them, or of parts of files. */
static PyObject *feed_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *list;
    th_feed_options options;
    if (!PyArg_ParseTuple(args, "O!:Feed", &PyList_Type, &list))
        return NULL;
    py_feed *self = py_new(type);
    if (!self)
        return NULL;
    th_feed_options_init(&options);
    options.cancel = py_work_cancel(&self->work);
    bool parts = PyList_Size(list) && PyTuple_Check(PyList_GetItem(list, 0));
    if (!(parts ? open_parts(self, list, &options) : open_inputs(self, list, &options)))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void feed_dealloc(PyObject *self)
{
    th_feed_free(((py_feed *)self)->feed);
    py_delete(self);
}

/* next(): an Input, the exception of one that failed, or None at the end. */
static PyObject *feed_next(PyObject *object, PyObject *unused)
{
    py_feed *self = (py_feed *)object;
    th_input *input = NULL;
    th_error err;
    py_work_begin(&self->work);
    th_status status = th_feed_next(self->feed, &input, &err);
    py_work_end(&self->work);
    if (self->work.interrupted) {
        th_input_free(input);
        return NULL;
    }
    if (status == TH_DONE)
        Py_RETURN_NONE;
    if (status)
        return py_error(&err, NULL);
    py_input *out = py_new(py_input_type);
    if (out)
        out->input = input;
    else
        th_input_free(input);
    return (PyObject *)out;
}

static PyMethodDef feed_methods[] = {
    {"next", feed_next, METH_NOARGS, NULL},
    {NULL},
};
static PyType_Slot feed_slots[] = {
    {Py_tp_new, feed_new},
    {Py_tp_dealloc, feed_dealloc},
    {Py_tp_methods, feed_methods},
    {0, NULL},
};

bool py_feed_add(PyObject *module)
{
    return py_add_type(module, "thresh._thresh.Input", sizeof(py_input), input_slots,
                       &py_input_type) &&
           py_add_type(module, "thresh._thresh.Feed", sizeof(py_feed), feed_slots, &feed_type);
}
