/*
 * exalg_classes.c: equivalence classes of dtokens (FINDEQ, HANDINV, DIFFEQ) and the loop over them.
 *
 * Pages are strings of dtokens, which are numbers. DIFFEQ gives occurrences in other contexts new
 * numbers; the first context keeps the old one, so that there are never more numbers than tokens,
 * and only what was split is counted again. Tokens too rare for any class leave the strings that
 * the loop goes over; they stay in the pages, for the values.
 */
#include <stdlib.h>

#include "engine/papers/exalg/exalg.h"

/* ---- strings of numbers ---------------------------------------------------------------------- */

static bool number_tokens(th__exalg_ecgm *e, size_t total)
{
    th__key_map ids;
    if (!th__key_map_init(&ids, &e->arena, total))
        return false;
    for (uint32_t p = 0; p < e->page_count; p++) {
        const th__exalg_string *string = &e->strings[p];
        for (uint32_t t = 0; t < string->tokens.len; t++) {
            uint64_t key = string->tokens.data[t].key;
            uint32_t id = th__key_map_get(&ids, key);
            if (!id) {
                e->dtokens[e->dtoken_count] = (th__exalg_dtoken){.name = key, .place = {p, t}};
                id = ++e->dtoken_count;
                th__key_map_put(&ids, key, id);
            }
            e->pages[p][t] = id - 1;
            e->active[p][t] = t;
        }
        e->active_count[p] = (uint32_t)string->tokens.len;
    }
    return true;
}

bool th__exalg_ecgm_init(th__exalg_ecgm *e, const th_page *const *pages, uint32_t page_count,
                         bool paths, uint32_t size_threshold, uint32_t support_threshold)
{
    size_t total = 0;
    *e = (th__exalg_ecgm){.page_count = page_count,
                          .size_threshold = size_threshold,
                          .support_threshold = support_threshold};
    th__arena_init(&e->arena);
    e->strings = th__arena_zero(&e->arena, page_count + 1, sizeof *e->strings);
    e->pages = th__arena_zero(&e->arena, page_count + 1, sizeof *e->pages);
    e->active = th__arena_zero(&e->arena, page_count + 1, sizeof *e->active);
    e->active_count = th__arena_zero(&e->arena, page_count + 1, sizeof *e->active_count);
    if (!e->strings || !e->pages || !e->active || !e->active_count)
        return false;
    for (uint32_t p = 0; p < page_count; p++) {
        if (!th__exalg_string_read(pages[p], paths, &e->strings[p]))
            return false;
        size_t count = e->strings[p].tokens.len;
        total += count;
        e->pages[p] = th__arena_alloc(&e->arena, count * sizeof **e->pages);
        e->active[p] = th__arena_alloc(&e->arena, count * sizeof **e->active);
        if (!e->pages[p] || !e->active[p])
            return false;
    }
    e->dtokens = th__arena_alloc(&e->arena, (total + 1) * sizeof *e->dtokens);
    return e->dtokens && number_tokens(e, total);
}

void th__exalg_ecgm_release(th__exalg_ecgm *e)
{
    for (uint32_t p = 0; e->strings && p < e->page_count; p++)
        th__vec_release(&e->strings[p].tokens);
    th__vec_release(&e->history);
    th__arena_release(&e->arena);
}

/* ---- FINDEQ ---------------------------------------------------------------------------------- */

/* Occurrence vectors as sums of hashed (page, count): equal vectors have equal sums. Counts only
 * dtokens without one. */
static bool count_vectors(th__exalg_ecgm *e)
{
    uint32_t *counts = th__mem_zero(e->dtoken_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        counts[d] = e->dtokens[d].support ? TH__EXALG_NONE : 0;
    for (uint32_t p = 0; p < e->page_count; p++) {
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            counts[d] += counts[d] != TH__EXALG_NONE;
        }
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            if (!counts[d] || counts[d] == TH__EXALG_NONE)
                continue;
            e->dtokens[d].vector += th__hash_mix(p + 1, counts[d]);
            e->dtokens[d].support++;
            counts[d] = 0;
        }
    }
    th__mem_free(counts);
    return true;
}

/* Splitting makes a dtoken rarer, never more frequent: what is too rare now stays so. */
static void drop_rare(th__exalg_ecgm *e)
{
    for (uint32_t p = 0; p < e->page_count; p++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t token = e->active[p][i];
            if (e->dtokens[e->pages[p][token]].support >= e->support_threshold)
                e->active[p][kept++] = token;
        }
        e->active_count[p] = kept;
    }
}

