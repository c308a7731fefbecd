/*
 * stalker_run.c: running the rules: what each view says of a field and who is believed, where the
 * items of a list are, and the records of a page, down the catalog tree.
 *
 * Recursion goes as deep as the schema, which has a limit. Every node looks through its parent's
 * scope once per rule, and the scopes of a list's items do not overlap: the cost is page size times
 * rules times depth.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/attrs.h"
#include "page/bytes.h"
#include "page/charref.h"
#include "page/lex.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* ---- scopes --------------------------------------------------------------------------------- */

/* Tokens under one parent. */
static th__scope scope_run(const th_page *page, uint32_t root, uint32_t token, uint32_t end)
{
    th_span span = {page->tokens[token].start, page->tokens[end].start};
    return (th__scope){root, token, end, span};
}

th__scope th__scope_page(const th_page *page)
{
    return scope_run(page, 0, 0, page->token_count);
}

static th__scope scope_element(const th_page *page, uint32_t node)
{
    return scope_run(page, node, page->nodes[node].token, page->nodes[node].token_end);
}

/* Any stretch. */
static th__scope scope_span(const th_page *page, th_span span)
{
    uint32_t token = th__token_at(page, span.start), end = th__token_at(page, span.end);
    end += end < page->token_count && page->tokens[end].start < span.end;
    uint32_t last = end > token ? end : token + 1;
    last = last < page->token_count ? last : page->token_count;
    uint32_t root = th__page_node_around(page, token, last - 1);
    token += page->tokens[token].start < span.start && token < end;
    return (th__scope){root, token, end > token ? end : token, span};
}

/* ---- units ----------------------------------------------------------------------------------- */

enum { BLANK = 6 /* bytes of &nbsp; */ };

/* Returns true if a sign separates the values of a line. Its blanks, or an edge of the text, have
 * to be around it. Those that are common inside of values count at an edge alone, beside a tag. A
 * comma never does: lists of texts are split at commas by rules of their own (stalker.c). */
static bool parts_line(const th__sign *sign)
{
    return sign->flags & TH__SIGN_PARTS && sign->flags & TH__SIGN_OPENS && sign->code != '(' &&
           sign->code != ',' && sign->code != 0xA0;
}

/* Returns true if a blank or an edge is before (or behind) a place; *edge: nothing else does. */
static bool has_blank(const th_page *page, th_span text, uint32_t at, bool before, bool *edge)
{
    th_span side = before ? (th_span){text.start, at} : (th_span){at, text.end};
    *edge = false;
    if (side.end - side.start > BLANK) {
        if (before)
            side.start = side.end - BLANK;
        else
            side.end = side.start + BLANK;
    }
    th_span bare = th__span_trim(page, side);
    *edge = bare.start == bare.end && (before ? side.start == text.start : side.end == text.end);
    return *edge || bare.start == bare.end ||
           (before ? bare.end < side.end : bare.start > side.start);
}

static bool is_sign(const th_page *page, th_span text, uint32_t at, const th__sign *sign)
{
    th_str source = th__page_slice(page, text.start, text.end);
    th_str rest = {source.ptr + (at - text.start), text.end - at};
    bool first, last;
    if (!th__str_starts(rest, sign->text) ||
        (sign->text.ptr[0] == ';' && th__ends_reference(source, at - text.start)))
        return false;
    bool before = has_blank(page, text, at, true, &first);
    bool behind = has_blank(page, text, at + (uint32_t)sign->text.len, false, &last);
    /* A dash or a slash between texts of one unit is cut by rules: it counts where it is alone. */
    bool close = sign->flags & TH__SIGN_TIGHT, edge = close ? first || last : first && last;
    return (before || close) && behind && (edge || !th__sign_is_common(sign));
}

/* The first such sign of a text from a place on, or {end, end}; `bare` is the text without blanks
 * at either end. */
static th_span find_sign(const th_page *page, th_span text, th_span bare, uint32_t from)
{
    static const char anywhere[4] = {'|', '&', '\xC2', '\xE2'};
    const char *base = page->text.ptr;
    for (uint32_t at = from > bare.start ? from : bare.start; at < bare.end; at++) {
        /* Almost all bytes begin no sign, and those of sentences count at an edge alone. */
        bool edge = at == bare.start || at + 1 == bare.end;
        if (!edge)
            at = (uint32_t)(th__find_of4(base + at, base + bare.end - 1, base + page->text.len,
                                         anywhere) -
                            base);
        char c = base[at];
        edge |= at + 1 == bare.end;
        if (c != '|' && c != '&' && c != '\xC2' && c != '\xE2' &&
            !(edge && (c == ';' || c == '-' || c == '/')))
            continue;
        for (size_t s = 0; s < th__sign_count; s++)
            if (th__signs[s].text.ptr[0] == c && parts_line(&th__signs[s]) &&
                is_sign(page, text, at, &th__signs[s]))
                return (th_span){at, at + (uint32_t)th__signs[s].text.len};
    }
    return (th_span){text.end, text.end};
}

bool th__span_has_sign(const th_page *page, th_span span)
{
    for (uint32_t t = th__token_at(page, span.start);
         t < page->token_count && page->tokens[t].start < span.end; t++) {
        th_span text = {page->tokens[t].start, page->tokens[t + 1].start};
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        uint32_t from = text.start > span.start ? text.start : span.start;
        if (find_sign(page, text, th__span_trim(page, text), from).start <
            (text.end < span.end ? text.end : span.end))
            return true;
    }
    return false;
}

struct map_maker {
    const th_page *page;
    bool signs; /* separate texts */
    th__node_walk walk;
    TH__VEC(th__text_unit) units;
    th__buf scratch;
};

/* Adds a unit without blanks at either end; none when nothing is left. */
static bool add_unit(struct map_maker *m, uint32_t token, th_span span, bool sign)
{
    if (span.start == span.end)
        return true;
    th_str source = th__page_slice(m->page, span.start, span.end);
    uint64_t hash = th__anchor_key(source, true, &m->scratch);
    return th__vec_push(&m->units, (th__text_unit){token, m->walk.node, span, hash, sign});
}

/* The units of a text. */
static bool add_units(struct map_maker *m, uint32_t token)
{
    const th_page *page = m->page;
    th_span text = {page->tokens[token].start, page->tokens[token + 1].start};
    th_span bare = th__span_trim(page, text), none = {text.end, text.end};
    th_span sign = m->signs ? find_sign(page, text, bare, text.start) : none;
    if (sign.start == text.end)
        return add_unit(m, token, bare, false);
    for (uint32_t from = text.start; from < text.end;) {
        if (!add_unit(m, token, th__span_trim(page, (th_span){from, sign.start}), false) ||
            !add_unit(m, token, th__span_trim(page, sign), true))
            return false;
        from = sign.end;
        sign = find_sign(page, text, bare, from);
    }
    return true;
}

/* In the arena; `signs`: they separate texts. False if out of memory. */
static bool make_map(th__arena *arena, const th_page *page, bool signs, th__page_map *out)
{
    struct map_maker m = {.page = page, .signs = signs, .walk.next = 1};
    uint32_t hidden = 0; /* tokens before this one are not shown */
    *out = (th__page_map){.page = page};
    out->before = th__arena_alloc(arena, (page->token_count + (size_t)1) * sizeof *out->before);
    /* About a quarter of the tokens of pages are texts. */
    bool ok = out->before && th__addresses_make(arena, page, &out->at) &&
              (out->holds = th__contents_of(&out->at)) &&
              th__vec_reserve(&m.units, page->token_count / (size_t)4 + 1);
    for (uint32_t token = 0; ok && token < page->token_count; token++) {
        const th_token *t = &page->tokens[token];
        out->before[token] = (uint32_t)m.units.len;
        if (token < hidden)
            continue;
        if (t->kind == TH_TOKEN_START) {
            if (th__tag_hides(t->tag))
                hidden = th__hidden_end(page, token);
        } else if (th__is_text(t)) {
            th__node_follow(&m.walk, page, token);
            ok = add_units(&m, token);
        }
    }
    out->count = (uint32_t)m.units.len;
    out->units = ok ? th__arena_alloc(arena, (m.units.len + 1) * sizeof *out->units) : NULL;
    if (out->units) {
        out->before[page->token_count] = out->count;
        memcpy(out->units, m.units.data, m.units.len * sizeof *out->units);
    }
    th__vec_release(&m.units);
    th__buf_release(&m.scratch);
    return out->units;
}

th_str th__span_copy(th__arena *arena, const th_page *page, th_span span)
{
    th__buf text = {0};
    th_str out = {0};
    if (th__span_text(page, span, &text))
        out = th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return out;
}

uint32_t th__map_unit_at(const th__page_map *map, uint32_t offset)
{
    return (uint32_t)th__count_first(i, map->count, map->units[i].span.end <= offset);
}

uint32_t th__map_units_to(const th__page_map *map, uint32_t offset)
{
    return (uint32_t)th__count_first(i, map->count, map->units[i].span.start < offset);
}

/* Returns true if a unit and the one behind it are in one line: nothing but phrasing between them.
 */
