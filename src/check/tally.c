/*
 * tally.c: counts records, samples their values, and searches pages for missing values.
 */
#include "check/check.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/words.h"
#include "check/neighbours.h"
#include "check/verdict.h"
#include "index/view.h"
#include "page/data_page.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/text.h"

/* ---- fields ---------------------------------------------------------------------------------- */

/* The walk that names the leaves. */
typedef struct leaf_naming {
    th__tally *tally;
    const th__profile *profile; /* or NULL */
    uint32_t next;              /* the next leaf */
} leaf_naming;

/* A path with a suffix, if the profile has it for the next leaf; absent otherwise. */
static th_str known_path(const leaf_naming *n, th_str path, th_str between, th_str name)
{
    size_t len = path.len + between.len + name.len;
    if (!n->profile || n->next >= n->profile->count || n->profile->fields[n->next].path.len < len)
        return (th_str){0};
    const char *own = n->profile->fields[n->next].path.ptr;
    bool same = th__str_eq((th_str){own, path.len}, path) &&
                th__str_eq((th_str){own + path.len, between.len}, between) &&
                th__str_eq((th_str){own + path.len + between.len, name.len}, name);
    return same ? (th_str){own, len} : (th_str){0};
}

/* A path with a suffix; absent if out of memory. */
static th_str longer(const leaf_naming *n, th_str path, th_str between, th_str name)
{
    th_str known = known_path(n, path, between, name);
    size_t len = path.len + between.len + name.len;
    char *text = known.ptr ? NULL : th__arena_alloc(&n->tally->arena, len + 1);
    if (!text)
        return known;
    if (path.len)
        memcpy(text, path.ptr, path.len);
    if (between.len)
        memcpy(text + path.len, between.ptr, between.len);
    if (name.len)
        memcpy(text + path.len + between.len, name.ptr, name.len);
    return (th_str){text, len};
}

/* The path of the nth part of a type, such as title, authors[] or reviews[].comment: member names
 * joined by dots, with brackets for lists. */
static th_str path_of_part(const leaf_naming *n, const th_type *type, uint32_t nth, th_str path)
{
    th_str name = th_type_name(type->children[nth]);
    char number[24];
    if (type->kind == TH_TYPE_LIST)
        return longer(n, path, TH_STR("[]"), TH_STR(""));
    if (type->kind == TH_TYPE_OPTIONAL || (!name.len && type->kind != TH_TYPE_TUPLE))
        return path;
    if (!name.len) {
        snprintf(number, sizeof number, "field_%u", nth + 1);
        name = th_str_from(number);
    }
    return longer(n, path, path.len ? TH_STR(".") : TH_STR(""), name);
}

static bool name_leaves(leaf_naming *n, const th_type *type, th_str path, bool list)
{
    if (type->kind == TH_TYPE_FIELD) {
        th__field_tally *field = &n->tally->fields[n->next++];
        field->path = path.len ? path : TH_STR("value");
        field->stride = 1;
        field->target = type->note == TH_NOTE_URL || type->note == TH_NOTE_IMAGE;
        field->list = list;
        field->close = true;
        return true;
    }
    list |= type->kind == TH_TYPE_LIST;
    for (uint32_t i = 0; i < type->count; i++) {
        th_str inner = path_of_part(n, type, i, path);
        if (!inner.ptr || !name_leaves(n, type->children[i], inner, list))
            return false;
    }
    return true;
}

static bool init_known(th__tally *tally, const th_schema *schema, const th__profile *profile)
{
    const th_type *record = th_schema_record_type(schema);
    leaf_naming n = {.tally = tally, .profile = profile};
    *tally = (th__tally){0};
    th__arena_init(&tally->arena);
    tally->count = th__type_leaves(record);
    tally->first = TH__TALLY_FIRST;
    tally->fields = th__arena_zero(&tally->arena, tally->count + 1, sizeof *tally->fields);
    return tally->fields && name_leaves(&n, record, TH_STR(""), false);
}

bool th__tally_init(th__tally *tally, const th_schema *schema)
{
    return init_known(tally, schema, NULL);
}

void th__tally_hold(th__tally *tally, const th__profile *profile)
{
    tally->profile = profile;
    for (uint32_t i = 0; i < tally->count; i++) {
        th__field_tally *field = &tally->fields[i];
        const th__field_profile *known = th__profile_of(profile, i, field->path);
        field->known = known;
        field->compared = known && known->values;
        field->usual = field->compared && 2 * known->values >= known->chances;
        field->placed_known =
            field->compared && (th__neighbours_next(known, TH__START) >= TH__PLACED ||
                                th__neighbours_next(known, TH__END) >= TH__PLACED);
        field->few = known && known->sampled <= TH__TALLY_FEW;
    }
}

/* How informative the values of a field are: 0 is best. Users want the fields that most records
 * have and whose values differ. */
static unsigned relevance_rank(const th__field_tally *field)
{
    const th__field_profile *known = field->known;
    if (!known || !known->values || field->target)
        return 3;
    if (2 * known->values < known->chances)
        return 2;
    return !th__is_varied(known);
}

/* Chooses the fields whose values are examined, first come first served. */
static void choose_close(th__tally *tally)
{
    enum { RANKS = 4 };
    uint32_t left = TH__TALLY_CLOSE;
    if (tally->count <= TH__TALLY_CLOSE)
        return;
    for (uint32_t i = 0; i < tally->count; i++)
        tally->fields[i].close = false;
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < tally->count && left; i++)
            if (relevance_rank(&tally->fields[i]) == rank) {
                tally->fields[i].close = true;
                left--;
            }
}

void th__tally_lighten(th__tally *tally, const th__profile *profile)
{
    uint32_t share = TH__TALLY_LIGHT / (tally->count + 1);
    th__tally_hold(tally, profile);
    choose_close(tally);
    tally->light = true;
    tally->first = share < TH__TALLY_LEAST ? TH__TALLY_LEAST : share;
    tally->first = tally->first < TH__TALLY_MANY ? tally->first : TH__TALLY_MANY;
}

static bool part_fields(th__tally *tally)
{
    size_t bytes = (tally->count + 1) * sizeof *tally->fields;
    th__field_tally *fields = th__arena_alloc(&tally->arena, bytes);
    if (!fields)
        return false;
    memcpy(fields, tally->fields, bytes);
    tally->fields = fields;
    return true;
}

