/* iepad_patterns.c: a page as a token string, in one pass over its tokens; and its repeats. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stats.h"
#include "base/vec.h"
#include "engine/papers/iepad/iepad.h"
#include "page/tags.h"
#include "page/text.h"
#include "strings/suffix_array.h"

/* The classes of tags. */
enum { BLOCK, LOGICAL, PHYSICAL, SPECIAL };

const char *const th__iepad_scheme_names[] = {"all-tag",    "no-physical", "no-special",
                                              "no-logical", "block-level", NULL};

/* What each skips: bits by class. */
static const uint8_t skipped[TH__IEPAD_SCHEME_COUNT] = {
    0, 1 << PHYSICAL, 1 << SPECIAL, 1 << LOGICAL, 1 << PHYSICAL | 1 << SPECIAL | 1 << LOGICAL};

/* Text-level tags of HTML 3.2 and their successors, and what browsers set on a line of its own but
 * belongs into a text. Of the rest, what stands on lines of its own is block-level. */
static const uint8_t classes[TAG_COUNT] = {
    [TH_TAG_EM] = LOGICAL,       [TH_TAG_STRONG] = LOGICAL,   [TH_TAG_DFN] = LOGICAL,
    [TH_TAG_CODE] = LOGICAL,     [TH_TAG_SAMP] = LOGICAL,     [TH_TAG_KBD] = LOGICAL,
    [TH_TAG_VAR] = LOGICAL,      [TH_TAG_CITE] = LOGICAL,     [TH_TAG_ABBR] = LOGICAL,
    [TH_TAG_ACRONYM] = LOGICAL,  [TH_TAG_Q] = LOGICAL,        [TH_TAG_INS] = LOGICAL,
    [TH_TAG_DEL] = LOGICAL,      [TH_TAG_MARK] = LOGICAL,     [TH_TAG_TIME] = LOGICAL,
    [TH_TAG_DATA] = LOGICAL,     [TH_TAG_TT] = PHYSICAL,      [TH_TAG_I] = PHYSICAL,
    [TH_TAG_B] = PHYSICAL,       [TH_TAG_U] = PHYSICAL,       [TH_TAG_S] = PHYSICAL,
    [TH_TAG_STRIKE] = PHYSICAL,  [TH_TAG_BIG] = PHYSICAL,     [TH_TAG_SMALL] = PHYSICAL,
    [TH_TAG_SUB] = PHYSICAL,     [TH_TAG_SUP] = PHYSICAL,     [TH_TAG_BLINK] = PHYSICAL,
    [TH_TAG_A] = SPECIAL,        [TH_TAG_IMG] = SPECIAL,      [TH_TAG_APPLET] = SPECIAL,
    [TH_TAG_FONT] = SPECIAL,     [TH_TAG_BASEFONT] = SPECIAL, [TH_TAG_SCRIPT] = SPECIAL,
    [TH_TAG_MAP] = SPECIAL,      [TH_TAG_AREA] = SPECIAL,     [TH_TAG_INPUT] = SPECIAL,
    [TH_TAG_SELECT] = SPECIAL,   [TH_TAG_OPTION] = SPECIAL,   [TH_TAG_OPTGROUP] = SPECIAL,
    [TH_TAG_TEXTAREA] = SPECIAL, [TH_TAG_BUTTON] = SPECIAL,   [TH_TAG_IFRAME] = SPECIAL,
};

/* Tags that show something by themselves. */
static const bool shows[TAG_COUNT] = {
    [TH_TAG_IMG] = true,      [TH_TAG_INPUT] = true,  [TH_TAG_SELECT] = true,
    [TH_TAG_TEXTAREA] = true, [TH_TAG_OBJECT] = true, [TH_TAG_EMBED] = true,
    [TH_TAG_APPLET] = true,   [TH_TAG_VIDEO] = true,  [TH_TAG_AUDIO] = true,
    [TH_TAG_CANVAS] = true,   [TH_TAG_SVG] = true,    [TH_TAG_AMP_IMG] = true,
};

static unsigned class_of(uint16_t tag)
{
    if (tag < TAG_COUNT && classes[tag])
        return classes[tag];
    return th__tag_flags(tag) & TH_TAG_IS_BLOCK ? BLOCK : SPECIAL;
}

