/*
 * arrow.c: records as columns in memory, in the form of the Arrow C data interface.
 *
 * A column is made for each key of a record, in a tree of the shape of the schema:
 *
 *     a text             utf8; with spans struct<value: utf8, start: int64, end: int64>
 *     a tuple            struct, a member for each key
 *     a list             list<item>
 *     a choice           a member for each key, null where another alternative was chosen
 *
 * Alternatives that share a key share its column; where one is a text and another a tuple or a
 * list, the column is a struct with a member for each kind.
 *
 * Everything may be null. Records are added one by one to the buffers of the columns. When a batch
 * is full, its buffers move into an ArrowArray, which owns them from then on. Columns are found by
 * key, so records of any schema fit whose keys are among those of the schema that was given (see
 * th_schema_union).
 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/record.h"

enum {
    BATCH_TEXT = 1 << 30,    /* bytes of text: offsets have 31 bits */
    BATCH_RECORDS = 1 << 16, /* so that readers can begin early */
    MOST_KINDS = 3           /* texts, tuples and lists */
};

typedef enum arrow_kind {
    COLUMN_TEXT,
    COLUMN_NUMBER,
    COLUMN_STRUCT,
    COLUMN_LIST,
    COLUMN_CHOICE
} arrow_kind;

typedef struct arrow_column arrow_column;
typedef TH__VEC(const th_type *) type_vec;

/* Where the members of a struct are in the tuples of one type. */
typedef struct tuple_map {
    const th_type *type;
    uint32_t *member; /* by child of the column; as many as the tuple has members: none */
} tuple_map;

struct arrow_column {
    arrow_kind kind;
    th_str name;
    uint8_t note;   /* th_note, of a text */
    uint8_t holds;  /* th_value_kind, of a child of a choice */
    uint32_t count; /* of children */
    arrow_column *children;
    tuple_map map;
    /* the batch so far */
    int64_t length, nulls;
    th__buf valid; /* a bit for each row */
    th__buf text;
    TH__VEC(int32_t) ends; /* of texts and lists: where each row ends; the first is 0 */
    TH__VEC(int64_t) numbers;
};

struct th_arrow {
    th__arena arena;   /* the columns */
    arrow_column root; /* a struct */
    arrow_column *page,
        *value;        /* the page's column; that of records that are not tuples; or NULL */
    th_schema *schema; /* whose names the columns have */
    bool spans, failed;
    size_t text; /* bytes in the batch so far */
    TH__VEC(struct ArrowArray) batches;
    size_t taken; /* batches that were read */
    char failure[128];
};

/* ---- columns of a schema -----------------------------------------------------------------------
 */

static bool make_column(th_arrow *arrow, th_str name, type_vec *types, arrow_column *out);

/* Adds the types that a value may have, choices looked through: those with a key, or all when it is
 * absent. */
static bool add_types(const th_type *type, th_str inherited, th_str key, type_vec *out)
{
    type = th__type_strip(type);
    th_str name = th_type_name(type);
    if (!name.len)
        name = inherited;
    if (type->kind != TH_TYPE_CHOICE)
        return (key.ptr && !th__str_eq(name, key)) || th__vec_push(out, type);
    bool ok = true;
    for (uint32_t i = 0; ok && i < type->count; i++)
        ok = add_types(type->children[i], name, key, out);
    return ok;
}

/* Adds the types of a tuple's member that are written under a key. */
static bool add_member_types(const th_type *tuple, uint32_t member, th_str key, type_vec *out)
{
    const th__keys *keys = &tuple->keys[member];
    for (uint32_t k = 0; k < keys->count; k++)
        if (th__str_eq(keys->names[k], key))
            return add_types(tuple->children[member], (th_str){0},
                             keys->count > 1 ? key : (th_str){0}, out);
    return true;
}

static arrow_column *new_children(th_arrow *arrow, arrow_column *out, size_t most)
{
    out->children = th__arena_zero(&arrow->arena, most ? most : 1, sizeof *out->children);
    return out->children;
}

static bool has_child(const arrow_column *c, th_str name)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (th__str_eq(c->children[i].name, name))
            return true;
    return false;
}