void th__tally_release(th__tally *tally)
{
    for (uint32_t i = 0; tally->fields && !tally->light && i < tally->count; i++)
        th__vec_release(&tally->fields[i].sample);
    th__key_map_release(&tally->near_texts);
    th__vec_release(&tally->near);
    th__arena_release(&tally->arena);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The part of a text that is kept: both ends if it is long. */
static th_str keep_text(th__arena *arena, th_str text)
{
    enum { END = TH__DP_WINDOW };
    if (text.len <= TH__DP_LONG)
        return th__arena_copy(arena, text);
    char *copy = th__arena_alloc(arena, 2 * END + 4);
    if (!copy)
        return (th_str){0};
    memcpy(copy, text.ptr, END);
    memcpy(copy + END, "\xE2\x80\xA6 ", 4); /* an ellipsis */
    memcpy(copy + END + 4, text.ptr + text.len - END, END);
    return (th_str){copy, 2 * END + 4};
}

/* Drops every second sample. */
static void thin(th__field_tally *field)
{
    for (size_t i = 0; 2 * i < field->sample.len; i++)
        field->sample.data[i] = field->sample.data[2 * i];
    field->sample.len = (field->sample.len + 1) / 2;
    field->stride *= 2;
}

static bool sample(th__tally *tally, th__field_tally *field, const th_value *value)
{
    th_str text = th__value_text(value);
    if (field->sample.len == TH__TALLY_SAMPLE)
        thin(field);
    th_str kept = keep_text(&tally->arena, text);
    if (!kept.ptr || !th__vec_reserve(&field->sample, field->sample.len ? 1 : tally->first))
        return false;
    th__sample *s = &field->sample.data[field->sample.len++];
    s->text = kept;
    s->hash = th__hash(text.ptr, text.len);
    s->length = th__log_length(text.len);
    s->page = tally->pages;
    th__dp_split(kept, &s->value);
    s->around = NULL;
    if (!tally->flow || value->span.end <= value->span.start)
        return true;
    th__around *around = th__arena_alloc(&tally->arena, sizeof *around);
    s->around = around;
    return around && th__around_find(tally->flow, value->span, tally, around);
}

/* Moves the glances to an array of `cap`; with a step of 2 only every other one. */
static bool move_glances(th__tally *tally, th__field_tally *field, uint32_t cap, uint32_t step)
{
    th__glance *room = th__arena_alloc(&tally->arena, cap * sizeof *room);
    uint32_t count = field->glance_count;
    if (!room)
        return false;
    field->glance_count = 0;
    for (uint32_t i = 0; i < count; i += step)
        room[field->glance_count++] = field->glances[i];
    field->glances = room;
    field->glance_cap = cap;
    field->stride *= step;
    return true;
}

/* Makes room for one more glance; drops every other one if there are too many. */
static bool make_room(th__tally *tally, th__field_tally *field)
{
    uint32_t count = field->glance_count;
    if (count == TH__TALLY_SAMPLE)
        return move_glances(tally, field, count, 2);
    return count < field->glance_cap || move_glances(tally, field, count ? 2 * count : 1, 1);
}

static bool glance(th__tally *tally, th__field_tally *field, th_str text)
{
    th_str kept = keep_text(&tally->arena, text);
    if (!kept.ptr || !make_room(tally, field))
        return false;
    th__glance *g = &field->glances[field->glance_count++];
    *g = (th__glance){.text = kept, .bytes = text.len};
    if (text.len > TH__DP_LONG)
        g->hash = th__hash(text.ptr, text.len);
    return true;
}

/* Returns true if the place of a field is still on a page: its caption ("Price:"), or a text
 * between its former neighbours on both sides. */
static bool is_place_there(const th__field_profile *field, const th__flow *flow)
{
    const th__neighbours *before = &field->around[TH__START];
    for (uint32_t i = 0; i < before->count && before->data[i].at == 1; i++)
        for (uint32_t t = 0; t < flow->count; t++) {
            if (flow->hash[t] != before->data[i].hash)
                continue;
            if (th__ends_with_colon(th__blank_trim(before->data[i].text)) ||
                (t + 1 < flow->count && !th__is_next(field, TH__END, flow->hash[t + 1])))
                return true;
        }
    return false;
}

/* Checks that a value is where the field's values were. If not, a few pages are searched for that
 * place. */
static bool look_around(th__tally *tally, th__field_tally *field, th_span span)
{
    enum { LOOKS = 8 };
    th__arena scratch;
    th__flow flow;
    bool ok = true;
    bool placed = th__is_placed(field->known, tally->page, span);
    field->placed_of++;
    field->placed += placed;
    if (placed || field->place_looks == LOOKS)
        return true;
    th__arena_init(&scratch);
    ok = th__flow_make(&scratch, tally->page, &flow);
    field->place_looks++;
    field->place_stays += ok && is_place_there(field->known, &flow);
    th__arena_release(&scratch);
    return ok;
}

static void look_at(th__tally *tally, th__field_tally *field, const th_value *value)
{
    if (field->seen++ & (field->stride - 1)) /* stride is a power of two */
        return;
    if (tally->light ? !glance(tally, field, th__value_text(value)) : !sample(tally, field, value))
        tally->failed = true;
    if (tally->placing && tally->page && tally->named && field->placed_known &&
        value->span.end > value->span.start && !look_around(tally, field, value->span))
        tally->failed = true;
}

static void take_value(void *context, uint32_t at, const th_value *value)
{
    th__tally *tally = context;
    th__field_tally *field = &tally->fields[at];
    field->chances++;
    if (!value || value->kind != TH_VALUE_TEXT || !th__value_text(value).len)
        return;
    uint32_t nth = field->on_page++;
    field->values++;
    field->bytes += th__value_text(value).len;
    tally->inside += field->target ? 0 : th__value_text(value).len;
    field->by_looks += value->by_looks;
    if (value->agreement > 0) {
        field->told++;
        field->agreed += value->agreement >= TH__TALLY_AGREED;
    }
    field->headed +=
        tally->title.len && !field->target && th__is_headed(tally->title, th__value_text(value));
    if (!field->close)
        return;
    uint32_t step = tally->light ? 8 * TH__TALLY_STEP : TH__TALLY_STEP; /* powers of two */
    if (nth < tally->first ||
        (!(nth & (step - 1)) && nth / step + TH__TALLY_FIRST <= TH__TALLY_PAGE))
        look_at(tally, field, value);
}

const th__field_tally *th__tally_find(const th__tally *tally, uint32_t at, th_str path)
{
    if (at < tally->count && th__str_eq(tally->fields[at].path, path))
        return &tally->fields[at];
    for (uint32_t i = 0; i < tally->count; i++)
        if (th__same_path(tally->fields[i].path, path))
            return &tally->fields[i];
    return NULL;
}

/* ---- texts that look like values of a missing field --------------------------------------------
 *
 * A missing field was either dropped by the site, and no rule is wrong, or it is where no rule
 * looks. A search decides: strays are texts that look like values of the missing field, or contain
 * one after a label or among other words, and that no value covers, except one unlike its field.
 * The search covers the area of the records; on a page of one record the element around the values
 * that are still read, or all of it.
 *
 * A search costs up to as much as extraction. So a light tally searches only if enough of a field
 * is missing to indicate drift, once per field, and on one page in many; but not on pages that lack
 * most of their fields, since these are pages of another kind.
 */

enum {
    TEXTS = 2048,     /* of a page that are examined */
    FEW = 5,          /* a field that only one record in so many has counts as missing */
    CONSTANT_MAX = 2, /* a field with so few values may be a word that all records have */
    FIELDS = 64,      /* that may be missing: if more are, none is searched for */
    PART = 32,        /* a light tally searches the first page, then one in so many */
    TELLING = 3,      /* fields needed to decide that records are left out */
    HOLLOW_PART = 10, /* at most a tenth of the records and of the text is left */
    PIECES = 32,      /* of a text */
    LONG = 200,       /* bytes: longer texts are prose, and examined only as a whole */
    SHORT_PART = 2    /* fewer than half of the records and of their share of the text */
};

/* A text this like a field may be its value; a value less like its own field may be a stray. */
#define LIKE   0.5
#define UNLIKE 0.3
/* The significance level at which a missing field matters. */
#define SPEAKING 0.01
/* If the share of text in a page's records is below this part of the least share before, records
 * between them may be missing. */
#define HOLED_PART 0.75

static void see_text(th_str text, th__seen_text *out)
{
    out->text = text;
    out->hash = th__hash(text.ptr, text.len);
    out->length = th__log_length(text.len);
    out->read = false;
}

/* Returns true if the binomial tail is certainly above a level: a cheap lower bound. It counts only
 * the cases in which the places, divided into as many equal groups as values are missing, lack one
 * value per group. */
static bool is_likely_missing(const th__presence *in, double level)
{
    double usual = th__usual_share(in->was, in->was_all), all = (double)in->is_all;
    double there = (double)in->is, missing = all - there;
    if (in->chances != in->is_all || in->is >= in->is_all)
        return in->is >= in->is_all;
    return missing * log(all * (1 - usual) / missing) + there * log(usual) > log(level);
}

/* A value of the page. */
typedef struct held_value {
    th_span span;
    th_str text;
    uint32_t field;
} held_value;

/* A page, and the fields to search for on it. */
typedef struct page_search {
    th__tally *tally;
    const th_page *page;
    uint32_t missing[FIELDS], count; /* fields to search for */
    bool all;                        /* the fields are not missing: other records may have them */
    bool between;                    /* search between records: all inside a record is taken */
    size_t records;
    bool most;                 /* most of the usual fields are missing */
    uint64_t before[FIELDS];   /* strays, by missing field */
    th_span area;              /* from the first record to the last */
    TH__VEC(held_value) taken; /* in ascending order */
    size_t at;                 /* in taken: entries before it end before the current place */
    bool failed;
} page_search;

static bool is_likely(const th__field_profile *field, th_str text, double least)
{
    th__seen_text seen;
    see_text(text, &seen);
    return th__text_is_likely(field, &seen, least);
}

/* Returns true if a text contains a known value of the field among other words. */
static bool holds_value(const th__field_profile *field, th_str text)
{
    for (uint32_t i = 0; text.len <= LONG && i < field->example_count; i++)
        if (th__telling(field->examples[i]) && field->examples[i].len < text.len &&
            th__find_words(text, field->examples[i], 0) != SIZE_MAX)
            return true;
    return false;
}

/* ---- inside lines --------------------------------------------------------------------------
 *
 * Searches for missing fields that a user has named, among records or on a page of one record. A
 * line may contain several fields: "4 rooms near Oak Avenue - EUR 510", "Posted by Clark, Hannah".
 * As a whole it is like none of them, so its pieces are compared, too:
 *
 *     texts between tags, and beside values that cover a part of the line;
 *     of these, the parts between separators, or after a label.
 *
 * A line counts once per field. A piece that most records share belongs to the template: it is not
 * a stray of a field whose values differ.
 *
 * Cost: pieces x missing fields.
 */

typedef struct line_piece {
    th_str text;
    uint64_t hash;
    uint32_t line;
} line_piece;

typedef struct line_search {
    const page_search *in;
    const uint32_t *missing; /* fields to search for */
    uint32_t count;
    th__arena arena;
    th__folded folded;
    size_t at; /* in taken: entries before it end before the current place */
    uint32_t line;
    TH__VEC(line_piece) pieces;
    th__key_map lines; /* by hash: how many lines have this piece */
} line_search;

/* Returns true for a page of one record. */
static bool is_single(const line_search *l)
{
    return l->in->records == 1;
}

/* Returns true if a value covers a place and is like its field. Parts of the only title of a page
 * look like many fields: there any value will do. */
static bool is_held_by(const line_search *l, const held_value *value, th_span place)
{
    if (value->span.start >= place.end || value->span.end <= place.start)
        return false;
    return is_single(l) || is_likely(l->in->tally->fields[value->field].known, value->text, UNLIKE);
}

/* Marks the bytes of the line that values cover. */
static void mark_held(line_search *l, th_span place, bool *held)
{
    const page_search *in = l->in;
    size_t len = l->folded.text.len;
    while (l->at < in->taken.len && in->taken.data[l->at].span.end <= place.start)
        l->at++;
    for (size_t i = l->at; i < in->taken.len && in->taken.data[i].span.start < place.end; i++) {
        if (!is_held_by(l, &in->taken.data[i], place))
            continue;
        for (size_t b = 0; b < len; b++)
            held[b] = held[b] || (l->folded.start[b] < in->taken.data[i].span.end &&
                                  in->taken.data[i].span.start < l->folded.end[b]);
    }
}

/* Adds a piece of the current line, without blanks and signs at its ends. */
static bool add_piece(line_search *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&l->folded.text);
    th_str own = th__arena_copy(&l->arena, th__sign_trim((th_str){text.ptr + from, to - from}));
    line_piece piece = {own, th__hash(own.ptr, own.len), l->line};
    return own.ptr && (!own.len || th__vec_push(&l->pieces, piece));
}

