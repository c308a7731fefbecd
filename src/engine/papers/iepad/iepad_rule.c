/* iepad_rule.c: the rule as data: building, naming, joining. */
#include "engine/papers/iepad/iepad_rule.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "page/tags.h"

th__iepad_rule *th__iepad_rule_new(void)
{
    th__iepad_rule *rule = TH__NEW(th__iepad_rule);
    if (rule) {
        th__iepad_names_init(&rule->names);
        rule->levels = 1;
    }
    return rule;
}

/* Recursion no deeper than TH__IEPAD_MAX_LEVELS. */
void th__iepad_division_free(th__iepad_division *division)
{
    if (!division)
        return;
    for (uint32_t i = 0; division->parts && i < division->pattern.len; i++)
        th__iepad_division_free(division->parts[i].below);
    th__mem_free(division->parts);
    th__pattern_release(&division->pattern);
    th__mem_free(division);
}

void th__iepad_rule_free(th__iepad_rule *rule)
{
    if (!rule)
        return;
    for (uint32_t i = 0; i < rule->record_count; i++)
        th__iepad_division_free(rule->records[i]);
    for (uint32_t i = 0; i < rule->field_count; i++)
        th__mem_free(rule->fields[i].name);
    th__mem_free(rule->records);
    th__mem_free(rule->fields);
    th__iepad_names_release(&rule->names);
    th__mem_free(rule);
}

th__iepad_division *th__iepad_division_new(th__pattern *pattern)
{
    th__iepad_division *division = TH__NEW(th__iepad_division);
    if (division)
        division->parts = th__mem_zero(pattern->len, sizeof *division->parts);
    if (!division || !division->parts) {
        th__mem_free(division);
        th__pattern_release(pattern);
        return NULL;
    }
    for (uint32_t i = 0; i < pattern->len; i++)
        division->parts[i].field = TH__IEPAD_NO_FIELD;
    division->pattern = *pattern;
    th__pattern_init(pattern);
    return division;
}

th_status th__iepad_rule_add(th__iepad_rule *rule, th__iepad_division *division, th_error *err)
{
    th_status status = TH_OK;
    if (rule->record_count >= TH__IEPAD_MAX_RULES) {
        status = th__fail(err, TH_ERR_LIMIT,
                          "a rule of more than %d record patterns; learn from fewer pages",
                          TH__IEPAD_MAX_RULES);
    } else {
        th__iepad_division **more =
            th__mem_resize(rule->records, rule->record_count + 1, sizeof *more);
        if (more) {
            rule->records = more;
            rule->records[rule->record_count++] = division;
            return TH_OK;
        }
        status = th__fail_memory(err);
    }
    th__iepad_division_free(division);
    return status;
}

th_status th__iepad_rule_field(th__iepad_rule *rule, th_str name, th__iepad_kind kind,
                               uint32_t *field, th_error *err)
{
    for (uint32_t i = 0; i < rule->field_count; i++)
        if (rule->fields[i].kind == kind && th__str_eq(th_str_from(rule->fields[i].name), name)) {
            *field = i;
            return TH_OK;
        }
    if (rule->field_count >= TH__IEPAD_MAX_FIELDS)
        return th__fail(err, TH_ERR_LIMIT, "a rule of more than %d fields; the limit is %d",
                        TH__IEPAD_MAX_FIELDS, TH__IEPAD_MAX_FIELDS);
    char *copy = th__mem_copy(name.ptr, name.len);
    th__iepad_field *more =
        copy ? th__mem_resize(rule->fields, rule->field_count + 1, sizeof *more) : NULL;
    if (!more) {
        th__mem_free(copy);
        return th__fail_memory(err);
    }
    rule->fields = more;
    more[rule->field_count] = (th__iepad_field){copy, (uint8_t)kind, true};
    *field = rule->field_count++;
    return TH_OK;
}

th_status th__iepad_rule_name(th__iepad_rule *rule, uint32_t field, th_str name, bool chosen,
                              th_error *err)
{
    if (field >= rule->field_count)
        return th__fail(err, TH_ERR_ARGUMENT, "the rule has no field %u; it has %u", field,
                        rule->field_count);
    for (uint32_t i = 0; i < rule->field_count; i++)
        if (i != field && th__str_eq(th_str_from(rule->fields[i].name), name))
            return th__fail(err, TH_ERR_ARGUMENT, "field %u cannot be called \"%.*s\": field %u is",
                            field, TH_STR_ARG(name), i);
    char *copy = th__mem_copy(name.ptr, name.len);
    if (!copy)
        return th__fail_memory(err);
    th__mem_free(rule->fields[field].name);
    rule->fields[field].name = copy;
    rule->fields[field].chosen = chosen;
    return TH_OK;
}