static bool in_line(const th__page_map *map, uint32_t unit)
{
    const th_page *page = map->page;
    if (unit + 1 >= map->count)
        return false;
    for (uint32_t token = map->units[unit].token + 1; token < map->units[unit + 1].token; token++) {
        const th_token *t = &page->tokens[token];
        bool ends = !th__tag_flows(t->tag) || t->tag == TH_TAG_BR || t->tag == TH_TAG_IMG;
        if (th__is_tag(t) && ends)
            return false;
    }
    return true;
}

bool th__map_flows(const th__page_map *map, uint32_t unit)
{
    return unit + 1 < map->count && !map->units[unit].sign && !map->units[unit + 1].sign &&
           in_line(map, unit);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Never 0, which means no hash. */
static uint32_t fold(uint64_t hash)
{
    uint32_t sym = (uint32_t)(hash ^ hash >> 32);
    return sym ? sym : 1;
}

static uint32_t text_sym(th_str text)
{
    return fold(th__hash(text.ptr, text.len));
}

static uint32_t tag_sym(th__mark_kind kind, uint64_t step, bool end)
{
    return fold(th__hash_mix(kind == TH__MARK_STEP ? 3 : end ? 2 : 1, step));
}

struct token_reader {
    TH__VEC(th__stalker_token) tokens;
    th__buf scratch;
    const th_page *page;
    uint32_t coarse; /* the coarse token of the tag at hand, or one before it */
};

/* Of a start tag with a class. */
static uint32_t step_of(struct token_reader *r, const th_fine *fine)
{
    th_str classes = {0};
    while (r->page->tokens[r->coarse].start < fine->start)
        r->coarse++;
    if (!(r->page->tokens[r->coarse].flags & TH_TOKEN_HAS_ATTRS) ||
        !th_attr_get(r->page, r->coarse, "class", &classes) || !th__str_trim(classes).len)
        return 0;
    return tag_sym(TH__MARK_STEP, th__element_hash(fine->tag, classes), false);
}

static bool add_token(struct token_reader *r, const th_fine *fine)
{
    th__stalker_token token = {
        .start = fine->start, .end = fine->end, .tag = fine->tag, .cls = fine->cls};
    if (th__class_is(fine->cls, TH_CLASS_BLANK) && !th__fine_is_gap(r->page, fine))
        return true;
    if (fine->cls == TH_CLASS_TAG_START) {
        token.sym = tag_sym(TH__MARK_TAG, fine->tag, false);
        token.step = step_of(r, fine);
    } else if (fine->cls == TH_CLASS_TAG_END) {
        token.sym = tag_sym(TH__MARK_TAG, fine->tag, true);
    } else if (th__class_is(fine->cls, TH_CLASS_BLANK)) {
        token.sym = text_sym(TH_STR(TH__STALKER_GAP));
    } else if (fine->cls == TH_CLASS_MARKUP) {
        token.sym = 0; /* scripts and comments are known by their class alone */
    } else {
        th_str text = th__fine_text(r->page, fine, &r->scratch);
        if (!text.ptr)
            return false;
        token.sym = text_sym(text);
    }
    return th__vec_push(&r->tokens, token);
}

bool th__stalker_seq_make(th__arena *arena, const th_page *page, th_span span, th__stalker_seq *out)
{
    struct token_reader r = {.page = page};
    th_lex lex;
    th_fine fine;
    bool ok = true;
    th_lex_init(&lex, page, span);
    r.coarse = lex.token;
    while (ok && th_lex_next(&lex, &fine))
        ok = add_token(&r, &fine);
    *out = (th__stalker_seq){.page = page, .count = (uint32_t)r.tokens.len};
    if (ok)
        out->tokens = th__arena_keep(arena, r.tokens.data, r.tokens.len, sizeof *out->tokens);
    ok = out->tokens;
    th__vec_release(&r.tokens);
    th__buf_release(&r.scratch);
    return ok;
}

uint32_t th__stalker_seq_at(const th__stalker_seq *seq, uint32_t offset)
{
    return (uint32_t)th__count_first(i, seq->count, seq->tokens[i].start < offset);
}

/* Where a position is on the page: the start of the token behind it, or the end of the one before
 * it. */
static uint32_t start_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position < seq->count)
        return seq->tokens[position].start;
    return seq->count ? seq->tokens[seq->count - 1].end : 0;
}

static uint32_t end_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position)
        return seq->tokens[position - 1].end;
    return seq->count ? seq->tokens[0].start : 0;
}

/* ---- wildcards ------------------------------------------------------------------------------- */

const th__wildcard th__wildcards[TH__WILDCARDS] = {
    {"_Number_", TH_CLASS_NUMBER},
    {"_AllCaps_", TH_CLASS_ALLCAPS},
    {"_Capitalized_", TH_CLASS_CAPITALIZED},
    {"_Alphabetic_", TH_CLASS_ALPHA},
    {"_AlphaNum_", TH_CLASS_WORD},
    {"_Punctuation_", TH_CLASS_PUNCT},
    {"_HtmlTag_", TH_CLASS_HTML},
};

/* Returns true if a step has a class: a point of a tag's name has a backslash before it. */
static bool has_class(th_str step)
{
    for (size_t i = 0; i < step.len; i += step.ptr[i] == '\\' ? 2 : 1)
        if (step.ptr[i] == '.')
            return true;
    return false;
}

const char *th__mark_read(bool escaped, th__mark *mark)
{
    th_str text = mark->text;
    if (!escaped && text.ptr[0] == '_' && text.len > 1) {
        for (size_t i = 0; i < TH__WILDCARDS; i++)
            if (th__str_eq(text, th_str_from(th__wildcards[i].name))) {
                mark->kind = TH__MARK_WILD;
                mark->cls = th__wildcards[i].cls;
                return NULL;
            }
        return "names an unknown wildcard";
    }
    if (!escaped && text.ptr[0] == '<' && text.len > 1) {
        bool end = text.ptr[1] == '/';
        th_str name = {text.ptr + 1 + end, text.len - 1 - end};
        uint16_t tag;
        if (name.len < 2 || name.ptr[name.len - 1] != '>' ||
            !th__is_alpha((unsigned char)name.ptr[0]))
            return "has an invalid tag: write <name>, </name> or <name.class>";
        name.len--;
        uint64_t hash = th__step_hash(name, &tag);
        bool step = has_class(name) && !end;
        mark->kind = step ? TH__MARK_STEP : TH__MARK_TAG;
        mark->sym = tag_sym((th__mark_kind)mark->kind, step ? hash : tag, end);
        return NULL;
    }
    mark->kind = TH__MARK_TEXT;
    mark->sym = text_sym(text);
    return NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The rest of a landmark whose first mark matches. */
static bool matches_behind(const th__landmark *landmark, const th__stalker_token *tokens)
{
    for (uint32_t i = 1; i < landmark->count; i++)
        if (!th__mark_matches(&landmark->marks[i], &tokens[i]))
            return false;
    return true;
}

/* The first (or, by -1, the last) of the tokens from one on at which a landmark begins; `steps` are
 * looked at. Nearly all of them are not even its first mark, which is compared as its kind asks. */
static const th__stalker_token *seek(const th__landmark *landmark, const th__stalker_token *token,
                                     uint32_t steps, int by)
{
    const th__mark *mark = landmark->marks;
    for (; steps; steps--, token += by) {
        if (mark->kind == TH__MARK_WILD)
            for (; steps && !th__class_is(token->cls, mark->cls); steps--)
                token += by;
        else if (mark->kind == TH__MARK_STEP)
            for (; steps && token->step != mark->sym; steps--)
                token += by;
        else
            for (; steps && token->sym != mark->sym; steps--)
                token += by;
        if (!steps || matches_behind(landmark, token))
            break;
    }
    return steps ? token : NULL;
}

static uint32_t skip_to(const th__landmark *landmark, const th__stalker_seq *seq, uint32_t first,
                        uint32_t last)
{
    if (first + landmark->count > last)
        return TH__NO_MATCH;
    const th__stalker_token *found =
        seek(landmark, &seq->tokens[first], last - landmark->count - first + 1, 1);
    uint32_t at = found ? (uint32_t)(found - seq->tokens) : 0;
    return !found ? TH__NO_MATCH : landmark->until ? at : at + landmark->count;
}

static uint32_t back_to(const th__landmark *landmark, const th__stalker_seq *seq, uint32_t first,
                        uint32_t last)
{
    if (first + landmark->count > last)
        return TH__NO_MATCH;
    const th__stalker_token *found = seek(landmark, &seq->tokens[last - landmark->count],
                                          last - landmark->count - first + 1, -1);
    uint32_t at = found ? (uint32_t)(found - seq->tokens) : 0;
    return !found ? TH__NO_MATCH : landmark->until ? at + landmark->count : at;
}

uint32_t th__disjunct_run(const th__disjunct *disjunct, bool backward, const th__stalker_seq *seq,
                          uint32_t first, uint32_t last)
{
    uint32_t at = backward ? last : first;
    for (uint32_t i = 0; i < disjunct->count && at != TH__NO_MATCH; i++)
        at = backward ? back_to(&disjunct->landmarks[i], seq, first, at)
                      : skip_to(&disjunct->landmarks[i], seq, at, last);
    return at;
}

uint32_t th__rule_run(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                      uint32_t last, uint32_t *which)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        uint32_t at = th__disjunct_run(&rule->disjuncts[i], rule->backward, seq, first, last);
        if (which)
            *which = i;
        if (at != TH__NO_MATCH)
            return at;
    }
    if (rule->to_end)
        return rule->backward ? first : last;
    return TH__NO_MATCH;
}

