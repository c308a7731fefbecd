/*
 * label_check.c: what a wrapper does not find as it is labelled.
 *
 * The wrapper that was taken runs on the labelled pages once more: whichever engine it is of, what
 * is told is what a user will see.
 */
#include <stdlib.h>

#include "base/error.h"
#include "data/record.h"
#include "learn/learn.h"

/* How a field does on labelled pages, or in labelled records of lists. */
struct fit {
    uint32_t all, right;
    uint32_t wrong_page;
    th_str label, found; /* of that page, as told; in the arena */
    bool empty;          /* nothing was found there */
};

/* ---- texts of a member ----------------------------------------------------------------------- */

/* The same text, or the same place: a link may be labelled as it is written and come out absolute.
 */
static bool has_text(const th_value *member, const th_value *text)
{
    if (!member)
        return false;
    if (member->kind == TH_VALUE_TEXT)
        return th__text_hash(th__value_text(member)) == th__text_hash(th__value_text(text)) ||
               (text->span.end && member->span.start == text->span.start &&
                member->span.end == text->span.end);
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
        if (has_text(th__value_item(member, i), text))
            return true;
    return false;
}

/* Returns true if all texts of a member are in another. */
static bool is_within(const th_value *member, const th_value *other)
{
    if (!member || member->kind == TH_VALUE_NULL)
        return true;
    if (member->kind == TH_VALUE_TEXT)
        return has_text(other, member);
    /* Lists that are right are equal, text by text: only other texts are searched for. */
    bool list = other && other->kind == TH_VALUE_LIST;
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++) {
        const th_value *text = th__value_item(member, i);
        if (text->kind == TH_VALUE_TEXT &&
            !(list && i < other->count && has_text(th__value_item(other, i), text)) &&
            !has_text(other, text))
            return false;
    }
    return true;
}

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
    return th__hash_mix(field, th__text_hash(th__value_text(value)));
}

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

/* Holds the records that have a text of a labelled one against it, and keeps the best. */
static void try_holders(const leaf_vec *leaves, const th_value *label, const th_value *value,
                        uint64_t field, uint32_t *best, uint32_t *record)
{
    if (value->kind == TH_VALUE_NULL)
        return;
    for (uint32_t i = 0; value->kind != TH_VALUE_TEXT && i < value->count; i++)
        try_holders(leaves, label, th__value_item(value, i), field_below(value, i, field), best,
                    record);
    if (value->kind != TH_VALUE_TEXT)
        return;
    const struct leaf *place =
        value->span.end ? find_leaf(leaves, place_key(value, field), 0) : NULL;
    const struct leaf *text = find_leaf(leaves, text_key(value, field), 0);
    const struct leaf *holders[] = {place, text};
    for (int i = 0; i < 2; i++) {
        uint32_t all = 0;
        uint32_t common = holders[i] ? count_common(leaves, label, 0, holders[i]->record, &all) : 0;
        if (common > *best) {
            *best = common;
            *record = holders[i]->record;
        }
    }
}

/* ---- how fields do --------------------------------------------------------------------------- */

struct checker {
    th__learner *learner;
    th__arena arena;
    const th_type *tuple; /* of the labels */
    bool lists;
    struct fit *fits; /* by field */
    size_t wrong;
};

static const th_value *member_named(const th_value *record, th_str name)
{
    const th_type *tuple = record ? th__type_strip(record->type) : NULL;
    for (uint32_t i = 0; record && record->kind == TH_VALUE_TUPLE && i < record->count; i++)
        if (th__str_eq(th_type_name(tuple->children[i]), name))
            return th__value_item(record, i);
    return NULL;
}

/* One labelled record against the record that has most of it, which may be NULL. */
static bool check_record(struct checker *c, const th_value *label, const leaf_vec *leaves,
                         const th_value *record, uint32_t number, uint32_t page)
{
    bool sample = c->learner->kept.data[page].sample;
    for (uint32_t f = 0; label->kind == TH_VALUE_TUPLE && f < label->count; f++) {
        const th_value *wanted = th__value_item(label, f);
        const th_value *own = member_named(record, th_type_name(c->tuple->children[f]));
        uint32_t all = 0;
        uint32_t common = count_common(leaves, wanted, field_below(label, f, 0), number, &all);
        struct fit *fit = &c->fits[f];
        if (!all && c->lists)
            continue;
        /* What was labelled is all there is, unless it is an example. */
        bool right = common == all && (sample || is_within(own, wanted));
        fit->all++;
        fit->right += right;
        c->wrong += all && !right;
        if (right || fit->label.ptr)
            continue;
        const th_value *instead = telling_text(own, wanted);
        fit->wrong_page = page;
        fit->empty = !instead;
        if (!tell(telling_text(wanted, own), &c->arena, &fit->label) ||
            !tell(instead, &c->arena, &fit->found))
            return false;
    }
    return true;
}

/* Where no record has any text of a labelled one: the record around its first text. This looks at
 * all records, but only for labels that went wrong. */
