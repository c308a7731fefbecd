/*
 * paths.c: the paths engine: pages of one record, by where values are in the tree.
 *
 * This is no published system but what people do by hand: "the second cell after Price". It is the
 * structural view beside the views of STALKER and SoftMealy, which read the page as a string; it
 * learns in a fraction of the time, and says why a place was taken: paths_learn.c has the idea.
 * Lists of records inside a page are not its business.
 */
#include "engine/paths/paths.h"

#include "base/error.h"
#include "data/record.h"
#include "wrapper/hits.h"

/* ---- what a rule finds among the units of a page --------------------------------------------- */

bool th__path_page_open(th__path_page *out, const th__path_rules *rules, bool views,
                        const th_page *page)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        for (uint32_t j = 0; j < field->count + (views ? field->view_count : 0); j++) {
            const th__path_rule *rule =
                j < field->count ? &field->rules[j] : &field->views[j - field->count].rule;
            kinds |= 1u << rule->kind;
            kinds |= rule->attribute == TH__UNIT_OTHER ? TH__UNITS_ALL_ATTRIBUTES : 0;
        }
    }
    *out = (th__path_page){0};
    th__arena_init(&out->arena);
    return th__units_make(&out->arena, page, kinds, &out->units);
}

void th__path_page_close(th__path_page *page)
{
    th__folded_release(&page->scratch);
    th__arena_release(&page->arena);
}

static bool cut_unit(const th__path_rule *rule, const th__units *units, th__folded *scratch,
                     th__path_value *value, bool *found)
{
    size_t from, to;
    *found = true;
    if (th__cut_is_whole(&rule->cut))
        return true;
    if (!th__page_fold(units->page, value->span, scratch))
        return false;
    *found = th__cut_find(&rule->cut, th__buf_str(&scratch->text), &from, &to);
    if (*found)
        value->span = (th_span){scratch->start[from], scratch->end[to - 1]};
    return true;
}

/* Keeps one of the values from `first` on. */
static void pick_one(int32_t pick, size_t first, th__path_values *out)
{
    size_t count = out->len - first;
    size_t at = pick > 0 ? (size_t)pick - 1 : count - (size_t)-pick;
    if ((size_t)(pick > 0 ? pick : -pick) > count) {
        out->len = first;
        return;
    }
    out->data[first] = out->data[first + at];
    out->len = first + 1;
}

bool th__path_find(const th__path_rule *rule, th__units *units, th__folded *scratch,
                   th__path_values *out)
{
    th__address address = (th__address)rule->address;
    size_t first = out->len;
    if (!th__units_index(units, address))
        return false;
    uint32_t unit = th__units_first(units, address, rule->key);
    for (; unit != TH__NO_UNIT; unit = th__units_next(units, address, unit)) {
        const th__unit *u = &units->data[unit];
        th__path_value value = {unit, u->span};
        bool found;
        if (!th__unit_is(u, (th__unit_kind)rule->kind) ||
            (rule->teller && th__unit_telling(u, (th__teller)rule->teller) != rule->telling))
            continue;
        if (!cut_unit(rule, units, scratch, &value, &found) || (found && !th__vec_push(out, value)))
            return false;
        if (rule->pick > 0 && out->len - first == (size_t)rule->pick)
            break;
    }
    if (rule->pick)
        pick_one(rule->pick, first, out);
    return true;
}

bool th__path_find_field(const th__path_field *field, uint32_t of, const th__path_rule *instead,
                         th__path_page *page, th__path_values *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        const th__path_rule *rule = instead && i == of ? instead : &field->rules[i];
        if (field->rules[i].otherwise && out->len)
            continue;
        if (!th__path_find(rule, &page->units, &page->scratch, out))
            return false;
    }
    return true;
}

