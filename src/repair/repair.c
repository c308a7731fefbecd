/*
 * repair.c: the steps of a repair: judge the old wrapper, find proposals, judge them.
 *
 * A proposal is offered if
 *   1. its output passes verification against the old profile, without the fields that it does not
 *      find (their loss is reported);
 *   2. it finds at least a third of the broken fields, weighted by importance, and at least one
 *      field of texts beyond doubt; or one by its known values; or its records contain most of the
 *      known values, separately;
 *   3. its records are complete, and are not another list that resembles the old one;
 *   4. no output of the old wrapper on these pages is lost (repair_guard.c);
 *   5. it finds every field that the pages are expected to have, unless losses are allowed.
 *
 * Fields that a proposal finds but that look different are given up first if the rest passes
 * without them.
 *
 * Learning from labels judges proposals by another measure (learn/judge.c), which counts right and
 * wrong values: labels say which text of a page is right. A profile does not say that of any text:
 * it says how the values of a field usually look, how often they are missing and what they were, so
 * a field is accepted unless chance hardly explains the difference, or known values are elsewhere.
 * And labels have no wrapper before them, of which something may be lost.
 */
#include "repair/repair.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "index/view.h"
#include "learn/learn.h"
#include "page/data_page.h"
#include "page/page.h"
#include "page/text.h"

/* A list this like the old one is the old one: other engines are not tried. */
#define SURE_SCORE 0.75
/* A list that is less like the old one, by this, than one that was refused for its losses is
 * another list. */
#define OTHER_LIST 0.25

/* Bounds of likeness between a column and a field; below the upper one only known values, or the
 * same forms and name, leave no doubt. */
#define LIKE_ENOUGH       0.5
#define LIKE_BEYOND_DOUBT 0.6
#define LIKE_KNOWN        0.95
/* Records that contain so many of the known values, separately, are the old ones, whatever their
 * columns. */
#define KNOWN_SHARE 0.7
#define KNOWN_COUNT 0.6
/* The share of fields found and the likeness of the list add up to two for the old list. Lists of
 * other sites also have a title, a link and a date, and mostly stay below this; with known values,
 * less is enough. */
#define SAME_LIST       0.9
#define SAME_LIST_KNOWN 0.6
/* A field that all records had, and what most of them have: see are_whole. */
#define ALWAYS 0.95
#define MOSTLY 0.6

/* ---- taking in ------------------------------------------------------------------------------- */

/* Copies the wrapper's profile without the rest, which is not a field. */
static th_status take_profile(th_repair *repair, th_error *err)
{
    const th__profile *old = repair->wrapper->profile;
    th_str rest;
    th_status status = th__repair_rest(repair->wrapper, &repair->arena, &rest, err);
    th__profile *profile = th__arena_zero(&repair->arena, 1, sizeof *profile);
    if (status)
        return status;
    th__field_profile *fields =
        th__arena_zero(&repair->arena, old->count + 1, sizeof *profile->fields);
    repair->targets = th__arena_zero(&repair->arena, old->count + 1, sizeof *repair->targets);
    repair->broken = th__arena_zero(&repair->arena, old->count + 1, sizeof *repair->broken);
    repair->drifting = th__arena_zero(&repair->arena, old->count + 1, sizeof *repair->drifting);
    if (!profile || !fields || !repair->targets || !repair->broken || !repair->drifting)
        return th__fail_memory(err);
    *profile = *old;
    profile->fields = fields;
    profile->count = 0;
    for (uint32_t i = 0; i < old->count; i++) {
        if (rest.ptr && th__same_path(old->fields[i].path, rest))
            continue;
        const th__field_tally *now = th__tally_find(&repair->tally, i, old->fields[i].path);
        repair->targets[profile->count] = now && now->target;
        fields[profile->count++] = old->fields[i];
    }
    repair->profile = profile;
    return TH_OK;
}

void th_repair_options_defaults(th_repair_options *options, size_t size)
{
    th_repair_options defaults = {0};
    th__options_give(options, size, &defaults, sizeof defaults);
}

th_status th_repair_new(const th_wrapper *wrapper, const th_repair_options *options,
                        th_repair **out, th_error *err)
{
    th_repair_options own = {0};
    th__options_take(&own, sizeof own, options);
    double alpha = own.alpha ? own.alpha : TH_ALPHA;
    *out = NULL;
    if (!wrapper->profile)
        return th__fail(err, TH_ERR_ARGUMENT, "the wrapper " TH__NO_PROFILE);
    if (!(alpha > 0 && alpha < 1))
        return th__fail(err, TH_ERR_ARGUMENT, "alpha must be a probability from 0 to 1");
    if (own.published &&
        (!wrapper->engine->needs_labels ||
         th__type_strip(th_schema_root(th_wrapper_schema(wrapper)))->kind != TH_TYPE_TUPLE))
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "the published reinduction is for wrappers that were learnt from labels, of "
            "pages with one record each");
    th_repair *repair = TH__NEW(th_repair);
    if (!repair)
        return th__fail_memory(err);
    th__arena_init(&repair->arena);
    repair->wrapper = wrapper;
    repair->alpha = alpha;
    th_status status =
        th__tally_init(&repair->tally, th_wrapper_schema(wrapper)) ? TH_OK : th__fail_memory(err);
    repair->cancel = own.cancel;
    repair->new_fields = own.new_fields;
    repair->allow_lost = own.allow_lost;
    repair->published = own.published;
    if (!status && own.date) {
        repair->date = th__arena_copy(&repair->arena, th_str_from(own.date));
        status = repair->date.ptr ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = take_profile(repair, err);
    if (status) {
        th_repair_free(repair);
        return status;
    }
    th__tally_hold(&repair->tally, repair->profile);
    repair->tally.named = wrapper->engine->needs_labels;
    repair->tally.placing = true;
    *out = repair;
    return TH_OK;
}

