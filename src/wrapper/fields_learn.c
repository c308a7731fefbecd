/* fields_learn.c: field rules from the columns of lists. */
#include "wrapper/fields_learn.h"

#include "base/error.h"
#include "base/utf8.h"
#include "page/text.h"
#include "wrapper/corpus.h"

void th__fields_learner_init(th__fields_learner *learner)
{
    *learner = (th__fields_learner){0};
    th__arena_init(&learner->arena);
    th__intern_init(&learner->keys);
    th__intern_init(&learner->names);
}

void th__fields_learner_release(th__fields_learner *learner)
{
    th__vec_release(&learner->rules);
    th__vec_release(&learner->fields);
    th__intern_release(&learner->keys);
    th__intern_release(&learner->names);
    th__buf_release(&learner->text);
    th__arena_release(&learner->arena);
}

bool th__fields_learner_take(th__fields_learner *l, const char *attributes)
{
    th_str rest = attributes ? th_str_from(attributes) : (th_str){0};
    th_str *names = th__arena_alloc(&l->arena, (rest.len / 2 + 1) * sizeof *names);
    l->attributes = (th__attribute_names){names, 0};
    while (names && rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
        th_str name = th__str_trim((th_str){rest.ptr, len});
        if (name.len) {
            names[l->attributes.count] = th__arena_copy(&l->arena, name);
            if (!names[l->attributes.count++].ptr)
                return false;
        }
        len += comma != NULL;
        rest = (th_str){rest.ptr + len, rest.len - len};
    }
    return names;
}

static th_str key_text(const uint64_t *key)
{
    return (th_str){(const char *)key, sizeof *key};
}

/* The place of an item in its record. */
static bool find_place(th__fields_learner *l, const th__view *view, const th__extent *record,
                       const th__item *item, th__field_rule *rule)
{
    l->text.len = 0;
    rule->part = record->part;
    if (!th__item_path_write(view, record, item, &l->text))
        return false;
    rule->path = th__arena_copy(&l->arena, th__buf_str(&l->text));
    if (item->kind != TH__ITEM_ATTRIBUTE || !rule->path.ptr)
        return rule->path.ptr;
    rule->attribute = th__arena_copy(&l->arena, th__attribute_at(view->page, item->span).name);
    return rule->attribute.ptr;
}

/* The text that tells a field apart: that of its label, or its own. */
static bool write_teller(th__fields_learner *l, const th__view *view, const th__columns *columns,
                         const th__item *item)
{
    const th__item *teller = item->told == TH__TOLD_BY_LABEL ? &columns->items[item->label] : item;
    l->text.len = 0;
    return th__span_text(view->page, teller->span, &l->text);
}

/* A name that no field has yet. */
static bool take_name(th__fields_learner *l, th_str name, th_str *out)
{
    l->text.len = 0;
    th__buf_add_str(&l->text, name);
    for (unsigned i = 2; !l->text.failed; i++) {
        size_t before = l->names.len;
        uint32_t id = th__intern_add(&l->names, th__buf_str(&l->text));
        if (id == TH__INTERN_NONE)
            return false;
        if (l->names.len > before) {
            *out = th__arena_copy(&l->arena, th__buf_str(&l->text));
            return out->ptr;
        }
        l->text.len = name.len;
        th__buf_printf(&l->text, "_%u", i);
    }
    return false;
}

/* What tells an item apart, in words, when something does. */
static bool copy_teller(th__fields_learner *l, const th__view *view, const th__columns *columns,
                        const th__item *item, th_str *out)
{
    if (item->told == TH__TOLD_BY_PLACE)
        return true;
    if (!write_teller(l, view, columns, item))
        return false;
    *out = th__arena_copy(&l->arena, th__buf_str(&l->text));
    return out->ptr;
}

