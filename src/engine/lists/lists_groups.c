/*
 * lists_groups.c: finding groups of alike elements, and those that may be lists of records.
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
 *     score = sum of tells * log2(1 + records)
 *             * (1 - linked / 2)     text in links is navigation more often than not
 *             * filled / records     empty elements are layout
 *
 * The score picks the groups that are looked at closely: see lists_model.h for what ranks them.
 *
 * Cost: each leaf is visited once for each group it lies in, at most four at each level above it.
 */
#include "engine/lists/lists_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_cut.h"
#include "engine/lists/lists_records.h"
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

struct collector {
    const th__view *view;
    th__arena *arena;         /* of the groups */
    uint64_t *signature_path; /* by node */
    th__key_map table;        /* used anew for each family */
    uint32_t *tried;          /* the elements that may be records */
    uint32_t tried_count;
    uint32_t *number; /* by place in `tried` */
    uint32_t *start;  /* by number: where its nodes begin */
    uint32_t *nodes;  /* of a family, group after group */
    th__key_map seen; /* hashes of groups */
    th__lists_group_vec groups;
    bool failed;
};

static uint64_t hash_nodes(const uint32_t *nodes, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = th__hash_mix(hash, nodes[i]);
    return hash;
}

/* Adds a group unless there is the same one, or less than two elements have text. */
static void add_group(struct collector *c, const uint32_t *nodes, uint32_t count)
{
    uint32_t before = c->seen.count, filled = 0;
    for (uint32_t i = 0; i < count && filled < 2; i++)
        filled += th__leaves_in(c->view, nodes[i]) > 0;
    if (filled < 2)
        return;
    uint64_t hash = hash_nodes(nodes, count);
    uint32_t number = th__key_map_number(&c->seen, hash);
    if (number && number <= before)
        return;
    uint32_t *kept = th__arena_alloc(c->arena, count * sizeof *kept);
    if (kept)
        memcpy(kept, nodes, count * sizeof *kept);
    if (!kept || !number ||
        !th__vec_push(&c->groups, (th__lists_group){.nodes = kept, .count = count}))
        c->failed = true;
}

/* Cuts the nodes of one family, laid out group after group, into groups. */
static void add_groups(struct collector *c)
{
    for (uint32_t g = 0; g < c->table.count; g++)
        if (c->start[g + 1] - c->start[g] >= 2)
            add_group(c, c->nodes + c->start[g], c->start[g + 1] - c->start[g]);
}

/* Two groups of siblings of one kind, one of them a level deeper. */
struct nested {
    uint32_t outer, inner; /* numbers of groups */
};

static int by_outer(const void *a, const void *b)
{
    const struct nested *left = a, *right = b;
    if (left->outer != right->outer)
        return left->outer < right->outer ? -1 : 1;
    return left->inner < right->inner ? -1 : left->inner > right->inner;
}

/* The group of the siblings of an element's parent that are of its kind, or 0. Elements without a
 * class say too little, but for those that are parts of lists and tables. */
static uint32_t group_above(const struct collector *c, uint32_t node)
{
    const th_page *page = c->view->page;
    uint32_t signature = c->view->signature[node], parent = page->nodes[node].parent;
    uint16_t tag = page->tags[node];
    if (!parent || (tag != TH_TAG_LI && tag != TH_TAG_TR &&
                    signature == th__step_signature(th__element_hash(tag, (th_str){0}))))
        return 0;
    return th__key_map_get(&c->table, th__hash_mix(page->nodes[parent].parent, signature));
}

/* Drops elements that hold the next one: all later items are in one that was never closed. */
static size_t drop_outer(const th_page *page, uint32_t *nodes, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || nodes[i + 1] >= page->nodes[nodes[i]].end)
            nodes[kept++] = nodes[i];
    return kept;
}

/*
 * A record may be beside the element that holds the others, as where the first one is shown apart
 * or a shop loads the rest into a container of its own:
 *
 *     <div class=results><div class=hit>..</div> <div class=more><div class=hit>..<div class=hit>..
 *
 * Puts the groups of both levels together. The siblings of one signature are laid out.
 */