void th_repair_free(th_repair *repair)
{
    if (!repair)
        return;
    for (uint32_t i = 0; i < repair->page_count; i++) {
        th_page_free(repair->pages[i].page);
        th_page_free(repair->pages[i].part);
        th_records_free(repair->pages[i].given);
    }
    th__tally_release(&repair->tally);
    th_verdict_free(repair->before);
    th_verdict_free(repair->after);
    th__arena_release(&repair->arena);
    th__mem_free(repair);
}

/* Tallies by rules alone: a field that extraction finds only by its looks needs repair. Caller
 * frees the records. */
static th_status tally_page(const th_wrapper *wrapper, const th_page *page,
                            const th_records_source *source, th__tally *tally, th_records **out,
                            th_error *err)
{
    th_status status = th__wrapper_extract_by_rules(wrapper, page, source, out, err);
    if (!status && !th__tally_add(tally, page, *out))
        status = th__fail_memory(err);
    return status;
}

/* Keeps a copy of a page, so that its view is made only once. */
static th_status keep_page(th_repair *repair, const th_page *page, const th_records_source *source,
                           th_error *err)
{
    th__repair_page *kept = &repair->pages[repair->page_count];
    th_str name = source && source->page.ptr ? source->page : TH_STR("");
    kept->source.page = th__arena_copy(&repair->arena, name);
    if (source && source->url.ptr)
        kept->source.url = th__arena_copy(&repair->arena, source->url);
    if (!kept->source.page.ptr || (source && source->url.ptr && !kept->source.url.ptr))
        return th__fail_memory(err);
    th_status status = th_page_copy(page, &kept->page, err);
    repair->page_count += !status;
    return status;
}

static th_status add_page(th_repair *repair, const th_page *page, const th_records_source *source,
                          th_error *err)
{
    /* The view of a copy is made once. A huge page has no such view, and is read before there is a
     * second one of it. */
    bool copied_first = page->node_count <= TH__KEPT_NODES;
    th_records *records = NULL;
    th_status status = th__repair_check(repair, err);
    if (!status && !copied_first)
        status = tally_page(repair->wrapper, page, source, &repair->tally, &records, err);
    th_records_free(records);
    records = NULL;
    if (!status && repair->page_count < TH__REPAIR_PAGES) {
        status = keep_page(repair, page, source, err);
        page = status ? page : repair->pages[repair->page_count - 1].page;
    }
    if (!status && copied_first)
        status = tally_page(repair->wrapper, page, source, &repair->tally, &records, err);
    th_records_free(records);
    return status;
}

/* A wrapper for embedded data is repaired with the data pages. */
th_status th_repair_add(th_repair *repair, const th_page *page, const th_records_source *source,
                        th_error *err)
{
    th_page *data = NULL;
    if (repair->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a repair that has finished takes no more pages");
    th_status status = repair->wrapper->data ? th__data_page_of(page, &data, err) : TH_OK;
    if (!status)
        status = add_page(repair, data ? data : page, source, err);
    th_page_free(data);
    return status;
}

th_status th__repair_run(const th_repair *repair, const th_wrapper *wrapper, bool judged,
                         th__run *out, th_error *err)
{
    *out = (th__run){.wrapper = wrapper};
    th_status status =
        th__tally_init(&out->tally, th_wrapper_schema(wrapper)) ? TH_OK : th__fail_memory(err);
    if (!status)
        th__tally_hold(&out->tally, repair->profile);
    out->tally.named = wrapper->engine->needs_labels;
    out->tally.unsearched = !judged;
    out->tally.neighbourly = judged;
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        status = th__repair_check(repair, err);
        if (!status)
            status = tally_page(wrapper, repair->pages[i].page, &repair->pages[i].source,
                                &out->tally, &out->records[i], err);
    }
    return status;
}

void th__run_release(th__run *run)
{
    for (uint32_t i = 0; i < TH__REPAIR_PAGES; i++)
        th_records_free(run->records[i]);
    th__tally_release(&run->tally);
}

th_status th__repair_given(th_repair *repair, uint32_t page, const th_records **out, th_error *err)
{
    th__repair_page *own = &repair->pages[page];
    th_status status =
        own->given ? TH_OK
                   : th_wrapper_extract(repair->wrapper, own->page, &own->source, &own->given, err);
    *out = own->given;
    return status;
}

void th__proposals_release(th__proposal *proposals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        th_wrapper_free(proposals[i].wrapper);
        th__tally_release(&proposals[i].tally);
    }
}

