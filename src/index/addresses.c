/* addresses.c: what addresses are made of, their keys, and how they are written and read. */
#include "index/addresses.h"

#include "base/key_map.h"
#include "index/tag_memo.h"
#include "index/view.h"
#include "page/attrs.h"
#include "page/tags.h"

/* ---- what elements call themselves ----------------------------------------------------------- */

/* Which attributes mark an element, the better first. */
static const th_str mark_names[] = {{"itemprop", 8}, {"id", 2}};
enum { MARKS = sizeof mark_names / sizeof *mark_names, LONGEST_MARK = 100 };

/* Those of microdata and RDFa. */
static const th_str property_names[] = {{"itemprop", 8}, {"property", 8}};
enum { PROPERTIES = sizeof property_names / sizeof *property_names };

static uint64_t property_hash(size_t which, th_str value)
{
    uint64_t hash = th__class_hash(value);
    return hash ? th__hash_mix(hash, which + 1) | 1 : 0;
}

uint64_t th__mark_hash(th_str name, th_str value)
{
    uint64_t hash = th__hash(name.ptr, name.len);
    value = th__str_trim(value);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (th__is_digit(c)) {
            if (i && th__is_digit((unsigned char)value.ptr[i - 1]))
                continue;
            c = '#';
        }
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    }
    return hash | 1;
}

/* The attributes of an element that count. */
struct element {
    th_str classes, id;
    th_str properties[PROPERTIES];
    th_str marks[MARKS];
};

static struct element read_element(const th_page *page, uint32_t token)
{
    struct element out = {0};
    th_attr attr;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return out;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (!out.classes.ptr && th__str_eq_nocase(attr.name, TH_STR("class")))
            out.classes = attr.value;
        if (!out.id.ptr && th__str_eq_nocase(attr.name, TH_STR("id")))
            out.id = attr.value;
        for (size_t i = 0; i < PROPERTIES; i++)
            if (!out.properties[i].ptr && th__str_eq_nocase(attr.name, property_names[i]))
                out.properties[i] = attr.value;
        for (size_t i = 0; i < MARKS; i++)
            if (th__str_eq_nocase(attr.name, mark_names[i]) && !out.marks[i].ptr &&
                attr.value.len && attr.value.len <= LONGEST_MARK)
                out.marks[i] = attr.value;
    }
    return out;
}

bool th__mark_write(const th_page *page, uint32_t node, th__buf *out)
{
    struct element element = read_element(page, page->nodes[node].token);
    size_t which = 0;
    while (which < MARKS && !element.marks[which].ptr)
        which++;
    if (which == MARKS)
        return !out->failed;
    th_str value = th__str_trim(element.marks[which]);
    th__buf_add_str(out, mark_names[which]);
    th__buf_add_byte(out, '=');
    for (size_t c = 0; c < value.len; c++)
        if (!th__is_digit((unsigned char)value.ptr[c]))
            th__buf_add_byte(out, value.ptr[c]);
        else if (!c || !th__is_digit((unsigned char)value.ptr[c - 1]))
            th__buf_add_byte(out, '#');
    return !out->failed;
}

/* ---- sums of steps --------------------------------------------------------------------------- */

enum { TAGS_KEPT = 256 }; /* whose hashes are kept: standard ones */

struct hashes {
    bool failed;
    uint64_t bare[TAGS_KEPT]; /* by tag, 0 when it has not been met */
    uint64_t *full;           /* by node */
    th__tag_memo memo;
};

/* The hash of an element without a class. */
static uint64_t bare_hash(struct hashes *h, uint16_t tag)
{
    if (tag >= TAGS_KEPT)
        return th__element_hash(tag, (th_str){0});
    if (!h->bare[tag])
        h->bare[tag] = th__element_hash(tag, (th_str){0});
    return h->bare[tag];
}

/* Few pages have any of these: room for them is made when the first comes. */
static void put_hash(struct hashes *h, const th__addresses *a, uint64_t **hashes, uint32_t node,
                     uint64_t hash)
{
    if (hash && !*hashes)
        *hashes = th__arena_zero(a->arena, a->page->node_count, sizeof **hashes);
    if (hash && *hashes)
        (*hashes)[node] = hash;
    h->failed |= hash && !*hashes;
}

