/*
 * export_find.c: selectors that find what a wrapper gave, and what a selector finds in a tree.
 *
 * A value has a place in its record: an element, one of the texts right inside it, a line, an
 * attribute, or a part of one of these. From the place come many selectors, short ones with names
 * first: an id, a property, a class, a tag; the same below an element further up that has one; the
 * path of all tags, with positions where siblings are alike; the text before it. Each is tried in
 * all records of all pages, on both trees. A selector is wrong if it finds anything in a record
 * that the wrapper did not give; it is dropped at the first wrong answer, so that most cost little.
 * The first that finds all values is the rule. Otherwise the one that finds most of them is kept,
 * and the first value that is still missing gives the next.
 *
 * The meaning of each part of a selector is that of XPath and CSS, so that what is found here is
 * what other programs find in the same tree.
 *
 * Cost: selectors (LIMIT_PATHS per place at most, times the parts of a text) times the size of the
 * records. That is not linear, but all factors but the size have limits.
 */
#include "export/export.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "data/labels.h"
#include "data/record.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"
#include "wrapper/wrapper.h"

typedef TH__VEC(uint32_t) th__x_nodes;

/* What is searched. */
typedef struct th__x_pages {
    th__x_page *pages;
    uint32_t page_count;
    th__x_record *records;
    uint32_t record_count;
    th__intern *names;
    th__arena *arena; /* of what is found */
    bool css;         /* only what CSS can express */
} th__x_pages;

/* ---- texts ----------------------------------------------------------------------------------- */

/* Appends the text of the nodes from `from` up to `to`, as th__span_text reads it. False if out of
 * memory. Blocks separate words where they begin and where they end. The ends of open blocks
 * are on a stack: a block ends where a node begins that is outside of it. */
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

