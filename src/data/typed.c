/*
 * typed.c: columns with what texts mean beside the texts.
 *
 *     price           price_value  price_currency
 *     "from $1,299"   1299         "$"
 *
 * Which fields get such columns follows from the notes of the schema alone, so that all pages of a
 * wrapper have the same columns; how values are read follows from all values of a field on the page
 * (see value_types.h). A field inside of a list gets none: which item a number belongs to would be
 * lost where some have none.
 *
 * Somebody who said what a field is (see wrapper/select.h) gets its columns always; those of other
 * fields are for who asks for them.
 */
#include "base/error.h"
#include "base/key_map.h"
#include "data/record.h"
#include "data/value_types.h"

/* The columns that a note brings, by what is behind the field's name. */
enum { EXTRA_MOST = 2 };
static const char *const extras[][EXTRA_MOST] = {
    [TH_NOTE_TEXT] = {NULL},
    [TH_NOTE_NUMBER] = {"_value"},
    [TH_NOTE_PRICE] = {"_value", "_currency"},
    [TH_NOTE_DATE] = {"_iso"},
};

/* How many columns a member of a tuple brings; `all`: whether or not somebody said what it is. */
static uint32_t extra_count(const th_type *member, bool all)
{
    member = th__type_strip(member);
    uint32_t count = 0;
    if (member->kind != TH_TYPE_FIELD || member->note >= sizeof extras / sizeof *extras ||
        (!all && !member->typed))
        return 0;
    while (count < EXTRA_MOST && extras[member->note][count])
        count++;
    return count;
}

/* ---- the schema ------------------------------------------------------------------------------ */

static bool has_key(const th_type *tuple, th_str name)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        for (uint32_t k = 0; k < tuple->keys[i].count; k++)
            if (th__str_eq(tuple->keys[i].names[k], name))
                return true;
    return false;
}

/* A field for what a member means, with a name that the tuple does not have: price_value,
 * price_value_2. */
static th_type *make_extra(th_schema *to, const th_type *tuple, uint32_t member, uint32_t extra)
{
    const th_type *field = th__type_strip(tuple->children[member]);
    th_str key = tuple->keys[member].names[0];
    th__buf name = {0};
    for (unsigned n = 1; !name.failed && (n == 1 || has_key(tuple, th__buf_str(&name))); n++) {
        name.len = 0;
        th__buf_add_str(&name, key);
        th__buf_add_str(&name, th_str_from(extras[field->note][extra]));
        if (n > 1)
            th__buf_printf(&name, "_%u", n);
    }
    bool number = extra == 0 && field->note != TH_NOTE_DATE;
    if (name.failed && !to->failure.status)
        th__fail_memory(&to->failure);
    th_type *made = name.failed ? NULL
                                : th_schema_field(to, th__buf_str(&name),
                                                  number ? TH_NOTE_NUMBER : TH_NOTE_TEXT);
    th__buf_release(&name);
    return made ? th_schema_optional(to, made) : NULL;
}

static th_type *make_typed(th_schema *to, const th_type *type, bool all)
{
    size_t most = type->count + 1, count = 0;
    for (uint32_t i = 0; type->kind == TH_TYPE_TUPLE && i < type->count; i++)
        most += extra_count(type->children[i], all);
    th_type **children = th__arena_zero(&to->arena, most, sizeof *children);
    if (!children) {
        if (!to->failure.status)
            th__fail_memory(&to->failure);
        return NULL;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        children[count++] = make_typed(to, type->children[i], all); /* as deep as schemas are */
        for (uint32_t e = 0; type->kind == TH_TYPE_TUPLE && e < extra_count(type->children[i], all);
             e++)
            children[count++] = make_extra(to, type, i, e);
    }
    return th__type_like(to, type, children, count);
}

th_status th__schema_typed(const th_schema *schema, bool all, th_schema **out, th_error *err)
{
    th_schema *typed;
    *out = NULL;
    th_status status = th_schema_new(&typed, err);
    if (status)
        return status;
    status = th_schema_finish(typed, make_typed(typed, schema->root, all), err);
    if (status)
        th_schema_free(typed);
    else
        *out = typed;
    return status;
}

th_status th_schema_typed(const th_schema *schema, th_schema **out, th_error *err)
{
    return th__schema_typed(schema, true, out, err);
}

bool th__type_has_typed(const th_type *type)
{
    bool has = type->typed;
    for (uint32_t i = 0; !has && i < type->count; i++)
        has = th__type_has_typed(type->children[i]);
    return has;
}

/* ---- records --------------------------------------------------------------------------------- */

/* What is known of fields while records are read. */
struct typer {
    th_records *to;
    bool all;
    th__key_map numbers; /* by the address of a field's type: 1 + its style */
    TH__VEC(th__value_style) styles;
    th__buf text;
    bool failed;
};

