/*
 * py_learn.c: work that takes pages one by one: learning a wrapper, checking and mending it.
 */
#include "thresh_py.h"

static PyTypeObject *corpus_type, *check_type, *repair_type;

/* ---- learning ---------------------------------------------------------------------------------
 */

typedef struct py_corpus {
    PyObject_HEAD th_corpus *corpus;
} py_corpus;

static PyObject *corpus_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    th_error err;
    py_corpus *self = py_new(type);
    if (self && th_corpus_new(&self->corpus, &err)) {
        Py_DECREF((PyObject *)self);
        return py_raise(&err, NULL);
    }
    return (PyObject *)self;
}

static void corpus_dealloc(PyObject *self)
{
    th_corpus_free(((py_corpus *)self)->corpus);
    py_delete(self);
}

/* add(page, name) */
static PyObject *corpus_add(PyObject *self, PyObject *args)
{
    PyObject *object, *name;
    th_records_source source;
    th_error err;
    if (!PyArg_ParseTuple(args, "OU:add", &object, &name))
        return NULL;
    py_page *page = py_page_check(object);
    if (!page || !py_page_source(page, &source) || !py_view(name, "name", &source.page))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status = th_corpus_add(((py_corpus *)self)->corpus, page->page, &source, &err);
    PyEval_RestoreThread(state);
    if (status)
        return py_raise(&err, page->name);
    Py_RETURN_NONE;
}

/* Labels of label lines, examples and picks; NULL in *out when there are none. */
static bool read_labels(PyObject *lines, const char *name, PyObject *examples, PyObject *picks,
                        th_labels **out)
{
    th_str text;
    th_error err;
    th_status status = TH_OK;
    if (!PyList_Check(examples) || !PyList_Check(picks)) {
        PyErr_Format(PyExc_TypeError, "learn: examples and picks are lists");
        return false;
    }
    if (!py_view(lines, "labels", &text))
        return false;
    if (text.ptr)
        status = th_labels_read(text, name, out, &err);
    else if (PyList_Size(examples))
        status = th_labels_new(out, &err);
    for (int which = 0; which < 2 && !status && *out; which++) {
        PyObject *list = which ? picks : examples;
        for (Py_ssize_t i = 0; !status && i < PyList_Size(list); i++) {
            if (!py_view(PyList_GetItem(list, i), which ? "at" : "examples", &text))
                return false;
            status = which ? th_labels_add_pick(*out, text, &err)
                           : th_labels_add_example(*out, (th_str){0}, text, &err);
        }
    }
    if (status)
        py_raise(&err, NULL);
    return !status;
}

static PyObject *list_remarks(const th_report *report)
{
    PyObject *out = PyList_New(0);
    for (size_t i = 0; out && report && i < th_report_remark_count(report); i++) {
        const th_remark *remark = th_report_remark(report, i);
        PyObject *item = Py_BuildValue("(NNN)", py_str(remark->page), py_str(remark->text),
                                       PyBool_FromLong(remark->detail));
        if (!item || PyList_Append(out, item))
            Py_CLEAR(out);
        Py_XDECREF(item);
    }
    return out;
}

/* learn(labels, labels_name, examples, at, engine, pick, cluster, date, published):
 * (wrapper, remarks, pages, records, wrong), or (None, remarks, exception) if it fails. */
static PyObject *corpus_learn(PyObject *self, PyObject *args)
{
    PyObject *lines, *examples, *picks, *out = NULL;
    const char *name;
    th_labels *labels = NULL;
    th_learn_options options;
    int published;
    th_learn_options_init(&options);
    if (!PyArg_ParseTuple(args, "OsOOzIIzp:learn", &lines, &name, &examples, &picks,
                          &options.engine, &options.pick, &options.cluster, &options.date,
                          &published))
        return NULL;
    options.paper.published = published;
    if (!read_labels(lines, name, examples, picks, &labels)) {
        th_labels_free(labels);
        return NULL;
    }
    th_corpus *corpus = ((py_corpus *)self)->corpus;
    th_wrapper *wrapper = NULL;
    th_report *report = NULL;
    th_error err;
    py_work work;
    options.cancel = py_work_cancel(&work);
    py_work_begin(&work);
    th_corpus_set_labels(corpus, labels);
    th_status status = th_learn(corpus, &options, &wrapper, &report, &err);
    th_corpus_set_labels(corpus, NULL);
    py_work_end(&work);
    PyObject *remarks = work.interrupted ? NULL : list_remarks(report);
    if (remarks && status) {
        PyObject *error = py_error(&err, NULL);
        out = error ? Py_BuildValue("(ONN)", Py_None, remarks, error) : NULL;
        if (!error)
            Py_DECREF(remarks);
    } else if (remarks) {
        const th_lesson *lesson = th_report_lesson(report, 0);
        PyObject *made = py_wrapper_new(wrapper);
        wrapper = NULL;
        if (made)
            out = Py_BuildValue("(NNnnn)", made, remarks, (Py_ssize_t)lesson->pages,
                                (Py_ssize_t)lesson->records, (Py_ssize_t)lesson->wrong);
        else
            Py_DECREF(remarks);
    }
    th_wrapper_free(wrapper);
    th_report_free(report);
    th_labels_free(labels);
    return out;
}

