/*
 * auto_groups.c: finding groups of alike elements, and telling lists of records from the rest.
 *
 * The score asks how much a reader would learn from the group taken as a table. For each field (key
 * and how often the key came before in the record) over the filled records:
 *
 *     tells = mean log2(1 + length) * (share of records that have it)^2 * sqrt(share that differ)
 *
 * and half as much for each repetition of the key in a record: many values under one key speak of a
 * container of records rather than of one. The square tells whole records from pieces of different
 * kinds (a row with the title, a row with the price), which have each field half of the time. Then
 *
 *     score = sum of tells * log2(1 + records)^1.25
 *             * (1 - linked / 2)     text in links is navigation more often than not
 *             * (1 - 0.7 aside)      and so is what calls itself menu, footer, ...
 *             * filled / records     empty elements are layout
 *             * 0.6 when a single field tells something: records have several
 *
 * The exponent lies between 1, where three long articles beat a page of results, and 2, where every
 * menu does. Chosen on real pages: neighbouring values cost up to three points of F1 there.
 *
 * Cost: each leaf is visited once for each group it lies in, at most four at each level above it.
 */
#include "engine/lists/auto_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/auto_aside.h"
#include "engine/lists/auto_grid.h"
#include "engine/lists/auto_runs.h"
#include "page/tags.h"

enum { FAMILIES = 4, MAX_REPEATS = 3 };
#define ALIKE 0.01

/* ---- putting elements together --------------------------------------------------------------- */

/* Elements that are no records, whatever they hold. */
static bool is_ruled_out(uint16_t tag)
{
    switch (tag) {
    case TH_TAG_HEAD:
    case TH_TAG_BODY:
    case TH_TAG_TITLE:
    case TH_TAG_OPTION:
    case TH_TAG_OPTGROUP:
    case TH_TAG_LABEL:
    case TH_TAG_BUTTON:
        return true;
    default:
        return th__tag_flags(tag) & (TH_TAG_IS_VOID | TH_TAG_IS_HIDDEN | TH_TAG_IS_INLINE);
    }
}

/* What elements of one group have in common. */
static uint64_t family_key(const th__view *view, const uint64_t *signature_path, int family,
                           uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    switch (family) {
    case 0:
        return signature_path[node];
    case 1:
        return th__hash_mix(n->parent, view->signature[node]);
    case 2:
        return th__hash_mix(~(uint64_t)n->path, view->signature[node]);
    default:
        return th__hash_mix((uint64_t)n->parent << 32, view->page->tags[node]);
    }
}

/* A table from keys to small numbers, given in the order of arrival. */
struct numbering {
    uint64_t *keys;
    uint32_t *numbers; /* number + 1, or 0 */
    uint32_t mask, count;
    bool failed; /* no memory: the last number is given again and again */
};

static void put_number(struct numbering *table, uint64_t key, uint32_t number)
{
    uint32_t slot = (uint32_t)(key ^ key >> 32) & table->mask;
    while (table->numbers[slot])
        slot = (slot + 1) & table->mask;
    table->keys[slot] = key;
    table->numbers[slot] = number;
}

/* Most pages need few slots and a hostile one has a key for every few bytes: the table grows. */
static bool numbering_grow(struct numbering *table)
{
    struct numbering old = *table;
    size_t slots = old.keys ? 2 * ((size_t)old.mask + 1) : 64;
    table->keys = TH__NEW_ARRAY(uint64_t, slots);
    table->numbers = th__mem_zero(slots, sizeof *table->numbers);
    if (!table->keys || !table->numbers) {
        th__mem_free(table->keys);
        th__mem_free(table->numbers);
        *table = old;
        table->failed = true;
        return false;
    }
    table->mask = (uint32_t)(slots - 1);
    for (size_t i = 0; old.keys && i <= old.mask; i++)
        if (old.numbers[i])
            put_number(table, old.keys[i], old.numbers[i]);
    th__mem_free(old.keys);
    th__mem_free(old.numbers);
    return true;
}

static void numbering_release(struct numbering *table)
{
    th__mem_free(table->keys);
    th__mem_free(table->numbers);
}

static uint32_t number_of(struct numbering *table, uint64_t key)
{
    if ((!table->keys || 2 * (size_t)table->count > table->mask) && !numbering_grow(table))
        return table->count ? table->count - 1 : 0;
    uint32_t slot = (uint32_t)(key ^ key >> 32) & table->mask;
    while (table->numbers[slot] && table->keys[slot] != key)
        slot = (slot + 1) & table->mask;
    if (!table->numbers[slot]) {
        table->keys[slot] = key;
        table->numbers[slot] = ++table->count;
    }
    return table->numbers[slot] - 1;
}