/* ---- known values -----------------------------------------------------------------------------
 *
 * A site that changes its layout mostly still shows some of what it showed. Where values that the
 * profile has as examples are on the new pages, they show which list is the right one even when its
 * columns are others than before: its records hold them, and none holds two values of a field that
 * has one.
 *
 * Cost: the text of the records, and for each of them the examples of the fields; an example is
 * searched for only in a text that has its longest word.
 */

/* A text, and the hashes of its words. */
typedef struct worded_text {
    th_str text;
    th__key_map words;
} worded_text;

static bool read_words(worded_text *out, th_str text)
{
    size_t end = 0;
    bool ok = true;
    out->text = text;
    th__key_map_clear(&out->words);
    for (th_str word = th__next_word(text, 0, &end); ok && word.len;
         word = th__next_word(text, end, &end))
        ok = th__key_map_put(&out->words, th__hash(word.ptr, word.len), 1);
    return ok;
}

/* Finds the longest word of each example: its hash, or 0 if it has none. */
static th_status find_example_words(th_repair *repair, th_error *err)
{
    const th__profile *profile = repair->profile;
    repair->example_words =
        th__arena_zero(&repair->arena, (size_t)profile->count * TH__EXAMPLES_MAX + 1,
                       sizeof *repair->example_words);
    if (!repair->example_words)
        return th__fail_memory(err);
    for (uint32_t f = 0; f < profile->count; f++)
        for (uint32_t i = 0; i < profile->fields[f].example_count; i++) {
            th_str example = profile->fields[f].examples[i], longest = {0};
            size_t end = 0;
            for (th_str word = th__next_word(example, 0, &end); word.len;
                 word = th__next_word(example, end, &end))
                longest = word.len > longest.len ? word : longest;
            if (longest.len)
                repair->example_words[(size_t)f * TH__EXAMPLES_MAX + i] =
                    th__hash(longest.ptr, longest.len);
        }
    return TH_OK;
}

/* Appends all texts of a value, one per line. Depth is that of the schema. */
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

static uint8_t *marks_of(uint8_t *marks, uint32_t field)
{
    return marks + (size_t)field * TH__EXAMPLES_MAX;
}

/* Marks the examples of a field that a text contains; returns their number. */
static uint32_t mark(const th_repair *repair, uint32_t field, const worded_text *in, uint8_t *marks)
{
    const th__field_profile *own = &repair->profile->fields[field];
    const uint64_t *words = &repair->example_words[(size_t)field * TH__EXAMPLES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < own->example_count; i++) {
        if (!th__telling(own->examples[i]) ||
            (words[i] && !th__key_map_get(&in->words, words[i])) ||
            th__find_words(in->text, own->examples[i], 0) == SIZE_MAX)
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

static th_status look_for_examples(th_repair *repair, th_error *err)
{
    th_text text = {0};
    worded_text in = {0};
    th_status status = find_example_words(repair, err);
    repair->on_pages = new_marks(repair);
    if (!status && !repair->on_pages)
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        const th_page *page = repair->pages[i].page;
        status = th__repair_check(repair, err);
        if (!status)
            status = th_page_span_text(page, (th_span){0, (uint32_t)page->text.len}, &text, err);
        if (!status && !read_words(&in, (th_str){text.ptr, text.len}))
            status = th__fail_memory(err);
        for (uint32_t f = 0; !status && f < repair->profile->count; f++)
            if (!repair->targets[f])
                mark(repair, f, &in, marks_of(repair->on_pages, f));
    }
    th__key_map_release(&in.words);
    th_text_release(&text);
    return status;
}

/* Returns true if two values of a field always belong to two records. */
static bool is_of_one(const th__field_profile *field)
{
    return th__is_varied(field) && !th__is_list_path(field->path);
}

/* Counts the examples of a field that a tally has, and its values. */
static th__shown shown_by(const th_repair *repair, const th__tally *tally, uint32_t field,
                          uint64_t *values)
{
    const th__field_profile *own = &repair->profile->fields[field];
    const th__field_tally *now = th__column_of(repair, tally, field);
    *values = now ? now->values : 0;
    return now ? th__examples_shown(own, marks_of(repair->on_pages, field), now) : (th__shown){0};
}

static bool is_elsewhere(const th_repair *repair, uint32_t field)
{
    uint64_t values;
    th__shown shown = shown_by(repair, &repair->tally, field, &values);
    return values && is_of_one(&repair->profile->fields[field]) && th__is_elsewhere(shown);
}

static bool knows_more(const th_repair *repair, const th__tally *now)
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

typedef struct known_search {
    uint8_t *in_records, *in_one;
    uint64_t hit, merged; /* records with one value of a single-valued field; with several */
} known_search;

static void look_at_record(const th_repair *repair, const worded_text *in, known_search *l)
{
    bool hit = false, merged = false;
    size_t size = (size_t)repair->profile->count * TH__EXAMPLES_MAX;
    memset(l->in_one, 0, size);
    for (uint32_t f = 0; f < repair->profile->count; f++) {
        const th__field_profile *field = &repair->profile->fields[f];
        if (repair->targets[f])
            continue;
        uint32_t found = mark(repair, f, in, marks_of(l->in_one, f));
        hit = hit || (found && is_of_one(field));
        merged = merged || (found > 1 && is_of_one(field));
    }
    for (size_t i = 0; i < size; i++)
        l->in_records[i] |= l->in_one[i];
    l->hit += hit;
    l->merged += merged;
}

th_status th__repair_known(th_repair *repair, const th__run *run, th__known *out, th_error *err)
{
    known_search l = {.in_records = new_marks(repair), .in_one = new_marks(repair)};
    th__buf text = {0};
    worded_text in = {0};
    double there = 0, all = 0;
    th_status status = l.in_records && l.in_one ? TH_OK : th__fail_memory(err);
    *out = (th__known){0};
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        const th_records *records = run->records[i];
        status = th__repair_check(repair, err);
        for (size_t j = 0; !status && j < th_records_count(records); j++) {
            th__buf_clear(&text);
            bool ok =
                gather(th_records_get(records, j), &text) && read_words(&in, th__buf_str(&text));
            status = ok ? TH_OK : th__fail_memory(err);
            if (ok)
                look_at_record(repair, &in, &l);
        }
    }
    th__key_map_release(&in.words);
    th__buf_release(&text);
    for (uint32_t f = 0; !status && f < repair->profile->count; f++) {
        uint32_t own = 0, found = 0;
        for (uint32_t i = 0; i < TH__EXAMPLES_MAX; i++) {
            own += marks_of(repair->on_pages, f)[i];
            found += marks_of(repair->on_pages, f)[i] && marks_of(l.in_records, f)[i];
        }
        if (!th__is_varied(&repair->profile->fields[f]))
            continue;
        double weight = th__field_weight(&repair->profile->fields[f], false);
        out->fields += own > 1;
        out->values += own;
        there += weight * found;
        all += weight * own;
    }
    out->share = all > 0 ? there / all : 0;
    out->pure = l.hit ? 1 - (double)l.merged / (double)l.hit : 0;
    return status;
}