/* Dtokens go to the class of their vector in the order in which they first occur, which is the
 * order of the class if it has one. */
static bool group(th__exalg_ecgm *e, th__key_map *ids, th__exalg_class *all, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        all[c].tokens = th__arena_alloc(&e->arena, all[c].size * sizeof *all[c].tokens);
        if (!all[c].tokens)
            return false;
        all[c].size = 0;
    }
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        e->dtokens[d].cls = TH__EXALG_NONE;
    for (uint32_t p = 0; p < e->page_count; p++)
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            th__exalg_dtoken *dtoken = &e->dtokens[d];
            if (dtoken->cls != TH__EXALG_NONE)
                continue;
            dtoken->cls = th__key_map_get(ids, dtoken->vector) - 1;
            th__exalg_class *cls = &all[dtoken->cls];
            cls->tokens[cls->size++] = d;
        }
    return true;
}

static int by_weight(const void *a, const void *b)
{
    const th__exalg_class *left = a, *right = b;
    uint64_t l = (uint64_t)left->size * left->support, r = (uint64_t)right->size * right->support;
    return th__order(right->root, left->root) ?: th__order(r, l) ?: th__order(left->tokens[0], right->tokens[0]);
}

static void keep_large(th__exalg_ecgm *e, th__exalg_class *all, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < count; c++)
        if (all[c].root || all[c].size >= e->size_threshold)
            all[kept++] = all[c];
    qsort(all, kept, sizeof *all, by_weight);
    e->classes = all;
    e->class_count = kept < TH__EXALG_MAX_CLASSES ? kept : TH__EXALG_MAX_CLASSES;
}

bool th__exalg_findeq(th__exalg_ecgm *e)
{
    uint32_t count = 0;
    th__key_map ids;
    if (!count_vectors(e))
        return false;
    drop_rare(e);
    th__exalg_class *all = th__arena_zero(&e->arena, e->dtoken_count + 1, sizeof *all);
    if (!all || !th__key_map_init(&ids, &e->arena, e->dtoken_count))
        return false;
    for (uint32_t d = 0; d < e->dtoken_count; d++) {
        const th__exalg_dtoken *dtoken = &e->dtokens[d];
        if (dtoken->support < e->support_threshold)
            continue;
        uint32_t id = th__key_map_get(&ids, dtoken->vector);
        if (!id) {
            th__key_map_put(&ids, dtoken->vector, id = ++count);
            all[id - 1].support = dtoken->support;
            all[id - 1].root = d == e->pages[0][0];
        }
        all[id - 1].size++;
    }
    if (!group(e, &ids, all, count))
        return false;
    keep_large(e, all, count);
    th__exalg_assign(e);
    return true;
}

void th__exalg_assign(th__exalg_ecgm *e)
{
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        e->dtokens[d].cls = TH__EXALG_NONE;
    for (uint32_t c = 0; c < e->class_count; c++)
        for (uint32_t r = 0; r < e->classes[c].size; r++) {
            e->dtokens[e->classes[c].tokens[r]].cls = c;
            e->dtokens[e->classes[c].tokens[r]].rank = r;
        }
}

/* ---- HANDINV, appendix A of the paper ---------------------------------------------------------
 *
 *  1. A class that is not ordered is cut into the largest ordered classes that do not overlap: runs
 *     of tokens that always follow each other directly, as far as the class's own tokens go
 *     (definition A.1). The root class, which must stay, keeps a longest chain of tokens that are
 *     in the same order on all pages.
 *  2. Of classes that are neither nested nor nearly nested, the one in conflict with most others is
 *     removed; ties: the smaller, then the rarer.
 *  3. Of classes that are nearly nested those are cut that the overlaps show to be invalid (example
 *     A.4); if there are none, those whose tokens lie in one position of another, but not in one
 *     occurrence of it (definition 4.4). Again from 2 until nothing changes.
 *
 * Pieces below the size threshold are dropped. "Nearly nested" and "almost nested" are the same.
 *
 * Cost: a token of a class is compared with every class that is open where it is. On real pages
 * that is the depth of nesting; TH__EXALG_MAX_CLASSES bounds it. */

/* ---- HANDINV: order -------------------------------------------------------------------------- */

