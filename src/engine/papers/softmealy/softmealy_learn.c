/*
 * softmealy_learn.c: learning (section 3): labelled pages become tuples and separators, separators
 * become rules, and what the rules misread is mended.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/papers/softmealy/softmealy.h"
#include "page/lex.h"

/* ---- samples -----------------------------------------------------------------------------------
 *
 * A value inside a tag is that tag: the transducer reads whole tokens, and the
 * attribute is taken out of the tag afterwards (the paper's footnote to
 * section 2.4). Two fields at the same place, such as the link and the title of
 * one tag, share a state.
 */

/* Gives rules the attributes of the samples. False if out of memory. */
static bool take_attributes(const th__sm_samples *s, th__sm_rules *rules)
{
    rules->attribute_count = (uint32_t)s->attributes.len;
    rules->attributes =
        th__arena_keep(s->arena, s->attributes.data, s->attributes.len, sizeof *rules->attributes);
    return rules->attributes;
}

void th__sm_samples_release(th__sm_samples *s)
{
    for (uint32_t i = 0; s->pages && i < s->page_count; i++)
        th__vec_release(&s->pages[i].tokens);
    th__mem_free(s->pages);
    th__vec_release(&s->attributes);
    th__vec_release(&s->labels);
    th__vec_release(&s->tuples);
    th__vec_release(&s->separators);
    th__arena_release(&s->scratch);
}

