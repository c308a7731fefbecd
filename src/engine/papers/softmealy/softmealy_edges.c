/*
 * softmealy_edges.c: contexts of separators, and Algorithm 1 (section 3.1).
 *
 * The length bias: signs and tags up to the first word, that word, and nothing beyond
 * the separator of another pair. Contexts are laid into columns: signs and tags by their distance
 * from the separator, the words, which are outermost, in a column of their own.
 *
 *     distance     3            2         1         0
 *              Html(</a>)  Punc(,)   Spc(1)    Html(<i>) |
 *              Punc(,)     NL(1)     Spc(5)    Html(<i>) |
 *                          Punc(,)   Spc(1)    Html(<i>) |
 *
 * Then each token becomes the least common ancestor of all of its tree in its column: the trees are
 * the classes, of which only CAlph and C1Alph have one in common, CnAlph (figure 5 is lost; the
 * text names no other). A token that is alone of its tree becomes t(_), a blank always does.
 */

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/softmealy/softmealy.h"
#include "page/lex.h"

/* ---- items of tokens ------------------------------------------------------------------------- */

/* Attributes that hold data: no two tags of a template have them in common. */
static bool is_data(th_str name, th_str value)
{
    static const char *const names[] = {"href",   "src",  "content", "title",    "alt",   "value",
                                        "action", "data", "srcset",  "datetime", "style", NULL};
    for (size_t i = 0; names[i]; i++)
        if (th__str_eq_nocase(name, th_str_from(names[i])))
            return true;
    if (th__str_starts_nocase(name, TH_STR("data-")) || th__str_starts_nocase(name, TH_STR("on")))
        return true;
    if (th__str_eq_nocase(name, TH_STR("id")) || th__str_eq_nocase(name, TH_STR("for")))
        for (size_t i = 0; i < value.len; i++)
            if (th__is_digit((unsigned char)value.ptr[i]))
                return true;
    return false;
}

static bool read_marks(const th__sm_samples *s, const th_page *page, uint32_t coarse,
                       th__sm_item *out)
{
    enum { MARKS = 16 }; /* more tell no more */
    th__sm_mark marks[MARKS];
    th_attr attr;
    uint16_t count = 0;
    for (th_attr_iter it = th_attrs(page, coarse); count < MARKS && th_attr_next(&it, &attr);) {
        bool given = false;
        for (uint32_t i = 0; i < count; i++)
            given |= th__str_eq_nocase(marks[i].name, attr.name);
        th_str value = attr.value.ptr ? attr.value : TH_STR("");
        if (given || (s->options.ground_html && is_data(attr.name, value)))
            continue;
        marks[count] = (th__sm_mark){th__arena_copy(s->arena, attr.name),
                                     th__arena_copy(s->arena, value), false};
        if (!marks[count].name.ptr || !marks[count].value.ptr)
            return false;
        count++;
    }
    out->marks = th__arena_keep(s->arena, marks, count, sizeof *marks);
    out->mark_count = count;
    return out->marks;
}

static bool lower_name(th__arena *arena, th_str name, th_str *out)
{
    *out = th__arena_copy(arena, name);
    for (size_t i = 0; out->ptr && i < name.len; i++)
        ((char *)out->ptr)[i] = (char)th__lower((unsigned char)name.ptr[i]);
    return out->ptr != NULL;
}

bool th__sm_item_of(const th__sm_samples *s, uint32_t page_number, uint32_t number,
                    th__sm_item *out)
{
    enum { LONG_MARKUP = 80 }; /* a comment that long is no sign of a place */
    const th__sm_token *token = &s->pages[page_number].tokens.data[number];
    const th_page *page = s->pages[page_number].tokens.page;
    th_str text = th__page_slice(page, token->start, token->end);
    *out = (th__sm_item){.cls = token->cls, .ground = true, .tag = token->tag};
    switch (token->cls) {
    case TH_CLASS_TAG_START:
        return lower_name(s->arena, th_token_name(page, token->coarse), &out->text) &&
               read_marks(s, page, token->coarse, out);
    case TH_CLASS_TAG_END:
        return lower_name(s->arena, th_token_name(page, token->coarse), &out->text);
    case TH_CLASS_NEWLINE:
    case TH_CLASS_TAB:
    case TH_CLASS_SPACE:
        out->count = token->coarse;
        return true;
    case TH_CLASS_MARKUP:
        if (text.len > LONG_MARKUP) {
            out->ground = false;
            return true;
        }
    }
    out->text = th__arena_copy(s->arena, text);
    return out->text.ptr != NULL;
}

