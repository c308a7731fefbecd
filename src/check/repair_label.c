/*
 * repair_label.c: the values of fields found again on changed pages, for engines that learn from
 * labels: the paper's reinduction.
 *
 *   1. Candidates: every piece of text that may be a value (seq/leaves.h), also without the label
 *      and colon before it; targets of links and images for fields that hold such.
 *   2. Clusters: candidates of all pages that stand in the same place. Places are told by the path
 *      of elements with their classes and by a landmark, the text before; where that is of the page
 *      alone, by the position among candidates of the same path. Only text that is visible counts.
 *   3. A cluster is as like a field as its candidates are on the average of the pages: beginning,
 *      ending and length as in the field's profile, or a value that it had (match.h). Pages without
 *      a candidate count as unlike. A text that is the same everywhere is no value of a field whose
 *      values differed.
 *   4. The best cluster of each field labels the pages, fields best found first. What the old
 *      wrapper still reads keeps the places where it reads it.
 *
 * Pages of many records are labelled by the lists that the auto engine finds there instead, columns
 * matched by profile as in repair_find.c.
 *
 * Cost: fields x candidates, and sorting them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/vec.h"
#include "check/repair.h"
#include "page/page.h"
#include "seq/view.h"

enum {
    LEAVES_MAX = 4000, /* of a page: what stands behind them is no field of one record */
    TEXT_MAX = 2000    /* bytes of a value: longer texts are no fields */
};

/* Less than this is no likeness. */
#define LEAST_CLUSTER 0.35
/* What is left of a cluster's likeness when its text is the same on all pages. */
#define CONSTANT_PART 0.3

typedef struct candidate {
    uint32_t page;
    th_span span;
    bool target;
    th__sample sample; /* text in the arena */
} candidate;

/* A candidate in one of the places that it can be told by. */
typedef struct spot {
    uint64_t place;
    uint32_t candidate;
} spot;

typedef struct finder {
    th_repair *repair;
    th__arena arena;
    uint32_t pages; /* that are labelled */
    TH__VEC(candidate) candidates;
    TH__VEC(spot) spots;
    th_text text;
    uint64_t *chosen; /* by field: the place, or 0 */
    bool *used;       /* by candidate */
    double *likeness; /* by candidate, of the field at hand */
} finder;

/* ---- candidates ------------------------------------------------------------------------------ */

static bool add_spots(finder *f, uint64_t path, uint64_t kind, uint64_t before, uint32_t nth)
{
    uint32_t at = (uint32_t)f->candidates.len - 1;
    uint64_t place = th__hash_mix(path, kind);
    spot by_landmark = {th__hash_mix(place, before) | 1, at};
    spot by_position = {th__hash_mix(place, nth + 1) | 1, at};
    return th__vec_push(&f->spots, by_landmark) && th__vec_push(&f->spots, by_position);
}

static bool add_candidate(finder *f, uint32_t page, th_span span, th_str text, bool target)
{
    candidate c = {.page = page, .span = span, .target = target};
    c.sample.text = th__arena_copy(&f->arena, text);
    c.sample.hash = th__hash(text.ptr, text.len);
    c.sample.length = th__log_length(text.len);
    if (!c.sample.text.ptr || !th__vec_push(&f->candidates, c))
        return false;
    candidate *put = &f->candidates.data[f->candidates.len - 1];
    th__dp_split(put->sample.text, &put->sample.value);
    return true;
}

/* How many candidates of a path there were before this one on the page: a small table of counts
 * that may mix up paths, which costs a place and no harm. */
enum { COUNTS = 4096 };

typedef struct page_walk {
    uint32_t page;
    const th_page *at;
    const th__view *view;
    uint32_t counts[COUNTS];
} page_walk;

static bool add_texts(finder *f, page_walk *w, uint32_t leaf, uint64_t before)
{
    enum { WHOLE = 1, BEHIND_LABEL = 2 };
    const th__leaf *l = &w->view->leaves.data[leaf];
    uint64_t path = th__view_key(w->view, 0, l->node);
    th_span span = th__leaf_span(w->at, l);
    uint32_t nth = w->counts[path % COUNTS]++;
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    th_str text = {f->text.ptr, f->text.len};
    if (!text.len || text.len > TEXT_MAX)
        return true;
    if (!add_candidate(f, w->page, span, text, false) || !add_spots(f, path, WHOLE, before, nth))
        return false;
    /* "Price: 12": the label is told by its own text. */
    th_str source = th__page_slice(w->at, span.start, span.end);
    size_t colon = th__str_find(source, TH_STR(": "));
    if (colon == SIZE_MAX || memchr(source.ptr, '<', colon))
        return true;
    uint64_t label = th__hash(source.ptr, colon);
    span.start += (uint32_t)colon + 2;
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    text = (th_str){f->text.ptr, f->text.len};
    return !text.len || (add_candidate(f, w->page, span, text, false) &&
                         add_spots(f, path, BEHIND_LABEL, label, nth));
}