/* The number of the field with that path; how many there are when there is none. */
static uint32_t find_field(const th__sm_fields *fields, th_str path)
{
    uint32_t leaf = 0;
    while (leaf < fields->len && !th__str_eq(fields->data[leaf].path, path))
        leaf++;
    return leaf;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A walk through the values of a labelled record. */
struct label_walk {
    th__sm_samples *samples;
    uint32_t page;
    th__buf path;
    th_error *err;
};

/* The attribute of a leaf, made on first sight. */
static th_status attribute_of(struct label_walk *w, uint32_t leaf, bool many, uint32_t *out)
{
    th__sm_samples *s = w->samples;
    if (w->path.failed)
        return th__fail_memory(w->err);
    if (s->fields) { /* the wrapper's own */
        leaf = find_field(s->fields, th__buf_str(&w->path));
        if (leaf == s->fields->len || (many && !s->fields->data[leaf].many))
            return th__fail(
                w->err, TH_ERR_ARGUMENT,
                leaf == s->fields->len
                    ? "the wrapper has no field \"%.*s\": learn it again"
                    : "%.*s is one value in the wrapper and several in the labels: learn it again",
                TH_STR_ARG(th__buf_str(&w->path)));
        many = s->fields->data[leaf].many;
    }
    for (uint32_t k = 0; k < s->attributes.len; k++)
        if (s->attributes.data[k].leaf == leaf) {
            *out = k;
            return TH_OK;
        }
    if (s->attributes.len == TH__SM_MAX_ATTRIBUTES)
        return th__fail(w->err, TH_ERR_LIMIT, "the labels have more than %d fields",
                        TH__SM_MAX_ATTRIBUTES);
    *out = (uint32_t)s->attributes.len;
    th__sm_attribute attribute = {
        .path = th__arena_copy(s->arena, th__buf_str(&w->path)),
        .leaf = leaf,
        .same_as = *out,
        .many = many,
    };
    return attribute.path.ptr && th__vec_push(&s->attributes, attribute) ? TH_OK
                                                                         : th__fail_memory(w->err);
}

static uint32_t token_after(const th__sm_tokens *tokens, uint32_t offset)
{
    return (uint32_t)th__count_first(i, tokens->len, tokens->data[i].end <= offset);
}

/* The tokens from one byte to a later one. */
static th_span tokens_of(const th__sm_tokens *tokens, th_span bytes)
{
    th_span out = {token_after(tokens, bytes.start), token_after(tokens, bytes.end - 1)};
    if (out.end < tokens->len && tokens->data[out.end].start < bytes.end)
        out.end++;
    return out;
}

static th_status add_text(struct label_walk *w, const th_value *value, uint32_t leaf, bool many)
{
    th__sm_samples *s = w->samples;
    const th__sm_page *page = &s->pages[w->page];
    const th__sm_tokens *tokens = &page->tokens;
    size_t len = tokens->page->text.len;
    th_span span = th_value_span(value);
    uint32_t attribute = 0;
    th_status status = attribute_of(w, leaf, many, &attribute);
    if (status)
        return status;
    if (span.end > len || span.start > span.end)
        return th__fail(w->err, TH_ERR_FORMAT,
                        "%.*s: the label of %.*s is at bytes %u to %u, but the page has only %zu",
                        TH_STR_ARG(page->name), TH_STR_ARG(th__buf_str(&w->path)), span.start,
                        span.end, len);
    if (span.start == span.end)
        return TH_OK; /* empty, or its place is not known */
    th_span in = tokens_of(tokens, span);
    if (in.end <= in.start)
        return TH_OK; /* blanks alone */
    th_str source = span.start > tokens->data[in.start].start
                        ? th__attribute_at(tokens->page, span).name
                        : (th_str){0};
    th__sm_attribute *a = &s->attributes.data[attribute];
    if (source.ptr && !a->source.ptr) {
        a->source = th__arena_copy(s->arena, source);
        if (!a->source.ptr)
            return th__fail_memory(w->err);
    }
    if (a->source.ptr && !source.ptr)
        return th__notes_add(
                   s->notes,
                   "%.*s: %.*s is in text here and in the attribute %.*s elsewhere: left out",
                   TH_STR_ARG(page->name), TH_STR_ARG(th__buf_str(&w->path)), TH_STR_ARG(a->source))
                   ? TH_OK
                   : th__fail_memory(w->err);
    th__sm_label label = {attribute, in.start, in.end, span};
    return th__vec_push(&s->labels, label) ? TH_OK : th__fail_memory(w->err);
}

/* Walks a value beside its type: as deep as a schema is. */
static th_status walk_value(struct label_walk *w, const th_value *value, const th_type *type,
                            uint32_t leaf, bool many)
{
    th_status status = TH_OK;
    type = th__type_strip(type);
    if (!value || th_value_get_kind(value) == TH_VALUE_NULL)
        return TH_OK;
    switch (th_type_get_kind(type)) {
    case TH_TYPE_FIELD:
        return add_text(w, value, leaf, many);
    case TH_TYPE_LIST:
        for (size_t i = 0; !status && i < th_value_count(value); i++)
            status = walk_value(w, th_value_item(value, i), th_type_child(type, 0), leaf, true);
        return status;
    case TH_TYPE_TUPLE:
        break;
    default:
        return th__fail(w->err, TH_ERR_ARGUMENT,
                        "%.*s: SoftMealy does not support alternatives of fields",
                        TH_STR_ARG(th__buf_str(&w->path)));
    }
    size_t mark = w->path.len;
    for (size_t i = 0; !status && i < th_type_count(type); i++) {
        const th_type *member = th_type_child(type, i);
        th_str name = th_type_name(member);
        th__buf_printf(&w->path, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        status = walk_value(w, th_value_item(value, i), member, leaf, many);
        w->path.len = mark;
        leaf += th__type_leaves(member);
    }
    return status;
}

/* ---- tuples ---------------------------------------------------------------------------------- */

static int compare_labels(const void *left, const void *right)
{
    const th__sm_label *a = left, *b = right;
    return th__order(a->begin, b->begin) ?: th__order(a->end, b->end) ?: th__order(a->attribute, b->attribute);
}

static th_status fail_overlap(th__sm_samples *s, uint32_t page, const th__sm_label *a,
                              const th__sm_label *b, th_error *err)
{
    enum { SHOWN = 60 };
    const th__sm_page *p = &s->pages[page];
    th_text texts[2] = {{0}, {0}};
    const th__sm_label *both[] = {a, b};
    th_status status = TH_OK;
    for (int i = 0; !status && i < 2; i++)
        status = th_page_span_text(p->tokens.page, both[i]->span, &texts[i], err);
    if (!status)
        status = th__fail_at(
            err, TH_ERR_FORMAT, b->span.start,
            "%.*s: labels overlap: %.*s at bytes %u to %u (\"%.*s\") and %.*s at bytes %u to %u "
            "(\"%.*s\"); remove one of them, or give its place",
            TH_STR_ARG(p->name), TH_STR_ARG(s->attributes.data[a->attribute].path), a->span.start,
            a->span.end, (int)(texts[0].len < SHOWN ? texts[0].len : SHOWN), texts[0].ptr,
            TH_STR_ARG(s->attributes.data[b->attribute].path), b->span.start, b->span.end,
            (int)(texts[1].len < SHOWN ? texts[1].len : SHOWN), texts[1].ptr);
    th_text_release(&texts[0]);
    th_text_release(&texts[1]);
    return status;
}

/* Fields at the same place share the state of the first of them. */
static th_status join_same(th__sm_samples *s, uint32_t page, th__sm_tuple *tuple, th_error *err)
{
    th__sm_label *labels = s->labels.data + tuple->label;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tuple->label_count; i++) {
        th__sm_label *last = kept ? &labels[kept - 1] : NULL;
        if (!last || last->end <= labels[i].begin) {
            labels[kept++] = labels[i];
            continue;
        }
        th__sm_attribute *rider = &s->attributes.data[labels[i].attribute];
        bool same = last->attribute == labels[i].attribute;
        if (same && (last->begin == labels[i].begin || labels[i].end <= last->end)) {
            /* "Canon" and "Canon USA" of one field at one place: the longer has both */
            if (labels[i].end > last->end)
                *last = labels[i];
            continue;
        }
        if (last->begin != labels[i].begin || last->end != labels[i].end || same)
            return fail_overlap(s, page, last, &labels[i], err);
        if (rider->same_as == labels[i].attribute)
            rider->same_as = s->attributes.data[last->attribute].same_as;
    }
    s->labels.len -= tuple->label_count - kept;
    tuple->label_count = kept;
    return TH_OK;
}

static th_status add_tuple(struct label_walk *w, const th_value *record, const th_type *type)
{
    th__sm_samples *s = w->samples;
    th__sm_tuple tuple = {.page = w->page, .label = (uint32_t)s->labels.len};
    w->path.len = 0;
    th_status status = walk_value(w, record, type, 0, false);
    if (status)
        return status;
    tuple.label_count = (uint32_t)s->labels.len - tuple.label;
    if (!tuple.label_count)
        return TH_OK;
    qsort(s->labels.data + tuple.label, tuple.label_count, sizeof *s->labels.data, compare_labels);
    tuple.begin = s->labels.data[tuple.label].begin;
    status = join_same(s, w->page, &tuple, w->err);
    if (!status && !th__vec_push(&s->tuples, tuple))
        status = th__fail_memory(w->err);
    return status;
}

static int compare_tuples(const void *left, const void *right)
{
    const th__sm_tuple *a = left, *b = right;
    return th__order(a->begin, b->begin) ?: th__order(a->label, b->label);
}

/* Puts the tuples of a page in order; each must end before the next begins. */
static th_status sort_tuples(th__sm_samples *s, th__sm_page *page, uint32_t number, th_error *err)
{
    if (!page->tuple_count)
        return TH_OK;
    th__sm_tuple *tuples = s->tuples.data + page->tuple;
    th_status status = TH_OK;
    qsort(tuples, page->tuple_count, sizeof *tuples, compare_tuples);
    for (uint32_t i = 1; !status && i < page->tuple_count; i++) {
        const th__sm_label *last =
            &s->labels.data[tuples[i - 1].label + tuples[i - 1].label_count - 1];
        if (last->end > tuples[i].begin)
            status = fail_overlap(s, number, last, &s->labels.data[tuples[i].label], err);
    }
    return status;
}

/* ---- separators ------------------------------------------------------------------------------ */

/* One more, from the state that the one before it leads to. */
static bool add_separator(th__sm_samples *s, th__sm_tuple *tuple, th__sm_state to, uint32_t at)
{
    th__sm_separator *last = s->separators.len ? &s->separators.data[s->separators.len - 1] : NULL;
    th__sm_separator separator = {
        .from = TH__SM_BEGIN, .to = to, .page = tuple->page, .at = at, .high = UINT32_MAX};
    if (last && last->page == tuple->page) {
        last->high = at;
        separator.since = last->at;
    }
    if (tuple->separator_count++)
        separator.from = last->to;
    return th__vec_push(&s->separators, separator);
}

/* (b, U, -U, N, -N, A, e): where a value follows another at once there is no dummy. */
static bool add_separators(th__sm_samples *s, th__sm_tuple *tuple)
{
    const th__sm_label *labels = s->labels.data + tuple->label;
    tuple->separator = (uint32_t)s->separators.len;
    for (uint32_t i = 0; i < tuple->label_count; i++) {
        uint32_t attribute = s->attributes.data[labels[i].attribute].same_as;
        bool last = i + 1 == tuple->label_count;
        if (!add_separator(s, tuple, th__sm_attribute_state(attribute), labels[i].begin))
            return false;
        if ((last || labels[i + 1].begin > labels[i].end) &&
            !add_separator(s, tuple, last ? TH__SM_END : th__sm_dummy_state(attribute),
                           labels[i].end))
            return false;
    }
    return true;
}

/* A field that is also alone has a state of its own. */
static th_status part_riders(th__sm_samples *s, th_error *err)
{
    for (size_t i = 0; i < s->labels.len; i++) {
        uint32_t k = s->labels.data[i].attribute;
        th__sm_attribute *a = &s->attributes.data[k];
        if (a->same_as == k)
            continue;
        if (!th__notes_add(s->notes,
                           "%.*s is at the place of %.*s in some records and elsewhere in others: "
                           "it is learnt from the latter",
                           TH_STR_ARG(a->path), TH_STR_ARG(s->attributes.data[a->same_as].path)))
            return th__fail_memory(err);
        a->same_as = k;
    }
    return TH_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Returns true if a label begins or ends inside a token of letters and digits. */
static bool cuts_tokens(const th__sm_tokens *tokens, const th_value *value)
{
    if (!value)
        return false;
    if (th_value_get_kind(value) != TH_VALUE_TEXT) {
        for (size_t i = 0; i < th_value_count(value); i++)
            if (cuts_tokens(tokens, th_value_item(value, i)))
                return true;
        return false;
    }
    th_span span = th_value_span(value);
    if (span.start >= span.end || span.end > tokens->page->text.len)
        return false;
    for (int end = 0; end < 2; end++) {
        uint32_t at = end ? span.end : span.start, t = token_after(tokens, at);
        if (t < tokens->len && tokens->data[t].cls == TH_CLASS_MIXED && tokens->data[t].start < at)
            return true;
    }
    return false;
}

static bool lex_pages(th__sm_samples *s, const th__corpus *corpus)
{
    bool cut = false;
    for (uint32_t i = 0; i < s->page_count; i++) {
        th__sm_page *page = &s->pages[i];
        const th_records *labels = corpus->pages[i].labels;
        const th_page *source = corpus->pages[i].page;
        if (!th__sm_lex(source, source->text.len, s->lexing, &page->tokens))
            return false;
        for (size_t r = 0; labels && !s->lexing.split && r < th_records_count(labels); r++)
            cut |= cuts_tokens(&page->tokens, th_records_get(labels, r));
    }
    if (!cut)
        return true;
    s->lexing.split = true;
    return lex_pages(s, corpus); /* once: split is set now */
}

static th_status find_place(const th__sm_page *page, th_span bytes, th_span *out, th_error *err)
{
    size_t len = page->tokens.page->text.len;
    if (bytes.end > len)
        return th__fail(err, TH_ERR_FORMAT,
                        "%.*s: a place is at bytes %u to %u, but the page has only %zu",
                        TH_STR_ARG(page->name), bytes.start, bytes.end, len);
    *out = tokens_of(&page->tokens, bytes);
    return TH_OK;
}

/* The places that a user has marked: the body, and places without tuples. */
static th_status read_places(th__sm_samples *s, th__sm_page *page, const th__corpus_page *given,
                             th_error *err)
{
    th_status status = given->body.end ? find_place(page, given->body, &page->body, err) : TH_OK;
    /* with room for what is outside of the body */
    page->nothing = th__arena_zero(&s->scratch, given->nothing_count + 2, sizeof *page->nothing);
    if (!page->nothing)
        return th__fail_memory(err);
    page->nothing_count = given->nothing_count;
    for (uint32_t i = 0; !status && i < given->nothing_count; i++)
        status = find_place(page, given->nothing[i], &page->nothing[i], err);
    return status;
}

/* A field that may have several values but never had is taken for one that comes once: pages repeat
 * their texts in other places. */
static void find_single(th__sm_samples *s)
{
    for (uint32_t k = 0; k < s->attributes.len; k++) {
        bool several = false;
        for (uint32_t t = 0; t < s->tuples.len && !several; t++) {
            uint32_t count = 0;
            const th__sm_tuple *tuple = &s->tuples.data[t];
            for (uint32_t i = 0; i < tuple->label_count; i++)
                count += s->labels.data[tuple->label + i].attribute == k;
            several = count > 1;
        }
        s->attributes.data[k].many &= several;
    }
}

static th_status read_labels(th__sm_samples *s, const th__corpus *corpus, const th_schema *schema,
                             th_error *err)
{
    struct label_walk w = {.samples = s, .err = err};
    const th_type *type = th_schema_record_type(schema);
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < s->page_count; i++) {
        th__sm_page *page = &s->pages[i];
        const th_records *labels = corpus->pages[i].labels;
        page->labelled = labels != NULL;
        page->sample = corpus->pages[i].sample;
        page->tuple = (uint32_t)s->tuples.len;
        w.page = i;
        for (size_t r = 0; labels && !status && r < th_records_count(labels); r++)
            status = add_tuple(&w, th_records_get(labels, r), type);
        page->tuple_count = (uint32_t)s->tuples.len - page->tuple;
        if (!status)
            status = sort_tuples(s, page, i, err);
        if (!status)
            status = read_places(s, page, &corpus->pages[i], err);
    }
    if (!status)
        status = part_riders(s, err);
    if (!status && s->one_record && !s->fields)
        find_single(s);
    for (size_t i = 0; !status && i < s->tuples.len; i++)
        if (!add_separators(s, &s->tuples.data[i]))
            status = th__fail_memory(err);
    if (!status && w.path.failed)
        status = th__fail_memory(err);
    th__buf_release(&w.path);
    return status;
}

th_status th__sm_samples_make(th__sm_samples *s, const th__corpus *corpus, const th_schema *schema,
                              const th__sm_rules *known, th_error *err)
{
    th__arena_init(&s->scratch);
    s->notes = corpus->notes;
    s->cancel = corpus->cancel;
    s->page_count = (uint32_t)corpus->count;
    s->one_record =
        known ? known->one_record : th_type_get_kind(th_schema_root(schema)) != TH_TYPE_LIST;
    s->pages = th__mem_zero(corpus->count + 1, sizeof *s->pages);
    if (!s->pages)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < s->page_count; i++)
        s->pages[i].name = corpus->pages[i].source.page;
    for (uint32_t k = 0; known && k < known->attribute_count; k++)
        if (!th__vec_push(&s->attributes, known->attributes[k]))
            return th__fail_memory(err);
    if (known)
        s->lexing = known->lexing;
    if (!lex_pages(s, corpus))
        return th__fail_memory(err);
    th_status status = read_labels(s, corpus, schema, err);
    if (!status && !s->tuples.len)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "no label was found on a page: there is nothing to learn from");
    return status;
}