/* How many tokens outwards from a separator are its context under the bias. */
static uint32_t bias_length(const th__sm_samples *s, const th__sm_separator *sep, bool left)
{
    const th__sm_tokens *tokens = &s->pages[sep->page].tokens;
    uint32_t most = left ? sep->at - sep->since
                         : (sep->high < tokens->len ? sep->high : (uint32_t)tokens->len) - sep->at;
    if (most > TH__SM_MAX_CONTEXT)
        most = TH__SM_MAX_CONTEXT;
    for (uint32_t i = 0; i < most; i++)
        if (th__class_is(tokens->data[th__sm_beside(sep->at, left, i)].cls, TH_CLASS_WORD))
            return i + 1;
    return most;
}

bool th__sm_context_at(const th__sm_samples *s, uint32_t page, uint32_t at, bool left,
                       uint32_t count, th__sm_context *out)
{
    th__sm_item *items = th__arena_alloc(s->arena, (count + 1) * sizeof *items);
    *out = (th__sm_context){items, count};
    for (uint32_t i = 0; items && i < count; i++)
        if (!th__sm_item_of(s, page, th__sm_beside(at, left, i), &items[i]))
            return false;
    return items != NULL;
}

bool th__sm_context_of(const th__sm_samples *s, const th__sm_separator *sep, bool left,
                       uint32_t more, th__sm_context *out)
{
    uint32_t room = th__sm_room(&s->pages[sep->page].tokens, sep->at, left);
    uint32_t count = bias_length(s, sep, left) + more;
    count = count < room ? count : room;
    count = count < TH__SM_MAX_CONTEXT ? count : TH__SM_MAX_CONTEXT;
    return th__sm_context_at(s, sep->page, sep->at, left, count, out);
}

/* ---- least common ancestors ------------------------------------------------------------------ */

/* The words that two values of class have in common, in the order of the first. */
static bool common_words(th_str a, th_str b, th__arena *arena, th_str *out)
{
    th__buf both = {0};
    size_t at = 0;
    for (th_str word; (word = th__str_word(a, &at)).len;)
        if (th__sm_has_word(b, word)) {
            th__buf_add(&both, " ", both.len > 0);
            th__buf_add_str(&both, word);
        }
    *out = both.len ? th__arena_copy(arena, th__buf_str(&both)) : (th_str){0};
    bool ok = !both.failed && (out->ptr || !both.len);
    th__buf_release(&both);
    return ok;
}

/* What two ground tags of one name have in common. */
static bool join_marks(const th__sm_item *a, const th__sm_item *b, th__arena *arena,
                       th__sm_item *out)
{
    th__sm_mark *marks = th__arena_alloc(arena, (a->mark_count + 1u) * sizeof *marks);
    *out = *a;
    out->mark_count = 0;
    out->marks = marks;
    if (!marks)
        return false;
    for (uint32_t i = 0; i < a->mark_count; i++)
        for (uint32_t j = 0; j < b->mark_count; j++) {
            const th__sm_mark *x = &a->marks[i], *y = &b->marks[j];
            if (!th__str_eq_nocase(x->name, y->name))
                continue;
            th__sm_mark mark = *x;
            if (!th__str_eq(x->value, y->value) || x->words != y->words) {
                mark.words = true;
                if (!th__str_eq_nocase(x->name, TH_STR("class")))
                    continue;
                if (!common_words(x->value, y->value, arena, &mark.value))
                    return false;
                if (!mark.value.ptr)
                    continue;
            }
            marks[out->mark_count++] = mark;
        }
    return true;
}

/* The class above two different ones: false when they are of different trees. */
static bool join_classes(unsigned a, unsigned b, bool paper, uint8_t *out)
{
    unsigned join = th__class_join(a, b);
    if (th__class_is(join, TH_CLASS_HTML)) {
        *out = TH_CLASS_HTML;
        return true;
    }
    *out = (uint8_t)join;
    return a == b || join == TH_CLASS_CAPITALIZED || (!paper && th__class_is(join, TH_CLASS_WORD));
}