uint32_t th__path_beside(const th__units *units, uint32_t unit)
{
    enum { FAR = 64 }; /* units to look at either way */
    uint32_t from = unit > FAR ? unit - FAR : 0;
    uint32_t to = units->count - unit > FAR ? unit + FAR : units->count, count = 0;
    for (uint32_t i = from; i < to; i++) {
        const th__unit *u = &units->data[i];
        count += u->node == units->data[unit].node && u->kind == TH__UNIT_TEXT && u->readable;
    }
    return count;
}

/* ---- the record of a page -------------------------------------------------------------------- */

struct path_runner {
    th__path_page page;
    th__path_values found;
    th__buf text;
    th_records *records;
};

static bool met_before(const struct path_runner *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (r->found.data[i].span.start == r->found.data[index].span.start &&
            r->found.data[i].span.end == r->found.data[index].span.end)
            return true;
    return false;
}

/* A text said twice is one value of a list: rules that join speak of one thing. */
static bool said_before(const th_value *list, th_str text)
{
    for (uint32_t i = 0; list->kind == TH_VALUE_LIST && i < list->count; i++)
        if (th__str_eq(th__value_text(th__value_item(list, i)), text))
            return true;
    return false;
}

/* The text of a value; links are made absolute. */
static bool read_value(struct path_runner *r, const th__path_value *value)
{
    const th__unit *unit = &r->page.units.data[value->unit];
    r->text.len = 0;
    if (!th__span_text(r->page.units.page, value->span, &r->text))
        return false;
    if (unit->kind != TH__UNIT_ATTRIBUTE ||
        !th__attribute_is_link(th__attribute_at(r->page.units.page, unit->span).name) ||
        unit->span.start != value->span.start || unit->span.end != value->span.end)
        return true;
    th_text link = {0};
    bool ok = !th_page_resolve(r->page.units.page, th__buf_str(&r->text), &link, NULL);
    r->text.len = 0;
    ok = ok && th__buf_add(&r->text, link.ptr, link.len);
    th_text_release(&link);
    return ok;
}

static bool put_values(struct path_runner *r, const th__path_field *field, th_value *slot)
{
    enum { MOST_COMPARED = 256 }; /* values of a list that are held against each other */
    for (size_t i = 0; i < r->found.len && (field->list || i == 0); i++) {
        if (i < MOST_COMPARED && met_before(r, i))
            continue;
        if (!read_value(r, &r->found.data[i]))
            return false;
        if (i < MOST_COMPARED && field->count > 1 && said_before(slot, th__buf_str(&r->text)))
            continue;
        th_value *to = field->list ? th_records_append(r->records, slot) : slot;
        if (!to)
            return false;
        th_records_set_text(r->records, to, th__buf_str(&r->text), r->found.data[i].span);
    }
    return true;
}

static bool fill(struct path_runner *r, const th__path_rules *rules)
{
    th_value *record = NULL;
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        if (!th__path_find_field(field, 0, NULL, &r->page, &r->found))
            return false;
        if (!r->found.len)
            continue;
        if (!record)
            record = th_records_add(r->records);
        if (!record || !put_values(r, field, th_value_slot(record, field->member)))
            return false;
    }
    return true;
}

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const th__path_rules *rules = context;
    struct path_runner r = {0};
    bool ok = th__path_page_open(&r.page, rules, false, page);
    th_status status = th_records_new(schema, source, &r.records, err);
    if (!status && (!ok || !fill(&r, rules)))
        status = th__fail_memory(err);
    if (!status)
        status = th_records_status(r.records, err);
    if (status) {
        th_records_free(r.records);
        r.records = NULL;
    }
    *out = r.records;
    th__vec_release(&r.found);
    th__buf_release(&r.text);
    th__path_page_close(&r.page);
    return status;
}

/* ---- hits: the elements that an address leads to, and the texts that identify them ----------- */

