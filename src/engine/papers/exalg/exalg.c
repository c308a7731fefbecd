/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003, with the
 * appendix of the long version): finds the template behind pages and the data that it was filled
 * with, without labels.
 *
 * The idea
 * --------
 * A page is made of a value and a template: strings around the members of tuples, separators
 * between the items of sets. Tokens (words and tags) of one string of the template occur equally
 * often on every page: they have the same occurrence vector. A large set of tokens with the same
 * vector, on many pages, is hardly ever formed by chance. So:
 *
 *   DIFFFORM    tokens at different paths of the tree have different roles: they become dtokens
 *   FINDEQ      equivalence classes: dtokens with one occurrence vector; large and frequent ones
 *               (LFEQs) have at least SIZETHRES dtokens and are on at least SUPTHRES pages
 *   HANDINV     removes or cuts classes that are not ordered, or not nested with the others
 *   DIFFEQ      a dtoken inside an LFEQ, say between its third and fourth token, has another role
 *               than one elsewhere: it becomes a new dtoken; repeat from FINDEQ until none is new
 *   CONSTTEMP   what is between the tokens of a class: nothing, a text, other classes: text,
 *               list, list with separator, one of several, optional
 *   EXVAL       the values of a page: tokens get their roles again, by the same rounds
 *
 * An example
 * ----------
 * Pages <h1>Ulysses</h1><ul><li>by Joyce</ul>, <h1>Emma</h1><ul><li>by Austen<li>by Anon</ul>, ...:
 * <h1>, </h1>, <ul>, </ul> occur once on each: the root class, with a text in its first position
 * and occurrences of the class <li>, by, which occurs 1, 2, ... times, in its third. The template
 * is < <h1> * </h1> <ul> {< <li> by * >} </ul> >, the schema <B,{<B>}>. (Two tokens are too few for
 * an LFEQ; real items have more.)
 *
 * Glossary
 * --------
 * token             a word or a tag
 * occurrence path   the tags from the root to a token
 * role              what a token is there for: "Name:" of a person and of a book are two roles
 * dtoken            a token whose roles are distinguished, by its path and by the classes around it
 * occurrence vector how often a dtoken occurs on each page
 * equivalence class all dtokens with one occurrence vector; ordered if its dtokens always follow
 *                   each other in one order, nested if it lies in one position of every other class
 * LFEQ              a large and frequently occurring equivalence class
 * position          what is between two neighbouring dtokens of a class
 * PosString         what is in a position of one occurrence: other classes, and runs of plain
 * tokens basic type, tuple, set, optional, disjunction   types of the schema and of the template
 *
 * The files
 * ---------
 * exalg_tokens.c makes strings of tokens, exalg_classes.c has FINDEQ, HANDINV, DIFFEQ and the loop.
 * Here are CONSTTEMP, EXVAL, the template in a wrapper file and the engine. The engine `template`
 * compares pages by their trees of elements instead.
 *
 * What the paper leaves open
 * --------------------------
 * There are no switches: `exalg` is the paper. Thresholds are "at least". How HANDINV orders its
 * steps is in exalg_classes.c; the precedence of table 1 is at CONSTTEMP; EXVAL, which the paper
 * leaves to the reader, has a part of its own. Limits that keep hostile pages cheap:
 * TH__EXALG_MAX_CLASSES, TH__EXALG_MAX_ROUNDS, TH__EXALG_MAX_DEPTH, MAX_ALTERNATIVES.
 *
 * Cost
 * ----
 * Learning: linear in the tokens of all pages in each round of the loop (two or three on most
 * sites, 64 at most), except for HANDINV. Running: linear in the page, times a logarithm.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/one_template.h"
#include "engine/papers/exalg/exalg.h"
#include "page/text.h"
#include "wrapper/rule_table.h"

/* ---- lookup tables of a template, made after it was learnt or read from a file --------------- */

static bool prepare_round(th__exalg_round *round, th__arena *arena)
{
    size_t count = round->split.count;
    for (uint32_t c = 0; c < round->class_count; c++)
        count += round->classes[c].count;
    round->places = th__arena_alloc(arena, (count + 1) * sizeof *round->places);
    if (!round->places || !th__key_map_init(&round->at, arena, count + 1))
        return false;
    for (uint32_t c = 0; c < round->class_count; c++)
        for (uint32_t r = 0; r < round->classes[c].count; r++)
            round->places[th__key_map_number(&round->at, round->classes[c].symbols[r] + 1) - 1] =
                (struct symbol_place){c, r, false};
    for (uint32_t i = 0; i < round->split.count; i++) {
        uint32_t before = round->at.count;
        uint32_t place = th__key_map_number(&round->at, round->split.symbols[i] + 1) - 1;
        if (place == before)
            round->places[place] = (struct symbol_place){TH__EXALG_NONE, 0, false};
        round->places[place].split = true;
    }
    return true;
}

static bool prepare_template(th__exalg_template *t, th__arena *arena)
{
    if (!th__key_map_init(&t->ids, arena, t->symbol_count + 1))
        return false;
    for (uint32_t i = 0; i < t->symbol_count; i++)
        th__key_map_put(&t->ids, t->symbols[i].key, i + 1);
    for (uint32_t r = 0; r < t->round_count; r++)
        if (!prepare_round(&t->rounds[r], arena))
            return false;
    return true;
}

/* ---- CONSTTEMP, section 5.2 of the paper: classes become a template ---------------------------
 *
 * One walk over the pages gives the PosStrings of every position of every class, with a run of
 * plain tokens as one item. Then table 1 is applied, position by position. Where it is open:
 *
 *  - Optional and disjunction (of any width) are tried before list, list before separated list,
 *    whose separators must be the same everywhere.
 *  - Text before or behind what has a pattern is a value of its own. So are classes that always
 *    follow each other in one order: each is a member of the tuple, with nothing between them.
 *  - A class that is in its position exactly once each time is not optional: its tuple is a member.
 *  - Unknown patterns are texts.
 */

/* A symbol of a PosString: a class, or TH__EXALG_NONE for a run of plain tokens. */
typedef struct posstring_item {
    uint32_t slot;     /* which position of which class */
    uint32_t instance; /* which occurrence of that class */
    uint32_t cls;
    uint64_t hash; /* of a run */
} posstring_item;

struct builder {
    const th__exalg_ecgm *e;
    th__arena *arena; /* of the template */
    th__arena scratch;
    th__exalg_template *out;
    uint32_t *first_slot; /* by class */
    uint32_t slot_count;
    uint32_t *occurrences; /* by class */
    bool *filled;          /* by slot: not empty */
    bool *hollow;          /* by class: empty, all its tokens are always together */
    TH__VEC(posstring_item) items;
    uint32_t *slot_items; /* by slot, and one more: its items in `sorted` */
    posstring_item *sorted;
    th__key_map by_key; /* symbol + 1 */
};

/* ---- PosStrings ------------------------------------------------------------------------------ */

struct class_frame {
    uint32_t cls, rank, instance;
};

/* Which positions have anything in them. */
static bool find_filled(struct builder *b)
{
    const th__exalg_ecgm *e = b->e;
    uint32_t *last = th__arena_alloc(&b->scratch, (e->class_count + 1) * sizeof *last);
    if (!last)
        return false;
    for (uint32_t p = 0; p < e->page_count; p++)
        for (uint32_t t = 0; t < e->strings[p].tokens.len; t++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][t]];
            if (d->cls == TH__EXALG_NONE)
                continue;
            if (d->rank && last[d->cls] + 1 != t)
                b->filled[b->first_slot[d->cls] + d->rank - 1] = true;
            last[d->cls] = t;
            b->occurrences[d->cls] += d->rank == 0;
        }
    for (uint32_t c = 0; c < e->class_count; c++) {
        b->hollow[c] = true;
        for (uint32_t r = 0; r + 1 < e->classes[c].size; r++)
            b->hollow[c] &= !b->filled[b->first_slot[c] + r];
    }
    return true;
}

