/*
 * seams.c: the seams engine: a record as values and what is between them.
 *
 * Not a published system, but how a person reads the source of a labelled page: a template writes
 * a piece of its own, a value, the next piece. The same few pieces come before each slot (a field
 * of the schema) on all pages, whatever comes before those:
 *
 *     <br><b>Tel:</b> 555-1212 &middot; $20<br>- Acme<br>Events<blockquote>Fair &middot; 2024
 *     └────seam─────┘ └value─┘ └seam──┘     └seam┘     └──────seam───────┘
 *      of tel                   of price     of offers.shop   of offers.events.event
 *
 * So a page is read as a whole: of all ways to cut the record's region into seams and values that
 * the schema allows, the engine takes the likeliest. A value is likely by its seam, by the slot
 * before it, and if it looks like the slot's other values; it is unlikely if it leaves much text
 * unexplained. Fields that are missing, that change places, or that are empty between their seams
 * need no rule of their own.
 *
 * Words
 *   slot      a text field of the schema, wherever it is nested
 *   seam      the tokens before a value, up to the value before it; end tags that close what came
 *             before are not counted, since they belong to that
 *   kind      what a seam begins: see seam_kind
 *   sample    the region of a labelled record, with its values. The wrapper keeps samples; all
 *             else is counted anew when it is read
 *   region    the element that holds all values of a record, by its path
 *   aside     text between values that is not a value and varies from page to page, with the tokens
 *             before it: a reading may skip it
 *
 * Cost: learning is linear in the samples. Running is linear in the tokens of the region, times the
 * readings that are kept at each token (KEPT), times the length of the values.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "data/record.h"
#include "engine/regions.h"
#include "index/view.h"
#include "page/attrs.h"
#include "page/lex.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/engine.h"
#include "wrapper/rule_table.h"

enum {
    SEAMS_MAX_SLOTS = 64,       /* bits of a 64-bit set */
    SEAMS_MAX_DEPTH = 8,        /* lists in lists */
    SEAMS_MAX_STEPS = 24,       /* from the record to a field */
    SEAMS_MAX_SAMPLES = 64,     /* the first ones are used: the wrapper keeps them */
    SEAMS_MAX_BYTES = 1 << 17,  /* of one sample */
    SEAMS_MAX_TOKENS = 1 << 20, /* of a region: longer ones are not read */
    SEAMS_MAX_SEAM = 48,        /* tokens of one; only the last ones of a longer seam count */
    SEAM_TAIL = 3,              /* tokens that identify the end of a record */
    SEAM_LOGS = 16              /* counts whose costs are cached; others are computed */
};

/* ---- slots ----------------------------------------------------------------------------------- */

/* What a seam begins. */
typedef enum seam_kind {
    SEAM_TOP,   /* a field of the record itself */
    SEAM_IN,    /* another field of the current item */
    SEAM_NEXT,  /* the next item of the current list */
    SEAM_FIRST, /* the first item of a list */
    SEAM_SKIP,  /* an item whose first field is in an inner list */
    SEAM_KINDS
} seam_kind;

#define SEAMS_ITEM (-1)
#define SEAMS_NONE UINT32_MAX

/* What a slot's tokens, ends and elements cost, by how often the samples contain them. */
typedef enum seam_cost {
    COST_WORD,
    COST_SIGN,
    COST_SHAPE,
    COST_EDGE, /* the shape of a first or last token */
    COST_PATH,
    COSTS
} seam_cost;

typedef struct seam_logs {
    double costs[COSTS][SEAM_LOGS];
    double new_form;
} seam_logs;

typedef struct seam_slot {
    th_str name;                    /* "events.branches.street" */
    int32_t steps[SEAMS_MAX_STEPS]; /* from the record: members, SEAMS_ITEM for an item */
    uint32_t step_count;
    uint32_t lists[SEAMS_MAX_DEPTH]; /* around it, outermost first */
    uint32_t depth;                  /* how many lists */
    bool item;                       /* it is the item of its list */
    th_str attribute;                /* the attribute of a tag that holds the values, or absent */
    uint32_t tag;                    /* the key of that tag */
    bool literal;                    /* "n/a" and the like are values here, since one is labelled */
    /* Of its values in the samples: */
    uint32_t values, tokens; /* how many, and their tokens in total */
    uint32_t longest;        /* tokens */
    uint32_t wholes, shapes; /* number of different ones */
    uint32_t seams[SEAM_KINDS];
    const seam_logs *logs;
    const float *ends[SEAM_KINDS]; /* costs of what is closed before seams, by count */
} seam_slot;

typedef struct seam_slots {
    seam_slot *data;
    uint32_t count, lists;
    uint8_t *common;                   /* by slot and slot: seam_common; the last row is 0 */
    uint64_t in_list[SEAMS_MAX_SLOTS]; /* by list: the slots in it, a bit each */
    uint64_t later[SEAMS_MAX_SLOTS];   /* by slot: slots that samples have after it in the same
                                          item */
} seam_slots;

/* The number of lists that two slots share; `from` may be SEAMS_NONE. */
static uint32_t seam_common(const seam_slots *slots, uint32_t from, uint32_t to)
{
    return slots->common[(size_t)(from < slots->count ? from : slots->count) * slots->count + to];
}

/* The kind of the seam between two values, where `open` lists continue with the same item. */
static seam_kind seam_kind_of(const seam_slots *slots, uint32_t from, uint32_t to, uint32_t open)
{
    uint32_t depth = slots->data[to].depth;
    if (!depth)
        return SEAM_TOP;
    if (open >= depth)
        return SEAM_IN;
    if (open + 1 < depth)
        return SEAM_SKIP;
    return seam_common(slots, from, to) == depth ? SEAM_NEXT : SEAM_FIRST;
}