/* The same again and again, each time from farther on: a disjunct that matched nowhere once is not
 * tried any more (its bit in *spent), so that many runs cost no more than one for each disjunct and
 * what is skipped. */
static uint32_t run_next(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                         uint32_t last, uint64_t *spent)
{
    for (uint32_t i = 0; i < rule->count && i < TH__STALKER_MAX_DISJUNCTS; i++) {
        if (*spent >> i & 1)
            continue;
        uint32_t at = th__disjunct_run(&rule->disjuncts[i], rule->backward, seq, first, last);
        if (at != TH__NO_MATCH)
            return at;
        *spent |= UINT64_C(1) << i;
    }
    return TH__NO_MATCH;
}

/* ---- place rules ---------------------------------------------------------------------------- */

static bool is_label(const th__label_set *labels, uint64_t hash)
{
    for (uint32_t i = 0; hash && i < labels->count; i++)
        if (labels->hashes[i] == hash)
            return true;
    return false;
}

/* Returns true if a text cannot be a field's value: it is a label, or is behind that of another
 * member. */
static bool label_refuses(const th__label_rule *identified_by, const th__page_map *map,
                          const th__scope *scope, uint32_t unit)
{
    if (!identified_by->labels || !identified_by->own || unit >= map->count)
        return false;
    /* What is before the scope labels nothing in it. */
    uint64_t before = unit > map->before[scope->token] ? map->units[unit - 1].hash : 0;
    return before != identified_by->own && (is_label(identified_by->labels, before) ||
                                            is_label(identified_by->labels, map->units[unit].hash));
}

bool th__path_spec_name(th__path_spec *spec, const th__page_map *map, uint32_t root, uint32_t node,
                        unsigned way, uint32_t *top)
{
    *top = root;
    spec->tags = way == TH__PATH_BY_TAGS;
    spec->steps = 0;
    if (way == TH__PATH_BY_MARK)
        *top = th__mark_above(&map->at, node);
    else if (way >= TH__PATH_BY_END)
        for (*top = node; spec->steps <= way - TH__PATH_BY_END && *top > root; spec->steps++)
            *top = map->page->nodes[*top].parent;
    spec->marked = way == TH__PATH_BY_MARK ? th__mark_of(&map->at, *top) : 0;
    spec->key = th__address_key(&map->at, spec->tags, *top, node);
    /* A whole path is there already. */
    return way == TH__PATH_BY_MARK ? *top && *top >= root : way < TH__PATH_BY_END || *top > root;
}

bool th__path_spec_write(th__path_spec *spec, const th_page *page, uint32_t top, uint32_t node,
                         th__arena *arena)
{
    th__buf text = {0};
    if (th__plain_path_write(page, top, node, spec->tags, &text))
        spec->path = th__arena_copy(arena, th__buf_str(&text));
    text.len = 0;
    if (spec->marked && th__mark_write(page, top, &text))
        spec->mark = th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return spec->path.ptr && (!spec->marked || spec->mark.ptr);
}

bool th__path_spec_prepare(th__path_spec *spec)
{
    uint64_t tags;
    if (spec->mark.ptr) {
        const char *equals = memchr(spec->mark.ptr, '=', spec->mark.len);
        if (!equals)
            return false;
        size_t len = (size_t)(equals - spec->mark.ptr);
        spec->marked = th__mark_hash((th_str){spec->mark.ptr, len},
                                     (th_str){equals + 1, spec->mark.len - len - 1});
    }
    return th__path_keys(spec->path, &spec->key, &tags);
}

uint32_t th__cell_of(const th_page *page, uint32_t root, uint32_t node)
{
    enum { MOST = 1000 }; /* cells that are counted: keeps hostile rows cheap */
    while (node > root && !th__tag_is_cell(page->tags[node]))
        node = page->nodes[node].parent;
    if (node <= root)
        return 0;
    uint32_t count = 1;
    for (uint32_t n = page->nodes[node].parent + 1; n < node && count < MOST;
         n = page->nodes[n].end)
        count += th__tag_is_cell(page->tags[n]);
    return count;
}

/* Returns true if the path to a node is the one that is meant, seen from a root. */
static inline bool path_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                                uint32_t node)
{
    if (node < root)
        return false;
    if (spec->marked) {
        uint32_t top = th__mark_above(&map->at, node);
        return top && top >= root && th__mark_of(&map->at, top) == spec->marked &&
               th__address_key(&map->at, spec->tags, top, node) == spec->key;
    }
    if (!spec->steps)
        return th__address_key(&map->at, spec->tags, root, node) == spec->key;
    uint32_t top = node;
    for (uint32_t up = 0; up < spec->steps; up++) {
        if (top <= root)
            return !spec->key; /* there are not so many */
        top = map->page->nodes[top].parent;
    }
    return th__address_key(&map->at, spec->tags, top, node) == spec->key;
}

/* Returns true if there is text in a thing. */
static bool has_text(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    const th_node *node = &map->page->nodes[thing];
    return kind == TH__THING_UNIT || map->before[node->token] < map->before[node->token_end];
}

th_class th__thing_begins(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    th_lex lex;
    th_fine fine;
    if (!has_text(map, kind, thing))
        return TH_CLASS_ANY;
    th_lex_init(&lex, map->page, map->units[th__thing_units_before(map, kind, thing)].span);
    return th_lex_next(&lex, &fine) ? (th_class)fine.cls : TH_CLASS_ANY;
}

/* The rest, of a thing whose path is the one that is meant. */
static bool rest_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                         th__thing_kind kind, uint32_t thing)
{
    uint32_t node = th__thing_node(map, kind, thing);
    if (kind == TH__THING_NODE && map->holds[node] > (spec->bare    ? TH__HOLDS_PHRASING
                                                      : spec->plain ? TH__HOLDS_NAMED
                                                                    : TH__HOLDS_MORE))
        return false;
    if (spec->cell && th__cell_of(map->page, root, node) != spec->cell)
        return false;
    return spec->begins == TH_CLASS_ANY ||
           th_class_is(th__thing_begins(map, kind, thing), (th_class)spec->begins);
}

bool th__path_spec_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t thing)
{
    return path_matches(spec, map, root, th__thing_node(map, kind, thing)) &&
           rest_matches(spec, map, root, kind, thing);
}

void th__things_in(const th__page_map *map, const th__scope *scope, th__thing_kind kind,
                   uint32_t *first, uint32_t *end)
{
    if (kind == TH__THING_UNIT) {
        *first = map->before[scope->token];
        *end = map->before[scope->end];
    } else {
        *first = th__page_node_from(map->page, scope->token);
        *end = th__page_node_from(map->page, scope->end);
    }
}

uint32_t th__thing_node(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? map->units[thing].node : thing;
}

uint32_t th__thing_units_before(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? thing : map->before[map->page->nodes[thing].token];
}

/* The next thing from one on, up to another, whose path is the one that is meant: what nearly all
 * of the time of place rules goes into. All elements at one whole path have the same sum. */
static uint32_t next_up(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                        th__thing_kind kind, uint32_t first, uint32_t end)
{
    uint32_t t = first;
    if (!spec->marked && !spec->steps) {
        const uint64_t *sum = map->at.sum[spec->tags];
        uint64_t wanted = sum[root] + spec->key * th__address_unit(&map->at, root);
        if (kind == TH__THING_UNIT)
            while (t < end && (sum[map->units[t].node] != wanted || map->units[t].node < root))
                t++;
        else
            while (t < end && (sum[t] != wanted || t < root))
                t++;
    } else if (kind == TH__THING_UNIT)
        while (t < end && !path_matches(spec, map, root, map->units[t].node))
            t++;
    else
        while (t < end && !path_matches(spec, map, root, t))
            t++;
    return t;
}