struct collector {
    const th__view *view;
    const th__auto_options *options;
    th__arena *arena;         /* of the groups */
    uint64_t *signature_path; /* by node */
    struct numbering table;   /* used anew for each family */
    uint32_t *number;         /* by node */
    uint32_t *start;          /* by number: where its nodes begin */
    uint32_t *nodes;          /* of a family, group after group */
    struct numbering seen;    /* hashes of groups */
    th__auto_group_vec groups;
    bool failed;
};

/* Adds a group unless there is the same one. */
static void add_group(struct collector *c, const uint32_t *nodes, uint32_t count)
{
    uint64_t hash = count;
    uint32_t before = c->seen.count;
    for (uint32_t i = 0; i < count; i++)
        hash = th__hash_mix(hash, nodes[i]);
    if (number_of(&c->seen, hash) < before)
        return;
    uint32_t *kept = th__arena_alloc(c->arena, count * sizeof *kept);
    if (kept)
        memcpy(kept, nodes, count * sizeof *kept);
    if (!kept || c->seen.failed ||
        !th__vec_push(&c->groups, (th__auto_group){.nodes = kept, .count = count}))
        c->failed = true;
}

/* Cuts the nodes of one family, laid out group after group, into groups. */
static void add_groups(struct collector *c)
{
    for (uint32_t g = 0; g < c->table.count; g++)
        if (c->start[g + 1] - c->start[g] >= 2)
            add_group(c, c->nodes + c->start[g], c->start[g + 1] - c->start[g]);
}

static bool collect_family(struct collector *c, int family)
{
    const th_page *page = c->view->page;
    uint32_t *nodes = c->nodes;
    if (c->table.numbers)
        memset(c->table.numbers, 0, ((size_t)c->table.mask + 1) * sizeof *c->table.numbers);
    c->table.count = 0;
    memset(c->start, 0, ((size_t)page->node_count + 2) * sizeof *c->start);
    for (uint32_t n = 1; n < page->node_count; n++) {
        c->number[n] = UINT32_MAX;
        if (is_ruled_out(page->tags[n]))
            continue;
        c->number[n] = number_of(&c->table, family_key(c->view, c->signature_path, family, n));
        c->start[c->number[n] + 2]++;
    }
    if (c->table.failed)
        return false;
    /* start[g + 1] runs from the beginning of group g to its end while nodes are laid out. */
    for (uint32_t g = 2; g <= c->table.count + 1; g++)
        c->start[g] += c->start[g - 1];
    for (uint32_t n = 1; n < page->node_count; n++)
        if (c->number[n] != UINT32_MAX)
            nodes[c->start[c->number[n] + 1]++] = n;
    add_groups(c);
    return !c->failed;
}

static bool collect(struct collector *c, th__arena *scratch)
{
    const th_page *page = c->view->page;
    c->signature_path = th__arena_alloc(scratch, page->node_count * sizeof *c->signature_path);
    c->number = th__arena_alloc(scratch, page->node_count * sizeof *c->number);
    c->start = th__arena_alloc(scratch, ((size_t)page->node_count + 2) * sizeof *c->start);
    c->nodes = th__arena_alloc(scratch, page->node_count * sizeof *c->nodes);
    if (!c->signature_path || !c->number || !c->start || !c->nodes)
        return false;
    c->signature_path[0] = 1;
    for (uint32_t n = 1; n < page->node_count; n++)
        c->signature_path[n] =
            th__hash_mix(c->signature_path[page->nodes[n].parent], c->view->signature[n]);
    for (int family = 0; family < FAMILIES; family++)
        if (!collect_family(c, family))
            return false;
    return (!c->options->runs ||
            th__auto_runs_find(c->arena, c->view, c->options->fine, &c->groups)) &&
           (!c->options->grids || th__auto_grids_find(c->arena, c->view, &c->groups));
}

/* ---- telling lists from the rest ------------------------------------------------------------- */

/* One field of the group being scored; a slot is free when its round is not the current one. */
struct field {
    uint64_t key;
    uint32_t round;
    uint32_t count, distinct;
    uint32_t record,
        repeats;  /* of a key without repeats: the record it was in last, and how often */
    float weight; /* sum */
};

struct value {
    uint64_t key; /* of field and value */
    uint32_t round;
};