/* The slots used by the current items after this one, given those `used` before. */
static uint64_t seam_use(const seam_slots *slots, uint64_t used, uint32_t slot, uint32_t open)
{
    if (open < slots->data[slot].depth)
        used &= ~slots->in_list[slots->data[slot].lists[open]];
    return used | UINT64_C(1) << slot;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef enum seam_what {
    SEAM_WORD,
    SEAM_SIGN,
    SEAM_GAP,    /* several no-break spaces */
    SEAM_BREAK,  /* br */
    SEAM_PHRASE, /* a start tag of markup inside a line */
    SEAM_BLOCK,  /* any other start tag */
    SEAM_END     /* an end tag */
} seam_what;

typedef struct seam_token {
    uint32_t start, end; /* bytes of the page */
    uint32_t key;        /* what it is */
    uint32_t shape;      /* what it looks like: a word's class, a number's with its length */
    uint32_t path;       /* the elements around it within the region, except markup within a line */
    uint16_t tag;
    uint8_t what; /* seam_what */
} seam_token;

typedef struct seam_tokens {
    seam_token *data;
    uint32_t count;
} seam_tokens;

static bool seam_is_text(const seam_token *token)
{
    return token->what <= SEAM_SIGN;
}

/* Returns one past the text that continues at a token. */
static uint32_t seam_text_end(const seam_tokens *tokens, uint32_t at)
{
    while (at < tokens->count && seam_is_text(&tokens->data[at]))
        at++;
    return at;
}

/* Returns the token after the end tags at a token, `to` at most. */
static uint32_t seam_skip_ends(const seam_tokens *tokens, uint32_t at, uint32_t to)
{
    while (at < to && tokens->data[at].what == SEAM_END)
        at++;
    return at;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct seam_place {
    uint32_t slot;
    uint32_t open;       /* how many lists around it continue with the same item */
    uint32_t start, end; /* bytes of the sample */
} seam_place;

typedef struct seam_sample {
    th_str html;
    seam_place *places; /* in order */
    uint32_t count;
} seam_sample;

/* How often a seam leads to a slot. */
typedef struct seam_lead {
    uint32_t slot, next; /* the next slot of the same seam, or SEAMS_NONE */
    uint32_t counts[SEAM_KINDS];
    float costs[SEAM_KINDS];
} seam_lead;

/* What is counted for a slot under a key. */
typedef enum seam_count {
    COUNT_WHOLE, /* values, whole */
    COUNT_FORM,  /* shapes of whole values */
    COUNT_SHAPE, /* shapes of their tokens */
    COUNT_WORD,  /* their tokens */
    COUNT_FIRST, /* shapes of their first tokens */
    COUNT_LAST,  /* and of their last */
    COUNT_PATH,  /* the elements that hold them */
    COUNT_ENDS,  /* what is closed before their seams: end tags of blocks */
    COUNT_TAIL   /* for no slot: what follows the last value, its first tokens (0) and all (1) */
} seam_count;

typedef struct seam_rules {
    seam_slots slots;
    th_str region;          /* the path to it; empty for the whole page */
    uint64_t *region_steps; /* hashes of its steps, last first */
    uint32_t region_depth;
    seam_sample *samples;
    uint32_t sample_count;
    /* Counted: */
    th__key_map counts; /* see seam_count_key */
    th__key_map seams;  /* the hash of a seam: 1 + its first lead */
    seam_lead *leads;
    uint32_t lead_count;
    bool lengths[SEAMS_MAX_SEAM + 1]; /* lengths that seams have */
    th__key_map first;  /* by first token of a seam or an aside: the length of the longest one */
    th__key_map asides; /* hashes of the tokens before their text */
    bool any_asides;
    uint32_t *moves; /* how often slot follows slot, by kind; the last row is for the beginning, the
                        last column for the end */
    uint32_t *moves_from;
    float *move_costs; /* of the same */
    bool breaks;       /* some seam has a br */
    bool head;         /* some sample has text before its first value */
} seam_rules;

static uint64_t seam_count_key(seam_count what, uint32_t slot, uint64_t key)
{
    return th__hash_mix((uint64_t)what << 32 | slot, key);
}

/* What follows a position: the hash of its first tokens, and of all. End tags are ignored. */
typedef struct seam_tail {
    uint64_t first, whole;
} seam_tail;

static uint32_t seam_counted(const seam_rules *rules, seam_count what, uint32_t slot, uint64_t key)
{
    return th__key_map_get(&rules->counts, seam_count_key(what, slot, key));
}

/* Returns true if the tokens from..text, with the hash `hash`, precede the text of an aside. */
static bool seam_is_aside(const seam_rules *rules, const seam_tokens *tokens, uint32_t from,
                          uint32_t text, uint64_t hash)
{
    return rules->any_asides && text > from && text < tokens->count &&
           seam_is_text(&tokens->data[text]) && !seam_is_text(&tokens->data[text - 1]) &&
           th__key_map_get(&rules->asides, hash);
}

/* The index of a move in `moves`. */
static size_t seam_move(const seam_rules *rules, uint32_t from, uint32_t to, seam_kind kind)
{
    uint32_t n = rules->slots.count;
    size_t row = from < n ? from : n, column = to < n ? to : n;
    return (row * (n + 1) + column) * SEAM_KINDS + kind;
}

/* A cost is the negative natural logarithm of a probability. */
#define SEAM_NEVER 1e9f

/* A value of a reading; it has no tokens if it is empty. */
typedef struct seam_step {
    uint32_t slot, open;
    uint32_t start, end; /* tokens */
    uint32_t before;     /* the step before it, or SEAMS_NONE */
} seam_step;

typedef struct seam_reading {
    seam_step *steps;       /* in order */
    uint32_t count, values; /* values: number of non-empty ones */
    double cost;
} seam_reading;

/* ---- slots ----------------------------------------------------------------------------------- */

struct slot_maker {
    th__arena *arena;
    seam_slots *out;
    seam_slot at; /* the slot on the current path */
    th__buf name;
    bool fits;
};

static bool add_slot(struct slot_maker *m, bool item)
{
    if (m->out->count == SEAMS_MAX_SLOTS) {
        m->fits = false;
        return true;
    }
    seam_slot *slot = &m->out->data[m->out->count];
    *slot = m->at;
    slot->item = item;
    slot->name = th__arena_copy(m->arena, th__buf_str(&m->name));
    for (uint32_t i = 0; i < slot->depth; i++)
        m->out->in_list[slot->lists[i]] |= UINT64_C(1) << m->out->count;
    m->out->count++;
    return slot->name.ptr;
}

/* Descends as deep as the schema goes, limited by the steps of a slot. */
static bool visit(struct slot_maker *m, const th_type *type, bool item)
{
    type = th__type_strip(type);
    if (type->kind == TH_TYPE_FIELD)
        return add_slot(m, item);
    bool list = type->kind == TH_TYPE_LIST;
    if (m->at.step_count == SEAMS_MAX_STEPS || type->kind == TH_TYPE_CHOICE ||
        (list && (m->at.depth == SEAMS_MAX_DEPTH || m->out->lists == SEAMS_MAX_SLOTS))) {
        m->fits = false;
        return true;
    }
    if (list)
        m->at.lists[m->at.depth++] = m->out->lists++;
    bool ok = true;
    m->at.step_count++;
    for (uint32_t i = 0; ok && m->fits && i < type->count; i++) {
        size_t mark = m->name.len;
        th_str name = th_type_name(type->children[i]);
        if (!list && name.len)
            th__buf_printf(&m->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        m->at.steps[m->at.step_count - 1] = list ? SEAMS_ITEM : (int32_t)i;
        ok = !m->name.failed && visit(m, type->children[i], list);
        m->name.len = mark;
    }
    m->at.step_count--;
    m->at.depth -= list;
    return ok;
}

static uint8_t count_common(const seam_slot *a, const seam_slot *b)
{
    uint8_t common = 0;
    while (common < a->depth && common < b->depth && a->lists[common] == b->lists[common])
        common++;
    return common;
}

static bool find_common(seam_slots *slots, th__arena *arena)
{
    uint32_t n = slots->count;
    slots->common = th__arena_zero(arena, n * (n + (size_t)1), sizeof *slots->common);
    for (uint32_t i = 0; slots->common && i < n * n; i++)
        slots->common[i] = count_common(&slots->data[i / n], &slots->data[i % n]);
    return slots->common;
}

/* Makes the slots of a schema, in the arena. False if out of memory; *fits: there are few enough
 * slots, and no choices. */
static bool make_slots(const th_schema *schema, th__arena *arena, seam_slots *out, bool *fits)
{
    struct slot_maker m = {.arena = arena, .out = out};
    *out = (seam_slots){0};
    out->data = th__arena_zero(arena, SEAMS_MAX_SLOTS, sizeof *out->data);
    m.fits = th__type_strip(th_schema_root(schema))->kind == TH_TYPE_TUPLE;
    bool ok = out->data && (!m.fits || visit(&m, th_schema_root(schema), false)) &&
              find_common(out, arena);
    th__buf_release(&m.name);
    *fits = m.fits && out->count;
    return ok;
}

/* ---- the region ------------------------------------------------------------------------------ */

static bool prepare_region(seam_rules *rules, th__arena *arena, bool *failed)
{
    th_str rest = rules->region, step;
    bool bad = false;
    uint32_t depth = 0;
    while (th__path_next(&rest, &step, &bad))
        depth++;
    rules->region_steps = th__arena_zero(arena, depth + (size_t)1, sizeof *rules->region_steps);
    *failed = !rules->region_steps;
    if (bad || *failed)
        return false;
    rules->region_depth = depth;
    for (rest = rules->region; th__path_next(&rest, &step, &bad);) {
        uint16_t tag;
        rules->region_steps[--depth] = th__step_hash(step, &tag);
    }
    return true;
}

/* Returns true if an element has the path of the region. */
static bool is_region(const seam_rules *rules, const th_page *page, uint32_t node)
{
    if (page->paths[page->nodes[node].path].depth != rules->region_depth)
        return false;
    for (uint32_t i = 0; i < rules->region_depth; i++, node = page->nodes[node].parent)
        if (th__node_hash(page, node) != rules->region_steps[i])
            return false;
    return true;
}

/* ---- a region as words, signs and tags ---------------------------------------------------------
 *
 * Blanks are not tokens, but they distinguish signs: the hyphen of "Fair - 2024" separates values,
 * that of "2024-02-12" is inside one. Several no-break spaces are a sign: old pages separate values
 * by them. Scripts and comments are left out.
 */

enum { LONG_NUMBER = 5 }; /* digits: longer numbers all look alike */

static uint32_t fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* 4.5, 579,203 and 1987 are different kinds of numbers: by the signs in them, or their length. */
static uint32_t number_detail(th_str text)
{
    uint32_t signs = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!th__is_digit((unsigned char)text.ptr[i]))
            signs = signs * 31 + (unsigned char)text.ptr[i];
    return signs ? signs + LONG_NUMBER : text.len < LONG_NUMBER ? (uint32_t)text.len : LONG_NUMBER;
}

/* The class of a word, which separates initials from words, and years from other numbers. */
static uint32_t word_shape(const th_page *page, const th_fine *fine)
{
    th_str text = th__page_slice(page, fine->start, fine->end);
    uint32_t detail = 0;
    if (fine->cls == TH_CLASS_NUMBER)
        detail = number_detail(text);
    else if (fine->cls == TH_CLASS_ALLCAPS)
        detail = text.len > 1;
    return fold(th__hash_mix(fine->cls, detail));
}

/* An element without an end tag is part of a value only if a sample has it in one. */
static seam_what what_tag(uint16_t tag)
{
    if (tag == TH_TAG_BR)
        return SEAM_BREAK;
    bool phrase = th__tag_flows(tag) && tag != TH_TAG_IMG && !(th__tag_flags(tag) & TH_TAG_IS_VOID);
    return phrase ? SEAM_PHRASE : SEAM_BLOCK;
}

/* Attributes other than the class that distinguish fields in templates. */
static const th_str telling[] = {{"itemprop", 8}, {"property", 8}, {"color", 5}};
enum { TELLING = sizeof telling / sizeof *telling };

static uint32_t tag_key(const th_page *page, const th_fine *fine, uint32_t token)
{
    th_str classes = {0}, values[TELLING] = {{0}};
    bool classed = false, told[TELLING] = {0};
    th_attr attr;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return fold(th__element_hash(fine->tag, classes));
    for (th__attr_walk walk = th__attrs(page, token); th__attr_next(&walk, &attr);) {
        if (!classed && th__str_eq_nocase(attr.name, TH_STR("class"))) {
            classed = true;
            classes = attr.value;
        }
        for (size_t i = 0; i < TELLING; i++)
            if (!told[i] && th__str_eq_nocase(attr.name, telling[i])) {
                told[i] = true;
                values[i] = attr.value;
            }
    }
    uint64_t hash = th__element_hash(fine->tag, classes);
    for (size_t i = 0; i < TELLING; i++)
        if (told[i])
            hash = th__hash_mix(hash + i, th__hash(values[i].ptr, values[i].len));
    return fold(hash);
}

struct seam_reader {
    const th_page *page;
    TH__VEC(seam_token) tokens;
    th__buf scratch;
    const uint32_t *paths; /* by node */
    uint32_t token;        /* the coarse token around the current fine one */
    th__node_walk walk;    /* the element around it */
};

/* Moves on to the position of a fine token. */
static void follow(struct seam_reader *r, uint32_t start)
{
    while (r->page->tokens[r->token + 1].start <= start)
        r->token++;
    th__node_follow(&r->walk, r->page, r->token);
}

static bool set_text(struct seam_reader *r, const th_fine *fine, seam_token *token)
{
    th_str text = th__fine_text(r->page, fine, &r->scratch);
    if (!text.ptr)
        return false;
    token->key = fold(th__hash(text.ptr, text.len));
    token->what = th__class_is(fine->cls, TH_CLASS_WORD) ? SEAM_WORD : SEAM_SIGN;
    token->shape = token->what == SEAM_WORD ? word_shape(r->page, fine) : token->key;
    return true;
}

static bool add(struct seam_reader *r, const th_fine *fine)
{
    seam_token token = {.start = fine->start, .end = fine->end, .tag = fine->tag};
    follow(r, fine->start);
    if (fine->cls == TH_CLASS_TAG_START) {
        token.key = token.shape = tag_key(r->page, fine, r->token);
        token.what = what_tag(fine->tag);
    } else if (fine->cls == TH_CLASS_TAG_END) {
        token.key = token.shape = ~fold(th__element_hash(fine->tag, (th_str){0}));
        token.what = SEAM_END;
    } else if (fine->cls == TH_CLASS_MARKUP) {
        return true;
    } else if (th__class_is(fine->cls, TH_CLASS_BLANK)) {
        if (!th__fine_is_gap(r->page, fine))
            return true;
        token.key = token.shape = 1;
        token.what = SEAM_GAP;
    } else if (!set_text(r, fine, &token)) {
        return false;
    }
    token.path = r->paths[r->walk.node];
    return th__vec_push(&r->tokens, token);
}

/* A sign that touches text on both sides gets a different key. */
static void distinguish_signs(const struct seam_reader *r)
{
    for (size_t i = 1; i + 1 < r->tokens.len; i++) {
        seam_token *t = &r->tokens.data[i];
        if (t->what == SEAM_SIGN && t[-1].end == t->start && t[1].start == t->end &&
            seam_is_text(&t[-1]) && seam_is_text(&t[1]))
            t->key = t->shape = t->key + 1;
    }
}

/* By node: the hash of the elements around its texts. */
static uint32_t *find_paths(th__arena *arena, const th_page *page, uint32_t node)
{
    uint32_t *paths = th__arena_zero(arena, page->node_count + (size_t)1, sizeof *paths);
    for (uint32_t n = node ? node : 1; paths && n < page->nodes[node].end; n++) {
        uint32_t above = n == node ? 0 : paths[page->nodes[n].parent];
        paths[n] = th__tag_flows(page->tags[n]) ? above : fold(th__hash_mix(above, page->tags[n]));
    }
    return paths;
}

static bool seam_tokens_make(th__arena *arena, const th_page *page, uint32_t node, seam_tokens *out)
{
    const th_node *region = &page->nodes[node];
    th_span span = {page->tokens[region->token].start, page->tokens[region->token_end].start};
    struct seam_reader r = {.page = page,
                            .paths = find_paths(arena, page, node),
                            .token = region->token,
                            .walk = {node, node + 1}};
    th_lex lex;
    th_fine fine;
    bool ok = r.paths;
    *out = (seam_tokens){0};
    th_lex_init(&lex, page, span);
    while (ok && th_lex_next(&lex, &fine))
        ok = add(&r, &fine);
    distinguish_signs(&r);
    out->data = ok ? th__arena_keep(arena, r.tokens.data, r.tokens.len, sizeof *out->data) : NULL;
    out->count = (uint32_t)r.tokens.len;
    th__vec_release(&r.tokens);
    th__buf_release(&r.scratch);
    return out->data;
}

static uint32_t seam_text_on(const seam_tokens *tokens, uint32_t at)
{
    uint32_t on = at;
    while (on < tokens->count && tokens->data[on].what == SEAM_END &&
           th__tag_flows(tokens->data[on].tag))
        on++;
    return on > at && on < tokens->count && seam_is_text(&tokens->data[on]) ? on : at;
}

/* Passes an end tag before a seam: that of a block is added to the hash. Markup within a line may
 * end with any value. */
static uint64_t seam_end_tag(uint64_t hash, const seam_token *token)
{
    return th__tag_flows(token->tag) ? hash : th__hash_mix(hash, token->key);
}

/* By position; in the arena. NULL if out of memory. */
static seam_tail *seam_tails_make(const seam_tokens *tokens, th__arena *arena)
{
    seam_tail *tails = th__arena_alloc(arena, (tokens->count + (size_t)1) * sizeof *tails);
    uint32_t next[SEAM_TAIL] = {0};
    uint64_t whole = 0;
    if (!tails)
        return NULL;
    tails[tokens->count] = (seam_tail){th__hash(next, sizeof next), whole};
    for (uint32_t i = tokens->count; i-- > 0;) {
        const seam_token *token = &tokens->data[i];
        if (token->what != SEAM_END) {
            memmove(next + 1, next, sizeof next - sizeof *next);
            next[0] = token->key;
            whole = th__hash_mix(whole, token->key);
        }
        tails[i] = (seam_tail){th__hash(next, sizeof next), whole};
    }
    return tails;
}

/* ---- what values cost, and the likeliest reading of a region -----------------------------------
 *
 * How likely a stretch of tokens is as a value of a slot: three ways, the best of which counts. It
 * is one of the values seen; it has the form of one (number, full stop, number, full stop, number),
 * with words of its own; or it is made of the kinds of tokens that values have, begins and ends as
 * they do, and is not much longer. How much a new value or a new form costs depends on how many
 * there were: where twenty dates have one form, a text of another form is not a date; where twenty
 * titles have eighteen forms, a new one is expected (Witten and Bell's estimate). Tags in a
 * value must be closed in it, and tags of blocks must have been seen in one.
 *
 * A reading is a sequence of slots, each with its seam and its value, over all tokens. Readings are
 * made from left to right; at each token the best KEPT of them go on, of those with the same last
 * slot and the same used slots the best one:
 *
 *     token   0   1   2   3   4   5 ...
 *             <br> Tel : 555 &middot; $20 <br>
 *     states  ●───────────▶●─────────▶●          one seam and one value an arrow
 *
 * A value ends only where a seam may begin, or where a tag ends or parts it, so that the arrows are
 * few.
 */

/* ---- values ---------------------------------------------------------------------------------- */

/* One past the last token of a value, and what it costs. */
struct value_end {
    uint32_t at;
    float cost;
};

/* The share of tokens that are words of the slot; the rest are any word of their kind. */
#define OWN_WORDS 0.5
/* The size of the vocabulary for words that the slot never had. If it were smaller, new names would
 * pass as words of any slot; if much larger, one new word would outweigh a wrong seam. */
#define WORDS 200.0
/* Costs of a sign that the slot's values have, and of one that they do not have. */
#define KNOWN_SIGN 0.5
#define NEW_SIGN   0.02
/* Costs of markup within a value, seen before or not. */
#define KNOWN_MARKUP 0.5
#define NEW_MARKUP   2.0
/* The cost of a break that no value of the slot has: most values take one line, and if seams
 * contain breaks, this one almost certainly belongs to a seam. */
#define NEW_BREAK   5.0
#define SEAMS_BREAK 20.0
/* The count added to each kind of token, and the number of kinds. */
#define KINDS_OF_TOKENS 12.0
#define EDGES_ADDED     0.3
#define SHAPES_ADDED    0.2
/* The cost of a value that was not seen, so that seen ones are preferred. */
#define NOT_SEEN 1.0
/* Smoothing of the elements around a value: the count added to each, and how many there may be. An
 * omitted tag changes them, so they are evidence but not decisive. */
#define PATHS_ADDED    0.2
#define KINDS_OF_PATHS 6.0
/* The cost of an empty value between its seams: rarer than one in ten. */
#define EMPTY 2.5f
/* The cost of a value that is twice as long as the longest seen, in proportion to the excess. */
#define TOO_LONG 4.0

/* Limits of breaks in one value: values with more never win, and without a limit each line of a
 * long page would be tried with all lines after it. */
enum { MAX_BREAKS = 3, MAX_OPEN = 16, LEAST_TRIED = 40, MOST_TRIED = 2048 };

/* The longest value that is tried. */
static uint32_t longest_tried(const seam_slot *slot)
{
    if (slot->attribute.ptr)
        return 1;
    uint32_t longest = slot->longest < MOST_TRIED / 3 ? 3 * slot->longest : MOST_TRIED;
    return longest > LEAST_TRIED ? longest : LEAST_TRIED;
}

/* The cost of a property of a value that was seen so often, as a natural logarithm. */
static double cost_of_count(const seam_slot *slot, seam_cost what, uint32_t seen)
{
    switch (what) {
    case COST_WORD:
        return -log(OWN_WORDS * seen / slot->tokens + (1 - OWN_WORDS) / WORDS);
    case COST_SIGN:
        return -log(OWN_WORDS * seen / slot->tokens +
                    (1 - OWN_WORDS) * (seen ? KNOWN_SIGN : NEW_SIGN));
    case COST_SHAPE:
        return -log((seen + SHAPES_ADDED) / (slot->tokens + SHAPES_ADDED * KINDS_OF_TOKENS));
    case COST_EDGE:
        return -log((seen + EDGES_ADDED) / (slot->values + EDGES_ADDED * KINDS_OF_TOKENS));
    default:
        return -log((seen + PATHS_ADDED) / (slot->values + PATHS_ADDED * KINDS_OF_PATHS));
    }
}

/* Caches the costs of a slot after counting. False if out of memory. */
static bool keep_logs(seam_slot *slot, th__arena *arena)
{
    seam_logs *logs = th__arena_zero(arena, 1, sizeof *logs);
    slot->logs = logs;
    if (!logs || !slot->values)
        return logs;
    for (int what = 0; what < COSTS; what++)
        for (uint32_t seen = 0; seen < SEAM_LOGS; seen++)
            logs->costs[what][seen] = cost_of_count(slot, (seam_cost)what, seen);
    logs->new_form = -log((slot->shapes + 0.5) / (slot->values + slot->shapes + 0.5));
    return true;
}

/* One of these costs, cached or computed. */
static double cost(const seam_slot *slot, seam_cost what, uint32_t seen)
{
    return seen < SEAM_LOGS ? slot->logs->costs[what][seen] : cost_of_count(slot, what, seen);
}

struct gauge {
    const seam_rules *rules;
    const seam_slot *slot;
    uint32_t number;
    const seam_token *tokens;
    /* For the value so far: */
    uint64_t whole, form;
    double words, shapes;
    uint16_t open[MAX_OPEN];
    uint32_t opened, breaks;
};

static uint32_t counted(const struct gauge *g, seam_count what, uint64_t key)
{
    return seam_counted(g->rules, what, g->number, key);
}

/* Returns true if a tag may be in a value here; tracks open tags. */
static bool pass_tag(struct gauge *g, const seam_token *token)
{
    if (token->what == SEAM_BLOCK)
        return counted(g, COUNT_WORD, token->key);
    if (token->what == SEAM_BREAK)
        return !g->rules->breaks || counted(g, COUNT_WORD, token->key) || ++g->breaks <= MAX_BREAKS;
    if (token->what == SEAM_PHRASE) {
        if (g->opened == MAX_OPEN)
            return false;
        g->open[g->opened++] = token->tag;
        return true;
    }
    return g->opened && g->open[--g->opened] == token->tag;
}

static double markup_cost(const struct gauge *g, const seam_token *token, uint32_t seen)
{
    if (seen)
        return KNOWN_MARKUP;
    if (token->what != SEAM_BREAK)
        return NEW_MARKUP;
    return g->rules->breaks ? SEAMS_BREAK : NEW_BREAK;
}

/* Adds a token; false if no value continues with it. */
static bool add_token(struct gauge *g, const seam_token *token)
{
    uint32_t seen = counted(g, COUNT_WORD, token->key);
    g->whole = th__hash_mix(g->whole, token->key);
    g->form = th__hash_mix(g->form, token->shape);
    if (token->what > SEAM_GAP) {
        g->words += markup_cost(g, token, seen);
        return pass_tag(g, token);
    }
    uint32_t alike = counted(g, COUNT_SHAPE, token->shape);
    g->words += cost(g->slot, token->what == SEAM_WORD ? COST_WORD : COST_SIGN, seen);
    g->shapes += cost(g->slot, COST_SHAPE, alike);
    return true;
}

static double cost_of(const struct gauge *g, double first, uint32_t start, uint32_t end)
{
    const seam_slot *slot = g->slot;
    double best = SEAM_NEVER, values = slot->values;
    bool may_be_one = end - start <= slot->longest;
    uint32_t whole = may_be_one ? counted(g, COUNT_WHOLE, g->whole) : 0;
    uint32_t form = may_be_one ? counted(g, COUNT_FORM, g->form) : 0;
    if (whole)
        best = -log(whole / (values + slot->wholes));
    if (form)
        best = fmin(best, NOT_SEEN + g->words - log(form / (values + slot->shapes)));
    uint32_t last = counted(g, COUNT_LAST, g->tokens[end - 1].shape);
    double made = NOT_SEEN + g->words + g->shapes + slot->logs->new_form + first +
                  cost(slot, COST_EDGE, last);
    if (end - start > slot->longest)
        made += TOO_LONG * (end - start - slot->longest) / (slot->longest + 1.0);
    return fmin(best, made);
}

/* Finds the allowed ends (`may_end`) of a value that begins at a token; returns their number. */
static uint32_t find_value_ends(const seam_rules *rules, uint32_t number, const seam_tokens *tokens,
                                uint32_t start, const bool *may_end, struct value_end *out,
                                uint32_t most)
{
    struct gauge g = {.rules = rules,
                      .slot = &rules->slots.data[number],
                      .number = number,
                      .tokens = tokens->data};
    uint32_t count = 0, longest = longest_tried(g.slot);
    double path = 0, first = 0;
    if (!g.slot->values)
        return 0;
    if (start < tokens->count) {
        uint32_t seen = counted(&g, COUNT_PATH, tokens->data[start].path);
        path = cost(g.slot, COST_PATH, seen);
    }
    if (g.slot->attribute.ptr) {
        if (start == tokens->count || tokens->data[start].key != g.slot->tag)
            return 0;
        out[0] = (struct value_end){start + 1, (float)path};
        return 1;
    }
    if (start < tokens->count) {
        uint32_t seen = counted(&g, COUNT_FIRST, tokens->data[start].shape);
        first = cost(g.slot, COST_EDGE, seen);
    }
    if (may_end[start])
        out[count++] = (struct value_end){start, EMPTY};
    for (uint32_t at = start; at < tokens->count && at - start < longest; at++) {
        if (!add_token(&g, &tokens->data[at]) || count == most)
            break;
        if (!g.opened && may_end[at + 1])
            out[count++] =
                (struct value_end){at + 1, (float)(path + cost_of(&g, first, start, at + 1))};
    }
    return count;
}

/* ---- readings: costs other than those of values
   ------------------------------------------------ */

enum {
    KEPT = 8 /* readings kept at each token: with half as many, one page in thousands differs */
};

/* The cost of an unexplained token, by what it is. Higher than that of a new word in a value of the
 * wrong form, so that text is left over only if no slot can take it. */
static const float loose[] = {
    [SEAM_WORD] = 14,  [SEAM_SIGN] = 14, [SEAM_GAP] = 14, [SEAM_BREAK] = 8,
    [SEAM_PHRASE] = 8, [SEAM_BLOCK] = 8, [SEAM_END] = 2};
/* The share of it before the first value, if samples have text there. About the cost of a new word
 * in a value: if lower, a record would pass as a head; if higher, a head as a record. */
#define HEAD 0.8f
/* The cost of an unknown tail, in addition to its unexplained tokens. */
#define LOST_TAIL 1.0f
/* The cost of a known seam with another kind of beginning. */
#define OTHER_KIND 3.0
/* Smoothing of what is closed before a seam: the count added, and the number of kinds. An end tag
 * may be omitted. */
#define ENDS_ADDED 0.2
#define ENDS_KINDS 4.0
/* The cost of an aside and of its text: about that of new words in a value, so that text becomes a
 * value if it can. */
#define ASIDE 1.0f
static const float beside[] = {[SEAM_WORD] = 7.5f, [SEAM_SIGN] = 3};
/* The cost of a seam that is a part of a known one. */
#define PART 4.0f
/* Added to the number of seams of a kind that a slot has. */
#define NEW_SEAM 0.5
/* The cost of a new item: of equally likely readings, the one with fewer items wins. */
#define NEW_ITEM 0.005f
/* Readings that cost so much more than the best at the same token never win. */
#define HOPELESS 30.0f

struct state {
    float cost;
    uint32_t slot; /* the last slot, or SEAMS_NONE */
    uint64_t used;
    seam_step step; /* its value; `before` is the rest of the reading */
    uint32_t made;  /* the number of the step if it is stored already */
    uint64_t ends;  /* what was closed and passed since then; 0 for nothing */
};

typedef struct reading_bucket {
    struct state states[KEPT];
    uint32_t count, worst; /* worst: index of the most expensive one, once full */
    float best;
    struct reading_bucket *next; /* in the list of free ones */
} bucket;

/* The values of a slot that begin at a token. */
typedef struct slot_values {
    uint32_t slot, count;
    struct value_end *ends;
    struct slot_values *next;
} slot_values;

/* A seam on the page, or an aside. */
typedef struct seam_match {
    uint32_t end, lead; /* lead: SEAMS_NONE for an aside */
    float cost;         /* of an aside, with */
    uint64_t hash;      /* the hash of what precedes its text */
} seam_match;

struct seam_parser {
    const seam_rules *rules;
    const seam_tokens *tokens;
    th__arena *arena;
    bucket **at; /* by position */
    bucket *free;
    slot_values **known;       /* by position */
    uint32_t *matches;         /* by position, and one more: the index of its first seam in */
    TH__VEC(seam_match) seams; /* these */
    bool *may_end;
    seam_tail *tails;
    uint32_t *left;         /* by position: tokens from there on, without end tags */
    struct value_end *ends; /* scratch */
    TH__VEC(seam_step) steps;
    float end_cost;
    uint32_t end_step;
    bool failed;
};

/* ---- what is on the page ----------------------------------------------------------------------
 */

/* Adds an aside whose text begins at a token, and longer ones that its text may extend to. */
static bool add_asides(struct seam_parser *p, uint32_t text, uint64_t hash)
{
    enum { MOST = 4 }; /* such asides: pieces of a line with markup in it */
    seam_match aside = {text, SEAMS_NONE, ASIDE, hash};
    for (int i = 0; i < MOST; i++) {
        for (; aside.end < p->tokens->count && seam_is_text(&p->tokens->data[aside.end]);
             aside.end++)
            aside.cost += beside[p->tokens->data[aside.end].what];
        if (!th__vec_push(&p->seams, aside))
            return false;
        uint32_t on = seam_text_on(p->tokens, aside.end);
        if (on == aside.end)
            break;
        aside.end = on;
    }
    return true;
}

static bool find_seams(struct seam_parser *p)
{
    const seam_tokens *t = p->tokens;
    for (uint32_t i = 0; i <= t->count; i++) {
        uint64_t hash = 0;
        p->matches[i] = (uint32_t)p->seams.len;
        uint32_t longest =
            i < t->count ? th__key_map_get(&p->rules->first, th__hash_mix(0, t->data[i].key)) : 0;
        for (uint32_t len = 0; len <= longest; len++) {
            uint32_t lead = p->rules->lengths[len] ? th__key_map_get(&p->rules->seams, hash) : 0;
            if (lead && !th__vec_push(&p->seams, (seam_match){i + len, lead - 1, 0, 0}))
                return false;
            if (seam_is_aside(p->rules, t, i, i + len, hash) && !add_asides(p, i + len, hash))
                return false;
            if (i + len == t->count)
                break;
            hash = th__hash_mix(hash, t->data[i + len].key);
        }
    }
    p->matches[t->count + 1] = (uint32_t)p->seams.len;
    return true;
}

static void find_ends(struct seam_parser *p)
{
    uint32_t n = p->tokens->count;
    p->may_end[n] = true;
    p->left[n] = 0;
    for (uint32_t i = n; i-- > 0;) {
        uint8_t what = p->tokens->data[i].what;
        p->may_end[i] = what == SEAM_END || what == SEAM_BLOCK || what == SEAM_BREAK ||
                        p->matches[i] < p->matches[i + 1];
        p->left[i] = p->left[i + 1] + (what != SEAM_END);
    }
}

/* ---- costs ------------------------------------------------------------------------------------
 */

static float lead_cost(const seam_slot *slot, const seam_lead *lead, seam_kind kind)
{
    uint32_t all = 0, seen = 0;
    if (lead->counts[kind])
        return (float)-log(lead->counts[kind] / (slot->seams[kind] + NEW_SEAM));
    for (int k = 0; k < SEAM_KINDS; k++) {
        all += slot->seams[k];
        seen = seen > lead->counts[k] ? seen : lead->counts[k];
    }
    return seen ? (float)(OTHER_KIND - log(seen / (all + NEW_SEAM))) : PART;
}

/* Costs by how often an end was seen: at most as often as the slot has seams of that kind. */
static bool weigh_ends(seam_slot *slot, th__arena *arena)
{
    for (int kind = 0; kind < SEAM_KINDS; kind++) {
        double all = slot->seams[kind];
        float *costs = th__arena_alloc(arena, (slot->seams[kind] + (size_t)1) * sizeof *costs);
        if (!costs)
            return false;
        for (uint32_t seen = 0; seen <= slot->seams[kind]; seen++)
            costs[seen] = (float)-log((seen + ENDS_ADDED) / (all + ENDS_ADDED * ENDS_KINDS));
        slot->ends[kind] = costs;
    }
    return true;
}

static bool seam_weigh(seam_rules *rules, th__arena *arena)
{
    for (uint32_t i = 0; i < rules->lead_count; i++)
        for (int kind = 0; kind < SEAM_KINDS; kind++)
            rules->leads[i].costs[kind] = lead_cost(&rules->slots.data[rules->leads[i].slot],
                                                    &rules->leads[i], (seam_kind)kind);
    for (uint32_t i = 0; i < rules->slots.count; i++)
        if (!weigh_ends(&rules->slots.data[i], arena) || !keep_logs(&rules->slots.data[i], arena))
            return false;
    return true;
}

/* Returns true if there is a seam at a position, or after the end tags there. */
static bool has_seam(const struct seam_parser *p, uint32_t at)
{
    at = seam_skip_ends(p->tokens, at, p->tokens->count);
    return p->matches[at] < p->matches[at + 1];
}

static float ends_cost(const struct seam_parser *p, uint32_t slot, seam_kind kind, uint64_t ends)
{
    uint32_t seen = seam_counted(p->rules, COUNT_ENDS, slot, th__hash_mix(ends, kind));
    return p->rules->slots.data[slot].ends[kind][seen];
}

/* The cost of ending the last value here. Tokens that begin with a seam are a tail only if a sample
 * has exactly them: its last value was empty. */
static float tail_cost(const struct seam_parser *p, uint32_t from)
{
    if (seam_counted(p->rules, COUNT_TAIL, 1, p->tails[from].whole))
        return 0;
    if (!has_seam(p, from) && seam_counted(p->rules, COUNT_TAIL, 0, p->tails[from].first))
        return 0;
    return LOST_TAIL + loose[SEAM_WORD] * (float)p->left[from];
}

/* ---- readings ---------------------------------------------------------------------------------
 */

static bucket *new_bucket(struct seam_parser *p, uint32_t at)
{
    bucket *b = p->free;
    if (b)
        p->free = b->next;
    else
        b = th__arena_alloc(p->arena, sizeof *b);
    if (!b) {
        p->failed = true;
        return NULL;
    }
    b->count = 0;
    b->best = SEAM_NEVER;
    return p->at[at] = b;
}

static bucket *bucket_at(struct seam_parser *p, uint32_t at)
{
    return p->at[at] ? p->at[at] : new_bucket(p, at);
}

static void find_worst(bucket *b)
{
    b->worst = 0;
    for (uint32_t i = 1; i < b->count; i++)
        if (b->states[i].cost > b->states[b->worst].cost)
            b->worst = i;
}

/* Keeps a state: the better of two similar ones, replacing the worst if full. Costs only fall, so a
 * state that is rejected now would not be kept later. */
static void keep(bucket *b, const struct state *state)
{
    uint32_t at = 0;
    if (b->count == KEPT && state->cost >= b->states[b->worst].cost)
        return;
    while (at < b->count &&
           (b->states[at].slot != state->slot || b->states[at].used != state->used))
        at++;
    if (at < b->count && b->states[at].cost <= state->cost)
        return;
    if (at == KEPT)
        at = b->worst;
    b->count += at == b->count;
    b->states[at] = *state;
    if (b->count == KEPT)
        find_worst(b);
    if (state->cost < b->best)
        b->best = state->cost;
}

static const slot_values *values_at(struct seam_parser *p, uint32_t slot, uint32_t at)
{
    slot_values *v = p->known[at];
    while (v && v->slot != slot)
        v = v->next;
    if (v)
        return v;
    v = th__arena_zero(p->arena, 1, sizeof *v);
    if (!v)
        return NULL;
    v->slot = slot;
    v->next = p->known[at];
    p->known[at] = v;
    v->count =
        find_value_ends(p->rules, slot, p->tokens, at, p->may_end, p->ends, p->tokens->count + 1);
    v->ends = th__arena_alloc(p->arena, (v->count + (size_t)1) * sizeof *v->ends);
    if (v->ends && v->count)
        memcpy(v->ends, p->ends, v->count * sizeof *v->ends);
    return v->ends ? v : NULL;
}

/* The number of ways (which lists continue with the same item) in which a slot may follow, given
 * the `used` slots of the current items; at most SEAMS_MAX_DEPTH + 1. */
static uint32_t find_ways(const seam_slots *slots, uint32_t from, uint64_t used, uint32_t to,
                          uint32_t *open)
{
    const seam_slot *slot = &slots->data[to];
    uint32_t common = seam_common(slots, from, to), count = 0;
    bool is_used = used >> to & 1;
    if (!slot->depth) {
        open[0] = 0;
        return !is_used;
    }
    if (common == slot->depth) {
        /* Fields of an item keep their order: one that belongs earlier begins a new item. */
        bool later = slots->later[from] >> to & 1, earlier = slots->later[to] >> from & 1;
        if (!slot->item && !is_used && (later || !earlier))
            open[count++] = slot->depth;
    } else if (!(used & slots->in_list[slot->lists[common]])) {
        open[count++] = common; /* a list begins, at most once per item */
    }
    for (uint32_t i = common; i > 0; i--)
        open[count++] = i - 1;
    return count;
}

/* Continues a reading with all values of a slot after a seam. */
static void go_on(struct seam_parser *p, const struct state *from, uint32_t at,
                  const seam_match *seam, const seam_lead *lead, uint64_t ends)
{
    uint32_t ways[SEAMS_MAX_DEPTH + 2];
    const seam_slots *slots = &p->rules->slots;
    uint32_t count = find_ways(slots, from->slot, from->used, lead->slot, ways);
    const slot_values *v = count ? values_at(p, lead->slot, seam->end) : NULL;
    p->failed |= count && !v;
    for (uint32_t w = 0; v && w < count; w++) {
        seam_kind kind = seam_kind_of(slots, from->slot, lead->slot, ways[w]);
        float cost = from->cost + lead->costs[kind] +
                     p->rules->move_costs[seam_move(p->rules, from->slot, lead->slot, kind)];
        if (kind > SEAM_IN)
            cost += NEW_ITEM * (float)(slots->data[lead->slot].depth - ways[w]);
        if (from->slot != SEAMS_NONE)
            cost += ends_cost(p, lead->slot, kind, ends);
        struct state next = {.slot = lead->slot,
                             .used = seam_use(slots, from->used, lead->slot, ways[w]),
                             .made = SEAMS_NONE};
        for (uint32_t i = 0; i < v->count; i++) {
            if (v->ends[i].at <= at)
                continue; /* no progress: neither seam nor value */
            next.cost = cost + v->ends[i].cost;
            bucket *b = bucket_at(p, v->ends[i].at);
            if (!b || next.cost > b->best + HOPELESS)
                continue;
            next.step = (seam_step){lead->slot, ways[w], seam->end, v->ends[i].at, from->made};
            keep(b, &next);
        }
    }
}

static void follow_seam(struct seam_parser *p, const struct state *state, uint32_t at,
                        const seam_match *seam, uint64_t ends)
{
    for (uint32_t l = seam->lead; l != SEAMS_NONE; l = p->rules->leads[l].next)
        go_on(p, state, at, seam, &p->rules->leads[l], ends);
}

/* Continues a reading after an aside. There are none before the first value. */
static void pass_aside(struct seam_parser *p, const struct state *state, const seam_match *aside,
                       uint64_t ends)
{
    struct state next = *state;
    if (state->slot == SEAMS_NONE)
        return;
    next.cost += aside->cost;
    next.ends = th__hash_mix(ends, aside->hash);
    bucket *b = bucket_at(p, aside->end);
    if (b && next.cost <= b->best + HOPELESS)
        keep(b, &next);
}

static void read_on(struct seam_parser *p, struct state *state, uint32_t at, float tail)
{
    const seam_tokens *tokens = p->tokens;
    if (state->slot != SEAMS_NONE && state->made == SEAMS_NONE) {
        state->made = (uint32_t)p->steps.len;
        if (!th__vec_push(&p->steps, state->step)) {
            p->failed = true;
            return;
        }
    }
    if (state->slot != SEAMS_NONE) {
        float cost = state->cost + tail +
                     p->rules->move_costs[seam_move(p->rules, state->slot, SEAMS_NONE, SEAM_TOP)];
        if (cost < p->end_cost) {
            p->end_cost = cost;
            p->end_step = state->made;
        }
    }
    uint64_t ends = state->ends;
    for (uint32_t from = at; from <= tokens->count; from++) {
        for (uint32_t m = p->matches[from]; m < p->matches[from + 1]; m++)
            if (p->seams.data[m].lead == SEAMS_NONE)
                pass_aside(p, state, &p->seams.data[m], ends);
            else
                follow_seam(p, state, at, &p->seams.data[m], ends);
        if (from == tokens->count || tokens->data[from].what != SEAM_END)
            break;
        ends = seam_end_tag(ends, &tokens->data[from]);
    }
    if (at < tokens->count) {
        struct state next = *state;
        bool head = state->slot == SEAMS_NONE && p->rules->head;
        next.cost += (head ? HEAD : 1) * loose[tokens->data[at].what];
        bucket *b = bucket_at(p, at + 1);
        if (b && next.cost <= b->best + HOPELESS)
            keep(b, &next);
    }
}

/* Sorts the indices of states by cost; equal ones keep their order. */
static void sort_states(const bucket *b, uint8_t *order)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t to = i;
        for (; to > 0 && b->states[i].cost < b->states[order[to - 1]].cost; to--)
            order[to] = order[to - 1];
        order[to] = (uint8_t)i;
    }
}

