/*
 * label_schema.c: the schema of a set of labels.
 *
 * Every record is poured into one tree of shapes, which remembers what it has seen in each place;
 * the schema is read off it.
 *
 *     {"a": "x", "b": ["y"]}                 a: text, in 2 of 2 tuples        a      field
 *     {"a": "x", "b": "z", "c": {"d": 1}}    b: text, as a list once          b      list of fields
 *                                            c: a tuple, in 1 of 2            c      optional tuple
 *
 * A value alone counts as a list of one where the same field is a list elsewhere. A field that is
 * now a text and now an object is a choice.
 */
#include "data/labels.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/schema.h"

typedef struct label_shape {
    th_str name;
    bool text, tuple, list, nested; /* what was seen; nested: a list right inside a list */
    bool null_item;                 /* a list had a null in it */
    uint32_t present;               /* in how many tuples it was there and not null */
    uint32_t tuples;                /* how many tuples were poured in */
    uint32_t id;
    th_note note;                            /* what all texts so far look like */
    struct label_shape *inner;               /* of lists right inside lists */
    struct label_shape *first, *last, *next; /* members of its tuples; next member */
    uint32_t members;
} label_shape;

typedef struct shapes {
    th__arena arena;
    th__intern keys;              /* (id of a shape, name of a member) */
    TH__VEC(label_shape *) found; /* by id of key */
    uint32_t count;
} shapes;

static label_shape *new_shape(shapes *s, th_str name)
{
    label_shape *fresh = th__arena_zero(&s->arena, 1, sizeof *fresh);
    if (fresh) {
        fresh->name = name;
        fresh->id = s->count++;
    }
    return fresh;
}

static label_shape *member_shape(shapes *s, label_shape *tuple, th_str name)
{
    char key[sizeof tuple->id + TH_SCHEMA_MAX_NAME];
    memcpy(key, &tuple->id, sizeof tuple->id);
    memcpy(key + sizeof tuple->id, name.ptr, name.len);
    uint32_t before = s->keys.len;
    uint32_t id = th__intern_add(&s->keys, (th_str){key, sizeof tuple->id + name.len});
    if (id == TH__INTERN_NONE)
        return NULL;
    if (s->keys.len == before)
        return s->found.data[id];
    label_shape *member = new_shape(s, name);
    if (!member || !th__vec_push(&s->found, member))
        return NULL;
    if (tuple->last)
        tuple->last->next = member;
    else
        tuple->first = member;
    tuple->last = member;
    tuple->members++;
    return member;
}

/* ---- notes ---- */

static bool all_in(th_str text, const char *set)
{
    for (size_t i = 0; i < text.len; i++)
        if (!th__is_digit((unsigned char)text.ptr[i]) && !strchr(set, text.ptr[i]))
            return false;
    return true;
}

static bool has_digit(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (th__is_digit((unsigned char)text.ptr[i]))
            return true;
    return false;
}

static bool is_price(th_str text)
{
    static const char *const signs[] = {"$", "€", "£", "¥", "USD", "EUR", "GBP"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        th_str sign = th_str_from(signs[i]), rest = text;
        if (th__str_starts(text, sign))
            rest = (th_str){text.ptr + sign.len, text.len - sign.len};
        else if (th__str_ends_nocase(text, sign))
            rest.len -= sign.len;
        if (rest.len < text.len && has_digit(rest) && all_in(rest, "., '-"))
            return true;
    }
    return false;
}

static bool is_url(th_str text)
{
    bool link = th__str_starts_nocase(text, TH_STR("http://")) ||
                th__str_starts_nocase(text, TH_STR("https://")) ||
                (text.len > 1 && text.ptr[0] == '/');
    return link && !memchr(text.ptr, ' ', text.len);
}

static bool is_image(th_str text)
{
    static const char *const ends[] = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (th__str_ends_nocase(text, th_str_from(ends[i])))
            return is_url(text);
    return false;
}

/* What a text looks like, where that is plain to see. */
static th_note note_of(th_str text)
{
    if (is_image(text))
        return TH_NOTE_IMAGE;
    if (is_url(text))
        return TH_NOTE_URL;
    if (is_price(text))
        return TH_NOTE_PRICE;
    if (has_digit(text) && all_in(text, ".,-+") &&
        th__is_digit((unsigned char)text.ptr[text.len - 1]))
        return TH_NOTE_NUMBER;
    return TH_NOTE_TEXT;
}

/* ---- pouring ---- */

static bool pour(shapes *s, label_shape *into, const th__label *label);

