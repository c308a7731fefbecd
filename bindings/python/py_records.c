/*
 * py_records.c: the records of a page, the regions that they are found in, and Arrow streams.
 */
#include <stdlib.h>

#include "thresh_py.h"

PyTypeObject *py_found_type;

/* ---- records ----------------------------------------------------------------------------------
 */

static py_found *self_found(PyObject *self)
{
    return (py_found *)self;
}

PyObject *py_found_new(th_records *records)
{
    py_found *self = py_new(py_found_type);
    if (self)
        self->records = self->own = records;
    else
        th_records_free(records);
    return (PyObject *)self;
}

static void found_dealloc(PyObject *self)
{
    th_records_free(self_found(self)->own);
    th_regions_free(self_found(self)->regions);
    Py_XDECREF(self_found(self)->owner);
    py_delete(self);
}

static PyObject *found_json(PyObject *self, PyObject *args)
{
    int spans = 0;
    th_text text = {0};
    th_error err;
    if (!PyArg_ParseTuple(args, "|p:json", &spans))
        return NULL;
    if (th_records_to_json(self_found(self)->records, spans, &text, &err)) {
        th_text_release(&text);
        return py_raise(&err, NULL);
    }
    return py_take_text(&text);
}

static Py_ssize_t found_len(PyObject *self)
{
    return (Py_ssize_t)th_records_count(self_found(self)->records);
}

static PyObject *found_page(PyObject *self, void *closure)
{
    return py_str(th_records_page(self_found(self)->records));
}

static PyObject *found_explained(PyObject *self, void *closure)
{
    double share = th_records_explained(self_found(self)->records);
    return share < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(share);
}

static PyGetSetDef found_members[] = {
    {"page", found_page, NULL, NULL, NULL},
    {"explained", found_explained, NULL, NULL, NULL},
    {NULL},
};

static PyMethodDef found_methods[] = {
    {"json", found_json, METH_VARARGS, NULL},
    {NULL},
};

static PyType_Slot found_slots[] = {
    {Py_tp_dealloc, found_dealloc},
    {Py_sq_length, found_len},
    {Py_tp_getset, found_members},
    {Py_tp_methods, found_methods},
    {0, NULL},
};

/* ---- regions ----------------------------------------------------------------------------------
 */

/* The regions as a list of (engine, score, confidence, found). Takes them. */
static PyObject *list_regions(th_regions *regions)
{
    py_found *owner = py_new(py_found_type);
    PyObject *out = owner ? PyList_New(0) : NULL;
    if (owner)
        owner->regions = regions;
    else
        th_regions_free(regions);
    for (size_t i = 0; out && i < th_regions_count(regions); i++) {
        const th_region *region = th_regions_get(regions, i);
        py_found *found = py_new(py_found_type);
        if (found) {
            found->records = region->records;
            found->owner = Py_NewRef((PyObject *)owner);
        }
        PyObject *item = found ? Py_BuildValue("(sddN)", region->engine, region->score,
                                               region->confidence, found)
                               : NULL;
        if (!item || PyList_Append(out, item))
            Py_CLEAR(out);
        Py_XDECREF(item);
    }
    Py_XDECREF((PyObject *)owner);
    return out;
}

/* find_regions(page, most, engine) */
static PyObject *find_regions(PyObject *module, PyObject *args)
{
    PyObject *object;
    unsigned most;
    const char *engine;
    if (!PyArg_ParseTuple(args, "OIz:find_regions", &object, &most, &engine))
        return NULL;
    py_page *page = py_page_check(object);
    th_records_source source;
    if (!page || !py_page_source(page, &source))
        return NULL;
    th_regions_options options;
    th_regions *regions = NULL;
    th_error err;
    py_work work;
    th_regions_options_init(&options);
    options.most = most;
    options.engine = engine;
    options.cancel = py_work_cancel(&work);
    py_work_begin(&work);
    th_status status = th_regions_find(page->page, &source, &options, &regions, &err);
    py_work_end(&work);
    return status ? py_raise(&err, page->name) : list_regions(regions);
}

