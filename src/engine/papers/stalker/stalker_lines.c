/*
 * stalker_lines.c: lists whose items are lines of text.
 *
 *     <td><b>Old Mill</b> | Bern<br>
 *     &nbsp;&nbsp;<i>Paul Price</i> | 4 stars<br>
 *     &nbsp;&nbsp;<i>Anna Field</i><br>
 *     <b>New Mill</b></td>
 *
 * A line ends at a <br> or at the edge of a block. Lines that begin further in belong to the line
 * above them: they are the items of a list in its item.
 */
#include "base/vec.h"
#include "engine/papers/stalker/stalker_run.h"
#include "page/signs.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"

/* Whether a token is markup or blanks inside a line. */
static bool is_inside(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind == TH_TOKEN_TEXT)
        return th__stalker_trim(page, (th_span){t->start, t[1].start}).start == t[1].start;
    return t->kind == TH_TOKEN_COMMENT || ((t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) &&
                                           t->tag != TH_TAG_BR && th__stalker_is_phrasing(t->tag));
}

/* Whether blanks that show stand in a stretch: a run of no-break spaces. */
static bool is_wide(const th_page *page, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++)
        if (!th__is_blank((unsigned char)page->text.ptr[i]))
            return true;
    return false;
}

/* The first token of the line that begins with a unit; *indented: it begins further in. */
static uint32_t line_start(const th__stalker_map *map, const th__stalker_extent *extent,
                           uint32_t unit, bool *indented)
{
    const th_page *page = map->page;
    uint32_t token = map->units[unit].token;
    *indented = is_wide(page, page->tokens[token].start, map->units[unit].span.start);
    while (token > extent->token && is_inside(page, token - 1)) {
        token--;
        *indented |= page->tokens[token].kind == TH_TOKEN_TEXT &&
                     is_wide(page, page->tokens[token].start, page->tokens[token + 1].start);
    }
    return token;
}

/* The block that a unit stands in. */
static uint32_t block_of(const th__stalker_map *map, uint32_t root, uint32_t unit)
{
    uint32_t node = map->units[unit].node;
    while (node > root && th__stalker_is_phrasing(map->page->tags[node]))
        node = map->page->nodes[node].parent;
    return node;
}

/* The token behind a <br> of a block, when one stands between a unit and the one before it; or 0.
 */
static uint32_t behind_break(const th__stalker_map *map, uint32_t block, uint32_t unit)
{
    const th_page *page = map->page;
    for (uint32_t t = map->units[unit].token; unit && t-- > map->units[unit - 1].token;) {
        if (page->tokens[t].kind != TH_TOKEN_START || page->tokens[t].tag != TH_TAG_BR)
            continue;
        uint32_t node = th_page_node_at(page, page->tokens[t].start);
        while (node > block && th__stalker_is_phrasing(page->tags[node]))
            node = page->nodes[node].parent;
        if (node == block)
            return t + 1;
    }
    return 0;
}

bool th__stalker_is_simple(const th__stalker_map *map, th_span span)
{
    uint32_t first = th__stalker_unit_at(map, span.start);
    uint32_t end = th__stalker_units_to(map, span.end);
    for (uint32_t u = first; u < end; u++) {
        if (u + 1 < end && !th__stalker_flows(map, u))
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

bool th__stalker_line_items(bool indented, const th__stalker_map *map,
                            const th__stalker_extent *extent, th__extent_vec *out)
{
    const th_page *page = map->page;
    uint32_t first, end, top = 0;
    bool open = false; /* the last item may reach on */
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first; u < end; u++) {
        bool in;
        uint32_t block = block_of(map, extent->root, u);
        top = u == first ? block : top;
        /* Lines of a block inside are part of the line that it stands below, which may be empty. */
        uint32_t token = block != top ? behind_break(map, top, u) : 0;
        if (block != top ? !token : u > first && th__stalker_in_line(map, u - 1))
            continue;
        if (block == top)
            token = line_start(map, extent, u, &in);
        else
            in = false;
        block = top;
        if (open && in && !indented)
            continue; /* a line below the item's */
        if (open) {
            th__stalker_extent *last = &out->data[out->len - 1];
            *last = th__stalker_run_of(page, last->root, last->token, token);
        }
        open = in == indented;
        if (!open)
            continue;
        uint32_t stop = page->nodes[block].token_end;
        stop = stop < extent->end && block > extent->root ? stop : extent->end;
        if (!th__vec_push(out, th__stalker_run_of(page, block, token, stop)))
            return false;
    }
    return true;
}

th__stalker_extent th__stalker_member_extent(const th__stalker_node *tuple,
                                             const th__stalker_node *member, th__stalker_page *page,
                                             const th__stalker_extent *extent)
{
    th__stalker_extent own = *extent;
    uint32_t first, end;
    bool indented = false;
    const th__stalker_map *map =
        tuple->own_lines && member->field ? th__stalker_page_map(page) : NULL;
    if (!map)
        return own;
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first + 1; u < end && !indented; u++)
        if (!th__stalker_in_line(map, u - 1))
            own.end = line_start(map, extent, u, &indented);
    if (!indented)
        return *extent;
    own.span.end = page->page->tokens[own.end].start;
    return own;
}