/* ---- contexts of separators, and Algorithm 1 (section 3.1) -------------------------------------
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

/* `count` tokens on one side of a separator as a context, ground. */
static bool ground_context(const th__sm_samples *s, uint32_t page, uint32_t at, bool left,
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
    return ground_context(s, sep->page, sep->at, left, count, out);
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
        bool failed;
        found->count++;
        if (!th__sm_item_join(&found->item, item, paper, arena, &join, &failed))
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

/* Returns true if the contexts find the body of every page whose body is known. */
static bool find_bodies(const th__sm_samples *s, const th__sm_context *contexts, uint32_t count,
                        bool head)
{
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !finds_body(contexts, count, &s->pages[p], head))
            return false;
    return true;
}

/* Makes the contexts of one end of the bodies: `more` tokens longer than the bias; if `more` is 0,
 * each is long enough for its own page. */
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

/* Returns true if the labelled tuples of a page whose body is not known are in the one found.
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

/* h^L and t^R, where bodies are labelled. */
static th_status learn_body(th__sm_samples *s, th__sm_rules *rules, th_error *err)
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

/* Items of a class need not be ground: words on a value's side are data, and so are those after a
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
    enum { AS_IT_IS = 4 };
    th__sm_context *lefts, *rights;
    uint32_t count, kept = 0;
    bool begins = edge->from == TH__SM_BEGIN && !s->one_record && s->options.ground_html;
    if (!contexts_of(s, edge, true, &lefts, &count) ||
        !contexts_of(s, edge, false, &rights, &count))
        return false;
    loosen(lefts, count, TH_CLASS_BLANK);
    loosen(rights, count, TH_CLASS_BLANK);
    if (begins && edge->level < AS_IT_IS)
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
    *out = (th__sm_edge){edge->from, edge->to, kept, groups};
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

/* No tuple may begin at a place that a user has marked as without tuples. */
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

