/*
 * page_kind.c: are pages of one template lists of records, or one record each?
 *
 * Each is an explanation of the same pages. Both know the template: its paths, and the texts that
 * most pages have at the same place, which cost nothing more. What differs between the pages is
 * data, and it is told in bits: log2(1 + n) for a text of n letters. An explanation is as good as
 * the bits are few that it has no place for:
 *
 *     lists of records    has a place for what is in the rows of the page's main list
 *     one record per page has a place for what is at a place of the page
 *
 * Rows that are told by a text that each page has once ("Publisher", "ISBN") are places of a page,
 * however much their markup looks like that of a list. Texts in other lists (facets, what others
 * bought) speak for neither. Rows that lead nowhere count for a quarter: they are mostly parts of
 * one thing, paragraphs and features, where records of a list lead to pages of their own. Rows of a
 * short list count for a third: pages mention a handful of others beside what they are about.
 *
 * With three pages of a site, 87 of 90 with lists and 38 of 40 with details are told right, and
 * with twelve of a site 39 of 40 (bench/kinds.py). What goes wrong are details with more links than
 * data, and lists with half of their data outside rows.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_groups.h"
#include "index/view.h"
#include "learn/learn.h"

enum {
    KIND_PAGES = 32, /* looked at; more would not tell more */
    KIND_LISTS = 10, /* of a page */
    KIND_ROWS = 5    /* a list with fewer is short */
};

/* A text that more than this share of the pages have at the same place is the template's. */
#define KIND_TEMPLATE 0.5
/* The main list is the first of a page with so much data in it: one without is a menu. */
#define KIND_DATA 0.1
/* A row with so much text that each page has once is a place of the page. */
#define KIND_TIED 0.15
/* What rows of short lists count. */
#define KIND_SHORT (1 / 3.0)
/* What rows count that lead nowhere. */
#define KIND_UNLINKED 0.25
/* Lists are believed when they leave so much less unexplained: rows in a record lose nothing,
 * while a list loses what is around it. The more pages of one template somebody has, the more
 * likely they are details, of which a site has many where it has few lists: beyond three pages the
 * margin grows with their number. */
#define KIND_MARGIN 1.25
#define KIND_FEW    3.0

/* What speaks for a text: a later one counts. */
enum { OF_PAGE, IN_OTHER_LIST, IN_SHORT_LIST, IN_MAIN_LIST };

typedef struct text_at {
    uint64_t words; /* path and letters */
    uint32_t page, start;
    float bits;
    uint8_t where;
    bool linked;
    bool same; /* on most pages: the template's */
    bool once; /* and once on each */
    bool word; /* has letters: numbers repeat by chance, and are no labels */
} text_at;

typedef struct row_at {
    uint32_t page, list; /* the list's rank on its page */
    uint32_t from, to;   /* texts */
    bool tied;
} row_at;

typedef struct measure {
    uint32_t pages;
    TH__VEC(text_at) texts; /* in the order of pages and source */
    TH__VEC(row_at) rows;   /* by page */
} measure;

/* ---- what is on the pages -------------------------------------------------------------------- */

static bool has_letters(const th_page *page, const th__leaf *leaf)
{
    th_str text = th__token_text(page, leaf->token);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80 || th__is_alpha((unsigned char)text.ptr[i]))
            return true;
    return false;
}

static bool add_texts(measure *m, const th__view *view, uint32_t page)
{
    for (uint32_t i = 0; i < view->leaves.count; i++) {
        const th__leaf *leaf = &view->leaves.data[i];
        text_at text = {.words = th__hash_mix(view->sum[leaf->node], leaf->hash),
                        .page = page,
                        .start = th__leaf_span(view->page, leaf).start,
                        .bits = view->weight[i],
                        .linked = leaf->linked,
                        .word = has_letters(view->page, leaf)};
        if (!th__vec_push(&m->texts, text))
            return false;
    }
    return true;
}

