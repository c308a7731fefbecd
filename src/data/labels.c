/* labels.c: reading label lines and examples, and the schema that they have. */
#include "data/labels.h"

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "data/schema.h"
#include "data/value_types.h"
#include "page/text.h"

enum { TH__LABEL_MAX_DEPTH = 32 };

/*
 * Picks: which place of a value is meant, said by hand.
 *
 *     title=2            the second place of each value of the field
 *     title=120-132      the place inside these bytes
 *     120-132            the same for whatever value has a place there
 */

/* A number at the beginning of a text; cuts it off. */
static bool read_number(th_str *text, uint32_t *out)
{
    uint64_t number = 0;
    size_t len = 0;
    while (len < text->len && len < 10 && th__is_digit((unsigned char)text->ptr[len]))
        number = 10 * number + (uint64_t)(text->ptr[len++] - '0');
    *text = (th_str){text->ptr + len, text->len - len};
    *out = (uint32_t)number;
    return len && number <= UINT32_MAX;
}

/* Reads one; its field is borrowed from the text. */
static th_status label_pick_read(th_str text, th__label_pick *out, th_error *err)
{
    th_str rest = text, before = th__str_take(&rest, '=');
    bool named = before.len < text.len;
    *out = (th__label_pick){.field = named ? th__str_trim(before) : (th_str){0}};
    rest = named ? rest : text;
    bool ok = (!named || out->field.len) && read_number(&rest, &out->number);
    if (ok && rest.len && rest.ptr[0] == '-') {
        rest = th__str_slice(rest, 1, rest.len);
        out->span.start = out->number;
        out->number = 0;
        ok = read_number(&rest, &out->span.end) && out->span.end > out->span.start;
    } else {
        ok = ok && out->field.ptr && out->number;
    }
    if (ok && !rest.len)
        return TH_OK;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "\"%.*s\" does not name a place: write FIELD=N, the N-th place that `thresh "
                    "labels` shows, or FIELD=START-END, its bytes",
                    TH_STR_ARG(text));
}

th_status th_labels_new(th_labels **out, th_error *err)
{
    *out = NULL;
    th_labels *labels = TH__NEW(th_labels);
    if (!labels)
        return th__fail_memory(err);
    th__arena_init(&labels->arena);
    th__intern_init(&labels->names);
    *out = labels;
    return TH_OK;
}

void th_labels_free(th_labels *labels)
{
    if (!labels)
        return;
    th__vec_release(&labels->pages);
    th__vec_release(&labels->picks);
    th__intern_release(&labels->names);
    th__arena_release(&labels->arena);
    th__mem_free(labels);
}

size_t th_labels_count(const th_labels *labels)
{
    return labels->pages.len;
}

th_str th_labels_page(const th_labels *labels, size_t index)
{
    return index < labels->pages.len ? labels->pages.data[index].page : (th_str){0};
}

bool th_labels_find(const th_labels *labels, th_str page, size_t *index)
{
    uint32_t id = th__intern_find(&labels->names, page);
    if (id != TH__INTERN_NONE)
        *index = id;
    return id != TH__INTERN_NONE;
}

void th__fold_blanks(th_str text, size_t first, bool *blank, th__buf *out)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t code;
        size_t len = th__utf8_decode(text.ptr + at, text.ptr + text.len, &code, NULL);
        bool is_blank = th__is_blank_char(code);
        if (!is_blank && code) {
            if (*blank && out->len > first)
                th__buf_add_byte(out, ' ');
            th__buf_add(out, text.ptr + at, len);
        }
        *blank = is_blank || (!code && *blank);
        at += len;
    }
}