/* The edges of all labelled separators with their rules. */
static th_status learn_edges(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    struct edge_maker m = {.samples = s};
    bool ok = collect(&m) && make_edges(&m, rules);
    for (int round = 0; ok && s->options.check && round < ROUNDS && check(&m, rules); round++)
        ok = make_edges(&m, rules);
    uint64_t count = ok ? rules->pairs : 0;
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

/* ---- error recovery (section 3.3) ---------------------------------------------------------------
 *
 * The wrapper reads the page, and its moves are compared with the separators of the labelled
 * tuples. The first that differs shows the cause; figure 7, the decision tree, is lost, and this is
 * its reconstruction from the text and example 6. With p the state before, e what was read and e'
 * what is labelled, n and n' what follows:
 *
 *     e' = e ─┬─ ended early ──▶ the value is memorized: a string rule that stays in e
 *             ├─ ended late ───▶ a new instance of s<e,n'>
 *             └─ n' differs ───▶ a new instance of s<e,n'>
 *     e' ≠ e ─┬─ same place ───▶ not discernible by contexts: s<p,e'> with the left context as a
 *             │                  pattern and the value, memorized, as the right one
 *             └─ elsewhere ────▶ new instances of s<p,e'> and s<e',n'>
 *     e began at a wrong place ▶ what was read there is memorized: a string rule that stays in p
 *     e' was missed ───────────▶ a new instance of s<p,e'>
 *
 * A rule that stays is an edge from a state to itself: the paper's "?" written out for one string.
 * A transducer that reads left to right cannot be kept from ending a value early by a rule that
 * fits at its right end, only by one that fits where it went wrong.
 *
 * A new instance becomes a pattern rule by Algorithm 1; where that does not win against the rule
 * that went wrong it is made ground, then a string rule. So each separator is mended at most three
 * times, and the work ends.
 */

enum {
    PATTERN,
    GROUND,
    STRING,
    GIVEN_UP,
    BY_HEART = 1000 /* rules at most: a wrapper looks at all of a state where a value may begin */
};

struct mender {
    th__sm_samples *samples;
    th__sm_rules *rules;
    uint8_t *tries;         /* by separator of the samples */
    uint32_t added;         /* rules */
    th__sm_machine machine; /* without records: it keeps no values */
    th__sm_moves moves;     /* of the part of a page that was read last */
};

/* ---- adding rules ---------------------------------------------------------------------------- */

static th__sm_edge *edge_for(struct mender *m, th__sm_state from, th__sm_state to)
{
    for (uint32_t i = 0; i < m->rules->edge_count; i++)
        if (m->rules->edges[i].from == from && m->rules->edges[i].to == to)
            return &m->rules->edges[i];
    th__sm_edge *edges =
        th__arena_keep(m->samples->arena, m->rules->edges, m->rules->edge_count, sizeof *edges);
    if (!edges)
        return NULL;
    m->rules->edges = edges;
    edges[m->rules->edge_count] = (th__sm_edge){.from = from, .to = to};
    return &edges[m->rules->edge_count++];
}

static bool add_rule(struct mender *m, th__sm_state from, th__sm_state to,
                     const th__sm_context *left, const th__sm_context *right, bool string)
{
    th__arena *arena = m->samples->arena;
    th__sm_edge *edge = edge_for(m, from, to);
    th__sm_context *sides = th__arena_alloc(arena, 2 * sizeof *sides);
    th__sm_group *groups =
        edge ? th__arena_keep(arena, edge->groups, edge->group_count, sizeof *groups) : NULL;
    if (!sides || !groups)
        return false;
    sides[0] = *left;
    sides[1] = *right;
    groups[edge->group_count++] = (th__sm_group){&sides[0], &sides[1], 1, 1, string};
    edge->groups = groups;
    m->added++;
    return th__sm_rules_compile(m->rules, arena);
}

/* The tokens from a separator to another, `end`, as a ground context. */
static bool string_context(struct mender *m, uint32_t page, uint32_t at, uint32_t end,
                           th__sm_context *out)
{
    uint32_t count = end < at ? at - end : end - at;
    return ground_context(m->samples, page, at, end < at,
                          count < TH__SM_MAX_STRING ? count : TH__SM_MAX_STRING, out);
}

/* A rule of a labelled separator, stronger with each try. */
static bool add_instance(struct mender *m, uint32_t number)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    uint8_t try = m->tries[number]++;
    th__sm_context left, right;
    uint32_t one = 1;
    if (!th__sm_context_of(m->samples, sep, true, 0, &left) ||
        !th__sm_context_of(m->samples, sep, false, 0, &right))
        return false;
    if (try == PATTERN &&
        (!th__sm_generalize(&left, &one, &m->samples->options, m->samples->arena) ||
         !th__sm_generalize(&right, &one, &m->samples->options, m->samples->arena)))
        return false;
    return add_rule(m, sep->from, sep->to, &left, &right, try >= STRING);
}

