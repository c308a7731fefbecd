/*
 * stalker_rules.c: rules to JSON and back; then looking at rules.
 *
 * Nodes follow the schema: they are made before a file is read, and the file fills them.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"
#include "wrapper/doubts.h"
#include "wrapper/hits.h"
#include "wrapper/rule_table.h"

/* Rules as JSON. The tree of rules has the shape of the schema: a tuple has "members", a choice
 * "alternatives", a list "items" (where they are) and "item" (what is in them), a field its views.
 * A landmark rule is an array of disjuncts in the paper's notation; "ToEnd()" as the last leads to
 * the end of what is searched. */

enum { MAX_WEIGHT = 1000000, MAX_NTH = 1 << 30 };

#define TO_END "ToEnd()" /* leads to the end of what is searched */

/* By th__thing_kind, by th__list_kind, and what a run begins with. */
static const char *const things[] = {"text", "element", NULL};
static const char *const kinds[] = {"landmarks", "signs", "lines", "single", "parts",
                                    "elements",  "texts", "runs",  NULL};
static const char *const starts[] = {"element", "text", NULL};

/* ---- notation --------------------------------------------------------------------------------
 *
 * Tokens are between blanks. A backslash is before a bracket or backslash, and before a first
 * "_" or "<" that is a sign or a word and no wildcard or tag. */

static void write_mark(const th__mark *mark, th__buf *out)
{
    for (size_t i = 0; i < mark->text.len; i++) {
        char c = mark->text.ptr[i];
        bool lead = i == 0 && mark->kind == TH__MARK_TEXT && (c == '_' || c == '<');
        if (c == '(' || c == ')' || c == '\\' || lead)
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, c);
    }
}

void th__disjunct_write(const th__disjunct *disjunct, bool backward, th__buf *out)
{
    static const char *const names[2][2] = {{"SkipTo(", "SkipUntil("}, {"BackTo(", "BackUntil("}};
    for (uint32_t i = 0; i < disjunct->count; i++) {
        const th__landmark *landmark = &disjunct->landmarks[i];
        if (i)
            th__buf_add_byte(out, ' ');
        th__buf_add_str(out, th_str_from(names[backward][landmark->until]));
        for (uint32_t m = 0; m < landmark->count; m++) {
            if (m)
                th__buf_add_byte(out, ' ');
            write_mark(&landmark->marks[m], out);
        }
        th__buf_add_byte(out, ')');
    }
}

struct notation {
    const char *at, *end;
    th__arena *arena;
    bool backward;
    const char *problem;
};

static bool fault(struct notation *n, const char *problem)
{
    n->problem = problem;
    return false;
}

static bool read_mark(struct notation *n, th__mark *mark)
{
    th__buf text = {0};
    bool escaped = *n->at == '\\';
    while (n->at < n->end && *n->at != ' ' && *n->at != ')' && *n->at != '(') {
        if (*n->at == '\\' && ++n->at == n->end)
            break;
        th__buf_add_byte(&text, *n->at++);
    }
    *mark = (th__mark){0};
    if (!text.failed && text.len)
        mark->text = th__arena_copy(n->arena, th__buf_str(&text));
    bool failed = text.failed || (text.len && !mark->text.ptr), empty = !text.len;
    th__buf_release(&text);
    if (failed)
        return fault(n, NULL);
    n->problem = empty ? "has an empty token" : th__mark_read(escaped, mark);
    return !n->problem;
}

static bool read_word(struct notation *n, th__landmark *landmark)
{
    static const th_str words[2][2] = {{{"SkipTo(", 7}, {"SkipUntil(", 10}},
                                       {{"BackTo(", 7}, {"BackUntil(", 10}}};
    th_str rest = {n->at, (size_t)(n->end - n->at)};
    for (int until = 0; until < 2; until++) {
        th_str word = words[n->backward][until];
        if (th__str_starts(rest, word)) {
            landmark->until = until;
            n->at += word.len;
            return true;
        }
    }
    return fault(n, n->backward ? "must be made of BackTo(...) and BackUntil(...)"
                                : "must be made of SkipTo(...) and SkipUntil(...)");
}

static bool read_landmark(struct notation *n, th__landmark *out)
{
    th__mark marks[TH__STALKER_MAX_TOKENS];
    *out = (th__landmark){0};
    if (!read_word(n, out))
        return false;
    for (;;) {
        if (out->count == TH__STALKER_MAX_TOKENS)
            return fault(n, "has a landmark of more than 32 tokens");
        if (n->at == n->end)
            return fault(n, "has a landmark without its closing bracket");
        if (!read_mark(n, &marks[out->count++]))
            return false;
        if (n->at == n->end || *n->at == '(')
            return fault(n, "has a landmark without its closing bracket");
        if (*n->at++ == ')')
            break;
    }
    out->marks = th__arena_keep(n->arena, marks, out->count, sizeof *marks);
    return out->marks || fault(n, NULL);
}

bool th__disjunct_read(th_str text, th__arena *arena, bool backward, th__disjunct *out,
                       const char **problem)
{
    struct notation n = {text.ptr, text.ptr + text.len, arena, backward, NULL};
    th__landmark landmarks[TH__STALKER_MAX_LANDMARKS];
    *out = (th__disjunct){0};
    bool ok = true;
    while (ok && n.at < n.end) {
        if (out->count == TH__STALKER_MAX_LANDMARKS)
            ok = fault(&n, "has more than 8 landmarks");
        else
            ok = read_landmark(&n, &landmarks[out->count++]);
        if (ok && n.at < n.end && (*n.at++ != ' ' || n.at == n.end))
            ok = fault(&n, "must have one blank between its landmarks");
    }
    if (ok) {
        out->landmarks = th__arena_keep(arena, landmarks, out->count, sizeof *landmarks);
        ok = out->landmarks || fault(&n, NULL);
    }
    *problem = n.problem;
    return ok;
}

/* ---- landmark rules: arrays of disjuncts ----------------------------------------------------- */

static th_status read_disjunct(th__rule_reader *reader, json_t *item, bool last,
                               th__landmark_rule *rule)
{
    const char *problem = NULL;
    if (!json_is_string(item))
        return th__rule_fault(reader, "must be a text");
    th_str text = {json_string_value(item), json_string_length(item)};
    if (th__str_eq(text, TH_STR(TO_END))) {
        rule->to_end = true;
        return last ? TH_OK
                    : th__rule_fault(reader, "comes before others, which can then never match");
    }
    if (th__disjunct_read(text, reader->arena, rule->backward, &rule->disjuncts[rule->count],
                          &problem)) {
        rule->count++;
        return TH_OK;
    }
    return problem ? th__rule_fault(reader, "%s", problem) : th__fail_memory(reader->err);
}