static th_str attr_get(const th__x_tree *tree, uint32_t node, uint32_t name)
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
            if (th__x_is_blank((unsigned char)c)) {
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
        th_str value = attr_get(tree, node, test->name);
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

/* Finds the elements that a path leads to from a node, in the order of the page. `spare` is
 * scratch. False if out of memory. */
static bool path_find(const th__x_tree *tree, uint32_t from, const th__x_path *path,
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
        return attr_get(tree, node, rule->name).ptr;
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

/* Finds those of them that have what the rule takes, whatever its text is and whichever it picks.
 */
static bool rule_find(const th__x_tree *tree, uint32_t from, const th__x_rule *rule,
                      th__x_nodes *out, th__x_nodes *spare)
{
    size_t kept = 0;
    uint32_t start, end;
    if (!path_find(tree, from, &rule->path, out, spare))
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

/* Appends the value that a rule takes from an element to `out`; *found is false if there is none,
 * *at is its first node. False if out of memory. */
static bool take_value(const th__x_tree *tree, uint32_t node, const th__x_rule *rule, th__buf *out,
                       uint32_t *at, bool *found)
{
    size_t first = out->len;
    uint32_t to;
    bool ok = true;
    *found = false;
    if (!take_place(tree, node, rule, at, &to))
        return true;
    if (rule->take >= TH__X_ATTRIBUTE) {
        th_str value = attr_get(tree, node, rule->name);
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

enum {
    LIMIT_PATHS = 1000, /* from one place */
    LIMIT_ABOVE = 8,    /* elements further up that are tried as a beginning */
    LIMIT_CHAIN = TH__X_STEPS - 1,
    LIMIT_WORK = 100000000, /* nodes that are looked at for one field; a page has thousands */
    LIMIT_TRIES = 120,      /* places of one field that give selectors */
    LIMIT_CLASSES = 4,
    LIMIT_VALUES = 64 /* of a field in one record */
};

typedef TH__VEC(th__x_path) path_vec;

/* ---- steps that lead to an element ----------------------------------------------------------- */

/* Attributes that name an element, rather than hold data. */
static const char *const telling[] = {"id",       "itemprop", "property",   "data-testid",
                                      "itemtype", "role",     "rel",        "name",
                                      "headers",  "scope",    "data-field", NULL};

struct path_maker {
    const th__x_pages *pages;
    const th__x_tree *tree;
    uint32_t root;
    path_vec *out;
    uint32_t chain[64]; /* from the place up, without it: those that paths may name */
    uint32_t chain_count;
    bool failed;
};

typedef TH__VEC(th__x_step) step_vec;

static th__x_step step_of(const th__x_tree *tree, uint32_t node)
{
    return (th__x_step){.tag = tree->nodes[node].tag, .axis = TH__X_DEEP};
}

static th__x_step with(th__x_step step, th__x_test test)
{
    if (step.count < TH__X_TESTS)
        step.tests[step.count++] = test;
    return step;
}

static bool may_quote(th_str text)
{
    bool single = text.len && memchr(text.ptr, '\'', text.len);
    bool other = text.len && memchr(text.ptr, '"', text.len);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == '\\' || text.ptr[i] == 0x7F)
            return false;
    return text.len && text.len <= 80 && !(single && other);
}

/* Steps that identify the element by the names that its author gave it. */
static bool strong_steps(const struct path_maker *m, uint32_t node, step_vec *out)
{
    const th__x_node *n = &m->tree->nodes[node];
    th__x_step plain = step_of(m->tree, node);
    for (uint32_t i = 0; telling[i]; i++) {
        uint32_t name = th__intern_find(m->pages->names, th_str_from(telling[i]));
        th_str value = name == TH__INTERN_NONE ? (th_str){0} : attr_get(m->tree, node, name);
        if (value.ptr && may_quote(value) &&
            !th__vec_push(out, with(plain, (th__x_test){TH__X_ATTR, .name = name, .text = value})))
            return false;
    }
    th__x_step all = plain;
    for (uint32_t i = 0; i < n->class_count && i < LIMIT_CLASSES; i++) {
        uint32_t name = m->tree->classes[n->classes + i];
        if (!may_quote(th__intern_name(m->pages->names, name)))
            continue;
        all = with(all, (th__x_test){TH__X_CLASS, .name = name});
        if (!th__vec_push(out, with(plain, (th__x_test){TH__X_CLASS, .name = name})))
            return false;
    }
    return all.count < 2 || th__vec_push(out, all);
}

/* The class attribute as it is, which distinguishes "a b" from "a". False if there is none. */
static bool exact_step(const struct path_maker *m, uint32_t node, th__x_step *out)
{
    uint32_t name = th__intern_find(m->pages->names, TH_STR("class"));
    th_str value = attr_get(m->tree, node, name);
    *out = with(step_of(m->tree, node), (th__x_test){TH__X_ATTR, .name = name, .text = value});
    return value.ptr && may_quote(value);
}

static th__x_step nth_step(const th__x_tree *tree, uint32_t node, bool from_end)
{
    const th__x_node *n = &tree->nodes[node];
    int32_t number = from_end ? -(int32_t)(n->like - n->number + 1) : (int32_t)n->number;
    th__x_step step = step_of(tree, node);
    return n->like > 1 ? with(step, (th__x_test){TH__X_NTH, .number = number}) : step;
}

/* Names with a colon, and worse, mean something else in selectors. */
static bool is_plain_name(th_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (!th__is_alpha(c) && (!i || (!th__is_digit(c) && c != '-' && c != '_')))
            return false;
    }
    return name.len;
}

static void add_path(struct path_maker *m, const th__x_path *path)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (!is_plain_name(th__intern_name(m->pages->names, path->steps[i].tag)))
            return;
    if (m->out->len < LIMIT_PATHS)
        m->failed |= !th__vec_push(m->out, *path);
    if (!m->failed && m->out->len)
        m->out->data[m->out->len - 1].self = m->pages->css && m->root;
}

static void add_two(struct path_maker *m, const th__x_step *first, const th__x_step *last,
                    bool direct)
{
    th__x_path path = {.count = 2, .steps = {*first, *last}};
    path.steps[1].axis = direct ? TH__X_CHILD : TH__X_DEEP;
    add_path(m, &path);
}

/* From an element of the chain, by `first`, down to the place step by step. Steps are
 * identified by tags, by tags and positions, or by tags and first classes. */
enum { BY_TAG, BY_POSITION, BY_CLASS, WAYS_DOWN };

static th__x_step step_down(const struct path_maker *m, uint32_t node, int way)
{
    const th__x_node *n = &m->tree->nodes[node];
    if (way == BY_POSITION)
        return nth_step(m->tree, node, false);
    th__x_step step = step_of(m->tree, node);
    if (way == BY_CLASS && n->class_count &&
        may_quote(th__intern_name(m->pages->names, m->tree->classes[n->classes])))
        step = with(step, (th__x_test){TH__X_CLASS, .name = m->tree->classes[n->classes]});
    return step;
}

/* Tables are read with and without tbody: a row may be anywhere inside of its table. */
static bool is_tbody(const th__x_pages *pages, const th__x_tree *tree, uint32_t node)
{
    return th__str_eq(th__intern_name(pages->names, tree->nodes[node].tag), TH_STR("tbody"));
}

static bool is_row(const th__x_pages *pages, const th__x_tree *tree, uint32_t node)
{
    return th__str_eq(th__intern_name(pages->names, tree->nodes[node].tag), TH_STR("tr"));
}

/* `above` counts the elements of the chain that the path passes; `first` replaces the step of the
 * last of them, or is NULL. */
static void add_chain(struct path_maker *m, uint32_t node, uint32_t above, const th__x_step *first,
                      int way)
{
    th__x_path path = {0};
    if (above > LIMIT_CHAIN)
        return;
    for (uint32_t i = above + 1; i-- > 0;) {
        uint32_t at = i ? m->chain[i - 1] : node;
        th__x_step step = step_down(m, at, way);
        step.axis = is_row(m->pages, m->tree, at) ? TH__X_DEEP : TH__X_CHILD;
        if (i == above && !m->root)
            step.axis = TH__X_DEEP; /* below body */
        if (i == above && first) {
            step = *first;
            step.axis = TH__X_DEEP;
        }
        path.steps[path.count++] = step;
    }
    add_path(m, &path);
}

/* A text as XPath's normalize-space() gives it, in the arena; absent if it is too long to name. */
static th_str normalized(const struct path_maker *m, uint32_t from, uint32_t to)
{
    enum { LONGEST = 80 };
    th__buf text = {0};
    bool blank = false;
    for (uint32_t n = from; n < to && text.len <= LONGEST; n++) {
        th_str source = m->tree->nodes[n].text;
        for (size_t i = 0; i < source.len && text.len <= LONGEST; i++) {
            bool is_blank = strchr(" \t\n\r", source.ptr[i]) && source.ptr[i];
            if (!is_blank && blank && text.len)
                th__buf_add_byte(&text, ' ');
            if (!is_blank)
                th__buf_add_byte(&text, source.ptr[i]);
            blank = is_blank;
        }
    }
    th_str out = {0};
    if (!text.failed && may_quote(th__buf_str(&text)))
        out = th__arena_copy(m->pages->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out;
}

/* The beginning of its text up to a colon; or absent. */
static th_str caption_of(const struct path_maker *m, uint32_t node)
{
    enum { LONGEST = 40 };
    uint32_t end = m->tree->nodes[node].end;
    th_str text = {0};
    for (uint32_t n = node; n < end && !text.ptr; n++)
        if (m->tree->nodes[n].tag == TH__X_TEXT && !m->tree->nodes[n].blank)
            text = th__str_trim(m->tree->nodes[n].text);
    const char *colon = text.ptr ? memchr(text.ptr, ':', text.len) : NULL;
    text.len = colon ? (size_t)(colon - text.ptr) + 1 : 0;
    for (size_t i = 1; i < text.len; i++) /* more white space than one blank would not match */
        if (strchr("\t\n\r", text.ptr[i]) || (text.ptr[i] == ' ' && text.ptr[i - 1] == ' '))
            text.len = 0;
    return text.len > 1 && text.len <= LONGEST && may_quote(text)
               ? th__arena_copy(m->pages->arena, text)
               : (th_str){0};
}

/* Steps with a test of what the element contains: of its own children, of usual markup that it does
 * not have. */
static void add_content_paths(struct path_maker *m, uint32_t node, const step_vec *own)
{
    static const char *const usual[] = {"a", "b", "span", "br", "img", "strong", "em", "i"};
    enum { USUAL = sizeof usual / sizeof *usual };
    const th__x_node *nodes = m->tree->nodes;
    bool has[USUAL] = {false};
    th__x_test tests[USUAL + 3];
    uint32_t count = 0, had = 0;
    for (uint32_t n = node + 1; n < nodes[node].end; n++) {
        if (nodes[n].tag >= TH__X_ANY)
            continue;
        th_str name = th__intern_name(m->pages->names, nodes[n].tag);
        for (int i = 0; i < USUAL; i++)
            has[i] |= th__str_eq(name, th_str_from(usual[i]));
        if (had < 3 && is_plain_name(name)) {
            tests[count++] = (th__x_test){TH__X_HAS, .tag = nodes[n].tag, .name = TH__INTERN_NONE};
            had++;
        }
    }
    for (int i = 0; i < USUAL; i++) {
        uint32_t tag = th__intern_find(m->pages->names, th_str_from(usual[i]));
        if (!has[i] && tag != TH__INTERN_NONE)
            tests[count++] = (th__x_test){TH__X_HAS_NOT, .tag = tag, .name = TH__INTERN_NONE};
    }
    for (uint32_t t = 0; t < count; t++)
        for (size_t k = 0; k<own->len; k += own->len> 1 ? own->len - 1 : 1)
            add_path(m, &(th__x_path){.count = 1, .steps = {with(own->data[k], tests[t])}});
}

/* Steps with a test that only XPath has: the text before it, its own text, other text in its
 * parent; alone and below elements further up. */
static bool add_xpath_paths(struct path_maker *m, uint32_t node, const step_vec *own)
{
    const th__x_node *nodes = m->tree->nodes;
    uint32_t before = nodes[node].before;
    th__x_test tests[] = {
        {TH__X_LABEL, .text = before ? normalized(m, before, before + 1) : (th_str){0}},
        {TH__X_IS, .text = normalized(m, node, nodes[node].end)},
        {TH__X_STARTS, .text = caption_of(m, node)},
        {TH__X_ALONE},
        {TH__X_NO_ALONE},
        {TH__X_OWN},
        {TH__X_NO_OWN},
    };
    step_vec above = {0};
    bool ok = true;
    for (size_t t = 0; ok && t < sizeof tests / sizeof *tests; t++) {
        if (tests[t].kind <= TH__X_STARTS && !tests[t].text.ptr)
            continue;
        for (size_t k = 0; k < own->len; k++)
            add_path(m, &(th__x_path){.count = 1, .steps = {with(own->data[k], tests[t])}});
        for (uint32_t a = 0; ok && a < m->chain_count && a < 3; a++) {
            above.len = 0;
            ok = strong_steps(m, m->chain[a], &above) &&
                 th__vec_push(&above, step_of(m->tree, m->chain[a]));
            for (size_t i = 0; ok && i < above.len; i++) {
                th__x_step last = with(own->data[own->len - 1], tests[t]);
                add_two(m, &above.data[i], &last, !a && !is_row(m->pages, m->tree, node));
                if (tests[t].kind >= TH__X_ALONE) {
                    th__x_step first = with(above.data[i], tests[t]);
                    add_two(m, &first, &own->data[0], !a && !is_row(m->pages, m->tree, node));
                }
            }
        }
    }
    th__vec_release(&above);
    return ok;
}

/* The paths to an element before the record: a heading. */
static bool make_paths_back(const th__x_pages *pages, const th__x_tree *tree, uint32_t node,
                            path_vec *out)
{
    struct path_maker m = {.pages = pages, .tree = tree, .out = out};
    step_vec own = {0};
    out->len = 0;
    bool ok = strong_steps(&m, node, &own) && th__vec_push(&own, step_of(tree, node));
    for (size_t i = 0; ok && i < own.len; i++) {
        own.data[i].axis = TH__X_BEFORE;
        add_path(&m, &(th__x_path){.count = 1, .steps = {own.data[i]}});
    }
    th__vec_release(&own);
    return ok && !m.failed;
}

/* The paths from `root` to an element. */
static bool make_paths(const th__x_pages *pages, const th__x_tree *tree, uint32_t root,
                       uint32_t node, path_vec *out)
{
    struct path_maker m = {.pages = pages, .tree = tree, .root = root, .out = out};
    step_vec own = {0}, above = {0};
    out->len = 0;
    if (node < root)
        return pages->css || make_paths_back(pages, tree, node, out);
    if (node == root) {
        add_path(&m, &(th__x_path){0});
        return !m.failed;
    }
    for (uint32_t n = tree->nodes[node].parent; n > root && m.chain_count < 64;
         n = tree->nodes[n].parent)
        if (!is_tbody(pages, tree, n))
            m.chain[m.chain_count++] = n;
    bool ok = strong_steps(&m, node, &own);
    for (size_t i = 0; ok && i < own.len; i++)
        add_path(&m, &(th__x_path){.count = 1, .steps = {own.data[i]}});
    ok = ok && th__vec_push(&own, step_of(tree, node));
    for (int chains = 0; chains < 2; chains++) {
        for (uint32_t a = 0; ok && a < m.chain_count && a < LIMIT_ABOVE; a++) {
            bool direct = !a && !is_row(pages, tree, node);
            th__x_step exact;
            above.len = 0;
            ok = strong_steps(&m, m.chain[a], &above);
            if (ok && chains && exact_step(&m, m.chain[a], &exact))
                ok = th__vec_push(&above, exact);
            for (size_t i = 0; ok && i < above.len; i++) {
                for (size_t k = 0; k < own.len && !chains; k++)
                    add_two(&m, &above.data[i], &own.data[k], direct);
                for (int way = BY_TAG; way < WAYS_DOWN && chains; way++)
                    add_chain(&m, node, a + 1, &above.data[i], way);
                if (chains && exact_step(&m, node, &exact))
                    add_two(&m, &above.data[i], &exact, direct);
            }
        }
        th__x_step exact;
        if (!chains && ok && root && m.chain_count && !is_row(pages, tree, node)) {
            th__x_step parent = step_of(tree, m.chain[0]);
            add_two(&m, &parent, &own.data[own.len - 1], true);
        }
        if (!chains && ok)
            add_path(&m, &(th__x_path){.count = 1, .steps = {own.data[own.len - 1]}});
        if (!chains && ok && exact_step(&m, node, &exact))
            add_path(&m, &(th__x_path){.count = 1, .steps = {exact}});
    }
    /* From the record; or from body, which all parsers agree on. */
    uint32_t top = m.chain_count;
    if (!root)
        top = top > 2 ? top - 2 : 0;
    if (top <= LIMIT_CHAIN)
        for (int way = BY_TAG; ok && way < WAYS_DOWN; way++)
            add_chain(&m, node, top, NULL, way);
    for (size_t i = 0; ok && i < own.len; i++)
        for (int from_end = 0; from_end < 2; from_end++) {
            th__x_step step = nth_step(tree, node, from_end);
            if (step.count)
                add_path(&m,
                         &(th__x_path){.count = 1, .steps = {with(own.data[i], step.tests[0])}});
        }
    for (uint32_t a = 0; ok && a < m.chain_count && a < LIMIT_ABOVE; a++) {
        th__x_step first = nth_step(tree, m.chain[a], false);
        if (!first.count)
            continue;
        for (size_t k = 0; k < own.len; k++)
            add_two(&m, &first, &own.data[k], false);
        add_chain(&m, node, a + 1, &first, BY_POSITION);
    }
    if (ok && !pages->css)
        ok = add_xpath_paths(&m, node, &own);
    if (ok)
        add_content_paths(&m, node, &own);
    th__vec_release(&own);
    th__vec_release(&above);
    return ok && !m.failed;
}

/* ---- records --------------------------------------------------------------------------------- */

struct places_finder {
    th__x_pages *pages;
    bool *wanted; /* by record: not found yet */
    th__x_nodes found, spare;
};

static bool is_root(const th__x_pages *pages, const th__x_page *page, uint32_t node,
                    uint32_t *record)
{
    size_t at = th__count_first(i, page->count, pages->records[page->first + i].roots[0] < node);
    *record = page->first + (uint32_t)at;
    return at < page->count && pages->records[*record].roots[0] == node;
}

struct path_score {
    uint32_t right, wrong;
    uint32_t page, stranger; /* the first element that is wrong */
    bool failed;
};

/* How many records that are not found yet a path finds, and how many other elements. With `mark`
 * the records count as found from then on. */
static struct path_score score_places(struct places_finder *f, const th__x_path *path,
                                      uint32_t most_wrong, bool mark)
{
    struct path_score score = {0};
    for (uint32_t p = 0; p < f->pages->page_count && score.wrong <= most_wrong; p++) {
        const th__x_page *page = &f->pages->pages[p];
        uint32_t record;
        if (!path_find(&page->trees[0], 0, path, &f->found, &f->spare)) {
            score.failed = true;
            return score;
        }
        for (size_t i = 0; i < f->found.len; i++) {
            if (is_root(f->pages, page, f->found.data[i], &record)) {
                score.right += f->wanted[record];
                f->wanted[record] &= !mark;
            } else if (!score.wrong++) {
                score.page = p;
                score.stranger = f->found.data[i];
            }
        }
    }
    return score;
}

/* Adds a test to the last step of a path so that it finds records alone: `has` of what the first
 * record contains, `has not` of what a stranger does. */
static bool refine(struct places_finder *f, const th__x_path *path, uint32_t records,
                   th__x_path *out)
{
    const th__x_record *first = f->pages->records;
    struct path_score strange = score_places(f, path, 0, false);
    if (strange.failed || !strange.wrong)
        return false;
    for (int has = 0; has < 3; has++) {
        const th__x_tree *tree = &f->pages->pages[has == 1 ? first->page : strange.page].trees[0];
        uint32_t from = has == 1 ? first->roots[0] : strange.stranger;
        uint32_t end = has ? tree->nodes[from].end : from + 1, tries = 0;
        for (uint32_t n = from + (has ? 1 : 0); n < end && tries < 80; n++) {
            const th__x_node *node = &tree->nodes[n];
            if (node->tag >= TH__X_ANY)
                continue;
            uint32_t classes = node->class_count < 3 ? node->class_count : 3;
            for (uint32_t c = 0; c < classes + (has ? 1 : 0); c++, tries++) {
                uint32_t name = c < classes ? tree->classes[node->classes + c] : TH__INTERN_NONE;
                if (name != TH__INTERN_NONE && !may_quote(th__intern_name(f->pages->names, name)))
                    continue;
                *out = *path;
                th__x_step *last = &out->steps[out->count - 1];
                *last = with(*last, (th__x_test){.kind = has == 0   ? TH__X_NOT_CLASS
                                                         : has == 1 ? TH__X_HAS
                                                                    : TH__X_HAS_NOT,
                                                 .tag = node->tag,
                                                 .name = name});
                struct path_score score = score_places(f, out, 0, false);
                if (!score.failed && !score.wrong && score.right == records)
                    return true;
            }
        }
    }
    return false;
}

enum { REFINED = 12 };

/* The best path for the records that are not found yet, by the first of them. */
static bool next_place(struct places_finder *f, uint32_t record, uint32_t left, th__x_path *out,
                       uint32_t *covers)
{
    const th__x_record *r = &f->pages->records[record];
    path_vec paths = {0};
    uint32_t near[REFINED], near_count = 0;
    bool ok = make_paths(f->pages, &f->pages->pages[r->page].trees[0], 0, r->roots[0], &paths);
    *covers = 0;
    for (size_t i = 0; ok && i < paths.len && *covers < left; i++) {
        struct path_score score = score_places(f, &paths.data[i], left, false);
        ok = !score.failed;
        if (ok && !score.wrong && score.right > *covers) {
            *covers = score.right;
            *out = paths.data[i];
        } else if (ok && score.wrong && score.right == left && near_count < REFINED) {
            near[near_count++] = (uint32_t)i;
        }
    }
    for (uint32_t i = 0; ok && i < near_count && *covers < left; i++) {
        th__x_path refined;
        if (refine(f, &paths.data[near[i]], left, &refined)) {
            *out = refined;
            *covers = left;
        }
    }
    th__vec_release(&paths);
    return ok;
}

/* What all the paths find on libxml2's tree, in order, each once. */
static bool find_other_roots(struct places_finder *f, th__x_places *out)
{
    th__x_pages *pages = f->pages;
    th__x_nodes all = {0};
    bool ok = true;
    for (uint32_t p = 0; ok && p < pages->page_count && !out->refused.ptr; p++) {
        const th__x_page *page = &pages->pages[p];
        all.len = 0;
        for (uint32_t i = 0; ok && i < out->count; i++) {
            ok = path_find(&page->trees[1], 0, &out->paths[i], &f->found, &f->spare);
            for (size_t k = 0; ok && k < f->found.len; k++)
                ok = th__vec_push(&all, f->found.data[k]);
        }
        qsort(all.data, all.len, all.len ? sizeof *all.data : 1, th__by_node);
        size_t kept = 0;
        for (size_t i = 0; i < all.len; i++)
            if (!kept || all.data[kept - 1] != all.data[i])
                all.data[kept++] = all.data[i];
        if (kept != page->count)
            out->refused = th__arena_print(pages->arena,
                                           "%.*s: libxml2 reads its markup in another way and "
                                           "finds %zu records instead of %u",
                                           TH_STR_ARG(page->name), kept, page->count);
        for (size_t i = 0; i < kept && kept == page->count; i++)
            pages->records[page->first + i].roots[1] = all.data[i];
    }
    th__vec_release(&all);
    return ok;
}

/* Paths to the elements of all records, into `out`; sets the roots of libxml2's trees. False if out
 * of memory; out->refused says why there are none. */
static bool find_places(th__x_pages *pages, th__x_places *out)
{
    struct places_finder f = {.pages = pages};
    uint32_t left = pages->record_count;
    if (out->page)
        return true;
    f.wanted = th__arena_alloc(pages->arena, pages->record_count + 1);
    bool ok = f.wanted;
    if (ok)
        memset(f.wanted, true, pages->record_count);
    for (uint32_t r = 0; ok && left && !out->refused.ptr; r++) {
        uint32_t covers;
        if (!f.wanted[r])
            continue;
        if (out->count == TH__X_RULES) {
            out->refused = th__arena_print(
                pages->arena, "records are in more than %d kinds of places", TH__X_RULES);
            break;
        }
        ok = next_place(&f, r, left, &out->paths[out->count], &covers);
        if (ok && !covers)
            out->refused =
                th__arena_print(pages->arena, "%.*s: no selector finds record %u and nothing else",
                                TH_STR_ARG(pages->pages[pages->records[r].page].name),
                                r - pages->pages[pages->records[r].page].first + 1);
        else if (ok) {
            ok = !score_places(&f, &out->paths[out->count++], UINT32_MAX, true).failed;
            left -= covers;
        }
    }
    ok = ok && find_other_roots(&f, out);
    th__vec_release(&f.found);
    th__vec_release(&f.spare);
    return ok;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A way to take a value from an element. */
struct value_taking {
    uint32_t node; /* of our own tree */
    th__x_rule rule;
};

typedef TH__VEC(struct value_taking) taking_vec;

/* A value that a rule finds: its first node, and where its text is in f->text. */
struct list_hit {
    uint32_t at;
    size_t from, to;
};

typedef TH__VEC(struct list_hit) list_hits;

struct field_finder {
    th__x_pages *pages;
    th__x_field *field;
    uint8_t **done; /* by record and value: found already; a record without values has none */
    th__x_nodes found, spare;
    th__buf text;
    list_hits hits; /* of a rule */
    taking_vec takings;
    path_vec paths;
    uint32_t tries;
    uint64_t work; /* nodes that may still be looked at */
    int far; /* of rules that are wrong in a record: the most values that one finds before it */
    uint32_t culprit; /* that record */
    bool failed;
};

/* The last node that begins at or before a byte. */
static uint32_t node_at(const th__x_tree *tree, uint32_t offset)
{
    size_t low = th__count_first(i, tree->count - 1, tree->nodes[i + 1].span.start <= offset);
    return (uint32_t)low;
}

static bool text_is(struct field_finder *f, const th__x_tree *tree, uint32_t node,
                    const th__x_rule *rule, th_str wanted)
{
    uint32_t at;
    bool found;
    f->text.len = 0;
    f->failed |= !take_value(tree, node, rule, &f->text, &at, &found);
    return found && th__str_eq(th__buf_str(&f->text), wanted);
}

static void add_taking(struct field_finder *f, uint32_t node, const th__x_rule *rule)
{
    f->failed |= !th__vec_push(&f->takings, (struct value_taking){node, *rule});
}

static void add_cuts(struct field_finder *f, const th__x_tree *tree, uint32_t node,
                     const th__x_rule *whole, th_str wanted);

/* Adds a rule that takes the value, or the ways to cut the value out of what it takes. */
static void add_if_right(struct field_finder *f, const th__x_tree *tree, uint32_t node,
                         const th__x_rule *rule, th_str wanted, bool cuts)
{
    if (cuts)
        add_cuts(f, tree, node, rule, wanted);
    else if (text_is(f, tree, node, rule, wanted))
        add_taking(f, node, rule);
}

static bool is_sign(unsigned char c)
{
    return c < 0x80 && c != ' ' && !th__is_alpha(c) && !th__is_digit(c);
}

/* Ways to cut a value out of what a rule takes, which contains more. */
static void add_cuts(struct field_finder *f, const th__x_tree *tree, uint32_t node,
                     const th__x_rule *whole, th_str wanted)
{
    uint32_t where;
    bool found;
    f->text.len = 0;
    f->failed |= !take_value(tree, node, whole, &f->text, &where, &found);
    th_str text = th__arena_copy(f->pages->arena, th__buf_str(&f->text));
    size_t at = found && text.ptr ? th__str_find(text, wanted) : SIZE_MAX;
    if (at == SIZE_MAX || text.len == wanted.len || text.len > 20000)
        return;
    /* Signs at its ends. */
    char signs[16];
    size_t count = 0, rest = at + wanted.len;
    bool only_signs = true;
    for (size_t i = 0; i < text.len && only_signs; i = i + 1 == at ? rest : i + 1) {
        if (i == at && !at)
            i = rest;
        if (i >= text.len)
            break;
        only_signs = text.ptr[i] == ' ' || is_sign((unsigned char)text.ptr[i]);
        if (only_signs && text.ptr[i] != ' ' && !memchr(signs, text.ptr[i], count) &&
            count < sizeof signs)
            signs[count++] = text.ptr[i];
    }
    th__x_rule rule = *whole;
    if (only_signs && count) {
        rule.strip = th__arena_copy(f->pages->arena, (th_str){signs, count});
        if (text_is(f, tree, node, &rule, wanted))
            add_taking(f, node, &rule);
        rule.strip = (th_str){0};
    }
    for (int tries = 0; tries < 3 && at != SIZE_MAX; tries++) {
        th__cuts cuts;
        th__cuts_of(text, at, at + wanted.len, &cuts);
        for (uint32_t i = 0; i < cuts.count; i++) {
            rule.cut = cuts.data[i];
            add_taking(f, node, &rule);
        }
        size_t from = at + 1;
        size_t next = th__str_find((th_str){text.ptr + from, text.len - from}, wanted);
        at = next == SIZE_MAX ? SIZE_MAX : from + next;
    }
}

/* The number of a text among those right inside its element; *count is how many there are. */
static int32_t number_of_own(const th__x_tree *tree, uint32_t text, int32_t *count)
{
    const th__x_node *nodes = tree->nodes;
    uint32_t parent = nodes[text].parent;
    int32_t number = 0;
    *count = 0;
    for (uint32_t n = parent + 1; n < nodes[parent].end; n = nodes[n].end) {
        *count += nodes[n].tag == TH__X_TEXT && !nodes[n].blank;
        if (n == text)
            number = *count;
    }
    return number;
}

/* Different tags of the children of an element in [from, to), the nearest to `near` first. */
static uint32_t tags_between(const struct field_finder *f, const th__x_tree *tree, uint32_t from,
                             uint32_t to, bool nearest_last, uint32_t *tags, uint32_t most)
{
    const th__x_node *nodes = tree->nodes;
    uint32_t count = 0;
    for (uint32_t n = from; n < to; n = nodes[n].end) {
        uint32_t tag = nodes[n].tag, at = 0;
        if (tag >= TH__X_ANY || !is_plain_name(th__intern_name(f->pages->names, tag)))
            continue;
        while (at < count && tags[at] != tag)
            at++;
        if (at < count && nearest_last) { /* the last one met comes last */
            memmove(tags + at, tags + at + 1, (count - at - 1) * sizeof *tags);
            tags[count - 1] = tag;
        } else if (at == count && count < most) {
            tags[count++] = tag;
        } else if (at == count && nearest_last) {
            memmove(tags, tags + 1, (count - 1) * sizeof *tags);
            tags[count - 1] = tag;
        }
    }
    return count;
}

static uint32_t count_tag(const th__x_tree *tree, uint32_t from, uint32_t to, uint32_t tag)
{
    uint32_t count = 0;
    for (uint32_t n = from; n < to; n = tree->nodes[n].end)
        count += tree->nodes[n].tag == tag;
    return count;
}

/* Ranges of children that hold the texts from first to last: after an element before them, up to
 * one behind them, or up to the one that the last text is in. */
static void add_ranges(struct field_finder *f, const th__x_tree *tree, uint32_t node,
                       uint32_t first, uint32_t last, th_str wanted, bool cuts)
{
    enum { TAGS = 3 };
    const th__x_node *nodes = tree->nodes;
    uint32_t begin = node + 1, end, before[TAGS], behind[TAGS];
    while (begin < nodes[node].end && nodes[begin].end <= first)
        begin = nodes[begin].end;
    for (end = begin; end < nodes[node].end && nodes[end].end <= last;)
        end = nodes[end].end;
    uint32_t inner = end, stop = nodes[node].end; /* the child with the last text */
    end = end < stop ? nodes[end].end : stop;
    uint32_t left = tags_between(f, tree, node + 1, begin, true, before, TAGS);
    uint32_t right = tags_between(f, tree, end, stop, false, behind, TAGS);
    bool element = inner < stop && nodes[inner].tag < TH__X_ANY;
    for (uint32_t l = 0; l <= left; l++)
        for (uint32_t r = 0; r <= right + element; r++) {
            th__x_rule rule = {.take = TH__X_RANGE, .pick = 1};
            if (l < left) {
                rule.range.after = before[left - 1 - l];
                rule.range.from = count_tag(tree, node + 1, begin, rule.range.after);
            } else {
                rule.range.after = TH__X_ANY;
            }
            rule.range.until = TH__X_ANY;
            if (r < right) {
                rule.range.until = behind[r];
                rule.range.to = count_tag(tree, node + 1, end, rule.range.until) + 1;
            } else if (r < right + element) {
                rule.range.until = nodes[inner].tag;
                rule.range.to = count_tag(tree, node + 1, end, rule.range.until);
                rule.range.with = true;
            }
            if (rule.range.with &&
                !is_plain_name(th__intern_name(f->pages->names, rule.range.until)))
                continue;
            if (!rule.range.from && !rule.range.to)
                continue;
            add_if_right(f, tree, node, &rule, wanted, cuts);
        }
}

/* The ways to take a value that is text; `cuts`: as a part of more text. */
static void take_text(struct field_finder *f, const th__x_tree *tree, uint32_t root, uint32_t first,
                      uint32_t last, th_str wanted, bool cuts)
{
    const th__x_node *nodes = tree->nodes;
    uint32_t around = nodes[first].parent;
    while (around > root && nodes[around].end <= last)
        around = nodes[around].parent;
    th__x_rule all = {.take = TH__X_ALL_TEXT, .pick = 1};
    uint32_t node = around;
    for (int level = 0; node >= root && level < 6; node = nodes[node].parent, level++) {
        if (!cuts || (level < 3 && node))
            add_if_right(f, tree, node, &all, wanted, cuts);
        if (!node)
            break;
    }
    if (first == last) {
        int32_t count, number = number_of_own(tree, first, &count);
        th__x_rule own = {.take = TH__X_OWN_TEXT, .number = number, .pick = 1};
        for (int from_end = 0; from_end < 2; from_end++) {
            add_if_right(f, tree, around, &own, wanted, cuts);
            own.number = number - count - 1;
        }
    }
    if (first == last && !f->pages->css && tree->nodes[first].before) {
        struct path_maker m = {.pages = f->pages, .tree = tree};
        uint32_t before = tree->nodes[first].before;
        th__x_rule told = {.take = TH__X_TOLD_TEXT, .pick = 1};
        told.label = normalized(&m, before, before + 1);
        if (told.label.ptr)
            add_if_right(f, tree, around, &told, wanted, cuts);
    }
    if (!f->field->list || f->field->join != TH__X_UNION)
        add_ranges(f, tree, around, first, last, wanted, cuts);
}

static void take_attribute(struct field_finder *f, const th__x_page *page, uint32_t node,
                           const th__x_value *value, bool cuts)
{
    const th__x_tree *tree = &page->trees[0];
    for (uint32_t i = 0; i < tree->nodes[node].attr_count; i++) {
        const th__x_attr *attr = &tree->attrs[tree->nodes[node].attrs + i];
        th_str name = th__intern_name(f->pages->names, attr->name);
        th__x_rule rule = {.name = attr->name, .pick = 1, .take = TH__X_LINK};
        if (!is_plain_name(name))
            continue;
        if (!cuts && th__attribute_is_link(name) && text_is(f, tree, node, &rule, value->text)) {
            add_taking(f, node, &rule);
            continue;
        }
        rule.take = TH__X_ATTRIBUTE;
        add_if_right(f, tree, node, &rule, value->text, cuts);
    }
}

/* The ways to take a value of a record. */
static void find_takings(struct field_finder *f, const th__x_record *record,
                         const th__x_value *value, bool cuts)
{
    const th__x_page *page = &f->pages->pages[record->page];
    const th__x_tree *tree = &page->trees[0];
    f->takings.len = 0;
    if (value->span.end <= value->span.start)
        return;
    uint32_t first = node_at(tree, value->span.start), last = node_at(tree, value->span.end - 1);
    uint32_t root = record->roots[0];
    if (first >= tree->nodes[root].end || (first < root && f->pages->css))
        return;
    if (first < root)
        root = 1;
    if (tree->nodes[first].tag != TH__X_TEXT) {
        take_attribute(f, page, first, value, cuts);
        return;
    }
    while (last > first && tree->nodes[last].tag != TH__X_TEXT)
        last--;
    take_text(f, tree, root, first, last, value->text, cuts);
}

/* ---- how good a rule is ---------------------------------------------------------------------- */

static th_str hit_text(const struct field_finder *f, const struct list_hit *hit)
{
    return (th_str){f->text.data + hit->from, hit->to - hit->from};
}

/* What a rule finds in a record on a tree, added to `hits`; the texts to f->text. */
static void run_rule(struct field_finder *f, const th__x_record *record, int which,
                     const th__x_rule *rule, list_hits *hits)
{
    const th__x_tree *tree = &f->pages->pages[record->page].trees[which];
    uint32_t nodes = tree->nodes[record->roots[which]].end - record->roots[which];
    f->work = f->work > nodes ? f->work - nodes : 0;
    f->failed |= !rule_find(tree, record->roots[which], rule, &f->found, &f->spare);
    size_t from = 0, to = f->found.len;
    if (rule->pick) {
        int64_t at = rule->pick > 0 ? rule->pick - 1 : (int64_t)f->found.len + rule->pick;
        from = at < 0 || (size_t)at >= to ? to : (size_t)at;
        to = from < to ? from + 1 : to;
    }
    for (; from < to && !f->failed; from++) {
        struct list_hit hit = {.from = f->text.len};
        bool found;
        f->failed |= !take_value(tree, f->found.data[from], rule, &f->text, &hit.at, &found);
        hit.to = f->text.len;
        f->failed |= found && !th__vec_push(hits, hit);
    }
}

/* Returns true if rules before have found the text: it may be left out then. */
static bool was_found(const th__x_wanted *wanted, const uint8_t *done, th_str text)
{
    for (uint32_t i = 0; i < wanted->count; i++)
        if (done[i] && th__str_eq(wanted->values[i].text, text))
            return true;
    return false;
}

/* How many of the values that are not found yet a rule finds in a record; -1: it is wrong. `mark`
 * notes them as found. Values of a list are met in order. */
static int judge(struct field_finder *f, uint32_t index, int which, const th__x_rule *rule,
                 bool mark)
{
    const th__x_record *record = &f->pages->records[index];
    const th__x_wanted *wanted = &record->fields[f->field->member];
    uint8_t *done = f->done[index];
    uint32_t at = 0;
    int right = 0;
    if (!f->field->list && wanted->count && done[0])
        return 0; /* a rule before it has decided */
    f->text.len = f->hits.len = 0;
    run_rule(f, record, which, rule, &f->hits);
    if (f->hits.len > LIMIT_VALUES)
        return -1;
    for (size_t i = 0; i < f->hits.len; i++) {
        th_str text = hit_text(f, &f->hits.data[i]);
        while (at < wanted->count && (done[at] || !th__str_eq(wanted->values[at].text, text)))
            at++;
        if (at == wanted->count && f->field->join != TH__X_UNION && was_found(wanted, done, text)) {
            at = 0;
            continue;
        }
        if (at == wanted->count)
            return -1;
        if (mark)
            done[at] = 1;
        at++;
        right++;
    }
    return right;
}

static int judge_all(struct field_finder *f, const th__x_rule *rule)
{
    int right = 0;
    for (uint32_t r = 0; r < f->pages->record_count && !f->failed; r++) {
        int here = judge(f, r, 0, rule, false);
        if (here < 0 || judge(f, r, 1, rule, false) != here) {
            if (right > f->far) { /* the record that the best of them fails in */
                f->far = right;
                f->culprit = r;
            }
            return -1;
        }
        right += here;
    }
    return right;
}

/* Where an element is among those that a path finds. */
static bool pick_of(struct field_finder *f, const th__x_record *record, const th__x_rule *rule,
                    uint32_t node, int32_t *pick, int32_t *from_end)
{
    const th__x_tree *tree = &f->pages->pages[record->page].trees[0];
    if (!rule_find(tree, record->roots[0], rule, &f->found, &f->spare)) {
        f->failed = true;
        return false;
    }
    size_t at = th__count_first(i, f->found.len, f->found.data[i] < node);
    if (at == f->found.len || f->found.data[at] != node)
        return false;
    *pick = (int32_t)at + 1;
    *from_end = (int32_t)at - (int32_t)f->found.len;
    return true;
}

struct best_rule {
    th__x_rule rule;
    int right;
};

/* Tries the paths to an element with what is taken from it. */
static void try_taking(struct field_finder *f, const th__x_record *record,
                       const struct value_taking *taking, int all, struct best_rule *best)
{
    f->failed |= !make_paths(f->pages, &f->pages->pages[record->page].trees[0], record->roots[0],
                             taking->node, &f->paths);
    bool list = f->field->list, chain = list && f->field->join != TH__X_UNION;
    bool own = taking->rule.take == TH__X_OWN_TEXT || taking->rule.take == TH__X_TOLD_TEXT;
    bool all_of = list && taking->rule.take != TH__X_RANGE && !(own && f->pages->css);
    /* All of a list, or the first; then others by number, then from the end. */
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < f->paths.len && best->right < all && f->work && !f->failed; i++) {
            th__x_rule rule = taking->rule;
            int32_t pick, from_end;
            rule.path = f->paths.data[i];
            if ((list && !(round ? chain : all_of)) ||
                !pick_of(f, record, &rule, taking->node, &pick, &from_end) ||
                (!list && (round == 0) != (pick == 1)))
                continue;
            rule.pick = list && !round ? 0 : round < 2 ? pick : from_end;
            int right = judge_all(f, &rule);
            if (right > best->right)
                *best = (struct best_rule){rule, right};
        }
}

/* The best rule for the values that are left, by one of them. */
static struct best_rule next_rule(struct field_finder *f, uint32_t record, uint32_t value, int left)
{
    struct best_rule best = {0};
    const th__x_record *r = &f->pages->records[record];
    bool may_cut = !f->field->list || f->field->join != TH__X_UNION || !f->field->count;
    f->far = 0;
    f->culprit = record;
    for (int cuts = 0; cuts < 1 + may_cut && best.right < left && !f->failed; cuts++) {
        find_takings(f, r, &r->fields[f->field->member].values[value], cuts);
        for (size_t i = 0; i < f->takings.len && best.right < left && !f->failed; i++)
            try_taking(f, r, &f->takings.data[i], left, &best);
        if (best.right && f->field->list && !cuts)
            break;
    }
    return best;
}

static bool is_cut(const th__x_rule *rule)
{
    return rule->strip.len || !th__cut_is_whole(&rule->cut);
}

/* Refuses the field: names the page, the record and the text of a value that no rule gives. */
static void refuse_value(struct field_finder *f, uint32_t record, uint32_t value)
{
    const th__x_record *r = &f->pages->records[record];
    const th__x_page *page = &f->pages->pages[r->page];
    th_str text = r->fields[f->field->member].values[value].text;
    int len = (int)th__utf8_cut(text.ptr, text.len, 60);
    f->field->refused = th__arena_print(
        f->pages->arena,
        "no selector gives \"%.*s%s\" (%.*s, record %u) and is correct in all other records", len,
        text.ptr, text.len > 60 ? "..." : "", TH_STR_ARG(page->name), record - page->first + 1);
}

/* Returns true if the rules of a list can be one union: of nodes whose text is read in one way. */
static bool joins(const th__x_field *field, bool css, const th__x_rule *rule)
{
    const th__x_rule *first = &field->rules[0];
    if (css && rule->take == TH__X_OWN_TEXT && !rule->pick)
        return false;
    return !field->count || field->join != TH__X_UNION ||
           (!is_cut(first) && !is_cut(rule) &&
            (rule->take == TH__X_LINK) == (first->take == TH__X_LINK));
}

/* Adds a rule for a value, and for all others that it finds. Returns how many. */
static int add_rule(struct field_finder *f, uint32_t record, uint32_t value, int left)
{
    th__x_field *field = f->field;
    if (field->count == TH__X_RULES || f->tries++ >= LIMIT_TRIES || !f->work)
        return 0;
    struct best_rule best = next_rule(f, record, value, left);
    if (!best.right || (field->list && !joins(field, f->pages->css, &best.rule)))
        return 0;
    field->rules[field->count++] = best.rule;
    for (uint32_t i = 0; i < f->pages->record_count; i++)
        judge(f, i, 0, &best.rule, true);
    return best.right;
}

/* The same; if no rule is correct in all other records, for the record that is in the way first: a
 * rule for what is special comes before the rule for what is usual. */
static int add_rules(struct field_finder *f, uint32_t record, uint32_t value, int left)
{
    int found = add_rule(f, record, value, left);
    uint32_t culprit = f->culprit;
    if (found || culprit == record || f->failed)
        return found;
    const th__x_wanted *wanted = &f->pages->records[culprit].fields[f->field->member];
    for (uint32_t v = 0; v < wanted->count && !found; v++)
        if (!f->done[culprit][v])
            found = add_rule(f, culprit, v, left);
    if (found && found < left && !f->done[record][value])
        found += add_rule(f, record, value, left - found);
    return found;
}

/* Values that no rule gives by itself may be given once rules before it have settled other records:
 * passes go on as long as one finds a rule. */
static void find_rules(struct field_finder *f, int left)
{
    th__x_field *field = f->field;
    for (int found = 1; found && left && !f->failed;) {
        uint32_t open_record = UINT32_MAX, open_value = 0;
        found = 0;
        for (uint32_t r = 0; r < f->pages->record_count && left && !f->failed; r++) {
            const th__x_wanted *wanted = &f->pages->records[r].fields[field->member];
            for (uint32_t v = 0; v < wanted->count && left && !f->failed; v++) {
                if (f->done[r][v])
                    continue;
                int here = add_rules(f, r, v, left);
                if (!f->done[r][v] && open_record == UINT32_MAX) {
                    open_record = r;
                    open_value = v;
                }
                left -= here;
                found += here;
            }
        }
        if (left && !found && !f->failed)
            refuse_value(f, open_record, open_value);
    }
}

/* Puts a value among those of the list: by its place, behind the others, or nowhere if it is there
 * already. */
static void add_hit(struct field_finder *f, list_hits *hits, struct list_hit hit)
{
    size_t at = hits->len;
    if (f->field->join == TH__X_UNION)
        for (at = 0; at < hits->len && hits->data[at].at < hit.at;)
            at++;
    if (f->field->join == TH__X_UNION && at < hits->len && hits->data[at].at == hit.at)
        return; /* a union has each node once */
    for (size_t i = 0; f->field->join == TH__X_DISTINCT && i < hits->len; i++)
        if (th__str_eq(hit_text(f, &hits->data[i]), hit_text(f, &hit)))
            return;
    if (!th__vec_push(hits, hit)) {
        f->failed = true;
        return;
    }
    for (size_t h = hits->len - 1; h > at; h--)
        hits->data[h] = hits->data[h - 1];
    hits->data[at] = hit;
}

/* What the rules of a list find in a record together. */
static void run_together(struct field_finder *f, const th__x_record *record, int which,
                         list_hits *hits)
{
    hits->len = f->text.len = 0;
    for (uint32_t i = 0; i < f->field->count && !f->failed; i++) {
        f->hits.len = 0;
        run_rule(f, record, which, &f->field->rules[i], &f->hits);
        for (size_t k = 0; k < f->hits.len && !f->failed; k++)
            add_hit(f, hits, f->hits.data[k]);
    }
}

/* Returns true if the rules of a list give it together on a tree. */
static bool together_right(struct field_finder *f, int which)
{
    list_hits hits = {0};
    bool right = true;
    for (uint32_t r = 0; r < f->pages->record_count && right && !f->failed; r++) {
        const th__x_record *record = &f->pages->records[r];
        const th__x_wanted *wanted = &record->fields[f->field->member];
        run_together(f, record, which, &hits);
        right = hits.len == wanted->count;
        for (size_t h = 0; h < hits.len && right; h++)
            right = th__str_eq(hit_text(f, &hits.data[h]), wanted->values[h].text);
    }
    th__vec_release(&hits);
    return right;
}

/* Finds the rules of the field in one way to join them. */
static void find_joined(struct field_finder *f, th__x_join join)
{
    th__x_field *field = f->field;
    int left = 0;
    field->join = join;
    field->count = 0;
    field->refused = (th_str){0};
    f->tries = 0;
    f->work = LIMIT_WORK;
    for (uint32_t r = 0; r < f->pages->record_count; r++) {
        uint32_t count = f->pages->records[r].fields[field->member].count;
        memset(f->done[r], 0, count + 1);
        left += (int)count;
    }
    find_rules(f, left);
    if (f->failed || field->refused.ptr || !field->list || !field->count)
        return;
    bool right = together_right(f, 0) && together_right(f, 1);
    if (!right && join == TH__X_CHAIN) {
        field->join = TH__X_DISTINCT;
        right = together_right(f, 0) && together_right(f, 1);
    }
    if (!right)
        field->refused = TH_STR("the order of its values is not that of the page or of rules, or "
                                "a text counts twice");
}

/* Finds the rules of a field, into `field`. False if out of memory; field->refused says why there
 * are none. */
static bool find_selectors(th__x_pages *pages, th__x_field *field)
{
    struct field_finder f = {.pages = pages, .field = field};
    f.done = th__arena_zero(pages->arena, pages->record_count + 1, sizeof *f.done);
    f.failed = !f.done;
    for (uint32_t r = 0; r < pages->record_count && !f.failed; r++) {
        uint32_t count = pages->records[r].fields[field->member].count;
        f.done[r] = th__arena_zero(pages->arena, count + 1, 1);
        f.failed |= !f.done[r];
        field->values += count;
    }
    if (!f.failed)
        find_joined(&f, TH__X_UNION);
    if (!f.failed && field->refused.ptr && field->list)
        find_joined(&f, TH__X_CHAIN);
    th__vec_release(&f.found);
    th__vec_release(&f.spare);
    th__vec_release(&f.hits);
    th__vec_release(&f.takings);
    th__vec_release(&f.paths);
    th__buf_release(&f.text);
    return !f.failed;
}

/* ---- an export ------------------------------------------------------------------------------- */

/* The element of each record: the one with its span, or the largest that holds all of it and
 * nothing of the records around it. */
static void find_roots(th_export *export, const th__x_page *page)
{
    const th__x_tree *tree = &page->trees[0];
    for (uint32_t r = 0; r < page->count; r++) {
        th__x_record *record = &export->records.data[page->first + r];
        th_span span = record->span, none = {0};
        th_span last = r ? record[-1].span : none,
                next = r + 1 < page->count ? record[1].span : none;
        uint32_t node = node_at(tree, span.start);
        while (node &&
               (tree->nodes[node].tag == TH__X_TEXT || tree->nodes[node].span.end < span.end))
            node = tree->nodes[node].parent;
        bool exact = tree->nodes[node].span.start == span.start;
        while (node && !exact) {
            uint32_t up = tree->nodes[node].parent;
            if (!up || (r && tree->nodes[up].span.start < last.end) ||
                (next.end && tree->nodes[up].span.end > next.start))
                break;
            node = up;
        }
        record->roots[0] = node;
    }
}

static bool add_refusal(th_export *export, th_str field, th_str reason)
{
    return th__vec_push(&export->refusals, (th_refusal){field, reason});
}

/* Every record must be an element of its own. Returns why not, or absent. */
static th_str check_roots(const th_export *export)
{
    for (size_t p = 0; p < export->pages.len; p++) {
        const th__x_page *page = &export->pages.data[p];
        for (uint32_t r = 0; r < page->count; r++) {
            const th__x_record *record = &export->records.data[page->first + r];
            if (!record->roots[0] ||
                (r && page->trees[0].nodes[record[-1].roots[0]].end > record->roots[0]))
                return TH_STR("a record is not one element: it consists of several neighbouring "
                              "ones, or shares its element with another");
        }
    }
    return (th_str){0};
}

/* Finds the rules of a field, in CSS if possible. */
static bool find_field(th__x_pages *pages, th_export_target target, const th_type *type,
                       uint32_t member, th__x_field *out)
{
    const th_type *child = th__type_strip(type->children[member]);
    th__x_field field = {.name = th_type_name(type->children[member]), .member = member};
    field.list = child->kind == TH_TYPE_LIST;
    if (field.list)
        child = th__type_strip(child->children[0]);
    *out = field;
    if (child->kind != TH_TYPE_FIELD) {
        out->refused = TH_STR("is not a text or a list of texts");
        return true;
    }
    bool only_xpath = target == TH_EXPORT_XPATH || target == TH_EXPORT_PYTHON;
    for (int round = 0; round < 2; round++) {
        bool css = round == only_xpath; /* XPath can say what CSS can */
        if (!css && target == TH_EXPORT_CSS)
            continue;
        *out = field;
        pages->css = css;
        out->css = css && !only_xpath;
        if (!find_selectors(pages, out))
            return false;
        if (!out->refused.ptr)
            break;
    }
    return true;
}

static th_status find_all(th_export *export, th_export_target target, th__x_export *x,
                          th_error *err)
{
    const th_type *type = th_schema_record_type(th_wrapper_schema(export->wrapper));
    th__x_pages pages = {.pages = export->pages.data,
                         .page_count = (uint32_t) export->pages.len,
                         .records = export->records.data,
                         .record_count = (uint32_t) export->records.len,
                         .names = &export->names,
                         .arena = &export->arena,
                         .css = true};
    x->places.page = export->one_per_page;
    x->places.css = target != TH_EXPORT_XPATH && target != TH_EXPORT_PYTHON;
    x->fields = th__arena_zero(&export->arena, type->count + 1, sizeof *x->fields);
    if (!x->fields)
        return th__fail_memory(err);
    if (th_wrapper_reads_data(export->wrapper))
        x->places.refused =
            TH_STR("they are in data of scripts and microdata, which selectors do not see");
    else if (type->kind != TH_TYPE_TUPLE)
        x->places.refused = TH_STR("they are not tuples of fields");
    else if (!x->places.page)
        x->places.refused = check_roots(export);
    if (!x->places.refused.ptr && !find_places(&pages, &x->places))
        return th__fail_memory(err);
    if (x->places.refused.ptr)
        return add_refusal(export, (th_str){0}, x->places.refused) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; i < type->count; i++) {
        th__x_field *field = &x->fields[x->field_count++];
        if (!find_field(&pages, target, type, i, field) ||
            (field->refused.ptr && !add_refusal(export, field->name, field->refused)))
            return th__fail_memory(err);
    }
    return TH_OK;
}

/* Rules for the link to the next page. */
static bool find_next(th_export *export, th__x_export *x)
{
    th__x_pages pages = {.pages = export->pages.data,
                         .page_count = (uint32_t) export->pages.len,
                         .records = export->next.data,
                         .record_count = (uint32_t) export->next.len,
                         .names = &export->names,
                         .arena = &export->arena};
    x->has_next = export->has_next;
    for (int css = 1; css >= 0; css--) {
        pages.css = css;
        x->next = (th__x_field){.name = TH_STR("next page"), .css = css};
        if (!find_selectors(&pages, &x->next))
            return false;
        if (!x->next.refused.ptr)
            break;
    }
    return true;
}

th_status th__x_find(th_export *export, th_export_target target, th__x_export *x, th_error *err)
{
    for (size_t p = 0; p < export->pages.len && !export->one_per_page; p++)
        find_roots(export, &export->pages.data[p]);
    th_status status = find_all(export, target, x, err);
    if (!status && target == TH_EXPORT_SCRAPY && export->has_next && !find_next(export, x))
        status = th__fail_memory(err);
    return status;
}