/* The value is memorized on the right, example 6. */
static bool add_value_string(struct mender *m, uint32_t number, uint32_t end)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    th__sm_context left, right;
    m->tries[number] = GIVEN_UP;
    return th__sm_context_of(m->samples, sep, true, 0, &left) &&
           string_context(m, sep->page, sep->at, end, &right) &&
           add_rule(m, sep->from, sep->to, &left, &right, true);
}

/* Stays in a state at a separator: `low` to `high` are memorized around it. */
static bool add_stay(struct mender *m, th__sm_state state, uint32_t page, uint32_t at, uint32_t low,
                     uint32_t high)
{
    th__sm_context left, right;
    return string_context(m, page, at, low, &left) && string_context(m, page, at, high, &right) &&
           add_rule(m, state, state, &left, &right, true);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads on, up to a separator but not what happens there; keeps the moves of that alone. */
static bool read_to(struct mender *m, uint32_t page, uint64_t stop)
{
    const th__sm_tokens *tokens = &m->samples->pages[page].tokens;
    uint64_t most = tokens->len + (uint64_t)1;
    m->moves.len = 0;
    return th__sm_machine_read(&m->machine, tokens, (uint32_t)(stop < most ? stop : most));
}

/* The first move at or after a separator. */
static size_t first_move(const struct mender *m, uint32_t at)
{
    return th__count_first(i, m->moves.len, m->moves.data[i].at < at);
}

/* Returns true if a move agrees with the labels. The end of a tuple may wait for the next one's
 * beginning. A tuple of a list does not begin again at a later separator; at the first that is
 * labelled it may have begun already, with what has no label. */
static bool is_right(const struct mender *m, const th__sm_move *move, const th__sm_separator *sep)
{
    bool begins = move->restart || move->from == TH__SM_BEGIN;
    if (move->at != sep->at || (begins && sep->from != TH__SM_BEGIN && !m->rules->one_record))
        return false;
    if (move->to == sep->to)
        return true;
    return sep->to == TH__SM_END && th__sm_is_attribute(sep->from) && move->to == sep->from + 1;
}

/* ---- mending --------------------------------------------------------------------------------- */

/* The moves went to another state than labelled, at the right separator. */
static bool mend_target(struct mender *m, uint32_t number, size_t move, bool last)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_move *moves = m->moves.data;
    bool values = th__sm_is_attribute(sep->to) && th__sm_is_attribute(moves[move].to) &&
                  moves[move].to != sep->to; /* else a tuple is split */
    if (!values || last)
        return add_instance(m, number);
    uint32_t end = sep[1].at;
    bool same_place = move + 1 < m->moves.len && moves[move + 1].at == end;
    if (same_place)
        return add_value_string(m, number, end);
    bool ok = add_instance(m, number);
    if (ok && m->tries[number + 1] == PATTERN)
        ok = add_instance(m, number + 1);
    return ok;
}