static bool add_item(struct builder *b, const struct class_frame *at, uint32_t cls, uint64_t hash)
{
    uint32_t slot = b->first_slot[at->cls] + at->rank;
    posstring_item *last = b->items.len ? &b->items.data[b->items.len - 1] : NULL;
    if (cls == TH__EXALG_NONE && last && last->slot == slot && last->instance == at->instance &&
        last->cls == TH__EXALG_NONE) {
        last->hash = th__hash_mix(last->hash, hash);
        return true;
    }
    return th__vec_push(&b->items, (posstring_item){slot, at->instance, cls, hash});
}

static bool walk_page(struct builder *b, uint32_t p, struct class_frame *stack, uint32_t *instances)
{
    const th__exalg_ecgm *e = b->e;
    uint32_t depth = 0;
    for (uint32_t t = 0; t < e->strings[p].tokens.len; t++) {
        const th__exalg_dtoken *d = &e->dtokens[e->pages[p][t]];
        struct class_frame *top = depth ? &stack[depth - 1] : NULL;
        bool opens = d->cls != TH__EXALG_NONE && d->rank == 0 && !b->hollow[d->cls];
        if (top && d->cls == top->cls && d->rank) {
            top->rank = d->rank;
            depth -= d->rank + 1 == e->classes[d->cls].size;
            continue;
        }
        if (top &&
            !add_item(b, top, opens ? d->cls : TH__EXALG_NONE, e->strings[p].tokens.data[t].key))
            return false;
        if (opens)
            stack[depth++] = (struct class_frame){d->cls, 0, instances[d->cls]++};
    }
    return true;
}

static bool sort_items(struct builder *b)
{
    b->slot_items = th__arena_zero(&b->scratch, b->slot_count + 2, sizeof *b->slot_items);
    b->sorted = th__arena_alloc(&b->scratch, (b->items.len + 1) * sizeof *b->sorted);
    if (!b->slot_items || !b->sorted)
        return false;
    uint32_t *next = b->slot_items + 1;
    for (size_t i = 0; i < b->items.len; i++)
        next[b->items.data[i].slot + 1]++;
    for (uint32_t s = 0; s < b->slot_count; s++)
        next[s + 1] += next[s];
    for (size_t i = 0; i < b->items.len; i++)
        b->sorted[next[b->items.data[i].slot]++] = b->items.data[i];
    return true;
}

static bool find_posstrings(struct builder *b)
{
    const th__exalg_ecgm *e = b->e;
    b->first_slot = th__arena_zero(&b->scratch, e->class_count + 1, sizeof *b->first_slot);
    b->occurrences = th__arena_zero(&b->scratch, e->class_count + 1, sizeof *b->occurrences);
    uint32_t *instances = th__arena_zero(&b->scratch, e->class_count + 1, sizeof *instances);
    struct class_frame *stack = th__arena_alloc(&b->scratch, (e->class_count + 1) * sizeof *stack);
    if (!b->first_slot || !b->occurrences || !instances || !stack)
        return false;
    for (uint32_t c = 0; c < e->class_count; c++) {
        b->first_slot[c] = b->slot_count;
        b->slot_count += e->classes[c].size;
    }
    b->filled = th__arena_zero(&b->scratch, b->slot_count + 1, sizeof *b->filled);
    b->hollow = th__arena_zero(&b->scratch, e->class_count + 1, sizeof *b->hollow);
    if (!b->filled || !b->hollow || !find_filled(b))
        return false;
    for (uint32_t p = 0; p < e->page_count; p++)
        if (!walk_page(b, p, stack, instances))
            return false;
    return sort_items(b);
}

/* ---- strings of the template ----------------------------------------------------------------- */

/* The symbol of a dtoken by its name, which is one occurrence of it at a place. */
static bool make_symbol(struct builder *b, th__exalg_place place, uint64_t name, uint32_t *out)
{
    const th__exalg_string *string = &b->e->strings[place.page];
    uint64_t key = string->tokens.data[place.token].key;
    uint32_t id = th__key_map_get(&b->by_key, name), plain = b->out->symbol_count;
    if (!id) {
        th__buf text = {0};
        if (name != key && !make_symbol(b, place, key, &plain))
            return false;
        th__exalg_symbol *symbol = &b->out->symbols[b->out->symbol_count];
        th__exalg_token_write(string, place.token, &text);
        symbol->token = th__arena_copy(b->arena, th__buf_str(&text));
        size_t len = text.len;
        if (b->out->paths) {
            th__exalg_path_write(string, place.token, &text);
            symbol->path = th__arena_copy(b->arena, (th_str){text.data + len, text.len - len});
        }
        bool ok = !text.failed && symbol->token.ptr && (symbol->path.ptr || !b->out->paths);
        th__buf_release(&text);
        if (!ok)
            return false;
        symbol->key = name;
        symbol->plain = plain;
        th__key_map_put(&b->by_key, name, id = ++b->out->symbol_count);
    }
    *out = id - 1;
    return true;
}

/* Tokens from rank `first` to `last` of a class; the dummies are left out. */
static bool make_string(struct builder *b, const th__exalg_class *cls, uint32_t first,
                        uint32_t last, th__exalg_text *out)
{
    out->symbols = th__arena_alloc(b->arena, (last - first + 1) * sizeof *out->symbols);
    if (!out->symbols)
        return false;
    for (uint32_t r = first; r <= last; r++) {
        const th__exalg_dtoken *d = &b->e->dtokens[cls->tokens[r]];
        th__exalg_place place = d->place;
        if (b->e->strings[place.page].tokens.data[place.token].kind == TH__EXALG_DUMMY)
            continue;
        if (!make_symbol(b, place, d->name, &out->symbols[out->count]))
            return false;
        out->count++;
    }
    return true;
}

/* The separator of a list, read where a run with its hash is. */
static bool make_separator(struct builder *b, uint32_t cls, uint64_t hash, th__exalg_text *out)
{
    const th__exalg_ecgm *e = b->e;
    for (uint32_t p = 0; hash && p < e->page_count; p++)
        for (uint32_t t = 0, start = TH__EXALG_NONE; t < e->strings[p].tokens.len; t++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][t]];
            if (d->cls == cls && d->rank + 1 == e->classes[cls].size) {
                start = t + 1;
            } else if (d->cls == cls && d->rank == 0 && start != TH__EXALG_NONE && start < t) {
                out->symbols = th__arena_alloc(b->arena, (t - start) * sizeof *out->symbols);
                if (!out->symbols)
                    return false;
                for (; start < t; start++, out->count++)
                    if (!make_symbol(b, (th__exalg_place){p, start},
                                     e->strings[p].tokens.data[start].key,
                                     &out->symbols[out->count]))
                        return false;
                return true;
            }
        }
    return true;
}

/* ---- table 1 --------------------------------------------------------------------------------- */

typedef TH__VEC(th__exalg_node *) node_vec;

static th__exalg_node *new_node(struct builder *b, th__exalg_type type, uint32_t count)
{
    th__exalg_node *node = th__arena_zero(b->arena, 1, sizeof *node);
    if (!node)
        return NULL;
    node->type = (uint8_t)type;
    node->count = count;
    node->children = th__arena_zero(b->arena, count + 1, sizeof *node->children);
    node->strings = th__arena_zero(b->arena, count + 1, sizeof *node->strings);
    return node->children && node->strings ? node : NULL;
}

static bool push_basic(struct builder *b, node_vec *out)
{
    th__exalg_node *node = new_node(b, TH__EXALG_BASIC, 0);
    return node && th__vec_push(out, node);
}

static th__exalg_node *build_class(struct builder *b, uint32_t cls, unsigned depth);

static bool push_wrapped(struct builder *b, th__exalg_type type, th__exalg_node *child,
                         node_vec *out)
{
    th__exalg_node *node = child ? new_node(b, type, 1) : NULL;
    if (node)
        node->children[0] = child;
    return node && th__vec_push(out, node);
}

enum { MAX_ALTERNATIVES = 16 };