/* The hash of an element with its class, and those of its mark and id. */
static void hash_element(struct hashes *h, th__addresses *a, uint32_t node, uint64_t bare)
{
    uint32_t token = a->page->nodes[node].token;
    h->full[node] = bare;
    if (!(a->page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return;
    uint32_t like = th__tag_memo_find(&h->memo, a->page, node);
    if (like) {
        h->full[node] = h->full[like];
        if (a->mark)
            a->mark[node] = a->mark[like];
        a->id[node] = a->id[like];
        if (a->property)
            a->property[node] = a->property[like];
        return;
    }
    struct element element = read_element(a->page, token);
    if (element.classes.len)
        h->full[node] = th__element_hash(a->page->tags[node], element.classes);
    if (element.id.len)
        a->id[node] = th__class_hash(element.id);
    uint64_t property = 0;
    for (size_t i = 0; i < PROPERTIES && !property; i++)
        property = property_hash(i, element.properties[i]);
    put_hash(h, a, &a->property, node, property);
    uint64_t mark = 0;
    for (size_t i = 0; i < MARKS && !mark; i++)
        if (element.marks[i].ptr)
            mark = th__mark_hash(mark_names[i], element.marks[i]);
    put_hash(h, a, &a->mark, node, mark);
}

/* The nearest element, itself or above, that has a hash. False if out of memory. */
static bool find_nearest(th__addresses *a, const uint64_t *hash, uint32_t **out)
{
    size_t count = a->page->node_count;
    if (!hash)
        return true;
    *out = th__arena_zero(a->arena, count, sizeof **out);
    for (uint32_t n = 1; *out && n < count; n++)
        (*out)[n] = hash[n] ? n : (*out)[a->page->nodes[n].parent];
    return *out != NULL;
}

static uint64_t power_of(const th__addresses *a, uint32_t node)
{
    return a->power[a->page->paths[a->page->nodes[node].path].depth];
}

bool th__addresses_make(th__arena *arena, const th_page *page, th__addresses *out)
{
    size_t count = page->node_count;
    struct hashes hashes = {.full = th__arena_alloc(arena, count * sizeof *hashes.full)};
    *out = (th__addresses){.page = page, .arena = arena};
    uint64_t *sum = th__arena_alloc(arena, count * sizeof *sum);
    uint64_t *tags = th__arena_alloc(arena, count * sizeof *tags);
    out->id = th__arena_zero(arena, count, sizeof *out->id);
    out->identified = th__arena_zero(arena, count, sizeof *out->identified);
    if (!hashes.full || !sum || !tags || !out->id || !out->identified ||
        !th__key_powers(arena, page, &out->power, &out->inverse))
        return false;
    sum[0] = tags[0] = 0;
    for (uint32_t n = 1; n < count; n++) {
        uint32_t parent = page->nodes[n].parent;
        uint64_t place = power_of(out, n), bare = bare_hash(&hashes, page->tags[n]);
        hash_element(&hashes, out, n, bare);
        sum[n] = sum[parent] + (hashes.full[n] | 1) * place;
        tags[n] = tags[parent] + (bare | 1) * place;
        out->identified[n] = out->id[n] ? n : out->identified[parent];
    }
    if (hashes.failed || !find_nearest(out, out->property, &out->propertied) ||
        !find_nearest(out, out->mark, &out->marked))
        return false;
    out->hashes = hashes.full;
    out->sum[TH__STEPS_CLASSES] = sum;
    out->sum[TH__STEPS_TAGS] = tags;
    return true;
}

/* Returns true if the steps of cells have the position of an element: the cells of a row and the
 * parts of a line are there even when they are empty. */
static bool is_counted(uint16_t tag)
{
    return tag == TH_TAG_TD || tag == TH_TAG_TH || th__tag_is_phrasing(tag);
}

/* Positions among siblings of one tag. */
static bool sum_positions(th__addresses *a)
{
    const th_page *page = a->page;
    th__key_map counts = {0};
    uint64_t *sum = th__arena_zero(a->arena, page->node_count, sizeof *sum);
    uint64_t *cells = th__arena_zero(a->arena, page->node_count, sizeof *cells);
    a->ordinals = th__arena_zero(a->arena, page->node_count, sizeof *a->ordinals);
    bool ok = sum && cells && a->ordinals;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        uint32_t parent = page->nodes[n].parent;
        uint64_t key = th__hash_mix(parent, page->tags[n]);
        a->ordinals[n] = th__key_map_get(&counts, key) + 1;
        ok = th__key_map_put(&counts, key, a->ordinals[n]);
        sum[n] = sum[parent] + (th__hash_mix(page->tags[n], a->ordinals[n]) | 1) * power_of(a, n);
        uint64_t step = a->hashes[n];
        if (is_counted(page->tags[n]))
            step = th__hash_mix(step, a->ordinals[n]);
        cells[n] = cells[parent] + (step | 1) * power_of(a, n);
    }
    th__key_map_release(&counts);
    a->sum[TH__STEPS_POSITIONS] = ok ? sum : NULL;
    a->sum[TH__STEPS_CELLS] = ok ? cells : NULL;
    return ok;
}

/* ---- kinds of addresses ---------------------------------------------------------------------- */

enum { END_STEPS = 3, FROM_ROOT = -1, FROM_ID = -2, FROM_PROPERTY = -3 };

static const struct {
    int from; /* so many steps up, or FROM_... */
    th__alphabet steps;
} ways[TH__ADDRESSES] = {
    [TH__BY_CLASSES] = {FROM_ROOT, TH__STEPS_CLASSES},
    [TH__BY_ID] = {FROM_ID, TH__STEPS_CLASSES},
    [TH__BY_END] = {END_STEPS, TH__STEPS_CLASSES},
    [TH__BY_PROPERTY] = {FROM_PROPERTY, TH__STEPS_CLASSES},
    [TH__BY_CELLS] = {FROM_ROOT, TH__STEPS_CELLS},
    [TH__BY_ELEMENT] = {1, TH__STEPS_CLASSES},
    [TH__BY_TAGS] = {FROM_ROOT, TH__STEPS_TAGS},
    [TH__BY_ID_POSITIONS] = {FROM_ID, TH__STEPS_POSITIONS},
    [TH__BY_POSITIONS] = {FROM_ROOT, TH__STEPS_POSITIONS},
    [TH__ANYWHERE] = {0, TH__STEPS_CLASSES},
};

/* The element from which the path of an address begins. */
static uint32_t top_of(const th__addresses *a, th__address address, uint32_t node)
{
    if (ways[address].from == FROM_ID)
        return a->identified[node];
    if (ways[address].from == FROM_PROPERTY)
        return th__property_above(a, node);
    uint32_t top = ways[address].from == FROM_ROOT ? 0 : node;
    for (int up = ways[address].from; up > 0; up--)
        top = a->page->nodes[top].parent;
    return top;
}

bool th__address_of(th__addresses *a, th__address address, uint32_t node, uint64_t *key)
{
    if (!a->sum[ways[address].steps] && !sum_positions(a))
        return false;
    uint32_t top = top_of(a, address, node);
    uint64_t id = ways[address].from == FROM_ID                ? a->id[top]
                  : ways[address].from == FROM_PROPERTY && top ? a->property[top]
                                                               : 0;
    *key = th__hash_mix(id, th__address_key(a, ways[address].steps, top, node));
    return true;
}

/* Recursion no deeper than the page, whose depth has a limit. */
static void write_positions(const th__addresses *a, bool cells, uint32_t top, uint32_t node,
                            th__buf *out)
{
    uint32_t parent = a->page->nodes[node].parent;
    if (node <= top)
        return;
    write_positions(a, cells, top, parent, out);
    th_str name = th_token_name(a->page, a->page->nodes[node].token);
    th__buf_add_str(out, parent > top ? TH_STR(" > ") : TH_STR(""));
    if (cells)
        th__class_step_write(a->page, node, out);
    for (size_t i = 0; !cells && i < name.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    if (!cells || is_counted(a->page->tags[node]))
        th__buf_printf(out, ":%u", a->ordinals[node]);
}

bool th__address_write(const th__addresses *a, th__address address, uint32_t node, th__buf *out)
{
    uint32_t top = top_of(a, address, node);
    if (ways[address].from == FROM_ID && top) {
        th_str id = {0};
        th_attr_get(a->page, a->page->nodes[top].token, "id", &id);
        th__buf_add_byte(out, '#');
        th__class_write(id, out);
        th__buf_add_str(out, node > top ? TH_STR(" > ") : TH_STR(""));
    }
    if (ways[address].from == FROM_PROPERTY && top) {
        struct element element = read_element(a->page, a->page->nodes[top].token);
        size_t which = 0;
        while (property_hash(which, element.properties[which]) != a->property[top])
            which++;
        th__buf_add_byte(out, '[');
        th__buf_add_str(out, property_names[which]);
        th__buf_add_byte(out, '=');
        th__class_write(element.properties[which], out);
        th__buf_add_str(out, node > top ? TH_STR("] > ") : TH_STR("]"));
    }
    if (ways[address].steps == TH__STEPS_CLASSES)
        return th__path_write(a->page, top, node, out);
    if (ways[address].steps == TH__STEPS_TAGS)
        return th__tag_path_write(a->page, top, node, out);
    write_positions(a, ways[address].steps == TH__STEPS_CELLS, top, node, out);
    return !out->failed;
}

/* Takes ":2" off the end of "td:2". False if it is not there. */
static bool read_position(th_str *step, uint64_t *number)
{
    size_t at = step->len;
    while (at && step->ptr[at - 1] != ':')
        at--;
    if (!at || at == step->len || step->len - at > 9)
        return false;
    *number = 0;
    for (size_t i = at; i < step->len; i++) {
        if (!th__is_digit((unsigned char)step->ptr[i]))
            return false;
        *number = 10 * *number + (uint64_t)(step->ptr[i] - '0');
    }
    step->len = at - 1;
    return true;
}

/* The hash of a step as written. False if it is not one. */
static bool read_step(th__alphabet steps, th_str step, uint64_t *hash)
{
    uint64_t number = 0;
    uint16_t tag;
    bool numbered = steps >= TH__STEPS_POSITIONS && read_position(&step, &number);
    if (steps == TH__STEPS_POSITIONS) {
        *hash = th__hash_mix(th_tag_id(step), number);
        return numbered;
    }
    *hash = th__step_hash(step, &tag);
    if (steps == TH__STEPS_TAGS)
        *hash = th__element_hash(tag, (th_str){0});
    if (numbered)
        *hash = th__hash_mix(*hash, number);
    return true;
}

/* Takes "#name" or "[itemprop=name]" off the beginning of a path. False if it is not a path. */
static bool read_origin(th_str *path, int from, uint64_t *id)
{
    size_t at = th__str_find(*path, TH_STR(" > "));
    th_str name = {path->ptr, at == SIZE_MAX ? path->len : at};
    size_t used = at == SIZE_MAX ? path->len : at + 3;
    if (!name.len || name.ptr[0] != (from == FROM_ID ? '#' : '['))
        return true;
    *id = from == FROM_ID ? th__class_hash((th_str){name.ptr + 1, name.len - 1}) : 0;
    for (size_t i = 0; from == FROM_PROPERTY && i < PROPERTIES && !*id; i++) {
        size_t at_value = property_names[i].len + 2; /* behind "[itemprop=" */
        if (name.len > at_value && name.ptr[at_value - 1] == '=' && name.ptr[name.len - 1] == ']' &&
            !memcmp(name.ptr + 1, property_names[i].ptr, property_names[i].len))
            *id = property_hash(i, (th_str){name.ptr + at_value, name.len - at_value - 1});
    }
    *path = (th_str){path->ptr + used, path->len - used};
    return *id;
}

bool th__address_read(th__address address, th_str path, uint64_t *key)
{
    uint64_t id = 0, power = 1, sum = 0, hash;
    int count = 0;
    bool bad = false;
    th_str step;
    if (ways[address].from < FROM_ROOT && !read_origin(&path, ways[address].from, &id))
        return false;
    while (address != TH__ANYWHERE && th__path_next(&path, &step, &bad)) {
        if (ways[address].from >= 0 && ++count > ways[address].from)
            return false;
        if (!read_step(ways[address].steps, step, &hash))
            return false;
        power *= TH__KEY_BASE;
        sum += (hash | 1) * power;
    }
    *key = th__hash_mix(id, sum);
    return !bad;
}
