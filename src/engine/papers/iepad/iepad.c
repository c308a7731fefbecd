/*
 * iepad.c: record patterns of a page, without labels.
 *
 * The paper
 * ---------
 * Chia-Hui Chang, Chun-Nan Hsu, Shao-Cheng Lui: Automatic information extraction from
 * semi-structured Web pages by pattern discovery. Decision Support Systems 35 (2003) 129-147.
 *
 * The idea
 * --------
 * Records that a program wrote repeat the same tags. So the page becomes a string of tags, with all
 * text alike; its maximal repeats are candidates; those that come at even distances (variance) and
 * close together (density) are lists; aligning what is between occurrences gives a pattern with
 * options and alternatives; and laying each record onto the pattern gives its columns.
 *
 * An example
 * ----------
 *     <ul><li>Congo 242 <li>Egypt 20 <li>Belize 501 <li>Spain 34</ul>      (block-level)
 *     <ul> <li><TEXT> <li><TEXT> <li><TEXT> <li><TEXT> </ul>
 *
 * <li><TEXT> occurs 4 times, every 2 tokens: variance 0, density (4 - 1) * 2 / 6 = 1. Had Egypt a
 * <br> after it, the strings <li><TEXT>, <li><TEXT><br>, <li><TEXT> would be aligned to
 * <li><TEXT>[<br>|-].
 *
 * Glossary
 * --------
 * token string     the page in the encoding scheme's tokens                     iepad.c
 * maximal repeat   a substring whose occurrences differ before and after it     iepad.c
 * variance         coefficient of variation of the distances of occurrences     iepad.c
 * density          share of the stretch that the occurrences cover              iepad.c
 * occurrence clustering  cutting occurrences into regular groups                iepad.c
 * extraction pattern     tokens with options and alternatives                   iepad.c
 * pattern rotation moving a pattern's start to where records start              iepad.c
 * block division   a record cut at its <TEXT>, <a> and <img> tokens             iepad_rule.c
 * multi-level alignment  the same inside a block, in a lower-level encoding     iepad_rule.c
 * slot             what comes out of the division: a column of the answer       iepad.h
 * extraction rule  record patterns, lower-level patterns, slots                 iepad_rule.c
 * extractor        a rule at work on a page                                     iepad_rule.c
 *
 * Where we differ
 * ---------------
 * A suffix array takes the place of the PAT tree; the repeats are the same. Powers of a repeat are
 * dropped. Matching is leftmost-longest with options, which Boyer-Moore cannot do. The rule keeps
 * the lower-level patterns, so that slots stay where they are from page to page. The bound on
 * mismatches and the clustering constant, which the paper does not give, are options. Each
 * addition of ours is a switch of th__iepad_options, off in paper mode. So is ranking: the paper
 * leaves the choice to its user.
 *
 * Cost
 * ----
 * n tokens: O(n log n) for the repeats; at most 512 of them are aligned and matched, each in
 * O(n x columns / 64) as a rule.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/key_map.h"
#include "engine/papers/iepad/iepad.h"
#include "page/tags.h"
#include "page/text.h"

const th__iepad_switch th__iepad_switches[] = {
    {"skip_hidden", offsetof(th__iepad_options, skip_hidden)},
    {"media_as_text", offsetof(th__iepad_options, media_as_text)},
    {"largest_cluster", offsetof(th__iepad_options, largest_cluster)},
    {"drop_outliers", offsetof(th__iepad_options, drop_outliers)},
    {"balance", offsetof(th__iepad_options, balance)},
    {"last_record", offsetof(th__iepad_options, last_record)},
    {"stray_text", offsetof(th__iepad_options, stray_text)},
    {"siblings", offsetof(th__iepad_options, siblings)},
    {"firm", offsetof(th__iepad_options, firm)},
    {"rank", offsetof(th__iepad_options, rank)},
};
const size_t th__iepad_switch_count = sizeof th__iepad_switches / sizeof *th__iepad_switches;

void th__iepad_options_init(th__iepad_options *options, bool paper)
{
    *options = (th__iepad_options){
        .scheme = TH__IEPAD_BLOCK_LEVEL, .lower = TH__IEPAD_ALL_TAG, .levels = 2};
    th_paper_options_init(&options->paper);
    for (size_t i = 0; i < th__iepad_switch_count; i++)
        *(bool *)((char *)options + th__iepad_switches[i].offset) = !paper;
}

/* ---- suffixes in order -------------------------------------------------------------------------
 *
 * Prefix doubling (Manber, Myers: Suffix arrays, 1993) and the lcp values of Kasai et al. (2001).
 * Suffixes that are in the order of their first k symbols are brought into the order of 2k: a
 * suffix's rank, and the rank of the suffix k symbols later, are the two halves of a key.
 *
 *     b a n a n a       by 1 symbol     a 1 3 5 | b 0 | n 2 4
 *     0 1 2 3 4 5       by 2 symbols    a 5 | an 1 3 | ba 0 | na 2 4
 *                       by 4 symbols    a 5 | ana 3 | anan 1 | bana 0 | na 4 | nana 2
 *
 * Repeats. The inner nodes of the suffix tree are met in postorder with a stack: a node is a run of
 * the suffix array in which all neighbours share at least `len` symbols, and no wider run does. A
 * run is left diverse when two of its suffixes have different left neighbours in the string; that
 * is handed up from run to run, so that every suffix is looked at once.
 */

#define NONE UINT32_MAX

/* Sorts suffixes by a key of each, at most `most`: digit by digit, the lowest first. Those with
 * equal keys keep their order. */
static void sort_by_key(uint32_t *sa, uint32_t *spare, uint32_t len, const uint32_t *key,
                        uint32_t most)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    for (unsigned shift = 0; shift < 32 && most >> shift; shift += BITS) {
        uint32_t first[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < len; i++)
            first[(key[i] >> shift) % DIGITS + 1]++;
        for (uint32_t d = 0; d < DIGITS; d++)
            first[d + 1] += first[d];
        for (uint32_t i = 0; i < len; i++)
            spare[first[(key[sa[i]] >> shift) % DIGITS]++] = sa[i];
        memcpy(sa, spare, len * sizeof *sa);
    }
}

/* Ranks the sorted suffixes: equal ones share a rank. Two are equal if their ranks, and those of
 * the suffixes k symbols later, were equal. Returns how many ranks there are. */
