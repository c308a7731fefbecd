/*
 * repair_signs.c: signs that records are cut in the wrong places.
 *
 * How much two texts are parted is told by the innermost element that holds both, the further out
 * the more, and with the same element by a rule between them.
 *
 * Cost: linear in the leaves, but for the order of the texts of a record, and of its columns two by
 * two, of which a limited number is looked at.
 */
#include "repair/repair_signs.h"

#include <math.h>
#include <stdlib.h>

#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"

enum {
    DEEP = UINT16_MAX,  /* no element is as deep */
    RULE_REACH = 64,    /* tokens behind a text among which a rule is looked for */
    REPEAT_FIELDS = 64, /* that are looked at for repetition, */
    REPEAT_LEAST = 3,   /* of so many at least: two that are like the next two are no records */
    SELDOM = 4          /* a field that fewer than one record in so many has */
};

/* Most records had a field, from here on. */
#define USUAL 0.5
/* So many of the fields are like those of the period before: some are of their own. */
#define REPEAT_PART 0.8

bool th__signs_init(th__signs *signs, th_repair *repair)
{
    size_t fields = (size_t)repair->profile->count + 1;
    *signs = (th__signs){0};
    signs->before = th__arena_zero(&repair->arena, TH__SIGN_COLUMNS, sizeof *signs->before);
    signs->with = th__arena_zero(&repair->arena, fields, sizeof *signs->with);
    signs->last = th__arena_zero(&repair->arena, fields, sizeof *signs->last);
    signs->listed = th__arena_zero(&repair->arena, fields, sizeof *signs->listed);
    signs->last_listed = th__arena_zero(&repair->arena, fields, sizeof *signs->last_listed);
    return signs->before && signs->with && signs->last && signs->listed && signs->last_listed;
}

void th__signs_release(th__signs *signs)
{
    th__vec_release(&signs->texts);
    th__vec_release(&signs->on_page);
}

static int by_place(const void *a, const void *b)
{
    const th__placed *x = a, *y = b;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Takes the texts of the record whose leaves are from `from` to `to`, as they stand on the page. */
static bool take_texts(th__signs *signs, const th__side *side, size_t from, size_t to)
{
    bool ok = true;
    signs->texts.len = 0;
    for (size_t i = from; ok && i < to; i++) {
        const th__given *leaf = &side->leaves.data[i];
        if (!th__given_is_target(side, leaf))
            ok = th__vec_push(&signs->texts, (th__placed){leaf->span, leaf->at, leaf->sample.hash});
    }
    if (ok && signs->texts.len)
        qsort(signs->texts.data, signs->texts.len, sizeof *signs->texts.data, by_place);
    return ok;
}

static void count_fields(th__signs *signs, const th__side *side)
{
    for (size_t i = 0; i < signs->texts.len; i++) {
        uint32_t field = side->field_of[signs->texts.data[i].at];
        if (field == TH__NO_COLUMN)
            continue;
        if (signs->last[field] != signs->records)
            signs->with[field]++;
        else if (signs->last_listed[field] != signs->records) {
            signs->listed[field]++;
            signs->last_listed[field] = signs->records;
        }
        signs->last[field] = signs->records;
    }
}

/* Counts which column stands before which; of a list the first text counts. */
static void count_order(th__signs *signs)
{
    uint32_t columns[TH__SIGN_COLUMNS], count = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < signs->texts.len; i++) {
        uint32_t at = signs->texts.data[i].at;
        if (at >= TH__SIGN_COLUMNS || seen >> at & 1)
            continue;
        seen |= UINT64_C(1) << at;
        for (uint32_t j = 0; j < count; j++)
            signs->before[columns[j]][at]++;
        columns[count++] = at;
    }
}

/* In how many columns a text of the page is, at most. */
static uint32_t count_copies(const th__signs *signs)
{
    uint32_t most = 0, copies = 0;
    for (size_t i = 0; i < signs->texts.len; i++) {
        const th__placed *own = &signs->texts.data[i], *before = own - !!i;
        bool same = own->span.start == before->span.start && own->hash == before->hash;
        copies = !same ? 1 : copies + (!i || own->at != before->at);
        most = copies > most ? copies : most;
    }
    return most;
}