/* Things from one to another, up or down, until the n-th that matches. */
static uint32_t count_up(const th__place_rule *rule, const th__page_map *map, uint32_t root,
                         th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = rule->nth;
    for (uint32_t t = first; (t = next_up(&rule->at, map, root, kind, t, end)) < end; t++)
        if (rest_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

static uint32_t count_down(const th__place_rule *rule, const th__page_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = -1 - rule->nth;
    for (uint32_t t = end; t-- > first;)
        if (th__path_spec_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

/* Narrows things to those that a rule reaches from a unit. */
static void limit(const th__place_rule *rule, const th__page_map *map, th__thing_kind kind,
                  uint32_t anchor, uint32_t *first, uint32_t *end)
{
    bool nodes = kind == TH__THING_NODE;
    if (rule->side == TH__ANCHOR_AFTER && rule->reach < map->count - anchor) {
        uint32_t last = anchor + rule->reach;
        uint32_t most = nodes ? th__page_node_from(map->page, map->units[last].token) : last + 1;
        *end = most < *end ? most : *end;
    } else if (rule->side == TH__ANCHOR_BEFORE && rule->reach < anchor) {
        uint32_t from = anchor - rule->reach;
        uint32_t least =
            nodes ? th__page_node_from(map->page, map->units[from - 1].token + 1) : from;
        *first = least > *first ? least : *first;
    }
}

/* The thing that is told by one unit with the text of the anchor. */
static uint32_t find_from(const th__place_rule *rule, const th__page_map *map,
                          const th__scope *scope, th__thing_kind kind, uint32_t anchor)
{
    uint32_t first, end;
    th__things_in(map, scope, kind, &first, &end);
    uint32_t border = anchor;
    if (kind == TH__THING_NODE)
        border = th__page_node_from(map->page, map->units[anchor].token);
    if (rule->side == TH__ANCHOR_BEFORE)
        end = border;
    else
        first = kind == TH__THING_UNIT ? border + 1 : border;
    if (rule->reach != TH__ANY_REACH)
        limit(rule, map, kind, anchor, &first, &end);
    uint32_t found = rule->nth >= 0 ? count_up(rule, map, scope->root, kind, first, end)
                                    : count_down(rule, map, scope->root, kind, first, end);
    if (found == TH__NO_THING || rule->reach == TH__ANY_REACH)
        return found;
    uint32_t before = th__thing_units_before(map, kind, found);
    uint32_t distance = before > anchor ? before - anchor : anchor - before;
    return distance <= rule->reach ? found : TH__NO_THING;
}

/* With a limited reach, every place of the anchor's text is tried until one leads to a thing;
 * without one, the first place (backwards: the last) decides. */
static uint32_t find_anchored(const th__place_rule *rule, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind)
{
    uint32_t first, end, tried = 0;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t i = 0; i < end - first && tried < TH__ANCHORS_TRIED; i++) {
        uint32_t unit = rule->side == TH__ANCHOR_AFTER ? first + i : end - 1 - i;
        if (map->units[unit].hash != rule->hash)
            continue;
        uint32_t found = find_from(rule, map, scope, kind, unit);
        if (found != TH__NO_THING || rule->reach == TH__ANY_REACH)
            return found;
        tried++;
    }
    return TH__NO_THING;
}

/* The thing, or TH__NO_THING. Linear in the scope. */
static uint32_t find_place(const th__place_rule *rule, const th__page_map *map,
                           const th__scope *scope, th__thing_kind kind)
{
    uint32_t first, end;
    if (rule->side != TH__ANCHOR_NONE)
        return find_anchored(rule, map, scope, kind);
    th__things_in(map, scope, kind, &first, &end);
    return rule->nth >= 0 ? count_up(rule, map, scope->root, kind, first, end)
                          : count_down(rule, map, scope->root, kind, first, end);
}

bool th__thing_may_be(const th__label_rule *identified_by, const th__page_map *map,
                      const th__scope *scope, th__thing_kind kind, bool texts, uint32_t thing)
{
    return (!texts || has_text(map, kind, thing)) &&
           !label_refuses(identified_by, map, scope, th__thing_units_before(map, kind, thing));
}

uint32_t th__place_rules_vote(const th__place_rule *rules, uint32_t count,
                              const th__label_rule *identified_by, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind, bool texts,
                              th__place_vote *vote)
{
    uint32_t things[TH__PLACES_MOST], votes[TH__PLACES_MOST], different = 0, against = 0, best = 0;
    uint32_t voters[TH__PLACES_MOST];
    for (uint32_t i = 0; i < count && i < TH__PLACES_MOST; i++) {
        uint32_t thing = find_place(&rules[i], map, scope, kind), at = 0;
        bool found =
            thing != TH__NO_THING &&
            !label_refuses(identified_by, map, scope, th__thing_units_before(map, kind, thing));
        if (!found || (texts && !has_text(map, kind, thing))) {
            /* An empty element says more than none: it is the place, and nothing is in it. */
            against += found ? rules[i].weight : rules[i].against;
            continue;
        }
        while (at < different && things[at] != thing)
            at++;
        if (at == different) {
            things[different] = thing;
            voters[different] = votes[different] = 0;
            different++;
        }
        votes[at] += rules[i].weight;
        voters[at] |= 1u << i;
    }
    uint32_t all = against;
    for (uint32_t i = 0; i < different; i++) {
        all += votes[i];
        if (votes[i] > votes[best])
            best = i;
    }
    bool taken = different && votes[best] >= against;
    if (vote)
        *vote = (th__place_vote){.support = all ? (double)(taken ? votes[best] : against) / all : 0,
                                 .voters = taken ? voters[best] : 0};
    return taken ? things[best] : TH__NO_THING;
}

static void *new_map(th__arena *arena, const th_page *page, const void *signs)
{
    th__page_map *map = th__arena_zero(arena, 1, sizeof *map);
    return map && make_map(arena, page, *(const bool *)signs, map) ? map : NULL;
}

static void *new_seq(th__arena *arena, const th_page *page, const void *context)
{
    th_span whole = {0, (uint32_t)page->text.len};
    th__stalker_seq *seq = th__arena_zero(arena, 1, sizeof *seq);
    return seq && th__stalker_seq_make(arena, page, whole, seq) ? seq : NULL;
}

/* What a page keeps, or else what is made of it for now. */
static const void *kept_or_new(th__stalker_page *page, th__kept_slot slot, th__kept_make make,
                               const void *context)
{
    const void *thing = th__page_keeps(page->page) ? th__page_keep(page->page, slot, make, context)
                                                   : make(page->arena, page->page, context);
    page->failed |= !thing;
    return thing;
}

const th__page_map *th__stalker_page_map(th__stalker_page *page)
{
    bool signs = !page->unparted;
    if (!page->map && !page->failed)
        page->map = kept_or_new(page, signs ? TH__KEPT_PARTS : TH__KEPT_MAP, new_map, &signs);
    return page->failed ? NULL : page->map;
}

const th__stalker_seq *th__stalker_page_seq(th__stalker_page *page)
{
    if (!page->seq && !page->failed)
        page->seq = kept_or_new(page, TH__KEPT_SEQ, new_seq, NULL);
    return page->failed ? NULL : page->seq;
}

/* ---- the tree -------------------------------------------------------------------------------- */

bool th__stalker_node_make(th__arena *arena, const th_type *type, th__stalker_node *out)
{
    type = th__type_strip(type);
    *out = (th__stalker_node){.type = type};
    if (type->kind == TH_TYPE_FIELD) {
        out->field = th__arena_zero(arena, 1, sizeof *out->field);
        return out->field;
    }
    if (type->kind == TH_TYPE_LIST) {
        out->list = th__arena_zero(arena, 1, sizeof *out->list);
        if (!out->list)
            return false;
    }
    out->children = th__arena_zero(arena, type->count + (size_t)1, sizeof *out->children);
    if (!out->children)
        return false;
    for (; out->count < type->count; out->count++)
        if (!th__stalker_node_make(arena, type->children[out->count], &out->children[out->count]))
            return false;
    if (out->list)
        out->list->texts = out->children[0].field;
    return true;
}

/* The fields that a member is sought by: its own, or those of a list of texts. */
static void tell_member(th__stalker_node *node, th__label_rule identified_by)
{
    th__stalker_list *list = node->list;
    if (node->field)
        node->field->identified_by = identified_by;
    if (!list)
        return;
    if (list->span)
        list->span->identified_by = identified_by;
    if (node->children[0].field)
        node->children[0].field->identified_by = list->identified_by = identified_by;
    for (uint32_t i = 0; i < list->part_count; i++)
        tell_member(&list->parts[i], identified_by); /* parts have none of their own */
}

/* The labels of a tuple's members; NULL if out of memory. */
static const th__label_set *labels_of(th__arena *arena, const th__stalker_node *tuple)
{
    th__label_set *labels = th__arena_zero(arena, 1, sizeof *labels);
    uint64_t *hashes = th__arena_alloc(arena, (tuple->count + (size_t)1) * sizeof *hashes);
    if (!labels || !hashes)
        return NULL;
    labels->hashes = hashes;
    for (uint32_t i = 0; i < tuple->count; i++)
        if (tuple->children[i].label_hash)
            hashes[labels->count++] = tuple->children[i].label_hash;
    return labels;
}

const th__label_set *th__stalker_share_labels(th__arena *arena, th__stalker_node *tuple)
{
    const th__label_set *labels = labels_of(arena, tuple);
    for (uint32_t i = 0; labels && i < tuple->count; i++)
        tell_member(&tuple->children[i], (th__label_rule){labels, tuple->children[i].label_hash});
    return labels;
}

/* ---- the structural view --------------------------------------------------------------------- */

/* From the first unit of an element to its last. */
static bool node_span(const th__page_map *map, uint32_t node, th_span *out)
{
    const th_node *n = &map->page->nodes[node];
    uint32_t first = map->before[n->token], end = map->before[n->token_end];
    if (first == end)
        return false;
    *out = (th_span){map->units[first].span.start, map->units[end - 1].span.end};
    return true;
}

static bool is_value(const th__stalker_field *field, const th_page *page, th_span span)
{
    return field->literal || !th__says_nothing(th__page_slice(page, span.start, span.end));
}

/* A unit, with what flows before and behind it where that belongs to the value. */
static th_span unit_span(const th__stalker_field *field, const th__page_map *map, uint32_t unit)
{
    uint32_t first = unit, last = unit;
    if (field->full) {
        const th_node *node = &map->page->nodes[map->units[unit].node];
        first = map->before[node->token];
        last = map->before[node->token_end] - 1;
    }
    while (field->from_start && !th__stalker_begins_line(field, map, first))
        first--;
    while (field->to_end && th__map_flows(map, last))
        last++;
    return (th_span){map->units[first].span.start, map->units[last].span.end};
}

/* The tokens of a stretch alone. */
static const th__stalker_seq *seq_of(th__stalker_page *page, th_span span)
{
    th__stalker_seq *own = th__arena_zero(page->arena, 1, sizeof *own);
    if (own && th__stalker_seq_make(page->arena, page->page, span, own))
        return own;
    page->failed = true;
    return NULL;
}

const th__stalker_seq *th__stalker_cut_seq(const th__stalker_field *field, th__stalker_page *page,
                                           th_span span)
{
    return field->attribute.ptr ? seq_of(page, span) : th__stalker_page_seq(page);
}

/* The tokens of a value that is to be cut. Those of all of the page are the same there: they are
 * made only where other rules need them, or where the pieces come to as much. */
static const th__stalker_seq *seq_to_cut(const th__stalker_field *field, th__stalker_page *page,
                                         th_span span)
{
    enum { PART = 4 }; /* of the page: pieces are lexed twice, to see if they are there */
    uint32_t len = span.end - span.start, most = (uint32_t)page->page->text.len / PART;
    if (field->attribute.ptr || page->seq || len > most - page->pieces)
        return th__stalker_cut_seq(field, page, span);
    page->pieces += len;
    return seq_of(page, span);
}

static bool cut(const th__stalker_field *field, th__stalker_page *page, th_span *span)
{
    const th__stalker_seq *seq = seq_to_cut(field, page, *span);
    if (!seq)
        return false;
    uint32_t first = th__stalker_seq_at(seq, span->start),
             last = th__stalker_seq_at(seq, span->end);
    uint32_t start = th__rule_run(&field->cut_start, seq, first, last, NULL);
    if (start == TH__NO_MATCH)
        return false;
    uint32_t end = th__rule_run(&field->cut_end, seq, start, last, NULL);
    if (end == TH__NO_MATCH || end <= start)
        return false;
    *span = (th_span){start_of(seq, start), end_of(seq, end)};
    return true;
}

/* The attribute of a start tag, or what its cut rules leave of it. */
static bool read_attribute(const th__stalker_field *field, th__stalker_page *page, uint32_t token,
                           th_span *out)
{
    return th__attribute_span(page->page, token, field->attribute, out) &&
           (!field->cut || cut(field, page, out));
}

bool th__stalker_thing_span(const th__stalker_field *field, th__stalker_page *page, uint32_t thing,
                            th_span *out)
{
    const th__page_map *map = th__stalker_page_map(page);
    if (!map)
        return false;
    if (field->attribute.ptr)
        return read_attribute(field, page, page->page->nodes[thing].token, out);
    if (field->thing == TH__THING_UNIT)
        *out = unit_span(field, map, thing);
    else if (!node_span(map, thing, out))
        return false;
    return (!field->cut || cut(field, page, out)) && is_value(field, page->page, *out);
}

static th__stalker_answer ask_structure(const th__stalker_field *field, th__stalker_page *page,
                                        const th__scope *scope)
{
    const th__page_map *map = th__stalker_page_map(page);
    th__stalker_answer answer = {0};
    th__place_vote vote;
    if (!map || !field->place_count)
        return answer;
    uint32_t thing =
        th__place_rules_vote(field->places, field->place_count, &field->identified_by, map, scope,
                             (th__thing_kind)field->thing, !field->attribute.ptr, &vote);
    if (thing != TH__NO_THING && !th__stalker_thing_span(field, page, thing, &answer.span))
        answer.span = (th_span){0};
    if (answer.span.end)
        answer.node = th__thing_node(map, (th__thing_kind)field->thing, thing);
    answer.agreement = field->place_count > 1 ? vote.support : 0;
    answer.support = vote.support * (field->weight / 1000.0);
    return answer;
}

/* ---- the landmark views ---------------------------------------------------------------------- */

/* What does not belong to a value that it is at an end of: tags and blanks. */
static bool is_edge(const th__stalker_token *token)
{
    return th__class_is(token->cls, TH_CLASS_HTML) || th__class_is(token->cls, TH_CLASS_BLANK);
}

/* Returns true if what begins at a byte cannot be a field's value, by the labels on the page. */
static bool is_refused(const th__stalker_field *field, th__stalker_page *page,
                       const th__scope *scope, uint32_t start)
{
    const th__page_map *map = field->identified_by.labels ? th__stalker_page_map(page) : NULL;
    return map && label_refuses(&field->identified_by, map, scope, th__map_unit_at(map, start));
}

static th__stalker_answer ask_landmarks(const th__stalker_field *field,
                                        const th__landmark_view *view, th__stalker_page *page,
                                        const th__scope *scope)
{
    th__stalker_answer answer = {.support = view->weight / 1000.0};
    const th__stalker_seq *seq = view->weight ? th__stalker_page_seq(page) : NULL;
    if (!seq)
        return (th__stalker_answer){0};
    uint32_t first = th__stalker_seq_at(seq, scope->span.start);
    uint32_t last = th__stalker_seq_at(seq, scope->span.end);
    uint32_t start = th__rule_run(&view->start, seq, first, last, NULL);
    if (start == TH__NO_MATCH || start >= last)
        return answer;
    if (field->attribute.ptr) {
        const th__stalker_token *tag = &seq->tokens[start];
        if (tag->cls != TH_CLASS_TAG_START ||
            !read_attribute(field, page, th__token_at(page->page, tag->start), &answer.span))
            answer.span = (th_span){0};
        return answer;
    }
    uint32_t end = th__rule_run(&view->end, seq, view->end.backward ? first : start, last, NULL);
    if (end == TH__NO_MATCH)
        return answer;
    while (!field->extent && start < end && is_edge(&seq->tokens[start]))
        start++;
    while (!field->extent && end > start && is_edge(&seq->tokens[end - 1]))
        end--;
    if (end <= start || is_refused(field, page, scope, seq->tokens[start].start))
        return answer;
    th_span span = {start_of(seq, start), end_of(seq, end)};
    if (is_value(field, page->page, span))
        answer.span = span;
    return answer;
}

/* ---- all views together ---------------------------------------------------------------------- */

th__stalker_answer th__stalker_ask(const th__stalker_field *field, th__stalker_view view,
                                   th__stalker_page *page, const th__scope *scope)
{
    switch (view) {
    case TH__VIEW_STRUCTURE:
        return ask_structure(field, page, scope);
    case TH__VIEW_FORWARD:
        return ask_landmarks(field, &field->forward, page, scope);
    default:
        return ask_landmarks(field, &field->backward, page, scope);
    }
}

th__stalker_answer th__stalker_decide(const th__stalker_field *field, th__stalker_page *page,
                                      const th__scope *scope)
{
    th__stalker_answer answers[TH__VIEWS], best = {0};
    double most = -1, all = 0;
    if (field->whole) {
        th_span span = th__span_trim(page->page, scope->span);
        return (th__stalker_answer){is_value(field, page->page, span) ? span : (th_span){0}, 1, 0,
                                    0};
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        answers[v] = th__stalker_ask(field, (th__stalker_view)v, page, scope);
        /* Nobody can outvote it: the others need not be asked. */
        if (v == TH__VIEW_STRUCTURE &&
            answers[v].support > (field->forward.weight + field->backward.weight) / 1000.0)
            return answers[v];
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        double votes = 0;
        for (int w = 0; w < TH__VIEWS; w++)
            votes += th__same_span(answers[v].span, answers[w].span) ? answers[w].support : 0;
        all += answers[v].support;
        /* Landmarks alone: a rule that matches nothing abstains, and so does the view that was not
         * learnt. Else "nothing" would win whenever one of two rules finds a value. */
        if (!field->place_count && !answers[v].span.end)
            continue;
        if (votes > most) {
            most = votes;
            best = answers[v];
        }
    }
    if (most < 0)
        most = all; /* all say nothing */
    best.support = all > 0 ? most / all : 0;
    best.agreement = best.support;
    return best;
}

/* The element whose text a unit is, markup of single words left out. */
uint32_t th__stalker_text_block(const th__page_map *map, uint32_t node)
{
    const th_page *page = map->page;
    while (node && map->holds[node] <= TH__HOLDS_NAMED && !th__address_is_named(&map->at, node) &&
           th__tag_flows(page->tags[node]))
        node = page->nodes[node].parent;
    return node;
}

/* ---- lines -------------------------------------------------------------------------------------
 *
 * Lists whose items are lines of text:
 *
 *     <td><b>Old Mill</b> | Bern<br>
 *     &nbsp;&nbsp;<i>Paul Price</i> | 4 stars<br>
 *     &nbsp;&nbsp;<i>Anna Field</i><br>
 *     <b>New Mill</b></td>
 *
 * A line ends at a <br> or at the edge of a block. Lines that begin further in belong to the line
 * above them: they are the items of a list in its item. */

/* Returns true if a token is markup or blanks inside a line. */
static bool is_inside(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind == TH_TOKEN_TEXT)
        return th__span_trim(page, (th_span){t->start, t[1].start}).start == t[1].start;
    return t->kind == TH_TOKEN_COMMENT ||
           (th__is_tag(t) && t->tag != TH_TAG_BR && th__tag_flows(t->tag));
}

/* Returns true if blanks that show are in a stretch: a run of no-break spaces. */
static bool is_wide(const th_page *page, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++)
        if (!th__is_blank((unsigned char)page->text.ptr[i]))
            return true;
    return false;
}

/* The first token of the line that begins with a unit; *indented: it begins further in. */
static uint32_t line_start(const th__page_map *map, const th__scope *scope, uint32_t unit,
                           bool *indented)
{
    const th_page *page = map->page;
    uint32_t token = map->units[unit].token;
    *indented = is_wide(page, page->tokens[token].start, map->units[unit].span.start);
    while (token > scope->token && is_inside(page, token - 1)) {
        token--;
        *indented |= page->tokens[token].kind == TH_TOKEN_TEXT &&
                     is_wide(page, page->tokens[token].start, page->tokens[token + 1].start);
    }
    return token;
}

/* The block that a unit is in. */
static uint32_t block_of(const th__page_map *map, uint32_t root, uint32_t unit)
{
    uint32_t node = map->units[unit].node;
    while (node > root && th__tag_flows(map->page->tags[node]))
        node = map->page->nodes[node].parent;
    return node;
}

/* The token behind a <br> of a block, when one is between a unit and the one before it; or 0.
 */
static uint32_t behind_break(const th__page_map *map, uint32_t block, uint32_t unit)
{
    const th_page *page = map->page;
    for (uint32_t t = map->units[unit].token; unit && t-- > map->units[unit - 1].token;) {
        if (page->tokens[t].kind != TH_TOKEN_START || page->tokens[t].tag != TH_TAG_BR)
            continue;
        uint32_t node = th_page_node_at(page, page->tokens[t].start);
        while (node > block && th__tag_flows(page->tags[node]))
            node = page->nodes[node].parent;
        if (node == block)
            return t + 1;
    }
    return 0;
}

bool th__stalker_is_simple(const th__page_map *map, th_span span)
{
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t end = th__map_units_to(map, span.end);
    for (uint32_t u = first; u < end; u++) {
        if (u + 1 < end && !th__map_flows(map, u))
            return false;
        uint32_t to = map->units[u].span.end < span.end ? map->units[u].span.end : span.end;
        for (uint32_t i = map->units[u].span.start; i < to; i++)
            if (th__sign_is_item(map->page->text.ptr[i]) && i >= span.start &&
                !(map->page->text.ptr[i] == ';' && i > span.start &&
                  th__is_alpha((unsigned char)map->page->text.ptr[i - 1])))
                return false;
    }
    return true;
}

static bool line_items(bool indented, const th__page_map *map, const th__scope *scope,
                       th__scopes *out)
{
    const th_page *page = map->page;
    uint32_t first, end, top = 0;
    bool open = false; /* the last item may reach on */
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first; u < end; u++) {
        bool in;
        uint32_t block = block_of(map, scope->root, u);
        top = u == first ? block : top;
        /* Lines of a block inside are part of the line that it is below, which may be empty. */
        uint32_t token = block != top ? behind_break(map, top, u) : 0;
        if (block != top ? !token : u > first && in_line(map, u - 1))
            continue;
        if (block == top)
            token = line_start(map, scope, u, &in);
        else
            in = false;
        block = top;
        if (open && in && !indented)
            continue; /* a line below the item's */
        if (open) {
            th__scope *last = &out->data[out->len - 1];
            *last = scope_run(page, last->root, last->token, token);
        }
        open = in == indented;
        if (!open)
            continue;
        uint32_t stop = page->nodes[block].token_end;
        stop = stop < scope->end && block > scope->root ? stop : scope->end;
        if (!th__vec_push(out, scope_run(page, block, token, stop)))
            return false;
    }
    return true;
}

