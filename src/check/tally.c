/* tally.c: counting records and sampling their values. */
#include "check/tally.h"

#include "check/match.h"
#include "check/strays.h"
#include "page/page.h"

/* ---- fields ---------------------------------------------------------------------------------- */

/* Walks the leaves of a schema in order. Recursion is bounded by TH_SCHEMA_MAX_DEPTH. */
static uint32_t count_leaves(const th_type *type)
{
    uint32_t count = type->kind == TH_TYPE_FIELD;
    for (uint32_t i = 0; i < type->count; i++)
        count += count_leaves(type->children[i]);
    return count;
}

/* title, authors[], reviews[].comment: names of members, with dots, and brackets for lists. */
static bool name_leaves(th__tally *tally, const th_type *type, th__buf *path, uint32_t *next)
{
    size_t mark = path->len;
    bool ok = true;
    if (type->kind == TH_TYPE_FIELD) {
        th__field_tally *field = &tally->fields[(*next)++];
        th_str name = path->len ? th__buf_str(path) : TH_STR("value");
        field->path = th__arena_copy(&tally->arena, name);
        field->stride = 1;
        field->target = type->note == TH_NOTE_URL || type->note == TH_NOTE_IMAGE;
        return field->path.ptr != NULL;
    }
    for (uint32_t i = 0; ok && i < type->count; i++) {
        const th_type *child = type->children[i];
        th_str name = th_type_name(child);
        if (type->kind == TH_TYPE_LIST) {
            th__buf_add_str(path, TH_STR("[]"));
        } else if (type->kind != TH_TYPE_OPTIONAL && name.len) {
            if (path->len)
                th__buf_add_byte(path, '.');
            th__buf_add_str(path, name);
        } else if (type->kind == TH_TYPE_TUPLE) {
            th__buf_printf(path, "%sfield_%u", path->len ? "." : "", i + 1);
        }
        ok = !path->failed && name_leaves(tally, child, path, next);
        path->len = mark;
    }
    return ok;
}

bool th__tally_init(th__tally *tally, const th_schema *schema)
{
    const th_type *record = th_schema_record_type(schema);
    th__buf path = {0};
    uint32_t next = 0;
    *tally = (th__tally){0};
    th__arena_init(&tally->arena);
    tally->count = count_leaves(record);
    tally->first = TH__TALLY_FIRST;
    tally->fields = th__arena_zero(&tally->arena, tally->count + 1, sizeof *tally->fields);
    bool ok = tally->fields && name_leaves(tally, record, &path, &next);
    th__buf_release(&path);
    return ok;
}

void th__tally_hold(th__tally *tally, const th__profile *profile)
{
    tally->profile = profile;
    for (uint32_t i = 0; i < tally->count; i++)
        tally->fields[i].known = th__profile_of(profile, i, tally->fields[i].path);
}

void th__tally_lighten(th__tally *tally, const th__profile *profile)
{
    uint32_t share = TH__TALLY_LIGHT / (tally->count + 1);
    th__tally_hold(tally, profile);
    tally->light = true;
    tally->first = share < TH__TALLY_LEAST ? TH__TALLY_LEAST : share;
    tally->first = tally->first < TH__TALLY_MANY ? tally->first : TH__TALLY_MANY;
}

bool th__tally_part(th__tally *tally)
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
    for (uint32_t i = 0; tally->fields && i < tally->count; i++)
        th__vec_release(&tally->fields[i].sample);
    th__arena_release(&tally->arena);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What is kept of a text: the two ends of a long one. */
static th_str keep_text(th__arena *arena, th_str text)
{
    enum { KEPT = 2 * TH__DP_WINDOW };
    if (text.len <= KEPT)
        return th__arena_copy(arena, text);
    char *copy = th__arena_alloc(arena, KEPT + 4);
    if (!copy)
        return (th_str){0};
    memcpy(copy, text.ptr, KEPT / 2);
    memcpy(copy + KEPT / 2, "\xE2\x80\xA6 ", 4); /* an ellipsis */
    memcpy(copy + KEPT / 2 + 4, text.ptr + text.len - KEPT / 2, KEPT / 2);
    return (th_str){copy, KEPT + 4};
}

/* Drops every second sample. */
static void thin(th__field_tally *field)
{
    for (size_t i = 0; 2 * i < field->sample.len; i++)
        field->sample.data[i] = field->sample.data[2 * i];
    field->sample.len = (field->sample.len + 1) / 2;
    field->stride *= 2;
}

static bool sample(th__tally *tally, th__field_tally *field, th_str text)
{
    if (field->sample.len == TH__TALLY_SAMPLE)
        thin(field);
    th_str kept = keep_text(&tally->arena, text);
    if (!kept.ptr || !th__vec_reserve(&field->sample, field->sample.len ? 1 : tally->first))
        return false;
    th__sample *s = &field->sample.data[field->sample.len++];
    s->text = kept;
    s->hash = th__hash(text.ptr, text.len);
    s->length = th__log_length(text.len);
    th__dp_split(kept, &s->value);
    return true;
}