/* The text with its white space folded, in the arena of the labels. False if out of memory. */
static bool keep_folded(th_labels *labels, th_str text, th_str *out)
{
    th__buf folded = {0};
    bool blank = false;
    th__fold_blanks(text, 0, &blank, &folded);
    *out = folded.failed ? (th_str){0} : th__arena_copy(&labels->arena, th__buf_str(&folded));
    th__buf_release(&folded);
    return out->ptr;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static th__label *new_label(th_labels *labels, th__label_kind kind, th_str name)
{
    th__label *label = th__arena_zero(&labels->arena, 1, sizeof *label);
    if (!label)
        return NULL;
    label->kind = (uint8_t)kind;
    if (name.ptr)
        label->name = th__arena_copy(&labels->arena, name);
    return name.ptr && !label->name.ptr ? NULL : label;
}

static void add_child(th__label *parent, th__label *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

/* The entry of a page; *fresh is set if it is new. NULL if out of memory. */
static th__label_page *page_entry(th_labels *labels, th_str page, bool *fresh)
{
    size_t before = labels->names.len;
    if (!th__vec_reserve(&labels->pages, 1))
        return NULL;
    uint32_t id = th__intern_add(&labels->names, page);
    if (id == TH__INTERN_NONE)
        return NULL;
    *fresh = labels->names.len > before;
    if (*fresh)
        labels->pages.data[labels->pages.len++] =
            (th__label_page){.page = th__intern_name(&labels->names, id)};
    return &labels->pages.data[id];
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct line_reader {
    th_labels *labels;
    size_t line, offset; /* of the line in the text */
    th__buf path;        /* of the JSON value being read */
    unsigned depth;
    th_error *err;
} line_reader;

static th__label *fault(line_reader *r, const char *problem)
{
    if (r->path.failed) {
        th__fail_memory(r->err);
        return NULL;
    }
    th__fail_at(r->err, TH_ERR_FORMAT, r->offset, "%.200s:%zu: at %.*s: %s", r->labels->name.ptr,
                r->line, TH_STR_ARG(th__buf_str(&r->path)), problem);
    th__fail_in(r->err, TH_ERR_FORMAT, r->line, th__buf_str(&r->path));
    return NULL;
}

static th__label *no_memory(line_reader *r)
{
    th__fail_memory(r->err);
    return NULL;
}

static th__label *read_value(line_reader *r, json_t *json, th_str name);

static th__label *text_label(line_reader *r, th_str name, th_str text)
{
    th__label *label = new_label(r->labels, TH__LABEL_TEXT, name);
    if (!label || !keep_folded(r->labels, text, &label->text))
        return no_memory(r);
    if (!label->text.len)
        return fault(r, "empty value; write null for a value that is missing");
    return label;
}

static th__label *number_label(line_reader *r, json_t *json, th_str name)
{
    th__buf buf = {0};
    th__json out = {.buf = &buf};
    if (json_is_integer(json))
        th__json_int(&out, json_integer_value(json));
    else
        th__json_double(&out, json_real_value(json));
    th__label *label = buf.failed ? no_memory(r) : text_label(r, name, th__buf_str(&buf));
    th__buf_release(&buf);
    return label;
}

/* {"start":, "end":}, with or without the "value" that the writers put beside them. */
static bool is_span(json_t *json)
{
    json_t *value = json_object_get(json, "value");
    return json_object_get(json, "start") && json_object_get(json, "end") &&
           json_object_size(json) == (value ? 3u : 2u) && (!value || json_is_string(value)) &&
           json_is_number(json_object_get(json, "start")) &&
           json_is_number(json_object_get(json, "end"));
}

static th__label *span_label(line_reader *r, json_t *json, th_str name)
{
    json_t *start = json_object_get(json, "start"), *end = json_object_get(json, "end");
    if (!json_is_integer(start) || !json_is_integer(end) || json_integer_value(start) < 0 ||
        json_integer_value(end) > UINT32_MAX)
        return fault(r,
                     "a span's start and end must be whole numbers of bytes from 0 to 4294967295");
    if (json_integer_value(start) >= json_integer_value(end))
        return fault(r, "a span must end after it starts");
    th__label *label = new_label(r->labels, TH__LABEL_SPAN, name);
    if (!label)
        return no_memory(r);
    label->span = (th_span){(uint32_t)json_integer_value(start), (uint32_t)json_integer_value(end)};
    json_t *value = json_object_get(json, "value");
    th_str text = {json_string_value(value), json_string_length(value)};
    if (value && !keep_folded(r->labels, text, &label->text))
        return no_memory(r);
    return label;
}

static th__label *list_label(line_reader *r, json_t *json, th_str name)
{
    th__label *list = new_label(r->labels, TH__LABEL_LIST, name);
    size_t kept = r->path.len;
    for (size_t i = 0; list && i < json_array_size(json); i++) {
        th__buf_printf(&r->path, "[%zu]", i);
        th__label *item = read_value(r, json_array_get(json, i), (th_str){0});
        if (!item)
            return NULL;
        add_child(list, item);
        r->path.len = kept;
    }
    return list ? list : no_memory(r);
}

static th__label *tuple_label(line_reader *r, json_t *json, th_str name)
{
    th__label *tuple = new_label(r->labels, TH__LABEL_TUPLE, name);
    size_t kept = r->path.len;
    const char *key;
    json_t *value;
    if (!tuple)
        return no_memory(r);
    json_object_foreach(json, key, value)
    {
        th_str field = th_str_from(key);
        th__buf_printf(&r->path, ".%.100s", key);
        if (!field.len || field.len > TH_SCHEMA_MAX_NAME)
            return fault(r, "a field's name must have 1 to 1024 bytes");
        th__label *member = read_value(r, value, field);
        if (!member)
            return NULL;
        add_child(tuple, member);
        r->path.len = kept;
    }
    return tuple;
}

/* {"extent": a span, "items": [...]}: a list, and where it is. */
static bool is_extent(json_t *json)
{
    json_t *extent = json_object_get(json, "extent");
    return json_object_size(json) == 2 && json_is_object(extent) && is_span(extent) &&
           json_is_array(json_object_get(json, "items"));
}

static th__label *extent_label(line_reader *r, json_t *json, th_str name)
{
    th__label *extent = span_label(r, json_object_get(json, "extent"), name);
    th__label *list = extent ? list_label(r, json_object_get(json, "items"), name) : NULL;
    if (list)
        list->span = extent->span;
    return list;
}

static th__label *read_any(line_reader *r, json_t *json, th_str name)
{
    switch (json_typeof(json)) {
    case JSON_NULL: {
        th__label *label = new_label(r->labels, TH__LABEL_NULL, name);
        return label ? label : no_memory(r);
    }
    case JSON_STRING:
        return text_label(r, name, (th_str){json_string_value(json), json_string_length(json)});
    case JSON_TRUE:
        return text_label(r, name, TH_STR("true"));
    case JSON_FALSE:
        return text_label(r, name, TH_STR("false"));
    case JSON_INTEGER:
    case JSON_REAL:
        return number_label(r, json, name);
    case JSON_ARRAY:
        return list_label(r, json, name);
    case JSON_OBJECT:
        return is_span(json)     ? span_label(r, json, name)
               : is_extent(json) ? extent_label(r, json, name)
                                 : tuple_label(r, json, name);
    }
    return NULL;
}

static th__label *read_value(line_reader *r, json_t *json, th_str name)
{
    if (r->depth >= TH__LABEL_MAX_DEPTH)
        return fault(r, "labels can be at most 32 levels deep");
    r->depth++;
    th__label *label = read_any(r, json, name);
    r->depth--;
    return label;
}

/* The records of a line: a list of objects, or the one object of "record". */
static th__label *read_records(line_reader *r, json_t *json, bool *single, uint32_t *count)
{
    json_t *many = json_object_get(json, "records"), *one = json_object_get(json, "record");
    if (!many == !one)
        return fault(r, many ? "has both \"records\" and \"record\": leave one out"
                             : "needs \"records\", a list of objects, or \"record\", one object");
    *single = one != NULL;
    *count = one ? 1 : (uint32_t)json_array_size(many);
    if (many && !json_is_array(many)) {
        th__buf_printf(&r->path, ".records");
        return fault(r, "must be a list of objects");
    }
    th__label *list = new_label(r->labels, TH__LABEL_LIST, (th_str){0});
    size_t kept = r->path.len;
    for (uint32_t i = 0; list && i < *count; i++) {
        json_t *record = one ? one : json_array_get(many, i);
        if (one)
            th__buf_printf(&r->path, ".record");
        else
            th__buf_printf(&r->path, ".records[%u]", i);
        if (!json_is_object(record) || is_span(record))
            return fault(r, "a record must be an object of fields");
        th__label *label = read_value(r, record, (th_str){0});
        if (!label)
            return NULL;
        add_child(list, label);
        r->path.len = kept;
    }
    return list ? list : no_memory(r);
}

static bool read_place(line_reader *r, json_t *json, th_span *out)
{
    th__label *label = json_is_object(json) && is_span(json)
                           ? span_label(r, json, (th_str){0})
                           : fault(r, "must be a place: {\"start\":, \"end\":}");
    if (label)
        *out = label->span;
    return label != NULL;
}

/* "body" and "nothing": where records are, and where none are. */
static bool read_places(line_reader *r, json_t *json, th__label_page *entry)
{
    json_t *body = json_object_get(json, "body"), *nothing = json_object_get(json, "nothing");
    size_t kept = r->path.len;
    if (body) {
        th__buf_printf(&r->path, ".body");
        if (!read_place(r, body, &entry->body))
            return false;
        r->path.len = kept;
    }
    if (!nothing)
        return true;
    th__buf_printf(&r->path, ".nothing");
    if (!json_is_array(nothing))
        return fault(r, "must be a list of places");
    size_t count = json_array_size(nothing), inner = r->path.len;
    entry->nothing = th__arena_zero(&r->labels->arena, count + 1, sizeof *entry->nothing);
    if (!entry->nothing)
        return no_memory(r);
    for (size_t i = 0; i < count; i++) {
        th__buf_printf(&r->path, "[%zu]", i);
        if (!read_place(r, json_array_get(nothing, i), &entry->nothing[i]))
            return false;
        r->path.len = inner;
    }
    entry->nothing_count = (uint32_t)count;
    r->path.len = kept;
    return true;
}

static bool read_page(line_reader *r, json_t *json)
{
    if (!json_is_object(json))
        return fault(r, "a line is an object with \"page\" and \"records\"");
    json_t *page = json_object_get(json, "page");
    th_str name = {json_string_value(page), json_string_length(page)};
    if (!name.len)
        return fault(r, "needs \"page\", the path or URL of the page");
    th__label_page entry = {.line = r->line};
    entry.records = read_records(r, json, &entry.single, &entry.count);
    if (!entry.records || !read_places(r, json, &entry))
        return false;
    bool fresh;
    th__label_page *stored = page_entry(r->labels, name, &fresh);
    if (!stored)
        return no_memory(r);
    if (!fresh) {
        char problem[400];
        snprintf(problem, sizeof problem,
                 "page \"%.200s\" already has labels in line %zu: join the two", name.ptr,
                 stored->line);
        return fault(r, problem);
    }
    entry.page = stored->page;
    *stored = entry;
    return true;
}

static bool read_line(line_reader *r, th_str line)
{
    json_error_t error;
    json_t *json = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, &error);
    if (!json && json_error_code(&error) == json_error_out_of_memory)
        return no_memory(r);
    if (!json) {
        size_t at = error.position > 0 ? (size_t)error.position : 0;
        bool nul = json_error_code(&error) == json_error_null_character;
        th__fail_at(r->err, TH_ERR_FORMAT, r->offset + at,
                    "%.200s:%zu: not a JSON object, at byte %zu: %s", r->labels->name.ptr, r->line,
                    at, nul ? "\\u0000 is not allowed: no page shows it" : error.text);
        th__fail_in(r->err, TH_ERR_FORMAT, r->line, (th_str){0});
        return false;
    }
    r->path.len = 0;
    th__buf_add_byte(&r->path, '$');
    bool ok = read_page(r, json);
    json_decref(json);
    return ok && (!r->path.failed || no_memory(r));
}

th_status th_labels_read(th_str text, const char *name, th_labels **out, th_error *err)
{
    th_error local;
    line_reader r = {.err = err ? err : &local};
    *out = NULL;
    th_status status = th_labels_new(&r.labels, r.err);
    if (status)
        return status;
    r.labels->name = th__arena_copy(&r.labels->arena, th_str_from(name ? name : "labels"));
    bool ok = r.labels->name.ptr || no_memory(&r);
    th_str rest =
        th__str_slice(text, th__str_starts(text, TH_STR("\xEF\xBB\xBF")) ? 3 : 0, text.len);
    while (ok && rest.len) {
        th_str line = th__str_take(&rest, '\n');
        r.line++;
        r.offset = (size_t)(line.ptr - text.ptr);
        if (th__str_trim(line).len)
            ok = read_line(&r, line);
    }
    th__buf_release(&r.path);
    if (!ok) {
        th_labels_free(r.labels);
        return r.err->status;
    }
    *out = r.labels;
    return TH_OK;
}

/* ---- examples -------------------------------------------------------------------------------- */

static th__label *member_named(const th__label *tuple, th_str name)
{
    for (th__label *member = tuple->first; member; member = member->next)
        if (th__str_eq(member->name, name))
            return member;
    return NULL;
}

/* The member of that name, made when there is none; NULL if out of memory. */
static th__label *need_member(th_labels *labels, th__label *tuple, th_str name, th__label_kind kind)
{
    th__label *member = member_named(tuple, name);
    if (!member) {
        member = new_label(labels, kind, name);
        if (member)
            add_child(tuple, member);
    }
    return member;
}

static th__label *append_new(th_labels *labels, th__label *list, th__label_kind kind)
{
    th__label *item = new_label(labels, kind, (th_str){0});
    if (item)
        add_child(list, item);
    return item;
}

typedef struct example {
    th_str list, field, value; /* list is absent without a "." */
    bool repeated;             /* FIELD[] */
} example;

static th_status parse_example(th_str text, example *out, th_error *err)
{
    static const char form[] = "write FIELD=VALUE, FIELD[]=VALUE or LIST.FIELD=VALUE";
    th_str value = text, field = th__str_take(&value, '=');
    if (text.len && th__utf8_valid(text.ptr, text.len) < text.len)
        return th__fail(err, TH_ERR_ARGUMENT, "an example is not UTF-8: %s", form);
    if (field.len == text.len)
        return th__fail(err, TH_ERR_ARGUMENT, "example \"%.*s\" has no \"=\": %s", TH_STR_ARG(text),
                        form);
    *out = (example){.field = th__str_trim(field), .value = value};
    if (th__str_ends_nocase(out->field, TH_STR("[]"))) {
        out->repeated = true;
        out->field.len -= 2;
    }
    th_str name = out->field, list = th__str_take(&name, '.');
    if (list.len < out->field.len) {
        out->list = list;
        out->field = name;
    }
    if (!out->field.len || (out->list.ptr && !out->list.len) ||
        th__str_find(out->field, TH_STR(".")) != SIZE_MAX)
        return th__fail(err, TH_ERR_ARGUMENT, "example \"%.*s\" names no field: %s",
                        TH_STR_ARG(text), form);
    if (out->field.len > TH_SCHEMA_MAX_NAME || out->list.len > TH_SCHEMA_MAX_NAME)
        return th__fail(err, TH_ERR_LIMIT, "the name of a field can have at most 1024 bytes");
    if (memchr(text.ptr, '\0', field.len))
        return th__fail(err, TH_ERR_ARGUMENT, "the name of a field contains a NUL byte");
    return TH_OK;
}

/* What an example clashes with. */
static th_status clash(th_str name, const char *problem, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "the examples give \"%.*s\" %s", TH_STR_ARG(name),
                    problem);
}

/* The tuple that the field belongs to: the record, or the last item of the list. */
static th_status find_tuple(th_labels *labels, const example *e, th__label **tuple, th_error *err)
{
    if (!e->list.ptr)
        return TH_OK;
    th__label *list = need_member(labels, *tuple, e->list, TH__LABEL_LIST);
    if (!list)
        return th__fail_memory(err);
    if (list->kind != TH__LABEL_LIST || (list->last && list->last->kind != TH__LABEL_TUPLE))
        return clash(e->list, "both values of its own and fields", err);
    *tuple = list->last;
    if (!*tuple || (!e->repeated && member_named(*tuple, e->field)))
        *tuple = append_new(labels, list, TH__LABEL_TUPLE);
    return *tuple ? TH_OK : th__fail_memory(err);
}

static th_status add_value(th_labels *labels, th__label *record, const example *e, th_str value,
                           th_error *err)
{
    th__label *tuple = record, *label;
    th_status status = find_tuple(labels, e, &tuple, err);
    if (status)
        return status;
    th__label *known = member_named(tuple, e->field);
    if (known && (!e->repeated || known->kind != TH__LABEL_LIST ||
                  (known->last && known->last->kind != TH__LABEL_TEXT)))
        return clash(e->field, "both as a list and as something else", err);
    label = need_member(labels, tuple, e->field, e->repeated ? TH__LABEL_LIST : TH__LABEL_TEXT);
    if (label && e->repeated)
        label = append_new(labels, label, TH__LABEL_TEXT);
    if (!label)
        return th__fail_memory(err);
    label->text = value;
    return TH_OK;
}

th_status th_labels_add_example(th_labels *labels, th_str page, th_str text, th_error *err)
{
    example e = {0};
    th_str value;
    th_status status = parse_example(text, &e, err);
    if (status)
        return status;
    if (!keep_folded(labels, e.value, &value))
        return th__fail_memory(err);
    bool fresh, missing = !value.len;
    if (!page.ptr)
        page = TH_STR("");
    th__label_page *entry = page_entry(labels, page, &fresh);
    if (!entry)
        return th__fail_memory(err);
    if (fresh || !entry->records) {
        *entry = (th__label_page){.page = entry->page, .single = true};
        entry->records = new_label(labels, TH__LABEL_LIST, (th_str){0});
    }
    if (!entry->records)
        return th__fail_memory(err);
    if (entry->line)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "page \"%.*s\" already has labels in line %zu of %.*s: give examples only "
                        "for other pages",
                        TH_STR_ARG(page), entry->line, TH_STR_ARG(labels->name));
    th__label *record = entry->records->last;
    const th__label *known =
        record && !e.repeated && !e.list.ptr ? member_named(record, e.field) : NULL;
    if (missing && (!record || e.list.ptr || e.repeated || known))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "example \"%.*s\" has no value; behind the values of a record, FIELD= says "
                        "that it has no such field",
                        TH_STR_ARG(text));
    if (missing) {
        entry->told_missing = true;
        return need_member(labels, record, e.field, TH__LABEL_NULL) ? TH_OK : th__fail_memory(err);
    }
    if (!record || (known && known->kind == TH__LABEL_TEXT)) {
        record = append_new(labels, entry->records, TH__LABEL_TUPLE);
        entry->count += record != NULL;
        entry->single = entry->count == 1;
    }
    return record ? add_value(labels, record, &e, value, err) : th__fail_memory(err);
}