/* Something happened before it should. */
static bool mend_early(struct mender *m, uint32_t number, size_t move)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    uint32_t at = m->moves.data[move].at, high;
    m->tries[number]++;
    if (th__sm_is_attribute(sep->from)) /* the value is memorized, from begin to end */
        return add_stay(m, sep->from, sep->page, at, sep->since, sep->at);
    high = move + 1 < m->moves.len ? m->moves.data[move + 1].at : at + 1;
    if (high <= at || high > sep->at)
        high = at + 1;
    return add_stay(m, m->moves.data[move].from, sep->page, at, at ? at - 1 : 0, high);
}

/* What follows a tuple and is read as a part of it: `move` is the first after its last separator.
 * Where a page is a record it is memorized as nothing; in a list the tuple's end is learnt. */
static bool mend_excess(struct mender *m, uint32_t number, size_t move)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_move *next = &m->moves.data[move];
    if (m->tries[number] >= GIVEN_UP)
        return true;
    if (!m->rules->one_record)
        return add_instance(m, number);
    m->tries[number]++;
    uint32_t high = move + 1 < m->moves.len ? next[1].at : next->at + 1;
    return add_stay(m, next->from, sep->page, next->at, next->at ? next->at - 1 : 0, high);
}

/* The first thing that is wrong with a tuple that was just read: its separator, the move there,
 * and *behind if that is after the tuple. Returns false if all is right. */
static bool find_wrong(const struct mender *m, const th__sm_tuple *tuple, uint32_t *number,
                       size_t *move, bool *behind)
{
    const th__sm_samples *s = m->samples;
    *behind = false;
    *move = first_move(m, s->separators.data[tuple->separator].at);
    for (uint32_t i = 0; i < tuple->separator_count; i++, ++*move) {
        *number = tuple->separator + i;
        if (*move == m->moves.len ||
            !is_right(m, &m->moves.data[*move], &s->separators.data[*number]))
            return true;
    }
    const th__sm_move *next = *move < m->moves.len ? &m->moves.data[*move] : NULL;
    *behind = !s->pages[tuple->page].sample && next && !next->restart &&
              next->from != TH__SM_BEGIN && th__sm_is_attribute(next->to);
    return *behind;
}

/* Mends the first thing that is wrong with a tuple that was just read. *wrong is true if
 * something was, *hopeless if it cannot be mended; *number is the separator. */
static bool mend_tuple(struct mender *m, const th__sm_tuple *tuple, bool *wrong, bool *hopeless,
                       uint32_t *number)
{
    size_t move;
    bool behind;
    *wrong = find_wrong(m, tuple, number, &move, &behind);
    *hopeless = false;
    if (!*wrong)
        return true;
    if (behind) {
        bool ok = mend_excess(m, *number, move);
        *hopeless = m->tries[*number] > GIVEN_UP;
        m->tries[*number] += m->tries[*number] == GIVEN_UP;
        return ok;
    }
    *hopeless = m->tries[*number] >= GIVEN_UP;
    if (*hopeless)
        return true;
    const th__sm_separator *sep = &m->samples->separators.data[*number];
    uint32_t at = move < m->moves.len ? m->moves.data[move].at : UINT32_MAX;
    bool last = *number + 1 == tuple->separator + tuple->separator_count;
    if (at > sep->at)
        return add_instance(m, *number);
    return at < sep->at ? mend_early(m, *number, move) : mend_target(m, *number, move, last);
}

static bool read_page(struct mender *m, uint32_t page)
{
    m->machine.now = th__sm_begin(m->rules);
    return read_to(m, page, UINT64_MAX);
}

/* Places without tuples: what begins there is memorized as none. */
static bool mend_nothing(struct mender *m, uint32_t page)
{
    const th__sm_page *p = &m->samples->pages[page];
    if (p->nothing_count && !read_page(m, page))
        return false;
    for (uint32_t i = 0; i < p->nothing_count; i++)
        for (uint32_t tries = 0; tries < p->nothing[i].end - p->nothing[i].start; tries++) {
            size_t move = first_move(m, p->nothing[i].start);
            if (move == m->moves.len || m->moves.data[move].at >= p->nothing[i].end ||
                !th__sm_is_attribute(m->moves.data[move].to) || m->added >= BY_HEART)
                break;
            uint32_t at = m->moves.data[move].at;
            if (!add_stay(m, m->moves.data[move].from, page, at, at ? at - 1 : 0,
                          p->nothing[i].end) ||
                !read_page(m, page))
                return false;
        }
    return true;
}

