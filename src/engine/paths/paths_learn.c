/*
 * paths_learn.c: rules from examples.
 *
 * Each place of each labelled value gives rules: every address of its unit with every teller, the
 * pick that leads to it, and the cuts where it is a part of a text. Each rule is run on all pages.
 * The best is the one that
 *
 *  1. gives what is labelled, and nothing else, on labelled pages,
 *  2. on pages without labels gives what most other rules give that fit as well (a value that
 *     is in several places is in the same ones on all pages), gives something at all (unless it
 *     names the field by a caption or a property, which is not there either), and something of
 *     the same shape,
 *  3. is of a kind that lasts: classes before positions, text before attributes, whole texts before
 *     parts, a caption that has the field's name.
 *
 * Values that it does not give are left to further rules, which join it or stand in for it.
 *
 * Costs: a rule is looked up by hash, so that it costs what it finds; the number of rules of a
 * value is bounded by PLACES, and of a field by CANDIDATES.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/paths/paths.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"

enum {
    PLACES = 24,       /* of a value that are looked at */
    CANDIDATES = 4096, /* rules of a field */
    UNLABELLED = 12,   /* pages without labels that are looked at */
    CHOSEN = 8,        /* rules of a field in the end */
    VIEWS = 8,         /* for questions: rivals of those rules */
    BEHIND = 8,        /* texts behind the value of a field that has one */
    LOOKS = 1 << 24    /* at units, for a field: no page can make it cost more */
};

/*
 * What each reason is worth. Being right on one labelled page of several must outweigh all that
 * speaks for a rule besides, hence the first. The others are in the order in which they were found
 * to tell right rules from wrong ones on development pages; no single one decides much.
 */
#define WORTH_FIT       20.0
#define WORTH_AGREEMENT 2.0
#define WORTH_FILL      2.0
#define WORTH_SHAPE     3.0
#define COST_EXCESS     1.0
#define COST_CONSTANT   2.0

/* How fast likelihood falls with the score by which rules are chosen. A rule that scores one point
 * less (a point is the difference between an address by classes and one by positions) is taken for
 * a third as likely. */
#define FALL 1.0
/* Opinions that are less likely than this are not worth a question. */
#define LEAST 0.003

/* What a rule finds on a page. */
struct path_outcome {
    uint64_t set;         /* of the values, whatever their order; 0: nothing */
    uint64_t *hits;       /* on labelled pages: a bit for each labelled value that it finds */
    uint32_t count;       /* of different values */
    uint32_t wrong;       /* of these that are not labelled */
    uint32_t len, digits; /* of the first; 0 where it is a part of a text */
    bool others;          /* of a field with one value: there are other texts behind the first */
    uint8_t template;     /* what of the template the first looks like: LIKE_... */
};

/* A unit of a labelled value that gives a rule. */
struct rule_source {
    uint32_t page, unit;
    uint32_t sample, place; /* the value, and which of its places */
    uint32_t order; /* of all sources of a field: rules that are equally good are taken in it */
    bool trusted;   /* may replace another */
    double prior;
    struct rule_source *next; /* of the same rule */
};

struct path_candidate {
    th__path_rule rule; /* without its texts */
    struct rule_source from;
    struct rule_source *last; /* the last of the chain that begins with `from`; NULL: that itself */
    double fit, score;
    double excused; /* what of the score is for finding nothing where nothing may be */
    double agreement;
    bool naming; /* names what it finds: where the name is not, the field is not either */
    struct path_outcome *outcomes; /* by page */
};

/* The labelled values of a page, hashed. */
struct truth {
    th__key_map numbers;  /* of the values, from 1 */
    uint32_t count, most; /* different ones, and all */
};

/* The choice of the rules of one field. */
struct path_choice {
    th_str name;
    bool list;
    uint32_t page_count;
    const bool *labelled, *sample, *used; /* by page */
    struct truth *truth;                  /* by page */
    uint32_t shortest, longest;           /* labelled values, bytes without blanks */
    bool digits, no_digits;               /* values with digits, and without */
    bool whole;                           /* each is all text of its element */
    uint8_t template;                     /* what of the template they look like: LIKE_... */
    TH__VEC(struct path_candidate) candidates;
    th__key_map known; /* rules: the number of the candidate, from 1 */
    uint32_t sources;
    size_t wholes; /* candidates that give whole texts: the first; */
    bool parts;    /* those that give parts were added, too */
    th__arena *arena;
};

/* What the surroundings of a unit say of a field's name. */
struct hints {
    bool named[TH__TELLERS];   /* the teller's text has the name */
    bool path;                 /* a class or an id near it has */
    bool caption[TH__TELLERS]; /* the teller's text ends with a colon, as captions do */
    bool heading;              /* it is in the main heading of the page */
};

/* A candidate that may be right where the rule chosen[of] is wrong. */
struct rival {
    uint32_t candidate, of;
    double weight;
};

/* ---- what speaks for a kind of rule ---------------------------------------------------------- */

static const double address_worth[TH__ADDRESSES] = {
    [TH__BY_CLASSES] = 1.0,  [TH__BY_ID] = 1.0,           [TH__BY_END] = 0.8,
    [TH__BY_PROPERTY] = 1.2, [TH__BY_CELLS] = 0.7,        [TH__BY_ELEMENT] = 0.5,
    [TH__BY_TAGS] = 0.6,     [TH__BY_ID_POSITIONS] = 0.4, [TH__BY_POSITIONS] = 0.2,
    [TH__ANYWHERE] = 0.5,
};

static const double teller_worth[TH__TELLERS] = {
    [TH__TOLD_BY_NOTHING] = 0.5, [TH__TOLD_BY_BEFORE] = 0.4, [TH__TOLD_BY_CAPTION] = 0.4,
    [TH__TOLD_BY_HEADING] = 0.3, [TH__TOLD_BY_AFTER] = 0.1,  [TH__TOLD_BY_START] = 0.5,
};

static bool is_sensible(const th__path_rule *rule)
{
    if (rule->address != TH__ANYWHERE)
        return true;
    return rule->teller == TH__TOLD_BY_BEFORE || rule->teller == TH__TOLD_BY_START ||
           rule->teller == TH__TOLD_BY_CAPTION;
}

/* A part is less certain than a whole, and words or numbers behind it are more often data than
 * template. */
static double cut_cost(const th__cut *cut)
{
    bool digits = false, letters = false;
    for (size_t i = 0; i < cut->before.len; i++) {
        digits |= th__is_digit((unsigned char)cut->before.ptr[i]);
        letters |= th__is_alpha((unsigned char)cut->before.ptr[i]);
    }
    /* A blank alone is between any two words: "Santa" of "Santa Fe". */
    bool blank = th__str_eq(cut->before, TH_STR(" ")) || th__str_eq(cut->after, TH_STR(" "));
    return th__cut_is_whole(cut)
               ? 0
               : 1.0 + (digits ? 0.5 : 0) + (letters ? 0.2 : 0) + (blank ? 0.5 : 0);
}

static bool is_trusted(const th__path_rule *rule, const struct hints *hints)
{
    if (hints->caption[rule->teller] || hints->named[rule->teller])
        return true;
    return !rule->teller && rule->address <= TH__BY_PROPERTY && !rule->pick;
}