static bool same_division(const th__iepad_division *a, const th__iepad_division *b)
{
    if (!a || !b)
        return a == b;
    if (!th__pattern_equal(&a->pattern, &b->pattern) || a->element != b->element)
        return false;
    for (uint32_t i = 0; i < a->pattern.len; i++)
        if (!same_division(a->parts[i].below, b->parts[i].below))
            return false;
    return true;
}

/* Copies a division of `from` with its fields turned into those of `rule`. */
static th_status copy_division(th__iepad_rule *rule, const th__iepad_rule *from,
                               const th__iepad_division *division, th__iepad_division **out,
                               th_error *err)
{
    th__pattern pattern;
    th_status status = th__pattern_copy(&pattern, &division->pattern, err);
    if (status)
        return status;
    th__iepad_division *copy = th__iepad_division_new(&pattern);
    if (!copy)
        return th__fail_memory(err);
    copy->element = division->element;
    for (uint32_t i = 0; !status && i < copy->pattern.len; i++) {
        const struct th__iepad_part *part = &division->parts[i];
        if (part->below)
            status = copy_division(rule, from, part->below, &copy->parts[i].below, err);
        else if (part->field != TH__IEPAD_NO_FIELD) {
            const th__iepad_field *field = &from->fields[part->field];
            status = th__iepad_rule_field(rule, th_str_from(field->name),
                                          (th__iepad_kind)field->kind, &copy->parts[i].field, err);
        }
    }
    if (status)
        th__iepad_division_free(copy);
    else
        *out = copy;
    return status;
}

th_status th__iepad_rule_join(th__iepad_rule *rule, const th__iepad_rule *more, th_error *err)
{
    bool same = rule->levels == more->levels &&
                rule->encoding.skip_hidden == more->encoding.skip_hidden &&
                rule->encoding.media_as_text == more->encoding.media_as_text;
    for (uint32_t i = 0; same && i < rule->levels; i++)
        same = rule->schemes[i] == more->schemes[i];
    if (!same)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "rules of different encoding schemes cannot be joined; learn both with the "
                        "same options");
    for (size_t i = 0; i < more->names.len; i++)
        if (!th__iepad_names_add(&rule->names, more->names.list[i].tag, more->names.list[i].name))
            return th__fail_memory(err);
    for (uint32_t i = 0; i < more->record_count; i++) {
        bool known = false;
        for (uint32_t k = 0; !known && k < rule->record_count; k++)
            known = same_division(rule->records[k], more->records[i]);
        th__iepad_division *copy = NULL;
        th_status status = known ? TH_OK : copy_division(rule, more, more->records[i], &copy, err);
        if (!status && copy)
            status = th__iepad_rule_add(rule, copy, err);
        if (status)
            return status;
    }
    return TH_OK;
}

th_status th__iepad_rule_copy(const th__iepad_rule *rule, th__iepad_rule **out, th_error *err)
{
    th__iepad_rule *copy = th__iepad_rule_new();
    if (!copy)
        return th__fail_memory(err);
    copy->encoding = rule->encoding;
    copy->levels = rule->levels;
    copy->last_record = rule->last_record;
    copy->stray_text = rule->stray_text;
    memcpy(copy->schemes, rule->schemes, sizeof copy->schemes);
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < rule->field_count; i++) {
        const th__iepad_field *field = &rule->fields[i];
        uint32_t number;
        status = th__iepad_rule_field(copy, th_str_from(field->name), (th__iepad_kind)field->kind,
                                      &number, err);
        if (!status)
            copy->fields[number].chosen = field->chosen;
    }
    if (!status)
        status = th__iepad_rule_join(copy, rule, err);
    if (status)
        th__iepad_rule_free(copy);
    else
        *out = copy;
    return status;
}

/* ---- names for the fields of a rule that is to be joined ------------------------------------- */

/* Two rules, and by field of `more` the field of `rule` that it lies on, or NO_FIELD. */
typedef struct likeness {
    const th__iepad_rule *more, *rule;
    uint32_t *field;
    uint32_t found;
} likeness;

static void liken_fields(likeness *l, uint32_t mine, uint32_t theirs)
{
    if (mine == TH__IEPAD_NO_FIELD || theirs == TH__IEPAD_NO_FIELD ||
        l->more->fields[mine].kind != l->rule->fields[theirs].kind)
        return;
    l->field[mine] = theirs;
    l->found++;
}

/* The one text of a division, or NO_FIELD when there are none or several. */
static uint32_t only_text(const th__iepad_rule *rule, const th__iepad_division *division)
{
    uint32_t only = TH__IEPAD_NO_FIELD, texts = 0;
    for (uint32_t i = 0; i < division->pattern.len; i++) {
        uint32_t field = division->parts[i].field;
        if (division->parts[i].below)
            return TH__IEPAD_NO_FIELD;
        if (field == TH__IEPAD_NO_FIELD || rule->fields[field].kind != TH__IEPAD_VALUE_TEXT)
            continue;
        only = field;
        texts++;
    }
    return texts == 1 ? only : TH__IEPAD_NO_FIELD;
}

