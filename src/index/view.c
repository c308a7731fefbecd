/* view.c: signatures and keys. */
#include "index/view.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "page/attrs.h"
#include "page/tags.h"
#include "index/tables.h"
#include "index/tag_memo.h"

/* Newton's iteration: each step doubles the number of right bits. */
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The next sign of a class name, each run of digits as one '#': siblings are often numbered. 0 at
 * the end of the name. */
static inline unsigned char class_sign(th_str classes, size_t *at)
{
    while (*at < classes.len) {
        size_t i = (*at)++;
        unsigned char c = (unsigned char)classes.ptr[i];
        if (th__is_blank(c) || !c)
            break;
        if (!th__is_digit(c))
            return c;
        if (i == 0 || !th__is_digit((unsigned char)classes.ptr[i - 1]))
            return '#';
    }
    return 0;
}

/* Returns true if none of eight bytes is a digit or the "#" for some, a blank or a control
 * character. */
static inline bool is_plain8(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t digit = eight ^ ones * '0'; /* 0 to 9 */
    uint64_t sign = eight ^ ones * '#';
    uint64_t digits = ~(((digit & ~tops) + ones * (0x80 - 10)) | digit);
    return !((((eight - ones * 0x21) & ~eight) | ((sign - ones) & ~sign) | digits) & tops);
}

/* Of the first class name. */
uint64_t th__class_hash(th_str classes)
{
    uint64_t hash = 0, eight;
    size_t at = 0;
    while (classes.len && th__is_blank((unsigned char)classes.ptr[0]))
        classes.ptr++, classes.len--;
    for (; classes.len - at >= 8; at += 8) {
        memcpy(&eight, classes.ptr + at, 8);
        if (!is_plain8(eight))
            break;
        hash = th__hash_mix(hash, eight);
    }
    for (unsigned char c; (c = class_sign(classes, &at));)
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    return hash;
}

uint64_t th__element_hash(uint16_t tag, th_str classes)
{
    return th__hash_mix(tag, th__class_hash(classes));
}

uint64_t th__node_hash(const th_page *page, uint32_t node)
{
    th_str classes = {0};
    th__attr_get(page, page->nodes[node].token, TH_STR("class"), &classes);
    return th__element_hash(page->tags[node], classes);
}

/* The hash of the second cell of a row differs from that of the first. */
static uint64_t cell_hash(uint64_t hash, uint32_t cell)
{
    return cell > 1 ? th__hash_mix(hash, cell) : hash;
}

/* What a step adds to a key, from its hash. */
static uint64_t step_term(uint64_t hash)
{
    return hash | 1;
}

/* Numbers the cells of a row among those of their signature, since they differ by nothing else.
 * `sum` has the hashes of their steps. */
static void number_cells(const th__view *view, uint32_t row)
{
    enum { KINDS = 16 }; /* cells of further kinds differ by their class */
    struct {
        uint32_t signature, count;
    } kinds[KINDS];
    const th_page *page = view->page;
    uint32_t known = 0;
    for (uint32_t n = row + 1; n < page->nodes[row].end; n = page->nodes[n].end) {
        uint32_t kind = 0;
        while (kind < known && kinds[kind].signature != view->signature[n])
            kind++;
        if (kind == KINDS)
            continue;
        if (kind == known) {
            kinds[known].signature = view->signature[n];
            kinds[known++].count = 0;
        }
        view->sum[n] = cell_hash(view->sum[n], ++kinds[kind].count);
    }
}

/* The number of a cell in its row, as number_cells has it. */
static uint32_t cell_number(const th_page *page, uint32_t node)
{
    uint32_t row = page->nodes[node].parent, number = 1;
    if (page->tags[row] != TH_TAG_TR)
        return 1;
    uint64_t kind = th__node_hash(page, node);
    for (uint32_t n = row + 1; n < node; n = page->nodes[n].end)
        number += th__node_hash(page, n) == kind;
    return number;
}

static void add_up(th__view *view, const uint64_t *power, uint32_t node, uint64_t hash)
{
    view->sum[node] = view->sum[view->page->nodes[node].parent] +
                      step_term(hash) * power[th__view_depth(view, node)];
}

