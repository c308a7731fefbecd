/* tally.c: counting records and sampling their values. */
#include "check/check.h"

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_out.h"
#include "check/match.h"
#include "check/missing.h"
#include "check/neighbours.h"
#include "check/verdict.h"
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

/* Moves the glances to a room of `cap`; of two of them, with a step of 2, the first alone. */
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

/* Makes room for one more glance, where there are too many by dropping every second one. */
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

/* ---- tallies of several processes ------------------------------------------------------------ */

/* What is summed over pages: of a tally, and of each field. */
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

/* Numbers of a struct, of 8 bytes or 4, as an array. */
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

/* Returns true if a member is an array of so many numbers. */
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
    if (check->shared && !th__tally_part(&check->tally))
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