/* ---- fields ------------------------------------------------------------------------------------
 */

static const th_evidence *evidence_of(const th_verdict *verdict, th_str path)
{
    for (uint32_t i = 1; verdict && i < verdict->count; i++)
        if (th__same_path(verdict->evidence[i].path, path))
            return &verdict->evidence[i];
    return NULL;
}

/* A present value of the field: the first of its sample. */
static th_str example_of(th_repair *repair, const th__tally *tally, uint32_t field)
{
    const th__field_tally *now = th__column_of(repair, tally, field);
    return now && now->sample.len ? th__arena_copy(&repair->arena, now->sample.data[0].text)
                                  : (th_str){0};
}

/* Returns true if a field has dates in another format than before: that is not drift. */
static bool is_rewritten(const th_repair *repair, const th__proposal *proposal,
                         const th__tally *tally, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = th__column_of(repair, tally, field);
    return now && now->values && proposal->match.likeness[field] < LIKE_BEYOND_DOUBT &&
           th__has_dates(old) && th__column_has_dates(now);
}

/* Verifies with a profile that lacks the fields which a proposal does not find. */
static th_status verify_proposal(th_repair *repair, const th__proposal *proposal,
                                 const th__tally *tally, th_verdict **out, th_error *err)
{
    th__profile found = *repair->profile;
    found.count = 0;
    found.fields = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *found.fields);
    if (!found.fields)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < repair->profile->count; i++)
        if (th__proposal_has(proposal, i) && !is_rewritten(repair, proposal, tally, i))
            found.fields[found.count++] = repair->profile->fields[i];
    return th__verify(tally, &found, repair->alpha, false, out, err);
}

/* Returns true if a proposal has a field: matched, and not significantly different. A profile of
 * one or two pages cannot judge single fields: then likeness is enough. */
static bool has_field(const th_repair *repair, const th__proposal *proposal, uint32_t field)
{
    const th_evidence *e = evidence_of(repair->after, repair->profile->fields[field].path);
    if (!th__proposal_has(proposal, field) || !e)
        return false;
    return !e->drift ||
           (repair->profile->pages < 3 && proposal->match.likeness[field] >= LIKE_ENOUGH);
}

/* Returns true if a list is not the wrapper's: it has few of the broken fields, and its columns are
 * hardly like the fields. */
static bool is_other_list(const th_repair *repair, const th__proposal *proposal, double found,
                          bool known)
{
    known = known || (proposal->known.values && proposal->known.share > 0);
    return th__finds_lists(repair->wrapper->engine) &&
           found + proposal->score < (known ? SAME_LIST_KNOWN : SAME_LIST);
}

/* Returns true if records are complete: most of them have at least one of the fields that all
 * records had. A list without any in two records of three splits records. */
bool th__repair_is_whole(const th_repair *repair, const th__proposal *proposal,
                         const th__tally *tally)
{
    bool always = false;
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        const th__field_profile *old = &repair->profile->fields[i];
        const th__field_tally *now = th__column_of(repair, tally, i);
        if (!th__proposal_has(proposal, i) || !now || th__is_list_path(now->path) ||
            (double)old->values < ALWAYS * (double)old->chances)
            continue;
        always = true;
        if ((double)now->values >= MOSTLY * (double)tally->records)
            return true;
    }
    return !always;
}