/* Adds a part of the line, and its pieces between signs; for fields that are mere numbers only the
 * part itself, since numbers appear between signs anywhere. */
static bool add_part(line_search *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&l->folded.text);
    size_t begin = from;
    bool ok = add_piece(l, from, to), signs = l->in->tally->named;
    for (size_t at = from; ok && signs && at < to && at - from < LONG;) {
        size_t len = th__sign_length((th_str){text.ptr + at, to - at}, TH__SIGN_PARTS);
        if (len) {
            ok = (is_single(l) && text.ptr[at] == ':') || add_piece(l, begin, at);
            ok = ok && add_piece(l, at + len, to);
            begin = at + len;
        }
        at += len ? len : 1;
    }
    return ok && (begin == from || add_piece(l, begin, to));
}

/* Returns true if there is a tag between a byte of the line and the one before; a blank includes
 * the tags among the blanks it was made of. */
static bool has_tag_before(const line_search *l, size_t at)
{
    const char *text = l->folded.text.data;
    uint32_t from = text[at - 1] == ' ' ? l->folded.start[at - 1] : l->folded.end[at - 1];
    uint32_t to = l->folded.start[at];
    return to > from && memchr(l->in->page->text.ptr + from, '<', to - from);
}

/* Returns true if a part of the line of a single record is the label of what follows: "Salary: " or
 * "by ", before a value. */