struct class_order {
    struct {
        bool broken;
        uint32_t next; /* the rank that is due */
        uint32_t last; /* its last token on this page */
    } * of;            /* by class */
    struct token_order {
        uint32_t follower, leader; /* in its class; NONE: different ones */
        bool led, followed;        /* they are known */
    } * tokens;                    /* by dtoken */
};

static void note(uint32_t *known, bool *met, uint32_t d)
{
    *known = *met && *known != d ? TH__EXALG_NONE : d;
    *met = true;
}

static void follow_in(struct class_order *o, uint32_t before, uint32_t d)
{
    if (before != TH__EXALG_NONE)
        note(&o->tokens[before].follower, &o->tokens[before].followed, d);
    if (d != TH__EXALG_NONE)
        note(&o->tokens[d].leader, &o->tokens[d].led, before);
}

static void look_at_order(const th__exalg_ecgm *e, struct class_order *o)
{
    for (uint32_t p = 0; p < e->page_count; p++) {
        for (uint32_t c = 0; c < e->class_count; c++) {
            o->of[c].next = 0;
            o->of[c].last = TH__EXALG_NONE;
        }
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]], c = e->dtokens[d].cls;
            uint32_t rank = e->dtokens[d].rank;
            if (c == TH__EXALG_NONE)
                continue;
            o->of[c].broken |= rank != o->of[c].next;
            o->of[c].next = rank + 1 == e->classes[c].size ? 0 : rank + 1;
            follow_in(o, o->of[c].last, d);
            o->of[c].last = d;
        }
        for (uint32_t c = 0; c < e->class_count; c++) {
            o->of[c].broken |= o->of[c].next != 0;
            follow_in(o, o->of[c].last, TH__EXALG_NONE);
        }
    }
}

typedef TH__VEC(th__exalg_class) class_vec;

static bool add_piece(th__exalg_ecgm *e, const uint32_t *tokens, uint32_t size, uint32_t support,
                      class_vec *out)
{
    if (size < e->size_threshold)
        return true;
    th__exalg_class piece = {.size = size, .support = support};
    piece.tokens = th__arena_keep(&e->arena, tokens, size, sizeof *tokens);
    return piece.tokens && th__vec_push(out, piece);
}

/* A class in pieces: chains of tokens that always follow each other. */
static bool cut_chains(th__exalg_ecgm *e, const struct class_order *o, const th__exalg_class *cls,
                       class_vec *out)
{
    uint32_t *chain = th__arena_alloc(&e->arena, cls->size * sizeof *chain);
    if (!chain)
        return false;
    for (uint32_t r = 0; r < cls->size; r++) {
        uint32_t d = cls->tokens[r], before = o->tokens[d].leader;
        if (before != TH__EXALG_NONE && o->tokens[before].follower == d)
            continue; /* inside a chain */
        uint32_t size = 0;
        for (; size < cls->size; size++) {
            chain[size] = d;
            uint32_t after = o->tokens[d].follower;
            if (after == TH__EXALG_NONE || o->tokens[after].leader != d) {
                size++;
                break;
            }
            d = after;
        }
        if (!add_piece(e, chain, size, cls->support, out))
            return false;
    }
    return true;
}

/* Where each token of the root class is, page by page. */
static uint32_t **root_places(const th__exalg_ecgm *e, th__arena *arena, uint32_t size)
{
    uint32_t **at = th__arena_zero(arena, e->page_count + 1, sizeof *at);
    for (uint32_t p = 0; at && p < e->page_count; p++) {
        at[p] = th__arena_zero(arena, size, sizeof **at);
        if (!at[p])
            return NULL;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][e->active[p][i]]];
            if (d->cls == 0)
                at[p][d->rank] = i;
        }
    }
    return at;
}

/* Keeps of `chain` what rises on one more page: a longest such part (patience sorting). */
static uint32_t keep_rising(const uint32_t *at, uint32_t *chain, uint32_t count, uint32_t *tails,
                            uint32_t *before)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = (uint32_t)th__count_first(k, best, at[chain[tails[k]]] < at[chain[i]]);
        before[i] = low ? tails[low - 1] : TH__EXALG_NONE;
        tails[low] = i;
        best = low == best ? best + 1 : best;
    }
    uint32_t left = best;
    for (uint32_t i = tails[best - 1]; left; i = before[i])
        tails[--left] = chain[i];
    memcpy(chain, tails, best * sizeof *chain);
    return best;
}

