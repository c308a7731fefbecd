/* judge.c: labels decide how good a proposal is, those that it has not seen. */
#include "learn/learn.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/labels.h"
#include "data/record.h"

/* ---- texts of records, by field ---------------------------------------------------------------
 */

/* A text of a record with its field; and its place, also with its field. */
struct leaf {
    uint64_t hash;
    uint32_t record;
};

typedef TH__VEC(struct leaf) leaf_vec;

static uint64_t text_key(const th_value *value, uint64_t field)
{
    return th__hash_mix(field, th__text_key(th__value_text(value)));
}

/* A link may be labelled as it is written and come out absolute: its place is the same. */
static uint64_t place_key(const th_value *value, uint64_t field)
{
    return th__hash_mix(~field, (uint64_t)value->span.start << 32 | value->span.end);
}

/* The field that a child of a value belongs to, by names: schemas may differ in order. */
static uint64_t field_below(const th_value *value, uint32_t child, uint64_t field)
{
    if (value->kind != TH_VALUE_TUPLE)
        return field;
    th_str name = th_type_name(th__type_strip(value->type)->children[child]);
    return th__hash_mix(field, th__hash(name.ptr, name.len));
}

static bool add_leaves(const th_value *value, uint64_t field, uint32_t record, leaf_vec *out)
{
    if (value->kind == TH_VALUE_NULL)
        return true;
    if (value->kind == TH_VALUE_TEXT)
        return th__vec_push(out, (struct leaf){text_key(value, field), record}) &&
               (!value->span.end ||
                th__vec_push(out, (struct leaf){place_key(value, field), record}));
    for (uint32_t i = 0; i < value->count; i++) /* as deep as schemas are */
        if (!add_leaves(th__value_item(value, i), field_below(value, i, field), record, out))
            return false;
    return true;
}

static int by_hash(const void *a, const void *b)
{
    const struct leaf *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return left->record < right->record ? -1 : left->record > right->record;
}

