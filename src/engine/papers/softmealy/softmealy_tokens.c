/*
 * softmealy_tokens.c: tokens, items and contexts (sections 2.2 and 2.3), and
 * how contexts are written.
 *
 * Ground texts are compared as the source has them: a wrapper sees one site,
 * which writes its references in one way.
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

/* A coarse token. Tags and blanks, which most tokens are, take the short way.
 */
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

bool th__sm_has_word(th_str text, th_str word)
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
        if (!th__sm_has_word(text, word))
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

bool th__sm_item_equal(const th__sm_item *a, const th__sm_item *b)
{
    if (a->cls != b->cls || a->ground != b->ground)
        return false;
    if (!a->ground)
        return true;
    if (a->cls == TH_CLASS_TAG_START || a->cls == TH_CLASS_TAG_END)
        return a->tag == b->tag && marks_equal(a, b);
    return a->count == b->count && th__str_eq(a->text, b->text);
}

uint64_t th__sm_item_hash(const th__sm_item *item)
{
    uint64_t hash = item->cls * 2u + item->ground;
    if (!item->ground)
        return hash;
    if (item->cls != TH_CLASS_TAG_START && item->cls != TH_CLASS_TAG_END)
        return th__hash_mix(hash + item->count, th__hash(item->text.ptr, item->text.len));
    hash = th__hash_mix(hash, item->tag);
    for (uint32_t i = 0; i < item->mark_count; i++) {
        const th__sm_mark *mark = &item->marks[i];
        for (size_t k = 0; k < mark->name.len; k++)
            hash = th__hash_mix(hash, th__lower((unsigned char)mark->name.ptr[k]));
        hash = th__hash_mix(hash + mark->words, th__hash(mark->value.ptr, mark->value.len));
    }
    return hash;
}

bool th__sm_context_equal(const th__sm_context *a, const th__sm_context *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!th__sm_item_equal(&a->items[i], &b->items[i]))
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

/* ---- notation -------------------------------------------------------------------------------- */

/* The paper's names, and ours for what it has no class for. */
static const char *const names[TH_CLASS_COUNT] = {
    [TH_CLASS_ANY] = "Any",         [TH_CLASS_WORD] = "Word",
    [TH_CLASS_ALPHA] = "Alph",      [TH_CLASS_CAPITALIZED] = "CnAlph",
    [TH_CLASS_ALLCAPS] = "CAlph",   [TH_CLASS_INITCAP] = "C1Alph",
    [TH_CLASS_LOWER] = "0Alph",     [TH_CLASS_UNCASED] = "UAlph",
    [TH_CLASS_NUMBER] = "Num",      [TH_CLASS_MIXED] = "AlNum",
    [TH_CLASS_NONWORD] = "Nonword", [TH_CLASS_HTML] = "Html",
    [TH_CLASS_TAG_START] = "Tag",   [TH_CLASS_TAG_END] = "EndTag",
    [TH_CLASS_MARKUP] = "Markup",   [TH_CLASS_PUNCT] = "Punc",
    [TH_CLASS_BLANK] = "Blank",     [TH_CLASS_NEWLINE] = "NL",
    [TH_CLASS_TAB] = "Tab",         [TH_CLASS_SPACE] = "Spc",
};

/* Text with a backslash before each of `special`. */
static void print_escaped(th_str text, const char *special, th__buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr(special, text.ptr[i]))
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, text.ptr[i]);
    }
}

/* Browsers take nearly anything for a part of a name. */
#define NAME_ENDS " =~\"<>()\\/"

static void print_tag(const th__sm_item *item, th__buf *out)
{
    th__buf_printf(out, "<%s", item->cls == TH_CLASS_TAG_END ? "/" : "");
    print_escaped(item->text, NAME_ENDS, out);
    for (uint32_t i = 0; i < item->mark_count; i++) {
        th__buf_add_byte(out, ' ');
        print_escaped(item->marks[i].name, NAME_ENDS, out);
        th__buf_add_str(out, item->marks[i].words ? TH_STR("~=\"") : TH_STR("=\""));
        print_escaped(item->marks[i].value, "\"\\", out);
        th__buf_add_byte(out, '"');
    }
    th__buf_add_byte(out, '>');
}