bool th__sm_item_join(const th__sm_item *a, const th__sm_item *b, bool paper, th__arena *arena,
                      th__sm_item *out)
{
    if (th__sm_item_equal(a, b)) {
        *out = *a;
        return true;
    }
    *out = (th__sm_item){0};
    if (!join_classes(a->cls, b->cls, paper, &out->cls))
        return false;
    if (paper || !a->ground || !b->ground || a->cls != b->cls || a->tag != b->tag || !a->tag)
        return true;
    return join_marks(a, b, arena, out);
}

/* ---- Algorithm 1 ----------------------------------------------------------------------------- */

/* The item of a row in a column, or NULL: `column` is a distance, or UINT32_MAX for the words. A
 * word is in the column of words where it is outermost. */
static const th__sm_item *cell(const th__sm_context *row, uint32_t column)
{
    bool words = row->count && th__class_is(row->items[row->count - 1].cls, TH_CLASS_WORD);
    if (column == UINT32_MAX)
        return words ? &row->items[row->count - 1] : NULL;
    return column + words < row->count ? &row->items[column] : NULL;
}

/* Which tree of the taxonomy an item is in. Of ours, every name of a tag is a tree. */
static uint32_t tree_of(const th__sm_item *item, bool paper)
{
    if (th__class_is(item->cls, TH_CLASS_HTML))
        return paper || !item->ground ? TH_CLASS_HTML : (uint32_t)item->cls << 16 | item->tag;
    if (!paper && th__class_is(item->cls, TH_CLASS_WORD))
        return TH_CLASS_WORD;
    return th__class_is(item->cls, TH_CLASS_CAPITALIZED) ? TH_CLASS_CAPITALIZED : item->cls;
}

/* What a column holds of one tree. */
struct ancestor {
    uint32_t tree;
    uint32_t count; /* tokens of it */
    th__sm_item item;
};

typedef TH__VEC(struct ancestor) ancestors;

static struct ancestor *find_ancestor(ancestors *list, uint32_t tree)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].tree == tree)
            return &list->data[i];
    return NULL;
}

static bool climb_column(const th__sm_context *rows, uint32_t count, uint32_t column, bool paper,
                         th__arena *arena, ancestors *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < count; i++) {
        const th__sm_item *item = cell(&rows[i], column);
        if (!item)
            continue;
        uint32_t tree = tree_of(item, paper);
        struct ancestor *found = find_ancestor(out, tree);
        if (!found) {
            struct ancestor made = {tree, 1, *item};
            if (!th__vec_push(out, made))
                return false;
            continue;
        }
        th__sm_item join;
        found->count++;
        if (!th__sm_item_join(&found->item, item, paper, arena, &join))
            return false; /* of one tree: only memory can fail */
        found->item = join;
    }
    return true;
}

/* What a token of the column becomes. */
static th__sm_item climbed(const th__sm_item *own, ancestors *column, const th__sm_options *options)
{
    const struct ancestor *found = find_ancestor(column, tree_of(own, !options->ground_html));
    bool html = th__class_is(own->cls, TH_CLASS_HTML);
    if (th__class_is(own->cls, TH_CLASS_BLANK))
        return (th__sm_item){.cls = own->cls};
    if (found->count == 1 && !options->ground_html)
        return (th__sm_item){.cls = html ? TH_CLASS_HTML : own->cls};
    return found->item;
}

/* Fills one column of the copies. */
static bool generalize_column(const th__sm_context *rows, uint32_t count, uint32_t column,
                              const th__sm_options *options, th__arena *arena, ancestors *list,
                              th__sm_item *const *made)
{
    if (!climb_column(rows, count, column, !options->ground_html, arena, list))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const th__sm_item *own = cell(&rows[i], column);
        if (own)
            made[i][own - rows[i].items] = climbed(own, list, options);
    }
    return true;
}

