/*
 * py_page.c: pages and their nodes, and where the bytes of a page come from.
 *
 * A page borrows the bytes of a `bytes` and the UTF-8 of a `str`, neither of which can change, and
 * keeps the object alive. Other buffers (bytearray, mmap, arrays) may change later: they are
 * copied.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "thresh_py.h"

PyTypeObject *py_page_type;
static PyTypeObject *node_type;

enum {
    LONGEST_NAME = 1024, /* of a str that may be the name of a file */
    PARSERS = 8          /* kept for later pages */
};

/* ---- sources ----------------------------------------------------------------------------------
 */

/* A str that cannot be a page and is likely to be the name of a file: one short line without tags
 * that does not begin as JSON does. */
static bool is_name(th_str text)
{
    return text.len && text.len <= LONGEST_NAME && !memchr(text.ptr, '<', text.len) &&
           !memchr(text.ptr, '\n', text.len) && !strchr("{[\" \t", text.ptr[0]);
}

static bool take_str(PyObject *object, py_source *out)
{
    if (!py_view(object, "source", &out->bytes))
        return false;
    if (is_name(out->bytes)) {
        py_refuse(out->name,
                  "source: '%.200s' has no tags, so it is not the text of a page; for a file, give "
                  "pathlib.Path('%.200s')",
                  out->bytes.ptr, out->bytes.ptr);
        return false;
    }
    out->object = Py_NewRef(object);
    out->text = true;
    return true;
}

static bool take_path(PyObject *object, py_source *out)
{
    PyObject *path = PyOS_FSPath(object);
    if (!path)
        return false;
    bool ok = PyUnicode_FSConverter(path, &out->path);
    if (ok && !out->name)
        out->name = PyUnicode_FSDecoder(path, &out->name) ? out->name : NULL;
    Py_DECREF(path);
    return ok && out->name;
}

static bool take_file(PyObject *object, py_source *out)
{
    PyObject *read = py_import("thresh._source", "read_file");
    PyObject *pair = read ? PyObject_CallFunctionObjArgs(read, object, NULL) : NULL;
    PyObject *content = pair ? PyTuple_GetItem(pair, 0) : NULL, *name = NULL;
    if (content && !out->name && (name = PyTuple_GetItem(pair, 1)) && name != Py_None)
        out->name = Py_NewRef(name);
    bool ok = content != NULL;
    if (ok && PyUnicode_Check(content)) {
        out->object = Py_NewRef(content);
        out->text = true;
        ok = py_view(content, "source", &out->bytes);
    } else if (ok) {
        char *bytes;
        Py_ssize_t len;
        ok = !PyBytes_AsStringAndSize(content, &bytes, &len);
        out->object = Py_NewRef(content);
        out->bytes = (th_str){bytes, ok ? (size_t)len : 0};
    }
    Py_XDECREF(pair);
    return ok;
}

bool py_source_take(PyObject *object, PyObject *name, PyObject *number, py_source *out)
{
    *out = (py_source){0};
    if (name && name != Py_None)
        out->name = Py_NewRef(name);
    else if (number && !PyObject_HasAttrString(object, "__fspath__") &&
             !PyObject_HasAttrString(object, "name"))
        out->name = Py_NewRef(number);
    bool ok;
    if (PyObject_TypeCheck(object, py_input_type)) {
        const th_input *input = py_input_get(object);
        out->object = Py_NewRef(object);
        out->bytes = th_input_bytes(input);
        out->fed = true;
        th_input_source(input, &out->about);
        if (!out->name)
            out->name = py_str(th_input_name(input));
        ok = out->name != NULL;
    } else if (PyBytes_Check(object)) {
        char *bytes;
        Py_ssize_t len;
        ok = !PyBytes_AsStringAndSize(object, &bytes, &len);
        out->object = Py_NewRef(object);
        out->bytes = (th_str){bytes, ok ? (size_t)len : 0};
    } else if (PyUnicode_Check(object)) {
        ok = take_str(object, out);
    } else if (PyObject_CheckBuffer(object)) {
        ok = !PyObject_GetBuffer(object, &out->view, PyBUF_SIMPLE);
        out->has_buffer = out->copy = ok;
        if (ok)
            out->bytes = (th_str){out->view.buf, (size_t)out->view.len};
    } else if (PyObject_HasAttrString(object, "__fspath__")) {
        ok = take_path(object, out);
    } else if (PyObject_HasAttrString(object, "read")) {
        ok = take_file(object, out);
    } else {
        PyErr_Format(PyExc_TypeError,
                     "%V%ssource must be bytes, a str with HTML, a path, a buffer or an open file, "
                     "not %R",
                     out->name, "", out->name ? ": " : "", Py_TYPE(object));
        ok = false;
    }
    if (!ok)
        py_source_release(out);
    return ok;
}