/* Decides the outcome of each field, and if the proposal is good enough. */
static th_status weigh(th_repair *repair, const th__proposal *proposal, const th__tally *tally,
                       bool *good, th_error *err)
{
    uint32_t count = repair->profile->count;
    double broken = 0, mended = 0;
    bool sure = false, known = false;
    th_field_repair *fields = th__arena_zero(&repair->arena, count + 1, sizeof *fields);
    if (!fields)
        return th__fail_memory(err);
    *good = !repair->after->drift && th__repair_is_whole(repair, proposal, tally);
    for (uint32_t i = 0; i < count; i++) {
        const th__field_profile *field = &repair->profile->fields[i];
        bool found = has_field(repair, proposal, i);
        double weight = th__field_weight(field, repair->targets[i]);
        fields[i] = (th_field_repair){.path = field->path,
                                      .outcome = !field->values      ? TH_FIELD_KEPT
                                                 : !found            ? TH_FIELD_LOST
                                                 : repair->broken[i] ? TH_FIELD_REPAIRED
                                                                     : TH_FIELD_KEPT,
                                      .likeness = proposal->match.likeness[i]};
        if (found)
            fields[i].example = example_of(repair, tally, i);
        sure = sure ||
               (found && !repair->targets[i] && proposal->match.likeness[i] >= LIKE_BEYOND_DOUBT);
        /* A word that all records had may be anywhere. */
        known = known || (found && !repair->targets[i] && weight >= TH__WEIGHT_TO_MISS &&
                          th__is_varied(field) && proposal->match.likeness[i] >= LIKE_KNOWN);
        if (repair->broken[i]) {
            broken += weight;
            mended += found ? weight : 0;
        }
    }
    const th__known *k = &proposal->known;
    known =
        known || (k->fields && k->share * k->pure >= KNOWN_SHARE && proposal->count >= KNOWN_COUNT);
    *good = *good && (known || (sure && 3 * mended >= broken)) && mended > 0 &&
            !is_other_list(repair, proposal, mended / fmax(broken, mended), known);
    repair->fields = fields;
    repair->field_count = count;
    return TH_OK;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Returns true if the old wrapper finds only wrong records; not if it just misses some. */
static bool reads_nothing(const th_repair *repair)
{
    const th_evidence *all = &repair->before->evidence[0];
    return all->drift && strcmp(all->test, "left");
}

/* Decides which fields are broken: all if the old wrapper finds no records, or not all of them,
 * else those that drift. */
static th_status judge_old(th_repair *repair, th_error *err)
{
    th_status status = th__verify(&repair->tally, repair->wrapper->profile, repair->alpha,
                                  repair->published, &repair->before, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        const th_evidence *e = evidence_of(repair->before, repair->profile->fields[i].path);
        repair->drifting[i] = reads_nothing(repair) || (e && e->drift);
        repair->broken[i] = repair->before->evidence[0].drift || (e && e->drift);
        /* If a wrapper that was learnt from labels is broken, so are its changed fields. */
        if (repair->wrapper->engine->needs_labels && repair->before->drift && e && e->changed)
            repair->broken[i] = true;
    }
    return TH_OK;
}

/* Returns true if most of its values are placed. */
static bool is_placed(const th_repair *repair, uint32_t field)
{
    const th__field_tally *now = th__column_of(repair, &repair->tally, field);
    return now && now->placed_of && 2 * now->placed > now->placed_of;
}

/* Marks fields as broken that look as before but lack their known values: a similar field has taken
 * their place. Only if there is something to repair. */
static void judge_known(th_repair *repair)
{
    for (uint32_t i = 0; i < repair->profile->count; i++)
        if (!repair->drifting[i] && !is_placed(repair, i) && is_elsewhere(repair, i))
            repair->drifting[i] = repair->broken[i] = true;
}

/* Gives up fields that look different. False if there are none. */
static bool give_up_fields(const th_repair *repair, th__proposal *proposal)
{
    bool some = false;
    for (uint32_t i = 0; repair->after->drift && i < repair->profile->count; i++) {
        const th_evidence *e = evidence_of(repair->after, repair->profile->fields[i].path);
        if (!th__proposal_has(proposal, i) || !e || !e->drift)
            continue;
        proposal->match.column[i] = TH__NO_COLUMN;
        if (proposal->parts)
            proposal->parts[i].count = 0;
        some = true;
    }
    return some;
}

/* Tries a proposal: *out is the repaired wrapper if it passes. */
static th_status try_once(th_repair *repair, const th__proposal *proposal, th_wrapper **out,
                          th_error *err)
{
    th_wrapper *named;
    th__run run;
    th_verdict *verdict = NULL;
    bool good = false, worse = false;
    th_status status = th__repair_rewrite(repair, proposal, &named, err);
    if (status || !named)
        return status;
    status = th__repair_run(repair, named, true, &run, err);
    if (!status)
        status = verify_proposal(repair, proposal, &run.tally, &verdict, err);
    if (!status) {
        th_verdict_free(repair->after);
        repair->after = verdict;
        status = weigh(repair, proposal, &run.tally, &good, err);
    }
    if (!status && good)
        status = th__repair_guard(repair, &run, &worse, err);
    /* A template takes in whatever is at the place of its rules: if known values of fields are on
     * the pages, these identify the fields, and other texts are no loss. */
    if (!status && worse && named->engine->learn_corpus && knows_more(repair, &run.tally))
        worse = false;
    if (!status && worse)
        repair->refused = fmax(repair->refused, proposal->score);
    if (!status && good && !worse)
        status = th__repair_complete(repair, named, &run.tally, out, err);
    th__run_release(&run);
    th_wrapper_free(named);
    return status;
}

/* Returns true if only a part of some field is found. */
static bool has_parts(const th_repair *repair, const th__proposal *proposal)
{
    bool some = false;
    for (uint32_t i = 0; proposal->parts && i < repair->profile->count; i++)
        some = some || proposal->parts[i].count;
    return some;
}

/* A field that a user merged from several columns matches no column of a proposal: a similar one
 * contains only a part of it. */
static void leave_merged(const th_repair *repair, th__proposal *proposal)
{
    const th__select *select = repair->wrapper->select;
    for (uint32_t i = 0; select && i < repair->profile->count; i++)
        for (uint32_t f = 0; f < select->count; f++) {
            const th__select_field *field = &select->fields[f];
            if (!(field->part_count || field->between.ptr) ||
                !th__str_eq(th__field_name(repair->profile->fields[i].path), field->name))
                continue;
            proposal->match.column[i] = TH__NO_COLUMN;
            if (proposal->parts)
                proposal->parts[i].count = 0;
        }
}

static th_status try_proposal(th_repair *repair, th__proposal *proposal, th_wrapper **out,
                              th_error *err)
{
    th_status status = TH_OK;
    bool flat = !proposal->named && !proposal->wrapper->engine->learn_corpus;
    if (flat)
        status = th__repair_parts(repair, proposal, err);
    if (!status && flat)
        leave_merged(repair, proposal);
    /* Without parts the old rules may stay, unless the wrapper is already a selection or the
     * proposal is of another engine. */
    if (!status && !repair->wrapper->select && !has_parts(repair, proposal) &&
        proposal->wrapper->engine == repair->wrapper->engine)
        proposal->parts = NULL;
    if (!status)
        status = try_once(repair, proposal, out, err);
    if (!status && !*out && repair->after && give_up_fields(repair, proposal))
        status = try_once(repair, proposal, out, err);
    return status;
}

/* The report on a proposal. */
typedef struct told {
    th_verdict *after;
    th_field_repair *fields;
    uint32_t field_count;
} told;

static told take_told(th_repair *repair)
{
    told own = {repair->after, repair->fields, repair->field_count};
    repair->after = NULL;
    return own;
}

static void tell(th_repair *repair, const told *own)
{
    th_verdict_free(repair->after);
    repair->after = own->after;
    repair->fields = own->fields;
    repair->field_count = own->field_count;
}

/* Tries proposals until one passes, best first; the report of a failed repair is about the best
 * one. */
static th_status try_all(th_repair *repair, th__proposal *proposals, size_t count, th_wrapper **out,
                         th_error *err)
{
    enum { TRIED = 4 };
    told best = {0};
    th_status status = TH_OK;
    for (size_t i = 0; !status && !*out && i < count && i < TRIED; i++) {
        if (proposals[i].score < repair->refused - OTHER_LIST)
            break;
        status = try_proposal(repair, &proposals[i], out, err);
        if (!status && !*out && !i)
            best = take_told(repair);
    }
    if (!*out && best.after)
        tell(repair, &best);
    else
        th_verdict_free(best.after);
    return status;
}

/* If no list of the wrapper's own engine passes, tries those of other engines. The report stays
 * about the own engine. */
static th_status try_others(th_repair *repair, th_wrapper **out, th_error *err)
{
    th__proposal proposals[TH__REPAIR_ALL];
    size_t count = 0;
    told best = take_told(repair);
    th_status status = th__repair_find(repair, NULL, proposals, &count, err);
    if (!status)
        status = try_all(repair, proposals, count, out, err);
    th__proposals_release(proposals, count);
    if (!*out)
        tell(repair, &best);
    else
        th_verdict_free(best.after);
    return status;
}

/* Counts the fields that a repaired wrapper does not find, except those that may just be absent
 * from these pages. An unnamed column with one constant text ("Read more") belongs to the old
 * layout: a redesign that drops it loses no data. */
static uint32_t count_lost(const th_repair *repair)
{
    bool named = repair->wrapper->engine->needs_labels || repair->wrapper->select;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < repair->field_count; i++) {
        const th__field_profile *old = &repair->profile->fields[i];
        lost += repair->fields[i].outcome == TH_FIELD_LOST &&
                th__field_weight(old, repair->targets[i]) >= TH__WEIGHT_TO_MISS &&
                (named || old->distinct > 1 || old->sampled == 1);
    }
    return lost;
}