static double prior_of(const th__path_rule *rule, const th__unit *unit, const struct hints *hints,
                       bool list)
{
    double worth = address_worth[rule->address] + teller_worth[rule->teller];
    bool near = hints->named[TH__TOLD_BY_BEFORE] || hints->named[TH__TOLD_BY_CAPTION] ||
                hints->named[TH__TOLD_BY_START];
    worth += hints->named[rule->teller] ? 0.6 : 0;
    worth += hints->caption[rule->teller] ? 0.2 : 0;
    worth += hints->heading ? 0.5 : 0;
    /* All values of a list are under one caption, one behind it. */
    worth += list && hints->caption[rule->teller] && rule->teller == TH__TOLD_BY_CAPTION ? 0.2 : 0;
    worth += near ? 0.6 : 0;
    worth += hints->path ? 0.4 : 0;
    worth -= unit->in_title ? 1.5 : 0;
    worth -= unit->kind == TH__UNIT_ATTRIBUTE ? 1.0 : 0;
    worth -= unit->kind == TH__UNIT_ELEMENT ? 0.3 : 0;
    worth -= cut_cost(&rule->cut);
    return worth;
}

static double pick_cost(size_t at)
{
    return at < 2 ? 0.4 : at < 6 ? 0.6 : 0.9;
}

/* Returns true if a text has the words of a name: "date_posted" is in "Date Posted:". */
static bool has_name(th_str text, th_str name)
{
    bool any = false;
    for (size_t at = 0; at < name.len;) {
        size_t end = at;
        while (end < name.len && th__is_alpha((unsigned char)name.ptr[end]))
            end++;
        if (end - at >= 3) {
            bool found = false;
            for (size_t i = 0; !found && i + (end - at) <= text.len; i++) {
                size_t j = 0;
                while (j < end - at && th__lower((unsigned char)text.ptr[i + j]) ==
                                           th__lower((unsigned char)name.ptr[at + j]))
                    j++;
                found = j == end - at;
            }
            if (!found)
                return false;
            any = true;
        }
        at = end + 1;
    }
    return any;
}

static bool hints_of(const th__units *units, uint32_t unit, th_str name, th__buf *scratch,
                     struct hints *out)
{
    enum { LONGEST = 60, NEAR = 3 }; /* a longer text is not a caption */
    const th_page *page = units->page;
    *out = (struct hints){0};
    for (unsigned t = 1; t < TH__TELLERS; t++) {
        if (!th__unit_telling(&units->data[unit], (th__teller)t))
            continue;
        scratch->len = 0;
        if (!th__unit_teller_text(units, unit, (th__teller)t, scratch))
            return false;
        /* A caption further off belongs to something else, more often than not. */
        bool near =
            t != TH__TOLD_BY_CAPTION || th__unit_telling(&units->data[unit], TH__TOLD_BY_BEFORE) ==
                                            th__unit_telling(&units->data[unit], (th__teller)t);
        out->caption[t] = near && th__ends_with_colon(th__buf_str(scratch));
        out->named[t] = scratch->len <= LONGEST && has_name(th__buf_str(scratch), name);
    }
    uint32_t node = units->data[unit].node;
    for (int i = 0; i < NEAR && node; i++, node = page->nodes[node].parent) {
        th_str text = {0};
        out->heading |= page->tags[node] == TH_TAG_H1;
        if (th_attr_get(page, page->nodes[node].token, "class", &text))
            out->path |= has_name(text, name);
        if (th_attr_get(page, page->nodes[node].token, "id", &text))
            out->path |= has_name(text, name);
    }
    return true;
}

/* ---- labelled values and outcomes ------------------------------------------------------------ */

/* What labelled values look like. */
static void look_at_value(struct path_choice *choice, th_str value)
{
    uint32_t len = 0;
    bool digits = false;
    for (size_t i = 0; i < value.len; i++) {
        len += !th__is_blank((unsigned char)value.ptr[i]);
        digits |= th__is_digit((unsigned char)value.ptr[i]);
    }
    choice->shortest = len < choice->shortest ? len : choice->shortest;
    choice->longest = len > choice->longest ? len : choice->longest;
    choice->digits |= digits;
    choice->no_digits |= !digits;
}

static bool want_value(struct path_choice *choice, uint32_t page, th_str value)
{
    struct truth *truth = &choice->truth[page];
    uint64_t hash = th__text_key(value);
    if (!truth->numbers.slots && !th__key_map_init(&truth->numbers, choice->arena, truth->most))
        return false;
    if (!th__key_map_get(&truth->numbers, hash))
        th__key_map_put(&truth->numbers, hash, ++truth->count);
    return true;
}

static uint32_t words_of(const struct truth *truth)
{
    return (truth->count + 63) / 64;
}

static bool make_outcome(struct path_choice *choice, uint32_t page, const uint64_t *values,
                         uint32_t count, const th__unit *first, struct path_outcome *out)
{
    const struct truth *truth = &choice->truth[page];
    *out = (struct path_outcome){.count = count};
    if (first) {
        out->len = first->len;
        out->digits = first->digits;
    }
    for (uint32_t i = 0; i < count; i++)
        out->set += th__hash_mix(values[i], 1) | 1;
    if (!choice->labelled[page])
        return true;
    out->hits = th__arena_zero(choice->arena, words_of(truth) + 1, sizeof *out->hits);
    if (!out->hits)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = truth->count ? th__key_map_get(&truth->numbers, values[i]) : 0;
        if (number)
            out->hits[(number - 1) / 64] |= UINT64_C(1) << (number - 1) % 64;
        else
            out->wrong++;
    }
    return true;
}

struct path_learner {
    const th__paths_input *input;
    th__arena arena; /* units of pages, and all of a field's candidates */
    th__units *units;
    bool *used;         /* by page */
    uint32_t pages;     /* that are used */
    th__key_map texts;  /* by text: on how many pages it is; by text and page: 1 */
    th__key_map varied; /* by address: the first page, from 1, with the bits below */
    th__folded scratch;
    th__path_values found;
    TH__VEC(uint64_t) values;
    th__buf text;
    size_t looks; /* at units, for the field at hand */
};

/* ---- the places of a value ------------------------------------------------------------------- */

/* A place without tags at its ends: <b>Lost</b> Stone is from Lost on. */
static th_span text_span(const th_page *page, const th_place *place)
{
    th_span span = place->span;
    for (uint32_t t; !place->attribute.ptr && span.start < span.end;
         span.start = page->tokens[t + 1].start)
        if (th__is_text(&page->tokens[t = th__token_at(page, span.start)]) ||
            page->tokens[t + 1].start >= span.end)
            break;
    for (uint32_t t; !place->attribute.ptr && span.start < span.end;
         span.end = page->tokens[t].start)
        if (th__is_text(&page->tokens[t = th__token_at(page, span.end - 1)]) ||
            page->tokens[t].start <= span.start)
            break;
    return th__span_trim(page, span);
}

/* The unit that holds a place: the last that starts at or before it and is of its kind. */
static uint32_t unit_of(const th__units *units, const th_place *place)
{
    th_span span = text_span(units->page, place);
    uint32_t low =
        (uint32_t)th__count_first(i, units->count, units->data[i].span.start <= span.start);
    /* Elements around it start earlier: a text is never far behind. */
    for (uint32_t i = low; i-- > 0 && low - i < 256;) {
        const th__unit *unit = &units->data[i];
        bool attribute = unit->kind == TH__UNIT_ATTRIBUTE;
        if (attribute != (place->attribute.ptr != NULL) || unit->span.end < span.end)
            continue;
        if (unit->kind == TH__UNIT_TEXT || attribute || th__same_span(unit->span, span))
            return i;
    }
    return TH__NO_UNIT;
}

