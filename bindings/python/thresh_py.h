/*
 * thresh_py.h: what the files of the extension module share.
 *
 * The module thresh._thresh has one small type for each handle of thresh.h that Python needs: pages
 * and their nodes, the records of a page, wrappers, and the work that takes pages one by one
 * (learning, checking, repair). It is written for CPython's limited API, so that one wheel serves
 * Python 3.11 and all later versions. The package around it, in Python, is what users see.
 *
 * Rules
 *  - A function that returns NULL or false has set an exception.
 *  - Work on a page is done without the GIL. What Python gave for it is kept alive meanwhile.
 *  - Pages, records and wrappers do not change, so threads may share them. The other types belong
 *    to one thread: the package does not hand them out.
 */
#ifndef THRESH_PY_H
#define THRESH_PY_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "thresh.h"

/* ---- py_module.c: exceptions, texts, cancelling --------------------------------------------- */

/* Makes the exception of a failure; `page` (str or NULL) is the page that it is about. */
PyObject *py_error(const th_error *err, PyObject *page);
/* Sets it, unless an exception is set already: a callback's. Returns NULL. */
PyObject *py_raise(const th_error *err, PyObject *page);
/* Sets ArgumentError. Returns NULL. */
PyObject *py_refuse(PyObject *page, const char *format, ...);

/* An object of the package, borrowed: py_import("thresh._types", "Link"). */
PyObject *py_import(const char *module, const char *name);

/* A str of UTF-8 text; bytes that are not become U+FFFD. None for an absent text. */
PyObject *py_str(th_str text);
/* The same of a text that the library made, which is released. */
PyObject *py_take_text(th_text *text);
/* The UTF-8 of a str, borrowed from it; absent for None and NULL. Raises and returns false for any
 * other type. */
bool py_view(PyObject *text, const char *what, th_str *out);

/* Adds a type to the module; *out is what instances are made with. The name has dots before it, as
 * Python prints it. A type without Py_tp_new cannot be called from Python. */
bool py_add_type(PyObject *module, const char *name, size_t size, PyType_Slot *slots,
                 PyTypeObject **out);
/* A new object of such a type, all zero behind its head. */
void *py_new(PyTypeObject *type);
void py_delete(PyObject *self);

/* Work without the GIL that Ctrl-C can end. */
typedef struct py_work {
    PyThreadState *state;
    int64_t next;     /* when signals are looked at again, in milliseconds */
    bool interrupted; /* an exception is set */
} py_work;

/* Releases the GIL, and takes it back. */
void py_work_begin(py_work *work);
void py_work_end(py_work *work);
/* Returns true if a signal handler has raised an exception. Work without the GIL calls this. */
bool py_work_asked(void *context);
/* As an option of the library's. */
th_cancel py_work_cancel(py_work *work);

/* ---- py_page.c: where bytes come from, pages and nodes --------------------------------------- */

/* The bytes of a page and who owns them. */
typedef struct py_source {
    PyObject *object; /* bytes, str or Input that the bytes are borrowed from, or NULL */
    char *owned;      /* or memory of our own */
    th_str bytes;
    th_page_source about; /* of an Input: its URL and charset */
    bool text;            /* a str: its UTF-8, whatever the page says of itself */
    bool fed;             /* an Input, which may be empty: archives have such pages */
    bool copy;            /* the bytes are borrowed from a buffer that may change */
    Py_buffer view;       /* this buffer */
    PyObject *path;       /* bytes: a file that is still to be read, or NULL */
    PyObject *name;       /* str: what messages call the page, or NULL */
    int failure;          /* errno of reading the file */
    bool has_buffer;      /* view is to be released */
} py_source;

/* Takes a source: bytes, str, an object with a buffer, a path, or a file that is open. It is called
 * `name` (str; NULL or None: what it calls itself), or `number` if it does not say. */
bool py_source_take(PyObject *object, PyObject *name, PyObject *number, py_source *out);
/* Reads the file of a path, without the GIL. False: `failure` says why. */
bool py_source_read(py_source *source);
/* Fails if there is nothing to parse, or the file was not read. */
bool py_source_check(const py_source *source);
/* Parses, without the GIL. */
th_status py_source_parse(const py_source *source, th_parser *parser, th_str url, th_str charset,
                          th_page **out, th_error *err);
void py_source_release(py_source *source);

typedef struct py_page {
    PyObject_HEAD th_page *page;
    PyObject *name; /* str or NULL */
    PyObject *keep; /* the object whose bytes it borrows, or NULL */
    char *owned;    /* or memory of its own */
} py_page;

extern PyTypeObject *py_page_type;
/* `object` as a page, or NULL with TypeError. Borrowed. */
py_page *py_page_check(PyObject *object);
/* What records of the page are called, borrowed. */
bool py_page_source(const py_page *page, th_records_source *out);
bool py_page_add(PyObject *module);

/* ---- py_feed.c: pages from files, folders and archives --------------------------------------- */

typedef struct py_input {
    PyObject_HEAD th_input *input;
} py_input;

extern PyTypeObject *py_input_type;
th_input *py_input_get(PyObject *object);
bool py_feed_add(PyObject *module);

/* ---- py_records.c: what was found ------------------------------------------------------------ */

typedef struct py_found {
    PyObject_HEAD const th_records *records;
    th_records *own;     /* the same, where they are its own */
    th_regions *regions; /* or the regions that they are from */
    PyObject *owner;     /* or the found that has these */
} py_found;

extern PyTypeObject *py_found_type;
/* Takes the records. */
PyObject *py_found_new(th_records *records);
bool py_records_add(PyObject *module);

/* ---- py_wrapper.c: wrappers, and what makes, checks and mends them --------------------------- */

typedef struct py_wrapper {
    PyObject_HEAD th_wrapper *wrapper;
} py_wrapper;

extern PyTypeObject *py_wrapper_type;
bool py_wrapper_add(PyObject *module);
/* py_learn.c */
/* Takes the wrapper. */
PyObject *py_wrapper_new(th_wrapper *wrapper);
bool py_learn_add(PyObject *module);

#endif