th__scope th__stalker_member_scope(const th__stalker_node *tuple, const th__stalker_node *member,
                                   th__stalker_page *page, const th__scope *scope)
{
    th__scope own = *scope;
    uint32_t first, end;
    bool indented = false;
    const th__page_map *map = tuple->own_lines && member->field ? th__stalker_page_map(page) : NULL;
    if (!map)
        return own;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first + 1; u < end && !indented; u++)
        if (!in_line(map, u - 1))
            own.end = line_start(map, scope, u, &indented);
    if (!indented)
        return *scope;
    own.span.end = page->page->tokens[own.end].start;
    return own;
}

/* ---- texts with a sign between them ---------------------------------------------------------- */

static bool begins_blank(const th_page *page, uint32_t start, uint32_t end)
{
    return start < end && th__span_trim(page, (th_span){start, end}).start > start;
}

static bool ends_blank(const th_page *page, uint32_t start, uint32_t end)
{
    th_span bare = th__span_trim(page, (th_span){start, end});
    return start < end && (bare.start == bare.end || bare.end < end);
}

static th__list_sign read_sign(th_str sign)
{
    bool any = sign.len > 0;
    return (th__list_sign){.text = th__str_trim(sign),
                           .before = any && sign.ptr[0] == ' ',
                           .behind = any && sign.ptr[sign.len - 1] == ' '};
}