static uint32_t rank_suffixes(const uint32_t *sa, uint32_t len, uint32_t k, uint32_t *rank,
                              uint32_t *spare)
{
    uint32_t ranks = 1;
    spare[sa[0]] = 0;
    for (uint32_t i = 1; i < len; i++) {
        uint32_t a = sa[i - 1], b = sa[i];
        bool same = rank[a] == rank[b] && a + k < len && b + k < len && rank[a + k] == rank[b + k];
        ranks += !same;
        spare[b] = ranks - 1;
    }
    memcpy(rank, spare, len * sizeof *rank);
    return ranks;
}

/* Fills sa; rank and spare have room for len numbers, len is not 0. */
static void sort_suffixes(const uint32_t *text, uint32_t len, uint32_t *sa, uint32_t *rank,
                          uint32_t *spare)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < len; i++) {
        most = text[i] > most ? text[i] : most;
        rank[i] = text[i];
        sa[i] = i;
    }
    sort_by_key(sa, spare, len, rank, most);
    uint32_t ranks = rank_suffixes(sa, len, 0, rank, spare);
    for (uint32_t k = 1; ranks < len; k *= 2) {
        uint32_t count = 0; /* by the second half; those that have none come first */
        for (uint32_t at = len - k; at < len; at++)
            spare[count++] = at;
        for (uint32_t i = 0; i < len; i++)
            if (sa[i] >= k)
                spare[count++] = sa[i] - k;
        memcpy(sa, spare, len * sizeof *sa);
        sort_by_key(sa, spare, len, rank, ranks - 1);
        ranks = rank_suffixes(sa, len, k, rank, spare);
    }
}

/* lcp from sa: a suffix shares at most one symbol less with its neighbour than the suffix a symbol
 * earlier did. `before` is room for len numbers. */
static void fill_lcp(th__suffixes *out, const uint32_t *text, uint32_t *before)
{
    uint32_t len = out->len, shared = 0;
    before[out->sa[0]] = NONE;
    for (uint32_t i = 1; i < len; i++)
        before[out->sa[i]] = out->sa[i - 1];
    for (uint32_t at = 0; at < len; at++) { /* by position, kept in place of `before` */
        uint32_t other = before[at];
        if (other == NONE) {
            before[at] = shared = 0;
            continue;
        }
        while (at + shared < len && other + shared < len &&
               text[at + shared] == text[other + shared])
            shared++;
        before[at] = shared;
        shared -= shared > 0;
    }
    for (uint32_t i = 0; i < len; i++)
        out->lcp[i] = before[out->sa[i]];
}

th_status th__suffixes_init(th__suffixes *out, const uint32_t *symbols, size_t len,
                            th__arena *arena, th_error *err)
{
    *out = (th__suffixes){.len = (uint32_t)len};
    if (len > TH__SUFFIXES_MAX)
        return th__fail(err, TH_ERR_LIMIT,
                        "a string of %zu symbols is too long to sort its suffixes; the limit is %d",
                        len, TH__SUFFIXES_MAX);
    uint32_t *rank = th__arena_alloc(arena, len * sizeof *rank);
    uint32_t *spare = th__arena_alloc(arena, len * sizeof *spare);
    out->sa = th__arena_alloc(arena, len * sizeof *out->sa);
    out->lcp = th__arena_alloc(arena, len * sizeof *out->lcp);
    if (!out->sa || !out->lcp || !rank || !spare)
        return th__fail_memory(err);
    if (len) {
        sort_suffixes(symbols, out->len, out->sa, rank, spare);
        fill_lcp(out, symbols, spare);
    }
    return TH_OK;
}

/* ---- maximal repeats ------------------------------------------------------------------------- */

#define AT_START (UINT64_C(1) << 32)
#define DIVERSE  (UINT64_C(1) << 33)

typedef struct repeat_run {
    uint32_t len, first;
    uint64_t left; /* the symbol before all its suffixes, AT_START or DIVERSE */
} repeat_run;

typedef struct repeat_walk {
    const th__suffixes *suffixes;
    const uint32_t *symbols;
    th__repeats_options options;
    th__repeat_visit visit;
    void *context;
    TH__VEC(repeat_run) stack; /* open runs; len rises strictly */
} repeat_walk;

static uint64_t left_of(const repeat_walk *w, uint32_t index)
{
    uint32_t at = w->suffixes->sa[index];
    return at == 0 ? AT_START : w->symbols[at - 1];
}

static uint64_t join_left(uint64_t a, uint64_t b)
{
    return a == b ? a : DIVERSE;
}

/* Hands a finished run to the visitor when it is wanted. */
static bool give(const repeat_walk *w, const repeat_run *r, uint32_t last)
{
    uint32_t count = last - r->first + 1;
    if (r->len < w->options.min_len || count < w->options.min_count)
        return true;
    if (r->left != DIVERSE && !w->options.with_not_left)
        return true;
    return w->visit(w->context, &(th__repeat){r->len, r->first, last});
}

/* Takes suffix `index`, which shares `shared` symbols with the one before. */
static bool take_suffix(repeat_walk *w, uint32_t index, uint32_t shared)
{
    uint64_t left = left_of(w, index - 1);
    uint32_t first = index - 1;
    while (w->stack.len && w->stack.data[w->stack.len - 1].len > shared) {
        repeat_run top = w->stack.data[--w->stack.len];
        top.left = join_left(top.left, left);
        if (!give(w, &top, index - 1))
            return false;
        left = top.left;
        first = top.first;
    }
    if (w->stack.len && w->stack.data[w->stack.len - 1].len == shared) {
        repeat_run *top = &w->stack.data[w->stack.len - 1];
        top->left = join_left(top->left, left);
        return true;
    }
    return shared == 0 || th__vec_push(&w->stack, (repeat_run){shared, first, left});
}

bool th__repeats_walk(const th__suffixes *suffixes, const uint32_t *symbols,
                      const th__repeats_options *options, th__repeat_visit visit, void *context)
{
    repeat_walk w = {.suffixes = suffixes, .symbols = symbols, .visit = visit, .context = context};
    w.options = options ? *options : (th__repeats_options){0};
    w.options.min_len = w.options.min_len ? w.options.min_len : 1;
    w.options.min_count = w.options.min_count < 2 ? 2 : w.options.min_count;
    bool ok = true;
    for (uint32_t i = 1; ok && i <= suffixes->len; i++)
        ok = take_suffix(&w, i, i < suffixes->len ? suffixes->lcp[i] : 0);
    th__vec_release(&w.stack);
    return ok;
}

