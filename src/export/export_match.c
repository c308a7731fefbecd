/*
 * export_match.c: what a selector finds in a tree.
 *
 * The meaning of each part is that of XPath and CSS, so that what is found here is what other
 * programs find in the same tree.
 */
#include "export/export.h"

#include <stdlib.h>

#include "data/labels.h"
#include "page/url.h"

/* ---- tests ----------------------------------------------------------------------------------- */

static bool contains(const th__x_tree *tree, uint32_t node, uint32_t tag, uint32_t name)
{
    for (uint32_t n = node + 1; n < tree->nodes[node].end; n++)
        if (tree->nodes[n].tag == tag &&
            (name == TH__INTERN_NONE || th__x_has_class(tree, n, name)))
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
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
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
        return th__x_has_class(tree, node, test->name);
    case TH__X_NOT_CLASS:
        return !th__x_has_class(tree, node, test->name);
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

bool th__x_take_place(const th__x_tree *tree, uint32_t node, const th__x_rule *rule, uint32_t *from,
                      uint32_t *to)
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
                      bool *found)
{
    size_t first = out->len;
    uint32_t from, to;
    bool ok = true;
    *found = false;
    if (!th__x_take_place(tree, node, rule, &from, &to))
        return true;
    if (rule->take >= TH__X_ATTRIBUTE) {
        th_str value = th__x_attr_get(tree, node, rule->name);
        bool blank = false;
        if (rule->take == TH__X_LINK)
            ok = th__url_resolve(tree->base, th__str_trim(value), out);
        else
            th__fold_blanks(value, first, &blank, out);
    } else {
        ok = th__x_text(tree, from, to, out);
    }
    ok = ok && !out->failed;
    *found = ok && out->len > first && cut_text(rule, first, out);
    if (!*found)
        out->len = first;
    return ok;
}