th_status th_labels_add_place(th_labels *labels, th_str text, bool nothing, th_error *err)
{
    th__label_pick pick = {0};
    th__label_page *page = labels->pages.len ? &labels->pages.data[labels->pages.len - 1] : NULL;
    th_status status = label_pick_read(text, &pick, err);
    if (status || pick.field.ptr)
        return th__fail(err, TH_ERR_ARGUMENT, "\"%.*s\" must be bytes of the page: START-END",
                        TH_STR_ARG(text));
    if (!page || labels->pages.len > 1)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%zu pages have labels, so that a part of one needs its name: write "
                        "\"body\" or \"nothing\" into its line of the labels",
                        labels->pages.len);
    if (!nothing) {
        page->body = pick.span;
        return TH_OK;
    }
    th_span *places = th__arena_keep(&labels->arena, page->nothing, page->nothing_count,
                                     sizeof *places); /* has room for one more */
    if (!places)
        return th__fail_memory(err);
    places[page->nothing_count++] = pick.span;
    page->nothing = places;
    return TH_OK;
}

th_status th_labels_add_pick(th_labels *labels, th_str text, th_error *err)
{
    th__label_pick pick;
    text = th__arena_copy(&labels->arena, text.ptr ? text : TH_STR(""));
    if (!text.ptr)
        return th__fail_memory(err);
    th_status status = label_pick_read(text, &pick, err);
    if (!status && !th__vec_push(&labels->picks, pick))
        status = th__fail_memory(err);
    return status;
}

/* ---- the schema of labels ----------------------------------------------------------------------
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

/* ---- notes ----------------------------------------------------------------------------------- */

/* What a text looks like; an address may be one of the same site. */
static th_note note_of(th_str text)
{
    static const char *const images[] = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif"};
    th_note note = th__link_note_of(text);
    for (size_t i = 0; note == TH_NOTE_URL && i < sizeof images / sizeof *images; i++)
        if (th__str_ends_nocase(text, th_str_from(images[i])))
            return TH_NOTE_IMAGE;
    return note;
}

/* ---- pouring --------------------------------------------------------------------------------- */

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

/* ---- reading off; failures stay in the schema until it is finished --------------------------- */

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