/* ---- Arrow ------------------------------------------------------------------------------------
 */

static const char capsule_name[] = "arrow_array_stream";

static void release_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, capsule_name);
    if (stream && stream->release)
        stream->release(stream);
    free(stream);
}

/* The schema of all: that of the wrapper, or what brings those of the records together. */
static th_status common_schema(PyObject *wrapper, PyObject *list, th_schema **out, th_error *err)
{
    if (wrapper != Py_None) {
        *out = th_schema_retain(th_wrapper_schema(((py_wrapper *)wrapper)->wrapper));
        return TH_OK;
    }
    size_t count = (size_t)PyList_Size(list), kept = 0;
    const th_schema **schemas = calloc(count + 1, sizeof *schemas);
    th_status status = TH_OK;
    for (size_t i = 0; schemas && i < count; i++) {
        const th_schema *schema =
            th_records_schema(self_found(PyList_GetItem(list, (Py_ssize_t)i))->records);
        if (!kept || schemas[kept - 1] != schema)
            schemas[kept++] = schema;
    }
    if (!schemas) {
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        status = TH_ERR_MEMORY;
    } else if (kept == 1) {
        *out = th_schema_retain(schemas[0]);
    } else if (kept) {
        status = th_schema_union(schemas, kept, out, err);
    } else if (!(status = th_schema_new(out, err))) { /* no columns */
        status = th_schema_finish(*out, th_schema_tuple(*out, (th_str){0}, NULL, 0), err);
    }
    free(schemas);
    return status;
}

/* arrow_stream(list of found, wrapper or None, page key or None, spans) */
static PyObject *arrow_stream(PyObject *module, PyObject *args)
{
    PyObject *list, *wrapper, *capsule = NULL;
    th_arrow_options options;
    const char *key;
    int spans;
    if (!PyArg_ParseTuple(args, "OOzp:arrow_stream", &list, &wrapper, &key, &spans))
        return NULL;
    if (!PyList_Check(list) ||
        (wrapper != Py_None && !PyObject_TypeCheck(wrapper, py_wrapper_type)))
        return PyErr_Format(PyExc_TypeError, "arrow_stream: a list of records is needed");
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++)
        if (!PyObject_TypeCheck(PyList_GetItem(list, i), py_found_type))
            return PyErr_Format(PyExc_TypeError, "arrow_stream: a list of records is needed");
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return PyErr_NoMemory();
    th_schema *schema = NULL;
    th_arrow *arrow = NULL;
    th_error err;
    th_arrow_options_init(&options);
    options.page_key = key;
    options.spans = spans;
    th_status status = common_schema(wrapper, list, &schema, &err);
    if (!status)
        status = th_arrow_new(schema, &options, &arrow, &err);
    for (Py_ssize_t i = 0; !status && i < PyList_Size(list); i++)
        status = th_arrow_add(arrow, self_found(PyList_GetItem(list, i))->records, &err);
    if (!status)
        status = th_arrow_finish(arrow, stream, &err);
    else
        th_arrow_free(arrow);
    th_schema_free(schema);
    if (status)
        py_raise(&err, NULL);
    else
        capsule = PyCapsule_New(stream, capsule_name, release_capsule);
    if (!capsule) {
        if (stream->release)
            stream->release(stream);
        free(stream);
    }
    return capsule;
}

static PyMethodDef functions[] = {
    {"find_regions", find_regions, METH_VARARGS, NULL},
    {"arrow_stream", arrow_stream, METH_VARARGS, NULL},
    {NULL},
};

bool py_records_add(PyObject *module)
{
    return py_add_type(module, "thresh._thresh.Found", sizeof(py_found), found_slots,
                       &py_found_type) &&
           !PyModule_AddFunctions(module, functions);
}
