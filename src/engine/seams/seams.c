/*
 * seams.c: the slots of a schema, the region of a record, samples from labelled pages, and the
 * record of a page. See seams.h.
 *
 * The region of a record is the innermost element that holds all its labelled values, by tags and
 * classes from the root on. Its path must be the same on all labelled pages: where it is not (one
 * page has a value less), the regions of all are widened to the next elements that have the same
 * path.
 */
#include <stdlib.h>

#include "base/error.h"
#include "data/record.h"
#include "engine/seams/seams.h"
#include "index/view.h"
#include "page/text.h"
#include "wrapper/rule_table.h"

/* ---- slots ----------------------------------------------------------------------------------- */

struct slot_maker {
    th__arena *arena;
    th__seam_slots *out;
    th__seam_slot at; /* on the way down */
    th__buf name;
    bool fits;
};

static bool add_slot(struct slot_maker *m, bool item)
{
    if (m->out->count == TH__SEAMS_MAX_SLOTS) {
        m->fits = false;
        return true;
    }
    th__seam_slot *slot = &m->out->data[m->out->count];
    *slot = m->at;
    slot->item = item;
    slot->name = th__arena_copy(m->arena, th__buf_str(&m->name));
    for (uint32_t i = 0; i < slot->depth; i++)
        m->out->in_list[slot->lists[i]] |= UINT64_C(1) << m->out->count;
    m->out->count++;
    return slot->name.ptr;
}

