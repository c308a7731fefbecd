/*
 * paths_learn.c: rules from examples.
 *
 * Each place of each labelled value gives rules: every address of its unit with every teller, the
 * pick that leads to it, and the cuts where it is a part of a text. Each rule is run on all pages.
 * The best is the one that
 *
 *  1. gives what is labelled, and nothing else, on labelled pages,
 *  2. on pages without labels gives what most other rules give that fit as well (a value that
 * stands in several places stands in the same ones on all pages), gives something at all, and
 * something of the same shape,
 *  3. is of a kind that lasts: classes before positions, text before attributes, whole texts before
 *     parts, a caption that has the field's name.
 *
 * Values that it does not give are left to further rules, which join it or stand in for it.
 *
 * Costs: a rule is looked up by hash, so that it costs what it finds; the number of rules of a
 * value is bounded by PLACES, and of a field by CANDIDATES.
 */
#include "engine/paths/paths_learn.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/key_map.h"
#include "engine/paths/paths_weigh.h"
#include "page/tags.h"

enum {
    PLACES = 24,       /* of a value that are looked at */
    CANDIDATES = 4096, /* rules of a field */
    UNLABELLED = 12,   /* pages without labels that are looked at */
    CHOSEN = 8,        /* rules of a field in the end */
    VIEWS = 8,         /* for questions: rivals of those rules */
    BEHIND = 8,        /* texts behind the value of a field that has one */
    LOOKS = 1 << 24    /* at units, for a field: no page can make it cost more */
};

struct learner {
    const th__paths_input *input;
    th__arena arena; /* units of pages, and all of a field's candidates */
    th__units *units;
    bool *used; /* by page */
    th__folded scratch;
    th__path_values found;
    TH__VEC(uint64_t) values;
    th__buf text;
    size_t looks; /* at units, for the field at hand */
};

/* ---- the places of a value ------------------------------------------------------------------- */

/* The unit that holds a place: the last that starts at or before it and is of its kind. */
static uint32_t unit_of(const th__units *units, const th_place *place)
{
    uint32_t low = 0, high = units->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (units->data[middle].span.start <= place->span.start)
            low = middle + 1;
        else
            high = middle;
    }
    /* Elements around it start earlier: a text is never far behind. */
    for (uint32_t i = low; i-- > 0 && low - i < 256;) {
        const th__unit *unit = &units->data[i];
        bool attribute = unit->kind == TH__UNIT_ATTRIBUTE;
        if (attribute != (place->attribute.ptr != NULL) || unit->span.end < place->span.end)
            continue;
        if (unit->kind != TH__UNIT_ELEMENT ||
            (unit->span.start == place->span.start && unit->span.end == place->span.end))
            return i;
    }
    return TH__NO_UNIT;
}

static bool in_one_token(const th_page *page, const th_place *place)
{
    uint32_t token = th__token_at(page, place->span.start);
    return place->attribute.ptr || page->tokens[token + 1].start >= place->span.end;
}

