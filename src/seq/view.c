/* view.c: signatures and keys. */
#include "seq/view.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"

/* Odd, so that it has an inverse modulo 2^64. */
#define KEY_BASE UINT64_C(0x9E3779B97F4A7C15)

/* Newton's iteration: each step doubles the number of right bits. */
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The first class name, each run of digits as one sign: siblings are often numbered. */
static uint64_t class_hash(th_str classes)
{
    uint64_t hash = 0;
    classes = th__str_trim(classes);
    for (size_t i = 0; i < classes.len && !th__is_blank((unsigned char)classes.ptr[i]); i++) {
        unsigned char c = (unsigned char)classes.ptr[i];
        if (th__is_digit(c)) {
            if (i && th__is_digit((unsigned char)classes.ptr[i - 1]))
                continue;
            c = '#';
        }
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static void look_at_nodes(th__view *view, const uint64_t *power)
{
    const th_page *page = view->page;
    view->signature[0] = 0;
    view->sum[0] = 0;
    for (uint32_t n = 1; n < page->node_count; n++) {
        const th_node *node = &page->nodes[n];
        th_str classes = {0};
        th_attr_get(page, node->token, "class", &classes);
        uint64_t hash = th__hash_mix(page->tags[n], class_hash(classes));
        view->signature[n] = (uint32_t)hash;
        view->sum[n] = view->sum[node->parent] + (hash | 1) * power[th__view_depth(view, n)];
    }
}

bool th__view_make(th__arena *arena, const th_page *page, th__view *out)
{
    *out = (th__view){.page = page};
    if (!th__leaves_find(arena, page, &out->leaves))
        return false;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < page->path_count; i++)
        deepest = page->paths[i].depth > deepest ? page->paths[i].depth : deepest;
    uint64_t *power = th__arena_alloc(arena, (deepest + 1) * sizeof *power);
    out->inverse = th__arena_alloc(arena, (deepest + 1) * sizeof *out->inverse);
    out->signature = th__arena_alloc(arena, page->node_count * sizeof *out->signature);
    out->sum = th__arena_alloc(arena, page->node_count * sizeof *out->sum);
    out->weight = th__arena_alloc(arena, (out->leaves.count + 1) * sizeof *out->weight);
    if (!power || !out->inverse || !out->signature || !out->sum || !out->weight)
        return false;
    uint64_t inverse = inverse_of(KEY_BASE);
    power[0] = out->inverse[0] = 1;
    for (uint32_t d = 1; d <= deepest; d++) {
        power[d] = power[d - 1] * KEY_BASE;
        out->inverse[d] = out->inverse[d - 1] * inverse;
    }
    look_at_nodes(out, power);
    for (uint32_t i = 0; i < out->leaves.count; i++)
        out->weight[i] = log2f(1.0f + (float)out->leaves.data[i].len);
    return true;
}

bool th__view_add_keys(const th__view *view, uint32_t node, th__key_vec *keys)
{
    const th_node *n = &view->page->nodes[node];
    uint32_t leaf = view->leaves.before[n->token], end = view->leaves.before[n->token_end];
    for (; leaf < end; leaf++) {
        uint32_t holder = view->leaves.data[leaf].node;
        if (holder >= node && !th__vec_push(keys, th__view_key(view, node, holder)))
            return false;
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

void th__key_vec_sort(th__key_vec *keys)
{
    size_t kept = 0;
    if (keys->len)
        qsort(keys->data, keys->len, sizeof *keys->data, by_key);
    for (size_t i = 0; i < keys->len; i++)
        if (i == 0 || keys->data[i] != keys->data[i - 1])
            keys->data[kept++] = keys->data[i];
    keys->len = kept;
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