/* The tables grow with what a group has: most have a handful of fields, and a hostile page has one
 * for every few bytes. */
struct scorer {
    const th__view *view;
    const th__auto_options *options;
    const bool *aside; /* by node */
    struct field *fields;
    struct value *values;
    uint32_t *used;                   /* slots of fields in this round, in the order of arrival */
    uint32_t used_count, value_count; /* in this round */
    uint32_t field_slots, value_slots;
    uint32_t round;
    uint32_t linked; /* bytes of text in links in this round */
    bool failed;
};

static uint32_t field_slot(const struct scorer *s, uint64_t key)
{
    uint32_t mask = s->field_slots - 1, slot = (uint32_t)(key ^ key >> 29) & mask;
    while (s->fields[slot].round == s->round && s->fields[slot].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

static uint32_t value_slot(const struct scorer *s, uint64_t key)
{
    uint32_t mask = s->value_slots - 1, slot = (uint32_t)(key ^ key >> 29) & mask;
    while (s->values[slot].round == s->round && s->values[slot].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

enum { FIRST_SLOTS = 256 };

static bool grow_fields(struct scorer *s)
{
    struct field *old = s->fields;
    uint32_t slots = old ? 2 * s->field_slots : FIRST_SLOTS;
    struct field *fields = th__mem_zero(slots, sizeof *fields);
    uint32_t *used = fields ? th__mem_resize(s->used, slots, sizeof *used) : NULL;
    if (!used) {
        th__mem_free(fields);
        return false;
    }
    s->fields = fields;
    s->used = used;
    s->field_slots = slots;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t slot = field_slot(s, old[used[i]].key);
        fields[slot] = old[used[i]];
        used[i] = slot;
    }
    th__mem_free(old);
    return true;
}

static bool grow_values(struct scorer *s)
{
    struct value *old = s->values;
    uint32_t slots = old ? 2 * s->value_slots : FIRST_SLOTS, count = s->value_slots;
    struct value *values = th__mem_zero(slots, sizeof *values);
    if (!values)
        return false;
    s->values = values;
    s->value_slots = slots;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].round == s->round)
            values[value_slot(s, old[i].key)] = old[i];
    th__mem_free(old);
    return true;
}

/* NULL without memory. */
static struct field *field_of(struct scorer *s, uint64_t key)
{
    if (2 * s->used_count >= s->field_slots && !grow_fields(s)) {
        s->failed = true;
        return NULL;
    }
    uint32_t slot = field_slot(s, key);
    struct field *field = &s->fields[slot];
    if (field->round != s->round) {
        *field = (struct field){.key = key, .round = s->round, .record = UINT32_MAX};
        s->used[s->used_count++] = slot;
    }
    return field;
}

/* Returns true if the value is new to its field. */
static bool is_new_value(struct scorer *s, uint64_t field, uint64_t hash)
{
    if (2 * s->value_count >= s->value_slots && !grow_values(s)) {
        s->failed = true;
        return false;
    }
    uint64_t key = th__hash_mix(field, hash);
    uint32_t slot = value_slot(s, key);
    if (s->values[slot].round == s->round)
        return false;
    s->values[slot] = (struct value){key, s->round};
    s->value_count++;
    return true;
}

static void add_leaf(struct scorer *s, uint32_t index, uint32_t root, uint32_t part,
                     uint32_t leaf_index)
{
    const th__leaf *leaf = &s->view->leaves.data[leaf_index];
    uint64_t key = th__view_key_apart(s->view, root, leaf->node);
    if (part)
        key = th__hash_mix(key, ~(uint64_t)part);
    struct field *field = field_of(s, key);
    if (!field)
        return;
    if (field->record != index) {
        field->record = index;
        field->repeats = 0;
    }
    uint32_t repeat = field->repeats++;
    if (repeat >= MAX_REPEATS)
        return;
    if (repeat)
        field = field_of(s, th__hash_mix(key, repeat));
    if (!field)
        return;
    field->count++;
    field->weight += s->view->weight[leaf_index] * ldexpf(1, -(int)repeat);
    field->distinct += is_new_value(s, field->key, leaf->hash);
}

/* Adds the texts of a record, or of a part of it. Keys are seen from `root`. */
static void add_extent(struct scorer *s, th__auto_group *group, uint32_t record, uint32_t root,
                       const th__extent *at)
{
    const th__leaves *leaves = &s->view->leaves;
    uint32_t leaf = leaves->before[at->token], end = leaves->before[at->token_end];
    uint32_t top = at->first, part = at->part;
    for (; leaf < end; leaf++) {
        uint32_t node = leaves->data[leaf].node;
        if (node < root)
            continue; /* text of an element around it that begins here */
        while (group->regular && top < at->last && node >= s->view->page->nodes[top].end) {
            top = s->view->page->nodes[top].end;
            part++; /* each of the elements has fields of its own */
        }
        group->bytes += leaves->data[leaf].len;
        s->linked += leaves->data[leaf].linked && s->options->links ? leaves->data[leaf].len : 0;
        add_leaf(s, record, root, part, leaf);
    }
}

static void add_record(struct scorer *s, th__auto_group *group, uint32_t index)
{
    const th_page *page = s->view->page;
    uint32_t node = group->nodes[index];
    if (!group->runs) {
        th__extent at = th__extent_of(page, node, node);
        add_extent(s, group, index, node, &at);
    } else if (!group->parts) {
        add_extent(s, group, index, page->nodes[node].parent, &group->runs[index]);
    }
    for (uint32_t p = 0; p < group->parts; p++) {
        const th__extent *at = &group->runs[(size_t)index * group->parts + p];
        add_extent(s, group, index, at->first, at);
    }
}

static void score_group(struct scorer *s, th__auto_group *group)
{
    uint32_t aside = 0;
    s->round++;
    s->used_count = s->value_count = 0;
    s->linked = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t bytes = group->bytes;
        aside += s->options->aside && s->aside[group->nodes[i]];
        add_record(s, group, i);
        group->filled += group->bytes > bytes;
    }
    if (group->filled < 2)
        return;
    double sum = 0, alike = 0, filled = group->filled;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const struct field *field = &s->fields[s->used[i]];
        if (field->count < 2)
            continue;
        double share = field->count / filled;
        double differ = (double)(field->distinct - 1) / (field->count - 1);
        double tells = field->weight / filled * share * sqrt(differ);
        sum += tells;
        alike += field->weight / filled * share;
        group->fields +=
            tells >= 0.7; /* about: a short word that always differs, in a third of them */
    }
    if (sum == 0)
        sum = ALIKE *
              alike; /* the same record again and again is a list all the same, but a poor one */
    group->score = sum * pow(log2(1 + filled), 1.25) * (1 - 0.5 * s->linked / group->bytes) *
                   (1 - 0.7 * aside / group->count) * filled / group->count *
                   (group->fields < 2 && s->options->one_field ? 0.6 : 1);
}