/* A member of a step: symbols as the paper writes them. Without a trace it does nothing. */
static void step_symbols(th__step *step, const char *key, const th__iepad_name *names,
                         const uint32_t *symbols, uint32_t len)
{
    th__buf text = {0};
    for (uint32_t i = 0; step->to && i < len; i++)
        th__iepad_symbol_print(names, symbols[i], &text);
    th__step_text(step, key, th__buf_str(&text));
    th__buf_release(&text);
}

/* ---- which maximal repeats are regular and dense (sections 2.2 and 2.3) ----------------------
 *
 * x(abc)^10 y has six maximal repeats of five occurrences: abc and its powers, which add
 * nothing. So a repeat that is the power of a shorter one (whole or not: abcabca) is dropped if its
 * occurrences overlap: then it is a piece of a longer run, as a sample of them shows. One whose
 * occurrences are apart, such as the two <p><TEXT></p> of a record, stays. Occurrences that
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
    TH__VEC(th__repeat) small;    /* shorter ones, for their powers */
    TH__VEC(uint64_t) roots;      /* hashes of short strings that occur several times in a row */
    uint32_t *border;             /* working memory: failure function */
    uint32_t *at;                 /* working memory: occurrences */
    th__arena *arena;
    th__iepad_repeats *out;
} discovery;