static bool in_one_token(const th_page *page, const th_place *place)
{
    th_span span = text_span(page, place);
    uint32_t token = th__token_at(page, span.start);
    return place->attribute.ptr || page->tokens[token + 1].start >= span.end;
}

static bool is_other(const th_place *place)
{
    for (size_t i = 0; place->attribute.ptr && i < TH__UNIT_OTHER; i++)
        if (th__str_eq_nocase(place->attribute, th_str_from(th__unit_attributes[i])))
            return false;
    return place->attribute.ptr;
}

/* The kinds of units that are needed: attributes and elements only where no text will do. */
static unsigned needs_of(const th__paths_input *input)
{
    unsigned kinds = 1u << TH__UNIT_WHOLE;
    for (size_t i = 0; i < input->sample_count; i++) {
        const th__path_sample *sample = &input->samples[i];
        bool text = false, attribute = false, element = false;
        for (uint32_t j = 0; j < sample->count; j++) {
            const th_place *place = &sample->places[j];
            bool one = in_one_token(input->pages[sample->page], place);
            attribute |= place->attribute.ptr != NULL;
            kinds |= is_other(place) ? TH__UNITS_ALL_ATTRIBUTES : 0;
            element |= !one;
            text |= one && !place->attribute.ptr &&
                    input->pages[sample->page]->tags[place->node] != TH_TAG_TITLE;
        }
        kinds |= element && !text ? 1u << TH__UNIT_ELEMENT : 0;
        kinds |= attribute && !text && !element ? 1u << TH__UNIT_ATTRIBUTE : 0;
    }
    return kinds;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* How the text of a unit looks like one of the template: it is on most pages, or a caption. */
enum { LIKE_COMMON = 1, LIKE_CAPTION = 2 };

static uint8_t likeness_to_template(const struct path_learner *l, const th__unit *unit)
{
    bool common = l->pages > 2 && 2 * th__key_map_get(&l->texts, unit->text) > l->pages;
    return (common ? LIKE_COMMON : 0) | (unit->caption ? LIKE_CAPTION : 0);
}

/* Adds a value unless it is there. */
static bool add_value(struct path_learner *l, uint64_t hash)
{
    enum { COMPARED = 64 }; /* a rule that finds more finds too much anyway */
    for (size_t i = 0; i < l->values.len && i < COMPARED; i++)
        if (l->values.data[i] == hash)
            return true;
    return th__vec_push(&l->values, hash);
}

/* Hash of the text of a value that a rule found. False if out of memory. */
static bool hash_value(const th__path_rule *rule, const th__units *units,
                       const th__path_value *value, th__buf *scratch, uint64_t *out)
{
    *out = units->data[value->unit].text;
    if (th__cut_is_whole(&rule->cut))
        return true;
    scratch->len = 0;
    if (!th__span_text(units->page, value->span, scratch))
        return false;
    *out = th__text_key(th__buf_str(scratch));
    return true;
}

static bool outcome_of(struct path_learner *l, struct path_choice *choice,
                       const th__path_rule *rule, uint32_t page, struct path_outcome *out)
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
        if (!hash_value(rule, units, &l->found.data[i], &l->text, &hash))
            return false;
        first = first ? first : &units->data[l->found.data[i].unit];
        others = i && hash != l->values.data[0];
        if ((choice->list || !i) && !add_value(l, hash))
            return false;
    }
    if (!make_outcome(choice, page, l->values.data, (uint32_t)l->values.len, cut ? NULL : first,
                      out))
        return false;
    out->others = others && !choice->list;
    out->template = first ? likeness_to_template(l, first) : 0;
    return true;
}

/* The unit that a rule is made from. */
struct rule_origin {
    struct rule_source source;
    struct hints hints;
};

/* Returns true if a rule goes by a property, or by a caption that is on several pages. */
static bool is_naming(const struct path_learner *l, const th__path_rule *rule)
{
    if (rule->teller == TH__TOLD_BY_BEFORE || rule->teller == TH__TOLD_BY_CAPTION)
        return th__key_map_get(&l->texts, rule->telling) > 1;
    return rule->address == TH__BY_PROPERTY && !rule->pick;
}

/* A rule that another value or place gives, too: what is left of it without the first. */
static bool add_source(struct path_choice *choice, struct path_candidate *candidate,
                       const struct rule_source *source)
{
    struct rule_source *last = candidate->last ? candidate->last : &candidate->from;
    struct rule_source *copy = th__arena_alloc(choice->arena, sizeof *copy);
    if (!copy)
        return false;
    *copy = *source;
    last->next = copy;
    candidate->last = copy;
    return true;
}

/* Runs a new candidate on all pages. */
static bool add_candidate(struct path_learner *l, struct path_choice *choice,
                          const th__path_rule *rule, const struct rule_origin *from, double prior)
{
    uint64_t identity = th__hash_mix(rule->key, rule->telling);
    identity = th__hash_mix(identity, (uint64_t)(uint32_t)rule->pick << 32 |
                                          (uint64_t)rule->address << 8 | rule->teller);
    identity = th__hash_mix(identity, (uint64_t)rule->kind << 1 | rule->cut.last);
    identity = th__hash_mix(identity, th__hash(rule->cut.after.ptr, rule->cut.after.len));
    identity = th__hash_mix(identity, th__hash(rule->cut.before.ptr, rule->cut.before.len));
    struct rule_source source = from->source;
    source.order = choice->sources++;
    source.trusted = is_trusted(rule, &from->hints);
    source.prior = prior;
    uint32_t known = th__key_map_get(&choice->known, identity);
    if (known)
        return !l->input->held_out_count ||
               add_source(choice, &choice->candidates.data[known - 1], &source);
    if (choice->candidates.len == CANDIDATES || l->looks > LOOKS)
        return true;
    struct path_candidate candidate = {.rule = *rule, .from = source, .naming = is_naming(l, rule)};
    candidate.outcomes =
        th__arena_zero(&l->arena, l->input->page_count, sizeof *candidate.outcomes);
    if (!candidate.outcomes)
        return false;
    for (uint32_t p = 0; p < l->input->page_count; p++)
        if (l->used[p] && !outcome_of(l, choice, rule, p, &candidate.outcomes[p]))
            return false;
    th__key_map_put(&choice->known, identity, (uint32_t)choice->candidates.len + 1);
    return th__vec_push(&choice->candidates, candidate);
}

/* The picks that lead from all units at an address to the one that is meant. */
static bool add_picks(struct path_learner *l, struct path_choice *choice, th__path_rule *rule,
                      const struct rule_origin *from, double prior)
{
    rule->pick = 0;
    l->found.len = 0;
    if (l->looks > LOOKS || choice->candidates.len == CANDIDATES)
        return true;
    if (!th__path_find(rule, &l->units[from->source.page], &l->scratch, &l->found))
        return false;
    size_t count = l->found.len, at = 0;
    l->looks += count;
    while (at < count && l->found.data[at].unit != from->source.unit)
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
        if (!add_candidate(l, choice, rule, from, prior - pick_cost(at)))
            return false;
    }
    if (count - at < FAR) {
        rule->pick = -(int32_t)(count - at);
        if (!add_candidate(l, choice, rule, from, prior - pick_cost(count - at)))
            return false;
    }
    return true;
}

