/*
 * unit_addresses.c: where units stand, as keys to look up and as people read it.
 *
 * A rule is learnt from keys of a page, written as a path, and read again as a key. Both ways have
 * to come out the same for every kind of address: so they stand together here, apart from how the
 * units themselves are found (units.c).
 */
#include "base/key_map.h"
#include "base/mem.h"
#include "page/tags.h"
#include "index/units.h"
#include "index/view.h"

enum { END_STEPS = 3 };

static const struct {
    bool ids, positions, tags;
} ways[TH__ADDRESSES] = {
    [TH__BY_ID] = {.ids = true},
    [TH__BY_TAGS] = {.tags = true},
    [TH__BY_ID_POSITIONS] = {.ids = true, .positions = true},
    [TH__BY_POSITIONS] = {.positions = true},
};

static uint64_t unit_key(uint64_t key, th__unit_kind kind, uint8_t attribute, uint32_t slot)
{
    return th__hash_mix(key, (uint64_t)slot << 16 | (uint64_t)attribute << 8 | (uint64_t)kind);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Positions among siblings of one tag. */
static bool count_ordinals(th__units *units)
{
    const th_page *page = units->page;
    th__key_map counts;
    th__arena scratch;
    if (units->ordinals)
        return true;
    th__arena_init(&scratch);
    units->ordinals = th__arena_zero(units->arena, page->node_count, sizeof *units->ordinals);
    bool ok = units->ordinals && th__key_map_init(&counts, &scratch, page->node_count);
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        uint64_t key = th__hash_mix(page->nodes[n].parent, page->tags[n]);
        units->ordinals[n] = th__key_map_get(&counts, key) + 1;
        th__key_map_put(&counts, key, units->ordinals[n]);
    }
    th__arena_release(&scratch);
    return ok;
}

/* What an element adds to the address of those in it. */
static uint64_t step_of(const th__units *units, th__address address, uint32_t node)
{
    uint16_t tag = units->page->tags[node];
    if (ways[address].positions)
        return (uint64_t)tag << 32 | units->ordinals[node];
    return ways[address].tags ? tag : units->steps[node];
}

static uint64_t end_key(const th__units *units, uint32_t node)
{
    uint64_t key = 0;
    for (int i = 0; i < END_STEPS && node; i++, node = units->page->nodes[node].parent)
        key = th__hash_mix(key, units->steps[node]);
    return key;
}

/* The key of a node from its parent's. */
static uint64_t node_key(const th__units *units, th__address address, uint32_t node, uint64_t above)
{
    if (address == TH__ANYWHERE || !node)
        return 1;
    if (address == TH__BY_ELEMENT)
        return units->steps[node];
    if (address == TH__BY_END)
        return end_key(units, node);
    if (ways[address].ids && units->ids[node])
        return units->ids[node];
    return th__hash_mix(above, step_of(units, address, node));
}

/* Recursion no deeper than the page, whose depth has a limit. */
static uint64_t key_alone(const th__units *units, th__address address, uint32_t node)
{
    uint64_t above = node ? key_alone(units, address, units->page->nodes[node].parent) : 0;
    return node_key(units, address, node, above);
}

/* Keys of all nodes, each from its parent's. */
static bool node_keys(th__units *units, th__address address, uint64_t *keys)
{
    const th_page *page = units->page;
    if (ways[address].positions && !count_ordinals(units))
        return false;
    keys[0] = 1;
    for (uint32_t n = 1; n < page->node_count; n++)
        keys[n] = node_key(units, address, n, keys[page->nodes[n].parent]);
    return true;
}

static uint64_t key_of(const th__unit *unit, th__address address, uint64_t node_key)
{
    return unit_key(node_key, (th__unit_kind)unit->kind, unit->attribute,
                    address == TH__ANYWHERE ? 0 : unit->slot);
}

uint64_t th__units_key(const th__units *units, th__address address, uint32_t unit)
{
    const th__unit *of = &units->data[unit];
    return key_of(of, address, key_alone(units, address, of->node));
}