/* A struct with a member for each key of the tuples. */
static bool make_struct(th_arrow *arrow, const type_vec *tuples, arrow_column *out)
{
    size_t most = 0;
    for (size_t t = 0; t < tuples->len; t++)
        for (uint32_t m = 0; m < tuples->data[t]->count; m++)
            most += tuples->data[t]->keys[m].count;
    bool ok = new_children(arrow, out, most);
    for (size_t t = 0; ok && t < tuples->len; t++)
        for (uint32_t m = 0; ok && m < tuples->data[t]->count; m++)
            for (uint32_t k = 0; ok && k < tuples->data[t]->keys[m].count; k++) {
                th_str key = tuples->data[t]->keys[m].names[k];
                if (has_child(out, key))
                    continue;
                type_vec types = {0};
                for (size_t other = t; ok && other < tuples->len; other++)
                    for (uint32_t i = 0; ok && i < tuples->data[other]->count; i++)
                        ok = add_member_types(tuples->data[other], i, key, &types);
                ok = ok && make_column(arrow, key, &types, &out->children[out->count]);
                out->count += ok;
                th__vec_release(&types);
            }
    out->kind = COLUMN_STRUCT;
    return ok;
}

static bool make_list(th_arrow *arrow, const type_vec *lists, arrow_column *out)
{
    type_vec items = {0};
    bool ok = new_children(arrow, out, 1);
    for (size_t i = 0; ok && i < lists->len; i++)
        ok = add_types(lists->data[i]->children[0], (th_str){0}, (th_str){0}, &items);
    out->kind = COLUMN_LIST;
    out->count = 1;
    ok = ok && make_column(arrow, TH_STR("item"), &items, &out->children[0]);
    th__vec_release(&items);
    return ok;
}

static bool make_text(th_arrow *arrow, const type_vec *fields, arrow_column *out)
{
    out->kind = COLUMN_TEXT;
    out->note = fields->data[0]->note;
    for (size_t i = 1; i < fields->len; i++)
        if (fields->data[i]->note != out->note)
            out->note = TH_NOTE_TEXT;
    if (!arrow->spans)
        return true;
    if (!new_children(arrow, out, 3))
        return false;
    out->kind = COLUMN_STRUCT;
    out->count = 3;
    out->children[0] =
        (arrow_column){.kind = COLUMN_TEXT, .name = TH_STR("value"), .note = out->note};
    out->children[1] = (arrow_column){.kind = COLUMN_NUMBER, .name = TH_STR("start")};
    out->children[2] = (arrow_column){.kind = COLUMN_NUMBER, .name = TH_STR("end")};
    return true;
}

/* A column for values of one kind. */
static bool make_one_kind(th_arrow *arrow, th_type_kind kind, const type_vec *types,
                          arrow_column *out)
{
    return kind == TH_TYPE_FIELD   ? make_text(arrow, types, out)
           : kind == TH_TYPE_TUPLE ? make_struct(arrow, types, out)
                                   : make_list(arrow, types, out);
}

/* A column for values of any of the types. */
static bool make_column(th_arrow *arrow, th_str name, type_vec *types, arrow_column *out)
{
    static const struct {
        th_type_kind type;
        th_value_kind value;
        const char *name;
    } kinds[MOST_KINDS] = {{TH_TYPE_FIELD, TH_VALUE_TEXT, "text"},
                           {TH_TYPE_TUPLE, TH_VALUE_TUPLE, "record"},
                           {TH_TYPE_LIST, TH_VALUE_LIST, "list"}};
    bool ok = true;
    *out = (arrow_column){.name = name};
    for (int k = 0; k < MOST_KINDS; k++) {
        type_vec same = {0};
        for (size_t i = 0; ok && i < types->len; i++)
            ok = types->data[i]->kind != kinds[k].type || th__vec_push(&same, types->data[i]);
        if (ok && same.len == types->len) {
            ok = make_one_kind(arrow, kinds[k].type, &same, out);
            th__vec_release(&same);
            return ok;
        }
        if (ok && same.len) {
            out->kind = COLUMN_CHOICE;
            ok = out->children || new_children(arrow, out, MOST_KINDS);
            if (ok) {
                arrow_column *child = &out->children[out->count++];
                ok = make_one_kind(arrow, kinds[k].type, &same, child);
                child->name = th_str_from(kinds[k].name);
                child->holds = (uint8_t)kinds[k].value;
            }
        }
        th__vec_release(&same);
    }
    return ok;
}