enum { NEAR_BLANK = 6 }; /* bytes of the longest blank: &nbsp; */

/* Returns true if a sign is at a byte of a text; either end of the list is as good as a blank. */
static bool has_sign_at(const th_page *page, const th__list_sign *sign, th_span text, th_span list,
                        uint32_t at)
{
    uint32_t end = at + (uint32_t)sign->text.len;
    if (end > text.end || memcmp(page->text.ptr + at, sign->text.ptr, sign->text.len) != 0)
        return false;
    uint32_t from = at - text.start > NEAR_BLANK ? at - NEAR_BLANK : text.start;
    uint32_t to = text.end - end > NEAR_BLANK ? end + NEAR_BLANK : text.end;
    return (!sign->before || at == list.start || ends_blank(page, from, at)) &&
           (!sign->behind || end == list.end || begins_blank(page, end, to));
}

/* A text without the tags and blanks at its ends. */
static th_span trim_tags(const th_page *page, th_span span)
{
    for (th_span last = {0}; last.start != span.start || last.end != span.end;) {
        last = span = th__span_trim(page, span);
        uint32_t token = th__token_at(page, span.start);
        if (span.start < span.end && th__is_tag(&page->tokens[token]))
            span.start = page->tokens[token + 1].start;
        token = span.start < span.end ? th__token_at(page, span.end - 1) : 0;
        if (span.start < span.end && th__is_tag(&page->tokens[token]) &&
            page->tokens[token].start >= span.start)
            span.end = page->tokens[token].start;
    }
    return span;
}

static bool add_piece(const th_page *page, uint32_t start, uint32_t end, th__scopes *out)
{
    th_span span = trim_tags(page, (th_span){start, end});
    return span.start >= span.end || th__vec_push(out, scope_span(page, span));
}

/* The texts of a span between signs, those that say nothing left out. */
static bool split_at(const th_page *page, th_str sign_text, th_span span, th__scopes *out)
{
    th__list_sign sign = read_sign(sign_text);
    uint32_t start = span.start;
    if (!sign.text.len)
        return true;
    for (uint32_t t = th__token_at(page, span.start);
         t < page->token_count && page->tokens[t].start < span.end; t++) {
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        th_span text = {page->tokens[t].start, page->tokens[t + 1].start};
        text.start = text.start > span.start ? text.start : span.start;
        text.end = text.end < span.end ? text.end : span.end;
        for (uint32_t at = text.start; at < text.end; at++) {
            if (page->text.ptr[at] != sign.text.ptr[0] || !has_sign_at(page, &sign, text, span, at))
                continue;
            if (!add_piece(page, start, at, out))
                return false;
            start = at + (uint32_t)sign.text.len;
            at = start - 1;
        }
    }
    return add_piece(page, start, span.end, out);
}

/* ---- items by structure ---------------------------------------------------------------------- */

/* The part of a scope that lies between the texts that enclose the list. False when they are not
 * there. */
