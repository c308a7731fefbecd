/*
 * export.c: the pages of an export, with what the wrapper gives for them; each as two plain trees,
 * our own and that of libxml2.
 */
#include "export/export.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "data/record.h"
#include "page/charref.h"
#include "page/page.h"
#include "page/parse.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/wrapper.h"
#if THRESH_EXPORT
#include "export/xml2_library.h"
#endif

struct tree_maker {
    th__arena *arena;
    th__intern *names;
    TH__VEC(th__x_node) nodes;
    TH__VEC(th__x_attr) attrs;
    TH__VEC(uint32_t) classes;
    TH__VEC(uint32_t) open; /* elements around what comes next, outermost first */
    th__buf text;
    uint32_t class_name;
    bool failed;
};

static th_str kept(struct tree_maker *m, th_str text)
{
    th_str copy = th__arena_copy(m->arena, text);
    m->failed |= !copy.ptr;
    return copy;
}

static uint32_t name_of(struct tree_maker *m, th_str name)
{
    m->text.len = 0;
    for (size_t i = 0; i < name.len; i++)
        th__buf_add_byte(&m->text, (char)th__lower((unsigned char)name.ptr[i]));
    uint32_t id = th__intern_add(m->names, th__buf_str(&m->text));
    m->failed |= id == TH__INTERN_NONE || m->text.failed;
    return id;
}

static void begin(struct tree_maker *m)
{
    m->class_name = name_of(m, TH_STR("class"));
    m->failed |=
        !th__vec_push(&m->nodes, (th__x_node){.tag = TH__X_DOCUMENT}) || !th__vec_push(&m->open, 0);
}

static uint32_t around(const struct tree_maker *m)
{
    return m->open.len ? m->open.data[m->open.len - 1] : 0;
}

/* An element that is open until `close_element`. */
static void open_element(struct tree_maker *m, th_str name)
{
    uint32_t parent = around(m);
    uint16_t tag = th__tag_find(name.ptr, name.len);
    const th__x_node *up = m->nodes.len ? &m->nodes.data[parent] : NULL;
    bool foreign = tag == TH_TAG_SVG || tag == TH_TAG_MATH || (up && up->foreign);
    th__x_node node = {.parent = parent,
                       .tag = name_of(m, name),
                       .attrs = (uint32_t)m->attrs.len,
                       .classes = (uint32_t)m->classes.len,
                       .foreign = foreign,
                       .block = th__tag_flags(tag) & TH_TAG_IS_BLOCK || foreign ||
                                (tag >= TH_TAG_OTHER && memchr(name.ptr, '-', name.len)),
                       .hidden = th__tag_hides(tag) || (up && up->hidden)};
    m->failed |=
        !th__vec_push(&m->nodes, node) || !th__vec_push(&m->open, (uint32_t)m->nodes.len - 1);
}

static void close_element(struct tree_maker *m)
{
    if (m->open.len)
        m->nodes.data[m->open.data[--m->open.len]].end = (uint32_t)m->nodes.len;
}

/* Of the element that was opened last. Of several with one name the first counts. */
static void add_attribute(struct tree_maker *m, th_str name, th_str value)
{
    uint32_t id = name_of(m, name);
    if (m->failed)
        return;
    th__x_node *node = &m->nodes.data[m->nodes.len - 1];
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (m->attrs.data[node->attrs + i].name == id)
            return;
    m->failed |= !th__vec_push(&m->attrs, (th__x_attr){id, kept(m, value)});
    node->attr_count += !m->failed;
    th_str word;
    for (size_t at = 0; id == m->class_name && (word = th__str_word(value, &at)).len;) {
        uint32_t one = th__intern_add(m->names, word);
        m->failed |= one == TH__INTERN_NONE || !th__vec_push(&m->classes, one);
        node->class_count += !m->failed;
    }
}

static void add_text(struct tree_maker *m, th_str text, th_span span)
{
    th__x_node node = {
        .parent = around(m), .tag = TH__X_TEXT, .text = kept(m, text), .span = span, .blank = true};
    for (size_t i = 0; i < text.len && node.blank; i++)
        node.blank = th__x_is_blank((unsigned char)text.ptr[i]);
    m->failed |= !th__vec_push(&m->nodes, node);
    if (!m->failed)
        m->nodes.data[m->nodes.len - 1].end = (uint32_t)m->nodes.len;
}

/* What each node is among its siblings, and the text before it. Linear: the children of an element
 * are counted by tag in a map that is cleared for each. */
