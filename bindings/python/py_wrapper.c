/*
 * py_wrapper.c: wrappers, and running them: on a page, or on many in several threads.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "thresh_py.h"

PyTypeObject *py_wrapper_type;

static th_wrapper *self_wrapper(PyObject *self)
{
    return ((py_wrapper *)self)->wrapper;
}

PyObject *py_wrapper_new(th_wrapper *wrapper)
{
    py_wrapper *self = py_new(py_wrapper_type);
    if (self)
        self->wrapper = wrapper;
    else
        th_wrapper_free(wrapper);
    return (PyObject *)self;
}

/* Wrapper(text, name): reads a wrapper file. */
static PyObject *wrapper_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *text;
    const char *name;
    th_str bytes;
    th_wrapper *wrapper = NULL;
    th_error err;
    if (!PyArg_ParseTuple(args, "Os:Wrapper", &text, &name))
        return NULL;
    if (!py_view(text, "wrapper", &bytes))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status = th_wrapper_read(bytes, name, &wrapper, &err);
    PyEval_RestoreThread(state);
    return status ? py_raise(&err, NULL) : py_wrapper_new(wrapper);
}

static void wrapper_dealloc(PyObject *self)
{
    th_wrapper_free(self_wrapper(self));
    py_delete(self);
}

/* ---- what it is -------------------------------------------------------------------------------
 */

typedef th_status text_function(const th_wrapper *wrapper, th_text *out, th_error *err);

static th_status write_schema(const th_wrapper *wrapper, th_text *out, th_error *err)
{
    return th_schema_to_json(th_wrapper_schema(wrapper), out, err);
}

static text_function *const texts[] = {th_wrapper_write, th_wrapper_explain, write_schema,
                                       th_wrapper_explain_profile};

/* text(which): the file, an explanation, the schema, the profile. */
static PyObject *wrapper_text(PyObject *self, PyObject *args)
{
    unsigned which;
    th_text text = {0};
    th_error err;
    if (!PyArg_ParseTuple(args, "I:text", &which))
        return NULL;
    if (which >= sizeof texts / sizeof *texts)
        return PyErr_Format(PyExc_ValueError, "no text %u", which);
    if (texts[which](self_wrapper(self), &text, &err)) {
        th_text_release(&text);
        return py_raise(&err, NULL);
    }
    return py_take_text(&text);
}

static PyObject *wrapper_engine(PyObject *self, void *closure)
{
    return PyUnicode_FromString(th_wrapper_engine(self_wrapper(self)));
}

static PyObject *wrapper_version(PyObject *self, void *closure)
{
    return PyLong_FromUnsignedLong(th_wrapper_version(self_wrapper(self)));
}

static PyObject *wrapper_has_profile(PyObject *self, void *closure)
{
    return PyBool_FromLong(th_wrapper_has_profile(self_wrapper(self)));
}

/* ---- one page ---------------------------------------------------------------------------------
 */

static PyObject *wrapper_extract(PyObject *self, PyObject *object)
{
    py_page *page = py_page_check(object);
    th_records_source source;
    th_records *records = NULL;
    th_error err;
    if (!page || !py_page_source(page, &source))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status = th_wrapper_extract(self_wrapper(self), page->page, &source, &records, &err);
    PyEval_RestoreThread(state);
    return status ? py_raise(&err, page->name) : py_found_new(records);
}

static PyObject *list_answers(const th_doubt *doubt)
{
    PyObject *out = PyList_New(0);
    for (uint32_t i = 0; out && i < doubt->answer_count; i++) {
        const th_answer *answer = &doubt->answers[i];
        PyObject *values = PyList_New(0);
        for (uint32_t v = 0; values && v < answer->count; v++) {
            const th_answer_value *value = &answer->values[v];
            PyObject *item =
                Py_BuildValue("(NII)", py_str(value->text), value->span.start, value->span.end);
            if (!item || PyList_Append(values, item))
                Py_CLEAR(values);
            Py_XDECREF(item);
        }
        PyObject *item =
            values ? Py_BuildValue("(sNN)", answer->view, py_str(answer->text), values) : NULL;
        if (!item || PyList_Append(out, item))
            Py_CLEAR(out);
        Py_XDECREF(item);
    }
    return out;
}

typedef struct py_doubts {
    PyObject_HEAD th_doubts *doubts;
} py_doubts;

static PyTypeObject *doubts_type;

static void doubts_dealloc(PyObject *self)
{
    th_doubts_free(((py_doubts *)self)->doubts);
    py_delete(self);
}

static PyObject *doubts_contention(PyObject *self, void *closure)
{
    return PyFloat_FromDouble(th_doubts_contention(((py_doubts *)self)->doubts));
}

/* items(): (field, spot, contention, why, place, chosen, [(view, text, [(text, start, end)])]) of
 * each doubt. */