static PyMethodDef corpus_methods[] = {
    {"add", corpus_add, METH_VARARGS, NULL},
    {"learn", corpus_learn, METH_VARARGS, NULL},
    {NULL},
};
static PyType_Slot corpus_slots[] = {
    {Py_tp_new, corpus_new},
    {Py_tp_dealloc, corpus_dealloc},
    {Py_tp_methods, corpus_methods},
    {0, NULL},
};

/* ---- checking ---------------------------------------------------------------------------------
 */

typedef struct py_check {
    PyObject_HEAD th_check *check;
    PyObject *wrapper;
} py_check;

static const th_wrapper *wrapper_of(PyObject *object)
{
    return ((py_wrapper *)object)->wrapper;
}

/* Check(wrapper, thorough) */
static PyObject *check_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *wrapper;
    int thorough;
    th_error err;
    if (!PyArg_ParseTuple(args, "O!p:Check", py_wrapper_type, &wrapper, &thorough))
        return NULL;
    py_check *self = py_new(type);
    if (!self)
        return NULL;
    self->wrapper = Py_NewRef(wrapper);
    if (th_check_new(wrapper_of(wrapper), thorough, &self->check, &err)) {
        Py_DECREF((PyObject *)self);
        return py_raise(&err, NULL);
    }
    return (PyObject *)self;
}

static void check_dealloc(PyObject *self)
{
    th_check_free(((py_check *)self)->check);
    Py_XDECREF(((py_check *)self)->wrapper);
    py_delete(self);
}

/* add(page): takes in what the wrapper finds there, which is returned. */
static PyObject *check_add(PyObject *object, PyObject *argument)
{
    py_check *self = (py_check *)object;
    py_page *page = py_page_check(argument);
    th_records_source source;
    th_records *records = NULL;
    th_error err;
    if (!page || !py_page_source(page, &source))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status =
        th_wrapper_extract(wrapper_of(self->wrapper), page->page, &source, &records, &err);
    if (!status)
        status = th_check_add(self->check, page->page, records, &err);
    PyEval_RestoreThread(state);
    if (!status)
        return py_found_new(records);
    th_records_free(records);
    return py_raise(&err, page->name);
}

/* A verdict as (JSON, text for people). */
static PyObject *verdict_texts(const th_verdict *verdict)
{
    th_text json = {0}, words = {0};
    th_error err;
    if (th_verdict_to_json(verdict, &json, &err) || th_verdict_explain(verdict, &words, &err)) {
        th_text_release(&json);
        th_text_release(&words);
        return py_raise(&err, NULL);
    }
    return Py_BuildValue("(NN)", py_take_text(&json), py_take_text(&words));
}

static PyObject *check_verdict(PyObject *self, PyObject *args)
{
    double alpha;
    th_verdict *verdict = NULL;
    th_error err;
    if (!PyArg_ParseTuple(args, "d:verdict", &alpha))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    th_status status = th_check_verdict(((py_check *)self)->check, alpha, &verdict, &err);
    PyEval_RestoreThread(state);
    if (status)
        return py_raise(&err, NULL);
    PyObject *out = verdict_texts(verdict);
    th_verdict_free(verdict);
    return out;
}

/* to_json(): what was taken in, for merge(text) of another check of the same wrapper. */
static PyObject *check_to_json(PyObject *self, PyObject *unused)
{
    th_text text = {0};
    th_error err;
    if (th_check_to_json(((py_check *)self)->check, &text, &err))
        return py_raise(&err, NULL);
    return py_take_text(&text);
}