/* ---- texts that are data ---------------------------------------------------------------------
 *
 * What identifies a unit must be there on other pages too. A text that is on one page alone, where
 * other pages have other texts at its address that are on one page alone too, is data of that page:
 *
 *     <h2>The Wireless Circle</h2><dl><dt>Price<dd>$9          data: The Wireless Circle
 *     <h2>A River</h2><dl><dt>ISBN<dd>97812<dt>Price<dd>$9     not:  ISBN, as Price is on both
 */

enum { SEVERAL_PAGES = 1 << 30, COMMON_TEXT = 1 << 29 };

static uint64_t text_on_page(uint64_t text, uint32_t page)
{
    return th__hash_mix(text, page + UINT64_C(1));
}

static bool count_texts(struct path_learner *l, uint32_t page)
{
    const th__units *units = &l->units[page];
    bool ok = true;
    for (uint32_t i = 0; ok && i < units->count; i++) {
        uint64_t text = units->data[i].text, here = text_on_page(text, page);
        if (units->data[i].kind != TH__UNIT_TEXT || th__key_map_get(&l->texts, here))
            continue;
        ok = th__key_map_put(&l->texts, here, 1) &&
             th__key_map_put(&l->texts, text, th__key_map_get(&l->texts, text) + 1);
    }
    return ok;
}

static bool count_places(struct path_learner *l, uint32_t page)
{
    th__units *units = &l->units[page];
    bool ok = true;
    for (uint32_t i = 0; ok && i < units->count; i++) {
        if (units->data[i].kind != TH__UNIT_TEXT)
            continue;
        uint64_t key;
        if (!th__units_key(units, TH__BY_CLASSES, i, &key))
            return false;
        uint32_t now = th__key_map_get(&l->varied, key);
        now = !now ? page + 1 : (now & (COMMON_TEXT - 1)) != page + 1 ? now | SEVERAL_PAGES : now;
        now |= th__key_map_get(&l->texts, units->data[i].text) > 1 ? COMMON_TEXT : 0;
        ok = th__key_map_put(&l->varied, key, now);
    }
    return ok;
}

/* Looks at the texts of all pages. False if out of memory. */
static bool compare_texts(struct path_learner *l)
{
    bool ok = true;
    for (uint32_t p = 0; ok && p < l->input->page_count; p++)
        ok = count_texts(l, p);
    for (uint32_t p = 0; ok && p < l->input->page_count; p++)
        ok = count_places(l, p);
    return ok;
}

static bool is_told_by_data(const struct path_learner *l, th__units *units, uint32_t unit,
                            th__teller teller)
{
    uint64_t key;
    if (teller == TH__TOLD_BY_NOTHING || teller == TH__TOLD_BY_START)
        return false;
    uint32_t at = th__unit_teller(units, unit, teller);
    if (at == TH__NO_UNIT || th__key_map_get(&l->texts, units->data[at].text) > 1)
        return false;
    uint32_t varied =
        th__units_key(units, TH__BY_CLASSES, at, &key) ? th__key_map_get(&l->varied, key) : 0;
    return varied & SEVERAL_PAGES && !(varied & COMMON_TEXT);
}

/* All addresses and tellers of a unit. */
static bool add_addresses(struct path_learner *l, struct path_choice *choice, th__path_rule *rule,
                          struct rule_source source)
{
    th__units *units = &l->units[source.page];
    uint32_t unit = source.unit;
    const th__unit *u = &units->data[unit];
    struct rule_origin from = {.source = source};
    if (!hints_of(units, unit, choice->name, &l->text, &from.hints))
        return false;
    bool data[TH__TELLERS];
    for (unsigned t = 0; t < TH__TELLERS; t++)
        data[t] = is_told_by_data(l, units, unit, (th__teller)t);
    for (unsigned a = 0; a < TH__ADDRESSES; a++) {
        /* Values of a list have positions of their own. */
        if ((a == TH__BY_PROPERTY && !th__property_above(&units->at, u->node)) ||
            (a == TH__BY_CELLS && choice->list))
            continue;
        rule->address = (uint8_t)a;
        if (!th__units_key(units, (th__address)a, unit, &rule->key))
            return false;
        for (unsigned t = 0; t < TH__TELLERS; t++) {
            rule->teller = (uint8_t)t;
            rule->telling = th__unit_telling(u, (th__teller)t);
            if ((t && !rule->telling) || data[t] || !is_sensible(rule))
                continue;
            if (!add_picks(l, choice, rule, &from, prior_of(rule, u, &from.hints, choice->list)))
                return false;
        }
    }
    return true;
}

/* The ways in which a value is cut out of the text of a unit. */
static bool cuts_of(struct path_learner *l, const th__units *units, uint32_t unit, th_span span,
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

static bool add_place(struct path_learner *l, struct path_choice *choice, uint32_t number,
                      uint32_t at, bool parts)
{
    const th__path_sample *sample = &l->input->samples[number];
    const th_place *place = &sample->places[at];
    th__units *units = &l->units[sample->page];
    uint32_t unit = unit_of(units, place);
    struct rule_source source = {.page = sample->page, .unit = unit, .sample = number, .place = at};
    th__cuts cuts;
    if (unit == TH__NO_UNIT)
        return true;
    const th__unit *u = &units->data[unit];
    th__path_rule rule = {.kind = u->kind, .attribute = u->attribute, .slot = u->slot};
    bool whole = u->text == th__text_key(sample->value);
    if (whole == parts)
        return true;
    if (whole && choice->whole && u->share == TH__SHARE_ALL)
        rule.kind = TH__UNIT_WHOLE;
    if (whole && !add_addresses(l, choice, &rule, source))
        return false;
    /* The text of an element in which there may be boxes on other pages. */
    if (u->kind == TH__UNIT_WHOLE && unit && u[-1].kind == TH__UNIT_ELEMENT &&
        u[-1].node == u->node) {
        rule.kind = TH__UNIT_ELEMENT;
        source.unit = unit - 1;
        return add_addresses(l, choice, &rule, source);
    }
    if (whole)
        return true;
    if (!cuts_of(l, units, unit, place->span, &cuts))
        return false;
    for (uint32_t i = 0; i < cuts.count; i++) {
        rule.cut = cuts.data[i];
        if (!add_addresses(l, choice, &rule, source))
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

/* What the labelled values of a field have in common. */
static void look_at_sample(const struct path_learner *l, struct path_choice *choice,
                           const th__path_sample *sample)
{
    look_at_value(choice, sample->value);
    const th__units *units = &l->units[sample->page];
    uint64_t text = th__text_key(sample->value);
    bool whole = false;
    for (uint32_t i = 0; i < sample->count && i < PLACES; i++) {
        if (sample->chosen != TH__NO_UNIT && sample->chosen != i)
            continue;
        uint32_t at = unit_of(units, &sample->places[i]);
        if (at == TH__NO_UNIT)
            continue;
        const th__unit *unit = &units->data[at];
        choice->template |= likeness_to_template(l, unit);
        whole |=
            unit->text == text && (unit->kind == TH__UNIT_WHOLE || unit->share == TH__SHARE_ALL);
    }
    choice->whole &= whole;
}

/* Those of pages whose labels are known. */
static void look_at_samples(const struct path_learner *l, struct path_choice *choice,
                            uint32_t field)
{
    const th__paths_input *input = l->input;
    choice->shortest = UINT32_MAX;
    choice->longest = choice->template = 0;
    choice->digits = choice->no_digits = false;
    choice->whole = true;
    for (size_t i = 0; i < input->sample_count; i++)
        if (input->samples[i].field == field && choice->labelled[input->samples[i].page])
            look_at_sample(l, choice, &input->samples[i]);
}

/* The values that are wanted. */
static bool add_wanted(struct path_learner *l, struct path_choice *choice, uint32_t field)
{
    const th__paths_input *input = l->input;
    for (size_t i = 0; i < input->sample_count; i++)
        choice->truth[input->samples[i].page].most += input->samples[i].field == field;
    for (size_t i = 0; i < input->sample_count; i++) {
        const th__path_sample *sample = &input->samples[i];
        if (sample->field == field && !want_value(choice, sample->page, sample->value))
            return false;
    }
    look_at_samples(l, choice, field);
    return true;
}

/* The rules of values that are whole texts, or of those that are parts. */
static bool add_samples(struct path_learner *l, struct path_choice *choice, uint32_t field,
                        bool parts)
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
            if (th__cancelled(input->cancel) || !add_place(l, choice, (uint32_t)i, j, parts))
                return false;
        }
    }
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* What the rules chosen so far find. */
struct cover {
    uint64_t **hits; /* by page */
    uint32_t *wrong, *count;
    uint32_t labelled, unlabelled; /* pages */
};

static uint32_t count_bits(const uint64_t *words, const uint64_t *more, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits += (uint32_t)__builtin_popcountll(words[i] | (more ? more[i] : 0));
    return bits;
}

/* How near two sets of values are: 1 when they are the same, 0 when they have nothing in common. Of
 * a list that is labelled in part, further values say little against a rule. */
static double likeness(uint32_t right, uint32_t wrong, uint32_t wanted, bool part)
{
    double others = part && wanted ? 0.02 * wrong : wrong;
    return wanted + others > 0 ? right / (wanted + others) : 1.0;
}

/* The fit when a candidate is added to what is chosen. */
static double fit_with(const struct path_choice *choice, const struct cover *cover,
                       const struct path_candidate *candidate, bool otherwise)
{
    double sum = 0;
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        const struct truth *truth = &choice->truth[p];
        const struct path_outcome *o =
            !candidate || (otherwise && cover->count[p]) ? NULL : &candidate->outcomes[p];
        uint32_t right = count_bits(cover->hits[p], o ? o->hits : NULL, words_of(truth));
        sum += likeness(right, cover->wrong[p] + (o ? o->wrong : 0), truth->count,
                        choice->list && choice->sample[p]);
    }
    return cover->labelled ? sum / cover->labelled : 0;
}

