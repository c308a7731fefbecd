/*
 * repair_known.c: values that fields had before, wherever they stand now.
 *
 * A site that changes its layout mostly still shows some of what it showed. Where values that the
 * profile has as examples are on the new pages, they tell which list is the right one even when its
 * columns are others than before: its records hold them, and none holds two values of a field that
 * has one.
 *
 * Cost: text of the records times examples of the fields, of which there are few.
 */
#include <math.h>

#include "base/error.h"
#include "repair/repair.h"
#include "page/page.h"

/* All texts of a value, a line each. Depth is that of the schema. */
static bool gather(const th_value *value, th__buf *out)
{
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    if (value->kind == TH_VALUE_TEXT) {
        bool target = value->type->note == TH_NOTE_URL || value->type->note == TH_NOTE_IMAGE;
        return target ||
               (th__buf_add_str(out, th__value_text(value)) && th__buf_add_byte(out, '\n'));
    }
    for (uint32_t i = 0; i < value->count; i++)
        if (!gather(th__value_item(value, i), out))
            return false;
    return true;
}

static uint8_t *marks_of(const th_repair *repair, uint8_t *marks, uint32_t field)
{
    return marks + (size_t)field * TH__EXAMPLES_MAX;
}

/* Which examples of a field a text has; gives how many. */
static uint32_t mark(const th__field_profile *field, th_str text, uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < field->example_count; i++) {
        if (!th__telling(field->examples[i]) ||
            th__find_words(text, field->examples[i], 0) == SIZE_MAX)
            continue;
        marks[i] = 1;
        count++;
    }
    return count;
}

static uint8_t *new_marks(th_repair *repair)
{
    return th__arena_zero(&repair->arena, (size_t)repair->profile->count * TH__EXAMPLES_MAX + 1, 1);
}

th_status th__repair_look(th_repair *repair, th_error *err)
{
    th_text text = {0};
    th_status status = TH_OK;
    repair->on_pages = new_marks(repair);
    if (!repair->on_pages)
        return th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        const th_page *page = repair->pages[i].page;
        status = th__repair_check(repair, err);
        if (!status)
            status = th_page_span_text(page, (th_span){0, (uint32_t)page->text.len}, &text, err);
        for (uint32_t f = 0; !status && f < repair->profile->count; f++)
            if (!repair->targets[f])
                mark(&repair->profile->fields[f], (th_str){text.ptr, text.len},
                     marks_of(repair, repair->on_pages, f));
    }
    th_text_release(&text);
    return status;
}

/* Values differ from record to record: what stands in all of them tells none. */
static bool is_varied(const th__field_profile *field)
{
    return 2 * field->distinct > field->sampled;
}

/* Two values of such a field are two records'. */
static bool is_of_one(const th__field_profile *field)
{
    return is_varied(field) && !th__is_list_path(field->path);
}

static const uint8_t *there(const th_repair *repair, uint32_t field)
{
    return repair->on_pages + (size_t)field * TH__EXAMPLES_MAX;
}

bool th__repair_is_elsewhere(const th_repair *repair, uint32_t field)
{
    const th__field_profile *own = &repair->profile->fields[field];
    th__shown shown = {0};
    for (uint32_t i = 0; i < repair->tally.count && is_of_one(own); i++) {
        const th__field_tally *now = &repair->tally.fields[i];
        if (th__same_path(now->path, own->path) && now->values)
            shown = th__examples_shown(own, there(repair, field), now);
    }
    return th__is_elsewhere(shown);
}

bool th__repair_has_signs(const th_repair *repair, uint32_t field, const th__field_tally *now)
{
    enum { ENOUGH = 3 };
    th__shown shown =
        th__examples_shown(&repair->profile->fields[field], there(repair, field), now);
    return is_varied(&repair->profile->fields[field]) && shown.on_pages >= ENOUGH &&
           10 * shown.given >= 9 * shown.on_pages && shown.signs;
}

/* What a tally has of the examples of a field, and how many values. */
static th__shown shown_by(const th_repair *repair, const th__tally *tally, uint32_t field,
                          uint64_t *values)
{
    const th__field_profile *own = &repair->profile->fields[field];
    *values = 0;
    for (uint32_t i = 0; i < tally->count; i++)
        if (th__same_path(tally->fields[i].path, own->path)) {
            *values = tally->fields[i].values;
            return th__examples_shown(own, there(repair, field), &tally->fields[i]);
        }
    return (th__shown){0};
}