/* Signs an element and those around it. Recursion is as deep as the tree, which has a limit. */
static void look_around(th__view *view, const uint64_t *power, uint32_t node)
{
    const th_page *page = view->page;
    if (!node || view->sum[node])
        return;
    look_around(view, power, page->nodes[node].parent);
    uint64_t hash = th__node_hash(page, node);
    view->signature[node] = th__step_signature(hash);
    add_up(view, power, node, cell_hash(hash, cell_number(page, node)));
}

/* The nodes in an element, itself included; or those of the whole page. */
static uint32_t top_first(uint32_t top)
{
    return top ? top : 1;
}

static void look_at_nodes(th__view *view, const uint64_t *power, th__tops tops)
{
    const th_page *page = view->page;
    th__tag_memo memo = {0};
    for (size_t i = 0; i < tops.count; i++) {
        look_around(view, power, page->nodes[tops.nodes[i]].parent);
        for (uint32_t n = top_first(tops.nodes[i]); n < page->nodes[tops.nodes[i]].end; n++) {
            uint32_t like = th__tag_memo_find(&memo, page, n);
            view->sum[n] = like ? view->sum[like] : th__node_hash(page, n);
            view->signature[n] = th__step_signature(view->sum[n]);
        }
    }
    for (size_t i = 0; i < tops.count; i++)
        for (uint32_t n = top_first(tops.nodes[i]); n < page->nodes[tops.nodes[i]].end; n++) {
            if (page->tags[n] == TH_TAG_TR)
                number_cells(view, n);
            add_up(view, power, n, view->sum[n]);
        }
}

bool th__key_powers(th__arena *arena, const th_page *page, uint64_t **power, uint64_t **inverse)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < page->path_count; i++)
        deepest = page->paths[i].depth > deepest ? page->paths[i].depth : deepest;
    *power = th__arena_alloc(arena, (deepest + 1) * sizeof **power);
    *inverse = th__arena_alloc(arena, (deepest + 1) * sizeof **inverse);
    if (!*power || !*inverse)
        return false;
    uint64_t base_inverse = inverse_of(TH__KEY_BASE);
    (*power)[0] = (*inverse)[0] = 1;
    for (uint32_t d = 1; d <= deepest; d++) {
        (*power)[d] = (*power)[d - 1] * TH__KEY_BASE;
        (*inverse)[d] = (*inverse)[d - 1] * base_inverse;
    }
    return true;
}

/* How much work was done on pages: for tests that hold how often a job may do it. */
static atomic_ullong views;

uint64_t th__view_work(void)
{
    return atomic_load_explicit(&views, memory_order_relaxed);
}

static bool make_view(th__arena *arena, const th_page *page, th__tops tops, bool plain,
                      th__view *out)
{
    uint64_t *power;
    atomic_fetch_add_explicit(&views, 1, memory_order_relaxed);
    *out = (th__view){.page = page};
    if (!th__leaves_find(arena, page, tops, plain, &out->leaves) ||
        !th__key_powers(arena, page, &power, &out->inverse))
        return false;
    out->signature = th__arena_zero(arena, page->node_count, sizeof *out->signature);
    out->sum = th__arena_zero(arena, page->node_count, sizeof *out->sum);
    if (!out->signature || !out->sum)
        return false;
    look_at_nodes(out, power, tops);
    if (!plain)
        out->weight = th__arena_alloc(arena, (out->leaves.count + 1) * sizeof *out->weight);
    if (!plain && !out->weight)
        return false;
    for (uint32_t i = 0; !plain && i < out->leaves.count; i++)
        out->weight[i] = log2f(1.0f + (float)out->leaves.data[i].len);
    return th__tables_find(arena, out, tops, &out->tables);
}

static const th__tops whole_page = {(const uint32_t[]){0}, 1};

static void *make_kept(th__arena *arena, const th_page *page, const void *context)
{
    th__view *view = th__arena_zero(arena, 1, sizeof *view);
    return view && make_view(arena, page, whole_page, false, view) ? view : NULL;
}

bool th__view_make(th__arena *arena, const th_page *page, th__view *out)
{
    if (!th__page_keeps(page))
        return make_view(arena, page, whole_page, false, out);
    const th__view *kept = th__page_keep(page, TH__KEPT_VIEW, make_kept, NULL);
    if (kept)
        *out = *kept;
    return kept != NULL;
}