/* Makes room for one more glance, where there are too many by dropping every second one. */
static bool make_room(th__tally *tally, th__field_tally *field)
{
    uint32_t count = field->glance_count, step = count == TH__TALLY_SAMPLE ? 2 : 1;
    uint32_t cap = !count ? tally->first : step > 1 ? count : 2 * count;
    if (count < field->glance_cap && step == 1)
        return true;
    th__glance *room = th__arena_alloc(&tally->arena, cap * sizeof *room);
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

/* Fields that the profile does not have are not compared, and targets as they are. */
static bool glance(th__tally *tally, th__field_tally *field, th_str text)
{
    th_str kept = keep_text(&tally->arena, text);
    if (!kept.ptr || !make_room(tally, field))
        return false;
    th__glance *g = &field->glances[field->glance_count++];
    g->text = kept;
    g->hash = th__hash(text.ptr, text.len);
    g->length = th__log_length(text.len);
    g->shape[TH__START] = g->shape[TH__END] = 0;
    if (field->known && !field->target) {
        th__ends ends;
        th__ends_of(kept, &ends);
        th__shapes_of(field->known, &ends, g->shape);
    }
    return true;
}

static void look_at(th__tally *tally, th__field_tally *field, th_str text)
{
    if (field->seen++ % field->stride)
        return;
    if (tally->light ? !glance(tally, field, text) : !sample(tally, field, text))
        tally->failed = true;
}

static void take_text(th__tally *tally, th__field_tally *field, const th_value *value)
{
    field->chances++;
    if (!value || value->kind != TH_VALUE_TEXT || !value->text.len)
        return;
    uint32_t nth = field->on_page++;
    field->values++;
    field->bytes += value->text.len;
    tally->inside += field->target ? 0 : value->text.len;
    field->by_looks += value->by_looks;
    field->told += value->agreement > 0;
    field->agreed += value->agreement >= TH__TALLY_AGREED;
    uint32_t step = tally->light ? 8 * TH__TALLY_STEP : TH__TALLY_STEP;
    if (nth < tally->first || (nth % step == 0 && nth / step + TH__TALLY_FIRST <= TH__TALLY_PAGE))
        look_at(tally, field, value->text);
}

/* Takes the leaves of a value in, of which the first is number `at`; a missing value (NULL) misses
 * each of them. Gives the number past its last leaf. */
static uint32_t take(th__tally *tally, const th_type *type, const th_value *value, uint32_t at)
{
    uint32_t next = at;
    if (value && value->kind == TH_VALUE_NULL)
        value = NULL;
    switch (type->kind) {
    case TH_TYPE_FIELD:
        take_text(tally, &tally->fields[at], value);
        return at + 1;
    case TH_TYPE_OPTIONAL:
        return take(tally, type->children[0], value, at);
    case TH_TYPE_LIST:
        if (!value || !value->count)
            return take(tally, type->children[0], NULL, at);
        for (uint32_t i = 0; i < value->count; i++)
            next = take(tally, type->children[0], value->items[i], at);
        return next;
    case TH_TYPE_CHOICE:
        for (uint32_t i = 0; i < type->count; i++) {
            bool chosen = value && value->which == i && value->count;
            next = take(tally, type->children[i], chosen ? value->items[0] : NULL, next);
        }
        return next;
    default:
        for (uint32_t i = 0; i < type->count; i++)
            next = take(tally, type->children[i],
                        value && i < value->count ? value->items[i] : NULL, next);
        return next;
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

static uint64_t text_bytes(const th_value *value)
{
    uint64_t sum = 0;
    if (value->kind == TH_VALUE_TEXT) {
        bool target = value->type->note == TH_NOTE_URL || value->type->note == TH_NOTE_IMAGE;
        return target ? 0 : value->text.len;
    }
    if (value->kind == TH_VALUE_NULL)
        return 0;
    for (uint32_t i = 0; i < value->count; i++)
        sum += text_bytes(value->items[i]);
    return sum;
}

/* The bytes of all texts. No branches, since which token is one cannot be foreseen. */
static uint64_t shown_bytes(const th_page *page)
{
    const th_token *t = page->tokens, *end = t + page->token_count;
    uint64_t sum = 0;
    for (uint32_t start = t->start, next; t < end; t++, start = next) {
        unsigned what = t->kind | (unsigned)t->flags << 8;
        next = t[1].start;
        sum += (what & (0xFF | TH_TOKEN_BLANK << 8)) == TH_TOKEN_TEXT ? next - start : 0;
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

double th__explained(const th_page *page, const th_records *records)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < records->values.len; i++)
        inside += text_bytes(records->values.data[i]);
    return share_of_text(page, inside);
}

bool th__tally_add(th__tally *tally, const th_page *page, const th_records *records)
{
    const th_type *type = th_schema_record_type(records->schema);
    size_t count = records->values.len;
    tally->inside = 0;
    for (uint32_t i = 0; i < tally->count; i++)
        tally->fields[i].on_page = 0;
    for (size_t i = 0; i < count; i++)
        take(tally, type, records->values.data[i], 0);
    bool empty = true; /* also where all values of a page's one record are missing */
    for (uint32_t i = 0; i < tally->count; i++) {
        tally->fields[i].pages += tally->fields[i].on_page > 0;
        empty = empty && !tally->fields[i].on_page;
    }
    double explained = empty ? -1 : share_of_text(page, tally->inside);
    empty = empty || th__is_hollow(tally, records, explained);
    tally->pages++;
    tally->empty_pages += empty;
    tally->records += count;
    if (!th__strays_look(tally, page, records))
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
    if (!th__left_look(tally, page, records, explained))
        return false;
    return !tally->failed;
}