/* What units are needed: attributes and elements only where no text will do. */
static void needs_of(const th__paths_input *input, bool *attributes, bool *elements)
{
    for (size_t i = 0; i < input->sample_count; i++) {
        const th__path_sample *sample = &input->samples[i];
        bool text = false, attribute = false, element = false;
        for (uint32_t j = 0; j < sample->count; j++) {
            const th_place *place = &sample->places[j];
            bool one = in_one_token(input->pages[sample->page], place);
            attribute |= place->attribute.ptr != NULL;
            element |= !one;
            text |= one && !place->attribute.ptr &&
                    input->pages[sample->page]->tags[place->node] != TH_TAG_TITLE;
        }
        *elements |= element && !text;
        *attributes |= attribute && !text && !element;
    }
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Adds a value unless it is there. */
static bool add_value(struct learner *l, uint64_t hash)
{
    enum { COMPARED = 64 }; /* a rule that finds more finds too much anyway */
    for (size_t i = 0; i < l->values.len && i < COMPARED; i++)
        if (l->values.data[i] == hash)
            return true;
    return th__vec_push(&l->values, hash);
}

static bool outcome_of(struct learner *l, th__path_choice *choice, const th__path_rule *rule,
                       uint32_t page, th__path_outcome *out)
{
    th__units *units = &l->units[page];
    const th__unit *first = NULL;
    bool cut = !th__cut_is_whole(&rule->cut), others = false;
    l->found.len = l->values.len = 0;
    if (!th__path_find(rule, units, &l->scratch, &l->found))
        return false;
    l->looks += l->found.len;
    for (size_t i = 0; i < l->found.len && (choice->list || (i <= BEHIND && !others)); i++) {
        uint64_t hash;
        if (!th__path_value_hash(rule, units, &l->found.data[i], &l->text, &hash))
            return false;
        first = first ? first : &units->data[l->found.data[i].unit];
        others = i && hash != l->values.data[0];
        if ((choice->list || !i) && !add_value(l, hash))
            return false;
    }
    if (!th__path_outcome_make(choice, page, l->values.data, (uint32_t)l->values.len,
                               cut ? NULL : first, out))
        return false;
    out->others = others && !choice->list;
    return true;
}

/* The unit that a rule is made from. */
struct origin {
    uint32_t page, unit;
    th__path_hints hints;
};

/* Runs a new candidate on all pages. */
static bool add_candidate(struct learner *l, th__path_choice *choice, const th__path_rule *rule,
                          const struct origin *from, double prior)
{
    uint64_t identity = th__hash_mix(rule->key, rule->telling);
    identity = th__hash_mix(identity, (uint64_t)(uint32_t)rule->pick << 32 |
                                          (uint64_t)rule->address << 8 | rule->teller);
    identity = th__hash_mix(identity, rule->cut.last);
    identity = th__hash_mix(identity, th__hash(rule->cut.after.ptr, rule->cut.after.len));
    identity = th__hash_mix(identity, th__hash(rule->cut.before.ptr, rule->cut.before.len));
    if (choice->candidates.len == CANDIDATES || l->looks > LOOKS ||
        th__key_map_get(&choice->known, identity))
        return true;
    th__key_map_put(&choice->known, identity, 1);
    th__path_candidate candidate = {.rule = *rule,
                                    .prior = prior,
                                    .page = from->page,
                                    .unit = from->unit,
                                    .trusted = th__path_trusted(rule, &from->hints)};
    candidate.outcomes =
        th__arena_zero(&l->arena, l->input->page_count, sizeof *candidate.outcomes);
    if (!candidate.outcomes)
        return false;
    for (uint32_t p = 0; p < l->input->page_count; p++)
        if (l->used[p] && !outcome_of(l, choice, rule, p, &candidate.outcomes[p]))
            return false;
    return th__vec_push(&choice->candidates, candidate);
}

/* The picks that lead from all units at an address to the one that is meant. */
static bool add_picks(struct learner *l, th__path_choice *choice, th__path_rule *rule,
                      const struct origin *from, double prior)
{
    rule->pick = 0;
    l->found.len = 0;
    if (l->looks > LOOKS || choice->candidates.len == CANDIDATES)
        return true;
    if (!th__path_find(rule, &l->units[from->page], &l->scratch, &l->found))
        return false;
    size_t count = l->found.len, at = 0;
    l->looks += count;
    while (at < count && l->found.data[at].unit != from->unit)
        at++;
    if (at == count)
        return true;
    if ((count == 1 || choice->list) && !add_candidate(l, choice, rule, from, prior))
        return false;
    if (count == 1)
        return true;
    enum { FAR = 200 }; /* a position further off is an accident */
    if (at < FAR) {
        rule->pick = (int32_t)at + 1;
        if (!add_candidate(l, choice, rule, from, prior - th__path_pick_cost(at)))
            return false;
    }
    if (count - at < FAR) {
        rule->pick = -(int32_t)(count - at);
        if (!add_candidate(l, choice, rule, from, prior - th__path_pick_cost(count - at)))
            return false;
    }
    return true;
}

/* All addresses and tellers of a unit. */
static bool add_addresses(struct learner *l, th__path_choice *choice, th__path_rule *rule,
                          uint32_t page, uint32_t unit)
{
    th__units *units = &l->units[page];
    const th__unit *u = &units->data[unit];
    struct origin from = {.page = page, .unit = unit};
    if (!th__path_hints_of(units, unit, choice->name, &l->text, &from.hints))
        return false;
    for (unsigned a = 0; a < TH__ADDRESSES; a++) {
        if (!th__units_index(units, (th__address)a))
            return false;
        rule->address = (uint8_t)a;
        rule->key = units->keys[a][unit];
        for (unsigned t = 0; t < TH__TELLERS; t++) {
            rule->teller = (uint8_t)t;
            rule->telling = u->tellers[t];
            if ((t && !u->tellers[t]) || !th__path_sensible(rule))
                continue;
            if (!add_picks(l, choice, rule, &from,
                           th__path_prior(rule, u, &from.hints, choice->list)))
                return false;
        }
    }
    return true;
}

/* The ways in which a value is cut out of the text of a unit. */
static bool cuts_of(struct learner *l, const th__units *units, uint32_t unit, th_span span,
                    th__cuts *out)
{
    out->count = 0;
    if (!th__page_fold(units->page, units->data[unit].span, &l->scratch))
        return false;
    th_str text = th__arena_copy(&l->arena, th__buf_str(&l->scratch.text));
    if (!text.ptr)
        return false;
    size_t from = 0, to = text.len;
    while (from < text.len && l->scratch.start[from] < span.start)
        from++;
    while (to > from && l->scratch.end[to - 1] > span.end)
        to--;
    if (from < to)
        th__cuts_of(text, from, to, out);
    return true;
}

static bool add_place(struct learner *l, th__path_choice *choice, const th__path_sample *sample,
                      const th_place *place, bool parts)
{
    th__units *units = &l->units[sample->page];
    uint32_t unit = unit_of(units, place);
    th__cuts cuts;
    if (unit == TH__NO_UNIT)
        return true;
    const th__unit *u = &units->data[unit];
    th__path_rule rule = {.kind = u->kind, .attribute = u->attribute, .slot = u->slot};
    bool whole = u->text == th__text_hash(sample->value);
    if (whole == parts)
        return true;
    if (whole)
        return add_addresses(l, choice, &rule, sample->page, unit);
    if (!cuts_of(l, units, unit, place->span, &cuts))
        return false;
    for (uint32_t i = 0; i < cuts.count; i++) {
        rule.cut = cuts.data[i];
        if (!add_addresses(l, choice, &rule, sample->page, unit))
            return false;
    }
    return true;
}

/* Places that are no text count only where there is none. */
static bool is_wanted(const th__path_sample *sample, uint32_t at)
{
    bool text = false;
    for (uint32_t i = 0; i < sample->count; i++)
        text |= !sample->places[i].attribute.ptr;
    return !text || !sample->places[at].attribute.ptr;
}

/* The values that are wanted. */
static bool add_wanted(struct learner *l, th__path_choice *choice, uint32_t field)
{
    const th__paths_input *input = l->input;
    for (size_t i = 0; i < input->sample_count; i++)
        if (input->samples[i].field == field &&
            !th__path_choice_want(choice, input->samples[i].page, input->samples[i].value))
            return false;
    return true;
}

/* The rules of values that are whole texts, or of those that are parts. */
static bool add_samples(struct learner *l, th__path_choice *choice, uint32_t field, bool parts)
{
    const th__paths_input *input = l->input;
    for (size_t i = 0; i < input->sample_count; i++) {
        const th__path_sample *sample = &input->samples[i];
        if (sample->field != field)
            continue;
        uint32_t looked = 0;
        for (uint32_t j = 0; j < sample->count && looked < PLACES; j++) {
            if (!is_wanted(sample, j))
                continue;
            looked++;
            if (th__cancelled(input->cancel) ||
                !add_place(l, choice, sample, &sample->places[j], parts))
                return false;
        }
    }
    return true;
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static bool copy_text(th__arena *arena, th_str *text)
{
    if (!text->len)
        return true;
    *text = th__arena_copy(arena, *text);
    return text->ptr;
}

/* Writes down what a person reads, and makes sure that it means the same. */
static bool write_rule(struct learner *l, th__arena *arena, const th__path_candidate *from,
                       th__path_rule *to, bool *good)
{
    const th__units *units = &l->units[from->page];
    uint64_t key;
    *to = from->rule;
    l->text.len = 0;
    if (!th__address_write(units, (th__address)to->address, units->data[from->unit].node, &l->text))
        return false;
    to->path = th__arena_copy(arena, th__buf_str(&l->text));
    l->text.len = 0;
    if (!th__unit_teller_text(units, from->unit, (th__teller)to->teller, &l->text))
        return false;
    to->told = th__arena_copy(arena, th__buf_str(&l->text));
    *good = th__address_key((th__address)to->address, to->path, (th__unit_kind)to->kind,
                            to->attribute, to->slot, &key) &&
            key == to->key && (!to->teller || th__text_hash(to->told) == to->telling);
    return to->path.ptr && to->told.ptr && copy_text(arena, &to->cut.after) &&
           copy_text(arena, &to->cut.before);
}

/* The first of what a rule found that holds a place, by its number; found->len: none does. What was
 * found is in the order of the page, and `reach` has how far it reaches up to each. */
static size_t holder_of(const th__path_values *found, const uint32_t *reach, th_span place)
{
    size_t low = 0, high = found->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reach[middle] < place.end)
            low = middle + 1;
        else
            high = middle;
    }
    return low < found->len && found->data[low].span.start <= place.start ? low : found->len;
}

