/*
 * lists_json.c: rules of the engine for lists as JSON and in words.
 *
 *     {"records": [{"path": "html > body > div.results > div.hit"}], "fields": [...]}
 *     {"records": [{"parent": "html > body > dl", "head": {"element": "dt", "first": "a"}}], ...}
 *     {"records": [{"grid": "html > body > table"}], "rows": 2, ...}
 */
#include "base/error.h"
#include "engine/lists/lists_cut.h"
#include "engine/lists/lists_rule.h"
#include "page/tags.h"

/* ---- what follows ---------------------------------------------------------------------------- */

bool th__lists_place_prepare(th__lists_place *place)
{
    th_str rest = place->path, step = {0};
    uint16_t tag;
    bool bad;
    if (!place->path.len || !th__path_keys(place->path, &place->key, &place->tags))
        return false;
    while (th__path_next(&rest, &step, &bad))
        ;
    place->signature = th__step_signature(th__step_hash(step, &tag));
    return true;
}

bool th__lists_head_prepare(th__lists_head *head)
{
    th_str rest = head->element, step;
    uint16_t tag;
    bool bad;
    if (!th__path_next(&rest, &step, &bad) || rest.len)
        return false;
    uint64_t tags, hash = th__step_hash(step, &tag);
    th__lists_look_of look = {.signature = th__step_signature(hash),
                              .first_key = TH__LISTS_NO_TEXT,
                              .cells = head->cells,
                              .first_tag = head->inside.ptr ? th_tag_id(head->inside) : 0,
                              .alone = head->alone,
                              .is_break = tag == TH_TAG_BR,
                              .twice = head->twice,
                              .empty = head->between || tag == TH_TAG_HR};
    if (head->first.ptr && !th__path_keys(head->first, &look.first_key, &tags))
        return false;
    head->separator = th__lists_is_separator(&look);
    head->shape = th__lists_shape(&look, head->fine);
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_head(const th__lists_head *head, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("element"));
    th__json_str(json, head->element);
    if (head->first.ptr) {
        th__json_key(json, TH_STR("first"));
        th__json_str(json, head->first);
    }
    if (head->cells) {
        th__json_put_uint(json, "cells", head->cells);
    }
    th__json_put_true(json, "twice", head->twice);
    th__json_put_true(json, "between", head->between);
    th__json_put_true(json, "fine", head->fine);
    th__json_put_true(json, "alone", head->alone);
    if (head->inside.ptr) {
        th__json_key(json, TH_STR("inside"));
        th__json_str(json, head->inside);
    }
    th__json_end_object(json);
}

/* What a place names: records, the element around runs, or that of a grid. */
enum { OF_RECORDS, OF_RUNS, OF_GRID, PLACE_KINDS };
static const char *const place_keys[PLACE_KINDS] = {"path", "parent", "grid"};

static int kind_of(const th__lists_rule *rule)
{
    return rule->parts ? OF_GRID : rule->fields.several ? OF_RUNS : OF_RECORDS;
}