/* Keeps the first of equal rows. */
static uint32_t drop_duplicates(th__sm_context *rows, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool there = false;
        for (uint32_t j = 0; j < kept && !there; j++)
            there = th__sm_context_equal(&rows[j], &rows[i]);
        if (!there)
            rows[kept++] = rows[i];
    }
    return kept;
}

bool th__sm_generalize(th__sm_context *rows, uint32_t *count, const th__sm_options *options,
                       th__arena *arena)
{
    th__sm_item **made = th__mem_zero(*count + 1, sizeof *made);
    ancestors list = {0};
    uint32_t columns = 0;
    bool ok = made != NULL;
    for (uint32_t i = 0; ok && i < *count; i++) {
        made[i] = th__arena_alloc(arena, (rows[i].count + 1) * sizeof **made);
        ok = made[i] != NULL;
        columns = rows[i].count > columns ? rows[i].count : columns;
    }
    for (uint32_t c = 0; ok && c <= columns; c++)
        ok = generalize_column(rows, *count, c < columns ? c : UINT32_MAX, options, arena, &list,
                               made);
    for (uint32_t i = 0; ok && i < *count; i++)
        rows[i].items = made[i];
    if (ok)
        *count = drop_duplicates(rows, *count);
    th__vec_release(&list);
    th__mem_free(made);
    return ok;
}

/* ---- the rules of the body (section 3.2) and of the edges of the transducer. ----------------
 *
 * The body: h^L is before it, t^R after it. They are the context under the length bias, ground; as
 * long as it fits at another place first, one token more. Of several pages, these rows then go
 * through Algorithm 1; as long as what comes out fits a wrong place on one of the pages, all rows
 * grow by a token.
 *
 * The edges: every pair of neighbours in a labelled tuple is one. Its separators' contexts go
 * through Algorithm 1, left and right apart, and every left alternative goes with every right one.
 *
 * With `check` the labelled tuples are then read again. Where a rule fires at a wrong separator its
 * edge goes one level down: first its rows stay as they are (words and signs ground), then they
 * grow by a token on each side, up to LEVELS. Levels only rise, so that it ends.
 */

/* ---- the body -------------------------------------------------------------------------------- */

/* Where the first of the contexts fits, at `from` at the earliest; UINT32_MAX: nowhere. */
static uint32_t first_fit(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                          uint32_t from, bool left)
{
    for (uint32_t at = from; at <= page->tokens.len; at++)
        for (uint32_t i = 0; i < count; i++)
            if (th__sm_fits(&contexts[i], &page->tokens, at, left))
                return at;
    return UINT32_MAX;
}

static bool finds_body(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                       bool head)
{
    return head ? first_fit(contexts, count, page, 0, true) == page->body.start
                : first_fit(contexts, count, page, page->body.start, false) == page->body.end;
}

static bool context_at(const th__sm_samples *s, uint32_t page, bool head, uint32_t more,
                       th__sm_context *out)
{
    const th_span body = s->pages[page].body;
    th__sm_separator sep = {.page = page, .at = head ? body.start : body.end, .high = UINT32_MAX};
    return th__sm_context_of(s, &sep, head, more, out);
}

bool th__sm_body_context(const th__sm_samples *s, uint32_t page, bool head, th__sm_context *out)
{
    for (uint32_t more = 0; more < TH__SM_MAX_CONTEXT; more++) {
        if (!context_at(s, page, head, more, out))
            return false;
        if (finds_body(out, 1, &s->pages[page], head))
            return true;
    }
    return true;
}

static bool has_body(const th__sm_page *page)
{
    return page->body.end > 0;
}

/* Returns true if the contexts find the body of every page that tells it. */
static bool find_bodies(const th__sm_samples *s, const th__sm_context *contexts, uint32_t count,
                        bool head)
{
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !finds_body(contexts, count, &s->pages[p], head))
            return false;
    return true;
}

/* Makes the contexts of one end of the bodies: `more` tokens longer than the bias says; of no more,
 * each long enough for its own page. */
static bool make_end(const th__sm_samples *s, bool head, uint32_t more, th__sm_context *out,
                     uint32_t *count)
{
    *count = 0;
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !(more ? context_at(s, p, head, more, &out[(*count)++])
                                             : th__sm_body_context(s, p, head, &out[(*count)++])))
            return false;
    return *count < 2 || th__sm_generalize(out, count, &s->options, s->arena);
}

