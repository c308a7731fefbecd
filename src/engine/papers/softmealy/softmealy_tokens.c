/*
 * softmealy_tokens.c: tokens, items and contexts (sections 2.2 and 2.3), and what two items have in
 * common.
 *
 * Ground texts are compared as the source has them: a wrapper sees one site, which writes its
 * references in one way.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "page/lex.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_digit_at(const th_page *page, uint32_t at)
{
    return th__is_digit((unsigned char)page->text.ptr[at]);
}

/* The class of a run of letters: SoftMealy's three. */
static uint8_t letters_class(th_str run)
{
    if (!(run.ptr[0] >= 'A' && run.ptr[0] <= 'Z'))
        return TH_CLASS_LOWER;
    for (size_t i = 1; i < run.len; i++)
        if (!(run.ptr[i] >= 'A' && run.ptr[i] <= 'Z'))
            return TH_CLASS_INITCAP;
    return TH_CLASS_ALLCAPS;
}

/* Cuts H2O into H, 2 and O. */
static bool add_split(th__sm_token token, th__sm_tokens *out)
{
    const th_page *page = out->page;
    for (uint32_t at = token.start, end; at < token.end; at = end) {
        bool digits = is_digit_at(page, at);
        for (end = at + 1; end < token.end && is_digit_at(page, end) == digits;)
            end++;
        th__sm_token part = token;
        part.start = at;
        part.end = end;
        part.cls = digits ? TH_CLASS_NUMBER : letters_class(th__page_slice(page, at, end));
        if (!th__vec_push(out, part))
            return false;
    }
    return true;
}

static bool add_blank(const th_fine *fine, th__sm_lexing how, th__sm_tokens *out)
{
    th__sm_token token = {fine->start, fine->end, fine->count, 0, fine->cls};
    if (how.blanks == TH__SM_LINES) {
        bool again = out->len && out->data[out->len - 1].cls == TH_CLASS_NEWLINE;
        if (fine->cls != TH_CLASS_NEWLINE || again)
            return true;
        token.coarse = 1;
    }
    return how.blanks == TH__SM_NO_BLANKS || th__vec_push(out, token);
}

/* Adds the fine tokens that are left of a walk. */
static bool add_fine(th_lex *lex, th__sm_lexing how, th__sm_tokens *out)
{
    th_fine fine;
    bool ok = true;
    while (ok && th_lex_next(lex, &fine)) {
        bool cut = how.split && fine.cls == TH_CLASS_MIXED && !(fine.flags & TH_FINE_REFS);
        th__sm_token token = {fine.start, fine.end, lex->token, fine.tag, fine.cls};
        ok = th__class_is(fine.cls, TH_CLASS_BLANK) ? add_blank(&fine, how, out)
             : cut                                  ? add_split(token, out)
                                                    : th__vec_push(out, token);
    }
    return ok;
}

/* Adds the fine tokens of a coarse one. Most are tags and blanks, which need no lexer. */
static bool add_coarse(uint32_t number, th__sm_lexing how, th__sm_tokens *out)
{
    const th_token *t = &out->page->tokens[number];
    th_lex lex;
    if (t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) {
        uint8_t cls = t->kind == TH_TOKEN_START ? TH_CLASS_TAG_START : TH_CLASS_TAG_END;
        th__sm_token token = {t->start, t[1].start, number, t->tag, cls};
        return th__vec_push(out, token);
    }
    if (how.blanks == TH__SM_NO_BLANKS && (t->flags & TH_TOKEN_BLANK))
        return true;
    th__lex_token(&lex, out->page, number);
    return add_fine(&lex, how, out);
}

bool th__sm_lex(const th_page *page, size_t end, th__sm_lexing how, th__sm_tokens *out)
{
    out->page = page;
    out->len = 0;
    for (uint32_t i = 0; i < page->token_count && page->tokens[i].start < end; i++) {
        const th_token *t = &page->tokens[i];
        th_lex lex;
        bool whole = t[1].start <= end;
        if (!whole)
            th_lex_init(&lex, page, (th_span){t->start, (uint32_t)end});
        if (!(whole ? add_coarse(i, how, out) : add_fine(&lex, how, out)))
            return false;
    }
    return true;
}

/* ---- items ----------------------------------------------------------------------------------- */

