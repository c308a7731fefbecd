/*
 * softmealy_generalize.c: contexts of separators, and Algorithm 1 (section 3.1).
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
#include "engine/papers/softmealy/softmealy.h"

#include "base/mem.h"
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
    th__sm_mark *kept = th__arena_alloc(s->arena, (count + 1u) * sizeof *kept);
    if (!kept)
        return false;
    memcpy(kept, marks, count * sizeof *kept);
    out->marks = kept;
    out->mark_count = count;
    return true;
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
    for (th_str word; (word = th__sm_next_word(a, &at)).len;)
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