/* The first leaf from a hash and record on, or NULL when it is of another hash. */
static const struct leaf *find_leaf(const leaf_vec *leaves, uint64_t hash, uint32_t record)
{
    struct leaf wanted = {hash, record};
    size_t low = 0, high = leaves->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_hash(&leaves->data[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < leaves->len && leaves->data[low].hash == hash ? &leaves->data[low] : NULL;
}

/* How many texts of a labelled value a record has in the same field; *all is how many there are. */
static uint32_t count_common(const leaf_vec *leaves, const th_value *label, uint64_t field,
                             uint32_t record, uint32_t *all)
{
    uint32_t common = 0;
    if (label->kind == TH_VALUE_NULL)
        return 0;
    if (label->kind == TH_VALUE_TEXT) {
        const struct leaf *text = find_leaf(leaves, text_key(label, field), record);
        const struct leaf *place =
            label->span.end ? find_leaf(leaves, place_key(label, field), record) : NULL;
        ++*all;
        return (text && text->record == record) || (place && place->record == record);
    }
    for (uint32_t i = 0; i < label->count; i++)
        common += count_common(leaves, th__value_item(label, i), field_below(label, i, field),
                               record, all);
    return common;
}

/* A labelled record, and the found one that is held against it. */
struct holder {
    const leaf_vec *leaves;
    const th_value *label;
    const bool *taken; /* by found record: it is held against another labelled one */
    uint32_t best;     /* texts that they have in common */
    uint32_t record;   /* UINT32_MAX: none */
};

/* The first record with a leaf that is not taken. */
static void try_leaf(struct holder *h, uint64_t hash)
{
    enum { TRIES = 64 }; /* of records that have the same text: others tell them apart */
    const struct leaf *leaf = find_leaf(h->leaves, hash, 0);
    const struct leaf *end = leaf ? h->leaves->data + h->leaves->len : NULL;
    for (int i = 0; leaf && i < TRIES && h->taken[leaf->record]; i++)
        leaf = leaf + 1 < end && leaf[1].hash == hash ? leaf + 1 : NULL;
    uint32_t all = 0;
    if (!leaf || h->taken[leaf->record])
        return;
    uint32_t common = count_common(h->leaves, h->label, 0, leaf->record, &all);
    if (common > h->best) {
        h->best = common;
        h->record = leaf->record;
    }
}

/* Holds the records that have a text of a labelled one against it, and keeps the best. */
static void try_holders(struct holder *h, const th_value *value, uint64_t field)
{
    if (value->kind == TH_VALUE_NULL)
        return;
    for (uint32_t i = 0; value->kind != TH_VALUE_TEXT && i < value->count; i++)
        try_holders(h, th__value_item(value, i), field_below(value, i, field));
    if (value->kind != TH_VALUE_TEXT)
        return;
    if (value->span.end)
        try_leaf(h, place_key(value, field));
    try_leaf(h, text_key(value, field));
}

/* ---- texts of a field -------------------------------------------------------------------------
 */

/* The first text below a value, or NULL. */
static const th_value *first_text(const th_value *value)
{
    const th_value *text = value->kind == TH_VALUE_TEXT ? value : NULL;
    for (uint32_t i = 0;
         !text && value->kind != TH_VALUE_NULL && value->kind != TH_VALUE_TEXT && i < value->count;
         i++)
        text = first_text(th__value_item(value, i)); /* as deep as schemas are */
    return text;
}

/* The same text, or the same place: a link may be labelled as it is written and come out absolute.
 */
static bool has_text(const th_value *member, const th_value *text)
{
    if (!member)
        return false;
    if (member->kind == TH_VALUE_TEXT)
        return th__text_key(th__value_text(member)) == th__text_key(th__value_text(text)) ||
               (text->span.end && member->span.start == text->span.start &&
                member->span.end == text->span.end);
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
        if (has_text(th__value_item(member, i), text))
            return true;
    return false;
}

/* How many texts of a flat value are not in the other. Lists that are right are equal, text by
 * text: only other texts are searched for. */
static size_t count_extra(const th_value *value, const th_value *other)
{
    size_t extra = 0;
    if (value->kind == TH_VALUE_TEXT)
        return !has_text(other, value);
    bool list = other->kind == TH_VALUE_LIST;
    for (uint32_t i = 0; value->kind == TH_VALUE_LIST && i < value->count; i++) {
        const th_value *text = th__value_item(value, i);
        extra += text->kind == TH_VALUE_TEXT &&
                 !(list && i < other->count && has_text(th__value_item(other, i), text)) &&
                 !has_text(other, text);
    }
    return extra;
}

/* How many texts of a flat value a labelled record has in any of its fields. */
static size_t count_strays(const th_value *value, const th_value *label)
{
    size_t strays = 0;
    for (uint32_t i = 0; value->kind == TH_VALUE_LIST && i < value->count; i++)
        strays += count_strays(th__value_item(value, i), label);
    for (uint32_t f = 0; value->kind == TH_VALUE_TEXT && !strays && f < label->count; f++)
        strays = has_text(th__value_item(label, f), value);
    return strays;
}

static size_t count_texts(const th_value *value)
{
    size_t count = 0;
    if (!value || value->kind == TH_VALUE_NULL || value->kind == TH_VALUE_TEXT)
        return value && value->kind == TH_VALUE_TEXT;
    for (uint32_t i = 0; i < value->count; i++)
        count += count_texts(th__value_item(value, i));
    return count;
}

/* How much two texts share of all that one or the other has on the page. A text with dots around
 * the value is nearly it; a text of two fields is half of each. */
static double shared_part(const th_value *left, const th_value *right)
{
    th_span a = left->span, b = right->span;
    if (a.start >= b.end || b.start >= a.end)
        return 0;
    uint32_t shared = (a.end < b.end ? a.end : b.end) - (a.start > b.start ? a.start : b.start);
    return (double)shared / ((a.end - a.start) + (b.end - b.start) - shared);
}

/* Of a labelled text that was not found: what the text that is most like it shares with it. */
static double overlap(const th_value *found, const th_value *label)
{
    double best = 0;
    if (!found || found->kind == TH_VALUE_NULL)
        return 0;
    if (found->kind == TH_VALUE_TEXT)
        return found->count ? shared_part(found, label) : 0;
    for (uint32_t i = 0; i < found->count; i++) {
        double one = overlap(th__value_item(found, i), label); /* as deep as schemas are */
        best = one > best ? one : best;
    }
    return best;
}

/* What the texts of a label are worth that a record does not have as they are. */
static double near_texts(const leaf_vec *leaves, const th_value *label, uint64_t field,
                         uint32_t record, const th_value *found)
{
    double near = 0;
    if (label->kind == TH_VALUE_NULL)
        return 0;
    if (label->kind == TH_VALUE_TEXT) {
        uint32_t all = 0;
        return count_common(leaves, label, field, record, &all) ? 1 : overlap(found, label);
    }
    for (uint32_t i = 0; i < label->count; i++)
        near += near_texts(leaves, th__value_item(label, i), field_below(label, i, field), record,
                           found);
    return near;
}

static const th_value *member_named(const th_value *record, th_str name)
{
    const th_type *tuple = record ? th__type_strip(record->type) : NULL;
    for (uint32_t i = 0; record && record->kind == TH_VALUE_TUPLE && i < record->count; i++)
        if (th__str_eq(th_type_name(tuple->children[i]), name))
            return th__value_item(record, i);
    return NULL;
}

/* ---- records ----------------------------------------------------------------------------------
 */

struct judge {
    bool lists, sample;
    leaf_vec leaves;
    th__judge_visit visit;
    void *context;
    th__judged *out;
};

/* One labelled record against the one that has most of it, `number`, which may be NULL. */
static bool judge_record(struct judge *j, const th_value *label, const th_value *record,
                         uint32_t number)
{
    const th_type *tuple = th__type_strip(label->type);
    for (uint32_t f = 0; label->kind == TH_VALUE_TUPLE && f < label->count; f++) {
        const th_value *wanted = th__value_item(label, f);
        const th_value *own = member_named(record, th_type_name(tuple->children[f]));
        uint64_t field = field_below(label, f, 0);
        uint32_t all = 0;
        uint32_t common = count_common(&j->leaves, wanted, field, number, &all);
        size_t texts = count_texts(own);
        size_t extra = texts > common ? texts - common : 0;
        if (extra && (own->kind == TH_VALUE_TEXT || first_text(own) == th_value_item(own, 0)))
            extra = count_extra(own, wanted);
        /* What was labelled is all there is, unless it is an example. */
        bool part = j->sample || wanted->unknown;
        bool right = common == all && (part || !extra);
        j->out->wanted += all;
        j->out->common += common;
        j->out->near += common == all ? all : near_texts(&j->leaves, wanted, field, number, own);
        /* Labels of a list may leave a field out that a record has; but a value that is labelled in
         * one field and found in another strays. */
        if (j->lists && !all && extra)
            extra = count_strays(own, label);
        /* A text in the place of a labelled one counts once: see `near`. */
        extra -= extra < all - common ? extra : all - common;
        j->out->extra += part ? 0 : extra;
        j->out->wrong += all && !right;
        if (j->visit && (all || (!j->lists && !wanted->unknown)) &&
            !j->visit(&(th__judged_field){f, wanted, own, all, right}, j->context))
            return false;
    }
    return true;
}

/* Where no record has any text of a labelled one: the record around its first text. This looks at
 * all records, but only for labels that went wrong. */
static uint32_t record_around(const th_records *found, const th_value *label)
{
    const th_value *text = first_text(label);
    uint32_t r = 0, count = text ? (uint32_t)th_records_count(found) : 0;
    for (; r < count; r++) {
        th_span span = th_value_span(th_records_get(found, r));
        if (span.start <= text->span.start && text->span.end <= span.end)
            return r;
    }
    return UINT32_MAX;
}

static bool is_list(const th_records *records)
{
    return th__type_strip(th_schema_root(th_records_schema(records)))->kind == TH_TYPE_LIST;
}

bool th__judge_records(const th_records *found, const th_records *labels, th__label_part part,
                       bool sample, th__judge_visit visit, void *context, th__judged *out)
{
    struct judge j = {
        .lists = is_list(found), .sample = sample, .visit = visit, .context = context, .out = out};
    bool *taken = th__mem_zero(th_records_count(found) + 1, sizeof *taken);
    bool ok = taken;
    for (uint32_t r = 0; ok && r < th_records_count(found) && (j.lists || !r); r++)
        ok = add_leaves(th_records_get(found, r), 0, r, &j.leaves);
    if (j.leaves.len)
        qsort(j.leaves.data, j.leaves.len, sizeof *j.leaves.data, by_hash);
    for (size_t r = part.first; ok && r < th_records_count(labels) && (j.lists || !r);
         r += part.step) {
        const th_value *label = th_records_get(labels, r);
        struct holder h = {&j.leaves, label, taken, 0, j.lists ? UINT32_MAX : 0};
        if (j.lists)
            try_holders(&h, label, 0);
        if (j.lists && !h.best)
            h.record = record_around(found, label);
        const th_value *own = NULL;
        if (h.record < th_records_count(found) && !taken[h.record])
            own = th_records_get(found, h.record);
        if (own)
            taken[h.record] = true;
        ok = judge_record(&j, label, own, own ? h.record : UINT32_MAX);
    }
    th__mem_free(taken);
    th__vec_release(&j.leaves);
    return ok;
}

/* ---- labels held out --------------------------------------------------------------------------
 */

#define ALL SIZE_MAX

/* What is held out: the labels of a page, or a part of its records. */
struct held_out {
    size_t page; /* ALL: nothing */
    th__label_part part;
};

static bool is_part(const struct held_out *held)
{
    return held->part.step > 1;
}

/* Labels of a page, all but a part. NULL if out of memory. */
static th_records *other_labels(const th_records *labels, th__label_part part, th__arena *arena)
{
    th_records *some = th__arena_zero(arena, 1, sizeof *some);
    th_value **values = th__arena_zero(arena, labels->values.len + 1, sizeof *values);
    if (!some || !values)
        return NULL;
    *some = *labels;
    some->values.data = values;
    some->values.len = 0;
    for (size_t i = 0; i < labels->values.len; i++)
        if (i < part.first || (i - part.first) % part.step)
            values[some->values.len++] = labels->values.data[i];
    return some;
}

/* Learns from all labels but those held out. */
static th_status learn(th__learner *learner, const th__engine *engine, struct held_out held,
                       bool exact, th__notes *notes, th_wrapper **out, th_error *err)
{
    th__arena arena;
    th_wrapper *wrapper = th__wrapper_new(engine);
    th__arena_init(&arena);
    th__corpus corpus = {.pages = th__learner_corpus(learner, &arena),
                         .count = learner->kept.len,
                         .schema = learner->label_schema,
                         .notes = notes,
                         .cancel = &learner->options.cancel,
                         .exact = exact};
    th_status status = wrapper && corpus.pages ? TH_OK : th__fail_memory(err);
    if (!status && held.page < corpus.count) {
        th__corpus_page *page = &corpus.pages[held.page];
        page->labels = is_part(&held) ? other_labels(page->labels, held.part, &arena) : NULL;
        page->sample |= is_part(&held); /* what is held out is there, without labels */
        if (is_part(&held) && !page->labels)
            status = th__fail_memory(err);
    }
    if (!status)
        status = engine->learn_corpus(&learner->options, &corpus, &wrapper->arena, &wrapper->schema,
                                      &wrapper->rules, err);
    if (!status && held.page == ALL && !th__learner_count(learner, &corpus, wrapper))
        status = th__fail_memory(err);
    th__arena_release(&arena);
    if (status) {
        th_wrapper_free(wrapper);
        wrapper = NULL;
    }
    *out = wrapper;
    return status;
}

th_status th__judge_learn(th__learner *learner, const th__engine *engine, bool exact,
                          th__notes *notes, th_wrapper **out, th_error *err)
{
    return learn(learner, engine, (struct held_out){ALL, TH__LABELS_ALL}, exact, notes, out, err);
}

/* Returns true if a text below a value is inside one of some spans. */
static bool is_among(const th_value *value, const th_span *spans, uint32_t count)
{
    bool among = false;
    if (value->kind == TH_VALUE_NULL)
        return false;
    for (uint32_t i = 0; value->kind == TH_VALUE_TEXT && !among && i < count; i++)
        among = value->span.start < spans[i].end && spans[i].start < value->span.end;
    for (uint32_t i = 0; value->kind != TH_VALUE_TEXT && !among && i < value->count; i++)
        among = is_among(th__value_item(value, i), spans, count); /* as deep as schemas are */
    return among;
}

/* The first text of a page that is not found when its label is held out. */
struct first_missing {
    th_str field;
    const th_value *text;
    const th_type *tuple;
};

static bool find_missing(const th__judged_field *field, void *context)
{
    struct first_missing *first = context;
    if (!field->right && field->texts && !first->text) {
        first->text = first_text(field->label);
        first->field = th_type_name(first->tuple->children[field->field]);
    }
    return true;
}

static bool add_stretches(const th_value *value, uint32_t record, th__stretch_vec *out)
{
    if (value->kind == TH_VALUE_TEXT)
        return value->span.end <= value->span.start || !th_value_text(value).len ||
               th__vec_push(out,
                            (th__stretch){value->span, record, (double)th_value_text(value).len});
    for (uint32_t i = 0; value->kind != TH_VALUE_NULL && i < value->count; i++)
        if (!add_stretches(th__value_item(value, i), record, out)) /* as deep as schemas are */
            return false;
    return true;
}

int th__stretch_order(const void *a, const void *b)
{
    const th__stretch *left = a, *right = b;
    return left->span.start < right->span.start ? -1 : left->span.start > right->span.start;
}

bool th__stretches_add(const th_records *records, th__stretch_vec *out)
{
    for (size_t r = 0; records && r < th_records_count(records); r++)
        if (!add_stretches(th_records_get(records, r), (uint32_t)r, out))
            return false;
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, th__stretch_order);
    return true;
}

size_t th__judge_filled(const th_records *records, const th_type *fields)
{
    size_t filled = 0;
    for (size_t r = 0; r < th_records_count(records); r++)
        for (uint32_t f = 0; f < fields->count; f++)
            filled += fields->children[f]->kind != TH_TYPE_OPTIONAL &&
                      th__value_item(th_records_get(records, r), f)->kind != TH_VALUE_NULL;
    return filled;
}

size_t th__judge_unwanted(const th__learner *learner, const th__kept_page *kept,
                          const th_records *found)
{
    const th__label_page *given = &learner->labels->pages.data[kept->label_page];
    size_t unwanted = 0;
    for (size_t r = 0; given->nothing_count && r < th_records_count(found); r++)
        unwanted += is_among(th_records_get(found, r), given->nothing, given->nothing_count);
    return unwanted;
}

/* What a wrapper gives for labels of a page. The first text that is missing is told in the notes,
 * unless they are NULL. */
static th_status judge_page(const th__learner *learner, const th_wrapper *wrapper,
                            const th__kept_page *kept, th__label_part part, th__notes *notes,
                            bool *noted, double *out, th_error *err)
{
    const th_records *labels = th_located_records(kept->located);
    th_records *found = NULL;
    th__judged judged = {0};
    struct first_missing missing = {
        .tuple = th__type_strip(th_schema_record_type(th_records_schema(labels)))};
    th_status status = th_wrapper_extract(wrapper, kept->page, NULL, &found, err);
    if (!status &&
        !th__judge_records(found, labels, part, kept->sample, find_missing, &missing, &judged))
        status = th__fail_memory(err);
    *out = status ? 0 : th__judged_worth(&judged);
    if (!status)
        *out /= 1 + (double)th__judge_unwanted(learner, kept, found);
    if (!status && notes && !*noted && missing.text) {
        *noted = true;
        if (!th__notes_add(
                notes,
                "%.*s: when its label is held out, engine %s finds %.0f%% of it, but not "
                "%.*s \"%.*s\" (bytes %u-%u). Check that label, or label one more "
                "page like this one",
                TH_STR_ARG(kept->name), wrapper->engine->name, 100 * *out,
                TH_STR_ARG(missing.field), TH_STR_ARG(th__value_text(missing.text)),
                missing.text->span.start, missing.text->span.end))
            status = th__fail_memory(err);
    }
    th_records_free(found);
    return status;
}

/* Learns without some labels, and judges by those. */
static th_status judge_without(th__learner *learner, const th__engine *engine, struct held_out held,
                               th__notes *notes, bool *noted, double *out, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th__notes own;
    *out = 0;
    th__notes_init(&own);
    th_status status = learn(learner, engine, held, false, &own, &wrapper, err);
    if (!status)
        status = judge_page(learner, wrapper, &learner->kept.data[held.page], held.part, notes,
                            noted, out, err);
    else if (status != TH_ERR_MEMORY)
        status = TH_OK; /* too little is left to learn from */
    th_wrapper_free(wrapper);
    th__notes_release(&own);
    return status;
}

/* Of the records of a page some are held out, from all over the list: one after the other, or of
 * many a part together. Of those the first and the last are not: they show where the list begins
 * and ends. */
static th_status judge_without_records(th__learner *learner, const th__engine *engine, size_t page,
                                       double *out, th_error *err)
{
    enum { MANY = 7, LEFT = 4 }; /* of each LEFT records one is held out at most */
    size_t count = th_records_count(th_located_records(learner->kept.data[page].located));
    size_t first = count >= MANY, inner = count - 2 * first;
    size_t parts = inner < TH__JUDGE_PAGES ? inner : TH__JUDGE_PAGES, step = SIZE_MAX / 2;
    double one = 0;
    bool noted = true;
    th_status status = TH_OK;
    *out = 0;
    if (first) {
        step = inner / parts > LEFT ? inner / parts : LEFT;
        step += (count - 1 - first) % step == 0;
        parts = 1;
    }
    for (size_t i = 0; !status && i < parts; i++) {
        struct held_out held = {page, {first + i * inner / parts, step}};
        status = judge_without(learner, engine, held, NULL, &noted, &one, err);
        *out += one / (double)parts;
    }
    return status;
}

/* What an engine is worth by labels that it has not seen. It ends early where that cannot be more
 * than `least`: *out is what it is at most. */
static th_status judge_unseen(th__learner *learner, const th__engine *engine, double least,
                              th__notes *notes, double *out, th_error *err)
{
    size_t left = learner->labelled < TH__JUDGE_PAGES ? learner->labelled : TH__JUDGE_PAGES;
    double all = (double)left, lost = 0, one;
    bool alone = learner->labelled < 2; /* then the page cannot be held out */
    bool noted = false;
    th_status status = TH_OK;
    *out = 1;
    for (size_t p = 0; !status && left && *out > least && p < learner->kept.len; p++) {
        const th_located *located = learner->kept.data[p].located;
        if (!located)
            continue;
        one = 1;
        if (!alone)
            status = judge_without(learner, engine, (struct held_out){p, TH__LABELS_ALL}, notes,
                                   &noted, &one, err);
        else if (th_records_count(th_located_records(located)) >= TH__JUDGE_RECORDS)
            status = judge_without_records(learner, engine, p, &one, err);
        lost += 1 - one;
        *out = 1 - lost / all;
        left--;
    }
    return status;
}

/* What a wrapper gives of the labels that it was learnt from: 0 to 1. */
static th_status judge_seen(th__learner *learner, const th_wrapper *wrapper, double *out,
                            th_error *err)
{
    double sum = 0, one;
    size_t judged = 0;
    bool noted = true;
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && judged < TH__JUDGE_PAGES; p++) {
        if (!learner->kept.data[p].located)
            continue;
        status = judge_page(learner, wrapper, &learner->kept.data[p], TH__LABELS_ALL, NULL, &noted,
                            &one, err);
        sum += one;
        judged++;
    }
    *out = judged ? sum / (double)judged : 0;
    return status;
}