static bool note_hopeless(struct mender *m, uint32_t number)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t attribute = th__sm_is_attribute(sep->to) ? th__sm_attribute_of(sep->to)
                                                      : th__sm_attribute_of(sep->from);
    uint32_t at = sep->at < page->tokens.len ? page->tokens.data[sep->at].start : 0;
    return th__notes_add(m->samples->notes,
                         "%.*s: %.*s at byte %u is still read wrong: another rule of the same "
                         "strength matches there; learn the wrapper again with this label",
                         TH_STR_ARG(page->name), TH_STR_ARG(m->rules->attributes[attribute].path),
                         at);
}

/* Mends a tuple until it is right or hopeless. A page is read from where the tuple before begins
 * (*from, which becomes where this one does) to the end of the next: a rule may change how the one
 * ends, and the other shows if this one has ended. So a rule costs a part of the page. */
static bool mend_until_right(struct mender *m, uint32_t i, th__sm_position *from)
{
    const th__sm_samples *s = m->samples;
    const th__sm_tuple *tuple = &s->tuples.data[i], *next = tuple + 1;
    bool wrong = true, hopeless = false;
    uint32_t number = 0;
    uint64_t end = UINT64_MAX;
    th__sm_position here = *from;
    if (i + 1 < s->tuples.len && next->page == tuple->page)
        end = s->separators.data[next->separator + next->separator_count - 1].at + (uint64_t)1;
    while (wrong && !hopeless && m->added < BY_HEART) {
        m->machine.now = *from;
        if (th__cancelled(s->cancel) ||
            !read_to(m, tuple->page, s->separators.data[tuple->separator].at))
            return false;
        here = m->machine.now;
        if (!read_to(m, tuple->page, end) || !mend_tuple(m, tuple, &wrong, &hopeless, &number))
            return false;
    }
    *from = here;
    return !hopeless || note_hopeless(m, number);
}

static bool mend_all(struct mender *m)
{
    const th__sm_samples *s = m->samples;
    th__sm_position from = th__sm_begin(m->rules);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->tuples.len; i++) {
        if (i && s->tuples.data[i].page != s->tuples.data[i - 1].page)
            from = th__sm_begin(m->rules);
        ok = mend_until_right(m, i, &from);
    }
    for (uint32_t p = 0; ok && p < s->page_count; p++)
        ok = !th__cancelled(s->cancel) && mend_nothing(m, p);
    if (ok && m->added >= BY_HEART)
        ok = th__notes_add(s->notes,
                           "%d rules were added for single values, and others may still "
                           "be read wrong: the labelled places have too little in common",
                           BY_HEART);
    return ok;
}

/* Adds rules until the labelled tuples are read as labelled; a note names those that cannot be. The
 * rules are compiled, and are so afterwards. False if out of memory. */
static bool mend(th__sm_samples *samples, th__sm_rules *rules)
{
    struct mender m = {.samples = samples, .rules = rules, .machine.rules = rules};
    m.tries = th__mem_zero(samples->separators.len + 1, 1);
    m.machine.moves = &m.moves;
    bool ok = m.tries && mend_all(&m);
    th__mem_free(m.tries);
    th__vec_release(&m.moves);
    return ok;
}

/* What a state is called in a message: the field that is read there. */
static void name_state(const th__sm_rules *rules, th__sm_state state, th__buf *out)
{
    if (th__sm_is_attribute(state))
        th__buf_add_str(out, rules->attributes[th__sm_attribute_of(state)].path);
    else
        th__buf_add_str(out, TH_STR("no field"));
}

/* A note about `count` tuples that are misread; the first is wrong at a separator. */
static bool add_misread_note(const struct mender *m, uint32_t count, const th__sm_separator *sep,
                             th__sm_state is, th__sm_state should)
{
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t at = sep->at < page->tokens.len ? page->tokens.data[sep->at].start : 0;
    th__buf own = {0}, label = {0};
    name_state(m->rules, is, &own);
    name_state(m->rules, should, &label);
    bool ok = !own.failed && !label.failed &&
              th__notes_add(m->samples->notes,
                            "%.*s: the rules misread %u of %zu labelled records: at byte %u they "
                            "read %.*s, and the label says %.*s. Label more records, or correct "
                            "the wrapper (--correct)",
                            TH_STR_ARG(page->name), count, m->samples->tuples.len, at,
                            TH_STR_ARG(th__buf_str(&own)), TH_STR_ARG(th__buf_str(&label)));
    th__buf_release(&own);
    th__buf_release(&label);
    return ok;
}

/* Says in a note which labelled tuples the rules misread, if any. They are compiled. False if out
 * of memory. */
static bool note_misread(th__sm_samples *samples, const th__sm_rules *rules)
{
    struct mender m = {.samples = samples, .rules = (th__sm_rules *)rules, .machine.rules = rules};
    uint32_t count = 0, number, last = UINT32_MAX;
    th__sm_separator first = {0};
    th__sm_state is = 0, should = 0;
    bool ok = true, behind;
    size_t move;
    m.machine.moves = &m.moves;
    for (uint32_t i = 0; ok && i < samples->tuples.len; i++) {
        const th__sm_tuple *tuple = &samples->tuples.data[i];
        ok = tuple->page == last || read_page(&m, tuple->page);
        last = tuple->page;
        if (!ok || !find_wrong(&m, tuple, &number, &move, &behind))
            continue;
        const th__sm_separator *sep = &samples->separators.data[number];
        const th__sm_move *next = move < m.moves.len ? &m.moves.data[move] : NULL;
        if (!count++) {
            first = *sep;
            first.at = next && (behind || next->at < sep->at) ? next->at : sep->at;
            is = next && next->at == first.at ? next->to : TH__SM_END;
            should = behind || first.at < sep->at ? sep->from | 1 : sep->to;
        }
    }
    ok = ok && (!count || add_misread_note(&m, count, &first, is, should));
    th__vec_release(&m.moves);
    return ok;
}