/* Which part of its whole an item is. */
static bool find_part(th__fields_learner *l, const th__view *view, const th__columns *columns,
                      const th__item *part, th__part_rule *out)
{
    *out = (th__part_rule){.between = part->between,
                           .told = part->told,
                           .telling = part->telling,
                           .position = part->position};
    uint32_t node = part->between ? part->after : part->node;
    l->text.len = 0;
    if (part->sign) {
        char text[4];
        out->between = TH__PART_SIGN;
        out->step = th__arena_copy(&l->arena, (th_str){text, th__utf8_encode(part->sign, text)});
        return out->step.ptr;
    }
    return (!node || th__class_step_write(view->page, node, &l->text)) &&
           (out->step = th__arena_copy(&l->arena, th__buf_str(&l->text))).ptr &&
           copy_teller(l, view, columns, part, &out->text);
}

/* The rule of an item: of the text that it is a part of, and which part. */
static bool find_rule(th__fields_learner *l, const th__view *view, const th__extent *extents,
                      const th__columns *columns, const th__item *item, th__field_rule *rule,
                      bool *fits)
{
    const th__item *chain[TH__PARTS_DEEPEST + 1] = {item};
    uint32_t depth = 0;
    uint64_t key = 0;
    for (; chain[depth]->whole && depth < TH__PARTS_DEEPEST; depth++)
        chain[depth + 1] = &columns->wholes[chain[depth]->whole - 1];
    const th__item *top = chain[depth];
    *rule = (th__field_rule){.kind = top->kind,
                             .told = top->told,
                             .telling = top->telling,
                             .position = top->position,
                             .depth = (uint8_t)depth,
                             .joins = item->joins,
                             .key = item->key};
    if (!find_place(l, view, &extents[top->extent], top, rule) ||
        !copy_teller(l, view, columns, top, &rule->text))
        return false;
    rule->base = top->base;
    for (uint32_t i = 0; i < depth; i++) {
        rule->wholes[i] = chain[depth - i]->key;
        if (!find_part(l, view, columns, chain[depth - i - 1], &rule->inside[i]))
            return false;
    }
    /* A tag that no step can name (its name holds odd bytes) gives no rule. */
    *fits = th__field_key(rule, l->several, &l->text, &key) && key == item->key;
    return !l->text.failed;
}

/* What is said of a column holds for the rule of its field: a column that goes with another one
 * goes with that one's rule. `rules` has the rules of the columns before it. */
static th__column_use use_of(const th__list *list, uint32_t column, const uint32_t *rules)
{
    th__column_use use = list->fields[column].use;
    if (use.into != TH__NO_ITEM)
        use.into = rules[use.into] == TH__INTERN_NONE ? TH__NO_ITEM : rules[use.into];
    return use;
}

static bool add_rule(th__fields_learner *l, const th__view *view, const th__extent *extents,
                     const th__list *list, uint32_t column, const th__key_vec *core,
                     uint32_t *rules)
{
    const th__columns *columns = &list->columns;
    const th__item *sample = &columns->items[columns->columns[column].sample];
    th__list_field field = list->fields[column];
    th__field_rule rule;
    bool fits;
    if (!find_rule(l, view, extents, columns, sample, &rule, &fits))
        return false;
    if (!fits)
        return true;
    rule.core = sample->kind == TH__ITEM_TEXT && th__key_vec_find(core, rule.base) != SIZE_MAX;
    field.use = use_of(list, column, rules);
    if (field.use.into != TH__NO_ITEM)
        rule.name = l->rules.data[field.use.into].name;
    else if (!field.hidden && field.use.fate != TH__COLUMN_OTHER &&
             !take_name(l, field.name, &rule.name))
        return false;
    field.name = rule.name;
    rules[column] = (uint32_t)l->rules.len;
    field.optional |= l->lists > 0;
    uint64_t key = columns->columns[column].key;
    return th__vec_reserve(&l->fields, 1) && th__vec_reserve(&l->rules, 1) &&
           th__intern_add(&l->keys, key_text(&key)) != TH__INTERN_NONE &&
           th__vec_push(&l->fields, field) && th__vec_push(&l->rules, rule);
}