/* Returns true if there is something to repair: a field that most records had, even without an
 * alarm. A proposal must find it again. */
static bool is_broken(const th_repair *repair)
{
    bool broken = repair->before->drift;
    for (uint32_t i = 0; !broken && i < repair->profile->count; i++)
        broken = repair->broken[i] && th__field_weight(&repair->profile->fields[i],
                                                       repair->targets[i]) >= TH__WEIGHT_TO_MISS;
    return broken;
}

/* Decides the outcome of each field, and if the new wrapper passes the paper's test. */
static th_status weigh_published(th_repair *repair, const th__run *run, th_error *err)
{
    uint32_t count = repair->profile->count;
    th_verdict_free(repair->after);
    repair->after = NULL;
    repair->fields = th__arena_zero(&repair->arena, count + 1, sizeof *repair->fields);
    if (!repair->fields)
        return th__fail_memory(err);
    th_status status =
        th__verify(&run->tally, repair->wrapper->profile, repair->alpha, true, &repair->after, err);
    for (uint32_t i = 0; !status && i < count; i++) {
        th_str path = repair->profile->fields[i].path;
        const th__field_tally *now = th__column_of(repair, &run->tally, i);
        const th_evidence *e = evidence_of(repair->after, path);
        bool found = now && now->values && !(e && e->drift);
        repair->fields[i] =
            (th_field_repair){.path = path,
                              .outcome = !found && repair->profile->fields[i].values ? TH_FIELD_LOST
                                         : repair->broken[i] ? TH_FIELD_REPAIRED
                                                             : TH_FIELD_KEPT,
                              .likeness = e ? e->p : 0};
        if (found && now->sample.len) {
            repair->fields[i].example = th__arena_copy(&repair->arena, now->sample.data[0].text);
            status = repair->fields[i].example.ptr ? TH_OK : th__fail_memory(err);
        }
    }
    repair->field_count = count;
    return status;
}