/* Goes down as deep as schemas are, and no deeper than slots have steps. */
static bool visit(struct slot_maker *m, const th_type *type, bool item)
{
    type = th__type_strip(type);
    if (type->kind == TH_TYPE_FIELD)
        return add_slot(m, item);
    bool list = type->kind == TH_TYPE_LIST;
    if (m->at.step_count == TH__SEAMS_MAX_STEPS || type->kind == TH_TYPE_CHOICE ||
        (list && (m->at.depth == TH__SEAMS_MAX_DEPTH || m->out->lists == TH__SEAMS_MAX_SLOTS))) {
        m->fits = false;
        return true;
    }
    if (list)
        m->at.lists[m->at.depth++] = m->out->lists++;
    bool ok = true;
    m->at.step_count++;
    for (uint32_t i = 0; ok && m->fits && i < type->count; i++) {
        size_t mark = m->name.len;
        th_str name = th_type_name(type->children[i]);
        if (!list && name.len)
            th__buf_printf(&m->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        m->at.steps[m->at.step_count - 1] = list ? TH__SEAMS_ITEM : (int32_t)i;
        ok = !m->name.failed && visit(m, type->children[i], list);
        m->name.len = mark;
    }
    m->at.step_count--;
    m->at.depth -= list;
    return ok;
}

static uint8_t count_common(const th__seam_slot *a, const th__seam_slot *b)
{
    uint8_t common = 0;
    while (common < a->depth && common < b->depth && a->lists[common] == b->lists[common])
        common++;
    return common;
}

static bool find_common(th__seam_slots *slots, th__arena *arena)
{
    uint32_t n = slots->count;
    slots->common = th__arena_zero(arena, n * (n + (size_t)1), sizeof *slots->common);
    for (uint32_t i = 0; slots->common && i < n * n; i++)
        slots->common[i] = count_common(&slots->data[i / n], &slots->data[i % n]);
    return slots->common;
}

/* The slots of a schema; in the arena. False if out of memory; *fits tells whether there are few
 * enough, and no choices. */
static bool make_slots(const th_schema *schema, th__arena *arena, th__seam_slots *out, bool *fits)
{
    struct slot_maker m = {.arena = arena, .out = out};
    *out = (th__seam_slots){0};
    out->data = th__arena_zero(arena, TH__SEAMS_MAX_SLOTS, sizeof *out->data);
    m.fits = th__type_strip(th_schema_root(schema))->kind == TH_TYPE_TUPLE;
    bool ok = out->data && (!m.fits || visit(&m, th_schema_root(schema), false)) &&
              find_common(out, arena);
    th__buf_release(&m.name);
    *fits = m.fits && out->count;
    return ok;
}

/* ---- the region ------------------------------------------------------------------------------ */

static bool prepare_region(th__seam_rules *rules, th__arena *arena, bool *failed)
{
    th_str rest = rules->region, step;
    bool bad = false;
    uint32_t depth = 0;
    while (th__path_next(&rest, &step, &bad))
        depth++;
    rules->region_steps = th__arena_zero(arena, depth + (size_t)1, sizeof *rules->region_steps);
    *failed = !rules->region_steps;
    if (bad || *failed)
        return false;
    rules->region_depth = depth;
    for (rest = rules->region; th__path_next(&rest, &step, &bad);) {
        uint16_t tag;
        rules->region_steps[--depth] = th__step_hash(step, &tag);
    }
    return true;
}

/* Returns true if an element has the path of the region. */
static bool is_region(const th__seam_rules *rules, const th_page *page, uint32_t node)
{
    if (page->paths[page->nodes[node].path].depth != rules->region_depth)
        return false;
    for (uint32_t i = 0; i < rules->region_depth; i++, node = page->nodes[node].parent)
        if (th__node_hash(page, node) != rules->region_steps[i])
            return false;
    return true;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A labelled value: its slot, and which item of each list around it. */
struct labelled_value {
    uint32_t slot;
    th_span span;
    uint32_t items[TH__SEAMS_MAX_DEPTH];
};

typedef TH__VEC(struct labelled_value) labelled_values;

/* A labelled page. */
struct sample_page {
    th__corpus_page *page;
    uint32_t node; /* the region */
    labelled_values found;
};

struct sample_learner {
    th__seam_rules *rules;
    th__arena *arena;
    TH__VEC(struct sample_page) pages;
};

/* Goes down to a slot's values, as deep as it has steps. */
static bool gather(const th__seam_slot *slot, uint32_t step, const th_value *value,
                   struct labelled_value *at, uint32_t depth, labelled_values *out)
{
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    if (step == slot->step_count) {
        at->span = value->span;
        return value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start ||
               th__vec_push(out, *at);
    }
    if (slot->steps[step] != TH__SEAMS_ITEM)
        return gather(slot, step + 1, th_value_item(value, (size_t)slot->steps[step]), at, depth,
                      out);
    bool ok = true;
    for (uint32_t i = 0; ok && i < th_value_count(value); i++) {
        at->items[depth] = i;
        ok = gather(slot, step + 1, th_value_item(value, i), at, depth + 1, out);
    }
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const struct labelled_value *left = a, *right = b;
    return th__order(left->span.start, right->span.start) ?: th__order(left->slot, right->slot);
}

/* The name of the attribute that a value is in. */
static bool take_attribute(struct sample_learner *l, const th_page *page,
                           const struct labelled_value *found)
{
    th__seam_slot *slot = &l->rules->slots.data[found->slot];
    th_str name = th__attribute_at(page, found->span).name;
    if (slot->attribute.ptr || !name.ptr)
        return true;
    slot->attribute = th__arena_copy(l->arena, name);
    return slot->attribute.ptr;
}

static bool add_page(struct sample_learner *l, th__corpus_page *page)
{
    struct sample_page labelled = {.page = page};
    const th_value *record = th_records_get(page->labels, 0);
    const th__seam_slots *slots = &l->rules->slots;
    bool ok = true;
    for (uint32_t s = 0; ok && s < slots->count; s++) {
        struct labelled_value at = {.slot = s};
        ok = gather(&slots->data[s], 0, record, &at, 0, &labelled.found);
    }
    if (!ok || !labelled.found.len) {
        th__vec_release(&labelled.found);
        return ok;
    }
    labelled_values *found = &labelled.found;
    qsort(found->data, found->len, sizeof *found->data, by_place);
    uint32_t last = 0;
    for (size_t i = 0; i < found->len; i++)
        last = last > found->data[i].span.end ? last : found->data[i].span.end;
    const th_page *source = page->page;
    labelled.node = th__page_node_around(source, th__token_at(source, found->data[0].span.start),
                                         th__token_at(source, last - 1));
    for (size_t i = 0; ok && i < found->len; i++)
        ok = take_attribute(l, source, &found->data[i]);
    ok = ok && th__vec_push(&l->pages, labelled);
    if (!ok)
        th__vec_release(found);
    return ok;
}

static uint32_t depth_of(const struct sample_page *page)
{
    const th_page *source = page->page->page;
    return source->paths[source->nodes[page->node].path].depth;
}

static void widen(struct sample_page *page)
{
    page->node = page->page->page->nodes[page->node].parent;
}

/* Returns true if two regions, which are equally deep, have the same path. */
static bool is_same(const struct sample_page *a, const struct sample_page *b)
{
    const th_page *left = a->page->page, *right = b->page->page;
    for (uint32_t x = a->node, y = b->node; x && y;
         x = left->nodes[x].parent, y = right->nodes[y].parent)
        if (th__node_hash(left, x) != th__node_hash(right, y))
            return false;
    return true;
}

/* Ends at the document, whose path is the same everywhere. */
static bool find_region(struct sample_learner *l)
{
    struct sample_page *pages = l->pages.data;
    uint32_t depth = UINT32_MAX;
    for (size_t i = 0; i < l->pages.len; i++)
        depth = depth < depth_of(&pages[i]) ? depth : depth_of(&pages[i]);
    for (bool same = false; !same; depth--) {
        same = true;
        for (size_t i = 0; i < l->pages.len; i++) {
            while (pages[i].node && depth_of(&pages[i]) > depth)
                widen(&pages[i]);
            same = same && is_same(&pages[i], &pages[0]);
        }
        same = same || !depth;
    }
    th__buf path = {0};
    bool failed, ok = th__class_path_write(pages[0].page->page, 0, pages[0].node, &path);
    l->rules->region = th__arena_copy(l->arena, th__buf_str(&path));
    th__buf_release(&path);
    return ok && l->rules->region.ptr && prepare_region(l->rules, l->arena, &failed);
}

/* How many of the lists around a value go on with the same item as those of the one before. */
static uint32_t open_lists(const th__seam_slots *slots, const struct labelled_value *before,
                           const struct labelled_value *found)
{
    uint32_t common = before ? th__seam_common(slots, before->slot, found->slot) : 0, open = 0;
    while (open < common && before->items[open] == found->items[open])
        open++;
    /* An item of a list of texts is one value. */
    if (slots->data[found->slot].item && open == slots->data[found->slot].depth)
        open--;
    return open;
}

static bool add_sample(struct sample_learner *l, const struct sample_page *labelled)
{
    const th_page *page = labelled->page->page;
    const th_node *node = &page->nodes[labelled->node];
    uint32_t start = page->tokens[node->token].start, end = page->tokens[node->token_end].start;
    th__seam_rules *rules = l->rules;
    th_str html = th__page_slice(page, start, end);
    /* Texts in JSON have no NUL: a page with one is no sample. */
    if (html.len > TH__SEAMS_MAX_BYTES || rules->sample_count == TH__SEAMS_MAX_SAMPLES ||
        memchr(html.ptr, 0, html.len))
        return true;
    th__seam_sample *sample = &rules->samples[rules->sample_count];
    sample->html = th__arena_copy(l->arena, html);
    sample->places = th__arena_alloc(l->arena, labelled->found.len * sizeof *sample->places);
    if (!sample->html.ptr || !sample->places)
        return false;
    const struct labelled_value *before = NULL;
    for (size_t i = 0; i < labelled->found.len; i++) {
        const struct labelled_value *found = &labelled->found.data[i];
        if (before && found->span.start < before->span.end)
            continue; /* a value inside another has no seam */
        sample->places[sample->count++] =
            (th__seam_place){found->slot, open_lists(&rules->slots, before, found),
                             found->span.start - start, found->span.end - start};
        before = found;
    }
    rules->sample_count++;
    labelled->page->learnt = 1;
    return true;
}

static bool learn_samples(struct sample_learner *l, const th__corpus *corpus)
{
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->count; i++)
        if (corpus->pages[i].labels && th_records_count(corpus->pages[i].labels))
            ok = add_page(l, &corpus->pages[i]);
    if (!ok || !l->pages.len)
        return ok;
    if (!find_region(l))
        return false;
    l->rules->samples = th__arena_zero(l->arena, TH__SEAMS_MAX_SAMPLES, sizeof *l->rules->samples);
    ok = l->rules->samples;
    for (size_t i = 0; ok && i < l->pages.len; i++)
        ok = add_sample(l, &l->pages.data[i]);
    return ok;
}

static th_status learn(const th_learn_options *options, const th__corpus *corpus, th__arena *arena,
                       th_schema **schema, void **rules, th_error *err)
{
    bool fits;
    struct sample_learner l = {.arena = arena, .rules = th__arena_zero(arena, 1, sizeof *l.rules)};
    (void)options;
    if (!l.rules || !make_slots(corpus->schema, arena, &l.rules->slots, &fits))
        return th__fail_memory(err);
    if (!fits)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine seams learns only pages of one record, without choices, with at "
                        "most %d fields including nested ones: leave --engine out",
                        TH__SEAMS_MAX_SLOTS);
    th_status status = learn_samples(&l, corpus) ? TH_OK : th__fail_memory(err);
    if (!status && !l.rules->sample_count)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "engine seams finds no labelled record of at most %d bytes: label values "
                          "that are closer together, or leave --engine out",
                          TH__SEAMS_MAX_BYTES);
    if (!status)
        status = th__seam_model_make(l.rules, arena, err);
    for (size_t i = 0; i < l.pages.len; i++)
        th__vec_release(&l.pages.data[i].found);
    th__vec_release(&l.pages);
    if (!status) {
        *schema = th_schema_retain(corpus->schema);
        *rules = l.rules;
    }
    return status;
}