static void add_to_cover(const struct path_choice *choice, struct cover *cover,
                         const struct path_candidate *candidate, bool otherwise)
{
    for (uint32_t p = 0; p < choice->page_count; p++) {
        const struct path_outcome *o = &candidate->outcomes[p];
        if (otherwise && cover->count[p])
            continue;
        for (uint32_t i = 0; choice->labelled[p] && i < words_of(&choice->truth[p]); i++)
            cover->hits[p][i] |= o->hits[i];
        cover->wrong[p] += o->wrong;
        cover->count[p] += o->count;
    }
}

static bool cover_init(const struct path_choice *choice, struct cover *cover)
{
    uint32_t pages = choice->page_count;
    *cover = (struct cover){0};
    cover->hits = th__arena_zero(choice->arena, pages + 1, sizeof *cover->hits);
    cover->wrong = th__arena_zero(choice->arena, pages + 1, sizeof *cover->wrong);
    cover->count = th__arena_zero(choice->arena, pages + 1, sizeof *cover->count);
    if (!cover->hits || !cover->wrong || !cover->count)
        return false;
    for (uint32_t p = 0; p < pages; p++) {
        cover->labelled += choice->labelled[p];
        cover->unlabelled += choice->used[p] && !choice->labelled[p];
        cover->hits[p] =
            th__arena_zero(choice->arena, words_of(&choice->truth[p]) + 1, sizeof **cover->hits);
        if (!cover->hits[p])
            return false;
    }
    return true;
}

/* Returns true if a value looks like those that are labelled. */
static bool has_shape(const struct path_choice *choice, const struct path_outcome *o)
{
    if (!o->len)
        return true; /* a part of a text: not looked at */
    if (o->template & ~choice->template)
        return false;
    bool digits = o->digits > 0;
    return (digits ? choice->digits : choice->no_digits) && 3 * o->len >= choice->shortest &&
           o->len <= 3 * choice->longest;
}

/* By set of values, on one page: the weight of the rules that find it. */
struct vote {
    uint64_t set;
    double weight;
};

static double weight_of(const struct path_candidate *candidate)
{
    return candidate->from.prior > 0.1 ? candidate->from.prior : 0.1;
}

static int by_set(const void *a, const void *b)
{
    const struct vote *left = a, *right = b;
    return left->set < right->set ? -1 : left->set > right->set;
}

/* On a page without labels, each rule that fits as well as the best votes for what it finds. A set
 * that nobody else finds has the weight of its own rule. */
static bool vote_on_page(struct path_choice *choice, uint32_t page, double least)
{
    size_t count = choice->candidates.len, voters = 0, kept = 0;
    struct vote *votes = th__mem_alloc((count + 1) * sizeof *votes);
    double total = 0;
    if (!votes)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct path_candidate *c = &choice->candidates.data[i];
        if (c->fit < least)
            continue;
        votes[voters++] = (struct vote){c->outcomes[page].set, weight_of(c)};
        total += weight_of(c);
    }
    if (voters)
        qsort(votes, voters, sizeof *votes, by_set);
    for (size_t i = 0; i < voters; i++) {
        if (kept && votes[kept - 1].set == votes[i].set)
            votes[kept - 1].weight += votes[i].weight;
        else
            votes[kept++] = votes[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct path_candidate *c = &choice->candidates.data[i];
        struct vote key = {c->outcomes[page].set, 0};
        const struct vote *found = kept ? bsearch(&key, votes, kept, sizeof *votes, by_set) : NULL;
        /* Nothing is what all wrong rules find. */
        double share = found ? found->weight / total : 0;
        c->agreement += key.set ? share : share / 2;
    }
    th__mem_free(votes);
    return true;
}

static void weigh(const struct path_choice *choice, const struct cover *cover,
                  struct path_candidate *c)
{
    uint32_t filled = 0, shaped = 0, excess = 0, most = 1, expected = 0, same = 0, met = 0;
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->labelled[p]) {
            most = choice->truth[p].count > most ? choice->truth[p].count : most;
            expected += choice->truth[p].count > 0;
            met += c->outcomes[p].count > 0;
        }
    for (uint32_t p = 0; p < choice->page_count; p++) {
        const struct path_outcome *o = &c->outcomes[p];
        if (choice->labelled[p] || !choice->used[p] || !o->count)
            continue;
        filled++;
        shaped += has_shape(choice, o);
        excess += o->count > 2 * most;
        same += o->set == c->outcomes[c->from.page].set;
    }
    double pages = cover->unlabelled ? cover->unlabelled : 1;
    c->score = c->from.prior;
    if (!cover->unlabelled)
        return;
    double share = cover->labelled ? (double)expected / cover->labelled : 1;
    bool sure = c->naming && met > 1;
    double fill = filled / pages;
    c->score += WORTH_FILL * (share > 0 && fill < share ? fill / share : 1);
    c->score += WORTH_SHAPE * (filled ? (double)shaped / filled : 0);
    c->excused = 0;
    if (sure && fill < share)
        c->excused = WORTH_FILL * (1 - fill / share);
    if (!filled) {
        /* Nothing anywhere: how likely is that where the field is on so many pages? */
        double chance = (expected + 1.0) / (cover->labelled + 2.0);
        double unlikely = sure ? 0 : -pages * log(1 - chance);
        c->excused = WORTH_FILL + WORTH_SHAPE - unlikely;
    }
    c->excused = c->excused > 0 ? c->excused : 0;
    c->score += c->excused;
    c->score -= COST_EXCESS * excess / pages;
    /* What is the same on all pages is the template's. */
    c->score -= filled >= 3 && same == filled ? COST_CONSTANT : 0;
    c->score += WORTH_AGREEMENT * c->agreement / pages;
}