bool th__repair_knows_more(const th_repair *repair, const th__tally *now)
{
    enum { TELLING = 2, FIELDS = 2, TENTHS = 9 };
    double all = 0, had = 0, has = 0;
    uint32_t fields = 0;
    for (uint32_t f = 0; f < repair->profile->count; f++) {
        uint64_t before, after;
        th__shown old = shown_by(repair, &repair->tally, f, &before);
        th__shown own = shown_by(repair, now, f, &after);
        uint32_t on_pages = old.on_pages > own.on_pages ? old.on_pages : own.on_pages;
        double weight = th__field_weight(&repair->profile->fields[f], repair->targets[f]);
        if (on_pages < TELLING ? after < before : own.given < old.given)
            return false;
        fields += on_pages >= TELLING;
        all += weight * on_pages;
        had += weight * old.given;
        has += weight * own.given;
    }
    return fields >= FIELDS && has > had && 10 * has >= TENTHS * all;
}

/* Examples are from all over a sample: those of fields that every record has are of the same
 * records, in their order. Whether a field is such a one; the first is what others are held
 * against. */
static bool is_in_row(const th_repair *repair, uint32_t field, const th__field_profile **first)
{
    const th__field_profile *own = &repair->profile->fields[field];
    bool whole = !repair->targets[field] && is_of_one(own) && own->values == own->chances;
    if (whole && !*first)
        *first = own;
    return whole && own->values == (*first)->values && own->sampled == (*first)->sampled &&
           own->example_count == (*first)->example_count;
}

/* Pairs of examples of the same record among those that are marked. */
static uint32_t count_pairs(const th_repair *repair, const uint8_t *marks)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < TH__EXAMPLES_MAX; i++) {
        const th__field_profile *first = NULL;
        uint32_t count = 0;
        for (uint32_t f = 0; f < repair->profile->count; f++)
            count += is_in_row(repair, f, &first) && marks[(size_t)f * TH__EXAMPLES_MAX + i];
        pairs += count ? count * (count - 1) / 2 : 0;
    }
    return pairs;
}

typedef struct looking {
    uint8_t *in_records, *in_one;
    uint64_t hit, merged; /* records with a value of a field that has one; with several */
    uint64_t pairs;       /* of known values of a record in one record */
} looking;

static void look_at_record(const th_repair *repair, th_str text, looking *l)
{
    bool hit = false, merged = false;
    size_t size = (size_t)repair->profile->count * TH__EXAMPLES_MAX;
    memset(l->in_one, 0, size);
    for (uint32_t f = 0; f < repair->profile->count; f++) {
        const th__field_profile *field = &repair->profile->fields[f];
        if (repair->targets[f])
            continue;
        uint32_t found = mark(field, text, marks_of(repair, l->in_one, f));
        hit = hit || (found && is_of_one(field));
        merged = merged || (found > 1 && is_of_one(field));
    }
    for (size_t i = 0; i < size; i++)
        l->in_records[i] |= l->in_one[i];
    l->hit += hit;
    l->merged += merged;
    l->pairs += hit ? count_pairs(repair, l->in_one) : 0;
}

th_status th__repair_known(th_repair *repair, const th_wrapper *wrapper, th__known *out,
                           th_error *err)
{
    looking l = {.in_records = new_marks(repair), .in_one = new_marks(repair)};
    th__buf text = {0};
    double there = 0, all = 0;
    th_status status = l.in_records && l.in_one ? TH_OK : th__fail_memory(err);
    *out = (th__known){0};
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        th_records *records = NULL;
        status = th__repair_check(repair, err);
        if (!status)
            status = th_wrapper_extract(wrapper, repair->pages[i].page, NULL, &records, err);
        for (size_t j = 0; !status && j < th_records_count(records); j++) {
            th__buf_clear(&text);
            status = gather(th_records_get(records, j), &text) ? TH_OK : th__fail_memory(err);
            if (!status)
                look_at_record(repair, th__buf_str(&text), &l);
        }
        th_records_free(records);
    }
    th__buf_release(&text);
    for (uint32_t f = 0; !status && f < repair->profile->count; f++) {
        uint32_t own = 0, found = 0;
        for (uint32_t i = 0; i < TH__EXAMPLES_MAX; i++) {
            own += marks_of(repair, repair->on_pages, f)[i];
            found +=
                marks_of(repair, repair->on_pages, f)[i] && marks_of(repair, l.in_records, f)[i];
        }
        if (!is_varied(&repair->profile->fields[f]))
            continue;
        double weight = th__field_weight(&repair->profile->fields[f], false);
        out->fields += own > 1;
        out->values += own;
        there += weight * found;
        all += weight * own;
    }
    out->share = all > 0 ? there / all : 0;
    out->pure = l.hit ? 1 - (double)l.merged / (double)l.hit : 0;
    out->pairs = count_pairs(repair, repair->on_pages);
    out->together = out->pairs ? fmin(1, (double)l.pairs / out->pairs) : 0;
    return status;
}