/* Chooses the places of samples of one page that a rule finds: the first that it finds. */
static bool settle_by(struct learner *l, const th__path_rule *rule, th__path_sample *samples,
                      size_t count)
{
    uint32_t *reach;
    l->found.len = 0;
    if (!th__path_find(rule, &l->units[samples->page], &l->scratch, &l->found))
        return false;
    reach = th__arena_alloc(&l->arena, (l->found.len + 1) * sizeof *reach);
    for (size_t f = 0; reach && f < l->found.len; f++) {
        uint32_t end = l->found.data[f].span.end;
        reach[f] = f && reach[f - 1] > end ? reach[f - 1] : end;
    }
    for (size_t i = 0; reach && i < count; i++) {
        size_t first = l->found.len;
        for (uint32_t j = 0; samples[i].chosen == TH__NO_UNIT && j < samples[i].count; j++)
            if (holder_of(&l->found, reach, samples[i].places[j].span) < first)
                first = holder_of(&l->found, reach, samples[i].places[j].span);
        for (uint32_t j = 0; first < l->found.len && j < samples[i].count; j++)
            if (holder_of(&l->found, reach, samples[i].places[j].span) == first) {
                samples[i].chosen = j;
                break;
            }
    }
    return reach;
}

/* The place of each value that the rules find. */
static bool settle(struct learner *l, uint32_t field, const th__path_field *rules)
{
    const th__paths_input *input = l->input;
    for (size_t i = 0, end; i < input->sample_count; i = end) {
        th__path_sample *samples = &input->samples[i];
        for (end = i; end < input->sample_count && input->samples[end].field == samples->field &&
                      input->samples[end].page == samples->page;
             end++)
            if (samples->field == field)
                input->samples[end].chosen = TH__NO_UNIT;
        for (uint32_t r = 0; samples->field == field && r < rules->count; r++)
            if (!settle_by(l, &rules->rules[r], samples, end - i))
                return false;
    }
    return true;
}