/* The target of a link or the source of an image. */
static bool add_target(finder *f, page_walk *w, uint32_t node)
{
    static const struct {
        const char *tag, *attribute;
    } kinds[] = {{"a", "href"}, {"img", "src"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        th_str value;
        uint32_t token = w->at->nodes[node].token;
        if (w->at->tags[node] != th_tag_id(th_str_from(kinds[i].tag)) ||
            !th_attr_get(w->at, token, kinds[i].attribute, &value) || !value.len ||
            value.len > TEXT_MAX)
            continue;
        uint32_t start = (uint32_t)(value.ptr - w->at->text.ptr);
        uint64_t path = th__view_key(w->view, 0, node);
        uint32_t nth = w->counts[(path + i + 1) % COUNTS]++;
        if (th_attr_text(value, &f->text, NULL))
            return false;
        if (!add_candidate(f, w->page, (th_span){start, start + (uint32_t)value.len},
                           (th_str){f->text.ptr, f->text.len}, true) ||
            !add_spots(f, path, 3 + i, 0, nth))
            return false;
    }
    return true;
}

static bool has_targets(const th_repair *repair)
{
    bool some = false;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        some = some || repair->targets[i];
    return some;
}

static bool walk_page(finder *f, uint32_t page)
{
    page_walk *w = TH__NEW(page_walk);
    th__arena arena;
    th__view view;
    bool ok = w != NULL;
    th__arena_init(&arena);
    if (ok) {
        *w = (page_walk){.page = page, .at = f->repair->pages[page].page, .view = &view};
        ok = th__view_make(&arena, w->at, &view);
    }
    uint32_t count = ok && view.leaves.count < LEAVES_MAX ? view.leaves.count : LEAVES_MAX;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_texts(f, w, i, i ? view.leaves.data[i - 1].hash : 0);
    for (uint32_t i = 1; ok && has_targets(f->repair) && i < w->at->node_count; i++)
        ok = add_target(f, w, i);
    th__arena_release(&arena);
    th__mem_free(w);
    return ok;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* How like a field a cluster is: spots from `from` to `to`. Of several candidates on a page the
 * first counts, and that there are several speaks against the place, unless the field is a list. */
static double cluster_likeness(const finder *f, uint32_t field, size_t from, size_t to, bool list)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double sum = 0,
           share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    uint32_t on_pages = 0, last = UINT32_MAX, several = 0;
    bool same = true;
    uint64_t first = f->candidates.data[f->spots.data[from].candidate].sample.hash;
    for (size_t i = from; i < to; i++) {
        uint32_t at = f->spots.data[i].candidate;
        const candidate *c = &f->candidates.data[at];
        same = same && c->sample.hash == first;
        if (f->used[at])
            return 0;
        if (c->page == last) {
            several++;
            continue;
        }
        last = c->page;
        on_pages++;
        sum += f->likeness[at];
    }
    /* A field that was often missing may be so now. */
    double wanted = (double)f->pages * (share < 1 ? share : 1);
    double likeness = sum / (wanted > on_pages ? wanted : on_pages);
    if (several && !list)
        likeness /= 1 + (double)several / on_pages;
    if (same && on_pages > 1 && 2 * profile->distinct > profile->sampled)
        likeness *= CONSTANT_PART;
    return likeness;
}

static bool is_list(th_str path)
{
    return path.len > 2 && path.ptr[path.len - 1] == ']';
}

/* The best cluster of a field. */
static double best_cluster(finder *f, uint32_t field, size_t *from, size_t *to)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double best = 0;
    for (size_t i = 0; i < f->candidates.len; i++) {
        const candidate *c = &f->candidates.data[i];
        f->likeness[i] =
            c->target == f->repair->targets[field] ? th__value_likeness(profile, &c->sample) : 0;
    }
    for (size_t i = 0, end; i < f->spots.len; i = end) {
        for (end = i + 1; end < f->spots.len && f->spots.data[end].place == f->spots.data[i].place;)
            end++;
        double likeness = cluster_likeness(f, field, i, end, is_list(profile->path));
        if (likeness > best) {
            best = likeness;
            *from = i;
            *to = end;
        }
    }
    return best;
}

/* Chooses places for the broken fields, the surest first. Fields are few: their square is no cost
 * beside the candidates. */