static bool is_line_label(const line_search *l, const bool *held, size_t from, size_t to)
{
    const char *text = l->folded.text.data;
    if (!is_single(l))
        return false;
    bool before_value = to < l->folded.text.len && held[to];
    while (to > from && text[to - 1] == ' ')
        to--;
    return before_value || (to > from && text[to - 1] == ':');
}

static bool add_line(line_search *l, th_span place)
{
    if (!th__page_fold(l->in->page, place, &l->folded))
        return false;
    size_t len = l->folded.text.len, begin = 0, parts = 0;
    bool *held = th__arena_zero(&l->arena, len + 1, sizeof *held), any = false, ok = held != NULL;
    if (ok)
        mark_held(l, place, held);
    for (size_t i = 0; ok && i < len; i++)
        any = any || held[i];
    ok = ok && (any || add_piece(l, 0, len));
    for (size_t i = 1; ok && i <= len && len <= LONG && parts < PIECES; i++) {
        bool border = i == len || held[i] != held[i - 1] || has_tag_before(l, i);
        if (!border)
            continue;
        parts++;
        ok = held[i - 1] || is_line_label(l, held, begin, i) || add_part(l, begin, i);
        begin = i;
    }
    l->line++;
    return ok;
}

/* Counts the lines that have each piece. One record does not show what all have in common. */
static bool count_lines(line_search *l)
{
    th__key_map last = {0}; /* by hash: the last line counted + 1 */
    bool ok = true;
    for (size_t i = 0; ok && !is_single(l) && i < l->pieces.len; i++) {
        const line_piece *p = &l->pieces.data[i];
        if (th__key_map_get(&last, p->hash) == p->line + 1)
            continue;
        ok = th__key_map_put(&last, p->hash, p->line + 1) &&
             th__key_map_put(&l->lines, p->hash, th__key_map_get(&l->lines, p->hash) + 1);
    }
    th__key_map_release(&last);
    return ok;
}

static void count_pieces(const line_search *l)
{
    uint32_t last[FIELDS]; /* by field: the last line counted + 1 */
    memset(last, 0, sizeof last);
    for (size_t i = 0; i < l->pieces.len; i++) {
        const line_piece *p = &l->pieces.data[i];
        th__seen_text seen;
        bool read = false, common = 2 * th__key_map_get(&l->lines, p->hash) > l->in->records;
        for (uint32_t m = 0; m < l->count; m++) {
            th__field_tally *field = &l->in->tally->fields[l->missing[m]];
            if (last[m] == p->line + 1 || (common && field->known->distinct > CONSTANT_MAX))
                continue;
            if (!read)
                see_text(p->text, &seen);
            read = true;
            if (!th__text_is_likely(field->known, &seen, LIKE) &&
                !holds_value(field->known, p->text))
                continue;
            field->strays++;
            last[m] = p->line + 1;
        }
    }
}

static bool look_inside_lines(const page_search *in, const uint32_t *missing, uint32_t count)
{
    line_search l = {.in = in, .missing = missing, .count = count};
    th__leaves leaves;
    uint32_t looked = 0;
    th__arena_init(&l.arena);
    bool ok = th__leaves_within(&l.arena, in->page, in->area, &leaves);
    for (uint32_t i = 0; ok && i < leaves.count && looked < TEXTS; i++) {
        th_span place = th__leaf_span(in->page, &leaves.data[i]);
        if (place.start < in->area.start || place.end > in->area.end)
            continue;
        looked++;
        ok = add_line(&l, place);
    }
    ok = ok && count_lines(&l);
    if (ok)
        count_pieces(&l);
    th__key_map_release(&l.lines);
    th__vec_release(&l.pieces);
    th__folded_release(&l.folded);
    th__arena_release(&l.arena);
    return ok;
}

/* ---- whole texts ------------------------------------------------------------------------------
 */

/* Returns true if a light tally may search another page after so many. */
static bool may_search(const th__tally *tally, uint64_t searched)
{
    return !searched || searched <= tally->pages / PART;
}

static const th__field_profile *known(const page_search *l, uint32_t field)
{
    return l->tally->fields[field].known;
}

static bool find_missing(page_search *l)
{
    uint32_t usual = 0;
    for (uint32_t i = 0; i < l->tally->count; i++) {
        const th__field_tally *field = &l->tally->fields[i];
        if (field->target || !field->usual)
            continue;
        usual++;
        if (FEW * field->on_page > l->records)
            continue;
        if (l->count == FIELDS)
            return false;
        l->missing[l->count++] = i;
    }
    l->most = 2 * l->count > usual;
    return l->count;
}

/* Returns true if a field contains the texts that no rule takes. All engines use this name. */
static bool is_rest(const th__field_tally *field)
{
    return th__str_eq(field->path, TH_STR("other[]"));
}

/* Notes the place of a value. */
static void hold_value(void *context, uint32_t at, const th_value *value)
{
    page_search *l = context;
    const th__field_tally *field = &l->tally->fields[at];
    if (value && value->kind == TH_VALUE_TEXT && !field->target && field->known &&
        !(l->records == 1 && is_rest(field)) &&
        !th__vec_push(&l->taken, (held_value){value->span, th__value_text(value), at}))
        l->failed = true;
}

static int by_value_start(const void *a, const void *b)
{
    const held_value *x = a, *y = b;
    return th__order(x->span.start, y->span.start);
}

/* Finds the area to search. Records that lack most of their fields may be only the first parts of
 * the old ones: the other parts follow the last record, in up to twice as much room. */
static void find_area(page_search *l, const th_records *records)
{
    enum { ROOM = 2 };
    size_t count = records->values.len;
    uint32_t size = (uint32_t)l->page->text.len;
    l->area = (th_span){0, size};
    if (count < 2)
        return;
    l->area = (th_span){UINT32_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        th_span span = records->values.data[i]->span;
        l->area.start = span.start < l->area.start ? span.start : l->area.start;
        l->area.end = span.end > l->area.end ? span.end : l->area.end;
    }
    uint64_t end = l->area.end;
    if (l->most && l->area.end > l->area.start)
        end += (uint64_t)ROOM * (l->area.end - l->area.start);
    l->area.end = end < size ? (uint32_t)end : size;
}

/* Marks a record in the list of values. */
#define RECORD UINT32_MAX

/* Returns true if a record or a value like its field covers a place; places must ascend. */
static bool is_taken(page_search *l, th_span place)
{
    for (; l->at < l->taken.len; l->at++) {
        const held_value *value = &l->taken.data[l->at];
        if (value->span.end <= place.start)
            continue;
        if (value->span.start >= place.end)
            return false;
        if (value->field == RECORD || is_likely(known(l, value->field), value->text, UNLIKE))
            return true;
    }
    return false;
}

/* Returns true if values are searched for inside texts. Among records of a list, and for the many
 * fields of a template, too many texts would match; but rules that report how far they agree belong
 * to fields that a user has named. */
static bool looks_inside(const page_search *l, const th__field_profile *field)
{
    return (l->records == 1 && l->tally->count <= TH__TALLY_CLOSE) || field->told;
}