static bool learn_end(const th__sm_samples *s, bool head, th__sm_context **out, uint32_t *count,
                      bool *right)
{
    *out = th__arena_zero(s->arena, s->page_count + (size_t)1, sizeof **out);
    *right = false;
    for (uint32_t more = 0; *out && !*right && more < TH__SM_MAX_CONTEXT; more++) {
        if (!make_end(s, head, more, *out, count))
            return false;
        *right = find_bodies(s, *out, *count, head);
    }
    return *out != NULL;
}

/* Returns true if the labelled tuples of a page that does not tell its body are in the one found.
 */
static bool holds_tuples(const th__sm_samples *s, const th__sm_page *page,
                         const th__sm_rules *rules)
{
    const th__sm_tuple *first = &s->tuples.data[page->tuple];
    const th__sm_tuple *last = &first[page->tuple_count - 1];
    uint32_t begin = s->separators.data[first->separator].at;
    uint32_t end = s->separators.data[last->separator + last->separator_count - 1].at;
    uint32_t head = first_fit(rules->heads, rules->head_count, page, 0, true);
    return head <= begin && first_fit(rules->tails, rules->tail_count, page, head, false) >= end;
}

/* Bodies that other pages do not confirm make no rules: what is outside of them is a place without
 * tuples. */
static void drop_bodies(th__sm_samples *s, th__sm_rules *rules)
{
    for (uint32_t p = 0; p < s->page_count; p++) {
        th__sm_page *page = &s->pages[p];
        if (!has_body(page))
            continue;
        page->nothing[page->nothing_count++] = (th_span){0, page->body.start};
        page->nothing[page->nothing_count++] =
            (th_span){page->body.end, (uint32_t)page->tokens.len};
        page->body = (th_span){0, 0};
    }
    rules->head_count = rules->tail_count = 0;
}

th_status th__sm_body_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    bool head_right, tail_right;
    if (!learn_end(s, true, &rules->heads, &rules->head_count, &head_right) ||
        !learn_end(s, false, &rules->tails, &rules->tail_count, &tail_right))
        return th__fail_memory(err);
    if ((!head_right || !tail_right) &&
        !th__notes_add(s->notes,
                       "no context of %d tokens distinguishes the %s of the body from other "
                       "places: label places without records as \"nothing\" instead",
                       TH__SM_MAX_CONTEXT, head_right ? "end" : "begin"))
        return th__fail_memory(err);
    for (uint32_t p = 0; rules->head_count && p < s->page_count; p++)
        if (s->pages[p].tuple_count && !has_body(&s->pages[p]) &&
            !holds_tuples(s, &s->pages[p], rules))
            drop_bodies(s, rules);
    return TH_OK;
}

/* ---- edges ----------------------------------------------------------------------------------- */

enum { LEVELS = 8, ROUNDS = 16, MANY = 6 /* times right for once wrong */ };

struct made_edge {
    th__sm_state from, to;
    uint32_t level;
    uint32_t right, wrong; /* how often its rules won in this round */
    TH__VEC(uint32_t) separators;
};

struct edge_maker {
    th__sm_samples *samples;
    TH__VEC(struct made_edge) edges;
};

static void release(struct edge_maker *m)
{
    for (size_t i = 0; i < m->edges.len; i++)
        th__vec_release(&m->edges.data[i].separators);
    th__vec_release(&m->edges);
}

static struct made_edge *find_edge(struct edge_maker *m, th__sm_state from, th__sm_state to)
{
    for (size_t i = 0; i < m->edges.len; i++)
        if (m->edges.data[i].from == from && m->edges.data[i].to == to)
            return &m->edges.data[i];
    return NULL;
}

static bool collect(struct edge_maker *m)
{
    const th__sm_samples *s = m->samples;
    for (uint32_t i = 0; i < s->separators.len; i++) {
        const th__sm_separator *sep = &s->separators.data[i];
        struct made_edge *edge = find_edge(m, sep->from, sep->to);
        if (!edge) {
            struct made_edge made = {.from = sep->from, .to = sep->to};
            if (!th__vec_push(&m->edges, made))
                return false;
            edge = &m->edges.data[m->edges.len - 1];
        }
        if (!th__vec_push(&edge->separators, i))
            return false;
    }
    return true;
}