/* The first text of the page at or behind a byte. */
static uint32_t text_from(const measure *m, uint32_t first, uint32_t byte)
{
    uint32_t from = first, to = (uint32_t)m->texts.len;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (m->texts.data[middle].start < byte)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* `first`: the first text of this page, which is the last so far. */
static bool add_rows(measure *m, const th_page *page, const th__extents *records, row_at row,
                     uint32_t first)
{
    for (uint32_t r = 0; r < records->count; r++) {
        uint32_t extent = th__extents_first(records, r);
        uint32_t last = th__extents_first(records, r + 1) - 1;
        row.from = text_from(m, first, page->tokens[records->data[extent].token].start);
        row.to = text_from(m, first, page->tokens[records->data[last].token_end].start);
        if (!th__vec_push(&m->rows, row))
            return false;
    }
    return true;
}

/* What columns the lists have is not asked for: that would be most of the work. */
static bool add_page(measure *m, const th_page *page, uint32_t index)
{
    th__arena arena;
    th__view view;
    th__lists_region *lists;
    uint32_t first = (uint32_t)m->texts.len, count = 0;
    th__arena_init(&arena);
    bool ok = th__view_make(&arena, page, &view) && add_texts(m, &view, index) &&
              th__lists_regions_find(&arena, &view, KIND_LISTS, &lists, &count);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_rows(m, page, &lists[i].list, (row_at){.page = index, .list = i}, first);
    th__arena_release(&arena);
    return ok;
}

/* ---- what the pages have in common ----------------------------------------------------------- */

static int by_words(const void *a, const void *b)
{
    const text_at *x = *(text_at *const *)a, *y = *(text_at *const *)b;
    if (x->words != y->words)
        return x->words < y->words ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool find_template(measure *m)
{
    text_at **order = TH__NEW_ARRAY(text_at *, m->texts.len);
    if (!order)
        return false;
    for (size_t i = 0; i < m->texts.len; i++)
        order[i] = &m->texts.data[i];
    qsort(order, m->texts.len, sizeof *order, by_words);
    for (size_t from = 0, to; from < m->texts.len; from = to) {
        uint32_t pages = 0;
        for (to = from; to < m->texts.len && order[to]->words == order[from]->words; to++)
            pages += to == from || order[to]->page != order[to - 1]->page;
        bool same = pages > KIND_TEMPLATE * m->pages;
        for (size_t i = from; i < to; i++) {
            order[i]->same = same;
            order[i]->once = same && 2 * (to - from) <= 3 * pages; /* but for slips */
        }
    }
    th__mem_free(order);
    return true;
}

static void tie_rows(measure *m)
{
    for (size_t r = 0; r < m->rows.len; r++) {
        row_at *row = &m->rows.data[r];
        double all = 0, once = 0;
        for (uint32_t i = row->from; i < row->to; i++) {
            all += m->texts.data[i].bits;
            once += m->texts.data[i].once && m->texts.data[i].word ? m->texts.data[i].bits : 0;
        }
        row->tied = once >= KIND_TIED * all;
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The rows of a page begin at `from`: where do they end, which list is the main one, and is it
 * short. */
static size_t main_list(const measure *m, size_t from, uint32_t *list, bool *is_short)
{
    double data[KIND_LISTS] = {0}, all[KIND_LISTS] = {0};
    uint32_t rows[KIND_LISTS + 1] = {0};
    size_t to = from;
    for (; to < m->rows.len && m->rows.data[to].page == m->rows.data[from].page; to++) {
        const row_at *row = &m->rows.data[to];
        rows[row->list]++;
        for (uint32_t i = row->from; i < row->to; i++) {
            all[row->list] += m->texts.data[i].bits;
            data[row->list] += m->texts.data[i].same ? 0 : m->texts.data[i].bits;
        }
    }
    for (*list = 0; *list < KIND_LISTS; ++*list)
        if (data[*list] > 0 && data[*list] >= KIND_DATA * all[*list])
            break;
    *is_short = rows[*list] < KIND_ROWS;
    return to;
}

static bool leads_somewhere(const measure *m, const row_at *row)
{
    for (uint32_t i = row->from; i < row->to; i++)
        if (m->texts.data[i].linked && !m->texts.data[i].same)
            return true;
    return false;
}

static void mark_rows(measure *m, th_kind *out)
{
    uint32_t main = 0;
    size_t linked = 0;
    bool is_short = false;
    for (size_t from = 0, to; from < m->rows.len; from = to) {
        to = main_list(m, from, &main, &is_short);
        const uint8_t in_main = is_short ? IN_SHORT_LIST : IN_MAIN_LIST;
        for (size_t r = from; r < to; r++) {
            const row_at *row = &m->rows.data[r];
            uint8_t where = row->list == main ? in_main : IN_OTHER_LIST;
            if (row->tied)
                continue;
            out->rows += row->list == main;
            linked += row->list == main && leads_somewhere(m, row);
            for (uint32_t i = row->from; i < row->to; i++)
                if (m->texts.data[i].where < where)
                    m->texts.data[i].where = where;
        }
    }
    out->linked = out->rows ? (double)linked / (double)out->rows : 0;
}

static void weigh(const measure *m, th_kind *out)
{
    double bits[IN_MAIN_LIST + 1] = {0};
    for (size_t i = 0; i < m->texts.len; i++)
        if (!m->texts.data[i].same)
            bits[m->texts.data[i].where] += m->texts.data[i].bits;
    out->list_bits = bits[IN_MAIN_LIST] + bits[IN_SHORT_LIST];
    out->page_bits = bits[OF_PAGE];
    double rows = (bits[IN_MAIN_LIST] + KIND_SHORT * bits[IN_SHORT_LIST]) *
                  (KIND_UNLINKED + (1 - KIND_UNLINKED) * out->linked);
    double margin = KIND_MARGIN * fmax(1, m->pages / KIND_FEW);
    /* Pages that do not differ say nothing: a list is what one page alone would give. */
    out->lists = rows > margin * out->page_bits || rows + out->page_bits + bits[IN_OTHER_LIST] == 0;
}

th_status th__pages_kind(const th_page *const *pages, size_t count, const th_cancel *cancel,
                         th_kind *out, th_error *err)
{
    measure m = {.pages = (uint32_t)(count < KIND_PAGES ? count : KIND_PAGES)};
    th_status status = TH_OK;
    *out = (th_kind){.pages = m.pages};
    for (uint32_t i = 0; !status && i < m.pages; i++) {
        status = th__cancel_check(cancel, err);
        if (!status && !add_page(&m, pages[i], i))
            status = th__fail_memory(err);
    }
    if (!status && !find_template(&m))
        status = th__fail_memory(err);
    if (!status) {
        tie_rows(&m);
        mark_rows(&m, out);
        weigh(&m, out);
    }
    th__vec_release(&m.rows);
    th__vec_release(&m.texts);
    return status;
}