/* How much two places are parted by what is between them; 0 when they are not apart. */
static uint32_t parting(const th_page *page, th_span left, th_span right)
{
    if (!left.end || left.end > right.start || right.start >= page->text.len)
        return 0;
    uint32_t from = th__token_at(page, left.end - 1), to = th__token_at(page, right.start);
    uint32_t node = th__page_node_around(page, from, to);
    bool rule = false;
    for (uint32_t i = from + 1; !rule && i < to && i - from <= RULE_REACH; i++)
        rule = page->tokens[i].kind == TH_TOKEN_START && page->tokens[i].tag == TH_TAG_HR;
    return 2 * ((uint32_t)DEEP - page->paths[page->nodes[node].path].depth) + rule;
}

static bool take_place(th__signs *signs, const th_page *page)
{
    const th__placed *texts = signs->texts.data;
    th__cut_record record = {.span = texts[0].span};
    for (size_t i = 1; i < signs->texts.len; i++) {
        uint32_t inside = parting(page, record.span, texts[i].span);
        record.inside = inside > record.inside ? inside : record.inside;
        if (texts[i].span.end > record.span.end)
            record.span.end = texts[i].span.end;
    }
    return th__vec_push(&signs->on_page, record);
}

/* Holds what is inside of records against what is between them and their neighbours. */
static void count_parted(th__signs *signs, const th_page *page)
{
    const th__cut_record *records = signs->on_page.data;
    size_t count = signs->on_page.len;
    uint32_t above = 0;
    for (size_t i = 0; i < count && count >= TH__SIGN_RECORDS; i++) {
        uint32_t below = i + 1 < count ? parting(page, records[i].span, records[i + 1].span) : 0;
        uint32_t most = above > below ? above : below;
        signs->inverted += most && records[i].inside > most;
        signs->spanning += most && records[i].inside >= most;
        above = below;
    }
}

bool th__signs_take(th__signs *signs, const th__side *side, const th_page *page)
{
    bool ok = true;
    signs->on_page.len = 0;
    for (size_t i = 0, end; ok && i < side->leaves.len; i = end) {
        end = th__side_record_end(side, i);
        ok = take_texts(signs, side, i, end);
        signs->records++;
        if (!ok || !signs->texts.len)
            continue;
        count_fields(signs, side);
        count_order(signs);
        uint32_t copies = count_copies(signs);
        signs->doubled += copies > 1;
        signs->trebled += copies > 2;
        ok = take_place(signs, page);
    }
    if (ok)
        count_parted(signs, page);
    return ok;
}

uint64_t th__signs_swapped(const th__signs *signs)
{
    uint64_t most = 0;
    for (uint32_t a = 1; a < TH__SIGN_COLUMNS; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t one = signs->before[a][b], other = signs->before[b][a];
            uint32_t less = one < other ? one : other;
            most = less > most ? less : most;
        }
    return most;
}

double th__signs_fullness(const th__signs *signs, const th_repair *repair)
{
    const th__profile *profile = repair->profile;
    double was = 0, is = 0;
    for (uint32_t f = 0; f < profile->count && profile->records && signs->records; f++) {
        const th__field_profile *field = &profile->fields[f];
        /* A list that is empty is one place without a value. */
        double without = (double)field->chances - (double)field->values;
        double share = 1 - without / (double)profile->records;
        if (repair->targets[f] || share < USUAL || !signs->with[f])
            continue;
        was += fmin(1, share);
        is += (double)signs->with[f] / (double)signs->records;
    }
    return was > 0 ? is / was : 1;
}

/* Whether most examples of a field are like values of another. */
static bool is_like(const th__field_profile *one, const th__field_profile *other)
{
    uint32_t like = 0;
    for (uint32_t i = 0; i < one->example_count; i++) {
        th_str text = one->examples[i];
        th__sample sample = {
            .text = text, .hash = th__hash(text.ptr, text.len), .length = th__log_length(text.len)};
        th__dp_split(text, &sample.value);
        like += th__value_likeness(other, &sample) >= TH__LEAST_VALUE;
    }
    return 2 * like > one->example_count;
}

bool th__signs_repeat(const th_repair *repair)
{
    const th__field_profile *fields[REPEAT_FIELDS];
    uint32_t count = 0;
    for (uint32_t f = 0; f < repair->profile->count && count < REPEAT_FIELDS; f++) {
        const th__field_profile *field = &repair->profile->fields[f];
        /* Of the records in a row the last ones may be missing; headings are seldom. */
        if (!repair->targets[f] && field->example_count && SELDOM * field->values >= field->chances)
            fields[count++] = field;
    }
    for (uint32_t period = REPEAT_LEAST; 2 * period <= count; period++) {
        uint32_t like = 0, all = count - period;
        for (uint32_t i = 0; i < all; i++)
            like += is_like(fields[i + period], fields[i]);
        if (like >= REPEAT_PART * all)
            return true;
    }
    return false;
}