/* The root class keeps what is in one order everywhere: it is filtered page by page, which may keep
 * less than the longest chain. */
static bool order_root(th__exalg_ecgm *e)
{
    th__exalg_class *root = &e->classes[0];
    uint32_t size = root->size, count = size;
    th__arena scratch;
    th__arena_init(&scratch);
    uint32_t *chain = th__arena_alloc(&scratch, size * sizeof *chain);
    uint32_t *first = th__arena_alloc(&scratch, size * sizeof *first);
    uint32_t *second = th__arena_alloc(&scratch, size * sizeof *second);
    uint32_t **at = root_places(e, &scratch, size);
    bool ok = chain && first && second && at;
    for (uint32_t i = 0; ok && i < size; i++)
        chain[i] = i;
    for (uint32_t p = 1; ok && p < e->page_count; p++)
        count = keep_rising(at[p], chain, count, first, second);
    for (uint32_t i = 0; ok && i < count; i++)
        root->tokens[i] = root->tokens[chain[i]];
    root->size = count;
    th__arena_release(&scratch);
    return ok;
}

static bool make_ordered(th__exalg_ecgm *e, struct class_order *o, class_vec *out)
{
    look_at_order(e, o);
    for (uint32_t c = 0; c < e->class_count; c++) {
        const th__exalg_class *cls = &e->classes[c];
        bool cut = o->of[c].broken && !cls->root;
        if (cut ? !cut_chains(e, o, cls, out)
                : (o->of[c].broken && !order_root(e)) || !th__vec_push(out, *cls))
            return false;
    }
    return true;
}

/* Puts the classes of `out` in the place of the old ones. */
static bool replace(th__exalg_ecgm *e, class_vec *out)
{
    e->classes = th__arena_keep(&e->arena, out->data, out->len, sizeof *e->classes);
    if (!e->classes)
        return false;
    e->class_count = out->len < TH__EXALG_MAX_CLASSES ? (uint32_t)out->len : TH__EXALG_MAX_CLASSES;
    th__exalg_assign(e);
    return true;
}

static bool handle_order(th__exalg_ecgm *e)
{
    th__arena scratch;
    struct class_order o;
    class_vec out = {0};
    th__arena_init(&scratch);
    o.of = th__arena_zero(&scratch, e->class_count + 1, sizeof *o.of);
    o.tokens = th__arena_zero(&scratch, e->dtoken_count + 1, sizeof *o.tokens);
    bool ok = o.of && o.tokens && make_ordered(e, &o, &out) && replace(e, &out);
    th__vec_release(&out);
    th__arena_release(&scratch);
    return ok;
}

/* ---- HANDINV: nesting ------------------------------------------------------------------------ */

/* How the tokens of one class lie in another. */
typedef struct relation {
    uint32_t *in; /* by rank: position in the other + 1; 0: never inside */
    bool *parted; /* by rank: the next token is not in the same occurrence of the other */
    uint32_t own, within, rank; /* the last token that was inside: of which occurrence, in which of
                                   the other, and its rank + 1 */
    uint32_t overlaps;          /* occurrences that overlap the other */
    uint32_t counted;           /* the last of them */
    bool bad;                   /* a token is in several positions */
} relation;

struct class_nesting {
    th__arena arena;
    uint32_t count;       /* of classes */
    relation **relations; /* by class and other class */
    struct class_place {
        uint32_t occurrences, rank;
        uint32_t where;     /* in `open` */
        uint32_t conflicts; /* with how many others it is in conflict */
        bool removed;
        bool *cut; /* by rank: a piece ends after it */
    } * of;        /* by class */
    uint32_t *open, open_count;
    bool by_occurrence; /* see is_cut */
};

static relation *relation_of(const struct class_nesting *n, uint32_t cls, uint32_t other)
{
    return n->relations[(size_t)cls * n->count + other];
}

static relation *make_relation(struct class_nesting *n, const th__exalg_ecgm *e, uint32_t cls,
                               uint32_t other)
{
    relation **r = &n->relations[(size_t)cls * n->count + other];
    if (!*r && (*r = th__arena_zero(&n->arena, 1, sizeof **r))) {
        (*r)->in = th__arena_zero(&n->arena, e->classes[cls].size, sizeof *(*r)->in);
        (*r)->parted = th__arena_zero(&n->arena, e->classes[cls].size, sizeof *(*r)->parted);
        if (!(*r)->in || !(*r)->parted)
            *r = NULL;
    }
    return *r;
}

