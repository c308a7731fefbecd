/* repair_compare.c: what is lost, gained and cut otherwise between two wrappers. */
#include "repair/repair_compare.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/tags.h"
#include "page/text.h"

enum {
    CHECKED = 4000,    /* texts of a page that are looked for */
    SEARCHED = 1 << 28 /* bytes that are searched for them on a page */
};

/* Whether a field is not what it was. */
static bool has_changed(const th__comparison *c, uint32_t field)
{
    return th__compare_has_labels(c) ? c->repair->broken[field] : c->repair->drifting[field];
}

/* Whether a value of a field was a part of what is one of it now, and no more like it than that. */
static bool is_completed(th__comparison *c, const th__given *old, uint32_t field)
{
    const th__side *now = &c->now;
    for (size_t i = 0; i < now->leaves.len && c->searched <= SEARCHED; i++) {
        const th__given *l = &now->leaves.data[i];
        c->searched++;
        if (now->field_of[l->at] != field || l->own < old->own)
            continue;
        c->searched += l->sample.text.len;
        if (th__find_words(l->sample.text, old->sample.text, 0) != SIZE_MAX)
            return true;
    }
    return false;
}

/* Whether a field of labels has a value that is more like it in place of one: a part of one that
 * was too long; or, on a page of one record, another for one that is not like it. */
static bool is_replaced(const th__comparison *c, const th__given *old, uint32_t field)
{
    if (!th__compare_has_labels(c))
        return false;
    bool one = th_records_count(c->now.records) == 1 &&
               th__str_find(c->repair->profile->fields[field].path, TH_STR("[]")) == SIZE_MAX;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        if (c->now.field_of[l->at] != field || l->own < TH__LEAST_VALUE || l->own <= old->own)
            continue;
        if ((one && old->own < TH__LEAST_VALUE) ||
            (l->span.start >= old->span.start && l->span.end <= old->span.end))
            return true;
    }
    return false;
}

/* Whether a value of a field is one of it again, or of one that it is more like. Fields of labels
 * do not change places by likeness: few values are known of some, and all sorts are like them. */