/* ---- adding records ----------------------------------------------------------------------------
 */

static bool add_value(th_arrow *arrow, arrow_column *c, const th_value *value);

/* Begins a row that is null or not. */
static bool add_row(arrow_column *c, bool valid)
{
    if (c->length % 8 == 0 && !th__buf_add_byte(&c->valid, 0))
        return false;
    if (valid)
        c->valid.data[c->length / 8] = (char)(c->valid.data[c->length / 8] | 1 << c->length % 8);
    c->nulls += !valid;
    c->length++;
    return true;
}

/* Puts the end of a row into a text or list column. */
static bool add_end(arrow_column *c, size_t end)
{
    return (c->ends.len || th__vec_push(&c->ends, 0)) && th__vec_push(&c->ends, (int32_t)end);
}

static bool add_null_members(th_arrow *arrow, arrow_column *c)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->count; i++)
        ok = add_value(arrow, &c->children[i], NULL);
    return ok;
}

static bool add_text(th_arrow *arrow, arrow_column *c, const th_str *text)
{
    bool ok = add_row(c, text != NULL);
    if (text) {
        ok = ok && th__buf_add_str(&c->text, *text);
        arrow->text += text->len;
    }
    return ok && add_end(c, c->text.len);
}

static bool add_number(arrow_column *c, const uint32_t *number)
{
    return add_row(c, number != NULL) && th__vec_push(&c->numbers, number ? *number : 0);
}

/* A text, or null for anything else. */
static bool add_text_value(th_arrow *arrow, arrow_column *c, const th_value *value)
{
    bool there = value && value->kind == TH_VALUE_TEXT;
    th_str text = there ? th__value_text(value) : (th_str){0};
    if (c->kind == COLUMN_TEXT)
        return add_text(arrow, c, there ? &text : NULL);
    bool placed = there && value->span.end;
    return add_row(c, there) && add_text(arrow, &c->children[0], there ? &text : NULL) &&
           add_number(&c->children[1], placed ? &value->span.start : NULL) &&
           add_number(&c->children[2], placed ? &value->span.end : NULL);
}

/* Finds the members of a column in tuples of a type. */
static bool map_tuple(th_arrow *arrow, arrow_column *c, const th_type *type)
{
    if (c->map.type == type)
        return true;
    if (!c->map.member)
        c->map.member = th__arena_zero(&arrow->arena, c->count + 1, sizeof *c->map.member);
    if (!c->map.member)
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        c->map.member[i] = th__type_find_key(type, c->children[i].name);
    c->map.type = type;
    return true;
}

/* The member of a tuple, whose type was mapped, for a child of a column; NULL if it is missing. */
static const th_value *member_of(const arrow_column *c, uint32_t child, const th_value *tuple)
{
    uint32_t m = c->map.member[child];
    const th_value *member = m < tuple->count ? th__value_item(tuple, m) : NULL;
    bool other = member && tuple->type->keys[m].count > 1 &&
                 !th__str_eq(th__value_key(member), c->children[child].name);
    return other ? NULL : member;
}

static bool add_members(th_arrow *arrow, arrow_column *c, const th_value *tuple)
{
    bool ok = map_tuple(arrow, c, tuple->type);
    for (uint32_t i = 0; ok && i < c->count; i++)
        ok = add_value(arrow, &c->children[i], member_of(c, i, tuple));
    return ok;
}

static bool add_items(th_arrow *arrow, arrow_column *c, const th_value *value)
{
    bool ok = add_row(c, value != NULL);
    bool list = value && value->kind == TH_VALUE_LIST;
    for (uint32_t i = 0; ok && list && i < value->count; i++)
        ok = add_value(arrow, &c->children[0], th__value_item(value, i));
    if (value && !list) /* one value where other pages have a list */
        ok = ok && add_value(arrow, &c->children[0], value);
    return ok && add_end(c, (size_t)c->children[0].length);
}