static bool narrow(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                   th__scope *out)
{
    uint32_t first, end;
    *out = *scope;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    if (list->after.ptr) {
        first = th__map_find(map, first, end, list->after_hash);
        if (first == end)
            return false;
        out->token = map->units[first++].token + 1;
    }
    if (list->before.ptr) {
        first = th__map_find(map, first, end, list->before_hash);
        if (first < end)
            out->end = map->units[first].token;
    }
    return true;
}

/* Where a run that begins at a thing may reach at most: to the end of the parent of what begins it.
 */
static uint32_t run_limit(const th__page_map *map, uint32_t node, bool unit, const th__scope *scope)
{
    uint32_t parent = unit ? node : map->page->nodes[node].parent;
    uint32_t end = map->page->nodes[parent].token_end;
    return parent <= scope->root || end > scope->end ? scope->end : end;
}

static bool add_item(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                     uint32_t thing, th__scopes *out)
{
    const th_page *page = map->page;
    if (list->kind == TH__LIST_ELEMENTS)
        return th__vec_push(out, scope_element(page, thing));
    if (list->kind == TH__LIST_UNITS) {
        const th__text_unit *unit = &map->units[thing];
        th__scope item = scope_run(page, unit->node, unit->token, unit->token + 1);
        item.span = unit->span;
        return th__vec_push(out, item);
    }
    uint32_t node = list->start_is_unit ? map->units[thing].node : thing;
    uint32_t token = list->start_is_unit ? map->units[thing].token : page->nodes[thing].token;
    uint32_t root = list->start_is_unit ? node : page->nodes[node].parent;
    uint32_t end = run_limit(map, node, list->start_is_unit, scope);
    if (out->len && out->data[out->len - 1].end > token) {
        th__scope *last = &out->data[out->len - 1];
        *last = scope_run(page, last->root, last->token, token);
    }
    return end <= token || th__vec_push(out, scope_run(page, root, token, end));
}

/* Returns true if a thing is not an item by the labels on the page; nor are those behind it, up to
 * the list's own label. */
static bool is_shut(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                    uint32_t unit, bool *shut)
{
    if (!list->identified_by.own)
        return false;
    if (label_refuses(&list->identified_by, map, scope, unit))
        *shut = true;
    else if (unit && map->units[unit - 1].hash == list->identified_by.own)
        *shut = false;
    return *shut;
}

static bool items_by_structure(const th__stalker_list *list, const th__page_map *map,
                               const th__scope *whole, th__scopes *out)
{
    bool units =
        list->kind == TH__LIST_UNITS || (list->kind == TH__LIST_RUNS && list->start_is_unit);
    th__thing_kind kind = units ? TH__THING_UNIT : TH__THING_NODE;
    th__scope scope;
    uint32_t first, end, parent = TH__NO_THING;
    bool shut = false;
    if (!narrow(list, map, whole, &scope))
        return true;
    th__things_in(map, &scope, kind, &first, &end);
    for (uint32_t t = first; (t = next_up(&list->at, map, scope.root, kind, t, end)) < end; t++) {
        uint32_t node = th__thing_node(map, kind, t);
        if (!rest_matches(&list->at, map, scope.root, kind, t) ||
            (list->texts && !has_text(map, kind, t)) ||
            is_shut(list, map, whole, th__thing_units_before(map, kind, t), &shut))
            continue;
        uint32_t above = map->page->nodes[node].parent;
        if (list->together && parent != TH__NO_THING && above != parent)
            continue;
        parent = above;
        if (!add_item(list, map, &scope, t, out))
            return false;
        /* Items are not inside each other. */
        if (list->kind == TH__LIST_ELEMENTS)
            t = map->page->nodes[t].end - 1;
    }
    return true;
}

/* ---- items by landmarks ---------------------------------------------------------------------- */

static bool is_start_tag(const th__stalker_seq *seq, uint32_t position)
{
    return seq->tokens[position].cls == TH_CLASS_TAG_START;
}

/* Where an item begins: with the elements around its first text that end in it, so that it is made
 * of whole ones, as the next items are. */
static uint32_t element_start(const th_page *page, th_span item, const th__scope *scope)
{
    uint32_t start = item.start;
    for (uint32_t token = th__token_at(page, start); token > scope->token; token--) {
        uint32_t tag = token - 1, node = th__page_node_from(page, tag);
        if (page->tokens[tag].kind != TH_TOKEN_START || node >= page->node_count ||
            page->nodes[node].token != tag)
            break;
        uint32_t last = page->nodes[node].token_end;
        if (page->tokens[last - 1].kind == TH_TOKEN_END)
            last--;
        if (page->tokens[last].start > item.end)
            break;
        start = page->tokens[tag].start;
    }
    return start;
}

static bool items_by_landmarks(const th__stalker_list *list, th__stalker_page *page,
                               const th__scope *scope, th__scopes *out)
{
    const th__stalker_seq *seq = th__stalker_page_seq(page);
    if (!seq)
        return false;
    th_span span = th__stalker_decide(list->span, page, scope).span;
    if (!span.end)
        return true;
    uint32_t from = th__stalker_seq_at(seq, span.start), to = th__stalker_seq_at(seq, span.end);
    uint32_t first = th__stalker_seq_at(seq, scope->span.start);
    uint32_t last = th__stalker_seq_at(seq, scope->span.end);
    for (; list->with_tags && from > first && is_start_tag(seq, from - 1); from--)
        ;
    for (; list->with_tags && to < last && is_start_tag(seq, to); to++)
        ;
    uint64_t spent = 0;
    uint32_t start = from; /* where the list begins its first item does */
    while (start != TH__NO_MATCH && start < to) {
        uint32_t next = run_next(&list->item.start, seq, start + 1, to, &spent);
        uint32_t border = next == TH__NO_MATCH || next >= to ? to : next;
        uint32_t end = th__rule_run(&list->item.end, seq, start, border, NULL);
        /* Where an item ends that has not begun, two separators are side by side, or one is
         * before the first item: there is none between. */
        uint32_t other =
            end == start ? run_next(&list->item.start, seq, start, to, &spent) : TH__NO_MATCH;
        if (other != TH__NO_MATCH && other > start) {
            start = other;
            continue;
        }
        end = end == TH__NO_MATCH || end <= start ? border : end;
        th_span item = {start_of(seq, start), end_of(seq, end)};
        if (!list->span->extent)
            item.start = element_start(page->page, item, scope);
        if (!th__vec_push(out, scope_span(page->page, item)))
            return false;
        start = next;
    }
    return true;
}

static bool items_by_lines(const th__stalker_list *list, th__stalker_page *page,
                           const th__scope *scope, th__scopes *out)
{
    const th__page_map *map = th__stalker_page_map(page);
    th__scope within = *scope;
    if (!map)
        return false;
    if (list->span) {
        th_span span = th__stalker_decide(list->span, page, scope).span;
        if (!span.end)
            return true;
        within.token = th__token_at(page->page, span.start);
        within.end = th__token_at(page->page, span.end - 1) + 1;
        within.token = within.token > scope->token ? within.token : scope->token;
        within.end = within.end < scope->end ? within.end : scope->end;
    }
    return line_items(list->indented, map, &within, out);
}

bool th__stalker_items(const th__stalker_list *list, th__stalker_page *page, const th__scope *scope,
                       th__scopes *out)
{
    if (list->kind == TH__LIST_SIGNS) {
        th_span span = th__stalker_decide(list->span, page, scope).span;
        return !span.end || split_at(page->page, list->sign, span, out);
    }
    if (list->kind == TH__LIST_LINES)
        return items_by_lines(list, page, scope, out);
    if (list->kind < TH__LIST_ELEMENTS)
        return !list->item.weight || !list->span || items_by_landmarks(list, page, scope, out);
    const th__page_map *map = th__stalker_page_map(page);
    return map && items_by_structure(list, map, scope, out);
}

/* ---- the texts of a list --------------------------------------------------------------------- */

static bool add_text(const th__stalker_field *field, th__stalker_page *page, const th__scope *scope,
                     th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, scope).span;
    return !span.end || th__vec_push(out, (th__list_text){field, span});
}

/* Labelled lists have one text at most; where there are several lines, each is one. */
static bool add_lines(const th__stalker_field *field, th__stalker_page *page,
                      const th__scope *scope, th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, scope).span;
    const th__page_map *map = field->simple && span.end ? th__stalker_page_map(page) : NULL;
    uint32_t first = map ? th__map_unit_at(map, span.start) : 0;
    uint32_t end = map ? th__map_units_to(map, span.end) : 0;
    if (first + 1 >= end)
        return !span.end || th__vec_push(out, (th__list_text){field, span});
    for (uint32_t u = first; u < end; u++) {
        th_span line = map->units[u].span;
        while (u + 1 < end && in_line(map, u))
            line.end = map->units[++u].span.end;
        if (!th__vec_push(out, (th__list_text){field, line}))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const th__list_text *a = left, *b = right;
    return th__order(a->span.start, b->span.start) ?: th__order(a->span.end, b->span.end);
}