static bool join_levels(struct collector *c)
{
    TH__VEC(struct nested) found = {0};
    th__lists_nodes nodes = {0};
    bool ok = true;
    for (uint32_t g = 0; ok && g < c->table.count; g++) {
        uint32_t above = group_above(c, c->nodes[c->start[g]]);
        if (above)
            ok = th__vec_push(&found, (struct nested){above - 1, g});
    }
    if (ok && found.len)
        qsort(found.data, found.len, sizeof *found.data, by_outer);
    for (size_t i = 0, end; ok && i < found.len; i = end) {
        uint32_t outer = found.data[i].outer, from = c->start[outer], to = c->start[outer + 1];
        nodes.len = 0;
        for (; ok && from < to; from++)
            ok = th__vec_push(&nodes, c->nodes[from]);
        for (end = i; ok && end < found.len && found.data[end].outer == outer; end++)
            for (from = c->start[found.data[end].inner], to = c->start[found.data[end].inner + 1];
                 ok && from < to; from++)
                ok = th__vec_push(&nodes, c->nodes[from]);
        if (ok && nodes.len > 2) {
            qsort(nodes.data, nodes.len, sizeof *nodes.data, th__by_node);
            nodes.len = drop_outer(c->view->page, nodes.data, nodes.len);
            add_group(c, nodes.data, (uint32_t)nodes.len);
        }
    }
    th__vec_release(&found);
    th__vec_release(&nodes);
    return ok;
}

static bool is_only_child(const th_node *nodes, uint32_t node)
{
    uint32_t parent = nodes[node].parent;
    return node == parent + 1 && nodes[node].end == nodes[parent].end;
}

static bool collect_family(struct collector *c, int family)
{
    const th_page *page = c->view->page;
    uint32_t *start = c->start, groups = 0;
    th__key_map_clear(&c->table);
    start[0] = start[1] = 0;
    for (uint32_t i = 0; i < c->tried_count; i++) {
        uint32_t n = c->tried[i];
        c->number[i] = UINT32_MAX;
        if (family == 3 && is_only_child(page->nodes, n))
            continue;
        uint32_t number =
            th__key_map_number(&c->table, family_key(c->view, c->signature_path, family, n));
        if (!number)
            return false;
        if (number > groups)
            start[++groups + 1] = 0;
        c->number[i] = number;
        start[number + 1]++;
    }
    /* start[g + 1] runs from the beginning of group g to its end while nodes are laid out. */
    for (uint32_t g = 2; g <= groups + 1; g++)
        start[g] += start[g - 1];
    for (uint32_t i = 0; i < c->tried_count; i++)
        if (c->number[i] != UINT32_MAX)
            c->nodes[start[c->number[i]]++] = c->tried[i];
    add_groups(c);
    return (family != 1 || join_levels(c)) && !c->failed;
}

/* ---- labels and values ----------------------------------------------------------------------- */

/* Returns true if an element has two texts, of which the first may be a label: no link, no digit.
 */
static bool is_pair(const th__view *view, uint32_t node, uint64_t *label, uint64_t *value)
{
    const th_page *page = view->page;
    uint32_t first = view->leaves.before[page->nodes[node].token];
    const th__leaf *leaf = &view->leaves.data[first];
    if (view->leaves.before[page->nodes[node].token_end] - first != 2 || leaf->linked)
        return false;
    th_span span = th__leaf_span(page, leaf);
    for (uint32_t at = span.start; at < span.end; at++)
        if (th__is_digit((unsigned char)page->text.ptr[at]))
            return false;
    *label = leaf->hash;
    *value = leaf[1].hash;
    return true;
}

/*
 * Returns true if a group is labels and values of records, which are the elements around them:
 *
 *     <div class=box><p><b>Member</b><i>13000</i> <p><b>Name</b><i>Ito</i></div> <div class=box>..
 *
 * Nearly all elements have two texts, the first is the same in most parents, never twice in one,
 * and the values differ.
 */
static bool are_pairs(struct collector *c, const th__lists_group *group)
{
    enum { LEAST = 3 }; /* records, and so is half of a parent's elements */
    const th_node *nodes = c->view->page->nodes;
    uint32_t parents = 0, last = UINT32_MAX, pairs = 0, labels = 0, values = 0;
    if (group->count < 2 * LEAST)
        return false;
    th__key_map_clear(&c->table);
    for (uint32_t i = 0; i < group->count; i++) {
        uint64_t label, value;
        uint32_t parent = nodes[group->nodes[i]].parent, known = c->table.count;
        parents += parent != last;
        last = parent;
        if (!is_pair(c->view, group->nodes[i], &label, &value)) {
            if (5 * (i + 1 - pairs) > group->count)
                return false;
            continue;
        }
        pairs++;
        if (th__key_map_number(&c->table, th__hash_mix(label, parent)) <= known)
            return false; /* twice in one */
        known = c->table.count;
        labels += th__key_map_number(&c->table, label) > known;
        known = c->table.count;
        values += th__key_map_number(&c->table, ~value) > known;
    }
    return parents >= LEAST && group->count >= 2 * parents && 2 * labels * parents <= 3 * pairs &&
           2 * values > pairs;
}