uint32_t th__iepad_symbol_from(const th__iepad_string *s, uint32_t low, uint32_t token)
{
    return low + (uint32_t)th__count_first(i, s->len - low, s->first[low + i] < token);
}

/* What stands between two tags that are kept. */
typedef struct gap {
    uint32_t first, last; /* tokens, of tags that are skipped and of text */
    bool any, text;
} gap;

static void close_gap(th__iepad_string *s, gap *g)
{
    if (g->text) {
        s->symbols[s->len] = TH__IEPAD_TEXT;
        s->first[s->len] = g->first;
        s->last[s->len++] = g->last;
    }
    *g = (gap){0};
}

static void widen_gap(gap *g, uint32_t token, bool text)
{
    if (!g->any)
        g->first = token;
    g->last = token;
    g->any = true;
    g->text |= text;
}

/* True if a text shows anything: blanks and no-break spaces alone do not. */
static bool shows_text(const th_page *page, uint32_t token)
{
    if (page->tokens[token].flags & TH_TOKEN_BLANK)
        return false;
    th_str text = th__str_trim(th__token_text(page, token));
    while (th__str_starts(text, TH_STR("&nbsp;")) || th__str_starts(text, TH_STR("\xC2\xA0"))) {
        size_t len = text.ptr[0] == '&' ? 6 : 2;
        text = th__str_trim((th_str){text.ptr + len, text.len - len});
    }
    return text.len > 0;
}

static bool is_hidden(const th_page *page, uint32_t token)
{
    uint16_t tag = page->tokens[token].tag;
    return th__tag_flags(tag) & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD) || tag == TH_TAG_NOSCRIPT;
}

static void encode_tag(const th_page *page, const th__iepad_encoding *e, uint32_t at,
                       th__iepad_string *s, gap *g)
{
    const th_token *token = &page->tokens[at];
    if (skipped[e->scheme] >> class_of(token->tag) & 1) {
        bool media = e->media_as_text && token->kind == TH_TOKEN_START && token->tag < TAG_COUNT &&
                     shows[token->tag];
        widen_gap(g, at, media);
        return;
    }
    close_gap(s, g);
    s->symbols[s->len] = th__iepad_symbol(token->tag, token->kind == TH_TOKEN_END);
    s->first[s->len] = s->last[s->len] = at;
    s->len++;
}

bool th__iepad_encode(const th_page *page, const th__iepad_encoding *e, uint32_t from, uint32_t to,
                      th__arena *arena, th__iepad_string *out)
{
    gap g = {0};
    size_t most = to > from ? to - from : 0; /* a symbol has a token of its own */
    *out = (th__iepad_string){.symbols = th__arena_alloc(arena, 3 * most * sizeof *out->symbols)};
    if (!out->symbols)
        return false;
    out->first = out->symbols + most;
    out->last = out->first + most;
    for (uint32_t at = from; at < to; at++) {
        const th_token *token = &page->tokens[at];
        switch ((th_token_kind)token->kind) {
        case TH_TOKEN_START:
            if (e->skip_hidden && is_hidden(page, at)) {
                uint32_t end = th__hidden_end(page, at);
                at = (end < to ? end : to) - 1;
                break;
            }
            encode_tag(page, e, at, out, &g);
            break;
        case TH_TOKEN_END:
            if (!e->skip_hidden || !is_hidden(page, at))
                encode_tag(page, e, at, out, &g);
            break;
        case TH_TOKEN_RCDATA:
            if (e->skip_hidden && at > 0 && token[-1].tag == TH_TAG_TITLE)
                break;
            /* fall through */
        case TH_TOKEN_TEXT:
        case TH_TOKEN_CDATA:
            if (shows_text(page, at))
                widen_gap(&g, at, true);
            break;
        default: /* comments, scripts and the like are no text */
            break;
        }
    }
    close_gap(out, &g);
    return true;
}

static const th__iepad_name *find_name(const th__iepad_name *names, uint16_t tag)
{
    while (names && names->tag != tag)
        names = names->next;
    return names;
}

bool th__iepad_names_add(th__arena *arena, const th__iepad_name **names, uint16_t tag, th_str name)
{
    if (tag < TH_TAG_OTHER || find_name(*names, tag))
        return true;
    th__iepad_name *own = th__arena_alloc(arena, sizeof *own);
    th_str copy = own ? th__arena_copy(arena, name) : (th_str){0};
    if (!copy.ptr)
        return false;
    for (size_t i = 0; i < copy.len; i++)
        ((char *)copy.ptr)[i] = (char)th__lower((unsigned char)copy.ptr[i]);
    *own = (th__iepad_name){*names, tag, copy};
    *names = own;
    return true;
}