static void count_overlap(relation *r, uint32_t occurrence)
{
    r->overlaps += r->counted != occurrence;
    r->counted = occurrence;
}

static bool look_at_token(struct class_nesting *n, const th__exalg_ecgm *e, uint32_t c,
                          uint32_t rank)
{
    n->of[c].occurrences += rank == 0;
    for (uint32_t i = 0; i < n->open_count; i++) {
        uint32_t other = n->open[i];
        if (other == c)
            continue;
        relation *here = make_relation(n, e, c, other), *there = make_relation(n, e, other, c);
        if (!here || !there)
            return false;
        uint32_t position = n->of[other].rank + 1;
        here->bad |= here->in[rank] && here->in[rank] != position;
        here->in[rank] = position;
        bool same = here->own == n->of[c].occurrences && here->rank == rank &&
                    here->within == n->of[other].occurrences;
        if (rank && !same)
            here->parted[rank - 1] = true;
        here->own = n->of[c].occurrences;
        here->within = n->of[other].occurrences;
        here->rank = rank + 1;
        /* The last token of c: the next of the other, which goes on, is outside. */
        if (rank + 1 == e->classes[c].size && there->own == n->of[other].occurrences &&
            there->within == n->of[c].occurrences && there->rank == position)
            there->parted[position - 1] = true;
        count_overlap(here, n->of[c].occurrences);
        count_overlap(there, n->of[other].occurrences);
    }
    n->of[c].rank = rank;
    if (rank == 0 && e->classes[c].size > 1) {
        n->of[c].where = n->open_count;
        n->open[n->open_count++] = c;
    } else if (rank && rank + 1 == e->classes[c].size) {
        n->open[n->of[c].where] = n->open[--n->open_count];
        n->of[n->open[n->of[c].where]].where = n->of[c].where;
    }
    return true;
}

static bool look_at_nesting(struct class_nesting *n, const th__exalg_ecgm *e)
{
    for (uint32_t p = 0; p < e->page_count; p++) {
        n->open_count = 0;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][e->active[p][i]]];
            if (d->cls != TH__EXALG_NONE && !look_at_token(n, e, d->cls, d->rank))
                return false;
        }
    }
    return true;
}

static bool in_conflict(const struct class_nesting *n, uint32_t a, uint32_t b)
{
    const relation *r = relation_of(n, a, b), *s = relation_of(n, b, a);
    return (r && r->bad) || (s && s->bad);
}

/* Returns true if a, not b, is to be removed, when both conflict with others. */
static bool worse(const struct class_nesting *n, const th__exalg_ecgm *e, uint32_t a, uint32_t b)
{
    const th__exalg_class *left = &e->classes[a], *right = &e->classes[b];
    if (n->of[a].conflicts != n->of[b].conflicts)
        return n->of[a].conflicts > n->of[b].conflicts;
    if (left->size != right->size)
        return left->size < right->size;
    return left->support < right->support;
}

static void remove_bad(struct class_nesting *n, const th__exalg_ecgm *e, bool *changed)
{
    for (uint32_t a = 0; a < n->count; a++)
        for (uint32_t b = 0; b < n->count; b++)
            n->of[a].conflicts += a != b && in_conflict(n, a, b);
    for (;;) {
        uint32_t worst = TH__EXALG_NONE;
        for (uint32_t c = 0; c < n->count; c++)
            if (!n->of[c].removed && n->of[c].conflicts && !e->classes[c].root &&
                (worst == TH__EXALG_NONE || worse(n, e, c, worst)))
                worst = c;
        if (worst == TH__EXALG_NONE)
            return;
        *changed = n->of[worst].removed = true;
        for (uint32_t c = 0; c < n->count; c++)
            n->of[c].conflicts -= c != worst && n->of[c].conflicts && in_conflict(n, c, worst);
        n->of[worst].conflicts = 0;
    }
}

/* Returns true if two tokens that follow each other in a class lie in different positions of
 * another, or one of them outside; or, where no class is cut for that, in different occurrences. */
static bool is_cut(const struct class_nesting *n, const relation *r, uint32_t rank)
{
    return n->by_occurrence ? r->parted[rank] : r->in[rank] != r->in[rank + 1];
}

static bool is_spread(const struct class_nesting *n, const th__exalg_ecgm *e, const relation *r,
                      uint32_t cls)
{
    for (uint32_t rank = 0; rank + 1 < e->classes[cls].size; rank++)
        if (is_cut(n, r, rank))
            return true;
    return false;
}