/* Takes out groups of labels and values, and those that are part of one. */
static bool drop_pairs(struct collector *c, th__arena *scratch)
{
    uint8_t *pair = NULL;
    size_t kept = 0;
    for (size_t g = 0; g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        if (group->runs || !are_pairs(c, group))
            continue;
        if (!pair && !(pair = th__arena_zero(scratch, c->view->page->node_count, sizeof *pair)))
            return false;
        for (uint32_t i = 0; i < group->count; i++)
            pair[group->nodes[i]] = 1;
    }
    for (size_t g = 0; pair && g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        uint32_t pairs = 0;
        for (uint32_t i = 0; i < group->count; i++)
            pairs += pair[group->nodes[i]];
        if (pairs < group->count)
            c->groups.data[kept++] = *group;
    }
    c->groups.len = pair ? kept : c->groups.len;
    return true;
}

/* Returns true if all text of an element's parent is its own. */
static bool has_all_text(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    uint32_t leaf = view->leaves.before[n->token], end = view->leaves.before[n->token_end];
    if (th__leaves_in(view, n->parent) != end - leaf)
        return false;
    while (leaf < end && view->leaves.data[leaf].node >= node)
        leaf++;
    return leaf == end;
}

/*
 * Takes out groups of elements around those of another group that add no text:
 *
 *     <li><a><b>..</b></a></li> <li><a><b>..</b></a></li>
 *
 * Both become the same list of records.
 */
static void drop_wrapped(struct collector *c)
{
    const th_node *nodes = c->view->page->nodes;
    size_t kept = 0;
    for (size_t g = 0; g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        uint32_t i = 0, last = 0;
        for (; i < group->count; i++) {
            uint32_t parent = nodes[group->nodes[i]].parent;
            if (parent <= last || !has_all_text(c->view, group->nodes[i]))
                break;
            c->nodes[i] = last = parent;
        }
        uint32_t number =
            i == group->count ? th__key_map_get(&c->seen, hash_nodes(c->nodes, i)) : 0;
        if (number)
            c->groups.data[number - 1].score = -1;
    }
    for (size_t g = 0; g < c->groups.len; g++)
        if (c->groups.data[g].score == 0)
            c->groups.data[kept++] = c->groups.data[g];
    c->groups.len = kept;
}

static bool collect(struct collector *c, th__arena *scratch)
{
    const th_page *page = c->view->page;
    c->signature_path = th__arena_alloc(scratch, page->node_count * sizeof *c->signature_path);
    c->tried = th__arena_alloc(scratch, page->node_count * sizeof *c->tried);
    c->number = th__arena_alloc(scratch, page->node_count * sizeof *c->number);
    c->start = th__arena_alloc(scratch, ((size_t)page->node_count + 2) * sizeof *c->start);
    c->nodes = th__arena_alloc(scratch, page->node_count * sizeof *c->nodes);
    if (!c->signature_path || !c->tried || !c->number || !c->start || !c->nodes ||
        !th__key_map_init(&c->table, scratch, page->node_count))
        return false;
    c->signature_path[0] = 1;
    for (uint32_t n = 1; n < page->node_count; n++) {
        c->signature_path[n] =
            th__hash_mix(c->signature_path[page->nodes[n].parent], c->view->signature[n]);
        if (!is_ruled_out(page->tags[n]))
            c->tried[c->tried_count++] = n;
    }
    for (int family = 0; family < FAMILIES; family++)
        if (!collect_family(c, family))
            return false;
    drop_wrapped(c);
    return th__lists_runs_find(c->arena, c->view, &c->groups) &&
           th__lists_grids_find(c->arena, c->view, &c->groups) && drop_pairs(c, scratch);
}

/* ---- which may be lists -----------------------------------------------------------------------
 */

/* One field of the group that is scored. */
struct field {
    uint64_t key;
    uint32_t count, distinct;
    uint32_t record,
        repeats;  /* of a key without repeats: the record it was in last, and how often */
    float weight; /* sum */
};

struct scorer {
    const th__view *view;
    TH__VEC(struct field) fields; /* of the group, in the order of arrival */
    th__key_map numbers;          /* of fields, from 1 */
    th__key_map values;           /* of field and value */
    uint32_t linked;              /* bytes of text in links in the group */
    bool failed;
};

/* NULL if out of memory. */
static struct field *field_of(struct scorer *s, uint64_t key)
{
    uint32_t number = th__key_map_number(&s->numbers, key);
    if (!number || (number > s->fields.len &&
                    !th__vec_push(&s->fields, (struct field){.key = key, .record = UINT32_MAX}))) {
        s->failed = true;
        return NULL;
    }
    return &s->fields.data[number - 1];
}