bool th__iepad_names_of(const th_page *page, const th__pattern *pattern, th__arena *arena,
                        const th__iepad_name **names)
{
    for (uint32_t i = 0; i < pattern->symbol_count; i++) {
        uint16_t tag = th__iepad_symbol_tag(pattern->symbols[i]);
        uint32_t at = 0;
        if (tag < TH_TAG_OTHER || find_name(*names, tag))
            continue; /* so the page is searched once a tag */
        while (at < page->token_count && page->tokens[at].tag != tag)
            at++;
        if (at < page->token_count &&
            !th__iepad_names_add(arena, names, tag, th_token_name(page, at)))
            return false;
    }
    return true;
}

void th__iepad_symbol_print(const void *names, uint32_t symbol, th__buf *out)
{
    if (symbol == TH__IEPAD_TEXT) {
        th__buf_add_str(out, TH_STR("<TEXT>"));
        return;
    }
    uint16_t tag = th__iepad_symbol_tag(symbol);
    const th__iepad_name *other = find_name(names, tag);
    th_str name = other ? other->name : th_tag_name(tag);
    th__buf_add_str(out, symbol & 1 ? TH_STR("</") : TH_STR("<"));
    if (name.ptr)
        th__buf_add_str(out, name);
    else
        th__buf_printf(out, "#%u", tag); /* not in the names: by its number */
    th__buf_add_byte(out, '>');
}

void th__iepad_step_symbols(th__step *step, const char *key, const th__iepad_name *names,
                            const uint32_t *symbols, uint32_t len)
{
    th__buf text = {0};
    for (uint32_t i = 0; step->to && i < len; i++)
        th__iepad_symbol_print(names, symbols[i], &text);
    th__step_text(step, key, th__buf_str(&text));
    th__buf_release(&text);
}

/* ---- maximal repeats, sifted for those that are regular and dense (sections 2.2 and ---------
 *
 * 2.3 of the paper), and lists that the tree shows (ours).
 *
 * x(abc)^10 y has six maximal repeats of five occurrences: abc and its powers, which say nothing
 * new. So a repeat that is the power of a shorter one (whole or not: abcabca) is dropped when its
 * occurrences overlap: then it is a piece of a longer run, which takes a look at a few of them. One
 * whose occurrences stand apart, such as the two <p><TEXT></p> of a record, stays. Occurrences that
 * overlap are counted once.
 *
 * The repeats are looked at in the order of what they cover, and the number of occurrences looked
 * at is bounded by a multiple of the string's length: on a string made to have many long repeats
 * the rest is left out.
 */

enum {
    WORK_FACTOR = 16,     /* occurrences looked at, per symbol of the string */
    WORK_LEAST = 1 << 20, /* and in any case */
    MAX_REPEATS = 512     /* that are aligned, those that cover most first */
};

double th__iepad_variance(const uint32_t *at, uint32_t count)
{
    if (count < 3) /* no interval, or one */
        return 0;
    double mean = (double)(at[count - 1] - at[0]) / (count - 1), sum = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        double d = (double)(at[i + 1] - at[i]) - mean;
        sum += d * d;
    }
    return __builtin_sqrt(sum / (count - 1)) / mean;
}

double th__iepad_density(const uint32_t *at, uint32_t count, uint32_t len)
{
    if (count < 2)
        return 1;
    return (double)(count - 1) * len / (at[count - 1] - at[0]);
}

/* A repeat and how many symbols its occurrences cover at most: those that overlap cover nothing
 * twice. */
typedef struct ranked_repeat {
    th__repeat repeat;
    uint64_t covers;
} ranked_repeat;

typedef struct discovery {
    const uint32_t *symbols;
    uint32_t len;
    const th__iepad_options *options;
    th__suffixes suffixes;
    TH__VEC(ranked_repeat) found; /* of min_length and more */
    TH__VEC(th__repeat) small;    /* shorter ones, for short_roots */
    TH__VEC(uint64_t) roots;      /* hashes of short strings that stand several times in a row */
    uint32_t *border;             /* working memory: failure function */
    uint32_t *at;                 /* working memory: occurrences, and as much to sort them */
    th__arena *arena;
    th__iepad_repeats *out;
    bool failed;
} discovery;

