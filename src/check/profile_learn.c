/*
 * profile_learn.c: profiles from tallies.
 *
 * What verification compares are shapes: DataPro's patterns with words replaced by their classes,
 * signs kept. "Jazz _Capitalized_" and "Blues _Capitalized_" are what two pages are about, not how
 * they are made; held against each other word by word, every new page would look like a change.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/check.h"
#include "check/neighbours.h"
#include "page/data_page.h"
#include "page/lex.h"

/* Tokens of a shape: what is further inside a value is what it says, not what it is. */
enum { SHAPE_DEPTH = 2 };

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool same_items(const th__form *a, const th__form *b)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (a->items[i].hash != b->items[i].hash ||
            (!a->items[i].hash && a->items[i].cls != b->items[i].cls))
            return false;
    return true;
}

static th__form shape_from(const th__form *pattern)
{
    th__form shape = *pattern;
    shape.len = shape.len < SHAPE_DEPTH ? shape.len : SHAPE_DEPTH;
    for (uint32_t i = 0; i < shape.len; i++) {
        th__form_item *item = &shape.items[i];
        if (item->hash && item->cls != TH_CLASS_PUNCT)
            *item = (th__form_item){.cls = item->cls};
    }
    shape.count = 0;
    return shape;
}

/* How much a pattern says: the chance of each item, multiplied. */
static double chance_of(const th__form *shape)
{
    double chance = 1;
    for (uint32_t i = 0; i < shape->len; i++)
        chance *= shape->items[i].hash ? 0.01 : th__dp_chance(shape->items[i].cls);
    return chance;
}

/* Longer ones first, then those that say more. */
static int by_order(const void *a, const void *b)
{
    const th__form *x = a, *y = b;
    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    double p = chance_of(x), q = chance_of(y);
    if (p != q)
        return p < q ? -1 : 1;
    for (uint32_t i = 0; i < x->len; i++) {
        if (x->items[i].cls != y->items[i].cls)
            return x->items[i].cls < y->items[i].cls ? -1 : 1;
        if (x->items[i].hash != y->items[i].hash)
            return x->items[i].hash < y->items[i].hash ? -1 : 1;
    }
    return 0;
}