static bool is_tag(unsigned cls)
{
    return cls == TH_CLASS_TAG_START || cls == TH_CLASS_TAG_END;
}

/* Markup that begins as a tag does, but is none: the page ends in it. */
static bool is_cut_tag(const th__sm_item *item)
{
    return item->cls == TH_CLASS_MARKUP && item->text.len > 1 && item->text.ptr[0] == '<' &&
           !strchr("!?", item->text.ptr[1]);
}

static void print_text(const th__sm_item *item, th__buf *out)
{
    if (is_cut_tag(item))
        th__buf_add_byte(out, '\\');
    print_escaped(item->text, ")\\", out);
}

static void print_item(const th__sm_item *item, th__buf *out)
{
    bool markup = item->ground && th__class_is(item->cls, TH_CLASS_HTML);
    th__buf_printf(out, "%s(", markup ? "Html" : names[item->cls]);
    if (!item->ground)
        th__buf_add_byte(out, '_');
    else if (is_tag(item->cls))
        print_tag(item, out);
    else if (th__class_is(item->cls, TH_CLASS_BLANK))
        th__buf_printf(out, "%u", item->count);
    else if (th__str_eq(item->text, TH_STR("_")))
        th__buf_add_str(out, TH_STR("\\_"));
    else
        print_text(item, out);
    th__buf_add_byte(out, ')');
}

void th__sm_context_print(const th__sm_context *context, bool left, th__buf *out)
{
    if (!context->count)
        th__buf_add_byte(out, '-');
    for (uint32_t i = 0; i < context->count; i++) {
        if (i)
            th__buf_add_byte(out, ' ');
        print_item(&context->items[left ? context->count - 1 - i : i], out);
    }
}

/* ---- reading the notation -------------------------------------------------------------------- */

/* A failure without a fault is a lack of memory. */
struct context_reader {
    th_str text;
    size_t at;
    th__arena *arena;
    th__buf scratch;
    const char *fault;
};

static bool fail(struct context_reader *p, const char *fault)
{
    p->fault = fault;
    return false;
}

static bool take(struct context_reader *p, char c)
{
    if (p->at >= p->text.len || p->text.ptr[p->at] != c)
        return false;
    p->at++;
    return true;
}

/* Text up to an unescaped byte of `ends`, which is not taken. */
static bool take_text(struct context_reader *p, th_str ends, th_str *out)
{
    th__buf_clear(&p->scratch);
    while (p->at < p->text.len) {
        bool escaped = p->text.ptr[p->at] == '\\' && p->at + 1 < p->text.len;
        if (!escaped && memchr(ends.ptr, p->text.ptr[p->at], ends.len))
            break;
        p->at += escaped;
        th__buf_add_byte(&p->scratch, p->text.ptr[p->at++]);
    }
    *out = p->scratch.failed ? (th_str){0} : th__arena_copy(p->arena, th__buf_str(&p->scratch));
    return out->ptr;
}

static bool take_name(struct context_reader *p, th_str *out)
{
    size_t start = p->at;
    return take_text(p, TH_STR(NAME_ENDS), out) && (p->at > start || fail(p, "expected a name"));
}

static bool parse_mark(struct context_reader *p, th__sm_mark *mark)
{
    if (!take_name(p, &mark->name))
        return false;
    mark->words = take(p, '~');
    if (!take(p, '=') || !take(p, '"'))
        return fail(p, "expected =\" after the name of an attribute");
    return take_text(p, TH_STR("\""), &mark->value) &&
           (take(p, '"') || fail(p, "expected \" after the value of an attribute"));
}

