/*
 * front_notes.c: what a wrapper does not find as it is labelled.
 *
 * The wrapper that was taken runs on the labelled pages once more: whichever engine it is of, what
 * is told is what a user will see.
 */
#include "base/error.h"
#include "data/record.h"
#include "engine/front.h"

/* How a field does on labelled pages. */
struct fit {
    uint32_t pages, right;
    uint32_t wrong_page;
    th_str label, found; /* of that page, as told; in the arena */
};

static bool has_text(const th_value *member, th_str text)
{
    if (!member)
        return false;
    if (member->kind == TH_VALUE_TEXT)
        return th__text_hash(member->text) == th__text_hash(text);
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
        if (has_text(member->items[i], text))
            return true;
    return false;
}

/* Whether all texts of a member are in another. */
static bool is_within(const th_value *member, const th_value *other)
{
    if (!member || member->kind == TH_VALUE_NULL)
        return true;
    if (member->kind == TH_VALUE_TEXT)
        return has_text(other, member->text);
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
        if (member->items[i]->kind == TH_VALUE_TEXT && !has_text(other, member->items[i]->text))
            return false;
    return true;
}

/* The first text that the other does not have; of one that has all, the first. */
static const th_value *telling_text(const th_value *member, const th_value *other)
{
    if (!member || member->kind != TH_VALUE_LIST)
        return member && member->kind == TH_VALUE_TEXT ? member : NULL;
    for (uint32_t i = 0; i < member->count; i++)
        if (member->items[i]->kind == TH_VALUE_TEXT && !has_text(other, member->items[i]->text))
            return member->items[i];
    return member->count && member->items[0]->kind == TH_VALUE_TEXT ? member->items[0] : NULL;
}

static bool tell(const th_value *member, const th_value *other, th__arena *arena, th_str *out)
{
    const th_value *value = telling_text(member, other);
    th__buf text = {0};
    if (value && value->span.end > value->span.start)
        th__buf_printf(&text, "\"%.*s\" (bytes %u-%u)", TH_STR_ARG(value->text), value->span.start,
                       value->span.end);
    else if (value)
        th__buf_printf(&text, "\"%.*s\"", TH_STR_ARG(value->text));
    else
        th__buf_printf(&text, "nothing");
    *out = text.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

/* Counts the fields of one labelled page. */
static bool look_at(const th_records *labels, const th_records *found, bool sample, uint32_t page,
                    uint32_t fields, th__arena *arena, struct fit *fits)
{
    const th_value *wanted = th_records_get(labels, 0), *record = th_records_get(found, 0);
    for (uint32_t f = 0; f < fields; f++) {
        const th_value *label = wanted ? th_value_item(wanted, f) : NULL;
        const th_value *own = record ? th_value_item(record, f) : NULL;
        bool right = is_within(label, own) && (sample || is_within(own, label));
        fits[f].pages++;
        fits[f].right += right;
        if (right || fits[f].label.ptr)
            continue;
        fits[f].wrong_page = page;
        if (!tell(label, own, arena, &fits[f].label) || !tell(own, label, arena, &fits[f].found))
            return false;
    }
    return true;
}

/* What would help. */
static const char *advice(const struct fit *fit)
{
    if (fit->pages == 1)
        return "Say which place is meant with --at, or label one more page";
    return fit->right ? "Check that label, or label one more page like this one"
                      : "No rule holds for two of these labels: check them";
}

/* An engine may read labels that have nothing in common, each by a rule of its own. Then the place
 * rules, which cannot, tell which field and page it is. */
static bool note_apart(th_learner *learner, const th_wrapper *wrapper, const th__path_fit *fits)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(learner->label_schema));
    for (uint32_t f = 0; f < tuple->count; f++)
        if (fits[f].right < fits[f].pages &&
            !th__notes_add(&learner->notes,
                           "%.*s: one rule is right on %u of %u labelled pages, and not on %.*s. "
                           "Engine %s has more rules, which may be wrong on other pages. Check "
                           "that label, or label one more page like this one",
                           TH_STR_ARG(th_type_name(tuple->children[f])), fits[f].right,
                           fits[f].pages,
                           TH_STR_ARG(learner->kept.data[fits[f].wrong_page].provenance.name),
                           wrapper->engine->name))
            return false;
    return true;
}

th_status th__front_note_wrong(th_learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *path_fits, th_error *err)
{
    bool any = false;
    const th_type *tuple = th__type_strip(th_schema_record_type(learner->label_schema));
    th__arena arena;
    th_status status = TH_OK;
    th__arena_init(&arena);
    struct fit *fits = th__arena_zero(&arena, tuple->count + 1, sizeof *fits);
    if (!fits)
        status = th__fail_memory(err);
    for (size_t p = 0; !status && p < learner->kept.len; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        th_records *found = NULL;
        if (!kept->located)
            continue;
        status = th_wrapper_extract(wrapper, kept->page, NULL, &found, err);
        if (!status && !look_at(th_located_records(kept->located), found, kept->sample, (uint32_t)p,
                                tuple->count, &arena, fits))
            status = th__fail_memory(err);
        th_records_free(found);
    }
    for (uint32_t f = 0; !status && f < tuple->count; f++) {
        if (fits[f].right == fits[f].pages)
            continue;
        any = true;
        if (!th__notes_add(
                &learner->notes,
                "%.*s: right on %u of %u labelled pages. On %.*s the label is %.*s and the rules "
                "give %.*s. %s",
                TH_STR_ARG(th_type_name(tuple->children[f])), fits[f].right, fits[f].pages,
                TH_STR_ARG(learner->kept.data[fits[f].wrong_page].provenance.name),
                TH_STR_ARG(fits[f].label), TH_STR_ARG(fits[f].found), advice(&fits[f])))
            status = th__fail_memory(err);
    }
    if (!status && !any && !note_apart(learner, wrapper, path_fits))
        status = th__fail_memory(err);
    th__arena_release(&arena);
    return status;
}
