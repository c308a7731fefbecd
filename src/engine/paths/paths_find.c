/* paths_find.c: what a rule finds among the units of a page. */
#include "engine/paths/paths_rule.h"

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
        if (rule->teller && th__unit_telling(u, (th__teller)rule->teller) != rule->telling)
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
                         th__units *units, th__folded *scratch, th__path_values *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        const th__path_rule *rule = instead && i == of ? instead : &field->rules[i];
        if (field->rules[i].otherwise && out->len)
            continue;
        if (!th__path_find(rule, units, scratch, out))
            return false;
    }
    return true;
}

bool th__path_value_hash(const th__path_rule *rule, const th__units *units,
                         const th__path_value *value, th__buf *scratch, uint64_t *out)
{
    *out = units->data[value->unit].text;
    if (th__cut_is_whole(&rule->cut))
        return true;
    scratch->len = 0;
    if (!th__span_text(units->page, value->span, scratch))
        return false;
    *out = th__text_hash(th__buf_str(scratch));
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