th_status th__judge_paths(th__learner *learner, th__path_rules *without, const th_wrapper *paths,
                          double *worth, th_error *err)
{
    double sum = 0, one;
    size_t judged = 0;
    bool noted = true;
    th_wrapper *wrapper = th__wrapper_new(&th__paths_engine);
    th_status status = wrapper ? TH_OK : th__fail_memory(err);
    if (wrapper)
        wrapper->schema = th_schema_retain(learner->label_schema);
    for (size_t p = 0; !status && without && p < learner->kept.len && judged < TH__JUDGE_PAGES;
         p++) {
        if (!learner->kept.data[p].located)
            continue;
        wrapper->rules = &without[judged++];
        status = judge_page(learner, wrapper, &learner->kept.data[p], TH__LABELS_ALL, NULL, &noted,
                            &one, err);
        sum += one;
    }
    *worth = judged ? sum / (double)judged : 1;
    if (!status && learner->labelled <= 2) {
        status = judge_seen(learner, paths, &one, err);
        *worth *= one;
    }
    th_wrapper_free(wrapper);
    return status;
}

th_status th__judge_engine(th__learner *learner, const th__engine *engine, double least,
                           th__notes *notes, th_wrapper **out, double *worth, th_error *err)
{
    double seen;
    th__notes held_out;
    th__notes_init(&held_out);
    th_status status = judge_unseen(learner, engine, least, &held_out, worth, err);
    if (!status && !*out && *worth > least)
        status = th__judge_learn(learner, engine, false, notes, out, err);
    /* Rules of one page say little of those of two: labels that the latter do not give count too.
     */
    if (!status && *out && learner->labelled <= 2) {
        status = judge_seen(learner, *out, &seen, err);
        *worth *= seen;
    }
    for (size_t i = 0; !status && i < held_out.lines.len; i++)
        if (!th__notes_copy(notes, &held_out.lines.data[i]))
            status = th__fail_memory(err);
    th__notes_release(&held_out);
    if (status) {
        th_wrapper_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- what is told ------------------------------------------------------------------------------
 *
 * The wrapper that was taken runs on the labelled pages once more: whichever engine it is of, what
 * is told is what a user will see.
 */

/* How a field does on labelled pages, or in labelled records of lists. */
struct fit {
    uint32_t all, right;
    uint32_t wrong_page;
    th_str label, found; /* of that page, as told; in the arena */
    bool empty;          /* nothing was found there */
};

struct teller {
    th__learner *learner;
    th__arena arena;
    const th_type *tuple; /* of the labels */
    bool lists;
    uint32_t page;    /* at hand */
    struct fit *fits; /* by field */
};

/* The first text that the other does not have; of one that has all, the first. */
static const th_value *telling_text(const th_value *member, const th_value *other)
{
    const th_value *first = NULL;
    if (!member || member->kind == TH_VALUE_NULL || member->kind == TH_VALUE_TEXT)
        return member && member->kind == TH_VALUE_TEXT ? member : NULL;
    for (uint32_t i = 0; i < member->count; i++) { /* as deep as schemas are */
        const th_value *text = telling_text(th__value_item(member, i), other);
        if (text && member->kind == TH_VALUE_LIST && !has_text(other, text))
            return text;
        first = first ? first : text;
    }
    return first;
}

static bool tell(const th_value *value, th__arena *arena, th_str *out)
{
    th__buf text = {0};
    if (value && value->span.end > value->span.start)
        th__buf_printf(&text, "\"%.*s\" (bytes %u-%u)", TH_STR_ARG(th__value_text(value)),
                       value->span.start, value->span.end);
    else if (value)
        th__buf_printf(&text, "\"%.*s\"", TH_STR_ARG(th__value_text(value)));
    else
        th__buf_printf(&text, "nothing");
    *out = text.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

/* What would help. */
static const char *advice(const struct fit *fit, bool lists)
{
    if (lists)
        return fit->empty ? "Check that the value belongs to this record"
                          : "Label all of that text, or one more record";
    if (fit->all == 1)
        return "Choose the place with --at, or label one more page";
    return fit->right ? "Check that label, or label one more page like this one"
                      : "No rule holds for two of these labels: check them";
}

static bool note_fits(const struct teller *c, th__notes *notes)
{
    for (uint32_t f = 0; f < c->tuple->count; f++) {
        const struct fit *fit = &c->fits[f];
        if (fit->right < fit->all &&
            !th__notes_add(notes,
                           "%.*s: correct %s %u of %u labelled %s. On %.*s the label is %.*s and "
                           "the rules find %.*s. %s",
                           TH_STR_ARG(th_type_name(c->tuple->children[f])), c->lists ? "in" : "on",
                           fit->right, fit->all, c->lists ? "records" : "pages",
                           TH_STR_ARG(c->learner->kept.data[fit->wrong_page].name),
                           TH_STR_ARG(fit->label), TH_STR_ARG(fit->found), advice(fit, c->lists)))
            return false;
    }
    return true;
}

static bool see_field(const th__judged_field *field, void *context)
{
    struct teller *c = context;
    struct fit *fit = &c->fits[field->field];
    fit->all++;
    fit->right += field->right;
    if (field->right || fit->label.ptr)
        return true;
    const th_value *instead = telling_text(field->found, field->label);
    fit->wrong_page = c->page;
    fit->empty = !instead;
    return tell(telling_text(field->label, field->found), &c->arena, &fit->label) &&
           tell(instead, &c->arena, &fit->found);
}

th_status th__judge_tell(th__learner *learner, const th_wrapper *wrapper, th__notes *notes,
                         size_t *wrong, th_error *err)
{
    struct teller c = {.learner = learner,
                       .tuple = th__type_strip(th_schema_record_type(learner->label_schema))};
    th__judged judged = {0};
    th__arena_init(&c.arena);
    c.fits = th__arena_zero(&c.arena, c.tuple->count + 1, sizeof *c.fits);
    th_status status = c.fits ? TH_OK : th__fail_memory(err);
    for (c.page = 0; !status && c.page < learner->kept.len; c.page++) {
        const th__kept_page *kept = &learner->kept.data[c.page];
        th_records *found = NULL;
        if (!kept->located)
            continue;
        status = th_wrapper_extract(wrapper, kept->page, NULL, &found, err);
        c.lists = !status && is_list(found);
        if (!status && !th__judge_records(found, th_located_records(kept->located), TH__LABELS_ALL,
                                          kept->sample, see_field, &c, &judged))
            status = th__fail_memory(err);
        size_t unwanted = status ? 0 : th__judge_unwanted(learner, kept, found);
        judged.wrong += unwanted;
        if (!status && notes && unwanted &&
            !th__notes_add(notes,
                           "%.*s: %zu of the records are where the labels say that there is none. "
                           "Label more records",
                           TH_STR_ARG(kept->name), unwanted))
            status = th__fail_memory(err);
        th_records_free(found);
    }
    if (!status && notes && !note_fits(&c, notes))
        status = th__fail_memory(err);
    *wrong = judged.wrong;
    th__arena_release(&c.arena);
    return status;
}

/* An engine may read labels that have nothing in common, each by a rule of its own. Then the place
 * rules, which cannot, tell which field and page it is. */
th_status th__judge_tell_apart(th__learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *fits, th_error *err)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(learner->label_schema));
    size_t wrong;
    th_status status = th__judge_tell(learner, wrapper, NULL, &wrong, err);
    for (uint32_t f = 0; !status && !wrong && f < tuple->count; f++)
        if (fits[f].right < fits[f].pages &&
            !th__notes_add(learner->notes,
                           "%.*s: one rule is correct on %u of %u labelled pages, but not on %.*s. "
                           "Engine %s has more rules, which may be wrong on other pages. Check "
                           "that label, or label one more page like this one",
                           TH_STR_ARG(th_type_name(tuple->children[f])), fits[f].right,
                           fits[f].pages, TH_STR_ARG(learner->kept.data[fits[f].wrong_page].name),
                           wrapper->engine->name))
            status = th__fail_memory(err);
    return status;
}