/* The rule, among the first `known`, that a column goes by; or NONE. */
static uint32_t known_rule(const th__fields_learner *l, size_t known, const th__key_map *cells,
                           const th__view *view, const th__item *sample, const th__column *column)
{
    uint32_t rule = th__intern_find(&l->keys, key_text(&column->key));
    if (rule != TH__INTERN_NONE)
        return rule;
    /* Told apart here, but not where it was first seen: it is one of several values there. */
    rule = th__intern_find(&l->keys, key_text(&sample->base));
    if (rule < known)
        return rule;
    /* Other markup in the same cell. */
    rule = sample->whole || column->list ? 0 : th__fields_cell_rule(cells, view, sample);
    return rule ? rule - 1 : TH__INTERN_NONE;
}

/* A field that was left out is shown when another page has other values in it, or none of another
 * field. Few records say nothing. */
static bool review(th__fields_learner *l, uint32_t rule, const th__list *list, uint32_t column)
{
    th__column_use *was = &l->fields.data[rule].use;
    const th__column_use *now = &list->fields[column].use;
    bool differs = was->value ? now->value != was->value : now->fate == TH__COLUMN_SHOWN;
    if (was->fate == TH__COLUMN_SHOWN || was->into != TH__NO_ITEM || !differs ||
        list->columns.record_count < TH__COLUMNS_JUDGED_FROM)
        return true;
    bool named = was->fate == TH__COLUMN_LEFT_OUT;
    was->fate = TH__COLUMN_SHOWN;
    if (named || l->fields.data[rule].hidden)
        return true;
    bool ok = take_name(l, list->fields[column].name, &l->rules.data[rule].name);
    l->fields.data[rule].name = l->rules.data[rule].name;
    return ok;
}

bool th__fields_learn(th__fields_learner *l, const th__view *view, const th__extents *records,
                      const th__key_vec *core)
{
    th__arena arena;
    th__list list;
    th__arena_init(&arena);
    th__key_map settled, cells;
    uint64_t kinds[TH__SECTIONS_LIMIT];
    th__sections_wanted wanted = {.keys = kinds};
    wanted.key_count = th__fields_kinds(l->rules.data, l->rules.len, kinds);
    if (!l->lists) {
        wanted.texts = l->headings;
        wanted.text_count = l->heading_count;
    }
    th__list_cuts cuts = {l->whole_lines, &settled, &wanted,
                          l->all ? TH__COLUMNS_EVERY : TH__COLUMNS_WORTHY};
    th__extents own = *records;
    own.attributes = l->attributes.count ? &l->attributes : NULL;
    records = &own;
    bool ok = th__fields_settled(l->rules.data, l->rules.len, &arena, &settled) &&
              th__fields_cells(l->rules.data, l->rules.len, &arena, &cells) &&
              th__list_describe(&arena, view, records, cuts, &list);
    size_t known = l->rules.len;
    bool *met = th__arena_zero(&arena, known + 1, sizeof *met);
    uint32_t *rules =
        ok ? th__arena_alloc(&arena, (list.columns.column_count + (size_t)1) * sizeof *rules)
           : NULL;
    ok = ok && met && rules;
    for (uint32_t c = 0; ok && c < list.columns.column_count; c++) {
        const th__column *column = &list.columns.columns[c];
        const th__item *sample = &list.columns.items[column->sample];
        uint32_t rule = known_rule(l, known, &cells, view, sample, column);
        if (rule == TH__INTERN_NONE) {
            rules[c] = TH__INTERN_NONE;
            ok = add_rule(l, view, records->data, &list, c, core, rules);
        } else {
            rules[c] = rule;
            const th__field_rule *was = &l->rules.data[rule];
            uint8_t told = was->depth ? was->inside[was->depth - 1].told : was->told;
            uint32_t position = was->depth ? was->inside[was->depth - 1].position : was->position;
            bool several = column->list || told != sample->told || position != sample->position;
            l->fields.data[rule].list |= several;
            l->fields.data[rule].optional |= list.fields[c].optional;
            met[rule] = true;
            ok = review(l, rule, &list, c);
        }
    }
    for (size_t i = 0; ok && i < known; i++)
        l->fields.data[i].optional |= !met[i];
    l->lists++;
    th__arena_release(&arena);
    return ok;
}