void th__lists_write(const void *rules, th__json *json)
{
    const th__lists_rule *rule = rules;
    th__json_begin_object(json);
    th__json_key(json, TH_STR("records"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->count; i++) {
        th__json_begin_object(json);
        th__json_key(json, th_str_from(place_keys[kind_of(rule)]));
        th__json_str(json, rule->places[i].path);
        if (rule->fields.several) {
            th__json_key(json, TH_STR("head"));
            write_head(&rule->places[i].head, json);
        }
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_put_true(json, "together", rule->together);
    if (rule->parts) {
        th__json_put_uint(json, "rows", rule->parts);
    }
    th__json_key(json, TH_STR("fields"));
    th__fields_write(&rule->fields, json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

static th_status read_head(th__rule_reader *reader, json_t *json, th__arena *arena,
                           th__lists_head *head)
{
    uint64_t cells = 0;
    th_status status = th__rule_text(reader, json, "element", true, arena, &head->element);
    if (!status)
        status = th__rule_text(reader, json, "first", false, arena, &head->first);
    if (!status)
        status = th__rule_number(reader, json, "cells", false, UINT32_MAX, &cells);
    head->cells = (uint32_t)cells;
    if (!status)
        status = th__rule_bool(reader, json, "twice", &head->twice);
    if (!status)
        status = th__rule_bool(reader, json, "between", &head->between);
    if (!status)
        status = th__rule_bool(reader, json, "fine", &head->fine);
    if (!status)
        status = th__rule_bool(reader, json, "alone", &head->alone);
    if (!status)
        status = th__rule_text(reader, json, "inside", false, arena, &head->inside);
    if (!status && !th__lists_head_prepare(head))
        status = th__rule_fault(reader, "element must be one step, such as \"dt\" or \"tr.row\", "
                                        "and first a path");
    return status;
}

static th_status read_place(th__rule_reader *reader, json_t *json, int kind, th__arena *arena,
                            th__lists_place *place)
{
    const char *key = place_keys[kind];
    bool several = kind == OF_RUNS;
    json_t *head = NULL;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = th__rule_text(reader, json, key, true, arena, &place->path);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, key);
    if (!th__lists_place_prepare(place))
        status = th__rule_fault(reader, "is no path: steps are tags with or without a class, such "
                                        "as \"html > body > div.hit\"");
    th__rule_leave(reader, mark);
    if (!status && several)
        status = th__rule_object(reader, json, "head", true, &head);
    if (status || !several)
        return status;
    mark = th__rule_enter(reader, "head");
    status = read_head(reader, head, arena, &place->head);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_places(th__rule_reader *reader, json_t *json, th__arena *arena,
                             th__lists_rule *rule, int *kind)
{
    size_t count = json_array_size(json);
    th_status status = TH_OK;
    rule->count = (uint32_t)count;
    rule->places = th__arena_zero(arena, count, sizeof *rule->places);
    if (!rule->places)
        return th__fail_memory(reader->err);
    for (*kind = PLACE_KINDS - 1; *kind > OF_RECORDS; --*kind)
        if (json_object_get(json_array_get(json, 0), place_keys[*kind]))
            break;
    size_t mark = th__rule_enter(reader, "records");
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_place(reader, json_array_get(json, i), *kind, arena, &rule->places[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

th_status th__lists_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                         th__arena *arena, void **out)
{
    json_t *records, *fields;
    int kind = OF_RECORDS;
    uint64_t rows = 0;
    th__lists_rule *rule = th__arena_zero(arena, 1, sizeof *rule);
    if (!rule)
        return th__fail_memory(reader->err);
    th_status status = th__rule_array(reader, json, "records", 1, TH__LISTS_MAX_PLACES, &records);
    if (!status)
        status = read_places(reader, records, arena, rule, &kind);
    if (!status && kind == OF_GRID)
        status = th__rule_number(reader, json, "rows", true, TH__LISTS_MAX_PARTS, &rows);
    rule->parts = (uint32_t)rows;
    if (!status)
        status = th__rule_bool(reader, json, "together", &rule->together);
    if (!status && kind == OF_GRID && rows < 2)
        status = th__rule_fault(reader, "records of a grid are spread over 2 rows or more");
    if (!status)
        status = th__rule_array(reader, json, "fields", 0, TH__FIELDS_MAX, &fields);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, "fields");
    status = th__fields_read(reader, fields, schema, kind == OF_RUNS, arena, &rule->fields);
    th__rule_leave(reader, mark);
    *out = rule;
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void explain_head(const th__lists_head *head, th__buf *out)
{
    th__buf_printf(out, "    %s %.*s", head->separator ? "parted by" : "each from",
                   TH_STR_ARG(head->element));
    if (head->twice)
        th__buf_printf(out, " twice");
    if (head->cells)
        th__buf_printf(out, " with %u cell%s", head->cells, head->cells == 1 ? "" : "s");
    if (head->first.len)
        th__buf_printf(out, " that begins with %.*s", TH_STR_ARG(head->first));
    if (head->fine)
        th__buf_printf(out, ", %s%.*s%s", head->inside.ptr ? "in " : "plain",
                       TH_STR_ARG(head->inside), head->alone ? ", and has no other text" : "");
    th__buf_printf(out, "%s\n", head->separator ? "" : " to before the next");
}

void th__lists_explain(const void *rules, th__buf *out)
{
    const th__lists_rule *rule = rules;
    static const char *const words[PLACE_KINDS] = {
        "records\n", "records: neighbouring elements in\n", "records: side by side in\n"};
    th__buf_printf(out, "%s", words[kind_of(rule)]);
    for (uint32_t i = 0; i < rule->count; i++) {
        th__buf_printf(out, "  %.*s\n", TH_STR_ARG(rule->places[i].path));
        if (rule->fields.several)
            explain_head(&rule->places[i].head, out);
    }
    if (rule->together)
        th__buf_printf(out, "    those with the same parent, where most are\n");
    if (rule->parts)
        th__buf_printf(out, "    each a cell of %u rows, one below the other\n", rule->parts);
    th__buf_printf(out, "fields\n");
    th__fields_explain(&rule->fields, out);
}