/* Returns true if an element is in one whose text is not shown. */
static bool is_hidden(const th_page *page, uint32_t node)
{
    for (; node; node = page->nodes[node].parent)
        if (th__tag_hides(page->tags[node]) ||
            page->tokens[page->nodes[node].token].flags & TH_TOKEN_FOREIGN)
            return true;
    return false;
}

/* The element to look at for all that there is to see of another one: its text may flow in an
 * element around it, and its cells may be those of a table. */
static uint32_t top_around(const th_page *page, uint32_t node)
{
    uint32_t table = node;
    while (table && page->tags[table] != TH_TAG_TABLE)
        table = page->nodes[table].parent;
    return table ? table : th__leaf_block(page, node);
}

bool th__view_make_within(th__arena *arena, const th_page *page, th__tops nodes, th__view *out)
{
    if (th__page_keeps(page))
        return th__view_make(arena, page, out);
    uint32_t *tops = th__arena_alloc(arena, (nodes.count + 1) * sizeof *tops);
    size_t count = 0;
    for (size_t i = 0; tops && i < nodes.count; i++) {
        uint32_t top = top_around(page, nodes.nodes[i]);
        if (is_hidden(page, top))
            top = 0; /* what is shown of it takes a look at all that is before */
        while (count && tops[count - 1] >= top)
            count--;
        if (!count || page->nodes[tops[count - 1]].end <= top)
            tops[count++] = top;
    }
    return tops && make_view(arena, page, (th__tops){tops, count}, true, out);
}

/* ---- paths as people read them --------------------------------------------------------------- */

bool th__class_write(th_str classes, th__buf *out)
{
    size_t at = 0;
    classes = th__str_trim(classes);
    for (unsigned char c; (c = class_sign(classes, &at));)
        th__buf_add_byte(out, (char)c);
    return !out->failed;
}

bool th__tag_write(const th_page *page, uint32_t token, th__buf *out)
{
    th_str name = th__tag_counted(th_token_name(page, token));
    for (size_t i = 0; i < name.len; i++) {
        /* A point begins the class, and a bracket ends the number of a cell. */
        if (name.ptr[i] == '.' || name.ptr[i] == '\\' || name.ptr[i] == ']')
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
    return !out->failed;
}

static bool write_tag(const th_page *page, uint32_t node, th__buf *out)
{
    return th__tag_write(page, page->nodes[node].token, out);
}

bool th__class_step_write(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t token = page->nodes[node].token;
    th_str classes = {0};
    write_tag(page, node, out);
    th_attr_get(page, token, "class", &classes);
    size_t dot = out->len;
    th__buf_add_byte(out, '.');
    if (th__class_write(classes, out) && out->len == dot + 1)
        out->len = dot;
    return !out->failed;
}

bool th__step_write(const th_page *page, uint32_t node, th__buf *out)
{
    th__class_step_write(page, node, out);
    uint32_t number = cell_number(page, node);
    if (number > 1)
        th__buf_printf(out, "[%u]", number);
    return !out->failed;
}

/* Takes the number off a step: "td[2]" becomes "td", 2. No class ends so: digits in it are '#'. */
static uint32_t cut_number(th_str *step)
{
    size_t at = step->len;
    uint32_t number = 0;
    if (at < 4 || step->ptr[--at] != ']')
        return 0;
    while (at && th__is_digit((unsigned char)step->ptr[at - 1]))
        at--;
    if (at + 1 == step->len || !at || step->ptr[at - 1] != '[' || step->len - at > 9)
        return 0;
    for (size_t i = at; i + 1 < step->len; i++)
        number = 10 * number + (uint32_t)(step->ptr[i] - '0');
    step->len = at - 1;
    return number;
}

uint64_t th__step_hash(th_str step, uint16_t *tag)
{
    char name[TH__TAG_LONGEST + 1]; /* and the byte that shows whether a character ends there */
    size_t len = 0, at = 0;
    cut_number(&step);
    for (; at < step.len && step.ptr[at] != '.'; at++) {
        if (step.ptr[at] == '\\' && at + 1 < step.len)
            at++;
        if (len < sizeof name)
            name[len++] = step.ptr[at];
    }
    *tag = th_tag_id((th_str){name, len});
    at += at < step.len;
    return th__element_hash(*tag, (th_str){step.ptr + at, step.len - at});
}

static bool write_path(const th_page *page, uint32_t top, uint32_t node, th__buf *out,
                       bool (*write)(const th_page *page, uint32_t node, th__buf *out))
{
    TH__VEC(uint32_t) steps = {0};
    bool ok = true;
    for (; ok && node > top; node = page->nodes[node].parent)
        ok = th__vec_push(&steps, node);
    while (ok && steps.len--) {
        ok = write(page, steps.data[steps.len], out);
        if (steps.len)
            th__buf_add_str(out, TH_STR(" > "));
    }
    th__vec_release(&steps);
    return ok && !out->failed;
}

bool th__path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out)
{
    return write_path(page, top, node, out, th__step_write);
}