static void read_all(struct seam_parser *p)
{
    const struct state start = {.slot = SEAMS_NONE, .made = SEAMS_NONE};
    bucket *first = bucket_at(p, 0);
    if (first)
        keep(first, &start);
    for (uint32_t at = 0; at <= p->tokens->count && !p->failed; at++) {
        bucket *b = p->at[at];
        uint8_t order[KEPT];
        if (!b)
            continue;
        float tail = b->best < p->end_cost ? tail_cost(p, at) : 0;
        sort_states(b, order);
        for (uint32_t i = 0; i < b->count && !p->failed; i++) {
            struct state *state = &b->states[order[i]];
            if (state->cost < p->end_cost && state->cost <= b->best + HOPELESS)
                read_on(p, state, at, tail);
        }
        b->next = p->free;
        p->free = b;
        p->at[at] = NULL;
    }
}

static bool write_reading(const struct seam_parser *p, seam_reading *out)
{
    for (uint32_t s = p->end_step; s != SEAMS_NONE; s = p->steps.data[s].before)
        out->count++;
    out->cost = p->end_cost;
    out->steps = th__arena_alloc(p->arena, (out->count + (size_t)1) * sizeof *out->steps);
    if (!out->steps)
        return false;
    for (uint32_t s = p->end_step, i = out->count; i-- > 0; s = p->steps.data[s].before) {
        out->steps[i] = p->steps.data[s];
        out->values += out->steps[i].end > out->steps[i].start;
    }
    return true;
}