/* The paper's method: clusters become labels, and the engine learns again. A field that still
 * drifts is lost. */
static th_status finish_published(th_repair *repair, th_wrapper **out, th_error *err)
{
    th__buf labels = {0};
    th_wrapper *learnt = NULL;
    th__run run = {0};
    th_status status = th__reinduce(repair, repair->before->evidence[0].drift, &labels, err);
    if (!status)
        status =
            th__repair_learn_lines(repair, repair->wrapper->engine->name, &labels, &learnt, err);
    if (!status && learnt)
        status = th__repair_run(repair, learnt, true, &run, err);
    if (!status && learnt)
        status = weigh_published(repair, &run, err);
    if (!status && learnt && !repair->after->evidence[0].drift)
        status = th__repair_complete(repair, learnt, &run.tally, out, err);
    th__run_release(&run);
    th_wrapper_free(learnt);
    th__buf_release(&labels);
    return status;
}

/* Our method: proposals of several kinds; the best one that passes is taken. */
static th_status finish_proposed(th_repair *repair, th_wrapper **out, th_error *err)
{
    th__proposal proposals[TH__REPAIR_ALL];
    size_t count = 0;
    const th__engine *engine = repair->wrapper->engine;
    th_status status = look_for_examples(repair, err);
    if (!status)
        judge_known(repair);
    if (!status)
        status = engine->needs_labels
                     ? th__repair_label(repair, proposals, &count, err)
                     : th__repair_find(repair, engine->name, proposals, &count, err);
    bool lists = th__finds_lists(engine);
    bool sure = count && proposals[0].score >= SURE_SCORE;
    if (!status && lists && !sure)
        status = th__repair_find(repair, NULL, proposals, &count, err);
    if (!status)
        status = try_all(repair, proposals, count, out, err);
    if (!status && !*out && lists && sure)
        status = try_others(repair, out, err);
    th__proposals_release(proposals, count);
    return status;
}

/* Searches for the link to the next page again, if the old wrapper had a rule for it. */
static th_status find_next(const th_repair *repair, th_wrapper *wrapper, th_error *err)
{
    const th_page *pages[TH__REPAIR_PAGES];
    for (uint32_t i = 0; i < repair->page_count; i++)
        pages[i] = repair->pages[i].page;
    return repair->wrapper->next ? th_wrapper_learn_next(wrapper, pages, repair->page_count, err)
                                 : TH_OK;
}