/* ---- the record of a page ----------------------------------------------------------------------
 */

/* Elements with the path of the region that are read: the one where most values are is taken. */
enum { MAX_REGIONS = 16 };

struct region_reader {
    const th__seam_rules *rules;
    const th_page *page;
    th__arena arena;
    th_records *records;
    th__buf text;
    th__seam_tokens tokens; /* of the best region */
    th__seam_reading reading;
};

static bool read_region(struct region_reader *r, uint32_t node)
{
    th__seam_tokens tokens;
    th__seam_reading reading;
    if (!th__seam_tokens_make(&r->arena, r->page, node, &tokens) ||
        !th__seam_parse(r->rules, &tokens, &r->arena, &reading))
        return false;
    if (reading.values > r->reading.values ||
        (reading.values == r->reading.values && reading.cost < r->reading.cost)) {
        r->reading = reading;
        r->tokens = tokens;
    }
    return true;
}

static bool read_page(struct region_reader *r)
{
    uint32_t read = 0;
    for (uint32_t n = 0; n < r->page->node_count && read < MAX_REGIONS; n++)
        if (is_region(r->rules, r->page, n)) {
            if (!read_region(r, n))
                return false;
            read++;
        }
    return true;
}

static bool span_of(const struct region_reader *r, const th__seam_slot *slot,
                    const th__seam_step *step, th_span *out)
{
    if (step->start == step->end)
        return false;
    *out = (th_span){r->tokens.data[step->start].start, r->tokens.data[step->end - 1].end};
    return !slot->attribute.ptr ||
           th__attribute_span(r->page, th__token_at(r->page, out->start), slot->attribute, out);
}