bool py_source_read(py_source *source)
{
    const char *path = PyBytes_AsString(source->path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    size_t len = 0, cap = 0;
    bool ok = file >= 0 && !fstat(file, &status);
    if (ok)
        cap = status.st_size > 0 ? (size_t)status.st_size + 1 : 1 << 16;
    while (ok) {
        char *bytes = len < cap && source->owned ? source->owned : realloc(source->owned, cap);
        if (!bytes) {
            errno = ENOMEM;
            break;
        }
        source->owned = bytes;
        ssize_t got = read(file, bytes + len, cap - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            ok = got == 0;
            source->bytes = (th_str){bytes, len};
            break;
        }
        len += (size_t)got;
        if (len == cap)
            cap *= 2;
    }
    ok = ok && source->bytes.ptr;
    source->failure = ok ? 0 : errno;
    if (file >= 0)
        close(file);
    return ok;
}

bool py_source_check(const py_source *source)
{
    if (source->failure) {
        errno = source->failure;
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, source->name);
        return false;
    }
    if (!source->bytes.len && !source->fed) {
        const char *kind = source->path ? "file" : source->text ? "str" : "buffer";
        py_refuse(source->name, "source: the %s is empty", kind);
        return false;
    }
    return true;
}

th_status py_source_parse(const py_source *source, th_parser *parser, th_str url, th_str charset,
                          th_page **out, th_error *err)
{
    th_page_source about = source->about;
    if (url.ptr)
        about.url = url;
    if (source->text || charset.ptr)
        about.charset = source->text ? th_str_from("utf-8") : charset;
    th_str bytes = source->bytes.ptr ? source->bytes : th_str_from("");
    return source->copy ? th_parser_parse_copy(parser, bytes, &about, out, err)
                        : th_parser_parse(parser, bytes, &about, out, err);
}

void py_source_release(py_source *source)
{
    Py_CLEAR(source->object);
    Py_CLEAR(source->path);
    Py_CLEAR(source->name);
    if (source->has_buffer)
        PyBuffer_Release(&source->view);
    source->has_buffer = false;
    free(source->owned);
    source->owned = NULL;
}

/* ---- parsers: kept from page to page, taken and given back with the GIL held -------------------
 */

static th_parser *idle[PARSERS];
static size_t idle_count;

static th_parser *take_parser(void)
{
    th_parser *parser = NULL;
    th_error err;
    if (idle_count)
        return idle[--idle_count];
    return th_parser_new(NULL, &parser, &err) ? (th_parser *)py_raise(&err, NULL) : parser;
}

static void give_parser(th_parser *parser)
{
    if (idle_count < PARSERS)
        idle[idle_count++] = parser;
    else
        th_parser_free(parser);
}

/* ---- pages ------------------------------------------------------------------------------------
 */

static py_page *self_page(PyObject *self)
{
    return (py_page *)self;
}