static bool keep_repeat(void *context, const th__repeat *repeat)
{
    discovery *d = context;
    if (repeat->len > TH__IEPAD_MAX_LENGTH)
        return true;
    uint64_t covers = (uint64_t)repeat->len * th__repeat_count(repeat);
    ranked_repeat r = {*repeat, covers < d->len ? covers : d->len};
    d->failed = !(repeat->len < d->options->paper.min_length ? th__vec_push(&d->small, *repeat)
                                                             : th__vec_push(&d->found, r));
    return !d->failed;
}

/* The period of s when s holds it twice or more, as abab and ababa do; else len. */
static uint32_t root_length(const uint32_t *s, uint32_t len, uint32_t *border)
{
    border[0] = 0;
    for (uint32_t i = 1, k = 0; i < len; i++) {
        while (k > 0 && s[i] != s[k])
            k = border[k - 1];
        k += s[i] == s[k];
        border[i] = k;
    }
    uint32_t period = len - border[len - 1];
    return 2 * period <= len ? period : len;
}

static uint64_t hash_string(const uint32_t *s, uint32_t len)
{
    return th__hash(s, len * sizeof *s);
}

/* What covers most comes first; among equals the shorter, since its powers cover no more. */
static int by_coverage(const void *a, const void *b)
{
    const ranked_repeat *x = a, *y = b;
    return th__order(y->covers, x->covers) ?: th__order(x->repeat.len, y->repeat.len) ?: th__order(x->repeat.first, y->repeat.first);
}

/* The repeat's occurrences in d->at, in order and without overlap. Gives how many. */
static uint32_t list_occurrences(discovery *d, const th__repeat *r)
{
    uint32_t count = th__repeat_count(r), kept = 0;
    memcpy(d->at, d->suffixes.sa + r->first, count * sizeof *d->at);
    th__sort_numbers(d->at, d->at + d->len, count);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || d->at[i] - d->at[kept - 1] >= r->len)
            d->at[kept++] = d->at[i];
    return kept;
}

static bool keep(discovery *d, uint32_t len, const uint32_t *at, uint32_t count)
{
    if (count < d->options->paper.min_count || d->out->len >= MAX_REPEATS)
        return true;
    th__iepad_repeat r = {.len = len, .count = count};
    r.variance = th__iepad_variance(at, count);
    r.density = th__iepad_density(at, count, len);
    if (r.variance > d->options->paper.max_variance || r.density < d->options->paper.min_density)
        return true;
    r.at = th__arena_keep(d->arena, at, count, sizeof *at);
    return r.at && th__vec_push(d->out, r);
}

/* Section 2.3.1: splits the occurrences where the next would disturb the rhythm. Of the clusters
 * without gaps, which all give the same pattern, only the largest is kept (switch:
 * largest_cluster): a menu of a thousand links would else have hundreds. */
static bool cluster(discovery *d, uint32_t len, const uint32_t *at, uint32_t count)
{
    uint32_t begin = 0, dense = 0, dense_count = 0;
    double sum = 0, squares = 0;
    for (uint32_t i = 1; i <= count; i++) {
        double step = i < count ? (double)(at[i] - at[i - 1]) : 0;
        double n = i - begin, mean = (sum + step) / n;
        double spread = (squares + step * step) / n - mean * mean;
        bool fits = i < count && spread <= d->options->paper.cluster_variance *
                                               d->options->paper.cluster_variance * mean * mean;
        if (fits) {
            sum += step;
            squares += step * step;
            continue;
        }
        if (d->options->largest_cluster && th__iepad_density(at + begin, i - begin, len) >= 1) {
            if (i - begin > dense_count) {
                dense = begin;
                dense_count = i - begin;
            }
        } else if (!keep(d, len, at + begin, i - begin))
            return false;
        bool pair = d->options->cluster_restart && i < count && i - begin == 2;
        begin = pair ? i - 1 : i;
        sum = pair ? step : 0;
        squares = pair ? step * step : 0;
    }
    return keep(d, len, at + dense, dense_count);
}

/* True if a repeat with that period is mostly met inside longer runs: a third of its occurrences,
 * by sample, go on for another period. */