th_status th_repair_finish(th_repair *repair, th_wrapper **out, th_error *err)
{
    *out = NULL;
    if (repair->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a repair returns one wrapper");
    if (!repair->page_count)
        return th__fail(err, TH_ERR_ARGUMENT, "no pages to repair the wrapper with");
    repair->finished = true;
    th_status status = judge_old(repair, err);
    if (status || !is_broken(repair))
        return status;
    if (repair->before->drift)
        repair->outcome = TH_OUTCOME_BROKEN;
    status =
        repair->published ? finish_published(repair, out, err) : finish_proposed(repair, out, err);
    if (!status && *out)
        status = find_next(repair, *out, err);
    status = th__cancel_status(&repair->cancel, status, err);
    if (*out)
        repair->lost = count_lost(repair);
    if (status || (repair->lost && !repair->allow_lost)) {
        th_wrapper_free(*out);
        *out = NULL;
    }
    if (*out) {
        repair->outcome = TH_OUTCOME_REPAIRED;
        (*out)->data = repair->wrapper->data;
    }
    /* Without an alarm, missing fields are not reported. */
    if (repair->outcome == TH_OUTCOME_FINE)
        repair->field_count = 0;
    return status;
}

/* ---- what became of it, as JSON and in words ------------------------------------------------- */

th_outcome th_repair_outcome(const th_repair *repair)
{
    return repair->outcome;
}

const char *th_outcome_name(th_outcome outcome)
{
    static const char *const names[] = {"fine", "repaired", "broken"};
    return (unsigned)outcome < 3 ? names[outcome] : "unknown";
}

const char *th_field_outcome_name(th_field_outcome outcome)
{
    static const char *const names[] = {"kept", "repaired", "lost"};
    return (unsigned)outcome < 3 ? names[outcome] : "unknown";
}

const th_verdict *th_repair_before(const th_repair *repair)
{
    return repair->before;
}

const th_verdict *th_repair_after(const th_repair *repair)
{
    return repair->after;
}

size_t th_repair_count(const th_repair *repair)
{
    return repair->field_count;
}

const th_field_repair *th_repair_get(const th_repair *repair, size_t index)
{
    return index < repair->field_count ? &repair->fields[index] : NULL;
}

static void write_clusters(const th_repair *repair, th__json *json)
{
    th__json_key(json, TH_STR("clusters"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < repair->cluster_count; i++) {
        const th__told_cluster *c = &repair->clusters[i];
        th__json_begin_object(json);
        th__json_put_text(json, "field", c->path);
        th__json_put_uint(json, "rank", c->rank);
        th__json_key(json, TH_STR("score"));
        th__json_double(json, (double)lrint(c->score * 1000) / 1000);
        th__json_put_text(json, "words", c->words);
        th__json_end_object(json);
    }
    th__json_end_array(json);
}

/* The ranked clusters of each field; the first was taken. */
static void explain_clusters(const th_repair *repair, th__buf *out)
{
    for (uint32_t i = 0; i < repair->cluster_count; i++) {
        const th__told_cluster *c = &repair->clusters[i];
        if (!i || !th__str_eq(c->path, repair->clusters[i - 1].path))
            th__buf_printf(out, "clusters of %.*s\n", TH_STR_ARG(c->path));
        th__buf_printf(out, "  %u  score %.2f, %.*s\n", c->rank, c->score, TH_STR_ARG(c->words));
    }
}

th_status th_repair_to_json(const th_repair *repair, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    bool repaired = repair->outcome == TH_OUTCOME_REPAIRED;
    th__json_begin_object(&json);
    th__json_put_text(&json, "outcome", th_str_from(th_outcome_name(repair->outcome)));
    th__json_put_uint(&json, "version", repair->wrapper->version + repaired);
    th__json_key(&json, TH_STR("fields"));
    th__json_begin_array(&json);
    for (uint32_t i = 0; i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        th__json_begin_object(&json);
        th__json_put_text(&json, "field", field->path);
        th__json_put_text(&json, "outcome", th_str_from(th_field_outcome_name(field->outcome)));
        th__json_key(&json, TH_STR("likeness"));
        th__json_double(&json, (double)(long)(field->likeness * 1000 + 0.5) / 1000);
        th__json_key(&json, TH_STR("example"));
        if (field->example.ptr)
            th__json_str(&json, field->example);
        else
            th__json_null(&json);
        th__json_end_object(&json);
    }
    th__json_end_array(&json);
    if (repair->clusters)
        write_clusters(repair, &json);
    th__json_end_object(&json);
    return th__text_give(&buf, out, err);
}

th_status th_repair_explain(const th_repair *repair, th_text *out, th_error *err)
{
    static const char *const words[] = {
        "fine: nothing to repair\n", "repaired: the new wrapper reads the pages as the old one did",
        "broken: no wrapper reads the pages as the old one did; the best attempt:\n"};
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    bool refused = repair->outcome == TH_OUTCOME_BROKEN && repair->lost;
    uint32_t lost = 0;
    if (!refused)
        th__buf_add_str(&buf, th_str_from(words[repair->outcome]));
    for (uint32_t i = 0; i < repair->field_count; i++)
        lost += repair->fields[i].outcome == TH_FIELD_LOST;
    if (refused)
        th__buf_printf(&buf,
                       "broken: the best new wrapper loses %u of %u fields and is not used; "
                       "--allow-lost accepts it\n",
                       lost, repair->field_count);
    if (repair->outcome == TH_OUTCOME_REPAIRED)
        th__buf_printf(&buf, lost ? ", except %u of %u fields\n" : "\n", lost, repair->field_count);
    for (uint32_t i = 0; i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        th__buf_printf(&buf, "  %-8s  %.*s", th_field_outcome_name(field->outcome),
                       TH_STR_ARG(field->path));
        if (field->example.ptr)
            th__buf_printf(&buf, ": %.*s", TH_STR_ARG(field->example));
        th__buf_add_byte(&buf, '\n');
    }
    if (repair->outcome == TH_OUTCOME_BROKEN && !repair->field_count)
        th__buf_add_str(&buf, TH_STR("  no records like the old ones\n"));
    explain_clusters(repair, &buf);
    return th__text_give(&buf, out, err);
}