/* Returns true if the value that covers a place is all of its text, except for a word or so. */
static bool is_all(const page_search *l, th_span place)
{
    enum { WORD = 6 }; /* bytes */
    th_span value = l->taken.data[l->at].span;
    return value.end - value.start + WORD >= place.end - place.start;
}

/* Returns true if the value that covers a place contains the text of a field. */
static bool is_held(const page_search *l, th_span place, const th__field_profile *field)
{
    bool held = false;
    for (size_t i = l->at; !held && i < l->taken.len && l->taken.data[i].span.start < place.end;
         i++)
        held = holds_value(field, l->taken.data[i].text);
    return held;
}

/* Counts a text as a stray of each missing field that it resembles; if values cover a part of it
 * (`held`), of each field with a value in the rest. */
static void count_stray(page_search *l, th_span place, bool held, th_str text)
{
    th__seen_text seen;
    see_text(text, &seen);
    for (uint32_t m = 0; m < l->count; m++) {
        th__field_tally *field = &l->tally->fields[l->missing[m]];
        /* A light tally searches for a field once: as many strays as records show that it is still
         * on the page. */
        if (l->tally->light && !l->all && l->records == 1 && field->strays >= field->looked)
            continue;
        bool likely = !held && th__text_is_likely(field->known, &seen, LIKE);
        if (l->all)
            field->left += likely;
        else if (likely || (looks_inside(l, field->known) && holds_value(field->known, text) &&
                            (!held || !is_held(l, place, field->known))))
            field->strays++;
    }
}

/* Counts a text, and the part after a leading label: "Extras: sea view". */
static void count_texts(page_search *l, th_span place, bool held, th_str text)
{
    enum { LABEL_MAX = 40 }; /* bytes */
    count_stray(l, place, held, text);
    if (l->all || held || !looks_inside(l, known(l, l->missing[0])))
        return;
    size_t colon =
        th__str_find((th_str){text.ptr, text.len < LABEL_MAX ? text.len : LABEL_MAX}, TH_STR(": "));
    if (colon != SIZE_MAX)
        count_stray(l, place, held, (th_str){text.ptr + colon + 2, text.len - colon - 2});
}

static bool look_through(page_search *l, th__arena *arena)
{
    th__leaves leaves;
    th__buf text = {0};
    uint32_t looked = 0;
    if (!th__leaves_within(arena, l->page, l->area, &leaves))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < leaves.count && looked < TEXTS; i++) {
        th_span place = th__leaf_span(l->page, &leaves.data[i]);
        if (place.start < l->area.start || place.end > l->area.end)
            continue;
        looked++;
        bool held = is_taken(l, place);
        if (held && (l->all || !looks_inside(l, known(l, l->missing[0])) || is_all(l, place)))
            continue;
        th__buf_clear(&text);
        ok = th__span_text(l->page, place, &text);
        if (ok)
            count_texts(l, place, held, th__buf_str(&text));
    }
    th__buf_release(&text);
    return ok;
}

/* Searches inside the lines of a page of one record: a value may share one with other text,
 * "written by <b>Anna Field</b>". */
static bool look_inside(page_search *l)
{
    uint32_t missing[FIELDS], count = 0;
    for (uint32_t m = 0; m < l->count; m++)
        if (looks_inside(l, known(l, l->missing[m])) &&
            l->tally->fields[l->missing[m]].strays == l->before[m])
            missing[count++] = l->missing[m];
    return !count || look_inside_lines(l, missing, count);
}

/* Labels may point into attributes: such fields contain targets that the type does not show. */
static bool is_address(const th__field_profile *field)
{
    th_str text = field->example_count ? field->examples[0] : (th_str){0};
    return text.len && memchr(text.ptr, '/', text.len) && !memchr(text.ptr, ' ', text.len);
}

/* Narrows the search on a page of one record that has most of its fields: to the element around
 * these. Only the first field, the title, is often above it. */
static void narrow(page_search *l)
{
    uint32_t usual = 0, start = UINT32_MAX, end = 0, first = UINT32_MAX;
    size_t count = l->taken.len;
    for (uint32_t i = 0; i < l->tally->count; i++) {
        bool own = !l->tally->fields[i].target && l->tally->fields[i].usual;
        first = own && first == UINT32_MAX && !is_address(known(l, i)) ? i : first;
        usual += own;
    }
    if (l->records != 1 || l->all || count < 2 || 2 * (usual - l->count) < usual)
        return;
    for (size_t i = 0; i < count; i++) {
        th_span span = l->taken.data[i].span;
        start = span.start < start ? span.start : start;
        end = span.end > end ? span.end : end;
    }
    if (end <= start || end > l->page->text.len)
        return;
    uint32_t node =
        th__page_node_around(l->page, th__token_at(l->page, start), th__token_at(l->page, end - 1));
    uint32_t token_end = l->page->nodes[node].token_end;
    bool heading = l->count && l->missing[0] == first;
    if (node)
        l->area = (th_span){heading ? 0 : l->page->tokens[l->page->nodes[node].token].start,
                            token_end < l->page->token_count ? l->page->tokens[token_end].start
                                                             : (uint32_t)l->page->text.len};
}

/* On a page of one record, a field whose place is still there is not gone, whatever its value. */
static void look_for_places(page_search *l, th__arena *arena)
{
    th__flow flow;
    l->failed = l->failed || !th__flow_make(arena, l->page, &flow);
    for (uint32_t m = 0; !l->failed && l->tally->named && m < l->count; m++)
        l->tally->fields[l->missing[m]].strays += is_place_there(known(l, l->missing[m]), &flow);
}

static bool search(page_search *l, const th_records *records)
{
    const th_type *type = th_schema_record_type(records->schema);
    th__arena arena;
    th__arena_init(&arena);
    for (size_t i = 0; i < records->values.len; i++) {
        held_value record = {.span = records->values.data[i]->span, .field = RECORD};
        th__each_value(type, records->values.data[i], 0, hold_value, l);
        l->failed = l->failed || (l->between && !th__vec_push(&l->taken, record));
    }
    bool rising = true;
    for (size_t i = 1; i < l->taken.len && rising; i++)
        rising = l->taken.data[i - 1].span.start <= l->taken.data[i].span.start;
    if (!rising)
        qsort(l->taken.data, l->taken.len, sizeof *l->taken.data, by_value_start);
    narrow(l);
    if (l->records == 1 && !l->all)
        look_for_places(l, &arena);
    bool ok = !l->failed, lines = l->tally->named && l->records > 1 && !l->all;
    if (ok && !lines)
        ok = look_through(l, &arena) && (l->records != 1 || l->all || look_inside(l));
    else if (ok)
        ok = look_inside_lines(l, l->missing, l->count);
    th__vec_release(&l->taken);
    th__arena_release(&arena);
    return ok;
}