static bool keep_repeat(void *context, const th__repeat *repeat)
{
    discovery *d = context;
    if (repeat->len > TH__IEPAD_MAX_LENGTH)
        return true;
    uint64_t covers = (uint64_t)repeat->len * th__repeat_count(repeat);
    ranked_repeat r = {*repeat, covers < d->len ? covers : d->len};
    return repeat->len < d->options->paper.min_length ? th__vec_push(&d->small, *repeat)
                                                      : th__vec_push(&d->found, r);
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

/* Lists the repeat's occurrences in d->at, in order and without overlap. Returns how many. */
static uint32_t list_occurrences(discovery *d, const th__repeat *r)
{
    uint32_t count = th__repeat_count(r), kept = 0;
    memcpy(d->at, d->suffixes.sa + r->first, count * sizeof *d->at);
    qsort(d->at, count, sizeof *d->at, th__by_node);
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
        begin = i;
        sum = squares = 0;
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
    step_symbols(&step, "repeat", d->options->names, d->symbols + d->suffixes.sa[r->first], r->len);
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

/* Repeats shorter than min_length that were met as the root of a power: <li><TEXT><li><TEXT>... The
 * paper reports the powers, which are long enough. */
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
            if (root < d->options->paper.min_length &&
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
    th_status status = th__suffixes_init(&d.suffixes, symbols, len, arena, err);
    if (status)
        return status;
    d.border = th__arena_alloc(arena, (TH__IEPAD_MAX_LENGTH + 1) * sizeof *d.border);
    d.at = th__arena_alloc(arena, len * sizeof *d.at);
    th__repeats_options which = {.min_count = options->paper.min_count};
    if (!d.border || !d.at || !th__repeats_walk(&d.suffixes, symbols, &which, keep_repeat, &d) ||
        !sift_all(&d))
        status = th__fail_memory(err);
    th__vec_release(&d.found);
    th__vec_release(&d.small);
    th__vec_release(&d.roots);
    return status;
}

/* ---- occurrences by the tree (switch: siblings) ---------------------------------------------- */

/*
 * A maximal repeat is as long as the records that are alike. Where half of them lack a field, the
 * repeat that covers most is one of the others, and its pattern leaves the half out or puts two
 * into one. A tag that occurs at least min_count times side by side in one element is a repeat of
 * one token whose occurrences the tree clusters, where the paper clusters them by their distances.
 * What is between them is aligned as usual:
 *
 *     <ul> <li>T<br>T</li> <li>T</li> <li>T<br>T</li> <li>T</li> <li>T</li> </ul>
 *          |               |          |               |          | <li>T[<br>|-][T|-]</li>
 *
 * Time: sorting the nodes; what is aligned is bounded by MOST.
 */
/* Lists of a page that are looked at: those over the longest stretches. */
enum { MOST = 64 };

/* An element whose start tag is in the string. */
typedef struct list_child {
    uint32_t parent, node, at; /* nodes; place in the string */
    uint16_t tag;
} list_child;

static int by_list(const void *a, const void *b)
{
    const list_child *x = a, *y = b;
    return th__order(x->parent, y->parent) ?: th__order(x->tag, y->tag) ?: th__order(x->at, y->at);
}

/* The elements whose start tags are in the string; returns how many. */
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

static bool add_sibling_list(const th_page *page, const th__iepad_string *s, const list_child *c,
                             uint32_t count, th__arena *arena, th__iepad_repeats *out)
{
    bool alone = true; /* nothing is between the elements */
    th__iepad_repeat r = {.len = 1, .count = count, .tree = true};
    r.at = th__arena_alloc(arena, count * sizeof *r.at);
    for (uint32_t i = 0; r.at && i < count; i++) {
        r.at[i] = c[i].at;
        uint32_t behind = page->nodes[c[i].node].token_end;
        r.end = c[i].at +
                (uint32_t)th__count_first(k, s->len - c[i].at, s->first[c[i].at + k] < behind);
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

static bool find_siblings(const th_page *page, const th__iepad_string *s,
                          const th__iepad_options *options, th__arena *arena,
                          th__iepad_repeats *out)
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
            ok = add_sibling_list(page, s, children + i, end - i, arena, out);
    }
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, by_stretch);
    out->len = out->len < MOST ? out->len : MOST;
    return ok;
}

/* ---- composing extraction patterns, section 2.4 ---------------------------------------------- */

/*
 * The strings from one occurrence to the next are the records, exceptions and all; the last
 * occurrence has no known end and is left out. Their multiple alignment gives the pattern:
 *
 *     adcbd adcxb adcxbd adc...      adc-bd
 *                                    adcxb-      adc[x|-]b[d|-]
 *                                    adcxbd
 */
/* The middle one of the lengths of the strings between occurrences. */
static bool middle_length(const th__iepad_repeat *repeat, th__arena *arena, uint32_t *out)
{
    uint32_t count = repeat->count - 1;
    uint32_t *lengths = th__arena_alloc(arena, count * sizeof *lengths);
    if (!lengths)
        return false;
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = repeat->at[i + 1] - repeat->at[i];
    qsort(lengths, count, sizeof *lengths, th__by_node);
    *out = lengths[count / 2];
    return true;
}

/* Lists the strings to align; returns how many. */
static uint32_t list_strings(const uint32_t *symbols, const th__iepad_repeat *repeat,
                             uint64_t longest, th__symbols *strings)
{
    uint32_t count = 0, step = (repeat->count - 1) / TH__IEPAD_MAX_STRINGS + 1;
    for (uint32_t i = 0; i + 1 < repeat->count; i += step) {
        uint32_t len = repeat->at[i + 1] - repeat->at[i];
        if (len <= longest)
            strings[count++] = (th__symbols){symbols + repeat->at[i], len};
    }
    uint32_t last = repeat->at[repeat->count - 1];
    if (repeat->end > last && repeat->end - last <= longest)
        strings[count++] = (th__symbols){symbols + last, repeat->end - last};
    return count;
}

/* The pattern of a candidate: of all strings between its occurrences, or of most. */
static th_status compose(const uint32_t *symbols, const th__iepad_repeat *repeat,
                         th__iepad_aligned what, const th__iepad_options *options, th__arena *arena,
                         th__pattern *out, bool *found, th_error *err)
{
    uint32_t middle = 0;
    bool bounded = what == TH__IEPAD_RECORDS && options->drop_outliers;
    th__symbols *strings = th__arena_alloc(arena, ((size_t)repeat->count + 1) * sizeof *strings);
    if (!strings || (bounded && !middle_length(repeat, arena, &middle)))
        return th__fail_memory(err);
    uint64_t longest = bounded ? 2 * (uint64_t)middle : UINT64_MAX;
    uint32_t count = list_strings(symbols, repeat, longest, strings);
    return th__iepad_align(strings, count, what, options, arena, out, found, err);
}

th_status th__iepad_compose(const uint32_t *symbols, const th__iepad_repeat *repeat,
                            const th__iepad_options *options, th__arena *arena, th__pattern *out,
                            bool *found, th_error *err)
{
    th_status status = TH_OK;
    if (repeat->density < 1 && repeat->count > 1)
        return compose(symbols, repeat, TH__IEPAD_RECORDS, options, arena, out, found, err);
    *out = th__pattern_in(arena);
    for (uint32_t i = 0; !status && i < repeat->len; i++)
        status = th__pattern_add(out, &symbols[repeat->at[0] + i], 1, false, err);
    *found = status == TH_OK;
    return status;
}

/*
 * Pattern rotation, 2.4.1. As printed it stops at a column with options, and then the section's own
 * example cannot be reached: of the records (U,N,A,M), (U,N,A), (U,N,M), (N,A) only N is a repeat
 * of all, the strings between its occurrences give N[A|-][M|-][U|-], and U belongs to the next
 * record. So a column with an option is passed over too, whether the page has it there or not, as
 * long as a column without options beyond it is met; the pattern is turned as far as that one.
 */
uint32_t th__iepad_turn_right(const th__pattern *pattern, const uint32_t *symbols, uint32_t start)
{
    uint32_t first = pattern->len, symbol;
    for (uint32_t column = pattern->len, at = start; column > 0 && at > 0; column--) {
        bool fits = th__column_has(pattern, column - 1, symbols[at - 1]);
        if (!fits && !pattern->columns[column - 1].optional)
            break;
        at -= fits;
        if (fits && th__column_fixed(pattern, column - 1, &symbol))
            first = column - 1;
    }
    return first % pattern->len;
}

uint32_t th__iepad_turn_left(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                             uint32_t end)
{
    uint32_t turned = 0, symbol;
    for (uint32_t column = 0, at = end; column < pattern->len && at < len; column++) {
        bool fits = th__column_has(pattern, column, symbols[at]);
        if (!fits && !pattern->columns[column].optional)
            break;
        at += fits;
        if (fits && th__column_fixed(pattern, column, &symbol))
            turned = column + 1;
    }
    return turned % pattern->len;
}

/* ---- what a pattern is worth (ours) -----------------------------------------------------------
 *
 * A score is made of what a pattern covers, how regular it is, and how much of the element around
 * them its records fill. Between patterns of the same list that is not enough: one that leaves
 * out the records with a field more, or puts two into one, is firmer and longer than one that takes
 * them all. So the best pattern gives way to one that the tree shows (find_siblings), that covers
 * at least as much and that has nearly all of its records, and more: those that it left out or
 * swallowed.
 */

/* Tags that end others of their kind, of the same rank or a lower one, where end tags are left out:
 * a row the cells before it. */
static const struct {
    uint8_t kind, rank;
} closing[TH_TAG_OTHER] = {
    [TH_TAG_TD] = {1, 1},    [TH_TAG_TH] = {1, 1},     [TH_TAG_TR] = {1, 2},
    [TH_TAG_TBODY] = {1, 3}, [TH_TAG_THEAD] = {1, 3},  [TH_TAG_TFOOT] = {1, 3},
    [TH_TAG_LI] = {2, 1},    [TH_TAG_DT] = {3, 1},     [TH_TAG_DD] = {3, 1},
    [TH_TAG_P] = {4, 1},     [TH_TAG_OPTION] = {5, 1},
};

/* Ends what a start tag ends; false if it ends something that it should be inside of. */
static bool close_before(uint16_t tag, const uint16_t *open, uint32_t *depth)
{
    unsigned kind = tag < TH_TAG_OTHER ? closing[tag].kind : 0, rank = 0;
    while (kind && *depth && open[*depth - 1] < TH_TAG_OTHER &&
           closing[open[*depth - 1]].kind == kind &&
           closing[open[*depth - 1]].rank <= closing[tag].rank)
        rank = closing[open[--*depth]].rank;
    return !rank || *depth || rank == closing[tag].rank;
}

/* Walks the columns that are always there: returns true if end tags follow their start tags, and
 * how many elements of the first one's tag are side by side at the top. */
static bool is_balanced(const th__pattern *pattern, uint32_t *tops)
{
    enum { DEEPEST = 64 };
    uint16_t open[DEEPEST], top = 0;
    uint32_t depth = 0, symbol;
    *tops = 0;
    for (uint32_t i = 0; i < pattern->len; i++) {
        if (!th__column_fixed(pattern, i, &symbol) || symbol == TH__IEPAD_TEXT)
            continue;
        uint16_t tag = th__iepad_symbol_tag(symbol);
        if (!(symbol & 1)) {
            if (!close_before(tag, open, &depth))
                return false;
            if (depth == 0 && !(th__tag_flags(tag) & TH_TAG_IS_VOID)) {
                top = top ? top : tag;
                *tops += tag == top;
            }
            if (th__tag_flags(tag) & TH_TAG_IS_VOID)
                continue;
            if (depth == DEEPEST)
                return false;
            open[depth++] = tag;
            continue;
        }
        while (depth > 0 && open[depth - 1] != tag) /* end tags may be left out: li, p, td */
            depth--;
        if (depth == 0)
            return false;
        depth--;
    }
    return true;
}

/* The element that holds most records, by vote and count (Boyer and Moore): right when there is a
 * majority, and else nothing depends on it. */
static uint32_t common_parent(const th_page *page, const th__iepad_pattern *p)
{
    uint32_t parent = 0, votes = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t node = th__page_node_from(page, p->records[i].first);
        uint32_t own = node < page->node_count ? page->nodes[node].parent : 0;
        if (votes == 0)
            parent = own;
        votes += own == parent ? 1 : -1u;
    }
    return parent;
}