static void mark_cuts(struct class_nesting *n, const th__exalg_ecgm *e, const relation *r,
                      uint32_t cls)
{
    for (uint32_t rank = 0; rank + 1 < e->classes[cls].size; rank++)
        n->of[cls].cut[rank] |= is_cut(n, r, rank);
}

/* Which of two nearly nested classes are invalid: see the end of the appendix. */
static bool cut_pair(struct class_nesting *n, const th__exalg_ecgm *e, uint32_t a, uint32_t b)
{
    const relation *r = relation_of(n, a, b), *s = relation_of(n, b, a);
    if (!r || !s)
        return false;
    bool spread_a = is_spread(n, e, r, a) && !e->classes[a].root;
    bool spread_b = is_spread(n, e, s, b) && !e->classes[b].root;
    if (!spread_a && !spread_b)
        return false;
    bool always_a = r->overlaps == n->of[a].occurrences,
         always_b = s->overlaps == n->of[b].occurrences;
    bool cut_a = spread_a, cut_b = spread_b;
    if (always_a && !always_b && spread_a)
        cut_b = false;
    else if (always_b && !always_a && spread_b)
        cut_a = false;
    else if (always_a && always_b && cut_a && cut_b)
        cut_a = !(cut_b = e->classes[b].size < e->classes[a].size);
    if (cut_a)
        mark_cuts(n, e, r, a);
    if (cut_b)
        mark_cuts(n, e, s, b);
    return true;
}

static bool make_pieces(struct class_nesting *n, th__exalg_ecgm *e, class_vec *out)
{
    for (uint32_t c = 0; c < n->count; c++) {
        const th__exalg_class *cls = &e->classes[c];
        if (n->of[c].removed)
            continue;
        bool whole = true;
        for (uint32_t rank = 0; rank < cls->size; rank++)
            whole &= !n->of[c].cut[rank];
        if (whole && !th__vec_push(out, *cls))
            return false;
        for (uint32_t rank = 0, first = 0; !whole && rank < cls->size; rank++)
            if (n->of[c].cut[rank] || rank + 1 == cls->size) {
                if (!add_piece(e, cls->tokens + first, rank + 1 - first, cls->support, out))
                    return false;
                first = rank + 1;
            }
    }
    return true;
}

static bool nesting_init(struct class_nesting *n, const th__exalg_ecgm *e)
{
    size_t count = e->class_count;
    n->count = e->class_count;
    n->relations = th__arena_zero(&n->arena, count * count + 1, sizeof *n->relations);
    n->of = th__arena_zero(&n->arena, count + 1, sizeof *n->of);
    n->open = th__arena_zero(&n->arena, count + 1, sizeof *n->open);
    bool ok = n->relations && n->of && n->open;
    for (uint32_t c = 0; ok && c < count; c++)
        ok = (n->of[c].cut =
                  th__arena_zero(&n->arena, e->classes[c].size + 1, sizeof *n->of[c].cut));
    return ok;
}

static bool handle_nesting(th__exalg_ecgm *e, bool *changed)
{
    struct class_nesting n = {0};
    class_vec out = {0};
    *changed = false;
    th__arena_init(&n.arena);
    bool ok = nesting_init(&n, e) && look_at_nesting(&n, e);
    if (ok)
        remove_bad(&n, e, changed);
    /* Cuts are decided among classes without conflicts. */
    bool nested = ok && !*changed;
    for (int pass = 0; nested && !*changed && pass < 2; pass++) {
        n.by_occurrence = pass;
        for (uint32_t a = 0; a < n.count; a++)
            for (uint32_t b = 0; b < a; b++)
                *changed = cut_pair(&n, e, b, a) || *changed;
    }
    if (ok && *changed)
        ok = make_pieces(&n, e, &out) && replace(e, &out);
    th__vec_release(&out);
    th__arena_release(&n.arena);
    return ok;
}

bool th__exalg_handinv(th__exalg_ecgm *e)
{
    bool changed = true, ok = handle_order(e);
    while (ok && changed)
        ok = handle_nesting(e, &changed);
    return ok;
}

/* ---- DIFFEQ ---------------------------------------------------------------------------------- */

struct splitting {
    th__exalg_contexts at;
    uint64_t *first; /* by dtoken: the context of its first occurrence */
    uint8_t *seen;   /* 1: in one context, 2: in several */
    th__key_map ids; /* names of new dtokens: number + 1 */
};

