/*
 * export_tree.c: pages as plain trees, our own and that of libxml2, and what a selector finds in
 * one. The meaning of each part of a selector is that of XPath and CSS, so that what is found here
 * is what other programs find in the same tree.
 */
#include "export/export.h"

#include <limits.h>
#include <stdlib.h>
#if THRESH_EXPORT
#include <libxml/HTMLparser.h>
#endif

#include "base/utf8.h"
#include "data/labels.h"
#include "page/charref.h"
#include "page/parse.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"

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

static bool is_xml_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void add_text(struct tree_maker *m, th_str text, th_span span)
{
    th__x_node node = {
        .parent = around(m), .tag = TH__X_TEXT, .text = kept(m, text), .span = span, .blank = true};
    for (size_t i = 0; i < text.len && node.blank; i++)
        node.blank = is_xml_blank((unsigned char)text.ptr[i]);
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
    /* One more node, which is no part of the tree, has what comes after the last. */
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

#else /* th_export_new has refused */

static bool read_libxml2(th__arena *arena, th__intern *names, const th_page *page, th__x_tree *out)
{
    return false;
}

#endif

bool th__x_trees_make(th__arena *arena, th__intern *names, const th_page *page, th__x_tree out[2])
{
    return read_page(arena, names, page, &out[0]) && read_libxml2(arena, names, page, &out[1]);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Appends the text of the nodes from `from` up to `to`, as th__span_text reads it. False if out of
 * memory. Blocks separate words where they begin and where they end. The ends are on a stack of
 * their own making: an ancestor ends where a node begins that is outside of it. */
static bool add_text_of(const th__x_tree *tree, uint32_t from, uint32_t to, th__buf *out)
{
    const th__x_node *nodes = tree->nodes;
    size_t first = out->len;
    bool blank = false;
    TH__VEC(uint32_t) blocks = {0};
    bool ok = true;
    for (uint32_t n = from; ok && n < to;) {
        while (blocks.len && blocks.data[blocks.len - 1] <= n) {
            blank = true;
            blocks.len--;
        }
        if (nodes[n].hidden) {
            blank |= nodes[n].block;
            n = nodes[n].end;
            continue;
        }
        if (nodes[n].tag == TH__X_TEXT) {
            th__fold_blanks(nodes[n].text, first, &blank, out);
        } else if (nodes[n].block) {
            blank = true;
            ok = th__vec_push(&blocks, nodes[n].end);
        }
        n++;
    }
    th__vec_release(&blocks);
    return ok && !out->failed;
}

th_str th__x_attr_get(const th__x_tree *tree, uint32_t node, uint32_t name)
{
    const th__x_node *n = &tree->nodes[node];
    for (uint32_t i = 0; i < n->attr_count; i++)
        if (tree->attrs[n->attrs + i].name == name)
            return tree->attrs[n->attrs + i].value;
    return (th_str){0};
}

static bool has_class(const th__x_tree *tree, uint32_t node, uint32_t name)
{
    const th__x_node *n = &tree->nodes[node];
    for (uint32_t i = 0; i < n->class_count; i++)
        if (tree->classes[n->classes + i] == name)
            return true;
    return false;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool contains(const th__x_tree *tree, uint32_t node, uint32_t tag, uint32_t name)
{
    for (uint32_t n = node + 1; n < tree->nodes[node].end; n++)
        if (tree->nodes[n].tag == tag && (name == TH__INTERN_NONE || has_class(tree, n, name)))
            return true;
    return false;
}

/* Returns true if the texts of some nodes, with white space folded as XPath's normalize-space()
 * does, are `text`, or begin with it. */
static bool is_normalized(const th__x_tree *tree, uint32_t node, uint32_t end, th_str text,
                          bool begin)
{
    size_t used = 0;
    bool blank = false;
    for (; node < end; node++) {
        th_str source = tree->nodes[node].text;
        for (size_t at = 0; at < source.len; at++) {
            char c = source.ptr[at];
            if (is_xml_blank((unsigned char)c)) {
                blank = true;
                continue;
            }
            if (blank && used && (used >= text.len || text.ptr[used++] != ' '))
                return false;
            blank = false;
            if (used >= text.len || text.ptr[used++] != c)
                return false;
            if (begin && used == text.len)
                return true;
        }
    }
    return used == text.len;
}

static bool is_after(const th__x_tree *tree, uint32_t node, th_str label)
{
    uint32_t before = tree->nodes[node].before;
    return before && is_normalized(tree, before, before + 1, label, false);
}

/* How many texts that are not blank are in a node. */
static uint32_t texts_in(const th__x_tree *tree, uint32_t node)
{
    return tree->nodes[tree->nodes[node].end].texts - tree->nodes[node].texts;
}

static bool is_alone(const th__x_tree *tree, uint32_t node)
{
    uint32_t texts = texts_in(tree, node);
    return texts && texts == texts_in(tree, tree->nodes[node].parent);
}

static bool has_own(const th__x_tree *tree, uint32_t node)
{
    const th__x_node *nodes = tree->nodes;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end)
        if (nodes[n].tag == TH__X_TEXT && !nodes[n].blank)
            return true;
    return false;
}

static bool has_alone(const th__x_tree *tree, uint32_t node)
{
    const th__x_node *nodes = tree->nodes;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end)
        if (nodes[n].tag < TH__X_ANY && is_alone(tree, n))
            return true;
    return false;
}

static bool passes(const th__x_tree *tree, uint32_t node, const th__x_test *test)
{
    const th__x_node *n = &tree->nodes[node];
    switch (test->kind) {
    case TH__X_CLASS:
        return has_class(tree, node, test->name);
    case TH__X_NOT_CLASS:
        return !has_class(tree, node, test->name);
    case TH__X_ATTR: {
        th_str value = th__x_attr_get(tree, node, test->name);
        return value.ptr && th__str_eq(value, test->text);
    }
    case TH__X_NTH:
        return test->number > 0 ? n->number == (uint32_t)test->number
                                : n->like - n->number + 1 == (uint32_t)-test->number;
    case TH__X_HAS:
        return contains(tree, node, test->tag, test->name);
    case TH__X_HAS_NOT:
        return !contains(tree, node, test->tag, test->name);
    case TH__X_IS:
        return is_normalized(tree, node, n->end, test->text, false);
    case TH__X_STARTS:
        return is_normalized(tree, node, n->end, test->text, true);
    case TH__X_ALONE:
        return is_alone(tree, node);
    case TH__X_NO_ALONE:
        return !has_alone(tree, node);
    case TH__X_OWN:
        return has_own(tree, node);
    case TH__X_NO_OWN:
        return !has_own(tree, node);
    default:
        return is_after(tree, node, test->text);
    }
}

static bool matches(const th__x_tree *tree, uint32_t node, const th__x_step *step)
{
    if (tree->nodes[node].tag >= TH__X_ANY ||
        (step->tag != TH__X_ANY && tree->nodes[node].tag != step->tag))
        return false;
    for (uint32_t i = 0; i < step->count; i++)
        if (!passes(tree, node, &step->tests[i]))
            return false;
    return true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The elements that a step leads to from some, which rise; those found rise too. */
static bool take_step(const th__x_tree *tree, const th__x_nodes *from, const th__x_step *step,
                      bool self, th__x_nodes *out)
{
    const th__x_node *nodes = tree->nodes;
    bool ordered = true, deep = step->axis == TH__X_DEEP;
    uint32_t done = 0; /* what is before it was looked through */
    out->len = 0;
    for (size_t i = 0; i < from->len; i++) {
        uint32_t around = from->data[i], n = around + !(self && deep);
        if (deep && n < done)
            n = done;
        while (n < nodes[around].end) {
            if (matches(tree, n, step)) {
                ordered &= !out->len || out->data[out->len - 1] < n;
                if (!th__vec_push(out, n))
                    return false;
            }
            n = deep ? n + 1 : nodes[n].end;
        }
        done = n > done ? n : done;
    }
    if (!ordered)
        qsort(out->data, out->len, sizeof *out->data, th__by_node);
    return true;
}

/* The last element before a node and outside of those around it. */
static bool step_back(const th__x_tree *tree, uint32_t from, const th__x_step *step,
                      th__x_nodes *out)
{
    out->len = 0;
    for (uint32_t n = from; n-- > 1;)
        if (tree->nodes[n].end <= from && matches(tree, n, step))
            return th__vec_push(out, n);
    return true;
}

bool th__x_path_find(const th__x_tree *tree, uint32_t from, const th__x_path *path,
                     th__x_nodes *out, th__x_nodes *spare)
{
    out->len = 0;
    if (!th__vec_push(out, from))
        return false;
    for (uint32_t i = 0; i < path->count && out->len; i++) {
        const th__x_step *step = &path->steps[i];
        if (step->axis == TH__X_BEFORE ? !step_back(tree, out->data[0], step, spare)
                                       : !take_step(tree, out, step, path->self && !i, spare))
            return false;
        th__x_nodes swap = *out;
        *out = *spare;
        *spare = swap;
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool find_own(const th__x_tree *tree, uint32_t node, int32_t number, uint32_t *out)
{
    const th__x_node *nodes = tree->nodes;
    int32_t count = 0;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end)
        count += nodes[n].tag == TH__X_TEXT && !nodes[n].blank;
    if (number < 0)
        number += count + 1;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end)
        if (nodes[n].tag == TH__X_TEXT && !nodes[n].blank && --number == 0) {
            *out = n;
            return true;
        }
    return false;
}

static bool find_told(const th__x_tree *tree, uint32_t node, th_str label, uint32_t *out)
{
    const th__x_node *nodes = tree->nodes;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end)
        if (nodes[n].tag == TH__X_TEXT && !nodes[n].blank && is_after(tree, n, label)) {
            *out = n;
            return true;
        }
    return false;
}

static void find_range(const th__x_tree *tree, uint32_t node, const th__x_range *range,
                       uint32_t *from, uint32_t *to)
{
    const th__x_node *nodes = tree->nodes;
    uint32_t before = 0, behind = 0;
    *from = range->from ? nodes[node].end : node + 1;
    *to = nodes[node].end;
    for (uint32_t n = node + 1; n < nodes[node].end; n = nodes[n].end) {
        if (nodes[n].tag == range->until && ++behind == range->to)
            *to = range->with ? nodes[n].end : n;
        if (nodes[n].tag == range->after && ++before == range->from)
            *from = nodes[n].end;
    }
}

/* Where the value is: [*from, *to) of the nodes; the element itself for an attribute. False if
 * there is none, which a rule that picks does not count. */
static bool take_place(const th__x_tree *tree, uint32_t node, const th__x_rule *rule,
                       uint32_t *from, uint32_t *to)
{
    *from = node;
    *to = tree->nodes[node].end;
    if (rule->take >= TH__X_ATTRIBUTE)
        return th__x_attr_get(tree, node, rule->name).ptr;
    if (rule->take == TH__X_OWN_TEXT || rule->take == TH__X_TOLD_TEXT) {
        if (rule->take == TH__X_OWN_TEXT ? !find_own(tree, node, rule->number, from)
                                         : !find_told(tree, node, rule->label, from))
            return false;
        *to = *from + 1;
    } else if (rule->take == TH__X_RANGE) {
        find_range(tree, node, &rule->range, from, to);
    }
    return true;
}

bool th__x_rule_find(const th__x_tree *tree, uint32_t from, const th__x_rule *rule,
                     th__x_nodes *out, th__x_nodes *spare)
{
    size_t kept = 0;
    uint32_t start, end;
    if (!th__x_path_find(tree, from, &rule->path, out, spare))
        return false;
    for (size_t i = 0; i < out->len; i++)
        if (take_place(tree, out->data[i], rule, &start, &end))
            out->data[kept++] = out->data[i];
    out->len = kept;
    return true;
}

static bool is_in(th_str set, char c)
{
    return c == ' ' || (set.len && memchr(set.ptr, c, set.len));
}

/* Cuts what is in `out` from `first` on; false if nothing is left. */
static bool cut_text(const th__x_rule *rule, size_t first, th__buf *out)
{
    th_str text = {out->data + first, out->len - first};
    size_t from = 0, to = text.len;
    if (rule->strip.len) {
        while (from < to && is_in(rule->strip, text.ptr[from]))
            from++;
        while (to > from && is_in(rule->strip, text.ptr[to - 1]))
            to--;
    }
    if (!th__cut_is_whole(&rule->cut)) {
        th_str inner = {text.ptr + from, to - from};
        size_t start, end;
        if (!th__cut_find(&rule->cut, inner, &start, &end))
            return false;
        to = from + end;
        from += start;
    }
    memmove(out->data + first, text.ptr + from, to - from);
    out->len = first + (to - from);
    return out->len > first;
}

bool th__x_take_value(const th__x_tree *tree, uint32_t node, const th__x_rule *rule, th__buf *out,
                      uint32_t *at, bool *found)
{
    size_t first = out->len;
    uint32_t to;
    bool ok = true;
    *found = false;
    if (!take_place(tree, node, rule, at, &to))
        return true;
    if (rule->take >= TH__X_ATTRIBUTE) {
        th_str value = th__x_attr_get(tree, node, rule->name);
        bool blank = false;
        if (rule->take == TH__X_LINK)
            ok = th__url_resolve(tree->base, th__str_trim(value), out);
        else
            th__fold_blanks(value, first, &blank, out);
    } else {
        ok = add_text_of(tree, *at, to, out);
    }
    ok = ok && !out->failed;
    *found = ok && out->len > first && cut_text(rule, first, out);
    if (!*found)
        out->len = first;
    return ok;
}