/* The lower bits of a key say in which chain a unit is, the upper ones which of the chain it is. */
static uint32_t upper(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

bool th__units_index(th__units *units, th__address address)
{
    size_t slots = 8;
    if (units->next[address])
        return true;
    while (2 * slots < units->count)
        slots *= 2;
    units->mask = (uint32_t)(slots - 1);
    uint64_t *nodes = th__mem_alloc(units->page->node_count * sizeof *nodes);
    uint32_t *keys = th__arena_alloc(units->arena, (units->count + 1) * sizeof *keys);
    uint32_t *heads = th__arena_alloc(units->arena, slots * sizeof *heads);
    uint32_t *next = th__arena_alloc(units->arena, (units->count + 1) * sizeof *next);
    if (!nodes || !keys || !heads || !next || !node_keys(units, address, nodes)) {
        th__mem_free(nodes);
        return false;
    }
    memset(heads, 0xFF, slots * sizeof *heads);
    for (uint32_t i = units->count; i-- > 0;) {
        uint64_t key = key_of(&units->data[i], address, nodes[units->data[i].node]);
        uint32_t *head = &heads[key & units->mask];
        keys[i] = upper(key);
        next[i] = *head;
        *head = i;
    }
    th__mem_free(nodes);
    units->keys[address] = keys;
    units->heads[address] = heads;
    units->next[address] = next;
    return true;
}

static uint32_t with_key(const th__units *units, th__address address, uint32_t key, uint32_t unit)
{
    while (unit != TH__NO_UNIT && units->keys[address][unit] != key)
        unit = units->next[address][unit];
    return unit;
}

uint32_t th__units_first(const th__units *units, th__address address, uint64_t key)
{
    return with_key(units, address, upper(key), units->heads[address][key & units->mask]);
}

uint32_t th__units_next(const th__units *units, th__address address, uint32_t unit)
{
    return with_key(units, address, units->keys[address][unit], units->next[address][unit]);
}

/* ---- addresses as people read them ----------------------------------------------------------- */

static bool write_step(const th__units *units, th__address address, uint32_t node, th__buf *out)
{
    const th_page *page = units->page;
    if (ways[address].ids && units->ids[node]) {
        th_str id = {0};
        th_attr_get(page, page->nodes[node].token, "id", &id);
        th__buf_add_byte(out, '#');
        return th__class_write(id, out);
    }
    if (!ways[address].positions && !ways[address].tags)
        return th__step_write(page, node, out);
    th_str name = th_token_name(page, page->nodes[node].token);
    for (size_t i = 0; i < name.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    if (ways[address].positions)
        th__buf_printf(out, ":%u", units->ordinals[node]);
    return !out->failed;
}

bool th__address_write(const th__units *units, th__address address, uint32_t node, th__buf *out)
{
    TH__VEC(uint32_t) steps = {0};
    bool ok = true, more = address != TH__ANYWHERE;
    for (; ok && more && node; node = units->page->nodes[node].parent) {
        ok = th__vec_push(&steps, node);
        more = !(address == TH__BY_ELEMENT || (address == TH__BY_END && steps.len == END_STEPS) ||
                 (ways[address].ids && units->ids[node]));
    }
    while (ok && steps.len--) {
        ok = write_step(units, address, steps.data[steps.len], out);
        if (steps.len)
            th__buf_add_str(out, TH_STR(" > "));
    }
    th__vec_release(&steps);
    return ok && !out->failed;
}

/* Cuts the next step off. False at the end. */
static bool next_step(th_str *rest, th_str *step)
{
    if (!rest->len)
        return false;
    size_t len = th__str_find(*rest, TH_STR(" > "));
    *step = (th_str){rest->ptr, len == SIZE_MAX ? rest->len : len};
    size_t used = len == SIZE_MAX ? rest->len : len + 3;
    *rest = (th_str){rest->ptr + used, rest->len - used};
    return true;
}

static bool position_step(th_str step, uint64_t *out)
{
    uint64_t number = 0;
    size_t at = step.len;
    while (at && step.ptr[at - 1] != ':')
        at--;
    if (!at || at == step.len || step.len - at > 9)
        return false;
    for (size_t i = at; i < step.len; i++) {
        if (!th__is_digit((unsigned char)step.ptr[i]))
            return false;
        number = 10 * number + (uint64_t)(step.ptr[i] - '0');
    }
    *out = (uint64_t)th_tag_id((th_str){step.ptr, at - 1}) << 32 | number;
    return true;
}

static bool add_step(th__address address, th_str step, bool first, uint64_t *key)
{
    uint16_t tag;
    uint64_t hash;
    if (!step.len)
        return false;
    if (step.ptr[0] == '#') {
        *key = th__class_hash((th_str){step.ptr + 1, step.len - 1});
        return first && ways[address].ids && *key;
    }
    if (!th__is_alpha((unsigned char)step.ptr[0]))
        return false;
    if (ways[address].positions) {
        if (!position_step(step, &hash))
            return false;
    } else if (ways[address].tags) {
        hash = th_tag_id(step);
    } else {
        hash = th__step_hash(step, &tag);
    }
    *key = address == TH__BY_ELEMENT ? hash : th__hash_mix(*key, hash);
    return true;
}

/* The last elements are mixed from the inside out. */
static bool end_of_path(th_str path, uint64_t *key)
{
    uint64_t hashes[END_STEPS];
    int count = 0;
    th_str step;
    uint16_t tag;
    while (next_step(&path, &step)) {
        if (count == END_STEPS || !step.len || !th__is_alpha((unsigned char)step.ptr[0]))
            return false;
        hashes[count++] = th__step_hash(step, &tag);
    }
    *key = 0;
    while (count--)
        *key = th__hash_mix(*key, hashes[count]);
    return true;
}

bool th__address_key(th__address address, th_str path, th__unit_kind kind, uint8_t attribute,
                     uint32_t slot, uint64_t *out)
{
    uint64_t key = 1;
    th_str step;
    bool ok = true, first = true;
    if (address == TH__BY_END)
        ok = end_of_path(path, &key);
    else if (address != TH__ANYWHERE)
        for (; ok && next_step(&path, &step); first = false)
            ok = add_step(address, step, first, &key);
    *out = unit_key(key, kind, attribute, address == TH__ANYWHERE ? 0 : slot);
    return ok;
}