/* What is absent stays so. */
static bool copy_into(th__arena *arena, th_str *text)
{
    if (!text->ptr)
        return true;
    *text = th__arena_copy(arena, *text);
    return text->ptr;
}

/* Adds the rule for what no other rule takes. */
static bool add_rest(th__fields_learner *l)
{
    th__field_rule rule = {.kind = TH__FIELD_REST, .position = TH__NO_POSITION};
    th__list_field field = {
        .list = true, .optional = true, .rest = true, .use = {.into = TH__NO_ITEM}};
    if (!take_name(l, TH_STR("other"), &rule.name))
        return false;
    field.name = rule.name;
    return th__vec_push(&l->fields, field) && th__vec_push(&l->rules, rule);
}

/* Settles what is shown: fields that are left out lose their name, some go to the rest, and those
 * that are one field are alike. The number of fields is bounded: those that came last go. */
static void settle_uses(th__fields_learner *l)
{
    const th__field_rule *rest = &l->rules.data[l->rules.len - 1];
    uint32_t shown = 1;
    for (size_t i = 0; i + 1 < l->rules.len; i++) {
        th__list_field *field = &l->fields.data[i];
        if (field->use.into == TH__NO_ITEM || field->hidden)
            continue;
        l->fields.data[field->use.into].list |= field->list;
        l->fields.data[field->use.into].optional |= field->optional;
    }
    for (size_t i = 0; i + 1 < l->rules.len; i++) {
        th__list_field *field = &l->fields.data[i];
        bool own = field->use.into == TH__NO_ITEM;
        if (field->hidden)
            continue;
        if (!own) {
            field->use.fate = l->fields.data[field->use.into].use.fate;
            field->list = l->fields.data[field->use.into].list;
            l->rules.data[i].name = l->rules.data[field->use.into].name;
        } else if (field->use.fate == TH__COLUMN_SHOWN && shown++ >= TH__COLUMNS_SHOWN_MOST &&
                   !l->all) {
            field->use.fate = field->attribute ? TH__COLUMN_LEFT_OUT : TH__COLUMN_OTHER;
        }
        if (field->use.fate == TH__COLUMN_LEFT_OUT)
            l->rules.data[i].name = (th_str){0};
        if (field->use.fate != TH__COLUMN_OTHER)
            continue;
        l->rules.data[i].name = rest->name;
        field->list = true;
    }
}

th_status th__fields_learnt(th__fields_learner *l, th__arena *arena, th__fields *out,
                            th_schema **schema, th_error *err)
{
    bool any = false;
    for (size_t i = 0; i < l->rules.len; i++)
        any |= !l->fields.data[i].hidden;
    /* Lines of single letters between <br> look like records but have no column. */
    if (!any)
        return th__fail_no_list(err);
    if (!add_rest(l))
        return th__fail_memory(err);
    settle_uses(l);
    th_status status = th__list_schema(l->fields.data, l->fields.len, schema, err);
    if (status)
        return status;
    *out = (th__fields){.several = l->several};
    out->rules = th__arena_alloc(arena, (l->rules.len + 1) * sizeof *out->rules);
    bool ok = out->rules;
    for (size_t i = 0; ok && i < l->rules.len; i++) {
        th__field_rule *rule = &out->rules[out->count];
        *rule = l->rules.data[i];
        rule->member = l->fields.data[i].member;
        rule->list = l->fields.data[i].list;
        /* Links that no rule takes are left out anyway; texts would go to the rest. */
        if (!rule->name.ptr && rule->kind != TH__ITEM_TEXT)
            continue;
        out->count++;
        ok = copy_into(arena, &rule->name) && copy_into(arena, &rule->path) &&
             copy_into(arena, &rule->attribute) && copy_into(arena, &rule->text);
        for (uint32_t level = 0; ok && level < rule->depth; level++)
            ok = copy_into(arena, &rule->inside[level].step) &&
                 copy_into(arena, &rule->inside[level].text);
    }
    if (!ok || !th__fields_prepare(out, arena)) {
        th_schema_free(*schema);
        *schema = NULL;
        return th__fail_memory(err);
    }
    return TH_OK;
}