static bool weigh_all(struct path_choice *choice, const struct cover *cover)
{
    double best = 0;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        struct path_candidate *c = &choice->candidates.data[i];
        c->fit = fit_with(choice, cover, c, false);
        c->agreement = 0;
        best = c->fit > best ? c->fit : best;
    }
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->used[p] && !choice->labelled[p] && !vote_on_page(choice, p, best - 1e-9))
            return false;
    for (size_t i = 0; i < choice->candidates.len; i++)
        weigh(choice, cover, &choice->candidates.data[i]);
    return true;
}

/* The candidate that adds most to what is chosen; false when none adds anything. */
static bool next_best(const struct path_choice *choice, const struct cover *cover, bool first,
                      uint32_t *out, bool *otherwise)
{
    double now = first ? 0 : fit_with(choice, cover, NULL, false), best = 0;
    bool found = false;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        const struct path_candidate *c = &choice->candidates.data[i];
        for (int mode = 0; mode < 2; mode++) {
            bool instead = mode == 1;
            if ((first && instead) || (!first && !instead && !choice->list))
                continue;
            double gain = (first ? c->fit : fit_with(choice, cover, c, instead)) - now;
            double score = WORTH_FIT * gain + c->score + (instead ? 0.5 : 0);
            if (gain <= 1e-9 || (found && score <= best))
                continue;
            best = score;
            found = true;
            *out = (uint32_t)i;
            *otherwise = instead;
        }
    }
    return found;
}

/* Returns true if a candidate gives what is labelled wherever it says anything. */
static bool is_never_wrong(const struct path_choice *choice, const struct path_candidate *c)
{
    for (uint32_t p = 0; p < choice->page_count; p++) {
        const struct path_outcome *o = &c->outcomes[p];
        if (choice->labelled[p] && o->count &&
            (o->wrong ||
             count_bits(o->hits, NULL, words_of(&choice->truth[p])) < choice->truth[p].count))
            return false;
    }
    return true;
}

/* A rule that says the same wherever both say something, and speaks on pages without labels where
 * those chosen are silent; or, as a spare, one for another place of the value that has said the
 * same on several pages: the next page may have but that place. */
static bool find_stand_in(const struct path_choice *choice, const struct cover *cover,
                          const struct path_candidate *first, bool spare, uint32_t *out)
{
    enum { OFTEN = 4 }; /* pages */
    double best = 0;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        const struct path_candidate *c = &choice->candidates.data[i];
        uint32_t same = 0, other = 0, more = 0;
        bool elsewhere = c->from.page == first->from.page && c->from.unit != first->from.unit;
        if (!c->from.trusted ||
            (c->fit < first->fit - 1e-9 && !(elsewhere && is_never_wrong(choice, c))))
            continue;
        for (uint32_t p = 0; p < choice->page_count; p++) {
            if (!choice->used[p] || !c->outcomes[p].count)
                continue;
            if (!cover->count[p])
                has_shape(choice, &c->outcomes[p]) ? more++ : other++;
            else if (c->outcomes[p].set == first->outcomes[p].set)
                same++;
            else
                other++;
        }
        double score = c->score + more;
        if (other || same < 2 || !(more || (spare && elsewhere && same >= OFTEN)) || score <= best)
            continue;
        best = score;
        *out = (uint32_t)i;
    }
    return best > 0;
}

static void measure(const struct path_choice *choice, const struct cover *cover,
                    const struct path_candidate *first, th__path_fit *fit)
{
    *fit = (th__path_fit){.wrong_page = TH__NO_UNIT, .agreement = 1};
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        const struct truth *truth = &choice->truth[p];
        bool part = choice->list && choice->sample[p] && truth->count;
        bool right = (part || !cover->wrong[p]) &&
                     count_bits(cover->hits[p], NULL, words_of(truth)) == truth->count;
        fit->pages++;
        fit->right += right;
        if (!right && fit->wrong_page == TH__NO_UNIT)
            fit->wrong_page = p;
    }
    if (first && cover->unlabelled)
        fit->agreement = first->agreement / cover->unlabelled;
}

static bool choose_rules(struct path_choice *choice, uint32_t *chosen, bool *otherwise,
                         uint32_t most, uint32_t *count, th__path_fit *fit)
{
    struct cover cover;
    uint32_t stand_ins = 0;
    *count = 0;
    if (!cover_init(choice, &cover) || !weigh_all(choice, &cover))
        return false;
    while (*count < most &&
           next_best(choice, &cover, *count == 0, &chosen[*count], &otherwise[*count])) {
        add_to_cover(choice, &cover, &choice->candidates.data[chosen[*count]], otherwise[*count]);
        ++*count;
    }
    const struct path_candidate *first = *count ? &choice->candidates.data[chosen[0]] : NULL;
    while (*count == 1 + stand_ins && *count < most && stand_ins < 2 &&
           find_stand_in(choice, &cover, first, !stand_ins, &chosen[*count])) {
        otherwise[*count] = true;
        add_to_cover(choice, &cover, &choice->candidates.data[chosen[*count]], true);
        ++*count;
        stand_ins++;
    }
    measure(choice, &cover, first, fit);
    return true;
}

/* ---- rivals: rules for questions ---------------------------------------------------------------
 *
 * Of the many rules that give what is labelled, one is chosen, and where the labels do not decide
 * between them that may be the wrong one. Rules that find the same on all pages at hand are one
 * opinion; the opinion of the chosen rule, and the likeliest of the others, are what `suggest`
 * compares on a page: one label where they differ settles it. */

/* How far two rules say the same on labelled pages: 1; less when the first is silent on some; 0
 * when they differ, or it is silent on most. */
static double agreement_on_labels(const struct path_choice *choice, const struct path_candidate *a,
                                  const struct path_candidate *b)
{
    uint32_t same = 0, silent = 0;
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        if (a->outcomes[p].set == b->outcomes[p].set)
            same += b->outcomes[p].count > 0;
        else if (a->outcomes[p].count)
            return 0;
        else
            silent++;
    }
    return silent > same ? 0 : same ? (double)same / (same + silent) : 1;
}

static bool finds_any(const struct path_choice *choice, const struct path_candidate *c)
{
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->labelled[p] && c->outcomes[p].count)
            return true;
    return false;
}

static bool is_alone(const struct path_choice *choice, const struct path_candidate *c)
{
    bool alone = !choice->list && !c->rule.pick;
    for (uint32_t p = 0; alone && p < choice->page_count; p++)
        alone = !choice->labelled[p] || !c->outcomes[p].others;
    return alone;
}

/* What a candidate says of all pages without labels. Without any, kinds of rules are opinions. */
static uint64_t opinion(const struct path_choice *choice, const struct path_candidate *c)
{
    uint64_t hash = 1;
    bool any = false, alone = is_alone(choice, c);
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->used[p] || choice->labelled[p])
            continue;
        any = true;
        hash = th__hash_mix(hash, c->outcomes[p].set + (alone && c->outcomes[p].others));
    }
    if (!any)
        hash = th__hash_mix(c->from.unit, c->rule.address * TH__TELLERS + c->rule.teller + 1u);
    return hash;
}