static bool is_known_charset(th_str charset, PyObject *name)
{
    PyObject *module, *found;
    if (!charset.ptr)
        return true;
    module = PyImport_ImportModule("codecs");
    found = module ? PyObject_CallMethod(module, "lookup", "s", charset.ptr) : NULL;
    Py_XDECREF(module);
    if (!found && PyErr_ExceptionMatches(PyExc_LookupError)) {
        PyErr_Clear();
        py_refuse(name, "encoding: unknown encoding '%.100s'", charset.ptr);
    }
    Py_XDECREF(found);
    return found != NULL;
}

static PyObject *page_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *names[] = {"source", "name", "url", "encoding", NULL};
    PyObject *object, *name = Py_None, *url_text = Py_None, *charset_text = Py_None;
    th_str url, charset, unused;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|$OOO:Page", names, &object, &name, &url_text,
                                     &charset_text) ||
        !py_view(name, "name", &unused) || !py_view(url_text, "url", &url) ||
        !py_view(charset_text, "encoding", &charset) || !is_known_charset(charset, name))
        return NULL;
    py_source source;
    th_page *page = NULL;
    th_error err = {0};
    py_page *self = NULL;
    if (!py_source_take(object, name, NULL, &source))
        return NULL;
    th_parser *parser = take_parser();
    if (!parser)
        goto out;
    PyThreadState *state = PyEval_SaveThread();
    bool ok = !source.path || py_source_read(&source);
    th_status status = TH_OK;
    if (ok && (source.bytes.len || source.fed))
        status = py_source_parse(&source, parser, url, charset, &page, &err);
    PyEval_RestoreThread(state);
    give_parser(parser);
    if (!py_source_check(&source))
        goto out;
    if (status) {
        py_raise(&err, source.name);
        goto out;
    }
    self = py_new(type);
    if (!self) {
        th_page_free(page);
        goto out;
    }
    self->page = page;
    self->name = source.name ? Py_NewRef(source.name) : NULL;
    self->keep = source.object ? Py_NewRef(source.object) : NULL;
    self->owned = source.owned;
    source.owned = NULL;
out:
    py_source_release(&source);
    return (PyObject *)self;
}

static void page_dealloc(PyObject *object)
{
    py_page *self = self_page(object);
    th_page_free(self->page);
    Py_XDECREF(self->name);
    Py_XDECREF(self->keep);
    free(self->owned);
    py_delete(object);
}

py_page *py_page_check(PyObject *object)
{
    if (PyObject_TypeCheck(object, py_page_type))
        return self_page(object);
    PyErr_Format(PyExc_TypeError, "page must be a thresh.Page, not %R", Py_TYPE(object));
    return NULL;
}

bool py_page_source(const py_page *page, th_records_source *out)
{
    out->url = th_page_url(page->page);
    return py_view(page->name, "name", &out->page);
}

static PyObject *page_name(PyObject *self, void *closure)
{
    PyObject *name = self_page(self)->name;
    return Py_NewRef(name ? name : Py_None);
}

static PyObject *page_url(PyObject *self, void *closure)
{
    return py_str(th_page_url(self_page(self)->page));
}

static PyObject *page_origin(PyObject *self, void *closure)
{
    PyObject *keep = self_page(self)->keep;
    if (keep && PyObject_TypeCheck(keep, py_input_type))
        return py_str(th_input_origin(py_input_get(keep)));
    return page_name(self, closure);
}

static PyObject *page_encoding(PyObject *self, void *closure)
{
    return PyUnicode_FromString(th_page_encoding(self_page(self)->page));
}

static PyObject *page_bytes(PyObject *self, void *closure)
{
    th_str text = th_page_text(self_page(self)->page);
    return PyBytes_FromStringAndSize(text.ptr, (Py_ssize_t)text.len);
}

static PyObject *node_text_of(const py_page *page, uint32_t node)
{
    th_text text = {0};
    th_error err;
    if (th_page_node_text(page->page, node, &text, &err)) {
        th_text_release(&text);
        return py_raise(&err, page->name);
    }
    return py_take_text(&text);
}