/* <name a="b"> or </name>; the "<" is taken. */
static bool parse_tag(struct context_reader *p, th__sm_item *item)
{
    enum { MARKS = 64 };
    th__sm_mark marks[MARKS];
    item->cls = take(p, '/') ? TH_CLASS_TAG_END : TH_CLASS_TAG_START;
    if (!take_name(p, &item->text))
        return false;
    item->tag = th_tag_id(item->text);
    while (take(p, ' ')) {
        if (item->mark_count == MARKS)
            return fail(p, "too many attributes");
        if (!parse_mark(p, &marks[item->mark_count]))
            return false;
        item->mark_count++;
    }
    if (!take(p, '>'))
        return fail(p, "expected > after a tag");
    item->marks = th__arena_keep(p->arena, marks, item->mark_count, sizeof *marks);
    return item->marks;
}

static bool parse_ground(struct context_reader *p, th__sm_item *item)
{
    item->ground = true;
    if (item->cls == TH_CLASS_HTML) {
        if (p->text.len - p->at >= 2 && p->text.ptr[p->at] == '<' &&
            !strchr("!?", p->text.ptr[p->at + 1])) {
            p->at++;
            return parse_tag(p, item);
        }
        item->cls = TH_CLASS_MARKUP;
        return take_text(p, TH_STR(")"), &item->text);
    }
    if (!take_text(p, TH_STR(")"), &item->text))
        return false;
    if (item->cls == TH_CLASS_NEWLINE || item->cls == TH_CLASS_TAB || item->cls == TH_CLASS_SPACE) {
        uint64_t count = 0;
        for (size_t i = 0; i < item->text.len; i++) {
            if (!th__is_digit((unsigned char)item->text.ptr[i]) || count > UINT32_MAX / 16)
                return fail(p, "expected the length of a blank");
            count = count * 10 + (unsigned)(item->text.ptr[i] - '0');
        }
        item->count = (uint32_t)count;
        item->text = (th_str){0};
    }
    return true;
}

static bool parse_item(struct context_reader *p, th__sm_item *item)
{
    size_t start = p->at;
    while (p->at < p->text.len && p->text.ptr[p->at] != '(')
        p->at++;
    th_str name = {p->text.ptr + start, p->at - start};
    unsigned cls = 0;
    while (cls < TH_CLASS_COUNT && !th__str_eq(name, th_str_from(names[cls])))
        cls++;
    if (cls == TH_CLASS_COUNT || !take(p, '(')) {
        p->at = start;
        return fail(p, "expected a class and (, as in C1Alph(");
    }
    *item = (th__sm_item){.cls = (uint8_t)cls};
    if (p->text.len - p->at >= 2 && p->text.ptr[p->at] == '_' && p->text.ptr[p->at + 1] == ')')
        p->at++;
    else if (!parse_ground(p, item))
        return false;
    return take(p, ')') || fail(p, "expected )");
}

bool th__sm_context_parse(th_str text, bool left, th__arena *arena, th__sm_context *out,
                          const char **fault, size_t *where)
{
    struct context_reader p = {.text = text, .arena = arena};
    TH__VEC(th__sm_item) items = {0};
    bool ok = true;
    if (th__str_eq(text, TH_STR("-")))
        p.at = 1;
    else
        do {
            th__sm_item item;
            ok = items.len < TH__SM_MAX_STRING ? parse_item(&p, &item)
                                               : fail(&p, "too many tokens in a context");
            ok = ok && th__vec_push(&items, item);
        } while (ok && take(&p, ' '));
    if (ok && p.at < text.len)
        ok = fail(&p, "expected a blank between tokens");
    th__sm_item *kept = ok ? th__arena_alloc(arena, (items.len + 1) * sizeof *kept) : NULL;
    for (size_t i = 0; kept && i < items.len; i++)
        kept[left ? items.len - 1 - i : i] = items.data[i];
    *out = (th__sm_context){kept, (uint32_t)items.len};
    *fault = p.fault;
    *where = p.at;
    th__vec_release(&items);
    th__buf_release(&p.scratch);
    return kept;
}