/* The contexts of one side of an edge. */
static bool contexts_of(const th__sm_samples *s, const struct made_edge *edge, bool left,
                        th__sm_context **out, uint32_t *count)
{
    *count = (uint32_t)edge->separators.len;
    *out = th__arena_zero(s->arena, *count + 1, sizeof **out);
    uint32_t more = edge->level > 1 ? edge->level - 1 : 0;
    if (edge->from == TH__SM_BEGIN && !left)
        more = edge->level; /* into the value first */
    for (uint32_t i = 0; *out && i < *count; i++)
        if (!th__sm_context_of(s, &s->separators.data[edge->separators.data[i]], left, more,
                               &(*out)[i]))
            return false;
    return *out != NULL;
}

/* Items of a class need not be ground: words on a value's side are data, and so are those behind a
 * tuple; a blank is as good as any other. */
static void loosen(th__sm_context *rows, uint32_t count, th_class cls)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            if (th__class_is(rows[i].items[k].cls, cls))
                ((th__sm_item *)rows[i].items)[k] = (th__sm_item){.cls = rows[i].items[k].cls};
}

/* What a tuple begins with is its own: the context of s<b,k> ends before the first end tag or
 * word, which belong to what is before it. */
static void trim_begin(th__sm_context *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kept = 1;
        while (kept < rows[i].count && rows[i].items[kept].cls == TH_CLASS_TAG_START)
            kept++;
        rows[i].count = rows[i].count < kept ? rows[i].count : kept;
    }
}

static bool make_group(const th__sm_samples *s, const struct made_edge *edge, th__sm_edge *out)
{
    th__sm_group *group = th__arena_zero(s->arena, 1, sizeof *group);
    *out = (th__sm_edge){.from = edge->from, .to = edge->to, .group_count = 1, .groups = group};
    if (!group || !contexts_of(s, edge, true, &group->lefts, &group->left_count) ||
        !contexts_of(s, edge, false, &group->rights, &group->right_count))
        return false;
    if (s->options.ground_html) {
        if (th__sm_is_attribute(edge->to) || edge->to == TH__SM_END)
            loosen(group->rights, group->right_count, TH_CLASS_WORD);
        if (th__sm_is_attribute(edge->from))
            loosen(group->lefts, group->left_count, TH_CLASS_WORD);
        if (edge->from == TH__SM_BEGIN)
            trim_begin(group->lefts, group->left_count);
    }
    return th__sm_generalize(group->lefts, &group->left_count, &s->options, s->arena) &&
           th__sm_generalize(group->rights, &group->right_count, &s->options, s->arena);
}

/* Rows that stay as they are, each with its own other side. Where a tuple begins, the value is
 * looked into before its words are taken as they are. */
static bool make_pairs(const th__sm_samples *s, const struct made_edge *edge, th__sm_edge *out)
{
    enum { GROUND = 4 };
    th__sm_context *lefts, *rights;
    uint32_t count, kept = 0;
    bool begins = edge->from == TH__SM_BEGIN && !s->one_record && s->options.ground_html;
    if (!contexts_of(s, edge, true, &lefts, &count) ||
        !contexts_of(s, edge, false, &rights, &count))
        return false;
    loosen(lefts, count, TH_CLASS_BLANK);
    loosen(rights, count, TH_CLASS_BLANK);
    if (begins && edge->level < GROUND)
        loosen(rights, count, TH_CLASS_WORD);
    if (begins && edge->level == 1)
        trim_begin(lefts, count);
    th__sm_group *groups = th__arena_zero(s->arena, count + 1, sizeof *groups);
    for (uint32_t i = 0; groups && i < count; i++) {
        bool there = false;
        for (uint32_t j = 0; j < kept && !there; j++)
            there = th__sm_context_equal(groups[j].lefts, &lefts[i]) &&
                    th__sm_context_equal(groups[j].rights, &rights[i]);
        if (!there)
            groups[kept++] = (th__sm_group){&lefts[i], &rights[i], 1, 1, false};
    }
    *out = (th__sm_edge){edge->from, edge->to, kept, groups, true};
    return groups != NULL;
}