bool th__class_path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out)
{
    return write_path(page, top, node, out, th__class_step_write);
}

bool th__tag_path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out)
{
    return write_path(page, top, node, out, write_tag);
}

bool th__path_next(th_str *rest, th_str *step, bool *bad)
{
    size_t len = 0;
    *bad = false;
    if (!rest->len)
        return false;
    while (len < rest->len && rest->ptr[len] != ' ')
        len++;
    *step = (th_str){rest->ptr, len};
    bool last = len == rest->len;
    /* Tag names begin with a letter; a path does not end with a separator. */
    *bad = !len || !th__is_alpha((unsigned char)rest->ptr[0]) ||
           (!last && (rest->len < len + 4 || memcmp(rest->ptr + len, " > ", 3)));
    size_t used = *bad || last ? rest->len : len + 3;
    *rest = (th_str){rest->ptr + used, rest->len - used};
    return !*bad;
}

bool th__path_keys(th_str path, uint64_t *key, uint64_t *tags)
{
    uint64_t power = 1;
    th_str step;
    bool bad;
    *key = 0;
    *tags = 0;
    while (th__path_next(&path, &step, &bad)) {
        uint16_t tag;
        power *= TH__KEY_BASE;
        uint32_t number = cut_number(&step);
        *key += step_term(cell_hash(th__step_hash(step, &tag), number)) * power;
        *tags = th__hash_mix(*tags, tag);
    }
    return !bad;
}

enum { FEW_KEYS = 24 }; /* most records have fewer */

static void sort_few(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Quicksort by the median of three, without the call for each comparison that qsort makes. Keys are
 * hashes, so halves are halves; where they are not, `depth` runs out and qsort does the rest. */
static void sort_keys(uint64_t *keys, size_t count, unsigned depth)
{
    while (count > FEW_KEYS && depth--) {
        uint64_t a = keys[0], b = keys[count / 2], c = keys[count - 1];
        uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t low = 0, high = count - 1;
        for (;;) { /* the keys before low are at most the pivot, those behind high at least */
            while (keys[low] < pivot)
                low++;
            while (keys[high] > pivot)
                high--;
            if (low >= high)
                break;
            uint64_t swapped = keys[low];
            keys[low++] = keys[high];
            keys[high--] = swapped;
        }
        size_t left = high + 1;
        sort_keys(keys + left, count - left, depth);
        count = left;
    }
    if (count > FEW_KEYS)
        qsort(keys, count, sizeof *keys, th__by_number);
    else
        sort_few(keys, count);
}

void th__key_vec_sort(th__key_vec *keys)
{
    enum { DEPTH = 64 };
    size_t kept = 0;
    sort_keys(keys->data, keys->len, DEPTH);
    for (size_t i = 0; i < keys->len; i++)
        if (i == 0 || keys->data[i] != keys->data[i - 1])
            keys->data[kept++] = keys->data[i];
    keys->len = kept;
}

size_t th__key_vec_find(const th__key_vec *keys, uint64_t key)
{
    size_t low = 0, high = keys->len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (keys->data[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < keys->len && keys->data[low] == key ? low : SIZE_MAX;
}

size_t th__key_vec_common(const th__key_vec *a, const th__key_vec *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->len && j < b->len) {
        common += a->data[i] == b->data[j];
        if (a->data[i] <= b->data[j])
            i++;
        else
            j++;
    }
    return common;
}