/* What labelled pages have of a field. */
static void look_back(const struct learner *l, const th__path_choice *choice, uint32_t index,
                      th__path_seen *out)
{
    *out = (th__path_seen){.least = UINT32_MAX};
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        uint32_t count = choice->truth[p].count;
        out->pages++;
        out->least = count < out->least ? count : out->least;
        out->most = count > out->most ? count : out->most;
    }
    for (size_t i = 0; i < l->input->sample_count; i++) {
        const th__path_sample *sample = &l->input->samples[i];
        if (sample->field != index || sample->chosen == TH__NO_UNIT)
            continue;
        const th__units *units = &l->units[sample->page];
        uint32_t unit = unit_of(units, &sample->places[sample->chosen]);
        uint32_t beside = unit == TH__NO_UNIT ? 0 : th__path_beside(units, unit);
        out->beside = beside > out->beside ? beside : out->beside;
    }
}

/* The rules that were chosen, and the views of them. */
static bool write_rules(struct learner *l, th__arena *arena, const th__path_choice *choice,
                        const uint32_t *chosen, const bool *otherwise, uint32_t count,
                        th__path_field *field)
{
    th__path_rival rivals[VIEWS];
    uint32_t index[CHOSEN], found;
    bool good = false;
    if (!th__path_rivals(choice, chosen, otherwise, count, rivals, VIEWS, &found))
        return false;
    field->rules = th__arena_zero(arena, count + 1, sizeof *field->rules);
    field->views = th__arena_zero(arena, found + 1, sizeof *field->views);
    if (!field->rules || !field->views)
        return false;
    field->count = field->view_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const th__path_candidate *candidate = &choice->candidates.data[chosen[i]];
        th__path_rule *rule = &field->rules[field->count];
        if (!write_rule(l, arena, candidate, rule, &good))
            return false;
        rule->otherwise = otherwise[i];
        rule->alone = th__path_alone(choice, candidate);
        index[i] = good ? field->count++ : TH__NO_UNIT;
    }
    for (uint32_t i = 0; i < found; i++) {
        const th__path_candidate *candidate = &choice->candidates.data[rivals[i].candidate];
        th__path_view *view = &field->views[field->view_count];
        if (index[rivals[i].of] == TH__NO_UNIT)
            continue;
        if (!write_rule(l, arena, candidate, &view->rule, &good))
            return false;
        view->rule.alone = th__path_alone(choice, candidate);
        view->of = index[rivals[i].of];
        view->weight = rivals[i].weight;
        field->view_count += good;
    }
    return true;
}