static PyObject *check_merge(PyObject *self, PyObject *text)
{
    th_str json;
    th_error err;
    if (!py_view(text, "merge", &json))
        return NULL;
    if (th_check_merge(((py_check *)self)->check, json, &err))
        return py_raise(&err, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef check_methods[] = {
    {"add", check_add, METH_O, NULL},
    {"to_json", check_to_json, METH_NOARGS, NULL},
    {"merge", check_merge, METH_O, NULL},
    {"verdict", check_verdict, METH_VARARGS, NULL},
    {NULL},
};
static PyType_Slot check_slots[] = {
    {Py_tp_new, check_new},
    {Py_tp_dealloc, check_dealloc},
    {Py_tp_methods, check_methods},
    {0, NULL},
};

/* ---- repair -----------------------------------------------------------------------------------
 */

typedef struct py_repair {
    PyObject_HEAD th_repair *repair;
    PyObject *wrapper;
    py_work work; /* whom the repair asks whether to go on */
} py_repair;

/* Repair(wrapper, alpha, date, new_fields, allow_lost) */
static PyObject *repair_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *wrapper;
    th_repair_options options;
    int new_fields, allow_lost;
    th_error err;
    th_repair_options_init(&options);
    if (!PyArg_ParseTuple(args, "O!dzpp:Repair", py_wrapper_type, &wrapper, &options.alpha,
                          &options.date, &new_fields, &allow_lost))
        return NULL;
    py_repair *self = py_new(type);
    if (!self)
        return NULL;
    options.new_fields = new_fields;
    options.allow_lost = allow_lost;
    options.cancel = py_work_cancel(&self->work);
    self->wrapper = Py_NewRef(wrapper);
    py_work_begin(&self->work);
    th_status status = th_repair_new(wrapper_of(wrapper), &options, &self->repair, &err);
    py_work_end(&self->work);
    if (!status)
        return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return py_raise(&err, NULL);
}

static void repair_dealloc(PyObject *self)
{
    th_repair_free(((py_repair *)self)->repair);
    Py_XDECREF(((py_repair *)self)->wrapper);
    py_delete(self);
}

static PyObject *repair_add(PyObject *object, PyObject *argument)
{
    py_repair *self = (py_repair *)object;
    py_page *page = py_page_check(argument);
    th_records_source source;
    th_error err;
    if (!page || !py_page_source(page, &source))
        return NULL;
    py_work_begin(&self->work);
    th_status status = th_repair_add(self->repair, page->page, &source, &err);
    py_work_end(&self->work);
    if (status)
        return py_raise(&err, page->name);
    Py_RETURN_NONE;
}

/* finish(): (wrapper or None, outcome as JSON, and for people). */
static PyObject *repair_finish(PyObject *object, PyObject *unused)
{
    py_repair *self = (py_repair *)object;
    th_wrapper *wrapper = NULL;
    th_text json = {0}, words = {0};
    th_error err;
    py_work_begin(&self->work);
    th_status status = th_repair_finish(self->repair, &wrapper, &err);
    py_work_end(&self->work);
    if (!status)
        status = th_repair_to_json(self->repair, &json, &err);
    if (!status)
        status = th_repair_explain(self->repair, &words, &err);
    if (status) {
        th_wrapper_free(wrapper);
        th_text_release(&json);
        th_text_release(&words);
        return py_raise(&err, NULL);
    }
    PyObject *mended = wrapper ? py_wrapper_new(wrapper) : Py_NewRef(Py_None);
    return Py_BuildValue("(NNN)", mended, py_take_text(&json), py_take_text(&words));
}

static PyMethodDef repair_methods[] = {
    {"add", repair_add, METH_O, NULL},
    {"finish", repair_finish, METH_NOARGS, NULL},
    {NULL},
};
static PyType_Slot repair_slots[] = {
    {Py_tp_new, repair_new},
    {Py_tp_dealloc, repair_dealloc},
    {Py_tp_methods, repair_methods},
    {0, NULL},
};

bool py_learn_add(PyObject *module)
{
    return py_add_type(module, "thresh._thresh.Corpus", sizeof(py_corpus), corpus_slots,
                       &corpus_type) &&
           py_add_type(module, "thresh._thresh.Check", sizeof(py_check), check_slots,
                       &check_type) &&
           py_add_type(module, "thresh._thresh.Repair", sizeof(py_repair), repair_slots,
                       &repair_type);
}
