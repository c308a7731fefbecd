/* tally.c: counting records and sampling their values. */
#include "check/tally.h"

#include <stdio.h>

#include "check/match.h"
#include "check/missing.h"
#include "check/neighbours.h"
#include "page/page.h"
#include "page/text.h"

/* ---- fields ---------------------------------------------------------------------------------- */

/* The walk that names the leaves. */
typedef struct leaf_naming {
    th__tally *tally;
    const th__profile *profile; /* or NULL */
    uint32_t next;              /* the leaf to come */
} leaf_naming;

/* A path with more behind it, as the profile has it for the leaf to come; absent when it does not.
 */
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

/* A path with more behind it; absent if out of memory. */
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

/* The path of the nth part of a type: title, authors[], reviews[].comment: names of members, with
 * dots, and brackets for lists. */
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

bool th__tally_init_known(th__tally *tally, const th_schema *schema, const th__profile *profile)
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
    return th__tally_init_known(tally, schema, NULL);
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

/* How much the values of a field tell: 0 is most. Those of a field that most records have and that
 * differ are what somebody wants of the pages. */
static unsigned telling_rank(const th__field_tally *field)
{
    const th__field_profile *known = field->known;
    if (!known || !known->values || field->target)
        return 3;
    if (2 * known->values < known->chances)
        return 2;
    return !th__is_varied(known);
}

/* Chooses the fields that are looked at closely, first come first served. */
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
            if (telling_rank(&tally->fields[i]) == rank) {
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
    for (uint32_t i = 0; tally->fields && !tally->light && i < tally->count; i++)
        th__vec_release(&tally->fields[i].sample);
    th__key_map_release(&tally->near_texts);
    th__vec_release(&tally->near);
    th__arena_release(&tally->arena);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What is kept of a text: the two ends of a long one. */
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
    if (tally->flow && value->span.end > value->span.start)
        s->around = th__around_note(tally, value->span);
    return s->around || !tally->flow || value->span.end <= value->span.start;
}

/* Makes room for one more glance, where there are too many by dropping every second one. */
static bool make_room(th__tally *tally, th__field_tally *field)
{
    uint32_t count = field->glance_count, step = count == TH__TALLY_SAMPLE ? 2 : 1;
    uint32_t cap = !count ? (1) : step > 1 ? count : 2 * count;
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

/* Looks whether a value is where the field's values were. Where it is not, is that place still on
 * the page? A few pages tell. */
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
    field->place_stays += ok && th__neighbours_stay(field->known, &flow);
    th__arena_release(&scratch);
    return ok;
}

static void look_at(th__tally *tally, th__field_tally *field, const th_value *value)
{
    if (field->seen++ & (field->stride - 1)) /* which is a power of two */
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

uint32_t th__each_value(const th_type *type, const th_value *value, uint32_t at, th__see_value see,
                        void *context)
{
    uint32_t next = at, items = 1;
    if (value && value->kind == TH_VALUE_NULL)
        value = NULL;
    switch (type->kind) {
    case TH_TYPE_FIELD:
        see(context, at, value);
        return at + 1;
    case TH_TYPE_OPTIONAL:
        return th__each_value(type->children[0], value, at, see, context);
    case TH_TYPE_LIST:
        items = value && value->count ? value->count : 1;
        for (uint32_t i = 0; i < items; i++)
            next = th__each_value(type->children[0],
                                  value && value->count ? th__value_item(value, i) : NULL, at, see,
                                  context);
        return next;
    default:
        for (uint32_t i = 0; i < type->count; i++) {
            bool choice = type->kind == TH_TYPE_CHOICE;
            bool there = value && (choice ? value->which == i && value->count : i < value->count);
            next = th__each_value(type->children[i],
                                  there ? th__value_item(value, choice ? 0 : i) : NULL, next, see,
                                  context);
        }
        return next;
    }
}

const th__field_tally *th__tally_find(const th__tally *tally, th_str path)
{
    for (uint32_t i = 0; i < tally->count; i++)
        if (th__same_path(tally->fields[i].path, path))
            return &tally->fields[i];
    return NULL;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* What a token is, in one piece. */
static uint32_t what_of(const th_token *token)
{
    uint32_t what;
    memcpy(&what, &token->tag, sizeof what);
    return what;
}

/* The bytes of all texts. Several tokens at a time: compilers make such loops of it. */
static uint64_t shown_bytes(const th_page *page)
{
    _Static_assert(offsetof(th_token, tag) + sizeof(uint32_t) == sizeof(th_token), "in one piece");
    const th_token *t = page->tokens;
    const uint32_t mask = what_of(&(th_token){.kind = UINT8_MAX, .flags = TH_TOKEN_BLANK});
    const uint32_t text = what_of(&(th_token){.kind = TH_TOKEN_TEXT});
    uint32_t sum = 0; /* as the page has */
    for (uint32_t i = 0; i < page->token_count; i++) {
        uint32_t shown = (what_of(&t[i]) & mask) == text;
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
    if (!tally->unsearched && !th__missing_look(tally, page, records))
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
    if (!tally->unsearched && !th__left_look(tally, page, records, explained))
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