static bool score_all(struct collector *c, th__arena *scratch)
{
    struct scorer s = {.view = c->view, .options = c->options};
    s.aside = th__auto_aside_find(scratch, c->view);
    for (size_t i = 0; s.aside && !s.failed && i < c->groups.len; i++)
        score_group(&s, &c->groups.data[i]);
    th__mem_free(s.fields);
    th__mem_free(s.values);
    th__mem_free(s.used);
    return s.aside && !s.failed;
}

static int by_score(const void *a, const void *b)
{
    const th__auto_group *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->nodes[0] < right->nodes[0] ? -1 : left->nodes[0] > right->nodes[0];
}

void th__auto_groups_sort(th__auto_group *groups, uint32_t count)
{
    if (count)
        qsort(groups, count, sizeof *groups, by_score);
}

bool th__auto_groups_find(th__arena *arena, const th__view *view, const th__auto_options *options,
                          const uint32_t *given, uint32_t given_count, th__auto_group **out,
                          uint32_t *count)
{
    struct collector c = {.view = view, .options = options, .arena = arena};
    th__arena scratch; /* its own: a page is searched twice */
    th__arena_init(&scratch);
    bool ok = collect(&c, &scratch);
    if (ok && given_count)
        add_group(&c, given, given_count);
    ok = ok && !c.failed && score_all(&c, &scratch);
    th__arena_release(&scratch);
    numbering_release(&c.table);
    numbering_release(&c.seen);
    *count = 0;
    if (ok) {
        size_t kept = 0;
        for (size_t i = 0; i < c.groups.len; i++)
            if (c.groups.data[i].score > 0)
                c.groups.data[kept++] = c.groups.data[i];
        th__auto_groups_sort(c.groups.data, (uint32_t)kept);
        *out = th__arena_alloc(arena, (kept + 1) * sizeof **out);
        if (*out && kept)
            memcpy(*out, c.groups.data, kept * sizeof **out);
        *count = (uint32_t)kept;
        ok = *out;
    }
    th__vec_release(&c.groups);
    return ok;
}