static void choose_places(finder *f)
{
    uint32_t count = f->repair->profile->count;
    for (uint32_t round = 0; round < count; round++) {
        double best = LEAST_CLUSTER;
        uint32_t field = count;
        size_t from = 0, to = 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t a = 0, b = 0;
            if (f->chosen[i] || !f->repair->broken[i])
                continue;
            double likeness = best_cluster(f, i, &a, &b);
            if (likeness > best) {
                best = likeness;
                field = i;
                from = a;
                to = b;
            }
        }
        if (field == count)
            return;
        f->chosen[field] = f->spots.data[from].place;
        for (size_t i = from; i < to; i++)
            f->used[f->spots.data[i].candidate] = true;
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

static void write_span(th_span span, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("start"));
    th__json_uint(json, span.start);
    th__json_key(json, TH_STR("end"));
    th__json_uint(json, span.end);
    th__json_end_object(json);
}

static th_str plain_name(th_str path)
{
    return is_list(path) ? (th_str){path.ptr, path.len - 2} : path;
}

/* The value of a chosen field on a page. */
static void write_chosen(const finder *f, uint32_t page, uint32_t field, th__json *json)
{
    bool list = is_list(f->repair->profile->fields[field].path), some = false;
    th__json_key(json, plain_name(f->repair->profile->fields[field].path));
    if (list)
        th__json_begin_array(json);
    for (size_t i = 0; i < f->spots.len && (list || !some); i++) {
        const candidate *c = &f->candidates.data[f->spots.data[i].candidate];
        if (f->spots.data[i].place != f->chosen[field] || c->page != page)
            continue;
        write_span(c->span, json);
        some = true;
    }
    if (list)
        th__json_end_array(json);
    else if (!some)
        th__json_null(json);
}

/* A value that the old wrapper reads: its place. Members of a tuple in a list are not told apart
 * here: such a field is left to its list. */
static void write_old(const th_value *value, th__json *json)
{
    if (value && value->kind == TH_VALUE_TEXT && value->span.end > value->span.start) {
        write_span(value->span, json);
        return;
    }
    if (!value || value->kind != TH_VALUE_LIST) {
        th__json_null(json);
        return;
    }
    th__json_begin_array(json);
    for (uint32_t i = 0; i < value->count; i++)
        if (value->items[i]->kind == TH_VALUE_TEXT)
            write_old(value->items[i], json);
    th__json_end_array(json);
}

static void write_record(const finder *f, uint32_t page, const th_value *old, th__json *json)
{
    const th__profile *profile = f->repair->profile;
    th__json_begin_object(json);
    for (uint32_t i = 0; i < profile->count; i++) {
        if (f->chosen[i]) {
            write_chosen(f, page, i, json);
            continue;
        }
        if (f->repair->broken[i])
            continue;
        for (uint32_t j = 0; old && old->kind == TH_VALUE_TUPLE && j < old->count; j++)
            if (th__str_eq(th__value_key(old->items[j]), plain_name(profile->fields[i].path))) {
                th__json_key(json, plain_name(profile->fields[i].path));
                write_old(old->items[j], json);
            }
    }
    th__json_end_object(json);
}

static th_status label_page(const finder *f, uint32_t page, th__json *json, th_error *err)
{
    const th__repair_page *p = &f->repair->pages[page];
    th_records *records;
    char name[32];
    th_status status = th_wrapper_extract(f->repair->wrapper, p->page, &p->source, &records, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "page-%u", page);
    json->comma = false; /* a line of its own */
    th__json_begin_object(json);
    th__json_key(json, TH_STR("page"));
    th__json_str(json, th_str_from(name));
    th__json_key(json, TH_STR("record"));
    write_record(f, page, th_records_get(records, 0), json);
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
    th_records_free(records);
    return TH_OK;
}

/* Labels for pages of one record each. */
static th_status label_details(finder *f, th__buf *out, th_error *err)
{
    th__json json = {.buf = out};
    uint32_t count = f->repair->profile->count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->pages; i++)
        ok = walk_page(f, i);
    f->used = ok ? th__arena_zero(&f->arena, f->candidates.len + 1, sizeof *f->used) : NULL;
    f->likeness = ok ? th__arena_zero(&f->arena, f->candidates.len + 1, sizeof *f->likeness) : NULL;
    f->chosen = ok ? th__arena_zero(&f->arena, count + 1, sizeof *f->chosen) : NULL;
    if (!f->used || !f->likeness || !f->chosen)
        return th__fail_memory(err);
    if (f->spots.len)
        qsort(f->spots.data, f->spots.len, sizeof *f->spots.data, by_place);
    choose_places(f);
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < f->pages; i++)
        status = label_page(f, i, &json, err);
    return status;
}

/* ---- pages of many records ------------------------------------------------------------------- */

