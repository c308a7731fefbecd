/* paths_hits.c: the elements that a rule's address comes to, and the texts that tell them apart. */
#include "base/error.h"
#include "engine/paths/paths_rule.h"
#include "wrapper/hits.h"

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

static bool hit_field(th_hits *out, th__units *units, th__folded *scratch,
                      const th__path_field *field, th__path_values *found)
{
    found->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        size_t from = found->len;
        if (field->rules[i].otherwise && found->len)
            continue;
        if (!th__path_find(&field->rules[i], units, scratch, found))
            return false;
        size_t end = field->list || from ? found->len : from + (found->len > from);
        for (size_t v = from; v < end; v++)
            hit_value(out, units, field, &field->rules[i], &found->data[v]);
    }
    return true;
}

th_status th__paths_hits(const void *context, const th_schema *schema, const th_page *page,
                         th_hits *out, th_error *err)
{
    const th__path_rules *rules = context;
    th__units units;
    th__folded scratch = {0};
    th__path_values found = {0};
    th__arena arena;
    th__arena_init(&arena);
    bool ok = th__units_make(&arena, page, true, true, &units);
    for (uint32_t i = 0; ok && i < rules->count; i++)
        ok = hit_field(out, &units, &scratch, &rules->fields[i], &found);
    th__vec_release(&found);
    th__folded_release(&scratch);
    th__arena_release(&arena);
    return ok ? TH_OK : th__fail_memory(err);
}
