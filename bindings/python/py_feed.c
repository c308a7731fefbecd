/*
 * py_feed.c: pages from files, folders and archives, as they come out of a feed.
 */
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

static PyGetSetDef input_members[] = {
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
static PyType_Spec input_spec = {
    "thresh._thresh.Input", sizeof(py_input), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, input_slots};

/* ---- feeds ------------------------------------------------------------------------------------
 */

typedef struct py_feed {
    PyObject_HEAD th_feed *feed;
    py_work work; /* whom the feed asks whether to go on */
} py_feed;

/* Feed(inputs): a list of bytes, as the file system names them. */
static PyObject *feed_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *list;
    th_feed_options options;
    th_error err;
    if (!PyArg_ParseTuple(args, "O!:Feed", &PyList_Type, &list))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    const char **inputs = PyMem_Calloc((size_t)count + 1, sizeof *inputs);
    py_feed *self = inputs ? py_new(type) : NULL;
    bool ok = self != NULL;
    for (Py_ssize_t i = 0; ok && i < count; i++) {
        char *bytes = NULL;
        ok = !PyBytes_AsStringAndSize(PyList_GetItem(list, i), &bytes, NULL);
        inputs[i] = bytes;
    }
    if (ok) {
        th_feed_options_init(&options);
        options.cancel = py_work_cancel(&self->work);
        ok = !th_feed_new(inputs, (size_t)count, &options, &self->feed, &err);
        if (!ok)
            py_raise(&err, NULL);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(inputs);
    if (!ok)
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
static PyType_Spec feed_spec = {"thresh._thresh.Feed", sizeof(py_feed), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, feed_slots};

bool py_feed_add(PyObject *module)
{
    return py_add_type(module, &input_spec, "Input", &py_input_type) &&
           py_add_type(module, &feed_spec, "Feed", &feed_type);
}