static void count_siblings(struct tree_maker *m)
{
    th__x_node *nodes = m->nodes.data;
    uint32_t count = (uint32_t)m->nodes.len, before = 0, texts = 0;
    th__key_map seen = {0};
    for (uint32_t n = 0; n < count && !m->failed; n++) {
        nodes[n].before = before;
        nodes[n].texts = texts;
        if (nodes[n].tag == TH__X_TEXT && !nodes[n].blank) {
            before = n;
            texts++;
        }
        if (nodes[n].tag == TH__X_TEXT)
            continue;
        th__key_map_clear(&seen);
        for (uint32_t c = n + 1; c < nodes[n].end && !m->failed; c = nodes[c].end) {
            if (nodes[c].tag == TH__X_TEXT)
                continue;
            nodes[c].number = th__key_map_get(&seen, nodes[c].tag) + 1;
            m->failed |= !th__key_map_put(&seen, nodes[c].tag, nodes[c].number);
        }
        for (uint32_t c = n + 1; c < nodes[n].end && !m->failed; c = nodes[c].end)
            if (nodes[c].tag != TH__X_TEXT)
                nodes[c].like = th__key_map_get(&seen, nodes[c].tag);
    }
    th__key_map_release(&seen);
}

static bool finish(struct tree_maker *m, th__x_tree *out)
{
    while (m->open.len)
        close_element(m);
    /* One more node, not part of the tree, has the text before and the count after the last node.
     */
    m->failed |= !th__vec_push(&m->nodes, (th__x_node){.tag = TH__X_TEXT, .blank = true});
    if (!m->failed)
        count_siblings(m);
    if (!m->failed) {
        out->count = (uint32_t)m->nodes.len - 1;
        out->nodes = th__arena_keep(m->arena, m->nodes.data, m->nodes.len, sizeof *out->nodes);
        out->attrs = th__arena_keep(m->arena, m->attrs.data, m->attrs.len, sizeof *out->attrs);
        out->classes =
            th__arena_keep(m->arena, m->classes.data, m->classes.len, sizeof *out->classes);
        m->failed = !out->nodes || !out->attrs || !out->classes;
    }
    th__vec_release(&m->nodes);
    th__vec_release(&m->attrs);
    th__vec_release(&m->classes);
    th__vec_release(&m->open);
    th__buf_release(&m->text);
    return !m->failed;
}

/* ---- our own --------------------------------------------------------------------------------- */

static void add_page_text(struct tree_maker *m, const th_page *page, uint32_t token, th__buf *text)
{
    const th_token *t = &page->tokens[token];
    th_str source = th__token_text(page, token);
    bool refs = t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA;
    if (t->kind == TH_TOKEN_CDATA)
        source = th__cdata_text(source);
    th__buf_clear(text);
    m->failed |= !th__decode_chars(source, refs ? TH__CHARS_REFS : 0, text);
    add_text(m, th__buf_str(text), th_page_token_span(page, token));
}

static void add_page_element(struct tree_maker *m, const th_page *page, uint32_t node,
                             th__buf *value)
{
    uint32_t token = page->nodes[node].token;
    th_attr attr;
    open_element(m, th_token_name(page, token));
    if (!m->failed)
        m->nodes.data[m->nodes.len - 1].span = th_page_node_span(page, node);
    if (page->tokens[token].kind != TH_TOKEN_START)
        return;
    for (th_attr_iter it = th_attrs(page, token); !m->failed && th_attr_next(&it, &attr);) {
        th__buf_clear(value);
        m->failed |= !th__decode_refs(attr.value, true, value);
        add_attribute(m, attr.name, th__buf_str(value));
    }
}

static bool read_page(th__arena *arena, th__intern *names, const th_page *page, th__x_tree *out)
{
    struct tree_maker m = {.arena = arena, .names = names};
    th__buf text = {0};
    TH__VEC(uint32_t) ends = {0}; /* by open element: its last token + 1 */
    uint32_t node = 1;
    begin(&m);
    for (uint32_t t = 0; t < page->token_count && !m.failed; t++) {
        uint8_t kind = page->tokens[t].kind;
        while (ends.len && ends.data[ends.len - 1] <= t) {
            close_element(&m);
            ends.len--;
        }
        for (; node < page->node_count && page->nodes[node].token <= t && !m.failed; node++) {
            add_page_element(&m, page, node, &text);
            m.failed |= !th__vec_push(&ends, page->nodes[node].token_end);
        }
        if (kind == TH_TOKEN_TEXT || kind == TH_TOKEN_RCDATA || kind == TH_TOKEN_RAW ||
            kind == TH_TOKEN_CDATA)
            add_page_text(&m, page, t, &text);
    }
    out->base = page->base.ptr ? page->base : page->url;
    th__vec_release(&ends);
    th__buf_release(&text);
    return finish(&m, out);
}