static PyObject *page_text(PyObject *self, void *closure)
{
    return node_text_of(self_page(self), 0);
}

/* An attribute's value as text, made absolute if it is a link. */
static PyObject *link_url(const py_page *page, th_str value)
{
    th_text href = {0}, url = {0};
    th_error err;
    PyObject *out = NULL;
    if (th_attr_text(value, &href, &err) ||
        th_page_resolve(page->page, (th_str){href.ptr ? href.ptr : "", href.len}, &url, &err))
        py_raise(&err, page->name);
    else
        out = PyUnicode_DecodeUTF8(url.ptr ? url.ptr : "", (Py_ssize_t)url.len, "replace");
    th_text_release(&href);
    th_text_release(&url);
    return out;
}

static PyObject *page_links(PyObject *object, void *closure)
{
    const py_page *self = self_page(object);
    const uint16_t *tags = th_page_node_tags(self->page);
    uint16_t a = th_tag_id(th_str_from("a")), area = th_tag_id(th_str_from("area"));
    PyObject *make = py_import("thresh._types", "Link");
    PyObject *out = make ? PyList_New(0) : NULL;
    for (uint32_t n = 1; out && n < th_page_node_count(self->page); n++) {
        const th_node *node = th_page_node(self->page, n);
        th_str href;
        if ((tags[n] != a && tags[n] != area) ||
            !th_attr_get(self->page, node->token, "href", &href) || !href.ptr)
            continue;
        th_span span = th_page_node_span(self->page, n);
        PyObject *url = link_url(self, href), *text = url ? node_text_of(self, n) : NULL;
        PyObject *link =
            text ? PyObject_CallFunction(make, "OOII", url, text, span.start, span.end) : NULL;
        if (!link || PyList_Append(out, link))
            Py_CLEAR(out);
        Py_XDECREF(url);
        Py_XDECREF(text);
        Py_XDECREF(link);
    }
    return out;
}

static PyObject *node_make(PyObject *page, uint32_t index);

static PyObject *page_tree(PyObject *self, void *closure)
{
    return node_make(self, 0);
}

static PyObject *page_reduce(PyObject *self, PyObject *unused)
{
    PyObject *rebuild = py_import("thresh._source", "rebuild_page");
    if (!rebuild)
        return NULL;
    return Py_BuildValue("O(NNN)", rebuild, page_bytes(self, NULL), page_name(self, NULL),
                         page_url(self, NULL));
}

static PyObject *page_repr(PyObject *object)
{
    const py_page *self = self_page(object);
    return PyUnicode_FromFormat("<thresh.Page %R, %zu bytes>", self->name ? self->name : Py_None,
                                th_page_text(self->page).len);
}

static PyGetSetDef page_members[] = {
    {"name", page_name, NULL, "What messages call the page: its path as given, or None.", NULL},
    {"origin", page_origin, NULL,
     "Where the page was read: its name, or an archive and the byte in it, as a.warc.gz@12345.",
     NULL},
    {"url", page_url, NULL, "The address that links refer to, or None.", NULL},
    {"encoding", page_encoding, NULL, "The encoding that the bytes were read as.", NULL},
    {"source", page_bytes, NULL,
     "The page's source as UTF-8. All offsets (start, end) are bytes of it.", NULL},
    {"text", page_text, NULL, "The text of the page as a reader sees it.", NULL},
    {"links", page_links, NULL, "The links of the page: a list of Link.", NULL},
    {"tree", page_tree, NULL, "The document: the Node that holds all others.", NULL},
    {NULL},
};

static PyMethodDef page_methods[] = {
    {"__reduce__", page_reduce, METH_NOARGS, NULL},
    {NULL},
};