static bool pour_text(label_shape *into, const th__label *label)
{
    th_note note = label->text.len ? note_of(label->text) : TH_NOTE_TEXT;
    if (!into->text)
        into->note = note;
    else if (into->note != note)
        into->note = TH_NOTE_TEXT;
    into->text = true;
    return true;
}

static bool pour_tuple(shapes *s, label_shape *into, const th__label *label)
{
    into->tuple = true;
    into->tuples++;
    for (const th__label *child = label->first; child; child = child->next) {
        label_shape *member = member_shape(s, into, child->name);
        if (!member || !pour(s, member, child))
            return false;
        member->present += child->kind != TH__LABEL_NULL;
    }
    return true;
}

static bool pour_list(shapes *s, label_shape *into, const th__label *label)
{
    into->list = true;
    for (const th__label *item = label->first; item; item = item->next) {
        if (item->kind != TH__LABEL_LIST) {
            into->null_item |= item->kind == TH__LABEL_NULL;
            if (!pour(s, into, item))
                return false;
            continue;
        }
        into->nested = true;
        if (!into->inner)
            into->inner = new_shape(s, (th_str){0});
        if (!into->inner || !pour(s, into->inner, item))
            return false;
    }
    return true;
}

static bool pour(shapes *s, label_shape *into, const th__label *label)
{
    switch ((th__label_kind)label->kind) {
    case TH__LABEL_NULL:
        return true;
    case TH__LABEL_TEXT:
    case TH__LABEL_SPAN:
        return pour_text(into, label);
    case TH__LABEL_TUPLE:
        return pour_tuple(s, into, label);
    case TH__LABEL_LIST:
        return pour_list(s, into, label);
    }
    return true;
}

/* ---- reading off; failures stay in the schema until it is finished ---- */

static th_type *type_of(th_schema *schema, const label_shape *from);

static th_type *tuple_of(th_schema *schema, const label_shape *from, th_str name)
{
    th_type **members = TH__NEW_ARRAY(th_type *, from->members);
    if (!members) {
        if (!schema->failure.status)
            th__fail_memory(&schema->failure);
        return NULL;
    }
    size_t count = 0;
    for (const label_shape *member = from->first; member; member = member->next) {
        th_type *type = type_of(schema, member);
        members[count++] = member->present < from->tuples ? th_schema_optional(schema, type) : type;
    }
    th_type *tuple = th_schema_tuple(schema, name, members, count);
    th__mem_free(members);
    return tuple;
}

/* What a value alone, or an item of the list, is. */
static th_type *core_of(th_schema *schema, const label_shape *from, th_str name)
{
    unsigned kinds = from->text + from->tuple + from->nested;
    th_str own = kinds > 1 ? (th_str){0} : name;
    th_type *alternatives[3];
    size_t count = 0;
    if (from->text || kinds == 0)
        alternatives[count++] = th_schema_field(schema, own, from->note);
    if (from->tuple)
        alternatives[count++] = tuple_of(schema, from, own);
    if (from->nested)
        alternatives[count++] = type_of(schema, from->inner);
    return count == 1 ? alternatives[0] : th_schema_choice(schema, name, alternatives, count);
}

static th_type *type_of(th_schema *schema, const label_shape *from)
{
    if (!from->list)
        return core_of(schema, from, from->name);
    th_type *item = core_of(schema, from, (th_str){0});
    return th_schema_list(schema, from->name,
                          from->null_item ? th_schema_optional(schema, item) : item);
}

th_status th_labels_schema(const th_labels *labels, th_schema **out, th_error *err)
{
    shapes s = {0};
    th_schema *schema = NULL;
    bool one_each = true, ok;
    *out = NULL;
    th__arena_init(&s.arena);
    th__intern_init(&s.keys);
    label_shape *root = new_shape(&s, (th_str){0});
    ok = root != NULL;
    for (size_t i = 0; ok && i < labels->pages.len; i++) {
        const th__label_page *page = &labels->pages.data[i];
        one_each &= page->count == 1;
        const th__label *record = page->records ? page->records->first : NULL;
        for (; ok && record; record = record->next)
            ok = pour_tuple(&s, root, record);
    }
    th_status status = ok ? th_schema_new(&schema, err) : th__fail_memory(err);
    if (!status) {
        th_type *record = tuple_of(schema, root, (th_str){0});
        bool single = one_each && labels->pages.len;
        status = th_schema_finish(
            schema, single ? record : th_schema_list(schema, (th_str){0}, record), err);
    }
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    th__vec_release(&s.found);
    th__intern_release(&s.keys);
    th__arena_release(&s.arena);
    return status;
}