static bool seam_parse(const seam_rules *rules, const seam_tokens *tokens, th__arena *arena,
                       seam_reading *out)
{
    size_t n = tokens->count + (size_t)2;
    struct seam_parser p = {.rules = rules,
                            .tokens = tokens,
                            .arena = arena,
                            .end_cost = SEAM_NEVER,
                            .end_step = SEAMS_NONE};
    *out = (seam_reading){0};
    if (tokens->count > SEAMS_MAX_TOKENS)
        return true;
    p.at = th__arena_zero(arena, n, sizeof *p.at);
    p.known = th__arena_zero(arena, n, sizeof *p.known);
    p.matches = th__arena_zero(arena, n, sizeof *p.matches);
    p.may_end = th__arena_zero(arena, n, sizeof *p.may_end);
    p.left = th__arena_zero(arena, n, sizeof *p.left);
    p.tails = seam_tails_make(tokens, arena);
    p.ends = th__arena_alloc(arena, n * sizeof *p.ends);
    bool ok =
        p.at && p.known && p.matches && p.may_end && p.left && p.tails && p.ends && find_seams(&p);
    if (ok) {
        find_ends(&p);
        read_all(&p);
        ok = !p.failed && write_reading(&p, out);
    }
    th__vec_release(&p.seams);
    th__vec_release(&p.steps);
    return ok;
}