/* Lays a pattern of `more` onto one of `rule`, column by column. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status liken_division(likeness *l, const th__iepad_division *mine,
                                const th__iepad_division *theirs, th_error *err)
{
    uint32_t len = mine->pattern.len;
    uint32_t *symbols = TH__NEW_ARRAY(uint32_t, (size_t)len * 2), *columns = symbols + len;
    if (!symbols)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < len; i++)
        symbols[i] = th__column_has(&mine->pattern, i, TH__IEPAD_TEXT)
                         ? TH__IEPAD_TEXT
                         : mine->pattern.symbols[mine->pattern.columns[i].first];
    th_status status = th__pattern_align(&theirs->pattern, symbols, len, columns, err);
    for (uint32_t i = 0; !status && i < len; i++) {
        if (columns[i] == TH__NO_COLUMN)
            continue;
        const struct th__iepad_part *a = &mine->parts[i], *b = &theirs->parts[columns[i]];
        if (a->below && b->below)
            status = liken_division(l, a->below, b->below, err);
        else
            liken_fields(l, a->below ? only_text(l->more, a->below) : a->field,
                         b->below ? only_text(l->rule, b->below) : b->field);
    }
    th__mem_free(symbols);
    return status;
}

/* A name of the field's kind that neither rule has: text_1, link_1, ... */
static char *free_name(const likeness *l, uint8_t kind, uint32_t *number)
{
    static const char *const bases[] = {
        [TH__IEPAD_VALUE_TEXT] = "text",
        [TH__IEPAD_VALUE_LINK] = "link",
        [TH__IEPAD_VALUE_IMAGE] = "image",
    };
    for (;;) {
        char name[32];
        bool taken = false;
        snprintf(name, sizeof name, "%s_%u", bases[kind], ++*number);
        for (uint32_t i = 0; !taken && i < l->rule->field_count; i++)
            taken = !strcmp(l->rule->fields[i].name, name);
        if (!taken)
            return th__mem_copy(name, strlen(name));
    }
}

static th_status rename_fields(th__iepad_rule *more, const likeness *l, th_error *err)
{
    uint32_t numbers[] = {0, 0, 0}; /* by kind: the last that was given */
    for (uint32_t i = 0; i < more->field_count; i++) {
        const th__iepad_field *like =
            l->field[i] == TH__IEPAD_NO_FIELD ? NULL : &l->rule->fields[l->field[i]];
        uint8_t kind = more->fields[i].kind;
        char *name = like ? th__mem_copy(like->name, strlen(like->name))
                          : free_name(l, kind, &numbers[kind]);
        if (!name)
            return th__fail_memory(err);
        th__mem_free(more->fields[i].name);
        more->fields[i].name = name;
        more->fields[i].chosen = !like || like->chosen;
    }
    return TH_OK;
}

th_status th__iepad_rule_liken(th__iepad_rule *more, const th__iepad_rule *rule, th_error *err)
{
    size_t count = (size_t)more->field_count + 1;
    uint32_t *best = TH__NEW_ARRAY(uint32_t, count), *now = TH__NEW_ARRAY(uint32_t, count);
    likeness l = {more, rule, best, 0};
    th_status status = best && now ? TH_OK : th__fail_memory(err);
    if (!status)
        memset(best, 0xff, count * sizeof *best);
    for (uint32_t k = 0; !status && more->record_count && k < rule->record_count; k++) {
        likeness other = {more, rule, now, 0};
        memset(now, 0xff, count * sizeof *now);
        status = liken_division(&other, more->records[0], rule->records[k], err);
        if (other.found > l.found) {
            now = l.field;
            l = other;
        }
    }
    if (!status)
        status = rename_fields(more, &l, err);
    th__mem_free(l.field);
    th__mem_free(now);
    return status;
}

bool th__iepad_column_kind(const th__pattern *pattern, uint32_t column, th__iepad_kind *kind)
{
    static const struct {
        uint32_t symbol;
        th__iepad_kind kind;
    } holders[] = {
        {TH__IEPAD_TEXT, TH__IEPAD_VALUE_TEXT},
        {TH_TAG_A * 2, TH__IEPAD_VALUE_LINK},
        {TH_TAG_IMG * 2, TH__IEPAD_VALUE_IMAGE},
    };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (th__column_has(pattern, column, holders[i].symbol)) {
            *kind = holders[i].kind;
            return true;
        }
    return false;
}