static bool is_hollow(th__tally *tally, const th_records *records, double explained)
{
    page_search l = {.tally = tally};
    const th_type *type = th_schema_record_type(records->schema);
    size_t count = records->values.len, unlike = 0;
    if (!tally->profile || !count || HOLLOW_PART * count > tally->profile->least || explained < 0 ||
        HOLLOW_PART * explained > tally->profile->explained_least)
        return false;
    for (size_t i = 0; i < count; i++)
        th__each_value(type, records->values.data[i], 0, hold_value, &l);
    tally->failed = tally->failed || l.failed;
    for (size_t i = 0; i < l.taken.len; i++) {
        unlike += !is_likely(known(&l, l.taken.data[i].field), l.taken.data[i].text, UNLIKE);
    }
    bool hollow = 2 * unlike > l.taken.len;
    th__vec_release(&l.taken);
    return hollow;
}

/* Returns true if nearly every record has another value of a field. */
static bool identifies_records(const page_search *l, uint32_t at)
{
    const th__field_profile *field = known(l, at);
    return !l->tally->fields[at].target && l->tally->fields[at].usual && th__is_varied(field);
}

static void find_telling(page_search *l)
{
    for (uint32_t i = 0; i < l->tally->count && l->count < TELLING; i++)
        if (identifies_records(l, i))
            l->missing[l->count++] = i;
}

/* Returns true if a page of a list has so much less than earlier pages that records may be left
 * out. */
static bool is_short(const th__profile *profile, size_t records, double explained)
{
    return records && profile->least > SHORT_PART * records && explained >= 0 &&
           SHORT_PART * explained < profile->explained_least;
}

/* Returns true if unread records may be between those of a page: the share of text in its records
 * is below that of any page before. */
static bool is_holed(const th__profile *profile, size_t records, double explained)
{
    return records > 1 && profile->least > 1 && explained >= 0 &&
           explained < HOLED_PART * profile->explained_least;
}

/* Returns true if the gaps between records could contain at least half as many more, some of them
 * shorter. */
static bool has_gaps(const page_search *l, const th_records *records)
{
    enum { PART_OF = 3 };
    uint64_t inside = 0, all = l->area.end > l->area.start ? l->area.end - l->area.start : 0;
    for (size_t i = 0; i < records->values.len; i++) {
        th_span span = records->values.data[i]->span;
        inside += span.end > span.start ? span.end - span.start : 0;
    }
    return all > inside && PART_OF * (all - inside) >= inside;
}

static bool look_for_left(th__tally *tally, const th_page *page, const th_records *records,
                          double explained)
{
    page_search l = {.tally = tally, .page = page, .records = records->values.len, .all = true};
    if (!tally->profile || !page || (tally->light && !may_search(tally, tally->left_searched)))
        return true;
    bool whole = is_short(tally->profile, l.records, explained);
    if (!whole && !is_holed(tally->profile, l.records, explained))
        return true;
    find_area(&l, records);
    if (!whole && !has_gaps(&l, records))
        return true;
    find_telling(&l);
    tally->left_searched++;
    /* Between records, half as many are enough: a third of all. */
    tally->short_records += whole ? l.records : (l.records + 1) / 2;
    l.between = !whole;
    if (whole)
        l.area = (th_span){0, (uint32_t)page->text.len};
    return !l.count || search(&l, records);
}

/* Returns true if a missing field may indicate drift on its own, corrected for the number of fields
 * and of tests. */
static bool may_indicate_drift(const page_search *l, uint32_t missing)
{
    const th__tally *tally = l->tally;
    double enough = SPEAKING / (2.0 * tally->count);
    th__presence in =
        th__presence_of(tally->profile, known(l, missing), tally, &tally->fields[missing]);
    return !is_likely_missing(&in, enough) && th__missing_chance(&in, in.is) <= enough;
}

/* Returns true if pages have one record, and none so far has most of its usual fields: these are
 * pages of another kind. See limit_gone in verify.c. */
static bool is_other_kind(const page_search *l)
{
    const th__tally *tally = l->tally;
    uint32_t usual = 0, never = 0;
    if (tally->profile->records >= 2 * tally->profile->pages)
        return false;
    for (uint32_t i = 0; i < tally->count; i++)
        usual += !tally->fields[i].target && tally->fields[i].usual;
    for (uint32_t m = 0; m < l->count; m++)
        never += !tally->fields[l->missing[m]].values;
    return 2 * never > usual;
}

/* Drops the fields that a light tally need not search for on this page: those searched for before,
 * and all of them until one may indicate drift. Then it also searches for fields that no page has
 * had so far: reading a page costs more than one more field. */
static void drop_unneeded(page_search *l)
{
    th__tally *tally = l->tally;
    uint32_t count = 0;
    bool looking = !is_other_kind(l) && may_search(tally, tally->searched);
    bool speaking = false;
    for (uint32_t m = 0; m < l->count && looking && !speaking; m++)
        speaking = !tally->fields[l->missing[m]].looks && may_indicate_drift(l, l->missing[m]);
    for (uint32_t m = 0; m < l->count; m++) {
        th__field_tally *field = &tally->fields[l->missing[m]];
        if (speaking && !field->looks && (!field->values || may_indicate_drift(l, l->missing[m])))
            l->missing[count++] = l->missing[m];
        else
            field->passed += l->records;
    }
    l->count = count;
}

static bool look_for_missing(th__tally *tally, const th_page *page, const th_records *records)
{
    page_search l = {.tally = tally, .page = page, .records = records->values.len};
    if (!tally->profile || !page || !records->values.len || !find_missing(&l))
        return true;
    if (tally->light)
        drop_unneeded(&l);
    for (uint32_t m = 0; m < l.count; m++) {
        th__field_tally *field = &tally->fields[l.missing[m]];
        field->looks++;
        field->looked += l.records;
        l.before[m] = field->strays;
    }
    if (!l.count)
        return true;
    tally->searched++;
    find_area(&l, records);
    return search(&l, records);
}

/* Values of some fields may look different in records that are left out: the majority of the fields
 * decides. */
uint64_t th__left_out(const th__tally *tally)
{
    page_search l = {.tally = (th__tally *)tally};
    uint64_t left[TELLING];
    if (tally->short_records)
        find_telling(&l);
    if (!l.count)
        return 0;
    for (uint32_t m = 0; m < l.count; m++)
        left[m] = tally->fields[l.missing[m]].left;
    qsort(left, l.count, sizeof *left, th__by_number);
    uint64_t middle = left[(l.count - 1) / 2];
    return middle >= tally->short_records ? middle : 0;
}

/* ---- examples -------------------------------------------------------------------------------- */

/* Returns true if a text is a shorter one with a sign beside it. */
static bool has_sign(th_str text, th_str shorter)
{
    enum { SIGN = 6 }; /* bytes, with a blank or two */
    size_t at = text.len > shorter.len && text.len <= shorter.len + SIGN
                    ? th__find_words(text, shorter, 0)
                    : SIZE_MAX;
    for (size_t i = 0; at != SIZE_MAX && i < text.len; i++)
        if ((i < at || i >= at + shorter.len) &&
            (th__is_alpha((unsigned char)text.ptr[i]) || th__is_digit((unsigned char)text.ptr[i])))
            return false;
    return at != SIZE_MAX;
}