/* ---- what is counted over the samples. ------------------------------------------------------
 *
 * The samples are all that a wrapper keeps: they are short, a person can read them, and what is
 * counted can change without a change of the file. They are gone
 * through three times: for the texts between values, for the asides among them, and for everything
 * else.
 *
 * Asides: a page has more on it than its labels name.
 *
 *     <br>Tel: 555-1212<br>Ref: 80-3342<br>Town: Ghent
 *                      └─────aside─────┘ └─seam──┘
 *
 * What varies from place to place would make a seam that no other page has: such a text, with the
 * tokens before it, is known as an aside, and the seam of the next value begins behind it. Which
 * texts vary is counted by what is before them, their context. Behind "Ref:" is another text each
 * time; behind "<br>" are the labels, each of which comes again on the next page. A context is
 * varied when most of its texts are different.
 */

/* ---- asides ---------------------------------------------------------------------------------- */

/* Texts between values, counted to find those that vary. */
struct between_texts {
    th__key_map contexts, contents;
};

/* Where the tokens before an aside begin, and its text. */
struct seam_aside {
    uint32_t start, text, end;
};

enum { OCCURRENCES = 16 }; /* low bits of a context's count; the bits above count different texts */
/* The share of different texts that makes a context varied, and the least number of texts. With
 * fewer, labels that only some pages have would pass as varying text. */
#define VARIED    0.7
#define DIFFERENT 2

/* The tokens before a text, back to the previous text or value. `exact`: including that text, which
 * may be a label; otherwise any. */