static th_status read_rule(th__rule_reader *reader, json_t *json, bool backward,
                           th__landmark_rule *out)
{
    size_t count = json_array_size(json);
    th_status status = TH_OK;
    if (!json_is_array(json) || count > TH__STALKER_MAX_DISJUNCTS + 1)
        return th__rule_fault(reader, "must be an array of 0 to %d items",
                              TH__STALKER_MAX_DISJUNCTS + 1);
    out->backward = backward;
    out->disjuncts = th__arena_zero(reader->arena, count + 1, sizeof *out->disjuncts);
    if (!out->disjuncts)
        return th__fail_memory(reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        size_t mark = th__rule_enter_item(reader, i);
        status = read_disjunct(reader, json_array_get(json, i), i + 1 == count, out);
        th__rule_leave(reader, mark);
    }
    return status;
}

static th_status read_forward(th__rule_reader *reader, json_t *json, void *object)
{
    return read_rule(reader, json, false, object);
}

static th_status read_backward(th__rule_reader *reader, json_t *json, void *object)
{
    return read_rule(reader, json, true, object);
}

/* The end of either view may be sought forward, from the start that was found, or backward, from
 * the end of the scope: its first disjunct says which. */
static th_status read_either(th__rule_reader *reader, json_t *json, void *object)
{
    const char *text = json_string_value(json_array_get(json, 0));
    bool forward = text && (!strncmp(text, "Skip", 4) || !strcmp(text, TO_END));
    return read_rule(reader, json, !forward, object);
}

static void write_rule(const void *root, const void *object, th__json *json)
{
    const th__landmark_rule *rule = object;
    th__buf text = {0};
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->count; i++) {
        text.len = 0;
        th__disjunct_write(&rule->disjuncts[i], rule->backward, &text);
        th__json_str(json, th__buf_str(&text));
    }
    if (rule->to_end)
        th__json_str(json, TH_STR(TO_END));
    th__json_end_array(json);
    json->buf->failed |= text.failed;
    th__buf_release(&text);
}

static const th__rule_member forward_rule[] = {{TH__OWN(NULL, read_forward, write_rule)}};
static const th__rule_shape forward_rule_shape = TH__SHAPE(th__landmark_rule, forward_rule);
static const th__rule_member backward_rule[] = {{TH__OWN(NULL, read_backward, write_rule)}};
static const th__rule_shape backward_rule_shape = TH__SHAPE(th__landmark_rule, backward_rule);
static const th__rule_member either_rule[] = {{TH__OWN(NULL, read_either, write_rule)}};
static const th__rule_shape either_rule_shape = TH__SHAPE(th__landmark_rule, either_rule);

static th_status begin_view(th__rule_reader *reader, void *view)
{
    ((th__landmark_view *)view)->weight = 1;
    return TH_OK;
}

/* A view that was not learnt has no weight, and is not written. */
#define VIEW(starts_, ends_)                                                                       \
    {TH__UINT("weight", th__landmark_view, weight, 0, MAX_WEIGHT)},                                \
        {TH__OBJECT("start", th__landmark_view, start, starts_), .flags = TH__NEEDED},             \
    {                                                                                              \
        TH__OBJECT("end", th__landmark_view, end, ends_), .flags = TH__NEEDED                      \
    }
static const th__rule_member forward_view[] = {VIEW(forward_rule_shape, either_rule_shape)};
static const th__rule_member backward_view[] = {VIEW(backward_rule_shape, either_rule_shape)};
static const th__rule_shape forward_view_shape = {
    .members = forward_view, .count = 3, .size = sizeof(th__landmark_view), .begin = begin_view};
static const th__rule_shape backward_view_shape = {
    .members = backward_view, .count = 3, .size = sizeof(th__landmark_view), .begin = begin_view};

/* ---- places ---------------------------------------------------------------------------------- */

static th_status read_begins(th__rule_reader *reader, json_t *json, void *object)
{
    th_str begins = {0};
    th_class cls = TH_CLASS_ANY;
    th_status status = th__rule_text(reader, json, "begins", false, reader->arena, &begins);
    if (!status && begins.ptr && !th_class_find(begins, &cls))
        status =
            th__rule_fault_in(reader, "begins", "must be a class of tokens, such as \"number\"");
    ((th__path_spec *)object)->begins = (uint8_t)cls;
    return status;
}

static void write_begins(const void *root, const void *object, th__json *json)
{
    th_class cls = (th_class)((const th__path_spec *)object)->begins;
    if (cls != TH_CLASS_ANY)
        th__json_put_text(json, "begins", th_str_from(th_class_name(cls)));
}

static th_status check_spec(th__rule_reader *reader, void *object)
{
    th__path_spec *spec = object;
    return th__path_spec_prepare(spec)
               ? TH_OK
               : th__rule_fault_in(reader, spec->mark.ptr ? "mark" : "path",
                                   "must be steps such as \"div.price > b\", below a mark such as "
                                   "\"id=price\"");
}

static const th__rule_member spec_members[] = {
    {TH__TEXT("path", th__path_spec, path), .flags = TH__NEEDED},
    {TH__UINT("steps", th__path_spec, steps, 0, 64)},
    {TH__FLAG("tags", th__path_spec, tags)},
    {TH__TEXT("mark", th__path_spec, mark), .flags = TH__EMPTY},
    {TH__UINT("cell", th__path_spec, cell, 0, 1000)},
    {TH__FLAG("plain", th__path_spec, plain)},
    {TH__FLAG("bare", th__path_spec, bare)},
    {TH__OWN("begins", read_begins, write_begins)},
};
static const th__rule_shape spec_shape = TH__CHECKED_SHAPE(th__path_spec, spec_members, check_spec);

/* The hash of a text that pages contain as it is. */
static th_status hash_anchor(th__rule_reader *reader, th_str text, uint64_t *hash)
{
    th__buf scratch = {0};
    *hash = th__anchor_key(text, false, &scratch);
    th__buf_release(&scratch);
    return *hash
               ? TH_OK
               : th__rule_fault(reader, "must be a text with a letter in it, of 160 bytes at most");
}

static th_status check_anchor(th__rule_reader *reader, void *object)
{
    th__place_rule *rule = object;
    return hash_anchor(reader, rule->anchor, &rule->hash);
}

/* 1 for the first, -1 for the last. */
static th_status read_nth(th__rule_reader *reader, json_t *json, void *object)
{
    json_t *value = json_object_get(json, "nth");
    json_int_t nth = json_is_integer(value) ? json_integer_value(value) : 0;
    ((th__place_rule *)object)->nth = (int32_t)(nth > 0 ? nth - 1 : nth);
    return nth && nth <= MAX_NTH && nth >= -MAX_NTH
               ? TH_OK
               : th__rule_fault_in(reader, "nth",
                                   "must be 1, 2, ... or, from the end, -1, -2, ...");
}

static void write_nth(const void *root, const void *object, th__json *json)
{
    int32_t nth = ((const th__place_rule *)object)->nth;
    th__json_key(json, TH_STR("nth"));
    th__json_int(json, nth >= 0 ? nth + 1 : nth);
}

