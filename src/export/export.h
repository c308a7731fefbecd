/*
 * export.h: the rules of a wrapper as selectors that other programs understand.
 *
 * The rules of an engine cannot be translated one by one: engines see pages as leaves, units, roles
 * or tokens, and other programs see elements and texts. So an export begins at the other end. The
 * wrapper runs on pages, and each value that it gives has a place there. From these places come
 * selectors, which are kept if they give the same values in every record of every page. That serves
 * all engines alike, and an export is checked by the way it is made.
 *
 *     <li class=card><h3>Heron</h3><p class=price>1.190 EUR</p>     title  "Heron"
 *     <li class=card><h3>Plover</h3><p class=price>890 EUR</p>      title  "Plover"
 *
 *     records   li.card
 *     title     h3, its text                     tried first because it is short; correct in both
 *     price     p.price, its text before " EUR"
 *
 * Every selector is tried on two trees of a page: ours, which shows the source as it is, and the
 * tree of libxml2, which lxml, parsel and Scrapy use. What differs between them is refused.
 *
 *     export.c         pages with their records, each page as two trees
 *     export_find.c    selectors for records and fields, and what they find in a tree
 *     export_write.c   selectors as CSS, XPath and Python
 */
#ifndef TH_EXPORT_H
#define TH_EXPORT_H

#include "base/intern.h"
#include "base/str.h"
#include "base/mem.h"
#include "base/vec.h"
#include "wrapper/cut.h"

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct th__x_attr {
    uint32_t name; /* interned, in lower case */
    th_str value;  /* as characters */
} th__x_attr;

typedef struct th__x_node {
    uint32_t parent, end; /* nodes are in preorder; [itself, end) is what it holds */
    uint32_t tag;         /* interned; TH__X_TEXT for a text, TH__X_DOCUMENT for node 0 */
    uint32_t attrs, attr_count;
    uint32_t classes, class_count; /* interned words of its class attribute */
    uint32_t number, like;         /* among siblings of its tag: which it is, from 1; how many */
    uint32_t before;               /* the last text before it that is not blank, or 0 */
    uint32_t texts;                /* how many texts that are not blank are before it */
    bool blank;                    /* of a text: only white space of XML */
    bool block, hidden, foreign;   /* as page/text.h reads text; inside of svg or math */
    th_str text;                   /* of a text, as characters */
    th_span span;                  /* in the source; only of our own tree */
} th__x_node;

/* Returns true for white space of XML. */
static inline bool th__x_is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum { TH__X_TEXT = UINT32_MAX, TH__X_DOCUMENT = UINT32_MAX - 1, TH__X_ANY = UINT32_MAX - 2 };

typedef struct th__x_tree {
    th__x_node *nodes;
    uint32_t count;
    th__x_attr *attrs;
    uint32_t *classes;
    th_str base; /* of relative links; or absent */
} th__x_tree;

/* ---- selectors ------------------------------------------------------------------------------- */

typedef enum th__x_kind {
    TH__X_CLASS,     /* has the class `name` */
    TH__X_NOT_CLASS, /* does not */
    TH__X_ATTR,      /* its attribute `name` is `text` */
    TH__X_NTH,       /* is the number-th child of its tag; below 0, from the end */
    TH__X_HAS,       /* contains an element `tag` with the class `name`, or any class if NONE */
    TH__X_HAS_NOT,   /* does not */
    /* Only XPath has these. Blank texts do not count: */
    TH__X_LABEL,    /* the text before it is `text` */
    TH__X_IS,       /* its text is `text` */
    TH__X_STARTS,   /* its text begins with `text` */
    TH__X_ALONE,    /* all text of its parent is in it */
    TH__X_NO_ALONE, /* none of its children has all of its text */
    TH__X_OWN,      /* has a text right inside it */
    TH__X_NO_OWN    /* has none */
} th__x_kind;

typedef struct th__x_test {
    uint8_t kind;
    int32_t number;
    uint32_t tag, name;
    th_str text;
} th__x_test;

enum { TH__X_STEPS = 12, TH__X_TESTS = 4 };

/* Where a step leads: right inside of what is before it, anywhere inside, or, as the first step, to
 * the last such element before the record. */
typedef enum th__x_axis { TH__X_CHILD, TH__X_DEEP, TH__X_BEFORE } th__x_axis;

typedef struct th__x_step {
    uint8_t axis;
    uint8_t count;
    uint32_t tag; /* or TH__X_ANY */
    th__x_test tests[TH__X_TESTS];
} th__x_step;