static uint64_t context_of(const seam_tokens *tokens, uint32_t from, uint32_t text, uint32_t before,
                           bool exact)
{
    uint64_t hash = 1 + exact;
    for (; text > from && !seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__hash_mix(hash, tokens->data[text - 1].key);
    if (exact && text == from)
        return th__hash_mix(hash, before);
    for (; exact && text > from && seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__hash_mix(hash, tokens->data[text - 1].key);
    return hash;
}

/* The hash of the tokens start..end. */
static uint64_t hash_of(const seam_tokens *tokens, uint32_t start, uint32_t end)
{
    uint64_t hash = 0;
    for (; start < end; start++)
        hash = th__hash_mix(hash, tokens->data[start].key);
    return hash;
}

/* Finds the next text between other tokens. */
static bool next_text(const seam_tokens *tokens, uint32_t at, uint32_t from, uint32_t to,
                      uint32_t *start, uint32_t *end)
{
    while (at < to &&
           (at == from || !seam_is_text(&tokens->data[at]) || seam_is_text(&tokens->data[at - 1])))
        at++;
    *start = at;
    *end = seam_text_end(tokens, at);
    return at < to && *end < to;
}

static void count_text(struct between_texts *texts, uint64_t context, uint64_t content)
{
    enum { MOST = (1 << OCCURRENCES) - 1 };
    content = th__hash_mix(context, content);
    bool is_new = !th__key_map_get(&texts->contents, content);
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    if (is_new)
        th__key_map_put(&texts->contents, content, 1);
    if ((seen & MOST) < MOST)
        th__key_map_put(&texts->contexts, context, seen + 1 + ((uint32_t)is_new << OCCURRENCES));
}

/* Counts the texts of the tokens from..to, which follow a value of the slot `before`. */
static void count_texts(struct between_texts *texts, const seam_tokens *tokens, uint32_t from,
                        uint32_t to, uint32_t before)
{
    uint32_t start, end;
    for (uint32_t at = from; next_text(tokens, at, from, to, &start, &end); at = end) {
        uint64_t content = hash_of(tokens, start, end);
        count_text(texts, context_of(tokens, from, start, before, true), content);
        count_text(texts, context_of(tokens, from, start, before, false), content);
    }
}

static bool is_varied(const struct between_texts *texts, uint64_t context)
{
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    uint32_t all = seen & ((1u << OCCURRENCES) - 1), different = seen >> OCCURRENCES;
    return different >= DIFFERENT && different > VARIED * all;
}

/* Finds the next aside between two values; a seam must follow it. False if there is none. */
static bool next_aside(const struct between_texts *texts, const seam_tokens *tokens, uint32_t from,
                       uint32_t to, uint32_t before, struct seam_aside *out)
{
    uint32_t start, end, first = seam_skip_ends(tokens, from, to);
    for (uint32_t at = first; next_text(tokens, at, from, to, &start, &end); at = end) {
        if (start <= first || start - first > SEAMS_MAX_SEAM ||
            !(is_varied(texts, context_of(tokens, from, start, before, true)) ||
              is_varied(texts, context_of(tokens, from, start, before, false))))
            continue;
        for (uint32_t on; (on = seam_text_on(tokens, end)) > end && on < to;)
            end = seam_text_end(tokens, on);
        *out = (struct seam_aside){first, start, end};
        return seam_skip_ends(tokens, end, to) < to;
    }
    return false;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Smoothing of moves: the count added to one, and to all moves from a slot together. */
#define NEW_MOVE  0.05
#define NEW_MOVES 0.4

/* The tokens of a sample, and those of its values. */
struct read_sample {
    seam_tokens tokens;
    seam_place *values; /* starts and ends are tokens; values without tokens are left out */
    uint32_t count;
};

struct sample_counter {
    seam_rules *rules;
    th__arena *arena;
    const seam_tokens *tokens; /* of the current sample */
    const seam_tail *tails;
    TH__VEC(seam_lead) leads;
    struct between_texts texts; /* counted first, over all samples */
};

/* Counts one more; returns the new count. */
static uint32_t count(struct sample_counter *c, seam_count what, uint32_t slot, uint64_t key)
{
    th__key_map *map = &c->rules->counts;
    key = seam_count_key(what, slot, key);
    uint32_t seen = th__key_map_get(map, key);
    th__key_map_put(map, key, seen + 1);
    return seen + 1;
}

static void count_value(struct sample_counter *c, uint32_t number, uint32_t start, uint32_t end)
{
    seam_slot *slot = &c->rules->slots.data[number];
    const seam_token *tokens = c->tokens->data;
    uint64_t whole = 0, form = 0;
    for (uint32_t i = start; i < end; i++) {
        whole = th__hash_mix(whole, tokens[i].key);
        form = th__hash_mix(form, tokens[i].shape);
        count(c, COUNT_WORD, number, tokens[i].key);
        count(c, COUNT_SHAPE, number, tokens[i].shape);
    }
    slot->values++;
    slot->tokens += end - start;
    slot->longest = slot->longest > end - start ? slot->longest : end - start;
    slot->wholes += count(c, COUNT_WHOLE, number, whole) == 1;
    slot->shapes += count(c, COUNT_FORM, number, form) == 1;
    count(c, COUNT_PATH, number, tokens[start].path);
    count(c, COUNT_FIRST, number, tokens[start].shape);
    count(c, COUNT_LAST, number, tokens[end - 1].shape);
    if (slot->attribute.ptr)
        slot->tag = tokens[start].key;
}

/* Stores the length of the longest seam that begins with a token. */
static void keep_first(seam_rules *rules, uint32_t key, uint32_t length)
{
    uint64_t hash = th__hash_mix(0, key);
    if (th__key_map_get(&rules->first, hash) < length)
        th__key_map_put(&rules->first, hash, length);
}

/* Finds or adds the lead of a seam to a slot. SEAMS_NONE if out of memory. */
static uint32_t find_lead(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot)
{
    seam_rules *rules = c->rules;
    uint64_t hash = hash_of(c->tokens, start, end);
    for (uint32_t i = start; i < end; i++)
        rules->breaks |= c->tokens->data[i].what == SEAM_BREAK;
    uint32_t first = th__key_map_get(&rules->seams, hash), at = first ? first - 1 : SEAMS_NONE;
    while (at != SEAMS_NONE && c->leads.data[at].slot != slot)
        at = c->leads.data[at].next;
    if (at == SEAMS_NONE) {
        seam_lead lead = {.slot = slot, .next = first ? first - 1 : SEAMS_NONE};
        at = (uint32_t)c->leads.len;
        if (!th__vec_push(&c->leads, lead))
            return SEAMS_NONE;
        th__key_map_put(&rules->seams, hash, at + 1);
    }
    rules->lengths[end - start] = true;
    if (end > start)
        keep_first(rules, c->tokens->data[start].key, end - start);
    return at;
}

/* Returns true if the tokens include a word. */
static bool has_word(const struct sample_counter *c, uint32_t start, uint32_t end)
{
    while (start < end && c->tokens->data[start].what != SEAM_WORD)
        start++;
    return start < end;
}

/* Adds parts of a seam that may lead to its slot on other pages, with a count of 0. Start tags
 * before a label may belong to an element with several fields, of which this one need not be the
 * first. Only the first item of a list follows the list's beginning: if samples show no other item,
 * items begin with the last tag that separates lines or blocks. */
static bool add_parts(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot,
                      seam_kind kind)
{
    const seam_token *tokens = c->tokens->data;
    for (uint32_t i = start; i < end && tokens[i].what == SEAM_BLOCK; i++)
        if (has_word(c, i + 1, end) && find_lead(c, i + 1, end, slot) == SEAMS_NONE)
            return false;
    uint32_t last = end;
    while (last > start && tokens[last - 1].what != SEAM_BLOCK &&
           tokens[last - 1].what != SEAM_BREAK)
        last--;
    return kind != SEAM_FIRST || last <= start + 1 ||
           find_lead(c, last - 1, end, slot) != SEAMS_NONE;
}

/* Anything may precede the first value of a record, so the tags after the last word before it are
 * added as a seam. */
static bool add_head(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot)
{
    const seam_token *tokens = c->tokens->data;
    uint32_t from = end;
    while (from > start && tokens[from - 1].what != SEAM_WORD)
        from--;
    while (from < end && tokens[from].what != SEAM_BLOCK)
        from++;
    c->rules->head |= from > start;
    return from == start || from == end || find_lead(c, from, end, slot) != SEAMS_NONE;
}

/* Counts a seam that leads to a slot. */
static bool count_seam(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot,
                       seam_kind kind)
{
    uint32_t lead = find_lead(c, start, end, slot);
    if (lead == SEAMS_NONE)
        return false;
    c->leads.data[lead].counts[kind]++;
    c->rules->slots.data[slot].seams[kind]++;
    return add_parts(c, start, end, slot, kind);
}

/* Where the seam of a value begins: after the end tags of what came before. For the first value,
 * only tokens after the last end tag count, since anything may precede a record. */
static uint32_t seam_start(struct sample_counter *c, uint32_t from, uint32_t to, bool first)
{
    uint32_t start = seam_skip_ends(c->tokens, from, to);
    const seam_token *tokens = c->tokens->data;
    for (uint32_t i = to; first && i > start; i--)
        if (tokens[i - 1].what == SEAM_END)
            start = i;
    if (to - start > SEAMS_MAX_SEAM)
        start = to - SEAMS_MAX_SEAM;
    c->rules->head |= first && start > 0;
    return start;
}

/* Records which slots an item has before a value; returns them with the value's slot. */
static uint64_t keep_order(seam_slots *slots, uint64_t used, const seam_place *place)
{
    const seam_slot *slot = &slots->data[place->slot];
    used = seam_use(slots, used, place->slot, place->open);
    uint64_t item = slot->depth ? used & slots->in_list[slot->lists[0]] : 0;
    for (uint32_t s = 0; s < slots->count; s++)
        if (s != place->slot && item >> s & 1)
            slots->later[s] |= UINT64_C(1) << place->slot;
    return used;
}

/* Skips the asides after a value; returns where the next seam begins. *ends: what is closed and
 * skipped before it. */
static uint32_t pass_asides(struct sample_counter *c, uint32_t from, uint32_t to, uint32_t before,
                            uint64_t *ends)
{
    struct seam_aside aside;
    seam_rules *rules = c->rules;
    const seam_token *tokens = c->tokens->data;
    for (bool more = true; more;) {
        more = before != SEAMS_NONE && next_aside(&c->texts, c->tokens, from, to, before, &aside);
        for (; from < to && tokens[from].what == SEAM_END; from++)
            *ends = seam_end_tag(*ends, &tokens[from]);
        if (!more)
            break;
        uint64_t hash = hash_of(c->tokens, aside.start, aside.text);
        th__key_map_put(&rules->asides, hash, 1);
        rules->any_asides = true;
        keep_first(rules, tokens[aside.start].key, aside.text - aside.start);
        *ends = th__hash_mix(*ends, hash);
        from = aside.end;
    }
    return from;
}

/* Counts the texts between values, or finds the asides among them. */
static void look_between(struct sample_counter *c, const struct read_sample *sample, bool texts)
{
    uint64_t ends = 0;
    for (uint32_t i = 1; i < sample->count; i++) {
        const seam_place *before = &sample->values[i - 1], *value = before + 1;
        if (texts)
            count_texts(&c->texts, c->tokens, before->end, value->start, before->slot);
        else
            pass_asides(c, before->end, value->start, before->slot, &ends);
    }
}

/* The end of the aside at a position; the position itself if there is none. */
static uint32_t aside_end(const struct sample_counter *c, uint32_t at)
{
    const seam_tokens *tokens = c->tokens;
    uint64_t hash = 0;
    uint32_t from = seam_skip_ends(tokens, at, tokens->count);
    for (uint32_t i = from; i < tokens->count && i - from <= SEAMS_MAX_SEAM; i++) {
        if (seam_is_aside(c->rules, tokens, from, i, hash))
            return seam_text_end(tokens, i);
        hash = th__hash_mix(hash, tokens->data[i].key);
    }
    return at;
}

/* Counts what ends a record: what follows its last value and the asides after it. */
static void count_tail(struct sample_counter *c, uint32_t at)
{
    count(c, COUNT_TAIL, 0, c->tails[at].first);
    count(c, COUNT_TAIL, 1, c->tails[at].whole);
    uint32_t behind = at;
    for (uint32_t end; (end = aside_end(c, behind)) > behind;)
        behind = end;
    if (behind > at) {
        count(c, COUNT_TAIL, 0, c->tails[behind].first);
        count(c, COUNT_TAIL, 1, c->tails[behind].whole);
    }
}

static bool count_sample(struct sample_counter *c, const struct read_sample *sample)
{
    seam_rules *rules = c->rules;
    uint32_t at = 0, before = SEAMS_NONE, n = rules->slots.count;
    uint64_t used = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        const seam_place *value = &sample->values[i];
        uint32_t slot = value->slot;
        bool first = i == 0;
        seam_kind kind = seam_kind_of(&rules->slots, before, slot, value->open);
        uint64_t ends = 0;
        uint32_t behind = pass_asides(c, at, value->start, before, &ends);
        uint32_t seam = seam_start(c, behind, value->start, first);
        if (!count_seam(c, seam, value->start, slot, kind) ||
            (first && !add_head(c, seam, value->start, slot)))
            return false;
        count_value(c, slot, value->start, value->end);
        if (!first)
            count(c, COUNT_ENDS, slot, th__hash_mix(ends, kind));
        used = keep_order(&rules->slots, used, value);
        rules->moves[seam_move(rules, before, slot, kind)]++;
        rules->moves_from[first ? n : before]++;
        before = slot;
        at = value->end;
    }
    if (before == SEAMS_NONE)
        return true;
    rules->moves[seam_move(rules, before, SEAMS_NONE, SEAM_TOP)]++;
    rules->moves_from[before]++;
    count_tail(c, at);
    return true;
}

static bool make_room(struct sample_counter *c, th__arena *scratch)
{
    seam_rules *rules = c->rules;
    th__arena *arena = c->arena;
    size_t bytes = 0, places = 0, seams = 0, n = rules->slots.count + (size_t)1;
    for (uint32_t i = 0; i < rules->sample_count; i++) {
        bytes += rules->samples[i].html.len;
        places += rules->samples[i].count;
        seams =
            places * (SEAMS_MAX_SEAM + 1) < bytes ? places * (SEAMS_MAX_SEAM + 1) : places + bytes;
    }
    rules->moves = th__arena_zero(arena, n * n * SEAM_KINDS, sizeof *rules->moves);
    rules->moves_from = th__arena_zero(arena, n, sizeof *rules->moves_from);
    /* Each text takes at least a byte, and so does the tag before it. */
    if (!th__key_map_init(&c->texts.contexts, scratch, bytes / 2 + 1) ||
        !th__key_map_init(&c->texts.contents, scratch, bytes / 2 + 1))
        return false;
    /* Each token takes at least a byte and is counted twice, each value six times. */
    return rules->moves && rules->moves_from &&
           th__key_map_init(&rules->counts, arena, 2 * bytes + 6 * places + 8) &&
           th__key_map_init(&rules->seams, arena, seams + 1) &&
           th__key_map_init(&rules->first, arena, seams + 1) &&
           th__key_map_init(&rules->asides, arena, seams + 1);
}

/* The stages of counting, in order. */
enum stage { TEXTS, ASIDES, ALL, STAGES };

/* Finds the tokens of a sample and of its values. */
static bool find_values(seam_rules *rules, const seam_sample *sample, const th_page *page,
                        th__arena *scratch, struct read_sample *out)
{
    out->values = th__arena_alloc(scratch, (sample->count + 1) * sizeof *out->values);
    if (!out->values || !seam_tokens_make(scratch, page, 0, &out->tokens))
        return false;
    const seam_token *tokens = out->tokens.data;
    uint32_t start = 0, end, last = out->tokens.count;
    for (uint32_t i = 0; i < sample->count; i++, start = end) {
        const seam_place *place = &sample->places[i];
        while (start < last && tokens[start].end <= place->start)
            start++;
        for (end = start; end < last && tokens[end].start < place->end;)
            end++;
        if (end == start)
            continue;
        out->values[out->count++] = (seam_place){place->slot, place->open, start, end};
        rules->slots.data[place->slot].literal |= th__says_nothing(
            th__str_trim((th_str){sample->html.ptr + place->start, place->end - place->start}));
    }
    return true;
}

static th_status read_sample(seam_rules *rules, const seam_sample *sample, th_parser *parser,
                             th__arena *scratch, struct read_sample *out, th_error *err)
{
    th_page *page = NULL;
    const th_page_source source = {.charset = TH_STR("utf-8")};
    th_status status = th_parser_parse(parser, sample->html, &source, &page, err);
    if (!status && !find_values(rules, sample, page, scratch, out))
        status = th__fail_memory(err);
    th_page_free(page);
    return status;
}

static bool weigh_moves(seam_rules *rules, th__arena *arena)
{
    size_t n = rules->slots.count + (size_t)1, row = n * SEAM_KINDS;
    rules->move_costs = th__arena_alloc(arena, n * row * sizeof *rules->move_costs);
    for (size_t i = 0; rules->move_costs && i < n * row; i++)
        rules->move_costs[i] =
            (float)-log((rules->moves[i] + NEW_MOVE) / (rules->moves_from[i / row] + NEW_MOVES));
    return rules->move_costs;
}

static th_status seam_model_make(seam_rules *rules, th__arena *arena, th_error *err)
{
    th__arena scratch;
    th__arena_init(&scratch);
    struct sample_counter c = {.rules = rules, .arena = arena};
    struct read_sample *samples =
        th__arena_zero(&scratch, rules->sample_count + 1, sizeof *samples);
    th_parser *parser = NULL;
    bool ok = samples && make_room(&c, &scratch);
    th_status status = ok ? th_parser_new(NULL, &parser, err) : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < rules->sample_count; i++)
        status = read_sample(rules, &rules->samples[i], parser, &scratch, &samples[i], err);
    th_parser_free(parser);
    ok = !status;
    for (enum stage stage = TEXTS; ok && stage < STAGES; stage++)
        for (uint32_t i = 0; ok && i < rules->sample_count; i++) {
            c.tokens = &samples[i].tokens;
            if (stage != ALL)
                look_between(&c, &samples[i], stage == TEXTS);
            else
                ok = (c.tails = seam_tails_make(c.tokens, &scratch)) &&
                     count_sample(&c, &samples[i]);
        }
    rules->lead_count = (uint32_t)c.leads.len;
    rules->leads = th__arena_keep(arena, c.leads.data, c.leads.len, sizeof *rules->leads);
    ok = ok && rules->leads && weigh_moves(rules, arena) && seam_weigh(rules, arena);
    th__vec_release(&c.leads);
    th__arena_release(&scratch);
    return status ? status : ok ? TH_OK : th__fail_memory(err);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A labelled value: its slot, and its item in each list around it. */
struct labelled_value {
    uint32_t slot;
    th_span span;
    uint32_t items[SEAMS_MAX_DEPTH];
};

typedef TH__VEC(struct labelled_value) labelled_values;

/* A labelled page. */
struct sample_page {
    th__corpus_page *page;
    uint32_t node; /* the region */
    labelled_values found;
};

struct sample_learner {
    seam_rules *rules;
    th__arena *arena;
    TH__VEC(struct sample_page) pages;
};

/* Descends to a slot's values, as deep as it has steps. */
static bool gather(const seam_slot *slot, uint32_t step, const th_value *value,
                   struct labelled_value *at, uint32_t depth, labelled_values *out)
{
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    if (step == slot->step_count) {
        at->span = value->span;
        return value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start ||
               th__vec_push(out, *at);
    }
    if (slot->steps[step] != SEAMS_ITEM)
        return gather(slot, step + 1, th_value_item(value, (size_t)slot->steps[step]), at, depth,
                      out);
    bool ok = true;
    for (uint32_t i = 0; ok && i < th_value_count(value); i++) {
        at->items[depth] = i;
        ok = gather(slot, step + 1, th_value_item(value, i), at, depth + 1, out);
    }
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const struct labelled_value *left = a, *right = b;
    return th__order(left->span.start, right->span.start) ?: th__order(left->slot, right->slot);
}

/* Finds the attribute that holds a value. */
static bool take_attribute(struct sample_learner *l, const th_page *page,
                           const struct labelled_value *found)
{
    seam_slot *slot = &l->rules->slots.data[found->slot];
    th_str name = th__attribute_at(page, found->span).name;
    if (slot->attribute.ptr || !name.ptr)
        return true;
    slot->attribute = th__arena_copy(l->arena, name);
    return slot->attribute.ptr;
}

static bool add_page(struct sample_learner *l, th__corpus_page *page)
{
    struct sample_page labelled = {.page = page};
    const th_value *record = th_records_get(page->labels, 0);
    const seam_slots *slots = &l->rules->slots;
    bool ok = true;
    for (uint32_t s = 0; ok && s < slots->count; s++) {
        struct labelled_value at = {.slot = s};
        ok = gather(&slots->data[s], 0, record, &at, 0, &labelled.found);
    }
    if (!ok || !labelled.found.len) {
        th__vec_release(&labelled.found);
        return ok;
    }
    labelled_values *found = &labelled.found;
    qsort(found->data, found->len, sizeof *found->data, by_place);
    uint32_t last = 0;
    for (size_t i = 0; i < found->len; i++)
        last = last > found->data[i].span.end ? last : found->data[i].span.end;
    const th_page *source = page->page;
    labelled.node = th__page_node_around(source, th__token_at(source, found->data[0].span.start),
                                         th__token_at(source, last - 1));
    for (size_t i = 0; ok && i < found->len; i++)
        ok = take_attribute(l, source, &found->data[i]);
    ok = ok && th__vec_push(&l->pages, labelled);
    if (!ok)
        th__vec_release(found);
    return ok;
}

static uint32_t depth_of(const struct sample_page *page)
{
    const th_page *source = page->page->page;
    return source->paths[source->nodes[page->node].path].depth;
}

static void widen(struct sample_page *page)
{
    page->node = page->page->page->nodes[page->node].parent;
}

/* Returns true if two regions of the same depth have the same path. */
static bool is_same(const struct sample_page *a, const struct sample_page *b)
{
    const th_page *left = a->page->page, *right = b->page->page;
    for (uint32_t x = a->node, y = b->node; x && y;
         x = left->nodes[x].parent, y = right->nodes[y].parent)
        if (th__node_hash(left, x) != th__node_hash(right, y))
            return false;
    return true;
}

/* Climbs to a region with the same path on all pages: at the latest, the document. */
static bool find_region(struct sample_learner *l)
{
    struct sample_page *pages = l->pages.data;
    uint32_t depth = UINT32_MAX;
    for (size_t i = 0; i < l->pages.len; i++)
        depth = depth < depth_of(&pages[i]) ? depth : depth_of(&pages[i]);
    for (bool same = false; !same; depth--) {
        same = true;
        for (size_t i = 0; i < l->pages.len; i++) {
            while (pages[i].node && depth_of(&pages[i]) > depth)
                widen(&pages[i]);
            same = same && is_same(&pages[i], &pages[0]);
        }
        same = same || !depth;
    }
    th__buf path = {0};
    bool failed, ok = th__plain_path_write(pages[0].page->page, 0, pages[0].node, false, &path);
    l->rules->region = th__arena_copy(l->arena, th__buf_str(&path));
    th__buf_release(&path);
    return ok && l->rules->region.ptr && prepare_region(l->rules, l->arena, &failed);
}

/* The number of lists around a value that continue with the same item as the value before. */
static uint32_t open_lists(const seam_slots *slots, const struct labelled_value *before,
                           const struct labelled_value *found)
{
    uint32_t common = before ? seam_common(slots, before->slot, found->slot) : 0, open = 0;
    while (open < common && before->items[open] == found->items[open])
        open++;
    /* An item of a list of texts is one value. */
    if (slots->data[found->slot].item && open == slots->data[found->slot].depth)
        open--;
    return open;
}

static bool add_sample(struct sample_learner *l, const struct sample_page *labelled)
{
    const th_page *page = labelled->page->page;
    const th_node *node = &page->nodes[labelled->node];
    uint32_t start = page->tokens[node->token].start, end = page->tokens[node->token_end].start;
    seam_rules *rules = l->rules;
    th_str html = th__page_slice(page, start, end);
    /* JSON strings contain no NUL: a page with one cannot be a sample. */
    if (html.len > SEAMS_MAX_BYTES || rules->sample_count == SEAMS_MAX_SAMPLES ||
        memchr(html.ptr, 0, html.len))
        return true;
    seam_sample *sample = &rules->samples[rules->sample_count];
    sample->html = th__arena_copy(l->arena, html);
    sample->places = th__arena_alloc(l->arena, labelled->found.len * sizeof *sample->places);
    if (!sample->html.ptr || !sample->places)
        return false;
    const struct labelled_value *before = NULL;
    for (size_t i = 0; i < labelled->found.len; i++) {
        const struct labelled_value *found = &labelled->found.data[i];
        if (before && found->span.start < before->span.end)
            continue; /* a value inside another has no seam */
        sample->places[sample->count++] =
            (seam_place){found->slot, open_lists(&rules->slots, before, found),
                         found->span.start - start, found->span.end - start};
        before = found;
    }
    rules->sample_count++;
    labelled->page->learnt = 1;
    return true;
}

static bool learn_samples(struct sample_learner *l, const th__corpus *corpus)
{
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->count; i++)
        if (corpus->pages[i].labels && th_records_count(corpus->pages[i].labels))
            ok = add_page(l, &corpus->pages[i]);
    if (!ok || !l->pages.len)
        return ok;
    if (!find_region(l))
        return false;
    l->rules->samples = th__arena_zero(l->arena, SEAMS_MAX_SAMPLES, sizeof *l->rules->samples);
    ok = l->rules->samples;
    for (size_t i = 0; ok && i < l->pages.len; i++)
        ok = add_sample(l, &l->pages.data[i]);
    return ok;
}

static th_status learn(const th_learn_options *options, const th__corpus *corpus, th__arena *arena,
                       th_schema **schema, void **rules, th_error *err)
{
    bool fits;
    struct sample_learner l = {.arena = arena, .rules = th__arena_zero(arena, 1, sizeof *l.rules)};
    (void)options;
    if (!l.rules || !make_slots(corpus->schema, arena, &l.rules->slots, &fits))
        return th__fail_memory(err);
    if (!fits)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine seams learns only pages of one record, without choices, with at "
                        "most %d fields including nested ones: leave --engine out",
                        SEAMS_MAX_SLOTS);
    th_status status = learn_samples(&l, corpus) ? TH_OK : th__fail_memory(err);
    if (!status && !l.rules->sample_count)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "engine seams finds no labelled record of at most %d bytes: label values "
                          "that are closer together, or leave --engine out",
                          SEAMS_MAX_BYTES);
    if (!status)
        status = seam_model_make(l.rules, arena, err);
    for (size_t i = 0; i < l.pages.len; i++)
        th__vec_release(&l.pages.data[i].found);
    th__vec_release(&l.pages);
    if (!status) {
        *schema = th_schema_retain(corpus->schema);
        *rules = l.rules;
    }
    return status;
}