static const th__rule_member place_members[] = {
    {TH__TEXT("after", th__place_rule, anchor), .flags = TH__EMPTY, .check = check_anchor,
     TH__TAG(th__place_rule, side, TH__ANCHOR_AFTER)},
    {TH__TEXT("before", th__place_rule, anchor), .flags = TH__EMPTY, .check = check_anchor,
     TH__TAG(th__place_rule, side, TH__ANCHOR_BEFORE)},
    {TH__UINT("reach", th__place_rule, reach, 0, UINT32_MAX - 1), .none = TH__ANY_REACH},
    {TH__INLINE(th__place_rule, at, spec_shape)},
    {TH__OWN("nth", read_nth, write_nth)},
    {TH__FLAG("alone", th__place_rule, alone)},
    {TH__UINT("weight", th__place_rule, weight, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
    {TH__UINT("against", th__place_rule, against, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
};
static const th__rule_shape place_shape = TH__SHAPE(th__place_rule, place_members);

/* ---- fields ---------------------------------------------------------------------------------- */

/* Landmark rules want to know which part of an attribute is meant, too. */
static bool has_structure(const th__stalker_field *field)
{
    return field->place_count || (field->attribute.ptr && field->cut);
}

static th_status check_structure(th__rule_reader *reader, void *object)
{
    const th__stalker_field *field = object;
    if (!has_structure(field))
        return th__rule_fault_in(reader, "places", "must be an array of 1 to 8 items");
    return field->attribute.ptr && field->thing != TH__THING_NODE
               ? th__rule_fault(reader, "must be of \"element\": texts have no attributes")
               : TH_OK;
}

static const th__rule_member structure_members[] = {
    {TH__WORD("of", th__stalker_field, thing, things), .flags = TH__ALWAYS},
    {TH__FLAG("full", th__stalker_field, full)},
    {TH__FLAG("from_start", th__stalker_field, from_start)},
    {TH__FLAG("to_end", th__stalker_field, to_end)},
    {TH__UINT("weight", th__stalker_field, weight, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
    {TH__LIST("places", th__stalker_field, places, place_count, place_shape, 0, TH__PLACES_MOST),
     .flags = TH__NEEDED},
    {TH__OBJECT("start", th__stalker_field, cut_start, forward_rule_shape), .flags = TH__ALWAYS,
     TH__TAG(th__stalker_field, cut, true)},
    {TH__OBJECT("end", th__stalker_field, cut_end, forward_rule_shape), .flags = TH__NEEDED,
     TH__ONLY_IF(th__stalker_field, cut, 1 << true)},
};
static const th__rule_shape structure_shape =
    TH__CHECKED_SHAPE(th__stalker_field, structure_members, check_structure);

static th_status read_structure(th__rule_reader *reader, json_t *json, void *object)
{
    static const th__rule_member structure = {TH__GROUP("structure", structure_shape)};
    return th__rule_member_read(reader, json, &structure, object);
}

static void write_structure(const void *root, const void *object, th__json *json)
{
    if (!has_structure(object))
        return;
    th__json_key(json, TH_STR("structure"));
    th__rule_table_write(&structure_shape, object, json);
}

static const th__rule_member field_members[] = {
    {TH__FLAG("whole", th__stalker_field, whole)},
    {TH__FLAG("extent", th__stalker_field, extent)},
    {TH__FLAG("always", th__stalker_field, always)},
    {TH__FLAG("apart", th__stalker_field, apart)},
    {TH__FLAG("simple", th__stalker_field, simple)},
    {TH__FLAG("literal", th__stalker_field, literal)},
    {TH__TEXT("attribute", th__stalker_field, attribute), .flags = TH__EMPTY},
    {TH__OWN("structure", read_structure, write_structure)},
    {TH__OBJECT("forward", th__stalker_field, forward, forward_view_shape)},
    {TH__OBJECT("backward", th__stalker_field, backward, backward_view_shape)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__stalker_field, field_members);

/* ---- lists ----------------------------------------------------------------------------------- */

/* The node whose list is read. */
struct list_reading {
    th__stalker_node *node;
    bool inside; /* a part of a list, which has no parts of its own */
};

static const th__rule_shape node_shape;

static th_status check_kind(th__rule_reader *reader, void *object)
{
    const struct list_reading *r = reader->context;
    uint8_t kind = ((th__stalker_list *)object)->kind;
    if (kind == TH__LIST_SINGLE && !r->node->children[0].field)
        return th__rule_fault(reader, "can be \"single\" only for a list of texts");
    if (kind == TH__LIST_PARTS && (r->inside || !r->node->children[0].field))
        return th__rule_fault(reader, "can have \"parts\" only for a list of texts, and once");
    return TH_OK;
}

static th_status check_after(th__rule_reader *reader, void *object)
{
    th__stalker_list *list = object;
    return hash_anchor(reader, list->after, &list->after_hash);
}

static th_status check_before(th__rule_reader *reader, void *object)
{
    th__stalker_list *list = object;
    return hash_anchor(reader, list->before, &list->before_hash);
}

static th_status check_span(th__rule_reader *reader, void *object)
{
    return ((th__stalker_list *)object)->span->attribute.ptr
               ? th__rule_fault(reader, "must be text: an attribute contains no items")
               : TH_OK;
}

static th_status check_sign(th__rule_reader *reader, void *object)
{
    const th__stalker_list *list = object;
    if (!th__str_trim(list->sign).len)
        return th__rule_fault(reader, "must be a text, with or without a blank before or after it");
    return list->span && ((struct list_reading *)reader->context)->node->children[0].field
               ? TH_OK
               : th__rule_fault(reader, "can be only in a list of texts with a span");
}

/* Parts are lists of the same type, without parts of their own. */
static th_status read_parts(th__rule_reader *reader, json_t *json, void *object)
{
    const th_type *type = ((struct list_reading *)reader->context)->node->type;
    th__stalker_list *list = object;
    json_t *items;
    th_status status = th__rule_array(reader, json, "parts", 1, TH__STALKER_MAX_PARTS, &items);
    if (status)
        return status;
    list->parts = th__arena_zero(reader->arena, json_array_size(items), sizeof *list->parts);
    if (!list->parts)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "parts");
    for (; !status && list->part_count < json_array_size(items); list->part_count++) {
        size_t inner = th__rule_enter_item(reader, list->part_count);
        th__stalker_node *part = &list->parts[list->part_count];
        if (!th__stalker_node_make(reader->arena, type, part))
            return th__fail_memory(reader->err);
        part->list->kind = TH__LIST_PARTS; /* so that it is refused inside */
        status =
            th__rule_read_inner(reader, json_array_get(items, list->part_count), &node_shape, part);
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return status;
}

static void write_parts(const void *root, const void *object, th__json *json)
{
    const th__stalker_list *list = object;
    th__json_key(json, TH_STR("parts"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < list->part_count; i++)
        th__rule_table_write(&node_shape, &list->parts[i], json);
    th__json_end_array(json);
}

#define ONLY_OF(bits) TH__ONLY_IF(th__stalker_list, kind, bits)
enum { OF_PLACES = 1 << TH__LIST_ELEMENTS | 1 << TH__LIST_UNITS | 1 << TH__LIST_RUNS };

static const th__rule_member list_members[] = {
    {TH__WORD("kind", th__stalker_list, kind, kinds), .flags = TH__ALWAYS, .check = check_kind},
    {TH__TEXT("after", th__stalker_list, after), .flags = TH__EMPTY, .check = check_after,
     ONLY_OF(OF_PLACES)},
    {TH__TEXT("before", th__stalker_list, before), .flags = TH__EMPTY, .check = check_before,
     ONLY_OF(OF_PLACES)},
    {TH__INLINE(th__stalker_list, at, spec_shape), ONLY_OF(OF_PLACES)},
    {TH__FLAG("together", th__stalker_list, together), ONLY_OF(OF_PLACES)},
    {TH__WORD("begin", th__stalker_list, start_is_unit, starts), .flags = TH__ALWAYS,
     ONLY_OF(1 << TH__LIST_RUNS)},
    {TH__POINTER("span", th__stalker_list, span, field_shape), .check = check_span},
    {TH__FLAG("with_tags", th__stalker_list, with_tags)},
    {TH__FLAG("indented", th__stalker_list, indented)},
    {TH__TEXT("sign", th__stalker_list, sign), .flags = TH__NEEDED, .check = check_sign,
     ONLY_OF(1 << TH__LIST_SIGNS)},
    {TH__OBJECT("next", th__stalker_list, item, forward_view_shape)},
    {TH__OWN("parts", read_parts, write_parts), ONLY_OF(1 << TH__LIST_PARTS)},
};
static const th__rule_shape list_shape = TH__SHAPE(th__stalker_list, list_members);

/* ---- nodes ----------------------------------------------------------------------------------- */

static th_status check_label(th__rule_reader *reader, void *object)
{
    th__stalker_node *node = object;
    return hash_anchor(reader, node->label, &node->label_hash);
}

/* Names are the schema's: they are for people. */
static th_status read_name(th__rule_reader *reader, json_t *json, void *object)
{
    return TH_OK;
}

static void write_name(const void *root, const void *object, th__json *json)
{
    th__json_put_text(json, "name", th_type_name(((const th__stalker_node *)object)->type));
}

static th_status read_list(th__rule_reader *reader, json_t *json, th__stalker_node *node)
{
    struct list_reading r = {node, node->list->kind == TH__LIST_PARTS};
    const th__rule_member items = {
        .key = "items", .type = TH__RULE_OBJECT, .of = &list_shape, .flags = TH__NEEDED};
    const th__rule_member item = {
        .key = "item", .type = TH__RULE_OBJECT, .of = &node_shape, .flags = TH__NEEDED};
    void *outer = reader->context;
    node->list->kind = 0;
    reader->context = &r;
    th_status status = th__rule_member_read(reader, json, &items, node->list);
    reader->context = outer;
    return status ? status : th__rule_member_read(reader, json, &item, node->children);
}

static const char *children_key(const th__stalker_node *node)
{
    return node->type->kind == TH_TYPE_CHOICE ? "alternatives" : "members";
}

static th_status read_children(th__rule_reader *reader, json_t *json, th__stalker_node *node)
{
    json_t *items;
    const char *key = children_key(node);
    th_status status = th__rule_array(reader, json, key, 0, TH_SCHEMA_MAX_TYPES, &items);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, key);
    if (json_array_size(items) != node->count)
        status = th__rule_fault(reader, "must have %u items, as in the schema", node->count);
    for (uint32_t i = 0; !status && i < node->count; i++) {
        size_t inner = th__rule_enter_item(reader, i);
        status =
            th__rule_read_inner(reader, json_array_get(items, i), &node_shape, &node->children[i]);
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return !status && !th__stalker_share_labels(reader->arena, node) ? th__fail_memory(reader->err)
                                                                     : status;
}

/* Recursion follows the schema, whose depth has a limit. */
static th_status read_inside(th__rule_reader *reader, json_t *json, void *object)
{
    th__stalker_node *node = object;
    if (node->field)
        return th__rule_read_inner(reader, json, &field_shape, node->field);
    return node->list ? read_list(reader, json, node) : read_children(reader, json, node);
}

static void write_inside(const void *root, const void *object, th__json *json)
{
    const th__stalker_node *node = object;
    if (node->field) {
        th__rule_write_members(&field_shape, root, node->field, json);
    } else if (node->list) {
        th__json_key(json, TH_STR("items"));
        th__rule_table_write(&list_shape, node->list, json);
        th__json_key(json, TH_STR("item"));
        th__rule_table_write(&node_shape, &node->children[0], json);
    } else {
        th__json_key(json, th_str_from(children_key(node)));
        th__json_begin_array(json);
        for (uint32_t i = 0; i < node->count; i++)
            th__rule_table_write(&node_shape, &node->children[i], json);
        th__json_end_array(json);
    }
}

static const th__rule_member node_members[] = {
    {TH__OWN("name", read_name, write_name)},
    {TH__TEXT("label", th__stalker_node, label), .flags = TH__EMPTY, .check = check_label},
    {TH__FLAG("own_lines", th__stalker_node, own_lines)},
    {TH__OWN("members", read_inside, write_inside)},
};
static const th__rule_shape node_shape = TH__SHAPE(th__stalker_node, node_members);

/* ---- all ------------------------------------------------------------------------------------- */

static th_status check_text(th__rule_reader *reader, void *object)
{
    th__unlabelled_spot *unshown = object;
    return hash_anchor(reader, unshown->text, &unshown->hash);
}

static const th__rule_member unshown_members[] = {
    {TH__INLINE(th__unlabelled_spot, at, spec_shape)},
    {TH__TEXT("text", th__unlabelled_spot, text), .flags = TH__EMPTY, .check = check_text},
};
static const th__rule_shape unshown_shape = TH__SHAPE(th__unlabelled_spot, unshown_members);

static th_status begin_rules(th__rule_reader *reader, void *rules)
{
    th__stalker_rules *out = rules;
    return th__stalker_node_make(reader->arena, th_schema_root(reader->schema), &out->root)
               ? TH_OK
               : th__fail_memory(reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__INLINE(th__stalker_rules, root, node_shape)},
    {TH__FLAG("unparted", th__stalker_rules, unparted)},
    {TH__FLAG("published", th__stalker_rules, published)},
    {TH__LIST("unshown", th__stalker_rules, spots, spot_count, unshown_shape, 0,
              TH__STALKER_MAX_SPOTS)},
};
static const th__rule_shape rules_shape = {
    .members = rules_members, .count = 4, .size = sizeof(th__stalker_rules), .begin = begin_rules};

/* ---- rules in the paper's notation ----------------------------------------------------------- */

static void show_rule(const char *what, const th__landmark_rule *rule, int indent, th__buf *out)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        th__buf_printf(out, "%*s%-12s", indent, "", i ? "" : what);
        if (rule->count > 1)
            th__buf_add_str(out, i ? TH_STR("or     ") : TH_STR("either "));
        if (rule->disjuncts[i].count)
            th__disjunct_write(&rule->disjuncts[i], rule->backward, out);
        else
            th__buf_add_str(out, TH_STR("where it is"));
        th__buf_add_byte(out, '\n');
    }
    if (rule->to_end)
        th__buf_printf(out, "%*s%-12s%sto the end\n", indent, "", rule->count ? "" : what,
                       rule->count ? "or     " : "");
    if (!rule->count && !rule->to_end)
        th__buf_printf(out, "%*s%-12s%s\n", indent, "", what, "nothing");
}

static void show_view(const char *name, const th__landmark_view *view, bool ends, int indent,
                      th__buf *out)
{
    if (!view->weight)
        return;
    th__buf_printf(out, "%*s%s rules\n", indent, "", name);
    show_rule("start", &view->start, indent + 2, out);
    if (ends)
        show_rule("end", &view->end, indent + 2, out);
}

static void show_spec(const th__path_spec *spec, th__buf *out)
{
    if (spec->mark.ptr)
        th__buf_printf(out, "[%.*s]%s", TH_STR_ARG(spec->mark), spec->path.len ? " > " : "");
    if (!spec->path.len && !spec->mark.ptr)
        th__buf_add_str(out, TH_STR("the top"));
    else if (spec->path.len)
        th__buf_printf(out, "%s%.*s%s", spec->steps ? ".. > " : "", TH_STR_ARG(spec->path),
                       spec->tags ? " (by tags)" : "");
    if (spec->cell)
        th__buf_printf(out, " in cell %u", spec->cell);
    if (spec->begins != TH_CLASS_ANY)
        th__buf_printf(out, ", which begins with class %s", th_class_name((th_class)spec->begins));
}

static void show_place(const th__place_rule *rule, const char *thing, int indent, th__buf *out)
{
    th__buf_printf(out, "%*s", indent, "");
    if (rule->side != TH__ANCHOR_NONE)
        th__buf_printf(out, "%s \"%.*s\", ", rule->side == TH__ANCHOR_AFTER ? "after" : "before",
                       TH_STR_ARG(rule->anchor));
    if (rule->nth >= 0)
        th__buf_printf(out, "%s %d at ", thing, rule->nth + 1);
    else if (rule->nth == -1)
        th__buf_printf(out, "last %s at ", thing);
    else
        th__buf_printf(out, "%s %d from the end at ", thing, -rule->nth);
    show_spec(&rule->at, out);
    if (rule->side != TH__ANCHOR_NONE && rule->reach != TH__ANY_REACH)
        th__buf_printf(out, ", at most %u on", rule->reach);
    th__buf_add_byte(out, '\n');
}

static void show_field(const th__stalker_field *field, int indent, th__buf *out)
{
    const char *thing = field->thing == TH__THING_UNIT ? "text" : "element";
    if (field->whole)
        th__buf_printf(out, "%*sall of it\n", indent, "");
    if (field->attribute.ptr)
        th__buf_printf(out, "%*sits attribute %.*s\n", indent, "", TH_STR_ARG(field->attribute));
    if (field->place_count)
        th__buf_printf(out, "%*sstructure\n", indent, "");
    for (uint32_t i = 0; i < field->place_count; i++)
        show_place(&field->places[i], thing, indent + 2, out);
    if (field->cut) {
        show_rule("from", &field->cut_start, indent + 2, out);
        show_rule("to", &field->cut_end, indent + 2, out);
    }
    show_view("forward", &field->forward, !field->attribute.ptr, indent, out);
    show_view("backward", &field->backward, !field->attribute.ptr, indent, out);
}

static void show_list(const th__stalker_list *list, int indent, th__buf *out)
{
    static const char *const places[] = {[TH__LIST_SINGLE] = "one text at most",
                                         [TH__LIST_ELEMENTS] = "each element at ",
                                         [TH__LIST_UNITS] = "each text at ",
                                         [TH__LIST_RUNS] = "from one to the next "};
    if (list->kind == TH__LIST_LANDMARKS) {
        if (list->span)
            show_field(list->span, indent, out);
        show_view("next item", &list->item, true, indent, out);
        return;
    }
    if (list->kind == TH__LIST_SIGNS || list->kind == TH__LIST_LINES) {
        if (list->span)
            show_field(list->span, indent, out);
        if (list->kind == TH__LIST_SIGNS)
            th__buf_printf(out, "%*stexts with \"%.*s\" between them\n", indent, "",
                           TH_STR_ARG(list->sign));
        else
            th__buf_printf(out, "%*seach line%s\n", indent, "",
                           list->indented ? " that is indented further" : "");
        return;
    }
    for (uint32_t i = 0; i < list->part_count; i++) {
        show_list(list->parts[i].list, indent, out);
        show_field(list->parts[i].children[0].field, indent + 2, out);
    }
    if (list->kind == TH__LIST_PARTS)
        return;
    th__buf_printf(out, "%*s%s", indent, "", places[list->kind]);
    if (list->kind == TH__LIST_RUNS)
        th__buf_add_str(out, list->start_is_unit ? TH_STR("text at ") : TH_STR("element at "));
    if (list->kind != TH__LIST_SINGLE)
        show_spec(&list->at, out);
    if (list->after.ptr)
        th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(list->after));
    if (list->before.ptr)
        th__buf_printf(out, ", before \"%.*s\"", TH_STR_ARG(list->before));
    th__buf_add_str(out, list->together ? TH_STR(", under one parent\n") : TH_STR("\n"));
}

static void show_node(const th__stalker_node *node, int indent, th__buf *out)
{
    th_str name = th_type_name(node->type);
    if (name.len) {
        th__buf_printf(out, "%*s%.*s\n", indent, "", TH_STR_ARG(name));
        indent += 2;
    }
    if (node->field)
        show_field(node->field, indent, out);
    if (node->list)
        show_list(node->list, indent, out);
    for (uint32_t i = 0; i < node->count && !(node->list && node->list->part_count); i++)
        show_node(&node->children[i], indent, out);
}

static void explain(const void *rules, th__buf *out)
{
    th__buf_add_str(out, TH_STR("rules\n"));
    show_node(&((const th__stalker_rules *)rules)->root, 2, out);
}

/* ---- the walk ----------------------------------------------------------------------------------
 *
 * Going down the rules over a page, field by field. Extraction makes records as it goes; those who
 * only look at the rules (which are in doubt, what do they hit) go down the same tree with the
 * scopes of all items of a list at once. */

struct rule_walk {
    void *context;
    /* A field, over all places in which it is looked for. */
    void (*on_field)(void *context, const th__stalker_field *field, const th__scopes *scopes);
    /* The items that a list has in one scope: those of the vector from `from` on. May be NULL. */
    void (*on_items)(void *context, const th__stalker_list *list, const th__scope *scope,
                     const th__scopes *items, size_t from);
    /* After all fields. May be NULL. */
    void (*on_end)(void *context, const th__stalker_rules *rules);
    /* Of the walk's making: */
    th__stalker_page page;
    th__arena arena;
    th__buf name; /* of the field or list at hand, with dots between levels */
    bool single;  /* the field at hand is a list that had one text at most */
    bool failed;  /* no memory; a callback that finds none sets it, too */
};

static void walk_node(struct rule_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__scopes *scopes);

static void walk_named(struct rule_walk *walk, const th__stalker_node *child, const th_type *type,
                       const th__scopes *scopes)
{
    size_t mark = walk->name.len;
    th_str name = th_type_name(type);
    if (name.len)
        th__buf_printf(&walk->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
    walk_node(walk, child, type, scopes);
    walk->name.len = mark;
}

static void walk_list(struct rule_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__scopes *scopes)
{
    const th_type *item = th_type_child(type, 0);
    const th__stalker_list *list = node->list;
    th__scopes items = {0};
    for (uint32_t i = 0; i < list->part_count; i++)
        walk_list(walk, &list->parts[i], type, scopes);
    if (list->kind == TH__LIST_PARTS)
        return;
    if (list->kind == TH__LIST_SINGLE) {
        walk->single = true;
        walk_node(walk, &node->children[0], item, scopes);
        walk->single = false;
        return;
    }
    for (size_t i = 0; i < scopes->len && !walk->failed; i++) {
        size_t from = items.len;
        walk->failed |= !th__stalker_items(list, &walk->page, &scopes->data[i], &items);
        if (walk->on_items && !walk->failed)
            walk->on_items(walk->context, list, &scopes->data[i], &items, from);
    }
    walk_named(walk, &node->children[0], item, &items);
    th__vec_release(&items);
}

/* A member is sought in its part of the tuple's scopes. */
static void walk_member(struct rule_walk *walk, const th__stalker_node *tuple, uint32_t i,
                        const th_type *type, const th__scopes *scopes)
{
    const th__stalker_node *member = &tuple->children[i];
    th__scopes own = {0};
    for (size_t e = 0; e < scopes->len && !walk->failed; e++)
        walk->failed |= !th__vec_push(
            &own, th__stalker_member_scope(tuple, member, &walk->page, &scopes->data[e]));
    walk_named(walk, member, type, &own);
    th__vec_release(&own);
}

/* As deep as the schema, which has a limit. */
static void walk_node(struct rule_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__scopes *scopes)
{
    while (th_type_get_kind(type) == TH_TYPE_OPTIONAL)
        type = th_type_child(type, 0);
    if (walk->failed)
        return;
    if (node->field)
        walk->on_field(walk->context, node->field, scopes);
    else if (node->list)
        walk_list(walk, node, type, scopes);
    else
        for (uint32_t i = 0; i < node->count; i++)
            walk_member(walk, node, i, th_type_child(type, i), scopes);
}

static th_status walk_rules(struct rule_walk *walk, const th__stalker_rules *rules,
                            const th_schema *schema, const th_page *page, th_error *err)
{
    th__scope whole = th__scope_page(page);
    th__scopes scopes = {&whole, 1, 1};
    th__arena_init(&walk->arena);
    walk->page =
        (th__stalker_page){.page = page, .arena = &walk->arena, .unparted = rules->unparted};
    walk_node(walk, &rules->root, th_schema_root(schema), &scopes);
    if (walk->on_end && !walk->failed)
        walk->on_end(walk->context, rules);
    bool failed = walk->failed || walk->page.failed || walk->name.failed;
    th__buf_release(&walk->name);
    th__arena_release(&walk->arena);
    return failed ? th__fail_memory(err) : TH_OK;
}

/* ---- hits --------------------------------------------------------------------------------------
 *
 * Which tokens and texts of a page the rules hit. A landmark rule is run once more, landmark by
 * landmark, and each token of a landmark is a hit; of the structural view it is the text that it
 * counts from, and the element that it comes to. */

struct hitter {
    th_hits *out;
    struct rule_walk walk;
    th__buf rule;
};

static void hit_landmark(struct hitter *h, const th__landmark *landmark, bool backward,
                         uint32_t stop, const char *part)
{
    const th__stalker_seq *seq = th__stalker_page_seq(&h->walk.page);
    /* SkipTo stops behind its landmark, and BackUntil does. */
    uint32_t first = backward == landmark->until ? stop - landmark->count : stop;
    for (uint32_t i = first; i < first + landmark->count && i < seq->count; i++)
        th__hits_add(h->out, (th_span){seq->tokens[i].start, seq->tokens[i].end},
                     th__buf_str(&h->walk.name), part, th__buf_str(&h->rule));
}

/* Runs a rule and marks what it hits; where it leads, as th__rule_run. */
static uint32_t hit_rule(struct hitter *h, const th__landmark_rule *rule, uint32_t first,
                         uint32_t last, const char *part)
{
    const th__stalker_seq *seq = th__stalker_page_seq(&h->walk.page);
    uint32_t which = 0, at = th__rule_run(rule, seq, first, last, &which);
    if (at == TH__NO_MATCH || which >= rule->count)
        return at;
    const th__disjunct *disjunct = &rule->disjuncts[which];
    uint32_t step = rule->backward ? last : first;
    th__buf_clear(&h->rule);
    th__disjunct_write(disjunct, rule->backward, &h->rule);
    for (uint32_t i = 0; i < disjunct->count; i++) {
        const th__disjunct one = {&disjunct->landmarks[i], 1};
        step = rule->backward ? th__disjunct_run(&one, true, seq, first, step)
                              : th__disjunct_run(&one, false, seq, step, last);
        if (step == TH__NO_MATCH)
            break; /* no disjunct matched, and the rule led to the end */
        hit_landmark(h, &disjunct->landmarks[i], rule->backward, step, part);
    }
    return at;
}

static void hit_view(struct hitter *h, const th__landmark_view *view, const th__scope *scope,
                     const char *start_part, const char *end_part)
{
    const th__stalker_seq *seq = view->weight ? th__stalker_page_seq(&h->walk.page) : NULL;
    if (!seq)
        return;
    uint32_t first = th__stalker_seq_at(seq, scope->span.start);
    uint32_t last = th__stalker_seq_at(seq, scope->span.end);
    uint32_t start = hit_rule(h, &view->start, first, last, start_part);
    if (start != TH__NO_MATCH && start < last)
        hit_rule(h, &view->end, view->end.backward ? first : start, last, end_part);
}

/* The text that a place is counted from: the nearest on its side. */
static void hit_anchor(struct hitter *h, const th__page_map *map, const th__place_rule *place,
                       uint32_t unit, const th__scope *scope)
{
    uint32_t first, end;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    th__buf_clear(&h->rule);
    th__buf_printf(&h->rule, "%s \"%.*s\"", place->side == TH__ANCHOR_AFTER ? "after" : "before",
                   TH_STR_ARG(place->anchor));
    for (uint32_t step = 0; step < end - first; step++) {
        uint32_t at = place->side == TH__ANCHOR_AFTER ? unit - 1 - step : unit + step;
        if (at < first || at >= end)
            return;
        if (map->units[at].hash == place->hash) {
            th__hits_add(h->out, map->units[at].span, th__buf_str(&h->walk.name), "anchor",
                         th__buf_str(&h->rule));
            return;
        }
    }
}

static void hit_structure(struct hitter *h, const th__stalker_field *field, const th__scope *scope)
{
    th__thing_kind kind = (th__thing_kind)field->thing;
    const th__page_map *map = field->place_count ? th__stalker_page_map(&h->walk.page) : NULL;
    th__place_vote vote;
    if (!map)
        return;
    uint32_t thing = th__place_rules_vote(field->places, field->place_count, &field->identified_by,
                                          map, scope, kind, !field->attribute.ptr, &vote);
    bool shown = false;
    for (uint32_t i = 0; i < field->place_count; i++) {
        const th__place_rule *place = &field->places[i];
        if (!(vote.voters >> i & 1))
            continue;
        if (place->side != TH__ANCHOR_NONE)
            hit_anchor(h, map, place, th__thing_units_before(map, kind, thing), scope);
        if (shown)
            continue;
        shown = true;
        th__hits_add_tag(h->out, map->page, th__thing_node(map, kind, thing),
                         th__buf_str(&h->walk.name), "element", place->at.path);
    }
}

static void hit_field(struct hitter *h, const th__stalker_field *field, const th__scope *scope)
{
    if (field->whole)
        return;
    hit_structure(h, field, scope);
    hit_view(h, &field->forward, scope, "start, forward", "end, forward");
    hit_view(h, &field->backward, scope, "start, backward", "end, backward");
}

static void hit_values(void *context, const th__stalker_field *field, const th__scopes *scopes)
{
    struct hitter *h = context;
    for (size_t i = 0; i < scopes->len; i++)
        hit_field(h, field, &scopes->data[i]);
}

static void hit_text(struct hitter *h, const th__page_map *map, const th__scope *scope,
                     uint64_t hash, const char *part, th_str text)
{
    uint32_t first, end;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    first = th__map_find(map, first, end, hash);
    if (text.ptr && first < end)
        th__hits_add(h->out, map->units[first].span, th__buf_str(&h->walk.name), part, text);
}

/* What the items of a list are found by: landmarks, or the elements that they are. */
static void hit_items(void *context, const th__stalker_list *list, const th__scope *scope,
                      const th__scopes *items, size_t from)
{
    struct hitter *h = context;
    if (list->kind < TH__LIST_ELEMENTS) {
        const th__stalker_seq *seq = items->len > from ? th__stalker_page_seq(&h->walk.page) : NULL;
        if (list->span)
            hit_field(h, list->span, scope);
        for (size_t i = from; seq && i + 1 < items->len; i++)
            hit_rule(h, &list->item.start, th__stalker_seq_at(seq, items->data[i].span.start) + 1,
                     th__stalker_seq_at(seq, scope->span.end), "item");
        return;
    }
    const th__page_map *map = th__stalker_page_map(&h->walk.page);
    if (!map)
        return;
    hit_text(h, map, scope, list->after_hash, "list after", list->after);
    hit_text(h, map, scope, list->before_hash, "list before", list->before);
    for (size_t i = from; i < items->len; i++)
        if (list->kind == TH__LIST_ELEMENTS)
            th__hits_add_tag(h->out, map->page, items->data[i].root, th__buf_str(&h->walk.name),
                             "item", list->at.path);
        else
            th__hits_add(h->out, th_page_token_span(map->page, items->data[i].token),
                         th__buf_str(&h->walk.name), "item", list->at.path);
}

static th_status find_hits(const void *rules, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err)
{
    struct hitter h = {.out = out, .walk = {.on_field = hit_values, .on_items = hit_items}};
    h.walk.context = &h;
    th_status status = walk_rules(&h.walk, rules, schema, page, err);
    bool failed = h.rule.failed;
    th__buf_release(&h.rule);
    return !status && failed ? th__fail_memory(err) : status;
}

static uint32_t spot_at(const th__stalker_rules *rules, const th__page_map *map, uint32_t unit)
{
    uint32_t node = map->units[unit].node, block = th__stalker_text_block(map, node);
    for (uint32_t i = 0; i < rules->spot_count; i++) {
        const th__unlabelled_spot *own = &rules->spots[i];
        if (own->text.ptr && own->hash != map->units[unit].hash)
            continue;
        if (th__path_spec_matches(&own->at, map, 0, TH__THING_NODE, own->text.ptr ? node : block))
            return i;
    }
    return rules->spot_count;
}

/* ---- doubts: co-testing ------------------------------------------------------------------------
 *
 * The paper compares a forward and a backward rule; the structural view joins them, and the rules
 * of which it is made are views as well: how far they agree is its support. The contention of a
 * field is the weight of all that speaks against the answer that extraction would take. A field
 * that every labelled page had and that is not found here is contended, too: views that were
 * learnt from the same few pages can miss a new layout together. So is one whose place was taken by
 * one thing on every labelled page and is taken by several here: it may have several values. */

#define MISSING                                                                                    \
    0.6 /* the contention of a value that should be there: more than one view's dissent */

#define SEVERAL 0.5 /* of a value whose place has more of its kind than ever */

/* Of text at a place where no labelled page has any: it may be a new field, which no rule can find;
 * a value that is missing is most often just that. */
#define UNSHOWN 0.7

static const char *const view_names[TH__VIEWS] = {"structure", "forward", "backward"};

struct rule_doubter {
    th_doubts *out;
    struct rule_walk walk;
    th__buf text;
    bool published;          /* as the rules say */
    double most;             /* contention of the field at hand, over its instances */
    TH__VEC(th_span) values; /* what the fields find */
};

static th_str copy_text(struct rule_doubter *d, th_span span)
{
    th_str text = {0};
    if (span.end)
        text = th__span_copy(&d->out->arena, d->walk.page.page, span);
    d->walk.failed |= span.end && !text.ptr;
    return text;
}

static void add_doubt(struct rule_doubter *d, const th__stalker_answer *answers, th_span chosen,
                      double contention, const char *why, uint32_t place)
{
    th_doubt doubt = {.contention = contention, .why = why, .place = place};
    doubt.field = th__arena_copy(&d->out->arena, th__buf_str(&d->walk.name));
    d->walk.failed |= !doubt.field.ptr;
    for (int v = 0; v < TH__VIEWS; v++) {
        if (answers[v].support <= 0)
            continue;
        if (th__same_span(answers[v].span, chosen))
            doubt.chosen = doubt.answer_count;
        doubt.answers[doubt.answer_count++] =
            (th_answer){view_names[v], copy_text(d, answers[v].span), answers[v].span};
    }
    d->walk.failed |= !th__vec_push(&d->out->items, doubt);
}

/* How many things of a scope a spec matches. */
static uint32_t count_things(const th__path_spec *spec, const th__page_map *map,
                             const th__scope *scope, th__thing_kind kind)
{
    uint32_t first, end, count = 0;
    th__things_in(map, scope, kind, &first, &end);
    for (uint32_t t = first; t < end; t++)
        count += th__path_spec_matches(spec, map, scope->root, kind, t);
    return count;
}

/* Returns true if more is at the place of a field than on any labelled page. */
static bool is_crowded(struct rule_doubter *d, const th__stalker_field *field,
                       const th__scope *scope)
{
    const th__page_map *map = th__stalker_page_map(&d->walk.page);
    for (uint32_t i = 0; map && i < field->place_count; i++)
        if (field->places[i].alone &&
            count_things(&field->places[i].at, map, scope, (th__thing_kind)field->thing) > 1)
            return true;
    return false;
}

/* Returns true if a list that had one text at most may have several here. */
static bool is_parted(struct rule_doubter *d, const th__stalker_field *field, th_span span)
{
    const th__page_map *map =
        d->walk.single && field->simple ? th__stalker_page_map(&d->walk.page) : NULL;
    return map && !th__stalker_is_simple(map, span);
}

/* Naive co-testing, as published: a page on which the forward and the backward rule give different
 * starts is a contention point, and all such are equal. */
static double contention_of_starts(const th__stalker_answer *answers)
{
    th_span a = answers[TH__VIEW_FORWARD].span, b = answers[TH__VIEW_BACKWARD].span;
    return !a.end != !b.end || a.start != b.start;
}

static void doubt_field(struct rule_doubter *d, const th__stalker_field *field,
                        const th__scope *scope)
{
    th__stalker_answer answers[TH__VIEWS];
    bool published = d->published;
    double all = 0, with = 0;
    th_span chosen = th__stalker_decide(field, &d->walk.page, scope).span;
    d->walk.failed |= chosen.end && !th__vec_push(&d->values, chosen);
    if (field->whole)
        return;
    for (int v = 0; v < TH__VIEWS; v++) {
        answers[v] = th__stalker_ask(field, (th__stalker_view)v, &d->walk.page, scope);
        double weight = v == TH__VIEW_STRUCTURE ? field->place_count ? field->weight / 1000.0 : 0
                                                : answers[v].support;
        all += weight;
        with += th__same_span(answers[v].span, chosen) ? answers[v].support : 0;
    }
    double contention = published ? contention_of_starts(answers) : all > 0 ? 1 - with / all : 0;
    const char *why = "the views differ";
    if (!published && !chosen.end && field->always && all > 0 && contention < MISSING) {
        contention = MISSING;
        why = "nothing where there was always something";
    }
    if (!published && chosen.end && contention < SEVERAL &&
        (is_crowded(d, field, scope) || is_parted(d, field, chosen))) {
        contention = SEVERAL;
        why = "several texts where there was one";
    }
    if (contention < 1e-6)
        return;
    d->most = contention > d->most ? contention : d->most;
    add_doubt(d, answers, chosen, contention, why, chosen.end ? chosen.start : scope->span.start);
}

static bool is_value(const struct rule_doubter *d, th_span span)
{
    for (size_t i = 0; i < d->values.len; i++)
        if (d->values.data[i].start < span.end && span.start < d->values.data[i].end)
            return true;
    return false;
}

/* The name of such a place, for people and to recognise it on other pages. */
static th_str name_spot(struct rule_doubter *d, const th__unlabelled_spot *spot)
{
    th__buf_clear(&d->text);
    th__buf_printf(&d->text, "%.*s%s%.*s", TH_STR_ARG(spot->at.mark), spot->at.mark.len ? " " : "",
                   TH_STR_ARG(spot->at.path));
    if (spot->text.ptr)
        th__buf_printf(&d->text, " \"%.*s\"", TH_STR_ARG(spot->text));
    th_str name = th__arena_copy(&d->out->arena, th__buf_str(&d->text));
    d->walk.failed |= d->text.failed || !name.ptr;
    return name;
}

/* Texts at places that no labelled page has, where no field finds them: the first of each. */
static void doubt_spots(void *context, const th__stalker_rules *rules)
{
    struct rule_doubter *d = context;
    const th__page_map *map = rules->spot_count ? th__stalker_page_map(&d->walk.page) : NULL;
    bool seen[TH__STALKER_MAX_SPOTS + 1] = {false};
    for (uint32_t u = 0; map && u < map->count && !d->walk.failed; u++) {
        uint32_t which = spot_at(rules, map, u);
        th_span span = map->units[u].span;
        if (which == rules->spot_count || seen[which])
            continue;
        seen[which] = true;
        if (is_value(d, span))
            continue;
        th_doubt doubt = {.field = {"", 0},
                          .spot = name_spot(d, &rules->spots[which]),
                          .contention = UNSHOWN,
                          .why = "text where no labelled page has any",
                          .place = span.start,
                          .answer_count = 1};
        doubt.answers[0] = (th_answer){"other", copy_text(d, span), span};
        d->walk.failed |= !th__vec_push(&d->out->items, doubt);
        d->out->contention += UNSHOWN;
    }
}

/* A field counts as much as its most contended value. */
static void doubt_values(void *context, const th__stalker_field *field, const th__scopes *scopes)
{
    struct rule_doubter *d = context;
    d->most = 0;
    for (size_t i = 0; i < scopes->len && !d->walk.failed; i++)
        doubt_field(d, field, &scopes->data[i]);
    d->out->contention += d->most;
}

/* Where a list is, is found by views as a field is. */
static void doubt_extent(void *context, const th__stalker_list *list, const th__scope *scope,
                         const th__scopes *items, size_t from)
{
    th__scopes scopes = {(th__scope *)scope, 1, 1};
    if (list->span && list->span->extent)
        doubt_values(context, list->span, &scopes);
}

static th_status find_doubts(const void *rules, const th_schema *schema, const th_page *page,
                             th_doubts *out, th_error *err)
{
    struct rule_doubter d = {
        .out = out,
        .walk = {.on_field = doubt_values, .on_items = doubt_extent, .on_end = doubt_spots}};
    d.walk.context = &d;
    d.published = ((const th__stalker_rules *)rules)->published;
    th_status status = walk_rules(&d.walk, rules, schema, page, err);
    th__vec_release(&d.values);
    th__buf_release(&d.text);
    return status;
}

const th__engine th__stalker_engine = {
    .name = "stalker",
    .learn_corpus = th__stalker_learn,
    .needs_labels = true,
    .published = true,
    .run = th__stalker_run,
    .doubts = find_doubts,
    .hits = find_hits,
    .shape = &rules_shape,
    .explain = explain,
};