/* Returns true if a value equals an example, except for a sign beside one of them. */
static bool is_nearly(th_str value, th_str example)
{
    return has_sign(value, example) || has_sign(example, value);
}

th__shown th__examples_shown(const th__field_profile *field, const uint8_t *there,
                             const th__field_tally *column)
{
    th__shown out = {0};
    for (uint32_t e = 0; column->stride == 1 && e < field->example_count; e++) {
        th_str example = field->examples[e];
        bool same = false, nearly = false;
        uint64_t hash = there[e] ? th__hash(example.ptr, example.len) : 0;
        for (size_t j = 0; there[e] && !same && j < column->sample.len; j++) {
            same = column->sample.data[j].hash == hash;
            nearly = nearly || (!same && is_nearly(column->sample.data[j].text, example));
        }
        out.on_pages += there[e];
        out.given += same || nearly;
    }
    return out;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The kind of a token as one number. */
static uint32_t kind_of_token(const th_token *token)
{
    uint32_t what;
    memcpy(&what, &token->tag, sizeof what);
    return what;
}

/* The bytes of all texts. Reads several tokens at a time, so that compilers vectorise the loop. */
static uint64_t shown_bytes(const th_page *page)
{
    _Static_assert(offsetof(th_token, tag) + sizeof(uint32_t) == sizeof(th_token), "in one piece");
    const th_token *t = page->tokens;
    const uint32_t mask = kind_of_token(&(th_token){.kind = UINT8_MAX, .flags = TH_TOKEN_BLANK});
    const uint32_t text = kind_of_token(&(th_token){.kind = TH_TOKEN_TEXT});
    uint32_t sum = 0; /* as the page has */
    for (uint32_t i = 0; i < page->token_count; i++) {
        uint32_t shown = (kind_of_token(&t[i]) & mask) == text;
        sum += (t[i + 1].start - t[i].start) & -shown;
    }
    return sum;
}

/* Negative when the page has no text. */
static double share_of_text(const th_page *page, uint64_t inside)
{
    uint64_t all = page ? shown_bytes(page) : 0;
    if (!all)
        return -1;
    return inside < all ? (double)inside / (double)all : 1;
}

static bool add_page(th__tally *tally, const th_page *page, const th_records *records)
{
    const th_type *type = th_schema_record_type(records->schema);
    size_t count = records->values.len;
    tally->inside = 0;
    for (uint32_t i = 0; i < tally->count; i++)
        tally->fields[i].on_page = 0;
    for (size_t i = 0; i < count; i++)
        th__each_value(type, records->values.data[i], 0, take_value, tally);
    bool empty = true; /* also true if all values of a page's only record are missing */
    for (uint32_t i = 0; i < tally->count; i++) {
        tally->fields[i].pages += tally->fields[i].on_page > 0;
        empty = empty && !tally->fields[i].on_page;
    }
    double explained = empty ? -1 : share_of_text(page, tally->inside);
    empty = empty || is_hollow(tally, records, explained);
    tally->pages++;
    tally->empty_pages += empty;
    tally->records += count;
    if (!tally->unsearched && !look_for_missing(tally, page, records))
        return false;
    if (empty)
        return !tally->failed;
    tally->least = !tally->least || count < tally->least ? count : tally->least;
    tally->most = count > tally->most ? count : tally->most;
    if (explained >= 0) {
        tally->explained += explained;
        if (!tally->explained_pages++ || explained < tally->explained_least)
            tally->explained_least = explained;
    }
    if (!tally->unsearched && !look_for_left(tally, page, records, explained))
        return false;
    return !tally->failed;
}

bool th__tally_add(th__tally *tally, const th_page *page, const th_records *records)
{
    th__buf title = {0};
    th__arena scratch;
    th__flow flow;
    bool ok = !page || tally->light || th__page_title(page, &title);
    th__arena_init(&scratch);
    tally->page = page;
    tally->title = th__buf_str(&title);
    if (ok && page && tally->neighbourly) {
        ok = th__flow_make(&scratch, page, &flow);
        tally->flow = &flow;
    }
    ok = ok && add_page(tally, page, records);
    tally->title = (th_str){0};
    tally->flow = NULL;
    tally->page = NULL;
    th__arena_release(&scratch);
    th__buf_release(&title);
    return ok;
}

/* ---- checks ------------------------------------------------------------------------------------
 */

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
    if (!init_known(&check->tally, th_wrapper_schema(wrapper), known)) {
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

/* Searches for the link to the next page until the wrapper's rule finds it: then it is not
 * broken. */
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

/* For a wrapper of embedded data: neighbours and places refer to the data page. */
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
    if (check->shared && !part_fields(&check->tally))
        return th__fail_memory(err);
    check->shared = false;
    th_status status = TH_OK;
    if (page && check->wrapper->data && !th__page_is_data(page))
        status = add_data(check, page, err);
    else if (!th__tally_add(&check->tally, page, records))
        status = th__fail_memory(err);
    return status ? status : look_for_next(check, page, err);
}

/* ---- tallies of several processes ------------------------------------------------------------ */

/* Members that are summed over pages: of a tally, and of each field. */
static const size_t tally_sums[] = {
    offsetof(th__tally, pages),         offsetof(th__tally, empty_pages),
    offsetof(th__tally, records),       offsetof(th__tally, explained_pages),
    offsetof(th__tally, searched),      offsetof(th__tally, left_searched),
    offsetof(th__tally, short_records), offsetof(th__tally, next_pages),
    offsetof(th__tally, next_found),    offsetof(th__tally, next_elsewhere)};
static const size_t field_sums[] = {
    offsetof(th__field_tally, chances),   offsetof(th__field_tally, values),
    offsetof(th__field_tally, pages),     offsetof(th__field_tally, bytes),
    offsetof(th__field_tally, by_looks),  offsetof(th__field_tally, told),
    offsetof(th__field_tally, agreed),    offsetof(th__field_tally, headed),
    offsetof(th__field_tally, seen),      offsetof(th__field_tally, looked),
    offsetof(th__field_tally, strays),    offsetof(th__field_tally, passed),
    offsetof(th__field_tally, placed_of), offsetof(th__field_tally, placed),
    offsetof(th__field_tally, left),
};
static const size_t field_small_sums[] = {
    offsetof(th__field_tally, looks),
    offsetof(th__field_tally, place_looks),
    offsetof(th__field_tally, place_stays),
};
#define SUMS(table) table, sizeof table / sizeof *(table)

/* Writes 8- or 4-byte members of a struct as an array. */
static void put_sums(th__json *json, const char *key, const void *from, const size_t *at,
                     size_t count, size_t width)
{
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        const char *place = (const char *)from + at[i];
        th__json_uint(json, width == 4 ? *(const uint32_t *)place : *(const uint64_t *)place);
    }
    th__json_end_array(json);
}