static th__value_style *style_of(struct typer *t, const th_type *type)
{
    uint32_t number = th__key_map_number(&t->numbers, (uint64_t)(uintptr_t)type);
    if (!number || (number > t->styles.len && !th__vec_push(&t->styles, (th__value_style){0}))) {
        t->failed = true;
        return NULL;
    }
    return &t->styles.data[number - 1];
}

static void learn_styles(struct typer *t, const th_value *value)
{
    uint32_t items =
        value->kind == TH_VALUE_TEXT || value->kind == TH_VALUE_NULL ? 0 : value->count;
    if (value->kind == TH_VALUE_TEXT && extra_count(value->type, t->all)) {
        th__value_style *style = style_of(t, value->type);
        if (style)
            th__value_style_learn(style, th__value_text(value));
    }
    for (uint32_t i = 0; i < items; i++)
        learn_styles(t, th__value_item(value, i));
}

static void set_extra(struct typer *t, th_value *slot, th_str text, bool number)
{
    if (!slot || !text.len)
        return;
    th_records_set_text(t->to, slot, text, (th_span){0, 0});
    slot->number = number && slot->kind == TH_VALUE_TEXT;
}

/* Fills the slots behind that of a text. */
static void add_meaning(struct typer *t, const th_value *from, th_value *slots)
{
    th__value_style *style = style_of(t, from->type);
    th_str currency = {0};
    th__buf_clear(&t->text);
    if (!style)
        return;
    if (from->type->note == TH_NOTE_DATE) {
        if (th__date_read(style, th__value_text(from), &t->text) == TH__DATE_READ)
            set_extra(t, &slots[0], th__buf_str(&t->text), false);
    } else if (th__number_read(style, th__value_text(from), &t->text, &currency)) {
        set_extra(t, &slots[0], th__buf_str(&t->text), true);
        if (from->type->note == TH_NOTE_PRICE)
            set_extra(t, &slots[1], currency, false);
    }
    t->failed |= t->text.failed;
}

static void copy_value(struct typer *t, const th_value *from, th_value *to);

static void copy_tuple(struct typer *t, const th_value *from, th_value *to)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < from->count && to->kind == TH_VALUE_TUPLE; i++) {
        const th_value *member = &from->members[i];
        copy_value(t, member, &to->members[at++]);
        uint32_t more = extra_count(from->type->children[i], t->all);
        if (more && member->kind == TH_VALUE_TEXT)
            add_meaning(t, member, &to->members[at]);
        at += more;
    }
}

/* Values are as deep as schemas are. */
static void copy_value(struct typer *t, const th_value *from, th_value *to)
{
    if (!to || from->kind == TH_VALUE_NULL)
        return;
    switch ((th_value_kind)from->kind) {
    case TH_VALUE_NULL:
        break;
    case TH_VALUE_TEXT:
        th_records_set_text(t->to, to, th__value_text(from), from->span);
        to->number = from->number;
        to->by_looks = from->by_looks;
        to->agreement = from->agreement;
        break;
    case TH_VALUE_TUPLE:
        if (to->kind == TH_VALUE_NULL)
            th_records_set_tuple(t->to, to);
        copy_tuple(t, from, to);
        break;
    case TH_VALUE_LIST:
        th_records_set_list(t->to, to);
        for (uint32_t i = 0; i < from->count; i++)
            copy_value(t, from->list[i], th_records_append(t->to, to));
        break;
    case TH_VALUE_CHOICE:
        copy_value(t, &from->members[0], th_records_choose(t->to, to, from->which));
        break;
    }
    to->span = from->span;
}

th_status th__records_typed(const th_records *records, const th_schema *schema, bool all,
                            th_records **out, th_error *err)
{
    th_records_source source = {records->page, records->url};
    struct typer t = {.all = all};
    th_schema *own = NULL;
    *out = NULL;
    th_status status = schema ? TH_OK : th__schema_typed(records->schema, all, &own, err);
    if (!status)
        status = th_records_new(schema ? schema : own, &source, &t.to, err);
    for (size_t i = 0; !status && i < records->values.len; i++)
        learn_styles(&t, records->values.data[i]);
    for (size_t i = 0; !status && i < records->values.len; i++)
        copy_value(&t, records->values.data[i], th_records_add(t.to));
    if (!status)
        status = t.failed ? th__fail_memory(err) : th_records_status(t.to, err);
    if (!status)
        t.to->explained = records->explained;
    if (status)
        th_records_free(t.to);
    else
        *out = t.to;
    th__key_map_release(&t.numbers);
    th__vec_release(&t.styles);
    th__buf_release(&t.text);
    th_schema_free(own);
    return status;
}

th_status th_records_typed(const th_records *records, const th_schema *schema, th_records **out,
                           th_error *err)
{
    return th__records_typed(records, schema, true, out, err);
}
