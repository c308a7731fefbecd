/*
 * softmealy_samples.c: labelled pages become tuples and separators.
 *
 * A value inside a tag is that tag: the transducer reads whole tokens, and the
 * attribute is taken out of the tag afterwards (the paper's footnote to
 * section 2.4). Two fields at the same place, such as the link and the title of
 * one tag, share a state.
 */
#include "engine/papers/softmealy/softmealy.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/schema.h"

bool th__sm_samples_attributes(const th__sm_samples *s, th__sm_rules *rules)
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

/* ---- the fields of a schema, flat: what attributes can be ------------------------------------ */

/* As deep as a schema is. */
static bool list_fields(const th_type *type, bool many, th__buf *path, th__arena *arena,
                        th__sm_fields *out)
{
    size_t mark = path->len;
    bool ok = true;
    if (th_type_get_kind(type) == TH_TYPE_FIELD) {
        th__sm_field field = {th__arena_copy(arena, th__buf_str(path)), many};
        return field.path.ptr && th__vec_push(out, field);
    }
    many |= th_type_get_kind(type) == TH_TYPE_LIST;
    for (size_t i = 0; ok && i < th_type_count(type); i++) {
        const th_type *child = th_type_child(type, i);
        if (th_type_get_kind(type) == TH_TYPE_TUPLE) {
            th_str name = th_type_name(child);
            th__buf_printf(path, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        }
        ok = list_fields(child, many, path, arena, out);
        path->len = mark;
    }
    return ok && !path->failed;
}

bool th__sm_fields_list(const th_schema *schema, th__arena *arena, th__sm_fields *out)
{
    th__buf path = {0};
    bool ok = list_fields(th_schema_record_type(schema), false, &path, arena, out);
    th__buf_release(&path);
    return ok;
}

uint32_t th__sm_fields_find(const th__sm_fields *fields, th_str path)
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
        leaf = th__sm_fields_find(s->fields, th__buf_str(&w->path));
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

/* The tokens from one byte to another, which is behind it. */
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
            /* "Canon" and "Canon USA" of one field at one place: the longer says both */
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
    th__sm_tuple *tuples = s->tuples.data + page->tuple;
    th_status status = TH_OK;
    if (page->tuple_count)
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

/* Where somebody says that there are tuples, and that there are none. */
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
 * what they say in other places. */
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
