/*
 * exalg_template.c: CONSTTEMP, section 5.2 of the paper: classes become a template; and templates
 * as schemas and in the paper's notation.
 *
 * One walk over the pages gives PosString of every position of every class, with runs of plain
 * tokens as one item. Then table 1, position by position. What it leaves open is settled so:
 *
 *  - Optional and disjunction (of any width) go before list, list before separated list, whose
 *    separators must be the same everywhere.
 *  - Text before or behind what has a pattern is a value of its own, and so are classes that follow
 *    each other always in one order: each is a member of the tuple, with nothing between them.
 *  - A class that is in its position once each time is no optional: its tuple is as it is.
 *  - Unknown patterns are texts.
 */
#include "engine/papers/exalg/exalg_steps.h"

#include "base/error.h"
#include "base/mem.h"
#include "data/schema.h"
#include "engine/one_template.h"

/* What a round needs is in proportion to what the file says of it. */
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

bool th__exalg_template_prepare(th__exalg_template *t, th__arena *arena)
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

static bool read_page(struct builder *b, uint32_t p, struct class_frame *stack, uint32_t *instances)
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

static bool read_strings(struct builder *b)
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
        if (!read_page(b, p, stack, instances))
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

/* Tokens from rank `first` to `last` of a class; the dummies are no part of the template. */
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
    bool lead, trail;   /* text before the first class, behind the last */
    bool mixed;         /* texts between classes that are no separators, or no order */
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
        pattern->mixed |= found[c] && previous != c; /* comes again behind another */
        previous = c;
        together += !found[c];
        known->strings += !found[c];
        known->most = ++found[c] > known->most ? found[c] : known->most;
    }
    pattern->with_classes += together > 0;
    if (together > pattern->most_together)
        pattern->most_together = together;
}

/* Classes that follow each other must do so in one order: sorts them, or finds that there is none.
 */
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

/* "3: E2 E2", which is there three times: a class is E and its number, a run of other tokens *. */
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
    bool ok = out->symbols && th__key_map_init(&b.by_key, &b.scratch, most) && read_strings(&b) &&
              (out->root = build_class(&b, 0, 0)) && make_rounds(&b) &&
              th__exalg_template_prepare(out, arena);
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
        return; /* a wrapper from outside may be deeper; its types are told by the schema */
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

/* Members are on lines of their own, strings of the template before, between and behind them. */
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