static void add_sums(const json_t *object, const char *key, void *to, const size_t *at,
                     size_t count, size_t width)
{
    const json_t *numbers = json_object_get(object, key);
    for (size_t i = 0; i < count; i++) {
        char *place = (char *)to + at[i];
        json_int_t number = json_integer_value(json_array_get(numbers, i));
        if (width == 4)
            *(uint32_t *)place += (uint32_t)number;
        else
            *(uint64_t *)place += (uint64_t)number;
    }
}

/* Returns true if a member is an array of that many numbers. */
static bool are_sums(const json_t *object, const char *key, size_t count)
{
    const json_t *numbers = json_object_get(object, key);
    if (json_array_size(numbers) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!json_is_integer(json_array_get(numbers, i)) ||
            json_integer_value(json_array_get(numbers, i)) < 0)
            return false;
    return true;
}

static void put_field(th__json *json, const th__field_tally *field)
{
    th__json_begin_object(json);
    th__json_put_text(json, "path", field->path);
    th__json_put_uint(json, "stride", field->stride);
    put_sums(json, "sums", field, SUMS(field_sums), 8);
    put_sums(json, "looks", field, SUMS(field_small_sums), 4);
    th__json_key(json, TH_STR("values"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < field->glance_count; i++) {
        const th__glance *g = &field->glances[i];
        th__json_begin_array(json);
        th__json_str(json, g->text);
        th__json_uint(json, g->bytes);
        th__json_int(json, (int64_t)g->hash);
        th__json_end_array(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
}

th_status th_check_to_json(const th_check *check, th_text *out, th_error *err)
{
    const th__tally *tally = &check->tally;
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    if (!tally->light)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "only a check against a profile, and not a thorough one, can be merged");
    th__json_begin_object(&json);
    put_sums(&json, "sums", tally, SUMS(tally_sums), 8);
    th__json_put_uint(&json, "least", tally->least);
    th__json_put_uint(&json, "most", tally->most);
    th__json_key(&json, TH_STR("explained"));
    th__json_double(&json, tally->explained);
    th__json_key(&json, TH_STR("explained_least"));
    th__json_double(&json, tally->explained_least);
    th__json_key(&json, TH_STR("fields"));
    th__json_begin_array(&json);
    for (uint32_t i = 0; i < tally->count; i++)
        put_field(&json, &tally->fields[i]);
    th__json_end_array(&json);
    th__json_end_object(&json);
    return th__text_give(&buf, out, err);
}

/* ---- and back: all of it is looked at before anything is added ---- */

static bool is_value(const json_t *value)
{
    return json_is_string(json_array_get(value, 0)) && json_is_integer(json_array_get(value, 1)) &&
           json_is_integer(json_array_get(value, 2));
}

static bool is_of_field(const th__field_tally *field, const json_t *from)
{
    const json_t *values = json_object_get(from, "values");
    const char *path = json_string_value(json_object_get(from, "path"));
    json_int_t stride = json_integer_value(json_object_get(from, "stride"));
    bool ok = path && th__str_eq(th_str_from(path), field->path) && stride >= 1 &&
              stride <= INT32_MAX && !(stride & (stride - 1)) &&
              are_sums(from, "sums", sizeof field_sums / sizeof *field_sums) &&
              are_sums(from, "looks", sizeof field_small_sums / sizeof *field_small_sums);
    for (size_t i = 0; ok && i < json_array_size(values); i++)
        ok = is_value(json_array_get(values, i));
    return ok;
}

static bool is_of_tally(const th__tally *tally, const json_t *from)
{
    const json_t *fields = json_object_get(from, "fields");
    bool ok = json_array_size(fields) == tally->count &&
              are_sums(from, "sums", sizeof tally_sums / sizeof *tally_sums);
    for (uint32_t i = 0; ok && i < tally->count; i++)
        ok = is_of_field(&tally->fields[i], json_array_get(fields, i));
    return ok;
}

/* Values of another sample: of the sparser one all, of the other every second, fourth, ... False if
 * out of memory. */
static bool merge_values(th__tally *tally, th__field_tally *field, const json_t *values,
                         uint64_t stride)
{
    while (field->stride < stride)
        if (!move_glances(tally, field, field->glance_count + 1, 2))
            return false;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i), *text = json_array_get(value, 0);
        if (i * stride & (field->stride - 1))
            continue;
        th_str kept =
            keep_text(&tally->arena, (th_str){json_string_value(text), json_string_length(text)});
        if (!kept.ptr || !make_room(tally, field))
            return false;
        field->glances[field->glance_count++] = (th__glance){
            .text = kept,
            .bytes = (size_t)json_integer_value(json_array_get(value, 1)),
            .hash = (uint64_t)json_integer_value(json_array_get(value, 2)),
        };
    }
    return true;
}

static bool merge(th__tally *tally, const json_t *from)
{
    uint64_t explained_pages = tally->explained_pages;
    uint64_t least = (uint64_t)json_integer_value(json_object_get(from, "least"));
    uint64_t most = (uint64_t)json_integer_value(json_object_get(from, "most"));
    double lowest = json_number_value(json_object_get(from, "explained_least"));
    bool ok = true;
    add_sums(from, "sums", tally, SUMS(tally_sums), 8);
    tally->least = least && (!tally->least || least < tally->least) ? least : tally->least;
    tally->most = most > tally->most ? most : tally->most;
    tally->explained += json_number_value(json_object_get(from, "explained"));
    if (tally->explained_pages > explained_pages &&
        (!explained_pages || lowest < tally->explained_least))
        tally->explained_least = lowest;
    for (uint32_t i = 0; ok && i < tally->count; i++) {
        const json_t *one = json_array_get(json_object_get(from, "fields"), i);
        add_sums(one, "sums", &tally->fields[i], SUMS(field_sums), 8);
        add_sums(one, "looks", &tally->fields[i], SUMS(field_small_sums), 4);
        ok = merge_values(tally, &tally->fields[i], json_object_get(one, "values"),
                          (uint64_t)json_integer_value(json_object_get(one, "stride")));
    }
    return ok;
}

th_status th_check_merge(th_check *check, th_str json, th_error *err)
{
    if (!check->tally.light)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "only a check against a profile, and not a thorough one, can be merged");
    if (check->shared && !part_fields(&check->tally))
        return th__fail_memory(err);
    check->shared = false;
    json_error_t error;
    json_t *root = json_loadb(json.ptr ? json.ptr : "", json.len, JSON_ALLOW_NUL, &error);
    bool ok = root || json_error_code(&error) != json_error_out_of_memory;
    bool fits = ok && is_of_tally(&check->tally, root);
    ok = ok && (!fits || merge(&check->tally, root));
    json_decref(root);
    if (ok && !fits)
        return th__fail(err, TH_ERR_FORMAT,
                        "the check to be merged is damaged, or of another wrapper");
    return ok ? TH_OK : th__fail_memory(err);
}