/* ---- the order of learning ------------------------------------------------------------------- */

/* Returns true if the members of all tuples in the lists of a value are in the schema's order. The
 * depth is the schema's. */
static bool is_in_order(const th_value *value, bool in_list, uint32_t *pairs)
{
    bool list = th_value_get_kind(value) == TH_VALUE_LIST;
    uint32_t last = 0;
    for (size_t i = 0; i < th_value_count(value); i++) {
        const th_value *member = th_value_item(value, i);
        th_span hull = th__value_hull(member);
        if (!is_in_order(member, in_list || list, pairs) ||
            (in_list && !list && hull.end && hull.start < last))
            return false;
        *pairs += in_list && !list && hull.end && last;
        last = hull.end ? hull.start : last;
    }
    return true;
}

/* Returns true if labels show items with several members, and all in that order. */
static bool labels_in_order(const th__corpus *corpus)
{
    uint32_t pairs = 0;
    for (size_t p = 0; p < corpus->count; p++)
        for (size_t r = 0; corpus->pages[p].labels && r < th_records_count(corpus->pages[p].labels);
             r++)
            if (!is_in_order(th_records_get(corpus->pages[p].labels, r), false, &pairs))
                return false;
    return pairs;
}

/* How many pairs of alternatives the rules have at least when learning has ended: narrow
 * (softmealy_free.c) leaves each left alternative one right side. */
static uint64_t least_pairs(const th__sm_rules *rules)
{
    uint64_t least = 0;
    for (uint32_t e = 0; e < rules->edge_count; e++)
        for (uint32_t g = 0; g < rules->edges[e].group_count; g++)
            least += rules->edges[e].groups[g].left_count;
    return least;
}

/* Learning ends early, and *out is NULL, as soon as the rules have `enough` pairs of alternatives.
 * Where a page is not a record, each step adds to them. */
static th_status learn(const th__sm_options *options, th__sm_blanks blanks,
                       const th__corpus *corpus, th__arena *arena, const th_schema *schema,
                       uint64_t enough, th__sm_rules **out, th_error *err)
{
    th__sm_samples s = {.options = *options, .lexing.blanks = (uint8_t)blanks, .arena = arena};
    th__sm_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    th_status status =
        rules ? th__sm_samples_make(&s, corpus, schema, NULL, err) : th__fail_memory(err);
    if (!status) {
        rules->lexing = s.lexing;
        rules->resync = options->resync;
        rules->ground_html = options->ground_html;
        rules->one_record = s.one_record;
        rules->in_order = options->free_order && labels_in_order(corpus);
        status = take_attributes(&s, rules) ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status)
        status = learn_body(&s, rules, err);
    if (!status)
        status = learn_edges(&s, rules, err);
    bool few = !status && least_pairs(rules) < enough;
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (few && !status && options->free_order)
        status = th__sm_free_learn(&s, rules, err);
    few &= !status && rules->pairs < enough;
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (few && !status && !(options->check ? mend(&s, rules) : note_misread(&s, rules)))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < s.page_count; i++)
        corpus->pages[i].learnt = s.pages[i].tuple_count;
    th__sm_samples_release(&s);
    *out = few && rules->pairs < enough ? rules : NULL;
    return status;
}

/* Learns a second time with the ends of lines, and takes what has far fewer rules: what
 * distinguishes two attributes makes many rules needless, what does not makes more of them. */
static th_status try_lines(const th__sm_options *options, const th__corpus *corpus,
                           th__arena *arena, const th_schema *schema, th__sm_rules **rules,
                           th_error *err)
{
    th__sm_rules *other = NULL;
    th__notes notes;
    th__corpus again = *corpus;
    th__notes_init(&notes); /* the notes are those of the first time */
    again.notes = &notes;
    uint64_t enough = ((*rules)->pairs * 4 + 4) / 5; /* four fifths, rounded up */
    th_status status = learn(options, TH__SM_LINES, &again, arena, schema, enough, &other, err);
    th__notes_release(&notes);
    if (!status && other)
        *rules = other;
    return status;
}

th_status th__sm_learn(const th__sm_options *options, const th__corpus *corpus, th__arena *arena,
                       const th_schema *schema, th__sm_rules **out, th_error *err)
{
    th__sm_blanks blanks = options->no_blanks ? TH__SM_NO_BLANKS : TH__SM_ALL_BLANKS;
    th_status status = learn(options, blanks, corpus, arena, schema, UINT64_MAX, out, err);
    if (!status && options->no_blanks && !(*out)->one_record)
        status = try_lines(options, corpus, arena, schema, out, err);
    return status;
}

/* ---- correcting a wrapper -------------------------------------------------------------------- */

th_status th__sm_correct(const th__sm_options *options, const th__sm_fields *fields,
                         const th__corpus *corpus, th__sm_rules *rules, th__arena *arena,
                         th_error *err)
{
    th__sm_samples samples = {.options = *options, .arena = arena, .fields = fields};
    th_status status = th__sm_samples_make(&samples, corpus, corpus->schema, rules, err);
    bool body = false;
    for (uint32_t i = 0; !status && i < samples.page_count; i++)
        body |= samples.pages[i].body.end > 0;
    if (!status && body)
        status = learn_body(&samples, rules, err);
    /* Labels may have attributes that the wrapper did not have, or two of them at one place. */
    if (!status && (!take_attributes(&samples, rules) || !th__sm_rules_compile(rules, arena) ||
                    !mend(&samples, rules)))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < samples.page_count; i++)
        corpus->pages[i].learnt = samples.pages[i].tuple_count;
    th__sm_samples_release(&samples);
    return status;
}