static bool is_in_runs(const discovery *d, const th__repeat *r, uint32_t period)
{
    enum { SAMPLE = 32 };
    uint32_t count = th__repeat_count(r), step = count / SAMPLE + 1, seen = 0, going_on = 0;
    for (uint32_t i = 0; i < count; i += step, seen++) {
        uint32_t at = d->suffixes.sa[r->first + i], end = at + r->len;
        going_on += d->len - end >= period && memcmp(d->symbols + end, d->symbols + end - period,
                                                     period * sizeof *d->symbols) == 0;
    }
    return 3 * going_on >= seen;
}

/* A maximal repeat as the search sees it; `root` is shorter than it if it is a power of that. */
static void step_repeat(const discovery *d, const th__repeat *r, uint32_t root, uint32_t apart)
{
    th__step step;
    th__step_begin(&step, d->options->trace, "maximal repeat", 1);
    th__step_uint(&step, "length", r->len);
    th__step_uint(&step, "occurrences", th__repeat_count(r));
    if (root < r->len)
        th__step_uint(&step, "power of", root);
    else {
        th__step_uint(&step, "without overlap", apart);
        th__step_real(&step, "variance", th__iepad_variance(d->at, apart));
        th__step_real(&step, "density", th__iepad_density(d->at, apart, r->len));
    }
    th__iepad_step_symbols(&step, "repeat", d->options->names,
                           d->symbols + d->suffixes.sa[r->first], r->len);
    th__step_end(&step);
}

/* Keeps a repeat whole, or in clusters where its variance is large. */
static bool sift(discovery *d, const th__repeat *r)
{
    uint32_t count = list_occurrences(d, r);
    step_repeat(d, r, r->len, count);
    if (count < d->options->paper.min_count)
        return true;
    if (th__iepad_variance(d->at, count) <= d->options->paper.max_variance)
        return keep(d, r->len, d->at, count);
    return cluster(d, r->len, d->at, count);
}

/* Repeats shorter than min_length that were met as the root of a power. */
static bool sift_roots(discovery *d, uint64_t *work)
{
    if (d->roots.len == 0)
        return true;
    qsort(d->roots.data, d->roots.len, sizeof *d->roots.data, th__by_number);
    for (size_t i = 0; i < d->small.len; i++) {
        const th__repeat *r = &d->small.data[i];
        uint64_t hash = hash_string(d->symbols + d->suffixes.sa[r->first], r->len);
        if (th__repeat_count(r) > *work ||
            !bsearch(&hash, d->roots.data, d->roots.len, sizeof hash, th__by_number))
            continue;
        *work -= th__repeat_count(r);
        if (!sift(d, r))
            return false;
    }
    return true;
}

static bool sift_all(discovery *d)
{
    uint64_t work = (uint64_t)d->len * WORK_FACTOR;
    work = work < WORK_LEAST ? WORK_LEAST : work;
    if (d->found.len)
        qsort(d->found.data, d->found.len, sizeof *d->found.data, by_coverage);
    for (size_t i = 0; i < d->found.len; i++) {
        const th__repeat *r = &d->found.data[i].repeat;
        const uint32_t *s = d->symbols + d->suffixes.sa[r->first];
        if (r->len > work)
            break;
        work -= r->len;
        uint32_t root = root_length(s, r->len, d->border);
        if (root < r->len && is_in_runs(d, r, root)) {
            step_repeat(d, r, root, 0);
            if (d->options->short_roots && root < d->options->paper.min_length &&
                !th__vec_push(&d->roots, hash_string(s, root)))
                return false;
            continue;
        }
        if (th__repeat_count(r) > work)
            continue;
        work -= th__repeat_count(r);
        if (!sift(d, r))
            return false;
    }
    return sift_roots(d, &work);
}

th_status th__iepad_discover(const uint32_t *symbols, uint32_t len,
                             const th__iepad_options *options, th__arena *arena,
                             th__iepad_repeats *out, th_error *err)
{
    discovery d = {.symbols = symbols, .len = len, .options = options, .arena = arena, .out = out};
    th_status status = th__suffixes_init(&d.suffixes, symbols, len, err);
    if (status)
        return status;
    d.border = th__arena_alloc(arena, (TH__IEPAD_MAX_LENGTH + 1) * sizeof *d.border);
    d.at = th__arena_alloc(arena, (size_t)len * 2 * sizeof *d.at);
    th__repeats_options which = {
        .min_len = options->short_roots ? 1 : options->paper.min_length,
        .min_count = options->paper.min_count,
    };
    if (!d.border || !d.at)
        status = th__fail_memory(err);
    if (!status)
        status = th__repeats_walk(&d.suffixes, symbols, &which, keep_repeat, &d, err);
    if (!status && (d.failed || !sift_all(&d)))
        status = th__fail_memory(err);
    th__vec_release(&d.found);
    th__vec_release(&d.small);
    th__vec_release(&d.roots);
    th__suffixes_release(&d.suffixes);
    return status;
}