/* Keeps the most likely. */
static void keep_rival(struct rival rival, struct rival *out, uint32_t most, uint32_t *found)
{
    uint32_t at = *found;
    if (at < most)
        ++*found;
    else if (out[--at].weight >= rival.weight)
        return;
    for (; at && out[at - 1].weight < rival.weight; at--)
        out[at] = out[at - 1];
    out[at] = rival;
}

/* How likely it is that a rule is better than the chosen one. One that finds nothing is not a
 * rival.
 */
static double likely(const struct path_choice *choice, const struct path_candidate *c,
                     const struct path_candidate *own)
{
    return agreement_on_labels(choice, c, own) *
           exp(FALL * (c->score - c->excused - own->score + own->excused));
}

/* The rivals of one rule. */
static bool rivals_of(const struct path_choice *choice, uint32_t own, uint32_t of,
                      struct rival *out, uint32_t most, uint32_t *found)
{
    size_t count = choice->candidates.len, opinions = 0;
    const struct path_candidate *data = choice->candidates.data;
    th__key_map map;
    uint32_t *best = th__arena_alloc(choice->arena, (count + 1) * sizeof *best);
    if (!best || !th__key_map_init(&map, choice->arena, count + 1))
        return false;
    best[opinions++] = own;
    th__key_map_put(&map, opinion(choice, &data[own]), 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i == own || agreement_on_labels(choice, &data[i], &data[own]) <= 0)
            continue;
        uint64_t key = opinion(choice, &data[i]);
        uint32_t at = th__key_map_get(&map, key);
        if (!at) {
            best[opinions++] = i;
            th__key_map_put(&map, key, (uint32_t)opinions);
        } else if (at > 1 && data[i].score > data[best[at - 1]].score) {
            best[at - 1] = i;
        }
    }
    double all = 0;
    for (size_t i = 0; i < opinions; i++)
        all += likely(choice, &data[best[i]], &data[own]);
    for (size_t i = 1; i < opinions; i++) {
        double weight = likely(choice, &data[best[i]], &data[own]) / all;
        if (weight >= LEAST)
            keep_rival((struct rival){best[i], of, weight}, out, most, found);
    }
    return true;
}

static bool find_rivals(const struct path_choice *choice, const uint32_t *chosen,
                        const bool *otherwise, uint32_t count, struct rival *out, uint32_t most,
                        uint32_t *found)
{
    *found = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* A rule that stands in for another on pages without labels has nothing to be held to. */
        if (otherwise[i] && !finds_any(choice, &choice->candidates.data[chosen[i]]))
            continue;
        if (!rivals_of(choice, chosen[i], i, out, most, found))
            return false;
    }
    return true;
}

/* ---- the result ----------------------------------------------------------------------------- */

static bool copy_text(th__arena *arena, th_str *text)
{
    if (!text->len)
        return true;
    *text = th__arena_copy(arena, *text);
    return text->ptr;
}

/* Writes down what a person reads, and makes sure that it means the same. */
static bool write_rule(struct path_learner *l, th__arena *arena, const struct path_candidate *from,
                       th__path_rule *to, bool *good)
{
    const th__units *units = &l->units[from->from.page];
    *to = from->rule;
    l->text.len = 0;
    if (!th__address_write(&units->at, (th__address)to->address, units->data[from->from.unit].node,
                           &l->text))
        return false;
    to->path = th__arena_copy(arena, th__buf_str(&l->text));
    l->text.len = 0;
    if (!th__unit_teller_text(units, from->from.unit, (th__teller)to->teller, &l->text))
        return false;
    to->told = th__arena_copy(arena, th__buf_str(&l->text));
    if (to->attribute == TH__UNIT_OTHER)
        to->name = th__arena_copy(
            arena, th__attribute_at(units->page, units->data[from->from.unit].span).name);
    *good =
        th__path_rule_prepare(to) && to->key == from->rule.key && to->telling == from->rule.telling;
    return to->path.ptr && to->told.ptr && copy_text(arena, &to->cut.after) &&
           copy_text(arena, &to->cut.before);
}

/* The first of what a rule found that holds a place, by its number; found->len: none does. What was
 * found is in the order of the page, and `reach` has how far it reaches up to each. */
static size_t holder_of(const th__path_values *found, const uint32_t *reach, th_span place)
{
    size_t low = th__count_first(i, found->len, reach[i] < place.end);
    return low < found->len && found->data[low].span.start <= place.start ? low : found->len;
}