/* What the strings of a position have in common. */
struct pattern {
    bool lead, trail;   /* text before the first class, after the last */
    bool mixed;         /* classes without an order, or texts between them that differ */
    uint64_t separator; /* the text between classes; 0: none */
    bool gaps, no_gaps; /* classes with and without a text between them */
    struct alternative {
        uint32_t cls;
        uint32_t most;           /* occurrences in one string */
        uint32_t strings;        /* that have it */
    } classes[MAX_ALTERNATIVES]; /* in the order in which they follow each other */
    uint32_t class_count;
    uint32_t with_classes;  /* strings that have any class */
    uint32_t most_together; /* classes in one string */
};

static uint32_t pattern_class(struct pattern *pattern, uint32_t cls)
{
    uint32_t i = 0;
    while (i < pattern->class_count && pattern->classes[i].cls != cls)
        i++;
    if (i == pattern->class_count && i < MAX_ALTERNATIVES)
        pattern->classes[pattern->class_count++].cls = cls;
    return i;
}

static void read_string(struct pattern *pattern, const posstring_item *items, uint32_t count)
{
    uint32_t found[MAX_ALTERNATIVES] = {0}, together = 0, previous = TH__EXALG_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].cls == TH__EXALG_NONE) {
            bool between = i && i + 1 < count;
            pattern->lead |= i == 0;
            pattern->trail |= i && !between;
            if (between) {
                pattern->mixed |= pattern->gaps && pattern->separator != items[i].hash;
                pattern->separator = items[i].hash;
                pattern->gaps = true;
                pattern->mixed |= items[i - 1].cls != items[i + 1].cls;
            }
            continue;
        }
        pattern->no_gaps |= i && items[i - 1].cls == items[i].cls;
        uint32_t c = pattern_class(pattern, items[i].cls);
        if (c == MAX_ALTERNATIVES) {
            pattern->mixed = true;
            return;
        }
        struct alternative *known = &pattern->classes[c];
        pattern->mixed |= found[c] && previous != c; /* comes again after another */
        previous = c;
        together += !found[c];
        known->strings += !found[c];
        known->most = ++found[c] > known->most ? found[c] : known->most;
    }
    pattern->with_classes += together > 0;
    if (together > pattern->most_together)
        pattern->most_together = together;
}

/* Sorts classes that follow each other into their order; marks the pattern as mixed if they have
 * none. */
static void check_order(struct pattern *pattern, const posstring_item *items, uint32_t count)
{
    for (uint32_t round = 0; round <= pattern->class_count; round++) {
        bool swapped = false;
        for (uint32_t i = 0, last = 0, instance = TH__EXALG_NONE; i < count; i++) {
            if (items[i].cls == TH__EXALG_NONE)
                continue;
            uint32_t c = pattern_class(pattern, items[i].cls);
            if (items[i].instance == instance && c < last) {
                struct alternative moved = pattern->classes[c];
                pattern->classes[c] = pattern->classes[last];
                pattern->classes[last] = moved;
                swapped = true;
                c = last;
            }
            last = c;
            instance = items[i].instance;
        }
        if (!swapped)
            return;
    }
    pattern->mixed = true;
}

/* A class of its own in a position: list, optional, or itself. */
static bool push_class(struct builder *b, const struct pattern *pattern, uint32_t c,
                       uint32_t occurrences, unsigned depth, node_vec *out)
{
    uint32_t cls = pattern->classes[c].cls;
    th__exalg_node *child = build_class(b, cls, depth + 1);
    if (!child)
        return false;
    if (pattern->classes[c].most == 1 && pattern->classes[c].strings == occurrences)
        return th__vec_push(out, child);
    if (pattern->classes[c].most == 1)
        return push_wrapped(b, TH__EXALG_OPTIONAL, child, out);
    return push_wrapped(b, TH__EXALG_SET, child, out) &&
           make_separator(b, cls, pattern->separator, &out->data[out->len - 1]->strings[0]);
}

static bool push_choice(struct builder *b, const struct pattern *pattern, bool always,
                        unsigned depth, node_vec *out)
{
    th__exalg_node *choice = new_node(b, TH__EXALG_CHOICE, pattern->class_count);
    for (uint32_t i = 0; choice && i < pattern->class_count; i++)
        if (!(choice->children[i] = build_class(b, pattern->classes[i].cls, depth + 2)))
            return false;
    if (!choice)
        return false;
    return always ? th__vec_push(out, choice) : push_wrapped(b, TH__EXALG_OPTIONAL, choice, out);
}

/* ---- what is built --------------------------------------------------------------------------- */

enum { SHOWN_STRINGS = 8 }; /* different PosStrings of a position */

/* Writes "3: E2 E2" for a PosString that occurs three times: E2 is a class, * a run of plain
 * tokens. */
static void write_string(const posstring_item *items, uint32_t count, uint32_t times, th__buf *out)
{
    th__buf_printf(out, "%s%u:%s", out->len ? " | " : "", times, count ? "" : " empty");
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].cls == TH__EXALG_NONE)
            th__buf_add_str(out, TH_STR(" *"));
        else
            th__buf_printf(out, " E%u", items[i].cls + 1);
    }
}

/* The PosStrings of a position and the row of table 1 that they are. */
static void trace_position(struct builder *b, uint32_t cls, uint32_t rank, const char *row)
{
    if (!b->e->trace)
        return;
    uint32_t slot = b->first_slot[cls] + rank, none = b->occurrences[cls];
    uint32_t first = b->slot_items[slot], end = b->slot_items[slot + 1], different = 0;
    struct {
        uint64_t hash;
        uint32_t at, count, times;
    } strings[SHOWN_STRINGS] = {0};
    th__buf text = {0};
    for (uint32_t i = first, next; i < end; i = next) {
        uint64_t hash = 1;
        for (next = i; next < end && b->sorted[next].instance == b->sorted[i].instance; next++)
            hash = th__hash_mix(hash, b->sorted[next].cls);
        uint32_t s = 0;
        while (s < different && strings[s].hash != hash)
            s++;
        none--;
        if (s == SHOWN_STRINGS)
            continue;
        if (s == different)
            strings[different++] = (__typeof__(*strings)){hash, i, next - i, 0};
        strings[s].times++;
    }
    for (uint32_t s = 0; s < different; s++)
        write_string(b->sorted + strings[s].at, strings[s].count, strings[s].times, &text);
    if (none)
        write_string(NULL, 0, none, &text);
    th__step step;
    th__step_begin(&step, b->e->trace, "posstring", 1);
    th__step_uint(&step, "class", cls + 1);
    th__step_uint(&step, "position", rank + !b->e->classes[cls].root); /* dummies do not count */
    th__step_text(&step, "pattern", th_str_from(row));
    th__step_text(&step, "strings", th__buf_str(&text));
    step.line.failed |= text.failed;
    th__step_end(&step);
    th__buf_release(&text);
}

static bool build_position(struct builder *b, uint32_t cls, uint32_t rank, unsigned depth,
                           node_vec *out)
{
    uint32_t slot = b->first_slot[cls] + rank;
    uint32_t first = b->slot_items[slot], end = b->slot_items[slot + 1];
    struct pattern pattern = {0};
    for (uint32_t i = first, next; i < end; i = next) {
        for (next = i; next < end && b->sorted[next].instance == b->sorted[i].instance;)
            next++;
        read_string(&pattern, b->sorted + i, next - i);
    }
    pattern.mixed |= pattern.gaps && (pattern.no_gaps || pattern.class_count > 1);
    if (!pattern.mixed && pattern.class_count > 1)
        check_order(&pattern, b->sorted + first, end - first);
    bool basic = !pattern.class_count || pattern.mixed || depth + 3 > TH__EXALG_MAX_DEPTH;
    bool one = pattern.most_together == 1 && pattern.class_count > 1, once = true;
    for (uint32_t i = 0; i < pattern.class_count; i++)
        once &= pattern.classes[i].most == 1;
    one &= once;
    trace_position(b, cls, rank,
                   !pattern.class_count ? "text"
                   : basic              ? "unknown"
                   : one                ? "disjunction"
                   : once
                       ? pattern.classes[0].strings == b->occurrences[cls] ? "always" : "optional"
                   : pattern.gaps ? "separated list"
                                  : "list");
    if (basic)
        return push_basic(b, out);
    if (pattern.lead && !push_basic(b, out))
        return false;
    bool ok = true;
    if (one)
        ok = push_choice(b, &pattern, pattern.with_classes == b->occurrences[cls], depth, out);
    for (uint32_t i = 0; ok && !one && i < pattern.class_count; i++)
        ok = push_class(b, &pattern, i, b->occurrences[cls], depth, out);
    return ok && (!pattern.trail || push_basic(b, out));
}