static bool make_shapes(const th__field_tally *field, th__arena *arena, int end,
                        th__field_profile *out)
{
    const th__forms *patterns = &out->patterns[end];
    th__forms *shapes = &out->shapes[end];
    shapes->data = th__arena_zero(arena, patterns->count + 1, sizeof *shapes->data);
    if (!shapes->data)
        return false;
    for (uint32_t i = 0; i < patterns->count; i++) {
        th__form shape = shape_from(&patterns->data[i]);
        uint32_t j = 0;
        while (j < shapes->count && !same_items(&shapes->data[j], &shape))
            j++;
        if (j == shapes->count)
            shapes->data[shapes->count++] = shape;
    }
    qsort(shapes->data, shapes->count, sizeof *shapes->data, by_order);
    for (size_t i = 0; i < field->sample.len; i++) {
        uint32_t shape = th__shape_of(shapes, &field->sample.data[i].value, end);
        if (shape < shapes->count)
            shapes->data[shape].count++;
    }
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Some of the sample that differ and are short, from all over it. */
static bool give_examples(const th__field_tally *field, th__arena *arena, th__field_profile *out)
{
    size_t n = field->sample.len, step = n / TH__EXAMPLES_MAX + 1;
    out->examples = th__arena_zero(arena, TH__EXAMPLES_MAX, sizeof *out->examples);
    if (!out->examples)
        return false;
    for (size_t i = 0; i < n && out->example_count < TH__EXAMPLES_MAX; i += step) {
        th_str text = field->sample.data[i].text;
        uint32_t j = 0;
        while (j < out->example_count && !th__str_eq(out->examples[j], text))
            j++;
        if (j < out->example_count || text.len > TH__EXAMPLE_MAX_BYTES)
            continue;
        out->examples[j] = th__arena_copy(arena, text);
        if (!out->examples[j].ptr)
            return false;
        out->example_count++;
    }
    return true;
}

/* ---- words ---- */

/* Counts the values that have a word. Only words of some of the first values can be in most. */
enum { WORD_VALUES = 4, WORD_ROOM = 512 };

typedef struct word_count {
    th_str text;
    uint64_t hash;
    uint32_t values, last; /* that have it, and the last of them + 1 */
} word_count;

typedef struct word_counts {
    word_count *data; /* WORD_ROOM */
    uint32_t count, value;
    th__key_map map; /* by hash: number + 1 */
} word_counts;

static void count_word(void *context, th_str word, uint64_t hash)
{
    word_counts *counts = context;
    uint32_t at = th__key_map_get(&counts->map, hash);
    if (!at && counts->count < WORD_ROOM) {
        at = ++counts->count;
        counts->data[at - 1] = (word_count){.text = word, .hash = hash};
        th__key_map_put(&counts->map, hash, at);
    }
    if (!at || counts->data[at - 1].last == counts->value + 1)
        return;
    counts->data[at - 1].values++;
    counts->data[at - 1].last = counts->value + 1;
}

/* The words that at least six in ten values have, wherever they are. */
static bool find_words(const th__field_tally *field, th__arena *arena, th__field_profile *out)
{
    size_t n = field->sample.len;
    th__arena scratch;
    word_counts counts = {0};
    if (n < WORD_VALUES || field->target)
        return true;
    th__arena_init(&scratch);
    counts.data = th__arena_alloc(&scratch, WORD_ROOM * sizeof *counts.data);
    out->words = th__arena_zero(arena, TH__WORDS_MAX, sizeof *out->words);
    bool ok = counts.data && out->words && th__key_map_init(&counts.map, &scratch, WORD_ROOM);
    for (size_t i = 0; ok && i < n; i++) {
        counts.value = (uint32_t)i;
        th__words_of(field->sample.data[i].text, count_word, &counts);
    }
    for (uint32_t i = 0; ok && i < counts.count && out->word_count < TH__WORDS_MAX; i++) {
        if (10 * (uint64_t)counts.data[i].values < 6 * n)
            continue;
        th_str word = th__arena_copy(arena, counts.data[i].text);
        ok = word.ptr;
        out->words[out->word_count++] = word;
    }
    th__arena_release(&scratch);
    return ok;
}

/* Returns true if a word can stand for a kind of values. Pages come in the order of what they are
 * about, such as cameras by brand: pages of the first half have it, and of the second half too.
 * *all is set for a word that nearly all values have: it is a label, or what all pages are about.
 */
static bool is_kind(const th__field_tally *field, uint64_t word, bool *all)
{
    enum { PARTS = 5 }; /* more than four in five values */
    th__form_words one = {.hashes = {word}, .count = 1};
    size_t n = field->sample.len, halves[2] = {0};
    for (size_t i = 0; i < n; i++) {
        const th__sample *s = &field->sample.data[i];
        halves[2 * s->page > field->sample.data[n - 1].page] += !th__form_word_in(&one, &s->value);
    }
    *all = *all || (halves[0] + halves[1]) * PARTS > n * (PARTS - 1);
    return halves[0] && halves[1];
}

/* Counts the values that have a word of the patterns which stands for a kind of them. */
static void count_worded(const th__field_tally *field, int end, th__field_profile *out)
{
    th__form_words words;
    uint32_t kinds = 0;
    bool all = false;
    th__form_words_of(&out->patterns[end], &words);
    for (uint32_t i = 0; i < words.count && !all; i++)
        if (is_kind(field, words.hashes[i], &all))
            words.hashes[kinds++] = words.hashes[i];
    words.count = kinds;
    for (size_t i = 0; i < field->sample.len && !all; i++)
        out->worded[end] += th__form_word_in(&words, &field->sample.data[i].value) < kinds;
}

/* Counts the values of each pattern as verification does: a value whose next word is frequent, and
 * that no longer pattern has, counts for what it has in common with others. */
static void count_patterns(const th__field_tally *field, int end, th__field_profile *out)
{
    th__forms *patterns = &out->patterns[end];
    for (uint32_t i = 0; i < patterns->count; i++)
        patterns->data[i].count = 0;
    for (size_t i = 0; i < field->sample.len; i++) {
        uint32_t own = th__pattern_of(patterns, &field->sample.data[i].value, end);
        if (own < patterns->count)
            patterns->data[own].count++;
    }
}

static bool describe_sample(const th__field_tally *field, th__arena *arena, th__field_profile *out)
{
    size_t n = field->sample.len;
    uint64_t *hashes = TH__NEW_ARRAY(uint64_t, n + 1);
    double *lengths = TH__NEW_ARRAY(double, n + 1);
    th__dp_value *values = TH__NEW_ARRAY(th__dp_value, n + 1);
    bool ok = hashes && lengths && values;
    for (size_t i = 0; ok && i < n; i++) {
        hashes[i] = field->sample.data[i].hash;
        lengths[i] = field->sample.data[i].length;
        values[i] = field->sample.data[i].value;
    }
    if (ok) {
        th__moments moments = th__moments_of(lengths, n);
        out->length = moments.mean;
        out->length_sd = moments.sd;
        qsort(hashes, n, sizeof *hashes, th__by_number);
        for (size_t i = 0; i < n; i++)
            out->distinct += !i || hashes[i] != hashes[i - 1];
    }
    for (int end = 0; ok && end < TH__ENDS; end++)
        ok = th__datapro(values, n, end == TH__END, arena, &out->patterns[end]) &&
             make_shapes(field, arena, end, out);
    for (int end = 0; ok && end < TH__ENDS; end++)
        count_patterns(field, end, out);
    for (int end = 0; ok && end < TH__ENDS && !field->target; end++)
        count_worded(field, end, out);
    th__mem_free(hashes);
    th__mem_free(lengths);
    th__mem_free(values);
    return ok;
}

static bool describe_field(const th__tally *tally, const th__field_tally *field, th__arena *arena,
                           th__field_profile *out)
{
    out->path = th__arena_copy(arena, field->path);
    out->chances = field->chances;
    out->values = field->values;
    out->pages = field->pages;
    out->told = field->told;
    out->agreed = field->agreed;
    out->headed = field->headed;
    out->sampled = field->sample.len;
    return out->path.ptr && give_examples(field, arena, out) && find_words(field, arena, out) &&
           th__neighbours_learn(tally, field, arena, out) && describe_sample(field, arena, out);
}

bool th__profile_learn(const th__tally *tally, th__arena *arena, th__profile **out)
{
    th__profile *profile = th__arena_zero(arena, 1, sizeof *profile);
    if (!profile)
        return false;
    profile->pages = tally->pages;
    profile->empty_pages = tally->empty_pages;
    profile->records = tally->records;
    profile->least = tally->least;
    profile->most = tally->most;
    profile->explained =
        tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
    profile->explained_least = tally->explained_least;
    profile->count = tally->count;
    profile->fields = th__arena_zero(arena, tally->count + 1, sizeof *profile->fields);
    bool ok = profile->fields != NULL;
    for (uint32_t i = 0; ok && i < tally->count; i++)
        ok = describe_field(tally, &tally->fields[i], arena, &profile->fields[i]);
    *out = profile;
    return ok && th__profile_prepare(profile, arena);
}

/* ---- the public side ------------------------------------------------------------------------- */

th_status th_check_new(const th_wrapper *wrapper, bool thorough, th_check **out, th_error *err)
{
    *out = NULL;
    th_check *check = TH__NEW(th_check);
    if (!check)
        return th__fail_memory(err);
    check->wrapper = wrapper;
    check->thorough = thorough;
    check->holders = 1;
    const th__profile *known = thorough ? NULL : wrapper->profile;
    if (!th__tally_init_known(&check->tally, th_wrapper_schema(wrapper), known)) {
        th_check_free(check);
        return th__fail_memory(err);
    }
    check->tally.named = wrapper->engine->needs_labels;
    check->tally.neighbourly = thorough;
    check->tally.placing = !thorough;
    if (known)
        th__tally_lighten(&check->tally, known);
    *out = check;
    return TH_OK;
}

void th_check_free(th_check *check)
{
    if (!check || --check->holders)
        return;
    th__tally_release(&check->tally);
    th__mem_free(check);
}

th_check *th__check_hold(const th_check *check)
{
    th_check *own = (th_check *)check; /* which is as it was for all that is to be seen */
    own->holders++;
    own->shared = true;
    return own;
}

/* Looks for the link to the next page until it is where the wrapper says: one that is found on a
 * page is not broken. */
static th_status look_for_next(th_check *check, const th_page *page, th_error *err)
{
    enum { MOST = 64 };
    th__tally *tally = &check->tally;
    th_next next = {0};
    if (!page || !check->wrapper->next || tally->next_found || tally->next_pages >= MOST)
        return TH_OK;
    th_status status = th_next_find(page, check->wrapper, &next, err);
    tally->next_pages++;
    tally->next_found += next.by_rule;
    tally->next_elsewhere += next.sure && !next.by_rule;
    th_next_release(&next);
    return status;
}

/* A wrapper for data: what is around its values is on the data page, and so are they there. */
static th_status add_data(th_check *check, const th_page *page, th_error *err)
{
    th_page *data = NULL;
    th_records *records = NULL;
    th_status status = th__data_page_of(page, &data, err);
    if (!status)
        status = th_wrapper_extract(check->wrapper, data, NULL, &records, err);
    if (!status && !th__tally_add(&check->tally, data, records))
        status = th__fail_memory(err);
    th_records_free(records);
    th_page_free(data);
    return status;
}

th_status th_check_add(th_check *check, const th_page *page, const th_records *records,
                       th_error *err)
{
    const th_schema *schema = th_wrapper_schema(check->wrapper);
    if (records->schema != schema && !th_schema_equal(records->schema, schema))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the records are not from this wrapper: their schema differs");
    if (check->shared && !th__tally_part(&check->tally))
        return th__fail_memory(err);
    check->shared = false;
    th_status status = TH_OK;
    if (page && check->wrapper->data && !th__page_is_data(page))
        status = add_data(check, page, err);
    else if (!th__tally_add(&check->tally, page, records))
        status = th__fail_memory(err);
    return status ? status : look_for_next(check, page, err);
}

th_status th_check_profile(const th_check *check, th_wrapper *wrapper, th_error *err)
{
    th__profile *profile;
    if (th_wrapper_schema(wrapper) != th_wrapper_schema(check->wrapper) &&
        !th_schema_equal(th_wrapper_schema(wrapper), th_wrapper_schema(check->wrapper)))
        return th__fail(err, TH_ERR_ARGUMENT, "the check belongs to another wrapper");
    if (!check->thorough)
        return th__fail(err, TH_ERR_ARGUMENT, "a profile needs a thorough check");
    if (!check->tally.records || check->tally.pages == check->tally.empty_pages)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the wrapper finds no values on the pages, so there is no profile");
    if (!th__profile_learn(&check->tally, &wrapper->arena, &profile))
        return th__fail_memory(err);
    wrapper->profile = profile;
    return TH_OK;
}

th_status th_wrapper_profile(th_wrapper *wrapper, const th_page *const *pages,
                             const th_records *const *records, size_t count, th_error *err)
{
    th_check *check;
    th_status status = th_check_new(wrapper, true, &check, err);
    for (size_t i = 0; !status && i < count; i++)
        status = th_check_add(check, pages ? pages[i] : NULL, records[i], err);
    if (!status)
        status = th_check_profile(check, wrapper, err);
    th_check_free(check);
    return status;
}