static bool parts_of(const th__stalker_node *node, th__stalker_page *page, const th__scope *scope,
                     th__list_texts *out)
{
    size_t begin = out->len, kept = begin;
    for (uint32_t i = 0; i < node->list->part_count; i++) {
        const th__stalker_node *part = &node->list->parts[i];
        bool ok = part->list->kind == TH__LIST_SINGLE
                      ? add_text(part->children[0].field, page, scope, out)
                      : th__stalker_texts(part, page, scope, out);
        if (!ok)
            return false;
    }
    if (out->len > begin)
        qsort(out->data + begin, out->len - begin, sizeof *out->data, by_place);
    for (size_t i = begin; i < out->len; i++)
        if (i == begin || by_place(&out->data[i], &out->data[kept - 1]))
            out->data[kept++] = out->data[i];
    out->len = kept;
    return true;
}

bool th__stalker_texts(const th__stalker_node *node, th__stalker_page *page, const th__scope *scope,
                       th__list_texts *out)
{
    const th__stalker_field *field = node->children[0].field;
    th__scopes items = {0};
    if (node->list->kind == TH__LIST_PARTS)
        return parts_of(node, page, scope, out);
    if (node->list->kind == TH__LIST_SINGLE)
        return add_lines(field, page, scope, out);
    bool ok = th__stalker_items(node->list, page, scope, &items);
    for (size_t i = 0; ok && i < items.len; i++)
        ok = add_text(field, page, &items.data[i], out);
    th__vec_release(&items);
    return ok;
}

/* ---- records --------------------------------------------------------------------------------- */

struct stalker_runner {
    th__stalker_page page;
    th__arena arena;
    th_records *records;
    th__buf text;
    bool failed;
};

/* Sets a field's value. Returns true if there is one. */
static bool fill_text(struct stalker_runner *r, const th__stalker_field *field, th_span span,
                      th_value *slot)
{
    if (!span.end)
        return false;
    th__buf_clear(&r->text);
    if (!th__page_value(r->page.page, field->attribute, span, &r->text)) {
        r->failed = true;
        return false;
    }
    if (!r->text.len)
        return false;
    th_records_set_text(r->records, slot, th__buf_str(&r->text), span);
    return true;
}

/* The same for what all views together say, with how far they agree. */
static bool fill_field(struct stalker_runner *r, const th__stalker_field *field,
                       const th__stalker_answer *answer, th_value *slot)
{
    if (!slot || !fill_text(r, field, answer->span, slot))
        return false;
    slot->agreement = answer->agreement > 0 ? (uint8_t)(100 * answer->agreement + 1.5) : 0;
    return true;
}

static bool fill(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope,
                 th_value *slot);

th_span th__stalker_value_span(const th_value *value)
{
    return th_value_get_kind(value) == TH_VALUE_TEXT ? th_value_span(value) : (th_span){0};
}

bool th__stalker_overlaps(const th_value *value, th_span span)
{
    if (th_value_get_kind(value) == TH_VALUE_TEXT) {
        th_span own = th_value_span(value);
        return own.end && own.start < span.end && span.start < own.end;
    }
    bool any = false;
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = th__stalker_overlaps(th_value_item(value, i), span);
    return any;
}

/* Returns true if what a field finds is all that another one finds and more, or the same with less
 * support.
 */
static bool holds_other(const th__stalker_answer *own, const th__stalker_answer *other)
{
    uint32_t len = own->span.end - own->span.start, less = other->span.end - other->span.start;
    double more = own->support - other->support;
    return other->span.end && own->span.start <= other->span.start &&
           own->span.end >= other->span.end &&
           (len > less || more < -1e-9 || (more < 1e-9 && own->node < other->node));
}

/* Returns true if a field has taken what is another member's: where labelled pages keep them apart,
 * a field that holds another is none. Of two fields the longer one is wrong, or the one that fewer
 * rules are for; against a list, the field. */
static bool is_taken(const th__stalker_node *node, const th__stalker_answer *answers,
                     const th_value *tuple, uint32_t i)
{
    th_span own = answers[i].span;
    for (uint32_t j = 0; j < node->count; j++) {
        if (j == i || (node->children[j].field && node->children[j].field->attribute.ptr))
            continue;
        if (!node->children[j].field ? th__stalker_overlaps(th_value_item(tuple, j), own)
                                     : holds_other(&answers[i], &answers[j]))
            return true;
    }
    return false;
}

/* Lists first: then it is known what is theirs. */
static bool fill_members(struct stalker_runner *r, const th__stalker_node *node,
                         const th__scope *scope, th_value *tuple)
{
    bool any = false;
    th__stalker_answer *answers = th__arena_zero(&r->arena, node->count + 1, sizeof *answers);
    r->failed |= !answers;
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_node *member = &node->children[i];
        if (member->field) {
            th__scope own = th__stalker_member_scope(node, member, &r->page, scope);
            answers[i] = th__stalker_decide(member->field, &r->page, &own);
        } else
            any |= fill(r, member, scope, th_value_slot(tuple, i));
    }
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_field *field = node->children[i].field;
        if (field && answers[i].span.end && !(field->apart && is_taken(node, answers, tuple, i)))
            any |= fill_field(r, field, &answers[i], th_value_slot(tuple, i));
    }
    return any;
}

/* Returns true if there is anything of a node in a scope: what a choice goes by. */
static bool finds(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope)
{
    if (node->field)
        return th__stalker_decide(node->field, &r->page, scope).span.end;
    bool any = false;
    if (node->list) {
        th__list_texts texts = {0};
        th__scopes items = {0};
        r->failed |= node->children[0].field
                         ? !th__stalker_texts(node, &r->page, scope, &texts)
                         : !th__stalker_items(node->list, &r->page, scope, &items);
        any = texts.len + items.len;
        th__vec_release(&texts);
        th__vec_release(&items);
        return any;
    }
    for (uint32_t i = 0; i < node->count && !any; i++)
        any = finds(r, &node->children[i], scope);
    return any;
}

static bool fill_texts(struct stalker_runner *r, const th__stalker_node *node,
                       const th__scope *scope, th_value *slot)
{
    th__list_texts texts = {0};
    r->failed |= !th__stalker_texts(node, &r->page, scope, &texts);
    for (size_t i = 0; i < texts.len && !r->failed; i++)
        fill_text(r, texts.data[i].field, texts.data[i].span, th_records_append(r->records, slot));
    bool any = texts.len;
    th__vec_release(&texts);
    return any;
}

static bool fill_list(struct stalker_runner *r, const th__stalker_node *node,
                      const th__scope *scope, th_value *slot)
{
    th__scopes items = {0};
    if (node->children[0].field)
        return fill_texts(r, node, scope, slot);
    r->failed |= !th__stalker_items(node->list, &r->page, scope, &items);
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *item = th_records_append(r->records, slot);
        fill(r, &node->children[0], &items.data[i], item);
        th_value_set_span(item, items.data[i].span);
    }
    bool any = items.len;
    th__vec_release(&items);
    return any;
}

static bool fill(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope,
                 th_value *slot)
{
    if (r->failed || !slot)
        return false;
    switch (node->type->kind) {
    case TH_TYPE_FIELD: {
        th__stalker_answer answer = th__stalker_decide(node->field, &r->page, scope);
        return fill_field(r, node->field, &answer, slot);
    }
    case TH_TYPE_LIST:
        return fill_list(r, node, scope, slot);
    case TH_TYPE_TUPLE:
        if (th_value_get_kind(slot) == TH_VALUE_NULL) {
            if (!finds(r, node, scope))
                return false;
            slot = th_records_set_tuple(r->records, slot);
        }
        return fill_members(r, node, scope, slot);
    default:
        for (uint32_t i = 0; i < node->count; i++)
            if (finds(r, &node->children[i], scope))
                return fill(r, &node->children[i], scope, th_records_choose(r->records, slot, i));
        return false;
    }
}

/* The records: items of the root, or the one that the page is. */
static void fill_records(struct stalker_runner *r, const th__stalker_rules *rules)
{
    th__scope whole = th__scope_page(r->page.page);
    th__scopes items = {0};
    const th__stalker_node *record = &rules->root;
    if (record->list) {
        record = &record->children[0];
        r->failed |= !th__stalker_items(rules->root.list, &r->page, &whole, &items);
    } else if (finds(r, record, &whole)) {
        r->failed |= !th__vec_push(&items, whole);
    }
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *slot = th_records_add(r->records);
        fill(r, record, &items.data[i], slot);
        if (slot && th_value_get_kind(slot) != TH_VALUE_TEXT)
            th_value_set_span(slot, items.data[i].span);
    }
    th__vec_release(&items);
}

th_status th__stalker_run(const void *context, const th_schema *schema, const th_page *page,
                          const th_records_source *source, th_records **out, th_error *err)
{
    const th__stalker_rules *rules = context;
    struct stalker_runner r = {.page = {.page = page, .unparted = rules->unparted}};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    r.page.arena = &r.arena;
    fill_records(&r, rules);
    status = r.failed || r.page.failed ? th__fail_memory(err) : th_records_status(r.records, err);
    th__buf_release(&r.text);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}