/* ---- libxml2's ------------------------------------------------------------------------------- */

#if THRESH_EXPORT

static th_str xml_str(const xmlChar *text)
{
    return th_str_from(text ? (const char *)text : "");
}

static void add_xml_element(struct tree_maker *m, const xmlNode *node)
{
    open_element(m, xml_str(node->name));
    for (const xmlAttr *attr = node->properties; attr && !m->failed; attr = attr->next) {
        xmlChar *value = xmlNodeListGetString(node->doc, attr->children, 1);
        add_attribute(m, xml_str(attr->name), xml_str(value));
        xmlFree(value);
    }
}

/* libxml2 leaves out of a text what parsel leaves out, too: see its create_root_node. */
static xmlDoc *read_xml(const th_page *page, th__buf *text)
{
    th_str source = th__str_trim(page->text);
    for (size_t i = 0; i < source.len; i++)
        if (source.ptr[i])
            th__buf_add_byte(text, source.ptr[i]);
    if (text->failed || text->len > INT_MAX)
        return NULL;
    return htmlReadMemory(text->len ? text->data : "<html/>", text->len ? (int)text->len : 7, NULL,
                          "utf-8",
                          HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                              HTML_PARSE_NONET | HTML_PARSE_COMPACT | XML_PARSE_HUGE);
}

static bool read_libxml2(th__arena *arena, th__intern *names, const th_page *page, th__x_tree *out)
{
    struct tree_maker m = {.arena = arena, .names = names};
    th__buf text = {0};
    xmlDoc *doc = read_xml(page, &text);
    begin(&m);
    m.failed |= !doc;
    for (const xmlNode *node = doc ? doc->children : NULL; node && !m.failed;) {
        bool element = node->type == XML_ELEMENT_NODE;
        if (element)
            add_xml_element(&m, node);
        else if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE)
            add_text(&m, xml_str(node->content), (th_span){0});
        if (element && node->children) {
            node = node->children;
            continue;
        }
        if (element)
            close_element(&m);
        while (node && !node->next) {
            node = node->parent && node->parent->type == XML_ELEMENT_NODE ? node->parent : NULL;
            if (node)
                close_element(&m);
        }
        node = node ? node->next : NULL;
    }
    out->base = page->base.ptr ? page->base : page->url;
    xmlFreeDoc(doc);
    th__buf_release(&text);
    return finish(&m, out);
}

/* Fails if libxml2 is not installed. */
static th_status need_xml2(th_error *err)
{
    const char *wrong = th__xml2_load();
    return wrong ? th__fail(err, TH_ERR_IO, "exports need %s", wrong) : TH_OK;
}

#else

static bool read_libxml2(th__arena *arena, th__intern *names, const th_page *page, th__x_tree *out)
{
    return false;
}

static th_status need_xml2(th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "this build of Thresh has no exports: it was built without libxml2");
}

#endif

/* Our tree of a page and libxml2's, in the arena. False if out of memory. */
static bool make_trees(th__arena *arena, th__intern *names, const th_page *page, th__x_tree out[2])
{
    return read_page(arena, names, page, &out[0]) && read_libxml2(arena, names, page, &out[1]);
}

/* ---- the public functions -------------------------------------------------------------------- */

void th_export_options_defaults(th_export_options *options, size_t size)
{
    th_export_options defaults = {.size = sizeof defaults};
    th__options_give(options, size, &defaults, sizeof defaults);
}

th_status th_export_new(const th_wrapper *wrapper, const th_export_options *options,
                        th_export **out, th_error *err)
{
    th_status status = need_xml2(err);
    if (status)
        return status;
    th_export *export = TH__NEW(th_export);
    if (!export)
        return th__fail_memory(err);
    export->wrapper = wrapper;
    export->one_encoding = true;
    export->one_per_page =
        th__type_strip(th_schema_root(th_wrapper_schema(wrapper)))->kind != TH_TYPE_LIST;
    th_export_options_init(&export->options);
    if (options)
        th__options_take(&export->options, sizeof export->options, options);
    th__arena_init(&export->arena);
    th__intern_init(&export->names);
    *out = export;
    return TH_OK;
}

void th_export_free(th_export *export)
{
    if (!export)
        return;
    th__vec_release(&export->pages);
    th__vec_release(&export->records);
    th__vec_release(&export->next);
    th__vec_release(&export->urls);
    th__vec_release(&export->refusals);
    th__intern_release(&export->names);
    th__arena_release(&export->arena);
    th__mem_free(export);
}

/* ---- pages in -------------------------------------------------------------------------------- */