static bool learn_field(struct learner *l, th__arena *arena, uint32_t index, th__path_field *field,
                        th__path_fit *fit)
{
    th__path_choice choice = {.name = field->name,
                              .list = field->list,
                              .page_count = l->input->page_count,
                              .labelled = l->input->labelled,
                              .sample = l->input->sample,
                              .used = l->used,
                              .arena = &l->arena};
    uint32_t chosen[CHOSEN], count = 0;
    l->looks = 0;
    bool otherwise[CHOSEN];
    bool ok = th__key_map_init(&choice.known, &l->arena, CANDIDATES) &&
              th__path_choice_begin(&choice) && add_wanted(l, &choice, index) &&
              add_samples(l, &choice, index, false) &&
              th__path_choose(&choice, chosen, otherwise, CHOSEN, &count, fit);
    /* Parts of texts cost more to look at, and are wanted only where whole texts will not do. */
    if (ok && fit->right < fit->pages)
        ok = add_samples(l, &choice, index, true) &&
             th__path_choose(&choice, chosen, otherwise, CHOSEN, &count, fit);
    ok = ok && write_rules(l, arena, &choice, chosen, otherwise, count, field) &&
         settle(l, index, field);
    if (ok)
        look_back(l, &choice, index, &field->seen);
    th__vec_release(&choice.candidates);
    return ok;
}

static bool make_units(struct learner *l)
{
    const th__paths_input *input = l->input;
    bool attributes = false, elements = false;
    uint32_t unlabelled = 0;
    needs_of(input, &attributes, &elements);
    l->units = th__arena_zero(&l->arena, input->page_count + 1, sizeof *l->units);
    l->used = th__arena_zero(&l->arena, input->page_count + 1, sizeof *l->used);
    if (!l->units || !l->used)
        return false;
    for (uint32_t p = 0; p < input->page_count; p++) {
        l->used[p] = input->labelled[p] || unlabelled++ < UNLABELLED;
        if (l->used[p] &&
            (th__cancelled(input->cancel) ||
             !th__units_make(&l->arena, input->pages[p], attributes, elements, &l->units[p])))
            return false;
    }
    return true;
}

bool th__paths_learn(const th__paths_input *input, th__arena *arena, th__path_rules *out,
                     th__path_fit *fits)
{
    struct learner l = {.input = input};
    th__arena_init(&l.arena);
    bool ok = make_units(&l);
    for (uint32_t f = 0; ok && f < input->field_count; f++)
        ok = learn_field(&l, arena, f, &out->fields[f], &fits[f]);
    th__folded_release(&l.scratch);
    th__vec_release(&l.found);
    th__vec_release(&l.values);
    th__buf_release(&l.text);
    th__arena_release(&l.arena);
    return ok;
}