static void hit_value(th_hits *out, const th__units *units, const th__path_field *field,
                      const th__path_rule *rule, const th__path_value *value)
{
    static const char *const parts[TH__TELLERS] = {"",        "text before", "caption",
                                                   "heading", "text after",  "own beginning"};
    const th__unit *unit = &units->data[value->unit];
    th__hits_add_tag(out, units->page, unit->node, field->name, "element", rule->path);
    if (!rule->teller)
        return;
    uint32_t teller = rule->teller == TH__TOLD_BY_START
                          ? value->unit
                          : th__unit_teller(units, value->unit, (th__teller)rule->teller);
    if (teller != TH__NO_UNIT)
        th__hits_add(out, units->data[teller].span, field->name, parts[rule->teller], rule->told);
}

static bool hit_field(th_hits *out, th__path_page *page, const th__path_field *field,
                      th__path_values *found)
{
    found->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        size_t from = found->len;
        if (field->rules[i].otherwise && found->len)
            continue;
        if (!th__path_find(&field->rules[i], &page->units, &page->scratch, found))
            return false;
        size_t end = field->list || from ? found->len : from + (found->len > from);
        for (size_t v = from; v < end; v++)
            hit_value(out, &page->units, field, &field->rules[i], &found->data[v]);
    }
    return true;
}