static double sibling_share(const th_page *page, const th__iepad_pattern *p)
{
    const th_node *nodes = page->nodes;
    uint32_t parent = common_parent(page, p), all = 0, inside = 0, record = 0;
    for (uint32_t child = parent + 1; child < nodes[parent].end; child = nodes[child].end) {
        while (record < p->count && p->records[record].last < nodes[child].token)
            record++;
        if (th__tag_flags(page->tags[child]) & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD))
            continue;
        all++;
        inside += record < p->count && p->records[record].first <= nodes[child].token;
    }
    return all ? (double)inside / all : 0;
}

/* The share of the records that end inside the element that they begin in. A rotated pattern takes
 * the tail of one record and the head of the next: <br><TEXT><p><TEXT> begins inside one <p> and
 * ends inside another. */
static double kept_share(const th_page *page, const th__iepad_pattern *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t node = th__page_node_from(page, p->records[i].first);
        uint32_t parent = node < page->node_count ? page->nodes[node].parent : 0;
        kept += page->nodes[parent].token_end > p->records[i].last;
    }
    return p->count ? (double)kept / p->count : 1;
}

/* Sets what the score is made of. */
static void rate(const th_page *page, uint32_t total, uint64_t text, uint64_t linked,
                 th__iepad_pattern *p)
{
    p->coverage = total ? (double)text / total : 0;
    uint32_t tops;
    double links = text ? (double)linked / (double)text : 0;
    bool balanced = is_balanced(&p->pattern, &tops);
    for (uint32_t i = 0, symbol; i < p->pattern.len; i++)
        p->loose += !th__column_fixed(&p->pattern, i, &symbol);
    p->loose /= p->pattern.len;
    /* Text counts, but its square root: a long footer beats no list of short records. Text in links
     * suggests navigation. Several equal elements side by side are several records. A list fills
     * its element: a pattern that fits every record fills more than one that fits most. */
    double many = 1 - 1.0 / (1 + p->count), rich = p->pattern.len / (p->pattern.len + 10.0);
    double firm = 1 - p->loose / 2, whole = (sibling_share(page, p) + 0.05) / 1.05;
    p->score = sqrt(p->coverage * (1.05 - links) / 1.05) * many * many * many * rich * rich * firm *
               firm * whole * (balanced ? 1 : 0.25) * (0.25 + 0.75 * kept_share(page, p)) /
               (tops ? tops : 1);
}

/* ---- order --------------------------------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
    const th__iepad_pattern *x = a, *y = b;
    return th__order(y->score, x->score)
               ?: th__order(y->count, x->count)
               ?: th__order(x->records[0].first, y->records[0].first);
}

static int by_first(const void *a, const void *b)
{
    const th__iepad_pattern *x = a, *y = b;
    return th__order(x->records[0].first, y->records[0].first)
               ?: th__order(x->pattern.len, y->pattern.len);
}

/* How many records of a pattern begin where one of another's does. */
static uint32_t count_shared(const th__iepad_pattern *own, const th__iepad_pattern *other)
{
    uint32_t shared = 0;
    for (uint32_t i = 0, j = 0; i < own->count; i++) {
        while (j < other->count && other->records[j].first < own->records[i].first)
            j++;
        shared += j < other->count && other->records[j].first == own->records[i].first;
    }
    return shared;
}

/* How many records of a pattern begin inside of another's, and not where one begins. */
static uint32_t count_swallowed(const th__iepad_pattern *own, const th__iepad_pattern *other)
{
    uint32_t swallowed = 0;
    for (uint32_t i = 0, j = 0; i < own->count; i++) {
        while (j < other->count && other->records[j].last < own->records[i].first)
            j++;
        swallowed += j < other->count && other->records[j].first < own->records[i].first;
    }
    return swallowed;
}

/* True if a pattern has more records than the best, and those are records. Some may begin
 * elsewhere, with a heading before them. What the best leaves out is records only if it has text:
 * not links to further pages, nor separators. */
static bool has_more(const th__iepad_pattern *own, const th__iepad_pattern *best)
{
    const double least = 0.3; /* of the text of a record */
    uint32_t shared = count_shared(best, own);
    /* Three times as many are parts of records: the rows of a table with three for each. */
    if (own->count <= best->count || own->count > 2 * best->count || 5 * shared < 4 * best->count)
        return false;
    /* A few more that have little in common with the others: the row of headings of a table, whose
     * <th> would make an alternative of every column. */
    if (8 * (own->count - best->count) < best->count && own->loose > 0.5)
        return false;
    uint32_t swallowed = count_swallowed(own, best);
    if (swallowed >= best->count) /* one in each: records of two rows */
        return false;
    uint32_t more = own->count - shared, left = more - swallowed;
    double text = (own->coverage - best->coverage) * best->count;
    return 5 * left <= more || text >= least * left * best->coverage;
}

/* Lets the best pattern give way to one that has more: the two change scores. */
static void give_way(th__iepad_result *result)
{
    th__iepad_pattern *best = &result->patterns[0];
    for (uint32_t i = 1; i < result->count; i++) {
        th__iepad_pattern *own = &result->patterns[i];
        if (!own->tree || own->coverage < best->coverage || !has_more(own, best))
            continue;
        th__iepad_pattern moved = *own;
        moved.score = best->score;
        best->score = own->score;
        *own = *best;
        *best = moved;
        qsort(result->patterns + 1, result->count - 1, sizeof *best, by_score);
        return;
    }
}