PyDoc_STRVAR(
    page_doc,
    "Page(source, *, name=None, url=None, encoding=None)\n--\n\n"
    "A page that was read: its text, links and tree of elements.\n\n"
    "`source` is bytes, a str with HTML, a path, any buffer or an open file. A str that\n"
    "is the name of a file is refused: give a pathlib.Path. The page keeps what it needs\n"
    "of its source. `url` is what links refer to, `encoding` what an HTTP header said.\n\n"
    ">>> page = Page('<h1>Tea</h1><p>See <a href=/black>black</a>', url='http://tea.example/')\n"
    ">>> page.text\n"
    "'Tea See black'\n"
    ">>> page.links\n"
    "[Link(url='http://tea.example/black', text='black', start=19, end=43)]\n"
    ">>> [node.tag for node in page.tree.iter()]\n"
    "['h1', 'p', 'a']\n");

static PyType_Slot page_slots[] = {
    {Py_tp_new, page_new},
    {Py_tp_dealloc, page_dealloc},
    {Py_tp_repr, page_repr},
    {Py_tp_getset, page_members},
    {Py_tp_methods, page_methods},
    {Py_tp_doc, (void *)page_doc},
    {0, NULL},
};

/* ---- nodes ------------------------------------------------------------------------------------
 */

typedef struct py_node {
    PyObject_HEAD PyObject *page;
    uint32_t index;
} py_node;

static PyObject *node_make(PyObject *page, uint32_t index)
{
    py_node *self = py_new(node_type);
    if (self) {
        self->page = Py_NewRef(page);
        self->index = index;
    }
    return (PyObject *)self;
}

static void node_dealloc(PyObject *self)
{
    Py_XDECREF(((py_node *)self)->page);
    py_delete(self);
}

/* Its page, and its number in *index. */
static const th_page *node_of(PyObject *self, uint32_t *index)
{
    *index = ((py_node *)self)->index;
    return self_page(((py_node *)self)->page)->page;
}

static PyObject *lower(th_str name)
{
    PyObject *text = py_str(name), *out = text ? PyObject_CallMethod(text, "lower", NULL) : NULL;
    Py_XDECREF(text);
    return out;
}

static PyObject *node_tag(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    th_str name = n ? th_tag_name(th_page_node_tags(page)[n]) : th_str_from("");
    return name.ptr ? py_str(name) : lower(th_token_name(page, th_page_node(page, n)->token));
}

