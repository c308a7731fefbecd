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
    if (head->any)
        look.first_key = 0;
    if (head->first.ptr && !th__path_keys(head->first, &look.first_key, &tags))
        return false;
    head->separator = th__lists_is_separator(&look);
    head->shape = th__lists_shape(&look, th__lists_head_fine(head));
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static th_status check_head(th__rule_reader *reader, void *head)
{
    return th__lists_head_prepare(head)
               ? TH_OK
               : th__rule_fault(reader, "element must be one step, such as \"dt\" or \"tr.row\", "
                                        "and first a path");
}

static const th__rule_member head_members[] = {
    {TH__TEXT("element", th__lists_head, element), .flags = TH__NEEDED},
    {TH__TEXT("first", th__lists_head, first), .flags = TH__EMPTY},
    {TH__UINT("cells", th__lists_head, cells, 0, UINT32_MAX)},
    {TH__FLAG("twice", th__lists_head, twice)},
    {TH__FLAG("between", th__lists_head, between)},
    {TH__FLAG("any", th__lists_head, any)},
    {TH__FLAG("fine", th__lists_head, fine)},
    {TH__FLAG("alone", th__lists_head, alone)},
    {TH__TEXT("inside", th__lists_head, inside), .flags = TH__EMPTY},
};
static const th__rule_shape head_shape =
    TH__CHECKED_SHAPE(th__lists_head, head_members, check_head);

static th_status check_path(th__rule_reader *reader, void *place)
{
    return th__lists_place_prepare(place)
               ? TH_OK
               : th__rule_fault(reader,
                                "is not a path: steps are tags with or without a class, such "
                                "as \"html > body > div.hit\"");
}

static const th__rule_member place_members[] = {
    {TH__TEXT("grid", th__lists_place, path), TH__TAG(th__lists_place, of, TH__LISTS_OF_GRID),
     .check = check_path},
    {TH__TEXT("parent", th__lists_place, path), TH__TAG(th__lists_place, of, TH__LISTS_OF_RUNS),
     .check = check_path},
    {TH__TEXT("path", th__lists_place, path),
     TH__ONLY_IF(th__lists_place, of, 1 << TH__LISTS_OF_RECORDS), .flags = TH__NEEDED,
     .check = check_path},
    {TH__OBJECT("head", th__lists_place, head, head_shape),
     TH__ONLY_IF(th__lists_place, of, 1 << TH__LISTS_OF_RUNS), .flags = TH__NEEDED},
};
static const th__rule_shape place_shape = TH__SHAPE(th__lists_place, place_members);

static th_status check_records(th__rule_reader *reader, void *object)
{
    th__lists_rule *rule = object;
    for (uint32_t i = 1; i < rule->count; i++)
        if (rule->places[i].of != rule->places[0].of)
            return th__rule_fault(reader, "must all have a path, or a parent, or a grid");
    rule->fields.several = rule->places[0].of == TH__LISTS_OF_RUNS;
    return TH_OK;
}

static th_status check_rule(th__rule_reader *reader, void *object)
{
    const th__lists_rule *rule = object;
    return (rule->parts > 0) == (rule->places[0].of == TH__LISTS_OF_GRID)
               ? TH_OK
               : th__rule_fault(reader, "only records of a grid have rows, and they need them");
}

static const th__rule_member rule_members[] = {
    {TH__LIST("records", th__lists_rule, places, count, place_shape, 1, TH__LISTS_MAX_PLACES),
     .flags = TH__NEEDED, .check = check_records},
    {TH__FLAG("together", th__lists_rule, together)},
    {TH__UINT("rows", th__lists_rule, parts, 2, TH__LISTS_MAX_PARTS)},
    {TH__INLINE(th__lists_rule, fields, th__fields_shape)},
};
const th__rule_shape th__lists_rule_shape =
    TH__CHECKED_SHAPE(th__lists_rule, rule_members, check_rule);

th__fields *th__lists_fields(void *rule)
{
    return &((th__lists_rule *)rule)->fields;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void explain_head(const th__lists_head *head, th__buf *out)
{
    th__buf_printf(out, "    %s %.*s", head->separator ? "separated by" : "each from",
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
    static const char *const words[] = {"records\n", "records: neighbouring elements in\n",
                                        "records: side by side in\n"};
    th__buf_printf(out, "%s", words[rule->places[0].of]);
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