static bool add_chosen(th_arrow *arrow, arrow_column *c, const th_value *value)
{
    bool ok = add_row(c, value != NULL);
    for (uint32_t i = 0; ok && i < c->count; i++)
        ok = add_value(arrow, &c->children[i],
                       value && value->kind == c->children[i].holds ? value : NULL);
    return ok;
}

/* The depth of the recursion is the schema's. */
static bool add_value(th_arrow *arrow, arrow_column *c, const th_value *value)
{
    value = value ? th__value_chosen(value) : NULL;
    if (value && value->kind == TH_VALUE_NULL)
        value = NULL;
    switch (c->kind) {
    case COLUMN_TEXT:
        return add_text_value(arrow, c, value);
    case COLUMN_NUMBER:
        return add_number(c, NULL);
    case COLUMN_LIST:
        return add_items(arrow, c, value);
    case COLUMN_CHOICE:
        return add_chosen(arrow, c, value);
    default:
        if (value && value->kind == TH_VALUE_TUPLE)
            return add_row(c, true) && add_members(arrow, c, value);
        if (value && value->kind == TH_VALUE_TEXT && arrow->spans)
            return add_text_value(arrow, c, value);
        return add_row(c, false) && add_null_members(arrow, c);
    }
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

/* What an array owns. */
struct owned {
    const void *buffers[3];
    struct ArrowArray *children, **pointers;
};

static void release_array(struct ArrowArray *array)
{
    struct owned *owned = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (owned->children[i].release)
            owned->children[i].release(&owned->children[i]);
    for (int i = 0; i < 3; i++)
        th__mem_free((void *)owned->buffers[i]);
    th__mem_free(owned->children);
    th__mem_free(owned->pointers);
    th__mem_free(owned);
    array->release = NULL;
}

/* Takes the bytes of a buffer; what an array reads is never NULL. */
static void *take(th__buf *buf)
{
    void *data = buf->data ? buf->data : th__mem_alloc(1);
    *buf = (th__buf){0};
    return data;
}

/* Moves the rows of a column into an array. False if out of memory, with nothing to release. */
static bool take_array(arrow_column *c, struct ArrowArray *out)
{
    struct owned *owned = TH__NEW(struct owned);
    *out = (struct ArrowArray){.length = c->length, .null_count = c->nulls, .private_data = owned};
    if (!owned)
        return false;
    out->release = release_array;
    out->buffers = owned->buffers;
    owned->children = th__mem_zero(c->count + 1, sizeof *owned->children);
    owned->pointers = th__mem_zero(c->count + 1, sizeof *owned->pointers);
    bool ok = owned->children && owned->pointers;
    for (uint32_t i = 0; ok && i < c->count; i++) {
        owned->pointers[i] = &owned->children[i];
        ok = take_array(&c->children[i], &owned->children[i]);
        out->n_children += ok;
    }
    out->children = owned->pointers;
    ok = ok && (owned->buffers[0] = take(&c->valid)) != NULL;
    out->n_buffers = 1;
    if (c->kind == COLUMN_TEXT || c->kind == COLUMN_LIST) {
        ok = ok && (c->ends.len || th__vec_push(&c->ends, 0));
        owned->buffers[1] = c->ends.data;
        c->ends.data = NULL;
        th__vec_release(&c->ends);
        out->n_buffers = 2;
    }
    if (c->kind == COLUMN_TEXT) {
        ok = ok && (owned->buffers[2] = take(&c->text)) != NULL;
        out->n_buffers = 3;
    }
    if (c->kind == COLUMN_NUMBER) {
        ok = ok && th__vec_reserve(&c->numbers, 1);
        owned->buffers[1] = c->numbers.data;
        c->numbers.data = NULL;
        th__vec_release(&c->numbers);
        out->n_buffers = 2;
    }
    c->length = c->nulls = 0;
    if (!ok)
        release_array(out);
    return ok;
}

static th_status end_batch(th_arrow *arrow, th_error *err)
{
    struct ArrowArray batch;
    if (!th__vec_reserve(&arrow->batches, 1) || !take_array(&arrow->root, &batch))
        return th__fail_memory(err);
    arrow->text = 0;
    arrow->batches.data[arrow->batches.len++] = batch;
    return TH_OK;
}

/* ---- schemas -----------------------------------------------------------------------------------
 */

struct owned_schema {
    char *name, *metadata;
    struct ArrowSchema *children, **pointers;
};

static void release_schema(struct ArrowSchema *schema)
{
    struct owned_schema *owned = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (owned->children[i].release)
            owned->children[i].release(&owned->children[i]);
    th__mem_free(owned->name);
    th__mem_free(owned->metadata);
    th__mem_free(owned->children);
    th__mem_free(owned->pointers);
    th__mem_free(owned);
    schema->release = NULL;
}

/* The note of a text as metadata: numbers of bytes before a key and its value. */
static bool write_metadata(th_note note, char **out)
{
    th__buf buf = {0};
    th_str parts[] = {TH_STR("thresh.note"), th_str_from(th_note_name(note))};
    int32_t pairs = 1;
    th__buf_add(&buf, &pairs, sizeof pairs);
    for (int i = 0; i < 2; i++) {
        int32_t len = (int32_t)parts[i].len;
        th__buf_add(&buf, &len, sizeof len);
        th__buf_add_str(&buf, parts[i]);
    }
    *out = buf.data;
    return !buf.failed;
}

static bool write_schema(const arrow_column *c, struct ArrowSchema *out)
{
    static const char *const formats[] = {[COLUMN_TEXT] = "u",
                                          [COLUMN_NUMBER] = "l",
                                          [COLUMN_STRUCT] = "+s",
                                          [COLUMN_LIST] = "+l",
                                          [COLUMN_CHOICE] = "+s"};
    struct owned_schema *owned = TH__NEW(struct owned_schema);
    *out = (struct ArrowSchema){
        .format = formats[c->kind], .flags = ARROW_FLAG_NULLABLE, .private_data = owned};
    if (!owned)
        return false;
    out->release = release_schema;
    owned->children = th__mem_zero(c->count + 1, sizeof *owned->children);
    owned->pointers = th__mem_zero(c->count + 1, sizeof *owned->pointers);
    owned->name = th__mem_copy(c->name.ptr ? c->name.ptr : "", c->name.len);
    bool ok = owned->children && owned->pointers && owned->name;
    if (c->kind == COLUMN_TEXT)
        ok = ok && write_metadata(c->note, &owned->metadata);
    for (uint32_t i = 0; ok && i < c->count; i++) {
        owned->pointers[i] = &owned->children[i];
        ok = write_schema(&c->children[i], &owned->children[i]);
        out->n_children += ok;
    }
    out->name = owned->name;
    out->metadata = owned->metadata;
    out->children = owned->pointers;
    if (!ok)
        release_schema(out);
    return ok;
}

/* ---- the stream --------------------------------------------------------------------------------
 */

static int fail_stream(th_arrow *arrow)
{
    snprintf(arrow->failure, sizeof arrow->failure, "out of memory");
    return ENOMEM;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    th_arrow *arrow = stream->private_data;
    return write_schema(&arrow->root, out) ? 0 : fail_stream(arrow);
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    th_arrow *arrow = stream->private_data;
    *out = (struct ArrowArray){0};
    if (arrow->taken < arrow->batches.len)
        *out = arrow->batches.data[arrow->taken++];
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    th_arrow *arrow = stream->private_data;
    return *arrow->failure ? arrow->failure : NULL;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    th_arrow_free(stream->private_data);
    stream->release = NULL;
}

/* ---- the builder -------------------------------------------------------------------------------
 */

/* The column of pages comes first. Records that are not tuples have one column, "value". */
static bool make_root(th_arrow *arrow, const th_schema *schema, const char *page_key)
{
    type_vec types = {0};
    arrow_column record;
    bool ok = add_types(th_schema_record_type(schema), (th_str){0}, (th_str){0}, &types) &&
              make_column(arrow, (th_str){0}, &types, &record);
    bool tuple = ok && record.kind == COLUMN_STRUCT && types.data[0]->kind == TH_TYPE_TUPLE;
    uint32_t own = tuple ? record.count : 1;
    th__vec_release(&types);
    arrow->root.kind = COLUMN_STRUCT;
    if (!ok || !new_children(arrow, &arrow->root, (size_t)own + 1))
        return false;
    if (page_key) {
        th_str name = th__arena_copy(&arrow->arena, th_str_from(page_key));
        if (!name.ptr)
            return false;
        arrow->page = &arrow->root.children[arrow->root.count++];
        *arrow->page = (arrow_column){.kind = COLUMN_TEXT, .name = name, .note = TH_NOTE_URL};
    }
    for (uint32_t i = 0; tuple && i < own; i++)
        arrow->root.children[arrow->root.count++] = record.children[i];
    if (!tuple) {
        arrow->value = &arrow->root.children[arrow->root.count++];
        *arrow->value = record;
        arrow->value->name = TH_STR("value");
    }
    return true;
}

static const th_arrow_options arrow_defaults = {.size = sizeof arrow_defaults};

void th_arrow_options_defaults(th_arrow_options *options, size_t size)
{
    th__options_give(options, size, &arrow_defaults, sizeof arrow_defaults);
}

th_status th_arrow_new(const th_schema *schema, const th_arrow_options *options, th_arrow **out,
                       th_error *err)
{
    th_arrow_options own = arrow_defaults;
    *out = NULL;
    th__options_take(&own, sizeof own, options);
    if (!schema || !schema->root)
        return th__fail(err, TH_ERR_ARGUMENT, "Arrow columns need a finished schema");
    th_arrow *arrow = TH__NEW(th_arrow);
    if (!arrow)
        return th__fail_memory(err);
    th__arena_init(&arrow->arena);
    arrow->schema = th_schema_retain(schema);
    arrow->spans = own.spans;
    if (!make_root(arrow, schema, own.page_key)) {
        th_arrow_free(arrow);
        return th__fail_memory(err);
    }
    *out = arrow;
    return TH_OK;
}

static bool add_record(th_arrow *arrow, th_str page, const th_value *record)
{
    arrow_column *root = &arrow->root;
    bool ok = add_row(root, true);
    if (arrow->page)
        ok = ok && add_text(arrow, arrow->page, &page);
    if (arrow->value)
        return ok && add_value(arrow, arrow->value, record);
    record = th__value_chosen(record);
    bool tuple = record && record->kind == TH_VALUE_TUPLE;
    ok = ok && (!tuple || map_tuple(arrow, root, record->type));
    for (uint32_t i = arrow->page != NULL; ok && i < root->count; i++)
        ok = add_value(arrow, &root->children[i], tuple ? member_of(root, i, record) : NULL);
    return ok;
}

th_status th_arrow_add(th_arrow *arrow, const th_records *records, th_error *err)
{
    th_status status = arrow->failed ? th__fail_memory(err) : TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++) {
        if (!add_record(arrow, records->page, records->values.data[i]))
            status = th__fail_memory(err);
        else if (arrow->text >= BATCH_TEXT || arrow->root.length >= BATCH_RECORDS)
            status = end_batch(arrow, err);
    }
    arrow->failed = status; /* rows of columns may differ in number by now */
    return status;
}

th_status th_arrow_finish(th_arrow *arrow, struct ArrowArrayStream *out, th_error *err)
{
    *out = (struct ArrowArrayStream){0};
    th_status status = arrow->failed ? th__fail_memory(err) : TH_OK;
    if (!status && arrow->root.length)
        status = end_batch(arrow, err);
    if (status)
        th_arrow_free(arrow);
    else
        *out = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release,
                                         arrow};
    return status;
}

static void release_column(arrow_column *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        release_column(&c->children[i]);
    th__buf_release(&c->valid);
    th__buf_release(&c->text);
    th__vec_release(&c->ends);
    th__vec_release(&c->numbers);
}

void th_arrow_free(th_arrow *arrow)
{
    if (!arrow)
        return;
    release_column(&arrow->root);
    for (size_t i = arrow->taken; i < arrow->batches.len; i++)
        arrow->batches.data[i].release(&arrow->batches.data[i]);
    th__vec_release(&arrow->batches);
    th_schema_free(arrow->schema);
    th__arena_release(&arrow->arena);
    th__mem_free(arrow);
}