/* ---- the record of a page ----------------------------------------------------------------------
 */

/* How many elements with the path of the region are read: the one with the most values wins. */
enum { MAX_REGIONS = 16 };

struct region_reader {
    const seam_rules *rules;
    const th_page *page;
    th__arena arena;
    th_records *records;
    th__buf text;
    seam_tokens tokens; /* of the best region */
    seam_reading reading;
};

static bool read_region(struct region_reader *r, uint32_t node)
{
    seam_tokens tokens;
    seam_reading reading;
    if (!seam_tokens_make(&r->arena, r->page, node, &tokens) ||
        !seam_parse(r->rules, &tokens, &r->arena, &reading))
        return false;
    if (reading.values > r->reading.values ||
        (reading.values == r->reading.values && reading.cost < r->reading.cost)) {
        r->reading = reading;
        r->tokens = tokens;
    }
    return true;
}

static bool read_page(struct region_reader *r)
{
    uint32_t read = 0;
    for (uint32_t n = 0; n < r->page->node_count && read < MAX_REGIONS; n++)
        if (is_region(r->rules, r->page, n)) {
            if (!read_region(r, n))
                return false;
            read++;
        }
    return true;
}

static bool span_of(const struct region_reader *r, const seam_slot *slot, const seam_step *step,
                    th_span *out)
{
    if (step->start == step->end)
        return false;
    *out = (th_span){r->tokens.data[step->start].start, r->tokens.data[step->end - 1].end};
    return !slot->attribute.ptr ||
           th__attribute_span(r->page, th__token_at(r->page, out->start), slot->attribute, out);
}