static PyObject *doubts_items(PyObject *self, PyObject *unused)
{
    const th_doubts *doubts = ((py_doubts *)self)->doubts;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < th_doubts_count(doubts); i++) {
        const th_doubt *doubt = th_doubts_get(doubts, i);
        PyObject *answers = list_answers(doubt);
        PyObject *item = answers ? Py_BuildValue("(NNdsIIN)", py_str(doubt->field),
                                                 py_str(doubt->spot), doubt->contention, doubt->why,
                                                 doubt->place, doubt->chosen, answers)
                                 : NULL;
        if (!item || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static Py_ssize_t doubts_len(PyObject *self)
{
    return (Py_ssize_t)th_doubts_count(((py_doubts *)self)->doubts);
}

static PyGetSetDef doubts_members[] = {
    {"contention", doubts_contention, NULL, NULL, NULL},
    {NULL},
};
static PyMethodDef doubts_methods[] = {
    {"items", doubts_items, METH_NOARGS, NULL},
    {NULL},
};
static PyType_Slot doubts_slots[] = {
    {Py_tp_dealloc, doubts_dealloc},
    {Py_sq_length, doubts_len},
    {Py_tp_getset, doubts_members},
    {Py_tp_methods, doubts_methods},
    {0, NULL},
};

/* rank_doubts(list of doubts, most): their positions, the page to label next first. */
static PyObject *rank_doubts(PyObject *module, PyObject *args)
{
    PyObject *list, *out = NULL;
    Py_ssize_t most;
    th_error err;
    if (!PyArg_ParseTuple(args, "O!n:rank_doubts", &PyList_Type, &list, &most))
        return NULL;
    size_t count = (size_t)PyList_Size(list);
    const th_doubts **pages = calloc(count + 1, sizeof *pages);
    size_t *order = calloc(count + 1, sizeof *order);
    bool ok = pages && order;
    if (!ok)
        PyErr_NoMemory();
    for (size_t i = 0; ok && i < count; i++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
        ok = PyObject_TypeCheck(item, doubts_type);
        if (ok)
            pages[i] = ((py_doubts *)item)->doubts;
        else
            PyErr_Format(PyExc_TypeError, "rank_doubts: a list of doubts is needed");
    }
    if (ok && th_doubts_rank(pages, count, most < 0 ? 0 : (size_t)most, order, &err))
        py_raise(&err, NULL);
    else if (ok)
        out = PyList_New(0);
    for (size_t i = 0; out && i < count; i++) {
        PyObject *number = PyLong_FromSize_t(order[i]);
        if (!number || PyList_Append(out, number))
            Py_CLEAR(out);
        Py_XDECREF(number);
    }
    free(pages);
    free(order);
    return out;
}

static PyMethodDef functions[] = {
    {"rank_doubts", rank_doubts, METH_VARARGS, NULL},
    {NULL},
};

static PyObject *wrapper_doubts(PyObject *self, PyObject *object)
{
    py_page *page = py_page_check(object);
    th_doubts *doubts = NULL;
    th_error err;
    if (!page)
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status = th_wrapper_doubts(self_wrapper(self), page->page, &doubts, &err);
    PyEval_RestoreThread(state);
    if (status)
        return py_raise(&err, page->name);
    py_doubts *out = py_new(doubts_type);
    if (out)
        out->doubts = doubts;
    else
        th_doubts_free(doubts);
    return (PyObject *)out;
}

/* ---- many pages -------------------------------------------------------------------------------
 */

/* One page of many, and what became of it. */
typedef struct job {
    py_page *page; /* that was parsed already, or NULL */
    py_source source;
    PyObject *refused; /* the exception of a source that cannot be one, or NULL */
    th_str name;
    th_records *records;
    th_status status;
    th_error err;
} job;

typedef struct batch {
    const th_wrapper *wrapper;
    job *jobs;
    size_t count;
    atomic_size_t next;
    atomic_bool stop;
} batch;

static void do_job(const batch *b, job *j, th_parser *parser)
{
    th_page *page = NULL;
    if (j->refused)
        return;
    if (j->page) {
        th_records_source source = {j->name, th_page_url(j->page->page)};
        j->status = th_wrapper_extract(b->wrapper, j->page->page, &source, &j->records, &j->err);
        return;
    }
    if ((j->source.path && !py_source_read(&j->source)) || (!j->source.bytes.len && !j->source.fed))
        return; /* py_source_check says so */
    th_records_source source = {.page = j->name};
    j->status = py_source_parse(&j->source, parser, (th_str){0}, (th_str){0}, &page, &j->err);
    if (!j->status)
        j->status = th_wrapper_extract(b->wrapper, page, &source, &j->records, &j->err);
    th_page_free(page);
    free(j->source.owned); /* a file's bytes are not needed any more */
    j->source.owned = NULL;
}

/* Takes jobs until there are none. `work` is that of the thread that looks at signals, else NULL.
 */
static void work_jobs(batch *b, py_work *work)
{
    th_parser *parser = NULL;
    th_error err;
    th_status status = th_parser_new(NULL, &parser, &err);
    for (size_t i; (i = atomic_fetch_add(&b->next, 1)) < b->count;) {
        if (status) {
            b->jobs[i].status = status;
            b->jobs[i].err = err;
            continue;
        }
        if (atomic_load(&b->stop) || (work && py_work_asked(work))) {
            atomic_store(&b->stop, true);
            break;
        }
        do_job(b, &b->jobs[i], parser);
    }
    th_parser_free(parser);
}

static void *run_thread(void *context)
{
    work_jobs(context, NULL);
    return NULL;
}

static void run_batch(batch *b, unsigned threads, py_work *work)
{
    pthread_t *others = threads > 1 ? calloc(threads - 1, sizeof *others) : NULL;
    unsigned started = 0;
    while (others && started < threads - 1 && started + 1 < b->count &&
           !pthread_create(&others[started], NULL, run_thread, b))
        started++;
    work_jobs(b, work);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
}

/* The exception that is set, which is cleared. */
static PyObject *take_exception(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

/* The records of a job or the exception that it ended with. */
static PyObject *take_result(job *j)
{
    if (j->refused)
        return Py_NewRef(j->refused);
    if (j->status)
        return py_error(&j->err, j->page ? j->page->name : j->source.name);
    if (j->records) {
        PyObject *found = py_found_new(j->records);
        j->records = NULL;
        return found;
    }
    if (py_source_check(&j->source))
        return PyErr_Format(PyExc_RuntimeError, "a page was not looked at");
    return take_exception();
}

static bool make_jobs(batch *b, PyObject *pages, PyObject *names)
{
    for (size_t i = 0; i < b->count; i++) {
        PyObject *object = PyList_GetItem(pages, (Py_ssize_t)i);
        PyObject *name = PyList_GetItem(names, (Py_ssize_t)i);
        job *j = &b->jobs[i];
        if (!object || !name)
            return false;
        if (PyObject_TypeCheck(object, py_page_type)) {
            j->page = (py_page *)Py_NewRef(object);
            if (!py_view(j->page->name ? j->page->name : name, "name", &j->name))
                return false;
        } else if (!py_source_take(object, NULL, name, &j->source)) {
            if (!PyErr_ExceptionMatches(PyExc_Exception)) /* Ctrl-C while a file was read */
                return false;
            j->refused = take_exception();
        } else if (!py_view(j->source.name ? j->source.name : name, "name", &j->name)) {
            return false;
        }
    }
    return true;
}

/* extract_batch(pages, names, threads): a list of found, or exceptions where pages failed. */
static PyObject *wrapper_extract_batch(PyObject *self, PyObject *args)
{
    PyObject *pages, *names, *out = NULL;
    unsigned threads;
    if (!PyArg_ParseTuple(args, "OOI:extract_batch", &pages, &names, &threads))
        return NULL;
    if (!PyList_Check(pages) || !PyList_Check(names) || PyList_Size(pages) != PyList_Size(names))
        return PyErr_Format(PyExc_TypeError, "extract_batch: two lists of one length are needed");
    batch b = {self_wrapper(self), NULL, (size_t)PyList_Size(pages)};
    b.jobs = calloc(b.count + 1, sizeof *b.jobs);
    if (!b.jobs)
        return PyErr_NoMemory();
    if (make_jobs(&b, pages, names)) {
        py_work work;
        py_work_begin(&work);
        run_batch(&b, threads, &work);
        py_work_end(&work);
        if (!work.interrupted)
            out = PyList_New(0);
    }
    for (size_t i = 0; i < b.count; i++) {
        PyObject *result = out ? take_result(&b.jobs[i]) : NULL;
        if (out && (!result || PyList_Append(out, result)))
            Py_CLEAR(out);
        Py_XDECREF(result);
        th_records_free(b.jobs[i].records);
        Py_XDECREF((PyObject *)b.jobs[i].page);
        Py_XDECREF(b.jobs[i].refused);
        py_source_release(&b.jobs[i].source);
    }
    free(b.jobs);
    return out;
}

static PyGetSetDef wrapper_members[] = {
    {"engine", wrapper_engine, NULL, NULL, NULL},
    {"version", wrapper_version, NULL, NULL, NULL},
    {"has_profile", wrapper_has_profile, NULL, NULL, NULL},
    {NULL},
};

static PyMethodDef wrapper_methods[] = {
    {"text", wrapper_text, METH_VARARGS, NULL},
    {"extract", wrapper_extract, METH_O, NULL},
    {"extract_batch", wrapper_extract_batch, METH_VARARGS, NULL},
    {"doubts", wrapper_doubts, METH_O, NULL},
    {NULL},
};

static PyType_Slot wrapper_slots[] = {
    {Py_tp_new, wrapper_new},
    {Py_tp_dealloc, wrapper_dealloc},
    {Py_tp_getset, wrapper_members},
    {Py_tp_methods, wrapper_methods},
    {0, NULL},
};

bool py_wrapper_add(PyObject *module)
{
    return py_add_type(module, "thresh._thresh.Wrapper", sizeof(py_wrapper), wrapper_slots,
                       &py_wrapper_type) &&
           py_add_type(module, "thresh._thresh.Doubts", sizeof(py_doubts), doubts_slots,
                       &doubts_type) &&
           !PyModule_AddFunctions(module, functions);
}