static bool make_edges(struct edge_maker *m, th__sm_rules *rules)
{
    rules->edges = th__arena_zero(m->samples->arena, m->edges.len + 1, sizeof *rules->edges);
    rules->edge_count = (uint32_t)m->edges.len;
    for (size_t i = 0; rules->edges && i < m->edges.len; i++)
        if (!(m->edges.data[i].level ? make_pairs : make_group)(m->samples, &m->edges.data[i],
                                                                &rules->edges[i]))
            return false;
    return rules->edges && th__sm_rules_compile(rules, m->samples->arena);
}

/* The edge whose rule wins first between where a state was entered and its separator. */
static struct made_edge *first_winner(struct edge_maker *m, const th__sm_rules *rules,
                                      const th__sm_separator *sep, bool *right)
{
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t from = sep->from == TH__SM_BEGIN && !m->samples->one_record ? sep->at : sep->since;
    bool value = th__sm_is_attribute(sep->from) && !rules->resync;
    for (uint32_t at = from + value; at <= sep->at; at++) {
        const th__sm_rule *rule = th__sm_rules_match(rules, sep->from, &page->tokens, at, NULL);
        bool begin = at == from && th__sm_is_attribute(sep->from); /* only an end can be wrong */
        if (!rule || (rule->restart && (begin || at == sep->at)) ||
            (begin && th__sm_is_attribute(rule->to)))
            continue;
        *right = at == sep->at && rule->to == sep->to;
        return find_edge(m, rule->restart ? TH__SM_BEGIN : sep->from, rule->to);
    }
    return NULL; /* no rule fits: a level too ground would be the cause, and there is none */
}

/* No tuple may begin where there is none, as somebody says. */
static void check_nothing(struct edge_maker *m, const th__sm_rules *rules, const th__sm_page *page,
                          th_span place)
{
    for (uint32_t at = place.start; at < place.end; at++) {
        const th__sm_rule *rule = th__sm_rules_match(rules, TH__SM_BEGIN, &page->tokens, at, NULL);
        struct made_edge *wrong = rule ? find_edge(m, TH__SM_BEGIN, rule->to) : NULL;
        if (wrong)
            wrong->wrong += MANY;
    }
}

/* Reads the labelled tuples; raises the levels of the edges that go wrong, each by one. Of those
 * that are nearly always right the exceptions are left to be memorized. */
static bool check(struct edge_maker *m, const th__sm_rules *rules)
{
    bool changed = false;
    for (size_t i = 0; i < m->edges.len; i++)
        m->edges.data[i].right = m->edges.data[i].wrong = 0;
    for (size_t i = 0; i < m->samples->separators.len; i++) {
        bool right;
        if (th__cancelled(m->samples->cancel))
            return false;
        struct made_edge *edge = first_winner(m, rules, &m->samples->separators.data[i], &right);
        if (edge)
            right ? edge->right++ : edge->wrong++;
    }
    for (uint32_t p = 0; p < m->samples->page_count; p++)
        for (uint32_t i = 0; i < m->samples->pages[p].nothing_count; i++)
            check_nothing(m, rules, &m->samples->pages[p], m->samples->pages[p].nothing[i]);
    for (size_t i = 0; i < m->edges.len; i++) {
        struct made_edge *edge = &m->edges.data[i];
        if (edge->wrong * MANY > edge->right && edge->level < LEVELS) {
            edge->level++;
            changed = true;
        }
    }
    return changed;
}

th_status th__sm_edges_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    struct edge_maker m = {.samples = s};
    bool ok = collect(&m) && make_edges(&m, rules);
    for (int round = 0; ok && s->options.check && round < ROUNDS && check(&m, rules); round++)
        ok = make_edges(&m, rules);
    uint64_t count = ok ? th__sm_rules_count(rules) : 0;
    release(&m);
    if (!ok)
        return th__fail_memory(err);
    if (count > TH__SM_MAX_RULES)
        return th__fail(err, TH_ERR_LIMIT,
                        "the labels give %llu contextual rules, and a wrapper has at most %d: the "
                        "labelled places have too little in common",
                        (unsigned long long)count, TH__SM_MAX_RULES);
    return TH_OK;
}