/* The place of a value in the record; creates items that begin with it. */
static th_value *place_of(struct region_reader *r, const seam_slot *slot, const seam_step *step,
                          th_value *record)
{
    th_value *value = record;
    uint32_t depth = 0;
    for (uint32_t i = 0; value && i < slot->step_count; i++) {
        if (slot->steps[i] == SEAMS_ITEM) {
            bool same = depth++ < step->open && th_value_count(value);
            value = same ? th_value_slot(value, th_value_count(value) - 1)
                         : th_records_append(r->records, value);
            continue;
        }
        if (th_value_get_kind(value) == TH_VALUE_NULL)
            value = th_records_set_tuple(r->records, value);
        value = th_value_slot(value, (size_t)slot->steps[i]);
    }
    return value;
}

static bool write_record(struct region_reader *r)
{
    if (!r->reading.values)
        return true;
    th_value *record = th_records_add(r->records);
    for (uint32_t i = 0; record && i < r->reading.count; i++) {
        const seam_step *step = &r->reading.steps[i];
        const seam_slot *slot = &r->rules->slots.data[step->slot];
        th_span span;
        bool there = span_of(r, slot, step, &span);
        if (!there && slot->item)
            continue;
        th_value *value = place_of(r, slot, step, record);
        if (!value || !there)
            continue;
        th__buf_clear(&r->text);
        if (!th__page_value(r->page, slot->attribute, span, &r->text))
            return false;
        if (r->text.len && (slot->literal || !th__says_nothing(th__buf_str(&r->text))))
            th_records_set_text(r->records, value, th__buf_str(&r->text), span);
    }
    return true;
}

static th_status run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    struct region_reader r = {.rules = rules, .page = page, .reading.cost = SEAM_NEVER};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    status = read_page(&r) && write_record(&r) ? th_records_status(r.records, err)
                                               : th__fail_memory(err);
    th__buf_release(&r.text);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}

/* ---- the rules as JSON --------------------------------------------------------------------------
 *
 * Where records are, and the samples. Counts are not stored: they are computed when samples are
 * read.
 */

enum { MAX_PLACES = 1 << 16 }; /* of a sample: one for two bytes */

/* The sample that is being read. */
static const seam_sample *sample_of(const th__rule_reader *reader)
{
    const seam_rules *rules = reader->root;
    return &rules->samples[rules->sample_count];
}

/* ---- values ---------------------------------------------------------------------------------- */

static th_status read_slot(th__rule_reader *reader, json_t *json, void *object)
{
    const seam_slots *slots = &((const seam_rules *)reader->root)->slots;
    uint32_t *out = &((seam_place *)object)->slot;
    th_str name = {0};
    th_status status = th__rule_text(reader, json, "field", true, reader->arena, &name);
    for (*out = 0; !status && *out < slots->count; ++*out)
        if (th__str_eq(slots->data[*out].name, name))
            return TH_OK;
    return status ? status
                  : th__rule_fault(reader, "the schema has no field \"%.*s\"",
                                   (int)(name.len < 100 ? name.len : 100), name.ptr);
}

static void write_slot(const void *root, const void *object, th__json *json)
{
    const seam_rules *rules = root;
    th__json_put_text(json, "field", rules->slots.data[((const seam_place *)object)->slot].name);
}

static uint64_t bytes_of_sample(const th__rule_reader *reader, const void *object)
{
    return sample_of(reader)->html.len;
}

static uint64_t depth_of_slot(const th__rule_reader *reader, const void *object)
{
    const seam_rules *rules = reader->root;
    return rules->slots.data[((const seam_place *)object)->slot].depth;
}

/* Checks that places are in order and do not overlap. */
static th_status check_place(th__rule_reader *reader, void *object)
{
    const seam_sample *sample = sample_of(reader);
    const seam_place *place = object;
    uint32_t least = sample->count ? sample->places[sample->count - 1].end : 0;
    return place->start >= least && place->end > place->start
               ? TH_OK
               : th__rule_fault(
                     reader, "must begin after the value before it, and end after its beginning");
}

static const th__rule_member place_members[] = {
    {TH__OWN("field", read_slot, write_slot)},
    {TH__UINT("start", seam_place, start, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("end", seam_place, end, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("open", seam_place, open, 0, 0), .limit = depth_of_slot},
};
static const th__rule_shape place_shape = TH__CHECKED_SHAPE(seam_place, place_members, check_place);

/* ---- samples --------------------------------------------------------------------------------- */

static th_status check_html(th__rule_reader *reader, void *object)
{
    return ((seam_sample *)object)->html.len <= SEAMS_MAX_BYTES
               ? TH_OK
               : th__rule_fault(reader, "a sample has at most %d bytes", SEAMS_MAX_BYTES);
}

static const th__rule_member sample_members[] = {
    {TH__TEXT("html", seam_sample, html), .flags = TH__NEEDED, .check = check_html},
    {TH__LIST("values", seam_sample, places, count, place_shape, 1, MAX_PLACES),
     .flags = TH__NEEDED},
};
static const th__rule_shape sample_shape = TH__SHAPE(seam_sample, sample_members);

/* ---- all ------------------------------------------------------------------------------------- */

static th_status begin_rules(th__rule_reader *reader, void *object)
{
    bool fits;
    seam_rules *rules = object;
    if (!make_slots(reader->schema, reader->arena, &rules->slots, &fits))
        return th__fail_memory(reader->err);
    return fits ? TH_OK
                : th__rule_fault(
                      reader,
                      "the schema must have one record without choices and at most %d fields",
                      SEAMS_MAX_SLOTS);
}

static th_status check_region(th__rule_reader *reader, void *rules)
{
    bool failed;
    if (prepare_region(rules, reader->arena, &failed))
        return TH_OK;
    return failed ? th__fail_memory(reader->err)
                  : th__rule_fault(reader, "must be a path as \"html > body > div.main\"");
}

/* Reads the attributes that hold values, by the names of their fields. */
static th_status read_attributes(th__rule_reader *reader, json_t *json, void *object)
{
    seam_slots *slots = &((seam_rules *)object)->slots;
    json_t *attributes = NULL;
    th_status status = th__rule_object(reader, json, "attributes", false, &attributes);
    size_t mark = th__rule_enter(reader, "attributes");
    for (uint32_t i = 0; !status && attributes && i < slots->count; i++)
        status = th__rule_text(reader, attributes, slots->data[i].name.ptr, false, reader->arena,
                               &slots->data[i].attribute);
    th__rule_leave(reader, mark);
    return status;
}

static void write_attributes(const void *root, const void *object, th__json *json)
{
    const seam_slots *slots = &((const seam_rules *)object)->slots;
    th__json_key(json, TH_STR("attributes"));
    th__json_begin_object(json);
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->data[i].attribute.ptr) {
            th__json_key(json, slots->data[i].name);
            th__json_str(json, slots->data[i].attribute);
        }
    th__json_end_object(json);
}

static th_status make_model(th__rule_reader *reader, void *rules)
{
    return seam_model_make(rules, reader->arena, reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__TEXT("region", seam_rules, region), .flags = TH__NEEDED, .check = check_region},
    {TH__OWN("attributes", read_attributes, write_attributes)},
    {TH__LIST("samples", seam_rules, samples, sample_count, sample_shape, 1, SEAMS_MAX_SAMPLES),
     .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = {.members = rules_members,
                                           .count = 3,
                                           .size = sizeof(seam_rules),
                                           .begin = begin_rules,
                                           .check = make_model};

static void rename_fields(void *data, th__rename_fn rename, void *context)
{
    seam_slots *slots = &((seam_rules *)data)->slots;
    for (uint32_t i = 0; i < slots->count; i++) {
        th_str to = rename(context, (th_str){0}, slots->data[i].name);
        if (to.len)
            slots->data[i].name = to;
    }
}

/* ---- for people ------------------------------------------------------------------------------ */

/* Shows the first sample, with the names of fields instead of values. */
static void explain_sample(const seam_rules *rules, const seam_sample *sample, th__buf *out)
{
    uint32_t at = 0;
    th__buf_add(out, "  ", 2);
    for (uint32_t i = 0; i <= sample->count; i++) {
        uint32_t end = i < sample->count ? sample->places[i].start : (uint32_t)sample->html.len;
        for (bool blank = false; at < end; at++) {
            bool is_blank = th__is_blank((unsigned char)sample->html.ptr[at]);
            if (!is_blank || !blank)
                th__buf_add_byte(out, is_blank ? ' ' : sample->html.ptr[at]);
            blank = is_blank;
        }
        if (i == sample->count)
            break;
        th__buf_printf(out, "{%.*s}", TH_STR_ARG(rules->slots.data[sample->places[i].slot].name));
        at = sample->places[i].end;
    }
    th__buf_add_byte(out, '\n');
}

static void explain(const void *data, th__buf *out)
{
    const seam_rules *rules = data;
    th__buf_printf(out, "in %.*s, by the text before values in %u sample%s:\n",
                   TH_STR_ARG(rules->region.len ? rules->region : TH_STR("the page")),
                   rules->sample_count, rules->sample_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < rules->sample_count; i++)
        explain_sample(rules, &rules->samples[i], out);
}

const th__engine th__seams_engine = {
    .name = "seams",
    .learn_corpus = learn,
    .needs_labels = true,
    .nested = true,
    .run = run,
    .shape = &rules_shape,
    .explain = explain,
    .rename = rename_fields,
};