/* ---- occurrences by the tree (switch: siblings) ---------------------------------------------- */

/*
 * A maximal repeat is as long as the records that are alike. Where half of them lack a field, the
 * repeat that covers most is one of the others, and its pattern leaves the half out or puts two
 * into one. A tag that stands at least min_count times side by side in one element is a repeat of
 * one token whose occurrences the tree clusters, where the paper clusters them by their distances.
 * What stands between them is aligned as ever:
 *
 *     <ul> <li>T<br>T</li> <li>T</li> <li>T<br>T</li> <li>T</li> <li>T</li> </ul>
 *          |               |          |               |          | <li>T[<br>|-][T|-]</li>
 *
 * Time: sorting the nodes; what is aligned is bounded by MOST.
 */
/* Lists of a page that are looked at: those over the longest stretches. */
enum { MOST = 64 };

/* A list_child whose start tag is in the string. */
typedef struct list_child {
    uint32_t parent, node, at; /* nodes; place in the string */
    uint16_t tag;
} list_child;

static int by_list(const void *a, const void *b)
{
    const list_child *x = a, *y = b;
    return th__order(x->parent, y->parent) ?: th__order(x->tag, y->tag) ?: th__order(x->at, y->at);
}

/* The elements whose start tags are in the string; gives how many. */
static uint32_t list_children(const th_page *page, const th__iepad_string *s, list_child *out)
{
    uint32_t at = 0, count = 0;
    for (uint32_t node = 1; node < page->node_count; node++) {
        uint32_t token = page->nodes[node].token;
        while (at < s->len && s->first[at] < token)
            at++;
        if (at < s->len && s->first[at] == token && s->symbols[at] != TH__IEPAD_TEXT)
            out[count++] = (list_child){page->nodes[node].parent, node, at, page->tags[node]};
    }
    return count;
}

static bool add_list(const th_page *page, const th__iepad_string *s, const list_child *c,
                     uint32_t count, th__arena *arena, th__iepad_repeats *out)
{
    bool alone = true; /* nothing stands between the elements */
    th__iepad_repeat r = {.len = 1, .count = count, .tree = true};
    r.at = th__arena_alloc(arena, count * sizeof *r.at);
    for (uint32_t i = 0; r.at && i < count; i++) {
        r.at[i] = c[i].at;
        r.end = th__iepad_symbol_from(s, c[i].at, page->nodes[c[i].node].token_end);
        alone = alone && (i + 1 == count || r.end == c[i + 1].at);
    }
    if (!r.at)
        return false;
    r.end = alone ? r.end : 0;
    r.variance = th__iepad_variance(r.at, count);
    r.density = th__iepad_density(r.at, count, 1);
    return th__vec_push(out, r);
}

static int by_stretch(const void *a, const void *b)
{
    const th__iepad_repeat *x = a, *y = b;
    uint32_t own = x->at[x->count - 1] - x->at[0], other = y->at[y->count - 1] - y->at[0];
    return th__order(other, own) ?: th__order(x->at[0], y->at[0]);
}

bool th__iepad_siblings(const th_page *page, const th__iepad_string *s,
                        const th__iepad_options *options, th__arena *arena, th__iepad_repeats *out)
{
    list_child *children = th__arena_alloc(arena, page->node_count * sizeof *children);
    bool ok = children;
    uint32_t count = ok ? list_children(page, s, children) : 0;
    if (count)
        qsort(children, count, sizeof *children, by_list);
    for (uint32_t i = 0, end; ok && i < count; i = end) {
        for (end = i + 1; end < count && children[end].parent == children[i].parent &&
                          children[end].tag == children[i].tag;)
            end++;
        if (end - i >= options->paper.min_count && end - i > 1)
            ok = add_list(page, s, children + i, end - i, arena, out);
    }
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, by_stretch);
    out->len = out->len < MOST ? out->len : MOST;
    return ok;
}