/* The context of the i-th token of a page that may be of a class. */
static uint64_t context_of(const th__exalg_ecgm *e, struct splitting *s, uint32_t p, uint32_t i)
{
    const th__exalg_dtoken *d = &e->dtokens[e->pages[p][e->active[p][i]]];
    while (!i && s->at.depth) /* another page */
        s->at.where[s->at.open[--s->at.depth].cls] = 0;
    return th__exalg_context(&s->at, d->cls, d->rank,
                             d->cls == TH__EXALG_NONE ? 0 : e->classes[d->cls].size, d->name);
}

static bool find_contexts(const th__exalg_ecgm *e, struct splitting *s, size_t *split)
{
    *split = 0;
    for (uint32_t p = 0; p < e->page_count; p++)
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            uint64_t own = context_of(e, s, p, i);
            if (!s->seen[d]) {
                s->seen[d] = 1;
                s->first[d] = own;
            } else if (s->first[d] != own) {
                s->seen[d] = 2;
                ++*split;
            }
        }
    return *split > 0;
}

static bool keep_classes(th__exalg_ecgm *e)
{
    for (uint32_t c = 0; c < e->class_count; c++)
        for (uint32_t r = 0; r < e->classes[c].size; r++) {
            const th__exalg_dtoken *d = &e->dtokens[e->classes[c].tokens[r]];
            if (!th__vec_push(&e->history, (th__exalg_named){d->name, 0, e->rounds, c, d->place}))
                return false;
        }
    return true;
}

/* Names that are split keep their old one until the round is over: contexts are made of names. */
static bool renumber(th__exalg_ecgm *e, struct splitting *s)
{
    uint32_t before = e->dtoken_count;
    bool ok = keep_classes(e);
    for (uint32_t p = 0; ok && p < e->page_count; p++)
        for (uint32_t i = 0; ok && i < e->active_count[p]; i++) {
            uint32_t token = e->active[p][i], d = e->pages[p][token];
            uint64_t own = context_of(e, s, p, i);
            if (s->seen[d] != 2 || s->first[d] == own)
                continue;
            uint64_t parent = e->dtokens[d].name, name = th__hash_mix(own, parent);
            uint32_t id = th__key_map_get(&s->ids, name);
            if (!id) {
                th__exalg_place place = {p, token};
                e->dtokens[e->dtoken_count] = (th__exalg_dtoken){.name = name, .place = place};
                e->dtokens[e->dtoken_count].cls = TH__EXALG_NONE;
                th__key_map_put(&s->ids, name, id = ++e->dtoken_count);
                ok =
                    th__vec_push(&e->history, (th__exalg_named){name, parent, e->rounds, 0, place});
            }
            e->pages[p][token] = id - 1;
        }
    for (uint32_t d = 0; ok && d < before; d++)
        if (s->seen[d] == 2) {
            th__exalg_dtoken *t = &e->dtokens[d];
            uint64_t name = th__hash_mix(s->first[d], t->name);
            ok =
                th__vec_push(&e->history, (th__exalg_named){name, t->name, e->rounds, 0, t->place});
            t->name = name;
            t->support = 0;
            t->vector = 0;
        }
    return ok;
}

bool th__exalg_diffeq(th__exalg_ecgm *e, bool *changed)
{
    th__arena scratch;
    struct splitting s;
    size_t split;
    th__arena_init(&scratch);
    s.first = th__arena_alloc(&scratch, (e->dtoken_count + 1) * sizeof *s.first);
    s.seen = th__arena_zero(&scratch, e->dtoken_count + 1, sizeof *s.seen);
    bool ok = s.first && s.seen && th__exalg_contexts_init(&s.at, e->class_count, &scratch);
    *changed = ok && find_contexts(e, &s, &split);
    if (*changed)
        ok = th__key_map_init(&s.ids, &scratch, split) && renumber(e, &s);
    th__arena_release(&scratch);
    return ok;
}

/* ---- the loop, and what it does -------------------------------------------------------------- */