/* The place of a value in the record; items that begin with it are made. */
static th_value *place_of(struct region_reader *r, const th__seam_slot *slot,
                          const th__seam_step *step, th_value *record)
{
    th_value *value = record;
    uint32_t depth = 0;
    for (uint32_t i = 0; value && i < slot->step_count; i++) {
        if (slot->steps[i] == TH__SEAMS_ITEM) {
            bool same = depth++ < step->open && th_value_count(value);
            value = same ? th_value_slot(value, th_value_count(value) - 1)
                         : th_records_append(r->records, value);
            continue;
        }
        if (th_value_get_kind(value) == TH_VALUE_NULL)
            value = th_records_set_tuple(r->records, value);
        value = th_value_slot(value, (size_t)slot->steps[i]);
    }
    return value;
}

static bool write_record(struct region_reader *r)
{
    if (!r->reading.values)
        return true;
    th_value *record = th_records_add(r->records);
    for (uint32_t i = 0; record && i < r->reading.count; i++) {
        const th__seam_step *step = &r->reading.steps[i];
        const th__seam_slot *slot = &r->rules->slots.data[step->slot];
        th_span span;
        bool there = span_of(r, slot, step, &span);
        if (!there && slot->item)
            continue;
        th_value *value = place_of(r, slot, step, record);
        if (!value || !there)
            continue;
        th__buf_clear(&r->text);
        if (!th__page_value(r->page, slot->attribute, span, &r->text))
            return false;
        if (r->text.len && (slot->literal || !th__says_nothing(th__buf_str(&r->text))))
            th_records_set_text(r->records, value, th__buf_str(&r->text), span);
    }
    return true;
}