static PyObject *node_attributes(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    PyObject *out = PyDict_New();
    th_attr attr;
    th_text text = {0};
    th_error err;
    if (!n)
        return out;
    for (th_attr_iter it = th_attrs(page, th_page_node(page, n)->token);
         out && th_attr_next(&it, &attr);) {
        PyObject *name = lower(attr.name), *value = NULL;
        if (name && th_attr_text(attr.value, &text, &err))
            py_raise(&err, NULL);
        else if (name)
            value = PyUnicode_DecodeUTF8(text.ptr ? text.ptr : "",
                                         attr.value.ptr ? (Py_ssize_t)text.len : 0, "replace");
        int known = value ? PyDict_Contains(out, name) : -1; /* the standard keeps the first */
        if (known < 0 || (!known && PyDict_SetItem(out, name, value)))
            Py_CLEAR(out);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    th_text_release(&text);
    return out;
}

static PyObject *node_text(PyObject *self, void *closure)
{
    const py_node *node = (py_node *)self;
    return node_text_of(self_page(node->page), node->index);
}

static PyObject *node_children(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    PyObject *out = PyList_New(0);
    for (uint32_t child = n + 1; out && child < th_page_node(page, n)->end;
         child = th_page_node(page, child)->end) {
        PyObject *node = node_make(((py_node *)self)->page, child);
        if (!node || PyList_Append(out, node))
            Py_CLEAR(out);
        Py_XDECREF(node);
    }
    return out;
}

static PyObject *node_parent(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    return n ? node_make(((py_node *)self)->page, th_page_node(page, n)->parent)
             : Py_NewRef(Py_None);
}

static PyObject *node_start(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    return PyLong_FromUnsignedLong(th_page_node_span(page, n).start);
}

static PyObject *node_end(PyObject *self, void *closure)
{
    uint32_t n;
    const th_page *page = node_of(self, &n);
    return PyLong_FromUnsignedLong(th_page_node_span(page, n).end);
}

static PyObject *node_page(PyObject *self, void *closure)
{
    return Py_NewRef(((py_node *)self)->page);
}

/* All nodes below, in the order of the page. */
static PyObject *node_iter(PyObject *self, PyObject *args)
{
    PyObject *tag = Py_None;
    th_str name;
    uint32_t n;
    const th_page *page = node_of(self, &n);
    if (!PyArg_ParseTuple(args, "|O:iter", &tag) || !py_view(tag, "tag", &name))
        return NULL;
    uint16_t id = name.ptr ? th_tag_id(name) : 0;
    const uint16_t *tags = th_page_node_tags(page);
    PyObject *out = PyList_New(0);
    for (uint32_t below = n + 1; out && below < th_page_node(page, n)->end; below++) {
        if (name.ptr && tags[below] != id)
            continue;
        PyObject *node = node_make(((py_node *)self)->page, below);
        if (!node || PyList_Append(out, node))
            Py_CLEAR(out);
        Py_XDECREF(node);
    }
    PyObject *iterator = out ? PyObject_GetIter(out) : NULL;
    Py_XDECREF(out);
    return iterator;
}

static PyObject *node_compare(PyObject *a, PyObject *b, int how)
{
    if ((how != Py_EQ && how != Py_NE) || !PyObject_TypeCheck(b, node_type))
        return Py_NewRef(Py_NotImplemented);
    const py_node *left = (py_node *)a, *right = (py_node *)b;
    bool same = left->page == right->page && left->index == right->index;
    return PyBool_FromLong(same == (how == Py_EQ));
}

static Py_hash_t node_hash(PyObject *self)
{
    const py_node *node = (py_node *)self;
    Py_hash_t hash = (Py_hash_t)(((uintptr_t)node->page >> 4) * 31 + node->index);
    return hash == -1 ? -2 : hash;
}

static PyObject *node_repr(PyObject *self)
{
    PyObject *tag = node_tag(self, NULL), *out = NULL;
    if (tag)
        out = PyUnicode_FromFormat("<thresh.Node %R>", tag);
    Py_XDECREF(tag);
    return out;
}

static PyGetSetDef node_members[] = {
    {"page", node_page, NULL, "The page that the node is of.", NULL},
    {"tag", node_tag, NULL, "The name of the element in small letters; '' for the document.", NULL},
    {"attributes", node_attributes, NULL, "The attributes of the element, by their names.", NULL},
    {"text", node_text, NULL, "The text of the element as a reader sees it.", NULL},
    {"children", node_children, NULL, "The elements directly below: a list of Node.", NULL},
    {"parent", node_parent, NULL, "The element above, or None for the document.", NULL},
    {"start", node_start, NULL, "The first byte of the element in Page.source.", NULL},
    {"end", node_end, NULL, "The byte behind the element in Page.source.", NULL},
    {NULL},
};

static PyMethodDef node_methods[] = {
    {"iter", node_iter, METH_VARARGS,
     "iter($self, tag=None, /)\n--\n\nThe elements below, in the order of the page; with `tag` "
     "those of that name alone."},
    {NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_repr, node_repr},
    {Py_tp_richcompare, node_compare},
    {Py_tp_hash, node_hash},
    {Py_tp_getset, node_members},
    {Py_tp_methods, node_methods},
    {Py_tp_doc, (void *)"An element of a page, or the document. Get one from Page.tree."},
    {0, NULL},
};

bool py_page_add(PyObject *module)
{
    return py_add_type(module, "thresh.Page", sizeof(py_page), page_slots, &py_page_type) &&
           py_add_type(module, "thresh.Node", sizeof(py_node), node_slots, &node_type);
}