static void write_list_record(const th_repair *repair, const th__match *match,
                              const th_value *record, th__json *json)
{
    th__json_begin_object(json);
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        uint32_t column = match->column[i];
        if (column == TH__NO_COLUMN || record->kind != TH_VALUE_TUPLE || column >= record->count)
            continue;
        th__json_key(json, plain_name(repair->profile->fields[i].path));
        write_old(record->items[column], json);
    }
    th__json_end_object(json);
}

static th_status label_lists(th_repair *repair, uint32_t pages, th__buf *out, th_error *err)
{
    th__candidate found[TH__REPAIR_PICKS];
    size_t count = 0;
    th__json json = {.buf = out};
    th_status status = th__repair_find_by(repair, "auto", found, &count, err);
    for (uint32_t i = 0; !status && count && i < pages; i++) {
        th_records *records;
        char name[32];
        status = th_wrapper_extract(found[0].wrapper, repair->pages[i].page, NULL, &records, err);
        if (status)
            break;
        snprintf(name, sizeof name, "page-%u", i);
        json.comma = false;
        th__json_begin_object(&json);
        th__json_key(&json, TH_STR("page"));
        th__json_str(&json, th_str_from(name));
        th__json_key(&json, TH_STR("records"));
        th__json_begin_array(&json);
        for (size_t j = 0; j < th_records_count(records); j++)
            write_list_record(repair, &found[0].match, th_records_get(records, j), &json);
        th__json_end_array(&json);
        th__json_end_object(&json);
        th__buf_add_byte(out, '\n');
        th_records_free(records);
    }
    for (size_t i = 0; i < count; i++)
        th_wrapper_free(found[i].wrapper);
    return status;
}

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn(const th_repair *repair, const th_labels *labels, uint32_t pages,
                       th_wrapper **out, th_error *err)
{
    th_learner *learner;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = repair->wrapper->engine->name;
    options.date = repair->date.ptr;
    options.labels = labels;
    th_status status = th_learner_new(&options, &learner, err);
    for (uint32_t i = 0; !status && i < pages; i++) {
        char name[32];
        snprintf(name, sizeof name, "page-%u", i);
        th_records_source source = {th_str_from(name), repair->pages[i].source.url};
        status = th_learner_add(learner, repair->pages[i].page, &source, NULL, err);
    }
    if (!status)
        status = th_learner_finish(learner, out, err);
    th_learner_free(learner);
    return status == TH_ERR_MEMORY ? status : TH_OK;
}

static th_status learn_labels(const th_repair *repair, const th__buf *lines, uint32_t pages,
                              th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    if (lines->failed)
        return th__fail_memory(err);
    th_status status = th_labels_read(th__buf_str(lines), "labels", &labels, err);
    if (!status)
        status = learn(repair, labels, pages, out, err);
    th_labels_free(labels);
    return status == TH_ERR_MEMORY ? status : TH_OK;
}

/* Fields have their names already. */
static th_status match_names(th_repair *repair, th__candidate *c, th_error *err)
{
    th__tally tally;
    uint32_t count = repair->profile->count;
    th_status status = th__repair_run(repair, c->wrapper, &tally, err);
    c->match.column = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.column);
    c->match.likeness = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.likeness);
    if (!status && (!c->match.column || !c->match.likeness))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        c->match.column[i] = TH__NO_COLUMN;
        for (uint32_t j = 0; j < tally.count; j++) {
            if (!th__same_path(tally.fields[j].path, repair->profile->fields[i].path))
                continue;
            c->match.column[i] = j;
            c->match.likeness[i] =
                th__likeness(&repair->profile->fields[i], repair->targets[i], &tally.fields[j]);
        }
    }
    th__tally_release(&tally);
    return status;
}

th_status th__repair_label(th_repair *repair, th__candidate *out, size_t *count, th_error *err)
{
    finder f = {.repair = repair};
    th__buf lines = {0};
    th__candidate c = {.named = true};
    *count = 0;
    f.pages = repair->page_count < TH__REPAIR_LEARN ? repair->page_count : TH__REPAIR_LEARN;
    th__arena_init(&f.arena);
    bool many =
        th__type_strip(th_schema_root(th_wrapper_schema(repair->wrapper)))->kind == TH_TYPE_LIST;
    th_status status =
        many ? label_lists(repair, f.pages, &lines, err) : label_details(&f, &lines, err);
    if (!status && lines.len)
        status = learn_labels(repair, &lines, f.pages, &c.wrapper, err);
    if (!status && c.wrapper)
        status = match_names(repair, &c, err);
    if (!status && c.wrapper)
        out[(*count)++] = c;
    else
        th_wrapper_free(c.wrapper);
    th_text_release(&f.text);
    th__vec_release(&f.candidates);
    th__vec_release(&f.spots);
    th__arena_release(&f.arena);
    th__buf_release(&lines);
    return status;
}