/* Puts the patterns in order: best first, or in the order of the page. */
static void put_in_order(th__iepad_result *result)
{
    if (!result->count)
        return;
    qsort(result->patterns, result->count, sizeof *result->patterns,
          result->options.rank ? by_score : by_first);
    if (result->options.rank && result->options.siblings)
        give_way(result);
}

/* ---- the search ------------------------------------------------------------------------------ */

void th__iepad_result_release(th__iepad_result *result)
{
    th__arena_release(&result->arena);
    *result = (th__iepad_result){0};
}

/* A search in progress. */
typedef struct pattern_finder {
    const th_page *page;
    const th__iepad_options *options;
    th__arena arena;                 /* of the search */
    th__arena scratch;               /* of a candidate */
    th__iepad_string string;         /* the result's */
    uint32_t *text_before;           /* by symbol: bytes of text before it; one more at the end */
    uint32_t *links_before;          /* the same for text in links */
    th__key_map seen;                /* hashes of patterns tried */
    TH__VEC(th__iepad_range) ranges; /* of the records of a candidate */
    TH__VEC(uint32_t) places;        /* and where they begin in the string */
    TH__VEC(th__iepad_pattern) found;
    th__iepad_result *out;
} pattern_finder;

/* ---- from candidates to answers ----------------------------------------------------------- */

/* Finds and rates the pattern's records, which stay until the next call; false if out of memory. */
static bool match_records(pattern_finder *f, th__iepad_pattern *p, th__matcher *m)
{
    const th__iepad_string *s = &f->string;
    uint32_t len;
    uint64_t text = 0, linked = 0;
    f->ranges.len = f->places.len = 0;
    for (uint32_t at = 0; at < s->len; at += len ? len : 1) {
        len = th__iepad_match(f->page, s, m, p->element, at);
        if (!len)
            continue;
        if (!th__vec_push(&f->ranges, ((th__iepad_range){s->first[at], s->last[at + len - 1]})) ||
            !th__vec_push(&f->places, at))
            return false;
        text += f->text_before[at + len] - f->text_before[at];
        linked += f->links_before[at + len] - f->links_before[at];
    }
    p->records = f->ranges.data;
    p->count = (uint32_t)f->ranges.len;
    p->regularity = fmax(0, 1 - th__iepad_variance(f->places.data, p->count));
    rate(f->page, f->text_before[s->len], text, linked, p);
    return true;
}

static uint64_t hash_pattern(const th__pattern *p)
{
    uint64_t hash = p->len;
    for (uint32_t i = 0; i < p->len; i++) {
        const th__pattern_column *c = &p->columns[i];
        hash = th__hash_mix(hash, (uint64_t)c->count << 1 | c->optional);
        for (uint32_t k = 0; k < c->count; k++)
            hash = th__hash_mix(hash, p->symbols[c->first + k]);
    }
    return hash;
}

static bool has_text(const th__pattern *pattern)
{
    th__iepad_kind kind;
    for (uint32_t i = 0; i < pattern->len; i++)
        if (th__iepad_column_kind(pattern, i, &kind))
            return true;
    return false;
}

/* True if a pattern is about the elements it was made of: nearly all of its records begin with one
 * of them, and most of them begin one. A pattern of options alone is found anywhere. */
static bool is_of_list(const pattern_finder *f, const th__iepad_repeat *repeat,
                       const th__iepad_pattern *p)
{
    uint32_t own = 0;
    for (uint32_t i = 0, j = 0; i < p->count; i++) {
        while (j < repeat->count && f->string.first[repeat->at[j]] < p->records[i].first)
            j++;
        own += j < repeat->count && f->string.first[repeat->at[j]] == p->records[i].first;
    }
    return 5 * own >= 4 * p->count && 2 * own >= repeat->count;
}

/* Keeps a pattern that finds enough. */
static bool keep_pattern(pattern_finder *f, th__iepad_pattern p)
{
    th__arena *arena = &f->out->arena;
    th__pattern pattern = p.pattern;
    p.records = th__arena_keep(arena, p.records, p.count, sizeof *p.records);
    return p.records && th__pattern_turned(&pattern, 0, arena, &p.pattern) &&
           th__vec_push(&f->found, p);
}

static void step_pattern(pattern_finder *f, const char *name, const th__pattern *pattern,
                         uint32_t records)
{
    th__step step;
    th__buf text = {0};
    if (!f->options->trace)
        return;
    th__pattern_print(pattern, th__iepad_symbol_print, f->options->names, &text);
    th__step_begin(&step, f->options->trace, name, 2);
    if (records)
        th__step_uint(&step, "records", records);
    th__step_text(&step, "pattern", th__buf_str(&text));
    th__step_end(&step);
    th__buf_release(&text);
}

enum { MOST_ROWS = 50 }; /* records of a pattern that are shown aligned */

/* Tokens without a column go before the next one, each with "+" after it. */
static uint32_t add_extras(const pattern_finder *f, const uint32_t *symbols, uint32_t len,
                           const uint32_t *columns, uint32_t at, th__buf *row)
{
    for (; at < len && columns[at] == TH__NO_COLUMN; at++) {
        th__iepad_symbol_print(f->options->names, symbols[at], row);
        th__buf_add_byte(row, '+');
    }
    return at;
}

/* A record below its pattern: for each column the token that it has there, or "-". */
static bool step_row(pattern_finder *f, const th__pattern *pattern, uint32_t start, uint32_t len,
                     uint32_t *columns)
{
    const th__iepad_string *s = &f->string;
    const uint32_t *symbols = s->symbols + start;
    th__buf row = {0};
    th__step step;
    if (th__pattern_align(pattern, symbols, len, columns, NULL))
        return false;
    for (uint32_t column = 0, at = 0; column <= pattern->len; column++) {
        if (column && (column < pattern->len || at < len))
            th__buf_add_byte(&row, ' ');
        at = add_extras(f, symbols, len, columns, at, &row);
        if (at < len && columns[at] == column)
            th__iepad_symbol_print(f->options->names, symbols[at++], &row);
        else if (column < pattern->len)
            th__buf_add_byte(&row, '-');
    }
    th__step_begin(&step, f->options->trace, "record", 3);
    th__step_place(&step, (th_span){th_page_token_span(f->page, s->first[start]).start,
                                    th_page_token_span(f->page, s->last[start + len - 1]).end});
    th__step_text(&step, "row", th__buf_str(&row));
    th__step_end(&step);
    bool ok = !row.failed;
    th__buf_release(&row);
    return ok;
}