/* Returns true if the value is new to its field. */
static bool is_new_value(struct scorer *s, uint64_t field, uint64_t hash)
{
    uint32_t before = s->values.count;
    uint32_t number = th__key_map_number(&s->values, th__hash_mix(field, hash));
    s->failed |= !number;
    return number > before;
}

static void add_leaf(struct scorer *s, uint32_t index, uint64_t key, uint32_t leaf_index)
{
    const th__leaf *leaf = &s->view->leaves.data[leaf_index];
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
    field->weight += s->view->weight[leaf_index] / (float)(1U << repeat);
    field->distinct += is_new_value(s, field->key, leaf->hash);
}

/* Adds the texts of a record, or of a part of it. Keys are seen from `root`. */
static void add_extent(struct scorer *s, th__lists_group *group, uint32_t record, uint32_t root,
                       const th__extent *at)
{
    const th__leaves *leaves = &s->view->leaves;
    uint32_t leaf = leaves->before[at->token], end = leaves->before[at->token_end];
    uint32_t top = at->first, part = at->part;
    uint64_t inverse = s->view->inverse[th__view_depth(s->view, root)];
    for (; leaf < end; leaf++) {
        uint32_t node = leaves->data[leaf].node;
        if (node < root)
            continue; /* text of an element around it that begins here */
        while (group->regular && top < at->last && node >= s->view->page->nodes[top].end) {
            top = s->view->page->nodes[top].end;
            part++; /* each of the elements has fields of its own */
        }
        group->bytes += leaves->data[leaf].len;
        s->linked += leaves->data[leaf].linked ? leaves->data[leaf].len : 0;
        uint64_t key = (s->view->sum[node] - s->view->sum[root]) * inverse; /* th__view_key */
        add_leaf(s, record, part ? th__hash_mix(key, ~(uint64_t)part) : key, leaf);
    }
}

static void add_record(struct scorer *s, th__lists_group *group, uint32_t index)
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

static void score_group(struct scorer *s, th__lists_group *group)
{
    th__key_map_clear(&s->numbers);
    th__key_map_clear(&s->values);
    s->fields.len = 0;
    s->linked = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t bytes = group->bytes;
        add_record(s, group, i);
        group->filled += group->bytes > bytes;
    }
    if (group->filled < 2)
        return;
    double sum = 0, alike = 0, filled = group->filled;
    for (size_t i = 0; i < s->fields.len; i++) {
        const struct field *field = &s->fields.data[i];
        if (field->count < 2)
            continue;
        double share = field->count / filled;
        double differ = (double)(field->distinct - 1) / (field->count - 1);
        double tells = field->weight / filled * share * sqrt(differ);
        sum += tells;
        alike += field->weight / filled * share;
    }
    if (sum == 0)
        sum = ALIKE *
              alike; /* the same record again and again is a list all the same, but a poor one */
    group->score =
        sum * log2(1 + filled) * (1 - 0.5 * s->linked / group->bytes) * filled / group->count;
}

static bool score_all(struct collector *c, th__arena *scratch)
{
    struct scorer s = {.view = c->view};
    s.failed = !th__key_map_init(&s.values, scratch, c->view->leaves.count);
    for (size_t i = 0; !s.failed && i < c->groups.len; i++)
        score_group(&s, &c->groups.data[i]);
    th__vec_release(&s.fields);
    th__key_map_release(&s.numbers);
    return !s.failed;
}

static int by_score(const void *a, const void *b)
{
    const th__lists_group *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->nodes[0] < right->nodes[0] ? -1 : left->nodes[0] > right->nodes[0];
}

bool th__lists_groups_find(th__arena *arena, const th__view *view, th__lists_group **out,
                           uint32_t *count)
{
    struct collector c = {.view = view, .arena = arena};
    th__arena scratch;
    th__arena_init(&scratch);
    bool ok = collect(&c, &scratch) && !c.failed && score_all(&c, &scratch);
    th__arena_release(&scratch);
    th__key_map_release(&c.seen);
    *count = 0;
    if (ok) {
        size_t kept = 0;
        for (size_t i = 0; i < c.groups.len; i++)
            if (c.groups.data[i].score > 0)
                c.groups.data[kept++] = c.groups.data[i];
        if (kept)
            qsort(c.groups.data, kept, sizeof *c.groups.data, by_score);
        *out = th__arena_alloc(arena, (kept + 1) * sizeof **out);
        if (*out && kept)
            memcpy(*out, c.groups.data, kept * sizeof **out);
        *count = (uint32_t)kept;
        ok = *out;
    }
    th__vec_release(&c.groups);
    return ok;
}