static th_status run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    struct region_reader r = {.rules = rules, .page = page, .reading.cost = TH__SEAM_NEVER};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    status = read_page(&r) && write_record(&r) ? th_records_status(r.records, err)
                                               : th__fail_memory(err);
    th__buf_release(&r.text);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}

/* ---- the rules as JSON: where records stand, and the samples. What is counted over th -------
 *
 * is counted anew when they are read.
 */

enum { MAX_PLACES = 1 << 16 }; /* of a sample: none has more bytes than twice as many */

/* The sample that is being read. */
static const th__seam_sample *sample_of(const th__rule_reader *reader)
{
    const th__seam_rules *rules = reader->root;
    return &rules->samples[rules->sample_count];
}

/* ---- values ---------------------------------------------------------------------------------- */

static th_status read_slot(th__rule_reader *reader, json_t *json, void *object)
{
    const th__seam_slots *slots = &((const th__seam_rules *)reader->root)->slots;
    uint32_t *out = &((th__seam_place *)object)->slot;
    th_str name = {0};
    th_status status = th__rule_text(reader, json, "field", true, reader->arena, &name);
    for (*out = 0; !status && *out < slots->count; ++*out)
        if (th__str_eq(slots->data[*out].name, name))
            return TH_OK;
    return status ? status
                  : th__rule_fault(reader, "the schema has no field \"%.*s\"",
                                   (int)(name.len < 100 ? name.len : 100), name.ptr);
}

static void write_slot(const void *root, const void *object, th__json *json)
{
    const th__seam_rules *rules = root;
    th__json_put_text(json, "field",
                      rules->slots.data[((const th__seam_place *)object)->slot].name);
}

static uint64_t bytes_of_sample(const th__rule_reader *reader, const void *object)
{
    return sample_of(reader)->html.len;
}

static uint64_t depth_of_slot(const th__rule_reader *reader, const void *object)
{
    const th__seam_rules *rules = reader->root;
    return rules->slots.data[((const th__seam_place *)object)->slot].depth;
}

/* Places rise and do not overlap. */
static th_status check_place(th__rule_reader *reader, void *object)
{
    const th__seam_sample *sample = sample_of(reader);
    const th__seam_place *place = object;
    uint32_t least = sample->count ? sample->places[sample->count - 1].end : 0;
    return place->start >= least && place->end > place->start
               ? TH_OK
               : th__rule_fault(
                     reader, "must begin after the value before it, and end after its beginning");
}