/* A class of the round: E1 is the root, whose dummies are left out. */
static void trace_class(const th__exalg_ecgm *e, const char *name, uint32_t c,
                        const uint32_t *vector, th__buf *text)
{
    uint32_t dummies_of = e->classes[c].root ? 1 : 0, size = e->classes[c].size - 2 * dummies_of;
    const uint32_t *tokens = e->classes[c].tokens + dummies_of;
    th__step step;
    th__buf_clear(text);
    for (uint32_t r = 0; r < size; r++) {
        th__exalg_place place = e->dtokens[tokens[r]].place;
        if (r)
            th__buf_add_byte(text, ' ');
        th__exalg_token_write(&e->strings[place.page], place.token, text);
    }
    th__step_begin(&step, e->trace, name, 1);
    th__step_uint(&step, "class", c + 1);
    th__step_uint(&step, "size", size);
    th__step_uint(&step, "support", e->classes[c].support);
    th__step_uints(&step, "vector", vector, e->page_count);
    th__step_uints(&step, "roles", tokens, size);
    th__step_text(&step, "tokens", th__buf_str(text));
    th__step_end(&step);
}

/* The classes as they are; *before is a hash of those that were there before. */
static bool trace_classes(const th__exalg_ecgm *e, const char *name, uint64_t *before)
{
    uint64_t now = 1;
    if (!e->trace)
        return true;
    for (uint32_t c = 0; c < e->class_count; c++)
        for (uint32_t r = 0; r < e->classes[c].size; r++)
            now = th__hash_mix(now, (uint64_t)c << 32 | e->classes[c].tokens[r]);
    if (now == *before) {
        th__step step;
        th__step_begin(&step, e->trace, name, 1);
        th__step_text(&step, "classes", TH_STR("all are ordered and nested"));
        th__step_end(&step);
        return true;
    }
    *before = now;
    th__buf text = {0};
    uint32_t *vectors = th__mem_zero((size_t)e->class_count * e->page_count + 1, sizeof *vectors);
    for (uint32_t p = 0; vectors && p < e->page_count; p++)
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][e->active[p][i]]];
            if (d->cls != TH__EXALG_NONE && !d->rank)
                vectors[(size_t)d->cls * e->page_count + p]++;
        }
    for (uint32_t c = 0; vectors && c < e->class_count; c++)
        trace_class(e, name, c, vectors + (size_t)c * e->page_count, &text);
    bool ok = vectors && !text.failed;
    th__mem_free(vectors);
    th__buf_release(&text);
    return ok;
}

/* The dtokens that the round has split, from the history: each with the names that it got. */
static bool trace_roles(const th__exalg_ecgm *e, size_t from)
{
    th__key_map roles = {0};
    th__buf text = {0};
    bool ok = true;
    for (size_t i = from; e->trace && ok && i < e->history.len; i++)
        if (e->history.data[i].parent) {
            uint64_t parent = e->history.data[i].parent;
            ok = th__key_map_put(&roles, parent, th__key_map_get(&roles, parent) + 1);
        }
    for (size_t i = from; e->trace && ok && i < e->history.len; i++) {
        const th__exalg_named *split = &e->history.data[i];
        uint32_t count = split->parent ? th__key_map_get(&roles, split->parent) : 0;
        th__step step;
        if (count < 2)
            continue;
        th__buf_clear(&text);
        th__exalg_token_write(&e->strings[split->place.page], split->place.token, &text);
        th__step_begin(&step, e->trace, "role", 1);
        th__step_text(&step, "token", th__buf_str(&text));
        th__buf_clear(&text);
        th__exalg_path_write(&e->strings[split->place.page], split->place.token, &text);
        th__step_text(&step, "path", th__buf_str(&text));
        th__step_uint(&step, "becomes", count);
        th__step_end(&step);
        ok = th__key_map_put(&roles, split->parent, 1) && !text.failed;
    }
    th__key_map_release(&roles);
    th__buf_release(&text);
    return ok;
}

bool th__exalg_ecgm_run(th__exalg_ecgm *e)
{
    bool changed = true, ok = true;
    for (e->rounds = 0; ok && changed && e->rounds < TH__EXALG_MAX_ROUNDS; e->rounds++) {
        size_t before = e->history.len;
        uint64_t classes = 0;
        th__step step;
        th__step_begin(&step, e->trace, "round", 0);
        th__step_uint(&step, "number", e->rounds + 1);
        th__step_end(&step);
        ok = th__exalg_findeq(e) && trace_classes(e, "lfeq", &classes) && th__exalg_handinv(e) &&
             trace_classes(e, "handinv", &classes) && th__exalg_diffeq(e, &changed) &&
             trace_roles(e, before);
    }
    return ok;
}