static bool has_word(th_str text, th_str word)
{
    size_t at = 0;
    for (th_str next; (next = th__str_word(text, &at)).len;)
        if (th__str_eq(next, word))
            return true;
    return false;
}

/* Returns true if every word of `words` is one of text. */
static bool has_words(th_str words, th_str text)
{
    size_t at = 0;
    for (th_str word; (word = th__str_word(words, &at)).len;)
        if (!has_word(text, word))
            return false;
    return true;
}

static bool has_mark(const th__sm_mark *mark, const th_page *page, uint32_t coarse)
{
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, coarse); th_attr_next(&it, &attr);)
        if (th__str_eq_nocase(attr.name, mark->name))
            return mark->words ? has_words(mark->value, attr.value)
                               : th__str_eq(mark->value, attr.value);
    return false;
}

static bool marks_fit(const th__sm_item *item, const th_page *page, uint32_t coarse)
{
    for (uint32_t i = 0; i < item->mark_count; i++)
        if (!has_mark(&item->marks[i], page, coarse))
            return false;
    return true;
}

static bool matches(const th__sm_item *item, const th_page *page, const th__sm_token *token)
{
    if (!th__class_is(token->cls, item->cls))
        return false;
    if (!item->ground)
        return true;
    switch (item->cls) {
    case TH_CLASS_TAG_START:
        return token->tag == item->tag &&
               (!item->mark_count || marks_fit(item, page, token->coarse));
    case TH_CLASS_TAG_END:
        return token->tag == item->tag;
    case TH_CLASS_NEWLINE:
    case TH_CLASS_TAB:
    case TH_CLASS_SPACE:
        return token->coarse == item->count;
    default:
        return th__str_eq(item->text, th__page_slice(page, token->start, token->end));
    }
}

static bool marks_equal(const th__sm_item *a, const th__sm_item *b)
{
    if (a->mark_count != b->mark_count)
        return false;
    for (uint32_t i = 0; i < a->mark_count; i++)
        if (a->marks[i].words != b->marks[i].words ||
            !th__str_eq_nocase(a->marks[i].name, b->marks[i].name) ||
            !th__str_eq(a->marks[i].value, b->marks[i].value))
            return false;
    return true;
}

static bool items_equal(const th__sm_item *a, const th__sm_item *b)
{
    if (a->cls != b->cls || a->ground != b->ground)
        return false;
    if (!a->ground)
        return true;
    if (a->cls == TH_CLASS_TAG_START || a->cls == TH_CLASS_TAG_END)
        return a->tag == b->tag && marks_equal(a, b);
    return a->count == b->count && th__str_eq(a->text, b->text);
}

bool th__sm_context_equal(const th__sm_context *a, const th__sm_context *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!items_equal(&a->items[i], &b->items[i]))
            return false;
    return true;
}

uint32_t th__sm_context_ground(const th__sm_context *context)
{
    uint32_t ground = 0;
    for (uint32_t i = 0; i < context->count; i++)
        ground += context->items[i].ground;
    return ground;
}

uint32_t th__sm_fit(const th__sm_context *context, const th__sm_tokens *tokens, uint32_t at,
                    bool left)
{
    uint32_t n = 0, most = th__sm_room(tokens, at, left);
    most = context->count < most ? context->count : most;
    while (n < most &&
           matches(&context->items[n], tokens->page, &tokens->data[th__sm_beside(at, left, n)]))
        n++;
    return n;
}

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
    enum { MARKS = 16 }; /* more do not help */
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
    enum { LONG_MARKUP = 80 }; /* a comment that long does not mark a place */
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

/* ---- least common ancestors ------------------------------------------------------------------ */

/* The words that two values of class have in common, in the order of the first. */
static bool common_words(th_str a, th_str b, th__arena *arena, th_str *out)
{
    th__buf both = {0};
    size_t at = 0;
    for (th_str word; (word = th__str_word(a, &at)).len;)
        if (has_word(b, word)) {
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
                      th__sm_item *out, bool *failed)
{
    *failed = false;
    if (items_equal(a, b)) {
        *out = *a;
        return true;
    }
    *out = (th__sm_item){0};
    if (!join_classes(a->cls, b->cls, paper, &out->cls))
        return false;
    if (paper || !a->ground || !b->ground || a->cls != b->cls || a->tag != b->tag || !a->tag)
        return true;
    *failed = !join_marks(a, b, arena, out);
    return !*failed;
}