typedef struct th__x_path {
    uint8_t count; /* 0: the record itself */
    bool self;     /* a deep first step may lead to the record itself, as in CSS */
    th__x_step steps[TH__X_STEPS];
} th__x_path;

/* Which part of an element is the value. */
typedef enum th__x_take {
    TH__X_ALL_TEXT,  /* all of its text */
    TH__X_OWN_TEXT,  /* the number-th text right inside it, blank ones aside; below 0, from the end
                      */
    TH__X_TOLD_TEXT, /* the text right inside it that comes after the text `label` */
    TH__X_RANGE,     /* the text of some of its children: see th__x_range */
    TH__X_ATTRIBUTE, /* the attribute `name` */
    TH__X_LINK       /* the same as an absolute URL */
} th__x_take;

/* Neighbouring children of an element: those after the from-th child `after` up to the to-th child
 * `until`, with it or without it; from its beginning if `from` is 0, to its end if `to` is 0 or
 * there are not so many. */
typedef struct th__x_range {
    uint32_t after, until;
    uint32_t from, to;
    bool with;
} th__x_range;

/* A selector for the values of a field. */
typedef struct th__x_rule {
    th__x_path path;
    uint8_t take;
    uint32_t name;
    th_str label;
    th__x_range range;
    int32_t number;
    int32_t pick; /* which of the elements, from 1; below 0, from the end; 0: all of a list */
    th__cut cut;  /* which part of the text */
    th_str strip; /* characters that are left out at both ends of the text, or absent */
} th__x_rule;

enum { TH__X_RULES = 6 };

/* How the values of several rules become one list: in the order of the page; one rule after the
 * other; the same, each text once. */
typedef enum th__x_join { TH__X_UNION, TH__X_CHAIN, TH__X_DISTINCT } th__x_join;

typedef struct th__x_field {
    th_str name;
    bool list;
    uint32_t member;
    th__x_rule rules[TH__X_RULES]; /* of one value: the first that finds one; of a list: all */
    uint8_t join;                  /* of a list: th__x_join */
    uint32_t count;
    bool css;        /* CSS can express them all */
    uint32_t values; /* how many it has on the pages */
    th_str refused;  /* why there are none; or absent */
} th__x_field;

/* The same for records. */
typedef struct th__x_places {
    bool page; /* the page is the record */
    bool css;  /* CSS can express them all */
    th__x_path paths[TH__X_RULES];
    uint32_t count;
    th_str refused;
} th__x_places;

/* ---- what the wrapper gives for pages -------------------------------------------------------- */

/* A value that the wrapper gave. */
typedef struct th__x_value {
    th_str text;
    th_span span;
} th__x_value;

/* What the wrapper gave for a field of a record. */
typedef struct th__x_wanted {
    th__x_value *values;
    uint32_t count;
} th__x_wanted;

typedef struct th__x_record {
    uint32_t page;
    uint32_t roots[2]; /* by tree: its element; 0 for the page */
    th_span span;
    th__x_wanted *fields; /* by member */
} th__x_record;

typedef struct th__x_page {
    th_str name;
    th__x_tree trees[2];   /* ours, libxml2's */
    uint32_t first, count; /* its records */
} th__x_page;

struct th_export {
    const th_wrapper *wrapper;
    th_export_options options;
    th__arena arena;
    th__intern names;
    TH__VEC(th__x_page) pages;
    TH__VEC(th__x_record) records;
    TH__VEC(th__x_record) next; /* by page: its link to the next page as the only field */
    bool has_next;              /* a page has one where the wrapper's rule says */
    TH__VEC(th_str) urls;
    TH__VEC(th_refusal) refusals;
    th_str encoding;
    bool one_encoding;
    bool one_per_page; /* the page is the record */
};

/* ---- an export ------------------------------------------------------------------------------- */

typedef struct th__x_export {
    th__x_places places;
    th__x_field *fields;
    uint32_t field_count;
    bool has_next;    /* the wrapper knows where the link to the next page is: */
    th__x_field next; /* for spiders */
    const th__intern *names;
    th_str wrapper;     /* its name, or absent */
    th_str encoding;    /* of the pages, if it is the same for all; or absent */
    const th_str *urls; /* of the pages, where known */
    uint32_t url_count;
} th__x_export;

/* Selectors for the records, the fields and, in a spider, the next page; what cannot be exported
 * goes to export->refusals. */
th_status th__x_find(th_export *export, th_export_target target, th__x_export *x, th_error *err);

#endif