static th_status find_hits(const void *context, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err)
{
    const th__path_rules *rules = context;
    th__path_page open;
    th__path_values found = {0};
    bool ok = th__path_page_open(&open, rules, false, page);
    for (uint32_t i = 0; ok && i < rules->count; i++)
        ok = hit_field(out, &open, &rules->fields[i], &found);
    th__vec_release(&found);
    th__path_page_close(&open);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- learning from labels -------------------------------------------------------------------- */

/* Returns true if a member is a text or a list of texts. */
static bool is_plain(const th_type *type, bool *list)
{
    type = th__type_strip(type);
    *list = type->kind == TH_TYPE_LIST;
    if (*list)
        type = th__type_strip(type->children[0]);
    return type->kind == TH_TYPE_FIELD;
}

bool th__paths_fit_schema(const th_schema *schema)
{
    const th_type *root = th__type_strip(th_schema_root(schema));
    bool list;
    if (root->kind != TH_TYPE_TUPLE || root->count > TH__PATHS_MAX_FIELDS)
        return false;
    for (uint32_t i = 0; i < root->count; i++)
        if (!is_plain(root->children[i], &list))
            return false;
    return true;
}

bool th__paths_fields(const th_schema *schema, th__arena *arena, th__path_rules *out)
{
    const th_type *root = th__type_strip(th_schema_root(schema));
    out->count = root->count;
    out->fields = th__arena_zero(arena, root->count + 1, sizeof *out->fields);
    for (uint32_t i = 0; out->fields && i < root->count; i++) {
        th__path_field *field = &out->fields[i];
        field->member = i;
        field->name = th__arena_copy(arena, th_type_name(root->children[i]));
        if (!field->name.ptr)
            return false;
        is_plain(root->children[i], &field->list);
    }
    return out->fields;
}

void th__paths_known(const th_records *labels, bool sample, bool *labelled, bool *part)
{
    const th_value *record = th_records_get(labels, 0);
    uint32_t fields = th__type_strip(th_schema_root(th_records_schema(labels)))->count;
    for (uint32_t f = 0; f < fields; f++) {
        const th_value *member = record ? th_value_item(record, f) : NULL;
        bool values = member && member->kind != TH_VALUE_NULL && th_value_count(member);
        labelled[f] = !member || !member->unknown || values;
        part[f] = sample || (member && member->unknown);
    }
}

struct sample_gatherer {
    TH__VEC(th__path_sample) samples;
    th__arena *arena;
};

static bool add_sample(struct sample_gatherer *g, const th_page *page, uint32_t index,
                       uint32_t field, const th_value *value)
{
    if (value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start)
        return true;
    th_place *place = th__arena_zero(g->arena, 1, sizeof *place);
    if (!place)
        return false;
    uint32_t token = th__token_at(page, value->span.start);
    *place = (th_place){.span = value->span, .node = th_page_node_at(page, value->span.start)};
    if (page->tokens[token].kind == TH_TOKEN_START &&
        value->span.end <= page->tokens[token + 1].start)
        place->attribute = TH_STR("");
    return th__vec_push(
        &g->samples, (th__path_sample){index, field, th__value_text(value), place, 1, TH__NO_UNIT});
}

static bool gather(struct sample_gatherer *g, const th__corpus *corpus, uint32_t fields)
{
    for (uint32_t f = 0; f < fields; f++)
        for (uint32_t p = 0; p < corpus->count; p++) {
            const th_records *labels = corpus->pages[p].labels;
            const th_value *record = labels ? th_records_get(labels, 0) : NULL;
            const th_value *member = record ? th_value_item(record, f) : NULL;
            if (!member)
                continue;
            if (member->kind != TH_VALUE_LIST &&
                !add_sample(g, corpus->pages[p].page, p, f, member))
                return false;
            for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
                if (!add_sample(g, corpus->pages[p].page, p, f, th__value_item(member, i)))
                    return false;
        }
    return true;
}

static bool learn(const th__corpus *corpus, th__arena *arena, th__path_rules *rules,
                  th__arena *scratch)
{
    struct sample_gatherer g = {.arena = scratch};
    const th_page **pages = th__arena_zero(scratch, corpus->count + 1, sizeof *pages);
    size_t cells = corpus->count * rules->count;
    bool *labelled = th__arena_zero(scratch, cells + 1, sizeof *labelled);
    bool *sample = th__arena_zero(scratch, cells + 1, sizeof *sample);
    th__path_fit *fits = th__arena_zero(scratch, rules->count + 1, sizeof *fits);
    bool ok = pages && labelled && sample && fits && gather(&g, corpus, rules->count);
    for (size_t p = 0; ok && p < corpus->count; p++) {
        pages[p] = corpus->pages[p].page;
        corpus->pages[p].learnt = corpus->pages[p].labels != NULL;
        if (corpus->pages[p].labels)
            th__paths_known(corpus->pages[p].labels, corpus->pages[p].sample,
                            labelled + p * rules->count, sample + p * rules->count);
    }
    th__paths_input input = {pages,          labelled,      sample,       (uint32_t)corpus->count,
                             g.samples.data, g.samples.len, rules->count, corpus->cancel};
    ok = ok && th__paths_learn(&input, arena, rules, fits);
    th__vec_release(&g.samples);
    return ok;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    if (!th__paths_fit_schema(corpus->schema))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine paths learns only pages of one record whose fields are texts or "
                        "lists of texts: leave --engine out");
    th__arena scratch;
    th__arena_init(&scratch);
    th__path_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    bool ok = rules && th__paths_fields(corpus->schema, arena, rules) &&
              learn(corpus, arena, rules, &scratch);
    th__arena_release(&scratch);
    if (!ok)
        return th__fail_memory(err);
    *schema = th_schema_retain(corpus->schema);
    *out = rules;
    return TH_OK;
}

static void adopt(void *rules, const void *others, th_str field)
{
    th__path_rules *own = rules;
    const th__path_rules *from = others;
    for (uint32_t i = 0; i < own->count; i++)
        for (uint32_t j = 0; j < from->count; j++) {
            const th__path_field *other = &from->fields[j];
            if (!th__str_eq(own->fields[i].name, field) || !th__str_eq(other->name, field) ||
                own->fields[i].list != other->list)
                continue;
            uint32_t member = own->fields[i].member;
            own->fields[i] = *other;
            own->fields[i].member = member;
        }
}

const th__engine th__paths_engine = {
    .name = "paths",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .run = run,
    .doubts = th__paths_doubts,
    .hits = find_hits,
    .shape = &th__paths_shape,
    .explain = th__paths_explain,
    .adopt = adopt,
};