/* The alignment of the first records of a pattern: they are in f->ranges and f->places. */
static bool step_rows(pattern_finder *f, const th__pattern *pattern)
{
    const th__iepad_string *s = &f->string;
    bool ok = true;
    for (size_t i = 0; f->options->trace && ok && i < f->places.len && i < MOST_ROWS; i++) {
        uint32_t start = f->places.data[i], end = start;
        while (end < s->len && s->last[end] <= f->ranges.data[i].last)
            end++;
        uint32_t *columns = th__arena_alloc(&f->scratch, (end - start + 1) * sizeof *columns);
        ok = columns && step_row(f, pattern, start, end - start, columns);
    }
    return ok;
}

/* Adds a pattern to the answer when it is new and finds enough. */
static th_status add_pattern(pattern_finder *f, const th__iepad_repeat *repeat,
                             const th__pattern *pattern, th_error *err)
{
    th__iepad_pattern p = {.pattern = *pattern,
                           .variance = repeat->variance,
                           .density = repeat->density,
                           .tree = repeat->tree,
                           .element = repeat->end};
    th__matcher m;
    uint64_t hash = hash_pattern(pattern);
    if (!has_text(pattern) || th__key_map_get(&f->seen, hash))
        return TH_OK;
    bool ok = th__key_map_put(&f->seen, hash, 1) && th__matcher_init(&m, pattern, &f->scratch) &&
              match_records(f, &p, &m);
    if (ok && p.count >= f->options->paper.min_count &&
        (!repeat->tree || is_of_list(f, repeat, &p)))
        ok = keep_pattern(f, p);
    if (ok)
        step_pattern(f,
                     p.count < f->options->paper.min_count ? "too few records" : "record pattern",
                     pattern, p.count);
    if (ok && p.count >= f->options->paper.min_count)
        ok = step_rows(f, pattern);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Adds the pattern turned so that column `first` is its first. */
static th_status add_turned(pattern_finder *f, const th__iepad_repeat *repeat,
                            const th__pattern *pattern, uint32_t first, th_error *err)
{
    th__pattern turned;
    return th__pattern_turned(pattern, first, &f->scratch, &turned)
               ? add_pattern(f, repeat, &turned, err)
               : th__fail_memory(err);
}

/* The column with which tags balance: where the nesting is least deep; the first such. */
static uint32_t balanced_start(const th__pattern *pattern)
{
    int64_t depth = 0, least = 0;
    uint32_t best = 0, symbol;
    for (uint32_t i = 0; i < pattern->len; i++) {
        if (th__column_fixed(pattern, i, &symbol) && symbol != TH__IEPAD_TEXT &&
            !(th__tag_flags(th__iepad_symbol_tag(symbol)) & TH_TAG_IS_VOID))
            depth += symbol & 1 ? -1 : 1;
        if (depth < least) {
            least = depth;
            best = i + 1;
        }
    }
    return best % pattern->len;
}

static void step_candidate(pattern_finder *f, const th__iepad_repeat *repeat, const char *why)
{
    th__step step;
    th__step_begin(&step, f->options->trace, "candidate", 1);
    th__step_real(&step, "variance", repeat->variance);
    th__step_real(&step, "density", repeat->density);
    th__step_uints(&step, "at", repeat->at, repeat->count);
    if (why)
        th__step_text(&step, "left out", th_str_from(why));
    step_symbols(&step, "repeat", f->options->names, f->string.symbols + repeat->at[0],
                 repeat->len);
    th__step_end(&step);
}

/* Composes a candidate's pattern, and adds it with its rotations. */
static th_status add_candidate(pattern_finder *f, const th__iepad_repeat *repeat, th_error *err)
{
    const th__iepad_string *s = &f->string;
    th__pattern pattern;
    th__matcher m;
    uint32_t tops;
    bool found;
    th_status status =
        th__iepad_compose(s->symbols, repeat, f->options, &f->scratch, &pattern, &found, err);
    if (!status)
        step_candidate(f, repeat, found ? NULL : "too many mismatches");
    if (status || !found)
        return status;
    if (repeat->density < 1)
        step_pattern(f, "alignment", &pattern, 0);
    uint32_t right = th__iepad_turn_right(&pattern, s->symbols, repeat->at[0]), left = 0;
    uint32_t last = repeat->at[repeat->count - 1];
    if (!th__matcher_init(&m, &pattern, &f->scratch))
        return th__fail_memory(err);
    uint32_t len = th__matcher_longest(&m, s->symbols, s->len, last);
    if (len > 0)
        left = th__iepad_turn_left(&pattern, s->symbols, s->len, last + len);
    if (right)
        status = add_turned(f, repeat, &pattern, right, err);
    if (!status && left)
        status = add_turned(f, repeat, &pattern, left, err);
    if (!status && f->options->balance && !is_balanced(&pattern, &tops))
        status = add_turned(f, repeat, &pattern, balanced_start(&pattern), err);
    return status ? status : add_pattern(f, repeat, &pattern, err);
}

/* Composes the pattern of a list that the tree shows: it begins where its elements do. */
static th_status add_list(pattern_finder *f, const th__iepad_repeat *list, th_error *err)
{
    th__pattern pattern;
    bool found;
    th_status status =
        th__iepad_compose(f->string.symbols, list, f->options, &f->scratch, &pattern, &found, err);
    if (!status && found)
        status = add_pattern(f, list, &pattern, err);
    if (!status)
        status = compose(f->string.symbols, list, TH__IEPAD_MOST_RECORDS, f->options, &f->scratch,
                         &pattern, &found, err);
    return !status && found ? add_pattern(f, list, &pattern, err) : status;
}

/* Sums up the bytes of text, and those in links, before each symbol. */
static bool sum_text(pattern_finder *f)
{
    const th__iepad_string *s = &f->string;
    uint32_t text = 0, linked = 0, at = 0;
    bool in_link = false;
    f->text_before = th__arena_alloc(&f->arena, ((size_t)s->len + 1) * sizeof *f->text_before);
    f->links_before = th__arena_alloc(&f->arena, ((size_t)s->len + 1) * sizeof *f->links_before);
    if (!f->text_before || !f->links_before)
        return false;
    for (uint32_t i = 0; i <= s->len; i++) {
        f->text_before[i] = text;
        f->links_before[i] = linked;
        for (uint32_t end = i < s->len ? s->last[i] + 1 : 0; at < end; at++) {
            const th_token *token = &f->page->tokens[at];
            if (token->tag == TH_TAG_A)
                in_link = token->kind == TH_TOKEN_START;
            if (token->kind != TH_TOKEN_TEXT || at < s->first[i] || s->symbols[i] != TH__IEPAD_TEXT)
                continue;
            uint32_t len = (uint32_t)th__str_trim(th__token_text(f->page, at)).len;
            text += len;
            linked += in_link ? len : 0;
        }
    }
    return true;
}

/* Where a pattern's records are: identifies the list on other pages. */
static uint64_t find_home(const th_page *page, const th__iepad_pattern *pattern)
{
    uint32_t parent = common_parent(page, pattern), symbol = 0;
    uint64_t hash = 0;
    for (uint32_t id = page->nodes[parent].path; id; id = page->paths[id].parent)
        hash = th__hash_mix(hash, page->paths[id].tag);
    th__column_fixed(&pattern->pattern, 0, &symbol);
    return th__hash_mix(hash, symbol);
}

/* Orders the answer and writes the patterns out. */
static bool finish(pattern_finder *f)
{
    th__iepad_result *out = f->out;
    out->count = (uint32_t)f->found.len;
    out->patterns = th__arena_keep(&out->arena, f->found.data, out->count, sizeof *out->patterns);
    if (!out->patterns)
        return false;
    put_in_order(out);
    th__buf text = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < out->count; i++) {
        th__iepad_pattern *p = &out->patterns[i];
        th__buf_clear(&text);
        ok = th__iepad_names_of(f->page, &p->pattern, &out->arena, &out->names);
        th__pattern_print(&p->pattern, th__iepad_symbol_print, out->names, &text);
        p->text = th__arena_copy(&out->arena, th__buf_str(&text));
        p->home = find_home(f->page, p);
        ok = ok && !text.failed && p->text.ptr;
    }
    th__buf_release(&text);
    return ok;
}