static uint32_t record_around(const th_records *found, const th_value *label)
{
    const th_value *text = telling_text(label, NULL);
    uint32_t r = 0, count = text ? (uint32_t)th_records_count(found) : 0;
    for (; r < count; r++) {
        th_span span = th_value_span(th_records_get(found, r));
        if (span.start <= text->span.start && text->span.end <= span.end)
            return r;
    }
    return UINT32_MAX;
}

static bool check_page(struct checker *c, const th_records *found, uint32_t page)
{
    const th_records *labels = th_located_records(c->learner->kept.data[page].located);
    leaf_vec leaves = {0};
    bool ok = true;
    for (uint32_t r = 0; ok && r < th_records_count(found) && (c->lists || !r); r++)
        ok = add_leaves(th_records_get(found, r), 0, r, &leaves);
    if (leaves.len)
        qsort(leaves.data, leaves.len, sizeof *leaves.data, by_hash);
    for (size_t r = 0; ok && r < th_records_count(labels) && (c->lists || !r); r++) {
        const th_value *label = th_records_get(labels, r);
        uint32_t record = c->lists ? UINT32_MAX : 0, best = 0;
        if (c->lists)
            try_holders(&leaves, label, label, 0, &best, &record);
        if (c->lists && !best)
            record = record_around(found, label);
        const th_value *own =
            record < th_records_count(found) ? th_records_get(found, record) : NULL;
        ok = check_record(c, label, &leaves, own, record, page);
    }
    th__vec_release(&leaves);
    return ok;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* What would help. */
static const char *advice(const struct fit *fit, bool lists)
{
    if (lists)
        return fit->empty ? "Check that the value belongs to this record"
                          : "Label all of that text, or one more record";
    if (fit->all == 1)
        return "Say which place is meant with --at, or label one more page";
    return fit->right ? "Check that label, or label one more page like this one"
                      : "No rule holds for two of these labels: check them";
}

static bool note_fits(const struct checker *c, th__notes *notes)
{
    for (uint32_t f = 0; f < c->tuple->count; f++) {
        const struct fit *fit = &c->fits[f];
        if (fit->right < fit->all &&
            !th__notes_add(
                notes,
                "%.*s: right %s %u of %u labelled %s. On %.*s the label is %.*s and the rules "
                "give %.*s. %s",
                TH_STR_ARG(th_type_name(c->tuple->children[f])), c->lists ? "in" : "on", fit->right,
                fit->all, c->lists ? "records" : "pages",
                TH_STR_ARG(c->learner->kept.data[fit->wrong_page].provenance.name),
                TH_STR_ARG(fit->label), TH_STR_ARG(fit->found), advice(fit, c->lists)))
            return false;
    }
    return true;
}

th_status th__label_check(th__learner *learner, const th_wrapper *wrapper, th__notes *notes,
                          size_t *wrong, th_error *err)
{
    struct checker c = {.learner = learner,
                        .tuple = th__type_strip(th_schema_record_type(learner->label_schema))};
    th__arena_init(&c.arena);
    c.fits = th__arena_zero(&c.arena, c.tuple->count + 1, sizeof *c.fits);
    th_status status = c.fits ? TH_OK : th__fail_memory(err);
    for (size_t p = 0; !status && p < learner->kept.len; p++) {
        th_records *found = NULL;
        if (!learner->kept.data[p].located)
            continue;
        status = th_wrapper_extract(wrapper, learner->kept.data[p].page, NULL, &found, err);
        c.lists = !status &&
                  th__type_strip(th_schema_root(th_records_schema(found)))->kind == TH_TYPE_LIST;
        if (!status && !check_page(&c, found, (uint32_t)p))
            status = th__fail_memory(err);
        th_records_free(found);
    }
    if (!status && notes && !note_fits(&c, notes))
        status = th__fail_memory(err);
    *wrong = c.wrong;
    th__arena_release(&c.arena);
    return status;
}

/* An engine may read labels that have nothing in common, each by a rule of its own. Then the place
 * rules, which cannot, tell which field and page it is. */
th_status th__label_note_apart(th__learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *fits, th_error *err)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(learner->label_schema));
    size_t wrong;
    th_status status = th__label_check(learner, wrapper, NULL, &wrong, err);
    for (uint32_t f = 0; !status && !wrong && f < tuple->count; f++)
        if (fits[f].right < fits[f].pages &&
            !th__notes_add(learner->notes,
                           "%.*s: one rule is right on %u of %u labelled pages, and not on %.*s. "
                           "Engine %s has more rules, which may be wrong on other pages. Check "
                           "that label, or label one more page like this one",
                           TH_STR_ARG(th_type_name(tuple->children[f])), fits[f].right,
                           fits[f].pages,
                           TH_STR_ARG(learner->kept.data[fits[f].wrong_page].provenance.name),
                           wrapper->engine->name))
            status = th__fail_memory(err);
    return status;
}