static void trace_template(struct builder *b, uint32_t cls, th__exalg_node *node)
{
    th__exalg_template part = *b->out;
    th__buf text = {0};
    th__step step;
    part.root = node;
    th__exalg_template_print(&part, NULL, 0, &text);
    th__step_begin(&step, b->e->trace, "template", 1);
    th__step_uint(&step, "class", cls + 1);
    th__step_text(&step, "is", th__buf_str(&text));
    step.line.failed |= text.failed;
    th__step_end(&step);
    th__buf_release(&text);
}

/* The template of a class: its filled positions are members, its tokens the strings between. */
static th__exalg_node *build_class(struct builder *b, uint32_t cls, unsigned depth)
{
    const th__exalg_class *c = &b->e->classes[cls];
    node_vec members = {0};
    TH__VEC(uint32_t) ends = {0}; /* by member: the rank before it */
    th__exalg_node *tuple = NULL;
    bool ok = true;
    for (uint32_t r = 0; ok && r + 1 < c->size; r++)
        if (b->filled[b->first_slot[cls] + r]) {
            ok = build_position(b, cls, r, depth, &members);
            while (ok && ends.len < members.len)
                ok = th__vec_push(&ends, r);
        }
    if (ok)
        tuple = new_node(b, TH__EXALG_TUPLE, (uint32_t)members.len);
    for (uint32_t m = 0, rank = 0; tuple && m <= members.len; m++) {
        uint32_t last = m < members.len ? ends.data[m] : c->size - 1;
        if (m < members.len)
            tuple->children[m] = members.data[m];
        if (m && m < members.len && ends.data[m] == ends.data[m - 1])
            continue; /* nothing is between them */
        if (!make_string(b, c, rank, last, &tuple->strings[m]))
            tuple = NULL;
        rank = last + 1;
    }
    if (tuple && b->e->trace)
        trace_template(b, cls, tuple);
    th__vec_release(&members);
    th__vec_release(&ends);
    return tuple;
}

/* ---- the rounds of the loop ------------------------------------------------------------------ */

static bool add_number(struct builder *b, th__exalg_text *text, uint32_t number, uint32_t most)
{
    if (!text->symbols)
        text->symbols = th__arena_alloc(b->arena, most * sizeof *text->symbols);
    if (text->symbols)
        text->symbols[text->count++] = number;
    return text->symbols;
}

/* From the last round back: a dtoken counts if it is a token of a class, or if one that counts was
 * split off it later on. */
static bool make_rounds(struct builder *b)
{
    const th__exalg_ecgm *e = b->e;
    const th__exalg_named *all = e->history.data;
    size_t len = e->history.len;
    b->out->round_count = len ? all[len - 1].round + 1 : 0;
    b->out->rounds = th__arena_zero(b->arena, b->out->round_count + 1, sizeof *b->out->rounds);
    th__key_map split = {0};
    bool ok = b->out->rounds;
    for (size_t end = len, first; ok && end; end = first) {
        th__exalg_round *round = &b->out->rounds[all[end - 1].round];
        uint32_t id;
        th__key_map_clear(&split);
        for (first = end; first && all[first - 1].round == all[end - 1].round;)
            first--;
        for (size_t i = first; ok && i < end; i++)
            if (all[i].parent && th__key_map_get(&b->by_key, all[i].name) &&
                !th__key_map_get(&split, all[i].parent))
                ok = th__key_map_put(&split, all[i].parent, 1) &&
                     make_symbol(b, all[i].place, all[i].parent, &id) &&
                     add_number(b, &round->split, id, (uint32_t)(end - first));
        size_t tokens = first;
        while (tokens < end && !all[tokens].parent)
            tokens++;
        round->class_count = tokens > first ? all[tokens - 1].cls + 1 : 0;
        round->classes = th__arena_zero(b->arena, round->class_count + 1, sizeof *round->classes);
        ok = ok && round->classes;
        for (size_t i = first, last; ok && i < tokens; i = last) {
            for (last = i; last < tokens && all[last].cls == all[i].cls;)
                last++;
            for (size_t k = i; ok && k < last; k++)
                ok = make_symbol(b, all[k].place, all[k].name, &id) &&
                     add_number(b, &round->classes[all[i].cls], id, (uint32_t)(last - i));
        }
    }
    th__key_map_release(&split);
    return ok;
}

bool th__exalg_construct(const th__exalg_ecgm *e, bool paths, th__arena *arena,
                         th__exalg_template *out)
{
    struct builder b = {.e = e, .arena = arena, .out = out};
    th__step step;
    th__step_begin(&step, e->trace, "consttemp", 0);
    th__step_end(&step);
    *out = (th__exalg_template){.paths = paths};
    th__arena_init(&b.scratch);
    size_t most = 2 * (e->dtoken_count + e->history.len) + 1;
    out->symbols = th__arena_zero(arena, most, sizeof *out->symbols);
    bool ok = out->symbols && th__key_map_init(&b.by_key, &b.scratch, most) &&
              find_posstrings(&b) && (out->root = build_class(&b, 0, 0)) && make_rounds(&b) &&
              prepare_template(out, arena);
    th__vec_release(&b.items);
    th__arena_release(&b.scratch);
    return ok;
}

/* ---- schema ---------------------------------------------------------------------------------- */

/* Depth is bounded by TH__EXALG_MAX_DEPTH. */
static th_type *make_type(th_schema *schema, const th__exalg_node *node)
{
    th_type *children[1] = {0}, **many = NULL, *out = NULL;
    th_str none = {0};
    switch ((th__exalg_type)node->type) {
    case TH__EXALG_BASIC:
        return th_schema_field(schema, none, TH_NOTE_TEXT);
    case TH__EXALG_SET:
        children[0] = make_type(schema, node->children[0]);
        return th_schema_list(schema, none, children[0]);
    case TH__EXALG_OPTIONAL:
        children[0] = make_type(schema, node->children[0]);
        return th_schema_optional(schema, children[0]);
    case TH__EXALG_TUPLE:
    case TH__EXALG_CHOICE:
        many = TH__NEW_ARRAY(th_type *, node->count + 1);
        if (!many)
            th__fail_memory(&schema->failure);
        for (uint32_t i = 0; many && i < node->count; i++)
            many[i] = make_type(schema, node->children[i]);
        if (many)
            out = node->type == TH__EXALG_TUPLE ? th_schema_tuple(schema, none, many, node->count)
                                                : th_schema_choice(schema, none, many, node->count);
        th__mem_free(many);
        return out;
    }
    return NULL;
}