/* Each candidate is looked for on the whole page. On a large page fewer are tried: a list that is
 * worth finding there covers much of it and comes early. */
static size_t candidates_for(uint32_t len)
{
    enum { WORK = 1 << 24, LEAST = 16 };
    size_t most = WORK / ((size_t)len + 1);
    return most < LEAST ? LEAST : most;
}

/* Patterns of what is side by side in the tree. */
static th_status add_siblings(pattern_finder *f, th_error *err)
{
    th__iepad_repeats lists = {0};
    size_t most = candidates_for(f->string.len);
    th__iepad_options own = *f->options;
    const th__iepad_options *were = f->options;
    own.paper.max_mismatch = 1; /* the tree confirms them */
    own.firm = false;
    f->options = &own;
    th_status status = find_siblings(f->page, &f->string, f->options, &f->arena, &lists)
                           ? TH_OK
                           : th__fail_memory(err);
    for (size_t i = 0; !status && i < lists.len && i < most; i++) {
        th__arena_clear(&f->scratch);
        status = add_list(f, &lists.data[i], err);
    }
    f->options = were;
    th__vec_release(&lists);
    return status;
}

/* Table 2: what each encoding makes of the page; and the string that is searched. */
static bool step_encodings(pattern_finder *f)
{
    th__iepad_options *o = &f->out->options;
    th__step step;
    bool ok = true;
    for (uint32_t i = 0; ok && o->trace && i < TH__IEPAD_SCHEME_COUNT; i++) {
        th__iepad_encoding encoding = {(th__iepad_scheme)i, o->skip_hidden, o->media_as_text};
        th__iepad_string s;
        ok = th__iepad_encode(f->page, &encoding, 0, f->page->token_count, &f->arena, &s);
        th__step_begin(&step, o->trace, "encoding", 1);
        th__step_text(&step, "scheme", th_str_from(th__iepad_scheme_names[i]));
        th__step_uint(&step, "tokens", ok ? s.len : 0);
        if (f->page->text.len)
            th__step_real(&step, "percent of bytes",
                          100.0 * (ok ? s.len : 0) / (double)f->page->text.len);
        th__step_end(&step);
    }
    for (uint32_t i = 0; ok && o->trace && i < f->string.len; i++)
        if (f->string.symbols[i] != TH__IEPAD_TEXT)
            ok = th__iepad_names_add(&f->arena, &o->names,
                                     th__iepad_symbol_tag(f->string.symbols[i]),
                                     th_token_name(f->page, f->string.first[i]));
    if (ok && o->trace) {
        th__step_begin(&step, o->trace, "token string", 1);
        step_symbols(&step, "tokens", o->names, f->string.symbols, f->string.len);
        th__step_end(&step);
    }
    return ok;
}

static th_status search(pattern_finder *f, th_error *err)
{
    const th__iepad_options *o = f->options;
    th__iepad_encoding encoding = {o->scheme, o->skip_hidden, o->media_as_text};
    th__iepad_repeats repeats = {0};
    if (!th__iepad_encode(f->page, &encoding, 0, f->page->token_count, &f->out->arena,
                          &f->string) ||
        !sum_text(f) || !step_encodings(f))
        return th__fail_memory(err);
    f->out->string = f->string;
    th_status status =
        th__iepad_discover(f->string.symbols, f->string.len, o, &f->arena, &repeats, err);
    size_t most = candidates_for(f->string.len);
    for (size_t i = 0; !status && i < repeats.len && i < most; i++) {
        th__arena_clear(&f->scratch);
        status = add_candidate(f, &repeats.data[i], err);
    }
    th__vec_release(&repeats);
    if (!status && o->siblings)
        status = add_siblings(f, err);
    return status || finish(f) ? status : th__fail_memory(err);
}

th_status th__iepad_find(const th_page *page, const th__iepad_options *options,
                         th__iepad_result *out, th_error *err)
{
    *out = (th__iepad_result){0};
    th__arena_init(&out->arena);
    if (options)
        out->options = *options;
    else
        th__iepad_options_init(&out->options, false);
    pattern_finder f = {.page = page, .options = &out->options, .out = out};
    th__arena_init(&f.arena);
    th__arena_init(&f.scratch);
    th_status status = search(&f, err);
    th__vec_release(&f.ranges);
    th__vec_release(&f.places);
    out->options.names = NULL; /* they go with the search */
    th__vec_release(&f.found);
    th__key_map_release(&f.seen);
    th__arena_release(&f.arena);
    th__arena_release(&f.scratch);
    if (status)
        th__iepad_result_release(out);
    return status;
}