static const th__rule_member place_members[] = {
    {TH__OWN("field", read_slot, write_slot)},
    {TH__UINT("start", th__seam_place, start, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("end", th__seam_place, end, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("open", th__seam_place, open, 0, 0), .limit = depth_of_slot},
};
static const th__rule_shape place_shape =
    TH__CHECKED_SHAPE(th__seam_place, place_members, check_place);

/* ---- samples --------------------------------------------------------------------------------- */

static th_status check_html(th__rule_reader *reader, void *object)
{
    return ((th__seam_sample *)object)->html.len <= TH__SEAMS_MAX_BYTES
               ? TH_OK
               : th__rule_fault(reader, "a sample has at most %d bytes", TH__SEAMS_MAX_BYTES);
}

static const th__rule_member sample_members[] = {
    {TH__TEXT("html", th__seam_sample, html), .flags = TH__NEEDED, .check = check_html},
    {TH__LIST("values", th__seam_sample, places, count, place_shape, 1, MAX_PLACES),
     .flags = TH__NEEDED},
};
static const th__rule_shape sample_shape = TH__SHAPE(th__seam_sample, sample_members);

/* ---- all ------------------------------------------------------------------------------------- */

static th_status begin_rules(th__rule_reader *reader, void *object)
{
    bool fits;
    th__seam_rules *rules = object;
    if (!make_slots(reader->schema, reader->arena, &rules->slots, &fits))
        return th__fail_memory(reader->err);
    return fits ? TH_OK
                : th__rule_fault(
                      reader,
                      "the schema must have one record without choices and at most %d fields",
                      TH__SEAMS_MAX_SLOTS);
}

static th_status check_region(th__rule_reader *reader, void *rules)
{
    bool failed;
    if (prepare_region(rules, reader->arena, &failed))
        return TH_OK;
    return failed ? th__fail_memory(reader->err)
                  : th__rule_fault(reader, "must be a path as \"html > body > div.main\"");
}

/* The attributes that fields are values of, by the names of the fields. */
static th_status read_attributes(th__rule_reader *reader, json_t *json, void *object)
{
    th__seam_slots *slots = &((th__seam_rules *)object)->slots;
    json_t *attributes = NULL;
    th_status status = th__rule_object(reader, json, "attributes", false, &attributes);
    size_t mark = th__rule_enter(reader, "attributes");
    for (uint32_t i = 0; !status && attributes && i < slots->count; i++)
        status = th__rule_text(reader, attributes, slots->data[i].name.ptr, false, reader->arena,
                               &slots->data[i].attribute);
    th__rule_leave(reader, mark);
    return status;
}

static void write_attributes(const void *root, const void *object, th__json *json)
{
    const th__seam_slots *slots = &((const th__seam_rules *)object)->slots;
    th__json_key(json, TH_STR("attributes"));
    th__json_begin_object(json);
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->data[i].attribute.ptr) {
            th__json_key(json, slots->data[i].name);
            th__json_str(json, slots->data[i].attribute);
        }
    th__json_end_object(json);
}

static th_status make_model(th__rule_reader *reader, void *rules)
{
    return th__seam_model_make(rules, reader->arena, reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__TEXT("region", th__seam_rules, region), .flags = TH__NEEDED, .check = check_region},
    {TH__OWN("attributes", read_attributes, write_attributes)},
    {TH__LIST("samples", th__seam_rules, samples, sample_count, sample_shape, 1,
              TH__SEAMS_MAX_SAMPLES),
     .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = {.members = rules_members,
                                           .count = 3,
                                           .size = sizeof(th__seam_rules),
                                           .begin = begin_rules,
                                           .check = make_model};

static void rename_fields(void *data, th__rename_fn rename, void *context)
{
    th__seam_slots *slots = &((th__seam_rules *)data)->slots;
    for (uint32_t i = 0; i < slots->count; i++) {
        th_str to = rename(context, (th_str){0}, slots->data[i].name);
        if (to.len)
            slots->data[i].name = to;
    }
}

/* ---- for people ------------------------------------------------------------------------------ */

/* The first sample, with the names of fields in place of values. */
static void explain_sample(const th__seam_rules *rules, const th__seam_sample *sample, th__buf *out)
{
    uint32_t at = 0;
    th__buf_add(out, "  ", 2);
    for (uint32_t i = 0; i <= sample->count; i++) {
        uint32_t end = i < sample->count ? sample->places[i].start : (uint32_t)sample->html.len;
        for (bool blank = false; at < end; at++) {
            bool is_blank = th__is_blank((unsigned char)sample->html.ptr[at]);
            if (!is_blank || !blank)
                th__buf_add_byte(out, is_blank ? ' ' : sample->html.ptr[at]);
            blank = is_blank;
        }
        if (i == sample->count)
            break;
        th__buf_printf(out, "{%.*s}", TH_STR_ARG(rules->slots.data[sample->places[i].slot].name));
        at = sample->places[i].end;
    }
    th__buf_add_byte(out, '\n');
}

static void explain(const void *data, th__buf *out)
{
    const th__seam_rules *rules = data;
    th__buf_printf(out, "in %.*s, by the text before values in %u sample%s:\n",
                   TH_STR_ARG(rules->region.len ? rules->region : TH_STR("the page")),
                   rules->sample_count, rules->sample_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < rules->sample_count; i++)
        explain_sample(rules, &rules->samples[i], out);
}

const th__engine th__seams_engine = {
    .name = "seams",
    .learn_corpus = learn,
    .needs_labels = true,
    .nested = true,
    .run = run,
    .shape = &rules_shape,
    .explain = explain,
    .rename = rename_fields,
};