th_status th__exalg_template_schema(const th__exalg_template *t, th_schema **out, th_error *err)
{
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    status = th_schema_finish(*out, make_type(*out, t->root), err);
    if (status) {
        th_schema_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- infix notation -------------------------------------------------------------------------- */

struct printer {
    const th__exalg_template *t;
    const th_records *const *pages;
    size_t count;
    uint32_t way[TH__EXALG_MAX_DEPTH + 1]; /* to the node that is being printed */
    size_t depth;
    th__buf *out;
};

static void print_string(struct printer *p, const th__exalg_text *string)
{
    for (uint32_t i = 0; i < string->count; i++) {
        th__buf_add_byte(p->out, ' ');
        th__buf_add_str(p->out, p->t->symbols[string->symbols[i]].token);
    }
}

static void print_line(struct printer *p, unsigned indent)
{
    th__buf_printf(p->out, "\n%*s", (int)(2 * indent), "");
}

static void print_node(struct printer *p, const th__exalg_node *node, unsigned indent);

static void print_child(struct printer *p, const th__exalg_node *node, uint32_t i, unsigned indent)
{
    if (p->depth > TH__EXALG_MAX_DEPTH)
        return; /* a wrapper from outside may be deeper; the schema has its types */
    p->way[p->depth++] = i;
    print_node(p, node->children[i], indent);
    p->depth--;
}

/* Values are at the end of a line, so that what follows goes on the next. */
static void print_tuple(struct printer *p, const th__exalg_node *node, unsigned indent)
{
    th__buf_add_byte(p->out, '<');
    for (uint32_t i = 0; i < node->count; i++) {
        print_string(p, &node->strings[i]);
        print_line(p, indent + 1);
        print_child(p, node, i, indent + 1);
        if (p->count && node->strings[i + 1].count)
            print_line(p, indent);
    }
    print_string(p, &node->strings[node->count]);
    th__buf_add_str(p->out, TH_STR(" >"));
}

/* Members are on lines of their own, strings of the template before, between and after them. */
static void print_node(struct printer *p, const th__exalg_node *node, unsigned indent)
{
    switch ((th__exalg_type)node->type) {
    case TH__EXALG_BASIC:
        th__buf_add_byte(p->out, '*');
        th__show_values(p->pages, p->count, p->way, p->depth, p->out);
        return;
    case TH__EXALG_TUPLE:
        print_tuple(p, node, indent);
        return;
    case TH__EXALG_SET:
        th__buf_add_byte(p->out, '{');
        print_node(p, node->children[0], indent);
        th__buf_add_byte(p->out, '}');
        if (node->strings[0].count) {
            th__buf_add_str(p->out, TH_STR("_("));
            print_string(p, &node->strings[0]);
            th__buf_add_str(p->out, TH_STR(" )"));
        }
        return;
    case TH__EXALG_OPTIONAL:
        th__buf_add_byte(p->out, '(');
        print_node(p, node->children[0], indent);
        th__buf_add_str(p->out, TH_STR(")?"));
        return;
    case TH__EXALG_CHOICE:
        for (uint32_t i = 0; i < node->count; i++) {
            if (i) {
                print_line(p, indent);
                th__buf_add_str(p->out, TH_STR("| "));
            }
            print_child(p, node, i, indent);
        }
        return;
    }
}

void th__exalg_template_print(const th__exalg_template *t, const th_records *const *pages,
                              size_t count, th__buf *out)
{
    struct printer p = {.t = t, .pages = pages, .count = count, .out = out};
    th__buf_add_str(out, TH_STR("  "));
    print_node(&p, t->root, 1);
    th__buf_add_byte(out, '\n');
}

/* ---- EXVAL: the values of a page by a template. ---------------------------------------------
 *
 * The paper leaves EXVAL to the reader. First each token of the page gets its role: the rounds of
 * the loop, which the template keeps, are done again (th__exalg_round). On a page that the template
 * was learnt from the strings of the template are then exactly where the classes were, and all
 * values are found. On any other page strings are searched one after the other: first the role that
 * is rarest on the page, then the others around it. A string that is not there as a whole is taken
 * where most of it is, with a bounded look to both sides; one that is not there at all leaves the
 * values around it missing, and the search goes on with the next. What is between two strings stays
 * between them, so that damage stays local.
 *
 * Cost: the page is read once for each round and its tokens are put in lists by symbol; each string
 * of a tuple's occurrence then costs its length times a constant and a binary search. Occurrences
 * of tuples never overlap but with what they are nested in, so that all of it is linear in the page
 * but for that logarithm and the depth of nesting, which has a limit.
 */

enum {
    CANDIDATES = 8, /* places of a string's rarest token that are looked at */
    LOOK = 24,      /* tokens between two of a broken string */
    SKIPPED = 8     /* strings that may be missing in a row before a tuple is given up */
};

struct value_matcher {
    const th__exalg_template *t;
    th__arena arena;
    th__exalg_string string;
    uint64_t *names;  /* by token: the name of its dtoken */
    uint32_t *symbol; /* by token: symbol + 1, or 0 */
    uint32_t *first;  /* by symbol, and one more: its places */
    uint32_t *places; /* tokens, rising, by symbol */
    uint64_t expected, matched;
    th_records *records;
    th__buf text;
};

/* DIFFFORM and DIFFEQ, as they were done on the pages learnt from. */
static bool find_roles(struct value_matcher *m)
{
    uint32_t tokens = (uint32_t)m->string.tokens.len;
    for (uint32_t t = 0; t < tokens; t++)
        m->names[t] = m->string.tokens.data[t].key;
    for (uint32_t r = 0; r < m->t->round_count; r++) {
        const th__exalg_round *round = &m->t->rounds[r];
        th__exalg_contexts at;
        if (!th__exalg_contexts_init(&at, round->class_count, &m->arena))
            return false;
        for (uint32_t t = 0; t < tokens; t++) {
            uint32_t s = th__key_map_get(&m->t->ids, m->names[t]);
            uint32_t at_place = s ? th__key_map_get(&round->at, s) : 0;
            if (!at_place)
                continue;
            const struct symbol_place *place = &round->places[at_place - 1];
            uint32_t size = place->cls == TH__EXALG_NONE ? 0 : round->classes[place->cls].count;
            uint64_t own = th__exalg_context(&at, place->cls, place->rank, size, m->names[t]);
            if (place->split)
                m->names[t] = th__hash_mix(own, m->names[t]);
        }
    }
    return true;
}

static bool read_page(struct value_matcher *m, const th_page *page)
{
    if (!th__exalg_string_read(page, m->t->paths, &m->string))
        return false;
    uint32_t tokens = (uint32_t)m->string.tokens.len, symbols = m->t->symbol_count;
    m->names = th__arena_alloc(&m->arena, (tokens + 1) * sizeof *m->names);
    m->symbol = th__arena_alloc(&m->arena, (tokens + 1) * sizeof *m->symbol);
    m->first = th__arena_zero(&m->arena, symbols + 2, sizeof *m->first);
    m->places = th__arena_alloc(&m->arena, (tokens + 1) * sizeof *m->places);
    if (!m->names || !m->symbol || !m->first || !m->places || !find_roles(m))
        return false;
    uint32_t *next = m->first + 1;
    for (uint32_t t = 0; t < tokens; t++) {
        m->symbol[t] = th__key_map_get(&m->t->ids, m->names[t]);
        if (m->symbol[t])
            next[m->symbol[t]]++;
    }
    for (uint32_t s = 0; s < symbols; s++)
        next[s + 1] += next[s];
    for (uint32_t t = 0; t < tokens; t++)
        if (m->symbol[t])
            m->places[next[m->symbol[t] - 1]++] = t;
    return true;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The index in `places` of the first place of a symbol that is not before a token. */
static uint32_t place_from(const struct value_matcher *m, uint32_t symbol, uint32_t token)
{
    const uint32_t *places = m->places + m->first[symbol];
    uint32_t count = m->first[symbol + 1] - m->first[symbol];
    return m->first[symbol] + (uint32_t)th__count_first(i, count, places[i] < token);
}

/* Where a string is. */
struct string_place {
    uint32_t start, end; /* tokens */
    uint32_t matched;
};

static uint32_t rarest(const struct value_matcher *m, const th__exalg_text *string)
{
    uint32_t best = UINT32_MAX, least = UINT32_MAX;
    for (uint32_t i = 0; i < string->count; i++) {
        uint32_t s = string->symbols[i], count = m->first[s + 1] - m->first[s];
        if (count && count < least) {
            least = count;
            best = i;
        }
    }
    return best;
}

/* Finds as much of a string as is around a place of one of its tokens. */
static struct string_place spread(const struct value_matcher *m, const th__exalg_text *string,
                                  uint32_t anchor, uint32_t at, uint32_t from, uint32_t limit)
{
    struct string_place f = {at, at + 1, 1};
    for (uint32_t i = anchor; i-- > 0;) {
        uint32_t s = string->symbols[i], low = f.start > from + LOOK ? f.start - LOOK : from;
        uint32_t p = place_from(m, s, f.start);
        if (p > m->first[s] && m->places[p - 1] >= low) {
            f.start = m->places[p - 1];
            f.matched++;
        }
    }
    for (uint32_t i = anchor + 1; i < string->count; i++) {
        uint32_t s = string->symbols[i], high = f.end + LOOK < limit ? f.end + LOOK : limit;
        uint32_t p = place_from(m, s, f.end);
        if (p < m->first[s + 1] && m->places[p] < high) {
            f.end = m->places[p] + 1;
            f.matched++;
        }
    }
    return f;
}

/* The first place of a string from `from` to `limit`: as a whole, or where most of it is, at least
 * half. An empty one is anywhere. */
static bool find_string(const struct value_matcher *m, const th__exalg_text *string, uint32_t from,
                        uint32_t limit, struct string_place *out)
{
    *out = (struct string_place){from, from, 0};
    if (!string->count)
        return true;
    uint32_t anchor = rarest(m, string);
    if (anchor == UINT32_MAX)
        return false;
    uint32_t s = string->symbols[anchor], p = place_from(m, s, from);
    for (uint32_t tries = 0; tries < CANDIDATES && p < m->first[s + 1]; tries++, p++) {
        uint32_t at = m->places[p];
        if (at >= limit)
            break;
        struct string_place f = spread(m, string, anchor, at, from, limit);
        if (f.matched > out->matched)
            *out = f;
        if (f.matched == string->count && f.end - f.start == string->count)
            break;
    }
    return 2 * out->matched >= string->count && out->matched;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool set_text(struct value_matcher *m, th_value *slot, uint32_t from, uint32_t to)
{
    const th__exalg_token *tokens = m->string.tokens.data;
    while (from < to && tokens[from].kind == TH__EXALG_DUMMY)
        from++;
    while (from < to && tokens[to - 1].kind == TH__EXALG_DUMMY)
        to--;
    if (from >= to)
        return true;
    th_span span = {tokens[from].start, tokens[to - 1].end};
    th__buf_clear(&m->text);
    if (!th__span_text(m->string.page, span, &m->text))
        return false;
    if (m->text.len)
        th_records_set_text(m->records, slot, th__buf_str(&m->text), span);
    return true;
}

static bool match_tuple(struct value_matcher *m, const th__exalg_node *node, uint32_t from,
                        uint32_t limit, th_value *value, uint32_t *end);

/* The slot of a set's item is a tuple already. */
static th_value *as_tuple(struct value_matcher *m, th_value *slot)
{
    return slot && th_value_get_kind(slot) == TH_VALUE_TUPLE
               ? slot
               : th_records_set_tuple(m->records, slot);
}

/* The string with which a value of this node begins. */
static bool find_start(const struct value_matcher *m, const th__exalg_node *node, uint32_t from,
                       uint32_t limit, struct string_place *out)
{
    if (node->type == TH__EXALG_TUPLE)
        return node->strings[0].count && find_string(m, &node->strings[0], from, limit, out);
    if (node->type == TH__EXALG_BASIC)
        return false;
    bool any = false;
    for (uint32_t i = 0; i < node->count; i++) {
        struct string_place f;
        if (find_start(m, node->children[i], from, limit, &f) && (!any || f.start < out->start)) {
            *out = f;
            any = true;
        }
    }
    return any;
}

/* Reads a value between `from` and `bound`. *end becomes the token after it; it is left as it is if
 * there is no value. */
static bool match_value(struct value_matcher *m, const th__exalg_node *node, uint32_t from,
                        uint32_t bound, th_value *slot, uint32_t *end)
{
    struct string_place f;
    uint32_t best = 0;
    bool ok = true;
    switch ((th__exalg_type)node->type) {
    case TH__EXALG_BASIC:
        *end = bound;
        return set_text(m, slot, from, bound);
    case TH__EXALG_OPTIONAL:
        return match_value(m, node->children[0], from, bound, slot, end);
    case TH__EXALG_TUPLE:
        return !find_start(m, node, from, bound, &f) ||
               match_tuple(m, node, f.start, bound, as_tuple(m, slot), end);
    case TH__EXALG_CHOICE:
        for (uint32_t i = 0, start = bound; i < node->count; i++)
            if (find_start(m, node->children[i], from, bound, &f) && f.start < start) {
                start = f.start;
                best = i + 1;
            }
        return !best || match_value(m, node->children[best - 1], from, bound,
                                    th_records_choose(m->records, slot, best - 1), end);
    case TH__EXALG_SET:
        th_records_set_list(m->records, slot);
        while (ok && find_start(m, node->children[0], from, bound, &f)) {
            struct string_place next;
            /* An item does not reach into the next, when its first string shows where that is. */
            uint32_t until = bound, before = from;
            if (find_start(m, node->children[0], f.end, bound, &next) && next.start > f.start)
                until = next.start;
            ok = match_value(m, node->children[0], f.start, until,
                             th_records_append(m->records, slot), &from);
            if (from <= before)
                from = f.end;
            *end = from;
        }
        return ok;
    }
    return true;
}

/* The next string of a tuple that is on the page, from string `i` on. */
static uint32_t next_string(const struct value_matcher *m, const th__exalg_node *node, uint32_t i,
                            uint32_t from, uint32_t limit, struct string_place *f)
{
    for (uint32_t skipped = 0; i <= node->count && skipped < SKIPPED; i++) {
        bool last = i == node->count;
        if (!node->strings[i].count && !last)
            continue;
        if (!node->strings[i].count) {
            *f = (struct string_place){limit, limit, 0};
            return i;
        }
        if (find_string(m, &node->strings[i], from, limit, f))
            return i;
        skipped++;
    }
    *f = (struct string_place){limit, limit, 0};
    return i <= node->count ? i : node->count;
}

/* A text before members that begin with strings of their own ends where the first of them does. */
static uint32_t text_end(const struct value_matcher *m, const th__exalg_node *node, uint32_t first,
                         uint32_t end, uint32_t at, uint32_t bound)
{
    struct string_place f;
    for (uint32_t i = first; i < end; i++)
        if (find_start(m, node->children[i], at, bound, &f) && f.start < bound)
            bound = f.start;
    return bound;
}

/* Members `first` to `next` from token `at` to `limit`, where the string `next` is: nothing reaches
 * beyond it, so that a bad match of an optional member cannot take what follows. When a string
 * between members is missing it is not known where a text ends: such texts are left out. */
static bool match_members(struct value_matcher *m, const th__exalg_node *node, uint32_t first,
                          uint32_t next, uint32_t at, uint32_t limit, th_value *value)
{
    bool missing = false;
    for (uint32_t i = first + 1; i < next; i++)
        missing |= node->strings[i].count > 0;
    for (uint32_t i = first; i < next; i++) {
        const th__exalg_node *child = node->children[i];
        uint32_t end = at, bound = limit;
        if (child->type == TH__EXALG_BASIC && missing)
            continue;
        if (child->type == TH__EXALG_BASIC)
            bound = text_end(m, node, i + 1, next, at, bound);
        if (!match_value(m, child, at, bound, th_value_slot(value, i), &end))
            return false;
        at = end > at ? end : at;
    }
    return true;
}

/* A tuple whose first string is at `from`. */
static bool match_tuple(struct value_matcher *m, const th__exalg_node *node, uint32_t from,
                        uint32_t limit, th_value *value, uint32_t *end)
{
    struct string_place f;
    if (!find_string(m, &node->strings[0], from, limit, &f))
        f = (struct string_place){from, from, 0};
    m->expected += node->strings[0].count;
    m->matched += f.matched;
    uint32_t at = f.end;
    for (uint32_t i = 0; i < node->count;) {
        uint32_t next = next_string(m, node, i + 1, at, limit, &f);
        if (!match_members(m, node, i, next, at, f.start, value))
            return false;
        for (uint32_t k = i + 1; k <= next; k++)
            m->expected += node->strings[k].count;
        m->matched += f.matched;
        at = f.end > at ? f.end : at;
        i = next;
    }
    *end = at;
    return true;
}

/* ---- a page ---------------------------------------------------------------------------------- */

th_status th__exalg_template_run(const th__exalg_template *t, const th_schema *schema,
                                 const th_page *page, const th_records_source *source, double floor,
                                 th_records **out, th_error *err)
{
    struct value_matcher m = {.t = t};
    uint32_t end;
    th_status status = th_records_new(schema, source, &m.records, err);
    if (status)
        return status;
    th__arena_init(&m.arena);
    if (!read_page(&m, page) || !match_tuple(&m, t->root, 0, (uint32_t)m.string.tokens.len,
                                             th_records_add(m.records), &end))
        status = th__fail_memory(err);
    if (!status)
        status = th_records_status(m.records, err);
    double explained = m.expected ? (double)m.matched / (double)m.expected : 0;
    th__buf_release(&m.text);
    th__vec_release(&m.string.tokens);
    th__arena_release(&m.arena);
    if (status || explained < floor) {
        th_records_free(m.records);
        status = status ? status : th_records_new(schema, source, &m.records, err);
    }
    if (status)
        return status;
    m.records->explained = explained;
    *out = m.records;
    return TH_OK;
}

/* ---- a template in a wrapper file. ---------------------------------------------------------- */

/* ---- tokens: [token], [token, path] or, of another role, [number of the token, role] ----------
 */

static th_status read_role(th__rule_reader *reader, json_t *json, th__exalg_symbol *symbol)
{
    json_int_t plain = json_integer_value(json_array_get(json, 0));
    const char *name = json_string_value(json_array_get(json, 1));
    if (plain < 0 || plain >= TH__EXALG_MAX_SYMBOLS || json_array_size(json) != 2 || !name ||
        strlen(name) != 16 || strspn(name, "0123456789abcdef") < 16)
        return th__rule_fault(reader,
                              "must be the number of a token and sixteen hexadecimal digits");
    symbol->plain = (uint32_t)plain;
    symbol->key = strtoull(name, NULL, 16);
    return TH_OK;
}

static th_status read_symbol(th__rule_reader *reader, json_t *json, void *object)
{
    th__exalg_symbol *symbol = object;
    size_t parts = json_array_size(json);
    if (json_is_integer(json_array_get(json, 0)))
        return read_role(reader, json, symbol);
    if (parts < 1 || parts > 2)
        return th__rule_fault(reader, "must be an array of a token and its path");
    th_status status =
        th__rule_read_inner(reader, json_array_get(json, 0), &th__texts_shape, &symbol->token);
    if (!status && parts == 2)
        status =
            th__rule_read_inner(reader, json_array_get(json, 1), &th__texts_shape, &symbol->path);
    if (!status && !th__exalg_token_key(symbol->token, symbol->path, &symbol->key))
        status = th__rule_fault(reader, "a token is a tag or a word, without blanks");
    return status;
}

static void write_symbol(const void *root, const void *object, th__json *json)
{
    const th__exalg_template *t = root;
    const th__exalg_symbol *symbol = object;
    char name[17];
    th__json_begin_array(json);
    if (&t->symbols[symbol->plain] != symbol) {
        snprintf(name, sizeof name, "%016llx", (unsigned long long)symbol->key);
        th__json_uint(json, symbol->plain);
        th__json_str(json, th_str_from(name));
    } else {
        th__json_str(json, symbol->token);
        if (t->paths)
            th__json_str(json, symbol->path);
    }
    th__json_end_array(json);
}

static const th__rule_member symbol_items[] = {{TH__OWN(NULL, read_symbol, write_symbol)}};
static const th__rule_shape symbol_shape = TH__SHAPE(th__exalg_symbol, symbol_items);

/* ---- strings: arrays of numbers of tokens ---------------------------------------------------- */

static th_status check_number(th__rule_reader *reader, void *number)
{
    uint32_t count = ((const th__exalg_template *)reader->root)->symbol_count;
    return *(uint32_t *)number < count
               ? TH_OK
               : th__rule_fault(reader, "must be the number of a token: there are %u", count);
}

static const th__rule_member number_items[] = {
    {.type = TH__RULE_UINT, .size = sizeof(uint32_t), .most = TH__EXALG_MAX_SYMBOLS}};
static const th__rule_shape number_shape = TH__CHECKED_SHAPE(uint32_t, number_items, check_number);

static const th__rule_member text_items[] = {
    {TH__LIST(NULL, th__exalg_text, symbols, count, number_shape, 0, TH__EXALG_MAX_SYMBOLS)}};
static const th__rule_shape text_shape = TH__SHAPE(th__exalg_text, text_items);

/* ---- rounds: {"classes": [[...]], "split": [...]} -------------------------------------------- */

static const th__rule_member round_members[] = {
    {TH__LIST("classes", th__exalg_round, classes, class_count, text_shape, 0,
              TH__EXALG_MAX_SYMBOLS)},
    {TH__LIST("split", th__exalg_round, split.symbols, split.count, number_shape, 0,
              TH__EXALG_MAX_SYMBOLS)},
};
static const th__rule_shape round_shape = TH__SHAPE(th__exalg_round, round_members);

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *const type_keys[] = {"text", "tuple", "set", "optional", "choice"};

static void write_node(const th__exalg_node *node, th__json *json)
{
    if (node->type == TH__EXALG_BASIC) {
        th__json_str(json, TH_STR("*"));
        return;
    }
    th__json_begin_object(json);
    th__json_key(json, th_str_from(type_keys[node->type]));
    bool many = node->type == TH__EXALG_TUPLE || node->type == TH__EXALG_CHOICE;
    if (many)
        th__json_begin_array(json);
    for (uint32_t i = 0; i < node->count; i++)
        write_node(node->children[i], json);
    if (many)
        th__json_end_array(json);
    if (node->type == TH__EXALG_TUPLE) {
        th__json_key(json, TH_STR("strings"));
        th__json_begin_array(json);
        for (uint32_t i = 0; i <= node->count; i++)
            th__rule_table_write(&text_shape, &node->strings[i], json);
        th__json_end_array(json);
    } else if (node->type == TH__EXALG_SET) {
        th__json_key(json, TH_STR("separator"));
        th__rule_table_write(&text_shape, &node->strings[0], json);
    }
    th__json_end_object(json);
}

static th_status read_strings(th__rule_reader *reader, json_t *object, th__exalg_node *node)
{
    json_t *strings;
    if (node->type == TH__EXALG_SET) {
        static const th__rule_member separator = {
            .key = "separator", .type = TH__RULE_OBJECT, .of = &text_shape};
        return th__rule_member_read(reader, object, &separator, &node->strings[0]);
    }
    if (node->type != TH__EXALG_TUPLE)
        return TH_OK;
    th_status status =
        th__rule_array(reader, object, "strings", node->count + 1, node->count + 1, &strings);
    size_t mark = th__rule_enter(reader, "strings");
    for (uint32_t i = 0; !status && i <= node->count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status =
            th__rule_read_inner(reader, json_array_get(strings, i), &text_shape, &node->strings[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

/* The member of a node's object that has the type as its key. */
static json_t *find_type(json_t *json, th__exalg_type *type)
{
    for (unsigned i = TH__EXALG_TUPLE; json_is_object(json) && i <= TH__EXALG_CHOICE; i++) {
        json_t *found = json_object_get(json, type_keys[i]);
        if (found) {
            *type = (th__exalg_type)i;
            return found;
        }
    }
    return NULL;
}

static const uint8_t schema_kinds[] = {TH_TYPE_FIELD, TH_TYPE_TUPLE, TH_TYPE_LIST, TH_TYPE_OPTIONAL,
                                       TH_TYPE_CHOICE};

/* Depth is bounded by the schema, which was read before and which the nodes must match. */
static th_status read_node(th__rule_reader *reader, json_t *json, const th_type *type,
                           th__exalg_node **out)
{
    th__exalg_type kind = TH__EXALG_BASIC;
    json_t *inside = NULL;
    bool text = json_is_string(json) && !strcmp(json_string_value(json), "*");
    if (!text && !(inside = find_type(json, &kind)))
        return th__rule_fault(reader,
                              "must be \"*\" or an object with tuple, set, optional or choice");
    bool many = kind == TH__EXALG_TUPLE || kind == TH__EXALG_CHOICE;
    if (many && !json_is_array(inside))
        return th__rule_fault(reader, "%s must be an array", type_keys[kind]);
    size_t count = text ? 0 : many ? json_array_size(inside) : 1;
    if (type->kind != schema_kinds[kind] || type->count != count)
        return th__rule_fault(reader, "does not match the schema, which has a %s of %u",
                              th_type_kind_name((th_type_kind)type->kind), type->count);
    th__exalg_node *node = th__arena_zero(reader->arena, 1, sizeof *node);
    if (!node)
        return th__fail_memory(reader->err);
    node->type = (uint8_t)kind;
    node->count = (uint32_t)count;
    node->children = th__arena_zero(reader->arena, count + 1, sizeof *node->children);
    node->strings = th__arena_zero(reader->arena, count + 1, sizeof *node->strings);
    if (!node->children || !node->strings)
        return th__fail_memory(reader->err);
    *out = node;
    th_status status = read_strings(reader, json, node);
    size_t mark = th__rule_enter(reader, type_keys[kind]);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = many ? th__rule_enter_item(reader, i) : 0;
        status = read_node(reader, many ? json_array_get(inside, i) : inside, type->children[i],
                           &node->children[i]);
        if (many)
            th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_root(th__rule_reader *reader, json_t *json, void *object)
{
    th__exalg_template *t = object;
    const th_type *type = reader->schema->root;
    size_t mark = th__rule_enter(reader, "root");
    th_status status = type->kind == TH_TYPE_TUPLE
                           ? read_node(reader, json_object_get(json, "root"), type, &t->root)
                           : th__rule_fault(reader, "the schema of a template is a tuple");
    th__rule_leave(reader, mark);
    return status;
}

static void write_root(const void *root, const void *object, th__json *json)
{
    th__json_key(json, TH_STR("root"));
    write_node(((const th__exalg_template *)object)->root, json);
}

/* ---- all ------------------------------------------------------------------------------------- */

static th_status begin_template(th__rule_reader *reader, void *t)
{
    ((th__exalg_template *)t)->paths = true;
    return TH_OK;
}

static th_status check_template(th__rule_reader *reader, void *object)
{
    th__exalg_template *t = object;
    for (uint32_t i = 0; i < t->symbol_count; i++) {
        th__exalg_symbol *symbol = &t->symbols[i];
        uint32_t plain = symbol->token.ptr ? i : symbol->plain;
        if (plain >= t->symbol_count || !t->symbols[plain].token.ptr || plain > i)
            return th__rule_fault_in(reader, "tokens", "a role must be of a token before it");
        symbol->plain = plain;
        symbol->token = t->symbols[plain].token;
        symbol->path = t->symbols[plain].path;
    }
    for (uint32_t i = 0; i < t->symbol_count; i++)
        if ((t->symbols[i].path.ptr != NULL) != t->paths)
            return th__rule_fault_in(reader, "tokens",
                                     t->paths ? "must have paths" : "must have no paths");
    return prepare_template(t, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member template_members[] = {
    {TH__LIST("tokens", th__exalg_template, symbols, symbol_count, symbol_shape, 0,
              TH__EXALG_MAX_SYMBOLS),
     .flags = TH__NEEDED},
    {TH__FLAG("paths", th__exalg_template, paths), .flags = TH__ALWAYS},
    {TH__LIST("rounds", th__exalg_template, rounds, round_count, round_shape, 0,
              TH__EXALG_MAX_ROUNDS)},
    {TH__OWN("root", read_root, write_root)},
};
static const th__rule_shape template_shape = {.members = template_members,
                                              .count = 4,
                                              .size = sizeof(th__exalg_template),
                                              .begin = begin_template,
                                              .check = check_template};

/* ---- the engine ------------------------------------------------------------------------------ */

struct exalg_rules {
    th__exalg_template template; /* first: functions of its table cast the rules to it */
    double floor;                /* pages of which less is explained are of another template */
    uint32_t size_threshold;     /* SIZETHRES, while learning */
};

static void trace_page(const th__page_sample *s, uint32_t page, const th__exalg_string *string)
{
    th__step step;
    size_t i = page; /* of the corpus, which has those that were left out too */
    while (s->corpus->pages[i].page != s->pages[page])
        i++;
    th__step_begin(&step, s->trace, "page", 0);
    th__step_uint(&step, "number", page + 1);
    th__step_text(&step, "name", s->corpus->pages[i].source.page);
    th__step_uint(&step, "tokens", string->tokens.len);
    th__step_end(&step);
}

static th_status trace_schema(const th__page_sample *s, const th_schema *schema, th_error *err)
{
    th_text text = {0};
    th_status status = s->trace ? th_schema_print(schema, false, &text, err) : TH_OK;
    th__step step;
    if (!s->trace || status)
        return status;
    th__step_begin(&step, s->trace, "schema", 0);
    th__step_text(&step, "is", (th_str){text.ptr, text.len});
    th__step_end(&step);
    th_text_release(&text);
    return TH_OK;
}

static th_status learn_sample(th__page_sample *s, th_schema **schema, th_error *err)
{
    struct exalg_rules *rules = s->rules;
    th__exalg_ecgm e;
    /* The fewest pages that are that share of all: 7 of 25 are 0.28, though the product is more. */
    uint32_t support = (uint32_t)ceil(s->support * s->count - 1e-9);
    support = support > 1 ? support : 2;
    bool ok = th__exalg_ecgm_init(&e, s->pages, s->count, true, rules->size_threshold, support);
    for (uint32_t i = 0; ok && s->trace && i < s->count; i++)
        trace_page(s, i, &e.strings[i]);
    e.trace = s->trace;
    ok = ok && !th__cancelled(s->cancel) && th__exalg_ecgm_run(&e) &&
         th__exalg_construct(&e, true, s->arena, &rules->template);
    th__exalg_ecgm_release(&e);
    th_status status =
        ok ? th__exalg_template_schema(&rules->template, schema, err) : th__fail_memory(err);
    if (!status)
        status = trace_schema(s, *schema, err);
    for (uint32_t i = 0; !status && i < s->count; i++) {
        th_records *records = NULL;
        status = th__exalg_template_run(&rules->template, *schema, s->pages[i],
                                        &(th_records_source){0}, 0, &records, err);
        s->explained[i] = status ? 0 : records->explained;
        th_records_free(records);
    }
    if (!status)
        s->fields = (uint32_t)th_type_count(th_schema_root(*schema));
    return status;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    struct exalg_rules *rules = *out = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    rules->size_threshold = options->paper.size_threshold;
    return th__one_template_learn("exalg", learn_sample, options, corpus, rules, arena,
                                  &rules->floor, schema, err);
}

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct exalg_rules *rules = context;
    return th__exalg_template_run(&rules->template, schema, page, source, rules->floor, out, err);
}

static const th__rule_member rules_members[] = {
    {TH__REAL("floor", struct exalg_rules, floor, 0, 1), .flags = TH__ALWAYS},
    {TH__OBJECT("template", struct exalg_rules, template, template_shape), .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = TH__SHAPE(struct exalg_rules, rules_members);

static void show_template(const void *context, const th_records *const *pages, size_t count,
                          th__buf *out)
{
    const struct exalg_rules *rules = context;
    th__exalg_template_print(&rules->template, pages, count, out);
}

static void explain(const void *context, th__buf *out)
{
    th__buf_printf(out, "template\n");
    show_template(context, NULL, 0, out);
}

const th__engine th__exalg_engine = {
    .name = "exalg",
    .published = true,
    .learn_corpus = learn_corpus,
    .run = run,
    .shape = &rules_shape,
    .explain = explain,
    .show_template = show_template,
};