static const th_type *record_type(const th_export *export)
{
    return th_schema_record_type(th_wrapper_schema(export->wrapper));
}

static bool take_value(th_export *export, const th_value *value, th__x_wanted *out)
{
    if (value->kind != TH_VALUE_TEXT)
        return true;
    th_str text = th__arena_copy(&export->arena, th__value_text(value));
    out->values[out->count++] = (th__x_value){text, value->span};
    return text.ptr;
}

static bool take_field(th_export *export, const th_value *value, th__x_wanted *out)
{
    uint32_t count = value->kind == TH_VALUE_LIST ? value->count : 1;
    bool ok = true;
    out->values = th__arena_zero(&export->arena, count + 1, sizeof *out->values);
    if (!out->values)
        return false;
    if (value->kind != TH_VALUE_LIST)
        return take_value(export, value, out);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = take_value(export, th__value_item(value, i), out);
    return ok;
}

/* A record, or one without values if it is NULL. */
static bool take_record(th_export *export, const th_value *value)
{
    const th_type *type = record_type(export);
    th__x_record record = {.page = (uint32_t) export->pages.len};
    bool ok = true;
    record.fields = th__arena_zero(&export->arena, type->count + 1, sizeof *record.fields);
    if (!record.fields)
        return false;
    if (value) {
        record.span = value->span.end ? value->span : th__value_hull(value);
        for (uint32_t i = 0; ok && i < type->count && value->kind == TH_VALUE_TUPLE; i++)
            ok = take_field(export, th__value_item(value, i), &record.fields[i]);
    }
    return ok && th__vec_push(&export->records, record);
}

/* The link to the next page, as the rule of the wrapper finds it. */
static th_status take_next(th_export *export, const th_page *page, th_error *err)
{
    th_next next = {0};
    th__x_record record = {.page = (uint32_t) export->pages.len};
    th_status status = th_next_find(page, export->wrapper, &next, err);
    record.fields = th__arena_zero(&export->arena, 1, sizeof *record.fields);
    th__x_value *value = th__arena_zero(&export->arena, 1, sizeof *value);
    if (!status && (!record.fields || !value))
        status = th__fail_memory(err);
    if (!status && next.by_rule && next.url.len && next.node &&
        th__attribute_span(page, page->nodes[next.node].token, TH_STR("href"), &value->span)) {
        value->text = th__arena_copy(&export->arena, (th_str){next.url.ptr, next.url.len});
        record.fields[0] = (th__x_wanted){value, 1};
        export->has_next = true;
        status = value->text.ptr ? TH_OK : th__fail_memory(err);
    }
    th_next_release(&next);
    if (!status && !th__vec_push(&export->next, record))
        status = th__fail_memory(err);
    return status;
}

static th_status fail_take(th_export *export, th_records *records, th_error *err)
{
    th_records_free(records);
    return th__fail_memory(err);
}

th_status th_export_add(th_export *export, const th_page *page, const th_records_source *source,
                        th_error *err)
{
    th_records *records = NULL;
    th_status status = take_next(export, page, err);
    if (!status)
        status = th_wrapper_extract(export->wrapper, page, source, &records, err);
    if (status)
        return status;
    bool one = export->one_per_page;
    th__x_page own = {.first = (uint32_t) export->records.len,
                      .count = one ? 1 : (uint32_t)th_records_count(records)};
    own.name = th__arena_copy(&export->arena, source ? source->page : TH_STR("page"));
    if (!own.name.ptr || !make_trees(&export->arena, &export->names, page, own.trees))
        return fail_take(export, records, err);
    for (int i = 0; i < 2; i++)
        own.trees[i].base = th__arena_copy(&export->arena, own.trees[i].base);
    for (uint32_t r = 0; r < own.count; r++)
        if (!take_record(export, r < th_records_count(records) ? th_records_get(records, r) : NULL))
            return fail_take(export, records, err);
    th_str encoding = th_str_from(page->encoding);
    export->one_encoding =
        export->one_encoding && (!export->pages.len || th__str_eq(encoding, export->encoding));
    export->encoding = th__arena_copy(&export->arena, encoding);
    th_str url = th__arena_copy(&export->arena, page->url);
    if (!th__vec_push(&export->pages, own) || (page->url.ptr && !th__vec_push(&export->urls, url)))
        return fail_take(export, records, err);
    th_records_free(records);
    return TH_OK;
}

size_t th_export_refused_count(const th_export *export)
{
    return export->refusals.len;
}

const th_refusal *th_export_refused(const th_export *export, size_t index)
{
    return index < export->refusals.len ? &export->refusals.data[index] : NULL;
}
