/* stalker_unshown.c: what no labelled page shows. See stalker_unshown.h. */
#include "engine/papers/stalker/stalker_unshown.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/vec.h"
#include "page/page.h"
#include "page/text.h"
#include "index/view.h"

/* A unit of text of a page: where it stands, and what it reads. */
struct sight {
    uint64_t place, text; /* text: 0 where places alone count */
    uint32_t page, unit;
    bool labelled;
};

typedef TH__VEC(struct sight) sight_vec;

/* The element whose text a unit is, markup of single words left out. */
static uint32_t block_of(const th__stalker_map *map, uint32_t node)
{
    const th_page *page = map->page;
    for (uint32_t up; node && map->plain[node] && !map->mark[node]; node = up) {
        up = page->nodes[node].parent;
        bool bare = th__stalker_key(map, false, up, node) == th__stalker_key(map, true, up, node);
        if (!bare || !th__stalker_is_phrasing(page->tags[node]))
            break;
    }
    return node;
}

/* The path of a node below the nearest mark, or below the root; labels and values may differ by the
 * cell of their row alone. */
static uint64_t place_of(const th__stalker_map *map, uint32_t node)
{
    uint32_t top = map->marked[node];
    uint64_t place = th__hash_mix(top ? map->mark[top] : 0, th__stalker_key(map, false, top, node));
    return th__hash_mix(place, th__cell_of(map->page, 0, node));
}

static bool gather(th__stalker_learner *l, uint32_t page, sight_vec *places, sight_vec *texts)
{
    const th__stalker_map *map = th__stalker_page_map(&l->pages[page]);
    bool labelled = l->corpus->pages[page].labels;
    if (!map)
        return false;
    for (uint32_t u = 0; u < map->count; u++) {
        uint32_t node = map->units[u].node;
        struct sight sight = {place_of(map, block_of(map, node)), 0, page, u, labelled};
        if (!th__vec_push(places, sight))
            return false;
        sight.place = place_of(map, node);
        sight.text = map->units[u].hash;
        if (sight.text && !th__vec_push(texts, sight))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct sight *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->text != b->text)
        return a->text < b->text ? -1 : 1;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static bool add(th__stalker_learner *l, th__stalker_rules *rules, const struct sight *sight)
{
    const th__stalker_map *map = th__stalker_page_map(&l->pages[sight->page]);
    uint32_t node = map->units[sight->unit].node;
    th__stalker_unshown *out = &rules->unshown[rules->unshown_count];
    th__buf text = {0};
    node = sight->text ? node : block_of(map, node);
    uint32_t top = map->marked[node];
    bool ok = th__class_path_write(map->page, top, node, &text);
    out->at = (th__path_spec){.path = th__arena_copy(l->arena, th__buf_str(&text)),
                              .cell = th__cell_of(map->page, 0, node)};
    text.len = 0;
    if (top) {
        ok = ok && th__mark_write(map->page, top, &text);
        out->at.mark = th__arena_copy(l->arena, th__buf_str(&text));
    }
    text.len = 0;
    if (sight->text) {
        ok = ok && th__span_text(map->page, map->units[sight->unit].span, &text);
        out->text = th__arena_copy(l->arena, th__buf_str(&text));
        out->hash = sight->text;
    }
    ok = ok && out->at.path.ptr && (!top || out->at.mark.ptr) && (!sight->text || out->text.ptr);
    th__buf_release(&text);
    /* A path that cannot be read back is of no use. */
    rules->unshown_count += ok && th__path_spec_prepare(&out->at);
    return ok;
}

/* Sights of one text at one place: where they end, on how many pages, whether on a labelled one. */
static size_t read_text(const sight_vec *all, size_t from, uint32_t *pages, bool *labelled)
{
    size_t i = from;
    *pages = 0;
    *labelled = false;
    for (; i < all->len && !(all->data[i].place != all->data[from].place ||
                             all->data[i].text != all->data[from].text);
         i++) {
        *pages += i == from || all->data[i].page != all->data[i - 1].page;
        *labelled |= all->data[i].labelled;
    }
    return i;
}

/* Whether the texts at a place are the template's: what labelled pages have there other pages have
 * as well. */
static size_t read_place(const sight_vec *all, size_t from, bool *labelled, bool *constant)
{
    enum { FEW = 3 }; /* texts that can be alike by chance */
    uint32_t texts = 0, shared = 0, pages;
    bool shown;
    size_t i = from;
    *labelled = false;
    while (i < all->len && all->data[i].place == all->data[from].place) {
        i = read_text(all, i, &pages, &shown);
        *labelled |= shown;
        texts += shown;
        shared += shown && pages > 1;
    }
    *constant = texts >= FEW && shared == texts;
    return i;
}

enum { OFTEN = 5 }; /* what is on more than one page in five is a label, wherever it stands */

/* Texts at places of the template where labelled pages have others; places that they lack. */
static bool keep(th__stalker_learner *l, th__stalker_rules *rules, sight_vec *all, bool texts)
{
    bool ok = true, labelled, constant, shown;
    uint32_t pages;
    if (all->len)
        qsort(all->data, all->len, sizeof *all->data, by_place);
    for (size_t i = 0, end; ok && i < all->len; i = end) {
        end = read_place(all, i, &labelled, &constant);
        if (texts != labelled)
            continue;
        for (size_t next; ok && i < end && rules->unshown_count < TH__STALKER_MAX_UNSHOWN;
             i = next) {
            next = read_text(all, i, &pages, &shown);
            if (!shown && (!texts || constant || pages > l->corpus->count / OFTEN + 1))
                ok = add(l, rules, &all->data[i]);
        }
    }
    return ok;
}

bool th__stalker_learn_unshown(th__stalker_learner *l, th__stalker_rules *rules)
{
    sight_vec places = {0}, texts = {0};
    rules->unshown = th__arena_zero(l->arena, TH__STALKER_MAX_UNSHOWN + 1, sizeof *rules->unshown);
    bool ok = rules->unshown;
    for (uint32_t i = 0; ok && i < l->corpus->count; i++)
        ok = !th__cancelled(l->corpus->cancel) && gather(l, i, &places, &texts);
    ok = ok && keep(l, rules, &texts, true) && keep(l, rules, &places, false);
    th__vec_release(&places);
    th__vec_release(&texts);
    return ok;
}

/* ---- finding --------------------------------------------------------------------------------- */

uint32_t th__stalker_is_unshown(const th__stalker_rules *rules, const th__stalker_map *map,
                                uint32_t unit)
{
    uint32_t node = map->units[unit].node, block = block_of(map, node);
    for (uint32_t i = 0; i < rules->unshown_count; i++) {
        const th__stalker_unshown *own = &rules->unshown[i];
        if (own->text.ptr && own->hash != map->units[unit].hash)
            continue;
        if (th__path_spec_matches(&own->at, map, 0, TH__THING_NODE, own->text.ptr ? node : block))
            return i;
    }
    return rules->unshown_count;
}
