/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003, with the
 * appendix of the long version): the template behind pages, and the data that it was filled with,
 * without any labels.
 *
 * The idea
 * --------
 * A page is made of a value and a template: strings around the members of tuples, separators
 * between the items of sets. Tokens (words and tags) that come of one string of the template occur
 * equally often on every page: their occurrence vectors are the same. Sets of tokens with the same
 * vector that are large and on many pages are hardly ever formed by chance. So:
 *
 *   DIFFFORM    tokens at different paths of the tree have different roles: they become dtokens
 *   FINDEQ      equivalence classes: dtokens with one occurrence vector; large and frequent ones
 *               (LFEQs) have at least SIZETHRES dtokens and are on at least SUPTHRES pages
 *   HANDINV     throws out or cuts classes that are not ordered, or not nested with the others
 *   DIFFEQ      a dtoken inside of an LFEQ, between its third and fourth token, has another role
 *               than one elsewhere; new dtokens, and again from FINDEQ until there are none
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
 * Words of the paper in the code: token, dtoken, role, occurrence path, equivalence class, LFEQ,
 * position, PosString; basic type, tuple, set, optional, disjunction.
 *
 * The files
 * ---------
 * exalg_classes.c makes strings of tokens and has DIFFFORM, FINDEQ, HANDINV, DIFFEQ and the loop,
 * exalg_template.c CONSTTEMP. Here are EXVAL and the template in a wrapper file, and they
 * are joined to an engine. The engine template looks for the same in the tree of elements, which
 * mends what counting gets wrong.
 *
 * Cost
 * ----
 * Learning: linear in the tokens of all pages in each round of the loop (two or three on most
 * sites, 64 at most) but for HANDINV, see there. Running: linear in the page, a logarithm aside.
 *
 * What the paper leaves open is settled in the heads of the files; thresholds are "at least".
 */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/one_template.h"
#include "engine/papers/exalg/exalg_steps.h"
#include "page/text.h"
#include "wrapper/rule_table.h"

/* ---- EXVAL: the values of a page by a template. ---------------------------------------------
 *
 * The paper leaves EXVAL to the reader. First each token of the page gets its role: the rounds of
 * the loop, which the template keeps, are done again (th__exalg_round). On a page that the template
 * was learnt from the strings of the template are then exactly where the classes were, and all
 * values come out. On any other page strings are looked for one after the other: by the role that
 * is rarest on the page, then around it. A string that is not there as a whole is taken where most
 * of it is, with a bounded look to both sides; one that is not there at all leaves the values
 * around it missing, and the search goes on with the next. What is between two strings stays
 * between them: damage is local.
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

/* What of a string is around a place of one of its tokens. */
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

/* A value from `from` to `bound`, which nothing of it crosses. *end is behind it, or stays where it
 * is. */
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
            /* An item does not reach into the next, when its first string tells where that is. */
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
 * between members is missing nobody knows where a text ends: such texts are left out. */
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
    th__exalg_string_release(&m.string);
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
    th_status status = th__rule_text_value(reader, json_array_get(json, 0), &symbol->token);
    if (!status && parts == 2)
        status = th__rule_text_value(reader, json_array_get(json, 1), &symbol->path);
    if (!status && !th__exalg_token_valid(symbol->token))
        status = th__rule_fault(reader, "a token is a tag or a word, without blanks");
    symbol->key = status ? 0 : th__exalg_token_key(symbol->token, symbol->path);
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

/* The only member of a node's object that says what it is. */
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

/* Depth is bounded by that of the schema, which is read before and held against it. */
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
    return th__exalg_template_prepare(t, reader->arena) ? TH_OK : th__fail_memory(reader->err);
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
    th__exalg_string *strings = th__mem_zero(s->count + 1, sizeof *strings);
    th__exalg_ecgm e = {0};
    /* The fewest pages that are that share of all: 7 of 25 are 0.28, though the product is more. */
    uint32_t count = 0, support = (uint32_t)ceil(s->support * s->count - 1e-9);
    bool ok = strings;
    for (; ok && count < s->count; count++) {
        ok = !th__cancelled(s->cancel) &&
             th__exalg_string_read(s->pages[count], true, &strings[count]);
        if (ok && s->trace)
            trace_page(s, count, &strings[count]);
    }
    support = support > 1 ? support : 2;
    ok = ok && th__exalg_ecgm_init(&e, strings, count, rules->size_threshold, support);
    e.trace = s->trace;
    ok = ok && th__exalg_ecgm_run(&e) && th__exalg_construct(&e, true, s->arena, &rules->template);
    th__exalg_ecgm_release(&e);
    while (strings && count--)
        th__exalg_string_release(&strings[count]);
    th__mem_free(strings);
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