static bool is_kept(th__comparison *c, const th__given *old, uint32_t field)
{
    const th__side *now = &c->now;
    bool labels = th__compare_has_labels(c);
    for (size_t i = th__side_find(now, old->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == old->sample.hash; i++) {
        uint32_t other = now->field_of[now->leaves.data[i].at];
        bool better = other != TH__NO_COLUMN && now->leaves.data[i].own > old->own;
        if (other == field || (better && !labels))
            return true;
    }
    return labels ? is_replaced(c, old, field) : is_completed(c, old, field);
}

static bool is_given_now(const th__comparison *c, const th__given *l)
{
    size_t i = th__side_find(&c->now, l->sample.hash);
    return i < c->now.leaves.len && c->now.leaves.data[i].sample.hash == l->sample.hash;
}

/* A text is there that is given, also when its label is not. */
static bool is_there(th__comparison *c, const th__given *old)
{
    th_str text = old->sample.text;
    size_t colon = th__str_find(text, TH_STR(": "));
    th__given value = {0};
    if (is_given_now(c, old))
        return true;
    if (colon != SIZE_MAX) {
        value.sample.hash = th__hash(text.ptr + colon + 2, text.len - colon - 2);
        if (is_given_now(c, &value))
            return true;
    }
    if (c->searched > SEARCHED)
        return true; /* too large a page to be sure */
    c->searched += c->text.len;
    return th__str_find(th__buf_str(&c->text), old->sample.text) != SIZE_MAX;
}

/* Whether a leaf's value is one of a field that is not broken, and is given again: or, where labels
 * say that it has to be, not replaced by a better one. */
static bool is_sound(const th__comparison *c, const th__given *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (field == TH__NO_COLUMN || has_changed(c, field))
        return false;
    return is_given_now(c, l) || (th__compare_has_labels(c) && !is_replaced(c, l, field));
}

/* Whether the values of an old record, from leaf `from` to `to`, stand together in a new one: in
 * one of those that hold the first of them. Values that are not given any more do not count here.
 */
static bool is_together(const th__comparison *c, size_t from, size_t to)
{
    const th__side *now = &c->now;
    size_t first = from;
    while (first < to && !is_sound(c, &c->old.leaves.data[first]))
        first++;
    if (first == to)
        return true;
    uint64_t hash = c->old.leaves.data[first].sample.hash;
    for (size_t i = th__side_find(now, hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == hash; i++) {
        bool all = true;
        for (size_t j = first + 1; all && j < to; j++) {
            const th__given *l = &c->old.leaves.data[j];
            all = !is_sound(c, l) ||
                  th__side_find_in(now, now->leaves.data[i].record, l->sample.hash);
        }
        if (all)
            return true;
    }
    return false;
}

/* Counts old records that are parted. */
static void count_parted(th__comparison *c)
{
    enum { LEAVES = 200 }; /* of a record: a value may stand in many of the new ones */
    for (size_t i = 0, end; i < c->old.leaves.len; i = end) {
        end = th__side_record_end(&c->old, i);
        c->parted += end - i <= LEAVES && !is_together(c, i, end);
    }
}

/* Whether nothing but line breaks stands between two places. */
static bool are_lines(const th_page *page, th_span above, th_span below)
{
    enum { MOST = 16 }; /* tokens */
    uint32_t breaks = 0;
    if (above.end > below.start || below.start >= page->text.len)
        return false;
    uint32_t token = th__token_at(page, above.end), end = th__token_at(page, below.start);
    /* A text may end before its token does. */
    if (token < end && page->tokens[token].start < above.end)
        token++;
    for (uint32_t i = token; i < end; i++) {
        const th_token *t = &page->tokens[i];
        bool line = t->kind == TH_TOKEN_START && t->tag == TH_TAG_BR;
        if (i - token >= MOST || (!line && !(t->flags & TH_TOKEN_BLANK)))
            return false;
        breaks += line;
    }
    return breaks > 0;
}

/* Whether two lines are given in one new record, but apart, and one of them is in no field. */
static bool are_torn(const th__comparison *c, const th__given *above, const th__given *below)
{
    const th__side *now = &c->now;
    bool torn = false;
    for (size_t i = th__side_find(now, above->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == above->sample.hash; i++) {
        const th__given *a = &now->leaves.data[i];
        const th__given *b = th__side_find_in(now, a->record, below->sample.hash);
        if (!b)
            continue;
        if (b->order == a->order + 1)
            return false;
        torn |= now->field_of[a->at] == TH__NO_COLUMN || now->field_of[b->at] == TH__NO_COLUMN;
    }
    return torn;
}

static void count_torn(th__comparison *c, const th_page *page)
{
    const th__given *above = NULL;
    for (size_t i = 0; i < c->old.leaves.len; i++) {
        const th__given *below = &c->old.leaves.data[i];
        if (th__given_is_target(&c->old, below))
            continue;
        if (above && above->record == below->record && are_lines(page, above->span, below->span))
            c->torn += are_torn(c, above, below);
        above = below;
    }
}

/* A value that the field had before is worth more than one that is like it. */
static uint64_t worth_of(const th__comparison *c, uint32_t field, uint64_t hash)
{
    const th__field_profile *own = &c->repair->profile->fields[field];
    for (uint32_t i = 0; i < own->example_count; i++)
        if (th__hash(own->examples[i].ptr, own->examples[i].len) == hash)
            return TH__MAKE_UP;
    return 1;
}

static bool is_among(const uint64_t *numbers, size_t count, uint64_t number)
{
    return count && bsearch(&number, numbers, count, sizeof *numbers, th__by_number);
}

static int by_start(const void *a, const void *b)
{
    const th_span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The places of the values that the old wrapper gives and that are like their field, in order. */
static bool take_places(th__comparison *c)
{
    bool ok = true;
    c->places.len = 0;
    for (size_t i = 0; ok && i < c->old.leaves.len; i++) {
        const th__given *l = &c->old.leaves.data[i];
        if (l->own >= TH__LEAST_VALUE && !th__given_is_target(&c->old, l))
            ok = th__vec_push(&c->places, l->span);
    }
    if (ok && c->places.len)
        qsort(c->places.data, c->places.len, sizeof *c->places.data, by_start);
    return ok;
}

/* Whether a text is a part of such a value: it does not make up for that one. */
static bool is_piece(const th__comparison *c, th_span span)
{
    size_t from = 0, to = c->places.len;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (c->places.data[middle].start <= span.start)
            from = middle + 1;
        else
            to = middle;
    }
    th_span old = from ? c->places.data[from - 1] : (th_span){0};
    return old.end >= span.end && old.end - old.start > span.end - span.start;
}

/* Counts a value that the new wrapper gives; is_new: the old one does not give its text, in_field:
 * it does so, in its field. False without memory. */
static bool count_value(th__comparison *c, const th__given *l, bool is_new, bool in_field)
{
    uint32_t field = c->now.field_of[l->at];
    bool target = th__given_is_target(&c->now, l), ok = true;
    if (is_new && l->like && !target && !is_piece(c, l->span))
        ok = th__vec_push(&c->gained_texts, l->sample.hash);
    if (field == TH__NO_COLUMN) {
        c->strange += is_new && !target;
        return ok;
    }
    c->again[field] += l->own >= TH__LEAST_VALUE;
    if (l->own < TH__LEAST_VALUE)
        c->added[field] += is_new && !has_changed(c, field);
    else if (!in_field)
        c->gained[field] += worth_of(c, field, l->sample.hash);
    return ok;
}

/* Counts values that the old wrapper does not give: those that are like their field or any, and
 * those of fields that are not broken that are not. One that stood in another field is gained, too.
 * False without memory. */
static bool count_added(th__comparison *c)
{
    size_t count = c->old.leaves.len;
    uint64_t *anywhere = TH__NEW_ARRAY(uint64_t, count + 1);
    uint64_t *in_field = TH__NEW_ARRAY(uint64_t, count + 1);
    bool ok = anywhere && in_field && take_places(c);
    for (size_t i = 0; ok && i < count; i++) {
        const th__given *l = &c->old.leaves.data[i];
        anywhere[i] = l->sample.hash;
        in_field[i] = th__hash_mix(l->sample.hash, c->old.field_of[l->at]);
    }
    if (ok && count) {
        qsort(anywhere, count, sizeof *anywhere, th__by_number);
        qsort(in_field, count, sizeof *in_field, th__by_number);
    }
    for (size_t i = 0; ok && i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        uint64_t own = th__hash_mix(l->sample.hash, c->now.field_of[l->at]);
        ok = count_value(c, l, !is_among(anywhere, count, l->sample.hash),
                         is_among(in_field, count, own));
    }
    th__mem_free(anywhere);
    th__mem_free(in_field);
    return ok;
}

/* Whether a text that the old wrapper gives has to be among the new ones. Fields of labels are what
 * their user has named: what a broken one gives that is not like it, or that is the same on all
 * pages where its values differed, is none of it, whatever else it is like. */
static bool is_wanted(const th__comparison *c, const th__given *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (!l->like || th__given_is_target(&c->old, l))
        return false;
    if (!th__compare_has_labels(c))
        return !th__is_label(l->sample.text);
    if (field == TH__NO_COLUMN || !c->repair->broken[field])
        return true;
    const th__field_profile *old = &c->repair->profile->fields[field];
    const th__field_tally *now = &c->old.tally->fields[l->at];
    bool same = now->sample.len > 2 && 2 * old->distinct > old->sampled;
    for (size_t i = 1; same && i < now->sample.len; i++)
        same = now->sample.data[i].hash == now->sample.data[0].hash;
    return l->own >= TH__LEAST_VALUE && !same;
}

/* Whether a text that is not there any more is replaced by a better one, or counted as a value that
 * a broken field of labels had left. */
static bool is_missed(th__comparison *c, const th__given *l, uint32_t field)
{
    if (field == TH__NO_COLUMN || !th__compare_has_labels(c))
        return false;
    if (is_replaced(c, l, field))
        return true;
    c->missed[field] += c->repair->broken[field];
    return c->repair->broken[field];
}

static bool compare(th__comparison *c, const th_page *page)
{
    if (!th__signs_take(&c->old_signs, &c->old, page) ||
        !th__signs_take(&c->now_signs, &c->now, page))
        return false;
    th__buf_clear(&c->text);
    c->searched = 0;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        if (!th__given_is_target(&c->now, l))
            th__buf_printf(&c->text, "%.*s\n", TH_STR_ARG(l->sample.text));
    }
    if (c->text.failed)
        return false;
    th__side_sort(&c->now);
    if (!count_added(c))
        return false;
    count_parted(c);
    count_torn(c, page);
    size_t step = c->old.leaves.len / CHECKED + 1;
    for (size_t i = 0; i < c->old.leaves.len; i += step) {
        const th__given *l = &c->old.leaves.data[i];
        uint32_t field = c->old.field_of[l->at];
        if (field != TH__NO_COLUMN)
            c->given[field]++;
        if (field != TH__NO_COLUMN && !has_changed(c, field))
            c->lost[field] += is_kept(c, l, field) ? 0 : worth_of(c, field, l->sample.hash);
        bool target = th__given_is_target(&c->old, l);
        bool lost = is_wanted(c, l) && !is_there(c, l) && !is_missed(c, l, field);
        /* A link that was found with its text is still given: it stays in its column. */
        lost = lost || (l->found && target && field != TH__NO_COLUMN && !is_kept(c, l, field));
        if (lost && !th__vec_push(&c->lost_texts, l->sample.hash))
            return false;
    }
    return true;
}

uint64_t th__count_distinct(th__hash_list *all)
{
    uint64_t count = 0;
    if (all->len)
        qsort(all->data, all->len, sizeof *all->data, th__by_number);
    for (size_t i = 0; i < all->len; i++)
        count += !i || all->data[i] != all->data[i - 1];
    return count;
}

bool th__compare_init(th__comparison *c, th_repair *repair, const th_wrapper *now,
                      const th__tally *tally)
{
    uint64_t **const counts[] = {&c->lost, &c->added, &c->given, &c->gained, &c->again, &c->missed};
    *c = (th__comparison){.repair = repair,
                          .old = {.wrapper = repair->wrapper, .tally = &repair->tally},
                          .now = {.wrapper = now, .by_rules = true, .tally = tally}};
    bool ok = th__side_init(&c->old, repair) && th__side_init(&c->now, repair) &&
              th__signs_init(&c->old_signs, repair) && th__signs_init(&c->now_signs, repair);
    for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; i++) {
        *counts[i] =
            th__arena_zero(&repair->arena, (size_t)repair->profile->count + 1, sizeof **counts[i]);
        ok = *counts[i] != NULL;
    }
    return ok;
}

void th__compare_release(th__comparison *c)
{
    th__side_release(&c->old);
    th__side_release(&c->now);
    th__signs_release(&c->old_signs);
    th__signs_release(&c->now_signs);
    th__vec_release(&c->lost_texts);
    th__vec_release(&c->gained_texts);
    th__vec_release(&c->places);
    th__buf_release(&c->text);
}

th_status th__compare_page(th__comparison *c, const th__repair_page *page, th_error *err)
{
    th_status status = th__side_take(&c->old, c->repair, page, err);
    if (!status)
        status = th__side_take(&c->now, c->repair, page, err);
    if (!status && !compare(c, page->page))
        status = th__fail_memory(err);
    return status;
}