/* Chooses the places of samples of one page that a rule finds: the first that it finds. */
static bool settle_by(struct path_learner *l, const th__path_rule *rule, th__path_sample *samples,
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
static bool settle(struct path_learner *l, uint32_t field, const th__path_field *rules)
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
static void look_back(const struct path_learner *l, const struct path_choice *choice,
                      uint32_t index, th__path_seen *out)
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

/* Where no rule finds a value: the first text that is not the page's title. */
static uint32_t plain_place(const th_page *page, const th__path_sample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (!sample->places[i].attribute.ptr && page->tags[sample->places[i].node] != TH_TAG_TITLE)
            return i;
    return 0;
}

static void settle_others(const struct path_learner *l, uint32_t field)
{
    for (size_t i = 0; i < l->input->sample_count; i++) {
        th__path_sample *sample = &l->input->samples[i];
        if (sample->field == field && sample->chosen == TH__NO_UNIT)
            sample->chosen = plain_place(l->input->pages[sample->page], sample);
    }
}

/* The rules of a field that were chosen, by their numbers. */
struct chosen_rules {
    uint32_t at[CHOSEN];
    bool otherwise[CHOSEN]; /* counts only when those before it found nothing */
    uint32_t count;
};

/* The rules that were chosen. `index`, unless NULL, gets where each is among them; TH__NO_UNIT:
 * nowhere. */
static bool write_rules(struct path_learner *l, th__arena *arena, const struct path_choice *choice,
                        const struct chosen_rules *chosen, uint32_t *index, th__path_field *field)
{
    field->rules = th__arena_zero(arena, chosen->count + 1, sizeof *field->rules);
    field->count = 0;
    for (uint32_t i = 0; field->rules && i < chosen->count; i++) {
        const struct path_candidate *candidate = &choice->candidates.data[chosen->at[i]];
        th__path_rule *rule = &field->rules[field->count];
        bool good;
        if (!write_rule(l, arena, candidate, rule, &good))
            return false;
        rule->otherwise = chosen->otherwise[i];
        rule->alone = is_alone(choice, candidate);
        if (index)
            index[i] = good ? field->count : TH__NO_UNIT;
        field->count += good;
    }
    return field->rules;
}

/* The views of the rules that were chosen. */
static bool write_views(struct path_learner *l, th__arena *arena, const struct path_choice *choice,
                        const struct chosen_rules *chosen, const uint32_t *index,
                        th__path_field *field)
{
    struct rival rivals[VIEWS];
    uint32_t found;
    if (!find_rivals(choice, chosen->at, chosen->otherwise, chosen->count, rivals, VIEWS, &found))
        return false;
    field->views = th__arena_zero(arena, found + 1, sizeof *field->views);
    field->view_count = 0;
    for (uint32_t i = 0; field->views && i < found; i++) {
        const struct path_candidate *candidate = &choice->candidates.data[rivals[i].candidate];
        th__path_view *view = &field->views[field->view_count];
        bool good;
        if (index[rivals[i].of] == TH__NO_UNIT)
            continue;
        if (!write_rule(l, arena, candidate, &view->rule, &good))
            return false;
        view->rule.alone = is_alone(choice, candidate);
        view->of = index[rivals[i].of];
        view->weight = rivals[i].weight;
        field->view_count += good;
    }
    return field->views;
}

/* Parts of texts cost more to look at, and are wanted only where whole texts will not do. */
static bool add_parts(struct path_learner *l, struct path_choice *choice, uint32_t field)
{
    if (choice->parts)
        return true;
    choice->parts = true;
    return add_samples(l, choice, field, true);
}

/* ---- without the labels of a page --------------------------------------------------------------
 *
 * What the rules would be if a page had no labels: by these labels, which they have not seen, rules
 * are judged. The candidates and what they find on all pages are the same, but for those that this
 * page alone gives. */

static int by_order(const void *a, const void *b)
{
    const struct path_candidate *left = a, *right = b;
    return left->from.order < right->from.order ? -1 : left->from.order > right->from.order;
}

/* The first source of a candidate on another page than one, at a place that the value was found to
 * be at; NULL: there is none. */
static const struct rule_source *source_without(const struct path_learner *l,
                                                const struct path_candidate *candidate,
                                                uint32_t page)
{
    const struct rule_source *source = &candidate->from;
    while (source &&
           (source->page == page || l->input->samples[source->sample].chosen != source->place))
        source = source->next;
    return source;
}

/* Of the first `count` candidates those that other pages than one give. False if out of memory. */
static bool leave_page(const struct path_learner *l, const struct path_choice *all, size_t count,
                       uint32_t page, struct path_choice *out)
{
    bool moved = false;
    out->candidates.len = 0;
    for (size_t i = 0; i < count; i++) {
        struct path_candidate candidate = all->candidates.data[i];
        const struct rule_source *source = source_without(l, &all->candidates.data[i], page);
        if (!source)
            continue;
        moved |= source != &all->candidates.data[i].from;
        candidate.from = *source;
        if (!th__vec_push(&out->candidates, candidate))
            return false;
    }
    if (moved)
        qsort(out->candidates.data, out->candidates.len, sizeof *out->candidates.data, by_order);
    return true;
}

static bool learn_without(struct path_learner *l, th__arena *arena, uint32_t index,
                          struct path_choice *all, uint32_t page, th__path_field *field)
{
    struct path_choice choice = *all;
    struct chosen_rules chosen;
    th__path_fit fit;
    bool *labelled = th__arena_alloc(&l->arena, (all->page_count + 1) * sizeof *labelled);
    if (!labelled)
        return false;
    memcpy(labelled, all->labelled, all->page_count * sizeof *labelled);
    labelled[page] = false;
    choice.labelled = labelled;
    memset(&choice.candidates, 0, sizeof choice.candidates);
    look_at_samples(l, &choice, index);
    bool ok = leave_page(l, all, all->wholes, page, &choice) &&
              choose_rules(&choice, chosen.at, chosen.otherwise, CHOSEN, &chosen.count, &fit);
    if (ok && fit.right < fit.pages)
        ok = add_parts(l, all, index) && leave_page(l, all, all->candidates.len, page, &choice) &&
             choose_rules(&choice, chosen.at, chosen.otherwise, CHOSEN, &chosen.count, &fit);
    ok = ok && write_rules(l, arena, &choice, &chosen, NULL, field);
    th__vec_release(&choice.candidates);
    return ok;
}

static bool learn_field(struct path_learner *l, th__arena *arena, uint32_t index,
                        th__path_field *field, th__path_fit *fit)
{
    const th__paths_input *input = l->input;
    size_t pages = input->page_count;
    bool *labelled = th__arena_zero(&l->arena, pages + 1, sizeof *labelled);
    bool *sample = th__arena_zero(&l->arena, pages + 1, sizeof *sample);
    if (!labelled || !sample)
        return false;
    for (size_t p = 0; p < pages; p++) {
        labelled[p] = input->labelled[p * input->field_count + index];
        sample[p] = input->sample[p * input->field_count + index];
    }
    struct path_choice choice = {.name = field->name,
                                 .list = field->list,
                                 .page_count = input->page_count,
                                 .labelled = labelled,
                                 .sample = sample,
                                 .used = l->used,
                                 .truth =
                                     th__arena_zero(&l->arena, pages + 1, sizeof *choice.truth),
                                 .arena = &l->arena};
    struct chosen_rules chosen;
    uint32_t at[CHOSEN];
    l->looks = 0;
    bool ok = choice.truth && th__key_map_init(&choice.known, &l->arena, CANDIDATES) &&
              add_wanted(l, &choice, index) && add_samples(l, &choice, index, false) &&
              choose_rules(&choice, chosen.at, chosen.otherwise, CHOSEN, &chosen.count, fit);
    choice.wholes = choice.candidates.len;
    if (ok && fit->right < fit->pages)
        ok = add_parts(l, &choice, index) &&
             choose_rules(&choice, chosen.at, chosen.otherwise, CHOSEN, &chosen.count, fit);
    ok = ok && write_rules(l, arena, &choice, &chosen, at, field) &&
         write_views(l, arena, &choice, &chosen, at, field) && settle(l, index, field);
    if (ok) {
        look_back(l, &choice, index, &field->seen);
        settle_others(l, index);
    }
    for (uint32_t i = 0; ok && i < input->held_out_count; i++)
        ok = learn_without(l, arena, index, &choice, input->held_out[i],
                           &input->without[i].fields[index]);
    th__vec_release(&choice.candidates);
    return ok;
}

static bool make_units(struct path_learner *l)
{
    const th__paths_input *input = l->input;
    unsigned kinds = needs_of(input);
    uint32_t unlabelled = 0;
    l->units = th__arena_zero(&l->arena, input->page_count + 1, sizeof *l->units);
    l->used = th__arena_zero(&l->arena, input->page_count + 1, sizeof *l->used);
    if (!l->units || !l->used)
        return false;
    for (uint32_t p = 0; p < input->page_count; p++) {
        bool labelled = false;
        for (uint32_t f = 0; f < input->field_count; f++)
            labelled |= input->labelled[(size_t)p * input->field_count + f];
        l->used[p] = labelled || unlabelled++ < UNLABELLED;
        l->pages += l->used[p];
        if (l->used[p] && (th__cancelled(input->cancel) ||
                           !th__units_find(&l->arena, input->pages[p], kinds, true, &l->units[p])))
            return false;
    }
    return compare_texts(l);
}

/* ---- what can be learnt ------------------------------------------------------------------------
 */

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

bool th__paths_learn(const th__paths_input *input, th__arena *arena, th__path_rules *out,
                     th__path_fit *fits)
{
    struct path_learner l = {.input = input};
    th__arena_init(&l.arena);
    bool ok = make_units(&l);
    for (uint32_t f = 0; ok && f < input->field_count; f++)
        ok = learn_field(&l, arena, f, &out->fields[f], &fits[f]);
    th__folded_release(&l.scratch);
    th__vec_release(&l.found);
    th__vec_release(&l.values);
    th__buf_release(&l.text);
    th__key_map_release(&l.texts);
    th__key_map_release(&l.varied);
    th__arena_release(&l.arena);
    return ok;
}
